// One frame: background, boxes of open nodes, edges, boxes, text, rings. Positions are worked out here in the painter's own
// coordinates, so that pens keep their width at any zoom and the screen, SVG and PDF share every line of this; only text is
// drawn under a scaled transform, where its width grows exactly with the scale.

#include "ui/canvas/scene_painter.h"

#include "ui/canvas/scene_frame.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr qsizetype MostTexts = 20'000;

int gravity(Role role) {
    switch (role) {
    case Role::Failing: return 5;
    case Role::Undecided: return 4;
    case Role::Changed: return 3;
    case Role::Accepted: return 2;
    case Role::OnlyReference:
    case Role::OnlyRewritten: return 2;
    case Role::Shared: return 1;
    case Role::Plain:
    case Role::Obsolete:
    case Role::Dead: return 0;
    }
    return 0;
}

void resolveRoles(ResolvedOverlay& resolved, const SceneOverlay& overlay, const GraphScene& scene) {
    resolved.roles.assign(scene.itemCount(), Role::Plain);
    std::vector<std::uint32_t> insideOf; // by item; made when the first is needed
    const std::size_t known = std::min(overlay.roles.size(), scene.itemOfNode.size());
    for (std::size_t n = 0; n < known; ++n) {
        const Role role = overlay.obsolete ? Role::Obsolete : overlay.roles[n];
        const std::uint32_t own = scene.itemOfNode[n];
        if (own != NoItem) {
            // Nested nodes follow their parents' ids, so what a collapsed node holds raises it after this.
            resolved.roles[own] = role;
            continue;
        }
        const std::uint32_t around = scene.visibleItem(FlatNodeId(n));
        if (around == NoItem) {
            continue;
        }
        if (gravity(role) > gravity(resolved.roles[around])) {
            resolved.roles[around] = role;
        }
        insideOf.resize(scene.itemCount(), NoItem);
        if (insideOf[around] == NoItem) {
            insideOf[around] = static_cast<std::uint32_t>(resolved.inside.size());
            resolved.inside.push_back({around, {}});
        }
        ++resolved.inside[insideOf[around]].counts[static_cast<std::size_t>(role)];
    }
    std::sort(resolved.inside.begin(), resolved.inside.end(), [](const auto& a, const auto& b) { return a.item < b.item; });
}

void resolveDimming(ResolvedOverlay& resolved, const SceneOverlay& overlay, const GraphScene& scene) {
    if (overlay.lit.empty()) {
        return;
    }
    std::vector<std::uint8_t> lit(scene.itemCount(), 0);
    bool any = false;
    for (const FlatNodeId node : overlay.lit) {
        const std::uint32_t item = scene.visibleItem(node);
        if (item != NoItem) {
            lit[item] = 1;
            any = true;
        }
    }
    if (!any) {
        return; // what is lit is on the other side only: this side is all context, and stays readable
    }
    resolved.dimmed.assign(scene.itemCount(), 1);
    for (std::uint32_t i = 0; i < scene.itemCount(); ++i) {
        if (lit[i] == 0) {
            continue;
        }
        resolved.dimmed[i] = 0;
        for (std::uint32_t around = scene.containers[i]; around != NoItem; around = scene.containers[around]) {
            resolved.dimmed[around] = 0;
        }
        // What a lit node reads and gives is part of its meaning.
        for (const std::uint32_t edge : scene.edgesInto(i)) {
            resolved.dimmed[scene.edgeFrom[edge]] = scene.nodes[scene.edgeFrom[edge]].isValid() ? resolved.dimmed[scene.edgeFrom[edge]] : 0;
        }
        for (const std::uint32_t edge : scene.edgesOutOf(i)) {
            resolved.dimmed[scene.edgeTo[edge]] = scene.nodes[scene.edgeTo[edge]].isValid() ? resolved.dimmed[scene.edgeTo[edge]] : 0;
        }
    }
}

} // namespace

QString ResolvedOverlay::insideText(std::uint32_t item) const {
    const auto at =
        std::lower_bound(inside.begin(), inside.end(), item, [](const Inside& entry, std::uint32_t wanted) { return entry.item < wanted; });
    QString text;
    if (at == inside.end() || at->item != item) {
        return text;
    }
    for (const Role role : {Role::Failing, Role::Undecided, Role::Changed, Role::OnlyReference, Role::OnlyRewritten, Role::Accepted, Role::Shared,
                            Role::Obsolete, Role::Dead}) {
        if (const std::uint32_t count = at->counts[static_cast<std::size_t>(role)]; count > 0) {
            text += (text.isEmpty() ? QString() : QStringLiteral("  ")) + glyph(role) + QLatin1Char(' ') + QString::number(count);
        }
    }
    return text;
}

ResolvedOverlay resolve(const SceneOverlay& overlay, const GraphScene& scene) {
    ResolvedOverlay resolved;
    resolveRoles(resolved, overlay, scene);
    resolveDimming(resolved, overlay, scene);
    for (const FlatNodeId node : overlay.focus) {
        const std::uint32_t item = scene.visibleItem(node);
        if (item != NoItem && std::find(resolved.focus.begin(), resolved.focus.end(), item) == resolved.focus.end()) {
            resolved.focus.push_back(item);
        }
    }
    if (overlay.chips.empty()) {
        return resolved;
    }
    resolved.thickEdges.assign(scene.edgeCount(), 0);
    for (const ValueChip& chip : overlay.chips) {
        if (!chip.value.isValid() || chip.value.index >= scene.itemOfValue.size() || scene.itemOfValue[chip.value.index] == NoItem) {
            continue;
        }
        const std::uint32_t item = scene.itemOfValue[chip.value.index];
        resolved.chips.push_back({item, chip.text, chip.differs, chip.firstDifference});
        for (const std::uint32_t edge : scene.edgesOutOf(item)) {
            if (scene.edgeValues[edge] == chip.value) {
                resolved.thickEdges[edge] = 1;
            }
        }
    }
    std::stable_sort(resolved.chips.begin(), resolved.chips.end(), [](const auto& a, const auto& b) { return a.item < b.item; });
    return resolved;
}

std::vector<std::uint8_t> resolveHits(const CanvasHits& hits, const GraphScene& scene) {
    std::vector<std::uint8_t> found;
    const auto mark = [&](std::uint32_t item, std::uint8_t how) {
        if (item == NoItem) {
            return;
        }
        if (found.empty()) {
            found.assign(scene.itemCount(), 0);
        }
        found[item] = std::max(found[item], how);
    };
    const auto itemOf = [&scene](FlatValueId value) {
        return value.isValid() && value.index < scene.itemOfValue.size() ? scene.itemOfValue[value.index] : NoItem;
    };
    const auto shown = [&scene](FlatNodeId node) {
        return node.isValid() && node.index < scene.itemOfNode.size() ? scene.visibleItem(node) : NoItem;
    };
    for (const FlatNodeId node : hits.nodes) {
        mark(shown(node), 1);
    }
    for (const FlatValueId value : hits.values) {
        mark(itemOf(value), 1);
    }
    mark(shown(hits.currentNode), 2);
    mark(itemOf(hits.currentValue), 2);
    return found;
}

void ScenePainter::setFonts(const QFont& base, const SceneMetrics& metrics) {
    if (m_hasFonts && base == m_base && metrics == m_metrics) {
        return;
    }
    m_hasFonts = true;
    m_base = base;
    m_metrics = metrics;
    m_texts.clear();
    for (QFont& font : m_fonts) {
        font = base;
        font.setPixelSize(std::max(1, qRound(metrics.titlePixels)));
        font.setWeight(QFont::Normal);
        // Glyphs are scaled with the view: hinted widths would not be.
        font.setHintingPreference(QFont::PreferNoHinting);
    }
    m_fonts[static_cast<std::size_t>(FontKind::Title)].setWeight(QFont::Bold);
    m_fonts[static_cast<std::size_t>(FontKind::Glyph)].setWeight(QFont::Bold);
    m_fonts[static_cast<std::size_t>(FontKind::Small)].setPixelSize(std::max(1, qRound(metrics.smallPixels)));
}

const QStaticText& ScenePainter::shaped(const QString& text, FontKind kind, double room) {
    const TextKey key{text, qRound(room), static_cast<int>(kind)};
    const auto at = m_texts.constFind(key);
    if (at != m_texts.constEnd()) {
        return *at;
    }
    if (m_texts.size() >= MostTexts) {
        m_texts.clear();
    }
    const QFontMetricsF metrics(font(kind));
    QStaticText shapedText(metrics.horizontalAdvance(text) <= room ? text : metrics.elidedText(text, Qt::ElideMiddle, room));
    shapedText.setTextFormat(Qt::PlainText);
    shapedText.setPerformanceHint(QStaticText::AggressiveCaching);
    shapedText.prepare(QTransform(), font(kind));
    return *m_texts.insert(key, shapedText);
}

std::vector<ScenePainter::PlacedChip> ScenePainter::placedChips(const GraphScene& scene, const ResolvedOverlay& overlay, const QFont& base) {
    setFonts(base, scene.metrics);
    const SceneMetrics& metrics = scene.metrics;
    const double height = metrics.smallLineHeight() + 2.0;
    std::vector<PlacedChip> placed;
    placed.reserve(overlay.chips.size());
    std::uint32_t previous = NoItem;
    double y = 0.0;
    for (const ResolvedOverlay::Chip& chip : overlay.chips) {
        const QRectF& box = scene.boxes[chip.item];
        // Several results of one node: one chip under the other.
        y = chip.item == previous ? y + height + 2.0 : box.bottom() + (scene.types[chip.item] != 0 ? metrics.typeStrip() : 0.0) + 3.0;
        previous = chip.item;
        QString text = chip.differs ? QStringLiteral("\u2260 ") + chip.text : chip.text;
        if (chip.first) {
            text += QStringLiteral(" \u2190");
        }
        const FontKind kind = chip.first ? FontKind::Glyph : FontKind::Small;
        const double room = std::max(box.width(), metrics.titlePixels * (chip.first ? 36.0 : 11.0));
        const double width = shaped(text, kind, room).size().width() + metrics.padding() * 2.0;
        placed.push_back({std::move(text), kind, QRectF(box.center().x() - width / 2.0, y, width, chip.first ? height + 2.0 : height)});
    }
    return placed;
}

void ScenePainter::paint(QPainter& painter, const QRectF& target, const QRectF& area, const GraphScene& scene, const ResolvedOverlay& overlay,
                         const CanvasTheme& theme, const PaintOptions& options) {
    if (target.isEmpty() || area.isEmpty()) {
        return;
    }
    setFonts(options.font, scene.metrics);
    painter.save();
    painter.setClipRect(target, Qt::IntersectClip);
    SceneFrame frame(painter, target, area, scene, overlay, theme, options, *this);
    frame.paint();
    painter.restore();
}

} // namespace lemmascope
