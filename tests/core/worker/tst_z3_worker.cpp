// The real worker: Z3 and dot behind the pool.
#include "core/worker/messages.h"
#include "core/worker/process.h"
#include "core/worker/worker_pool.h"

#include <QtTest>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>
#include <vector>

using namespace lemmascope;
using namespace std::chrono_literals;

namespace {

using Status = SolverAnswer::Status;

WorkerPool::Options real(unsigned workers = 2) {
    WorkerPool::Options options;
    options.executable = TEST_WORKER;
    options.arguments = {};
    options.workers = workers;
    return options;
}

SolverRequest question(std::string script, std::vector<std::string> wanted = {}) {
    SolverRequest request;
    request.script = std::move(script);
    request.wantedValues = std::move(wanted);
    return request;
}

/// n pigeons in n - 1 holes: hard for resolution.
std::string pigeons(int n) {
    std::string script = "(set-logic QF_UF)\n";
    const auto in = [](int p, int h) { return "p" + std::to_string(p) + "_" + std::to_string(h); };
    for (int p = 0; p < n; ++p)
        for (int h = 0; h + 1 < n; ++h)
            script += "(declare-const " + in(p, h) + " Bool)\n";
    for (int p = 0; p < n; ++p) {
        script += "(assert (or";
        for (int h = 0; h + 1 < n; ++h)
            script += " " + in(p, h);
        script += "))\n";
    }
    for (int h = 0; h + 1 < n; ++h)
        for (int p = 0; p < n; ++p)
            for (int q = p + 1; q < n; ++q)
                script += "(assert (not (and " + in(p, h) + " " + in(q, h) + ")))\n";
    return script;
}

/// `state` and parent of a process, as in /proc/PID/stat.
QList<QByteArray> statOf(const QString& pid) {
    QFile stat("/proc/" + pid + "/stat");
    if (!stat.open(QIODevice::ReadOnly))
        return {"gone", "0"};
    const QByteArray text = stat.readAll();
    return text.mid(text.lastIndexOf(')') + 2).split(' ');
}

std::vector<pid_t> childrenOf(pid_t parent) {
    std::vector<pid_t> children;
    for (const QString& pid : QDir("/proc").entryList(QDir::Dirs | QDir::NoDotAndDotDot))
        if (pid.toInt() > 0 && statOf(pid).value(1).toInt() == parent)
            children.push_back(pid.toInt());
    return children;
}

/// A zombie that its new parent has not buried yet does not run.
bool isRunning(pid_t pid) {
    const QByteArray state = statOf(QString::number(pid)).value(0);
    return state != "gone" && state != "Z" && state != "X";
}

} // namespace

class TestZ3Worker : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void unsatIsUnsat() {
        WorkerPool pool(real());
        const SolverAnswer answer = pool.ask(question("(declare-fun x () Int)\n(assert (< x x))\n"), {}).value();
        QVERIFY(answer.status == Status::Unsat);
        QCOMPARE(answer.reason, std::string());
        QVERIFY(answer.solver.starts_with("z3 4."));
        QCOMPARE(pool.solverName({}).value(), answer.solver);
    }

    void modelsGiveTheWantedValues() {
        WorkerPool pool(real());
        const SolverAnswer answer =
            pool.ask(question("(set-option :produce-models true)\n(set-logic ALL)\n"
                              "(declare-fun x () Int)(declare-fun y () Real)(declare-fun f (Int) Real)(declare-fun |a b| () Bool)\n"
                              "(declare-fun free () Int)\n"
                              "(assert (= x (- 3)))(assert (= (* 3.0 y) 1.0))(assert (= (f x) (- y)))(assert |a b|)\n",
                              {"x", "y", "(f x)", "(f (+ x 0))", "|a b|", "(= x 0)", "(+ free 0 (- free))"}),
                     {})
                .value();
        QVERIFY(answer.status == Status::Sat);
        QCOMPARE(answer.values, (std::vector<std::string>{"(- 3)", "(/ 1.0 3.0)", "(- (/ 1.0 3.0))", "(- (/ 1.0 3.0))", "true", "false", "0"}));
    }

    void longValuesStayOnOneLine() {
        WorkerPool pool(real());
        const SolverAnswer answer =
            pool.ask(question("(declare-fun a () (Array Int Int))\n"
                              "(assert (and (= (select a 1000000) 1000001) (= (select a 2000000) 2000001) (= (select a 3000000) 3000001)"
                              " (= (select a 4000000) 4000001) (= (select a 5000000) 5000001)))\n",
                              {"a"}),
                     {})
                .value();
        QVERIFY(answer.status == Status::Sat);
        QCOMPARE(answer.values.size(), std::size_t{1});
        QVERIFY(answer.values[0].size() > 100 && answer.values[0].find('\n') == std::string::npos);
    }

    void badScriptsAreErrorsWithTheParsersWords_data() {
        QTest::addColumn<QString>("script");
        QTest::addColumn<QString>("wanted");
        QTest::newRow("unknown constant") << "(assert (= x 1))"
                                          << "";
        QTest::newRow("unclosed") << "(assert true"
                                  << "";
        QTest::newRow("too many") << "(assert true))"
                                  << "";
        QTest::newRow("not smt-lib") << "\x01\xff hello"
                                     << "";
        QTest::newRow("unknown wanted") << "(assert true)"
                                        << "y";
        QTest::newRow("unclosed wanted") << "(declare-fun x () Int)"
                                         << "(+ x";
        QTest::newRow("two wanted in one") << "(declare-fun x () Int)"
                                           << "x x";
        QTest::newRow("wanted that breaks out") << "(declare-fun x () Int)"
                                                << "x x)) (assert (= x";
    }
    void badScriptsAreErrorsWithTheParsersWords() {
        QFETCH(QString, script);
        QFETCH(QString, wanted);
        WorkerPool pool(real(1));
        const Result<SolverAnswer> answer =
            pool.ask(question(script.toStdString(), wanted.isEmpty() ? std::vector<std::string>{} : std::vector{wanted.toStdString()}), {});
        QVERIFY(!answer);
        QCOMPARE(answer.error().code, ErrorCode::Internal);
        QVERIFY2(answer.error().message.starts_with("z3 cannot read the script: "), answer.error().message.c_str());
        // Nothing of it stays behind.
        QVERIFY(pool.ask(question("(declare-fun x () Bool)(assert x)"), {}).value().status == Status::Sat);
    }

    void deepScriptsDoNotBreakThePool() {
        WorkerPool pool(real(1));
        std::string deep = "(declare-fun x () Int)(assert (= 0 ";
        for (int i = 0; i < 20'000; ++i)
            deep += "(+ 1 ";
        deep += "x" + std::string(20'000, ')') + "))";
        (void)pool.ask(question(deep), {});
        QVERIFY(pool.ask(question("(assert false)"), {}).value().status == Status::Unsat);
    }

    void stepsLimitIsDeterministic() {
        WorkerPool pool(real(2));
        SolverRequest request = question(pigeons(11));
        request.steps = 200'000;
        for (int i = 0; i < 3; ++i) {
            const SolverAnswer answer = pool.ask(request, {}).value();
            QVERIFY(answer.status == Status::Unknown);
            QCOMPARE(answer.reason, std::string("steps"));
        }
    }

    void timeoutIsNotAProof() {
        WorkerPool pool(real(1));
        SolverRequest request = question(pigeons(14));
        request.steps = 0;
        request.timeoutMs = 200;
        const SolverAnswer answer = pool.ask(request, {}).value();
        QVERIFY(answer.status == Status::Unknown);
        QCOMPARE(answer.reason, std::string("time"));
    }

    void memoryLimitIsNoCrash() {
        WorkerPool pool(real(1));
        SolverRequest request = question(pigeons(14));
        request.steps = 0;
        request.timeoutMs = 20'000;
        request.memoryMb = 24;
        const SolverAnswer answer = pool.ask(request, {}).value();
        QVERIFY(answer.status == Status::Unknown);
        QVERIFY2(answer.reason == "memory", answer.reason.c_str());
    }

    void stopReturnsWithin50Ms() {
        WorkerPool pool(real(1));
        QVERIFY(pool.solverName({}));
        SolverRequest request = question(pigeons(14));
        request.steps = 0;
        std::vector<std::chrono::steady_clock::duration> delays;
        for (int round = 0; round < 5; ++round) {
            std::stop_source stop;
            std::chrono::steady_clock::time_point stopped;
            std::jthread stopper([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(20 * round));
                stopped = std::chrono::steady_clock::now();
                stop.request_stop();
            });
            const SolverAnswer answer = pool.ask(request, stop.get_token()).value();
            const auto back = std::chrono::steady_clock::now();
            stopper.join();
            QCOMPARE(answer.reason, std::string("cancelled"));
            delays.push_back(back - stopped);
        }
        std::ranges::sort(delays);
        QVERIFY(delays[2] < 50ms); // the middle one: a busy machine may hold up a thread for longer
        QVERIFY(delays.back() < 2s);
    }

    void answersDoNotDependOnWhatWasAskedBefore() {
        WorkerPool pool(real(1));
        const SolverRequest request = question("(declare-fun f (Int) Int)(declare-fun x () Int)(declare-fun y () Int)\n"
                                               "(assert (distinct (f x) (f y) (f 3)))(assert (> (+ (f x) y) 10))",
                                               {"x", "y", "(f x)", "(f y)"});
        const std::vector<std::string> first = pool.ask(request, {}).value().values;
        (void)pool.ask(question(pigeons(6)), {});
        (void)pool.ask(question("(assert (= x"), {});
        QCOMPARE(pool.ask(request, {}).value().values, first);
        WorkerPool other(real(1));
        QCOMPARE(other.ask(request, {}).value().values, first);
    }

    void chatterOnStandardOutputIsNoAnswer() {
        WorkerPool pool(real(1));
        QVERIFY(pool.ask(question("(echo \"LSW1\")(declare-fun x () Int)(assert (= x 1))(check-sat)(get-model)(get-value (x))", {"x"}), {})
                    .value()
                    .values == std::vector<std::string>{"1"});
    }

    void corruptFramesEndTheWorkerWithAnError() {
        ChildProcess worker = ChildProcess::start(TEST_WORKER, {}).value();
        FrameReader frames;
        const auto nextMessage = [&]() -> Message {
            for (;;) {
                if (std::optional<Message> message = frames.next().value())
                    return *message;
                std::string bytes;
                if (worker.read(bytes, ChildProcess::Clock::now() + 20s, {}) != ChildProcess::Transfer::Done)
                    return {};
                frames.append(bytes);
            }
        };
        QVERIFY(nextMessage().kind == MessageKind::Hello);
        // A frame whose payload is nonsense leaves the stream in order.
        QCOMPARE(worker.write(encodeFrame({MessageKind::Solve, "nonsense"}), ChildProcess::Clock::now() + 5s, {}), ChildProcess::Transfer::Done);
        QVERIFY(nextMessage().kind == MessageKind::Failure);
        QCOMPARE(worker.write("no frame at all", ChildProcess::Clock::now() + 5s, {}), ChildProcess::Transfer::Done);
        QVERIFY(nextMessage().kind == MessageKind::Failure);
        QVERIFY(worker.waitForExit(ChildProcess::Clock::now() + 5s));
        QCOMPARE(worker.ending(), std::string("exited with status 70"));
    }

    void workerDiesWithItsOwner() {
        ChildProcess owner = ChildProcess::start(TEST_WORKER, {"--own"}).value();
        std::string said;
        QCOMPARE(owner.read(said, ChildProcess::Clock::now() + 60s, {}), ChildProcess::Transfer::Done);
        const std::vector<pid_t> workers = childrenOf(owner.pid());
        QCOMPARE(workers.size(), std::size_t{1});
        std::this_thread::sleep_for(100ms); // it has its question and reads no more
        owner.kill();
        QTRY_VERIFY_WITH_TIMEOUT(!isRunning(workers[0]), 5000);
    }

    void workerEndsWithItsInput() {
        ChildProcess worker = ChildProcess::start(TEST_WORKER, {}).value();
        worker.closeInput();
        QVERIFY(worker.waitForExit(ChildProcess::Clock::now() + 20s));
        QCOMPARE(worker.ending(), std::string("exited with status 0"));
    }

    void dotPlacesBoxes() {
        WorkerPool pool(real(1));
        const DotRequest request{{{100, 40}, {60, 40}, {200, 20}, {100, 40}}, {{0, 1}, {0, 2}, {1, 3}, {2, 3}, {3, 3}, {0, 3}, {0, 1}}, 10'000};
        const DotAnswer answer = pool.draw(request, {}).value();
        QCOMPARE(answer.boxes.size(), std::size_t{4});
        QVERIFY(answer.boxes[0].y < answer.boxes[1].y && answer.boxes[1].y < answer.boxes[3].y); // y grows downwards
        QCOMPARE(answer.boxes[1].y, answer.boxes[2].y);
        QVERIFY(std::abs(answer.boxes[1].x - answer.boxes[2].x) >= 130.0 - 0.5);
        QCOMPARE(answer.boxes[3].rank, 2U);
        for (std::size_t i = 0; i < 4; ++i) {
            QVERIFY(answer.boxes[i].x - request.boxes[i].width / 2 > -0.5);
            QVERIFY(answer.boxes[i].x + request.boxes[i].width / 2 < answer.width + 0.5);
            QVERIFY(answer.boxes[i].y - request.boxes[i].height / 2 > -0.5);
            QVERIFY(answer.boxes[i].y + request.boxes[i].height / 2 < answer.height + 0.5);
        }
        // Again, after other work, the same.
        QVERIFY(pool.draw({{{10, 10}}, {}, 10'000}, {}));
        const DotAnswer again = pool.draw(request, {}).value();
        for (std::size_t i = 0; i < 4; ++i)
            QVERIFY(again.boxes[i].x == answer.boxes[i].x && again.boxes[i].y == answer.boxes[i].y);
    }

    void dotTakesTheLargestRequest() {
        WorkerPool pool(real(1));
        DotRequest request;
        request.boxes.assign(MostDotBoxes, {120, 36});
        for (std::uint32_t i = 1; i < MostDotBoxes; ++i) {
            request.edges.push_back({i / 3, i});
            if (i > 10)
                request.edges.push_back({i - 7, i});
        }
        request.edges.push_back({static_cast<std::uint32_t>(MostDotBoxes - 1), 0}); // a cycle
        const Result<DotAnswer> answer = pool.draw(request, {});
        QVERIFY2(answer, answer ? "" : answer.error().message.c_str());
        request.boxes.push_back({1, 1});
        QCOMPARE(pool.draw(request, {}).error().code, ErrorCode::TooLarge);
    }

    void badDotRequestsAreErrors() {
        WorkerPool pool(real(1));
        QCOMPARE(pool.draw({{{1, 1}}, {{0, 1}}, 1000}, {}).error().code, ErrorCode::BadData);
        QCOMPARE(pool.draw({{{std::nan(""), 1}}, {}, 1000}, {}).error().code, ErrorCode::BadData);
        QCOMPARE(pool.draw({}, {}).value().boxes.size(), std::size_t{0});
        QVERIFY(pool.draw({{{0, 0}}, {}, 1000}, {}));
    }
};

QTEST_APPLESS_MAIN(TestZ3Worker)
#include "tst_z3_worker.moc"
