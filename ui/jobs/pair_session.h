#pragma once

#include "core/workspace/lemma_review.h"
#include "core/workspace/session.h"
#include "core/workspace/session_file.h"
#include "ui/canvas/scene_builder.h"
#include "ui/jobs/latest_job.h"
#include "ui/jobs/services.h"
#include "ui/jobs/step_checks.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <functional>
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

    // The review of the lemmas (pair_session_review.cpp).
    /// What is known of a pair from earlier, asked on a background thread when it is read: notes and limits, or null.
    using Recall = std::function<std::shared_ptr<const SavedSession>(const std::filesystem::path&, const std::filesystem::path&)>;
    void setRecall(Recall recall) { m_recall = std::move(recall); }
    /// Opens the pair of a session: its options, notes and view count, and its verdicts are shown until a check has confirmed them;
    /// as obsolete where the files are not those it was saved with (`sameFiles` false).
    void restore(std::shared_ptr<const SavedSession> saved, bool sameFiles);
    /// The lemmas with their notes: of the result, or of the last one while there is none. Never null.
    [[nodiscard]] const std::shared_ptr<const LemmaList>& lemmas() const { return m_lemmas; }
    [[nodiscard]] const std::vector<ReviewNote>& notes() const { return m_lemmas->notes; }
    /// Marks a lemma of that list reviewed; a note that it has is replaced.
    void review(std::size_t lemma, const std::string& text, const std::string& reviewer, std::int64_t time);
    /// Likewise of a lemma that may be gone: it replaces the note on the same one.
    void keepNote(const ReviewNote& note);
    void removeNote(std::size_t note);
    /// Asks this lemma of the result again with more. The verdicts stay as they are until the answer is there.
    void recheck(std::size_t lemma, bool counterexample);
    [[nodiscard]] bool isRechecking() const { return m_recheck.isRunning(); }
    /// Limits, seed and special values of these options count from the next check on.
    void setLimits(const CheckOptions& limits);
    /// The session that was restored, until another pair is opened; null: none.
    [[nodiscard]] const std::shared_ptr<const SavedSession>& restored() const { return m_restored; }
    /// What is open as a session: everything but the digests of both files and what the window alone knows. The lemmas are put
    /// into words when it is called, which may take its time and happen on any thread.
    [[nodiscard]] std::function<SavedSession()> snapshot() const;

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
        return !m_load.isRunning() && !m_check.isRunning() && !m_scenes.isRunning() && !m_inputs.isRunning() && !m_export.isRunning() &&
               !m_recheck.isRunning();
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
    void leaving();       ///< what is open will be replaced or closed: the last moment to keep what was said of it
    void lemmasChanged(); ///< another list, or another note
    /// The lemma that was asked again: its place in the new result, where it still is.
    void rechecked(std::optional<std::size_t> lemma, bool counterexample);
    void reportWritten(const QString& folder);
    void reportFailed(const QString& why);
    void workerLost(const lemmascope::WorkerLoss& loss); ///< a solver or Graphviz process ended before it answered

  private:
    /// A session that is being opened, or what is remembered of a pair.
    struct Earlier {
        std::shared_ptr<const SavedSession> saved;
        bool whole = false; ///< verdicts, question and view too; else notes and limits only
        bool sameFiles = false;
    };
    struct Loaded {
        Session session;
        Earlier earlier;
        std::shared_ptr<const CheckResult> stored; ///< the earlier verdicts over the graphs as they are
        std::vector<LemmaRegion> storedRegions;
    };
    struct Checked {
        std::shared_ptr<const CheckResult> result;
        std::vector<LemmaRegion> regions;
    };

    [[nodiscard]] static Result<Loaded> loadPair(const Services& services, const std::filesystem::path& reference,
                                                 const std::filesystem::path& rewritten, const JobContext& context);
    void load(const std::filesystem::path& reference, const std::filesystem::path& rewritten, const Earlier& earlier);
    static void recallInto(Loaded& loaded, const Earlier& earlier, const Recall& recall);
    void takeEarlier(const Loaded& loaded, const std::vector<ReviewNote>& openNotes);
    void takeResult(Checked checked);
    void setLemmas(std::shared_ptr<const CheckResult> result, LemmaSource source, std::vector<LemmaRegion> regions, std::vector<ReviewNote> notes);
    /// The same lemmas from another source: what was current is obsolete now.
    void setLemmaSource(LemmaSource source);
    [[nodiscard]] static Result<Checked> checkedOf(Result<CheckResult> result);
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
    Recall m_recall;
    std::shared_ptr<const SavedSession> m_restored;
    std::shared_ptr<const LemmaList> m_lemmas = makeLemmaList(nullptr, LemmaSource::Current, {}, {});
    bool m_tryingInputs = false;   ///< the running check is the first with these tensors
    bool m_accepting = false;      ///< the running check is the first with the pair accepted last
    quint64 m_checkGeneration = 0; ///< of the check whose marks are wanted
    QFileSystemWatcher m_watcher;
    QTimer m_changeTimer; ///< editors write in several steps: ask once they are done
    // Last: destroyed first, so that running work ends before what it reports to.
    LatestJob m_load;
    LatestJob m_check;
    LatestJob m_recheck;
    LatestJob m_scenes;
    LatestJob m_inputs;
    LatestJob m_export;
};

} // namespace lemmascope
