// The condition under which a refuted rewrite would be right: found where there is one, and never one that does not suffice.

#include "core/prove/check.h"
#include "core/worker/worker_pool.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

using namespace lemmascope;
using lemmascope::test::parseGraph;

class TestCondition : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void conditionIsFound_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("condition");
        const auto row = [](const char* name, const char* a, const char* b, const char* text) { QTest::newRow(name) << a << b << text; };
        row("a scale through Relu", "in x f32[2,3]; in s f32[3]; a = Relu(x); y = Mul(a, s); out y",
            "in x f32[2,3]; in s f32[3]; a = Mul(x, s); y = Relu(a); out y", "every element of s is >= 0");
        row("a scale through Relu at every size", "in x f32[n,m]; in s f32[m]; a = Relu(x); y = Mul(a, s); out y",
            "in x f32[n,m]; in s f32[m]; a = Mul(x, s); y = Relu(a); out y", "every element of s is >= 0");
        row("a constant scale", "in x f32[2]; const s f32[2] 2 -1; a = Relu(x); y = Mul(a, s); out y",
            "in x f32[2]; const s f32[2] 2 -1; a = Mul(x, s); y = Relu(a); out y", "every element of s is >= 0");
        row("a root of a square", "in x f32[4]; q = Mul(x, x); y = Sqrt(q); out y", "in x f32[4]; y = Identity(x); out y",
            "every element of x is >= 0");
        row("an inner value", "in x f32[4]; t = Sin(x); q = Mul(t, t); y = Sqrt(q); out y", "in x f32[4]; t = Sin(x); y = Identity(t); out y",
            "every element of t is >= 0");
        row("x / x", "in x f32[2]; in z f32[2]; d = Div(x, x); y = Add(d, z); out y",
            "in x f32[2]; in z f32[2]; const one f32[] 1; y = Add(z, one); out y", "no element of x is 0");
        row("bounds in order", "in x f32[3]; in lo f32[]; in hi f32[]; a = Max(x, lo); y = Min(a, hi); out y",
            "in x f32[3]; in lo f32[]; in hi f32[]; a = Min(x, hi); y = Max(a, lo); out y", "lo <= hi");
        row("a bias below a Transpose", "in x f32[3,3]; in b f32[3]; a = Add(x, b); y = Transpose(a); out y",
            "in x f32[3,3]; in b f32[3]; t = Transpose(x); y = Add(t, b); out y", "all elements of b are equal");
        row("a permutation lost", "in x f32[3,3]; t = Transpose(x) perm=[0,1]; y = Relu(t); out y",
            "in x f32[3,3]; t = Transpose(x) perm=[1,0]; y = Relu(t); out y", "perm = [1,0] at Transpose 't' of the reference");
        row("taken for transposed", "in x f32[2,2]; in w f32[2,2]; t = Transpose(x) perm=[0,1]; y = MatMul(t, w); out y",
            "in x f32[2,2]; in w f32[2,2]; y = Gemm(x, w) transA=1; out y", "perm = [1,0] at Transpose 't' of the reference");
        row("keepdims", "in x f32[3,3]; m = ReduceMean(x) axes=[1] keepdims=0; y = Sub(x, m); out y",
            "in x f32[3,3]; m = ReduceMean(x) axes=[1] keepdims=1; y = Sub(x, m); out y", "keepdims = 1 at ReduceMean 'm' of the reference");
        row("keepdims of two nodes",
            "in x f32[3,3]; m = ReduceMean(x) axes=[1] keepdims=0; d = Sub(x, m); q = Mul(d, d); v = ReduceMean(q) axes=[1] keepdims=0; y = Add(d, "
            "v); out y",
            "in x f32[3,3]; m = ReduceMean(x) axes=[1]; d = Sub(x, m); q = Mul(d, d); v = ReduceMean(q) axes=[1]; y = Add(d, v); out y",
            "keepdims = 1 at each ReduceMean of the reference");
        row("equal lengths", "in x f32[n,m]; s = Shape(x); const i i64[] 0; k = Gather(s, i); f = Cast(k) to=1; y = Mul(x, f); out y",
            "in x f32[n,m]; s = Shape(x); const i i64[] 1; k = Gather(s, i); f = Cast(k) to=1; y = Mul(x, f); out y", "m = n");
        row("a length of 1", "in x f32[n,m]; y = ReduceSum@11(x) axes=[0] keepdims=1; out y", "in x f32[n,m]; y = Identity(x); out y", "n = 1");
        row("no wrap", "in a i32[2]; const two i32[] 2; p = Mul(a, two); y = Div(p, two); out y", "in a i32[2]; y = Identity(a); out y",
            "every element of a is from -2^30 to 2^30-1");
        row("an index", "in x f32[4,2]; in i i64[1]; const z f32[1] 0; t = Cast(i) to=1; y = Add(t, z); out y",
            "in x f32[4,2]; in i i64[1]; const z f32[1] 0; g = Gather(x, i); t = Cast(i) to=1; y = Add(t, z); out y",
            "every element of i is from -4 to 3");
        row("a bias lost", "in x f32[2,3]; in w f32[3,2]; in b f32[2]; m = MatMul(x, w); y = Add(m, b); out y",
            "in x f32[2,3]; in w f32[3,2]; in b f32[2]; y = MatMul(x, w); out y", "every element of b is 0");
        row("a number", "in x f32[3]; const c f32[] 3; y = Mul(x, c); out y", "in x f32[3]; const d f32[] 2; y = Mul(x, d); out y",
            "c = 2 at Mul 'y' of the reference");
        row("an activation's numbers", "in x f32[2]; y = Elu(x) alpha=2.0; out y", "in x f32[2]; y = Elu(x) alpha=0.5; out y",
            "every element of x is >= 0");
        // What only looks like one: it does not suffice, holds for no input, or leaves nothing to compare.
        row("only one of two", "in x f32[2]; in s f32[2]; in t f32[2]; a = Relu(x); b = Mul(a, s); y = Mul(b, t); out y",
            "in x f32[2]; in s f32[2]; in t f32[2]; b = Mul(x, s); c = Mul(b, t); y = Relu(c); out y", "every element of s and t is >= 0");
        row("never so", "in x f32[2]; e = Exp(x); q = Mul(e, e); r = Sqrt(q); y = Add(r, e); out y", "in x f32[2]; e = Exp(x); y = Sub(e, e); out y",
            "");
        row("nothing left", "in x f32[2]; y = Identity(x); out y", "in x f32[2]; y = Neg(x); out y", "");
        row("another function", "in x f32[2]; y = Sin(x); out y", "in x f32[2]; y = Cos(x); out y", "");
    }
    void conditionIsFound() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QString, condition);
        const Result<CheckResult> result = check(parseGraph(reference.toStdString()), parseGraph(rewritten.toStdString()), {}, services());
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        QCOMPARE(result->verdict, Verdict::Refuted);
        QCOMPARE(QString::fromStdString(result->condition.value_or("")), condition);
    }

    // What is said must hold: the pair is run on inputs that satisfy it, and that break it in one element.
    void conditionIsNeededAndSuffices() {
        const auto reference = parseGraph("in x f32[3]; in lo f32[3]; in hi f32[3]; a = Max(x, lo); y = Min(a, hi); out y");
        const auto rewritten = parseGraph("in x f32[3]; in lo f32[3]; in hi f32[3]; a = Min(x, hi); y = Max(a, lo); out y");
        const Result<CheckResult> result = check(reference, rewritten, {}, services());
        QVERIFY(result.has_value() && result->condition.has_value());
        QCOMPARE(QString::fromStdString(*result->condition), QString("every element of lo is <= that of hi"));
        const Result<GraphTree> first = GraphTree::build(reference);
        const Result<GraphTree> second = GraphTree::build(rewritten);
        const Tensor x = Tensor::of<float>(ElementType::F32, {3}, {0, 5, -5});
        const Tensor low = Tensor::of<float>(ElementType::F32, {3}, {1, 1, 1});
        for (const float high : {2.0F, 0.0F}) {
            const Tensor above = Tensor::of<float>(ElementType::F32, {3}, {2, high, 2});
            const Result<Evaluation> one = evaluate(*first, {x, low, above});
            const Result<Evaluation> two = evaluate(*second, {x, low, above});
            QVERIFY(one.has_value() && two.has_value());
            QCOMPARE(one->values[reference->outputs[0].index]->sameBits(*two->values[rewritten->outputs[0].index]), high >= 1.0F);
        }
    }

    void neverBesideAnotherVerdict() {
        const auto graph = parseGraph("in x f32[2]; y = Relu(x); out y");
        const Result<CheckResult> result = check(graph, graph, {}, services());
        QVERIFY(result.has_value() && !result->condition);
    }

    void canBeTurnedOff() {
        CheckOptions options;
        options.findCondition = false;
        const Result<CheckResult> result = check(parseGraph("in x f32[2]; q = Mul(x, x); y = Sqrt(q); out y"),
                                                 parseGraph("in x f32[2]; y = Identity(x); out y"), options, services());
        QVERIFY(result.has_value() && result->verdict == Verdict::Refuted && !result->condition);
    }

  private:
    WorkerPool m_pool{{.executable = LEMMASCOPE_BIN_DIR "/lemmascope-cli", .workers = 1}};
    [[nodiscard]] CheckServices services() {
        CheckServices out;
        out.solver = &m_pool;
        return out;
    }
};

QTEST_APPLESS_MAIN(TestCondition)
#include "tst_condition.moc"
