#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace lemmascope {

/// The candidate nearest to `word` if it is near enough to be meant (edit distance at most a third of the word's length); the
/// first of several. Nothing for a word of more than 64 bytes.
[[nodiscard]] std::optional<std::string_view> nearestWord(std::string_view word, const std::vector<std::string_view>& candidates);

} // namespace lemmascope
