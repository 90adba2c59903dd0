#pragma once

#include "core/prove/check_result.h"
#include "core/term/term_builder.h"

#include <functional>
#include <vector>

namespace lemmascope {

/// What the two graphs' terms say of their nodes, before any lemma is decided: which are shared, which have a partner by name
/// with another attribute, op or type, which have none, which reach no output; with a sentence for each that is not shared.
[[nodiscard]] Correspondence correspondenceOf(const GraphTree& reference, const GraphTree& rewritten, const GraphTerms& referenceTerms,
                                              const GraphTerms& rewrittenTerms);

/// For a node without a partner: the node of the other side that stands for the nearest one downstream that has a partner, which is what
/// it was fused into or goes into. Invalid when there is none, or when the node has a partner. Linear in the tree.
[[nodiscard]] FlatNodeId takenUpBy(const GraphTree& tree, const Correspondence& correspondence, Side side, FlatNodeId node);

/// For a value, the nodes between it and what both graphs share, nearest first, at most `limit`.
[[nodiscard]] std::vector<FlatNodeId> differingCone(const GraphTree& tree, const Correspondence& correspondence, Side side, FlatValueId from,
                                                    std::size_t limit);

/// How two nodes at one place differ, in words: `axis is -1, rewritten 1`; `attribute` names the first attribute that differs.
struct NodeDifference {
    std::string text;
    std::string attribute;
};
[[nodiscard]] NodeDifference nodeDifference(const Node& reference, const Node& rewritten);

/// The value's producer, and the values it reads through nested graphs: for walks upwards.
[[nodiscard]] std::vector<FlatValueId> operandsOf(const GraphTree& tree, FlatNodeId node);
[[nodiscard]] FlatNodeId producerOf(const GraphTree& tree, FlatValueId value);

} // namespace lemmascope
