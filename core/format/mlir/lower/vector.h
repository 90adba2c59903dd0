#pragma once

#include "core/format/mlir/lower/body.h"

namespace lemmascope::ir {

/// Coordinates of a lane in a vector of that shape, and back.
[[nodiscard]] std::vector<std::int64_t> coordinates(const std::vector<std::int64_t>& shape, std::int64_t lane);
[[nodiscard]] std::size_t laneAt(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& at);
/// The lanes of a vector; a scalar has one. Nothing for what is neither.
[[nodiscard]] std::optional<std::vector<Register>> lanesOf(Body& body, ValueId value);

/// load, store, transfer_read, transfer_write, maskedload, maskedstore; false for all others. `name` is without `vector.`.
bool lowerVectorAccess(Body& body, OperationId op, std::string_view name);

} // namespace lemmascope::ir
