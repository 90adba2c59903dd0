#include "core/prove/candidates.h"

#include "core/prove/facts.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

namespace lemmascope {

namespace {

constexpr std::int64_t MaxInputElements = 50'000'000;

/// SplitMix64: a fixed generator, the same on every machine (the standard's distributions are not).
class Random {
  public:
    explicit Random(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next() {
        m_state += 0x9E3779B97F4A7C15ULL;
        std::uint64_t z = m_state;
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }
    double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
    /// Nearly normal: a sum of uniforms, so that no library function decides its bits.
    double normal() {
        double sum = 0.0;
        for (int i = 0; i < 12; ++i) {
            sum += unit();
        }
        return sum - 6.0;
    }
    std::int64_t within(std::int64_t low, std::int64_t high) {
        const auto width = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) + 1U;
        return width == 0 ? static_cast<std::int64_t>(next()) : static_cast<std::int64_t>(static_cast<std::uint64_t>(low) + next() % width);
    }

  private:
    std::uint64_t m_state;
};

template <typename T>
void store(std::byte* target, std::int64_t flat, T value) {
    std::memcpy(target + static_cast<std::size_t>(flat) * sizeof(T), &value, sizeof(T));
}

void storeInteger(Tensor& tensor, std::int64_t flat, std::int64_t value) {
    auto* target = const_cast<std::byte*>(tensor.bytes().data());
    switch (byteSize(tensor.element())) {
    case 1: store(target, flat, static_cast<std::uint8_t>(tensor.element() == ElementType::Bool ? (value != 0 ? 1 : 0) : value)); break;
    case 2: store(target, flat, static_cast<std::uint16_t>(value)); break;
    case 4: store(target, flat, static_cast<std::uint32_t>(value)); break;
    case 8: store(target, flat, static_cast<std::uint64_t>(value)); break;
    default: break;
    }
}

double floatPattern(std::size_t k, std::int64_t i, std::int64_t count, std::size_t input, Random& random) {
    switch (k % 16) {
    case 0: return static_cast<double>((i * 7 + 3 + static_cast<std::int64_t>(input) * 5) % 11 - 5); // distinct small integers
    case 1: return 0.0;
    case 2: return 1.0;
    case 3: return random.normal();
    case 4: return i == static_cast<std::int64_t>(k / 16) % std::max<std::int64_t>(count, 1) ? 1.0 : 0.0;
    case 5: return static_cast<double>(random.within(-3, 3));
    case 6: return random.normal() * 8.0;
    case 7: return -1.0 - static_cast<double>(i % 5);
    case 8: return static_cast<double>(random.within(-9, 9)) * 0.5;
    case 9: return random.normal() * 0.3;
    case 10: return random.normal() * 30.0;
    case 11: return static_cast<double>(random.within(0, 8)) * 0.25 + 0.25;
    case 12: return i % 2 == 0 ? -2.0 : 3.0;
    case 13: return random.normal() * 1000.0;
    case 14: return 4096.0 + static_cast<double>(random.within(-2, 2)) * 0.5;
    default: return random.normal() * 0.01;
    }
}

/// Folded into what is declared of a float input.
double within(const SearchInput& input, double value) {
    if (!input.real && !input.range) {
        return value;
    }
    const double low = input.real ? input.real->low : static_cast<double>(input.range->low);
    const double high = input.real ? input.real->high : static_cast<double>(input.range->high);
    return value >= low && value <= high ? value : high > low ? low + std::fmod(std::fabs(value), high - low) : low;
}

std::int64_t integerPattern(std::size_t k, std::int64_t i, const IntegerRange& range, Random& random) {
    const auto clamp = [&](std::int64_t value) { return std::clamp(value, range.low, range.high); };
    switch (k % 10) {
    case 0: return clamp(range.low <= 0 && range.high >= 1 ? i % 2 : range.low + i % 2);
    case 1: return clamp(0);
    case 2: return clamp(1);
    case 3: return clamp(random.within(0, 3));
    case 4: return i % 2 == 0 ? range.high : range.low;
    case 5: return clamp(random.within(-3, 3));
    case 6: return random.within(range.low, range.high);
    case 7: return i % 2 == 0 ? range.low : range.high;
    case 8: return clamp(random.within(-20, 20));
    default: return range.high - static_cast<std::int64_t>(random.next() % 3U) * (range.high > range.low + 3 ? 1 : 0);
    }
}

} // namespace

void setElement(Tensor& tensor, std::int64_t flat, double value) {
    auto* target = const_cast<std::byte*>(tensor.bytes().data());
    switch (tensor.element()) {
    case ElementType::F32: store(target, flat, static_cast<float>(value)); break;
    case ElementType::F64: store(target, flat, value); break;
    case ElementType::F16: store(target, flat, doubleToHalf(value)); break;
    case ElementType::BF16: store(target, flat, doubleToBfloat(value)); break;
    default: storeInteger(tensor, flat, static_cast<std::int64_t>(value)); break;
    }
}

void copyElement(const Tensor& from, std::int64_t at, Tensor& to, std::int64_t place) {
    const std::size_t size = byteSize(from.element());
    std::memcpy(const_cast<std::byte*>(to.bytes().data()) + static_cast<std::size_t>(place) * size,
                from.bytes().data() + static_cast<std::size_t>(at) * size, size);
}

Tensor copyOf(const Tensor& tensor) {
    Tensor out(tensor.element(), tensor.shape());
    if (!tensor.bytes().empty()) {
        std::memcpy(const_cast<std::byte*>(out.bytes().data()), tensor.bytes().data(), tensor.bytes().size());
    }
    return out;
}

std::vector<std::map<std::string, std::int64_t>> candidateSizes(const SearchProblem& problem) {
    std::vector<std::map<std::string, std::int64_t>> out;
    if (problem.symbols.empty()) {
        return {{}};
    }
    const auto add = [&](std::map<std::string, std::int64_t> sizes) {
        if (std::find(out.begin(), out.end(), sizes) == out.end()) {
            out.push_back(std::move(sizes));
        }
    };
    const auto push = [&](std::int64_t base, bool apart) {
        std::map<std::string, std::int64_t> sizes;
        std::int64_t next = base;
        for (const auto& [name, range] : problem.symbols) {
            sizes[name] = std::clamp(next, range.low, range.high);
            next += apart ? 1 : 0;
        }
        add(std::move(sizes));
    };
    for (const std::int64_t base : {2, 3, 1, 4}) {
        push(base, true);
        push(base, false);
    }
    std::set<std::int64_t> lengths;
    for (const GraphTree* tree : {problem.reference, problem.rewritten}) {
        for (std::size_t v = 0; tree != nullptr && v < tree->top().values.size() && lengths.size() < 12; ++v) {
            const TensorType& type = tree->top().values[v].type;
            for (std::size_t axis = 0; type.shape && axis < type.shape->size(); ++axis) {
                const Dim& dim = (*type.shape)[axis];
                if (dim.isKnown() && dim.value() > 4 && dim.value() <= 512) {
                    lengths.insert(dim.value());
                }
            }
        }
    }
    // A length that stands in a graph for one symbol at a time: the others stay small.
    for (const std::int64_t length : lengths) {
        for (const auto& [name, range] : problem.symbols) {
            if (problem.symbols.size() > 1 && problem.symbols.size() <= 4) {
                std::map<std::string, std::int64_t> sizes;
                for (const auto& [other, its] : problem.symbols) {
                    sizes[other] = std::clamp<std::int64_t>(other == name ? length : 2, its.low, its.high);
                }
                add(std::move(sizes));
            }
        }
    }
    for (const std::int64_t base : {8, 16, 32, 48, 64, 96, 128, 256, 512}) {
        lengths.insert(base);
    }
    for (const std::int64_t length : lengths) {
        push(length, false);
    }
    return out;
}

namespace {

/// `patternOf` an input says which pattern its elements follow.
template <typename PatternOf>
std::optional<Candidate> candidateOf(const SearchProblem& problem, const std::map<std::string, std::int64_t>& sizes, std::size_t k,
                                     std::uint64_t seed, PatternOf patternOf) {
    Candidate candidate;
    candidate.sizes = sizes;
    std::int64_t total = 0;
    for (std::size_t at = 0; at < problem.inputs.size(); ++at) {
        const SearchInput& input = problem.inputs[at];
        if (!input.type.shape || (!isComputable(input.type.element))) {
            return std::nullopt;
        }
        std::vector<std::int64_t> shape;
        std::int64_t count = 1;
        for (const Dim& dim : *input.type.shape) {
            const std::optional<std::int64_t> length = dim.evaluate(sizes);
            if (!length || *length < 0 || (*length > 0 && count > MaxInputElements / *length)) {
                return std::nullopt;
            }
            shape.push_back(*length);
            count *= *length;
        }
        total += count;
        if (total > MaxInputElements) {
            return std::nullopt;
        }
        Tensor tensor(input.type.element, shape);
        Random random(seed * 1000003U + k * 131U + at * 7919U + 17U);
        const std::size_t pattern = patternOf(at);
        const bool floats = isFloat(input.type.element);
        IntegerRange range = floats ? IntegerRange{} : typeRange(input.type.element);
        if (input.range) {
            range = {std::max(range.low, input.range->low), std::min(range.high, input.range->high)};
        }
        if (!floats && range.low > range.high) {
            return std::nullopt;
        }
        for (std::int64_t i = 0; i < count; ++i) {
            if (floats) {
                setElement(tensor, i, within(input, floatPattern(pattern, i, count, at, random)));
            } else if (input.type.element == ElementType::Bool) {
                storeInteger(tensor, i, pattern % 4 == 1 ? 0 : pattern % 4 == 2 ? 1 : static_cast<std::int64_t>(random.next() & 1U));
            } else {
                storeInteger(tensor, i, integerPattern(pattern, i, range, random));
            }
        }
        candidate.inputs.push_back(std::move(tensor));
    }
    return candidate;
}

} // namespace

std::optional<Candidate> makeCandidate(const SearchProblem& problem, const std::map<std::string, std::int64_t>& sizes, std::size_t k,
                                       std::uint64_t seed) {
    // Later rounds shift the pattern of each input, so that inputs meet in different combinations.
    return candidateOf(problem, sizes, k, seed, [k](std::size_t at) { return k < 16 ? k : k + at * (k / 16); });
}

std::optional<Candidate> makeVaried(const SearchProblem& problem, const std::map<std::string, std::int64_t>& sizes, std::size_t input,
                                    std::uint64_t seed) {
    return candidateOf(problem, sizes, 5, seed, [input](std::size_t at) { return at == input ? std::size_t{5} : std::size_t{2}; });
}

} // namespace lemmascope
