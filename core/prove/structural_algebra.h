#pragma once

#include "core/term/algebra.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace lemmascope {

/// Scalars as bare expressions, for comparing where values come from (ladder rung 3): equal handles are the same reads under
/// the same open functions. Used with Meaning::Movements, which asks for nothing but literals, reads and functions; it is
/// small and fast because a static map is run over up to a million points.
class StructuralAlgebra final : public Algebra {
  public:
    [[nodiscard]] Scalar number(const mpq_class& value) override { return literal("n" + value.get_str(62)); }
    [[nodiscard]] Scalar integer(std::int64_t value, ElementType type) override {
        return literal("i" + std::to_string(value) + ":" + std::to_string(static_cast<int>(type)));
    }
    [[nodiscard]] Scalar boolean(bool value) override { return literal(value ? "true" : "false"); }
    [[nodiscard]] Scalar read(TermId leaf, std::int64_t index) override {
        return intern({0U, leaf.index, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(static_cast<std::uint64_t>(index) >> 32U)});
    }
    [[nodiscard]] Scalar function(const std::string& name, std::span<const Scalar> arguments, ElementType result) override;

    // Arithmetic has no place in a comparison of movements: each is a function of its own name.
    [[nodiscard]] Scalar add(Scalar a, Scalar b) override { return call("add", {a, b}); }
    [[nodiscard]] Scalar sub(Scalar a, Scalar b) override { return call("sub", {a, b}); }
    [[nodiscard]] Scalar mul(Scalar a, Scalar b) override { return call("mul", {a, b}); }
    [[nodiscard]] Scalar div(Scalar a, Scalar b) override { return call("div", {a, b}); }
    [[nodiscard]] Scalar max(Scalar a, Scalar b) override { return call("max", {a, b}); }
    [[nodiscard]] Scalar min(Scalar a, Scalar b) override { return call("min", {a, b}); }
    [[nodiscard]] Scalar sum(std::span<const Scalar> terms) override { return function("sum", terms, ElementType::F64); }
    [[nodiscard]] Scalar exp(Scalar a) override { return call("exp", {a}); }
    [[nodiscard]] Scalar log(Scalar a) override { return call("log", {a}); }
    [[nodiscard]] Scalar power(Scalar a, const mpq_class& exponent) override { return call("power", {a, number(exponent)}); }
    [[nodiscard]] Scalar round(Rounding how, Scalar a) override { return call("round" + std::to_string(static_cast<int>(how)), {a}); }
    [[nodiscard]] Scalar less(Scalar a, Scalar b) override { return call("less", {a, b}); }
    [[nodiscard]] Scalar equal(Scalar a, Scalar b) override { return call("equal", {a, b}); }
    [[nodiscard]] Scalar negation(Scalar a) override { return call("not", {a}); }
    [[nodiscard]] Scalar conjunction(Scalar a, Scalar b) override { return call("and", {a, b}); }
    [[nodiscard]] Scalar exclusive(Scalar a, Scalar b) override { return call("xor", {a, b}); }
    [[nodiscard]] Scalar choose(Scalar c, Scalar a, Scalar b, ElementType type) override {
        return call("ite" + std::to_string(static_cast<int>(type)), {c, a, b});
    }
    [[nodiscard]] Scalar integerOp(IntegerOp op, std::span<const Scalar> operands, ElementType type) override {
        return function("int" + std::to_string(static_cast<int>(op)) + ":" + std::to_string(static_cast<int>(type)), operands, type);
    }
    [[nodiscard]] Scalar integerLess(Scalar a, Scalar b, ElementType type) override {
        return call("iless" + std::to_string(static_cast<int>(type)), {a, b});
    }
    [[nodiscard]] Scalar integerEqual(Scalar a, Scalar b, ElementType type) override {
        return call("iequal" + std::to_string(static_cast<int>(type)), {a, b});
    }
    [[nodiscard]] Scalar realOfInteger(Scalar a, ElementType from) override { return call("real" + std::to_string(static_cast<int>(from)), {a}); }
    [[nodiscard]] Scalar integerOfWholeReal(Scalar a, ElementType to) override { return call("whole" + std::to_string(static_cast<int>(to)), {a}); }
    [[nodiscard]] Scalar integerOfReal(Scalar a, ElementType to) override { return call("trunc" + std::to_string(static_cast<int>(to)), {a}); }
    [[nodiscard]] Scalar integerOfInteger(Scalar a, ElementType from, ElementType to) override {
        return call("convert" + std::to_string(static_cast<int>(from)) + ":" + std::to_string(static_cast<int>(to)), {a});
    }
    [[nodiscard]] Scalar realOfBoolean(Scalar a) override { return call("real", {a}); }
    [[nodiscard]] Scalar integerOfBoolean(Scalar a, ElementType to) override { return call("ofbool" + std::to_string(static_cast<int>(to)), {a}); }
    [[nodiscard]] Scalar rounded(Scalar a, ElementType type) override { return call("rnd" + std::to_string(static_cast<int>(type)), {a}); }

    /// Functions whose names begin so may take their two arguments in either order (strength `open`).
    void allowExchange(const std::string& functionName) { m_exchange.push_back(functionName); }

  private:
    struct Hash {
        std::size_t operator()(const std::vector<std::uint32_t>& key) const {
            std::size_t hash = key.size();
            for (const std::uint32_t word : key) {
                hash = (hash ^ word) * 0x9E3779B97F4A7C15ULL;
                hash ^= hash >> 29U;
            }
            return hash;
        }
    };
    std::vector<std::string> m_exchange;
    std::unordered_map<std::vector<std::uint32_t>, Scalar, Hash> m_index;
    std::unordered_map<std::string, std::uint32_t> m_names;

    [[nodiscard]] Scalar intern(std::vector<std::uint32_t> key) {
        return m_index.try_emplace(std::move(key), static_cast<Scalar>(m_index.size())).first->second;
    }
    [[nodiscard]] std::uint32_t nameId(const std::string& name) {
        return m_names.try_emplace(name, static_cast<std::uint32_t>(m_names.size())).first->second;
    }
    [[nodiscard]] Scalar literal(const std::string& text) { return intern({1U, nameId(text)}); }
    [[nodiscard]] Scalar call(const std::string& name, const std::vector<Scalar>& arguments) { return function(name, arguments, ElementType::F64); }
};

inline Scalar StructuralAlgebra::function(const std::string& name, std::span<const Scalar> arguments, ElementType result) {
    std::vector<std::uint32_t> key{2U, nameId(name), static_cast<std::uint32_t>(result)};
    key.insert(key.end(), arguments.begin(), arguments.end());
    for (const std::string& exchange : m_exchange) {
        if (arguments.size() == 2 && name.starts_with(exchange) && key[4] < key[3]) {
            std::swap(key[3], key[4]);
        }
    }
    return intern(std::move(key));
}

} // namespace lemmascope
