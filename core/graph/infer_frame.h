#pragma once

// How inferTypes works: one InferFrame per graph being inferred, on an explicit stack (a nested graph above the graph whose
// node holds it). Private to core/graph.

#include "core/graph/graph.h"
#include "core/graph/ops/infer_context.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace lemmascope {

/// What a finished nested graph gave.
struct NestedResult {
    std::string role;
    std::shared_ptr<const Graph> graph; ///< with inferred types
    std::vector<ValueFacts> outputs;    ///< constants only where the graph above or the graph itself owns them
    std::optional<Error> error;         ///< lenient graphs only: the graph is as declared, as far as they were found, without outputs
};

/// A nested graph to infer before its node can be: which, and what its inputs are known to be.
struct NestedRequest {
    std::string role;
    std::shared_ptr<const Graph> graph;
    std::vector<ValueFacts> inputs;
    std::vector<ValueId> inputsFrom; ///< values of the outer graph that the inputs are; invalid: none
    bool lenient = false;            ///< a branch that need not be taken: its errors are no errors
};

/// Which branches the Ifs of one graph take, as far as it is found by inferring the graph with each (infer_branches.cpp). Kept while the
/// graph is inferred anew.
struct BranchTrials {
    std::map<std::uint32_t, bool> settled;    ///< by node: the only branch with which the graph can run
    std::map<std::uint32_t, std::string> why; ///< by node: the error with the other branch
    std::set<std::uint32_t> open;             ///< both may be taken
    std::optional<std::uint32_t> node;        ///< being tried
    bool taken = true;                        ///< and with which branch
};

struct InferFrame {
    Graph graph;
    InferFrame* outer = nullptr;
    NodeId outerNode; ///< in the outer frame's graph
    NestedRequest request;
    std::size_t next = 0;                          ///< the node to do
    std::vector<ValueFacts> facts;                 ///< by value
    std::vector<ValueId> from;                     ///< by value: the outer value a capture or a body's input is
    std::deque<Tensor> madeConstants;              ///< of Constant nodes
    std::vector<NestedResult> done;                ///< of the node `next`
    std::vector<std::size_t> writtenOut;           ///< results that the definition of the node `next` gives, in order
    int rounds = 0;                                ///< of a loop body at node `next`
    std::vector<ValueFacts> carried;               ///< by that loop, as its body takes them
    std::vector<std::optional<Digest128>> digests; ///< of values, as asked for
    std::vector<std::uint32_t> randomOrdinals;     ///< by node; filled when first asked for
    BranchTrials trials;
    bool ranksDiffer = false; ///< the branches of the node `next` gave different ranks, and nothing says which is taken

    /// The branch that the node `next` takes, where the trials say one.
    [[nodiscard]] std::optional<bool> chosenBranch() const;
};

/// The graph of `trials` has been inferred to its end, or failed with an error. True: it is to be inferred anew, with these trials.
[[nodiscard]] bool nextTrial(BranchTrials& trials, const Error* error);

/// A digest of the computation that gives a value: ops, attributes, operands; graph inputs by name, constants by content. Equal
/// digests in two graphs: the same function of inputs of the same names. Random nodes count by their position among their kind.
[[nodiscard]] Digest128 valueDigest(InferFrame& frame, ValueId value);
[[nodiscard]] Digest128 nodeDigest(InferFrame& frame, NodeId node);

/// The inferred type, filled from the declared one where it says less. `conflict` is set where they contradict each other.
[[nodiscard]] TensorType filledType(const TensorType& inferred, const TensorType& declared, bool& conflict);

/// Nested graphs of control ops. Gives the next graph to infer for the node, or nothing when the results are complete.
[[nodiscard]] std::optional<NestedRequest> nextNested(InferFrame& frame, InferContext& context);
[[nodiscard]] std::optional<NestedRequest> nextOfLoop(InferFrame& frame, InferContext& c);
[[nodiscard]] std::optional<NestedRequest> nextOfScan(InferFrame& frame, InferContext& c);

} // namespace lemmascope
