// ONNX's function operators against their function bodies: the text of the operator is the meaning (our definition or kernel), the
// body is a lemma about it. Debian's libonnx-testdata has both for each test: NAME/model.onnx has one node, NAME_expanded/model.onnx
// the body. `check` must not refute one, and onnx_functions.tsv says which are proved, at what strength, and why the others are not:
// one that gets worse fails, UPDATE_GOLDEN=1 rewrites the list. Skipped where the package is absent.

#include "core/format/onnx/onnx_reader.h"
#include "core/prove/check.h"
#include "core/prove/verdict.h"
#include "core/worker/worker_pool.h"

#include <QtTest>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

using namespace lemmascope;

namespace {

const std::filesystem::path DataFolder = std::filesystem::path(ONNX_TESTDATA) / "data" / "node";
const std::filesystem::path ListFile = std::filesystem::path(LEMMASCOPE_SOURCE_DIR) / "tests" / "conformance" / "onnx_functions.tsv";

/// Bodies that say something else than their operator's text: the op and why.
const std::map<std::string, std::string> Traps{
    {"test_dynamicquantizelinear_expanded", "of zeros only, ONNX Runtime's scale is 1 and the body's 0"},
    {"test_dynamicquantizelinear_max_adjusted_expanded", "the same"},
    {"test_dynamicquantizelinear_min_adjusted_expanded", "the same"},
    {"test_range_int32_type_negative_delta_expanded", "limit - start wraps around in the body's 32 bits"},
};

std::vector<std::string> pairs() {
    std::vector<std::string> out;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(DataFolder, none)) {
        const std::string name = entry.path().filename().string();
        const std::size_t at = name.find("_expanded");
        if (at == std::string::npos) {
            continue;
        }
        std::string plain = name;
        plain.erase(at, std::string("_expanded").size());
        if (std::filesystem::exists(DataFolder / plain)) {
            out.push_back(name);
        }
    }
    std::sort(out.begin(), out.end());
    return out;
}

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

std::shared_ptr<const Graph> graphOf(const std::string& name, std::string& problem) {
    auto graph = readOnnxFile(DataFolder / name / "model.onnx");
    if (!graph) {
        problem = graph.error().text();
        return nullptr;
    }
    return *graph;
}

std::string outcomeOf(const std::string& expanded, LemmaSolver& solver) {
    std::string plain = expanded;
    plain.erase(expanded.find("_expanded"), std::string("_expanded").size());
    std::string problem;
    const auto op = graphOf(plain, problem);
    const auto body = graphOf(expanded, problem);
    if (op == nullptr || body == nullptr) {
        return "not read: " + problem;
    }
    CheckOptions options;
    options.timeSeconds = 20.0;
    options.jobs = 1;
    const auto result = check(op, body, options, {.solver = &solver});
    if (!result) {
        return "not checked: " + result.error().text();
    }
    if (result->verdict == Verdict::Proved) {
        return "proved " + std::string(name(*result->strength));
    }
    return std::string(name(result->verdict)) + (result->reason.empty() ? "" : " " + result->reason);
}

} // namespace

class TestOnnxFunctions : public QObject {
    Q_OBJECT

    WorkerPool m_pool{{.executable = LEMMASCOPE_BIN_DIR "/lemmascope-cli", .workers = 1}};
    std::map<std::string, std::string> m_known;
    std::map<std::string, std::string> m_found;

  private Q_SLOTS:
    void initTestCase() {
        if (pairs().empty()) {
            QSKIP("libonnx-testdata is absent: nothing is compared");
        }
        m_known = readList();
    }
    void bodyFollowsFromTheText_data() {
        QTest::addColumn<QString>("name");
        for (const std::string& each : pairs()) {
            QTest::newRow(each.c_str()) << QString::fromStdString(each);
        }
        if (pairs().empty()) {
            QTest::newRow("none") << QString();
        }
    }
    void bodyFollowsFromTheText() {
        QFETCH(QString, name);
        if (name.isEmpty()) {
            QSKIP("libonnx-testdata is absent");
        }
        const std::string outcome = outcomeOf(name.toStdString(), m_pool);
        m_found[name.toStdString()] = outcome;
        QVERIFY2(!outcome.starts_with("refuted") || Traps.count(name.toStdString()) != 0, outcome.c_str());
        if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
            return;
        }
        const auto known = m_known.find(name.toStdString());
        QVERIFY2(known != m_known.end(), "not in onnx_functions.tsv: UPDATE_GOLDEN=1");
        if (known->second.starts_with("proved")) {
            QVERIFY2(outcome.starts_with("proved"), (known->second + " before, now " + outcome).c_str());
        }
    }
    void cleanupTestCase() {
        if (m_found.empty()) {
            return;
        }
        const auto proved = std::count_if(m_found.begin(), m_found.end(), [](const auto& each) { return each.second.starts_with("proved"); });
        qInfo("%d of %d function bodies proved", static_cast<int>(proved), static_cast<int>(m_found.size()));
        if (qEnvironmentVariableIsSet("UPDATE_GOLDEN")) {
            std::ofstream out(ListFile);
            out << "# NAME, what check says, and for a body that says something else than its operator's text, why.\n";
            out << "# ONNX's function bodies (onnx 1.12) against their operators' texts. UPDATE_GOLDEN=1 tst_onnx_functions rewrites this list.\n";
            for (const auto& [each, outcome] : m_found) {
                const auto trap = Traps.find(each);
                out << each << "\t" << outcome << (trap == Traps.end() ? "" : "\t" + trap->second) << "\n";
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestOnnxFunctions)
#include "tst_onnx_functions.moc"
