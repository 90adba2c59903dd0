#pragma once

#include "core/prove/check_result.h"
#include "core/rewrite/rewriter.h"
#include "ui/jobs/latest_job.h"

#include <QObject>
#include <QTemporaryDir>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

class QAction;

namespace lemmascope {

class MainWindow;
class RulesPart;

/// What rules make of the graph as a pair: the graph against its rewrite by one match, or by all rules, which is checked as any pair is.
class ReplacementPart : public QObject {
    Q_OBJECT

  public:
    static constexpr std::size_t KeptFiles = 30; ///< rewritten graphs in the state folder

    ReplacementPart(MainWindow& window, RulesPart& rules);

    /// Replaces the match that is chosen in the rules dock.
    void openReplacement();
    /// Applies every rule until none applies.
    void applyAll();
    [[nodiscard]] bool isIdle() const { return !m_job.isRunning(); }

  private:
    struct Made {
        std::filesystem::path file; ///< empty: nothing was replaced
        std::vector<std::string> notes;
        std::vector<rewrite::RewriteApplication> applications;
        std::vector<rewrite::RewriteRefusal> refusals;
        std::size_t rounds = 0;
        std::string stopped;
    };

    void start(const rewrite::RewriteOptions& options, const QString& name, const std::string& what);
    void take(const Made& made, const QString& name, const std::filesystem::path& reference);
    [[nodiscard]] std::filesystem::path folder();
    void updateActions();

    MainWindow& m_window;
    RulesPart& m_rules;
    QAction* m_openAction;
    QAction* m_allAction;
    std::unique_ptr<QTemporaryDir> m_temporary; ///< where there is no state folder
    LatestJob m_job;
};

} // namespace lemmascope
