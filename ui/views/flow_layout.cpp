#include "ui/views/flow_layout.h"

#include <QStyle>
#include <QWidget>

#include <algorithm>

namespace lemmascope {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {}

FlowLayout::~FlowLayout() { qDeleteAll(m_items); }

void FlowLayout::addItem(QLayoutItem* item) {
    m_items.append(item);
    invalidate();
}

int FlowLayout::count() const { return static_cast<int>(m_items.size()); }

QLayoutItem* FlowLayout::itemAt(int index) const { return m_items.value(index); }

QLayoutItem* FlowLayout::takeAt(int index) {
    if (index < 0 || index >= m_items.size()) {
        return nullptr;
    }
    invalidate();
    return m_items.takeAt(index);
}

int FlowLayout::heightForWidth(int width) const { return arrange(QRect(0, 0, width, 0), false); }

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem* item : m_items) {
        if (!item->isEmpty()) {
            size = size.expandedTo(item->minimumSize());
        }
    }
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

QSize FlowLayout::sizeHint() const { return minimumSize(); }

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    arrange(rect, true);
}

int FlowLayout::arrange(const QRect& rect, bool place) const {
    const QRect room = rect.marginsRemoved(contentsMargins());
    const int gap = std::max(0, spacing());
    const bool mirrored = parentWidget() != nullptr && parentWidget()->layoutDirection() == Qt::RightToLeft;
    int y = room.y();
    qsizetype next = 0;
    while (next < m_items.size()) {
        // One line: as many items as fit, each in the middle of the tallest.
        QList<QLayoutItem*> line;
        int width = 0;
        int height = 0;
        for (; next < m_items.size(); ++next) {
            QLayoutItem* item = m_items[next];
            if (item->isEmpty()) {
                continue;
            }
            const QSize size = item->sizeHint().expandedTo(item->minimumSize());
            if (!line.isEmpty() && width + gap + size.width() > room.width()) {
                break;
            }
            width += (line.isEmpty() ? 0 : gap) + size.width();
            height = std::max(height, size.height());
            line.append(item);
        }
        int x = 0;
        for (QLayoutItem* item : line) {
            const QSize size = item->sizeHint().expandedTo(item->minimumSize()).boundedTo(QSize(std::max(1, room.width()), QLAYOUTSIZE_MAX));
            if (place) {
                const int left = mirrored ? room.right() + 1 - x - size.width() : room.x() + x;
                item->setGeometry(QRect(QPoint(left, y + (height - size.height()) / 2), size));
            }
            x += size.width() + gap;
        }
        y += line.isEmpty() ? 0 : height + gap;
    }
    const int used = y - room.y() - (y > room.y() ? gap : 0);
    return used + contentsMargins().top() + contentsMargins().bottom();
}

} // namespace lemmascope
