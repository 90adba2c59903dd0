// tensor and bufferization. A tensor is memory that nobody changes while anybody may read it: what an op computes is written to new memory,
// or to that of an operand which is read for the last time.
#include "core/format/mlir/lower/body.h"

#include <algorithm>
#include <set>

namespace lemmascope::ir {

using interp::Extent;
using interp::Op;
using interp::ViewSpec;

namespace {

/// Ops whose result is memory of its own.
const std::set<std::string_view> Makers{
    "tensor.insert",   "tensor.insert_slice", "tensor.extract_slice", "tensor.from_elements",    "tensor.splat",
    "tensor.generate", "tensor.pad",          "tensor.concat",        "bufferization.to_tensor", "bufferization.alloc_tensor"};

/// The sizes of a result: static ones from its type, dynamic ones from operands in order.
std::vector<Bound> sizesFrom(Body& body, const ViewType& type, std::span<const ValueId> dynamic) {
    std::vector<Bound> out;
    std::size_t next = 0;
    for (const std::int64_t size : type.sizes) {
        if (size != interp::Dynamic) {
            out.push_back({true, size, 0});
        } else if (next < dynamic.size()) {
            out.push_back({false, 0, body.scalar(dynamic[next++])});
        }
    }
    return out;
}

struct Slice {
    std::vector<Bound> offsets, sizes, strides;
    std::vector<std::uint32_t> kept; ///< axes that the smaller side has
};

/// Static and dynamic parts of a slice whose segments start at `first`.
Slice sliceOf(Body& body, OperationId op, std::size_t first) {
    Slice out;
    auto offsets = body.segment(op, first);
    auto sizes = body.segment(op, first + 1);
    auto strides = body.segment(op, first + 2);
    out.offsets = body.mixed(op, "static_offsets", offsets);
    out.sizes = body.mixed(op, "static_sizes", sizes);
    out.strides = body.mixed(op, "static_strides", strides);
    return out;
}

/// The index in the larger side that an index of the slice names.
std::vector<Register> within(Body& body, const Slice& slice, const std::vector<Register>& index) {
    std::vector<Bound> target = slice.offsets;
    for (std::size_t i = 0; i < slice.kept.size(); ++i) {
        const std::uint32_t axis = slice.kept[i];
        target[axis] = body.add(target[axis], body.multiply({false, 0, index[i]}, slice.strides[axis]));
    }
    std::vector<Register> out;
    for (const Bound& bound : target) {
        out.push_back(body.in(bound));
    }
    return out;
}

void lowerExtractSlice(Body& body, OperationId op) {
    const auto type = resultView(body, op);
    if (!type) {
        return;
    }
    Slice slice = sliceOf(body, op, 1);
    slice.kept = keptAxes(slice.sizes, type->sizes);
    if (slice.kept.size() != type->sizes.size()) {
        body.refuse(op);
        return;
    }
    std::vector<Bound> sizes;
    for (const std::uint32_t axis : slice.kept) {
        sizes.push_back(slice.sizes[axis]);
    }
    const Register from = body.viewOperand(op, 0);
    const Register into = body.newView(*type, sizes);
    body.nest(sizes, [&](const std::vector<Register>& index) { body.f.store(body.f.load(from, within(body, slice, index)), into, index); });
    body.setViewResult(op, into);
}

void lowerInsertSlice(Body& body, OperationId op) {
    const Module& m = body.module();
    const Register from = body.view(body.segment(op, 0)[0]);
    Slice slice = sliceOf(body, op, 2);
    slice.kept = keptAxes(slice.sizes, body.f.code().views[from].sizes);
    if (slice.kept.size() != body.f.code().views[from].sizes.size()) {
        body.refuse(op);
        return;
    }
    const Register into = body.consumed(op, m.operand(op, 1));
    body.nest(body.sizesOf(from),
              [&](const std::vector<Register>& index) { body.f.store(body.f.load(from, index), into, within(body, slice, index)); });
    body.setViewResult(op, into);
}

void lowerFromElements(Body& body, OperationId op) {
    const Module& m = body.module();
    const auto type = resultView(body, op);
    if (!type) {
        return;
    }
    const Register into = body.newView(*type, {});
    std::vector<Register> index(type->sizes.size());
    for (std::size_t flat = 0; flat < m.operands(op).size(); ++flat) {
        std::size_t left = flat;
        for (std::size_t axis = index.size(); axis-- > 0;) {
            const auto size = static_cast<std::size_t>(type->sizes[axis]);
            index[axis] = body.index(static_cast<std::int64_t>(left % size));
            left /= size;
        }
        body.f.store(body.operand(op, flat), into, index);
    }
    body.setViewResult(op, into);
}

/// A value for every index of a new tensor, computed by the op's region.
Register generated(Body& body, OperationId op, const ViewType& type, const std::vector<Bound>& sizes) {
    const Module& m = body.module();
    const RegionId region = m.regionOf(op);
    const BlockId block = m.blockOf(region);
    const Register into = body.newView(type, sizes);
    body.nest(sizes, [&](const std::vector<Register>& index) {
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            body.setScalar(m.argument(block, axis), index[axis]);
        }
        const OperationId last = body.operationsOf(block);
        body.f.store(body.scalar(m.operand(last, 0)), into, index);
    });
    return into;
}

void lowerPad(Body& body, OperationId op) {
    const Module& m = body.module();
    const auto type = resultView(body, op);
    if (!type || m.blockCount(m.regionOf(op)) != 1) {
        return;
    }
    const Register from = body.viewOperand(op, 0);
    auto dynamicLow = body.segment(op, 1);
    auto dynamicHigh = body.segment(op, 2);
    const std::vector<Bound> low = body.mixed(op, "static_low", dynamicLow);
    const std::vector<Bound> high = body.mixed(op, "static_high", dynamicHigh);
    std::vector<Bound> sizes = body.sizesOf(from);
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if ((low[axis].isNumber && low[axis].value < 0) || (high[axis].isNumber && high[axis].value < 0)) {
            body.refuse(op, "negative padding");
            return;
        }
        sizes[axis] = body.add(body.add(low[axis], sizes[axis]), high[axis]);
    }
    const Register into = generated(body, op, *type, sizes);
    body.nest(body.sizesOf(from), [&](const std::vector<Register>& index) {
        std::vector<Register> target;
        for (std::size_t axis = 0; axis < index.size(); ++axis) {
            target.push_back(body.in(body.add(low[axis], {false, 0, index[axis]})));
        }
        body.f.store(body.f.load(from, index), into, target);
    });
    body.setViewResult(op, into);
}

void lowerConcat(Body& body, OperationId op) {
    const Module& m = body.module();
    const auto type = resultView(body, op);
    const Attribute* along = m.find(op, "dim");
    if (!type || along == nullptr) {
        return;
    }
    const auto axis = static_cast<std::size_t>(along->integer);
    std::vector<Bound> sizes = body.sizesOf(body.viewOperand(op, 0));
    for (std::size_t i = 1; i < m.operands(op).size(); ++i) {
        sizes[axis] = body.add(sizes[axis], body.sizeOf(body.viewOperand(op, i), axis));
    }
    const Register into = body.newView(*type, sizes);
    Bound start{true, 0, 0};
    for (std::size_t i = 0; i < m.operands(op).size(); ++i) {
        const Register from = body.viewOperand(op, i);
        body.nest(body.sizesOf(from), [&](const std::vector<Register>& index) {
            std::vector<Register> target = index;
            target[axis] = body.in(body.add(start, {false, 0, index[axis]}));
            body.f.store(body.f.load(from, index), into, target);
        });
        start = body.add(start, body.sizeOf(from, axis));
    }
    body.setViewResult(op, into);
}

void lowerGroups(Body& body, OperationId op, ViewSpec::Kind kind) {
    const Module& m = body.module();
    const auto type = resultView(body, op);
    const Attribute* groups = m.find(op, "reassociation");
    if (!type || groups == nullptr) {
        return;
    }
    const Register source = body.viewOperand(op, 0);
    ViewSpec spec;
    spec.kind = kind;
    for (const AttributeId group : groups->items) {
        spec.groups.push_back(static_cast<std::uint32_t>(m.attribute(group).items.size()));
    }
    if (spec.groups.empty()) { // to or from rank 0: one element
        const Register into = body.newView(*type, body.sizesOf(source));
        const std::vector<Register> zero(std::max(type->sizes.size(), body.f.code().views[source].sizes.size()), body.index(0));
        const auto first = [&](std::size_t count) { return std::vector<Register>(zero.begin(), zero.begin() + static_cast<std::ptrdiff_t>(count)); };
        body.f.store(body.f.load(source, first(body.f.code().views[source].sizes.size())), into, first(type->sizes.size()));
        body.setViewResult(op, into);
        return;
    }
    if (kind == ViewSpec::Kind::Expand) {
        auto dynamic = m.operands(op).subspan(1);
        for (const Bound& size : body.mixed(op, "static_output_shape", dynamic)) {
            spec.sizes.push_back(size.isNumber ? Extent::number(size.value) : Extent::in(size.reg));
        }
    }
    body.setViewResult(op, body.f.makeView(*type, source, std::move(spec)));
}

void lowerFreeReshape(Body& body, OperationId op) {
    const auto type = resultView(body, op);
    if (!type) {
        return;
    }
    const Register source = body.viewOperand(op, 0);
    const auto count = elementCount(type->sizes);
    if (!count || elementCount(body.f.code().views[source].sizes) != count || type->sizes.empty() || body.f.code().views[source].sizes.empty()) {
        body.refuse(op, "a shape that is known only when it runs");
        return;
    }
    body.setViewResult(op, reshaped(body, source, type->sizes));
}

void lowerToMemref(Body& body, OperationId op) {
    const Module& m = body.module();
    const auto type = resultView(body, op);
    if (!type) {
        return;
    }
    const Register source = body.viewOperand(op, 0);
    // Somebody may write to it, which must not change the tensor; whoever says that nobody does may have the memory itself.
    const bool readOnly = m.find(op, "read_only") != nullptr;
    body.setViewResult(op, body.f.makeView(*type, readOnly ? source : body.copyOf(source), ViewSpec{}));
}

void lowerAllocTensor(Body& body, OperationId op) {
    const auto type = resultView(body, op);
    if (!type) {
        return;
    }
    const auto copied = body.segment(op, 1);
    if (!copied.empty()) {
        body.setViewResult(op, body.copyOf(body.view(copied[0])));
    } else {
        body.setViewResult(op, body.newView(*type, sizesFrom(body, *type, body.segment(op, 0))));
    }
}

bool lowerBufferization(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name == "bufferization.to_memref") {
        lowerToMemref(body, op);
    } else if (name == "bufferization.to_tensor") {
        body.setViewResult(op, body.copyOf(body.viewOperand(op, 0)));
    } else if (name == "bufferization.alloc_tensor") {
        lowerAllocTensor(body, op);
    } else if (name == "bufferization.clone") {
        const Register source = body.viewOperand(op, 0);
        std::vector<Register> dynamic;
        for (const Bound& size : body.sizesOf(source)) {
            if (!size.isNumber) {
                dynamic.push_back(size.reg);
            }
        }
        const Register into = body.f.alloc(body.f.code().views[source], dynamic); // its reader deallocates it
        body.f.copy(source, into);
        body.setViewResult(op, into);
    } else if (name == "bufferization.dealloc_tensor") {
        // Tensors go by themselves.
    } else if (name == "bufferization.materialize_in_destination" && m.operands(op).size() == 2) {
        const Register source = body.viewOperand(op, 0);
        if (m.resultCount(op) == 0) {
            body.f.copy(source, body.viewOperand(op, 1));
        } else {
            body.setViewResult(op, source);
        }
    } else {
        return false;
    }
    return true;
}

} // namespace

Register Body::consumed(OperationId op, ValueId tensor, bool keepsContent) {
    const Module& m = module();
    const Register held = view(tensor);
    const OperationId from = m.value(tensor).operation;
    const std::string_view maker = from.isValid() ? m.name(from) : std::string_view();
    if (maker == "tensor.empty" || !keepsContent) {
        return newView(f.code().views[held], sizesOf(held)); // nothing to keep
    }
    const bool own = Makers.contains(maker) || (maker.starts_with("linalg.") && from.isValid());
    // In another block it may be read once for every time that one runs.
    const bool here = from.isValid() && m.operation(from).block == m.operation(op).block;
    return own && here && program.useCount(tensor) == 1 ? held : copyOf(held);
}

Register reshaped(Body& body, Register source, const std::vector<std::int64_t>& sizes) {
    const ViewType from = body.f.code().views[source];
    ViewSpec flat;
    flat.kind = ViewSpec::Kind::Collapse;
    flat.groups = {static_cast<std::uint32_t>(from.sizes.size())};
    const std::int64_t count = elementCount(sizes).value_or(0);
    const Register line = body.f.makeView({from.element, {count}}, source, std::move(flat));
    ViewSpec shaped;
    shaped.kind = ViewSpec::Kind::Expand;
    shaped.groups = {static_cast<std::uint32_t>(sizes.size())};
    for (const std::int64_t size : sizes) {
        shaped.sizes.push_back(Extent::number(size));
    }
    return body.f.makeView({from.element, sizes}, line, std::move(shaped));
}

bool lowerTensor(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name.starts_with("bufferization.")) {
        return lowerBufferization(body, op, name);
    }
    if (name == "tensor.extract") {
        body.setResult(op, body.f.load(body.viewOperand(op, 0), body.indices(m.operands(op).subspan(1))));
    } else if (name == "tensor.insert") {
        const Register into = body.consumed(op, m.operand(op, 1));
        body.f.store(body.operand(op, 0), into, body.indices(m.operands(op).subspan(2)));
        body.setViewResult(op, into);
    } else if (name == "tensor.empty") {
        if (const auto type = resultView(body, op)) {
            body.setViewResult(op, body.newView(*type, sizesFrom(body, *type, m.operands(op))));
        }
    } else if (name == "tensor.splat") {
        if (const auto type = resultView(body, op)) {
            const std::vector<Bound> sizes = sizesFrom(body, *type, m.operands(op).subspan(1));
            const Register into = body.newView(*type, sizes);
            const Register value = body.operand(op, 0);
            body.nest(sizes, [&](const std::vector<Register>& index) { body.f.store(value, into, index); });
            body.setViewResult(op, into);
        }
    } else if (name == "tensor.from_elements") {
        lowerFromElements(body, op);
    } else if (name == "tensor.generate") {
        if (const auto type = resultView(body, op)) {
            body.setViewResult(op, generated(body, op, *type, sizesFrom(body, *type, m.operands(op))));
        }
    } else if (name == "tensor.extract_slice") {
        lowerExtractSlice(body, op);
    } else if (name == "tensor.insert_slice") {
        lowerInsertSlice(body, op);
    } else if (name == "tensor.parallel_insert_slice") {
        insertSharedSlice(body, op);
    } else if (name == "tensor.pad") {
        lowerPad(body, op);
    } else if (name == "tensor.concat") {
        lowerConcat(body, op);
    } else if (name == "tensor.cast") {
        if (const auto type = resultView(body, op)) {
            body.setViewResult(op, body.f.makeView(*type, body.viewOperand(op, 0), ViewSpec{}));
        }
    } else if (name == "tensor.expand_shape" || name == "tensor.collapse_shape") {
        lowerGroups(body, op, name == "tensor.expand_shape" ? ViewSpec::Kind::Expand : ViewSpec::Kind::Collapse);
    } else if (name == "tensor.reshape") {
        lowerFreeReshape(body, op);
    } else if (name == "tensor.dim") {
        body.setResult(op, body.f.dim(body.viewOperand(op, 0), body.operand(op, 1)));
    } else if (name == "tensor.rank") {
        body.setResult(op, body.index(static_cast<std::int64_t>(body.f.code().views[body.viewOperand(op, 0)].sizes.size())));
    } else if (name == "tensor.bitcast") {
        const auto type = resultView(body, op);
        if (type) {
            body.elementwise(op, [&](const std::vector<Register>& in) { return std::vector{body.f.convert(Op::Bitcast, type->element, in[0])}; });
        }
    } else {
        return false; // gather, scatter, pack, unpack
    }
    return true;
}

} // namespace lemmascope::ir
