#pragma once

#include "ui/jobs/program_session.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QListView;
class QToolButton;

namespace lemmascope {

class LongText;
class ScheduleModel;
class TimelineView;

/// The schedule that was run of one side: what went wrong in it in words, its tasks on a time line, and its steps as a list.
class SchedulePanel : public QWidget {
    Q_OBJECT

  public:
    explicit SchedulePanel(ProgramSession* session, QWidget* parent = nullptr);

    [[nodiscard]] TimelineView* timeline() const { return m_timeline; }
    [[nodiscard]] QListView* list() const { return m_list; }
    [[nodiscard]] QString trouble() const;
    [[nodiscard]] QString states() const; ///< of the tasks at the step, in words
    void step(bool backwards);

  Q_SIGNALS:
    /// Another step is looked at; line 0: it has none.
    void stepShown(lemmascope::Side side, int line);

  private:
    void refresh();
    void refreshState();
    void show(std::size_t step, bool tell);
    [[nodiscard]] QString emptyText() const;

    ProgramSession* m_session;
    QComboBox* m_side;
    QToolButton* m_back;
    QToolButton* m_forward;
    QLabel* m_where;
    LongText* m_trouble;
    TimelineView* m_timeline;
    LongText* m_states;
    QListView* m_list;
    ScheduleModel* m_model;
    std::shared_ptr<const Schedule> m_shown;
};

} // namespace lemmascope
