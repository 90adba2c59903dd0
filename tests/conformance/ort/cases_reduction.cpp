#include "tests/conformance/ort/case_maker.h"

namespace lemmascope::test {

namespace {

using E = ElementType;

void addReductions(CaseMaker& maker) {
    struct Entry {
        const char* op;
        std::vector<E> types;
        double low;
    };
    const std::vector<Entry> ops{{"ReduceSum", {E::F32, E::F64, E::I32, E::I64}, -3},
                                 {"ReduceMean", {E::F32, E::F64, E::I32}, -9},
                                 {"ReduceMax", {E::F32, E::F64, E::I32, E::I64, E::U8, E::I8}, -9},
                                 {"ReduceMin", {E::F32, E::F64, E::I32, E::I64, E::U8, E::I8}, -9},
                                 {"ReduceProd", {E::F32, E::F64, E::I32, E::I64}, -3},
                                 {"ReduceL1", {E::F32, E::I32}, -3},
                                 {"ReduceL2", {E::F32}, -3},
                                 {"ReduceSumSquare", {E::F32, E::F64, E::I32}, -3},
                                 {"ReduceLogSum", {E::F32}, 0.5},
                                 {"ReduceLogSumExp", {E::F32, E::F64}, -3}};
    const std::vector<Ints> axesChoices{{0}, {1}, {-1}, {0, 2}, {-2, 0}, {0, 1, 2}};
    for (const Entry& entry : ops) {
        for (const E type : entry.types) {
            for (const Ints& axes : axesChoices) {
                const Operand x = given(maker.tensor(type, maker.shape(3), entry.low, 4));
                const std::int64_t keep = maker.random.integer(0, 1);
                const std::int64_t version = maker.opset();
                const bool asOperand = version >= 18 || std::string(entry.op) == "ReduceSum"; // ReduceSum from opset 13 on
                if (asOperand) {
                    maker.add(entry.op, version, {x, ints(axes, maker.random.coin())}, {{"keepdims", keep}});
                } else {
                    maker.add(entry.op, version, {x}, {{"keepdims", keep}, {"axes", axes}});
                }
            }
            maker.add(entry.op, maker.opset(), {given(maker.tensor(type, maker.shape(2), entry.low, 4))});
            maker.add(entry.op, maker.opset(18), {given(maker.tensor(type, maker.shape(2), entry.low, 4))},
                      {{"noop_with_empty_axes", std::int64_t{1}}});
        }
    }
    // Max and min of NaN depend on where it stands in ONNX Runtime's vector loops: left out.
    maker.add("ReduceSum", maker.opset(18), {given(maker.specialFloats(E::F32, {6, 5})), ints({1})});
}

void addSoftmaxes(CaseMaker& maker) {
    for (const char* op : {"Softmax", "LogSoftmax", "Hardmax"}) {
        for (const E type : {E::F32, E::F64}) {
            for (int k = 0; k < 4; ++k) {
                maker.add(op, maker.opset(), {given(maker.tensor(type, maker.shape(3), -9, 9))}, {{"axis", maker.axis(3)}});
            }
            maker.add(op, maker.opset(), {given(maker.tensor(type, maker.shape(2), 80, 120))});
        }
    }
}

void addArguments(CaseMaker& maker) {
    for (const char* op : {"ArgMax", "ArgMin"}) {
        for (const E type : {E::F32, E::F64, E::I32, E::U8, E::I8}) {
            for (int k = 0; k < 4; ++k) { // few values: many ties
                maker.add(op, maker.opset(), {given(maker.tensor(type, {3, 4, 2}, 0, 1.4))},
                          {{"axis", maker.axis(3)}, {"keepdims", std::int64_t{k % 2}}, {"select_last_index", std::int64_t{k / 2}}});
            }
        }
    }
    for (const E type : {E::F32, E::F64, E::I32, E::I64}) {
        for (int k = 0; k < 4; ++k) {
            maker.add("CumSum", maker.opset(), {given(maker.tensor(type, {3, 4})), given(maker.tensor(E::I64, {}, k % 2, k % 2))},
                      {{"exclusive", std::int64_t{k / 2}}, {"reverse", std::int64_t{maker.random.coin()}}});
        }
        for (int k = 0; k < 4; ++k) {
            maker.add("TopK", maker.opset(), {given(maker.tensor(type, {3, 6}, -9, 9)), ints({maker.random.integer(1, 3)})},
                      {{"axis", std::int64_t{k % 2 == 0 ? -1 : 0}}, {"largest", std::int64_t{k / 2}}, {"sorted", std::int64_t{1}}}, 2);
        }
    }
    for (const E type : {E::F32, E::I64}) {
        maker.add("Unique", maker.opset(), {given(maker.tensor(type, {9}, 0, 3))}, {{"sorted", std::int64_t{1}}}, 4);
        maker.add("Unique", maker.opset(), {given(maker.tensor(type, {4, 2}, 0, 1))}, {{"axis", std::int64_t{0}}}, 4);
    }
}

} // namespace

void addReductionCases(CaseMaker& maker) {
    addReductions(maker);
    addSoftmaxes(maker);
    addArguments(maker);
}

} // namespace lemmascope::test
