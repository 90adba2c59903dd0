#include "ui/panels/cell_map_view.h"

#include "ui/views/text.h"

#include <QHelpEvent>
#include <QImage>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

constexpr int Margin = 4;
constexpr int BorderedCell = 8; ///< pixels: from here on cells have borders
constexpr int LargestCell = 26; ///< pixels: a small array is not blown up past this

int edge(int at, int length, int cells) { return static_cast<int>(static_cast<qint64>(at) * length / std::max(1, cells)); }

} // namespace

QString cellStateText(CellState state) {
    switch (state) {
    case CellState::Same: return CellMapView::tr("same term");
    case CellState::Proved: return CellMapView::tr("proved equal");
    case CellState::Undecided: return CellMapView::tr("undecided");
    case CellState::Unproved: return CellMapView::tr("not proved");
    case CellState::Unwritten: return CellMapView::tr("left unwritten");
    case CellState::Differs: return CellMapView::tr("differs");
    }
    return {};
}

CellMapView::CellMapView(QWidget* parent) : QWidget(parent), m_theme(CanvasTheme::fromPalette(palette())) {
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Map of the cells"));
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void CellMapView::setMap(std::shared_ptr<const OutputMap> map, std::uint64_t slice, const QString& emptyText) {
    m_map = std::move(map);
    m_slice = slice;
    m_emptyText = emptyText;
    m_cell = 0;
    setAccessibleDescription(m_map ? toQString(m_map->summary()) : emptyText);
    pool();
    update();
}

void CellMapView::setCell(std::uint64_t cell) {
    m_cell = cell;
    if (m_map) {
        setAccessibleDescription(describe(cell));
    }
    update();
}

void CellMapView::pool() {
    if (m_map) {
        const QRect room = rect().adjusted(Margin, Margin, -Margin, -Margin - layOutLegend(nullptr, QRect(Margin, 0, width() - 2 * Margin, 0)));
        m_pool = pooled(*m_map, m_slice, std::max(1, room.height() / SmallestCell), std::max(1, room.width() / SmallestCell));
    }
}

QRect CellMapView::mapRect() const {
    const QRect room =
        rect().adjusted(Margin, Margin, -Margin, -2 * Margin - layOutLegend(nullptr, QRect(Margin, 0, std::max(1, width() - 2 * Margin), 0)));
    if (!m_map || m_pool.rows == 0 || m_pool.columns == 0) {
        return {};
    }
    const int across = std::min(room.width() / m_pool.columns, LargestCell);
    int down = std::min(room.height() / m_pool.rows, LargestCell);
    if (std::min(across, down) < SmallestCell) {
        return room;
    }
    // Squares, but for long rows of narrow cells, which would be a thread.
    constexpr int LowestRow = 16;
    down = std::min(down, std::max(across, LowestRow));
    return {room.topLeft(), QSize(std::min(across, std::max(down, LowestRow)) * m_pool.columns, down * m_pool.rows)};
}

QRect CellMapView::boxRect(int row, int column) const {
    const QRect all = mapRect();
    const int left = edge(column, all.width(), m_pool.columns);
    const int top = edge(row, all.height(), m_pool.rows);
    return {all.left() + left, all.top() + top, edge(column + 1, all.width(), m_pool.columns) - left, edge(row + 1, all.height(), m_pool.rows) - top};
}

QRect CellMapView::cellRect(std::uint64_t cell) const {
    if (!m_map || m_pool.rows == 0 || m_pool.columns == 0) {
        return {};
    }
    const std::uint64_t inside = cell % (m_map->rows() * m_map->columns());
    return boxRect(m_pool.rowOf(inside / m_map->columns()), m_pool.columnOf(inside % m_map->columns()));
}

std::optional<std::pair<int, int>> CellMapView::boxAt(const QPoint& point) const {
    const QRect all = mapRect();
    if (!all.contains(point)) {
        return std::nullopt;
    }
    auto row = static_cast<int>(static_cast<qint64>(point.y() - all.top()) * m_pool.rows / all.height());
    auto column = static_cast<int>(static_cast<qint64>(point.x() - all.left()) * m_pool.columns / all.width());
    row += row + 1 < m_pool.rows && boxRect(row + 1, 0).top() <= point.y() ? 1 : 0;
    column += column + 1 < m_pool.columns && boxRect(0, column + 1).left() <= point.x() ? 1 : 0;
    return std::pair(std::min(row, m_pool.rows - 1), std::min(column, m_pool.columns - 1));
}

std::uint64_t CellMapView::cellOf(int row, int column) const {
    const auto [firstRow, rows] = m_pool.rowRange(row);
    const auto [firstColumn, columns] = m_pool.columnRange(column);
    const std::uint64_t base = m_slice * m_map->rows() * m_map->columns();
    const CellState worst = m_pool.at(row, column);
    constexpr std::uint64_t Most = 100'000; // cells of one square that are looked at
    std::uint64_t looked = 0;
    for (std::uint64_t r = firstRow; r < firstRow + rows && worst != CellState::Same; ++r) {
        for (std::uint64_t c = firstColumn; c < firstColumn + columns && ++looked < Most; ++c) {
            if (m_map->at(base + r * m_map->columns() + c) == worst) {
                return base + r * m_map->columns() + c;
            }
        }
    }
    return base + firstRow * m_map->columns() + firstColumn;
}

QString CellMapView::describe(std::uint64_t cell) const {
    return QStringLiteral("%1: %2").arg(toQString(m_map->cellText(cell)), cellStateText(m_map->at(cell)));
}

void CellMapView::paintBox(QPainter& painter, const QRect& rect, CellState state) const {
    const RoleStyle& style = m_theme.style(roleOf(state));
    const bool plain = state == CellState::Same;
    painter.fillRect(rect, plain ? m_theme.background : style.fill);
    if (rect.width() < BorderedCell || rect.height() < BorderedCell) {
        if (!plain) {
            painter.fillRect(rect, style.colour);
        }
        return;
    }
    painter.setPen(QPen(plain ? m_theme.edge : style.colour, state == CellState::Differs ? 2.0 : 1.0));
    painter.drawRect(rect.adjusted(0, 0, -1, -1));
    if (!plain) {
        QFont small = font();
        small.setPixelSize(std::max(7, std::min(rect.width(), rect.height()) - 4));
        painter.setFont(small);
        painter.setPen(style.text);
        painter.drawText(rect, Qt::AlignCenter, glyph(roleOf(state)));
        painter.setFont(font());
    }
}

int CellMapView::layOutLegend(QPainter* painter, const QRect& room) const {
    if (!m_map) {
        return 0;
    }
    const QFontMetrics metrics(font());
    const int line = metrics.height() + 3;
    const int swatch = metrics.height();
    int x = room.left();
    int y = room.top();
    for (std::size_t i = 0; i < CellStateCount; ++i) {
        const auto state = static_cast<CellState>(i);
        if (m_map->count(state) == 0) {
            continue;
        }
        const QString text = tr("%1: %2").arg(cellStateText(state)).arg(m_map->count(state));
        const int width = swatch + 4 + metrics.horizontalAdvance(text) + 12;
        if (x > room.left() && x + width > room.right() + 12) {
            x = room.left();
            y += line;
        }
        if (painter != nullptr) {
            paintBox(*painter, QRect(x, y + (line - swatch) / 2, swatch, swatch), state);
            painter->setPen(palette().color(QPalette::Text));
            painter->drawText(QRect(x + swatch + 4, y, width, line), Qt::AlignLeft | Qt::AlignVCenter, text);
        }
        x += width;
    }
    return y + line - room.top();
}

void CellMapView::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.fillRect(rect(), m_theme.background);
    if (!m_map || m_pool.rows == 0 || m_pool.columns == 0) {
        painter.setPen(m_theme.mutedText);
        painter.drawText(rect().adjusted(8, 8, -8, -8), static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, m_emptyText);
    } else {
        const QRect all = mapRect();
        if (all.width() / m_pool.columns >= BorderedCell && all.height() / m_pool.rows >= BorderedCell) {
            for (int row = 0; row < m_pool.rows; ++row) {
                for (int column = 0; column < m_pool.columns; ++column) {
                    paintBox(painter, boxRect(row, column), m_pool.at(row, column));
                }
            }
        } else {
            // Thousands of plain cells: one picture, a pixel each.
            std::array<QRgb, CellStateCount> colours{};
            for (std::size_t i = 0; i < CellStateCount; ++i) {
                const auto state = static_cast<CellState>(i);
                colours[i] = (state == CellState::Same ? m_theme.background : m_theme.style(roleOf(state)).colour).rgb();
            }
            QImage image(m_pool.columns, m_pool.rows, QImage::Format_RGB32);
            for (int row = 0; row < m_pool.rows; ++row) {
                auto* line = reinterpret_cast<QRgb*>(image.scanLine(row));
                for (int column = 0; column < m_pool.columns; ++column) {
                    line[column] = colours[static_cast<std::size_t>(m_pool.at(row, column))];
                }
            }
            painter.setRenderHint(QPainter::SmoothPixmapTransform, false);
            painter.drawImage(all, image);
        }
        painter.setPen(QPen(m_theme.edge, 1.0));
        painter.drawRect(all.adjusted(-1, -1, 0, 0));
        if (m_cell / std::max<std::uint64_t>(1, m_map->rows() * m_map->columns()) == m_slice) {
            const QRect ring = cellRect(m_cell).adjusted(-2, -2, 1, 1);
            painter.setPen(QPen(m_theme.background, 4.0));
            painter.drawRect(ring);
            painter.setPen(QPen(m_theme.selection, hasFocus() ? 3.0 : 2.0));
            painter.drawRect(ring);
        }
        const QRect room(Margin, 0, std::max(1, width() - 2 * Margin), 0);
        layOutLegend(&painter, room.translated(0, height() - Margin - layOutLegend(nullptr, room)));
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.selection, 1.0));
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

void CellMapView::choose(std::uint64_t cell) {
    setCell(cell);
    Q_EMIT cellChosen(cell);
}

void CellMapView::mousePressEvent(QMouseEvent* event) {
    if (const auto box = event->button() == Qt::LeftButton && m_map ? boxAt(event->pos()) : std::nullopt) {
        choose(cellOf(box->first, box->second));
    }
}

void CellMapView::keyPressEvent(QKeyEvent* event) {
    if (!m_map || m_pool.rows == 0 || m_pool.columns == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    const std::uint64_t perSlice = m_map->rows() * m_map->columns();
    std::uint64_t row = m_cell % perSlice / m_map->columns();
    std::uint64_t column = m_cell % m_map->columns();
    switch (event->key()) {
    case Qt::Key_Left: column -= column > 0 ? 1 : 0; break;
    case Qt::Key_Right: column += column + 1 < m_map->columns() ? 1 : 0; break;
    case Qt::Key_Up: row -= row > 0 ? 1 : 0; break;
    case Qt::Key_Down: row += row + 1 < m_map->rows() ? 1 : 0; break;
    case Qt::Key_Home: column = 0; break;
    case Qt::Key_End: column = m_map->columns() - 1; break;
    case Qt::Key_N:
        if (const auto next = m_map->next(m_cell, event->modifiers().testFlag(Qt::ShiftModifier))) {
            choose(*next);
        }
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: choose(m_cell); return;
    default: QWidget::keyPressEvent(event); return;
    }
    choose(m_slice * perSlice + row * m_map->columns() + column);
}

void CellMapView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    pool();
}

void CellMapView::focusInEvent(QFocusEvent* event) {
    QWidget::focusInEvent(event);
    update();
}

void CellMapView::focusOutEvent(QFocusEvent* event) {
    QWidget::focusOutEvent(event);
    update();
}

bool CellMapView::event(QEvent* event) {
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::ApplicationPaletteChange) {
        m_theme = CanvasTheme::fromPalette(palette());
        update();
    }
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        if (const auto box = m_map ? boxAt(help->pos()) : std::nullopt) {
            QToolTip::showText(help->globalPos(), describe(cellOf(box->first, box->second)), this);
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QWidget::event(event);
}

QSize CellMapView::sizeHint() const { return {fontMetrics().averageCharWidth() * 36, fontMetrics().height() * 12}; }

QSize CellMapView::minimumSizeHint() const { return {fontMetrics().averageCharWidth() * 12, fontMetrics().height() * 3}; }

} // namespace lemmascope
