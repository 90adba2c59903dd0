// Verdicts that rest on samples alone: only when asked for, only with a bound, and never for a pair that differs.
#include "core/prove/check.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

#include <algorithm>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

/// (a+b+c)^16 (d+e+f)^16 in two ways whose expansions pass the normal form's budget.
const std::string Inputs = "in a f32[2]; in b f32[2]; in c f32[2]; in d f32[2]; in e f32[2]; in f f32[2]; ";
const std::string Power = "w1 = Mul(w, w); w2 = Mul(w1, w1); w3 = Mul(w2, w2); y = Mul(w3, w3); out y";
const std::string Factored = Inputs + "u = Sum(a, b, c); v = Sum(d, e, f); u1 = Mul(u, u); u2 = Mul(u1, u1); u3 = Mul(u2, u2); u4 = Mul(u3, u3); "
                                      "v1 = Mul(v, v); v2 = Mul(v1, v1); v3 = Mul(v2, v2); v4 = Mul(v3, v3); y = Mul(u4, v4); out y";
const std::string Products =
    "p = Mul(a, d); q = Mul(a, e); r = Mul(a, f); s = Mul(b, d); t = Mul(b, e); u = Mul(b, f); x = Mul(c, d); z = Mul(c, e); ";

CheckResult checked(const std::string& reference, const std::string& rewritten, Strength wanted) {
    CheckOptions options;
    options.wanted = wanted;
    options.timeSeconds = 30;
    const Result<CheckResult> result = check(parseGraph(reference), parseGraph(rewritten), options);
    return result ? *result : CheckResult{};
}

} // namespace

class TestCheckSample : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aPolynomialBeyondTheNormalFormIsProbableOnlyWhenAskedFor() {
        const std::string expanded = Inputs + Products + "g = Mul(c, f); w = Sum(p, q, r, s, t, u, x, z, g); " + Power;
        const CheckResult asked = checked(Factored, expanded, Strength::Probable);
        QCOMPARE(QString::fromStdString(verdictLine(asked)), QString("proved: probable"));
        QVERIFY(asked.errorProbability && *asked.errorProbability > 0.0 && *asked.errorProbability < 0x1p-40);
        const CheckResult plain = checked(Factored, expanded, Strength::Rounded);
        QVERIFY(plain.verdict != Verdict::Proved && plain.verdict != Verdict::Refuted);
        QVERIFY(!plain.errorProbability);
    }

    void aDifferentPolynomialIsNotProbable() {
        const std::string wrong = Inputs + Products + "g = Mul(c, e); w = Sum(p, q, r, s, t, u, x, z, g); " + Power;
        const CheckResult result = checked(Factored, wrong, Strength::Probable);
        QVERIFY(result.verdict != Verdict::Proved);
    }

    void symbolicSizesAndBranchesAreNoVerdict() {
        // The same pair at any size, and behind a choice: samples agree, and say why that is no verdict.
        std::string symbolic = Factored;
        std::string other = Inputs + Products + "g = Mul(c, f); w = Sum(p, q, r, s, t, u, x, z, g); " + Power;
        for (std::string* text : {&symbolic, &other}) {
            for (std::size_t at = text->find("[2]"); at != std::string::npos; at = text->find("[2]")) {
                text->replace(at, 3, "[n]");
            }
        }
        const CheckResult sizes = checked(symbolic, other, Strength::Probable);
        QVERIFY(sizes.verdict != Verdict::Proved && sizes.verdict != Verdict::Refuted);
        const auto says = [](const CheckResult& result, const char* text) {
            return std::any_of(result.caveats.begin(), result.caveats.end(),
                               [&](const Remark& remark) { return remark.kind == "samples" && remark.text.find(text) != std::string::npos; });
        };
        QVERIFY(says(sizes, "one size"));
        std::string chosen = Factored;
        chosen.replace(chosen.find("u = Sum(a, b, c)"), 16, "k = Relu(a); j = Neg(a); m = Relu(j); i = Sub(k, m); u = Sum(i, b, c)");
        const CheckResult pieces =
            checked(chosen, Inputs + Products + "g = Mul(c, f); w = Sum(p, q, r, s, t, u, x, z, g); " + Power, Strength::Probable);
        QVERIFY(pieces.verdict != Verdict::Proved && pieces.verdict != Verdict::Refuted);
        QVERIFY(says(pieces, "branches"));
    }

    void aDivisorOnOneSideIsNoVerdict() {
        const CheckResult result = checked("in x f32[2]; y = Identity(x); out y",
                                           "in x f32[2]; in2 = Identity(x); q = Div(x, x); y = Mul(q, in2); out y", Strength::Probable);
        QVERIFY(result.verdict != Verdict::Proved);
    }
};

QTEST_GUILESS_MAIN(TestCheckSample)
#include "tst_check_sample.moc"
