#include "core/worker/worker_main.h"

#include "core/worker/dot_engine.h"
#include "core/worker/messages.h"
#include "core/worker/z3_solver.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <string>

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace lemmascope {

namespace {

constexpr int ProtocolBroken = 70;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool Instrumented = true; ///< a sanitizer's shadow memory takes terabytes of address space
#else
constexpr bool Instrumented = false;
#endif

bool writeAll(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written > 0)
            bytes.remove_prefix(static_cast<std::size_t>(written));
        else if (errno != EINTR)
            return false;
    }
    return true;
}

/// Bytes of address space in use now.
std::uint64_t addressSpaceInUse() {
    std::array<char, 64> buffer{};
    const int fd = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    const ssize_t got = ::read(fd, buffer.data(), buffer.size() - 1);
    ::close(fd);
    return got > 0 ? std::strtoull(buffer.data(), nullptr, 10) * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

void setSoftLimit(decltype(RLIMIT_AS) which, std::uint64_t value) {
    rlimit limit{};
    if (::getrlimit(which, &limit) != 0)
        return;
    limit.rlim_cur = std::min<rlim_t>(value, limit.rlim_max);
    ::setrlimit(which, &limit);
}

/// The kernel's limits stand behind the engines' own, some way off: who passes those is stopped without their help.
/// The limits are soft, so the next request can have others.
void limitRequest(std::uint64_t memoryMb, std::uint64_t timeoutMs) {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    setSoftLimit(RLIMIT_CPU, static_cast<std::uint64_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + timeoutMs / 1000 + 10);
    if constexpr (!Instrumented)
        setSoftLimit(RLIMIT_AS, addressSpaceInUse() + (memoryMb + memoryMb / 4 + 256) * 1024 * 1024);
}

/// The answer to one request; nothing a request holds makes this throw.
Message answerTo(const Message& request) {
    constexpr std::uint64_t DotMemoryMb = 1024;
    try {
        if (request.kind == MessageKind::Draw) {
            const Result<DotRequest> draw = decodeDraw(request);
            if (!draw)
                return encodeFailure(draw.error());
            limitRequest(DotMemoryMb, draw->timeoutMs);
            const Result<DotAnswer> answer = drawWithDot(*draw);
            return answer ? encodeDrawn(*answer) : encodeFailure(answer.error());
        }
        const Result<SolverRequest> solve = decodeSolve(request);
        if (!solve)
            return encodeFailure(solve.error());
        limitRequest(solve->memoryMb, solve->timeoutMs);
        const Result<SolverAnswer> answer = solveWithZ3(*solve);
        return answer ? encodeSolved(*answer) : encodeFailure(answer.error());
    } catch (const std::exception& exception) {
        return encodeFailure({ErrorCode::Internal, std::string("worker: ") + exception.what(), {}});
    }
}

} // namespace

int runWorker(int inFd, int outFd) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::signal(SIGPIPE, SIG_IGN);
    // What a library prints must not land between frames.
    const int answers = ::fcntl(outFd, F_DUPFD_CLOEXEC, 3);
    if (answers < 0)
        return ProtocolBroken;
    if (outFd == STDOUT_FILENO)
        ::dup2(STDERR_FILENO, STDOUT_FILENO);

    if (!writeAll(answers, encodeFrame(encodeHello({WorkerProtocol, z3Version()}))))
        return ProtocolBroken;
    FrameReader frames;
    std::array<char, 64 * 1024> buffer{};
    for (;;) {
        Result<std::optional<Message>> request = frames.next();
        if (!request) {
            (void)writeAll(answers, encodeFrame(encodeFailure(request.error())));
            return ProtocolBroken;
        }
        if (*request) {
            if (!writeAll(answers, encodeFrame(answerTo(**request))))
                return 0; // nobody listens any more
            continue;
        }
        const ssize_t got = ::read(inFd, buffer.data(), buffer.size());
        if (got > 0)
            frames.append({buffer.data(), static_cast<std::size_t>(got)});
        else if (got == 0)
            return 0;
        else if (errno != EINTR)
            return ProtocolBroken;
    }
}

} // namespace lemmascope
