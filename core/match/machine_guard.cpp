// Guards: three-valued, over what names hold.
#include "core/match/expression_value.h"
#include "core/match/machine_state.h"

#include <algorithm>

namespace lemmascope::match {

namespace {

class Evaluation {
  public:
    Evaluation(const MachineState& state, std::uint32_t frame) : m_state(state), m_frame(frame) {}

    Truth truth(GuardId id) {
        const GuardNode& node = m_state.program.node(id);
        switch (node.expression.kind) {
        case ExpressionKind::Not:
        case ExpressionKind::And:
        case ExpressionKind::Or: return joinedTruth(node.expression.kind, node.children, [this](GuardId child) { return truth(child); });
        case ExpressionKind::Compare: return comparison(node);
        default: return truthOf(value(id));
        }
    }

  private:
    Truth comparison(const GuardNode& node) {
        const CompareKind kind = node.expression.compare;
        if (kind == CompareKind::Equal || kind == CompareKind::NotEqual) {
            const Truth found = equal(node.children[0], node.children[1]);
            return kind == CompareKind::Equal ? found : negated(found);
        }
        return comparedTruth(kind, value(node.children[0]), value(node.children[1]));
    }

    Truth equal(GuardId left, GuardId right) {
        // op(%F) = relu: by the operator's name, in the way patterns name operators. cls(%F) = ew1, as often as that: without a copy.
        for (const auto& [fact, word] : {std::pair(left, right), std::pair(right, left)}) {
            const GuardNode& asked = m_state.program.node(fact);
            const ExpressionNode& named = m_state.program.node(word).expression;
            const bool isName = named.kind == ExpressionKind::Word || named.kind == ExpressionKind::Text;
            const bool ofOperator = asked.expression.fact == FactKind::Op || asked.expression.fact == FactKind::Cls;
            if (asked.expression.kind != ExpressionKind::Fact || !ofOperator || !isName) {
                continue;
            }
            const Cell cell = m_state.cells[m_state.cellOf(m_frame, asked.slot)];
            if (cell.kind != Binding::Kind::Term && cell.kind != Binding::Kind::Symbol) {
                return Truth::Undefined;
            }
            const SymbolId symbol = cell.kind == Binding::Kind::Symbol ? SymbolId(cell.index) : m_state.subject.term(TermId(cell.index)).head;
            const bool holds = asked.expression.fact == FactKind::Cls ? m_state.subject.symbolClass(symbol) == named.text
                                                                      : m_state.subject.symbolIs(symbol, {named.text, {}, {}});
            return holds ? Truth::True : Truth::False;
        }
        return equals(value(left), value(right));
    }

    FactValue value(GuardId id) {
        const GuardNode& node = m_state.program.node(id);
        const ExpressionNode& expression = node.expression;
        if (expression.kind != ExpressionKind::Variable && expression.kind != ExpressionKind::Fact) {
            return composedValue(expression, node.children, [this](GuardId child) { return value(child); });
        }
        FactValue argument;
        if (!node.children.empty()) {
            argument = value(node.children[0]);
        }
        const Binding held = m_state.binding(expression.name, m_state.cells[m_state.cellOf(m_frame, node.slot)]);
        return evaluateFact(m_state.subject, node, argument, held);
    }

    const MachineState& m_state;
    std::uint32_t m_frame;
};

} // namespace

FactValue evaluateFact(const Subject& subject, const GuardNode& node, const FactValue& argument, const Binding& held) {
    const FactKind kind = node.expression.fact;
    if (node.expression.kind == ExpressionKind::Variable) {
        if (held.kind == Binding::Kind::Value) {
            return held.value;
        }
        // A value by itself stands for what it is a constant of.
        return held.kind == Binding::Kind::Term ? subject.fact(FactKind::Value, held.term, {}) : FactValue();
    }
    if (held.kind == Binding::Kind::Symbol) {
        return kind == FactKind::Op    ? FactValue(subject.symbolText(held.symbol))
               : kind == FactKind::Cls ? FactValue(subject.symbolClass(held.symbol))
                                       : FactValue();
    }
    if (held.kind != Binding::Kind::Term) {
        return {};
    }
    switch (kind) {
    case FactKind::Op: return FactValue(subject.symbolText(subject.term(held.term).head));
    case FactKind::Cls: return FactValue(subject.symbolClass(subject.term(held.term).head));
    case FactKind::Attr: {
        const auto* name = std::get_if<std::string>(&argument.value);
        return name == nullptr ? FactValue() : subject.attribute(held.term, *name);
    }
    default: return subject.fact(kind, held.term, argument);
    }
}

Truth evaluateGuard(const MachineState& state, GuardId guard, std::uint32_t frame, bool& unbound) {
    const Guard& at = state.program.at(guard);
    unbound = std::any_of(at.slots.begin(), at.slots.end(),
                          [&](const SlotRef& slot) { return state.cells[state.cellOf(frame, slot)].kind == Binding::Kind::Unbound; });
    return unbound ? Truth::Undefined : Evaluation(state, frame).truth(at.root);
}

std::uint32_t guardPart(const MachineState& state, GuardId guard, std::uint32_t frame, Truth truth) {
    const std::vector<Guard::Part>& parts = state.program.at(guard).parts;
    const auto found =
        std::find_if(parts.begin(), parts.end(), [&](const Guard::Part& each) { return Evaluation(state, frame).truth(each.root) == truth; });
    return found == parts.end() ? 0 : static_cast<std::uint32_t>(found - parts.begin());
}

} // namespace lemmascope::match
