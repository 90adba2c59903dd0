#include "ui/models/step_model.h"

#include "ui/views/text.h"
#include "ui/views/verdict_text.h"

namespace lemmascope {

StepModel::StepModel(StepChecks* checks, QObject* parent) : QAbstractTableModel(parent), m_checks(checks), m_rows(checks->steps().size()) {
    connect(checks, &StepChecks::opened, this, [this] {
        beginResetModel();
        m_rows = m_checks->steps().size();
        endResetModel();
    });
    connect(checks, &StepChecks::stepChanged, this, [this](std::size_t step) {
        const int row = static_cast<int>(step);
        Q_EMIT dataChanged(index(row, 0), index(row, ColumnCount - 1));
    });
}

void StepModel::setWanted(Strength wanted) {
    if (m_wanted != wanted) {
        m_wanted = wanted;
        if (m_rows > 0) {
            Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(m_rows) - 1, ColumnCount - 1));
        }
    }
}

int StepModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows); }

int StepModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QString StepModel::verdictText(const StepState& state) const {
    switch (state.stage) {
    case StepState::Stage::Waiting: return tr("waiting");
    case StepState::Stage::Running: return tr("… checking");
    case StepState::Stage::Failed: return tr("! no verdict");
    case StepState::Stage::Stopped: return tr("stopped");
    case StepState::Stage::Decided: break;
    }
    if (state.verdict == Verdict::Proved && state.strength && *state.strength > m_wanted) {
        return tr("%1 weaker proof").arg(glyph(Verdict::Undecided));
    }
    return (state.assuming && state.verdict == Verdict::Proved ? glyph(Role::Accepted) : glyph(state.verdict)) + u' ' +
           toQString(name(state.verdict));
}

QVariant StepModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || static_cast<std::size_t>(index.row()) >= m_checks->steps().size()) {
        return {};
    }
    const StepState& state = m_checks->steps()[static_cast<std::size_t>(index.row())];
    const QString graph = pathText(state.step.rewritten.filename());
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case VerdictColumn: return verdictText(state);
        case StepColumn: return index.row() + 1;
        case GraphColumn: return graph;
        case LineColumn: return state.line;
        default: return {};
        }
    case Qt::ToolTipRole:
        return tr("%1\n%2\n%3")
            .arg(pathText(state.step.reference), pathText(state.step.rewritten), state.line.isEmpty() ? verdictText(state) : state.line);
    case Qt::AccessibleTextRole:
        return index.column() == VerdictColumn ? tr("%1, step %2, %3").arg(verdictText(state)).arg(index.row() + 1).arg(graph) : QVariant();
    default: return {};
    }
}

QVariant StepModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case VerdictColumn: return tr("Verdict");
    case StepColumn: return tr("Step");
    case GraphColumn: return tr("Makes");
    case LineColumn: return tr("Says");
    default: return {};
    }
}

} // namespace lemmascope
