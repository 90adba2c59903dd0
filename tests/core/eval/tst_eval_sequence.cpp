// Recurrent ops, attention, ONNX Runtime's quantised forms. Rows as in tst_eval_elementwise; expected numbers follow from the
// equations of the operator documents, worked out in Python.

#include "node_text.h"

#include <QtTest>

using namespace lemmascope;
using namespace lemmascope::eval_test;

class EvalSequenceTest : public QObject {
    Q_OBJECT

    static void row(const char* node, const char* expected, int results = 1) { QTest::newRow(node) << node << expected << results; }

  private Q_SLOTS:
    void results_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("count");
        row("LSTM@14 hidden_size=1; f32[2,1,1] 0.5 -1; f32[1,4,1] 1 2 3 4; f32[1,4,1] 0.1 0.2 0.3 0.4",
            "f32[2,1,1,1] 0.39265 -0.0306324 | f32[1,1,1] -0.0306324 | f32[1,1,1] -0.244649", 3);
        row("LSTM@14 hidden_size=1; f32[2,1,1] 0.5 -1; f32[1,4,1] 1 2 3 4; f32[1,4,1] 0.1 0.2 0.3 0.4; f32[1,8] 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8; -; "
            "-; -; "
            "f32[1,3] 0.5 0.6 0.7",
            "f32[2,1,1,1] 0.57331 -0.0710937 | f32[1,1,1] -0.0710937 | f32[1,1,1] -0.342325", 3);
        row("LSTM@14 hidden_size=1 layout=1; f32[1,2,1] 0.5 -1; f32[1,4,1] 1 2 3 4; f32[1,4,1] 0.1 0.2 0.3 0.4; -; i32[1] 1",
            "f32[1,2,1,1] 0.39265 0 | f32[1,1,1] 0.39265", 2);
        row("GRU@14 hidden_size=1; f32[2,1,1] 0.5 -1; f32[1,3,1] 1 2 3; f32[1,3,1] 0.1 0.2 0.3; f32[1,6] 0 0 0 0 0 0.5",
            "f32[2,1,1,1] 0.36396 -0.613373");
        row("GRU@14 hidden_size=1 linear_before_reset=1; f32[2,1,1] 0.5 -1; f32[1,3,1] 1 2 3; f32[1,3,1] 0.1 0.2 0.3; f32[1,6] 0 0 0 0 0 0.5",
            "f32[2,1,1,1] 0.359867 -0.620398");
        row("RNN@14 hidden_size=1; f32[2,1,1] 0.5 -1; f32[1,1,1] 2; f32[1,1,1] 0.5", "f32[2,1,1,1] 0.761594 -0.924509");
        row("RNN@14 hidden_size=1 direction=reverse; f32[2,1,1] 0.5 -1; f32[1,1,1] 2; f32[1,1,1] 0.5", "f32[2,1,1,1] 0.476144 -0.964028");
        row("RNN@14 hidden_size=1 direction=bidirectional; f32[2,1,1] 0.5 -1; f32[2,1,1] 2 2; f32[2,1,1] 0.5 0.5",
            "f32[2,2,1,1] 0.761594 0.476144 -0.924509 -0.964028 | f32[2,1,1] -0.924509 0.476144", 2);
        row("LSTM@14 hidden_size=1 clip=1.0; f32[1,1,1] 0.5; f32[1,4,1] 1 2 3 4; f32[1,4,1] 0 0 0 0", "f32[1,1,1,1] 0.322744");
        row("LSTM@14 hidden_size=1 input_forget=1; f32[1,1,1] 0.5; f32[1,4,1] 1 2 3 4; f32[1,4,1] 0 0 0 0", "open | absent");
        row("Attention@23 scale=1.0; f32[1,1,2,1] 1 2; f32[1,1,2,1] 1 -1; f32[1,1,2,1] 10 20", "f32[1,1,2,1] 11.192 10.1799");
        row("Attention@23 scale=1.0 is_causal=1; f32[1,1,2,1] 1 2; f32[1,1,2,1] 1 -1; f32[1,1,2,1] 10 20", "f32[1,1,2,1] 10 10.1799");
        row("Attention@23 scale=1.0; f32[1,1,1,1] 1; f32[1,1,2,1] 1 -1; f32[1,1,2,1] 10 20; bool[1,2] 0 1", "f32[1,1,1,1] 20");
        row("Attention@23 q_num_heads=2 kv_num_heads=1; f32[1,1,2] 1 2; f32[1,2,1] 1 -1; f32[1,2,1] 10 20", "f32[1,1,2] 11.192 10.1799");
        row("Attention@23 scale=1.0; f32[1,1,1,1] 1; f32[1,1,1,1] -1; f32[1,1,1,1] 20; -; f32[1,1,1,1] 1; f32[1,1,1,1] 10",
            "f32[1,1,1,1] 11.192 | f32[1,1,2,1] 1 -1 | f32[1,1,2,1] 10 20", 3);
        row("RotaryEmbedding@23; f32[1,1,1,4] 1 2 3 4; f32[2,2] 1 1 0 1; f32[2,2] 0 0 1 0; i64[1,1] 1", "f32[1,1,1,4] -3 2 1 4");
        row("RotaryEmbedding@23 interleaved=1; f32[1,1,1,4] 1 2 3 4; f32[1,1,2] 0 1; f32[1,1,2] 1 0", "f32[1,1,1,4] -2 1 3 4");
        row("RotaryEmbedding@23; f32[1,1,1,2] 1 2; f32[1,1] 1; f32[1,1] 0; i64[1,1] 1", "fault: read x1 1 /1");
        row("com.microsoft.RotaryEmbedding@1; f32[1,1,4] 1 2 3 4; i64[1,1] 1; f32[2,2] 1 1 0 1; f32[2,2] 0 0 1 0", "f32[1,1,4] -3 2 1 4");
        row("Hardmax@13; f32[1,3] 1 3 3", "f32[1,3] 0 1 0");
        row("com.microsoft.QLinearAdd@1; u8[2] 3 5; f32[] 0.5; u8[] 1; u8[1] 2; f32[] 2; u8[] 0; f32[] 1; u8[] 10", "u8[2] 15 16");
        row("com.microsoft.QLinearMul@1; i8[1] 3; f32[] 2; i8[] 0; i8[1] -2; f32[] 2; i8[] 0; f32[] 1; i8[] 0", "i8[1] -24");
        row("com.microsoft.QLinearSigmoid@1; u8[2] 128 255; f32[] 1; u8[] 128; f32[] 0.5; u8[] 0", "u8[2] 1 2");
        row("com.microsoft.QLinearLeakyRelu@1 alpha=0.5; i8[2] -4 4; f32[] 1; i8[] 0; f32[] 1; i8[] 0", "i8[2] -2 4");
        row("com.microsoft.QLinearGlobalAveragePool@1; u8[1,1,2] 3 7; f32[] 2; u8[] 1; f32[] 1; u8[] 0", "u8[1,1,1] 8");
        row("com.microsoft.QLinearConcat@1 axis=0; f32[] 1; u8[] 0; u8[1] 3; f32[] 2; u8[] 0; u8[1] 9; f32[] 1; u8[] 4", "u8[2] 6 5");
    }
    void results() {
        QFETCH(QString, node);
        QFETCH(QString, expected);
        QFETCH(int, count);
        QCOMPARE(QString::fromStdString(resultsOf(node.toStdString(), static_cast<std::size_t>(count))), expected);
    }
};

QTEST_APPLESS_MAIN(EvalSequenceTest)
#include "tst_eval_sequence.moc"
