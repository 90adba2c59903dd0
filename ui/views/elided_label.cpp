#include "ui/views/elided_label.h"

#include <QPainter>
#include <QStyle>

#include <algorithm>

namespace lemmascope {

QSize ElidedLabel::minimumSizeHint() const {
    constexpr int Letters = 6;
    const QSize whole = QLabel::minimumSizeHint();
    return {std::min(whole.width(), fontMetrics().averageCharWidth() * Letters), whole.height()};
}

void ElidedLabel::paintEvent(QPaintEvent* event) {
    if (width() >= sizeHint().width()) {
        QLabel::paintEvent(event);
        return;
    }
    QPainter painter(this);
    const QString shown = fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width());
    style()->drawItemText(&painter, contentsRect(), static_cast<int>(alignment()), palette(), isEnabled(), shown, foregroundRole());
}

} // namespace lemmascope
