// Numbers of which some are known while lowering: affine expressions, sizes, loops over them.
#include "core/format/mlir/lower/body.h"

#include <algorithm>

namespace lemmascope::ir {

using interp::Op;

namespace {

std::int64_t wrap(std::uint64_t value) { return static_cast<std::int64_t>(value); }
bool isNumber(const Bound& bound, std::int64_t value) { return bound.isNumber && bound.value == value; }

} // namespace

Bound Body::add(const Bound& a, const Bound& b) {
    if (a.isNumber && b.isNumber) {
        return {true, wrap(static_cast<std::uint64_t>(a.value) + static_cast<std::uint64_t>(b.value)), 0};
    }
    if (isNumber(a, 0) || isNumber(b, 0)) {
        return isNumber(a, 0) ? b : a;
    }
    return {false, 0, f.binary(Op::AddI, interp::Index, in(a), in(b))};
}

Bound Body::multiply(const Bound& a, const Bound& b) {
    if (a.isNumber && b.isNumber) {
        return {true, wrap(static_cast<std::uint64_t>(a.value) * static_cast<std::uint64_t>(b.value)), 0};
    }
    if (isNumber(a, 1) || isNumber(b, 1)) {
        return isNumber(a, 1) ? b : a;
    }
    return {false, 0, f.binary(Op::MulI, interp::Index, in(a), in(b))};
}

std::vector<Bound> Body::apply(const AffineMap& map, const std::vector<Bound>& operands) {
    std::vector<Bound> values;
    for (const AffineNode& node : map.nodes) {
        const auto at = static_cast<std::size_t>(node.value);
        const auto divide = [&](Op op) {
            const Bound& a = values[node.left];
            const Bound& b = values[node.right];
            return Bound{false, 0, f.binary(op, interp::Index, in(a), in(b))};
        };
        switch (node.kind) {
        case AffineNode::Kind::Constant: values.push_back({true, node.value, 0}); break;
        case AffineNode::Kind::Dimension: values.push_back(at < operands.size() ? operands[at] : Bound{}); break;
        case AffineNode::Kind::Symbol: values.push_back(map.dimensions + at < operands.size() ? operands[map.dimensions + at] : Bound{}); break;
        case AffineNode::Kind::Add: values.push_back(add(values[node.left], values[node.right])); break;
        case AffineNode::Kind::Multiply: values.push_back(multiply(values[node.left], values[node.right])); break;
        case AffineNode::Kind::FloorDivide: values.push_back(divide(Op::FloorDivS)); break;
        case AffineNode::Kind::CeilDivide: values.push_back(divide(Op::CeilDivS)); break;
        case AffineNode::Kind::Modulo: { // a - floor(a / b) * b: never negative
            const Bound product = multiply(divide(Op::FloorDivS), values[node.right]);
            values.push_back({false, 0, f.binary(Op::SubI, interp::Index, in(values[node.left]), in(product))});
            break;
        }
        }
    }
    std::vector<Bound> out;
    for (const std::uint32_t result : map.results) {
        out.push_back(values[result]);
    }
    return out;
}

std::vector<Bound> Body::bounds(std::span<const ValueId> values) {
    std::vector<Bound> out;
    for (const ValueId value : values) {
        out.push_back({false, 0, scalar(value)});
    }
    return out;
}

std::vector<Register> Body::indices(std::span<const ValueId> values) {
    std::vector<Register> out;
    for (const ValueId value : values) {
        out.push_back(scalar(value));
    }
    return out;
}

Bound Body::sizeOf(Register view, std::size_t axis) {
    const std::int64_t size = f.code().views[view].sizes[axis];
    if (size != interp::Dynamic) {
        return {true, size, 0};
    }
    return {false, 0, f.dim(view, f.index(static_cast<std::int64_t>(axis)))};
}

std::vector<Bound> Body::sizesOf(Register view) {
    std::vector<Bound> out;
    for (std::size_t axis = 0; axis < f.code().views[view].sizes.size(); ++axis) {
        out.push_back(sizeOf(view, axis));
    }
    return out;
}

std::vector<Bound> Body::mixed(OperationId op, std::string_view attribute, std::span<const ValueId>& dynamic) {
    std::vector<Bound> out;
    const Attribute* known = module().find(op, attribute);
    for (const std::int64_t value : known == nullptr ? std::vector<std::int64_t>() : known->integers) {
        if (value == Dynamic && !dynamic.empty()) {
            out.push_back({false, 0, scalar(dynamic.front())});
            dynamic = dynamic.subspan(1);
        } else {
            out.push_back({true, value, 0});
        }
    }
    return out;
}

void Body::nest(const std::vector<Bound>& sizes, const std::function<void(const std::vector<Register>&)>& body) {
    std::vector<FunctionBuilder::Loop> loops;
    std::vector<Register> variables;
    for (const Bound& size : sizes) {
        loops.push_back(f.beginFor(f.index(0), in(size), f.index(1)));
        variables.push_back(loops.back().variable);
    }
    body(variables);
    while (!loops.empty()) {
        f.endFor(loops.back());
        loops.pop_back();
    }
}

Register Body::newView(const ViewType& type, const std::vector<Bound>& sizes) {
    std::vector<Register> dynamic;
    for (std::size_t axis = 0; axis < type.sizes.size(); ++axis) {
        if (type.sizes[axis] == interp::Dynamic) {
            dynamic.push_back(in(sizes[axis]));
        }
    }
    return f.allocValue(type, dynamic);
}

Register Body::copyOf(Register source) {
    const Register out = newView(f.code().views[source], sizesOf(source));
    f.copy(source, out);
    return out;
}

} // namespace lemmascope::ir
