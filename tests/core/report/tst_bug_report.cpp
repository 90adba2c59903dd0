#include "core/format/load.h"
#include "core/format/npy/npy.h"
#include "core/report/bug_report.h"
#include "core/report/files.h"
#include "core/report/minimal_pair.h"
#include "core/report/obligation.h"
#include "core/report/replay.h"
#include "tests/core/report/results.h"

#include <QDir>
#include <QDirIterator>
#include <QFile>
#include <QProcess>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

#include <set>

using namespace lemmascope;
using namespace lemmascope::testing;

namespace {

/// secret_input -> Relu -> Softmax(axis) -> y; secret_input + big_secret -> other (a second output).
std::shared_ptr<const Graph> secretGraph(std::int64_t axis) {
    auto graph = std::make_shared<Graph>();
    graph->name = "secret_model";
    graph->notes = {"secret note"};
    graph->opsets[""] = 17;
    const TensorType type{ElementType::F32, Shape{Dim(2), Dim(2)}};
    const ValueId x = graph->addValue({.name = "secret_input", .type = type});
    graph->inputs = {x};
    const auto add = [&](const char* op, const char* name, std::vector<ValueId> operands, const char* result,
                         std::map<std::string, Attribute> attributes) {
        const ValueId value = graph->addValue({.name = result, .type = type});
        Node node;
        node.op = {std::string(op) == "SecretOp" ? "secret.domain" : "", op, 17};
        node.name = name;
        node.operands = std::move(operands);
        node.results = {value};
        node.attributes = std::move(attributes);
        graph->addNode(std::move(node));
        return value;
    };
    const ValueId relu = add("Relu", "secret_relu", {x}, "secret_hidden", {});
    const ValueId open = add("SecretOp", "secret_node", {relu}, "secret_open", {{"secret_attribute", std::string("secret_text")}});
    const ValueId y = add("Softmax", "secret_softmax", {open}, "secret_y", {{"axis", axis}});
    const ValueId constant = graph->addValue({.name = "big_secret", .type = type, .constant = Tensor(ElementType::F32, {2, 2})});
    const ValueId other = add("Add", "secret_add", {x, constant}, "secret_other", {});
    graph->outputs = {y, other};
    return graph;
}

CheckResult secretResult(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten) {
    CheckResult result = refutedResult();
    const std::string output = reference->outputName(0);
    const std::string input = reference->value(reference->inputs[0]).name;
    result.outputs[0].name = output;
    result.outputs[0].reference = FlatValueId(reference->outputs[0].index);
    result.outputs[0].rewritten = FlatValueId(rewritten->outputs[0].index);
    if (reference->outputs.size() > 1) {
        OutputResult other = result.outputs[0];
        other.name = reference->outputName(1);
        other.reference = FlatValueId(reference->outputs[1].index);
        other.rewritten = FlatValueId(rewritten->outputs[1].index);
        other.verdict = Verdict::Proved;
        other.strength = Strength::Identical;
        other.kind.reset();
        result.outputs.push_back(other);
    }
    result.lemmas[0].title = "Softmax " + output;
    result.counterexample->inputs[0].first = input;
    result.counterexample->output = output;
    result.blame[0].nodeName = reference->nodes.empty() ? "" : reference->nodes.back().name;
    result.reference = std::make_shared<const GraphTree>(GraphTree::build(std::move(reference)).value());
    result.rewritten = std::make_shared<const GraphTree>(GraphTree::build(std::move(rewritten)).value());
    result.correspondence = {};
    result.counterexample->path.clear();
    return result;
}

/// Stands in for a check that finds the same difference again.
Result<CheckResult> sameAgain(std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions&, std::stop_token) {
    return secretResult(std::move(reference), std::move(rewritten));
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::set<std::string> filesUnder(const QString& folder) {
    std::set<std::string> out;
    QDirIterator at(folder, QDir::Files, QDirIterator::Subdirectories);
    while (at.hasNext()) {
        out.insert(at.next().mid(folder.size() + 1).toStdString());
    }
    return out;
}

} // namespace

class TestBugReport : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyFileOfTheContractIsWritten() {
        const QTemporaryDir folder;
        const CheckResult result = secretResult(secretGraph(1), secretGraph(0));
        const auto report = exportBugReport(result, folder.path().toStdString(), {.recheck = sameAgain});
        QVERIFY2(report.has_value(), report ? "" : report.error().text().c_str());
        QVERIFY(report->verified);
        const std::set<std::string> wanted{"reference.onnx",
                                           "rewritten.onnx",
                                           "reference.lsg.json",
                                           "rewritten.lsg.json",
                                           "lemma.smt2",
                                           "model.json",
                                           "result.json",
                                           "report.html",
                                           "report.md",
                                           "region.svg",
                                           "region.png",
                                           "replay.sh",
                                           "replay_ort.mjs",
                                           "inputs/secret_input.npy",
                                           "reference/secret_y.npy",
                                           "rewritten/secret_y.npy"};
        const std::set<std::string> written = filesUnder(folder.path());
        for (const std::string& file : wanted) {
            QVERIFY2(written.contains(file), file.c_str());
        }
        QVERIFY(contentOf(folder.filePath("region.png")).startsWith("\x89PNG\r\n\x1a\n"));
        QVERIFY(QFile(folder.filePath("replay.sh")).permissions() & QFile::ExeOwner);
        QVERIFY(loadGraph(folder.filePath("reference.onnx").toStdString()).has_value());
        QVERIFY(loadGraph(folder.filePath("rewritten.lsg.json").toStdString()).has_value());
        const auto input = readNpy(folder.filePath("inputs/secret_input.npy").toStdString());
        QVERIFY(input && input->sameBits(result.counterexample->inputs[0].second));
        const auto output = readNpy(folder.filePath("rewritten/secret_y.npy").toStdString());
        QVERIFY(output && output->sameBits(*result.counterexample->rewritten));
    }

    void sameResultGivesSameFiles() {
        const QTemporaryDir a;
        const QTemporaryDir b;
        const CheckResult result = secretResult(secretGraph(1), secretGraph(0));
        QVERIFY(exportBugReport(result, a.path().toStdString(), {.anonymous = true, .recheck = sameAgain}).has_value());
        QVERIFY(exportBugReport(result, b.path().toStdString(), {.anonymous = true, .recheck = sameAgain}).has_value());
        const std::set<std::string> files = filesUnder(a.path());
        QCOMPARE(files, filesUnder(b.path()));
        for (const std::string& file : files) {
            const QString name = QString::fromStdString(file);
            QVERIFY2(contentOf(a.filePath(name)) == contentOf(b.filePath(name)), file.c_str());
        }
    }

    void reportTellsReplayAndVersionsAndCutsLongLemmas() {
        const QTemporaryDir folder;
        const Recheck longer = [](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions&,
                                  std::stop_token) -> Result<CheckResult> {
            CheckResult result = secretResult(std::move(reference), std::move(rewritten));
            result.lemmas[0].text.clear();
            for (int i = 0; i < 100; ++i) {
                result.lemmas[0].text += "; line " + std::to_string(i) + "\n";
            }
            return result;
        };
        const CheckResult result = secretResult(secretGraph(1), secretGraph(0));
        QVERIFY(exportBugReport(result, folder.path().toStdString(), {.solver = "z3 4.8", .recheck = longer}).has_value());
        const QByteArray text = contentOf(folder.filePath("report.md"));
        QVERIFY(text.contains("; line 59\n; ... 40 more lines: the whole text is in lemma.smt2\n"));
        QVERIFY(!text.contains("; line 60\n"));
        QVERIFY(contentOf(folder.filePath("lemma.smt2")).endsWith("; line 99\n; unsat: the lemma holds\n(check-sat)\n"));
        QVERIFY(text.indexOf("## Replay") < text.indexOf("## Versions"));
        QVERIFY(text.indexOf("## Versions") < text.indexOf("in SMT-LIB"));
        QVERIFY(text.contains("z3 4.8"));
        QVERIFY(text.contains("same verdict at the same element."));
        QVERIFY(contentOf(folder.filePath("region.svg")).contains("axis=1"));
    }

    void onlyTheConeIsExported() {
        const CheckResult result = secretResult(secretGraph(1), secretGraph(0));
        const GraphPair cone = cutToCone(wholePair(result, {}), result);
        QCOMPARE(cone.reference->nodes.size(), std::size_t{3});
        QCOMPARE(cone.reference->outputs.size(), std::size_t{1});
        QCOMPARE(cone.reference->outputName(0), std::string("secret_y"));
        QVERIFY(!cone.reference->findValue("big_secret").isValid());
        QCOMPARE(cone.rewritten->inputs.size(), std::size_t{1});
    }

    void anonymousReportTellsNoName() {
        const QTemporaryDir folder;
        const CheckResult result = secretResult(secretGraph(1), secretGraph(0));
        const auto report = exportBugReport(result, folder.path().toStdString(), {.anonymous = true, .recheck = sameAgain});
        QVERIFY(report.has_value());
        QVERIFY(report->verified);
        for (const std::string& file : filesUnder(folder.path())) {
            QVERIFY2(file.find("secret") == std::string::npos, file.c_str());
            const QByteArray content = contentOf(folder.filePath(QString::fromStdString(file)));
            QVERIFY2(!content.toLower().contains("secret"), file.c_str());
        }
        const auto graph = loadGraph(folder.filePath("reference.lsg.json").toStdString());
        QVERIFY(graph.has_value());
        QCOMPARE((*graph)->nodes[0].op.name, std::string("Relu"));
        QCOMPARE((*graph)->value((*graph)->inputs[0]).name, std::string("x1"));
        QCOMPARE((*graph)->outputName(0), std::string("y1"));
    }

    void equalNamesStayEqualAcrossThePair() {
        const CheckResult result = secretResult(secretGraph(1), secretGraph(0));
        const GraphPair pair = anonymised(wholePair(result, {})).value();
        QCOMPARE(pair.reference->nodes[1].op, pair.rewritten->nodes[1].op);
        QCOMPARE(pair.reference->nodes[1].attributes.begin()->first, pair.rewritten->nodes[1].attributes.begin()->first);
        QCOMPARE(pair.reference->nodes[1].attributes.begin()->first, std::string("a1"));
        QVERIFY(pair.reference->nodes[0].name != pair.rewritten->nodes[0].name);
        QCOMPARE(pair.reference->outputName(1), pair.rewritten->outputName(1));
    }

    void anotherAnswerIsSaidAndTheReportSpeaksOfIt() {
        const QTemporaryDir folder;
        const CheckResult result = secretResult(secretGraph(1), secretGraph(0));
        const Recheck undecided = [](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions&,
                                     std::stop_token) -> Result<CheckResult> {
            CheckResult other = secretResult(std::move(reference), std::move(rewritten));
            other.verdict = Verdict::Undecided;
            other.kind.reset();
            other.counterexample.reset();
            other.reason = "time";
            return other;
        };
        const auto report = exportBugReport(result, folder.path().toStdString(), {.recheck = undecided});
        QVERIFY(report.has_value());
        QVERIFY(!report->verified);
        QVERIFY(!report->notes.empty());
        QVERIFY(contentOf(folder.filePath("report.md")).startsWith("# undecided"));
    }

    void anonymousNeedsACheck() {
        const QTemporaryDir folder;
        const auto report = exportBugReport(secretResult(secretGraph(1), secretGraph(0)), folder.path().toStdString(), {.anonymous = true});
        QVERIFY(!report.has_value());
        QCOMPARE(report.error().code, ErrorCode::Usage);
    }

    void optionsAreWrittenIntoThePair() {
        auto graph = std::make_shared<Graph>();
        graph->opsets[""] = 17;
        const TensorType type{ElementType::I64, Shape{Dim(2)}};
        const ValueId in = graph->addValue({.name = "ids", .type = type});
        graph->inputs = {in};
        graph->outputs = {in};
        const GraphPair pair = wholePair(secretResult(graph, graph), {{"ids", {0, 3}}});
        QCOMPARE(pair.reference->value(pair.reference->inputs[0]).range->high, std::int64_t{3});
        QVERIFY(!pair.rewritten->value(pair.rewritten->inputs[0]).range.has_value());
    }

    void fileNamesNeitherClashNorEscape() {
        FileNames names;
        QCOMPARE(names.take("a/b"), std::string("a_b"));
        QCOMPARE(names.take("a b"), std::string("a_b_2"));
        QCOMPARE(names.take("A_B"), std::string("A_B_3"));
        QCOMPARE(names.take("../../etc/passwd"), std::string("_.._.._etc_passwd"));
        QCOMPARE(names.take(""), std::string("_"));
        QVERIFY(names.take(std::string(5000, 'x')).size() <= 100);
    }

    void shellWordsAreQuoted() {
        QCOMPARE(shellWord("x=inputs/x.npy"), std::string("x=inputs/x.npy"));
        QCOMPARE(shellWord("a b"), std::string("'a b'"));
        QCOMPARE(shellWord("$(rm -rf ~)'"), std::string("'$(rm -rf ~)'\\'''"));
        const std::string script = replayShell({.verdictLine = "refuted\nrm -rf", .inputs = {{"x;y", "x_y.npy"}}});
        QVERIFY(script.find("\nrm") == std::string::npos);
        QVERIFY(script.find("'x;y=inputs/x_y.npy'") != std::string::npos);
    }

    void runtimeScriptFindsTheElementUnderAnotherName() {
        const QString node = QStandardPaths::findExecutable(QStringLiteral("node"));
        if (node.isEmpty()) {
            QSKIP("no Node.js");
        }
        const QTemporaryDir folder;
        const CheckResult result = secretResult(secretGraph(1), secretGraph(0));
        QVERIFY(exportBugReport(result, folder.path().toStdString(), {.recheck = sameAgain}).has_value());
        // Stands in for ONNX Runtime with a file whose names are not those of the JSON: element [0,1] of its output is the input's, negated.
        const QString module = folder.filePath("node_modules/onnxruntime-node");
        QVERIFY(QDir().mkpath(module));
        QFile script(module + "/index.js");
        QVERIFY(script.open(QIODevice::WriteOnly));
        script.write("exports.Tensor = class { constructor(type, data, dims) { Object.assign(this, { type, data, dims }); } };\n"
                     "exports.InferenceSession = { create: async () => ({ inputNames: ['in_1'], outputNames: ['out_1'],\n"
                     "  run: async (feeds) => ({ out_1: { ...feeds.in_1, data: feeds.in_1.data.map((x) => -x) } }) }) };\n");
        script.close();
        QProcess run;
        run.setWorkingDirectory(folder.path());
        run.start(node, {folder.filePath("replay_ort.mjs")});
        QVERIFY(run.waitForFinished(60'000));
        const QByteArray said = run.readAllStandardOutput();
        QVERIFY2(said.contains("reference.onnx out_1[0,1] = 0\n"), said.constData());
        QVERIFY2(said.contains("rewritten.onnx out_1: float32[2,2] -0.1"), said.constData());
        QVERIFY2(said.contains(", 0, -1, "), said.constData());
    }

    void obligationIsTheSameTextWhateverTheAnswers() {
        CheckResult a = refutedResult();
        CheckResult b = provedResult(Strength::Exact);
        QCOMPARE(obligationText(a), obligationText(b));
        const QTemporaryDir folder;
        QFile stale(folder.filePath("L0007.smt2"));
        QVERIFY(stale.open(QIODevice::WriteOnly));
        QVERIFY(writeObligation(a, folder.path().toStdString()).has_value());
        QCOMPARE(filesUnder(folder.path()), (std::set<std::string>{"L0001.smt2", "manifest.json"}));
        QCOMPARE(contentOf(folder.filePath("L0001.smt2")).toStdString(), a.lemmas[0].text + "; unsat: the lemma holds\n(check-sat)\n");
        // Digests are of what is stated, not of what asks a solver.
        QCOMPARE(sha256Hex(a.lemmas[0].text), a.lemmas[0].digest);
        QVERIFY(obligationText(a).ends_with("\n(check-sat)\n"));
        QVERIFY(obligationText(a).find("(reset)") == std::string::npos);
        a.lemmas.push_back(a.lemmas[0]);
        QVERIFY(obligationText(a).find("(check-sat)\n\n(reset)\n") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestBugReport)
#include "tst_bug_report.moc"
