#pragma once

#include "core/match/pattern.h"

#include <string>
#include <vector>

namespace lemmascope::match {

/// What the static check finds in a rule file before anything is matched.
struct Finding {
    enum class Code : std::uint8_t {
        ExistentialUnbound,
        GuardUnbound,
        TargetUnbound,
        ReplacementUnbound,
        CallNotUnderOperator,
        CallInConstraint,
        Shadowed,
        DuplicateAlternate,
        UnknownOperator,
        UnknownAttribute,
        UnusedPattern
    };
    Code code = Code::ExistentialUnbound;
    bool isError = true; ///< else a warning
    std::string owner;   ///< the rule or pattern it is in
    std::string fact;    ///< short, without a place: `existential x not bound on every path`
    std::string detail;  ///< which alternate is to blame, how to mend it; may be empty
    Spot spot;

    /// `file:line:col: error: fact (detail)`
    [[nodiscard]] std::string text(const std::string& file) const;
};

struct StaticResult {
    std::vector<Finding> findings; ///< in the order in which a reader meets them, rule by rule

    /// The first error, if any.
    [[nodiscard]] const Finding* firstError() const;
    [[nodiscard]] bool passes() const { return firstError() == nullptr; }
    /// Definitions whose recursion always consumes an operator, by index into RuleFile::definitions, and mus by PatternId index: the
    /// machine need not look for loops there.
    std::vector<bool> contractiveDefinitions;
    std::vector<bool> contractiveMus;
};

/// Names bound on every path before they are read, and recursion that consumes an operator: for a file that passes, the machine decides
/// exactly the declarative meaning, needs no failure for unbound names, and ends.
[[nodiscard]] StaticResult checkStatically(const RuleFile& file);

} // namespace lemmascope::match
