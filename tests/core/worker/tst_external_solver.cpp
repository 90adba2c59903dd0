#include "core/worker/external_solver.h"

#include <QtTest>

#include <chrono>
#include <fstream>
#include <string>
#include <thread>

#include <sys/stat.h>

using namespace lemmascope;
using namespace std::chrono_literals;

namespace {

using Status = SolverAnswer::Status;

SolverRequest question(std::string script, std::vector<std::string> wanted = {}) {
    SolverRequest request;
    request.script = std::move(script);
    request.wantedValues = std::move(wanted);
    request.timeoutMs = 20'000;
    return request;
}

/// A solver made of shell: names its version, then does `body`.
std::unique_ptr<ExternalSolver> scripted(const QTemporaryDir& folder, const std::string& body) {
    const std::string path = folder.filePath("solver").toStdString();
    {
        std::ofstream file(path, std::ios::trunc);
        file << "#!/bin/sh\nif [ \"$1\" = --version ]; then echo 'This is solver version 7.1. Hello'; exit 0; fi\n" << body << "\n";
    }
    ::chmod(path.c_str(), 0700);
    Result<std::unique_ptr<ExternalSolver>> solver = ExternalSolver::find(path);
    return solver ? std::move(*solver) : nullptr;
}

} // namespace

class TestExternalSolver : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void missingSolverIsNotFound() {
        QCOMPARE(ExternalSolver::find("no-such-solver").error().code, ErrorCode::NotFound);
        QCOMPARE(ExternalSolver::find("/no/such/solver").error().code, ErrorCode::NotFound);
    }

    void aProgramWithoutVersionIsNoSolver() { QCOMPARE(ExternalSolver::find("sh").error().code, ErrorCode::WorkerFailed); }

    void cvc5Answers() {
        Result<std::unique_ptr<ExternalSolver>> solver = ExternalSolver::find();
        if (!solver)
            QSKIP("cvc5 is not installed");
        QVERIFY((*solver)->solverName({}).value().starts_with("cvc5 "));
        QVERIFY((*solver)->ask(question("(set-logic ALL)\n(declare-fun x () Int)\n(assert (< x x))\n"), {}).value().status == Status::Unsat);
        const SolverAnswer sat = (*solver)
                                     ->ask(question("(set-logic ALL)\n(declare-fun x () Int)(declare-fun y () Real)(declare-fun |a b| (Int) Int)\n"
                                                    "(assert (= x (- 3)))(assert (= (* 3.0 y) 1.0))(assert (= (|a b| x) 5))\n",
                                                    {"x", "y", "(|a b| x)"}),
                                           {})
                                     .value();
        QVERIFY(sat.status == Status::Sat);
        QCOMPARE(sat.values, (std::vector<std::string>{"(- 3)", "(/ 1 3)", "5"}));
        const Result<SolverAnswer> bad = (*solver)->ask(question("(assert (= x 1))"), {});
        QCOMPARE(bad.error().code, ErrorCode::WorkerFailed);
    }

    void answersAreRead_data() {
        QTest::addColumn<QString>("body");
        QTest::addColumn<QString>("expected");
        QTest::newRow("unsat") << "cat >/dev/null; echo unsat; echo '(error \"no model\")'"
                               << "unsat";
        QTest::newRow("unknown") << "cat >/dev/null; echo unknown"
                                 << "unknown: incomplete";
        QTest::newRow("sat") << "cat >/dev/null; echo sat; echo '((x'; echo ' (- 2)))'"
                             << "sat (- 2)";
        QTest::newRow("sat without values") << "cat >/dev/null; echo sat"
                                            << "error: solver 7.1 gave no values: ";
        QTest::newRow("error") << "cat >/dev/null; echo '(error \"bad\")'; exit 1"
                               << "error: solver 7.1: (error \"bad\")";
        QTest::newRow("crash") << "cat >/dev/null; kill -SEGV $$"
                               << "error: solver 7.1: killed by signal 11 (Segmentation fault)";
        QTest::newRow("timeout word") << "cat >/dev/null; echo 'interrupted by timeout.' >&2; kill -ABRT $$"
                                      << "unknown: time";
        QTest::newRow("never reads") << "echo unsat"
                                     << "unsat";
    }
    void answersAreRead() {
        QFETCH(QString, body);
        QFETCH(QString, expected);
        const QTemporaryDir folder;
        const std::unique_ptr<ExternalSolver> solver = scripted(folder, body.toStdString());
        QVERIFY(solver);
        QCOMPARE(solver->solverName({}).value(), std::string("solver 7.1"));
        const Result<SolverAnswer> answer = solver->ask(question("(declare-fun x () Int)", {"x"}), {});
        std::string text;
        if (!answer)
            text = "error: " + answer.error().message;
        else if (answer->status == Status::Unknown)
            text = "unknown: " + answer->reason;
        else
            text = answer->status == Status::Sat ? "sat " + answer->values.at(0) : "unsat";
        QCOMPARE(QString::fromStdString(text), expected);
    }

    void timeIsLimited() {
        const QTemporaryDir folder;
        const std::unique_ptr<ExternalSolver> solver = scripted(folder, "cat >/dev/null; sleep 1000");
        QVERIFY(solver);
        SolverRequest request = question("");
        request.timeoutMs = 50;
        QCOMPARE(solver->ask(request, {}).value().reason, std::string("time"));
    }

    void stopReturnsAtOnce() {
        const QTemporaryDir folder;
        const std::unique_ptr<ExternalSolver> solver = scripted(folder, "cat >/dev/null; sleep 1000");
        QVERIFY(solver);
        std::stop_source stop;
        std::chrono::steady_clock::time_point stopped;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(50ms);
            stopped = std::chrono::steady_clock::now();
            stop.request_stop();
        });
        const SolverAnswer answer = solver->ask(question(""), stop.get_token()).value();
        const auto back = std::chrono::steady_clock::now();
        stopper.join();
        QCOMPARE(answer.reason, std::string("cancelled"));
        QVERIFY(back - stopped < 1s); // 50 ms is measured in tst_worker_pool; here nothing else is tried
    }
};

QTEST_APPLESS_MAIN(TestExternalSolver)
#include "tst_external_solver.moc"
