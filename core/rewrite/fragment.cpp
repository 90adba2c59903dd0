// Nodes of a replacement, typed and computed one by one: what a replacement costs depends on its size, not on the graph's. Tests:
// tests/core/rewrite/tst_rewrite.cpp.
#include "core/rewrite/fragment.h"

#include "core/eval/evaluator.h"
#include "core/graph/infer.h"
#include "core/graph/op_registry.h"

#include <algorithm>

namespace lemmascope::rewrite {

namespace {

bool isPure(const OpId& op) {
    const OpSchema* schema = findOp(op);
    const bool dropout = op.domain.empty() && op.name == "Dropout"; // may draw numbers
    return !dropout && (schema == nullptr || (schema->opClass != OpClass::Random && schema->opClass != OpClass::Control));
}

/// Bytes of a tensor of this type; nothing when that is not known or overflows.
std::optional<std::int64_t> bytesOf(const TensorType& type) {
    if (!type.shape || byteSize(type.element) == 0) {
        return std::nullopt;
    }
    const Dim count = elementCount(*type.shape) * Dim(static_cast<std::int64_t>(byteSize(type.element)));
    return count.isKnown() ? std::optional(count.value()) : std::nullopt;
}

/// Where inference knows all elements of an integer value that is no constant, it is one to whoever only asks for types.
void pinElements(Value& value) {
    const std::optional<std::vector<std::int64_t>> shape = value.type.shape ? staticShape(*value.type.shape) : std::nullopt;
    if (value.constant || !value.elements || !shape || value.type.element != ElementType::I64 ||
        !std::all_of(value.elements->begin(), value.elements->end(), [](const Dim& each) { return each.isKnown(); })) {
        return;
    }
    std::vector<std::int64_t> elements;
    for (const Dim& each : *value.elements) {
        elements.push_back(each.value());
    }
    std::int64_t count = 1;
    for (const std::int64_t length : *shape) {
        count *= length;
    }
    if (count == static_cast<std::int64_t>(elements.size())) {
        value.constant = Tensor::of(ElementType::I64, *shape, elements);
    }
}

} // namespace

FragmentBuilder::FragmentBuilder(const Graph& matched, FragmentOptions options) : m_matched(matched), m_options(std::move(options)) {
    m_fragment.graph.opsets = matched.opsets;
    m_fragment.graph.symbols = matched.symbols;
    m_fragment.graph.definitions = matched.definitions;
}

ValueId FragmentBuilder::outer(ValueId id) {
    const auto [at, isNew] = m_outer.try_emplace(id);
    if (isNew) {
        Value copy = m_matched.value(id);
        copy.producer = {};
        copy.resultIndex = 0;
        at->second = m_fragment.graph.addValue(std::move(copy));
        m_fragment.outer.push_back(id);
    }
    return at->second;
}

ValueId FragmentBuilder::constant(Tensor tensor) {
    Value made;
    made.name = "(" + std::to_string(++m_made) + ")";
    made.type = {tensor.element(), Shape(tensor.shape().begin(), tensor.shape().end())};
    made.constant = std::move(tensor);
    m_fragment.outer.emplace_back();
    return m_fragment.graph.addValue(std::move(made));
}

/// The node in a graph of its own, whose inputs have the types that are known of its operands.
Graph FragmentBuilder::alone(const Node& node, std::size_t resultCount) const {
    Graph out;
    out.opsets = m_fragment.graph.opsets;
    out.symbols = m_fragment.graph.symbols;
    out.definitions = m_fragment.graph.definitions;
    Node copy = node;
    std::map<ValueId, ValueId> inner;
    for (ValueId& operand : copy.operands) {
        if (!operand.isValid()) {
            continue;
        }
        const auto [at, isNew] = inner.try_emplace(operand);
        if (isNew) {
            Value value = m_fragment.graph.value(operand);
            value.producer = {};
            value.resultIndex = 0;
            at->second = out.addValue(std::move(value));
            if (!out.value(at->second).constant) {
                out.inputs.push_back(at->second); // and so it stays: only constants are folded
                pinElements(out.values[at->second.index]);
            }
        }
        operand = at->second;
    }
    copy.results.clear();
    for (std::size_t k = 0; k < resultCount; ++k) {
        Value result;
        result.name = "(" + std::to_string(m_made + k + 1) + ")";
        copy.results.push_back(out.addValue(std::move(result)));
    }
    out.outputs = copy.results;
    copy.name = copy.op.name;
    out.addNode(std::move(copy));
    return out;
}

/// The results, if all operands are constants and it can be told within the limits what they are; else nothing.
std::vector<Tensor> FragmentBuilder::folded(const Graph& graph) {
    const Node& node = graph.nodes.front();
    if (!m_options.fold || !graph.inputs.empty() || node.body || !isPure(node.op)) {
        return {};
    }
    for (const ValueId output : graph.outputs) {
        // What has no known size is not computed: it might have any.
        const auto bytes = bytesOf(graph.value(output).type);
        if (!bytes || *bytes > m_options.maxFoldedBytes) {
            return {};
        }
    }
    const Result<GraphTree> tree = GraphTree::build(std::make_shared<const Graph>(graph));
    if (!tree) {
        return {};
    }
    EvaluateOptions options;
    options.maxTensorBytes = static_cast<std::size_t>(m_options.maxFoldedBytes);
    options.maxOperations = m_options.maxFoldOperations;
    Result<Evaluation> run = evaluate(*tree, {}, options, m_options.stop);
    if (!run || run->fault || !run->open.empty()) {
        return {};
    }
    std::vector<Tensor> out;
    for (const ValueId output : graph.outputs) {
        std::optional<Tensor>& value = run->values[output.index];
        if (!value) {
            return {};
        }
        out.push_back(std::move(*value));
    }
    return out;
}

Result<std::vector<ValueId>> FragmentBuilder::node(Node node, std::size_t resultCount) {
    if (m_fragment.graph.nodes.size() >= m_options.maxNodes) {
        return fail(ErrorCode::TooLarge, "the replacement has more than " + std::to_string(m_options.maxNodes) + " nodes");
    }
    while (!node.operands.empty() && !node.operands.back().isValid()) {
        node.operands.pop_back();
    }
    const Result<std::shared_ptr<const Graph>> typed = inferTypes(alone(node, resultCount), {}, m_options.stop);
    if (!typed) {
        return tl::unexpected(typed.error());
    }
    std::vector<ValueId> results;
    if (std::vector<Tensor> values = folded(**typed); !values.empty()) {
        ++m_fragment.folded;
        for (Tensor& each : values) {
            results.push_back(constant(std::move(each)));
        }
        return results;
    }
    for (const ValueId result : (*typed)->nodes.front().results) {
        Value made;
        made.name = "(" + std::to_string(++m_made) + ")";
        made.type = (*typed)->value(result).type;
        results.push_back(m_fragment.graph.addValue(std::move(made)));
        m_fragment.outer.emplace_back();
    }
    node.results = results;
    m_fragment.graph.addNode(std::move(node));
    return results;
}

Result<Fragment> FragmentBuilder::take(const std::vector<ValueId>& outputs) {
    const Graph& all = m_fragment.graph;
    std::vector<bool> needed(all.values.size());
    for (const ValueId output : outputs) {
        needed[output.index] = true;
    }
    std::vector<bool> keeps(all.nodes.size());
    for (std::size_t n = all.nodes.size(); n > 0; --n) {
        const Node& node = all.nodes[n - 1];
        keeps[n - 1] = std::any_of(node.results.begin(), node.results.end(), [&](ValueId result) { return needed[result.index]; });
        for (const ValueId operand : node.operands) {
            if (keeps[n - 1] && operand.isValid()) {
                needed[operand.index] = true;
            }
        }
        for (const ValueId result : node.results) {
            needed[result.index] = needed[result.index] || keeps[n - 1];
        }
    }
    Fragment out;
    out.folded = m_fragment.folded;
    out.graph.opsets = all.opsets;
    out.graph.symbols = all.symbols;
    out.graph.definitions = all.definitions;
    std::vector<ValueId> moved(all.values.size());
    for (std::size_t v = 0; v < all.values.size(); ++v) {
        if (!needed[v]) {
            continue;
        }
        Value value = all.values[v];
        value.producer = {};
        moved[v] = out.graph.addValue(std::move(value));
        out.outer.push_back(m_fragment.outer[v]);
        if (out.outer.back().isValid() && !all.values[v].constant) {
            out.graph.inputs.push_back(moved[v]);
        }
    }
    for (std::size_t n = 0; n < all.nodes.size(); ++n) {
        if (!keeps[n]) {
            continue;
        }
        Node node = all.nodes[n];
        for (ValueId& operand : node.operands) {
            operand = operand.isValid() ? moved[operand.index] : operand;
        }
        for (ValueId& result : node.results) {
            result = moved[result.index];
        }
        out.graph.addNode(std::move(node));
    }
    for (const ValueId output : outputs) {
        out.graph.outputs.push_back(moved[output.index]);
    }
    if (out.graph.nodes.empty()) {
        return out;
    }
    Graph pinned = out.graph;
    for (const ValueId input : pinned.inputs) {
        pinElements(pinned.values[input.index]);
    }
    for (Value& value : pinned.values) {
        value.type = value.producer.isValid() ? TensorType{} : value.type; // node by node less was known
    }
    const Result<std::shared_ptr<const Graph>> typed = inferTypes(pinned, {}, m_options.stop);
    if (!typed) {
        return tl::unexpected(typed.error());
    }
    for (std::size_t v = 0; v < out.graph.values.size(); ++v) {
        out.graph.values[v].type = (*typed)->values[v].type;
    }
    return out;
}

} // namespace lemmascope::rewrite
