#pragma once

#include "core/base/error.h"

#include <mutex>
#include <string>
#include <string_view>

namespace lemmascope::cli {

/// The two streams of a command: answers on standard output, progress and errors on standard error. A reader that went away
/// (EPIPE) is no error and no message; any other failure to write an answer is.
class Console {
  public:
    /// `answersToError`: standard output is kept for JSON, text goes to standard error.
    explicit Console(bool answersToError = false);
    ~Console();
    Console(const Console&) = delete;
    Console& operator=(const Console&) = delete;

    /// Text of the answer, written as it is.
    void answer(std::string_view text);
    /// What belongs on standard output even when text does not: JSON.
    void machineAnswer(std::string_view text);
    /// `lemmascope-cli: text` on standard error.
    void error(std::string_view text);
    void note(std::string_view text);
    /// One line that replaces the one before, only on a terminal; thread-safe and at most ten times a second.
    void progress(const std::string& line);

    /// `status`, or 70 when an answer could not be written.
    [[nodiscard]] int finish(int status);

  private:
    bool m_answersToError;
    bool m_terminal;
    bool m_failed = false;
    std::mutex m_mutex;
    std::size_t m_shown = 0; ///< width of the progress line on the screen
    long long m_lastProgressMs = 0;

    void clearProgress();
    void write(int fd, std::string_view text);
};

} // namespace lemmascope::cli
