// A signal handler may do little: it writes a byte into a pipe, and a thread of ours that reads the pipe does the rest.
#include "app/cli/interrupt.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <limits>

namespace lemmascope::cli {

namespace {

volatile std::sig_atomic_t signalPipe = -1;

constexpr char Signalled = 's';
constexpr char Woken = 'w';
constexpr char Finished = 'f';

extern "C" void onSignal(int) {
    const int saved = errno;
    if (signalPipe >= 0) {
        [[maybe_unused]] const ssize_t ignored = ::write(signalPipe, &Signalled, 1);
    }
    errno = saved;
}

std::int64_t nowMs() { return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

void handle(int signal, void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

} // namespace

Interrupt::Interrupt() : m_deadlineMs(std::numeric_limits<std::int64_t>::max()) {
    if (::pipe2(m_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        return; // No descriptors left: signals keep their default, which ends the process.
    }
    signalPipe = m_pipe[1];
    m_watcher = std::thread([this] { watch(); });
    handle(SIGINT, onSignal);
    handle(SIGTERM, onSignal);
}

Interrupt::~Interrupt() {
    if (m_pipe[1] < 0) {
        return;
    }
    handle(SIGINT, SIG_DFL);
    handle(SIGTERM, SIG_DFL);
    signalPipe = -1;
    [[maybe_unused]] const ssize_t ignored = ::write(m_pipe[1], &Finished, 1);
    m_watcher.join();
    ::close(m_pipe[0]);
    ::close(m_pipe[1]);
}

void Interrupt::stopAfter(double seconds) {
    // A day and more is no limit: it also keeps the sum below from leaving its type.
    const bool limited = seconds >= 0.0 && seconds < 86'400.0 * 365.0;
    m_deadlineMs = limited ? nowMs() + static_cast<std::int64_t>(seconds * 1000.0) : std::numeric_limits<std::int64_t>::max();
    wake();
}

void Interrupt::wake() {
    if (m_pipe[1] >= 0) {
        [[maybe_unused]] const ssize_t ignored = ::write(m_pipe[1], &Woken, 1);
    }
}

void Interrupt::watch() {
    while (true) {
        const std::int64_t left = m_deadlineMs.load() - nowMs();
        if (left <= 0) {
            Cause none = Cause::None;
            m_cause.compare_exchange_strong(none, Cause::Time);
            m_source.request_stop();
            m_deadlineMs = std::numeric_limits<std::int64_t>::max();
            continue;
        }
        pollfd waited{.fd = m_pipe[0], .events = POLLIN, .revents = 0};
        const int ready = ::poll(&waited, 1, static_cast<int>(std::min<std::int64_t>(left, 60'000)));
        char byte = 0;
        while (ready > 0 && ::read(m_pipe[0], &byte, 1) == 1) {
            if (byte == Finished) {
                return;
            }
            if (byte == Signalled) {
                m_cause = Cause::Signal;
                m_source.request_stop();
            }
        }
    }
}

} // namespace lemmascope::cli
