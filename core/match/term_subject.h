#pragma once

#include "core/base/result.h"
#include "core/match/subject.h"

#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace lemmascope::match {

/// Facts about small terms, by the name of their operator or leaf: `v rank=1; relu cls=ew1; default rank=2 dtype=f32`.
class Signature {
  public:
    /// Fails with BadData, naming the entry.
    [[nodiscard]] static Result<Signature> parse(std::string_view text);
    /// Of the name, else the default, else undefined.
    [[nodiscard]] FactValue fact(const std::string& name, const std::string& key) const;

  private:
    std::map<std::string, std::map<std::string, FactValue>> m_facts; ///< the default's name is empty
};

/// A small term written as text, `add(relu(a), result 1 of split{axis=0}(b))`: leaves by name, numbers, attributes in braces. Operators
/// are told apart by their names, exactly. With `identity` each writing of an operator is a node of its own.
class TermSubject : public Subject {
  public:
    /// Fails with BadData at `file:line:col`.
    [[nodiscard]] static Result<std::shared_ptr<const TermSubject>> parse(std::string_view text, Signature signature, const std::string& file,
                                                                          bool identity = false);
    [[nodiscard]] TermId root() const { return m_root; }

    [[nodiscard]] bool symbolIs(SymbolId symbol, const OperatorName& wanted) const override;
    [[nodiscard]] std::string symbolText(SymbolId symbol) const override { return m_symbols[symbol.index]; }
    [[nodiscard]] FactValue fact(FactKind kind, TermId term, const FactValue& argument) const override;
    [[nodiscard]] FactValue attribute(TermId term, const std::string& name) const override;
    [[nodiscard]] std::optional<std::size_t> attributeOperand(TermId term, const std::string& name, std::size_t patternOperands) const override;
    [[nodiscard]] FactValue constant(TermId term) const override;
    [[nodiscard]] bool constantIs(TermId term, const NumberLiteral& number) const override;
    [[nodiscard]] bool attributeIs(TermId term, const std::string& name, const FactValue& found, const AttributeValue& wanted) const override;
    /// As written, without blanks; cut after 2,000 bytes.
    [[nodiscard]] std::string termText(TermId term) const override;

  private:
    friend class TermReader;
    struct Extra {
        std::map<std::string, FactValue> attributes;
        std::string attributesText;
        std::optional<double> number;
        std::optional<std::int64_t> integer;
    };
    TermSubject() = default;
    Signature m_signature;
    std::vector<std::string> m_symbols;
    std::vector<Extra> m_extras; ///< by term
    std::vector<std::uint64_t> m_sizes;
    std::vector<std::uint32_t> m_uses;
    TermId m_root;
};

} // namespace lemmascope::match
