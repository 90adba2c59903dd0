#pragma once

#include "core/graph/graph.h"

#include <array>
#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// By what the nodes of a pair of graphs are put together.
enum class Grouping : std::uint8_t {
    None,
    Scopes, ///< common prefixes of names: `/layer.0/attention/`; with dots where names have no slashes
    Blocks, ///< parts that repeat one after the other
    Shared  ///< regions of nodes that both graphs share
};

/// Nodes of both top graphs that are drawn as one. A group stands on the sides where it has nodes.
struct NodeGroup {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;
    enum class Kind : std::uint8_t { Scope, Block, Shared, Part };
    Kind kind = Kind::Scope;
    std::string name;         ///< a scope's path; empty for the others
    std::uint32_t number = 0; ///< which block or part it is, from 1; which piece of its scope, from 1, where that had to be split, else 0
    std::uint32_t of = 0;     ///< how many there are
    std::string key;          ///< names it over reloads; unique
    std::uint32_t parent = None;
    std::array<std::uint32_t, 2> count{}; ///< nodes in it at any depth: of the reference, of the rewritten graph
};

/// Groups within groups; parents stand before their children. Drawing any of them as one node makes no cycle, on either side
/// nor in the graph of both sides in which partners are one node; so partners can stand level.
struct NodeGroups {
    static constexpr std::size_t MostChildren = 1'000; ///< a group with more is divided into parts of as many
    static constexpr std::size_t FewestNodes = 3;      ///< smaller groups are not made

    std::vector<NodeGroup> groups;
    std::array<std::vector<std::uint32_t>, 2> groupOf; ///< by node of the reference or rewritten top graph: its innermost group, or None

    /// Innermost group of a node; None also where nothing is known of it.
    [[nodiscard]] std::uint32_t of(std::size_t side, std::size_t node) const {
        return node < groupOf[side].size() ? groupOf[side][node] : NodeGroup::None;
    }
    /// Whether `group` is `ancestor` or lies in it.
    [[nodiscard]] bool isWithin(std::uint32_t group, std::uint32_t ancestor) const;
};

/// What findGroups looks at: both top graphs and what is known of their nodes.
struct GroupedPair {
    const Graph* reference = nullptr; ///< null: there is no such side
    const Graph* rewritten = nullptr;
    std::vector<std::uint32_t> partner; ///< by reference node: the rewritten one, or NodeGroup::None; may be shorter
    std::vector<bool> shared;           ///< by reference node: it and its partner are the same; may be shorter
};

/// Partners are in the same group, but where both sides order them differently. A group through which no single piece could be
/// drawn (a path leaves it and comes back) is split where it has to be. The same input gives the same groups; n log n. Stopped:
/// no groups.
[[nodiscard]] NodeGroups findGroups(const GroupedPair& pair, Grouping grouping, const std::stop_token& stop = {});

} // namespace lemmascope
