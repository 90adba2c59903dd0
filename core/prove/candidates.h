#pragma once

#include "core/prove/refute.h"

#include <optional>

namespace lemmascope {

/// Sizes to try, small ones first, within the symbols' ranges; at least one entry (empty when there are no symbols). Lengths that stand
/// in the two graphs are among them: a rewritten graph may run at those only.
[[nodiscard]] std::vector<std::map<std::string, std::int64_t>> candidateSizes(const SearchProblem& problem);

/// The k-th candidate at given sizes: patterns of small numbers first, then random ones of several scales. Nothing when an
/// input's shape has no length at these sizes or would be too large.
[[nodiscard]] std::optional<Candidate> makeCandidate(const SearchProblem& problem, const std::map<std::string, std::int64_t>& sizes, std::size_t k,
                                                     std::uint64_t seed);

/// Small integers for one input, 1 (or what is nearest to it in the range) for all others: inputs that drown each other's effect, as a
/// mask does, are told apart.
[[nodiscard]] std::optional<Candidate> makeVaried(const SearchProblem& problem, const std::map<std::string, std::int64_t>& sizes, std::size_t input,
                                                  std::uint64_t seed);

/// Writes one element of a tensor under construction, rounded to its type.
void setElement(Tensor& tensor, std::int64_t flat, double value);
/// Copies one element between tensors of one type, bit for bit.
void copyElement(const Tensor& from, std::int64_t at, Tensor& to, std::int64_t place);
/// A copy with its own bytes.
[[nodiscard]] Tensor copyOf(const Tensor& tensor);

} // namespace lemmascope
