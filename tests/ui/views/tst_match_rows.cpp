// What the rules and matcher docks say, as rows; the rows as a model.
#include "core/graph/infer.h"
#include "tests/core/graph/graph_text.h"
#include "ui/models/outline_model.h"
#include "ui/views/match_rows.h"

#include <QAbstractItemModelTester>
#include <QRegularExpression>
#include <QTest>

using namespace lemmascope;

namespace {

const char* const Graph = "in x f32[4]\nn = Neg(x)\nr = Relu(n)\ns = Relu(x)\na = Add(r, s)\nm = Mul(r, a)\nout m";

struct Made {
    match::RuleSet rules;
    std::shared_ptr<const match::GraphSubject> subject;
    match::GraphMatchResult result;

    explicit Made(const std::string& text, match::GraphMatchOptions options = {}, const std::string& at = {}) {
        auto read = match::readRuleSet(text, "r.rules");
        if (!read) {
            qFatal("%s", read.error().text().c_str());
        }
        rules = std::move(*read);
        subject = std::make_shared<const match::GraphSubject>(*inferTypes(*test::parseGraph(Graph)));
        if (!at.empty()) {
            options.at = match::TermId(subject->graph().findValue(at).index);
        }
        result = *match::matchGraph(rules.programs, *subject, options);
    }
    [[nodiscard]] OutlineRows rows(const std::set<std::string>& breaks = {}) const { return ruleRows(rules, &result, subject.get(), breaks); }
};

QString text(const OutlineRows& rows) { return outlineText(rows).trimmed(); }

} // namespace

class TestMatchRows : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void aRuleHasItsCountsAndBelowItWhatItFound() {
        const Made made("rule sum: add(relu(?x), relu(?y)) => relu(?x)\nrule product: mul(relu(relu(?x)), ?y)\nrule none: tanh(?x)");
        QCOMPARE(text(made.rows()),
                 QStringLiteral("sum  1  1  0  none may be rewritten\n"
                                "  ⊘ a (Add)  nodes: 3; may not be rewritten: the interior value r is used outside the match, by m\n"
                                "    ?x = n\n"
                                "    ?y = x\n"
                                "product  0  0  0  nearest: m (Mul), 2 of 3: the first operand of r (Relu) is n (Neg), the pattern wants relu\n"
                                "  ✗ m (Mul)  2 of 3: the first operand of r (Relu) is n (Neg), the pattern wants relu\n"
                                "none  0  0  0  no node has its first operator"));
        QCOMPARE(resultText(made.result), QStringLiteral("matches: 1, may be rewritten: 0"));
        const OutlineRows rows = made.rows({"product"});
        QVERIFY(rows[0].checked == false);
        QCOMPARE(rows[4].cells[0], QStringLiteral("● product"));
        QVERIFY(rows[4].checked == true);
        QVERIFY(rows[1].term == made.result.matches[0].root);
    }

    void beforeAnythingIsMatchedThereAreTheRules() {
        const Made made("rule sum: add(?x, ?y)");
        QCOMPARE(text(ruleRows(made.rules, nullptr, nullptr, {})), QStringLiteral("sum"));
    }

    void whatIsWrongStandsFirst() {
        const auto read = match::readRuleSet("rule r: relu(?x) where rank(?y) = 1", "r.rules");
        const OutlineRows rows = ruleRows(*read, nullptr, nullptr, {});
        QCOMPARE(rows.size(), std::size_t{1});
        QCOMPARE(rows[0].kind, OutlineRow::Kind::Finding);
        QVERIFY2(rows[0].cells[0].startsWith(QStringLiteral("✗ 1:")), qPrintable(rows[0].cells[0]));
        const auto broken = match::readRuleSet("rule r: relu(", "r.rules");
        const OutlineRows trouble = troubleRows(broken.error());
        QCOMPARE(trouble[0].cells[0], QStringLiteral("✗ 1:14"));
        QCOMPARE(troubleRows(Error{ErrorCode::NotFound, "gone", "r.rules"})[0].cells[0], QStringLiteral("✗ cannot be read"));
    }

    void whyNotRanksTheRulesAndCountsThoseThatBeginOtherwise() {
        match::GraphMatchOptions options;
        options.explain = true;
        const Made made("rule far: add(neg(?x), ?y)\nrule near: add(relu(tanh(?x) | abs(?x)), ?y)\nrule other: mul(?x, ?y)\nrule third: tanh(?x)\n"
                        "rule yes: add(?x, ?y)",
                        options, "a");
        const match::TermId root(made.subject->graph().findValue("a").index);
        const QString told = text(whyNotRows(made.rules, made.result, *made.subject, root));
        const QStringList lines = told.split(u'\n');
        QVERIFY2(lines[0].startsWith(QStringLiteral("✓ yes  1 of 1  it matches here")), qPrintable(told));
        const auto near = lines.indexOf(QStringLiteral("✗ near  2 of 3  the first operand of r (Relu) is n (Neg), the pattern wants tanh [2:21]"));
        QVERIFY2(near > 0, qPrintable(told));
        QVERIFY(lines[near + 1].startsWith(QStringLiteral("  alternate 1 of 2")));
        const auto far = lines.indexOf(QRegularExpression(QStringLiteral("^✗ far  1 of 2 .*")));
        QVERIFY2(far > near, qPrintable(told));
        QVERIFY(told.contains(QStringLiteral("begin with another operator: 2\n  ✗ other  0 of 1")));
    }

    void aStateTellsNamesWorkAndChoices() {
        const Made made("rule r: ex ?z. mul(relu(?z) | ?z, add(?x, ?y)) where rank(?x) = 1");
        const match::PatternWords words(made.rules.file);
        match::Stepper stepper(made.rules.programs, made.subject);
        stepper.start(0, match::TermId(made.subject->graph().findValue("m").index));
        for (int i = 0; i < 5; ++i) {
            stepper.begin(match::StepCommand::Into);
            QVERIFY(stepper.proceed(10));
        }
        const match::StepState state = stepState(stepper, words);
        const QString told = text(stateRows(state, *made.subject));
        QVERIFY2(told.contains(QStringLiteral("Next  match ?z at n (Neg)")), qPrintable(told));
        QVERIFY2(told.contains(QStringLiteral("?x  not bound yet")), qPrintable(told));
        QVERIFY2(told.contains(QStringLiteral("?z  not bound yet (local, of r)")), qPrintable(told));
        QVERIFY2(told.contains(QStringLiteral("Choice points  1\n  1  alternate 2 of 2 for r (Relu): ?z")), qPrintable(told));
        QVERIFY2(told.contains(QStringLiteral("guard rank(?x) = 1")), qPrintable(told));
        QVERIFY(stateTitle(state, made.rules, *made.subject).startsWith(QStringLiteral("r at m (Mul): step 5, operators matched: 2")));
    }

    void wordsKeepRowsWithThoseAroundAndBelow() {
        const Made made("rule sum: add(relu(?x), relu(?y))\nrule product: mul(relu(relu(?x)), ?y)");
        const OutlineRows rows = made.rows();
        QCOMPARE(filtered(rows, {}).size(), rows.size());
        const QString sum = text(filtered(rows, QStringLiteral("?Y =")));
        QCOMPARE(sum.count(u'\n'), 2); // the name, its match, the rule
        QVERIFY(sum.startsWith(QStringLiteral("sum")));
        QVERIFY(text(filtered(rows, QStringLiteral("product"))).contains(QStringLiteral("✗ m (Mul)")));
        QVERIFY(filtered(rows, QStringLiteral("product nonsense")).empty());
    }

    void theModelIsATree() {
        const Made made("rule sum: add(relu(?x), relu(?y))\nrule product: mul(relu(relu(?x)), ?y)");
        OutlineModel model;
        const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setHeaders(ruleHeaders(), ruleHeaderTips());
        model.setRows(made.rows());
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(model.columnCount(), RuleColumns);
        const QModelIndex sum = model.index(0, 0);
        QCOMPARE(model.rowCount(sum), 1);
        QCOMPARE(model.rowCount(model.index(0, 0, sum)), 2);
        QCOMPARE(model.parent(model.index(0, 0, sum)), sum);
        int toggled = -1;
        QObject::connect(&model, &OutlineModel::checkToggled, &model,
                         [&toggled](std::size_t row, bool on) { toggled = on ? static_cast<int>(row) : -2; });
        QVERIFY(model.setData(sum, Qt::Checked, Qt::CheckStateRole));
        QCOMPARE(toggled, 0);
        QVERIFY(!model.setData(model.index(0, 0, sum), Qt::Checked, Qt::CheckStateRole));
        model.setRows({});
        QCOMPARE(model.rowCount(), 0);
    }
};

QTEST_MAIN(TestMatchRows)
#include "tst_match_rows.moc"
