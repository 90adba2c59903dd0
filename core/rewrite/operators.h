#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/match/pattern.h"
#include "core/match/static_check.h"
#include "core/match/value.h"

#include <string>
#include <vector>

namespace lemmascope::rewrite {

/// The operator that a replacement names, as a graph with these opsets has it: ONNX's by its own spelling, the version in force; a domain that
/// the graph does not import yet in the version written, else in the newest one known. Fails where ONNX has no such operator, or another one
/// than the version written means; without a place.
[[nodiscard]] Result<OpId> operatorOf(const match::OperatorName& written, const Graph& graph);

/// An attribute's value as the operator wants it: floats and integers by kind, element types as ONNX's numbers. Fails where it has no value
/// that fits; without a place.
[[nodiscard]] Result<Attribute> attributeOf(const OpId& op, const std::string& name, const match::FactValue& value);

/// What can be told of the replacements of a file before anything is matched: errors for operators or attributes that ONNX does not have, and
/// for another number of operands than they take; warnings for unknown ones of domains that are known, where something known is near. `user`:
/// definitions of ops that count too; may be null.
[[nodiscard]] std::vector<match::Finding> checkReplacements(const match::RuleFile& file, const DefinitionLibrary* user = nullptr);

} // namespace lemmascope::rewrite
