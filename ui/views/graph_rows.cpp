#include "ui/views/graph_rows.h"

#include "core/report/pipeline.h"
#include "ui/canvas/palette.h"
#include "ui/canvas/scene_overlay.h"
#include "ui/models/fact_table_model.h"
#include "ui/views/text.h"

#include <QCoreApplication>

#include <algorithm>
#include <numeric>

namespace lemmascope {

namespace {

constexpr std::size_t MostNames = 6;
constexpr std::size_t PollEvery = 4'096;

QString tr(const char* text) { return QCoreApplication::translate("GraphRows", text); }

QString joined(QStringList parts, std::size_t all) {
    if (all > static_cast<std::size_t>(parts.size())) {
        parts += QStringLiteral("… (%1)").arg(all);
    }
    return parts.join(QStringLiteral(", "));
}

/// The gravest first.
std::uint32_t orderOf(NodeMark mark) {
    switch (mark) {
    case NodeMark::Failing: return 0;
    case NodeMark::Undecided: return 1;
    case NodeMark::Changed: return 2;
    case NodeMark::Only: return 3;
    case NodeMark::Accepted: return 4;
    case NodeMark::Equal: return 5;
    case NodeMark::Shared: return 6;
    case NodeMark::Dead: return 7;
    }
    return 8;
}

constexpr std::uint32_t NoKey = 0xFFFFFFFFU;

std::string typeOf(const GraphRows& rows, std::uint32_t entry) {
    const PlaceId& place = rows.index->place(entry);
    std::string text;
    for (const FlatValueId value : rows.index->resultsOf(entry)) {
        text += text.empty() ? "" : ", ";
        text += rows.index->tree(place.side)->value(value).type.text();
    }
    return text;
}

/// What a column is sorted by, where it is a number.
std::uint32_t keyOf(const GraphRows& rows, std::uint32_t entry, int column, const std::vector<std::uint32_t>& opOrder) {
    const PlaceId& place = rows.index->place(entry);
    const NodeRelation* relation = rows.relation(entry);
    switch (column) {
    case GraphRows::Op: return opOrder[rows.index->op(entry)];
    case GraphRows::Mark: return relation == nullptr ? NoKey : orderOf(relation->mark);
    case GraphRows::Partner: return relation == nullptr ? NoKey : relation->partner.isValid() ? relation->partner.index : NoKey - 1;
    case GraphRows::Lemma: return relation == nullptr || relation->lemmas.empty() ? NoKey : relation->lemmas.front();
    case GraphRows::Inputs:
        return place.node.isValid() ? static_cast<std::uint32_t>(rows.index->tree(place.side)->node(place.node).operands.size()) : 0;
    case GraphRows::Outputs: return static_cast<std::uint32_t>(rows.index->resultsOf(entry).size());
    default: return entry;
    }
}

} // namespace

QStringList GraphRows::headers() {
    return {tr("Side"), tr("Name"), tr("Op"), tr("Type"), tr("Mark"), tr("Partner"), tr("Lemma"), tr("Inputs"), tr("Outputs")};
}

const NodeRelation* GraphRows::relation(std::uint32_t entry) const {
    const PlaceId& place = index->place(entry);
    if (marks == nullptr || !place.node.isValid()) {
        return nullptr;
    }
    const auto& relations = place.side == lemmascope::Side::Reference ? marks->reference : marks->rewritten;
    return place.node.index < relations.size() ? &relations[place.node.index] : nullptr;
}

QString GraphRows::cell(std::uint32_t entry, int column) const {
    const PlaceId& place = index->place(entry);
    const GraphTree& tree = *index->tree(place.side);
    const NodeRelation* known = relation(entry);
    switch (column) {
    case Side: return place.side == lemmascope::Side::Reference ? tr("reference") : tr("rewritten");
    case Name: return index->name(entry);
    case Op: return index->opName(entry);
    case Type: return toQString(typeOf(*this, entry));
    case Mark: {
        if (known == nullptr) {
            return place.node.isValid() ? tr("not compared") : QString();
        }
        const Role role = roleOf(known->mark, place.side);
        return glyph(role) + u' ' + (known->mark == NodeMark::Equal ? tr("proved equal") : roleText(role));
    }
    case Partner: {
        if (known == nullptr) {
            return {};
        }
        const QString reason = toQString(known->reason);
        if (!known->partner.isValid()) {
            if (known->mark == NodeMark::Dead || reason.startsWith(QStringLiteral("no partner"))) {
                return reason;
            }
            return reason.isEmpty() ? tr("none") : tr("no partner: %1").arg(reason);
        }
        const GraphTree* other = index->tree(place.side == lemmascope::Side::Reference ? lemmascope::Side::Rewritten : lemmascope::Side::Reference);
        const QString name = other != nullptr && known->partner.index < other->nodeCount() ? toQString(other->path(known->partner)) : QString();
        return known->mark == NodeMark::Shared || reason.isEmpty() ? name : tr("%1: %2").arg(name, reason);
    }
    case Lemma: {
        QStringList ids;
        const std::size_t count = known == nullptr ? 0 : known->lemmas.size();
        for (std::size_t i = 0; i < std::min(count, MostNames); ++i) {
            const std::uint32_t lemma = known->lemmas[i];
            ids += result && lemma < result->lemmas.size() ? toQString(result->lemmas[lemma].id) : QStringLiteral("L%1").arg(lemma + 1);
        }
        return joined(ids, count);
    }
    case Inputs: {
        QStringList names;
        if (place.node.isValid()) {
            const Node& node = tree.node(place.node);
            const Graph& graph = *tree.instanceOf(place.node).graph;
            for (std::size_t i = 0; i < std::min(node.operands.size(), MostNames); ++i) {
                names += node.operands[i].isValid() ? toQString(graph.value(node.operands[i]).name) : tr("omitted");
            }
            return joined(names, node.operands.size());
        }
        return {};
    }
    case Outputs: {
        QStringList names;
        const std::vector<FlatValueId> results = index->resultsOf(entry);
        for (std::size_t i = 0; i < std::min(results.size(), MostNames); ++i) {
            names += toQString(tree.value(results[i]).name);
        }
        return joined(names, results.size());
    }
    default: return {};
    }
}

std::vector<std::uint32_t> GraphRows::arranged(const NodeQuery& query, int column, bool descending, std::stop_token stop) const {
    std::vector<std::uint32_t> rows;
    if (index == nullptr) {
        return rows;
    }
    if (query.isEmpty()) {
        rows.resize(index->count());
        std::iota(rows.begin(), rows.end(), 0U);
    } else {
        rows = query.matches(*index, marks.get(), stop);
    }
    const auto sortBy = [&](auto&& less) {
        if (descending) {
            std::stable_sort(rows.begin(), rows.end(), [&less](std::uint32_t a, std::uint32_t b) { return less(b, a); });
        } else {
            std::stable_sort(rows.begin(), rows.end(), less);
        }
    };
    if (column == Name) {
        sortBy([this](std::uint32_t a, std::uint32_t b) { return naturalLess(index->foldedPath(a), index->foldedPath(b)); });
    } else if (column == Type) {
        std::vector<std::string> types(index->count());
        for (const std::uint32_t row : rows) {
            if (row % PollEvery == 0 && stop.stop_requested()) {
                return rows;
            }
            types[row] = typeOf(*this, row);
        }
        sortBy([&types](std::uint32_t a, std::uint32_t b) { return types[a] < types[b]; });
    } else {
        const std::vector<std::string>& ops = index->foldedOps();
        std::vector<std::uint32_t> byName(ops.size());
        std::iota(byName.begin(), byName.end(), 0U);
        std::stable_sort(byName.begin(), byName.end(), [&ops](std::uint32_t a, std::uint32_t b) { return ops[a] < ops[b]; });
        std::vector<std::uint32_t> opOrder(ops.size());
        for (std::uint32_t i = 0; i < byName.size(); ++i) {
            opOrder[byName[i]] = i;
        }
        std::vector<std::uint32_t> keys(index->count());
        for (const std::uint32_t row : rows) {
            keys[row] = keyOf(*this, row, column, opOrder);
        }
        sortBy([&keys](std::uint32_t a, std::uint32_t b) { return keys[a] < keys[b]; });
    }
    return rows;
}

namespace {

FactTable tableOf(const GraphRows& rows, const std::vector<std::uint32_t>& entries, const std::stop_token& stop) {
    FactTable table;
    table.headers = GraphRows::headers();
    for (const std::uint32_t entry : entries) {
        if (stop.stop_requested()) {
            break;
        }
        FactRow row;
        for (int column = 0; column < GraphRows::ColumnCount; ++column) {
            row.cells += rows.cell(entry, column);
        }
        table.rows.push_back(std::move(row));
    }
    return table;
}

} // namespace

QString GraphRows::tabSeparated(const std::vector<std::uint32_t>& entries, std::stop_token stop) const {
    const FactTable table = tableOf(*this, entries, stop);
    QString text = table.headers.join(u'\t') + u'\n';
    for (const FactRow& row : table.rows) {
        for (qsizetype i = 0; i < row.cells.size(); ++i) {
            QString cell = row.cells[i];
            text += (i > 0 ? QStringLiteral("\t") : QString()) + cell.replace(u'\t', u' ').replace(u'\n', u' ');
        }
        text += u'\n';
    }
    return text;
}

QString GraphRows::plainText(const std::vector<std::uint32_t>& entries, std::stop_token stop) const {
    return toPlainText(tableOf(*this, entries, stop));
}

QString GraphRows::markdown(const std::vector<std::uint32_t>& entries, std::stop_token stop) const {
    return toMarkdown(tableOf(*this, entries, stop));
}

} // namespace lemmascope
