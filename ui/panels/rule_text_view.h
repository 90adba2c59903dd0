#pragma once

#include "core/match/pattern.h"

#include <QPlainTextEdit>

#include <vector>

namespace lemmascope {

/// The text of a rule file, to be read: lines with a mark of their own (a finding), and the place that is spoken of.
class RuleTextView : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit RuleTextView(QWidget* parent = nullptr);

    /// Nothing is marked any more.
    void setRules(const QString& text);
    /// Underlined throughout.
    void setFindings(const std::vector<match::Spot>& spots);
    /// Marks the line and puts the cursor to the column; line 0: no mark.
    void goTo(match::Spot spot);
    [[nodiscard]] int markedLine() const { return m_marked; } ///< from 1; 0: none

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh();

    std::vector<match::Spot> m_findings;
    int m_marked = 0;
    int m_column = 0;
};

} // namespace lemmascope
