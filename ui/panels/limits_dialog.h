#pragma once

#include "core/prove/check.h"

#include <QDialog>

class QCheckBox;
class QDoubleSpinBox;
class QLineEdit;
class QSpinBox;

namespace lemmascope {

/// How far checks of the open pair may go: time, solver steps, jobs, seed, special values. Does not stand in the way of the window.
class LimitsDialog : public QDialog {
    Q_OBJECT

  public:
    explicit LimitsDialog(const CheckOptions& options, QWidget* parent = nullptr);
    /// `base` with what was chosen.
    [[nodiscard]] CheckOptions options(CheckOptions base) const;

  Q_SIGNALS:
    void chosen(bool checkNow);

  private:
    void fill(const CheckOptions& options);

    QDoubleSpinBox* m_time;
    QDoubleSpinBox* m_steps;
    QSpinBox* m_jobs;
    QLineEdit* m_seed;
    QCheckBox* m_special;
};

} // namespace lemmascope
