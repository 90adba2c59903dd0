// `packaging/bench match`: the machine against the declarative meaning on many generated cases (--soak N).
#include "tests/core/match/generated.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

int soak(std::uint64_t count, std::uint64_t first) {
    using namespace lemmascope::match::oracle;
    constexpr std::uint64_t Reported = 20'000;
    std::uint64_t agreed = 0;
    std::uint64_t differing = 0;
    std::uint64_t matched = 0;
    std::uint64_t wellFormed = 0;
    std::uint64_t undecided = 0;
    std::uint64_t searchedToo = 0;
    const Clock::time_point start = Clock::now();
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const Compared each = compareGenerated(seed);
        matched += each.matched ? 1 : 0;
        wellFormed += each.wellFormed ? 1 : 0;
        undecided += each.undecided ? 1 : 0;
        searchedToo += each.searchedToo ? 1 : 0;
        ++(each.agrees ? agreed : differing);
        if (!each.agrees && differing <= 20) {
            std::fprintf(stderr, "seed %llu: %s @ %s: %s\n", static_cast<unsigned long long>(seed), each.pattern.c_str(), each.term.c_str(),
                         each.difference.c_str());
        }
        if ((seed - first + 1) % Reported == 0) {
            std::fprintf(stderr, "%llu cases, %llu differ, %.0f a second\n", static_cast<unsigned long long>(seed - first + 1),
                         static_cast<unsigned long long>(differing), static_cast<double>(seed - first + 1) / secondsSince(start));
        }
    }
    const double seconds = secondsSince(start);
    std::printf("{\"cases\": %llu, \"agreed\": %llu, \"differing\": %llu, \"well_formed\": %llu, \"matched\": %llu, \"undecided\": %llu, "
                "\"every_assignment_tried\": %llu, \"seconds\": %.1f, \"cases_per_second\": %.0f}\n",
                static_cast<unsigned long long>(count), static_cast<unsigned long long>(agreed), static_cast<unsigned long long>(differing),
                static_cast<unsigned long long>(wellFormed), static_cast<unsigned long long>(matched), static_cast<unsigned long long>(undecided),
                static_cast<unsigned long long>(searchedToo), seconds, static_cast<double>(count) / seconds);
    return differing == 0 ? 0 : 1;
}

} // namespace

int main(int argc, char** argv) {
    if (argc >= 3 && std::strcmp(argv[1], "--soak") == 0) {
        return soak(std::strtoull(argv[2], nullptr, 10), argc >= 4 ? std::strtoull(argv[3], nullptr, 10) : 0);
    }
    std::fprintf(stderr, "usage: bench_match --soak N [FIRST-SEED]\n");
    return 64;
}
