// The library of rules: every rule on a graph where it must fire and on one where it must not, and on exporter-like models.
#include "core/format/load.h"
#include "core/graph/infer.h"
#include "core/match/graph_match.h"
#include "core/match/parser.h"
#include "core/match/print.h"
#include "core/match/rule_library.h"
#include "core/prove/check.h"
#include "core/rewrite/rewriter.h"
#include "core/worker/worker_pool.h"
#include "tests/core/graph/graph_text.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <map>
#include <set>

using namespace lemmascope;

namespace {

QString q(const std::string& text) { return QString::fromStdString(text); }

QString contentOf(const QString& name) {
    QFile file(name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

/// A file of the library, ready to be run.
struct Opened {
    match::RuleFile file;
    match::Programs programs;
    QStringList problems;
};

Opened openText(const std::string& text, const std::string& name) {
    Opened out;
    Result<match::RuleFile> file = match::parseRules(text, name);
    if (!file) {
        out.problems << q(file.error().text());
        return out;
    }
    const match::StaticResult checked = match::checkStatically(*file);
    for (const match::Finding& each : checked.findings) {
        out.problems << q(each.text(name));
    }
    if (Result<match::Programs> programs = match::compileRules(*file, checked)) {
        out.programs = std::move(*programs);
    } else {
        out.problems << q(programs.error().text());
    }
    out.file = std::move(*file);
    return out;
}

const Opened& opened(const std::string& name) {
    static std::map<std::string, Opened> all;
    const auto at = all.find(name);
    return at != all.end() ? at->second : all.emplace(name, openText(*match::libraryRules(name), name)).first->second;
}

/// One graph of tests/data/rules.
struct Block {
    QString rule;
    QString wanted; ///< a strength or `matches`; empty: it stays
    QString reason; ///< why
    std::int64_t opset = 17;
    QString graph;
};

std::vector<Block> blocksOf(const std::string& subject) {
    std::vector<Block> out;
    for (const QString& line : contentOf(QStringLiteral(LEMMASCOPE_TEST_DATA "/rules/") + q(subject) + ".txt").split('\n')) {
        if (!line.startsWith(QLatin1String("== "))) {
            if (!out.empty()) {
                out.back().graph += line + "\n";
            }
            continue;
        }
        Block block;
        const qsizetype colon = line.indexOf(QLatin1String(": "));
        const QStringList words = line.left(colon).mid(3).split(' ');
        block.reason = colon < 0 ? QString() : line.mid(colon + 2);
        block.rule = words.value(0);
        const bool fires = words.value(1) == "fires";
        block.wanted = fires ? words.value(2) : QString();
        const qsizetype opset = words.indexOf(QStringLiteral("opset"));
        block.opset = opset < 0 ? 17 : words.value(opset + 1).toLongLong();
        out.push_back(block);
    }
    return out;
}

QString strengthText(const CheckResult& result) {
    return q(std::string(name(result.verdict))) + (result.strength ? ": " + q(std::string(name(*result.strength))) : QString());
}

} // namespace

class TestRuleLibrary : public QObject {
    Q_OBJECT

    static WorkerPool::Options workers() {
        WorkerPool::Options out;
        out.executable = LEMMASCOPE_BIN_DIR "/lemmascope-cli";
        return out;
    }
    WorkerPool m_pool{workers()};

  private Q_SLOTS:
    void filesAreWellFormed_data() {
        QTest::addColumn<QString>("name");
        for (const match::LibraryRules& each : match::ruleLibrary()) {
            QTest::newRow(std::string(each.name).c_str()) << q(std::string(each.name));
        }
    }
    void filesAreWellFormed() {
        QFETCH(QString, name);
        const Opened& rules = opened("@" + name.toStdString());
        QCOMPARE(rules.problems, QStringList());
        QCOMPARE(q(match::formatRules(rules.file)), q(*match::libraryRules(name.toStdString())));
    }

    void namesAreToldApart() {
        std::set<std::string> patterns;
        std::set<std::string> rules;
        std::size_t replacing = 0;
        for (const match::LibraryRules& each : match::ruleLibrary()) {
            std::set<std::string> own; // several definitions of one name are alternates
            const Opened& file = opened("@" + std::string(each.name));
            for (const match::PatternDefinition& definition : file.file.definitions) {
                own.insert(definition.name);
            }
            for (const std::string& pattern : own) {
                QVERIFY2(patterns.insert(pattern).second, pattern.c_str());
            }
            for (const match::Rule& rule : file.file.rules) {
                QVERIFY2(rules.insert(rule.name).second, rule.name.c_str());
                replacing += rule.cases.empty() ? 0 : 1;
            }
            QVERIFY2(!each.summary().empty(), std::string(each.name).c_str());
        }
        const Opened& all = opened("@all");
        QCOMPARE(all.problems, QStringList());
        QCOMPARE(all.file.rules.size(), replacing);
        const auto none = match::libraryRules("@attenton");
        QVERIFY(!none && none.error().text().find("did you mean @attention?") != std::string::npos);
        QVERIFY(match::libraryRules("@nothing").error().text().find("@all, @attention") != std::string::npos);
    }

    void thePageSpeaksOfEveryRule() {
        const QString page = contentOf(QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/help/library.md"));
        for (const match::LibraryRules& each : match::ruleLibrary()) {
            QVERIFY2(page.contains("`@" + q(std::string(each.name)) + "`"), std::string(each.name).c_str());
            for (const match::Rule& rule : opened("@" + std::string(each.name)).file.rules) {
                QVERIFY2(page.contains("`" + q(rule.name) + "`"), rule.name.c_str());
            }
        }
    }

    void everyRuleFiresWhereItMust_data() {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QString>("rule");
        QTest::addColumn<QString>("wanted");
        QTest::addColumn<QString>("reason");
        QTest::addColumn<qint64>("opset");
        QTest::addColumn<QString>("graph");
        for (const match::LibraryRules& each : match::ruleLibrary()) {
            const QString name = q(std::string(each.name));
            std::map<QString, std::pair<int, int>> counts;
            for (const Block& block : blocksOf(std::string(each.name))) {
                auto& [fires, stays] = counts[block.rule];
                const int number = block.wanted.isEmpty() ? ++stays : ++fires;
                const QString title = block.rule + (block.wanted.isEmpty() ? " stays " : " fires ") + QString::number(number);
                QTest::newRow(qPrintable(title)) << name << block.rule << block.wanted << block.reason << qint64{block.opset} << block.graph;
            }
            for (const match::Rule& rule : opened("@" + std::string(each.name)).file.rules) {
                const auto& [fires, stays] = counts[q(rule.name)];
                if (fires == 0 || stays == 0) {
                    QTest::newRow(qPrintable(q(rule.name) + " lacks a graph"))
                        << name << QString() << QString() << QString() << qint64{0} << QString();
                }
            }
        }
    }
    void everyRuleFiresWhereItMust() {
        QFETCH(QString, file);
        QFETCH(QString, rule);
        QFETCH(QString, wanted);
        QFETCH(QString, reason);
        QFETCH(qint64, opset);
        QFETCH(QString, graph);
        QVERIFY2(!rule.isEmpty(), "tests/data/rules has no graph where the rule fires, or none where it stays");
        const Opened& rules = opened("@" + file.toStdString());
        const std::shared_ptr<const Graph> before = test::parseGraph(graph.toStdString(), opset);
        const auto typed = inferTypes(*before);
        QVERIFY2(typed.has_value(), typed ? "" : typed.error().text().c_str());
        match::Programs only;
        for (const auto& each : rules.programs) {
            if (each->rule == rule.toStdString()) {
                only.push_back(each);
            }
        }
        QCOMPARE(only.size(), std::size_t{1});
        const match::GraphSubject subject(*typed);
        const auto found = match::matchGraph(only, subject, {});
        QVERIFY(found.has_value());
        if (wanted.isEmpty()) {
            QStringList said;
            for (const match::GraphMatch& each : found->matches) {
                QVERIFY2(!each.rewritable(), qPrintable("it fires at " + q(subject.nodeText(each.root))));
                for (const std::string& obstacle : each.obstacles) {
                    said << q(obstacle);
                }
            }
            if (found->matches.empty() && !found->misses.empty()) {
                said << q(found->misses.front().reason);
            }
            if (found->rootsTried == 0) {
                said << QStringLiteral("no root fits");
            }
            QVERIFY2(said.join("; ").contains(reason), qPrintable("said: " + said.join("; ")));
            return;
        }
        QStringList why;
        for (const match::GraphMiss& each : found->misses) {
            why << q(each.reason);
        }
        QVERIFY2(std::any_of(found->matches.begin(), found->matches.end(), [](const auto& each) { return each.rewritable(); }),
                 qPrintable(why.join("; ")));
        if (wanted == "matches") {
            return;
        }
        rewrite::RewriteOptions options;
        options.rules = {rule.toStdString()};
        const auto after = rewrite::rewriteGraph(before, rules.file, rules.programs, options);
        QVERIFY2(after.has_value(), after ? "" : after.error().text().c_str());
        QStringList refused;
        for (const rewrite::RewriteRefusal& each : after->refusals) {
            refused << q(each.reason);
        }
        QVERIFY2(!after->applications.empty(), qPrintable(refused.join("; ")));
        QVERIFY(after->fixpoint);
        CheckServices services;
        services.solver = &m_pool;
        const Result<CheckResult> checked = check(before, after->graph, {}, services);
        QVERIFY2(checked.has_value(), checked ? "" : checked.error().text().c_str());
        QCOMPARE(strengthText(*checked), "proved: " + wanted);
    }

    void exportersModelsAreRewritten_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<QString>("wanted");
        for (const QString& line : contentOf(QStringLiteral(LEMMASCOPE_TEST_DATA "/rules/models.tsv")).split('\n').mid(1)) {
            if (!line.isEmpty()) {
                QTest::newRow(qPrintable(line.section('\t', 0, 0))) << line.section('\t', 0, 0) << line.section('\t', 1);
            }
        }
    }
    void exportersModelsAreRewritten() {
        QFETCH(QString, model);
        QFETCH(QString, wanted);
        const Opened& rules = opened("@all");
        const auto before = loadGraph((QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/ort/") + model + ".ref.onnx").toStdString());
        QVERIFY2(before.has_value(), before ? "" : before.error().text().c_str());
        const auto after = rewrite::rewriteGraph(*before, rules.file, rules.programs, {});
        QVERIFY2(after.has_value(), after ? "" : after.error().text().c_str());
        QVERIFY(after->fixpoint);
        std::map<std::string, int> counts;
        for (const rewrite::RewriteApplication& each : after->applications) {
            ++counts[each.rule];
        }
        QStringList applied;
        for (const auto& [rule, count] : counts) {
            applied << q(rule) + (count == 1 ? QString() : " x" + QString::number(count));
        }
        CheckServices services;
        services.solver = &m_pool;
        const Result<CheckResult> checked = check(*before, after->graph, {}, services);
        QVERIFY2(checked.has_value(), checked ? "" : checked.error().text().c_str());
        const QString nodes = QString::number((*before)->nodes.size()) + " to " + QString::number(after->graph->nodes.size());
        QCOMPARE(strengthText(*checked) + "\t" + nodes + "\t" + applied.join(", "), wanted);
    }
};

QTEST_GUILESS_MAIN(TestRuleLibrary)
#include "tst_rule_library.moc"
