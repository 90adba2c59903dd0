#pragma once

#include "core/match/pattern.h"
#include "core/match/value.h"
#include "core/ruleproof/skeleton.h"

#include <utility>
#include <vector>

namespace lemmascope::ruleproof {

/// What is known of the values of a skeleton's instance.
class Facts {
  public:
    virtual ~Facts() = default;
    Facts() = default;
    Facts(const Facts&) = delete;
    Facts& operator=(const Facts&) = delete;
    /// Of a resolved value; undefined when it is not known.
    [[nodiscard]] virtual match::FactValue fact(match::FactKind kind, std::uint32_t value, const match::FactValue& argument) const = 0;
    [[nodiscard]] virtual match::FactValue attribute(std::uint32_t node, const std::string& name) const = 0;
    /// What an attribute variable holds.
    [[nodiscard]] virtual match::FactValue held(std::uint32_t cell) const = 0;
};

/// Guards over a skeleton, as the matcher reads them; what is not known is undefined, which here means: it may be true.
class GuardValues {
  public:
    /// `facts` may be null: then only operators are known.
    GuardValues(const match::RuleFile& file, const Skeleton& skeleton, const Facts* facts) : m_file(file), m_skeleton(skeleton), m_facts(facts) {}

    [[nodiscard]] match::Truth truth(match::ExpressionId guard, std::uint32_t scope) const;
    [[nodiscard]] match::FactValue value(match::ExpressionId expression, std::uint32_t scope) const;

    /// Both sides of each equation that must hold where the guard does.
    [[nodiscard]] std::vector<std::pair<match::ExpressionId, match::ExpressionId>> equations(match::ExpressionId guard) const;
    /// Comparisons that must hold where the guard does.
    [[nodiscard]] std::vector<match::ExpressionId> comparisons(match::ExpressionId guard) const;
    /// Facts that must be true where the guard is: `is_const(?c)`.
    [[nodiscard]] std::vector<match::ExpressionId> demands(match::ExpressionId guard) const;
    /// The value that a name of an expression holds, resolved; nothing when it holds none.
    [[nodiscard]] std::optional<std::uint32_t> valueOf(const match::ExpressionNode& node, std::uint32_t scope) const;

  private:
    [[nodiscard]] match::Truth comparison(const match::ExpressionNode& node, std::uint32_t scope) const;
    [[nodiscard]] match::FactValue fact(const match::ExpressionNode& node, std::uint32_t scope) const;
    [[nodiscard]] std::vector<match::ExpressionId> conjuncts(match::ExpressionId guard) const;

    const match::RuleFile& m_file;
    const Skeleton& m_skeleton;
    const Facts* m_facts;
};

} // namespace lemmascope::ruleproof
