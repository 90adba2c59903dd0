#include "core/prove/lemma_copy.h"

namespace lemmascope {

namespace {

/// Graphs have fewer inputs: numbers from here on are those of values that a lemma speaks of.
constexpr std::uint32_t FirstNumber = 1U << 30U;

} // namespace

struct LemmaCopies::Attempt {
    Copy& copy;
    const Cut& cut;
    bool hideConstants = false;
    std::map<TermId, TermId> done;   ///< term -> copy
    std::map<TermId, TermId> inputs; ///< value -> input that stands for it
};

LemmaCopies::LemmaCopies(TermStore& store, FormStore& forms, SignOf signs) : m_store(store), m_forms(forms), m_signOf(std::move(signs)) {}

FormStore::Sign LemmaCopies::signOf(TermId input) const {
    const auto at = m_signs.find(input);
    return at == m_signs.end() ? FormStore::Sign::Unknown : at->second;
}

TermId LemmaCopies::valueOf(Attempt& attempt, TermId term) {
    if (m_store.kind(term) == TermKind::View) {
        const TermId source = valueOf(attempt, m_store.operands(term)[0]);
        return source == m_store.operands(term)[0] ? term : m_store.rawView(source, View(m_store.view(term)), TensorType(m_store.type(term)));
    }
    if (m_store.kind(term) == TermKind::Bound) {
        return term;
    }
    const TensorType type = m_store.type(term);
    if (m_store.kind(term) == TermKind::Constant) {
        const bool number = !isFloat(type.element) || m_store.constantTensor(term).count() <= 1;
        if (number || !attempt.hideConstants) {
            return term;
        }
        attempt.copy.hidesConstants = true;
    }
    if (const auto at = attempt.inputs.find(term); at != attempt.inputs.end()) {
        return at->second;
    }
    // What is known of a value is part of its number, so that unlike values never share an input.
    const bool constant = m_store.kind(term) == TermKind::Constant;
    const FormStore::Sign sign = constant ? FormStore::Sign::Unknown : m_signOf(term);
    const bool partial = m_forms.mayBeUndefined(term);
    const auto number = static_cast<std::uint32_t>(attempt.inputs.size() * 6 + static_cast<std::size_t>(sign) * 2 + (partial ? 1 : 0));
    const TermId input = m_store.input(FirstNumber + number, type);
    m_signs.emplace(input, sign);
    if (partial) {
        m_forms.markPartial(input);
    }
    attempt.inputs.emplace(term, input);
    attempt.copy.values.emplace(input, term);
    return input;
}

TermId LemmaCopies::copied(Attempt& attempt, TermId root) {
    std::vector<std::pair<TermId, std::size_t>> stack{{root, 0}};
    while (!stack.empty()) {
        const TermId term = stack.back().first;
        if (attempt.done.contains(term)) {
            stack.pop_back();
            continue;
        }
        const TermKind kind = m_store.kind(term);
        if (stack.back().second == 0) {
            if (const std::optional<TermId> to = attempt.cut(term)) {
                const TermId value = valueOf(attempt, *to);
                TermId alone = value;
                while (m_store.kind(alone) == TermKind::View) {
                    alone = m_store.operands(alone)[0];
                }
                attempt.copy.replacements.push_back({term, *to, attempt.copy.values.contains(alone) ? alone : TermId()});
                attempt.done.emplace(term, value);
                stack.pop_back();
                continue;
            }
            if (kind == TermKind::Input || kind == TermKind::Constant || kind == TermKind::Bound) {
                attempt.done.emplace(term, valueOf(attempt, term));
                stack.pop_back();
                continue;
            }
        }
        const std::span<const TermId> operands = m_store.operands(term);
        if (stack.back().second < operands.size()) {
            stack.emplace_back(operands[stack.back().second++], 0);
            continue;
        }
        stack.pop_back();
        std::vector<TermId> own(operands.begin(), operands.end());
        bool same = true;
        for (TermId& operand : own) {
            const TermId copy = attempt.done.at(operand);
            same = same && copy == operand;
            operand = copy;
        }
        TermId out = term;
        if (!same) {
            const Term data = m_store.term(term);
            const TensorType type = m_store.type(term);
            out = kind == TermKind::View     ? m_store.rawView(own[0], View(m_store.view(term)), type)
                  : kind == TermKind::Concat ? m_store.rawConcat(data.payload, own, type)
                                             : m_store.apply(data.op, own, type);
        }
        attempt.done.emplace(term, out);
    }
    return attempt.done.at(root);
}

LemmaCopies::Copy LemmaCopies::make(TermId reference, TermId rewritten, const Cut& cut, bool hideConstants) {
    Copy out;
    Attempt attempt{out, cut, hideConstants, {}, {}};
    out.reference = copied(attempt, reference);
    out.rewritten = copied(attempt, rewritten);
    return out;
}

} // namespace lemmascope
