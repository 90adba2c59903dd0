// Which branch an If must take. Where its branches give values of different ranks, nothing can be said of what reads them, but often it
// runs with one rank only: `if the last length is 1, squeeze it` before an op that takes matrices. So the graph is inferred with each branch;
// an error with one of them says that the other is taken whenever the graph runs.

#include "core/graph/infer_frame.h"

namespace lemmascope {

std::optional<bool> InferFrame::chosenBranch() const {
    const auto index = static_cast<std::uint32_t>(next);
    if (const auto at = trials.settled.find(index); at != trials.settled.end()) {
        return at->second;
    }
    return trials.node == index ? std::optional(trials.taken) : std::nullopt;
}

bool nextTrial(BranchTrials& trials, const Error* error) {
    if (!trials.node) {
        return false;
    }
    const std::uint32_t node = *trials.node;
    if (error != nullptr) {
        // With neither branch it runs: the error of the last is the graph's.
        trials.settled.emplace(node, !trials.taken);
        trials.why.emplace(node, error->message);
        trials.node.reset();
    } else if (trials.taken) {
        trials.taken = false;
    } else {
        trials.open.insert(node);
        trials.node.reset();
    }
    return true;
}

} // namespace lemmascope
