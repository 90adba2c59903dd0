#pragma once

#include "core/term/form_store.h"
#include "core/term/term_store.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace lemmascope {

/// One statement about any values: both sides of a lemma with everything they are cut at replaced by numbered inputs. Lemmas that
/// say the same, such as those of repeated layers, have the very same copies (terms are hash-consed), so that what was decided
/// of one is known of all. A proof of the copies is one of the lemma: the lemma is an instance of them.
class LemmaCopies {
  public:
    /// The value to read instead of a term, or nothing to go on into it.
    using Cut = std::function<std::optional<TermId>(TermId)>;
    using SignOf = std::function<FormStore::Sign(TermId)>;

    /// `forms` learns what is known of the inputs that stand for values: signs, and whether they may be undefined.
    LemmaCopies(TermStore& store, FormStore& forms, SignOf signs);

    struct Copy {
        TermId reference;
        TermId rewritten;
        std::map<TermId, TermId> values; ///< input -> the value it stands for
        struct Replacement {
            TermId term;
            TermId value; ///< what is read instead
            TermId input; ///< that stands for it; invalid where a stored constant is read
        };
        std::vector<Replacement> replacements; ///< where the lemma is cut
        bool hidesConstants = false;
    };
    /// Terms as they are built, definitions expanded. With `hideConstants`, stored float tensors of more than one element stand
    /// for any tensors as well.
    [[nodiscard]] Copy make(TermId reference, TermId rewritten, const Cut& cut, bool hideConstants);

    /// Of an input made here.
    [[nodiscard]] FormStore::Sign signOf(TermId input) const;
    [[nodiscard]] bool isValue(TermId term) const { return m_signs.contains(term); }

  private:
    TermStore& m_store;
    FormStore& m_forms;
    SignOf m_signOf;
    std::map<TermId, FormStore::Sign> m_signs;
    struct Attempt;
    [[nodiscard]] TermId valueOf(Attempt& attempt, TermId term);
    [[nodiscard]] TermId copied(Attempt& attempt, TermId root);
};

} // namespace lemmascope
