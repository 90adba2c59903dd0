// Differences that the user accepts: what is proved and refuted then, and which pairs cannot be accepted.

#include "core/eval/evaluator.h"
#include "core/graph/infer.h"
#include "core/prove/check.h"

#include "tests/core/graph/graph_text.h"
#include "tests/core/prove/random_graph.h"

#include <QtTest/QTest>

#include <cmath>

using namespace lemmascope;
using namespace lemmascope::prove_test;
using lemmascope::test::parseGraph;

namespace {

using Pairs = std::vector<std::pair<std::string, std::string>>;

CheckOptions assuming(Pairs pairs) {
    CheckOptions options;
    options.timeSeconds = 20;
    options.assumedEqual = std::move(pairs);
    return options;
}

std::string lineOf(const std::string& reference, const std::string& rewritten, Pairs pairs) {
    const Result<CheckResult> result = check(parseGraph(reference), parseGraph(rewritten), assuming(std::move(pairs)));
    return result ? verdictLine(*result) : "error " + std::to_string(exitStatus(result.error().code)) + ": " + result.error().message;
}

const std::string Tanh = "in x f32[3]; a = Tanh(x); b = Mul(a, x); y = Relu(b); out y";
const std::string Sigmoid = "in x f32[3]; s = Sigmoid(x); t = Mul(s, x); y = Relu(t); out y";
const std::string TwoFolds = "in x f32[3]; a = Tanh(x); b = Mul(a, x); c = Exp(x); y = Add(b, c); out y";
const std::string TwoOthers = "in x f32[3]; s = Sigmoid(x); t = Mul(s, x); u = Softplus(x); y = Add(t, u); out y";

} // namespace

class TestAssumed : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void lines_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QStringList>("pairs");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, const std::string& a, const std::string& b, const QStringList& pairs, const char* line) {
            QTest::newRow(name) << QString::fromStdString(a) << QString::fromStdString(b) << pairs << QString::fromLatin1(line);
        };
        row("without", Tanh, Sigmoid, {}, "refuted: value: ");
        row("accepted", Tanh, Sigmoid, {"a=s"}, "proved: identical (assuming a=s)");
        row("accepted further down", Tanh, Sigmoid, {"b=t"}, "proved: identical (assuming b=t)");
        row("the same twice", Tanh, Sigmoid, {"a=s", "a=s"}, "proved: identical (assuming a=s)");
        row("an output", Tanh, Sigmoid, {"y=y"}, "proved: identical (assuming y=y)");
        row("one of two", TwoFolds, TwoOthers, {"a=s"}, "refuted: value: ");
        row("both", TwoFolds, TwoOthers, {"a=s", "c=u"}, "proved: identical (assuming a=s, c=u)");
        row("one value for two", "in x f32[2]; a = Tanh(x); y = Add(a, a); out y", "in x f32[2]; p = Sigmoid(x); q = Sin(x); y = Add(p, q); out y",
            {"a=p", "a=q"}, "proved: identical (assuming a=p, a=q)");
        row("what else differs is refuted", Tanh, "in x f32[3]; s = Sigmoid(x); t = Add(s, x); y = Relu(t); out y", {"a=s"}, "refuted: value: ");
        row("a value read twice", "in x f32[2]; a = Tanh(x); b = Relu(a); y = Add(a, b); out y",
            "in x f32[2]; s = Sigmoid(x); b = Relu(s); y = Sub(s, b); out y", {"a=s"}, "refuted: value: ");
        row("constants", "in x f32[2]; const w f32[2] 0.5 0.25; y = Mul(x, w); out y", "in x f32[2]; const v f32[2] 0.5 0.3; y = Mul(x, v); out y",
            {"w=v"}, "proved: identical (assuming w=v)");
        row("a constant for a computed value", "in x f32[2]; a = Sin(x); y = Add(x, a); out y",
            "in x f32[2]; const v f32[2] 0.5 0.3; y = Add(x, v); out y", {"a=v"}, "proved: identical (assuming a=v)");
        row("integers", "in i i64[2]; const k i64[2] 3 4; y = Add(i, k); out y", "in i i64[2]; const k i64[2] 5 6; y = Add(i, k); out y", {"k=k"},
            "proved: identical (assuming k=k)");
        row("an open op", "in x f32[2]; a = custom::Foo(x); declare a f32[2]; y = Relu(a); out y",
            "in x f32[2]; a = custom::Bar(x); declare a f32[2]; y = Relu(a); out y", {"a=a"}, "proved: identical (assuming a=a)");
        row("symbolic", "in x f32[n]; a = Tanh(x); y = Relu(a); out y", "in x f32[m]; a = Sigmoid(x); y = Relu(a); out y", {"a=a"},
            "proved: identical (assuming a=a)");
        row("exactly", "in x f32[2]; a = Tanh(x); b = Add(a, x); y = Add(b, x); out y",
            "in x f32[2]; s = Sigmoid(x); b = Add(x, x); y = Add(s, b); out y", {"a=s"}, "proved: exact (assuming a=s)");
        row("an assumption that is needed by nothing", "in x f32[2]; a = Tanh(x); y = Relu(x); out y",
            "in x f32[2]; a = Sigmoid(x); y = Relu(x); out y", {"a=a"}, "proved: identical (assuming a=a)");
        row("a fault behind the accepted value", "in x f32[4]; y = Relu(x); a = Neg(y); out a",
            "in x f32[4]; const i i64[4] 0 1 2 9; z = Gather(x, i); y = Relu(z); a = Neg(y); out a", {"y=y"}, "refuted: out-of-range: ");

        row("unknown in the reference", Tanh, Sigmoid, {"s=s"}, "error 65: --assume-equal s=s: the reference has no value 's'");
        row("unknown, with the one that is meant", "in x f32[2]; hidden = Tanh(x); y = Relu(hidden); out y",
            "in x f32[2]; hidden = Sin(x); y = Relu(hidden); out y", {"hiden=hidden"},
            "error 65: --assume-equal hiden=hidden: the reference has no value 'hiden' (did you mean 'hidden'?)");
        row("unknown in the rewritten graph", Tanh, Sigmoid, {"a=a"}, "error 65: --assume-equal a=a: the rewritten graph has no value 'a'");
        row("another type", "in x f32[2]; a = Tanh(x); c = Cast(a) to=11; y = Cast(c) to=1; out y", "in x f32[2]; a = Sin(x); y = Relu(a); out y",
            {"c=a"}, "error 65: --assume-equal c=a: 'c' is f64[2], but 'a' is f32[2]: ");
        row("another shape", "in x f32[2,3]; a = Transpose(x); y = Relu(a); out y", "in x f32[2,3]; a = Neg(x); y = Relu(a); out y", {"a=a"},
            "error 65: --assume-equal a=a: 'a' is f32[3,2], but 'a' is f32[2,3]: ");
        row("an input", Tanh, Sigmoid, {"a=x"}, "error 65: --assume-equal a=x: 'x' is an input of the rewritten graph");
        row("two values for one", TwoFolds, TwoOthers, {"a=s", "c=s"}, "error 65: --assume-equal c=s: 's' is already assumed equal to 'a'");
        row("in a nested graph", "in x f32[2]; f = fused:{ in p; q = Relu(p); out q }(x); y = Neg(f); out y",
            "in x f32[2]; f = fused:{ in p; q = Sin(p); out q }(x); y = Neg(f); out y", {"q=q"},
            "error 65: --assume-equal q=q: 'q' stands in a nested graph of the reference");
        row("a shape", "in x f32[2,3]; const s i64[2] 3 2; z = Reshape(x, s); y = Relu(z); out y",
            "in x f32[2,3]; const s i64[2] 6 1; z = Reshape(x, s); y = Relu(z); out y", {"s=s"},
            "error 65: --assume-equal s=s: shapes of the rewritten graph are computed from 's'");
        row("a shape by way of floats", "in x f32[4]; const l f32[] 4; const z f32[] 0; const d f32[] 1; r = Range(z, l, d); y = Sin(r); out y",
            "in x f32[4]; const l f32[] 2; const z f32[] 0; const d f32[] 2; r = Range(z, l, d); y = Sin(r); out y", {"l=l"},
            "error 65: --assume-equal l=l: shapes of the rewritten graph are computed from 'l'");
        row("a shape that is the same", "in x f32[2,3]; const s i64[2] 3 2; a = Tanh(x); y = Reshape(a, s); out y",
            "in x f32[2,3]; const s i64[2] 3 2; a = Sin(x); y = Reshape(a, s); out y", {"s=s", "a=a"}, "proved: identical (assuming s=s, a=a)");
    }
    void lines() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QStringList, pairs);
        QFETCH(QString, line);
        Pairs assumed;
        for (const QString& pair : pairs) {
            assumed.emplace_back(pair.section('=', 0, 0).toStdString(), pair.section('=', 1).toStdString());
        }
        const std::string got = lineOf(reference.toStdString(), rewritten.toStdString(), assumed);
        QVERIFY2(QString::fromStdString(got).startsWith(line), got.c_str());
    }

    void aCounterexampleTakesTheAcceptedValueOver() {
        const Result<CheckResult> result =
            check(parseGraph(Tanh), parseGraph("in x f32[3]; s = Sigmoid(x); t = Add(s, x); y = Relu(t); out y"), assuming({{"a", "s"}}));
        QVERIFY(result && result->verdict == Verdict::Refuted && result->counterexample);
        QVERIFY(verdictLine(*result).ends_with(" (assuming a=s)"));
        const Counterexample& found = *result->counterexample;
        const Tensor& x = found.inputs.front().second;
        for (std::int64_t i = 0; i < 3; ++i) {
            // The rewritten graph's answer with the reference's tanh in place of its own sigmoid.
            QCOMPARE(found.rewritten->as<float>()[static_cast<std::size_t>(i)],
                     std::max(0.0F, static_cast<float>(std::tanh(x.as<float>()[static_cast<std::size_t>(i)])) +
                                        x.as<float>()[static_cast<std::size_t>(i)]));
        }
    }

    void whatIsAcceptedIsListed() {
        const Result<CheckResult> result = check(parseGraph(Tanh), parseGraph(Sigmoid), assuming({{"a", "s"}}));
        QVERIFY(result);
        QCOMPARE(result->assumed.size(), std::size_t{1});
        QVERIFY(std::any_of(result->assumptions.begin(), result->assumptions.end(), [](const Remark& remark) {
            return remark.kind == "assumed-equal" && remark.text.find("'s'") != std::string::npos && remark.text.find("'a'") != std::string::npos;
        }));
        // The nodes that compute the two are partners, with the reason.
        const FlatNodeId sigmoid(result->rewritten->top().value(result->rewritten->top().findValue("s")).producer.index);
        const NodeRelation& relation = result->correspondence.rewritten[sigmoid.index];
        QVERIFY(relation.partner.isValid() && relation.reason.find("accepted") != std::string::npos);
    }

    /// By numbers: what is proved under an assumption is so when the rewritten graph is run with the reference's value.
    void provedPairsAgreeWhenTheValueIsTakenOver() {
        Random random(20261201);
        std::size_t proved = 0;
        std::size_t refuted = 0;
        for (int round = 0; round < 1500; ++round) {
            const Sketch sketch = randomSketch(random);
            Sketch other = mutated(random, sketch);
            if (pick(random, 2) == 0) {
                other = mutated(random, other);
            }
            const auto reference = inferTypes(*parseGraph(sketch.text()));
            const auto rewritten = inferTypes(*parseGraph(other.text("r_")));
            if (!reference || !rewritten) {
                continue;
            }
            const std::size_t at = pick(random, sketch.statements.size());
            const std::string mine = sketch.statements[at].result;
            std::string theirs = "r_" + mine;
            if (!(*rewritten)->findValue(theirs).isValid()) {
                theirs = mine; // the output keeps its name
            }
            const Result<CheckResult> result = check(*reference, *rewritten, assuming({{mine, theirs}}));
            if (!result || (result->verdict != Verdict::Proved && result->verdict != Verdict::Refuted)) {
                continue;
            }
            const std::string both = sketch.text() + "\n  against " + other.text("r_") + "\n  " + verdictLine(*result);
            const auto referenceTree = GraphTree::build(*reference);
            const auto rewrittenTree = GraphTree::build(*rewritten);
            for (int sample = 0; sample < 4; ++sample) {
                std::vector<std::optional<Tensor>> inputs;
                if (result->counterexample) {
                    for (const auto& [name, tensor] : result->counterexample->inputs) {
                        inputs.emplace_back(tensor);
                    }
                } else {
                    for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{2, 3}, {3}, {3, 2}}) {
                        Tensor tensor(ElementType::F32, shape);
                        for (float& value : tensor.mutableAs<float>()) {
                            value = std::uniform_real_distribution<float>(-2.0F, 2.0F)(random);
                        }
                        inputs.emplace_back(std::move(tensor));
                    }
                }
                EvaluateOptions options;
                options.arithmetic = Arithmetic::Double;
                const Result<Evaluation> a = evaluate(*referenceTree, inputs, options);
                QVERIFY2(a, both.c_str());
                options.given.emplace(FlatValueId((*rewritten)->findValue(theirs).index), *a->values[(*reference)->findValue(mine).index]);
                const Result<Evaluation> b = evaluate(*rewrittenTree, inputs, options);
                if (!b) {
                    break; // a mutation in what no output reads
                }
                const Tensor& x = *a->values[(*reference)->outputs[0].index];
                const Tensor& y = *b->values[(*rewritten)->outputs[0].index];
                bool differs = x.shape() != y.shape();
                for (std::int64_t i = 0; i < x.count() && !differs; ++i) {
                    const double p = x.toDouble(i);
                    const double q = y.toDouble(i);
                    differs = std::isnan(p) != std::isnan(q) || std::fabs(p - q) > 1e-7 * (1.0 + std::fabs(p) + std::fabs(q));
                }
                if (result->verdict == Verdict::Proved) {
                    QVERIFY2(!differs || std::isnan(x.toDouble(0)), both.c_str());
                } else if (result->kind == RefutationKind::Value) {
                    QVERIFY2(differs, both.c_str());
                    break;
                }
            }
            (result->verdict == Verdict::Proved ? proved : refuted) += 1;
        }
        qInfo("%zu proved, %zu refuted under an assumption", proved, refuted);
        QVERIFY(proved > 200);
        QVERIFY(refuted > 50);
    }
};

QTEST_APPLESS_MAIN(TestAssumed)
#include "tst_assumed.moc"
