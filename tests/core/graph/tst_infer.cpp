// Types through single ops, one row per form; graphs, control flow and limits are in tst_infer_graphs.cpp.

#include "tests/core/graph/infer_text.h"

#include <QtTest/QTest>

using lemmascope::test::inferredText;

class TestInfer : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void elementwise_data();
    void elementwise() { check(); }
    void layout_data();
    void layout() { check(); }
    void indexing_data();
    void indexing() { check(); }
    void spatial_data();
    void spatial() { check(); }
    void contractions_data();
    void contractions() { check(); }
    void normalisationsAndReductions_data();
    void normalisationsAndReductions() { check(); }
    void selectionsAndQuantisation_data();
    void selectionsAndQuantisation() { check(); }
    void sequencesAndAttention_data();
    void sequencesAndAttention() { check(); }
    void tables_data();
    void tables() { check(); }
    void elementsOfShapeArithmetic_data();
    void elementsOfShapeArithmetic() { check(); }

  private:
    static void columns() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("expected");
    }

    static void row(const char* name, const QString& graph, const QString& expected) { QTest::newRow(name) << graph << expected; }

    static void check() {
        QFETCH(QString, graph);
        QFETCH(QString, expected);
        QCOMPARE(QString::fromStdString(inferredText(graph.toStdString())), expected);
    }
};

void TestInfer::elementwise_data() {
    columns();
    row("relu", "in x f32[2,n]; y = Relu(x); out y", "f32[2,n]");
    row("isnan is bool", "in x f32[n]; y = IsNaN(x); out y", "bool[n]");
    row("unknown shape stays unknown", "in x f32[?]; y = Sqrt(x); out y", "f32[?]");
    row("cast by number", "in x f32[2]; y = Cast(x) to=10; out y", "f16[2]");
    row("cast by name", "in x f32[2]; y = Cast(x) to=INT64; out y", "i64[2]");
    row("cast to nothing", "in x f32[2]; y = Cast(x) to=99; out y", "error: node 'y': attribute 'to' is 99, which names no element type");
    row("cast without to", "in x f32[2]; y = Cast(x); out y", "error: node 'y': attribute 'to' is missing");
    row("castlike takes the type only", "in x f32[2]; in t i8[5]; y = CastLike(x, t); out y", "i8[2]");
    row("broadcast", "in x f32[2,1,n]; in y f32[5,n]; z = Add(x, y); out z", "f32[2,5,n]");
    row("scalar", "in x f32[2,n]; in y f32[]; z = Div(x, y); out z", "f32[2,n]");
    row("a symbol and a number", "in x f32[n]; in y f32[5]; z = Mul(x, y); out z", "f32[5]");
    row("zero and one", "in x f32[0]; in y f32[1]; z = Mul(x, y); out z", "f32[0]");
    row("mismatch", "in x f32[2]; in y f32[3]; z = Add(x, y); out z",
        "error: node 'z': shapes [2] and [3] do not broadcast: 2 and 3 differ and neither is 1");
    row("types differ", "in x f32[2]; in y i64[2]; z = Add(x, y); out z",
        "error: node 'z': operand 1 has element type i64, expected f32 as operand 0 has");
    row("legacy broadcast never widens", "in x f32[2,3]; in y f32[3]; z = Add@6(x, y) broadcast=1; out z", "f32[2,3]");
    row("comparison", "in x f32[2,1]; in y f32[n]; z = Less(x, y); out z", "bool[2,n]");
    row("logic wants bool", "in x f32[2]; in y f32[2]; z = And(x, y); out z", "error: node 'z': operand 0 has element type f32, expected bool");
    row("pow keeps the base's type", "in x f32[2]; in y i64[1]; z = Pow(x, y); out z", "f32[2]");
    row("where", "in c bool[2,1]; in x f32[n]; in y f32[]; z = Where(c, x, y); out z", "f32[2,n]");
    row("max of three", "in x f32[2]; in y f32[1]; in z f32[3,1]; m = Max(x, y, z); out m", "f32[3,2]");
    row("clip with one bound", "in x f32[n]; in m f32[]; y = Clip(x, , m); out y", "f32[n]");
    row("clip with a wide bound", "in x f32[n]; in m f32[2]; y = Clip(x, m); out y",
        "error: node 'y': number of elements of operand 1 is 2, expected 1");
    row("clip up to opset 6", "in x f32[n]; y = Clip@6(x) min=0.0 max=6.0; out y", "f32[n]");
    row("an integer where a float belongs", "in x f32[n]; y = LeakyRelu(x) alpha=1; out y",
        "error: node 'y': attribute 'alpha' is an integer, expected a float");
    row("an attribute of another opset", "in x f32[n]; y = Clip(x) min=0.0; out y", "error: node 'y': Clip of opset 17 has no attribute 'min'");
    row("too few operands", "in x f32[n]; y = Add(x); out y", "error: node 'y': Add has 1 operand, expected 2");
    row("too many operands", "in x f32[n]; y = Relu(x, x); out y", "error: node 'y': Relu has 2 operands, expected 1");
    row("a needed operand omitted", "in x f32[n]; y = Add(, x); out y", "error: node 'y': operand 0 is missing");
    row("gelu of both domains", "in x f32[n]; y = Gelu@20(x); z = com.microsoft::Gelu(x); out y, z", "f32[n] f32[n]");
    row("bias gelu", "in x f32[2,n,4]; in b f32[5]; y = com.microsoft::BiasGelu(x, b); out y",
        "error: node 'y': length of operand 1 is 5, expected 4");
    row("an op that is not there yet", "in x f32[n]; y = Gelu@19(x); out y", "?[?]");
    row("an open function", "in x f32[n]; y = Mystery(x); declare y f16[n,2]; out y", "f16[n,2]");
}

void TestInfer::layout_data() {
    columns();
    row("constant of integers", "y = Constant() value_ints=[2,3]; out y", "i64[2]{2 3}");
    row("constant of a float", "y = Constant() value_float=1.5; out y", "f32[]");
    row("constant of a tensor", "y = Constant() value=i8[2]:{1 -1}; out y", "i8[2]{1 -1}");
    row("constant of nothing", "y = Constant(); out y", "error: node 'y': none of the attributes 'value', 'value_int', 'value_float', ... is there");
    row("shape", "in x f32[2,n]; y = Shape(x); out y", "i64[2]{2 n}");
    row("part of a shape", "in x f32[2,n,4]; y = Shape(x) start=-2 end=9; out y", "i64[2]{n 4}");
    row("size", "in x f32[2,n]; y = Size(x); out y", "i64[]{2*n}");
    row("constant of shape", "const s i64[2] 3 4; y = ConstantOfShape(s); out y", "f32[3,4]");
    row("constant of a symbolic shape", "in x f32[2,n]; s = Shape(x); y = ConstantOfShape(s) value=i64[1]:{7}; out y", "i64[2,n]");
    row("filled elements", "const s i64[1] 2; y = ConstantOfShape(s) value=i64[1]:{7}; out y", "i64[2]{7 7}");
    row("negative length", "const s i64[1] -2; y = ConstantOfShape(s); out y", "error: node 'y': operand 0 names the length -2, expected 0 or more");
    row("range", "const a i64[] 1; const b i64[] 8; const c i64[] 3; y = Range(a, b, c); out y", "i64[3]{1 4 7}");
    row("range downwards", "const a i64[] 5; const b i64[] 0; const c i64[] -2; y = Range(a, b, c); out y", "i64[3]{5 3 1}");
    row("empty range", "const a i64[] 5; const b i64[] 0; const c i64[] 2; y = Range(a, b, c); out y", "i64[0]{}");
    row("range of floats", "const a f32[] 0; const b f32[] 1; const c f32[] 0.25; y = Range(a, b, c); out y", "f32[4]");
    row("range of a length", "in x f32[n]; const i i64[] 0; s = Shape(x); b = Gather(s, i); const c i64[] 1; y = Range(i, b, c); out y", "i64[n]");
    row("reshape", "in x f32[2,3,n]; const s i64[2] 6 -1; y = Reshape(x, s); out y", "f32[6,n]");
    row("reshape copies", "in x f32[2,n,4]; const s i64[2] 0 -1; y = Reshape(x, s); out y", "f32[2,4*n]");
    row("reshape by attribute", "in x f32[2,3]; y = Reshape@1(x) shape=[3,2]; out y", "f32[3,2]");
    row("reshape to an opaque quotient", "in x f32[n,3]; const s i64[2] 2 -1; y = Reshape(x, s); out y", "f32[2,floor(n, 2) + n]");
    row("reshape allowing zero", "in x f32[0,3]; const s i64[2] 3 0; y = Reshape(x, s) allowzero=1; out y", "f32[3,0]");
    row("reshape mismatch", "in x f32[2,3]; const s i64[2] 4 2; y = Reshape(x, s); out y",
        "error: node 'y': cannot reshape f32[2,3] of 6 elements to [4,2] of 8");
    row("reshape that does not divide", "in x f32[2,3]; const s i64[2] 4 -1; y = Reshape(x, s); out y",
        "error: node 'y': cannot reshape f32[2,3] of 6 elements to [4,-1]");
    row("reshape with two open", "in x f32[2,3]; const s i64[2] -1 -1; y = Reshape(x, s); out y", "error: node 'y': the shape [-1,-1] has -1 twice");
    row("reshape copying what is not there", "in x f32[2]; const s i64[2] 2 0; y = Reshape(x, s); out y",
        "error: node 'y': the shape [2,0] copies axis 1 of f32[2]");
    row("flatten", "in x f32[2,n,4]; y = Flatten(x); z = Flatten(x) axis=-1; w = Flatten(x) axis=0; out y, z, w", "f32[2,4*n] f32[2*n,4] f32[1,8*n]");
    row("flatten past the last", "in x f32[2,4]; y = Flatten(x) axis=2; z = Flatten(x) axis=3; out y",
        "error: node 'z': attribute 'axis': axis 3 is out of range for rank 2");
    row("squeeze by attribute", "in x f32[1,n,1]; y = Squeeze@11(x) axes=[0]; out y", "f32[n,1]");
    row("squeeze by operand", "in x f32[1,n,1]; const a i64[1] -1; y = Squeeze(x, a); out y", "f32[1,n]");
    row("squeeze all", "in x f32[1,3,1]; y = Squeeze(x); out y", "f32[3]");
    row("squeeze all of a symbolic shape", "in x f32[1,n]; y = Squeeze(x); out y", "f32[?]");
    row("squeeze what is not 1", "in x f32[1,3]; const a i64[1] 1; y = Squeeze(x, a); out y",
        "error: node 'y': length of squeezed axis 1 is 3, expected 1");
    row("unsqueeze by attribute", "in x f32[n,3]; y = Unsqueeze@11(x) axes=[0,3]; out y", "f32[1,n,3,1]");
    row("unsqueeze by operand", "in x f32[n,3]; const a i64[2] -1 0; y = Unsqueeze(x, a); out y", "f32[1,n,3,1]");
    row("unsqueeze twice at one place", "in x f32[3]; const a i64[2] 0 -3; y = Unsqueeze(x, a); out y",
        "error: node 'y': new axes: axis -3 is named twice");
    row("unsqueeze without axes", "in x f32[n,3]; y = Unsqueeze@11(x); out y", "error: node 'y': attribute 'axes' is missing");
    row("transpose", "in x f32[2,n,4]; y = Transpose(x) perm=[1,2,0]; z = Transpose(x); out y, z", "f32[n,4,2] f32[4,n,2]");
    row("transpose of too few", "in x f32[2,n,4]; y = Transpose(x) perm=[1,0]; out y", "error: node 'y': attribute 'perm' has 2 values, expected 3");
    row("transpose with a wrong axis", "in x f32[2,n]; y = Transpose(x) perm=[1,2]; out y",
        "error: node 'y': attribute 'perm': axis 2 is out of range for rank 2");
    row("expand", "in x f32[3,1]; const s i64[3] 2 1 6; y = Expand(x, s); out y", "f32[2,3,6]");
    row("expand to what does not fit", "in x f32[3]; const s i64[1] 4; y = Expand(x, s); out y",
        "error: node 'y': shapes [3] and [4] do not broadcast: 3 and 4 differ and neither is 1");
    row("tile", "in x f32[2,n]; const r i64[2] 3 2; y = Tile(x, r); out y", "f32[6,2*n]");
    row("tile of too few", "in x f32[2,n]; const r i64[1] 3; y = Tile(x, r); out y", "error: node 'y': operand 1 has 1 value, expected 2");
    row("depth to space", "in x f32[1,8,n,3]; y = DepthToSpace(x) blocksize=2; out y", "f32[1,2,2*n,6]");
    row("depth to space that does not divide", "in x f32[1,6,2,3]; y = DepthToSpace(x) blocksize=2; out y",
        "error: node 'y': number of channels is 6, expected a multiple of 4");
    row("space to depth", "in x f32[1,2,4,6]; y = SpaceToDepth(x) blocksize=2; out y", "f32[1,8,2,3]");
}

void TestInfer::indexing_data() {
    columns();
    row("concat", "in x f32[2,n]; in y f32[2,3]; z = Concat(x, y) axis=1; out z", "f32[2,n + 3]");
    row("concat of mismatched axes", "in x f32[2,3]; in y f32[4,3]; z = Concat(x, y) axis=1; out z",
        "error: node 'z': length of operand 1 on axis 0 is 4, expected 2");
    row("concat of ranks", "in x f32[2,3]; in y f32[4]; z = Concat(x, y) axis=0; out z",
        "error: node 'z': operand 1 is f32[4] of rank 1, expected rank 2");
    row("concat without axis", "in x f32[2,3]; z = Concat(x, x); out z", "error: node 'z': attribute 'axis' is missing");
    row("slice by attributes", "in x f32[10,n]; y = Slice@9(x) starts=[1] ends=[-1] axes=[0]; out y", "f32[8,n]");
    row("slice clamps", "in x f32[10]; const s i64[1] -20; const e i64[1] 9223372036854775807; y = Slice(x, s, e); out y", "f32[10]");
    row("slice with a step", "in x f32[10]; const s i64[1] 1; const e i64[1] 8; const a i64[1] 0; const t i64[1] 3; y = Slice(x, s, e, a, t); out y",
        "f32[3]");
    row("slice backwards",
        "in x f32[10]; const s i64[1] -1; const e i64[1] -9223372036854775808; const a i64[1] 0; const t i64[1] -1; y = Slice(x, s, e, a, t); out y",
        "f32[10]");
    row("slice of a symbol to its end",
        "in x f32[n]; const s i64[1] 0; const e i64[1] 9223372036854775807; const a i64[1] 0; const t i64[1] 2; y = Slice(x, s, e, a, t); out y",
        "f32[floor(n + 1, 2)]");
    row("slice backwards through a symbol",
        "in x f32[n]; const s i64[1] -1; const e i64[1] -9223372036854775807; const a i64[1] 0; const t i64[1] -1; y = Slice(x, s, e, a, t); out y",
        "f32[n]");
    row("slice of at most five", "in x f32[n]; const s i64[1] 0; const e i64[1] 5; y = Slice(x, s, e); out y", "f32[min(5, n)]");
    row("slice drops the last", "in x f32[n]; const s i64[1] 0; const e i64[1] -1; y = Slice(x, s, e); out y", "f32[n - 1]");
    row("slice with a step of 0",
        "in x f32[4]; const s i64[1] 0; const e i64[1] 2; const a i64[1] 0; const t i64[1] 0; y = Slice(x, s, e, a, t); out y",
        "error: node 'y': operand 4 has a step of 0 for axis 0");
    row("slice of a wrong axis", "in x f32[4]; const s i64[1] 0; const e i64[1] 2; const a i64[1] 1; y = Slice(x, s, e, a); out y",
        "error: node 'y': sliced axes: axis 1 is out of range for rank 1");
    row("slice lists of different length", "in x f32[4,4]; const s i64[2] 0 0; const e i64[1] 2; y = Slice(x, s, e); out y",
        "error: node 'y': starts, ends, axes and steps have 2 values and 1, expected equally many");
    row("split equally", "in x f32[6,n]; a, b, c = Split@11(x); out a, b, c", "f32[2,n] f32[2,n] f32[2,n]");
    row("split by lengths", "in x f32[6,n]; const s i64[2] 4 2; a, b = Split(x, s); out a, b", "f32[4,n] f32[2,n]");
    row("split unevenly", "in x f32[7]; a, b, c = Split@18(x) num_outputs=3; out a, b, c", "f32[3] f32[3] f32[1]");
    row("split that does not divide", "in x f32[7]; a, b = Split@13(x); out a, b",
        "error: node 'a': cannot split an axis of length 7 into 2 equal parts");
    row("split lengths that do not add up", "in x f32[7]; a, b = Split@11(x) split=[2,4]; out a, b",
        "error: node 'a': sum of the split lengths is 6, expected 7");
    row("split into another number", "in x f32[6]; a, b = Split@11(x) split=[2,2,2]; out a, b",
        "error: node 'a': splits into 3 parts, but has 2 results");
    row("gather", "in x f32[5,n,2]; in i i64[3,4]; y = Gather(x, i) axis=1; out y", "f32[5,3,4,2]");
    row("gather a row", "in x f32[5,n]; const i i64[] 2; y = Gather(x, i); out y", "f32[n]");
    row("gather with floats", "in x f32[5]; in i f32[2]; y = Gather(x, i); out y",
        "error: node 'y': operand 1 has element type f32, expected i32 or i64");
    row("gather elements", "in x f32[5,n]; in i i64[3,2]; y = GatherElements(x, i); out y", "f32[3,2]");
    row("gather nd", "in x f32[5,n,4]; in i i64[7,2]; y = GatherND(x, i); out y", "f32[7,4]");
    row("gather nd in batches", "in x f32[2,5,4]; in i i64[2,1]; y = GatherND(x, i) batch_dims=1; out y", "f32[2,4]");
    row("gather nd of too many", "in x f32[5]; in i i64[7,2]; y = GatherND(x, i); out y",
        "error: node 'y': operand 1 indexes 2 axes, expected 1 to 1");
    row("scatter elements", "in x f32[5,n]; in i i64[3,2]; in u f32[3,2]; y = ScatterElements(x, i, u); out y", "f32[5,n]");
    row("scatter nd", "in x f32[5,n]; in i i64[3,1]; in u f32[3,n]; y = ScatterND(x, i, u); out y", "f32[5,n]");
    row("scatter nd of another shape", "in x f32[5,4]; in i i64[3,1]; in u f32[2,4]; y = ScatterND(x, i, u); out y",
        "error: node 'y': length of operand 2 on axis 0 is 2, expected 3");
    row("pad by attribute", "in x f32[2,n]; y = Pad@2(x) pads=[1,0,2,3]; out y", "f32[5,n + 3]");
    row("pad by operand", "in x f32[2,n]; const p i64[4] 0 1 0 -1; y = Pad(x, p); out y", "f32[2,n]");
    row("pad some axes", "in x f32[2,n]; const p i64[2] 1 1; const a i64[1] -1; y = Pad@18(x, p, , a); out y", "f32[2,n + 2]");
    row("pad of too few", "in x f32[2,4]; y = Pad@2(x) pads=[1,0,2]; out y", "error: node 'y': attribute 'pads' has 3 values, expected 4");
    row("pad in an unknown mode", "in x f32[2]; const p i64[2] 1 1; y = Pad(x, p) mode=mirror; out y",
        "error: node 'y': attribute 'mode' is 'mirror', expected constant, reflect, edge");
    row("crop too much", "in x f32[2]; const p i64[2] -1 -2; y = Pad(x, p); out y",
        "error: node 'y': result 0 has the length -1 on axis 0, expected 0 or more");
}

void TestInfer::spatial_data() {
    columns();
    row("conv", "in x f32[1,3,8,n]; in w f32[5,3,3,3]; y = Conv(x, w) pads=[1,1,1,1] strides=[2,1]; out y", "f32[1,5,4,n]");
    row("conv in groups with dilation", "in x f32[1,4,9]; in w f32[6,2,3]; y = Conv(x, w) group=2 dilations=[2]; out y", "f32[1,6,5]");
    row("conv same", "in x f32[1,3,7]; in w f32[5,3,3]; y = Conv(x, w) auto_pad=SAME_UPPER strides=[2]; out y", "f32[1,5,4]");
    row("conv valid", "in x f32[1,3,7]; in w f32[5,3,3]; y = Conv(x, w) auto_pad=VALID strides=[2]; out y", "f32[1,5,3]");
    row("conv of a symbolic axis", "in x f32[1,3,n]; in w f32[5,3,3]; y = Conv(x, w) strides=[2] pads=[1,1]; out y", "f32[1,5,floor(n + 1, 2)]");
    row("conv with wrong pads", "in x f32[1,3,7,7]; in w f32[5,3,3,3]; y = Conv(x, w) pads=[1,1,1] name=Conv_3; out y",
        "error: node 'Conv_3': attribute 'pads' has 3 values, expected 4");
    row("conv with a wrong stride", "in x f32[1,3,7]; in w f32[5,3,3]; y = Conv(x, w) strides=[0]; out y",
        "error: node 'y': attribute 'strides' has the value 0, expected 1 or more");
    row("conv with a wrong kernel_shape", "in x f32[1,3,7]; in w f32[5,3,3]; y = Conv(x, w) kernel_shape=[2]; out y",
        "error: node 'y': attribute 'kernel_shape' on axis 0 is 2, expected 3");
    row("conv with wrong channels", "in x f32[1,4,7]; in w f32[5,3,3]; y = Conv(x, w); out y",
        "error: node 'y': number of channels of operand 0 is 4, expected 3");
    row("conv with a wrong group", "in x f32[1,6,7]; in w f32[5,3,3]; y = Conv(x, w) group=2; out y",
        "error: node 'y': operand 1 has 5 output channels, expected a multiple of group 2");
    row("conv with a wrong bias", "in x f32[1,3,7]; in w f32[5,3,3]; in b f32[4]; y = Conv(x, w, b); out y",
        "error: node 'y': length of the bias is 4, expected 5");
    row("conv with unknown padding", "in x f32[1,3,7]; in w f32[5,3,3]; y = Conv(x, w) auto_pad=SAME; out y",
        "error: node 'y': attribute 'auto_pad' is 'SAME', expected NOTSET, SAME_UPPER, SAME_LOWER or VALID");
    row("conv wider than its input", "in x f32[1,3,2]; in w f32[5,3,3]; y = Conv(x, w) strides=[4]; out y",
        "error: node 'y': result 0 has the length -1 on axis 2, expected 0 or more");
    row("conv of integers", "in x u8[1,3,7]; in w u8[5,3,3]; y = ConvInteger(x, w); out y", "i32[1,5,5]");
    row("fused conv", "in x f32[1,3,7]; in w f32[5,3,3]; in z f32[1,5,5]; y = com.microsoft::FusedConv(x, w, , z) activation=Relu; out y",
        "f32[1,5,5]");
    row("conv transpose", "in x f32[1,3,4]; in w f32[3,2,3]; y = ConvTranspose(x, w) strides=[2] pads=[1,1] output_padding=[1]; out y", "f32[1,2,8]");
    row("conv transpose in groups", "in x f32[1,4,n]; in w f32[4,2,2]; y = ConvTranspose(x, w) strides=[2] group=2; out y", "f32[1,4,2*n]");
    row("conv transpose to a shape", "in x f32[1,3,4]; in w f32[3,2,3]; y = ConvTranspose(x, w) strides=[2] output_shape=[9]; out y", "f32[1,2,9]");
    row("conv transpose same", "in x f32[1,3,4]; in w f32[3,2,3]; y = ConvTranspose(x, w) strides=[2] auto_pad=SAME_LOWER; out y", "f32[1,2,8]");
    row("max pool with indices", "in x f32[1,3,7]; y, i = MaxPool(x) kernel_shape=[2] strides=[2]; out y, i", "f32[1,3,3] i64[1,3,3]");
    row("pool rounding up", "in x f32[1,3,7]; y = AveragePool(x) kernel_shape=[2] strides=[2] ceil_mode=1; out y", "f32[1,3,4]");
    row("pool leaves out a window in the padding", "in x f32[1,1,2]; y = MaxPool(x) kernel_shape=[1] strides=[2] pads=[0,1] ceil_mode=1; out y",
        "f32[1,1,1]");
    row("pool without kernel_shape", "in x f32[1,3,7]; y = MaxPool(x); out y", "error: node 'y': attribute 'kernel_shape' is missing");
    row("global pool", "in x f32[b,3,7,n]; y = GlobalAveragePool(x); out y", "f32[b,3,1,1]");
    row("resize by scales", "in x f32[1,3,n,5]; const s f32[4] 1 1 2 1.5; y = Resize(x, , s); out y", "f32[1,3,2*n,7]");
    row("resize by sizes", "in x f32[1,3,n,5]; const s i64[4] 1 3 9 10; y = Resize(x, , , s); out y", "f32[1,3,9,10]");
    row("resize some axes", "in x f32[1,3,4,5]; const s i64[2] 8 8; y = Resize@18(x, , , s) axes=[2,3]; out y", "f32[1,3,8,8]");
    row("resize in proportion",
        "in x f32[1,3,4,6]; const s i64[2] 8 8; y = Resize@18(x, , , s) axes=[2,3] keep_aspect_ratio_policy=not_larger; out y", "f32[1,3,5,8]");
    row("resize of opset 10", "in x f32[1,3,4,5]; const s f32[4] 1 1 2 2; y = Resize@10(x, s); out y", "f32[1,3,8,10]");
    row("resize without a size", "in x f32[1,3,4,5]; y = Resize(x); out y", "error: node 'y': has neither scales nor sizes");
    row("upsample by attribute", "in x f32[1,3,4,n]; y = Upsample@7(x) scales=[1.0,1.0,2.0,0.5]; out y", "f32[1,3,8,floor(n, 2)]");
}

void TestInfer::contractions_data() {
    columns();
    row("matmul", "in x f32[b,2,n]; in w f32[n,7]; y = MatMul(x, w); out y", "f32[b,2,7]");
    row("matmul broadcasts batches", "in x f32[b,1,2,3]; in w f32[4,3,5]; y = MatMul(x, w); out y", "f32[b,4,2,5]");
    row("matmul of vectors", "in x f32[3]; y = MatMul(x, x); out y", "f32[]");
    row("matmul of a vector", "in x f32[3]; in w f32[b,3,5]; y = MatMul(x, w); out y", "f32[b,5]");
    row("matmul mismatch", "in x f32[2,3]; in w f32[4,5]; y = MatMul(x, w); out y",
        "error: node 'y': cannot multiply [2,3] by [4,5]: inner lengths 3 and 4 differ");
    row("matmul of a scalar", "in x f32[]; in w f32[4,5]; y = MatMul(x, w); out y",
        "error: node 'y': cannot multiply a scalar: operands are [] and [4,5]");
    row("gemm", "in a f32[3,n]; in b f32[5,3]; in c f32[5]; y = Gemm(a, b, c) transA=1 transB=1; out y", "f32[n,5]");
    row("gemm mismatch", "in a f32[2,3]; in b f32[4,5]; y = Gemm(a, b); out y", "error: node 'y': inner lengths 3 and 4 of [2,3] and [4,5] differ");
    row("gemm with a wide addend", "in a f32[1,3]; in b f32[3,5]; in c f32[2,5]; y = Gemm(a, b, c); out y",
        "error: node 'y': operand 2 of shape [2,5] does not broadcast to [1,5]");
    row("fused gemm", "in a f32[2,3]; in b f32[3,5]; y = com.microsoft::FusedGemm(a, b) activation=Relu; out y", "f32[2,5]");
    row("fused matmul", "in a f32[b,3,2]; in w f32[b,7,3]; y = com.microsoft::FusedMatMul(a, w) transA=1 transB=1 alpha=0.5; out y", "f32[b,2,7]");
    row("fused matmul with moved batch", "in a f32[2,b,h,3]; in w f32[b,h,3,5]; y = com.microsoft::FusedMatMul(a, w) transBatchA=1; out y",
        "f32[b,h,2,5]");
    row("integer matmul", "in a u8[2,3]; in b i8[3,5]; y = MatMulInteger(a, b); out y", "i32[2,5]");
    row("integer matmul of floats", "in a f32[2,3]; in b i8[3,5]; y = MatMulInteger(a, b); out y",
        "error: node 'y': operand 0 has element type f32, expected i8 or u8 or i16 or u16");
    row("einsum", "in a f32[b,i,j]; in w f32[b,j,k]; y = Einsum(a, w) equation=bij,bjk->bik; out y", "f32[b,i,k]");
    row("einsum implicit", "in a f32[2,3]; in w f32[3,4]; y = Einsum(a, w) equation=ij,jk; out y", "f32[2,4]");
    row("einsum with an ellipsis", "in a f32[b,2,3]; in w f32[3,4]; y = Einsum(a, w) equation=...ij,jk->...ik; out y", "f32[b,2,4]");
    row("einsum of a diagonal", "in a f32[3,3]; y = Einsum(a) equation=ii->i; out y", "f32[3]");
    row("einsum of too many terms", "in a f32[3,3]; y = Einsum(a) equation=ij,jk; out y",
        "error: node 'y': attribute 'equation' is 'ij,jk' with 2 terms for 1 operand");
    row("einsum with a label of two lengths", "in a f32[3,4]; y = Einsum(a) equation=ii->i; out y",
        "error: node 'y': label 'i' has the lengths 3 and 4");
    row("einsum of another rank", "in a f32[3,4]; y = Einsum(a) equation=i->i; out y",
        "error: node 'y': operand 0 is f32[3,4], but its term 'i' names 1 axis");
    row("einsum with a label from nowhere", "in a f32[3]; y = Einsum(a) equation=i->k; out y",
        "error: node 'y': attribute 'equation' is 'i->k': result label 'k' is in no term");
}

void TestInfer::normalisationsAndReductions_data() {
    columns();
    row("softmax", "in x f32[2,n]; y = Softmax(x) axis=-1; out y", "f32[2,n]");
    row("softmax of a wrong axis", "in x f32[2,n]; y = Softmax(x) axis=2; out y",
        "error: node 'y': attribute 'axis': axis 2 is out of range for rank 2");
    row("batch normalisation", "in x f32[2,3,n]; in s f32[3]; y = BatchNormalization(x, s, s, s, s); out y", "f32[2,3,n]");
    row("batch normalisation in training", "in x f32[2,3,n]; in s f32[3]; y, m, v = BatchNormalization(x, s, s, s, s) training_mode=1; out y, m, v",
        "f32[2,3,n] f32[3] f32[3]");
    row("batch normalisation of other channels", "in x f32[2,3,n]; in s f32[4]; y = BatchNormalization(x, s, s, s, s); out y",
        "error: node 'y': length of operand 1 is 4, expected 3");
    row("layer normalisation", "in x f32[2,n,4]; in s f32[4]; y, m, d = LayerNormalization(x, s) axis=-1; out y, m, d",
        "f32[2,n,4] f32[2,n,1] f32[2,n,1]");
    row("layer normalisation under an old opset", "in x f32[2,4]; in s f32[4]; y = LayerNormalization@9(x, s, s); out y", "f32[2,4]");
    row("simplified layer normalisation", "in x f32[2,4]; in s f32[4]; y = SimplifiedLayerNormalization@12(x, s); out y", "f32[2,4]");
    row("skip layer normalisation", "in x f32[2,n,4]; in s f32[4]; y, , , t = com.microsoft::SkipLayerNormalization(x, x, s, s); out y, t",
        "f32[2,n,4] f32[2,n,4]");
    row("rms normalisation", "in x f32[2,n,4]; in s f32[4]; y = RMSNormalization@23(x, s); out y", "f32[2,n,4]");
    row("group normalisation", "in x f32[2,6,n]; in s f32[6]; y = GroupNormalization@21(x, s, s) num_groups=4; out y",
        "error: node 'y': operand 0 has 6 channels, expected a multiple of num_groups 4");
    row("instance normalisation", "in x f32[2,6,n]; in s f32[6]; y = InstanceNormalization(x, s, s); out y", "f32[2,6,n]");
    row("dropout", "in x f16[2]; y, m = Dropout(x); out y, m", "f16[2] bool[2]");
    row("old dropout", "in x f16[2]; y, m = Dropout@6(x); out y, m", "f16[2] f16[2]");
    row("reduce by attribute", "in x f32[2,n,4]; y = ReduceMean(x) axes=[-1]; out y", "f32[2,n,1]");
    row("reduce without keeping", "in x f32[2,n,4]; const a i64[2] 0 2; y = ReduceSum(x, a) keepdims=0; out y", "f32[n]");
    row("reduce all", "in x f32[2,n,4]; y = ReduceMax(x) keepdims=0; z = ReduceMax(x); out y, z", "f32[] f32[1,1,1]");
    row("reduce nothing", "in x f32[2,n]; y = ReduceSum(x) noop_with_empty_axes=1; out y", "f32[2,n]");
    row("reduce a wrong axis", "in x f32[2,n]; y = ReduceMean(x) axes=[2]; out y",
        "error: node 'y': reduced axes: axis 2 is out of range for rank 2");
    row("argmax", "in x f32[2,n,4]; y = ArgMax(x) axis=1; z = ArgMin(x) axis=-1 keepdims=0; out y, z", "i64[2,1,4] i64[2,n]");
    row("cumsum", "in x f32[2,n]; const a i64[] 5; y = CumSum(x, a); out y", "error: node 'y': operand 1: axis 5 is out of range for rank 2");
}

void TestInfer::selectionsAndQuantisation_data() {
    columns();
    row("topk", "in x f32[2,n]; const k i64[1] 3; v, i = TopK(x, k); out v, i", "f32[2,3] i64[2,3]");
    row("topk by attribute", "in x f32[5,2]; v, i = TopK@1(x) k=3 axis=0; out v, i", "f32[3,2] i64[3,2]");
    row("topk of too many", "in x f32[2]; const k i64[1] 3; v, i = TopK(x, k); out v", "error: node 'v': k is 3, expected 0 to 2");
    row("one hot", "in i i64[2,n]; const d i64[] 7; in v f32[2]; y = OneHot(i, d, v) axis=0; out y", "f32[7,2,n]");
    row("compress by a constant", "in x f32[3,n]; const c bool[3] 1 0 1; y = Compress(x, c) axis=0; out y", "f32[2,n]");
    row("eye like", "in x f32[2,n]; y = EyeLike(x) dtype=7; out y", "i64[2,n]");
    row("trilu of a vector", "in x f32[2]; y = Trilu(x); out y", "error: node 'y': operand 0 is f32[2] of rank 1, expected at least rank 2");
    row("quantize", "in x f32[2,n]; in s f32[]; in z i8[]; y = QuantizeLinear(x, s, z); w = QuantizeLinear(x, s); out y, w", "i8[2,n] u8[2,n]");
    row("quantize by attribute", "in x f32[2]; in s f32[]; y = QuantizeLinear@21(x, s) output_dtype=5; out y", "i16[2]");
    row("quantize per axis", "in x f32[2,3]; in s f32[4]; y = QuantizeLinear(x, s) axis=1; out y",
        "error: node 'y': length of operand 1 is 4, expected 3");
    row("dequantize", "in x u8[2]; in s f16[]; y = DequantizeLinear@19(x, s); z = DequantizeLinear@13(x, s); out y, z", "f16[2] f32[2]");
    row("dynamic quantize", "in x f32[2,n]; y, s, z = DynamicQuantizeLinear(x); out y, s, z", "u8[2,n] f32[] u8[]");
    row("qlinear matmul", "in a u8[2,3]; in b i8[3,5]; in s f32[]; in z u8[]; in w i8[]; y = QLinearMatMul(a, s, z, b, s, w, s, z); out y",
        "u8[2,5]");
    row("qlinear conv, channels last",
        "in x u8[1,7,3]; in w i8[5,3,3]; in s f32[]; in z u8[]; in v i8[]; y = com.microsoft::QLinearConv(x, s, z, w, s, v, s, z) channels_last=1; "
        "out y",
        "u8[1,5,5]");
    row("qlinear add", "in a u8[2,1]; in b u8[3]; in s f32[]; in z u8[]; y = com.microsoft::QLinearAdd(a, s, z, b, s, z, s, z); out y", "u8[2,3]");
    row("qlinear concat", "in a u8[2,1]; in b u8[2,n]; in s f32[]; in z u8[]; y = com.microsoft::QLinearConcat(s, z, a, s, z, b, s, z) axis=1; out y",
        "u8[2,n + 1]");
    row("dynamic quantize matmul", "in a f32[2,3]; in b i8[3,5]; in s f32[]; y = com.microsoft::DynamicQuantizeMatMul(a, b, s); out y", "f32[2,5]");
    row("matmul integer to float", "in a u8[2,3]; in b i8[3,5]; in s f32[]; y = com.microsoft::MatMulIntegerToFloat(a, b, s, s); out y", "f32[2,5]");
    row("random normal", "y = RandomNormal() shape=[2,3] dtype=11; out y", "f64[2,3]");
    row("random like", "in x f16[n]; y = RandomUniformLike(x); z = Bernoulli(x) dtype=9; out y, z", "f16[n] bool[n]");
    row("multinomial", "in x f32[b,9]; y = Multinomial(x) sample_size=4; out y", "i32[b,4]");
}

void TestInfer::sequencesAndAttention_data() {
    columns();
    row("lstm", "in x f32[s,b,3]; in w f32[1,20,3]; in r f32[1,20,5]; y, h, c = LSTM(x, w, r) hidden_size=5; out y, h, c",
        "f32[s,1,b,5] f32[1,b,5] f32[1,b,5]");
    row("gru both ways, batch first",
        "in x f32[b,s,3]; in w f32[2,15,3]; in r f32[2,15,5]; y, h = GRU(x, w, r) direction=bidirectional layout=1; out y, h",
        "f32[b,s,2,5] f32[b,2,5]");
    row("rnn with wrong weights", "in x f32[s,b,3]; in w f32[1,4,3]; in r f32[1,5,5]; y = RNN(x, w, r) hidden_size=5; out y",
        "error: node 'y': length of operand 1 on axis 1 is 4, expected 5");
    row("attention", "in q f32[b,2,s,8]; in k f32[b,2,t,8]; in v f32[b,2,t,6]; y = Attention@23(q, k, v); out y", "f32[b,2,s,6]");
    row("attention with heads side by side", "in q f32[b,s,16]; in k f32[b,t,16]; y = Attention@23(q, k, k) q_num_heads=2 kv_num_heads=2; out y",
        "f32[b,s,16]");
    row("attention with a cache", "in q f32[b,2,1,8]; in p f32[b,2,t,8]; y, k, v = Attention@23(q, q, q, , p, p); out y, k, v",
        "f32[b,2,1,8] f32[b,2,t + 1,8] f32[b,2,t + 1,8]");
    row("attention without heads", "in q f32[b,s,16]; y = Attention@23(q, q, q); out y", "error: node 'y': attribute 'q_num_heads' is missing");
    row("rotary embedding", "in x f32[b,2,s,8]; in c f32[s,4]; y = RotaryEmbedding@23(x, c, c); out y", "f32[b,2,s,8]");
    row("attention whose values have heads",
        "in q f32[b,s,16]; in k f32[b,2,t,8]; in v f32[b,2,t,6]; y = com.microsoft::MultiHeadAttention(q, k, v) num_heads=2; out y", "f32[b,s,12]");
    row("packed attention", "in x f32[b,s,8]; in w f32[8,24]; in v f32[24]; y = com.microsoft::Attention(x, w, v) num_heads=2; out y", "f32[b,s,8]");
    row("reverse sequence", "in x f32[s,b]; in l i64[b]; y = ReverseSequence(x, l); out y", "f32[s,b]");
}

void TestInfer::tables_data() {
    columns();
    row("rows at", "in t f32[16,n]; in a i64[]; y = lemmascope::RowsAt(t, a) count=2; out y", "f32[2,n]");
    row("too many rows", "in t f32[4,n]; in a i64[]; y = lemmascope::RowsAt(t, a) count=5; out y",
        "error: node 'y': attribute 'count' is 5, but operand 0 has 4 rows");
    row("store a slice", "in t f32[16,8]; in v f32[2,4]; y = lemmascope::StoreSlice(t, v) starts=[4,0] ends=[8,4] steps=[2,1]; out y", "f32[16,8]");
    row("store what does not fit", "in t f32[16,8]; in v f32[1,4]; y = lemmascope::StoreSlice(t, v) starts=[4,0] ends=[8,4] steps=[2,1]; out y",
        "error: node 'y': a value of shape [1,4] does not fit its place of shape [2,4]");
    row("store outside", "in t f32[16,8]; in v f32[4,8]; y = lemmascope::StoreSlice(t, v) starts=[14,0] ends=[18,8] steps=[1,1]; out y",
        "error: node 'y': stores [14, 18) in steps of 1 on axis 0 of length 16");
    row("store along a whole symbolic axis",
        "in t f32[16,n]; in v f32[2,n]; y = lemmascope::StoreSlice(t, v) starts=[4,0] ends=[6,9223372036854775807] steps=[1,1]; out y", "f32[16,n]");
    row("store rows", "in t f32[16,8]; in v f32[2,8]; in r i64[2]; y = lemmascope::StoreRows(t, v, r); out y", "f32[16,8]");
    row("store other rows", "in t f32[16,8]; in v f32[3,8]; in r i64[2]; y = lemmascope::StoreRows(t, v, r); out y",
        "error: node 'y': a value of shape [3,8] does not fit its place of shape [2,8]");
    row("store rows at", "in t f32[16,8]; in v f32[2,8]; in a i64[1]; y = lemmascope::StoreRowsAt(t, v, a) count=2; out y", "f32[16,8]");
    row("store another type", "in t f32[16]; in v f16[2]; in a i64[1]; y = lemmascope::StoreRowsAt(t, v, a) count=2; out y",
        "error: node 'y': operand 1 has element type f16, expected f32 as operand 0 has");
}

void TestInfer::elementsOfShapeArithmetic_data() {
    columns();
    row("sums and products", "const a i64[2] 6 7; const b i64[] 2; x = Add(a, b); y = Mul(a, b); z = Sub(a, b); w = Neg(a); out x, y, z, w",
        "i64[2]{8 9} i64[2]{12 14} i64[2]{4 5} i64[2]{-6 -7}");
    row("division truncates", "const a i64[2] -7 7; const b i64[] 2; x = Div(a, b); y = Mod(a, b); z = Mod(a, b) fmod=1; out x, y, z",
        "i64[2]{-3 3} i64[2]{1 1} i64[2]{-1 1}");
    row("division by zero is not known", "const a i64[1] 7; const b i64[1] 0; x = Div(a, b); y = Mod(a, b); out x, y", "i64[1] i64[1]");
    row("division of a symbol", "in x f32[n]; s = Shape(x); const b i64[] 2; y = Div(s, b); z = Mod(s, b); out y, z",
        "i64[1]{floor(n, 2)} i64[1]{-2*floor(n, 2) + n}");
    row("min and max", "in x f32[n]; s = Shape(x); const b i64[1] 0; const c i64[1] 4; y = Max(s, b); z = Min(s, c); out y, z",
        "i64[1]{n} i64[1]{min(4, n)}");
    row("wrapping is not known", "const a i32[1] 2000000000; y = Add(a, a); out y", "i32[1]");
    row("comparison", "in x f32[n,2]; s = Shape(x); const b i64[] 0; y = Greater(s, b); z = Equal(s, b); out y, z", "bool[2]{1 1} bool[2]{0 0}");
    row("undecided comparison", "in x f32[n]; s = Shape(x); const b i64[] 3; y = Equal(s, b); out y", "bool[1]");
    row("where", "in x f32[n,2]; s = Shape(x); const c bool[2] 1 0; const b i64[2] 8 9; y = Where(c, s, b); out y", "i64[2]{n 9}");
    row("where of what is not chosen", "in u i64[2]; const c bool[2] 0 0; const b i64[2] 8 9; y = Where(c, u, b); out y", "i64[2]{8 9}");
    row("casts", "in x f32[n,2]; s = Shape(x); y = Cast(s) to=6; const f f32[2] 2.75 -3; z = Cast(f) to=7; out y, z", "i32[2]{n 2} i64[2]{2 -3}");
    row("a cast that does not fit", "const a i64[1] 300; y = Cast(a) to=3; out y", "i8[1]");
    row("gather from the end", "in x f32[n,2,3]; s = Shape(x); const i i64[2] -1 0; y = Gather(s, i); out y", "i64[2]{3 n}");
    row("gather out of range is a fault, not a type", "const a i64[2] 1 2; const i i64[1] 5; y = Gather(a, i); out y", "i64[1]");
    row("slices", "in x f32[n,2,3]; s = Shape(x); const b i64[1] 1; const e i64[1] 9; y = Slice(s, b, e); out y", "i64[2]{2 3}");
    row("reversed",
        "const a i64[3] 1 2 3; const b i64[1] -1; const e i64[1] -9; const x i64[1] 0; const t i64[1] -2; y = Slice(a, b, e, x, t); out y",
        "i64[2]{3 1}");
    row("rows of a matrix", "const a i64[2,3] 1 2 3 4 5 6; const b i64[1] 1; const e i64[1] 2; y = Slice(a, b, e); t = Transpose(a); out y, t",
        "i64[1,3]{4 5 6} i64[3,2]{1 4 2 5 3 6}");
    row("unsqueeze, concat, squeeze", "const a i64[] 5; y = Unsqueeze@11(a) axes=[0]; z = Concat(y, y) axis=0; w = Squeeze(y); out z, w",
        "i64[2]{5 5} i64[]{5}");
    row("split", "in x f32[n,2,3]; s = Shape(x); a, b = Split@11(s) split=[1,2]; out a, b", "i64[1]{n} i64[2]{2 3}");
    row("expand", "const a i64[1] 4; const s i64[1] 3; y = Expand(a, s); out y", "i64[3]{4 4 4}");
    row("product", "in x f32[n,2,3]; s = Shape(x); y = ReduceProd(s) keepdims=0; out y", "i64[]{6*n}");
    row("identity and reshape", "const a i64[4] 1 2 3 4; y = Identity(a); const s i64[2] 2 2; z = Reshape(y, s); out z", "i64[2,2]{1 2 3 4}");
    row("shape to reshape",
        "in x f32[n,4,8]; s = Shape(x); const i i64[1] 0; b = Gather(s, i); const m i64[1] -1; t = Concat(b, m) axis=0; y = Reshape(x, t); out y",
        "f32[n,32]");
    row("sizes computed in floats",
        "in x f32[1,3,10,n]; s = Shape(x); const b i64[1] 2; const e i64[1] 3; h = Slice(s, b, e); f = Cast(h) to=1; const k f32[] 1.25; g = Mul(f, "
        "k); "
        "r = Floor(g); i = Cast(r) to=7; const o i64[2] 1 3; const w i64[1] 7; t = Concat(o, i, w) axis=0; y = Resize(x, , , t); out y",
        "f32[1,3,12,7]");
    row("scales computed in floats",
        "in x f32[1,3,10,5]; const a f32[1] 3; const b f32[1] 2; d = Div(a, b); const o f32[3] 1 1 1; s = Concat(o, d) axis=0; y = Resize(x, , s); "
        "out y",
        "f32[1,3,10,7]");
    row("the exporter's expand",
        "in x f32[1,4]; in y f32[n,4]; s = Shape(y); const m i64[] -1; c = Equal(s, m); const o i64[2] 1 1; t = Where(c, o, s); "
        "z = Expand(x, t); out z",
        "f32[n,4]");
}

QTEST_APPLESS_MAIN(TestInfer)
#include "tst_infer.moc"
