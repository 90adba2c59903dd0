#include "ui/panels/timeline_view.h"

#include "ui/models/schedule_model.h"
#include "ui/views/text.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollBar>
#include <QToolTip>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

void drawArrow(QPainter& painter, const QPointF& from, const QPointF& to) {
    painter.drawLine(from, to);
    const QLineF line(to, from);
    if (line.length() < 4) {
        return;
    }
    constexpr double Head = 6.0;
    for (const double turn : {25.0, -25.0}) {
        QLineF wing = line;
        wing.setLength(Head);
        wing.setAngle(line.angle() + turn);
        painter.drawLine(wing);
    }
}

} // namespace

TimelineView::TimelineView(QWidget* parent) : QAbstractScrollArea(parent), m_theme(CanvasTheme::fromPalette(palette())) {
    setFocusPolicy(Qt::StrongFocus);
    setFrameShape(NoFrame);
    setAccessibleName(tr("Time line of the tasks"));
    viewport()->setAccessibleName(tr("Time line"));
}

void TimelineView::setSchedule(std::shared_ptr<const Schedule> schedule, const QString& emptyText) {
    m_schedule = std::move(schedule);
    m_emptyText = emptyText;
    m_step = 0;
    m_states.clear();
    setAccessibleDescription(m_schedule ? QString() : emptyText);
    updateBars();
    if (m_schedule && !m_schedule->steps.empty()) {
        setStep(m_schedule->decisive());
    }
    viewport()->update();
}

void TimelineView::setStep(std::size_t step) {
    if (!m_schedule || step >= m_schedule->steps.size()) {
        return;
    }
    m_step = step;
    m_states = m_schedule->statesAt(step);
    const ScheduleStep& now = m_schedule->steps[step];
    setAccessibleDescription(tr("step %1 of %2, %3: %4")
                                 .arg(step + 1)
                                 .arg(m_schedule->steps.size())
                                 .arg(toQString(m_schedule->tasks[now.task].name), toQString(now.text)));
    showStep();
    viewport()->update();
}

int TimelineView::headerWidth() const {
    constexpr std::size_t Looked = 200; // names are alike
    int width = fontMetrics().averageCharWidth() * 10;
    for (std::size_t i = 0; m_schedule && i < std::min(m_schedule->tasks.size(), Looked); ++i) {
        width = std::max(width, fontMetrics().horizontalAdvance(toQString(m_schedule->tasks[i].name)));
    }
    return std::min(width + 2 * fontMetrics().height() + 12, std::max(80, viewport()->width() * 2 / 5));
}

QPointF TimelineView::placeOf(std::size_t step, std::size_t row) const {
    const double x = headerWidth() + (static_cast<double>(step) + 0.5) * columnWidth() - horizontalScrollBar()->value();
    const double y = (static_cast<double>(row) + 0.5) * rowHeight() - verticalScrollBar()->value();
    return {x, y};
}

QPointF TimelineView::centreOf(std::size_t step) const { return placeOf(step, m_schedule->steps[step].task); }

QRect TimelineView::stepRect(std::size_t step) const {
    if (!m_schedule || step >= m_schedule->steps.size()) {
        return {};
    }
    const QPointF centre = centreOf(step);
    const int width = columnWidth() - 2;
    const int height = rowHeight() - 6;
    return {static_cast<int>(centre.x()) - width / 2, static_cast<int>(centre.y()) - height / 2, width, height};
}

std::ptrdiff_t TimelineView::stepAt(const QPoint& point) const {
    if (!m_schedule || point.x() < headerWidth()) {
        return -1;
    }
    const auto step = static_cast<std::ptrdiff_t>((point.x() - headerWidth() + horizontalScrollBar()->value()) / columnWidth());
    return step >= 0 && static_cast<std::size_t>(step) < m_schedule->steps.size() ? step : -1;
}

void TimelineView::updateBars() {
    const int columns = m_schedule ? static_cast<int>(m_schedule->steps.size()) : 0;
    const int rows = m_schedule ? static_cast<int>(m_schedule->tasks.size()) : 0;
    const int across = std::max(1, viewport()->width() - headerWidth());
    // The last column has room for the sign of a cycle.
    horizontalScrollBar()->setRange(0, std::max(0, (columns + 3) * columnWidth() - across));
    horizontalScrollBar()->setPageStep(across);
    horizontalScrollBar()->setSingleStep(columnWidth());
    verticalScrollBar()->setRange(0, std::max(0, rows * rowHeight() - viewport()->height()));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(rowHeight());
}

void TimelineView::showStep() {
    const int x = static_cast<int>(m_step) * columnWidth();
    const int y = static_cast<int>(m_schedule->steps[m_step].task) * rowHeight();
    const int across = std::max(columnWidth(), viewport()->width() - headerWidth());
    QScrollBar* h = horizontalScrollBar();
    QScrollBar* v = verticalScrollBar();
    if (x < h->value() || x + columnWidth() > h->value() + across) {
        h->setValue(x - across / 2);
    }
    if (y < v->value()) {
        v->setValue(y);
    } else if (y + rowHeight() > v->value() + viewport()->height()) {
        v->setValue(y + rowHeight() - viewport()->height());
    }
}

void TimelineView::choose(std::ptrdiff_t step) {
    if (m_schedule && step >= 0 && static_cast<std::size_t>(step) < m_schedule->steps.size()) {
        setStep(static_cast<std::size_t>(step));
        Q_EMIT stepChosen(m_step);
    }
}

void TimelineView::paintEdges(QPainter& painter) const {
    painter.setPen(QPen(m_theme.edge, 1.0));
    const double left = headerWidth() - columnWidth();
    const double right = viewport()->width() + columnWidth();
    for (const ScheduleEdge& edge : m_schedule->edges) {
        const QPointF from = centreOf(edge.from);
        const QPointF to = centreOf(edge.to);
        if (std::max(from.x(), to.x()) >= left && std::min(from.x(), to.x()) <= right) {
            drawArrow(painter, from, to);
        }
    }
    if (m_schedule->race) {
        const RoleStyle& style = m_theme.style(Role::Failing);
        painter.setPen(QPen(style.colour, 2.0, Qt::DashLine));
        const QPointF from = centreOf(m_schedule->race->first);
        const QPointF to = centreOf(m_schedule->race->second);
        painter.drawLine(from, to);
        // The sign stands on the edge that is not there.
        const QPointF middle = (from + to) / 2;
        const double side = fontMetrics().height();
        const QRectF box(middle.x() - side / 2, middle.y() - side / 2, side, side);
        painter.setPen(QPen(style.colour, 1.5));
        painter.setBrush(m_theme.background);
        painter.drawEllipse(box);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(m_theme.text);
        painter.drawText(box, Qt::AlignCenter, QStringLiteral("?"));
    }
}

void TimelineView::paintSteps(QPainter& painter) const {
    const int width = columnWidth();
    const auto first = static_cast<std::size_t>(std::max(0, horizontalScrollBar()->value() / width));
    const auto shown = static_cast<std::size_t>((viewport()->width() - headerWidth()) / width + 2);
    const std::size_t last = std::min(m_schedule->steps.size(), first + shown);
    for (std::size_t i = first; i < last; ++i) {
        const ScheduleStep& step = m_schedule->steps[i];
        const QRect box = stepRect(i);
        const bool marked = m_schedule->marks(i);
        const RoleStyle& style = m_theme.style(marked ? Role::Failing : Role::Plain);
        painter.fillRect(box, marked ? style.fill : m_theme.container);
        painter.setPen(QPen(marked ? style.colour : m_theme.edge, marked ? 2.0 : 1.0));
        painter.drawRect(box);
        painter.setPen(marked ? style.text : m_theme.text);
        painter.drawText(box, Qt::AlignCenter, sign(step.kind));
        if (marked) {
            painter.setPen(m_theme.text);
            painter.drawText(QRect(box.left() - 2, box.top() - 6, box.width() + 4, 12), Qt::AlignRight | Qt::AlignTop, glyph(Role::Failing));
        }
        if (i == m_step) {
            painter.setPen(QPen(m_theme.selection, hasFocus() ? 3.0 : 2.0));
            painter.drawRect(box.adjusted(-2, -2, 2, 2));
        }
        if (m_schedule->skipped > 0 && m_schedule->gapAt == i) {
            painter.setPen(QPen(m_theme.text, 1.0, Qt::DotLine));
            painter.drawLine(box.left() - 2, 0, box.left() - 2, viewport()->height());
        }
    }
}

void TimelineView::paintHeader(QPainter& painter) const {
    const int width = headerWidth();
    painter.fillRect(0, 0, width, viewport()->height(), m_theme.container);
    painter.setPen(m_theme.edge);
    painter.drawLine(width - 1, 0, width - 1, viewport()->height());
    const int signWidth = fontMetrics().height();
    for (std::size_t row = 0; row < m_schedule->tasks.size(); ++row) {
        const int top = static_cast<int>(row) * rowHeight() - verticalScrollBar()->value();
        if (top + rowHeight() < 0 || top > viewport()->height()) {
            continue;
        }
        const bool inCycle = std::find(m_schedule->cycleTasks.begin(), m_schedule->cycleTasks.end(), row) != m_schedule->cycleTasks.end();
        painter.setPen(m_theme.text);
        painter.drawText(QRect(2, top, signWidth, rowHeight()), Qt::AlignCenter, row < m_states.size() ? sign(m_states[row]) : QString());
        if (inCycle) {
            painter.drawText(QRect(signWidth, top, signWidth, rowHeight()), Qt::AlignCenter, glyph(Role::Failing));
        }
        const QRect room(2 * signWidth + 2, top, width - 2 * signWidth - 6, rowHeight());
        painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(toQString(m_schedule->tasks[row].name), Qt::ElideMiddle, room.width()));
        painter.setPen(QPen(m_theme.edge, 0.5));
        painter.drawLine(0, top + rowHeight() - 1, viewport()->width(), top + rowHeight() - 1);
    }
}

void TimelineView::paintCycle(QPainter& painter) const {
    if (m_schedule->cycleTasks.size() < 2) {
        return;
    }
    // Who waits for whom, behind the last step.
    painter.setPen(QPen(m_theme.style(Role::Failing).colour, 2.0));
    const std::size_t column = m_schedule->steps.size();
    for (std::size_t i = 0; i < m_schedule->cycleTasks.size(); ++i) {
        const bool isLast = i + 1 == m_schedule->cycleTasks.size();
        if (isLast && !m_schedule->isCycle) {
            break;
        }
        const double aside = isLast ? columnWidth() : 0.0;
        const QPointF from = placeOf(column, m_schedule->cycleTasks[i]) + QPointF(aside, 0);
        const QPointF to = placeOf(column, m_schedule->cycleTasks[isLast ? 0 : i + 1]) + QPointF(aside, 0);
        drawArrow(painter, from, to);
    }
}

void TimelineView::paintEvent(QPaintEvent*) {
    QPainter painter(viewport());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(viewport()->rect(), m_theme.background);
    if (!m_schedule || m_schedule->steps.empty()) {
        painter.setPen(m_theme.mutedText);
        painter.drawText(viewport()->rect().adjusted(8, 8, -8, -8), static_cast<int>(Qt::AlignCenter) | Qt::TextWordWrap, m_emptyText);
    } else {
        painter.save();
        painter.setClipRect(headerWidth(), 0, viewport()->width() - headerWidth(), viewport()->height());
        paintEdges(painter);
        paintSteps(painter);
        paintCycle(painter);
        painter.restore();
        paintHeader(painter);
    }
    if (hasFocus()) {
        painter.setPen(QPen(m_theme.selection, 1.0));
        painter.drawRect(viewport()->rect().adjusted(0, 0, -1, -1));
    }
}

void TimelineView::mousePressEvent(QMouseEvent* event) {
    if (event->button() == Qt::LeftButton) {
        setFocus(Qt::MouseFocusReason);
        choose(stepAt(event->pos()));
    }
}

void TimelineView::keyPressEvent(QKeyEvent* event) {
    if (!m_schedule || m_schedule->steps.empty()) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    const auto at = static_cast<std::ptrdiff_t>(m_step);
    const auto count = static_cast<std::ptrdiff_t>(m_schedule->steps.size());
    const auto along = [&](std::ptrdiff_t by) {
        const std::size_t task = m_schedule->steps[m_step].task;
        for (std::ptrdiff_t i = at + by; i >= 0 && i < count; i += by) {
            if (m_schedule->steps[static_cast<std::size_t>(i)].task == task) {
                return i;
            }
        }
        return at;
    };
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Less: choose(std::max<std::ptrdiff_t>(0, at - 1)); break;
    case Qt::Key_Right:
    case Qt::Key_Greater: choose(std::min(count - 1, at + 1)); break;
    case Qt::Key_Up: choose(along(-1)); break;
    case Qt::Key_Down: choose(along(1)); break;
    case Qt::Key_Home: choose(0); break;
    case Qt::Key_End: choose(count - 1); break;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space: choose(at); break;
    default: QAbstractScrollArea::keyPressEvent(event); break;
    }
}

void TimelineView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    updateBars();
}

void TimelineView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        m_theme = CanvasTheme::fromPalette(palette());
        viewport()->update();
    } else if (event->type() == QEvent::FontChange) {
        updateBars();
    }
}

bool TimelineView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip && m_schedule) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const std::ptrdiff_t step = stepAt(help->pos());
        if (step >= 0) {
            const ScheduleStep& at = m_schedule->steps[static_cast<std::size_t>(step)];
            QToolTip::showText(help->globalPos(),
                               QStringLiteral("%1, %2\n%3").arg(toQString(m_schedule->tasks[at.task].name), kindText(at.kind), toQString(at.text)),
                               viewport());
        } else {
            const auto row = static_cast<std::size_t>(std::max(0, (help->pos().y() + verticalScrollBar()->value()) / rowHeight()));
            if (row < m_states.size()) {
                QToolTip::showText(help->globalPos(), tr("%1 %2").arg(toQString(m_schedule->tasks[row].name), stateText(m_states[row])), viewport());
            } else {
                QToolTip::hideText();
            }
        }
        return true;
    }
    return QAbstractScrollArea::viewportEvent(event);
}

QSize TimelineView::sizeHint() const { return {fontMetrics().averageCharWidth() * 60, rowHeight() * 5}; }

QSize TimelineView::minimumSizeHint() const { return {fontMetrics().averageCharWidth() * 20, rowHeight() * 2}; }

} // namespace lemmascope
