#include "ui/window/worker_loss_part.h"

#include "core/report/crash_bundle.h"
#include "ui/models/message_model.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QDir>
#include <QFileDialog>
#include <QMenu>

namespace lemmascope {

WorkerLossPart::WorkerLossPart(MainWindow* window) : QObject(window), m_window(window), m_job(tr("Save crash bundle"), window->jobs()) {
    m_save = window->addMenuAction(window->menu(MainWindow::Menu::Help), tr("Save Crash &Bundle…"), {}, [this] {
        QMetaObject::invokeMethod(this, &WorkerLossPart::askForFolder, Qt::QueuedConnection); // who triggered it is not kept waiting
    });
    m_save->setToolTip(tr("Keep what the solver or Graphviz was asked when its process ended"));
    m_save->setEnabled(false);
    connect(window->session(), &PairSession::workerLost, this, &WorkerLossPart::take);
}

void WorkerLossPart::take(const WorkerLoss& loss) {
    if (m_losses.size() >= Kept) {
        m_losses.pop_front();
    }
    m_losses.push_back(loss);
    m_save->setEnabled(true);
    const QString story = toQString(loss.story);
    const bool solve = loss.task == WorkerLoss::Task::Solve;
    const QString where = solve ? tr("Solver") : tr("Graphviz");
    const QString remedy = tr("Help > Save Crash Bundle… keeps what it was asked.");
    switch (loss.next) {
    case WorkerLoss::Next::AskedAgain:
        m_window->messages()->addNote(where,
                                      (solve ? tr("A solver process ended before it had decided a lemma: %1. A fresh one is asked again. %2")
                                             : tr("A Graphviz process ended before it had placed the nodes: %1. A fresh one is asked again. %2"))
                                          .arg(story, remedy));
        return;
    case WorkerLoss::Next::GivenUp:
    case WorkerLoss::Next::TimeOver: break;
    }
    // The error's own remedy is to check again, which for a picture is not needed.
    if (solve) {
        m_window->messages()->addError(
            tr("Deciding a lemma"),
            Error{ErrorCode::WorkerFailed, toStdString(tr("%1. The lemma stays undecided. %2").arg(story, remedy)), toStdString(where)});
    } else {
        m_window->messages()->addNote(where, tr("Graphviz did not place the nodes: %1. They are placed in layers instead. %2").arg(story, remedy));
    }
}

void WorkerLossPart::askForFolder() {
    QFileDialog dialog(m_window, tr("Save Crash Bundle"), QDir::homePath());
    dialog.setAcceptMode(QFileDialog::AcceptSave);
    dialog.setFileMode(QFileDialog::AnyFile);
    dialog.setLabelText(QFileDialog::Accept, tr("Save"));
    dialog.setLabelText(QFileDialog::FileName, tr("New folder:"));
    dialog.selectFile(tr("lemmascope-crash"));
    if (dialog.exec() == QDialog::Accepted && !dialog.selectedFiles().isEmpty()) {
        saveBundle(dialog.selectedFiles().front());
    }
}

void WorkerLossPart::saveBundle(const QString& folder) {
    const Session& session = m_window->session()->session();
    CrashBundle bundle{{m_losses.begin(), m_losses.end()}, session.reference, session.rewritten, session.options, {}};
    bundle.options.userInputs.clear(); // not told, and they may be large
    using Files = std::vector<std::string>;
    m_job.start<Files>([bundle = std::move(bundle), folder](const JobContext&) { return writeCrashBundle(bundle, toPath(folder)); },
                       [this, folder](const Result<Files>& files) {
                           if (files) {
                               m_window->messages()->addNote(folder, tr("The crash bundle was written."));
                           } else {
                               m_window->messages()->addError(tr("Saving the crash bundle"), files.error());
                           }
                       });
}

} // namespace lemmascope
