// Builds replacements; tests: tests/core/rewrite/tst_rewrite.cpp.
#include "core/rewrite/replacement.h"

#include "core/graph/definition_library.h"
#include "core/graph/op_registry.h"
#include "core/match/print.h"
#include "core/rewrite/expressions.h"
#include "core/rewrite/literals.h"
#include "core/rewrite/operators.h"

#include <algorithm>
#include <set>

namespace lemmascope::rewrite {

using match::FactValue;
using match::ReplacementId;
using match::ReplacementKind;
using match::ReplacementNode;

namespace {

constexpr std::size_t MostResults = 1'024;
constexpr std::size_t MostTypes = 8; ///< tried for the numbers among a node's operands

/// A value of the fragment, a number or list that is none yet, or nothing (left out).
struct Operand {
    ValueId value;
    std::optional<FactValue> literal;
};

/// Whether a length has a symbol that inference made up for the fragment by itself: in the whole graph it may be another, or known.
bool isLocal(const Dim& dim, const std::set<std::string>& outside) {
    std::vector<std::string> symbols;
    dim.collectSymbols(symbols);
    return std::any_of(symbols.begin(), symbols.end(), [&](const std::string& each) { return each.starts_with('?') && !outside.contains(each); });
}

enum class TypeMatch : std::uint8_t { Same, Other, InDoubt };

/// Whether two types are the same whatever the sizes are. `open`: the replacement is an op without a known meaning, which has the root's type.
TypeMatch compareTypes(const TensorType& root, const TensorType& made, const std::set<std::string>& outside, bool open) {
    if (open) {
        return TypeMatch::Same;
    }
    if (root.element != made.element) {
        return made.element == ElementType::Undefined ? TypeMatch::InDoubt : TypeMatch::Other;
    }
    if (!root.shape || !made.shape) {
        return root.shape ? TypeMatch::InDoubt : TypeMatch::Other;
    }
    if (root.shape->size() != made.shape->size()) {
        return TypeMatch::Other;
    }
    TypeMatch out = TypeMatch::Same;
    for (std::size_t axis = 0; axis < root.shape->size(); ++axis) {
        if ((*root.shape)[axis] == (*made.shape)[axis] && !(*made.shape)[axis].overflowed()) {
            continue;
        }
        if (!isLocal((*made.shape)[axis], outside)) {
            return TypeMatch::Other;
        }
        out = TypeMatch::InDoubt;
    }
    return out;
}

class Builder {
  public:
    Builder(const match::RuleFile& file, const match::GraphSubject& matched, const Bindings& bindings, const ReplacedRoot& root,
            const FragmentOptions& options)
        : m_file(file), m_matched(matched), m_bindings(bindings), m_root(root), m_builder(matched.graph(), options),
          m_literals(m_builder, matched.graph(), boundValues(bindings)), m_expressions(file, matched, bindings) {}

    Result<Fragment> run(const match::RuleCase& chosen) {
        for (const auto& [name, id] : chosen.replacement.lets) {
            Result<Operand> made = operand(id);
            if (!made) {
                return tl::unexpected(made.error());
            }
            m_expressions.let(name.text, factsOf(*made));
            m_lets.insert_or_assign(name.text, std::move(*made));
        }
        const ReplacementNode& top = m_file.at(chosen.replacement.result);
        std::vector<ValueId> outputs;
        if (m_root.results > 1 && isApplication(top)) {
            Result<std::vector<ValueId>> results = application(top, m_root.results);
            if (!results) {
                return tl::unexpected(results.error());
            }
            outputs = std::move(*results);
        } else if (m_root.results > 1) {
            return refuse(top, "the root has " + std::to_string(m_root.results) + " results that are read: only an operator can replace them all");
        } else {
            const Result<ValueId> made = valueOf(chosen.replacement.result);
            if (!made) {
                return tl::unexpected(made.error());
            }
            outputs.push_back(*made);
        }
        return finish(top, outputs);
    }

  private:
    static std::vector<ValueId> boundValues(const Bindings& bindings) {
        std::vector<ValueId> out;
        for (const auto& [name, value] : bindings.values) {
            if (value.isValid()) {
                out.push_back(value);
            }
        }
        // Lengths are read off what stands first: off what the match begins at, not off what it replaces.
        std::sort(out.begin(), out.end());
        return out;
    }

    static bool isApplication(const ReplacementNode& node) {
        return node.kind == ReplacementKind::Operator || node.kind == ReplacementKind::FunctionVariable;
    }

    [[nodiscard]] tl::unexpected<Error> refuse(const ReplacementNode& node, const std::string& text, ErrorCode code = ErrorCode::Unsupported) const {
        return fail(code, text, m_file.file + ":" + node.spot.text());
    }

    Result<Fragment> finish(const ReplacementNode& top, const std::vector<ValueId>& outputs) {
        const Graph& graph = m_matched.graph();
        const Value& root = graph.value(m_root.value);
        Result<Fragment> made = m_builder.take(outputs);
        if (!made) {
            return refuse(top, made.error().message, made.error().code);
        }
        if (m_root.anyType) {
            return made;
        }
        std::set<std::string> outside;
        for (std::size_t v = 0; v < made->outer.size(); ++v) {
            std::vector<std::string> symbols;
            for (const Dim& dim : made->outer[v].isValid() ? made->graph.values[v].type.shape.value_or(Shape()) : Shape()) {
                dim.collectSymbols(symbols);
            }
            outside.insert(symbols.begin(), symbols.end());
        }
        for (std::size_t k = 0; k < outputs.size(); ++k) {
            const Node* node = root.producer.isValid() ? &graph.node(root.producer) : nullptr;
            const ValueId replaced = outputs.size() == 1 || node == nullptr ? m_root.value : node->results[k];
            if (!replaced.isValid()) {
                continue;
            }
            const TensorType& wanted = graph.value(replaced).type;
            const Value& output = made->graph.value(made->graph.outputs[k]);
            const bool open = output.producer.isValid() && output.type == TensorType{} && isOpen(made->graph.node(output.producer));
            const TypeMatch match = compareTypes(wanted, output.type, outside, open);
            if (match == TypeMatch::Other) {
                return refuse(top,
                              "the replacement is " + output.type.text() + ", what it replaces " + wanted.text() +
                                  (wanted.shape ? "" : ": of a shape that is not known it cannot be told that both have it"),
                              ErrorCode::ShapeMismatch);
            }
            made->typeInDoubt = made->typeInDoubt || match == TypeMatch::InDoubt;
        }
        return made;
    }

    [[nodiscard]] bool isOpen(const Node& node) const {
        return findOp(node.op) == nullptr && findDefinition(m_matched.graph().definitions.get(), node.op) == nullptr;
    }

    [[nodiscard]] LetFacts factsOf(const Operand& operand) const {
        LetFacts out;
        out.literal = operand.literal;
        if (operand.value.isValid()) {
            out.type = m_builder.value(operand.value).type;
            if (m_builder.fragment().isOuter(operand.value)) {
                out.outer = m_builder.fragment().outer[operand.value.index];
            }
        }
        return out;
    }

    /// What stands as an operand; nested at most match::MaxDepth deep.
    Result<Operand> operand(ReplacementId id) {
        const ReplacementNode& node = m_file.at(id);
        switch (node.kind) {
        case ReplacementKind::Omitted: return Operand{};
        case ReplacementKind::Number: return Operand{{}, node.number.integer ? FactValue(*node.number.integer) : FactValue(node.number.value)};
        case ReplacementKind::Expression: {
            FactValue value = m_expressions.value(node.expression);
            if (!value.isDefined()) {
                return refuse(node, m_expressions.unknownPart(node.expression));
            }
            return Operand{{}, std::move(value)};
        }
        case ReplacementKind::Variable: return variable(node);
        case ReplacementKind::Rest: return refuse(node, ".." + node.name.text + " stands for several operands: it may only stand among operands");
        case ReplacementKind::Result: return result(node);
        case ReplacementKind::Operator:
        case ReplacementKind::FunctionVariable: {
            if (const std::optional<ValueId> named = leaf(node)) {
                return Operand{*named, {}};
            }
            const Result<std::vector<ValueId>> results = application(node, 1);
            return results ? Result<Operand>(Operand{results->front(), {}}) : tl::unexpected(results.error());
        }
        }
        return refuse(node, "unknown replacement", ErrorCode::Internal);
    }

    Result<Operand> variable(const ReplacementNode& node) {
        const std::string& name = node.name.text;
        if (const auto let = m_lets.find(name); let != m_lets.end()) {
            return let->second;
        }
        if (const auto value = m_bindings.values.find(name); value != m_bindings.values.end()) {
            return Operand{value->second.isValid() ? m_builder.outer(value->second) : ValueId(), {}};
        }
        const auto attribute = m_bindings.attributes.find(name);
        if (attribute == m_bindings.attributes.end() || !attribute->second.isDefined()) {
            return refuse(node, "?" + name + " holds no value");
        }
        return Operand{{}, attribute->second};
    }

    /// A word without operands that the matched graph has an input or constant of.
    std::optional<ValueId> leaf(const ReplacementNode& node) {
        if (node.kind != ReplacementKind::Operator || !node.children.empty() || !node.attributes.empty() || node.op.domain) {
            return std::nullopt;
        }
        const ValueId found = m_matched.graph().findValue(node.op.name);
        const bool isLeaf = found.isValid() && !m_matched.graph().value(found).producer.isValid();
        return isLeaf ? std::optional(m_builder.outer(found)) : std::nullopt;
    }

    Result<Operand> result(const ReplacementNode& node) {
        const ReplacementNode& of = m_file.at(node.children.front());
        if (node.resultIndex >= MostResults) {
            return refuse(node, "no operator has a result " + std::to_string(node.resultIndex));
        }
        if (isApplication(of)) {
            const Result<std::vector<ValueId>> results = application(of, std::size_t{node.resultIndex} + 1);
            return results ? Result<Operand>(Operand{results->back(), {}}) : tl::unexpected(results.error());
        }
        const Result<Operand> first = operand(node.children.front());
        if (!first) {
            return first;
        }
        if (first->value.isValid() && m_builder.fragment().isOuter(first->value)) {
            const Graph& graph = m_matched.graph();
            const NodeId producer = graph.value(m_builder.fragment().outer[first->value.index]).producer;
            const bool has = producer.isValid() && node.resultIndex < graph.node(producer).results.size() &&
                             graph.node(producer).results[node.resultIndex].isValid();
            if (has) {
                return Operand{m_builder.outer(graph.node(producer).results[node.resultIndex]), {}};
            }
        } else if (const auto made = first->value.isValid() ? m_results.find(first->value) : m_results.end();
                   made != m_results.end() && node.resultIndex < made->second.size()) {
            return Operand{made->second[node.resultIndex], {}};
        }
        return refuse(node, "there is no result " + std::to_string(node.resultIndex) + " of it");
    }

    Result<ValueId> valueOf(ReplacementId id) {
        const Result<Operand> made = operand(id);
        if (!made) {
            return tl::unexpected(made.error());
        }
        if (made->value.isValid()) {
            return made->value;
        }
        if (!made->literal) {
            return refuse(m_file.at(id), "nothing is left of the root: an operand that is left out replaces no value");
        }
        const Result<ValueId> value = m_literals.value(*made->literal, m_matched.graph().value(m_root.value).type.element);
        return value ? value : refuse(m_file.at(id), value.error().message);
    }

    Result<std::vector<Operand>> operandsOf(const ReplacementNode& node) {
        std::vector<Operand> out;
        for (const ReplacementId child : node.children) {
            const ReplacementNode& each = m_file.at(child);
            if (each.kind != ReplacementKind::Rest) {
                Result<Operand> made = operand(child);
                if (!made) {
                    return tl::unexpected(made.error());
                }
                out.push_back(std::move(*made));
                continue;
            }
            const auto rest = m_bindings.rests.find(each.name.text);
            if (rest == m_bindings.rests.end()) {
                return refuse(each, ".." + each.name.text + " holds no operands");
            }
            for (const ValueId value : rest->second) {
                out.push_back({value.isValid() ? m_builder.outer(value) : ValueId(), {}});
            }
        }
        return out;
    }

    Result<Node> head(const ReplacementNode& node) {
        Node out;
        if (node.kind == ReplacementKind::FunctionVariable) {
            const auto at = m_bindings.functions.find(node.name.text);
            if (at == m_bindings.functions.end()) {
                return refuse(node, "%" + node.name.text + " holds no operator");
            }
            out.op = at->second.op;
            out.attributes = at->second.attributes;
            return out;
        }
        const Result<OpId> op = operatorOf(node.op, m_matched.graph());
        if (!op) {
            return refuse(node, op.error().message, op.error().code);
        }
        out.op = *op;
        for (const match::AttributePattern& each : node.attributes) {
            if (each.copies) {
                if (const std::optional<std::string> problem = copyAttributes(each, out)) {
                    return fail(ErrorCode::BadData, *problem, m_file.file + ":" + each.spot.text());
                }
                continue;
            }
            const FactValue value = m_expressions.value(each.value.expression);
            if (!value.isDefined()) {
                return refuse(node, "attribute '" + each.name + "' of " + out.op.name + ": " + m_expressions.unknownPart(each.value.expression));
            }
            Result<Attribute> made = attributeOf(out.op, each.name, value);
            if (!made) {
                return fail(made.error().code, made.error().message, m_file.file + ":" + each.spot.text());
            }
            out.attributes.insert_or_assign(each.name, std::move(*made));
        }
        return out;
    }

    /// `..?c`: what the node that makes ?c has and is not there yet. What stands in the way, in words.
    std::optional<std::string> copyAttributes(const match::AttributePattern& copied, Node& out) const {
        const std::string& name = m_file.at(copied.value.expression).name.text;
        const auto at = m_bindings.values.find(name);
        const NodeId from = at != m_bindings.values.end() && at->second.isValid() ? m_matched.graph().value(at->second).producer : NodeId();
        if (!from.isValid()) {
            return "?" + name + " is made by no node: it has no attributes to copy";
        }
        for (const auto& [key, value] : m_matched.graph().node(from).attributes) {
            out.attributes.emplace(key, value);
        }
        return std::nullopt;
    }

    Result<std::vector<ValueId>> application(const ReplacementNode& node, std::size_t resultCount) {
        const Result<std::vector<Operand>> operands = operandsOf(node);
        if (!operands) {
            return tl::unexpected(operands.error());
        }
        Result<Node> made = head(node);
        if (!made) {
            return tl::unexpected(made.error());
        }
        resultCount = std::max(resultCount, partCount(*made, *operands));
        // Types that numbers may have, likeliest first: those of the operands beside them, and i64 for indices and counts.
        std::vector<ElementType> types;
        bool numbers = false;
        for (const Operand& each : *operands) {
            const ElementType type = each.value.isValid() ? m_builder.value(each.value).type.element : ElementType::Undefined;
            if (type != ElementType::Undefined && std::find(types.begin(), types.end(), type) == types.end()) {
                types.push_back(type);
            }
            numbers = numbers || each.literal;
        }
        if (types.empty()) {
            types.push_back(ElementType::Undefined);
        } else if (std::find(types.begin(), types.end(), ElementType::I64) == types.end()) {
            types.push_back(ElementType::I64);
        }
        types.resize(std::min<std::size_t>(types.size(), numbers ? MostTypes : 1));
        Result<std::vector<ValueId>> results = typedNode(*made, *operands, types.front(), resultCount);
        for (std::size_t k = 1; k < types.size() && !results; ++k) {
            if (Result<std::vector<ValueId>> other = typedNode(*made, *operands, types[k], resultCount)) {
                results = std::move(other);
            }
        }
        if (!results) {
            return refuse(node, results.error().message, results.error().code);
        }
        for (std::size_t k = 1; k < resultCount && findOp(made->op) != nullptr; ++k) {
            const bool typed = m_builder.value(results->front()).type.element != ElementType::Undefined;
            if (typed && m_builder.value((*results)[k]).type.element == ElementType::Undefined) {
                return refuse(node, made->op.name + " has no result " + std::to_string(k));
            }
        }
        if (results->size() > 1) {
            m_results.insert_or_assign(results->front(), *results);
        }
        return results;
    }

    /// `integersAs`: the element type of numbers; floats among them keep that of the operands beside them.
    Result<std::vector<ValueId>> typedNode(const Node& head, const std::vector<Operand>& operands, ElementType numbersAs, std::size_t resultCount) {
        Node node = head;
        for (const Operand& each : operands) {
            if (!each.literal) {
                node.operands.push_back(each.value);
                continue;
            }
            const Result<ValueId> value = m_literals.value(*each.literal, numbersAs);
            if (!value) {
                return tl::unexpected(value.error());
            }
            node.operands.push_back(*value);
        }
        return m_builder.node(std::move(node), resultCount);
    }

    /// Split tells by its results how many parts there are.
    [[nodiscard]] std::size_t partCount(const Node& node, const std::vector<Operand>& operands) const {
        if (!node.op.domain.empty() || node.op.name != "Split") {
            return 1;
        }
        std::size_t count = 1;
        if (const auto* parts = node.attribute<std::int64_t>("num_outputs"); parts != nullptr && *parts > 0) {
            count = static_cast<std::size_t>(*parts);
        } else if (const auto* split = node.attribute<std::vector<std::int64_t>>("split")) {
            count = split->size();
        } else if (operands.size() > 1 && operands[1].literal) {
            const auto* list = std::get_if<FactValue::List>(&operands[1].literal->value);
            count = list != nullptr ? list->size() : 1;
        } else if (operands.size() > 1 && operands[1].value.isValid()) {
            const std::optional<Tensor>& lengths = m_builder.value(operands[1].value).constant;
            count = lengths ? static_cast<std::size_t>(lengths->count()) : 1;
        }
        return std::clamp<std::size_t>(count, 1, MostResults);
    }

    const match::RuleFile& m_file;
    const match::GraphSubject& m_matched;
    const Bindings& m_bindings;
    ReplacedRoot m_root;
    FragmentBuilder m_builder;
    Literals m_literals;
    Expressions m_expressions;
    std::map<std::string, Operand> m_lets;
    std::map<ValueId, std::vector<ValueId>> m_results; ///< by the first result of a node with several
};

} // namespace

Bindings bindingsOf(const match::GraphSubject& matched, const std::vector<match::Binding>& bindings) {
    const Graph& graph = matched.graph();
    const auto valueOf = [&](match::TermId term) { return term.isValid() && term.index < graph.values.size() ? ValueId(term.index) : ValueId(); };
    Bindings out;
    for (const match::Binding& each : bindings) {
        switch (each.kind) {
        case match::Binding::Kind::Unbound: break;
        case match::Binding::Kind::Term: out.values.emplace(each.name.text, valueOf(each.term)); break;
        case match::Binding::Kind::Value: out.attributes.emplace(each.name.text, each.value); break;
        case match::Binding::Kind::Symbol:
            if (const NodeId node = each.term.isValid() ? matched.nodeOf(each.term) : NodeId(); node.isValid()) {
                out.functions.emplace(each.name.text, Bindings::Function{graph.node(node).op, graph.node(node).attributes});
            }
            break;
        case match::Binding::Kind::List: {
            std::vector<ValueId>& rest = out.rests[each.name.text];
            for (const match::TermId term : each.list) {
                rest.push_back(valueOf(term));
            }
            break;
        }
        }
    }
    return out;
}

Result<Fragment> buildReplacement(const match::RuleFile& file, const match::RuleCase& chosen, const match::GraphSubject& matched,
                                  const Bindings& bindings, const ReplacedRoot& root, const FragmentOptions& options) {
    return Builder(file, matched, bindings, root, options).run(chosen);
}

} // namespace lemmascope::rewrite
