#pragma once

#include <vector>

/// A program, its inputs (numbers by argument, `1 2 | 3`) and what it leaves (`result0: 1 | A: 2 3`); an expectation may end in `...`.
struct ProgramRow {
    const char* name;
    const char* source;
    const char* inputs;
    const char* expected;
};
[[nodiscard]] std::vector<ProgramRow> scalarRows();
[[nodiscard]] std::vector<ProgramRow> controlRows();
[[nodiscard]] std::vector<ProgramRow> memoryRows();
[[nodiscard]] std::vector<ProgramRow> tensorRows();
[[nodiscard]] std::vector<ProgramRow> vectorRows();
[[nodiscard]] std::vector<ProgramRow> taskRows();
[[nodiscard]] std::vector<ProgramRow> trapRows();

/// A program and options of mlir-opt that must not change what it computes.
struct LoweringRow {
    const char* name;
    const char* source;
    const char* inputs;
    const char* passes;
};
[[nodiscard]] std::vector<LoweringRow> loweringRows();
