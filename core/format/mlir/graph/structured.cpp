// tensor and linalg as graphs. A structured op is what its body computes of operands that are moved into the order of its loops, summed along
// those that reduce.
#include "core/format/mlir/graph/builder.h"

#include <algorithm>
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
    if (!source || m.operands(op).size() != 1 || !isStatic(offsets) || !isStatic(sizes) || !isStatic(strides)) {
        return std::nullopt;
    }
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> along;
    for (std::size_t axis = 0; axis < offsets.size(); ++axis) {
        ends.push_back(offsets[axis] + (sizes[axis] - 1) * strides[axis] + 1);
        along.push_back(static_cast<std::int64_t>(axis));
        if (sizes[axis] < 1 || strides[axis] < 1 || offsets[axis] < 0 || shapeOf(m, m.operand(op, 0))[axis] < ends.back()) {
            return std::nullopt; // also where the size is not known: a graph's slice would be cut short there
        }
    }
    const GraphValue cut = b.node("Slice", {*source, b.integers(offsets), b.integers(ends), b.integers(along), b.integers(strides)});
    return shapeOf(m, m.result(op)) == sizes ? std::optional(cut) : reshaped(b, cut, shapeOf(m, m.result(op)));
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
    if (name == "tensor.pad") {
        return padded(b, op);
    }
    const auto in = b.operands(op);
    if (!in) {
        return std::nullopt;
    }
    if (name == "tensor.collapse_shape" || (name == "tensor.expand_shape" && in->size() == 1)) {
        return reshaped(b, in->front(), shapeOf(m, m.result(op)));
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

/// The loop that each axis of an operand runs along; nothing if some axis runs along none of its own.
std::optional<std::vector<std::int64_t>> loopsOf(const AffineMap& map) {
    std::vector<std::int64_t> out;
    std::set<std::int64_t> seen;
    for (const std::uint32_t result : map.results) {
        const AffineNode& node = map.nodes[result];
        if (node.kind != AffineNode::Kind::Dimension || !seen.insert(node.value).second) {
            return std::nullopt;
        }
        out.push_back(node.value);
    }
    return out;
}

/// An operand with an axis for each loop, in their order; of length 1 where it does not run along.
GraphValue spread(GraphBuilder& b, GraphValue value, const std::vector<std::int64_t>& along, std::size_t loops) {
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
        const auto along = loopsOf(map);
        if (!along) {
            return std::nullopt;
        }
        out.loops = map.dimensions;
        out.along.push_back(*along);
    }
    return out;
}

/// The size of a loop where some operand has it as a number.
std::int64_t loopSize(const Module& m, OperationId op, const Structured& s, std::int64_t loop) {
    for (std::size_t i = 0; i < s.along.size(); ++i) {
        for (std::size_t axis = 0; axis < s.along[i].size(); ++axis) {
            if (s.along[i][axis] == loop && shapeOf(m, m.operand(op, i))[axis] != Dynamic) {
                return shapeOf(m, m.operand(op, i))[axis];
            }
        }
    }
    return Dynamic;
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
        auto result = b.value(yielded);
        // Every loop is an axis of the result: moved into its order, and as long as it is.
        const std::vector<std::int64_t>& sizes = shapeOf(m, m.result(op));
        if (!result) {
            return std::nullopt;
        }
        std::vector<std::int64_t> full(s->loops);
        bool covered = isStatic(sizes);
        for (std::size_t axis = 0; axis < kept.size(); ++axis) {
            full[static_cast<std::size_t>(kept[axis])] = sizes[axis];
        }
        for (std::size_t i = 0; !covered && i < s->inputs; ++i) {
            covered = s->along[i].size() == s->loops; // an input that runs along all loops has their sizes
        }
        if (!covered) {
            return std::nullopt;
        }
        if (isStatic(sizes)) {
            result = b.node("Expand", {*result, b.integers(full)});
        }
        return std::is_sorted(kept.begin(), kept.end()) ? result : std::optional(b.node("Transpose", {*result}, {{"perm", kept}}));
    }
    const auto combining = combiningOf(m.name(final));
    const bool first = m.operand(final, 0) == accumulator;
    const bool second = m.operand(final, 1) == accumulator;
    const auto summand = first == second ? std::nullopt : b.value(m.operand(final, first ? 1 : 0));
    if (!combining || !summand || !std::is_sorted(kept.begin(), kept.end())) {
        return std::nullopt;
    }
    // The summand must have every reduced loop at its full length.
    std::vector<std::int64_t> full;
    for (std::int64_t loop = 0; loop < static_cast<std::int64_t>(s->loops); ++loop) {
        full.push_back(loopSize(m, op, *s, loop));
    }
    GraphValue terms = *summand;
    if (isStatic(full)) {
        terms = b.node("Expand", {terms, b.integers(full)});
    } else {
        for (const std::int64_t loop : reduced) {
            if (!std::all_of(s->along.begin(), s->along.end() - 1,
                             [&](const auto& along) { return std::find(along.begin(), along.end(), loop) != along.end(); })) {
                return std::nullopt;
            }
        }
    }
    const GraphValue sum = b.node(combining->reduce, {terms, b.integers(reduced)}, {{"keepdims", std::int64_t{0}}});
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
