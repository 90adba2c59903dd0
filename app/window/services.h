#pragma once

#include "ui/jobs/services.h"
#include "ui/panels/welcome_page.h"

#include <memory>
#include <vector>

namespace lemmascope {

/// The real services: files, the check with its worker processes and proof cache, both layouts, bug reports. They share one
/// worker pool, which dies with the last copy.
[[nodiscard]] Services realServices();

/// The pairs that come with the program: installed beside it, or in the source tree it was built from.
[[nodiscard]] std::vector<ExamplePair> installedExamples();

} // namespace lemmascope
