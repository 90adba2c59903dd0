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

  private slots:
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
};

QTEST_APPLESS_MAIN(TestShrink)
#include "tst_shrink.moc"
