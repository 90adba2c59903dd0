// The rules of the library, checked by themselves: none is wrong, and most are proved at once.
#include "core/match/parser.h"
#include "core/match/rule_library.h"
#include "core/ruleproof/rule_check.h"

#include <QTest>

#include <set>

using namespace lemmascope;

namespace {

/// Those whose cases are few enough for a test; the rest is proved by `rules check @NAME`, or stays open with a reason (resources/help/library.md).
const std::set<std::string> Proved{
    "attention_onnx",
    "attention_split",
    "attention_split_masked",
    "attention_heads",
    "attention",
    "layer_norm",
    "conv_plus",
    "conv_bias_plus",
    "conv_activation",
    "expand_nothing",
    "transpose_around",
    "identity_gone",
    "dropout_gone",
    "cast_nothing",
    "relu_relu",
    "plus_nothing",
    "gelu_erf",
    "bias_gelu",
    "bias_fast_gelu",
    "quick_gelu",
    "silu",
    "matmul_add",
    "gemm_transpose_a",
    "gemm_transpose_b",
    "gemm_activation",
    "gemm_leaky_relu",
    "matmul_times",
    "matmul_transpose_a",
    "matmul_transpose_b",
    "transpose_nothing",
    "transpose_transpose",
    "fused_matmul_transpose_a",
    "fused_matmul_transpose_b",
};

} // namespace

class TestLibraryProofs : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyRuleIsRight_data() {
        QTest::addColumn<QByteArray>("file");
        for (const match::LibraryRules& each : match::ruleLibrary()) {
            const auto file = match::parseRules(std::string(each.text), "@" + std::string(each.name));
            QVERIFY2(file, file ? "" : file.error().text().c_str());
            for (const match::Rule& rule : file->rules) {
                if (!rule.cases.empty()) {
                    QTest::newRow(rule.name.c_str()) << QByteArray(each.text.data(), static_cast<qsizetype>(each.text.size()));
                }
            }
        }
    }
    void everyRuleIsRight() {
        QFETCH(QByteArray, file);
        const std::string name = QTest::currentDataTag();
        const auto rules = match::parseRules(file.toStdString(), "rules");
        ruleproof::RuleCheckOptions options;
        options.rules = {name};
        options.maxRank = name.starts_with("attention") ? 4 : 3;
        options.timeSeconds = Proved.contains(name) ? 200.0 : 1.0;
        const auto result = ruleproof::checkRules(*rules, options, {});
        QVERIFY2(result, result ? "" : result.error().text().c_str());
        QCOMPARE(result->rules.size(), std::size_t{1});
        const ruleproof::RuleResult& rule = result->rules.front();
        QVERIFY2(rule.verdict != Verdict::Refuted, rule.text().c_str());
        if (Proved.contains(name)) {
            QVERIFY2(rule.verdict == Verdict::Proved, rule.text().c_str());
            QVERIFY(rule.proved > 0);
        }
    }
};

QTEST_GUILESS_MAIN(TestLibraryProofs)
#include "tst_library_proofs.moc"
