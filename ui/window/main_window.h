#pragma once

#include "core/workspace/recent.h"
#include "ui/jobs/pair_session.h"
#include "ui/panels/welcome_page.h"
#include "ui/window/place_history.h"

#include <QElapsedTimer>
#include <QMainWindow>

#include <array>
#include <filesystem>
#include <optional>
#include <vector>

class QActionGroup;
class QLabel;
class QMenu;
class QMenuBar;
class QSplitter;
class QStackedWidget;
class QToolBar;
class QToolButton;

namespace lemmascope {

class CounterexamplePanel;
class GraphCanvas;
class InspectorPanel;
class JobListModel;
class LemmaPanel;
class MessageModel;
class OwnInputsPanel;
class ProgramPart;
class ProgramSession;
class QueryPanel;
class SideView;
class StepsPanel;
class VerdictBanner;

/// The window: two canvases that cannot be torn apart, the verdict above them, and docks around them on one PairSession.
/// main_window.cpp builds it and follows the session, main_window_actions.cpp has menus and keys, main_window_navigation.cpp what
/// is selected and where both sides look, main_window_steps.cpp the steps of a pipeline and what is accepted, main_window_programs.cpp the
/// page of MLIR programs that stands in place of the canvases.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    /// Docks that the window itself fills; parts of the window add theirs behind these.
    enum class Dock { Lemmas, Inspector, Counterexample, Query, Jobs, Messages, Steps, OwnInputs };
    enum class Menu { File, Edit, View, Go, Lemmas, Matcher, Help };
    static constexpr std::size_t MenuCount = 7;
    /// What must be there for an action to be enabled.
    enum class Needs { Nothing, Pair, Result, Failing, Steps, Open, Programs }; ///< Open: a pair of graphs or of programs
    /// What the reader chose last: a lemma, a node of one side, or an input, constant or output; or nothing.
    struct Selection {
        std::optional<std::size_t> lemma;
        Side side = Side::Reference;
        FlatNodeId node;
        FlatValueId value;
    };

    /// `stateFolder` holds the recent pairs; empty: they are not kept.
    MainWindow(Services services, std::vector<ExamplePair> examples, std::filesystem::path stateFolder, QWidget* parent = nullptr);
    ~MainWindow() override;

    void openPair(const QString& reference, const QString& rewritten);
    /// The graphs of a pipeline in their order, or one folder: their steps in a list, the first of them open.
    void openSteps(const QStringList& files);
    /// One file, a pair, or the steps of a pipeline.
    void openFiles(QStringList files);
    /// A graph that waits for its other side is opened beside itself: for rules one is enough.
    void openWaitingAlone();
    /// A file given by itself: the missing side of the pair.
    void openOne(const QString& file);
    void goToLemma(std::size_t lemma);
    void goToNextFailing(bool backwards);
    /// Opens the pair of a step.
    void showStep(std::size_t step);
    void goToStep(bool backwards);
    /// Runs both graphs on the tensors of these files and shows where they part.
    void tryInputs(const QStringList& files);
    /// Accepts the selected lemma, where that can be done, and checks again.
    void acceptLemma();
    void selectNode(Side side, FlatNodeId node);
    void setFocusOnDifference(bool on);
    void exportReport(const QString& folder, bool anonymous);
    /// Reads meanings of ops that are open otherwise, and checks again with them; an empty name: without any.
    void useDefinitions(const QString& file);
    void showDock(Dock which, bool focus) { showDock(dock(which), focus); }
    void showDock(QDockWidget* wanted, bool focus);

    // For parts of the window: each is an object of its own that adds docks and actions here and follows session() and
    // selectionChanged().
    [[nodiscard]] QMenu* menu(Menu menu) const { return m_menus[static_cast<std::size_t>(menu)]; }
    /// The keys work while the menu is closed. `text` with an accelerator; a tooltip is made of it.
    QAction* addMenuAction(QMenu* menu, const QString& text, const QList<QKeySequence>& keys, const std::function<void()>& act,
                           Needs needs = Needs::Nothing);
    /// For single letters: its keys act only while a canvas or the lemma list has the focus.
    QAction* addLetterAction(QMenu* menu, const QString& text, const QList<QKeySequence>& keys, const std::function<void()>& act,
                             Needs needs = Needs::Nothing);
    /// A dock around `content`, with an entry in View > Docks and the next of the keys Ctrl+1 ... Ctrl+9. `name` must never change: saved
    /// layouts go by it. It stands behind `tabbedWith`, or by itself where that is null, and starts hidden where `shown` is false.
    QDockWidget* addPartDock(const QString& title, const QString& name, QWidget* content, Qt::DockWidgetArea area, QDockWidget* tabbedWith,
                             bool shown, Needs needs = Needs::Pair);
    [[nodiscard]] const std::vector<QDockWidget*>& docks() const { return m_docks; }
    [[nodiscard]] SideView* sideView(Side side) const { return m_sides[static_cast<std::size_t>(side)]; }
    [[nodiscard]] QToolBar* toolBar() const { return m_toolBar; }
    [[nodiscard]] Selection selection() const;
    [[nodiscard]] Side activeSide() const;
    [[nodiscard]] FlatNodeId partnerOf(Side side, FlatNodeId node) const;
    [[nodiscard]] static Side other(Side side) { return side == Side::Reference ? Side::Rewritten : Side::Reference; }
    void selectValue(Side side, FlatValueId value);
    /// Selects the node and moves both sides to it and its partner.
    void goToNode(Side side, FlatNodeId node);
    /// Off: closing saves no geometry and no docks.
    void setKeepsLayout(bool on) { m_keepsLayout = on; }
    /// Off: a pair that fails opens on the overview of both graphs and stays there.
    void setGoesToFailing(bool on) { m_goesToFailing = on; }

    [[nodiscard]] PairSession* session() const { return m_session; }
    [[nodiscard]] StepChecks* steps() const { return m_steps; }
    [[nodiscard]] StepsPanel* stepsPanel() const { return m_stepsPanel; }
    [[nodiscard]] OwnInputsPanel* ownInputs() const { return m_ownInputs; }
    /// Which of the open steps the open pair is.
    [[nodiscard]] std::optional<std::size_t> currentStep() const;
    /// Nothing runs in the background.
    [[nodiscard]] bool isIdle() const;
    [[nodiscard]] ProgramSession* programSession() const { return m_programSession; }
    [[nodiscard]] ProgramPart* programs() const { return m_programs; }
    /// The part adds its page once; what it has to tell is shown from then on.
    void setPrograms(ProgramPart* part);
    void programsOpened(); ///< or closed
    void refreshPrograms();
    [[nodiscard]] GraphCanvas* canvas(Side side) const;
    [[nodiscard]] VerdictBanner* banner() const { return m_banner; }
    [[nodiscard]] LemmaPanel* lemmaPanel() const { return m_lemmas; }
    [[nodiscard]] InspectorPanel* inspector() const { return m_inspector; }
    [[nodiscard]] CounterexamplePanel* counterexample() const { return m_counterexample; }
    [[nodiscard]] QueryPanel* query() const { return m_query; }
    [[nodiscard]] MessageModel* messages() const { return m_messages; }
    [[nodiscard]] JobListModel* jobs() const { return m_jobs; }
    [[nodiscard]] WelcomePage* welcome() const { return m_welcome; }
    [[nodiscard]] const std::filesystem::path& stateFolder() const { return m_stateFolder; }
    [[nodiscard]] QDockWidget* dock(Dock dock) const { return m_docks[static_cast<std::size_t>(dock)]; }
    [[nodiscard]] bool isWelcome() const;
    [[nodiscard]] QString versions() const; ///< of the program and its engines
    [[nodiscard]] std::optional<std::size_t> currentLemma() const { return m_lemma; }

  Q_SIGNALS:
    void selectionChanged();
    /// Before a node's context menu opens; `menu` takes more entries. The node may be invalid: empty canvas.
    void nodeMenuOpening(QMenu* menu, lemmascope::Side side, lemmascope::FlatNodeId node);
    void aboutToClose();

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    // main_window.cpp
    void buildCentre();
    void buildDocks();
    void buildStatusBar();
    void followSession();
    void pairOpened();
    void refreshBanner();
    void refreshPanels();
    void refreshStatus();
    void refreshRecent();
    void rememberVerdict();
    void showScenes(const ScenePair& scenes);
    void showPage(bool welcome);
    void restoreLayout();
    void saveLayout();
    void restoreDefaultLayout();

    // main_window_actions.cpp
    void buildActions();
    void updateActions();
    void askForPair();
    void askForDefinitions();
    void askForReportFolder();
    void askForInputs();
    void showPairedValues(FlatValueId reference, FlatValueId rewritten);
    void focusNextPane(bool backwards);
    void addDockAction(QDockWidget* dock, Needs needs);

    // main_window_programs.cpp
    [[nodiscard]] bool showsPrograms() const;
    [[nodiscard]] bool routed(const std::function<void(ProgramPart&)>& act); ///< done, and true, where programs are open

    // main_window_steps.cpp
    void followSteps();
    void tellStep();
    void showStepsDock();
    void askForSteps(bool folder);
    void buildAcceptActions(QMenu* menu);
    void refreshAccepted();

    // main_window_navigation.cpp
    void connectCanvas(Side side);
    void refreshOverlays();
    void showLemmaPanels(std::size_t lemma);
    void goToFirstFailing();
    void centreOnLemma(std::size_t lemma, bool animated);
    void goToPartner();
    void goToDifference(bool backwards);
    void travel(int by);
    void remember(const HistoryPlace& place);
    [[nodiscard]] PairView pairView() const;
    void step(int by);
    void followView(Side side, QPointF centre, double scale);
    void showNodeMenu(Side side, FlatNodeId node, QPoint position);
    void clearSelection();
    [[nodiscard]] std::vector<FlatNodeId> lemmaNodes(std::size_t lemma, Side side) const;

    std::vector<ExamplePair> m_examples;
    std::filesystem::path m_stateFolder;
    RecentPairs m_recent;
    std::string m_versions;
    JobListModel* m_jobs;
    MessageModel* m_messages;
    PairSession* m_session;
    StepChecks* m_steps;
    ProgramSession* m_programSession;
    ProgramPart* m_programs = nullptr;

    QMenuBar* m_menuBar = nullptr;
    QToolBar* m_toolBar = nullptr;
    VerdictBanner* m_banner = nullptr;
    QStackedWidget* m_stack = nullptr;
    WelcomePage* m_welcome = nullptr;
    QSplitter* m_splitter = nullptr;
    std::array<SideView*, 2> m_sides{};
    std::vector<QDockWidget*> m_docks; ///< first those of Dock, in its order
    std::array<QMenu*, MenuCount> m_menus{};
    QMenu* m_docksMenu = nullptr;
    LemmaPanel* m_lemmas = nullptr;
    InspectorPanel* m_inspector = nullptr;
    CounterexamplePanel* m_counterexample = nullptr;
    QueryPanel* m_query = nullptr;
    StepsPanel* m_stepsPanel = nullptr;
    OwnInputsPanel* m_ownInputs = nullptr;
    QLabel* m_nodesLabel = nullptr;
    QLabel* m_zoomLabel = nullptr;
    QToolButton* m_jobsButton = nullptr;
    QMenu* m_recentMenu = nullptr;
    QByteArray m_dockState;    ///< while the welcome page hides the docks
    QByteArray m_defaultState; ///< as first laid out

    QAction* m_reloadAction = nullptr;
    QAction* m_swapAction = nullptr;
    QAction* m_noDefinitionsAction = nullptr;
    QAction* m_closeAction = nullptr;
    QAction* m_reportAction = nullptr;
    QAction* m_checkAction = nullptr;
    QAction* m_stopAction = nullptr;
    QAction* m_acceptAction = nullptr;
    QAction* m_takeBackAction = nullptr;
    QMenu* m_acceptedMenu = nullptr;
    QAction* m_foldAction = nullptr;
    QAction* m_focusAction = nullptr;
    QAction* m_lockAction = nullptr;
    QAction* m_backAction = nullptr;
    QAction* m_forwardAction = nullptr;
    QLabel* m_hopsLabel = nullptr;
    QActionGroup* m_strengths = nullptr;
    std::vector<std::pair<QAction*, Needs>> m_needs;

    std::shared_ptr<const CheckResult> m_shownResult; ///< what the panels show
    JobProgress m_progress;
    QString m_trouble; ///< why the last check failed
    QString m_loading;
    QString m_lastFolder;
    QString m_pendingReference; ///< a file that waits for its other side
    std::optional<std::size_t> m_lemma;
    std::optional<HistoryPlace> m_node;                        ///< the node that was selected last
    std::pair<Side, FlatValueId> m_value{Side::Reference, {}}; ///< or the input, constant or output
    PlaceHistory m_history;
    bool m_travelling = false;
    bool m_keepsLayout = true;
    bool m_goesToFailing = true;
    bool m_stepChosen = false;  ///< by the reader, or the first that is not proved
    bool m_justOpened = false;  ///< and the first verdict has not been shown on the graphs
    bool m_centreAgain = false; ///< once the scenes of the focus region arrive
    QElapsedTimer m_centred;    ///< while both sides move to a pair, neither follows the other
};

} // namespace lemmascope
