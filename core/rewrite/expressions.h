#pragma once

#include "core/match/graph_subject.h"
#include "core/match/pattern.h"
#include "core/rewrite/replacement.h"

#include <map>
#include <string>

namespace lemmascope::rewrite {

/// What a name stands for that `let` made: a value made in the fragment, or a number or list.
struct LetFacts {
    std::optional<TensorType> type;
    std::optional<match::FactValue> literal;
    std::optional<ValueId> outer; ///< it is this value of the matched graph
};

/// Values of attributes and operands, computed from what names hold. Undefined where something is not known.
class Expressions {
  public:
    Expressions(const match::RuleFile& file, const match::GraphSubject& matched, const Bindings& bindings)
        : m_file(file), m_matched(matched), m_bindings(bindings) {}

    void let(const std::string& name, LetFacts facts) { m_lets.insert_or_assign(name, std::move(facts)); }
    [[nodiscard]] match::FactValue value(match::ExpressionId id) const;
    /// The first part of an expression that has no value, in words: `dim(?x, -1) is not known`.
    [[nodiscard]] std::string unknownPart(match::ExpressionId id) const;

  private:
    [[nodiscard]] match::FactValue fact(const match::ExpressionNode& node) const;
    [[nodiscard]] match::FactValue ofValue(const match::ExpressionNode& node, ValueId value) const;
    [[nodiscard]] match::FactValue ofLet(const match::ExpressionNode& node, const LetFacts& facts) const;

    const match::RuleFile& m_file;
    const match::GraphSubject& m_matched;
    const Bindings& m_bindings;
    std::map<std::string, LetFacts> m_lets;
};

} // namespace lemmascope::rewrite
