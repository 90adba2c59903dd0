#pragma once

#include "core/format/mlir/lower.h"
#include "core/program/builder.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lemmascope::ir {

using interp::FunctionBuilder;
using interp::Label;
using interp::MoveList;
using interp::Register;
using interp::ValueType;
using interp::ViewType;

/// What holds an SSA value in a function under construction.
struct Slot {
    enum class Kind : std::uint8_t {
        Missing,
        Scalar,
        View,   ///< a memref, or the memory that holds a tensor
        Lanes,  ///< a vector: a register for each element, row-major
        Result, ///< of an async.execute: awaited before it is read
        Poison  ///< of a type that cannot be held, or of an op that was refused: whoever reads it is refused too
    } kind = Kind::Missing;
    Register reg = 0;         ///< Scalar, View; of Result the task's handle
    std::uint32_t number = 0; ///< of Result: which
    std::vector<Register> lanes;
};

/// Vectors of more elements are refused.
inline constexpr std::int64_t MostLanes = 4096;
/// Constants of more elements are refused.
inline constexpr std::int64_t MostElements = std::int64_t{1} << 27U;

/// The scalar type an element is held in; nothing for f80, i128, complex numbers and the like.
[[nodiscard]] std::optional<ValueType> valueType(const Module& module, TypeId type);
/// The type of the memory of a memref or tensor; nothing where its elements have none or it has too many axes.
[[nodiscard]] std::optional<ViewType> viewType(const Module& module, TypeId type);
/// How functions pass what is no scalar: memrefs and tensors as they are, vectors in memory of their own.
[[nodiscard]] std::optional<ViewType> passedType(const Module& module, TypeId type);
/// Product of the sizes; nothing if one is dynamic, or past 2^40.
[[nodiscard]] std::optional<std::int64_t> elementCount(const std::vector<std::int64_t>& shape);
/// The bits of each element of a constant (one for a splat). Nothing for types that cannot be held.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> elementBits(const Module& module, const Attribute& attribute);
/// The bits of a scalar attribute.
[[nodiscard]] std::uint64_t scalarBits(const Attribute& attribute);

/// A result of an affine expression or an index that a reader knows.
struct Bound {
    bool isNumber = true;
    std::int64_t value = 0;
    Register reg = 0;
};

class Program;

/// The code of one function while it is made: of a func.func, or of a region that runs as tasks.
class Body {
  public:
    Body(Program& around, FunctionBuilder& builder) : program(around), f(builder) {}

    Program& program;
    FunctionBuilder& f;

    [[nodiscard]] const Module& module() const;

    // Values. Asked for what is not there, they refuse the op being lowered and give a register that is never read.
    [[nodiscard]] const Slot& slot(ValueId value);
    [[nodiscard]] Register scalar(ValueId value);
    [[nodiscard]] Register view(ValueId value);
    [[nodiscard]] Register operand(OperationId op, std::size_t at) { return scalar(module().operand(op, at)); }
    [[nodiscard]] Register viewOperand(OperationId op, std::size_t at) { return view(module().operand(op, at)); }
    [[nodiscard]] bool isPoison(ValueId value) { return slot(value).kind == Slot::Kind::Poison || slot(value).kind == Slot::Kind::Missing; }
    void set(ValueId value, Slot slot);
    void setScalar(ValueId value, Register reg) { set(value, {Slot::Kind::Scalar, reg, 0, {}}); }
    void setView(ValueId value, Register reg) { set(value, {Slot::Kind::View, reg, 0, {}}); }
    void setLanes(ValueId value, std::vector<Register> lanes) { set(value, {Slot::Kind::Lanes, 0, 0, std::move(lanes)}); }
    void setResult(OperationId op, Register reg) { setScalar(module().result(op), reg); }
    void setViewResult(OperationId op, Register reg) { setView(module().result(op), reg); }
    /// New registers for a value of that type.
    [[nodiscard]] Slot fresh(TypeId type);
    /// Adds the moves that give `to` the value of `from`; of different kinds, none.
    static void move(MoveList& moves, const Slot& to, const Slot& from);

    /// The op has no meaning here: code that ends the run as undecided; its results are poison. `why`: empty, or what about it.
    void refuse(OperationId op, std::string_view why = {});

    // Regions
    void operation(OperationId op);
    /// The ops of a block but its terminator, which is given back.
    OperationId operationsOf(BlockId block);
    /// A region of one block: its ops; the terminator's operands are moved into `into`.
    void structured(RegionId region, const std::vector<Slot>& into);
    /// A region of any number of blocks: terminators of the region's own op (scf.yield) move into `into` and jump to `exit`.
    void unstructured(RegionId region, const std::vector<Slot>& into, Label exit);
    [[nodiscard]] Label blockLabel(BlockId block);
    /// Moves of a branch to `block`.
    MoveList blockMoves(BlockId block, std::span<const ValueId> values);
    struct Target {
        std::vector<Slot> slots;
        Label exit;
    };
    [[nodiscard]] const Target* target() const { return m_targets.empty() ? nullptr : &m_targets.back(); }

    /// To the label of the first equal number: by comparisons where they are few, so that data may decide.
    void switchOn(Register value, const std::vector<std::pair<std::int64_t, Label>>& cases, Label otherwise);

    // Numbers
    [[nodiscard]] Register index(std::int64_t value) { return f.index(value); }
    [[nodiscard]] Register in(const Bound& bound) { return bound.isNumber ? f.index(bound.value) : bound.reg; }
    [[nodiscard]] Bound add(const Bound& a, const Bound& b);
    [[nodiscard]] Bound multiply(const Bound& a, const Bound& b);
    /// The results of an affine map; dimensions first, then symbols.
    [[nodiscard]] std::vector<Bound> apply(const AffineMap& map, const std::vector<Bound>& operands);
    [[nodiscard]] std::vector<Bound> bounds(std::span<const ValueId> values);
    [[nodiscard]] std::vector<Register> indices(std::span<const ValueId> values);
    /// Size of a view along an axis: a number where its type has it.
    [[nodiscard]] Bound sizeOf(Register view, std::size_t axis);
    /// Static and dynamic sizes as MLIR keeps them: `attribute` has the static ones, the operands stand for the dynamic ones.
    [[nodiscard]] std::vector<Bound> mixed(OperationId op, std::string_view attribute, std::span<const ValueId>& dynamic);

    /// Loops over all of `sizes` around `body`, which gets the induction variables.
    void nest(const std::vector<Bound>& sizes, const std::function<void(const std::vector<Register>&)>& body);
    /// A new view as large as `sizes` says, freed when the function returns.
    [[nodiscard]] Register newView(const ViewType& type, const std::vector<Bound>& sizes);
    /// A vector in new memory, and read from it.
    [[nodiscard]] Register stored(ValueId vector, const ViewType& type);
    void loadLanes(ValueId vector, Register from);
    /// A new view like `source` with the same content.
    [[nodiscard]] Register copyOf(Register source);
    [[nodiscard]] std::vector<Bound> sizesOf(Register view);
    /// The memory of a tensor that `op` turns into its result: that of the operand itself where nobody else can see it, else a copy; with
    /// `keepsContent` false new memory of that size. Tensors never change where somebody may still read them.
    [[nodiscard]] Register consumed(OperationId op, ValueId tensor, bool keepsContent = true);

    /// Applies `compute` to scalars, to the lanes of vectors, or to the elements of tensors; scalars among them stand for every element.
    using Compute = std::function<std::vector<Register>(const std::vector<Register>&)>;
    void elementwise(OperationId op, const Compute& compute);

    /// Operands of one segment of an op with `operandSegmentSizes`.
    [[nodiscard]] std::span<const ValueId> segment(OperationId op, std::size_t number);
    /// A value made of constants alone is made again in a function that captures it.
    [[nodiscard]] bool remake(ValueId value);
    /// Around the body of a structured op: the induction variables of its loops (linalg.index).
    std::vector<Register> loopIndices;
    /// In the body of a gpu launch: block ids, thread ids, grid sizes, block sizes, x y z each.
    std::vector<Register> launch;

  private:
    std::unordered_map<std::uint32_t, Slot> m_slots;
    std::unordered_map<std::uint32_t, Label> m_labels;
    std::vector<Target> m_targets;
    OperationId m_current;
    std::size_t m_depth = 0;
    bool m_refused = false; ///< the op being lowered

    friend class Program;
};

/// A region that runs as tasks, as a function: what it captures are parameters.
struct Outlined {
    FunctionBuilder* function = nullptr;
    std::vector<Register> scalars; ///< captured, in the function around
    std::vector<Register> views;
};

/// What the functions of one module share.
class Program {
  public:
    Program(const Module& read, const LowerOptions& wanted) : module(read), options(wanted) {}

    const Module& module;
    const LowerOptions& options;
    interp::ProgramBuilder builder;

    [[nodiscard]] Result<std::shared_ptr<const interp::Program>> run();

    [[nodiscard]] std::uint32_t place(OperationId op);
    [[nodiscard]] bool hasTasks() const { return m_hasTasks; }
    /// How often a value is an operand.
    [[nodiscard]] std::uint32_t useCount(ValueId value) const { return m_uses[value.index]; }
    /// A constant's global, made once.
    [[nodiscard]] std::optional<std::uint32_t> constantGlobal(AttributeId attribute, OperationId op);
    [[nodiscard]] std::optional<std::uint32_t> globalNamed(std::string_view symbol) const;
    struct Function {
        OperationId op;
        FunctionBuilder* builder = nullptr; ///< null: it has no body, or types that cannot be held
        std::vector<bool> scalarArguments;  ///< else a view
        std::vector<bool> scalarResults;
    };
    [[nodiscard]] const Function* functionNamed(std::string_view symbol) const;

    /// Makes a function of a region's block: parameters are `own` arguments of the block (index scalars first), then what it captures.
    /// `lower` is called to fill it. Nothing if something captured cannot be.
    [[nodiscard]] std::optional<Outlined> outline(Body& around, OperationId op, RegionId region, std::string_view name,
                                                  const std::vector<ValueType>& own, const std::vector<ValueType>& scalarResults,
                                                  const std::vector<ViewType>& viewResults,
                                                  const std::function<void(Body&, const std::vector<Register>&)>& lower);

  private:
    std::map<std::string, Function, std::less<>> m_functions;
    std::map<std::string, std::uint32_t, std::less<>> m_globals;
    std::map<std::uint32_t, std::uint32_t> m_constants;
    std::map<std::uint32_t, std::uint32_t> m_places;
    bool m_hasTasks = false;
    std::vector<std::uint32_t> m_uses;

    [[nodiscard]] Result<void> checkDepth() const;
    void addGlobals();
    /// Those that are not only read.
    [[nodiscard]] std::set<std::string, std::less<>> globalsThatMayChange() const;
    void declareFunctions(OperationId entry);
    [[nodiscard]] Result<void> describeEntry(OperationId entry);
    [[nodiscard]] Result<void> fixSizes(OperationId entry);
    void lowerFunction(const Function& function, bool isEntry);
    [[nodiscard]] Result<std::map<std::size_t, std::pair<std::size_t, std::int64_t>>> sizes(OperationId entry) const;
    std::map<std::uint32_t, std::int64_t> m_fixedScalars;                           ///< by value index
    std::map<std::uint32_t, std::map<std::size_t, std::int64_t>> m_fixedDimensions; ///< by value index and axis
};

/// tensor.parallel_insert_slice at the end of a scf.forall.
void insertSharedSlice(Body& body, OperationId op);
/// Which axes of `sizes` a shape of lower rank keeps: the others have size 1.
[[nodiscard]] std::vector<std::uint32_t> keptAxes(const std::vector<Bound>& sizes, const std::vector<std::int64_t>& reduced);

/// The view type of the op's result; refuses the op where it has none.
[[nodiscard]] std::optional<ViewType> resultView(Body& body, OperationId op);
/// The result is the global that holds the op's attribute `value`; false where that is no constant tensor.
[[nodiscard]] bool setConstantTensor(Body& body, OperationId op);
/// The iterations of a parallel loop as tasks: `spec` has bounds, steps and reductions, of these types, whose results become the op's. The operands
/// of the body's terminator are what an iteration gives to them.
void runIterations(Body& body, OperationId op, interp::ParallelSpec spec, const std::vector<ValueType>& reduced);

/// The same elements row by row in another static shape; neither shape has rank 0.
[[nodiscard]] Register reshaped(Body& body, Register source, const std::vector<std::int64_t>& sizes);

/// Lowers one op of a family; false if the op is not of it.
using Family = bool (*)(Body& body, OperationId op, std::string_view name);
bool lowerArith(Body& body, OperationId op, std::string_view name);
bool lowerMath(Body& body, OperationId op, std::string_view name);
bool lowerScf(Body& body, OperationId op, std::string_view name);
bool lowerAffine(Body& body, OperationId op, std::string_view name);
bool lowerControl(Body& body, OperationId op, std::string_view name); ///< func and cf
bool lowerMemref(Body& body, OperationId op, std::string_view name);
bool lowerTensor(Body& body, OperationId op, std::string_view name); ///< tensor and bufferization
bool lowerLinalg(Body& body, OperationId op, std::string_view name);
bool lowerTosa(Body& body, OperationId op, std::string_view name);
bool lowerVector(Body& body, OperationId op, std::string_view name);
bool lowerAsync(Body& body, OperationId op, std::string_view name);
bool lowerGpu(Body& body, OperationId op, std::string_view name);

} // namespace lemmascope::ir
