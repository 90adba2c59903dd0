#pragma once

#include "core/interp/compare.h"
#include "core/report/roles.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// What one line of a program is to the other program's text.
struct LineMark {
    Role role = Role::Plain;   ///< Shared: the same op stands there; Changed; OnlyReference, OnlyRewritten; Plain: no op
    std::uint32_t partner = 0; ///< line of the other text, from 1; 0: none
    friend bool operator==(const LineMark&, const LineMark&) = default;
};

/// By line, from the first.
struct ProgramDiff {
    std::vector<LineMark> reference;
    std::vector<LineMark> rewritten;
    std::size_t differing = 0; ///< ops that are not shared, of both
    /// Lines that a verdict speaks of, with what it says of them.
    std::map<std::uint32_t, std::string> notes[2]; ///< by Side, then line
};

/// Compares two MLIR texts line by line. Names of values, spaces and comments do not count, so that numbering alone makes no
/// difference. Lines and their order decide, nothing is proved by it. Linear in the texts times the number of differences, which is
/// bounded: past it lines are paired by those that stand once in each text.
[[nodiscard]] ProgramDiff diffPrograms(std::string_view reference, std::string_view rewritten);

/// Marks as failing the lines of ops that wrote a differing cell last, that fault, race or wait in a cycle.
void markFailing(ProgramDiff& diff, const interp::ProgramComparison& comparison);

/// The lines of a text, without their ends; at least one.
[[nodiscard]] std::vector<std::string_view> linesOf(std::string_view text);

/// The line of `file.mlir:3:5`, 0 where it names none.
[[nodiscard]] std::uint32_t lineOfPlace(std::string_view place);

} // namespace lemmascope
