#pragma once

// Values of expressions in definitions, and what can be computed of them without a graph. Private to core/graph.

#include "core/graph/definition_code.h"

namespace lemmascope {

/// What an expression may be. An error is a value: `has(b) and rank(b) == 2` is false, not an error, without b.
struct DefinitionItem {
    enum class Kind : std::uint8_t { Tensor, Number, Length, Truth, Text, List, Absent, Trouble };
    Kind kind = Kind::Absent;
    ValueId tensor;
    DefinedNumber number;
    Dim length; ///< symbolic; known lengths are numbers
    bool truth = false;
    std::string text; ///< or what is wrong
    std::vector<DefinitionItem> list;

    static DefinitionItem ofTensor(ValueId id) {
        DefinitionItem out;
        out.kind = Kind::Tensor;
        out.tensor = id;
        return out;
    }
    static DefinitionItem of(const mpq_class& q) {
        DefinitionItem out;
        out.kind = Kind::Number;
        out.number.q = q;
        return out;
    }
    static DefinitionItem of(const DefinedNumber& number) {
        DefinitionItem out;
        out.kind = Kind::Number;
        out.number = number;
        return out;
    }
    static DefinitionItem of(const Dim& length) {
        if (length.isKnown()) {
            return of(mpq_class(static_cast<long>(length.value())));
        }
        DefinitionItem out;
        out.kind = Kind::Length;
        out.length = length;
        return out;
    }
    static DefinitionItem of(bool truth) {
        DefinitionItem out;
        out.kind = Kind::Truth;
        out.truth = truth;
        return out;
    }
    static DefinitionItem of(std::string text) {
        DefinitionItem out;
        out.kind = Kind::Text;
        out.text = std::move(text);
        return out;
    }
    static DefinitionItem of(std::vector<DefinitionItem> list) {
        DefinitionItem out;
        out.kind = Kind::List;
        out.list = std::move(list);
        return out;
    }
    static DefinitionItem trouble(std::string what) {
        DefinitionItem out;
        out.kind = Kind::Trouble;
        out.text = std::move(what);
        return out;
    }
    /// `a` where it is trouble itself, else new trouble.
    static DefinitionItem troubleOr(const DefinitionItem& a, std::string what) { return a.is(Kind::Trouble) ? a : trouble(std::move(what)); }
    [[nodiscard]] bool is(Kind wanted) const { return kind == wanted; }
    [[nodiscard]] std::optional<std::int64_t> whole() const {
        if (kind != Kind::Number || !number.isWhole() || !number.q.get_num().fits_slong_p()) {
            return std::nullopt;
        }
        return number.q.get_num().get_si();
    }
    [[nodiscard]] std::optional<Dim> dim() const {
        if (kind == Kind::Length) {
            return length;
        }
        const std::optional<std::int64_t> value = whole();
        return value ? std::optional<Dim>(Dim(*value)) : std::nullopt;
    }
};

/// Equal for every size, different for every size, or not known.
[[nodiscard]] std::optional<bool> equalItems(const DefinitionItem& a, const DefinitionItem& b);
/// `+ - * / // % < <= > >=` of numbers and lengths.
[[nodiscard]] DefinitionItem onScalars(const std::string& op, const DefinitionItem& a, const DefinitionItem& b);
[[nodiscard]] DefinitionItem listOf(std::vector<DefinitionItem> entries);
[[nodiscard]] DefinitionItem itemOf(const DefinitionItem& list, const DefinitionItem& index);
/// Functions of numbers and lists: sqrt, count, axis, range, repeat, concat, slice, item.
[[nodiscard]] DefinitionItem listFunction(const std::string& name, const std::vector<DefinitionItem>& arguments);

} // namespace lemmascope
