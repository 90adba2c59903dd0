#include "core/prove/sweep.h"

#include "core/term/view.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace lemmascope {

namespace {

constexpr std::size_t MaxBeliefs = 3;
constexpr std::size_t QuickFailures = 2;
constexpr std::size_t QuickOpenings = 1;
constexpr std::size_t ManyFailures = 8; ///< what follows is opened less deep
constexpr std::size_t AllFailures = 24; ///< what follows is not tried
constexpr std::size_t MaxOpenings = 8;
constexpr std::size_t FewOpenings = 3;
constexpr int AlignDepth = 2;

} // namespace

Sweep::Sweep(TermStore& store, ExactTerms& definitions, std::function<bool()> expiry)
    : m_store(store), m_definitions(definitions), m_move(store), m_lemmaForms(store, FormStore::Limits{2'000, 60'000}), m_expiry(std::move(expiry)),
      m_copies(store, m_lemmaForms.forms(), [this](TermId term) { return signOf(term); }) {
    m_lemmaForms.forms().setSigns([this](TermId term) { return signOf(term); });
}

FormStore::Sign Sweep::signOf(TermId term) const {
    if (m_copies.isValue(term)) {
        return m_copies.signOf(term);
    }
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
    for (const TermId term : m_order) {
        if (m_store.kind(term) != TermKind::Apply || !m_store.isElementwise(term) || !isFloat(m_store.type(term).element) || m_expiry()) {
            continue;
        }
        const std::string& name = m_store.op(term).name;
        const bool partial = name == "Div" || name == "Sqrt" || name == "Log" || name == "Pow" || name == "Reciprocal";
        if (!partial || skip(term)) {
            continue;
        }
        const KnownFacts facts = factsOf(term);
        if (facts.defined) {
            m_lemmaForms.forms().markDefined(term);
            if (facts.sign != FormStore::Sign::Unknown) {
                m_signs.emplace(term, facts.sign);
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
    TermId a = m_definitions.defined(reference);
    TermId b = m_definitions.defined(rewritten);
    if (a == b || !m_position.contains(a) || !m_position.contains(b) || !(m_store.type(a).shape == m_store.type(b).shape) || !m_store.hasShape(a) ||
        m_store.type(a).element != m_store.type(b).element) {
        return;
    }
    if (m_position[a] > m_position[b]) {
        std::swap(a, b); // a value that the reference computes in two ways: the later is read as the earlier
    }
    std::vector<TermId>& list = m_beliefs[b];
    if (list.size() < MaxBeliefs && std::find(list.begin(), list.end(), a) == list.end()) {
        list.push_back(a);
    }
}

void Sweep::addStepOf(TermId term, std::vector<std::size_t>& uses) const {
    if (const auto at = m_merged.find(term); at != m_merged.end()) {
        uses.push_back(at->second.step);
    }
}

std::size_t Sweep::addStep(std::optional<std::size_t> lemma, std::vector<std::size_t> uses) {
    std::sort(uses.begin(), uses.end());
    uses.erase(std::unique(uses.begin(), uses.end()), uses.end());
    Step step{lemma, std::move(uses), lemma ? m_lemmas[*lemma].strength : Strength::Exact};
    for (const std::size_t use : step.uses) {
        step.strength = std::max(step.strength, m_steps[use].strength);
    }
    m_steps.push_back(std::move(step));
    return m_steps.size() - 1;
}

TermId Sweep::representativeOf(TermId term) const {
    // Merged terms point to terms that are not merged themselves when they are merged, and those come earlier: no chains.
    const auto at = m_merged.find(term);
    return at == m_merged.end() ? term : at->second.representative;
}

std::optional<TermId> Sweep::congruent(TermId term, std::vector<std::size_t>& uses) {
    const std::vector<TermId> operands(m_store.operands(term).begin(), m_store.operands(term).end());
    if (operands.empty()) {
        return std::nullopt;
    }
    std::vector<TermId> merged;
    for (const TermId operand : operands) {
        const auto at = m_merged.find(operand);
        merged.push_back(at == m_merged.end() ? operand : at->second.representative);
        addStepOf(operand, uses);
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
    std::vector<std::size_t> uses;
    for (const TermId term : used) {
        addStepOf(term, uses);
    }
    m_lemmas.push_back(std::move(step));
    return addStep(m_lemmas.size() - 1, std::move(uses));
}

bool Sweep::tryOperands(TermId reference, TermId rewritten, const std::function<bool(TermId)>& skip, int depth) {
    const TermId candidate = representativeOf(reference);
    if (candidate == rewritten || inReference(rewritten) || m_merged.contains(rewritten) || !m_position.contains(rewritten) ||
        !inReference(candidate) || !(m_store.type(candidate) == m_store.type(rewritten)) || skip(candidate) || skip(rewritten) || m_expiry()) {
        return false;
    }
    if (m_store.kind(rewritten) == TermKind::View) {
        const bool alike = m_store.kind(candidate) == TermKind::View && m_store.term(candidate).payload == m_store.term(rewritten).payload;
        return alike && tryOperands(m_store.operands(candidate)[0], m_store.operands(rewritten)[0], skip, depth);
    }
    if (m_store.kind(rewritten) != TermKind::Apply || !m_tried.emplace(candidate, rewritten).second) {
        return false;
    }
    std::optional<std::size_t> step = lemma(candidate, rewritten, nullptr);
    if (!step && depth > 0 && alignOperands(candidate, rewritten, skip, depth - 1)) {
        step = lemma(candidate, rewritten, nullptr);
    }
    if (step) {
        m_merged.emplace(rewritten, Merge{candidate, *step});
        m_shared.insert(candidate);
    }
    return step.has_value();
}

bool Sweep::alignOperands(TermId reference, TermId rewritten, const std::function<bool(TermId)>& skip, int depth) {
    if (m_store.kind(reference) != TermKind::Apply || m_store.kind(rewritten) != TermKind::Apply ||
        m_store.op(reference).name != m_store.op(rewritten).name) {
        return false;
    }
    const std::vector<TermId> mine(m_store.operands(reference).begin(), m_store.operands(reference).end());
    const std::vector<TermId> theirs(m_store.operands(rewritten).begin(), m_store.operands(rewritten).end());
    if (mine.size() != theirs.size()) {
        return false;
    }
    bool any = false;
    for (std::size_t k = 0; k < mine.size(); ++k) {
        any = tryOperands(mine[k], theirs[k], skip, depth) || any;
    }
    const std::string& name = m_store.op(reference).name;
    if (!any && mine.size() == 2 && (name == "Add" || name == "Mul")) {
        any = tryOperands(mine[0], theirs[1], skip, depth) || any;
        any = tryOperands(mine[1], theirs[0], skip, depth) || any;
    }
    return any;
}

void Sweep::run(const std::function<bool(TermId)>& skip, Effort effort) {
    if (!m_started) {
        findDefined(skip);
        m_started = true;
    }
    m_effort = effort;
    m_openings = effort == Effort::Quick ? QuickOpenings : MaxOpenings;
    m_firstFailure.reset();
    std::size_t failures = 0; // in a row: names may deceive here and there, but behind a difference all fail
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
        std::vector<std::size_t> uses;
        if (std::optional<TermId> same = congruent(term, uses); same && m_position[*same] < k) {
            addStepOf(*same, uses);
            same = representativeOf(*same);
            m_merged.emplace(term, Merge{*same, addStep(std::nullopt, std::move(uses))});
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
            std::optional<std::size_t> step = lemma(candidate, term, m_firstFailure ? nullptr : &why);
            if (!step && effort == Effort::Full && alignOperands(candidate, term, skip, AlignDepth)) {
                step = lemma(candidate, term, nullptr);
            }
            if (step) {
                // A class is one value: what its first member was proved equal to holds for all.
                m_merged.emplace(term, Merge{candidate, *step});
                m_shared.insert(candidate);
                proved = true;
                failures = 0;
                break;
            }
        }
        if (!proved && !m_firstFailure && !list.empty() && k >= m_boundary) {
            m_firstFailure = Failure{list.front(), term, why};
        }
        failures += proved ? 0 : 1;
        if (failures > (effort == Effort::Quick ? QuickFailures : AllFailures)) {
            break;
        }
        m_openings = effort == Effort::Quick ? QuickOpenings : failures > ManyFailures ? FewOpenings : MaxOpenings;
    }
    m_openings = MaxOpenings;
}

Sweep::Proof Sweep::prove(TermId reference, TermId rewritten) {
    Proof proof;
    const TermId a = m_definitions.defined(reference);
    const TermId b = m_definitions.defined(rewritten);
    if (a == b) {
        proof.holds = true;
        return proof;
    }
    std::vector<std::size_t> work;
    if (representativeOf(b) == representativeOf(a)) {
        addStepOf(a, work);
        addStepOf(b, work);
    } else if (m_effort == Effort::Quick) {
        return proof; // what was believed was tried
    } else if (const std::optional<std::size_t> step = lemma(a, b, &proof.reason)) {
        work.push_back(*step);
    } else {
        return proof;
    }
    proof.holds = true;
    std::set<std::size_t> seen;
    while (!work.empty()) {
        const std::size_t index = work.back();
        work.pop_back();
        if (!seen.insert(index).second) {
            continue;
        }
        const Step& step = m_steps[index];
        proof.strength = std::max(proof.strength, step.strength);
        if (step.lemma) {
            proof.lemmas.push_back(*step.lemma);
        }
        work.insert(work.end(), step.uses.begin(), step.uses.end());
    }
    std::sort(proof.lemmas.begin(), proof.lemmas.end()); // what a lemma rests on comes before it
    return proof;
}

} // namespace lemmascope
