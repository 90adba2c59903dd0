#pragma once

#include "tests/core/report/programs.h"
#include "tests/ui/window/fakes.h"
#include "ui/jobs/program_services.h"

#include <chrono>
#include <memory>
#include <string>
#include <thread>

namespace lemmascope::test {

/// Programs of tests/core/report/programs.h by their names: `equal`, `differs`, `race`, each `.ref.mlir` and `.rew.mlir`; files whose
/// name starts with `bad` cannot be read. They are compared by the interpreter itself, after `checkMs`.
[[nodiscard]] inline ProgramServices fakeProgramServices(const std::shared_ptr<FakeBehaviour>& behaviour) {
    ProgramServices services;
    services.load = [behaviour](const std::filesystem::path& path, const ProgramOptions&, const ProgramSizes&,
                                std::stop_token) -> Result<ProgramFile> {
        ++behaviour->loads;
        const std::string name = path.filename().string();
        if (name.starts_with("bad")) {
            return fail(ErrorCode::BadData, "expected SSA operand", path.string() + ":3:7");
        }
        const bool rewritten = name.find(".rew") != std::string::npos;
        const WrittenProgram made = name.starts_with("race")    ? chained(path.string(), !rewritten)
                                    : name.starts_with("equal") ? scaled(path.string(), -1, rewritten)
                                                                : scaled(path.string(), rewritten ? 3 : -1);
        ProgramFile read;
        read.file = path.string();
        read.text = made.text;
        read.functions = {"kernel"};
        read.program = made.program;
        return read;
    };
    services.compare = [behaviour](const ProgramFile& reference, const ProgramFile& rewritten, const ProgramOptions& program,
                                   const CheckOptions& options, const CheckWatch& watch, std::stop_token stop) -> Result<ProgramCheck> {
        ++behaviour->checks;
        for (int waited = 0; waited < behaviour->checkMs; ++waited) {
            if (stop.stop_requested()) {
                return fail(ErrorCode::Cancelled, "cancelled");
            }
            CheckProgress progress;
            progress.total = 10;
            progress.decided = 3;
            watch.progress(progress);
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (behaviour->checkFails) {
            return fail(ErrorCode::Internal, "the check went wrong");
        }
        return checkPrograms(reference, rewritten, program, options, {}, stop);
    };
    return services;
}

} // namespace lemmascope::test
