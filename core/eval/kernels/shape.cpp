// Constants, shapes and sizes, and the ops that only rename axes: their results depend on shapes or share their bytes.

#include "core/eval/kernel_table.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

void identity(NodeRun& run) {
    Array out = run.in(0);
    if (!run.stopped()) {
        run.give(0, std::move(out));
    }
}

void constant(NodeRun& run) {
    if (const auto* value = run.node().attribute<Tensor>("value")) {
        Array array(value->element(), *value);
        if (isComputable(value->element()) && isFloat(value->element()) && run.arithmetic() != Arithmetic::Declared) {
            run.operands = {std::move(array)};
            if (run.enclosing()) {
                run.give<Interval>(0, value->element(), value->shape(), run.numbers<Interval>(0));
            } else {
                run.give<double>(0, value->element(), value->shape(), run.numbers<double>(0));
            }
            return;
        }
        run.give(0, std::move(array));
    } else if (run.hasAttribute("value_float")) {
        run.give<double>(0, ElementType::F32, {}, std::vector<double>{run.real("value_float", 0.0)});
    } else if (run.hasAttribute("value_floats")) {
        const std::vector<double> values = run.reals("value_floats");
        run.give<double>(0, ElementType::F32, {static_cast<std::int64_t>(values.size())}, values);
    } else if (run.hasAttribute("value_int")) {
        run.giveIntegers(0, {}, {run.integer("value_int", 0)});
    } else if (run.hasAttribute("value_ints")) {
        const Ints values = run.integers("value_ints");
        run.giveIntegers(0, {static_cast<std::int64_t>(values.size())}, values);
    } else {
        run.open(); // strings, sparse tensors
    }
}

void fill(NodeRun& run, const Tensor& value, const Ints& shape) {
    if (!isComputable(value.element())) {
        run.open();
        return;
    }
    const std::optional<std::int64_t> count = elementCountOf(shape);
    if (!run.require(count.has_value(), "a length is negative or the tensor too large") || !run.checkSize(shape, sizeof(Interval))) {
        return;
    }
    run.operands = {Array(value.element(), value)};
    const auto write = [&](auto one) {
        using S = decltype(one);
        const std::vector<S> element = run.numbers<S>(0);
        if (run.require(element.size() == 1, "attribute 'value' must hold one element")) {
            run.give<S>(0, value.element(), shape, std::vector<S>(static_cast<std::size_t>(*count), element[0]));
        }
    };
    run.visitNumber(value.element(), false, write);
}

void constantOfShape(NodeRun& run) {
    const Ints shape = run.steering(0);
    const auto* value = run.node().attribute<Tensor>("value");
    if (!run.stopped()) {
        fill(run, value != nullptr ? *value : Tensor(ElementType::F32, {1}), shape);
    }
}

void shapeOf(NodeRun& run) {
    const Ints shape = run.in(0).shape();
    const auto rank = static_cast<std::int64_t>(shape.size());
    const auto clamp = [rank](std::int64_t axis) { return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank); };
    const std::int64_t start = clamp(run.integer("start", 0)); // start and end from opset 15
    const std::int64_t end = clamp(run.integer("end", rank));
    Ints part;
    for (std::int64_t axis = start; axis < end; ++axis) {
        part.push_back(shape[static_cast<std::size_t>(axis)]);
    }
    run.giveIntegers(0, {static_cast<std::int64_t>(part.size())}, part);
}

void sizeOf(NodeRun& run) { run.giveIntegers(0, {}, {run.in(0).count()}); }

void giveReshaped(NodeRun& run, const Ints& shape) {
    const Array& data = run.in(0);
    if (elementCountOf(shape) != data.count()) {
        run.fail("a tensor of shape " + shapeText(data.shape()) + " can't take shape " + shapeText(shape));
        return;
    }
    run.give(0, data.reshaped(shape));
}

void reshape(NodeRun& run) {
    Ints shape = run.version() < 5 && run.hasAttribute("shape") ? run.integers("shape") : run.steering(1);
    const Array& data = run.in(0);
    if (run.stopped()) {
        return;
    }
    const bool allowZero = run.integer("allowzero", 0) != 0;
    std::int64_t known = 1;
    std::optional<std::size_t> open;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] == 0 && !allowZero) {
            if (!run.require(axis < data.rank(), "a 0 in the new shape copies an axis that the operand does not have")) {
                return;
            }
            shape[axis] = data.dim(axis);
        }
        if (shape[axis] == -1) {
            if (!run.require(!open, "the new shape has more than one -1")) {
                return;
            }
            open = axis;
        } else if (shape[axis] < 0 || __builtin_mul_overflow(known, shape[axis], &known)) {
            run.fail("the new shape " + shapeText(shape) + " is not one");
            return;
        }
    }
    if (open) {
        if (!run.require(known != 0 && data.count() % known == 0, "no length fits the -1 of the new shape")) {
            return;
        }
        shape[*open] = data.count() / known;
    }
    giveReshaped(run, shape);
}

void flatten(NodeRun& run) {
    const Array& data = run.in(0);
    std::int64_t axis = run.integer("axis", 1);
    const auto rank = static_cast<std::int64_t>(data.rank());
    axis = axis < 0 ? axis + rank : axis;
    if (!run.require(axis >= 0 && axis <= rank, "attribute 'axis' is outside the tensor's rank")) {
        return;
    }
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    for (std::int64_t k = 0; k < rank; ++k) {
        (k < axis ? rows : columns) *= data.dim(static_cast<std::size_t>(k));
    }
    giveReshaped(run, {rows, columns});
}

/// Axes as an attribute before opset 13, as operand 1 from then on.
std::optional<Ints> axesOf(NodeRun& run) {
    if (run.version() >= 13 ? run.has(1) : false) {
        Ints axes = run.steering(1);
        return run.stopped() ? std::nullopt : std::optional<Ints>(std::move(axes));
    }
    return run.hasAttribute("axes") ? std::optional<Ints>(run.integers("axes")) : std::nullopt;
}

void squeeze(NodeRun& run) {
    const Array& data = run.in(0);
    const std::optional<Ints> named = axesOf(run);
    if (run.stopped()) {
        return;
    }
    std::vector<bool> drop(data.rank(), false);
    if (named) {
        const auto axes = normalAxes(run, *named, data.rank());
        if (!axes) {
            return;
        }
        for (const std::size_t axis : *axes) {
            if (!run.require(data.dim(axis) == 1, "Squeeze of an axis whose length is not 1")) {
                return;
            }
            drop[axis] = true;
        }
    }
    Ints shape;
    for (std::size_t axis = 0; axis < data.rank(); ++axis) {
        if (named ? !drop[axis] : data.dim(axis) != 1) {
            shape.push_back(data.dim(axis));
        }
    }
    giveReshaped(run, shape);
}

void unsqueeze(NodeRun& run) {
    const Array& data = run.in(0);
    const std::optional<Ints> named = axesOf(run);
    if (run.stopped() || !run.require(named.has_value(), "the axes are missing")) {
        return;
    }
    const std::size_t rank = data.rank() + named->size();
    const auto axes = normalAxes(run, *named, rank);
    if (!axes) {
        return;
    }
    Ints shape(rank, -1);
    for (const std::size_t axis : *axes) {
        shape[axis] = 1;
    }
    std::size_t next = 0;
    for (std::int64_t& length : shape) {
        length = length == 1 ? 1 : data.dim(next++);
    }
    giveReshaped(run, shape);
}

void range(NodeRun& run) {
    const ElementType type = run.in(0).element();
    if (!run.require(run.operandCount() == 3, "start, limit and delta are needed")) {
        return;
    }
    if (isFloat(type)) {
        const std::vector<double> start = run.steeringReals(0);
        const std::vector<double> limit = run.steeringReals(1);
        const std::vector<double> delta = run.steeringReals(2);
        if (run.stopped() || !run.require(start.size() == 1 && limit.size() == 1 && delta.size() == 1, "start, limit and delta must be scalars") ||
            !run.require(delta[0] != 0.0, "delta is 0")) {
            return;
        }
        const double steps = std::ceil((limit[0] - start[0]) / delta[0]);
        if (!run.require(std::isfinite(steps) && steps < 0x1p40, "the range has no finite length")) {
            return;
        }
        const auto count = static_cast<std::int64_t>(std::max(steps, 0.0));
        if (!run.checkSize(std::array{count}, sizeof(Interval))) {
            return;
        }
        run.visitFloat(type, [&](auto one) {
            using S = decltype(one);
            std::vector<S> out;
            for (std::int64_t i = 0; i < count && run.tick(1); ++i) {
                if constexpr (std::is_same_v<S, Interval>) {
                    out.push_back(interval::point(start[0]) + interval::point(static_cast<double>(i)) * interval::point(delta[0]));
                } else {
                    out.push_back(static_cast<S>(start[0]) + static_cast<S>(i) * static_cast<S>(delta[0]));
                }
            }
            run.give<S>(0, type, {count}, out);
        });
        return;
    }
    const Ints start = run.steering(0);
    const Ints limit = run.steering(1);
    const Ints delta = run.steering(2);
    if (run.stopped() || !run.require(start.size() == 1 && limit.size() == 1 && delta.size() == 1, "start, limit and delta must be scalars") ||
        !run.require(delta[0] != 0, "delta is 0")) {
        return;
    }
    // ceil((limit - start) / delta) in 128 bits, so that no end of i64 wraps.
    const __int128_t span = static_cast<__int128_t>(limit[0]) - start[0];
    const __int128_t step = delta[0];
    __int128_t steps = span / step;
    if (span % step != 0 && (span < 0) == (step < 0)) {
        ++steps;
    }
    steps = std::max<__int128_t>(steps, 0);
    if (!run.require(steps < (__int128_t{1} << 60), "the range is too long")) {
        return;
    }
    const auto count = static_cast<std::int64_t>(steps);
    if (!run.checkSize(std::array{count}, sizeof(std::int64_t))) {
        return;
    }
    Ints out;
    for (std::int64_t i = 0; i < count && run.tick(1); ++i) {
        out.push_back(
            static_cast<std::int64_t>(static_cast<std::uint64_t>(start[0]) + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(delta[0])));
    }
    run.giveIntegers(0, {count}, out, type);
}

void dropout(NodeRun& run) {
    // Inference form only: in training it is a random op.
    if (run.version() >= 12 && run.has(2)) {
        const Ints training = run.steering(2);
        if (run.stopped() || (!training.empty() && training[0] != 0)) {
            run.open();
            return;
        }
    }
    if (run.version() < 7 && run.integer("is_test", 0) == 0) {
        run.open();
        return;
    }
    Array data = run.in(0);
    const Ints shape = data.shape();
    run.give(0, std::move(data));
    if (run.wants(1)) {
        const std::optional<std::int64_t> count = elementCountOf(shape);
        run.giveIntegers(1, shape, Ints(static_cast<std::size_t>(count.value_or(0)), 1), ElementType::Bool);
    }
}

void eyeLike(NodeRun& run) {
    const Array& data = run.in(0);
    if (!run.require(data.rank() == 2, "EyeLike needs a matrix")) {
        return;
    }
    const ElementType type = run.elementType("dtype", data.element());
    if (!isComputable(type)) {
        run.open();
        return;
    }
    constexpr std::int64_t Far = std::int64_t{1} << 40;
    const std::int64_t k = std::clamp(run.integer("k", 0), -Far, Far);
    const std::int64_t rows = data.dim(0);
    const std::int64_t columns = data.dim(1);
    run.visitNumber(type, false, [&](auto one) {
        using S = decltype(one);
        std::vector<S> out(static_cast<std::size_t>(rows * columns));
        for (std::int64_t r = 0; r < rows; ++r) {
            if (r + k >= 0 && r + k < columns) {
                if constexpr (std::is_same_v<S, Interval>) {
                    out[static_cast<std::size_t>(r * columns + r + k)] = interval::point(1.0);
                } else {
                    out[static_cast<std::size_t>(r * columns + r + k)] = S{1};
                }
            }
        }
        run.give<S>(0, type, data.shape(), out);
    });
}

constexpr auto Any = KernelTypes::Any;

constexpr Kernel Kernels[] = {
    {"", "Identity", 1, 0, Any, identity},
    {"", "Constant", 1, 0, KernelTypes::Nothing, constant},
    {"", "ConstantOfShape", 9, 0, KernelTypes::Integers, constantOfShape},
    {"", "Shape", 1, 0, Any, shapeOf},
    {"", "Size", 1, 0, Any, sizeOf},
    {"", "Reshape", 1, 0, Any, reshape},
    {"", "Flatten", 1, 0, Any, flatten},
    {"", "Squeeze", 1, 0, Any, squeeze},
    {"", "Unsqueeze", 1, 0, Any, unsqueeze},
    {"", "Range", 11, 0, KernelTypes::Numbers, range},
    {"", "Dropout", 1, 0, Any, dropout},
    {"", "EyeLike", 9, 0, KernelTypes::Computed, eyeLike},
};

} // namespace

std::span<const Kernel> shapeKernels() { return Kernels; }

} // namespace lemmascope
