#include "core/graph/op_registry.h"

#include "core/graph/ops/op_block.h"

#include <QtTest/QTest>

#include <algorithm>
#include <tuple>

using namespace lemmascope;

class TestOpRegistry : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theOpsetInForceDecides() {
        QCOMPARE(findOp({"", "Softmax", 12})->sinceVersion, 11);
        QCOMPARE(findOp({"", "Softmax", 13})->sinceVersion, 13);
        QCOMPARE(findOp({"", "Softmax", 26})->sinceVersion, 13);
        QCOMPARE(findOp({"", "Clip", 10})->maxOperands, 1);
        QCOMPARE(findOp({"", "Clip", 11})->maxOperands, 3);
        QCOMPARE(findOp({"", "ReduceSum", 12})->maxOperands, 1);
        QCOMPARE(findOp({"", "ReduceSum", 13})->maxOperands, 2);
        QCOMPARE(findOp({"", "ReduceMean", 17})->maxOperands, 1);
        QCOMPARE(findOp({"ai.onnx", "Relu", 17})->sinceVersion, 14);
    }

    void whatIsNotThereIsUnknown() {
        QVERIFY(findOp({"", "Mystery", 17}) == nullptr);
        QVERIFY(findOp({"", "Gelu", 19}) == nullptr);
        QVERIFY(findOp({"", "FusedConv", 17}) == nullptr);
        QVERIFY(findOp({"com.other", "Relu", 1}) == nullptr);
        QVERIFY(findOp({"", "Upsample", 10}) == nullptr);
        QVERIFY(findOp({"", "Scatter", 11}) == nullptr);
        QVERIFY(findOp({"", "Relu", 0}) == nullptr);
    }

    void onnxRuntimesOwnOpsAreKnown() {
        QVERIFY(findOp({"", "LayerNormalization", 9}) != nullptr);
        QVERIFY(findOp({"", "SimplifiedLayerNormalization", 9}) != nullptr);
        QVERIFY(findOp({"com.microsoft", "FusedConv", 0}) != nullptr);
        QVERIFY(findOp({"com.microsoft", "FusedMatMul", 1}) != nullptr);
    }

    void everyRankedOpHasARule_data() {
        QTest::addColumn<QString>("op");
        const QString ranked =
            "Identity Constant ConstantOfShape Shape Size Range Cast CastLike Reshape Flatten Squeeze Unsqueeze Transpose Slice Split Concat Expand "
            "Tile "
            "Gather GatherElements GatherND ScatterElements ScatterND Pad Where Add Sub Mul Div Neg Abs Min Max Sum Mean Relu Clip LeakyRelu PRelu "
            "DepthToSpace SpaceToDepth Resize Sigmoid HardSigmoid Tanh Erf Gelu Exp Log Sqrt Reciprocal Pow Floor Ceil Round Sign Mod Equal Less "
            "LessOrEqual Greater GreaterOrEqual And Or Xor Not MatMul Gemm Conv BatchNormalization MaxPool AveragePool GlobalAveragePool "
            "GlobalMaxPool "
            "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceSumSquare ReduceLogSum ReduceLogSumExp Softmax LogSoftmax "
            "LayerNormalization InstanceNormalization Dropout ArgMax ArgMin CumSum Einsum Trilu QuantizeLinear DequantizeLinear ConvTranspose "
            "GroupNormalization RMSNormalization RotaryEmbedding Attention LRN Elu Selu Softplus Softsign HardSwish Swish Mish Celu ThresholdedRelu "
            "OneHot NonZero TopK ReverseSequence MatMulInteger ConvInteger QLinearConv QLinearMatMul DynamicQuantizeLinear BitShift BitwiseAnd "
            "BitwiseOr "
            "BitwiseXor BitwiseNot IsNaN IsInf LSTM GRU RNN LpNormalization MeanVarianceNormalization EyeLike Unique Compress RandomNormal "
            "RandomUniform "
            "RandomNormalLike RandomUniformLike Bernoulli Multinomial "
            "com.microsoft.FusedConv com.microsoft.FusedGemm com.microsoft.QuickGelu com.microsoft.FusedMatMul com.microsoft.SkipLayerNormalization "
            "com.microsoft.SkipSimplifiedLayerNormalization com.microsoft.BiasGelu com.microsoft.Gelu com.microsoft.FastGelu "
            "SimplifiedLayerNormalization "
            "com.microsoft.QLinearConv com.microsoft.QLinearAdd com.microsoft.QLinearSigmoid com.microsoft.QLinearGlobalAveragePool "
            "com.microsoft.QLinearAveragePool com.microsoft.QLinearMul com.microsoft.QLinearConcat com.microsoft.QLinearLeakyRelu "
            "com.microsoft.QLinearSoftmax com.microsoft.NhwcMaxPool com.microsoft.DynamicQuantizeMatMul com.microsoft.MatMulIntegerToFloat "
            "com.microsoft.Attention com.microsoft.MultiHeadAttention com.microsoft.GroupQueryAttention com.microsoft.RotaryEmbedding "
            "lemmascope.RowsAt lemmascope.StoreSlice lemmascope.StoreRows lemmascope.StoreRowsAt";
        for (const QString& op : ranked.split(' ')) {
            QTest::newRow(qPrintable(op)) << op;
        }
    }

    void everyRankedOpHasARule() {
        QFETCH(QString, op);
        const qsizetype dot = op.lastIndexOf('.');
        const std::string domain = dot < 0 ? std::string() : op.left(dot).toStdString();
        const OpRule* rule = findRule({domain, op.mid(dot + 1).toStdString(), domain.empty() ? 26 : 1});
        QVERIFY(rule != nullptr && rule->rule != nullptr);
    }

    void controlOpsAreKnown() {
        for (const char* name : {"If", "Loop", "Scan"}) {
            QVERIFY(findOp({"", name, 16})->opClass == OpClass::Control);
        }
    }

    void classesSayWhatTermsMayDo() {
        for (const char* name : {"Add", "Relu", "Cast", "Where", "Clip", "Less", "Max", "Pow", "Not", "HardSigmoid", "PRelu"}) {
            QVERIFY2(findOp({"", name, 17})->opClass == OpClass::Elementwise, name);
        }
        for (const char* name : {"Reshape", "Transpose", "Slice", "Concat", "Gather", "Pad", "Expand", "ScatterND", "Identity"}) {
            QVERIFY2(findOp({"", name, 13})->opClass == OpClass::Movement, name);
        }
        for (const char* name : {"MatMul", "Conv", "Softmax", "QuantizeLinear", "ReduceSum", "CastLike", "ScatterND"}) {
            QVERIFY2(findOp({"", name, 17})->opClass == OpClass::Computing, name);
        }
        QVERIFY(findOp({"", "RandomNormal", 17})->opClass == OpClass::Random);
    }

    void onlyBitExactExchangesAreCommutative() {
        for (const char* name : {"Add", "Mul", "And", "Or", "Xor", "Equal"}) {
            QVERIFY2(findOp({"", name, 17})->commutative, name);
        }
        for (const char* name : {"Sub", "Div", "Min", "Max", "Less", "MatMul", "Pow"}) {
            QVERIFY2(!findOp({"", name, 17})->commutative, name);
        }
    }

    void rowsAreSortedAndSane() {
        const auto key = [](const OpSchema& row) { return std::tuple(row.domain, row.name, row.sinceVersion); };
        const std::span<const OpSchema> rows = allOps();
        QVERIFY(std::is_sorted(rows.begin(), rows.end(), [&key](const OpSchema& a, const OpSchema& b) { return key(a) < key(b); }));
        for (const OpSchema& row : rows) {
            QVERIFY(row.sinceVersion >= 1 && row.sinceVersion <= 26);
            QVERIFY(row.minOperands >= 0 && (row.maxOperands == -1 || row.maxOperands >= row.minOperands));
            QVERIFY(!row.commutative || (row.minOperands == 2 && row.maxOperands == 2));
            QVERIFY(findOp({std::string(row.domain), std::string(row.name), row.sinceVersion}) == &row);
        }
    }
};

QTEST_APPLESS_MAIN(TestOpRegistry)
#include "tst_op_registry.moc"
