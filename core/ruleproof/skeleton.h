#pragma once

#include "core/graph/graph.h"
#include "core/match/pattern.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

// What a pattern can look like, as graphs with holes: its finite choices taken apart.
namespace lemmascope::ruleproof {

/// A value of a skeleton, by index into Skeleton::values; one that was found to be another is `Same`.
struct SkeletonValue {
    enum class Kind : std::uint8_t {
        Free,    ///< any value of the graph
        Number,  ///< a constant all of whose elements are the number
        Omitted, ///< an operand that is left out
        Result,  ///< result `result` of node `node`
        Same     ///< the value `other`
    };
    Kind kind = Kind::Free;
    std::uint32_t node = 0;
    std::uint32_t result = 0;
    std::uint32_t other = 0;
    match::NumberLiteral number;
    std::string name; ///< of a name that holds it, for messages; may be empty
};

/// An attribute as the pattern has it: what it must be, or the cell that it binds.
struct AttributeUse {
    std::string name;
    bool orOperand = false;
    std::optional<match::AttributeValue> wanted;
    std::uint32_t cell = 0; ///< without `wanted`
};

struct SkeletonNode {
    OpId op; ///< with the opset in force; of an open function as written
    std::vector<std::uint32_t> operands;
    std::vector<AttributeUse> attributes;
};

/// What a name holds.
struct Cell {
    enum class Kind : std::uint8_t { Unbound, Value, Symbol, Attribute, List };
    Kind kind = Kind::Unbound;
    std::uint32_t value = 0;
    OpId symbol;
    std::vector<std::uint32_t> list;
};

/// Names as they are seen from some place: looked up here, then outside.
struct Scope {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;
    std::map<std::string, std::uint32_t> cells; ///< by the name as written, `?x`
    std::uint32_t outer = None;                 ///< none: names not found are new here
};

struct Skeleton {
    std::vector<SkeletonNode> nodes; ///< in no order
    std::vector<SkeletonValue> values;
    std::vector<Cell> cells;
    std::vector<Scope> scopes;                                         ///< 0: the rule's own
    std::vector<std::pair<match::ExpressionId, std::uint32_t>> guards; ///< with the scope they stand in
    std::uint32_t root = 0;
    std::uint32_t results = 1;                  ///< of the root's node that are read: more than one are replaced together
    std::map<std::string, std::uint32_t> calls; ///< of recursive patterns, on this path
    std::set<std::uint32_t> oneNumber;          ///< resolved free values that are constants of one number, which the rule reads
    bool regrouped = false;                     ///< an `ac` of three or more is taken in one bracketing: equal as reals

    [[nodiscard]] std::uint32_t resolved(std::uint32_t value) const;
    /// Nodes in an order in which each reads what stands before it; nothing when they form a circle, which no graph does.
    [[nodiscard]] std::optional<std::vector<std::uint32_t>> order() const;
    /// The cell of a name seen from a scope, if it has one.
    [[nodiscard]] std::optional<std::uint32_t> find(const match::Name& name, std::uint32_t scope) const;
};

struct ExpandOptions {
    std::map<std::string, std::int64_t> opsets; ///< by domain; others: 1
    std::uint32_t recursion = 3;                ///< calls of a recursive pattern on one path
    std::uint32_t rest = 3;                     ///< operands that `..xs` may stand for
    std::size_t most = 3000;                    ///< skeletons
};

struct Expansion {
    std::vector<Skeleton> skeletons;
    /// What was left out, in words: chains longer than the bound, operators with graphs inside. A claim about the rule leans on them.
    std::set<std::string> gaps;
    /// What a number with a tolerance was taken for, and the like: part of the scope.
    std::set<std::string> scope;
};

/// All skeletons of the rule's pattern up to the bounds: every match of the rule outside the gaps is an instance of one of them. Guards about
/// operators and their classes are taken into account, others are left to the instances.
[[nodiscard]] Expansion expand(const match::RuleFile& file, const match::Rule& rule, const ExpandOptions& options);

/// Constants that guards compare with a number are that number; others whose number guards or the replacement read are of one number.
void refineNumbers(const match::RuleFile& file, const match::Rule& rule, Skeleton& state);

/// The operator as it is written, `matmul` in ONNX's own domain being MatMul; of unknown ones the name stands as it is.
[[nodiscard]] OpId namedOp(const match::OperatorName& name, const std::map<std::string, std::int64_t>& opsets);
/// `ew1`, `move`, ...: what `cls` says.
[[nodiscard]] std::string operatorClass(const OpId& op);

} // namespace lemmascope::ruleproof
