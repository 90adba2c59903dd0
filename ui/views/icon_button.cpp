#include "ui/views/icon_button.h"

#include <QToolButton>

namespace lemmascope {

QToolButton* iconButton(const QString& name, const QString& tip, QStyle::StandardPixmap icon, QWidget* parent) {
    auto* made = new QToolButton(parent);
    made->setAccessibleName(name);
    made->setToolTip(tip);
    made->setIcon(parent->style()->standardIcon(icon));
    made->setAutoRaise(true);
    made->setFocusPolicy(Qt::TabFocus);
    return made;
}

} // namespace lemmascope
