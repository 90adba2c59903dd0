#pragma once

#include "core/report/outcome.h"

#include <string>
#include <vector>

namespace lemmascope {

/// The pairs as one JUnit test suite for CI: a pair that is proved as wanted passes, one that could not be checked is an
/// error, every other is a failure whose type is the verdict. Undecided never passes. The file is UTF-8 and valid XML 1.0.
[[nodiscard]] std::string junitXml(const std::vector<PairReport>& pairs);

} // namespace lemmascope
