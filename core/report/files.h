#pragma once

#include "core/base/result.h"

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace lemmascope {

/// Writes a whole file through a temporary name beside it, then renames it: a reader sees the old content or the new one.
/// Fails with NotFound, naming the file, when the folder is missing, full or not writable.
[[nodiscard]] Result<void> writeFile(const std::filesystem::path& file, std::string_view content);
/// Fails with NotFound, or TooLarge past `most` bytes.
[[nodiscard]] Result<std::string> readFile(const std::filesystem::path& file, std::uintmax_t most);

/// Takes the .npy files of an earlier report out of a report's folder: those in inputs/, reference/ and rewritten/. All others stay.
void removeTensors(const std::filesystem::path& report);

/// Turns names of tensors into names of files: letters, digits, `.`, `-` and `_` stay, everything else becomes `_`; never
/// hidden, never longer than 100 bytes, never the same twice (also where upper and lower case are one).
class FileNames {
  public:
    [[nodiscard]] std::string take(std::string_view name);

  private:
    std::set<std::string> m_taken;
};

} // namespace lemmascope
