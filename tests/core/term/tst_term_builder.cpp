// Which nodes of two graphs are one term: forms of different opsets with one meaning are, forms with another meaning are not.

#include "core/graph/graph_tree.h"
#include "core/graph/infer.h"
#include "core/term/term_builder.h"

#include "tests/core/graph/graph_text.h"

#include <QtTest/QTest>

using namespace lemmascope;
using lemmascope::test::parseGraph;

namespace {

/// The term of the first output, inputs paired by position.
TermId termOf(TermStore& store, const std::string& text) {
    const auto graph = inferTypes(*parseGraph(text));
    if (!graph) {
        qFatal("%s: %s", text.c_str(), graph.error().message.c_str());
    }
    const Result<GraphTree> tree = GraphTree::build(*graph);
    std::vector<TermId> inputs;
    for (const ValueId input : (*graph)->inputs) {
        inputs.push_back(store.input(static_cast<std::uint32_t>(inputs.size()), (*graph)->value(input).type));
    }
    TermBuilder builder(store);
    const Result<GraphTerms> terms = builder.build(*tree, inputs);
    if (!terms) {
        qFatal("%s: %s", text.c_str(), terms.error().message.c_str());
    }
    return terms->values[(*graph)->outputs[0].index];
}

bool oneTerm(const std::string& a, const std::string& b) {
    TermStore store;
    const TermId first = termOf(store, a);
    return first == termOf(store, b);
}

const std::string X = "in x f32[2,3]; ";

} // namespace

class TestTermBuilder : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void formsOfOneMeaning_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        const auto row = [](const char* name, const char* a, const char* b) { QTest::newRow(name) << a << b; };
        row("Clip 6 and 11", "y = Clip@6(x) min=0.0 max=6.0; out y", "const l f32[] 0; const h f32[] 6; y = Clip@11(x, l, h); out y");
        row("Slice 1 and 10", "y = Slice@1(x) axes=[1] starts=[0] ends=[2]; out y",
            "const s i64[1] 0; const e i64[1] 2; const a i64[1] 1; y = Slice@13(x, s, e, a); out y");
        row("Slice with negative ends", "y = Slice@1(x) axes=[1] starts=[0] ends=[2]; out y",
            "const s i64[1] 0; const e i64[1] -1; const a i64[1] -1; y = Slice@13(x, s, e, a); out y");
        row("Squeeze attribute and operand", "u = Unsqueeze@11(x) axes=[0]; y = Squeeze@11(u) axes=[0]; out y",
            "const a i64[1] 0; u = Unsqueeze@13(x, a); y = Squeeze@13(u, a); out y");
        row("Unsqueeze and Reshape", "y = Unsqueeze@11(x) axes=[1]; out y", "const s i64[3] 2 1 3; y = Reshape(x, s); out y");
        row("Split 11 and 13", "y, z = Split@11(x) axis=1 split=[1,2]; out y", "const s i64[2] 1 2; y, z = Split@13(x, s) axis=1; out y");
        row("Split and Slice", "y, z = Split@11(x) axis=1 split=[1,2]; out z",
            "const s i64[1] 1; const e i64[1] 3; const a i64[1] 1; z = Slice@13(x, s, e, a); out z");
        row("ReduceSum 11 and 13", "y = ReduceSum@11(x) axes=[1]; out y", "const a i64[1] 1; y = ReduceSum@13(x, a); out y");
        row("ReduceSum negative axis", "y = ReduceSum@11(x) axes=[-1]; out y", "const a i64[1] 1; y = ReduceSum@13(x, a); out y");
        row("Pad 2 and 11", "y = Pad@2(x) pads=[0,1,0,0]; out y", "const p i64[4] 0 1 0 0; y = Pad@11(x, p); out y");
        row("Softmax of a negative axis", "y = Softmax@13(x) axis=-1; out y", "y = Softmax@13(x) axis=1; out y");
        row("Transpose default", "y = Transpose(x); out y", "y = Transpose(x) perm=[1,0]; out y");
        row("Dropout is nothing", "y = Dropout@12(x); out y", "y = Identity(x); out y");
        row("If on a constant", "const c bool[] 1; y = If(c) then_branch={ a = Neg(x); out a } else_branch={ b = Relu(x); out b }; out y",
            "y = Neg(x); out y");
        row("a fused op", "y = fused:{ in p; q = Neg(p); r = Relu(q); out r }(x); out y", "q = Neg(x); y = Relu(q); out y");
        // Defaults left out and written, and constants moved before an op that nothing looks into.
        row("LSTM defaults", "in a f32[5,1,2]; in w f32[1,12,2]; in r f32[1,12,3]; q, y = LSTM@14(a, w, r) hidden_size=3; out y",
            "in a f32[5,1,2]; in w f32[1,12,2]; in r f32[1,12,3]; q, y = LSTM@14(a, w, r) hidden_size=3 direction=forward input_forget=0 "
            "layout=0; out y");
        row("TopK defaults", "const k i64[1] 2; v, y = TopK@11(x, k); out y",
            "const k i64[1] 2; v, y = TopK@11(x, k) axis=-1 largest=1 sorted=1; out y");
        row("NonZero of defaults left out and written", "a = Flatten(x); y = NonZero(a); out y", "a = Flatten(x) axis=1; y = NonZero(a); out y");
        row("a moved constant in an LSTM",
            "in a f32[5,1,2]; in w f32[1,4,2]; const r f32[1,4,1] 1 2 3 4; const i i64[1] 0; const h i64[1] 2; const n i64[1] 4; const e i64[1] 1; "
            "p = Slice@13(r, i, h, e); s = Slice@13(r, h, n, e); t = Concat(s, p) axis=1; q, y = LSTM@14(a, w, t); out y",
            "in a f32[5,1,2]; in w f32[1,4,2]; const r f32[1,4,1] 3 4 1 2; q, y = LSTM@14(a, w, r); out y");
        row("a transposed constant in an LSTM",
            "in a f32[5,1,2]; const w f32[1,2,4] 1 2 3 4 5 6 7 8; in r f32[1,4,1]; t = Transpose(w) perm=[0,2,1]; q, y = LSTM@14(a, t, r); out y",
            "in a f32[5,1,2]; const w f32[1,4,2] 1 5 2 6 3 7 4 8; in r f32[1,4,1]; q, y = LSTM@14(a, w, r); out y");
        row("a slice of a whole axis whose length may be thought negative",
            "in a f32[1,1,n]; const w f32[1,1,9] 1 2 3 4 5 6 7 8 9; c = Conv(a, w); const s i64[1] 0; const e i64[1] 9223372036854775807; const d "
            "i64[1] 2; "
            "y = Slice@13(c, s, e, d); out y",
            "in a f32[1,1,n]; const w f32[1,1,9] 1 2 3 4 5 6 7 8 9; y = Conv(a, w); out y");
        row("Clip to infinity", "const l f32[] 0; const h f32[] inf; y = Clip@11(x, l, h); out y", "const l f32[] 0; y = Clip@11(x, l); out y");
        row("Loop bodies",
            "const m i64[] 3; const t bool[] 1; y = Loop(m, t, x) body={ in i i64[]; in c bool[]; in v; w = Relu(v); out c, w }; out y",
            "const m i64[] 3; const t bool[] 1; y = Loop(m, t, x) body={ in j i64[]; in d bool[]; in u; z = Relu(u); out d, z }; out y");
    }
    void formsOfOneMeaning() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        QVERIFY(oneTerm(X + a.toStdString(), X + b.toStdString()));
    }

    void formsOfAnotherMeaning_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        const auto row = [](const char* name, const char* a, const char* b) { QTest::newRow(name) << a << b; };
        row("LSTM directions", "in a f32[5,1,2]; in w f32[1,12,2]; in r f32[1,12,3]; q, y = LSTM@14(a, w, r) hidden_size=3; out y",
            "in a f32[5,1,2]; in w f32[1,12,2]; in r f32[1,12,3]; q, y = LSTM@14(a, w, r) hidden_size=3 direction=reverse; out y");
        row("TopK smallest", "const k i64[1] 2; v, y = TopK@11(x, k); out y", "const k i64[1] 2; v, y = TopK@11(x, k) largest=0; out y");
        row("another constant in an LSTM",
            "in a f32[5,1,2]; const w f32[1,2,4] 1 2 3 4 5 6 7 8; in r f32[1,4,1]; t = Transpose(w) perm=[0,2,1]; q, y = LSTM@14(a, t, r); out y",
            "in a f32[5,1,2]; const w f32[1,4,2] 1 2 3 4 5 6 7 8; in r f32[1,4,1]; q, y = LSTM@14(a, w, r); out y");
        row("a slice that leaves one out",
            "in a f32[1,1,n]; const w f32[1,1,9] 1 2 3 4 5 6 7 8 9; c = Conv(a, w); const s i64[1] 1; const e i64[1] 9223372036854775807; const d "
            "i64[1] 2; "
            "y = Slice@13(c, s, e, d); out y",
            "in a f32[1,1,n]; const w f32[1,1,9] 1 2 3 4 5 6 7 8 9; y = Conv(a, w); out y");
        row("Clip from infinity", "const l f32[] inf; y = Clip@11(x, l); out y", "y = Identity(x); out y");
        // Before opset 13 the axes from `axis` on are one; with axis 0 that is all of them.
        row("Softmax 11 and 13", "y = Softmax@11(x) axis=0; out y", "y = Softmax@13(x) axis=0; out y");
        row("Softmax defaults", "u = Transpose(x); y = Softmax@13(u) axis=0; out y", "u = Transpose(x); y = Softmax@13(u); out y");
        row("Clip bounds", "y = Clip@6(x) min=0.0 max=6.0; out y", "y = Clip@6(x) min=0.0 max=5.0; out y");
        row("Clip without one", "y = Clip@6(x) min=0.0; out y", "y = Clip@6(x) max=0.0; out y");
        row("Slice steps", "const s i64[1] 0; const e i64[1] 3; const a i64[1] 1; const t i64[1] 2; y = Slice@13(x, s, e, a, t); out y",
            "const s i64[1] 0; const e i64[1] 2; const a i64[1] 1; y = Slice@13(x, s, e, a); out y");
        row("operand order", "u = Relu(x); y = Sub(x, u); out y", "u = Relu(x); y = Sub(u, x); out y");
        row("Pad values", "const p i64[4] 0 1 0 0; const v f32[] 1; y = Pad@11(x, p, v); out y", "const p i64[4] 0 1 0 0; y = Pad@11(x, p); out y");
        row("Pad sides", "y = Pad@2(x) pads=[0,1,0,0]; out y", "y = Pad@2(x) pads=[0,0,0,1]; out y");
        row("keepdims", "y = ReduceSum@11(x) axes=[1] keepdims=0; out y", "y = ReduceSum@11(x) axes=[1]; out y");
        row("reduced axis", "y = ReduceMax@13(x) axes=[1] keepdims=0; z = ReduceMax@13(y) keepdims=0; out z",
            "y = ReduceMin@13(x) axes=[1] keepdims=0; z = ReduceMax@13(y) keepdims=0; out z");
        row("LeakyRelu alpha", "y = LeakyRelu(x) alpha=0.25; out y", "y = LeakyRelu(x); out y");
        row("Cast target", "y = Cast(x) to=10; z = Cast(y) to=1; out z", "y = Identity(x); z = Cast(y) to=1; out z");
        row("random nodes", "r = RandomNormalLike(x); y = Add(x, r); out y", "r = RandomUniformLike(x); y = Add(x, r); out y");
        row("another branch", "const c bool[] 1; y = If(c) then_branch={ a = Neg(x); out a } else_branch={ b = Relu(x); out b }; out y",
            "y = Relu(x); out y");
        row("Loop bodies",
            "const m i64[] 3; const t bool[] 1; y = Loop(m, t, x) body={ in i i64[]; in c bool[]; in v; w = Relu(v); out c, w }; out y",
            "const m i64[] 3; const t bool[] 1; y = Loop(m, t, x) body={ in i i64[]; in c bool[]; in v; w = Neg(v); out c, w }; out y");
        row("Loop counts", "const m i64[] 3; const t bool[] 1; y = Loop(m, t, x) body={ in i i64[]; in c bool[]; in v; w = Exp(v); out c, w }; out y",
            "const m i64[] 4; const t bool[] 1; y = Loop(m, t, x) body={ in i i64[]; in c bool[]; in v; w = Exp(v); out c, w }; out y");
        row("unknown ops", "y = custom::Foo(x) mode=1; declare y f32[2,3]; out y", "y = custom::Foo(x) mode=2; declare y f32[2,3]; out y");
    }
    void formsOfAnotherMeaning() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        QVERIFY(!oneTerm(X + a.toStdString(), X + b.toStdString()));
        // Each is itself: the difference above is not a failure to share.
        QVERIFY(a.contains("Random") || oneTerm(X + a.toStdString(), X + a.toStdString()));
    }

    void symbolicSizesShare() {
        const std::string head = "in x f32[n,6]; ";
        QVERIFY(oneTerm(head + "const s i64[3] 0 2 3; u = Reshape(x, s); const b i64[2] 0 6; y = Reshape(u, b); z = Relu(y); out z",
                        head + "z = Relu(x); out z"));
        QVERIFY(oneTerm(head + "u = Transpose(x); v = Relu(u); y = Transpose(v); out y", head + "y = Relu(x); out y"));
        QVERIFY(!oneTerm(head + "const s i64[2] -1 6; u = Transpose(x); y = Reshape(u, s); out y", head + "y = Identity(x); out y"));
    }

    void nodesThatReachNoOutputAreDead() {
        TermStore store;
        const auto graph = inferTypes(*parseGraph("in x f32[2]; a = Neg(x); b = Exp(x); y = Relu(a); out y"));
        const Result<GraphTree> tree = GraphTree::build(*graph);
        TermBuilder builder(store);
        const std::vector<TermId> inputs{store.input(0, (*graph)->value((*graph)->inputs[0]).type)};
        const Result<GraphTerms> terms = builder.build(*tree, inputs);
        QVERIFY(terms);
        QCOMPARE(terms->live, (std::vector<bool>{true, false, true}));
    }

    void stoppingStops() {
        TermStore store;
        const auto graph = inferTypes(*parseGraph("in x f32[2]; y = Relu(x); out y"));
        const Result<GraphTree> tree = GraphTree::build(*graph);
        TermBuilder builder(store);
        std::stop_source source;
        source.request_stop();
        const std::vector<TermId> inputs{store.input(0, (*graph)->value((*graph)->inputs[0]).type)};
        const Result<GraphTerms> terms = builder.build(*tree, inputs, source.get_token());
        QVERIFY(!terms);
        QCOMPARE(terms.error().code, ErrorCode::Cancelled);
    }
};

QTEST_APPLESS_MAIN(TestTermBuilder)
#include "tst_term_builder.moc"
