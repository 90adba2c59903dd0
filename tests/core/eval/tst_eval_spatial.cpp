// Convolutions, pools, normalisations, Einsum. Rows as in tst_eval_elementwise.

#include "node_text.h"

#include <QtTest>

using namespace lemmascope;
using namespace lemmascope::eval_test;

class EvalSpatialTest : public QObject {
    Q_OBJECT

    static void row(const char* node, const char* expected, int results = 1) { QTest::newRow(node) << node << expected << results; }

  private Q_SLOTS:
    void results_data() {
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<int>("count");
        row("Conv@11; f32[1,1,3] 1 2 3; f32[1,1,2] 1 10", "f32[1,1,2] 21 32");
        row("Conv@11 pads=[1,1]; f32[1,1,3] 1 2 3; f32[1,1,3] 1 10 100; f32[1] 0.5", "f32[1,1,3] 210.5 321.5 32.5");
        row("Conv@11 strides=[2] dilations=[2]; f32[1,1,5] 1 2 3 4 5; f32[1,1,2] 1 10", "f32[1,1,2] 31 53");
        row("Conv@11 auto_pad=SAME_UPPER; f32[1,1,3] 1 2 3; f32[1,1,2] 1 10", "f32[1,1,3] 21 32 3");
        row("Conv@11 auto_pad=SAME_LOWER; f32[1,1,3] 1 2 3; f32[1,1,2] 1 10", "f32[1,1,3] 10 21 32");
        row("Conv@11 group=2; f32[1,2,1,1] 2 3; f32[2,1,1,1] 5 7", "f32[1,2,1,1] 10 21");
        row("Conv@11; f32[1,2,2,2] 1 2 3 4 5 6 7 8; f32[1,2,2,2] 1 1 1 1 1 1 1 1", "f32[1,1,1,1] 36");
        row("Conv@11 pads=[0,0,0]; f32[1,1,3] 1 2 3; f32[1,1,2] 1 10", "node 'y0' (Conv): attribute 'pads' has 3 values, expected 2");
        row("Conv@11; f16[1,1,2] 2048 1; f16[1,1,2] 1 1", "f16[1,1,1] 2048");
        row("com.microsoft.FusedConv@1 activation=Relu; f32[1,1,2] 1 -2; f32[1,1,1] 1", "f32[1,1,2] 1 0");
        row("com.microsoft.FusedConv@1 activation=LeakyRelu activation_params=[0.5]; f32[1,1,2] 1 -2; f32[1,1,1] 1; -; f32[1,1,2] 0 -2",
            "f32[1,1,2] 1 -2");
        row("com.microsoft.FusedConv@1 activation=Clip activation_params=[0.0,1.0]; f32[1,1,2] 3 -2; f32[1,1,1] 1", "f32[1,1,2] 1 0");
        row("ConvTranspose@11; f32[1,1,2] 1 2; f32[1,1,2] 1 10", "f32[1,1,3] 1 12 20");
        row("ConvTranspose@11 strides=[2] pads=[1,0] output_padding=[1]; f32[1,1,2] 1 2; f32[1,1,2] 1 10; f32[1] 0.5",
            "f32[1,1,4] 10.5 2.5 20.5 0.5");
        row("ConvTranspose@11 strides=[2] output_shape=[3]; f32[1,1,2] 1 2; f32[1,1,2] 1 10", "f32[1,1,3] 10 2 20");
        row("MaxPool@12 kernel_shape=[2]; f32[1,1,3] 1 3 2", "f32[1,1,2] 3 3");
        row("MaxPool@12 kernel_shape=[2] strides=[2] ceil_mode=1; f32[1,1,3] 1 3 2", "f32[1,1,2] 3 2 | i64[1,1,2] 1 2", 2);
        row("MaxPool@12 kernel_shape=[2,2] storage_order=1; f32[1,1,2,2] 1 2 9 3", "f32[1,1,1,1] 9 | i64[1,1,1,1] 1", 2);
        row("MaxPool@12 kernel_shape=[2] pads=[1,0] dilations=[2]; f32[1,1,3] -1 -3 -2", "f32[1,1,2] -3 -1");
        row("MaxPool@12 kernel_shape=[2]; u8[1,1,3] 1 200 3", "u8[1,1,2] 200 200");
        row("MaxPool@12 kernel_shape=[2]; f32[1,1,2] nan 1", "f32[1,1,1] nan");
        row("AveragePool@11 kernel_shape=[2] pads=[1,1]; f32[1,1,2] 1 3", "f32[1,1,3] 1 2 3");
        row("AveragePool@11 kernel_shape=[2] pads=[1,1] count_include_pad=1; f32[1,1,2] 1 3", "f32[1,1,3] 0.5 2 1.5");
        row("AveragePool@11 kernel_shape=[2] strides=[2] ceil_mode=1 count_include_pad=1; f32[1,1,3] 1 3 5", "f32[1,1,2] 2 5");
        row("AveragePool@11 kernel_shape=[2] auto_pad=SAME_LOWER; f32[1,1,2] 1 3", "f32[1,1,2] 1 2");
        row("LpPool@11 kernel_shape=[2]; f32[1,1,2] 3 -4", "f32[1,1,1] 5");
        row("GlobalAveragePool@1; f32[1,2,1,2] 1 3 5 8", "f32[1,2,1,1] 2 6.5");
        row("GlobalMaxPool@1; f32[1,2,1,2] 1 3 5 8", "f32[1,2,1,1] 3 8");
        row("BatchNormalization@15 epsilon=0.0; f32[1,2,1] 3 5; f32[2] 2 1; f32[2] 1 0; f32[2] 1 1; f32[2] 4 1", "f32[1,2,1] 3 4");
        row("LayerNormalization@17 epsilon=0.0; f32[1,2] 1 3; f32[2] 1 2; f32[2] 0 1", "f32[1,2] -1 3 | f32[1,1] 2 | f32[1,1] 1", 3);
        row("LayerNormalization@17 epsilon=0.0 axis=0; f32[1,2] 4 8; f32[1,2] 1 1", "f32[1,2] -1 1");
        row("SimplifiedLayerNormalization@1 epsilon=0.0; f32[1,2] 1 7; f32[2] 5 5", "f32[1,2] 1 7");
        row("RMSNormalization@23 epsilon=0.0; f32[1,2] 1 7; f32[2] 5 5", "f32[1,2] 1 7");
        row("com.microsoft.SkipLayerNormalization@1 epsilon=0.0; f32[1,1,2] 1 2; f32[1,1,2] 0 2; f32[2] 1 1; f32[2] 1 1; f32[2] 0 1",
            "f32[1,1,2] 0 2 | f32[1,1,1] 3 | f32[1,1,1] 0.5 | f32[1,1,2] 1 5", 4);
        row("InstanceNormalization@6 epsilon=0.0; f32[1,2,2] 1 3 5 5; f32[2] 1 1; f32[2] 0 7", "f32[1,2,2] -1 1 nan nan");
        row("GroupNormalization@18 epsilon=0.0 num_groups=1; f32[1,2,1] 1 3; f32[1] 2; f32[1] 1", "f32[1,2,1] -1 3");
        row("GroupNormalization@21 epsilon=0.0 num_groups=1; f32[1,2,1] 1 3; f32[2] 2 1; f32[2] 0 1", "f32[1,2,1] -2 2");
        row("LpNormalization@1 axis=1; f32[1,2] 3 4", "f32[1,2] 0.6 0.8");
        row("LpNormalization@1 axis=0 p=1; f32[2,2] 1 0 3 0", "f32[2,2] 0.25 0 0.75 0");
        row("MeanVarianceNormalization@13 axes=[1]; f32[1,2] 1 3", "f32[1,2] -1 1");
        row("LRN@13 size=3 alpha=3.0 beta=1.0 bias=1.0; f32[1,3,1] 1 2 3", "f32[1,3,1] 0.166667 0.133333 0.214286");
        row("Resize@13 coordinate_transformation_mode=asymmetric nearest_mode=floor; f32[1,1,2] 1 2; -; f32[3] 1 1 2", "f32[1,1,4] 1 1 2 2");
        row("Resize@13; f32[1,1,4] 1 2 3 4; -; -; i64[3] 1 1 2", "f32[1,1,2] 1 3");
        row("Resize@13 nearest_mode=ceil; i8[1,1,4] 1 2 3 4; -; -; i64[3] 1 1 2", "i8[1,1,2] 2 4");
        row("Resize@13 mode=linear; f32[1,1,2] 1 3; -; f32[3] 1 1 2", "f32[1,1,4] 1 1.5 2.5 3");
        row("Resize@13 mode=linear coordinate_transformation_mode=align_corners; f32[1,1,2] 1 3; -; f32[3] 1 1 1.5", "f32[1,1,3] 1 2 3");
        row("Resize@13 mode=linear; f32[1,2,2] 1 3 5 7; -; -; i64[3] 1 1 1", "f32[1,1,1] 4");
        row("Resize@13 mode=cubic; f32[1,1,4] 1 2 3 4; -; f32[3] 1 1 2",
            "f32[1,1,8] 0.894531 1.19141 1.66797 2.29688 2.70312 3.33203 3.80859 4.10547");
        row("Resize@13 mode=linear coordinate_transformation_mode=tf_crop_and_resize extrapolation_value=9.0; f32[1,1,3] 1 2 3; f32[6] 0 0 0.5 1 1 "
            "1.5; -; i64[3] 1 1 3",
            "f32[1,1,3] 2 3 9");
        row("Resize@18 axes=[2] keep_aspect_ratio_policy=not_larger; f32[1,1,2] 1 2; -; -; i64[1] 4", "f32[1,1,4] 1 1 2 2");
        row("Resize@10; f32[1,1,2] 1 2; f32[3] 1 1 2", "f32[1,1,4] 1 1 2 2");
        row("Upsample@7 scales=[1.0,1.0,2.0]; f32[1,1,2] 1 2", "f32[1,1,4] 1 1 2 2");
        row("Upsample@9 mode=linear; f32[1,1,2] 1 3; f32[3] 1 1 2", "f32[1,1,4] 1 2 3 3");
        row("Einsum@12 equation=ij,jk->ik; f32[1,2] 1 2; f32[2,1] 3 4", "f32[1,1] 11");
        row("Einsum@12 equation=ii; f32[2,2] 1 2 3 4", "f32[] 5");
        row("Einsum@12 equation=ii->i; f32[2,2] 1 2 3 4", "f32[2] 1 4");
        row("Einsum@12 equation=...ij->...ji; f32[1,2,2] 1 2 3 4", "f32[1,2,2] 1 3 2 4");
        row("Einsum@12 equation=ba; f32[1,2] 1 2", "f32[2,1] 1 2");
        row("Einsum@12 equation=i,i,i->; i32[2] 2 3; i32[2] 1 2; i32[2] 5 1", "i32[] 16");
        row("Einsum@12 equation=...i,i->...; f32[2,2] 1 2 3 4; f32[2] 1 10", "f32[2] 21 43");
        row("Einsum@12 equation=ij,k->i; f32[1,2] 1 2; f32[2] 3 4", "f32[1] 21");
    }
    void results() {
        QFETCH(QString, node);
        QFETCH(QString, expected);
        QFETCH(int, count);
        QCOMPARE(QString::fromStdString(resultsOf(node.toStdString(), static_cast<std::size_t>(count))), expected);
    }
};

QTEST_APPLESS_MAIN(EvalSpatialTest)
#include "tst_eval_spatial.moc"
