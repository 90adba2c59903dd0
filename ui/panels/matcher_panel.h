#pragma once

#include "ui/views/outline.h"

#include <QWidget>

class QAction;
class QComboBox;
class QLabel;
class QSplitter;
class QTabWidget;

namespace lemmascope {

class ElidedLabel;
class FlowLayout;
class GraphCanvas;
class OutlineView;

/// The matcher dock: the pattern as a graph beside the state that the matcher is in, and, in a second tab, why rules do not match at
/// a node.
class MatcherPanel : public QWidget {
    Q_OBJECT

  public:
    explicit MatcherPanel(QWidget* parent = nullptr);

    void addButton(QAction* action, const QString& text);
    void setTitle(const QString& text);
    [[nodiscard]] QString title() const;
    void setState(OutlineRows rows);
    /// `node`: what was asked about.
    void setWhy(const QString& node, OutlineRows rows);
    /// Names of rules after `all rules`; keeps the choice.
    void setRules(const QStringList& rules);
    /// 0: all rules.
    [[nodiscard]] int chosenRule() const;
    enum class Page { Steps, WhyNot };
    void showPage(Page page);
    [[nodiscard]] Page page() const;

    [[nodiscard]] GraphCanvas* pattern() const { return m_pattern; }
    [[nodiscard]] OutlineView* state() const { return m_state; }
    [[nodiscard]] OutlineView* why() const { return m_why; }
    [[nodiscard]] QComboBox* rules() const { return m_rules; }
    [[nodiscard]] QString whyTitle() const;

  Q_SIGNALS:
    void ruleChosen(int rule); ///< by the user; 0: all

  private:
    QTabWidget* m_tabs;
    QWidget* m_buttons;
    FlowLayout* m_flow;
    ElidedLabel* m_title;
    QSplitter* m_splitter;
    GraphCanvas* m_pattern;
    OutlineView* m_state;
    ElidedLabel* m_whyTitle;
    QComboBox* m_rules;
    OutlineView* m_why;
};

} // namespace lemmascope
