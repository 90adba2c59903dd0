// Texts of swept lemmas. One that holds up to rounding is stated with the numbers that its constants stand for: exactly those that make
// both sides equal, written out, so that a solver can decide it; how far they are from what is stored is a comment. Each such text is
// held against the exact normal forms before it is given.

#include "core/prove/prover.h"
#include "core/prove/rounded_numbers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <set>

namespace lemmascope {

namespace {

constexpr std::size_t MostCandidates = 16; ///< single numbers that are tried for a gap that names no constant
constexpr std::size_t MostComments = 12;
constexpr std::int64_t MostElements = 512;
constexpr std::size_t MostWalked = 2'000;
constexpr std::size_t ExpandBudget = 400'000;

using Product = ConstantMatch::Product;
using Target = ConstantMatch::Target;

bool rational(const Target& target) {
    return target.rest.powers.empty() &&
           std::all_of(target.sum.begin(), target.sum.end(), [](const Product& product) { return product.powers.empty(); });
}

/// Nothing when it would divide by zero.
std::optional<mpq_class> rationalOf(const Target& target) {
    mpq_class sum = 0;
    for (const Product& product : target.sum) {
        sum += product.scale;
    }
    const mpq_class& below = target.inverse ? sum : target.rest.scale;
    if (below == 0) {
        return std::nullopt;
    }
    return target.inverse ? mpq_class(target.rest.scale / sum) : mpq_class(sum / target.rest.scale);
}

Scalar valueIn(Algebra& algebra, const Target& target) {
    if (rational(target)) {
        if (const std::optional<mpq_class> value = rationalOf(target)) {
            return algebra.number(*value);
        }
    }
    const auto one = [&](const Product& product) {
        Scalar value = algebra.number(product.scale);
        for (const auto& [base, exponent] : product.powers) {
            value = algebra.mul(value, algebra.power(algebra.number(base), exponent));
        }
        return value;
    };
    Scalar sum = algebra.number(0);
    for (std::size_t k = 0; k < target.sum.size(); ++k) {
        sum = k == 0 ? one(target.sum[k]) : algebra.add(sum, one(target.sum[k]));
    }
    const Scalar rest = one(target.rest);
    return target.inverse ? algebra.div(rest, sum) : algebra.div(sum, rest);
}

std::string textOf(const Product& product) {
    std::string out = product.scale.get_str();
    for (const auto& [base, exponent] : product.powers) {
        out += "*(" + base.get_str() + ")^(" + exponent.get_str() + ")";
    }
    return out;
}

std::string shortNumber(double value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 3).ptr};
}

} // namespace

Expander::Constants substitution(Algebra& algebra, const RoundedNumbers& numbers) {
    if (numbers.empty()) {
        return {};
    }
    return [&algebra, &numbers](TermId constant, std::int64_t index) -> std::optional<Scalar> {
        const auto at = numbers.find({constant, index});
        return at == numbers.end() ? std::nullopt : std::optional(valueIn(algebra, at->second));
    };
}

std::string textOf(const ConstantMatch::Target& target) {
    if (rational(target)) {
        if (const std::optional<mpq_class> value = rationalOf(target)) {
            return value->get_str();
        }
    }
    std::string sum;
    for (const Product& product : target.sum) {
        sum += (sum.empty() ? "" : " + ") + textOf(product);
    }
    sum = target.sum.size() > 1 ? "(" + sum + ")" : sum;
    return target.inverse ? textOf(target.rest) + " / " + sum : sum + " / " + textOf(target.rest);
}

bool Prover::isSpeltOut(TermId term) const {
    const Dim total = m_store.hasShape(term) ? elementCount(m_store.shape(term)) : Dim(-1);
    return m_store.type(term).isStatic() && total.isKnown() && total.value() <= 20'000;
}

std::optional<TermId> Prover::statedCut(const Statement& statement, TermId term, TermId root, bool generic) {
    if (term == root) {
        return std::nullopt;
    }
    if (const auto at = statement.merged.find(term); at != statement.merged.end()) {
        return at->second;
    }
    if (!generic) {
        return std::nullopt;
    }
    const auto partnerOf = [&](TermId t) {
        const auto at = statement.partners != nullptr ? statement.partners->find(t) : std::map<TermId, TermId>::const_iterator();
        return statement.partners != nullptr && at != statement.partners->end() ? at->second : t;
    };
    if (m_store.kind(term) == TermKind::View) {
        // A view of a merged value is that view of the other.
        const TermId source = m_store.operands(term)[0];
        const TermId partner = partnerOf(source);
        return partner != source && m_store.hasShape(term) ? std::optional(m_move.sink(partner, m_store.view(term), m_store.shape(term)))
                                                           : std::nullopt;
    }
    if (m_store.kind(term) == TermKind::Apply && !m_store.isElementwise(term)) {
        return m_exact->canonical(partnerOf(term));
    }
    return std::nullopt;
}

/// Both sides have one exact normal form under the statement, at every element; with `generic`, at one of which nothing is known.
bool Prover::agrees(TermId a, TermId b, const Statement& statement, bool generic) {
    FormStore forms(m_store, {});
    const auto cutBelow = [&](TermId root) { return [&, root](TermId t) { return statedCut(statement, t, root, generic); }; };
    Expander first(m_store, forms, Meaning::Exact, cutBelow(a), ExpandBudget, m_stop);
    Expander second(m_store, forms, Meaning::Exact, cutBelow(b), ExpandBudget, m_stop);
    first.substitute(substitution(forms, statement.numbers));
    second.substitute(substitution(forms, statement.numbers));
    const std::int64_t total = generic ? 0 : elementCount(m_store.shape(a)).value();
    bool equal = m_store.type(a) == m_store.type(b) && total <= MostElements;
    for (std::int64_t i = generic ? -1 : 0; equal && i < total; ++i) {
        const Scalar x = first.at(a, i);
        const Scalar y = second.at(b, i);
        equal = !first.exhausted() && !second.exhausted() && !forms.tooLarge() && forms.equalScalars(x, y) && !forms.tooLarge();
    }
    return equal;
}

std::vector<Prover::Statement> Prover::roundedStatements(const Sweep::Lemma& step, const Statement& base) {
    // Constants that the comparison names: their elements are known.
    Statement named = base;
    std::optional<Target> number;
    for (const ConstantMatch::Gap& gap : step.match.gaps) {
        for (const auto& [flat, target] : gap.targets) {
            if (flat >= 0) {
                named.numbers.insert_or_assign({gap.constant, flat}, target);
            } else if (!number) {
                number = target;
            }
        }
    }
    if (!number) {
        return {named};
    }
    // A number that came from some scalar: each that only one side has may be the one, the form decides.
    std::array<std::set<TermId>, 2> scalars;
    for (const bool left : {true, false}) {
        std::vector<TermId> stack{left ? step.reference : step.rewritten};
        std::set<TermId> seen;
        while (!stack.empty() && seen.size() < MostWalked) {
            const TermId top = stack.back();
            stack.pop_back();
            if (!seen.insert(top).second || (top != step.reference && top != step.rewritten && base.merged.contains(top))) {
                continue;
            }
            if (m_store.kind(top) == TermKind::Constant && isFloat(m_store.type(top).element) && m_store.constantTensor(top).count() == 1 &&
                isComputable(m_store.type(top).element)) {
                scalars[left ? 0 : 1].insert(top);
            }
            const auto operands = m_store.operands(top);
            stack.insert(stack.end(), operands.begin(), operands.end());
        }
    }
    std::vector<Statement> out;
    for (const std::size_t side : {1U, 0U}) {
        for (const TermId constant : scalars[side]) {
            const mpq_class stored(m_store.constantTensor(constant).toDouble(0));
            if (stored == 0 || scalars[1 - side].contains(constant)) {
                continue;
            }
            for (const bool times : {side == 1, side == 0}) {
                // times: stored * number; else stored / number
                Target target = *number;
                target.inverse = !times;
                for (Product& product : target.sum) {
                    product.scale = times ? mpq_class(product.scale * stored) : mpq_class(product.scale / stored);
                }
                Statement statement = named;
                statement.numbers[{constant, 0}] = std::move(target);
                out.push_back(std::move(statement));
                if (out.size() >= MostCandidates) {
                    return out;
                }
            }
        }
    }
    return out;
}

void Prover::stateSwept(const Sweep::Lemma& step, const std::vector<std::pair<TermId, TermId>>& below, const std::map<TermId, TermId>& partners,
                        LemmaResult& lemma) {
    const bool generic = !isSpeltOut(step.reference);
    Statement base;
    base.partners = &partners;
    for (const auto& [reference, rewritten] : below) {
        base.merged.emplace(rewritten, reference);
        base.merged.emplace(reference, reference);
    }
    if (!below.empty()) {
        base.comments.emplace_back("values that earlier lemmas hold equal up to rounding are read as one");
    }
    std::vector<Statement> statements;
    if (step.strength == Strength::Rounded) {
        for (Statement& statement : roundedStatements(step, base)) {
            if (!statement.numbers.empty() && agrees(step.reference, step.rewritten, statement, generic)) {
                statements.push_back(std::move(statement));
                break;
            }
        }
        if (statements.empty()) {
            lemma.noText = "holds up to rounding, and the exact numbers that its constants stand for are not spelt out";
            return;
        }
        Statement& chosen = statements.front();
        std::size_t told = 0;
        for (const auto& [key, target] : chosen.numbers) {
            const auto& [constant, element] = key;
            if (++told > MostComments) {
                chosen.comments.push_back("and " + std::to_string(chosen.numbers.size() - MostComments) + " more elements of constants");
                break;
            }
            double allowed = 0.0;
            double relative = 0.0;
            for (const ConstantMatch::Gap& gap : step.match.gaps) {
                if (gap.constant == constant || !gap.constant.isValid()) {
                    allowed = std::max(allowed, gap.allowed);
                    relative = std::max(relative, gap.relative);
                }
            }
            chosen.comments.push_back("constant " + nameOf(constant) + ", element " + std::to_string(element) + ", stored as " +
                                      mpq_class(m_store.constantTensor(constant).toDouble(element)).get_str() + ", stands for " + textOf(target) +
                                      " (off by at most " + shortNumber(relative) + ", rounding allows " + shortNumber(allowed) + ")");
        }
    } else if (!generic || agrees(step.reference, step.rewritten, base, true)) {
        statements.push_back(std::move(base));
    } else {
        // As the sweep read it: everything merged before is one value.
        Statement all = base;
        for (const auto& [term, partner] : partners) {
            if (partner != step.reference && term != step.rewritten) {
                all.merged.emplace(term, partner);
                all.merged.emplace(partner, partner);
            }
        }
        all.comments.assign(1, "values that earlier lemmas hold equal are read as one");
        if (!agrees(step.reference, step.rewritten, all, true)) {
            lemma.noText = "holds at every size by sums over indices that SMT-LIB without quantifiers does not have";
            return;
        }
        statements.push_back(std::move(all));
    }
    if (std::optional<Prepared> prepared = prepare(step.reference, step.rewritten, lemma.title, false, &statements.front())) {
        lemma.text = m_lemmas[prepared->lemma].text;
        lemma.digest = m_lemmas[prepared->lemma].digest;
        m_lemmas.pop_back();
        m_lemmaTerms.pop_back();
    } else {
        lemma.noText = "written out it would be too large";
    }
}

} // namespace lemmascope
