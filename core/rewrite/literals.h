#pragma once

#include "core/base/result.h"
#include "core/graph/dim.h"
#include "core/match/value.h"
#include "core/rewrite/fragment.h"

#include <map>
#include <optional>
#include <vector>

namespace lemmascope::rewrite {

/// Numbers as a tensor of a type of floats, each rounded once; nothing for other types. The shape has as many elements.
[[nodiscard]] std::optional<Tensor> floats(ElementType type, std::vector<std::int64_t> shape, const std::vector<double>& numbers);

/// Makes values of what rules compute: numbers, lists, and lengths that are known only when the graph runs.
class Literals {
  public:
    /// `bound`: values of the matched graph, in an order that does not change; symbolic lengths are read off them.
    Literals(FragmentBuilder& builder, const Graph& matched, std::vector<ValueId> bound)
        : m_builder(builder), m_matched(matched), m_bound(std::move(bound)) {}

    /// A number becomes a scalar of the wanted element type (Undefined: i64 for an integer, f32 for others), a list a one-dimensional tensor: i64
    /// where it holds integers and lengths, else of the wanted type. Fails, without a place, where there is no such value.
    [[nodiscard]] Result<ValueId> value(const match::FactValue& fact, ElementType wanted);

  private:
    [[nodiscard]] Result<ValueId> length(const Dim& dim);
    [[nodiscard]] Result<ValueId> runtimeList(const match::FactValue::List& list);
    [[nodiscard]] Result<ValueId> make(const char* op, std::vector<ValueId> operands, std::map<std::string, Attribute> attributes);
    [[nodiscard]] ValueId integers(const std::vector<std::int64_t>& elements);

    FragmentBuilder& m_builder;
    const Graph& m_matched;
    std::vector<ValueId> m_bound;
    std::map<ValueId, ValueId> m_shapes; ///< by value of the matched graph
};

} // namespace lemmascope::rewrite
