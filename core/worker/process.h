#pragma once

#include "core/base/result.h"
#include "core/worker/file_descriptor.h"

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace lemmascope {

/// Upper limits the kernel enforces on a process; 0 leaves a limit as it is.
struct ProcessLimits {
    std::uint64_t addressSpaceBytes = 0; ///< RLIMIT_AS: an allocation beyond it fails
    std::uint64_t cpuSeconds = 0;        ///< RLIMIT_CPU since the process began: SIGXCPU beyond it
};

/// A running program, spoken to through its standard input and output. Its standard error is kept for the message when it
/// dies. It runs in a process group of its own, so a Ctrl-C at the terminal reaches only us, and inherits no descriptor
/// but those three. Destroying the object kills the program and waits for its end. Not thread-safe, but for `kill`'s
/// effect: one thread at a time.
class ChildProcess {
  public:
    using Clock = std::chrono::steady_clock;

    /// Starts `executable` (a path, not searched for). Fails with NotFound if it does not exist or may not be run, else
    /// WorkerFailed.
    [[nodiscard]] static Result<ChildProcess> start(const std::string& executable, const std::vector<std::string>& arguments,
                                                    const ProcessLimits& limits = {});

    ChildProcess(ChildProcess&& other) noexcept;
    ChildProcess& operator=(ChildProcess&& other) noexcept;
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess();

    enum class Transfer : std::uint8_t { Done, Closed, Deadline, Stopped, Failed };

    /// Writes all of `bytes` to the child's standard input. `Closed`: the child has closed it or died (no SIGPIPE).
    [[nodiscard]] Transfer write(std::string_view bytes, Clock::time_point deadline, const std::stop_token& stop);
    /// Appends what the child has written to `into`, at least one byte and at most 1 MiB. `Closed`: end of its output.
    [[nodiscard]] Transfer read(std::string& into, Clock::time_point deadline, const std::stop_token& stop);
    /// Tells the child that its input ends here.
    void closeInput();

    /// SIGKILL to the child and its group. Does not wait: see `hasExited`.
    void kill();
    /// True once the child is dead; it is then no zombie any more. Never waits.
    [[nodiscard]] bool hasExited();
    /// Waits until the child is dead or the deadline has passed; says whether it is dead.
    [[nodiscard]] bool waitForExit(Clock::time_point deadline);
    /// How it ended and its last words: `exited with status 3`, `killed by signal 11 (Segmentation fault): out of memory`.
    [[nodiscard]] std::string ending() const;
    [[nodiscard]] pid_t pid() const { return m_pid; }

  private:
    ChildProcess() = default;
    void stopAndReap();
    [[nodiscard]] Transfer waitFor(short events, Clock::time_point deadline, const std::stop_token& stop);

    pid_t m_pid = -1;
    bool m_exited = true;
    int m_status = 0; ///< as from waitpid
    FileDescriptor m_socket;
    FileDescriptor m_wake;   ///< eventfd: a stop request ends a wait at once
    FileDescriptor m_errors; ///< memory file that is the child's standard error
};

/// The program that stands beside the running one, by /proc/self/exe: `siblingProgram("lemmascope-cli")`.
/// Fails with NotFound, naming the path where it was looked for.
[[nodiscard]] Result<std::string> siblingProgram(const std::string& name);

} // namespace lemmascope
