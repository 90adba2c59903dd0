// From proofs and counterexamples to verdicts, reasons, marks and blame.

#include "core/graph/definition_library.h"
#include "core/prove/blame.h"
#include "core/prove/checker.h"
#include "core/prove/correspondence.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace lemmascope {

std::vector<std::string> Checker::openOpsOf(std::size_t output) const {
    // Open functions in the cones of both sides that the other side does not have.
    std::set<std::string> names;
    std::set<TermId> seen;
    for (const bool left : {true, false}) {
        std::vector<TermId> stack{left ? referenceTerm(output) : rewrittenTerm(output)};
        while (!stack.empty() && seen.size() < 200'000) {
            const TermId top = stack.back();
            stack.pop_back();
            if (!top.isValid() || !seen.insert(top).second) {
                continue;
            }
            if (m_store.kind(top) == TermKind::Apply) {
                const std::string name = m_store.op(top).name.substr(0, m_store.op(top).name.find('@'));
                const bool uncovered = std::any_of(m_store.notes.begin(), m_store.notes.end(),
                                                   [&name](const std::string& note) { return note.starts_with(name + ": "); });
                if (m_store.op(top).open || uncovered) {
                    names.insert(name);
                }
            }
            const auto operands = m_store.operands(top);
            stack.insert(stack.end(), operands.begin(), operands.end());
        }
    }
    return {names.begin(), names.end()};
}

namespace {

std::string joined(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) {
        out += (out.empty() ? "" : ", ") + name;
    }
    return out;
}

} // namespace

void Checker::concludeOutput(std::size_t index, Prover& prover) {
    OutputResult& output = m_result.outputs[index];
    const PairProof& proof = m_proofs[index];
    if (output.kind == RefutationKind::Type || m_settled) {
        return;
    }
    for (const std::uint32_t lemma : proof.lemmas) {
        prover.lemmas()[lemma].outputs.push_back(index);
    }
    if (!m_open[index]) {
        output.verdict = Verdict::Proved;
        output.strength = proof.strength;
        return;
    }
    if (index < m_notShown.size() && !m_notShown[index].empty()) {
        m_result.caveats.push_back({"unproved", output.name + ": " + m_notShown[index]});
    }
    const std::vector<std::string> open =
        referenceTerm(index).isValid() && rewrittenTerm(index).isValid() ? openOpsOf(index) : std::vector<std::string>{};
    const bool differed = m_search && m_search->candidate && m_search->candidate->output == output.name;
    if (m_reference.randomNodes != m_rewritten.randomNodes) {
        output.verdict = Verdict::Unproved;
        output.reason = "random: the graphs draw different numbers of random tensors";
    } else if (!open.empty() && (differed || proof.verdict == LemmaVerdict::Fails || !m_search || !m_search->evaluated)) {
        output.verdict = Verdict::Unproved;
        output.reason = "relies on " + joined(open);
    } else if (differed) {
        const Counterexample& candidate = *m_search->candidate;
        std::int64_t flat = 0;
        std::string at = "[";
        for (std::size_t axis = 0; axis < candidate.index.size(); ++axis) {
            flat = flat * candidate.reference->shape()[axis] + candidate.index[axis];
            at += (axis == 0 ? "" : ",") + std::to_string(candidate.index[axis]);
        }
        std::string size = "?";
        if (candidate.reference && candidate.rewritten && candidate.reference->shape() == candidate.rewritten->shape() &&
            flat < candidate.reference->count()) {
            std::array<char, 32> text{};
            const double d = std::fabs(candidate.reference->toDouble(flat) - candidate.rewritten->toDouble(flat));
            const auto end = std::to_chars(text.data(), text.data() + text.size(), d, std::chars_format::general, 3).ptr;
            size.assign(text.data(), end);
        }
        output.verdict = Verdict::Unproved;
        if (size == "nan") {
            size = "a value against none";
        }
        const bool floats = candidate.reference && isFloat(candidate.reference->element());
        const std::string where = output.name + (candidate.index.empty() ? "" : at + "]");
        output.reason = size == "0" ? "differs over the reals at " + where + " by less than the type resolves, not separable from rounding"
                        : floats    ? "differs by " + size + " at " + where + ", not separable from rounding"
                                    : "differs by " + size + " at " + where + " on one input, but a value on the way hangs on rounding";
    } else if (proof.verdict == LemmaVerdict::Fails) {
        output.verdict = Verdict::Unproved;
        output.reason =
            proof.openOps.empty() ? "a lemma fails, but no inputs were found on which the graphs differ" : "relies on " + joined(proof.openOps);
    } else {
        output.verdict = Verdict::Undecided;
        output.reason = proof.reason.empty() ? "no lemma decides it" : proof.reason;
        if (output.reason == "steps") {
            output.reason = "steps: the solver's step limit (--lemma-steps)";
        } else if (output.reason == "time" && !prover.lemmas().empty()) {
            const auto& lemmas = prover.lemmas();
            const auto decided =
                std::count_if(lemmas.begin(), lemmas.end(), [](const LemmaResult& l) { return l.verdict != LemmaVerdict::Undecided; });
            output.reason = "time: " + std::to_string(decided) + " of " + std::to_string(lemmas.size()) + " lemmas decided (--time)";
        }
        if (!proof.openOps.empty() && output.reason == "the exact normal forms differ") {
            output.reason += " (the meaning of " + joined(proof.openOps) + " is left open)";
        }
    }
}

void Checker::describeDefinitions() {
    // Verdicts that look into an op lean on what the user says it means.
    if (m_options.definitions != nullptr) {
        std::set<const Definition*> used;
        for (const auto& tree : {m_result.reference, m_result.rewritten}) {
            for (std::size_t n = 0; n < tree->nodeCount(); ++n) {
                const Node& node = tree->node(FlatNodeId(n));
                const Definition* definition = node.body ? nullptr : m_options.definitions->find(node.op);
                if (definition != nullptr && used.insert(definition).second) {
                    m_result.assumptions.push_back({"definition", definitionPlace(*definition)});
                }
            }
        }
    }
    for (const std::string& note : m_store.notes) {
        m_result.caveats.push_back({"definition", "left open: " + note});
    }
}

void Checker::describeConstants(const Prover& prover) {
    std::map<TermId, std::string> names;
    for (const bool left : {false, true}) {
        const GraphTerms& terms = left ? m_reference : m_rewritten;
        const GraphTree& tree = left ? *m_result.reference : *m_result.rewritten;
        for (std::size_t v = 0; v < terms.values.size(); ++v) {
            TermId term = terms.values[v];
            if (term.isValid() && m_store.kind(term) == TermKind::View) {
                term = m_store.operands(term)[0];
            }
            if (term.isValid() && m_store.kind(term) == TermKind::Constant) {
                names.try_emplace(term, tree.value(FlatValueId(v)).name);
            }
        }
    }
    for (const Prover::RoundedConstant& constant : prover.roundedConstants()) {
        const auto at = names.find(constant.constant);
        const std::string name = at != names.end() ? at->second : !constant.number.empty() ? constant.number : m_store.text(constant.constant, 1);
        m_result.constants.push_back(ConstantError{name, constant.ulp, constant.relative, constant.allowed});
    }
    if (prover.roundingMeetsSteps()) {
        m_result.caveats.push_back(
            {"step", "a comparison or rounding reads values whose constants were rounded: results may differ by a whole step"});
    }
}

void Checker::describeLemmas(Prover& prover) {
    std::map<TermId, FlatValueId> mine;
    std::map<TermId, FlatValueId> theirs;
    for (std::size_t v = 0; v < m_reference.values.size(); ++v) {
        mine.try_emplace(m_reference.values[v], FlatValueId(v));
    }
    for (std::size_t v = 0; v < m_rewritten.values.size(); ++v) {
        theirs.try_emplace(m_rewritten.values[v], FlatValueId(v));
    }
    m_result.lemmas = std::move(prover.lemmas());
    for (std::size_t k = 0; k < m_result.lemmas.size(); ++k) {
        LemmaResult& lemma = m_result.lemmas[k];
        const auto& [a, b] = prover.lemmaTerms()[k];
        if (a.isValid()) {
            if (const auto at = mine.find(a); at != mine.end()) {
                lemma.reference = at->second;
            }
            if (const auto at = theirs.find(b); at != theirs.end()) {
                lemma.rewritten = at->second;
            }
        }
        if (!lemma.outputs.empty() && !lemma.reference.isValid()) {
            lemma.reference = m_result.outputs[lemma.outputs.front()].reference;
        }
        if (!lemma.outputs.empty() && !lemma.rewritten.isValid()) {
            lemma.rewritten = m_result.outputs[lemma.outputs.front()].rewritten;
        }
        if (lemma.reference.isValid()) {
            lemma.referenceNodes = differingCone(*m_result.reference, m_result.correspondence, Side::Reference, lemma.reference, 100);
        }
        if (lemma.rewritten.isValid()) {
            lemma.rewrittenNodes = differingCone(*m_result.rewritten, m_result.correspondence, Side::Rewritten, lemma.rewritten, 100);
        }
        if (!m_options.keepText) {
            lemma.text.clear();
        }
    }
}

void Checker::markNodes(Prover&) {
    for (std::size_t k = 0; k < m_result.lemmas.size(); ++k) {
        const LemmaResult& lemma = m_result.lemmas[k];
        const NodeMark mark = lemma.verdict == LemmaVerdict::Holds   ? NodeMark::Equal
                              : lemma.verdict == LemmaVerdict::Fails ? NodeMark::Failing
                                                                     : NodeMark::Undecided;
        for (const bool left : {true, false}) {
            for (const FlatNodeId node : left ? lemma.referenceNodes : lemma.rewrittenNodes) {
                NodeRelation& relation = left ? m_result.correspondence.reference[node.index] : m_result.correspondence.rewritten[node.index];
                relation.lemmas.push_back(static_cast<std::uint32_t>(k));
                if (relation.mark == NodeMark::Shared || relation.mark == NodeMark::Dead) {
                    continue;
                }
                const auto rank = [](NodeMark m) { return m == NodeMark::Failing ? 3 : m == NodeMark::Undecided ? 2 : m == NodeMark::Equal ? 1 : 0; };
                if (rank(mark) > rank(relation.mark)) {
                    relation.mark = mark;
                }
            }
        }
    }
    // Until now these counted as shared, which is what they are to the proof; to a reader they are not.
    for (const AssumedPair& pair : m_result.assumed) {
        for (const bool left : {true, false}) {
            const FlatNodeId node = producerOf(left ? *m_result.reference : *m_result.rewritten, left ? pair.reference : pair.rewritten);
            if (node.isValid()) {
                (left ? m_result.correspondence.reference : m_result.correspondence.rewritten)[node.index].mark = NodeMark::Accepted;
            }
        }
    }
}

void Checker::blame() {
    if (m_search && m_search->found) {
        m_result.blame = blameNodes(searchProblem(true), m_result.correspondence, *m_search->found, m_options.seed, m_stop);
    }
}

void Checker::conclude(Prover& prover) {
    for (std::size_t o = 0; o < m_result.outputs.size(); ++o) {
        concludeOutput(o, prover);
    }
    describeLemmas(prover);
    if (m_search) {
        if (m_search->largestUlp > 0.0) {
            m_result.largestRelativeDifference = m_search->largestRelative;
            m_result.largestUlpDifference = m_search->largestUlp;
        }
        if (m_search->found) {
            m_result.counterexample = m_search->found;
            m_result.fault = m_search->fault;
            const RefutationKind kind = m_search->fault ? RefutationKind::OutOfRange
                                        : m_search->found->index.empty() && m_search->found->reference && m_search->found->rewritten &&
                                                m_search->found->reference->shape() != m_search->found->rewritten->shape()
                                            ? RefutationKind::Type
                                            : RefutationKind::Value;
            for (OutputResult& output : m_result.outputs) {
                const bool hit = m_search->fault.has_value() || output.name == m_search->found->output;
                if (!hit || output.kind == RefutationKind::Type) {
                    continue;
                }
                if (output.verdict == Verdict::Proved && !m_search->fault) {
                    // Proof and counterexample cannot both be right: neither is reported as an answer.
                    output.verdict = Verdict::Undecided;
                    output.strength.reset();
                    output.reason = "internal: a proof and a counterexample disagree; please report these two graphs";
                    continue;
                }
                output.verdict = Verdict::Refuted;
                output.strength.reset();
                output.kind = kind;
                output.reason.clear();
            }
            for (LemmaResult& lemma : m_result.lemmas) {
                // The counterexample shows that what was left of this output's proof fails.
                const bool concerns = std::any_of(lemma.outputs.begin(), lemma.outputs.end(),
                                                  [&](std::size_t o) { return m_result.outputs[o].verdict == Verdict::Refuted; });
                const bool access = lemma.kind != LemmaResult::Kind::Equal && m_search->fault.has_value() && lemma.verdict != LemmaVerdict::Holds;
                if ((concerns && lemma.verdict == LemmaVerdict::Undecided) || access) {
                    lemma.verdict = LemmaVerdict::Fails;
                    lemma.reason = "a counterexample shows it";
                }
            }
            for (std::size_t o = 0; o < m_result.outputs.size(); ++o) {
                const OutputResult& output = m_result.outputs[o];
                const bool has = std::any_of(m_result.lemmas.begin(), m_result.lemmas.end(), [&](const LemmaResult& l) {
                    return l.verdict == LemmaVerdict::Fails && std::find(l.outputs.begin(), l.outputs.end(), o) != l.outputs.end();
                });
                if (output.verdict == Verdict::Refuted && output.kind == RefutationKind::Value && !has) {
                    LemmaResult lemma;
                    lemma.id = "L" + std::to_string(m_result.lemmas.size() + 1);
                    lemma.title = output.name + ": both graphs give the same";
                    lemma.verdict = LemmaVerdict::Fails;
                    lemma.reason = "a counterexample shows it";
                    lemma.reference = output.reference;
                    lemma.rewritten = output.rewritten;
                    lemma.outputs = {o};
                    lemma.referenceNodes = differingCone(*m_result.reference, m_result.correspondence, Side::Reference, output.reference, 100);
                    lemma.rewrittenNodes = differingCone(*m_result.rewritten, m_result.correspondence, Side::Rewritten, output.rewritten, 100);
                    m_result.lemmas.push_back(std::move(lemma));
                }
            }
        }
    }
    if (m_accessFails && !(m_search && m_search->fault)) {
        // No proof holds while an access may leave its buffer.
        const bool fails = std::any_of(m_result.lemmas.begin(), m_result.lemmas.end(),
                                       [](const LemmaResult& l) { return l.kind != LemmaResult::Kind::Equal && l.verdict == LemmaVerdict::Fails; });
        for (OutputResult& output : m_result.outputs) {
            if (output.verdict == Verdict::Proved || output.verdict == Verdict::Undecided) {
                output.verdict = fails ? Verdict::Unproved : Verdict::Undecided;
                output.strength.reset();
                output.reason = (fails ? "an access may leave its range: " : "an access is not seen to stay in range: ") + m_accessReason;
            }
        }
    }
    concludeSamples();
    markNodes(prover);
    blame();
    bool refuted = false;
    bool unproved = false;
    bool undecided = false;
    Strength weakest = Strength::Identical;
    for (const OutputResult& output : m_result.outputs) {
        refuted = refuted || output.verdict == Verdict::Refuted;
        unproved = unproved || output.verdict == Verdict::Unproved;
        undecided = undecided || output.verdict == Verdict::Undecided;
        if (output.strength) {
            weakest = weaker(weakest, *output.strength);
        }
    }
    m_result.verdict = refuted ? Verdict::Refuted : unproved ? Verdict::Unproved : undecided ? Verdict::Undecided : Verdict::Proved;
    if (m_result.verdict == Verdict::Proved) {
        m_result.strength = weakest;
    }
    for (const OutputResult& output : m_result.outputs) {
        if (output.verdict == m_result.verdict && m_result.verdict != Verdict::Proved) {
            m_result.reason = output.reason;
            m_result.kind = output.kind;
            break;
        }
    }
    if (m_result.outputs.empty()) {
        m_result.verdict = Verdict::Undecided;
        m_result.reason = "the reference has no outputs to compare";
        m_result.strength.reset();
    }
    seekCondition();
    if (m_result.strength == Strength::Rounded) {
        describeConstants(prover);
    }
    if (m_result.verdict != Verdict::Proved || m_result.strength > Strength::Open) {
        describeDefinitions();
    }
    if (m_result.strength == Strength::Exact || m_result.strength == Strength::Rounded) {
        m_result.assumptions.push_back({"numbers", "floats stand for real numbers; integers wrap at their width"});
        static const std::vector<std::string> Steps{"QuantizeLinear", "Less",  "LessOrEqual", "Greater", "GreaterOrEqual", "Equal", "ArgMax",
                                                    "ArgMin",         "Round", "Floor",       "Ceil",    "Sign",           "TopK"};
        for (std::size_t n = 0; n < m_result.correspondence.rewritten.size(); ++n) {
            const Node& node = m_result.rewritten->node(FlatNodeId(n));
            if (m_result.correspondence.rewritten[n].mark != NodeMark::Shared && std::find(Steps.begin(), Steps.end(), node.op.name) != Steps.end()) {
                m_result.caveats.push_back({"step", node.op.name + " '" + m_result.rewritten->path(FlatNodeId(n)) +
                                                        "' may read values that are equal only up to rounding, and then differ by a whole step"});
                break;
            }
        }
    }
}

} // namespace lemmascope
