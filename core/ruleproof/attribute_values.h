#pragma once

#include "core/graph/graph.h"
#include "core/match/pattern.h"
#include "core/match/value.h"

#include <optional>
#include <string>
#include <vector>

namespace lemmascope::ruleproof {

/// One attribute of one operator in an instance.
struct AttributeQuestion {
    OpId op;
    std::string name;
    std::vector<std::optional<std::size_t>> ranks; ///< of the operands; nothing for those left out
    bool isRead = false;                           ///< the rule reads how it is written: an axis counted from the end is another case
};

struct AttributeChoices {
    std::vector<std::optional<Attribute>> values; ///< nothing: not written
    bool isReal = false;                          ///< any real number, which no list has; `values` are some
    std::string scope;                            ///< which values these are, where there are more: `strides 1 and 2`
    std::string gap;                              ///< set: how little these are was not foreseen, and a claim may not lean on them
};

/// The kinds of the operator's attributes in the registry, by name; empty for an unknown operator.
[[nodiscard]] std::vector<std::pair<std::string, char>> attributeKinds(const OpId& op);

/// All values that the attribute may have there, or enough of them to stand for all.
[[nodiscard]] AttributeChoices attributeChoices(const AttributeQuestion& question);

/// A literal of a rule as the attribute of that kind (0: as it is written).
[[nodiscard]] std::optional<Attribute> literalAttribute(const match::AttributeValue& wanted, char kind);
[[nodiscard]] match::FactValue factOf(const Attribute& attribute);
/// An operand that holds what is an attribute in other opsets.
[[nodiscard]] std::optional<Tensor> operandOf(const Attribute& attribute);

} // namespace lemmascope::ruleproof
