// Single faults planted in ten model-like graphs: none may be proved, nearly all must be refuted, by a counterexample that stands, at
// the faulty node. A short run with a fixed seed; packaging/bench mutants plants 500.

#include "core/worker/worker_pool.h"
#include "tests/mutants/mutation_run.h"
#include "tests/mutants/neutral.h"

#include <QtTest/QTest>

#include <iostream>

using namespace lemmascope;
using namespace lemmascope::mutants;

class TestMutants : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyFormIsWellTypedAndNoneIsRefuted() {
        const auto graphs = benchGraphs(LEMMASCOPE_TEST_DATA);
        QVERIFY2(graphs.has_value(), graphs ? "" : graphs.error().text().c_str());
        QCOMPARE(graphs->size(), std::size_t{10});
        for (const BenchGraph& graph : *graphs) {
            for (const GraphForm& form : graph.forms) {
                CheckOptions options;
                options.timeSeconds = 2.0;
                const Result<CheckResult> result = check(graph.reference, form.graph, options);
                QVERIFY2(result.has_value(), (graph.name + "/" + form.name).c_str());
                QVERIFY2(result->verdict != Verdict::Refuted, (graph.name + "/" + form.name + ": " + verdictLine(*result)).c_str());
            }
        }
    }

    void singleFaultsAreRefutedAndFound() {
        const auto graphs = benchGraphs(LEMMASCOPE_TEST_DATA);
        QVERIFY(graphs.has_value());
        WorkerPool::Options workers;
        workers.executable = LEMMASCOPE_BIN_DIR "/lemmascope-cli";
        WorkerPool pool(workers);
        CheckServices services;
        services.solver = &pool;
        RunOptions options;
#ifdef LEMMASCOPE_SANITIZED
        options.mutants = 12; // several times slower there, and each runs the same code
#else
        options.mutants = 60;
#endif
        const std::vector<MutantResult> results = runMutants(*graphs, options, services);
        const Rates rates = ratesOf(results);
        writeTable(std::cerr, results);
        QCOMPARE(rates.mutants + rates.neutral, options.mutants);
        QCOMPARE(rates.proved, std::size_t{0});
        QCOMPARE(rates.falseCounterexamples, std::size_t{0});
        if (options.mutants < 50) {
            return; // too few for rates
        }
        QVERIFY(rates.mutants >= 50);
        QVERIFY(100 * rates.refuted >= 95 * rates.mutants);
        QVERIFY(100 * rates.blamedFirst >= 90 * rates.refuted);
        QVERIFY(100 * rates.small >= 85 * rates.refuted);
    }

    void neutralMutantsAreRecognised() {
        // The arguments themselves: what they call neutral is proved or at least never refuted, what they do not is not neutral here.
        const auto graphs = benchGraphs(LEMMASCOPE_TEST_DATA);
        QVERIFY(graphs.has_value());
        std::size_t neutral = 0;
        for (const BenchGraph& graph : *graphs) {
            for (const Mutation& mutation : mutationsOf(*graph.reference)) {
                const std::string why = neutralBecause(*graph.reference, mutation);
                if (why.empty()) {
                    continue;
                }
                ++neutral;
                const Result<CheckResult> result = check(graph.reference, mutation.graph);
                QVERIFY2(result.has_value() && result->verdict != Verdict::Refuted, (graph.name + ": " + mutation.what + ": " + why).c_str());
            }
        }
        QVERIFY(neutral > 0);
    }
};

QTEST_APPLESS_MAIN(TestMutants)
#include "tst_mutants.moc"
