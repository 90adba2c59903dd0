#pragma once

#include "core/graph/definition_library.h"
#include "core/graph/graph_tree.h"
#include "core/term/movement.h"
#include "core/term/term_builder.h"
#include "core/term/term_store.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace lemmascope {

/// Composite ops over the reals, as terms of simpler ops: each application is written out by its definition
/// (core/graph/definition_library.h, resources/definitions and the user's file) and built as a graph is.
/// A kernel of the op may round differently from its definition, so a proof that uses one is `exact` at most.
class Definitions {
  public:
    explicit Definitions(TermStore& store) : m_store(store), m_move(store) {}

    /// The term with every definition expanded, bottom up; the same term where there is none. A definition that does not cover
    /// a case leaves the op as it is, and says why in TermStore::notes.
    [[nodiscard]] TermId define(TermId term);
    /// The accesses of a defined op, written out, that must be in range; `name` is of the op's node, for messages.
    [[nodiscard]] std::vector<Access> accesses(TermId term, const std::string& name);

  private:
    /// A definition written out for operands of given types.
    struct Body {
        std::shared_ptr<const GraphTree> tree; ///< null: the case is not covered
        std::vector<std::size_t> operands;
    };

    TermStore& m_store;
    Movements m_move;
    std::vector<TermId> m_memo;
    std::map<std::uint32_t, TermId> m_meanings;               ///< what a term stands for, while that is being defined
    std::map<std::uint32_t, const Definition*> m_definitions; ///< by operator
    std::map<std::vector<std::uint32_t>, Body> m_bodies;      ///< by operator and what the definition may ask of operands

    [[nodiscard]] TermId rebuild(TermId term, const std::vector<TermId>& operands);
    [[nodiscard]] const Definition* definitionOf(OperatorId op);
    [[nodiscard]] std::optional<TermId> meaning(TermId term);
    [[nodiscard]] const Body& bodyOf(TermId term, const Definition& definition);
    [[nodiscard]] bool isNone(TermId term) const;
    void note(TermId term, const std::string& text);
};

/// The definition that an operator of terms has: under its own name, or as `domain.Name@version`.
[[nodiscard]] const Definition* definitionOf(const TermStore& store, const Operator& op);

} // namespace lemmascope
