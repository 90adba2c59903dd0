#pragma once

#include <QLabel>

namespace lemmascope {

/// A line of text that gives way to its neighbours: what has no room is shown as an ellipsis, and whole in a tool tip (CutTextTips).
class ElidedLabel : public QLabel {
    Q_OBJECT

  public:
    using QLabel::QLabel;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace lemmascope
