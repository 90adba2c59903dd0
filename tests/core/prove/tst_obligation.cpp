// Lemma texts: byte for byte what the golden files hold, accepted by the solver, with satisfiable premises; and rung 6 on many
// threads with a solver that is slow, fails, or is stopped.

#include "core/format/load.h"
#include "core/prove/check.h"
#include "core/worker/solver.h"
#include "core/worker/worker_pool.h"

#include <QFile>
#include <QtTest>

#include <atomic>
#include <chrono>
#include <mutex>
#include <set>
#include <thread>

using namespace lemmascope;

namespace {

std::shared_ptr<const Graph> caseGraph(const QString& name, const char* side) {
    const QString path = QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/json/%1.%2.lsg.json").arg(name, QLatin1String(side));
    Result<std::shared_ptr<const Graph>> graph = loadGraph(path.toStdString());
    return graph ? *graph : nullptr;
}

/// `count` outputs, each max(a, b) + min(a, b) against a + b on 32-bit integers: only the solver decides them.
std::shared_ptr<const Graph> integerPair(std::size_t count, bool rewritten) {
    auto graph = std::make_shared<Graph>();
    graph->opsets[""] = 17;
    const TensorType type{ElementType::I32, Shape{Dim(2)}};
    const auto node = [&](const char* op, std::vector<ValueId> operands, const std::string& name) {
        const ValueId result = graph->addValue(Value{.name = name, .type = type});
        Node made;
        made.op = OpId{"", op, 17};
        made.operands = std::move(operands);
        made.results = {result};
        graph->addNode(std::move(made));
        return result;
    };
    for (std::size_t k = 0; k < count; ++k) {
        const std::string n = std::to_string(k);
        const ValueId a = graph->addValue(Value{.name = "a" + n, .type = type});
        const ValueId b = graph->addValue(Value{.name = "b" + n, .type = type});
        graph->inputs.insert(graph->inputs.end(), {a, b});
        // Each pair scales differently, so that no two lemmas have one text.
        ValueId left = a;
        for (std::size_t extra = 0; extra < k; ++extra) {
            left = node("Add", {left, a}, "s" + n + "_" + std::to_string(extra));
        }
        if (rewritten) {
            graph->outputs.push_back(node("Add", {left, b}, "y" + n));
        } else {
            const ValueId high = node("Max", {left, b}, "h" + n);
            graph->outputs.push_back(node("Add", {high, node("Min", {left, b}, "l" + n)}, "y" + n));
        }
    }
    return graph;
}

class FakeSolver final : public LemmaSolver {
  public:
    Result<SolverAnswer> ask(const SolverRequest& request, std::stop_token stop) override {
        ++asked;
        {
            const std::lock_guard lock(m_mutex);
            threads.insert(std::this_thread::get_id());
        }
        for (int waited = 0; waited < delayMs && !stop.stop_requested(); ++waited) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (stop.stop_requested()) {
            return SolverAnswer{.status = SolverAnswer::Status::Unknown, .reason = "cancelled"};
        }
        if (failing) {
            return fail(ErrorCode::WorkerFailed, "the worker was killed by signal 9");
        }
        return SolverAnswer{.status = request.script.empty() ? SolverAnswer::Status::Sat : SolverAnswer::Status::Unsat, .solver = "fake"};
    }
    [[nodiscard]] unsigned parallelism() const override { return 4; }
    std::atomic<int> asked = 0;
    std::set<std::thread::id> threads;
    int delayMs = 2;
    bool failing = false;

  private:
    std::mutex m_mutex;
};

} // namespace

class ObligationTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void textsAreGolden_data();
    void textsAreGolden();
    void solverAgreesAndPremisesAreSatisfiable_data();
    void solverAgreesAndPremisesAreSatisfiable();
    void manyLemmasGoToManyThreads();
    void aCrashedSolverIsUndecidedNotProved();
    void stopReturnsSoon();
};

void ObligationTest::textsAreGolden_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"distributive", "scale_through_relu", "relu_twice", "fused_body_drops_bias"}) {
        QTest::newRow(name) << QString::fromLatin1(name);
    }
}

void ObligationTest::textsAreGolden() {
    QFETCH(QString, name);
    std::string first;
    for (int run = 0; run < 2; ++run) {
        CheckOptions options;
        options.lookForCounterexample = false;
        const Result<CheckResult> result = check(caseGraph(name, "ref"), caseGraph(name, "rew"), options);
        QVERIFY(result.has_value());
        std::string text;
        for (const LemmaResult& lemma : result->lemmas) {
            text += "; " + lemma.id + " " + lemma.digest + "\n" + lemma.text;
        }
        QVERIFY(!text.empty());
        if (run == 0) {
            first = text;
        } else {
            QCOMPARE(QByteArray::fromStdString(text), QByteArray::fromStdString(first));
        }
    }
    // Made by this test with UPDATE_GOLDEN=1 from tests/data/cases/json.
    QFile golden(QStringLiteral(LEMMASCOPE_TEST_DATA "/golden/%1.smt2").arg(name));
    if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
        QVERIFY(golden.open(QIODevice::WriteOnly));
        golden.write(QByteArray::fromStdString(first));
        return;
    }
    QVERIFY2(golden.open(QIODevice::ReadOnly), "run with UPDATE_GOLDEN=1 once");
    QCOMPARE(QByteArray::fromStdString(first), golden.readAll());
}

void ObligationTest::solverAgreesAndPremisesAreSatisfiable_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("holds");
    QTest::newRow("distributive") << QStringLiteral("distributive") << true;
    QTest::newRow("relu_twice") << QStringLiteral("relu_twice") << true;
    QTest::newRow("scale_through_relu") << QStringLiteral("scale_through_relu") << false;
    QTest::newRow("part_read_shifted") << QStringLiteral("part_read_shifted") << false;
}

void ObligationTest::solverAgreesAndPremisesAreSatisfiable() {
    QFETCH(QString, name);
    QFETCH(bool, holds);
    CheckOptions options;
    options.lookForCounterexample = false;
    const Result<CheckResult> result = check(caseGraph(name, "ref"), caseGraph(name, "rew"), options);
    QVERIFY(result.has_value());
    WorkerPool pool({.executable = LEMMASCOPE_BIN_DIR "/lemmascope-cli"});
    bool failed = false;
    for (const LemmaResult& lemma : result->lemmas) {
        QVERIFY(!lemma.text.empty());
        const Result<SolverAnswer> answer = pool.ask({.script = lemma.text, .wantedValues = {}}, {});
        QVERIFY2(answer.has_value(), answer ? "" : answer.error().text().c_str());
        failed = failed || answer->status == SolverAnswer::Status::Sat;
        if (lemma.verdict == LemmaVerdict::Holds) {
            QVERIFY(answer->status == SolverAnswer::Status::Unsat);
        }
        const std::string premises = lemma.text.substr(0, lemma.text.rfind("(assert "));
        const Result<SolverAnswer> alone = pool.ask({.script = premises, .wantedValues = {}}, {});
        QVERIFY(alone.has_value());
        QVERIFY(alone->status == SolverAnswer::Status::Sat);
    }
    QCOMPARE(failed, !holds);
}

void ObligationTest::manyLemmasGoToManyThreads() {
    FakeSolver solver;
    CheckOptions options;
    options.jobs = 4;
    const Result<CheckResult> result = check(integerPair(12, false), integerPair(12, true), options, {.solver = &solver});
    QVERIFY(result.has_value());
    QCOMPARE(result->verdict, Verdict::Proved);
    QCOMPARE(solver.asked.load(), 12);
    QVERIFY(solver.threads.size() > 1);
    for (const LemmaResult& lemma : result->lemmas) {
        QCOMPARE(lemma.rung, Rung::Solver);
    }
}

void ObligationTest::aCrashedSolverIsUndecidedNotProved() {
    FakeSolver solver;
    solver.failing = true;
    const Result<CheckResult> result = check(integerPair(3, false), integerPair(3, true), {}, {.solver = &solver});
    QVERIFY(result.has_value());
    QCOMPARE(result->verdict, Verdict::Undecided);
    QVERIFY(result->reason.find("killed") != std::string::npos);
}

void ObligationTest::stopReturnsSoon() {
    FakeSolver solver;
    solver.delayMs = 60'000;
    std::stop_source stop;
    std::chrono::steady_clock::time_point asked;
    const std::jthread stopper([&] {
        while (solver.asked == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        asked = std::chrono::steady_clock::now();
        stop.request_stop();
    });
    const Result<CheckResult> result = check(integerPair(6, false), integerPair(6, true), {}, {.solver = &solver}, stop.get_token());
    QVERIFY(!result.has_value());
    QCOMPARE(result.error().code, ErrorCode::Cancelled);
    QVERIFY(std::chrono::steady_clock::now() - asked < std::chrono::seconds(2));
}

QTEST_GUILESS_MAIN(ObligationTest)
#include "tst_obligation.moc"
