#pragma once

#include "ui/jobs/step_checks.h"

#include <QAbstractTableModel>

namespace lemmascope {

/// The steps of the open pipeline with their verdicts. Row numbers are indices into StepChecks::steps.
class StepModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { VerdictColumn, StepColumn, GraphColumn, LineColumn, ColumnCount };

    /// `checks` must outlive the model.
    explicit StepModel(StepChecks* checks, QObject* parent = nullptr);

    /// What counts as proved: a weaker proof is shown as such.
    void setWanted(Strength wanted);

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    [[nodiscard]] QString verdictText(const StepState& state) const;

    StepChecks* m_checks;
    std::size_t m_rows = 0;
    Strength m_wanted = Strength::Rounded;
};

} // namespace lemmascope
