// Rules on graphs: matches, bindings, what stands against rewriting, explanations.
#include "core/format/load.h"
#include "core/graph/infer.h"
#include "core/match/graph_levels.h"
#include "core/match/parser.h"
#include "tests/core/graph/graph_text.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <map>

using namespace lemmascope;
using namespace lemmascope::match;

namespace {

/// A rule text on a graph text, everything kept alive.
struct Ran {
    Programs programs;
    std::shared_ptr<const GraphSubject> subject;
    GraphMatchResult result;

    [[nodiscard]] QString matches() const {
        QString out;
        for (const GraphMatch& each : result.matches) {
            out += (out.isEmpty() ? "" : "; ") + QString::fromStdString(programs[each.rule]->rule + "@" + subject->termText(each.root));
            for (const Binding& binding : each.bindings) {
                out += QString::fromStdString(" " + binding.name.text + "=" + bindingText(*subject, binding));
            }
            for (const std::string& obstacle : each.obstacles) {
                out += " !" + QString::fromStdString(obstacle);
            }
        }
        return out;
    }
    [[nodiscard]] QString nearest() const { return result.misses.empty() ? QString() : QString::fromStdString(result.misses.front().reason); }
};

} // namespace

class TestMatchGraph : public QObject {
    Q_OBJECT

    static Ran runOn(const std::string& rules, const std::shared_ptr<const Graph>& graph, GraphMatchOptions options = {},
                     const std::string& at = {}) {
        const Result<RuleFile> file = parseRules(rules, "r");
        if (!file) {
            qWarning("%s", file.error().text().c_str());
        }
        const StaticResult checked = checkStatically(*file);
        Ran out;
        out.programs = *compileRules(*file, checked);
        const auto typed = inferTypes(*graph);
        if (!typed) {
            qWarning("%s", typed.error().text().c_str());
        }
        out.subject = std::make_shared<const GraphSubject>(typed ? *typed : graph);
        if (!at.empty()) {
            options.at = TermId(out.subject->graph().findValue(at).index);
        }
        out.result = *matchGraph(out.programs, *out.subject, options);
        return out;
    }

    static Result<MatchedLevels> inLevels(const std::string& rules, const std::string& graph, const std::string& at = {}) {
        const Result<RuleFile> file = parseRules(rules, "r");
        return matchLevels(*compileRules(*file, checkStatically(*file)), *inferTypes(*test::parseGraph(graph)), at, {});
    }

    static QString matchesIn(const MatchedLevels& matched) {
        QStringList out;
        for (const LevelMatches& level : matched.levels) {
            for (const GraphMatch& each : level.result.matches) {
                out << QString::fromStdString(level.level.placed(level.subject->termText(each.root)));
            }
        }
        return out.join(" ");
    }

    static Ran runText(const std::string& rules, const std::string& graph, GraphMatchOptions options = {}, const std::string& at = {}) {
        return runOn(rules, test::parseGraph(graph), options, at);
    }

    static QString contentOf(const QString& name) {
        QFile file(QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/bugs/") + name);
        return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
    }

    static Ran bug(const QString& name, const QString& replaced = {}, const QString& by = {}, const std::string& at = {}) {
        const auto graph = loadGraph((QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/bugs/") + name + ".target.onnx").toStdString());
        QString rules = contentOf(name + ".rules");
        return runOn((replaced.isEmpty() ? rules : rules.replace(replaced, by)).toStdString(), *graph, {}, at);
    }

  private Q_SLOTS:
    void publicBugPatternsMatchAsTheyShould_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("matches");
        QTest::newRow("B08") << "B08"
                             << "gelu@g5 X=x a=g3 e=g2 d=g1";
        QTest::newRow("B19") << "B19"
                             << "attention@g5 Q=q K=k V=v h=g4 p=g3 c=g2 s=g1";
        QTest::newRow("B35") << "B35"
                             << "attention@g4 Q=q K=k V=v M=m p=g3 z=g2 s=g1";
        QTest::newRow("B37") << "B37"
                             << "quick_gelu@g3 X=x u=g2 t=g1 !the interior value g1 is a graph output";
        QTest::newRow("B38") << "B38"
                             << "norm@g7 X=x d=g2 m=g1 v=g4";
        QTest::newRow("B40") << "B40"
                             << "";
    }
    void publicBugPatternsMatchAsTheyShould() {
        QFETCH(QString, name);
        QFETCH(QString, matches);
        QCOMPARE(bug(name).matches(), matches);
    }

    void publicBugPatternsSayWhyNot() {
        QCOMPARE(bug("B40").nearest(), QString("g1 (Transpose): attribute perm is [0,2,3,1], the pattern wants [0,1,3,2]"));
        QCOMPARE(bug("B35", "comm ", "").nearest(), QString("the first operand of g2 (Add) is graph input m, the pattern wants matmul"));
        QCOMPARE(bug("B08", "ac ", "", "g5").nearest(), QString("g5 (Mul) has 2 operands, the pattern wants 3"));
    }

    void sharedAndEqualNodes_data() {
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("graph");
        QTest::addColumn<bool>("structural");
        QTest::addColumn<bool>("identity");
        const QString in = "in a f32[2]; in w f32[2]; ";
        QTest::newRow("one node twice") << "add(?x, ?x)" << in + "r = Relu(a); y = Add(r, r); out y" << true << true;
        QTest::newRow("two equal nodes") << "add(?x, ?x)" << in + "r = Relu(a); s = Relu(a); y = Add(r, s); out y" << true << false;
        QTest::newRow("two dropouts") << "add(?x, ?x)" << in + "r = Dropout(a); s = Dropout(a); y = Add(r, s); out y" << false << false;
        QTest::newRow("two random nodes") << "add(?x, ?x)" << in + "r = RandomNormalLike(a); s = RandomNormalLike(a); y = Add(r, s); out y" << false
                                          << false;
        QTest::newRow("two inputs") << "add(?x, ?x)" << in + "y = Add(a, w); out y" << false << false;
        QTest::newRow("other attribute") << "add(?x, ?x)" << in + "r = LeakyRelu(a) alpha=0.5; s = LeakyRelu(a); y = Add(r, s); out y" << false
                                         << false;
        QTest::newRow("default written") << "add(?x, ?x)" << in + "r = LeakyRelu(a) alpha=0.01; s = LeakyRelu(a); y = Add(r, s); out y" << true
                                         << false;
        QTest::newRow("diamond") << "add(%F(mul(?i, ?w)), %G(mul(?i, ?w)))" << in + "c = Mul(a, w); r = Relu(c); t = Tanh(c); y = Add(r, t); out y"
                                 << true << true;
        QTest::newRow("two products") << "add(%F(mul(?i, ?w)), %G(mul(?i, ?w)))"
                                      << in + "c = Mul(a, w); d = Mul(a, w); r = Relu(c); t = Tanh(d); y = Add(r, t); out y" << true << true;
        QTest::newRow("named product") << "ex ?c. (add(%F(?c), %G(?c)) with ?c ~ mul(?i, ?w))"
                                       << in + "c = Mul(a, w); r = Relu(c); t = Tanh(c); y = Add(r, t); out y" << true << true;
        QTest::newRow("named product, two") << "ex ?c. (add(%F(?c), %G(?c)) with ?c ~ mul(?i, ?w))"
                                            << in + "c = Mul(a, w); d = Mul(a, w); r = Relu(c); t = Tanh(d); y = Add(r, t); out y" << true << false;
    }
    void sharedAndEqualNodes() {
        QFETCH(QString, pattern);
        QFETCH(QString, graph);
        QFETCH(bool, structural);
        QFETCH(bool, identity);
        const std::string rule = "rule r: " + pattern.toStdString();
        QCOMPARE(runText(rule, graph.toStdString(), {}, "y").result.matches.size(), std::size_t{structural});
        GraphMatchOptions options;
        options.machine.identity = true;
        const Ran strict = runText(rule, graph.toStdString(), options, "y");
        QCOMPARE(strict.result.matches.size(), std::size_t{identity});
        if (structural && !identity) {
            QVERIFY2(strict.nearest().contains("computes the same"), qPrintable(strict.nearest()));
        }
    }

    void operatorsAreNamedAsTheirDomainDoes() {
        const std::string graph = "in x f32[2]; a = Relu(x); b = my.ops::Relu(a); c = LeakyRelu(b); out c";
        QCOMPARE(runText("rule r: relu(?x)", graph).matches(), QString("r@a x=x"));
        QCOMPARE(runText("rule r: RELU(?x)", graph).matches(), QString("r@a x=x"));
        QCOMPARE(runText("rule r: \"my.ops\":Relu(?x)", graph).matches(), QString("r@b x=a"));
        QCOMPARE(runText("rule r: \"my.ops\":relu(?x)", graph).matches(), QString());
        QCOMPARE(runText("rule r: relu(x)", graph).matches(), QString("r@a"));
        const std::string old = "in x f32[2,3]; a = Softmax@11(x); b = Softmax@13(a); out b";
        QCOMPARE(runText("rule r: softmax:17(?x)", old).matches(), QString("r@b x=a"));
        QCOMPARE(runText("rule r: softmax:11(?x)", old).matches(), QString("r@a x=x"));
    }

    void commonSlipsGetAHint() {
        const std::string graph = "in x f32[2]; a = my.ops::Gelu(x); b = Relu(a); out b";
        QCOMPARE(runText("rule r: relu(gelu(?x))", graph).nearest(),
                 QString("the first operand of b (Relu) is a (my.ops.Gelu), the pattern wants gelu: of another domain, write \"my.ops\":Gelu"));
        QCOMPARE(runText("rule r: relu(y)", graph).nearest(),
                 QString("the first operand of b (Relu) is a (my.ops.Gelu), the pattern wants y, a leaf of that name; any value is ?y"));
    }

    void attributesBindCompareAndHaveDefaults() {
        const std::string graph = "in x f32[2,3,4]; a = Softmax(x); b = Softmax(a) axis=1; c = Transpose(b) perm=[0,2,1]; out c";
        QCOMPARE(runText("rule r: softmax{axis=-1}(?x)", graph).matches(), QString("r@a x=x"));
        QCOMPARE(runText("rule r: softmax{axis=2}(?x)", graph).matches(), QString("r@a x=x"));
        QCOMPARE(runText("rule r: softmax{axis=-2}(?x)", graph).matches(), QString("r@b x=a"));
        QCOMPARE(runText("rule r: softmax{axis=?a}(softmax{axis=?b}(?x)) where ?a < 2 & ?b = -1", graph).matches(), QString("r@b a=1 b=-1 x=x"));
        QCOMPARE(runText("rule r: softmax{axis=?a}(softmax{axis=?a}(?x))", graph, {}, "b").nearest(),
                 QString("a (Softmax): attribute axis is -1, ?a is 1 already"));
        QCOMPARE(runText("rule r: transpose{perm=[0,1,2]}(?x)", graph, {}, "c").nearest(),
                 QString("c (Transpose): attribute perm is [0,2,1], the pattern wants [0,1,2]"));
        // Defaults of ops that are defined by others count too.
        QCOMPARE(runText("rule r: \"com.microsoft\":FusedMatMul{transA=?a, alpha=1}(?x, ?w)",
                         "in x f32[2,3]; in w f32[3,2]; y = com.microsoft::FusedMatMul(x, w); out y")
                     .matches(),
                 QString("r@y a=0 x=x w=w"));
        QCOMPARE(runText("rule r: transpose{group=1}(?x)", graph, {}, "c").nearest(),
                 QString("c (Transpose): there is no attribute group, the pattern wants 1"));
    }

    void axesMayBeAttributesOrOperands() {
        const std::string rule = "rule r: reducesum{axes@=[-1]}(?x)";
        QCOMPARE(runText(rule, "in x f32[2,3]; y = ReduceSum@11(x) axes=[1]; out y").matches(), QString("r@y x=x"));
        QCOMPARE(runText(rule, "in x f32[2,3]; const a i64[1] -1; y = ReduceSum@13(x, a); out y", {}).matches(), QString("r@y x=x"));
        QCOMPARE(runText(rule, "in x f32[2,3]; const a i64[1] 0; y = ReduceSum@13(x, a); out y", {}, "y").nearest(),
                 QString("y (ReduceSum): attribute axes is [0], the pattern wants [-1]"));
        QCOMPARE(runText(rule, "in x f32[2,3]; in a i64[1]; y = ReduceSum@13(x, a); out y", {}, "y").nearest(),
                 QString("y (ReduceSum): there is no attribute axes, nor a constant operand for it, the pattern wants [-1]"));
    }

    void constantsAreComparedWithTheirTolerance() {
        const std::string graph = "in x f32[2]; const c f32[2] 0.1 0.1; const d f32[2] 0.1 0.2; a = Mul(x, c); b = Mul(a, d); out b";
        QCOMPARE(runText("rule r: mul(?x, 0.1)", graph).matches(), QString("r@a x=x"));
        QCOMPARE(runText("rule r: mul(?x, 0.15~0.06)", graph).result.matches.size(), std::size_t{2});
        QCOMPARE(
            runText("rule r: mul(?x, 0.1)", graph, {}, "b").nearest(),
            QString("the second operand of b (Mul) is constant d, [0.10000000149011612,0.20000000298023224], the pattern wants the constant 0.1"));
        QCOMPARE(runText("rule r: (mul(?x, ?c) where value(?c) > 0)", graph).matches(), QString("r@a x=x c=c"));
    }

    void variadicOptionalAndManyResults() {
        const std::string graph =
            "in x f32[4]; in y f32[4]; const hi f32[] 6; a, b = Split(x) axis=0; c = Concat(a, y, b) axis=0; d = Clip(c, , hi); "
            "e = Add(a, b); out d; out e";
        QCOMPARE(runText("rule r: concat(?f, ..rest)", graph).matches(), QString("r@c f=a rest=[y, b]"));
        QCOMPARE(runText("rule r: clip(?x, none, ?h)", graph).matches(), QString("r@d x=c h=hi"));
        QCOMPARE(runText("rule r: clip(?x, ?l, ?h)", graph, {}, "d").nearest(),
                 QString("the second operand of d (Clip) is left out, the pattern wants one"));
        QVERIFY(runText("rule r: add(result 0 of ?n @ split(?x), result 1 of ?n)", graph).matches().startsWith("r@e n=a x=x !the interior"));
        QCOMPARE(runText("rule r: add(result 1 of split(?x), ?y)", graph, {}, "e").nearest(),
                 QString("the first operand of e (Add) is result 0 of a (Split), the pattern wants result 1"));
        QCOMPARE(runText("rule r: result 1 of split(?x)", graph).result.matches.size(), std::size_t{1});
    }

    void guardsReadTypesAndSayWhatTheyRead() {
        const std::string graph = "in x f32[n,4]; in y f32[?]; a = Relu(x); b = Relu(y); out a; out b";
        QCOMPARE(runText("rule r: (relu(?x) where rank(?x)=2 & dim(?x, -1)=4 & dtype(?x)=f32)", graph).matches(), QString("r@a x=x"));
        QCOMPARE(runText("rule r: (relu(?x) where rank(?x)=3)", graph, {}, "a").nearest(),
                 QString("guard rank(?x)=3 is false: rank(?x) is 2 (?x = x)"));
        const Ran unknown = runText("rule r: (relu(?x) where rank(?x)=3)", graph, {}, "b");
        QCOMPARE(unknown.nearest(), QString("guard cannot be decided: rank(?x)=3: rank(?x) is not known (?x = y)"));
        QCOMPARE(static_cast<int>(unknown.result.misses[0].kind), static_cast<int>(MissKind::Undefined));
        QCOMPARE(runText("rule r: (relu(?x) where dim(?x, 0)=4)", graph, {}, "a").result.misses[0].kind, MissKind::Undefined);
        QCOMPARE(runText("rule r: (relu(?x) where shape(?x)=shape(?x) & cls(?x)=other & uses(?x)=1)", graph).matches(), QString("r@a x=x"));
        QCOMPARE(runText("rule r: (%F(?x) where op(%F)=relu & cls(%F)=ew1)", graph).result.matches.size(), std::size_t{2});
    }

    void rewritingIsJudgedApartFromMatching() {
        const std::string rule = "rule r: relu(add(?x, ?y))";
        QCOMPARE(runText(rule, "in x f32[2]; a = Add(x, x); b = Relu(a); c = Neg(a); out b; out c").matches(),
                 QString("r@b x=x y=x !the interior value a is used outside the match, by c"));
        QCOMPARE(runText("rule r: add(relu(?x), tanh(relu(?x)))", "in x f32[2]; a = Relu(x); b = Neg(a); c = Tanh(a); d = Add(a, c); out d; out b")
                     .matches(),
                 QString("r@d x=x !the interior value a is used outside the match, by b"));
        const Ran path = runText("rule r: add(relu(?x), ?y)", "in x f32[2]; a = Relu(x); b = Neg(a); d = Add(a, b); out d");
        QCOMPARE(path.matches(),
                 QString("r@d x=x y=b !the interior value a is used outside the match, by b !the matched nodes are not convex: a path "
                         "leaves them and comes back by b"));
        QCOMPARE(runText("rule r: add(?x, ?y)", "in x f32[2]; a = RandomNormalLike(x); d = Add(a, a); out d").matches(), QString("r@d x=a y=a"));
        QVERIFY(runText("rule r: neg(randomnormallike(?x))", "in x f32[2]; a = RandomNormalLike(x); d = Neg(a); out d")
                    .matches()
                    .contains("draws random numbers"));
    }

    void whatIsSharedMayBeReadElsewhere() {
        const std::string graph = "in x f32[2]; r = Relu(x); y = Neg(r); z = Abs(r); out y; out z";
        QCOMPARE(runText("rule r: neg(relu(?x))", graph).matches(), QString("r@y x=x !the interior value r is used outside the match, by z"));
        const Ran shared = runText("rule r: neg(shared relu(?x))", graph);
        QCOMPARE(shared.matches(), QString("r@y x=x"));
        QCOMPARE(shared.result.matches.front().nodes.size(), std::size_t{1});
        // Two matches may read it; as a root it is taken all the same.
        QCOMPARE(runText("rule r: %F(shared relu(?x))", graph).matches(), QString("r@y F=Neg x=x; r@z F=Abs x=x"));
        QCOMPARE(runText("rule r: shared relu(?x)", graph).result.matches.front().nodes.size(), std::size_t{1});
    }

    void aMatchWithoutOperatorsIsNotRewritten() {
        QCOMPARE(runText("rule r: (?x where rank(?x) = 1)", "in x f32[2]; a = Relu(x); out a").matches(),
                 QString("r@a x=a !it takes no operator: there is nothing to replace"));
    }

    void overlapsGoToTheEarlierRule() {
        const std::string graph = "in x f32[2]; a = Relu(x); b = Tanh(a); c = Neg(b); out c";
        QCOMPARE(runText("rule one: tanh(relu(?x))\nrule two: neg(tanh(?x))", graph).matches(),
                 QString("one@b x=x; two@c x=a !it overlaps the match of rule one at b, which takes b"));
        // Within a rule the longest chain wins.
        QCOMPARE(
            runText("pattern chain(?x) = ex %H. (%H(chain(?x)) where cls(%H)=ew1) | ex %G. (%G(?x) where cls(%G)=ew1)", graph).result.matches.size(),
            std::size_t{3});
    }

    void casesAreAThirdOutcome() {
        const std::string graph = "in x f32[2]; a = Relu(x); out a";
        QVERIFY(runText("rule r: relu(?x) when rank(?x) = 2 => ?x when rank(?x) = 1 => neg(?x)", graph).result.matches[0].applicableCase ==
                std::size_t{1});
        QCOMPARE(runText("rule r: relu(?x) when rank(?x) = 2 => ?x", graph).matches(),
                 QString("r@a x=x !it matched, but no case of the rule applies"));
    }

    void definitionsHaveNamesOfTheirOwn() {
        const std::string graph = "in x f32[2]; in p f32[2]; in q f32[2]; a = Add(x, p); b = Add(a, q); c = Relu(b); out c";
        QCOMPARE(runText("pattern biased(?x) = add(biased(?x), ?b) | ?x\nrule r: relu(biased(?x))", graph).matches(), QString("r@c x=x"));
        QCOMPARE(runText("pattern biased(?x) = add(?x, ?b)\nrule r: relu(biased(?y)) where rank(?y)=1", graph).matches(), QString("r@c y=a"));
        QCOMPARE(runText("pattern act(?x) = relu(?x)\npattern act(?y) = tanh(?y)\npattern top(?z) = act(?z)", graph).matches(), QString("top@c z=b"));
        QCOMPARE(runText("pattern relu(?x) = \"\":relu(?x)\npattern top(?z) = relu(?z)", graph).matches(), QString("top@c z=b"));
    }

    void epilogChainsBindTheirProduct() {
        const std::string rule =
            "rule epilog: mu P(?u)[?c]. (ex %H. (%H(P(?u)) where cls(%H)=ew1) | ex ?b. add(P(?u), ?b) | ?u) with ?c ~ matmul(?a, ?w)";
        const std::string graph =
            "in x f32[2,3]; in w f32[3,4]; in p f32[4]; in q f32[4]; m = MatMul(x, w); a = Add(m, p); b = Add(a, q); r = Relu(b); out r";
        const Ran ran = runText(rule, graph);
        QVERIFY2(ran.matches().contains("epilog@r c=m a=x w=w"), qPrintable(ran.matches()));
        QVERIFY(ran.result.matches.back().rewritable());
        QCOMPARE(ran.result.matches.back().nodes.size(), std::size_t{4});
    }

    void aConstraintMayWaitForANameThatADefinitionBinds() {
        const std::string rules = "pattern over(?d, ?r) = div(?d, sqrt(?r))\n"
                                  "rule root: ex ?r. (over(?x, ?r) with ?r ~ relu(?x))";
        const std::string graph = "in x f32[2]; in z f32[2]; ";
        QCOMPARE(runText(rules, graph + "r = Relu(x); s = Sqrt(r); y = Div(x, s); out y").matches(), QString("root@y x=x"));
        const Ran none = runText(rules, graph + "r = Tanh(x); s = Sqrt(r); y = Div(x, s); out y");
        QCOMPARE(none.matches(), QString());
        QVERIFY2(none.nearest().contains("r (Tanh)") && none.nearest().contains("relu"), qPrintable(none.nearest()));
    }

    void guardsReadTheVersionOfAnOperator() {
        // The version of the operator set that a node's operator is of; inputs have none.
        QCOMPARE(runText("rule r: ?y @ sqrt(?x) where version(?y) >= 17", "in x f32[2]; y = Sqrt(x); out y").matches(), QString("r@y y=y x=x"));
        QCOMPARE(runText("rule r: sqrt(?x) where version(?x) >= 17", "in x f32[2]; y = Sqrt(x); out y").result.misses.front().kind,
                 MissKind::Undefined);
    }

    void attentionWithScaleAndMaskIsFound() {
        const std::string rules = R"(
pattern score(?q, ?kt) = matmul(?q, ?kt)
pattern scaled(?q, ?kt) = ex ?s. (mul(score(?q, ?kt), ?s) where is_const(?s)) | ex ?s. (div(score(?q, ?kt), ?s) where is_const(?s)) | score(?q, ?kt)
pattern masked(?q, ?kt) = ex ?m. comm add(scaled(?q, ?kt), ?m) | scaled(?q, ?kt)
rule attention: ex ?kt. (matmul(softmax{axis=-1}(masked(?q, ?kt)), ?v) with ?kt ~ transpose{perm=[0,2,1]}(?k)) where rank(?q)=3
)";
        const std::string graph =
            "in q f32[2,4,8]; in k f32[2,4,8]; in v f32[2,4,8]; in m f32[4,4]; const s f32[] 2.8; t = Transpose(k) perm=[0,2,1]; "
            "a = MatMul(q, t); b = Div(a, s); c = Add(m, b); d = Softmax(c); y = MatMul(d, v); out y";
        QCOMPARE(runText(rules, graph).matches(), QString("attention@y q=q v=v k=k"));
    }

    void allMatchesAreListedOnce() {
        GraphMatchOptions options;
        options.all = true;
        const std::string graph = "in x f32[2]; in y f32[2]; a = Relu(x); b = Add(a, y); c = Add(b, a); out c";
        const Ran ran = runText("rule r: comm add(?x, ?y)", graph, options, "c");
        QCOMPARE(ran.result.matches.size(), std::size_t{2});
        const Ran tree = runText("rule r: ac add(?x, ?y, ?z)", graph, options, "c");
        QCOMPARE(tree.result.matches.size(), std::size_t{3}); // two of the leaves are the same value
    }

    void longChainsTakeLinearSteps() {
        const auto stepsFor = [](int length) {
            std::string graph = "in x f32[2]; v0 = Tanh(x)";
            for (int i = 1; i < length; ++i) {
                graph += "; v" + std::to_string(i) + " = Relu(v" + std::to_string(i - 1) + ")";
            }
            const std::string last = "v" + std::to_string(length - 1);
            const Ran ran = runText("rule r: mu P(?u, %F)[?x, %G]. (%F(P(?u, %F)) | %F(?u))", graph + "; out " + last, {}, last);
            return ran.result.matches.size() == 1 ? ran.result.steps : 0;
        };
        const std::uint64_t small = stepsFor(500);
        const std::uint64_t large = stepsFor(5'000);
        QVERIFY(small > 0 && large > 0);
        QVERIFY2(large < 11 * small, qPrintable(QString("%1 %2").arg(small).arg(large)));
    }

    void aChainThatFailsAtItsEndIsLinearToo() {
        std::string graph = "in x f32[2]; v0 = Tanh(x)";
        for (int i = 1; i < 3'000; ++i) {
            graph += "; v" + std::to_string(i) + " = Relu(v" + std::to_string(i - 1) + ")";
        }
        const Ran ran =
            runText("rule r: mu P(?u)[?x]. (ex %H. (%H(P(?u)) where cls(%H)=ew1) | ?u) with ?x ~ matmul(?a, ?b)", graph + "; out v2999", {}, "v2999");
        QCOMPARE(ran.result.matches.size(), std::size_t{0});
        QCOMPARE(ran.result.undecided, std::size_t{0});
        QVERIFY2(ran.result.steps < 60'000, qPrintable(QString::number(ran.result.steps)));
        QCOMPARE(ran.nearest(), QString("for ?x stands graph input x, the pattern wants matmul"));
    }

    void duplicateAlternatesDoNotExplode() {
        std::string graph = "in x f32[2]; v0 = Neg(x)";
        std::string rules = "pattern q0(?z) = neg(?z)\n";
        for (int i = 1; i <= 40; ++i) {
            rules += "pattern q" + std::to_string(i) + "(?z) = relu(q" + std::to_string(i - 1) + "(?z)) | relu(q" + std::to_string(i - 1) + "(?z))\n";
            graph += "; v" + std::to_string(i) + " = Relu(v" + std::to_string(i - 1) + ")";
        }
        // Fails only behind all of it.
        const Ran ran = runText(rules + "rule r: q40(?z) where rank(?z) = 7", graph + "; out v40", {}, "v40");
        QCOMPARE(ran.result.matches.size(), std::size_t{0});
        QCOMPARE(ran.result.undecided, std::size_t{0});
        QVERIFY2(ran.result.steps < 100'000, qPrintable(QString::number(ran.result.steps)));
    }

    void alternatesThatEndInTheSameStateDoNotExplode() {
        std::string body = "add(?x0 | ?x0, ?y0 | ?y0)";
        std::string graph = "in x f32[2]; v0 = Add(x, x)";
        for (int i = 1; i < 24; ++i) {
            const std::string n = std::to_string(i);
            body = "add(" + body + ", ?y" + n + " | ?y" + n + ")";
            graph += "; v" + n + " = Add(v" + std::to_string(i - 1) + ", x)";
        }
        const Ran ran = runText("rule r: (" + body + ") where rank(?x0) = 7", graph + "; out v23", {}, "v23");
        QCOMPARE(ran.result.matches.size(), std::size_t{0});
        QCOMPARE(ran.result.undecided, std::size_t{0});
        QVERIFY2(ran.result.steps < 200'000, qPrintable(QString::number(ran.result.steps)));
    }

    void recursionOverSharedValuesVisitsEachOnce() {
        std::string graph = "in x f32[2]; v0 = Relu(x)";
        for (int i = 1; i < 60; ++i) {
            const std::string before = "v" + std::to_string(i - 1);
            graph += "; v" + std::to_string(i) + " = Add(" + before + ", " + before + ")";
        }
        const Ran ran = runText("rule r: mu P(?u)[?x]. (ex %H. (%H(P(?u)) where cls(%H)=ew1) | ex %H. (%H(P(?u), P(?u)) where cls(%H)=ew2) | ?u)",
                                graph + "; out v59", {}, "v59");
        QCOMPARE(ran.matches().left(7), QString("r@v59 x"));
        QVERIFY2(ran.matches().contains("x=x"), qPrintable(ran.matches()));
        QCOMPARE(ran.result.matches[0].nodes.size(), std::size_t{60});
        QVERIFY2(ran.result.steps < 100'000, qPrintable(QString::number(ran.result.steps)));
    }

    void aBudgetThatRunsOutIsNoNoMatch() {
        GraphMatchOptions options;
        options.machine.steps = 5;
        const Ran ran =
            runText("rule r: relu(relu(relu(?x)))", "in x f32[2]; a = Relu(x); b = Relu(a); c = Relu(b); d = Relu(c); out d", options, "d");
        QCOMPARE(ran.result.undecided, std::size_t{0});
        options.machine.steps = 2;
        const Ran cut =
            runText("rule r: relu(relu(relu(?x)))", "in x f32[2]; a = Relu(x); b = Relu(a); c = Relu(b); d = Relu(c); out d", options, "d");
        QCOMPARE(cut.result.undecided, std::size_t{1});
        QVERIFY2(cut.nearest().startsWith("undecided after 2 steps, at "), qPrintable(cut.nearest()));
    }

    void everyBranchIsTold() {
        GraphMatchOptions options;
        options.explain = true;
        const Ran ran = runText("rule r: relu(tanh(?x) | neg(?x) | add(?x, ?y))", "in x f32[2]; a = Sub(x, x); b = Relu(a); out b", options, "b");
        QStringList lines;
        for (const BranchLine& each : ran.result.misses.at(0).branches) {
            lines << QString(static_cast<int>(each.depth), ' ') + QString::fromStdString(each.text);
        }
        QCOMPARE(lines.join("\n"), QString("alternate 1 of 3 for a (Sub)\n") +
                                       " the first operand of b (Relu) is a (Sub), the pattern wants tanh (1 of 2 operators matched)\n"
                                       "alternate 2 of 3 for a (Sub)\n"
                                       " the first operand of b (Relu) is a (Sub), the pattern wants neg (1 of 2 operators matched)\n"
                                       "alternate 3 of 3 for a (Sub)\n"
                                       " the first operand of b (Relu) is a (Sub), the pattern wants add (1 of 2 operators matched)");
        const Ran matched = runText("rule r: relu(tanh(?x) | %F(?x, ?y))", "in x f32[2]; a = Sub(x, x); b = Relu(a); out b", options);
        QStringList derived;
        for (const BranchLine& each : matched.result.matches.at(0).derivation) {
            derived << QString::fromStdString(each.text);
        }
        QCOMPARE(derived.join("; "),
                 QString("relu matched b (Relu); alternate 2 of 2 for a (Sub); %F matched a (Sub); ?x matched graph input x; ?y matched "
                         "graph input x"));
    }

    void rootsThatFailAlikeAreCounted() {
        std::string graph = "in x f32[2]";
        std::string last = "x";
        for (int i = 0; i < 30; ++i) {
            const std::string n = std::to_string(i);
            graph += "; a" + n + " = Relu(" + last + "); b" + n + " = Neg(a" + n + ")";
            last = "b" + n;
        }
        const Ran ran = runText("rule r: (neg(relu(?x)) where rank(?x) = 2)", graph + "; out " + last);
        QCOMPARE(ran.result.counts.size(), std::size_t{1});
        QCOMPARE(ran.result.counts[0].roots, 30U);
        QVERIFY(QString::fromStdString(ran.result.counts[0].text).startsWith("guard rank(?x)=2 is false"));
        QCOMPARE(ran.result.misses.size(), std::size_t{10});
        QCOMPARE(ran.result.misses[0].matched, 2U);
    }

    /// Break one constraint in each of 200 rules: the explanation names that one.
    void theBrokenConstraintIsNamed() {
        // A pattern over a fixed graph with many constraints, each with a version that fails and what must be said then.
        struct Constraint {
            std::string right;
            std::string wrong;
            std::string said;
        };
        const std::vector<Constraint> parts{
            {"{perm=[0,2,1]}", "{perm=[1,0,2]}", "attribute perm is [0,2,1], the pattern wants [1,0,2]"},
            {"{axis=-1}", "{axis=1}", "attribute axis is -1, the pattern wants 1"},
            {"2.8~0.01", "2.5~0.01", "constant 2.5 within 0.01"},
            {"div", "mul", " is d1 (Div), the pattern wants mul"},
            {"rank(?q)=3", "rank(?q)=4", "guard rank(?q)=4 is false: rank(?q) is 3"},
            {"dtype(?v)=f32", "dtype(?v)=f16", "guard dtype(?v)=f16 is false: dtype(?v) is f32"},
            {"dim(?k, 1)=4", "dim(?k, 1)=5", "guard dim(?k, 1)=5 is false: dim(?k, 1) is 4"},
            {"softmax", "logsoftmax", " is s1 (Softmax), the pattern wants logsoftmax"},
            {"transpose", "identity", "the second operand of a1 (MatMul) is t1 (Transpose), the pattern wants identity"},
            {"relu", "tanh", "the first operand of s1 (Softmax) is r1 (Relu), the pattern wants tanh"},
        };
        const std::string graph =
            "in q f32[2,4,8]; in k f32[2,4,8]; in v f32[2,4,8]; in m f32[4,4]; const c f32[] 2.8; t1 = Transpose(k) perm=[0,2,1]; "
            "a1 = MatMul(q, t1); d1 = Div(a1, c); r1 = Relu(d1); s1 = Softmax(r1) axis=-1; y = MatMul(s1, v); out y";
        int named = 0;
        int tried = 0;
        // Twenty shapes of the rule, each with each constraint broken in turn.
        for (int shape = 0; shape < 20; ++shape) {
            for (std::size_t broken = 0; broken < parts.size(); ++broken) {
                std::vector<std::string> use;
                for (std::size_t i = 0; i < parts.size(); ++i) {
                    use.push_back(i == broken ? parts[i].wrong : parts[i].right);
                }
                std::vector<std::string> guards{use[4], use[5], use[6]};
                std::rotate(guards.begin(), guards.begin() + shape % 3, guards.end());
                const std::string scaled =
                    use[3] + "(" + std::string((shape & 1) != 0 ? "?p @ " : "") + "matmul(?q, " + use[8] + use[0] + "(?k)), " + use[2] + ")";
                const std::string inner = (shape & 2) != 0 ? "(" + scaled + ")" : "?n @ " + scaled;
                std::string pattern = "matmul(" + use[7] + use[1] + "(" + use[9] + "(" + inner + ")), ?v)";
                pattern = (shape & 4) != 0 ? "comm matmul(?v, " + use[7] + use[1] + "(" + use[9] + "(" + inner + ")))" : pattern;
                pattern = (shape & 8) != 0 ? "?root @ (" + pattern + ")" : pattern;
                std::string rule = "rule r: (" + pattern + ")";
                for (const std::string& guard : guards) {
                    rule += " where " + guard;
                }
                const Ran ran = runText(rule, graph, {}, "y");
                ++tried;
                const bool right = ran.result.matches.empty() && ran.nearest().contains(QString::fromStdString(parts[broken].said));
                named += right ? 1 : 0;
                if (!right) {
                    qWarning("%s\n  wanted: %s\n  said: %s", rule.c_str(), parts[broken].said.c_str(), qPrintable(ran.nearest()));
                }
            }
        }
        QCOMPARE(tried, 200);
        QCOMPARE(named, tried);
    }

    void bodiesOfControlOpsAreMatched() {
        const std::string graph = "in c bool[]; in x f32[2]; const k f32[] 2; const w f32[] 3; r = Mul(x, k); "
                                  "y = If(c) then_branch={ a = Mul(x, k); z = If(c) then_branch={ b = Mul(a, k); out b } "
                                  "else_branch={ d = Mul(a, w); out d }; out z } else_branch={ e = Mul(x, r); out e }; out y";
        // Constants of the graphs around are constants, however deep; other values of them are not.
        const auto found = inLevels("rule r: mul(?x, ?k) where is_const(?k) & value(?k) = 2", graph);
        QVERIFY(found.has_value());
        QCOMPARE(matchesIn(*found), QString("r y/then_branch/a y/then_branch/z/then_branch/b"));
        QCOMPARE(found->rootsTried, std::size_t{5});
        QCOMPARE(found->misses.size(), std::size_t{2});
        QCOMPARE(found->counts.size(), std::size_t{1}); // one place, one reason, two graphs
        QCOMPARE(found->counts[0].told.roots, 2U);
        QCOMPARE(matchesIn(*inLevels("rule r: mul(?x, 3)", graph)), QString("y/then_branch/z/else_branch/d"));
        // A root goes by its name, alone or with its place.
        QCOMPARE(matchesIn(*inLevels("rule r: mul(?x, ?y)", graph, "a")), QString("y/then_branch/a"));
        QCOMPARE(matchesIn(*inLevels("rule r: mul(?x, ?y)", graph, "y/then_branch/z/else_branch/d")), QString("y/then_branch/z/else_branch/d"));
        const auto none = inLevels("rule r: mul(?x, ?y)", graph, "y/else_branch/a");
        QVERIFY(!none && none.error().code == ErrorCode::Usage);
        QVERIFY2(none.error().message.find("did you mean 'y/else_branch/") != std::string::npos, none.error().message.c_str());
    }
};

QTEST_GUILESS_MAIN(TestMatchGraph)
#include "tst_match_graph.moc"
