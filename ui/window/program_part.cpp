#include "ui/window/program_part.h"

#include "ui/models/message_model.h"
#include "ui/panels/output_map_panel.h"
#include "ui/panels/program_page.h"
#include "ui/panels/program_settings_bar.h"
#include "ui/panels/schedule_panel.h"
#include "ui/panels/verdict_banner.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QCheckBox>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QStatusBar>

namespace lemmascope {

ProgramPart::ProgramPart(MainWindow& window) : QObject(&window), m_window(window), m_session(window.programSession()) {
    m_page = new ProgramPage(&window);
    m_page->hide();
    m_maps = new OutputMapPanel(m_session, &window);
    m_schedule = new SchedulePanel(m_session, &window);
    QDockWidget* counterexample = window.dock(MainWindow::Dock::Counterexample); // stays the one in front
    m_mapDock = window.addPartDock(tr("Output map"), QStringLiteral("outputMapDock"), m_maps, Qt::BottomDockWidgetArea, counterexample, false,
                                   MainWindow::Needs::Programs);
    m_scheduleDock = window.addPartDock(tr("Schedule"), QStringLiteral("scheduleDock"), m_schedule, Qt::BottomDockWidgetArea, counterexample, false,
                                        MainWindow::Needs::Programs);

    QMenu* go = window.menu(MainWindow::Menu::Go);
    go->addSeparator();
    // Plain keys: only where the programs are.
    for (const auto& [text, key, back] : {std::tuple{tr("Sc&hedule: Step Forward"), ">", false}, std::tuple{tr("Schedule: Step Bac&k"), "<", true}}) {
        QAction* action = window.addMenuAction(
            go, text, {QKeySequence(QString::fromLatin1(key))},
            [this, back = back] {
                m_window.showDock(m_scheduleDock, false);
                m_schedule->step(back);
            },
            MainWindow::Needs::Programs);
        window.removeAction(action);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        m_page->addAction(action);
        m_scheduleDock->addAction(action);
    }

    QMenu* lemmas = window.menu(MainWindow::Menu::Lemmas);
    lemmas->addSeparator();
    ProgramSettingsBar* bar = m_page->settings();
    window.addMenuAction(
        lemmas, tr("&Entry of Programs"), {}, [bar] { bar->chooseEntry(); }, MainWindow::Needs::Programs);
    window.addMenuAction(
        lemmas, tr("Si&zes of Programs"), {}, [bar] { bar->editSizes(); }, MainWindow::Needs::Programs);
    window.addMenuAction(
        lemmas, tr("Arguments Ma&y Alias"), {}, [bar] { bar->mayAlias()->toggle(); }, MainWindow::Needs::Programs);
    window.addMenuAction(
        lemmas, tr("Finger&print"), {}, [bar] { bar->fingerprint()->toggle(); }, MainWindow::Needs::Programs);
    connect(bar, &ProgramSettingsBar::chosen, m_session, &ProgramSession::ask);
    connect(bar, &ProgramSettingsBar::sizesRefused, this, [this](const QString& wrong) {
        m_window.messages()->addError(tr("Sizes of programs"),
                                      Error{ErrorCode::Usage, toStdString(tr("'%1' is no size: write NAME=NUMBER, such as n=8").arg(wrong)), {}});
        m_window.statusBar()->showMessage(tr("'%1' is no size: write NAME=NUMBER, such as n=8").arg(wrong), 10'000);
    });
    connect(m_session, &ProgramSession::openRefused, this, &ProgramPart::refreshSettings); // what was asked does not count

    connect(m_session, &ProgramSession::loadingStarted, this, [this](const QString& reference, const QString& rewritten) {
        m_loading = tr("%1 and %2").arg(QFileInfo(reference).fileName(), QFileInfo(rewritten).fileName());
    });
    connect(m_session, &ProgramSession::opened, this, [this] {
        m_progress = {};
        m_page->setPair(m_session->pair());
        m_page->setMarks(m_session->diff());
        refreshSettings();
        if (!m_session->isOpen()) {
            m_file.clear();
        }
    });
    connect(m_session, &ProgramSession::progressed, this, [this](const JobProgress& progress) { m_progress = progress; });
    connect(m_session, &ProgramSession::stateChanged, this, [this] {
        if (m_session->compared() != m_shown) {
            m_shown = m_session->compared();
            m_page->setMarks(m_session->diff());
            m_page->settings()->setNeeded(toQString(m_session->sizeNeeded()));
            if (m_shown) {
                decided();
            }
        }
    });
    connect(m_maps, &OutputMapPanel::lineChosen, this, [this](Side side, int line) { m_page->goToLine(side, line); });
    connect(m_schedule, &SchedulePanel::stepShown, this, [this](Side side, int line) {
        m_page->view(side)->setStep(line);
        m_page->view(side == Side::Reference ? Side::Rewritten : Side::Reference)->setStep(0);
    });
    connect(m_session, &ProgramSession::saved, this,
            [this](const QString& file) { m_window.statusBar()->showMessage(tr("Session saved to %1").arg(file), 10'000); });
    if (const auto* lock = window.findChild<QAction*>(QStringLiteral("lockSides"))) {
        connect(lock, &QAction::toggled, m_page, &ProgramPage::setLocked);
        m_page->setLocked(lock->isChecked());
    }
}

void ProgramPart::refreshSettings() {
    const auto list = [](const std::vector<std::string>& names) {
        QStringList out;
        for (const std::string& name : names) {
            out << toQString(name);
        }
        return out;
    };
    ProgramSettingsBar* bar = m_page->settings();
    bar->setChoices(list(m_session->functions()), list(m_session->askable()));
    bar->setSettings(m_session->program(), m_session->options().sizes);
    bar->setNeeded(toQString(m_session->sizeNeeded()));
}

void ProgramPart::decided() {
    // What went wrong first: a run that did not end has no outputs to map.
    const interp::ProgramComparison& comparison = *m_shown->comparison;
    const auto ended = [](const interp::RunResult& run) { return run.end == interp::RunResult::End::Finished; };
    m_window.showDock(ended(comparison.reference) && ended(comparison.rewritten) ? m_mapDock : m_scheduleDock, false);
}

void ProgramPart::refreshBanner(VerdictBanner& banner) {
    banner.setWanted(m_session->options().wanted);
    banner.show();
    if (m_session->isLoading()) {
        banner.showLoading(m_loading);
        return;
    }
    switch (m_session->state()) {
    case ProgramSession::State::Empty: break;
    case ProgramSession::State::Checking: banner.showChecking(m_progress.phase, m_progress.done, m_progress.total); break;
    case ProgramSession::State::Decided:
        banner.showResult(m_session->compared()->result);
        banner.setStale(m_session->isStale());
        break;
    case ProgramSession::State::Stopped: banner.showNoVerdict(tr("STOPPED"), tr("The check was stopped: there is no verdict.")); break;
    case ProgramSession::State::Failed:
        banner.showNoVerdict(tr("NO VERDICT"), m_session->trouble().isEmpty() ? tr("The check failed: see Messages.") : m_session->trouble());
        break;
    }
}

void ProgramPart::want(Strength strength) {
    CheckOptions options = m_session->options();
    if (options.wanted != strength) {
        options.wanted = strength;
        m_session->check(options);
    }
}

bool ProgramPart::hasFailing() const {
    const auto& compared = m_session->compared();
    return compared && ((!compared->maps.empty() && compared->maps[compared->firstOutput()]->familyState() > CellState::Proved) ||
                        compared->result->verdict != Verdict::Proved);
}

void ProgramPart::goToFirst() {
    const auto& compared = m_session->compared();
    if (!compared) {
        return;
    }
    if (!m_session->sizeNeeded().empty()) {
        m_page->settings()->editSizes();
        return;
    }
    const auto& schedule = m_session->schedule();
    if (schedule && !schedule->trouble.empty()) {
        m_window.showDock(m_scheduleDock, false);
        if (schedule->decisive() < schedule->steps.size()) {
            const std::uint32_t line = schedule->steps[schedule->decisive()].line;
            m_page->view(schedule->side)->setStep(static_cast<int>(line));
        }
    } else if (!compared->maps.empty()) {
        m_window.showDock(m_mapDock, true);
        const std::size_t output = compared->firstOutput();
        m_session->chooseCell(output, compared->maps[output]->first());
    }
}

void ProgramPart::goToNext(bool backwards) {
    const auto& compared = m_session->compared();
    if (compared && !compared->maps.empty()) {
        m_window.showDock(m_mapDock, false);
        m_maps->goToNext(backwards);
    } else {
        goToFirst();
    }
}

void ProgramPart::arrange() {
    QDockWidget* messages = m_window.dock(MainWindow::Dock::Messages);
    QDockWidget* jobs = m_window.dock(MainWindow::Dock::Jobs);
    for (QDockWidget* dock : {jobs, messages, m_scheduleDock, m_mapDock}) {
        m_window.addDockWidget(Qt::BottomDockWidgetArea, dock);
        dock->setFloating(false);
    }
    m_window.tabifyDockWidget(m_mapDock, m_scheduleDock);
    m_window.tabifyDockWidget(m_scheduleDock, jobs);
    m_window.tabifyDockWidget(jobs, messages);
    for (QDockWidget* dock : {m_mapDock, m_scheduleDock, jobs, messages}) {
        dock->show();
    }
    m_mapDock->raise();
    m_window.resizeDocks({m_mapDock}, {m_window.height() * 2 / 5}, Qt::Vertical);
    if (!m_layout.isEmpty()) {
        m_window.restoreState(m_layout, 1);
    }
}

void ProgramPart::keepLayout() { m_layout = m_window.saveState(1); }

void ProgramPart::save() {
    if (m_file.isEmpty()) {
        saveAs();
    } else {
        saveTo(m_file);
    }
}

void ProgramPart::saveAs() {
    if (!m_session->isOpen()) {
        return;
    }
    const std::filesystem::path& rewritten = m_session->rewritten();
    const QString proposed = m_file.isEmpty() ? pathText(rewritten.parent_path() / rewritten.stem()) + toQString(SessionSuffix) : m_file;
    QString chosen = QFileDialog::getSaveFileName(&m_window, tr("Save Session"), proposed, tr("Sessions (*.lsession)"));
    if (!chosen.isEmpty()) {
        if (QFileInfo(chosen).suffix().isEmpty()) {
            chosen += toQString(SessionSuffix);
        }
        saveTo(chosen);
    }
}

void ProgramPart::saveTo(const QString& file) {
    m_file = QFileInfo(file).absoluteFilePath();
    m_session->save(toPath(m_file));
}

} // namespace lemmascope
