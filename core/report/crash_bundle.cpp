#include "core/report/crash_bundle.h"

#include "core/report/files.h"
#include "core/report/outcome.h"

#include <system_error>

namespace lemmascope {

namespace {

std::string_view nextStep(WorkerLoss::Next next) {
    switch (next) {
    case WorkerLoss::Next::AskedAgain: return "a fresh worker was asked the same";
    case WorkerLoss::Next::GivenUp: return "the second worker too: given up";
    case WorkerLoss::Next::TimeOver: return "killed, since its time was over";
    }
    return {};
}

} // namespace

Result<std::vector<std::string>> writeCrashBundle(const CrashBundle& bundle, const std::filesystem::path& folder) {
    std::error_code trouble;
    std::filesystem::create_directories(folder, trouble); // what it could not make, the first file tells
    std::vector<std::string> files;
    std::string about = "Worker processes that ended before they answered.\n\n";
    about += "Lemmascope " + std::string(toolVersion()) + "\n" + (bundle.versions.empty() ? "" : bundle.versions + "\n");
    about += "Reference: " + bundle.reference.string() + "\nRewritten: " + bundle.rewritten.string() + "\n";
    const CheckOptions& options = bundle.options;
    about += "Options: strength " + std::string(name(options.wanted)) + ", time " + std::to_string(options.timeSeconds) + " s, lemma steps " +
             std::to_string(options.lemmaSteps) + ", jobs " + std::to_string(options.jobs) + ", seed " + std::to_string(options.seed) + "\n";
    for (std::size_t i = 0; i < bundle.losses.size(); ++i) {
        const WorkerLoss& loss = bundle.losses[i];
        const bool solve = loss.task == WorkerLoss::Task::Solve;
        const std::string file = std::to_string(i + 1) + "." + loss.extension;
        about += "\n" + std::to_string(i + 1) + ". " + (solve ? "Solver" : "Graphviz") + " worker\n";
        about += "   how it ended: " + loss.story + "\n   then: " + std::string(nextStep(loss.next)) + "\n   limits: " + loss.limits + "\n";
        about += (loss.solver.empty() ? "" : "   engine: " + loss.solver + "\n") + "   asked: " + file + "\n";
        about += std::string("   ask again: ") + (solve ? "z3 " : "dot -Tsvg ") + file + "\n";
        // Scripts come without their question.
        if (const Result<void> written = writeFile(folder / file, solve ? loss.request + "\n(check-sat)\n" : loss.request); !written) {
            return tl::unexpected<Error>(written.error());
        }
        files.push_back(file);
    }
    if (const Result<void> written = writeFile(folder / "README.txt", about); !written) {
        return tl::unexpected<Error>(written.error());
    }
    files.emplace_back("README.txt");
    return files;
}

} // namespace lemmascope
