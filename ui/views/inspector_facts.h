#pragma once

#include "core/prove/check_result.h"
#include "ui/models/fact_table_model.h"

#include <QString>

#include <cstddef>

namespace lemmascope {

/// Two nodes side by side: path, op, attributes, operands, results. Rows that differ are emphasised. Either tree may be null
/// and either node invalid: its column says `none`.
[[nodiscard]] FactTable nodePairFacts(const GraphTree* reference, FlatNodeId referenceNode, const GraphTree* rewritten, FlatNodeId rewrittenNode);
/// A graph input, constant or other value of each side.
[[nodiscard]] FactTable valuePairFacts(const GraphTree* reference, FlatValueId referenceValue, const GraphTree* rewritten,
                                       FlatValueId rewrittenValue);
/// What is known of a lemma: verdict, reason, rung, strength, outputs, digest.
[[nodiscard]] FactTable lemmaFacts(const CheckResult& result, std::size_t lemma);
/// `Softmax s (reference): changed against its partner. axis is 1 here and -1 there.`
[[nodiscard]] QString relationSentence(const Correspondence* correspondence, const GraphTree& tree, FlatNodeId node, Side side);
/// An attribute as the file would write it; large tensors as type and first elements.
[[nodiscard]] QString attributeSummary(const Attribute& attribute);

} // namespace lemmascope
