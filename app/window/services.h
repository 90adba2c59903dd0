#pragma once

#include "ui/jobs/services.h"
#include "ui/panels/welcome_page.h"

#include <memory>
#include <vector>

namespace lemmascope {

struct Engines;

/// The real services: files, the check with its worker processes and proof cache, both layouts, bug reports.
[[nodiscard]] Services realServices(const std::shared_ptr<Engines>& engines);
/// With engines of their own.
[[nodiscard]] Services realServices();

/// The pairs that come with the program: installed beside it, or in the source tree it was built from.
[[nodiscard]] std::vector<ExamplePair> installedExamples();

} // namespace lemmascope
