#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/interp/term_dag.h"

#include <map>
#include <memory>
#include <span>
#include <vector>

namespace lemmascope::interp {

/// Terms as a graph of scalars (rank 0), so that the prover reads them: leaves are inputs named `A[3,4]`, terms shared in the DAG
/// are shared values, an operation that no ONNX operator has is an open function of the domain `mlir`.
struct TermGraph {
    std::shared_ptr<const Graph> graph; ///< one output a root, `o0`, `o1` ...
    std::vector<Term> leaves;           ///< by input, in order
};

/// Has an operation a form in the graph that is the same over the reals only (NaN, signs of zero, one rounding for two)?
[[nodiscard]] bool isGraphOverReals(const TermDag& dag, std::span<const Term> roots);

/// Fails with TooLarge beyond `maxNodes`. Integers of other widths than tensors have are those of the next wider type, wrapped.
/// `leaves`: inputs in this order, those that the roots do not read too (both sides of a pair need the same).
[[nodiscard]] Result<TermGraph> graphOf(const TermDag& dag, std::span<const Term> roots, std::span<const Term> leaves, std::size_t maxNodes);

/// Terms that `roots` reach, operands first; empty beyond `limit`.
[[nodiscard]] std::vector<Term> reached(const TermDag& dag, std::span<const Term> roots, std::size_t limit);

/// The tensor type that holds a value; Undefined: none.
[[nodiscard]] ElementType elementOf(ValueType type, bool isUnsigned = false);
/// The narrowest one that holds it for display.
[[nodiscard]] ElementType displayElementOf(ValueType type, bool isUnsigned = false);
/// Row-major bits as a tensor of `element`.
[[nodiscard]] Tensor tensorOf(ElementType element, ValueType type, const std::vector<std::int64_t>& shape, const std::vector<std::uint64_t>& bits);
/// The bits of one element.
[[nodiscard]] std::uint64_t bitsIn(const Tensor& tensor, std::int64_t flat, ValueType type);

} // namespace lemmascope::interp
