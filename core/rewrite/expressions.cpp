// Expressions of replacements. Tests: tests/core/rewrite/tst_rewrite.cpp.
#include "core/rewrite/expressions.h"

#include "core/match/expression_value.h"
#include "core/match/print.h"

namespace lemmascope::rewrite {

using match::ExpressionKind;
using match::FactKind;
using match::FactValue;

FactValue Expressions::value(match::ExpressionId id) const {
    const match::ExpressionNode& node = m_file.at(id);
    if (node.kind == ExpressionKind::Variable || node.kind == ExpressionKind::Fact) {
        return fact(node);
    }
    return match::composedValue(node, node.children, [this](match::ExpressionId child) { return value(child); }); // truth values are no operands
}

FactValue Expressions::fact(const match::ExpressionNode& node) const {
    const std::string& name = node.name.text;
    if (node.name.kind == match::NameKind::Function) {
        const auto at = m_bindings.functions.find(name);
        return at != m_bindings.functions.end() && node.fact == FactKind::Op ? FactValue(at->second.op.name) : FactValue();
    }
    if (const auto let = m_lets.find(name); let != m_lets.end()) {
        return let->second.outer ? ofValue(node, *let->second.outer) : ofLet(node, let->second);
    }
    if (const auto attribute = m_bindings.attributes.find(name); attribute != m_bindings.attributes.end()) {
        return node.kind == ExpressionKind::Variable ? attribute->second : FactValue();
    }
    const auto value = m_bindings.values.find(name);
    return value != m_bindings.values.end() && value->second.isValid() ? ofValue(node, value->second) : FactValue();
}

FactValue Expressions::ofValue(const match::ExpressionNode& node, ValueId value) const {
    const match::TermId term(value.index);
    if (node.kind == ExpressionKind::Variable) {
        return m_matched.fact(FactKind::Value, term, {});
    }
    switch (node.fact) {
    case FactKind::Op: return FactValue(m_matched.symbolText(m_matched.term(term).head));
    case FactKind::Cls: return FactValue(m_matched.symbolClass(m_matched.term(term).head));
    case FactKind::Attr: {
        const FactValue wanted = this->value(node.children.front());
        const auto* name = std::get_if<std::string>(&wanted.value);
        return name == nullptr ? FactValue() : m_matched.attribute(term, *name);
    }
    default: return m_matched.fact(node.fact, term, node.children.empty() ? FactValue() : this->value(node.children.front()));
    }
}

FactValue Expressions::ofLet(const match::ExpressionNode& node, const LetFacts& facts) const {
    if (node.kind == ExpressionKind::Variable || node.fact == FactKind::Value) {
        return facts.literal.value_or(FactValue());
    }
    if (!facts.type) {
        return {};
    }
    if (node.fact == FactKind::Dtype) {
        return facts.type->element == ElementType::Undefined ? FactValue() : FactValue(std::string(lemmascope::name(facts.type->element)));
    }
    if (!facts.type->shape) {
        return {};
    }
    FactValue::List shape;
    for (const Dim& dim : *facts.type->shape) {
        shape.push_back(dim.overflowed() ? FactValue() : dim.isKnown() ? FactValue(dim.value()) : FactValue(dim));
    }
    switch (node.fact) {
    case FactKind::Rank: return FactValue(static_cast<std::int64_t>(shape.size()));
    case FactKind::Shape: return FactValue(std::move(shape));
    case FactKind::Dim: return match::applyFunction("item", {FactValue(std::move(shape)), value(node.children.front())});
    default: return {};
    }
}

std::string Expressions::unknownPart(match::ExpressionId id) const {
    const match::ExpressionNode& node = m_file.at(id);
    for (const match::ExpressionId child : node.children) {
        if (!value(child).isDefined()) {
            return unknownPart(child);
        }
    }
    return match::guardText(m_file, id, true) + " is not known";
}

} // namespace lemmascope::rewrite
