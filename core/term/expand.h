#pragma once

#include "core/term/algebra.h"
#include "core/term/term_store.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <vector>

namespace lemmascope {

/// How much of an op's meaning the expander uses.
enum class Meaning : std::uint8_t {
    Movements, ///< movements are followed, an elementwise op is one function of its elements, everything else is opaque
    Exact      ///< the arithmetic over the reals and modulo 2^width; what has no such meaning is a function or opaque
};

/// Says what one element of a term is, in an algebra: follows movements (views, joins, gathers and scatters with known
/// indices), applies elementwise ops, and with `Meaning::Exact` unrolls sums, products, windows and extrema at the declared
/// shapes. `cut` decides which terms stay opaque: the term to read instead, or nothing to go on.
///
/// `generic` gives the element at an unspecified index of an elementwise term: every other term is then read "at that
/// index", which is sound for any shape, symbolic ones too.
class Expander {
  public:
    using Cut = std::function<std::optional<TermId>(TermId)>;
    Expander(const TermStore& store, Algebra& algebra, Meaning meaning, Cut cut, std::size_t budget, std::stop_token stop = {});

    /// Also ends when the algebra holds more expressions than that.
    void limitExpressions(std::size_t most) { m_most = most; }

    /// Float constants that stand for other numbers: what to take for an element, or nothing.
    using Constants = std::function<std::optional<Scalar>(TermId, std::int64_t)>;
    void substitute(Constants constants) { m_substituted = std::move(constants); }
    [[nodiscard]] Scalar at(TermId term, std::int64_t index);
    [[nodiscard]] Scalar generic(TermId term) { return at(term, -1); }
    /// True once a budget ran out (results since then mean nothing) or a stop was asked for.
    [[nodiscard]] bool exhausted() const { return m_used > m_budget || m_algebra.size() > m_most || m_tooDeep || m_stop.stop_requested(); }
    /// Names of ops left opaque though their exact meaning was wanted.
    [[nodiscard]] const std::vector<std::string>& openOps() const { return m_openOps; }

  private:
    const TermStore& m_store;
    Algebra& m_algebra;
    Meaning m_meaning;
    Cut m_cut;
    Constants m_substituted;
    std::size_t m_budget;
    std::size_t m_used = 0;
    std::size_t m_most = std::numeric_limits<std::size_t>::max();
    std::uint32_t m_depth = 0;
    bool m_tooDeep = false;
    std::stop_token m_stop;
    struct KeyHash {
        std::size_t operator()(const std::pair<std::uint32_t, std::int64_t>& key) const {
            return (static_cast<std::size_t>(key.first) * 0x9E3779B97F4A7C15ULL) ^ (static_cast<std::size_t>(key.second) * 0xC2B2AE3D27D4EB4FULL);
        }
    };
    std::unordered_map<std::pair<std::uint32_t, std::int64_t>, Scalar, KeyHash> m_memo;
    std::unordered_map<std::uint32_t, std::vector<std::int64_t>> m_shapes;
    std::unordered_map<std::uint32_t, std::optional<Tensor>> m_constants;
    std::vector<std::string> m_openOps;

    [[nodiscard]] Scalar compute(TermId term, std::int64_t index);
    [[nodiscard]] Scalar constantElement(TermId term, std::int64_t index);
    [[nodiscard]] Scalar opaque(TermId term, std::int64_t index);
    [[nodiscard]] std::optional<Scalar> elementwise(TermId term, std::int64_t index);
    [[nodiscard]] std::optional<Scalar> structural(TermId term, std::int64_t index);
    [[nodiscard]] std::optional<Scalar> computing(TermId term, std::int64_t index);
    [[nodiscard]] std::optional<Scalar> windows(TermId term, std::int64_t index);
    [[nodiscard]] std::optional<Scalar> einsum(TermId term, std::int64_t index);
    [[nodiscard]] const std::vector<std::int64_t>& shape(TermId term);
    [[nodiscard]] bool isStatic(TermId term) const { return m_store.type(term).isStatic(); }
    [[nodiscard]] std::optional<Tensor> constant(TermId term);
    [[nodiscard]] Scalar largest(std::vector<Scalar> values);
    [[nodiscard]] Scalar total(const std::vector<Scalar>& values, ElementType type);
    [[nodiscard]] Scalar product(Scalar a, Scalar b, ElementType type);
    [[nodiscard]] Scalar zero(ElementType type);
    [[nodiscard]] bool spend(std::size_t steps) {
        m_used += steps;
        return m_used <= m_budget;
    }
};

/// Some movement of a Cast into a narrower float: what orders, compares or quantises it reads the rounded value
/// (resources/docs/decisions/numbers.md).
[[nodiscard]] bool readsNarrowingCast(const TermStore& store, TermId term);

/// The scalar function of an elementwise op, over the reals (elementwise_meaning.cpp). Nothing when it has none.
[[nodiscard]] std::optional<Scalar> scalarMeaning(const TermStore& store, TermId term, const std::vector<Scalar>& operands, Algebra& algebra);

} // namespace lemmascope
