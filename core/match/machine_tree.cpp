// Operands in any order and bracketing: `ac f(p1, ..., pn)`.
#include "core/match/machine_state.h"

#include <algorithm>

namespace lemmascope::match {

/// All ways to see the term as a tree of the operator with as many leaves as there are operands, leftmost deepest first.
void MachineState::matchTree(const Continuation& at, const Instruction& instruction) {
    const std::size_t wanted = instruction.children.size();
    const auto opens = [&](TermId id) {
        if (!id.isValid()) {
            return false;
        }
        const SubjectTerm& term = subject.term(id);
        if (!operatorIs[instruction.op][term.head.index] || term.operandCount != 2 || term.resultIndex != 0) {
            return false;
        }
        return std::all_of(instruction.attributes.begin(), instruction.attributes.end(), [&](const AttributeTest& test) {
            const FactValue found = subject.attribute(id, test.name);
            return found.isDefined() && (test.slot.isValid() || subject.attributeIs(id, test.name, found, test.wanted));
        });
    };
    // A partial cut: leaves that stay, then leaves that may still be opened.
    struct Partial {
        std::vector<TermId> leaves;
        std::size_t settled;
        std::vector<TermId> opened;
    };
    std::vector<std::vector<TermId>> cuts; // leaves, opened below the root, and so on
    std::vector<Partial> stack;
    if (opens(at.term)) {
        const std::span<const TermId> operands = subject.operands(at.term);
        stack.push_back({{operands[0], operands[1]}, 0, {}});
    }
    std::uint32_t most = stack.empty() ? 1 : 2;
    while (!stack.empty()) {
        Partial partial = std::move(stack.back());
        stack.pop_back();
        most = std::max(most, static_cast<std::uint32_t>(partial.leaves.size()));
        if (partial.settled == partial.leaves.size()) {
            if (partial.leaves.size() == wanted) {
                cuts.push_back(std::move(partial.leaves));
                cuts.push_back(std::move(partial.opened));
            }
            continue;
        }
        Partial closed = partial;
        ++closed.settled;
        const TermId leaf = partial.leaves[partial.settled];
        stack.push_back(std::move(closed));
        if (partial.leaves.size() < wanted && opens(leaf)) {
            const std::span<const TermId> operands = subject.operands(leaf);
            partial.opened.push_back(leaf);
            partial.leaves[partial.settled] = operands[0];
            partial.leaves.insert(partial.leaves.begin() + static_cast<std::ptrdiff_t>(partial.settled) + 1, operands[1]);
            stack.push_back(std::move(partial));
        }
    }
    if (cuts.empty()) {
        if (FailureRecord* made = record(FailureReason::TreeMismatch, at)) {
            made->wanted = static_cast<std::uint32_t>(wanted);
            made->actual = most;
        }
        backtrack();
        return;
    }
    const auto first = static_cast<std::uint32_t>(lists.size());
    lists.insert(lists.end(), cuts.begin(), cuts.end());
    events.push_back({Event::Kind::Operator, at.at, at.term, 0});
    matched += static_cast<std::uint32_t>(wanted - 1); // all that are opened
    pushChoice(ChoiceKind::Cut, at, 0);
    choices.back().cuts = first;
    choices.back().cutCount = static_cast<std::uint32_t>(cuts.size() / 2);
    resume(choices.back());
}

/// The next leaf from there on that is not placed; of those that are the same value only the first.
std::uint32_t MachineState::nextLeaf(const std::vector<TermId>& leaves, std::uint32_t used, std::uint32_t from) const {
    for (; from < leaves.size(); ++from) {
        bool skip = (used >> from & 1U) != 0;
        for (std::uint32_t i = 0; i < from && !skip; ++i) {
            skip = (used >> i & 1U) == 0 && same(leaves[i], leaves[from]);
        }
        if (!skip) {
            break;
        }
    }
    return from;
}

void MachineState::assign(const Continuation& at) {
    const std::vector<TermId>& leaves = lists[at.extra];
    const std::uint32_t first = nextLeaf(leaves, at.extra2, 0);
    if (first == leaves.size()) {
        return; // all are placed
    }
    pushChoice(ChoiceKind::Place, at, first);
    resume(choices.back());
}

} // namespace lemmascope::match
