#include "core/format/mlir/lower/body.h"

#include "core/format/mlir/lower/vector.h"

#include "core/format/mlir/lower/open.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace lemmascope::ir {

const Module& Body::module() const { return program.module; }

bool Body::remake(ValueId value) {
    const OperationId op = module().value(value).operation;
    // A tensor's would be fetched where it is first read, which need not come before its other readers.
    if (!op.isValid() || module().name(op) != "arith.constant" || module().typeOf(value).kind == Type::Kind::Tensor) {
        return false;
    }
    const OperationId current = m_current;
    operation(op);
    m_current = current;
    if (current.isValid()) {
        f.at(program.place(current));
    }
    return true;
}

const Slot& Body::slot(ValueId value) {
    auto at = m_slots.find(value.index);
    if (at == m_slots.end() && remake(value)) {
        at = m_slots.find(value.index);
    }
    static const Slot Missing;
    return at == m_slots.end() ? Missing : at->second;
}

Register Body::scalar(ValueId value) {
    const Slot& held = slot(value);
    if (held.kind == Slot::Kind::Scalar) {
        return held.reg;
    }
    const TypeId type = module().value(value).type;
    if (m_current.isValid()) {
        refuse(m_current, "operand '" + module().nameOf(value) + "' of type " + module().type(type).text);
    }
    return f.scalar(valueType(module(), type).value_or(interp::I64));
}

Register Body::view(ValueId value) {
    const Slot& held = slot(value);
    if (held.kind == Slot::Kind::View) {
        return held.reg;
    }
    const TypeId type = module().value(value).type;
    if (m_current.isValid()) {
        refuse(m_current, "operand '" + module().nameOf(value) + "' of type " + module().type(type).text);
    }
    const std::optional<ViewType> held2 = viewType(module(), type);
    return f.view(held2.value_or(ViewType{interp::I64, {}}));
}

void Body::set(ValueId value, Slot slot) {
    // Messages speak of registers by the names in the file; the first one stays: an argument's, not that of what it is passed as.
    const std::string& written = module().value(value).name;
    const std::string name = !written.empty() && written[0] >= '0' && written[0] <= '9' ? "%" + written : written;
    const auto isNamed = [](const std::vector<std::uint32_t>& names, Register reg) { return reg < names.size() && names[reg] != interp::None; };
    if (!name.empty() && slot.kind == Slot::Kind::View && !isNamed(f.code().viewNames, slot.reg)) {
        f.nameView(slot.reg, name);
    } else if (!name.empty() && slot.kind == Slot::Kind::Scalar && !isNamed(f.code().registerNames, slot.reg)) {
        f.nameScalar(slot.reg, name);
    }
    m_slots[value.index] = std::move(slot);
}

Slot Body::fresh(TypeId id) {
    Slot out{Slot::Kind::Poison, 0, 0, {}};
    const Type& type = module().type(id);
    if (const auto element = valueType(module(), id)) {
        out.kind = Slot::Kind::Scalar;
        out.reg = f.scalar(*element);
    } else if (const auto held = viewType(module(), id)) {
        out.kind = Slot::Kind::View;
        out.reg = f.view(*held);
    } else if (type.kind == Type::Kind::Vector && !type.scalable) {
        const auto lane = valueType(module(), type.element);
        const auto count = elementCount(type.shape);
        if (lane && count && *count <= MostLanes) {
            out.kind = Slot::Kind::Lanes;
            for (std::int64_t i = 0; i < *count; ++i) {
                out.lanes.push_back(f.scalar(*lane));
            }
        }
    }
    return out;
}

void Body::move(MoveList& moves, const Slot& to, const Slot& from) {
    if (to.kind != from.kind) {
        return; // one is poison: whoever gets here has been stopped before
    }
    if (to.kind == Slot::Kind::Scalar) {
        moves.scalars.emplace_back(to.reg, from.reg);
    } else if (to.kind == Slot::Kind::View) {
        moves.views.emplace_back(to.reg, from.reg);
    } else if (to.kind == Slot::Kind::Lanes) {
        for (std::size_t i = 0; i < std::min(to.lanes.size(), from.lanes.size()); ++i) {
            moves.scalars.emplace_back(to.lanes[i], from.lanes[i]);
        }
    }
}

void Body::refuse(OperationId op, std::string_view why) {
    if (!m_refused) {
        std::string text = "unsupported op '" + std::string(module().name(op)) + "' at " + module().where(op);
        text += why.empty() ? "" : ": " + std::string(why);
        f.unsupported(text);
    }
    m_refused = true;
    for (std::size_t i = 0; i < module().resultCount(op); ++i) {
        set(module().result(op, i), {Slot::Kind::Poison, 0, 0, {}});
    }
}

namespace {

struct Dialect {
    std::string_view name;
    Family family;
};
constexpr std::array<Dialect, 18> Dialects{{{"arith", lowerArith},
                                            {"math", lowerMath},
                                            {"scf", lowerScf},
                                            {"affine", lowerAffine},
                                            {"func", lowerControl},
                                            {"cf", lowerControl},
                                            {"memref", lowerMemref},
                                            {"tensor", lowerTensor},
                                            {"bufferization", lowerTensor},
                                            {"linalg", lowerLinalg},
                                            {"tosa", lowerTosa},
                                            {"vector", lowerVector},
                                            {"async", lowerAsync},
                                            {"gpu", lowerGpu},
                                            {"ub", lowerArith},
                                            {"index", lowerArith},
                                            {"complex", nullptr},
                                            {"builtin", nullptr}}};

} // namespace

void Body::operation(OperationId op) {
    m_current = op;
    m_refused = false;
    f.at(program.place(op));
    const std::string_view name = module().name(op);
    for (const ValueId operand : module().operands(op)) {
        if (isPoison(operand)) {
            refuse(op, "operand '" + module().nameOf(operand) + "' of type " + module().typeOf(operand).text);
            return;
        }
    }
    m_current = op; // a constant that was made again has been here
    const std::string_view dialect = name.substr(0, name.find('.'));
    const auto known = std::find_if(Dialects.begin(), Dialects.end(), [&](const Dialect& one) { return one.name == dialect; });
    const bool done = known == Dialects.end() ? lowerOpen(*this, op) : known->family != nullptr && known->family(*this, op, name);
    if (!done) {
        refuse(op);
    }
    for (std::size_t i = 0; i < module().resultCount(op); ++i) {
        m_slots.try_emplace(module().result(op, i).index, Slot{Slot::Kind::Poison, 0, 0, {}});
    }
}

OperationId Body::operationsOf(BlockId block) {
    const std::size_t count = module().block(block).operations.count;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        operation(module().operationOf(block, i));
    }
    const OperationId last = module().operationOf(block, count - 1);
    m_current = last;
    m_refused = false;
    f.at(program.place(last));
    return last;
}

void Body::structured(RegionId region, const std::vector<Slot>& into) {
    if (module().blockCount(region) == 0 || module().block(module().blockOf(region)).operations.count == 0) {
        return;
    }
    const OperationId last = operationsOf(module().blockOf(region));
    MoveList moves;
    const auto values = module().operands(last);
    for (std::size_t i = 0; i < std::min(values.size(), into.size()); ++i) {
        move(moves, into[i], slot(values[i]));
    }
    f.moves(moves);
}

Label Body::blockLabel(BlockId block) {
    const auto at = m_labels.find(block.index);
    return at != m_labels.end() ? at->second : m_labels.emplace(block.index, f.label()).first->second;
}

MoveList Body::blockMoves(BlockId block, std::span<const ValueId> values) {
    MoveList moves;
    for (std::size_t i = 0; i < std::min<std::size_t>(values.size(), module().block(block).arguments.count); ++i) {
        move(moves, slot(module().argument(block, i)), slot(values[i]));
    }
    return moves;
}

void Body::unstructured(RegionId region, const std::vector<Slot>& into, Label exit) {
    const std::size_t count = module().blockCount(region);
    for (std::size_t i = 1; i < count; ++i) { // the first block's arguments are the caller's
        const BlockId block = module().blockOf(region, i);
        for (std::size_t k = 0; k < module().block(block).arguments.count; ++k) {
            const ValueId argument = module().argument(block, k);
            set(argument, fresh(module().value(argument).type));
        }
    }
    m_targets.push_back({into, exit});
    for (std::size_t i = 0; i < count; ++i) {
        const BlockId block = module().blockOf(region, i);
        f.bind(blockLabel(block));
        for (std::size_t k = 0; k < module().block(block).operations.count; ++k) {
            operation(module().operationOf(block, k));
        }
    }
    m_targets.pop_back();
}

std::span<const ValueId> Body::segment(OperationId op, std::size_t number) {
    const Attribute* sizes = module().find(op, "operandSegmentSizes");
    const auto all = module().operands(op);
    if (sizes == nullptr || number >= sizes->integers.size()) {
        return {};
    }
    std::size_t first = 0;
    for (std::size_t i = 0; i < number; ++i) {
        first += static_cast<std::size_t>(sizes->integers[i]);
    }
    const auto count = static_cast<std::size_t>(sizes->integers[number]);
    return first <= all.size() && count <= all.size() - first ? all.subspan(first, count) : std::span<const ValueId>();
}

void Body::switchOn(Register value, const std::vector<std::pair<std::int64_t, Label>>& cases, Label otherwise) {
    constexpr std::size_t Few = 16;
    if (cases.size() > Few) {
        f.switchOn(value, cases, otherwise);
        return;
    }
    const ValueType type = f.code().registers[value];
    for (const auto& [number, to] : cases) {
        const Register is = f.binary(interp::Op::CmpI, type, value, f.constant(type, static_cast<std::uint64_t>(number)),
                                     static_cast<std::uint16_t>(interp::CmpIPredicate::Eq));
        const Label next = f.label();
        f.branch(is, to, next);
        f.bind(next);
    }
    f.jump(otherwise);
}

Register Body::stored(ValueId vector, const ViewType& type) {
    std::vector<Bound> sizes;
    for (const std::int64_t size : type.sizes) {
        sizes.push_back({true, size, 0});
    }
    const Register into = newView(type, sizes);
    const std::vector<Register> lanes = slot(vector).lanes;
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        std::vector<Register> at;
        for (const std::int64_t place : coordinates(type.sizes, static_cast<std::int64_t>(lane))) {
            at.push_back(index(place));
        }
        f.store(lanes[lane], into, at);
    }
    return into;
}

void Body::loadLanes(ValueId vector, Register from) {
    const std::vector<std::int64_t> shape = module().typeOf(vector).shape;
    std::vector<Register> lanes;
    for (std::int64_t lane = 0; lane < elementCount(shape).value_or(0); ++lane) {
        std::vector<Register> at;
        for (const std::int64_t place : coordinates(shape, lane)) {
            at.push_back(index(place));
        }
        lanes.push_back(f.load(from, at));
    }
    setLanes(vector, std::move(lanes));
}

void Body::elementwise(OperationId op, const Compute& compute) {
    const Module& m = module();
    const auto operands = m.operands(op);
    const Slot::Kind kind = [&] {
        Slot::Kind out = Slot::Kind::Scalar;
        for (const ValueId operand : operands) {
            const Slot::Kind one = slot(operand).kind;
            out = one == Slot::Kind::View || one == Slot::Kind::Lanes ? one : out;
        }
        return out;
    }();
    if (kind == Slot::Kind::Scalar) {
        std::vector<Register> values;
        for (const ValueId operand : operands) {
            values.push_back(scalar(operand));
        }
        const std::vector<Register> results = compute(values);
        for (std::size_t i = 0; i < std::min(results.size(), m.resultCount(op)); ++i) {
            setScalar(m.result(op, i), results[i]);
        }
        return;
    }
    if (kind == Slot::Kind::Lanes) {
        std::size_t count = 0;
        for (const ValueId operand : operands) {
            count = std::max(count, slot(operand).lanes.size());
        }
        std::vector<std::vector<Register>> results(m.resultCount(op));
        for (std::size_t lane = 0; lane < count; ++lane) {
            std::vector<Register> values;
            for (const ValueId operand : operands) {
                const Slot& held = slot(operand);
                values.push_back(lane < held.lanes.size() ? held.lanes[lane] : scalar(operand));
            }
            const std::vector<Register> computed = compute(values);
            for (std::size_t i = 0; i < std::min(results.size(), computed.size()); ++i) {
                results[i].push_back(computed[i]);
            }
        }
        for (std::size_t i = 0; i < results.size(); ++i) {
            setLanes(m.result(op, i), std::move(results[i]));
        }
        return;
    }
    std::vector<ViewType> types;
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        const auto type =
            m.type(m.value(m.result(op, i)).type).kind == Type::Kind::Tensor ? viewType(m, m.value(m.result(op, i)).type) : std::nullopt;
        if (!type) {
            refuse(op, "result of type " + m.typeOf(m.result(op, i)).text);
            return;
        }
        types.push_back(*type);
    }
    Register shaped = 0;
    for (const ValueId operand : operands) {
        shaped = slot(operand).kind == Slot::Kind::View ? slot(operand).reg : shaped;
    }
    const std::vector<Bound> sizes = sizesOf(shaped);
    std::vector<Register> into;
    for (const ViewType& type : types) {
        into.push_back(newView(type, sizes));
    }
    nest(sizes, [&](const std::vector<Register>& at) {
        std::vector<Register> values;
        for (const ValueId operand : operands) {
            const Slot& held = slot(operand);
            values.push_back(held.kind == Slot::Kind::View ? f.load(held.reg, at) : scalar(operand));
        }
        const std::vector<Register> computed = compute(values);
        for (std::size_t i = 0; i < std::min(into.size(), computed.size()); ++i) {
            f.store(computed[i], into[i], at);
        }
    });
    for (std::size_t i = 0; i < into.size(); ++i) {
        setView(m.result(op, i), into[i]);
    }
}

std::optional<ViewType> resultView(Body& body, OperationId op) {
    const ValueId result = body.module().result(op);
    auto type = viewType(body.module(), body.module().value(result).type);
    if (!type) {
        body.refuse(op, "a result of type " + body.module().typeOf(result).text);
    }
    return type;
}

bool setConstantTensor(Body& body, OperationId op) {
    const Module& m = body.module();
    const Range range = m.operation(op).attributes;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
        const auto global =
            m.names[m.namedAttributes[i].name] == "value" ? body.program.constantGlobal(m.namedAttributes[i].value, op) : std::nullopt;
        if (global) {
            body.setViewResult(op, body.f.global(*global));
            return true;
        }
    }
    return false;
}

void runIterations(Body& body, OperationId op, interp::ParallelSpec spec, const std::vector<ValueType>& reduced) {
    const Module& m = body.module();
    const RegionId region = m.regionOf(op);
    const BlockId block = m.blockOf(region);
    const std::size_t axes = m.block(block).arguments.count;
    const auto made = body.program.outline(body, op, region, m.name(op), std::vector<ValueType>(axes, interp::Index), reduced, {},
                                           [&](Body& inside, const std::vector<Register>& own) {
                                               for (std::size_t i = 0; i < axes; ++i) {
                                                   inside.setScalar(m.argument(block, i), own[i]);
                                               }
                                               const OperationId last = inside.operationsOf(block);
                                               inside.f.ret(inside.indices(m.operands(last)));
                                           });
    if (!made) {
        return;
    }
    spec.function = made->function->number();
    spec.scalars = made->scalars;
    spec.views = made->views;
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        body.setScalar(m.result(op, i), spec.reductions[i].result);
    }
    body.f.parallel(std::move(spec));
}

} // namespace lemmascope::ir
