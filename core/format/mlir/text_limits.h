#pragma once

#include "core/base/result.h"

#include <string>
#include <string_view>

namespace lemmascope::ir {

/// libMLIR's parser goes one call deeper for every bracket.
inline constexpr std::size_t DeepestNesting = 1000;
inline constexpr std::size_t LargestText = std::size_t{256} << 20U;

/// Fails with TooLarge, with the place, for a text (not bytecode) that is nested deeper or is longer than that.
[[nodiscard]] Result<void> checkTextLimits(std::string_view text, const std::string& file, unsigned firstLine);

} // namespace lemmascope::ir
