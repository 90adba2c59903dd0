// ONNX Runtime's optimisers, one step each: resources/scripts/ort_steps.mjs writes the steps, `check FOLDER` proves them or names the
// one that broke it, and the report's replay_ort.mjs shows the same difference on ONNX Runtime itself.
#include "tests/conformance/ort/ort_batch.h"

#include <QDir>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace lemmascope::test;
using Json = nlohmann::json;

namespace {

const QString Cases = QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/");
constexpr int Patience = 240'000;

struct Ran {
    int status = -1;
    QString out;
    QString err;
};

Ran run(const QString& program, const QStringList& arguments, const QString& folder = {}) {
    QProcess process;
    if (!folder.isEmpty()) {
        process.setWorkingDirectory(folder);
    }
    process.start(program, arguments);
    if (!process.waitForFinished(Patience) || process.exitStatus() != QProcess::NormalExit) {
        process.kill();
        process.waitForFinished();
        return {-1, {}, QStringLiteral("did not end by itself: ") + process.errorString()};
    }
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
}

Ran check(const QStringList& arguments) {
    return run(QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope-cli"), QStringList{QStringLiteral("check")} + arguments);
}

} // namespace

class TestOrtSteps : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    Ran writeSteps(const QString& model, const QString& folder) const {
        return run(QStringLiteral("node"), {QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/scripts/ort_steps.mjs"), model, folder,
                                            QStringLiteral("--modules"), QString::fromStdString(ortModules())});
    }

  private Q_SLOTS:
    void initTestCase() {
        if (run(QStringLiteral("node"), {QStringLiteral("--version")}).status != 0) {
            QSKIP("node is not installed");
        }
        const auto ready = prepareOrt();
        if (!ready) {
            QSKIP(qPrintable(QString::fromStdString(ready.error().message)));
        }
    }

    void stepsAreProved_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QStringList>("made"); ///< optimisers that must be among the steps, in this order
        QTest::newRow("bert1") << "ort/bert1"
                               << QStringList{"GeluFusionL2", "LayerNormFusionL2", "BiasGeluFusion", "SkipLayerNormFusion", "MatMulScaleFusion"};
        QTest::newRow("resnetish") << "ort/resnetish"
                                   << QStringList{"ConvAddFusion", "ConvMulFusion", "ConvBNFusion", "Pad_Fusion", "ConvActivationFusion"};
        QTest::newRow("misc") << "ort/misc" << QStringList{"EliminateIdentity", "NotWhereFusion", "CommonSubexpressionElimination"};
    }
    void stepsAreProved() {
        QFETCH(QString, model);
        QFETCH(QStringList, made);
        const QString folder = m_folder.filePath(QTest::currentDataTag());
        const Ran written = writeSteps(Cases + model + ".ref.onnx", folder);
        QVERIFY2(written.status == 0, qPrintable(written.err));
        const Ran ran = check({folder, "--json", "-"});
        QVERIFY2(ran.status == 0, qPrintable(ran.err));
        const Json json = Json::parse(ran.out.toStdString(), nullptr, false);
        QVERIFY(json["first"].is_null());
        qsizetype at = 0;
        for (const Json& pair : json["pairs"]) {
            QCOMPARE(QString::fromStdString(pair["verdict"]), "proved");
            if (at < made.size() && QString::fromStdString(pair["rewritten"]).endsWith('-' + made[at] + ".onnx")) {
                ++at;
            }
        }
        QCOMPARE(at, made.size());
    }

    void theOptimiserThatBrokeItIsNamed_data() {
        QTest::addColumn<QString>("optimiser");
        QTest::newRow("pad_maxpool_zero") << "Pad_Fusion";
        QTest::newRow("div_mul_rank") << "DivMulFusion";
        QTest::newRow("layernorm_sub_order") << "LayerNormFusionL1";
        QTest::newRow("layernorm_keepdims0") << "LayerNormFusionL1";
    }
    void theOptimiserThatBrokeItIsNamed() {
        QFETCH(QString, optimiser);
        const QString name = QTest::currentDataTag();
        const QString folder = m_folder.filePath(name);
        const Ran written = writeSteps(Cases + "ort-bugs/" + name + ".ref.onnx", folder);
        QVERIFY2(written.status == 0, qPrintable(written.err));
        const Ran ran = check({folder, "--json", "-"});
        QCOMPARE(ran.status, 1);
        const Json json = Json::parse(ran.out.toStdString(), nullptr, false);
        const Json& first = json["pairs"][json["first"].get<std::size_t>()];
        QCOMPARE(QString::fromStdString(first["verdict"]), "refuted");
        QVERIFY2(QString::fromStdString(first["rewritten"]).endsWith('-' + optimiser + ".onnx"), qPrintable(ran.err));
    }

    void anOptimiserThatMakesTheModelUnreadableIsNamed() {
        const Ran written = writeSteps(Cases + "ort-bugs/pad_maxpool_reject.ref.onnx", m_folder.filePath("reject"));
        QCOMPARE(written.status, 1);
        QVERIFY2(written.err.contains("after Pad_Fusion the model does not load any more"), qPrintable(written.err));
    }

    void useIsExplained() {
        QCOMPARE(run("node", {LEMMASCOPE_SOURCE_DIR "/resources/scripts/ort_steps.mjs"}).status, 64);
        QCOMPARE(writeSteps(m_folder.filePath("none.onnx"), m_folder.filePath("x")).status, 66);
        QDir(m_folder.path()).mkdir("taken");
        QVERIFY(QFile::copy(Cases + "ort/misc.ref.onnx", m_folder.filePath("taken/old.onnx")));
        QCOMPARE(writeSteps(Cases + "ort/misc.ref.onnx", m_folder.filePath("taken")).status, 64);
    }

    void reportsReplayOnOnnxRuntime_data() {
        QTest::addColumn<bool>("atAnElement");
        QTest::newRow("pad_maxpool_zero") << true;
        QTest::newRow("div_mul_rank") << false; // another shape: no element to look at
        QTest::newRow("layernorm_sub_order") << true;
        QTest::newRow("layernorm_keepdims0") << true;
        QTest::newRow("double_qdq") << true;
    }
    void reportsReplayOnOnnxRuntime() {
        QFETCH(bool, atAnElement);
        const QString name = QTest::currentDataTag();
        const QString stem = Cases + "ort-bugs/" + name;
        const QString folder = m_folder.filePath(name + "-report");
        QCOMPARE(check({stem + ".ref.onnx", stem + ".differs.onnx", "--export", folder}).status, 1);
        // The runtime is found where the script is started.
        const Ran replay = run(QStringLiteral("node"), {folder + "/replay_ort.mjs"}, QString::fromStdString(ortModules()));
        QCOMPARE(replay.status, 0);
        QVERIFY2(!replay.out.contains("fails"), qPrintable(replay.out));
        const QStringList lines = replay.out.split('\n');
        const auto of = [&](const QString& model, bool element) {
            for (const QString& line : lines) {
                if (line.startsWith(model + ' ') && line.contains("] = ") == element) {
                    return line.mid(model.size());
                }
            }
            return QString();
        };
        for (const bool element : {false, true}) {
            if (element && !atAnElement) {
                continue;
            }
            QVERIFY2(!of("reference.onnx", element).isEmpty(), qPrintable(replay.out));
            QVERIFY2(of("reference.onnx", element) != of("rewritten.onnx", element), qPrintable(replay.out));
        }
    }
};

QTEST_GUILESS_MAIN(TestOrtSteps)
#include "tst_ort_steps.moc"
