#pragma once

#include "core/base/digest.h"
#include "core/graph/graph.h"
#include "core/graph/tensor.h"
#include "core/term/term_store.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

struct SampleOptions {
    std::size_t samples = 6; ///< 1 to 32
    std::uint64_t seed = 0;
    std::uint64_t maxWork = 1'500'000'000; ///< scalar operations, each on two levels of the chain
    std::size_t maxBytes = std::size_t{1} << 30U;
    std::map<std::string, std::int64_t> sizes;   ///< symbols fixed by the user
    std::map<std::string, IntegerRange> symbols; ///< declared ranges of the others
    std::map<TermId, IntegerRange> ranges;       ///< of integer inputs
    std::set<TermId> nonNegative;                ///< float inputs that are never below 0
    /// How many of the roots given to `run` are the first graph's. When there are others, terms that only those read join a
    /// class of the first graph also when they are within rounding of it, and go on with its value: what reads them then
    /// matches exactly again. Constants that both graphs read are one number and carry no rounding error.
    std::size_t firstRoots = std::numeric_limits<std::size_t>::max();
};

enum class Agreement : std::uint8_t {
    Equal,          ///< the same fields on every sample
    WithinRounding, ///< real samples within what half an ulp in each inexact constant explains
    Different,      ///< real samples further apart
    Unknown         ///< not computed, too noisy to tell, or behind an op that has no meaning here
};

/// Random interpretation (Gulwani and Necula): evaluates terms on random inputs drawn from prime fields, where ring and field
/// laws, exp(a+b) = exp(a)exp(b), log and the multiplicativity of square roots hold exactly; every function that needs order
/// decides by a real sample that goes along (resources/docs/decisions/sampling.md). Equal values agree whenever their equality
/// follows from those laws. An answer here is a prediction, never a verdict.
class Sampler {
  public:
    Sampler(TermStore& store, SampleOptions options);
    ~Sampler();
    Sampler(Sampler&&) noexcept;
    Sampler& operator=(Sampler&&) noexcept;

    /// Evaluates the cones of the roots, definitions expanded. Ends early when a limit is met or a stop is asked for.
    void run(std::span<const TermId> roots, std::stop_token stop = {});

    /// Equal exactly for the terms of one class: same type, same fields on every sample kept. A term with a definition has that
    /// of its defined term. Nothing for what was not computed.
    [[nodiscard]] std::optional<Digest128> signature(TermId term) const;
    /// The first term of the class, in the order of evaluation; itself when alone; nothing when it was not computed.
    [[nodiscard]] std::optional<TermId> representative(TermId term) const;
    /// Of what both are; for terms that are no roots the real samples of a fixed choice of elements are compared.
    [[nodiscard]] Agreement compare(TermId a, TermId b) const;
    /// Both are finite and further apart than ten times what rounding and noise explain, on some sample: no proof of their
    /// equality can be right.
    [[nodiscard]] bool contradicts(TermId a, TermId b) const;
    /// (term of the first graph, term of the others) that are within rounding and in no common class, in the order met.
    [[nodiscard]] const std::vector<std::pair<TermId, TermId>>& roundedPartners() const;
    /// The term as evaluated: its definition where it has one.
    [[nodiscard]] TermId defined(TermId term) const;

    /// The elements of an input or root on one sample, in its element type, at `sizes()`: what to run a graph on where two values
    /// were told apart.
    [[nodiscard]] std::optional<Tensor> elements(TermId term, std::size_t sample) const;
    /// The first sample on which `compare` finds a and b different.
    [[nodiscard]] std::optional<std::size_t> separatingSample(TermId a, TermId b) const;

    /// Samples drawn: as many as asked for, or fewer where all would meet the limit of work.
    [[nodiscard]] std::size_t samples() const;
    /// Samples on which every root was computed.
    [[nodiscard]] std::size_t samplesKept() const;
    /// Functions decided by order, counted once per term, and how many went both ways.
    [[nodiscard]] std::size_t branchDecisions() const;
    [[nodiscard]] std::size_t branchesBothWays() const;
    /// log2 of the probability that two different values agree on one sample, on the pieces the samples visited: the degree of
    /// their difference over the prime. Nothing where no bound is proved (exponentials, roots, hashes, integer inputs).
    [[nodiscard]] std::optional<double> log2ErrorBound(TermId a, TermId b) const;
    /// Both are polynomials of the float inputs wherever these lie: nothing below chooses, divides by a value, or stands as a
    /// hash. Then the bound is one for all inputs, not only for the pieces visited.
    [[nodiscard]] bool polynomial(TermId a, TermId b) const;
    /// Sizes that symbols were given.
    [[nodiscard]] const std::map<std::string, std::int64_t>& sizes() const;
    /// Scalar operations spent.
    [[nodiscard]] std::uint64_t work() const;
    /// Names of ops that have no meaning here and stood as hashes of what they read: values that read them are equal or unknown.
    [[nodiscard]] std::vector<std::string> hashedOps() const;
    /// Why some terms have no signature; empty when all have.
    [[nodiscard]] std::string trouble() const;

  private:
    struct Run;
    std::unique_ptr<Run> m_run;
};

} // namespace lemmascope
