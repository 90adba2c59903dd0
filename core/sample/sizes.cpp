#include "core/sample/sizes.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace lemmascope::sampling {

namespace {

using Sizes = std::map<std::string, std::int64_t>;

/// Reads the canonical text of a Dim (core/graph/dim.h): sums of products of integers, symbols, floor(a, b), min, max.
class Reader {
  public:
    Reader(const std::string& text, const Sizes& sizes) : m_text(text), m_sizes(sizes) {}

    std::optional<std::int64_t> whole() {
        const std::optional<std::int64_t> value = sum(0);
        return m_at == m_text.size() ? value : std::nullopt;
    }

  private:
    const std::string& m_text;
    const Sizes& m_sizes;
    std::size_t m_at = 0;
    static constexpr int MaxDepth = 64;

    [[nodiscard]] bool take(const std::string& word) {
        if (m_text.compare(m_at, word.size(), word) != 0) {
            return false;
        }
        m_at += word.size();
        return true;
    }

    std::optional<std::int64_t> sum(int depth) {
        std::int64_t total = 0;
        bool negative = take("-");
        while (true) {
            std::optional<std::int64_t> value = product(depth);
            if (!value || __builtin_mul_overflow(*value, negative ? -1 : 1, &*value) || __builtin_add_overflow(total, *value, &total)) {
                return std::nullopt;
            }
            if (take(" + ")) {
                negative = false;
            } else if (take(" - ")) {
                negative = true;
            } else {
                return total;
            }
        }
    }

    std::optional<std::int64_t> product(int depth) {
        std::int64_t value = 1;
        do {
            const std::optional<std::int64_t> next = atom(depth);
            if (!next || __builtin_mul_overflow(value, *next, &value)) {
                return std::nullopt;
            }
        } while (take("*"));
        return value;
    }

    std::optional<std::int64_t> atom(int depth) {
        if (depth > MaxDepth) {
            return std::nullopt;
        }
        for (const char* name : {"floor(", "min(", "max("}) {
            if (take(name)) {
                const std::optional<std::int64_t> a = sum(depth + 1);
                if (!a || !take(", ")) {
                    return std::nullopt;
                }
                const std::optional<std::int64_t> b = sum(depth + 1);
                if (!b || !take(")")) {
                    return std::nullopt;
                }
                if (name[1] == 'i' || name[1] == 'a') {
                    return name[1] == 'i' ? std::min(*a, *b) : std::max(*a, *b);
                }
                if (*b <= 0) {
                    return std::nullopt;
                }
                return *a / *b - (*a % *b < 0 ? 1 : 0);
            }
        }
        std::size_t end = m_at;
        while (end < m_text.size() && m_text[end] >= '0' && m_text[end] <= '9') {
            ++end;
        }
        if (end > m_at && end - m_at < 19) {
            const std::int64_t value = std::stoll(m_text.substr(m_at, end - m_at));
            m_at = end;
            return value;
        }
        // The longest symbol that stands here.
        std::optional<std::int64_t> value;
        std::size_t longest = 0;
        for (const auto& [name, size] : m_sizes) {
            if (name.size() > longest && m_text.compare(m_at, name.size(), name) == 0) {
                longest = name.size();
                value = size;
            }
        }
        m_at += longest;
        return value;
    }
};

/// True if every shape has a length and every view stays inside its source at these sizes.
/// `poor`: some shape has no elements, or a length that varies is 1 there: much that differs looks alike then.
bool fits(const TermStore& store, std::span<const TermId> terms, const Sizes& sizes, bool& poor) {
    poor = false;
    for (const TermId term : terms) {
        if (!store.hasShape(term)) {
            continue;
        }
        const std::optional<std::vector<std::int64_t>> lengths = lengthsOf(store.shape(term), sizes);
        if (!lengths) {
            return false;
        }
        const Shape& shape = store.shape(term);
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            poor = poor || (*lengths)[axis] == 0 || ((*lengths)[axis] == 1 && !shape[axis].isKnown());
        }
        if (store.kind(term) != TermKind::View) {
            continue;
        }
        const TermId source = store.operands(term)[0];
        const std::optional<std::vector<std::int64_t>> from = store.hasShape(source) ? lengthsOf(store.shape(source), sizes) : std::nullopt;
        const View& view = store.view(term);
        std::optional<std::int64_t> low = view.offset.evaluate(sizes);
        if (!from || !low) {
            return false;
        }
        std::int64_t high = *low;
        std::int64_t count = 1;
        for (const Mode& mode : view.modes) {
            const std::optional<std::int64_t> extent = mode.extent.evaluate(sizes);
            const std::optional<std::int64_t> stride = mode.stride.evaluate(sizes);
            std::int64_t reach = 0;
            if (!extent || !stride || *extent < 0 || __builtin_mul_overflow(*extent - 1, *stride, &reach)) {
                return false;
            }
            (reach < 0 ? *low : high) += reach;
            count *= *extent;
        }
        std::int64_t length = 1;
        for (const std::int64_t k : *from) {
            length *= k;
        }
        std::int64_t own = 1;
        for (const std::int64_t k : *lengths) {
            own *= k;
        }
        if (own != count || (own > 0 && (*low < 0 || high >= length))) {
            return false;
        }
    }
    return true;
}

} // namespace

std::optional<std::int64_t> evaluateText(const std::string& text, const Sizes& sizes) { return Reader(text, sizes).whole(); }

std::optional<std::vector<std::int64_t>> lengthsOf(const Shape& shape, const Sizes& sizes) {
    std::vector<std::int64_t> lengths;
    std::int64_t count = 1;
    for (const Dim& dim : shape) {
        const std::optional<std::int64_t> length = dim.evaluate(sizes);
        if (!length || *length < 0 || __builtin_mul_overflow(count, std::max<std::int64_t>(*length, 1), &count) || count > (std::int64_t{1} << 31)) {
            return std::nullopt;
        }
        lengths.push_back(*length);
    }
    return lengths;
}

std::optional<Sizes> chooseSizes(const TermStore& store, std::span<const TermId> terms, const Sizes& fixed,
                                 const std::map<std::string, IntegerRange>& ranges, std::string& why) {
    std::set<std::string> symbols;
    std::vector<std::string> found;
    for (const TermId term : terms) {
        found.clear();
        if (store.hasShape(term)) {
            for (const Dim& dim : store.shape(term)) {
                dim.collectSymbols(found);
            }
        }
        if (store.kind(term) == TermKind::View) {
            const View& view = store.view(term);
            view.offset.collectSymbols(found);
            for (const Mode& mode : view.modes) {
                mode.extent.collectSymbols(found);
                mode.stride.collectSymbols(found);
            }
        }
        symbols.insert(found.begin(), found.end());
    }
    // Distinct primes first; then larger ones and round numbers, for graphs that need room or divisibility.
    static constexpr std::array<std::int64_t, 12> Primes{2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
    std::size_t tries = 0;
    std::optional<Sizes> fallback;
    for (const std::int64_t factor : {1, 2, 4, 8, 6, 12, 16, 32, 64}) {
        for (const std::size_t shift : {0U, 1U, 3U}) {
            Sizes sizes = fixed;
            std::size_t next = shift;
            for (const std::string& name : symbols) {
                if (sizes.contains(name)) {
                    continue;
                }
                const auto range = ranges.find(name);
                const std::int64_t low = range == ranges.end() ? 1 : std::max<std::int64_t>(range->second.low, 0);
                const std::int64_t high = range == ranges.end() ? std::int64_t{1} << 20 : range->second.high;
                std::int64_t size = factor * (next < Primes.size() ? Primes[next] : 37 + static_cast<std::int64_t>(next));
                ++next;
                if (size < low) {
                    size = low + size; // stay distinct
                }
                sizes[name] = std::max(low, std::min(size, high));
            }
            ++tries;
            bool poor = false;
            if (fits(store, terms, sizes, poor)) {
                if (!poor) {
                    // Work grows with every size: each as small as it may be, distinct where that is possible.
                    for (auto& [name, size] : sizes) {
                        if (fixed.contains(name)) {
                            continue;
                        }
                        const auto range = ranges.find(name);
                        const std::int64_t low = range == ranges.end() ? 2 : std::max<std::int64_t>(range->second.low, 1);
                        const std::int64_t now = size;
                        for (std::int64_t smaller = low; smaller < now; ++smaller) {
                            const bool taken = std::any_of(sizes.begin(), sizes.end(), [&, &known = name](const auto& other) {
                                return other.first != known && other.second == smaller;
                            });
                            size = smaller;
                            bool none = false;
                            if (!taken && fits(store, terms, sizes, none) && !none) {
                                break;
                            }
                            size = now;
                        }
                    }
                    return sizes;
                }
                fallback = fallback ? fallback : sizes;
            }
            if (symbols.empty()) {
                break;
            }
        }
    }
    if (fallback) {
        return fallback;
    }
    why = "no sizes of the symbols were found (" + std::to_string(tries) + " tried) at which every shape and view has a length";
    return std::nullopt;
}

} // namespace lemmascope::sampling
