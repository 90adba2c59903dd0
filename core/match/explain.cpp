// Derivations and failed branches from the machine's own record; tests: tests/core/match/tst_match_graph.cpp.
#include "core/match/graph_match.h"
#include "core/match/print.h"

#include <algorithm>

namespace lemmascope::match {

namespace {

bool same(const Event& a, const Event& b) { return a.kind == b.kind && a.at == b.at && a.term == b.term && a.choice == b.choice; }

std::string choiceText(const MatchProgram& program, const Subject& subject, const Event& event) {
    const Instruction& at = program.at(event.at);
    const std::string where = " for " + subject.nodeText(event.term);
    if (event.kind == Event::Kind::Alternate) {
        return "alternate " + std::to_string(event.choice + 1) + " of " + std::to_string(at.children.size()) + where;
    }
    return at.order == OperandOrder::Commutative ? "operands exchanged" + where : "bracketing " + std::to_string(event.choice + 1) + where;
}

} // namespace

std::vector<BranchLine> branchTree(const MatchProgram& program, const Subject& subject, const MatchMachine& machine) {
    std::vector<BranchLine> out;
    std::vector<Event> path;
    for (const FailureRecord& record : machine.failures()) {
        const std::vector<Event>& choices = record.choices;
        std::size_t common = 0;
        while (common < path.size() && common < choices.size() && same(path[common], choices[common])) {
            ++common;
        }
        for (std::size_t i = common; i < choices.size(); ++i) {
            out.push_back(
                {static_cast<std::uint32_t>(i), choiceText(program, subject, choices[i]), program.at(choices[i].at).spot, false, choices[i].term});
        }
        path = choices;
        out.push_back({static_cast<std::uint32_t>(choices.size()),
                       reasonInWords(program, subject, record) + " (" + std::to_string(record.matched) + " of " + std::to_string(record.total) +
                           " operators matched)",
                       program.at(record.at).spot, true, record.term.isValid() ? record.term : record.parent});
    }
    if (machine.failureCount() > machine.failures().size()) {
        out.insert(out.begin(),
                   {0, std::to_string(machine.failureCount() - machine.failures().size()) + " earlier branches are not kept", {}, false, {}});
    }
    return out;
}

std::vector<BranchLine> derivation(const MatchProgram& program, const Subject& subject, const std::vector<Event>& events) {
    std::vector<BranchLine> out;
    for (const Event& event : events) {
        const Instruction& at = program.at(event.at);
        std::string text;
        switch (event.kind) {
        case Event::Kind::Operator:
            text = (at.kind == InstructionKind::FunctionVariable ? at.name.written() : operatorText(program.operators[at.op])) + " matched " +
                   subject.nodeText(event.term);
            break;
        case Event::Kind::Leaf:
            text = (at.kind == InstructionKind::Variable ? at.name.written()
                    : at.kind == InstructionKind::Number ? "the number " + at.number.text
                                                         : std::string("_")) +
                   " matched " + subject.nodeText(event.term);
            break;
        case Event::Kind::Alternate:
        case Event::Kind::Operands: text = choiceText(program, subject, event); break;
        }
        out.push_back({0, std::move(text), at.spot, false, event.term});
    }
    return out;
}

} // namespace lemmascope::match
