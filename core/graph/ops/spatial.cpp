// Convolutions and pools.

#include "core/graph/ops/spatial.h"

#include "core/graph/ops/op_block.h"

#include <algorithm>

namespace lemmascope {

namespace {

std::optional<std::vector<std::int64_t>> listOfLength(InferContext& c, const std::string& key, std::size_t length, std::int64_t fallback,
                                                      std::int64_t least) {
    const std::vector<std::int64_t>* given = c.intsAttribute(key);
    if (given == nullptr || (given->empty() && length > 0)) {
        return std::vector<std::int64_t>(length, fallback);
    }
    if (given->size() != length) {
        c.fail("attribute '" + key + "' has " + counted(given->size(), "value") + ", expected " + std::to_string(length));
        return std::nullopt;
    }
    for (const std::int64_t each : *given) {
        if (each < least || each > INT32_MAX) {
            c.fail("attribute '" + key + "' has the value " + std::to_string(each) + ", expected " + std::to_string(least) + " or more");
            return std::nullopt;
        }
    }
    return *given;
}

} // namespace

std::optional<SpatialWindow> spatialWindow(InferContext& c, Shape kernel) {
    const std::size_t rank = kernel.size();
    SpatialWindow window;
    std::optional<std::vector<std::int64_t>> strides = listOfLength(c, "strides", rank, 1, 1);
    std::optional<std::vector<std::int64_t>> dilations = listOfLength(c, "dilations", rank, 1, 1);
    std::optional<std::vector<std::int64_t>> pads = listOfLength(c, "pads", 2 * rank, 0, 0);
    if (!strides || !dilations || !pads) {
        return std::nullopt;
    }
    window.kernel = std::move(kernel);
    window.strides = std::move(*strides);
    window.dilations = std::move(*dilations);
    window.pads = std::move(*pads);
    window.autoPad = c.stringAttribute("auto_pad", "NOTSET");
    // Under VALID the documents' two formulas agree.
    window.ceilMode = c.intAttribute("ceil_mode", 0) != 0 && window.autoPad != "VALID";
    for (const std::string_view known : {"NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID", ""}) {
        if (window.autoPad == known) {
            return window;
        }
    }
    c.fail("attribute 'auto_pad' is '" + window.autoPad + "', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    return std::nullopt;
}

Dim windowedLength(const SpatialWindow& window, std::size_t axis, const Dim& input, const DimOrder& order) {
    const Dim stride(window.strides[axis]);
    if (window.autoPad == "SAME_UPPER" || window.autoPad == "SAME_LOWER") {
        return Dim::ceilDiv(input, stride);
    }
    const bool valid = window.autoPad == "VALID";
    const Dim begin(valid ? 0 : window.pads[axis]);
    const Dim end(valid ? 0 : window.pads[axis + window.kernel.size()]);
    const Dim extent = (window.kernel[axis] - Dim(1)) * Dim(window.dilations[axis]) + Dim(1);
    const Dim room = input + begin + end - extent;
    if (room.isKnown() && room.value() < 0) {
        return room; // the caller refuses a negative length; a stride must not round it to one
    }
    if (!window.ceilMode) {
        return Dim::floorDiv(room, stride) + Dim(1);
    }
    Dim length = Dim::ceilDiv(room, stride) + Dim(1);
    // A window that would start in the padding after the input is left out.
    const Dim lastStart = (length - Dim(1)) * stride;
    if (order.atLeast(lastStart, input + begin)) {
        length = length - Dim(1);
    } else if (!order.atLeast(input + begin, lastStart + Dim(1))) {
        // The sizes decide: the lesser of both forms, as (input + begin - 1) / stride + 1 counts the starts inside.
        length = order.min(length, Dim::floorDiv(input + begin - Dim(1), stride) + Dim(1)).value_or(InferContext::derived("pool", {length, input}));
    }
    return length;
}

namespace {

// Batch and channels before `rank` spatial axes; `channelsLast` moves the channels behind them.
struct ImageShape {
    Dim batch;
    Dim channels;
    Shape spatial;
};

std::optional<ImageShape> imageShape(InferContext& c, std::size_t operand, bool channelsLast = false) {
    if (!c.checkRankAtLeast(operand, 2) || !c.shape(operand)) {
        return std::nullopt;
    }
    const Shape& shape = *c.shape(operand);
    ImageShape image{shape.front(), channelsLast ? shape.back() : shape[1], {}};
    const std::ptrdiff_t skip = channelsLast ? 1 : 2;
    image.spatial.assign(shape.begin() + skip, channelsLast ? shape.end() - 1 : shape.end());
    return image;
}

Shape fromImage(Dim batch, Dim channels, Shape spatial, bool channelsLast = false) {
    Shape out{std::move(batch)};
    if (!channelsLast) {
        out.push_back(channels);
    }
    out.insert(out.end(), spatial.begin(), spatial.end());
    if (channelsLast) {
        out.push_back(std::move(channels));
    }
    return out;
}

// The kernel's spatial lengths: of the attribute, checked against the weights [M, C/group, ...].
std::optional<Shape> kernelShape(InferContext& c, std::size_t rank, const std::optional<Shape>& weights) {
    Shape kernel;
    if (weights) {
        kernel.assign(weights->begin() + 2, weights->end());
    }
    const std::vector<std::int64_t>* given = c.intsAttribute("kernel_shape");
    if (given == nullptr || given->empty()) {
        return weights ? std::optional<Shape>(kernel) : std::nullopt;
    }
    const std::optional<std::vector<std::int64_t>> listed = listOfLength(c, "kernel_shape", rank, 1, 1);
    if (!listed) {
        return std::nullopt;
    }
    for (std::size_t k = 0; weights && k < rank; ++k) {
        if (!c.checkEqual(Dim((*listed)[k]), kernel[k], "attribute 'kernel_shape' on axis " + std::to_string(k))) {
            return std::nullopt;
        }
    }
    return Shape(listed->begin(), listed->end());
}

std::optional<std::int64_t> groupOf(InferContext& c) {
    const std::int64_t group = c.intAttribute("group", 1);
    if (group < 1) {
        c.fail("attribute 'group' is " + std::to_string(group) + ", expected 1 or more");
        return std::nullopt;
    }
    return group;
}

// Operands image `x` and weights `w`; bias checked where there is one. The result has `element`.
void convolve(InferContext& c, std::size_t x, std::size_t w, std::size_t bias, ElementType element, bool channelsLast = false) {
    if (!c.checkRankAtLeast(x, 3) || !c.checkRankAtLeast(w, 3)) {
        return;
    }
    if (c.shape(x) && c.shape(w) && !c.checkRank(w, c.shape(x)->size())) {
        return;
    }
    const std::optional<ImageShape> image = imageShape(c, x, channelsLast);
    const std::optional<std::int64_t> group = groupOf(c);
    if (!group) {
        return;
    }
    if (!image) {
        c.setResult(0, element, std::nullopt);
        return;
    }
    const std::optional<Shape> kernel = kernelShape(c, image->spatial.size(), c.shape(w));
    if (c.failed()) {
        return;
    }
    const Dim outChannels = c.shape(w) ? c.shape(w)->front() : c.unknown(0, 1);
    if (c.shape(w)) {
        const Dim perGroup = (*c.shape(w))[1];
        if (!c.checkEqual(image->channels, perGroup * Dim(*group), "number of channels of operand " + std::to_string(x))) {
            return;
        }
        if (outChannels.isKnown() && outChannels.value() % *group != 0) {
            c.fail("operand " + std::to_string(w) + " has " + outChannels.text() + " output channels, expected a multiple of group " +
                   std::to_string(*group));
            return;
        }
    }
    if (c.has(bias) && c.shape(bias) && (!c.checkRank(bias, 1) || !c.checkEqual(c.shape(bias)->front(), outChannels, "length of the bias"))) {
        return;
    }
    if (!kernel) {
        Shape unknown;
        for (std::size_t k = 0; k < image->spatial.size(); ++k) {
            unknown.push_back(c.unknown(0, k + 2));
        }
        c.setResult(0, element, fromImage(image->batch, outChannels, std::move(unknown), channelsLast));
        return;
    }
    const std::optional<SpatialWindow> window = spatialWindow(c, *kernel);
    if (!window) {
        return;
    }
    Shape spatial;
    for (std::size_t k = 0; k < image->spatial.size(); ++k) {
        spatial.push_back(windowedLength(*window, k, image->spatial[k], c.order()));
    }
    c.setResult(0, element, fromImage(image->batch, outChannels, std::move(spatial), channelsLast));
}

void inferConv(InferContext& c) {
    if (c.checkSameElement({0, 1, 2})) {
        convolve(c, 0, 1, 2, c.element(0));
    }
}

// FusedConv: operand 3 is added to the convolution before the activation.
void inferFusedConv(InferContext& c) {
    inferConv(c);
    if (!c.failed() && c.resultCount() > 0 && c.has(3) && c.shape(3) && c.results()[0].type.shape) {
        const Shape out = *c.results()[0].type.shape;
        if (!c.checkRank(3, out.size())) {
            return;
        }
        for (std::size_t k = 0; k < out.size(); ++k) {
            if (!c.checkEqual((*c.shape(3))[k], out[k], "length of operand 3 on axis " + std::to_string(k))) {
                return;
            }
        }
    }
}

void inferConvInteger(InferContext& c) {
    for (const std::size_t operand : {std::size_t{0}, std::size_t{1}}) {
        if (!c.checkElement(operand, {ElementType::I8, ElementType::U8})) {
            return;
        }
    }
    convolve(c, 0, 1, 99, ElementType::I32);
}

// x, x_scale, x_zero_point, w, w_scale, w_zero_point, y_scale, y_zero_point, B.
void inferQLinearConv(InferContext& c) {
    const bool channelsLast = c.intAttribute("channels_last", 0) != 0;
    const ElementType element = c.element(7) != ElementType::Undefined ? c.element(7) : c.element(0);
    convolve(c, 0, 3, 8, element, channelsLast);
}

// output = stride * (input - 1) + output_padding + extent - pads, or output_shape when given.
void inferConvTranspose(InferContext& c) {
    if (!c.checkSameElement({0, 1, 2}) || !c.checkRankAtLeast(0, 3) || !c.checkRankAtLeast(1, 3)) {
        return;
    }
    if (c.shape(0) && c.shape(1) && !c.checkRank(1, c.shape(0)->size())) {
        return;
    }
    const std::optional<ImageShape> image = imageShape(c, 0);
    const std::optional<std::int64_t> group = groupOf(c);
    if (!image || !group || !c.shape(1)) {
        c.setResult(0, c.element(0), c.shape(0) ? std::optional<Shape>(c.unknownShape(0, c.shape(0)->size())) : std::nullopt);
        return;
    }
    const std::size_t rank = image->spatial.size();
    const std::optional<Shape> kernel = kernelShape(c, rank, c.shape(1));
    const std::optional<SpatialWindow> window = kernel ? spatialWindow(c, *kernel) : std::nullopt;
    const std::optional<std::vector<std::int64_t>> extra = listOfLength(c, "output_padding", rank, 0, 0);
    if (!window || !extra) {
        return;
    }
    if (!c.checkEqual(image->channels, c.shape(1)->front(), "number of channels of operand 0")) {
        return;
    }
    const Dim outChannels = (*c.shape(1))[1] * Dim(*group);
    if (c.has(2) && c.shape(2) && (!c.checkRank(2, 1) || !c.checkEqual(c.shape(2)->front(), outChannels, "length of the bias"))) {
        return;
    }
    // The attribute may name the spatial lengths alone or batch and channels too.
    std::vector<std::int64_t> wanted;
    if (const std::vector<std::int64_t>* given = c.intsAttribute("output_shape"); given != nullptr && !given->empty()) {
        if (given->size() != rank && given->size() != rank + 2) {
            c.fail("attribute 'output_shape' has " + counted(given->size(), "value") + ", expected " + std::to_string(rank));
            return;
        }
        wanted.assign(given->end() - static_cast<std::ptrdiff_t>(rank), given->end());
    }
    Shape spatial;
    for (std::size_t k = 0; k < rank; ++k) {
        const Dim stride(window->strides[k]);
        if (!wanted.empty()) {
            spatial.emplace_back(wanted[k]);
            continue;
        }
        if (window->autoPad == "SAME_UPPER" || window->autoPad == "SAME_LOWER") {
            spatial.push_back(image->spatial[k] * stride);
            continue;
        }
        const bool valid = window->autoPad == "VALID";
        const Dim extent = (window->kernel[k] - Dim(1)) * Dim(window->dilations[k]) + Dim(1);
        const Dim pads(valid ? 0 : window->pads[k] + window->pads[k + rank]);
        spatial.push_back(stride * (image->spatial[k] - Dim(1)) + Dim((*extra)[k]) + extent - pads);
    }
    c.setResult(0, c.element(0), fromImage(image->batch, outChannels, std::move(spatial)));
}

void poolOver(InferContext& c, bool channelsLast) {
    if (!c.checkRankAtLeast(0, 3)) {
        return;
    }
    if (!c.hasAttribute("kernel_shape")) {
        c.fail("attribute 'kernel_shape' is missing");
        return;
    }
    const std::optional<ImageShape> image = imageShape(c, 0, channelsLast);
    if (!image) {
        c.setResult(0, c.element(0), std::nullopt);
        return;
    }
    const std::optional<Shape> kernel = kernelShape(c, image->spatial.size(), std::nullopt);
    const std::optional<SpatialWindow> window = kernel ? spatialWindow(c, *kernel) : std::nullopt;
    if (!window) {
        return;
    }
    Shape spatial;
    for (std::size_t k = 0; k < image->spatial.size(); ++k) {
        spatial.push_back(windowedLength(*window, k, image->spatial[k], c.order()));
    }
    c.setResult(0, c.element(0), fromImage(image->batch, image->channels, std::move(spatial), channelsLast));
}

// MaxPool's second result holds indices.
void inferPool(InferContext& c) {
    poolOver(c, false);
    if (c.resultCount() > 1) {
        c.setResult(1, ElementType::I64, c.results()[0].type.shape);
    }
}

void inferNhwcMaxPool(InferContext& c) { poolOver(c, true); }

void inferQLinearAveragePool(InferContext& c) { poolOver(c, c.intAttribute("channels_last", 0) != 0); }

void globalPool(InferContext& c, bool channelsLast) {
    const std::optional<ImageShape> image = imageShape(c, 0, channelsLast);
    if (image) {
        c.setResult(0, c.element(0), fromImage(image->batch, image->channels, Shape(image->spatial.size(), Dim(1)), channelsLast));
    } else {
        c.setResult(0, c.element(0), std::nullopt);
    }
}

void inferGlobalPool(InferContext& c) { globalPool(c, false); }

void inferQLinearGlobalAveragePool(InferContext& c) { globalPool(c, c.intAttribute("channels_last", 0) != 0); }

// x, indices, output_shape.
void inferMaxUnpool(InferContext& c) {
    if (const std::vector<Dim>* wanted = c.elements(2)) {
        c.setResult(0, c.element(0), *wanted);
        return;
    }
    const std::optional<ImageShape> image = imageShape(c, 0);
    if (!image || c.has(2)) {
        c.setResult(0, c.element(0), c.shape(0) ? std::optional<Shape>(c.unknownShape(0, c.shape(0)->size())) : std::nullopt);
        return;
    }
    const std::optional<Shape> kernel = kernelShape(c, image->spatial.size(), std::nullopt);
    const std::optional<SpatialWindow> window = kernel ? spatialWindow(c, *kernel) : std::nullopt;
    if (!window) {
        c.fail("attribute 'kernel_shape' is missing");
        return;
    }
    Shape spatial;
    for (std::size_t k = 0; k < image->spatial.size(); ++k) {
        spatial.push_back((image->spatial[k] - Dim(1)) * Dim(window->strides[k]) - Dim(window->pads[k] + window->pads[k + image->spatial.size()]) +
                          window->kernel[k]);
    }
    c.setResult(0, c.element(0), fromImage(image->batch, image->channels, std::move(spatial)));
}

} // namespace

OpBlocks spatialOps() {
    constexpr OpClass Computing = OpClass::Computing;
    constexpr std::string_view Conv = "auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I";
    constexpr std::string_view Pool = "auto_pad:s ceil_mode:i count_include_pad:i dilations:I kernel_shape:I pads:I storage_order:i strides:I";
    constexpr std::string_view QuantizedPool = "auto_pad:s ceil_mode:i channels_last:i count_include_pad:i kernel_shape:I pads:I strides:I";
    return {
        {OnnxDomain, "Conv", {1, 11, 22}, 2, 3, Computing, Conv, inferConv},
        {OnnxDomain,
         "ConvTranspose",
         {1, 11, 22},
         2,
         3,
         Computing,
         "auto_pad:s dilations:I group:i kernel_shape:I output_padding:I output_shape:I pads:I strides:I",
         inferConvTranspose},
        {OnnxDomain, "ConvInteger", {10}, 2, 4, Computing, Conv, inferConvInteger},
        {OnnxDomain, "QLinearConv", {10}, 8, 9, Computing, Conv, inferQLinearConv},
        {MicrosoftDomain,
         "QLinearConv",
         {1},
         8,
         9,
         Computing,
         "auto_pad:s channels_last:i dilations:I group:i kernel_shape:I pads:I strides:I",
         inferQLinearConv},
        {MicrosoftDomain,
         "FusedConv",
         {1},
         2,
         4,
         Computing,
         "activation:s activation_params:F auto_pad:s dilations:I group:i kernel_shape:I pads:I strides:I",
         inferFusedConv},
        {OnnxDomain, "MaxPool", {1, 8, 10, 11, 12, 22}, 1, 1, Computing, Pool, inferPool},
        {OnnxDomain, "AveragePool", {1, 7, 10, 11, 19, 22}, 1, 1, Computing, Pool, inferPool},
        {OnnxDomain,
         "LpPool",
         {1, 2, 11, 18, 22},
         1,
         1,
         Computing,
         "auto_pad:s ceil_mode:i dilations:I kernel_shape:I p:x pads:I strides:I",
         inferPool},
        {OnnxDomain, "MaxUnpool", {9, 11, 22}, 2, 3, Computing, "kernel_shape:I pads:I strides:I", inferMaxUnpool},
        {OnnxDomain, "GlobalAveragePool", {1, 22}, 1, 1, Computing, "", inferGlobalPool},
        {OnnxDomain, "GlobalMaxPool", {1, 22}, 1, 1, Computing, "", inferGlobalPool},
        {OnnxDomain, "GlobalLpPool", {1, 2, 22}, 1, 1, Computing, "p:x", inferGlobalPool},
        {MicrosoftDomain, "NhwcMaxPool", {1}, 1, 1, Computing, Pool, inferNhwcMaxPool},
        {MicrosoftDomain, "QLinearAveragePool", {1}, 4, 5, Computing, QuantizedPool, inferQLinearAveragePool},
        {MicrosoftDomain, "QLinearGlobalAveragePool", {1}, 4, 5, Computing, "channels_last:i", inferQLinearGlobalAveragePool},
    };
}

} // namespace lemmascope
