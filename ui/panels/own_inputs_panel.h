#pragma once

#include "core/prove/check_result.h"

#include <QWidget>

#include <memory>

namespace lemmascope {

class FactTableModel;
class FactTableView;
class LongText;

/// What both graphs give on the user's own tensors: the first pair of values that no rounding explains, and all that differ.
class OwnInputsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit OwnInputsPanel(QWidget* parent = nullptr);

    void setResult(std::shared_ptr<const CheckResult> result);
    [[nodiscard]] QString sentence() const;
    [[nodiscard]] FactTableView* table() const { return m_table; }

  Q_SIGNALS:
    void valuesChosen(lemmascope::FlatValueId reference, lemmascope::FlatValueId rewritten);

  private:
    std::shared_ptr<const CheckResult> m_result;
    LongText* m_sentence;
    FactTableModel* m_model;
    FactTableView* m_table;
    bool m_filling = false;
};

} // namespace lemmascope
