// Each row: a node as text and its results as text. Every row is also run as an enclosure, which must hold the results.

#include "node_text.h"

#include <QtTest>

using namespace lemmascope;
using namespace lemmascope::eval_test;

class EvalElementwiseTest : public QObject {
    Q_OBJECT

    static void row(const char* node, const char* expected) { QTest::newRow(node) << node << expected; }

  private Q_SLOTS:
    void results_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("expected");
        // broadcasting, types
        row("Add@14; f32[2,1] 1 2; f32[3] 10 20 30", "f32[2,3] 11 21 31 12 22 32");
        row("Add@14; f32[0,3]; f32[3] 1 2 3", "f32[0,3]");
        row("Add@14; f32[] 1; f32[] 2", "f32[] 3");
        row("Add@14; f32[2] 1 2; f32[3] 1 2 3", "node 'y0' (Add): the operands' shapes don't broadcast: [2], [3]");
        row("Add@6 broadcast=1 axis=0; f32[2,2] 1 2 3 4; f32[2] 10 20", "f32[2,2] 11 12 23 24");
        row("Add@14; f16[1] 2048; f16[1] 1", "f16[1] 2048");
        row("Add@14; f16[1] 2048; f16[1] 3", "f16[1] 2052");
        row("Add@14; bf16[1] 256; bf16[1] 1", "bf16[1] 256");
        row("Add@14; f32[1] 16777216; f32[1] 1", "f32[1] 1.67772e+07");
        row("Add@14; f32[2] inf nan; f32[2] -inf 1", "f32[2] nan nan");
        row("Sub@14; f32[2] 1 inf; =0", "f32[2] 0 nan");
        row("Mul@14; f32[3] -3 0.1 0; =0", "f32[3] 9 0.01 0");
        row("Mul@14; f32[2] 0 1e30; f32[2] inf 1e30", "f32[2] nan inf");
        row("Div@14; f32[3] 1 0 -1; f32[3] 0 0 4", "f32[3] inf nan -0.25");
        row("Add@14; f64[1] 0.1; f64[1] 0.2", "f64[1] 0.3");
        // integers wrap and truncate
        row("Add@14; i8[2] 127 -128; i8[2] 1 -1", "i8[2] -128 127");
        row("Sub@14; u8[1] 0; u8[1] 1", "u8[1] 255");
        row("Mul@14; i32[1] 65536; i32[1] 65536", "i32[1] 0");
        row("Mul@14; u64[1] 18446744073709551615; u64[1] 2", "u64[1] 18446744073709551614");
        row("Div@14; i32[4] -7 7 -7 -2147483648; i32[4] 2 -2 -2 -1", "i32[4] -3 -3 3 -2147483648");
        row("Div@14; i64[1] -9223372036854775808; i64[1] -1", "i64[1] -9223372036854775808");
        row("Div@14; u64[1] 18446744073709551615; u64[1] 2", "u64[1] 9223372036854775807");
        row("Div@14; i32[2] 5 6; i32[2] 1 0", "fault: division of 6");
        row("Neg@13; i8[1] -128", "i8[1] -128");
        row("Abs@13; i8[2] -128 -5", "i8[2] -128 5");
        row("Mod@13; i32[4] -7 7 -7 7; i32[4] 3 -3 -3 3", "i32[4] 2 -2 -1 1");
        row("Mod@13 fmod=1; i32[2] -7 7; i32[2] 3 -3", "i32[2] -1 1");
        row("Mod@13 fmod=1; f32[2] -7.5 7.5; f32[2] 2 -2", "f32[2] -1.5 1.5");
        row("Mod@13; i64[1] 5; i64[1] 0", "fault: division of 5");
        row("Mod@13; i32[1] -2147483648; i32[1] -1", "i32[1] 0");
        row("BitShift@11 direction=LEFT; u8[3] 1 1 255; u8[3] 7 8 1", "u8[3] 128 0 254");
        row("BitShift@11 direction=RIGHT; u32[2] 4294967295 8; u32[2] 31 32", "u32[2] 1 0");
        row("BitwiseAnd@18; i8[1] -1; i8[1] 15", "i8[1] 15");
        row("BitwiseXor@18; u8[1] 255; u8[1] 15", "u8[1] 240");
        row("BitwiseNot@18; u8[1] 15", "u8[1] 240");
        row("BitwiseNot@18; i8[1] 15", "i8[1] -16");
        // power
        row("Pow@13; f32[4] 2 0 -2 -8; f32[4] 3 0 2 0.333", "f32[4] 8 1 4 nan");
        row("Pow@13; f32[2] 9 2; i64[2] 2 -1", "f32[2] 81 0.5");
        row("Pow@13; i32[2] 3 -2; i32[2] 4 3", "i32[2] 81 -8");
        row("Pow@13; i32[1] 9; f32[1] 0.5", "i32[1] 3");
        // comparisons and logic
        row("Equal@13; f32[3] 0 nan 1; f32[3] -0 nan 2", "bool[3] 1 0 0");
        row("Less@13; f32[2] nan 1; f32[2] 1 2", "bool[2] 0 1");
        row("GreaterOrEqual@16; u64[1] 18446744073709551615; u64[1] 1", "bool[1] 1");
        row("Less@13; i64[1] -1; i64[1] 0", "bool[1] 1");
        row("And@7; bool[2] 1 1; bool[2] 1 0", "bool[2] 1 0");
        row("Xor@7; bool[2] 1 1; bool[2] 1 0", "bool[2] 0 1");
        row("Not@1; bool[2] 1 0", "bool[2] 0 1");
        row("IsNaN@13; f32[3] nan inf 0", "bool[3] 1 0 0");
        row("IsInf@10 detect_negative=0; f32[3] nan inf -inf", "bool[3] 0 1 0");
        // NaN goes through
        row("Max@13; f32[3] 1 nan 3; f32[3] 2 1 nan", "f32[3] 2 nan nan");
        row("Min@13; f32[2] 1 nan; f32[2] 2 1; f32[2] 0.5 1", "f32[2] 0.5 nan");
        row("Max@13; u8[2] 1 200; u8[2] 2 100", "u8[2] 2 200");
        row("Relu@14; f32[4] -1 nan -0 2", "f32[4] 0 nan -0 2");
        row("Relu@14; i8[2] -1 2", "i8[2] 0 2");
        row("Clip@13; f32[4] -1 nan 0.5 2; f32[] 0; f32[] 1", "f32[4] 0 nan 0.5 1");
        row("Clip@13; f32[2] -1 2; -; f32[] 1", "f32[2] -1 1");
        row("Clip@13; f32[1] 5; f32[] 3; f32[] 1", "f32[1] 1");
        row("Clip@12; i8[3] -5 0 9; i8[] -1; i8[] 4", "i8[3] -1 0 4");
        row("Clip@6 min=-1.0 max=1.0; f32[3] -2 0.5 3", "f32[3] -1 0.5 1");
        row("Clip@13; f32[1] 7", "f32[1] 7");
        row("Sum@13; f32[1] 1; f32[2] 2 3; f32[1] 4", "f32[2] 7 8");
        row("Mean@13; f32[2] 1 2; f32[2] 3 5", "f32[2] 2 3.5");
        // functions
        row("Round@11; f32[5] 0.5 1.5 -0.5 2.5 -1.5", "f32[5] 0 2 -0 2 -2");
        row("Sign@13; f32[4] -2 0 3 nan", "f32[4] -1 0 1 nan");
        row("Sign@13; u8[2] 0 9", "u8[2] 0 1");
        row("Floor@13; f32[2] -1.5 1.5", "f32[2] -2 1");
        row("Ceil@13; f32[2] -1.5 1.5", "f32[2] -1 2");
        row("Exp@13; f32[3] 0 1 1000", "f32[3] 1 2.71828 inf");
        row("Log@13; f32[3] 1 0 -1", "f32[3] 0 -inf nan");
        row("Sqrt@13; f32[3] 4 2 -1", "f32[3] 2 1.41421 nan");
        row("Reciprocal@13; f32[2] 4 0", "f32[2] 0.25 inf");
        row("Erf@13; f32[2] 0 1", "f32[2] 0 0.842701");
        row("Tanh@13; f32[2] 0 1", "f32[2] 0 0.761594");
        row("Sigmoid@13; f32[3] 0 -1000 2", "f32[3] 0.5 0 0.880797");
        row("Sigmoid@13; f16[2] 1 -1", "f16[2] 0.730957 0.269043");
        row("Sin@7; f32[3] 0 1.5707964 100", "f32[3] 0 1 -0.506366");
        row("Cos@7; f32[3] 0 3.1415927 100", "f32[3] 1 -1 0.862319");
        row("Tan@7; f32[2] 0 1", "f32[2] 0 1.55741");
        row("Asin@7; f32[2] 1 2", "f32[2] 1.5708 nan");
        row("Acos@7; f32[3] 1 -1 0.5", "f32[3] 0 3.14159 1.0472");
        row("Atan@7; f32[1] 1", "f32[1] 0.785398");
        row("Sinh@9; f32[1] 1", "f32[1] 1.1752");
        row("Cosh@9; f32[2] 0 -1", "f32[2] 1 1.54308");
        row("Asinh@9; f32[1] 1", "f32[1] 0.881374");
        row("Acosh@9; f32[2] 1 2", "f32[2] 0 1.31696");
        row("Atanh@9; f32[2] 0.5 1", "f32[2] 0.549306 inf");
        row("Softplus@1; f32[3] 0 100 -100", "f32[3] 0.693147 100 3.78351e-44");
        row("Softsign@1; f32[2] 1 -3", "f32[2] 0.5 -0.75");
        row("Elu@6; f32[2] -1 2", "f32[2] -0.632121 2");
        row("Selu@6; f32[2] -1 2", "f32[2] -1.11133 2.1014");
        row("Celu@12 alpha=2.0; f32[2] -1 2", "f32[2] -0.786939 2");
        row("HardSigmoid@6; f32[3] 0 -3 3", "f32[3] 0.5 0 1");
        row("HardSwish@14; f32[3] 1 -3 4", "f32[3] 0.666667 -0 4");
        row("LeakyRelu@16; f32[3] -1 2 nan", "f32[3] -0.01 2 nan");
        row("ThresholdedRelu@10 alpha=1.0; f32[3] 1 1.5 -1", "f32[3] 0 1.5 0");
        row("PRelu@16; f32[2] -2 2; f32[1] 0.25", "f32[2] -0.5 2");
        row("Shrink@9 lambd=1.0 bias=0.5; f32[4] -2 -1 0.5 3", "f32[4] -1.5 0 0 2.5");
        row("Mish@18; f32[2] 1 -1", "f32[2] 0.865098 -0.303401");
        row("Gelu@20; f32[3] 1 -1 0", "f32[3] 0.841345 -0.158655 0");
        row("Gelu@20 approximate=tanh; f32[2] 1 -1", "f32[2] 0.841192 -0.158808");
        row("com.microsoft.Gelu@1; f32[1] 1", "f32[1] 0.841345");
        row("com.microsoft.QuickGelu@1; f32[1] 1", "f32[1] 0.845796");
        row("com.microsoft.QuickGelu@1 alpha=1.0; f32[1] 1", "f32[1] 0.731059");
        row("Swish@24; f32[1] 1", "f32[1] 0.731059");
        row("com.microsoft.BiasGelu@1; f32[1,2] 0 0; f32[2] 1 -1", "f32[1,2] 0.841345 -0.158655");
        row("com.microsoft.FastGelu@1; f32[1,2] 1 -1", "f32[1,2] 0.841192 -0.158808");
        row("com.microsoft.FastGelu@1; f32[1,2] 0 0; f32[2] 1 -1", "f32[1,2] 0.841192 -0.158808");
        // unknown ops and types are open
        row("Frobnicate@1; f32[1] 1", "open | absent");
        row("Exp@13; i32[1] 1", "open | absent");
    }
    void results() {
        QFETCH(QString, node);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(resultsOf(node.toStdString())), expected);
    }
};

QTEST_APPLESS_MAIN(EvalElementwiseTest)
#include "tst_eval_elementwise.moc"
