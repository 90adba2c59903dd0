#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope::cli {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;

/// Tensors named on the command line: `name=file.npy`, or `file.npz` for all its arrays. Fails with Usage, NotFound, BadData.
[[nodiscard]] Result<NamedTensors> readInputFiles(const std::vector<std::string>& arguments);

/// One tensor per input of the graph in its order: the given ones, checked against the declared types, and from `seed` for the
/// others. Random floats are of magnitude up to 2, integers within the declared range or 0 to 3; a symbolic length not fixed by
/// a given tensor is its lowest value, at least 2. Fails with Usage (an input is missing or unknown), ShapeMismatch.
[[nodiscard]] Result<std::vector<std::optional<Tensor>>> completeInputs(const Graph& graph, const NamedTensors& given,
                                                                        std::optional<std::uint64_t> seed);

} // namespace lemmascope::cli
