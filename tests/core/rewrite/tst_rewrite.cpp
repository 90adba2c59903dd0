// Replacements built, typed and folded; rounds, refusals, order and names.
#include "tests/core/rewrite/rewrite_text.h"

#include <QTest>

using namespace lemmascope;
using test::rewriteText;
using test::Rewritten;

namespace {

QString q(const std::string& text) { return QString::fromStdString(text); }

} // namespace

class TestRewrite : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void replacementsAreBuilt_data() {
        QTest::addColumn<QString>("rules");
        QTest::addColumn<QString>("graph");
        QTest::addColumn<QString>("expected"); ///< the graph, or `refused: ` and the reasons
        const auto row = [](const char* name, const char* rules, const char* graph, const char* expected) {
            QTest::newRow(name) << rules << graph << expected;
        };
        row("an operator by ONNX's spelling", "rule r: relu(?x) => leakyrelu{alpha=0}(?x)", "in x f32[2]; y = Relu(x); out y",
            "x: f32[2]; y = LeakyRelu{alpha=0f}(x); out y");
        row("a number takes the type beside it", "rule r: add(?x, ?x) => mul(?x, 2)", "in x f16[2]; y = Add(x, x); out y",
            "x: f16[2]; y_constant = f16[]{2}; y = Mul(x, y_constant); out y");
        row("beside a value that is new", "rule r: neg(?x) => mul(relu(?x), -1)", "in x f64[2]; y = Neg(x); out y",
            "x: f64[2]; y_constant = f64[]{-1}; y_Relu = Relu(x); y = Mul(y_Relu, y_constant); out y");
        row("an index is an i64", "rule r: neg(?x) => gather(?x, 0)", "in x f32[2,3]; y = Neg(x); z = Identity(x); out y; out z",
            "refused: r@y: r:1:20: the replacement is f32[3], what it replaces f32[2,3]");
        row("of the next operand where the first does not do", "rule r: relu(?x) => where(greater(?x, 0), ?x, 0)", "in x f16[2]; y = Relu(x); out y",
            "x: f16[2]; y_constant = f16[]{0}; y_constant_2 = f16[]{0}; y_Greater = Greater(x, y_constant); y = Where(y_Greater, x, y_constant_2); "
            "out y");
        row("lists are i64", "rule r: flatten(?x) => reshape(?x, [dim(?x, 0), -1])", "in x f32[2,3,4]; y = Flatten(x); out y",
            "x: f32[2,3,4]; y_constant = i64[2]{2 -1}; y = Reshape(x, y_constant); out y");
        row("lengths that only the run tells", "rule r: flatten(?x) => reshape(?x, [dim(?x, 0), -1])", "in x f32[n,3,4]; y = Flatten(x); out y",
            "x: f32[n,3,4]; y_constant = i64[1]{0}; y_constant_2 = i64[1]{-1}; y_Shape = Shape(x); y_Gather = Gather{axis=0}(y_Shape, y_constant); "
            "y_Concat = Concat{axis=0}(y_Gather, y_constant_2); y = Reshape(x, y_Concat); out y");
        row("attributes computed", "rule r: transpose{perm=?p}(transpose{perm=?q}(?x)) => transpose{perm=pick(?q, ?p)}(?x)",
            "in x f32[2,3,4]; t = Transpose(x) perm=[1,2,0]; y = Transpose(t) perm=[0,2,1]; out y",
            "x: f32[2,3,4]; y = Transpose{perm=[1,0,2]}(x); out y");
        row("facts of attributes", "rule r: softmax(?x) => \"my\":Soft{axis=axis(attr(?x, \"axis\"), rank(?x)), scale=1 / sqrt(dim(?x, -1))}(?x)",
            "in x f32[2,4]; c = Concat(x, x) axis=-1; y = Softmax(c) axis=-1; out y",
            "x: f32[2,4]; c = Concat{axis=-1}(x, x); y = my.Soft{axis=1, scale=0.353553f}(c); out y");
        row("%F keeps its attributes", "rule r: %F(neg(?x)) where cls(%F) = ew1 => neg(%F(?x))",
            "in x f32[2]; n = Neg(x); y = LeakyRelu(n) alpha=0.5; out y",
            "x: f32[2]; y_LeakyRelu = LeakyRelu{alpha=0.5f}(x); y = Neg(y_LeakyRelu); out y");
        row("attributes of a node are copied", "rule r: leakyrelu{alpha=?a}(?c @ conv(?x, ?w)) => \"my\":ConvAct{slope=?a, group=2, ..?c}(?x, ?w)",
            "in x f32[1,2,4]; in w f32[2,2,3]; c = Conv(x, w) pads=[1,1] group=1; y = LeakyRelu(c) alpha=0.5; out y",
            "x: f32[1,2,4]; w: f32[2,2,3]; y = my.ConvAct{group=2, pads=[1,1], slope=0.5f}(x, w); out y");
        row("attributes of no node", "rule r: neg(?x) => leakyrelu{..?x}(?x)", "in x f32[2]; y = Neg(x); out y",
            "refused: r@y: r:1:30: ?x is made by no node: it has no attributes to copy");
        row("op(%F) as a text", "rule r: %F(add(?x, ?y)) where cls(%F) = ew1 => \"my\":AddAct{activation=op(%F)}(?x, ?y)",
            "in x f32[2]; in z f32[2]; a = Add(x, z); y = Relu(a); out y", "x: f32[2]; z: f32[2]; y = my.AddAct{activation=Relu}(x, z); out y");
        row("element types as ONNX's numbers", "rule r: relu(?x) => cast{to=f32}(cast{to=dtype(?x)}(?x))", "in x f32[2]; y = Relu(x); out y",
            "x: f32[2]; y_Cast = Cast{to=1}(x); y = Cast{to=1}(y_Cast); out y");
        row("rest and omitted operands", "rule r: concat(?a, ..r) => \"my\":Cat{n=2}(none, ..r, ?a)",
            "in x f32[2]; in y f32[2]; in z f32[2]; c = Concat(x, y, z) axis=0; out c",
            "x: f32[2]; y: f32[2]; z: f32[2]; c = my.Cat{n=2}(_, y, z, x); out c");
        row("let is one node", "rule r: relu(?x) => let ?t = neg(?x) in min(?t, ?t)", "in x f32[2]; y = Relu(x); out y",
            "x: f32[2]; y_Neg = Neg(x); y = Min(y_Neg, y_Neg); out y");
        row("result of", "rule r: slice(?x, ?a, ?b) => result 1 of split(?x, [1, 2])",
            "in x f32[3]; const a i64[1] 1; const b i64[1] 3; y = Slice(x, a, b); out y",
            "x: f32[3]; y_constant = i64[2]{1 2}; y_Split, y = Split(x, y_constant); out y");
        row("constants are folded", "rule r: mul(add(?x, ?b), ?s) where is_const(?b) & is_const(?s) => add(mul(?x, ?s), mul(?b, ?s))",
            "in x f32[2]; const b f32[2] 1 2; const s f32[] 3; a = Add(x, b); y = Mul(a, s); out y",
            "x: f32[2]; s = f32[]{3}; y_constant = f32[2]{3 6}; y_Mul = Mul(x, s); y = Add(y_Mul, y_constant); out y");
        row("a constant alone", "rule r: sub(?x, ?x) => mul(?x, 0)", "in x f32[2]; const k f32[2] 1 2; s = Sub(k, k); y = Add(x, s); out y",
            "x: f32[2]; s_value = f32[2]{0 0}; y = Add(x, s_value); out y");
        row("a name alone", "rule r: add(?x, 0) => ?x", "in x f32[2]; const z f32[] 0; n = Neg(x); a = Add(n, z); y = Relu(a); out y",
            "x: f32[2]; n = Neg(x); y = Relu(n); out y");
        row("an output keeps its name", "rule r: add(?x, 0) => ?x", "in x f32[2]; const z f32[] 0; n = Neg(x); y = Add(n, z); out y",
            "x: f32[2]; y = Neg(x); out y");
        row("an output of an input is a copy", "rule r: add(?x, 0) => ?x", "in x f32[2]; const z f32[] 0; y = Add(x, z); out y",
            "x: f32[2]; y = Identity(x); out y");
        row("a copy that must be stays", "rule r: identity(?x) => ?x", "in x f32[2]; y = Identity(x); out y",
            "refused: r@y: a graph output needs a node of its own: what would replace it is an input, a constant or another output");
        row("all results of the root", "rule r: dropout(?x) => \"my\":Drop(?x)", "in x f32[2]; y, m = Dropout(x); z = Not(m); out y; out z",
            "x: f32[2]; y, m = my.Drop(x); z = Not(m); out y; out z");
        row("a result that the new operator lacks", "rule r: dropout(?x) => relu(?x)", "in x f32[2]; y, m = Dropout(x); z = Not(m); out y; out z",
            "refused: r@y: r:1:24: Relu has no result 1");
        row("an element type that contradicts", "rule r: relu(?x) => cast{to=f16}(?x)", "in x f32[2]; y = Relu(x); out y",
            "refused: r@y: r:1:21: the replacement is f16[2], what it replaces f32[2]");
        row("an operator that does not exist", "rule r: relu(?x) => rellu(?x)", "in x f32[2]; y = Relu(x); out y",
            "refused: r@y: r:1:21: ONNX has no operator 'rellu': did you mean Relu?");
        row("an operator of a later opset", "rule r: relu(?x) => swish(?x)", "in x f32[2]; y = Relu(x); out y",
            "refused: r@y: r:1:21: Swish does not exist in opset 17, which the graph uses; it came with opset 24");
        row("an attribute that does not exist", "rule r: relu(?x) => softmax{axs=0}(?x)", "in x f32[2]; y = Relu(x); out y",
            "refused: r@y: r:1:29: Softmax of opset 17 has no attribute 'axs': did you mean 'axis'?");
        row("a length that is another at some size", "rule r: mul(?x, 1) => ?x",
            "in x f32[n]; const k f32[5] 1 1 1 1 1; y = Mul(x, k); z = Relu(y); out z",
            "refused: r@y: r:1:23: the replacement is f32[n], what it replaces f32[5]");
        row("a shape that is not known", "rule r: mul(?x, 1) => ?x", "in x f32[?]; const k f32[5] 1 1 1 1 1; y = Mul(x, k); z = Relu(y); out z",
            "refused: r@y: r:1:23: the replacement is f32[?], what it replaces f32[?]: of a shape that is not known it cannot be told that both have "
            "it");
        row("lengths seen in the whole only", "rule r: reshape(reshape(?x, _), ?s) => reshape(?x, ?s)",
            "in x f32[n,6]; const a i64[3] 0 2 3; const i i64[1] 0; const m i64[1] -1; r = Reshape(x, a); s = Shape(x); g = Gather(s, i); "
            "c = Concat(g, m) axis=0; y = Reshape(r, c); out y",
            "x: f32[n,6]; i = i64[1]{0}; m = i64[1]{-1}; s = Shape(x); g = Gather(s, i); c = Concat{axis=0}(g, m); y = Reshape(x, c); out y");
        row("lengths that data decides", "rule r: reshape(?x, ?s) => reshape(neg(?x), ?s)", "in x f32[6]; in s i64[2]; y = Reshape(x, s); out y",
            "refused: r@y: it cannot be told that the replacement has the shape of what it replaces, whatever the sizes are");
        row("operands that do not fit", "rule r: relu(?x) => matmul(?x, ?x)", "in x f32[2,3]; y = Relu(x); out y",
            "refused: r@y: r:1:21: node 'MatMul': cannot multiply [2,3] by [2,3]: inner lengths 3 and 2 differ");
    }

    void replacementsAreBuilt() {
        QFETCH(QString, rules);
        QFETCH(QString, graph);
        QFETCH(QString, expected);
        const Rewritten ran = rewriteText(rules.toStdString(), graph.toStdString(), {.maxRounds = 1});
        const QString found = ran.result && ran.result->applications.empty() ? "refused: " + q(ran.refusals()) : q(ran.graph());
        QVERIFY2(found == expected, qPrintable("found " + found));
    }

    void rulesApplyUntilNoneDoes() {
        const Rewritten ran =
            rewriteText("rule r: neg(neg(?x)) => ?x", "in x f32[2]; a = Neg(x); b = Neg(a); c = Neg(b); d = Neg(c); e = Neg(d); y = Relu(e); out y");
        QCOMPARE(q(ran.graph()), QString("x: f32[2]; a = Neg(x); y = Relu(a); out y"));
        QVERIFY(ran.result->fixpoint);
        QVERIFY(ran.result->refusals.empty());
    }

    void aRuleMayMakeWorkForAnother() {
        const Rewritten ran = rewriteText("rule a: sub(?x, ?y) => add(?x, neg(?y))\nrule b: neg(neg(?x)) => ?x",
                                          "in x f32[2]; in z f32[2]; n = Neg(z); y = Sub(x, n); out y");
        QCOMPARE(q(ran.applications()), QString("1:a@y, 2:b@y_Neg"));
        QCOMPARE(q(ran.graph()), QString("x: f32[2]; z: f32[2]; y = Add(x, z); out y"));
    }

    void onceIsOneRound() {
        const std::string graph = "in x f32[2]; a = Neg(x); b = Neg(a); c = Neg(b); d = Neg(c); y = Relu(d); out y";
        const Rewritten ran = rewriteText("rule r: neg(?x) => abs(neg(?x))", graph, {.maxRounds = 1});
        QCOMPARE(ran.result->rounds, std::size_t{1});
        QCOMPARE(ran.result->applications.size(), std::size_t{4});
        QVERIFY(!ran.result->fixpoint);
    }

    void rulesThatNeverRestAreStoppedAndNamed() {
        const std::string graph = "in x f32[2]; y = Neg(x); out y";
        const Rewritten grows = rewriteText("rule grow: neg(?x) => abs(neg(?x))", graph, {.maxRounds = 7});
        QCOMPARE(q(grows.result->stopped), QString("stopped after 7 rounds, in the last of which there applied: rule grow (at y_Neg_6)"));
        QCOMPARE(grows.result->plain->nodes.size(), std::size_t{8});
        const Rewritten swaps = rewriteText("rule swap: add(?x, ?z) => add(?z, ?x)", "in x f32[2]; in z f32[2]; y = Add(x, z); out y");
        QCOMPARE(q(swaps.result->stopped),
                 QString("stopped after 2 rounds: the graph is again what it was at first, so that rules would apply for ever: rule swap (at y)"));
        const Rewritten same = rewriteText("rule same: neg(?x) => neg(?x)", graph);
        QCOMPARE(same.result->rounds, std::size_t{1});
        QVERIFY(q(same.result->stopped).contains("rule same"));
        const Rewritten doubles = rewriteText("rule double: neg(?x) => add(neg(?x), neg(?x))", graph, {.maxNodes = 1000});
        QVERIFY2(q(doubles.graph()).contains("more than 1000 nodes after round") && q(doubles.graph()).contains("rule double"),
                 doubles.graph().c_str());
    }

    void earlierRulesWinWhereMatchesOverlap() {
        const std::string graph = "in x f32[2]; in z f32[2]; a = Add(x, z); y = Relu(a); out y";
        const std::string first = "rule whole: relu(add(?x, ?y)) => \"my\":AddRelu(?x, ?y)\n";
        const std::string second = "rule part: add(?x, ?y) => \"my\":MyAdd(?x, ?y)\n";
        const Rewritten one = rewriteText(first + second, graph, {.maxRounds = 1});
        QCOMPARE(q(one.graph()), QString("x: f32[2]; z: f32[2]; y = my.AddRelu(x, z); out y"));
        QCOMPARE(q(one.refusals()), QString("part@a: it overlaps the match of rule whole at y, which takes a"));
        const Rewritten other = rewriteText(second + first, graph);
        QCOMPARE(q(other.applications()), QString("part@a"));
        QVERIFY(other.result->refusals.empty()); // of the last round: nothing is left to overlap
    }

    void onlySomeRulesOrOneRoot() {
        const std::string graph = "in x f32[2]; a = Neg(x); b = Abs(a); c = Neg(b); d = Abs(c); out d";
        const std::string rules = "rule n: neg(?x) => relu(?x)\nrule a: abs(?x) => tanh(?x)";
        QCOMPARE(q(rewriteText(rules, graph, {.rules = {"a"}}).applications()), QString("a@b, a@d"));
        QCOMPARE(q(rewriteText(rules, graph, {.at = "c"}).applications()), QString("n@c"));
        QCOMPARE(q(rewriteText(rules, graph, {.rules = {"aa"}}).graph()), QString("error: there is no rule 'aa' in r"));
        QCOMPARE(q(rewriteText(rules, graph, {.at = "zzz"}).graph()), QString("error: the graph has no node or value 'zzz'"));
        QCOMPARE(q(rewriteText("rule m: neg(?x)", graph).graph()),
                 QString("error: r: no rule here has a replacement: write one as 'rule NAME: PATTERN => REPLACEMENT'"));
    }

    void aMatchThatMayNotBeReplacedIsTold() {
        const Rewritten ran = rewriteText("rule r: relu(neg(?x)) => \"my\":R(?x)", "in x f32[2]; n = Neg(x); y = Relu(n); z = Abs(n); out y; out z");
        QCOMPARE(q(ran.refusals()), QString("r@y: the interior value n is used outside the match, by z"));
        QVERIFY(ran.result->applications.empty());
        QCOMPARE(q(ran.graph()), q(test::graphText(*ran.before)));
    }

    void otherMatchesAtARootAreTriedOnRequest() {
        // The first alternate takes n, which is read elsewhere; the second leaves it.
        const std::string rules = "rule r: relu(neg(?x) | ?x) => \"my\":R(?x)";
        const std::string graph = "in x f32[2]; n = Neg(x); y = Relu(n); z = Abs(n); out y; out z";
        QCOMPARE(q(rewriteText(rules, graph).applications()), QString());
        QCOMPARE(q(rewriteText(rules, graph, {.all = true}).graph()), QString("x: f32[2]; n = Neg(x); y = my.R(n); z = Abs(n); out y; out z"));
    }

    void whatIsNotReadAnyMoreGoes() {
        const Rewritten ran = rewriteText("rule r: mul(?x, 0) => mul(?z0, 0) | x", "in x f32[2]; y = Relu(x); out y");
        QVERIFY(!ran.result); // alternates are of patterns
        const Rewritten dead = rewriteText("rule r: where(?c, ?x, ?y) => ?x",
                                           "in c bool[2]; in x f32[2]; const k f32[2] 1 2; n = Neg(x); m = Mul(n, k); w = Where(c, x, m); "
                                           "u = Abs(x); y = Relu(w); out y");
        // u was read by nothing before, and stays; so does the input c.
        QCOMPARE(q(dead.graph()), QString("c: bool[2]; x: f32[2]; u = Abs(x); y = Relu(x); out y"));
    }

    void theRootMayBeReadByItsReplacement() {
        const Rewritten ran = rewriteText("rule r: ?n @ neg(?x) => abs(?n)", "in x f32[2]; y = Neg(x); out y", {.maxRounds = 1});
        QCOMPARE(q(ran.graph()), QString("x: f32[2]; y_before = Neg(x); y = Abs(y_before); out y"));
        const Rewritten inner = rewriteText("rule r: relu(?n @ neg(?x)) => abs(?n)", "in x f32[2]; n = Neg(x); y = Relu(n); out y");
        QCOMPARE(q(inner.graph()), QString("x: f32[2]; n = Neg(x); y = Abs(n); out y"));
    }

    void manyReplacementsFeedEachOther() {
        const Rewritten ran = rewriteText("rule r: neg(?x) => ?x\nrule s: abs(?x) => relu(?x)",
                                          "in x f32[2]; a = Neg(x); b = Abs(a); c = Neg(b); d = Neg(c); e = Abs(d); y = Neg(e); out y; out e");
        QCOMPARE(q(ran.graph()), QString("x: f32[2]; b = Relu(x); e = Relu(b); y = Identity(e); out y; out e"));
        QCOMPARE(ran.result->rounds, std::size_t{1});
    }

    void bodiesOfControlOpsAreRewritten() {
        const std::string graph = "in c bool[]; in x f32[2]; n = Neg(x); "
                                  "y = If(c) then_branch={ a = Neg(n); b = Neg(a); out b } else_branch={ d = Abs(n); out d }; out y";
        const Rewritten ran = rewriteText("rule r: neg(neg(?x)) => ?x\nrule s: abs(?x) => relu(?x)", graph);
        QCOMPARE(q(ran.applications()), QString("r@y/then_branch/b, s@y/else_branch/d"));
        QVERIFY2(q(ran.graph()).contains("else_branch=<d = Relu(n); out d>"), ran.graph().c_str());
        QVERIFY2(q(ran.graph()).contains("then_branch=<b = Identity(n); out b>"), ran.graph().c_str());
        // n is captured: it is not interior to anything, and moves with its readers.
        const Rewritten outer = rewriteText("rule r: neg(?x) => relu(abs(?x))",
                                            "in c bool[]; in x f32[2]; n = Neg(x); "
                                            "y = If(c) then_branch={ a = Abs(n); out a } else_branch={ d = Tanh(n); out d }; out y",
                                            {.maxRounds = 1});
        QVERIFY2(q(outer.graph()).startsWith("c: bool[]; x: f32[2]; n_Abs = Abs(x); n = Relu(n_Abs); y = If"), outer.graph().c_str());
        QVERIFY(outer.result->fixpoint || outer.result->rounds == 1);
        const Rewritten alias =
            rewriteText("rule r: neg(?x) => ?x", "in c bool[]; in x f32[2]; n = Neg(x); "
                                                 "y = If(c) then_branch={ a = Abs(n); out a } else_branch={ d = Tanh(n); out d }; out y");
        QVERIFY2(q(alias.graph()).startsWith("c: bool[]; x: f32[2]; y = If"), alias.graph().c_str());
    }

    void bodiesOfLoopsAreRewritten() {
        const std::string graph = "in x f32[2]; const m i64[] 3; const c bool[] 1; y = Loop(m, c, x) body={ in i i64[]; in k bool[]; in s f32[2]; "
                                  "n = Neg(s); d = Neg(n); a = Add(d, x); r = Relu(a); k2 = Identity(k); out k2; out r }; out y";
        const Rewritten ran = rewriteText("rule r: neg(neg(?x)) => ?x\nrule s: relu(?x) => max(?x, 0)", graph);
        QCOMPARE(q(ran.applications()), QString("r@y/body/d, s@y/body/r"));
        QVERIFY2(q(ran.graph()).contains("r_constant = f32[]{0}; a = Add(s, x); r = Max(a, r_constant); k2 = Identity(k); out k2; out r>"),
                 ran.graph().c_str());
        QCOMPARE(q(ran.result->graph->value(ran.result->graph->outputs[0]).type.text()), QString("f32[2]"));
    }

    void constantsAroundABodyAreConstantsInIt() {
        const std::string rules = "rule one: mul(?x, ?k) where is_const(?k) & value(?k) = 1 => ?x\n"
                                  "rule two: add(add(?x, ?a), ?b) where is_const(?a) & is_const(?b) => add(?x, add(?a, ?b))";
        const Rewritten branch =
            rewriteText(rules, "in c bool[]; in x f32[2]; const k f32[] 1; n = Neg(x); "
                               "y = If(c) then_branch={ a = Mul(n, k); b = Abs(a); out b } else_branch={ d = Abs(x); out d }; out y");
        QCOMPARE(q(branch.applications()), QString("one@y/then_branch/a"));
        QVERIFY2(q(branch.graph()).contains("then_branch=<b = Abs(n); out b>") && !q(branch.graph()).contains("k = "), branch.graph().c_str());
        const Rewritten loop =
            rewriteText(rules, "in x f32[2]; const m i64[] 3; const c bool[] 1; const k f32[] 2; const l f32[] 5; y = Loop(m, c, x) body={ "
                               "in i i64[]; in g bool[]; in s f32[2]; a = Add(s, k); b = Add(a, l); h = Identity(g); out h; out b }; out y");
        QCOMPARE(q(loop.applications()), QString("two@y/body/b"));
        QVERIFY2(q(loop.graph()).contains("b_constant = f32[]{7}; b = Add(s, b_constant)"), loop.graph().c_str());
        // What the body is given in each round is none.
        const Rewritten given =
            rewriteText(rules, "in x f32[2]; const m i64[] 3; const c bool[] 1; const k f32[] 1; y, z = Loop(m, c, x, k) body={ "
                               "in i i64[]; in g bool[]; in s f32[2]; in t f32[]; a = Mul(s, t); h = Identity(g); u = Add(t, t); out h; out a; out u "
                               "}; out y; out z");
        QCOMPARE(q(given.applications()), QString());
        // What a branch alone read of the graph around it goes with it.
        const Rewritten gone =
            rewriteText("rule r: sub(?x, ?x) => mul(?x, 0)",
                        "in c bool[]; in x f32[2]; const k f32[2] 1 2; y = If(c) then_branch={ a = Sub(k, k); b = Add(x, a); out b } "
                        "else_branch={ d = Abs(x); out d }; out y");
        QVERIFY2(q(gone.graph()).contains("a_value = f32[2]{0 0}") && !q(gone.graph()).contains("k = "), gone.graph().c_str());
    }

    void outputsKeepTheTypesThatWereDeclared() {
        const Rewritten ran =
            rewriteText("rule r: neg(?x) => mul(?x, -1)", "in x f32[n]; y = Neg(x); declare y f32[n]; z = NonZero(x); w = Neg(z); out y; out w");
        const Graph& plain = *ran.result->plain;
        QCOMPARE(q(plain.value(plain.outputs[0]).type.text()), QString("f32[n]"));
        QCOMPARE(q(plain.value(plain.outputs[1]).type.text()), QString("i64[?]")); // as many as data decides
    }

    void namesAreNewAndTheSameEachTime() {
        const std::string rules = "rule r: neg(?x) => relu(abs(relu(?x)))";
        const std::string graph = "in x f32[2]; y_Abs = Abs(x); y = Neg(y_Abs); out y";
        const Rewritten one = rewriteText(rules, graph);
        QCOMPARE(q(one.graph()), QString("x: f32[2]; y_Abs = Abs(x); y_Relu = Relu(y_Abs); y_Abs_2 = Abs(y_Relu); y = Relu(y_Abs_2); out y"));
        QCOMPARE(q(rewriteText(rules, graph).graph()), q(one.graph()));
        QCOMPARE(one.result->applications.front().newNodes, (std::vector<std::string>{"y_Relu", "y_Abs_2", "y"}));
    }

    void aReplacementThatTheRestCannotTakeIsRefused() {
        // By itself the types agree as far as they are known; where n is read as [2,3] they do not.
        const std::string rules = "rule r: reshape(?x, ?s) => \"my\":R(?x)\nrule s: neg(?x) => reshape(?x, shape(?x))";
        const Rewritten ran =
            rewriteText(rules, "in x f32[2,3]; in s i64[2]; n = Neg(x); r = Reshape(x, s); y = MatMul(r, n); out y", {.maxRounds = 1});
        QVERIFY2(ran.result.has_value(), ran.graph().c_str());
    }

    void foldingHasALimitAndMayBeLeft() {
        const std::string rules = "rule r: relu(?x) => add(?x, expand(0, [1000000000000, 4]))";
        const Rewritten huge = rewriteText(rules, "in x f32[n,4]; y = Relu(x); out y");
        QVERIFY2(huge.result.has_value(), huge.graph().c_str());
        const Rewritten small = rewriteText("rule r: relu(?x) => add(?x, mul(cast{to=f32}(3), 4))", "in x f32[2]; y = Relu(x); out y");
        QCOMPARE(q(small.graph()), QString("x: f32[2]; y_constant = f32[]{12}; y = Add(x, y_constant); out y"));
        const Rewritten left =
            rewriteText("rule r: relu(?x) => add(?x, mul(cast{to=f32}(3), 4))", "in x f32[2]; y = Relu(x); out y", {.fragment = {.fold = false}});
        QVERIFY2(q(left.graph()).contains("y_Mul = Mul("), left.graph().c_str());
    }

    void hostileReplacementsAreRefusedWithinBounds() {
        const std::string graph = "in x f32[2]; y = Relu(x); out y";
        std::string list = "rule r: relu(?x) => \"my\":F{a=[";
        for (int k = 0; k < 100'000; ++k) {
            list += (k == 0 ? "" : ",") + std::to_string(k);
        }
        QVERIFY(rewriteText(list + "]}(?x)", graph).result.has_value());
        QVERIFY(
            q(rewriteText("rule r: relu(?x) => \"my\":F{a=repeat(1, 99999999)}(?x)", graph).refusals()).contains("repeat(1, 99999999) is not known"));
        QVERIFY(q(rewriteText("rule r: relu(?x) => \"my\":F{a=9223372036854775807 + 1}(?x)", graph).refusals()).contains("is not known"));
        std::string many = "rule r: relu(?x) => concat{axis=0}(";
        for (int k = 0; k < 20'000; ++k) {
            many += (k == 0 ? "neg(?x)" : ", neg(?x)");
        }
        QVERIFY2(q(rewriteText(many + ")", graph).refusals()).contains("more than 10000 nodes"), rewriteText(many + ")", graph).refusals().c_str());
        QVERIFY(q(rewriteText("rule r: relu(?x) => result 4294967295 of split(?x, [1, 1])", graph).refusals()).contains("result"));
    }
};

QTEST_GUILESS_MAIN(TestRewrite)
#include "tst_rewrite.moc"
