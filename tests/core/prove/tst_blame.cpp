// Blame: the node that is wrong comes first, whatever the other nodes are called, fused or moved.

#include "core/prove/check.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

using namespace lemmascope;
using lemmascope::test::parseGraph;

class TestBlame : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void faultyNodeComesFirst_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("first"); // name, `@attribute` where one is to be named
        const auto row = [](const char* name, const char* a, const char* b, const char* first) { QTest::newRow(name) << a << b << first; };
        const char* const chain = "in x f32[2,3,3]; a = Relu(x); t = Transpose(a) perm=[0,2,1]; s = Softmax(t) axis=2; y = Exp(s); out y";
        row("an attribute", chain, "in x f32[2,3,3]; a = Relu(x); t = Transpose(a) perm=[0,2,1]; s = Softmax(t) axis=1; y = Exp(s); out y", "s@axis");
        row("an attribute among defaults that are written out",
            "in x f32[1,1,2,2]; const p i64[8] 0 0 1 1 0 0 0 0; q = Pad(x, p); y = MaxPool(q) kernel_shape=[2,2]; out y",
            "in x f32[1,1,2,2]; y = MaxPool(x) auto_pad=NOTSET ceil_mode=0 kernel_shape=[2,2] pads=[1,1,0,0] storage_order=0; out y", "y@pads");
        row("other names", chain, "in x f32[2,3,3]; p = Relu(x); q = Transpose(p) perm=[0,2,1]; r = Softmax(q) axis=1; v = Exp(r); out v", "r@axis");
        row("a node that gives its operand", chain,
            "in x f32[2,3,3]; p = Relu(x); q = Transpose(p) perm=[0,1,2]; r = Softmax(q) axis=2; v = Exp(r); out v", "q@perm");
        row("a result that another node has", "in x f32[4]; r = Round(x); f = Floor(x); y = Sub(r, f); out y",
            "in x f32[4]; p = Ceil(x); q = Floor(x); v = Sub(p, q); out v", "p");
        row("innocent nodes before it", "in x f32[3]; in z f32[3]; d = Sub(x, z); e = Exp(d); y = Tanh(e); out y",
            "in x f32[3]; in z f32[3]; n = Neg(z); d = Mul(x, n); e = Exp(d); y = Tanh(e); out y", "d");
        row("an operand from elsewhere", "in x f32[3]; a = Exp(x); b = Tanh(x); c = Add(a, b); d = Sigmoid(a); e = Mul(c, d); y = Neg(e); out y",
            "in x f32[3]; a = Exp(x); b = Tanh(x); c = Add(a, b); d = Sigmoid(b); e = Mul(c, d); y = Neg(e); out y", "d");
        row("read by several", "in x f32[3,3]; const w f32[3,3] 1 2 3 4 5 6 7 8 10; m = MatMul(x, w); a = Relu(m); b = Neg(m); y = Sub(a, b); out y",
            "in x f32[3,3]; const w f32[3,3] 1 2 3 4 5 6 7 8 9; p = MatMul(x, w); q = Relu(p); r = Neg(p); v = Sub(q, r); out v", "p");
        row("inside a fused node", "in x f32[3]; a = Exp(x); b = Neg(a); y = Tanh(b); out y",
            "in x f32[3]; a = Exp(x); y = fused:{ in p; q = Abs(p); r = Tanh(q); out r }(a); out y", "y/q");
        row("at an unequal length only",
            "in x f32[n,2,2]; t = Transpose(x) perm=[0,2,1]; r = ReduceSum(t); y = Mul(x, r); z = ReduceMax(t) axes=[2]; out z",
            "in x f32[n,2,2]; t = Transpose(x) perm=[0,2,1]; r = ReduceSum(t); y = Mul(x, r); z = ReduceMax(x) axes=[2]; out z", "z");
    }
    void faultyNodeComesFirst() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QString, first);
        const Result<CheckResult> result = check(parseGraph(reference.toStdString()), parseGraph(rewritten.toStdString()));
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        QCOMPARE(result->verdict, Verdict::Refuted);
        QVERIFY(!result->blame.empty());
        const Blame& blame = result->blame.front();
        QCOMPARE(QString::fromStdString(blame.nodeName + (blame.attribute.empty() ? "" : "@" + blame.attribute)), first);
    }

    void defaultsWrittenOutAreNoDifference() {
        const auto reference =
            parseGraph("in x f32[2,3]; in k f32[2,3]; s = Sub(x, k); m = ReduceMax(s) axes=[1]; t = Softmax(m) axis=0; y = Exp(t); out y");
        const auto rewritten = parseGraph(
            "in x f32[2,3]; in k f32[2,3]; s = Sub(k, x); m = ReduceMax(s) axes=[1] keepdims=1; t = Softmax(m) axis=-2; y = Exp(t); out y");
        const Result<CheckResult> result = check(reference, rewritten);
        QVERIFY(result.has_value() && result->verdict == Verdict::Refuted && !result->blame.empty());
        QCOMPARE(QString::fromStdString(result->blame.front().nodeName), QString("s"));
        for (const Blame& blame : result->blame) {
            QCOMPARE(QString::fromStdString(blame.attribute), QString());
        }
        // Where it means another thing it is named.
        const auto wrong = parseGraph(
            "in x f32[2,3]; in k f32[2,3]; s = Sub(x, k); m = ReduceMax(s) axes=[1] keepdims=1; t = Softmax(m) axis=-1; y = Exp(t); out y");
        const Result<CheckResult> other = check(reference, wrong);
        QVERIFY(other.has_value() && other->verdict == Verdict::Refuted && !other->blame.empty());
        QCOMPARE(QString::fromStdString(other->blame.front().nodeName + "@" + other->blame.front().attribute), QString("t@axis"));
    }

    void equalGraphsBlameNothing() {
        const auto graph = parseGraph("in x f32[3]; a = Exp(x); y = Neg(a); out y");
        const Result<CheckResult> result = check(graph, graph);
        QVERIFY(result.has_value() && result->blame.empty());
    }

    void sameAnswerTwice() {
        const auto reference = parseGraph("in x f32[2,3]; a = Exp(x); b = Tanh(a); y = Neg(b); out y");
        const auto rewritten = parseGraph("in x f32[2,3]; a = Exp(x); b = Sigmoid(a); y = Neg(b); out y");
        const Result<CheckResult> one = check(reference, rewritten);
        const Result<CheckResult> two = check(reference, rewritten);
        QVERIFY(one.has_value() && two.has_value());
        QVERIFY(one->blame == two->blame);
    }
};

QTEST_APPLESS_MAIN(TestBlame)
#include "tst_blame.moc"
