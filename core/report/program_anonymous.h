#pragma once

#include "core/report/program_options.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace lemmascope {

/// Both texts of a pair of MLIR programs without what their names tell, and what became of the names.
struct AnonymousPrograms {
    std::string reference;
    std::string rewritten;
    std::map<std::string, std::string> values;  ///< `A` -> `v1`, without the sign
    std::map<std::string, std::string> symbols; ///< functions and globals: `kernel` -> `s1`

    /// An output, an argument or `A.0`, under its new name; what is not known stays.
    [[nodiscard]] std::string nameOf(const std::string& name) const;
};

/// Names of values, blocks, functions, globals, aliases, of ops and attributes of dialects that are not MLIR's own; comments and
/// locations go. Equal names in both texts stay equal, lines stay where they are. `texts`: strings in attributes are replaced too, which may
/// change what the program means. Linear; any text will do.
[[nodiscard]] AnonymousPrograms anonymousPrograms(std::string_view reference, std::string_view rewritten, bool texts);

} // namespace lemmascope
