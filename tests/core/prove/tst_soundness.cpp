// Pairs that a careless prover gets wrong, in our JSON: no verdict may be on the wrong side.

#include "core/format/json/json_reader.h"
#include "core/prove/check.h"
#include "core/worker/worker_pool.h"

#include <QtTest>

using namespace lemmascope;

class SoundnessTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void verdictIsNeverWrong_data();
    void verdictIsNeverWrong();

  private:
    WorkerPool m_pool{{.executable = LEMMASCOPE_BIN_DIR "/lemmascope-cli", .workers = 1}};
};

void SoundnessTest::verdictIsNeverWrong_data() {
    QTest::addColumn<QString>("head");      // inputs and constants of both
    QTest::addColumn<QString>("reference"); // nodes; output y
    QTest::addColumn<QString>("rewritten");
    QTest::addColumn<QString>("truth"); // equal, differs, or a verdict word that must come out
    const QString x =
        QStringLiteral(R"("inputs":[{"name":"x","type":"f32","shape":[3]}],"constants":[{"name":"inf","type":"f32","shape":[],"data":["inf"]},)"
                       R"({"name":"nan","type":"f32","shape":[],"data":["nan"]},{"name":"zero","type":"f32","shape":[],"data":[0]}])");
    const QString keep = QStringLiteral(R"({"op":"Identity","in":["x"],"out":["y"]})");
    QTest::newRow("x + inf - inf") << x << QStringLiteral(R"({"op":"Add","in":["x","inf"],"out":["q"]},{"op":"Sub","in":["q","inf"],"out":["y"]})")
                                   << keep << QStringLiteral("differs");
    QTest::newRow("x + inf * 0") << x << QStringLiteral(R"({"op":"Mul","in":["inf","zero"],"out":["d"]},{"op":"Add","in":["x","d"],"out":["y"]})")
                                 << keep << QStringLiteral("differs");
    QTest::newRow("x < nan as not x >= nan") << x << QStringLiteral(R"({"op":"Less","in":["x","nan"],"out":["y"]})")
                                             << QStringLiteral(
                                                    R"({"op":"GreaterOrEqual","in":["x","nan"],"out":["q"]},{"op":"Not","in":["q"],"out":["y"]})")
                                             << QStringLiteral("differs");
    QTest::newRow("0 * (1/x)") << x << QStringLiteral(R"({"op":"Reciprocal","in":["x"],"out":["r"]},{"op":"Mul","in":["r","zero"],"out":["y"]})")
                               << QStringLiteral(R"({"op":"Mul","in":["x","zero"],"out":["y"]})") << QStringLiteral("differs");
    // What an op without a form reads may be undefined: then so is what it gives.
    const QString vanishes = QStringLiteral(R"({"op":"Mul","in":["x","zero"],"out":["y"]})");
    const QString three = QStringLiteral(R"("inputs":[{"name":"x","type":"f32","shape":[3]}],"constants":[{"name":"zero","type":"f32","shape":[],)"
                                         R"("data":[0]},{"name":"k","type":"i64","shape":[1],"data":[3]}])");
    QTest::newRow("0 * TopK(log x)")
        << three
        << QStringLiteral(
               R"({"op":"Log","in":["x"],"out":["p"]},{"op":"TopK","in":["p","k"],"out":["v","i"]},{"op":"Sub","in":["v","v"],"out":["y"]})")
        << vanishes << QStringLiteral("differs");
    QTest::newRow("0 * Unique(log x)")
        << three
        << QStringLiteral(
               R"({"op":"Log","in":["x"],"out":["p"]},{"op":"Unique","in":["p"],"out":["u"]},{"op":"ReduceSum","in":["u"],"out":["s"]},)"
               R"({"op":"Sub","in":["s","s"],"out":["d"]},{"op":"Mul","in":["x","zero"],"out":["z"]},{"op":"Add","in":["z","d"],"out":["y"]})")
        << vanishes << QStringLiteral("differs");
    const QString ranged = QStringLiteral(
        R"("inputs":[{"name":"i","type":"i64","shape":[3],"range":[0,3]}],"constants":[{"name":"zero","type":"i64","shape":[],"data":[0]}])");
    QTest::newRow("max(i, 0) with i in [0,3]") << ranged << QStringLiteral(R"({"op":"Max","in":["i","zero"],"out":["y"]})")
                                               << QStringLiteral(R"({"op":"Identity","in":["i"],"out":["y"]})") << QStringLiteral("proved");
    const QString half = QStringLiteral(R"("inputs":[{"name":"x","type":"bf16","shape":[3]}])");
    QTest::newRow("bf16 through f16")
        << half
        << QStringLiteral(R"({"op":"Cast","in":["x"],"out":["a"],"attrs":{"to":10}},{"op":"Cast","in":["a"],"out":["b"],"attrs":{"to":16}},)"
                          R"({"op":"Cast","in":["b"],"out":["y"],"attrs":{"to":1}})")
        << QStringLiteral(R"({"op":"Cast","in":["x"],"out":["y"],"attrs":{"to":1}})") << QStringLiteral("differs");
    const QString gathered = QStringLiteral(R"("inputs":[{"name":"x","type":"f32","shape":[4]},{"name":"i","type":"i64","shape":[2],"range":[0,3]}],)"
                                            R"("constants":[{"name":"zero","type":"f32","shape":[],"data":[0]}])");
    QTest::newRow("comparison of a gathered narrowing cast")
        << gathered
        << QStringLiteral(
               R"({"op":"Cast","in":["x"],"out":["h"],"attrs":{"to":10}},{"op":"Gather","in":["h","i"],"out":["g"]},{"op":"Cast","in":["zero"],"out":["z"],"attrs":{"to":10}},)"
               R"({"op":"Greater","in":["g","z"],"out":["y"]})")
        << QStringLiteral(R"({"op":"Gather","in":["x","i"],"out":["g"]},{"op":"Greater","in":["g","zero"],"out":["y"]})")
        << QStringLiteral("differs");
    const QString integers =
        QStringLiteral(R"("inputs":[{"name":"a","type":"i32","shape":[2]}],"constants":[{"name":"two","type":"i32","shape":[],"data":[2]}])");
    QTest::newRow("a * 2 / 2") << integers << QStringLiteral(R"({"op":"Mul","in":["a","two"],"out":["m"]},{"op":"Div","in":["m","two"],"out":["y"]})")
                               << QStringLiteral(R"({"op":"Identity","in":["a"],"out":["y"]})") << QStringLiteral("refuted");

    // Bounds that bound nothing, and ones that bound everything.
    QTest::newRow("clip to infinity") << x << QStringLiteral(R"({"op":"Clip","in":["x","zero","inf"],"out":["y"]})")
                                      << QStringLiteral(R"({"op":"Relu","in":["x"],"out":["y"]})") << QStringLiteral("proved");
    QTest::newRow("clip from infinity") << x << QStringLiteral(R"({"op":"Clip","in":["x","inf"],"out":["y"]})") << keep << QStringLiteral("differs");
    QTest::newRow("clip to nan") << x << QStringLiteral(R"({"op":"Clip","in":["x","zero","nan"],"out":["y"]})")
                                 << QStringLiteral(R"({"op":"Relu","in":["x"],"out":["y"]})") << QStringLiteral("differs");

    // An If whose branches have different ranks, before an op that takes one rank only: it runs where m = 1, or where m is not 1.
    const QString ranks = QStringLiteral(
        R"("inputs":[{"name":"x","type":"f32","shape":["n",4,"m"]},{"name":"b","type":"bool","shape":[]}],"constants":[{"name":"w","type":"f32","shape":[4,2],"data":[1,2,3,4,5,6,7,8]},)"
        R"({"name":"i","type":"i64","shape":[],"data":[2]},{"name":"o","type":"i64","shape":[],"data":[1]},{"name":"a","type":"i64","shape":[1],"data":[2]},)"
        R"({"name":"k","type":"f32","shape":[1,2],"data":[1,2]}])");
    const QString condition = QStringLiteral(
        R"({"op":"Shape","in":["x"],"out":["s"]},{"op":"Gather","in":["s","i"],"out":["d"]},{"op":"Equal","in":["d","o"],"out":["c"]},)");
    const QString identity = QStringLiteral(R"({"inputs":[],"nodes":[{"op":"Identity","in":["x"],"out":["e"]}],"outputs":["e"]})");
    const QString squeeze = QStringLiteral(R"({"inputs":[],"nodes":[{"op":"Squeeze","in":["x","a"],"out":["t"]}],"outputs":["t"]})");
    const QString unsqueeze = QStringLiteral(R"({"inputs":[],"nodes":[{"op":"Unsqueeze","in":["x","a"],"out":["t"]}],"outputs":["t"]})");
    const auto branches = [&](const QString& taken, const QString& other) {
        return condition + QStringLiteral(R"({"op":"If","in":["c"],"out":["q"],"attrs":{"then_branch":%1,"else_branch":%2}},)").arg(taken, other);
    };
    const QString product = QStringLiteral(R"({"op":"Gemm","in":["q","w"],"out":["y"]})");
    QTest::newRow("the branch that alone runs, in both")
        << ranks << branches(squeeze, identity) + product
        << branches(squeeze, identity) +
               QStringLiteral(R"({"op":"Neg","in":["q"],"out":["m"]},{"op":"Gemm","in":["m","w"],"out":["p"]},{"op":"Neg","in":["p"],"out":["y"]})")
        << QStringLiteral("proved");
    QTest::newRow("the If dropped where it must take that branch")
        << ranks << branches(squeeze, identity) + product << QStringLiteral(R"({"op":"Squeeze","in":["x","a"],"out":["q"]},)") + product
        << QStringLiteral("proved");
    // The other way about, the rewritten graph runs for m = 1 only, and the reference for every m.
    const QString turned = QStringLiteral(R"({"op":"Transpose","in":["q"],"out":["r"],"attrs":{"perm":[0,2,1]}},)"
                                          R"({"op":"Transpose","in":["r"],"out":["y"],"attrs":{"perm":[0,2,1]}})");
    QTest::newRow("runs for fewer sizes") << ranks << QStringLiteral(R"({"op":"Identity","in":["x"],"out":["y"]})")
                                          << branches(identity, unsqueeze) + turned << QStringLiteral("differs");
    QTest::newRow("runs for the other sizes") << ranks << branches(identity, unsqueeze) + turned << branches(unsqueeze, identity) + turned
                                              << QStringLiteral("differs");
    QTest::newRow("takes the other value of the branch")
        << ranks << branches(identity, unsqueeze) + turned << QStringLiteral(R"({"op":"Neg","in":["x"],"out":["y"]})") << QStringLiteral("differs");
    // Required inside a branch only: nothing is known of the condition outside it.
    const QString inner = QStringLiteral(R"({"op":"If","in":["b"],"out":["y"],"attrs":{"then_branch":{"inputs":[],"nodes":[%1%2],"outputs":["g"]},)"
                                         R"("else_branch":{"inputs":[],"nodes":[{"op":"Identity","in":["k"],"out":["l"]}],"outputs":["l"]}}})");
    const QString ifOnly =
        QStringLiteral(R"({"op":"If","in":["c"],"out":["q"],"attrs":{"then_branch":%1,"else_branch":%2}},)").arg(squeeze, identity);
    const QString within = QStringLiteral(R"({"op":"Gemm","in":["q","w"],"out":["g"]})");
    QTest::newRow("required in a branch, in both") << ranks << condition + inner.arg(ifOnly, within) << condition + inner.arg(ifOnly, within)
                                                   << QStringLiteral("proved");
    QTest::newRow("required in a branch, and outside it") << ranks << condition + inner.arg(ifOnly, within)
                                                          << condition + ifOnly + QStringLiteral(R"({"op":"Gemm","in":["q","w"],"out":["h"]},)") +
                                                                 inner.arg(QString(), QStringLiteral(R"({"op":"Identity","in":["h"],"out":["g"]})"))
                                                          << QStringLiteral("differs");
}

void SoundnessTest::verdictIsNeverWrong() {
    QFETCH(QString, head);
    QFETCH(QString, reference);
    QFETCH(QString, rewritten);
    QFETCH(QString, truth);
    const auto graph = [&](const QString& nodes) {
        const QString text =
            QStringLiteral(R"({"format":"lemmascope-graph","version":1,"opset":17,%1,"nodes":[%2],"outputs":["y"]})").arg(head, nodes);
        const Result<std::shared_ptr<const Graph>> read = readJsonGraph(text.toStdString(), "pair.lsg.json");
        return read ? *read : nullptr;
    };
    const auto first = graph(reference);
    const auto second = graph(rewritten);
    QVERIFY(first != nullptr && second != nullptr);
    const Result<CheckResult> result = check(first, second, {}, {.solver = &m_pool});
    QVERIFY2(result.has_value(), result ? "" : result.error().text().c_str());
    const QString verdict = QString::fromStdString(std::string(name(result->verdict)));
    if (truth == QStringLiteral("differs")) {
        QVERIFY2(verdict != QStringLiteral("proved"), verdictLine(*result).c_str());
    } else {
        QCOMPARE(verdict, truth);
    }
}

QTEST_GUILESS_MAIN(SoundnessTest)
#include "tst_soundness.moc"
