#include "core/prove/side_run.h"

namespace lemmascope {

namespace {

Result<void> takeAssumed(const SearchProblem& problem, const Evaluation& reference, EvaluateOptions& options) {
    for (const auto& [mine, theirs] : problem.assumed) {
        const Value& value = problem.reference->value(mine);
        options.given.erase(theirs);
        options.givenEnclosures.erase(theirs);
        if (options.arithmetic == Arithmetic::Enclosure && reference.enclosures[mine.index]) {
            options.givenEnclosures.emplace(theirs, *reference.enclosures[mine.index]);
        } else if (reference.values[mine.index]) {
            options.given.emplace(theirs, *reference.values[mine.index]);
        } else if (value.constant) {
            options.given.emplace(theirs, *value.constant); // one that a run leaves out for its size
        } else {
            // Its own value instead would let the accepted difference refute.
            return fail(ErrorCode::Unsupported, "'" + value.name + "', which the rewritten graph takes over, has no value on this input");
        }
    }
    return {};
}

} // namespace

Result<Evaluation> runSide(const SearchProblem& problem, const Evaluation* reference, const std::vector<Tensor>& inputs, EvaluateOptions options,
                           std::stop_token stop) {
    const bool rewritten = reference != nullptr;
    const GraphTree& tree = rewritten ? *problem.rewritten : *problem.reference;
    std::vector<std::optional<Tensor>> placed(tree.top().inputs.size());
    for (std::size_t k = 0; k < problem.inputs.size() && k < inputs.size(); ++k) {
        const std::optional<std::size_t> at = rewritten ? problem.inputs[k].rewritten : std::optional<std::size_t>(problem.inputs[k].reference);
        if (at && *at < placed.size()) {
            placed[*at] = inputs[k];
        }
    }
    if (options.arithmetic == Arithmetic::Enclosure) {
        options.widening = rewritten ? problem.rewrittenWidening : problem.referenceWidening;
    }
    if (rewritten) {
        if (const Result<void> taken = takeAssumed(problem, *reference, options); !taken) {
            return tl::unexpected(taken.error());
        }
    }
    return evaluate(tree, placed, options, std::move(stop));
}

bool disjoint(const Interval& a, const Interval& b) {
    if (a.isUndefined() || b.isUndefined()) {
        const Interval& other = a.isUndefined() ? b : a;
        return !(a.isUndefined() && b.isUndefined()) && !other.mayBeUndefined;
    }
    if (a.mayBeUndefined && b.mayBeUndefined) {
        return false;
    }
    return a.hi < b.lo || b.hi < a.lo;
}

} // namespace lemmascope
