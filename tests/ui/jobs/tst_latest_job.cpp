#include "ui/jobs/job_list_model.h"
#include "ui/jobs/latest_job.h"

#include <QAbstractItemModelTester>
#include <QElapsedTimer>
#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <thread>

using namespace lemmascope;

namespace {

/// Work that takes `ms` and, unless deaf, polls its token.
std::function<Result<int>(const JobContext&)> work(int answer, int ms, bool deaf = false, std::atomic<int>* running = nullptr) {
    return [=](const JobContext& context) -> Result<int> {
        if (running != nullptr) {
            ++*running;
        }
        const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
        while (std::chrono::steady_clock::now() < until) {
            if (context.stop.stop_requested() && !deaf) {
                break;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        if (running != nullptr) {
            --*running;
        }
        if (context.stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "stopped");
        }
        return answer;
    };
}

QString state(const JobListModel& jobs, int row) { return jobs.index(row, JobListModel::PhaseColumn).data().toString(); }

} // namespace

class TestLatestJob : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void whatIsDroppedIsFreedElsewhere() {
        struct Large {
            std::promise<std::thread::id>* told = nullptr;
            ~Large() { told->set_value(std::this_thread::get_id()); }
        };
        for (const bool made : {true, false}) {
            std::promise<std::thread::id> told;
            auto freed = told.get_future();
            auto own = std::make_unique<Large>();
            own->told = &told;
            std::shared_ptr<Large> large = made ? freedInBackground(std::move(own)) : freedInBackground(std::shared_ptr<Large>(std::move(own)));
            std::shared_ptr<const void> part(large, &told);
            large.reset(); // a part of it still owns the whole
            QVERIFY(freed.wait_for(std::chrono::milliseconds(20)) == std::future_status::timeout);
            part.reset();
            QVERIFY(freed.get() != std::this_thread::get_id());
        }
    }

    void stoppedWorkIsCountedUntilItReturns() {
        LatestJob job(QStringLiteral("job"), nullptr);
        const int before = LatestJob::workingThreads();
        job.start<int>(work(1, 100, true), [](const Result<int>&) {});
        job.stop();
        QVERIFY(!job.isRunning());
        QCOMPARE(LatestJob::workingThreads(), before + 1);
        QTRY_COMPARE(LatestJob::workingThreads(), before);
    }

    void resultArrivesOnTheThreadThatAsked() {
        JobListModel jobs;
        LatestJob job(QStringLiteral("job"), &jobs);
        QThread* thread = nullptr;
        int answer = 0;
        job.start<int>(work(42, 10), [&](Result<int> result) {
            thread = QThread::currentThread();
            answer = *result;
        });
        QVERIFY(job.isRunning());
        QCOMPARE(answer, 0); // never from within start
        QTRY_COMPARE(answer, 42);
        QCOMPARE(thread, QThread::currentThread());
        QVERIFY(!job.isRunning());
        QCOMPARE(state(jobs, 0), QStringLiteral("done"));
    }

    void newStartStopsTheOneBefore() {
        JobListModel jobs;
        LatestJob job(QStringLiteral("job"), &jobs);
        std::vector<int> answers;
        for (int i = 0; i < 20; ++i) {
            job.start<int>(work(i, i == 19 ? 20 : 5'000), [&](Result<int> result) { answers.push_back(result.value_or(-1)); });
        }
        QTRY_COMPARE(answers.size(), std::size_t{1});
        QTest::qWait(50);
        QCOMPARE(answers, std::vector<int>{19});
        QCOMPARE(jobs.rowCount(), 20);
        QCOMPARE(state(jobs, 19), QStringLiteral("stopped"));
    }

    void stoppedJobDeliversNothing_data() {
        QTest::addColumn<bool>("deaf");
        QTest::newRow("listens") << false;
        QTest::newRow("deaf") << true;
    }
    void stoppedJobDeliversNothing() {
        QFETCH(bool, deaf);
        JobListModel jobs;
        LatestJob job(QStringLiteral("job"), &jobs);
        QSignalSpy stopped(&job, &LatestJob::stopped);
        bool delivered = false;
        job.start<int>(work(1, 300, deaf), [&](Result<int>) { delivered = true; });
        QElapsedTimer clock;
        clock.start();
        job.stop();
        QVERIFY2(clock.elapsed() < 50, qPrintable(QString::number(clock.elapsed()))); // even when the work is deaf
        QVERIFY(!job.isRunning());
        QCOMPARE(stopped.count(), 1);
        QTest::qWait(500);
        QVERIFY(!delivered);
    }

    void stopsRandomlyWithoutLosingCount() {
        JobListModel jobs;
        QAbstractItemModelTester tester(&jobs, QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::atomic<int> running{0};
        int delivered = 0;
        {
            LatestJob job(QStringLiteral("job"), &jobs);
            int expected = 0;
            for (int i = 0; i < 200; ++i) {
                job.start<int>(work(i, i % 7, false, &running), [&](Result<int>) { ++delivered; });
                if (i % 3 == 0) {
                    QTest::qWait(i % 5);
                }
                if (job.isRunning() && i % 2 == 0) {
                    job.stop();
                }
                expected = delivered;
            }
            QVERIFY(delivered >= expected);
        }
        QCOMPARE(running.load(), 0); // the destructor waited
        const int after = delivered;
        QTest::qWait(50);
        QCOMPARE(delivered, after);
        QCOMPARE(jobs.runningCount(), 0);
        QCOMPARE(jobs.rowCount(), JobListModel::KeptJobs);
    }

    void exceptionsBecomeErrors() {
        JobListModel jobs;
        LatestJob job(QStringLiteral("job"), &jobs);
        std::optional<Error> error;
        job.start<int>([](const JobContext&) -> Result<int> { throw std::bad_alloc(); }, [&](Result<int> result) { error = result.error(); });
        QTRY_VERIFY(error.has_value());
        QCOMPARE(error->code, ErrorCode::Internal);
        QVERIFY(state(jobs, 0).startsWith(QStringLiteral("failed")));
    }

    void deliveryMayStartTheNextOrDeleteTheJob() {
        auto job = std::make_unique<LatestJob>(QStringLiteral("job"), nullptr);
        bool second = false;
        job->start<int>(work(1, 1), [&](Result<int>) {
            job->start<int>(work(2, 1), [&](Result<int>) {
                second = true;
                job.reset();
            });
        });
        QTRY_VERIFY(second);
        QVERIFY(job == nullptr);
    }

    void progressIsThrottledAndHonest() {
        JobListModel jobs;
        LatestJob job(QStringLiteral("job"), &jobs);
        QSignalSpy progressed(&job, &LatestJob::progressed);
        bool done = false;
        job.start<int>(
            [](const JobContext& context) -> Result<int> {
                for (std::size_t i = 0; i < 100'000; ++i) {
                    context.report({QStringLiteral("counting"), i, 100'000});
                }
                std::this_thread::sleep_for(std::chrono::milliseconds(100));
                return 1;
            },
            [&](Result<int>) { done = true; });
        QTRY_VERIFY(progressed.count() > 0);
        QTRY_COMPARE(jobs.index(0, JobListModel::ProgressColumn).data().toString(), QStringLiteral("99999 of 100000"));
        QTRY_VERIFY(done);
        QVERIFY2(progressed.count() < 50'000, qPrintable(QString::number(progressed.count())));
        job.start<int>(work(1, 50), [](Result<int>) {});
        QCOMPARE(jobs.index(0, JobListModel::ProgressColumn).data().toString(), QString()); // no count is known: none is shown
        job.stop();
    }

    void listStopsJobs() {
        JobListModel jobs;
        QAbstractItemModelTester tester(&jobs, QAbstractItemModelTester::FailureReportingMode::QtTest);
        LatestJob first(QStringLiteral("first"), &jobs);
        LatestJob second(QStringLiteral("second"), &jobs);
        first.start<int>(work(1, 10'000), [](Result<int>) {});
        second.start<int>(work(2, 10'000), [](Result<int>) {});
        QCOMPARE(jobs.runningCount(), 2);
        jobs.stop(1);
        QVERIFY(!first.isRunning());
        QVERIFY(second.isRunning());
        jobs.stop(1); // again: nothing
        jobs.stop(-1);
        jobs.stopAll();
        QCOMPARE(jobs.runningCount(), 0);
    }
};

QTEST_GUILESS_MAIN(TestLatestJob)
#include "tst_latest_job.moc"
