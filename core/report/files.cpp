#include "core/report/files.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

namespace lemmascope {

namespace {

class Descriptor {
  public:
    explicit Descriptor(int fd) : m_fd(fd) {}
    ~Descriptor() {
        if (m_fd >= 0) {
            ::close(m_fd);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return m_fd; }

  private:
    int m_fd;
};

tl::unexpected<Error> systemError(const char* what, const std::filesystem::path& file) {
    return fail(ErrorCode::NotFound, std::string(what) + ": " + std::strerror(errno), file.string());
}

} // namespace

Result<void> writeFile(const std::filesystem::path& file, std::string_view content) {
    const std::filesystem::path temporary = file.string() + ".tmp" + std::to_string(::getpid());
    {
        const Descriptor out(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666));
        if (out.get() < 0) {
            return systemError("cannot write", file);
        }
        while (!content.empty()) {
            const ssize_t written = ::write(out.get(), content.data(), content.size());
            if (written < 0 && errno == EINTR) {
                continue;
            }
            if (written < 0) {
                const tl::unexpected<Error> error = systemError("cannot write", file);
                ::unlink(temporary.c_str());
                return error;
            }
            content.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    if (::rename(temporary.c_str(), file.c_str()) != 0) {
        const tl::unexpected<Error> error = systemError("cannot write", file);
        ::unlink(temporary.c_str());
        return error;
    }
    return {};
}

Result<std::string> readFile(const std::filesystem::path& file, std::uintmax_t most) {
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (in.get() < 0) {
        return systemError("cannot read", file);
    }
    std::string content;
    std::array<char, 65536> buffer{};
    while (true) {
        const ssize_t got = ::read(in.get(), buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return systemError("cannot read", file);
        }
        if (got == 0) {
            return content;
        }
        content.append(buffer.data(), static_cast<std::size_t>(got));
        if (content.size() > most) {
            return fail(ErrorCode::TooLarge, "is larger than the " + std::to_string(most) + " bytes that are read of such a file", file.string());
        }
    }
}

void removeTensors(const std::filesystem::path& report) {
    std::error_code problem;
    for (const char* folder : {"inputs", "reference", "rewritten"}) {
        std::vector<std::filesystem::path> stale;
        for (std::filesystem::directory_iterator at(report / folder, problem), end; !problem && at != end; at.increment(problem)) {
            if (at->path().extension() == ".npy") {
                stale.push_back(at->path());
            }
        }
        for (const std::filesystem::path& file : stale) {
            std::filesystem::remove(file, problem);
        }
    }
}

std::string FileNames::take(std::string_view name) {
    static constexpr std::size_t Longest = 100;
    std::string wanted;
    for (const char c : name.substr(0, Longest)) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
        wanted += plain ? c : '_';
    }
    if (wanted.empty() || wanted.front() == '.' || wanted.front() == '-') {
        wanted.insert(0, "_");
    }
    std::string unique = wanted;
    const auto folded = [](std::string text) {
        std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
        return text;
    };
    for (std::size_t i = 2; !m_taken.insert(folded(unique)).second; ++i) {
        unique = wanted + "_" + std::to_string(i);
    }
    return unique;
}

} // namespace lemmascope
