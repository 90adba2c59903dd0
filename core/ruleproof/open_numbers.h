#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/graph/infer.h"
#include "core/ruleproof/instance.h"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

// Numbers and lengths that an instance leaves open. Where a rule's replacement wants numbers it is built with stand-ins for them: floats that
// occur nowhere else for numbers, primes for lengths. Here the stand-ins are taken out again.
namespace lemmascope::ruleproof {

/// A number computed of open ones, `1 / value(?s)`: its value with the stand-ins, and how it is computed.
struct ComputedNumber {
    double value = 0.0;
    match::ExpressionId expression;
};

/// A number that occurs in no rule, exact in float32; another for each `index`, and for each of the two `rounds`.
[[nodiscard]] double standInFor(std::size_t index, unsigned round = 0);
/// A prime greater than any number that a rule writes.
[[nodiscard]] std::int64_t primeFor(std::size_t index, unsigned round = 0);

struct Opening {
    const match::RuleFile& file;
    std::vector<OpenNumber> numbers;
    std::vector<ComputedNumber> computed;
    std::map<std::string, std::int64_t> lengths; ///< primes of symbols; empty: lengths have no stand-ins
    std::map<std::string, ValueId> values;       ///< of the graph, by the rule's names without ?
};

struct Opened {
    std::shared_ptr<const Graph> graph;
    std::vector<DimQuestion> questions;
    bool wroteOut = false;     ///< an operator stands as its definition, which a kernel rounds in another way: no more than exact
    bool usesComputed = false; ///< a computed number was put in: rounding apart
    /// Numbers that definitions compare open ones with, by the index of these: the graph holds for all others.
    std::set<std::pair<std::size_t, double>> compared;
    bool comparesComputed = false; ///< a computed number was compared, which may be anything
};

/// The graph with every stand-in replaced: constants by inputs of one element or by lengths that are read when the graph runs, attributes by
/// writing the operator out with the number as an operand, or the length as it is. Inputs of all open numbers are there, in their order; one of
/// that name that is there already is the one. Types of results are inferred anew. Fails with Unsupported, and words, where an operator is not
/// defined, or its definition decides by the number; else as inference does.
[[nodiscard]] Result<Opened> withOpenNumbers(const Graph& graph, const Opening& opening);

} // namespace lemmascope::ruleproof
