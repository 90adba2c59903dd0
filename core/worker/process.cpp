#include "core/worker/process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

// The child's standard input and output are one end of a socket pair rather than two pipes: `send` with MSG_NOSIGNAL
// reports a dead child as an error without touching the process-wide SIGPIPE, which belongs to the program we live in.
// Tests: tests/core/worker/tst_process.cpp.

namespace lemmascope {

namespace {

constexpr std::size_t ErrorBytes = 64 * 1024; ///< of standard error kept; the child's writes beyond it fail
constexpr std::size_t LastWords = 600;

std::string errorText(int error) {
    const char* text = ::strerrordesc_np(error);
    return text != nullptr ? text : "error " + std::to_string(error);
}

/// A duplicate that is none of 0, 1, 2: in a program started with those closed, the child's set-up would overwrite it.
FileDescriptor aboveStandard(int fd) {
    FileDescriptor original(fd);
    if (fd > 2 || fd < 0)
        return original;
    return FileDescriptor(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
}

/// posix_spawn's two argument objects, destroyed together.
struct SpawnSettings {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    SpawnSettings() {
        ::posix_spawn_file_actions_init(&actions);
        ::posix_spawnattr_init(&attributes);
    }
    SpawnSettings(const SpawnSettings&) = delete;
    SpawnSettings& operator=(const SpawnSettings&) = delete;
    ~SpawnSettings() {
        ::posix_spawn_file_actions_destroy(&actions);
        ::posix_spawnattr_destroy(&attributes);
    }
};

void limitChild(pid_t pid, const ProcessLimits& limits) {
    if (limits.addressSpaceBytes > 0) {
        const rlimit limit{limits.addressSpaceBytes, limits.addressSpaceBytes};
        ::prlimit(pid, RLIMIT_AS, &limit, nullptr);
    }
    if (limits.cpuSeconds > 0) {
        const rlimit limit{limits.cpuSeconds, limits.cpuSeconds + 1};
        ::prlimit(pid, RLIMIT_CPU, &limit, nullptr);
    }
    const rlimit noCore{0, 0};
    ::prlimit(pid, RLIMIT_CORE, &noCore, nullptr);
}

} // namespace

Result<ChildProcess> ChildProcess::start(const std::string& executable, const std::vector<std::string>& arguments, const ProcessLimits& limits) {
    ChildProcess child;
    std::array<int, 2> ends{-1, -1};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return fail(ErrorCode::WorkerFailed, "cannot start '" + executable + "': socket pair: " + errorText(errno));
    child.m_socket = aboveStandard(ends[0]);
    const FileDescriptor theirs = aboveStandard(ends[1]);
    child.m_wake = FileDescriptor(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    child.m_errors = aboveStandard(::memfd_create("worker-errors", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!child.m_socket.isOpen() || !theirs.isOpen() || !child.m_wake.isOpen() || !child.m_errors.isOpen())
        return fail(ErrorCode::WorkerFailed, "cannot start '" + executable + "': " + errorText(errno));
    // Sealed at its size, so that a child that floods its standard error cannot fill memory.
    if (::ftruncate(child.m_errors.get(), ErrorBytes) != 0 || ::fcntl(child.m_errors.get(), F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) != 0)
        return fail(ErrorCode::WorkerFailed, "cannot start '" + executable + "': memory file: " + errorText(errno));

    SpawnSettings settings;
    ::posix_spawn_file_actions_adddup2(&settings.actions, theirs.get(), STDIN_FILENO);
    ::posix_spawn_file_actions_adddup2(&settings.actions, theirs.get(), STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&settings.actions, child.m_errors.get(), STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&settings.actions, 3);
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&settings.attributes, &none);
    ::posix_spawnattr_setsigdefault(&settings.attributes, &all);
    ::posix_spawnattr_setpgroup(&settings.attributes, 0);
    ::posix_spawnattr_setflags(&settings.attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

    std::vector<char*> argv;
    argv.push_back(const_cast<char*>(executable.c_str())); // posix_spawn does not write to them
    for (const std::string& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    pid_t pid = -1;
    if (const int error = ::posix_spawn(&pid, executable.c_str(), &settings.actions, &settings.attributes, argv.data(), ::environ); error != 0)
        return fail(error == ENOENT || error == EACCES || error == ENOEXEC ? ErrorCode::NotFound : ErrorCode::WorkerFailed,
                    "cannot start '" + executable + "': " + errorText(error));
    child.m_pid = pid;
    child.m_exited = false;
    limitChild(pid, limits);
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : m_pid(std::exchange(other.m_pid, -1)), m_exited(std::exchange(other.m_exited, true)), m_status(other.m_status),
      m_socket(std::move(other.m_socket)), m_wake(std::move(other.m_wake)), m_errors(std::move(other.m_errors)) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    if (this != &other) {
        stopAndReap();
        m_pid = std::exchange(other.m_pid, -1);
        m_exited = std::exchange(other.m_exited, true);
        m_status = other.m_status;
        m_socket = std::move(other.m_socket);
        m_wake = std::move(other.m_wake);
        m_errors = std::move(other.m_errors);
    }
    return *this;
}

ChildProcess::~ChildProcess() { stopAndReap(); }

void ChildProcess::stopAndReap() {
    kill();
    while (!m_exited) {
        int status = 0;
        const pid_t got = ::waitpid(m_pid, &status, 0);
        if (got == m_pid)
            m_status = status;
        m_exited = got == m_pid || (got < 0 && errno != EINTR);
    }
}

ChildProcess::Transfer ChildProcess::waitFor(short events, Clock::time_point deadline, const std::stop_token& stop) {
    // A stop that comes between the test and the poll still finds the eventfd readable.
    const std::stop_callback onStop(stop, [fd = m_wake.get()] {
        const std::uint64_t one = 1;
        [[maybe_unused]] const ssize_t written = ::write(fd, &one, sizeof one);
    });
    for (;;) {
        if (stop.stop_requested())
            return Transfer::Stopped;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
        if (left <= 0)
            return Transfer::Deadline;
        std::array<pollfd, 2> wanted{pollfd{m_socket.get(), events, 0}, pollfd{m_wake.get(), POLLIN, 0}};
        const int ready = ::poll(wanted.data(), wanted.size(), static_cast<int>(std::min<long long>(left, 1'000'000)));
        if (ready < 0 && errno != EINTR)
            return Transfer::Failed;
        if (ready > 0 && wanted[0].revents != 0)
            return Transfer::Done;
        if (ready > 0 && wanted[1].revents != 0 && !stop.stop_requested()) {
            std::uint64_t count = 0; // a stop of an earlier transfer
            [[maybe_unused]] const ssize_t drained = ::read(m_wake.get(), &count, sizeof count);
        }
    }
}

ChildProcess::Transfer ChildProcess::write(std::string_view bytes, Clock::time_point deadline, const std::stop_token& stop) {
    while (!bytes.empty()) {
        if (const Transfer ready = waitFor(POLLOUT, deadline, stop); ready != Transfer::Done)
            return ready;
        const ssize_t sent = ::send(m_socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent >= 0)
            bytes.remove_prefix(static_cast<std::size_t>(sent));
        else if (errno == EPIPE || errno == ECONNRESET)
            return Transfer::Closed;
        else if (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)
            return Transfer::Failed;
    }
    return Transfer::Done;
}

ChildProcess::Transfer ChildProcess::read(std::string& into, Clock::time_point deadline, const std::stop_token& stop) {
    constexpr std::size_t Chunk = 1024 * 1024;
    std::vector<char> buffer(64 * 1024);
    std::size_t got = 0;
    while (got == 0) {
        if (const Transfer ready = waitFor(POLLIN, deadline, stop); ready != Transfer::Done)
            return ready;
        while (got < Chunk) {
            const ssize_t received = ::recv(m_socket.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
            if (received > 0) {
                into.append(buffer.data(), static_cast<std::size_t>(received));
                got += static_cast<std::size_t>(received);
            } else if (received == 0 || errno == ECONNRESET) {
                return got > 0 ? Transfer::Done : Transfer::Closed;
            } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
                break;
            } else if (errno != EINTR) {
                return Transfer::Failed;
            }
        }
    }
    return Transfer::Done;
}

void ChildProcess::closeInput() { ::shutdown(m_socket.get(), SHUT_WR); }

void ChildProcess::kill() {
    if (m_exited)
        return;
    // The group first: helpers of the child; the child itself may not be in its group yet.
    ::kill(-m_pid, SIGKILL);
    ::kill(m_pid, SIGKILL);
}

bool ChildProcess::hasExited() {
    if (m_exited)
        return true;
    int status = 0;
    const pid_t got = ::waitpid(m_pid, &status, WNOHANG);
    if (got == m_pid) {
        m_status = status;
        m_exited = true;
    } else if (got < 0 && errno == ECHILD) {
        m_exited = true; // the program around us ignores SIGCHLD: nobody will tell us how it ended
    }
    return m_exited;
}

bool ChildProcess::waitForExit(Clock::time_point deadline) {
    while (!hasExited()) {
        if (Clock::now() >= deadline)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return true;
}

std::string ChildProcess::ending() const {
    std::string text;
    if (!m_exited) {
        text = "still running";
    } else if (WIFSIGNALED(m_status)) {
        const char* description = ::sigdescr_np(WTERMSIG(m_status));
        text = "killed by signal " + std::to_string(WTERMSIG(m_status)) + " (" + (description != nullptr ? description : "unknown") + ")";
    } else {
        text = "exited with status " + std::to_string(WEXITSTATUS(m_status));
    }
    if (!m_errors.isOpen())
        return text;
    std::string words(ErrorBytes, '\0');
    const ssize_t got = ::pread(m_errors.get(), words.data(), words.size(), 0);
    words.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    words.erase(std::min(words.find('\0'), words.size()));
    while (!words.empty() && (words.back() == '\n' || words.back() == ' '))
        words.pop_back();
    if (words.size() > LastWords)
        words = "..." + words.substr(words.size() - LastWords);
    return words.empty() ? text : text + ": " + words;
}

Result<std::string> siblingProgram(const std::string& name) {
    std::array<char, 4096> buffer{};
    const ssize_t length = ::readlink("/proc/self/exe", buffer.data(), buffer.size());
    if (length <= 0)
        return fail(ErrorCode::NotFound, "cannot find '" + name + "': /proc/self/exe: " + errorText(errno));
    std::string path(buffer.data(), static_cast<std::size_t>(length));
    path = path.substr(0, path.rfind('/') + 1) + name;
    if (::access(path.c_str(), X_OK) != 0)
        return fail(ErrorCode::NotFound, "cannot find the program '" + path + "'");
    return path;
}

} // namespace lemmascope
