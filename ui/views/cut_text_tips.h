#pragma once

#include <QObject>
#include <QString>

class QPoint;
class QWidget;

namespace lemmascope {

/// The whole text of what is cut short below the pointer: a column's title, a label, a hint in an empty field, a choice, a dock's title.
/// Empty where it fits or where a tool tip of its own is there. `position` is the widget's.
[[nodiscard]] QString cutTextAt(const QWidget* widget, const QPoint& position);

/// As an event filter of the application, shows that text as a tool tip.
class CutTextTips : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace lemmascope
