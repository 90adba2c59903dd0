#pragma once

#include "core/base/result.h"
#include "core/graph/graph_tree.h"
#include "core/term/movement.h"
#include "core/term/term_store.h"

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// A condition under which an access happens: the branch of an If.
struct PathCondition {
    TermId condition;
    bool taken = true;
    friend auto operator<=>(const PathCondition&, const PathCondition&) = default;
};

/// One index tensor (or divisor, or condition) of a node that must stay in range, whether its result is used or not.
struct Access {
    /// Branch: the condition of an If whose other branch cannot run (Graph::requiredBranches); `low` = `high` = the one that can.
    enum class Kind : std::uint8_t { Read, Write, Divide, Branch } kind = Kind::Read;
    FlatNodeId node;
    TermId index; ///< integer or bool tensor: every element must satisfy the bound
    Dim low;      ///< lowest allowed
    Dim high;     ///< highest allowed; for Divide, `index` must not be 0
    std::string buffer;
    std::vector<PathCondition> path;
    bool inLoop = false; ///< the index may depend on loop parameters
};

/// The terms of one graph's values.
struct GraphTerms {
    std::vector<TermId> values; ///< by FlatValueId; invalid inside branches that a constant condition rules out
    std::vector<bool> live;     ///< by FlatNodeId: reaches an output
    std::vector<Access> accesses;
    std::map<std::string, std::uint32_t> randomNodes; ///< kind of random node -> how many
    std::vector<std::string> notes;
};

/// Builds the terms of graphs into one store, so that equal computations of two graphs become one term. Types must be
/// inferred. The meaning of each op at its opset: ONNX operator documents; forms of different opsets with one meaning become
/// one operator (resources/docs/decisions/proving.md). Ops we know nothing of become open functions of their operands.
class TermBuilder {
  public:
    explicit TermBuilder(TermStore& store) : m_store(store), m_move(store) {}

    /// `inputs`: the term of each of the top graph's inputs.
    [[nodiscard]] Result<GraphTerms> build(const GraphTree& tree, const std::vector<TermId>& inputs, std::stop_token stop = {});

    /// Values of the graph built next whose terms are given instead, whatever computes them: all that reads them sees these.
    void replace(std::map<FlatValueId, TermId> terms) { m_replaced = std::move(terms); }

    [[nodiscard]] TermStore& store() { return m_store; }
    [[nodiscard]] Movements& move() { return m_move; }

  private:
    friend class NodeTerms;
    TermStore& m_store;
    Movements m_move;
    const GraphTree* m_tree = nullptr;
    GraphTerms* m_out = nullptr;
    std::vector<PathCondition> m_path;
    std::uint32_t m_loopDepth = 0;
    std::stop_token m_stop;
    std::map<FlatValueId, TermId> m_replaced;

    void set(FlatValueId value, TermId term) {
        const auto at = m_replaced.find(value);
        m_out->values[value.index] = at == m_replaced.end() ? term : at->second;
    }
    [[nodiscard]] Result<void> buildInstance(std::uint32_t instance, const std::vector<TermId>& inputs);
    [[nodiscard]] Result<void> buildNode(std::uint32_t instance, NodeId node);
    [[nodiscard]] Result<std::vector<TermId>> buildNested(std::uint32_t parent, std::uint32_t child, const std::vector<TermId>& inputs);
};

} // namespace lemmascope
