#pragma once

#include "core/prove/check_result.h"
#include "ui/views/outline.h"

#include <QWidget>

#include <memory>

class QAction;
class QComboBox;
class QLabel;
class QLineEdit;
class QProgressBar;
class QSplitter;
class QToolButton;

namespace lemmascope {

class ElidedLabel;
class FlowLayout;
class OutlineView;
class RuleTextView;

/// The rules dock: the file, what its rules match on one of the graphs, and its text.
class RulesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit RulesPanel(QWidget* parent = nullptr);

    /// A button for an action of the window; `text` is shorter than its own.
    void addButton(QAction* action, const QString& text);
    /// Empty: no rules are open.
    void setFile(const QString& path);
    void setRows(std::shared_ptr<const OutlineRows> rows);
    /// `3 matches, 1 may be rewritten`; what is wrong, or what is missing.
    void setAnswer(const QString& text);
    [[nodiscard]] QString answer() const;
    /// Rules done of all; 0 of 0: nothing runs.
    void setProgress(std::size_t done, std::size_t rules);
    void setSide(Side side);

    [[nodiscard]] OutlineView* tree() const { return m_tree; }
    [[nodiscard]] RuleTextView* text() const { return m_text; }
    [[nodiscard]] QLineEdit* filter() const { return m_filter; }
    [[nodiscard]] QComboBox* side() const { return m_side; }

  Q_SIGNALS:
    void sideChosen(lemmascope::Side side);

  private:
    void showRows();

    ElidedLabel* m_file;
    QComboBox* m_side;
    QWidget* m_buttons;
    FlowLayout* m_flow;
    QLineEdit* m_filter;
    QLabel* m_answer;
    QProgressBar* m_progress;
    QSplitter* m_splitter;
    OutlineView* m_tree;
    RuleTextView* m_text;
    std::shared_ptr<const OutlineRows> m_rows; ///< before they are filtered; null: none
};

} // namespace lemmascope
