// Loop programs and what mlir-opt makes of them: the kernels of tests/data/kernels, linalg by several routes, random programs against runs
// by the processor itself, long and hostile ones.
#define QT_USE_QSTRINGBUILDER
#include "core/format/mlir/lower.h"
#include "core/format/mlir/reader.h"
#include "core/interp/compare.h"
#include "tests/core/interp/random_programs.h"

#include <QDir>
#include <QFile>
#include <QMap>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTemporaryDir>
#include <QTest>

#include <sys/resource.h>

using namespace lemmascope;
using namespace lemmascope::interp;

namespace {

const QString Kernels = QStringLiteral(LEMMASCOPE_TEST_DATA "/kernels/");

QString read(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QList<QStringList> rows(const QString& path) {
    QList<QStringList> made;
    for (const QString& line : read(path).split(u'\n', Qt::SkipEmptyParts).mid(1)) {
        made.push_back(line.split(u'\t'));
    }
    return made;
}

/// The template's text at its small size.
QString atSmallSize(QString text) {
    QMap<QString, int> value;
    const QRegularExpressionMatch sizes = QRegularExpression(QStringLiteral("^// sizes: (.*)$"), QRegularExpression::MultilineOption).match(text);
    for (const QString& part : sizes.captured(1).split(u',')) {
        const QStringList words = part.split(u' ', Qt::SkipEmptyParts);
        value[words[0]] = words[1].toInt();
    }
    static const QRegularExpression place(QStringLiteral("\\$\\(?([A-Z])(?:([+-]\\d+)\\))?"));
    for (auto match = place.match(text); match.hasMatch(); match = place.match(text)) {
        text.replace(match.capturedStart(), match.capturedLength(), QString::number(value.value(match.captured(1)) + match.captured(2).toInt()));
    }
    return text;
}

/// What a program prints that is given `input`; nothing where it fails.
std::optional<QString> output(const QString& program, const QStringList& arguments, const QString& input) {
    QProcess process;
    process.start(program, arguments);
    process.write(input.toUtf8());
    process.closeWriteChannel();
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit || process.exitCode() != 0) {
        return std::nullopt;
    }
    return QString::fromUtf8(process.readAllStandardOutput());
}

std::optional<QString> optimised(const QString& text, const QString& options) {
    QStringList arguments = options.split(u' ', Qt::SkipEmptyParts);
    if (text.contains(u"linalg.") && !options.contains(u"linalg")) {
        arguments.push_front(QStringLiteral("--convert-linalg-to-affine-loops"));
    }
    return output(QStringLiteral("mlir-opt-19"), arguments, text);
}

Result<std::shared_ptr<const Program>> program(const QString& text) {
    const auto module = ir::readModule(text.toStdString(), "test.mlir");
    return module ? ir::lower(**module) : tl::unexpected(module.error());
}

Result<CheckResult> checked(const QString& reference, const QString& rewritten) {
    const auto a = program(reference);
    const auto b = a ? program(rewritten) : a;
    if (!b) {
        return tl::unexpected(b.error());
    }
    CompareOptions options;
    options.check.timeSeconds = 120;
    auto made = comparePrograms(*a, *b, options);
    if (!made) {
        return tl::unexpected(made.error());
    }
    return std::move(made->result);
}

QByteArray line(const Result<CheckResult>& result) { return QByteArray::fromStdString(result ? verdictLine(*result) : result.error().text()); }

using Values = std::vector<std::int32_t>;

/// One call of a function of a module on three arrays.
struct Call {
    QString function;
    std::array<Values, 3> inputs;
};

/// The arrays after each call, by LLVM's own compiler.
std::optional<std::vector<Values>> byProcessor(const QString& functions, const std::vector<Call>& calls) {
    QString globals;
    QString body;
    for (std::size_t c = 0; c < calls.size(); ++c) {
        const QString call = QString::number(c);
        for (int i = 0; i < 3; ++i) {
            QStringList numbers;
            for (const std::int32_t value : calls[c].inputs[static_cast<std::size_t>(i)]) {
                numbers.push_back(QString::number(value));
            }
            QStringList lines;
            for (int row = 0; row < 8; ++row) {
                lines.push_back(u'[' + numbers.mid(row * 8, 8).join(u", ") + u']');
            }
            const QString name = call + u'_' + QString::number(i);
            globals += QStringLiteral("memref.global \"private\" constant @in%1 : memref<8x8xi32> = dense<[%2]>\n").arg(name, lines.join(u", "));
            body += QStringLiteral("%g%1 = memref.get_global @in%1 : memref<8x8xi32>\n%a%1 = memref.alloc() : memref<8x8xi32>\n"
                                   "memref.copy %g%1, %a%1 : memref<8x8xi32> to memref<8x8xi32>\n")
                        .arg(name);
        }
        body += QStringLiteral("func.call @%2(%a%1_0, %a%1_1, %a%1_2) : (memref<8x8xi32>, memref<8x8xi32>, memref<8x8xi32>) -> ()\n")
                    .arg(call, calls[c].function);
        for (int i = 0; i < 3; ++i) {
            const QString name = call + u'_' + QString::number(i);
            body += QStringLiteral(
                        "%u%1 = memref.cast %a%1 : memref<8x8xi32> to memref<*xi32>\nfunc.call @printMemrefI32(%u%1) : (memref<*xi32>) -> ()\n")
                        .arg(name);
        }
    }
    const QString whole = functions + globals +
                          u"func.func private @printMemrefI32(memref<*xi32>) attributes {llvm.emit_c_interface}\nfunc.func @main() {\n" + body +
                          u"return\n}\n";
    const std::optional<QString> lowered =
        optimised(whole, QStringLiteral("--lower-affine --convert-scf-to-cf --finalize-memref-to-llvm --convert-arith-to-llvm --convert-func-to-llvm "
                                        "--convert-cf-to-llvm --reconcile-unrealized-casts"));
    const QString libraries = QStringLiteral("/usr/lib/llvm-19/lib/libmlir_");
    const std::optional<QString> printed = lowered
                                               ? output(QStringLiteral("mlir-cpu-runner-19"),
                                                        {QStringLiteral("-e"), QStringLiteral("main"), QStringLiteral("--entry-point-result=void"),
                                                         QStringLiteral("--shared-libs=%1runner_utils.so,%1c_runner_utils.so").arg(libraries)},
                                                        *lowered)
                                               : std::nullopt;
    if (!printed) {
        return std::nullopt;
    }
    std::vector<Values> made;
    const QStringList arrays = printed->split(QStringLiteral("Unranked Memref"), Qt::SkipEmptyParts);
    for (int i = 0; i < arrays.size(); ++i) {
        if (i % 3 == 0) {
            made.emplace_back();
        }
        static const QRegularExpression number(QStringLiteral("-?\\d+"));
        auto found = number.globalMatch(arrays[i].mid(arrays[i].indexOf(u"data =")));
        while (found.hasNext()) {
            made.back().push_back(found.next().captured().toInt());
        }
    }
    return made;
}

#ifndef LEMMASCOPE_SANITIZED
// A sanitizer keeps memory of its own, so that its build has no bound to test.
long largestKilobytes() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}
#endif

/// A function of no arguments.
QString around(const QString& body) { return u"func.func @kernel() {\n" + body + u"\n  return\n}\n"; }

} // namespace

class TestKernels : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void mlirOptsResultsAreEqualOrRefuted_data() {
        QTest::addColumn<QString>("kernel");
        for (const QString& file : QDir(Kernels).entryList({QStringLiteral("*.mlir")}, QDir::Files, QDir::Name)) {
            QTest::newRow(qPrintable(file)) << file.chopped(5);
        }
    }
    /// At the small size, with the option sets of packaging/bench interp, as mlir-cpu-runner has it.
    void mlirOptsResultsAreEqualOrRefuted() {
        QFETCH(QString, kernel);
        const QString text = atSmallSize(read(Kernels + kernel + u".mlir"));
        QSet<QString> wrong;
        for (const QStringList& row : rows(Kernels + u"wrong.tsv")) {
            if (row[0] == kernel && row[2].split(u',').contains(u"small")) {
                wrong.insert(row[1]);
            }
        }
        int made = 0;
        for (const QStringList& row : rows(Kernels + u"options.tsv")) {
            const std::optional<QString> rewritten = optimised(text, row[1]);
            if (!rewritten) {
                continue; // mlir-opt itself fails
            }
            ++made;
            const auto result = checked(text, *rewritten);
            const Verdict expected = wrong.contains(row[0]) ? Verdict::Refuted : Verdict::Proved;
            QVERIFY2(result && result->verdict == expected, QByteArray(row[0].toUtf8() + ": " + line(result)));
        }
        QVERIFY(made >= 7);
    }

    void linalgByFourRoutesIsEqual_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("wrong");
        const QString product = QStringLiteral("func.func @kernel(%A: memref<5x5xf32>, %B: memref<5x5xf32>, %C: memref<5x5xf32>) {\n"
                                               "  linalg.matmul%1 ins(%A, %B : memref<5x5xf32>, memref<5x5xf32>) outs(%C : memref<5x5xf32>)\n"
                                               "  return\n}\n");
        QTest::newRow("matmul") << product.arg(QString()) << product.arg(QStringLiteral("_transpose_b"));
        const QString convolution = QStringLiteral(
            "func.func @kernel(%I: memref<1x6x6x2xf32>, %F: memref<3x3x2x3xf32>, %O: memref<1x4x4x3xf32>) {\n"
            "  linalg.generic {indexing_maps = [affine_map<(n, h, w, f, kh, kw, c) -> (n, h + kh, w + kw, c)>,\n"
            "      affine_map<(n, h, w, f, kh, kw, c) -> (%1, c, f)>, affine_map<(n, h, w, f, kh, kw, c) -> (n, h, w, f)>],\n"
            "    iterator_types = [\"parallel\", \"parallel\", \"parallel\", \"parallel\", \"reduction\", \"reduction\", \"reduction\"]}\n"
            "    ins(%I, %F : memref<1x6x6x2xf32>, memref<3x3x2x3xf32>) outs(%O : memref<1x4x4x3xf32>) {\n"
            "  ^bb0(%i: f32, %f: f32, %o: f32):\n"
            "    %p = arith.mulf %i, %f : f32\n    %s = arith.addf %o, %p : f32\n    linalg.yield %s : f32\n  }\n  return\n}\n");
        const QString named =
            QStringLiteral("func.func @kernel(%I: memref<1x6x6x2xf32>, %F: memref<3x3x2x3xf32>, %O: memref<1x4x4x3xf32>) {\n"
                           "  linalg.conv_2d_nhwc_hwcf {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>}\n"
                           "    ins(%I, %F : memref<1x6x6x2xf32>, memref<3x3x2x3xf32>) outs(%O : memref<1x4x4x3xf32>)\n  return\n}\n");
        QTest::newRow("conv2d") << named << convolution.arg(QStringLiteral("kw, kh"));
        QTest::newRow("conv2d, generic") << convolution.arg(QStringLiteral("kh, kw")) << convolution.arg(QStringLiteral("kw, kh"));
    }
    void linalgByFourRoutesIsEqual() {
        QFETCH(QString, text);
        QFETCH(QString, wrong);
        const QStringList routes = {
            QStringLiteral("--convert-linalg-to-loops --convert-scf-to-cf --canonicalize"),
            QStringLiteral("--convert-linalg-to-affine-loops --affine-loop-unroll=unroll-factor=2 --lower-affine --cse"),
            QStringLiteral("--convert-linalg-to-parallel-loops"),
            QStringLiteral(
                "--linalg-generalize-named-ops --convert-linalg-to-affine-loops --affine-scalrep --affine-super-vectorize=virtual-vector-size=2"),
        };
        QStringList made = {text};
        for (const QString& route : routes) {
            const std::optional<QString> lowered = optimised(text, route);
            QVERIFY2(lowered, qPrintable(route));
            made.push_back(*lowered);
        }
        for (int i = 0; i < made.size(); ++i) {
            for (int j = 0; j < made.size(); ++j) {
                const auto result = checked(made[i], made[j]);
                QVERIFY2(result && result->verdict == Verdict::Proved,
                         QByteArray(QByteArray::number(i) + " against " + QByteArray::number(j) + ": " + line(result)));
            }
            const auto other = checked(made[i], wrong);
            QVERIFY2(other && other->verdict == Verdict::Refuted && other->counterexample, line(other));
        }
    }

    /// mlir-opt's passes on random programs, and on programs with a planted fault: what is proved has the same outputs when LLVM compiles
    /// and runs both, and what is refuted has others on the counterexample.
    void verdictsAgreeWithTheProcessor() {
        std::mt19937 random(19);
        const QStringList options = {QStringLiteral("--affine-loop-fusion=mode=greedy"),
                                     QStringLiteral("--affine-loop-tile=tile-size=2"),
                                     QStringLiteral("--affine-scalrep"),
                                     QStringLiteral("--affine-loop-unroll-jam=unroll-jam-factor=2"),
                                     QStringLiteral("--affine-loop-unroll=unroll-factor=3"),
                                     QStringLiteral("--test-loop-permutation=permutation-map=1,0")};
        QString functions;
        std::vector<Call> calls;
        std::vector<Result<CheckResult>> results;
        QStringList texts;
        const auto values = [&] {
            std::array<Values, 3> made;
            for (Values& array : made) {
                for (int i = 0; i < 64; ++i) {
                    array.push_back(static_cast<std::int32_t>(random() % 41) - 20);
                }
            }
            return made;
        };
        for (int n = 0; n < 60; ++n) {
            RandomProgram program = RandomProgram::make(random);
            const QString name = QString::number(n);
            const QString reference = QString::fromStdString(program.text("ref" + name.toStdString()));
            if (n % 2 == 1) {
                program.mutate(random);
            }
            const QString source = QString::fromStdString(program.text("rew" + name.toStdString()));
            std::optional<QString> rewritten = optimised(source, options[n % options.size()] + u" --lower-affine");
            QVERIFY2(rewritten && !rewritten->contains(u'#'), qPrintable(source));
            *rewritten = rewritten->mid(rewritten->indexOf(u'\n') + 1);
            rewritten = rewritten->left(rewritten->lastIndexOf(u'}'));
            functions += reference + *rewritten;
            texts.push_back(reference + *rewritten);
            results.push_back(checked(reference, *rewritten));
            std::vector<std::array<Values, 3>> inputs = {values(), values()};
            QVERIFY2(results.back(), line(results.back()));
            if (const CheckResult& result = *results.back(); result.verdict == Verdict::Refuted) {
                QVERIFY2(result.counterexample, line(results.back()));
                std::array<Values, 3> shown;
                for (const auto& [argument, tensor] : result.counterexample->inputs) {
                    QCOMPARE(tensor.count(), 64);
                    const auto numbers = tensor.as<std::int32_t>();
                    shown[static_cast<std::size_t>(argument[0] - 'A')].assign(numbers.begin(), numbers.end());
                }
                for (Values& array : shown) {
                    array.resize(64);
                }
                inputs = {shown};
            }
            for (const auto& input : inputs) {
                calls.push_back({u"ref" + name, input});
                calls.push_back({u"rew" + name, input});
            }
        }
        const auto outputs = byProcessor(functions, calls);
        QVERIFY(outputs);
        QCOMPARE(outputs->size(), calls.size());
        int proved = 0;
        int refuted = 0;
        for (std::size_t c = 0; c < calls.size(); c += 2) {
            const int n = calls[c].function.mid(3).toInt();
            const Verdict verdict = results[static_cast<std::size_t>(n)]->verdict;
            const bool same = (*outputs)[c] == (*outputs)[c + 1];
            proved += verdict == Verdict::Proved ? 1 : 0;
            refuted += verdict == Verdict::Refuted ? 1 : 0;
            QVERIFY2(verdict != Verdict::Proved || same, qPrintable(u"proved, but they differ:\n" + texts[n]));
            QVERIFY2(verdict != Verdict::Refuted || !same, qPrintable(u"refuted, but they agree:\n" + texts[n]));
        }
        QVERIFY2(proved >= 20 && refuted >= 10, qPrintable(QStringLiteral("%1 proved, %2 refuted").arg(proved).arg(refuted)));
    }

    void tenThousandOpsAreReadAndRun() {
        QString body;
        for (int i = 0; i < 2500; ++i) {
            body += QStringLiteral("  %x%1 = affine.load %A[%2] : memref<64xf64>\n  %y%1 = affine.load %A[%3] : memref<64xf64>\n"
                                   "  %z%1 = arith.addf %x%1, %y%1 : f64\n  affine.store %z%1, %A[%2] : memref<64xf64>\n")
                        .arg(i)
                        .arg(i % 64)
                        .arg((i * 7 + 1) % 64);
        }
        const auto made = program(u"func.func @kernel(%A: memref<64xf64>) {\n" + body + u"  return\n}\n");
        QVERIFY2(made, made ? "" : made.error().text().c_str());
        TermDag dag;
        const auto ran = run(*made, dag, {});
        QVERIFY(ran && ran->end == RunResult::End::Finished);
        QVERIFY(ran->steps >= 10'000);
    }

    void hostileProgramsEndByBudget_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message"); // of the reader or of the run; empty: it finishes
        const auto row = [](const char* name, const QString& text, const char* message) {
            QTest::newRow(name) << text << QString::fromUtf8(message);
        };
        const QString index = QStringLiteral("  %c0 = arith.constant 0 : index\n  %c1 = arith.constant 1 : index\n");
        row("a while loop without end",
            around(QStringLiteral("  %t = arith.constant true\n  scf.while : () -> () {\n    scf.condition(%t)\n  } do {\n    scf.yield\n  }")),
            "steps");
        row("branches without end", QStringLiteral("func.func @kernel() {\n  cf.br ^a\n^a:\n  cf.br ^b\n^b:\n  cf.br ^a\n}\n"), "steps");
        row("a gigantic trip count",
            around(index + u"  %n = arith.constant 4611686018427387904 : index\n  %m = memref.alloca() : memref<1xindex>\n"
                           u"  scf.for %i = %c0 to %n step %c1 {\n    memref.store %i, %m[%c0] : memref<1xindex>\n  }"),
            "steps");
        row("gigantic loops inside one another",
            around(QStringLiteral(
                "  %m = memref.alloca() : memref<1xindex>\n  affine.for %i = 0 to 1000000000 {\n    affine.for %j = 0 to 1000000000 {\n"
                "      affine.store %j, %m[0] : memref<1xindex>\n    }\n  }")),
            "steps");
        row("more tasks than fit",
            around(index + u"  %n = arith.constant 1000000000000 : index\n  scf.parallel (%i) = (%c0) to (%n) step (%c1) {\n    scf.reduce\n  }"),
            "iterations");
        row(
            "a tree of calls",
            []() -> QString {
                QString text = QStringLiteral("func.func private @f0() {\n  return\n}\n");
                for (int i = 1; i < 60; ++i) {
                    text += QStringLiteral("func.func private @f%1() {\n  call @f%2() : () -> ()\n  call @f%2() : () -> ()\n  return\n}\n")
                                .arg(i)
                                .arg(i - 1);
                }
                return QString(text + u"func.func @kernel() {\n  call @f59() : () -> ()\n  return\n}\n");
            }(),
            "steps");
        row("a function that calls itself", QStringLiteral("func.func @kernel() {\n  call @kernel() : () -> ()\n  return\n}\n"), "call");
        row("memory of an exabyte",
            around(QStringLiteral(
                "  %m = memref.alloc() : memref<1000000x1000000x100000xf64>\n  memref.dealloc %m : memref<1000000x1000000x100000xf64>")),
            "memory");
        row("memory without end",
            around(index + u"  scf.while : () -> () {\n    %m = memref.alloc() : memref<1000xf64>\n    %t = arith.constant true\n    "
                           u"scf.condition(%t)\n  } do {\n    scf.yield\n  }"),
            "memory");
        row("a negative size", around(QStringLiteral("  %n = arith.constant -5 : index\n  %m = memref.alloc(%n) : memref<?xf64>")), "size");
        row("an argument of terabytes",
            QStringLiteral("func.func @kernel(%A: memref<1000000000000xf64>) {\n  %x = affine.load %A[7] : memref<1000000000000xf64>\n"
                           "  affine.store %x, %A[8] : memref<1000000000000xf64>\n  return\n}\n"),
            "memory");
        row("a splat of a million",
            QStringLiteral("func.func @kernel() -> tensor<1000000xf32> {\n  %c = arith.constant dense<1.0> : tensor<1000000xf32>\n  return %c : "
                           "tensor<1000000xf32>\n}\n"),
            "");
        row("a splat of terabytes",
            QStringLiteral("func.func @kernel() -> tensor<1000000000000xf32> {\n  %c = arith.constant dense<1.0> : tensor<1000000000000xf32>\n"
                           "  return %c : tensor<1000000000000xf32>\n}\n"),
            "tensor<1000000000000xf32>");
        row("a vector of millions",
            QStringLiteral("func.func @kernel(%x: f32) -> vector<4000x4000xf32> {\n  %v = vector.broadcast %x : f32 to vector<4000x4000xf32>\n"
                           "  return %v : vector<4000x4000xf32>\n}\n"),
            "vector");
        row("an index beyond everything",
            QStringLiteral("func.func @kernel(%A: memref<4xf64>) {\n  %n = arith.constant 9223372036854775807 : index\n  %x = memref.load %A[%n] : "
                           "memref<4xf64>\n"
                           "  memref.store %x, %A[%n] : memref<4xf64>\n  return\n}\n"),
            "out of range");
        row("a step of nought", around(index + u"  scf.for %i = %c1 to %c1 step %c0 {\n  }"), "step");
        row("an unknown dialect", around(QStringLiteral("  \"acme.launch\"() ({\n    \"acme.end\"() : () -> ()\n  }) : () -> ()")), "acme.launch");
        row("a bound without a number", around(QStringLiteral("  affine.for %i = max affine_map<() -> ()>() to 5 {\n  }")), "affine.for");
        const auto nested = [](int depth) -> QString {
            QString text = around(QStringLiteral("  %t = arith.constant true"));
            const qsizetype at = text.indexOf(u"  return");
            return text.left(at) + QStringLiteral("scf.if %t {\n").repeated(depth) + QStringLiteral("}\n").repeated(depth) + text.mid(at);
        };
        row("regions in regions", nested(100), "");
        row("too many regions in regions", nested(900), "nest");
        row("regions without end", nested(100'000), "nest");
        row("a token that nobody completes",
            around(QStringLiteral("  %n = arith.constant 2 : index\n  %g = async.create_group %n : !async.group\n  async.await_all %g")), "wait");
    }
    void hostileProgramsEndByBudget() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto made = program(text);
        QString said;
        if (!made) {
            said = QString::fromStdString(made.error().text());
        } else {
            TermDag dag;
            RunOptions options;
            options.limits.steps = 3'000'000;
            options.limits.bytes = 200'000'000;
            addBuffers(**made, dag, options);
            const auto ran = run(*made, dag, options);
            QVERIFY(ran);
            switch (ran->end) {
            case RunResult::End::Finished: break;
            case RunResult::End::Faulted: said = QString::fromStdString(ran->fault->text()); break;
            case RunResult::End::Raced: said = QString::fromStdString(ran->race->text()); break;
            case RunResult::End::Deadlocked: said = QString::fromStdString(ran->deadlock->text()); break;
            case RunResult::End::Undecided: said = QString::fromStdString(ran->undecided); break;
            }
        }
        QVERIFY2(message.isEmpty() ? said.isEmpty() : said.contains(message), qPrintable(u"said: " + said));
#ifndef LEMMASCOPE_SANITIZED
        QVERIFY(largestKilobytes() < 1'500'000);
#endif
    }
};

QTEST_GUILESS_MAIN(TestKernels)
#include "tst_kernels.moc"
