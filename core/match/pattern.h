#pragma once

#include "core/base/id.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// What a rule file says, as data: patterns, guards, replacements, each in a vector and named by a typed id. Nothing is resolved here; the
// static check and the compiler read it, the printer writes it back.
namespace lemmascope::match {

using PatternId = Id<struct PatternTag>;
using ExpressionId = Id<struct ExpressionTag>;
using ReplacementId = Id<struct ReplacementTag>;

/// Patterns, guards and replacements nested deeper than this are refused, so that what walks them may recurse.
constexpr std::uint32_t MaxDepth = 200;

/// A place in a rule file, both from 1; columns count bytes.
struct Spot {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    friend auto operator<=>(const Spot&, const Spot&) = default;
    [[nodiscard]] std::string text() const { return std::to_string(line) + ":" + std::to_string(column); }
};

enum class NameKind : std::uint8_t {
    Value,    ///< ?x: a term, or an attribute's value
    Function, ///< %F: an operator
    Rest      ///< ..xs: the remaining operands
};

struct Name {
    NameKind kind = NameKind::Value;
    std::string text; ///< without ? or %
    Spot spot;
    /// `?x`, `%F`, `..xs`
    [[nodiscard]] std::string written() const { return (kind == NameKind::Value ? "?" : kind == NameKind::Function ? "%" : "..") + text; }
};

/// A number as written, so that it prints as it was.
struct NumberLiteral {
    std::string text;
    double value = 0.0;
    std::optional<std::int64_t> integer; ///< when written without point and exponent
    std::optional<double> tolerance;
    std::string toleranceText;
};

/// `"com.microsoft":Attention:1`
struct OperatorName {
    std::string name;
    std::optional<std::string> domain; ///< as quoted; none: the graph's own (ONNX)
    std::optional<std::int64_t> version;
};

/// What an attribute must be, or is to become.
struct AttributeValue {
    enum class Kind : std::uint8_t {
        Number,
        Text,      ///< "linear"
        Word,      ///< f16: an element type, or a text
        Variable,  ///< ?a
        List,      ///< [1,0]
        Expression ///< in replacements only
    };
    Kind kind = Kind::Number;
    NumberLiteral number;
    std::string text; ///< Text, Word; Variable: without ?
    std::vector<AttributeValue> items;
    ExpressionId expression;
};

struct AttributePattern {
    std::string name;
    bool orOperand = false; ///< `axes@=[-1]`: an attribute, or a constant operand
    /// `..?c`, in replacements, without a name: all that the node making ?c has and that is not written; the value is ?c.
    bool copies = false;
    AttributeValue value;
    Spot spot;
};

enum class OperandOrder : std::uint8_t {
    AsWritten,
    Commutative, ///< comm f(p, q)
    AnyTree      ///< ac f(p1, ..., pn)
};

enum class PatternKind : std::uint8_t {
    Variable,         ///< ?x
    Any,              ///< _
    Omitted,          ///< none: an optional operand that is left out
    Number,           ///< 2, 1.702~0.001: a constant
    Operator,         ///< f(p1, ..., pn), also opt, comm and ac
    FunctionVariable, ///< %F(p1, ..., pn)
    Alternate,        ///< p | q | ...
    Guarded,          ///< p where g
    Exists,           ///< ex ?x. p, ex %F. p
    Constraint,       ///< p with ?x ~ q
    As,               ///< ?x @ p
    Result,           ///< result i of p
    Mu,               ///< mu P(params)[args]. p
    Call              ///< P(args), of a mu or of a definition
};

struct PatternNode {
    PatternKind kind = PatternKind::Any;
    Spot spot;
    std::uint32_t depth = 1; ///< of nesting below, this node included
    /// Variable, FunctionVariable, Exists (the binder), Constraint (the target), As.
    Name name;
    OperatorName op; ///< Operator; Mu and Call: the name in `op.name`
    OperandOrder order = OperandOrder::AsWritten;
    bool optional = false; ///< opt f(p, ...): this, or p
    bool shared = false;   ///< shared f(...): what others read too stays, and is no part of the match
    std::vector<AttributePattern> attributes;
    /// Operator, FunctionVariable: operands. Alternate: alternates. Constraint: p, q. Guarded, Exists, As, Result, Mu: the body.
    std::vector<PatternId> children;
    std::string rest; ///< the name after `..`; empty: none
    ExpressionId guard;
    NumberLiteral number;
    std::vector<Name> parameters; ///< Mu
    std::vector<Name> arguments;  ///< Mu, Call
    std::uint32_t resultIndex = 0;
};

enum class ExpressionKind : std::uint8_t {
    Number,
    Text,
    Word, ///< f32, ew1, relu: compared with what a fact says
    List,
    Variable,   ///< ?a: an attribute variable's value
    Fact,       ///< rank(?x), attr(?x, "axis"), op(%F)
    Function,   ///< range(0, 4), pick(?p, ?q): of numbers and lists, by the name in `text` (functions.h)
    Arithmetic, ///< + - * / // %, or - of one
    Compare,
    Not,
    And,
    Or
};

enum class FactKind : std::uint8_t { Rank, Shape, Dim, Dtype, Attr, IsConst, Value, Uses, Size, Op, Cls, Version, Ints };
enum class CompareKind : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };

/// `//`, as ExpressionNode::arithmetic.
constexpr char FloorDivision = 'q';

struct ExpressionNode {
    ExpressionKind kind = ExpressionKind::Number;
    Spot spot;
    std::uint32_t depth = 1;
    FactKind fact = FactKind::Rank;
    CompareKind compare = CompareKind::Equal;
    char arithmetic = '+'; ///< `//` is FloorDivision
    NumberLiteral number;
    std::string text; ///< Text, Word, Function
    Name name;        ///< Variable, and what a Fact is about
    std::vector<ExpressionId> children;
};

enum class ReplacementKind : std::uint8_t {
    Variable,
    Rest,
    Number,
    Omitted,    ///< none
    Expression, ///< [0,-1], shape(?x), 1 / sqrt(dim(?q, -1)): a constant, or lengths taken when the graph runs
    Operator,
    FunctionVariable,
    Result
};

struct ReplacementNode {
    ReplacementKind kind = ReplacementKind::Variable;
    Spot spot;
    std::uint32_t depth = 1;
    Name name;
    OperatorName op;
    std::vector<AttributePattern> attributes;
    NumberLiteral number;
    ExpressionId expression;
    std::vector<ReplacementId> children;
    std::uint32_t resultIndex = 0;
};

/// `let ?t = e in ... e`
struct Replacement {
    std::vector<std::pair<Name, ReplacementId>> lets;
    ReplacementId result;
};

struct PatternDefinition {
    std::string name;
    std::vector<Name> parameters;
    PatternId body;
    Spot spot;
};

/// The replacement when the guard holds; without a guard it is what is left.
struct RuleCase {
    ExpressionId guard;
    Replacement replacement;
    Spot spot;
};

struct Rule {
    std::string name;
    PatternId pattern;
    std::vector<RuleCase> cases; ///< first whose guard holds; none: the rule only matches
    Spot spot;
};

/// One line of comment, or an empty line, before an item; or the comment that ends an item's last line.
struct Comment {
    std::string text; ///< from # on; empty: an empty line
    bool trailing = false;
};

struct RuleFile {
    std::string file; ///< for messages
    std::vector<PatternNode> patterns;
    std::vector<ExpressionNode> expressions;
    std::vector<ReplacementNode> replacements;
    std::vector<PatternDefinition> definitions;
    std::vector<Rule> rules;

    struct Item {
        bool isRule = false;
        std::uint32_t index = 0; ///< into rules or definitions
        std::vector<Comment> comments;
    };
    std::vector<Item> items;               ///< in file order
    std::vector<Comment> trailingComments; ///< after the last item

    [[nodiscard]] const PatternNode& at(PatternId id) const { return patterns.at(id.index); }
    [[nodiscard]] const ExpressionNode& at(ExpressionId id) const { return expressions.at(id.index); }
    [[nodiscard]] const ReplacementNode& at(ReplacementId id) const { return replacements.at(id.index); }
};

} // namespace lemmascope::match
