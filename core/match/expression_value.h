#pragma once

#include "core/match/functions.h"
#include "core/match/pattern.h"
#include "core/match/value.h"

#include <utility>
#include <vector>

// What expressions come to, once for all that read them: the machine's guards, the operands of replacements, and the proofs of rules, which lean on
// guards meaning the same as to the matcher. What a fact or a name is, each knows by itself.
namespace lemmascope::match {

/// Of a literal, a list, a function or arithmetic; `valueOf(child)` gives the value of a child. Undefined for others.
template <typename Child, typename ValueOf>
[[nodiscard]] FactValue composedValue(const ExpressionNode& node, const std::vector<Child>& children, ValueOf&& valueOf) {
    switch (node.kind) {
    case ExpressionKind::Number: return node.number.integer ? FactValue(*node.number.integer) : FactValue(node.number.value);
    case ExpressionKind::Text:
    case ExpressionKind::Word: return FactValue(node.text);
    case ExpressionKind::List: {
        FactValue::List list;
        for (const Child& child : children) {
            list.push_back(valueOf(child));
            if (!list.back().isDefined()) {
                return {};
            }
        }
        return FactValue(std::move(list));
    }
    case ExpressionKind::Function: {
        std::vector<FactValue> arguments;
        for (const Child& child : children) {
            arguments.push_back(valueOf(child));
        }
        return applyFunction(node.text, arguments);
    }
    case ExpressionKind::Arithmetic:
        return children.size() == 1 ? arithmetic('-', FactValue(std::int64_t{0}), valueOf(children[0]))
                                    : arithmetic(node.arithmetic, valueOf(children[0]), valueOf(children[1]));
    default: return {};
    }
}

/// Of `!`, `&`, `|`; `truthOf(child)` gives the truth of a child. Kleene: one part that decides is enough, whatever the others come to.
template <typename Child, typename TruthOf>
[[nodiscard]] Truth joinedTruth(ExpressionKind kind, const std::vector<Child>& children, TruthOf&& truthOf) {
    if (kind == ExpressionKind::Not) {
        return negated(truthOf(children[0]));
    }
    const Truth decides = kind == ExpressionKind::And ? Truth::False : Truth::True;
    Truth out = negated(decides);
    for (const Child& child : children) {
        const Truth each = truthOf(child);
        if (each == decides) {
            return each;
        }
        out = each == Truth::Undefined ? each : out;
    }
    return out;
}

/// Of two values; of operators `op(%F) = relu` asks for more than equal texts.
[[nodiscard]] inline Truth comparedTruth(CompareKind kind, const FactValue& left, const FactValue& right) {
    switch (kind) {
    case CompareKind::Equal: return equals(left, right);
    case CompareKind::NotEqual: return negated(equals(left, right));
    case CompareKind::Less: return lessThan(left, right);
    case CompareKind::Greater: return lessThan(right, left);
    case CompareKind::LessEqual: return negated(lessThan(right, left));
    case CompareKind::GreaterEqual: break;
    }
    return negated(lessThan(left, right));
}

/// A value that stands where a truth is wanted.
[[nodiscard]] inline Truth truthOf(const FactValue& value) {
    const auto* boolean = std::get_if<bool>(&value.value);
    return boolean == nullptr ? Truth::Undefined : *boolean ? Truth::True : Truth::False;
}

} // namespace lemmascope::match
