// measured FILE PROGRAM [ARGUMENT...]: runs the program and writes `{"seconds": ..., "mb": ..., "status": ...}` to FILE: wall clock, the
// largest resident set of it or of a process it waited for, and its exit status (128 + the signal that ended it).

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

extern char** environ; // NOLINT(readability-redundant-declaration): POSIX asks for it

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fputs("usage: measured FILE PROGRAM [ARGUMENT...]\n", stderr);
        return 64;
    }
    const auto start = std::chrono::steady_clock::now();
    pid_t child = 0;
    if (posix_spawnp(&child, argv[2], nullptr, nullptr, argv + 2, environ) != 0) {
        std::fprintf(stderr, "measured: cannot start %s\n", argv[2]);
        return 70;
    }
    int status = 0;
    rusage used{};
    while (wait4(child, &status, 0, &used) < 0) {
        if (errno != EINTR) {
            std::perror("measured");
            return 70;
        }
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    std::ofstream out(argv[1]);
    out << "{\"seconds\": " << seconds << ", \"mb\": " << static_cast<double>(used.ru_maxrss) / 1024.0 << ", \"status\": " << code << "}\n";
    return out.good() ? 0 : 70;
}
