// The whole check: pair the graphs, build their terms, prove what can be proved, look for counterexamples to the rest. Cheap
// steps come first; a difference is looked for before the dear ones, since most wrong rewrites show on the first samples.

#include "core/prove/check.h"

#include "core/graph/definition_library.h"
#include "core/prove/candidates.h"
#include "core/prove/checker.h"
#include "core/prove/correspondence.h"
#include "core/prove/pairing.h"
#include "core/prove/prover.h"
#include "core/prove/refute.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

namespace lemmascope {

namespace {

using Clock = std::chrono::steady_clock;

/// Of the look at rounding that follows a proof: small graphs run on eight inputs, large ones on one.
constexpr std::uint64_t LookWork = 8'000'000;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

} // namespace

Result<void> Checker::build() {
    report(CheckProgress::Stage::Terms, 0, 0);
    const Graph& ref = *m_pairing.reference;
    const Graph& rew = *m_pairing.rewritten;
    TermBuilder builder(m_store);
    std::vector<TermId> mine(ref.inputs.size());
    std::vector<TermId> theirs(rew.inputs.size());
    for (std::size_t k = 0; k < m_pairing.inputs.size(); ++k) {
        const Pairing::Input& input = m_pairing.inputs[k];
        const TermId term = m_store.input(static_cast<std::uint32_t>(k), input.type);
        m_store.inputNames.push_back(ref.value(ref.inputs[input.reference]).name);
        mine[input.reference] = term;
        if (input.rewritten) {
            theirs[*input.rewritten] = term;
        }
    }
    for (std::size_t k = 0; k < theirs.size(); ++k) {
        if (!theirs[k].isValid()) {
            theirs[k] = m_store.input(static_cast<std::uint32_t>(m_pairing.inputs.size() + k), rew.value(rew.inputs[k]).type);
            m_store.inputNames.resize(m_pairing.inputs.size() + k + 1);
            m_store.inputNames.back() = rew.value(rew.inputs[k]).name;
        }
    }
    Result<GraphTerms> first = builder.build(*m_result.reference, mine, m_stop);
    if (!first) {
        return tl::unexpected(first.error());
    }
    m_reference = std::move(*first);
    return {};
}

Result<CheckResult> Checker::run(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten) {
    Result<Pairing> pairing = pairGraphs(*reference, *rewritten, m_options, m_stop);
    if (!pairing) {
        return tl::unexpected(pairing.error());
    }
    m_pairing = std::move(*pairing);
    Result<GraphTree> referenceTree = GraphTree::build(m_pairing.reference);
    Result<GraphTree> rewrittenTree = GraphTree::build(m_pairing.rewritten);
    if (!referenceTree || !rewrittenTree) {
        return tl::unexpected(!referenceTree ? referenceTree.error() : rewrittenTree.error());
    }
    m_result.reference = std::make_shared<const GraphTree>(std::move(*referenceTree));
    m_result.rewritten = std::make_shared<const GraphTree>(std::move(*rewrittenTree));
    m_result.assumptions = m_pairing.assumptions;
    m_result.caveats = m_pairing.caveats;
    Result<std::vector<AssumedPair>> assumed = assumedPairs(*m_result.reference, *m_result.rewritten, *rewritten, m_options.assumedEqual, m_stop);
    if (!assumed) {
        return tl::unexpected(assumed.error());
    }
    m_result.assumed = std::move(*assumed);
    for (const AssumedPair& pair : m_result.assumed) {
        m_result.assumptions.push_back({"assumed-equal", "'" + pair.rewrittenName + "' of the rewritten graph is taken to be '" + pair.referenceName +
                                                             "' of the reference, as accepted"});
    }
    if (Result<void> built = build(); !built) {
        return tl::unexpected(built.error());
    }
    const std::size_t boundary = m_store.size();
    {
        TermBuilder builder(m_store);
        std::vector<TermId> theirs(m_pairing.rewritten->inputs.size());
        for (std::size_t k = 0; k < m_pairing.inputs.size(); ++k) {
            if (m_pairing.inputs[k].rewritten) {
                theirs[*m_pairing.inputs[k].rewritten] = m_store.input(static_cast<std::uint32_t>(k), m_pairing.inputs[k].type);
            }
        }
        for (std::size_t k = 0; k < theirs.size(); ++k) {
            if (!theirs[k].isValid()) {
                theirs[k] = m_store.input(static_cast<std::uint32_t>(m_pairing.inputs.size() + k),
                                          m_pairing.rewritten->value(m_pairing.rewritten->inputs[k]).type);
            }
        }
        std::map<FlatValueId, TermId> replaced;
        for (const AssumedPair& pair : m_result.assumed) {
            const TermId term = m_reference.values[pair.reference.index];
            if (!term.isValid()) {
                return fail(ErrorCode::Unsupported, "--assume-equal " + pair.referenceName + "=" + pair.rewrittenName + ": '" + pair.referenceName +
                                                        "' of the reference has no meaning of its own here");
            }
            replaced[pair.rewritten] = term;
        }
        builder.replace(std::move(replaced));
        Result<GraphTerms> second = builder.build(*m_result.rewritten, theirs, m_stop);
        if (!second) {
            return tl::unexpected(second.error());
        }
        m_rewritten = std::move(*second);
    }
    m_result.times.terms = secondsSince(m_start);
    m_result.times.termCount = m_store.size();
    const Clock::time_point pairingStart = Clock::now();
    m_result.correspondence = correspondenceOf(*m_result.reference, *m_result.rewritten, m_reference, m_rewritten);
    for (const AssumedPair& pair : m_result.assumed) {
        markAssumed(pair);
    }
    if (m_services.correspondence) {
        m_services.correspondence(m_result.correspondence);
    }
    m_result.times.pairing = secondsSince(pairingStart);

    for (const Pairing::Output& output : m_pairing.outputs) {
        OutputResult result;
        result.name = output.name;
        result.reference = FlatValueId(output.reference.index);
        result.rewritten = output.rewritten.isValid() ? FlatValueId(output.rewritten.index) : FlatValueId();
        m_result.outputs.push_back(result);
    }
    m_open.assign(m_result.outputs.size(), true);
    m_proofs.resize(m_result.outputs.size());
    if (!m_options.userInputs.empty()) { // before the proofs: a tensor that does not fit is told at once
        Result<InputComparison> compared = compareOnInputs(searchProblem(false), m_options.userInputs, m_stop);
        if (!compared) {
            return tl::unexpected(compared.error());
        }
        m_result.onInputs = std::move(*compared);
    }

    Facts facts(m_store);
    for (std::size_t k = 0; k < m_pairing.inputs.size(); ++k) {
        if (m_pairing.inputs[k].range && isInteger(m_pairing.inputs[k].type.element)) {
            facts.declareInput(m_store.input(static_cast<std::uint32_t>(k), m_pairing.inputs[k].type), *m_pairing.inputs[k].range);
        }
    }
    for (const Access& access : m_reference.accesses) {
        facts.assume(access);
        if (access.kind == Access::Kind::Branch) {
            m_result.assumptions.push_back({"branch", m_result.reference->node(access.node).op.name + " '" + m_result.reference->path(access.node) +
                                                          "' takes its " + (access.low.is(1) ? "then_branch" : "else_branch") +
                                                          ": the reference cannot run with the other"});
        }
    }
    Prover prover(m_store, boundary, facts, m_options, m_services, m_stop);
    prover.setDeadline(m_deadline);
    std::map<TermId, std::string> names;
    for (const GraphTerms* terms : {&m_rewritten, &m_reference}) {
        const GraphTree& tree = terms == &m_reference ? *m_result.reference : *m_result.rewritten;
        for (std::size_t v = terms->values.size(); v-- > 0;) {
            if (terms->values[v].isValid() && !tree.value(FlatValueId(v)).name.empty()) {
                names[terms->values[v]] = tree.value(FlatValueId(v)).name;
            }
        }
    }
    prover.nameOf = [this, names](TermId term) {
        const auto at = names.find(term);
        return at != names.end() ? at->second : m_store.text(term, 1);
    };
    if (facts.contradictory()) {
        for (OutputResult& output : m_result.outputs) {
            output.reason = "the reference is out of range for every input";
        }
        m_result.reason = "the reference is out of range for every input";
        m_result.times.total = secondsSince(m_start);
        return std::move(m_result);
    }
    if (Result<void> decided = decide(prover); !decided) {
        return tl::unexpected(decided.error());
    }
    if (m_stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, "cancelled");
    }
    conclude(prover);
    if (Result<void> bounded = concludeBound(prover); !bounded) {
        return tl::unexpected(bounded.error());
    }
    if (Result<void> tried = concludeSpecialValues(); !tried) {
        return tl::unexpected(tried.error());
    }
    m_result.times.lemmaCount = m_result.lemmas.size();
    m_result.times.solverCalls = prover.solverCalls();
    m_result.times.cacheHits = prover.cacheHits();
    m_result.times.termCount = m_store.size();
    m_result.times.total = secondsSince(m_start);
    report(CheckProgress::Stage::Done, m_result.lemmas.size(), m_result.lemmas.size());
    return std::move(m_result);
}

void Checker::markAssumed(const AssumedPair& pair) {
    Correspondence& marks = m_result.correspondence;
    const FlatNodeId mine = producerOf(*m_result.reference, pair.reference);
    const FlatNodeId theirs = producerOf(*m_result.rewritten, pair.rewritten);
    marks.partnerOfReferenceValue[pair.reference.index] = pair.rewritten;
    if (mine.isValid()) {
        marks.reference[mine.index].partner = theirs;
        marks.reference[mine.index].reason = "'" + pair.rewrittenName + "' is assumed equal, as accepted";
    }
    if (theirs.isValid()) {
        marks.rewritten[theirs.index].partner = mine;
        marks.rewritten[theirs.index].reason = "assumed equal to '" + pair.referenceName + "' of the reference, as accepted";
    }
}

bool Checker::loopIsShared(FlatNodeId node) const {
    // The outermost node around it that is not an If or a fused body: every result a term that the reference's top graph has.
    const GraphTree& tree = *m_result.rewritten;
    const GraphInstance* instance = &tree.instanceOf(node);
    FlatNodeId loop;
    while (instance->parent != Id<void>::Invalid) {
        const GraphInstance& parent = tree.instances()[instance->parent];
        const Node& around = parent.graph->node(instance->parentNode);
        if (!around.body && around.op.name != "If") {
            loop = FlatNodeId(parent.nodeBase + instance->parentNode.index);
        }
        instance = &parent;
    }
    if (!loop.isValid() || m_result.correspondence.rewritten[loop.index].mark != NodeMark::Shared) {
        return false;
    }
    const FlatNodeId partner = m_result.correspondence.rewritten[loop.index].partner;
    return partner.isValid() && partner.index < m_result.reference->top().nodes.size();
}

void Checker::proveAccesses(Prover& prover) {
    for (const Access& access : m_rewritten.accesses) {
        const Node& node = m_result.rewritten->node(access.node);
        const bool dead = !m_rewritten.live[access.node.index];
        std::string title = access.kind == Access::Kind::Divide   ? "divisor of "
                            : access.kind == Access::Kind::Branch ? "branch of "
                            : access.kind == Access::Kind::Read   ? "read of "
                                                                  : "write of ";
        title += (access.kind == Access::Kind::Branch ? node.op.name + " '" + m_result.rewritten->path(access.node) + "' is the one that can run"
                  : access.kind == Access::Kind::Divide
                      ? node.op.name + " '" + m_result.rewritten->path(access.node) + "' is not 0"
                      : access.buffer + " by " + node.op.name + " '" + m_result.rewritten->path(access.node) + "' is in range");
        title += dead ? " (a dead access)" : "";
        if (access.inLoop && loopIsShared(access.node)) {
            continue; // the reference runs the same loop
        }
        const PairProof proof = prover.proveAccess(access, m_reference.accesses, title);
        for (const std::uint32_t lemma : proof.lemmas) {
            prover.lemmas()[lemma].rewrittenNodes = {access.node};
        }
        if (proof.verdict != LemmaVerdict::Holds) {
            m_accessFails = true;
            m_accessReason = m_accessReason.empty() ? title + (proof.reason.empty() ? "" : ": " + proof.reason) : m_accessReason;
        }
    }
    // A range that only the rewritten graph declares must follow.
    for (std::size_t k = 0; k < m_pairing.inputs.size(); ++k) {
        const Pairing::Input& input = m_pairing.inputs[k];
        if (!input.rewrittenRange) {
            continue;
        }
        if (!isInteger(input.type.element)) {
            m_accessFails = true; // nothing is known of floats that it could follow from
            m_accessReason = "the range that the rewritten graph declares of " + m_store.inputNames[k];
            continue;
        }
        Access access;
        access.index = m_store.input(static_cast<std::uint32_t>(k), input.type);
        access.low = Dim(input.rewrittenRange->low);
        access.high = Dim(input.rewrittenRange->high);
        const std::string title = "the range that the rewritten graph declares of " + m_store.inputNames[k] + " follows";
        const PairProof proof = prover.proveAccess(access, m_reference.accesses, title);
        if (proof.verdict != LemmaVerdict::Holds) {
            m_accessFails = true;
            m_accessReason = m_accessReason.empty() ? title : m_accessReason;
        }
    }
}

Result<void> Checker::decide(Prover& prover) {
    const Clock::time_point start = Clock::now();
    // Types first: outputs whose types differ need no proof.
    for (std::size_t o = 0; o < m_result.outputs.size(); ++o) {
        const Pairing::Output& output = m_pairing.outputs[o];
        if (!output.typeProblem.empty()) {
            m_result.outputs[o].verdict = Verdict::Refuted;
            m_result.outputs[o].kind = RefutationKind::Type;
            m_result.outputs[o].reason = output.typeProblem;
            m_open[o] = false;
        } else if (!output.typeDoubt.empty()) {
            m_proofs[o].reason = output.typeDoubt;
        }
    }
    if (!m_pairing.extraInputs.empty()) {
        std::string list;
        for (const std::string& name : m_pairing.extraInputs) {
            list += (list.empty() ? "" : ", ") + name;
        }
        for (std::size_t o = 0; o < m_result.outputs.size(); ++o) {
            m_result.outputs[o].verdict = Verdict::Refuted;
            m_result.outputs[o].kind = RefutationKind::Type;
            m_result.outputs[o].reason = "the rewritten graph needs inputs that the reference does not have: " + list;
            m_open[o] = false;
        }
        return {};
    }
    if (!m_pairing.rangeProblem.empty() || !m_pairing.sizeProblem.empty()) {
        const bool range = !m_pairing.rangeProblem.empty();
        for (std::size_t o = 0; o < m_result.outputs.size(); ++o) {
            if (m_result.outputs[o].kind != RefutationKind::Type) {
                m_result.outputs[o].verdict = range ? Verdict::Refuted : Verdict::Undecided;
                m_result.outputs[o].kind = range ? std::optional(RefutationKind::OutOfRange) : std::nullopt;
                m_result.outputs[o].reason = range ? m_pairing.rangeProblem : m_pairing.sizeProblem;
                m_settled = true;
            }
        }
        return {};
    }
    report(CheckProgress::Stage::Deciding, 0, m_result.outputs.size());
    const auto title = [&](std::size_t o) { return m_result.outputs[o].name + ": both graphs give the same"; };
    const auto remaining = [&] {
        std::vector<std::size_t> list;
        for (std::size_t o = 0; o < m_open.size(); ++o) {
            if (m_open[o] && m_pairing.outputs[o].typeDoubt.empty() && referenceTerm(o).isValid() && rewrittenTerm(o).isValid()) {
                list.push_back(o);
            }
        }
        return list;
    };
    const auto done = [&](std::size_t o, PairProof proof) {
        m_open[o] = proof.verdict != LemmaVerdict::Holds;
        m_proofs[o] = std::move(proof);
        report(CheckProgress::Stage::Deciding, static_cast<std::size_t>(std::count(m_open.begin(), m_open.end(), false)), m_open.size(),
               m_result.outputs[o].name);
    };
    for (const std::size_t o : remaining()) {
        if (referenceTerm(o) == rewrittenTerm(o)) {
            PairProof proof;
            proof.verdict = LemmaVerdict::Holds;
            done(o, std::move(proof));
        }
    }
    proveAccesses(prover);
    for (const std::size_t o : remaining()) {
        done(o, prover.proveStructurally(referenceTerm(o), rewrittenTerm(o), title(o)));
        if (m_stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "cancelled");
        }
    }
    const bool exactly = !m_options.statesOpenLemmas();
    // Small values of known lengths are sampled at once: what is proved element by element is dear where it differs.
    bool differs = exactly && !remaining().empty() && hasSmallValues() && predictsDifference(remaining());
    for (const std::size_t o : exactly && !differs ? remaining() : std::vector<std::size_t>{}) {
        if (prover.isSmall(referenceTerm(o), rewrittenTerm(o))) {
            done(o, prover.proveExactly(referenceTerm(o), rewrittenTerm(o), title(o), false));
        }
    }
    const auto sweep = [&](const Sampler* sampler) -> Result<void> {
        std::vector<Prover::Question> pairs;
        const std::vector<std::size_t> list = remaining();
        for (const std::size_t o : list) {
            pairs.push_back({referenceTerm(o), rewrittenTerm(o), title(o)});
        }
        if (pairs.empty()) {
            return {};
        }
        std::vector<PairProof> answers = prover.proveBySweeping(pairs, beliefs(), sampler);
        m_notShown.resize(m_open.size());
        for (std::size_t k = 0; k < list.size(); ++k) {
            if (answers[k].verdict == LemmaVerdict::Holds) {
                done(list[k], std::move(answers[k]));
            } else {
                m_notShown[list[k]] = answers[k].reason;
            }
        }
        return m_stop.stop_requested() ? Result<void>(fail(ErrorCode::Cancelled, "cancelled")) : Result<void>{};
    };
    // Names alone show many rewrites. Then both graphs on random samples: they say which values belong together, and whether to
    // prove or to refute first.
    if (exactly && !differs) {
        if (Result<void> tried = sweep(nullptr); !tried) {
            return tried;
        }
        differs = predictsDifference(remaining());
    }
    const auto found = [this] { return m_search && m_search->found; };
    double looking = 0.0;
    if (exactly && !differs && m_options.lookForCounterexample && isUnclear(remaining())) {
        // Samples say nothing (a length that only one graph insists on, an op without a meaning there): most wrong rewrites show on
        // the first few inputs, which cost less than a proof.
        const Clock::time_point lookStart = Clock::now();
        if (Result<void> searched = search(prover, {.samples = 4, .maxOperations = 20'000'000}, std::min(1.0, m_options.timeSeconds / 20), true);
            !searched) {
            return searched;
        }
        looking = secondsSince(lookStart);
        m_result.times.refute += looking;
    }
    const bool swept = exactly && !differs && !found();
    if (swept && !remaining().empty()) {
        if (Result<void> tried = sweep(&sampled()); !tried) {
            return tried;
        }
    }
    m_result.times.decide = secondsSince(start) - looking;
    if (m_options.lookForCounterexample && !found() && (!remaining().empty() || m_accessFails)) {
        const Clock::time_point searchStart = Clock::now();
        if (Result<void> searched = search(prover, {.samples = 32, .liftWork = 60'000'000}, std::min(10.0, m_options.timeSeconds / 4), true);
            !searched) {
            return searched;
        }
        m_result.times.refute += secondsSince(searchStart);
    }
    if (found()) {
        // The lemma that the counterexample settles, spelt out: it is shown, exported and can be given to any solver.
        for (const std::size_t o : remaining()) {
            if (m_result.outputs[o].name == m_search->found->output && m_options.keepText) {
                if (const std::optional<std::uint32_t> lemma = prover.state(referenceTerm(o), rewrittenTerm(o), title(o))) {
                    m_proofs[o].lemmas.push_back(*lemma);
                }
            }
        }
        return {};
    }
    const Clock::time_point dear = Clock::now();
    if (exactly && !swept) {
        if (Result<void> tried = sweep(&sampled()); !tried) {
            return tried;
        }
    }
    for (const std::size_t o : exactly ? remaining() : std::vector<std::size_t>{}) {
        done(o, prover.proveExactly(referenceTerm(o), rewrittenTerm(o), title(o), true));
        if (m_stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "cancelled");
        }
    }
    std::vector<Prover::Question> questions;
    const std::vector<std::size_t> asked = remaining();
    for (const std::size_t o : asked) {
        questions.push_back({referenceTerm(o), rewrittenTerm(o), title(o)});
    }
    if (!questions.empty()) {
        std::vector<PairProof> answers = prover.askSolver(questions);
        for (std::size_t k = 0; k < asked.size(); ++k) {
            PairProof& answer = answers[k];
            const PairProof before = m_proofs[asked[k]];
            if (answer.reason.empty() && answer.verdict == LemmaVerdict::Undecided) {
                answer.reason = before.reason;
            }
            if (answer.openOps.empty()) {
                answer.openOps = before.openOps;
            }
            done(asked[k], std::move(answer));
        }
    }
    m_result.times.decide += secondsSince(dear);
    if (m_options.lookForCounterexample && (!remaining().empty() || m_accessFails)) {
        const Clock::time_point searchStart = Clock::now();
        if (Result<void> searched = search(prover, {.samples = 160, .liftWork = 300'000'000}, std::min(30.0, m_options.timeSeconds / 3), true);
            !searched) {
            return searched;
        }
        m_result.times.refute += secondsSince(searchStart);
    } else if (m_options.lookForCounterexample) {
        const bool rounds = std::any_of(m_proofs.begin(), m_proofs.end(),
                                        [](const PairProof& p) { return p.verdict == LemmaVerdict::Holds && p.strength >= Strength::Exact; });
        if (rounds) {
            // How far rounding takes the two apart on samples, and a check of the proof by an oracle that shares no code with it.
            const Clock::time_point searchStart = Clock::now();
            if (Result<void> searched = search(prover, {.samples = 8, .maxWork = LookWork}, 1.0, false); !searched) {
                return searched;
            }
            m_result.times.refute += secondsSince(searchStart);
        }
    }
    return {};
}

SearchProblem Checker::searchProblem(bool onlyOpen) const {
    SearchProblem problem;
    problem.reference = m_result.reference.get();
    problem.rewritten = m_result.rewritten.get();
    for (std::size_t k = 0; k < m_pairing.inputs.size(); ++k) {
        const Pairing::Input& input = m_pairing.inputs[k];
        problem.inputs.push_back({m_store.inputNames[k], input.reference, input.rewritten, input.type, input.range, input.real});
    }
    for (std::size_t o = 0; o < m_result.outputs.size(); ++o) {
        const OutputResult& output = m_result.outputs[o];
        if ((!onlyOpen || m_open[o]) && output.rewritten.isValid() && output.kind != RefutationKind::Type) {
            problem.outputs.push_back({output.name, output.reference, output.rewritten});
        }
    }
    problem.symbols = m_pairing.symbols;
    problem.lookForFaults = m_accessFails;
    for (const AssumedPair& pair : m_result.assumed) {
        problem.assumed.emplace_back(pair.reference, pair.rewritten);
    }
    const auto widen = [](const GraphTree& tree, const std::vector<NodeRelation>& relations, const GraphTerms& terms, const GraphTerms& others) {
        Widening widening;
        widening.nodes.resize(tree.nodeCount());
        widening.constants.resize(tree.valueCount());
        const std::set<TermId> other(others.values.begin(), others.values.end());
        std::vector<bool> exact(tree.valueCount(), false); // constants that no rounding explains, see below
        for (const GraphInstance& instance : tree.instances()) {
            for (std::size_t n = 0; n < instance.graph->nodes.size(); ++n) {
                const Node& node = instance.graph->nodes[n];
                // Quantisation rounds once, on the exact value, and its scales mean what is stored; an exponent is a number of
                // the formula, not a rounded one.
                const bool quantises = node.op.name.find("QuantizeLinear") != std::string::npos;
                widening.nodes[instance.nodeBase + n] = relations[instance.nodeBase + n].mark != NodeMark::Shared && !quantises;
                for (std::size_t k = 1; k < node.operands.size() && (quantises || node.op.name == "Pow" || node.op.name.starts_with("QLinear"));
                     ++k) {
                    if (node.operands[k].isValid()) {
                        exact[instance.valueBase + node.operands[k].index] = true;
                    }
                }
            }
        }
        for (std::size_t v = 0; v < tree.valueCount(); ++v) {
            const Value& value = tree.value(FlatValueId(v));
            widening.constants[v] = value.constant.has_value() && isFloat(value.type.element) && !exact[v] && !other.contains(terms.values[v]);
        }
        return widening;
    };
    problem.referenceWidening = widen(*m_result.reference, m_result.correspondence.reference, m_reference, m_rewritten);
    problem.rewrittenWidening = widen(*m_result.rewritten, m_result.correspondence.rewritten, m_rewritten, m_reference);
    // Partners in the order of the reference: top-level values only, where names or terms pair them.
    for (std::size_t v = 0; v < m_result.reference->top().values.size(); ++v) {
        const FlatValueId partner = m_result.correspondence.partnerOfReferenceValue[v];
        const Value& value = m_result.reference->top().values[v];
        if (partner.isValid() && partner.index < m_result.rewritten->top().values.size() && !value.constant) {
            problem.partners.emplace_back(FlatValueId(v), partner);
        }
    }
    const Graph& top = m_result.reference->top();
    std::vector<std::size_t> rank(top.values.size(), 0);
    std::size_t next = 1;
    for (const Node& node : top.nodes) {
        for (const ValueId result : node.results) {
            if (result.isValid()) {
                rank[result.index] = next++;
            }
        }
    }
    std::stable_sort(problem.partners.begin(), problem.partners.end(),
                     [&](const auto& a, const auto& b) { return rank[a.first.index] < rank[b.first.index]; });
    const auto openValues = [](const GraphTree& tree, const GraphTerms& terms) {
        std::vector<std::pair<FlatValueId, std::uint32_t>> out;
        for (std::size_t v = 0; v < tree.valueCount(); ++v) {
            const FlatNodeId producer = producerOf(tree, FlatValueId(v));
            if (producer.isValid() && terms.values[v].isValid() && !hasKernel(tree.node(producer).op) &&
                findDefinition(tree.top().definitions.get(), tree.node(producer).op) == nullptr && !tree.node(producer).body &&
                Graph::nestedGraphs(tree.node(producer)).empty()) {
                out.emplace_back(FlatValueId(v), terms.values[v].index);
            }
        }
        return out;
    };
    problem.referenceOpen = openValues(*m_result.reference, m_reference);
    problem.rewrittenOpen = openValues(*m_result.rewritten, m_rewritten);
    return problem;
}

std::optional<Candidate> Checker::userCandidate(const SearchProblem& problem) const {
    Candidate candidate;
    for (const SearchInput& input : problem.inputs) {
        const auto at =
            std::find_if(m_options.userInputs.begin(), m_options.userInputs.end(), [&](const auto& pair) { return pair.first == input.name; });
        if (at == m_options.userInputs.end()) {
            return std::nullopt;
        }
        candidate.inputs.push_back(at->second);
        for (std::size_t axis = 0; input.type.shape && axis < input.type.shape->size() && axis < at->second.shape().size(); ++axis) {
            if (const std::optional<std::string> symbol = (*input.type.shape)[axis].symbolName()) {
                candidate.sizes[*symbol] = at->second.shape()[axis];
            }
        }
    }
    return m_options.userInputs.empty() ? std::nullopt : std::optional(std::move(candidate));
}

Result<void> Checker::search(Prover& prover, SearchOptions options, double seconds, bool onlyOpen) {
    report(CheckProgress::Stage::Refuting, 0, options.samples);
    SearchProblem problem = searchProblem(onlyOpen);
    std::vector<Candidate> first;
    if (std::optional<Candidate> own = userCandidate(problem)) {
        first.push_back(std::move(*own));
    }
    for (Candidate& sample : sampledDifferences(problem)) {
        first.push_back(std::move(sample));
    }
    for (Candidate& model : modelCandidates(prover, problem)) {
        first.push_back(std::move(model));
    }
    options.seed = m_options.seed;
    // Quick looks stay quick; the searches that a verdict waits for take as long as they are asked to.
    if (const double effort = std::clamp(m_options.searchEffort, 1.0, 1000.0); effort > 1.0 && options.samples >= 32) {
        options.samples = static_cast<std::size_t>(static_cast<double>(options.samples) * effort);
        options.liftWork = static_cast<decltype(options.liftWork)>(static_cast<double>(options.liftWork) * effort);
        seconds *= effort;
    }
    options.deadline = std::min(m_deadline, Clock::now() + std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)));
    Result<SearchResult> found = searchCounterexample(problem, first, options, m_stop);
    if (!found) {
        return tl::unexpected(found.error());
    }
    if (m_search && !found->candidate) {
        found->candidate = std::move(m_search->candidate);
    }
    if (m_search) {
        found->largestRelative = std::max(found->largestRelative, m_search->largestRelative);
        found->largestUlp = std::max(found->largestUlp, m_search->largestUlp);
        found->evaluated = found->evaluated || m_search->evaluated;
    }
    m_search = std::move(*found);
    return {};
}

Result<CheckResult> check(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions& options,
                          const CheckServices& services, std::stop_token stop) {
    if (options.definitions != nullptr) {
        for (std::shared_ptr<const Graph>* graph : {&reference, &rewritten}) {
            Graph defined = **graph;
            defined.definitions = options.definitions;
            *graph = std::make_shared<const Graph>(std::move(defined));
        }
    }
    return Checker(options, services, std::move(stop)).run(std::move(reference), std::move(rewritten));
}

} // namespace lemmascope
