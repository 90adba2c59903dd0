#pragma once

#include "core/sample/sample_array.h"
#include "core/term/algebra.h"
#include "core/term/term_store.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope::sampling {

/// Degrees of a rational function of the inputs, on the piece that a sample picked; not proved where something else was applied.
struct Degree {
    double numerator = 0.0;
    double denominator = 0.0;
    bool proved = true;
    bool everywhere = true; ///< a polynomial on all inputs: nothing below chooses or divides
};

[[nodiscard]] Degree sumOf(const Degree& a, const Degree& b);
[[nodiscard]] Degree productOf(const Degree& a, const Degree& b);
[[nodiscard]] Degree quotientOf(const Degree& a, const Degree& b);
/// Of elements of both side by side.
[[nodiscard]] Degree eitherOf(const Degree& a, const Degree& b);
/// Of one or the other, as the sample decides.
[[nodiscard]] Degree chosenOf(const Degree& a, const Degree& b);
/// A sum of `count` alike.
[[nodiscard]] Degree sumOf(const Degree& a, std::size_t count);

/// What is known of a term's elements without looking at them.
struct Traits {
    std::size_t top = 0;                       ///< first level at which they are exact
    ElementType held = ElementType::Undefined; ///< a float type whose values they all are, if one is known
    Degree degree;
};

/// How a float constant's error starts: half an ulp of the type it is stored in, unless it is a multiple of 2^-10.
[[nodiscard]] double constantError(double value, ElementType type);

/// The scalar function of one elementwise term as a straight-line program, recorded once and run over all elements in blocks.
class ElementProgram {
  public:
    enum class Code : std::uint8_t {
        Constant,
        Read,
        Add,
        Sub,
        Mul,
        Div,
        Max,
        Min,
        Exp,
        Log,
        Sqrt,
        Round,
        Rounded, ///< to the nearest value of a float type
        Odd,     ///< a hash f with f(-x) = -f(x)
        Hash,    ///< a hash of all arguments
        Less,
        Equal,
        Not,
        And,
        Xor,
        Choose,
        IntegerOp,
        IntegerLess,
        IntegerEqual,
        RealOfInteger,
        IntegerOfReal, ///< truncates; `data` 1: already whole
        IntegerOfInteger,
        RealOfBoolean,
        IntegerOfBoolean
    };
    struct Step {
        Code code = Code::Constant;
        Kind kind = Kind::Real;
        ElementType type = ElementType::Undefined;
        ElementType from = ElementType::Undefined;
        std::vector<std::uint32_t> arguments;
        std::int64_t data = 0; ///< operand, constant, rounding, integer op or function
        std::uint64_t key = 0; ///< of a hash
        Traits traits;
        bool branches = false; ///< counts as a decision
    };
    struct Constant {
        std::array<std::uint64_t, MaxLevels> fields{};
        double value = 0.0;
        double error = 0.0;
        std::int64_t integer = 0;
    };
    struct Operand {
        Slice slice;
        const std::uint32_t* index = nullptr; ///< element of the operand by element of the result; null: the same
    };
    /// What happened in a run besides the result.
    struct Outcome {
        bool dropped = false;              ///< a comparison too close to call, a division by zero
        std::vector<std::uint8_t> decided; ///< by step: bit 0 went one way, bit 1 the other
    };

    /// The program of an elementwise term. `operands`: traits of what it reads. A function without a meaning of its own becomes
    /// a hash. Nothing when its types are not computed here. Interns terms for ops whose name carries a suffix.
    [[nodiscard]] static std::optional<ElementProgram> record(TermStore& store, TermId term, const std::vector<Traits>& operands, std::size_t levels);

    void run(const std::vector<Operand>& operands, const MutableSlice& out, std::size_t begin, std::size_t end, Outcome& outcome) const;

    [[nodiscard]] const Traits& traits() const { return m_steps.back().traits; }
    [[nodiscard]] std::size_t length() const { return m_steps.size(); }
    [[nodiscard]] const std::vector<Step>& steps() const { return m_steps; }
    /// Some step is a hash without a real function beside it.
    [[nodiscard]] bool opaque() const;

  private:
    friend class Recorder;
    std::vector<Step> m_steps; ///< the last one is the result
    std::vector<Constant> m_constants;
    std::size_t m_levels = 1;

    /// Every step reads elements of the kind it works on: not so only for operand types that an op cannot have.
    [[nodiscard]] bool sound() const;
};

/// Integer ops at the type's width.
[[nodiscard]] std::int64_t wrapped(std::int64_t value, ElementType type);
/// Nothing for a division by zero.
[[nodiscard]] std::optional<std::int64_t> integerResult(IntegerOp op, std::int64_t a, std::int64_t b, ElementType type);
[[nodiscard]] bool integerIsLess(std::int64_t a, std::int64_t b, ElementType type);
[[nodiscard]] double realOf(std::int64_t value, ElementType type);
[[nodiscard]] std::uint64_t fieldOf(std::int64_t value, ElementType type, std::size_t level);

/// Real functions that stand only as hashes in the fields; by position in this list.
[[nodiscard]] std::optional<std::int64_t> realFunctionNumber(const std::string& name);
[[nodiscard]] double realFunction(std::int64_t number, double x);

} // namespace lemmascope::sampling
