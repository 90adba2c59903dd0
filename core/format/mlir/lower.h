#pragma once

#include "core/base/result.h"
#include "core/format/mlir/module.h"
#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace lemmascope::ir {

/// Regions inside one another that are turned into a program.
inline constexpr std::size_t DeepestRegions = 200;

struct LowerOptions {
    std::string entry; ///< empty: the only public function
    /// Sizes the user gives: an integer argument `n`; the dynamic axis of `A`, or `A.1` where it has several. `#2`: the third argument.
    std::map<std::string, std::int64_t> sizes;
};

/// Turns a module into a program for the interpreter. An op that has no meaning here, or has it not for these types, becomes an
/// instruction that ends the run as undecided: `unsupported op 'x.y' at file:line:col`. An op nobody knows, on numbers alone, is an open
/// function. Fails with Usage (no or several entries, a size without its argument), Unsupported (the entry's own types),
/// TooLarge (nesting).
[[nodiscard]] Result<std::shared_ptr<const interp::Program>> lower(const Module& module, const LowerOptions& options = {});

} // namespace lemmascope::ir
