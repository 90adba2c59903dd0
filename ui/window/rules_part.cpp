#include "ui/window/rules_part.h"

#include "core/match/rule_library.h"
#include "core/report/rule_text.h"
#include "ui/jobs/background_free.h"
#include "ui/jobs/job_list_model.h"
#include "ui/models/message_model.h"
#include "ui/models/outline_model.h"
#include "ui/panels/outline_view.h"
#include "ui/panels/rule_text_view.h"
#include "ui/panels/rules_panel.h"
#include "ui/views/match_rows.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QDockWidget>
#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QSettings>
#include <QStatusBar>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr int SettleMs = 150;
constexpr std::size_t ListedMisses = 50; ///< of a rule, fewer where there are many rules
constexpr std::size_t AllMisses = 2'000;
constexpr std::size_t ShownBytes = std::size_t{1} << 20U; ///< of a file's text
constexpr std::size_t ToldFindings = 20;
constexpr qsizetype MostRecent = 8;
constexpr int NeededLetters = 76; ///< width of the dock when it is first shown

QString recentKey() { return QStringLiteral("rules/recent"); }
QSettings settings() { return QSettings(QStringLiteral("lemmascope"), QStringLiteral("lemmascope")); }

} // namespace

RulesPart::RulesPart(MainWindow& window)
    : QObject(&window), m_window(window), m_panel(new RulesPanel(&window)), m_read(tr("Read the rules"), window.jobs(), this),
      m_match(tr("Match the rules"), window.jobs(), this) {
    setObjectName(QStringLiteral("rulesPart"));
    m_dock = window.addPartDock(tr("Rules"), QStringLiteral("rulesDock"), m_panel, Qt::LeftDockWidgetArea, window.dock(MainWindow::Dock::Lemmas),
                                false, MainWindow::Needs::Nothing);
    buildActions();
    m_timer.setSingleShot(true);
    m_timer.setInterval(SettleMs);
    connect(&m_timer, &QTimer::timeout, this, [this] {
        watch(); // an editor that renames leaves the watcher behind
        if (!m_file.empty() && fileStamp(m_file) != m_stamp) {
            read();
        }
    });
    connect(&m_watcher, &QFileSystemWatcher::fileChanged, &m_timer, qOverload<>(&QTimer::start));
    connect(&m_watcher, &QFileSystemWatcher::directoryChanged, &m_timer, qOverload<>(&QTimer::start));
    connect(m_panel, &RulesPanel::sideChosen, this, &RulesPart::setSide);
    connect(m_panel->tree(), &OutlineView::rowChosen, this, &RulesPart::chosen);
    connect(m_panel->tree()->outline(), &OutlineModel::checkToggled, this, [this](std::size_t row, bool on) {
        const OutlineRow& toggled = m_panel->tree()->outline()->rows()[row];
        if (m_rules && toggled.kind == OutlineRow::Kind::Rule) {
            setBreak(m_rules->programs[toggled.index]->rule, on);
        }
    });
    connect(&m_match, &LatestJob::progressed, this, [this](const JobProgress& progress) { m_panel->setProgress(progress.done, progress.total); });
    connect(&m_match, &LatestJob::stopped, this, [this] {
        m_stopped = true;
        refresh();
    });
    connect(window.session(), &PairSession::opened, this, [this] {
        m_subjects[0].reset();
        m_subjects[1].reset();
        m_result.reset();
        Q_EMIT resultChanged();
        if (m_window.session()->session().isOpen() && std::exchange(m_shows, false)) {
            show(false);
        }
        run();
    });
    refresh();
}

void RulesPart::buildActions() {
    QMenu* file = m_window.menu(MainWindow::Menu::File);
    QAction* openAction = m_window.addMenuAction(file, tr("Open R&ules…"), {QKeySequence(QStringLiteral("Ctrl+Alt+O"))}, [this] {
        QMetaObject::invokeMethod(
            this,
            [this] {
                const QString folder =
                    m_file.empty() ? pathText(m_window.session()->session().reference.parent_path()) : pathText(m_file.parent_path());
                const QString chosen = QFileDialog::getOpenFileName(&m_window, tr("Open Rules"), folder, tr("Rules (*.rules);;All files (*)"));
                if (!chosen.isEmpty()) {
                    open(chosen);
                }
            },
            Qt::QueuedConnection);
    });
    m_recent = new QMenu(tr("Rules Opened &Before"), file);
    auto* library = new QMenu(tr("Rules of the Librar&y"), file);
    library->setToolTipsVisible(true);
    // Names and words of the library are data, of which there may be more in another version: listed when they are asked for.
    connect(library, &QMenu::aboutToShow, this, [this, library] {
        if (!library->isEmpty()) {
            return;
        }
        QAction* every = library->addAction(tr("&All"), this, [this] { open(QStringLiteral("@all")); });
        every->setToolTip(tr("All rules of the library that have replacements"));
        for (const match::LibraryRules& each : match::ruleLibrary()) {
            const QString name = toQString(each.name);
            QAction* action = library->addAction(name, this, [this, name] { open(u'@' + name); });
            action->setToolTip(toQString(each.summary()));
        }
    });
    m_closeAction = m_window.addMenuAction(file, tr("Close Rules"), {QKeySequence(QStringLiteral("Ctrl+Alt+W"))}, [this] { close(); });
    for (QAction* known : file->actions()) { // before Reload
        if (known->shortcuts().contains(QKeySequence(QStringLiteral("F5")))) {
            file->removeAction(openAction);
            file->removeAction(m_closeAction);
            file->insertAction(known, openAction);
            file->insertMenu(known, m_recent);
            file->insertMenu(known, library);
            file->insertAction(known, m_closeAction);
            break;
        }
    }
    QMenu* matcher = m_window.menu(MainWindow::Menu::Matcher);
    m_runAction = m_window.addMenuAction(matcher, tr("&Run"), {QKeySequence(QStringLiteral("Ctrl+F9"))}, [this] { run(); });
    m_runAction->setToolTip(tr("Match all rules on the graph (Ctrl+F9)"));
    m_panel->addButton(openAction, tr("Open rules"));
    m_panel->addButton(m_runAction, tr("Run"));
    refreshRecent();
}

void RulesPart::refreshRecent() {
    m_recent->clear();
    const QStringList recent = m_window.stateFolder().empty() ? QStringList() : settings().value(recentKey()).toStringList();
    for (const QString& each : recent) {
        m_recent->addAction(QString(each).replace(u'&', QStringLiteral("&&")), this, [this, each] { open(each); });
    }
    m_recent->setEnabled(!recent.isEmpty());
}

bool RulesPart::isRulesFile(const QString& file) { return file.endsWith(QStringLiteral(".rules"), Qt::CaseInsensitive); }

QString RulesPart::source() const { return m_library.empty() ? pathText(m_file) : toQString(m_library); }

void RulesPart::open(const QString& fileOrName) {
    m_library = match::isLibraryName(toStdString(fileOrName)) ? toStdString(fileOrName) : std::string();
    m_file = m_library.empty() ? toPath(QFileInfo(fileOrName).absoluteFilePath()) : std::filesystem::path();
    m_opening = true;
    m_stopped = false;
    read();
    watch();
    refresh();
    show(false);
    m_window.openWaitingAlone();
}

void RulesPart::close() {
    m_read.stop();
    m_match.stop();
    m_file.clear();
    m_library.clear();
    m_stamp.reset();
    m_trouble.reset();
    m_rules.reset();
    m_words.reset();
    m_result.reset();
    m_panel->text()->setRules({});
    watch();
    Q_EMIT rulesChanged();
    Q_EMIT resultChanged();
    refresh();
}

void RulesPart::watch() {
    if (const QStringList watched = m_watcher.files() + m_watcher.directories(); !watched.isEmpty()) {
        m_watcher.removePaths(watched);
    }
    if (!m_file.empty()) {
        // The folder too: a file that is written anew is another one.
        m_watcher.addPaths({pathText(m_file), pathText(m_file.parent_path())});
    }
}

void RulesPart::read() {
    m_read.setName(tr("Read %1").arg(m_library.empty() ? pathText(m_file.filename()) : toQString(m_library)));
    m_read.start<Read>(
        [path = m_file, library = m_library](const JobContext& context) -> Result<Read> {
            context.report({tr("reading the rules"), 0, 0});
            Read out;
            std::error_code ignored;
            if (library.empty()) {
                out.stamp = fileStamp(path);
                const auto status = std::filesystem::status(path, ignored);
                if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) { // a pipe would be waited for
                    out.trouble = Error{ErrorCode::BadData, "this is no file: name a rule file in its place", path.string()};
                    return out;
                }
            }
            const std::string source = library.empty() ? path.string() : library;
            auto text = readRules(source);
            if (!text) {
                out.trouble = text.error();
                return out;
            }
            out.text = *text;
            auto rules = match::readRuleSet(std::move(*text), source);
            if (!rules) {
                out.trouble = rules.error();
                return out;
            }
            out.rules = std::make_shared<const match::RuleSet>(std::move(*rules));
            out.words = std::make_shared<const match::PatternWords>(out.rules->file);
            return out;
        },
        [this](Result<Read> done) {
            if (done) {
                take(*done);
            } else {
                m_window.messages()->addError(tr("Opening the rules"), done.error());
            }
        });
}

void RulesPart::take(const Read& read) {
    m_stamp = read.stamp;
    m_trouble = read.trouble;
    m_rules = read.rules;
    m_words = read.words;
    m_match.stop();
    m_result.reset();
    m_panel->text()->setRules(toQString(std::string_view(read.text).substr(0, ShownBytes)));
    std::vector<match::Spot> spots;
    if (m_trouble) {
        m_window.messages()->addError(tr("Opening the rules"), *m_trouble);
        if (const auto spot = match::spotOf(*m_trouble)) {
            spots.push_back(*spot);
        }
    } else {
        tellFindings(*m_rules);
        for (const match::Finding& each : m_rules->findings) {
            spots.push_back(each.spot);
        }
    }
    m_panel->text()->setFindings(spots);
    if (!spots.empty() && (m_trouble || !m_rules->passes())) {
        m_panel->text()->goTo(spots.front());
    }
    if (std::exchange(m_opening, false)) {
        m_shows = m_window.isWelcome();
        if (!m_shows) {
            show(false);
        }
        if (!m_trouble && m_library.empty() && !m_window.stateFolder().empty()) {
            QStringList recent = settings().value(recentKey()).toStringList();
            recent.removeAll(pathText(m_file));
            recent.prepend(pathText(m_file));
            settings().setValue(recentKey(), QStringList(recent.mid(0, MostRecent)));
            refreshRecent();
        }
    }
    Q_EMIT rulesChanged();
    Q_EMIT resultChanged();
    refresh();
    run();
}

void RulesPart::tellFindings(const match::RuleSet& rules) {
    std::size_t told = 0;
    for (const match::Finding& each : rules.findings) {
        if (!each.isError || told++ == ToldFindings) {
            continue;
        }
        const std::string detail = each.detail.empty() ? std::string() : " (" + each.detail + ")";
        m_window.messages()->addError(tr("Checking the rules"),
                                      Error{ErrorCode::BadData, each.owner + ": " + each.fact + detail, rules.file->file + ":" + each.spot.text()});
    }
}

std::shared_ptr<const Graph> RulesPart::graph(Side side) const {
    const Session& session = m_window.session()->session();
    return !session.isOpen() ? nullptr : side == Side::Reference ? session.referenceGraph : session.rewrittenGraph;
}

void RulesPart::keepSubject(Side side, const std::shared_ptr<const match::GraphSubject>& subject) {
    if (subject && subject->shared() == graph(side)) {
        m_subjects[static_cast<std::size_t>(side)] = subject;
    }
}

void RulesPart::run() {
    m_match.stop();
    m_stopped = false;
    const auto on = graph(m_side);
    if (!m_rules || m_rules->programs.empty() || !on) {
        refresh();
        return;
    }
    m_panel->setProgress(0, m_rules->programs.size());
    m_match.start<Matched>(
        [rules = m_rules, on, known = subject(m_side)](const JobContext& context) -> Result<Matched> {
            const JobProgress begins{tr("reading the graph"), 0, 0};
            context.report(begins);
            Matched out;
            out.subject = known && known->shared() == on ? known : freedInBackground(std::make_unique<const match::GraphSubject>(on));
            match::GraphMatchOptions options;
            options.listedMisses = std::clamp<std::size_t>(AllMisses / rules->programs.size(), 5, ListedMisses);
            options.stop = context.stop;
            options.progress = [&](std::size_t done, std::size_t all) {
                context.report({tr("matching %1").arg(toQString(rules->programs[done]->rule)), done, all});
            };
            auto result = match::matchGraph(rules->programs, *out.subject, options);
            if (!result) {
                return tl::unexpected<Error>(result.error());
            }
            out.result = freedInBackground(std::make_unique<const match::GraphMatchResult>(std::move(*result)));
            out.rows = freedInBackground(std::make_unique<const OutlineRows>(ruleRows(*rules, out.result.get(), out.subject.get(), {})));
            return out;
        },
        [this, side = m_side](Result<Matched> matched) {
            if (!matched) {
                m_window.messages()->addError(tr("Matching the rules"), matched.error());
                refresh();
                return;
            }
            keepSubject(side, matched->subject);
            m_result = matched->result;
            m_rows = matched->rows;
            refresh();
            Q_EMIT resultChanged();
        });
    refresh();
}

void RulesPart::refresh() {
    m_panel->setFile(source());
    m_panel->setSide(m_side);
    const bool open = !source().isEmpty();
    m_closeAction->setEnabled(open);
    const bool runs = m_rules && !m_rules->programs.empty();
    m_runAction->setEnabled(runs && graph(m_side) != nullptr);
    if (!m_match.isRunning()) {
        m_panel->setProgress(0, 0);
    }
    QString answer;
    if (!open) {
        answer = tr("Open a rule file: File > Open Rules, or drop one here.");
    } else if (m_trouble) {
        answer = tr("✗ The rules cannot be read: see the line that is marked.");
    } else if (!m_rules) {
        answer = tr("Reading the rules …");
    } else if (!m_rules->passes()) {
        answer = tr("✗ The static check fails: nothing is matched.");
    } else if (!graph(m_side)) {
        answer = tr("Rules: %1. They are matched once a pair is open.").arg(m_rules->programs.size());
    } else if (m_match.isRunning()) {
        answer = tr("Matching …");
    } else if (m_stopped) {
        answer = tr("The matching was stopped: Run (Ctrl+F9) begins again.");
    } else if (m_result) {
        answer = resultText(*m_result);
    }
    m_panel->setAnswer(answer);
    if (m_trouble) {
        m_panel->setRows(std::make_shared<const OutlineRows>(troubleRows(*m_trouble)));
    } else if (m_rules) {
        if (!m_result) {
            m_rows = freedInBackground(std::make_unique<const OutlineRows>(ruleRows(*m_rules, nullptr, nullptr, {})));
        }
        if (m_breaks.empty()) {
            m_panel->setRows(m_rows);
        } else {
            auto marked = std::make_unique<OutlineRows>(*m_rows);
            markBreaks(*marked, *m_rules, m_breaks);
            m_panel->setRows(freedInBackground(std::unique_ptr<const OutlineRows>(std::move(marked))));
        }
    } else {
        m_rows.reset();
        m_panel->setRows(nullptr);
    }
}

void RulesPart::setSide(Side side) {
    if (side != m_side) {
        m_side = side;
        m_result.reset();
        Q_EMIT resultChanged();
        run();
    }
}

void RulesPart::setBreak(const std::string& rule, bool on) {
    std::set<std::string> wanted = m_breaks;
    if (on) {
        wanted.insert(rule);
    } else {
        wanted.erase(rule);
    }
    setBreaks(wanted);
}

void RulesPart::setBreaks(const std::set<std::string>& rules) {
    if (rules != m_breaks) {
        m_breaks = rules;
        refresh();
        Q_EMIT breaksChanged();
    }
}

std::optional<std::size_t> RulesPart::chosenRule() const {
    const OutlineRow* row = m_panel->tree()->current();
    if (row == nullptr || !m_rules) {
        return std::nullopt;
    }
    switch (row->kind) {
    case OutlineRow::Kind::Rule: return row->index < m_rules->programs.size() ? std::optional(row->index) : std::nullopt; // rows may be older
    case OutlineRow::Kind::Match: return m_result ? std::optional(m_result->matches[row->index].rule) : std::nullopt;
    case OutlineRow::Kind::Miss: return m_result ? std::optional(m_result->misses[row->index].rule) : std::nullopt;
    case OutlineRow::Kind::Count: return m_result ? std::optional(m_result->counts[row->index].rule) : std::nullopt;
    case OutlineRow::Kind::Text:
    case OutlineRow::Kind::Finding: break;
    }
    return std::nullopt;
}

std::optional<std::size_t> RulesPart::chosenMatch() const {
    const OutlineRow* row = m_panel->tree()->current();
    return row != nullptr && row->kind == OutlineRow::Kind::Match && m_result ? std::optional(row->index) : std::nullopt;
}

void RulesPart::goTo(Side side, const match::GraphSubject& subject, match::TermId term) {
    if (!term.isValid() || subject.shared() != graph(side)) {
        return;
    }
    if (const NodeId node = subject.nodeOf(term); node.isValid()) {
        m_window.goToNode(side, FlatNodeId(node.index));
    } else {
        m_window.selectValue(side, FlatValueId(term.index));
    }
}

void RulesPart::chosen(std::size_t row) {
    const OutlineRow chosen = m_panel->tree()->outline()->rows()[row];
    const auto subject = m_subjects[static_cast<std::size_t>(m_side)];
    if (!subject) {
        return;
    }
    goTo(m_side, *subject, chosen.term);
    if (!m_result) {
        return;
    }
    if (chosen.kind == OutlineRow::Kind::Match) {
        Q_EMIT attemptChosen(m_result->matches[chosen.index].rule, chosen.term, true);
    } else if (chosen.kind == OutlineRow::Kind::Miss) {
        Q_EMIT attemptChosen(m_result->misses[chosen.index].rule, chosen.term, false);
    } else if (chosen.kind == OutlineRow::Kind::Count) {
        Q_EMIT attemptChosen(m_result->counts[chosen.index].rule, chosen.term, false);
    }
}

void RulesPart::nextMiss(bool backwards) {
    OutlineView* tree = m_panel->tree();
    const OutlineRows& rows = tree->outline()->rows();
    const std::size_t count = rows.size();
    const QModelIndex current = tree->currentIndex();
    const std::size_t from = current.isValid() ? tree->outline()->rowAt(current) : (backwards ? 0 : count - 1);
    for (std::size_t i = 1; i <= count; ++i) {
        const std::size_t row = (from + (backwards ? count - i % count : i)) % count;
        if (rows[row].kind == OutlineRow::Kind::Miss) {
            show(false);
            tree->choose(row);
            return;
        }
    }
    m_window.statusBar()->showMessage(m_rules ? tr("There is no near miss.") : tr("Open a rule file first (File > Open Rules)."), 5'000);
}

void RulesPart::show(bool focus) {
    const bool seen = m_dock->isVisible();
    m_window.showDock(m_dock, focus);
    // Rows have five columns and words: as wide as they need, but the graphs keep most of the window.
    const int wanted = std::min(m_dock->fontMetrics().averageCharWidth() * NeededLetters, m_window.width() * 2 / 5);
    if (!seen && !m_dock->isFloating() && m_dock->width() < wanted) {
        m_window.resizeDocks({m_dock}, {wanted}, Qt::Horizontal);
    }
}

} // namespace lemmascope
