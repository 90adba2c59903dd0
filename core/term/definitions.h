#pragma once

#include "core/term/movement.h"
#include "core/term/term_store.h"

#include <optional>
#include <vector>

namespace lemmascope {

/// Definitions of composite ops over the reals, as terms of simpler ops (ONNX operator documents; ONNX Runtime
/// ContribOperators.md for com.microsoft): Gemm, biases of Conv, the normalisations, Softmax, means and norms, the fused ops.
/// A kernel of the op may round differently from its definition, so a proof that uses one is `exact` at most.
/// Attribute values are float32 as stored; numbers of an op's text (sqrt(2/pi), 0.044715) are exact reals.
class Definitions {
  public:
    explicit Definitions(TermStore& store) : m_store(store), m_move(store) {}

    /// The term with every definition expanded, bottom up; the same term where there is none.
    [[nodiscard]] TermId define(TermId term);

  private:
    TermStore& m_store;
    Movements m_move;
    std::vector<TermId> m_memo;

    [[nodiscard]] TermId rebuild(TermId term, const std::vector<TermId>& operands);
    [[nodiscard]] std::optional<TermId> definition(const Operator& op, const std::vector<TermId>& operands, const TensorType& type);

    // Small builders; types follow the result.
    [[nodiscard]] TermId elementwise(const char* name, const std::vector<TermId>& operands, const TensorType& type,
                                     std::map<std::string, Attribute> attributes = {});
    [[nodiscard]] TermId binary(const char* name, TermId a, TermId b, ElementType element);
    [[nodiscard]] TermId unary(const char* name, TermId x, ElementType element);
    [[nodiscard]] TermId number(double value);
    [[nodiscard]] TermId length(const Dim& dim);
    [[nodiscard]] TermId reduce(const char* name, TermId x, const std::vector<std::int64_t>& axes, ElementType element);
    [[nodiscard]] TermId mean(TermId x, const std::vector<std::int64_t>& axes, ElementType element);
    [[nodiscard]] std::optional<TermId> activation(TermId x, const std::string& name, const std::vector<float>& parameters, ElementType element);
    [[nodiscard]] std::optional<TermId> matmul(TermId a, TermId b, ElementType element);
    [[nodiscard]] TermId swapLast(TermId x);
    [[nodiscard]] bool isNone(TermId term) const;
};

} // namespace lemmascope
