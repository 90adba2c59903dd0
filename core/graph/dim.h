#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

/// One axis length: an integer, or an integer polynomial over symbols (each a positive integer unless its range says
/// otherwise) and over opaque functions of such polynomials (floor division, min, max). Two Dims are equal when their
/// canonical polynomials are: then the lengths are equal at all sizes. Unequal says nothing but that they may differ.
///
/// Arithmetic that leaves 64 bits gives a Dim that `overflowed()`; it poisons what is computed from it and equals nothing
/// but another such Dim. Callers turn it into an error where they know the place.
class Dim {
  public:
    Dim() = default;
    Dim(std::int64_t length) : m_value(length) {} // NOLINT(google-explicit-constructor): literals read as lengths
    [[nodiscard]] static Dim symbol(const std::string& name);

    [[nodiscard]] bool isKnown() const { return m_polynomial == nullptr && !m_overflow; }
    [[nodiscard]] bool overflowed() const { return m_overflow; }
    /// The integer; only when `isKnown()`.
    [[nodiscard]] std::int64_t value() const;
    [[nodiscard]] bool is(std::int64_t length) const { return isKnown() && m_value == length; }
    /// The symbol's name when the Dim is exactly one symbol.
    [[nodiscard]] std::optional<std::string> symbolName() const;

    friend Dim operator+(const Dim& a, const Dim& b);
    friend Dim operator-(const Dim& a, const Dim& b);
    friend Dim operator*(const Dim& a, const Dim& b);
    /// Floor division by a positive Dim; exact quotients stay polynomials, others become an opaque function.
    [[nodiscard]] static Dim floorDiv(const Dim& a, const Dim& b);
    [[nodiscard]] static Dim ceilDiv(const Dim& a, const Dim& b);
    [[nodiscard]] static Dim min(const Dim& a, const Dim& b);
    [[nodiscard]] static Dim max(const Dim& a, const Dim& b);
    /// The quotient when `b` divides `a` as polynomials; nothing otherwise (or when b is 0).
    [[nodiscard]] static std::optional<Dim> exactQuotient(const Dim& a, const Dim& b);

    friend bool operator==(const Dim& a, const Dim& b);
    /// An arbitrary total order, stable between runs: for maps and canonical forms.
    friend std::strong_ordering operator<=>(const Dim& a, const Dim& b);

    /// A lower bound that holds for all sizes, if one is seen: symbols from 1 unless `lowest` says otherwise; symbols whose name
    /// begins with '?' (lengths that only data decides) from 0.
    [[nodiscard]] std::optional<std::int64_t> lowerBound(const std::map<std::string, std::int64_t>& lowest = {}) const;
    /// True only when a >= b at all sizes is seen.
    [[nodiscard]] static bool provablyAtLeast(const Dim& a, const Dim& b);

    /// The length at given sizes; nothing if a symbol has none or arithmetic overflows.
    [[nodiscard]] std::optional<std::int64_t> evaluate(const std::map<std::string, std::int64_t>& sizes) const;
    /// Symbols replaced by Dims; those not in `map` stay.
    [[nodiscard]] Dim substituted(const std::map<std::string, Dim>& map) const;
    /// Adds the names of all symbols, those inside opaque functions too.
    void collectSymbols(std::vector<std::string>& out) const;
    /// Canonical text: `6`, `n`, `2*n + 1`, `floor(n - 1, 2)`; `overflow`.
    [[nodiscard]] std::string text() const;

    struct Polynomial;

  private:
    std::int64_t m_value = 0;
    bool m_overflow = false;
    std::shared_ptr<const Polynomial> m_polynomial;

    [[nodiscard]] static Dim fromPolynomial(Polynomial&& polynomial);
    [[nodiscard]] static Dim overflowDim();
    [[nodiscard]] Polynomial polynomial() const;
};

} // namespace lemmascope
