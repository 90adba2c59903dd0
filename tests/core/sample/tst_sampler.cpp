// Laws under which equal terms agree, wrong twins that are told apart, rounding, symbolic sizes, limits and stopping.
#include "tests/core/graph/graph_text.h"
#include "tests/core/sample/sampled_pair.h"

#include <QtTest/QTest>

#include <chrono>
#include <cmath>
#include <thread>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

SampledPair sampled(const std::string& reference, const std::string& rewritten, const SampleOptions& options = {}) {
    return samplePair(*parseGraph(reference), *parseGraph(rewritten), options);
}

} // namespace

class TestSampler : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void laws_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("agreement");
        const auto row = [](const char* name, const char* a, const char* b, const char* agreement) { QTest::newRow(name) << a << b << agreement; };
        const char* xy = "in x f32[2,3]; in y f32[2,3]; in z f32[2,3]; a = Add(x, y); b = Mul(a, z); out b";
        row("distributive", xy, "in x f32[2,3]; in y f32[2,3]; in z f32[2,3]; p = Mul(x, z); q = Mul(y, z); b = Add(p, q); out b", "equal");
        row("distributive, a twin", xy, "in x f32[2,3]; in y f32[2,3]; in z f32[2,3]; p = Mul(x, z); q = Mul(y, x); b = Add(p, q); out b",
            "different");
        const char* softmax = "in x f32[2,5]; b = Softmax(x) axis=-1; out b";
        row("softmax less its maximum", softmax,
            "in x f32[2,5]; m = ReduceMax(x) axes=[1]; d = Sub(x, m); e = Exp(d); const a i64[1] 1; s = ReduceSum(e, a); b = Div(e, s); out b",
            "equal");
        row("softmax, twice shifted", softmax, "in x f32[2,5]; const c f32[] 3; d = Sub(x, c); f = Add(d, c); b = Softmax(f) axis=-1; out b",
            "equal");
        row("softmax of another scale", softmax, "in x f32[2,5]; const c f32[] 0.5; d = Mul(x, c); b = Softmax(d) axis=-1; out b", "different");
        row("softmax of softmax", "in x f32[2,5]; a = Softmax(x); b = Softmax(a); out b",
            "in x f32[2,5]; const c f32[] 3; d = Sub(x, c); a = Softmax(d); e = Add(a, c); b = Softmax(e); out b", "equal");
        row("sigmoid by tanh", "in x f32[4]; b = Sigmoid(x); out b",
            "in x f32[4]; const h f32[] 0.5; y = Mul(x, h); t = Tanh(y); u = Mul(t, h); b = Add(u, h); out b", "equal");
        row("log of a product of exponentials", "in x f32[4]; in y f32[4]; b = Add(x, y); out b",
            "in x f32[4]; in y f32[4]; e = Exp(x); f = Exp(y); g = Mul(e, f); b = Log(g); out b", "equal");
        row("log of a sum of exponentials", "in x f32[4]; in y f32[4]; b = Add(x, y); out b",
            "in x f32[4]; in y f32[4]; e = Exp(x); f = Exp(y); g = Add(e, f); b = Log(g); out b", "different");
        row("log softmax", "in x f32[2,5]; b = LogSoftmax(x) axis=-1; out b", "in x f32[2,5]; a = Softmax(x) axis=-1; b = Log(a); out b", "equal");
        row("division", "in x f32[4]; in y f32[4]; in z f32[4]; a = Div(x, y); b = Div(a, z); out b",
            "in x f32[4]; in y f32[4]; in z f32[4]; a = Mul(y, z); b = Div(x, a); out b", "equal");
        row("division, a twin", "in x f32[4]; in y f32[4]; in z f32[4]; a = Div(x, y); b = Div(a, z); out b",
            "in x f32[4]; in y f32[4]; in z f32[4]; a = Div(y, z); b = Div(x, a); out b", "different");
        row("sqrt of a product", "in x f32[4]; in y f32[4]; u = Exp(x); v = Exp(y); p = Mul(u, v); b = Sqrt(p); out b",
            "in x f32[4]; in y f32[4]; u = Exp(x); v = Exp(y); p = Sqrt(u); q = Sqrt(v); b = Mul(p, q); out b", "equal");
        row("a square of no square root in the fields", "in x f32[4]; const c f32[] 3; s = Sqrt(c); t = Mul(s, s); b = Mul(x, t); out b",
            "in x f32[4]; const c f32[] -3; b = Mul(x, c); out b", "different");
        row("sqrt of a constant", "in x f32[4]; const c f32[] 64; s = Sqrt(c); b = Div(x, s); out b",
            "in x f32[4]; const c f32[] 0.125; b = Mul(x, c); out b", "equal");
        row("powers", "in x f32[4]; const c f32[] 3; b = Pow(x, c); out b", "in x f32[4]; a = Mul(x, x); b = Mul(a, x); out b", "equal");
        row("max by where", "in x f32[4]; in y f32[4]; b = Max(x, y); out b", "in x f32[4]; in y f32[4]; c = Less(x, y); b = Where(c, y, x); out b",
            "equal");
        row("min for max", "in x f32[4]; in y f32[4]; b = Max(x, y); out b", "in x f32[4]; in y f32[4]; b = Min(x, y); out b", "different");
        row("floor of a whole", "in x f32[4]; a = Floor(x); b = Floor(a); out b",
            "in x f32[4]; b = Ceil(x); const o f32[] 1; c = Sub(b, o); b2 = Identity(c); out b2", "equal");
        row("integers wrap", "in x i8[4]; in y i8[4]; a = Add(x, y); b = Sub(a, y); out b", "in x i8[4]; in y i8[4]; b = Identity(x); out b",
            "equal");
        row("integers do not divide back", "in x i8[8]; const c i8[] 2; a = Mul(x, c); b = Div(a, c); out b", "in x i8[8]; b = Identity(x); out b",
            "different");
        row("odd function", "in x f32[4]; n = Neg(x); e = Erf(n); b = Neg(e); out b", "in x f32[4]; b = Erf(x); out b", "equal");
        row("even is not odd", "in x f32[4]; n = Neg(x); b = Cos(n); out b", "in x f32[4]; c = Cos(x); b = Neg(c); out b", "different");
        row("convolution as matmul", "in x f32[2,3,4,4]; in w f32[5,3,1,1]; b = Conv(x, w); out b",
            "in x f32[2,3,4,4]; in w f32[5,3,1,1]; const s i64[3] 2 3 16; const t i64[2] 5 3; const u i64[4] 2 5 4 4; "
            "y = Reshape(x, s); v = Reshape(w, t); p = MatMul(v, y); b = Reshape(p, u); out b",
            "equal");
        row("third of a third", "in x f32[4]; const c f32[] 3; b = Div(x, c); out b", "in x f32[4]; const c f32[] 0.333333343; b = Mul(x, c); out b",
            "within rounding");
        row("beyond rounding", "in x f32[4]; const c f32[] 3; b = Div(x, c); out b", "in x f32[4]; const c f32[] 0.3333334; b = Mul(x, c); out b",
            "different");
        row("f16 between", "in x f32[4]; b = Identity(x); out b", "in x f32[4]; h = Cast(x) to=10; b = Cast(h) to=1; out b", "different");
        row("wider between", "in x f32[4]; b = Identity(x); out b", "in x f32[4]; h = Cast(x) to=11; b = Cast(h) to=1; out b", "equal");
        row("unknown op on equal operands", "in x f32[2]; y = custom::Foo(x); declare y f32[2]; out y",
            "in x f32[2]; z = Neg(x); w = Neg(z); y = custom::Foo(w); declare y f32[2]; out y", "equal");
        row("unknown op on other operands", "in x f32[2]; y = custom::Foo(x); declare y f32[2]; out y",
            "in x f32[2]; z = Neg(x); y = custom::Foo(z); declare y f32[2]; out y", "unknown");
        row("symbolic mean", "in x f32[n,m]; b = ReduceMean(x) axes=[1]; out b",
            "in x f32[n,m]; s = ReduceSum(x); declare s f32[1,1]; b = ReduceMean(x) axes=[1]; out b", "equal");
        row("symbolic matmul", "in x f32[n,k]; in y f32[k,m]; a = MatMul(x, y); b = Transpose(a); out b",
            "in x f32[n,k]; in y f32[k,m]; u = Transpose(x); v = Transpose(y); b = MatMul(v, u); out b", "equal");
        row("symbolic attention twin", "in x f32[n,k]; in y f32[n,k]; t = Transpose(y); a = MatMul(x, t); b = Softmax(a) axis=-1; out b",
            "in x f32[n,k]; in y f32[n,k]; t = Transpose(y); a = MatMul(x, t); b = Softmax(a) axis=0; out b", "different");
    }
    void laws() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QString, agreement);
        const SampledPair pair = sampled(reference.toStdString(), rewritten.toStdString());
        QVERIFY2(pair.error.empty(), pair.error.c_str());
        QVERIFY2(pair.sampler->samplesKept() >= 3, pair.sampler->trouble().c_str());
        QCOMPARE(QString(nameOf(pair.outputs())), agreement);
    }

    void equalValuesShareASignature() {
        const SampledPair pair =
            sampled("in x f32[2,3]; in y f32[2,3]; a = Add(x, y); b = Mul(a, a); c = Relu(b); out c",
                    "in x f32[2,3]; in y f32[2,3]; p = Mul(x, x); q = Mul(x, y); r = Mul(y, y); s = Add(p, q); t = Add(s, q); b = Add(t, r); "
                    "c = Relu(b); out c");
        QVERIFY2(pair.error.empty(), pair.error.c_str());
        const auto of = [&](bool first, const char* name) {
            const Graph& graph = first ? *pair.pairing.reference : *pair.pairing.rewritten;
            return (first ? pair.reference : pair.rewritten).values[graph.findValue(name).index];
        };
        const Sampler& sampler = *pair.sampler;
        QVERIFY(sampler.signature(of(true, "b")).has_value());
        QVERIFY(sampler.signature(of(true, "b")) == sampler.signature(of(false, "b")));
        QVERIFY(sampler.signature(of(true, "c")) == sampler.signature(of(false, "c")));
        QVERIFY(sampler.signature(of(true, "a")) != sampler.signature(of(false, "t")));
        QCOMPARE(sampler.representative(of(false, "b")), std::optional(sampler.defined(of(true, "b"))));
        QVERIFY(!sampler.signature(TermId(std::size_t{1} << 20U)).has_value());
    }

    void theErrorBoundIsTheDegreeOverThePrime() {
        const SampledPair pair = sampled("in x f32[4]; a = Mul(x, x); b = Mul(a, a); out b", "in x f32[4]; const c f32[] 4; b = Pow(x, c); out b");
        const TermId a = pair.reference.values[pair.pairing.reference->findValue("b").index];
        const TermId b = pair.rewritten.values[pair.pairing.rewritten->findValue("b").index];
        const std::optional<double> bound = pair.sampler->log2ErrorBound(a, b);
        QVERIFY(bound.has_value());
        QVERIFY(*bound > -58.1 && *bound < -57.9); // 4 / 2^60
        QVERIFY(pair.sampler->polynomial(a, b));
        const SampledPair pieces = sampled("in x f32[4]; b = Relu(x); c = Mul(b, b); out c", "in x f32[4]; b = Relu(x); c = Mul(b, b); out c");
        const TermId c = pieces.reference.values[pieces.pairing.reference->findValue("c").index];
        QVERIFY(pieces.sampler->log2ErrorBound(c, c).has_value() && !pieces.sampler->polynomial(c, c));
        const SampledPair hashed = sampled("in x f32[4]; b = Erf(x); out b", "in x f32[4]; n = Neg(x); e = Erf(n); b = Neg(e); out b");
        QVERIFY(!hashed.sampler
                     ->log2ErrorBound(hashed.reference.values[hashed.pairing.reference->findValue("b").index],
                                      hashed.rewritten.values[hashed.pairing.rewritten->findValue("b").index])
                     .has_value());
    }

    void whatReadsARoundedValueMatchesAgain() {
        const SampledPair pair = sampled("in x f32[3,4]; const c f32[] 3; b = Div(x, c); d = Softmax(b) axis=-1; e = Erf(d); out e",
                                         "in x f32[3,4]; const c f32[] 0.333333343; b = Mul(x, c); d = Softmax(b) axis=-1; e = Erf(d); out e");
        const TermId a = pair.reference.values[pair.pairing.reference->findValue("b").index];
        const TermId b = pair.rewritten.values[pair.pairing.rewritten->findValue("b").index];
        const std::vector<std::pair<TermId, TermId>>& partners = pair.sampler->roundedPartners();
        QVERIFY(std::find(partners.begin(), partners.end(), std::pair(pair.sampler->defined(a), pair.sampler->defined(b))) != partners.end());
        QVERIFY(pair.sampler->signature(a) != pair.sampler->signature(b));
        const TermId ea = pair.reference.values[pair.pairing.reference->findValue("e").index];
        const TermId eb = pair.rewritten.values[pair.pairing.rewritten->findValue("e").index];
        QVERIFY(pair.sampler->signature(ea) == pair.sampler->signature(eb));
        QCOMPARE(QString(nameOf(pair.outputs())), QString("within rounding"));
    }

    void decisionsAreCountedByBothWays() {
        const SampledPair pair =
            sampled("in x f32[8]; b = Relu(x); out b", "in x f32[8]; a = Abs(x); b0 = Add(x, a); const h f32[] 0.5; b = Mul(b0, h); out b");
        QCOMPARE(QString(nameOf(pair.outputs())), QString("equal"));
        QVERIFY(pair.sampler->branchDecisions() >= 2);
        QVERIFY(pair.sampler->branchesBothWays() >= 2);
    }

    void theSameSeedGivesTheSameAnswer() {
        const char* text = "in x f32[n,4]; in y f32[4,5]; a = MatMul(x, y); b = Softmax(a) axis=-1; out b";
        const SampledPair first = sampled(text, text);
        const SampledPair second = sampled(text, text);
        SampleOptions other;
        other.seed = 7;
        const SampledPair third = sampled(text, text, other);
        const TermId b = first.reference.values[first.pairing.reference->findValue("b").index];
        QVERIFY(first.sampler->signature(b) == second.sampler->signature(b));
        QVERIFY(first.sampler->signature(b) != third.sampler->signature(b));
    }

    void declaredRangesAreKept() {
        // A table of four rows, its last one different in the two graphs.
        const char* a = "in i i64[16]; const t f32[4] 1 2 3 4; b = Gather(t, i); out b";
        const char* b = "in i i64[16]; const t f32[4] 1 2 3 5; b = Gather(t, i); out b";
        const SampledPair wide = samplePair(*parseGraph(a), *parseGraph(b), {});
        QCOMPARE(QString(nameOf(wide.outputs())), QString("different"));
        const SampledPair narrow = samplePair(*parseGraph(a), *parseGraph(b), {}, {{"i", {0, 2}}});
        QCOMPARE(QString(nameOf(narrow.outputs())), QString("equal"));
    }

    void aLimitEndsInTroubleNotInAnAnswer() {
        const char* a = "in x f32[64,64]; y = MatMul(x, x); z = MatMul(y, y); out z";
        SampleOptions options;
        options.maxWork = 1000;
        const SampledPair work = sampled(a, a, options);
        const TermId z = work.reference.values[work.pairing.reference->findValue("z").index];
        QVERIFY(!work.sampler->signature(z).has_value());
        QVERIFY2(work.sampler->trouble().find("1000 scalar operations") != std::string::npos, work.sampler->trouble().c_str());
        const SampledPair other = sampled(a, "in x f32[64,64]; y = MatMul(x, x); w = MatMul(x, y); z = MatMul(w, x); out z", options);
        QCOMPARE(QString(nameOf(other.outputs())), QString("unknown"));
        options = {};
        options.maxBytes = 1 << 20;
        const SampledPair memory = sampled(a, a, options);
        QVERIFY2(memory.sampler->trouble().find("1 MB") != std::string::npos, memory.sampler->trouble().c_str());
    }

    void lengthsThatDoNotGoTogetherLeadNowhere_data() {
        QTest::addColumn<QString>("graph");
        const auto row = [](const char* name, const char* graph) { QTest::newRow(name) << graph; };
        row("Add", "in x f32[a,3]; in y f32[b,3]; z = Add(x, y); out z");
        row("Where", "in c bool[a]; in x f32[b]; in y f32[1]; z = Where(c, x, y); out z");
        row("MatMul, inner", "in x f32[2,a]; in y f32[b,2]; z = MatMul(x, y); out z");
        row("MatMul, batches", "in x f32[a,2,2]; in y f32[b,2,2]; z = MatMul(x, y); out z");
        row("Concat", "in x f32[2,a]; in y f32[2,b]; z = Concat(x, y) axis=0; out z");
        row("Einsum", "in x f32[2,a]; in y f32[b,2]; z = Einsum(x, y) equation='ij,jk->ik'; out z");
        row("Conv", "in x f32[1,a,5]; in y f32[2,b,3]; z = Conv(x, y) kernel_shape=[3]; out z");
    }
    void lengthsThatDoNotGoTogetherLeadNowhere() {
        // Nobody knows that a is not b; the sizes drawn must not lead outside of an array (seen by the address sanitizer).
        QFETCH(QString, graph);
        for (const auto& [a, b] : {std::pair{2, 7}, std::pair{7, 2}, std::pair{3, 40}}) {
            SampleOptions options;
            options.sizes = {{"a", a}, {"b", b}};
            const SampledPair pair = sampled(graph.toStdString(), graph.toStdString(), options);
            if (!pair.sampler) {
                continue; // refused before
            }
            const auto of = [](const SampledPair& one) {
                return one.sampler->signature(one.reference.values[one.pairing.reference->findValue("z").index]);
            };
            // No value, or one that any function of the operands could have: never what lies behind an array.
            const SampledPair again = sampled(graph.toStdString(), graph.toStdString(), options);
            QVERIFY(of(pair) == of(again));
            if (graph.contains("Add") || graph.contains("Where")) {
                QVERIFY(!of(pair).has_value());
                QVERIFY2(pair.sampler->trouble().find("at the sizes chosen") != std::string::npos, pair.sampler->trouble().c_str());
            }
        }
    }

    void stopsWithinFiftyMilliseconds() {
        const char* a = "in x f32[512,512]; y = MatMul(x, x); z = MatMul(y, y); out z";
        TermStore store;
        TermBuilder builder(store);
        Result<Pairing> pairing = pairGraphs(*parseGraph(a), *parseGraph(a), {}, {});
        const Result<GraphTree> tree = GraphTree::build(pairing->reference);
        const Result<GraphTerms> terms = builder.build(*tree, {store.input(0, pairing->inputs[0].type)});
        Sampler sampler(store, {});
        std::stop_source source;
        std::chrono::steady_clock::time_point start;
        std::jthread stopper([&source, &start] {
            std::this_thread::sleep_for(std::chrono::milliseconds(150));
            start = std::chrono::steady_clock::now();
            source.request_stop();
        });
        const std::vector<TermId> roots{terms->values[pairing->reference->outputs[0].index]};
        sampler.run(roots, source.get_token());
        stopper.join();
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        QVERIFY2(seconds < 0.3, std::to_string(seconds).c_str()); // 50 ms, and what a loaded machine adds
        QVERIFY(!sampler.signature(roots[0]).has_value());
    }
};

QTEST_GUILESS_MAIN(TestSampler)
#include "tst_sampler.moc"
