#pragma once

#include "core/eval/evaluator.h"
#include "core/interp/term_dag.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace lemmascope::interp {

/// Inputs to try: sample 0 small integers, then ones, zeros, cell numbers, few non-zeros, fractions, extremes; from then on random.
/// The same cell of the same sample always has the same bits.
[[nodiscard]] std::uint64_t sampleBits(std::uint32_t buffer, std::uint64_t cell, ValueType type, std::uint32_t sample);
inline constexpr std::uint32_t SampleCount = 24;

/// Values of terms on numbers, in their types, by term id (others are 0).
struct TermValues {
    std::vector<std::uint64_t> bits;
    std::vector<bool> doubtful; ///< reads an open function, or a value that MLIR leaves undefined
};

/// `order`: operands first (reached()). `leaf(term)`: the bits of a leaf.
template <typename Leaf>
[[nodiscard]] TermValues evaluateTerms(const TermDag& dag, std::span<const Term> order, const Leaf& leaf);

/// Bounds of both terms over the reals on given leaves, as DESIGN asks for a confirmation: terms that both sides share are points, every
/// other float operation is widened by its rounding, so is a float constant of one side only. Nothing where something depends on an
/// undecided choice of integers or an open function, or the terms are too large.
struct Enclosures {
    Interval reference;
    Interval rewritten;
    bool apart = false; ///< no roundings can make them equal
};
[[nodiscard]] std::optional<Enclosures> enclose(const TermDag& dag, Term reference, Term rewritten, const TermValues& values,
                                                std::uint64_t* steps = nullptr); ///< `steps`: grows by the terms bounded

/// Bounds of many terms at once on given leaves: no term is a point, so they hold those of enclose() for every pair.
class WideBounds {
  public:
    /// `order`: operands first, all that is asked about.
    WideBounds(const TermDag& dag, std::span<const Term> order, const TermValues& values);
    ~WideBounds();
    WideBounds(const WideBounds&) = delete;
    WideBounds& operator=(const WideBounds&) = delete;
    [[nodiscard]] bool apart(Term reference, Term rewritten) const;

  private:
    struct Bounds;
    std::unique_ptr<Bounds> m_bounds;
};

/// One operation on numbers; nothing for what has no meaning (an open function).
[[nodiscard]] std::optional<std::uint64_t> evaluateNode(const TermDag& dag, const TermNode& node, std::span<const std::uint64_t> operands,
                                                        bool& poison);

template <typename Leaf>
TermValues evaluateTerms(const TermDag& dag, std::span<const Term> order, const Leaf& leaf) {
    TermValues values;
    values.bits.resize(dag.size());
    values.doubtful.resize(dag.size());
    std::vector<std::uint64_t> operands;
    for (const Term term : order) {
        const TermNode& node = dag.node(term);
        if (node.kind == TermKind::Leaf) {
            values.bits[term] = leaf(term);
            continue;
        }
        if (node.kind == TermKind::Constant) {
            values.bits[term] = dag.constantBits(term);
            continue;
        }
        operands.clear();
        bool doubtful = node.kind == TermKind::Open || node.kind == TermKind::Uninitialised || node.kind == TermKind::Forgotten;
        const std::span<const Term> parts = dag.operands(node);
        const bool isChoice = node.kind == TermKind::Apply && node.op == Op::Select;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            operands.push_back(values.bits[parts[i]]);
            // Of a choice only the condition and the way taken count.
            const bool counts = !isChoice || i == 0 || (i == 1) == (operands[0] != 0);
            doubtful = doubtful || (counts && values.doubtful[parts[i]]);
        }
        bool poison = false;
        values.bits[term] = evaluateNode(dag, node, operands, poison).value_or(0);
        values.doubtful[term] = doubtful || poison;
    }
    return values;
}

} // namespace lemmascope::interp
