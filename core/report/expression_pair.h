#pragma once

#include "core/base/result.h"
#include "core/interp/term_dag.h"
#include "core/prove/check_result.h"

#include <memory>
#include <string>
#include <vector>

namespace lemmascope {

/// Two terms as two graphs that a canvas can draw, cut where they need no further look: what both sides share is one input named by
/// its text, and below the first differences a few levels are shown.
struct ExpressionPair {
    std::shared_ptr<const GraphTree> reference;
    std::shared_ptr<const GraphTree> rewritten;
    /// Failing: where the two first differ; Changed: on the way there, the same operation on operands that differ; Only: below.
    Correspondence correspondence;
    std::string referenceText; ///< the whole term in words, cut
    std::string rewrittenText;
    std::vector<std::string> differences; ///< `a + b against a - b`, the first ones, nearest to the root first
    std::size_t differenceCount = 0;
    bool cut = false; ///< something was left out for its size
};

struct ExpressionLimits {
    std::size_t nodes = 250; ///< of each side
    std::size_t below = 3;   ///< levels under a difference
    std::size_t text = 400;  ///< characters
    std::size_t differences = 8;
};

/// A cell of a memory or a register as the term it holds; a number is a constant of its type.
[[nodiscard]] std::string cellText(const interp::TermDag& dag, interp::ValueType type, std::uint64_t bits, interp::Term term, std::size_t limit);

/// `type`: of both. A term of NoTerm is the number `bits`.
struct ExpressionRoot {
    std::uint64_t bits = 0;
    interp::Term term = interp::NoTerm;
};
[[nodiscard]] Result<ExpressionPair> expressionPair(const interp::TermDag& dag, interp::ValueType type, ExpressionRoot reference,
                                                    ExpressionRoot rewritten, const ExpressionLimits& limits = {});

} // namespace lemmascope
