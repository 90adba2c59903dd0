#pragma once

#include <vector>

/// Two forms of `@f(...)`: arguments and results, then the body of each; `line`: how the first line of `check` begins.
struct ProgramPair {
    const char* name;
    const char* signature; ///< `(%x: i32) -> i32`
    const char* reference;
    const char* rewritten;
    const char* line;
};
/// What MLIR leaves undefined may go but not come: shifts by the width, divisions that overflow, orders that are open.
[[nodiscard]] std::vector<ProgramPair> undefinedPairs();
/// Laws of integers at their width, also at widths that tensors have not, and of floats over the reals only.
[[nodiscard]] std::vector<ProgramPair> arithmeticPairs();
