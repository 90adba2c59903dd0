#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// One step of a pipeline: two graph files, the second made from the first.
struct PipelineStep {
    std::string name; ///< `step 1`
    std::filesystem::path reference;
    std::filesystem::path rewritten;
    friend bool operator==(const PipelineStep&, const PipelineStep&) = default;
};

/// True when `a` stands before `b` in the order in which people number files: runs of digits by their value, all else byte by
/// byte (`2-fold` before `10-share`). A total order: names that differ only in leading zeros have fewer zeros first.
[[nodiscard]] bool naturalLess(std::string_view a, std::string_view b);

/// The graph files of a folder itself (not of folders in it; no hidden ones) in natural order of their names. Fails with NotFound.
[[nodiscard]] Result<std::vector<std::filesystem::path>> graphFilesOf(const std::filesystem::path& folder);

/// Each graph against the one before it; nothing for fewer than two.
[[nodiscard]] std::vector<PipelineStep> stepsOf(const std::vector<std::filesystem::path>& graphs);

} // namespace lemmascope
