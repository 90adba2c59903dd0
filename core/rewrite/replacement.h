#pragma once

#include "core/match/graph_subject.h"
#include "core/match/machine.h"
#include "core/match/pattern.h"
#include "core/rewrite/fragment.h"

#include <map>
#include <string>
#include <vector>

// One case's replacement, built for what the rule's names hold. It knows nothing of the machine that found them.
namespace lemmascope::rewrite {

/// What the names of a rule hold, by their text without ? or %: values of the matched graph, attribute values, operators.
struct Bindings {
    struct Function {
        OpId op;
        std::map<std::string, Attribute> attributes; ///< kept by `%F(...)`
    };
    std::map<std::string, ValueId> values; ///< an invalid id: an operand that is left out
    std::map<std::string, match::FactValue> attributes;
    std::map<std::string, Function> functions;
    std::map<std::string, std::vector<ValueId>> rests;
};

/// The same of a match on a graph.
[[nodiscard]] Bindings bindingsOf(const match::GraphSubject& matched, const std::vector<match::Binding>& bindings);

/// What is replaced.
struct ReplacedRoot {
    ValueId value;           ///< in the matched graph; the replacement must have its type
    std::size_t results = 1; ///< more than one: results 0, 1, ... of the root's node are all read, and replaced by those of the new node
    bool anyType = false;    ///< the caller compares types itself
};

/// Builds the replacement of one case. `matched` must be typed. Operands that are numbers take the element type of the first operand beside
/// them that has one; where the operator refuses that, of the others, then i64. Fails with `file:line:col` and the reason where names hold
/// nothing, values are not known, inference refuses a node, or the type is not the root's whatever the sizes are: then the match is not to be
/// replaced. Where only the whole graph can tell, `Fragment::typeInDoubt` is set.
[[nodiscard]] Result<Fragment> buildReplacement(const match::RuleFile& file, const match::RuleCase& chosen, const match::GraphSubject& matched,
                                                const Bindings& bindings, const ReplacedRoot& root, const FragmentOptions& options = {});

} // namespace lemmascope::rewrite
