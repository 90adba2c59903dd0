#pragma once

#include "core/graph/graph.h"
#include "core/match/static_check.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope::match {

/// Attributes that an operator has in the version written, else in any version; nothing where its meaning is not known. `user`: definitions
/// that count too; may be null. The texts live as long as the program, or as `user`.
[[nodiscard]] std::optional<std::vector<std::string_view>> knownAttributes(const OperatorName& op, const DefinitionLibrary* user);

/// Warnings for what patterns name and no operator has, with the nearest spelling: operators with operands that ONNX does not know, attributes
/// that an operator of ONNX does not have, in guards too; of other domains only where something known is near. `graph`: what it calls by such
/// a name, or has definitions for, is known; null: small terms and graphs may still have anything.
[[nodiscard]] std::vector<Finding> unknownNames(const RuleFile& file, const Graph* graph = nullptr);

/// `it has alpha, beta, transA`; `it has none`.
[[nodiscard]] std::string attributesInWords(const std::vector<std::string_view>& known);

/// Warnings for patterns of a file with rules that no rule uses: they are not matched.
[[nodiscard]] std::vector<Finding> unusedPatterns(const RuleFile& file);

} // namespace lemmascope::match
