#pragma once

#include "core/program/number.h"
#include "core/program/opcode.h"

#include <cstdint>
#include <optional>

namespace lemmascope::interp {

/// What a scalar operation met besides its value.
enum class ScalarFault : std::uint8_t {
    Fine,
    DivisionByZero,
    DivisionOverflow, ///< the least number divided by -1
    Poison            ///< a value that MLIR leaves undefined: overflow against a flag, a float out of an integer's range
};

struct ScalarResult {
    std::uint64_t bits = 0;
    ScalarFault fault = ScalarFault::Fine;
};

/// A scalar op of the bytecode on numbers, exactly in its type; floats rounded to nearest even, libm's functions as libm has them.
/// `type` and `aux` as in the instruction (CmpI, CmpF, Math1: type of the operands). Not Open.
[[nodiscard]] ScalarResult evaluate(Op op, ValueType type, std::uint16_t aux, std::uint64_t a, std::uint64_t b, std::uint64_t c);

/// Whether `result` of evaluate() may differ from what the op gives over the reals: false only where it was seen to be exact. Integer ops
/// and what only moves or compares floats never round; functions of libm always may.
[[nodiscard]] bool mayRound(Op op, ValueType type, std::uint16_t aux, std::uint64_t a, std::uint64_t b, std::uint64_t c, std::uint64_t result);

/// The result does not depend on a library: it may be computed while programs are compared.
[[nodiscard]] bool isExact(Op op, std::uint16_t aux, ValueType type);

} // namespace lemmascope::interp
