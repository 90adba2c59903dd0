#pragma once

#include "core/prove/verdict.h"

#include <QWidget>

#include <optional>

class QLabel;

namespace lemmascope {

class FactTableView;
class StepChecks;
class StepModel;

/// The steps of the open pipeline: which one broke it, and a click to see it.
class StepsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit StepsPanel(StepChecks* checks, QWidget* parent = nullptr);

    /// The step whose pair is open; without emitting.
    void select(std::optional<std::size_t> step);
    [[nodiscard]] std::optional<std::size_t> selected() const;
    void setWanted(Strength wanted);
    [[nodiscard]] FactTableView* table() const { return m_table; }
    /// What stands above the list: which step is the first that is not proved.
    [[nodiscard]] QString summary() const;

  Q_SIGNALS:
    void stepChosen(std::size_t step); ///< by the user

  private:
    void updateSummary();

    StepChecks* m_checks;
    StepModel* m_model;
    FactTableView* m_table;
    QLabel* m_summary;
    bool m_selecting = false;
};

} // namespace lemmascope
