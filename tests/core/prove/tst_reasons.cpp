// No node is silent: whatever has no partner, and whatever is not shared, says why in words that say something.

#include "core/format/json/json_reader.h"
#include "core/graph/infer.h"
#include "core/prove/check.h"
#include "core/prove/correspondence.h"

#include "tests/core/graph/graph_text.h"
#include "tests/core/prove/random_graph.h"

#include <QtTest/QTest>

#include <QDir>
#include <QFile>

using namespace lemmascope;
using namespace lemmascope::prove_test;
using lemmascope::test::parseGraph;

namespace {

using GraphPtr = std::shared_ptr<const Graph>;

/// The first node that does not say enough; empty if all do.
QString silent(const GraphTree& tree, const GraphTree& other, const std::vector<NodeRelation>& relations, const Correspondence& marks, Side side) {
    for (std::size_t n = 0; n < relations.size(); ++n) {
        const NodeRelation& relation = relations[n];
        const QString reason = QString::fromStdString(relation.reason);
        const QString node = QString::fromStdString(tree.path(FlatNodeId(n)));
        const bool needed = relation.mark != NodeMark::Shared || !relation.partner.isValid();
        if (needed && reason.size() < 12) {
            return node + QStringLiteral(" says only '") + reason + u'\'';
        }
        if (reason.startsWith(QStringLiteral("no partner")) || reason == QStringLiteral("the same op, on operands that are not the same terms") ||
            reason.contains(QStringLiteral("a tensor, rewritten a tensor"))) {
            return node + QStringLiteral(" says nothing: ") + reason;
        }
        if (relation.partner.isValid() && relation.partner.index >= other.nodeCount()) {
            return node + QStringLiteral(" has a partner that is not there");
        }
        const FlatNodeId taken = takenUpBy(tree, marks, side, FlatNodeId(n));
        if (reason.startsWith(QStringLiteral("fused into")) && !taken.isValid()) {
            return node + QStringLiteral(" was fused into something unknown");
        }
        if (taken.isValid() && taken.index >= other.nodeCount()) {
            return node + QStringLiteral(" goes into a node that is not there");
        }
    }
    return {};
}

QString silent(const CheckResult& result) {
    const QString left = silent(*result.reference, *result.rewritten, result.correspondence.reference, result.correspondence, Side::Reference);
    return left.isEmpty() ? silent(*result.rewritten, *result.reference, result.correspondence.rewritten, result.correspondence, Side::Rewritten)
                          : left;
}

CheckOptions quick() {
    CheckOptions options;
    options.timeSeconds = 5;
    options.findCondition = false;
    return options;
}

std::string reasonOf(const CheckResult& result, Side side, const std::string& name) {
    const GraphTree& tree = side == Side::Reference ? *result.reference : *result.rewritten;
    const auto& relations = side == Side::Reference ? result.correspondence.reference : result.correspondence.rewritten;
    for (std::size_t n = 0; n < tree.nodeCount(); ++n) {
        if (tree.path(FlatNodeId(n)) == name) {
            return relations[n].reason;
        }
    }
    return "there is no such node";
}

Result<CheckResult> checked(const std::string& reference, const std::string& rewritten) {
    const auto a = inferTypes(*parseGraph(reference));
    const auto b = inferTypes(*parseGraph(rewritten));
    if (!a || !b) {
        return fail(ErrorCode::BadData, "the test's graphs have no types");
    }
    return check(*a, *b, quick(), {});
}

} // namespace

class TestReasons : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void casesSayWhyOfEveryNode_data() {
        QTest::addColumn<QString>("reference");
        QTest::addColumn<QString>("rewritten");
        const QDir folder(QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/json"));
        for (const QString& file : folder.entryList({QStringLiteral("*.ref.lsg.json")})) {
            const QString name = file.section(u'.', 0, 0);
            QTest::newRow(qPrintable(name)) << folder.filePath(file) << folder.filePath(name + QStringLiteral(".rew.lsg.json"));
        }
    }
    void casesSayWhyOfEveryNode() {
        QFETCH(QString, reference);
        QFETCH(QString, rewritten);
        const auto read = [](const QString& path) {
            QFile file(path);
            return file.open(QIODevice::ReadOnly) ? readJsonGraph(file.readAll().toStdString(), path.toStdString())
                                                  : Result<GraphPtr>(fail(ErrorCode::NotFound, "not there"));
        };
        const auto a = read(reference);
        const auto b = read(rewritten);
        QVERIFY(a && b);
        const auto result = check(*a, *b, quick(), {});
        if (!result) {
            // A pair that cannot be checked has no nodes to ask about, but says which of its own is at fault.
            QVERIFY2(!result.error().where.empty() && !result.error().message.empty(), result.error().text().c_str());
            return;
        }
        const QString quiet = silent(*result);
        QVERIFY2(quiet.isEmpty(), qPrintable(quiet));
    }

    void randomPairsSayWhyOfEveryNode() {
        Random random(20'261'130);
        int looked = 0;
        int alone = 0;
        for (int round = 0; round < 150; ++round) {
            const Sketch sketch = randomSketch(random);
            const auto a = inferTypes(*parseGraph(sketch.text()));
            const auto b = inferTypes(*parseGraph(mutated(random, sketch).text(round % 3 == 0 ? "r_" : "")));
            if (!a || !b) {
                continue;
            }
            const auto result = check(*a, *b, quick(), {});
            if (!result) {
                continue;
            }
            ++looked;
            for (const NodeRelation& relation : result->correspondence.rewritten) {
                alone += relation.partner.isValid() ? 0 : 1;
            }
            const QString quiet = silent(*result);
            QVERIFY2(quiet.isEmpty(), qPrintable(QStringLiteral("round %1: %2").arg(round).arg(quiet)));
        }
        QVERIFY2(looked > 50, qPrintable(QString::number(looked)));
        QVERIFY2(alone > 10, qPrintable(QString::number(alone)));
    }

    void reasonsNameWhatTheySpeakOf() {
        const char* const reference = "in x f32[2,3]; in w f32[3,3]; a = MatMul(x, w); b = Relu(a); c = Softmax(b) axis=1; out c";
        const auto fused = checked(reference, "in x f32[2,3]; in w f32[3,3]; b = my::MatMulRelu(x, w); c = Softmax(b) axis=1; out c");
        QVERIFY(fused);
        QCOMPARE(QString::fromStdString(reasonOf(*fused, Side::Reference, "a")),
                 QStringLiteral("fused into 'b' (my.MatMulRelu), which stands for 'b'"));
        QVERIFY(reasonOf(*fused, Side::Reference, "c").find("operand 1, 'b', is not the same term as 'b' there") != std::string::npos);
        const auto plain = checked(reference, "in x f32[2,3]; in w f32[3,3]; r = Relu(x); a = MatMul(r, w); c = Softmax(a) axis=1; out c");
        QVERIFY(plain);
        const QString alone = QString::fromStdString(reasonOf(*plain, Side::Rewritten, "r"));
        QVERIFY2(alone.contains(QStringLiteral("it goes into 'a', there 'a' (MatMul)")), qPrintable(alone));
        const auto same = checked("in x f32[2]; i = Identity(x); y = Relu(i); out y", "in x f32[2]; y = Relu(x); out y");
        QVERIFY(same);
        QCOMPARE(QString::fromStdString(reasonOf(*same, Side::Reference, "i")),
                 QStringLiteral("computes what is the input 'x' in the rewritten graph"));
    }

    void attributesThatAreWrittenAlikeAreToldApart() {
        Node a;
        a.op = {"", "Op", 17};
        Node b = a;
        const auto told = [&](Attribute left, Attribute right) {
            a.attributes["k"] = std::move(left);
            b.attributes["k"] = std::move(right);
            return QString::fromStdString(nodeDifference(a, b).text);
        };
        QCOMPARE(told(std::vector<float>{1.0F, 2.5F}, std::vector<float>{1.0F, 3.5F}),
                 QStringLiteral("attribute 'k' is [1.0,2.5], rewritten [1.0,3.5]"));
        QCOMPARE(told(1e-7F, 2e-7F), QStringLiteral("attribute 'k' is 1e-07, rewritten 2e-07"));
        std::vector<std::int64_t> left(20, 1);
        std::vector<std::int64_t> right = left;
        right[12] = 7;
        QVERIFY(told(left, right).endsWith(QStringLiteral("differs at element 12: 1, rewritten 7")));
        QVERIFY(told(Tensor::of<float>(ElementType::F32, {2}, {1, 2}), Tensor::of<float>(ElementType::F32, {2}, {1, 3}))
                    .contains(QStringLiteral("a tensor f32[2], differs in its elements")));
        QVERIFY(told(std::vector<std::string>{"a"}, std::vector<std::string>{"b"}).contains(QStringLiteral("[\"a\"], rewritten [\"b\"]")));
    }
};

QTEST_APPLESS_MAIN(TestReasons)
#include "tst_reasons.moc"
