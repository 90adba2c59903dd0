// Resize in all its forms, and Upsample before it.

#include "core/graph/ops/op_block.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace lemmascope {

namespace {

// floor(length * scale) in float32, as ONNX's own inference and ONNX Runtime compute it. A symbolic length needs a scale for
// which float32 is exact at all sizes: a small multiple of a power of two.
Dim scaled(const Dim& length, float scale) {
    if (length.isKnown()) {
        const float product = std::floor(static_cast<float>(length.value()) * scale);
        return product >= 0 && product < 9.0e15F ? Dim(static_cast<std::int64_t>(product)) : Dim(-1);
    }
    for (std::int64_t denominator = 1; denominator <= 64; denominator *= 2) {
        const float numerator = scale * static_cast<float>(denominator);
        if (numerator == std::floor(numerator) && numerator > 0 && numerator < 65536.0F) {
            return Dim::floorDiv(length * Dim(static_cast<std::int64_t>(numerator)), Dim(denominator));
        }
    }
    return InferContext::derived("scaled by " + std::to_string(std::bit_cast<std::uint32_t>(scale)), {length});
}

std::optional<std::vector<float>> scaleList(InferContext& c, std::size_t operand) {
    if (const auto* attribute = c.node().attribute<std::vector<float>>("scales")) {
        return *attribute;
    }
    const std::optional<std::vector<double>> numbers = c.numbers(operand);
    if (!numbers) {
        return std::nullopt;
    }
    std::vector<float> out;
    for (const double each : *numbers) {
        out.push_back(static_cast<float>(each));
    }
    return out;
}

void resultByScales(InferContext& c, const std::vector<std::size_t>& axes, const std::optional<std::vector<float>>& scales,
                    const std::vector<float>& spans) {
    Shape out = *c.shape(0);
    if (scales && scales->size() != axes.size()) {
        c.fail("has " + counted(scales->size(), "scale") + ", expected " + std::to_string(axes.size()));
        return;
    }
    for (std::size_t k = 0; k < axes.size(); ++k) {
        Dim& length = out[axes[k]];
        if (!scales) {
            length = c.unknown(0, axes[k]);
            continue;
        }
        if (!((*scales)[k] > 0)) {
            c.fail("scale of axis " + std::to_string(axes[k]) + " is " + std::to_string((*scales)[k]) + ", expected more than 0");
            return;
        }
        const float scale = (*scales)[k] * (spans.empty() ? 1.0F : spans[k]);
        length = (*scales)[k] == 1.0F && spans.empty() ? length : scaled(length, scale);
    }
    c.setResult(0, c.element(0), std::move(out));
}

void inferUpsample(InferContext& c) {
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < c.shape(0)->size(); ++axis) {
        axes.push_back(axis);
    }
    resultByScales(c, axes, scaleList(c, 1), {});
}

// Lengths kept in proportion: the least (or greatest) scale holds for all axes; halves round up.
void keepAspectRatio(InferContext& c, const std::string& policy, const std::vector<std::size_t>& axes, const std::vector<Dim>& sizes) {
    Shape out = *c.shape(0);
    std::optional<float> scale;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const Dim& length = out[axes[k]];
        if (!length.isKnown() || !sizes[k].isKnown() || length.value() == 0) {
            scale.reset();
            break;
        }
        const float own = static_cast<float>(sizes[k].value()) / static_cast<float>(length.value());
        scale = !scale ? own : policy == "not_larger" ? std::min(*scale, own) : std::max(*scale, own);
    }
    for (const std::size_t axis : axes) {
        out[axis] = scale ? Dim(static_cast<std::int64_t>(std::floor(*scale * static_cast<float>(out[axis].value()) + 0.5F))) : c.unknown(0, axis);
    }
    c.setResult(0, c.element(0), std::move(out));
}

// x, roi, scales, sizes (opset 10: x, scales). An empty tensor counts as omitted.
void inferResize(InferContext& c) {
    if (!c.shape(0)) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    const Shape& shape = *c.shape(0);
    std::vector<std::size_t> axes;
    if (const std::vector<std::int64_t>* given = c.intsAttribute("axes"); given != nullptr && c.since() >= 18) {
        const std::optional<std::vector<std::size_t>> named = c.axes(*given, shape.size());
        if (!named) {
            return;
        }
        axes = *named;
    } else {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            axes.push_back(axis);
        }
    }
    if (c.since() < 11) {
        resultByScales(c, axes, scaleList(c, 1), {});
        return;
    }
    const auto isEmpty = [&c](std::size_t i) { return !c.has(i) || (c.shape(i) && elementCount(*c.shape(i)).is(0)); };
    const std::string policy = c.stringAttribute("keep_aspect_ratio_policy", "stretch");
    if (!isEmpty(3)) {
        const std::vector<Dim>* sizes = c.elements(3);
        if (!isEmpty(2) && c.shape(2)) {
            c.fail("has both scales and sizes, expected one of them");
            return;
        }
        if (sizes == nullptr) {
            Shape out = shape;
            for (const std::size_t axis : axes) {
                out[axis] = c.unknown(0, axis);
            }
            c.setResult(0, c.element(0), std::move(out));
            return;
        }
        if (sizes->size() != axes.size()) {
            c.fail("has " + counted(sizes->size(), "size") + ", expected " + std::to_string(axes.size()));
            return;
        }
        if (policy != "stretch") {
            keepAspectRatio(c, policy, axes, *sizes);
            return;
        }
        Shape out = shape;
        for (std::size_t k = 0; k < axes.size(); ++k) {
            out[axes[k]] = (*sizes)[k];
        }
        c.setResult(0, c.element(0), std::move(out));
        return;
    }
    if (isEmpty(2)) {
        c.fail("has neither scales nor sizes");
        return;
    }
    // Cropping first keeps (end - begin) of each axis.
    std::vector<float> spans;
    std::optional<std::vector<float>> scales = scaleList(c, 2);
    if (c.stringAttribute("coordinate_transformation_mode", "half_pixel") == "tf_crop_and_resize") {
        const std::optional<std::vector<double>> region = c.numbers(1);
        if (!region || region->size() != 2 * axes.size()) {
            scales.reset();
        } else {
            for (std::size_t k = 0; k < axes.size(); ++k) {
                spans.push_back(static_cast<float>((*region)[k + axes.size()] - (*region)[k]));
            }
        }
    }
    resultByScales(c, axes, scales, spans);
}

} // namespace

OpBlocks resizeOps() {
    constexpr OpClass Computing = OpClass::Computing;
    constexpr std::string_view Attributes =
        "antialias:i axes:I coordinate_transformation_mode:s cubic_coeff_a:f exclude_outside:i extrapolation_value:f keep_aspect_ratio_policy:s "
        "mode:s nearest_mode:s";
    return {
        {OnnxDomain, "Upsample", {7}, 1, 1, Computing, "mode:s scales:F", inferUpsample},
        {OnnxDomain, "Upsample", {9}, 2, 2, Computing, "mode:s", inferUpsample, false, 10},
        {OnnxDomain, "Resize", {10}, 2, 2, Computing, "mode:s", inferResize},
        {OnnxDomain, "Resize", {11, 13, 18, 19}, 1, 4, Computing, Attributes, inferResize},
    };
}

} // namespace lemmascope
