#pragma once

#include "core/prove/check_result.h"

#include <QWidget>

#include <memory>

class QPushButton;
class QTabWidget;

namespace lemmascope {

class FactTableModel;
class FactTableView;
class LongText;

/// The inputs on which the graphs differ, both outputs, and the values on the way, with the first difference marked.
class CounterexamplePanel : public QWidget {
    Q_OBJECT

  public:
    explicit CounterexamplePanel(QWidget* parent = nullptr);

    /// `emptyText` is shown when there is no counterexample: it says why.
    void setResult(std::shared_ptr<const CheckResult> result, const QString& emptyText);
    [[nodiscard]] QString text() const;
    void copyAsText() const;
    void copyAsMarkdown() const;
    /// Selects the next (or previous) step of the values on the way; false when there is none.
    bool step(int by);

  Q_SIGNALS:
    /// A step on the way was chosen: the partner values to look at.
    void valuesChosen(lemmascope::FlatValueId reference, lemmascope::FlatValueId rewritten);

  private:
    std::shared_ptr<const CheckResult> m_result;
    LongText* m_sentence;
    QPushButton* m_copyText;
    QPushButton* m_copyMarkdown;
    QWidget* m_tables;
    FactTableModel* m_inputs;
    FactTableModel* m_outputs;
    FactTableModel* m_path;
    FactTableView* m_inputsView;
    FactTableView* m_outputsView;
    FactTableView* m_pathView;
    bool m_filling = false;
};

} // namespace lemmascope
