#pragma once

#include "core/match/graph_match.h"
#include "core/match/pattern_words.h"
#include "core/match/rule_set.h"
#include "core/prove/check_result.h"
#include "core/workspace/session.h"
#include "ui/jobs/latest_job.h"
#include "ui/views/outline.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <optional>
#include <set>
#include <string>

class QAction;
class QDockWidget;
class QMenu;

namespace lemmascope {

class MainWindow;
class RulesPanel;

/// The rules dock: a rule file that is open beside the pair, read again when it changes, its matches and misses on one of the graphs.
/// The matcher dock steps through what is chosen here.
class RulesPart : public QObject {
    Q_OBJECT

  public:
    explicit RulesPart(MainWindow& window);

    /// A file, or rules of the library by their name (`@attention`, `@all`).
    void open(const QString& fileOrName);
    void close();
    [[nodiscard]] static bool isRulesFile(const QString& file);
    /// Matches all rules on the graph of the side chosen.
    void run();
    void setSide(Side side);
    /// Break on a rule, or not any more.
    void setBreak(const std::string& rule, bool on);
    void setBreaks(const std::set<std::string>& rules);
    /// The next miss in the list after what is chosen there.
    void nextMiss(bool backwards);
    /// Selects the value's node on the side, or the value where no node makes it.
    void goTo(Side side, const match::GraphSubject& subject, match::TermId term);
    void show(bool focus);

    [[nodiscard]] RulesPanel* panel() const { return m_panel; }
    [[nodiscard]] QDockWidget* dock() const { return m_dock; }
    [[nodiscard]] bool isIdle() const { return !m_read.isRunning() && !m_match.isRunning(); }
    /// What is open, as `open` takes it; empty: nothing.
    [[nodiscard]] QString source() const;
    /// Null: no rules are open, or they cannot be read.
    [[nodiscard]] const std::shared_ptr<const match::RuleSet>& rules() const { return m_rules; }
    [[nodiscard]] const std::shared_ptr<const match::PatternWords>& words() const { return m_words; }
    [[nodiscard]] Side side() const { return m_side; }
    /// The graph that rules are matched on; null: no pair is open.
    [[nodiscard]] std::shared_ptr<const Graph> graph(Side side) const;
    /// What was made of it so far; null: nothing.
    [[nodiscard]] const std::shared_ptr<const match::GraphSubject>& subject(Side side) const { return m_subjects[static_cast<std::size_t>(side)]; }
    /// Keeps what was made of the graph that is open now; of an earlier one it is dropped.
    void keepSubject(Side side, const std::shared_ptr<const match::GraphSubject>& subject);
    [[nodiscard]] const std::shared_ptr<const match::GraphMatchResult>& result() const { return m_result; }
    [[nodiscard]] const std::set<std::string>& breaks() const { return m_breaks; }
    /// The rule of the row that is chosen; nothing where none is.
    [[nodiscard]] std::optional<std::size_t> chosenRule() const;
    [[nodiscard]] std::optional<std::size_t> chosenMatch() const;

  Q_SIGNALS:
    void rulesChanged();  ///< another file, another version of it, or none
    void resultChanged(); ///< or it was dropped, since the graph or the side is another
    void breaksChanged();
    /// The user chose a match or a miss.
    void attemptChosen(std::size_t rule, lemmascope::match::TermId root, bool matched);

  private:
    struct Read {
        std::string text;
        std::optional<Error> trouble;
        std::shared_ptr<const match::RuleSet> rules;
        std::shared_ptr<const match::PatternWords> words;
        std::optional<FileStamp> stamp;
    };
    struct Matched {
        std::shared_ptr<const match::GraphSubject> subject;
        std::shared_ptr<const match::GraphMatchResult> result;
        std::shared_ptr<const OutlineRows> rows;
    };

    void buildActions();
    void read();
    void take(const Read& read);
    void watch();
    void refresh();
    void refreshRecent();
    void chosen(std::size_t row);
    void tellFindings(const match::RuleSet& rules);

    MainWindow& m_window;
    RulesPanel* m_panel;
    QDockWidget* m_dock;
    QMenu* m_recent = nullptr;
    QAction* m_runAction = nullptr;
    QAction* m_closeAction = nullptr;
    std::filesystem::path m_file; ///< empty: none is open, or rules of the library
    std::string m_library;        ///< `@attention`; empty: a file
    std::optional<FileStamp> m_stamp;
    std::optional<Error> m_trouble; ///< why the file cannot be read
    std::shared_ptr<const match::RuleSet> m_rules;
    std::shared_ptr<const match::PatternWords> m_words;
    Side m_side = Side::Reference;
    std::shared_ptr<const match::GraphSubject> m_subjects[2];
    std::shared_ptr<const match::GraphMatchResult> m_result;
    std::shared_ptr<const OutlineRows> m_rows; ///< of the result, made where it was: there may be tens of thousands
    std::set<std::string> m_breaks;            ///< rules by name, so that they stay when the file changes
    bool m_opening = false;                    ///< the file that is being read was asked for just now
    bool m_shows = false;                      ///< the dock comes up with the pair
    bool m_stopped = false;                    ///< the last matching was
    QFileSystemWatcher m_watcher;
    QTimer m_timer; ///< editors write in several steps
    LatestJob m_read;
    LatestJob m_match;
};

} // namespace lemmascope
