#include "ui/window/replacement_part.h"

#include "core/format/load.h"
#include "core/report/files.h"
#include "ui/jobs/job_list_model.h"
#include "ui/models/message_model.h"
#include "ui/panels/outline_view.h"
#include "ui/panels/rules_panel.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"
#include "ui/window/rules_part.h"

#include <QAction>
#include <QMenu>
#include <QStatusBar>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::size_t ToldRefusals = 20;

/// The oldest rewritten graphs go.
void prune(const std::filesystem::path& folder, std::size_t kept) {
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
    std::error_code trouble;
    for (std::filesystem::directory_iterator at(folder, trouble), end; !trouble && at != end; at.increment(trouble)) {
        std::error_code unknown;
        if (at->is_regular_file(unknown)) {
            files.emplace_back(at->last_write_time(unknown), at->path());
        }
    }
    std::sort(files.begin(), files.end());
    for (std::size_t i = 0; i + kept < files.size(); ++i) {
        std::filesystem::remove(files[i].second, trouble);
    }
}

} // namespace

ReplacementPart::ReplacementPart(MainWindow& window, RulesPart& rules)
    : QObject(&window), m_window(window), m_rules(rules), m_job(tr("Rewrite the graph"), window.jobs(), this) {
    setObjectName(QStringLiteral("replacementPart"));
    QMenu* menu = window.menu(MainWindow::Menu::Matcher);
    menu->addSeparator();
    m_openAction = window.addMenuAction(menu, tr("Open the Repla&cement as a Pair"), {QKeySequence(QStringLiteral("Ctrl+Alt+R"))},
                                        [this] { openReplacement(); });
    m_openAction->setToolTip(tr("The graph against its rewrite by the chosen match, checked (Ctrl+Alt+R)"));
    m_allAction = window.addMenuAction(menu, tr("&Apply All and Check"), {QKeySequence(QStringLiteral("Ctrl+Alt+A"))}, [this] { applyAll(); });
    m_allAction->setToolTip(tr("The graph against its rewrite by all rules until none applies, checked (Ctrl+Alt+A)"));
    rules.panel()->addButton(m_openAction, tr("Replacement"));
    rules.panel()->addButton(m_allAction, tr("Apply all"));
    rules.panel()->tree()->addAction(m_openAction); // in its context menu
    connect(&rules, &RulesPart::rulesChanged, this, &ReplacementPart::updateActions);
    connect(&rules, &RulesPart::resultChanged, this, &ReplacementPart::updateActions);
    connect(rules.panel()->tree(), &OutlineView::rowChosen, this, &ReplacementPart::updateActions);
    connect(&m_job, &LatestJob::stopped, this, &ReplacementPart::updateActions);
    updateActions();
}

void ReplacementPart::updateActions() {
    const auto set = m_rules.rules();
    const bool any = set && m_rules.graph(m_rules.side()) &&
                     std::any_of(set->programs.begin(), set->programs.end(), [](const auto& each) { return !each->cases.empty(); });
    const auto match = m_rules.chosenMatch();
    const bool replaces = any && match && !set->programs[m_rules.result()->matches[*match].rule]->cases.empty();
    m_openAction->setEnabled(replaces);
    m_allAction->setEnabled(any);
}

void ReplacementPart::openReplacement() {
    const auto chosen = m_rules.chosenMatch();
    const auto subject = m_rules.subject(m_rules.side());
    if (!chosen || !subject) {
        m_window.statusBar()->showMessage(tr("Choose a match in Rules first."), 5'000);
        return;
    }
    const match::GraphMatch& found = m_rules.result()->matches[*chosen];
    rewrite::RewriteOptions options;
    options.rules = {m_rules.rules()->programs[found.rule]->rule};
    options.at = subject->termText(found.root);
    options.maxRounds = 1;
    start(options, tr("%1 at %2").arg(toQString(options.rules.front()), toQString(options.at)), options.rules.front() + "." + options.at);
}

void ReplacementPart::applyAll() { start({}, tr("all rules"), "all"); }

std::filesystem::path ReplacementPart::folder() {
    if (!m_window.stateFolder().empty()) {
        return m_window.stateFolder() / "rewritten";
    }
    if (!m_temporary) {
        m_temporary = std::make_unique<QTemporaryDir>();
    }
    return toPath(m_temporary->path());
}

void ReplacementPart::start(const rewrite::RewriteOptions& options, const QString& name, const std::string& what) {
    const Side side = m_rules.side();
    const auto graph = m_rules.graph(side);
    const auto set = m_rules.rules();
    if (!graph || !set || set->programs.empty()) {
        m_window.statusBar()->showMessage(tr("Open a rule file first (File > Open Rules)."), 5'000);
        return;
    }
    const Session& session = m_window.session()->session();
    const std::filesystem::path reference = side == Side::Reference ? session.reference : session.rewritten;
    std::string stem = reference.filename().string();
    const bool onnx = stem.ends_with(".onnx");
    stem = stem.substr(0, stem.find('.'));
    const std::string file = FileNames().take(stem + "." + what) + (onnx ? ".onnx" : ".lsg.json");
    m_job.setName(tr("Rewrite by %1").arg(name));
    m_job.start<Made>(
        [graph, set, options, definitions = session.options.definitions, into = folder(), file](const JobContext& context) -> Result<Made> {
            context.report({tr("rewriting"), 0, 0});
            auto given = graph;
            if (definitions && !graph->definitions) {
                auto with = std::make_shared<Graph>(*graph);
                with->definitions = definitions;
                given = with;
            }
            auto result = rewrite::rewriteGraph(given, *set->file, set->programs, options, context.stop);
            if (!result) {
                return tl::unexpected<Error>(result.error());
            }
            Made made;
            made.applications = std::move(result->applications);
            made.refusals = std::move(result->refusals);
            made.rounds = result->rounds;
            made.stopped = result->stopped;
            if (made.applications.empty()) {
                return made;
            }
            context.report({tr("writing the rewritten graph"), 0, 0});
            std::error_code trouble;
            std::filesystem::create_directories(into, trouble);
            made.file = into / file;
            if (auto saved = saveGraph(*result->plain, made.file, made.notes); !saved) {
                return tl::unexpected<Error>(saved.error());
            }
            prune(into, KeptFiles);
            return made;
        },
        [this, name, reference](const Result<Made>& made) {
            if (!made) {
                m_window.messages()->addError(tr("Rewriting by %1").arg(name), made.error());
            } else {
                take(*made, name, reference);
            }
            updateActions();
        });
}

void ReplacementPart::take(const Made& made, const QString& name, const std::filesystem::path& reference) {
    std::size_t told = 0;
    for (const rewrite::RewriteRefusal& each : made.refusals) {
        if (told++ == ToldRefusals) {
            m_window.messages()->addNote(name, tr("further matches that were not replaced: %1").arg(made.refusals.size() - ToldRefusals));
            break;
        }
        const std::string at = each.scope.empty() ? each.root : each.scope + "/" + each.root;
        const Error why{ErrorCode::BadData, each.rule + " at " + at + " was not replaced: " + each.reason, reference.string()};
        // Where nothing came of it, that is the failure; else it is told.
        if (made.applications.empty()) {
            m_window.messages()->addError(tr("Rewriting by %1").arg(name), why);
        } else {
            m_window.messages()->addNote(pathText(reference), toQString(why.message));
        }
    }
    for (const std::string& note : made.notes) {
        m_window.messages()->addNote(pathText(made.file), toQString(note));
    }
    if (made.applications.empty()) {
        m_window.statusBar()->showMessage(
            made.refusals.empty() ? tr("Nothing was replaced: no rule applies.") : tr("Nothing was replaced: see Messages."), 10'000);
        return;
    }
    if (!made.stopped.empty()) {
        m_window.messages()->addNote(pathText(made.file), toQString(made.stopped));
    }
    m_rules.setSide(Side::Reference); // the graph that was rewritten stands there
    m_window.statusBar()->showMessage(
        tr("Rewritten by %1: %2 replaced, rounds: %3. The pair is checked.").arg(name).arg(made.applications.size()).arg(made.rounds), 15'000);
    m_window.openPair(pathText(reference), pathText(made.file));
}

} // namespace lemmascope
