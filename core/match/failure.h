#pragma once

#include "core/match/machine.h"

#include <string>

namespace lemmascope::match {

/// Why a branch failed, in a few words, without a place: `op: want matmul, got add`, `conflict x: already relu(a), now relu(b)`,
/// `guard false: rank(?x)=2`.
[[nodiscard]] std::string shortReason(const MatchProgram& program, const Subject& subject, const FailureRecord& record);

/// The same in words for a reader of the graph: which node, what was expected, what is there; values of a guard's operands; what helps.
[[nodiscard]] std::string reasonInWords(const MatchProgram& program, const Subject& subject, const FailureRecord& record);

/// What the binding holds, as its term, operator, value or list.
[[nodiscard]] std::string bindingText(const Subject& subject, const Binding& binding);

/// The node that a failure is about, in the subject's words; empty when it is about none.
[[nodiscard]] std::string failedNode(const Subject& subject, const FailureRecord& record);

} // namespace lemmascope::match
