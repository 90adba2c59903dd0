#pragma once

#include "core/format/mlir/lower/body.h"

namespace lemmascope::ir {

/// An op of a dialect nobody knows, on numbers, vectors and small tensors: its results are functions of all of its operands' elements,
/// named after the op, its attributes and types. False for one with regions, memrefs, tokens, or without a result.
bool lowerOpen(Body& body, OperationId op);
/// The same under another name: a call of a function without a body.
bool lowerOpenAs(Body& body, OperationId op, std::string name);

/// An attribute as text that is equal for equal attributes.
[[nodiscard]] std::string attributeText(const Module& module, const Attribute& attribute);

} // namespace lemmascope::ir
