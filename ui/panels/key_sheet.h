#pragma once

#include <QDialog>
#include <QList>
#include <QString>

class QAction;

namespace lemmascope {

/// All keys: those of `actions` (read from them, so that the sheet cannot lie) and those of the canvases. Not modal.
class KeySheet : public QDialog {
    Q_OBJECT

  public:
    KeySheet(const QList<QAction*>& actions, QWidget* parent = nullptr);
};

} // namespace lemmascope
