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
            "refused: r@y: the graph output y needs a node of its own: what would replace it is an input, a constant or another output");
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
};

QTEST_GUILESS_MAIN(TestRewrite)
#include "tst_rewrite.moc"
