#include "core/workspace/session.h"

#include <system_error>

namespace lemmascope {

std::optional<FileStamp> fileStamp(const std::filesystem::path& file) {
    std::error_code error;
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error) {
        return std::nullopt;
    }
    const auto time = std::filesystem::last_write_time(file, error);
    if (error) {
        return std::nullopt;
    }
    return FileStamp{size, time};
}

bool Session::isStale() const { return isOpen() && (fileStamp(reference) != referenceStamp || fileStamp(rewritten) != rewrittenStamp); }

} // namespace lemmascope
