#include "ui/views/ranking.h"

#include <algorithm>
#include <tuple>

namespace lemmascope {

namespace {

constexpr int Prefix = 800;
constexpr int PartStart = 600;
constexpr int Inside = 400;
constexpr int Scattered = 200;
constexpr int MostOff = 150; ///< taken off for letters between or behind

bool isSeparator(char c) { return c == '/' || c == '.' || c == '_' || c == '-' || c == ' ' || c == ':' || c == '#' || c == '\n' || c == '>'; }

bool startsPart(std::string_view text, std::size_t at) {
    if (at == 0) {
        return true;
    }
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    return isSeparator(text[at - 1]) || digit(text[at]) != digit(text[at - 1]);
}

int off(std::size_t letters) { return static_cast<int>(std::min<std::size_t>(letters, MostOff)); }

std::optional<int> rankWord(std::string_view word, std::string_view text) {
    std::size_t at = text.find(word);
    if (at != std::string_view::npos) {
        if (word.size() == text.size()) {
            return Ranking::Whole;
        }
        if (at == 0) {
            return Prefix - off(text.size() - word.size());
        }
        for (std::size_t start = at; start != std::string_view::npos; start = text.find(word, start + 1)) {
            if (startsPart(text, start)) {
                // The last part of a path is what one calls the thing.
                const bool last = text.find('/', start) == std::string_view::npos;
                return PartStart + (last ? MostOff / 3 : 0) - off(text.size() - word.size());
            }
        }
        return Inside - off(text.size() - word.size());
    }
    // Letters in order, at the starts of parts where that can be.
    std::size_t next = 0;
    std::size_t gaps = 0;
    int starts = 0;
    for (const char c : word) {
        const std::size_t found = text.find(c, next);
        if (found == std::string_view::npos) {
            return {};
        }
        gaps += found - next;
        starts += startsPart(text, found) ? 1 : 0;
        next = found + 1;
    }
    return Scattered + std::min(starts, 10) * 10 - off(gaps);
}

} // namespace

Ranking::Ranking(std::string_view wanted) {
    for (std::size_t begin = 0; begin < wanted.size();) {
        const std::size_t end = std::min(wanted.find(' ', begin), wanted.size());
        if (end > begin) {
            m_words.emplace_back(wanted.substr(begin, end - begin));
        }
        begin = end + 1;
    }
}

std::optional<int> Ranking::of(std::string_view text) const {
    int sum = 0;
    for (const std::string& word : m_words) {
        const auto score = rankWord(word, text);
        if (!score) {
            return {};
        }
        sum += *score;
    }
    return m_words.empty() ? 0 : sum / static_cast<int>(m_words.size());
}

void BestOf::add(int score, std::uint32_t tie, std::uint32_t id) {
    if (!takes(score)) {
        return;
    }
    m_kept.push_back({score, tie, id});
    if (m_kept.size() >= 4 * m_most) {
        cut();
    }
}

void BestOf::cut() {
    // Stable, so that what came first stays first among equals.
    std::stable_sort(m_kept.begin(), m_kept.end(),
                     [](const Entry& a, const Entry& b) { return std::tuple(-a.score, a.tie) < std::tuple(-b.score, b.tie); });
    if (m_kept.size() > m_most) {
        m_kept.resize(m_most);
    }
    m_least = m_kept.size() == m_most && m_most > 0 ? m_kept.back().score - 1 : -1;
}

std::vector<BestOf::Entry> BestOf::take() {
    cut();
    return std::move(m_kept);
}

} // namespace lemmascope
