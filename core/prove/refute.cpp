// The search for a counterexample. A difference counts only when enclosures of both graphs' results are disjoint: then the real
// values differ whatever rounding does (resources/docs/decisions/confirmation.md). Tests: tests/core/prove/tst_refute.cpp, tests/app/tst_cases.cpp.

#include "core/prove/refute.h"

#include "core/prove/candidates.h"
#include "core/prove/side_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <mutex>
#include <thread>

namespace lemmascope {

namespace {

bool numeric(ElementType type) { return isComputable(type); }

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

    struct Hit {
        std::size_t output = 0;
        std::int64_t element = 0;
        RefutationKind kind = RefutationKind::Value;
        bool fault = false;
    };
    struct Runs {
        Evaluation reference;
        Evaluation rewritten;
    };

    [[nodiscard]] bool expired() const { return m_stop.stop_requested() || std::chrono::steady_clock::now() > m_options.deadline; }
    /// `reference`: the run that the rewritten graph takes assumed values from; null for the reference itself.
    [[nodiscard]] Result<Evaluation> runSide(const Evaluation* reference, const Candidate& candidate, Arithmetic arithmetic);
    [[nodiscard]] std::optional<Runs> runBoth(const Candidate& candidate, Arithmetic arithmetic);
    /// Tries one candidate: a confirmed difference, else remembers an unconfirmed one.
    [[nodiscard]] std::optional<Hit> examine(const Candidate& candidate, bool remember);
    [[nodiscard]] std::optional<Hit> confirm(const Candidate& candidate, const Runs& rough);
    void measure(const Runs& declared);
    [[nodiscard]] Candidate shrink(Candidate candidate, Hit& hit);
    [[nodiscard]] Counterexample describe(const Candidate& candidate, const Hit& hit, bool confirmed);
};

Result<Evaluation> Search::runSide(const Evaluation* reference, const Candidate& candidate, Arithmetic arithmetic) {
    Result<EvaluateOptions> options = sideOptions(m, reference, candidate, arithmetic);
    if (!options) {
        return tl::unexpected(options.error());
    }
    options->maxOperations = m_options.maxOperations;
    return evaluate(reference != nullptr ? *m.rewritten : *m.reference, inputsOf(m, reference != nullptr, candidate.inputs), *options,
                    m_runs.get_token());
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

std::optional<Search::Hit> Search::confirm(const Candidate& candidate, const Runs& rough) {
    const std::optional<Runs> enclosed = runBoth(candidate, Arithmetic::Enclosure);
    if (!enclosed || enclosed->reference.fault || enclosed->rewritten.fault) {
        return std::nullopt;
    }
    for (std::size_t o = 0; o < m.outputs.size(); ++o) {
        const auto& a = enclosed->reference.enclosures[m.outputs[o].reference.index];
        const auto& b = enclosed->rewritten.enclosures[m.outputs[o].rewritten.index];
        const auto& exactA = rough.reference.values[m.outputs[o].reference.index];
        const auto& exactB = rough.rewritten.values[m.outputs[o].rewritten.index];
        if (!a || !b || a->shape != b->shape) {
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
        if (!a || !b || a->shape() != b->shape() || !isFloat(a->element())) {
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
        const std::array<const Runs*, 2> both{&*declared, doubles ? &*doubles : nullptr};
        for (const Runs* runs : both) {
            if (runs == nullptr) {
                continue;
            }
            const auto& a = runs->reference.values[m.outputs[o].reference.index];
            const auto& b = runs->rewritten.values[m.outputs[o].rewritten.index];
            if (!a || !b || a->shape() != b->shape() || a->element() != b->element() || !numeric(a->element())) {
                continue;
            }
            for (std::int64_t i = 0; i < a->count(); ++i) {
                if (worthLooking(*a, *b, i, 0.0)) {
                    rough = Hit{o, i, RefutationKind::Value, false};
                    break;
                }
            }
        }
    }
    if (!rough) {
        return std::nullopt;
    }
    const std::optional<Hit> hit = confirm(candidate, *declared);
    if (!hit && remember && !m_result.candidate) {
        m_result.candidate = describe(candidate, *rough, false);
    }
    return hit;
}

Candidate Search::shrink(Candidate candidate, Hit& hit) {
    const auto until =
        std::min(m_options.deadline, std::chrono::steady_clock::now() + std::chrono::milliseconds(static_cast<int>(m_options.shrinkSeconds * 1000)));
    const auto stillDiffers = [&](const Candidate& smaller) {
        const std::optional<Hit> again = examine(smaller, false);
        if (!again || again->kind != hit.kind || again->fault != hit.fault) {
            return false;
        }
        hit = *again;
        return true;
    };
    const auto late = [&] { return std::chrono::steady_clock::now() > until || m_stop.stop_requested(); };
    // Blocks of elements to zero, halving the block (delta debugging), then each remaining element to something simpler.
    for (std::size_t k = 0; k < candidate.inputs.size() && !late(); ++k) {
        const SearchInput& input = m.inputs[k];
        const std::int64_t count = candidate.inputs[k].count();
        const double zero = input.range && (input.range->low > 0 || input.range->high < 0) ? static_cast<double>(input.range->low) : 0.0;
        for (std::int64_t block = count; block >= 1 && !late(); block /= 2) {
            for (std::int64_t from = 0; from < count && !late(); from += block) {
                Candidate smaller = candidate;
                smaller.inputs[k] = copyOf(candidate.inputs[k]);
                bool changed = false;
                for (std::int64_t i = from; i < std::min(count, from + block); ++i) {
                    if (smaller.inputs[k].toDouble(i) != zero) {
                        setElement(smaller.inputs[k], i, zero);
                        changed = true;
                    }
                }
                if (changed && stillDiffers(smaller)) {
                    candidate = std::move(smaller);
                }
            }
        }
    }
    for (std::size_t k = 0; k < candidate.inputs.size() && !late(); ++k) {
        const SearchInput& input = m.inputs[k];
        for (std::int64_t i = 0; i < candidate.inputs[k].count() && !late(); ++i) {
            const double now = candidate.inputs[k].toDouble(i);
            if (now == 0.0 || now == 1.0 || !std::isfinite(now)) {
                continue;
            }
            for (const double simple : {1.0, -1.0, 2.0, -2.0, std::nearbyint(now), std::nearbyint(now / 2.0), std::nearbyint(now * 4.0) / 4.0}) {
                const bool allowed =
                    !input.range || (simple >= static_cast<double>(input.range->low) && simple <= static_cast<double>(input.range->high));
                const bool signedType = isFloat(input.type.element) || isSignedInteger(input.type.element);
                if (!allowed || simple == 0.0 || simple == now || std::fabs(simple) > std::fabs(now) || (simple < 0.0 && !signedType) || late()) {
                    continue;
                }
                Candidate smaller = candidate;
                smaller.inputs[k] = copyOf(candidate.inputs[k]);
                setElement(smaller.inputs[k], i, simple);
                if (stillDiffers(smaller)) {
                    candidate = std::move(smaller);
                    break;
                }
            }
        }
    }
    return candidate;
}

Counterexample Search::describe(const Candidate& candidate, const Hit& hit, bool confirmed) {
    Counterexample out;
    out.confirmed = confirmed;
    out.sizes = candidate.sizes;
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
        out.firstDifference = 0;
        bool found = false;
        for (const auto& [mine, theirs] : m.partners) {
            const auto& a = runs->reference.values[mine.index];
            const auto& b = runs->rewritten.values[theirs.index];
            if (!a || !b) {
                continue;
            }
            bool differs = a->shape() != b->shape() || a->element() != b->element();
            for (std::int64_t i = 0; i < a->count() && !differs && numeric(a->element()); ++i) {
                if (!isFloat(a->element())) {
                    differs = a->toInt64(i) != b->toInt64(i);
                } else {
                    const double x = a->toDouble(i);
                    const double y = b->toDouble(i);
                    differs = std::isnan(x) != std::isnan(y) || std::fabs(x - y) > 1e-4 * std::max({std::fabs(x), std::fabs(y), 1e-6});
                }
            }
            if (differs && !found) {
                found = true;
                out.firstDifference = out.path.size();
            }
            out.path.emplace_back(mine, theirs);
        }
        if (!found) {
            out.firstDifference = out.path.size();
        }
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
    if (!found) {
        std::size_t workingSizes = 0;
        for (const auto& sizes : candidateSizes(m)) {
            const bool large = std::any_of(sizes.begin(), sizes.end(), [](const auto& size) { return size.second > 16; });
            if (workingSizes >= 2 || (workingSizes > 0 && large) || expired() || found) {
                break;
            }
            const std::size_t before = m_result.samplesRun;
            for (std::size_t k = 0; k < m_options.samples && !found && !expired(); ++k) {
                const std::optional<Candidate> candidate = makeCandidate(m, sizes, k, m_options.seed);
                if (!candidate) {
                    m_result.trouble = m_result.trouble.empty() ? "no values can be made for the inputs" : m_result.trouble;
                    break;
                }
                (void)consider(*candidate);
                if (k == 3 && m_result.samplesRun == before && m_result.trouble.find("TooLarge") != std::string::npos) {
                    break;
                }
                if (k == 1 && m_result.samplesRun == before && !m_result.trouble.empty() && !m.symbols.empty()) {
                    break; // the graph does not run at these sizes
                }
            }
            workingSizes += m_result.samplesRun > before ? 1 : 0;
        }
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
