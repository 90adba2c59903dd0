#pragma once

#include "core/term/term_store.h"
#include "core/term/view.h"

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace lemmascope {

struct ReshapeTo {
    Shape shape; ///< same element count
};
struct TransposeBy {
    std::vector<std::size_t> permutation; ///< result axis i is source axis permutation[i]
};
struct SliceOf {
    std::vector<Dim> starts;
    std::vector<Dim> lengths;
    std::vector<std::int64_t> steps; ///< may be negative, not 0
};
struct ExpandTo {
    Shape shape; ///< NumPy broadcasting: missing leading axes and axes of length 1 repeat
};
using MovementSpec = std::variant<ReshapeTo, TransposeBy, SliceOf, ExpandTo>;

/// Constructors of movement terms in normal form (resources/docs/decisions/proving.md). Every rule holds bit for bit:
///  - movements of movements compose into one view where the layout algebra allows;
///  - a movement of an elementwise op is the op on moved operands (views sink to what computes);
///  - a movement of a Concat is a Concat of movements where its pieces stay apart; nested Concats of one axis are one;
///    adjacent pieces that continue each other merge, under an elementwise op too; an elementwise op of Concats is a Concat of
///    elementwise ops.
/// What has no such form stays a composition, for a lemma to decide. Work per call is bounded, so the whole is linear.
class Movements {
  public:
    explicit Movements(TermStore& store) : m_store(store) {}

    [[nodiscard]] TermId move(TermId source, const MovementSpec& movement);
    [[nodiscard]] TermId reshape(TermId source, const Shape& shape) { return move(source, ReshapeTo{shape}); }
    [[nodiscard]] TermId transpose(TermId source, std::vector<std::size_t> permutation) { return move(source, TransposeBy{std::move(permutation)}); }
    [[nodiscard]] TermId slice(TermId source, std::vector<Dim> starts, std::vector<Dim> lengths, std::vector<std::int64_t> steps);
    /// One axis only, step 1.
    [[nodiscard]] TermId sliceAxis(TermId source, std::size_t axis, const Dim& start, const Dim& length);
    [[nodiscard]] TermId expand(TermId source, const Shape& shape) { return move(source, ExpandTo{shape}); }
    /// Operands agree in every axis but `axis`.
    [[nodiscard]] TermId concat(std::size_t axis, std::span<const TermId> operands);
    /// Operands broadcast to `type.shape`; the operator must be elementwise. When broadcasting cannot be seen to be right
    /// (unknown ranks, unrelated symbols) the application is an ordinary one that movements do not enter.
    [[nodiscard]] TermId elementwise(OperatorId op, std::span<const TermId> operands, const TensorType& type);
    /// The view itself, composed if possible.
    [[nodiscard]] TermId view(TermId source, const View& view, const Shape& shape);
    /// The same, entering elementwise ops: a view of f(a, b) is f of the views of a and b.
    [[nodiscard]] TermId sink(TermId source, const View& view, const Shape& shape);

    /// Shape of a movement's result.
    [[nodiscard]] static Shape resultShape(const Shape& source, const MovementSpec& movement);
    /// The movement as a function of flat indices.
    [[nodiscard]] static View asView(const Shape& source, const MovementSpec& movement);

    [[nodiscard]] TermStore& store() { return m_store; }

  private:
    TermStore& m_store;
    std::uint32_t m_budget = 0; ///< elementwise applications that one movement may still enter
    std::uint32_t m_sinkDepth = 0;
    std::map<TermId, TermId> m_moved; ///< within one movement
    bool m_cutShort = false;          ///< by the budget: what was made so far is no answer for others

    [[nodiscard]] TermId moveInner(TermId source, const MovementSpec& movement);
    [[nodiscard]] std::optional<TermId> moveConcat(TermId source, const MovementSpec& movement);
    /// `first` and `second` joined along `axis` as one term that is no join, if they continue each other.
    [[nodiscard]] std::optional<TermId> continued(TermId first, TermId second, std::size_t axis,
                                                  std::map<std::pair<TermId, TermId>, std::optional<TermId>>& known, int depth);
    [[nodiscard]] TermId pieces(OperatorId op, std::vector<TermId> operands, const TensorType& type, std::size_t axis);
};

/// True if `from` broadcasts to `to` at all sizes.
[[nodiscard]] bool broadcastsTo(const Shape& from, const Shape& to);

} // namespace lemmascope
