#pragma once

#include "core/report/expression_pair.h"
#include "core/report/output_map.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope {

/// Two programs, what they were read from, and what became of comparing them. Shared by the window and the report.
struct ProgramPair {
    std::string referenceFile; ///< for headings
    std::string rewrittenFile;
    std::string referenceText; ///< as read; empty for bytecode
    std::string rewrittenText;
    std::shared_ptr<const interp::Program> reference;
    std::shared_ptr<const interp::Program> rewritten;
};

/// One access to a cell, for a list that leads to the text.
struct CellAccess {
    std::string text; ///< `memref.store at f.mlir:3:5 (main, i = 2)`
    std::string place;
    bool writes = true;
    bool isLast = false; ///< the write whose value the cell ends with
};

/// How a cell of an output came to hold what it does on both sides.
struct CellStory {
    std::uint64_t cell = 0;
    std::string name; ///< `C[3,31]`
    CellState state = CellState::Same;
    ExpressionPair expressions;
    std::vector<CellAccess> accesses[2]; ///< by Side: writes, in order; the last `MostAccesses`
    std::uint64_t writes[2] = {0, 0};    ///< how many there were
    std::string trouble;                 ///< why a side's accesses are not known
    static constexpr std::size_t MostAccesses = 200;
};

/// Runs both programs again to see who writes the cell. Fails with Cancelled, or Usage where the cell does not exist.
[[nodiscard]] Result<CellStory> cellStory(const ProgramPair& pair, const OutputMap& map, std::uint64_t cell, std::stop_token stop);

} // namespace lemmascope
