#pragma once

#include "app/cli/requests.h"

#include <string>
#include <vector>

namespace lemmascope::cli {

/// One check to make: two files and the options its line adds.
struct PairFiles {
    std::string name;
    std::string reference;
    std::string rewritten;
    std::string options;
};

/// What a `check` request amounts to: one pair, the steps of a pipeline (also the graphs of a folder in name order), or the
/// lines of a `--pairs` file with paths relative to it. Fails with Usage, NotFound, BadData (naming file and line).
struct PairList {
    std::vector<PairFiles> pairs;
    bool single = false;   ///< the plain form with two graphs
    bool pipeline = false; ///< pairs are consecutive steps
};
[[nodiscard]] Result<PairList> listPairs(const CheckRequest& request);

} // namespace lemmascope::cli
