#pragma once

#include "core/base/result.h"
#include "tests/core/match/oracle.h"

#include <cstdint>
#include <random>
#include <string>

namespace lemmascope::match::oracle {

/// Makes small patterns, well-formed or not, and terms; the same seed gives the same ones.
class Generator {
  public:
    explicit Generator(std::uint64_t seed) : m_random(seed) {}
    [[nodiscard]] std::string pattern();
    [[nodiscard]] int term(Terms& terms);

  private:
    std::mt19937_64 m_random;
    std::vector<std::string> m_values;
    std::vector<std::string> m_functions;
    std::vector<std::pair<std::string, std::string>> m_mus; ///< name, kinds of its parameters: one letter each
    unsigned below(unsigned limit) { return static_cast<unsigned>(m_random() % limit); }
    std::string value() { return m_values[below(static_cast<unsigned>(m_values.size()))]; }
    std::string function() { return m_functions[below(static_cast<unsigned>(m_functions.size()))]; }
    std::string part(int depth, bool underOperator);
    std::string guard(int depth);
    std::string arguments(const std::string& kinds);
    int term(Terms& terms, int depth);
};

/// What one generated case came to.
struct Compared {
    bool agrees = true;
    bool wellFormed = false;
    bool matched = false;
    bool undecided = false;
    bool searchedToo = false; ///< by trying every assignment as well
    std::string pattern;
    std::string term;
    std::string difference;
};

/// Runs machine and oracles on a generated case: outcome, every witness, and the same again beside an unrelated name.
[[nodiscard]] Compared compareGenerated(std::uint64_t seed);

} // namespace lemmascope::match::oracle
