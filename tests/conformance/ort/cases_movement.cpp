#include "tests/conformance/ort/case_maker.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace lemmascope::test {

namespace {

using E = ElementType;
const std::vector<E> Types{E::F32, E::F64, E::I32, E::I64, E::U8, E::I8, E::Bool};

std::int64_t product(const Ints& shape) { return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()); }

template <typename T>
void shuffle(CaseMaker& maker, std::vector<T>& list) {
    for (std::size_t k = list.size(); k > 1; --k) {
        std::swap(list[k - 1], list[static_cast<std::size_t>(maker.random.integer(0, static_cast<std::int64_t>(k) - 1))]);
    }
}

void addReshapes(CaseMaker& maker, E type) {
    const Ints shape = maker.shape(3);
    const Tensor x = maker.tensor(type, shape);
    maker.add("Reshape", maker.opset(), {given(x), ints({-1}, maker.random.coin())});
    maker.add("Reshape", maker.opset(), {given(x), ints({0, -1}, maker.random.coin())});
    maker.add("Reshape", maker.opset(), {given(x), ints({shape[2], shape[0] * shape[1]}, maker.random.coin())});
    maker.add("Reshape", 17, {given(maker.tensor(type, {0, 3})), ints({3, 0})}, {{"allowzero", std::int64_t{1}}});
    maker.add("Flatten", maker.opset(), {given(x)}, {{"axis", maker.random.integer(-3, 3)}});
    maker.add("Flatten", maker.opset(), {given(x)});
    maker.add("Squeeze", maker.opset(), {given(maker.tensor(type, {1, shape[0], 1}))});
    maker.add("Squeeze", maker.opset(), {given(maker.tensor(type, {1, shape[0], 1})), ints({maker.random.coin() ? 0 : -1})});
    maker.add("Unsqueeze", maker.opset(), {given(maker.tensor(type, shape)), ints(maker.random.coin() ? Ints{0, -1} : Ints{2, 1})});
    Ints permutation{0, 1, 2};
    shuffle(maker, permutation);
    maker.add("Transpose", maker.opset(), {given(x)}, {{"perm", permutation}});
    maker.add("Transpose", maker.opset(), {given(x)});
}

void addSlices(CaseMaker& maker, E type) {
    for (int k = 0; k < 4; ++k) {
        const Ints shape{maker.random.integer(1, 6), maker.random.integer(1, 6), maker.random.integer(1, 6)};
        Ints starts;
        Ints ends;
        Ints steps;
        Ints axes{0, 1, 2};
        shuffle(maker, axes);
        axes.resize(static_cast<std::size_t>(maker.random.integer(1, 3)));
        for (std::int64_t& axis : axes) {
            const bool all = maker.random.integer(0, 3) == 0;
            starts.push_back(maker.random.integer(-7, 7));
            const std::int64_t step = maker.random.integer(-3, 3);
            steps.push_back(step == 0 ? 1 : step);
            // The largest number with a negative step is left out: ONNX clamps it, ONNX Runtime takes it as "to the end".
            ends.push_back(!all ? maker.random.integer(-7, 7)
                                : (step < 0 ? std::numeric_limits<std::int64_t>::min() : std::numeric_limits<std::int64_t>::max()));
            axis -= maker.random.coin() ? 3 : 0;
        }
        const bool constant = maker.random.coin();
        std::vector<Operand> operands{given(maker.tensor(type, shape)), ints(starts, constant), ints(ends, constant), ints(axes, constant)};
        if (maker.random.coin()) {
            operands.push_back(ints(steps, constant));
        }
        maker.add("Slice", maker.opset(), operands);
    }
    maker.add("Slice", maker.opset(), {given(maker.tensor(type, {3, 4})), ints({1, 0}), ints({3, 2})});
}

void addSplitsAndJoins(CaseMaker& maker, E type) {
    const Ints shape{6, 4};
    const Tensor x = maker.tensor(type, shape);
    maker.add("Split", 13, {given(x)}, {{"axis", std::int64_t{0}}}, 3);
    maker.add("Split", 18, {given(maker.tensor(type, {2, 7}))}, {{"axis", std::int64_t{1}}, {"num_outputs", std::int64_t{4}}},
              4); // the last is smaller
    maker.add("Split", maker.opset(), {given(x), ints({1, 3})}, {{"axis", std::int64_t{-1}}}, 2);
    maker.add("Split", maker.opset(), {given(x), ints({0, 6}, false)}, {}, 2);
    for (int k = 0; k < 2; ++k) {
        const std::int64_t axis = maker.axis(3);
        const Ints base = maker.shape(3);
        std::vector<Operand> parts;
        for (std::int64_t part = maker.random.integer(1, 3); part > 0; --part) {
            Ints here = base;
            here[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)] = maker.random.integer(0, 3);
            parts.push_back(given(maker.tensor(type, here)));
        }
        maker.add("Concat", maker.opset(), parts, {{"axis", axis}});
    }
    const Ints narrow{1, 3, 1};
    maker.add("Expand", maker.opset(), {given(maker.tensor(type, narrow)), ints({2, 1, 3, 4}, maker.random.coin())});
    maker.add("Expand", maker.opset(), {given(maker.tensor(type, {3})), ints({1})});
    maker.add("Tile", maker.opset(),
              {given(maker.tensor(type, maker.shape(2))), ints({maker.random.integer(0, 3), maker.random.integer(1, 3)}, maker.random.coin())});
}

void addPads(CaseMaker& maker, E type) {
    for (const char* mode : {"constant", "edge", "reflect", "wrap"}) {
        const bool wraps = std::string(mode) == "wrap";
        Ints pads;
        for (int k = 0; k < 4; ++k) {
            pads.push_back(maker.random.integer(wraps ? 0 : -1, 2));
        }
        std::vector<Operand> operands{given(maker.tensor(type, {4, 5})), ints(pads, maker.random.coin())};
        if (std::string(mode) == "constant" && maker.random.coin()) {
            operands.push_back(given(maker.tensor(type, {}, 1, 3)));
        }
        maker.add("Pad", maker.opset(wraps ? 21 : 13), operands, {{"mode", std::string(mode)}});
    }
    maker.add("Pad", maker.opset(18), {given(maker.tensor(type, {3, 4, 2})), ints({1, 2}), absent(), ints({-2})});
}

void addShapes(CaseMaker& maker, E type) {
    const Tensor x = maker.tensor(type, maker.shape(3));
    maker.add("Shape", maker.opset(), {given(x)});
    maker.add("Shape", maker.opset(17), {given(x)}, {{"start", maker.random.integer(-4, 3)}, {"end", maker.random.integer(-4, 4)}});
    maker.add("Size", maker.opset(), {given(x)});
    maker.add("ConstantOfShape", maker.opset(), {ints(maker.shape(2), maker.random.coin())}, {{"value", maker.tensor(type, {1})}});
    maker.add("ConstantOfShape", maker.opset(), {ints({2, 0})});
    for (const bool upper : {true, false}) {
        if (type == E::F32 || type == E::I64) {
            maker.add("Trilu", maker.opset(17), {given(maker.tensor(type, {2, 4, 5}))}, {{"upper", std::int64_t{upper}}});
            maker.add("Trilu", maker.opset(17),
                      {given(maker.tensor(type, {4, 3})), given(Tensor::of<std::int64_t>(E::I64, {}, {maker.random.integer(-4, 4)}))},
                      {{"upper", std::int64_t{upper}}});
        }
    }
}

} // namespace

void addMovementCases(CaseMaker& maker) {
    for (const E type : Types) {
        addReshapes(maker, type);
        addSlices(maker, type);
        addSplitsAndJoins(maker, type);
        addPads(maker, type);
        addShapes(maker, type);
    }
    for (const char* mode : {"DCR", "CRD"}) {
        maker.add("DepthToSpace", maker.opset(), {given(maker.tensor(E::F32, {2, 8, 2, 3}))},
                  {{"blocksize", std::int64_t{2}}, {"mode", std::string(mode)}});
    }
    maker.add("SpaceToDepth", maker.opset(), {given(maker.tensor(E::F32, {2, 3, 4, 6}))}, {{"blocksize", std::int64_t{2}}});
    const auto scalar = [&maker](E type, double value) { return given(maker.tensor(type, {}, value, value)); };
    for (const E type : {E::I64, E::I32, E::F32}) {
        maker.add("Range", maker.opset(), {scalar(type, 1), scalar(type, 10), scalar(type, 3)});
        maker.add("Range", maker.opset(), {scalar(type, 5), scalar(type, -4), scalar(type, -2)});
        maker.add("Range", maker.opset(), {scalar(type, 5), scalar(type, 1), scalar(type, 2)});
    }
    maker.add("EyeLike", maker.opset(), {given(maker.tensor(E::F32, {3, 4}))}, {{"k", std::int64_t{1}}});
    maker.add("EyeLike", maker.opset(), {given(maker.tensor(E::I32, {3, 3}))}, {{"dtype", std::int64_t{1}}});
}

namespace {

Ints indices(CaseMaker& maker, std::int64_t count, std::int64_t length) {
    Ints out;
    for (std::int64_t k = 0; k < count; ++k) {
        out.push_back(maker.random.integer(-length, length - 1));
    }
    return out;
}

Tensor indexTensor(CaseMaker& maker, E type, const Ints& shape, std::int64_t length) {
    const Ints values = indices(maker, product(shape), length);
    return type == E::I64 ? Tensor::of<std::int64_t>(type, shape, values)
                          : Tensor::of<std::int32_t>(type, shape, std::vector<std::int32_t>(values.begin(), values.end()));
}

void addGathers(CaseMaker& maker, E type) {
    const Ints shape = maker.shape(3, 5);
    const Tensor x = maker.tensor(type, shape);
    const auto length = [&](std::int64_t axis) { return shape[static_cast<std::size_t>(axis < 0 ? axis + 3 : axis)]; };
    for (const E index : {E::I64, E::I32}) {
        const std::int64_t axis = maker.axis(3);
        maker.add("Gather", maker.opset(),
                  {given(x), given(indexTensor(maker, index, maker.shape(static_cast<std::size_t>(maker.random.integer(0, 2))), length(axis)))},
                  {{"axis", axis}});
        Ints inner = shape;
        const std::int64_t along = maker.axis(3);
        for (std::int64_t& l : inner) {
            l = maker.random.integer(1, l);
        }
        inner[static_cast<std::size_t>(along < 0 ? along + 3 : along)] = maker.random.integer(1, 4);
        maker.add("GatherElements", maker.opset(), {given(x), given(indexTensor(maker, index, inner, length(along)))}, {{"axis", along}});
        // Distinct places: which of two writes to one place wins is left open.
        Ints places(static_cast<std::size_t>(length(along)));
        std::iota(places.begin(), places.end(), 0);
        shuffle(maker, places);
        Ints updates(3, 1);
        updates[static_cast<std::size_t>(along < 0 ? along + 3 : along)] = length(along);
        const Tensor order = Tensor::of<std::int64_t>(E::I64, updates, places);
        maker.add("ScatterElements", maker.opset(), {given(x), given(order), given(maker.tensor(type, updates))}, {{"axis", along}});
        if (type == E::F32 || type == E::I64) {
            for (const char* reduction : {"add", "mul", "min", "max"}) {
                const Ints where = inner;
                maker.add("ScatterElements", maker.opset(18),
                          {given(x), given(indexTensor(maker, index, where, length(along))), given(maker.tensor(type, where))},
                          {{"axis", along}, {"reduction", std::string(reduction)}});
            }
        }
    }
    const Tensor pairs = Tensor::of<std::int64_t>(E::I64, {2, 2}, {0, -1, -1, 0});
    maker.add("GatherND", maker.opset(), {given(x), given(pairs)});
    maker.add("GatherND", maker.opset(), {given(maker.tensor(type, {2, 3, 4})), given(Tensor::of<std::int64_t>(E::I64, {2, 1}, {1, 0}))},
              {{"batch_dims", std::int64_t{1}}});
    maker.add("ScatterND", maker.opset(),
              {given(maker.tensor(type, {4, 3})), given(Tensor::of<std::int64_t>(E::I64, {2, 1}, {3, -3})), given(maker.tensor(type, {2, 3}))});
    maker.add("ScatterND", maker.opset(),
              {given(maker.tensor(type, {4, 3})), given(Tensor::of<std::int64_t>(E::I64, {2, 2}, {3, 1, 0, -1})), given(maker.tensor(type, {2}))});
    if (type == E::F32 || type == E::I32) {
        for (const char* reduction : {"add", "mul", "min", "max"}) {
            const bool extremes = std::string(reduction).starts_with("m") && std::string(reduction) != "mul";
            maker.add(
                "ScatterND", maker.opset(extremes ? 18 : 17),
                {given(maker.tensor(type, {4, 3})), given(Tensor::of<std::int64_t>(E::I64, {3, 1}, {3, 0, 3})), given(maker.tensor(type, {3, 3}))},
                {{"reduction", std::string(reduction)}});
        }
    }
}

} // namespace

void addIndexingCases(CaseMaker& maker) {
    for (const E type : Types) {
        addGathers(maker, type);
    }
    for (const E type : {E::I64, E::I32}) {
        const E value = E::F32;
        maker.add("OneHot", maker.opset(),
                  {given(indexTensor(maker, type, {2, 3}, 4)), given(maker.tensor(E::I64, {}, 4, 4)), given(maker.tensor(value, {2}))},
                  {{"axis", maker.random.integer(-3, 2)}});
        maker.add("OneHot", maker.opset(),
                  {given(indexTensor(maker, type, {3}, 9)), given(maker.tensor(E::I64, {}, 4, 4)), given(maker.tensor(value, {2}))});
    }
    for (const E type : {E::F32, E::I32, E::Bool, E::U8}) {
        maker.add("NonZero", maker.opset(), {given(maker.tensor(type, {3, 4}, 0, 1.4))});
        if (type != E::U8) {
            const Tensor keep = maker.tensor(E::Bool, {3});
            maker.add("Compress", maker.opset(), {given(maker.tensor(type, {3, 4})), given(keep)}, {{"axis", std::int64_t{0}}});
            maker.add("Compress", maker.opset(), {given(maker.tensor(type, {3, 4})), given(maker.tensor(E::Bool, {10}))});
        }
    }
    for (const auto& [batch, time] : {std::pair{0, 1}, std::pair{1, 0}}) {
        maker.add("ReverseSequence", maker.opset(), {given(maker.tensor(E::F32, {3, 3, 2})), given(Tensor::of<std::int64_t>(E::I64, {3}, {1, 2, 3}))},
                  {{"batch_axis", std::int64_t{batch}}, {"time_axis", std::int64_t{time}}});
    }
}

} // namespace lemmascope::test
