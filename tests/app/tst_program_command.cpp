// `check` and `interp` on MLIR programs as their users see them: all pairs of tests/data/cases/mlir and the programs of cases/bugs with the
// kind, place and strength that their indexes name; dumps of a pipeline; what is refused and how.
#include "tests/app/program_pairs.h"
#include "tests/app/program_run.h"
#include "tests/core/format/json/schema_check.h"

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

using Json = nlohmann::json;

namespace {

const QString Cases = QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/");

Ran cli(const QStringList& arguments) { return runProgram(QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope-cli"), arguments); }

Json jsonOf(const QString& text) {
    const QByteArray bytes = text.toUtf8();
    return Json::parse(bytes.begin(), bytes.end(), nullptr, false);
}

Json jsonFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? jsonOf(QString::fromUtf8(file.readAll())) : Json();
}

std::string textOf(const Json& object, const char* key) {
    const auto at = object.find(key);
    return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}

/// What an index says of a pair.
struct Wanted {
    std::string verdict = "refuted";
    std::vector<std::string> kinds;     ///< any of these
    std::vector<std::string> strengths; ///< any of these
    Json fault;
    Json race;
};

/// A kernel of one function over memory.
QByteArray kernel(const QByteArray& body, const QByteArray& arguments = "%A: memref<4xf64>") {
    return "func.func @kernel(" + arguments + ") {\n" + body + "  return\n}\n";
}

} // namespace

class TestProgramCommand : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString write(const QString& name, const QByteArray& text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) {
            qWarning("%s cannot be written", qPrintable(name));
        }
        return file.fileName();
    }

    static void compareWith(const Wanted& wanted, const QString& reference, const QString& rewritten) {
        const Ran ran = cli({"check", reference, rewritten, "--no-cache", "--time", "60", "--json", "-"});
        const Json result = jsonOf(ran.out);
        QVERIFY2(result.is_object(), qPrintable(ran.err));
        const std::string told =
            textOf(result, "verdict") + " " + textOf(result, "kind") + textOf(result, "strength") + " " + textOf(result, "reason");
        QVERIFY2(textOf(result, "verdict") == wanted.verdict, told.c_str());
        QCOMPARE(ran.status, wanted.verdict == "proved" ? 0 : 1);
        if (wanted.verdict == "proved") {
            const auto& allowed = wanted.strengths;
            QVERIFY2(std::find(allowed.begin(), allowed.end(), textOf(result, "strength")) != allowed.end(), told.c_str());
            return;
        }
        const auto& kinds = wanted.kinds;
        QVERIFY2(std::find(kinds.begin(), kinds.end(), textOf(result, "kind")) != kinds.end(), told.c_str());
        if (textOf(result, "kind") == "value") {
            QVERIFY(result.at("counterexample").is_object());
            QVERIFY(result["counterexample"].at("reference") != result["counterexample"].at("rewritten"));
        }
        if (wanted.fault.is_object()) {
            QVERIFY(result.at("fault").is_object());
            for (const char* field : {"access", "buffer", "index"}) {
                QVERIFY2(result["fault"].at(field) == wanted.fault.at(field), (std::string(field) + ": " + result["fault"].dump()).c_str());
            }
            QVERIFY2(textOf(result["fault"], "side") == "rewritten", result["fault"].dump().c_str());
        }
        if (wanted.race.is_object()) {
            const Json& race = result.at("race");
            QVERIFY(race.is_object());
            Json events = race.at("events");
            Json expected = wanted.race.at("events");
            std::sort(events.begin(), events.end());
            std::sort(expected.begin(), expected.end());
            QVERIFY2(events == expected, race.dump().c_str());
            QVERIFY2(race.at("buffer") == wanted.race.at("cell").at("buffer") && race.at("index") == wanted.race.at("cell").at("index"),
                     race.dump().c_str());
            QCOMPARE(race.at("runs").size(), std::size_t{2});
            QVERIFY2(race["runs"][0].at("outputs") != race["runs"][1].at("outputs"), race.dump().c_str());
        }
    }

  private Q_SLOTS:
    void initTestCase() { QVERIFY(m_folder.isValid()); }

    void pairs_data() {
        QTest::addColumn<QString>("stem");
        QTest::addColumn<bool>("equal");
        QTest::addColumn<QString>("expected");
        // Kinds as in the folder's README. The wrong index map of twomm_fuse also reads elements that are only written later.
        for (const char* name :
             {"gemm_tile value", "twomm_fuse value,uninitialised", "jacobi2d_unroll value", "seidel_tile value", "reduce_iterargs value",
              "iterarg_swap value", "global_table value", "subview_alias value", "parfor_matvec race", "async_chain race"}) {
            const QStringList words = QString(name).split(' ');
            const bool commutes = words[0] == "jacobi2d_unroll"; // needs the commutativity of addition
            QTest::newRow(qPrintable(words[0] + ".equal")) << words[0] << true << (commutes ? "open" : "identical");
            QTest::newRow(qPrintable(words[0] + ".differs")) << words[0] << false << words[1];
        }
        QCOMPARE(QDir(Cases + "mlir").entryList({"*.ref.mlir"}).size(), 10);
    }
    void pairs() {
        QFETCH(QString, stem);
        QFETCH(bool, equal);
        QFETCH(QString, expected);
        Wanted wanted;
        wanted.verdict = equal ? "proved" : "refuted";
        for (const QString& word : expected.split(',')) {
            (equal ? wanted.strengths : wanted.kinds).push_back(word.toStdString());
        }
        compareWith(wanted, Cases + "mlir/" + stem + ".ref.mlir", Cases + "mlir/" + stem + (equal ? ".equal.mlir" : ".differs.mlir"));
    }

    void bugs_data() {
        QTest::addColumn<QString>("id");
        const Json index = jsonFile(Cases + "bugs/expected.json");
        int count = 0;
        for (const auto& [name, entry] : index.items()) {
            if (entry.contains("files") && QString::fromStdString(textOf(entry["files"], "ref")).endsWith(".mlir")) {
                QTest::newRow(name.c_str()) << QString::fromStdString(name);
                ++count;
            }
        }
        QCOMPARE(count, 13);
    }
    void bugs() {
        QFETCH(QString, id);
        const Json entry = jsonFile(Cases + "bugs/expected.json").at(id.toStdString());
        const std::string verdict = textOf(entry, "verdict");
        Wanted wanted;
        if (verdict == "equal") {
            wanted = {"proved", {}, {"identical", "open", "exact"}, {}, {}};
        } else if (verdict == "equal over the reals but not in floats") {
            wanted = {"proved", {}, {"exact"}, {}, {}};
        } else if (verdict == "differs") {
            wanted.kinds = {"value"};
        } else if (verdict == "race") {
            wanted.kinds = {"race"};
            wanted.race = entry.at("race");
        } else {
            wanted.kinds = {verdict.find("uninitialised") != std::string::npos ? "uninitialised" : "out-of-range"};
            wanted.fault = entry.at("fault");
        }
        compareWith(wanted, Cases + "bugs/" + id + ".ref.mlir", Cases + "bugs/" + id + ".rew.mlir");
    }

    void meaning_data() {
        QTest::addColumn<QByteArray>("reference");
        QTest::addColumn<QByteArray>("rewritten");
        QTest::addColumn<QString>("line");
        for (const std::vector<ProgramPair>& pairs : {undefinedPairs(), arithmeticPairs()}) {
            for (const ProgramPair& pair : pairs) {
                const QByteArray head = "func.func @f" + QByteArray(pair.signature) + " {\n";
                QTest::newRow(pair.name) << head + pair.reference + "}\n" << head + pair.rewritten + "}\n" << QString(pair.line);
            }
        }
    }
    void meaning() {
        QFETCH(QByteArray, reference);
        QFETCH(QByteArray, rewritten);
        QFETCH(QString, line);
        const Ran ran = cli({"check", write("meaning.ref.mlir", reference), write("meaning.rew.mlir", rewritten), "--no-cache", "--time", "60"});
        QVERIFY2(ran.firstLine().startsWith(line), qPrintable(ran.out + ran.err));
        QCOMPARE(ran.status, line.startsWith("proved") ? 0 : line.startsWith("refuted") ? 1 : 2);
    }

    void bytecodeIsAProgramToo() {
        const QString text = Cases + "mlir/gemm_tile.ref.mlir";
        const QString bytes = m_folder.filePath("gemm.mlirbc");
        const Ran made = runProgram("mlir-opt-19", {text, "--emit-bytecode", "-o", bytes});
        QVERIFY2(made.status == 0, qPrintable(made.err));
        const Ran ran = cli({"check", text, bytes, "--no-cache"});
        QCOMPARE(ran.firstLine(), QString("proved: identical"));
        QCOMPARE(ran.status, 0);
    }

    void aPipelineOfDumpsIsCheckedStepByStep() {
        const QString source = Cases + "mlir/jacobi2d_unroll.ref.mlir";
        const Ran made = runProgram("mlir-opt-19", {source, "--lower-affine", "--canonicalize", "--cse", "--mlir-print-ir-after-all",
                                                    "--mlir-print-ir-module-scope", "--mlir-disable-threading", "-o", m_folder.filePath("out.mlir")});
        QVERIFY2(made.status == 0, qPrintable(made.err));
        const QString dumps = write("passes.txt", made.err.toUtf8());
        const Ran good = cli({"check", source, dumps, "--no-cache"});
        QVERIFY2(good.status == 0 && good.firstLine().startsWith("proved"), qPrintable(good.out + good.err));
        QVERIFY2(good.out.contains("After CSE"), qPrintable(good.out));
        // The last pass goes wrong.
        const qsizetype last = made.err.lastIndexOf("arith.addf");
        QVERIFY(last > 0);
        const QString wrong = write("wrong.txt", QString(made.err).replace(last, 10, "arith.subf").toUtf8());
        const Ran bad = cli({"check", source, wrong, "--no-cache"});
        QCOMPARE(bad.status, 1);
        QVERIFY2(bad.firstLine().startsWith("refuted: first at step 3 of 3: After CSE") || bad.firstLine().contains("After CSE"),
                 qPrintable(bad.firstLine()));
        // A file of dumps alone is a pipeline as well.
        QCOMPARE(cli({"check", dumps, "--no-cache"}).status, 0);
    }

    void dumpsOfSeveralFunctionsAreNotComparedWithEachOther() {
        const QString dumps = write("functions.txt", "// -----// IR Dump After CSE (cse) //----- //\nfunc.func @a() {\n  return\n}\n"
                                                     "// -----// IR Dump After CSE (cse) //----- //\nfunc.func @b() {\n  return\n}\n");
        const Ran ran = cli({"check", dumps, "--no-cache"});
        QVERIFY2((ran.out + ran.err).contains("--mlir-print-ir-module-scope"), qPrintable(ran.out + ran.err));
        QCOMPARE(ran.status, 65);
    }

    void sizesNameArgumentsOfTheReference() {
        const QByteArray loop = "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %z = arith.constant 0.0 : f64\n"
                                "  scf.for %i = %c0 to ";
        const QByteArray rest = " step %c1 {\n    memref.store %z, %A[%i] : memref<?xf64>\n  }\n";
        const QString reference = write("sizes.ref.mlir", kernel(loop + "%n" + rest, "%A: memref<?xf64>, %n: index"));
        const QString rewritten = write("sizes.rew.mlir", kernel(loop + "%m" + rest, "%A: memref<?xf64>, %m: index"));
        const Ran asked = cli({"check", reference, rewritten, "--no-cache"});
        QCOMPARE(asked.status, 2);
        QVERIFY2(asked.firstLine().startsWith("undecided") && asked.firstLine().contains("give --size n=N"), qPrintable(asked.firstLine()));
        const Ran given = cli({"check", reference, rewritten, "--no-cache", "--size", "n=5"});
        QVERIFY2(given.firstLine() == "proved: identical", qPrintable(given.out + given.err));
        // The size stands among the inputs of a counterexample.
        const QString wrong = write("sizes.bad.mlir", kernel(loop + "%c1" + rest, "%A: memref<?xf64>, %m: index"));
        const Ran bad = cli({"check", reference, wrong, "--no-cache", "--size", "n=5", "--json", "-"});
        QCOMPARE(bad.status, 1);
        const Json result = jsonOf(bad.out);
        QVERIFY2(result.at("counterexample").at("inputs").at("n").at("data") == Json::array({5}), bad.out.toUtf8().constData());
    }

    void digestsInPlaceOfTermsAreProbable() {
        const QString reference = Cases + "mlir/gemm_tile.ref.mlir";
        const Ran equal = cli({"check", reference, Cases + "mlir/gemm_tile.equal.mlir", "--no-cache", "--fingerprint", "--json", "-"});
        QCOMPARE(equal.status, 0);
        const Json result = jsonOf(equal.out);
        QCOMPARE(textOf(result, "strength"), std::string("probable"));
        QVERIFY2(result.at("error_probability").is_number() && result["error_probability"] < 1e-20, equal.out.toUtf8().constData());
        const Ran asked = cli({"check", reference, Cases + "mlir/gemm_tile.equal.mlir", "--no-cache", "--fingerprint", "--strength", "exact"});
        QCOMPARE(asked.status, 2);
        QVERIFY2(asked.firstLine().startsWith("proved: probable"), qPrintable(asked.firstLine()));
        const Ran differs = cli({"check", reference, Cases + "mlir/gemm_tile.differs.mlir", "--no-cache", "--fingerprint"});
        QCOMPARE(differs.status, 1);
        QVERIFY2(differs.firstLine().startsWith("refuted: value"), qPrintable(differs.firstLine()));
        const Ran alone = cli({"check", reference, reference, "--no-cache", "--strength", "probable"});
        QVERIFY2(alone.firstLine().startsWith("proved: identical"), qPrintable(alone.firstLine()));
    }

    void whatIsNotUnderstoodIsUndecided() {
        const QString one = write("unknown.ref.mlir", kernel("  \"foo.effect\"(%A) : (memref<4xf64>) -> ()\n"));
        const Ran ran = cli({"check", one, one, "--no-cache"});
        QCOMPARE(ran.status, 2);
        QVERIFY2(ran.firstLine().contains("unsupported op 'foo.effect' at " + one + ":2:3"), qPrintable(ran.firstLine()));
        const QString wide = write("wide.mlir", kernel({}, "%a: i128"));
        QVERIFY2(cli({"check", wide, wide, "--no-cache"}).firstLine().startsWith("undecided: "), "an argument that cannot be held");
    }

    void unknownOpsOnNumbersAreOpenFunctions() {
        const auto program = [](const QByteArray& name) {
            return "func.func @kernel(%a: f32) -> f32 {\n  %r = \"" + name + "\"(%a) : (f32) -> f32\n  return %r : f32\n}\n";
        };
        const QString one = write("open.ref.mlir", program("foo.one"));
        const QString other = write("open.rew.mlir", program("foo.other"));
        QVERIFY2(cli({"check", one, one, "--no-cache"}).firstLine().startsWith("proved"), "the same function");
        const Ran ran = cli({"check", one, other, "--no-cache"});
        QVERIFY2(ran.status == 2, qPrintable(ran.out)); // nothing is known of either
    }

    void errorsNamePlaceAndStatus_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("says");
        const QByteArray good = kernel({});
        QTest::newRow("syntax") << QByteArray("func.func @kernel() {\n  %x = arith.foo\n}\n") << QStringList() << 65 << ":2:";
        QTest::newRow("no function") << QByteArray("module {\n}\n") << QStringList() << 65 << "no function with a body";
        QTest::newRow("no such entry") << good << QStringList{"--entry", "kernal"} << 64 << "is kernel meant?";
        QTest::newRow("several") << good + "func.func @other() {\n  return\n}\n" << QStringList() << 64 << "choose one with --entry NAME";
        QTest::newRow("no such size") << good << QStringList{"--size", "q=3"} << 64 << "--size q=3: there is no such argument: there is A";
        QTest::newRow("a map") << good << QStringList{"--map", "a=b"} << 64 << "--map is about graphs";
        QTest::newRow("deep") << "func.func @kernel() {\n" + QByteArray("scf.execute_region {\n").repeated(5000) << QStringList() << 65
                              << "nested deeper";
    }
    void errorsNamePlaceAndStatus() {
        QFETCH(QByteArray, text);
        QFETCH(QStringList, options);
        QFETCH(int, status);
        QFETCH(QString, says);
        const QString file = write("error.mlir", text);
        const Ran ran = cli(QStringList{"check", file, file, "--no-cache"} + options);
        QVERIFY2(ran.err.contains(says), qPrintable(ran.out + ran.err));
        QVERIFY2(ran.err.contains(file), qPrintable(ran.err));
        QCOMPARE(ran.status, status);
    }

    void atomicUpdatesOfTasksAreALoop() {
        const QByteArray head = "func.func @f(%A: memref<8xf32>, %S: memref<1xf32>) {\n  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : "
                                "index\n  %c8 = arith.constant 8 : index\n";
        const QByteArray read = "    %a = memref.load %A[%i] : memref<8xf32>\n";
        const auto tasks = [&](const QByteArray& op) {
            return head + "  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {\n" + read +
                   "    %r = memref.generic_atomic_rmw %S[%c0] : memref<1xf32> {\n" + "    ^bb0(%x: f32):\n      %s = arith." + op +
                   " : f32\n      memref.atomic_yield %s : f32\n    }\n    scf.reduce\n  }\n  return\n}\n";
        };
        const QString loop = write("updates.ref.mlir", head + "  scf.for %i = %c0 to %c8 step %c1 {\n" + read +
                                                           "    %s = memref.load %S[%c0] : memref<1xf32>\n    %t = arith.subf %s, %a : f32\n"
                                                           "    memref.store %t, %S[%c0] : memref<1xf32>\n  }\n  return\n}\n");
        const Ran same = cli({"check", loop, write("updates.rew.mlir", tasks("subf %x, %a")), "--no-cache"});
        QCOMPARE(same.firstLine(), QString("proved: exact"));
        const Ran other = cli({"check", loop, write("updates.bad.mlir", tasks("addf %a, %x")), "--no-cache"});
        QVERIFY2(other.status == 1 && other.firstLine().startsWith("refuted: value"), qPrintable(other.out + other.err));
    }

    void anExportedPairHasTheSameVerdict_data() {
        QTest::addColumn<QStringList>("pair");
        QTest::addColumn<QString>("file"); // of the report, beside those that all have
        const auto row = [](const char* name, const QString& before, const QString& after, const QStringList& options, const char* file) {
            QTest::newRow(name) << QStringList{before, after} + options << QString(file);
        };
        row("value", Cases + "mlir/gemm_tile.ref.mlir", Cases + "mlir/gemm_tile.differs.mlir", {"--entry", "kernel"}, "expressions.svg");
        row("race", Cases + "mlir/parfor_matvec.ref.mlir", Cases + "mlir/parfor_matvec.differs.mlir", {}, "report.html");
        row("fault", Cases + "bugs/B25.ref.mlir", Cases + "bugs/B25.rew.mlir", {"--strength", "exact"}, "report.html");
        row("equal", Cases + "mlir/gemm_tile.ref.mlir", Cases + "mlir/gemm_tile.equal.mlir", {}, "report.html");
        const QByteArray loop = "  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n  %z = arith.constant ";
        const QByteArray rest = " : f64\n  scf.for %i = %c0 to %n step %c1 {\n    memref.store %z, %A[%i] : memref<?xf64>\n  }\n";
        const QByteArray arguments = "%A: memref<?xf64>, %n: index";
        row("size", write("export.ref.mlir", kernel(loop + "0.0" + rest, arguments)),
            write("export.rew.mlir", kernel(loop + "1.0" + rest, arguments)), {"--size", "n=3"}, "inputs/n.npy");
        // Without names: the same verdict at the same element of the pair as it is written.
        const QStringList nameless{"--anonymous"};
        row("value, anonymous", Cases + "mlir/gemm_tile.ref.mlir", Cases + "mlir/gemm_tile.differs.mlir",
            {"--entry", "kernel", "--outputs", "C", "--anonymous"}, "expressions.svg");
        row("race, anonymous", Cases + "mlir/parfor_matvec.ref.mlir", Cases + "mlir/parfor_matvec.differs.mlir", nameless, "report.html");
        row("global, anonymous", Cases + "mlir/global_table.ref.mlir", Cases + "mlir/global_table.differs.mlir", nameless, "report.html");
        row("fault, anonymous", Cases + "bugs/B25.ref.mlir", Cases + "bugs/B25.rew.mlir", nameless, "report.html");
        row("equal, anonymous", Cases + "mlir/gemm_tile.ref.mlir", Cases + "mlir/gemm_tile.equal.mlir", nameless, "report.html");
        row("size, anonymous", m_folder.filePath("export.ref.mlir"), m_folder.filePath("export.rew.mlir"), {"--size", "n=3", "--anonymous"},
            "report.html");
        // Generic form has names in other places, bytecode none to show.
        const auto made = [this](const char* name, const QString& from, const QString& option) {
            const QString file = m_folder.filePath(name);
            const Ran ran = runProgram("mlir-opt-19", {from, option, "-o", file});
            return ran.status == 0 ? file : QString();
        };
        const QString differs = Cases + "mlir/gemm_tile.differs.mlir";
        row("generic, anonymous", made("generic.ref.mlir", Cases + "mlir/gemm_tile.ref.mlir", "--mlir-print-op-generic"),
            made("generic.rew.mlir", differs, "--mlir-print-op-generic"), nameless, "map_v5.svg");
        row("bytecode", made("export.ref.mlirbc", Cases + "mlir/gemm_tile.ref.mlir", "--emit-bytecode"),
            made("export.rew.mlirbc", differs, "--emit-bytecode"), {}, "expressions.svg");
        row("text and bytecode", Cases + "mlir/gemm_tile.ref.mlir", m_folder.filePath("export.rew.mlirbc"), {}, "map_C.svg");
    }
    void anExportedPairHasTheSameVerdict() {
        QFETCH(QStringList, pair);
        QFETCH(QString, file);
        QTemporaryDir folder;
        const QDir out(folder.filePath("a report"));
        const Ran first = cli(QStringList{"check"} + pair + QStringList{"--no-cache", "--json", "-", "--export", out.path()});
        const Json told = jsonOf(first.out);
        QVERIFY2(told.is_object(), qPrintable(first.err));
        for (const QString& each : {QString("reference.mlir"), QString("rewritten.mlir"), QString("result.json"), QString("report.md"), file}) {
            QVERIFY2(out.exists(each), qPrintable(each + ": " + out.entryList().join(' ')));
        }
        QProcess again;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LEMMASCOPE_CLI", QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope-cli"));
        again.setProcessEnvironment(environment);
        again.start(out.filePath("replay.sh"), {"--no-cache", "--json", "-"});
        QVERIFY(again.waitForFinished(120'000));
        QCOMPARE(again.exitCode(), first.status);
        const Json replayed = jsonOf(QString::fromUtf8(again.readAllStandardOutput()));
        for (const char* field : {"verdict", "strength", "kind"}) {
            QVERIFY2(replayed.at(field) == told.at(field), field);
        }
        const bool nameless = pair.contains("--anonymous");
        const auto placeOf = [nameless](const Json& result) {
            const Json& found = result.at("counterexample");
            const std::string name = !found.is_object() || nameless ? std::string() : found.at("output").dump();
            return found.is_object() && result.at("kind") == "value" ? name + found.at("index").dump() : std::string();
        };
        QCOMPARE(placeOf(replayed), placeOf(told));
        QFile words(out.filePath("report.md"));
        QVERIFY(words.open(QIODevice::ReadOnly));
        const QString report = QString::fromUtf8(words.readAll());
        QCOMPARE(report.contains("Both schedules"), told.at("kind") == "race");
        QVERIFY(!nameless || !(report.contains("kernel") || report.contains("tests/data")));
    }

    void aStepOfDumpsIsExported() {
        const QByteArray head = "// -----// IR Dump After CSE (cse) //----- //\nmodule {\nfunc.func @f(%a: i32) -> i32 {\n  %r = arith.";
        const QByteArray tail = " %a, %a : i32\n  return %r : i32\n}\n}\n";
        const QString dumps = write("export.txt", head + "addi" + tail + head + "muli" + tail);
        QTemporaryDir folder;
        QCOMPARE(cli({"check", dumps, "--no-cache", "--export", folder.path()}).status, 1);
        const QDir out(folder.path());
        QVERIFY(out.exists("inputs/a.npy"));
        QCOMPARE(cli({"check", out.filePath("reference.mlir"), out.filePath("rewritten.mlir"), "--no-cache"}).status, 1);
        // Without names.
        QTemporaryDir bare;
        QCOMPARE(cli({"check", dumps, "--no-cache", "--anonymous", "--export", bare.path()}).status, 1);
        const Ran again = cli({"check", bare.filePath("reference.mlir"), bare.filePath("rewritten.mlir"), "--no-cache"});
        QCOMPARE(again.status, 1);
        QFile words(bare.filePath("rewritten.mlir"));
        QVERIFY(words.open(QIODevice::ReadOnly));
        const QByteArray text = words.readAll();
        QVERIFY2(text.contains("arith.muli") && !text.contains("@f") && !text.contains("%a"), text.constData());
        // Another report in its place: the tensors of the first go, other files stay.
        QVERIFY(QFile::copy(dumps, out.filePath("inputs/notes.txt")));
        const QString equal = Cases + "mlir/gemm_tile.ref.mlir";
        QCOMPARE(cli({"check", equal, equal, "--no-cache", "--export", folder.path()}).status, 0);
        QVERIFY(!out.exists("inputs/a.npy") && out.exists("inputs/notes.txt"));
    }

    void aMissingReaderIsSaid() {
        const QString alone = m_folder.filePath("lemmascope-cli");
        QVERIFY(QFile::copy(QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope-cli"), alone));
        const QString program = Cases + "mlir/gemm_tile.ref.mlir";
        for (const QStringList& command : {QStringList{"check", program, program}, QStringList{"interp", program}, QStringList{"show", program}}) {
            const Ran ran = runProgram(alone, command);
            QCOMPARE(ran.status, 66);
            QVERIFY2(ran.err.contains(program) && ran.err.contains("lemmascope-mlir") && ran.err.contains("LEMMASCOPE_MLIR=ON"), qPrintable(ran.err));
        }
    }

    void interpTellsARunAndItsJsonFitsTheSchema_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<int>("status");
        QTest::addColumn<QString>("end");
        QTest::newRow("finished") << Cases + "mlir/reduce_iterargs.ref.mlir" << 0 << "finished";
        QTest::newRow("race") << Cases + "mlir/parfor_matvec.differs.mlir" << 1 << "race";
        QTest::newRow("fault") << Cases + "bugs/B25.rew.mlir" << 1 << "fault";
        QTest::newRow("undecided") << write("undecided.mlir", kernel("  \"foo.effect\"(%A) : (memref<4xf64>) -> ()\n")) << 2 << "undecided";
    }
    void interpTellsARunAndItsJsonFitsTheSchema() {
        QFETCH(QString, file);
        QFETCH(int, status);
        QFETCH(QString, end);
        const Ran text = cli({"interp", file});
        QCOMPARE(text.status, status);
        QVERIFY2(text.out.startsWith(end + ":"), qPrintable(text.out));
        const Ran ran = cli({"interp", file, "--json", "-"});
        QCOMPARE(ran.status, status);
        const Json result = jsonOf(ran.out);
        QVERIFY2(result.is_object(), qPrintable(ran.out));
        QCOMPARE(QString::fromStdString(textOf(result, "end")), end);
        QFile schema(QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/schema/run.schema.json"));
        QVERIFY(schema.open(QIODevice::ReadOnly));
        const lemmascope::test::SchemaCheck check(QJsonDocument::fromJson(schema.readAll()).object());
        const QStringList faults = check.problems(QJsonDocument::fromJson(ran.out.toUtf8()).object());
        QVERIFY2(faults.isEmpty(), qPrintable(faults.join('\n')));
    }

    void tensorFunctionsHoldAtAllSizes() {
        const QByteArray head = "#a = affine_map<(i, j, k) -> (i, k)>\n#b = affine_map<(i, j, k) -> (k, j)>\n#t = affine_map<(i, j, k) -> (j, k)>\n"
                                "#c = affine_map<(i, j, k) -> (i, j)>\n"
                                "func.func @f(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>, %z: tensor<?x?xf32>) -> tensor<?x?xf32> {\n";
        const QByteArray tail = "\n  return %r : tensor<?x?xf32>\n}\n";
        const QByteArray types = "tensor<?x?xf32>, tensor<?x?xf32>) outs(%z : tensor<?x?xf32>) ";
        const auto generic = [&](const QByteArray& right) {
            return head + "  %r = linalg.generic {indexing_maps = [#a, " + right +
                   ", #c], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} ins(%x, %y : " + types +
                   "{\n  ^bb0(%p: f32, %q: f32, %o: f32):\n    %m = arith.mulf %p, %q : f32\n    %s = arith.addf %o, %m : f32\n    linalg.yield %s : "
                   "f32\n"
                   "  } -> tensor<?x?xf32>" +
                   tail;
        };
        const QString named = write("named.mlir", head + "  %r = linalg.matmul ins(%x, %y : " + types + "-> tensor<?x?xf32>" + tail);
        const QString written = write("generic.mlir", generic("#b"));
        const Ran same = cli({"check", named, written, "--no-cache"});
        QVERIFY2(same.status == 0 && same.firstLine().startsWith("proved"), qPrintable(same.out + same.err));
        const Ran other = cli({"check", named, write("transposed.mlir", generic("#t")), "--no-cache", "--time", "30"});
        QVERIFY2(other.status != 0 && !other.firstLine().startsWith("proved"), qPrintable(other.out + other.err));
    }

    void dynamicTensorsAreDecidedAsAWhole_data() {
        QTest::addColumn<QByteArray>("reference");
        QTest::addColumn<QByteArray>("rewritten");
        QTest::addColumn<QByteArray>("begins"); ///< `undecided: ` alone: not without sizes
        const QByteArray head = "func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {\n  %z = arith.constant 0.0 : f32\n"
                                "  %c0 = arith.constant 0 : index\n  %d = tensor.dim %x, %c0 : tensor<?x4xf32>\n";
        const QByteArray tail = "  return %r : tensor<?x4xf32>\n}\n";
        const QByteArray whole = "func.func @f(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {\n  return %x : tensor<?x4xf32>\n}\n";
        const auto cut = [&](const char* from) {
            return head +
                   "  %p = tensor.pad %x low[0, 1] high[0, 1] {\n  ^bb0(%i: index, %j: index):\n    tensor.yield %z : f32\n"
                   "  } : tensor<?x4xf32> to tensor<?x6xf32>\n  %r = tensor.extract_slice %p[0, " +
                   from + "] [%d, 4] [1, 1] : tensor<?x6xf32> to tensor<?x4xf32>\n" + tail;
        };
        QTest::newRow("padded and cut") << whole << cut("1") << QByteArray("proved: identical");
        QTest::newRow("padded and cut elsewhere") << whole << cut("2") << QByteArray("refuted: value: result0");
        QTest::newRow("what no access touches") << whole << QByteArray(whole).replace("return %x", "return %y")
                                                << QByteArray("refuted: type: result0");
        const auto filled = [&](const char* add) {
            return head +
                   "  %e = tensor.empty(%d) : tensor<?x4xf32>\n  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>\n" +
                   add + tail;
        };
        const char* sum = "  %r = linalg.add ins(%x, %y : tensor<?x4xf32>, tensor<?x4xf32>) outs(%f : tensor<?x4xf32>) -> tensor<?x4xf32>\n";
        QTest::newRow("named or by element") << filled(sum) << head + "  %r = arith.addf %y, %x : tensor<?x4xf32>\n" + tail << QByteArray("proved: ");
        QTest::newRow("lengths that only one program takes for equal")
            << whole << head + "  %s = arith.addf %x, %y : tensor<?x4xf32>\n  %r = arith.subf %s, %y : tensor<?x4xf32>\n" + tail
            << QByteArray("undecided: ");
        const QByteArray memory = "func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) -> memref<?xf32> {\n  return %x : memref<?xf32>\n}\n";
        QTest::newRow("memory that no access touches") << memory << QByteArray(memory).replace("return %x", "return %y") << QByteArray("undecided: ");
    }
    void dynamicTensorsAreDecidedAsAWhole() {
        QFETCH(QByteArray, reference);
        QFETCH(QByteArray, rewritten);
        QFETCH(QByteArray, begins);
        const Ran ran = cli({"check", write("dynamic.ref.mlir", reference), write("dynamic.rew.mlir", rewritten), "--no-cache"});
        QVERIFY2(ran.firstLine().startsWith(begins), qPrintable(ran.out + ran.err));
        QVERIFY2(begins != "undecided: " || ran.firstLine().contains("give --size"), qPrintable(ran.out));
    }

    void tensorFunctionsAreGraphsForOtherCommands() {
        const QString file = write("graph.mlir", "func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {\n  %y = math.exp %x : tensor<?x4xf32>\n"
                                                 "  return %y : tensor<?x4xf32>\n}\n");
        const Ran shown = cli({"show", file});
        QVERIFY2(shown.status == 0 && shown.out.contains("Exp"), qPrintable(shown.out + shown.err));
        const QString onnx = m_folder.filePath("graph.onnx");
        QCOMPARE(cli({"convert", file, onnx}).status, 0);
        QVERIFY2(cli({"show", onnx}).out.contains("Exp"), "converted");
        const Ran program = cli({"show", Cases + "mlir/gemm_tile.ref.mlir"});
        QCOMPARE(program.status, 65);
        QVERIFY2(program.err.contains("has no form as a graph"), qPrintable(program.err));
    }

    void largeTensorsAreNotRunElementByElement() {
        const auto source = [](const QByteArray& second) {
            return "func.func @f(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {\n  %p = \"tosa.const\"() {value = dense<[1, 0]> : tensor<2xi32>} "
                   ": () -> tensor<2xi32>\n"
                   "  %a = tosa.transpose %x, %p : (tensor<512x512xf32>, tensor<2xi32>) -> tensor<512x512xf32>\n  %b = tosa.exp %a : "
                   "(tensor<512x512xf32>) -> tensor<512x512xf32>\n" +
                   second + "\n}\n";
        };
        const QString twice =
            write("large.ref.mlir", source("  %c = tosa.transpose %b, %p : (tensor<512x512xf32>, tensor<2xi32>) -> tensor<512x512xf32>\n"
                                           "  return %c : tensor<512x512xf32>"));
        const QString none =
            write("large.rew.mlir", "func.func @f(%x: tensor<512x512xf32>) -> tensor<512x512xf32> {\n"
                                    "  %b = tosa.exp %x : (tensor<512x512xf32>) -> tensor<512x512xf32>\n  return %b : tensor<512x512xf32>\n}\n");
        const QString once = write("large.bad.mlir", source("  return %b : tensor<512x512xf32>"));
        const Ran good = cli({"check", twice, none, "--no-cache"});
        QVERIFY2(good.firstLine() == "proved: identical", qPrintable(good.out + good.err));
        QCOMPARE(cli({"check", twice, once, "--no-cache"}).status, 1);
    }

    void aListOfPairsTakesTheirOptions() {
        const QString list = write("pairs.tsv", "name\treference\trewritten\toptions\none\t" + (Cases + "mlir/gemm_tile.ref.mlir").toUtf8() + "\t" +
                                                    (Cases + "mlir/gemm_tile.equal.mlir").toUtf8() + "\t--entry kernel\n");
        const Ran ran = cli({"check", "--pairs", list, "--no-cache"});
        QVERIFY2(ran.status == 0 && ran.firstLine().startsWith("proved"), qPrintable(ran.out + ran.err));
    }
};

QTEST_GUILESS_MAIN(TestProgramCommand)
#include "tst_program_command.moc"
