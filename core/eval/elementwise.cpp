#include "core/eval/elementwise.h"

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::int64_t ChunkLength = 512;

template <typename S>
void runChunks(NodeRun& run, std::span<const std::size_t> operands, const std::vector<std::int64_t>& shape, Array& out, ElementwiseLoop<S> loop,
               const ElementwiseContext& context) {
    const std::size_t count = operands.size();
    std::vector<std::vector<std::int64_t>> strides;
    bool flat = true; // all operands lie as the result does (or are one element): one long row
    for (const std::size_t i : operands) {
        const Array& array = *run.operands[i];
        strides.push_back(broadcastStrides(array.shape(), shape));
        flat = flat && (array.count() == out.count() || array.count() == 1);
    }
    std::vector<std::int64_t> walked = shape;
    if (flat) {
        walked = {out.count()};
        for (std::size_t k = 0; k < count; ++k) {
            strides[k] = {run.operands[operands[k]]->count() == 1 ? std::int64_t{0} : std::int64_t{1}};
        }
    }
    std::vector<std::vector<S>> buffers(count, std::vector<S>(ChunkLength));
    std::vector<S> result(ChunkLength);
    std::vector<const S*> pointers;
    for (const std::vector<S>& buffer : buffers) {
        pointers.push_back(buffer.data());
    }
    std::int64_t written = 0;
    walkRows(walked, strides, [&](std::span<const std::int64_t> offsets, std::int64_t length) {
        for (std::int64_t begin = 0; begin < length; begin += ChunkLength) {
            const std::int64_t n = std::min(ChunkLength, length - begin);
            const auto size = static_cast<std::size_t>(n);
            for (std::size_t k = 0; k < count; ++k) {
                const std::int64_t stride = walked.empty() ? 0 : strides[k].back();
                readElements<S>(*run.operands[operands[k]], offsets[k] + begin * stride, stride, std::span<S>(buffers[k].data(), size));
            }
            const std::int64_t bad = loop(pointers.data(), result.data(), n, context);
            if (bad >= 0) {
                if constexpr (std::is_integral_v<S>) {
                    const auto dividend = static_cast<std::int64_t>(buffers[0][static_cast<std::size_t>(bad)]);
                    return run.fault(Fault::Kind::DivisionByZero, operands.size() > 1 ? operands[1] : 0, {dividend}, {});
                }
                return run.undecided();
            }
            writeElements<S>(out, written, std::span<const S>(result.data(), size));
            written += n;
            if (!run.tick(size)) {
                return false;
            }
        }
        return true;
    });
}

} // namespace

std::optional<std::vector<std::int64_t>> broadcastShape(NodeRun& run, std::span<const std::vector<std::int64_t>> shapes) {
    std::vector<std::int64_t> out;
    for (const std::vector<std::int64_t>& shape : shapes) {
        if (shape.size() > out.size()) {
            out.insert(out.begin(), shape.size() - out.size(), 1);
        }
        for (std::size_t k = 0; k < shape.size(); ++k) {
            std::int64_t& length = out[out.size() - shape.size() + k];
            if (length == 1) {
                length = shape[k];
            } else if (shape[k] != 1 && shape[k] != length) {
                std::string all;
                for (const std::vector<std::int64_t>& one : shapes) {
                    all += (all.empty() ? "" : ", ") + shapeText(one);
                }
                run.fail("the operands' shapes don't broadcast: " + all);
                return std::nullopt;
            }
        }
    }
    return out;
}

std::vector<std::int64_t> broadcastStrides(std::span<const std::int64_t> shape, std::span<const std::int64_t> target) {
    const std::vector<std::int64_t> own = rowMajorStrides(shape);
    std::vector<std::int64_t> out(target.size(), 0);
    for (std::size_t k = 0; k < shape.size(); ++k) {
        const std::size_t axis = target.size() - shape.size() + k;
        out[axis] = shape[k] == 1 ? 0 : own[k];
    }
    return out;
}

void runElementwise(NodeRun& run, std::span<const std::size_t> operands, ElementType result, const ElementwiseOp& op, ElementwiseContext context) {
    std::vector<std::vector<std::int64_t>> shapes;
    for (const std::size_t i : operands) {
        const Array& array = run.in(i);
        if (run.stopped()) {
            return;
        }
        if (!isComputable(array.element())) {
            run.open();
            return;
        }
        shapes.push_back(array.shape());
    }
    const std::optional<std::vector<std::int64_t>> shape = broadcastShape(run, shapes);
    if (!shape) {
        return;
    }
    context.operandCount = operands.size();
    if (context.element == ElementType::Undefined) {
        context.element = run.in(operands[0]).element();
    }
    const bool floats = isFloat(context.element);
    for (const std::size_t i : operands) {
        // A float operand may stand beside integers (an exponent), not the other way round.
        if (!run.require(floats || context.mixed || !isFloat(run.in(i).element()), "the operands' element types differ")) {
            return;
        }
    }
    const bool intervals = run.enclosing() && (floats || run.anyInterval(operands));
    std::optional<Array> out = run.make(result, *shape, intervals);
    if (!out) {
        return;
    }
    // A comparison of float intervals makes bools, stored as intervals until they are all decided.
    const auto compute = [&]<typename S>(ElementwiseLoop<S> loop) {
        if (loop == nullptr) {
            run.open();
            return;
        }
        runChunks<S>(run, operands, *shape, *out, loop, context);
    };
    if (intervals) {
        compute(floats || op.integerEnclosure == nullptr ? op.enclosure : op.integerEnclosure);
    } else if (floats) {
        compute(op.real);
    } else if (context.element == ElementType::U64) {
        compute(op.unsignedInteger);
    } else {
        compute(op.integer);
    }
    if (!run.stopped()) {
        run.give(0, std::move(*out));
    }
}

} // namespace lemmascope
