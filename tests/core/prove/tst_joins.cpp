// Values taken apart and put together again, at every size of what is symbolic, and the wrong twin of each.

#include "core/prove/check.h"

#include "tests/core/prove/join_pairs.h"
#include "tests/core/prove/verdict_rows.h"

#include <QtTest/QTest>

using namespace lemmascope;
using namespace lemmascope::test;

class TestJoins : public QObject {
    Q_OBJECT

    static void columns() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("line");
    }
    static void row(const std::string& name, const TextPair& pair, const char* line) {
        QTest::newRow(name.c_str()) << QString::fromStdString(pair.reference) << QString::fromStdString(pair.rewritten) << QString::fromLatin1(line);
    }

  private Q_SLOTS:
    void pairs() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QString, line);
        const Result<CheckResult> result = checked(reference.toStdString(), rewritten.toStdString());
        QVERIFY2(result, result ? "" : result.error().message.c_str());
        const QString got = QString::fromStdString(verdictLine(*result));
        QVERIFY2(hasLine(got, line), qPrintable(got));
    }
    void pairs_data() {
        columns();
        const std::vector<std::pair<PutTogether, const char*>> ways{{PutTogether::Concat, "joined"},
                                                                    {PutTogether::Tree, "joined in pairs"},
                                                                    {PutTogether::Insert, "inserted"},
                                                                    {PutTogether::Scatter, "scattered"},
                                                                    {PutTogether::Where, "chosen by masks"}};
        for (const auto& [how, name] : ways) {
            for (const char* op : {"Identity", "Relu"}) {
                row(std::string(op) + " of 64 slices " + name, slices(64, 2, op, how), "proved: identical");
                row(std::string(op) + " of 64 slices " + name + ", two swapped", slices(64, 2, op, how, true), "refuted");
            }
        }
        row("Softmax of 64 slices", slices(64, 2, "Softmax", PutTogether::Concat), "proved: exact");
        row("Softmax of 64 slices, two swapped", slices(64, 2, "Softmax", PutTogether::Concat, true), "!proved");

        const std::vector<std::pair<Im2col, const char*>> forms{
            {Im2col::OnChannels, "slices on channels"},       {Im2col::OnNewAxis, "slices on a new axis"},
            {Im2col::Gathered, "tables of positions"},        {Im2col::Flat, "one flat table"},
            {Im2col::ChannelsLast, "channels last"},          {Im2col::Products, "a product per position"},
            {Im2col::Pointwise, "a convolution per position"}};
        const std::vector<std::pair<Convolution, const char*>> shapes{
            {{}, "3x3"},
            {{.pad = 0}, "3x3 without padding"},
            {{.size = 9, .stride = 2}, "3x3 with steps of 2"},
            {{.size = 10, .pad = 2, .dilation = 2}, "3x3 dilated"},
            {{.kernel = 1, .pad = 0}, "1x1"},
            {{.kernel = 2, .stride = 2, .pad = 0}, "2x2 with steps of 2"},
            {{.channels = 3, .size = 12, .kernel = 5, .pad = 2}, "5x5"},
            {{.channels = 3, .size = 20, .filters = 8, .kernel = 7, .stride = 2, .pad = 3}, "7x7 with steps of 2"},
            {{.batch = "1", .channels = 16, .size = 14, .filters = 16}, "3x3 on one image"}};
        for (const auto& [form, name] : forms) {
            for (const auto& [shape, kernel] : shapes) {
                row(std::string("im2col ") + kernel + ", " + name, im2col(shape, form), "proved");
            }
            row(std::string("im2col, kernel transposed, ") + name, im2col({}, form, Twin::KernelTransposed), "!proved");
            row(std::string("im2col, padding shifted, ") + name, im2col({}, form, Twin::PadShifted), "!proved");
            row(std::string("im2col, padding shifted, steps of 2, ") + name, im2col({.size = 9, .stride = 2}, form, Twin::PadShifted), "!proved");
        }
        row("im2col, one row of the kernel left out", im2col({}, Im2col::Pointwise, Twin::RowDropped), "!proved");
        row("im2col, one row left out of products", im2col({}, Im2col::Products, Twin::RowDropped), "!proved");

        const std::string image = "in x f32[b,3,8]; in w f32[3,1,3]; ";
        const auto taps = [&](const char* last) {
            std::string text = image +
                               "const a i64[1] 2; const u i64[1] 0; const v i64[1] 1; const z i64[1] 2; const t i64[1] 3; const i i64[1] 6; const "
                               "j i64[1] 7; const k i64[1] 8; const s i64[3] 1 3 1; ";
            text += "p = Slice(x, u, i, a); q = Slice(x, v, j, a); r = Slice(x, z, k, a); ";
            text += "e = Slice(w, u, v, a); f = Slice(w, v, z, a); g = Slice(w, z, t, a); ";
            text += "d = Reshape(e, s); h = Reshape(f, s); l = Reshape(g, s); ";
            return text + "m = Mul(p, d); n = Mul(q, h); o = Mul(r, " + last + "); c = Add(m, n); y = Add(c, o); out y";
        };
        row("a depthwise convolution by taps", {image + "y = Conv(x, w) group=3; out y", taps("l")}, "proved: exact");
        row("a depthwise convolution, one tap twice", {image + "y = Conv(x, w) group=3; out y", taps("h")}, "!proved");
        row("weights joined", joinedWeights(64, 3, false), "proved: exact");
        row("weights joined, outputs in another order", joinedWeights(64, 3, false, true), "!proved");
        row("joined along the sum", joinedWeights(64, 2, true), "proved: exact");
        row("joined along the sum, weights swapped", joinedWeights(64, 2, true, true), "!proved");
        row("sum in 16 parts", splitProduct(256, 16), "proved: exact");
        row("sum in 16 parts, one shifted", splitProduct(256, 16, true), "!proved");
    }

    /// Constant indices and masks that are not what they are next to.
    void constants_data() {
        columns();
        const auto pair = [](const char* name, const char* a, const char* b, const char* line) { row(name, {a, b}, line); };
        const char* whole = "in x f32[4,3]; y = Identity(x); out y";
        pair("rows in order", whole, "in x f32[4,3]; const i i64[4] 0 1 2 3; y = Gather(x, i); out y", "proved: identical");
        pair("rows in order, one twice", whole, "in x f32[4,3]; const i i64[4] 0 1 1 3; y = Gather(x, i); out y", "!proved");
        pair("rows from the end", "in x f32[5,n]; const i i64[2] -2 -1; y = Gather(x, i); out y",
             "in x f32[5,n]; const b i64[1] 3; const e i64[1] 5; const a i64[1] 0; y = Slice(x, b, e, a); out y", "proved: identical");
        pair("a table of windows", "in x f32[b,6]; const i i64[2,3] 0 2 4 1 3 5; y = Gather(x, i) axis=1; out y",
             "in x f32[b,6]; const s i64[3] -1 3 2; r = Reshape(x, s); y = Transpose(r) perm=[0,2,1]; out y", "proved: identical");
        pair("a table of other windows", "in x f32[b,6]; const i i64[2,3] 0 2 4 1 3 4; y = Gather(x, i) axis=1; out y",
             "in x f32[b,6]; const s i64[3] -1 3 2; r = Reshape(x, s); y = Transpose(r) perm=[0,2,1]; out y", "!proved");
        const char* box = "in x f32[4,4]; in u f32[2,2]; const p i64[4] 1 1 1 1; z = Pad(u, p); ";
        const std::string ring = "const m bool[4,4] 0 0 0 0 0 1 1 0 0 1 1 0 0 0 0 0; ";
        row("a box written",
            {box + ring + "y = Where(m, z, x); out y",
             "in x f32[4,4]; in u f32[2,2]; const i i64[2,2,2] 1 1 1 2 2 1 2 2; y = ScatterND(x, i, u); out y"},
            "proved");
        row("a box written transposed",
            {box + ring + "y = Where(m, z, x); out y",
             "in x f32[4,4]; in u f32[2,2]; const i i64[2,2,2] 1 1 2 1 1 2 2 2; y = ScatterND(x, i, u); out y"},
            "!proved");
        pair("rows written twice",
             "in x f32[4,3]; in u f32[2,3]; const b i64[1] 1; const e i64[1] 2; const a i64[1] 0; r = Slice(u, b, e, a); "
             "const z i64[1] 0; h = Slice(x, z, b, a); const f i64[1] 4; t = Slice(x, e, f, a); y = Concat(h, r, t) axis=0; out y",
             "in x f32[4,3]; in u f32[2,3]; const i i64[2,1] 1 1; y = ScatterND(x, i, u); out y", "!proved: identical");
        pair("rows added", "in x f32[4,3]; in u f32[1,3]; const i i64[1,1] 1; y = ScatterND(x, i, u); out y",
             "in x f32[4,3]; in u f32[1,3]; const i i64[1,1] 1; y = ScatterND@16(x, i, u) reduction=add; out y", "!proved");
        pair("all chosen", "in x f32[n,3]; in z f32[n,3]; const m bool[1] 1; y = Where(m, x, z); out y",
             "in x f32[n,3]; in z f32[n,3]; y = Identity(x); out y", "proved: identical");
        pair("the other chosen", "in x f32[n,3]; in z f32[n,3]; const m bool[1] 0; y = Where(m, x, z); out y",
             "in x f32[n,3]; in z f32[n,3]; y = Identity(x); out y", "!proved");
        pair("slices that may be empty", "symbol n 0 4; in x f32[n,4]; y = Relu(x); out y",
             "symbol n 0 4; in x f32[n,4]; const z i64[1] 0; const h i64[1] 2; const f i64[1] 4; const a i64[1] 1; p = Slice(x, z, h, a); q = "
             "Slice(x, "
             "h, f, a); r = Relu(p); s = Relu(q); y = Concat(r, s) axis=1; out y",
             "proved: identical");
    }
    void constants() { pairs(); }

    /// Windows over padding are one read; padding that is no zero is none.
    void windows_data() {
        columns();
        const auto pair = [](const char* name, const char* a, const char* b, const char* line) { row(name, {a, b}, line); };
        const char* conv = "in x f32[b,1,h]; in w f32[1,1,3]; y = Conv(x, w) pads=[1,1]; out y";
        pair("padding moved into a convolution", conv,
             "in x f32[b,1,h]; in w f32[1,1,3]; const p i64[6] 0 0 1 0 0 1; z = Pad(x, p); y = Conv(z, w); out y", "proved: exact");
        pair("padding of ones", conv,
             "in x f32[b,1,h]; in w f32[1,1,3]; const p i64[6] 0 0 1 0 0 1; const o f32[] 1; z = Pad(x, p, o); y = Conv(z, w); out y", "!proved");
        pair("padding on one side", conv, "in x f32[b,1,h]; in w f32[1,1,3]; const p i64[6] 0 0 2 0 0 0; z = Pad(x, p); y = Conv(z, w); out y",
             "!proved");
        pair("edges repeated", conv, "in x f32[b,1,h]; in w f32[1,1,3]; const p i64[6] 0 0 1 0 0 1; z = Pad(x, p) mode=edge; y = Conv(z, w); out y",
             "!proved");
        pair("the sum of a padded value", "in x f32[n,4]; y = ReduceSum@11(x) axes=[1]; out y",
             "in x f32[n,4]; const p i64[4] 0 1 0 1; z = Pad(x, p); y = ReduceSum@11(z) axes=[1]; out y", "proved: exact");
        pair("the mean of a padded value", "in x f32[n,4]; y = ReduceMean@11(x) axes=[1]; out y",
             "in x f32[n,4]; const p i64[4] 0 1 0 1; z = Pad(x, p); y = ReduceMean@11(z) axes=[1]; out y", "!proved");
    }
    void windows() { pairs(); }

    /// Maxima under what keeps the order of values; what turns it round or differs from place to place does not move.
    void maxima_data() {
        columns();
        const auto pair = [](const char* name, const std::string& a, const std::string& b, const char* line) { row(name, {a, b}, line); };
        const std::string in = "in q u8[n,3,8,8]; const s f32[] 0.06; const t f32[] -0.06; const z u8[] 128; ";
        const std::string pool = " kernel_shape=[3,3] strides=[2,2] pads=[1,1,1,1]; ";
        const std::string first = in + "d = DequantizeLinear(q, s, z); y = MaxPool(d)" + pool + "out y";
        pair("pool of dequantised values", first, in + "p = MaxPool(q)" + pool + "y = DequantizeLinear(p, s, z); out y", "proved: exact");
        pair("quantised again", in + "d = DequantizeLinear(q, s, z); p = MaxPool(d)" + pool + "y = QuantizeLinear(p, s, z); out y",
             in + "y = MaxPool(q)" + pool + "out y", "proved: exact");
        pair("quantised with another zero point",
             in + "const o u8[] 127; d = DequantizeLinear(q, s, z); p = MaxPool(d)" + pool + "y = QuantizeLinear(p, s, o); out y",
             in + "y = MaxPool(q)" + pool + "out y", "!proved");
        pair("negative scale", in + "d = DequantizeLinear(q, t, z); y = MaxPool(d)" + pool + "out y",
             in + "p = MaxPool(q)" + pool + "y = DequantizeLinear(p, t, z); out y", "!proved");
        pair("a scale of unknown sign", "in r f32[]; " + in + "d = DequantizeLinear(q, r, z); y = MaxPool(d)" + pool + "out y",
             "in r f32[]; " + in + "p = MaxPool(q)" + pool + "y = DequantizeLinear(p, r, z); out y", "!proved");
        pair("scales of both signs", in + "const c f32[3] 0.5 -0.5 0.25; d = DequantizeLinear(q, c) axis=1; y = MaxPool(d)" + pool + "out y",
             in + "const c f32[3] 0.5 -0.5 0.25; p = MaxPool(q)" + pool + "y = DequantizeLinear(p, c) axis=1; out y", "!proved");
        pair("another window", first, in + "p = MaxPool(q) kernel_shape=[3,3] strides=[2,2] pads=[0,0,2,2]; y = DequantizeLinear(p, s, z); out y",
             "!proved");
        const std::string x = "in x f32[n,3,8,8]; ";
        const std::string two = " kernel_shape=[2,2]; ";
        pair("Relu", x + "a = Relu(x); y = MaxPool(a)" + two + "out y", x + "a = MaxPool(x)" + two + "y = Relu(a); out y", "proved: exact");
        pair("bounds", x + "const l f32[] -1; const h f32[] 3; a = Clip(x, l, h); y = MaxPool(a)" + two + "out y",
             x + "const l f32[] -1; const h f32[] 3; a = MaxPool(x)" + two + "y = Clip(a, l, h); out y", "proved: exact");
        pair("other bounds", x + "const l f32[] -1; const h f32[] 3; a = Clip(x, l, h); y = MaxPool(a)" + two + "out y",
             x + "const l f32[] -1; const h f32[] 4; a = MaxPool(x)" + two + "y = Clip(a, l, h); out y", "!proved");
        pair("exponentials", x + "a = Exp(x); y = MaxPool(a)" + two + "out y", x + "a = MaxPool(x)" + two + "y = Exp(a); out y", "proved: exact");
        pair("negation", x + "a = Neg(x); y = MaxPool(a)" + two + "out y", x + "a = MaxPool(x)" + two + "y = Neg(a); out y", "!proved");
        pair("magnitude", x + "a = Abs(x); y = MaxPool(a)" + two + "out y", x + "a = MaxPool(x)" + two + "y = Abs(a); out y", "!proved");
        pair("of the greater", x + "in z f32[n,3,8,8]; a = Max(x, z); y = MaxPool(a)" + two + "out y",
             x + "in z f32[n,3,8,8]; a = MaxPool(x)" + two + "b = MaxPool(z)" + two + "y = Max(a, b); out y", "proved: exact");
        pair("of the lesser", x + "in z f32[n,3,8,8]; a = Min(x, z); y = MaxPool(a)" + two + "out y",
             x + "in z f32[n,3,8,8]; a = MaxPool(x)" + two + "b = MaxPool(z)" + two + "y = Min(a, b); out y", "!proved");
        pair("global pool", x + "y = GlobalMaxPool(x); out y", x + "y = ReduceMax(x) axes=[2,3]; out y", "proved: exact");
        pair("global pool over one axis", x + "a = GlobalMaxPool(x); y = Relu(a); out y",
             x + "b = ReduceMax(x) axes=[2]; c = ReduceMean@13(b) axes=[3]; y = Relu(c); out y", "!proved");

        const std::string row8 = "in q i8[n,8]; const s f32[] 0.5; const t f32[] -0.5; ";
        const auto reduced = [&](const char* op, const char* scale, bool after) {
            return row8 + (after ? std::string("m = ") + op + "(q) axes=[1]; y = DequantizeLinear(m, " + scale + "); out y"
                                 : std::string("d = DequantizeLinear(q, ") + scale + "); y = " + op + "(d) axes=[1]; out y");
        };
        pair("greatest of a row", reduced("ReduceMax", "s", false), reduced("ReduceMax", "s", true), "proved: exact");
        pair("least of a row", reduced("ReduceMin", "s", false), reduced("ReduceMin", "s", true), "proved: exact");
        pair("greatest for least", reduced("ReduceMax", "s", false), reduced("ReduceMin", "s", true), "!proved");
        pair("negative scale kept", reduced("ReduceMax", "t", false), reduced("ReduceMax", "t", true), "!proved");
        pair("negative scale exchanged", reduced("ReduceMax", "t", false), reduced("ReduceMin", "t", true), "proved: exact");
        pair("least as greatest", "in x f32[n,8]; y = ReduceMin(x) axes=[1]; out y",
             "in x f32[n,8]; a = Neg(x); b = ReduceMax(a) axes=[1]; y = Neg(b); out y", "proved: exact");
        pair("least as greatest, one sign lost", "in x f32[n,8]; y = ReduceMin(x) axes=[1]; out y",
             "in x f32[n,8]; b = ReduceMax(x) axes=[1]; y = Neg(b); out y", "!proved");
        pair("greater of two",
             "in a u8[n]; in b u8[n]; const s f32[] 0.5; c = DequantizeLinear(a, s); d = DequantizeLinear(b, s); y = Max(c, d); out y",
             "in a u8[n]; in b u8[n]; const s f32[] 0.5; m = Max(a, b); y = DequantizeLinear(m, s); out y", "proved: exact");
        pair("lesser for greater",
             "in a u8[n]; in b u8[n]; const s f32[] 0.5; c = DequantizeLinear(a, s); d = DequantizeLinear(b, s); y = Max(c, d); out y",
             "in a u8[n]; in b u8[n]; const s f32[] 0.5; m = Min(a, b); y = DequantizeLinear(m, s); out y", "!proved");
        pair("read with another sign", "in a u8[n]; in b u8[n]; m = Max(a, b); y = Cast(m) to=3; out y",
             "in a u8[n]; in b u8[n]; c = Cast(a) to=3; d = Cast(b) to=3; y = Max(c, d); out y", "!proved");
        pair("product quantised",
             "in a u8[n,4]; in b i8[4,5]; const s f32[] 0.5; const r f32[] 0.25; const z u8[] 3; const w i8[] 1; c = DequantizeLinear(a, s, z); "
             "d = DequantizeLinear(b, r, w); m = MatMul(c, d); y = QuantizeLinear(m, s, z); out y",
             "in a u8[n,4]; in b i8[4,5]; const s f32[] 0.5; const r f32[] 0.25; const z u8[] 3; const w i8[] 1; y = QLinearMatMul(a, s, z, b, r, w, "
             "s, z); out y",
             "proved: exact");
        pair("product quantised, zero point lost",
             "in a u8[n,4]; in b i8[4,5]; const s f32[] 0.5; const r f32[] 0.25; const z u8[] 3; const w i8[] 1; c = DequantizeLinear(a, s, z); "
             "d = DequantizeLinear(b, r); m = MatMul(c, d); y = QuantizeLinear(m, s, z); out y",
             "in a u8[n,4]; in b i8[4,5]; const s f32[] 0.5; const r f32[] 0.25; const z u8[] 3; const w i8[] 1; y = QLinearMatMul(a, s, z, b, r, w, "
             "s, z); out y",
             "!proved");
    }
    void maxima() { pairs(); }
};

QTEST_APPLESS_MAIN(TestJoins)
#include "tst_joins.moc"
