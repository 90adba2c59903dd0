// Contractions in normal form at every size, rounded constants, and the wrong twin of each law.

#include "core/prove/check.h"

#include "tests/core/prove/verdict_rows.h"

#include <QtTest/QTest>

using namespace lemmascope;
using namespace lemmascope::test;

class TestSweep : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void contractions_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, const char* a, const char* b, const char* line) { QTest::newRow(name) << a << b << line; };
        const char* product = "in x f32[n,k]; in w f32[k,m]; in v f32[m,p]; a = MatMul(x, w); y = MatMul(a, v); out y";
        row("reassociated", product, "in x f32[n,k]; in w f32[k,m]; in v f32[m,p]; a = MatMul(w, v); y = MatMul(x, a); out y", "proved: exact");
        row("reassociated wrongly", "in x f32[n,n]; in w f32[n,n]; in v f32[n,n]; a = MatMul(x, w); y = MatMul(a, v); out y",
            "in x f32[n,n]; in w f32[n,n]; in v f32[n,n]; a = MatMul(v, w); y = MatMul(x, a); out y", "!proved");
        row("transposed product", "in x f32[n,k]; in w f32[k,m]; a = MatMul(x, w); y = Transpose(a); out y",
            "in x f32[n,k]; in w f32[k,m]; s = Transpose(x); t = Transpose(w); y = MatMul(t, s); out y", "proved: exact");
        row("transposed, operands kept", "in x f32[n,n]; in w f32[n,n]; a = MatMul(x, w); y = Transpose(a); out y",
            "in x f32[n,n]; in w f32[n,n]; s = Transpose(x); t = Transpose(w); y = MatMul(s, t); out y", "!proved");
        row("distributed", "in x f32[n,k]; in z f32[n,k]; in w f32[k,m]; s = Add(x, z); y = MatMul(s, w); out y",
            "in x f32[n,k]; in z f32[n,k]; in w f32[k,m]; a = MatMul(x, w); b = MatMul(z, w); y = Add(a, b); out y", "proved: exact");
        row("distributed, a sign lost", "in x f32[n,k]; in z f32[n,k]; in w f32[k,m]; s = Sub(x, z); y = MatMul(s, w); out y",
            "in x f32[n,k]; in z f32[n,k]; in w f32[k,m]; a = MatMul(x, w); b = MatMul(z, w); y = Add(a, b); out y", "!proved");
        row("scaled rows", "in x f32[n,k]; in w f32[k,m]; in s f32[m]; a = MatMul(x, w); y = Mul(a, s); out y",
            "in x f32[n,k]; in w f32[k,m]; in s f32[m]; v = Mul(w, s); y = MatMul(x, v); out y", "proved: exact");
        row("scaled columns instead", "in x f32[n,n]; in w f32[n,n]; in s f32[n]; a = MatMul(x, w); y = Mul(a, s); out y",
            "in x f32[n,n]; in w f32[n,n]; in s f32[n]; z = Mul(x, s); y = MatMul(z, w); out y", "!proved");
        row("weights joined", "in x f32[n,8]; in w f32[8,4]; in v f32[8,6]; a = MatMul(x, w); b = MatMul(x, v); y = Concat(a, b) axis=1; out y",
            "in x f32[n,8]; in w f32[8,4]; in v f32[8,6]; c = Concat(w, v) axis=1; y = MatMul(x, c); out y", "proved: exact");
        row("weights joined the other way",
            "in x f32[n,8]; in w f32[8,4]; in v f32[8,4]; a = MatMul(x, w); b = MatMul(x, v); y = Concat(a, b) axis=1; out y",
            "in x f32[n,8]; in w f32[8,4]; in v f32[8,4]; c = Concat(v, w) axis=1; y = MatMul(x, c); out y", "!proved");
        row("sum split where joins meet",
            "in x f32[n,4]; in z f32[n,6]; in w f32[4,m]; in v f32[6,m]; a = MatMul(x, w); b = MatMul(z, v); y = Add(a, b); out y",
            "in x f32[n,4]; in z f32[n,6]; in w f32[4,m]; in v f32[6,m]; s = Concat(x, z) axis=1; t = Concat(w, v) axis=0; y = MatMul(s, t); out y",
            "proved: exact");
        row("joined operands in another order",
            "in x f32[n,4]; in z f32[n,4]; in w f32[4,m]; in v f32[4,m]; a = MatMul(x, w); b = MatMul(z, v); y = Add(a, b); out y",
            "in x f32[n,4]; in z f32[n,4]; in w f32[4,m]; in v f32[4,m]; s = Concat(x, z) axis=1; t = Concat(v, w) axis=0; y = MatMul(s, t); out y",
            "!proved");
        row("einsum", "in x f32[n,k]; in w f32[k,m]; y = MatMul(x, w); out y",
            "in x f32[n,k]; in w f32[k,m]; y = Einsum(x, w) equation=ik,kj->ij; out y", "proved: exact");
        row("einsum of the transposed", "in x f32[n,n]; in w f32[n,n]; y = MatMul(x, w); out y",
            "in x f32[n,n]; in w f32[n,n]; y = Einsum(x, w) equation=ki,kj->ij; out y", "!proved");
        row("pointwise convolution", "in x f32[b,4,h]; in w f32[6,4,1]; y = Conv(x, w); out y",
            "in x f32[b,4,h]; in w f32[6,4,1]; const s i64[2] 6 4; v = Reshape(w, s); y = MatMul(v, x); out y", "proved: exact");
        row("squares of another axis", "in x f32[n,n]; q = Mul(x, x); y = ReduceSum@11(q) axes=[0] keepdims=0; out y",
            "in x f32[n,n]; q = Mul(x, x); y = ReduceSum@11(q) axes=[1] keepdims=0; out y", "!proved");
    }
    void contractions() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QString, line);
        const Result<CheckResult> result = checked(reference.toStdString(), rewritten.toStdString());
        QVERIFY2(result, result ? "" : result.error().message.c_str());
        const QString got = QString::fromStdString(verdictLine(*result));
        QVERIFY2(hasLine(got, line), qPrintable(got));
    }

    void constants_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, const char* a, const char* b, const char* line) { QTest::newRow(name) << a << b << line; };
        const char* third = "in x f32[n]; const c f32[] 3; y = Div(x, c); out y";
        row("a rounded third", third, "in x f32[n]; const c f32[] 0.33333334; y = Mul(x, c); out y", "proved: rounded");
        row("a third of six digits", third, "in x f32[n]; const c f32[] 0.333333; y = Mul(x, c); out y", "!proved");
        row("a quarter is exact", "in x f32[n]; const c f32[] 4; y = Div(x, c); out y", "in x f32[n]; const c f32[] 0.25; y = Mul(x, c); out y",
            "proved: exact");
        const char* folded = "in x f32[n,2]; const w f32[2,2] 0.1 0.2 0.3 0.7; const s f32[2] 0.3 1.7; a = MatMul(x, w); y = Mul(a, s); out y";
        row("weights folded", folded, "in x f32[n,2]; const w f32[2,2] 0.030000001 0.34 0.090000004 1.1899999; y = MatMul(x, w); out y",
            "proved: rounded");
        row("weights folded along the other axis", folded,
            "in x f32[n,2]; const w f32[2,2] 0.030000001 0.060000002 0.51 1.1899999; y = MatMul(x, w); out y", "!proved");
        row("one weight stale", folded, "in x f32[n,2]; const w f32[2,2] 0.030000001 0.34 0.090000004 1.1899; y = MatMul(x, w); out y", "!proved");
        row("inside a maximum", "in x f32[n]; const c f32[] 3; d = Div(x, c); y = Relu(d); out y",
            "in x f32[n]; const c f32[] 0.33333334; d = Mul(x, c); y = Relu(d); out y", "proved: rounded");
        row("inside an exponential", "in x f32[n]; const c f32[] 3; d = Div(x, c); y = Exp(d); out y",
            "in x f32[n]; const c f32[] 0.33333334; d = Mul(x, c); y = Exp(d); out y", "proved: rounded");
        row("inside an exponential, too far off", "in x f32[n]; const c f32[] 3; d = Div(x, c); y = Exp(d); out y",
            "in x f32[n]; const c f32[] 0.3334; d = Mul(x, c); y = Exp(d); out y", "!proved");
        row("an integer is never rounded", "in x i32[n]; const c i32[] 1000000; y = Mul(x, c); out y",
            "in x i32[n]; const c i32[] 1000001; y = Mul(x, c); out y", "!proved");
    }
    void constants() { contractions(); }

    /// A mean over no elements is undefined, a sum is 0: lengths that may be 0 must not be taken to be at least 1.
    void emptyLengths_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, const char* a, const char* b, const char* line) { QTest::newRow(name) << a << b << line; };
        const char* mean = "symbol n 0 4; in x f32[n,2]; z = Sub(x, x); y = ReduceMean@11(z) axes=[0] keepdims=0; out y";
        row("itself", mean, mean, "proved: identical");
        row("declared from 0", mean, "symbol n 0 4; in x f32[n,2]; z = Sub(x, x); y = ReduceSum@11(z) axes=[0] keepdims=0; out y", "!proved");
        row("from 1 both are 0", "in x f32[n,2]; z = Sub(x, x); y = ReduceMean@11(z) axes=[0] keepdims=0; out y",
            "in x f32[n,2]; z = Sub(x, x); y = ReduceSum@11(z) axes=[0] keepdims=0; out y", "proved: exact");
        row("half of a length that may be 1",
            "in x f32[1,1,w]; p = MaxPool(x) kernel_shape=[2] strides=[2]; z = Sub(p, p); y = ReduceMean@11(z) axes=[2]; out y",
            "in x f32[1,1,w]; p = MaxPool(x) kernel_shape=[2] strides=[2]; z = Sub(p, p); y = ReduceSum@11(z) axes=[2]; out y", "!proved");
        row("one size of many", mean, "in x f32[4,2]; z = Sub(x, x); y = ReduceMean@11(z) axes=[0] keepdims=0; out y", "undecided");
        row("fewer sizes", mean, "symbol n 1 4; in x f32[n,2]; z = Sub(x, x); y = ReduceMean@11(z) axes=[0] keepdims=0; out y",
            "refuted: out-of-range");
        // The largest of nothing is infinite.
        const char* largest = "symbol n 0 4; in x f32[n,2]; r = Relu(x); q = ReduceMax@11(r) axes=[0] keepdims=0; y = Identity(q); out y";
        row("magnitude of the largest of none", largest,
            "symbol n 0 4; in x f32[n,2]; r = Relu(x); q = ReduceMax@11(r) axes=[0] keepdims=0; y = Abs(q); out y", "!proved");
        row("magnitude of the largest of some", "in x f32[n,2]; r = Relu(x); q = ReduceMax@11(r) axes=[0] keepdims=0; y = Identity(q); out y",
            "in x f32[n,2]; r = Relu(x); q = ReduceMax@11(r) axes=[0] keepdims=0; y = Abs(q); out y", "proved: exact");
        row("the largest of none less itself", "symbol n 0 4; in x f32[n,2]; q = ReduceMax@11(x) axes=[0] keepdims=0; y = Sub(q, q); out y",
            "symbol n 0 4; in x f32[n,2]; q = ReduceSum@11(x) axes=[0] keepdims=0; y = Sub(q, q); out y", "!proved");
        row("more sizes", "symbol n 1 4; in x f32[n,2]; y = Relu(x); out y", "symbol n 0 4; in x f32[n,2]; y = Relu(x); out y", "proved: identical");
    }
    void emptyLengths() { contractions(); }

    void roundedConstantsAreNamed() {
        const Result<CheckResult> result = checked("in x f32[n,2]; const w f32[2,2] 0.1 0.2 0.3 0.7; const s f32[2] 0.3 1.7; a = MatMul(x, w); "
                                                   "y = Mul(a, s); out y",
                                                   "in x f32[n,2]; const v f32[2,2] 0.030000001 0.34 0.090000004 1.1899999; y = MatMul(x, v); out y");
        QVERIFY(result);
        QCOMPARE(result->strength, std::optional(Strength::Rounded));
        QCOMPARE(result->constants.size(), std::size_t{1});
        const ConstantError& error = result->constants.front();
        QCOMPARE(error.name, std::string("v"));
        QVERIFY(error.ulp > 0.0 && error.relative > 0.0 && error.relative <= error.allowed);
    }

    void subnormalConstantsAreRoundedByTheirOwnStep() {
        const std::string folded =
            "in x f32[n,2]; const w f32[2,2] 1e-20 0.2 0.3 0.7; const s f32[2] 3e-20 1.7; a = MatMul(x, w); y = Mul(a, s); out y";
        const auto by = [](const char* product) {
            return std::string("in x f32[n,2]; const v f32[2,2] ") + product + " 0.34 0.9e-20 1.1899999; y = MatMul(x, v); out y";
        };
        const Result<CheckResult> rounded = checked(folded, by("3e-40"));
        QVERIFY(rounded);
        QCOMPARE(rounded->strength, std::optional(Strength::Rounded));
        const Result<CheckResult> wrong = checked(folded, by("3.1e-40"));
        QVERIFY(wrong);
        QVERIFY(wrong->verdict != Verdict::Proved);
    }
};

QTEST_APPLESS_MAIN(TestSweep)
#include "tst_sweep.moc"
