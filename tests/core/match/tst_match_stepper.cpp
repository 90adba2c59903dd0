// Stepping through an attempt, its states in words, the pattern as a graph, rule files read whole.
#include "core/graph/infer.h"
#include "core/match/pattern_picture.h"
#include "core/match/rule_set.h"
#include "core/match/stepper.h"
#include "tests/core/graph/graph_text.h"

#include <QTest>

using namespace lemmascope;
using namespace lemmascope::match;

namespace {

constexpr std::uint64_t Unlimited = ~std::uint64_t{0};

/// A stepper over rules and a graph text.
struct Stepping {
    RuleSet rules;
    std::unique_ptr<PatternWords> words;
    std::shared_ptr<const GraphSubject> subject;
    std::unique_ptr<Stepper> stepper;

    Stepping(const std::string& text, const std::string& graph, MachineOptions options = {}) {
        auto read = readRuleSet(text, "r");
        if (!read) {
            qFatal("%s", read.error().text().c_str());
        }
        rules = std::move(*read);
        words = std::make_unique<PatternWords>(rules.file);
        const auto made = test::parseGraph(graph);
        const auto typed = inferTypes(*made);
        subject = std::make_shared<const GraphSubject>(typed ? *typed : made);
        stepper = std::make_unique<Stepper>(rules.programs, subject, options);
    }
    [[nodiscard]] TermId at(const std::string& value) const { return TermId(subject->graph().findValue(value).index); }
    StepState go(StepCommand command) {
        stepper->begin(command);
        if (!stepper->proceed(Unlimited)) {
            qFatal("not done");
        }
        return state();
    }
    [[nodiscard]] StepState state() const { return stepState(*stepper, *words); }
};

QString text(const StepState& state) { return QString::fromStdString(state.next); }

QString held(const StepState& state) {
    QString out;
    for (const StepName& each : state.names) {
        if (!each.held.empty()) {
            out += (out.isEmpty() ? "" : " ") + QString::fromStdString(each.name + "=" + each.held);
        }
    }
    return out;
}

} // namespace

class TestMatchStepper : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void goesTransitionByTransitionAndBack() {
        Stepping run("rule r: add(relu(?x), ?x)", "in x f32[4]\na = Relu(x)\nb = Add(a, x)\nout b");
        run.stepper->start(0, run.at("b"));
        QCOMPARE(text(run.state()), QStringLiteral("match add(relu(?x), ?x) at b (Add)"));
        StepState state = run.go(StepCommand::Into);
        QCOMPARE(text(state), QStringLiteral("match relu(?x) at a (Relu)"));
        QCOMPARE(state.matched, 1U);
        QCOMPARE(state.work.size(), std::size_t{1});
        state = run.go(StepCommand::Into);
        state = run.go(StepCommand::Into);
        QCOMPARE(held(state), QStringLiteral("?x=x"));
        QCOMPARE(run.subject->termText(state.names[0].madeAt), std::string("x"));
        QCOMPARE(state.position, std::uint64_t{3});
        const StepState before = run.go(StepCommand::Back);
        QCOMPARE(before.position, std::uint64_t{2});
        QCOMPARE(held(before), QString());
        QCOMPARE(text(before), QStringLiteral("match ?x at graph input x"));
        // Back and forth come to the same.
        QCOMPARE(text(run.go(StepCommand::Into)), text(state));
        state = run.go(StepCommand::End);
        QVERIFY(state.outcome == Outcome::Match);
        QCOMPARE(state.operators.size(), std::size_t{2});
        QVERIFY(run.go(StepCommand::End).outcome == Outcome::NoMatch); // no other match
        QCOMPARE(run.go(StepCommand::Start).position, std::uint64_t{0});
    }

    void overAndOutSkipWhatIsInside() {
        Stepping run("rule r: add(mul(?a, neg(?b)), relu(?c))", "in x f32[4]\nn = Neg(x)\nm = Mul(x, n)\nq = Relu(x)\nb = Add(m, q)\nout b");
        run.stepper->start(0, run.at("b"));
        run.go(StepCommand::Into);
        QCOMPARE(text(run.go(StepCommand::Over)), QStringLiteral("match relu(?c) at q (Relu)"));
        run.go(StepCommand::Start);
        run.go(StepCommand::Into);
        QCOMPARE(text(run.go(StepCommand::Into)), QStringLiteral("match ?a at graph input x"));
        QCOMPARE(text(run.go(StepCommand::Out)), QStringLiteral("match relu(?c) at q (Relu)"));
    }

    void stopsBeforeABranchFailsAndSaysWhy() {
        Stepping run("rule r: add(relu(?x) | neg(?x), tanh(?y) | mul(?y, ?y))", "in x f32[4]\nn = Neg(x)\nm = Mul(x, x)\nb = Add(n, m)\nout b");
        run.stepper->start(0, run.at("b"));
        StepState state = run.go(StepCommand::NextFailure);
        QVERIFY(state.failureAhead);
        QVERIFY2(QString::fromStdString(state.failure).contains(QStringLiteral("n (Neg), the pattern wants relu")), state.failure.c_str());
        QCOMPARE(text(state), QStringLiteral("match relu(?x) at n (Neg)"));
        QCOMPARE(state.choiceCount, std::size_t{1});
        QCOMPARE(QString::fromStdString(state.choices[0].text), QStringLiteral("alternate 2 of 2 for n (Neg): neg(?x)"));
        const std::uint64_t first = state.position;
        state = run.go(StepCommand::NextFailure);
        QVERIFY(state.position > first);
        QVERIFY(QString::fromStdString(state.failure).contains(QStringLiteral("wants tanh")));
        state = run.go(StepCommand::Into);
        QVERIFY(!state.failureAhead && !state.failure.empty()); // it has just failed
        QVERIFY(run.go(StepCommand::NextFailure).outcome == Outcome::Match);
    }

    void goesToTheBranchThatCameFurthest() {
        Stepping run("rule r: add(relu(neg(?x)), ?x) | add(relu(tanh(abs(?x))), ?y) | add(neg(?x), ?y)",
                     "in x f32[4]\nk = Exp(x)\nt = Tanh(k)\nr = Relu(t)\nb = Add(r, x)\nout b");
        run.stepper->start(0, run.at("b"));
        const StepState state = run.go(StepCommand::FurthestFailure);
        QVERIFY(state.failureAhead);
        QCOMPARE(text(state), QStringLiteral("match abs(?x) at k (Exp)"));
        QCOMPARE(state.matched, 3U);
        QVERIFY(QString::fromStdString(state.failure).contains(QStringLiteral("wants abs")));
    }

    void breakpointsStopAtNodesAndRules() {
        Stepping run("rule first: add(?x, ?y)\nrule second: mul(?x, relu(?y))",
                     "in x f32[4]\nq = Relu(x)\nm = Mul(x, q)\nb = Add(m, q)\nc = Add(b, x)\nout c");
        run.stepper->start(0, run.at("c"));
        Breakpoints wanted;
        wanted.nodes = {run.subject->nodeOf(run.at("q"))};
        run.stepper->setBreakpoints(wanted);
        StepState state = run.go(StepCommand::Breakpoint);
        QCOMPARE(state.rule, std::size_t{0});
        QCOMPARE(run.subject->termText(state.root), std::string("b"));
        QCOMPARE(text(state), QStringLiteral("match ?y at q (Relu)"));
        state = run.go(StepCommand::Breakpoint);
        QCOMPARE(state.rule, std::size_t{1});
        QCOMPARE(text(state), QStringLiteral("match relu(?y) at q (Relu)"));
        (void)run.go(StepCommand::Breakpoint);
        QVERIFY(run.stepper->ranOut());
        run.stepper->start(0, run.at("c"));
        wanted = {};
        wanted.rules = {1};
        run.stepper->setBreakpoints(wanted);
        state = run.go(StepCommand::Breakpoint);
        QCOMPARE(state.rule, std::size_t{1});
        QCOMPARE(state.position, std::uint64_t{0});
    }

    void longRunsAreCarriedOutInParts() {
        std::string graph = "in x f32[4]\nv0 = Relu(x)\n";
        for (int i = 1; i < 3'000; ++i) {
            graph += "v" + std::to_string(i) + " = Relu(v" + std::to_string(i - 1) + ")\n";
        }
        Stepping run("pattern chain(?x) = relu(chain(?x)) | relu(?x)\nrule r: chain(?x) where rank(?x) = 7", graph + "out v2999");
        run.stepper->start(0, run.at("v2999"));
        run.stepper->begin(StepCommand::End);
        QVERIFY(!run.stepper->proceed(100));
        QCOMPARE(run.stepper->position(), std::uint64_t{100});
        std::stop_source stop;
        stop.request_stop();
        QVERIFY(!run.stepper->proceed(Unlimited, stop.get_token()));
        QVERIFY(run.stepper->proceed(Unlimited));
        QVERIFY(run.state().outcome == Outcome::NoMatch);
        const std::uint64_t end = run.stepper->position();
        QVERIFY(end > 5'000);
        QCOMPARE(run.go(StepCommand::Back).position, end - 1);
        QVERIFY(run.state().work.size() <= 50);
    }

    void thePatternIsDrawnAsAGraph() {
        Stepping run("pattern scaled(?q, ?t, ?s) = div(matmul(?q, ?t), ?s) | mul(matmul(?q, ?t), ?s)\n"
                     "rule r: ex ?s. ex ?t. (matmul(softmax{axis=-1}(scaled(?q, ?t, ?s)), ?v) with ?t ~ transpose(?k)) where rank(?q) = 4",
                     "in x f32[4]\na = Relu(x)\nout a");
        const PatternPicture picture = patternPicture(*run.rules.programs[0], *run.words);
        QStringList ops;
        for (const Node& node : picture.graph->nodes) {
            ops << QString::fromStdString(node.op.name);
        }
        QCOMPARE(ops.join(u' '), QStringLiteral("transpose matmul div matmul mul one of softmax matmul where"));
        // What ?t must be stands where ?t is read.
        QVERIFY(picture.graph->nodes[1].operands[1] == picture.graph->nodes[0].results[0]);
        QStringList inputs;
        for (const ValueId input : picture.graph->inputs) {
            inputs << QString::fromStdString(picture.graph->value(input).name);
        }
        inputs.sort();
        QCOMPARE(inputs.join(u' '), QStringLiteral("?k ?q ?s ?v"));
        QCOMPARE(picture.instructions.size(), picture.graph->nodes.size());
        QVERIFY(!picture.cut);
    }

    void aRecursionIsDrawnOnce() {
        Stepping run("pattern chain(?x) = relu(chain(?x)) | relu(?x)\nrule r: chain(?x)", "in x f32[4]\na = Relu(x)\nout a");
        const PatternPicture picture = patternPicture(*run.rules.programs[0], *run.words);
        QCOMPARE(picture.graph->nodes.size(), std::size_t{4});
        QCOMPARE(QString::fromStdString(picture.graph->nodes[0].op.name), QStringLiteral("chain again"));
    }

    void largePatternsAreCut() {
        std::string pattern = "?x";
        std::string text;
        for (int level = 0; level < 12; ++level) { // doubled each time
            const std::string name = "p" + std::to_string(level);
            text += "pattern " + name + "(?x) = add(" +
                    (level == 0 ? "relu(?x), neg(?x)" : "p" + std::to_string(level - 1) + "(?x), p" + std::to_string(level - 1) + "(?x)") + ")\n";
        }
        Stepping run(text + "rule r: p11(?x)", "in x f32[4]\na = Relu(x)\nout a");
        const PatternPicture picture = patternPicture(*run.rules.programs[0], *run.words);
        QVERIFY(picture.graph->nodes.size() <= PatternPicture::MostNodes + 50);
    }

    void ruleFilesAreReadWithTheirFindings() {
        const auto good = readRuleSet("rule r: relu(?x)\n", "r.rules");
        QVERIFY(good && good->passes());
        QVERIFY(good->find("r") == std::size_t{0});
        QVERIFY(!good->find("q"));
        const auto bad = readRuleSet("rule r: relu(?x)\n  where rank(?y) = 2\n", "r.rules");
        QVERIFY(bad && !bad->passes());
        QVERIFY(bad->programs.empty());
        QCOMPARE(bad->findings.front().spot.line, 2U);
        const auto broken = readRuleSet("rule r: relu(?x\n", "C:/a b/r.rules");
        QVERIFY(!broken);
        const auto spot = spotOf(broken.error());
        QVERIFY(spot.has_value());
        QVERIFY2(spot->line >= 1, broken.error().text().c_str());
        QVERIFY(!spotOf(Error{ErrorCode::NotFound, "gone", "a:b"}));
    }
};

QTEST_APPLESS_MAIN(TestMatchStepper)
#include "tst_match_stepper.moc"
