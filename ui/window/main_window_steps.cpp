// The steps of a pipeline in MainWindow, the differences that the user accepts, and the user's own inputs.

#include "ui/window/main_window.h"

#include "core/prove/acceptable.h"
#include "ui/models/message_model.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/open_pair_dialog.h"
#include "ui/panels/steps_panel.h"
#include "ui/panels/welcome_page.h"
#include "ui/views/lemma_tree_view.h"
#include "ui/views/text.h"
#include "ui/window/rules_part.h"
#include "ui/window/session_part.h"

#include <QAction>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QStatusBar>

#include <algorithm>

namespace lemmascope {

void MainWindow::openSteps(const QStringList& files) {
    std::vector<std::filesystem::path> graphs;
    for (const QString& file : files) {
        graphs.push_back(toPath(QFileInfo(file).absoluteFilePath()));
    }
    if (!files.isEmpty()) {
        m_lastFolder = QFileInfo(files.front()).isDir() ? QFileInfo(files.front()).absoluteFilePath() : QFileInfo(files.front()).absolutePath();
    }
    m_steps->open(graphs, m_session->session().options);
}

void MainWindow::openFiles(QStringList files) {
    auto* sessions = findChild<SessionPart*>();
    for (const QString& file : std::as_const(files)) {
        if (RulesPart::isRulesFile(file)) {
            findChild<RulesPart*>()->open(file);
        }
    }
    files.removeIf([](const QString& file) { return RulesPart::isRulesFile(file); });
    if (files.size() == 1 && sessions != nullptr && SessionPart::isSessionFile(files.front())) {
        sessions->open(files.front());
    } else if (files.size() == 1 && !QFileInfo(files.front()).isDir()) {
        openOne(files.front());
    } else if (files.size() == 2) {
        openPair(files[0], files[1]);
    } else if (!files.isEmpty()) {
        openSteps(files);
    }
}

void MainWindow::followSteps() {
    connect(m_steps, &StepChecks::opened, this, [this] {
        m_stepChosen = false;
        const bool any = !m_steps->steps().empty();
        showStepsDock();
        if (any) {
            showStep(0);
        }
        updateActions();
    });
    connect(m_steps, &StepChecks::openFailed, this, [this](const Error& error) {
        m_welcome->setTrouble(tr("✗ %1").arg(toQString(error.text())));
        if (!isWelcome()) {
            statusBar()->showMessage(tr("The steps could not be opened: see Messages."), 10'000);
        }
    });
    connect(m_steps, &StepChecks::stepChanged, this, [this](std::size_t) {
        // The first step that broke it is what the list was opened for; a reader who has chosen one is left there.
        if (const auto first = m_steps->firstNotProved(); first && m_goesToFailing && !m_stepChosen) {
            m_stepChosen = true;
            showStep(*first);
        }
    });
    connect(m_stepsPanel, &StepsPanel::stepChosen, this, [this](std::size_t step) {
        m_stepChosen = true;
        showStep(step);
    });
}

void MainWindow::showStepsDock() {
    QDockWidget* steps = dock(Dock::Steps);
    const bool wanted = !isWelcome() && !m_steps->steps().empty();
    if (wanted && !steps->isVisible()) {
        steps->show();
        const int height = steps->height() + dock(Dock::Lemmas)->height();
        resizeDocks({steps, dock(Dock::Lemmas)}, {height / 2, height - height / 2}, Qt::Vertical);
    }
    steps->setVisible(wanted);
}

void MainWindow::showStep(std::size_t step) {
    if (step >= m_steps->steps().size()) {
        return;
    }
    const PipelineStep& wanted = m_steps->steps()[step].step;
    m_stepsPanel->select(step);
    const Session& session = m_session->session();
    if (!session.isOpen() || session.reference != wanted.reference || session.rewritten != wanted.rewritten || m_session->isLoading()) {
        m_session->open(wanted.reference, wanted.rewritten);
    }
}

void MainWindow::goToStep(bool backwards) {
    const std::size_t count = m_steps->steps().size();
    if (count == 0) {
        return;
    }
    const std::size_t from = m_stepsPanel->selected().value_or(backwards ? 0 : count - 1);
    m_stepChosen = true;
    showStep((from + (backwards ? count - 1 : 1)) % count);
}

std::optional<std::size_t> MainWindow::currentStep() const {
    const Session& session = m_session->session();
    return session.isOpen() ? m_steps->indexOf(session.reference, session.rewritten) : std::nullopt;
}

void MainWindow::tellStep() {
    const auto step = currentStep();
    if (step && m_session->state() == PairSession::State::Decided && m_session->session().result && !m_session->isLoading()) {
        m_steps->take(*step, *m_session->session().result);
    }
}

void MainWindow::askForSteps(bool folder) {
    if (folder) {
        const QString chosen = QFileDialog::getExistingDirectory(this, tr("Open Folder of Steps"), m_lastFolder);
        if (!chosen.isEmpty()) {
            openSteps({chosen});
        }
        return;
    }
    QStringList chosen =
        QFileDialog::getOpenFileNames(this, tr("Open Steps: each graph is checked against the one before it"), m_lastFolder, graphFileFilter());
    if (!chosen.isEmpty()) {
        // A dialog gives files in no order of the user's; their names have one.
        std::sort(chosen.begin(), chosen.end(), [](const QString& a, const QString& b) { return naturalLess(toStdString(a), toStdString(b)); });
        openSteps(chosen);
    }
}

void MainWindow::askForInputs() {
    const QStringList files = QFileDialog::getOpenFileNames(this, tr("Try Inputs: one .npy for each input, named after it, or one .npz"),
                                                            m_lastFolder, tr("NumPy arrays (*.npy *.npz);;All files (*)"));
    if (!files.isEmpty()) {
        tryInputs(files);
    }
}

void MainWindow::tryInputs(const QStringList& files) {
    std::vector<std::filesystem::path> paths;
    for (const QString& file : files) {
        paths.push_back(toPath(QFileInfo(file).absoluteFilePath()));
    }
    m_session->tryInputs(paths);
}

void MainWindow::buildAcceptActions(QMenu* menu) {
    m_acceptAction = addLetterAction(menu, tr("&Accept This Lemma"), {QKeySequence(QStringLiteral("A"))}, [this] { acceptLemma(); });
    m_takeBackAction = addMenuAction(menu, tr("Take &Back Last Accepted"), {}, [this] {
        if (!m_session->accepted().empty()) {
            m_session->takeBack(m_session->accepted().size() - 1);
        }
    });
    m_acceptedMenu = menu->addMenu(tr("Accepte&d Differences"));
    m_lemmas->table()->setMenuActions({m_acceptAction, m_takeBackAction});
    connect(m_lemmas, &LemmaPanel::takeBackRequested, m_session, &PairSession::takeBack, Qt::QueuedConnection); // the link's label changes
}

void MainWindow::acceptLemma() {
    const auto& result = m_session->session().result;
    if (!result || !m_lemma) {
        return;
    }
    if (const auto pair = acceptablePair(*result, *m_lemma)) {
        m_session->accept(*pair);
        statusBar()->showMessage(
            tr("Accepted: %1 of the rewritten graph is taken to be %2. Ctrl+Z takes it back.").arg(toQString(pair->second), toQString(pair->first)),
            10'000);
    }
}

void MainWindow::refreshAccepted() {
    const auto& accepted = m_session->accepted();
    const auto& result = m_session->session().result;
    m_lemmas->setAccepted(accepted);
    QString why = tr("Select a lemma that is not proved to accept it");
    bool possible = false;
    if (result && m_lemma) {
        const auto pair = acceptablePair(*result, *m_lemma);
        possible = pair.has_value();
        why = pair ? tr("Take %1 of the rewritten graph to be %2 of the reference, and check again (A)")
                         .arg(toQString(pair->second), toQString(pair->first))
                   : tr("Cannot be accepted: %1").arg(toQString(pair.error().message));
    }
    m_acceptAction->setEnabled(possible);
    m_acceptAction->setToolTip(why);
    m_takeBackAction->setEnabled(!accepted.empty());
    m_acceptedMenu->setEnabled(!accepted.empty());
    m_acceptedMenu->clear();
    for (std::size_t i = 0; i < accepted.size(); ++i) {
        const QString text = tr("Take Back: %1 = %2").arg(toQString(accepted[i].first), toQString(accepted[i].second));
        m_acceptedMenu->addAction(QString(text).replace(u'&', QStringLiteral("&&")), this, [this, i] { m_session->takeBack(i); });
    }
}

} // namespace lemmascope
