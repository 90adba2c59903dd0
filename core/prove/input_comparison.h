#pragma once

#include "core/base/result.h"
#include "core/eval/evaluator.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// Two values that are partners and differ on the user's own tensors.
struct ComparedValue {
    FlatValueId reference;
    FlatValueId rewritten;
    /// Their enclosures are disjoint at `element`, or one is finite there and the other is not, or types or shapes differ: no
    /// rounding explains it.
    bool beyondRounding = false;
    std::vector<std::int64_t> referenceShape;
    std::vector<std::int64_t> rewrittenShape;
    std::int64_t element = 0; ///< where they differ most, row-major; of those beyond rounding if there are any
    /// That element on either side as a scalar of its declared type; absent where types or shapes differ or the type has no numbers.
    std::optional<Tensor> referenceElement;
    std::optional<Tensor> rewrittenElement;
};

/// What both graphs give on the tensors of `--input`.
struct InputComparison {
    std::size_t compared = 0;               ///< pairs of values that both sides computed
    std::vector<ComparedValue> differences; ///< not equal bit for bit (NaN = NaN, +0 = -0), in the order of the reference, at most `Kept`
    std::size_t differing = 0;              ///< all of them
    std::optional<std::size_t> first;       ///< the first of `differences` that is beyond rounding
    /// False: the graphs are too large to be run in interval arithmetic; floats then count as beyond rounding from 2^10 units in the
    /// last place of the largest element.
    bool enclosed = true;
    std::optional<Fault> referenceFault;
    std::optional<Fault> rewrittenFault;

    /// Every value of both runs, to be looked at; null where the two hold more than `MostKeptBytes`.
    std::shared_ptr<const Evaluation> referenceRun;
    std::shared_ptr<const Evaluation> rewrittenRun;

    static constexpr std::size_t Kept = 500;
    static constexpr std::size_t MostKeptBytes = std::size_t{1} << 30U;
};

struct SearchProblem;

/// Runs both graphs on `inputs` (by the reference's input names) in their declared types and in interval arithmetic, and compares
/// all partners of the problem in its order. Fails with Usage when an input has no tensor or a name is no input, as `evaluate` when
/// a tensor does not fit, with Cancelled.
[[nodiscard]] Result<InputComparison> compareOnInputs(const SearchProblem& problem, const std::vector<std::pair<std::string, Tensor>>& inputs,
                                                      std::stop_token stop);

} // namespace lemmascope
