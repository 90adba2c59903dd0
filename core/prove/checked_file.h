#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lemmascope {

/// Writes `text` and a line with its SHA-256, under another name in the same folder first, then renamed: a reader sees the
/// old file, the new one or none, never a part. Many processes and machines may write the same path. Makes the folder.
/// `text` must not end in a newline. Fails with NotFound (the place cannot be written) with the system's reason.
[[nodiscard]] Result<void> writeCheckedFile(const std::filesystem::path& path, std::string_view text);

/// What `writeCheckedFile` wrote; absent if there is no regular file, or it is truncated, damaged, over 64 MiB or not ours.
[[nodiscard]] std::optional<std::string> readCheckedFile(const std::filesystem::path& path);

/// How the name of a file that is still being written ends; one left behind by a crash is harmless.
inline constexpr std::string_view UnfinishedSuffix = ".unfinished";

} // namespace lemmascope
