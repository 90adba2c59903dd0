// The machine's own record of a failure, in words; tests: tests/core/match/tst_match_graph.cpp.
#include "core/match/failure.h"

#include "core/match/machine_state.h"
#include "core/match/print.h"

#include <algorithm>

namespace lemmascope::match {

namespace {

/// A guard, or a part of it, as the rule would write it.
std::string guardWords(std::string out, const FailureRecord& record) {
    for (std::size_t i = 0; i < record.guardNames; ++i) {
        const std::string mark = Guard::mark(i);
        const std::string written = record.bindings[record.bindings.size() - record.guardNames + i].name.written();
        for (std::size_t at = out.find(mark); at != std::string::npos; at = out.find(mark, at + written.size())) {
            out.replace(at, mark.size(), written);
        }
    }
    return out;
}

/// The names of a guard with what they hold, as far as they are of this state.
std::string unboundNames(const FailureRecord& record) {
    std::string out;
    for (std::size_t i = record.bindings.size() - record.guardNames; i < record.bindings.size(); ++i) {
        if (record.bindings[i].kind == Binding::Kind::Unbound) {
            out += (out.empty() ? "" : ",") + record.bindings[i].name.text;
        }
    }
    return out;
}

std::string plural(std::uint32_t count, const char* word) { return std::to_string(count) + " " + word + (count == 1 ? "" : "s"); }

std::string ordinal(std::uint32_t operand) {
    static constexpr const char* Words[] = {"first", "second", "third", "fourth", "fifth", "sixth"};
    return operand < 6 ? Words[operand] : "number " + std::to_string(operand + 1);
}

/// Each fact that a guard reads, with its value: `rank(?x) is 3 (x: q)`.
class GuardFacts {
  public:
    GuardFacts(const MatchProgram& program, const Subject& subject, const FailureRecord& record)
        : m_program(program), m_subject(subject), m_record(record) {}

    std::string text(GuardId root) {
        walk(root);
        return m_out;
    }

  private:
    [[nodiscard]] const Binding* held(const Name& name) const {
        const std::vector<Name>& names = m_program.at(m_record.guard).names;
        for (std::size_t i = 0; i < m_record.guardNames; ++i) {
            if (names[i].written() == name.written()) {
                return &m_record.bindings[m_record.bindings.size() - m_record.guardNames + i];
            }
        }
        return nullptr;
    }

    void walk(GuardId id) {
        const GuardNode& node = m_program.node(id);
        const ExpressionNode& expression = node.expression;
        const bool reads = expression.kind == ExpressionKind::Fact || expression.kind == ExpressionKind::Variable;
        if (const Binding* binding = reads ? held(expression.name) : nullptr) {
            FactValue argument;
            std::string inner;
            if (!node.children.empty()) {
                const ExpressionNode& given = m_program.node(node.children[0]).expression;
                if (given.kind == ExpressionKind::Number && given.number.integer) {
                    argument = FactValue(*given.number.integer);
                } else if (given.kind == ExpressionKind::Text || given.kind == ExpressionKind::Word) {
                    argument = FactValue(given.text);
                }
                inner = ", " + argument.text();
            }
            static constexpr const char* Facts[] = {"rank", "shape", "dim", "dtype", "attr",    "is_const", "value",
                                                    "uses", "size",  "op",  "cls",   "version", "ints"};
            const std::string name = binding->name.written();
            const std::string asked = expression.kind == ExpressionKind::Variable
                                          ? name
                                          : std::string(Facts[static_cast<std::size_t>(expression.fact)]) + "(" + name + inner + ")";
            const FactValue found = evaluateFact(m_subject, node, argument, *binding);
            const std::string line = asked + (found.isDefined() ? " is " + found.text() : " is not known") +
                                     (binding->kind == Binding::Kind::Term || binding->kind == Binding::Kind::Symbol
                                          ? " (" + name + " = " + bindingText(m_subject, *binding) + ")"
                                          : "");
            if (m_out.find(line) == std::string::npos) {
                m_out += (m_out.empty() ? "" : ", ") + line;
            }
        }
        for (const GuardId child : node.children) {
            walk(child);
        }
    }

    const MatchProgram& m_program;
    const Subject& m_subject;
    const FailureRecord& m_record;
    std::string m_out;
};

/// Operators that a constraint can take: `matmul or conv`.
std::string targetOperators(const MatchProgram& program, const Instruction& constraint) {
    std::vector<std::string> names;
    for (const std::uint32_t op : constraint.targetOperators.value_or(std::vector<std::uint32_t>())) {
        const std::string name = operatorText(program.operators[op]);
        if (std::find(names.begin(), names.end(), name) == names.end()) {
            names.push_back(name);
        }
    }
    std::string out;
    for (std::size_t i = 0; i < names.size(); ++i) {
        out += (i == 0 ? "" : i + 1 == names.size() ? " or " : ", ") + names[i];
    }
    return out;
}

bool sameLetters(const std::string& a, const std::string& b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return lower(x) == lower(y); });
}

/// `operand 2 of add_3`, where the failure was met; empty at the root.
std::string place(const Subject& subject, const FailureRecord& record) {
    if (record.operand == NoIndex || !record.parent.isValid()) {
        return {};
    }
    return "the " + ordinal(record.operand) + " operand of " + subject.nodeText(record.parent);
}

/// `the first operand of add_3 (Add) is `, with the place if one is known.
std::string hereIs(const Subject& subject, const FailureRecord& record) {
    const std::string where = place(subject, record);
    return where.empty() ? "here stands " : where + " is ";
}

} // namespace

std::string bindingText(const Subject& subject, const Binding& binding) {
    switch (binding.kind) {
    case Binding::Kind::Unbound: return "";
    case Binding::Kind::Term: return subject.termText(binding.term);
    case Binding::Kind::Symbol: return subject.symbolText(binding.symbol);
    case Binding::Kind::Value: return binding.value.text();
    case Binding::Kind::List: break;
    }
    std::string out = "[";
    for (std::size_t i = 0; i < binding.list.size(); ++i) {
        out += (i == 0 ? "" : ", ") + subject.termText(binding.list[i]);
    }
    return out + "]";
}

std::string failedNode(const Subject& subject, const FailureRecord& record) {
    if (record.term.isValid()) {
        return subject.termText(record.term);
    }
    return record.parent.isValid() ? subject.termText(record.parent) : std::string();
}

std::string shortReason(const MatchProgram& program, const Subject& subject, const FailureRecord& record) {
    const Instruction& at = program.at(record.at);
    const auto head = [&] { return subject.symbolText(subject.term(record.term).head); };
    switch (record.reason) {
    case FailureReason::VariableConflict: {
        const bool rest = record.held.name.kind == NameKind::Rest;
        return "conflict " + record.held.name.text + ": already " + bindingText(subject, record.held) + ", now " + (rest ? "the operands of " : "") +
               subject.termText(record.term);
    }
    case FailureReason::FunctionConflict:
        return "conflict " + record.held.name.text + ": already " + bindingText(subject, record.held) + ", now " + head();
    case FailureReason::AttributeConflict:
        return "conflict " + record.held.name.text + ": already " + bindingText(subject, record.held) + ", now " + record.found.text();
    case FailureReason::OperatorMismatch: return "op: want " + operatorText(program.operators[at.op]) + ", got " + head();
    case FailureReason::ArityMismatch:
        return at.kind == InstructionKind::FunctionVariable ? "arity: " + record.held.name.text + " wants " + std::to_string(record.wanted) + ", " +
                                                                  head() + " has " + std::to_string(record.actual)
                                                            : "arity of " + operatorText(program.operators[at.op]);
    case FailureReason::ResultMismatch:
        return "result: want result " + std::to_string(record.wanted) + ", got result " + std::to_string(record.actual) + " of " + head();
    case FailureReason::AttributeMismatch:
        return "attribute " + at.attributes[record.wanted].name + ": want " + at.attributes[record.wanted].wantedText + ", got " +
               record.found.text();
    case FailureReason::AttributeMissing: return "attribute " + at.attributes[record.wanted].name + " missing";
    case FailureReason::NotTheConstant: return "number: want " + at.number.text + ", got " + subject.termText(record.term);
    case FailureReason::OperandOmitted: return "operand left out";
    case FailureReason::OperandGiven: return "operand given: " + subject.termText(record.term);
    case FailureReason::TreeMismatch: return "factors: want " + std::to_string(record.wanted) + ", got " + std::to_string(record.actual);
    case FailureReason::GuardFalse: return "guard false: " + guardWords(program.at(record.guard).text, record);
    case FailureReason::GuardUnbound: return "guard " + guardWords(program.at(record.guard).text, record) + " reads unbound " + unboundNames(record);
    case FailureReason::GuardUndefined: return "guard undefined: " + guardWords(program.at(record.guard).text, record);
    case FailureReason::ExistentialUnbound: return "existential " + record.held.name.text + " never bound";
    case FailureReason::TargetUnbound: return "match constraint on unbound " + record.held.name.text;
    case FailureReason::TargetMismatch: return "op: want " + targetOperators(program, at) + ", got " + head();
    case FailureReason::RecursionLoop:
        return "recursion " + program.procedures[at.procedure].name + " re-entered on same term without consuming an operator";
    }
    return {};
}

std::string reasonInWords(const MatchProgram& program, const Subject& subject, const FailureRecord& record) {
    const Instruction& at = program.at(record.at);
    const auto valid = [&] { return record.term.isValid(); };
    switch (record.reason) {
    case FailureReason::VariableConflict: {
        if (record.held.name.kind == NameKind::Rest || record.held.kind != Binding::Kind::Term || !valid()) {
            return shortReason(program, subject, record);
        }
        const bool equal = subject.term(record.held.term).number == subject.term(record.term).number;
        const std::string both = record.held.name.written() + " is " + subject.nodeText(record.held.term) + " already, and " +
                                 hereIs(subject, record) + subject.nodeText(record.term) + ", ";
        return equal ? both + "another node that computes the same: run common subexpression elimination, or match without --identity"
                     : both + "another value";
    }
    case FailureReason::FunctionConflict:
        return record.held.name.written() + " is " + bindingText(subject, record.held) + " already, and " + hereIs(subject, record) +
               subject.nodeText(record.term);
    case FailureReason::OperatorMismatch: {
        const OperatorName& wanted = program.operators[at.op];
        const std::string head = subject.symbolText(subject.term(record.term).head);
        const std::size_t dot = head.rfind('.');
        std::string hint;
        if (!wanted.domain && dot != std::string::npos && sameLetters(head.substr(dot + 1), wanted.name)) {
            hint = ": of another domain, write \"" + head.substr(0, dot) + "\":" + head.substr(dot + 1);
        } else if (at.children.empty() && at.attributes.empty() && !wanted.domain) {
            hint = ", a leaf of that name; any value is ?" + wanted.name;
        }
        return hereIs(subject, record) + subject.nodeText(record.term) + ", the pattern wants " + operatorText(wanted) + hint;
    }
    case FailureReason::ArityMismatch:
        return subject.nodeText(record.term) + " has " + plural(record.actual, "operand") + ", the pattern wants " +
               (at.rest.isValid() ? "at least " : "") + std::to_string(record.wanted);
    case FailureReason::TreeMismatch:
        return subject.nodeText(record.term) + " has " + std::to_string(record.actual) + " factors of " + operatorText(program.operators[at.op]) +
               ", the pattern wants " + std::to_string(record.wanted);
    case FailureReason::ResultMismatch:
        return hereIs(subject, record) + "result " + std::to_string(record.actual) + " of " + subject.nodeText(record.term) +
               ", the pattern wants result " + std::to_string(record.wanted);
    case FailureReason::AttributeMismatch:
    case FailureReason::AttributeConflict: {
        const AttributeTest& test = at.attributes[record.wanted];
        const std::string wanted = record.reason == FailureReason::AttributeConflict
                                       ? record.held.name.written() + " is " + bindingText(subject, record.held) + " already"
                                       : "the pattern wants " + test.wantedText;
        return subject.nodeText(record.term) + ": attribute " + test.name + " is " + record.found.text() + ", " + wanted;
    }
    case FailureReason::AttributeMissing: {
        const AttributeTest& test = at.attributes[record.wanted];
        return subject.nodeText(record.term) + ": there is no attribute " + test.name + (test.orOperand ? ", nor a constant operand for it" : "") +
               ", the pattern wants " + (test.slot.isValid() ? "one" : test.wantedText);
    }
    case FailureReason::NotTheConstant: {
        const FactValue found = subject.constant(record.term);
        const std::string wanted = at.number.text + (at.number.tolerance ? " within " + at.number.toleranceText : "");
        return hereIs(subject, record) + subject.nodeText(record.term) +
               (found.isDefined() ? ", " + found.text() : ", not a constant that is known") + ", the pattern wants the constant " + wanted;
    }
    case FailureReason::OperandOmitted:
        return place(subject, record) + (place(subject, record).empty() ? "the value is left out" : " is left out") + ", the pattern wants one";
    case FailureReason::OperandGiven: return hereIs(subject, record) + subject.nodeText(record.term) + ", the pattern wants none";
    case FailureReason::GuardFalse:
    case FailureReason::GuardUndefined: {
        // Of conditions that are joined the first that failed: the others, which hold, would bury it.
        const std::vector<Guard::Part>& parts = program.at(record.guard).parts;
        const Guard::Part& part = parts.at(record.guardPart);
        const std::string facts = GuardFacts(program, subject, record).text(part.root);
        return std::string(record.reason == FailureReason::GuardFalse ? "guard " : "guard cannot be decided: ") + guardWords(part.text, record) +
               (record.reason == FailureReason::GuardFalse ? " is false" : "") + (facts.empty() ? "" : ": " + facts) +
               (parts.size() == 1 ? "" : "; condition " + std::to_string(record.guardPart + 1) + " of " + std::to_string(parts.size()));
    }
    case FailureReason::TargetMismatch:
        return "for " + record.held.name.written() + " stands " + subject.nodeText(record.term) + ", the pattern wants " +
               targetOperators(program, at);
    case FailureReason::GuardUnbound:
    case FailureReason::ExistentialUnbound:
    case FailureReason::TargetUnbound:
    case FailureReason::RecursionLoop: break;
    }
    return shortReason(program, subject, record);
}

} // namespace lemmascope::match
