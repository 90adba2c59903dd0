#pragma once

#include "core/graph/graph_tree.h"
#include "core/term/term_builder.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// A value that both graphs of a cut pair read and neither computes.
struct CutSource {
    enum class Kind : std::uint8_t {
        Input,   ///< of the reference
        Inner,   ///< both graphs compute it in the same way
        Constant ///< a float constant that both hold
    } kind = Kind::Input;
    std::string name; ///< in the reference
    TensorType type;
    FlatValueId original; ///< in the reference
    ValueId reference;    ///< in the cut graphs; both valid
    ValueId rewritten;
};

/// What two graphs do between the values they share and some outputs: two small graphs with the same inputs, in the same order and of
/// the same names. If these two are equal, so are the outputs.
struct CutPair {
    Graph reference;
    Graph rewritten;
    std::vector<CutSource> sources;
    std::vector<FlatNodeId> referenceNodes; ///< by NodeId of the cut graph: the node it was
    std::vector<FlatNodeId> rewrittenNodes;
};

struct CutRequest {
    const GraphTree* reference = nullptr; ///< types inferred
    const GraphTree* rewritten = nullptr;
    const GraphTerms* referenceTerms = nullptr; ///< in one store
    const GraphTerms* rewrittenTerms = nullptr;
    std::vector<std::pair<ValueId, ValueId>> outputs; ///< of the top graphs, reference first
    std::vector<std::string> outputNames;
    std::vector<std::pair<ValueId, ValueId>> inputs; ///< paired; the rewritten one may be invalid
    bool whole = false;                              ///< every node, cut at graph inputs only
    std::size_t mostNodes = 200;                     ///< of one side
};

/// Cuts where both graphs read the same term of a float or bool type. Nothing when more than `mostNodes` would remain, or an output's
/// cone reaches an input that is not paired.
[[nodiscard]] std::optional<CutPair> cutAtShared(const CutRequest& request);

} // namespace lemmascope
