#pragma once

#include "core/graph/graph.h"
#include "core/term/term_builder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope {

/// What is known of integer terms (resources/docs/decisions/proving.md): declared ranges of inputs, what the graph proves of its integers
/// (clip, min, max, mod, casts), and what the reference's own accesses imply. Intervals hold for every element.
class Facts {
  public:
    explicit Facts(TermStore& store) : m_store(store) {}

    void declareInput(TermId input, IntegerRange range);
    /// The reference reads or writes there unconditionally: its index is in range whenever it has an answer at all.
    void assume(const Access& access);

    [[nodiscard]] IntegerRange interval(TermId term);
    /// Some assumption leaves no value: the reference faults on every input.
    [[nodiscard]] bool contradictory() const { return m_contradictory; }
    [[nodiscard]] const std::map<TermId, IntegerRange>& assumed() const { return m_assumed; }

  private:
    TermStore& m_store;
    std::map<TermId, IntegerRange> m_assumed;
    std::map<TermId, IntegerRange> m_memo;
    bool m_contradictory = false;

    [[nodiscard]] IntegerRange compute(TermId term, const std::vector<IntegerRange>& operands);
};

/// The values an integer type can hold; u64 is cut at the highest i64.
[[nodiscard]] IntegerRange typeRange(ElementType type);

} // namespace lemmascope
