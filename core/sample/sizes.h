#pragma once

#include "core/graph/dim.h"
#include "core/graph/graph.h"
#include "core/term/term_store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lemmascope::sampling {

/// The integer that a Dim's canonical text says at given sizes; nothing for broken text, an unknown symbol or an overflow.
[[nodiscard]] std::optional<std::int64_t> evaluateText(const std::string& text, const std::map<std::string, std::int64_t>& sizes);

/// Small, distinct sizes for the symbols of these terms, within `ranges`, at which every shape has a length and every view
/// stays inside its source. `fixed` sizes are kept. Nothing when none were found; `why` then says so.
[[nodiscard]] std::optional<std::map<std::string, std::int64_t>> chooseSizes(const TermStore& store, std::span<const TermId> terms,
                                                                             const std::map<std::string, std::int64_t>& fixed,
                                                                             const std::map<std::string, IntegerRange>& ranges, std::string& why);

/// Lengths at given sizes.
[[nodiscard]] std::optional<std::vector<std::int64_t>> lengthsOf(const Shape& shape, const std::map<std::string, std::int64_t>& sizes);

} // namespace lemmascope::sampling
