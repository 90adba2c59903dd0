// Every definition of ours (resources/definitions) against ONNX Runtime: graphs of one node on random inputs, the node written
// out by its definition, and by its kernel where it has one. ONNX Runtime's answers are recorded in
// tests/data/definitions/ort_answers.tsv (npm onnxruntime-node 1.30.0, optimiser off), so that the test needs no network;
// UPDATE_GOLDEN=1 asks ONNX Runtime again and rewrites them.
#include "core/eval/evaluator.h"
#include "core/graph/definition_library.h"
#include "core/graph/infer.h"
#include "tests/conformance/ort/case_maker.h"

#include <QtTest>

#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

const std::string AnswerFile = LEMMASCOPE_SOURCE_DIR "/tests/data/definitions/ort_answers.tsv";

std::string textOf(const Tensor& tensor) {
    std::ostringstream out;
    out << name(tensor.element()) << " [";
    for (std::size_t k = 0; k < tensor.shape().size(); ++k) {
        out << (k == 0 ? "" : ",") << tensor.shape()[k];
    }
    out << "]";
    out.precision(9);
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        out << ' ';
        if (isFloat(tensor.element())) {
            out << tensor.toDouble(i);
        } else {
            out << tensor.toInt64(i);
        }
    }
    return out.str();
}

/// What differs beyond rounding; of quantised elements at most `mostSteps` may be a step off.
QString difference(const Tensor& found, const std::string& wanted, int mostSteps) {
    std::istringstream expected(wanted);
    std::istringstream ours(textOf(found));
    std::string a;
    std::string b;
    int steps = 0;
    for (int word = 0; expected >> a; ++word) {
        if (!(ours >> b)) {
            return QStringLiteral("has too few elements");
        }
        const double wants = std::strtod(a.c_str(), nullptr);
        const double off = std::fabs(wants - std::strtod(b.c_str(), nullptr));
        const bool quantised = found.element() == ElementType::U8 || found.element() == ElementType::I8;
        steps += quantised && off == 1.0 ? 1 : 0;
        if (word < 2 ? a != b : off > 5e-6 + 2e-5 * std::fabs(wants) && !(quantised && off <= 1.0 && steps <= mostSteps)) {
            return QStringLiteral("%1 %2: %3, ONNX Runtime has %4").arg(word < 2 ? "type" : "element").arg(word - 2).arg(b.c_str(), a.c_str());
        }
    }
    return {};
}

/// The single node of a case, its operands as they are: inputs given, constants from the graph.
std::vector<std::optional<Tensor>> operandsOf(const OrtCase& entry) {
    std::vector<std::optional<Tensor>> out;
    const Node& node = entry.graph.nodes.front();
    for (const ValueId id : node.operands) {
        out.emplace_back();
        if (!id.isValid()) {
            continue;
        }
        out.back() = entry.graph.value(id).constant;
        for (std::size_t k = 0; k < entry.graph.inputs.size(); ++k) {
            if (entry.graph.inputs[k] == id) {
                out.back() = entry.inputs.at(k);
            }
        }
    }
    return out;
}

std::vector<std::optional<Tensor>> run(const Graph& graph, const std::vector<std::optional<Tensor>>& inputs, QString& error) {
    const auto typed = inferTypes(graph);
    if (!typed) {
        error = QString::fromStdString(typed.error().text());
        return {};
    }
    const auto tree = GraphTree::build(*typed);
    const auto evaluated = evaluate(*tree, inputs);
    if (!evaluated) {
        error = QString::fromStdString(evaluated.error().text());
        return {};
    }
    std::vector<std::optional<Tensor>> out;
    for (const ValueId output : (*typed)->outputs) {
        out.push_back(evaluated->values.at(output.index));
    }
    return out;
}

} // namespace

class TestOrtDefinitions : public QObject {
    Q_OBJECT

    std::vector<OrtCase> m_cases;
    std::vector<std::vector<std::string>> m_answers; ///< outputs; one word `error ...` where ONNX Runtime refuses the case

  private Q_SLOTS:
    void initTestCase() {
        CaseMaker maker(2026);
        addDefinitionCases(maker);
        m_cases = std::move(maker.cases);
        for (OrtCase& entry : m_cases) {
            if (auto typed = inferTypes(entry.graph)) {
                entry.graph = **typed;
            }
        }
        if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
            const auto ready = prepareOrt();
            QVERIFY2(ready.has_value(), ready ? "" : ready.error().text().c_str());
            const auto answers = runOrt(m_cases);
            QVERIFY2(answers.has_value(), answers ? "" : answers.error().text().c_str());
            std::ofstream out(AnswerFile);
            out << "# What ONNX Runtime 1.30.0 (CPU, optimiser off) gives for the cases of cases_definitions.cpp.\n";
            for (std::size_t k = 0; k < m_cases.size(); ++k) {
                const OrtAnswer& answer = (*answers)[k];
                std::string error = answer.error.substr(0, answer.error.find('\n'));
                out << m_cases[k].name;
                if (!error.empty()) {
                    out << "\terror " << error;
                }
                for (const Tensor& tensor : answer.outputs) {
                    out << "\t" << textOf(tensor);
                }
                out << "\n";
            }
        }
        std::ifstream in(AnswerFile);
        std::string line;
        while (std::getline(in, line)) {
            if (line.empty() || line[0] == '#') {
                continue;
            }
            std::vector<std::string> parts;
            std::istringstream stream(line);
            for (std::string part; std::getline(stream, part, '\t');) {
                parts.push_back(part);
            }
            QVERIFY2(m_answers.size() < m_cases.size() && parts.at(0) == m_cases[m_answers.size()].name,
                     ("the cases have changed at '" + parts.at(0) + "': UPDATE_GOLDEN=1").c_str());
            parts.erase(parts.begin());
            m_answers.push_back(parts);
        }
        QCOMPARE(m_answers.size(), m_cases.size());
    }

    void agreesWithOnnxRuntime_data() {
        QTest::addColumn<int>("index");
        for (std::size_t k = 0; k < m_cases.size(); ++k) {
            QTest::addRow("%zu %s", k, m_cases[k].name.c_str()) << static_cast<int>(k);
        }
    }
    void agreesWithOnnxRuntime() {
        QFETCH(int, index);
        const OrtCase& entry = m_cases.at(static_cast<std::size_t>(index));
        const std::vector<std::string>& answer = m_answers.at(static_cast<std::size_t>(index));
        if (answer.at(0).starts_with("error")) {
            QSKIP(("ONNX Runtime has no such kernel: " + answer[0]).c_str());
        }
        const Node& node = entry.graph.nodes.front();
        const Definition* definition = DefinitionLibrary::builtin().find(node.op);
        QVERIFY(definition != nullptr);
        DefinedCall call;
        call.definition = definition;
        call.attributes = &node.attributes;
        const std::vector<std::optional<Tensor>> operands = operandsOf(entry);
        for (const std::optional<Tensor>& operand : operands) {
            call.operands.emplace_back();
            if (operand) {
                call.operands.back() = DefinedCall::Operand{{operand->element(), Shape(operand->shape().begin(), operand->shape().end())}, {}};
                if (isInteger(operand->element())) {
                    call.operands.back()->elements.emplace();
                    for (std::int64_t i = 0; i < operand->count(); ++i) {
                        call.operands.back()->elements->emplace_back(operand->toInt64(i));
                    }
                }
            }
        }
        call.wanted.assign(node.results.size(), true);
        const auto body = writeOut(call);
        QVERIFY2(body.has_value(), body ? "" : body.error().text().c_str());
        std::vector<std::optional<Tensor>> inputs;
        for (const std::size_t k : body->operands) {
            inputs.push_back(operands[k]);
        }
        QString error;
        const auto written = run(body->graph, inputs, error);
        QVERIFY2(error.isEmpty(), qPrintable(error));
        const auto whole = run(entry.graph, {entry.inputs.begin(), entry.inputs.end()}, error);
        QVERIFY2(error.isEmpty(), qPrintable(error));
        // ONNX Runtime reads exponentials of its softmax from a table.
        const int mostSteps = node.op.name == "QLinearSoftmax" ? 3 : 0;
        for (std::size_t k = 0; k < answer.size(); ++k) {
            QVERIFY2(written.at(k).has_value(), "the definition gives no value");
            const QString byDefinition = difference(*written[k], answer[k], mostSteps);
            QVERIFY2(byDefinition.isEmpty(), qPrintable("by definition, output " + QString::number(k) + ": " + byDefinition));
            QVERIFY2(whole.at(k).has_value(), "the evaluator gives no value");
            const QString byEvaluator = difference(*whole[k], answer[k], mostSteps);
            QVERIFY2(byEvaluator.isEmpty(), qPrintable("by the evaluator, output " + QString::number(k) + ": " + byEvaluator));
        }
    }

    /// A definition nobody compared is no definition; those ONNX Runtime's CPU has no op for are listed.
    void everyDefinitionIsCompared() {
        std::set<std::string> compared;
        for (std::size_t k = 0; k < m_cases.size(); ++k) {
            if (!m_answers[k].at(0).starts_with("error")) {
                compared.insert(definedName(*DefinitionLibrary::builtin().find(m_cases[k].graph.nodes.front().op)));
            }
        }
        // Reductions, ArgMin: tst_ort_ops; the others: tst_definitions against kernels.
        const std::set<std::string> elsewhere{"ReduceMean",
                                              "ReduceMin",
                                              "ReduceL1",
                                              "ReduceL2",
                                              "ReduceSumSquare",
                                              "ReduceLogSum",
                                              "ReduceLogSumExp",
                                              "ArgMin",
                                              "Swish",
                                              "com.microsoft.SimplifiedLayerNormalization",
                                              "com.microsoft.TransposeMatMul",
                                              "com.microsoft.QuantizeLinear",
                                              "com.microsoft.DequantizeLinear"};
        std::string missing;
        for (const std::string& each : DefinitionLibrary::builtin().names()) {
            if (!each.starts_with("lemmascope.") && compared.count(each) == 0 && elsewhere.count(each) == 0) {
                missing += " " + each;
            }
        }
        QVERIFY2(missing.empty(), missing.c_str());
    }
};

QTEST_GUILESS_MAIN(TestOrtDefinitions)
#include "tst_ort_definitions.moc"
