#pragma once

#include "core/prove/check_result.h"
#include "core/report/tensor_pair.h"
#include "ui/jobs/latest_job.h"

#include <QObject>
#include <QString>

#include <optional>
#include <vector>

class QDockWidget;

namespace lemmascope {

class MainWindow;
class ValuesPanel;

/// The dock "Values": reads the tensors of what is selected, from the counterexample, from the run on the user's own inputs, or stored
/// in a graph.
class ValuesPart : public QObject {
    Q_OBJECT

  public:
    explicit ValuesPart(MainWindow& window);
    ~ValuesPart() override;

    [[nodiscard]] ValuesPanel* panel() const { return m_panel; }
    [[nodiscard]] QDockWidget* dock() const { return m_dock; }
    /// Shows the dock with these partners; either may be invalid.
    void showValues(FlatValueId reference, FlatValueId rewritten, bool focus);
    /// Shows the dock with what is selected; what it opens with is tall enough to read a table.
    void showDock(bool focus);
    /// Writes the tensor that is shown, in the background.
    void save(const QString& file);
    [[nodiscard]] bool isSaving() const { return m_save.isRunning(); }

  private:
    enum class Run { Counterexample, OwnInputs };
    struct Choice {
        QString title;
        FlatValueId reference;
        FlatValueId rewritten;
        friend bool operator==(const Choice&, const Choice&) = default;
    };

    void refresh();
    void follow(FlatValueId reference, FlatValueId rewritten, Run run);
    void showChoice(std::size_t choice);
    void askForFile();
    [[nodiscard]] std::vector<Choice> choicesOfSelection() const;
    [[nodiscard]] std::vector<Choice> choicesOfGraphs() const;
    [[nodiscard]] FlatValueId partnerOf(Side side, FlatValueId value) const;
    [[nodiscard]] Choice choiceOf(const QString& what, Side side, FlatValueId value) const;
    [[nodiscard]] Choice choiceOf(const QString& what, FlatValueId reference, FlatValueId rewritten) const;
    [[nodiscard]] bool hasRun(Run run) const;
    [[nodiscard]] std::optional<Tensor> tensorOf(Side side, FlatValueId value) const;
    [[nodiscard]] QString whyNone(const Choice& choice) const;

    MainWindow& m_window;
    ValuesPanel* m_panel = nullptr;
    QDockWidget* m_dock = nullptr;
    std::vector<Choice> m_choices;
    std::size_t m_current = 0;                                   ///< of them
    std::optional<std::pair<FlatValueId, FlatValueId>> m_chosen; ///< in a panel, not on the canvas
    Run m_run = Run::Counterexample;
    bool m_outdated = true; ///< what is selected changed while the dock was hidden
    LatestJob m_save;
};

} // namespace lemmascope
