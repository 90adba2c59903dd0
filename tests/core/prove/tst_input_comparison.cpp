// The user's own tensors through both graphs: which pair of values is the first that no rounding explains.

#include "core/prove/check.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

#include <cmath>
#include <limits>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

Tensor floats(std::vector<std::int64_t> shape, const std::vector<float>& values) {
    return Tensor::of<float>(ElementType::F32, std::move(shape), values);
}

Result<CheckResult> checked(const std::string& reference, const std::string& rewritten, std::vector<std::pair<std::string, Tensor>> inputs) {
    CheckOptions options;
    options.timeSeconds = 20;
    options.userInputs = std::move(inputs);
    return check(parseGraph(reference), parseGraph(rewritten), options);
}

std::string firstOf(const CheckResult& result) {
    if (!result.onInputs || !result.onInputs->first) {
        return "none";
    }
    const ComparedValue& first = result.onInputs->differences[*result.onInputs->first];
    return result.reference->value(first.reference).name + "/" + result.rewritten->value(first.rewritten).name + "@" + std::to_string(first.element);
}

} // namespace

class TestInputComparison : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void theFirstPairBeyondRoundingIsMarked_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("first");
        const auto row = [](const char* name, const char* a, const char* b, const char* first) { QTest::newRow(name) << a << b << first; };
        row("equal", "in x f32[3]; a = Tanh(x); y = Relu(a); out y", "in x f32[3]; a = Tanh(x); y = Relu(a); out y", "none");
        // (x + 1) + 1e-8 against x + (1 + 1e-8) and the like: other bits, the same number.
        row("rounding", "in x f32[3]; const k f32[] 0.1; a = Add(x, k); b = Add(a, k); c = Add(b, k); y = Relu(c); out y",
            "in x f32[3]; const k f32[] 0.1; p = Add(k, k); q = Add(p, k); c = Add(q, x); y = Relu(c); out y", "none");
        row("inner value", "in x f32[3]; a = Tanh(x); b = Neg(a); y = Relu(b); out y", "in x f32[3]; a = Tanh(x); b = Sin(a); y = Relu(b); out y",
            "b/b@2");
        // Both negative: the output does not show it.
        row("what the output hides", "in x f32[3]; a = Abs(x); b = Neg(a); y = Relu(b); out y",
            "in x f32[3]; a = Abs(x); c = Add(a, a); b = Neg(c); y = Relu(b); out y", "b/b@2");
        row("one element", "in x f32[3]; const k f32[3] 1 2 3; b = Mul(x, k); y = Neg(b); out y",
            "in x f32[3]; const k f32[3] 1 2.5 3; b = Mul(x, k); y = Neg(b); out y", "b/b@1");
        row("one against undefined", "in x f32[3]; b = Sqrt(x); y = Neg(b); out y", "in x f32[3]; c = Abs(x); b = Sqrt(c); y = Neg(b); out y",
            "b/b@1");
        row("an integer", "in x f32[3]; b = Cast(x) to=7; y = Neg(b); out y", "in x f32[3]; c = Floor(x); b = Cast(c) to=7; y = Neg(b); out y",
            "b/b@1");
    }
    void theFirstPairBeyondRoundingIsMarked() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QString, first);
        const Result<CheckResult> result = checked(reference.toStdString(), rewritten.toStdString(), {{"x", floats({3}, {0.7F, -1.3F, 2.1F})}});
        QVERIFY2(result, result ? "" : result.error().message.c_str());
        QVERIFY(result->onInputs && result->onInputs->enclosed && result->onInputs->compared > 0);
        QCOMPARE(QString::fromStdString(firstOf(*result)), first);
        if (first == QStringLiteral("none") && result->verdict == Verdict::Proved) {
            QCOMPARE(result->onInputs->differing > 0, result->strength == Strength::Exact);
        }
    }

    void theMarkedElementIsTheGreatestDifference() {
        const Result<CheckResult> result = checked("in x f32[4]; b = Exp(x); y = Neg(b); out y", "in x f32[4]; b = Sin(x); y = Neg(b); out y",
                                                   {{"x", floats({4}, {0.1F, 1.0F, 3.0F, -1.0F})}});
        QVERIFY(result && result->onInputs && result->onInputs->first);
        const ComparedValue& first = result->onInputs->differences[*result->onInputs->first];
        QCOMPARE(first.element, std::int64_t{2});
        QCOMPARE(first.referenceElement->as<float>()[0], std::exp(3.0F));
        QCOMPARE(first.rewrittenElement->as<float>()[0], std::sin(3.0F));
        QVERIFY(first.beyondRounding);
    }

    /// Both runs are kept whole, for whoever wants to look at other values than those that differ most.
    void everyValueOfBothRunsIsKept() {
        const Result<CheckResult> result =
            checked("in x f32[2]; b = Neg(x); y = Abs(b); out y", "in x f32[2]; b = Abs(x); y = Abs(b); out y", {{"x", floats({2}, {1.0F, -2.0F})}});
        QVERIFY(result && result->onInputs && result->onInputs->referenceRun && result->onInputs->rewrittenRun);
        const auto inner = [](const GraphTree& tree, const Evaluation& run) { return run.values[tree.top().findValue("b").index]->toDouble(0); };
        QCOMPARE(inner(*result->reference, *result->onInputs->referenceRun), -1.0);
        QCOMPARE(inner(*result->rewritten, *result->onInputs->rewrittenRun), 1.0);
    }

    void anOverflowOnOneSideIsBeyondRounding() {
        const Result<CheckResult> result =
            checked("in x f32[1]; const k f32[] 1e30; const s f32[] 1e-30; a = Mul(x, s); y = Mul(a, k); out y",
                    "in x f32[1]; const k f32[] 1e30; const s f32[] 1e-30; a = Mul(x, k); y = Mul(a, s); out y", {{"x", floats({1}, {1e20F})}});
        QVERIFY(result && result->onInputs && result->onInputs->first);
        QVERIFY(std::isinf(result->onInputs->differences.back().rewrittenElement->as<float>()[0]));
    }

    void whatIsAcceptedIsTakenOver() {
        CheckOptions options;
        options.userInputs = {{"x", floats({2}, {0.5F, -0.5F})}};
        options.assumedEqual = {{"a", "s"}};
        const Result<CheckResult> result =
            check(parseGraph("in x f32[2]; a = Tanh(x); y = Relu(a); out y"), parseGraph("in x f32[2]; s = Sigmoid(x); y = Relu(s); out y"), options);
        QVERIFY(result && result->onInputs);
        QCOMPARE(result->onInputs->differing, std::size_t{0});
    }

    void tensorsThatDoNotFitAreRefused() {
        const std::string graph = "in x f32[2]; in z f32[2]; y = Add(x, z); out y";
        const auto refused = [&](std::vector<std::pair<std::string, Tensor>> inputs) {
            const Result<CheckResult> result = checked(graph, graph, std::move(inputs));
            return result ? std::string("no error") : std::to_string(exitStatus(result.error().code)) + " " + result.error().message;
        };
        const Tensor two = floats({2}, {1.0F, 2.0F});
        QVERIFY(refused({{"x", two}}).starts_with("64 --input: no tensor for input 'z'"));
        QVERIFY(refused({{"x", two}, {"z", two}, {"w", two}}).starts_with("64 --input w: the reference has no such input; it has x, z"));
        QVERIFY2(refused({{"x", two}, {"z", floats({3}, {1.0F, 2.0F, 3.0F})}}).starts_with("65 --input: "),
                 refused({{"x", two}, {"z", floats({3}, {1.0F, 2.0F, 3.0F})}}).c_str());
        QCOMPARE(refused({{"x", two}, {"z", two}}), std::string("no error"));
    }
};

QTEST_APPLESS_MAIN(TestInputComparison)
#include "tst_input_comparison.moc"
