// Shrinking: few elements, simple values, small sizes; never a candidate that does not differ.

#include "core/prove/candidates.h"
#include "core/prove/check.h"
#include "core/prove/shrink.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

using namespace lemmascope;
using lemmascope::test::parseGraph;
using lemmascope::test::parseType;

namespace {

std::size_t nonZero(const Candidate& candidate) {
    std::size_t count = 0;
    for (const Tensor& tensor : candidate.inputs) {
        for (std::int64_t i = 0; i < tensor.count(); ++i) {
            count += tensor.toDouble(i) != 0.0 ? 1 : 0;
        }
    }
    return count;
}

SearchProblem problemOf(const std::string& type, std::map<std::string, IntegerRange> symbols = {}, std::optional<IntegerRange> range = {}) {
    SearchProblem problem;
    problem.inputs.push_back({"x", 0, 0, parseType(type), range});
    problem.symbols = std::move(symbols);
    return problem;
}

Candidate filled(const SearchProblem& problem, const std::map<std::string, std::int64_t>& sizes) { return *makeCandidate(problem, sizes, 3, 1); }

} // namespace

class TestShrink : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void oneElementWhereOneWillDo() {
        const SearchProblem problem = problemOf("f32[4,5]");
        ShrinkTests tests;
        tests.late = [] { return false; };
        tests.differs = [](const Candidate& c) { return c.inputs[0].toDouble(7) != 0.0; };
        const Candidate out = shrinkCandidate(problem, filled(problem, {}), tests);
        QCOMPARE(nonZero(out), std::size_t{1});
        QVERIFY(tests.differs(out));
    }

    void noElementCanGo() {
        // Three elements at scattered places are needed.
        const SearchProblem problem = problemOf("f32[32]");
        ShrinkTests tests;
        tests.late = [] { return false; };
        tests.differs = [](const Candidate& c) {
            return c.inputs[0].toDouble(1) != 0.0 && c.inputs[0].toDouble(17) != 0.0 && c.inputs[0].toDouble(30) != 0.0;
        };
        const Candidate out = shrinkCandidate(problem, filled(problem, {}), tests);
        QCOMPARE(nonZero(out), std::size_t{3});
        QCOMPARE(std::fabs(out.inputs[0].toDouble(17)), 1.0); // and simple
    }

    void smallestSizes() {
        const SearchProblem problem = problemOf("f32[n,m]", {{"n", {1, 100}}, {"m", {1, 100}}});
        ShrinkTests tests;
        tests.late = [] { return false; };
        tests.differs = [](const Candidate& c) { return c.sizes.at("n") >= 2 && c.inputs[0].shape()[1] == c.sizes.at("m"); };
        const Candidate out = shrinkCandidate(problem, filled(problem, {{"n", 5}, {"m", 4}}), tests);
        QCOMPARE(out.sizes.at("n"), std::int64_t{2});
        QCOMPARE(out.sizes.at("m"), std::int64_t{1});
        QCOMPARE(out.inputs[0].shape(), (std::vector<std::int64_t>{2, 1}));
    }

    void rangesAreKept() {
        const SearchProblem problem = problemOf("i64[6]", {}, IntegerRange{3, 9});
        ShrinkTests tests;
        tests.late = [] { return false; };
        tests.differs = [](const Candidate& c) {
            for (std::int64_t i = 0; i < 6; ++i) {
                if (c.inputs[0].toInt64(i) < 3 || c.inputs[0].toInt64(i) > 9) {
                    qFatal("outside the range");
                }
            }
            return c.inputs[0].toInt64(2) > 5;
        };
        Candidate start = filled(problem, {});
        setElement(start.inputs[0], 2, 9);
        const Candidate out = shrinkCandidate(problem, start, tests);
        QVERIFY(tests.differs(out));
        QCOMPARE(out.inputs[0].toInt64(0), std::int64_t{3}); // the low end is the default
    }

    void rangesOfFloatsAreKept() {
        const SearchProblem problem = problemOf("f32[5]", {}, IntegerRange{-2, 2});
        ShrinkTests tests;
        tests.late = [] { return false; };
        tests.differs = [](const Candidate& c) {
            double sum = 0.0;
            for (std::int64_t i = 0; i < 5; ++i) {
                if (std::fabs(c.inputs[0].toDouble(i)) > 2.0) {
                    qFatal("outside the range");
                }
                sum += c.inputs[0].toDouble(i);
            }
            return sum > 3.0;
        };
        Candidate start = filled(problem, {});
        for (std::int64_t i = 0; i < 5; ++i) {
            setElement(start.inputs[0], i, 1.75);
        }
        const Candidate out = shrinkCandidate(problem, start, tests);
        QVERIFY(tests.differs(out));
        QCOMPARE(nonZero(out), std::size_t{2});
    }

    void twoOtherNumbersMayDo() {
        // No element can go as they are, yet two large ones differ.
        const SearchProblem problem = problemOf("f32[6]");
        ShrinkTests tests;
        tests.late = [] { return false; };
        tests.differs = [](const Candidate& c) {
            double positive = 0.0;
            double negative = 0.0;
            for (std::int64_t i = 0; i < 6; ++i) {
                const double x = c.inputs[0].toDouble(i);
                positive += std::max(x, 0.0);
                negative += std::max(-x, 0.0);
            }
            return positive >= 3.0 && negative >= 3.0;
        };
        Candidate start = filled(problem, {});
        for (std::int64_t i = 0; i < 6; ++i) {
            setElement(start.inputs[0], i, i % 2 == 0 ? 1.0 : -1.0);
        }
        QVERIFY(tests.differs(start));
        const Candidate out = shrinkCandidate(problem, start, tests);
        QVERIFY(tests.differs(out));
        QCOMPARE(nonZero(out), std::size_t{2});
    }

    void sizesShrinkWithTheElementsMovedIn() {
        // The element that is needed is the last of its axis.
        const SearchProblem problem = problemOf("f32[n,3]", {{"n", {1, 100}}});
        ShrinkTests tests;
        tests.late = [] { return false; };
        tests.differs = [](const Candidate& c) {
            const std::int64_t n = c.sizes.at("n");
            return n >= 3 && c.inputs[0].toDouble((n - 1) * 3 + 1) > 0.5;
        };
        Candidate start = filled(problem, {{"n", 9}});
        for (std::int64_t i = 0; i < 27; ++i) {
            setElement(start.inputs[0], i, i == 25 ? 4.0 : 0.25);
        }
        const Candidate out = shrinkCandidate(problem, start, tests);
        QVERIFY(tests.differs(out));
        QCOMPARE(out.sizes.at("n"), std::int64_t{3});
        QCOMPARE(nonZero(out), std::size_t{1});
    }

    void symbolsMayBeEmpty() {
        const SearchProblem problem = problemOf("f32[n]", {{"n", {0, 4}}});
        ShrinkTests tests;
        tests.late = [] { return false; };
        tests.differs = [](const Candidate&) { return true; };
        QCOMPARE(shrinkCandidate(problem, filled(problem, {{"n", 4}}), tests).sizes.at("n"), std::int64_t{0});
    }

    void sameAnswerEachTime() {
        const SearchProblem problem = problemOf("f32[40]");
        ShrinkTests tests;
        tests.late = [] { return false; };
        tests.differs = [](const Candidate& c) { return c.inputs[0].toDouble(3) + c.inputs[0].toDouble(31) > 1.5; };
        Candidate start = filled(problem, {});
        setElement(start.inputs[0], 3, 0.9);
        setElement(start.inputs[0], 31, 0.9);
        const Candidate first = shrinkCandidate(problem, start, tests);
        const Candidate second = shrinkCandidate(problem, start, tests);
        QVERIFY(first.inputs[0].sameBits(second.inputs[0]));
        QCOMPARE(nonZero(first), std::size_t{1}); // 2 at one place
    }

    void endsWhenTimeIsUp() {
        const SearchProblem problem = problemOf("f32[64]");
        std::size_t asked = 0;
        ShrinkTests tests;
        tests.late = [&] { return asked > 10; };
        tests.differs = [&](const Candidate&) { return ++asked > 1'000'000; };
        const Candidate start = filled(problem, {});
        const Candidate out = shrinkCandidate(problem, start, tests);
        QVERIFY(asked < 30);
        QVERIFY(out.inputs[0].sameBits(start.inputs[0]));
    }

    void counterexamplesOfChecksAreSmall() {
        const auto reference = parseGraph("in x f32[n,4,4]; a = Softmax(x) axis=2; y = ReduceSum(a); out y");
        const auto rewritten = parseGraph("in x f32[n,4,4]; a = Softmax(x) axis=1; b = Exp(a); y = ReduceSum(b); out y");
        const Result<CheckResult> result = check(reference, rewritten);
        QVERIFY(result.has_value() && result->counterexample.has_value());
        QCOMPARE(result->counterexample->sizes.at("n"), std::int64_t{1});
        Candidate candidate;
        candidate.inputs.push_back(result->counterexample->inputs[0].second);
        QCOMPARE(nonZero(candidate), std::size_t{0});
    }

    void noElementOfACounterexampleCanGo_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::newRow("exchanged") << "in x f32[n,3]; in w f32[n,3]; y = Sub(x, w); out y"
                                   << "in x f32[n,3]; in w f32[n,3]; y = Sub(w, x); out y";
        QTest::newRow("product") << "in x f32[n,3]; in w f32[n,3]; y = Mul(x, w); out y"
                                 << "in x f32[n,3]; in w f32[n,3]; a = Mul(x, w); y = Neg(a); out y";
        QTest::newRow("transposed") << "in x f32[4,4]; in w f32[4,4]; y = MatMul(x, w); out y"
                                    << "in x f32[4,4]; in w f32[4,4]; t = Transpose(w) perm=[1,0]; y = MatMul(x, t); out y";
        QTest::newRow("integers") << "in x i32[n,5]; const three i32[] 3; y = Mod(x, three); out y"
                                  << "in x i32[n,5]; const three i32[] 3; y = Mod(x, three) fmod=1; out y";
        QTest::newRow("softmax") << "in x f32[b,3,4]; y = Softmax(x) axis=2; out y"
                                 << "in x f32[b,3,4]; y = Softmax(x) axis=1; out y";
        QTest::newRow("deep")
            << "in x f32[n,4]; const w f32[4,4] 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7; a = MatMul(x, w); b = Relu(a); c = MatMul(b, w); "
               "d = Tanh(c); e = MatMul(d, w); y = Sigmoid(e); out y"
            << "in x f32[n,4]; const w f32[4,4] 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7; a = MatMul(x, w); b = LeakyRelu(a); c = MatMul(b, w); "
               "d = Tanh(c); e = MatMul(d, w); y = Sigmoid(e); out y";
    }

    void noElementOfACounterexampleCanGo() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        const Result<CheckResult> result = check(parseGraph(reference.toStdString()), parseGraph(rewritten.toStdString()));
        QVERIFY(result.has_value() && result->verdict == Verdict::Refuted && result->counterexample.has_value());
        const Counterexample& found = *result->counterexample;
        const auto differs = [&](const std::vector<std::optional<Tensor>>& inputs) {
            EvaluateOptions options;
            options.arithmetic = Arithmetic::Double;
            const Result<Evaluation> a = evaluate(*result->reference, inputs, options);
            const Result<Evaluation> b = evaluate(*result->rewritten, inputs, options);
            const auto& x = a->values[result->outputs[0].reference.index];
            const auto& y = b->values[result->outputs[0].rewritten.index];
            for (std::int64_t i = 0; i < x->count(); ++i) {
                if (std::fabs(x->toDouble(i) - y->toDouble(i)) > 1e-9 * std::max(std::fabs(x->toDouble(i)), std::fabs(y->toDouble(i)))) {
                    return true;
                }
            }
            return false;
        };
        std::vector<std::optional<Tensor>> inputs;
        for (const auto& [name, tensor] : found.inputs) {
            inputs.emplace_back(tensor);
        }
        QVERIFY(differs(inputs));
        for (auto& input : inputs) {
            for (std::int64_t i = 0; i < input->count(); ++i) {
                if (input->toDouble(i) == 0.0) {
                    continue;
                }
                QVERIFY(std::fabs(input->toDouble(i)) <= 3.0); // and simple
                QCOMPARE(input->toDouble(i), std::nearbyint(input->toDouble(i)));
                const Tensor before = copyOf(*input);
                input = copyOf(*input);
                setElement(*input, i, 0.0);
                QVERIFY(!differs(inputs));
                input = before;
            }
        }
        for (const auto& [symbol, size] : found.sizes) {
            QCOMPARE(size, std::int64_t{1});
        }
    }

    void inputsThatFaultInTheReferenceDoNotCount() {
        // Where the divisor is 0 the reference means nothing, whatever its other output says.
        const auto reference = parseGraph("in x f32[3]; in a i32[3]; in b i32[3]; y = Exp(x); q = Div(a, b); out y, q");
        const auto rewritten = parseGraph("in x f32[3]; in a i32[3]; in b i32[3]; z = Exp(x); y = Neg(z); q = Div(a, b); out y, q");
        const Result<CheckResult> result = check(reference, rewritten);
        QVERIFY(result.has_value() && result->verdict == Verdict::Refuted && result->counterexample.has_value());
        for (const auto& [name, tensor] : result->counterexample->inputs) {
            for (std::int64_t i = 0; name == "b" && i < 3; ++i) {
                QVERIFY(tensor.toInt64(i) != 0);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestShrink)
#include "tst_shrink.moc"
