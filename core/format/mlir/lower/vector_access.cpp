// Vectors read from and written to memory, lane by lane.
#include "core/format/mlir/lower/vector.h"

namespace lemmascope::ir {

using interp::Op;

namespace {

/// How the lanes of a vector lie in a memref or tensor.
struct Access {
    Register view = 0;
    std::vector<Bound> base;
    std::vector<std::int64_t> shape;              ///< of the vector
    std::vector<std::optional<std::size_t>> axes; ///< of the view along each of the vector's; none: broadcast
    std::vector<bool> checked;                    ///< by axis of the vector: a lane may lie outside
    std::optional<std::vector<Register>> mask;
};

std::vector<Register> indexOf(Body& body, const Access& access, const std::vector<std::int64_t>& at) {
    std::vector<Bound> index = access.base;
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        if (access.axes[axis]) {
            Bound& one = index[*access.axes[axis]];
            one = body.add(one, {true, at[axis], 0});
        }
    }
    std::vector<Register> out;
    for (const Bound& bound : index) {
        out.push_back(body.in(bound));
    }
    return out;
}

/// Whether a lane is accessed at all: an i1, or nothing if it always is.
std::optional<Register> guardOf(Body& body, const Access& access, const std::vector<std::int64_t>& at, std::size_t lane,
                                const std::vector<Register>& index) {
    std::optional<Register> guard;
    const auto also = [&](Register condition) { guard = guard ? body.f.binary(Op::And, interp::Bit, *guard, condition) : condition; };
    if (access.mask) {
        also(access.mask->at(lane));
    }
    for (std::size_t axis = 0; axis < at.size(); ++axis) {
        if (access.checked[axis] && access.axes[axis]) {
            const std::size_t viewAxis = *access.axes[axis];
            also(body.f.binary(Op::CmpI, interp::Index, index[viewAxis], body.in(body.sizeOf(access.view, viewAxis)),
                               static_cast<std::uint16_t>(interp::CmpIPredicate::Ult)));
        }
    }
    return guard;
}

std::vector<Register> readLanes(Body& body, const Access& access, const std::function<Register(std::size_t)>& otherwise) {
    std::vector<Register> out;
    const std::int64_t count = elementCount(access.shape).value_or(0);
    for (std::int64_t lane = 0; lane < count; ++lane) {
        const std::vector<std::int64_t> at = coordinates(access.shape, lane);
        const std::vector<Register> index = indexOf(body, access, at);
        const auto guard = guardOf(body, access, at, static_cast<std::size_t>(lane), index);
        if (!guard) {
            out.push_back(body.f.load(access.view, index));
            continue;
        }
        const Register value = body.f.scalar(body.f.code().views[access.view].element);
        const Label inside = body.f.label();
        const Label outside = body.f.label();
        const Label exit = body.f.label();
        body.f.branch(*guard, inside, outside);
        body.f.bind(inside);
        body.f.jump(exit, {{{value, body.f.load(access.view, index)}}, {}});
        body.f.bind(outside);
        body.f.jump(exit, {{{value, otherwise(static_cast<std::size_t>(lane))}}, {}});
        body.f.bind(exit);
        out.push_back(value);
    }
    return out;
}

void writeLanes(Body& body, const Access& access, const std::vector<Register>& lanes) {
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
        const std::vector<std::int64_t> at = coordinates(access.shape, static_cast<std::int64_t>(lane));
        const std::vector<Register> index = indexOf(body, access, at);
        const auto guard = guardOf(body, access, at, lane, index);
        const Label inside = body.f.label();
        const Label exit = body.f.label();
        if (guard) {
            body.f.branch(*guard, inside, exit);
            body.f.bind(inside);
        }
        body.f.store(lanes[lane], access.view, index);
        if (guard) {
            body.f.bind(exit);
        }
    }
}

/// Along the last axes of the view, all of it inside.
std::optional<Access> plainAccess(Body& body, Register view, std::span<const ValueId> indices, const Type& vector) {
    Access access;
    access.view = view;
    access.base = body.bounds(indices);
    access.shape = vector.shape;
    if (vector.scalable || !elementCount(vector.shape) || vector.shape.size() > access.base.size()) {
        return std::nullopt;
    }
    for (std::size_t axis = 0; axis < vector.shape.size(); ++axis) {
        access.axes.emplace_back(access.base.size() - vector.shape.size() + axis);
        access.checked.push_back(false);
    }
    return access;
}

bool lowerPlain(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    const bool isStore = name == "store" || name == "maskedstore";
    const bool isMasked = name.starts_with("masked");
    const auto operands = m.operands(op);
    // load: base, indices. store: value, base, indices. Masked ones: base, indices, mask, value.
    const std::size_t baseAt = name == "store" ? 1 : 0;
    const std::size_t indexEnd = isMasked ? operands.size() - 2 : operands.size();
    const ValueId value = isMasked ? operands.back() : operands[0];
    const Type& vector = isStore || isMasked ? m.typeOf(value) : m.typeOf(m.result(op));
    const auto indices = operands.subspan(baseAt + 1, indexEnd - baseAt - 1);
    std::optional<Access> access = plainAccess(body, body.view(operands[baseAt]), indices, vector);
    if (!access || body.f.code().views[access->view].element != valueType(m, vector.element)) {
        return false;
    }
    if (isMasked) {
        access->mask = lanesOf(body, operands[operands.size() - 2]);
    }
    const auto lanes = isStore || isMasked ? lanesOf(body, value) : std::nullopt;
    if (isStore) {
        if (lanes) {
            writeLanes(body, *access, *lanes);
        }
        return lanes.has_value();
    }
    body.setLanes(m.result(op), readLanes(body, *access, [&](std::size_t lane) { return lanes->at(lane); }));
    return true;
}

bool lowerTransfer(Body& body, OperationId op, bool reads) {
    const Module& m = body.module();
    // read: [source, indices, padding, mask]; write: [vector, source, indices, mask].
    const ValueId source = reads ? body.segment(op, 0)[0] : body.segment(op, 1)[0];
    const auto indices = reads ? body.segment(op, 1) : body.segment(op, 2);
    const auto mask = body.segment(op, 3);
    const Type& vector = reads ? m.typeOf(m.result(op)) : m.typeOf(body.segment(op, 0)[0]);
    const Attribute* permutation = m.find(op, "permutation_map");
    const Attribute* inside = m.find(op, "in_bounds");
    const auto held = valueType(m, vector.element);
    if (permutation == nullptr || !permutation->map.isValid() || vector.scalable || !elementCount(vector.shape) || !held) {
        return false;
    }
    const AffineMap& map = m.map(permutation->map);
    Access access;
    access.view = reads || m.typeOf(source).kind == Type::Kind::MemRef ? body.view(source) : body.consumed(op, source);
    access.base = body.bounds(indices);
    access.shape = vector.shape;
    if (map.results.size() != vector.shape.size() || body.f.code().views[access.view].element != *held) {
        return false;
    }
    for (std::size_t axis = 0; axis < map.results.size(); ++axis) {
        const AffineNode& node = map.nodes[map.results[axis]];
        const bool along = node.kind == AffineNode::Kind::Dimension;
        access.axes.push_back(along ? std::optional(static_cast<std::size_t>(node.value)) : std::nullopt);
        const bool known = inside != nullptr && axis < inside->items.size() && m.attribute(inside->items[axis]).integer != 0;
        access.checked.push_back(along && !known);
    }
    if (!mask.empty()) {
        access.mask = lanesOf(body, mask[0]);
        // A mask has the shape of what it reads, before any transposition or broadcast.
        bool straight = access.mask && access.mask->size() == static_cast<std::size_t>(*elementCount(vector.shape));
        for (std::size_t axis = 0; axis < access.axes.size(); ++axis) {
            straight = straight && access.axes[axis] && (axis == 0 || *access.axes[axis] > *access.axes[axis - 1]);
        }
        if (!straight) {
            return false;
        }
    }
    if (reads) {
        const Register padding = body.scalar(body.segment(op, 2)[0]);
        body.setLanes(m.result(op), readLanes(body, access, [&](std::size_t) { return padding; }));
        return true;
    }
    const auto lanes = lanesOf(body, body.segment(op, 0)[0]);
    if (lanes) {
        writeLanes(body, access, *lanes);
        if (m.resultCount(op) == 1) {
            body.setViewResult(op, access.view);
        }
    }
    return lanes.has_value();
}

} // namespace

bool lowerVectorAccess(Body& body, OperationId op, std::string_view name) {
    if (name == "load" || name == "store" || name == "maskedload" || name == "maskedstore") {
        return lowerPlain(body, op, name);
    }
    if (name == "transfer_read" || name == "transfer_write") {
        return lowerTransfer(body, op, name == "transfer_read");
    }
    return false;
}

} // namespace lemmascope::ir
