#include "core/format/mlir/lower/body.h"

#include <algorithm>
#include <array>
#include <map>

namespace lemmascope::ir {

using interp::Extent;
using interp::Op;
using interp::ViewSpec;

std::vector<std::uint32_t> keptAxes(const std::vector<Bound>& sizes, const std::vector<std::int64_t>& reduced) {
    std::vector<std::uint32_t> kept;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        // Where a whole axis and one of size 1 are both possible it does not matter: of size 1, both have the one index 0.
        const bool left = kept.size() < reduced.size();
        const std::int64_t size = sizes[axis].isNumber ? sizes[axis].value : interp::Dynamic;
        const bool mayDrop = sizes[axis].isNumber && size == 1;
        const bool matches = left && (reduced[kept.size()] == size || reduced[kept.size()] == interp::Dynamic || !sizes[axis].isNumber);
        if (matches && (!mayDrop || reduced[kept.size()] == 1 || reduced.size() - kept.size() == sizes.size() - axis)) {
            kept.push_back(static_cast<std::uint32_t>(axis));
        }
    }
    return kept;
}

namespace {

Extent extentOf(Body& body, const Bound& bound) { return bound.isNumber ? Extent::number(bound.value) : Extent::in(body.in(bound)); }

std::vector<Extent> extents(Body& body, const std::vector<Bound>& bounds) {
    std::vector<Extent> out;
    for (const Bound& bound : bounds) {
        out.push_back(extentOf(body, bound));
    }
    return out;
}

void lowerAlloc(Body& body, OperationId op, bool untilReturn) {
    const Module& m = body.module();
    const Type& type = m.typeOf(m.result(op));
    const auto held = resultView(body, op);
    if (!held) {
        return;
    }
    // Another layout than rows decides where elements lie, and so what a reinterpret_cast of it sees.
    std::int64_t stride = 1;
    bool rows = type.strided && type.offset == 0;
    for (std::size_t axis = type.shape.size(); rows && axis-- > 0;) {
        rows = type.strides[axis] == stride || type.shape[axis] == 1;
        stride = stride == Dynamic || type.shape[axis] == Dynamic ? Dynamic : stride * type.shape[axis];
    }
    if (!rows) {
        body.refuse(op, "a layout other than row by row: " + type.text);
        return;
    }
    body.setViewResult(op, body.f.alloc(*held, body.indices(body.segment(op, 0)), untilReturn));
}

void lowerSubview(Body& body, OperationId op, ViewSpec::Kind kind) {
    const Module& m = body.module();
    const auto type = resultView(body, op);
    if (!type) {
        return;
    }
    auto offsets = body.segment(op, 1);
    auto sizes = body.segment(op, 2);
    auto strides = body.segment(op, 3);
    ViewSpec spec;
    spec.kind = kind;
    const std::vector<Bound> at = body.mixed(op, "static_offsets", offsets);
    const std::vector<Bound> count = body.mixed(op, "static_sizes", sizes);
    const std::vector<Bound> by = body.mixed(op, "static_strides", strides);
    spec.offsets = extents(body, at);
    spec.sizes = extents(body, count);
    spec.strides = extents(body, by);
    if (kind == ViewSpec::Kind::Subview) {
        spec.axes = keptAxes(count, type->sizes);
        if (spec.axes.size() != type->sizes.size()) {
            body.refuse(op, "the axes of " + m.typeOf(m.result(op)).text + " are not among those of its source");
            return;
        }
    }
    body.setViewResult(op, body.f.makeView(*type, body.viewOperand(op, 0), std::move(spec)));
}

void lowerReshape(Body& body, OperationId op, ViewSpec::Kind kind) {
    const Module& m = body.module();
    const auto type = resultView(body, op);
    const Attribute* groups = m.find(op, "reassociation");
    if (!type || groups == nullptr) {
        return;
    }
    ViewSpec spec;
    spec.kind = kind;
    for (const AttributeId group : groups->items) {
        spec.groups.push_back(static_cast<std::uint32_t>(m.attribute(group).items.size()));
    }
    const Register source = body.viewOperand(op, 0);
    if (kind == ViewSpec::Kind::Expand) {
        auto dynamic = m.operands(op).subspan(1);
        std::vector<Bound> sizes = body.mixed(op, "static_output_shape", dynamic);
        if (sizes.size() != type->sizes.size()) {
            sizes.clear();
            for (const std::int64_t size : type->sizes) {
                if (size == interp::Dynamic) {
                    body.refuse(op, "sizes that are not given");
                    return;
                }
                sizes.push_back({true, size, 0});
            }
        }
        spec.sizes = extents(body, sizes);
    }
    const std::size_t expected = kind == ViewSpec::Kind::Expand ? body.f.code().views[source].sizes.size() : type->sizes.size();
    if (spec.groups.size() != expected) {
        // To or from no axes at all: one element.
        body.refuse(op, "a reshape to or from rank 0");
        return;
    }
    body.setViewResult(op, body.f.makeView(*type, source, std::move(spec)));
}

void lowerCast(Body& body, OperationId op) {
    const auto type = resultView(body, op);
    if (type) {
        body.setViewResult(op, body.f.makeView(*type, body.viewOperand(op, 0), ViewSpec{}));
    }
}

void lowerTranspose(Body& body, OperationId op) {
    const Module& m = body.module();
    const auto type = resultView(body, op);
    const Attribute* permutation = m.find(op, "permutation");
    if (!type || permutation == nullptr || !permutation->map.isValid()) {
        return;
    }
    const AffineMap& map = m.map(permutation->map);
    ViewSpec spec;
    spec.kind = ViewSpec::Kind::Permute;
    for (const std::uint32_t result : map.results) {
        spec.axes.push_back(static_cast<std::uint32_t>(map.nodes[result].value));
    }
    body.setViewResult(op, body.f.makeView(*type, body.viewOperand(op, 0), std::move(spec)));
}

/// memref.reshape to a static shape, of rows: all axes into one, and that one into the new ones.
void lowerFreeReshape(Body& body, OperationId op) {
    const auto type = resultView(body, op);
    if (!type) {
        return;
    }
    const Register source = body.viewOperand(op, 0);
    const ViewType from = body.f.code().views[source];
    const auto count = elementCount(type->sizes);
    if (!count || elementCount(from.sizes) != count || from.sizes.empty() || type->sizes.empty()) {
        body.refuse(op, "a shape that is known only when it runs");
        return;
    }
    body.setViewResult(op, reshaped(body, source, type->sizes));
}

/// Of a view whose type says all: its base, offset, sizes and strides.
void lowerMetadata(Body& body, OperationId op) {
    const Module& m = body.module();
    const Type& type = m.typeOf(m.operand(op, 0));
    const auto base = viewType(m, m.value(m.result(op, 0)).type);
    const bool known = type.strided && type.offset != Dynamic && std::find(type.strides.begin(), type.strides.end(), Dynamic) == type.strides.end();
    if (!known || !base || m.resultCount(op) != 2 + 2 * type.shape.size()) {
        body.refuse(op, "a layout that is known only when it runs");
        return;
    }
    const Register source = body.viewOperand(op, 0);
    ViewSpec spec;
    spec.kind = ViewSpec::Kind::Reinterpret;
    spec.offsets = {Extent::number(0)};
    body.setView(m.result(op, 0), body.f.makeView(*base, source, std::move(spec)));
    body.setScalar(m.result(op, 1), body.index(type.offset));
    for (std::size_t axis = 0; axis < type.shape.size(); ++axis) {
        body.setScalar(m.result(op, 2 + axis), body.in(body.sizeOf(source, axis)));
        body.setScalar(m.result(op, 2 + type.shape.size() + axis), body.index(type.strides[axis]));
    }
}

/// By MLIR's own description it is "the latest value that was stored".
constexpr std::string_view ResultIsNotSaid = "whether its result is the value before or after is not said";

/// An update whose order among others of its kind does not matter, in one step; what else runs at the same time sees it done or not.
void updateInOneStep(Body& body, OperationId op, Op what, Register value, Register view, const std::vector<Register>& at) {
    if (what == Op::Copy) {
        // No race, and yet the last one is seen: neither can be said of it.
        body.refuse(op, "beside tasks, an update whose order matters");
        return;
    }
    (void)body.f.atomicUpdate(what, value, view, at, false);
}

/// memref.atomic_rmw. Where nothing else runs at the same time: load, compute, store, which may be at an index that data decides.
void lowerAtomic(Body& body, OperationId op) {
    static constexpr std::array Kinds{Op::AddF, Op::AddI, Op::Copy, Op::MaximumF, Op::MaxS, Op::MaxU,    Op::MinimumF, Op::MinS,
                                      Op::MinU, Op::MulF, Op::MulI, Op::Or,       Op::And,  Op::MaxNumF, Op::MinNumF};
    const Module& m = body.module();
    const Attribute* kind = m.find(op, "kind");
    if (kind == nullptr || kind->integer < 0 || kind->integer >= static_cast<std::int64_t>(Kinds.size())) {
        body.refuse(op);
        return;
    }
    if (body.program.useCount(m.result(op)) > 0) {
        body.refuse(op, ResultIsNotSaid);
        return;
    }
    const Op what = Kinds[static_cast<std::size_t>(kind->integer)];
    const Register value = body.operand(op, 0);
    const Register view = body.viewOperand(op, 1);
    const std::vector<Register> at = body.indices(m.operands(op).subspan(2));
    if (body.program.hasTasks()) {
        updateInOneStep(body, op, what, value, view, at);
        return;
    }
    const Register old = body.f.load(view, at);
    body.f.store(what == Op::Copy ? value : body.f.binary(what, body.f.code().registers[old], old, value), view, at);
}

/// The body of an update as one op of the cell and a value that does not depend on it.
struct CellUpdate {
    OperationId op;
    Op what = Op::Copy;
    ValueId value;
    bool negated = false; ///< cell - value
};
std::optional<CellUpdate> cellUpdate(const Body& body, BlockId block) {
    static const std::map<std::string_view, Op> Known{
        {"arith.addi", Op::AddI},      {"arith.subi", Op::AddI},         {"arith.muli", Op::MulI},         {"arith.andi", Op::And},
        {"arith.ori", Op::Or},         {"arith.xori", Op::Xor},          {"arith.minsi", Op::MinS},        {"arith.minui", Op::MinU},
        {"arith.maxsi", Op::MaxS},     {"arith.maxui", Op::MaxU},        {"arith.addf", Op::AddF},         {"arith.subf", Op::AddF},
        {"arith.mulf", Op::MulF},      {"arith.minimumf", Op::MinimumF}, {"arith.maximumf", Op::MaximumF}, {"arith.minnumf", Op::MinNumF},
        {"arith.maxnumf", Op::MaxNumF}};
    const Module& m = body.module();
    const ValueId cell = m.argument(block, 0);
    const std::size_t count = m.block(block).operations.count;
    for (std::size_t i = 0; i + 1 < count; ++i) {
        // What reads memory on the way would have to happen in the same step.
        const std::string_view name = m.name(m.operationOf(block, i));
        if (!name.starts_with("arith.") && !name.starts_with("math.") && !name.starts_with("index.")) {
            return std::nullopt;
        }
    }
    const auto yielded = m.operands(m.operationOf(block, count - 1));
    const OperationId op = yielded.size() == 1 ? m.value(yielded[0]).operation : OperationId();
    const auto known = op.isValid() && m.operation(op).block == block ? Known.find(m.name(op)) : Known.end();
    if (known == Known.end() || m.operands(op).size() != 2 || body.program.useCount(cell) != 1 || body.program.useCount(yielded[0]) != 1) {
        return std::nullopt;
    }
    const Attribute* flags = m.find(op, "overflowFlags");
    const auto has = [&](const char* flag) { return flags != nullptr && flags->bytes.find(flag) != std::string::npos; };
    if (has("nsw") || has("nuw")) { // the old value decides whether that holds
        return std::nullopt;
    }
    CellUpdate made{op, known->second, {}, known->first.starts_with("arith.sub")};
    const bool cellFirst = m.operand(op, 0) == cell;
    if (!cellFirst && (made.negated || !(m.operand(op, 1) == cell))) {
        return std::nullopt;
    }
    made.value = m.operand(op, cellFirst ? 1 : 0);
    return made;
}

/// memref.generic_atomic_rmw: the same with a body. Beside tasks the body has to be one op.
void lowerGenericAtomic(Body& body, OperationId op) {
    const Module& m = body.module();
    const bool hasBody = m.regionCount(op) == 1 && m.blockCount(m.regionOf(op)) == 1;
    const BlockId block = hasBody ? m.blockOf(m.regionOf(op)) : BlockId();
    if (!hasBody || m.block(block).arguments.count != 1 || m.block(block).operations.count == 0) {
        body.refuse(op);
        return;
    }
    if (body.program.useCount(m.result(op)) > 0) {
        body.refuse(op, ResultIsNotSaid);
        return;
    }
    const std::uint32_t place = body.program.place(op);
    const Register view = body.viewOperand(op, 0);
    const std::vector<Register> at = body.indices(m.operands(op).subspan(1));
    if (!body.program.hasTasks()) {
        body.setScalar(m.argument(block, 0), body.f.load(view, at));
        const OperationId last = body.operationsOf(block);
        const Register value = body.operand(last, 0);
        body.f.at(place);
        body.f.store(value, view, at);
        return;
    }
    const auto update = cellUpdate(body, block);
    if (!update) {
        body.refuse(op, "beside tasks, an update that is more than one op of the cell and another value");
        return;
    }
    for (std::size_t i = 0; i + 1 < m.block(block).operations.count; ++i) {
        if (const OperationId inner = m.operationOf(block, i); !(inner == update->op)) {
            body.operation(inner);
        }
    }
    Register value = body.scalar(update->value);
    body.f.at(place);
    if (update->negated) {
        const ValueType type = body.f.code().registers[value];
        value = type.isFloat() ? body.f.unary(Op::NegF, type, value) : body.f.binary(Op::SubI, type, body.f.constant(type, 0), value);
    }
    updateInOneStep(body, op, update->what, value, view, at);
}

} // namespace

bool lowerMemref(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name == "memref.load") {
        body.setResult(op, body.f.load(body.viewOperand(op, 0), body.indices(m.operands(op).subspan(1))));
    } else if (name == "memref.store") {
        body.f.store(body.operand(op, 0), body.viewOperand(op, 1), body.indices(m.operands(op).subspan(2)));
    } else if (name == "memref.alloc" || name == "memref.alloca") {
        lowerAlloc(body, op, name == "memref.alloca");
    } else if (name == "memref.dealloc") {
        body.f.dealloc(body.viewOperand(op, 0));
    } else if (name == "memref.copy") {
        body.f.copy(body.viewOperand(op, 0), body.viewOperand(op, 1));
    } else if (name == "memref.dim") {
        body.setResult(op, body.f.dim(body.viewOperand(op, 0), body.operand(op, 1)));
    } else if (name == "memref.rank") {
        body.setResult(op, body.index(static_cast<std::int64_t>(body.f.code().views[body.viewOperand(op, 0)].sizes.size())));
    } else if (name == "memref.get_global") {
        const Attribute* symbol = m.find(op, "name");
        const auto global = symbol == nullptr ? std::nullopt : body.program.globalNamed(symbol->bytes);
        if (!global) {
            body.refuse(op, "a global without content that can be held");
            return true;
        }
        body.setViewResult(op, body.f.global(*global));
    } else if (name == "memref.subview") {
        lowerSubview(body, op, ViewSpec::Kind::Subview);
    } else if (name == "memref.reinterpret_cast") {
        lowerSubview(body, op, ViewSpec::Kind::Reinterpret);
    } else if (name == "memref.expand_shape") {
        lowerReshape(body, op, ViewSpec::Kind::Expand);
    } else if (name == "memref.collapse_shape") {
        lowerReshape(body, op, ViewSpec::Kind::Collapse);
    } else if (name == "memref.cast" || name == "memref.memory_space_cast") {
        lowerCast(body, op);
    } else if (name == "memref.transpose") {
        lowerTranspose(body, op);
    } else if (name == "memref.reshape") {
        lowerFreeReshape(body, op);
    } else if (name == "memref.extract_strided_metadata") {
        lowerMetadata(body, op);
    } else if (name == "memref.atomic_rmw") {
        lowerAtomic(body, op);
    } else if (name == "memref.generic_atomic_rmw") {
        lowerGenericAtomic(body, op);
    } else if (name == "memref.assume_alignment" || name == "memref.prefetch") {
        // What it says of addresses has no meaning here.
    } else if (name == "memref.alloca_scope") {
        std::vector<Slot> results;
        for (std::size_t i = 0; i < m.resultCount(op); ++i) {
            results.push_back(body.fresh(m.value(m.result(op, i)).type));
            body.set(m.result(op, i), results.back());
        }
        body.structured(m.regionOf(op), results);
    } else {
        return false;
    }
    return true;
}

} // namespace lemmascope::ir
