// One case or more for every definition (resources/definitions) that ONNX Runtime has an op for.
#include "tests/conformance/ort/case_maker.h"

namespace lemmascope::test {

namespace {

using E = ElementType;
const std::string Microsoft = "com.microsoft";

Attributes with(std::initializer_list<std::pair<const std::string, Attribute>> list) { return Attributes(list); }
Attribute whole(std::int64_t value) { return value; }

Tensor positive(CaseMaker& maker, const Ints& shape) { return maker.tensor(E::F32, shape, 0.1, 1.0); }

void addScalarDefinitions(CaseMaker& maker) {
    const auto x = [&](const Ints& shape) { return given(maker.tensor(E::F32, shape)); };
    for (const char* approximate : {"none", "tanh"}) {
        maker.add("Gelu", 20, {x({3, 4})}, with({{"approximate", std::string(approximate)}}));
    }
    maker.add("Gelu", 1, {x({3, 4})}, {}, 1, Microsoft);
    maker.add("BiasGelu", 1, {x({3, 4}), x({4})}, {}, 1, Microsoft);
    maker.add("FastGelu", 1, {x({3, 4})}, {}, 1, Microsoft);
    maker.add("FastGelu", 1, {x({3, 4}), x({4})}, {}, 1, Microsoft);
    maker.add("QuickGelu", 1, {x({3, 4})}, {}, 1, Microsoft);
    maker.add("QuickGelu", 1, {x({3, 4})}, with({{"alpha", 1.0F}}), 1, Microsoft);
    maker.add("HardSwish", 14, {given(maker.tensor(E::F32, {4, 6}, -6, 6))});
    maker.add("Mish", 18, {x({3, 4})});
    maker.add("Elu", 13, {x({3, 4})}, with({{"alpha", 1.5F}}));
    maker.add("Celu", 13, {x({3, 4})}, with({{"alpha", 1.5F}}));
    maker.add("Selu", 13, {x({3, 4})});
    maker.add("ThresholdedRelu", 13, {x({3, 4})}, with({{"alpha", 0.5F}}));
    maker.add("Shrink", 13, {x({3, 4})}, with({{"lambd", 1.0F}, {"bias", 0.5F}}));
}

void addNormalizationDefinitions(CaseMaker& maker) {
    const auto x = [&](const Ints& shape) { return given(maker.tensor(E::F32, shape)); };
    maker.add("LayerNormalization", 17, {x({2, 3, 4}), x({3, 4}), x({3, 4})}, with({{"axis", whole(1)}, {"epsilon", 0.01F}}), 3);
    maker.add("SimplifiedLayerNormalization", 17, {x({2, 3, 4}), x({4})}, with({{"epsilon", 0.01F}}));
    maker.add("RMSNormalization", 23, {x({2, 3, 4}), x({4})}, with({{"epsilon", 0.01F}}));
    maker.add("SkipLayerNormalization", 1, {x({2, 3, 4}), x({2, 3, 4}), x({4}), x({4}), x({4})}, with({{"epsilon", 0.01F}}), 1, Microsoft);
    maker.add("SkipLayerNormalization", 1, {x({2, 3, 4}), x({2, 3, 4}), x({4})}, {}, 1, Microsoft);
    maker.add("SkipSimplifiedLayerNormalization", 1, {x({2, 3, 4}), x({2, 3, 4}), x({4}), x({4})}, with({{"epsilon", 0.01F}}), 1, Microsoft);
    maker.add("BatchNormalization", 15, {x({2, 3, 4, 2}), x({3}), x({3}), x({3}), given(positive(maker, {3}))});
    maker.add("InstanceNormalization", 13, {x({2, 3, 4, 2}), x({3}), x({3})}, with({{"epsilon", 0.01F}}));
    maker.add("GroupNormalization", 18, {x({2, 4, 3}), x({2}), x({2})}, with({{"num_groups", whole(2)}}));
    maker.add("GroupNormalization", 21, {x({2, 4, 3, 2}), x({4}), x({4})}, with({{"num_groups", whole(2)}}));
    maker.add("Softmax", 13, {x({2, 3, 4})}, with({{"axis", whole(1)}}));
    maker.add("LogSoftmax", 13, {x({2, 3, 4})});
    maker.add("MeanVarianceNormalization", 13, {x({2, 3, 4, 2})});
    maker.add("LpNormalization", 13, {x({2, 3, 4})}, with({{"p", whole(1)}, {"axis", whole(1)}}));
    maker.add("LpNormalization", 13, {x({2, 3, 4})});
    for (const std::int64_t p : {1, 2}) {
        maker.add("LpNormalization", 13, {given(Tensor::of<float>(E::F32, {2, 2}, {0.0F, 0.0F, 3.0F, -4.0F}))}, with({{"p", whole(p)}}));
    }
    maker.add("GlobalAveragePool", 13, {x({2, 3, 4, 2})});
    maker.add("GlobalMaxPool", 13, {x({2, 3, 4, 2})});
}

void addProductDefinitions(CaseMaker& maker) {
    const auto x = [&](const Ints& shape) { return given(maker.tensor(E::F32, shape)); };
    maker.add("Gemm", 13, {x({4, 2}), x({3, 4}), x({3})}, with({{"transA", whole(1)}, {"transB", whole(1)}, {"alpha", 0.5F}, {"beta", 2.0F}}));
    for (const char* name : {"Relu", "Sigmoid", "Tanh", "LeakyRelu"}) {
        Attributes attributes = with({{"activation", std::string(name)}, {"alpha", 0.5F}});
        if (std::string(name) == "LeakyRelu") {
            attributes["activation_alpha"] = 0.125F;
        }
        maker.add("FusedGemm", 1, {x({3, 4}), x({4, 2}), x({2})}, attributes, 1, Microsoft);
    }
    maker.add("FusedMatMul", 1, {x({2, 4, 3}), x({2, 5, 4})}, with({{"transA", whole(1)}, {"transB", whole(1)}, {"alpha", 0.5F}}), 1, Microsoft);
    maker.add("FusedMatMul", 1, {x({3, 2, 4}), x({5, 2, 4})}, with({{"transBatchA", whole(1)}, {"transBatchB", whole(1)}, {"transB", whole(1)}}), 1,
              Microsoft);
    maker.add("Conv", 13, {x({1, 4, 5, 5}), x({6, 2, 3, 3}), x({6})}, with({{"group", whole(2)}, {"pads", Ints{1, 0, 1, 0}}}));
    maker.add("ConvTranspose", 13, {x({1, 4, 3, 3}), x({4, 3, 3, 3}), x({6})},
              with({{"group", whole(2)}, {"strides", Ints{2, 1}}, {"pads", Ints{1, 0, 0, 1}}}));
    const std::vector<std::pair<const char*, std::vector<float>>> activations{
        {"Relu", {}}, {"LeakyRelu", {0.125F}}, {"HardSigmoid", {0.2F, 0.4F}}, {"Clip", {-0.5F, 1.5F}}, {"Tanh", {}}};
    for (const auto& [name, parameters] : activations) {
        Attributes attributes = with({{"activation", std::string(name)}, {"kernel_shape", Ints{2, 2}}, {"strides", Ints{1, 2}}});
        if (!parameters.empty()) {
            attributes["activation_params"] = parameters;
        }
        maker.add("FusedConv", 1, {x({1, 2, 4, 4}), x({3, 2, 2, 2}), x({3})}, attributes, 1, Microsoft);
    }
    maker.add("FusedConv", 1, {x({1, 2, 4, 4}), x({3, 2, 2, 2}), x({3}), x({1, 3, 3, 3})},
              with({{"activation", std::string("Relu")}, {"kernel_shape", Ints{2, 2}}}), 1, Microsoft);
}

void addAttentionDefinitions(CaseMaker& maker) {
    const auto x = [&](const Ints& shape) { return given(maker.tensor(E::F32, shape, -1.5, 1.5)); };
    const auto i32 = [&](const Ints& shape, const std::vector<std::int32_t>& values) {
        return fixed(Tensor::of<std::int32_t>(E::I32, shape, values));
    };
    // com.microsoft.Attention: plain, own sizes and scale, masks, causal, past, bias of the scores
    maker.add("Attention", 1, {x({2, 3, 4}), x({4, 12}), x({12})}, with({{"num_heads", whole(2)}}), 1, Microsoft);
    maker.add("Attention", 1, {x({2, 3, 4}), x({4, 14}), x({14})},
              with({{"num_heads", whole(2)}, {"qkv_hidden_sizes", Ints{4, 4, 6}}, {"scale", 0.25F}}), 1, Microsoft);
    maker.add("Attention", 1, {x({2, 3, 4}), x({4, 12}), x({12}), i32({2, 3}, {1, 1, 0, 1, 1, 1})}, with({{"num_heads", whole(2)}}), 1, Microsoft);
    maker.add("Attention", 1, {x({2, 3, 4}), x({4, 12}), x({12}), i32({2, 3, 3}, {1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1})},
              with({{"num_heads", whole(2)}}), 1, Microsoft);
    maker.add("Attention", 1, {x({2, 3, 4}), x({4, 12}), x({12})}, with({{"num_heads", whole(2)}, {"unidirectional", whole(1)}}), 1, Microsoft);
    maker.add("Attention", 1, {x({2, 3, 4}), x({4, 12}), x({12}), absent(), x({2, 2, 2, 5, 2})},
              with({{"num_heads", whole(2)}, {"unidirectional", whole(1)}}), 2, Microsoft);
    maker.add("Attention", 1, {x({2, 3, 4}), x({4, 12}), x({12}), absent(), absent(), x({2, 2, 3, 3})}, with({{"num_heads", whole(2)}}), 1,
              Microsoft);
    // MultiHeadAttention
    maker.add("MultiHeadAttention", 1, {x({2, 3, 4}), x({2, 5, 4}), x({2, 5, 6})}, with({{"num_heads", whole(2)}}), 1, Microsoft);
    maker.add("MultiHeadAttention", 1, {x({2, 3, 4}), x({2, 5, 4}), x({2, 5, 4}), x({12})}, with({{"num_heads", whole(2)}, {"scale", 0.5F}}), 1,
              Microsoft);
    maker.add("MultiHeadAttention", 1, {x({2, 3, 4}), x({2, 3, 4}), x({2, 3, 4}), absent(), i32({2, 3}, {1, 1, 0, 1, 1, 1})},
              with({{"num_heads", whole(2)}}), 1, Microsoft);
    maker.add("MultiHeadAttention", 1,
              {x({2, 3, 4}), x({2, 3, 4}), x({2, 3, 4}), absent(), absent(), x({1, 2, 3, 5}), x({2, 2, 2, 2}), x({2, 2, 2, 2})},
              with({{"num_heads", whole(2)}}), 3, Microsoft);
    maker.add("MultiHeadAttention", 1, {x({2, 3, 4}), x({2, 3, 4}), x({2, 3, 4})}, with({{"num_heads", whole(2)}, {"unidirectional", whole(1)}}), 1,
              Microsoft);
    // GroupQueryAttention: a first prompt, shared keys, rotary, past
    maker.add("GroupQueryAttention", 1, {x({2, 3, 32}), x({2, 3, 16}), x({2, 3, 16}), absent(), absent(), i32({2}, {2, 2}), i32({1}, {3})},
              with({{"num_heads", whole(4)}, {"kv_num_heads", whole(2)}}), 3, Microsoft);
    maker.add("GroupQueryAttention", 1,
              {x({1, 3, 64}), x({1, 3, 32}), x({1, 3, 32}), absent(), absent(), i32({1}, {2}), i32({1}, {3}), x({6, 8}), x({6, 8})},
              with({{"num_heads", whole(4)}, {"kv_num_heads", whole(2)}, {"do_rotary", whole(1)}, {"scale", 0.3F}}), 3, Microsoft);
    maker.add("GroupQueryAttention", 1, {x({1, 1, 32}), x({1, 1, 16}), x({1, 1, 16}), x({1, 2, 4, 8}), x({1, 2, 4, 8}), i32({1}, {4}), i32({1}, {5})},
              with({{"num_heads", whole(4)}, {"kv_num_heads", whole(2)}}), 3, Microsoft);
    // Rotary embeddings
    const auto positions = [](const Ints& shape, const std::vector<std::int64_t>& values) {
        return fixed(Tensor::of<std::int64_t>(E::I64, shape, values));
    };
    for (const std::int64_t interleaved : {0, 1}) {
        maker.add("RotaryEmbedding", 1, {x({2, 3, 8}), positions({2, 3}, {0, 1, 2, 4, 3, 1}), x({6, 2}), x({6, 2})},
                  with({{"interleaved", whole(interleaved)}}), 1, Microsoft);
        maker.add("RotaryEmbedding", 1, {x({2, 3, 12}), positions({1}, {2}), x({6, 2}), x({6, 2})},
                  with({{"interleaved", whole(interleaved)}, {"num_heads", whole(2)}, {"rotary_embedding_dim", whole(4)}}), 1, Microsoft);
        maker.add("RotaryEmbedding", 23, {x({2, 2, 3, 4}), x({6, 2}), x({6, 2}), positions({2, 3}, {0, 1, 2, 4, 3, 1})},
                  with({{"interleaved", whole(interleaved)}}));
        maker.add("RotaryEmbedding", 23, {x({2, 3, 8}), x({2, 3, 2}), x({2, 3, 2})},
                  with({{"interleaved", whole(interleaved)}, {"num_heads", whole(2)}}));
    }
    // ONNX's Attention
    for (const std::int64_t opset : {23, 24}) {
        maker.add("Attention", opset, {x({2, 2, 3, 4}), x({2, 2, 5, 4}), x({2, 2, 5, 6})});
        maker.add("Attention", opset, {x({2, 3, 8}), x({2, 5, 4}), x({2, 5, 4})}, with({{"q_num_heads", whole(4)}, {"kv_num_heads", whole(2)}}));
        maker.add("Attention", opset, {x({2, 2, 3, 4}), x({2, 2, 5, 4}), x({2, 2, 5, 4}), x({3, 5})}, with({{"scale", 0.3F}}));
        maker.add("Attention", opset, {x({2, 2, 3, 4}), x({2, 2, 3, 4}), x({2, 2, 3, 4})}, with({{"is_causal", whole(1)}}));
        maker.add("Attention", opset, {x({2, 2, 3, 4}), x({2, 2, 3, 4}), x({2, 2, 3, 4})}, with({{"softcap", 2.0F}}));
        maker.add("Attention", opset, {x({2, 2, 3, 4}), x({2, 2, 3, 4}), x({2, 2, 3, 4}), absent(), x({2, 2, 2, 4}), x({2, 2, 2, 4})}, {}, 3);
    }
}

Tensor scale(CaseMaker& maker) { return maker.tensor(E::F32, {}, 0.02, 0.2); }

void addQuantizedDefinitions(CaseMaker& maker) {
    for (const E type : {E::U8, E::I8}) {
        const double low = type == E::U8 ? 0 : -100;
        const auto q = [&](const Ints& shape) { return given(maker.tensor(type, shape, low, 100)); };
        const auto s = [&] { return given(scale(maker)); };
        const auto z = [&](std::int64_t value) { return fixed(maker.tensor(type, {}, static_cast<double>(value), static_cast<double>(value))); };
        for (const char* name : {"QLinearAdd", "QLinearMul"}) {
            maker.add(name, 1, {q({3, 4}), s(), z(5), q({4}), s(), z(9), s(), z(20)}, {}, 1, Microsoft);
        }
        maker.add("QLinearSigmoid", 1, {q({3, 4}), fixed(scale(maker)), z(5), fixed(maker.tensor(E::F32, {}, 0.004, 0.004)), z(0)}, {}, 1, Microsoft);
        maker.add("QLinearLeakyRelu", 1, {q({3, 4}), fixed(scale(maker)), z(5), fixed(scale(maker)), z(7)}, with({{"alpha", 0.125F}}), 1, Microsoft);
        maker.add("QLinearSoftmax", 1, {q({3, 4}), fixed(scale(maker)), z(5), fixed(maker.tensor(E::F32, {}, 0.004, 0.004)), z(0)},
                  with({{"axis", whole(-1)}, {"opset", whole(13)}}), 1, Microsoft);
        for (const std::int64_t last : {0, 1}) {
            maker.add("QLinearGlobalAveragePool", 1, {q({2, 3, 4, 5}), s(), z(5), s(), z(7)}, with({{"channels_last", whole(last)}}), 1, Microsoft);
            maker.add("QLinearAveragePool", 1, {q({2, 4, 4, 3}), s(), z(5), s(), z(7)},
                      with({{"channels_last", whole(last)}, {"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 1}}}), 1, Microsoft);
        }
        maker.add("QLinearConcat", 1, {s(), z(7), q({2, 3}), s(), z(5), q({2, 2}), s(), z(3)}, with({{"axis", whole(1)}}), 1, Microsoft);
        maker.add("NhwcMaxPool", 1, {q({2, 4, 5, 3})}, with({{"kernel_shape", Ints{2, 3}}, {"strides", Ints{1, 2}}, {"pads", Ints{0, 1, 0, 1}}}), 1,
                  Microsoft);
    }
    const auto u8 = [&](const Ints& shape) { return given(maker.tensor(E::U8, shape, 0, 100)); };
    const auto weights = [&](const Ints& shape) { return fixed(maker.tensor(E::I8, shape, -30, 30)); };
    const auto zero = [&](E type, std::int64_t value) {
        return fixed(maker.tensor(type, {}, static_cast<double>(value), static_cast<double>(value)));
    };
    maker.add("MatMulIntegerToFloat", 1, {u8({3, 4}), weights({4, 2}), given(scale(maker)), given(scale(maker)), zero(E::U8, 9), zero(E::I8, 2)}, {},
              1, Microsoft);
    maker.add(
        "MatMulIntegerToFloat", 1,
        {u8({3, 4}), weights({4, 2}), given(scale(maker)), given(positive(maker, {2})), zero(E::U8, 9), absent(), given(maker.tensor(E::F32, {2}))},
        {}, 1, Microsoft);
    maker.add("DynamicQuantizeMatMul", 1,
              {given(maker.tensor(E::F32, {3, 4})), weights({4, 2}), given(scale(maker)), zero(E::I8, 0), given(maker.tensor(E::F32, {2}))}, {}, 1,
              Microsoft);
    maker.add("QGemm", 1,
              {u8({3, 4}), given(scale(maker)), zero(E::U8, 9), weights({4, 2}), given(scale(maker)), zero(E::I8, 0),
               given(maker.tensor(E::I32, {2}, -50, 50))},
              with({{"alpha", 1.0F}}), 1, Microsoft);
    maker.add("QLinearConv", 13,
              {u8({1, 2, 5, 5}), fixed(scale(maker)), zero(E::U8, 4), weights({3, 2, 2, 2}), fixed(positive(maker, {3})),
               fixed(maker.tensor(E::I8, {3}, 0, 0)), fixed(maker.tensor(E::F32, {}, 2.8, 2.9)), zero(E::U8, 7),
               fixed(maker.tensor(E::I32, {3}, -50, 50))},
              with({{"pads", Ints{1, 0, 0, 1}}}));
    maker.add("QLinearConv", 1,
              {u8({1, 5, 5, 2}), fixed(scale(maker)), zero(E::U8, 4), weights({3, 2, 2, 2}), fixed(scale(maker)), zero(E::I8, 0),
               fixed(maker.tensor(E::F32, {}, 0.8, 0.9)), zero(E::U8, 7)},
              with({{"channels_last", whole(1)}, {"kernel_shape", Ints{2, 2}}}), 1, Microsoft);
}

void addFunctionDefinitions(CaseMaker& maker) {
    const auto x = [&](const Ints& shape) { return given(maker.tensor(E::F32, shape)); };
    for (const char* name : {"HannWindow", "HammingWindow", "BlackmanWindow"}) {
        for (const std::int64_t periodic : {0, 1}) {
            maker.add(name, 17, {fixed(Tensor::of<std::int64_t>(E::I64, {}, {10}))}, with({{"periodic", whole(periodic)}}));
        }
    }
    const auto labels = [](const Ints& shape, const std::vector<std::int64_t>& values) {
        return fixed(Tensor::of<std::int64_t>(E::I64, shape, values));
    };
    for (const char* reduction : {"none", "sum", "mean"}) {
        const Attributes plain = with({{"reduction", std::string(reduction)}});
        const Attributes ignoring = with({{"reduction", std::string(reduction)}, {"ignore_index", whole(-1)}});
        maker.add("NegativeLogLikelihoodLoss", 13, {x({3, 4, 2}), labels({3, 2}, {0, 1, 2, 3, 1, 2})}, plain);
        maker.add("NegativeLogLikelihoodLoss", 13, {x({3, 4, 2}), labels({3, 2}, {0, 1, -1, 3, 1, 2}), given(positive(maker, {4}))}, ignoring);
        maker.add("SoftmaxCrossEntropyLoss", 13, {x({3, 4}), labels({3}, {0, 3, 2})}, plain, 2);
        maker.add("SoftmaxCrossEntropyLoss", 13, {x({3, 4}), labels({3}, {0, -1, 2}), given(positive(maker, {4}))}, ignoring, 2);
    }
    maker.add("CenterCropPad", 18, {x({3, 6, 5}), ints({5, 3, 5})});
    maker.add("CenterCropPad", 18, {x({3, 6, 5}), ints({7, 2})}, with({{"axes", Ints{1, 2}}}));
    for (const std::int64_t align : {0, 1}) {
        maker.add("AffineGrid", 20, {x({2, 2, 3}), ints({2, 1, 4, 5})}, with({{"align_corners", whole(align)}}));
        maker.add("AffineGrid", 20, {x({2, 3, 4}), ints({2, 1, 2, 3, 4})}, with({{"align_corners", whole(align)}}));
    }
}

void addQuantizedProducts(CaseMaker& maker) {
    const auto u8 = [&](const Ints& shape) { return given(maker.tensor(E::U8, shape, 0, 100)); };
    const auto weights = [&](const Ints& shape) { return fixed(maker.tensor(E::I8, shape, -30, 30)); };
    const auto zeros = [&](E type, const Ints& shape, double value) { return fixed(maker.tensor(type, shape, value, value)); };
    const auto outer = [&] { return fixed(maker.tensor(E::F32, {}, 0.8, 0.9)); };
    maker.add("QLinearMatMul", 13,
              {u8({2, 3, 4}), fixed(scale(maker)), zeros(E::U8, {}, 9), weights({4, 2}), fixed(scale(maker)), zeros(E::I8, {}, 2), outer(),
               zeros(E::U8, {}, 5)});
    maker.add("QLinearMatMul", 13,
              {u8({3, 4}), fixed(scale(maker)), zeros(E::U8, {}, 9), weights({4, 2}), fixed(positive(maker, {2})), zeros(E::I8, {2}, 0), outer(),
               zeros(E::U8, {}, 5)});
}

} // namespace

void addDefinitionCases(CaseMaker& maker) {
    addScalarDefinitions(maker);
    addNormalizationDefinitions(maker);
    addProductDefinitions(maker);
    addAttentionDefinitions(maker);
    addQuantizedDefinitions(maker);
    addFunctionDefinitions(maker);
    addQuantizedProducts(maker);
}

} // namespace lemmascope::test
