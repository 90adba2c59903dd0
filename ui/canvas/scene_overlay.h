#pragma once

#include "core/graph/graph_tree.h"
#include "core/prove/check_result.h"
#include "ui/canvas/palette.h"

#include <QString>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace lemmascope {

/// A value shown on the edges that carry it.
struct ValueChip {
    FlatValueId value;
    QString text;                 ///< a scalar, or a one-line tensor summary
    bool differs = false;         ///< drawn with ≠ in front
    bool firstDifference = false; ///< the first edge where the two sides differ
    friend bool operator==(const ValueChip&, const ValueChip&) = default;
};

/// What a search found on one side. No role: marked by signs beside the boxes, whatever their colours say.
struct CanvasHits {
    std::vector<FlatNodeId> nodes;
    std::vector<FlatValueId> values; ///< inputs and constants
    FlatNodeId currentNode;          ///< the one that was gone to
    FlatValueId currentValue;
    friend bool operator==(const CanvasHits&, const CanvasHits&) = default;
};

/// What a pattern took of one side, or is at. No role: its nodes are outlined together, each with a tag, whatever their colours say.
struct CanvasMatch {
    struct Mark {
        FlatNodeId node;   ///< part of what was matched
        FlatValueId value; ///< or, with no node, an input or constant that a name holds
        QString tag;       ///< `2 ?q`; short
        friend bool operator==(const Mark&, const Mark&) = default;
    };
    std::vector<Mark> marks;
    FlatNodeId currentNode; ///< where the matcher is
    FlatValueId currentValue;
    bool fits = true; ///< false: what is there is not what the pattern wants
    friend bool operator==(const CanvasMatch&, const CanvasMatch&) = default;
};

/// Everything about a scene that changes without a new layout. Cheap to copy and to replace.
struct SceneOverlay {
    std::vector<Role> roles; ///< by FlatNodeId; shorter or empty: Plain
    /// What the roles mean, for tooltips and screen readers; may be absent.
    std::shared_ptr<const Correspondence> correspondence;
    std::shared_ptr<const GraphTree> other; ///< the other side's tree, to name partners
    std::vector<QString> lemmaIds;          ///< by index in CheckResult::lemmas; absent ones are shown as L1, L2 ...
    /// Nodes that stay at full strength; all others are dimmed to 35 %. Empty: nothing is dimmed.
    std::vector<FlatNodeId> lit;
    std::vector<FlatNodeId> focus; ///< the pair being looked at: an outer ring
    std::vector<ValueChip> chips;
    bool obsolete = false; ///< the files have changed since: all roles are drawn as Obsolete
};

/// The role of each node of one side.
[[nodiscard]] std::vector<Role> rolesOf(const Correspondence& correspondence, Side side);

/// Roles, reasons and lemma names of one side of a finished check.
[[nodiscard]] SceneOverlay overlayOf(const std::shared_ptr<const CheckResult>& result, Side side);
/// The same while lemmas are still being decided.
[[nodiscard]] SceneOverlay overlayOf(const std::shared_ptr<const Correspondence>& correspondence, const std::shared_ptr<const GraphTree>& other,
                                     Side side);
/// Adds what a failing lemma shows: its nodes and pair lit and focused.
void focusLemma(SceneOverlay& overlay, const LemmaResult& lemma, Side side, const GraphTree& tree);
/// Adds the values on the way of a counterexample as chips.
void showValues(SceneOverlay& overlay, const Counterexample& counterexample, Side side);

/// `0.9993`; `f32[2,3] 0 … 7`; short enough for a chip.
[[nodiscard]] QString valueSummary(const Tensor& tensor);

} // namespace lemmascope
