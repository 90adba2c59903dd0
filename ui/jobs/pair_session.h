#pragma once

#include "core/workspace/session.h"
#include "ui/canvas/scene_builder.h"
#include "ui/jobs/latest_job.h"
#include "ui/jobs/services.h"
#include "ui/jobs/step_checks.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lemmascope {

class MessageModel;

/// What is shown of the two graphs.
struct SceneOptions {
    SceneMetrics metrics;
    bool focusOnDifference = false; ///< only the differing region and `contextHops` around it
    int contextHops = 2;
    std::vector<FlatNodeId> expanded[2]; ///< by Side: nodes whose nested graphs the user opened
    std::vector<FlatNodeId> collapsed[2];
    /// How nodes are put together, as the reader chose; absent: shared regions where a graph is large.
    std::optional<Grouping> grouping;
    bool groupsStartOpen = false;
    std::set<std::string> toggledGroups; ///< keys of groups that are not as they start; kept over reloads
    friend bool operator==(const SceneOptions&, const SceneOptions&) = default;
};

/// The open pair and the background work around it: read, pair, lay out, check, export. All slow work runs in LatestJobs; every
/// signal comes on the UI thread. A pair that cannot be read leaves the open one as it was. Holds no widget.
class PairSession : public QObject {
    Q_OBJECT

  public:
    enum class State { Empty, Checking, Decided, Stopped, Failed };
    static constexpr std::size_t LargestUngrouped = 400;   ///< nodes of a graph whose shared regions are not closed by themselves
    static constexpr std::size_t LargestFocusRegion = 300; ///< nodes that Graphviz is asked to place

    PairSession(Services services, JobListModel* jobs, MessageModel* messages, QObject* parent = nullptr);
    ~PairSession() override;

    void open(const std::filesystem::path& reference, const std::filesystem::path& rewritten);
    void reload();
    void swapSides();
    void close();
    /// Checks the open graphs again, with these options.
    void check(const CheckOptions& options);
    /// Takes a value of the rewritten graph for one of the reference (reference first), and checks again. A pair that the check
    /// refuses is taken back by itself, with a message.
    void accept(const std::pair<std::string, std::string>& pair);
    void takeBack(std::size_t accepted);
    /// Reads tensors and checks again with them: the result tells where both graphs part on them. Nothing: as before. Tensors that do
    /// not fit are dropped, with a message.
    void tryInputs(const std::vector<std::filesystem::path>& files);
    /// What is accepted of the open pair; of each pair that was open, it is kept as long as the program runs.
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& accepted() const { return m_session.options.assumedEqual; }
    [[nodiscard]] const AcceptedPairs& allAccepted() const { return m_accepted; }
    /// Stops reading and checking; what is open stays, without a verdict if none was reached.
    void stop();
    void exportReport(const std::filesystem::path& folder, bool anonymous);

    void setMetrics(const SceneMetrics& metrics);
    void setFocusOnDifference(bool on);
    void setContextHops(int hops);
    void expand(Side side, FlatNodeId node, bool open);
    /// As they were before, but for the metrics; nodes that the graphs no longer have are left out.
    void restoreSceneOptions(SceneOptions options);
    /// What is accepted as equal, all at once; checks again.
    void setAccepted(const AcceptedPairs::mapped_type& pairs);
    void setGrouping(std::optional<Grouping> grouping);
    void setGroupsOpen(bool open); ///< all of them
    void expandGroup(std::uint32_t group, bool open);
    /// Opens the closed groups around these nodes. False if none is.
    bool reveal(const std::vector<FlatNodeId>& reference, const std::vector<FlatNodeId>& rewritten);
    /// How nodes are put together now.
    [[nodiscard]] Grouping grouping() const;
    [[nodiscard]] GroupChoice groupChoice() const { return {grouping(), m_sceneOptions.groupsStartOpen, m_sceneOptions.toggledGroups}; }
    /// The groups of the scenes last shown; null: none.
    [[nodiscard]] const std::shared_ptr<const NodeGroups>& groups() const { return m_shown.groups; }
    /// The files that are open were open before: another version of them.
    [[nodiscard]] bool isReload() const { return m_isReload; }
    /// Centre of the focus region: a lemma, else all that differs.
    void setFocusLemma(std::optional<std::size_t> lemma);

    [[nodiscard]] const Session& session() const { return m_session; }
    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isLoading() const { return m_load.isRunning(); }
    [[nodiscard]] bool isStale() const { return m_stale; }
    [[nodiscard]] const SceneOptions& sceneOptions() const { return m_sceneOptions; }
    /// Marks of the nodes: the early ones while a check runs, the result's afterwards; null before.
    [[nodiscard]] const std::shared_ptr<const Correspondence>& correspondence() const { return m_correspondence; }
    [[nodiscard]] const GraphTree* tree(Side side) const {
        return side == Side::Reference ? m_session.referenceTree.get() : m_session.rewrittenTree.get();
    }
    /// Failing, changed, undecided or unpaired nodes of one side.
    [[nodiscard]] std::vector<FlatNodeId> differingNodes(Side side) const;
    [[nodiscard]] bool isIdle() const {
        return !m_load.isRunning() && !m_check.isRunning() && !m_scenes.isRunning() && !m_inputs.isRunning() && !m_export.isRunning();
    }

  Q_SIGNALS:
    void loadingStarted(const QString& reference, const QString& rewritten);
    void opened();                                    ///< another pair (or none) replaced what was open
    void openRefused(const lemmascope::Error& error); ///< the same failure, with its code and place
    void openFailed(const QString& reference, const QString& rewritten, const QString& why);
    void scenesChanged(const lemmascope::ScenePair& scenes);
    void sceneOptionsChanged(); ///< the scenes follow
    void correspondenceChanged();
    void progressed(const lemmascope::JobProgress& progress);
    void stateChanged(); ///< also when a result arrived, loading ended or the files changed
    void checkFailed(const QString& why);
    void reportWritten(const QString& folder);
    void reportFailed(const QString& why);
    void workerLost(const lemmascope::WorkerLoss& loss); ///< a solver or Graphviz process ended before it answered

  private:
    struct Loaded {
        Session session;
    };

    [[nodiscard]] static Result<Loaded> loadPair(const Services& services, const std::filesystem::path& reference,
                                                 const std::filesystem::path& rewritten, const JobContext& context);
    void adopt(Loaded loaded);
    void startScenes();
    [[nodiscard]] SideRequest sideRequest(Side side) const;
    void keepExpanded(const Session& before);
    void takeCorrespondence(quint64 generation, std::shared_ptr<const Correspondence> correspondence);
    void setState(State state);
    void watchFiles();
    void updateStale();

    Services m_services;
    MessageModel* m_messages;
    Session m_session;
    SceneOptions m_sceneOptions;
    ScenePair m_shown;                                 ///< the scenes last given out
    ScenePair m_earlier;                               ///< those of the version before the reload
    std::shared_ptr<const Correspondence> m_groupedBy; ///< what m_shown.groups go by
    Grouping m_groupedAs = Grouping::None;
    bool m_isReload = false;
    State m_state = State::Empty;
    bool m_stale = false;
    std::shared_ptr<const Correspondence> m_correspondence;
    std::optional<std::size_t> m_focusLemma;
    AcceptedPairs m_accepted;
    bool m_tryingInputs = false;   ///< the running check is the first with these tensors
    bool m_accepting = false;      ///< the running check is the first with the pair accepted last
    quint64 m_checkGeneration = 0; ///< of the check whose marks are wanted
    QFileSystemWatcher m_watcher;
    QTimer m_changeTimer; ///< editors write in several steps: ask once they are done
    // Last: destroyed first, so that running work ends before what it reports to.
    LatestJob m_load;
    LatestJob m_check;
    LatestJob m_scenes;
    LatestJob m_inputs;
    LatestJob m_export;
};

} // namespace lemmascope
