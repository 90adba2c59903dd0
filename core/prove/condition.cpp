// Under which condition would the rewrite be right? Each candidate changes the failing part of the pair so that just the inputs that
// satisfy it are reached; samples sort out nearly all, the few that are left are proved by the whole engine. Tests:
// tests/core/prove/tst_condition.cpp.

#include "core/prove/condition.h"

#include "core/graph/infer.h"
#include "core/prove/candidates.h"
#include "core/prove/side_run.h"

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr std::size_t MostProofs = 6;
constexpr std::size_t MostSamples = 5;
constexpr std::size_t ReachSamples = 16;
constexpr std::uint64_t MostOperations = 2'000'000; ///< of one run

/// A pair that can be run and proved.
struct Trial {
    std::shared_ptr<const Graph> reference;
    std::shared_ptr<const Graph> rewritten;
    std::unique_ptr<GraphTree> referenceTree;
    std::unique_ptr<GraphTree> rewrittenTree;
    SearchProblem problem;
};

using Outputs = std::vector<std::optional<Tensor>>;

bool sameNumber(double x, double y, double scale) {
    if (!std::isfinite(x) || !std::isfinite(y)) {
        return (std::isnan(x) && std::isnan(y)) || x == y;
    }
    return std::fabs(x - y) <= 1e-6 * std::max({std::fabs(x), std::fabs(y), 1e-3 * scale});
}

bool agree(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape() || isFloat(a.element()) != isFloat(b.element()) || !isComputable(a.element()) || !isComputable(b.element())) {
        return a.shape() == b.shape() && a.element() == b.element() && a.sameBits(b);
    }
    double scale = 0.0;
    for (std::int64_t i = 0; i < a.count(); ++i) {
        const double x = std::fabs(a.toDouble(i));
        scale = std::isfinite(x) ? std::max(scale, x) : scale;
    }
    for (std::int64_t i = 0; i < a.count(); ++i) {
        if (isFloat(a.element()) ? !sameNumber(a.toDouble(i), b.toDouble(i), scale) : a.toInt64(i) != b.toInt64(i)) {
            return false;
        }
    }
    return true;
}

/// All elements of all outputs are one number.
bool flat(const Outputs& outputs) {
    return std::all_of(outputs.begin(), outputs.end(), [](const std::optional<Tensor>& tensor) {
        for (std::int64_t i = 1; tensor && isComputable(tensor->element()) && i < tensor->count(); ++i) {
            if (!sameNumber(tensor->toDouble(i), tensor->toDouble(0), 0.0)) {
                return false;
            }
        }
        return true;
    });
}

/// How much the outputs vary: over the samples, and over the elements of one.
struct Variety {
    bool overInputs = false;
    bool overElements = false;
};

Variety varietyOf(const std::vector<Outputs>& runs) {
    Variety out;
    for (const Outputs& outputs : runs) {
        out.overElements = out.overElements || !flat(outputs);
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            const std::optional<Tensor>& first = runs.front()[o];
            out.overInputs = out.overInputs || (first && outputs[o] && !agree(*first, *outputs[o]));
        }
    }
    return out;
}

/// `b` is `a` times one number, which is `factor` if there is one already.
bool scaled(const Outputs& a, const Outputs& b, std::optional<double>& factor) {
    for (std::size_t o = 0; o < a.size(); ++o) {
        if (!a[o] || !b[o] || a[o]->shape() != b[o]->shape() || !isFloat(a[o]->element()) || !isFloat(b[o]->element())) {
            return false;
        }
        for (std::int64_t i = 0; i < a[o]->count(); ++i) {
            const double x = a[o]->toDouble(i);
            const double y = b[o]->toDouble(i);
            if (!factor && std::fabs(x) > 1e-3 && std::isfinite(x) && std::isfinite(y)) {
                factor = static_cast<double>(static_cast<float>(y / x)); // such numbers are float32 in the graph
            }
            if (!factor || !(std::fabs(y - x * *factor) <= 1e-6 * std::max(std::fabs(y), 1e-3))) {
                return false;
            }
        }
    }
    return true;
}

class ConditionSearch {
  public:
    ConditionSearch(const CutPair& pair, const ConditionProblem& problem, std::stop_token stop)
        : m(pair), m_problem(problem), m_stop(std::move(stop)) {}
    std::optional<std::string> run();

  private:
    const CutPair& m;
    const ConditionProblem& m_problem;
    std::stop_token m_stop;
    Variety m_base;

    [[nodiscard]] bool expired() const { return m_stop.stop_requested() || std::chrono::steady_clock::now() > m_problem.deadline; }
    [[nodiscard]] std::optional<Trial> trial(const ConditionCandidate* candidate) const;
    [[nodiscard]] std::vector<Candidate> samples(const Trial& trial) const;
    [[nodiscard]] std::optional<Outputs> outputsOf(const Trial& trial, const Candidate& sample, const Evaluation* reference, Evaluation& run) const;
    [[nodiscard]] bool survives(const Trial& trial) const;
    [[nodiscard]] bool leavesNothing(const ConditionCandidate& candidate) const;
    [[nodiscard]] bool reachable(const ConditionCandidate& candidate) const;
    [[nodiscard]] std::map<std::string, IntegerRange> symbolsOf(const Graph& graph) const;
};

std::map<std::string, IntegerRange> ConditionSearch::symbolsOf(const Graph& graph) const {
    std::map<std::string, IntegerRange> out;
    std::vector<std::string> names;
    for (const ValueId input : graph.inputs) {
        for (const Dim& dim : graph.value(input).type.shape.value_or(Shape())) {
            dim.collectSymbols(names);
        }
    }
    for (const std::string& name : names) {
        const auto at = m_problem.search->symbols.find(name);
        out[name] = at != m_problem.search->symbols.end() ? at->second : IntegerRange{1, 1'000'000};
    }
    return out;
}

std::optional<Trial> ConditionSearch::trial(const ConditionCandidate* candidate) const {
    Graph reference = m.reference;
    Graph rewritten = m.rewritten;
    if (candidate != nullptr && candidate->apply && !candidate->apply(reference, rewritten)) {
        return std::nullopt;
    }
    InferOptions options;
    if (candidate != nullptr) {
        options.sizes = candidate->sizes;
        options.renamed = candidate->renamed;
    }
    Trial out;
    for (Graph* graph : {&reference, &rewritten}) {
        // What was inferred before is no longer so.
        for (Value& value : graph->values) {
            if (value.producer.isValid()) {
                value.type = TensorType{};
                value.elements.reset();
            }
        }
        Result<std::shared_ptr<const Graph>> typed = inferTypes(*graph, options, m_stop);
        if (!typed) {
            return std::nullopt;
        }
        Result<GraphTree> tree = GraphTree::build(*typed);
        if (!tree) {
            return std::nullopt;
        }
        (graph == &reference ? out.reference : out.rewritten) = *typed;
        (graph == &reference ? out.referenceTree : out.rewrittenTree) = std::make_unique<GraphTree>(std::move(*tree));
    }
    const Graph& top = *out.reference;
    out.problem.reference = out.referenceTree.get();
    out.problem.rewritten = out.rewrittenTree.get();
    for (std::size_t k = 0; k < top.inputs.size() && k < out.rewritten->inputs.size(); ++k) {
        const Value& value = top.value(top.inputs[k]);
        out.problem.inputs.push_back({value.name, k, k, value.type, value.range});
    }
    for (std::size_t o = 0; o < top.outputs.size(); ++o) {
        out.problem.outputs.push_back({top.outputName(o), FlatValueId(top.outputs[o].index), FlatValueId(out.rewritten->outputs[o].index)});
    }
    out.problem.symbols = symbolsOf(top);
    return out;
}

std::vector<Candidate> ConditionSearch::samples(const Trial& trial) const {
    // Lengths that differ from each other tell the most; those of the counterexample show what is known to fail.
    std::vector<std::map<std::string, std::int64_t>> sizes;
    for (const std::int64_t base : {5, 3}) {
        std::map<std::string, std::int64_t> one;
        std::int64_t next = base;
        for (const auto& [name, range] : trial.problem.symbols) {
            one[name] = std::clamp(next, range.low, range.high);
            next += 2;
        }
        if (sizes.empty() || sizes.back() != one) {
            sizes.push_back(std::move(one));
        }
    }
    if (m_problem.found != nullptr && !trial.problem.symbols.empty()) {
        std::map<std::string, std::int64_t> one = sizes.back();
        for (auto& [name, length] : one) {
            const auto at = m_problem.found->sizes.find(name);
            length = at != m_problem.found->sizes.end() ? at->second : length;
            if (name.ends_with("+1")) { // counted from 1 here, told from 0
                const auto own = m_problem.found->sizes.find(name.substr(0, name.size() - 2));
                length = own != m_problem.found->sizes.end() ? own->second + 1 : length;
            }
        }
        sizes.push_back(std::move(one));
    }
    std::vector<Candidate> out;
    for (const std::size_t pattern : {8U, 15U, 3U, 10U, 12U}) {
        for (const auto& one : sizes) {
            if (out.size() < MostSamples + sizes.size() - 1) {
                if (std::optional<Candidate> sample = makeCandidate(trial.problem, one, pattern, m_problem.seed)) {
                    out.push_back(std::move(*sample));
                }
            }
        }
    }
    return out;
}

std::optional<Outputs> ConditionSearch::outputsOf(const Trial& trial, const Candidate& sample, const Evaluation* reference, Evaluation& run) const {
    Result<EvaluateOptions> options = sideOptions(trial.problem, reference, sample, Arithmetic::Double);
    if (!options) {
        return std::nullopt;
    }
    options->maxOperations = MostOperations;
    options->keepAll = false;
    const bool rewritten = reference != nullptr;
    Result<Evaluation> result =
        evaluate(rewritten ? *trial.rewrittenTree : *trial.referenceTree, inputsOf(trial.problem, rewritten, sample.inputs), *options, m_stop);
    if (!result) {
        return std::nullopt;
    }
    run = std::move(*result);
    Outputs out;
    for (const SearchOutput& output : trial.problem.outputs) {
        out.push_back(run.values[(rewritten ? output.rewritten : output.reference).index]);
    }
    return out;
}

bool ConditionSearch::survives(const Trial& trial) const {
    std::vector<Outputs> seen;
    for (const Candidate& sample : samples(trial)) {
        if (expired()) {
            return false;
        }
        Evaluation mine;
        Evaluation theirs;
        const std::optional<Outputs> reference = outputsOf(trial, sample, nullptr, mine);
        if (!reference || mine.fault) {
            continue; // the graph does not run at these sizes, or has no answer
        }
        const std::optional<Outputs> rewritten = outputsOf(trial, sample, &mine, theirs);
        if (!rewritten || theirs.fault) {
            return false;
        }
        for (std::size_t o = 0; o < reference->size(); ++o) {
            if ((*reference)[o] && (*rewritten)[o] && !agree(*(*reference)[o], *(*rewritten)[o])) {
                return false;
            }
        }
        seen.push_back(*reference);
    }
    if (seen.empty()) {
        return false;
    }
    const Variety variety = varietyOf(seen);
    return (variety.overInputs || !m_base.overInputs) && (variety.overElements || !m_base.overElements);
}

/// Every input of the whole pair is fixed. The failing part alone does not show it: its other sources are computed from these inputs.
bool ConditionSearch::leavesNothing(const ConditionCandidate& candidate) const {
    const auto isFixed = [&](const SearchInput& input) {
        return std::any_of(candidate.sources.begin(), candidate.sources.end(),
                           [&](std::size_t s) { return m.sources[s].kind == CutSource::Kind::Input && m.sources[s].name == input.name; });
    };
    const auto& inputs = m_problem.search->inputs;
    return candidate.fixes && std::all_of(inputs.begin(), inputs.end(), isFixed);
}

/// Inputs and constants may be anything of their type; a value that is computed must be seen to be as the condition asks.
bool ConditionSearch::reachable(const ConditionCandidate& candidate) const {
    const bool inner = std::any_of(candidate.sources.begin(), candidate.sources.end(),
                                   [this](std::size_t s) { return m.sources[s].kind == CutSource::Kind::Inner; });
    if (!inner) {
        return true;
    }
    if (!candidate.holds) {
        return false;
    }
    const SearchProblem& whole = *m_problem.search;
    const auto sizes = candidateSizes(whole);
    for (std::size_t k = 0; k < ReachSamples && !expired(); ++k) {
        const std::optional<Candidate> sample = makeCandidate(whole, sizes[k % std::min<std::size_t>(sizes.size(), 2)], k, m_problem.seed);
        if (!sample) {
            continue;
        }
        Result<EvaluateOptions> options = sideOptions(whole, nullptr, *sample, Arithmetic::Double);
        if (!options) {
            return false;
        }
        options->maxOperations = 20 * MostOperations;
        const Result<Evaluation> run = evaluate(*whole.reference, inputsOf(whole, false, sample->inputs), *options, m_stop);
        if (!run || run->fault) {
            continue;
        }
        std::vector<Tensor> values;
        for (const std::size_t s : candidate.sources) {
            const std::optional<Tensor>& value = run->values[m.sources[s].original.index];
            if (value && m.sources[s].kind == CutSource::Kind::Inner) {
                values.push_back(*value);
            } else if (m.sources[s].kind == CutSource::Kind::Inner) {
                break;
            } else {
                values.push_back(value.value_or(Tensor(m.sources[s].type.element, {})));
            }
        }
        if (values.size() == candidate.sources.size() && candidate.holds(values)) {
            return true;
        }
    }
    return false;
}

std::optional<std::string> ConditionSearch::run() {
    const std::optional<Trial> base = trial(nullptr);
    if (!base) {
        return std::nullopt;
    }
    std::vector<Outputs> seen;
    std::optional<double> factor;
    bool steady = true; // the rewritten outputs are the reference's times one number, on every sample
    for (const Candidate& sample : samples(*base)) {
        Evaluation mine;
        Evaluation theirs;
        const std::optional<Outputs> outputs = outputsOf(*base, sample, nullptr, mine);
        if (!outputs || mine.fault) {
            continue;
        }
        seen.push_back(*outputs);
        const std::optional<Outputs> rewritten = outputsOf(*base, sample, &mine, theirs);
        steady = steady && rewritten && !theirs.fault && scaled(*outputs, *rewritten, factor);
    }
    std::vector<double> factors;
    if (steady && factor && std::isfinite(*factor) && *factor != 0.0) {
        factors = {*factor, 1.0 / *factor};
    }
    if (!seen.empty()) {
        m_base = varietyOf(seen);
    }
    std::size_t proofs = 0;
    for (const ConditionCandidate& candidate : conditionCandidates(m, symbolsOf(m.reference), factors)) {
        if (expired() || proofs >= MostProofs) {
            break;
        }
        if (leavesNothing(candidate)) {
            continue;
        }
        const std::optional<Trial> changed = trial(&candidate);
        if (!changed || !survives(*changed) || !reachable(candidate)) {
            continue;
        }
        ++proofs;
        if (m_problem.prove(changed->reference, changed->rewritten)) {
            return candidate.text;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<std::string> findCondition(const CutPair& pair, const ConditionProblem& problem, std::stop_token stop) {
    CutPair declared = pair;
    for (const CutSource& source : pair.sources) {
        if (const auto at = problem.ranges.find(source.name); at != problem.ranges.end() && source.kind == CutSource::Kind::Input) {
            declared.reference.values.at(source.reference.index).range = at->second;
            declared.rewritten.values.at(source.rewritten.index).range = at->second;
        }
    }
    return ConditionSearch(declared, problem, std::move(stop)).run();
}

} // namespace lemmascope
