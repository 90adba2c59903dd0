#include "core/program/program.h"

#include "core/program/number.h"

#include <algorithm>
#include <span>

namespace lemmascope::interp {

std::string Program::where(const Place& place) const {
    const std::string& file = names.at(place.file);
    if (place.line == 0) {
        return file;
    }
    return file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

namespace {

/// Checks one function. Messages are for the author of a reader: a program that a user's file leads to never fails here.
class FunctionCheck {
  public:
    FunctionCheck(const Program& program, const FunctionCode& function) : m_program(program), m_function(function) {}

    bool run() {
        header();
        for (m_at = 0; m_at < m_function.code.size() && m_fault.empty(); ++m_at) {
            instruction(m_function.code[m_at]);
        }
        if (m_fault.empty() && !m_function.code.empty()) {
            const Op last = m_function.code.back().op;
            need(last == Op::Return || last == Op::Jump || last == Op::Branch || last == Op::Switch || last == Op::Fail || last == Op::Unsupported,
                 "control falls off the end");
        }
        return m_fault.empty();
    }

    [[nodiscard]] std::string fault() const { return "function '" + m_function.name + "', instruction " + std::to_string(m_at) + ": " + m_fault; }

  private:
    void need(bool holds, const char* text) {
        if (!holds && m_fault.empty()) {
            m_fault = text;
        }
    }

    void header() {
        const FunctionCode& f = m_function;
        need(f.places.size() == f.code.size() && f.scopes.size() == f.code.size(), "places or scopes are missing");
        need(!f.code.empty(), "no code");
        need(f.scalarParameters <= f.registers.size() && f.viewParameters <= f.views.size(), "more parameters than registers");
        need(f.registers.size() < ViewBit && f.views.size() < ViewBit && f.code.size() < ViewBit, "too large");
        for (const ValueType type : f.registers) {
            need(type.code >= 1 && type.code <= Handle.code, "a register of no type");
        }
        for (const ViewType& type : f.views) {
            need(validView(type), "a view of no type or of more than 8 axes");
        }
        need(f.registerNames.size() <= f.registers.size() && f.viewNames.size() <= f.views.size(), "names of no registers");
        for (const auto* names : {&f.registerNames, &f.viewNames}) {
            for (const std::uint32_t name : *names) {
                need(name == None || name < m_program.names.size(), "a register without its name");
            }
        }
        for (const std::uint32_t place : f.places) {
            need(place < m_program.places.size(), "a place that is not there");
        }
        for (const std::uint32_t scope : f.scopes) {
            need(scope == None || scope < f.loops.size(), "a scope that is not there");
        }
        for (std::size_t i = 0; i < f.loops.size(); ++i) {
            const Scope& loop = f.loops[i];
            need(loop.parent == None || loop.parent < i, "a scope outside its parent");
            need(loop.variable == None || loop.variable < f.registers.size(), "a scope without its variable");
            need(loop.name == None || loop.name < m_program.names.size(), "a scope without its name");
        }
        for (const FunctionCode::Constant& constant : f.constants) {
            need(constant.target < f.registers.size() && constant.target >= f.scalarParameters, "a constant without a register");
            if (m_fault.empty()) {
                need((constant.bits & ~maskOf(f.registers[constant.target])) == 0, "a constant wider than its register");
            }
        }
    }

    static bool validView(const ViewType& type) {
        return type.element.code >= 1 && type.element.code <= F64.code && type.sizes.size() <= MaxRank &&
               std::all_of(type.sizes.begin(), type.sizes.end(), [](std::int64_t size) { return size >= 0 || size == Dynamic; });
    }

    [[nodiscard]] bool isScalar(Register r) const { return r < m_function.registers.size(); }
    void scalar(Register r, ValueType type) { need(isScalar(r) && m_function.registers[r] == type, "a scalar operand of another type"); }
    void integer(Register r) { need(isScalar(r) && m_function.registers[r].isInteger(), "an operand is no integer"); }
    void view(Register r) { need(r < m_function.views.size(), "a view operand is not there"); }
    void target(std::uint32_t to) { need(to < m_function.code.size(), "a jump leaves the function"); }
    std::span<const std::uint32_t> list(std::uint64_t start, std::uint64_t count) {
        if (start + count > m_function.operands.size()) {
            need(false, "a list leaves the operands");
            return {};
        }
        return std::span(m_function.operands).subspan(start, count);
    }
    void written(Register r) {
        need(std::none_of(m_function.constants.begin(), m_function.constants.end(), [&](const auto& constant) { return constant.target == r; }),
             "a constant is written");
    }
    [[nodiscard]] const FunctionCode* callee(std::uint32_t number) {
        if (number >= m_program.functions.size()) {
            need(false, "no such function");
            return nullptr;
        }
        return &m_program.functions[number];
    }
    /// Captured values in a list: scalars, then views, as the function's parameters from `skip` on.
    void arguments(const FunctionCode& to, std::span<const std::uint32_t> values, std::size_t skip) {
        const std::size_t scalars = to.scalarParameters - skip;
        for (std::size_t i = 0; i < values.size() && m_fault.empty(); ++i) {
            if (i < scalars) {
                scalar(values[i], to.registers[skip + i]);
            } else {
                sameKind(values[i], to.views[i - scalars]);
            }
        }
    }
    void sameKind(Register r, const ViewType& type) {
        view(r);
        if (m_fault.empty()) {
            need(m_function.views[r].element == type.element && m_function.views[r].sizes.size() == type.sizes.size(),
                 "a view of another element type or rank");
        }
    }

    void instruction(const Instruction& in);
    void moves(const Instruction& in);
    void call(const Instruction& in);
    void spawn(const Instruction& in);
    void parallel(const ParallelSpec& spec);
    void viewSpec(const Instruction& in, const ViewSpec& spec);
    void extents(const std::vector<Extent>& values, std::size_t count) {
        need(values.size() == count, "a view needs another number of extents");
        for (const Extent& extent : values) {
            if (extent.isRegister) {
                scalar(static_cast<Register>(extent.value), Index);
            }
        }
    }

    const Program& m_program;
    const FunctionCode& m_function;
    std::size_t m_at = 0;
    std::string m_fault;
};

void FunctionCheck::moves(const Instruction& in) {
    const auto values = list(in.b, 2ULL * in.c);
    for (std::size_t i = 0; i + 1 < values.size() && m_fault.empty(); i += 2) {
        const bool isView = (values[i] & ViewBit) != 0;
        need(isView == ((values[i + 1] & ViewBit) != 0), "a move between scalar and view");
        if (isView) {
            view(values[i] & ~ViewBit);
            if (m_fault.empty()) {
                sameKind(values[i + 1] & ~ViewBit, m_function.views[values[i] & ~ViewBit]);
            }
        } else if (isScalar(values[i])) {
            scalar(values[i + 1], m_function.registers[values[i]]);
        } else {
            need(false, "a move to no register");
        }
    }
}

void FunctionCheck::call(const Instruction& in) {
    const FunctionCode* to = callee(in.a);
    if (to == nullptr) {
        return;
    }
    const std::size_t given = to->scalarParameters + to->viewParameters;
    const std::size_t results = to->scalarResults.size() + to->viewResults.size();
    const auto values = list(in.b, given + results);
    need(in.c == given + results, "a call with another number of operands");
    if (!m_fault.empty()) {
        return;
    }
    arguments(*to, values.first(given), 0);
    for (std::size_t i = 0; i < results && m_fault.empty(); ++i) {
        if (i < to->scalarResults.size()) {
            scalar(values[given + i], to->scalarResults[i]);
        } else {
            sameKind(values[given + i], to->viewResults[i - to->scalarResults.size()]);
        }
    }
}

void FunctionCheck::spawn(const Instruction& in) {
    scalar(in.dst, Handle);
    if (const FunctionCode* to = callee(in.a)) {
        const std::size_t given = to->scalarParameters + to->viewParameters;
        const auto values = list(in.b, given + in.c);
        if (m_fault.empty()) {
            arguments(*to, values.first(given), 0);
            for (const Register handle : values.subspan(given)) {
                scalar(handle, Handle);
            }
        }
    }
}

void FunctionCheck::parallel(const ParallelSpec& spec) {
    const FunctionCode* body = callee(spec.function);
    if (body == nullptr) {
        return;
    }
    const std::size_t axes = spec.lower.size();
    need(axes >= 1 && axes <= MaxRank && spec.upper.size() == axes && spec.step.size() == axes && spec.blockAxes <= axes,
         "a parallel loop with uneven bounds");
    need(body->scalarParameters == axes + spec.scalars.size() && body->viewParameters == spec.views.size(), "a parallel body with other parameters");
    need(body->scalarResults.size() == spec.reductions.size() && body->viewResults.empty(), "a parallel body with other results");
    if (!m_fault.empty()) {
        return;
    }
    for (const auto* bounds : {&spec.lower, &spec.upper, &spec.step}) {
        for (const Register r : *bounds) {
            scalar(r, Index);
        }
    }
    for (std::size_t i = 0; i < axes; ++i) {
        need(body->registers[i] == Index, "a parallel body whose indices are no indices");
    }
    std::vector<std::uint32_t> captured = spec.scalars;
    captured.insert(captured.end(), spec.views.begin(), spec.views.end());
    arguments(*body, captured, axes);
    for (std::size_t i = 0; i < spec.reductions.size() && m_fault.empty(); ++i) {
        const ValueType type = body->scalarResults[i];
        scalar(spec.reductions[i].initial, type);
        scalar(spec.reductions[i].result, type);
        if (const FunctionCode* combiner = callee(spec.reductions[i].combiner)) {
            need(combiner->scalarParameters == 2 && combiner->viewParameters == 0 && combiner->scalarResults.size() == 1 &&
                     combiner->viewResults.empty() && combiner->registers[0] == type && combiner->registers[1] == type &&
                     combiner->scalarResults[0] == type,
                 "a combiner of another type");
        }
    }
}

void FunctionCheck::viewSpec(const Instruction& in, const ViewSpec& spec) {
    const std::size_t from = m_function.views[in.a].sizes.size();
    const std::size_t to = m_function.views[in.dst].sizes.size();
    need(m_function.views[in.a].element == m_function.views[in.dst].element, "a view of another element type");
    switch (spec.kind) {
    case ViewSpec::Kind::Subview:
        extents(spec.offsets, from);
        extents(spec.sizes, from);
        extents(spec.strides, from);
        need(spec.axes.size() == to && std::is_sorted(spec.axes.begin(), spec.axes.end(), std::less_equal<>()) == true, "kept axes out of order");
        need(std::all_of(spec.axes.begin(), spec.axes.end(), [&](std::uint32_t axis) { return axis < from; }), "a kept axis that is not there");
        break;
    case ViewSpec::Kind::Reinterpret:
        extents(spec.offsets, 1);
        extents(spec.sizes, to);
        extents(spec.strides, to);
        break;
    case ViewSpec::Kind::Permute: {
        std::vector<std::uint32_t> sorted = spec.axes;
        std::sort(sorted.begin(), sorted.end());
        need(from == to && sorted.size() == to, "no permutation");
        for (std::size_t i = 0; i < sorted.size(); ++i) {
            need(sorted[i] == i, "no permutation");
        }
        break;
    }
    case ViewSpec::Kind::Expand:
    case ViewSpec::Kind::Collapse: {
        const bool expands = spec.kind == ViewSpec::Kind::Expand;
        std::size_t sum = 0;
        for (const std::uint32_t group : spec.groups) {
            need(group <= MaxRank, "a group of too many axes");
            sum += group;
        }
        need(spec.groups.size() == (expands ? from : to) && (sum == (expands ? to : from)), "groups that do not fit");
        if (expands) {
            extents(spec.sizes, to);
        }
        break;
    }
    case ViewSpec::Kind::Cast: need(from == to, "a cast to another rank"); break;
    }
}

void FunctionCheck::instruction(const Instruction& in) {
    const auto& f = m_function;
    const auto binary = [&](ValueType type) {
        scalar(in.dst, type);
        scalar(in.a, in.type);
        scalar(in.b, in.type);
    };
    const auto result = [&] {
        need(isScalar(in.dst), "no result register");
        if (m_fault.empty()) {
            written(in.dst);
        }
    };
    switch (in.op) {
    case Op::AddI:
    case Op::SubI:
    case Op::MulI:
    case Op::Shl:
    case Op::DivS:
    case Op::DivU:
    case Op::RemS:
    case Op::RemU:
    case Op::CeilDivS:
    case Op::CeilDivU:
    case Op::FloorDivS:
    case Op::And:
    case Op::Or:
    case Op::Xor:
    case Op::ShrS:
    case Op::ShrU:
    case Op::MinS:
    case Op::MinU:
    case Op::MaxS:
    case Op::MaxU:
    case Op::MulHighS:
    case Op::MulHighU:
        result();
        need(in.type.isInteger(), "integer arithmetic on another type");
        binary(in.type);
        break;
    case Op::CmpI:
        result();
        need((in.type.isInteger() || in.type == Handle) && in.aux <= 9, "a comparison of no integers");
        binary(Bit);
        break;
    case Op::Select:
        result();
        scalar(in.dst, in.type);
        scalar(in.a, Bit);
        scalar(in.b, in.type);
        scalar(in.c, in.type);
        break;
    case Op::Copy:
        result();
        scalar(in.dst, in.type);
        scalar(in.a, in.type);
        break;
    case Op::ExtS:
    case Op::ExtU:
    case Op::Trunc:
    case Op::IndexCastS:
    case Op::IndexCastU:
    case Op::Bitcast:
    case Op::ExtF:
    case Op::TruncF:
    case Op::IntToFloatS:
    case Op::IntToFloatU:
    case Op::FloatToIntS:
    case Op::FloatToIntU: {
        result();
        const ValueType from{static_cast<std::uint8_t>(in.aux)};
        scalar(in.dst, in.type);
        scalar(in.a, from);
        const bool fromFloat = in.op == Op::ExtF || in.op == Op::TruncF || in.op == Op::FloatToIntS || in.op == Op::FloatToIntU;
        const bool toFloat = in.op == Op::ExtF || in.op == Op::TruncF || in.op == Op::IntToFloatS || in.op == Op::IntToFloatU;
        if (in.op == Op::Bitcast) {
            need(from.width() == in.type.width() && from != Handle && in.type != Handle, "a bit cast between widths");
        } else {
            need(fromFloat == from.isFloat() && toFloat == in.type.isFloat() && from != Handle && in.type != Handle, "a conversion of another type");
        }
        break;
    }
    case Op::AddF:
    case Op::SubF:
    case Op::MulF:
    case Op::DivF:
    case Op::RemF:
    case Op::MinimumF:
    case Op::MaximumF:
    case Op::MinNumF:
    case Op::MaxNumF:
    case Op::Math2:
        result();
        need(in.type.isFloat(), "float arithmetic on another type");
        binary(in.type);
        break;
    case Op::NegF:
        result();
        need(in.type.isFloat(), "float arithmetic on another type");
        scalar(in.dst, in.type);
        scalar(in.a, in.type);
        break;
    case Op::Math1: {
        result();
        const auto function = static_cast<MathFunction>(in.aux);
        const bool test = function == MathFunction::IsNan || function == MathFunction::IsInf || function == MathFunction::IsFinite;
        need(isScalar(in.a) && f.registers[in.a].isFloat() && in.aux <= static_cast<std::uint16_t>(MathFunction::IsFinite),
             "a function of another type");
        scalar(in.dst, in.type);
        if (m_fault.empty()) {
            need(test ? in.type == Bit : f.registers[in.a] == in.type, "a function of another type");
        }
        break;
    }
    case Op::MathInt:
        result();
        integer(in.a);
        scalar(in.dst, in.type);
        scalar(in.a, in.type);
        break;
    case Op::CmpF:
        result();
        need(in.type.isFloat() && in.aux <= 15, "a comparison of no floats");
        binary(Bit);
        break;
    case Op::Fma:
        result();
        need(in.type.isFloat(), "float arithmetic on another type");
        binary(in.type);
        scalar(in.c, in.type);
        break;
    case Op::Open:
        result();
        scalar(in.dst, in.type);
        need(in.a < m_program.openNames.size(), "an open function without a name");
        for (const Register r : list(in.b, in.c)) {
            need(isScalar(r) && f.registers[r] != Handle, "an operand of an open function is no value");
        }
        break;
    case Op::Jump:
        target(in.dst);
        moves(in);
        break;
    case Op::Moves: moves(in); break;
    case Op::Branch:
        scalar(in.a, Bit);
        target(in.dst);
        target(in.b);
        break;
    case Op::Switch: {
        integer(in.a);
        const auto cases = list(in.b, 2ULL * in.c + 1);
        for (std::size_t i = 0; i < cases.size() && m_fault.empty(); ++i) {
            if (i % 2 == 1 || i + 1 == cases.size()) {
                target(cases[i]);
            } else {
                scalar(cases[i], f.registers[in.a]);
            }
        }
        break;
    }
    case Op::ForBegin: {
        result();
        integer(in.a);
        scalar(in.dst, in.type);
        scalar(in.a, in.type);
        const auto bounds = list(in.b, 3);
        if (m_fault.empty()) {
            scalar(bounds[0], in.type);
            scalar(bounds[1], in.type);
            target(bounds[2]);
        }
        break;
    }
    case Op::ForNext:
        result();
        need(in.type.isInteger(), "a loop over no integers");
        binary(in.type);
        target(in.c);
        break;
    case Op::Call: call(in); break;
    case Op::Return: {
        const auto values = list(in.b, f.scalarResults.size() + f.viewResults.size());
        need(m_at + 1 == f.code.size(), "a return that is not the last instruction");
        for (std::size_t i = 0; i < values.size() && m_fault.empty(); ++i) {
            if (i < f.scalarResults.size()) {
                scalar(values[i], f.scalarResults[i]);
            } else {
                sameKind(values[i], f.viewResults[i - f.scalarResults.size()]);
            }
        }
        break;
    }
    case Op::Fail:
    case Op::Unsupported: need(in.a < m_program.names.size(), "no text"); break;
    case Op::Load:
    case Op::Store: {
        view(in.a);
        need(isScalar(in.dst), "no value register");
        if (m_fault.empty()) {
            need(f.views[in.a].element == in.type && f.registers[in.dst] == in.type && f.views[in.a].sizes.size() == in.c,
                 "an access of another type or rank");
        }
        if (in.op == Op::Load) {
            result();
        }
        for (const Register r : list(in.b, in.c)) {
            scalar(r, Index);
        }
        break;
    }
    case Op::AtomicUpdate: {
        view(in.a);
        const auto op = static_cast<Op>(in.aux);
        const bool onIntegers = in.aux <= static_cast<std::uint16_t>(Op::MaxU);
        const bool onFloats = (op >= Op::AddF && op <= Op::DivF) || (op >= Op::MinimumF && op <= Op::MaxNumF);
        need((onIntegers && in.type.isInteger()) || (onFloats && in.type.isFloat()), "an atomic update by no binary operation of its type");
        const auto values = list(in.b, 1ULL + in.c);
        if (m_fault.empty()) {
            need(m_function.views[in.a].element == in.type && m_function.views[in.a].sizes.size() == in.c, "an access of another type or rank");
            scalar(values[0], in.type);
            for (const Register r : values.subspan(1)) {
                scalar(r, Index);
            }
            if (in.dst != None) {
                scalar(in.dst, in.type);
                result();
            }
        }
        break;
    }
    case Op::Alloc:
        view(in.dst);
        for (const Register r : list(in.b, in.c)) {
            scalar(r, Index);
        }
        if (m_fault.empty()) {
            const auto& sizes = f.views[in.dst].sizes;
            need(static_cast<std::uint64_t>(std::count(sizes.begin(), sizes.end(), Dynamic)) == in.c, "an allocation with another number of sizes");
        }
        break;
    case Op::TeamAlloc:
        view(in.dst);
        if (m_fault.empty()) {
            const auto& sizes = f.views[in.dst].sizes;
            need(std::count(sizes.begin(), sizes.end(), Dynamic) == 0, "a block's memory of unknown size");
        }
        break;
    case Op::Dealloc: view(in.a); break;
    case Op::CopyView:
        view(in.a);
        view(in.b);
        if (m_fault.empty()) {
            sameKind(in.b, f.views[in.a]);
        }
        break;
    case Op::MakeView:
        view(in.dst);
        view(in.a);
        need(in.b < f.viewSpecs.size(), "no such view");
        if (m_fault.empty()) {
            viewSpec(in, f.viewSpecs[in.b]);
        }
        break;
    case Op::GlobalView:
        view(in.dst);
        need(in.a < m_program.globals.size(), "no such global");
        if (m_fault.empty()) {
            need(m_program.globals[in.a].type.element == f.views[in.dst].element &&
                     m_program.globals[in.a].type.sizes.size() == f.views[in.dst].sizes.size(),
                 "a global of another type");
        }
        break;
    case Op::SelectView:
        view(in.dst);
        scalar(in.a, Bit);
        if (m_fault.empty()) {
            sameKind(in.b, f.views[in.dst]);
            sameKind(in.c, f.views[in.dst]);
        }
        break;
    case Op::Dim:
        result();
        scalar(in.dst, Index);
        view(in.a);
        scalar(in.b, Index);
        break;
    case Op::Spawn:
    case Op::SpawnDevice: spawn(in); break;
    case Op::Await:
    case Op::AwaitAll: scalar(in.a, Handle); break;
    case Op::AwaitValue:
        result();
        scalar(in.a, Handle);
        scalar(in.dst, in.type);
        break;
    case Op::AwaitView:
        scalar(in.a, Handle);
        view(in.dst);
        break;
    case Op::GroupCreate:
        scalar(in.dst, Handle);
        scalar(in.a, Index);
        break;
    case Op::GroupAdd:
        scalar(in.dst, Index);
        scalar(in.a, Handle);
        scalar(in.b, Handle);
        break;
    case Op::Parallel:
        need(in.a < f.parallels.size(), "no such parallel loop");
        if (m_fault.empty()) {
            parallel(f.parallels[in.a]);
        }
        break;
    case Op::Barrier:
    case Op::DeviceHead: break;
    case Op::SemaphoreHandle:
    case Op::ChannelHandle:
        scalar(in.dst, Handle);
        need(in.a < (in.op == Op::SemaphoreHandle ? m_program.semaphores.size() : m_program.channels.size()), "no such semaphore or channel");
        if (in.c == 1) {
            scalar(in.b, Index);
        }
        break;
    case Op::Acquire:
    case Op::Release:
        scalar(in.a, Handle);
        scalar(in.b, Index);
        break;
    case Op::Put:
    case Op::Get:
        scalar(in.a, Handle);
        view(in.b);
        break;
    case Op::PutValue:
        scalar(in.a, Handle);
        need(isScalar(in.b), "no value to send");
        break;
    case Op::GetValue:
        result();
        scalar(in.a, Handle);
        break;
    }
}

} // namespace

Result<std::shared_ptr<const Program>> verified(Program program) {
    const auto wrong = [](const std::string& text) { return fail(ErrorCode::Internal, "the program is not well formed: " + text); };
    if (program.names.empty() || program.places.empty()) {
        return wrong("no names or places");
    }
    for (const Place& place : program.places) {
        if (place.file >= program.names.size() || place.op >= program.names.size() || (place.event != None && place.event >= program.names.size())) {
            return wrong("a place without its names");
        }
    }
    for (const FunctionCode& function : program.functions) {
        FunctionCheck check(program, function);
        if (!check.run()) {
            return wrong(check.fault());
        }
    }
    if (program.entry >= program.functions.size()) {
        return wrong("no entry function");
    }
    const FunctionCode& entry = program.functions[program.entry];
    std::vector<bool> scalars(entry.scalarParameters), views(entry.viewParameters);
    for (const Argument& argument : program.arguments) {
        std::vector<bool>& seen = argument.isView ? views : scalars;
        if (argument.position >= seen.size() || seen[argument.position]) {
            return wrong("argument '" + argument.name + "' has no parameter");
        }
        seen[argument.position] = true;
        if (!argument.isView && entry.registers[argument.position] == Handle) {
            return wrong("argument '" + argument.name + "' is a handle");
        }
    }
    if (std::find(scalars.begin(), scalars.end(), false) != scalars.end() || std::find(views.begin(), views.end(), false) != views.end()) {
        return wrong("a parameter of the entry has no argument");
    }
    for (const ResultInfo& result : program.results) {
        if (result.position >= (result.isView ? entry.viewResults.size() : entry.scalarResults.size())) {
            return wrong("result '" + result.name + "' is not returned");
        }
    }
    for (const Global& global : program.globals) {
        std::uint64_t count = 1;
        for (const std::int64_t size : global.type.sizes) {
            if (size < 0 || (size > 0 && count > (std::uint64_t{1} << 40) / static_cast<std::uint64_t>(size))) {
                return wrong("global '" + global.name + "' has no size");
            }
            count *= static_cast<std::uint64_t>(size);
        }
        const bool needsValues = global.isConstant && global.isInitialised;
        if (global.type.sizes.size() > MaxRank ||
            (global.values.size() != 1 && global.values.size() != count && (needsValues || !global.values.empty())) ||
            global.place >= program.places.size()) {
            return wrong("global '" + global.name + "' has another number of values");
        }
    }
    return std::make_shared<const Program>(std::move(program));
}

} // namespace lemmascope::interp
