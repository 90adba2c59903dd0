#pragma once

#include <QAccessible>
#include <QHash>
#include <QObject>
#include <QString>

class QLabel;

namespace lemmascope {

class MainWindow;

/// What people who hear the window need beyond names of widgets: a changed verdict that is announced, labels that tell when
/// their text changes, names for what Qt makes by itself. Made after all other parts.
class AccessPart : public QObject, private QAccessible::ActivationObserver {
    Q_OBJECT

  public:
    explicit AccessPart(MainWindow* window);
    ~AccessPart() override;

    /// What was announced last.
    [[nodiscard]] const QString& announced() const { return m_announced; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void accessibilityActiveChanged(bool active) override;
    void announceVerdict();
    void nameHandles();

    MainWindow* m_window;
    bool m_listening = false; ///< somebody reads the window
    QString m_announced;
    QHash<const QObject*, QString> m_spoken; ///< of labels seen, while somebody listens
};

} // namespace lemmascope
