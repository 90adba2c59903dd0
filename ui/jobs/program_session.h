#pragma once

#include "core/report/cell_story.h"
#include "core/report/output_map.h"
#include "core/report/program_diff.h"
#include "core/report/program_report.h"
#include "core/report/schedule.h"
#include "core/workspace/session.h"
#include "core/workspace/session_file.h"
#include "ui/canvas/scene_builder.h"
#include "ui/jobs/latest_job.h"
#include "ui/jobs/pair_session.h"
#include "ui/jobs/program_services.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace lemmascope {

/// A cell's story with its two expressions placed.
struct ShownStory {
    std::size_t output = 0;
    CellStory story;
    ScenePair scenes;
};

/// What a comparison came to, ready to be shown.
struct ComparedPrograms {
    std::shared_ptr<const interp::ProgramComparison> comparison;
    std::shared_ptr<const CheckResult> result;
    std::vector<std::shared_ptr<const OutputMap>> maps;
    std::shared_ptr<const ProgramDiff> diff; ///< with the failing lines
    Side troubled = Side::Rewritten;         ///< whose schedule is looked at first
    /// The output to look at first: the first that is not equal.
    [[nodiscard]] std::size_t firstOutput() const;
};

/// The open pair of MLIR programs and the background work around it, as PairSession is for graphs. A pair that cannot be read leaves
/// the open one as it was. Holds no widget.
class ProgramSession : public QObject {
    Q_OBJECT

  public:
    using State = PairSession::State;
    static constexpr std::size_t MostEvents = 20'000; ///< kept of a schedule

    /// `layout`: places the expressions.
    ProgramSession(PairLayouter layout, JobListModel* jobs, MessageModel* messages, QObject* parent = nullptr);
    ~ProgramSession() override;

    /// Without them no program can be read.
    void setServices(ProgramServices services) { m_services = std::move(services); }

    /// By the name: `.mlir`, `.mlirbc`.
    [[nodiscard]] static bool isProgram(const std::filesystem::path& file);

    void open(const std::filesystem::path& reference, const std::filesystem::path& rewritten);
    /// With the question that a session asked. `sameFiles` false: said in Messages.
    void restore(const SavedSession& saved, bool sameFiles);
    void reload();
    void swapSides();
    void close();
    void check(const CheckOptions& options);
    /// Another entry, other sizes of arguments (both programs are read again) or whether they may alias; checks.
    void ask(const ProgramOptions& program, const ProgramSizes& sizes);
    /// What the next pair is asked when it is opened; graphs are not.
    void askNext(const ProgramOptions& program, const ProgramSizes& sizes) { m_next = {program, sizes}; }
    void stop(); ///< reading and checking
    void exportReport(const std::filesystem::path& folder, bool anonymous);
    void save(const std::filesystem::path& file);

    /// Looks a cell up: storyChanged follows. Nothing without such a cell.
    void chooseCell(std::size_t output, std::uint64_t cell);
    void showSchedule(Side side);
    void setMetrics(const SceneMetrics& metrics) { m_metrics = metrics; }

    [[nodiscard]] State state() const { return m_state; }
    [[nodiscard]] bool isOpen() const { return m_files != nullptr; }
    [[nodiscard]] bool isLoading() const { return m_load.isRunning(); }
    [[nodiscard]] bool isStale() const { return m_stale; }
    [[nodiscard]] bool isIdle() const;
    [[nodiscard]] const std::filesystem::path& reference() const { return m_referenceFile; }
    [[nodiscard]] const std::filesystem::path& rewritten() const { return m_rewrittenFile; }
    [[nodiscard]] const ProgramPair& pair() const { return m_pair; }
    [[nodiscard]] const std::shared_ptr<const ProgramDiff>& diff() const { return m_diff; } ///< null: nothing is open
    [[nodiscard]] const CheckOptions& options() const { return m_options; }
    [[nodiscard]] const ProgramOptions& program() const { return m_program; }
    /// Functions of both files that can be started in, and the arguments of the entry that take a size.
    [[nodiscard]] std::vector<std::string> functions() const;
    [[nodiscard]] std::vector<std::string> askable() const;
    /// The size that the verdict needs; empty: none.
    [[nodiscard]] std::string sizeNeeded() const;
    [[nodiscard]] const std::shared_ptr<const ComparedPrograms>& compared() const { return m_compared; } ///< null: no verdict
    [[nodiscard]] const std::shared_ptr<const ShownStory>& story() const { return m_story; }
    [[nodiscard]] const std::shared_ptr<const Schedule>& schedule() const { return m_schedule; }
    /// Reading or comparing failed: why.
    [[nodiscard]] const QString& trouble() const { return m_trouble; }

  Q_SIGNALS:
    void loadingStarted(const QString& reference, const QString& rewritten);
    void opened(); ///< another pair, the same read again, or none any more
    void openRefused(const lemmascope::Error& error);
    void progressed(const lemmascope::JobProgress& progress);
    void stateChanged();
    void storyChanged(); ///< also to none
    void scheduleChanged();
    void reportWritten(const QString& folder);
    void reportFailed(const QString& why);
    void saved(const QString& file);

  private:
    struct Question {
        ProgramOptions program;
        ProgramSizes sizes;
    };
    struct Files {
        ProgramFile reference, rewritten; ///< their texts are in the pair
    };
    struct Loaded {
        std::shared_ptr<const Files> files;
        ProgramPair pair;
        std::shared_ptr<const ProgramDiff> diff;
        std::optional<FileStamp> referenceStamp, rewrittenStamp;
    };
    [[nodiscard]] static Result<Loaded> load(const ProgramServices& services, const std::filesystem::path& reference,
                                             const std::filesystem::path& rewritten, const Question& question, const JobContext& context);
    void openWith(const std::filesystem::path& reference, const std::filesystem::path& rewritten, const ProgramOptions& program,
                  const CheckOptions& options);
    void adopt(Loaded loaded, const std::filesystem::path& reference, const std::filesystem::path& rewritten);
    void clearFindings();
    void setState(State state);
    void watchFiles();

    ProgramServices m_services;
    PairLayouter m_layout;
    MessageModel* m_messages;
    std::filesystem::path m_referenceFile, m_rewrittenFile;
    std::optional<FileStamp> m_referenceStamp, m_rewrittenStamp;
    ProgramPair m_pair;
    std::shared_ptr<const Files> m_files; ///< null: nothing is open
    CheckOptions m_options;
    ProgramOptions m_program;
    std::optional<Question> m_next;
    std::shared_ptr<const ProgramDiff> m_diff;
    std::shared_ptr<const ComparedPrograms> m_compared;
    std::shared_ptr<const ShownStory> m_story;
    std::shared_ptr<const Schedule> m_schedule;
    SceneMetrics m_metrics;
    State m_state = State::Empty;
    bool m_stale = false;
    QString m_trouble;
    QFileSystemWatcher m_watcher;
    QTimer m_changeTimer;
    // Last: destroyed first, so that running work ends before what it reports to.
    LatestJob m_load;
    LatestJob m_check;
    LatestJob m_storyJob;
    LatestJob m_scheduleJob;
    LatestJob m_export;
    LatestJob m_save;
};

} // namespace lemmascope
