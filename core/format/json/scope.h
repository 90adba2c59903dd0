#pragma once

#include "core/format/json/json_fields.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace lemmascope::json {

/// Where a name was defined: an entry of one of a graph's lists, or an outer value that a subgraph reads.
enum class Origin : std::uint8_t { Input, Constant, Table, Node, Outer };

/// A table while a graph is read: writes make new values, and the name means the latest.
struct Table {
    ValueId current;
    std::uint32_t versions = 0; ///< writes so far
    TensorType type;
};

/// A subgraph of the node that is being read, and where it goes.
struct PendingGraph {
    static constexpr std::size_t Single = ~std::size_t{0};
    std::string attribute;       ///< empty: the body
    std::size_t item = Single;   ///< position in a list of graphs
    std::size_t listLength = 0;  ///< of that list
    std::optional<Value> source; ///< nothing for a list that is empty
};

/// One graph under construction: what its names mean at the point that has been reached.
class Scope {
  public:
    Scope(std::shared_ptr<Graph> graph, Scope* outer) : m_graph(std::move(graph)), m_outer(outer) {}

    [[nodiscard]] Graph& graph() { return *m_graph; }
    [[nodiscard]] const std::shared_ptr<Graph>& graphShared() const { return m_graph; }

    /// Tells which nodes will follow; later definitions are looked up there for messages and unused names.
    void setNodes(std::vector<Value> nodes) { m_nodes = std::move(nodes); }
    [[nodiscard]] const std::vector<Value>& nodes() const { return m_nodes; }
    [[nodiscard]] std::size_t position() const { return m_position; }
    void advance() { ++m_position; }

    /// Gives `name` its one meaning. Reports a name that has one already.
    void define(const std::string& name, ValueId value, Origin origin, std::size_t index, std::size_t offset, Problem& problem);
    void addTable(const std::string& name, Table table) { m_tables.emplace(name, std::move(table)); }
    [[nodiscard]] Table* findTable(const std::string& name);
    /// Makes `value` what the table's name means from here on.
    void setVersion(const std::string& name, ValueId value);

    /// The value that a name stands for here, captured from outer graphs where it must be. Reports `what 'x': unknown name`, with
    /// what is known: a later definition, a cycle, a similar name.
    [[nodiscard]] ValueId resolve(const std::string& name, std::string_view what, std::size_t offset, Problem& problem);
    /// What the name stands for, if it is a result of one of this graph's nodes.
    [[nodiscard]] std::optional<ValueId> nodeResult(const std::string& name) const;

    /// A value's name made from `base` that no name of the file and no other made name equals.
    [[nodiscard]] std::string freshName(const std::string& base);
    /// The constant i64 vector, shared by all forms of this graph that need it.
    [[nodiscard]] ValueId indexConstant(const std::vector<std::int64_t>& values);

  private:
    struct Binding {
        ValueId value;
        Origin origin = Origin::Node;
        std::uint32_t index = 0;
    };
    [[nodiscard]] std::string unknownText(const std::string& name);
    [[nodiscard]] std::optional<std::size_t> definingNode(const std::string& name);
    [[nodiscard]] bool reaches(std::size_t from, std::size_t to);
    void collectDefinitions();

    std::shared_ptr<Graph> m_graph;
    Scope* m_outer; ///< nullptr: the top graph, or a fused body, which sees only its inputs
    std::vector<Value> m_nodes;
    std::size_t m_position = 0;
    std::unordered_map<std::string, Binding> m_names;
    std::unordered_map<std::string, Table> m_tables;
    std::optional<std::unordered_map<std::string, std::size_t>> m_definitions; ///< results of all nodes, made when first asked for
    std::unordered_map<std::string, std::uint32_t> m_freshCounts;
    std::unordered_set<std::string> m_freshNames;
    std::map<std::vector<std::int64_t>, ValueId> m_indexConstants;
};

} // namespace lemmascope::json
