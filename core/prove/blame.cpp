// Which node is wrong. Values are matched by what they are on samples, never by name alone, so that renamed, fused and reordered graphs
// are served too; what matches here is a hint for the reader and proves nothing. Tests: tests/core/prove/tst_blame.cpp, tests/mutants.

#include "core/prove/blame.h"

#include "core/prove/candidates.h"
#include "core/prove/correspondence.h"
#include "core/prove/side_run.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lemmascope {

namespace {

constexpr std::size_t MostBlamed = 8;
constexpr std::size_t MostSamples = 7;

bool isFinite(double value) { return std::isfinite(value); }

/// The same within `tolerance` of each element (of a small part of the largest, where elements cancel); integers and bools exactly;
/// what is not finite in kind.
bool near(const Tensor& a, const Tensor& b, double tolerance) {
    if (a.shape() != b.shape() || isFloat(a.element()) != isFloat(b.element())) {
        return false;
    }
    if (!isFloat(a.element())) {
        for (std::int64_t i = 0; i < a.count(); ++i) {
            if (a.toInt64(i) != b.toInt64(i)) {
                return false;
            }
        }
        return true;
    }
    double scale = 0.0;
    for (std::int64_t i = 0; i < a.count(); ++i) {
        const double x = a.toDouble(i);
        scale = isFinite(x) ? std::max(scale, std::fabs(x)) : scale;
    }
    for (std::int64_t i = 0; i < a.count(); ++i) {
        const double x = a.toDouble(i);
        const double y = b.toDouble(i);
        if (isFinite(x) != isFinite(y) || (isFinite(x) && std::fabs(x - y) > tolerance * std::max({std::fabs(x), std::fabs(y), 1e-4 * scale}))) {
            return false;
        }
    }
    return true;
}

class Blamer {
  public:
    Blamer(const SearchProblem& problem, const Correspondence& correspondence, const Counterexample& found, std::uint64_t seed, std::stop_token stop)
        : m(problem), m_correspondence(correspondence), m_found(found), m_seed(seed), m_stop(std::move(stop)) {}

    std::vector<Blame> run();

  private:
    using Values = std::vector<std::optional<Tensor>>;
    struct Sample {
        std::vector<std::optional<Tensor>> inputs; ///< of the rewritten graph
        std::map<FlatValueId, Tensor> given;       ///< to it: results of open ops, accepted differences
        Values reference;
        Values rewritten;
    };
    struct Suspect {
        FlatNodeId node;
        std::size_t order = 0;
        bool frontier = false;
        bool restores = false;
        bool movedOnly = false; ///< its result is a value of the reference up to order, sign and scale
        FlatNodeId partner;     ///< whose result restores, or which has the name
    };

    const SearchProblem& m;
    const Correspondence& m_correspondence;
    const Counterexample& m_found;
    std::uint64_t m_seed;
    std::stop_token m_stop;
    std::vector<Sample> m_samples;
    double m_tolerance = 1e-5;
    std::vector<FlatValueId> m_matched;                 ///< by rewritten value
    std::vector<bool> m_matchedInReference;             ///< by reference value
    std::vector<std::size_t> m_order;                   ///< by rewritten node: place in the order of evaluation
    std::vector<std::size_t> m_rank;                    ///< by reference value: place of its producer
    std::vector<bool> m_stateful;                       ///< by instance of the rewritten tree: a loop or branch, whose values are not one each
    std::vector<std::vector<std::uint32_t>> m_topReads; ///< by top-level node of the rewritten graph: top-level values it reads

    void addSample(const Candidate& candidate);
    void sample();
    [[nodiscard]] bool outputsAgree(const Sample& sample, const Values& rewritten) const;
    void match();
    [[nodiscard]] bool isMatched(FlatValueId value) const;
    [[nodiscard]] std::vector<FlatNodeId> differingNodes() const;
    [[nodiscard]] std::vector<FlatValueId> replacementsFor(FlatValueId value) const;
    [[nodiscard]] bool restoresAt(const Sample& sample, FlatValueId value, const Tensor& replacement) const;
    [[nodiscard]] bool onlyMoved(FlatValueId value) const;
    [[nodiscard]] bool eligible(const GraphTree& tree, FlatValueId value) const;
    [[nodiscard]] std::optional<std::string> differenceOf(FlatNodeId partner, FlatNodeId node) const;
    [[nodiscard]] bool attributesMeanTheSame(FlatNodeId partner, FlatNodeId node) const;
    [[nodiscard]] bool doesItsJob(FlatNodeId node) const;
    [[nodiscard]] std::optional<FlatValueId> restoringValue(FlatValueId value, const std::vector<FlatValueId>& replacements, std::size_t& runs) const;
    void considerDisguised(std::vector<Suspect>& suspects, std::size_t& runs) const;
    void describeOrder();
};

void Blamer::addSample(const Candidate& candidate) {
    const Result<EvaluateOptions> mine = sideOptions(m, nullptr, candidate, Arithmetic::Double);
    Result<Evaluation> reference = mine ? evaluate(*m.reference, inputsOf(m, false, candidate.inputs), *mine, m_stop) : tl::unexpected(mine.error());
    if (!reference || reference->fault) {
        return;
    }
    Result<EvaluateOptions> theirs = sideOptions(m, &*reference, candidate, Arithmetic::Double);
    if (!theirs) {
        return;
    }
    std::vector<std::optional<Tensor>> inputs = inputsOf(m, true, candidate.inputs);
    Result<Evaluation> rewritten = evaluate(*m.rewritten, inputs, *theirs, m_stop);
    if (rewritten) {
        m_samples.push_back({std::move(inputs), std::move(theirs->given), std::move(reference->values), std::move(rewritten->values)});
    }
}

void Blamer::sample() {
    Candidate shown;
    shown.sizes = m_found.sizes;
    for (const auto& [name, tensor] : m_found.inputs) {
        shown.inputs.push_back(tensor);
    }
    addSample(shown);
    // Counterexamples are small, and many values coincide there: a few that are not, at lengths that differ from each other and from
    // those that stand in the graphs.
    std::vector<std::map<std::string, std::int64_t>> trials;
    for (const std::int64_t base : {5, 3}) {
        std::map<std::string, std::int64_t> sizes;
        std::int64_t next = base;
        for (const auto& [name, range] : m.symbols) {
            sizes[name] = std::clamp(next, range.low, range.high);
            next += 2;
        }
        trials.push_back(std::move(sizes));
    }
    const auto usual = candidateSizes(m);
    trials.insert(trials.end(), usual.begin(), usual.end());
    std::size_t sizesUsed = 0;
    for (std::size_t t = 0; t < trials.size() && t < 12 && sizesUsed < (m.symbols.empty() ? 1U : 2U) && !m_stop.stop_requested(); ++t) {
        const std::size_t before = m_samples.size();
        for (const std::size_t pattern : {3U, 8U, 15U, 10U}) {
            if (m_samples.size() < MostSamples && (pattern == 3U || m_samples.size() > before)) {
                if (const std::optional<Candidate> candidate = makeCandidate(m, trials[t], pattern, m_seed)) {
                    addSample(*candidate);
                }
            }
        }
        sizesUsed += m_samples.size() > before ? 1 : 0;
    }
}

bool Blamer::outputsAgree(const Sample& sample, const Values& rewritten) const {
    return std::all_of(m.outputs.begin(), m.outputs.end(), [&](const SearchOutput& output) {
        const auto& a = sample.reference[output.reference.index];
        const auto& b = rewritten[output.rewritten.index];
        return !a || (b && near(*a, *b, m_tolerance));
    });
}

bool Blamer::eligible(const GraphTree& tree, FlatValueId value) const {
    // Top level and fused bodies: values that are computed once.
    const GraphInstance* at = &tree.instanceOf(value);
    while (at->parent != Id<void>::Invalid) {
        if (at->role != "body" || !tree.instances()[at->parent].graph->node(at->parentNode).body) {
            return false;
        }
        at = &tree.instances()[at->parent];
    }
    return isComputable(tree.value(value).type.element);
}

void Blamer::match() {
    // Candidates with nearly the same projection on fixed weights, then element by element.
    struct Signature {
        double projection = 0.0;
        double norm = 0.0;
        FlatValueId value;
        bool flat = true; ///< all elements of each sample are equal: such values coincide too easily
    };
    const auto alike = [&](FlatValueId reference, FlatValueId rewritten) {
        const FlatNodeId a = producerOf(*m.reference, reference);
        const FlatNodeId b = producerOf(*m.rewritten, rewritten);
        return m_correspondence.partnerOfReferenceValue[reference.index] == rewritten ||
               (a.isValid() && b.isValid() && m.reference->node(a).op.name == m.rewritten->node(b).op.name);
    };
    const auto signatures = [&](const GraphTree& tree, bool rewritten) {
        std::map<std::string, std::vector<Signature>> out;
        for (std::size_t v = 0; v < tree.valueCount(); ++v) {
            const FlatValueId id(v);
            if (tree.value(id).constant || !eligible(tree, id)) {
                continue;
            }
            Signature one;
            one.value = id;
            std::string key;
            bool everywhere = true;
            for (const Sample& sample : m_samples) {
                const auto& tensor = rewritten ? sample.rewritten[v] : sample.reference[v];
                if (!tensor) {
                    everywhere = false;
                    break;
                }
                key += std::string(isFloat(tensor->element()) ? "f" : name(tensor->element()));
                for (const std::int64_t length : tensor->shape()) {
                    key += "," + std::to_string(length);
                }
                for (std::int64_t i = 0; i < tensor->count(); ++i) {
                    const double weight = 0.5 + static_cast<double>((static_cast<std::uint64_t>(i) * 0x9E3779B97F4A7C15ULL) >> 40U) * 0x1p-24;
                    const double element = tensor->toDouble(i);
                    one.flat = one.flat && element == tensor->toDouble(0);
                    if (isFinite(element)) {
                        one.projection += weight * element;
                        one.norm += std::fabs(weight * element);
                    }
                }
            }
            if (everywhere) {
                out[key].push_back(one);
            }
        }
        for (auto& [key, list] : out) {
            std::stable_sort(list.begin(), list.end(), [](const Signature& a, const Signature& b) { return a.projection < b.projection; });
        }
        return out;
    };
    m_matched.assign(m.rewritten->valueCount(), FlatValueId());
    m_matchedInReference.assign(m.reference->valueCount(), false);
    const auto mine = signatures(*m.reference, false);
    for (const auto& [key, list] : signatures(*m.rewritten, true)) {
        const auto at = mine.find(key);
        if (at == mine.end()) {
            continue;
        }
        for (const Signature& one : list) {
            const double slack = 2.0 * m_tolerance * one.norm * static_cast<double>(m_samples.size()) + 1e-300;
            auto first = std::lower_bound(at->second.begin(), at->second.end(), one.projection - slack,
                                          [](const Signature& a, double value) { return a.projection < value; });
            for (std::size_t tried = 0; first != at->second.end() && first->projection <= one.projection + slack && tried < 64; ++first, ++tried) {
                const bool same =
                    (!one.flat || alike(first->value, one.value)) && std::all_of(m_samples.begin(), m_samples.end(), [&](const Sample& sample) {
                        return near(*sample.reference[first->value.index], *sample.rewritten[one.value.index], m_tolerance);
                    });
                if (same) {
                    m_matchedInReference[first->value.index] = true;
                    if (!m_matched[one.value.index].isValid()) {
                        m_matched[one.value.index] = first->value;
                    }
                }
            }
        }
    }
}

bool Blamer::isMatched(FlatValueId value) const {
    const Value& data = m.rewritten->value(value);
    if (data.constant || m_matched[value.index].isValid()) {
        return true;
    }
    return !data.producer.isValid(); // an input; inside bodies the outer value decides, which is matched or a suspect itself
}

void Blamer::describeOrder() {
    const auto ordered = [](const GraphTree& tree) {
        // Nested nodes stand where their outermost node stands.
        std::vector<std::size_t> out(tree.nodeCount());
        std::vector<FlatNodeId> nodes;
        for (std::size_t n = 0; n < tree.nodeCount(); ++n) {
            nodes.emplace_back(n);
        }
        const auto outermost = [&tree](FlatNodeId node) {
            const GraphInstance* at = &tree.instanceOf(node);
            std::size_t index = node.index - at->nodeBase;
            while (at->parent != Id<void>::Invalid) {
                index = at->parentNode.index;
                at = &tree.instances()[at->parent];
            }
            return index;
        };
        std::vector<std::size_t> keys(tree.nodeCount());
        for (const FlatNodeId node : nodes) {
            keys[node.index] = outermost(node);
        }
        std::stable_sort(nodes.begin(), nodes.end(), [&](FlatNodeId a, FlatNodeId b) {
            // What stands inside comes before the node around it: it is the nearer place.
            return keys[a.index] != keys[b.index] ? keys[a.index] < keys[b.index] : tree.instanceOf(a).depth > tree.instanceOf(b).depth;
        });
        for (std::size_t k = 0; k < nodes.size(); ++k) {
            out[nodes[k].index] = k;
        }
        return out;
    };
    m_order = ordered(*m.rewritten);
    const std::vector<std::size_t> mine = ordered(*m.reference);
    m_rank.assign(m.reference->valueCount(), 0);
    for (std::size_t v = 0; v < m.reference->valueCount(); ++v) {
        const FlatNodeId producer = producerOf(*m.reference, FlatValueId(v));
        m_rank[v] = producer.isValid() ? mine[producer.index] + 1 : 0;
    }
    const Graph& top = m.rewritten->top();
    m_topReads.resize(top.nodes.size());
    for (std::size_t n = 0; n < top.nodes.size(); ++n) {
        for (const ValueId operand : top.nodes[n].operands) {
            if (operand.isValid()) {
                m_topReads[n].push_back(operand.index);
            }
        }
        for (const auto& [role, nested] : Graph::nestedGraphs(top.nodes[n])) {
            for (const Capture& capture : nested->captures) {
                m_topReads[n].push_back(capture.outer.index);
            }
        }
    }
}

std::vector<FlatNodeId> Blamer::differingNodes() const {
    // Upwards from the outputs that differ, through values that are not matched.
    std::vector<FlatNodeId> out;
    std::vector<bool> seen(m.rewritten->nodeCount(), false);
    std::vector<FlatValueId> stack;
    for (const SearchOutput& output : m.outputs) {
        const bool differs = std::any_of(m_samples.begin(), m_samples.end(), [&](const Sample& sample) {
            const auto& a = sample.reference[output.reference.index];
            const auto& b = sample.rewritten[output.rewritten.index];
            return a && (!b || !near(*a, *b, m_tolerance));
        });
        if (differs) {
            stack.push_back(output.rewritten);
        }
    }
    const std::vector<FlatValueId> outputs = stack;
    while (!stack.empty()) {
        const FlatValueId value = stack.back();
        stack.pop_back();
        const FlatNodeId node = producerOf(*m.rewritten, value);
        if (!node.isValid()) {
            continue; // inputs of bodies: the node around them reads the outer value
        }
        // An output may equal another value of the reference and still not the one it should equal.
        if (seen[node.index] || (isMatched(value) && std::find(outputs.begin(), outputs.end(), value) == outputs.end())) {
            continue;
        }
        seen[node.index] = true;
        out.push_back(node);
        for (const FlatValueId operand : operandsOf(*m.rewritten, node)) {
            stack.push_back(operand);
        }
    }
    std::sort(out.begin(), out.end(), [&](FlatNodeId a, FlatNodeId b) { return m_order[a.index] < m_order[b.index]; });
    return out;
}

std::vector<FlatValueId> Blamer::replacementsFor(FlatValueId value) const {
    enum class Fit : std::uint8_t { Not, Rank, Shape };
    const auto fitOf = [&](FlatValueId candidate) {
        Fit fit = Fit::Shape;
        for (const Sample& sample : m_samples) {
            const auto& a = sample.reference[candidate.index];
            const auto& b = sample.rewritten[value.index];
            if (!a || !b || a->element() != b->element() || a->shape().size() != b->shape().size()) {
                return Fit::Not;
            }
            fit = a->shape() == b->shape() ? fit : Fit::Rank;
        }
        return fit;
    };
    std::vector<FlatValueId> named;
    std::vector<FlatValueId> own;
    std::vector<FlatValueId> other; // of another shape: a reduction over the wrong axis
    std::vector<FlatValueId> shared;
    for (std::size_t v = 0; v < m.reference->valueCount(); ++v) {
        const FlatValueId candidate(v);
        if (m.reference->value(candidate).constant || !eligible(*m.reference, candidate)) {
            continue;
        }
        const Fit fit = fitOf(candidate);
        if (fit == Fit::Not) {
            continue;
        }
        if (m_correspondence.partnerOfReferenceValue[v] == value) {
            named.push_back(candidate);
        } else if (m_matchedInReference[v]) {
            if (fit == Fit::Shape) {
                shared.push_back(candidate);
            }
        } else {
            (fit == Fit::Shape ? own : other).push_back(candidate);
        }
    }
    // Values that both graphs have are tried last, and few of them.
    own.resize(std::min<std::size_t>(own.size(), 24));
    other.resize(std::min<std::size_t>(other.size(), 12));
    shared.resize(std::min<std::size_t>(shared.size(), 8));
    for (const auto& list : {own, other, shared}) {
        named.insert(named.end(), list.begin(), list.end());
    }
    return named;
}

bool Blamer::restoresAt(const Sample& sample, FlatValueId value, const Tensor& replacement) const {
    // Only what reads the value is run again: everything else at the top level is given.
    const Graph& top = m.rewritten->top();
    const GraphInstance* at = &m.rewritten->instanceOf(value);
    EvaluateOptions options;
    options.arithmetic = Arithmetic::Double;
    options.given = sample.given;
    std::vector<bool> downstream(top.values.size(), false);
    std::optional<std::size_t> around; // the top-level node around a value of a body
    if (at->parent == Id<void>::Invalid) {
        downstream[value.index] = true;
    }
    while (at->parent != Id<void>::Invalid) {
        around = at->parentNode.index;
        at = &m.rewritten->instances()[at->parent];
    }
    for (std::size_t n = 0; n < top.nodes.size(); ++n) {
        const bool reads = around == n || std::any_of(m_topReads[n].begin(), m_topReads[n].end(), [&](std::uint32_t v) { return downstream[v]; });
        for (const ValueId result : top.nodes[n].results) {
            if (!result.isValid()) {
                continue;
            }
            if (reads) {
                downstream[result.index] = true;
            } else if (sample.rewritten[result.index] && result.index != value.index) {
                options.given.emplace(FlatValueId(result.index), *sample.rewritten[result.index]);
            }
        }
    }
    options.given.insert_or_assign(value, replacement);
    const Result<Evaluation> run = evaluate(*m.rewritten, sample.inputs, options, m_stop);
    return run && !run->fault && outputsAgree(sample, run->values);
}

bool Blamer::onlyMoved(FlatValueId value) const {
    // The magnitudes of its elements, in order and scaled to 1, are those of some value of the reference.
    const auto profile = [](const Tensor& tensor) {
        std::vector<double> out;
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            out.push_back(std::fabs(tensor.toDouble(i)));
        }
        std::sort(out.begin(), out.end());
        return out;
    };
    const auto same = [&](const std::vector<double>& a, const std::vector<double>& b) {
        const double scaleA = a.empty() ? 0.0 : a.back();
        const double scaleB = b.empty() ? 0.0 : b.back();
        for (std::size_t i = 0; i < a.size() && i < b.size(); ++i) {
            const double x = scaleA > 0.0 ? a[i] / scaleA : a[i];
            const double y = scaleB > 0.0 ? b[i] / scaleB : b[i];
            if (!(std::fabs(x - y) <= m_tolerance)) {
                return false;
            }
        }
        return a.size() == b.size();
    };
    std::vector<std::vector<double>> wanted;
    for (const Sample& sample : m_samples) {
        if (!sample.rewritten[value.index] || sample.rewritten[value.index]->count() > 100'000) {
            return false;
        }
        wanted.push_back(profile(*sample.rewritten[value.index]));
    }
    for (std::size_t v = 0; v < m.reference->valueCount(); ++v) {
        const FlatValueId candidate(v);
        if (m.reference->value(candidate).constant || !eligible(*m.reference, candidate)) {
            continue;
        }
        bool all = true;
        for (std::size_t s = 0; s < m_samples.size() && all; ++s) {
            const auto& tensor = m_samples[s].reference[v];
            all = tensor && static_cast<std::size_t>(tensor->count()) == wanted[s].size() && same(profile(*tensor), wanted[s]);
        }
        if (all) {
            return true;
        }
    }
    return false;
}

bool Blamer::attributesMeanTheSame(FlatNodeId partner, FlatNodeId node) const {
    // One may have written out what is the default: with the other's attributes the node gives what it gave.
    const Node& own = m.rewritten->node(node);
    Node other = own;
    other.attributes = m.reference->node(partner).attributes;
    if (own.body || own.operands.empty() || !Graph::nestedGraphs(own).empty() || !Graph::nestedGraphs(other).empty()) {
        return false;
    }
    const std::uint32_t base = m.rewritten->instanceOf(node).valueBase;
    for (std::size_t s = 0; s < std::min<std::size_t>(m_samples.size(), 3); ++s) {
        std::vector<std::optional<Tensor>> operands;
        for (const ValueId operand : own.operands) {
            const FlatValueId value(operand.isValid() ? base + operand.index : 0);
            std::optional<Tensor> tensor = operand.isValid() ? m_samples[s].rewritten[value.index] : std::nullopt;
            if (operand.isValid() && !tensor) {
                tensor = m.rewritten->value(value).constant; // large ones are left out of a run
            }
            if (operand.isValid() && (!tensor || !isComputable(tensor->element()))) {
                return false;
            }
            operands.push_back(std::move(tensor));
        }
        const Result<std::vector<Tensor>> mine = evaluateNode(own, operands);
        const Result<std::vector<Tensor>> theirs = evaluateNode(other, operands);
        if (!mine || !theirs || mine->size() != theirs->size()) {
            return false;
        }
        for (std::size_t k = 0; k < mine->size(); ++k) {
            if (k < own.results.size() && own.results[k].isValid() && !near((*mine)[k], (*theirs)[k], m_tolerance)) {
                return false;
            }
        }
    }
    return true;
}

std::optional<std::string> Blamer::differenceOf(FlatNodeId partner, FlatNodeId node) const {
    const Node& a = m.reference->node(partner);
    const Node& b = m.rewritten->node(node);
    if (a.op.domain != b.op.domain || a.op.name != b.op.name) {
        return std::string();
    }
    const NodeDifference difference = nodeDifference(a, b);
    if (!difference.attribute.empty() && !attributesMeanTheSame(partner, node)) {
        return difference.attribute;
    }
    if (a.op.version != b.op.version || a.operands.size() != b.operands.size()) {
        return std::string();
    }
    for (std::size_t k = 0; k < a.operands.size(); ++k) {
        const GraphInstance& mine = m.reference->instanceOf(partner);
        const GraphInstance& theirs = m.rewritten->instanceOf(node);
        const Value* x = a.operands[k].isValid() ? &mine.graph->value(a.operands[k]) : nullptr;
        const Value* y = b.operands[k].isValid() ? &theirs.graph->value(b.operands[k]) : nullptr;
        if ((x == nullptr) != (y == nullptr) ||
            (x != nullptr && (x->constant.has_value() != y->constant.has_value() || (x->constant && !x->constant->sameBits(*y->constant))))) {
            return std::string();
        }
    }
    return std::nullopt;
}

bool Blamer::doesItsJob(FlatNodeId node) const {
    // As many nodes of the reference give its result by the same op as nodes of the rewritten graph do.
    const auto count = [&](const GraphTree& tree, bool rewritten, FlatValueId value) {
        std::size_t out = 0;
        for (std::size_t v = 0; v < tree.valueCount(); ++v) {
            const FlatNodeId producer = producerOf(tree, FlatValueId(v));
            if (!producer.isValid() || tree.node(producer).op.name != m.rewritten->node(node).op.name) {
                continue;
            }
            out += std::all_of(m_samples.begin(), m_samples.end(), [&](const Sample& sample) {
                const auto& a = rewritten ? sample.rewritten[v] : sample.reference[v];
                const auto& b = sample.rewritten[value.index];
                return a && b && near(*a, *b, m_tolerance);
            });
        }
        return out;
    };
    const std::uint32_t base = m.rewritten->instanceOf(node).valueBase;
    const auto& results = m.rewritten->node(node).results;
    return std::all_of(results.begin(), results.end(), [&](ValueId result) {
        const FlatValueId value(result.isValid() ? base + result.index : 0);
        return !result.isValid() || count(*m.reference, false, value) >= count(*m.rewritten, true, value);
    });
}

std::optional<FlatValueId> Blamer::restoringValue(FlatValueId value, const std::vector<FlatValueId>& replacements, std::size_t& runs) const {
    for (const FlatValueId replacement : replacements) {
        bool restored = true;
        for (std::size_t s = 0; s < m_samples.size() && restored; ++s) {
            if (runs == 0) {
                return std::nullopt;
            }
            --runs;
            const auto& tensor = m_samples[s].reference[replacement.index];
            restored = tensor && restoresAt(m_samples[s], value, *tensor);
        }
        if (restored) {
            return replacement;
        }
    }
    return std::nullopt;
}

void Blamer::considerDisguised(std::vector<Suspect>& suspects, std::size_t& runs) const {
    // A wrong result may happen to be another value of the reference (a Transpose that does nothing gives its operand): it counts as
    // matched, and what reads it stands accused. So where a suspect is what its partner is and only reads another value, the producer
    // of that value is freed as well, and so on upwards.
    const auto sameValue = [&](FlatValueId reference, FlatValueId rewritten) {
        return std::all_of(m_samples.begin(), m_samples.end(), [&](const Sample& sample) {
            const auto& a = sample.reference[reference.index];
            const auto& b = sample.rewritten[rewritten.index];
            return a && b && near(*a, *b, m_tolerance);
        });
    };
    const auto known = [&suspects](FlatNodeId node) {
        return std::any_of(suspects.begin(), suspects.end(), [&](const Suspect& s) { return s.node == node; });
    };
    const auto add = [&](FlatNodeId node, FlatNodeId partner) {
        if (known(node)) {
            return;
        }
        Suspect hidden;
        hidden.node = node;
        hidden.order = m_order[node.index];
        hidden.frontier = true;
        hidden.restores = true;
        hidden.partner = partner;
        suspects.push_back(hidden);
    };
    std::vector<std::pair<FlatNodeId, FlatNodeId>> readers; // and what each should be
    for (const Suspect& suspect : suspects) {
        if (suspect.restores && suspect.partner.isValid()) {
            readers.emplace_back(suspect.node, suspect.partner);
        }
    }
    for (std::size_t r = 0; r < readers.size() && r < 64; ++r) {
        const auto [reader, partner] = readers[r];
        if (m.reference->node(partner).op.name != m.rewritten->node(reader).op.name || differenceOf(partner, reader)) {
            continue;
        }
        // Operands that are what they should be are left out: by position, then in any order.
        std::vector<FlatValueId> expected = operandsOf(*m.reference, partner);
        std::vector<FlatValueId> found = operandsOf(*m.rewritten, reader);
        for (std::size_t k = std::min(expected.size(), found.size()); k-- > 0;) {
            if (sameValue(expected[k], found[k])) {
                expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(k));
                found.erase(found.begin() + static_cast<std::ptrdiff_t>(k));
            }
        }
        for (std::size_t k = found.size(); k-- > 0;) {
            const auto same = std::find_if(expected.begin(), expected.end(), [&](FlatValueId e) { return sameValue(e, found[k]); });
            if (same != expected.end()) {
                expected.erase(same);
                found.erase(found.begin() + static_cast<std::ptrdiff_t>(k));
            }
        }
        for (const FlatValueId value : found) {
            if (m.rewritten->value(value).constant) {
                continue;
            }
            const FlatNodeId producer = producerOf(*m.rewritten, value);
            bool followed = false;
            for (const FlatValueId wanted : producer.isValid() && eligible(*m.rewritten, value) ? expected : std::vector<FlatValueId>{}) {
                const FlatNodeId other = producerOf(*m.reference, wanted);
                if (!other.isValid()) {
                    continue;
                }
                if (m.reference->node(other).op.name == m.rewritten->node(producer).op.name && !differenceOf(other, producer)) {
                    readers.emplace_back(producer, other);
                    followed = true;
                } else if (!doesItsJob(producer) && restoringValue(value, {wanted}, runs)) {
                    add(producer, other);
                    readers.emplace_back(producer, other);
                    followed = true;
                }
            }
            // What it reads is right in itself, but not what it should read.
            const ValueId result = m.rewritten->node(reader).results.empty() ? ValueId() : m.rewritten->node(reader).results.front();
            const ValueId meant = m.reference->node(partner).results.empty() ? ValueId() : m.reference->node(partner).results.front();
            if (!followed && !known(reader) && result.isValid() && meant.isValid()) {
                const FlatValueId mine(m.reference->instanceOf(partner).valueBase + meant.index);
                if (restoringValue(FlatValueId(m.rewritten->instanceOf(reader).valueBase + result.index), {mine}, runs)) {
                    add(reader, partner);
                }
            }
        }
    }
    // Several nodes read it, so that none of them restores by itself.
    if (std::none_of(suspects.begin(), suspects.end(), [](const Suspect& s) { return s.restores; })) {
        const std::vector<Suspect> before = suspects;
        for (const Suspect& suspect : before) {
            for (const FlatValueId value : suspect.frontier ? operandsOf(*m.rewritten, suspect.node) : std::vector<FlatValueId>{}) {
                const FlatNodeId producer = producerOf(*m.rewritten, value);
                if (producer.isValid() && !known(producer) && eligible(*m.rewritten, value)) {
                    if (const auto by = restoringValue(value, replacementsFor(value), runs)) {
                        add(producer, producerOf(*m.reference, *by));
                    }
                }
            }
        }
    }
}

std::vector<Blame> Blamer::run() {
    std::vector<Blame> out;
    const auto add = [&](FlatNodeId node, const std::string& attribute) {
        Blame one;
        one.side = Side::Rewritten;
        one.node = node;
        one.nodeName = m.rewritten->path(node);
        one.attribute = attribute;
        const bool known = std::any_of(out.begin(), out.end(), [&](const Blame& b) { return b.node == node; });
        if (!known && out.size() < MostBlamed) {
            out.push_back(std::move(one));
        }
    };
    if (m_found.rewrittenRun.fault) {
        add(m_found.rewrittenRun.fault->node, {});
        return out;
    }
    sample();
    if (m_samples.empty()) {
        return out;
    }
    for (const double tolerance : {1e-5, 1e-7, 1e-9, 1e-12}) {
        m_tolerance = tolerance;
        if (!std::all_of(m_samples.begin(), m_samples.end(), [&](const Sample& sample) { return outputsAgree(sample, sample.rewritten); })) {
            break;
        }
    }
    match();
    describeOrder();
    std::vector<Suspect> suspects;
    // Runs are limited by count, so that the answer does not hang on the machine.
    std::size_t runs = std::clamp<std::size_t>(400'000 / (m.rewritten->nodeCount() + 1), 16, 2'000);
    for (const FlatNodeId node : differingNodes()) {
        if (m_stop.stop_requested()) {
            return {};
        }
        Suspect suspect;
        suspect.node = node;
        suspect.order = m_order[node.index];
        const std::vector<FlatValueId> operands = operandsOf(*m.rewritten, node);
        suspect.frontier = std::all_of(operands.begin(), operands.end(), [&](FlatValueId v) { return isMatched(v); });
        suspect.partner = m_correspondence.rewritten[node.index].partner;
        const std::uint32_t base = m.rewritten->instanceOf(node).valueBase;
        const Node& data = m.rewritten->node(node);
        suspect.movedOnly = true;
        for (const ValueId result : data.results) {
            const FlatValueId value(result.isValid() ? base + result.index : 0);
            if (!result.isValid() || (isMatched(value) && data.results.size() > 1) || !eligible(*m.rewritten, value)) {
                continue;
            }
            suspect.movedOnly = suspect.movedOnly && onlyMoved(value);
            if (!suspect.restores) {
                if (const auto by = restoringValue(value, replacementsFor(value), runs)) {
                    suspect.restores = true;
                    const FlatNodeId producer = producerOf(*m.reference, *by);
                    suspect.partner = producer.isValid() ? producer : suspect.partner;
                }
            }
        }
        suspects.push_back(suspect);
    }
    considerDisguised(suspects, runs);
    const auto grade = [](const Suspect& s) { return s.restores ? 0 : s.frontier && !s.movedOnly ? 1 : s.frontier ? 2 : 3; };
    std::stable_sort(suspects.begin(), suspects.end(),
                     [&](const Suspect& a, const Suspect& b) { return grade(a) != grade(b) ? grade(a) < grade(b) : a.order < b.order; });
    for (const Suspect& suspect : suspects) {
        add(suspect.node, suspect.partner.isValid() ? differenceOf(suspect.partner, suspect.node).value_or("") : std::string());
    }
    return out;
}

} // namespace

std::vector<Blame> blameNodes(const SearchProblem& problem, const Correspondence& correspondence, const Counterexample& found, std::uint64_t seed,
                              std::stop_token stop) {
    return Blamer(problem, correspondence, found, seed, std::move(stop)).run();
}

} // namespace lemmascope
