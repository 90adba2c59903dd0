#pragma once

#include "core/match/pattern_picture.h"
#include "core/match/stepper.h"
#include "core/prove/check_result.h"
#include "ui/canvas/graph_scene.h"
#include "ui/jobs/latest_job.h"
#include "ui/views/outline.h"

#include <QObject>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

class QAction;
class QDockWidget;
class QMenu;

namespace lemmascope {

class MainWindow;
class MatcherPanel;
class RulesPart;

/// The matcher dock: steps through one attempt of a rule at a node, with the pattern drawn beside the graph; says why rules do not match
/// at a node. What the pattern took, and where it is, is marked on the canvas.
class MatcherPart : public QObject {
    Q_OBJECT

  public:
    /// Transitions made at once; more are made in the background.
    static constexpr std::uint64_t AtOnce = 20'000;

    MatcherPart(MainWindow& window, RulesPart& rules);

    /// Begins with a rule at a value of the graph that rules are matched on, and carries out a command.
    void attempt(std::size_t rule, match::TermId root, std::optional<match::StepCommand> command);
    void step(match::StepCommand command);
    /// Asks the rule chosen in the panel, or all rules, why they do not match at the node.
    void whyNotHere(Side side, FlatNodeId node);
    /// Break before a pattern is matched at a node, or not any more.
    void setBreak(Side side, FlatNodeId node, bool on);
    /// By their names, which are kept when the graph is another version.
    [[nodiscard]] const std::set<std::string>& breakNodes() const { return m_breakNodes; }
    void setBreakNodes(const std::set<std::string>& names);
    void show(bool focus);

    [[nodiscard]] MatcherPanel* panel() const { return m_panel; }
    [[nodiscard]] QDockWidget* dock() const { return m_dock; }
    [[nodiscard]] bool isIdle() const { return !m_run.isRunning() && !m_why.isRunning(); }
    /// What is shown; nothing: no attempt was begun.
    [[nodiscard]] const std::optional<match::StepState>& state() const { return m_state; }

  private:
    void buildActions();
    void addTo(QMenu* menu, Side side, FlatNodeId node);
    [[nodiscard]] bool makeStepper();
    void carryOut();
    void showState();
    void showPattern();
    void mark();
    void forget();
    void reset();
    [[nodiscard]] match::Breakpoints breakpoints() const;
    void askWhy();
    void toggleBreakOnRule();
    void toggleBreakOnNode();
    void updateActions();
    void goTo(const OutlineRow& row);

    MainWindow& m_window;
    RulesPart& m_rules;
    MatcherPanel* m_panel;
    QDockWidget* m_dock;
    std::vector<QAction*> m_stepActions;
    QAction* m_whyAction = nullptr;
    QAction* m_breakRuleAction = nullptr;
    QAction* m_breakNodeAction = nullptr;
    QAction* m_bindingsAction = nullptr;
    QAction* m_clearAction = nullptr;
    std::shared_ptr<match::Stepper> m_stepper; ///< null: no attempt was begun
    std::shared_ptr<const match::GraphSubject> m_subject;
    Side m_side = Side::Reference;
    std::optional<match::StepState> m_state;
    match::PatternPicture m_picture;
    std::optional<std::size_t> m_pictured; ///< the rule that is drawn
    SceneMetrics m_metrics;
    bool m_lookAtAll = false; ///< once the attempt is at its place
    std::set<std::string> m_breakNodes;
    struct Asked {
        Side side = Side::Reference;
        FlatNodeId node;
    };
    std::optional<Asked> m_asked;
    std::shared_ptr<const match::GraphSubject> m_whySubject;
    Side m_whySide = Side::Reference;
    LatestJob m_run;
    LatestJob m_why;
};

} // namespace lemmascope
