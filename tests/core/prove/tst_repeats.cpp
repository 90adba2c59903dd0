// Repeated layers: lemmas that say the same are one statement, decided once; layers that only look alike are not.

#include "core/prove/check.h"

#include "tests/core/prove/verdict_rows.h"

#include <QtTest/QTest>

#include <set>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

constexpr int Layers = 60;

/// Layers h -> `inner(r)` @ weights of the layer's own, r = `first(h)`; in layer `odd` r is another function of h.
std::string layered(const std::string& first, const std::string& inner, int odd = -1, const std::string& other = {}) {
    std::string out = "in h0 f32[n,2]; const c f32[] 0.5;";
    for (int k = 0; k < Layers; ++k) {
        const std::string l = std::to_string(k);
        std::string layer = inner;
        for (std::size_t at = layer.find('@'); at != std::string::npos; at = layer.find('@')) {
            layer.replace(at, 1, l);
        }
        out += "const w" + l + " f32[2,2] 0." + std::to_string(k + 1) + " 1 -1 0.25;";
        out += "r" + l + " = " + (k == odd ? other : first) + "(h" + l + ");";
        out += layer;
        out += "h" + std::to_string(k + 1) + " = MatMul(a" + l + ", w" + l + ");";
    }
    return out + "out h" + std::to_string(Layers);
}

/// Whether it is proved is all that is asked.
Result<CheckResult> tried(const std::string& reference, const std::string& rewritten) { return checked(reference, rewritten, true); }

} // namespace

class TestRepeats : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void layers_data() {
        QTest::addColumn<QString>("first");
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<int>("odd"); ///< layer that begins otherwise, -1: none
        QTest::addColumn<QString>("other");
        QTest::addColumn<QString>("line");
        const auto row = [](const char* name, const char* first, const char* a, const char* b, int odd, const char* other, const char* line) {
            QTest::newRow(name) << first << a << b << odd << other << line;
        };
        // The root of a square is the number itself where that is never negative.
        const char* root = "q@ = Mul(r@, r@); a@ = Sqrt(q@);";
        const char* plain = "a@ = Identity(r@);";
        row("a root of a square", "Relu", root, plain, -1, "", "proved: exact");
        row("one layer's may be negative", "Relu", root, plain, 17, "Neg", "!proved");
        row("the first layer's may be negative", "Relu", root, plain, 0, "Neg", "!proved");
        row("the last layer's may be negative", "Relu", root, plain, Layers - 1, "Neg", "!proved");
        // 0 x is 0 only where x is defined.
        const char* difference = "d@ = Sub(r@, r@); a@ = Add(d@, h@);";
        row("a difference from itself", "Exp", difference, plain, -1, "", "!proved");
        row("a difference from itself vanishes", "Exp", difference, "a@ = Identity(h@);", -1, "", "proved: exact");
        row("but not where it may be undefined", "Reciprocal", difference, "a@ = Identity(h@);", -1, "", "!proved");
        row("nor in one layer", "Exp", difference, "a@ = Identity(h@);", 5, "Reciprocal", "!proved");
        row("nor in the first layer", "Exp", difference, "a@ = Identity(h@);", 0, "Reciprocal", "!proved");
        // Halves of sums; in one layer the wrong half.
        row("a sum halved", "Tanh", "s@ = Add(r@, h@); a@ = Mul(s@, c);", "s@ = Mul(r@, c); t@ = Mul(h@, c); a@ = Add(s@, t@);", -1, "",
            "proved: exact");
        row("a sum halved in part", "Tanh", "s@ = Add(r@, h@); a@ = Mul(s@, c);", "s@ = Mul(r@, c); a@ = Add(s@, h@);", -1, "", "!proved");
    }
    void layers() {
        QFETCH(QString, first);
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(int, odd);
        QFETCH(QString, other);
        QFETCH(QString, line);
        const Result<CheckResult> result = tried(layered(first.toStdString(), reference.toStdString(), odd, other.toStdString()),
                                                 layered(first.toStdString(), rewritten.toStdString(), odd, other.toStdString()));
        QVERIFY2(result, result ? "" : result.error().message.c_str());
        const QString got = QString::fromStdString(verdictLine(*result));
        QVERIFY2(hasLine(got, line), qPrintable(got));
    }

    /// Every layer has its lemma, with one digest for all, whatever the weights.
    void lemmasThatSayTheSameHaveOneDigest() {
        const Result<CheckResult> result =
            tried(layered("Tanh", "s@ = Add(r@, h@); a@ = Mul(s@, c);"), layered("Tanh", "s@ = Mul(r@, c); t@ = Mul(h@, c); a@ = Add(s@, t@);"));
        QVERIFY(result);
        std::set<std::string> digests;
        for (const LemmaResult& lemma : result->lemmas) {
            QCOMPARE(lemma.verdict, LemmaVerdict::Holds);
            QVERIFY2(!lemma.text.empty(), lemma.title.c_str());
            QVERIFY2(lemma.text.starts_with("; " + lemma.title + "\n"), lemma.text.c_str());
            digests.insert(lemma.digest);
        }
        QCOMPARE(result->lemmas.size(), static_cast<std::size_t>(Layers));
        QVERIFY2(digests.size() <= 3, std::to_string(digests.size()).c_str());
    }

    /// An optimiser that renames what it folds: the operands of x * sigmoid(x) are found by how both are made.
    void valuesWithoutNamesAreFoundByTheirReaders_data() {
        QTest::addColumn<QString>("weights");
        QTest::addColumn<QString>("line");
        QTest::newRow("folded") << "0.050000001 0.16666667 0.15000001 0.58333331"
                                << "proved: rounded";
        QTest::newRow("folded wrongly") << "0.050000001 0.16666667 0.15000001 0.7"
                                        << "!proved";
    }
    void valuesWithoutNamesAreFoundByTheirReaders() {
        QFETCH(QString, weights);
        QFETCH(QString, line);
        const auto graph = [](const std::string& before, const std::string& u) {
            return "in x f32[n,2]; " + before + " g = Sigmoid(" + u + "); y = Mul(" + u + ", g); out y";
        };
        const Result<CheckResult> result =
            tried(graph("const w f32[2,2] 0.1 0.2 0.3 0.7; const m f32[2] 0.1 0.2; const v f32[2] 2 1.2; const b f32[2] 0.5 0.25;"
                        "a = MatMul(x, w); e = Sub(a, m); d = Div(e, v); u = Add(d, b);",
                        "u"),
                  graph("const k f32[2,2] " + weights.toStdString() + "; const o f32[2] 0.44999999 0.083333336; f = MatMul(x, k); other = Add(f, o);",
                        "other"));
        QVERIFY2(result, result ? "" : result.error().message.c_str());
        const QString got = QString::fromStdString(verdictLine(*result));
        QVERIFY2(hasLine(got, line), qPrintable(got));
    }
};

QTEST_APPLESS_MAIN(TestRepeats)
#include "tst_repeats.moc"
