// Whole graphs: sound rules keep what random graphs compute, regions are the graph again once put in, large graphs, broken rule texts.
#include "core/eval/evaluator.h"
#include "core/graph/infer.h"
#include "core/match/parser.h"
#include "core/match/static_check.h"
#include "core/rewrite/regions.h"
#include "tests/core/graph/graph_text.h"
#include "tests/core/prove/random_graph.h"
#include "tests/core/rewrite/rewrite_text.h"

#include <QTest>

#include <cmath>
#include <sstream>

using namespace lemmascope;
using prove_test::pick;
using prove_test::Random;
using test::rewriteOn;
using test::Rewritten;

namespace {

QString q(const std::string& text) { return QString::fromStdString(text); }

/// Each holds for real numbers; together they take part in most random graphs, feed each other, and come to an end.
constexpr const char* Sound = R"(
rule negneg: neg(neg(?x)) => ?x
rule sub: sub(?x, ?y) => add(?x, neg(?y))
rule twice: add(?x, ?x) => mul(?x, 2)
rule relu: relu(?x) => max(?x, 0)
rule abs: abs(?x) => max(?x, neg(?x))
rule leaky: leakyrelu{alpha=?a}(?x) => max(?x, mul(?x, ?a))
rule identity: identity(?x) => ?x
rule sigmoid: sigmoid(?x) => div(1, add(exp(neg(?x)), 1))
rule transposes: transpose{perm=?p}(transpose{perm=?q}(?x)) => transpose{perm=pick(?q, ?p)}(?x)
rule nothing: transpose{perm=?p}(?x) where ?p = range(0, rank(?x)) => ?x
rule through: %F(transpose{perm=?p}(?x)) where op(%F) = exp | op(%F) = tanh | op(%F) = neg => transpose{perm=?p}(%F(?x))
rule reshapes: reshape(reshape(?x, _), ?s) where is_const(?s) => reshape(?x, ints(?s))
rule mean: reducemean:13{axes=?a, keepdims=?k}(?x) where count(?a) = 1
    => div(reducesum{keepdims=?k}(?x, ?a), product(pick(shape(?x), ?a)))
rule softmax: softmax{axis=?a}(?x) => let ?e = exp(?x) in div(?e, reducesum{keepdims=1}(?e, [?a]))
rule distribute: mul(add(?x, ?b), ?c) => add(mul(?x, ?c), mul(?b, ?c))
rule gemm: matmul(?x, ?w) where rank(?x) = 2 & rank(?w) = 2 => gemm(?x, ?w)
rule slice: slice(?x, ?s, ?e, ?a) where is_const(?s) & is_const(?e) & is_const(?a) & item(ints(?a), 0) >= 0
    => gather{axis=item(ints(?a), 0)}(?x, range(item(ints(?s), 0), item(ints(?e), 0), 1))
rule concat: concat{axis=?a}(?x, ?x) => let ?s = split{axis=?a}(concat{axis=?a}(?x, ?x, ?x, ?x), [dim(?x, ?a) * 2, dim(?x, ?a) * 2]) in result 1 of ?s
)";

/// Outputs on these inputs; nothing where the graph cannot be run.
std::optional<std::vector<Tensor>> outputsOf(const std::shared_ptr<const Graph>& graph, const std::vector<std::optional<Tensor>>& inputs) {
    const auto typed = inferTypes(*graph);
    const auto tree = typed ? GraphTree::build(*typed) : Result<GraphTree>(tl::unexpected(typed.error()));
    if (!tree) {
        return std::nullopt;
    }
    const Result<Evaluation> run = evaluate(*tree, inputs, {.arithmetic = Arithmetic::Double});
    if (!run || run->fault) {
        return std::nullopt;
    }
    std::vector<Tensor> out;
    for (const ValueId output : tree->top().outputs) {
        if (!run->values[output.index]) {
            return std::nullopt;
        }
        out.push_back(*run->values[output.index]);
    }
    return out;
}

std::vector<std::optional<Tensor>> randomInputs(const Graph& graph, Random& random) {
    std::vector<std::optional<Tensor>> out;
    for (const ValueId input : graph.inputs) {
        const std::vector<std::int64_t> shape = *staticShape(*graph.value(input).type.shape);
        std::int64_t count = 1;
        for (const std::int64_t length : shape) {
            count *= length;
        }
        std::vector<float> elements;
        for (std::int64_t k = 0; k < count; ++k) {
            elements.push_back(static_cast<float>(static_cast<double>(random() % 4001) / 1000.0 - 2.0));
        }
        out.emplace_back(Tensor::of(ElementType::F32, shape, elements));
    }
    return out;
}

/// Where the tensors differ beyond what f64 arithmetic in another order explains; empty: nowhere.
QString difference(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k].shape() != b[k].shape()) {
            return "shapes";
        }
        for (std::int64_t i = 0; i < a[k].count(); ++i) {
            const double x = a[k].toDouble(i);
            const double y = b[k].toDouble(i);
            if (std::isfinite(x) && std::isfinite(y) && std::fabs(x - y) > 1e-6 * std::max({1.0, std::fabs(x), std::fabs(y)})) {
                return QString("element %1: %2 and %3").arg(i).arg(x).arg(y);
            }
        }
    }
    return {};
}

struct Outlined {
    std::shared_ptr<const Graph> before;
    Result<rewrite::RegionsResult> result;

    [[nodiscard]] QString regions() const {
        QString out;
        for (std::size_t k = 0; result && k < result->regions.size(); ++k) {
            const rewrite::Region& each = result->regions[k];
            const auto joined = [](const std::vector<std::string>& names) {
                std::string text;
                for (const std::string& name : names) {
                    text += (text.empty() ? "" : " ") + name;
                }
                return text;
            };
            out += q((k == 0 ? "" : "; ") + each.name + ": " + joined(each.inputs) + " -> " + joined(each.nodes) + " -> " + joined(each.outputs));
        }
        return result ? out : q("error: " + result.error().text());
    }
};

Outlined outline(const std::string& rules, const std::shared_ptr<const Graph>& graph) {
    const Result<match::RuleFile> file = match::parseRules(rules, "r");
    const Result<match::Programs> programs = match::compileRules(*file, match::checkStatically(*file));
    return {graph, rewrite::outlineRegions(graph, *file, *programs, {})};
}

} // namespace

class TestRewriteGraphs : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void soundRulesKeepWhatIsComputed() {
        Random random(20'261'130);
        std::map<std::string, std::size_t> applied;
        std::size_t compared = 0;
        for (int k = 0; k < 1'500; ++k) {
            const std::string text = prove_test::randomSketch(random).text();
            const auto graph = test::parseGraph(text);
            const Rewritten ran = rewriteOn(Sound, graph, {.maxRounds = 1 + pick(random, 12), .fragment = {.fold = pick(random, 4) != 0}});
            QVERIFY2(ran.result.has_value(), (text + "\n" + ran.graph()).c_str());
            for (const rewrite::RewriteApplication& each : ran.result->applications) {
                ++applied[each.rule];
            }
            const auto inputs = randomInputs(*graph, random);
            const auto before = outputsOf(graph, inputs);
            const auto after = outputsOf(ran.result->plain, inputs);
            if (!before) {
                continue;
            }
            QVERIFY2(after.has_value(), (text + "\n" + ran.graph()).c_str());
            const QString differs = difference(*before, *after);
            QVERIFY2(differs.isEmpty(), qPrintable(differs + "\n" + q(text) + "\n" + q(ran.applications()) + "\n" + q(ran.graph())));
            ++compared;
            // What is written is what was typed, and once more gives the same.
            QCOMPARE(q(rewriteOn(Sound, graph, {.maxRounds = 1}).graph()), q(rewriteOn(Sound, graph, {.maxRounds = 1}).graph()));
        }
        QVERIFY2(compared > 1'200, qPrintable(QString::number(compared)));
        for (const char* rule : {"negneg", "sub", "twice", "relu", "abs", "leaky", "identity", "sigmoid", "transposes", "nothing", "through",
                                 "reshapes", "mean", "softmax", "distribute", "gemm", "slice", "concat"}) {
            QVERIFY2(applied[rule] > 0, rule);
        }
    }

    void regionsAreTheGraphOnceMore() {
        Random random(7);
        std::size_t regions = 0;
        for (int k = 0; k < 600; ++k) {
            const auto graph = test::parseGraph(prove_test::randomSketch(random).text());
            const Outlined ran =
                outline("pattern chain(?x) = mu P(?u)[?x]. (ex %H. (%H(P(?u)) where cls(%H) = ew1) | ex %G. (%G(P(?u), _) where cls(%G) = ew2) | "
                        "ex %K. (%K(_) where cls(%K) = ew1))",
                        graph);
            QVERIFY2(ran.result.has_value(), qPrintable(ran.regions()));
            regions += ran.result->regions.size();
            const auto inputs = randomInputs(*graph, random);
            const auto before = outputsOf(graph, inputs);
            const auto after = outputsOf(ran.result->graph, inputs);
            QCOMPARE(before.has_value(), after.has_value());
            QVERIFY2(!before || difference(*before, *after).isEmpty(), qPrintable(ran.regions()));
        }
        QVERIFY(regions > 300);
    }

    void regionsAreMaximalAndDisjointAndMakeNoCycle() {
        const std::string epilog =
            "pattern epilog(?c) = mu P(?u)[?c]. (ex %H. (%H(P(?u)) where cls(%H) = ew1) | ex ?b. add(P(?u), ?b) | matmul(_, _))";
        const auto chain =
            test::parseGraph("in x f32[2,2]; const w f32[2,2]; m = MatMul(x, w); a = Add(m, w); r = Relu(a); t = Tanh(r); n = MatMul(t, w); "
                             "s = Sigmoid(n); out s");
        QCOMPARE(outline(epilog, chain).regions(), QString("epilog_1: x w -> m a r t -> t; epilog_2: t w -> n s -> s"));
        // A value in the middle is read outside: an output of the region.
        const auto tapped = test::parseGraph("in x f32[2,2]; const w f32[2,2]; m = MatMul(x, w); r = Relu(m); t = Tanh(r); out t; out m");
        QCOMPARE(outline(epilog, tapped).regions(), QString("epilog_1: x w -> m r t -> m t"));
        // Each alone is convex; both as one node would read each other.
        const auto crossed =
            test::parseGraph("in x f32[2]; a = Neg(x); b = Abs(x); c = Add(a, b); d = Sub(b, a); e = Relu(c); f = Tanh(d); out e; out f");
        const Outlined two = outline("pattern left = add(neg(_), _)\npattern right = sub(abs(_), _)", crossed);
        QCOMPARE(two.regions(), QString("left_1: x b -> a c -> a c"));
        QCOMPARE(q(two.result->refusals.front().reason), QString("a path leaves the nodes and comes back by a"));
    }

    void largeGraphsTakeOnePassARound() {
        // As many matches as nodes, all in one round; the result is again as long. Quadratic work would take minutes here.
        std::string text = "in x f32[n,8]; v0 = Relu(x)";
        for (int k = 1; k <= 20'000; ++k) {
            text += "; v" + std::to_string(k) + " = " + (k % 2 == 0 ? "Relu" : "Neg") + "(v" + std::to_string(k - 1) + ")";
        }
        const Rewritten ran = test::rewriteText("rule r: neg(?x) => mul(?x, -1)\nrule s: relu(?x) => max(?x, 0)", text + "; out v20000");
        QVERIFY2(ran.result.has_value(), ran.graph().c_str());
        QCOMPARE(ran.result->applications.size(), std::size_t{20'001});
        QCOMPARE(ran.result->rounds, std::size_t{1});
        QCOMPARE(ran.result->plain->nodes.size(), std::size_t{20'001});
    }

    void brokenRuleTextsBreakNothing() {
        const std::vector<std::string> words{"rule",
                                             "pattern",
                                             "let",
                                             "in",
                                             "=>",
                                             "(",
                                             ")",
                                             "{",
                                             "}",
                                             "[",
                                             "]",
                                             ",",
                                             "?x",
                                             "?y",
                                             "?p",
                                             "%F",
                                             "..xs",
                                             "none",
                                             "1",
                                             "-1",
                                             "0.5",
                                             "2",
                                             "add",
                                             "neg",
                                             "relu",
                                             "split",
                                             "reshape",
                                             "concat",
                                             "transpose",
                                             "perm=",
                                             "axis=",
                                             "shape(?x)",
                                             "dim(?x, 0)",
                                             "dim(?x, -1)",
                                             "rank(?x)",
                                             "range(0, 3)",
                                             "pick(?p, [1,0])",
                                             "+",
                                             "*",
                                             "//",
                                             " % ",
                                             "result 1 of",
                                             "where",
                                             "|",
                                             "&",
                                             "=",
                                             "is_const(?x)",
                                             "..?x",
                                             "\"my\":",
                                             "a:",
                                             "r:",
                                             "9223372036854775807"};
        const std::vector<std::string> seeds{"rule a : add ( ?x , ?y ) => neg ( add ( ?y , ?x ) )",
                                             "rule b : relu ( ?x ) => reshape ( ?x , shape(?x) )",
                                             "rule c : transpose { perm= ?p } ( ?x ) => transpose { perm= pick ( ?p , [0,1] ) } ( ?x )",
                                             "rule d : %F ( ?x ) where cls(%F) = ew1 => %F ( neg ( ?x ) )",
                                             "rule e : concat ( ?x , ..xs ) => let ?t = neg ( ?x ) in concat { axis= 0 } ( ..xs , ?t )",
                                             "rule f : relu ( ?x ) => mul ( ?x , 1 / sqrt ( dim(?x, 0) ) + 2 )"};
        const auto graph =
            test::parseGraph("in x f32[2,n]; in y f32[2,n]; const k i64[2] 2 -1; a = Add(x, y); r = Relu(a); t = Transpose(r) perm=[1,0]; "
                             "c = Concat(t, t) axis=0; s = Reshape(c, k); u, v = Split(s) axis=0; out u; out v");
        Random random(3);
        std::size_t read = 0;
        std::size_t replaced = 0;
        for (int k = 0; k < 8'000; ++k) {
            std::vector<std::string> tokens;
            std::istringstream seed(seeds[pick(random, seeds.size())]);
            for (std::string token; seed >> token;) {
                tokens.push_back(token);
            }
            for (std::size_t changes = 1 + pick(random, 4) / 3; changes > 0; --changes) {
                const auto at = tokens.begin() + static_cast<std::ptrdiff_t>(3 + pick(random, tokens.size() - 3));
                const std::string word = words[pick(random, words.size())];
                switch (pick(random, 3)) {
                case 0: tokens.insert(at, word); break;
                case 1: *at = word; break;
                default: tokens.erase(at); break;
                }
            }
            std::string text;
            for (const std::string& token : tokens) {
                text += token + " ";
            }
            rewrite::RewriteOptions options;
            options.maxRounds = 3;
            options.maxNodes = 2'000;
            options.machine.steps = 20'000;
            options.fragment.maxFoldedBytes = 1 << 20;
            const Rewritten ran = rewriteOn(text, graph, options);
            read += ran.result ? 1 : 0;
            if (ran.result && !ran.result->applications.empty()) {
                ++replaced;
                QVERIFY2(inferTypes(*ran.result->plain).has_value(), text.c_str());
            }
        }
        QVERIFY2(read > 500 && replaced > 100, qPrintable(QString("%1 read, %2 replaced").arg(read).arg(replaced)));
    }
};

QTEST_GUILESS_MAIN(TestRewriteGraphs)
#include "tst_rewrite_graphs.moc"
