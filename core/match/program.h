#pragma once

#include "core/base/result.h"
#include "core/match/pattern.h"
#include "core/match/static_check.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

// The compiled form of one rule: names are slots, calls are procedures. It does not know what it was compiled from.
namespace lemmascope::match {

using InstructionId = Id<struct InstructionTag>;
using GuardId = Id<struct GuardTag>;

/// A name, seen from a procedure: slot `index` of the procedure that lies `up` levels outside of it.
struct SlotRef {
    static constexpr std::uint32_t None = 0xFFFFFFFFU;
    std::uint32_t up = 0;
    std::uint32_t index = None;
    [[nodiscard]] bool isValid() const { return index != None; }
};

struct SlotInfo {
    Name name;
    bool existential = false; ///< of an `ex`: not reported
};

enum class InstructionKind : std::uint8_t {
    Variable,
    Any,
    Omitted,
    Number,
    Operator,
    FunctionVariable,
    Alternate, ///< also `opt f(p)`: f(p), then p
    Guarded,
    Exists,
    Constraint,
    As,
    Result,
    Call
};

struct AttributeTest {
    std::string name;
    bool orOperand = false;
    AttributeValue wanted; ///< unless it binds a slot
    std::string wantedText;
    SlotRef slot;
    Spot spot;
};

struct Instruction {
    InstructionKind kind = InstructionKind::Any;
    Spot spot;
    SlotRef slot; ///< Variable, FunctionVariable, Exists, Constraint (the target), As
    Name name;    ///< of the slot
    SlotRef rest; ///< Operator, FunctionVariable
    std::string restName;
    std::uint32_t op = 0; ///< Operator: index into MatchProgram::operators
    OperandOrder order = OperandOrder::AsWritten;
    bool shared = false; ///< Operator: may be read outside the match
    std::vector<AttributeTest> attributes;
    std::vector<InstructionId> children;
    GuardId guard;
    NumberLiteral number;
    std::uint32_t resultIndex = 0;
    std::uint32_t procedure = 0;    ///< Call
    std::vector<SlotRef> arguments; ///< Call
    /// Constraint: operators that what the name holds can have, indices into MatchProgram::operators; nothing: any.
    std::optional<std::vector<std::uint32_t>> targetOperators;
    std::uint32_t leastOperators = 0; ///< the fewest operators that a match of it takes
};

/// A pattern with names of its own: the rule itself, a mu, or a definition.
struct Procedure {
    std::string name;
    std::uint32_t parameters = 0; ///< the first slots; they stand for slots of the caller
    std::vector<SlotInfo> slots;
    InstructionId body;
    std::uint32_t level = 0; ///< of nesting: a mu sees the names of the procedure around it, at level - 1
    bool mayLoop = false;    ///< recursion need not consume an operator: loops are looked for
};

struct GuardNode {
    ExpressionNode expression; ///< children are unused
    SlotRef slot;              ///< Fact, Variable
    std::vector<GuardId> children;
};

struct Guard {
    GuardId root;
    std::string text;           ///< as reasons quote it, with `mark(i)` for name i: they call names as the rule does, not as a mu's parameters
    std::vector<SlotRef> slots; ///< all it reads, in order of their names
    std::vector<Name> names;    ///< of these
    /// What `&` joins, from the left; one when nothing is joined.
    struct Part {
        GuardId root;
        std::string text; ///< as that of the guard
    };
    std::vector<Part> parts;

    [[nodiscard]] static std::string mark(std::size_t name) { return "\x01" + std::to_string(name) + "\x02"; }
};

struct MatchProgram {
    std::string rule;
    Spot spot;
    std::vector<Procedure> procedures; ///< 0: the rule itself
    std::vector<Instruction> instructions;
    std::vector<GuardNode> guardNodes;
    std::vector<Guard> guards; ///< GuardId of instructions and cases
    std::vector<OperatorName> operators;
    std::vector<GuardId> cases;     ///< of the rule in order; an invalid id always applies. Empty: no replacement
    std::vector<bool> replacesNode; ///< by case: the replacement is an operator, which may give all results of the root's node
    /// Operators that a matched root can have, indices into `operators`; nothing: any.
    std::optional<std::vector<std::uint32_t>> rootOperators;

    [[nodiscard]] const Instruction& at(InstructionId id) const { return instructions[id.index]; }
    [[nodiscard]] const Guard& at(GuardId id) const { return guards[id.index]; }
    [[nodiscard]] const GuardNode& node(GuardId id) const { return guardNodes[id.index]; }
};

/// Each rule; in a file without rules, each pattern that no other pattern uses. Fails with BadData when a call names no pattern.
[[nodiscard]] Result<std::vector<std::shared_ptr<const MatchProgram>>> compileRules(const RuleFile& file, const StaticResult& checked);

} // namespace lemmascope::match
