#include "tests/conformance/ort/case_maker.h"

#include <algorithm>

namespace lemmascope::test {

namespace {

using E = ElementType;
const std::string Microsoft = "com.microsoft";

void addProducts(CaseMaker& maker, E type) {
    const auto x = [&](const Ints& shape) { return given(maker.tensor(type, shape)); };
    maker.add("MatMul", maker.opset(), {x({3, 4}), x({4, 2})});
    maker.add("MatMul", maker.opset(), {x({4}), x({4, 2})});
    maker.add("MatMul", maker.opset(), {x({3, 4}), x({4})});
    maker.add("MatMul", maker.opset(), {x({4}), x({4})});
    maker.add("MatMul", maker.opset(), {x({2, 1, 3, 4}), x({3, 4, 2})});
    maker.add("MatMul", maker.opset(), {x({2, 3, 0}), x({0, 2})});
    if (!isFloat(type)) {
        return;
    }
    for (int k = 0; k < 6; ++k) {
        const bool a = maker.random.coin();
        const bool b = maker.random.coin();
        std::vector<Operand> operands{x(a ? Ints{4, 3} : Ints{3, 4}), x(b ? Ints{2, 4} : Ints{4, 2})};
        const std::vector<Ints> biases{{3, 2}, {2}, {1}, {3, 1}, {}, {1, 2}};
        if (k != 5) {
            operands.push_back(x(biases[static_cast<std::size_t>(k)]));
        }
        maker.add("Gemm", maker.opset(), operands,
                  {{"transA", std::int64_t{a}},
                   {"transB", std::int64_t{b}},
                   {"alpha", static_cast<float>(maker.random.real(0.5, 2))},
                   {"beta", static_cast<float>(maker.random.real(0.5, 2))}});
    }
    const std::vector<std::pair<const char*, std::vector<Ints>>> equations{{"ij,jk->ik", {{2, 3}, {3, 4}}},
                                                                           {"bij,bjk->bik", {{2, 2, 3}, {2, 3, 4}}},
                                                                           {"ij->ji", {{2, 3}}},
                                                                           {"ij->", {{2, 3}}},
                                                                           {"ii->i", {{3, 3}}},
                                                                           {"ii", {{3, 3}}},
                                                                           {"i,j->ij", {{2}, {3}}},
                                                                           {"...ij,...jk->...ik", {{2, 2, 3}, {2, 3, 4}}},
                                                                           {"bhid,bhjd->bhij", {{1, 2, 3, 4}, {1, 2, 3, 4}}},
                                                                           {"ij,jk", {{2, 3}, {3, 4}}},
                                                                           {"ijk,ijk->ij", {{2, 3, 4}, {2, 3, 4}}}};
    for (const auto& [equation, shapes] : equations) {
        std::vector<Operand> operands;
        for (const Ints& shape : shapes) {
            operands.push_back(x(shape));
        }
        maker.add("Einsum", maker.opset(), operands, {{"equation", std::string(equation)}});
    }
}

/// Attributes of a window over `rank` spatial axes.
Attributes window(CaseMaker& maker, const Ints& kernel, bool dilated) {
    Attributes out{{"kernel_shape", kernel}};
    const auto list = [&](std::size_t count, std::int64_t low, std::int64_t high) {
        Ints values(count);
        for (std::int64_t& value : values) {
            value = maker.random.integer(low, high);
        }
        return values;
    };
    if (maker.random.coin()) {
        out["strides"] = list(kernel.size(), 1, 3);
    }
    if (dilated && maker.random.coin()) {
        out["dilations"] = list(kernel.size(), 1, 2);
    }
    switch (maker.random.integer(0, 4)) {
    case 0: out["auto_pad"] = std::string("SAME_UPPER"); break;
    case 1: out["auto_pad"] = std::string("SAME_LOWER"); break;
    case 2: out["auto_pad"] = std::string("VALID"); break;
    default: {
        Ints pads(kernel.size() * 2);
        for (std::size_t k = 0; k < pads.size(); ++k) {
            pads[k] = maker.random.integer(0, kernel[k % kernel.size()] - 1);
        }
        out["pads"] = pads;
    }
    }
    if (out.contains("auto_pad") && std::get<std::string>(out["auto_pad"]).starts_with("SAME")) {
        out.erase("dilations"); // ONNX Runtime refuses these together, and strides that skip elements
        out["strides"] = Ints(kernel.size(), 1);
        for (std::size_t k = 0; k < kernel.size(); ++k) {
            std::get<Ints>(out["strides"])[k] = maker.random.integer(1, kernel[k]);
        }
    }
    return out;
}

void addConvolutions(CaseMaker& maker) {
    for (int k = 0; k < 24; ++k) {
        const auto rank = static_cast<std::size_t>(maker.random.integer(1, 3));
        Ints kernel = maker.shape(rank, 3);
        Ints x{maker.random.integer(1, 2), 4};
        const std::int64_t groups = k % 3 == 0 ? 2 : (k % 7 == 0 ? 4 : 1);
        Ints w{groups * maker.random.integer(1, 2), 4 / groups};
        for (std::size_t axis = 0; axis < rank; ++axis) {
            x.push_back(maker.random.integer(5, 8));
            w.push_back(kernel[axis]);
        }
        Attributes attributes = window(maker, kernel, true);
        attributes["group"] = groups;
        std::vector<Operand> operands{given(maker.tensor(E::F32, x)), fixed(maker.tensor(E::F32, w))};
        if (maker.random.coin()) {
            operands.push_back(fixed(maker.tensor(E::F32, {w[0]})));
        }
        maker.add("Conv", maker.opset(), operands, attributes);
        if (k % 2 == 0) {
            Ints transposed{4, maker.random.integer(1, 2)};
            transposed.insert(transposed.end(), kernel.begin(), kernel.end());
            Attributes more = window(maker, kernel, true);
            more["group"] = groups;
            more.erase("auto_pad");
            if (k % 4 == 0 && more.contains("strides")) {
                more["output_padding"] = Ints(rank, 0);
            }
            maker.add("ConvTranspose", maker.opset(), {given(maker.tensor(E::F32, x)), fixed(maker.tensor(E::F32, transposed))}, more);
        }
    }
}

void addPools(CaseMaker& maker) {
    for (int k = 0; k < 24; ++k) {
        const auto rank = static_cast<std::size_t>(maker.random.integer(1, 3));
        const Ints kernel = maker.shape(rank, 3);
        Ints x{maker.random.integer(1, 2), 2};
        for (std::size_t axis = 0; axis < rank; ++axis) {
            x.push_back(maker.random.integer(5, 8));
        }
        Attributes attributes = window(maker, kernel, true);
        attributes["ceil_mode"] = std::int64_t{maker.random.coin()};
        const E type = k % 4 == 0 ? E::F64 : (k % 5 == 0 ? E::U8 : E::F32);
        maker.add("MaxPool", maker.opset(), {given(maker.tensor(type, x, -9, 99))}, attributes, k % 3 == 0 ? 2 : 1);
        Attributes average = window(maker, kernel, false);
        average["ceil_mode"] = std::int64_t{k % 3 == 0};
        average["count_include_pad"] = std::int64_t{maker.random.coin()};
        maker.add("AveragePool", maker.opset(), {given(maker.tensor(E::F32, x))}, average);
    }
    for (const char* op : {"GlobalAveragePool", "GlobalMaxPool"}) {
        maker.add(op, maker.opset(), {given(maker.tensor(E::F32, {2, 3, 4, 5}))});
        maker.add(op, maker.opset(), {given(maker.tensor(E::F32, {2, 3, 4}))});
    }
}

void addNormalizations(CaseMaker& maker) {
    for (const E type : {E::F32, E::F64}) {
        const auto x = [&](const Ints& shape, double low = -3, double high = 3) { return given(maker.tensor(type, shape, low, high)); };
        maker.add("BatchNormalization", maker.opset(), {x({2, 3, 4}), x({3}), x({3}), x({3}), x({3}, 0.1, 2)});
        maker.add("BatchNormalization", maker.opset(), {x({2, 3, 4, 2}), x({3}), x({3}), x({3}), x({3}, 0.1, 2)}, {{"epsilon", 0.01F}});
        maker.add("BatchNormalization", maker.opset(), {x({2, 3}), x({3}), x({3}), x({3}), x({3}, 0.1, 2)});
        for (const std::int64_t axis : {-1, 1, 2, -2}) {
            const Ints shape{2, 3, 4};
            const Ints tail(shape.begin() + (axis < 0 ? axis + 3 : axis), shape.end());
            maker.add("LayerNormalization", maker.opset(17), {x(shape), x(tail), x(tail)}, {{"axis", axis}});
            maker.add("LayerNormalization", maker.opset(17), {x(shape), x(tail)}, {{"axis", axis}, {"epsilon", 0.1F}});
        }
    }
    const auto x = [&](const Ints& shape) { return given(maker.tensor(E::F32, shape)); };
    maker.add("InstanceNormalization", maker.opset(), {x({2, 3, 4, 2}), x({3}), x({3})}, {{"epsilon", 0.01F}});
    maker.add("GroupNormalization", 21, {x({2, 4, 3, 2}), x({4}), x({4})}, {{"num_groups", std::int64_t{2}}});
    maker.add("LRN", maker.opset(), {x({2, 5, 3, 2})}, {{"size", std::int64_t{3}}, {"alpha", 0.2F}, {"beta", 0.6F}, {"bias", 1.5F}});
    for (const std::int64_t p : {1, 2}) {
        maker.add("LpNormalization", maker.opset(), {x({3, 4})}, {{"p", p}, {"axis", maker.axis(2)}});
    }
    maker.add("MeanVarianceNormalization", maker.opset(), {x({2, 3, 4, 2})});
    maker.add("Dropout", maker.opset(), {x({3, 4})});
    maker.add("Dropout", maker.opset(), {x({3, 4}), given(maker.tensor(E::F32, {}, 0.5, 0.5))}, {}, 2);
}

/// Contrib ops of ONNX Runtime.
void addFused(CaseMaker& maker) {
    const auto x = [&](const Ints& shape) { return given(maker.tensor(E::F32, shape)); };
    for (int k = 0; k < 6; ++k) {
        const bool a = maker.random.coin();
        const bool b = maker.random.coin();
        maker.add("FusedMatMul", 1, {x(a ? Ints{2, 4, 3} : Ints{2, 3, 4}), x(b ? Ints{2, 2, 4} : Ints{2, 4, 2})},
                  {{"transA", std::int64_t{a}}, {"transB", std::int64_t{b}}, {"alpha", 0.5F}}, 1, Microsoft);
    }
    for (const char* activation : {"Relu", "Sigmoid", "Tanh", "LeakyRelu", "HardSigmoid", "Clip"}) {
        const std::string name = activation;
        Attributes attributes{{"activation", name}, {"kernel_shape", Ints{2, 2}}};
        if (name == "LeakyRelu") {
            attributes["activation_params"] = std::vector<float>{0.1F};
        } else if (name == "HardSigmoid") {
            attributes["activation_params"] = std::vector<float>{0.2F, 0.5F};
        } else if (name == "Clip") {
            attributes["activation_params"] = std::vector<float>{-0.5F, 1.5F};
        }
        maker.add("FusedConv", 1, {x({1, 2, 4, 4}), fixed(maker.tensor(E::F32, {3, 2, 2, 2})), fixed(maker.tensor(E::F32, {3}))}, attributes, 1,
                  Microsoft);
        if (name == "Relu" || name == "Sigmoid" || name == "Tanh") {
            maker.add("FusedGemm", 1, {x({3, 4}), x({4, 2}), x({2})}, {{"activation", name}, {"alpha", 0.5F}}, 1, Microsoft);
        }
    }
    maker.add("FusedConv", 1, {x({1, 2, 4, 4}), fixed(maker.tensor(E::F32, {3, 2, 2, 2})), fixed(maker.tensor(E::F32, {3})), x({1, 3, 3, 3})},
              {{"activation", std::string("Relu")}, {"kernel_shape", Ints{2, 2}}}, 1, Microsoft);
    maker.add("Gelu", 1, {x({3, 4})}, {}, 1, Microsoft);
    maker.add("BiasGelu", 1, {x({3, 4}), x({4})}, {}, 1, Microsoft);
    maker.add("FastGelu", 1, {x({3, 4})}, {}, 1, Microsoft);
    maker.add("FastGelu", 1, {x({3, 4}), x({4})}, {}, 1, Microsoft);
    maker.add("QuickGelu", 1, {x({3, 4})}, {}, 1, Microsoft);
    maker.add("QuickGelu", 1, {x({3, 4})}, {{"alpha", 1.0F}}, 1, Microsoft);
    maker.add("SkipLayerNormalization", 1, {x({2, 3, 4}), x({2, 3, 4}), x({4}), x({4}), x({4})}, {{"epsilon", 0.01F}}, 1, Microsoft);
    maker.add("SkipLayerNormalization", 1, {x({2, 3, 4}), x({2, 3, 4}), x({4})}, {}, 1, Microsoft);
    maker.add("SimplifiedLayerNormalization", 17, {x({2, 3, 4}), x({4})}, {{"axis", std::int64_t{-1}}, {"epsilon", 0.01F}});
}

void addResizes(CaseMaker& maker) {
    for (const char* coordinates : {"asymmetric", "half_pixel", "align_corners", "pytorch_half_pixel"}) {
        for (const char* nearest : {"floor", "ceil", "round_prefer_floor", "round_prefer_ceil"}) {
            maker.add("Resize", maker.opset(),
                      {given(maker.tensor(E::F32, {1, 2, 3, 4})), absent(),
                       fixed(Tensor::of<float>(E::F32, {4}, {1, 1, 2, maker.random.coin() ? 2.5F : 0.6F}))},
                      {{"mode", std::string("nearest")},
                       {"coordinate_transformation_mode", std::string(coordinates)},
                       {"nearest_mode", std::string(nearest)}});
        }
        for (const char* mode : {"linear", "cubic"}) {
            const Attributes attributes{{"mode", std::string(mode)}, {"coordinate_transformation_mode", std::string(coordinates)}};
            maker.add("Resize", maker.opset(), {given(maker.tensor(E::F32, {1, 1, 3, 4})), absent(), absent(), ints({1, 1, 5, 7})}, attributes);
            maker.add("Resize", maker.opset(),
                      {given(maker.tensor(E::F32, {1, 1, 4, 4})), absent(), fixed(Tensor::of<float>(E::F32, {4}, {1, 1, 0.6F, 1.7F}))}, attributes);
        }
    }
}

void addAntialiasedResizes(CaseMaker& maker) {
    for (const char* mode : {"linear", "cubic"}) {
        for (const char* coordinates : {"half_pixel", "align_corners", "asymmetric"}) {
            for (const std::int64_t exclude : {0, 1}) {
                Attributes attributes{{"mode", std::string(mode)},
                                      {"coordinate_transformation_mode", std::string(coordinates)},
                                      {"antialias", std::int64_t{1}},
                                      {"exclude_outside", exclude}};
                maker.add("Resize", 18, {given(maker.tensor(E::F32, {1, 1, 9, 8})), absent(), absent(), ints({1, 1, 4, 3})}, attributes);
                maker.add("Resize", 18, {given(maker.tensor(E::F32, {1, 1, 6, 8})), absent(), absent(), ints({1, 1, 4, 11})}, attributes);
            }
        }
    }
}

void addRecurrent(CaseMaker& maker) {
    const auto x = [&](const Ints& shape) { return given(maker.tensor(E::F32, shape, -1.5, 1.5)); };
    for (const auto& [op, gates] : {std::pair{"LSTM", 4}, std::pair{"GRU", 3}, std::pair{"RNN", 1}}) {
        for (const char* direction : {"forward", "reverse", "bidirectional"}) {
            const std::int64_t ways = std::string(direction) == "bidirectional" ? 2 : 1;
            for (const bool clip : {false, true}) {
                Attributes attributes{{"hidden_size", std::int64_t{2}}, {"direction", std::string(direction)}};
                if (clip) {
                    attributes["clip"] = 0.5F;
                }
                if (clip && std::string(op) == "GRU") {
                    attributes["linear_before_reset"] = std::int64_t{1};
                }
                maker.add(op, 14, {x({3, 2, 3}), x({ways, gates * 2, 3}), x({ways, gates * 2, 2}), x({ways, gates * 4})}, attributes,
                          std::string(op) == "LSTM" ? 3 : 2);
            }
        }
    }
}

} // namespace

void addContractionCases(CaseMaker& maker) {
    for (const E type : {E::F32, E::F64, E::I32, E::I64}) {
        addProducts(maker, type);
    }
    addConvolutions(maker);
    addPools(maker);
    addNormalizations(maker);
    addFused(maker);
    addResizes(maker);
    addAntialiasedResizes(maker);
    addRecurrent(maker);
}

} // namespace lemmascope::test
