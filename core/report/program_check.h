#pragma once

// MLIR programs as the command line and the window open and compare them. Tests: tests/app/tst_program_command.cpp,
// tests/core/report/tst_program_views.cpp.

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/interp/compare.h"
#include "core/prove/check.h"
#include "core/report/program_options.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

using ProgramSizes = std::map<std::string, std::int64_t>; ///< of arguments by name, as in ir::LowerOptions

/// An MLIR program as read, or one dump of a file.
struct ProgramFile {
    std::string file;
    bool isDump = false;
    std::string text;                               ///< as it stands in the file; empty for bytecode
    std::vector<std::string> functions;             ///< that can be started in, the public ones first
    std::shared_ptr<const interp::Program> program; ///< null: `trouble` says why
    /// Usage: which function is not told, a size without its argument; Unsupported: the types of the entry; TooLarge; BadData: no function.
    std::optional<Error> trouble;
    std::shared_ptr<const Graph> graph; ///< of a function on tensors, where all sizes are meant: none given, no aliasing, no fingerprint
    std::string noGraph;                ///< why there is none; empty: it was not asked for
};

/// True for an MLIR program, by content first: a file, or one dump in it (`passes.txt#2`: the second).
[[nodiscard]] bool isProgram(const std::string& file);

/// The files, and in place of a file of --mlir-print-ir-after-all the dumps in it: `passes.txt#1`, `passes.txt#2`.
[[nodiscard]] std::vector<std::string> withDumps(const std::vector<std::string>& files);
/// `After CSE (cse)` for a dump, else empty.
[[nodiscard]] std::string dumpTitle(const std::string& file);

/// Reads and lowers a program. `placeName`: what places start with; empty: `file`. Fails as ir::readModuleFile does.
[[nodiscard]] Result<ProgramFile> readProgram(const std::string& file, const ProgramOptions& options, const ProgramSizes& sizes,
                                              const std::stop_token& stop, const std::string& placeName = {});

/// The sizes under the positions of the arguments they name in the reference: the rewritten program may call them otherwise.
[[nodiscard]] ProgramSizes sizesByPosition(const ProgramSizes& sizes, const interp::Program& reference);

/// The arguments of the entry that take a size: `n`, `A.0`.
[[nodiscard]] std::vector<std::string> sizedArguments(const interp::Program& program);

struct ProgramCheck {
    CheckResult result;
    std::shared_ptr<const interp::ProgramComparison> comparison; ///< null: they were compared as graphs, or could not be run
};

/// Compares two programs: functions on tensors also as graphs, which holds at all sizes; those that are small are run first. What the reader
/// cannot turn into a program is undecided. Fails with the trouble of a file else, Cancelled, BadData (dumps of different functions).
[[nodiscard]] Result<ProgramCheck> checkPrograms(const ProgramFile& reference, const ProgramFile& rewritten, const ProgramOptions& program,
                                                 CheckOptions options, const CheckServices& services, const std::stop_token& stop);

/// The size that an undecided verdict asks for, such as `n` or `A.0`; empty: none is needed.
[[nodiscard]] std::string sizeAskedFor(const CheckResult& result);

/// Options of `lemmascope-cli check` that ask the same of the programs: ` --entry f --size n=8`.
[[nodiscard]] std::string replayOptions(const ProgramOptions& program, const CheckOptions& options);

} // namespace lemmascope
