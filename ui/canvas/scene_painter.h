#pragma once

#include "ui/canvas/graph_scene.h"
#include "ui/canvas/palette.h"
#include "ui/canvas/scene_overlay.h"

#include <QFont>
#include <QHash>
#include <QRectF>
#include <QStaticText>

#include <array>
#include <cstdint>
#include <vector>

class QPainter;

namespace lemmascope {

enum class EdgeLabels : std::uint8_t { None, Types, Names };

/// An overlay looked up for each item and edge of one scene.
struct ResolvedOverlay {
    std::vector<Role> roles;          ///< by item; a collapsed node shows the gravest role inside it
    std::vector<std::uint8_t> dimmed; ///< by item, 0 or 1; empty: none
    std::vector<std::uint32_t> focus;
    struct Chip {
        std::uint32_t item = NoItem; ///< stands under this item
        QString text;
        bool differs = false;
        bool first = false;
    };
    /// What closed items hide: how many nodes of each role.
    struct Inside {
        std::uint32_t item = NoItem;
        std::array<std::uint32_t, RoleCount> counts{};
    };
    std::vector<Inside> inside;           ///< in item order
    std::vector<Chip> chips;              ///< in item order
    std::vector<std::uint8_t> thickEdges; ///< by edge: carries a value that is shown; empty: none

    /// What a pattern took.
    struct Marked {
        std::uint32_t item = NoItem;
        QString tag;
        bool inside = false; ///< of the outline
    };
    std::vector<Marked> marked; ///< in item order, each once
    std::uint32_t currentMark = NoItem;
    bool currentFits = true;

    std::vector<std::uint8_t> hits; ///< by item: 1 found, 2 the one that was gone to; empty: none

    /// `✗ 1  ~ 2  = 31`, the gravest first: what a closed item hides; empty for others and before there are marks.
    [[nodiscard]] QString insideText(std::uint32_t item) const;
    [[nodiscard]] bool isDimmed(std::uint32_t item) const { return !dimmed.empty() && dimmed[item] != 0; }
};
[[nodiscard]] ResolvedOverlay resolve(const SceneOverlay& overlay, const GraphScene& scene);
/// By item: 1 for what was found, 2 for the current hit; a closed node stands for what is inside it. Empty where the scene shows none.
[[nodiscard]] std::vector<std::uint8_t> resolveHits(const CanvasHits& hits, const GraphScene& scene);
/// Fills in `marked` and the current mark; a closed item stands for what is inside it.
void resolveMatch(ResolvedOverlay& resolved, const CanvasMatch& match, const GraphScene& scene);

/// How much is drawn at a scale; the rest is left out so that a frame costs about the same at any zoom.
struct LevelOfDetail {
    static constexpr double SmallText = 0.55; ///< names, attributes, types; titles from `Text`
    static constexpr double Text = 0.35;
    static constexpr double Outlines = 0.15;
    static constexpr double Edges = 0.06;
    static constexpr double Antialiasing = 0.4;

    bool smallText = true;
    bool text = true;
    bool outlines = true;
    bool edges = true;
    bool antialiasing = true;

    [[nodiscard]] static LevelOfDetail at(double scale) {
        return {scale >= SmallText, scale >= Text, scale >= Outlines, scale >= Edges, scale > Antialiasing};
    }
    /// For pictures and print: everything, whatever the scale.
    [[nodiscard]] static LevelOfDetail full() { return {}; }
};

struct PaintOptions {
    EdgeLabels edgeLabels = EdgeLabels::Types;
    std::uint32_t selected = NoItem;
    bool hasFocus = false;
    LevelOfDetail detail;
    QFont font; ///< family and style; sizes are the scene's
};

/// Paints scenes. Keeps shaped text between frames; one per widget, GUI thread.
class ScenePainter {
  public:
    /// Paints `area` of the scene so that it fills `target` (of the same proportions) in the painter's current coordinates.
    void paint(QPainter& painter, const QRectF& target, const QRectF& area, const GraphScene& scene, const ResolvedOverlay& overlay,
               const CanvasTheme& theme, const PaintOptions& options);

    enum class FontKind : std::uint8_t { Title, Small, Glyph };
    /// `text` shaped in one line and cut to `room` scene pixels; kept for the next frame.
    [[nodiscard]] const QStaticText& shaped(const QString& text, FontKind kind, double room);
    /// Where each chip of an overlay stands, in scene coordinates, in the overlay's order: wider than its item at times.
    struct PlacedChip {
        QString text;
        FontKind kind = FontKind::Small;
        QRectF box;
    };
    [[nodiscard]] std::vector<PlacedChip> placedChips(const GraphScene& scene, const ResolvedOverlay& overlay, const QFont& base);
    [[nodiscard]] const QFont& font(FontKind kind) const { return m_fonts[static_cast<std::size_t>(kind)]; }

  private:
    void setFonts(const QFont& base, const SceneMetrics& metrics);

    struct TextKey {
        QString text;
        int room = 0;
        int kind = 0;
        friend bool operator==(const TextKey&, const TextKey&) = default;
        friend size_t qHash(const TextKey& key, size_t seed = 0) noexcept { return qHashMulti(seed, key.text, key.room, key.kind); }
    };
    QHash<TextKey, QStaticText> m_texts;
    std::array<QFont, 3> m_fonts;
    SceneMetrics m_metrics;
    QFont m_base;
    bool m_hasFonts = false;
};

} // namespace lemmascope
