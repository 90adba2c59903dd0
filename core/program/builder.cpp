#include "core/program/builder.h"

#include "core/program/number.h"

#include <algorithm>
#include <cassert>

namespace lemmascope::interp {

Register FunctionBuilder::scalar(ValueType type) {
    m_code.registers.push_back(type);
    return static_cast<Register>(m_code.registers.size() - 1);
}

Register FunctionBuilder::view(ViewType type) {
    m_code.views.push_back(std::move(type));
    return static_cast<Register>(m_code.views.size() - 1);
}

Register FunctionBuilder::constant(ValueType type, std::uint64_t bits) {
    const std::uint64_t kept = bits & maskOf(type);
    const auto [at, isNew] = m_constants.try_emplace({type.code, kept}, 0);
    if (isNew) {
        at->second = scalar(type);
        m_code.constants.push_back({at->second, kept});
    }
    return at->second;
}

Register FunctionBuilder::number(ValueType type, double value) {
    return constant(type, type.isFloat() ? bitsOf(type, value) : static_cast<std::uint64_t>(static_cast<std::int64_t>(value)));
}

std::uint32_t FunctionBuilder::operands(const std::vector<std::uint32_t>& list) {
    const auto start = static_cast<std::uint32_t>(m_code.operands.size());
    m_code.operands.insert(m_code.operands.end(), list.begin(), list.end());
    return start;
}

void FunctionBuilder::nameScalar(Register r, std::string_view name) {
    m_code.registerNames.resize(std::max<std::size_t>(m_code.registerNames.size(), r + 1), None);
    m_code.registerNames[r] = m_program.name(name);
}

void FunctionBuilder::nameView(Register r, std::string_view name) {
    m_code.viewNames.resize(std::max<std::size_t>(m_code.viewNames.size(), r + 1), None);
    m_code.viewNames[r] = m_program.name(name);
}

void FunctionBuilder::enterScope(Register variable, std::string_view name) {
    m_code.loops.push_back({m_scope, variable, name.empty() ? None : m_program.name(name)});
    m_scope = static_cast<std::uint32_t>(m_code.loops.size() - 1);
}

void FunctionBuilder::leaveScope() {
    assert(m_scope != None);
    m_scope = m_code.loops[m_scope].parent;
}

std::uint32_t FunctionBuilder::emit(Instruction instruction) {
    m_code.code.push_back(instruction);
    m_code.places.push_back(m_place);
    m_code.scopes.push_back(m_scope);
    return static_cast<std::uint32_t>(m_code.code.size() - 1);
}

Register FunctionBuilder::binary(Op op, ValueType type, Register a, Register b, std::uint16_t aux) {
    const Register dst = scalar(op == Op::CmpI || op == Op::CmpF ? Bit : type);
    emit({op, type, aux, dst, a, b, 0});
    return dst;
}

Register FunctionBuilder::unary(Op op, ValueType type, Register a, std::uint16_t aux) {
    const auto function = static_cast<MathFunction>(aux);
    const bool test = op == Op::Math1 && (function == MathFunction::IsNan || function == MathFunction::IsInf || function == MathFunction::IsFinite);
    const Register dst = scalar(test ? Bit : type);
    emit({op, type, aux, dst, a, 0, 0});
    return dst;
}

Register FunctionBuilder::convert(Op op, ValueType to, Register a) {
    const Register dst = scalar(to);
    emit({op, to, m_code.registers[a].code, dst, a, 0, 0});
    return dst;
}

Register FunctionBuilder::select(ValueType type, Register condition, Register a, Register b) {
    const Register dst = scalar(type);
    emit({Op::Select, type, 0, dst, condition, a, b});
    return dst;
}

std::vector<Register> FunctionBuilder::open(std::string_view name, const std::vector<ValueType>& results, const std::vector<Register>& arguments) {
    const std::uint32_t number = m_program.openName(name);
    const std::uint32_t start = operands(arguments);
    std::vector<Register> out;
    for (const ValueType type : results) {
        out.push_back(scalar(type));
        emit({Op::Open, type, static_cast<std::uint16_t>(out.size() - 1), out.back(), number, start, static_cast<std::uint32_t>(arguments.size())});
    }
    return out;
}

Label FunctionBuilder::label() {
    m_labels.push_back(None);
    return {static_cast<std::uint32_t>(m_labels.size() - 1)};
}

void FunctionBuilder::bind(Label label) {
    assert(m_labels[label.number] == None);
    m_labels[label.number] = static_cast<std::uint32_t>(m_code.code.size());
}

void FunctionBuilder::target(Label label, std::uint32_t instruction, Patch::Field field) { m_patches.push_back({label.number, instruction, field}); }

std::pair<std::uint32_t, std::uint32_t> FunctionBuilder::moveList(const MoveList& moves) {
    std::vector<std::uint32_t> list;
    for (const auto& [to, from] : moves.scalars) {
        if (to != from) {
            list.insert(list.end(), {to, from});
        }
    }
    for (const auto& [to, from] : moves.views) {
        if (to != from) {
            list.insert(list.end(), {to | ViewBit, from | ViewBit});
        }
    }
    const std::uint32_t start = operands(list);
    return {start, static_cast<std::uint32_t>(list.size() / 2)};
}

void FunctionBuilder::jump(Label to, const MoveList& moves, bool backEdge) {
    const auto [start, count] = moveList(moves);
    target(to, emit({Op::Jump, {}, 0, 0, backEdge ? 1U : 0U, start, count}), Patch::Field::Dst);
}

void FunctionBuilder::branch(Register condition, Label ifTrue, Label ifFalse) {
    const std::uint32_t at = emit({Op::Branch, Bit, 0, 0, condition, 0, 0});
    target(ifTrue, at, Patch::Field::Dst);
    target(ifFalse, at, Patch::Field::B);
}

void FunctionBuilder::switchOn(Register value, const std::vector<std::pair<std::int64_t, Label>>& cases, Label otherwise) {
    const auto start = static_cast<std::uint32_t>(m_code.operands.size());
    const ValueType type = m_code.registers[value];
    for (const auto& [number, to] : cases) {
        m_code.operands.push_back(constant(type, static_cast<std::uint64_t>(number)));
        target(to, static_cast<std::uint32_t>(m_code.operands.size()), Patch::Field::Operand);
        m_code.operands.push_back(0);
    }
    target(otherwise, static_cast<std::uint32_t>(m_code.operands.size()), Patch::Field::Operand);
    m_code.operands.push_back(0);
    emit({Op::Switch, type, 0, 0, value, start, static_cast<std::uint32_t>(cases.size())});
}

void FunctionBuilder::moves(const MoveList& moves) {
    const auto [start, count] = moveList(moves);
    if (count > 0) {
        emit({Op::Moves, {}, 0, 0, 0, start, count});
    }
}

void FunctionBuilder::ret(const std::vector<Register>& scalars, const std::vector<Register>& views) {
    if (!m_hasExit) {
        m_hasExit = true;
        m_exit = label();
        for (const ValueType type : m_code.scalarResults) {
            m_scalarResults.push_back(scalar(type));
        }
        for (const ViewType& type : m_code.viewResults) {
            m_viewResults.push_back(view(type));
        }
    }
    assert(scalars.size() == m_scalarResults.size() && views.size() == m_viewResults.size());
    MoveList list;
    for (std::size_t i = 0; i < scalars.size(); ++i) {
        list.scalars.emplace_back(m_scalarResults[i], scalars[i]);
    }
    for (std::size_t i = 0; i < views.size(); ++i) {
        list.views.emplace_back(m_viewResults[i], views[i]);
    }
    jump(m_exit, list);
}

void FunctionBuilder::fail(std::string_view text) { emit({Op::Fail, {}, 0, 0, m_program.name(text), 0, 0}); }
void FunctionBuilder::unsupported(std::string_view text) { emit({Op::Unsupported, {}, 0, 0, m_program.name(text), 0, 0}); }

FunctionBuilder::Loop FunctionBuilder::beginFor(Register lower, Register upper, Register step, std::string_view name, ValueType type) {
    Loop loop{scalar(type), upper, step, label(), label()};
    const std::uint32_t start = operands({upper, step, 0});
    emit({Op::ForBegin, type, 0, loop.variable, lower, start, 0});
    target(loop.exit, start + 2, Patch::Field::Operand);
    enterScope(loop.variable, name);
    bind(loop.body);
    return loop;
}

void FunctionBuilder::endFor(const Loop& loop) {
    target(loop.body, emit({Op::ForNext, m_code.registers[loop.variable], 0, loop.variable, loop.upper, loop.step, 0}), Patch::Field::C);
    leaveScope();
    bind(loop.exit);
}

Register FunctionBuilder::load(Register view, const std::vector<Register>& indices) {
    const ValueType type = m_code.views[view].element;
    const Register dst = scalar(type);
    const std::uint32_t start = operands(indices);
    emit({Op::Load, type, 0, dst, view, start, static_cast<std::uint32_t>(indices.size())});
    return dst;
}

void FunctionBuilder::store(Register value, Register view, const std::vector<Register>& indices) {
    const std::uint32_t start = operands(indices);
    emit({Op::Store, m_code.views[view].element, 0, value, view, start, static_cast<std::uint32_t>(indices.size())});
}

Register FunctionBuilder::atomicUpdate(Op op, Register operand, Register view, const std::vector<Register>& indices, bool wantsOld) {
    const ValueType type = m_code.views[view].element;
    const Register dst = wantsOld ? scalar(type) : None;
    std::vector<std::uint32_t> list{operand};
    list.insert(list.end(), indices.begin(), indices.end());
    const std::uint32_t start = operands(list);
    emit({Op::AtomicUpdate, type, static_cast<std::uint16_t>(op), dst, view, start, static_cast<std::uint32_t>(indices.size())});
    return dst;
}

Register FunctionBuilder::alloc(ViewType type, const std::vector<Register>& sizes, bool untilReturn) {
    const ValueType element = type.element;
    const Register dst = view(std::move(type));
    const std::uint32_t start = operands(sizes);
    emit({Op::Alloc, element, static_cast<std::uint16_t>(untilReturn ? 1 : 0), dst, 0, start, static_cast<std::uint32_t>(sizes.size())});
    return dst;
}

Register FunctionBuilder::allocValue(ViewType type, const std::vector<Register>& sizes) {
    const Register dst = alloc(std::move(type), sizes, true);
    m_code.code.back().aux = 2;
    return dst;
}

void FunctionBuilder::dealloc(Register view) { emit({Op::Dealloc, {}, 0, 0, view, 0, 0}); }
void FunctionBuilder::copy(Register from, Register to) { emit({Op::CopyView, m_code.views[from].element, 0, 0, from, to, 0}); }

Register FunctionBuilder::makeView(ViewType type, Register source, ViewSpec spec) {
    const ValueType element = type.element;
    const Register dst = view(std::move(type));
    m_code.viewSpecs.push_back(std::move(spec));
    emit({Op::MakeView, element, 0, dst, source, static_cast<std::uint32_t>(m_code.viewSpecs.size() - 1), 0});
    return dst;
}

Register FunctionBuilder::global(std::uint32_t number) {
    const ViewType type = m_program.program().globals[number].type;
    const Register dst = view(type);
    emit({Op::GlobalView, type.element, 0, dst, number, 0, 0});
    return dst;
}

Register FunctionBuilder::dim(Register view, Register axis) {
    const Register dst = scalar(Index);
    emit({Op::Dim, Index, 0, dst, view, axis, 0});
    return dst;
}

void FunctionBuilder::call(const FunctionBuilder& callee, const std::vector<Register>& scalars, const std::vector<Register>& views,
                           const std::vector<Register>& scalarResults, const std::vector<Register>& viewResults) {
    std::vector<std::uint32_t> list = scalars;
    list.insert(list.end(), views.begin(), views.end());
    list.insert(list.end(), scalarResults.begin(), scalarResults.end());
    list.insert(list.end(), viewResults.begin(), viewResults.end());
    const std::uint32_t start = operands(list);
    emit({Op::Call, {}, 0, 0, callee.number(), start, static_cast<std::uint32_t>(list.size())});
}

Register FunctionBuilder::spawn(const FunctionBuilder& body, const std::vector<Register>& scalars, const std::vector<Register>& views,
                                const std::vector<Register>& after, bool device) {
    std::vector<std::uint32_t> list = scalars;
    list.insert(list.end(), views.begin(), views.end());
    list.insert(list.end(), after.begin(), after.end());
    const Register dst = scalar(Handle);
    const std::uint32_t start = operands(list);
    emit({device ? Op::SpawnDevice : Op::Spawn, Handle, 0, dst, body.number(), start, static_cast<std::uint32_t>(after.size())});
    return dst;
}

void FunctionBuilder::await(Register task) { emit({Op::Await, {}, 0, 0, task, 0, 0}); }

void FunctionBuilder::parallel(ParallelSpec spec) {
    m_code.parallels.push_back(std::move(spec));
    emit({Op::Parallel, {}, 0, 0, static_cast<std::uint32_t>(m_code.parallels.size() - 1), 0, 0});
}

void FunctionBuilder::seal() {
    if (m_hasExit) {
        bind(m_exit);
    }
    std::vector<std::uint32_t> list = m_scalarResults;
    list.insert(list.end(), m_viewResults.begin(), m_viewResults.end());
    const std::uint32_t start = operands(list);
    m_scope = None;
    if (m_hasExit) {
        emit({Op::Return, {}, 0, 0, 0, start, static_cast<std::uint32_t>(list.size())});
    }
    for (const Patch& patch : m_patches) {
        const std::uint32_t to = m_labels[patch.label];
        switch (patch.field) {
        case Patch::Field::Dst: m_code.code[patch.instruction].dst = to; break;
        case Patch::Field::B: m_code.code[patch.instruction].b = to; break;
        case Patch::Field::C: m_code.code[patch.instruction].c = to; break;
        case Patch::Field::Operand: m_code.operands[patch.instruction] = to; break;
        }
    }
    m_patches.clear();
}

ProgramBuilder::ProgramBuilder() {
    name("");
    m_program.places.push_back({});
}

FunctionBuilder& ProgramBuilder::function(std::string_view name, const std::vector<ValueType>& scalars, const std::vector<ViewType>& views,
                                          const std::vector<ValueType>& scalarResults, const std::vector<ViewType>& viewResults) {
    FunctionBuilder& made = m_functions.emplace_back(*this, static_cast<std::uint32_t>(m_functions.size()));
    made.m_code.name = name;
    made.m_code.registers = scalars;
    made.m_code.views = views;
    made.m_code.scalarParameters = static_cast<std::uint32_t>(scalars.size());
    made.m_code.viewParameters = static_cast<std::uint32_t>(views.size());
    made.m_code.scalarResults = scalarResults;
    made.m_code.viewResults = viewResults;
    return made;
}

std::uint32_t ProgramBuilder::name(std::string_view text) {
    const auto [at, isNew] = m_names.try_emplace(std::string(text), static_cast<std::uint32_t>(m_program.names.size()));
    if (isNew) {
        m_program.names.emplace_back(text);
    }
    return at->second;
}

std::uint32_t ProgramBuilder::openName(std::string_view text) {
    const auto [at, isNew] = m_openNames.try_emplace(std::string(text), static_cast<std::uint32_t>(m_program.openNames.size()));
    if (isNew) {
        m_program.openNames.emplace_back(text);
    }
    return at->second;
}

std::uint32_t ProgramBuilder::place(std::string_view file, std::uint32_t line, std::uint32_t column, std::string_view op, std::string_view event) {
    m_program.places.push_back({name(file), line, column, name(op), event.empty() ? None : name(event)});
    return static_cast<std::uint32_t>(m_program.places.size() - 1);
}

std::uint32_t ProgramBuilder::global(Global global) {
    m_program.globals.push_back(std::move(global));
    return static_cast<std::uint32_t>(m_program.globals.size() - 1);
}

Result<std::shared_ptr<const Program>> ProgramBuilder::finish(std::uint32_t entry) {
    m_program.functions.clear();
    for (FunctionBuilder& function : m_functions) {
        function.seal();
        m_program.functions.push_back(std::move(function.m_code));
    }
    m_program.entry = entry;
    m_functions.clear();
    return verified(std::move(m_program));
}

} // namespace lemmascope::interp
