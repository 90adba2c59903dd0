#pragma once

#include "core/sample/element_program.h"
#include "core/sample/order.h"
#include "core/sample/sample_array.h"
#include "core/term/term_store.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace lemmascope::sampling {

using Lengths = std::vector<std::int64_t>;

[[nodiscard]] std::size_t countOf(const Lengths& shape);
/// Row-major strides.
[[nodiscard]] Lengths stridesOf(const Lengths& shape);

/// One operand of an op on one sample.
struct OperandArray {
    Slice slice;
    Lengths shape;
    ElementType type = ElementType::Undefined; ///< Undefined: an operand left out
    std::size_t top = 0;
    [[nodiscard]] bool present() const { return type != ElementType::Undefined; }
    [[nodiscard]] std::size_t count() const { return countOf(shape); }
};

/// What an op on whole arrays means on one sample, for the ops that are more than a scalar function of each element. `op` is
/// the term's operator, its attributes canonical (core/term/node_computing.cpp, node_movements.cpp).
class ArrayKernels {
  public:
    enum class Result : std::uint8_t {
        Done,
        Dropped, ///< this sample says nothing: an index out of range, a comparison too close to call
        None     ///< no kernel, or operands of a form that it does not take
    };
    ArrayKernels(std::size_t levels, std::stop_token stop) : m_levels(levels), m_stop(std::move(stop)) {}

    /// From now on only every `parts`-th group of columns of a MatMul over reals is computed, from the `part`-th on.
    void share(std::size_t part, std::size_t parts) {
        m_part = part;
        m_parts = parts;
    }
    [[nodiscard]] Result run(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape, const MutableSlice& out);
    /// A hash of the operator and all operand elements in order, spread over the result.
    void hash(std::uint64_t key, const std::vector<OperandArray>& operands, ElementType type, std::size_t count, std::size_t top,
              const MutableSlice& out) const;

    /// Element `index[i]` of the source at each i; -1 is zero.
    void pick(const Slice& source, Kind kind, const std::vector<std::int64_t>& index, const MutableSlice& out, std::size_t at = 0) const;
    /// Which element of `data` each element of a gather's result is. `data` needs a shape only.
    [[nodiscard]] static Result gatherIndex(const Operator& op, const Lengths& data, const OperandArray& rows, const Lengths& shape,
                                            std::vector<std::int64_t>& index);
    /// Scalar operations of one sample of the op.
    [[nodiscard]] static double work(const Operator& op, const std::vector<Lengths>& operands, const Lengths& shape);

  private:
    std::size_t m_levels;
    std::stop_token m_stop;
    std::size_t m_part = 0;
    std::size_t m_parts = 1;

    /// One block of sums of products: the result at rowTo[r] + columnTo[c] is the sum over s of
    /// R[rowFrom[r] + rowAlong[s]] * C[columnFrom[c] + columnAlong[s]].
    struct Contraction {
        std::vector<std::int64_t> rowFrom, rowAlong, rowTo;
        std::vector<std::int64_t> columnFrom, columnAlong, columnTo;
    };
    [[nodiscard]] Result contract(const OperandArray& rows, const OperandArray& columns, const Contraction& plan, const MutableSlice& out) const;
    [[nodiscard]] Result contractIntegers(const OperandArray& rows, const OperandArray& columns, const Contraction& plan,
                                          const MutableSlice& out) const;
    [[nodiscard]] Result matmul(const OperandArray& a, const OperandArray& b, const Lengths& shape, const MutableSlice& out) const;
    [[nodiscard]] Result conv(const Operator& op, const OperandArray& x, const OperandArray& w, const Lengths& shape, const MutableSlice& out) const;
    [[nodiscard]] Result einsum(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape, const MutableSlice& out) const;
    [[nodiscard]] Result matmulInteger(const std::vector<OperandArray>& operands, const Lengths& shape, const MutableSlice& out) const;
    [[nodiscard]] Result pool(const Operator& op, const OperandArray& x, const Lengths& shape, const MutableSlice& out) const;
    [[nodiscard]] Result reduce(const Operator& op, const OperandArray& x, const Lengths& shape, const MutableSlice& out) const;
    [[nodiscard]] Result cumulate(const Operator& op, const OperandArray& x, const MutableSlice& out) const;
    [[nodiscard]] Result extremeIndex(const Operator& op, const OperandArray& x, const Lengths& shape, const MutableSlice& out) const;
    [[nodiscard]] Result topK(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape, const MutableSlice& out) const;
    [[nodiscard]] Result gather(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape, const MutableSlice& out) const;
    [[nodiscard]] Result scatter(const Operator& op, const std::vector<OperandArray>& operands, const MutableSlice& out) const;
    [[nodiscard]] Result store(const Operator& op, const std::vector<OperandArray>& operands, const Lengths& shape, const MutableSlice& out) const;

    /// Adds the elements at base + `index` of `x` and divides; writes element `at` of the result.
    void total(const OperandArray& x, const std::vector<std::int64_t>& index, std::int64_t base, double divisor, const MutableSlice& out,
               std::size_t at) const;
    /// Position in `index` of the largest (smallest) element; nothing when too close to call. Ties: the first.
    [[nodiscard]] std::optional<std::size_t> extreme(const OperandArray& x, const std::vector<std::int64_t>& index, std::int64_t base, bool largest,
                                                     bool lastOfTies = false) const;
    [[nodiscard]] Order compare(const OperandArray& x, std::int64_t a, std::int64_t b) const;
    void copy(const OperandArray& x, std::int64_t from, const MutableSlice& out, std::size_t at) const;
    [[nodiscard]] bool stopped() const { return m_stop.stop_requested(); }
};

} // namespace lemmascope::sampling
