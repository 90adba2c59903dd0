#include "ui/panels/schedule_panel.h"

#include "ui/models/schedule_model.h"
#include "ui/panels/long_text.h"
#include "ui/panels/timeline_view.h"
#include "ui/views/elided_label.h"
#include "ui/views/icon_button.h"
#include "ui/views/text.h"

#include <QComboBox>
#include <QListView>
#include <QSignalBlocker>
#include <QSplitter>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

namespace lemmascope {

SchedulePanel::SchedulePanel(ProgramSession* session, QWidget* parent) : QWidget(parent), m_session(session) {
    setObjectName(QStringLiteral("schedulePanel"));
    m_side = new QComboBox(this);
    m_side->setAccessibleName(tr("Whose schedule"));
    m_side->addItem(tr("Reference"), static_cast<int>(Side::Reference));
    m_side->addItem(tr("Rewritten"), static_cast<int>(Side::Rewritten));
    m_side->setCurrentIndex(1);
    m_back = iconButton(tr("Step back"), tr("Step back (Left or < in the time line)"), QStyle::SP_ArrowBack, this);
    m_forward = iconButton(tr("Step forward"), tr("Step forward (Right or > in the time line)"), QStyle::SP_ArrowForward, this);
    m_where = new ElidedLabel(this);
    m_where->setObjectName(QStringLiteral("scheduleStep"));
    m_where->setAccessibleName(tr("Step"));
    m_where->setTextFormat(Qt::PlainText);
    m_trouble = new LongText(tr("What went wrong"), 3, this);
    m_timeline = new TimelineView(this);
    m_states = new LongText(tr("Tasks at this step"), 2, this);
    m_list = new QListView(this);
    m_list->setAccessibleName(tr("Steps"));
    m_list->setUniformItemSizes(true);
    m_list->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_model = new ScheduleModel(this);
    m_list->setModel(m_model);

    auto* top = new QHBoxLayout;
    top->setContentsMargins(6, 2, 6, 2);
    top->addWidget(m_side);
    top->addWidget(m_back);
    top->addWidget(m_forward);
    top->addWidget(m_where, 1);
    auto* left = new QWidget(this);
    left->setAccessibleName(tr("Tasks"));
    auto* leftRows = new QVBoxLayout(left);
    leftRows->setContentsMargins(0, 0, 0, 0);
    leftRows->setSpacing(0);
    leftRows->addWidget(m_timeline, 1);
    leftRows->addWidget(m_states);
    auto* split = new QSplitter(Qt::Horizontal, this);
    split->setAccessibleName(tr("Time line and steps"));
    split->setChildrenCollapsible(false);
    split->addWidget(left);
    split->addWidget(m_list);
    split->setStretchFactor(0, 3);
    split->setStretchFactor(1, 2);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addLayout(top);
    all->addWidget(m_trouble);
    all->addWidget(split, 1);

    connect(m_side, &QComboBox::activated, this, [this](int at) { m_session->showSchedule(static_cast<Side>(m_side->itemData(at).toInt())); });
    connect(m_back, &QToolButton::clicked, this, [this] { step(true); });
    connect(m_forward, &QToolButton::clicked, this, [this] { step(false); });
    connect(m_timeline, &TimelineView::stepChosen, this, [this](std::size_t at) { show(at, true); });
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this](const QModelIndex& now) {
        if (now.isValid() && static_cast<std::size_t>(now.row()) != m_timeline->step()) {
            show(static_cast<std::size_t>(now.row()), true);
        }
    });
    connect(m_session, &ProgramSession::scheduleChanged, this, &SchedulePanel::refresh);
    connect(m_session, &ProgramSession::stateChanged, this, &SchedulePanel::refreshState);
    refresh();
}

QString SchedulePanel::emptyText() const {
    switch (m_session->state()) {
    case ProgramSession::State::Empty: return tr("No programs are open: open two .mlir files.");
    case ProgramSession::State::Checking: return tr("The check is running. The schedule appears here.");
    case ProgramSession::State::Stopped: return tr("The check was stopped. Check again with Shift+F7.");
    case ProgramSession::State::Failed: return tr("The check failed: Messages says why.");
    case ProgramSession::State::Decided: break;
    }
    return m_session->schedule() ? tr("Nothing was read, written or started.") : tr("The program is run once more for its schedule.");
}

void SchedulePanel::refreshState() {
    if (!m_session->schedule()) {
        m_timeline->setSchedule(nullptr, emptyText());
    }
}

void SchedulePanel::refresh() {
    m_shown = m_session->schedule();
    m_model->setSchedule(m_shown);
    const bool any = m_shown && !m_shown->steps.empty();
    m_side->setEnabled(m_shown != nullptr);
    m_back->setEnabled(any);
    m_forward->setEnabled(any);
    m_trouble->clear();
    m_states->clear();
    m_where->clear();
    m_timeline->setSchedule(m_shown, emptyText());
    if (m_shown) {
        const QSignalBlocker quiet(m_side);
        m_side->setCurrentIndex(m_shown->side == Side::Reference ? 0 : 1);
        QString text = m_shown->trouble.empty() ? tr("This schedule ended well. It stands for all: what is not ordered touches no cell in common.")
                                                : QStringLiteral("\u2717 %1").arg(toQString(m_shown->trouble));
        if (!m_shown->missing.empty()) {
            text += u'\n' + tr("Missing edge: %1").arg(toQString(m_shown->missing));
        }
        m_trouble->setText(text);
    }
    m_trouble->setVisible(m_shown != nullptr);
    if (any) {
        show(m_shown->decisive(), !m_shown->trouble.empty());
    } else {
        Q_EMIT stepShown(Side::Reference, 0);
    }
}

void SchedulePanel::step(bool backwards) {
    const std::size_t at = m_timeline->step();
    if (m_shown && !m_shown->steps.empty() && (backwards ? at > 0 : at + 1 < m_shown->steps.size())) {
        show(backwards ? at - 1 : at + 1, true);
    }
}

void SchedulePanel::show(std::size_t step, bool tell) {
    if (!m_shown || step >= m_shown->steps.size()) {
        return;
    }
    m_timeline->setStep(step);
    m_list->setCurrentIndex(m_model->index(static_cast<int>(step)));
    const ScheduleStep& now = m_shown->steps[step];
    m_where->setText(
        tr("step %1 of %2, %3: %4").arg(step + 1).arg(m_shown->steps.size()).arg(toQString(m_shown->tasks[now.task].name), toQString(now.text)));
    m_where->setToolTip(m_where->text());
    m_back->setEnabled(step > 0);
    m_forward->setEnabled(step + 1 < m_shown->steps.size());
    QStringList words;
    const std::vector<TaskState> states = m_shown->statesAt(step);
    constexpr std::size_t Named = 12;
    for (std::size_t i = 0; i < states.size() && static_cast<std::size_t>(words.size()) < Named; ++i) {
        if (states[i] != TaskState::NotMade) {
            words << QStringLiteral("%1 %2 %3").arg(sign(states[i]), toQString(m_shown->tasks[i].name), stateText(states[i]));
        }
    }
    m_states->setText(words.join(QStringLiteral("; ")));
    if (tell) {
        Q_EMIT stepShown(m_shown->side, static_cast<int>(now.line));
    }
}

QString SchedulePanel::trouble() const { return m_trouble->text(); }

QString SchedulePanel::states() const { return m_states->text(); }

} // namespace lemmascope
