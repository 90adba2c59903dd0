// A graph as terms; tests: tests/core/match/tst_match_graph.cpp.
#include "core/match/graph_subject.h"

#include "core/base/digest.h"
#include "core/graph/attribute_defaults.h"
#include "core/graph/definition_library.h"
#include "core/graph/op_registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace lemmascope::match {

namespace {

constexpr std::size_t LargeBytes = 4'096;    ///< constants from here on are told apart by name, not by content
constexpr std::int64_t MostElements = 4'096; ///< of constants that guards and attributes read

bool isOnnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

std::string folded(const std::string& text) {
    std::string out = text;
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

/// Operands that newer opsets read what was an attribute from. Source: the ONNX operator documents.
struct AttributeOperand {
    const char* op;
    const char* attribute;
    std::size_t operand;
};
constexpr std::array<AttributeOperand, 18> AttributeOperands{{{"squeeze", "axes", 1},
                                                              {"unsqueeze", "axes", 1},
                                                              {"reshape", "shape", 1},
                                                              {"slice", "starts", 1},
                                                              {"slice", "ends", 2},
                                                              {"slice", "axes", 3},
                                                              {"slice", "steps", 4},
                                                              {"pad", "pads", 1},
                                                              {"pad", "value", 2},
                                                              {"pad", "axes", 3},
                                                              {"clip", "min", 1},
                                                              {"clip", "max", 2},
                                                              {"split", "split", 1},
                                                              {"topk", "k", 1},
                                                              {"tile", "repeats", 1},
                                                              {"expand", "shape", 1},
                                                              {"dropout", "ratio", 1},
                                                              {"upsample", "scales", 1}}};

template <typename T>
FactValue listOf(const std::vector<T>& values) {
    FactValue::List out;
    for (const T& each : values) {
        out.emplace_back(each);
    }
    return FactValue(std::move(out));
}

FactValue factOf(const Attribute& attribute) {
    struct Reader {
        FactValue operator()(std::int64_t v) const { return FactValue(v); }
        FactValue operator()(float v) const { return FactValue(static_cast<double>(v)); }
        FactValue operator()(const std::string& v) const { return FactValue(v); }
        FactValue operator()(const std::vector<std::int64_t>& v) const { return listOf(v); }
        FactValue operator()(const std::vector<float>& v) const {
            FactValue::List out;
            for (const float each : v) {
                out.emplace_back(static_cast<double>(each));
            }
            return FactValue(std::move(out));
        }
        FactValue operator()(const std::vector<std::string>& v) const { return listOf(v); }
        FactValue operator()(const Tensor& v) const { return elements(v); }
        FactValue operator()(const std::shared_ptr<const Graph>& /*v*/) const { return {}; }
        FactValue operator()(const std::vector<std::shared_ptr<const Graph>>& /*v*/) const { return {}; }

        static FactValue elements(const Tensor& tensor) {
            if (tensor.count() > MostElements || (!isComputable(tensor.element()) && tensor.element() != ElementType::String)) {
                return {};
            }
            FactValue::List out;
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                if (tensor.element() == ElementType::String) {
                    out.emplace_back(tensor.strings()[static_cast<std::size_t>(i)]);
                } else if (isFloat(tensor.element())) {
                    out.emplace_back(tensor.toDouble(i));
                } else {
                    out.emplace_back(tensor.toInt64(i));
                }
            }
            return tensor.shape().empty() && out.size() == 1 ? out.front() : FactValue(std::move(out));
        }
    };
    return std::visit(Reader{}, attribute);
}

/// The text that tells attributes apart; false when there is none (graphs, large tensors).
bool keyOf(const Attribute& attribute, std::string& key) {
    if (std::holds_alternative<std::shared_ptr<const Graph>>(attribute) ||
        std::holds_alternative<std::vector<std::shared_ptr<const Graph>>>(attribute)) {
        return false;
    }
    if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
        if (tensor->bytes().size() > LargeBytes) {
            return false;
        }
        key += tensor->digest().hex();
        return true;
    }
    const FactValue value = factOf(attribute);
    key += std::to_string(attribute.index()) + ":";
    if (const auto* list = std::get_if<FactValue::List>(&value.value)) {
        key += std::to_string(list->size()) + "[";
        for (const FactValue& each : *list) {
            const std::string text = each.text();
            key += std::to_string(text.size()) + ":" + text;
        }
        return true;
    }
    const std::string text = value.text();
    key += std::to_string(text.size()) + ":" + text;
    return true;
}

bool isAxis(const std::string& name) { return name == "axis" || name == "axes"; }

} // namespace

GraphSubject::GraphSubject(std::shared_ptr<const Graph> graph) : m_graph(std::move(graph)) {
    addTerms();
    addNumbers();
}

void GraphSubject::addTerms() {
    const Graph& graph = *m_graph;
    std::map<std::string, std::uint32_t> symbolOf;
    const auto symbol = [&](const std::string& key, const Symbol& made) {
        const auto [at, isNew] = symbolOf.try_emplace(key, static_cast<std::uint32_t>(m_symbols.size()));
        if (isNew) {
            m_symbols.push_back(made);
            m_symbolsByName.emplace(folded(made.isLeaf ? made.leaf : made.op.name), SymbolId(at->second));
        }
        return SymbolId(at->second);
    };
    m_terms.resize(graph.values.size());
    m_nodeTerms.resize(graph.nodes.size());
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
        if (!graph.values[i].producer.isValid()) {
            m_terms[i] = {symbol("=" + graph.values[i].name, {{}, graph.values[i].name, true}), 0, 0, 0, 0, TermId(i)};
        }
    }
    m_attributes.reserve(graph.nodes.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        const Node& node = graph.nodes[n];
        const Definition* definition = findDefinition(graph.definitions.get(), node.op);
        m_attributes.push_back(definition != nullptr ? withDefaults(*definition, withOnnxDefaults(node.op, node.attributes))
                                                     : withOnnxDefaults(node.op, node.attributes));
        SubjectTerm term;
        term.head = symbol(node.op.domain + ":" + std::to_string(node.op.version) + ":" + node.op.name, {node.op, {}, false});
        term.firstOperand = static_cast<std::uint32_t>(m_operands.size());
        std::size_t count = node.operands.size();
        while (count > 0 && !node.operands[count - 1].isValid()) {
            --count;
        }
        term.operandCount = static_cast<std::uint32_t>(count);
        for (std::size_t k = 0; k < count; ++k) {
            m_operands.push_back(node.operands[k].isValid() ? TermId(node.operands[k].index) : TermId());
        }
        if (!node.results.empty() && node.results[0].isValid()) {
            m_nodeTerms[n] = TermId(node.results[0].index);
        } else {
            m_nodeTerms[n] = TermId(m_terms.size());
            m_terms.emplace_back();
            m_extraNodes.push_back(NodeId(n));
        }
        term.node = m_nodeTerms[n];
        m_terms[term.node.index] = term;
        for (std::uint32_t r = 1; r < node.results.size(); ++r) {
            if (node.results[r].isValid()) {
                m_terms[node.results[r].index] = term;
                m_terms[node.results[r].index].resultIndex = r;
            }
        }
    }
    m_symbolCount = m_symbols.size();
    for (const Symbol& each : m_symbols) {
        m_classes.push_back(classOf(each));
    }
    m_uses.assign(m_terms.size(), 0);
    m_readers.resize(m_terms.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        std::vector<ValueId> read = graph.nodes[n].operands;
        for (const auto& [role, inner] : Graph::nestedGraphs(graph.nodes[n])) {
            for (const Capture& capture : inner->captures) {
                read.push_back(capture.outer);
            }
        }
        for (const ValueId value : read) {
            if (!value.isValid()) {
                continue;
            }
            ++m_uses[value.index];
            std::vector<NodeId>& readers = m_readers[value.index];
            if (readers.empty() || readers.back() != NodeId(n)) {
                readers.push_back(NodeId(n));
            }
        }
    }
    for (const ValueId output : graph.outputs) {
        ++m_uses[output.index];
    }
}

void GraphSubject::addNumbers() {
    const Graph& graph = *m_graph;
    std::unordered_map<std::string, std::uint32_t> numbers;
    std::uint32_t next = 0;
    const auto own = [&] { return next++; };
    const auto shared = [&](std::string key) {
        const auto [at, isNew] = numbers.try_emplace(std::move(key), next);
        next += isNew ? 1 : 0;
        return at->second;
    };
    for (std::size_t i = 0; i < graph.values.size(); ++i) {
        const Value& value = graph.values[i];
        if (value.producer.isValid()) {
            continue;
        }
        const bool small = value.constant && value.constant->bytes().size() <= LargeBytes && value.constant->element() != ElementType::String;
        m_terms[i].number = small ? shared("=" + value.constant->digest().hex()) : own();
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        const Node& node = graph.nodes[n];
        const OpSchema* schema = findOp(node.op);
        const bool effectful = schema != nullptr && (schema->opClass == OpClass::Random || schema->opClass == OpClass::Control);
        // Dropout draws numbers when it trains, and whether it does may be an operand.
        bool pure = !effectful && !node.body && !(isOnnx(node.op.domain) && node.op.name == "Dropout");
        std::string key = node.op.domain + ":" + node.op.name + ":" + std::to_string(schema != nullptr ? schema->sinceVersion : node.op.version);
        for (const auto& [name, attribute] : m_attributes[n]) {
            key += "|" + name + "=";
            pure = pure && keyOf(attribute, key);
        }
        key += "(";
        for (const TermId operand : operands(m_nodeTerms[n])) {
            key += operand.isValid() ? std::to_string(m_terms[operand.index].number) + "," : "-,";
        }
        const std::uint32_t number = pure ? shared(key) : own();
        m_terms[m_nodeTerms[n].index].number = number;
        for (std::uint32_t r = 1; r < node.results.size(); ++r) {
            if (node.results[r].isValid()) {
                m_terms[node.results[r].index].number = shared("#" + std::to_string(number) + "." + std::to_string(r));
            }
        }
    }
}

NodeId GraphSubject::nodeOf(TermId term) const {
    return term.index < m_graph->values.size() ? m_graph->values[term.index].producer : m_extraNodes[term.index - m_graph->values.size()];
}

TermId GraphSubject::termOf(NodeId node) const { return m_nodeTerms[node.index]; }

bool GraphSubject::isOutput(TermId term) const {
    return std::any_of(m_graph->outputs.begin(), m_graph->outputs.end(), [&](ValueId output) { return output.index == term.index; });
}

bool GraphSubject::symbolIs(SymbolId symbol, const OperatorName& wanted) const {
    const Symbol& at = m_symbols[symbol.index];
    if (at.isLeaf) {
        return !wanted.domain && !wanted.version && at.leaf == wanted.name;
    }
    const std::string domain = wanted.domain.value_or("");
    const bool onnx = isOnnx(domain);
    if (onnx ? !isOnnx(at.op.domain) || folded(at.op.name) != folded(wanted.name) : at.op.domain != domain || at.op.name != wanted.name) {
        return false;
    }
    if (!wanted.version) {
        return true;
    }
    const OpSchema* here = findOp(at.op);
    const OpSchema* there = findOp({at.op.domain, at.op.name, *wanted.version});
    return here == nullptr && there == nullptr ? at.op.version == *wanted.version : here == there;
}

std::vector<SymbolId> GraphSubject::symbolsNamed(const OperatorName& wanted) const {
    std::vector<SymbolId> out;
    const auto [first, last] = m_symbolsByName.equal_range(folded(wanted.name));
    for (auto at = first; at != last; ++at) {
        if (symbolIs(at->second, wanted)) {
            out.push_back(at->second);
        }
    }
    return out;
}

std::string GraphSubject::symbolText(SymbolId symbol) const {
    const Symbol& at = m_symbols[symbol.index];
    if (!at.isLeaf) {
        return isOnnx(at.op.domain) ? at.op.name : at.op.text();
    }
    const ValueId value = m_graph->findValue(at.leaf);
    return (value.isValid() && m_graph->value(value).constant ? "constant " : "graph input ") + at.leaf;
}

std::string GraphSubject::classOf(const Symbol& at) {
    const OpSchema* schema = at.isLeaf ? nullptr : findOp(at.op);
    if (schema == nullptr) {
        return "other";
    }
    switch (schema->opClass) {
    case OpClass::Elementwise:
        // Those of any number of operands (Sum, Max) count as binary.
        return "ew" + std::to_string(schema->maxOperands < 0 ? 2 : std::clamp(schema->minOperands, 1, 3));
    case OpClass::Movement: return "move";
    case OpClass::Computing: return "compute";
    case OpClass::Control: return "control";
    case OpClass::Random: return "random";
    }
    return "other";
}

FactValue GraphSubject::fact(FactKind kind, TermId term, const FactValue& argument) const {
    if (term.index >= m_graph->values.size()) {
        return kind == FactKind::Uses ? FactValue(std::int64_t{0}) : FactValue();
    }
    const Value& value = m_graph->values[term.index];
    const std::optional<Shape>& shape = value.type.shape;
    const auto length = [](const Dim& dim) { return dim.overflowed() ? FactValue() : dim.isKnown() ? FactValue(dim.value()) : FactValue(dim); };
    switch (kind) {
    case FactKind::Rank: return shape ? FactValue(static_cast<std::int64_t>(shape->size())) : FactValue();
    case FactKind::Shape: {
        if (!shape) {
            return {};
        }
        FactValue::List list;
        for (const Dim& dim : *shape) {
            list.push_back(length(dim));
        }
        return FactValue(std::move(list));
    }
    case FactKind::Dim: {
        const auto* axis = std::get_if<std::int64_t>(&argument.value);
        if (!shape || axis == nullptr) {
            return {};
        }
        const auto rank = static_cast<std::int64_t>(shape->size());
        if (*axis < -rank || *axis >= rank) {
            return {};
        }
        return length((*shape)[static_cast<std::size_t>(*axis < 0 ? *axis + rank : *axis)]);
    }
    case FactKind::Dtype: return value.type.element == ElementType::Undefined ? FactValue() : FactValue(std::string(name(value.type.element)));
    case FactKind::IsConst: return FactValue(value.constant.has_value());
    case FactKind::Value: {
        if (!value.constant || value.constant->count() == 0 || !isComputable(value.constant->element())) {
            return {};
        }
        const FactValue all = constant(term);
        const auto* list = std::get_if<FactValue::List>(&all.value);
        if (list == nullptr) {
            return all;
        }
        const bool one = std::all_of(list->begin(), list->end(), [&](const FactValue& each) { return equals(each, list->front()) == Truth::True; });
        return one && !list->empty() ? list->front() : FactValue();
    }
    case FactKind::Ints: {
        if (value.elements) {
            FactValue::List list;
            for (const Dim& each : *value.elements) {
                list.push_back(length(each));
            }
            return FactValue(std::move(list));
        }
        if (!value.constant || isFloat(value.constant->element()) || value.constant->element() == ElementType::String) {
            return {};
        }
        FactValue all = constant(term);
        const bool one = std::holds_alternative<std::int64_t>(all.value);
        return one ? FactValue(FactValue::List{std::move(all)}) : all;
    }
    case FactKind::Uses: return FactValue(static_cast<std::int64_t>(m_uses[term.index]));
    case FactKind::Size:
        if (m_sizes.empty()) {
            m_sizes = unfoldedSizes(*this);
        }
        return FactValue(static_cast<std::int64_t>(m_sizes[term.index]));
    case FactKind::Version: {
        const NodeId node = nodeOf(term);
        return node.isValid() ? FactValue(m_graph->node(node).op.version) : FactValue();
    }
    case FactKind::Op:
    case FactKind::Cls:
    case FactKind::Attr: break;
    }
    return {};
}

FactValue GraphSubject::attribute(TermId term, const std::string& name) const {
    const NodeId node = nodeOf(term);
    if (!node.isValid()) {
        return {};
    }
    const auto found = m_attributes[node.index].find(name);
    return found == m_attributes[node.index].end() ? FactValue() : factOf(found->second);
}

std::optional<std::size_t> attributePosition(const OpId& id, const std::string& name) {
    const std::string op = isOnnx(id.domain) ? folded(id.name) : std::string();
    if (op.starts_with("reduce") && name == "axes") {
        return 1;
    }
    for (const AttributeOperand& each : AttributeOperands) {
        if (op == each.op && name == each.attribute) {
            return each.operand;
        }
    }
    return std::nullopt;
}

std::optional<std::size_t> GraphSubject::attributeOperand(TermId term, const std::string& name, std::size_t patternOperands) const {
    const NodeId node = nodeOf(term);
    if (!node.isValid()) {
        return std::nullopt;
    }
    const Node& at = m_graph->node(node);
    if (const std::optional<std::size_t> operand = attributePosition(at.op, name)) {
        return operand;
    }
    return patternOperands < at.operands.size() ? std::optional(patternOperands) : std::nullopt;
}

FactValue GraphSubject::constant(TermId term) const {
    if (term.index >= m_graph->values.size()) {
        return {};
    }
    const std::optional<Tensor>& tensor = m_graph->values[term.index].constant;
    return tensor ? factOf(Attribute(*tensor)) : FactValue();
}

bool GraphSubject::constantIs(TermId term, const NumberLiteral& number) const {
    if (term.index >= m_graph->values.size()) {
        return false;
    }
    const std::optional<Tensor>& tensor = m_graph->values[term.index].constant;
    if (!tensor || tensor->count() == 0 || !isComputable(tensor->element())) {
        return false;
    }
    const auto rounded = [&] {
        switch (tensor->element()) {
        case ElementType::F32: return static_cast<double>(static_cast<float>(number.value));
        case ElementType::F16: return static_cast<double>(halfToFloat(doubleToHalf(number.value)));
        case ElementType::BF16: return static_cast<double>(bfloatToFloat(doubleToBfloat(number.value)));
        default: return number.value;
        }
    };
    const double wanted = rounded();
    const bool floats = isFloat(tensor->element());
    for (std::int64_t i = 0; i < tensor->count(); ++i) {
        const bool exactInteger = !floats && number.integer && !number.tolerance;
        const bool fits = exactInteger       ? tensor->toInt64(i) == *number.integer
                          : number.tolerance ? std::fabs(tensor->toDouble(i) - number.value) <= *number.tolerance
                                             : tensor->toDouble(i) == wanted;
        if (!fits) {
            return false;
        }
    }
    return true;
}

/// The rank that the axes of a node count in; nothing when it is not known.
std::optional<std::int64_t> GraphSubject::rankFor(TermId term, const std::string& name) const {
    const NodeId id = nodeOf(term);
    if (!isAxis(name) || !id.isValid()) {
        return std::nullopt;
    }
    const Node& node = m_graph->node(id);
    if (!isOnnx(node.op.domain) || findOp(node.op) == nullptr || node.operands.empty() || !node.operands[0].isValid()) {
        return std::nullopt;
    }
    // Unsqueeze counts in the result; sequences have no rank of their own.
    const bool ofResult = node.op.name == "Unsqueeze";
    if (node.op.name == "ConcatFromSequence" || (ofResult && (node.results.empty() || !node.results[0].isValid()))) {
        return std::nullopt;
    }
    const auto rank = m_graph->value(ofResult ? node.results[0] : node.operands[0]).type.rank();
    return rank ? std::optional(static_cast<std::int64_t>(*rank)) : std::nullopt;
}

bool GraphSubject::attributeIs(TermId term, const std::string& name, const FactValue& found, const AttributeValue& wanted) const {
    if (attributeEquals(found, wanted)) {
        return true;
    }
    // A constant operand of one element may be written as the number, one number as a list.
    if (const auto* list = std::get_if<FactValue::List>(&found.value);
        list != nullptr && list->size() == 1 && wanted.kind == AttributeValue::Kind::Number) {
        return attributeIs(term, name, list->front(), wanted);
    }
    const std::optional<std::int64_t> rank = rankFor(term, name);
    if (!rank) {
        return false;
    }
    const auto fromFront = [&](std::int64_t axis) { return axis < 0 ? axis + *rank : axis; };
    const auto asInteger = [&](const FactValue& value, const AttributeValue& literal) {
        const auto* integer = std::get_if<std::int64_t>(&value.value);
        return integer != nullptr && literal.kind == AttributeValue::Kind::Number && literal.number.integer && !literal.number.tolerance &&
               fromFront(*integer) == fromFront(*literal.number.integer);
    };
    if (const auto* list = std::get_if<FactValue::List>(&found.value)) {
        return wanted.kind == AttributeValue::Kind::List &&
               std::equal(list->begin(), list->end(), wanted.items.begin(), wanted.items.end(), asInteger);
    }
    return asInteger(found, wanted);
}

std::string GraphSubject::termText(TermId term) const {
    if (!term.isValid()) {
        return "none";
    }
    if (term.index >= m_graph->values.size()) {
        return m_graph->displayName(nodeOf(term));
    }
    return m_graph->values[term.index].name;
}

std::string GraphSubject::nodeText(TermId term) const {
    if (!term.isValid()) {
        return "an operand that is left out";
    }
    const NodeId node = nodeOf(term);
    if (!node.isValid()) {
        return symbolText(m_terms[term.index].head);
    }
    return m_graph->displayName(node) + " (" + symbolText(m_terms[term.index].head) + ")";
}

} // namespace lemmascope::match
