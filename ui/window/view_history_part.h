#pragma once

#include "ui/canvas/scene_painter.h"
#include "ui/jobs/pair_session.h"

#include <QObject>
#include <QTimer>
#include <QVariant>

#include <functional>
#include <string>
#include <utility>
#include <vector>

class QAction;
class QUndoStack;

namespace lemmascope {

class MainWindow;

/// Undo and redo of how the pair is shown (focus, context, what is open, folded or hidden, edge labels, and what other parts track) and
/// of what is accepted as equal. It looks at the state when something says that it changed and makes one step of all that changed
/// in one go, so that nothing need know of it.
class ViewHistoryPart : public QObject {
    Q_OBJECT

  public:
    explicit ViewHistoryPart(MainWindow& window);

    /// One more thing to undo. `text`: what is told of it. Call `changed` when it may have changed.
    void track(const QString& text, std::function<QVariant()> read, std::function<void(const QVariant&)> write);
    /// Something may have changed: looked at once control is back in the event loop.
    void changed();
    void undo();
    void redo();
    [[nodiscard]] QUndoStack* stack() const { return m_stack; }

  private:
    struct State {
        SceneOptions scene;
        bool provedFolded = false;
        EdgeLabels labels = EdgeLabels::Types;
        std::vector<std::pair<std::string, std::string>> accepted;
        std::vector<QVariant> tracked;
    };
    struct Tracked {
        QString text;
        std::function<QVariant()> read;
        std::function<void(const QVariant&)> write;
    };
    class Change;

    [[nodiscard]] State read() const;
    /// Only what differs between the two, so that what has changed besides stays.
    void apply(const State& from, const State& to);
    void look();
    [[nodiscard]] QString difference(const State& from, const State& to) const;
    void tell(const QString& what);

    MainWindow& m_window;
    QUndoStack* m_stack;
    QAction* m_undoAction;
    QAction* m_redoAction;
    std::vector<Tracked> m_tracked;
    State m_now;
    QTimer m_timer;
    QString m_pair; ///< the files whose changes the stack holds
    bool m_applying = false;
};

} // namespace lemmascope
