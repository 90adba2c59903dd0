#include "core/worker/process.h"

#include <QtTest>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

using namespace lemmascope;
using namespace std::chrono_literals;
using Transfer = ChildProcess::Transfer;

namespace {

constexpr const char* Shell = "/bin/sh";

ChildProcess::Clock::time_point after(std::chrono::milliseconds time) { return ChildProcess::Clock::now() + time; }

std::size_t openDescriptors() {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/fd"))
        ++count;
    return count;
}

std::string readAll(ChildProcess& child) {
    std::string text;
    while (child.read(text, after(10s), {}) == Transfer::Done) {
    }
    return text;
}

bool isAlive(pid_t pid) { return ::kill(pid, 0) == 0; }

} // namespace

class TestProcess : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void inputComesBackFromCat() {
        ChildProcess child = ChildProcess::start("/bin/cat", {}).value();
        QCOMPARE(child.write("hello\n", after(5s), {}), Transfer::Done);
        std::string back;
        QCOMPARE(child.read(back, after(5s), {}), Transfer::Done);
        QCOMPARE(back, std::string("hello\n"));
        child.closeInput();
        QCOMPARE(child.read(back, after(5s), {}), Transfer::Closed);
        QVERIFY(child.waitForExit(after(5s)));
        QCOMPARE(child.ending(), std::string("exited with status 0"));
    }

    void missingProgramIsNotFound() {
        const Result<ChildProcess> child = ChildProcess::start("/nonexistent/program", {});
        QVERIFY(!child);
        QCOMPARE(child.error().code, ErrorCode::NotFound);
        QVERIFY(child.error().message.find("/nonexistent/program") != std::string::npos);
    }

    void endingTellsStatusAndLastWords() {
        ChildProcess child = ChildProcess::start(Shell, {"-c", "echo out of luck >&2; exit 3"}).value();
        QCOMPARE(readAll(child), std::string());
        QVERIFY(child.waitForExit(after(5s)));
        QCOMPARE(child.ending(), std::string("exited with status 3: out of luck"));
    }

    void endingTellsTheSignal() {
        ChildProcess child = ChildProcess::start(Shell, {"-c", "kill -SEGV $$"}).value();
        QVERIFY(child.waitForExit(after(5s)));
        QCOMPARE(child.ending(), std::string("killed by signal 11 (Segmentation fault)"));
    }

    void floodOfErrorsIsCut() {
        ChildProcess child =
            ChildProcess::start(Shell, {"-c", "i=0; while [ $i -lt 3000 ]; do echo line $i of a long complaint that goes on >&2; i=$((i+1)); done"})
                .value();
        QVERIFY(child.waitForExit(after(20s)));
        QVERIFY(child.ending().size() < 1000);
    }

    void writingToADeadChildIsNoSignal() {
        ChildProcess child = ChildProcess::start("/bin/true", {}).value();
        QVERIFY(child.waitForExit(after(5s)));
        QCOMPARE(child.write(std::string(1'000'000, 'x'), after(5s), {}), Transfer::Closed);
    }

    void deadlineEndsAWait() {
        ChildProcess child = ChildProcess::start("/bin/sleep", {"100"}).value();
        std::string text;
        QCOMPARE(child.read(text, after(30ms), {}), Transfer::Deadline);
        // A child that never reads: the socket fills up.
        QCOMPARE(child.write(std::string(50'000'000, 'x'), after(50ms), {}), Transfer::Deadline);
    }

    void stopEndsAWaitAtOnce() {
        ChildProcess child = ChildProcess::start("/bin/sleep", {"100"}).value();
        std::stop_source stop;
        std::thread stopper([&] {
            std::this_thread::sleep_for(50ms);
            stop.request_stop();
        });
        std::string text;
        const auto begin = ChildProcess::Clock::now();
        QCOMPARE(child.read(text, after(20s), stop.get_token()), Transfer::Stopped);
        QVERIFY(ChildProcess::Clock::now() - begin < 5s);
        stopper.join();
        // The stop is of that wait only.
        QCOMPARE(child.read(text, after(20ms), {}), Transfer::Deadline);
    }

    void killReachesHelpersOfTheChild() {
        ChildProcess child = ChildProcess::start(Shell, {"-c", "sleep 1000 & echo $!; wait"}).value();
        std::string text;
        QCOMPARE(child.read(text, after(10s), {}), Transfer::Done);
        const pid_t helper = std::atoi(text.c_str());
        QVERIFY(helper > 0 && isAlive(helper));
        child.kill();
        QVERIFY(child.waitForExit(after(5s)));
        // The orphan is someone else's child: it may linger as a zombie, but it runs no more.
        QTRY_VERIFY_WITH_TIMEOUT(
            !isAlive(helper) ||
                [&] {
                    QFile stat(QStringLiteral("/proc/%1/stat").arg(helper));
                    return !stat.open(QIODevice::ReadOnly) || stat.readAll().contains(") Z ");
                }(),
            5000);
    }

    void destructionLeavesNoProcess() {
        pid_t pid = -1;
        {
            const ChildProcess child = ChildProcess::start("/bin/sleep", {"1000"}).value();
            pid = child.pid();
            QVERIFY(isAlive(pid));
        }
        QVERIFY(!isAlive(pid)); // a zombie would still be there
    }

    void noDescriptorLeaks() {
        const std::size_t before = openDescriptors();
        for (int i = 0; i < 20; ++i) {
            ChildProcess child = ChildProcess::start("/bin/true", {}).value();
            ChildProcess moved = std::move(child);
            child = ChildProcess::start("/bin/true", {}).value();
            (void)ChildProcess::start("/nonexistent/program", {});
        }
        QCOMPARE(openDescriptors(), before);
    }

    void childInheritsOnlyThreeDescriptors() {
        const int leaked = ::dup(0); // without close-on-exec
        ChildProcess child = ChildProcess::start(Shell, {"-c", "ls /proc/$$/fd"}).value();
        child.closeInput();
        const std::string listing = readAll(child);
        ::close(leaked);
        QCOMPARE(listing, std::string("0\n1\n2\n"));
    }

    void addressSpaceLimitHolds() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("the limit is for programs that are not instrumented");
#endif
        // Reads a line first, so that the limit is in force when it allocates.
        ChildProcess child =
            ChildProcess::start(Shell, {"-c", "read go; exec dd if=/dev/zero of=/dev/null bs=400M count=1"}, {.addressSpaceBytes = 200'000'000})
                .value();
        QCOMPARE(child.write("go\n", after(5s), {}), Transfer::Done);
        QVERIFY(child.waitForExit(after(10s)));
        QVERIFY2(child.ending().starts_with("exited with status 1"), child.ending().c_str());
    }

    void cpuLimitHolds() {
        ChildProcess child = ChildProcess::start(Shell, {"-c", "while :; do :; done"}, {.cpuSeconds = 1}).value();
        QVERIFY(child.waitForExit(after(60s)));
        QVERIFY2(child.ending().starts_with("killed by signal"), child.ending().c_str());
    }

    void siblingIsLookedForBesideTheProgram() {
        const Result<std::string> self = siblingProgram("tst_process");
        QVERIFY(self);
        QVERIFY(self->ends_with("/tst_process"));
        const Result<std::string> none = siblingProgram("no-such-program");
        QCOMPARE(none.error().code, ErrorCode::NotFound);
        QVERIFY(none.error().message.find("/no-such-program") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestProcess)
#include "tst_process.moc"
