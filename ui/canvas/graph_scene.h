#pragma once

#include "core/graph/graph_tree.h"
#include "core/graph/groups.h"
#include "core/prove/check_result.h"
#include "ui/canvas/grid_index.h"

#include <QPointF>
#include <QRectF>
#include <QString>

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace lemmascope {

inline constexpr std::uint32_t NoItem = 0xFFFFFFFFU;

enum class ItemKind : std::uint8_t {
    Node,
    Input,    ///< of the top graph or of an expanded body
    Constant, ///< a stored tensor that something reads
    Output,
    Capture,   ///< an outer value read inside an expanded body
    Container, ///< a node whose nested graphs are drawn inside it
    Collapsed, ///< a node whose nested graphs are hidden; shows how many nodes they have
    OpenGroup, ///< a group of nodes with what is in it
    Group      ///< a group of nodes drawn as one; shows how many there are
};

/// Text and box measures, all at 100 % zoom. Made on the GUI thread (`metricsFor`), used anywhere.
struct SceneMetrics {
    double titlePixels = 13.0;
    double smallPixels = 11.0;

    [[nodiscard]] double lineHeight() const { return titlePixels * 1.35; }
    [[nodiscard]] double smallLineHeight() const { return smallPixels * 1.35; }
    [[nodiscard]] double padding() const { return titlePixels * 0.4; }
    [[nodiscard]] double badgeWidth() const { return titlePixels * 1.5; }
    [[nodiscard]] double headerHeight() const { return titlePixels * 1.9; }
    /// Room under a box for the type of its results.
    [[nodiscard]] double typeStrip() const { return smallLineHeight() + 5.0; }
    friend bool operator==(const SceneMetrics&, const SceneMetrics&) = default;
};

/// One graph, placed: what a canvas paints, hit-tests and reads aloud. Flat arrays, one entry per item or edge; immutable once
/// shared. What may change without a new layout (roles, dimming, values) is in SceneOverlay. Coordinates are pixels at 100 %
/// zoom, y downwards, origin at the top left of the drawing.
struct GraphScene {
    Side side = Side::Reference;
    std::shared_ptr<const GraphTree> tree;
    SceneMetrics metrics;

    // Items.
    std::vector<ItemKind> kinds;
    std::vector<QRectF> boxes;
    std::vector<FlatNodeId> nodes;         ///< invalid for inputs, constants, outputs, captures and groups
    std::vector<FlatValueId> values;       ///< of inputs, constants, outputs and captures; invalid for others
    std::vector<std::uint32_t> groups;     ///< index into `nodeGroups` of groups; NodeGroup::None for others
    std::vector<std::uint32_t> containers; ///< item of the box around it; NoItem at the top
    std::vector<std::uint32_t> titles;     ///< operator, or the value's name; an index into `strings`, where 0 is empty
    std::vector<std::uint32_t> details;    ///< key attributes, or the value's type or elements
    std::vector<std::uint32_t> names;      ///< the node's own name
    std::vector<std::uint32_t> types;      ///< type of its results, written under the box
    std::vector<std::uint32_t> nestedCounts;
    std::vector<std::uint32_t> hiddenProducers; ///< operands whose producers are not in the scene (a focus region)
    std::vector<std::uint32_t> hiddenConsumers;
    std::vector<QString> strings;
    std::shared_ptr<const NodeGroups> nodeGroups; ///< null: nothing is grouped

    // Edges, each a polyline from the bottom of `edgeFrom` to the top of `edgeTo`.
    std::vector<std::uint32_t> edgeFrom;
    std::vector<std::uint32_t> edgeTo;
    std::vector<FlatValueId> edgeValues;
    std::vector<std::uint32_t> edgeOperands;   ///< which operand of `edgeTo` it is
    std::vector<bool> edgeStubs;               ///< only its two ends are drawn
    std::vector<std::uint32_t> edgePointStart; ///< edge count + 1
    std::vector<QPointF> points;
    std::vector<std::uint32_t> segments;    ///< index into `points` of the first point of each drawn segment
    std::vector<std::uint32_t> edgeOfPoint; ///< by point

    // Adjacency, in operand order and in reader order.
    std::vector<std::uint32_t> inStart, inEdges;
    std::vector<std::uint32_t> outStart, outEdges;

    std::vector<std::uint32_t> itemOfGroup;   ///< by node group; NoItem when it is inside a closed one or on the other side
    std::vector<std::uint32_t> hiddenIn;      ///< by top-level node: the item of the closed group it is in, or NoItem; empty without groups
    std::vector<std::uint32_t> itemOfNode;    ///< by FlatNodeId; NoItem when it has none of its own
    std::vector<std::uint32_t> itemOfValue;   ///< by FlatValueId: the item it comes out of; NoItem if not in the scene
    std::vector<std::uint32_t> expandedItems; ///< open boxes, outermost first
    struct Caption {
        QRectF box;
        std::uint32_t text = 0;
    };
    std::vector<Caption> captions; ///< `then_branch`, `else_branch` above the drawings inside a container

    QRectF bounds;
    std::size_t hiddenNodes = 0; ///< nodes of the tree that have no item
    GridIndex itemGrid;          ///< of `boxes`, containers left out
    GridIndex segmentGrid;       ///< of `segments`, keyed by first point

    [[nodiscard]] std::size_t itemCount() const { return kinds.size(); }
    [[nodiscard]] std::size_t edgeCount() const { return edgeFrom.size(); }
    [[nodiscard]] std::span<const QPointF> edgePoints(std::uint32_t edge) const;
    [[nodiscard]] std::span<const std::uint32_t> edgesInto(std::uint32_t item) const;
    [[nodiscard]] std::span<const std::uint32_t> edgesOutOf(std::uint32_t item) const;
    [[nodiscard]] const QString& string(std::uint32_t index) const { return strings[index]; }
    [[nodiscard]] bool isGroup(std::uint32_t item) const { return groups[item] != NodeGroup::None; }
    /// A box around what it holds.
    [[nodiscard]] bool isOpen(std::uint32_t item) const { return kinds[item] == ItemKind::Container || kinds[item] == ItemKind::OpenGroup; }
    /// One box for more than one node.
    [[nodiscard]] bool isClosed(std::uint32_t item) const { return kinds[item] == ItemKind::Collapsed || kinds[item] == ItemKind::Group; }
    /// The node's own item, or that of the collapsed node or closed group it is hidden in; NoItem when the scene leaves it out.
    [[nodiscard]] std::uint32_t visibleItem(FlatNodeId node) const;
    /// The innermost item at a point; containers count only on their header line. NoItem on empty canvas.
    [[nodiscard]] std::uint32_t itemAt(const QPointF& point) const;
    /// Nearest edge within `reach`; its index, or NoItem.
    [[nodiscard]] std::uint32_t edgeAt(const QPointF& point, double reach) const;
    /// Items that touch `area`, containers included, in index order.
    [[nodiscard]] std::vector<std::uint32_t> itemsIn(const QRectF& area) const;
    /// Header line of an expanded container.
    [[nodiscard]] QRectF headerOf(std::uint32_t item) const;
    /// `⊞ 12`: the sign that opens or closes a node with nested graphs; empty for others.
    [[nodiscard]] QString signText(std::uint32_t item) const;
    [[nodiscard]] QRectF signBox(std::uint32_t item) const;
};

} // namespace lemmascope
