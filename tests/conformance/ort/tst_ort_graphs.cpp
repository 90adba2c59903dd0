// Every ONNX file of the cases, read and written by us, runs on ONNX Runtime and on the evaluator alike: reader, writer and
// kernels at once, on random inputs. Where both refuse an input (an index out of range, sizes that do not fit), they agree too.

#include "core/eval/evaluator.h"
#include "core/format/onnx/onnx_reader.h"
#include "core/graph/infer.h"
#include "tests/conformance/ort/case_maker.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

/// The largest |a-b| over the largest magnitude of the output; nothing when types or shapes differ. NaN equals NaN.
std::optional<double> distance(const Tensor& a, const Tensor& b) {
    if (a.element() != b.element() || a.shape() != b.shape()) {
        return std::nullopt;
    }
    double largest = 1e-6;
    double worst = 0.0;
    for (std::int64_t i = 0; i < a.count(); ++i) {
        const double x = a.toDouble(i);
        const double y = b.toDouble(i);
        if (std::isnan(x) || std::isnan(y) || std::isinf(x) || std::isinf(y)) {
            worst = x == y || (std::isnan(x) && std::isnan(y)) ? worst : 1e300;
            continue;
        }
        largest = std::max(largest, std::fabs(y));
        worst = std::max(worst, std::fabs(x - y));
    }
    return worst / largest;
}

} // namespace

class TestOrtGraphs : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase();
    void runsAlike_data();
    void runsAlike();
    void cleanupTestCase();

  private:
    std::vector<OrtCase> m_cases;
    std::vector<OrtAnswer> m_answers;
    int m_compared = 0;
};

void TestOrtGraphs::initTestCase() {
    if (auto ready = prepareOrt(); !ready) {
        QSKIP(("ONNX Runtime can't be had, nothing is compared: " + ready.error().text()).c_str());
    }
    std::vector<std::filesystem::path> files;
    for (const char* folder : {"onnx", "ort", "ort-bugs", "bugs"}) {
        for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(LEMMASCOPE_TEST_DATA) / "cases" / folder)) {
            if (entry.path().extension() == ".onnx") {
                files.push_back(entry.path());
            }
        }
    }
    std::sort(files.begin(), files.end());
    CaseMaker maker(3);
    for (const auto& file : files) {
        const auto graph = readOnnxFile(file);
        QVERIFY2(graph.has_value(), graph ? "" : graph.error().text().c_str());
        OrtCase entry;
        entry.name = (file.parent_path().filename() / file.filename()).string();
        entry.graph = **graph;
        std::map<std::string, std::int64_t> sizes;
        bool runnable = true;
        for (const ValueId input : entry.graph.inputs) {
            const TensorType& type = entry.graph.value(input).type;
            runnable = runnable && type.shape && isComputable(type.element) && type.element != ElementType::BF16;
            if (!runnable) {
                break;
            }
            Ints shape;
            for (const Dim& dim : *type.shape) {
                std::vector<std::string> symbols;
                dim.collectSymbols(symbols);
                for (const std::string& symbol : symbols) {
                    sizes.try_emplace(symbol, maker.random.integer(2, 4));
                }
                shape.push_back(dim.evaluate(sizes).value_or(1));
            }
            const bool isIndex = type.element == ElementType::I64 || type.element == ElementType::I32;
            entry.inputs.push_back(maker.tensor(type.element, shape, isIndex ? 0 : -3, isIndex ? 1 : 3));
        }
        if (runnable) {
            m_cases.push_back(std::move(entry));
        }
    }
    auto answers = runOrt(m_cases);
    QVERIFY2(answers.has_value(), answers ? "" : answers.error().text().c_str());
    m_answers = std::move(*answers);
}

void TestOrtGraphs::runsAlike_data() {
    QTest::addColumn<int>("index");
    for (std::size_t k = 0; k < m_cases.size(); ++k) {
        QTest::newRow(m_cases[k].name.c_str()) << static_cast<int>(k);
    }
}

void TestOrtGraphs::runsAlike() {
    QFETCH(int, index);
    const OrtCase& entry = m_cases[static_cast<std::size_t>(index)];
    const OrtAnswer& answer = m_answers[static_cast<std::size_t>(index)];
    const auto typed = inferTypes(entry.graph);
    QVERIFY2(typed.has_value(), typed ? "" : typed.error().text().c_str());
    const auto tree = GraphTree::build(*typed);
    QVERIFY(tree.has_value());
    const std::vector<std::optional<Tensor>> inputs(entry.inputs.begin(), entry.inputs.end());
    const auto run = evaluate(*tree, inputs);
    if (!answer.error.empty()) {
        const bool unknown = answer.error.find("NOT_IMPLEMENTED") != std::string::npos ||
                             answer.error.find("not a registered") != std::string::npos || answer.error.find("No opset import") != std::string::npos;
        if (unknown || !run || run->fault || !run->open.empty()) {
            qInfo("not compared: %s", answer.error.substr(0, 200).c_str());
            return;
        }
        QFAIL(("only ONNX Runtime refuses it: " + answer.error).c_str());
    }
    QVERIFY2(run.has_value(), run ? "" : run.error().text().c_str());
    if (!run->open.empty()) {
        qInfo("not compared: no kernel of %s", tree->node(run->open.front()).op.text().c_str());
        return;
    }
    QVERIFY2(!run->fault, "only the evaluator faults");
    ++m_compared;
    for (std::size_t k = 0; k < answer.outputs.size(); ++k) {
        const auto& found = run->values.at((*typed)->outputs.at(k).index);
        QVERIFY2(found.has_value(), "an output was not computed");
        const auto apart = distance(*found, answer.outputs[k]);
        QVERIFY2(apart.has_value(), "type or shape differs");
        const double allowed = isFloat(found->element()) ? 2e-3 : 0.0;
        QVERIFY2(*apart <= allowed, (entry.graph.outputName(k) + " differs by " + std::to_string(*apart) + " of its largest element").c_str());
    }
}

void TestOrtGraphs::cleanupTestCase() {
    if (!m_cases.empty()) {
        qInfo("%d of %zu graphs compared", m_compared, m_cases.size());
        QVERIFY(m_compared > 250);
    }
}

QTEST_GUILESS_MAIN(TestOrtGraphs)
#include "tst_ort_graphs.moc"
