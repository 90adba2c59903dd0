#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// How well a text answers what was typed: higher is better, nothing when it does not. Each word of `wanted` must be found: whole, at the
/// start, at the start of a part (`q` of `attn/q_proj`), inside, or at least with its letters in order (`lnw` of `layer_norm.weight`).
/// Both folded (`foldedText`). The same arguments give the same number.
class Ranking {
  public:
    explicit Ranking(std::string_view wanted);

    [[nodiscard]] bool isEmpty() const { return m_words.empty(); }
    [[nodiscard]] std::optional<int> of(std::string_view text) const;

    static constexpr int Whole = 1'000;

  private:
    std::vector<std::string> m_words;
};

/// Keeps the `most` best of any number of candidates; what was added first stands first among equals.
class BestOf {
  public:
    explicit BestOf(std::size_t most) : m_most(most) {}
    /// Worth looking at: false for a score that cannot be kept.
    [[nodiscard]] bool takes(int score) const { return m_kept.size() < 2 * m_most || score > m_least; }
    /// `tie` orders equal scores: less is better (a length).
    void add(int score, std::uint32_t tie, std::uint32_t id);
    struct Entry {
        int score = 0;
        std::uint32_t tie = 0;
        std::uint32_t id = 0;
    };
    /// Best first.
    [[nodiscard]] std::vector<Entry> take();

  private:
    void cut();

    std::size_t m_most;
    int m_least = -1;
    std::vector<Entry> m_kept;
};

} // namespace lemmascope
