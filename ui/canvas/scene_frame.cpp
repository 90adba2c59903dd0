// Boxes, edges and rings of a frame; scene_frame_text.cpp has the words.

#include "ui/canvas/scene_frame.h"

#include "ui/canvas/role_paint.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lemmascope {

namespace {

constexpr double DimShare = 0.35;
constexpr double DimTextShare = 0.6; ///< dimmed text must stay readable
constexpr double Corner = 3.0;
constexpr double ShortestSegment = 0.7; ///< in pixels of the picture; shorter ones are not seen
constexpr double SmallestFailing = 3.0;

} // namespace

SceneFrame::SceneFrame(QPainter& painter, const QRectF& target, const QRectF& area, const GraphScene& scene, const ResolvedOverlay& overlay,
                       const CanvasTheme& theme, const PaintOptions& options, ScenePainter& texts)
    : m_painter(painter), m_target(target), m_area(area), m_scale(target.width() / area.width()), m_scene(scene), m_overlay(overlay), m_theme(theme),
      m_options(options), m_texts(texts) {}

QRectF SceneFrame::sharp(const QRectF& rect) {
    const double left = std::round(rect.left());
    const double top = std::round(rect.top());
    return {left + 0.5, top + 0.5, std::max(1.0, std::round(rect.right()) - left), std::max(1.0, std::round(rect.bottom()) - top)};
}

QColor SceneFrame::dim(const QColor& colour, bool dimmed) const { return dimmed ? blended(colour, m_theme.background, DimShare) : colour; }

QColor SceneFrame::dimText(const QColor& colour, bool dimmed) const { return dimmed ? blended(colour, m_theme.background, DimTextShare) : colour; }

void SceneFrame::paint() {
    m_painter.setRenderHint(QPainter::Antialiasing, false);
    m_painter.fillRect(m_target, m_theme.background);
    paintContainers();
    if (m_options.detail.edges) {
        paintEdges();
    }
    // Types stand under their boxes: what is above the area may still reach into it.
    const double below = m_scene.metrics.typeStrip() + m_scene.metrics.smallLineHeight() * 2.0;
    const QRectF reach = m_area.adjusted(-8.0, -below, 8.0, 8.0);
    std::vector<std::uint32_t> items;
    if (reach.contains(m_scene.bounds) && m_scene.expandedItems.empty()) {
        items.resize(m_scene.itemCount());
        for (std::uint32_t i = 0; i < items.size(); ++i) {
            items[i] = i;
        }
    } else {
        m_scene.itemGrid.query(reach, [&](std::uint32_t item) { items.push_back(item); });
        if (m_options.detail.outlines) {
            std::sort(items.begin(), items.end()); // the order of overlaps must not depend on the grid
        }
    }
    if (!m_options.detail.outlines) {
        paintFarBoxes(items);
    } else if (!m_options.detail.text) {
        paintPlainBoxes(items);
    } else {
        m_painter.setRenderHint(QPainter::Antialiasing, m_options.detail.antialiasing);
        paintFocus();
        for (const std::uint32_t item : items) {
            paintNearBox(item);
        }
        paintSelection();
        m_painter.setRenderHint(QPainter::Antialiasing, m_options.detail.antialiasing);
        if (m_options.detail.smallText && m_options.edgeLabels != EdgeLabels::None) {
            paintTypes(items);
        }
        if (m_options.detail.smallText) {
            paintStubNames(items);
        }
        m_painter.setRenderHint(QPainter::TextAntialiasing, true);
        paintText(items);
        paintChips();
        paintMatch();
        paintHits(items);
        paintMatchTags();
        return;
    }
    paintFocus();
    paintSelection();
    paintMatch();
    paintHits(items);
}

void SceneFrame::paintContainers() {
    for (const std::uint32_t item : m_scene.expandedItems) {
        if (!GridIndex::touches(m_scene.boxes[item], m_area)) {
            continue;
        }
        const bool dimmed = m_overlay.isDimmed(item);
        const RoleStyle& style = m_theme.style(m_overlay.roles[item]);
        const QRectF box = sharp(placed(m_scene.boxes[item]));
        m_painter.setBrush(m_theme.container);
        m_painter.setPen(m_options.detail.text ? borderPen(style, dim(style.colour, dimmed)) : QPen(dim(style.colour, dimmed), 1.0));
        m_painter.drawRect(box);
        if (m_options.detail.outlines) {
            QRectF header = sharp(placed(m_scene.headerOf(item)));
            const bool filled = style.border == BorderStyle::Double && !dimmed;
            m_painter.setPen(Qt::NoPen);
            m_painter.setBrush(filled ? style.fill : dim(blended(style.colour, m_theme.background, 0.25), dimmed));
            m_painter.drawRect(header.adjusted(0.5, 0.5, -0.5, 0.0));
        }
    }
}

void SceneFrame::paintEdges() {
    std::vector<QLineF> normal;
    std::vector<QLineF> dimmedLines;
    std::vector<QLineF> thick;
    std::vector<QLineF> chosen;
    const bool arrows = m_options.detail.text;
    const double wing = std::max(2.0, 3.5 * std::min(m_scale, 1.5));
    const bool anyDimmed = !m_overlay.dimmed.empty();
    const bool anyThick = !m_overlay.thickEdges.empty();
    const auto add = [&](std::uint32_t first) {
        const QPointF a = placed(m_scene.points[first]);
        const QPointF b = placed(m_scene.points[first + 1]);
        if (std::abs(a.x() - b.x()) < ShortestSegment && std::abs(a.y() - b.y()) < ShortestSegment) {
            return;
        }
        const std::uint32_t edge = m_scene.edgeOfPoint[first];
        std::vector<QLineF>* lines = &normal;
        if (anyThick && m_overlay.thickEdges[edge] != 0) {
            lines = &thick;
        } else if (m_options.selected != NoItem && (m_scene.edgeFrom[edge] == m_options.selected || m_scene.edgeTo[edge] == m_options.selected)) {
            lines = &chosen;
        } else if (anyDimmed && (m_overlay.dimmed[m_scene.edgeFrom[edge]] != 0 || m_overlay.dimmed[m_scene.edgeTo[edge]] != 0)) {
            lines = &dimmedLines;
        }
        lines->emplace_back(a, b);
        if (arrows && m_scene.edgeStubs[edge]) {
            // A bar where it breaks off: it goes on at another place.
            const QPointF end = first == m_scene.edgePointStart[edge] ? b : a;
            lines->emplace_back(end - QPointF(wing, 0.0), end + QPointF(wing, 0.0));
        }
        if (arrows && first + 2 == m_scene.edgePointStart[edge + 1]) {
            lines->emplace_back(b, b + QPointF(-wing, -wing * 1.6));
            lines->emplace_back(b, b + QPointF(wing, -wing * 1.6));
        }
    };
    if (m_area.contains(m_scene.bounds)) {
        normal.reserve(m_scene.segments.size());
        for (const std::uint32_t first : m_scene.segments) {
            add(first);
        }
    } else {
        m_scene.segmentGrid.query(m_area, add);
    }
    m_painter.setRenderHint(QPainter::Antialiasing, m_options.detail.antialiasing);
    const auto draw = [this](const std::vector<QLineF>& lines, const QColor& colour, double width) {
        if (lines.empty()) {
            return;
        }
        QPen pen(colour, width);
        pen.setCosmetic(!m_options.detail.antialiasing); // far lines: one device pixel, drawn by the fast path
        m_painter.setPen(pen);
        m_painter.drawLines(lines.data(), static_cast<int>(lines.size()));
    };
    draw(dimmedLines, dim(m_theme.edge, true), 1.0);
    draw(normal, m_options.detail.outlines ? m_theme.edge : blended(m_theme.edge, m_theme.background, 0.5), 1.0);
    draw(chosen, m_theme.selection, m_options.detail.antialiasing ? 1.8 : 1.0);
    draw(thick, m_theme.text, m_options.detail.antialiasing ? 2.6 : 2.0);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

void SceneFrame::paintFarBoxes(const std::vector<std::uint32_t>& items) {
    // One batch per role and strength, gravest last so that nothing covers it. Faint where nothing is wrong.
    std::array<std::array<std::vector<QRect>, 2>, RoleCount> batches;
    for (const std::uint32_t item : items) {
        const Role role = m_overlay.roles[item];
        QRectF box = placed(m_scene.boxes[item]);
        if (role == Role::Failing) {
            const double grow = std::max(0.0, SmallestFailing - std::min(box.width(), box.height())) / 2.0;
            box.adjust(-grow, -grow, grow, grow);
        }
        const int left = static_cast<int>(std::floor(box.left()));
        const int top = static_cast<int>(std::floor(box.top()));
        batches[static_cast<std::size_t>(role)][m_overlay.isDimmed(item) ? 1 : 0].emplace_back(
            left, top, std::max(1, static_cast<int>(std::round(box.right())) - left), std::max(1, static_cast<int>(std::round(box.bottom())) - top));
    }
    m_painter.setPen(Qt::NoPen);
    constexpr std::array<Role, RoleCount> Order{Role::Plain,    Role::Dead,          Role::Obsolete,      Role::Shared,    Role::Changed,
                                                Role::Accepted, Role::OnlyReference, Role::OnlyRewritten, Role::Undecided, Role::Failing};
    for (const Role role : Order) {
        const bool faint = role == Role::Plain || role == Role::Dead || role == Role::Shared;
        const QColor colour = faint ? blended(m_theme.style(role).colour, m_theme.background, 0.6) : m_theme.style(role).colour;
        for (const int dimmed : {1, 0}) {
            const std::vector<QRect>& rects = batches[static_cast<std::size_t>(role)][static_cast<std::size_t>(dimmed)];
            if (!rects.empty()) {
                m_painter.setBrush(dim(colour, dimmed != 0));
                m_painter.drawRects(rects.data(), static_cast<int>(rects.size()));
            }
        }
    }
}

void SceneFrame::paintPlainBoxes(const std::vector<std::uint32_t>& items) {
    std::array<std::array<std::vector<QRectF>, 2>, RoleCount> batches;
    for (const std::uint32_t item : items) {
        batches[static_cast<std::size_t>(m_overlay.roles[item])][m_overlay.isDimmed(item) ? 1 : 0].push_back(sharp(placed(m_scene.boxes[item])));
    }
    for (std::size_t role = 0; role < RoleCount; ++role) {
        const RoleStyle& style = m_theme.roles[role];
        for (const int dimmed : {1, 0}) {
            const std::vector<QRectF>& rects = batches[role][static_cast<std::size_t>(dimmed)];
            if (rects.empty()) {
                continue;
            }
            QPen pen(dim(style.colour, dimmed != 0), style.border == BorderStyle::Solid ? 1.0 : 2.0);
            pen.setJoinStyle(Qt::MiterJoin);
            m_painter.setPen(pen);
            m_painter.setBrush(dim(style.border == BorderStyle::Double ? style.fill : blended(style.colour, m_theme.background, 0.25), dimmed != 0));
            m_painter.drawRects(rects.data(), static_cast<int>(rects.size()));
        }
    }
}

void SceneFrame::paintNearBox(std::uint32_t item) {
    const bool dimmed = m_overlay.isDimmed(item);
    const RoleStyle& style = m_theme.style(m_overlay.roles[item]);
    const QRectF box = sharp(placed(m_scene.boxes[item]));
    const QColor colour = dim(style.colour, dimmed);
    m_painter.setPen(borderPen(style, colour));
    if (isValueItem(item)) {
        const ItemKind kind = m_scene.kinds[item];
        const bool round = kind == ItemKind::Input || kind == ItemKind::Output;
        QPen pen(dim(m_theme.edge, dimmed), kind == ItemKind::Output ? 1.5 : 1.0);
        if (kind == ItemKind::Capture) {
            pen.setDashPattern({3.0, 2.0});
        }
        m_painter.setPen(pen);
        m_painter.setBrush(kind == ItemKind::Constant ? dim(blended(m_theme.text, m_theme.background, 0.08), dimmed) : m_theme.background);
        const double radius = round ? box.height() / 2.0 : Corner * m_scale;
        m_painter.drawRoundedRect(box, radius, radius);
        return;
    }
    // A failing pair is filled with the text's colour; dimmed, it keeps its double border alone, so that its text can be read.
    const bool filled = style.border == BorderStyle::Double;
    m_painter.setBrush(filled && dimmed ? m_theme.background : dim(style.fill, dimmed));
    if (m_scene.isClosed(item) && !filled && m_options.detail.smallText) {
        m_painter.drawRect(box.translated(3.0, 3.0)); // a second sheet behind: there is more inside
    }
    m_painter.drawRect(box);
    if (filled) {
        m_painter.setBrush(Qt::NoBrush);
        m_painter.drawRect(box.adjusted(-3.0, -3.0, 3.0, 3.0));
        return;
    }
    paintBadge(item, box);
}

void SceneFrame::paintBadge(std::uint32_t item, const QRectF& box) {
    const RoleStyle& style = m_theme.style(m_overlay.roles[item]);
    if (m_overlay.roles[item] == Role::Plain) {
        return;
    }
    const bool dimmed = m_overlay.isDimmed(item);
    QRectF badge = box.adjusted(1.0, 1.0, -1.0, -1.0);
    badge.setWidth(std::min(badge.width(), m_scene.metrics.badgeWidth() * m_scale));
    m_painter.fillRect(badge, dim(blended(style.colour, m_theme.background, 0.25), dimmed));
    if (style.hatch != Hatch::None && m_options.detail.smallText) {
        // Below the glyph's line, so that the glyph stays clear of it.
        const double glyphLine = (m_scene.metrics.lineHeight() + m_scene.metrics.padding()) * m_scale;
        const QRectF rest = badge.adjusted(0.0, std::min(glyphLine, badge.height()), 0.0, 0.0);
        if (rest.height() > 4.0) {
            const std::vector<QLineF> lines = hatchLines(rest, style.hatch, std::max(4.0, 5.0 * m_scale));
            m_painter.setPen(QPen(dim(style.colour, dimmed), 1.0));
            m_painter.drawLines(lines.data(), static_cast<int>(lines.size()));
        }
    }
}

void SceneFrame::ring(const QRectF& around, const QColor& colour, double width, double gap) {
    const double out = gap + width / 2.0;
    QRectF box = placed(around);
    // Seen at any zoom.
    const double grow = std::max(0.0, 6.0 - std::min(box.width(), box.height())) / 2.0;
    box.adjust(-out - grow, -out - grow, out + grow, out + grow);
    QPen pen(colour, width);
    pen.setJoinStyle(Qt::MiterJoin);
    m_painter.setPen(pen);
    m_painter.setBrush(Qt::NoBrush);
    m_painter.drawRect(box);
}

void SceneFrame::paintFocus() {
    for (const std::uint32_t item : m_overlay.focus) {
        // Around the type below the box too, so that the line does not cross it.
        const double strip = m_scene.types[item] != 0 && m_options.detail.smallText ? m_scene.metrics.typeStrip() : 0.0;
        ring(m_scene.boxes[item].adjusted(0.0, 0.0, 0.0, strip), m_theme.text, 1.5, m_options.detail.text ? 6.0 : 3.0);
    }
}

void SceneFrame::paintHits(const std::vector<std::uint32_t>& items) {
    if (m_overlay.hits.empty()) {
        return;
    }
    // Two points towards the box, one from each side, of the same size at any zoom: a form of its own, so that no colour need tell it.
    std::array<std::vector<QLineF>, 2> lines;
    const auto add = [&](std::uint32_t item) {
        const std::uint8_t how = m_overlay.hits[item];
        if (how == 0) {
            return;
        }
        const bool container = m_scene.kinds[item] == ItemKind::Container;
        const QRectF box = placed(container ? m_scene.headerOf(item) : m_scene.boxes[item]);
        const double reach = how == 2 ? 8.0 : 5.0;
        const double gap = m_options.detail.text ? 7.0 : 2.0;
        const double y = box.center().y();
        std::vector<QLineF>& into = lines[how == 2 ? 1 : 0];
        for (const double way : {-1.0, 1.0}) {
            const QPointF tip((way < 0.0 ? box.left() : box.right()) + way * gap, y);
            into.emplace_back(tip, tip + QPointF(way * reach, -reach));
            into.emplace_back(tip, tip + QPointF(way * reach, reach));
        }
    };
    for (const std::uint32_t item : m_scene.expandedItems) {
        add(item);
    }
    for (const std::uint32_t item : items) {
        add(item);
    }
    m_painter.setRenderHint(QPainter::Antialiasing, m_options.detail.antialiasing);
    for (const std::size_t how : {0U, 1U}) {
        const double width = how == 1 ? 3.5 : 2.5;
        for (const auto& [colour, broader] : {std::pair{m_theme.background, 3.0}, std::pair{m_theme.selection, 0.0}}) {
            QPen pen(colour, width + broader);
            pen.setCapStyle(Qt::RoundCap);
            pen.setJoinStyle(Qt::RoundJoin);
            m_painter.setPen(pen);
            m_painter.drawLines(lines[how].data(), static_cast<int>(lines[how].size()));
        }
    }
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

void SceneFrame::paintSelection() {
    if (m_options.selected >= m_scene.itemCount()) {
        return;
    }
    m_painter.setRenderHint(QPainter::Antialiasing, m_options.detail.antialiasing);
    const bool failing = m_overlay.roles[m_options.selected] == Role::Failing && m_options.detail.text;
    ring(m_scene.boxes[m_options.selected], m_options.hasFocus ? m_theme.selection : blended(m_theme.selection, m_theme.background, 0.6), 3.0,
         failing ? 4.0 : 2.0);
    m_painter.setRenderHint(QPainter::Antialiasing, false);
}

} // namespace lemmascope
