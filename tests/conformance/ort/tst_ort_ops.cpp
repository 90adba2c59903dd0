// The evaluator against ONNX Runtime (npm onnxruntime-node, pinned in package-lock.json; optimiser off): graphs of one node for
// every op, attribute combination and type that both compute, on random inputs. One node process runs them all.
//
// LEMMASCOPE_ORT_ROUNDS=N runs N rounds with other seeds. The list ort_ops.tsv says which ops are compared; one that no longer
// is fails. UPDATE_GOLDEN=1 rewrites it. Without npm or its registry the test is skipped.

#include "core/eval/evaluator.h"
#include "core/graph/infer.h"
#include "tests/conformance/ort/case_maker.h"

#include <QtTest>

#include <cmath>
#include <fstream>
#include <map>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

const std::string ListFile = LEMMASCOPE_SOURCE_DIR "/tests/conformance/ort/ort_ops.tsv";

std::string shapeText(const Tensor& tensor) {
    std::string out = std::string(name(tensor.element())) + "[";
    for (const std::int64_t length : tensor.shape()) {
        out += std::to_string(length) + ",";
    }
    return out + "]";
}

/// The first difference beyond what rounding explains. Quantised results may be off by one step where a quotient lies at a tie.
std::string difference(const Tensor& found, const Tensor& wanted, double scale) {
    if (found.element() != wanted.element() || found.shape() != wanted.shape()) {
        return "is " + shapeText(found) + ", ONNX Runtime has " + shapeText(wanted);
    }
    if (!isFloat(wanted.element())) {
        for (std::int64_t i = 0; i < wanted.count(); ++i) {
            if (found.toInt64(i) != wanted.toInt64(i)) {
                return "element " + std::to_string(i) + " is " + std::to_string(found.toInt64(i)) + ", ONNX Runtime has " +
                       std::to_string(wanted.toInt64(i));
            }
        }
        return {};
    }
    const bool wide = wanted.element() == ElementType::F64;
    const double relative = wide ? 1e-9 : (wanted.element() == ElementType::F16 ? 2e-3 : 2e-5);
    const double absolute = (wide ? 1e-10 : (wanted.element() == ElementType::F16 ? 1e-3 : 2e-6)) * scale;
    for (std::int64_t i = 0; i < wanted.count(); ++i) {
        const double a = found.toDouble(i);
        const double b = wanted.toDouble(i);
        const bool same = std::isnan(b) ? std::isnan(a) : a == b || std::fabs(a - b) <= absolute + relative * std::fabs(b);
        if (!same) {
            return "element " + std::to_string(i) + " is " + std::to_string(a) + ", ONNX Runtime has " + std::to_string(b);
        }
    }
    return {};
}

/// A bound of the magnitudes that are summed: inputs are small, so their largest product tells how far sums may be off.
double scaleOf(const OrtCase& entry) {
    double scale = 1.0;
    for (const Tensor& tensor : entry.inputs) {
        for (std::int64_t i = 0; i < tensor.count() && tensor.element() != ElementType::String; ++i) {
            const double magnitude = std::fabs(tensor.toDouble(i));
            scale = std::isfinite(magnitude) && magnitude < 1e6 ? std::max(scale, magnitude) : scale;
        }
    }
    return scale * scale;
}

struct Evaluated {
    std::vector<std::optional<Tensor>> outputs;
    std::string error;
    bool open = false;
};

Evaluated evaluated(const OrtCase& entry) {
    const auto tree = GraphTree::build(std::make_shared<const Graph>(entry.graph));
    std::vector<std::optional<Tensor>> inputs(entry.inputs.begin(), entry.inputs.end());
    const auto run = evaluate(*tree, inputs);
    Evaluated out;
    if (!run) {
        out.error = run.error().text();
        return out;
    }
    out.open = !run->open.empty();
    out.error = run->fault ? "faults" : "";
    for (const ValueId output : entry.graph.outputs) {
        out.outputs.push_back(run->values.at(output.index));
    }
    return out;
}

} // namespace

class TestOrtOps : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase();
    void givesWhatOnnxRuntimeGives_data();
    void givesWhatOnnxRuntimeGives();
    void everyListedOpIsCompared();

  private:
    std::vector<OrtCase> m_cases;
    std::vector<OrtAnswer> m_answers;
    std::map<std::string, int> m_compared; ///< by op, overload of types left out
};

void TestOrtOps::initTestCase() {
    if (auto ready = prepareOrt(); !ready) {
        QSKIP(("ONNX Runtime can't be had, nothing is compared: " + ready.error().text()).c_str());
    }
    bool given = false;
    const int rounds = std::max(1, qEnvironmentVariableIntValue("LEMMASCOPE_ORT_ROUNDS", &given));
    for (int round = 0; round < rounds; ++round) {
        CaseMaker maker(static_cast<std::uint64_t>(round) + 1);
        addElementwiseCases(maker);
        addMovementCases(maker);
        addIndexingCases(maker);
        addContractionCases(maker);
        addReductionCases(maker);
        addQuantizedCases(maker);
        for (OrtCase& entry : maker.cases) {
            // Inferred types go into the file: ONNX Runtime checks them against its own.
            if (auto typed = inferTypes(entry.graph)) {
                entry.graph = **typed;
            }
            m_cases.push_back(std::move(entry));
        }
    }
    auto answers = runOrt(m_cases);
    QVERIFY2(answers.has_value(), answers ? "" : answers.error().text().c_str());
    m_answers = std::move(*answers);
}

void TestOrtOps::givesWhatOnnxRuntimeGives_data() {
    QTest::addColumn<QString>("op");
    std::map<std::string, bool> ops;
    for (const OrtCase& entry : m_cases) {
        ops[entry.graph.name] = true;
    }
    for (const auto& [op, unused] : ops) {
        QTest::newRow(op.c_str()) << QString::fromStdString(op);
    }
}

void TestOrtOps::givesWhatOnnxRuntimeGives() {
    QFETCH(QString, op);
    std::string wrong;
    int wrongCount = 0;
    int open = 0;
    int compared = 0;
    const auto report = [&](const std::string& what) {
        if (++wrongCount <= 6) {
            wrong += "\n  " + what;
        }
    };
    for (std::size_t k = 0; k < m_cases.size(); ++k) {
        const OrtCase& entry = m_cases[k];
        if (entry.graph.name != op.toStdString()) {
            continue;
        }
        const OrtAnswer& answer = m_answers[k];
        if (!answer.error.empty()) {
            // No kernel of ONNX Runtime for this type: nothing to compare with. Anything else is a fault of the case.
            if (answer.error.find("NOT_IMPLEMENTED") == std::string::npos &&
                answer.error.find("Could not find an implementation") == std::string::npos) {
                report(entry.name + ": ONNX Runtime refuses it: " + answer.error);
            }
            continue;
        }
        const Evaluated ours = evaluated(entry);
        if (ours.open) {
            ++open;
            continue;
        }
        ++compared;
        if (!ours.error.empty()) {
            report(entry.name + ": " + ours.error);
            continue;
        }
        for (std::size_t i = 0; i < answer.outputs.size(); ++i) {
            const std::string text = ours.outputs.at(i) ? difference(*ours.outputs[i], answer.outputs[i], scaleOf(entry)) : "was not computed";
            if (!text.empty()) {
                report(entry.name + ": output " + std::to_string(i) + " " + text);
                break;
            }
        }
    }
    m_compared[op.toStdString()] = compared;
    if (open > 0) {
        qInfo("%s: %d compared, %d without a kernel", qPrintable(op), compared, open);
    }
    QVERIFY2(wrongCount == 0, (std::to_string(wrongCount) + " of " + std::to_string(compared) + wrong).c_str());
}

void TestOrtOps::everyListedOpIsCompared() {
    if (m_cases.empty()) {
        QSKIP("ONNX Runtime can't be had");
    }
    if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
        std::ofstream out(ListFile);
        out << "# Ops that are compared with ONNX Runtime. UPDATE_GOLDEN=1 tst_ort_ops rewrites this list.\n";
        for (const auto& [op, compared] : m_compared) {
            if (compared > 0) {
                out << op << '\n';
            }
        }
    }
    std::ifstream in(ListFile);
    int listed = 0;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && line.front() != '#') {
            ++listed;
            QVERIFY2(m_compared[line] > 0, (line + " is no longer compared").c_str());
        }
    }
    QVERIFY(listed > 0);
}

QTEST_GUILESS_MAIN(TestOrtOps)
#include "tst_ort_ops.moc"
