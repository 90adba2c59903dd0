// What the process `lemmascope-mlir` makes of text, bytecode and hostile input.
#include "core/format/mlir/lower.h"
#include "core/format/mlir/module_wire.h"
#include "core/format/mlir/reader.h"
#include "core/format/mlir/text_limits.h"

#include <QDir>
#include <QDirIterator>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

using namespace lemmascope;
using namespace lemmascope::ir;

namespace {

std::string around(const std::string& body, const std::string& arguments = "%A: memref<4xf32>") {
    return "func.func @f(" + arguments + ") {\n" + body + "\n  return\n}\n";
}

OperationId find(const Module& module, std::string_view name) {
    for (std::size_t i = 0; i < module.operations.size(); ++i) {
        if (module.name(OperationId(i)) == name) {
            return OperationId(i);
        }
    }
    return {};
}

template <typename T>
QByteArray text(const Result<T>& result) {
    return result ? QByteArray() : QByteArray::fromStdString(result.error().text());
}

} // namespace

class TestMlirReader : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void valuesHaveTheNamesOfTheText() {
        const auto module = readModule("func.func @f(%A: memref<4xf32>, %n: index) -> f32 {\n"
                                       "  %c = arith.constant 1 : index\n"
                                       "  %r:2 = scf.for %i = %c to %n step %c iter_args(%a = %c, %b = %c) -> (index, index) {\n"
                                       "    scf.yield %b, %a : index, index\n"
                                       "  }\n"
                                       "  %v = memref.load %A[%r#1] : memref<4xf32>\n"
                                       "  return %v : f32\n"
                                       "}\n",
                                       "names.mlir");
        QVERIFY2(module, text(module));
        const Module& m = **module;
        const OperationId loop = find(m, "scf.for");
        QVERIFY(loop.isValid());
        QCOMPARE(m.nameOf(m.result(loop, 0)), std::string("%r#0"));
        QCOMPARE(m.nameOf(m.result(loop, 1)), std::string("%r#1"));
        const BlockId body = m.blockOf(m.regionOf(loop));
        QCOMPARE(m.nameOf(m.argument(body, 0)), std::string("%i"));
        QCOMPARE(m.nameOf(m.argument(body, 2)), std::string("%b"));
        const OperationId load = find(m, "memref.load");
        QCOMPARE(m.where(load), std::string("names.mlir:6:8"));
        QCOMPARE(m.nameOf(m.operand(load, 0)), std::string("%A"));
        QCOMPARE(m.nameOf(m.result(load)), std::string("%v"));
        QCOMPARE(m.operand(load, 1), m.result(loop, 1));
    }

    void typesAndAttributesAreData() {
        const auto module = readModule("#map = affine_map<(d0)[s0] -> (d0 floordiv 2 + s0, 7)>\n"
                                       "memref.global \"private\" constant @w : memref<3xf32> = dense<[1.5, 2.0, -0.25]>\n"
                                       "func.func @f(%A: memref<?x4xf32, strided<[?, 1], offset: 3>>, %i: index) -> index {\n"
                                       "  %m = affine.min #map(%i)[%i]\n"
                                       "  %b = arith.constant dense<[true, false]> : vector<2xi1>\n"
                                       "  %c = arith.constant -3 : i16\n"
                                       "  return %m : index\n"
                                       "}\n",
                                       "types.mlir");
        QVERIFY2(module, text(module));
        const Module& m = **module;
        const OperationId function = find(m, "func.func");
        const Type& type = m.typeOf(m.argument(m.blockOf(m.regionOf(function)), 0));
        QCOMPARE(type.kind, Type::Kind::MemRef);
        QCOMPARE(type.shape, (std::vector<std::int64_t>{Dynamic, 4}));
        QCOMPARE(type.strides, (std::vector<std::int64_t>{Dynamic, 1}));
        QCOMPARE(type.offset, 3);
        const Attribute* table = m.find(find(m, "memref.global"), "initial_value");
        QVERIFY(table != nullptr && table->kind == Attribute::Kind::Elements);
        QCOMPARE(table->bytes.size(), std::size_t{12});
        const Attribute* map = m.find(find(m, "affine.min"), "map");
        QVERIFY(map != nullptr && map->map.isValid());
        QCOMPARE(m.map(map->map).results.size(), std::size_t{2});
        QCOMPARE(m.map(map->map).symbols, 1U);
        std::vector<std::string> bytes;
        for (std::size_t i = 0; i < m.operations.size(); ++i) {
            const Attribute* value = m.name(OperationId(i)) == "arith.constant" ? m.find(OperationId(i), "value") : nullptr;
            if (value != nullptr) {
                bytes.push_back(value->kind == Attribute::Kind::Integer ? std::to_string(value->integer) : value->bytes);
            }
        }
        QCOMPARE(bytes, (std::vector<std::string>{std::string("\1\0", 2), "-3"}));
    }

    void aModuleIsTheSameAfterTheWire() {
        const auto module = readModule(around("  memref.dealloc %A : memref<4xf32>"), "wire.mlir");
        QVERIFY2(module, text(module));
        const std::string bytes = encodeModule(**module);
        const auto again = decodeModule(bytes);
        QVERIFY2(again, text(again));
        QVERIFY(*again == **module);
        QVERIFY(!decodeModule(std::string_view(bytes).substr(0, bytes.size() / 2)));
        QVERIFY(!decodeModule(bytes + "x"));
    }

    void aBrokenIndexMakesAModuleBad() {
        const auto module = readModule(around("  memref.dealloc %A : memref<4xf32>"), "wire.mlir");
        QVERIFY2(module, text(module));
        Module broken = **module;
        broken.operandValues.front() = ValueId(std::size_t{1000});
        QVERIFY(!decodeModule(encodeModule(broken)));
    }

    void errorsNamePlaceAndOp_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("undeclared value") << QByteArray("func.func @f() {\n  memref.dealloc %x : memref<4xf32>\n  return\n}\n")
                                          << QByteArray("e.mlir:2:18: ");
        QTest::newRow("the op is named") << QByteArray("func.func @f() {\n  memref.dealloc %x : memref<4xf32>\n  return\n}\n")
                                         << QByteArray("memref.dealloc");
        QTest::newRow("verifier") << QByteArray("func.func @f(%a: i32) -> f32 {\n  return %a : i32\n}\n") << QByteArray("type of return operand 0");
        QTest::newRow("verifier names the op")
            << QByteArray("func.func @f(%a: memref<4xf32>, %i: index) {\n  %v = memref.load %a[%i, %i] : memref<4xf32>\n  return\n}\n")
            << QByteArray("memref.load");
        QTest::newRow("verifier's place") << QByteArray("func.func @f(%a: i32) -> f32 {\n  return %a : i32\n}\n") << QByteArray("e.mlir:2:3: ");
        QTest::newRow("unknown syntax") << QByteArray("func.func @f(%a: i32) {\n  foo.bar %a : i32\n  return\n}\n") << QByteArray("generic form");
        QTest::newRow("not MLIR") << QByteArray("int main() {}\n") << QByteArray("e.mlir:1:1: ");
    }
    void errorsNamePlaceAndOp() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, expected);
        const auto module = readModule(source.toStdString(), "e.mlir");
        QVERIFY(!module);
        QCOMPARE(module.error().code, ErrorCode::BadData);
        QVERIFY2(text(module).contains(expected), text(module));
    }

    void unregisteredOpsAreReadInGenericForm() {
        const auto module =
            readModule("func.func @f(%a: f32) -> f32 {\n  %r = \"foo.relu\"(%a) {k = 3 : i32} : (f32) -> f32\n  return %r : f32\n}\n", "g.mlir");
        QVERIFY2(module, text(module));
        QVERIFY(find(**module, "foo.relu").isValid());
    }

    void hostileInputEndsInAMessage_data() {
        QTest::addColumn<QByteArray>("source");
        QTest::addColumn<QByteArray>("expected");
        const auto repeated = [](const char* text, int count) { return QByteArray(text).repeated(count); };
        QTest::newRow("deep regions") << "func.func @f() {\n" + repeated("scf.execute_region {\n", 100'000)
                                      << QByteArray("nested deeper than 1000 levels");
        QTest::newRow("deep types") << "func.func @f(%a: " + repeated("tuple<", 100'000) + "i1" + repeated(">", 100'000) + ") { return }"
                                    << QByteArray("nested deeper");
        QTest::newRow("deep attributes") << "func.func @f() attributes {a = " + repeated("[", 100'000) + repeated("]", 100'000) + "} { return }"
                                         << QByteArray("nested deeper");
        QTest::newRow("brackets in strings do not count")
            << QByteArray("func.func @f() attributes {a = \"") + repeated("[", 2000) + "\"} { returm }" << QByteArray("h.mlir:1:");
        QTest::newRow("an endless sum") << "#m = affine_map<(d0) -> (d0" + repeated(" + d0 * 3 mod 7", 5'000) + ")>" << QByteArray("h.mlir");
        QTest::newRow("many signs") << "#m = affine_map<(d0) -> (" + repeated("- ", 1'000'000) + "d0)>\nfunc.func @f() { ret }"
                                    << QByteArray("h.mlir");
        QTest::newRow("no bytecode") << QByteArray("ML\xEFR\x00\x01\x02\x03\xFF\xFF\xFF\xFF\xFF", 13) << QByteArray("h.mlir");
    }
    void hostileInputEndsInAMessage() {
        QFETCH(QByteArray, source);
        QFETCH(QByteArray, expected);
        const auto module = readModule(source.toStdString(), "h.mlir");
        if (module) {
            QCOMPARE(QByteArray(QTest::currentDataTag()), QByteArray("an endless sum")); // a map that nobody uses may be fine
            return;
        }
        QVERIFY2(text(module).contains(expected), text(module));
        // And the next file is read.
        const auto next = readModule(around("  memref.dealloc %A : memref<4xf32>"), "next.mlir");
        QVERIFY2(next, text(next));
    }

    void aSplatOfTerabytesIsOneElement() {
        const auto module =
            readModule("func.func @f() -> tensor<1000000x1000000xf64> {\n  %c = arith.constant dense<0.0> : tensor<1000000x1000000xf64>\n"
                       "  return %c : tensor<1000000x1000000xf64>\n}\n",
                       "splat.mlir");
        QVERIFY2(module, text(module));
        const Attribute* value = (*module)->find(find(**module, "arith.constant"), "value");
        QVERIFY(value != nullptr && value->splat);
        QCOMPARE(value->bytes.size(), std::size_t{8});
        const auto program = lower(**module);
        QVERIFY2(program, text(program)); // refused where it is reached
    }

    void bytecodeIsReadLikeText() {
        QTemporaryDir folder;
        const QString file = folder.filePath("p.mlir");
        QFile source(file);
        QVERIFY(source.open(QIODevice::WriteOnly));
        source.write(QByteArray::fromStdString(around("  %c = arith.constant 1 : index\n  %v = memref.load %A[%c] : memref<4xf32>")));
        source.close();
        QProcess tool;
        tool.start("mlir-opt-19", {file, "--emit-bytecode", "-o", folder.filePath("p.mlirbc")});
        QVERIFY2(tool.waitForFinished(60'000) && tool.exitCode() == 0, tool.readAllStandardError());
        const auto module = readModuleFile(folder.filePath("p.mlirbc").toStdString());
        QVERIFY2(module, text(module));
        const OperationId load = find(**module, "memref.load");
        QVERIFY(load.isValid());
        QCOMPARE((*module)->operation(load).place.line, 3U); // what the bytecode carries
        QVERIFY2(lower(**module), "bytecode is lowered");
    }

    void dumpsOfAPipelineAreSteps() {
        const std::vector<Dump> dumps = splitDumps("noise\n// -----// IR Dump After CSE (cse) //----- //\nmodule {\n}\n\n"
                                                   "// -----// IR Dump After Canonicalizer (canonicalize) //----- //\nmodule {\n}\n");
        QCOMPARE(dumps.size(), std::size_t{2});
        QCOMPARE(dumps[0].title, std::string("After CSE (cse)"));
        QCOMPARE(dumps[0].firstLine, 3U);
        QCOMPARE(dumps[1].firstLine, 7U);
        QCOMPARE(dumps[1].text, std::string("module {\n}\n"));
        QVERIFY(splitDumps("module {\n}\n").empty());
    }

    void placesCountFromTheDumpsFirstLine() {
        const auto module = readModule(around("  memref.dealloc %A : memref<4xf32>"), "d.mlir", 100);
        QVERIFY2(module, text(module));
        QCOMPARE((*module)->where(find(**module, "memref.dealloc")), std::string("d.mlir:101:3"));
        const auto wrong = readModule("func.func @f() {\n  foo\n}", "d.mlir", 100);
        QVERIFY(!wrong && wrong.error().where.starts_with("d.mlir:101:"));
    }

    void everyCaseIsLowered_data() {
        QTest::addColumn<QString>("file");
        for (const char* folder : {"mlir", "bugs"}) {
            QDir at(QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/") + folder);
            for (const QString& name : at.entryList({"*.mlir"}, QDir::Files, QDir::Name)) {
                QTest::newRow(qPrintable(name)) << at.filePath(name);
            }
        }
    }
    void everyCaseIsLowered() {
        QFETCH(QString, file);
        const auto module = readModuleFile(file.toStdString());
        QVERIFY2(module, text(module));
        const auto program = lower(**module);
        QVERIFY2(program, text(program));
        for (const std::string& name : (*program)->names) {
            QVERIFY2(!name.starts_with("unsupported op"), name.c_str());
        }
    }
};

QTEST_GUILESS_MAIN(TestMlirReader)
#include "tst_mlir_reader.moc"
