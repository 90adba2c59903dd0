#pragma once

#include "core/match/pattern.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

// The declarative meaning of patterns, computed without the machine: it shares the syntax tree and nothing else. Slow; for tests.
namespace lemmascope::match::oracle {

/// Small terms, equal ones once.
class Terms {
  public:
    struct Term {
        std::string op;
        std::vector<int> operands;
        std::uint64_t size = 1;
    };
    int make(const std::string& op, const std::vector<int>& operands);
    [[nodiscard]] const Term& at(int id) const { return m_terms[static_cast<std::size_t>(id)]; }
    [[nodiscard]] std::set<int> subterms(int id) const;
    [[nodiscard]] std::string text(int id) const;
    int symbol(const std::string& op);
    [[nodiscard]] const std::string& symbolText(int id) const { return m_symbols[static_cast<std::size_t>(id)]; }

  private:
    std::vector<Term> m_terms;
    std::map<std::pair<std::string, std::vector<int>>, int> m_known;
    std::vector<std::string> m_symbols;
};

/// What names hold, as text: `?x` -> `f(a,b)`, `%F` -> `f`.
using Witness = std::map<std::string, std::string>;

struct Answer {
    std::set<Witness> witnesses; ///< by the names that are bound, those of `ex` left out
    bool complete = true;        ///< false: the limit of unfolding was met, so there may be more
};

/// All witnesses of the file's only definition on a term. Sets of results go from part to part; nothing backtracks.
[[nodiscard]] Answer witnesses(const RuleFile& file, Terms& terms, int term, int unfoldings);

/// The rules as they are written: each total assignment of subterms and operators to the free names is tried, and each value of a binder;
/// `extra` unrelated names are bound before. Only for few names and small terms: `space` assignments at most, and a limit of work, else it returns
/// false.
[[nodiscard]] bool searched(const RuleFile& file, Terms& terms, int term, int unfoldings, std::size_t space, bool extra, Answer& out);

} // namespace lemmascope::match::oracle
