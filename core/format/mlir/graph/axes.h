#pragma once

#include "core/format/mlir/module.h"

#include <cstddef>
#include <optional>
#include <vector>

namespace lemmascope::ir {

/// One axis of a tensor.
struct Axis {
    ValueId tensor;
    std::size_t number = 0;
};
/// The axis whose length an index is: a `tensor.dim` at a constant.
[[nodiscard]] std::optional<Axis> axisMeasured(const Module& module, ValueId index);

/// Which axes of a block's tensors have one length: because an op demands it (arith and math take operands of one type, a loop of a structured op
/// runs along all of them), or because one was made as long as the other.
class EqualAxes {
  public:
    EqualAxes(const Module& module, BlockId block);

    /// The same number for axes of one length.
    [[nodiscard]] std::size_t classOf(Axis axis) const { return root(m_first[axis.tensor.index] + axis.number); }

  private:
    const Module& m;
    std::vector<std::size_t> m_first;
    std::vector<std::size_t> m_parent;

    [[nodiscard]] std::size_t root(std::size_t at) const;
    void unite(Axis a, Axis b);
    void unite(ValueId a, ValueId b);
    void uniteLoops(OperationId op, const Attribute& maps);
    void uniteMade(ValueId tensor, const std::vector<std::int64_t>& sizes, std::span<const ValueId> dynamic);
};

} // namespace lemmascope::ir
