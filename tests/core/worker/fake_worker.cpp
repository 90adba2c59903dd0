// A worker that misbehaves as its arguments and requests say. Arguments: `silent` says no hello, `old` speaks another
// protocol, `babble` says no frame, `die` exits at once. The script of a request: see `obey`.
#include "core/worker/messages.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <unistd.h>

using namespace lemmascope;

namespace {

void say(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (written <= 0)
            std::_Exit(1);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

void hang() {
    for (;;)
        std::this_thread::sleep_for(std::chrono::hours(1));
}

SolverAnswer answerWith(std::string value) {
    SolverAnswer answer;
    answer.status = SolverAnswer::Status::Sat;
    answer.values = {std::move(value), std::to_string(::getpid())};
    answer.solver = "fake 1";
    return answer;
}

/// `crash`, `hang`, `garbage`, `damaged`, `half` (dies in the middle of its answer), `hangup` (closes its output and goes on),
/// `wrong` (answers with another kind), `refuse`, `slow MS`, `once PATH` (crashes unless the file is there, and makes it).
void obey(const SolverRequest& request) {
    const std::string& script = request.script;
    const std::string frame = encodeFrame(encodeSolved(answerWith(script)));
    if (script == "crash") {
        std::fputs("assertion of the fake failed\n", stderr);
        std::fflush(stderr);
        ::signal(SIGSEGV, SIG_DFL);
        ::raise(SIGSEGV);
    } else if (script == "hang") {
        hang();
    } else if (script == "garbage") {
        say("this is not a frame, it only looks like a text");
    } else if (script == "damaged") {
        std::string bad = frame;
        bad.back() = static_cast<char>(bad.back() ^ 1);
        say(bad);
    } else if (script == "half") {
        say(std::string_view(frame).substr(0, frame.size() / 2));
        std::_Exit(3);
    } else if (script == "hangup") {
        ::close(STDIN_FILENO);
        ::close(STDOUT_FILENO);
        hang();
    } else if (script == "wrong") {
        say(encodeFrame(encodeDrawn({})));
    } else if (script == "refuse") {
        say(encodeFrame(encodeFailure({ErrorCode::Internal, "will not", {}})));
    } else if (script.starts_with("slow ")) {
        std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(script.c_str() + 5)));
        say(frame);
    } else if (script.starts_with("once ")) {
        const int fd = ::open(script.c_str() + 5, O_CREAT | O_EXCL | O_WRONLY, 0600);
        if (fd >= 0)
            std::_Exit(4);
        say(frame);
    } else {
        for (const char c : frame) // byte by byte: the reader must not depend on how a frame arrives
            say({&c, 1});
    }
}

} // namespace

int main(int argc, char** argv) {
    const std::string mode = argc > 1 ? argv[1] : "";
    if (mode == "silent")
        hang();
    if (mode == "babble") {
        say("hello");
        hang();
    }
    if (mode == "die")
        return 9;
    say(encodeFrame(encodeHello({mode == "old" ? WorkerProtocol + 1 : WorkerProtocol, "fake 1"})));
    FrameReader frames;
    char buffer[4096];
    for (;;) {
        const Result<std::optional<Message>> message = frames.next();
        if (!message)
            return 70;
        if (*message) {
            if (const Result<SolverRequest> request = decodeSolve(**message))
                obey(*request);
            continue;
        }
        const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (got <= 0)
            return 0;
        frames.append({buffer, static_cast<std::size_t>(got)});
    }
}
