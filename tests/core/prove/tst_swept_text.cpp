// Texts of swept lemmas: whatever is exported as the text of a lemma that holds is decided so by a solver that knows nothing of how it was
// proved; what cannot be stated says why.

#include "core/prove/check.h"
#include "core/worker/solver.h"
#include "core/worker/worker_pool.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

using namespace lemmascope;
using lemmascope::test::parseGraph;

class TestSweptText : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void textsAreUnsatisfiable_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("says"); // part of a text; empty: a lemma without one, which says why
        const auto row = [](const char* name, const char* a, const char* b, const char* says) { QTest::newRow(name) << a << b << says; };
        row("a number", "in x f32[2]; const c f32[] 3; y = Div(x, c); out y", "in x f32[2]; const c f32[] 0.33333334; y = Mul(x, c); out y",
            "stands for 1/3");
        row("an array", "in x f32[3]; const c f32[3] 3 7 5; y = Div(x, c); out y",
            "in x f32[3]; const d f32[3] 0.33333334 0.14285715 0.2; y = Mul(x, d); out y", "stands for 1/7");
        row("a folded sum", "in x f32[2]; const a f32[2] 0.1 0.3; const b f32[2] 0.7 0.11; s = Add(x, a); y = Mul(s, b); out y",
            "in x f32[2]; const b f32[2] 0.7 0.11; const f f32[2] 0.07 0.033; m = Mul(x, b); y = Add(m, f); out y", "stands for");
        row("a root", "in x f32[2]; const v f32[] 3; r = Sqrt(v); y = Div(x, r); out y",
            "in x f32[2]; const c f32[] 0.57735026; y = Mul(x, c); out y", "^(");
        row("at every size", "in x f32[n,m]; const c f32[] 3; d = Div(x, c); y = Exp(d); out y",
            "in x f32[n,m]; const c f32[] 0.33333334; d = Mul(x, c); y = Exp(d); out y", "stands for 1/3");
        row("below a product at every size",
            "in x f32[n,4]; in w f32[4,4]; const c f32[] 3; d = Div(x, c); m = MatMul(d, w); e = Exp(m); s = ReduceSum@11(e) axes=[1]; y = Div(e, "
            "s); out y",
            "in x f32[n,4]; in w f32[4,4]; const c f32[] 0.33333334; d = Mul(x, c); m = MatMul(d, w); y = Softmax(m) axis=1; out y",
            "stands for 1/3");
        row("an attribute", "in x f32[2]; const s f32[] 6; const h f32[] 3; const z f32[] 0; a = Add(x, h); k = Clip(a, z, s); y = Div(k, s); out y",
            "in x f32[2]; y = HardSigmoid(x) alpha=0.16666667 beta=0.5; out y", "");
    }
    void textsAreUnsatisfiable() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QString, says);
        CheckServices services;
        services.solver = &m_pool;
        const Result<CheckResult> result = check(parseGraph(reference.toStdString()), parseGraph(rewritten.toStdString()), {}, services);
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        QVERIFY2(verdictLine(*result).starts_with("proved: rounded"), verdictLine(*result).c_str());
        bool said = false;
        for (const LemmaResult& lemma : result->lemmas) {
            QCOMPARE(lemma.verdict, LemmaVerdict::Holds);
            QVERIFY(lemma.text.empty() || lemma.noText.empty());
            said = said || (says.isEmpty() ? !lemma.noText.empty() : lemma.text.find(says.toStdString()) != std::string::npos);
            if (!lemma.text.empty()) {
                SolverRequest request;
                request.script = lemma.text;
                const Result<SolverAnswer> answer = m_pool.ask(request, {});
                QVERIFY(answer.has_value());
                QVERIFY2(answer->status == SolverAnswer::Status::Unsat, lemma.text.c_str());
            }
        }
        QVERIFY2(said, result->lemmas.empty() ? "no lemma" : (result->lemmas.back().text + result->lemmas.back().noText).c_str());
    }

    // One digit more is no rounding: neither proved nor stated as if it held.
    void wrongTwinsHaveNoSuchText() {
        const auto reference = parseGraph("in x f32[2]; const c f32[] 3; y = Div(x, c); out y");
        const auto rewritten = parseGraph("in x f32[2]; const c f32[] 0.3333343; y = Mul(x, c); out y");
        const Result<CheckResult> result = check(reference, rewritten);
        QVERIFY(result.has_value() && result->verdict != Verdict::Proved);
        for (const LemmaResult& lemma : result->lemmas) {
            QVERIFY(lemma.text.find("stands for") == std::string::npos);
        }
    }

  private:
    WorkerPool m_pool{{.executable = LEMMASCOPE_BIN_DIR "/lemmascope-cli", .workers = 1}};
};

QTEST_APPLESS_MAIN(TestSweptText)
#include "tst_swept_text.moc"
