// A position of a stepper in words; tests: tests/core/match/tst_match_stepper.cpp.
#include "core/match/stepper.h"

namespace lemmascope::match {

namespace {

constexpr std::size_t MostWork = 50;
constexpr std::size_t MostChoices = 50;
constexpr std::size_t MostNames = 200;
constexpr std::size_t MostDerived = 1'000;

std::string actionText(const Stepper& stepper, const PatternWords& words, const MatchMachine::OpenAction& action) {
    const MatchProgram& program = stepper.program();
    const auto where = [&] { return action.term.isValid() ? stepper.subject().nodeText(action.term) : std::string("an operand that is left out"); };
    if (action.kind == "guard") {
        return "guard " + words.guard(program, action.at);
    }
    if (action.kind == "check") {
        return "check that " + program.at(action.at).name.written() + " is bound";
    }
    if (action.kind == "constraint") {
        return "what " + program.at(action.at).name.written() + " holds against " + words.text(program, program.at(action.at).children[1]);
    }
    return "match " + words.text(program, action.at) + " at " + where();
}

std::string choiceText(const Stepper& stepper, const PatternWords& words, const MatchMachine::OpenChoice& choice) {
    const MatchProgram& program = stepper.program();
    const Instruction& at = program.at(choice.at);
    const std::string where = " for " + (choice.term.isValid() ? stepper.subject().nodeText(choice.term) : std::string("a missing operand"));
    switch (choice.kind) {
    case MatchMachine::OpenChoice::Kind::Alternate: {
        const std::size_t count = at.children.size();
        const std::string text = choice.next < count ? ": " + words.text(program, at.children[choice.next]) : std::string();
        return "alternate " + std::to_string(choice.next + 1) + " of " + std::to_string(count) + where + text;
    }
    case MatchMachine::OpenChoice::Kind::Exchange: return "the operands of " + words.text(program, choice.at) + " exchanged" + where;
    case MatchMachine::OpenChoice::Kind::Bracketing:
        return "bracketing " + std::to_string(choice.next + 1) + " of " + words.text(program, choice.at) + where;
    case MatchMachine::OpenChoice::Kind::Place: break;
    }
    return "another leaf for an operand of " + words.text(program, choice.at) + where;
}

StepLine placeOf(const MatchProgram& program, const FailureRecord& record) {
    return {{}, program.at(record.at).spot, record.term.isValid() ? record.term : record.parent};
}

} // namespace

StepState stepState(const Stepper& stepper, const PatternWords& words) {
    const MatchMachine& machine = stepper.machine();
    const MatchProgram& program = stepper.program();
    const GraphSubject& subject = stepper.subject();
    StepState out;
    out.rule = stepper.rule();
    out.root = stepper.root();
    out.position = stepper.position();
    out.outcome = machine.outcome();
    if (out.outcome == Outcome::Running) {
        const std::vector<MatchMachine::OpenAction> actions = machine.continuation(MostWork + 1);
        for (std::size_t i = 0; i < actions.size(); ++i) {
            const std::string text = actionText(stepper, words, actions[i]);
            const Spot spot = program.at(actions[i].at).spot;
            if (i == 0) {
                out.next = text;
                out.at = actions[i].at;
                out.term = actions[i].term;
                out.spot = spot;
            } else {
                out.work.push_back({text, spot, actions[i].term});
            }
        }
        if (actions.empty()) {
            out.next = "nothing is left: it matches";
        }
    } else {
        out.next = out.outcome == Outcome::Match     ? "it matches"
                   : out.outcome == Outcome::NoMatch ? "no branch is left: it does not match"
                                                     : "undecided: the budget of steps ran out";
        out.term = stepper.root();
        out.spot = program.spot;
    }
    const std::vector<MatchMachine::OpenChoice> choices = machine.openChoices(1'000'000);
    out.choiceCount = choices.size();
    for (std::size_t i = 0; i < choices.size() && i < MostChoices; ++i) {
        out.choices.push_back({choiceText(stepper, words, choices[i]), program.at(choices[i].at).spot, choices[i].term});
    }
    for (const MatchMachine::LiveName& each : machine.names(MostNames)) {
        StepName name;
        name.owner = each.owner;
        name.name = each.binding.name.written();
        name.held = bindingText(subject, each.binding);
        name.term = each.binding.kind == Binding::Kind::Term ? each.binding.term : TermId();
        name.madeAt = each.binding.madeAt;
        name.existential = each.existential;
        out.names.push_back(std::move(name));
    }
    const std::vector<Event>& events = machine.events();
    for (const Event& each : events) {
        if (each.kind == Event::Kind::Operator) {
            out.operators.emplace_back(each.at, each.term);
        }
    }
    out.matched = static_cast<std::uint32_t>(out.operators.size());
    out.derivation =
        derivation(program, subject, {events.begin(), events.begin() + static_cast<std::ptrdiff_t>(std::min(events.size(), MostDerived))});
    const FailureRecord* failure = stepper.ahead() != nullptr ? stepper.ahead() : stepper.behind();
    if (failure != nullptr) {
        out.failure = reasonInWords(program, subject, *failure);
        out.failureAhead = stepper.ahead() != nullptr;
        out.failureAt = placeOf(program, *failure);
    }
    if (const FailureRecord* furthest = machine.furthest()) {
        out.furthest = reasonInWords(program, subject, *furthest) + " (" + std::to_string(furthest->matched) + " of " +
                       std::to_string(furthest->total) + " operators matched)";
        out.furthestAt = placeOf(program, *furthest);
    }
    return out;
}

} // namespace lemmascope::match
