// The evaluator against ONNX's own operator tests (Debian's libonnx-testdata: a model, inputs and outputs each). The list
// onnx_nodes.tsv says of each test whether it runs: one that stops running, or gives other values, fails. After new kernels:
// UPDATE_GOLDEN=1 rewrites the list.

#include "core/eval/evaluator.h"
#include "core/format/onnx/onnx_reader.h"
#include "core/format/onnx/onnx_tensor.h"
#include "core/graph/infer.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

using namespace lemmascope;

namespace {

const std::filesystem::path DataFolder = std::filesystem::path(ONNX_TESTDATA) / "data" / "node";
const std::filesystem::path ListFile = std::filesystem::path(LEMMASCOPE_SOURCE_DIR) / "tests" / "conformance" / "onnx_nodes.tsv";

/// test -> `runs`, or why it does not.
std::map<std::string, std::string> readList() {
    std::map<std::string, std::string> out;
    std::ifstream in(ListFile);
    for (std::string line; std::getline(in, line);) {
        const std::size_t tab = line.find('\t');
        if (!line.starts_with('#') && tab != std::string::npos) {
            out[line.substr(0, tab)] = line.substr(tab + 1);
        }
    }
    return out;
}

std::string shapeText(const Tensor& tensor) {
    std::string out = std::string(name(tensor.element())) + "[";
    for (const std::int64_t length : tensor.shape()) {
        out += std::to_string(length) + ",";
    }
    return out + "]";
}

/// The first difference beyond ONNX's own tolerance; empty when there is none.
std::string difference(const Tensor& found, const Tensor& wanted) {
    constexpr double Relative = 1e-3;
    constexpr double Absolute = 1e-7;
    if (found.element() != wanted.element() || found.shape() != wanted.shape()) {
        return "is " + shapeText(found) + ", expected " + shapeText(wanted);
    }
    if (!isFloat(wanted.element())) {
        return found.sameBits(wanted) ? "" : "integers, flags or strings differ";
    }
    for (std::int64_t i = 0; i < wanted.count(); ++i) {
        const double a = found.toDouble(i);
        const double b = wanted.toDouble(i);
        const bool same = std::isnan(b) ? std::isnan(a) : a == b || std::fabs(a - b) <= Absolute + Relative * std::fabs(b);
        if (!same) {
            return "element " + std::to_string(i) + " is " + std::to_string(a) + ", expected " + std::to_string(b);
        }
    }
    return {};
}

/// The tensors of input_0.pb, input_1.pb, ... or output_...; nothing when one is no tensor (a sequence, an optional).
std::optional<std::vector<Tensor>> readTensors(const std::filesystem::path& folder, const std::string& kind) {
    std::vector<Tensor> out;
    for (std::size_t k = 0;; ++k) {
        const std::filesystem::path file = folder / (kind + "_" + std::to_string(k) + ".pb");
        if (!std::filesystem::exists(file)) {
            return out;
        }
        auto read = readTensorProtoFile(file);
        if (!read) {
            return std::nullopt;
        }
        out.push_back(std::move(read->tensor));
    }
}

struct Outcome {
    std::string status; ///< `runs`, or why not
    std::string wrong;  ///< what is wrong where it ran
};

Outcome runSet(const std::shared_ptr<const Graph>& graph, const std::filesystem::path& set) {
    const auto inputs = readTensors(set, "input");
    const auto outputs = readTensors(set, "output");
    const auto isTensor = [&](ValueId id) { return graph->value(id).type.element != ElementType::Undefined; };
    if (!inputs || !outputs || !std::all_of(graph->inputs.begin(), graph->inputs.end(), isTensor) ||
        !std::all_of(graph->outputs.begin(), graph->outputs.end(), isTensor)) {
        return {"not tensors", {}};
    }
    const auto typed = inferTypes(*graph);
    if (!typed) {
        return {"types", "inference: " + typed.error().text()};
    }
    const auto tree = GraphTree::build(*typed);
    if (!tree) {
        return {"too large", tree.error().text()};
    }
    std::vector<std::optional<Tensor>> given(inputs->begin(), inputs->end());
    given.resize((*typed)->inputs.size());
    const auto run = evaluate(*tree, given);
    if (!run) {
        return {"fails", run.error().text()};
    }
    if (!run->open.empty()) {
        return {"open " + tree->node(run->open.front()).op.text(), {}};
    }
    if (run->fault) {
        return {"fault", "faults in node " + tree->path(run->fault->node)};
    }
    Outcome outcome{"runs", {}};
    for (std::size_t k = 0; k < outputs->size() && k < (*typed)->outputs.size(); ++k) {
        const ValueId id = (*typed)->outputs[k];
        const auto& found = run->values.at(id.index);
        const std::string text = found ? difference(*found, (*outputs)[k]) : "was not computed";
        if (!text.empty()) {
            outcome.wrong += "output '" + (*typed)->outputName(k) + "' " + text + "; ";
        }
    }
    return outcome;
}

Outcome runTest(const std::filesystem::path& folder) {
    const auto graph = readOnnxFile(folder / "model.onnx");
    if (!graph) {
        return {"unreadable", graph.error().text()};
    }
    for (std::size_t k = 0; std::filesystem::exists(folder / ("test_data_set_" + std::to_string(k))); ++k) {
        const Outcome outcome = runSet(*graph, folder / ("test_data_set_" + std::to_string(k)));
        if (outcome.status != "runs" || !outcome.wrong.empty()) {
            return outcome;
        }
    }
    return {"runs", {}};
}

} // namespace

class TestOnnxNodes : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase();
    void givesWhatOnnxExpects_data();
    void givesWhatOnnxExpects();
    void noListedTestIsGone();
    void cleanupTestCase();

  private:
    std::map<std::string, std::string> m_list;
    std::map<std::string, std::string> m_found;
    int m_running = 0;
};

void TestOnnxNodes::initTestCase() {
    if (!std::filesystem::is_directory(DataFolder)) {
        QSKIP("ONNX's operator tests are not installed (Debian package libonnx-testdata): nothing is compared");
    }
    m_list = readList();
}

void TestOnnxNodes::givesWhatOnnxExpects_data() {
    QTest::addColumn<QString>("folder");
    std::set<std::filesystem::path> folders;
    for (const auto& entry : std::filesystem::directory_iterator(DataFolder)) {
        folders.insert(entry.path());
    }
    for (const auto& folder : folders) {
        QTest::newRow(folder.filename().c_str()) << QString::fromStdString(folder.string());
    }
}

void TestOnnxNodes::givesWhatOnnxExpects() {
    QFETCH(QString, folder);
    const std::filesystem::path path = folder.toStdString();
    const std::string test = path.filename().string();
    const auto listed = m_list.find(test);
    const std::string expected = listed == m_list.end() ? "" : listed->second;
    const Outcome outcome = runTest(path);
    m_running += outcome.status == "runs" ? 1 : 0;
    // A reason in the list that begins with `not compared` says why values may differ (random numbers).
    m_found[test] = expected.starts_with("not compared") ? expected : outcome.status;
    if (expected.starts_with("not compared")) {
        return;
    }
    QVERIFY2(outcome.wrong.empty(), outcome.wrong.c_str());
    if (expected == "runs" && outcome.status != "runs") {
        QFAIL(("ran before, now: " + outcome.status).c_str());
    }
}

void TestOnnxNodes::noListedTestIsGone() {
    QVERIFY(!m_list.empty() || qEnvironmentVariableIsSet("UPDATE_GOLDEN"));
    for (const auto& [test, status] : m_list) {
        if (status == "runs" && !m_found.contains(test)) {
            QFAIL((test + " is in the list, but not among the installed tests").c_str());
        }
    }
}

void TestOnnxNodes::cleanupTestCase() {
    qInfo("%d of %zu operator tests run", m_running, m_found.size());
    if (!qEnvironmentVariableIsSet("UPDATE_GOLDEN") || m_found.empty()) {
        return;
    }
    std::ofstream out(ListFile);
    out << "# ONNX's operator tests (onnx 1.12) and whether the evaluator runs them. UPDATE_GOLDEN=1 tst_onnx_nodes rewrites this list.\n";
    for (const auto& [test, status] : m_found) {
        out << test << '\t' << status << '\n';
    }
}

QTEST_GUILESS_MAIN(TestOnnxNodes)
#include "tst_onnx_nodes.moc"
