#include "ui/models/lemma_model.h"

#include "ui/views/text.h"
#include "ui/views/verdict_text.h"

#include <algorithm>

namespace lemmascope {

namespace {

/// Worst first: what needs a reader stands at the top.
int urgency(LemmaVerdict verdict) {
    switch (verdict) {
    case LemmaVerdict::Fails: return 0;
    case LemmaVerdict::Vacuous: return 1;
    case LemmaVerdict::Undecided: return 2;
    case LemmaVerdict::Holds: return 3;
    }
    return 4;
}

QString kindText(LemmaResult::Kind kind) {
    switch (kind) {
    case LemmaResult::Kind::Equal: return LemmaModel::tr("both sides are equal");
    case LemmaResult::Kind::InRange: return LemmaModel::tr("an access stays in range");
    case LemmaResult::Kind::Divisor: return LemmaModel::tr("a divisor is never zero");
    case LemmaResult::Kind::Fact: return LemmaModel::tr("what the rewritten graph declares follows");
    }
    return {};
}

} // namespace

LemmaModel::LemmaModel(QObject* parent) : QAbstractTableModel(parent) {}

void LemmaModel::setResult(std::shared_ptr<const CheckResult> result) {
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

int LemmaModel::rowCount(const QModelIndex& parent) const { return parent.isValid() || !m_result ? 0 : static_cast<int>(m_result->lemmas.size()); }

int LemmaModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant LemmaModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !m_result) {
        return {};
    }
    const LemmaResult& entry = lemma(index.row());
    switch (role) {
    case Qt::DisplayRole:
        switch (index.column()) {
        case StatusColumn: return QString(glyph(entry.verdict) + u' ' + word(entry.verdict));
        case IdColumn: return toQString(entry.id);
        case TitleColumn: return toQString(entry.title);
        case RungColumn: return entry.rung == Rung::None ? QString() : QString::number(static_cast<int>(entry.rung));
        default: return {};
        }
    case Qt::ToolTipRole: {
        if (index.column() == RungColumn && entry.rung != Rung::None) {
            return tr("Decided by rung %1 of the ladder: %2").arg(static_cast<int>(entry.rung)).arg(word(entry.rung));
        }
        QString text = tr("%1 %2: %3\n%4").arg(toQString(entry.id), word(entry.verdict), toQString(entry.title), kindText(entry.kind));
        if (!entry.reason.empty()) {
            text += u'\n' + toQString(entry.reason);
        }
        return text;
    }
    case Qt::AccessibleTextRole:
        return index.column() == StatusColumn ? tr("%1 %2, %3").arg(word(entry.verdict), toQString(entry.id), toQString(entry.title)) : QVariant();
    case VerdictRole: return static_cast<int>(entry.verdict);
    case SortRole:
        switch (index.column()) {
        case StatusColumn: return urgency(entry.verdict);
        case TitleColumn: return toQString(entry.title);
        case RungColumn: return static_cast<int>(entry.rung);
        default: return index.row(); // L2 stands before L10
        }
    case SearchRole: {
        QStringList words{toQString(entry.id), toQString(entry.title), word(entry.verdict), toQString(entry.reason)};
        for (const FlatNodeId node : entry.referenceNodes) {
            words << toQString(m_result->reference->path(node));
        }
        for (const FlatNodeId node : entry.rewrittenNodes) {
            words << toQString(m_result->rewritten->path(node));
        }
        return words.join(u'\n');
    }
    default: return {};
    }
}

QVariant LemmaModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case StatusColumn: return tr("Verdict");
    case IdColumn: return tr("Id");
    case TitleColumn: return tr("Says");
    case RungColumn: return tr("Rung");
    default: return {};
    }
}

LemmaFilterModel::LemmaFilterModel(QObject* parent) : QSortFilterProxyModel(parent) { setSortRole(LemmaModel::SortRole); }

void LemmaFilterModel::setText(const QString& text) {
    m_words = text.simplified().split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

void LemmaFilterModel::setVerdict(std::optional<LemmaVerdict> verdict) {
    m_verdict = verdict;
    invalidateFilter();
}

void LemmaFilterModel::setProvedFolded(bool folded) {
    m_provedFolded = folded;
    invalidateFilter();
}

bool LemmaFilterModel::filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const {
    const QModelIndex index = sourceModel()->index(sourceRow, 0, sourceParent);
    const auto verdict = static_cast<LemmaVerdict>(index.data(LemmaModel::VerdictRole).toInt());
    if ((m_provedFolded && verdict == LemmaVerdict::Holds) || (m_verdict && verdict != *m_verdict)) {
        return false;
    }
    if (m_words.isEmpty()) {
        return true;
    }
    const QString text = index.data(LemmaModel::SearchRole).toString();
    return std::all_of(m_words.begin(), m_words.end(), [&text](const QString& wanted) { return text.contains(wanted, Qt::CaseInsensitive); });
}

bool LemmaFilterModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    const QVariant a = left.data(LemmaModel::SortRole);
    const QVariant b = right.data(LemmaModel::SortRole);
    const bool text = a.typeId() == QMetaType::QString;
    const int order = text ? QString::localeAwareCompare(a.toString(), b.toString()) : a.toInt() - b.toInt();
    return order == 0 ? left.row() < right.row() : order < 0;
}

} // namespace lemmascope
