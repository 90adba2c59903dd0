#pragma once

#include <QStyle>

class QString;
class QToolButton;
class QWidget;

namespace lemmascope {

/// A flat button of one of the style's pictures, reached by Tab; the name is what a screen reader says.
[[nodiscard]] QToolButton* iconButton(const QString& name, const QString& tip, QStyle::StandardPixmap icon, QWidget* parent);

} // namespace lemmascope
