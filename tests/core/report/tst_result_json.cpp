#include "core/report/element_text.h"
#include "core/report/json_writer.h"
#include "core/report/junit.h"
#include "core/report/result_json.h"
#include "core/report/sarif.h"
#include "tests/core/report/results.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <cstring>
#include <limits>

using namespace lemmascope;
using namespace lemmascope::testing;
using Json = nlohmann::ordered_json;

// Compared as text: Qt's own comparison tries to turn a Json into its number types.
#define QCOMPARE_JSON(actual, expected) QCOMPARE((actual).dump(), Json(expected).dump())

class TestResultJson : public QObject {
    Q_OBJECT

    static std::vector<std::string> keysOf(const Json& object) {
        std::vector<std::string> keys;
        for (const auto& item : object.items()) {
            keys.push_back(item.key());
        }
        return keys;
    }

    static PairReport report(const std::string& name, const Result<CheckResult>& result) {
        return reportPair(name, name + ".ref.onnx", name + ".rew.onnx", result, Strength::Rounded);
    }

  private Q_SLOTS:
    void keysStandInTheOrderOfTheContract() {
        const Json json = Json::parse(resultJson(refutedResult()));
        const std::vector<std::string> wanted{"format",     "version",           "verdict",     "strength",  "kind",      "reason", "outputs",
                                              "lemmas",     "counterexample",    "blame",       "condition", "fault",     "race",   "cycle",
                                              "difference", "error_probability", "assumptions", "caveats",   "constants", "times",  "tool"};
        QCOMPARE(keysOf(json), wanted);
        QCOMPARE(keysOf(json["lemmas"][0]), (std::vector<std::string>{"id", "verdict", "rung", "digest", "reference", "rewritten", "reason"}));
        QCOMPARE(keysOf(json["outputs"][0]), (std::vector<std::string>{"name", "verdict", "strength", "kind", "reason"}));
        QCOMPARE(keysOf(json["counterexample"]), (std::vector<std::string>{"sizes", "inputs", "output", "index", "reference", "rewritten"}));
        QCOMPARE_JSON(json["verdict"], "refuted");
        QCOMPARE_JSON(json["kind"], "value");
        QVERIFY(json["strength"].is_null());
        QVERIFY(json["condition"].is_null());
        QCOMPARE_JSON(json["counterexample"]["index"], Json::parse("[0, 1]"));
        QCOMPARE_JSON(json["counterexample"]["rewritten"], 0.25);
        QCOMPARE_JSON(json["blame"][0]["attribute"], "axis");
        QCOMPARE_JSON(json["lemmas"][0]["reference"], Json::parse(R"(["soft"])"));
    }

    void sameResultGivesSameBytesButForTimesAndTool() {
        CheckResult a = refutedResult();
        CheckResult b = refutedResult();
        b.times.total = 3.5;
        b.times.solverCalls = 7;
        QVERIFY(resultJson(a) != resultJson(b));
        Json left = Json::parse(resultJson(a));
        Json right = Json::parse(resultJson(b));
        left.erase("times");
        right.erase("times");
        QCOMPARE(left.dump(), right.dump());
    }

    void unconfirmedCandidateIsNoCounterexample() {
        CheckResult result = refutedResult();
        result.verdict = Verdict::Unproved;
        result.kind.reset();
        result.counterexample->confirmed = false;
        QVERIFY(Json::parse(resultJson(result))["counterexample"].is_null());
    }

    void numbersReadBackExactly_data() {
        QTest::addColumn<double>("value");
        for (const double value : {0.1, 1.0 / 3.0, 1e-7, 1e300, -5e-324, 123456789.0, 2.5e-8}) {
            QTest::addRow("%g", value) << value;
        }
    }
    void numbersReadBackExactly() {
        QFETCH(double, value);
        JsonWriter wide;
        wide.number(value);
        QCOMPARE(Json::parse(wide.text()).get<double>(), value);
        JsonWriter narrow;
        narrow.number(static_cast<float>(value));
        if (std::isfinite(static_cast<float>(value))) {
            QCOMPARE(static_cast<float>(Json::parse(narrow.text()).get<double>()), static_cast<float>(value));
        } else {
            QCOMPARE_JSON(Json::parse(narrow.text()), value > 0 ? "inf" : "-inf");
        }
    }

    void shortestDecimalOfAFloatIsNotThatOfItsDouble() { QCOMPARE(shortestDecimal(0.1F), std::string("0.1")); }

    void whatJsonCannotHoldIsText() {
        const float inf = std::numeric_limits<float>::infinity();
        CheckResult result = refutedResult();
        result.counterexample->inputs[0].second = Tensor::of<float>(ElementType::F32, {4}, {std::nanf(""), inf, -inf, -0.0F});
        const Json data = Json::parse(resultJson(result))["counterexample"]["inputs"]["x"]["data"];
        QCOMPARE_JSON(data[0], "nan");
        QCOMPARE_JSON(data[1], "inf");
        QCOMPARE_JSON(data[2], "-inf");
        QVERIFY(std::signbit(data[3].get<double>()));
    }

    void integersOf64BitsStayIntegers() {
        const std::int64_t least = std::numeric_limits<std::int64_t>::min();
        const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
        CheckResult result = refutedResult();
        result.counterexample->inputs = {{"i", Tensor::of<std::int64_t>(ElementType::I64, {2}, {least, 9007199254740993})},
                                         {"u", Tensor::of<std::uint64_t>(ElementType::U64, {1}, {most})},
                                         {"b", Tensor::of<std::uint8_t>(ElementType::Bool, {2}, {1, 0})}};
        const Json inputs = Json::parse(resultJson(result))["counterexample"]["inputs"];
        QVERIFY(inputs["i"]["data"][0].is_number_integer());
        QCOMPARE(inputs["i"]["data"][0].get<std::int64_t>(), least);
        QCOMPARE(inputs["i"]["data"][1].get<std::int64_t>(), 9007199254740993);
        QCOMPARE(inputs["u"]["data"][0].get<std::uint64_t>(), most);
        QCOMPARE_JSON(inputs["b"]["data"], Json::parse("[1, 0]"));
        QCOMPARE_JSON(inputs["b"]["type"], "bool");
    }

    void hostileNamesStayValidJson() {
        CheckResult result = refutedResult();
        result.outputs[0].name = "a\"\\\n\x01\xff\xc3\x28 \xe2\x82\xac";
        const Json json = Json::parse(resultJson(result));
        QCOMPARE(json["outputs"][0]["name"].get<std::string>(), std::string("a\"\\\n\x01\xEF\xBF\xBD\xEF\xBF\xBD( \xe2\x82\xac"));
    }

    void pairsNameTheFirstThatIsNotProved() {
        const std::vector<PairReport> pairs{report("a", provedResult(Strength::Exact)), report("b", provedResult(Strength::Probable)),
                                            report("c", refutedResult())};
        const Json json = Json::parse(pairsJson(pairs));
        QCOMPARE_JSON(json["verdict"], "refuted");
        QCOMPARE_JSON(json["first"], 1);
        QCOMPARE(json["pairs"].size(), std::size_t{3});
        QCOMPARE_JSON(json["pairs"][2]["name"], "c");
        QCOMPARE_JSON(json["pairs"][2]["rewritten"], "c.rew.onnx");
        QCOMPARE_JSON(json["pairs"][2]["counterexample"]["rewritten"], 0.25);
        QCOMPARE(outcomeOf(pairs).status, 1);
        QVERIFY(Json::parse(pairsJson({pairs[0]}))["first"].is_null());
    }

    void aPairThatCannotBeReadIsNeitherProvedNorHidden() {
        const Result<CheckResult> missing = fail(ErrorCode::NotFound, "no such file", "x.onnx");
        const std::vector<PairReport> pairs{report("a", provedResult(Strength::Exact)), report("b", missing)};
        const Json json = Json::parse(pairsJson(pairs));
        QCOMPARE_JSON(json["verdict"], "undecided");
        QVERIFY(json["strength"].is_null());
        QCOMPARE_JSON(json["first"], 1);
        QVERIFY(json["pairs"][1]["verdict"].is_null());
        QCOMPARE_JSON(json["pairs"][1]["error"]["status"], 66);
        QCOMPARE(outcomeOf(pairs).status, 66);
        QCOMPARE(outcomeOf({pairs[1], report("c", refutedResult())}).status, 1);
    }

    void statusFollowsTheWantedStrength() {
        QCOMPARE(checkStatus(provedResult(Strength::Exact), Strength::Rounded), 0);
        QCOMPARE(checkStatus(provedResult(Strength::Exact), Strength::Exact), 0);
        QCOMPARE(checkStatus(provedResult(Strength::Rounded), Strength::Exact), 2);
        QCOMPARE(headline(provedResult(Strength::Rounded), Strength::Exact), std::string("proved: rounded (wanted exact)"));
        QCOMPARE(checkStatus(provedResult(Strength::Probable), Strength::Rounded), 2);
        QCOMPARE(checkStatus(refutedResult(), Strength::Probable), 1);
        CheckResult undecided = provedResult(Strength::Exact);
        undecided.verdict = Verdict::Undecided;
        QCOMPARE(checkStatus(undecided, Strength::Probable), 2);
    }

    void junitCountsEveryPairThatIsNotProvedAsWanted() {
        const Result<CheckResult> broken = fail(ErrorCode::BadData, "attribute <pads> & more", "x.onnx");
        CheckResult undecided = provedResult(Strength::Exact);
        undecided.verdict = Verdict::Undecided;
        undecided.reason = "time: 3 of 40 lemmas";
        const std::string xml =
            junitXml({report("a", provedResult(Strength::Exact)), report("b", undecided), report("c", refutedResult()), report("d", broken)});
        QVERIFY(xml.find("tests=\"4\" failures=\"2\" errors=\"1\"") != std::string::npos);
        QVERIFY(xml.find("type=\"undecided\" message=\"undecided: time: 3 of 40 lemmas\"") != std::string::npos);
        QVERIFY(xml.find("attribute &lt;pads&gt; &amp; more") != std::string::npos);
    }

    void sarifListsFindingsWithTheirPlace() {
        const Json json = Json::parse(sarifJson({report("a", provedResult(Strength::Exact)), report("dir/b c", refutedResult())}));
        QCOMPARE_JSON(json["version"], "2.1.0");
        const Json& results = json["runs"][0]["results"];
        QCOMPARE(results.size(), std::size_t{1});
        QCOMPARE_JSON(results[0]["ruleId"], "refuted");
        QCOMPARE_JSON(results[0]["level"], "error");
        QCOMPARE_JSON(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "dir/b%20c.rew.onnx");
        QCOMPARE_JSON(results[0]["locations"][0]["logicalLocations"][0]["fullyQualifiedName"], "rewritten/soft.axis");
    }

    void elementsShowDecimalAndBits() {
        const Tensor half = Tensor::of<std::uint16_t>(ElementType::F16, {1}, {0x3C00});
        QCOMPARE(elementText(half, 0), std::string("1"));
        QCOMPARE(elementBits(half, 0), std::string("0x3c00"));
        const Tensor wide = Tensor::of<std::int64_t>(ElementType::I64, {2, 2}, {0, 0, 0, -1});
        QCOMPARE(elementBits(wide, 3), std::string("0xffffffffffffffff"));
        QCOMPARE(flatIndex({2, 2}, {1, 1}), 3);
        QCOMPARE(flatIndex({2, 2}, {1, 2}), -1);
        QCOMPARE(indexText(indexOf({2, 2}, 2)), std::string("[1,0]"));
    }

    void zerosAndNansCompareAsEqual() {
        const Tensor a = Tensor::of<float>(ElementType::F32, {3}, {0.0F, std::nanf("1"), 1.0F});
        const Tensor b = Tensor::of<float>(ElementType::F32, {3}, {-0.0F, std::nanf("2"), 2.0F});
        QVERIFY(sameElement(a, b, 0));
        QVERIFY(sameElement(a, b, 1));
        QVERIFY(!sameElement(a, b, 2));
    }
};

QTEST_GUILESS_MAIN(TestResultJson)
#include "tst_result_json.moc"
