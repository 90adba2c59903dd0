#pragma once

#include "core/interp/term_dag.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace lemmascope::interp {

/// Both ends included, of an integer read as signed.
struct TermRange {
    std::int64_t low = 0;
    std::int64_t high = 0;
};

/// Bounds of integer terms that follow from their operations alone: enough to see that a clamped index is in range and that a
/// loop up to min(n, 8) ends. Remembers what it found.
class RangeFinder {
  public:
    explicit RangeFinder(const TermDag& dag) : m_dag(dag) {}
    [[nodiscard]] TermRange of(Term term);
    /// The value of an i1 term where ranges decide it.
    [[nodiscard]] std::optional<bool> decided(Term term);
    void forget() { m_known.clear(); } ///< before terms get other ids (TermDag::sweep)

  private:
    [[nodiscard]] TermRange find(Term term, unsigned depth);
    [[nodiscard]] std::optional<bool> truth(Term term, unsigned depth);
    const TermDag& m_dag;
    std::unordered_map<Term, TermRange> m_known;
};

} // namespace lemmascope::interp
