#include "core/interp/flow.h"

#include <utility>

namespace lemmascope::interp {

namespace {

std::vector<std::uint32_t> successors(const FunctionCode& f, std::uint32_t at) {
    const Instruction& in = f.code[at];
    switch (in.op) {
    case Op::Jump: return {in.dst};
    case Op::Branch: return {in.dst, in.b};
    case Op::Switch: {
        std::vector<std::uint32_t> to;
        for (std::uint32_t i = 0; i < in.c; ++i) {
            to.push_back(f.operands[in.b + 2 * i + 1]);
        }
        to.push_back(f.operands[in.b + 2 * in.c]);
        return to;
    }
    case Op::ForBegin: return {at + 1, f.operands[in.b + 2]};
    case Op::ForNext: return {in.c, at + 1};
    case Op::Return:
    case Op::Fail:
    case Op::Unsupported: return {};
    default: return {at + 1};
    }
}

/// Cooper, Harvey and Kennedy's iteration on the reversed flow graph, over instructions.
std::vector<std::uint32_t> postdominators(const FunctionCode& f) {
    const auto count = static_cast<std::uint32_t>(f.code.size());
    std::vector<std::vector<std::uint32_t>> from(count);
    std::uint32_t exit = None;
    for (std::uint32_t at = 0; at < count; ++at) {
        for (const std::uint32_t to : successors(f, at)) {
            from[to].push_back(at);
        }
        if (f.code[at].op == Op::Return) {
            exit = at;
        }
    }
    std::vector<std::uint32_t> parent(count, None);
    if (exit == None) {
        return parent;
    }
    // Reverse postorder of the reversed graph, from the exit.
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> number(count, None);
    std::vector<bool> seen(count);
    std::vector<std::pair<std::uint32_t, std::size_t>> stack{{exit, 0}};
    seen[exit] = true;
    while (!stack.empty()) {
        auto& [at, next] = stack.back();
        if (next < from[at].size()) {
            const std::uint32_t before = from[at][next++];
            if (!seen[before]) {
                seen[before] = true;
                stack.emplace_back(before, 0);
            }
            continue;
        }
        number[at] = static_cast<std::uint32_t>(order.size());
        order.push_back(at);
        stack.pop_back();
    }
    parent[exit] = exit;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = order.size() - 1; i-- > 0;) {
            const std::uint32_t at = order[i];
            std::uint32_t meet = None;
            for (std::uint32_t to : successors(f, at)) {
                if (number[to] == None || parent[to] == None) {
                    continue;
                }
                if (meet == None) {
                    meet = to;
                    continue;
                }
                while (to != meet) {
                    if (number[to] < number[meet]) {
                        to = parent[to];
                    } else {
                        meet = parent[meet];
                    }
                }
            }
            if (parent[at] != meet) {
                parent[at] = meet;
                changed = true;
            }
        }
    }
    parent[exit] = None;
    return parent;
}

} // namespace

std::uint32_t FlowGraphs::meeting(const FunctionCode& function, std::uint32_t at) {
    const auto [entry, isNew] = m_known.try_emplace(&function);
    if (isNew) {
        entry->second = postdominators(function);
    }
    return entry->second[at];
}

} // namespace lemmascope::interp
