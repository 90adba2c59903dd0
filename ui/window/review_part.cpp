#include "ui/window/review_part.h"

#include "core/report/obligation.h"
#include "ui/jobs/job_list_model.h"
#include "ui/jobs/latest_job.h"
#include "ui/models/message_model.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/limits_dialog.h"
#include "ui/panels/query_panel.h"
#include "ui/panels/review_note_editor.h"
#include "ui/views/lemma_tree_view.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QDateTime>
#include <QMenu>
#include <QSaveFile>
#include <QSettings>
#include <QStatusBar>

namespace lemmascope {

namespace {

QString settingsName() { return QStringLiteral("lemmascope"); }
QString reviewerKey() { return QStringLiteral("review/reviewer"); }

/// The name the reader gave last, else who is logged in.
QString knownReviewer() {
    const QString user = qEnvironmentVariable("USER", qEnvironmentVariable("LOGNAME"));
    return QSettings(settingsName(), settingsName()).value(reviewerKey(), user).toString();
}

} // namespace

ReviewPart::ReviewPart(MainWindow* window) : QObject(window), m_window(window), m_panel(window->lemmaPanel()) {
    using Needs = MainWindow::Needs;
    const auto key = [](const char* text) { return QKeySequence(QString::fromLatin1(text)); };
    QMenu* menu = window->menu(MainWindow::Menu::Lemmas);
    menu->addSeparator();
    m_checkAction = window->addMenuAction(menu, tr("Check T&his Lemma"), {key("F7")}, [this] { checkSelected(false); });
    m_exampleAction = window->addLetterAction(menu, tr("&Get Counterexample"), {key("G")}, [this] { checkSelected(true); });
    m_replayAction = window->addMenuAction(menu, tr("Replay &Obsolete"), {}, [this] { replayObsolete(); });
    window->addMenuAction(
        menu, tr("&Limits…"), {key("Ctrl+Shift+L")}, [this] { showLimits(); }, Needs::Pair);
    menu->addSeparator();
    m_reviewAction = window->addLetterAction(menu, tr("Mark &Reviewed…"), {key("R")}, [this] { markReviewed(); });
    m_removeAction = window->addLetterAction(menu, tr("Re&move Review"), {key("Shift+R")}, [this] { removeReview(); });
    m_groupAction = window->addLetterAction(
        menu, tr("Gro&up by Region"), {key("Shift+G")}, [this] { m_panel->setGrouped(!m_panel->isGrouped()); }, Needs::Pair);
    m_groupAction->setCheckable(true);
    connect(m_panel, &LemmaPanel::groupedChanged, m_groupAction, &QAction::setChecked);
    m_panel->table()->addMenuActions({m_checkAction, m_exampleAction, m_reviewAction, m_removeAction});

    ReviewNoteEditor* editor = m_panel->editor();
    editor->setReviewer(knownReviewer());
    connect(editor, &ReviewNoteEditor::keepRequested, this, [this] {
        if (const auto lemma = m_panel->selectedLemma()) {
            ReviewNoteEditor* edited = m_panel->editor();
            QSettings(settingsName(), settingsName()).setValue(reviewerKey(), edited->reviewer());
            const QString text = edited->text();
            edited->showLemma({}, nullptr); // nothing of it is a draft any more
            m_window->session()->review(*lemma, toStdString(text), toStdString(edited->reviewer()), QDateTime::currentSecsSinceEpoch());
            m_panel->table()->setFocus(Qt::OtherFocusReason);
        }
    });
    connect(editor, &ReviewNoteEditor::removeRequested, this, &ReviewPart::removeReview);
    connect(editor, &ReviewNoteEditor::leaveRequested, this, [this] {
        m_panel->table()->setFocus(Qt::OtherFocusReason);
        m_panel->selectLemma(m_panel->selectedLemma());
    });
    connect(m_panel, &LemmaPanel::draftLeft, this, &ReviewPart::keep);
    connect(m_panel, &LemmaPanel::selectionMoved, this, &ReviewPart::updateActions);
    connect(m_panel, &LemmaPanel::lemmaSelected, this, [this](std::size_t lemma) {
        if (m_window->session()->session().result != m_panel->lemmas()->result) {
            showObsolete(lemma);
        }
    });
    m_save = std::make_unique<LatestJob>(tr("Save query"), window->jobs());
    connect(window->query(), &QueryPanel::saveRequested, this, &ReviewPart::saveQuery);
    PairSession* session = window->session();
    connect(session, &PairSession::leaving, this, &ReviewPart::keepDraft);
    connect(session, &PairSession::lemmasChanged, this, &ReviewPart::updateActions);
    connect(session, &PairSession::rechecked, this, &ReviewPart::tellRechecked);
    connect(session, &PairSession::stateChanged, this, [this] {
        // A check that was asked for again leaves the reader at the lemma.
        const auto& result = m_window->session()->session().result;
        const auto selected = m_panel->selectedLemma();
        if (m_window->session()->state() == PairSession::State::Decided && selected && !m_window->currentLemma() &&
            result == m_panel->lemmas()->result) {
            m_window->goToLemma(*selected);
        }
        updateActions();
    });
    updateActions();
}

ReviewPart::~ReviewPart() = default;

void ReviewPart::saveQuery(const QString& file, const QString& text) {
    m_save->start<bool>(
        [file, text](const JobContext& context) -> Result<bool> {
            context.report({tr("writing the text"), 0, 0});
            QSaveFile out(file);
            const QByteArray bytes = QByteArray::fromStdString(askingText(toStdString(text)));
            if (!out.open(QIODevice::WriteOnly) || out.write(bytes) != bytes.size() || !out.commit()) {
                return fail(ErrorCode::NotFound, toStdString(out.errorString()) + ": choose another place", toStdString(file));
            }
            return true;
        },
        [this, file](Result<bool> written) {
            if (written) {
                m_window->statusBar()->showMessage(tr("Query written to %1").arg(file), 10'000);
            } else {
                m_window->messages()->addError(tr("Saving the query"), written.error());
            }
        });
}

void ReviewPart::updateActions() {
    PairSession* session = m_window->session();
    const auto lemma = m_panel->selectedLemma();
    const bool current = lemma && session->session().result && session->session().result == m_panel->lemmas()->result;
    const bool decided = session->state() == PairSession::State::Decided;
    m_checkAction->setEnabled(current && decided);
    m_exampleAction->setEnabled(current && decided && m_panel->lemmas()->result->lemmas[*lemma].verdict != LemmaVerdict::Holds);
    m_replayAction->setEnabled(session->session().isOpen() && m_panel->lemmas()->result && m_panel->lemmas()->source != LemmaSource::Current &&
                               session->state() != PairSession::State::Checking);
    m_reviewAction->setEnabled(lemma.has_value());
    m_removeAction->setEnabled(m_panel->selectedNote().has_value());
}

void ReviewPart::markReviewed() {
    m_window->showDock(MainWindow::Dock::Lemmas, false);
    if (!m_panel->openEditor()) {
        m_window->statusBar()->showMessage(tr("Select a lemma to mark it reviewed."), 5'000);
    }
}

void ReviewPart::removeReview() {
    if (const auto note = m_panel->selectedNote()) {
        m_window->session()->removeNote(*note);
        m_panel->table()->setFocus(Qt::OtherFocusReason);
    }
}

void ReviewPart::keep(ReviewNote note) {
    note.reviewer = toStdString(m_panel->editor()->reviewer());
    note.time = QDateTime::currentSecsSinceEpoch();
    m_window->session()->keepNote(note);
}

std::optional<ReviewNote> ReviewPart::draft() const {
    auto note = m_panel->draft();
    if (note) {
        note->reviewer = toStdString(m_panel->editor()->reviewer());
        note->time = QDateTime::currentSecsSinceEpoch();
    }
    return note;
}

void ReviewPart::keepDraft() {
    if (const auto note = m_panel->draft()) {
        m_panel->editor()->showLemma({}, nullptr);
        keep(*note);
    }
}

void ReviewPart::checkSelected(bool counterexample) {
    const auto lemma = m_panel->selectedLemma();
    PairSession* session = m_window->session();
    if (!lemma || !session->session().result || session->session().result != m_panel->lemmas()->result) {
        m_window->statusBar()->showMessage(tr("Select a lemma to check it again."), 5'000);
        return;
    }
    const QString id = toQString(session->session().result->lemmas[*lemma].id);
    session->recheck(*lemma, counterexample);
    m_window->statusBar()->showMessage(counterexample ? tr("Looking longer for a counterexample to %1…").arg(id)
                                                      : tr("Checking %1 again with more steps; the other verdicts stay.").arg(id),
                                       10'000);
}

void ReviewPart::tellRechecked(std::optional<std::size_t> lemma, bool counterexample) {
    const CheckResult& result = *m_window->session()->session().result;
    QString text = tr("The lemma is no longer needed. The verdict: %1.").arg(bannerTitle(result));
    if (lemma) {
        const LemmaResult& entry = result.lemmas[*lemma];
        text = tr("%1 %2. The verdict: %3.").arg(toQString(entry.id), word(entry.verdict), bannerTitle(result));
        if (entry.verdict == LemmaVerdict::Undecided) {
            text = tr("%1 is still undecided: %2. F7 asks with more steps again.").arg(toQString(entry.id), toQString(entry.reason));
        }
    }
    if (counterexample && !(result.counterexample && result.counterexample->confirmed)) {
        text = tr("No counterexample was found. %1").arg(text);
    }
    m_window->statusBar()->showMessage(text, 30'000);
}

void ReviewPart::replayObsolete() {
    PairSession* session = m_window->session();
    if (session->isStale()) {
        session->reload();
    } else {
        session->check(session->session().options);
    }
}

void ReviewPart::showLimits() {
    auto* dialog = new LimitsDialog(m_window->session()->session().options, m_window);
    connect(dialog, &LimitsDialog::chosen, this, [this, dialog](bool checkNow) {
        PairSession* session = m_window->session();
        session->setLimits(dialog->options(session->session().options));
        if (checkNow) {
            session->check(session->session().options);
        } else {
            m_window->statusBar()->showMessage(tr("The limits count from the next check on."), 10'000);
        }
    });
    dialog->show();
}

void ReviewPart::showObsolete(std::size_t lemma) {
    // Its nodes, as far as the graphs that are open still have them.
    const LemmaIdentity wanted = identityOf(*m_panel->lemmas()->result, lemma);
    bool found = false;
    for (const auto& [side, paths] : {std::pair{Side::Rewritten, &wanted.rewritten}, std::pair{Side::Reference, &wanted.reference}}) {
        const GraphTree* tree = m_window->session()->tree(side);
        for (std::size_t n = 0; tree != nullptr && !paths->empty() && n < tree->nodeCount(); ++n) {
            if (tree->path(FlatNodeId(n)) == paths->front()) {
                m_window->goToNode(side, FlatNodeId(n));
                found = true;
                break;
            }
        }
    }
    m_panel->selectLemma(lemma);
    const QString id = toQString(m_panel->lemmas()->result->lemmas[lemma].id);
    m_window->statusBar()->showMessage(found ? tr("%1 is of the last result: a check has yet to confirm it.").arg(id)
                                             : tr("%1 is of the last result; its nodes are gone.").arg(id),
                                       10'000);
}

} // namespace lemmascope
