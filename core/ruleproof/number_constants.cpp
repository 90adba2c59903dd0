// Constants whose number a rule reads.
#include "core/ruleproof/guard_value.h"
#include "core/ruleproof/skeleton.h"

#include <utility>

namespace lemmascope::ruleproof {

namespace {

/// `{scale=?s}` where ?s is a value reads its number as well.
void collect(const match::AttributeValue& value, Skeleton& state, std::vector<match::ExpressionId>& expressions) {
    expressions.push_back(value.expression);
    if (value.kind == match::AttributeValue::Kind::Variable) {
        const auto cell = state.find({match::NameKind::Value, value.text, {}}, 0);
        if (cell && state.cells[*cell].kind == Cell::Kind::Value) {
            const std::uint32_t held = state.resolved(state.cells[*cell].value);
            if (state.values[held].kind == SkeletonValue::Kind::Free) {
                state.oneNumber.insert(held);
            }
        }
    }
    for (const match::AttributeValue& each : value.items) {
        collect(each, state, expressions);
    }
}

} // namespace

void refineNumbers(const match::RuleFile& file, const match::Rule& rule, Skeleton& state) {
    using match::ExpressionKind;
    const GuardValues values(file, state, nullptr);
    const auto readsNumber = [&](const match::ExpressionNode& node) {
        return node.kind == ExpressionKind::Variable || (node.kind == ExpressionKind::Fact && node.fact == match::FactKind::Value);
    };
    const auto free = [&](const match::ExpressionNode& node, std::uint32_t scope) -> std::optional<std::uint32_t> {
        const auto value = readsNumber(node) ? values.valueOf(node, scope) : std::nullopt;
        return value && state.values[*value].kind == SkeletonValue::Kind::Free ? value : std::nullopt;
    };
    const auto guards = state.guards;
    for (const auto& [guard, scope] : guards) {
        for (auto [left, right] : values.equations(guard)) {
            if (file.at(left).kind == ExpressionKind::Number) {
                std::swap(left, right);
            }
            const auto value = free(file.at(left), scope);
            if (value && file.at(right).kind == ExpressionKind::Number) {
                state.values[*value].kind = SkeletonValue::Kind::Number;
                state.values[*value].number = file.at(right).number;
            }
        }
    }
    // What is compared must have a value.
    for (const auto& [guard, scope] : guards) {
        std::vector<match::ExpressionId> compared = values.comparisons(guard);
        while (!compared.empty()) {
            const match::ExpressionNode& node = file.at(compared.back());
            compared.pop_back();
            compared.insert(compared.end(), node.children.begin(), node.children.end());
            if (const auto value = free(node, scope)) {
                state.oneNumber.insert(*value);
            }
        }
    }
    // What the replacement reads: all expressions below it.
    std::vector<match::ExpressionId> expressions;
    for (const match::RuleCase& each : rule.cases) {
        std::vector<match::ReplacementId> stack{each.replacement.result};
        for (const auto& [name, id] : each.replacement.lets) {
            stack.push_back(id);
        }
        while (!stack.empty()) {
            const match::ReplacementNode& node = file.at(stack.back());
            stack.pop_back();
            stack.insert(stack.end(), node.children.begin(), node.children.end());
            expressions.push_back(node.expression);
            for (const match::AttributePattern& attribute : node.attributes) {
                collect(attribute.value, state, expressions);
            }
        }
    }
    while (!expressions.empty()) {
        const match::ExpressionId id = expressions.back();
        expressions.pop_back();
        if (!id.isValid()) {
            continue;
        }
        const match::ExpressionNode& node = file.at(id);
        expressions.insert(expressions.end(), node.children.begin(), node.children.end());
        if (const auto value = free(node, 0)) {
            state.oneNumber.insert(*value);
        }
    }
}

} // namespace lemmascope::ruleproof
