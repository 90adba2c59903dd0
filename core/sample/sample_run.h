#pragma once

// One run of the sampler; only for sample_*.cpp and sampler.cpp.

#include "core/sample/array_kernels.h"
#include "core/sample/element_program.h"
#include "core/sample/sampler.h"
#include "core/term/definitions.h"

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace lemmascope {

/// What was computed of one (defined) term.
struct SampledTerm {
    bool computed = false;
    bool lazy = false;     ///< a large constant (or view of one) whose elements are made where they are read
    bool rounded = false;  ///< reads a value that was replaced by one within rounding
    bool opaque = false;   ///< reads an op that stands as a hash: its real samples mean nothing
    bool replaced = false; ///< `array` is another term's, within rounding of this one's
    bool ofFirst = false;  ///< in the cone of a root of the first graph
    bool isKept = false;   ///< a root or an input: its array stays
    sampling::Kind kind = sampling::Kind::Real;
    std::size_t copies = 1;    ///< 1: the same on every sample
    std::uint32_t samples = 0; ///< bit k: sample k says something
    std::uint32_t readers = 0; ///< still to come
    sampling::Traits traits;
    sampling::Lengths shape;
    TermId representative;
    std::shared_ptr<sampling::SampleArray> array; ///< until the last reader is done
    std::vector<Digest128> digests;               ///< [level - top][copy]; integers: [copy]
    std::vector<double> values, errors;           ///< [copy][element k * stride]: what stays when the array goes
    double largest = 0.0;                         ///< of |values|
};

struct Sampler::Run {
    Run(TermStore& termStore, SampleOptions sampleOptions) : store(termStore), options(std::move(sampleOptions)), definitions(termStore) {}

    TermStore& store;
    SampleOptions options;
    Definitions definitions;
    std::stop_token stop;
    std::size_t sampleCount = 6;
    std::size_t levels = 2;
    std::map<std::string, std::int64_t> sizes;
    std::vector<TermId> definedOf;               ///< by term
    std::vector<TermId> roots;                   ///< defined
    std::vector<TermId> order;                   ///< of evaluation, operands first
    std::deque<SampledTerm> states;              ///< of the terms met
    std::vector<std::uint32_t> places;           ///< defined term -> its place in `states`, plus 1
    std::set<TermId> shared;                     ///< constants that both graphs read
    std::map<TermId, std::int64_t> indexInputs;  ///< integer inputs that index something: the shortest axis indexed
    std::set<TermId> castInputs;                 ///< what is cast to float
    std::map<std::string, std::int64_t> lengths; ///< products of reduced axes by their text (operator Length)
    std::unordered_map<Digest128, TermId> classes;
    std::map<std::string, std::multimap<double, TermId>> near; ///< first graph's reals by type and one element's value
    std::map<std::string, double> nearError;                   ///< largest error in each
    std::vector<std::pair<TermId, TermId>> partners;
    std::uint64_t work = 0;
    std::size_t bytes = 0;
    std::size_t decisions = 0;
    std::size_t bothWays = 0;
    std::string trouble;
    std::set<std::string> hashed; ///< names of ops without a meaning here

    /// Of a defined term that was met.
    [[nodiscard]] const SampledTerm* stateOf(TermId term) const {
        return term.index < places.size() && places[term.index] != 0 ? &states[places[term.index] - 1] : nullptr;
    }
    void prepare(std::span<const TermId> given);
    void evaluate();
    [[nodiscard]] const SampledTerm* find(TermId term) const;
    /// Over the samples both have, out of those in `wanted`. With a `slack` above 1 only finite elements count as different.
    [[nodiscard]] Agreement compare(const SampledTerm& a, const SampledTerm& b, std::uint32_t wanted = ~0U, double slack = 1.0) const;
    /// By the real samples alone.
    [[nodiscard]] Agreement compareReals(const SampledTerm& a, const SampledTerm& b, std::uint32_t both, double slack) const;
    [[nodiscard]] bool sameDigests(const SampledTerm& a, const SampledTerm& b, std::uint32_t wanted) const;

  private:
    [[nodiscard]] SampledTerm& at(TermId term) {
        if (places.size() <= term.index) {
            places.resize(store.size(), 0);
        }
        if (places[term.index] == 0) {
            states.emplace_back();
            places[term.index] = static_cast<std::uint32_t>(states.size());
        }
        return states[places[term.index] - 1];
    }
    [[nodiscard]] std::vector<TermId> cone(const std::vector<TermId>& from) const;
    void chooseLevels();
    void chooseSamples();
    void findIndexInputs();

    void compute(TermId term);
    [[nodiscard]] bool allocate(TermId term, std::size_t copies);
    [[nodiscard]] bool spend(TermId term, double steps);
    /// The operands' arrays; false when one was not computed. Makes the elements of lazy constants.
    [[nodiscard]] bool gatherOperands(TermId term, std::size_t keepLazy);
    [[nodiscard]] std::vector<sampling::OperandArray> operandsOf(TermId term, std::size_t sample) const;
    void forSamples(std::size_t copies, double steps, const std::function<bool(std::size_t)>& body, SampledTerm& term);

    void input(TermId term);
    void constant(TermId term);
    void materialise(TermId term);
    void fillConstant(TermId constant, const std::vector<std::int64_t>& index, sampling::MutableSlice out) const;
    void view(TermId term);
    [[nodiscard]] std::vector<std::int64_t> viewIndex(TermId term) const;
    void concat(TermId term);
    void elementwise(TermId term);
    void apply(TermId term);
    [[nodiscard]] bool matmulOfAll(TermId term);
    [[nodiscard]] bool applyWithoutOperands(TermId term);
    [[nodiscard]] bool applyToIntegers(TermId term);

    void finish(TermId term);
    void digest(SampledTerm& term) const;
    void summarise(SampledTerm& term) const;
    void join(TermId term);
    [[nodiscard]] std::optional<TermId> withinRounding(TermId term);
    [[nodiscard]] Digest128 classKey(const SampledTerm& term, TermId id, std::size_t level) const;
    [[nodiscard]] std::string nearKey(TermId id) const;
    void release(TermId term);
    void complain(const std::string& text) {
        if (trouble.empty()) {
            trouble = text;
        }
    }
};

} // namespace lemmascope
