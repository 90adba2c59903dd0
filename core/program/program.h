#pragma once

// The flat bytecode of a loop program: what a reader makes (with FunctionBuilder, builder.h) and the machine runs. One function has
// two register files: scalars and views (memrefs). Bodies that run as tasks (async.execute, iterations of a parallel loop, threads
// of a launch, cores of a device) are functions of their own whose captured values are arguments.

#include "core/base/result.h"
#include "core/program/opcode.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope::interp {

using Register = std::uint32_t; ///< of either file
inline constexpr std::uint32_t None = 0xFFFFFFFFU;
inline constexpr std::uint32_t ViewBit = 0x80000000U; ///< in a list of moves: a view register
inline constexpr unsigned MaxRank = 8;
inline constexpr std::int64_t Dynamic = -1;

struct Instruction {
    Op op = Op::Copy;
    ValueType type;
    std::uint16_t aux = 0;
    std::uint32_t dst = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
};

/// Where an instruction comes from. Instructions of one source op share a Place.
struct Place {
    std::uint32_t file = 0; ///< number in Program::names
    std::uint32_t line = 0; ///< from 1; 0: unknown
    std::uint32_t column = 0;
    std::uint32_t op = 0;       ///< name of the source op in Program::names: `affine.store`
    std::uint32_t event = None; ///< label of the step in Program::names (`case.event`)
};

/// A loop around instructions, for the iteration vector of a message.
struct Scope {
    std::uint32_t parent = None; ///< in the same function
    Register variable = None;    ///< scalar register that holds the induction variable; None: a while loop or block
    std::uint32_t name = None;   ///< `%i` in Program::names; None: numbered by depth
};

/// Type of a view: static sizes or Dynamic. Strides and offset are the run's matter.
struct ViewType {
    ValueType element;
    std::vector<std::int64_t> sizes;
    friend bool operator==(const ViewType&, const ViewType&) = default;
};

/// A number known when reading, or a scalar register (index).
struct Extent {
    bool isRegister = false;
    std::int64_t value = 0; ///< the number, or the register
    [[nodiscard]] static Extent number(std::int64_t n) { return {false, n}; }
    [[nodiscard]] static Extent in(Register r) { return {true, r}; }
};

/// How MakeView derives a view. Views alias: only address arithmetic happens.
struct ViewSpec {
    enum class Kind : std::uint8_t {
        Subview, ///< offsets, sizes, strides of the source's rank; `axes`: kept axes of the source, in order (rank reduction). Must lie inside the
                 ///< source
        Reinterpret, ///< offsets[0], sizes, strides over the source's allocation (memref.reinterpret_cast)
        Permute,     ///< axes[i]: source axis of result axis i (memref.transpose)
        Expand,      ///< groups[i]: how many result axes source axis i becomes; sizes of the result
        Collapse,    ///< groups[i]: how many source axes result axis i takes (they must be contiguous, checked)
        Cast         ///< same view; static sizes of the result's type are checked
    } kind = Kind::Cast;
    std::vector<Extent> offsets, sizes, strides;
    std::vector<std::uint32_t> axes;
    std::vector<std::uint32_t> groups;
};

/// A parallel loop (scf.parallel, scf.forall, affine.parallel) or a launch. Every iteration is a task; the op ends when all have.
struct ParallelSpec {
    std::uint32_t function = 0;               ///< scalar parameters: one index per axis, then `scalars`; view parameters: `views`
    std::vector<Register> lower, upper, step; ///< one per axis, index; a step <= 0 is a fault
    std::vector<Register> scalars;            ///< captured
    std::vector<Register> views;
    /// Launch: how many leading axes number the blocks (gpu.launch: 3, then 3 thread axes); 0: no Barrier inside.
    std::uint32_t blockAxes = 0;
    /// The body's scalar results are folded in iteration order: result = combiner(accumulated, body's).
    struct Reduction {
        std::uint32_t combiner = 0; ///< function of two scalars (then `scalars`/`views` captures are not passed)
        Register initial = 0;
        Register result = 0;
    };
    std::vector<Reduction> reductions;
};

/// One function. `operands` holds the variable-length lists of instructions.
struct FunctionCode {
    std::string name;
    std::vector<Instruction> code;
    std::vector<std::uint32_t> places; ///< per instruction, index into Program::places
    std::vector<std::uint32_t> scopes; ///< per instruction, index into `loops`, or None
    std::vector<Scope> loops;
    std::vector<std::uint32_t> operands;
    std::vector<ValueType> registers; ///< types of the scalar file; the parameters come first
    std::vector<ViewType> views;      ///< types of the view file; the parameters come first
    std::uint32_t scalarParameters = 0;
    std::uint32_t viewParameters = 0;
    std::vector<ValueType> scalarResults;
    std::vector<ViewType> viewResults;
    struct Constant {
        Register target = 0;
        std::uint64_t bits = 0;
    };
    std::vector<Constant> constants; ///< registers that hold a value from the start; never written
    std::vector<ViewSpec> viewSpecs;
    std::vector<ParallelSpec> parallels;
    /// Names for messages (`%b`), numbers in Program::names or None; may be shorter than the files.
    std::vector<std::uint32_t> registerNames;
    std::vector<std::uint32_t> viewNames;
};

enum class Role : std::uint8_t {
    Unmarked, ///< live-in; compared where either side writes it
    InOut,    ///< live-in and compared (`case.inout`)
    Scratch   ///< live-in, never compared (`case.scratch`)
};

/// Argument of the entry function, in source order.
struct Argument {
    std::string name; ///< `%A` without the sign
    bool isView = false;
    std::uint32_t position = 0; ///< which scalar or view parameter
    Role role = Role::Unmarked;
    bool isTensor = false;   ///< a tensor held as memory: read only for the caller
    bool isUnsigned = false; ///< for display
};

struct ResultInfo {
    std::string name; ///< `result0`, or the source's
    bool isView = false;
    std::uint32_t position = 0; ///< which scalar or view result
};

struct Global {
    std::string name;
    ViewType type; ///< static
    bool isConstant = false;
    bool isInitialised = true;         ///< false: `uninitialized`; a mutable global that is initialised is live-in, its content any
    std::vector<std::uint64_t> values; ///< row-major bits; one value: splat
    std::uint32_t place = 0;
};

struct Semaphore {
    std::string name;
    std::int64_t initial = 0;
};

struct Channel {
    std::string name;
};

struct Program {
    std::vector<FunctionCode> functions;
    std::uint32_t entry = 0;
    std::vector<Argument> arguments;
    std::vector<ResultInfo> results;
    std::vector<Global> globals;
    std::vector<Semaphore> semaphores;
    std::vector<Channel> channels;
    std::vector<Place> places;
    std::vector<std::string> names;     ///< files, ops, labels, texts
    std::vector<std::string> openNames; ///< functions of which nothing is known: name with attributes and types
    std::vector<std::string> notes;     ///< fast-math flags that an op has: the program may give other results than those written

    /// `file:line:col`, or the file alone.
    [[nodiscard]] std::string where(const Place& place) const;
};

/// Checks every index, type and list of a program, so that the machine need not: a reader's program runs only after it.
[[nodiscard]] Result<std::shared_ptr<const Program>> verified(Program program);

} // namespace lemmascope::interp
