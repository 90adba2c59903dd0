// From an inner value back to inputs. Tests: tests/core/prove/tst_lift.cpp, tests/mutants.

#include "core/prove/lift.h"

#include "core/prove/candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>

namespace lemmascope {

namespace {

constexpr std::size_t MostAims = 16;
constexpr std::size_t MostPlaces = 24;
constexpr std::size_t MostCrossings = 3; ///< of one aim
constexpr int MostHalvings = 80;

/// Elements of an operand broadcast to the larger one's shape (trailing axes meet); nothing where they do not fit.
std::optional<std::vector<double>> difference(const Tensor& a, const Tensor& b) {
    const Tensor& large = a.shape().size() > b.shape().size() || (a.shape().size() == b.shape().size() && a.count() >= b.count()) ? a : b;
    const Tensor& small = &large == &a ? b : a;
    std::vector<double> out(static_cast<std::size_t>(large.count()));
    const std::size_t lead = large.shape().size() - small.shape().size();
    for (std::size_t axis = 0; axis < small.shape().size(); ++axis) {
        if (small.shape()[axis] != 1 && small.shape()[axis] != large.shape()[axis + lead]) {
            return std::nullopt;
        }
    }
    for (std::int64_t i = 0; i < large.count(); ++i) {
        std::int64_t rest = i;
        std::int64_t at = 0;
        std::int64_t stride = 1;
        for (std::size_t axis = large.shape().size(); axis-- > 0;) {
            const std::int64_t index = rest % large.shape()[axis];
            rest /= large.shape()[axis];
            if (axis >= lead) {
                const std::int64_t length = small.shape()[axis - lead];
                at += length == 1 ? 0 : index * stride;
                stride *= length;
            }
        }
        const double d = large.toDouble(i) - small.toDouble(at);
        out[static_cast<std::size_t>(i)] = &large == &a ? d : -d;
    }
    return out;
}

class Lifter {
  public:
    Lifter(const SearchProblem& problem, const LiftTests& tests) : m(problem), m_tests(tests) {}

    bool run(const std::map<std::string, std::int64_t>& sizes, std::uint64_t seed) {
        const std::vector<SearchAim> aims = aimsOf();
        std::vector<Candidate> starts;
        for (const std::size_t pattern : {1UL, 2UL, 0UL}) {
            if (std::optional<Candidate> start = aims.empty() ? std::nullopt : makeCandidate(m, sizes, pattern, seed)) {
                starts.push_back(std::move(*start));
            }
        }
        for (const SearchAim& aim : aims) {
            std::size_t crossings = 0;
            for (const Candidate& start : starts) {
                if (crossings < MostCrossings && !m_tests.late() && from(start, aim, crossings)) {
                    return true;
                }
            }
        }
        return false;
    }

  private:
    using Move = std::function<Candidate(double)>;
    const SearchProblem& m;
    const LiftTests& m_tests;

    [[nodiscard]] std::vector<SearchAim> aimsOf() const;
    [[nodiscard]] std::optional<std::vector<double>> measure(const SearchAim& aim, const Candidate& candidate) const;
    [[nodiscard]] bool inRange(std::size_t input, double value) const;
    bool from(const Candidate& start, const SearchAim& aim, std::size_t& crossings);
    bool halve(const Move& move, const SearchAim& aim, std::size_t element, double from, double to);
};

std::vector<SearchAim> Lifter::aimsOf() const {
    static const std::set<std::string> Comparing{"Less", "LessOrEqual", "Greater", "GreaterOrEqual", "Equal", "Min", "Max", "Clip"};
    std::vector<SearchAim> out = m.aims;
    for (const bool rewritten : {false, true}) {
        const Graph& top = (rewritten ? m.rewritten : m.reference)->top();
        const std::vector<bool>& own = (rewritten ? m.rewrittenWidening : m.referenceWidening).nodes;
        for (std::size_t n = 0; n < top.nodes.size() && out.size() < MostAims; ++n) {
            const Node& node = top.nodes[n];
            if (!node.op.domain.empty() || !Comparing.contains(node.op.name) || (n < own.size() && !own[n]) || node.operands.size() < 2 ||
                !node.operands[0].isValid()) {
                continue;
            }
            for (std::size_t k = 1; k < node.operands.size() && out.size() < MostAims; ++k) {
                if (node.operands[k].isValid()) {
                    out.push_back({rewritten, FlatValueId(node.operands[0].index), FlatValueId(node.operands[k].index), 0.0});
                }
            }
        }
    }
    return out;
}

std::optional<std::vector<double>> Lifter::measure(const SearchAim& aim, const Candidate& candidate) const {
    const auto runs = m_tests.run(candidate);
    if (!runs) {
        return std::nullopt;
    }
    const GraphTree& tree = aim.rewritten ? *m.rewritten : *m.reference;
    const auto tensorOf = [&](FlatValueId value) {
        const auto& run = (aim.rewritten ? runs->second : runs->first).values[value.index];
        return run ? run : tree.value(value).constant;
    };
    const std::optional<Tensor> value = tensorOf(aim.value);
    if (!value || !isComputable(value->element()) || value->count() > 100'000) {
        return std::nullopt;
    }
    if (!aim.other.isValid()) {
        std::vector<double> out;
        for (std::int64_t i = 0; i < value->count(); ++i) {
            out.push_back(value->toDouble(i) - aim.target);
        }
        return out;
    }
    const std::optional<Tensor> other = tensorOf(aim.other);
    return other && isComputable(other->element()) && other->count() <= 100'000 ? difference(*value, *other) : std::nullopt;
}

bool Lifter::inRange(std::size_t input, double value) const {
    const SearchInput& one = m.inputs[input];
    if (one.real && !one.real->holds(value)) {
        return false;
    }
    if (one.range && !(value >= static_cast<double>(one.range->low) && value <= static_cast<double>(one.range->high))) {
        return false;
    }
    switch (one.type.element) {
    case ElementType::F16: return std::fabs(value) <= 65504.0;
    case ElementType::F32:
    case ElementType::F64:
    case ElementType::BF16: return true;
    case ElementType::Bool: return false;
    default: {
        const double bits = bitWidth(one.type.element);
        const double high = std::ldexp(1.0, static_cast<int>(isSignedInteger(one.type.element) ? bits - 1 : bits));
        return value < std::min(high, 0x1p53) && value >= (isSignedInteger(one.type.element) ? -std::min(high, 0x1p53) : 0.0);
    }
    }
}

bool Lifter::from(const Candidate& start, const SearchAim& aim, std::size_t& crossings) {
    const std::optional<std::vector<double>> before = measure(aim, start);
    if (!before) {
        return false;
    }
    const auto crossed = [&](const std::vector<double>& after) -> std::optional<std::size_t> {
        for (std::size_t i = 0; i < after.size() && after.size() == before->size(); ++i) {
            const double x = (*before)[i];
            const double y = after[i];
            if ((x > 0.0) != (y > 0.0) && !std::isnan(x) && !std::isnan(y)) {
                return i;
            }
        }
        return std::nullopt;
    };
    struct Place {
        std::size_t input = 0;
        std::int64_t element = 0;
    };
    std::vector<Place> all;
    for (std::size_t k = 0; k < start.inputs.size(); ++k) {
        for (std::int64_t i = 0; i < std::min<std::int64_t>(start.inputs[k].count(), 4096); ++i) {
            all.push_back({k, i});
        }
    }
    const auto far = [](double sign, int step) { return sign * std::ldexp(1.0, step); };
    for (std::size_t p = 0; p < std::min(all.size(), MostPlaces); ++p) {
        const Place place = all[p * all.size() / std::min(all.size(), MostPlaces)];
        const Move move = [&start, place](double value) {
            Candidate out = start;
            out.inputs[place.input] = copyOf(start.inputs[place.input]);
            setElement(out.inputs[place.input], place.element, value);
            return out;
        };
        const double now = start.inputs[place.input].toDouble(place.element);
        for (const double sign : {1.0, -1.0}) {
            for (const int step : {2, 8, 16, 28}) {
                const double value = far(sign, step);
                if (m_tests.late() || crossings >= MostCrossings) {
                    return false;
                }
                if (!inRange(place.input, value)) {
                    continue;
                }
                const std::optional<std::vector<double>> after = measure(aim, move(value));
                const std::optional<std::size_t> element = after ? crossed(*after) : std::nullopt;
                if (element) {
                    ++crossings;
                    if (halve(move, aim, *element, now, value)) {
                        return true;
                    }
                    break;
                }
            }
        }
    }
    // All elements in proportion.
    const Move scaled = [&](double factor) {
        Candidate out = start;
        for (std::size_t k = 0; k < out.inputs.size(); ++k) {
            if (!isFloat(start.inputs[k].element())) {
                continue;
            }
            out.inputs[k] = copyOf(start.inputs[k]);
            for (std::int64_t i = 0; i < out.inputs[k].count(); ++i) {
                const double value = start.inputs[k].toDouble(i) * factor;
                if (inRange(k, value)) {
                    setElement(out.inputs[k], i, value);
                }
            }
        }
        return out;
    };
    for (const double factor : {far(1.0, 3), far(1.0, 10), far(1.0, 24), far(-1.0, 10), 0.0}) {
        if (m_tests.late() || crossings >= MostCrossings) {
            return false;
        }
        const std::optional<std::vector<double>> after = measure(aim, scaled(factor));
        if (const std::optional<std::size_t> element = after ? crossed(*after) : std::nullopt) {
            ++crossings;
            if (halve(scaled, aim, *element, 1.0, factor)) {
                return true;
            }
        }
    }
    return false;
}

bool Lifter::halve(const Move& move, const SearchAim& aim, std::size_t element, double from, double to) {
    const auto same = [](const Candidate& a, const Candidate& b) {
        return std::equal(a.inputs.begin(), a.inputs.end(), b.inputs.begin(), [](const Tensor& x, const Tensor& y) { return x.sameBits(y); });
    };
    Candidate near = move(from);
    Candidate beyond = move(to);
    const std::optional<std::vector<double>> start = measure(aim, near);
    if (!start || element >= start->size()) {
        return false;
    }
    const bool above = (*start)[element] > 0.0;
    for (int step = 0; step < MostHalvings && !m_tests.late(); ++step) {
        const double middle = from + (to - from) / 2.0;
        Candidate between = move(middle);
        if (middle == from || middle == to || same(between, near) || same(between, beyond)) {
            break;
        }
        const std::optional<std::vector<double>> values = measure(aim, between);
        if (!values || element >= values->size() || std::isnan((*values)[element])) {
            return false;
        }
        if (((*values)[element] > 0.0) == above) {
            from = middle;
            near = std::move(between);
        } else {
            to = middle;
            beyond = std::move(between);
        }
    }
    return m_tests.differs(near) || m_tests.differs(beyond);
}

} // namespace

bool liftToInputs(const SearchProblem& problem, const std::map<std::string, std::int64_t>& sizes, std::uint64_t seed, const LiftTests& tests) {
    return Lifter(problem, tests).run(sizes, seed);
}

} // namespace lemmascope
