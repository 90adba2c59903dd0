#pragma once

#include "app/cli/requests.h"
#include "core/graph/graph.h"
#include "core/prove/check.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope::interp {
struct Program;
struct ProgramComparison;
} // namespace lemmascope::interp

namespace lemmascope::cli {

/// True for an MLIR program, by content first: a file, or one dump in it (`passes.txt#2`: the second).
[[nodiscard]] bool isProgram(const std::string& file);

/// The files, and in place of a file of --mlir-print-ir-after-all the dumps in it: `passes.txt#1`, `passes.txt#2`.
[[nodiscard]] std::vector<std::string> withDumps(const std::vector<std::string>& files);
/// `After CSE (cse)` for a dump, else empty.
[[nodiscard]] std::string dumpTitle(const std::string& file);

/// Reads and lowers a program. `sizes`: of arguments by name. Fails as ir::readModuleFile and ir::lower do.
[[nodiscard]] Result<std::shared_ptr<const interp::Program>>
openProgram(const std::string& file, const std::string& entry, const std::map<std::string, std::int64_t>& sizes, const std::stop_token& stop);

/// A program that is a function on tensors, as a graph. Fails as ir::readModuleFile and ir::toGraph do: Unsupported for other programs.
[[nodiscard]] Result<std::shared_ptr<const Graph>> openTensorFunction(const std::string& file, const std::string& entry, const std::stop_token& stop);
/// True for a graph with a size that is not known, or with more elements than are run one by one first.
[[nodiscard]] bool isLarge(const Graph& graph);

/// The text of a program or of one dump; empty for bytecode. Fails with NotFound, TooLarge.
[[nodiscard]] Result<std::string> programText(const std::string& file);

/// What became of two programs; of one that could not be read as a program at all there is no comparison.
struct ProgramCheck {
    CheckResult result;
    std::shared_ptr<const interp::Program> reference;
    std::shared_ptr<const interp::Program> rewritten;
    std::shared_ptr<const interp::ProgramComparison> comparison;
};

/// Compares two programs. `--size` names arguments of the reference. What the reader cannot turn into a program at all is undecided.
[[nodiscard]] Result<ProgramCheck> checkPrograms(const std::string& reference, const std::string& rewritten, const CheckRequest& request,
                                                 const CheckOptions& options, const CheckServices& services, const std::stop_token& stop);

} // namespace lemmascope::cli
