// Casts, quantisation and integer products. Rows as in tst_eval_elementwise.

#include "node_text.h"

#include <QtTest>

using namespace lemmascope;
using namespace lemmascope::eval_test;

class EvalTypesTest : public QObject {
    Q_OBJECT

    static void row(const char* node, const char* expected, int results = 1) { QTest::newRow(node) << node << expected << results; }

  private Q_SLOTS:
    void results_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("count");
        row("Cast@13 to=6; f32[4] 1.9 -1.9 0.5 -0.5", "i32[4] 1 -1 0 0");
        row("Cast@13 to=i32; f32[3] 3e9 -3e9 nan", "i32[3] -2147483648 -2147483648 -2147483648");
        row("Cast@13 to=u8; f32[3] 300 -1 3.7", "u8[3] 44 255 3");
        row("Cast@13 to=i64; f64[2] 1e19 -1e19", "i64[2] -9223372036854775808 -9223372036854775808");
        row("Cast@13 to=u64; f64[2] 1e19 3", "u64[2] 10000000000000000000 3");
        row("Cast@13 to=f16; f32[3] 2049 1e6 1e-8", "f16[3] 2048 inf 0");
        row("Cast@13 to=f16; f64[1] 2049.0000000001", "f16[1] 2050");
        row("Cast@13 to=bf16; f32[1] 257", "bf16[1] 256");
        row("Cast@13 to=f32; f16[2] 0.1 nan", "f32[2] 0.0999756 nan");
        row("Cast@13 to=f32; i64[2] 16777217 -3", "f32[2] 1.67772e+07 -3");
        row("Cast@13 to=f32; u64[1] 18446744073709551615", "f32[1] 1.84467e+19");
        row("Cast@13 to=bool; f32[4] 0 -0 nan 0.1", "bool[4] 0 0 1 1");
        row("Cast@13 to=bool; i32[2] 0 -7", "bool[2] 0 1");
        row("Cast@13 to=i8; i32[2] 200 -129", "i8[2] -56 127");
        row("Cast@13 to=f32; bool[2] 0 1", "f32[2] 0 1");
        row("Cast@13 to=i64; u64[1] 18446744073709551615", "i64[1] -1");
        row("Cast@19 to=20; f32[1] 1", "open | absent");
        row("CastLike@15; f32[1] 2.5; i8[0]", "i8[1] 2");
        row("QuantizeLinear@13; f32[5] 1 3 -1 5 1000; f32[] 2; u8[] 10", "u8[5] 10 12 10 12 255");
        row("QuantizeLinear@13; f32[2] -1000 nan; f32[] 1; i8[] 0", "i8[2] -128 -128");
        row("QuantizeLinear@13 axis=0; f32[2,1] 4 4; f32[2] 1 2; u8[2] 0 1", "u8[2,1] 4 3");
        row("QuantizeLinear@10; f32[1] 300; f32[] 1", "u8[1] 255");
        row("QuantizeLinear@21 axis=0 block_size=2; f32[4,1] 4 4 4 4; f32[2,1] 1 2; u8[2,1] 0 0", "u8[4,1] 4 4 2 2");
        row("QuantizeLinear@21; f32[1] -40000; f32[] 1; i16[] 0", "i16[1] -32768");
        row("DequantizeLinear@13; u8[2] 10 0; f32[] 0.5; u8[] 4", "f32[2] 3 -2");
        row("DequantizeLinear@13 axis=1; i8[1,2] 10 10; f32[2] 1 2", "f32[1,2] 10 20");
        row("DequantizeLinear@13; i32[1] 3; f32[] 2", "f32[1] 6");
        row("DequantizeLinear@19; u8[1] 3; f16[] 0.1", "f16[1] 0.299805");
        row("DynamicQuantizeLinear@11; f32[3] 0 255 51", "u8[3] 0 255 51 | f32[] 1 | u8[] 0", 3);
        row("DynamicQuantizeLinear@11; f32[2] -51 204", "u8[2] 0 255 | f32[] 1 | u8[] 51", 3);
        row("DynamicQuantizeLinear@11; f32[2] 0 0", "u8[2] 0 0 | f32[] 1 | u8[] 0", 3);
        row("MatMulInteger@10; u8[1,2] 3 5; i8[2,1] -1 2; u8[] 1; i8[] 1", "i32[1,1] 0");
        row("MatMulInteger@10; u8[2,1] 3 5; u8[1,2] 1 2; u8[2] 1 2; u8[2] 0 1", "i32[2,2] 2 2 3 3");
        row("ConvInteger@10 pads=[1,0]; u8[1,1,2] 3 5; u8[1,1,2] 1 2; u8[] 1", "i32[1,1,2] 4 10");
        row("QLinearMatMul@10; u8[1,2] 2 4; f32[] 0.5; u8[] 0; i8[2,1] 1 1; f32[] 1; i8[] 0; f32[] 1; u8[] 3", "u8[1,1] 6");
        row("QLinearConv@10; u8[1,1,2] 2 4; f32[] 1; u8[] 0; i8[1,1,1] 3; f32[] 0.5; i8[] 0; f32[] 1; u8[] 0; i32[1] 1", "u8[1,1,2] 4 6");
        row("com.microsoft.MatMulIntegerToFloat@1; u8[1,1] 3; i8[1,2] 2 -2; f32[] 0.5; f32[2] 1 2; u8[] 1; -; f32[2] 1 1", "f32[1,2] 3 -3");
        row("com.microsoft.DynamicQuantizeMatMul@1; f32[1,2] 255 0; i8[2,1] 1 1; f32[1] 2; -; f32[1] 1", "f32[1,1] 511");
    }
    void results() {
        QFETCH(QString, node);
        QFETCH(QString, expected);
        QFETCH(int, count);
        QCOMPARE(QString::fromStdString(resultsOf(node.toStdString(), static_cast<std::size_t>(count))), expected);
    }
};

QTEST_APPLESS_MAIN(EvalTypesTest)
#include "tst_eval_types.moc"
