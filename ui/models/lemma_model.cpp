#include "ui/models/lemma_model.h"

#include "ui/canvas/palette.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"

#include <QDateTime>
#include <QFont>
#include <QLocale>

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

QString reviewText(const ReviewNote& note) {
    const QString when = note.time == 0 ? QString() : QLocale().toString(QDateTime::fromSecsSinceEpoch(note.time), QLocale::ShortFormat);
    QString text = note.reviewer.empty() ? LemmaModel::tr("Reviewed") : LemmaModel::tr("Reviewed by %1").arg(toQString(note.reviewer));
    if (!when.isEmpty()) {
        text += QStringLiteral(", ") + when;
    }
    text += QStringLiteral(", ") + LemmaModel::tr("when the verdict was: %1").arg(word(note.verdict));
    if (!note.text.empty()) {
        text += u'\n' + toQString(note.text);
    }
    return text;
}

LemmaCounts countsOf(const LemmaList& lemmas, const LemmaRegion& region) {
    LemmaCounts counts;
    for (const std::uint32_t lemma : region.lemmas) {
        switch (lemmas.result->lemmas[lemma].verdict) {
        case LemmaVerdict::Holds: ++counts.holds; break;
        case LemmaVerdict::Fails: ++counts.fails; break;
        case LemmaVerdict::Undecided: ++counts.undecided; break;
        case LemmaVerdict::Vacuous: ++counts.vacuous; break;
        }
    }
    return counts;
}

LemmaVerdict worstOf(const LemmaCounts& counts) {
    return counts.fails > 0       ? LemmaVerdict::Fails
           : counts.vacuous > 0   ? LemmaVerdict::Vacuous
           : counts.undecided > 0 ? LemmaVerdict::Undecided
                                  : LemmaVerdict::Holds;
}

} // namespace

QString shortCounts(const LemmaCounts& counts) {
    QStringList parts;
    if (counts.fails > 0) {
        parts << LemmaModel::tr("%1 fail").arg(counts.fails);
    }
    if (counts.undecided > 0) {
        parts << LemmaModel::tr("%1 undecided").arg(counts.undecided);
    }
    if (counts.vacuous > 0) {
        parts << LemmaModel::tr("%1 vacuous").arg(counts.vacuous);
    }
    if (counts.holds > 0) {
        parts << LemmaModel::tr("%1 hold").arg(counts.holds);
    }
    return parts.join(QStringLiteral(" · "));
}

LemmaModel::LemmaModel(QObject* parent) : QAbstractItemModel(parent) {}

void LemmaModel::setLemmas(std::shared_ptr<const LemmaList> lemmas) {
    beginResetModel();
    m_lemmas = std::move(lemmas);
    m_rowInRegion.assign(lemmaCount(), 0);
    if (m_lemmas) {
        for (const LemmaRegion& region : m_lemmas->regions) {
            for (std::size_t k = 0; k < region.lemmas.size(); ++k) {
                m_rowInRegion[region.lemmas[k]] = k;
            }
        }
    }
    endResetModel();
}

void LemmaModel::setGrouped(bool grouped) {
    if (grouped != m_grouped) {
        beginResetModel();
        m_grouped = grouped;
        endResetModel();
    }
}

// An index carries what stands in its row: two bits of kind, the rest its number.
LemmaModel::Place LemmaModel::placeOf(const QModelIndex& index) { return {static_cast<Row>(index.internalId() & 3U), index.internalId() >> 2U}; }

int LemmaModel::topCount() const { return m_grouped && m_lemmas ? static_cast<int>(m_lemmas->regions.size()) : static_cast<int>(lemmaCount()); }

std::optional<std::size_t> LemmaModel::lemmaAt(const QModelIndex& index) const {
    const Place place = placeOf(index);
    return index.isValid() && place.row == LemmaRow && place.index < lemmaCount() ? std::optional(place.index) : std::nullopt;
}

std::optional<std::size_t> LemmaModel::noteAt(const QModelIndex& index) const {
    if (!index.isValid() || !m_lemmas) {
        return std::nullopt;
    }
    const Place place = placeOf(index);
    if (place.row == DetachedNoteRow) {
        return place.index;
    }
    return place.row == LemmaRow && place.index < m_lemmas->noteOf.size() ? m_lemmas->noteOf[place.index] : std::nullopt;
}

QModelIndex LemmaModel::indexOf(std::size_t lemma, int column) const {
    if (lemma >= lemmaCount()) {
        return {};
    }
    return createIndex(static_cast<int>(m_grouped ? m_rowInRegion[lemma] : lemma), column, static_cast<quintptr>(lemma) << 2U | LemmaRow);
}

QModelIndex LemmaModel::index(int row, int column, const QModelIndex& parent) const {
    if (!hasIndex(row, column, parent)) {
        return {};
    }
    const auto at = static_cast<std::size_t>(row);
    if (parent.isValid()) {
        const Place place = placeOf(parent);
        return place.row == RegionRow ? createIndex(row, column, static_cast<quintptr>(m_lemmas->regions[place.index].lemmas[at]) << 2U | LemmaRow)
                                      : createIndex(row, column, static_cast<quintptr>(m_lemmas->detached[at]) << 2U | DetachedNoteRow);
    }
    return row == topCount() ? createIndex(row, column, static_cast<quintptr>(DetachedRow))
                             : createIndex(row, column, static_cast<quintptr>(at) << 2U | static_cast<quintptr>(m_grouped ? RegionRow : LemmaRow));
}

QModelIndex LemmaModel::parent(const QModelIndex& index) const {
    if (!index.isValid() || !m_lemmas) {
        return {};
    }
    const Place place = placeOf(index);
    if (place.row == DetachedNoteRow) {
        return createIndex(topCount(), 0, static_cast<quintptr>(DetachedRow));
    }
    if (place.row != LemmaRow || !m_grouped || place.index >= m_lemmas->regionOf.size()) {
        return {};
    }
    const std::uint32_t region = m_lemmas->regionOf[place.index];
    return createIndex(static_cast<int>(region), 0, static_cast<quintptr>(region) << 2U | RegionRow);
}

int LemmaModel::rowCount(const QModelIndex& parent) const {
    if (!m_lemmas || parent.column() > 0) {
        return 0;
    }
    if (!parent.isValid()) {
        return topCount() + (m_lemmas->detached.empty() ? 0 : 1);
    }
    const Place place = placeOf(parent);
    switch (place.row) {
    case RegionRow: return static_cast<int>(m_lemmas->regions[place.index].lemmas.size());
    case DetachedRow: return static_cast<int>(m_lemmas->detached.size());
    case LemmaRow:
    case DetachedNoteRow: return 0;
    }
    return 0;
}

int LemmaModel::columnCount(const QModelIndex&) const { return ColumnCount; }

QString LemmaModel::statusText(const LemmaResult& entry) const {
    // A lemma that holds says how strongly: the tick says the rest.
    const bool holds = entry.verdict == LemmaVerdict::Holds && entry.strength;
    const QString text = glyph(entry.verdict) + u' ' + (holds ? word(*entry.strength) : word(entry.verdict));
    return isObsolete() ? tr("%1 was: %2").arg(glyph(lemmascope::Role::Obsolete), text) : text;
}

QVariant LemmaModel::lemmaData(std::size_t index, int column, int role) const {
    const LemmaResult& entry = lemma(index);
    const ReviewNote* note = m_lemmas->note(index);
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case StatusColumn: return statusText(entry);
        case IdColumn: return toQString(entry.id);
        case TitleColumn: return toQString(entry.title);
        case RungColumn: return entry.rung == Rung::None ? QString() : QString::number(static_cast<int>(entry.rung));
        case ReviewColumn: return note == nullptr ? QString() : note->reviewer.empty() ? tr("✎") : tr("✎ %1").arg(toQString(note->reviewer));
        default: return {};
        }
    case Qt::FontRole:
        if (m_lemmas->source != LemmaSource::Current) {
            QFont font;
            font.setItalic(true);
            return font;
        }
        return {};
    case Qt::ToolTipRole: {
        if (column == RungColumn && entry.rung != Rung::None) {
            return tr("Decided by rung %1 of the ladder: %2").arg(static_cast<int>(entry.rung)).arg(word(entry.rung));
        }
        if (column == ReviewColumn) {
            return note == nullptr ? tr("Not reviewed yet (R)") : reviewText(*note);
        }
        QString text = tr("%1 %2: %3\n%4").arg(toQString(entry.id), word(entry.verdict), toQString(entry.title), kindText(entry.kind));
        if (entry.strength) {
            text += u'\n' + tr("Strength: %1").arg(word(*entry.strength));
        }
        if (!entry.reason.empty()) {
            text += u'\n' + toQString(entry.reason);
        }
        switch (m_lemmas->source) {
        case LemmaSource::Current: break;
        case LemmaSource::Session: text += u'\n' + tr("From the session: no check has confirmed it yet."); break;
        case LemmaSource::Obsolete: text += u'\n' + tr("Obsolete: of the last result, which no check of the files as they are has confirmed."); break;
        }
        if (note != nullptr) {
            text += u'\n' + reviewText(*note);
        }
        return text;
    }
    case Qt::AccessibleTextRole: {
        if (column == ReviewColumn) {
            return note == nullptr ? tr("not reviewed") : reviewText(*note);
        }
        if (column != StatusColumn) {
            return {};
        }
        QString text = entry.strength ? tr("%1, %2").arg(word(entry.verdict), word(*entry.strength)) : word(entry.verdict);
        text = tr("%1 %2, %3").arg(text, toQString(entry.id), toQString(entry.title));
        if (isObsolete()) {
            text = tr("obsolete, was %1").arg(text);
        }
        return note == nullptr ? text : tr("%1, reviewed").arg(text);
    }
    case VerdictRole: return static_cast<int>(entry.verdict);
    case ReviewedRole: return note != nullptr;
    case ObsoleteRole: return isObsolete();
    case SortRole:
        switch (column) {
        case StatusColumn: return urgency(entry.verdict);
        case TitleColumn: return toQString(entry.title);
        case RungColumn: return static_cast<int>(entry.rung);
        case ReviewColumn: return note == nullptr ? 0 : 1; // what is left to do first
        default: return static_cast<int>(index);           // L2 stands before L10
        }
    case SearchRole: {
        QStringList words{toQString(entry.id), toQString(entry.title), word(entry.verdict), toQString(entry.reason)};
        if (note != nullptr) {
            words << toQString(note->text) << toQString(note->reviewer);
        }
        for (const FlatNodeId node : entry.referenceNodes) {
            words << toQString(m_lemmas->result->reference->path(node));
        }
        for (const FlatNodeId node : entry.rewrittenNodes) {
            words << toQString(m_lemmas->result->rewritten->path(node));
        }
        return words.join(u'\n');
    }
    default: return {};
    }
}

QVariant LemmaModel::regionData(std::size_t index, int column, int role) const {
    const LemmaRegion& region = m_lemmas->regions[index];
    const LemmaCounts counts = countsOf(*m_lemmas, region);
    const LemmaVerdict worst = worstOf(counts);
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case StatusColumn: // spans the row
            return tr("%1%2 %3: %4")
                .arg(isObsolete() ? lemmascope::glyph(lemmascope::Role::Obsolete) + u' ' : QString(), glyph(worst), toQString(region.name),
                     shortCounts(counts));
        case IdColumn: return QString::number(region.lemmas.size());
        case TitleColumn: return tr("%1: %2").arg(toQString(region.name), shortCounts(counts));
        default: return {};
        }
    case Qt::FontRole: {
        QFont font;
        font.setBold(true);
        return font;
    }
    case Qt::ToolTipRole:
        return tr("Rewrite region %1: %n lemma(s), %2", nullptr, static_cast<int>(region.lemmas.size()))
            .arg(toQString(region.name), shortCounts(counts));
    case Qt::AccessibleTextRole:
        return column == StatusColumn ? tr("region %1, %n lemma(s), %2", nullptr, static_cast<int>(region.lemmas.size()))
                                            .arg(toQString(region.name), shortCounts(counts))
                                      : QVariant();
    case SortRole:
        switch (column) {
        case StatusColumn: return urgency(worst);
        case TitleColumn: return toQString(region.name);
        case ReviewColumn:
            return std::all_of(region.lemmas.begin(), region.lemmas.end(), [this](std::uint32_t lemma) { return m_lemmas->note(lemma) != nullptr; })
                       ? 1
                       : 0;
        default: return static_cast<int>(region.lemmas.front());
        }
    default: return {};
    }
}

QVariant LemmaModel::noteData(std::size_t index, int column, int role) const {
    const ReviewNote& note = m_lemmas->notes[index];
    switch (role) {
    case Qt::DisplayRole:
        switch (column) {
        case StatusColumn: return tr("✎ was: %1 %2").arg(glyph(note.verdict), word(note.verdict));
        case IdColumn: return toQString(note.id);
        case TitleColumn:
            return note.text.empty() ? toQString(note.lemma.title) : tr("%1: %2").arg(toQString(note.lemma.title), toQString(note.text).simplified());
        case ReviewColumn: return toQString(note.reviewer);
        default: return {};
        }
    case Qt::ToolTipRole:
        return tr("%1\nDetached: the lemma it was written for is gone, or says something else now.\n%2")
            .arg(toQString(note.lemma.title), reviewText(note));
    case Qt::AccessibleTextRole:
        return column == StatusColumn ? tr("detached note on %1, %2: %3").arg(toQString(note.id), toQString(note.lemma.title), reviewText(note))
                                      : QVariant();
    case SortRole: return static_cast<int>(index);
    case SearchRole:
        return QString(toQString(note.id) + u'\n' + toQString(note.lemma.title) + u'\n' + toQString(note.text) + u'\n' + toQString(note.reviewer));
    default: return {};
    }
}

QVariant LemmaModel::detachedData(int column, int role) const {
    const auto count = static_cast<int>(m_lemmas->detached.size());
    switch (role) {
    case Qt::DisplayRole:
        return column == StatusColumn  ? QVariant(tr("✎ detached: %n note(s) whose lemma is gone", nullptr, count))
               : column == IdColumn    ? QVariant(QString::number(count))
               : column == TitleColumn ? QVariant(tr("Notes whose lemma is gone"))
                                       : QVariant();
    case Qt::ToolTipRole:
        return tr("%n note(s) whose lemma is gone, or says something else now. They are kept until you remove them.", nullptr, count);
    case Qt::AccessibleTextRole: return column == StatusColumn ? tr("%n detached note(s)", nullptr, count) : QVariant();
    case Qt::FontRole: {
        QFont font;
        font.setBold(true);
        return font;
    }
    default: return {};
    }
}

QVariant LemmaModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || !m_lemmas) {
        return {};
    }
    const Place place = placeOf(index);
    if (role == RowRole) {
        return place.row;
    }
    switch (place.row) {
    case LemmaRow: return lemmaData(place.index, index.column(), role);
    case RegionRow: return regionData(place.index, index.column(), role);
    case DetachedNoteRow: return noteData(place.index, index.column(), role);
    case DetachedRow: return detachedData(index.column(), role);
    }
    return {};
}

QVariant LemmaModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation == Qt::Horizontal && section == ReviewColumn && (role == Qt::ToolTipRole || role == Qt::AccessibleTextRole)) {
        return tr("Reviewed by");
    }
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case StatusColumn: return tr("Verdict");
    case IdColumn: return tr("Id");
    case TitleColumn: return tr("Says");
    case RungColumn: return tr("Rung");
    case ReviewColumn: return tr("✎");
    default: return {};
    }
}

LemmaFilterModel::LemmaFilterModel(QObject* parent) : QSortFilterProxyModel(parent) {
    setSortRole(LemmaModel::SortRole);
    setRecursiveFilteringEnabled(true);
}

void LemmaFilterModel::setText(const QString& text) {
    m_words = text.simplified().split(u' ', Qt::SkipEmptyParts);
    invalidateFilter();
}

void LemmaFilterModel::setShow(Show show) {
    m_show = show;
    invalidateFilter();
}

void LemmaFilterModel::setProvedFolded(bool folded) {
    m_provedFolded = folded;
    invalidateFilter();
}

int LemmaFilterModel::shownLemmas() const {
    int count = 0;
    for (int row = 0; row < rowCount(); ++row) {
        const QModelIndex top = index(row, 0);
        switch (top.data(LemmaModel::RowRole).toInt()) {
        case LemmaModel::LemmaRow: ++count; break;
        case LemmaModel::RegionRow: count += rowCount(top); break;
        default: break;
        }
    }
    return count;
}

bool LemmaFilterModel::filterAcceptsRow(int sourceRow, const QModelIndex& sourceParent) const {
    const QModelIndex index = sourceModel()->index(sourceRow, 0, sourceParent);
    const int row = index.data(LemmaModel::RowRole).toInt();
    if (row == LemmaModel::RegionRow || row == LemmaModel::DetachedRow) {
        return false; // stands with what is below it
    }
    if (row == LemmaModel::LemmaRow) {
        const auto verdict = static_cast<LemmaVerdict>(index.data(LemmaModel::VerdictRole).toInt());
        if (m_provedFolded && verdict == LemmaVerdict::Holds) {
            return false;
        }
        bool wanted = true;
        switch (m_show) {
        case Show::All: break;
        case Show::Failing: wanted = verdict == LemmaVerdict::Fails; break;
        case Show::Open: wanted = verdict != LemmaVerdict::Holds; break;
        case Show::NotReviewed: wanted = !index.data(LemmaModel::ReviewedRole).toBool(); break;
        case Show::Reviewed: wanted = index.data(LemmaModel::ReviewedRole).toBool(); break;
        case Show::Obsolete: wanted = index.data(LemmaModel::ObsoleteRole).toBool(); break;
        case Show::Undecided: wanted = verdict == LemmaVerdict::Undecided; break;
        case Show::Vacuous: wanted = verdict == LemmaVerdict::Vacuous; break;
        case Show::Holding: wanted = verdict == LemmaVerdict::Holds; break;
        }
        if (!wanted) {
            return false;
        }
    } else if (m_show != Show::All && m_show != Show::Reviewed) {
        return false;
    }
    if (m_words.isEmpty()) {
        return true;
    }
    const QString text = index.data(LemmaModel::SearchRole).toString();
    return std::all_of(m_words.begin(), m_words.end(), [&text](const QString& wanted) { return text.contains(wanted, Qt::CaseInsensitive); });
}

bool LemmaFilterModel::lessThan(const QModelIndex& left, const QModelIndex& right) const {
    // The detached notes stand last, whichever way round.
    if (left.data(LemmaModel::RowRole).toInt() == LemmaModel::DetachedRow || right.data(LemmaModel::RowRole).toInt() == LemmaModel::DetachedRow) {
        return (right.data(LemmaModel::RowRole).toInt() == LemmaModel::DetachedRow) == (sortOrder() == Qt::AscendingOrder);
    }
    const QVariant a = left.data(LemmaModel::SortRole);
    const QVariant b = right.data(LemmaModel::SortRole);
    const bool text = a.typeId() == QMetaType::QString;
    const int order = text ? QString::localeAwareCompare(a.toString(), b.toString()) : a.toInt() - b.toInt();
    return order == 0 ? left.row() < right.row() : order < 0;
}

} // namespace lemmascope
