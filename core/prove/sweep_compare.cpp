// One lemma of a sweep: both sides down to what is merged so far, opened where that hides too much.

#include "core/prove/sweep.h"

#include "core/term/view.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr std::size_t MaxBoxes = 200;
constexpr std::size_t CheckedBoxes = 4; ///< of one lemma get a second look each
constexpr std::size_t MaxConstantElements = 4'000'000;
constexpr std::size_t MaxFar = 24; ///< elementwise terms below a partial op that are looked into

} // namespace

Sweep::KnownFacts Sweep::factsOf(TermId term) {
    FormStore& forms = m_lemmaForms.forms();
    std::size_t visited = 0;
    const auto far = [&](TermId other) -> std::optional<TermId> {
        const bool cut = other != term && m_store.kind(other) == TermKind::Apply && (!m_store.isElementwise(other) || ++visited > MaxFar);
        return cut ? std::optional<TermId>(other) : std::nullopt;
    };
    const LemmaCopies::Copy copy = m_copies.make(term, term, far, false);
    if (const auto at = m_knownFacts.find(copy.reference); at != m_knownFacts.end()) {
        return at->second;
    }
    m_lemmaForms.start([this](TermId t) { return m_copies.isValue(t) ? std::optional<TermId>(t) : std::nullopt; }, m_expiry);
    const std::optional<Scalar> value = m_lemmaForms.at(copy.reference);
    KnownFacts facts;
    if (value && forms.alwaysDefined(*value)) {
        facts.defined = true;
        facts.sign = forms.isPositive(*value)      ? FormStore::Sign::Positive
                     : forms.isNonNegative(*value) ? FormStore::Sign::NonNegative
                                                   : FormStore::Sign::Unknown;
    }
    if (value || !m_expiry()) {
        m_knownFacts.emplace(copy.reference, facts);
    }
    return facts;
}

std::vector<TermId> Sweep::valuesIn(Scalar scalar) {
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
        const TermId source = m_store.sourceOf(leaf);
        if (m_copies.isValue(source)) {
            out.insert(source);
            continue;
        }
        // opaque applications and forms hide what they read
        const auto operands = m_store.operands(source);
        work.insert(work.end(), operands.begin(), operands.end());
    }
    return {out.begin(), out.end()};
}

const Sweep::Known* Sweep::judge(const LemmaCopies::Copy& copy, bool withConstants, bool windows, bool check) {
    const auto key = std::make_tuple(copy.reference, copy.rewritten, windows);
    const auto at = m_known.find(key);
    const bool final = at != m_known.end() && (at->second.outcome != Known::Outcome::Different || !withConstants || at->second.match);
    if (final) {
        return &at->second;
    }
    const ElementType element = m_store.type(copy.reference).element;
    const Shape box = m_store.shape(copy.reference);
    m_lemmaForms.start([this](TermId t) { return m_copies.isValue(t) ? std::optional<TermId>(t) : std::nullopt; }, m_expiry, true, windows);
    const std::optional<Scalar> first = m_lemmaForms.at(copy.reference);
    std::optional<LemmaForms::SpaceCut> needed = m_lemmaForms.needs();
    std::optional<Scalar> second;
    if (first) {
        second = m_lemmaForms.at(copy.rewritten);
        needed = m_lemmaForms.needs();
    }
    Known known;
    if (!first || !second) {
        known.outcome = needed ? Known::Outcome::Split : Known::Outcome::TooLarge;
        known.cut = needed.value_or(LemmaForms::SpaceCut{});
        known.reason = "size: the exact normal form passed its budget";
        return m_expiry() ? nullptr : &m_known.insert_or_assign(key, std::move(known)).first->second;
    }
    bool exact = false;
    const bool equal = m_lemmaForms.forms().equalScalars(*first, *second) || m_lemmaForms.equalWithProductsJoined(*first, *second, box);
    if (equal && !m_lemmaForms.gaveUp()) {
        known.outcome = Known::Outcome::Equal;
        exact = true;
    } else if (withConstants && !m_lemmaForms.gaveUp() && isFloat(element)) {
        const double unit = isComputable(element) ? std::ldexp(1.0, -static_cast<int>(significandBits(element))) : 0x1p-24;
        ConstantMatcher matcher(m_store, m_lemmaForms, unit, MaxConstantElements, m_expiry);
        known.match = matcher.compare(*first, *second, box);
        exact = known.match->outcome == ConstantMatch::Outcome::Exact;
        known.reason = known.match->outcome == ConstantMatch::Outcome::TooLarge ? "size: " + known.match->where : known.match->where;
    } else if (withConstants) {
        known.match.emplace();
    }
    if (m_expiry()) {
        return nullptr;
    }
    known.usedWindows = m_lemmaForms.usedWindows();
    known.read = m_lemmaForms.opened();
    std::sort(known.read.begin(), known.read.end());
    known.read.erase(std::unique(known.read.begin(), known.read.end()), known.read.end());
    if (known.outcome == Known::Outcome::Different) {
        known.mine = valuesIn(*first);
        known.theirs = valuesIn(*second);
    }
    if (exact && check && m_contradicts) {
        std::set<TermId> nonNegative;
        for (const TermId value : known.read) {
            if (m_copies.signOf(value) != FormStore::Sign::Unknown) {
                nonNegative.insert(value);
            }
        }
        if (m_contradicts(copy.reference, copy.rewritten, nonNegative)) {
            known.outcome = Known::Outcome::Different;
            known.match.emplace();
            known.reason = "internal: a proof and random samples disagree; please report these two graphs";
        }
    }
    return &m_known.insert_or_assign(key, std::move(known)).first->second;
}

bool Sweep::compare(Lemma& step, const View& view, const Shape& box, std::set<TermId>& used, std::size_t& boxes, std::string* reason) {
    const bool whole = box == m_store.shape(step.reference) && isIdentity(view, elementCount(box));
    const TermId a = whole ? step.reference : m_move.view(step.reference, view, box);
    const TermId b = whole ? step.rewritten : m_move.view(step.rewritten, view, box);
    std::set<TermId> opened;
    const bool within = inReference(step.rewritten); // both are the reference's: so is all they read
    const auto explain = [&](const std::string& text) {
        if (reason != nullptr && reason->empty()) {
            *reason = text;
        }
    };
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
        const bool small = kind == TermKind::Input || kind == TermKind::Constant || kind == TermKind::View || kind == TermKind::Bound;
        return small && to == term ? std::nullopt : std::optional<TermId>(to);
    };
    bool windows = true;
    for (std::size_t round = 0; round <= m_openings; ++round) {
        // First with stored tensors as any tensors, which repeated layers have in common; then as what they are.
        LemmaCopies::Copy copy = m_copies.make(a, b, cut, true);
        const Known* known = judge(copy, !copy.hidesConstants, windows, boxes <= CheckedBoxes);
        if (known != nullptr && known->outcome == Known::Outcome::Different && copy.hidesConstants) {
            // Repeated layers differ in their constants alone: one of them is looked at twice.
            const auto pattern = std::make_pair(copy.reference, copy.rewritten);
            copy = m_copies.make(a, b, cut, false);
            known = judge(copy, true, windows, boxes <= CheckedBoxes && !m_looked.contains(pattern));
            if (known != nullptr &&
                (known->outcome == Known::Outcome::Equal || (known->match && known->match->outcome == ConstantMatch::Outcome::Exact))) {
                m_looked.insert(pattern);
            }
        }
        if (known == nullptr) {
            explain("time");
            return false;
        }
        if (known->outcome == Known::Outcome::TooLarge) {
            explain(known->reason);
            return false;
        }
        if (known->outcome == Known::Outcome::Split) {
            if (boxes >= MaxBoxes) {
                explain("boxes: more than 200 pieces");
                return false;
            }
            ++boxes;
            const LemmaForms::SpaceCut needed = known->cut;
            if (needed.digit) {
                // An axis that steps through a join over and over is two axes: the same elements in the same order.
                const std::optional<Dim> outer = Dim::exactQuotient(box[needed.axis], needed.position);
                if (!outer || outer->is(1) || needed.position.is(1)) {
                    return false;
                }
                Shape digits = box;
                digits[needed.axis] = needed.position;
                digits.insert(digits.begin() + static_cast<std::ptrdiff_t>(needed.axis), *outer);
                return compare(step, view, digits, used, boxes, reason);
            }
            // Joins meet inside an axis of the result: below and above it are lemmas of their own.
            const std::vector<Dim> strides = contiguousStrides(box);
            for (const bool below : {true, false}) {
                Shape part = box;
                part[needed.axis] = below ? needed.position : box[needed.axis] - needed.position;
                const View inner = fromAxisStrides(below ? Dim(0) : needed.position * strides[needed.axis], part, strides);
                const std::optional<View> both = composed(view, inner);
                if (!both || !compare(step, *both, part, used, boxes, reason)) {
                    return false;
                }
            }
            return true;
        }
        bool equal = known->outcome == Known::Outcome::Equal;
        if (!equal && known->match) {
            const ConstantMatch& match = *known->match;
            const bool rounded = match.outcome == ConstantMatch::Outcome::Rounded && m_effort == Effort::Full;
            equal = (match.outcome == ConstantMatch::Outcome::Exact || rounded) && consistent(match);
            if (equal) {
                step.strength = rounded ? Strength::Rounded : step.strength;
                step.match.gaps.insert(step.match.gaps.end(), match.gaps.begin(), match.gaps.end());
                step.match.discontinuous = step.match.discontinuous || match.discontinuous;
            } else {
                explain(known->reason);
            }
        }
        if (equal) {
            for (const LemmaCopies::Copy::Replacement& place : copy.replacements) {
                if (!place.input.isValid() || std::binary_search(known->read.begin(), known->read.end(), place.input)) {
                    used.insert(place.term);
                }
            }
            step.opened = std::max(step.opened, opened.size());
            if (whole) {
                step.statedReference = copy.reference;
                step.statedRewritten = copy.rewritten;
            }
            return true;
        }
        if (windows && known->usedWindows) {
            windows = false; // the same with the lemma's space cut where zeros begin
            --round;
            continue;
        }
        windows = true;
        // Open what only one side reads, nearest first; if both read the same, the nearest of all.
        std::vector<TermId> choice;
        std::set_symmetric_difference(known->mine.begin(), known->mine.end(), known->theirs.begin(), known->theirs.end(), std::back_inserter(choice));
        const auto originals = [&](const std::vector<TermId>& inputs) {
            std::vector<TermId> out;
            for (const LemmaCopies::Copy::Replacement& place : copy.replacements) {
                const TermKind kind = m_store.kind(place.value);
                if ((kind == TermKind::Apply || kind == TermKind::Concat) && std::binary_search(inputs.begin(), inputs.end(), place.input)) {
                    out.push_back(place.value);
                }
            }
            return out;
        };
        choice = originals(choice);
        if (choice.empty()) {
            choice = originals(known->mine);
        }
        if (choice.empty()) {
            return false;
        }
        opened.insert(*std::max_element(choice.begin(), choice.end(), [&](TermId x, TermId y) { return m_position[x] < m_position[y]; }));
    }
    return false;
}

} // namespace lemmascope
