// Products, reductions, softmax. Rows as in tst_eval_elementwise.

#include "node_text.h"

#include <QtTest>

using namespace lemmascope;
using namespace lemmascope::eval_test;

class EvalContractionTest : public QObject {
    Q_OBJECT

    static void row(const char* node, const char* expected, int results = 1) { QTest::newRow(node) << node << expected << results; }

  private Q_SLOTS:
    void results_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("count");
        row("MatMul@13; f32[2,2] 1 2 3 4; f32[2,1] 5 6", "f32[2,1] 17 39");
        row("MatMul@13; f32[2] 1 2; f32[2] 3 4", "f32[] 11");
        row("MatMul@13; f32[2] 1 2; f32[2,2] 1 2 3 4", "f32[2] 7 10");
        row("MatMul@13; f32[2,1,2] 1 2 3 4; f32[2,1] 5 6", "f32[2,1,1] 17 39");
        row("MatMul@13; f32[2,0]; f32[0,2]", "f32[2,2] 0 0 0 0");
        row("MatMul@13; i32[1,2] 65536 1; i32[2,1] 65536 3", "i32[1,1] 3");
        row("MatMul@13; f32[1,2] 0 1; f32[2,1] inf 1", "f32[1,1] nan");
        row("MatMul@13; f32[1,2] 1 2; f32[3,1] 1 2 3", "node 'y0' (MatMul): the inner lengths of [1,2] and [3,1] differ");
        row("MatMul@13; f16[1,3] 2048 1 1; f16[3,1] 1 1 1", "f16[1,1] 2050");
        row("Gemm@13 alpha=2.0 beta=3.0 transA=1; f32[2,1] 1 2; f32[2,2] 1 2 3 4; f32[2] 1 1", "f32[1,2] 17 23");
        row("Gemm@13 transB=1; f32[1,2] 1 2; f32[2,2] 1 2 3 4", "f32[1,2] 5 11");
        row("Gemm@13; i32[1,1] -11569441; i32[1,1] 1287026931", "i32[1,1] 1320181165"); // no double holds the product
        row("Gemm@13 alpha=3.0 beta=2.0; i32[1,1] -11569441; i32[1,1] 1287026931; i32[1] 5", "i32[1,1] -334423791");
        row("Gemm@13; i64[1,1] 3037000501; i64[1,1] 3037000501", "i64[1,1] -9223372030635300615");
        row("com.microsoft.FusedGemm@1 activation=Relu; f32[1,1] -2; f32[1,2] 1 -1; f32[1] 1", "f32[1,2] 0 3");
        row("com.microsoft.FusedMatMul@1 alpha=0.5 transA=1; f32[2,1] 1 2; f32[2,1] 3 4", "f32[1,1] 5.5");
        row("com.microsoft.FusedMatMul@1 transBatchA=1; f32[2,2,1] 1 2 3 4; f32[2,1,1] 1 10", "f32[2,2,1] 1 3 20 40");
        row("ReduceSum@13; f32[2,2] 1 2 3 4; i64[1] 0", "f32[1,2] 4 6");
        row("ReduceSum@13 keepdims=0; f32[2,2] 1 2 3 4", "f32[] 10");
        row("ReduceSum@13 noop_with_empty_axes=1; f32[2] 1 2", "f32[2] 1 2");
        row("ReduceSum@11 axes=[-1] keepdims=0; f32[2,2] 1 2 3 4", "f32[2] 3 7");
        row("ReduceSum@13; f32[0,2]; i64[1] 0", "f32[1,2] 0 0");
        row("ReduceMean@18 keepdims=0; f32[2,2] 1 2 3 5; i64[1] 1", "f32[2] 1.5 4");
        row("ReduceMean@13 axes=[0]; i32[3] 1 2 -7", "i32[1] -1");
        row("ReduceMax@13; f32[3] 1 nan 2", "f32[1] nan");
        row("ReduceMax@20; bool[2] 0 1", "bool[1] 1");
        row("ReduceMax@20; i8[0,1]; i64[1] 0", "i8[1,1] -128");
        row("ReduceMin@13; u8[3] 5 200 7", "u8[1] 5");
        row("ReduceProd@13; f32[3] 2 3 4", "f32[1] 24");
        row("ReduceL1@13; f32[2] -3 4", "f32[1] 7");
        row("ReduceL2@13; f32[2] -3 4", "f32[1] 5");
        row("ReduceSumSquare@13; i32[2] -3 4", "i32[1] 25");
        row("ReduceLogSum@13; f32[2] 1 1", "f32[1] 0.693147");
        row("ReduceLogSumExp@13; f32[2] 1000 1000", "f32[1] 1000.69");
        row("ReduceLogSumExp@13; f32[2] -inf 0", "f32[1] 0");
        row("ArgMax@13; f32[1,3] 1 3 3", "i64[1,3] 0 0 0");
        row("ArgMax@13 axis=1; f32[1,3] 1 3 3", "i64[1,1] 1");
        row("ArgMax@13 axis=1 select_last_index=1 keepdims=0; f32[1,3] 1 3 3", "i64[1] 2");
        row("ArgMin@13 axis=-1; i8[1,3] 1 -3 -3", "i64[1,1] 1");
        row("CumSum@14; f32[3] 1 2 3; i64[] 0", "f32[3] 1 3 6");
        row("CumSum@14 exclusive=1 reverse=1; f32[3] 1 2 3; i64[] 0", "f32[3] 5 3 0");
        row("TopK@11; f32[1,4] 1 3 3 2; i64[1] 2", "f32[1,2] 3 3 | i64[1,2] 1 2", 2);
        row("TopK@11 largest=0 axis=0; i8[3,1] 3 -1 2; i64[1] 2", "i8[2,1] -1 2 | i64[2,1] 1 2", 2);
        row("TopK@9 k=1; f32[1,2] 1 nan", "f32[1,1] nan | i64[1,1] 1", 2);
        row("NonZero@13; f32[2,2] 0 1 nan 0", "i64[2,2] 0 1 1 0");
        row("NonZero@13; bool[] 1", "i64[0,1]");
        row("Unique@11; f32[5] 2 1 1 3 2", "f32[3] 1 2 3 | i64[3] 1 0 3 | i64[5] 1 0 0 2 1 | i64[3] 2 2 1", 4);
        row("Unique@11 sorted=0; i64[4] 5 3 5 4", "i64[3] 5 3 4 | i64[3] 0 1 3 | i64[4] 0 1 0 2 | i64[3] 2 1 1", 4);
        row("Unique@11 axis=0; f32[3,2] 1 2 0 1 1 2", "f32[2,2] 0 1 1 2 | i64[2] 1 0 | i64[3] 1 0 1 | i64[2] 1 2", 4);
        // before opset 13 softmax ran over all axes from `axis` on
        row("Softmax@11; f32[1,2,2] 0 0 0 0", "f32[1,2,2] 0.25 0.25 0.25 0.25");
        row("Softmax@13; f32[1,2,2] 0 0 0 0", "f32[1,2,2] 0.5 0.5 0.5 0.5");
        row("Softmax@13 axis=0; f32[2,1] 1000 0", "f32[2,1] 1 0");
        row("Softmax@13; f32[1,3] 1 2 3", "f32[1,3] 0.0900306 0.244728 0.665241");
        row("Softmax@13; f16[1,3] 1 2 3", "f16[1,3] 0.0900269 0.244751 0.665039");
        row("Softmax@13; f32[1,2] nan 0", "f32[1,2] nan nan");
        row("Softmax@13; f32[2,0]", "f32[2,0]");
        row("LogSoftmax@13; f32[1,2] 0 -200", "f32[1,2] 0 -200");
    }
    void results() {
        QFETCH(QString, node);
        QFETCH(QString, expected);
        QFETCH(int, count);
        QCOMPARE(QString::fromStdString(resultsOf(node.toStdString(), static_cast<std::size_t>(count))), expected);
    }
};

QTEST_APPLESS_MAIN(EvalContractionTest)
#include "tst_eval_contraction.moc"
