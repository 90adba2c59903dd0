#pragma once

#include "core/term/definitions.h"
#include "core/term/form_store.h"
#include "core/term/movement.h"
#include "core/term/term_store.h"

#include <functional>
#include <map>
#include <optional>
#include <vector>

namespace lemmascope {

/// Exact normal forms of one lemma's two sides, at one index space and at every size (symbolic ones too). Where ExactTerms
/// goes bottom up over whole graphs, this goes from a value down to the terms where it is cut, so that every read is a read at
/// the value's own index: sums of products of reads at affine indices, with bound indices for contractions, canonical up to
/// the names, the order and the splitting of bound indices (einsum form; resources/docs/decisions/proving.md).
///
/// A scalar of shape S is "the element in question" of a tensor of shape S; all terms it reads have shape S.
class LemmaForms {
  public:
    /// Terms that stay whole: the term to read instead (of the same shape and type), or nothing to go on.
    using Cut = std::function<std::optional<TermId>(TermId)>;

    LemmaForms(TermStore& store, FormStore::Limits limits);

    /// A new attempt: forgets scalars; of a new lemma: renews the budget too. `expiry` is asked now and then.
    void start(Cut cut, std::function<bool()> expiry, bool renew = true, bool windows = true);
    /// The scalar of a term whose definitions are expanded (Definitions::define). Nothing when a budget ran out, or when an
    /// index space must be split first: then `needs()` says where.
    [[nodiscard]] std::optional<Scalar> at(TermId term);

    /// A join's pieces meet inside axis `axis` of the lemma's space at `position`: compare below and above it apart. With `digit`,
    /// the axis steps through a join over and over: it must be two axes, the inner one of length `position`.
    struct SpaceCut {
        std::size_t axis = 0;
        Dim position;
        bool digit = false;
        bool operator==(const SpaceCut&) const = default;
    };
    [[nodiscard]] const std::optional<SpaceCut>& needs() const { return m_needs; }
    [[nodiscard]] bool gaveUp() const { return m_gaveUp || m_forms.tooLarge(); }

    /// A join was taken as a window (zeros around a value) where cutting the lemma's space would have been another way.
    [[nodiscard]] bool usedWindows() const { return m_usedWindows; }
    /// Equal once sums of products of plain reads are sums over an index too: a short sum written out against one that is not.
    [[nodiscard]] bool equalWithProductsJoined(Scalar a, Scalar b, const Shape& space);
    [[nodiscard]] FormStore& forms() { return m_forms; }
    /// The terms whose cut stands in the forms made since `start`.
    [[nodiscard]] const std::vector<TermId>& opened() const { return m_cutTerms; }

    /// A sum over bound indices: `inner` is its summand, in the space of the term's shape followed by `bound`.
    struct Sum {
        Scalar inner = 0;
        Shape bound;
        bool largest = false; ///< the largest of the summands instead
    };
    /// The sum a term stands for, if it is one of this store's.
    [[nodiscard]] const Sum* sumOf(TermId term) const {
        const auto at = m_sums.find(term);
        return at == m_sums.end() ? nullptr : &at->second;
    }
    /// Axes of `space` (by position) that the factor's value may vary along.
    [[nodiscard]] std::vector<bool> variesAlong(AtomId atom, const Shape& space);
    /// Strides of a leaf over the axes of `space`, per axis, if each axis is one mode.
    [[nodiscard]] std::optional<AxisStrides> stridesOf(TermId leaf, const Shape& space) const;

  private:
    TermStore& m_store;
    Movements m_move;
    FormStore m_forms;
    Cut m_cut;
    std::function<bool()> m_expiry;
    std::map<TermId, Scalar> m_memo;
    std::map<TermId, Sum> m_sums;
    std::vector<TermId> m_cutTerms;
    std::optional<SpaceCut> m_needs;
    bool m_gaveUp = false;
    bool m_windows = true; ///< joins with zeros are windows even where an axis of the lemma could be cut instead
    bool m_usedWindows = false;
    mutable std::uint32_t m_windowSteps = 0; ///< within one read
    std::uint32_t m_largestSteps = 0;        ///< since `start`
    bool m_joinProducts = false;             ///< products of plain reads are parts of sums
    std::size_t m_outerRank = 0;             ///< axes of the lemma's own space
    bool m_mayCut = true;                    ///< false inside what stays whole: its space is not the lemma's
    std::uint32_t m_depth = 0;
    std::uint32_t m_steps = 0;

    /// Thrown by a join whose pieces meet inside an axis, caught where that axis is bound, or by `at`.
    using CutRequest = SpaceCut;
    struct GiveUp {};

    [[nodiscard]] Scalar scalar(TermId term);
    [[nodiscard]] Scalar compute(TermId term);
    [[nodiscard]] Scalar joined(TermId term, TermId source, const View& view); // lemma_joins.cpp
    [[nodiscard]] std::optional<Scalar> contraction(TermId term, TermId source, const View& view);
    [[nodiscard]] Scalar opaque(TermId term, TermId source, const View& view);
    [[nodiscard]] TermId materialise(Scalar scalar, const TensorType& type);
    [[nodiscard]] TermId padded(TermId x, const std::vector<std::int64_t>& pads);

    // lemma_windows.cpp
    /// A join of zeros and of parts of one value as a window into that value with zeros around it.
    struct Window {
        TermId source;
        std::vector<Shape> digits;            ///< each axis of the join as axes that step evenly, slowest first
        std::vector<AxisStrides> coordinates; ///< per axis of the source, over all digits; may lie outside
    };
    [[nodiscard]] std::optional<Window> windowOf(TermId term, int depth) const;
    [[nodiscard]] static std::optional<Window> windowThrough(TermId source, const std::vector<View>& coordinates, const Shape& shape);
    [[nodiscard]] std::optional<Scalar> windowRead(TermId source, const View& view, const Shape& space);
    [[nodiscard]] Scalar paddedReads(Scalar inner, const std::map<TermId, TermId>& padded);
    // lemma_joins.cpp
    [[nodiscard]] std::optional<CutRequest> cutFor(TermId source, std::size_t axis, const View& along, const Shape& space) const;
    /// The same scalar with sums over adjacent ranges as one sum: what splitting at joins, slicing and adding up took apart.
    [[nodiscard]] Scalar withSumsJoined(Scalar value, const Shape& space);
    /// A summand of which every read is known by its steps.
    struct Piece;
    [[nodiscard]] std::optional<Piece> pieceOf(Scalar inner, const Shape& space, const Shape& bound);
    [[nodiscard]] std::optional<Piece> pieceOfSum(Scalar inner, const Shape& space, const Shape& bound);
    [[nodiscard]] bool restrictsTo(Scalar whole, const Shape& space, const Shape& bound, std::size_t axis, const Dim& at, const Piece& piece);
    [[nodiscard]] std::optional<Piece> inOneRun(const std::vector<const Piece*>& run, const Shape& space);
    [[nodiscard]] std::optional<Piece> adjacent(const Piece& first, const Piece& second, const Shape& space);

    // lemma_maxima.cpp
    /// How the largest of values at many indices is taken: of a value nothing is known of, of any value, of an integer of a type.
    struct Largest {
        std::function<Scalar(Scalar)> base;
        std::function<Scalar(Scalar)> again;
        std::function<Scalar(Scalar, ElementType)> integer; ///< may be empty: as a real number
    };
    /// The largest of a value at many indices, what keeps the order of values drawn out. There must be such an index.
    [[nodiscard]] Scalar largestThrough(Scalar value, const Largest& largest);
    [[nodiscard]] bool everyWindowReads(TermId pool) const;
    [[nodiscard]] std::optional<Scalar> pooled(TermId term, TermId source, const View& view);

    // lemma_sums.cpp
    [[nodiscard]] Shape withDigits(Scalar inner, const Shape& space, const Shape& bound) const;
    /// What leaves of a space read, through sums to what those read, each with the space it is read in.
    void forEachRead(const std::vector<TermId>& leaves, const Shape& space, const std::function<void(TermId, const Shape&)>& visit) const;
    /// Product of the operands' reads through views from (space, bound), summed over bound; cut where joins meet.
    struct Operand {
        TermId term;
        View view; ///< from the flat index of (space, bound) to the operand's
    };
    enum class Extreme : std::uint8_t { None, Largest, Smallest }; ///< instead of the sum
    [[nodiscard]] Scalar sumOfProducts(const std::vector<Operand>& operands, const Shape& space, const Shape& bound, ElementType element,
                                       Extreme extreme);
    [[nodiscard]] Scalar total(Scalar inner, const Shape& space, const Shape& bound, ElementType element, int depth);
    [[nodiscard]] Scalar totalOf(const FormStore::Monomial& part, const Shape& space, const Shape& bound, ElementType element, int depth);
    [[nodiscard]] Scalar component(Scalar inner, const Shape& space, const Shape& bound, ElementType element, bool largest);
    [[nodiscard]] Scalar largestOf(Scalar inner, const Shape& space, const Shape& bound, ElementType element);
    /// The scalar with every leaf read through `view`, from the flat index of `to` to that of its own space.
    [[nodiscard]] Scalar moved(Scalar scalar, const Shape& from, const View& view, const Shape& to);
    [[nodiscard]] TermId movedLeaf(TermId leaf, const Shape& from, const View& view, const Shape& to);
    [[nodiscard]] Scalar lengthOf(const Dim& dim);
    [[nodiscard]] Scalar definedEverywhere(Scalar value, Scalar inner, const Shape& space, const Shape& bound);
};

/// `first` followed by `second`.
[[nodiscard]] Shape joinedShape(const Shape& first, const Shape& second);

} // namespace lemmascope
