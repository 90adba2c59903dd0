#pragma once

#include "core/term/definitions.h"
#include "core/term/form_store.h"
#include "core/term/term_store.h"

#include <functional>
#include <optional>
#include <vector>

namespace lemmascope {

/// Terms up to equality over the reals, for whole graphs and at every size (symbolic ones too): definitions are expanded,
/// each elementwise region is one exact normal form at an unspecified index, and sums over axes are linear in it. Two values
/// with equal exact scalars and shapes are equal at every element, and undefined at the same inputs. Linear in the graph but
/// for the forms themselves, which have a budget.
class ExactTerms {
  public:
    /// Asked for each computing term that is new; may answer a term proved equal to it, which then stands for it.
    using Resolver = std::function<std::optional<TermId>(TermId canonical, TermId defined)>;

    ExactTerms(TermStore& store, FormStore::Limits limits);

    /// The exact scalar of a value at "the element in question".
    [[nodiscard]] Scalar scalar(TermId term);
    /// The value as one canonical term: equal canonical terms are equal values.
    [[nodiscard]] TermId canonical(TermId term);
    [[nodiscard]] TermId defined(TermId term) { return m_definitions.define(term); }
    [[nodiscard]] bool equal(TermId a, TermId b);
    [[nodiscard]] FormStore& forms() { return m_forms; }
    void setResolver(Resolver resolver) { m_resolver = std::move(resolver); }
    /// Asked now and then; once it says true, nothing more is computed.
    void setExpiry(std::function<bool()> expiry) { m_expiry = std::move(expiry); }
    /// A budget or the time ran out: scalars and canonical terms mean nothing from then on.
    [[nodiscard]] bool gaveUp() const { return m_forms.tooLarge() || m_expired; }

  private:
    TermStore& m_store;
    Definitions m_definitions;
    Movements m_move;
    FormStore m_forms;
    Resolver m_resolver;
    std::function<bool()> m_expiry;
    bool m_expired = false;
    std::vector<std::optional<Scalar>> m_scalars; ///< by defined term
    std::vector<TermId> m_canonical;              ///< by defined term

    [[nodiscard]] Scalar compute(TermId term);
    [[nodiscard]] TermId materialise(Scalar scalar, const TensorType& type);
    [[nodiscard]] Scalar applyComputing(TermId term);
    [[nodiscard]] Scalar readLeaf(TermId leaf, TermId defined);
    [[nodiscard]] Scalar reduceSum(TermId term, TermId operand);
    [[nodiscard]] Scalar viewed(TermId term);
    [[nodiscard]] std::pair<mpq_class, Scalar> withoutContent(Scalar scalar);
};

} // namespace lemmascope
