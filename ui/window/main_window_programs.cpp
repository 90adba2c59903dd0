// The page of MLIR programs in MainWindow: it stands in place of the canvases while programs are open.

#include "ui/jobs/program_session.h"
#include "ui/panels/program_page.h"
#include "ui/panels/verdict_banner.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"
#include "ui/window/main_window.h"
#include "ui/window/program_part.h"

#include <QDockWidget>
#include <QStackedWidget>
#include <QStatusBar>

namespace lemmascope {

void MainWindow::setPrograms(ProgramPart* part) {
    m_programs = part;
    m_stack->addWidget(part->page());
    connect(m_programSession, &ProgramSession::loadingStarted, this, [this](const QString& reference, const QString& rewritten) {
        m_welcome->setTrouble({});
        m_welcome->setFiles(reference, rewritten);
    });
    connect(m_programSession, &ProgramSession::openRefused, this, [this](const Error& error) {
        m_welcome->setTrouble(tr("✗ %1").arg(toQString(error.text())));
        m_welcome->setFiles({}, {});
        if (!isWelcome()) {
            statusBar()->showMessage(tr("The pair could not be opened: see Messages."), 10'000);
        }
    });
    connect(m_programSession, &ProgramSession::opened, this, &MainWindow::programsOpened);
    connect(m_programSession, &ProgramSession::stateChanged, this, &MainWindow::refreshPrograms);
    connect(m_programSession, &ProgramSession::progressed, this, &MainWindow::refreshBanner);
    connect(m_programSession, &ProgramSession::reportWritten, this,
            [this](const QString& folder) { statusBar()->showMessage(tr("Report written to %1").arg(folder), 10'000); });
    // Graphs take the place of programs, and the other way round.
    connect(m_session, &PairSession::opened, this, [this] {
        if (m_session->session().isOpen()) {
            m_programSession->close();
        }
    });
}

bool MainWindow::showsPrograms() const { return m_programs != nullptr && m_stack->currentWidget() == m_programs->page(); }

bool MainWindow::routed(const std::function<void(ProgramPart&)>& act) {
    if (m_programs == nullptr || (!m_programSession->isOpen() && !m_programSession->isLoading())) {
        return false;
    }
    act(*m_programs);
    return true;
}

bool MainWindow::isIdle() const { return m_session->isIdle() && m_steps->isIdle() && m_programSession->isIdle(); }

void MainWindow::programsOpened() {
    const bool open = m_programSession->isOpen();
    if (!open) {
        if (showsPrograms()) {
            m_programs->keepLayout();
            showPage(!m_session->session().isOpen());
            setWindowTitle(tr("Lemmascope"));
        }
        refreshBanner();
        updateActions();
        return;
    }
    m_pendingReference.clear();
    if (!showsPrograms()) {
        if (m_session->session().isOpen()) {
            m_session->close(); // leaves the start page
        }
        m_stack->setCurrentWidget(m_programs->page());
        for (QDockWidget* each : m_docks) {
            each->hide();
        }
        m_programs->arrange();
        m_programs->page()->view(Side::Reference)->setFocus();
    }
    setWindowTitle(
        tr("%1 ⇢ %2 — Lemmascope").arg(pathText(m_programSession->reference().filename()), pathText(m_programSession->rewritten().filename())));
    m_recent.add({m_programSession->reference(), m_programSession->rewritten(), {}});
    refreshRecent();
    refreshPrograms();
}

void MainWindow::refreshPrograms() {
    if (m_programSession->state() == ProgramSession::State::Decided && m_programSession->compared() && !m_programSession->isLoading()) {
        m_recent.add({m_programSession->reference(), m_programSession->rewritten(), verdictLine(*m_programSession->compared()->result)});
        refreshRecent();
    }
    refreshBanner();
    refreshStatus();
    updateActions();
}

} // namespace lemmascope
