// A signal handler may do little: it writes the signal's number into a pipe that the event loop watches.
#include "app/window/end_signals.h"

#include <QSocketNotifier>

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

namespace lemmascope {

namespace {

constexpr std::array Signals{SIGTERM, SIGINT, SIGHUP};
volatile std::sig_atomic_t signalPipe = -1;

extern "C" void onEndSignal(int signal) {
    const int saved = errno;
    const auto number = static_cast<char>(signal);
    if (signalPipe >= 0) {
        [[maybe_unused]] const ssize_t ignored = ::write(signalPipe, &number, 1);
    }
    errno = saved;
}

void handle(int signal, void (*handler)(int)) {
    struct sigaction action = {};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

} // namespace

EndSignals::EndSignals(std::function<void(int)> act, QObject* parent) : QObject(parent), m_act(std::move(act)) {
    if (::pipe2(m_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        return; // no descriptors left: signals keep their default
    }
    signalPipe = m_pipe[1];
    m_notifier = new QSocketNotifier(m_pipe[0], QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, [this] {
        char number = 0;
        while (::read(m_pipe[0], &number, 1) == 1) {
            m_act(number);
        }
    });
    for (const int signal : Signals) {
        handle(signal, onEndSignal);
    }
}

EndSignals::~EndSignals() {
    if (m_pipe[1] < 0) {
        return;
    }
    for (const int signal : Signals) {
        handle(signal, SIG_DFL);
    }
    signalPipe = -1;
    ::close(m_pipe[0]);
    ::close(m_pipe[1]);
}

} // namespace lemmascope
