// Vectors of static shape, a register for each lane. What they access in memory is in vector_access.cpp.
#include "core/format/mlir/lower/vector.h"

#include <algorithm>
#include <map>

namespace lemmascope::ir {

using interp::Op;

std::vector<std::int64_t> coordinates(const std::vector<std::int64_t>& shape, std::int64_t lane) {
    std::vector<std::int64_t> out(shape.size());
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        out[axis] = lane % shape[axis];
        lane /= shape[axis];
    }
    return out;
}

std::size_t laneAt(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& at) {
    std::int64_t lane = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        lane = lane * shape[axis] + at[axis];
    }
    return static_cast<std::size_t>(lane);
}

std::optional<std::vector<Register>> lanesOf(Body& body, ValueId value) {
    const Slot held = body.slot(value);
    if (held.kind == Slot::Kind::Lanes) {
        return held.lanes;
    }
    return held.kind == Slot::Kind::Scalar ? std::optional(std::vector{held.reg}) : std::nullopt;
}

namespace {

/// The integers of an attribute: a dense array, or an array of numbers.
std::vector<std::int64_t> integersOf(const Module& m, const Attribute* attribute) {
    if (attribute == nullptr) {
        return {};
    }
    std::vector<std::int64_t> out = attribute->integers;
    for (const AttributeId item : attribute->items) {
        out.push_back(m.attribute(item).integer);
    }
    return out;
}

/// The op that `#vector.kind<add>` names for elements of a type.
std::optional<Op> combiningOp(const Attribute* kind, ValueType type) {
    static const std::map<std::string_view, std::pair<Op, Op>> Known{{"add", {Op::AddI, Op::AddF}},
                                                                     {"mul", {Op::MulI, Op::MulF}},
                                                                     {"minsi", {Op::MinS, Op::MinS}},
                                                                     {"minui", {Op::MinU, Op::MinU}},
                                                                     {"maxsi", {Op::MaxS, Op::MaxS}},
                                                                     {"maxui", {Op::MaxU, Op::MaxU}},
                                                                     {"and", {Op::And, Op::And}},
                                                                     {"or", {Op::Or, Op::Or}},
                                                                     {"xor", {Op::Xor, Op::Xor}},
                                                                     {"minnumf", {Op::MinNumF, Op::MinNumF}},
                                                                     {"maxnumf", {Op::MaxNumF, Op::MaxNumF}},
                                                                     {"minimumf", {Op::MinimumF, Op::MinimumF}},
                                                                     {"maximumf", {Op::MaximumF, Op::MaximumF}}};
    if (kind == nullptr) {
        return std::nullopt;
    }
    const std::size_t open = kind->bytes.find('<');
    const std::size_t close = kind->bytes.find('>');
    const std::string name = open == std::string::npos || close == std::string::npos ? kind->bytes : kind->bytes.substr(open + 1, close - open - 1);
    const auto found = Known.find(name);
    return found == Known.end() ? std::nullopt : std::optional(type.isFloat() ? found->second.second : found->second.first);
}

void setShaped(Body& body, ValueId value, std::vector<Register> lanes) {
    if (body.module().typeOf(value).kind == Type::Kind::Vector) {
        body.setLanes(value, std::move(lanes));
    } else if (!lanes.empty()) {
        body.setScalar(value, lanes.front());
    }
}

bool lowerBroadcast(Body& body, OperationId op) {
    const Module& m = body.module();
    const Type& to = m.typeOf(m.result(op));
    const auto from = lanesOf(body, m.operand(op, 0));
    const Type& source = m.typeOf(m.operand(op, 0));
    const std::int64_t count = elementCount(to.shape).value_or(0);
    if (!from) {
        return false;
    }
    std::vector<Register> lanes;
    for (std::int64_t lane = 0; lane < count; ++lane) {
        const std::vector<std::int64_t> at = coordinates(to.shape, lane);
        std::vector<std::int64_t> inner;
        for (std::size_t axis = 0; axis < source.shape.size(); ++axis) {
            inner.push_back(source.shape[axis] == 1 ? 0 : at[to.shape.size() - source.shape.size() + axis]);
        }
        lanes.push_back(from->at(laneAt(source.shape, inner)));
    }
    body.setLanes(m.result(op), std::move(lanes));
    return true;
}

/// Whether `index` is the number `value`: an i1.
Register isIndex(Body& body, Register index, std::int64_t value) {
    const ValueType type = body.f.code().registers[index];
    return body.f.binary(Op::CmpI, type, index, body.f.constant(type, static_cast<std::uint64_t>(value)),
                         static_cast<std::uint16_t>(interp::CmpIPredicate::Eq));
}

bool lowerExtract(Body& body, OperationId op, bool inserts) {
    const Module& m = body.module();
    const ValueId vector = m.operand(op, inserts ? 1 : 0);
    const Type& type = m.typeOf(vector);
    auto lanes = lanesOf(body, vector);
    const auto part = inserts ? lanesOf(body, m.operand(op, 0)) : std::optional(std::vector<Register>());
    auto dynamic = m.operands(op).subspan(inserts ? 2 : 1);
    const std::vector<Bound> position = body.mixed(op, "static_position", dynamic);
    const bool known = std::all_of(position.begin(), position.end(), [](const Bound& bound) { return bound.isNumber; });
    if (!lanes || !part || !known || position.size() > type.shape.size()) {
        return false;
    }
    std::size_t first = 0;
    std::size_t size = lanes->size();
    for (std::size_t axis = 0; axis < position.size(); ++axis) {
        size /= static_cast<std::size_t>(type.shape[axis]);
        first += static_cast<std::size_t>(position[axis].value) * size;
    }
    if (first + size > lanes->size() || (inserts && part->size() != size)) {
        return false;
    }
    const auto at = lanes->begin() + static_cast<std::ptrdiff_t>(first);
    if (inserts) {
        std::copy(part->begin(), part->end(), at);
        setShaped(body, m.result(op), std::move(*lanes));
    } else {
        setShaped(body, m.result(op), {at, at + static_cast<std::ptrdiff_t>(size)});
    }
    return true;
}

/// extractelement and insertelement: the lane may be known only when it runs.
bool lowerElement(Body& body, OperationId op, bool inserts) {
    const Module& m = body.module();
    const std::size_t vectorAt = inserts ? 1 : 0;
    auto lanes = lanesOf(body, m.operand(op, vectorAt));
    if (!lanes || lanes->empty()) {
        return false;
    }
    const bool hasPosition = m.operands(op).size() > vectorAt + 1;
    const Register position = hasPosition ? body.operand(op, vectorAt + 1) : 0;
    if (!inserts) {
        Register out = lanes->front();
        for (std::size_t lane = 1; hasPosition && lane < lanes->size(); ++lane) {
            out = body.f.select(body.f.code().registers[out], isIndex(body, position, static_cast<std::int64_t>(lane)), lanes->at(lane), out);
        }
        body.setResult(op, out);
        return true;
    }
    const Register value = body.operand(op, 0);
    for (std::size_t lane = 0; lane < lanes->size(); ++lane) {
        Register& one = lanes->at(lane);
        one = hasPosition ? body.f.select(body.f.code().registers[one], isIndex(body, position, static_cast<std::int64_t>(lane)), value, one) : value;
    }
    body.setLanes(m.result(op), std::move(*lanes));
    return true;
}

bool lowerStridedSlice(Body& body, OperationId op, bool inserts) {
    const Module& m = body.module();
    const Type& whole = m.typeOf(m.operand(op, inserts ? 1 : 0));
    const Type& part = inserts ? m.typeOf(m.operand(op, 0)) : m.typeOf(m.result(op));
    auto lanes = lanesOf(body, m.operand(op, inserts ? 1 : 0));
    const auto given = inserts ? lanesOf(body, m.operand(op, 0)) : std::optional(std::vector<Register>());
    std::vector<std::int64_t> offsets = integersOf(m, m.find(op, "offsets"));
    std::vector<std::int64_t> strides = integersOf(m, m.find(op, "strides"));
    if (!lanes || !given || part.shape.size() > whole.shape.size()) {
        return false;
    }
    const std::size_t skipped = whole.shape.size() - part.shape.size();
    offsets.resize(whole.shape.size(), 0);
    strides.insert(strides.begin(), inserts ? skipped : 0, 1);
    strides.resize(whole.shape.size(), 1);
    std::vector<Register> out;
    const std::int64_t count = elementCount(part.shape).value_or(0);
    for (std::int64_t lane = 0; lane < count; ++lane) {
        const std::vector<std::int64_t> at = coordinates(part.shape, lane);
        std::vector<std::int64_t> in = offsets;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            in[skipped + axis] += at[axis] * strides[skipped + axis];
        }
        Register& one = lanes->at(laneAt(whole.shape, in));
        if (inserts) {
            one = given->at(static_cast<std::size_t>(lane));
        } else {
            out.push_back(one);
        }
    }
    body.setLanes(m.result(op), inserts ? std::move(*lanes) : std::move(out));
    return true;
}

bool lowerTranspose(Body& body, OperationId op) {
    const Module& m = body.module();
    const Type& from = m.typeOf(m.operand(op, 0));
    const Type& to = m.typeOf(m.result(op));
    const auto lanes = lanesOf(body, m.operand(op, 0));
    const std::vector<std::int64_t> permutation = integersOf(m, m.find(op, "permutation"));
    if (!lanes || permutation.size() != from.shape.size()) {
        return false;
    }
    std::vector<Register> out;
    for (std::int64_t lane = 0; lane < static_cast<std::int64_t>(lanes->size()); ++lane) {
        const std::vector<std::int64_t> at = coordinates(to.shape, lane);
        std::vector<std::int64_t> in(at.size());
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            in[static_cast<std::size_t>(permutation[axis])] = at[axis];
        }
        out.push_back(lanes->at(laneAt(from.shape, in)));
    }
    body.setLanes(m.result(op), std::move(out));
    return true;
}

bool lowerShuffle(Body& body, OperationId op) {
    const Module& m = body.module();
    auto lanes = lanesOf(body, m.operand(op, 0));
    const auto second = lanesOf(body, m.operand(op, 1));
    const Type& type = m.typeOf(m.operand(op, 0));
    if (!lanes || !second || lanes->empty()) {
        return false;
    }
    const std::size_t row = type.shape.empty() ? 1 : lanes->size() / static_cast<std::size_t>(type.shape.front());
    lanes->insert(lanes->end(), second->begin(), second->end());
    std::vector<Register> out;
    for (const std::int64_t pick : integersOf(m, m.find(op, "mask"))) {
        if (pick < 0 || (static_cast<std::size_t>(pick) + 1) * row > lanes->size()) {
            return false;
        }
        const auto first = lanes->begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(pick) * row);
        out.insert(out.end(), first, first + static_cast<std::ptrdiff_t>(row));
    }
    body.setLanes(m.result(op), std::move(out));
    return true;
}

bool lowerReduction(Body& body, OperationId op) {
    const Module& m = body.module();
    const auto lanes = lanesOf(body, m.operand(op, 0));
    const auto type = valueType(m, m.value(m.result(op)).type);
    const auto combine = type ? combiningOp(m.find(op, "kind"), *type) : std::nullopt;
    if (!lanes || lanes->empty() || !combine) {
        return false;
    }
    // In order, from the accumulator if there is one: what MLIR promises for floats without fast-math flags.
    std::optional<Register> sum;
    if (m.operands(op).size() > 1) {
        sum = body.operand(op, 1);
    }
    for (const Register lane : *lanes) {
        sum = sum ? body.f.binary(*combine, *type, *sum, lane) : lane;
    }
    body.setResult(op, *sum);
    return true;
}

bool lowerMultiReduction(Body& body, OperationId op) {
    const Module& m = body.module();
    const Type& from = m.typeOf(m.operand(op, 0));
    const auto lanes = lanesOf(body, m.operand(op, 0));
    auto sums = lanesOf(body, m.operand(op, 1));
    const auto element = valueType(m, from.element);
    const auto combine = element ? combiningOp(m.find(op, "kind"), *element) : std::nullopt;
    const std::vector<std::int64_t> reduced = integersOf(m, m.find(op, "reduction_dims"));
    if (!lanes || !sums || !combine) {
        return false;
    }
    std::vector<std::int64_t> shape;
    for (std::size_t axis = 0; axis < from.shape.size(); ++axis) {
        if (std::find(reduced.begin(), reduced.end(), static_cast<std::int64_t>(axis)) == reduced.end()) {
            shape.push_back(from.shape[axis]);
        }
    }
    for (std::int64_t lane = 0; lane < static_cast<std::int64_t>(lanes->size()); ++lane) {
        const std::vector<std::int64_t> at = coordinates(from.shape, lane);
        std::vector<std::int64_t> kept;
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            if (std::find(reduced.begin(), reduced.end(), static_cast<std::int64_t>(axis)) == reduced.end()) {
                kept.push_back(at[axis]);
            }
        }
        Register& sum = sums->at(laneAt(shape, kept));
        sum = body.f.binary(*combine, *element, sum, lanes->at(static_cast<std::size_t>(lane)));
    }
    setShaped(body, m.result(op), std::move(*sums));
    return true;
}

bool lowerContract(Body& body, OperationId op) {
    constexpr std::int64_t MostSteps = 1 << 16;
    const Module& m = body.module();
    const Attribute* maps = m.find(op, "indexing_maps");
    const auto left = lanesOf(body, m.operand(op, 0));
    const auto right = lanesOf(body, m.operand(op, 1));
    auto sums = lanesOf(body, m.operand(op, 2));
    if (maps == nullptr || maps->items.size() != 3 || !left || !right || !sums || m.operands(op).size() != 3) {
        return false;
    }
    const ValueType type = body.f.code().registers[sums->front()];
    const auto combine = combiningOp(m.find(op, "kind"), type);
    const AffineMap* map[3];
    std::vector<std::int64_t> sizes;
    for (std::size_t i = 0; i < 3; ++i) {
        map[i] = &m.map(m.attribute(maps->items[i]).map);
        sizes.resize(map[i]->dimensions, 0);
        for (std::size_t axis = 0; axis < map[i]->results.size(); ++axis) {
            const AffineNode& node = map[i]->nodes[map[i]->results[axis]];
            if (node.kind != AffineNode::Kind::Dimension) {
                return false;
            }
            sizes[static_cast<std::size_t>(node.value)] = m.typeOf(m.operand(op, i)).shape[axis];
        }
    }
    const auto steps = elementCount(sizes);
    const bool sameTypes = body.f.code().registers[left->front()] == type && body.f.code().registers[right->front()] == type;
    if (!combine || !steps || *steps > MostSteps || !sameTypes) {
        return false;
    }
    for (std::int64_t step = 0; step < *steps; ++step) {
        const std::vector<std::int64_t> at = coordinates(sizes, step);
        const auto lane = [&](std::size_t i) {
            std::vector<std::int64_t> in;
            for (const std::uint32_t result : map[i]->results) {
                in.push_back(at[static_cast<std::size_t>(map[i]->nodes[result].value)]);
            }
            return laneAt(m.typeOf(m.operand(op, i)).shape, in);
        };
        const Register product = body.f.binary(type.isFloat() ? Op::MulF : Op::MulI, type, left->at(lane(0)), right->at(lane(1)));
        Register& sum = sums->at(lane(2));
        sum = body.f.binary(*combine, type, sum, product);
    }
    setShaped(body, m.result(op), std::move(*sums));
    return true;
}

bool lowerOuterProduct(Body& body, OperationId op) {
    const Module& m = body.module();
    const auto left = lanesOf(body, m.operand(op, 0));
    const auto right = lanesOf(body, m.operand(op, 1));
    const auto sums = m.operands(op).size() > 2 ? lanesOf(body, m.operand(op, 2)) : std::nullopt;
    if (!left || !right || left->empty()) {
        return false;
    }
    const ValueType type = body.f.code().registers[left->front()];
    const auto combine = combiningOp(m.find(op, "kind"), type);
    std::vector<Register> out;
    for (std::size_t i = 0; i < left->size(); ++i) {
        for (std::size_t j = 0; j < right->size(); ++j) {
            const std::size_t lane = out.size();
            if (sums && type.isFloat() && combine == Op::AddF) { // fused, by its description
                out.push_back(body.f.scalar(type));
                body.f.emit({Op::Fma, type, 0, out.back(), left->at(i), right->at(j), sums->at(lane)});
                continue;
            }
            const Register product = body.f.binary(type.isFloat() ? Op::MulF : Op::MulI, type, left->at(i), right->at(j));
            if (sums && !combine) {
                return false;
            }
            out.push_back(sums ? body.f.binary(*combine, type, sums->at(lane), product) : product);
        }
    }
    body.setLanes(m.result(op), std::move(out));
    return true;
}

/// Masks: lanes whose coordinates all lie below the sizes.
bool lowerMask(Body& body, OperationId op, bool constant) {
    const Module& m = body.module();
    const Type& type = m.typeOf(m.result(op));
    const std::vector<std::int64_t> sizes = integersOf(m, m.find(op, "mask_dim_sizes"));
    const std::int64_t count = elementCount(type.shape).value_or(0);
    std::vector<Register> lanes;
    for (std::int64_t lane = 0; lane < count; ++lane) {
        const std::vector<std::int64_t> at = coordinates(type.shape, lane);
        Register holds = body.f.constant(interp::Bit, 1);
        for (std::size_t axis = 0; axis < at.size(); ++axis) {
            const Register below = constant ? body.f.constant(interp::Bit, axis < sizes.size() && at[axis] < sizes[axis] ? 1 : 0)
                                            : body.f.binary(Op::CmpI, interp::Index, body.index(at[axis]), body.operand(op, axis),
                                                            static_cast<std::uint16_t>(interp::CmpIPredicate::Slt));
            holds = axis == 0 ? below : body.f.binary(Op::And, interp::Bit, holds, below);
        }
        lanes.push_back(holds);
    }
    body.setLanes(m.result(op), std::move(lanes));
    return true;
}

} // namespace

bool lowerVector(Body& body, OperationId op, std::string_view fullName) {
    const Module& m = body.module();
    const std::string_view name = fullName.substr(fullName.find('.') + 1);
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        const Type& type = m.typeOf(m.result(op, i));
        const bool isVector = type.kind == Type::Kind::Vector;
        if (isVector && (type.scalable || elementCount(type.shape).value_or(MostLanes + 1) > MostLanes || !valueType(m, type.element))) {
            body.refuse(op, "a result of type " + type.text);
            return true;
        }
    }
    if (name == "broadcast" || name == "splat") {
        return lowerBroadcast(body, op);
    }
    if (name == "extract" || name == "insert") {
        return lowerExtract(body, op, name == "insert");
    }
    if (name == "extractelement" || name == "insertelement") {
        return lowerElement(body, op, name == "insertelement");
    }
    if (name == "extract_strided_slice" || name == "insert_strided_slice") {
        return lowerStridedSlice(body, op, name == "insert_strided_slice");
    }
    if (name == "shape_cast") {
        auto lanes = lanesOf(body, m.operand(op, 0));
        if (lanes) {
            setShaped(body, m.result(op), std::move(*lanes));
        }
        return lanes.has_value();
    }
    if (name == "transpose") {
        return lowerTranspose(body, op);
    }
    if (name == "shuffle") {
        return lowerShuffle(body, op);
    }
    if (name == "reduction") {
        return lowerReduction(body, op);
    }
    if (name == "multi_reduction") {
        return lowerMultiReduction(body, op);
    }
    if (name == "contract") {
        return lowerContract(body, op);
    }
    if (name == "outerproduct") {
        return lowerOuterProduct(body, op);
    }
    if (name == "create_mask" || name == "constant_mask") {
        return lowerMask(body, op, name == "constant_mask");
    }
    if (name == "fma") {
        body.elementwise(op, [&](const std::vector<Register>& in) {
            const ValueType type = body.f.code().registers[in[0]];
            const Register out = body.f.scalar(type);
            body.f.emit({Op::Fma, type, 0, out, in[0], in[1], in[2]});
            return std::vector{out};
        });
        return true;
    }
    return lowerVectorAccess(body, op, name);
}

} // namespace lemmascope::ir
