// The search for a counterexample. A difference counts only when enclosures of both graphs' results are disjoint: then the real
// values differ whatever rounding does (resources/docs/decisions/confirmation.md). Tests: tests/core/prove/tst_refute.cpp, tests/app/tst_cases.cpp.

#include "core/prove/refute.h"

#include "core/prove/candidates.h"
#include "core/prove/lift.h"
#include "core/prove/shrink.h"
#include "core/prove/side_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <iterator>
#include <limits>
#include <mutex>
#include <optional>
#include <thread>

namespace lemmascope {

namespace {

// What running a node costs besides its scalar operations, and what one on intervals costs, in scalar operations.
constexpr std::uint64_t WorkOfNode = 1'000;
constexpr std::uint64_t WorkOfInterval = 10;
constexpr std::size_t FirstSamples = 4; ///< at each of MostSizes sizes
constexpr std::size_t MostSizes = 4;
constexpr std::size_t MostVaried = 4;             ///< inputs that vary alone
constexpr std::uint64_t LargeRun = 50'000'000;    ///< scalar operations of one run at large sizes, where smaller ones do
constexpr std::uint64_t ShrinkWork = 500'000'000; ///< by count, so that the answer does not hang on the machine

bool numeric(ElementType type) { return isComputable(type); }

/// Some element differs, a float by more than `relative`.
bool differBy(const Tensor& a, const Tensor& b, double relative) {
    bool differs = a.shape() != b.shape() || a.element() != b.element();
    for (std::int64_t i = 0; !differs && numeric(a.element()) && i < a.count(); ++i) {
        if (!isFloat(a.element())) {
            differs = a.toInt64(i) != b.toInt64(i);
        } else {
            const double x = a.toDouble(i);
            const double y = b.toDouble(i);
            differs = std::isnan(x) != std::isnan(y) || std::fabs(x - y) > relative * std::max({std::fabs(x), std::fabs(y), 1e-6});
        }
    }
    return differs;
}

/// Elements differ so much that confirming is worth its price; integers and definedness exactly.
bool worthLooking(const Tensor& a, const Tensor& b, std::int64_t i, double scale) {
    if (!isFloat(a.element())) {
        return a.toInt64(i) != b.toInt64(i);
    }
    const double x = a.toDouble(i);
    const double y = b.toDouble(i);
    if (std::isnan(x) || std::isnan(y)) {
        return std::isnan(x) != std::isnan(y);
    }
    return x != y && !(std::fabs(x - y) <= 1e-10 * std::max(scale, std::max(std::fabs(x), std::fabs(y))));
}

/// Top-level nodes that the value does not hang on.
std::vector<bool> nodesOutside(const GraphTree& tree, FlatValueId value) {
    const Graph& top = tree.top();
    std::vector<bool> outside(tree.nodeCount(), false);
    std::vector<bool> wanted(top.values.size(), false);
    if (value.index >= wanted.size()) {
        return {};
    }
    wanted[value.index] = true;
    for (std::size_t n = top.nodes.size(); n-- > 0;) {
        const Node& node = top.nodes[n];
        outside[n] = std::none_of(node.results.begin(), node.results.end(), [&](ValueId v) { return v.isValid() && wanted[v.index]; });
        if (outside[n]) {
            continue;
        }
        for (const ValueId operand : node.operands) {
            if (operand.isValid()) {
                wanted[operand.index] = true;
            }
        }
        for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
            for (const Capture& capture : nested->captures) {
                wanted[capture.outer.index] = true;
            }
        }
    }
    return outside;
}

class Search {
  public:
    Search(const SearchProblem& problem, const SearchOptions& options, std::stop_token stop)
        : m(problem), m_options(options), m_stop(std::move(stop)), m_forward(m_stop, Forward{&m_runs}), m_timer([this](const std::stop_token& over) {
              // One run of a large graph may take longer than the search has left: the timer ends it.
              std::mutex mutex;
              std::unique_lock lock(mutex);
              std::condition_variable_any wake;
              (void)wake.wait_until(lock, over, m_options.deadline, [] { return false; });
              m_runs.request_stop();
          }) {}

    Result<SearchResult> run(const std::vector<Candidate>& first);

  private:
    const SearchProblem& m;
    const SearchOptions& m_options;
    std::stop_token m_stop;
    std::stop_source m_runs; ///< stopped by the caller or by the deadline
    struct Forward {
        std::stop_source* runs;
        void operator()() const { runs->request_stop(); }
    };
    std::stop_callback<Forward> m_forward;
    std::jthread m_timer;
    SearchResult m_result;
    std::vector<bool> m_skipReference; ///< nodes that are not enclosed, see EvaluateOptions::skipped
    std::vector<bool> m_skipRewritten;
    std::uint64_t m_mostOperations = m_options.maxOperations; ///< of one run
    std::uint64_t m_work = 0;                                 ///< spent so far, in scalar operations

    struct Hit {
        std::size_t output = 0;
        std::int64_t element = 0;
        RefutationKind kind = RefutationKind::Value;
        bool fault = false;
        bool onlyReals = false; ///< the results in the declared types do not show it
    };
    struct Runs {
        Evaluation reference;
        Evaluation rewritten;
    };

    [[nodiscard]] bool expired() const {
        return m_stop.stop_requested() || m_work > m_options.maxWork || std::chrono::steady_clock::now() > m_options.deadline;
    }
    /// `reference`: the run that the rewritten graph takes assumed values from; null for the reference itself.
    [[nodiscard]] Result<Evaluation> runSide(const Evaluation* reference, const Candidate& candidate, Arithmetic arithmetic);
    [[nodiscard]] std::optional<Runs> runBoth(const Candidate& candidate, Arithmetic arithmetic);
    /// Tries one candidate: a confirmed difference, else remembers an unconfirmed one.
    [[nodiscard]] std::optional<Hit> examine(const Candidate& candidate, bool remember);
    [[nodiscard]] std::optional<Hit> confirm(const Candidate& candidate, const Runs& rough, std::optional<std::size_t> only = {});
    void measure(const Runs& declared);
    /// The first element of the output at which the runs differ so much that confirming may succeed.
    [[nodiscard]] std::optional<std::int64_t> firstApart(const Runs& runs, std::size_t output) const;
    [[nodiscard]] Candidate shrink(Candidate candidate, Hit& hit);
    /// As `examine`, for a difference of the kind and at the output known.
    [[nodiscard]] std::optional<Hit> stillDiffers(const Candidate& candidate, const Hit& hit);
    [[nodiscard]] Counterexample describe(const Candidate& candidate, const Hit& hit, bool confirmed);
};

Result<Evaluation> Search::runSide(const Evaluation* reference, const Candidate& candidate, Arithmetic arithmetic) {
    Result<EvaluateOptions> options = sideOptions(m, reference, candidate, arithmetic);
    if (!options) {
        return tl::unexpected(options.error());
    }
    options->maxOperations = m_mostOperations;
    const bool enclosing = arithmetic == Arithmetic::Enclosure;
    if (enclosing) { // faults count wherever they are, so that the other runs leave nothing out
        options->skipped = reference != nullptr ? m_skipRewritten : m_skipReference;
    }
    const GraphTree& tree = reference != nullptr ? *m.rewritten : *m.reference;
    Result<Evaluation> run = evaluate(tree, inputsOf(m, reference != nullptr, candidate.inputs), *options, m_runs.get_token());
    if (run) {
        m_work += tree.nodeCount() * WorkOfNode + run->operations * (enclosing ? WorkOfInterval : 1U);
    }
    return run;
}

std::optional<Search::Runs> Search::runBoth(const Candidate& candidate, Arithmetic arithmetic) {
    Result<Evaluation> reference = runSide(nullptr, candidate, arithmetic);
    if (!reference) {
        m_result.trouble = "reference: " + reference.error().text();
        return std::nullopt;
    }
    Result<Evaluation> rewritten = runSide(&*reference, candidate, arithmetic);
    if (!rewritten) {
        m_result.trouble = "rewritten: " + rewritten.error().text();
        return std::nullopt;
    }
    return Runs{std::move(*reference), std::move(*rewritten)};
}

void Search::measure(const Runs& declared) {
    for (const SearchOutput& output : m.outputs) {
        const auto& a = declared.reference.values[output.reference.index];
        const auto& b = declared.rewritten.values[output.rewritten.index];
        if (!a || !b || a->shape() != b->shape() || a->element() != b->element() || !isFloat(a->element())) {
            continue;
        }
        for (std::int64_t i = 0; i < a->count(); ++i) {
            const double x = a->toDouble(i);
            const double y = b->toDouble(i);
            const double d = std::fabs(x - y);
            if (!(d > 0.0) || std::isinf(d)) {
                continue;
            }
            const double tiny = a->element() == ElementType::F64 ? 0x1p-1022 : a->element() == ElementType::F16 ? 0x1p-14 : 0x1p-126;
            m_result.largestRelative = std::max(m_result.largestRelative, d / std::max(std::fabs(x), tiny));
            int exponent = 0;
            std::frexp(std::max(std::fabs(x), std::fabs(y)), &exponent);
            const double ulp = std::ldexp(1.0, exponent - static_cast<int>(significandBits(a->element())));
            m_result.largestUlp = std::max(m_result.largestUlp, d / ulp);
        }
    }
}

std::optional<std::int64_t> Search::firstApart(const Runs& runs, std::size_t output) const {
    const auto& a = runs.reference.values[m.outputs[output].reference.index];
    const auto& b = runs.rewritten.values[m.outputs[output].rewritten.index];
    if (!a || !b || a->shape() != b->shape() || a->element() != b->element() || !numeric(a->element())) {
        return std::nullopt;
    }
    for (std::int64_t i = 0; i < a->count(); ++i) {
        if (worthLooking(*a, *b, i, 0.0)) {
            return i;
        }
    }
    return std::nullopt;
}

std::optional<Search::Hit> Search::confirm(const Candidate& candidate, const Runs& rough, std::optional<std::size_t> only) {
    const std::optional<Runs> enclosed = runBoth(candidate, Arithmetic::Enclosure);
    if (!enclosed || enclosed->reference.fault || enclosed->rewritten.fault) {
        return std::nullopt;
    }
    for (std::size_t o = 0; o < m.outputs.size(); ++o) {
        const auto& a = enclosed->reference.enclosures[m.outputs[o].reference.index];
        const auto& b = enclosed->rewritten.enclosures[m.outputs[o].rewritten.index];
        const auto& exactA = rough.reference.values[m.outputs[o].reference.index];
        const auto& exactB = rough.rewritten.values[m.outputs[o].rewritten.index];
        if ((only && *only != o) || !a || !b || a->shape != b->shape) {
            continue;
        }
        for (std::size_t i = 0; i < a->elements.size(); ++i) {
            const Interval& x = a->elements[i];
            const Interval& y = b->elements[i];
            bool differs = disjoint(x, y);
            if (!isFloat(a->element) && exactA && exactB && x.lo == x.hi && y.lo == y.hi) {
                // Beyond 2^53 a double cannot tell neighbours apart; the integers themselves can.
                differs = exactA->toInt64(static_cast<std::int64_t>(i)) != exactB->toInt64(static_cast<std::int64_t>(i));
            }
            if (differs) {
                return Hit{o, static_cast<std::int64_t>(i), RefutationKind::Value, false};
            }
        }
    }
    // Deep graphs: enclosures have grown too wide at the outputs. A pair of inner values that are told apart, and outputs that
    // differ far beyond what rounding could explain.
    bool pairDiffers = false;
    for (const auto& [mine, theirs] : m.partners) {
        const auto& a = enclosed->reference.enclosures[mine.index];
        const auto& b = enclosed->rewritten.enclosures[theirs.index];
        if (!a || !b || a->shape != b->shape || !isFloat(a->element)) {
            continue;
        }
        for (std::size_t i = 0; i < a->elements.size() && !pairDiffers; ++i) {
            pairDiffers = disjoint(a->elements[i], b->elements[i]);
        }
        if (pairDiffers) {
            break;
        }
    }
    if (!pairDiffers) {
        return std::nullopt;
    }
    const std::optional<Runs> doubles = runBoth(candidate, Arithmetic::Double);
    if (!doubles) {
        return std::nullopt;
    }
    for (std::size_t o = 0; o < m.outputs.size(); ++o) {
        const auto& a = doubles->reference.values[m.outputs[o].reference.index];
        const auto& b = doubles->rewritten.values[m.outputs[o].rewritten.index];
        const auto& bounds = enclosed->reference.enclosures[m.outputs[o].reference.index];
        const auto& otherBounds = enclosed->rewritten.enclosures[m.outputs[o].rewritten.index];
        if ((only && *only != o) || !a || !b || a->shape() != b->shape() || !isFloat(a->element())) {
            continue;
        }
        double scale = 0.0;
        bool open = !bounds || !otherBounds; // an open op's unknown value may reach it
        for (std::int64_t i = 0; i < a->count(); ++i) {
            scale = std::max(scale, std::fabs(a->toDouble(i)));
            open = open || !std::isfinite(bounds->elements[static_cast<std::size_t>(i)].lo) ||
                   !std::isfinite(otherBounds->elements[static_cast<std::size_t>(i)].hi);
        }
        for (std::int64_t i = 0; i < a->count() && !open; ++i) {
            if (std::fabs(a->toDouble(i) - b->toDouble(i)) > 1e-2 * std::max(scale, 1e-30)) {
                return Hit{o, i, RefutationKind::Value, false};
            }
        }
    }
    return std::nullopt;
}

std::optional<Search::Hit> Search::examine(const Candidate& candidate, bool remember) {
    std::optional<Runs> declared = runBoth(candidate, Arithmetic::Declared);
    if (!declared || declared->reference.fault) {
        return std::nullopt;
    }
    if (declared->rewritten.fault) {
        return Hit{0, 0, RefutationKind::OutOfRange, true};
    }
    if (m.outputs.empty()) {
        return std::nullopt;
    }
    bool any = false;
    for (std::size_t o = 0; o < m.outputs.size(); ++o) {
        const auto& a = declared->reference.values[m.outputs[o].reference.index];
        const auto& b = declared->rewritten.values[m.outputs[o].rewritten.index];
        if (a && b) {
            any = true;
            if (a->shape() != b->shape()) {
                return Hit{o, -1, RefutationKind::Type, false};
            }
        }
    }
    m_result.evaluated = m_result.evaluated || any;
    if (!any) {
        return std::nullopt;
    }
    ++m_result.samplesRun;
    measure(*declared);
    const std::optional<Runs> doubles = runBoth(candidate, Arithmetic::Double);
    std::optional<Hit> rough;
    for (std::size_t o = 0; o < m.outputs.size() && !rough; ++o) {
        std::optional<std::int64_t> element = firstApart(*declared, o);
        if (!element && doubles) {
            element = firstApart(*doubles, o);
        }
        if (element) {
            rough = Hit{o, *element, RefutationKind::Value, false};
        }
    }
    if (!rough) {
        return std::nullopt;
    }
    std::optional<Hit> hit = confirm(candidate, *declared);
    if (hit) {
        hit->onlyReals = !firstApart(*declared, hit->output);
    } else if (remember && !m_result.candidate) {
        m_result.candidate = describe(candidate, *rough, false);
    }
    return hit;
}

Candidate Search::shrink(Candidate candidate, Hit& hit) {
    const auto until =
        std::min(m_options.deadline, std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<int>(m_options.shrinkSeconds * 1000)));
    if (!hit.fault && hit.output < m.outputs.size() && m.assumed.empty()) {
        // Only what reaches the output that differs is enclosed from here on.
        m_skipReference = nodesOutside(*m.reference, m.outputs[hit.output].reference);
        m_skipRewritten = nodesOutside(*m.rewritten, m.outputs[hit.output].rewritten);
    }
    ShrinkTests tests;
    const std::uint64_t before = m_work;
    tests.late = [&] { return m_work - before > ShrinkWork || std::chrono::steady_clock::now() > until || m_stop.stop_requested(); };
    tests.differs = [&](const Candidate& smaller) {
        const std::optional<Hit> again = stillDiffers(smaller, hit);
        if (again) {
            hit = *again;
        }
        return again.has_value();
    };
    Candidate out = shrinkCandidate(m, std::move(candidate), tests);
    m_skipReference.clear();
    m_skipRewritten.clear();
    return out;
}

std::optional<Search::Hit> Search::stillDiffers(const Candidate& candidate, const Hit& hit) {
    std::optional<Runs> declared = runBoth(candidate, Arithmetic::Declared);
    if (!declared || declared->reference.fault || declared->rewritten.fault.has_value() != hit.fault) {
        return std::nullopt;
    }
    if (hit.fault) {
        return hit;
    }
    const auto& a = declared->reference.values[m.outputs[hit.output].reference.index];
    const auto& b = declared->rewritten.values[m.outputs[hit.output].rewritten.index];
    if (!a || !b || (hit.kind == RefutationKind::Type) != (a->shape() != b->shape())) {
        return std::nullopt;
    }
    if (hit.kind == RefutationKind::Type) {
        return hit;
    }
    if (!firstApart(*declared, hit.output)) {
        // What differs over the reals only is not simpler to read, unless nothing else was found.
        const std::optional<Runs> doubles = hit.onlyReals ? runBoth(candidate, Arithmetic::Double) : std::nullopt;
        if (!doubles || !firstApart(*doubles, hit.output)) {
            return std::nullopt;
        }
    }
    std::optional<Hit> again = confirm(candidate, *declared, hit.output);
    if (again) {
        again->onlyReals = hit.onlyReals;
    }
    return again;
}

Counterexample Search::describe(const Candidate& candidate, const Hit& hit, bool confirmed) {
    Counterexample out;
    out.confirmed = confirmed;
    for (const auto& [symbol, size] : candidate.sizes) {
        // A symbol that may be 0 is counted from 1 within a check (pairing.cpp): people are told its own name.
        const bool shifted = symbol.ends_with("+1");
        out.sizes.emplace(shifted ? symbol.substr(0, symbol.size() - 2) : symbol, shifted ? size - 1 : size);
    }
    for (std::size_t k = 0; k < m.inputs.size(); ++k) {
        out.inputs.emplace_back(m.inputs[k].name, candidate.inputs[k]);
    }
    if (m_runs.stop_requested() && !m_stop.stop_requested()) {
        m_runs = std::stop_source(); // what was found in time is still told
    }
    if (std::optional<Runs> runs = runBoth(candidate, Arithmetic::Declared)) {
        if (!m.outputs.empty() && !hit.fault) {
            const SearchOutput& output = m.outputs[hit.output];
            out.output = output.name;
            out.reference = runs->reference.values[output.reference.index];
            out.rewritten = runs->rewritten.values[output.rewritten.index];
            if (hit.element >= 0 && out.reference) {
                std::int64_t flat = hit.element;
                std::vector<std::int64_t> index(out.reference->shape().size(), 0);
                for (std::size_t axis = index.size(); axis-- > 0;) {
                    const std::int64_t length = std::max<std::int64_t>(out.reference->shape()[axis], 1);
                    index[axis] = flat % length;
                    flat /= length;
                }
                out.index = index;
            }
        }
        // Rounding is no difference: only where nothing differs by more is what differs by less the first.
        static constexpr double Steps[] = {1e-4, 3e-7, 0.0};
        std::array<std::optional<std::size_t>, std::size(Steps)> first;
        for (const auto& [mine, theirs] : m.partners) {
            const auto& a = runs->reference.values[mine.index];
            const auto& b = runs->rewritten.values[theirs.index];
            if (!a || !b) {
                continue;
            }
            const bool accepted = std::find(m.assumed.begin(), m.assumed.end(), std::pair(mine, theirs)) != m.assumed.end();
            for (std::size_t k = 0; k < first.size() && !accepted; ++k) {
                first[k] = first[k] || !differBy(*a, *b, Steps[k]) ? first[k] : out.path.size();
            }
            out.path.emplace_back(mine, theirs);
        }
        out.firstDifference = first[0].value_or(first[1].value_or(first[2].value_or(out.path.size())));
        out.referenceRun = std::move(runs->reference);
        out.rewrittenRun = std::move(runs->rewritten);
    }
    return out;
}

Result<SearchResult> Search::run(const std::vector<Candidate>& first) {
    std::optional<Candidate> found;
    Hit hit;
    const auto allowed = [this](const Candidate& candidate) {
        for (std::size_t k = 0; k < candidate.inputs.size() && k < m.inputs.size(); ++k) {
            const Tensor& tensor = candidate.inputs[k];
            const std::optional<RealRange>& real = m.inputs[k].real;
            for (std::int64_t i = 0; real && i < tensor.count(); ++i) {
                if (!real->holds(tensor.toDouble(i))) {
                    return false;
                }
            }
            if (!m.inputs[k].range) {
                continue;
            }
            for (std::int64_t i = 0; i < tensor.count() && isFloat(tensor.element()); ++i) {
                const double x = tensor.toDouble(i);
                if (!(x >= static_cast<double>(m.inputs[k].range->low) && x <= static_cast<double>(m.inputs[k].range->high))) {
                    return false;
                }
            }
            if (!isInteger(tensor.element())) {
                continue;
            }
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                if (tensor.toInt64(i) < m.inputs[k].range->low || tensor.toInt64(i) > m.inputs[k].range->high) {
                    return false; // outside what is declared: no counterexample
                }
            }
        }
        return true;
    };
    const auto consider = [&](const Candidate& candidate) {
        if (!allowed(candidate)) {
            return false;
        }
        if (const std::optional<Hit> one = examine(candidate, true)) {
            found = candidate;
            hit = *one;
        }
        return found.has_value();
    };
    for (const Candidate& candidate : first) {
        if (m_stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "cancelled");
        }
        if (expired() || consider(candidate)) {
            break;
        }
    }
    // A few samples at several sizes (the rewritten graph may run at some only, and lengths of 1 hide much), then the rest at two.
    std::vector<std::map<std::string, std::int64_t>> working;
    const auto samplesAt = [&](const std::map<std::string, std::int64_t>& sizes, std::size_t from, std::size_t to) {
        const std::size_t before = m_result.samplesRun;
        for (std::size_t k = from; k < to && !found && !expired(); ++k) {
            const std::optional<Candidate> candidate = makeCandidate(m, sizes, k, m_options.seed);
            if (!candidate) {
                m_result.trouble = m_result.trouble.empty() ? "no values can be made for the inputs" : m_result.trouble;
                break;
            }
            (void)consider(*candidate);
            if (k == 1 && m_result.samplesRun == before && !m_result.trouble.empty() && !m.symbols.empty()) {
                break; // the graph does not run at these sizes
            }
        }
        return m_result.samplesRun > before;
    };
    const std::vector<std::map<std::string, std::int64_t>> sizes = found ? std::vector<std::map<std::string, std::int64_t>>{} : candidateSizes(m);
    for (std::size_t s = 0; s < sizes.size() && working.size() < MostSizes && !found && !expired(); ++s) {
        const bool large = std::any_of(sizes[s].begin(), sizes[s].end(), [](const auto& size) { return size.second > 16; });
        m_mostOperations = large && !working.empty() ? std::min(m_options.maxOperations, LargeRun) : m_options.maxOperations;
        if (samplesAt(sizes[s], 0, std::min(m_options.samples, FirstSamples))) {
            working.push_back(sizes[s]);
            for (std::size_t k = 0; m.inputs.size() > 1 && k < std::min(m.inputs.size(), MostVaried) && !found && !expired(); ++k) {
                if (const std::optional<Candidate> candidate = makeVaried(m, sizes[s], k, m_options.seed)) {
                    (void)consider(*candidate);
                }
            }
        }
    }
    m_mostOperations = m_options.maxOperations;
    for (std::size_t s = 0; s < std::min<std::size_t>(working.size(), 2); ++s) {
        (void)samplesAt(working[s], FirstSamples, m_options.samples);
    }
    if (!found && !expired() && !working.empty() && m_options.liftWork > 0) {
        const std::uint64_t before = m_work;
        LiftTests tests;
        tests.late = [&] { return m_work - before > m_options.liftWork || expired(); };
        tests.differs = consider;
        tests.run = [&](const Candidate& candidate) -> std::optional<std::pair<Evaluation, Evaluation>> {
            std::optional<Runs> runs = allowed(candidate) ? runBoth(candidate, Arithmetic::Double) : std::nullopt;
            if (!runs || runs->reference.fault) {
                return std::nullopt;
            }
            return std::pair(std::move(runs->reference), std::move(runs->rewritten));
        };
        (void)liftToInputs(m, working.front(), m_options.seed, tests);
    }
    if (m_stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, "cancelled");
    }
    if (found) {
        const Candidate small = shrink(*found, hit);
        m_result.found = describe(small, hit, true);
        if (hit.fault && m_result.found->rewrittenRun.fault) {
            const Fault& fault = *m_result.found->rewrittenRun.fault;
            FaultReport report;
            report.side = Side::Rewritten;
            report.access = fault.kind == Fault::Kind::ReadOutOfRange ? "read" : fault.kind == Fault::Kind::WriteOutOfRange ? "write" : "divide";
            report.buffer = fault.buffer;
            report.index = fault.index;
            report.size = fault.size;
            report.node = m.rewritten->path(fault.node);
            m_result.fault = report;
        }
    }
    return std::move(m_result);
}

} // namespace

Result<SearchResult> searchCounterexample(const SearchProblem& problem, const std::vector<Candidate>& first, const SearchOptions& options,
                                          std::stop_token stop) {
    return Search(problem, options, std::move(stop)).run(first);
}

} // namespace lemmascope
