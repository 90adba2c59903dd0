#include "app/window/program_services.h"

#include "app/window/engines.h"

namespace lemmascope {

ProgramServices realProgramServices(const std::shared_ptr<Engines>& engines) {
    ProgramServices services;
    // Places name the file without its folder: they stand in lists and narrow panes. Errors name all of it.
    services.load = [](const std::filesystem::path& path, const ProgramOptions& options, const ProgramSizes& sizes, std::stop_token stop) {
        return readProgram(path.string(), options, sizes, stop, path.filename().string());
    };
    services.compare = [engines](const ProgramFile& reference, const ProgramFile& rewritten, const ProgramOptions& program,
                                 const CheckOptions& options, const CheckWatch& watch, std::stop_token stop) {
        CheckServices used = engines->services();
        used.progress = watch.progress;
        return checkPrograms(reference, rewritten, program, options, used, stop);
    };
    services.recheck = [engines](const std::filesystem::path& reference, const std::filesystem::path& rewritten, const ProgramOptions& program,
                                 const CheckOptions& options,
                                 std::stop_token stop) { return recheckPrograms(reference, rewritten, program, options, engines->services(), stop); };
    return services;
}

} // namespace lemmascope
