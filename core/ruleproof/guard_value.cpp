// Guards over what is known of an instance.
#include "core/ruleproof/guard_value.h"

#include "core/match/expression_value.h"

#include <algorithm>
#include <cmath>

namespace lemmascope::ruleproof {

using match::CompareKind;
using match::ExpressionId;
using match::ExpressionKind;
using match::ExpressionNode;
using match::FactKind;
using match::FactValue;
using match::Truth;

namespace {

std::string folded(const std::string& text) {
    std::string out = text;
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

} // namespace

Truth GuardValues::truth(ExpressionId guard, std::uint32_t scope) const {
    const ExpressionNode& node = m_file.at(guard);
    switch (node.kind) {
    case ExpressionKind::Not:
    case ExpressionKind::And:
    case ExpressionKind::Or: return match::joinedTruth(node.kind, node.children, [&](ExpressionId child) { return truth(child, scope); });
    case ExpressionKind::Compare: return comparison(node, scope);
    default: return match::truthOf(value(guard, scope));
    }
}

Truth GuardValues::comparison(const ExpressionNode& node, std::uint32_t scope) const {
    if (node.compare == CompareKind::Equal || node.compare == CompareKind::NotEqual) {
        for (const auto& [asked, named] : {std::pair(node.children[0], node.children[1]), std::pair(node.children[1], node.children[0])}) {
            const ExpressionNode& fact = m_file.at(asked);
            const ExpressionNode& word = m_file.at(named);
            if (fact.kind == ExpressionKind::Fact && (fact.fact == FactKind::Op || fact.fact == FactKind::Cls) &&
                (word.kind == ExpressionKind::Word || word.kind == ExpressionKind::Text)) {
                const FactValue value = this->fact(fact, scope);
                const auto* text = std::get_if<std::string>(&value.value);
                if (text == nullptr) {
                    return Truth::Undefined;
                }
                const bool same = fact.fact == FactKind::Cls ? *text == word.text : folded(*text) == folded(word.text);
                return same == (node.compare == CompareKind::Equal) ? Truth::True : Truth::False;
            }
        }
    }
    return match::comparedTruth(node.compare, value(node.children[0], scope), value(node.children[1], scope));
}

FactValue GuardValues::value(ExpressionId expression, std::uint32_t scope) const {
    const ExpressionNode& node = m_file.at(expression);
    if (node.kind == ExpressionKind::Variable || node.kind == ExpressionKind::Fact) {
        return fact(node, scope);
    }
    return match::composedValue(node, node.children, [&](ExpressionId child) { return value(child, scope); });
}

std::optional<std::uint32_t> GuardValues::valueOf(const ExpressionNode& node, std::uint32_t scope) const {
    const std::optional<std::uint32_t> cell = m_skeleton.find(node.name, scope);
    if (!cell || m_skeleton.cells[*cell].kind != Cell::Kind::Value) {
        return std::nullopt;
    }
    return m_skeleton.resolved(m_skeleton.cells[*cell].value);
}

FactValue GuardValues::fact(const ExpressionNode& node, std::uint32_t scope) const {
    const std::optional<std::uint32_t> at = m_skeleton.find(node.name, scope);
    if (!at) {
        return {};
    }
    const Cell& cell = m_skeleton.cells[*at];
    if (cell.kind == Cell::Kind::Symbol) {
        return node.kind != ExpressionKind::Fact ? FactValue()
               : node.fact == FactKind::Op       ? FactValue(cell.symbol.name)
               : node.fact == FactKind::Cls      ? FactValue(operatorClass(cell.symbol))
                                                 : FactValue();
    }
    if (cell.kind == Cell::Kind::Attribute) {
        return m_facts != nullptr && node.kind == ExpressionKind::Variable ? m_facts->held(*at) : FactValue();
    }
    if (cell.kind != Cell::Kind::Value) {
        return {};
    }
    const std::uint32_t value = m_skeleton.resolved(cell.value);
    const SkeletonValue& held = m_skeleton.values[value];
    const FactKind kind = node.kind == ExpressionKind::Variable ? FactKind::Value : node.fact;
    if (kind == FactKind::Op || kind == FactKind::Cls) {
        if (held.kind != SkeletonValue::Kind::Result) {
            return {};
        }
        const OpId& op = m_skeleton.nodes[held.node].op;
        return FactValue(kind == FactKind::Op ? op.name : operatorClass(op));
    }
    FactValue argument;
    if (!node.children.empty()) {
        argument = this->value(node.children[0], scope);
    }
    if (kind == FactKind::Attr) {
        const auto* name = std::get_if<std::string>(&argument.value);
        return name == nullptr || m_facts == nullptr || held.kind != SkeletonValue::Kind::Result ? FactValue() : m_facts->attribute(held.node, *name);
    }
    if (kind == FactKind::Version) {
        return held.kind == SkeletonValue::Kind::Result ? FactValue(m_skeleton.nodes[held.node].op.version) : FactValue();
    }
    if (kind == FactKind::IsConst && held.kind == SkeletonValue::Kind::Number) {
        return FactValue(true);
    }
    if (kind == FactKind::IsConst && held.kind == SkeletonValue::Kind::Result) {
        return FactValue(false);
    }
    return m_facts == nullptr ? FactValue() : m_facts->fact(kind, value, argument);
}

std::vector<ExpressionId> GuardValues::conjuncts(ExpressionId guard) const {
    std::vector<ExpressionId> out;
    std::vector<ExpressionId> stack{guard};
    while (!stack.empty()) {
        const ExpressionId at = stack.back();
        stack.pop_back();
        const ExpressionNode& node = m_file.at(at);
        if (node.kind == ExpressionKind::And) {
            stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
        } else {
            out.push_back(at);
        }
    }
    return out;
}

std::vector<std::pair<ExpressionId, ExpressionId>> GuardValues::equations(ExpressionId guard) const {
    std::vector<std::pair<ExpressionId, ExpressionId>> out;
    for (const ExpressionId each : conjuncts(guard)) {
        const ExpressionNode& node = m_file.at(each);
        if (node.kind == ExpressionKind::Compare && node.compare == CompareKind::Equal) {
            out.emplace_back(node.children[0], node.children[1]);
        }
    }
    return out;
}

std::vector<ExpressionId> GuardValues::comparisons(ExpressionId guard) const {
    std::vector<ExpressionId> out = conjuncts(guard);
    std::erase_if(out, [&](ExpressionId each) { return m_file.at(each).kind != ExpressionKind::Compare; });
    return out;
}

std::vector<ExpressionId> GuardValues::demands(ExpressionId guard) const {
    std::vector<ExpressionId> out;
    for (const ExpressionId each : conjuncts(guard)) {
        if (m_file.at(each).kind == ExpressionKind::Fact) {
            out.push_back(each);
        }
    }
    return out;
}

} // namespace lemmascope::ruleproof
