#include "ui/panels/scroll_frame.h"

namespace lemmascope {

ScrollFrame::ScrollFrame(const QString& accessibleName, QWidget* content, QWidget* parent) : QScrollArea(parent) {
    setAccessibleName(accessibleName);
    setFrameShape(NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus); // what is inside takes it, and is scrolled to
    setWidget(content);
}

QSize ScrollFrame::minimumSizeHint() const { return {fontMetrics().averageCharWidth() * 12, fontMetrics().height() * 2}; }

} // namespace lemmascope
