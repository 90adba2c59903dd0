#pragma once

// A definition after parsing. Private to core/graph.

#include "core/graph/definition_library.h"

#include <gmpxx.h>

#include <array>

namespace lemmascope {

/// q * sqrt(radicand) * pi^(piHalves / 2): the numbers that texts of ops use, exactly.
struct DefinedNumber {
    mpq_class q = 0;
    mpq_class radicand = 1;
    int piHalves = 0;

    [[nodiscard]] bool isRational() const { return radicand == 1 && piHalves == 0; }
    [[nodiscard]] bool isWhole() const { return isRational() && q.get_den() == 1; }
    /// `1/6`, `sqrt(2)`, `2*sqrt(2/pi)`; equal numbers have equal texts.
    [[nodiscard]] std::string text() const;
    /// {at most the number, nearest, at least the number}, as doubles.
    [[nodiscard]] std::array<double, 3> doubles() const;
};

/// One step of a stack machine: an expression in postfix order.
struct DefinitionStep {
    enum class Kind : std::uint8_t { Number, Text, Name, List, Negate, Not, Binary, Function, Apply, Item };
    Kind kind = Kind::Number;
    std::string text;                  ///< name, string, operator, function or op
    DefinedNumber number;              ///< Number
    std::size_t count = 0;             ///< positional arguments or list entries
    std::vector<std::string> keywords; ///< attributes given by name, after the positional arguments
    bool allAttributes = false;        ///< `...`: the op's own attributes are handed on
};

struct DefinitionStatement {
    int line = 0;
    std::vector<DefinitionStep> condition; ///< empty: always
    std::vector<std::string> targets;      ///< empty: a requirement
    std::vector<DefinitionStep> value;     ///< or the required condition
    std::string source;                    ///< of a requirement, for the note
};

struct DefinitionOperand {
    std::string name;
    bool optional = false;
    bool variadic = false; ///< the last: takes the rest, may be none
};

struct DefinitionAttribute {
    std::string name;
    std::optional<Attribute> fallback;
    bool optional = false; ///< may be missing: `has(name)` asks
};

struct Definition {
    std::string domain;
    std::string name;
    std::int64_t since = 0;
    std::int64_t until = 0; ///< first opset without this meaning; 0: none
    std::vector<DefinitionOperand> operands;
    std::vector<DefinitionAttribute> attributes;
    std::vector<std::string> results;
    std::vector<DefinitionStatement> statements;
    std::string file;
    int line = 0;
    std::vector<OpId> uses; ///< ops that it may be written out in
};

/// Ours, embedded: (file name, text).
[[nodiscard]] std::vector<std::pair<std::string_view, std::string_view>> embeddedDefinitions();

} // namespace lemmascope
