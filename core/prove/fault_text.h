#pragma once

#include <string>

namespace lemmascope {

struct FaultReport;

/// What a fault is, in words: `read of x[6]`, `division by zero or overflow`.
[[nodiscard]] std::string accessText(const FaultReport& fault);

} // namespace lemmascope
