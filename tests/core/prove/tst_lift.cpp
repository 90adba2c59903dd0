// Differences that show only where an inner value reaches a certain number: found, small, and never made up.

#include "core/prove/check.h"
#include "core/worker/worker_pool.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

using namespace lemmascope;
using lemmascope::test::parseGraph;

class TestLift : public QObject {
    Q_OBJECT

    WorkerPool m_pool{[] {
        WorkerPool::Options options;
        options.executable = std::string(LEMMASCOPE_BIN_DIR) + "/lemmascope-cli";
        return options;
    }()};
    [[nodiscard]] CheckServices services() {
        CheckServices out;
        out.solver = &m_pool;
        return out;
    }

  private Q_SLOTS:
    void whatRandomInputsDoNotReachIsFound_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<int>("places"); // elements of a counterexample that are not 0, at most
        const auto row = [](const char* name, const std::string& reference, const std::string& rewritten, int places = 1) {
            QTest::newRow(name) << QString::fromStdString(reference) << QString::fromStdString(rewritten) << places;
        };
        const std::string sum = "in x f32[n,4]; const k f32[] 0.25; const c f32[] 0.703125; a = Add(x, k); ";
        row("strict or not", sum + "g = Greater(a, c); y = Cast(g) to=1; out y", sum + "g = GreaterOrEqual(a, c); y = Cast(g) to=1; out y");
        const std::string whole = "in x i32[n,4]; const k i32[] 37; ";
        row("one integer", whole + "const c i32[] 12345; a = Add(x, k); g = Equal(a, c); y = Cast(g) to=6; out y",
            whole + "const c i32[] 12346; a = Add(x, k); g = Equal(a, c); y = Cast(g) to=6; out y");
        const std::string product = "in x f32[n,4]; const w f32[4,4] 1 2 3 4 5 6 7 8 9 1 2 3 4 5 6 7; a = MatMul(x, w); ";
        row("far away", product + "const h f32[] 500000; b = Min(a, h); y = Relu(b); out y",
            product + "const h f32[] 500001; b = Min(a, h); y = Relu(b); out y");
        const std::string narrow = "in x f32[n,4]; a = Mul(x, x); const c f32[] 2; e = Sub(a, c); g = Abs(e); ";
        row("between two thresholds", narrow + "const t f32[] 0.001; h = Less(g, t); y = Cast(h) to=1; out y",
            narrow + "const t f32[] 0.0005; h = Less(g, t); y = Cast(h) to=1; out y");
        const std::string deep =
            "in x f32[4,4]; const w f32[4,4] 1 2 -3 4 5 6 7 -8 9 1 2 3 4 -5 6 7; a = MatMul(x, w); b = Relu(a); c = MatMul(b, w); ";
        row("behind two layers", deep + "const h f32[] 123456; d = Min(c, h); e = Neg(d); y = Transpose(e) perm=[1,0]; out y",
            deep + "const h f32[] 123400; d = Min(c, h); e = Neg(d); y = Transpose(e) perm=[1,0]; out y");
    }

    void whatRandomInputsDoNotReachIsFound() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(int, places);
        const Result<CheckResult> result = check(parseGraph(reference.toStdString()), parseGraph(rewritten.toStdString()), {}, services());
        QVERIFY(result.has_value());
        QVERIFY2(result->verdict == Verdict::Refuted && result->counterexample, verdictLine(*result).c_str());
        int set = 0;
        for (const auto& [name, tensor] : result->counterexample->inputs) {
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                set += tensor.toDouble(i) != 0.0 ? 1 : 0;
            }
        }
        QVERIFY(set <= places);
        for (const auto& [symbol, size] : result->counterexample->sizes) {
            QCOMPARE(size, std::int64_t{1});
        }
    }

    void nothingIsMadeUp_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::newRow("turned round") << "in x f32[n,4]; in z f32[n,4]; g = Greater(x, z); y = Cast(g) to=1; out y"
                                      << "in x f32[n,4]; in z f32[n,4]; g = Less(z, x); y = Cast(g) to=1; out y";
        QTest::newRow("the same at the tie")
            << "in x f32[n,4]; const k f32[] 0.25; const c f32[] 0.75; a = Add(x, k); g = Greater(a, c); y = Where(g, a, c); out y"
            << "in x f32[n,4]; const k f32[] 0.25; const c f32[] 0.75; a = Add(x, k); g = GreaterOrEqual(a, c); y = Where(g, a, c); out y";
        // 0.3 x never is 0.7 for a number x of the type.
        QTest::newRow("no number reaches the tie")
            << "in x f32[n,4]; const k f32[] 0.3; const c f32[] 0.7; a = Mul(x, k); g = Less(a, c); y = Cast(g) to=1; out y"
            << "in x f32[n,4]; const k f32[] 0.3; const c f32[] 0.7; a = Mul(x, k); g = LessOrEqual(a, c); y = Cast(g) to=1; out y";
        QTest::newRow("bounds that are never met") << "in x u8[n,4]; b = Cast(x) to=6; const h i32[] 255; y = Min(b, h); out y"
                                                   << "in x u8[n,4]; b = Cast(x) to=6; const h i32[] 300; y = Min(b, h); out y";
    }

    void nothingIsMadeUp() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        const Result<CheckResult> result = check(parseGraph(reference.toStdString()), parseGraph(rewritten.toStdString()), {}, services());
        QVERIFY(result.has_value());
        QVERIFY2(result->verdict != Verdict::Refuted, verdictLine(*result).c_str());
    }
};

QTEST_APPLESS_MAIN(TestLift)
#include "tst_lift.moc"
