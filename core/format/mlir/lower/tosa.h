#pragma once

#include "core/format/mlir/lower/body.h"

namespace lemmascope::ir {

[[nodiscard]] std::vector<std::int64_t> integersOf(const Module& m, OperationId op, std::string_view name);
/// The elements of a constant of integers; nothing if the value is none.
[[nodiscard]] std::optional<std::vector<std::int64_t>> constantIntegers(const Module& m, ValueId value);
[[nodiscard]] std::vector<Bound> numbers(const std::vector<std::int64_t>& values);
/// New memory for the op's result, which has static sizes.
[[nodiscard]] Register emptyResult(Body& body, OperationId op);
/// An element of a view whose axes of size 1 stand for every index.
[[nodiscard]] Register loadBroadcast(Body& body, Register view, const std::vector<Register>& at);

/// matmul, fully_connected, conv2d, depthwise_conv2d, pools, reductions; false for all others. `name` is without `tosa.`.
bool lowerTosaSums(Body& body, OperationId op, std::string_view name);

} // namespace lemmascope::ir
