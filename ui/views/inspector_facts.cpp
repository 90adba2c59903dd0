#include "ui/views/inspector_facts.h"

#include "ui/views/tensor_text.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <set>

namespace lemmascope {

namespace {

constexpr std::size_t ListedElements = 16;

QString tr(const char* text) { return QCoreApplication::translate("InspectorFacts", text); }

QString none() { return tr("none"); }

template <typename T, typename Render>
QString listText(const std::vector<T>& values, Render&& render) {
    QStringList parts;
    for (std::size_t i = 0; i < std::min(values.size(), ListedElements); ++i) {
        parts << render(values[i]);
    }
    if (values.size() > ListedElements) {
        parts << tr("… %1 in all").arg(values.size());
    }
    return u'[' + parts.join(QStringLiteral(", ")) + u']';
}

QString floatText(float value) { return decimalText(Tensor::of<float>(ElementType::F32, {}, {value}), 0); }

struct AttributeRenderer {
    QString operator()(std::int64_t value) const { return QString::number(value); }
    QString operator()(float value) const { return floatText(value); }
    QString operator()(const std::string& value) const { return u'"' + toQString(value).left(400) + u'"'; }
    QString operator()(const std::vector<std::int64_t>& values) const {
        return listText(values, [](std::int64_t value) { return QString::number(value); });
    }
    QString operator()(const std::vector<float>& values) const { return listText(values, &floatText); }
    QString operator()(const std::vector<std::string>& values) const {
        return listText(values, [](const std::string& value) { return QString(u'"' + toQString(value).left(80) + u'"'); });
    }
    QString operator()(const Tensor& value) const { return typeText(value) + u' ' + summaryText(value); }
    QString operator()(const std::shared_ptr<const Graph>& graph) const { return graph ? tr("graph of %1 nodes").arg(graph->nodes.size()) : none(); }
    QString operator()(const std::vector<std::shared_ptr<const Graph>>& graphs) const { return tr("%1 graphs").arg(graphs.size()); }
};

/// `x: f32[2,3]` of a node's operand or result.
QString valueText(const GraphInstance& instance, ValueId id) {
    if (!id.isValid()) {
        return tr("omitted");
    }
    const Value& value = instance.graph->value(id);
    return QStringLiteral("%1: %2").arg(toQString(value.name), toQString(value.type.text()));
}

struct NodeView {
    const GraphTree* tree = nullptr;
    FlatNodeId id;

    [[nodiscard]] const Node* node() const { return tree != nullptr && id.isValid() && id.index < tree->nodeCount() ? &tree->node(id) : nullptr; }
    [[nodiscard]] FlatValueId flat(const std::vector<ValueId>& ids, std::size_t at) const {
        return at < ids.size() && ids[at].isValid() ? FlatValueId(tree->instanceOf(id).valueBase + ids[at].index) : FlatValueId();
    }
    [[nodiscard]] QString value(const std::vector<ValueId>& ids, std::size_t at) const {
        return at < ids.size() ? valueText(tree->instanceOf(id), ids[at]) : none();
    }
};

struct PairTable {
    FactTable table;

    void add(const QString& field, const QString& left, const QString& right, bool compared = true) {
        FactRow row{{field, left, right}, compared && left != right, {}};
        if (row.emphasised) {
            row.note = tr("The two sides differ here.");
        }
        table.rows.push_back(std::move(row));
    }
};

} // namespace

QString attributeSummary(const Attribute& attribute) { return std::visit(AttributeRenderer{}, attribute); }

FactTable nodePairFacts(const GraphTree* reference, FlatNodeId referenceNode, const GraphTree* rewritten, FlatNodeId rewrittenNode) {
    PairTable facts;
    facts.table.headers = {tr("Field"), tr("Reference"), tr("Rewritten")};
    const NodeView left{reference, referenceNode};
    const NodeView right{rewritten, rewrittenNode};
    const Node* a = left.node();
    const Node* b = right.node();
    if (a == nullptr && b == nullptr) {
        return facts.table;
    }
    const bool both = a != nullptr && b != nullptr;
    const auto either = [&](auto&& render) {
        return std::pair<QString, QString>(a != nullptr ? render(left, *a) : none(), b != nullptr ? render(right, *b) : none());
    };
    const auto addRow = [&](const QString& field, auto&& render, bool compared) {
        const auto texts = either(render);
        facts.add(field, texts.first, texts.second, compared && both);
    };
    addRow(
        tr("node"), [](const NodeView& view, const Node&) { return toQString(view.tree->path(view.id)); }, false);
    addRow(
        tr("op"), [](const NodeView&, const Node& node) { return toQString(node.op.text()); }, true);
    addRow(
        tr("opset"), [](const NodeView&, const Node& node) { return QString::number(node.op.version); }, false);
    if ((a != nullptr && a->line > 0) || (b != nullptr && b->line > 0)) {
        addRow(
            tr("line in file"), [](const NodeView&, const Node& node) { return QString::number(node.line); }, false);
    }
    std::set<std::string> keys;
    for (const Node* node : {a, b}) {
        if (node != nullptr) {
            for (const auto& [key, value] : node->attributes) {
                keys.insert(key);
            }
        }
    }
    for (const std::string& key : keys) {
        addRow(
            toQString(key),
            [&key](const NodeView&, const Node& node) {
                const auto at = node.attributes.find(key);
                return at == node.attributes.end() ? tr("not given") : attributeSummary(at->second);
            },
            true);
    }
    const auto sizes = [&](auto&& list) { return std::max(a != nullptr ? list(*a).size() : 0, b != nullptr ? list(*b).size() : 0); };
    const auto operands = [](const Node& node) -> const std::vector<ValueId>& { return node.operands; };
    const auto results = [](const Node& node) -> const std::vector<ValueId>& { return node.results; };
    const auto leadTo = [&](auto&& list, std::size_t i) {
        FactRow& row = facts.table.rows.back();
        row.reference = a != nullptr ? left.flat(list(*a), i) : FlatValueId();
        row.rewritten = b != nullptr ? right.flat(list(*b), i) : FlatValueId();
        row.note = tr("Return or a double click shows the values.");
    };
    for (std::size_t i = 0; i < sizes(operands); ++i) {
        addRow(
            tr("operand %1").arg(i), [i](const NodeView& view, const Node& node) { return view.value(node.operands, i); }, false);
        leadTo(operands, i);
    }
    for (std::size_t i = 0; i < sizes(results); ++i) {
        addRow(
            tr("result %1").arg(i), [i](const NodeView& view, const Node& node) { return view.value(node.results, i); }, false);
        leadTo(results, i);
    }
    return facts.table;
}

FactTable valuePairFacts(const GraphTree* reference, FlatValueId referenceValue, const GraphTree* rewritten, FlatValueId rewrittenValue) {
    PairTable facts;
    facts.table.headers = {tr("Field"), tr("Reference"), tr("Rewritten")};
    const auto find = [](const GraphTree* tree, FlatValueId id) {
        return tree != nullptr && id.isValid() && id.index < tree->valueCount() ? &tree->value(id) : nullptr;
    };
    const Value* a = find(reference, referenceValue);
    const Value* b = find(rewritten, rewrittenValue);
    const auto addRow = [&](const QString& field, auto&& render, bool compared) {
        facts.add(field, a != nullptr ? render(*a) : none(), b != nullptr ? render(*b) : none(), compared && a != nullptr && b != nullptr);
    };
    if (a == nullptr && b == nullptr) {
        return facts.table;
    }
    addRow(
        tr("value"), [](const Value& value) { return toQString(value.name); }, false);
    facts.table.rows.back().reference = a != nullptr ? referenceValue : FlatValueId();
    facts.table.rows.back().rewritten = b != nullptr ? rewrittenValue : FlatValueId();
    facts.table.rows.back().note = tr("Return or a double click shows the values.");
    addRow(
        tr("type"), [](const Value& value) { return toQString(value.type.text()); }, true);
    if ((a != nullptr && a->constant) || (b != nullptr && b->constant)) {
        addRow(
            tr("constant"), [](const Value& value) { return value.constant ? summaryText(*value.constant, 16) : tr("no constant"); }, true);
    }
    if ((a != nullptr && a->range) || (b != nullptr && b->range)) {
        addRow(
            tr("declared range"),
            [](const Value& value) { return value.range ? QStringLiteral("%1 … %2").arg(value.range->low).arg(value.range->high) : none(); }, true);
    }
    return facts.table;
}

FactTable lemmaFacts(const CheckResult& result, std::size_t lemma) {
    FactTable table;
    table.headers = {tr("Field"), tr("Value")};
    if (lemma >= result.lemmas.size()) {
        return table;
    }
    const LemmaResult& entry = result.lemmas[lemma];
    const auto add = [&table](const QString& field, const QString& text) {
        if (!text.isEmpty()) {
            table.rows.push_back({{field, text}, false, {}});
        }
    };
    const auto names = [](const GraphTree* tree, const std::vector<FlatNodeId>& nodes) {
        QStringList list;
        for (const FlatNodeId node : nodes) {
            if (tree != nullptr && node.index < tree->nodeCount()) {
                list << toQString(tree->path(node));
            }
        }
        return list.join(QStringLiteral(", "));
    };
    add(tr("verdict"), glyph(entry.verdict) + u' ' + word(entry.verdict));
    add(tr("says"), toQString(entry.title));
    add(tr("reason"), toQString(entry.reason));
    add(tr("model"), toQString(entry.model));
    add(tr("decided by"), entry.rung == Rung::None ? QString()
                                                   : tr("rung %1, %2").arg(static_cast<int>(entry.rung)).arg(word(entry.rung)) +
                                                         (entry.fromCache ? tr(" (from the cache)") : QString()));
    add(tr("strength"), entry.strength ? word(*entry.strength) : QString());
    QStringList outputs;
    for (const std::size_t output : entry.outputs) {
        if (output < result.outputs.size()) {
            outputs << toQString(result.outputs[output].name);
        }
    }
    add(tr("needed by"), outputs.join(QStringLiteral(", ")));
    add(tr("in the reference"), names(result.reference.get(), entry.referenceNodes));
    add(tr("in the rewritten"), names(result.rewritten.get(), entry.rewrittenNodes));
    add(tr("SHA-256"), toQString(entry.digest));
    return table;
}

QString relationSentence(const Correspondence* correspondence, const GraphTree& tree, FlatNodeId node, Side side) {
    const QString where = side == Side::Reference ? tr("reference") : tr("rewritten");
    QString text = QStringLiteral("%1 %2 (%3)").arg(toQString(tree.node(node).op.text()), toQString(tree.path(node)), where);
    const auto* relations = correspondence == nullptr ? nullptr : side == Side::Reference ? &correspondence->reference : &correspondence->rewritten;
    if (relations == nullptr || node.index >= relations->size()) {
        return text;
    }
    const NodeRelation& relation = (*relations)[node.index];
    text += QStringLiteral(": ") + word(relation.mark, side) + u'.';
    if (!relation.reason.empty()) {
        text += u' ' + toQString(relation.reason);
    }
    return text;
}

} // namespace lemmascope
