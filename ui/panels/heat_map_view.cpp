#include "ui/panels/heat_map_view.h"

#include "core/report/element_text.h"
#include "ui/views/text.h"

#include <QAccessible>
#include <QHelpEvent>
#include <QImage>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>
#include <cmath>

namespace lemmascope {

namespace {

constexpr int Margin = 4;
constexpr int BorderedCell = 9; ///< pixels: from here on cells have a border and a hatch
constexpr int LargestCell = 28; ///< pixels: a small slice is not blown up past this
constexpr std::array<double, HeatClassCount> Shares{0.0, 0.22, 0.40, 0.58, 0.78, 1.0, 1.0};

} // namespace

HeatMapView::HeatMapView(QWidget* parent) : QWidget(parent) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Heat map"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
    m_theme = CanvasTheme::fromPalette(palette());
}

void HeatMapView::setMap(std::shared_ptr<const HeatMap> map, const QString& emptyText) {
    m_map = std::move(map);
    m_emptyText = emptyText;
    m_cursor = {0, 0};
    if (m_map && m_current) {
        m_cursor = m_map->gridOf(m_current->first, m_current->second);
    }
    tellCurrent();
    update();
}

void HeatMapView::setCurrent(std::optional<std::pair<std::int64_t, std::int64_t>> place) {
    m_current = place;
    if (m_map && m_current) {
        m_cursor = m_map->gridOf(m_current->first, m_current->second);
    }
    update();
}

int HeatMapView::mostRows() const { return std::max(8, (height() - 2 * Margin - legendHeight(width())) / SmallestCell); }

int HeatMapView::mostColumns() const { return std::max(8, (width() - 2 * Margin) / SmallestCell); }

QString HeatMapView::className(HeatClass kind) const {
    if (m_map && !m_map->ofDifference) {
        switch (kind) {
        case HeatClass::None: return tr("0");
        case HeatClass::Least: return tr("under 0.1 %");
        case HeatClass::Little: return tr("under 1 %");
        case HeatClass::Middle: return tr("under 10 %");
        case HeatClass::Much: return tr("under 50 %");
        case HeatClass::Most: return tr("up to %1").arg(m_map->largest, 0, 'g', 4);
        case HeatClass::Odd: return tr("NaN or infinite");
        }
    }
    switch (kind) {
    case HeatClass::None: return tr("equal");
    case HeatClass::Least: return tr("1 ulp");
    case HeatClass::Little: return tr("to 15");
    case HeatClass::Middle: return tr("to 1,023");
    case HeatClass::Much: return tr("under 2^20");
    case HeatClass::Most: return tr("more");
    case HeatClass::Odd: return tr("no distance");
    }
    return {};
}

QRect HeatMapView::mapRect() const {
    const QRect room = rect().adjusted(Margin, Margin, -Margin, -Margin - legendHeight(width()));
    if (!m_map || m_map->rows == 0 || m_map->columns == 0 || room.width() < m_map->columns || room.height() < m_map->rows) {
        return room.isValid() ? QRect(room.topLeft(), QSize(std::max(1, room.width()), std::max(1, room.height()))) : QRect();
    }
    // Square cells while they are few; then whatever fills the room.
    const int side = std::min({room.width() / m_map->columns, room.height() / m_map->rows, LargestCell});
    const bool pooled = m_map->columns < m_map->sliceColumns || m_map->rows < m_map->sliceRows;
    return pooled || side < SmallestCell ? room : QRect(room.topLeft(), QSize(side * m_map->columns, side * m_map->rows));
}

QRect HeatMapView::cellRect(int row, int column) const {
    const QRect all = mapRect();
    if (!m_map || m_map->rows == 0 || m_map->columns == 0) {
        return {};
    }
    const auto edge = [](int at, int length, int cells) { return static_cast<int>(static_cast<qint64>(at) * length / cells); };
    const int left = edge(column, all.width(), m_map->columns);
    const int top = edge(row, all.height(), m_map->rows);
    return {all.left() + left, all.top() + top, edge(column + 1, all.width(), m_map->columns) - left, edge(row + 1, all.height(), m_map->rows) - top};
}

QColor HeatMapView::colourOf(HeatClass kind) const {
    const bool difference = m_map && m_map->ofDifference;
    const QColor full = kind == HeatClass::Odd || !difference ? m_theme.text : m_theme.style(Role::Changed).colour;
    return blended(full, m_theme.background, Shares[static_cast<std::size_t>(kind)]);
}

void HeatMapView::paintCell(QPainter& painter, const QRect& cell, HeatClass kind) const {
    const bool large = cell.width() >= BorderedCell && cell.height() >= BorderedCell;
    painter.fillRect(cell, colourOf(kind));
    if (!large) {
        return;
    }
    if (kind == HeatClass::Odd) {
        painter.setPen(QPen(m_theme.background, 1.5));
        painter.drawLine(cell.topLeft() + QPoint(2, 2), cell.bottomRight() - QPoint(2, 2));
        painter.drawLine(cell.topRight() + QPoint(-2, 2), cell.bottomLeft() + QPoint(2, -2));
    } else if (kind != HeatClass::None && m_map && m_map->ofDifference) {
        // Denser from class to class: a reader without colours sees the same.
        const Qt::BrushStyle hatch = kind <= HeatClass::Little   ? Qt::FDiagPattern
                                     : kind == HeatClass::Middle ? Qt::DiagCrossPattern
                                     : kind == HeatClass::Much   ? Qt::Dense5Pattern
                                                                 : Qt::Dense4Pattern;
        QColor ink = contrast(colourOf(kind), m_theme.text) >= contrast(colourOf(kind), m_theme.background) ? m_theme.text : m_theme.background;
        ink.setAlphaF(0.55F);
        painter.fillRect(cell.adjusted(1, 1, -1, -1), QBrush(ink, hatch));
        painter.setPen(QPen(m_theme.text, 1.0));
        painter.drawRect(cell.adjusted(0, 0, -1, -1));
        return;
    }
    painter.setPen(QPen(m_theme.edge, 1.0));
    painter.drawRect(cell.adjusted(0, 0, -1, -1));
}

int HeatMapView::legendHeight(int width) const {
    return m_map ? layOutLegend(nullptr, QRect(Margin, 0, std::max(1, width - 2 * Margin), 0)) + Margin : 0;
}

int HeatMapView::layOutLegend(QPainter* painter, const QRect& room) const {
    const QFontMetrics metrics(font());
    const int line = metrics.height() + 2;
    const int swatch = std::max(BorderedCell + 1, metrics.ascent());
    int x = room.left();
    int y = room.top();
    for (std::size_t i = 0; i < HeatClassCount; ++i) {
        const auto kind = static_cast<HeatClass>(i);
        const QString text = className(kind);
        const int width = swatch + 4 + metrics.horizontalAdvance(text) + 10;
        if (x > room.left() && x + width > room.right() + 10) {
            x = room.left();
            y += line;
        }
        if (painter != nullptr) {
            paintCell(*painter, QRect(x, y + (line - swatch) / 2, swatch, swatch), kind);
            painter->setPen(palette().color(QPalette::Text));
            painter->drawText(QRect(x + swatch + 4, y, width, line), Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        x += width;
    }
    return y + line - room.top();
}

void HeatMapView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.background);
    if (!m_map) {
        painter.setPen(m_theme.mutedText);
        painter.drawText(rect().adjusted(8, 8, -8, -8), static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, m_emptyText);
    } else {
        paintCells(painter);
        painter.setPen(QPen(m_theme.edge, 1.0));
        painter.drawRect(mapRect().adjusted(-1, -1, 0, 0));
        if (m_map->rows > 0 && m_map->columns > 0 && (m_current || hasFocus())) {
            const QRect ring = cellRect(m_cursor.first, m_cursor.second).adjusted(-2, -2, 1, 1);
            painter.setPen(QPen(m_theme.background, 4.0));
            painter.drawRect(ring);
            painter.setPen(QPen(m_theme.selection, hasFocus() ? 3.0 : 2.0));
            painter.drawRect(ring);
        }
        const int legend = legendHeight(width());
        layOutLegend(&painter, QRect(Margin, height() - legend, std::max(1, width() - 2 * Margin), legend));
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.selection, 1.0));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void HeatMapView::paintCells(QPainter& painter) const {
    if (m_map->rows == 0 || m_map->columns == 0) {
        return;
    }
    const QRect all = mapRect();
    if (all.width() / m_map->columns >= BorderedCell && all.height() / m_map->rows >= BorderedCell) {
        for (int row = 0; row < m_map->rows; ++row) {
            for (int column = 0; column < m_map->columns; ++column) {
                paintCell(painter, cellRect(row, column), m_map->at(row, column));
            }
        }
        return;
    }
    // Thousands of plain cells: one picture, a pixel each.
    std::array<QRgb, HeatClassCount> colours{};
    for (std::size_t i = 0; i < HeatClassCount; ++i) {
        colours[i] = colourOf(static_cast<HeatClass>(i)).rgb();
    }
    QImage image(m_map->columns, m_map->rows, QImage::Format_RGB32);
    for (int row = 0; row < m_map->rows; ++row) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
        for (int column = 0; column < m_map->columns; ++column) {
            line[column] = colours[static_cast<std::size_t>(m_map->at(row, column))];
        }
    }
    painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
    painter.drawImage(all, image);
}

std::optional<std::pair<int, int>> HeatMapView::cellAt(const QPoint& point) const {
    const QRect all = mapRect();
    if (!m_map || m_map->rows == 0 || m_map->columns == 0 || !all.contains(point)) {
        return std::nullopt;
    }
    auto row = static_cast<int>(static_cast<qint64>(point.y() - all.top()) * m_map->rows / all.height());
    auto column = static_cast<int>(static_cast<qint64>(point.x() - all.left()) * m_map->columns / all.width());
    // The edges of cells are rounded down: a pixel may belong to the next.
    row += row + 1 < m_map->rows && cellRect(row + 1, 0).top() <= point.y() ? 1 : 0;
    column += column + 1 < m_map->columns && cellRect(0, column + 1).left() <= point.x() ? 1 : 0;
    return std::pair(std::min(row, m_map->rows - 1), std::min(column, m_map->columns - 1));
}

QString HeatMapView::cellText(int row, int column) const {
    const CellRange range = m_map->cellsOf(row, column);
    const QString kind = className(m_map->at(row, column));
    if (range.rows == 1 && range.columns == 1) {
        return tr("row %1, column %2: %3").arg(range.firstRow).arg(range.firstColumn).arg(kind);
    }
    return tr("rows %1 to %2, columns %3 to %4, at most: %5")
        .arg(range.firstRow)
        .arg(range.firstRow + range.rows - 1)
        .arg(range.firstColumn)
        .arg(range.firstColumn + range.columns - 1)
        .arg(kind);
}

void HeatMapView::tellCurrent() {
    QString text = m_emptyText;
    if (m_map && m_map->rows > 0 && m_map->columns > 0) {
        text = cellText(m_cursor.first, m_cursor.second);
    }
    setAccessibleDescription(text);
}

void HeatMapView::mousePressEvent(QMouseEvent* event) {
    if (const auto cell = event->button() == Qt::LeftButton ? cellAt(event->pos()) : std::nullopt) {
        m_cursor = *cell;
        tellCurrent();
        update();
        Q_EMIT cellChosen(cell->first, cell->second);
    }
}

void HeatMapView::keyPressEvent(QKeyEvent* event) {
    if (!m_map || m_map->rows == 0 || m_map->columns == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    auto [row, column] = m_cursor;
    switch (event->key()) {
    case Qt::Key_Left: --column; break;
    case Qt::Key_Right: ++column; break;
    case Qt::Key_Up: --row; break;
    case Qt::Key_Down: ++row; break;
    case Qt::Key_Home: column = 0; break;
    case Qt::Key_End: column = m_map->columns - 1; break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: Q_EMIT cellChosen(m_cursor.first, m_cursor.second); return;
    default: QWidget::keyPressEvent(event); return;
    }
    m_cursor = {std::clamp(row, 0, m_map->rows - 1), std::clamp(column, 0, m_map->columns - 1)};
    tellCurrent();
    update();
}

void HeatMapView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (m_map && (std::min<std::int64_t>(m_map->sliceRows, mostRows()) != m_map->rows ||
                  std::min<std::int64_t>(m_map->sliceColumns, mostColumns()) != m_map->columns)) {
        Q_EMIT roomChanged();
    }
}

void HeatMapView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void HeatMapView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool HeatMapView::event(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange) {
        m_theme = CanvasTheme::fromPalette(palette());
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const auto cell = cellAt(help->pos())) {
            QToolTip::showText(help->globalPos(), cellText(cell->first, cell->second), this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

QSize HeatMapView::sizeHint() const { return {fontMetrics().averageCharWidth() * 45, fontMetrics().height() * 10}; }

QSize HeatMapView::minimumSizeHint() const { return {fontMetrics().averageCharWidth() * 16, fontMetrics().height() * 3}; }

} // namespace lemmascope
