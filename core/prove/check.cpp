// The whole check: pair the graphs, build their terms, prove what can be proved, look for counterexamples to the rest. Cheap
// steps come first; a difference is looked for before the dear ones, since most wrong rewrites show on the first samples.

#include "core/prove/check.h"

#include "core/prove/candidates.h"
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

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

/// A number in SMT-LIB's text: `(- 3)`, `(/ 1.0 3.0)`, `#b01`, `#xff`, `(_ bv5 32)`.
std::optional<double> smtNumber(const std::string& text, ElementType type) {
    std::string s = text;
    const auto trim = [](std::string& t) {
        while (!t.empty() && t.front() == ' ') {
            t.erase(t.begin());
        }
        while (!t.empty() && (t.back() == ' ' || t.back() == '?')) {
            t.pop_back();
        }
    };
    trim(s);
    if (s == "true" || s == "false") {
        return s == "true" ? 1.0 : 0.0;
    }
    if (s.starts_with("#x") || s.starts_with("#b")) {
        std::uint64_t bits = 0;
        const int base = s[1] == 'x' ? 16 : 2;
        const auto parsed = std::from_chars(s.data() + 2, s.data() + s.size(), bits, base);
        if (parsed.ec != std::errc{}) {
            return std::nullopt;
        }
        const unsigned width = bitWidth(type);
        if (isSignedInteger(type) && width < 64 && (bits >> (width - 1U)) != 0) {
            return static_cast<double>(bits) - std::ldexp(1.0, static_cast<int>(width));
        }
        return isSignedInteger(type) ? static_cast<double>(static_cast<std::int64_t>(bits)) : static_cast<double>(bits);
    }
    if (s.starts_with("(- ") && s.back() == ')') {
        const std::optional<double> inner = smtNumber(s.substr(3, s.size() - 4), type);
        return inner ? std::optional<double>(-*inner) : std::nullopt;
    }
    if (s.starts_with("(/ ") && s.back() == ')') {
        std::string inner = s.substr(3, s.size() - 4);
        // the numerator may be parenthesised
        std::size_t depth = 0;
        for (std::size_t i = 0; i < inner.size(); ++i) {
            depth += inner[i] == '(' ? 1 : 0;
            depth -= inner[i] == ')' ? 1 : 0;
            if (inner[i] == ' ' && depth == 0) {
                const std::optional<double> a = smtNumber(inner.substr(0, i), type);
                const std::optional<double> b = smtNumber(inner.substr(i + 1), type);
                return a && b && *b != 0.0 ? std::optional<double>(*a / *b) : std::nullopt;
            }
        }
        return std::nullopt;
    }
    double value = 0.0;
    const auto parsed = std::from_chars(s.data(), s.data() + s.size(), value);
    return parsed.ec == std::errc{} ? std::optional<double>(value) : std::nullopt;
}

class Checker {
  public:
    Checker(const CheckOptions& options, const CheckServices& services, std::stop_token stop)
        : m_options(options), m_services(services), m_stop(std::move(stop)), m_start(Clock::now()),
          m_deadline(m_start + std::chrono::milliseconds(static_cast<std::int64_t>(std::min(options.timeSeconds, 1e9) * 1000.0))) {}

    Result<CheckResult> run(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten);

  private:
    const CheckOptions& m_options;
    const CheckServices& m_services;
    std::stop_token m_stop;
    Clock::time_point m_start;
    Clock::time_point m_deadline;
    Pairing m_pairing;
    TermStore m_store;
    GraphTerms m_reference;
    GraphTerms m_rewritten;
    CheckResult m_result;
    std::vector<bool> m_open;        ///< outputs not yet proved
    std::vector<PairProof> m_proofs; ///< by output
    bool m_accessFails = false;
    std::string m_accessReason;
    std::optional<SearchResult> m_search;

    [[nodiscard]] Result<void> build();
    void proveAccesses(Prover& prover);
    [[nodiscard]] Result<void> decide(Prover& prover);
    [[nodiscard]] SearchProblem searchProblem(bool onlyOpen) const;
    [[nodiscard]] Result<void> search(Prover& prover, std::size_t samples, double seconds, bool onlyOpen);
    void conclude(Prover& prover);
    void concludeOutput(std::size_t index, Prover& prover);
    void blame();
    void describeLemmas(Prover& prover);
    void markNodes(Prover& prover);
    [[nodiscard]] std::vector<std::string> openOpsOf(std::size_t output) const;
    void report(CheckProgress::Stage stage, std::size_t decided, std::size_t total, const std::string& current = {}) const {
        if (m_services.progress) {
            m_services.progress(CheckProgress{stage, decided, total, current});
        }
    }
    [[nodiscard]] TermId referenceTerm(std::size_t output) const { return m_reference.values[m_result.outputs[output].reference.index]; }
    [[nodiscard]] TermId rewrittenTerm(std::size_t output) const { return m_rewritten.values[m_result.outputs[output].rewritten.index]; }
};

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

    Facts facts(m_store);
    for (std::size_t k = 0; k < m_pairing.inputs.size(); ++k) {
        if (m_pairing.inputs[k].range) {
            facts.declareInput(m_store.input(static_cast<std::uint32_t>(k), m_pairing.inputs[k].type), *m_pairing.inputs[k].range);
        }
    }
    for (const Access& access : m_reference.accesses) {
        facts.assume(access);
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
    m_result.times.lemmaCount = m_result.lemmas.size();
    m_result.times.solverCalls = prover.solverCalls();
    m_result.times.cacheHits = prover.cacheHits();
    m_result.times.termCount = m_store.size();
    m_result.times.total = secondsSince(m_start);
    report(CheckProgress::Stage::Done, m_result.lemmas.size(), m_result.lemmas.size());
    return std::move(m_result);
}

void Checker::proveAccesses(Prover& prover) {
    for (const Access& access : m_rewritten.accesses) {
        const Node& node = m_result.rewritten->node(access.node);
        const bool dead = !m_rewritten.live[access.node.index];
        std::string title = access.kind == Access::Kind::Divide ? "divisor of " : access.kind == Access::Kind::Read ? "read of " : "write of ";
        title += (access.kind == Access::Kind::Divide
                      ? node.op.name + " '" + m_result.rewritten->path(access.node) + "' is not 0"
                      : access.buffer + " by " + node.op.name + " '" + m_result.rewritten->path(access.node) + "' is in range");
        title += dead ? " (a dead access)" : "";
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
    for (const std::size_t o : remaining()) {
        done(o, prover.proveExactly(referenceTerm(o), rewrittenTerm(o), title(o), false));
    }
    m_result.times.decide = secondsSince(start);
    if (m_options.lookForCounterexample && (!remaining().empty() || m_accessFails)) {
        const Clock::time_point searchStart = Clock::now();
        if (Result<void> searched = search(prover, 32, std::min(10.0, m_options.timeSeconds / 4), true); !searched) {
            return searched;
        }
        m_result.times.refute += secondsSince(searchStart);
    }
    if (m_search && m_search->found) {
        return {};
    }
    const Clock::time_point dear = Clock::now();
    for (const std::size_t o : remaining()) {
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
        if (Result<void> searched = search(prover, 160, std::min(30.0, m_options.timeSeconds / 3), true); !searched) {
            return searched;
        }
        m_result.times.refute += secondsSince(searchStart);
    } else if (m_options.lookForCounterexample) {
        const bool rounds = std::any_of(m_proofs.begin(), m_proofs.end(),
                                        [](const PairProof& p) { return p.verdict == LemmaVerdict::Holds && p.strength >= Strength::Exact; });
        if (rounds) {
            // How far rounding takes the two apart on samples, and a check of the proof by an oracle that shares no code with it.
            const Clock::time_point searchStart = Clock::now();
            if (Result<void> searched = search(prover, 8, 1.0, false); !searched) {
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
        problem.inputs.push_back({m_store.inputNames[k], input.reference, input.rewritten, input.type, input.range});
    }
    for (std::size_t o = 0; o < m_result.outputs.size(); ++o) {
        const OutputResult& output = m_result.outputs[o];
        if ((!onlyOpen || m_open[o]) && output.rewritten.isValid() && output.kind != RefutationKind::Type) {
            problem.outputs.push_back({output.name, output.reference, output.rewritten});
        }
    }
    problem.symbols = m_pairing.symbols;
    problem.lookForFaults = m_accessFails;
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
            if (producer.isValid() && terms.values[v].isValid() && !hasKernel(tree.node(producer).op) && !tree.node(producer).body &&
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

Result<void> Checker::search(Prover& prover, std::size_t samples, double seconds, bool onlyOpen) {
    report(CheckProgress::Stage::Refuting, 0, samples);
    const SearchProblem problem = searchProblem(onlyOpen);
    std::vector<Candidate> first;
    if (!m_options.userInputs.empty()) {
        Candidate candidate;
        bool complete = true;
        for (const SearchInput& input : problem.inputs) {
            const auto at =
                std::find_if(m_options.userInputs.begin(), m_options.userInputs.end(), [&](const auto& pair) { return pair.first == input.name; });
            complete = complete && at != m_options.userInputs.end();
            if (complete) {
                candidate.inputs.push_back(at->second);
                for (std::size_t axis = 0; input.type.shape && axis < input.type.shape->size() && axis < at->second.shape().size(); ++axis) {
                    if (const std::optional<std::string> symbol = (*input.type.shape)[axis].symbolName()) {
                        candidate.sizes[*symbol] = at->second.shape()[axis];
                    }
                }
            }
        }
        if (complete) {
            first.push_back(std::move(candidate));
        }
    }
    // The solver's models, filled up with small numbers where they say nothing.
    for (const std::vector<Prover::InputHint>& hint : prover.hints()) {
        for (const std::size_t base : {1UL, 0UL}) {
            if (!m_pairing.symbols.empty()) {
                break;
            }
            std::optional<Candidate> candidate = makeCandidate(problem, {}, base, m_options.seed);
            if (!candidate) {
                break;
            }
            for (const Prover::InputHint& part : hint) {
                const std::size_t input = m_store.term(part.input).payload;
                if (input < candidate->inputs.size() && part.index < candidate->inputs[input].count()) {
                    if (const std::optional<double> value = smtNumber(part.value, candidate->inputs[input].element())) {
                        setElement(candidate->inputs[input], part.index, *value);
                    }
                }
            }
            first.push_back(std::move(*candidate));
        }
    }
    SearchOptions options;
    options.seed = m_options.seed;
    options.samples = samples;
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
            if (m_store.kind(top) == TermKind::Apply && m_store.op(top).open) {
                const std::string& name = m_store.op(top).name;
                names.insert(name.substr(0, name.find('@')));
            }
            const auto operands = m_store.operands(top);
            stack.insert(stack.end(), operands.begin(), operands.end());
        }
    }
    return {names.begin(), names.end()};
}

std::string joined(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) {
        out += (out.empty() ? "" : ", ") + name;
    }
    return out;
}

void Checker::concludeOutput(std::size_t index, Prover& prover) {
    OutputResult& output = m_result.outputs[index];
    const PairProof& proof = m_proofs[index];
    if (output.kind == RefutationKind::Type) {
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
        const std::string where = output.name + (candidate.index.empty() ? "" : at + "]");
        output.reason = size == "0" ? "differs over the reals at " + where + " by less than the type resolves, not separable from rounding"
                                    : "differs by " + size + " at " + where + ", not separable from rounding";
    } else if (proof.verdict == LemmaVerdict::Fails) {
        output.verdict = Verdict::Unproved;
        output.reason =
            proof.openOps.empty() ? "a lemma fails, but no inputs were found on which the graphs differ" : "relies on " + joined(proof.openOps);
    } else {
        output.verdict = Verdict::Undecided;
        output.reason = proof.reason.empty() ? "no lemma decides it" : proof.reason;
        if (!proof.openOps.empty() && output.reason == "the exact normal forms differ") {
            output.reason += " (the meaning of " + joined(proof.openOps) + " is left open)";
        }
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
}

void Checker::blame() {
    if (!m_search || !m_search->found) {
        return;
    }
    const Counterexample& found = *m_search->found;
    const auto add = [&](FlatNodeId node, const std::string& attribute) {
        Blame one;
        one.side = Side::Rewritten;
        one.node = node;
        one.nodeName = m_result.rewritten->path(node);
        one.attribute = attribute;
        if (std::find(m_result.blame.begin(), m_result.blame.end(), one) == m_result.blame.end() && m_result.blame.size() < 8) {
            m_result.blame.push_back(one);
        }
    };
    if (m_search->fault && found.rewrittenRun.fault) {
        add(found.rewrittenRun.fault->node, {});
        return;
    }
    // Nodes that differ while everything they read is shared come first: those with a partner of the same op and another
    // attribute before the others; then whatever stands at the first differing pair of values.
    std::vector<std::pair<int, FlatNodeId>> ranked;
    const std::vector<NodeRelation>& relations = m_result.correspondence.rewritten;
    const GraphTree& tree = *m_result.rewritten;
    FlatValueId from;
    for (const OutputResult& output : m_result.outputs) {
        if (output.name == found.output) {
            from = output.rewritten;
        }
    }
    for (const FlatNodeId node : differingCone(tree, m_result.correspondence, Side::Rewritten, from, 2000)) {
        const std::vector<FlatValueId> operands = operandsOf(tree, node);
        const bool frontier = std::all_of(operands.begin(), operands.end(), [&](FlatValueId v) {
            const FlatNodeId producer = producerOf(tree, v);
            return !producer.isValid() || relations[producer.index].mark == NodeMark::Shared;
        });
        const FlatNodeId partner = relations[node.index].partner;
        const bool attribute = partner.isValid() && !nodeDifference(m_result.reference->node(partner), tree.node(node)).attribute.empty();
        ranked.emplace_back((attribute ? 0 : 2) + (frontier ? 0 : 1), node);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (const auto& [rank, node] : ranked) {
        const FlatNodeId partner = relations[node.index].partner;
        add(node, partner.isValid() ? nodeDifference(m_result.reference->node(partner), tree.node(node)).attribute : std::string());
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
    if (m_result.strength == Strength::Exact) {
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

} // namespace

Result<CheckResult> check(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions& options,
                          const CheckServices& services, std::stop_token stop) {
    return Checker(options, services, std::move(stop)).run(std::move(reference), std::move(rewritten));
}

} // namespace lemmascope
