#include "ui/window/view_history_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/panels/lemma_panel.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QMenu>
#include <QScopedValueRollback>
#include <QStatusBar>
#include <QUndoCommand>
#include <QUndoStack>

namespace lemmascope {

namespace {

constexpr int MostSteps = 500;

} // namespace

class ViewHistoryPart::Change : public QUndoCommand {
  public:
    Change(ViewHistoryPart& part, State from, State to, const QString& what)
        : QUndoCommand(what), m_part(part), m_from(std::move(from)), m_to(std::move(to)) {}

    void undo() override { m_part.apply(m_to, m_from); }
    void redo() override {
        if (m_done) {
            m_part.apply(m_from, m_to);
        }
        m_done = true; // pushing does what has been done already
    }
    [[nodiscard]] const State& from() const { return m_from; }

  private:
    ViewHistoryPart& m_part;
    State m_from;
    State m_to;
    bool m_done = false;
};

ViewHistoryPart::ViewHistoryPart(MainWindow& window) : QObject(&window), m_window(window), m_stack(new QUndoStack(this)) {
    m_stack->setUndoLimit(MostSteps);
    m_timer.setSingleShot(true);
    m_timer.setInterval(0);
    connect(&m_timer, &QTimer::timeout, this, &ViewHistoryPart::look);
    QMenu* edit = window.menu(MainWindow::Menu::Edit);
    m_undoAction = window.addMenuAction(edit, tr("&Undo View Change"), {QKeySequence(QStringLiteral("Ctrl+Z"))}, [this] { undo(); });
    m_redoAction = window.addMenuAction(edit, tr("&Redo"), {QKeySequence(QStringLiteral("Ctrl+Shift+Z")), QKeySequence(QStringLiteral("Ctrl+Y"))},
                                        [this] { redo(); });
    // First in the menu, as everywhere.
    QAction* first = edit->actions().front();
    edit->insertActions(first, {m_undoAction, m_redoAction});
    edit->insertSeparator(first);
    const auto refresh = [this] {
        m_undoAction->setEnabled(m_stack->canUndo());
        m_redoAction->setEnabled(m_stack->canRedo());
        m_undoAction->setToolTip(m_stack->canUndo() ? tr("Undo: %1 (Ctrl+Z)").arg(m_stack->undoText()) : tr("Nothing to undo"));
        m_redoAction->setToolTip(m_stack->canRedo() ? tr("Redo: %1 (Ctrl+Shift+Z)").arg(m_stack->redoText()) : tr("Nothing to redo"));
    };
    connect(m_stack, &QUndoStack::indexChanged, this, refresh);
    refresh();

    connect(window.session(), &PairSession::sceneOptionsChanged, this, &ViewHistoryPart::changed);
    connect(window.session(), &PairSession::stateChanged, this, &ViewHistoryPart::changed);
    connect(window.lemmaPanel(), &LemmaPanel::provedFoldedChanged, this, &ViewHistoryPart::changed);
    connect(window.canvas(Side::Rewritten), &GraphCanvas::edgeLabelsChanged, this, &ViewHistoryPart::changed);
    connect(window.session(), &PairSession::opened, this, [this] {
        const Session& session = m_window.session()->session();
        const QString pair = pathText(session.reference) + u'\n' + pathText(session.rewritten);
        if (pair != m_pair) {
            m_stack->clear(); // it speaks of other graphs
        }
        m_pair = pair;
        m_timer.stop();
        m_now = read();
    });
    m_now = read();
}

void ViewHistoryPart::track(const QString& text, std::function<QVariant()> read, std::function<void(const QVariant&)> write) {
    m_tracked.push_back({text, std::move(read), std::move(write)});
    m_now.tracked.push_back(m_tracked.back().read());
}

ViewHistoryPart::State ViewHistoryPart::read() const {
    State state;
    state.scene = m_window.session()->sceneOptions();
    state.scene.metrics = {}; // the font's, not the reader's
    state.provedFolded = m_window.lemmaPanel()->isProvedFolded();
    state.labels = m_window.canvas(Side::Reference)->edgeLabels();
    state.accepted = m_window.session()->accepted();
    for (const Tracked& tracked : m_tracked) {
        state.tracked.push_back(tracked.read());
    }
    return state;
}

QString ViewHistoryPart::difference(const State& from, const State& to) const {
    QStringList parts;
    if (from.accepted != to.accepted) {
        parts += to.accepted.size() > from.accepted.size() ? tr("accept a difference") : tr("take a difference back");
    }
    if (from.scene.focusOnDifference != to.scene.focusOnDifference) {
        parts += to.scene.focusOnDifference ? tr("focus on the difference") : tr("show both graphs whole");
    } else if (from.scene.contextHops != to.scene.contextHops) {
        parts += tr("context %1").arg(to.scene.contextHops);
    } else if (!(from.scene == to.scene)) {
        parts += tr("what is shown of the graphs");
    }
    if (from.provedFolded != to.provedFolded) {
        parts += to.provedFolded ? tr("fold proved lemmas") : tr("unfold proved lemmas");
    }
    if (from.labels != to.labels) {
        parts += tr("edge labels");
    }
    for (std::size_t i = 0; i < m_tracked.size() && i < std::min(from.tracked.size(), to.tracked.size()); ++i) {
        if (from.tracked[i] != to.tracked[i]) {
            parts += m_tracked[i].text;
        }
    }
    return parts.join(QStringLiteral(", "));
}

void ViewHistoryPart::changed() {
    if (!m_applying) {
        m_timer.start();
    }
}

void ViewHistoryPart::look() {
    m_timer.stop();
    State now = read();
    const QString what = difference(m_now, now);
    if (what.isEmpty()) {
        return;
    }
    const int top = m_stack->index() - 1;
    if (top >= 0 && m_now.accepted.size() > now.accepted.size()) {
        // A difference that the check refused, or that was taken back from the list, is as if it had been undone.
        const auto* last = static_cast<const Change*>(m_stack->command(top));
        if (difference(last->from(), now).isEmpty()) {
            const QScopedValueRollback<bool> applying(m_applying, true);
            const_cast<QUndoCommand*>(m_stack->command(top))->setObsolete(true);
            m_now = now;
            m_stack->undo();
            return;
        }
    }
    State before = std::exchange(m_now, std::move(now));
    m_stack->push(new Change(*this, std::move(before), m_now, what));
}

void ViewHistoryPart::apply(const State& from, const State& to) {
    if (m_applying) {
        return; // what is wanted is there already
    }
    const QScopedValueRollback<bool> applying(m_applying, true);
    PairSession* session = m_window.session();
    if (!(from.scene == to.scene)) {
        session->restoreSceneOptions(to.scene);
    }
    if (from.provedFolded != to.provedFolded) {
        m_window.lemmaPanel()->setProvedFolded(to.provedFolded);
    }
    if (from.labels != to.labels) {
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            m_window.canvas(side)->setEdgeLabels(to.labels);
        }
    }
    for (std::size_t i = 0; i < m_tracked.size() && i < std::min(from.tracked.size(), to.tracked.size()); ++i) {
        if (from.tracked[i] != to.tracked[i]) {
            m_tracked[i].write(to.tracked[i]);
        }
    }
    if (from.accepted != to.accepted) {
        session->setAccepted(to.accepted);
    }
    m_now = read();
}

void ViewHistoryPart::undo() {
    look(); // what has just been done comes first
    if (m_stack->canUndo()) {
        const QString what = m_stack->undoText();
        m_stack->undo();
        tell(tr("Undone: %1").arg(what));
    }
}

void ViewHistoryPart::redo() {
    look();
    if (m_stack->canRedo()) {
        const QString what = m_stack->redoText();
        m_stack->redo();
        tell(tr("Done again: %1").arg(what));
    }
}

void ViewHistoryPart::tell(const QString& what) { m_window.statusBar()->showMessage(what, 5'000); }

} // namespace lemmascope
