#include "tests/conformance/ort/case_maker.h"

namespace lemmascope::test {

namespace {

using E = ElementType;

/// Scales that are powers of two in half of the cases: then quotients hit rounding ties.
Tensor scales(CaseMaker& maker, const Ints& shape) {
    Tensor out(E::F32, shape);
    const bool powers = maker.random.coin();
    for (float& scale : out.mutableAs<float>()) {
        scale = powers ? (maker.random.coin() ? 0.25F : 0.5F) : static_cast<float>(maker.random.real(0.02, 0.2));
    }
    return out;
}

void addQuantize(CaseMaker& maker, E type) {
    const double low = type == E::U8 ? 0 : -20;
    for (int k = 0; k < 4; ++k) {
        const bool perAxis = k % 2 == 1;
        const std::int64_t axis = perAxis ? maker.axis(3) : 1;
        const Ints shape{2, 3, 4};
        const Ints parameters = perAxis ? Ints{shape[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)]} : Ints{};
        const Operand scale = given(scales(maker, parameters));
        const Operand zero = k / 2 == 0 ? given(maker.tensor(type, parameters, low, 20)) : absent();
        const Attributes attributes = perAxis ? Attributes{{"axis", axis}} : Attributes{};
        if (!zero.isAbsent || type == E::U8) {
            maker.add("QuantizeLinear", maker.opset(), {given(maker.tensor(E::F32, shape, -60, 60)), scale, zero}, attributes);
        }
        maker.add("DequantizeLinear", maker.opset(), {given(maker.tensor(type, shape, type == E::U8 ? 0 : -100, 100)), scale, zero}, attributes);
    }
    maker.add("QuantizeLinear", maker.opset(),
              {given(maker.specialFloats(E::F32, {24})), given(maker.tensor(E::F32, {}, 1, 1)), given(maker.tensor(type, {}, 3, 3))});
}

void addIntegerProducts(CaseMaker& maker) {
    // Weights within 7 bits: on older CPUs ONNX Runtime's u8 x s8 sums saturate at 16 bits.
    for (const E right : {E::U8, E::I8}) {
        const auto a = [&](const Ints& shape) { return given(maker.tensor(E::U8, shape, 0, 100)); };
        const auto b = [&](const Ints& shape) { return fixed(maker.tensor(right, shape, right == E::U8 ? 0 : -30, 30)); };
        maker.add("MatMulInteger", maker.opset(), {a({3, 4}), b({4, 2})});
        maker.add("MatMulInteger", maker.opset(),
                  {a({2, 3, 4}), b({4, 2}), given(maker.tensor(E::U8, {}, 9, 9)), fixed(maker.tensor(right, {}, 3, 3))});
        maker.add("QLinearMatMul", maker.opset(),
                  {a({3, 4}), given(scales(maker, {})), given(maker.tensor(E::U8, {}, 9, 9)), b({4, 2}), fixed(scales(maker, {})),
                   fixed(maker.tensor(right, {}, 2, 2)), given(maker.tensor(E::F32, {}, 0.7, 0.9)), given(maker.tensor(E::U8, {}, 5, 5))});
    }
    maker.add(
        "ConvInteger", maker.opset(),
        {given(maker.tensor(E::U8, {1, 2, 5, 5}, 0, 100)), fixed(maker.tensor(E::U8, {3, 2, 2, 2}, 0, 30)), given(maker.tensor(E::U8, {}, 4, 4))});
    maker.add("QLinearConv", maker.opset(),
              {given(maker.tensor(E::U8, {1, 2, 5, 5}, 0, 100)), fixed(scales(maker, {})), fixed(maker.tensor(E::U8, {}, 4, 4)),
               fixed(maker.tensor(E::I8, {3, 2, 2, 2}, -30, 30)), fixed(scales(maker, {})), fixed(maker.tensor(E::I8, {}, 0, 0)),
               fixed(maker.tensor(E::F32, {}, 0.8, 0.9)), fixed(maker.tensor(E::U8, {}, 7, 7))});
    for (int k = 0; k < 3; ++k) {
        maker.add("DynamicQuantizeLinear", maker.opset(), {given(maker.tensor(E::F32, {4, 5}, k == 1 ? 1 : -4, 5))}, {}, 3);
    }
}

} // namespace

void addQuantizedCases(CaseMaker& maker) {
    addQuantize(maker, E::U8);
    addQuantize(maker, E::I8);
    addIntegerProducts(maker);
}

} // namespace lemmascope::test
