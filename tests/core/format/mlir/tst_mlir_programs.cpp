// What lowered programs compute, op family by op family: concrete runs against values worked out by hand, and against what mlir-opt makes of
// the same program.
#include "core/format/mlir/lower.h"
#include "core/format/mlir/reader.h"
#include "core/interp/machine.h"
#include "core/program/number.h"
#include "tests/core/format/mlir/program_rows.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <memory>
#include <sstream>

using namespace lemmascope;

namespace {

struct Outcome {
    std::string text; ///< `r0: 1 2 | A: 3 4`, or how it ended
};

std::string numberText(interp::ValueType type, std::uint64_t bits) {
    std::ostringstream out;
    if (type.isFloat()) {
        out << interp::doubleOf(type, bits);
    } else if (type == interp::Bit) {
        out << bits;
    } else {
        const unsigned unused = 64 - type.width();
        out << (static_cast<std::int64_t>(bits << unused) >> unused);
    }
    return out.str();
}

std::string cellsText(const interp::LiveOut& out) {
    std::string text = out.name + ":";
    for (const interp::Cell& cell : out.cells) {
        text += " " + numberText(out.type, cell.bits);
    }
    return text;
}

/// Numbers of `1 2 | 3`, by argument.
std::vector<std::vector<double>> numbersOf(const std::string& text) {
    std::vector<std::vector<double>> out(1);
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        if (word == "|") {
            out.emplace_back();
        } else {
            out.back().push_back(std::stod(word));
        }
    }
    return out;
}

Outcome runText(const std::string& source, const std::string& inputs, const ir::LowerOptions& lowering = {}) {
    const auto module = ir::readModule(source, "p.mlir");
    if (!module) {
        return {"not read: " + module.error().text()};
    }
    const auto program = ir::lower(**module, lowering);
    if (!program) {
        return {"not lowered: " + program.error().text()};
    }
    interp::TermDag dag;
    interp::RunOptions options;
    interp::addBuffers(**program, dag, options);
    options.arguments.emplace();
    const auto given = numbersOf(inputs);
    for (std::size_t i = 0; i < (*program)->arguments.size(); ++i) {
        const interp::Argument& argument = (*program)->arguments[i];
        const interp::FunctionCode& entry = (*program)->functions[(*program)->entry];
        const interp::ValueType type = argument.isView ? entry.views[argument.position].element : entry.registers[argument.position];
        interp::CellValues values;
        for (const double number : i < given.size() ? given[i] : std::vector<double>()) {
            values.push_back(type.isFloat() ? interp::bitsOf(type, number)
                                            : static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) & interp::maskOf(type));
        }
        options.arguments->push_back(std::move(values));
    }
    const auto result = interp::run(*program, dag, options);
    if (!result) {
        return {"not run: " + result.error().text()};
    }
    switch (result->end) {
    case interp::RunResult::End::Finished: break;
    case interp::RunResult::End::Faulted: return {"fault: " + result->fault->text()};
    case interp::RunResult::End::Raced: return {"race: " + result->race->text()};
    case interp::RunResult::End::Deadlocked: return {"deadlock: " + result->deadlock->text()};
    case interp::RunResult::End::Undecided: return {"undecided: " + result->undecided};
    }
    std::string text;
    for (const interp::LiveOut& out : result->results) {
        text += (text.empty() ? "" : " | ") + cellsText(out);
    }
    for (const interp::LiveOut& out : result->arguments) {
        if (out.written) {
            text += (text.empty() ? "" : " | ") + cellsText(out);
        }
    }
    return {text};
}

} // namespace

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
        const std::string got = runText(source.toStdString(), inputs.toStdString()).text;
        QVERIFY2(expected.endsWith("...") ? QByteArray::fromStdString(got).startsWith(expected.chopped(3)) : got == expected.toStdString(),
                 got.c_str());
    }

  private slots:
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
        const std::string before = runText(source.toStdString(), inputs.toStdString()).text;
        const std::string after = runText(tool.readAllStandardOutput().toStdString(), inputs.toStdString()).text;
        QVERIFY2(before.find(':') != std::string::npos && !before.starts_with("not") && !before.starts_with("und"), before.c_str());
        QVERIFY2(unnamed(after) == unnamed(before), (before + "\nbut then\n" + after).c_str());
    }

    void sizesAreGivenByName() {
        const std::string source = "func.func @f(%A: memref<?xi64>, %n: index) -> index {\n  %c0 = arith.constant 0 : index\n"
                                   "  %d = memref.dim %A, %c0 : memref<?xi64>\n  %s = arith.addi %d, %n : index\n  return %s : index\n}\n";
        ir::LowerOptions options;
        options.sizes = {{"A", 4}, {"n", 3}};
        QCOMPARE(runText(source, "1 2 3 4 | 0", options).text, std::string("result0: 7"));
        options.sizes = {{"%A.0", 5}, {"n", 3}};
        QCOMPARE(runText(source, "1 2 3 4 5 | 0", options).text, std::string("result0: 8"));
        for (const char* wrong : {"B", "A.1", "A.x"}) {
            options.sizes = {{wrong, 1}};
            QVERIFY2(runText(source, "", options).text.find(std::string("--size ") + wrong + "=1: ") != std::string::npos, wrong);
        }
    }

    void theEntryIsTheOnlyPublicFunctionOrNamed() {
        const std::string source = "func.func private @a() -> i64 {\n  %c = arith.constant 1 : i64\n  return %c : i64\n}\n"
                                   "func.func @b() -> i64 {\n  %c = arith.constant 2 : i64\n  return %c : i64\n}\n";
        QCOMPARE(runText(source, "").text, std::string("result0: 2"));
        QCOMPARE(runText(source, "", {"a", {}}).text, std::string("result0: 1"));
        QVERIFY(runText(source, "", {"bb", {}}).text.find("--entry bb: there is no such function: there is a, b") != std::string::npos);
        const std::string two = source + "func.func @c() {\n  return\n}\n";
        QVERIFY(runText(two, "").text.find("(b, c): choose one with --entry NAME") != std::string::npos);
        QVERIFY(runText("module {\n}\n", "").text.find("no function with a body") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestMlirPrograms)
#include "tst_mlir_programs.moc"
