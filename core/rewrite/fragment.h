#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/match/graph_subject.h"

#include <cstdint>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

// A replacement by itself, before it is put into the graph that was matched.
namespace lemmascope::rewrite {

/// A small typed graph. Its values are of two kinds: those that stand for values of the matched graph (inputs, or constants where they are
/// constants there), and those made here. Its outputs are what replaces the root, result by result.
struct Fragment {
    Graph graph;
    std::vector<ValueId> outer; ///< by value: which one of the matched graph it stands for; invalid: made here
    std::size_t folded = 0;     ///< nodes that were computed instead of made
    bool typeInDoubt = false;   ///< whether an output has the type of what it replaces is seen in the whole graph only

    [[nodiscard]] bool isOuter(ValueId value) const { return outer[value.index].isValid(); }
};

struct FragmentOptions {
    bool fold = true;                                    ///< nodes whose operands are all constants are computed
    std::int64_t maxFoldedBytes = std::int64_t{1} << 28; ///< of one result; a larger one is left to the graph
    std::uint64_t maxFoldOperations = std::uint64_t{1} << 32U;
    std::size_t maxNodes = 10'000;
    std::stop_token stop;
};

/// Makes a fragment node by node: each is typed by inference as it is added, and computed where that is wanted and possible.
class FragmentBuilder {
  public:
    FragmentBuilder(const Graph& matched, FragmentOptions options);

    [[nodiscard]] const Fragment& fragment() const { return m_fragment; }
    [[nodiscard]] const Value& value(ValueId id) const { return m_fragment.graph.value(id); }
    /// The value that stands for one of the matched graph, always the same one.
    [[nodiscard]] ValueId outer(ValueId id);
    [[nodiscard]] ValueId constant(Tensor tensor);
    /// The results of a new node, `resultCount` of them; operands may be invalid (left out). Fails where inference refuses the node, without a
    /// place: the operator's name and what is wrong. Nothing is added then.
    [[nodiscard]] Result<std::vector<ValueId>> node(Node node, std::size_t resultCount);
    /// The finished fragment: these outputs and what they need, typed as a whole.
    [[nodiscard]] Result<Fragment> take(const std::vector<ValueId>& outputs);

  private:
    [[nodiscard]] Graph alone(const Node& node, std::size_t resultCount) const;
    [[nodiscard]] std::vector<Tensor> folded(const Graph& graph);

    const Graph& m_matched;
    FragmentOptions m_options;
    Fragment m_fragment;
    std::map<ValueId, ValueId> m_outer;
    std::size_t m_made = 0;
};

} // namespace lemmascope::rewrite
