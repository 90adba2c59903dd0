#pragma once

#include <cstdint>

namespace lemmascope::interp {

/// Type of a scalar register or memory cell. Signedness is in the op, never in the type. Integers are kept zero-extended in
/// 64 bits; floats as the bits of their own format; `index` is an integer of 64 bits; a handle names a task, group, semaphore
/// or channel and is never symbolic.
struct ValueType {
    std::uint8_t code = 0; ///< 1..64: integer of that width

    [[nodiscard]] static constexpr ValueType integer(unsigned width) { return {static_cast<std::uint8_t>(width)}; }
    [[nodiscard]] constexpr bool isInteger() const { return code >= 1 && code <= 65; } ///< index too
    [[nodiscard]] constexpr bool isFloat() const { return code >= 66 && code <= 69; }
    [[nodiscard]] constexpr unsigned width() const; ///< bits; 64 for index and handles
    friend constexpr auto operator<=>(const ValueType&, const ValueType&) = default;
};

inline constexpr ValueType Bit{1};
inline constexpr ValueType I32{32};
inline constexpr ValueType I64{64};
inline constexpr ValueType Index{65};
inline constexpr ValueType F16{66};
inline constexpr ValueType BF16{67};
inline constexpr ValueType F32{68};
inline constexpr ValueType F64{69};
inline constexpr ValueType Handle{70};

constexpr unsigned ValueType::width() const { return code <= 64 ? code : code == F16.code || code == BF16.code ? 16 : code == F32.code ? 32 : 64; }

/// `type` of an instruction is the result's type unless the line says otherwise. R: scalar register, V: view register,
/// P: start of a list in FunctionCode::operands, N: a plain number. Unnamed fields are 0.
enum class Op : std::uint8_t {
    // dst R, a R, b R. Integers wrap at the width. aux: OverflowFlag bits: a value that breaks them is undefined.
    AddI,
    SubI,
    MulI,
    Shl,  ///< a shift by the width or more is undefined
    DivS, ///< a zero divisor, and MIN / -1, are faults
    DivU,
    RemS,
    RemU,
    CeilDivS,
    CeilDivU,
    FloorDivS,
    And,
    Or,
    Xor,
    ShrS,
    ShrU,
    MinS,
    MinU,
    MaxS,
    MaxU,
    MulHighS, ///< upper half of the product (arith.mulsi_extended)
    MulHighU,
    CmpI,   ///< dst i1; type: of the operands; aux: CmpIPredicate
    Select, ///< dst = a (i1) ? b : c, any scalar type but a handle unless a is concrete
    Copy,   ///< dst = a
    // Conversions: dst R, a R, aux: type code of the operand.
    ExtS,
    ExtU,
    Trunc,
    IndexCastS, ///< any integer width to any other, sign-extended or cut
    IndexCastU,
    Bitcast, ///< between types of one width
    ExtF,
    TruncF,
    IntToFloatS,
    IntToFloatU,
    FloatToIntS, ///< truncates; out of range is a fault
    FloatToIntU,
    // Floats: dst R, a R, b R.
    AddF,
    SubF,
    MulF,
    DivF,
    RemF,
    NegF,     ///< a only
    MinimumF, ///< NaN if either is, -0 < +0
    MaximumF,
    MinNumF, ///< the other one if one is NaN
    MaxNumF,
    CmpF,    ///< dst i1; type: of the operands; aux: CmpFPredicate
    Math1,   ///< dst, a; aux: MathFunction
    Math2,   ///< dst, a, b; aux: MathFunction (Pow, Atan2, CopySign)
    Fma,     ///< dst = a * b + c, rounded once
    MathInt, ///< dst, a: integer functions (AbsI, CountLeadingZeros, CountTrailingZeros, CountOnes)
    Open,    ///< dst = openNames[a](operands P b, c of them); aux: number of the result of one call
    // Control. Targets are instruction numbers of the function.
    Jump, ///< dst: target; a: back edge hint (1); moves P b: pairs (to, from), c of them, all read before any is written; a view move has ViewBit set
          ///< in both
    Branch,   ///< a R (i1): to dst, else to b
    Switch,   ///< a R; P b: c pairs (constant number, target), then the default target
    Moves,    ///< like the moves of Jump, then the next instruction
    ForBegin, ///< dst R (induction variable) = a R; P b: upper R, step R, target if there is no trip. type: of the variable; signed; a step <= 0 is a
              ///< fault
    ForNext,  ///< dst += step b R; while below upper a R: to target c. Never overflows: the trip count is ceil((upper - lower) / step)
    Call,     ///< function a; P b: scalar arguments, view arguments, scalar results, view results
    Return,   ///< the only one of a function, made by FunctionBuilder; P b: scalar results, then view results
    Fail,     ///< reached: a fault; a: number of its text in Program::names (cf.assert: Branch to it)
    Unsupported, ///< reached: the run is undecided; a: number of its text
    // Memory
    Load,         ///< dst R, a V, index registers P b, c = rank
    Store,        ///< value dst R, a V, index registers P b, c = rank
    AtomicUpdate, ///< a V, P b: operand R, then c index registers; cell = cell op operand, aux: code of a binary Op; dst R: the old value, or None.
                  ///< With dst None and an op whose order does not matter, updates of one cell do not race with each other
    Alloc,      ///< dst V (its type gives element and static sizes), dynamic sizes P b, c of them; aux 1: freed when the function returns; 2: unless
                ///< it is a result, then with the caller
    TeamAlloc,  ///< dst V: one allocation for all threads of the block; a: number of the attribution within the body
    Dealloc,    ///< a V; twice, or of what is not an allocation's start, is a fault
    CopyView,   ///< from a V to b V, equal sizes (checked), element by element
    MakeView,   ///< dst V from a V by FunctionCode::viewSpecs[b]
    GlobalView, ///< dst V: Program::globals[a]
    SelectView, ///< dst V = a R ? b V : c V; a must be concrete
    Dim,        ///< dst R = size of a V on axis b R
    // Tasks
    Spawn, ///< dst R (handle): function a runs with the operands at P b (as Call, no results), then c handles to wait for. What was it depends on
           ///< faults or not: waits only for their end
    Await, ///< a R: task or token of a group
    AwaitValue,  ///< dst R = result number b of task a R
    AwaitView,   ///< dst V = view result number b of task a R
    GroupCreate, ///< dst R (handle), a R: how many tasks will be added
    GroupAdd,    ///< dst R (index: its number in the group), task a R, group b R
    AwaitAll,    ///< group a R: waits until all announced tasks were added and have ended
    Parallel,    ///< FunctionCode::parallels[a]
    Barrier,     ///< all threads of one block of the innermost launch
    // Primitives that the dialects of devices lower to. Handles come from SemaphoreHandle and ChannelHandle.
    SemaphoreHandle, ///< dst R: Program::semaphores[a + the number in b R, if c is 1]
    ChannelHandle,   ///< the same for Program::channels
    Acquire,         ///< a R, b R (index): aux 0: waits until the count is >= b, subtracts b; aux 1 (binary): waits until free with value b, holds it
    Release,         ///< a R, b R: aux 0: adds b; aux 1: sets the value to b and frees it
    Put,             ///< channel a R, from b V: meets a Get, copies element by element
    Get,             ///< channel a R, into b V
    PutValue,        ///< channel a R, b R
    GetValue,        ///< dst R, channel a R
    SpawnDevice,     ///< like Spawn without handles: a task that loops and never ends by itself
    DeviceHead       ///< the head of a device task's loop: blocked here when all other tasks have ended is a normal end
};

enum OverflowFlag : std::uint16_t { NoSignedWrap = 1, NoUnsignedWrap = 2 };

/// Numbered as in MLIR's arith dialect.
enum class CmpIPredicate : std::uint16_t { Eq, Ne, Slt, Sle, Sgt, Sge, Ult, Ule, Ugt, Uge };
enum class CmpFPredicate : std::uint16_t { False, Oeq, Ogt, Oge, Olt, Ole, One, Ord, Ueq, Ugt, Uge, Ult, Ule, Une, Uno, True };

enum class MathFunction : std::uint16_t {
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Cbrt,
    Ceil,
    Cos,
    Cosh,
    Erf,
    Exp,
    Exp2,
    ExpM1,
    Floor,
    Log,
    Log10,
    Log1p,
    Log2,
    Round, ///< ties away from zero
    RoundEven,
    Rsqrt,
    Sin,
    Sinh,
    Sqrt,
    Tan,
    Tanh,
    Trunc,
    Pow,
    Atan2,
    CopySign,
    AbsI,
    CountLeadingZeros,
    CountTrailingZeros,
    CountOnes,
    IsNan, ///< dst i1
    IsInf,
    IsFinite
};

} // namespace lemmascope::interp
