// A-priori bounds of rounding: never exceeded by what the evaluator computes in the declared types, in any order of summation it has, and
// not so large that they say nothing.

#include "core/eval/evaluator.h"
#include "core/graph/infer.h"
#include "core/prove/candidates.h"
#include "core/prove/check.h"
#include "core/prove/error_bound.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

#include <cmath>
#include <random>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

GraphTree treeOf(const std::string& text) {
    const auto typed = inferTypes(*parseGraph(text));
    if (!typed) {
        qFatal("%s: %s", text.c_str(), typed.error().message.c_str());
    }
    return *GraphTree::build(*typed);
}

std::vector<RoundedOutput> bounds(const GraphTree& tree, double low, double high) {
    RoundingRequest request;
    request.tree = &tree;
    for (const ValueId input : tree.top().inputs) {
        const bool floats = isFloat(tree.top().value(input).type.element);
        request.ranges.push_back(floats ? std::optional(Interval{low, high, false}) : std::nullopt);
    }
    return *roundingOf(request, {});
}

/// A graph of `steps` random ops on [2,3] tensors of one type.
std::string randomGraph(std::mt19937& random, const std::string& type, int steps) {
    const auto pick = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const auto constant = [&](const char* shape) {
        static int count = 0;
        const std::string name = "w" + std::to_string(count++);
        std::string text = "const " + name + " " + type + shape;
        const int elements = std::string(shape) == "[3,3]" ? 9 : std::string(shape) == "[3]" ? 3 : 6;
        for (int i = 0; i < elements; ++i) {
            text += " " + std::to_string(static_cast<double>(static_cast<int>(random() % 33) - 16) / 7.0);
        }
        return std::pair(name, text + "; ");
    };
    std::vector<std::string> values{"x", "z"};
    std::string text = "in x " + type + "[2,3]; in z " + type + "[2,3]; in c bool[2,3]; const one " + type + "[] 1; const two " + type + "[] 2; ";
    for (int k = 0; k < steps; ++k) {
        const std::string v = "v" + std::to_string(k);
        const std::string a = values[pick(values.size())];
        const std::string b = values[pick(values.size())];
        switch (pick(26)) {
        case 0: text += v + " = Add(" + a + ", " + b + "); "; break;
        case 1: text += v + " = Sub(" + a + ", " + b + "); "; break;
        case 2: text += v + " = Mul(" + a + ", " + b + "); "; break;
        case 3: text += v + "a = Abs(" + b + "); " + v + "b = Add(" + v + "a, one); " + v + " = Div(" + a + ", " + v + "b); "; break;
        case 4: text += v + " = Relu(" + a + "); "; break;
        case 5: text += v + " = Tanh(" + a + "); "; break;
        case 6: text += v + " = Sigmoid(" + a + "); "; break;
        case 7: text += v + "a = Tanh(" + a + "); " + v + " = Exp(" + v + "a); "; break;
        case 8: text += v + "a = Abs(" + a + "); " + v + "b = Add(" + v + "a, one); " + v + " = Sqrt(" + v + "b); "; break;
        case 9: text += v + "a = Abs(" + a + "); " + v + "b = Add(" + v + "a, one); " + v + " = Log(" + v + "b); "; break;
        case 10: text += v + " = Softmax(" + a + ") axis=" + (pick(2) == 0 ? "1" : "0") + "; "; break;
        case 11: text += v + " = LogSoftmax(" + a + ") axis=1; "; break;
        case 12: text += v + "a = ReduceSum@11(" + a + ") axes=[1] keepdims=1; " + v + " = Mul(" + v + "a, " + b + "); "; break;
        case 13: text += v + "a = ReduceMean(" + a + ") axes=[0] keepdims=1; " + v + " = Sub(" + b + ", " + v + "a); "; break;
        case 14: text += v + "a = ReduceMax(" + a + ") axes=[1] keepdims=1; " + v + " = Sub(" + a + ", " + v + "a); "; break;
        case 15: {
            const auto [name, declared] = constant("[3,3]");
            text += declared + v + " = MatMul(" + a + ", " + name + "); ";
            break;
        }
        case 16: {
            const auto [name, declared] = constant("[3,3]");
            const auto [bias, second] = constant("[3]");
            text += declared + second + v + " = Gemm(" + a + ", " + name + ", " + bias + ") alpha=0.5 beta=-2.0 transB=1; ";
            break;
        }
        case 17: text += v + " = Where(c, " + a + ", " + b + "); "; break;
        case 18: text += v + " = Max(" + a + ", " + b + "); "; break;
        case 19: text += v + " = Pow(" + a + ", two); "; break;
        case 20: {
            const auto [scale, first] = constant("[3]");
            const auto [bias, second] = constant("[3]");
            text += first + second + v + " = LayerNormalization(" + a + ", " + scale + ", " + bias + ") axis=-1 epsilon=0.001; ";
            break;
        }
        case 21: text += v + " = Erf(" + a + "); "; break;
        case 22: text += v + " = Gelu@20(" + a + "); "; break;
        case 23:
            text += v + "a = Concat(" + a + ", " + b + ") axis=0; const " + v + "s i64[1] 1; const " + v + "e i64[1] 3; const " + v + "x i64[1] 0; " +
                    v + " = Slice(" + v + "a, " + v + "s, " + v + "e, " + v + "x); ";
            break;
        case 24: text += v + " = Min(" + a + ", " + b + "); "; break;
        default: text += v + " = LeakyRelu(" + a + ") alpha=0.3; "; break;
        }
        values.push_back(v);
    }
    return text + "out " + values.back();
}

} // namespace

class TestErrorBound : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Over one axis of two: as many results as rows, each with the roundings of a row.
    void reductionsCountWhatTheyTake_data() {
        QTest::addColumn<QString>("op");
        QTest::addColumn<double>("most"); // units in the last place of the largest result, with room
        QTest::newRow("ReduceMean") << "ReduceMean@13(x) axes=[1] keepdims=0" << 8.0;
        QTest::newRow("ReduceSum") << "ReduceSum@11(x) axes=[1] keepdims=0" << 24.0;
        QTest::newRow("ReduceSumSquare") << "ReduceSumSquare@13(x) axes=[1] keepdims=0" << 40.0;
    }
    void reductionsCountWhatTheyTake() {
        QFETCH(QString, op);
        QFETCH(double, most);
        const GraphTree tree = treeOf("in x f32[40,3]; y = " + op.toStdString() + "; out y");
        const RoundedOutput bound = bounds(tree, -1.0, 1.0)[0];
        QVERIFY2(bound.reason.empty(), bound.reason.c_str());
        QCOMPARE(bound.elements.size(), std::size_t{40});
        for (const Inexact& one : bound.elements) {
            QVERIFY2(one.error > 0.0 && one.error <= most * 0x1p-24, std::to_string(one.error * 0x1p24).c_str());
        }
    }

    void neverExceeded_data() {
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("steps");
        for (const char* type : {"f32", "f16"}) {
            for (const int steps : {1, 3, 6, 10}) {
                QTest::addRow("%s %d", type, steps) << type << steps;
            }
        }
    }
    void neverExceeded() {
        QFETCH(QString, type);
        QFETCH(int, steps);
        std::mt19937 random(static_cast<unsigned>(steps * 7 + (type == "f16" ? 1 : 0)));
        int known = 0;
        for (int graph = 0; graph < 120; ++graph) {
            const std::string text = randomGraph(random, type.toStdString(), steps);
            const GraphTree tree = treeOf(text);
            const double high = 0.5 + static_cast<double>(random() % 4);
            const RoundedOutput bound = bounds(tree, -high, high)[0];
            if (!bound.reason.empty()) {
                continue;
            }
            ++known;
            const std::size_t output = tree.top().outputs[0].index;
            for (int sample = 0; sample < 12; ++sample) {
                std::vector<std::optional<Tensor>> inputs;
                for (const ValueId input : tree.top().inputs) {
                    const ElementType element = tree.top().value(input).type.element;
                    Tensor tensor(element, {2, 3});
                    for (std::int64_t i = 0; i < 6; ++i) {
                        const double unit = static_cast<double>(random()) / 4294967296.0;
                        const double ends = sample % 3 == 0 ? (unit < 0.5 ? -1.0 : 1.0) : 2.0 * unit - 1.0;
                        setElement(tensor, i, element == ElementType::Bool ? (unit < 0.5 ? 0.0 : 1.0) : sample == 1 ? 0.1 * unit : high * ends);
                    }
                    inputs.push_back(std::move(tensor));
                }
                EvaluateOptions exact;
                exact.arithmetic = Arithmetic::Double;
                const Result<Evaluation> computed = evaluate(tree, inputs);
                const Result<Evaluation> real = evaluate(tree, inputs, exact);
                QVERIFY(computed.has_value() && real.has_value());
                const Tensor& a = *computed->values[output];
                const Tensor& b = *real->values[output];
                for (std::int64_t i = 0; i < a.count(); ++i) {
                    const Inexact& one = bound.elements[static_cast<std::size_t>(i)];
                    const double slack = 1e-11 * (1.0 + one.largest());
                    QVERIFY2(std::fabs(a.toDouble(i) - b.toDouble(i)) <= one.error + slack,
                             (text + ": " + std::to_string(std::fabs(a.toDouble(i) - b.toDouble(i))) + " > " + std::to_string(one.error)).c_str());
                    QVERIFY2(b.toDouble(i) >= one.real.lo - slack && b.toDouble(i) <= one.real.hi + slack,
                             (text + ": " + std::to_string(b.toDouble(i)) + " outside").c_str());
                }
            }
        }
        QVERIFY2(known >= 40, std::to_string(known).c_str());
    }

    void boundsSaySomething_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<double>("most");
        const auto row = [](const char* name, const char* graph, double most) { QTest::newRow(name) << graph << most; };
        row("MatMul and Add", "in x f32[2,8]; in w f32[8,4]; in b f32[4]; m = MatMul(x, w); y = Add(m, b); out y", 1e-5);
        row("Softmax", "in x f32[2,8]; y = Softmax(x) axis=1; out y", 1e-5);
        row("Softmax written out", "in x f32[2,8]; e = Exp(x); s = ReduceSum@11(e) axes=[1] keepdims=1; y = Div(e, s); out y", 1e-5);
        row("LayerNormalization", "in x f32[2,8]; in g f32[8]; in b f32[8]; y = LayerNormalization(x, g, b); out y", 0.02);
        row("LayerNormalization written out",
            "in x f32[2,8]; in g f32[8]; in b f32[8]; m = ReduceMean(x) axes=[1]; d = Sub(x, m); const two f32[] 2; q = Pow(d, two); "
            "v = ReduceMean(q) axes=[1]; const e f32[] 0.00001; s = Add(v, e); r = Sqrt(s); n = Div(d, r); k = Mul(n, g); y = Add(k, b); out y",
            0.02);
        row("Conv and Relu", "in x f32[1,2,5,5]; in w f32[3,2,3,3]; c = Conv(x, w) pads=[1,1,1,1]; y = Relu(c); out y", 1e-4);
        row("only moved", "in x f32[2,3]; t = Transpose(x); y = Reshape(t, s); const s i64[1] 6; out y", 0.0);
        row("nothing to round", "in x f32[2,3]; a = Abs(x); m = Max(a, x); y = Relu(m); out y", 0.0);
    }
    void boundsSaySomething() {
        QFETCH(QString, graph);
        QFETCH(double, most);
        std::string text = graph.toStdString();
        if (const auto at = text.find("const s i64[1] 6; "); at != std::string::npos) {
            text = "const s i64[1] 6; " + text.erase(at, 18);
        }
        const GraphTree tree = treeOf(text);
        const RoundedOutput bound = bounds(tree, -1.0, 1.0)[0];
        QCOMPARE(QString::fromStdString(bound.reason), QString());
        QVERIFY(!bound.elements.empty());
        for (const Inexact& one : bound.elements) {
            QVERIFY2(one.error <= most, std::to_string(one.error).c_str());
            QVERIFY(most == 0.0 || one.error > 0.0);
        }
    }

    void reasonsAreTold_data() {
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const char* graph, const char* reason) { QTest::newRow(name) << graph << reason; };
        row("a divisor through 0", "in x f32[2]; in z f32[2]; y = Div(x, z); out y", "has no bound");
        row("a comparison of rounded values", "in x f32[2]; in z f32[2]; a = Add(x, z); c = Less(a, x); y = Where(c, x, z); out y", "may jump");
        row("a symbolic length", "in x f32[n]; y = Exp(x); out y", "are not fixed");
        row("an op without a rule", "in x f32[2]; y = custom::Foo(x); declare y f32[2]; out y", "no rule for custom.Foo");
        row("overflow", "in x f16[2]; const big f16[] 60000; y = Mul(x, big); z = Add(y, y); out z", "has no bound");
    }
    void reasonsAreTold() {
        QFETCH(QString, graph);
        QFETCH(QString, reason);
        const RoundedOutput bound = bounds(treeOf(graph.toStdString()), -1.0, 1.0)[0];
        QVERIFY2(bound.reason.find(reason.toStdString()) != std::string::npos, bound.reason.c_str());
    }

    void ofTwoGraphs_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<double>("most"); // 0: none
        const auto row = [](const char* name, const char* a, const char* b, double most) { QTest::newRow(name) << a << b << most; };
        row("MatMul and Add as Gemm", "in x f32[2,8]; in w f32[8,4]; in b f32[4]; m = MatMul(x, w); y = Add(m, b); out y",
            "in x f32[2,8]; in w f32[8,4]; in b f32[4]; y = Gemm(x, w, b); out y", 2e-5);
        row("sums in another order", "in x f32[4]; in w f32[4]; in b f32[4]; m = Add(x, w); y = Add(m, b); out y",
            "in x f32[4]; in w f32[4]; in b f32[4]; m = Add(w, b); y = Add(x, m); out y", 1e-6);
        row("a rounded constant", "in x f32[4]; in w f32[4]; in b f32[4]; const c f32[4] 3 7 5 9; y = Div(x, c); out y",
            "in x f32[4]; in w f32[4]; in b f32[4]; const c f32[4] 0.33333334 0.14285715 0.2 0.11111111; y = Mul(x, c); out y", 2e-7);
    }
    void ofTwoGraphs() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(double, most);
        CheckOptions options;
        const auto a = parseGraph(reference.toStdString());
        const auto b = parseGraph(rewritten.toStdString());
        const Result<CheckResult> without = check(a, b, options);
        QVERIFY2(without.has_value() && !without->differenceBound && without->noBoundReason.find("--inputs-range x=lo:hi") != std::string::npos,
                 without ? without->noBoundReason.c_str() : "");
        for (const char* name : {"x", "w", "b"}) {
            options.inputRanges[name] = {-1, 1};
        }
        const Result<CheckResult> result = check(a, b, options);
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        QCOMPARE(result->verdict, Verdict::Proved);
        QVERIFY2(result->differenceBound.has_value(), result->noBoundReason.c_str());
        QVERIFY2(*result->differenceBound > 0.0 && *result->differenceBound <= most, std::to_string(*result->differenceBound).c_str());
        // On inputs in their ranges no element differs by more.
        const GraphTree first = *GraphTree::build(result->reference->topShared());
        const GraphTree second = *GraphTree::build(result->rewritten->topShared());
        std::mt19937 random(5);
        for (int sample = 0; sample < 200; ++sample) {
            std::vector<std::optional<Tensor>> inputs;
            for (const ValueId input : first.top().inputs) {
                Tensor tensor(ElementType::F32, *staticShape(*first.top().value(input).type.shape));
                for (std::int64_t i = 0; i < tensor.count(); ++i) {
                    setElement(tensor, i, static_cast<double>(random()) / 2147483648.0 - 1.0);
                }
                inputs.push_back(std::move(tensor));
            }
            const Result<Evaluation> one = evaluate(first, inputs);
            const Result<Evaluation> two = evaluate(second, inputs);
            const Tensor& u = *one->values[first.top().outputs[0].index];
            const Tensor& v = *two->values[second.top().outputs[0].index];
            for (std::int64_t i = 0; i < u.count(); ++i) {
                QVERIFY(std::fabs(u.toDouble(i) - v.toDouble(i)) <= *result->differenceBound);
            }
        }
    }

    void floatRangesHoldForCounterexamples() {
        // Equal over [0, 3] only: nothing outside counts, and what differs inside is still found.
        CheckOptions options;
        options.inputRanges["x"] = {0, 3};
        const auto absolute = parseGraph("in x f32[3]; y = Abs(x); out y");
        const Result<CheckResult> same = check(absolute, parseGraph("in x f32[3]; y = Identity(x); out y"), options);
        QVERIFY(same.has_value() && same->verdict != Verdict::Refuted);
        const Result<CheckResult> other = check(absolute, parseGraph("in x f32[3]; y = Neg(x); out y"), options);
        QVERIFY(other.has_value() && other->verdict == Verdict::Refuted);
        const Tensor& shown = other->counterexample->inputs[0].second;
        for (std::int64_t i = 0; i < shown.count(); ++i) {
            QVERIFY(shown.toDouble(i) >= 0.0 && shown.toDouble(i) <= 3.0);
        }
    }
};

QTEST_APPLESS_MAIN(TestErrorBound)
#include "tst_error_bound.moc"
