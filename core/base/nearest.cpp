#include "core/base/nearest.h"

#include <algorithm>
#include <numeric>

namespace lemmascope {

namespace {

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
            diagonal = row[j];
            row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
        }
    }
    return row[b.size()];
}

} // namespace

std::optional<std::string_view> nearestWord(std::string_view word, const std::vector<std::string_view>& candidates) {
    constexpr std::size_t Longest = 64;
    std::optional<std::string_view> best;
    std::size_t bestDistance = word.size() / 3 + 1; // a word of two letters is near to anything
    if (word.size() > Longest) {
        return best;
    }
    for (const std::string_view candidate : candidates) {
        if (candidate.size() > Longest) {
            continue;
        }
        const std::size_t distance = editDistance(word, candidate);
        if (distance < bestDistance) {
            bestDistance = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace lemmascope
