// Soundness of a whole check, by numbers: random small graphs, one thing changed at a time. What the evaluator tells apart
// on random inputs must never be called proved, what is called identical must agree bit for bit, and a counterexample must
// be one when both graphs are run on it again.

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

using GraphPtr = std::shared_ptr<const Graph>;

Tensor filled(Random& random, std::vector<std::int64_t> shape, bool small) {
    Tensor out(ElementType::F32, std::move(shape));
    for (float& value : out.mutableAs<float>()) {
        value = small ? static_cast<float>(static_cast<int>(pick(random, 7)) - 3) : std::uniform_real_distribution<float>(-2.0F, 2.0F)(random);
    }
    return out;
}

std::optional<Tensor> outputOf(const GraphPtr& graph, const std::vector<std::optional<Tensor>>& inputs, Arithmetic arithmetic) {
    const Result<GraphTree> tree = GraphTree::build(graph);
    EvaluateOptions options;
    options.arithmetic = arithmetic;
    const Result<Evaluation> run = evaluate(*tree, inputs, options);
    return run && !run->fault ? run->values[tree->top().outputs[0].index] : std::nullopt;
}

bool clearlyDifferent(const Tensor& a, const Tensor& b) {
    if (a.shape() != b.shape()) {
        return true;
    }
    for (std::int64_t k = 0; k < a.count(); ++k) {
        const double x = a.toDouble(k);
        const double y = b.toDouble(k);
        if (std::isfinite(x) && std::isfinite(y) && std::fabs(x - y) > 1e-7 * (1.0 + std::fabs(x) + std::fabs(y))) {
            return true;
        }
    }
    return false;
}

bool sameBitsButNaN(const Tensor& a, const Tensor& b) {
    for (std::int64_t k = 0; k < a.count(); ++k) {
        const double x = a.toDouble(k);
        const double y = b.toDouble(k);
        if (!(x == y && std::signbit(x) == std::signbit(y)) && !(std::isnan(x) && std::isnan(y))) {
            return false;
        }
    }
    return a.shape() == b.shape();
}

/// The graph if it is well-typed.
GraphPtr inferred(const std::string& text) {
    const Result<GraphPtr> out = inferTypes(*parseGraph(text));
    return out ? *out : nullptr;
}

CheckOptions quick() {
    CheckOptions options;
    options.timeSeconds = 20;
    return options;
}

} // namespace

class TestCheckRandom : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void mutationsThatShowAreNeverProved() {
        Random random(20261130);
        std::size_t proved = 0;
        std::size_t refuted = 0;
        std::size_t shown = 0;
        for (int round = 0; round < 2500; ++round) {
            const Sketch sketch = randomSketch(random);
            Sketch other = mutated(random, sketch);
            if (pick(random, 4) == 0) {
                other = mutated(random, other);
            }
            const GraphPtr reference = inferred(sketch.text());
            QVERIFY2(reference, sketch.text().c_str());
            const GraphPtr rewritten = inferred(other.text("r_"));
            if (!rewritten) {
                continue;
            }
            const Result<CheckResult> result = check(reference, rewritten, quick());
            if (!result) {
                continue; // other shapes
            }
            const std::string both = sketch.text() + "\n  against " + other.text("r_") + "\n  " + verdictLine(*result);
            bool different = false;
            bool bits = true;
            for (int sample = 0; sample < 6; ++sample) {
                const std::vector<std::optional<Tensor>> inputs{filled(random, {2, 3}, sample % 2 == 0), filled(random, {3}, sample % 2 == 0),
                                                                filled(random, {3, 2}, sample % 2 == 0)};
                const auto a = outputOf(reference, inputs, Arithmetic::Double);
                const auto b = outputOf(rewritten, inputs, Arithmetic::Double);
                const auto c = outputOf(reference, inputs, Arithmetic::Declared);
                const auto d = outputOf(rewritten, inputs, Arithmetic::Declared);
                if (a && b && c && d) {
                    different = different || clearlyDifferent(*a, *b);
                    bits = bits && sameBitsButNaN(*c, *d);
                }
            }
            shown += different ? 1 : 0;
            QVERIFY2(!different || result->verdict != Verdict::Proved, both.c_str());
            if (result->verdict == Verdict::Proved) {
                ++proved;
                QVERIFY2(bits || (result->strength != Strength::Identical && result->strength != Strength::Open), both.c_str());
            }
            if (result->verdict == Verdict::Refuted && result->kind == RefutationKind::Value) {
                ++refuted;
                QVERIFY2(result->counterexample && result->counterexample->confirmed, both.c_str());
                std::vector<std::optional<Tensor>> inputs;
                for (const auto& [name, tensor] : result->counterexample->inputs) {
                    inputs.emplace_back(tensor);
                }
                const auto a = outputOf(reference, inputs, Arithmetic::Declared);
                const auto b = outputOf(rewritten, inputs, Arithmetic::Declared);
                QVERIFY2(a && b && !sameBitsButNaN(*a, *b), both.c_str());
            }
        }
        qInfo("%zu proved, %zu refuted, %zu shown different by samples", proved, refuted, shown);
        QVERIFY(proved > 50);
        QVERIFY(shown > 150);
        QVERIFY(refuted * 2 > shown); // and most that differ are found to; the rest stay unproved
    }

    void everyGraphIsItselfUnderOtherNames() {
        Random random(7);
        for (int round = 0; round < 150; ++round) {
            const Sketch sketch = randomSketch(random);
            const Result<CheckResult> result = check(parseGraph(sketch.text()), parseGraph(sketch.text("other_")), quick());
            QVERIFY2(result, sketch.text().c_str());
            QCOMPARE(result->verdict, Verdict::Proved);
            QVERIFY2(result->strength == Strength::Identical, sketch.text().c_str());
            QVERIFY(!result->counterexample);
        }
    }

    /// Two runs give one answer, to the last lemma.
    void answersAreDeterministic() {
        Random random(11);
        for (int round = 0; round < 60; ++round) {
            const Sketch sketch = randomSketch(random);
            const Sketch other = mutated(random, sketch);
            const GraphPtr reference = parseGraph(sketch.text());
            const GraphPtr rewritten = inferred(other.text());
            if (!rewritten) {
                continue;
            }
            const Result<CheckResult> first = check(reference, rewritten, quick());
            const Result<CheckResult> second = check(reference, rewritten, quick());
            QCOMPARE(first.has_value(), second.has_value());
            if (first) {
                QCOMPARE(verdictLine(*first), verdictLine(*second));
                QVERIFY(first->lemmas == second->lemmas);
                QVERIFY(first->outputs == second->outputs);
                QVERIFY(first->correspondence == second->correspondence);
                QVERIFY(first->assumptions == second->assumptions && first->caveats == second->caveats);
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestCheckRandom)
#include "tst_check_random.moc"
