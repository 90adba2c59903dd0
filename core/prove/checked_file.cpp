#include "core/prove/checked_file.h"

#include "core/base/digest.h"

#include <atomic>
#include <cerrno>
#include <random>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace lemmascope {

namespace {

constexpr std::size_t LargestFile = 64U * 1024U * 1024U;
constexpr std::string_view ChecksumLabel = "\nsha256 ";

/// Closes on every path out.
struct File {
    int fd = -1;
    explicit File(int opened) : fd(opened) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() { close(); }
    bool close() {
        const bool good = fd < 0 || ::close(fd) == 0;
        fd = -1;
        return good;
    }
};

/// Differs between threads, processes and machines that share a folder.
std::string uniquePart() {
    static std::atomic<std::uint32_t> counter{0};
    std::random_device random;
    return std::to_string(::getpid()) + "-" + std::to_string(counter++) + "-" + std::to_string(random());
}

Result<void> cannotWrite(const std::filesystem::path& path, int error) {
    return fail(ErrorCode::NotFound, "cannot write: " + std::generic_category().message(error), path.string());
}

bool writeAll(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written > 0)
            bytes.remove_prefix(static_cast<std::size_t>(written));
        else if (written == 0 || errno != EINTR)
            return false;
    }
    return true;
}

} // namespace

Result<void> writeCheckedFile(const std::filesystem::path& path, std::string_view text) {
    std::error_code problem;
    std::filesystem::create_directories(path.parent_path(), problem);
    if (problem)
        return cannotWrite(path.parent_path(), problem.value());
    const std::string content = std::string(text) + std::string(ChecksumLabel) + sha256Hex(text) + "\n";
    const std::filesystem::path unfinished = path.parent_path() / (path.filename().string() + "." + uniquePart() + std::string(UnfinishedSuffix));
    File file(::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)); // the user's umask decides who may read
    if (file.fd < 0)
        return cannotWrite(unfinished, errno);
    if (!writeAll(file.fd, content) || !file.close() || ::rename(unfinished.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::unlink(unfinished.c_str());
        return cannotWrite(path, error);
    }
    return {};
}

std::optional<std::string> readCheckedFile(const std::filesystem::path& path) {
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // a pipe of that name must not block us
    struct stat status {};
    if (file.fd < 0 || ::fstat(file.fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size < 0 ||
        static_cast<std::size_t>(status.st_size) > LargestFile)
        return std::nullopt;
    std::string content(static_cast<std::size_t>(status.st_size), '\0');
    std::size_t got = 0;
    while (got < content.size()) {
        const ssize_t count = ::read(file.fd, content.data() + got, content.size() - got);
        if (count > 0)
            got += static_cast<std::size_t>(count);
        else if (count == 0 || errno != EINTR)
            return std::nullopt;
    }
    constexpr std::size_t TailSize = ChecksumLabel.size() + 64 + 1;
    if (content.size() < TailSize)
        return std::nullopt;
    const std::string_view text = std::string_view(content).substr(0, content.size() - TailSize);
    if (std::string_view(content).substr(text.size()) != std::string(ChecksumLabel) + sha256Hex(text) + "\n")
        return std::nullopt;
    return std::string(text);
}

} // namespace lemmascope
