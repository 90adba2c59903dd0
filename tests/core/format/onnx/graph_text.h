#pragma once

#include "core/graph/graph.h"

#include <string>

namespace lemmascope::test {

/// Everything a graph says, by names instead of ids, so that two graphs can be compared as text. Constants by digest.
[[nodiscard]] std::string graphText(const Graph& graph, const std::string& indent = {});

} // namespace lemmascope::test
