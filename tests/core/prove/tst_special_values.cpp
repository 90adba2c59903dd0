// `--special-values`: what NaN, infinities, zeros, subnormals and overflow do is a caveat with the input, and nothing where both graphs
// treat them alike.

#include "core/prove/check.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

#include <limits>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

std::vector<std::string> findings(const CheckResult& result) {
    std::vector<std::string> out;
    for (const Remark& remark : result.caveats) {
        if (remark.kind == "special-values") {
            out.push_back(remark.text);
        }
    }
    return out;
}

bool anyHas(const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&](const std::string& text) { return text.find(part) != std::string::npos; });
}

} // namespace

class TestSpecialValues : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void differencesAreCaveats_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<QString>("caveat"); // a part of one finding; empty: both agree in class
        const auto row = [](const char* name, const char* a, const char* b, const char* verdict, const char* text) {
            QTest::newRow(name) << a << b << verdict << text;
        };
        row("x * 0 as x - x", "in x f32[2]; const z f32[] 0; y = Mul(x, z); out y", "in x f32[2]; y = Sub(x, x); out y", "proved",
            "y[0] is -0, rewritten 0, where the inputs are ordinary numbers");
        row("x * 0 as 0", "in x f32[2]; const z f32[] 0; y = Mul(x, z); out y", "in x f32[2]; const z f32[2] 0 0; y = Identity(z); out y", "proved",
            "y[0] is nan, rewritten 0, where x[0] is inf");
        row("NaN passes", "in x f32[2]; const z f32[] 0; c = Greater(x, z); y = Where(c, x, z); out y", "in x f32[2]; y = Relu(x); out y", "",
            "y[0] is 0, rewritten nan, where x[0] is nan");
        row("overflow of exp", "in x f32[2]; e = Exp(x); y = Log(e); out y", "in x f32[2]; y = Identity(x); out y", "proved",
            "where x[0] is the largest finite number");
        row("sign of zero", "in x f32[2]; y = Identity(x); out y", "in x f32[2]; const z f32[] 0; y = Add(x, z); out y", "proved",
            "y[0] is -0, rewritten 0, where x[0] is -0");
        row("a sum that overflows", "in x f32[2]; in z f32[2]; a = Add(x, x); b = Sub(z, x); y = Add(a, b); out y",
            "in x f32[2]; in z f32[2]; y = Add(x, z); out y", "proved", "where");
        row("the same in other words", "in x f32[2]; y = Relu(x); out y", "in x f32[2]; const z f32[] 0; y = Max(x, z); out y", "proved", "");
        row("another op", "in x f32[2]; y = Neg(x); out y", "in x f32[2]; const m f32[] -1; y = Mul(x, m); out y", "proved", "");
        row("half precision", "in x f16[2]; a = Mul(x, x); y = Sqrt(a); out y", "in x f16[2]; y = Abs(x); out y", "",
            "y[0] is inf, rewritten 65504, where x[0] is the largest finite number");
        row("no floats", "in x i32[2]; y = Neg(x); out y", "in x i32[2]; z = Neg(x); y = Identity(z); out y", "proved",
            "no input is of a float type");
    }
    void differencesAreCaveats() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        QFETCH(QString, verdict);
        QFETCH(QString, caveat);
        CheckOptions options;
        const auto a = parseGraph(reference.toStdString());
        const auto b = parseGraph(rewritten.toStdString());
        const Result<CheckResult> without = check(a, b, options);
        options.specialValues = true;
        const Result<CheckResult> result = check(a, b, options);
        QVERIFY2(result.has_value() && without.has_value(), result ? "" : result.error().message.c_str());
        QCOMPARE(QString::fromStdString(verdictLine(*result)), QString::fromStdString(verdictLine(*without)));
        QVERIFY2(verdictLine(*result).starts_with(verdict.toStdString()), verdictLine(*result).c_str());
        QVERIFY(findings(*without).empty());
        const std::vector<std::string> found = findings(*result);
        QVERIFY(!found.empty());
        QVERIFY2(anyHas(found, caveat.isEmpty() ? "agree in class" : caveat.toStdString()), found.front().c_str());
        QCOMPARE(caveat.isEmpty(), anyHas(found, "agree in class"));
    }

    void theInputIsWrittenOut() {
        CheckOptions options;
        options.specialValues = true;
        const Result<CheckResult> result = check(parseGraph("in x f32[2]; const z f32[] 0; y = Mul(x, z); out y"),
                                                 parseGraph("in x f32[2]; const z f32[2] 0 0; y = Identity(z); out y"), options);
        QVERIFY(result.has_value());
        QVERIFY(anyHas(findings(*result), "on x = [inf,"));
    }

    void innerValuesThatPartAreNamed() {
        CheckOptions options;
        options.specialValues = true;
        const Result<CheckResult> result = check(
            parseGraph("in x f32[2]; d = Sub(x, x); e = Exp(d); y = Neg(e); out y"),
            parseGraph(
                "in x f32[2]; const z f32[] 0; t = Relu(x); s = Neg(x); u = Relu(s); v = Sub(t, u); d = Sub(v, x); e = Exp(d); y = Neg(e); out y"),
            options);
        QVERIFY(result.has_value());
        const std::vector<std::string> found = findings(*result);
        QVERIFY2(!found.empty(), verdictLine(*result).c_str());
    }

    void amongTheUsersTensors() {
        CheckOptions options;
        options.specialValues = true;
        options.userInputs.emplace_back("x", Tensor::of<float>(ElementType::F32, {3}, {7.5F, 6.25F, 5.125F}));
        const auto reference = parseGraph("in x f32[n]; const z f32[] 0; y = Mul(x, z); out y");
        const auto rewritten = parseGraph("in x f32[n]; y = Sub(x, x); t = Sub(y, y); const o f32[] 0; c = Equal(t, o); w = Where(c, o, o); out w");
        const Result<CheckResult> result = check(reference, rewritten, options);
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        const std::vector<std::string> found = findings(*result);
        QVERIFY2(anyHas(found, "on x = [nan,6.25,5.125]"), found.empty() ? "" : found.front().c_str());
    }

    void theUsersTensorsThemselvesMayBeSpecial() {
        CheckOptions options;
        options.specialValues = true;
        options.userInputs.emplace_back("x", Tensor::of<float>(ElementType::F32, {2}, {1.0F, std::numeric_limits<float>::infinity()}));
        const Result<CheckResult> result = check(parseGraph("in x f32[2]; const z f32[] 0; y = Mul(x, z); out y"),
                                                 parseGraph("in x f32[2]; const z f32[2] 0 0; y = Identity(z); out y"), options);
        QVERIFY(result.has_value());
        QVERIFY(anyHas(findings(*result), "y[1] is nan, rewritten 0, where the given tensors are taken as they are"));
    }
};

QTEST_APPLESS_MAIN(TestSpecialValues)
#include "tst_special_values.moc"
