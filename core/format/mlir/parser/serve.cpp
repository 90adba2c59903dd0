#include "core/format/mlir/parser/serve.h"

#include "core/format/mlir/module_wire.h"
#include "core/format/mlir/parser/parse.h"
#include "core/worker/messages.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <exception>
#include <string>

#include <fcntl.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace lemmascope::ir {

namespace {

constexpr int ProtocolBroken = 70;
constexpr rlim_t SecondsForOne = 20; ///< of processor time, and more for large files: a hundred times what they need
constexpr rlim_t BytesPerSecond = rlim_t{1} << 19U;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool Instrumented = true; ///< a sanitizer's shadow memory takes terabytes of address space
constexpr std::size_t StackBytes = std::size_t{64} << 20U;
#else
constexpr bool Instrumented = false;
constexpr std::size_t StackBytes = std::size_t{1} << 30U; ///< taken from the machine only as far as it is used
#endif
constexpr rlim_t MemoryBytes = rlim_t{8} << 30U;

bool writeAll(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

void setSoftLimit(decltype(RLIMIT_AS) which, rlim_t value) {
    rlimit limit{};
    if (::getrlimit(which, &limit) == 0) {
        limit.rlim_cur = std::min(value, limit.rlim_max);
        ::setrlimit(which, &limit);
    }
}

void limitOne(std::size_t bytes) {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    setSoftLimit(RLIMIT_CPU, static_cast<rlim_t>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) + SecondsForOne + bytes / BytesPerSecond);
    setSoftLimit(RLIMIT_CORE, 0);
    if constexpr (!Instrumented) {
        setSoftLimit(RLIMIT_AS, MemoryBytes);
    }
}

Message answerTo(const Message& message) {
    const Result<ParseRequest> request = message.kind == MessageKind::Read
                                             ? decodeRequest(message.payload)
                                             : fail(ErrorCode::WorkerFailed, "the MLIR reader process was asked for something else");
    if (!request) {
        return encodeFailure(request.error());
    }
    try {
        const Result<Module> module = parse(*request);
        if (!module) {
            return encodeFailure(module.error());
        }
        return {MessageKind::WasRead, encodeModule(*module)};
    } catch (const std::exception& exception) {
        return encodeFailure({ErrorCode::TooLarge, std::string("cannot be read: ") + exception.what(), request->file});
    }
}

int answerAll(int inFd, int answers) {
    FrameReader frames;
    std::array<char, std::size_t{64} * 1024> buffer{};
    for (;;) {
        const Result<std::optional<Message>> request = frames.next();
        if (!request) {
            (void)writeAll(answers, encodeFrame(encodeFailure(request.error())));
            return ProtocolBroken;
        }
        if (*request) {
            limitOne((*request)->payload.size());
            if (!writeAll(answers, encodeFrame(answerTo(**request)))) {
                return 0; // nobody listens any more
            }
            continue;
        }
        const ssize_t got = ::read(inFd, buffer.data(), buffer.size());
        if (got > 0) {
            frames.append({buffer.data(), static_cast<std::size_t>(got)});
        } else if (got == 0) {
            return 0;
        } else if (errno != EINTR) {
            return ProtocolBroken;
        }
    }
}

struct Work {
    int inFd = 0;
    int answers = 1;
    int status = ProtocolBroken;
};

void* run(void* argument) {
    auto* work = static_cast<Work*>(argument);
    work->status = answerAll(work->inFd, work->answers);
    return nullptr;
}

} // namespace

int serve(int inFd, int outFd) {
    ::signal(SIGPIPE, SIG_IGN);
    // What a library prints must not land between frames.
    Work work{inFd, ::fcntl(outFd, F_DUPFD_CLOEXEC, 3)};
    if (work.answers < 0) {
        return ProtocolBroken;
    }
    if (outFd == STDOUT_FILENO) {
        ::dup2(STDERR_FILENO, STDOUT_FILENO);
    }
    if (!writeAll(work.answers, encodeFrame(encodeHello({WorkerProtocol, "mlir 19"})))) {
        return ProtocolBroken;
    }
    pthread_attr_t attributes;
    pthread_t thread{};
    ::pthread_attr_init(&attributes);
    const bool started = ::pthread_attr_setstacksize(&attributes, StackBytes) == 0 && ::pthread_create(&thread, &attributes, run, &work) == 0;
    ::pthread_attr_destroy(&attributes);
    if (started) {
        ::pthread_join(thread, nullptr);
    }
    return work.status;
}

} // namespace lemmascope::ir
