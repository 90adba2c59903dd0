#include "app/cli/console.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace lemmascope::cli {

Console::Console(bool answersToError) : m_answersToError(answersToError), m_terminal(::isatty(STDERR_FILENO) == 1) {}

Console::~Console() {
    const std::lock_guard lock(m_mutex);
    clearProgress();
}

void Console::write(int fd, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0) {
            if (errno == EINTR || errno == EAGAIN) {
                continue;
            }
            if (fd == STDOUT_FILENO && errno != EPIPE && !m_failed) {
                m_failed = true;
                const std::string message = std::string("lemmascope-cli: cannot write the answer: ") + std::strerror(errno) + "\n";
                write(STDERR_FILENO, message);
            }
            return;
        }
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

void Console::answer(std::string_view text) {
    const std::lock_guard lock(m_mutex);
    clearProgress();
    write(m_answersToError ? STDERR_FILENO : STDOUT_FILENO, text);
}

void Console::machineAnswer(std::string_view text) {
    const std::lock_guard lock(m_mutex);
    clearProgress();
    write(STDOUT_FILENO, text);
}

void Console::error(std::string_view text) { note(std::string("lemmascope-cli: ") + std::string(text)); }

void Console::note(std::string_view text) {
    const std::lock_guard lock(m_mutex);
    clearProgress();
    write(STDERR_FILENO, std::string(text) + "\n");
}

void Console::progress(const std::string& line) {
    if (!m_terminal) {
        return;
    }
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
    const std::lock_guard lock(m_mutex);
    if (now - m_lastProgressMs < 100) {
        return;
    }
    m_lastProgressMs = now;
    static constexpr std::size_t Widest = 78;
    std::string text;
    for (const char c : line.substr(0, Widest)) {
        text += static_cast<unsigned char>(c) < 0x20U || c == 0x7F ? ' ' : c;
    }
    const std::size_t width = text.size();
    if (width < m_shown) {
        text.append(m_shown - width, ' ');
    }
    write(STDERR_FILENO, "\r" + text);
    m_shown = width;
}

void Console::clearProgress() {
    if (m_shown > 0) {
        write(STDERR_FILENO, "\r" + std::string(m_shown, ' ') + "\r");
        m_shown = 0;
    }
}

int Console::finish(int status) { return m_failed ? 70 : status; }

} // namespace lemmascope::cli
