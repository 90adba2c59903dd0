// The command line from outside: exit statuses, what goes to which stream, signals, limits.
#include "tests/app/program_run.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <csignal>
#include <sys/types.h>

using Json = nlohmann::json;

namespace {

const QString Program = QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope-cli");
const QString Cases = QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/json/");

} // namespace

class TestCli : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    [[nodiscard]] Ran run(const QStringList& arguments, int timeoutMs = 120'000) const {
        return runProgram(Program, arguments, m_folder.path(), timeoutMs);
    }

    static QString ref(const QString& name) { return Cases + name + ".ref.lsg.json"; }
    static QString rew(const QString& name) { return Cases + name + ".rew.lsg.json"; }

    QString write(const QString& name, const QByteArray& content) const {
        QFile file(m_folder.filePath(name));
        if (file.open(QIODevice::WriteOnly)) {
            file.write(content);
        }
        return file.fileName();
    }

    /// x -> first -> `inner` -> second -> y
    static QByteArray graph(const QByteArray& first, const QByteArray& inner, const QByteArray& second) {
        return "{\"format\": \"lemmascope-graph\", \"version\": 1, \"opset\": 17, \"inputs\": [{\"name\": \"x\", \"type\": \"f32\", \"shape\": "
               "[3]}], "
               "\"nodes\": [{\"op\": \"" +
               first + "\", \"in\": [\"x\"], \"out\": [\"" + inner + "\"]}, {\"op\": \"" + second + "\", \"in\": [\"" + inner +
               "\"], \"out\": [\"y\"]}], \"outputs\": [\"y\"]}";
    }

    /// Whether a process has asked for `signal`, as /proc/PID/status has it (proc(5): SigCgt).
    static bool catches(qint64 process, int signal) {
        QFile status("/proc/" + QString::number(process) + "/status");
        if (!status.open(QIODevice::ReadOnly)) {
            return false;
        }
        const QByteArray text = status.readAll();
        const qsizetype at = text.indexOf("SigCgt:");
        return at >= 0 && ((text.mid(at + 7, 18).trimmed().toULongLong(nullptr, 16) >> (signal - 1)) & 1) != 0;
    }

    static Json jsonOf(const QString& text) { return Json::parse(text.toStdString(), nullptr, false); }

  private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void usageErrorsEndWith64_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("says");
        QTest::newRow("nothing") << QStringList{} << "subcommand";
        QTest::newRow("unknown command") << QStringList{"chekc"} << "chekc";
        QTest::newRow("unknown option") << QStringList{"check", "a", "b", "--frobnicate"} << "--frobnicate";
        QTest::newRow("no graphs") << QStringList{"check"} << "REF REWRITTEN";
        QTest::newRow("no such strength") << QStringList{"check", "a", "b", "--strength", "strong"} << "strong";
        QTest::newRow("map without =") << QStringList{"check", "a", "b", "--map", "x"} << "--map";
        QTest::newRow("range without :") << QStringList{"check", "a", "b", "--inputs-range", "x=3"} << "low:high";
        QTest::newRow("range upside down") << QStringList{"check", "a", "b", "--inputs-range", "x=3:1"} << "empty";
        QTest::newRow("size no number") << QStringList{"check", "a", "b", "--size", "n=many"} << "many";
        const QStringList pair{"check", ref("distributive"), rew("distributive")};
        QTest::newRow("size of no graph") << pair + QStringList{"--size", "zz=4"} << "zz=4: no input has such a symbolic size";
        QTest::newRow("range of no input") << pair + QStringList{"--inputs-range", "zz=0:4"} << "no such input";
        QTest::newRow("picture as input") << QStringList{"convert", "drawn.svg", "x.onnx"} << "pictures cannot be read";
        QTest::newRow("time no number") << QStringList{"check", "a", "b", "--time", "soon"} << "time";
        QTest::newRow("no time") << QStringList{"check", "a", "b", "--time", "0"} << "--time: '0' is no number of seconds from 0.001 to 10000000";
        QTest::newRow("time for ever") << QStringList{"check", "a", "b", "--time", "inf"} << "'inf' is no number of seconds";
        QTest::newRow("entry of a graph") << pair + QStringList{"--entry", "f"} << "--entry is about MLIR programs";
        QTest::newRow("aliases of a graph") << pair + QStringList{"--may-alias"} << "--may-alias is about MLIR programs";
        QTest::newRow("digests of a graph") << pair + QStringList{"--fingerprint"} << "--fingerprint is about MLIR programs";
        QTest::newRow("anonymous alone") << QStringList{"check", "a", "b", "--anonymous"} << "--export";
        QTest::newRow("one graph") << QStringList{"check", ref("distributive")} << "no pair";
        QTest::newRow("convert to nothing") << QStringList{"convert", ref("distributive"), "x.txt"} << ".onnx";
        QTest::newRow("match without a graph") << QStringList{"match", "a"} << "GRAPH";
        QTest::newRow("rules, what") << QStringList{"rules"} << "subcommand";
        QTest::newRow("rewrite to nowhere") << QStringList{"rewrite", "a", "b"} << "-o OUT";
        QTest::newRow("rewrite to no format") << QStringList{"rewrite", "a", "b", "-o", "c"} << ".lsg.json .onnx";
        QTest::newRow("rewrite once and often") << QStringList{"rewrite", "a", "b", "-o", "c.onnx", "--once", "--max-rounds", "3"}
                                                << "exclude each other";
        QTest::newRow("time without a check") << QStringList{"rewrite", "a", "b", "-o", "c.onnx", "--time", "3"} << "--time is about --check";
        QTest::newRow("interp of nothing") << QStringList{"interp"} << "PROGRAM";
        QTest::newRow("a graph and a program") << QStringList{"check", ref("distributive"),
                                                              QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/mlir/gemm_tile.ref.mlir")}
                                               << "give two of one kind";
        QTest::newRow("assume") << QStringList{"check", "a", "b", "--assume-equal", "a"} << "--assume-equal";
        QTest::newRow("eval without inputs") << QStringList{"eval", ref("distributive")} << "--random";
    }
    void usageErrorsEndWith64() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, says);
        const Ran ran = run(arguments);
        QCOMPARE(ran.status, 64);
        QVERIFY2(ran.out.isEmpty(), qPrintable(ran.out));
        QVERIFY2(ran.err.contains(says), qPrintable(ran.err));
    }

    void versionAndHelpGoToStandardOutput() {
        QVERIFY(run({"--version"}).out.startsWith("lemmascope "));
        const Ran help = run({"check", "--help"});
        QCOMPARE(help.status, 0);
        QVERIFY(help.out.contains("--strength"));
    }

    void helpSaysWhatMayBeRepeated() {
        const QString help = run({"check", "--help"}).out.simplified();
        for (const char* option : {"--map a=b", "--inputs-range name=lo:hi", "--size n=8", "--assume-equal A=B", "--input name=file.npy"}) {
            const qsizetype at = help.indexOf(option);
            QVERIFY2(at >= 0, option);
            const QString entry = help.mid(at, help.indexOf(" --", at + 2) - at);
            QVERIFY2(entry.contains("may be repeated"), qPrintable(entry));
        }
    }

    void floatInputsHaveRangesOfDecimals() {
        const auto graph = [](const char* nodes) {
            return QByteArray(R"({"format": "lemmascope-graph", "version": 1, "opset": 17, "inputs": [{"name": "x", "type": "f32", "shape": [3]},
                {"name": "i", "type": "i64", "shape": [3]}], "constants": [{"name": "two", "type": "f32", "shape": [], "data": [2]},
                {"name": "four", "type": "f32", "shape": [], "data": [4]}, {"name": "edge", "type": "f32", "shape": [], "data": [1.5]}],
                "nodes": [)") +
                   nodes + R"(, {"op": "Neg", "in": ["i"], "out": ["j"]}], "outputs": ["y", "j"]})";
        };
        const QString sum =
            write("sum.lsg.json", graph(R"({"op": "Add", "in": ["x", "two"], "out": ["a"]}, {"op": "Mul", "in": ["a", "four"], "out": ["y"]})"));
        const QString parts =
            write("parts.lsg.json", graph(R"({"op": "Mul", "in": ["x", "four"], "out": ["a"]}, {"op": "Mul", "in": ["two", "four"], "out": ["b"]},
                {"op": "Add", "in": ["a", "b"], "out": ["y"]})"));
        // The bound grows with the range, and the text names the ends as given.
        double last = 0.0;
        for (const char* range : {"x=-0.25:0.25", "x=-1.5:1.5", "x=-1.5e3:1.5e3"}) {
            const Ran ran = run({"check", sum, parts, "--inputs-range", range, "--json", "-"});
            QCOMPARE(ran.status, 0);
            const Json json = jsonOf(ran.out);
            const Json bound = json["difference"]["bound"];
            QVERIFY2(bound.is_number() && bound.get<double>() > last, qPrintable(ran.out));
            last = bound.get<double>();
        }
        QVERIFY(run({"check", sum, parts, "--inputs-range", "x=-1.5:1.5"}).out.contains("x lies in [-1.5, 1.5]"));

        // Minimum and Identity differ above 1.5 only: a counterexample keeps to the range.
        const QString whole = write("whole.lsg.json", graph(R"({"op": "Identity", "in": ["x"], "out": ["y"]})"));
        const QString cut = write("cut.lsg.json", graph(R"({"op": "Min", "in": ["x", "edge"], "out": ["y"]})"));
        QVERIFY2(run({"check", whole, cut, "--inputs-range", "x=-1.25:1.5"}).status != 1, "they are equal up to 1.5");
        const Ran beyond = run({"check", whole, cut, "--inputs-range", "x=1.625:1.75", "--json", "-"});
        QCOMPARE(beyond.status, 1);
        const Json outside = jsonOf(beyond.out);
        for (const Json& element : outside["counterexample"]["inputs"]["x"]["data"]) {
            QVERIFY2(element.get<double>() >= 1.625 && element.get<double>() <= 1.75, qPrintable(beyond.out));
        }

        // Integers stay integers; what is no range is refused.
        QCOMPARE(run({"check", whole, whole, "--inputs-range", "i=-2:3"}).status, 0);
        const std::pair<const char*, const char*> refused[] = {{"i=-1.5:1.5", "64-bit integers"},
                                                               {"x=1.5:-1.5", "empty"},
                                                               {"x=nan:1", "finite"},
                                                               {"x=0.5:inf", "finite"},
                                                               {"x=0.5:1e999", "finite"},
                                                               {"x=0.5", "low:high"},
                                                               {"x=0x1:2", "finite"},
                                                               {"z=0.5:1.5", "no such input"},
                                                               {"x=1e300:1e301", "no value of type f32"}};
        for (const auto& [range, says] : refused) {
            const Ran ran = run({"check", whole, whole, "--inputs-range", range});
            QCOMPARE(ran.status, 64);
            QVERIFY2(ran.err.contains(says), qPrintable(ran.err));
        }
    }

    void definitionsGiveOpenOpsAMeaning() {
        const QString samples = QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/samples/scaled_softcap");
        const QString before = samples + ".ref.lsg.json";
        const QString after = samples + ".rew.lsg.json";
        Ran ran = run({"check", before, after});
        QCOMPARE(ran.status, 2);
        QVERIFY2(ran.out.startsWith("unproved: relies on example.ScaledSoftcap\n"), qPrintable(ran.out));
        ran = run({"check", before, after, "--definitions", samples + ".defs", "--json", "-"});
        QCOMPARE(ran.status, 0);
        QVERIFY2(ran.err.startsWith("proved: exact\n"), qPrintable(ran.err));
        bool told = false;
        const auto result = jsonOf(ran.out);
        for (const auto& assumption : result["assumptions"]) {
            told = told || (assumption["kind"] == "definition" && QString::fromStdString(assumption["text"]).contains("scaled_softcap.defs:2"));
        }
        QVERIFY2(told, qPrintable(ran.out));

        // Another meaning: refuted, with a report that carries the file.
        const QString other = write("other.defs", "op example.ScaledSoftcap(x, shift?; factor = 1.0, cap = 30.0) -> y\n    y = x * factor\n");
        ran = run({"check", before, after, "--definitions", other, "--export", m_folder.filePath("report")});
        QCOMPARE(ran.status, 1);
        QVERIFY(QFile::exists(m_folder.filePath("report/definitions.defs")));
        // Without names the definitions follow the graphs, so that the replay has the same verdict.
        const QString hidden = m_folder.filePath("hidden");
        ran = run({"check", before, after, "--definitions", samples + ".defs", "--export", hidden, "--anonymous"});
        QVERIFY2(ran.out.startsWith("proved: exact"), qPrintable(ran.out));
        QFile definitions(hidden + "/definitions.defs");
        QVERIFY(definitions.open(QIODevice::ReadOnly));
        const QByteArray text = definitions.readAll();
        for (const char* name : {"example", "ScaledSoftcap", "cap", "factor", "shift", "scaled", "#"}) {
            QVERIFY2(!text.contains(name), text.constData());
        }
        ran = run({"check", hidden + "/reference.lsg.json", hidden + "/rewritten.lsg.json", "--definitions", hidden + "/definitions.defs"});
        QVERIFY2(ran.out.startsWith("proved: exact"), qPrintable(ran.out));
        QCOMPARE(ran.status, 0);
        // One that does not cover the case leaves the op open.
        const QString narrow = write("narrow.defs", "op example.ScaledSoftcap(x, shift?; factor, cap) -> y\n    require cap < 2\n    y = x\n");
        ran = run({"check", before, after, "--definitions", narrow});
        QCOMPARE(ran.status, 2);
        QVERIFY2(ran.out.startsWith("unproved: relies on example.ScaledSoftcap\n") && ran.out.contains("defined only where cap < 2"),
                 qPrintable(ran.out));

        QVERIFY(run({"show", after}).out.contains("ScaledSoftcap  open"));
        QVERIFY(!run({"show", after, "--definitions", samples + ".defs"}).out.contains("open"));
        QVERIFY(run({"eval", after, "--random", "1"}).out.contains("no value"));
        const Ran twice = run({"eval", after, "--random", "1", "--definitions", samples + ".defs"});
        QCOMPARE(twice.status, 0);
        QCOMPARE(twice.out, run({"eval", before, "--random", "1"}).out);
        QVERIFY(run({"obligation", before, after, "--definitions", samples + ".defs"}).out.size() > 0);

        QCOMPARE(run({"check", before, after, "--definitions", "absent.defs"}).status, 66);
        ran = run({"check", before, after, "--definitions", write("broken.defs", "op example.F(x) -> y\n    y = x +\n")});
        QCOMPARE(ran.status, 65);
        QVERIFY2(ran.err.contains("broken.defs:2: ") && ran.err.contains("expected a value"), qPrintable(ran.err));
    }

    void missingAndDamagedFilesHaveTheirStatus() {
        const Ran missing = run({"check", "no.onnx", "such.onnx"});
        QCOMPARE(missing.status, 66);
        QVERIFY2(missing.err.contains("no.onnx"), qPrintable(missing.err));
        const Ran damaged = run({"check", write("damaged.lsg.json", "{\"format\": "), rew("distributive")});
        QCOMPARE(damaged.status, 65);
        QVERIFY2(damaged.err.contains("damaged.lsg.json"), qPrintable(damaged.err));
        QCOMPARE(run({"show", write("page.onnx", "<!DOCTYPE html><html>")}).status, 65);
        QCOMPARE(run({"check", "--pairs", write("bad.tsv", "a\tb\n")}).status, 65);
        QCOMPARE(run({"check", "--pairs", write("none.tsv", "name\treference\trewritten\toptions\n")}).status, 65);
    }

    void verdictIsTheFirstLineAndTheStatus_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("begins");
        QTest::addColumn<int>("status");
        QTest::newRow("proved") << "part_read_in_place"
                                << "proved: identical\n"
                                << 0;
        QTest::newRow("refuted") << "part_read_shifted"
                                 << "refuted: value: " << 1;
        QTest::newRow("out of range") << "declared_range_broken"
                                      << "refuted: out-of-range: read of " << 1;
        QTest::newRow("unproved") << "open_op_commuted"
                                  << "unproved: " << 2;
    }
    void verdictIsTheFirstLineAndTheStatus() {
        QFETCH(QString, name);
        QFETCH(QString, begins);
        QFETCH(int, status);
        const Ran ran = run({"check", ref(name), rew(name)});
        QVERIFY2(ran.out.startsWith(begins), qPrintable(ran.out + ran.err));
        QCOMPARE(ran.status, status);
        QVERIFY2(ran.err.isEmpty(), qPrintable(ran.err));
    }

    void samplesHaveTheVerdictsTheyShow_data() {
        QTest::addColumn<QString>("begins");
        QTest::newRow("heads_reordered") << "proved: identical\n";
        QTest::newRow("softmax_axis") << "refuted: value: y[";
        QTest::newRow("out_of_time") << "undecided: ";
    }
    void samplesHaveTheVerdictsTheyShow() {
        QFETCH(QString, begins);
        const QString stem = QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/samples/") + QTest::currentDataTag();
        const Ran ran = run({"check", stem + ".ref.lsg.json", stem + ".rew.lsg.json", "--lemma-steps", "2000000"});
        QVERIFY2(ran.out.startsWith(begins), qPrintable(ran.out.left(2000) + ran.err));
    }

    void weakerThanWantedIsSaid() {
        const Ran ran = run({"check", ref("distributive"), rew("distributive"), "--strength", "identical"});
        QCOMPARE(ran.status, 2);
        QVERIFY2(ran.out.startsWith("proved: exact (wanted identical)\n"), qPrintable(ran.out));
    }

    void jsonAloneOnStandardOutput() {
        const Ran ran = run({"check", ref("scale_through_relu"), rew("scale_through_relu"), "--json", "-"});
        QCOMPARE(ran.status, 1);
        const Json json = jsonOf(ran.out);
        QVERIFY2(json.is_object(), qPrintable(ran.out));
        QCOMPARE(json["verdict"].get<std::string>(), std::string("refuted"));
        QVERIFY(ran.err.startsWith("refuted: value: "));
    }

    void sameInputGivesSameBytes() {
        const QStringList command{"check", ref("scale_through_relu"), rew("scale_through_relu"), "--no-cache", "--json"};
        Json results[2];
        for (int i = 0; i < 2; ++i) {
            const QString file = m_folder.filePath(QString("same%1.json").arg(i));
            QCOMPARE(run(command + QStringList{file}).status, 1);
            QFile opened(file);
            QVERIFY(opened.open(QIODevice::ReadOnly));
            results[i] = jsonOf(QString::fromUtf8(opened.readAll()));
            results[i].erase("times");
            results[i].erase("tool");
        }
        QCOMPARE(results[0].dump(), results[1].dump());
    }

    void pipelineNamesTheFirstStepThatIsNotProved() {
        const Ran ran = run({"check", ref("relu_twice"), rew("relu_twice"), rew("scale_through_relu"), "--json", m_folder.filePath("steps.json"),
                             "--export", m_folder.filePath("reports")});
        QVERIFY2(ran.out.contains("step 2 of 2"), qPrintable(ran.out));
        QVERIFY(ran.status != 0);
        QVERIFY(QFile::exists(m_folder.filePath("reports/step-2/report.md")));
        QFile file(m_folder.filePath("steps.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Json json = jsonOf(QString::fromUtf8(file.readAll()));
        QCOMPARE(json["first"].get<int>(), 1);
        QCOMPARE(json["pairs"].size(), std::size_t{2});
    }

    void onlyWhatIsAllProvedReadsAsProved_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("begins");
        QTest::addColumn<QString>("verdict");
        QTest::addColumn<int>("first");
        QTest::addColumn<QString>("counts");
        const QString a = ref("relu_twice");
        const QString b = rew("relu_twice");
        QTest::newRow("proved") << QStringList{a, b, b} << 0 << "proved: "
                                << "proved" << -1 << "2 steps: 2 proved, 0 refuted";
        QTest::newRow("no such file") << QStringList{a, b, "nofile.onnx"} << 66
                                      << "error: step 2 of 2 (" + b + " -> nofile.onnx): nofile.onnx: there is no such file"
                                      << "undecided" << 1 << "2 steps: 1 proved, 0 refuted, 0 unproved, 0 undecided, 1 could not be checked";
        QTest::newRow("no file at all") << QStringList{"a.onnx", "b.onnx", "c.onnx"} << 66 << "error: step 1 of 2 (a.onnx -> b.onnx): a.onnx: "
                                        << "undecided" << 0 << "0 undecided, 2 could not be checked";
        QTest::newRow("damaged") << QStringList{a, write("damaged.onnx", "\x08\x09<html>"), b} << 65 << "error: step 1 of 2 ("
                                 << "undecided" << 0 << "2 could not be checked";
        QTest::newRow("refuted") << QStringList{a, b, rew("scale_through_relu")} << 1 << "refuted: first at step 2 of 2 ("
                                 << "refuted" << 1 << "1 proved, 1 refuted";
        QTest::newRow("refuted behind an error") << QStringList{"gone.onnx", ref("scale_through_relu"), rew("scale_through_relu")} << 1
                                                 << "refuted: first at step 2 of 2 ("
                                                 << "refuted" << 0 << "1 refuted";
        QTest::newRow("too weak") << QStringList{a, a, ref("distributive"), rew("distributive"), "--strength", "open"} << 1
                                  << "refuted: first at step 2 of 3 ("
                                  << "refuted" << 1 << "1 proved weaker than wanted";
        QTest::newRow("only too weak") << QStringList{ref("distributive"), ref("distributive"), rew("distributive"), "--strength", "open"} << 2
                                       << "not proved as wanted: first at step 2 of 2 ("
                                       << "proved" << 1 << "2 steps: 1 proved, 0 refuted, 0 unproved, 0 undecided, 1 proved weaker than wanted";
    }
    void onlyWhatIsAllProvedReadsAsProved() {
        QFETCH(QStringList, arguments);
        QFETCH(int, status);
        QFETCH(QString, begins);
        QFETCH(QString, verdict);
        QFETCH(int, first);
        QFETCH(QString, counts);
        const Ran ran = run(QStringList{"check"} + arguments + QStringList{"--json", "-"});
        const QString line = ran.err.section('\n', 0, 0);
        QVERIFY2(line.startsWith(begins), qPrintable(ran.err));
        QVERIFY2(ran.err.contains(counts), qPrintable(ran.err));
        QCOMPARE(ran.status, status);
        for (const char* word : {"error: ", "refuted: "}) {
            QVERIFY2(line.count(word) <= 1, qPrintable(line));
        }
        const Json json = jsonOf(ran.out);
        QCOMPARE(QString::fromStdString(json["verdict"].get<std::string>()), verdict);
        QCOMPARE(json["first"].is_null() ? -1 : json["first"].get<int>(), first);
        QCOMPARE(json["reason"].is_null(), first < 0);
    }

    void folderIsAPipelineInNameOrder() {
        QVERIFY(QDir(m_folder.path()).mkdir("steps"));
        // As numbers, 2 stands before 10; the wrong rewrite is the second step, whatever the bytes of the names say.
        QVERIFY(QFile::copy(ref("relu_twice"), m_folder.filePath("steps/1-as-read.lsg.json")));
        QVERIFY(QFile::copy(rew("relu_twice"), m_folder.filePath("steps/2-folded.lsg.json")));
        QCOMPARE(run({"check", "steps"}).status, 0);
        QVERIFY(QFile::copy(rew("scale_through_relu"), m_folder.filePath("steps/10-scaled.lsg.json")));
        const Ran ran = run({"check", "steps", "--json", "-"});
        QVERIFY2(ran.err.contains("step 1  2-folded.lsg.json"), qPrintable(ran.err));
        const Json json = jsonOf(ran.out);
        QCOMPARE(json["first"].get<int>(), 1);
        QVERIFY(QString::fromStdString(json["pairs"][0]["rewritten"]).endsWith("2-folded.lsg.json"));
        QVERIFY(QString::fromStdString(json["pairs"][1]["rewritten"]).endsWith("10-scaled.lsg.json"));
        QCOMPARE(QString::fromStdString(json["pairs"][0]["verdict"]), "proved");
        QVERIFY(ran.status != 0);
    }

    void acceptedDifferencesAreProvedAndSaid() {
        const QString before = write("tanh.lsg.json", graph("Tanh", "a", "Relu"));
        const QString after = write("sigmoid.lsg.json", graph("Sigmoid", "s", "Relu"));
        const QString wrong = write("wrong.lsg.json", graph("Sigmoid", "s", "Neg"));
        QCOMPARE(run({"check", before, after}).status, 1);
        Ran ran = run({"check", before, after, "--assume-equal", "a=s", "--json", "-"});
        QCOMPARE(ran.status, 0);
        QVERIFY2(ran.err.startsWith("proved: identical (assuming a=s)\n"), qPrintable(ran.err));
        QCOMPARE(QString::fromStdString(jsonOf(ran.out)["assumptions"][0]["kind"]), "assumed-equal");
        ran = run({"check", before, wrong, "--assume-equal", "a=s"});
        QCOMPARE(ran.status, 1);
        QVERIFY2(ran.out.section('\n', 0, 0).endsWith("(assuming a=s)"), qPrintable(ran.out));
        ran = run({"check", before, after, "--assume-equal", "aa=s"});
        QCOMPARE(ran.status, 65);
        QVERIFY2(ran.err.contains("tanh.lsg.json") && ran.err.contains("no value 'aa'"), qPrintable(ran.err));

        // Each step of a pipeline is asked what concerns it; what concerns none is refused.
        ran = run({"check", before, after, wrong, "--assume-equal", "a=s"});
        QVERIFY2(ran.out.contains("proved: identical (assuming a=s)") && ran.out.contains("first at step 2 of 2"), qPrintable(ran.out));
        ran = run({"check", before, after, after, "--assume-equal", "a=s", "--json", "-"});
        QCOMPARE(ran.status, 0);
        QVERIFY2(ran.err.startsWith("proved: identical (assuming a=s)\n"), qPrintable(ran.err));
        QCOMPARE(jsonOf(ran.out)["assumptions"].size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(jsonOf(ran.out)["assumptions"][0]["kind"]), "assumed-equal");
        ran = run({"check", before, before, before, "--json", "-"});
        QVERIFY2(!ran.err.contains("assuming"), qPrintable(ran.err));
        QVERIFY(jsonOf(ran.out)["assumptions"].is_array() && jsonOf(ran.out)["assumptions"].empty());
        QCOMPARE(run({"check", before, after, after, "--assume-equal", "s=a"}).status, 65);

        ran = run({"obligation", before, after, "--assume-equal", "a=s"});
        QCOMPARE(ran.status, 0);
        QVERIFY2(ran.out.startsWith("; assuming a=s (reference=rewritten)\n"), qPrintable(ran.out));
        QCOMPARE(run({"obligation", before, after, "--assume-equal", "a=s", "-o", m_folder.filePath("accepted")}).status, 0);
        QFile manifest(m_folder.filePath("accepted/manifest.json"));
        QVERIFY(manifest.open(QIODevice::ReadOnly));
        QCOMPARE(QString::fromStdString(jsonOf(QString::fromUtf8(manifest.readAll()))["assumed_equal"][0]["rewritten"]), "s");
        // A line of a list may accept too.
        const QString list =
            write("accept.tsv", ("name\treference\trewritten\toptions\none\t" + before + "\t" + after + "\t--assume-equal a=s\n").toUtf8());
        QCOMPARE(run({"check", "--pairs", list}).status, 0);
    }

    void reportsCarryWhatIsAccepted_data() {
        QTest::addColumn<bool>("anonymous");
        QTest::newRow("named") << false;
        QTest::newRow("anonymous") << true;
    }
    void reportsCarryWhatIsAccepted() {
        QFETCH(bool, anonymous);
        const QString before = write("tanh.lsg.json", graph("Tanh", "a", "Relu"));
        const QString wrong = write("wrong.lsg.json", graph("Sigmoid", "s", "Neg"));
        const QString folder = m_folder.filePath(anonymous ? "accept-a" : "accept-b");
        QStringList command{"check", before, wrong, "--assume-equal", "a=s", "--export", folder};
        if (anonymous) {
            command << "--anonymous";
        }
        const Ran ran = run(command);
        QCOMPARE(ran.status, 1);
        QVERIFY2(!ran.err.contains("comes out otherwise"), qPrintable(ran.err));
        QFile script(folder + "/replay.sh");
        QVERIFY(script.open(QIODevice::ReadOnly));
        const QString text = QString::fromUtf8(script.readAll());
        QVERIFY2(text.contains("--assume-equal ") && text.contains("a=s") == !anonymous, qPrintable(text));
        QProcess replay;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LEMMASCOPE_CLI", Program);
        replay.setProcessEnvironment(environment);
        replay.start("sh", {folder + "/replay.sh"});
        QVERIFY(replay.waitForFinished(60'000));
        QCOMPARE(replay.exitCode(), 1);
        QVERIFY(replay.readAllStandardOutput().contains("(assuming "));
    }

    void ownInputsMarkWhereTheGraphsPart() {
        const QString before = write("tanh.lsg.json", graph("Tanh", "a", "Relu"));
        const QString after = write("asinh.lsg.json", graph("Sigmoid", "a", "Relu"));
        QCOMPARE(run({"eval", before, "--random", "1", "-o", m_folder.filePath("own")}).status, 0);
        const QString tensor = m_folder.filePath("own/y.npy"); // f32[3], not negative
        Ran ran = run({"check", before, after, "--input", "x=" + tensor, "--json", "-"});
        QCOMPARE(ran.status, 1);
        QVERIFY2(ran.err.contains("First beyond rounding: 'a' of node 'a' at ["), qPrintable(ran.err));
        QVERIFY2(ran.err.contains("first beyond rounding"), qPrintable(ran.err));
        const Json first = jsonOf(ran.out)["on_inputs"]["first"];
        QCOMPARE(QString::fromStdString(first["reference"]["node"]), "a");
        QVERIFY(first["reference"]["element"].get<double>() != first["rewritten"]["element"].get<double>());
        // The status is the verdict's, whatever the tensors show.
        ran = run({"check", before, before, "--input", "x=" + tensor});
        QCOMPARE(ran.status, 0);
        QVERIFY2(ran.out.contains("none beyond rounding"), qPrintable(ran.out));
        QCOMPARE(run({"check", before, after, "--input", "w=" + tensor}).status, 64);
        QVERIFY(jsonOf(run({"check", before, before, "--json", "-"}).out).contains("on_inputs") == false);
    }

    void stepsWithoutTwoGraphsAreRefused() {
        QVERIFY(QDir(m_folder.path()).mkdir("lonely"));
        QVERIFY(QFile::copy(ref("relu_twice"), m_folder.filePath("lonely/only.lsg.json")));
        QVERIFY(QFile::copy(ref("relu_twice"), m_folder.filePath("lonely/.hidden.lsg.json")));
        const Ran ran = run({"check", "lonely"});
        QCOMPARE(ran.status, 64);
        QVERIFY2(ran.err.contains("holds 1 graph"), qPrintable(ran.err));
    }

    void pairsTakeOptionsAndTheWorstIsTheStatus() {
        QByteArray list = "name\treference\trewritten\toptions\n";
        const auto line = [&](const char* name, const QString& a, const QString& b, const char* options) {
            list += QByteArray(name) + "\t" + a.toUtf8() + "\t" + b.toUtf8() + "\t" + options + "\n";
        };
        line("fine", ref("distributive"), rew("distributive"), "");
        line("strict", ref("distributive"), rew("distributive"), "--strength identical");
        QString file = write("pairs.tsv", list);
        QCOMPARE(run({"check", "--pairs", file}).status, 2);
        line("gone", "no.onnx", "such.onnx", "");
        file = write("pairs.tsv", list);
        const Ran ran = run({"check", "--pairs", file, "--junit", m_folder.filePath("j.xml"), "--sarif", m_folder.filePath("s.json")});
        QCOMPARE(ran.status, 66);
        QFile junit(m_folder.filePath("j.xml"));
        QVERIFY(junit.open(QIODevice::ReadOnly));
        QVERIFY(junit.readAll().contains("tests=\"3\" failures=\"1\" errors=\"1\""));
        line("wrong", ref("scale_through_relu"), rew("scale_through_relu"), "");
        QCOMPARE(run({"check", "--pairs", write("pairs.tsv", list)}).status, 1);
        line("broken", ref("relu_twice"), rew("relu_twice"), "--strength strong");
        QCOMPARE(run({"check", "--pairs", write("pairs.tsv", "name\treference\trewritten\toptions\n" + list.mid(list.lastIndexOf("broken")))}).status,
                 65);
    }

    void evalPrintsAndStoresOutputs() {
        const Ran ran = run({"eval", ref("scale_through_relu"), "--random", "7", "-o", "values"});
        QCOMPARE(ran.status, 0);
        QVERIFY2(ran.out.startsWith("y f32[4]: "), qPrintable(ran.out));
        QVERIFY(QFile::exists(m_folder.filePath("values/y.npy")));
        QCOMPARE(run({"eval", ref("scale_through_relu"), "--random", "7"}).out, ran.out);
        QVERIFY(run({"eval", ref("scale_through_relu"), "--random", "8"}).out != ran.out);
    }

    void evalOfAFaultEndsWith1() {
        const QByteArray graph = R"({"format": "lemmascope-graph", "version": 1, "opset": 17,
            "inputs": [{"name": "x", "type": "f32", "shape": [3]}, {"name": "i", "type": "i64", "shape": [1], "range": [7, 7]}],
            "nodes": [{"op": "Gather", "in": ["x", "i"], "out": ["y"]}], "outputs": ["y"]})";
        const Ran ran = run({"eval", write("fault.lsg.json", graph), "--random", "1"});
        QCOMPARE(ran.status, 1);
        QVERIFY2(ran.out.contains("fault: read out of range: x[7]"), qPrintable(ran.out));
    }

    void showTellsOpenOps() {
        const Ran ran = run({"show", ref("open_op_same")});
        QCOMPARE(ran.status, 0);
        QVERIFY2(ran.out.contains("open: nothing is assumed"), qPrintable(ran.out));
        const Json json = jsonOf(run({"show", ref("open_op_same"), "--json", "-"}).out);
        QVERIFY(json.is_object());
        QVERIFY(json["nodes"].get<int>() >= 1);
    }

    void convertGoesThereAndBack() {
        QCOMPARE(run({"convert", ref("scale_through_relu"), "there.onnx"}).status, 0);
        QCOMPARE(run({"convert", "there.onnx", "back.lsg.json"}).status, 0);
        const Ran ran = run({"check", ref("scale_through_relu"), "back.lsg.json"});
        QVERIFY2(ran.out.startsWith("proved: identical\n"), qPrintable(ran.out + ran.err));
        for (const char* picture : {"g.dot", "g.svg", "g.png"}) {
            QCOMPARE(run({"convert", "there.onnx", picture}).status, 0);
            QVERIFY(QFile(m_folder.filePath(picture)).size() > 100);
        }
    }

    void obligationIsTheSameTextEveryTime() {
        const QStringList command{"obligation", ref("distributive"), rew("distributive")};
        const Ran first = run(command);
        QCOMPARE(first.status, 0);
        QVERIFY2(first.out.contains("(assert"), qPrintable(first.out));
        QCOMPARE(run(command).out, first.out);
        QCOMPARE(run(command + QStringList{"-o", "lemmas"}).status, 0);
        QVERIFY(QFile::exists(m_folder.filePath("lemmas/manifest.json")));
        QVERIFY(QFile::exists(m_folder.filePath("lemmas/L0001.smt2")));
    }

    void exportedPairHasTheSameVerdictAtTheSameElement_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<bool>("anonymous");
        for (const char* name : {"scale_through_relu", "part_read_shifted", "declared_range_broken", "open_op_commuted"}) {
            QTest::addRow("%s", name) << QString(name) << false;
            QTest::addRow("%s, anonymous", name) << QString(name) << true;
        }
    }
    void exportedPairHasTheSameVerdictAtTheSameElement() {
        QFETCH(QString, name);
        QFETCH(bool, anonymous);
        const QString folder = m_folder.filePath(name + (anonymous ? "-a" : ""));
        QStringList command{"check", ref(name), rew(name), "--export", folder, "--json", "-"};
        if (anonymous) {
            command << "--anonymous";
        }
        const Ran first = run(command);
        const Json told = jsonOf(first.out);
        QVERIFY2(told.is_object(), qPrintable(first.err));
        for (const char* ending : {".lsg.json", ".onnx"}) {
            const QString reference = folder + "/reference" + ending;
            if (!QFile::exists(reference)) {
                continue; // what ONNX has no form for is JSON only
            }
            const Ran again = run({"check", reference, folder + "/rewritten" + ending, "--json", "-"});
            const Json json = jsonOf(again.out);
            QVERIFY2(json.is_object(), qPrintable(again.err));
            QCOMPARE(json["verdict"].dump(), told["verdict"].dump());
            QCOMPARE(json["kind"].dump(), told["kind"].dump());
            if (told["counterexample"].is_object()) {
                QCOMPARE(json["counterexample"]["index"].dump(), told["counterexample"]["index"].dump());
            }
        }
        QProcess replay;
        replay.setProcessEnvironment([] {
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert("LEMMASCOPE_CLI", Program);
            return environment;
        }());
        replay.start("sh", {folder + "/replay.sh"});
        QVERIFY(replay.waitForFinished(120'000));
        QCOMPARE(replay.exitCode(), first.status);
    }

    void pinnedObligationNeedsNoSolver() {
        const QStringList command{"check", ref("distributive"), rew("distributive"), "--pin", "pins", "--json", "-"};
        const Ran first = run(command);
        QCOMPARE(first.status, 0);
        const Ran second = run(command);
        QCOMPARE(second.status, 0);
        QCOMPARE(jsonOf(second.out)["times"]["solver_calls"].get<int>(), 0);
        QVERIFY2(second.err.contains("unchanged"), qPrintable(second.err));
    }

    void aClosedReaderIsNoTrouble() {
        QProcess process;
        process.start(
            "sh", {"-c", Program + " check --help | head -n 1; exec " + Program + " check " + ref("relu_twice") + " " + rew("relu_twice") + " >&-"});
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitStatus(), QProcess::NormalExit);
        QProcess piped;
        piped.start("bash",
                    {"-c", Program + " check " + ref("scale_through_relu") + " " + rew("scale_through_relu") + " | true; exit ${PIPESTATUS[0]}"});
        QVERIFY(piped.waitForFinished(60'000));
        QCOMPARE(piped.exitCode(), 1);
        QVERIFY2(piped.readAllStandardError().isEmpty(), "an EPIPE is quiet");
    }

    void timeIsALimitForTheWholeCommand() {
        QByteArray list = "name\treference\trewritten\toptions\n";
        for (int i = 0; i < 2000; ++i) {
            list += QByteArray::number(i) + "\t" + ref("scale_through_relu").toUtf8() + "\t" + rew("scale_through_relu").toUtf8() + "\t\n";
        }
        QElapsedTimer timer;
        timer.start();
        const Ran ran = run({"check", "--pairs", write("long.tsv", list), "--no-cache", "--time", "1"});
        QVERIFY2(timer.elapsed() < 15'000, qPrintable(QString::number(timer.elapsed())));
        QVERIFY(ran.status == 1 || ran.status == 2);
        QVERIFY2(ran.out.contains("undecided: time"), qPrintable(ran.out.left(2000)));
    }

    void interruptEndsWith130() {
        QByteArray list = "name\treference\trewritten\toptions\n";
        for (int i = 0; i < 5000; ++i) {
            list += QByteArray::number(i) + "\t" + ref("scale_through_relu").toUtf8() + "\t" + rew("scale_through_relu").toUtf8() + "\t\n";
        }
        for (const int signal : {SIGINT, SIGTERM}) {
            QProcess process;
            process.start(Program, {"check", "--pairs", write("long.tsv", list), "--no-cache"});
            QVERIFY(process.waitForStarted());
            // A signal that comes before the program asks for it ends the program as it ends any.
            QTRY_VERIFY_WITH_TIMEOUT(catches(process.processId(), signal), 10'000);
            QTest::qWait(50);
            QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
            QVERIFY(process.waitForFinished(10'000));
            QCOMPARE(process.exitStatus(), QProcess::NormalExit);
            QCOMPARE(process.exitCode(), 130);
        }
    }
};

QTEST_GUILESS_MAIN(TestCli)
#include "tst_cli.moc"
