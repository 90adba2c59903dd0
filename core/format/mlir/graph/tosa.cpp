#include "core/format/mlir/graph/builder.h"

#include <algorithm>
#include <limits>

namespace lemmascope::ir {

namespace {

const std::map<std::string_view, const char*> Plains{{"add", "Add"},
                                                     {"sub", "Sub"},
                                                     {"maximum", "Max"},
                                                     {"minimum", "Min"},
                                                     {"pow", "Pow"},
                                                     {"abs", "Abs"},
                                                     {"ceil", "Ceil"},
                                                     {"floor", "Floor"},
                                                     {"exp", "Exp"},
                                                     {"log", "Log"},
                                                     {"tanh", "Tanh"},
                                                     {"sigmoid", "Sigmoid"},
                                                     {"erf", "Erf"},
                                                     {"reciprocal", "Reciprocal"},
                                                     {"select", "Where"},
                                                     {"equal", "Equal"},
                                                     {"greater", "Greater"},
                                                     {"greater_equal", "GreaterOrEqual"},
                                                     {"logical_and", "And"},
                                                     {"logical_or", "Or"},
                                                     {"logical_xor", "Xor"},
                                                     {"logical_not", "Not"},
                                                     {"bitwise_and", "BitwiseAnd"},
                                                     {"bitwise_or", "BitwiseOr"},
                                                     {"bitwise_xor", "BitwiseXor"},
                                                     {"int_div", "Div"},
                                                     {"sin", "Sin"},
                                                     {"cos", "Cos"}};

const std::map<std::string_view, const char*> Reductions{
    {"reduce_sum", "ReduceSum"}, {"reduce_prod", "ReduceProd"}, {"reduce_max", "ReduceMax"}, {"reduce_min", "ReduceMin"}};

std::vector<std::int64_t> integersOf(const Module& m, OperationId op, std::string_view name) {
    const Attribute* attribute = m.find(op, name);
    return attribute == nullptr ? std::vector<std::int64_t>() : attribute->integers;
}

std::optional<std::vector<std::int64_t>> constantIntegers(const GraphBuilder& b, ValueId value) {
    const OperationId from = b.m.value(value).operation;
    const Attribute* attribute =
        from.isValid() && (b.m.name(from) == "tosa.const" || b.m.name(from) == "arith.constant") ? b.m.find(from, "value") : nullptr;
    const auto tensor = attribute == nullptr ? std::nullopt : b.tensorOf(*attribute);
    if (!tensor || !isInteger(tensor->element())) {
        return std::nullopt;
    }
    std::vector<std::int64_t> out;
    for (std::int64_t i = 0; i < tensor->count(); ++i) {
        out.push_back(tensor->toInt64(i));
    }
    return out;
}

GraphValue transposed(GraphBuilder& b, GraphValue value, std::vector<std::int64_t> order) {
    return b.node("Transpose", {value}, {{"perm", std::move(order)}});
}

/// Images are [n, h, w, c] here and [n, c, h, w] in a graph.
GraphValue channelsFirst(GraphBuilder& b, GraphValue image) { return transposed(b, image, {0, 3, 1, 2}); }
GraphValue channelsLast(GraphBuilder& b, GraphValue image) { return transposed(b, image, {0, 2, 3, 1}); }

/// Padding as [top, left, bottom, right].
std::optional<std::vector<std::int64_t>> padsOf(const Module& m, OperationId op) {
    const std::vector<std::int64_t> pad = integersOf(m, op, "pad");
    return pad.size() == 4 ? std::optional(std::vector{pad[0], pad[2], pad[1], pad[3]}) : std::nullopt;
}

std::optional<GraphValue> convolution(GraphBuilder& b, OperationId op, const std::vector<GraphValue>& in, bool depthwise) {
    const Module& m = b.m;
    const auto pads = padsOf(m, op);
    const std::vector<std::int64_t>& weight = m.typeOf(m.operand(op, 1)).shape;
    const bool sameTypes = m.typeOf(m.operand(op, 0)).element == m.typeOf(m.result(op)).element;
    if (!pads || weight.size() != 4 || std::find(weight.begin(), weight.end(), Dynamic) != weight.end() || !sameTypes) {
        return std::nullopt;
    }
    std::map<std::string, lemmascope::Attribute> attributes{
        {"pads", *pads}, {"strides", integersOf(m, op, "stride")}, {"dilations", integersOf(m, op, "dilation")}};
    GraphValue kernel = in[1];
    if (depthwise) { // [kh, kw, c, m]: a group for each channel, m outputs in each
        kernel = b.node("Reshape", {transposed(b, kernel, {2, 3, 0, 1}), b.integers({weight[2] * weight[3], 1, weight[0], weight[1]})});
        attributes["group"] = weight[2];
    } else { // [oc, kh, kw, ic]
        kernel = transposed(b, kernel, {0, 3, 1, 2});
    }
    return channelsLast(b, b.node("Conv", {channelsFirst(b, in[0]), kernel, in[2]}, attributes));
}

std::optional<GraphValue> pooled(GraphBuilder& b, OperationId op, const std::vector<GraphValue>& in, bool average) {
    const auto pads = padsOf(b.m, op);
    const auto element = graphElement(b.m, b.m.value(b.m.operand(op, 0)).type);
    if (!pads || !element || !isFloat(*element)) {
        return std::nullopt;
    }
    const std::map<std::string, lemmascope::Attribute> attributes{
        {"pads", *pads}, {"strides", integersOf(b.m, op, "stride")}, {"kernel_shape", integersOf(b.m, op, "kernel")}};
    return channelsLast(b, b.node(average ? "AveragePool" : "MaxPool", {channelsFirst(b, in[0])}, attributes));
}

std::optional<GraphValue> moved(GraphBuilder& b, OperationId op, std::string_view name, const std::vector<GraphValue>& in) {
    const Module& m = b.m;
    const std::vector<std::int64_t>& shape = m.typeOf(m.result(op)).shape;
    const Attribute* axis = m.find(op, "axis");
    if (name == "identity") {
        return in[0];
    }
    if (name == "reshape") {
        return b.node("Reshape", {in[0], b.integers(integersOf(m, op, "new_shape"))});
    }
    if (name == "transpose") {
        const auto order = constantIntegers(b, m.operand(op, 1));
        return order ? std::optional(transposed(b, in[0], *order)) : std::nullopt;
    }
    if (name == "concat" && axis != nullptr) {
        return b.node("Concat", in, {{"axis", axis->integer}});
    }
    if (name == "reverse" && axis != nullptr) {
        return b.node("Slice", {in[0], b.integers({-1}), b.integers({std::numeric_limits<std::int64_t>::min()}), b.integers({axis->integer}),
                                b.integers({-1})});
    }
    if (name == "slice") {
        const std::vector<std::int64_t> start = integersOf(m, op, "start");
        const std::vector<std::int64_t> size = integersOf(m, op, "size");
        std::vector<std::int64_t> ends;
        const std::vector<std::int64_t>& source = m.typeOf(m.operand(op, 0)).shape;
        for (std::size_t i = 0; i < start.size() && i < size.size(); ++i) {
            ends.push_back(start[i] + size[i]);
            if (start[i] < 0 || size[i] < 1 || i >= source.size() || source[i] < ends.back()) {
                return std::nullopt;
            }
        }
        return b.node("Slice", {in[0], b.integers(start), b.integers(ends)});
    }
    if (name == "tile") {
        return b.node("Tile", {in[0], b.integers(integersOf(m, op, "multiples"))});
    }
    if (name == "pad" && m.find(op, "quantization_info") == nullptr) {
        const auto pairs = constantIntegers(b, m.operand(op, 1));
        if (!pairs || pairs->size() != 2 * shape.size() || std::any_of(pairs->begin(), pairs->end(), [](std::int64_t n) { return n < 0; })) {
            return std::nullopt;
        }
        std::vector<std::int64_t> pads;
        for (std::size_t side = 0; side < 2; ++side) {
            for (std::size_t i = 0; i < shape.size(); ++i) {
                pads.push_back(pairs->at(2 * i + side));
            }
        }
        return in.size() > 2 ? b.node("Pad", {in[0], b.integers(pads), in[2]}) : b.node("Pad", {in[0], b.integers(pads)});
    }
    if (name == "gather") { // values [n, k, c], indices [n, w]
        return b.node("GatherND", {in[0], b.node("Cast", {b.node("Unsqueeze", {in[1], b.integers({2})})}, {{"to", std::int64_t{7}}})},
                      {{"batch_dims", std::int64_t{1}}});
    }
    return std::nullopt;
}

std::optional<GraphValue> computed(GraphBuilder& b, OperationId op, std::string_view name, const std::vector<GraphValue>& in) {
    const Module& m = b.m;
    const auto from = graphElement(m, m.value(m.operand(op, 0)).type);
    const auto to = graphElement(m, m.value(m.result(op)).type);
    const bool plain = m.find(op, "quantization_info") == nullptr;
    if (!from || !to || !plain) {
        return std::nullopt;
    }
    if (const auto found = Plains.find(name); found != Plains.end()) {
        return b.node(found->second, in);
    }
    const Attribute* axis = m.find(op, "axis");
    if (const auto found = Reductions.find(name); found != Reductions.end() && axis != nullptr) {
        return b.node(found->second, {in[0], b.integers({axis->integer})}, {{"keepdims", std::int64_t{1}}});
    }
    if (name == "mul") {
        const Attribute* shift = m.find(op, "shift");
        return *from == *to && (shift == nullptr || shift->integer == 0) ? std::optional(b.node("Mul", in)) : std::nullopt;
    }
    if (name == "negate") {
        return b.node("Neg", in);
    }
    if (name == "rsqrt") {
        return b.node("Reciprocal", {b.node("Sqrt", in)});
    }
    if (name == "clamp" && isFloat(*from)) {
        const Attribute* low = m.find(op, "min_fp");
        const Attribute* high = m.find(op, "max_fp");
        return low == nullptr || high == nullptr
                   ? std::nullopt
                   : std::optional(b.node("Max", {b.node("Min", {in[0], b.scalar(*from, high->real)}), b.scalar(*from, low->real)}));
    }
    if (name == "matmul" && *from == *to) {
        return b.node("MatMul", in);
    }
    if (name == "fully_connected" && *from == *to) {
        return b.node("Gemm", in, {{"transB", std::int64_t{1}}});
    }
    if (name == "conv2d" || name == "depthwise_conv2d") {
        return convolution(b, op, in, name != "conv2d");
    }
    if (name == "max_pool2d" || name == "avg_pool2d") {
        return pooled(b, op, in, name == "avg_pool2d");
    }
    if (name == "argmax" && axis != nullptr && *to == ElementType::I32) {
        return b.node("Cast", {b.node("ArgMax", in, {{"axis", axis->integer}, {"keepdims", std::int64_t{0}}})}, {{"to", std::int64_t{6}}});
    }
    return std::nullopt;
}

} // namespace

bool graphTosa(GraphBuilder& b, OperationId op, std::string_view fullName) {
    if (!fullName.starts_with("tosa.") || b.m.resultCount(op) != 1 || b.m.operands(op).empty()) {
        return false;
    }
    const std::string_view name = fullName.substr(5);
    const auto in = b.operands(op);
    if (!in) {
        return false;
    }
    auto made = moved(b, op, name, *in);
    made = made ? made : computed(b, op, name, *in);
    if (made) {
        b.set(b.m.result(op), *made);
    }
    return made.has_value();
}

} // namespace lemmascope::ir
