#include "core/format/mlir/lower/body.h"

#include <algorithm>
#include <limits>

namespace lemmascope::ir {

using interp::Op;

namespace {

/// The map that an attribute of that name holds; an empty one if there is none.
const AffineMap& mapOf(const Module& m, OperationId op, std::string_view attribute) {
    static const AffineMap None;
    const Attribute* found = m.find(op, attribute);
    return found != nullptr && found->map.isValid() ? m.map(found->map) : None;
}

Bound extreme(Body& body, OperationId at, const std::vector<Bound>& values, Op op) {
    if (values.empty()) { // mlir-opt's --affine-data-copy-generate writes such bounds
        body.refuse(at, "a map without results");
        return {};
    }
    Bound out = values.front();
    for (std::size_t i = 1; i < values.size(); ++i) {
        out = {false, 0, body.f.binary(op, interp::Index, body.in(out), body.in(values[i]))};
    }
    return out;
}

void lowerFor(Body& body, OperationId op) {
    const Module& m = body.module();
    const BlockId block = m.blockOf(m.regionOf(op));
    const Bound lower = extreme(body, op, body.apply(mapOf(m, op, "lowerBoundMap"), body.bounds(body.segment(op, 0))), Op::MaxS);
    const Bound upper = extreme(body, op, body.apply(mapOf(m, op, "upperBoundMap"), body.bounds(body.segment(op, 1))), Op::MinS);
    const Attribute* step = m.find(op, "step");
    std::vector<Slot> carried;
    MoveList start;
    const auto initial = body.segment(op, 2);
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        carried.push_back(body.fresh(m.value(m.result(op, i)).type));
        body.set(m.result(op, i), carried.back());
        Body::move(start, carried.back(), body.slot(initial[i]));
    }
    body.f.moves(start);
    const ValueId variable = m.argument(block, 0);
    const auto loop = body.f.beginFor(body.in(lower), body.in(upper), body.index(step == nullptr ? 1 : step->integer), m.nameOf(variable));
    body.setScalar(variable, loop.variable);
    for (std::size_t i = 0; i < carried.size(); ++i) {
        body.set(m.argument(block, i + 1), carried[i]);
    }
    body.structured(m.regionOf(op), carried);
    body.f.endFor(loop);
}

void lowerIf(Body& body, OperationId op) {
    const Module& m = body.module();
    std::vector<Slot> results;
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        results.push_back(body.fresh(m.value(m.result(op, i)).type));
        body.set(m.result(op, i), results.back());
    }
    const AffineMap& set = mapOf(m, op, "condition");
    const std::vector<Bound> values = body.apply(set, body.bounds(m.operands(op)));
    Register holds = body.f.constant(interp::Bit, 1);
    for (std::size_t i = 0; i < values.size() && i < set.equalities.size(); ++i) {
        const auto predicate = set.equalities[i] != 0 ? interp::CmpIPredicate::Eq : interp::CmpIPredicate::Sge;
        const Register one = body.f.binary(Op::CmpI, interp::Index, body.in(values[i]), body.index(0), static_cast<std::uint16_t>(predicate));
        holds = i == 0 ? one : body.f.binary(Op::And, interp::Bit, holds, one);
    }
    const Label then = body.f.label();
    const Label otherwise = body.f.label();
    const Label exit = body.f.label();
    body.f.branch(holds, then, otherwise);
    body.f.bind(then);
    body.structured(m.regionOf(op, 0), results);
    body.f.jump(exit);
    body.f.bind(otherwise);
    if (m.regionCount(op) > 1) {
        body.structured(m.regionOf(op, 1), results);
    }
    body.f.jump(exit);
    body.f.bind(exit);
}

/// A reduction of affine.parallel: the op and its neutral element.
struct Reduction {
    Op op = Op::AddF;
    double neutral = 0.0;
    std::uint64_t bits = 0; ///< of integers
};
std::optional<Reduction> reductionOf(std::int64_t kind, ValueType type) {
    const std::uint64_t sign = std::uint64_t{1} << (type.width() - 1);
    const double infinity = std::numeric_limits<double>::infinity();
    switch (kind) { // arith::AtomicRMWKind
    case 0: return Reduction{Op::AddF, 0.0, 0};
    case 1: return Reduction{Op::AddI, 0.0, 0};
    case 3: return Reduction{Op::MaximumF, -infinity, 0};
    case 4: return Reduction{Op::MaxS, 0.0, sign};
    case 5: return Reduction{Op::MaxU, 0.0, 0};
    case 6: return Reduction{Op::MinimumF, infinity, 0};
    case 7: return Reduction{Op::MinS, 0.0, sign - 1};
    case 8: return Reduction{Op::MinU, 0.0, ~std::uint64_t{0}};
    case 9: return Reduction{Op::MulF, 1.0, 0};
    case 10: return Reduction{Op::MulI, 0.0, 1};
    case 11: return Reduction{Op::Or, 0.0, 0};
    case 12: return Reduction{Op::And, 0.0, ~std::uint64_t{0}};
    case 13: return Reduction{Op::MaxNumF, -infinity, 0};
    case 14: return Reduction{Op::MinNumF, infinity, 0};
    default: return std::nullopt;
    }
}

/// One bound for each axis: the extreme of its group of results.
std::vector<Register> groupedBounds(Body& body, OperationId op, std::string_view map, std::string_view groups, const std::vector<Bound>& operands,
                                    Op choose) {
    const Module& m = body.module();
    const std::vector<Bound> values = body.apply(mapOf(m, op, map), operands);
    const Attribute* sizes = m.find(op, groups);
    const auto counts = sizes == nullptr ? std::nullopt : elementBits(m, *sizes);
    const std::int64_t axes = sizes == nullptr || !sizes->type.isValid() ? 0 : elementCount(m.type(sizes->type).shape).value_or(0);
    std::vector<Register> out;
    std::size_t at = 0;
    for (std::int64_t axis = 0; counts && axis < axes; ++axis) {
        const std::size_t count = static_cast<std::size_t>(counts->size() == 1 ? counts->front() : counts->at(static_cast<std::size_t>(axis)));
        if (count > values.size() - at) {
            break;
        }
        const std::vector<Bound> group(values.begin() + static_cast<std::ptrdiff_t>(at), values.begin() + static_cast<std::ptrdiff_t>(at + count));
        out.push_back(body.in(extreme(body, op, group, choose)));
        at += count;
    }
    return out;
}

void lowerParallel(Body& body, OperationId op) {
    const Module& m = body.module();
    const BlockId block = m.blockOf(m.regionOf(op));
    const std::size_t axes = m.block(block).arguments.count;
    const std::vector<Bound> operands = body.bounds(m.operands(op));
    const AffineMap& lowerMap = mapOf(m, op, "lowerBoundsMap");
    const std::size_t split = std::min<std::size_t>(operands.size(), lowerMap.dimensions + lowerMap.symbols);
    interp::ParallelSpec spec;
    spec.lower = groupedBounds(body, op, "lowerBoundsMap", "lowerBoundsGroups",
                               {operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(split)}, Op::MaxS);
    spec.upper = groupedBounds(body, op, "upperBoundsMap", "upperBoundsGroups",
                               {operands.begin() + static_cast<std::ptrdiff_t>(split), operands.end()}, Op::MinS);
    const Attribute* steps = m.find(op, "steps");
    for (std::size_t i = 0; i < axes; ++i) {
        spec.step.push_back(body.index(steps != nullptr && i < steps->items.size() ? m.attribute(steps->items[i]).integer : 1));
    }
    if (spec.lower.size() != axes || spec.upper.size() != axes) {
        body.refuse(op);
        return;
    }
    const Attribute* kinds = m.find(op, "reductions");
    std::vector<ValueType> types;
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        const auto type = valueType(m, m.value(m.result(op, i)).type);
        const auto reduction =
            type && kinds != nullptr && i < kinds->items.size() ? reductionOf(m.attribute(kinds->items[i]).integer, *type) : std::nullopt;
        if (!reduction) {
            body.refuse(op, "a reduction without a neutral element");
            return;
        }
        FunctionBuilder& combine = body.program.builder.function("reduction", {*type, *type}, {}, {*type});
        combine.at(body.program.place(op));
        combine.ret({combine.binary(reduction->op, *type, 0, 1)});
        types.push_back(*type);
        const Register neutral = type->isFloat() ? body.f.number(*type, reduction->neutral) : body.f.constant(*type, reduction->bits);
        spec.reductions.push_back({combine.number(), neutral, body.f.scalar(*type)});
    }
    runIterations(body, op, std::move(spec), types);
}

std::vector<Register> accessIndices(Body& body, OperationId op, std::size_t firstIndex) {
    const Module& m = body.module();
    const auto operands = m.operands(op).subspan(firstIndex);
    const Attribute* map = m.find(op, "map");
    if (map == nullptr) {
        return body.indices(operands);
    }
    std::vector<Register> out;
    for (const Bound& bound : body.apply(mapOf(m, op, "map"), body.bounds(operands))) {
        out.push_back(body.in(bound));
    }
    return out;
}

/// Vectors lie along the last axes.
void lowerVectorAccess(Body& body, OperationId op, bool isLoad) {
    const Module& m = body.module();
    const Register view = body.viewOperand(op, isLoad ? 0 : 1);
    const std::vector<Register> base = accessIndices(body, op, isLoad ? 1 : 2);
    const Type& type = isLoad ? m.typeOf(m.result(op)) : m.typeOf(m.operand(op, 0));
    const auto count = elementCount(type.shape);
    if (!count || *count > MostLanes || type.scalable || type.shape.size() > base.size()) {
        body.refuse(op);
        return;
    }
    std::vector<Register> lanes;
    for (std::int64_t lane = 0; lane < *count; ++lane) {
        std::vector<Register> index = base;
        std::int64_t left = lane;
        for (std::size_t axis = type.shape.size(); axis-- > 0;) {
            const std::size_t at = base.size() - type.shape.size() + axis;
            index[at] = body.in(body.add({false, 0, base[at]}, {true, left % type.shape[axis], 0}));
            left /= type.shape[axis];
        }
        if (isLoad) {
            lanes.push_back(body.f.load(view, index));
        } else {
            body.f.store(body.slot(m.operand(op, 0)).lanes.at(static_cast<std::size_t>(lane)), view, index);
        }
    }
    if (isLoad) {
        body.setLanes(m.result(op), std::move(lanes));
    }
}

/// The digits of a number in a mixed basis, outermost first; the first has no bound.
void lowerDelinearize(Body& body, OperationId op) {
    const Module& m = body.module();
    auto dynamic = m.operands(op).subspan(1);
    std::vector<Bound> basis;
    if (m.find(op, "static_basis") != nullptr) {
        basis = body.mixed(op, "static_basis", dynamic);
    } else {
        basis = body.bounds(dynamic);
    }
    Bound rest{false, 0, body.operand(op, 0)};
    if (basis.size() != m.resultCount(op)) {
        body.refuse(op);
        return;
    }
    for (std::size_t i = basis.size(); i-- > 1;) {
        const Register quotient = body.f.binary(Op::FloorDivS, interp::Index, body.in(rest), body.in(basis[i]));
        const Bound product = body.multiply({false, 0, quotient}, basis[i]);
        body.setScalar(m.result(op, i), body.f.binary(Op::SubI, interp::Index, body.in(rest), body.in(product)));
        rest = {false, 0, quotient};
    }
    body.setScalar(m.result(op, 0), body.in(rest));
}

} // namespace

bool lowerAffine(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name == "affine.for") {
        lowerFor(body, op);
    } else if (name == "affine.if") {
        lowerIf(body, op);
    } else if (name == "affine.parallel") {
        lowerParallel(body, op);
    } else if (name == "affine.load") {
        body.setResult(op, body.f.load(body.viewOperand(op, 0), accessIndices(body, op, 1)));
    } else if (name == "affine.store") {
        body.f.store(body.operand(op, 0), body.viewOperand(op, 1), accessIndices(body, op, 2));
    } else if (name == "affine.vector_load" || name == "affine.vector_store") {
        lowerVectorAccess(body, op, name == "affine.vector_load");
    } else if (name == "affine.apply") {
        body.setResult(op, body.in(extreme(body, op, body.apply(mapOf(m, op, "map"), body.bounds(m.operands(op))), Op::MaxS)));
    } else if (name == "affine.min" || name == "affine.max") {
        const Op choose = name == "affine.min" ? Op::MinS : Op::MaxS;
        body.setResult(op, body.in(extreme(body, op, body.apply(mapOf(m, op, "map"), body.bounds(m.operands(op))), choose)));
    } else if (name == "affine.delinearize_index") {
        lowerDelinearize(body, op);
    } else if (name == "affine.prefetch") {
        // Only a hint.
    } else {
        return false; // the ops of its DMA engine
    }
    return true;
}

} // namespace lemmascope::ir
