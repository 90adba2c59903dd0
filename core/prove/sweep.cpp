#include "core/prove/sweep.h"

#include "core/term/view.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lemmascope {

namespace {

constexpr std::size_t MaxOpenings = 8;
constexpr std::size_t MaxBoxes = 200;
constexpr std::size_t MaxBeliefs = 3;
constexpr std::size_t MaxConstantElements = 4'000'000;

void addUnique(std::vector<std::size_t>& to, std::size_t index) {
    if (std::find(to.begin(), to.end(), index) == to.end()) {
        to.push_back(index);
    }
}

} // namespace

Sweep::Sweep(TermStore& store, ExactTerms& definitions, std::function<bool()> expiry)
    : m_store(store), m_definitions(definitions), m_move(store), m_lemmaForms(store, FormStore::Limits{2'000, 60'000}), m_expiry(std::move(expiry)) {
    m_lemmaForms.forms().setSigns([this](TermId term) { return signOf(term); });
}

FormStore::Sign Sweep::signOf(TermId term) const {
    if (const auto at = m_signs.find(term); at != m_signs.end()) {
        return at->second;
    }
    if (m_store.kind(term) != TermKind::Apply || !isFloat(m_store.type(term).element)) {
        return FormStore::Sign::Unknown;
    }
    const std::string& name = m_store.op(term).name;
    const auto operands = m_store.operands(term);
    if (name == "Exp" || name == "Sigmoid" || name == "Softplus") {
        return FormStore::Sign::Positive;
    }
    if (name == "Relu" || name == "Abs" || name == "Sqrt" || (name == "Mul" && operands[0] == operands[1])) {
        return FormStore::Sign::NonNegative;
    }
    if (name == "Pow") {
        const std::optional<double> exponent = m_store.uniformValue(operands[1]);
        return exponent && (*exponent == 2.0 || *exponent == 4.0) ? FormStore::Sign::NonNegative : FormStore::Sign::Unknown;
    }
    return FormStore::Sign::Unknown;
}

void Sweep::findDefined(const std::function<bool(TermId)>& skip) {
    // Partial ops whose operands are seen to stay inside, in topological order: what reads them needs no condition then.
    FormStore& forms = m_lemmaForms.forms();
    for (const TermId term : m_order) {
        if (m_store.kind(term) != TermKind::Apply || !m_store.isElementwise(term) || !isFloat(m_store.type(term).element) || m_expiry()) {
            continue;
        }
        const std::string& name = m_store.op(term).name;
        const bool partial = name == "Div" || name == "Sqrt" || name == "Log" || name == "Pow" || name == "Reciprocal";
        if (!partial || skip(term)) {
            continue;
        }
        std::size_t visited = 0;
        const auto cut = [&](TermId other) -> std::optional<TermId> {
            const bool far = other != term && m_store.kind(other) == TermKind::Apply && (!m_store.isElementwise(other) || ++visited > 24);
            return far ? std::optional<TermId>(other) : std::nullopt;
        };
        m_lemmaForms.start(cut, m_expiry);
        const std::optional<Scalar> value = m_lemmaForms.at(term);
        if (value && forms.alwaysDefined(*value)) {
            forms.markDefined(term);
            if (forms.isPositive(*value) || forms.isNonNegative(*value)) {
                m_signs.emplace(term, forms.isPositive(*value) ? FormStore::Sign::Positive : FormStore::Sign::NonNegative);
            }
        }
    }
}

void Sweep::visit(TermId root) {
    std::vector<std::pair<TermId, std::size_t>> stack{{root, 0}};
    while (!stack.empty()) {
        auto& [term, next] = stack.back();
        if (m_position.contains(term)) {
            stack.pop_back();
            continue;
        }
        const auto operands = m_store.operands(term);
        if (next < operands.size()) {
            stack.emplace_back(operands[next++], 0);
            continue;
        }
        m_position.emplace(term, m_order.size());
        m_order.push_back(term);
        stack.pop_back();
    }
}

void Sweep::start(const std::vector<TermId>& reference, const std::vector<TermId>& rewritten) {
    for (const TermId root : reference) {
        visit(m_definitions.defined(root));
    }
    m_boundary = m_order.size();
    std::vector<TermId> theirs;
    for (const TermId root : rewritten) {
        theirs.push_back(m_definitions.defined(root));
        visit(theirs.back());
    }
    // What both graphs compute is one value on both sides.
    std::set<TermId> seen;
    std::vector<TermId> stack = theirs;
    while (!stack.empty()) {
        const TermId term = stack.back();
        stack.pop_back();
        if (!seen.insert(term).second) {
            continue;
        }
        if (inReference(term)) {
            m_shared.insert(term);
            continue; // everything below is shared as well
        }
        const auto operands = m_store.operands(term);
        stack.insert(stack.end(), operands.begin(), operands.end());
    }
}

void Sweep::believe(TermId reference, TermId rewritten) {
    if (!reference.isValid() || !rewritten.isValid()) {
        return; // what a sampling that ran out of time left open
    }
    const TermId a = m_definitions.defined(reference);
    const TermId b = m_definitions.defined(rewritten);
    if (a == b || !m_position.contains(a) || !m_position.contains(b) || !(m_store.type(a).shape == m_store.type(b).shape) || !m_store.hasShape(a) ||
        m_store.type(a).element != m_store.type(b).element) {
        return;
    }
    std::vector<TermId>& list = m_beliefs[b];
    if (list.size() < MaxBeliefs && std::find(list.begin(), list.end(), a) == list.end()) {
        list.push_back(a);
    }
}

void Sweep::addUses(std::vector<std::size_t>& to, TermId merged, Strength* strength) const {
    const auto at = m_merged.find(merged);
    if (at == m_merged.end()) {
        return;
    }
    if (at->second.lemma) {
        addUnique(to, *at->second.lemma);
    }
    for (const std::size_t use : at->second.uses) {
        addUnique(to, use);
    }
    if (strength != nullptr) {
        *strength = std::max(*strength, at->second.strength);
    }
}

TermId Sweep::representativeOf(TermId term) const {
    // Merged terms point to terms that are not merged themselves when they are merged, and those come earlier: no chains.
    const auto at = m_merged.find(term);
    return at == m_merged.end() ? term : at->second.representative;
}

std::optional<TermId> Sweep::congruent(TermId term, std::vector<std::size_t>& uses, Strength& strength) {
    const std::vector<TermId> operands(m_store.operands(term).begin(), m_store.operands(term).end());
    if (operands.empty()) {
        return std::nullopt;
    }
    std::vector<TermId> merged;
    for (const TermId operand : operands) {
        const auto at = m_merged.find(operand);
        merged.push_back(at == m_merged.end() ? operand : at->second.representative);
        addUses(uses, operand, &strength);
    }
    if (merged == operands) {
        return std::nullopt;
    }
    const Term data = m_store.term(term);
    const TensorType type = m_store.type(term);
    TermId out;
    switch (data.kind) {
    case TermKind::Apply:
        out = m_store.op(data.op).elementwise ? m_move.elementwise(data.op, merged, type) : m_store.apply(data.op, merged, type);
        break;
    case TermKind::View: {
        const View view = m_store.view(term);
        out = type.shape ? m_move.sink(merged[0], view, *type.shape) : m_store.rawView(merged[0], view, type);
        break;
    }
    case TermKind::Concat: out = m_move.concat(data.payload, merged); break;
    default: return std::nullopt;
    }
    return inReference(out) ? std::optional<TermId>(out) : std::nullopt;
}

std::map<TermId, TermId> Sweep::representatives() const {
    std::map<TermId, TermId> out;
    for (const auto& [term, merge] : m_merged) {
        out.emplace(term, merge.representative);
    }
    return out;
}

std::vector<TermId> Sweep::cutsIn(Scalar scalar, const std::map<TermId, TermId>& sources) {
    std::set<TermId> out;
    std::vector<TermId> work = m_lemmaForms.forms().leaves(scalar);
    std::set<TermId> seen;
    while (!work.empty()) {
        const TermId leaf = work.back();
        work.pop_back();
        if (!seen.insert(leaf).second) {
            continue;
        }
        if (const LemmaForms::Sum* sum = m_lemmaForms.sumOf(leaf)) {
            const std::vector<TermId> inner = m_lemmaForms.forms().leaves(sum->inner);
            work.insert(work.end(), inner.begin(), inner.end());
            continue;
        }
        const TermId source = m_store.kind(leaf) == TermKind::View ? m_store.operands(leaf)[0] : leaf;
        if (sources.contains(source)) {
            out.insert(source);
            continue;
        }
        // opaque applications and forms hide what they read
        const auto operands = m_store.operands(source);
        work.insert(work.end(), operands.begin(), operands.end());
    }
    return {out.begin(), out.end()};
}

bool Sweep::consistent(const ConstantMatch& match) {
    for (const auto& [constant, value] : match.taken) {
        const auto at = m_taken.find(constant);
        if (at != m_taken.end() && at->second != value) {
            return false;
        }
    }
    m_taken.insert(match.taken.begin(), match.taken.end());
    return true;
}

bool Sweep::compare(Lemma& step, const View& view, const Shape& box, std::set<TermId>& used, std::size_t& boxes, std::string* reason) {
    const bool whole = box == m_store.shape(step.reference) && isIdentity(view, elementCount(box));
    const TermId a = whole ? step.reference : m_move.view(step.reference, view, box);
    const TermId b = whole ? step.rewritten : m_move.view(step.rewritten, view, box);
    std::set<TermId> opened;
    const bool within = inReference(step.rewritten); // both are the reference's: so is all they read
    const ElementType element = m_store.type(a).element;
    const double unit = isFloat(element) && isComputable(element) ? std::ldexp(1.0, -static_cast<int>(significandBits(element))) : 0x1p-24;
    bool windows = true;
    for (std::size_t round = 0; round <= MaxOpenings; ++round) {
        std::map<TermId, TermId> sources; // representative -> the same, of the cuts this round may meet
        std::vector<TermId> cuts;
        const auto cut = [&](TermId term) -> std::optional<TermId> {
            if (term == step.reference || term == step.rewritten) {
                return std::nullopt;
            }
            TermId to = term;
            if (const auto at = m_merged.find(term); at != m_merged.end()) {
                to = at->second.representative;
            } else if (!m_shared.contains(term) && !(within && inReference(term))) {
                return std::nullopt;
            }
            if (opened.contains(to) || to == step.reference) {
                return std::nullopt;
            }
            const TermKind kind = m_store.kind(to);
            if (kind == TermKind::Input || kind == TermKind::Constant || kind == TermKind::View || kind == TermKind::Bound) {
                return to == term ? std::nullopt : std::optional<TermId>(to);
            }
            sources.emplace(to, to);
            return to;
        };
        m_lemmaForms.start(cut, m_expiry, round == 0, windows);
        const std::optional<Scalar> first = m_lemmaForms.at(a);
        std::optional<LemmaForms::SpaceCut> needed = m_lemmaForms.needs();
        std::optional<Scalar> second;
        if (first) {
            second = m_lemmaForms.at(b);
            needed = m_lemmaForms.needs();
        }
        if (!first || !second) {
            if (!needed || boxes >= MaxBoxes) {
                if (reason != nullptr && reason->empty()) {
                    *reason = needed ? "boxes: more than 200 pieces" : m_expiry() ? "time" : "size: the exact normal form passed its budget";
                }
                return false;
            }
            ++boxes;
            if (needed->digit) {
                // An axis that steps through a join over and over is two axes: the same elements in the same order.
                const std::optional<Dim> outer = Dim::exactQuotient(box[needed->axis], needed->position);
                if (!outer || outer->is(1) || needed->position.is(1)) {
                    return false;
                }
                Shape digits = box;
                digits[needed->axis] = needed->position;
                digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(needed->axis), *outer);
                return compare(step, view, digits, used, boxes, reason);
            }
            // Joins meet inside an axis of the result: below and above it are lemmas of their own.
            const std::vector<Dim> strides = contiguousStrides(box);
            for (const bool below : {true, false}) {
                Shape part = box;
                part[needed->axis] = below ? needed->position : box[needed->axis] - needed->position;
                const View inner = fromAxisStrides(below ? Dim(0) : needed->position * strides[needed->axis], part, strides);
                const std::optional<View> both = composed(view, inner);
                if (!both || !compare(step, *both, part, used, boxes, reason)) {
                    return false;
                }
            }
            return true;
        }
        const Scalar left = first.value_or(0);
        const Scalar right = second.value_or(0);
        FormStore& forms = m_lemmaForms.forms();
        bool equal = forms.equalScalars(left, right) && !m_lemmaForms.gaveUp();
        if (!equal && !m_lemmaForms.gaveUp() && isFloat(element)) {
            ConstantMatcher matcher(m_store, m_lemmaForms, unit, MaxConstantElements, m_expiry);
            ConstantMatch match = matcher.compare(left, right, box);
            equal = (match.outcome == ConstantMatch::Outcome::Exact || match.outcome == ConstantMatch::Outcome::Rounded) && consistent(match);
            if (equal) {
                if (match.outcome == ConstantMatch::Outcome::Rounded) {
                    step.strength = Strength::Rounded;
                }
                step.match.gaps.insert(step.match.gaps.end(), match.gaps.begin(), match.gaps.end());
                step.match.discontinuous = step.match.discontinuous || match.discontinuous;
            } else if (reason != nullptr && reason->empty()) {
                *reason = match.outcome == ConstantMatch::Outcome::TooLarge ? "size: " + match.where : match.where;
            }
        }
        if (equal) {
            for (const TermId term : m_lemmaForms.opened()) {
                used.insert(term);
            }
            step.opened = std::max(step.opened, opened.size());
            return true;
        }
        if (m_expiry()) {
            return false;
        }
        if (windows && m_lemmaForms.usedWindows()) {
            windows = false; // the same with the lemma's space cut where zeros begin
            --round;
            continue;
        }
        windows = true;
        // Open what only one side reads, nearest first; if both read the same, the nearest of all.
        const std::vector<TermId> mine = cutsIn(left, sources);
        const std::vector<TermId> theirs = cutsIn(right, sources);
        std::vector<TermId> choice;
        std::set_symmetric_difference(mine.begin(), mine.end(), theirs.begin(), theirs.end(), std::back_inserter(choice));
        if (choice.empty()) {
            choice = mine;
        }
        if (choice.empty()) {
            return false;
        }
        const auto nearest = std::max_element(choice.begin(), choice.end(), [&](TermId x, TermId y) { return m_position[x] < m_position[y]; });
        opened.insert(*nearest);
    }
    return false;
}

std::optional<std::size_t> Sweep::lemma(TermId reference, TermId rewritten, std::string* reason) {
    if (!m_store.hasShape(reference) || !m_store.hasShape(rewritten) || !(m_store.type(reference) == m_store.type(rewritten))) {
        return std::nullopt;
    }
    Lemma step;
    step.reference = reference;
    step.rewritten = rewritten;
    std::set<TermId> used;
    std::size_t boxes = 1;
    const Shape shape = m_store.shape(reference);
    View identity{Dim(0), {}};
    if (const Dim count = elementCount(shape); !count.is(1)) {
        identity.modes.push_back(Mode{count, Dim(1)});
    }
    if (!compare(step, identity, shape, used, boxes, reason)) {
        return std::nullopt;
    }
    step.boxes = boxes;
    for (const TermId term : used) {
        addUses(step.uses, term, nullptr);
    }
    m_lemmas.push_back(std::move(step));
    return m_lemmas.size() - 1;
}

void Sweep::run(const std::function<bool(TermId)>& skip) {
    findDefined(skip);
    // The reference's own values too: one that equals an earlier one is read as that.
    for (std::size_t k = 0; k < m_order.size(); ++k) {
        if (m_expiry()) {
            return;
        }
        const TermId term = m_order[k];
        const TermKind kind = m_store.kind(term);
        if (m_merged.contains(term) || kind == TermKind::View || kind == TermKind::Constant || kind == TermKind::Input || skip(term)) {
            continue;
        }
        Merge merge;
        std::vector<std::size_t> uses;
        Strength strength = Strength::Exact;
        if (std::optional<TermId> same = congruent(term, uses, strength); same && m_position[*same] < k) {
            addUses(uses, *same, &strength);
            same = representativeOf(*same);
            m_merged.emplace(term, Merge{*same, std::nullopt, uses, strength});
            m_shared.insert(*same);
            continue;
        }
        const auto beliefs = m_beliefs.find(term);
        if (beliefs == m_beliefs.end()) {
            continue;
        }
        const std::vector<TermId> list = beliefs->second;
        bool proved = false;
        std::string why;
        for (const TermId believed : list) {
            const TermId candidate = representativeOf(believed);
            if (candidate == term || m_position[candidate] >= k || skip(candidate)) {
                continue;
            }
            if (const std::optional<std::size_t> step = lemma(candidate, term, m_firstFailure ? nullptr : &why)) {
                Strength total = m_lemmas[*step].strength;
                for (const std::size_t use : m_lemmas[*step].uses) {
                    total = std::max(total, m_lemmas[use].strength);
                }
                // A class is one value: what its first member was proved equal to holds for all.
                m_merged.emplace(term, Merge{candidate, step, m_lemmas[*step].uses, total});
                m_shared.insert(candidate);
                proved = true;
                break;
            }
        }
        if (!proved && !m_firstFailure && !list.empty() && k >= m_boundary) {
            m_firstFailure = Failure{list.front(), term, why};
        }
    }
}

Sweep::Proof Sweep::prove(TermId reference, TermId rewritten) {
    Proof proof;
    const TermId a = m_definitions.defined(reference);
    const TermId b = m_definitions.defined(rewritten);
    std::optional<std::size_t> step;
    if (a == b) {
        proof.holds = true;
        return proof;
    }
    if (representativeOf(b) == representativeOf(a)) {
        proof.holds = true;
        addUses(proof.lemmas, a, &proof.strength);
        addUses(proof.lemmas, b, &proof.strength);
        return proof;
    }
    step = lemma(a, b, &proof.reason);
    if (!step) {
        return proof;
    }
    proof.holds = true;
    proof.strength = m_lemmas[*step].strength;
    for (const std::size_t use : m_lemmas[*step].uses) {
        addUnique(proof.lemmas, use);
        proof.strength = std::max(proof.strength, m_lemmas[use].strength);
    }
    addUnique(proof.lemmas, *step);
    return proof;
}

} // namespace lemmascope
