// A whole check on small pairs: verdicts, strengths, facts, sizes, stopping, renaming, and every case's graph against itself.

#include "core/format/load.h"
#include "core/prove/check.h"
#include "core/worker/worker_pool.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

#include <filesystem>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

std::string lineOf(const std::string& reference, const std::string& rewritten, LemmaSolver* solver = nullptr, const CheckOptions& options = {}) {
    CheckServices services;
    services.solver = solver;
    const Result<CheckResult> result = check(parseGraph(reference), parseGraph(rewritten), options, services);
    return result ? verdictLine(*result) : "error: " + result.error().message;
}

WorkerPool::Options workers() {
    WorkerPool::Options options;
    options.executable = std::string(LEMMASCOPE_BIN_DIR) + "/lemmascope-cli";
    options.workers = 1;
    return options;
}

// max(x, y) twice in other words: equal over the reals, but of no common normal form.
const std::string Max = "in x f32[2]; in y f32[2]; m = Max(x, y); z = Relu(m); out z";
const std::string Chosen = "in x f32[2]; in y f32[2]; c = Less(x, y); m = Where(c, y, x); z = Relu(m); out z";

} // namespace

class TestCheck : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void verdicts_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, const char* a, const char* b, const char* line) { QTest::newRow(name) << a << b << line; };
        row("itself", "in x f32[2,3]; y = Relu(x); out y", "in x f32[2,3]; other = Relu(x); y = Identity(other); out y", "proved: identical");
        row("commuted", "in x f32[2]; in z f32[2]; y = Add(x, z); out y", "in x f32[2]; in z f32[2]; y = Add(z, x); out y", "proved: open");
        row("associated", "in x f32[2]; in z f32[2]; a = Add(x, z); y = Add(a, x); out y",
            "in x f32[2]; in z f32[2]; a = Add(x, x); y = Add(a, z); out y", "proved: exact");
        row("another op", "in x f32[2]; y = Relu(x); out y", "in x f32[2]; y = Neg(x); out y", "refuted: value");
        row("operands exchanged", "in x f32[2]; in z f32[2]; y = Sub(x, z); out y", "in x f32[2]; in z f32[2]; y = Sub(z, x); out y",
            "refuted: value");
        row("x / x is not 1", "in x f32[2]; y = Div(x, x); out y", "in x f32[2]; z = Sub(x, x); y = Exp(z); out y", "!proved");
        row("open op", "in x f32[2]; y = custom::Foo(x); declare y f32[2]; out y", "in x f32[2]; y = custom::Foo(x); declare y f32[2]; out y",
            "proved");
        row("open op on other operands", "in x f32[2]; y = custom::Foo(x); declare y f32[2]; out y",
            "in x f32[2]; z = Neg(x); y = custom::Foo(z); declare y f32[2]; out y", "!proved");
        row("symbolic", "in x f32[n,m]; a = Transpose(x); b = Relu(a); y = Transpose(b); out y", "in x f32[n,m]; y = Relu(x); out y",
            "proved: identical");
        row("symbolic that differs", "in x f32[n,n]; y = Transpose(x); out y", "in x f32[n,n]; y = Identity(x); out y", "refuted: value");
    }
    void verdicts() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QString, line);
        const QString got = QString::fromStdString(lineOf(reference.toStdString(), rewritten.toStdString()));
        QVERIFY2(line.startsWith('!') ? !got.startsWith(line.mid(1)) && !got.startsWith("error") : got.startsWith(line), qPrintable(got));
    }

    void gathersOutOfRangeAreFound() {
        const std::string reference = "in x f32[4,2]; in i i64[1]; y = Gather(x, i); out y";
        const std::string shifted = "in x f32[4,2]; in i i64[1]; const o i64[1] 1; j = Add(i, o); y = Gather(x, j); out y";
        QVERIFY(lineOf(reference, shifted).starts_with("refuted"));
        QVERIFY(lineOf(reference, reference).starts_with("proved: identical"));
        CheckOptions narrow;
        narrow.inputRanges["i"] = {9, 9}; // no row 9: the reference has no answer at all
        const std::string line = lineOf(reference, shifted, nullptr, narrow);
        QVERIFY2(!line.starts_with("proved"), line.c_str());
    }

    void solverAndWithout() {
        WorkerPool pool(workers());
        const std::string with = lineOf(Max, Chosen, &pool);
        QVERIFY2(with.starts_with("proved"), with.c_str());
        const std::string wrong = "in x f32[2]; in y f32[2]; c = Less(x, y); m = Where(c, x, y); z = Relu(m); out z";
        QVERIFY(lineOf(Max, wrong, &pool).starts_with("refuted"));
        QVERIFY(!lineOf(Max, wrong).starts_with("proved"));
    }

    void runsAndNamesDoNotMatter() {
        WorkerPool pool(workers());
        CheckServices services;
        services.solver = &pool;
        const std::string renamed = "in p f32[2]; in q f32[2]; k = Less(p, q); t = Where(k, q, p); u = Relu(t); out u";
        const std::string renamedMax = "in p f32[2]; in q f32[2]; t = Max(p, q); u = Relu(t); out u";
        const Result<CheckResult> first = check(parseGraph(Max), parseGraph(Chosen), {}, services);
        const Result<CheckResult> second = check(parseGraph(Max), parseGraph(Chosen), {}, services);
        const Result<CheckResult> third = check(parseGraph(renamedMax), parseGraph(renamed), {}, services);
        QVERIFY(first && second && third);
        QVERIFY(first->lemmas == second->lemmas && first->outputs == second->outputs);
        QCOMPARE(verdictLine(*first), verdictLine(*second));
        QCOMPARE(first->lemmas.size(), third->lemmas.size());
        for (std::size_t k = 0; k < first->lemmas.size(); ++k) {
            QCOMPARE(first->lemmas[k].digest, third->lemmas[k].digest);
        }
    }

    void stopsAtOnce() {
        std::stop_source source;
        source.request_stop();
        const Result<CheckResult> result = check(parseGraph(Max), parseGraph(Chosen), {}, {}, source.get_token());
        QVERIFY(!result);
        QCOMPARE(result.error().code, ErrorCode::Cancelled);
    }

    void everyCaseIsItself() {
        std::vector<std::filesystem::path> files;
        for (const char* folder : {"onnx", "json"}) {
            for (const auto& entry : std::filesystem::directory_iterator(std::string(LEMMASCOPE_TEST_DATA) + "/cases/" + folder)) {
                if (entry.path().filename().string().find(".ref.") != std::string::npos) {
                    files.push_back(entry.path());
                }
            }
        }
        std::sort(files.begin(), files.end());
        QVERIFY(files.size() > 40);
        for (const std::filesystem::path& file : files) {
            const auto graph = loadGraph(file);
            QVERIFY2(graph, file.c_str());
            const Result<CheckResult> result = check(*graph, *graph);
            QVERIFY2(result, file.c_str());
            QVERIFY2(result->verdict == Verdict::Proved, (file.filename().string() + ": " + verdictLine(*result)).c_str());
            QVERIFY2(result->strength == Strength::Identical || result->strength == Strength::Open,
                     (file.filename().string() + ": " + verdictLine(*result)).c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestCheck)
#include "tst_check.moc"
