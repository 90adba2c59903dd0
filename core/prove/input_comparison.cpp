// The user's own tensors through both graphs: where do they part? Judged as counterexamples are, by disjoint enclosures
// (resources/docs/decisions/confirmation.md). Tests: tests/core/prove/tst_input_comparison.cpp.

#include "core/prove/input_comparison.h"

#include "core/prove/refute.h"
#include "core/prove/side_run.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace lemmascope {

namespace {

constexpr std::uint64_t MostEnclosed = 300'000'000; ///< scalar operations: some seconds

bool sameElement(const Tensor& a, const Tensor& b, std::int64_t i) {
    if (a.element() == ElementType::String) {
        return a.strings()[static_cast<std::size_t>(i)] == b.strings()[static_cast<std::size_t>(i)];
    }
    if (!isComputable(a.element())) {
        const std::size_t size = byteSize(a.element());
        const auto at = static_cast<std::size_t>(i) * size;
        return at + size > a.bytes().size() || at + size > b.bytes().size() ||
               std::equal(a.bytes().begin() + static_cast<std::ptrdiff_t>(at), a.bytes().begin() + static_cast<std::ptrdiff_t>(at + size),
                          b.bytes().begin() + static_cast<std::ptrdiff_t>(at));
    }
    if (!isFloat(a.element())) {
        return a.toInt64(i) == b.toInt64(i);
    }
    const double x = a.toDouble(i);
    const double y = b.toDouble(i);
    return x == y || (std::isnan(x) && std::isnan(y));
}

/// How far apart: infinite where that is no number.
double distance(const Tensor& a, const Tensor& b, std::int64_t i) {
    if (!isComputable(a.element())) {
        return std::numeric_limits<double>::infinity();
    }
    const double d = std::fabs(a.toDouble(i) - b.toDouble(i));
    return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

double largestMagnitude(const Tensor& a, const Tensor& b) {
    double largest = 0.0;
    for (std::int64_t i = 0; i < a.count(); ++i) {
        for (const double value : {std::fabs(a.toDouble(i)), std::fabs(b.toDouble(i))}) {
            largest = std::isfinite(value) ? std::max(largest, value) : largest;
        }
    }
    return largest;
}

std::optional<Tensor> scalarAt(const Tensor& tensor, std::int64_t i) {
    if (tensor.element() == ElementType::String) {
        return Tensor::ofStrings({}, {tensor.strings()[static_cast<std::size_t>(i)]});
    }
    if (!isComputable(tensor.element())) {
        return std::nullopt;
    }
    Tensor scalar(tensor.element(), {});
    const std::size_t size = byteSize(tensor.element());
    std::memcpy(const_cast<std::byte*>(scalar.bytes().data()), tensor.bytes().data() + static_cast<std::size_t>(i) * size, size);
    return scalar;
}

std::size_t bytesOf(const Evaluation& run) {
    std::size_t bytes = 0;
    for (const std::optional<Tensor>& value : run.values) {
        bytes += value ? value->bytes().size() : 0;
    }
    return bytes;
}

struct Enclosures {
    const std::optional<IntervalTensor>* reference = nullptr; ///< null: there are none
    const std::optional<IntervalTensor>* rewritten = nullptr;
};

/// Nothing when the two are equal at every element.
std::optional<ComparedValue> compare(const Tensor& a, const Tensor& b, const Enclosures& enclosures) {
    ComparedValue out;
    out.referenceShape = a.shape();
    out.rewrittenShape = b.shape();
    if (a.element() != b.element() || a.shape() != b.shape()) {
        out.beyondRounding = true;
        return out;
    }
    const bool floats = isFloat(a.element());
    const bool enclosed = enclosures.reference != nullptr && *enclosures.reference && *enclosures.rewritten &&
                          (*enclosures.reference)->shape == a.shape() && (*enclosures.rewritten)->shape == a.shape();
    const double allowed = enclosed || !floats ? 0.0 : std::ldexp(largestMagnitude(a, b), 11 - static_cast<int>(significandBits(a.element())));
    double worst = -1.0;
    for (std::int64_t i = 0; i < a.count(); ++i) {
        if (sameElement(a, b, i)) {
            continue;
        }
        const double d = distance(a, b, i);
        bool beyond = !isComputable(a.element());
        if (!beyond && enclosed) {
            beyond = disjoint((*enclosures.reference)->elements[static_cast<std::size_t>(i)],
                              (*enclosures.rewritten)->elements[static_cast<std::size_t>(i)]);
        } else if (!beyond) {
            beyond = !floats || !(d <= allowed);
        }
        // Overflow on one side only is nothing that a bound on rounding speaks of, but it is no rounding either.
        beyond = beyond || (floats && std::isfinite(a.toDouble(i)) != std::isfinite(b.toDouble(i)));
        if ((beyond && !out.beyondRounding) || (beyond == out.beyondRounding && d > worst)) {
            out.beyondRounding = beyond;
            out.element = i;
            worst = d;
        }
    }
    if (worst < 0.0) {
        return std::nullopt;
    }
    out.referenceElement = scalarAt(a, out.element);
    out.rewrittenElement = scalarAt(b, out.element);
    return out;
}

std::string namesOf(const SearchProblem& problem) {
    std::string names;
    for (const SearchInput& input : problem.inputs) {
        names += (names.empty() ? "" : ", ") + input.name;
    }
    return names.empty() ? "none" : names;
}

} // namespace

Result<InputComparison> compareOnInputs(const SearchProblem& problem, const std::vector<std::pair<std::string, Tensor>>& inputs,
                                        std::stop_token stop) {
    for (const auto& [given, tensor] : inputs) {
        if (std::none_of(problem.inputs.begin(), problem.inputs.end(),
                         [&, wanted = given](const SearchInput& input) { return input.name == wanted; })) {
            return fail(ErrorCode::Usage, "--input " + given + ": the reference has no such input; it has " + namesOf(problem));
        }
    }
    std::vector<Tensor> tensors;
    for (const SearchInput& input : problem.inputs) {
        const auto at = std::find_if(inputs.begin(), inputs.end(), [&](const auto& pair) { return pair.first == input.name; });
        if (at == inputs.end()) {
            return fail(ErrorCode::Usage, "--input: no tensor for input '" + input.name + "'; the reference has " + namesOf(problem));
        }
        tensors.push_back(at->second);
    }
    EvaluateOptions evaluation;
    const Result<Evaluation> reference = runSide(problem, nullptr, tensors, evaluation, stop);
    if (!reference) {
        return tl::unexpected(Error{reference.error().code, "--input: reference: " + reference.error().message, reference.error().where});
    }
    const Result<Evaluation> rewritten = runSide(problem, &*reference, tensors, evaluation, stop);
    if (!rewritten) {
        return tl::unexpected(Error{rewritten.error().code, "--input: rewritten graph: " + rewritten.error().message, rewritten.error().where});
    }
    evaluation.arithmetic = Arithmetic::Enclosure;
    evaluation.maxOperations = MostEnclosed;
    evaluation.maxTensorBytes = std::size_t{1} << 30U;
    const Result<Evaluation> around = runSide(problem, nullptr, tensors, evaluation, stop);
    const Result<Evaluation> aroundRewritten = around ? runSide(problem, &*around, tensors, evaluation, stop) : around;
    if (stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, "cancelled");
    }
    InputComparison out;
    out.referenceFault = reference->fault;
    out.rewrittenFault = rewritten->fault;
    out.enclosed = aroundRewritten.has_value();
    for (const auto& [mine, theirs] : problem.partners) {
        const auto& a = reference->values[mine.index];
        const auto& b = rewritten->values[theirs.index];
        if (!a || !b) {
            continue;
        }
        ++out.compared;
        Enclosures enclosures;
        if (out.enclosed) {
            enclosures = {&around->enclosures[mine.index], &aroundRewritten->enclosures[theirs.index]};
        }
        std::optional<ComparedValue> difference = compare(*a, *b, enclosures);
        if (!difference) {
            continue;
        }
        ++out.differing;
        difference->reference = mine;
        difference->rewritten = theirs;
        const bool first = difference->beyondRounding && !out.first;
        if (out.differences.size() >= InputComparison::Kept && first) {
            out.differences.pop_back(); // what matters most is never left out
        }
        if (out.differences.size() < InputComparison::Kept) {
            out.first = first ? std::optional(out.differences.size()) : out.first;
            out.differences.push_back(std::move(*difference));
        }
    }
    if (bytesOf(*reference) + bytesOf(*rewritten) <= InputComparison::MostKeptBytes) {
        out.referenceRun = std::make_shared<const Evaluation>(*reference);
        out.rewrittenRun = std::make_shared<const Evaluation>(*rewritten);
    }
    return out;
}

} // namespace lemmascope
