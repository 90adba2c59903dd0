#pragma once

#include <QScrollArea>

namespace lemmascope {

/// What is inside scrolls where there is no room for it, so that a pane with many parts neither squeezes them nor enlarges the window.
class ScrollFrame : public QScrollArea {
    Q_OBJECT

  public:
    ScrollFrame(const QString& accessibleName, QWidget* content, QWidget* parent);
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override { return minimumSizeHint(); } ///< a pane is as large as it is made
};

} // namespace lemmascope
