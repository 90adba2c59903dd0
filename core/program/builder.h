#pragma once

// Makes programs: labels are patched, constants shared, several returns joined. A reader and the tests use it. Nothing is checked
// here; `finish` runs `verified`.
//
//   ProgramBuilder p;
//   FunctionBuilder& f = p.function("kernel", {F64}, {{F64, {8}}});
//   auto i = f.beginFor(f.index(0), f.index(8), f.index(1), "%i");
//   f.store(f.binary(Op::MulF, F64, f.load(0, {i.variable}), 0), 0, {i.variable});
//   f.endFor(i);
//   f.ret();
//   p.argument({"alpha", false, 0}); p.argument({"A", true, 0});
//   auto program = p.finish();

#include "core/program/program.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lemmascope::interp {

class ProgramBuilder;

/// A place in a function that jumps may name before it is bound.
struct Label {
    std::uint32_t number = 0;
};

/// Simultaneous assignments; scalars and views apart.
struct MoveList {
    std::vector<std::pair<Register, Register>> scalars; ///< (to, from)
    std::vector<std::pair<Register, Register>> views;
};

class FunctionBuilder {
  public:
    FunctionBuilder(ProgramBuilder& program, std::uint32_t number) : m_program(program), m_number(number) {}

    [[nodiscard]] std::uint32_t number() const { return m_number; }
    [[nodiscard]] FunctionCode& code() { return m_code; }

    Register scalar(ValueType type);                       ///< a new register
    Register view(ViewType type);                          ///< a new view register
    Register constant(ValueType type, std::uint64_t bits); ///< shared among equal ones
    Register index(std::int64_t value) { return constant(Index, static_cast<std::uint64_t>(value)); }
    Register number(ValueType type, double value);                  ///< a float of that type, to nearest even; or an integer
    std::uint32_t operands(const std::vector<std::uint32_t>& list); ///< start in the pool

    void nameScalar(Register r, std::string_view name); ///< for messages: the source's name without the sign
    void nameView(Register r, std::string_view name);
    /// Place of what is emitted from here on.
    void at(std::uint32_t place) { m_place = place; }
    /// Loop scope of what is emitted from here on, for loops that are not made with beginFor.
    void enterScope(Register variable = None, std::string_view name = {});
    void leaveScope();

    std::uint32_t emit(Instruction instruction);                                           ///< its number
    Register binary(Op op, ValueType type, Register a, Register b, std::uint16_t aux = 0); ///< CmpI, CmpF: `type` of the operands
    Register unary(Op op, ValueType type, Register a, std::uint16_t aux = 0);
    Register convert(Op op, ValueType to, Register a); ///< aux from a's type
    Register select(ValueType type, Register condition, Register a, Register b);
    std::vector<Register> open(std::string_view name, const std::vector<ValueType>& results, const std::vector<Register>& arguments);

    [[nodiscard]] Label label();
    void bind(Label label); ///< here
    void jump(Label to, const MoveList& moves = {}, bool backEdge = false);
    void branch(Register condition, Label ifTrue, Label ifFalse);
    void switchOn(Register value, const std::vector<std::pair<std::int64_t, Label>>& cases, Label otherwise);
    void moves(const MoveList& moves);
    void ret(const std::vector<Register>& scalars = {}, const std::vector<Register>& views = {});
    void fail(std::string_view text);
    void unsupported(std::string_view text);

    struct Loop {
        Register variable = 0;
        Register upper = 0, step = 0;
        Label body, exit;
    };
    /// `lower`, `upper`, `step`: registers of `type`. Carried values: registers of the reader's that are set before and
    /// moved (simultaneously) before endFor; they hold the results afterwards.
    Loop beginFor(Register lower, Register upper, Register step, std::string_view name = {}, ValueType type = Index);
    void endFor(const Loop& loop);

    Register load(Register view, const std::vector<Register>& indices);
    void store(Register value, Register view, const std::vector<Register>& indices);
    /// The old value's register, or None where `wantsOld` is false (say so when nobody reads it: then unordered updates are no race).
    Register atomicUpdate(Op op, Register operand, Register view, const std::vector<Register>& indices, bool wantsOld);
    Register alloc(ViewType type, const std::vector<Register>& sizes = {}, bool untilReturn = false);
    Register allocValue(ViewType type, const std::vector<Register>& sizes = {}); ///< freed by the first function that does not return it
    void dealloc(Register view);
    void copy(Register from, Register to);
    Register makeView(ViewType type, Register source, ViewSpec spec);
    Register global(std::uint32_t number);
    Register dim(Register view, Register axis);
    void call(const FunctionBuilder& callee, const std::vector<Register>& scalars, const std::vector<Register>& views,
              const std::vector<Register>& scalarResults, const std::vector<Register>& viewResults);

    Register spawn(const FunctionBuilder& body, const std::vector<Register>& scalars, const std::vector<Register>& views,
                   const std::vector<Register>& after = {},
                   bool device = false); ///< the handle
    void await(Register task);
    void parallel(ParallelSpec spec);

    void seal(); ///< by ProgramBuilder::finish

  private:
    struct Patch {
        std::uint32_t label = 0;
        std::uint32_t instruction = 0; ///< or position in operands
        enum class Field : std::uint8_t { Dst, B, C, Operand } field = Field::Dst;
    };
    void target(Label label, std::uint32_t instruction, Patch::Field field);
    std::pair<std::uint32_t, std::uint32_t> moveList(const MoveList& moves);

    ProgramBuilder& m_program;
    std::uint32_t m_number = 0;
    FunctionCode m_code;
    std::map<std::pair<std::uint8_t, std::uint64_t>, Register> m_constants;
    std::vector<std::uint32_t> m_labels;
    std::vector<Patch> m_patches;
    std::uint32_t m_place = 0;
    std::uint32_t m_scope = None;
    Label m_exit;
    bool m_hasExit = false;
    std::vector<Register> m_scalarResults, m_viewResults;

    friend class ProgramBuilder;
};

class ProgramBuilder {
  public:
    ProgramBuilder();

    /// Parameters are scalar registers 0.. and view registers 0... Result types may be empty.
    FunctionBuilder& function(std::string_view name, const std::vector<ValueType>& scalars, const std::vector<ViewType>& views,
                              const std::vector<ValueType>& scalarResults = {}, const std::vector<ViewType>& viewResults = {});
    std::uint32_t name(std::string_view text); ///< interned in Program::names
    std::uint32_t openName(std::string_view text);
    std::uint32_t place(std::string_view file, std::uint32_t line, std::uint32_t column, std::string_view op, std::string_view event = {});
    std::uint32_t global(Global global);
    void argument(Argument argument) { m_program.arguments.push_back(std::move(argument)); }
    void result(ResultInfo result) { m_program.results.push_back(std::move(result)); }
    [[nodiscard]] Program& program() { return m_program; }
    [[nodiscard]] std::deque<FunctionBuilder>& functions() { return m_functions; }

    /// Seals all functions and checks the program. The builder is empty afterwards.
    [[nodiscard]] Result<std::shared_ptr<const Program>> finish(std::uint32_t entry = 0);

  private:
    Program m_program;
    std::deque<FunctionBuilder> m_functions;
    std::map<std::string, std::uint32_t, std::less<>> m_names;
    std::map<std::string, std::uint32_t, std::less<>> m_openNames;
};

} // namespace lemmascope::interp
