#include "core/graph/attribute_defaults.h"

#include <algorithm>
#include <string_view>
#include <vector>

namespace lemmascope {

namespace {

struct Default {
    std::string_view op;
    std::int64_t from; ///< opset: before it the attribute is not there, or has another default
    std::int64_t to;   ///< last opset of which that is so
    std::string_view key;
    Attribute value;
};

constexpr std::int64_t Newest = 1'000'000;

const std::vector<Default>& defaults() {
    using Text = std::string;
    using Int = std::int64_t;
    static const std::vector<Default> table{
        {"LSTM", 1, Newest, "direction", Text("forward")},
        {"LSTM", 1, Newest, "input_forget", Int{0}},
        {"LSTM", 14, Newest, "layout", Int{0}},
        {"GRU", 1, Newest, "direction", Text("forward")},
        {"GRU", 3, Newest, "linear_before_reset", Int{0}},
        {"GRU", 14, Newest, "layout", Int{0}},
        {"RNN", 1, Newest, "direction", Text("forward")},
        {"RNN", 14, Newest, "layout", Int{0}},
        {"Hardmax", 1, 12, "axis", Int{1}},
        {"Hardmax", 13, Newest, "axis", Int{-1}},
        {"TopK", 1, Newest, "axis", Int{-1}},
        {"TopK", 11, Newest, "largest", Int{1}},
        {"TopK", 11, Newest, "sorted", Int{1}},
        {"Unique", 11, Newest, "sorted", Int{1}},
        {"ReverseSequence", 10, Newest, "batch_axis", Int{1}},
        {"ReverseSequence", 10, Newest, "time_axis", Int{0}},
        {"EyeLike", 9, Newest, "k", Int{0}},
        {"LRN", 1, Newest, "alpha", 1e-4F},
        {"LRN", 1, Newest, "beta", 0.75F},
        {"LRN", 1, Newest, "bias", 1.0F},
        {"LpNormalization", 1, Newest, "axis", Int{-1}},
        {"LpNormalization", 1, Newest, "p", Int{2}},
        {"GlobalLpPool", 2, Newest, "p", Int{2}},
        {"NonMaxSuppression", 10, Newest, "center_point_box", Int{0}},
        {"GridSample", 16, Newest, "align_corners", Int{0}},
        {"GridSample", 16, 19, "mode", Text("bilinear")},
        {"GridSample", 20, Newest, "mode", Text("linear")},
        {"GridSample", 16, Newest, "padding_mode", Text("zeros")},
        {"RoiAlign", 16, Newest, "coordinate_transformation_mode", Text("half_pixel")},
        {"RoiAlign", 10, Newest, "mode", Text("avg")},
        {"RoiAlign", 10, Newest, "output_height", Int{1}},
        {"RoiAlign", 10, Newest, "output_width", Int{1}},
        {"RoiAlign", 10, Newest, "sampling_ratio", Int{0}},
        {"RoiAlign", 10, Newest, "spatial_scale", 1.0F},
        {"Upsample", 7, Newest, "mode", Text("nearest")},
        {"Resize", 10, Newest, "mode", Text("nearest")},
        {"Resize", 11, Newest, "coordinate_transformation_mode", Text("half_pixel")},
        {"Resize", 11, Newest, "cubic_coeff_a", -0.75F},
        {"Resize", 11, Newest, "exclude_outside", Int{0}},
        {"Resize", 11, Newest, "extrapolation_value", 0.0F},
        {"Resize", 11, Newest, "nearest_mode", Text("round_prefer_floor")},
        {"Resize", 18, Newest, "antialias", Int{0}},
        {"Resize", 18, Newest, "keep_aspect_ratio_policy", Text("stretch")},
        {"DFT", 17, 19, "axis", Int{1}},
        {"DFT", 17, Newest, "inverse", Int{0}},
        {"DFT", 17, Newest, "onesided", Int{0}},
        {"STFT", 17, Newest, "onesided", Int{1}},
        {"MelWeightMatrix", 17, Newest, "output_datatype", Int{1}},
        {"SplitToSequence", 11, Newest, "axis", Int{0}},
        {"SplitToSequence", 11, Newest, "keepdims", Int{1}},
        {"ConcatFromSequence", 11, Newest, "new_axis", Int{0}},
        {"ConvInteger", 10, Newest, "auto_pad", Text("NOTSET")},
        {"ConvInteger", 10, Newest, "group", Int{1}},
        {"Dropout", 1, 11, "ratio", 0.5F},
        {"Dropout", 1, 6, "is_test", Int{0}},
        {"CumSum", 11, Newest, "exclusive", Int{0}},
        {"CumSum", 11, Newest, "reverse", Int{0}},
        {"OneHot", 9, Newest, "axis", Int{-1}},
        {"Gather", 1, Newest, "axis", Int{0}},
        {"GatherElements", 11, Newest, "axis", Int{0}},
        {"GatherND", 12, Newest, "batch_dims", Int{0}},
        {"Scatter", 9, Newest, "axis", Int{0}},
        {"ScatterElements", 11, Newest, "axis", Int{0}},
        {"ScatterElements", 16, Newest, "reduction", Text("none")},
        {"ScatterND", 16, Newest, "reduction", Text("none")},
        {"Shape", 15, Newest, "start", Int{0}},
        {"Reshape", 14, Newest, "allowzero", Int{0}},
        {"Split", 2, Newest, "axis", Int{0}},
        {"Pad", 1, Newest, "mode", Text("constant")},
        {"Flatten", 1, Newest, "axis", Int{1}},
        {"MaxPool", 1, Newest, "auto_pad", Text("NOTSET")},
        {"MaxPool", 8, Newest, "storage_order", Int{0}},
        {"MaxPool", 10, Newest, "ceil_mode", Int{0}},
        {"AveragePool", 1, Newest, "auto_pad", Text("NOTSET")},
        {"AveragePool", 7, Newest, "count_include_pad", Int{0}},
        {"AveragePool", 10, Newest, "ceil_mode", Int{0}},
        {"LpPool", 2, Newest, "auto_pad", Text("NOTSET")},
        {"LpPool", 2, Newest, "p", Int{2}},
        {"LpPool", 18, Newest, "ceil_mode", Int{0}},
        {"Conv", 1, Newest, "auto_pad", Text("NOTSET")},
        {"Conv", 1, Newest, "group", Int{1}},
        {"ConvTranspose", 1, Newest, "auto_pad", Text("NOTSET")},
        {"ConvTranspose", 1, Newest, "group", Int{1}},
        {"Softmax", 1, 12, "axis", Int{1}},
        {"Softmax", 13, Newest, "axis", Int{-1}},
        {"LogSoftmax", 1, 12, "axis", Int{1}},
        {"LogSoftmax", 13, Newest, "axis", Int{-1}},
        {"Gemm", 1, Newest, "alpha", 1.0F},
        {"Gemm", 1, Newest, "beta", 1.0F},
        {"Gemm", 1, Newest, "transA", Int{0}},
        {"Gemm", 1, Newest, "transB", Int{0}},
        {"BatchNormalization", 1, Newest, "epsilon", 1e-5F},
        {"BatchNormalization", 1, Newest, "momentum", 0.9F},
        {"BatchNormalization", 14, Newest, "training_mode", Int{0}},
        {"LayerNormalization", 17, Newest, "axis", Int{-1}},
        {"LayerNormalization", 17, Newest, "epsilon", 1e-5F},
        {"LayerNormalization", 17, Newest, "stash_type", Int{1}},
        {"ArgMax", 1, Newest, "axis", Int{0}},
        {"ArgMax", 1, Newest, "keepdims", Int{1}},
        {"ArgMax", 12, Newest, "select_last_index", Int{0}},
        {"ArgMin", 1, Newest, "axis", Int{0}},
        {"ArgMin", 1, Newest, "keepdims", Int{1}},
        {"ArgMin", 12, Newest, "select_last_index", Int{0}},
        {"LeakyRelu", 1, Newest, "alpha", 0.01F},
        {"HardSigmoid", 1, Newest, "alpha", 0.2F},
        {"HardSigmoid", 1, Newest, "beta", 0.5F},
        {"Elu", 1, Newest, "alpha", 1.0F},
        {"ThresholdedRelu", 10, Newest, "alpha", 1.0F},
        {"Cast", 19, Newest, "saturate", Int{1}},
        {"Mod", 10, Newest, "fmod", Int{0}},
        {"DepthToSpace", 11, Newest, "mode", Text("DCR")},
    };
    return table;
}

} // namespace

std::map<std::string, Attribute> withOnnxDefaults(const OpId& op, std::map<std::string, Attribute> attributes) {
    if (!op.domain.empty()) {
        return attributes;
    }
    if (op.name.starts_with("Reduce")) {
        attributes.try_emplace("keepdims", std::int64_t{1});
    }
    for (const Default& each : defaults()) {
        if (each.op == op.name && op.version >= each.from && op.version <= each.to) {
            attributes.try_emplace(std::string(each.key), each.value);
        }
    }
    return attributes;
}

} // namespace lemmascope
