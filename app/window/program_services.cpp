#include "app/window/program_services.h"

#include "app/window/engines.h"
#include "core/format/mlir/lower.h"
#include "core/format/mlir/reader.h"
#include "core/report/files.h"

namespace lemmascope {

ProgramServices realProgramServices(const std::shared_ptr<Engines>& engines) {
    ProgramServices services;
    services.load = [](const std::filesystem::path& path, const CheckOptions& options, std::stop_token stop) -> Result<ProgramFile> {
        constexpr std::uintmax_t Most = std::uintmax_t{256} << 20;
        auto text = readFile(path, Most);
        if (!text) {
            return tl::unexpected<Error>(text.error());
        }
        // Places name the file without its folder: they stand in lists and narrow panes. Errors name all of it.
        const std::string name = path.filename().string();
        const auto module = ir::readModule(*text, name, 1, stop);
        if (!module) {
            Error error = module.error();
            if (error.where.starts_with(name)) {
                error.where = path.string() + error.where.substr(name.size());
            }
            return tl::unexpected<Error>(std::move(error));
        }
        ir::LowerOptions lowering;
        lowering.sizes = options.sizes;
        auto program = ir::lower(**module, lowering);
        if (!program) {
            return tl::unexpected<Error>(program.error());
        }
        const bool isBytecode = text->starts_with("ML\xEFR");
        return ProgramFile{isBytecode ? std::string() : std::move(*text), std::move(*program)};
    };
    services.compare = [engines](std::shared_ptr<const interp::Program> reference, std::shared_ptr<const interp::Program> rewritten,
                                 const CheckOptions& options, const CheckWatch& watch, std::stop_token stop) {
        CheckServices used = engines->services();
        used.progress = watch.progress;
        interp::CompareOptions compare;
        compare.check = options;
        return interp::comparePrograms(reference, rewritten, compare, used, stop);
    };
    return services;
}

} // namespace lemmascope
