#pragma once

#include "core/graph/graph.h"
#include "core/prove/error_state.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// The elements of one value, row-major. Integers and bools have no error.
struct ErrorTensor {
    ElementType element = ElementType::Undefined;
    std::vector<std::int64_t> shape;
    std::vector<Inexact> elements;
    std::string reason; ///< why nothing is known

    [[nodiscard]] static ErrorTensor of(const Tensor& tensor);
    [[nodiscard]] bool isExact() const;
    /// A tensor of these elements where each is one number without an error; nothing otherwise.
    [[nodiscard]] std::optional<Tensor> exactTensor() const;
    /// Elements of an integer tensor that is known, at most `most`.
    [[nodiscard]] std::optional<std::vector<std::int64_t>> integers(std::size_t most) const;
};

/// One node with what is known of its operands.
struct NodeErrors {
    const Node* node = nullptr;
    std::vector<std::optional<ErrorTensor>> operands; ///< absent: omitted
    std::vector<ErrorTensor> results;                 ///< their real values over the ranges (no errors), where the evaluator has them
    std::function<const Node*(std::size_t)> operandNodes;
    std::function<const Node*(ValueId)> producerOf; ///< in the same graph; null: an input or a constant
    std::function<ErrorTensor(ValueId)> valueOf;
    std::stop_token stop;
};

/// The errors of a node's results. False: there is no rule for this op or this case.
[[nodiscard]] bool nodeErrors(const NodeErrors& call, std::vector<ErrorTensor>& results);

/// x / sqrt(mean of x^2 + epsilon) over `count` elements, of which each is off by at most `error`: no element exceeds sqrt(count), and
/// the error of the root is small beside it wherever the elements are. Nothing where the bound would be none.
[[nodiscard]] std::optional<Inexact> normalised(double error, double epsilon, double count, const IntervalRounding& type);

} // namespace lemmascope
