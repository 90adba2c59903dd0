// Small counterexamples. Tests: tests/core/prove/tst_shrink.cpp, tests/mutants.

#include "core/prove/shrink.h"

#include "core/prove/candidates.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace lemmascope {

namespace {

constexpr std::size_t QuickSingles = 48; ///< places tried alone before elements are taken away
constexpr std::size_t MostSingles = 400; ///< tests spent on other numbers at a single place
constexpr std::size_t MostPairPlaces = 16;
constexpr int MostRounds = 8;

class Shrinker {
  public:
    Shrinker(const SearchProblem& problem, Candidate candidate, const ShrinkTests& tests) : m(problem), m_tests(tests), m_now(std::move(candidate)) {}

    Candidate run() {
        (void)sizes();
        fewElements();
        // Other numbers or sizes may make an element needless, and fewer elements a size.
        bool changed = true;
        for (int round = 0; changed && round < MostRounds && !over(); ++round) {
            changed = values();
            changed = withoutEach(1) || changed;
            changed = sizes() || changed;
        }
        return std::move(m_now);
    }

  private:
    struct Place {
        std::size_t input = 0;
        std::int64_t element = 0;
    };

    const SearchProblem& m;
    const ShrinkTests& m_tests;
    Candidate m_now;
    std::size_t m_count = 0;

    [[nodiscard]] bool over() const { return m_count >= m_tests.mostTests || m_tests.late(); }
    [[nodiscard]] double usual(std::size_t input) const {
        const auto& range = m.inputs[input].range;
        if (const auto& real = m.inputs[input].real) {
            return real->holds(0.0) ? 0.0 : real->low;
        }
        return range && (range->low > 0 || range->high < 0) ? static_cast<double>(range->low) : 0.0;
    }
    [[nodiscard]] bool allowed(std::size_t input, double value) const {
        const SearchInput& one = m.inputs[input];
        if (one.real && !one.real->holds(value)) {
            return false;
        }
        if (one.range && !(value >= static_cast<double>(one.range->low) && value <= static_cast<double>(one.range->high))) {
            return false;
        }
        if (isFloat(one.type.element) || value != std::floor(value)) {
            return isFloat(one.type.element);
        }
        return one.type.element == ElementType::Bool ? value == 0.0 || value == 1.0 : value >= 0.0 || isSignedInteger(one.type.element);
    }
    [[nodiscard]] std::vector<Place> set() const {
        std::vector<Place> out;
        for (std::size_t k = 0; k < m_now.inputs.size(); ++k) {
            for (std::int64_t i = 0; i < m_now.inputs[k].count(); ++i) {
                if (m_now.inputs[k].toDouble(i) != usual(k)) {
                    out.push_back({k, i});
                }
            }
        }
        return out;
    }
    [[nodiscard]] Candidate cleared() const {
        Candidate out = m_now;
        for (std::size_t k = 0; k < out.inputs.size(); ++k) {
            out.inputs[k] = Tensor(m_now.inputs[k].element(), m_now.inputs[k].shape());
            for (std::int64_t i = 0; usual(k) != 0.0 && i < out.inputs[k].count(); ++i) {
                setElement(out.inputs[k], i, usual(k));
            }
        }
        return out;
    }
    void keepElement(Candidate& in, const Place& place) const {
        copyElement(m_now.inputs[place.input], place.element, in.inputs[place.input], place.element);
    }
    bool take(Candidate candidate) {
        ++m_count;
        if (!m_tests.differs(candidate)) {
            return false;
        }
        m_now = std::move(candidate);
        return true;
    }

    void fewElements();
    [[nodiscard]] bool singleAsItIs(const std::vector<Place>& places);
    [[nodiscard]] bool singleOtherwise(const std::vector<Place>& places);
    void half();
    bool withoutEach(std::size_t block);
    void pairs(const std::vector<Place>& places);
    bool values();
    bool simpler(const Place& place);
    bool sizes();
    [[nodiscard]] std::optional<Candidate> atLength(const std::string& symbol, std::int64_t length, bool moved) const;
};

void Shrinker::fewElements() {
    if (take(cleared())) {
        return;
    }
    const std::vector<Place> first = set();
    std::vector<Place> spread;
    for (std::size_t k = 0; k < std::min(first.size(), QuickSingles); ++k) {
        spread.push_back(first[k * first.size() / std::min(first.size(), QuickSingles)]);
    }
    if (singleAsItIs(spread)) {
        return;
    }
    half();
    for (std::size_t block = std::max<std::size_t>(set().size() / 2, 1); block > 1 && !over(); block /= 2) {
        (void)withoutEach(block);
    }
    while (withoutEach(1) && !over()) {
    }
    const std::vector<Place> needed = set();
    if (needed.size() > 1 && !over() && !singleOtherwise(needed) && !singleOtherwise(spread) && needed.size() > 2) {
        pairs(needed);
    }
}

bool Shrinker::singleAsItIs(const std::vector<Place>& places) {
    for (const Place& place : places) {
        if (over()) {
            return false;
        }
        Candidate one = cleared();
        keepElement(one, place);
        if (take(std::move(one))) {
            return true;
        }
    }
    return false;
}

bool Shrinker::singleOtherwise(const std::vector<Place>& places) {
    std::size_t spent = 0;
    for (const double value : {1.0, -1.0, 2.0, -3.0, 0.5, 20.0, -20.0, 100.0}) {
        for (const Place& place : places) {
            if (over() || spent >= MostSingles) {
                return false;
            }
            if (!allowed(place.input, value) || value == usual(place.input)) {
                continue;
            }
            Candidate one = cleared();
            setElement(one.inputs[place.input], place.element, value);
            ++spent;
            if (take(std::move(one))) {
                return true;
            }
        }
    }
    return false;
}

void Shrinker::half() {
    // As long as one of a few parts is enough by itself.
    for (bool smaller = true; smaller && !over();) {
        smaller = false;
        const std::vector<Place> places = set();
        for (std::size_t parts = 2; parts <= 4 && places.size() > parts && !smaller; parts *= 2) {
            for (std::size_t part = 0; part < parts && !smaller && !over(); ++part) {
                Candidate some = cleared();
                for (std::size_t k = part * places.size() / parts; k < (part + 1) * places.size() / parts; ++k) {
                    keepElement(some, places[k]);
                }
                smaller = take(std::move(some));
            }
        }
    }
}

bool Shrinker::withoutEach(std::size_t block) {
    bool any = false;
    const std::vector<Place> places = set();
    for (std::size_t from = 0; from < places.size() && !over(); from += block) {
        Candidate fewer = m_now;
        std::vector<bool> copied(fewer.inputs.size(), false);
        for (std::size_t k = from; k < std::min(places.size(), from + block); ++k) {
            const std::size_t input = places[k].input;
            if (!copied[input]) {
                fewer.inputs[input] = copyOf(m_now.inputs[input]);
                copied[input] = true;
            }
            setElement(fewer.inputs[input], places[k].element, usual(input));
        }
        any = take(std::move(fewer)) || any;
    }
    return any;
}

void Shrinker::pairs(const std::vector<Place>& places) {
    // No single element can go, yet two with other numbers may do.
    const std::size_t count = std::min(places.size(), MostPairPlaces);
    const Candidate start = m_now;
    for (const auto& [left, right] : std::array<std::pair<double, double>, 4>{{{0.0, 0.0}, {1.0, -1.0}, {2.0, -3.0}, {20.0, -20.0}}}) {
        for (std::size_t a = 0; a < count; ++a) {
            for (std::size_t b = a + 1; b < count; ++b) {
                if (over()) {
                    return;
                }
                Candidate two = cleared();
                for (const std::size_t which : {a, b}) {
                    const Place& place = places[which];
                    const double value = which == a ? left : right;
                    if (value == 0.0 || !allowed(place.input, value)) {
                        copyElement(start.inputs[place.input], place.element, two.inputs[place.input], place.element);
                    } else {
                        setElement(two.inputs[place.input], place.element, value);
                    }
                }
                if (take(std::move(two))) {
                    return;
                }
            }
        }
    }
}

bool Shrinker::values() {
    bool any = false;
    for (const Place& place : set()) {
        for (int step = 0; step < 24 && simpler(place); ++step) {
            any = true;
        }
    }
    return any;
}

bool Shrinker::simpler(const Place& place) {
    const double now = m_now.inputs[place.input].toDouble(place.element);
    const double limit = std::isfinite(now) ? std::max(std::fabs(now), 1.0) : std::numeric_limits<double>::infinity();
    const double middle = std::isfinite(now) ? now : 0.0;
    // The simplest first; what comes after the number itself is no gain.
    const std::array<double, 12> simple{1.0,
                                        -1.0,
                                        2.0,
                                        -2.0,
                                        3.0,
                                        -3.0,
                                        std::nearbyint(middle / 4.0),
                                        std::nearbyint(middle / 2.0),
                                        std::nearbyint(middle),
                                        std::nearbyint(middle * 4.0) / 4.0,
                                        std::nearbyint(middle * 100.0) / 100.0,
                                        std::nearbyint(middle * 10000.0) / 10000.0};
    for (const double value : simple) {
        if (value == now || over()) {
            return false;
        }
        if (!allowed(place.input, value) || value == usual(place.input) || std::fabs(value) > limit) {
            continue;
        }
        Candidate other = m_now;
        other.inputs[place.input] = copyOf(m_now.inputs[place.input]);
        setElement(other.inputs[place.input], place.element, value);
        if (other.inputs[place.input].toDouble(place.element) == now) {
            return false; // as near as the type has it
        }
        if (take(std::move(other))) {
            return true;
        }
    }
    return false;
}

std::optional<Candidate> Shrinker::atLength(const std::string& symbol, std::int64_t length, bool moved) const {
    // The first elements along each axis; `moved`: those beyond stand at the new ends.
    Candidate smaller = m_now;
    smaller.sizes[symbol] = length;
    for (std::size_t k = 0; k < smaller.inputs.size(); ++k) {
        const Tensor& from = m_now.inputs[k];
        std::vector<std::int64_t> shape;
        for (const Dim& dim : *m.inputs[k].type.shape) {
            shape.push_back(dim.evaluate(smaller.sizes).value_or(-1));
        }
        if (shape.size() != from.shape().size()) {
            return std::nullopt;
        }
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis] < 0 || shape[axis] > from.shape()[axis]) {
                return std::nullopt;
            }
        }
        if (shape == from.shape()) {
            continue;
        }
        Tensor to(from.element(), shape);
        for (std::int64_t i = 0; i < to.count(); ++i) {
            std::int64_t rest = i;
            std::int64_t flat = 0;
            std::int64_t stride = 1;
            for (std::size_t axis = shape.size(); axis-- > 0;) {
                flat += rest % shape[axis] * stride;
                rest /= shape[axis];
                stride *= from.shape()[axis];
            }
            copyElement(from, flat, to, i);
        }
        for (std::int64_t i = 0; moved && to.count() > 0 && i < from.count(); ++i) {
            if (from.toDouble(i) == usual(k)) {
                continue;
            }
            std::int64_t rest = i;
            std::int64_t flat = 0;
            std::int64_t stride = 1;
            for (std::size_t axis = shape.size(); axis-- > 0;) {
                flat += std::min(rest % from.shape()[axis], shape[axis] - 1) * stride;
                rest /= from.shape()[axis];
                stride *= shape[axis];
            }
            if (to.toDouble(flat) == usual(k)) {
                copyElement(from, i, to, flat);
            }
        }
        smaller.inputs[k] = std::move(to);
    }
    return smaller;
}

bool Shrinker::sizes() {
    bool any = false;
    for (const auto& [symbol, range] : m.symbols) {
        const auto at = m_now.sizes.find(symbol);
        if (at == m_now.sizes.end() || at->second <= range.low) {
            continue;
        }
        // The least lengths, then by halves, then one less.
        const std::int64_t now = at->second;
        std::vector<std::int64_t> lengths;
        for (std::int64_t length = range.low; length < std::min(now, range.low + 6); ++length) {
            lengths.push_back(length);
        }
        for (std::int64_t length = range.low + (now - range.low) / 8; length < now; length += std::max<std::int64_t>((now - length) / 2, 1)) {
            lengths.push_back(length);
        }
        std::int64_t last = -1;
        for (const std::int64_t length : lengths) {
            bool done = false;
            for (const bool moved : {false, true}) {
                if (over() || done || length <= last) {
                    continue;
                }
                if (std::optional<Candidate> smaller = atLength(symbol, length, moved)) {
                    done = take(std::move(*smaller));
                }
            }
            last = std::max(last, length);
            if (done) {
                any = true;
                break;
            }
        }
    }
    return any;
}

} // namespace

Candidate shrinkCandidate(const SearchProblem& problem, Candidate candidate, const ShrinkTests& tests) {
    return Shrinker(problem, std::move(candidate), tests).run();
}

} // namespace lemmascope
