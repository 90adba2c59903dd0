// How the search, blame and the other samplers run a graph: open ops and accepted differences are the same for all of them.

#include "core/prove/side_run.h"

#include "core/prove/candidates.h"

#include <limits>

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

/// One tensor per term of an open op, the same on both sides: an open function has one value for one operand.
std::map<FlatValueId, Tensor> openValuesAt(const SearchProblem& problem, bool rewritten, const std::map<std::string, std::int64_t>& sizes,
                                           Arithmetic arithmetic) {
    std::map<FlatValueId, Tensor> out;
    const GraphTree& tree = rewritten ? *problem.rewritten : *problem.reference;
    for (const auto& [value, term] : rewritten ? problem.rewrittenOpen : problem.referenceOpen) {
        const TensorType& type = tree.value(value).type;
        if (!type.shape || !isComputable(type.element)) {
            continue;
        }
        std::vector<std::int64_t> shape;
        std::int64_t count = 1;
        for (const Dim& dim : *type.shape) {
            const std::optional<std::int64_t> length = dim.evaluate(sizes);
            if (!length || *length < 0 || count > 10'000'000) {
                count = -1;
                break;
            }
            shape.push_back(*length);
            count *= *length;
        }
        if (count < 0) {
            continue;
        }
        const ElementType element = arithmetic != Arithmetic::Declared && isFloat(type.element) ? ElementType::F64 : type.element;
        Tensor tensor(element, shape);
        for (std::int64_t i = 0; i < count; ++i) {
            const std::uint64_t hash =
                (static_cast<std::uint64_t>(term) * 0x9E3779B97F4A7C15ULL) ^ (static_cast<std::uint64_t>(i) * 0xC2B2AE3D27D4EB4FULL);
            setElement(tensor, i, static_cast<double>((hash >> 40U) % 17U) * (isFloat(element) ? 0.25 : 1.0));
        }
        out.emplace(value, std::move(tensor));
    }
    return out;
}

} // namespace

std::vector<std::optional<Tensor>> inputsOf(const SearchProblem& problem, bool rewritten, const std::vector<Tensor>& inputs) {
    std::vector<std::optional<Tensor>> placed((rewritten ? problem.rewritten : problem.reference)->top().inputs.size());
    for (std::size_t k = 0; k < problem.inputs.size() && k < inputs.size(); ++k) {
        const std::optional<std::size_t> at = rewritten ? problem.inputs[k].rewritten : std::optional<std::size_t>(problem.inputs[k].reference);
        if (at && *at < placed.size()) {
            placed[*at] = inputs[k];
        }
    }
    return placed;
}

Result<EvaluateOptions> sideOptions(const SearchProblem& problem, const Evaluation* reference, const Candidate& candidate, Arithmetic arithmetic) {
    const bool rewritten = reference != nullptr;
    const GraphTree& tree = rewritten ? *problem.rewritten : *problem.reference;
    EvaluateOptions options;
    options.arithmetic = arithmetic;
    options.maxTensorBytes = std::size_t{1} << 30U;
    if (arithmetic == Arithmetic::Enclosure) {
        options.widening = rewritten ? problem.rewrittenWidening : problem.referenceWidening;
        for (const auto& [value, tensor] : openValuesAt(problem, rewritten, candidate.sizes, arithmetic)) {
            IntervalTensor all;
            all.element = tree.value(value).type.element;
            all.shape = tensor.shape();
            all.elements.assign(static_cast<std::size_t>(tensor.count()),
                                Interval{-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity(), isFloat(all.element)});
            options.givenEnclosures.emplace(value, std::move(all));
        }
    } else {
        options.given = openValuesAt(problem, rewritten, candidate.sizes, arithmetic);
    }
    if (rewritten) {
        if (const Result<void> taken = takeAssumed(problem, *reference, options); !taken) {
            return tl::unexpected(taken.error());
        }
    }
    return options;
}

Result<Evaluation> runSide(const SearchProblem& problem, const Evaluation* reference, const std::vector<Tensor>& inputs, EvaluateOptions options,
                           std::stop_token stop) {
    const bool rewritten = reference != nullptr;
    const GraphTree& tree = rewritten ? *problem.rewritten : *problem.reference;
    const std::vector<std::optional<Tensor>> placed = inputsOf(problem, rewritten, inputs);
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
