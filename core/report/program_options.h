#pragma once

#include <string>

namespace lemmascope {

/// What is asked of a pair of MLIR programs beside CheckOptions.
struct ProgramOptions {
    std::string entry;        ///< function to start in; empty: the only public one
    bool mayAlias = false;    ///< arguments of one type may name one memory
    bool fingerprint = false; ///< digests in place of terms
    friend bool operator==(const ProgramOptions&, const ProgramOptions&) = default;
};

} // namespace lemmascope
