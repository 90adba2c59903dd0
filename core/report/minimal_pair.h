#pragma once

#include "core/base/result.h"
#include "core/graph/definition_library.h"
#include "core/prove/check_result.h"

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// Two graphs to hand on instead of the two that were checked.
struct GraphPair {
    std::shared_ptr<const Graph> reference;
    std::shared_ptr<const Graph> rewritten;
    std::map<std::string, std::string> outputNames; ///< name of a checked output -> its name here
    std::map<std::string, std::string> inputNames;  ///< name of a reference input -> its name here
    /// Names here of the values that are assumed equal, reference first.
    std::vector<std::pair<std::string, std::string>> assumed;
    /// The user's, with the names of the ops here; null: none.
    std::shared_ptr<const DefinitionLibrary> definitions;
};

/// The checked graphs as they are, with what options added to them written in: ranges of inputs, sizes (already in the types),
/// names of inputs and outputs that `--map` or their places paired.
[[nodiscard]] GraphPair wholePair(const CheckResult& result, const std::map<std::string, IntegerRange>& ranges);

/// Of such a pair only what the output that decided the verdict needs, and what a faulting node needs; constants that nothing
/// reads any more go. A pair refuted for its types is left whole, since every input and output may be the reason.
[[nodiscard]] GraphPair cutToCone(const GraphPair& pair, const CheckResult& result);

/// The same pair with names that tell nothing: nodes n1, n2 ..., inputs x1 ..., outputs y1 ..., other values v1 ..., sizes d1 ...,
/// open ops Open1 ... with attributes a1 ..., texts in them s1 ...; equal names in both graphs stay equal. Graph names and notes go.
/// Definitions are renamed alike and lose their comments; texts that they compute with stay. Deterministic.
/// Fails with Internal if the renamed definitions cannot be read.
[[nodiscard]] Result<GraphPair> anonymised(const GraphPair& pair);

/// A graph of only what the outputs at `outputs` and the nodes `kept` need; inputs stay if `needed` names them too.
[[nodiscard]] std::shared_ptr<const Graph> cutGraph(const Graph& graph, const std::vector<std::size_t>& outputs, const std::vector<NodeId>& kept,
                                                    const std::vector<std::string>& neededInputs);

} // namespace lemmascope
