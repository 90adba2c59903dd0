// tensor and linalg as graphs. A structured op is what its body computes of operands that are moved into the order of its loops, summed along
// those that reduce.
#include "core/format/mlir/graph/builder.h"

#include <algorithm>
#include <limits>
#include <set>

namespace lemmascope::ir {

namespace {

std::vector<std::int64_t> integersOf(const Module& m, OperationId op, std::string_view name) {
    const Attribute* attribute = m.find(op, name);
    return attribute == nullptr ? std::vector<std::int64_t>() : attribute->integers;
}

bool isStatic(const std::vector<std::int64_t>& sizes) { return std::find(sizes.begin(), sizes.end(), Dynamic) == sizes.end(); }

const std::vector<std::int64_t>& shapeOf(const Module& m, ValueId value) { return m.typeOf(value).shape; }

std::optional<GraphValue> reshaped(GraphBuilder& b, GraphValue value, const std::vector<std::int64_t>& sizes) {
    return isStatic(sizes) ? std::optional(b.node("Reshape", {value, b.integers(sizes)})) : std::nullopt;
}

std::optional<GraphValue> slice(GraphBuilder& b, OperationId op) {
    const Module& m = b.m;
    const std::vector<std::int64_t> offsets = integersOf(m, op, "static_offsets");
    const std::vector<std::int64_t> sizes = integersOf(m, op, "static_sizes");
    const std::vector<std::int64_t> strides = integersOf(m, op, "static_strides");
    const auto source = b.value(m.operand(op, 0));
    if (!source || !isStatic(offsets) || !isStatic(strides)) {
        return std::nullopt;
    }
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> along;
    std::size_t next = 1;
    for (std::size_t axis = 0; axis < offsets.size(); ++axis) {
        if (sizes[axis] == Dynamic) { // the axis from end to end, if it is known to be that
            const auto measured = axisMeasured(m, m.operand(op, next++));
            if (!measured || offsets[axis] != 0 || strides[axis] != 1 || b.axes.classOf(*measured) != b.axes.classOf({m.operand(op, 0), axis})) {
                return std::nullopt;
            }
            ends.push_back(std::numeric_limits<std::int64_t>::max());
            along.push_back(static_cast<std::int64_t>(axis));
            continue;
        }
        ends.push_back(offsets[axis] + (sizes[axis] - 1) * strides[axis] + 1);
        along.push_back(static_cast<std::int64_t>(axis));
        if (sizes[axis] < 1 || strides[axis] < 1 || offsets[axis] < 0 || shapeOf(m, m.operand(op, 0))[axis] < ends.back()) {
            return std::nullopt; // also where the size is not known: a graph's slice would be cut short there
        }
    }
    const GraphValue cut = b.node("Slice", {*source, b.integers(offsets), b.integers(ends), b.integers(along), b.integers(strides)});
    return shapeOf(m, m.result(op)) == sizes ? std::optional(cut) : reshaped(b, cut, shapeOf(m, m.result(op)));
}

/// What is left of a tensor around the part that is put in, axis by axis.
std::optional<GraphValue> inserted(GraphBuilder& b, OperationId op) {
    const Module& m = b.m;
    const std::vector<std::int64_t> offsets = integersOf(m, op, "static_offsets");
    const std::vector<std::int64_t> sizes = integersOf(m, op, "static_sizes");
    const std::vector<std::int64_t> strides = integersOf(m, op, "static_strides");
    const std::vector<std::int64_t>& whole = shapeOf(m, m.result(op));
    const auto in = b.operands(op);
    if (!in || in->size() != 2 || !isStatic(offsets) || !isStatic(sizes) || !isStatic(whole) || offsets.size() != whole.size() ||
        std::any_of(strides.begin(), strides.end(), [](std::int64_t stride) { return stride != 1; })) {
        return std::nullopt;
    }
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
        if (sizes[axis] < 1 || offsets[axis] < 0 || offsets[axis] > whole[axis] - sizes[axis]) {
            return std::nullopt;
        }
    }
    GraphValue made = in->front();
    if (shapeOf(m, m.operand(op, 0)) != sizes) {
        made = b.node("Reshape", {made, b.integers(sizes)});
    }
    for (std::size_t axis = whole.size(); axis-- > 0;) {
        // Of the axes before this one only where the part lies, of this one what is outside it, of those behind all.
        const auto outside = [&](std::int64_t begin, std::int64_t end) {
            std::vector<std::int64_t> from(offsets.begin(), offsets.begin() + static_cast<std::ptrdiff_t>(axis));
            std::vector<std::int64_t> to;
            for (std::size_t before = 0; before < axis; ++before) {
                to.push_back(offsets[before] + sizes[before]);
            }
            from.push_back(begin);
            to.push_back(end);
            return b.node("Slice", {in->back(), b.integers(from), b.integers(to)});
        };
        std::vector<GraphValue> parts;
        if (offsets[axis] > 0) {
            parts.push_back(outside(0, offsets[axis]));
        }
        parts.push_back(made);
        if (offsets[axis] + sizes[axis] < whole[axis]) {
            parts.push_back(outside(offsets[axis] + sizes[axis], whole[axis]));
        }
        made = parts.size() == 1 ? made : b.node("Concat", parts, {{"axis", static_cast<std::int64_t>(axis)}});
    }
    return made;
}

/// Axes of the source put together; their lengths are multiplied where one is not known.
std::optional<GraphValue> collapsed(GraphBuilder& b, OperationId op, GraphValue source) {
    const Module& m = b.m;
    std::vector<std::int64_t> sizes = shapeOf(m, m.result(op));
    const auto unknown = std::count(sizes.begin(), sizes.end(), Dynamic);
    if (unknown == 0) {
        return b.node("Reshape", {source, b.integers(sizes)});
    }
    const Attribute* groups = m.find(op, "reassociation");
    const auto shape = b.shape(m.operand(op, 0));
    if (groups == nullptr || groups->items.size() != sizes.size() || !shape) {
        return std::nullopt;
    }
    std::vector<GraphValue> parts;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] != Dynamic) {
            parts.push_back(b.integers({sizes[axis]}));
            continue;
        }
        std::vector<std::int64_t> group;
        for (const AttributeId item : m.attribute(groups->items[axis]).items) {
            group.push_back(m.attribute(item).integer);
        }
        if (group.empty()) {
            return std::nullopt;
        }
        GraphValue product = b.node("Gather", {*shape, b.integers({group.front()})});
        for (std::size_t i = 1; i < group.size(); ++i) {
            product = b.node("Mul", {product, b.node("Gather", {*shape, b.integers({group[i]})})});
        }
        parts.push_back(product);
    }
    return b.node("Reshape", {source, parts.size() == 1 ? parts.front() : b.node("Concat", parts, {{"axis", std::int64_t{0}}})});
}

std::optional<GraphValue> padded(GraphBuilder& b, OperationId op) {
    const Module& m = b.m;
    const std::vector<std::int64_t> low = integersOf(m, op, "static_low");
    const std::vector<std::int64_t> high = integersOf(m, op, "static_high");
    const auto source = b.value(m.operand(op, 0));
    if (!source || m.operands(op).size() != 1 || !isStatic(low) || !isStatic(high) || m.blockCount(m.regionOf(op)) != 1) {
        return std::nullopt;
    }
    const BlockId block = m.blockOf(m.regionOf(op));
    if (m.block(block).operations.count != 1 || std::any_of(low.begin(), low.end(), [](std::int64_t n) { return n < 0; }) ||
        std::any_of(high.begin(), high.end(), [](std::int64_t n) { return n < 0; })) {
        return std::nullopt; // a value that depends on the index
    }
    const auto fill = b.value(m.operand(m.operationOf(block, 0), 0));
    std::vector<std::int64_t> pads = low;
    pads.insert(pads.end(), high.begin(), high.end());
    return fill ? std::optional(b.node("Pad", {*source, b.integers(pads), *fill})) : std::nullopt;
}

std::optional<GraphValue> tensorOp(GraphBuilder& b, OperationId op, std::string_view name) {
    const Module& m = b.m;
    if (name == "tensor.extract_slice") {
        return slice(b, op);
    }
    if (name == "tensor.insert_slice") {
        return inserted(b, op);
    }
    if (name == "tensor.pad") {
        return padded(b, op);
    }
    if (name == "tensor.dim") {
        const auto axis = axisMeasured(m, m.result(op));
        const auto shape = axis ? b.shape(axis->tensor) : std::nullopt;
        return shape ? std::optional(b.node(
                           "Gather", {*shape, b.constant(Tensor::of<std::int64_t>(ElementType::I64, {}, {static_cast<std::int64_t>(axis->number)}))}))
                     : std::nullopt;
    }
    const auto in = b.operands(op);
    if (!in) {
        return std::nullopt;
    }
    if (name == "tensor.collapse_shape") {
        return collapsed(b, op, in->front());
    }
    if (name == "tensor.expand_shape") {
        const auto sizes = b.sizes(shapeOf(m, m.result(op)), m.operands(op).subspan(1));
        return sizes ? std::optional(b.node("Reshape", {in->front(), *sizes})) : std::nullopt;
    }
    if (name == "tensor.cast") {
        return in->front();
    }
    if (name == "tensor.concat") {
        const Attribute* axis = m.find(op, "dim");
        return axis == nullptr ? std::nullopt : std::optional(b.node("Concat", *in, {{"axis", axis->integer}}));
    }
    if (name == "tensor.splat" && isStatic(shapeOf(m, m.result(op)))) {
        return b.node("Expand", {in->front(), b.integers(shapeOf(m, m.result(op)))});
    }
    return std::nullopt;
}

constexpr std::int64_t NoLoop = -1; ///< in place of a loop: an axis of length 1, always read at its only index

/// The loop that each axis of an operand runs along; nothing if some axis runs along none of its own.
std::optional<std::vector<std::int64_t>> loopsOf(const AffineMap& map, const std::vector<std::int64_t>& shape) {
    std::vector<std::int64_t> out;
    std::set<std::int64_t> seen;
    for (const std::uint32_t result : map.results) {
        const AffineNode& node = map.nodes[result];
        if (node.kind == AffineNode::Kind::Constant && node.value == 0 && out.size() < shape.size() && shape[out.size()] == 1) {
            out.push_back(NoLoop);
            continue;
        }
        if (node.kind != AffineNode::Kind::Dimension || !seen.insert(node.value).second) {
            return std::nullopt;
        }
        out.push_back(node.value);
    }
    return out;
}

/// An operand with an axis for each loop, in their order; of length 1 where it does not run along.
GraphValue spread(GraphBuilder& b, GraphValue value, std::vector<std::int64_t> along, std::size_t loops) {
    std::vector<std::int64_t> single;
    for (std::size_t axis = 0; axis < along.size(); ++axis) {
        if (along[axis] == NoLoop) {
            single.push_back(static_cast<std::int64_t>(axis));
        }
    }
    if (!single.empty()) {
        value = b.node("Squeeze", {value, b.integers(single)});
        std::erase(along, NoLoop);
    }
    std::vector<std::int64_t> order(along.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        order[i] = static_cast<std::int64_t>(i);
    }
    std::sort(order.begin(), order.end(),
              [&](std::int64_t x, std::int64_t y) { return along[static_cast<std::size_t>(x)] < along[static_cast<std::size_t>(y)]; });
    if (!std::is_sorted(order.begin(), order.end())) {
        value = b.node("Transpose", {value}, {{"perm", order}});
    }
    std::vector<std::int64_t> missing;
    for (std::size_t loop = 0; loop < loops; ++loop) {
        if (std::find(along.begin(), along.end(), static_cast<std::int64_t>(loop)) == along.end()) {
            missing.push_back(static_cast<std::int64_t>(loop));
        }
    }
    return missing.empty() || loops == 0 ? value : b.node("Unsqueeze", {value, b.integers(missing)});
}

struct Combining {
    const char* reduce;
    const char* combine;
};
std::optional<Combining> combiningOf(std::string_view name) {
    if (name == "arith.addf" || name == "arith.addi") {
        return Combining{"ReduceSum", "Add"};
    }
    if (name == "arith.mulf" || name == "arith.muli") {
        return Combining{"ReduceProd", "Mul"};
    }
    if (name == "arith.maximumf" || name == "arith.maxsi") {
        return Combining{"ReduceMax", "Max"};
    }
    if (name == "arith.minimumf" || name == "arith.minsi") {
        return Combining{"ReduceMin", "Min"};
    }
    return std::nullopt;
}

/// True for a tensor whose elements are all that number, as far as it is written down.
bool isFilledWith(const GraphBuilder& b, GraphValue value, double number) {
    const lemmascope::Value* held = &b.graph.value(value);
    const auto repeats = [](std::string_view op) { return op == "Expand" || op == "Unsqueeze" || op == "Transpose"; };
    while (held->producer.isValid() && repeats(b.graph.node(held->producer).op.name)) {
        held = &b.graph.value(b.graph.node(held->producer).operands[0]);
    }
    const std::int64_t count = held->constant ? held->constant->count() : 0;
    for (std::int64_t i = 0; i < count; ++i) {
        if (held->constant->toDouble(i) != number) {
            return false;
        }
    }
    return count > 0;
}

/// True if the loops that reduce run at least once: those of unknown length do (the sizes of a graph start at 1).
bool runsOver(const Module& m, OperationId op) {
    return std::none_of(m.operands(op).begin(), m.operands(op).end(), [&](ValueId operand) {
        const std::vector<std::int64_t>& shape = shapeOf(m, operand);
        return std::find(shape.begin(), shape.end(), 0) != shape.end();
    });
}

struct Structured {
    std::vector<std::vector<std::int64_t>> along; ///< by operand
    std::size_t loops = 0;
    std::size_t inputs = 0;
};

std::optional<Structured> structureOf(const Module& m, OperationId op) {
    const Attribute* maps = m.find(op, "lemmascope.indexing_maps");
    if (maps == nullptr || maps->items.size() != m.operands(op).size() || m.regionCount(op) != 1 || m.blockCount(m.regionOf(op)) != 1 ||
        m.resultCount(op) != 1) {
        return std::nullopt;
    }
    Structured out;
    out.inputs = maps->items.size() - 1;
    for (const AttributeId item : maps->items) {
        const AffineMap& map = m.map(m.attribute(item).map);
        const auto along = loopsOf(map, shapeOf(m, m.operand(op, out.along.size())));
        if (!along) {
            return std::nullopt;
        }
        out.loops = map.dimensions;
        out.along.push_back(*along);
    }
    const std::vector<std::int64_t>& written = out.along.back();
    return std::find(written.begin(), written.end(), NoLoop) == written.end() ? std::optional(out) : std::nullopt;
}

/// The lengths of all loops, a 1-d tensor: numbers where some operand has them as numbers, else measured.
std::optional<GraphValue> loopSizes(GraphBuilder& b, OperationId op, const Structured& s) {
    const Module& m = b.m;
    std::vector<std::int64_t> known(s.loops, Dynamic);
    std::vector<Axis> measured(s.loops);
    for (std::size_t i = 0; i < s.along.size(); ++i) {
        const ValueId operand = m.operand(op, i);
        for (std::size_t axis = 0; axis < s.along[i].size(); ++axis) {
            if (s.along[i][axis] == NoLoop) {
                continue;
            }
            const auto loop = static_cast<std::size_t>(s.along[i][axis]);
            measured[loop] = measured[loop].tensor.isValid() ? measured[loop] : Axis{operand, axis};
            known[loop] = known[loop] == Dynamic ? shapeOf(m, operand)[axis] : known[loop];
        }
    }
    if (isStatic(known)) {
        return b.integers(known);
    }
    std::vector<GraphValue> parts;
    for (std::size_t loop = 0; loop < s.loops; ++loop) {
        if (known[loop] != Dynamic) {
            parts.push_back(b.integers({known[loop]}));
            continue;
        }
        const auto shape = measured[loop].tensor.isValid() ? b.shape(measured[loop].tensor) : std::nullopt;
        if (!shape) {
            return std::nullopt;
        }
        parts.push_back(b.node("Gather", {*shape, b.integers({static_cast<std::int64_t>(measured[loop].number)})}));
    }
    return parts.size() == 1 ? parts.front() : b.node("Concat", parts, {{"axis", std::int64_t{0}}});
}

/// What has an axis for each of `kept` in the order of the loops, in the order of `kept`.
GraphValue inOrder(GraphBuilder& b, GraphValue value, const std::vector<std::int64_t>& kept) {
    std::vector<std::int64_t> order;
    for (const std::int64_t loop : kept) {
        order.push_back(std::count_if(kept.begin(), kept.end(), [&](std::int64_t other) { return other < loop; }));
    }
    return std::is_sorted(order.begin(), order.end()) ? value : b.node("Transpose", {value}, {{"perm", order}});
}

std::optional<GraphValue> structuredOp(GraphBuilder& b, OperationId op) {
    const Module& m = b.m;
    const auto s = structureOf(m, op);
    if (!s) {
        return std::nullopt;
    }
    const BlockId block = m.blockOf(m.regionOf(op));
    const std::vector<std::int64_t>& kept = s->along.back();
    std::vector<std::int64_t> reduced;
    for (std::int64_t loop = 0; loop < static_cast<std::int64_t>(s->loops); ++loop) {
        if (std::find(kept.begin(), kept.end(), loop) == kept.end()) {
            reduced.push_back(loop);
        }
    }
    const std::size_t arguments = m.block(block).arguments.count;
    for (std::size_t i = 0; i < s->inputs && i < arguments; ++i) {
        const auto held = b.value(m.operand(op, i));
        if (!held) {
            return std::nullopt;
        }
        b.set(m.argument(block, i), spread(b, *held, s->along[i], s->loops));
    }
    const ValueId accumulator = arguments > s->inputs ? m.argument(block, s->inputs) : ValueId();
    const auto initial = b.value(m.operand(op, s->inputs));
    const std::size_t count = m.block(block).operations.count;
    const OperationId last = m.operationOf(block, count - 1);
    const ValueId yielded = m.operand(last, 0);
    // Where loops reduce, the yielded value must be `accumulator op something`, and nothing else may read the accumulator.
    OperationId final;
    if (reduced.empty()) {
        if (accumulator.isValid() && initial) {
            b.set(accumulator, spread(b, *initial, kept, s->loops));
        }
    } else {
        final = m.value(yielded).operation;
        if (!final.isValid() || !accumulator.isValid() || !initial || m.operands(final).size() != 2) {
            return std::nullopt;
        }
    }
    for (std::size_t i = 0; i + 1 < count; ++i) {
        const OperationId inner = m.operationOf(block, i);
        if (inner == final) {
            continue;
        }
        const auto in = b.operands(inner);
        std::optional<GraphValue> made;
        if (m.name(inner) == "arith.constant") {
            const Attribute* value = m.find(inner, "value");
            const auto tensor = value == nullptr ? std::nullopt : b.tensorOf(*value);
            made = tensor ? std::optional(b.constant(*tensor)) : std::nullopt;
        } else if (in) {
            made = b.elementwise(inner, *in);
        }
        if (!made) {
            return std::nullopt;
        }
        b.set(m.result(inner), *made);
    }
    if (reduced.empty()) {
        // Every loop is an axis of the result: as long as it is, and moved into its order.
        const auto result = b.value(yielded);
        const auto full = result ? loopSizes(b, op, *s) : std::nullopt;
        return full ? std::optional(inOrder(b, b.node("Expand", {*result, *full}), kept)) : std::nullopt;
    }
    const auto combining = combiningOf(m.name(final));
    const bool first = m.operand(final, 0) == accumulator;
    const bool second = m.operand(final, 1) == accumulator;
    const auto summand = first == second ? std::nullopt : b.value(m.operand(final, first ? 1 : 0));
    const auto full = combining && summand ? loopSizes(b, op, *s) : std::nullopt; // the summand has every reduced loop at its full length
    if (!full) {
        return std::nullopt;
    }
    const GraphValue terms = b.node("Expand", {*summand, *full});
    const GraphValue sum = inOrder(b, b.node(combining->reduce, {terms, b.integers(reduced)}, {{"keepdims", std::int64_t{0}}}), kept);
    // The least of nothing, infinity, changes nothing; proofs over the reals could not speak of it.
    const std::string_view combine = combining->combine;
    constexpr double Infinity = std::numeric_limits<double>::infinity();
    if ((combine == "Max" || combine == "Min") && runsOver(m, op) && isFilledWith(b, *initial, combine == "Max" ? -Infinity : Infinity)) {
        return sum;
    }
    return b.node(combining->combine, first ? std::vector{*initial, sum} : std::vector{sum, *initial});
}

} // namespace

bool graphTensor(GraphBuilder& b, OperationId op, std::string_view name) {
    if (!name.starts_with("tensor.") || b.m.resultCount(op) != 1) {
        return false;
    }
    const auto made = tensorOp(b, op, name);
    if (made) {
        b.set(b.m.result(op), *made);
    }
    return made.has_value();
}

bool graphLinalg(GraphBuilder& b, OperationId op, std::string_view name) {
    if (!name.starts_with("linalg.") || b.m.resultCount(op) != 1) {
        return false;
    }
    const auto made = structuredOp(b, op);
    if (made) {
        b.set(b.m.result(op), *made);
    }
    return made.has_value();
}

} // namespace lemmascope::ir
