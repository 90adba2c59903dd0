// What lowered programs compute, op family by op family: concrete runs against values worked out by hand, and against what mlir-opt makes of
// the same program.
#include "tests/core/format/mlir/program_rows.h"
#include "tests/core/format/mlir/program_run.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <sstream>

using namespace lemmascope;

class TestMlirPrograms : public QObject {
    Q_OBJECT

    static void addRows(const std::vector<ProgramRow>& rows) {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("inputs");
        QTest::addColumn<QByteArray>("expected");
        for (const ProgramRow& row : rows) {
            QTest::newRow(row.name) << QByteArray(row.source) << QByteArray(row.inputs) << QByteArray(row.expected);
        }
    }
    static void checkRow() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, inputs);
        QFETCH(QByteArray, expected);
        const std::string got = runText(source.toStdString(), inputs.toStdString());
        QVERIFY2(expected.endsWith("...") ? QByteArray::fromStdString(got).startsWith(expected.chopped(3)) : got == expected.toStdString(),
                 got.c_str());
    }

  private Q_SLOTS:
    void scalars_data() { addRows(scalarRows()); }
    void scalars() { checkRow(); }
    void control_data() { addRows(controlRows()); }
    void control() { checkRow(); }
    void memory_data() { addRows(memoryRows()); }
    void memory() { checkRow(); }
    void tensors_data() { addRows(tensorRows()); }
    void tensors() { checkRow(); }
    void vectors_data() { addRows(vectorRows()); }
    void vectors() { checkRow(); }
    void tasks_data() { addRows(taskRows()); }
    void tasks() { checkRow(); }
    void traps_data() { addRows(trapRows()); }
    void traps() { checkRow(); }

    /// mlir-opt turns the program into simpler ops; both must compute the same.
    void whatMlirOptMakesOfIt_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("inputs");
        QTest::addColumn<QByteArray>("passes");
        for (const LoweringRow& row : loweringRows()) {
            QTest::newRow(row.name) << QByteArray(row.source) << QByteArray(row.inputs) << QByteArray(row.passes);
        }
    }
    void whatMlirOptMakesOfIt() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, inputs);
        QFETCH(QByteArray, passes);
        QTemporaryDir folder;
        QFile file(folder.filePath("p.mlir"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(source);
        file.close();
        QProcess tool;
        tool.start("mlir-opt-19", QStringList{file.fileName()} + QString::fromUtf8(passes).split(' '));
        QVERIFY2(tool.waitForFinished(60'000) && tool.exitCode() == 0, tool.readAllStandardError());
        // mlir-opt names arguments anew.
        const auto unnamed = [](std::string text) {
            std::string out;
            std::istringstream words(text);
            for (std::string word; words >> word;) {
                out += (word.ends_with(':') && !word.starts_with("result") ? "argument:" : word) + " ";
            }
            return out;
        };
        const std::string before = runText(source.toStdString(), inputs.toStdString());
        const std::string after = runText(tool.readAllStandardOutput().toStdString(), inputs.toStdString());
        QVERIFY2(before.find(':') != std::string::npos && !before.starts_with("not") && !before.starts_with("und"), before.c_str());
        QVERIFY2(unnamed(after) == unnamed(before), (before + "\nbut then\n" + after).c_str());
    }

    void sizesAreGivenByName() {
        const std::string source = "func.func @f(%A: memref<?xi64>, %n: index) -> index {\n  %c0 = arith.constant 0 : index\n"
                                   "  %d = memref.dim %A, %c0 : memref<?xi64>\n  %s = arith.addi %d, %n : index\n  return %s : index\n}\n";
        ir::LowerOptions options;
        options.sizes = {{"A", 4}, {"n", 3}};
        QCOMPARE(runText(source, "1 2 3 4 | 0", options), std::string("result0: 7"));
        options.sizes = {{"%A.0", 5}, {"n", 3}};
        QCOMPARE(runText(source, "1 2 3 4 5 | 0", options), std::string("result0: 8"));
        for (const char* wrong : {"B", "A.1", "A.x"}) {
            options.sizes = {{wrong, 1}};
            QVERIFY2(runText(source, "", options).find(std::string("--size ") + wrong + "=1: ") != std::string::npos, wrong);
        }
    }

    void theEntryIsTheOnlyPublicFunctionOrNamed() {
        const std::string source = "func.func private @a() -> i64 {\n  %c = arith.constant 1 : i64\n  return %c : i64\n}\n"
                                   "func.func @b() -> i64 {\n  %c = arith.constant 2 : i64\n  return %c : i64\n}\n";
        QCOMPARE(runText(source, ""), std::string("result0: 2"));
        QCOMPARE(runText(source, "", {"a", {}}), std::string("result0: 1"));
        QVERIFY(runText(source, "", {"bb", {}}).find("--entry bb: there is no such function: there is a, b") != std::string::npos);
        const std::string two = source + "func.func @c() {\n  return\n}\n";
        QVERIFY(runText(two, "").find("(b, c): choose one with --entry NAME") != std::string::npos);
        QVERIFY(runText("module {\n}\n", "").find("no function with a body") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestMlirPrograms)
#include "tst_mlir_programs.moc"
