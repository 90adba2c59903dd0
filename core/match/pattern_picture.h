#pragma once

#include "core/graph/graph.h"
#include "core/match/pattern_words.h"

#include <memory>
#include <vector>

namespace lemmascope::match {

/// A rule's pattern as a graph, to be drawn: operators with what they read above them, alternates side by side, names as inputs; what a
/// constraint says of a name stands where the name is read. Definitions are drawn where they are called, a recursion once.
struct PatternPicture {
    static constexpr std::size_t MostNodes = 300;

    std::shared_ptr<const Graph> graph;
    std::vector<std::vector<NodeId>> nodes;   ///< by instruction; several where a definition is called more than once
    std::vector<std::vector<ValueId>> values; ///< likewise, of names and the like, which no node makes
    std::vector<InstructionId> instructions;  ///< by node
    bool cut = false;                         ///< there was more
};

[[nodiscard]] PatternPicture patternPicture(const MatchProgram& program, const PatternWords& words);

} // namespace lemmascope::match
