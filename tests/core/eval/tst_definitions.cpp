// Definitions of ops as text (core/graph/definition_library.h): ours give what the kernels give on random inputs, a user's file
// gives an open op a meaning, and a file that breaks the format is refused with file, line and remedy.
#include "core/eval/evaluator.h"
#include "core/graph/definition_library.h"
#include "core/graph/infer.h"
#include "core/graph/op_registry.h"

#include <QTest>

#include <cmath>
#include <random>

using namespace lemmascope;

namespace {

using Shapes = std::vector<std::vector<std::int64_t>>;
using Attributes = std::map<std::string, Attribute>;

/// A graph of one node whose operands are inputs; an operand of shape {-1} is omitted.
Graph oneNode(const OpId& op, const Attributes& attributes, const Shapes& shapes, std::size_t results) {
    Graph graph;
    Node node;
    node.op = op;
    node.attributes = attributes;
    for (std::size_t i = 0; i < shapes.size(); ++i) {
        if (shapes[i] == std::vector<std::int64_t>{-1}) {
            node.operands.emplace_back();
            continue;
        }
        Value value;
        value.name = "x" + std::to_string(i);
        value.type = TensorType{ElementType::F32, Shape(shapes[i].begin(), shapes[i].end())};
        graph.inputs.push_back(graph.addValue(std::move(value)));
        node.operands.push_back(graph.inputs.back());
    }
    for (std::size_t k = 0; k < results; ++k) {
        Value value;
        value.name = "y" + std::to_string(k);
        node.results.push_back(graph.addValue(std::move(value)));
        graph.outputs.push_back(node.results.back());
    }
    graph.addNode(std::move(node));
    graph.opsets[""] = op.version;
    return graph;
}

std::vector<std::optional<Tensor>> randomInputs(const Graph& graph, double low, double high) {
    std::mt19937_64 engine(11);
    std::vector<std::optional<Tensor>> out;
    for (const ValueId input : graph.inputs) {
        Tensor tensor(ElementType::F32, *staticShape(*graph.value(input).type.shape));
        for (float& each : tensor.mutableAs<float>()) {
            each = static_cast<float>(low + (high - low) * static_cast<double>(engine() >> 11U) / 9007199254740992.0);
        }
        out.emplace_back(std::move(tensor));
    }
    return out;
}

/// Outputs over the reals, nearly.
std::vector<std::optional<Tensor>> outputsOf(const Graph& graph, const std::vector<std::optional<Tensor>>& inputs, std::string& error,
                                             bool* open = nullptr) {
    const auto typed = inferTypes(graph);
    if (!typed) {
        error = typed.error().text();
        return {};
    }
    const auto tree = GraphTree::build(*typed);
    EvaluateOptions options;
    options.arithmetic = Arithmetic::Double;
    const auto run = evaluate(*tree, inputs, options);
    if (!run) {
        error = run.error().text();
        return {};
    }
    if (open != nullptr) {
        *open = !run->open.empty();
    }
    std::vector<std::optional<Tensor>> out;
    for (const ValueId output : (*typed)->outputs) {
        out.push_back(run->values.at(output.index));
    }
    return out;
}

struct Row {
    const char* name;
    OpId op;
    Attributes attributes;
    Shapes shapes;
    std::size_t results = 1;
    double low = -3.0;
    double high = 3.0;
};

const std::vector<std::int64_t> None{-1};

std::vector<Row> rows() {
    const std::int64_t one = 1;
    const auto ints = [](std::vector<std::int64_t> values) { return values; };
    return {
        {"Gelu", {"", "Gelu", 20}, {}, {{2, 5}}},
        {"Gelu tanh", {"", "Gelu", 20}, {{"approximate", std::string("tanh")}}, {{2, 5}}},
        {"BiasGelu", {"com.microsoft", "BiasGelu", 1}, {}, {{2, 5}, {5}}},
        {"FastGelu", {"com.microsoft", "FastGelu", 1}, {}, {{2, 5}, {5}}},
        {"QuickGelu", {"com.microsoft", "QuickGelu", 1}, {}, {{2, 5}}},
        {"HardSwish", {"", "HardSwish", 14}, {}, {{4, 9}}, 1, -5, 5},
        {"Swish", {"", "Swish", 24}, {{"alpha", 0.7F}}, {{2, 5}}},
        {"Mish", {"", "Mish", 18}, {}, {{2, 5}}},
        {"Elu", {"", "Elu", 6}, {{"alpha", 1.3F}}, {{2, 5}}},
        {"Celu", {"", "Celu", 12}, {{"alpha", 1.3F}}, {{2, 5}}},
        {"Celu of a negative alpha", {"", "Celu", 12}, {{"alpha", -0.7F}}, {{2, 5}}},
        {"Selu", {"", "Selu", 6}, {}, {{2, 5}}},
        {"ThresholdedRelu", {"", "ThresholdedRelu", 10}, {{"alpha", 0.5F}}, {{2, 5}}},
        {"Shrink", {"", "Shrink", 9}, {{"lambd", 1.5F}, {"bias", 0.25F}}, {{2, 9}}},
        {"LayerNormalization", {"", "LayerNormalization", 17}, {{"axis", std::int64_t{1}}}, {{2, 3, 4}, {3, 4}, {3, 4}}, 3},
        {"LayerNormalization without bias", {"", "LayerNormalization", 17}, {}, {{2, 3, 4}, {4}}},
        {"RMSNormalization", {"", "RMSNormalization", 23}, {{"epsilon", 0.1F}}, {{2, 3, 4}, {4}}},
        {"SkipLayerNormalization", {"com.microsoft", "SkipLayerNormalization", 1}, {{"epsilon", 0.1F}}, {{2, 3, 4}, {2, 3, 4}, {4}, {4}, {4}}, 4},
        {"BatchNormalization", {"", "BatchNormalization", 15}, {}, {{2, 3, 4, 2}, {3}, {3}, {3}, {3}}, 1, 0.1, 3},
        {"InstanceNormalization", {"", "InstanceNormalization", 6}, {}, {{2, 3, 4, 2}, {3}, {3}}},
        {"GroupNormalization 18", {"", "GroupNormalization", 18}, {{"num_groups", std::int64_t{2}}}, {{2, 4, 3, 2}, {2}, {2}}},
        {"GroupNormalization 21", {"", "GroupNormalization", 21}, {{"num_groups", std::int64_t{2}}}, {{2, 4, 3, 2}, {4}, {4}}},
        {"Softmax", {"", "Softmax", 13}, {{"axis", one}}, {{2, 3, 4}}},
        {"LogSoftmax", {"", "LogSoftmax", 13}, {}, {{2, 3, 4}}},
        {"MeanVarianceNormalization", {"", "MeanVarianceNormalization", 13}, {}, {{2, 3, 4, 2}}},
        {"LpNormalization", {"", "LpNormalization", 22}, {{"p", one}, {"axis", one}}, {{2, 3, 4}}},
        {"LpNormalization 2", {"", "LpNormalization", 22}, {}, {{2, 3, 4}}},
        {"GlobalAveragePool", {"", "GlobalAveragePool", 1}, {}, {{2, 3, 4, 2}}},
        {"GlobalMaxPool", {"", "GlobalMaxPool", 1}, {}, {{2, 3, 4, 2}}},
        {"ReduceMean", {"", "ReduceMean", 13}, {{"axes", ints({0, 2})}}, {{2, 3, 4}}},
        {"ReduceMin", {"", "ReduceMin", 13}, {{"axes", ints({-1})}, {"keepdims", std::int64_t{0}}}, {{2, 3, 4}}},
        {"ReduceL1", {"", "ReduceL1", 13}, {{"axes", ints({1})}}, {{2, 3, 4}}},
        {"ReduceL2", {"", "ReduceL2", 13}, {{"axes", ints({1})}}, {{2, 3, 4}}},
        {"ReduceSumSquare", {"", "ReduceSumSquare", 13}, {{"axes", ints({1})}}, {{2, 3, 4}}},
        {"ReduceLogSum", {"", "ReduceLogSum", 13}, {{"axes", ints({1})}}, {{2, 3, 4}}, 1, 0.1, 3},
        {"ReduceLogSumExp", {"", "ReduceLogSumExp", 13}, {{"axes", ints({1})}}, {{2, 3, 4}}},
        {"ArgMin", {"", "ArgMin", 13}, {{"axis", one}}, {{2, 3, 4}}},
        {"Gemm", {"", "Gemm", 13}, {{"alpha", 0.5F}, {"beta", 2.0F}, {"transA", one}}, {{4, 2}, {4, 3}, {3}}},
        {"FusedMatMul", {"com.microsoft", "FusedMatMul", 1}, {{"alpha", 0.5F}, {"transB", one}, {"transBatchA", one}}, {{2, 3, 4}, {3, 5, 4}}},
        {"FusedMatMul both", {"com.microsoft", "FusedMatMul", 1}, {{"transA", one}, {"transB", one}}, {{2, 4, 2}, {5, 4}}},
        {"Conv with bias", {"", "Conv", 11}, {{"pads", ints({1, 1, 0, 0})}, {"group", std::int64_t{2}}}, {{1, 4, 5, 5}, {6, 2, 3, 3}, {6}}},
    };
}

} // namespace

class TestDefinitions : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void giveWhatKernelsGive_data() {
        QTest::addColumn<int>("index");
        const std::vector<Row> all = rows();
        for (std::size_t k = 0; k < all.size(); ++k) {
            QTest::newRow(all[k].name) << static_cast<int>(k);
        }
    }
    void giveWhatKernelsGive() {
        QFETCH(int, index);
        const Row row = rows().at(static_cast<std::size_t>(index));
        const Graph graph = oneNode(row.op, row.attributes, row.shapes, row.results);
        const auto inputs = randomInputs(graph, row.low, row.high);
        std::string error;
        const auto wanted = outputsOf(graph, inputs, error);
        QVERIFY2(error.empty(), error.c_str());

        const Definition* definition = DefinitionLibrary::builtin().find(row.op);
        QVERIFY(definition != nullptr);
        DefinedCall call;
        call.definition = definition;
        call.attributes = &row.attributes;
        std::size_t next = 0;
        for (const auto& shape : row.shapes) {
            call.operands.push_back(shape == None ? std::nullopt : std::optional(DefinedCall::Operand{graph.value(graph.inputs[next++]).type, {}}));
        }
        call.wanted.assign(row.results, true);
        const auto body = writeOut(call);
        QVERIFY2(body.has_value(), body ? "" : body.error().text().c_str());
        const auto found = outputsOf(body->graph, inputs, error);
        QVERIFY2(error.empty(), error.c_str());
        QCOMPARE(found.size(), wanted.size());
        for (std::size_t k = 0; k < wanted.size(); ++k) {
            QVERIFY(wanted[k] && found[k]);
            QVERIFY(wanted[k]->shape() == found[k]->shape());
            for (std::int64_t i = 0; i < wanted[k]->count(); ++i) {
                const double a = wanted[k]->toDouble(i);
                const double b = found[k]->toDouble(i);
                QVERIFY2(
                    std::fabs(a - b) <= 1e-9 * std::max(1.0, std::fabs(a)),
                    qPrintable(QStringLiteral("result %1 element %2: kernel %3, definition %4").arg(k).arg(i).arg(a, 0, 'g', 17).arg(b, 0, 'g', 17)));
            }
        }
    }

    void anOpenOpIsGivenAMeaning() {
        const auto library = DefinitionLibrary::parse("# twice and a bit\n"
                                                      "op example.Scale(x, shift?; by = 2.0) -> y\n"
                                                      "    y = x * by\n"
                                                      "    if has(shift): y = y + shift\n",
                                                      "scale.defs");
        QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
        Graph graph = oneNode({"example", "Scale", 1}, {{"by", 3.0F}}, {{2}, {2}}, 1);
        bool open = false;
        std::string error;
        const std::vector<std::optional<Tensor>> inputs{Tensor::of<float>(ElementType::F32, {2}, {1.0F, 2.0F}),
                                                        Tensor::of<float>(ElementType::F32, {2}, {0.5F, 0.25F})};
        (void)outputsOf(graph, inputs, error, &open);
        QVERIFY(open);
        graph.definitions = *library;
        const auto found = outputsOf(graph, inputs, error, &open);
        QVERIFY2(error.empty(), error.c_str());
        QVERIFY(!open);
        QVERIFY(found.at(0).has_value());
        QCOMPARE(found[0]->toDouble(0), 3.5);
        QCOMPARE(found[0]->toDouble(1), 6.25);
    }

    void brokenFilesAreRefused_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("place");
        QTest::addColumn<QString>("words");
        QTest::newRow("no op") << "y = x"
                               << "f:1"
                               << "expected a definition";
        QTest::newRow("unknown name") << "op e.F(x) -> y\n  y = x + z"
                                      << "f:2"
                                      << "'z' is read before it has a value";
        QTest::newRow("no result") << "op e.F(x) -> y\n  z = x"
                                   << "f:1"
                                   << "never given a value";
        QTest::newRow("twice") << "op e.F(x) -> y\n y = x\nop e.F(x) -> y\n y = x"
                               << "f:3"
                               << "defined before";
        QTest::newRow("has a meaning") << "op Relu(x) -> y\n y = x"
                                       << "f:1"
                                       << "has a meaning already";
        QTest::newRow("has our meaning") << "op com.microsoft.Attention(x) -> y\n y = x"
                                         << "f:1"
                                         << "has a meaning already";
        QTest::newRow("unknown op") << "op e.F(x) -> y\n y = Rleu(x)"
                                    << "f:2"
                                    << "no op 'Rleu' is known";
        QTest::newRow("own circle") << "op e.F(x) -> y\n y = e.G(x)\nop e.G(x) -> y\n y = e.F(x)"
                                    << "f:1"
                                    << "defined by itself";
        QTest::newRow("open text") << "op e.F(x; m = 'a) -> y\n y = x"
                                   << "f:1"
                                   << "has no end";
        QTest::newRow("deep") << "op e.F(x) -> y\n y = " + QString(500, '(') + "x" + QString(500, ')') << "f:2"
                              << "nested more than";
        QTest::newRow("deep minus") << "op e.F(x) -> y\n y = " + QString(5000, '-') + "x"
                                    << "f:2"
                                    << "nested more than";
        QTest::newRow("huge exponent") << "op e.F(x) -> y\n y = x * 1e999"
                                       << "f:2"
                                       << "exponent";
        QTest::newRow("function with attribute") << "op e.F(x) -> y\n y = foo(x, a = 1)"
                                                 << "f:2"
                                                 << "capital letter";
        QTest::newRow("stray") << "op e.F(x) -> y\n y = x $ 2"
                               << "f:2"
                               << "unexpected character";
        QTest::newRow("same names") << "op e.F(x; x = 1) -> y\n y = x"
                                    << "f:1"
                                    << "named twice";
    }
    void brokenFilesAreRefused() {
        QFETCH(QString, text);
        QFETCH(QString, place);
        QFETCH(QString, words);
        const auto library = DefinitionLibrary::parse(text.toStdString(), "f");
        QVERIFY(!library.has_value());
        QCOMPARE(QString::fromStdString(library.error().where), place);
        QVERIFY2(QString::fromStdString(library.error().message).contains(words), library.error().message.c_str());
    }

    void damagedTextsNeverCrash() {
        const std::string text = "op e.F(x, s?, rest...; by = 2.0, axes = [0, 1], mode = 'a') -> y, z\n"
                                 "    since 1\n"
                                 "    require rank(x) >= 1 and mode in ['a', 'b'] # a comment\n"
                                 "    wide = concat([1, -1], repeat(1, rank(x) - 2), range(0, 3))\n"
                                 "    if has(s): x2 = x * (by / 3) + s\n"
                                 "    a, b = Split(x, [2, dim(x, -1) - 2], axis = -1, ...)\n"
                                 "    y = -Reshape(a, wide) / sqrt(2 / pi) - ReduceSum(x, axes, keepdims = 1)\n"
                                 "    z = apply('Relu', choose(count(axes) == 2, b, a))\n";
        static const std::string Pieces[] = {"(",
                                             ")",
                                             "[",
                                             "]",
                                             ",",
                                             "=",
                                             "'",
                                             "if ",
                                             "op ",
                                             "\n",
                                             "1e9",
                                             "-",
                                             "*",
                                             "repeat(",
                                             "9223372036854775807",
                                             "x",
                                             ".",
                                             "...",
                                             "?",
                                             ":",
                                             "@",
                                             std::string(1, '\0')};
        std::mt19937_64 engine(5);
        int taken = 0;
        for (int round = 0; round < 4000; ++round) {
            std::string damaged = text;
            for (std::uint64_t edit = engine() % 3 + 1; edit > 0; --edit) {
                const std::size_t at = engine() % damaged.size();
                switch (engine() % 3) {
                case 0: damaged.erase(at, engine() % 4 + 1); break;
                case 1: damaged.insert(at, Pieces[engine() % std::size(Pieces)]); break;
                default: damaged.replace(at, 1, Pieces[engine() % std::size(Pieces)]); break;
                }
            }
            const auto library = DefinitionLibrary::parse(damaged, "f");
            if (!library) {
                QVERIFY(library.error().where.starts_with("f:"));
                continue;
            }
            if (const Definition* definition = (*library)->find({"e", "F", 1})) {
                ++taken;
                const Attributes none;
                DefinedCall call;
                call.definition = definition;
                call.attributes = &none;
                call.operands.assign(1, DefinedCall::Operand{{ElementType::F32, Shape{Dim::symbol("n"), Dim(4)}}, {}});
                call.wanted = {true, true};
                if (const auto body = writeOut(call)) {
                    (void)inferTypes(body->graph);
                }
            }
        }
        QVERIFY2(taken > 100, qPrintable(QString::number(taken)));
    }

    void greedyTextsAreRefused() {
        for (const char* text : {"op e.F(x) -> y\n a = repeat(1, 4096)\n b = [a, a, a]\n y = Reshape(x, b)",
                                 "op e.F(x) -> y\n y = Reshape(x, range(-9000000000000000000, 9000000000000000000))",
                                 "op e.F(x) -> y\n y = Reshape(x, repeat(1, 1000000000))",
                                 "op e.F(x) -> y\n y = x * axis(-9223372036854775807, -9223372036854775807)"}) {
            const auto library = DefinitionLibrary::parse(text, "f");
            QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
            const Attributes none;
            DefinedCall call;
            call.definition = (*library)->all().front().get();
            call.attributes = &none;
            call.operands.assign(1, DefinedCall::Operand{{ElementType::F32, Shape{Dim(4)}}, {}});
            call.wanted = {true};
            QVERIFY2(!writeOut(call).has_value(), text);
        }
        // Digits that double with every line, and nodes that do.
        std::string digits = "op e.F(x) -> y\n a = 3\n";
        std::string nodes = "op e.F(x) -> y\n l = repeat(x, 4096)\n";
        for (int k = 0; k < 40; ++k) {
            digits += " a = a * a\n";
            nodes += " l = each('Relu', l, 1)\n";
        }
        for (const std::string& text : {digits + " y = x * a", nodes + " y = Concat(l, axis = 0)"}) {
            const auto library = DefinitionLibrary::parse(text, "f");
            QVERIFY2(library.has_value(), library ? "" : library.error().text().c_str());
            const Attributes none;
            DefinedCall call;
            call.definition = (*library)->all().front().get();
            call.attributes = &none;
            call.operands.assign(1, DefinedCall::Operand{{ElementType::F32, Shape{Dim(4)}}, {}});
            call.wanted = {true};
            QVERIFY2(!writeOut(call).has_value(), text.substr(0, 60).c_str());
        }
    }

    void nothingIsDefinedBeforeItIsThere() {
        // An op of ONNX that the opset in force does not have yet is an open function, whatever later opsets call by its name.
        for (const std::string& each : DefinitionLibrary::builtin().names()) {
            for (std::int64_t opset = 1; opset <= 24 && each.find('.') == std::string::npos; ++opset) {
                const OpId op{"", each, opset};
                const bool known = findOp({"", each, 24}) != nullptr;
                QVERIFY2(!known || findOp(op) != nullptr || DefinitionLibrary::builtin().find(op) == nullptr,
                         (each + " at opset " + std::to_string(opset)).c_str());
            }
        }
        QVERIFY(DefinitionLibrary::builtin().find({"", "HannWindow", 16}) == nullptr);
    }

    void casesThatAreNotCoveredSaySo() {
        DefinedCall call;
        call.definition = DefinitionLibrary::builtin().find({"", "Gelu", 20});
        const Attributes attributes{{"approximate", std::string("sigmoid")}};
        call.attributes = &attributes;
        call.operands.push_back(DefinedCall::Operand{{ElementType::F32, Shape{Dim(2)}}, {}});
        call.wanted = {true};
        const auto body = writeOut(call);
        QVERIFY(!body.has_value());
        QCOMPARE(body.error().code, ErrorCode::Unsupported);
        QVERIFY2(body.error().message.find("defined only where approximate in") != std::string::npos, body.error().message.c_str());
    }

    void numbersOfTheTextAreExact() {
        // 1/6 is no float: a double run must not see float32's.
        Graph graph = oneNode({"example", "Sixth", 1}, {}, {{1}}, 1);
        const auto library = DefinitionLibrary::parse("op example.Sixth(x) -> y\n y = x * (1/6) + sqrt(2)", "f");
        QVERIFY(library.has_value());
        graph.definitions = *library;
        std::string error;
        const auto found = outputsOf(graph, {Tensor::of<float>(ElementType::F32, {1}, {1.0F})}, error);
        QVERIFY2(error.empty(), error.c_str());
        QCOMPARE(found.at(0)->toDouble(0), 1.0 / 6.0 + std::sqrt(2.0));
    }

    void sizesStaySymbolic() {
        DefinedCall call;
        call.definition = DefinitionLibrary::builtin().find({"", "GroupNormalization", 21});
        const Attributes attributes{{"num_groups", std::int64_t{2}}};
        call.attributes = &attributes;
        const TensorType image{ElementType::F32, Shape{Dim::symbol("n"), Dim(4), Dim::symbol("h"), Dim(3)}};
        const TensorType channels{ElementType::F32, Shape{Dim(4)}};
        call.operands = {DefinedCall::Operand{image, {}}, DefinedCall::Operand{channels, {}}, DefinedCall::Operand{channels, {}}};
        call.wanted = {true};
        const auto body = writeOut(call);
        QVERIFY2(body.has_value(), body ? "" : body.error().text().c_str());
        const auto typed = inferTypes(body->graph);
        QVERIFY2(typed.has_value(), typed ? "" : typed.error().text().c_str());
        QVERIFY((*typed)->value((*typed)->outputs.front()).type == image);
    }
};

QTEST_GUILESS_MAIN(TestDefinitions)
#include "tst_definitions.moc"
