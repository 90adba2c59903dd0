#pragma once

#include "tests/conformance/ort/ort_batch.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace lemmascope::test {

/// Deterministic random numbers, the same with every standard library.
class Random {
  public:
    explicit Random(std::uint64_t seed) : m_engine(seed) {}
    /// Both ends included.
    [[nodiscard]] std::int64_t integer(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(m_engine() % static_cast<std::uint64_t>(high - low + 1));
    }
    [[nodiscard]] bool coin() { return (m_engine() & 1U) != 0; }
    [[nodiscard]] double real(double low, double high) {
        return low + (high - low) * static_cast<double>(m_engine() >> 11U) / static_cast<double>(std::uint64_t{1} << 53U);
    }

  private:
    std::mt19937_64 m_engine;
};

using Ints = std::vector<std::int64_t>;
using Attributes = std::map<std::string, Attribute>;

/// One operand: absent, an input, or a constant of the model.
struct Operand {
    Tensor tensor;
    bool isConstant = false;
    bool isAbsent = false;
};
[[nodiscard]] inline Operand given(Tensor tensor) { return {std::move(tensor), false, false}; }
[[nodiscard]] inline Operand fixed(Tensor tensor) { return {std::move(tensor), true, false}; }
[[nodiscard]] inline Operand absent() { return {{}, false, true}; }
[[nodiscard]] Operand ints(const Ints& values, bool constant = true);

/// The cases of a run, in the order in which they were added.
class CaseMaker {
  public:
    explicit CaseMaker(std::uint64_t seed) : random(seed) {}

    Random random;
    std::vector<OrtCase> cases;

    /// A graph of one node on these operands.
    void add(const std::string& op, std::int64_t version, const std::vector<Operand>& operands, const Attributes& attributes = {},
             std::size_t results = 1, const std::string& domain = {});

    /// Floats in [low, high], a third of them whole or half numbers; integers within the type and [low, high].
    [[nodiscard]] Tensor tensor(ElementType element, const Ints& shape, double low = -3.0, double high = 3.0);
    /// Floats among which stand NaN, infinities, zeros of both signs, huge and tiny ones.
    [[nodiscard]] Tensor specialFloats(ElementType element, const Ints& shape);
    [[nodiscard]] Ints shape(std::size_t rank, std::int64_t most = 4);
    /// A shape that broadcasts to `wide`: axes made 1, leading ones dropped.
    [[nodiscard]] Ints narrower(const Ints& wide);
    /// An axis of a tensor of this rank, from the front or the back.
    [[nodiscard]] std::int64_t axis(std::size_t rank);
    [[nodiscard]] std::int64_t opset(std::int64_t from = 13);
};

inline constexpr std::int64_t Opsets[] = {13, 17, 18, 21};

void addElementwiseCases(CaseMaker& maker);
void addMovementCases(CaseMaker& maker);
void addIndexingCases(CaseMaker& maker);
void addContractionCases(CaseMaker& maker);
void addReductionCases(CaseMaker& maker);
void addQuantizedCases(CaseMaker& maker);
void addDefinitionCases(CaseMaker& maker);

} // namespace lemmascope::test
