// What special values do to both graphs: told beside the verdict, which speaks of real numbers.

#include "core/prove/checker.h"
#include "core/prove/special_values.h"

namespace lemmascope {

namespace {

constexpr std::chrono::seconds Guard{20}; ///< what is done is bounded by counts

} // namespace

Result<void> Checker::concludeSpecialValues() {
    if (!m_options.specialValues || m_settled) {
        return {};
    }
    const SearchProblem problem = searchProblem(false);
    if (problem.outputs.empty()) {
        return {}; // types differ: nothing to compare
    }
    SpecialValuesRequest request;
    request.problem = &problem;
    request.base = userCandidate(problem);
    request.seed = m_options.seed;
    request.deadline = std::min(m_deadline, Clock::now() + Guard);
    Result<std::vector<Remark>> remarks = trySpecialValues(request, m_stop);
    if (!remarks) {
        return tl::unexpected(remarks.error());
    }
    m_result.caveats.insert(m_result.caveats.end(), remarks->begin(), remarks->end());
    return {};
}

} // namespace lemmascope
