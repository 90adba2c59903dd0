#pragma once

#include "core/graph/graph.h"

#include <map>
#include <string>

namespace lemmascope {

/// A node's attributes with ONNX's defaults filled in, for where nodes are compared as they stand: writers leave a default out or write it, as
/// they like. Ops not in the table, and attributes without a default, stay as they are. Source: the ONNX operator documents.
[[nodiscard]] std::map<std::string, Attribute> withOnnxDefaults(const OpId& op, std::map<std::string, Attribute> attributes);

} // namespace lemmascope
