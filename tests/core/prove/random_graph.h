#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace lemmascope::prove_test {

using Random = std::mt19937_64;
[[nodiscard]] std::size_t pick(Random& random, std::size_t count);

/// A small graph of float ops as a list of statements, easy to change in one place.
struct Sketch {
    struct Statement {
        std::string op;
        std::vector<std::string> operands;
        std::map<std::string, std::string> attributes;
        std::string result;
        std::vector<std::int64_t> shape; ///< of the result
    };
    struct Constant {
        std::string name;
        std::string type; ///< `f32[3]`
        std::vector<std::string> elements;
    };
    std::vector<Constant> constants;
    std::vector<Statement> statements; ///< the last one's result is the output

    /// In the notation of tests/core/graph/graph_text.h; `prefix` before the names of all inner values.
    [[nodiscard]] std::string text(const std::string& prefix = "") const;
};

/// Inputs x f32[2,3], y f32[3], z f32[3,2].
[[nodiscard]] Sketch randomSketch(Random& random);
/// One thing changed: an axis, a permutation, the order of operands, a constant's element, an attribute, an op, an operand.
/// The result may mean the same, or nothing at all.
[[nodiscard]] Sketch mutated(Random& random, Sketch sketch);

} // namespace lemmascope::prove_test
