#pragma once

#include "core/base/result.h"
#include "core/graph/graph_tree.h"
#include "core/prove/check_result.h"

#include <QString>

#include <array>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lemmascope {

/// A node of one side, or an input or constant of its top graph; one of the two ids is valid, or none.
struct PlaceId {
    Side side = Side::Reference;
    FlatNodeId node;
    FlatValueId value;

    [[nodiscard]] bool isValid() const { return node.isValid() || value.isValid(); }
    friend bool operator==(const PlaceId&, const PlaceId&) = default;
};

/// Case folded UTF-8, for comparing without case.
[[nodiscard]] std::string foldedText(std::string_view text);

/// Everything of both graphs that a reader can look for: inputs, constants that something reads, and nodes of any depth in their order,
/// reference first, with names folded once so that a search over 100,000 of them takes milliseconds. Immutable.
class NodeIndex {
  public:
    /// Either tree may be null. Fails with Cancelled.
    [[nodiscard]] static Result<std::shared_ptr<const NodeIndex>> build(std::shared_ptr<const GraphTree> reference,
                                                                        std::shared_ptr<const GraphTree> rewritten, std::stop_token stop = {});

    [[nodiscard]] std::size_t count() const { return m_places.size(); }
    /// Entries before this one are the reference's.
    [[nodiscard]] std::size_t firstRewritten() const { return m_firstRewritten; }
    [[nodiscard]] const PlaceId& place(std::size_t entry) const { return m_places[entry]; }
    /// The entry of a place; count() if it has none.
    [[nodiscard]] std::size_t entryOf(const PlaceId& place) const;
    /// Folded path, then the names of its results, each on a line of its own.
    [[nodiscard]] std::string_view foldedNames(std::size_t entry) const;
    /// Folded path alone.
    [[nodiscard]] std::string_view foldedPath(std::size_t entry) const;
    [[nodiscard]] std::uint32_t op(std::size_t entry) const { return m_ops[entry]; }
    /// By `op`: as the file writes it, `MatMul`, `com.microsoft.FusedMatMul`; `input` and `constant` for those.
    [[nodiscard]] const std::vector<QString>& opNames() const { return m_opNames; }
    [[nodiscard]] const std::vector<std::string>& foldedOps() const { return m_foldedOps; }

    [[nodiscard]] const GraphTree* tree(Side side) const { return m_trees[static_cast<std::size_t>(side)].get(); }
    [[nodiscard]] const std::shared_ptr<const GraphTree>& sharedTree(Side side) const { return m_trees[static_cast<std::size_t>(side)]; }
    [[nodiscard]] QString opName(std::size_t entry) const { return m_opNames[m_ops[entry]]; }
    /// `encoder/attn/MatMul_3`, or the value's name.
    [[nodiscard]] QString name(std::size_t entry) const;
    /// The values an entry gives: a node's results, or the value itself.
    [[nodiscard]] std::vector<FlatValueId> resultsOf(std::size_t entry) const;

  private:
    [[nodiscard]] bool addSide(Side side, const std::stop_token& stop);
    void add(const PlaceId& place, const std::string& path, std::string_view results, std::uint32_t op);
    [[nodiscard]] std::uint32_t opIndex(const std::string& text, std::unordered_map<std::string, std::uint32_t>& known);

    std::array<std::shared_ptr<const GraphTree>, 2> m_trees;
    std::vector<PlaceId> m_places;
    std::size_t m_firstRewritten = 0;
    std::array<std::size_t, 2> m_firstNode{}; ///< entry of node 0 of each side
    std::string m_names;
    std::vector<std::size_t> m_nameStart; ///< count + 1
    std::vector<std::uint32_t> m_pathLength;
    std::vector<std::uint32_t> m_ops;
    std::vector<QString> m_opNames;
    std::vector<std::string> m_foldedOps;
    std::array<std::vector<std::pair<std::uint32_t, std::uint32_t>>, 2> m_values; ///< by value, sorted: its entry
    std::unordered_map<std::string, std::uint32_t> m_knownOps;
};

} // namespace lemmascope
