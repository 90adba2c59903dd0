#include "core/ruleproof/guard_parts.h"

#include <algorithm>
#include <iterator>

namespace lemmascope::ruleproof {

namespace {

constexpr std::size_t MostParts = 32; ///< guards that would be taken apart into more stay whole

/// Element types, operators and versions are tried one by one anyway.
bool readsMoreThanTypes(const match::RuleFile& file, match::ExpressionId guard) {
    const match::ExpressionNode& node = file.at(guard);
    if (node.kind == match::ExpressionKind::Fact) {
        const match::FactKind fact = node.fact;
        return fact != match::FactKind::Dtype && fact != match::FactKind::Op && fact != match::FactKind::Cls && fact != match::FactKind::Version;
    }
    return node.kind == match::ExpressionKind::Variable ||
           std::any_of(node.children.begin(), node.children.end(), [&](match::ExpressionId child) { return readsMoreThanTypes(file, child); });
}

/// Sets of conditions: the guard holds exactly when all of one set do. Depth is bounded by the parser.
std::vector<std::vector<match::ExpressionId>> waysToHold(const match::RuleFile& file, match::ExpressionId guard) {
    const match::ExpressionNode& node = file.at(guard);
    std::vector<std::vector<match::ExpressionId>> out;
    if (node.kind == match::ExpressionKind::Or && readsMoreThanTypes(file, guard)) {
        for (const match::ExpressionId child : node.children) {
            for (std::vector<match::ExpressionId>& way : waysToHold(file, child)) {
                out.push_back(std::move(way));
            }
        }
    } else if (node.kind == match::ExpressionKind::And) {
        out.emplace_back();
        for (const match::ExpressionId child : node.children) {
            std::vector<std::vector<match::ExpressionId>> longer;
            const std::vector<std::vector<match::ExpressionId>> ways = waysToHold(file, child);
            for (const std::vector<match::ExpressionId>& before : out) {
                for (const std::vector<match::ExpressionId>& way : ways) {
                    longer.push_back(before);
                    longer.back().insert(longer.back().end(), way.begin(), way.end());
                }
            }
            out = std::move(longer);
            if (out.size() > MostParts) {
                return {{guard}};
            }
        }
    } else {
        return {{guard}};
    }
    return out.size() > MostParts ? std::vector<std::vector<match::ExpressionId>>{{guard}} : out;
}

} // namespace

void takeApartGuards(const match::RuleFile& file, Skeleton whole, std::vector<Skeleton>& out) {
    const std::vector<std::pair<match::ExpressionId, std::uint32_t>> guards = std::move(whole.guards);
    whole.guards.clear();
    std::vector<Skeleton> taken;
    taken.push_back(std::move(whole));
    for (const auto& [guard, scope] : guards) {
        std::vector<std::vector<match::ExpressionId>> ways = waysToHold(file, guard);
        if (ways.size() * taken.size() > MostParts) {
            ways = {{guard}};
        }
        std::vector<Skeleton> next;
        for (const Skeleton& each : taken) {
            for (const std::vector<match::ExpressionId>& way : ways) {
                next.push_back(each);
                for (const match::ExpressionId part : way) {
                    next.back().guards.emplace_back(part, scope);
                }
            }
        }
        taken = std::move(next);
    }
    std::move(taken.begin(), taken.end(), std::back_inserter(out));
}

} // namespace lemmascope::ruleproof
