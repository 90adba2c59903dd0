// Measures the machine on MLIR programs: `bench_interp FILE...` runs each with and without the detection of races, and with digests in place of
// terms, and writes a line of JSON for each: ops, tasks, terms, their bytes, and seconds of this process's processor time (the fastest of
// several runs).
#include "core/format/mlir/lower.h"
#include "core/format/mlir/reader.h"
#include "core/interp/machine.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>

using namespace lemmascope;

namespace {

double processorSeconds() {
    timespec now{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Measured {
    interp::RunResult run;
    std::size_t terms = 0;
    std::size_t bytes = 0;
    double seconds = 0;
};

/// The fastest run: at least three unless they are long, and more while they are short, as the machine is shared with others.
Measured measure(const std::shared_ptr<const interp::Program>& program, bool detectRaces, interp::TermDag::Keep keep = interp::TermDag::Keep::Terms) {
    Measured best;
    double total = 0;
    for (int round = 0; round == 0 || (round < 3 && total < 3.0) || (total < 0.1 && round < 50); ++round) {
        interp::TermDag dag(keep);
        interp::RunOptions options;
        options.detectRaces = detectRaces;
        interp::addBuffers(*program, dag, options);
        const double begin = processorSeconds();
        auto run = interp::run(program, dag, options);
        const double seconds = processorSeconds() - begin;
        total += seconds;
        if (run && (round == 0 || seconds < best.seconds)) {
            best = {std::move(*run), dag.size(), dag.bytes(), seconds};
        }
    }
    return best;
}

std::string endOf(const interp::RunResult& run) {
    switch (run.end) {
    case interp::RunResult::End::Finished: return "finished";
    case interp::RunResult::End::Faulted: return run.fault->text();
    case interp::RunResult::End::Raced: return run.race->text();
    case interp::RunResult::End::Deadlocked: return run.deadlock->text();
    case interp::RunResult::End::Undecided: break;
    }
    return run.undecided;
}

} // namespace

int main(int argc, char** argv) {
    int failures = 0;
    for (const char* file : std::span(argv, static_cast<std::size_t>(argc)).subspan(1)) {
        using Clock = std::chrono::steady_clock;
        const auto begin = Clock::now();
        const auto module = ir::readModuleFile(file);
        const auto read = Clock::now();
        const auto program = module ? ir::lower(**module) : tl::unexpected(module.error());
        const auto lowered = Clock::now();
        nlohmann::ordered_json line{{"file", file}};
        if (!program) {
            line["error"] = program.error().text();
            ++failures;
        } else {
            const Measured with = measure(*program, true);
            const Measured without = measure(*program, false);
            const Measured digests = measure(*program, true, interp::TermDag::Keep::Digests);
            line["end"] = endOf(with.run);
            line["ops"] = with.run.steps;
            line["tasks"] = with.run.tasks;
            line["terms"] = with.terms;
            line["term_bytes"] = with.bytes;
            line["seconds"] = with.seconds;
            line["seconds_without_races"] = without.seconds;
            line["seconds_with_digests"] = digests.seconds;
            line["digest_bytes"] = digests.bytes;
            line["read_seconds"] = std::chrono::duration<double>(read - begin).count();
            line["lower_seconds"] = std::chrono::duration<double>(lowered - read).count();
        }
        std::cout << line.dump() << '\n';
    }
    return failures == 0 ? 0 : 1;
}
