// Shapes, movements, gathers and stores. Rows as in tst_eval_elementwise.

#include "node_text.h"

#include <QtTest>

using namespace lemmascope;
using namespace lemmascope::eval_test;

class EvalMovementTest : public QObject {
    Q_OBJECT

    static void row(const char* node, const char* expected, int results = 1) { QTest::newRow(node) << node << expected << results; }

  private Q_SLOTS:
    void results_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("count");
        row("Identity@14; f32[2] nan -0", "f32[2] nan -0");
        row("Reshape@14; f32[2,3] 1 2 3 4 5 6; i64[2] -1 2", "f32[3,2] 1 2 3 4 5 6");
        row("Reshape@14; f32[2,3] 1 2 3 4 5 6; i64[2] 0 -1", "f32[2,3] 1 2 3 4 5 6");
        row("Reshape@14 allowzero=1; f32[0,3]; i64[2] 3 0", "f32[3,0]");
        row("Reshape@14; f32[2,3] 1 2 3 4 5 6; i64[1] 4", "node 'y0' (Reshape): a tensor of shape [2,3] can't take shape [4]");
        row("Flatten@13 axis=-1; f32[1,2,2] 1 2 3 4", "f32[2,2] 1 2 3 4");
        row("Flatten@13 axis=0; f32[2] 1 2", "f32[1,2] 1 2");
        row("Squeeze@13; f32[1,2,1] 1 2; i64[1] -1", "f32[1,2] 1 2");
        row("Squeeze@11 axes=[0]; f32[1,2,1] 1 2", "f32[2,1] 1 2");
        row("Squeeze@13; f32[1,2,1] 1 2", "f32[2] 1 2");
        row("Unsqueeze@13; f32[2] 1 2; i64[2] 0 -1", "f32[1,2,1] 1 2");
        row("Unsqueeze@11 axes=[1]; f32[2] 1 2", "f32[2,1] 1 2");
        row("Shape@15 start=-2; f32[4,0,3]", "i64[2] 0 3");
        row("Size@13; f32[2,3] 1 2 3 4 5 6", "i64[] 6");
        row("Constant@13 value_ints=[4,5]", "i64[2] 4 5");
        row("Constant@13 value=<f32[1]_2>", "f32[1] 2");
        row("ConstantOfShape@9 value=<i32[1]_7>; i64[2] 1 2", "i32[1,2] 7 7");
        row("ConstantOfShape@9; i64[0]", "f32[] 0");
        row("Range@11; i64[] 5; i64[] 0; i64[] -2", "i64[3] 5 3 1");
        row("Range@11; f32[] 0; f32[] 1; f32[] 0.25", "f32[4] 0 0.25 0.5 0.75");
        row("Range@11; i64[] 5; i64[] 5; i64[] 1", "i64[0]");
        row("Transpose@13; f32[2,3] 1 2 3 4 5 6", "f32[3,2] 1 4 2 5 3 6");
        row("Transpose@13 perm=[1,0,2]; i8[2,2,2] 1 2 3 4 5 6 7 8", "i8[2,2,2] 1 2 5 6 3 4 7 8");
        row("Expand@13; f32[2,1] 1 2; i64[2] 1 2", "f32[2,2] 1 1 2 2");
        row("Expand@13; f32[1] 1; i64[2] 2 0", "f32[2,0]");
        row("Slice@13; f32[5] 0 1 2 3 4; i64[1] 1; i64[1] 100; -; i64[1] 2", "f32[2] 1 3");
        row("Slice@13; f32[5] 0 1 2 3 4; i64[1] -1; i64[1] -9223372036854775807; i64[1] 0; i64[1] -2", "f32[3] 4 2 0");
        row("Slice@13; f32[5] 0 1 2 3 4; i64[1] 3; i64[1] 2", "f32[0]");
        row("Slice@13; f32[0]; i64[1] -1; i64[1] -5; i64[1] 0; i64[1] -1", "f32[0]");
        row("Slice@9 starts=[1] ends=[2] axes=[-1]; f32[2,2] 1 2 3 4", "f32[2,1] 2 4");
        row("Split@13 axis=1; f32[1,4] 1 2 3 4", "f32[1,2] 1 2 | f32[1,2] 3 4", 2);
        row("Split@13; f32[3] 1 2 3; i64[2] 1 2", "f32[1] 1 | f32[2] 2 3", 2);
        row("Split@11 split=[2,1]; f32[3] 1 2 3", "f32[2] 1 2 | f32[1] 3", 2);
        row("Split@18 num_outputs=2; f32[3] 1 2 3", "f32[2] 1 2 | f32[1] 3", 2);
        row("Concat@13 axis=-1; f32[1,2] 1 2; f32[1,1] 3; f32[1,0]", "f32[1,3] 1 2 3");
        row("Tile@13; f32[1,2] 1 2; i64[2] 2 2", "f32[2,4] 1 2 1 2 1 2 1 2");
        row("Pad@13; f32[2] 1 2; i64[2] 1 2; f32[] 9", "f32[5] 9 1 2 9 9");
        row("Pad@13 mode=reflect; f32[3] 1 2 3; i64[2] 2 1", "f32[6] 3 2 1 2 3 2");
        row("Pad@13 mode=edge; f32[2] 1 2; i64[2] 1 1", "f32[4] 1 1 2 2");
        row("Pad@19 mode=wrap; f32[3] 1 2 3; i64[2] 1 2", "f32[6] 3 1 2 3 1 2");
        row("Pad@13; f32[4] 1 2 3 4; i64[2] -1 -1", "f32[2] 2 3");
        row("Pad@2 pads=[0,1,0,0] value=5.0; f32[1,1] 1", "f32[1,2] 5 1");
        row("Pad@18; f32[1,2] 1 2; i64[2] 1 0; -; i64[1] -1", "f32[1,3] 0 1 2");
        row("Where@16; bool[2] 1 0; f32[1] nan; f32[2] 1 2", "f32[2] nan 2");
        row("DepthToSpace@13 blocksize=2; f32[1,4,1,1] 1 2 3 4", "f32[1,1,2,2] 1 2 3 4");
        row("DepthToSpace@13 blocksize=2 mode=CRD; f32[1,8,1,1] 1 2 3 4 5 6 7 8", "f32[1,2,2,2] 1 2 3 4 5 6 7 8");
        row("DepthToSpace@13 blocksize=2; f32[1,8,1,1] 1 2 3 4 5 6 7 8", "f32[1,2,2,2] 1 3 5 7 2 4 6 8");
        row("SpaceToDepth@13 blocksize=2; f32[1,1,2,2] 1 2 3 4", "f32[1,4,1,1] 1 2 3 4");
        row("Trilu@14 upper=0; f32[2,2] 1 2 3 4; i64[] 0", "f32[2,2] 1 0 3 4");
        row("Trilu@14; f32[2,2] 1 2 3 4; i64[] 1", "f32[2,2] 0 2 0 0");
        row("ReverseSequence@10 time_axis=0 batch_axis=1; f32[3,2] 1 2 3 4 5 6; i64[2] 2 3", "f32[3,2] 3 6 1 4 5 2");
        row("EyeLike@9 k=1; f32[2,3] 0 0 0 0 0 0", "f32[2,3] 0 1 0 0 0 1");
        // gather and scatter
        row("Gather@13 axis=1; f32[2,3] 1 2 3 4 5 6; i64[2] -1 0", "f32[2,2] 3 1 6 4");
        row("Gather@13; f32[3] 1 2 3; i32[] 1", "f32[] 2");
        row("Gather@13; f32[3] 1 2 3; i64[2] 1 3", "fault: read x0 3 /3");
        row("Gather@13; f32[0,2]; i64[0]", "f32[0,2]");
        row("GatherElements@13 axis=1; f32[2,2] 1 2 3 4; i64[2,2] 0 0 -1 0", "f32[2,2] 1 1 4 3");
        row("GatherElements@13; f32[2,2] 1 2 3 4; i64[1,2] 2 0", "fault: read x0 2 /2");
        row("GatherND@13; f32[2,2] 1 2 3 4; i64[2,2] 0 0 1 -1", "f32[2] 1 4");
        row("GatherND@13 batch_dims=1; f32[2,2,2] 0 1 2 3 4 5 6 7; i64[2,1] 1 0", "f32[2,2] 2 3 4 5");
        row("GatherND@13; f32[2,2] 1 2 3 4; i64[1,2] 0 5", "fault: read x0 0 5 /2 /2");
        row("ScatterElements@16; f32[3] 1 2 3; i64[2] 2 0; f32[2] 9 8", "f32[3] 8 2 9");
        row("ScatterElements@16 axis=1 reduction=add; f32[1,3] 1 2 3; i64[1,2] 1 1; f32[1,2] 9 8", "f32[1,3] 1 19 3");
        row("ScatterElements@18 reduction=max; i8[2] 1 2; i64[2] 0 1; i8[2] 5 -5", "i8[2] 5 2");
        row("ScatterElements@16; f32[3] 1 2 3; i64[1] 3; f32[1] 9", "fault: write x0 3 /3");
        row("ScatterND@16; f32[2,2] 1 2 3 4; i64[1,1] -1; f32[1,2] 9 8", "f32[2,2] 1 2 9 8");
        row("ScatterND@16 reduction=mul; f32[2] 2 3; i64[2,1] 0 0; f32[2] 4 5", "f32[2] 40 3");
        row("ScatterND@16; f32[2] 2 3; i64[1,1] -3; f32[1] 4", "fault: write x0 -3 /2");
        row("OneHot@11; i64[3] 0 -1 5; i64[] 3; f32[2] 0 1", "f32[3,3] 1 0 0 0 0 1 0 0 0");
        row("OneHot@11 axis=0; i64[2] 0 1; i64[] 2; i8[2] -1 1", "i8[2,2] 1 -1 -1 1");
        row("Compress@11 axis=0; f32[3,1] 1 2 3; bool[2] 0 1", "f32[1,1] 2");
        row("Compress@11; f32[2,2] 1 2 3 4; bool[3] 1 0 1", "f32[2] 1 3");
        // the forms of our JSON
        row("lemmascope.RowsAt@1 count=2; f32[3,1] 1 2 3; i64[] 1", "f32[2,1] 2 3");
        row("lemmascope.RowsAt@1 count=2; f32[3,1] 1 2 3; i64[] 2", "fault: read x0 3 /3");
        row("lemmascope.RowsAt@1 count=1; f32[3,1] 1 2 3; i64[] -1", "fault: read x0 -1 /3");
        row("lemmascope.StoreSlice@1 starts=[0,1] ends=[2,3] steps=[1,1]; f32[2,3] 1 2 3 4 5 6; f32[2,2] 7 8 9 0", "f32[2,3] 1 7 8 4 9 0");
        row("lemmascope.StoreSlice@1 starts=[0] ends=[4] steps=[-2]; f32[4] 1 2 3 4; f32[2] 8 9", "f32[4] 1 9 3 8");
        row("lemmascope.StoreSlice@1 starts=[0,0] ends=[9223372036854775807,1] steps=[1,1]; f32[2,2] 1 2 3 4; f32[2,1] 8 9", "f32[2,2] 8 2 9 4");
        row("lemmascope.StoreSlice@1 starts=[1] ends=[4] steps=[1]; f32[3] 1 2 3; f32[3] 4 5 6", "fault: write x0 3 /3");
        row("lemmascope.StoreRows@1; f32[3,1] 1 2 3; f32[2,1] 8 9; i64[2] -1 2", "f32[3,1] 1 2 9");
        row("lemmascope.StoreRows@1; f32[3,1] 1 2 3; f32[1,1] 8; i64[1] 3", "fault: write x0 3 /3");
        row("lemmascope.StoreRowsAt@1 count=2; f32[3,1] 1 2 3; f32[2,1] 8 9; i64[] 1", "f32[3,1] 1 8 9");
        row("lemmascope.StoreRowsAt@1 count=2; f32[3,1] 1 2 3; f32[2,1] 8 9; i64[] 2", "fault: write x0 3 /3");
    }
    void results() {
        QFETCH(QString, node);
        QFETCH(QString, expected);
        QFETCH(int, count);
        QCOMPARE(QString::fromStdString(resultsOf(node.toStdString(), static_cast<std::size_t>(count))), expected);
    }
};

QTEST_APPLESS_MAIN(EvalMovementTest)
#include "tst_eval_movement.moc"
