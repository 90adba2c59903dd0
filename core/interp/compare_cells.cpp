// Cells whose terms differ: grouped, tried on inputs, and told in families.

#include "core/base/digest.h"
#include "core/interp/comparison.h"
#include "core/interp/families.h"
#include "core/interp/term_graph.h"
#include "core/program/number.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <unordered_map>

namespace lemmascope::interp {

namespace {

/// Work spent on seeing that two pairs are one but for the names of leaves; past it every pair is a class of its own.
constexpr std::uint64_t CanonicalBudget = 10'000'000;
constexpr std::size_t LargestCanonical = 200'000;
/// Terms bounded one pair after the other, once there is a counterexample.
constexpr std::uint64_t EncloseBudget = 2'000'000;
/// Terms bounded all at once: 44 bytes each.
constexpr std::size_t LargestWide = 10'000'000;

/// Pairs up to renaming of leaves. Operands that may be exchanged are visited in the order of a hash that does not see names.
class Canonical {
  public:
    explicit Canonical(const TermDag& dag) : m_dag(dag) {}

    std::optional<Digest128> of(Term reference, Term rewritten) {
        if (m_spent > CanonicalBudget) {
            return std::nullopt;
        }
        (void)shape(std::max(reference, rewritten));
        m_numbers.resize(m_shapes.size());
        m_epochs.resize(m_shapes.size());
        ++m_epoch;
        m_count = 0;
        m_leafCount = 0;
        m_text.clear();
        const bool whole = visit(reference) && visit(rewritten);
        m_spent += m_count;
        if (!whole) {
            return std::nullopt;
        }
        m_text.push_back(m_numbers[reference]);
        m_text.push_back(m_numbers[rewritten]);
        return contentDigest(std::as_bytes(std::span(m_text)));
    }

  private:
    std::uint64_t shape(Term term) {
        if (m_shapes.size() < m_dag.size()) {
            const auto first = static_cast<Term>(m_shapes.size());
            m_shapes.resize(m_dag.size());
            for (Term t = first; t < m_shapes.size(); ++t) {
                const TermNode& n = m_dag.node(t);
                std::uint64_t h = static_cast<std::uint64_t>(n.kind) | static_cast<std::uint64_t>(n.op) << 8 | std::uint64_t{n.type.code} << 16 |
                                  std::uint64_t{n.aux} << 24;
                const bool exchange = n.kind == TermKind::Apply && isCommutative(n.op);
                std::uint64_t sum = 0;
                for (const Term operand : m_dag.operands(n)) {
                    const std::uint64_t x = m_shapes[operand] * 0x9E3779B97F4A7C15ULL;
                    if (exchange) {
                        sum += x ^ (x >> 31);
                    } else {
                        sum = (sum ^ x) * 0xBF58476D1CE4E5B9ULL;
                        sum ^= sum >> 29;
                    }
                }
                if (n.kind == TermKind::Forgotten) {
                    h ^= m_dag.digest(t).low;
                }
                if (n.kind == TermKind::Constant || n.kind == TermKind::Open) {
                    h ^= (std::uint64_t{n.a} << 32) * 0x94D049BB133111EBULL + (n.kind == TermKind::Constant ? n.b : 0);
                }
                m_shapes[t] = (h + sum) * 0xD1B54A32D192ED03ULL;
            }
        }
        return m_shapes[term];
    }

    /// Operands in an order that does not depend on names.
    std::span<const Term> ordered(const TermNode& n, std::array<Term, 2>& exchanged) {
        const std::span<const Term> operands = m_dag.operands(n);
        if (n.kind == TermKind::Apply && isCommutative(n.op) && shape(operands[1]) < shape(operands[0])) {
            exchanged = {operands[1], operands[0]};
            return exchanged;
        }
        return operands;
    }

    bool visit(Term root) {
        m_stack.assign(1, {root, false});
        while (!m_stack.empty()) {
            const auto [term, done] = m_stack.back();
            m_stack.pop_back();
            if (m_epochs[term] == m_epoch) {
                continue;
            }
            const TermNode& n = m_dag.node(term);
            std::array<Term, 2> exchanged{};
            const std::span<const Term> order = ordered(n, exchanged);
            if (!done && !order.empty()) {
                m_stack.emplace_back(term, true);
                for (std::size_t i = order.size(); i-- > 0;) {
                    if (m_epochs[order[i]] != m_epoch) {
                        m_stack.emplace_back(order[i], false);
                    }
                }
                continue;
            }
            m_text.push_back(static_cast<std::uint32_t>(n.kind) | static_cast<std::uint32_t>(n.op) << 8 |
                             static_cast<std::uint32_t>(n.type.code) << 16 | static_cast<std::uint32_t>(n.aux) << 24);
            if (n.kind == TermKind::Constant) {
                m_text.push_back(n.a);
                m_text.push_back(n.b);
            } else if (n.kind == TermKind::Leaf) {
                m_text.push_back(m_leafCount++); // every term is met once
            } else if (n.kind == TermKind::Forgotten) {
                for (const std::uint64_t half : {m_dag.digest(term).high, m_dag.digest(term).low}) {
                    m_text.push_back(static_cast<std::uint32_t>(half));
                    m_text.push_back(static_cast<std::uint32_t>(half >> 32));
                }
            } else {
                if (n.kind == TermKind::Open) {
                    m_text.push_back(n.a);
                }
                for (const Term operand : order) {
                    m_text.push_back(m_numbers[operand]);
                }
            }
            m_epochs[term] = m_epoch;
            m_numbers[term] = m_count++;
            if (m_count > LargestCanonical) {
                return false;
            }
        }
        return true;
    }

    const TermDag& m_dag;
    std::uint64_t m_spent = 0;
    std::vector<std::uint64_t> m_shapes;
    // By term, of the present pair where the epoch is its own.
    std::vector<std::uint32_t> m_numbers;
    std::vector<std::uint32_t> m_epochs;
    std::uint32_t m_epoch = 0;
    std::uint32_t m_count = 0;
    std::uint32_t m_leafCount = 0;
    std::vector<std::pair<Term, bool>> m_stack;
    std::vector<std::uint32_t> m_text;
};

} // namespace

void Comparison::collectClasses() {
    Canonical canonical(*m_dag);
    std::unordered_map<Digest128, std::size_t> byDigest;
    std::unordered_map<std::uint64_t, std::size_t> byTerms;
    m_unwritten.resize(m_pairs.size());
    std::vector<std::uint32_t> forgotten(m_pairs.size(), None);
    for (std::size_t output = 0; output < m_pairs.size(); ++output) {
        const LiveOut& a = *m_pairs[output].reference;
        const LiveOut& b = *m_pairs[output].rewritten;
        for (std::uint64_t i = 0; i < a.cells.size(); ++i) {
            const Cell& x = a.cells[i];
            const Cell& y = b.cells[i];
            if (x.term == Unwritten) {
                ++m_unspecified;
                continue;
            }
            if (y.term == Unwritten) {
                m_unwritten[output].push_back(i);
                continue;
            }
            if (x.term == y.term && (x.term != NoTerm || sameValue(a.type, x.bits, y.bits))) {
                continue;
            }
            const Term s = x.term != NoTerm ? x.term : m_dag->constant(a.type, x.bits);
            const Term t = y.term != NoTerm ? y.term : m_dag->constant(a.type, y.bits);
            if (m_dag->node(s).kind == TermKind::Forgotten && m_dag->node(t).kind == TermKind::Forgotten) {
                // Nothing is known of them but that they differ: one class an output, taken apart by numbers.
                if (forgotten[output] == None) {
                    forgotten[output] = static_cast<std::uint32_t>(m_classes.size());
                    PairClass& made = m_classes.emplace_back();
                    made.reference = s;
                    made.rewritten = t;
                    made.isForgotten = true;
                }
                m_classes[forgotten[output]].cells.emplace_back(output, i);
                continue;
            }
            const auto [known, isNewPair] = byTerms.try_emplace((std::uint64_t{s} << 32) | t, m_classes.size());
            if (!isNewPair) {
                m_classes[known->second].cells.emplace_back(output, i);
                continue;
            }
            if (const std::optional<Digest128> digest = canonical.of(s, t)) {
                const auto [same, isNew] = byDigest.try_emplace(*digest, m_classes.size());
                if (!isNew) {
                    known->second = same->second;
                    m_classes[same->second].cells.emplace_back(output, i);
                    continue;
                }
            }
            PairClass made;
            made.reference = s;
            made.rewritten = t;
            made.cells.emplace_back(output, i);
            if (m_dag->mayBeUninitialised(s) || m_dag->mayBeUninitialised(t)) {
                made.state = PairClass::State::Undecided;
                made.reason = "whether the cell is written depends on data";
            }
            m_classes.push_back(std::move(made));
        }
    }
}

Result<bool> Comparison::confirmFault(const Inputs& inputs) {
    Result<std::pair<RunResult, RunResult>> both = runConcretely(inputs);
    if (!both) {
        return tl::unexpected(both.error());
    }
    const auto& [reference, rewritten] = *both;
    if (reference.end != RunResult::End::Finished || reference.poison || reference.usedOpenFunction || rewritten.end != RunResult::End::Faulted ||
        rewritten.usedOpenFunction) {
        return false;
    }
    describeInputs(inputs);
    m_made.result.fault = faultReport(*rewritten.fault, Side::Rewritten);
    refute(rewritten.fault->kind == FaultKind::Uninitialised ? RefutationKind::Uninitialised : RefutationKind::OutOfRange, rewritten.fault->text());
    return true;
}

Result<bool> Comparison::confirmValue(const Inputs& inputs, const PairClass& pair, const TermValues& values) {
    const std::optional<Enclosures> bounds = enclose(*m_dag, pair.reference, pair.rewritten, values);
    if (!bounds || !bounds->apart) {
        return false;
    }
    const auto [output, cell] = pair.cells.front();
    const auto confirm = [&, output = output, cell = cell](const Inputs& tried) -> Result<bool> {
        const Result<std::pair<RunResult, RunResult>> both = runConcretely(tried);
        if (!both) {
            return tl::unexpected(both.error());
        }
        const auto made = madeBy(*both, m_pairs[output]);
        if (!made || cell >= made->first->cells.size() || made->second->cells[cell].term == Unwritten ||
            sameValue(made->first->type, made->first->cells[cell].bits, made->second->cells[cell].bits)) {
            return false;
        }
        tell(tried, output, cell, *made->first, *made->second);
        return true;
    };
    Result<bool> confirmed = confirm(inputs);
    if (confirmed && *confirmed) {
        if (const Inputs simple = simplified(inputs, pair); simple != inputs) {
            if (const Result<bool> again = confirm(simple); !again) { // else what was found first stays told
                return again;
            }
        }
    }
    return confirmed;
}

std::optional<std::pair<const LiveOut*, const LiveOut*>> Comparison::madeBy(const std::pair<RunResult, RunResult>& runs, const Paired& where) const {
    const auto& [reference, rewritten] = runs;
    if (reference.end != RunResult::End::Finished || reference.poison || reference.usedOpenFunction || rewritten.end != RunResult::End::Finished ||
        rewritten.usedOpenFunction) {
        return std::nullopt;
    }
    const auto find = [&](const RunResult& run, std::size_t index) -> const LiveOut* {
        const std::size_t count = where.list == OutputComparison::List::Results     ? run.results.size()
                                  : where.list == OutputComparison::List::Arguments ? run.arguments.size()
                                                                                    : run.globals.size();
        return index < count ? &liveOut(run, where.list, index) : nullptr;
    };
    const LiveOut* a = find(reference, where.referenceIndex);
    const LiveOut* b = find(rewritten, where.rewrittenIndex);
    if (a == nullptr || b == nullptr || a->cells.size() != b->cells.size() || a->sizes != b->sizes || a->name != where.reference->name) {
        return std::nullopt;
    }
    return std::pair(a, b);
}

void Comparison::tell(const Inputs& inputs, std::size_t output, std::uint64_t cell, const LiveOut& reference, const LiveOut& rewritten) {
    describeInputs(inputs);
    Counterexample& found = *m_made.result.counterexample;
    found.output = m_pairs[output].name;
    found.index = indexOfCell(reference.sizes, cell);
    found.reference = tensorOfOutput(reference);
    found.rewritten = tensorOfOutput(rewritten);
}

Result<bool> Comparison::tryInputs(const Inputs& inputs, std::span<const Term> order) {
    const TermValues values = evaluateTerms(*m_dag, order, [&](Term leaf) {
        const TermNode& n = m_dag->node(leaf);
        return n.b < inputs[n.a].size() ? inputs[n.a][n.b] : std::uint64_t{0};
    });
    for (const Term guard : m_referenceGuards) {
        if (values.bits[guard] != 0 || values.doubtful[guard]) {
            return false; // the reference faults here: nothing is asked
        }
    }
    for (const Fault* fault : m_openFaults) {
        if (!m_decided && values.bits[fault->guard] != 0 && !values.doubtful[fault->guard]) {
            Result<bool> confirmed = confirmFault(inputs);
            if (!confirmed || *confirmed) {
                return confirmed;
            }
            break;
        }
    }
    // Bounds of all terms at once, every operation rounded: where these are apart, those of the pair alone are.
    std::optional<WideBounds> wide;
    const auto apart = [&](const PairClass& pair) {
        if (!wide && order.size() <= LargestWide) {
            wide.emplace(*m_dag, order, values);
        }
        if (wide && wide->apart(pair.reference, pair.rewritten)) {
            return true;
        }
        if (m_encloseSteps > EncloseBudget) {
            return false;
        }
        const auto bounds = enclose(*m_dag, pair.reference, pair.rewritten, values, &m_encloseSteps);
        return bounds && bounds->apart;
    };
    bool refuted = false;
    for (PairClass& pair : m_classes) {
        if (pair.cells.empty()) {
            continue; // a fault that is asked about
        }
        const bool settled =
            pair.state == PairClass::State::Proved || pair.state == PairClass::State::Refuted || pair.state == PairClass::State::Undecided;
        if (settled || values.doubtful[pair.reference] || values.doubtful[pair.rewritten]) {
            continue;
        }
        const ValueType type = m_dag->node(pair.reference).type;
        const std::uint64_t x = values.bits[pair.reference];
        const std::uint64_t y = values.bits[pair.rewritten];
        if (sameValue(type, x, y)) {
            continue;
        }
        pair.differed = true;
        if (type.isFloat()) {
            const double a = doubleOf(type, x);
            const double b = doubleOf(type, y);
            const double relative = std::fabs(a - b) / std::max(std::fabs(a), 1e-300);
            if (std::isfinite(relative)) {
                pair.relative = std::max(pair.relative, relative);
            }
        }
        if (!m_made.result.counterexample) {
            Result<bool> confirmed = confirmValue(inputs, pair, values);
            if (!confirmed) {
                return confirmed;
            }
            if (*confirmed) {
                pair.state = PairClass::State::Refuted;
                refuted = true;
            }
        } else if (apart(pair)) {
            pair.state = PairClass::State::Refuted;
            refuted = true;
        }
        if (secondsLeft() <= 0) {
            break;
        }
    }
    return refuted;
}

Result<void> Comparison::trySamples() {
    std::vector<Term> roots;
    for (const PairClass& pair : m_classes) {
        roots.push_back(pair.reference);
        roots.push_back(pair.rewritten);
    }
    roots.insert(roots.end(), m_referenceGuards.begin(), m_referenceGuards.end());
    for (const Fault* fault : m_openFaults) {
        roots.push_back(fault->guard);
    }
    const std::vector<Term> order = reached(*m_dag, roots, SIZE_MAX);
    if (std::all_of(m_classes.begin(), m_classes.end(), [](const PairClass& pair) { return pair.isForgotten; }) && m_openFaults.empty()) {
        return {}; // terms have no values
    }
    const std::uint32_t samples = order.size() > 4'000'000 ? 4 : SampleCount;
    bool valueFound = false;
    for (std::uint32_t tried = 0; tried < samples && secondsLeft() > 0; ++tried) {
        // Different numbers in all cells first; the special ones after them.
        constexpr std::array<std::uint32_t, 4> First{0, 8, 11, 13};
        const std::uint32_t sample = tried < First.size() ? First[tried] : tried - static_cast<std::uint32_t>(First.size()) + 1;
        const Result<bool> refuted = tryInputs(sampleInputs(sample), order);
        if (!refuted) {
            return tl::unexpected(refuted.error());
        }
        if (m_decided) {
            return {}; // a fault
        }
        valueFound = valueFound || *refuted;
        // Some more inputs show which other cells differ; then the picture is good enough.
        if (valueFound && tried + 1 >= First.size() && std::none_of(m_classes.begin(), m_classes.end(), [](const PairClass& pair) {
                return pair.state == PairClass::State::Open && pair.differed;
            })) {
            break;
        }
    }
    return {};
}

Result<void> Comparison::compareCells() {
    collectClasses();
    for (std::size_t output = 0; output < m_pairs.size(); ++output) {
        if (m_unwritten[output].empty()) {
            continue;
        }
        // Content that only one side defines: as a read by the caller.
        Inputs inputs = sampleInputs(0);
        describeInputs(inputs);
        FaultReport fault;
        fault.access = "read";
        fault.buffer = m_pairs[output].name;
        fault.size = m_pairs[output].reference->sizes;
        fault.index = indexOfCell(fault.size, m_unwritten[output].front());
        fault.node = "return";
        m_made.result.fault = fault;
        refute(RefutationKind::Uninitialised, "the rewritten program leaves " +
                                                  familyText(m_pairs[output].name, m_pairs[output].reference->sizes, m_unwritten[output]) +
                                                  " unwritten");
        break;
    }
    std::vector<Term> discharged = m_referenceGuards;
    for (const Fault& fault : m_made.rewritten.conditional) {
        // What the reference's own accesses imply needs no proof.
        if (!std::binary_search(m_referenceGuards.begin(), m_referenceGuards.end(), fault.guard) &&
            std::find(discharged.begin(), discharged.end(), fault.guard) == discharged.end()) {
            discharged.push_back(fault.guard);
            m_openFaults.push_back(&fault);
        }
    }
    if (!m_decided) {
        if (Result<void> tried = trySamples(); !tried) {
            return tried;
        }
    }
    if (!m_decided && m_options.fingerprint) {
        if (Result<void> tried = compareOnNumbers(); !tried) {
            return tried;
        }
    }
    if (!m_decided) {
        if (Result<void> asked = climb(); !asked) {
            return asked;
        }
    }
    finishOutputs();
    checkStrengthOfSharing();
    return traceWrites();
}

void Comparison::finishOutputs() {
    CheckResult& result = m_made.result;
    for (std::size_t output = 0; output < m_pairs.size(); ++output) {
        const Paired& pair = m_pairs[output];
        OutputComparison made;
        made.name = pair.name;
        made.type = pair.reference->type;
        made.sizes = pair.reference->sizes;
        made.list = pair.list;
        made.referenceIndex = pair.referenceIndex;
        made.rewrittenIndex = pair.rewrittenIndex;
        made.unwritten = m_unwritten[output];
        made.referenceAllocation = pair.reference->allocation;
        made.rewrittenAllocation = pair.rewritten->allocation;
        OutputResult told;
        told.name = pair.name;
        told.verdict = Verdict::Proved;
        told.strength = m_options.fingerprint ? Strength::Probable : Strength::Identical;
        std::optional<std::uint64_t> first;
        std::string reason;
        for (const PairClass& c : m_classes) {
            for (const auto& [where, cell] : c.cells) {
                if (where != output) {
                    continue;
                }
                switch (c.state) {
                case PairClass::State::Refuted: made.refuted.push_back(cell); break;
                case PairClass::State::Proved:
                    made.proved.push_back(cell);
                    told.strength = weaker(*told.strength, c.strength.value_or(Strength::Exact));
                    break;
                case PairClass::State::Unproved:
                case PairClass::State::Open: made.unproved.push_back(cell); break;
                case PairClass::State::Undecided: made.undecided.push_back(cell); break;
                }
                if (c.state != PairClass::State::Proved && c.state != PairClass::State::Refuted && reason.empty()) {
                    reason = c.reason;
                }
            }
        }
        for (auto* list : {&made.refuted, &made.unproved, &made.proved, &made.undecided}) {
            std::sort(list->begin(), list->end());
        }
        if (!made.refuted.empty()) {
            made.families = familyText(pair.name, made.sizes, made.refuted);
            told.verdict = Verdict::Refuted;
            told.kind = RefutationKind::Value;
            told.reason = made.families;
            first = made.refuted.front();
        } else if (!m_unwritten[output].empty()) {
            made.families = familyText(pair.name, made.sizes, m_unwritten[output]);
            told.verdict = Verdict::Refuted;
            told.kind = RefutationKind::Uninitialised;
            told.reason = made.families + " left unwritten";
            first = m_unwritten[output].front();
        } else if (!made.unproved.empty()) {
            made.families = familyText(pair.name, made.sizes, made.unproved);
            told.verdict = Verdict::Unproved;
            told.reason = made.families + (reason.empty() ? "" : ": " + reason);
            first = made.unproved.front();
        } else if (!made.undecided.empty()) {
            made.families = familyText(pair.name, made.sizes, made.undecided);
            told.verdict = Verdict::Undecided;
            told.reason = made.families + (reason.empty() ? "" : ": " + reason);
            first = made.undecided.front();
        }
        if (told.verdict != Verdict::Proved) {
            told.strength.reset();
        } else {
            m_strength = m_strength ? weaker(*m_strength, *told.strength) : *told.strength;
        }
        if (first) {
            made.reference = pair.reference->cells[*first];
            made.rewritten = pair.rewritten->cells[*first];
        }
        if (told.verdict == Verdict::Refuted && told.kind == RefutationKind::Value && !m_decided) {
            result.verdict = Verdict::Refuted;
            result.kind = RefutationKind::Value;
            result.reason = made.families;
            m_decided = true;
        }
        m_made.outputs.push_back(std::move(made));
        result.outputs.push_back(std::move(told));
    }
}

Result<void> Comparison::traceWrites() {
    constexpr std::size_t Kept = 8;
    for (std::size_t output = 0; output < m_made.outputs.size(); ++output) {
        OutputComparison& made = m_made.outputs[output];
        const std::vector<std::uint64_t>& cells = !made.refuted.empty() ? made.refuted : made.unproved;
        if (cells.empty() || m_made.reference.steps + m_made.rewritten.steps > 50'000'000) {
            continue;
        }
        for (const bool first : {true, false}) {
            TermDag scratch;
            RunOptions options = concreteOptions(sampleInputs(0));
            options.detectRaces = false;
            options.watched = {first ? made.referenceAllocation : made.rewrittenAllocation, cells.front()};
            Result<RunResult> run = lemmascope::interp::run(first ? m_reference : m_rewritten, scratch, options, m_stop);
            if (!run) {
                return tl::unexpected(run.error());
            }
            std::vector<WatchedAccess>& into = first ? made.referenceWrites : made.rewrittenWrites;
            for (WatchedAccess& access : run->watched) {
                if (access.writes) {
                    into.push_back(std::move(access));
                }
            }
            if (into.size() > Kept) {
                into.erase(into.begin(), into.end() - Kept);
            }
        }
        break; // the first is what is shown at once
    }
    return {};
}

} // namespace lemmascope::interp
