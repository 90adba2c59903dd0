#include "app/window/grab.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/jobs/job_list_model.h"
#include "ui/jobs/program_session.h"
#include "ui/models/outline_model.h"
#include "ui/panels/find_bar.h"
#include "ui/panels/help_window.h"
#include "ui/panels/lemma_panel.h"
#include "ui/panels/outline_view.h"
#include "ui/panels/palette_popup.h"
#include "ui/panels/program_page.h"
#include "ui/panels/rules_panel.h"
#include "ui/panels/values_panel.h"
#include "ui/window/find_part.h"
#include "ui/window/graph_table_part.h"
#include "ui/window/help_part.h"
#include "ui/window/main_window.h"
#include "ui/window/matcher_part.h"
#include "ui/window/palette_part.h"
#include "ui/window/program_part.h"
#include "ui/window/review_part.h"
#include "ui/window/rules_part.h"
#include "ui/window/session_part.h"
#include "ui/window/values_part.h"

#include <QCoreApplication>
#include <QDockWidget>
#include <QLineEdit>
#include <QPixmap>

#include <algorithm>
#include <array>
#include <cstdio>

namespace lemmascope {

namespace {

constexpr int PollMs = 50;
constexpr std::array Views{
    "overview", //
    "lemma",    //
    "focus",    //
    "query",    //
    "messages", //
    "find",     //
    "help",     //
    "palette",  //
    "table",    //
    "values",   //
    "heatmap",  //
    "groups",   //
    "scopes",   //
    "review",   //
    "program",  "outputmap", "schedule",
    "rules",   //
    "matcher", //
    "whynot",  //
};

bool isOfRules(const QString& view) {
    return view == QStringLiteral("rules") || view == QStringLiteral("matcher") || view == QStringLiteral("whynot");
}

bool isGrouped(const QString& view) { return view == QStringLiteral("groups") || view == QStringLiteral("scopes"); }

} // namespace

Grabber::Grabber(MainWindow* window, QString file, QString view, QObject* parent)
    : QObject(parent), m_window(window), m_file(std::move(file)), m_view(std::move(view)) {
    m_window->setGoesToFailing(m_view != QStringLiteral("overview") && !isGrouped(m_view) && !isOfRules(m_view));
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        m_window->canvas(side)->setAnimated(false);
    }
    const auto refuse = [this](const Error& error) {
        std::fprintf(stderr, "lemmascope: %s\n", error.text().c_str());
        m_refused = exitStatus(error.code);
    };
    connect(m_window->session(), &PairSession::openRefused, this, refuse);
    connect(m_window->steps(), &StepChecks::openFailed, this, refuse);
    connect(m_window->programSession(), &ProgramSession::openRefused, this, refuse);
    connect(m_window->findChild<SessionPart*>(), &SessionPart::openRefused, this, refuse);
    m_timer.setInterval(PollMs);
    connect(&m_timer, &QTimer::timeout, this, &Grabber::poll);
    m_timer.start();
}

QString Grabber::views() {
    QStringList all;
    for (const char* view : Views) {
        all << QString::fromLatin1(view);
    }
    return all.join(QStringLiteral(", "));
}

bool Grabber::knows(const QString& view) {
    return std::any_of(Views.begin(), Views.end(), [&view](const char* known) { return view == QLatin1String(known); });
}

void Grabber::poll() {
    m_waitedMs += PollMs;
    m_idleMs = m_window->isIdle() && m_window->jobs()->runningCount() == 0 ? m_idleMs + PollMs : 0;
    if (m_waitedMs > TimeoutMs) {
        std::fprintf(stderr, "lemmascope: no verdict within %d s: the picture shows what is known\n", TimeoutMs / 1000);
        save(1);
    } else if (m_idleMs >= SettleMs) {
        if (m_arranged) {
            save(m_refused == 0 ? missingVerdict() : m_refused);
        } else {
            arrange();
            m_arranged = true;
            m_idleMs = 0;
        }
    }
}

int Grabber::missingVerdict() const {
    const ProgramSession* programs = m_window->programSession();
    if (programs->isOpen() && programs->compared()) {
        return 0;
    }
    const PairSession* session = m_window->session();
    if (!programs->isOpen() && (!session->session().isOpen() || session->session().result)) {
        return 0; // the start page waits for no verdict
    }
    std::fprintf(stderr, "lemmascope: there is no verdict: the picture shows what is known\n");
    return 1;
}

void Grabber::arrange() {
    if (m_view == QStringLiteral("messages")) {
        m_window->showDock(MainWindow::Dock::Messages, false);
        return;
    }
    if (m_view == QStringLiteral("help")) {
        m_picture = m_window->findChild<HelpPart*>()->show(QStringLiteral("tutorial"));
        return;
    }
    if (m_window->isWelcome()) {
        return;
    }
    if (m_window->programSession()->isOpen()) {
        auto* programs = m_window->programs();
        if (m_view == QStringLiteral("outputmap") || m_view == QStringLiteral("schedule")) {
            QDockWidget* dock = m_view == QStringLiteral("schedule") ? programs->scheduleDock() : programs->mapDock();
            m_window->showDock(dock, false);
            m_window->resizeDocks({dock}, {m_window->height() / 2}, Qt::Vertical);
        } else if (m_view == QStringLiteral("program")) {
            programs->page()->goToDifference(false);
        }
        return;
    }
    if (m_view == QStringLiteral("overview")) {
        m_window->canvas(Side::Reference)->fit();
        m_window->canvas(Side::Rewritten)->fit();
        return;
    }
    if (isGrouped(m_view)) {
        m_window->session()->setGrouping(m_view == QStringLiteral("groups") ? Grouping::Shared : Grouping::Scopes);
        return;
    }
    if (isOfRules(m_view)) {
        arrangeRules();
        return;
    }
    if (m_view == QStringLiteral("focus")) {
        m_window->setFocusOnDifference(true);
    }
    if (!m_window->currentLemma()) {
        m_window->goToNextFailing(false);
    }
    if (m_view == QStringLiteral("query")) {
        m_window->showDock(MainWindow::Dock::Query, false);
    }
    if (m_view == QStringLiteral("find")) {
        auto* find = m_window->findChild<FindPart*>();
        find->open();
        find->bar()->setText(QStringLiteral("op:*mat*mul"));
        find->step(false);
    }
    if (m_view == QStringLiteral("table")) {
        m_window->findChild<GraphTablePart*>()->show({});
    }
    if (m_view == QStringLiteral("review")) {
        m_window->lemmaPanel()->setGrouped(true);
        m_window->findChild<ReviewPart*>()->markReviewed();
    }
    if (m_view == QStringLiteral("palette")) {
        auto* palette = m_window->findChild<PalettePart*>();
        palette->openPalette();
        palette->popup()->edit()->setText(QStringLiteral("s"));
    }
    if (m_view == QStringLiteral("values") || m_view == QStringLiteral("heatmap")) {
        auto* values = m_window->findChild<ValuesPart*>();
        values->showDock(false);
        values->panel()->setLayout(m_view == QStringLiteral("values") ? ValuesPanel::Layout::Both : ValuesPanel::Layout::Ulp);
        if (m_view == QStringLiteral("heatmap")) {
            m_window->resizeDocks({values->dock()}, {m_window->height() / 2}, Qt::Vertical);
        }
    }
}

void Grabber::arrangeRules() {
    auto* rules = m_window->findChild<RulesPart*>();
    auto* matcher = m_window->findChild<MatcherPart*>();
    rules->show(false);
    m_window->resizeDocks({rules->dock()}, {m_window->width() / 3}, Qt::Horizontal);
    // The first rule's first match, else its nearest miss.
    OutlineView* tree = rules->panel()->tree();
    const OutlineRows& rows = tree->outline()->rows();
    std::optional<std::size_t> chosen;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        if (rows[i].kind == OutlineRow::Kind::Rule) {
            tree->expand(tree->outline()->indexOf(i));
        } else if (!chosen && (rows[i].kind == OutlineRow::Kind::Match || rows[i].kind == OutlineRow::Kind::Miss)) {
            chosen = i;
        }
    }
    if (!chosen) {
        return;
    }
    tree->choose(*chosen);
    if (m_view == QStringLiteral("matcher") || m_view == QStringLiteral("whynot")) {
        matcher->show(false);
        m_window->resizeDocks({matcher->dock()}, {m_window->height() * 2 / 5}, Qt::Vertical);
    }
    if (m_view == QStringLiteral("matcher") && rows[*chosen].kind == OutlineRow::Kind::Match) {
        matcher->step(match::StepCommand::Back);
        matcher->step(match::StepCommand::Back);
        matcher->step(match::StepCommand::Back);
    } else if (m_view == QStringLiteral("whynot")) {
        const MainWindow::Selection selected = m_window->selection();
        matcher->whyNotHere(selected.side, selected.node);
    }
}

void Grabber::save(int status) {
    m_timer.stop();
    if (!(m_picture != nullptr ? m_picture : m_window)->grab().save(m_file, "PNG")) {
        std::fprintf(stderr, "lemmascope: %s: the picture could not be written\n", qPrintable(m_file));
        status = 1;
    }
    m_window->close();
    QCoreApplication::exit(status);
}

} // namespace lemmascope
