// Graphs with nested graphs, limits, faults, values given from outside.

#include "node_text.h"

#include <QtTest>

#include <chrono>
#include <thread>

using namespace lemmascope;
using namespace lemmascope::eval_test;

namespace {

using E = ElementType;

/// Builds graphs by name.
struct Builder {
    Graph graph;

    ValueId value(const std::string& name, E element = E::Undefined, std::vector<std::int64_t> shape = {}, bool ranked = false) {
        Value made{.name = name};
        made.type.element = element;
        if (ranked) {
            made.type.shape = Shape(shape.begin(), shape.end());
        }
        return graph.addValue(made);
    }
    ValueId input(const std::string& name, E element, const std::vector<std::int64_t>& shape) {
        const ValueId id = value(name, element, shape, true);
        graph.inputs.push_back(id);
        return id;
    }
    ValueId constant(const std::string& text) {
        const Tensor tensor = tensorOf(text);
        const ValueId id = value("c" + std::to_string(graph.values.size()), tensor.element());
        graph.values[id.index].constant = tensor;
        return id;
    }
    ValueId capture(ValueId outer, const std::string& name) {
        const ValueId id = value(name);
        graph.captures.push_back({id, outer});
        return id;
    }
    ValueId node(const std::string& op, std::vector<ValueId> operands, std::map<std::string, Attribute> attributes = {}, std::size_t results = 1) {
        Node made;
        made.op = {"", op, 17};
        made.operands = std::move(operands);
        made.attributes = std::move(attributes);
        for (std::size_t k = 0; k < results; ++k) {
            made.results.push_back(value(op + std::to_string(graph.nodes.size()) + "_" + std::to_string(k)));
        }
        const ValueId first = made.results.front();
        graph.addNode(std::move(made));
        return first;
    }
    std::shared_ptr<const Graph> share(std::vector<ValueId> outputs) {
        graph.outputs = std::move(outputs);
        return std::make_shared<const Graph>(graph);
    }
};

std::vector<std::optional<Tensor>> tensors(const std::vector<std::string>& texts) {
    std::vector<std::optional<Tensor>> out;
    for (const std::string& text : texts) {
        out.emplace_back(tensorOf(text));
    }
    return out;
}

std::string outputText(const std::shared_ptr<const Graph>& graph, const std::vector<std::string>& inputs, const EvaluateOptions& options = {}) {
    const GraphTree tree = GraphTree::build(graph).value();
    const Result<Evaluation> run = evaluate(tree, tensors(inputs), options);
    if (!run) {
        return run.error().message;
    }
    std::string out;
    for (const ValueId output : graph->outputs) {
        out += (out.empty() ? "" : " | ") + (run->values[output.index] ? textOf(*run->values[output.index]) : std::string("absent"));
    }
    const std::string complaint = enclosureComplaint(tree, tensors(inputs));
    return complaint.empty() ? out : out + " BUT " + complaint;
}

/// y = c ? x + 1 : 1 / x, with x captured.
std::shared_ptr<const Graph> branching(const std::string& element = "f32", E type = E::F32) {
    Builder top;
    const ValueId c = top.input("c", E::Bool, {});
    const ValueId x = top.input("x", type, {1});
    Builder yes;
    const ValueId yesX = yes.capture(x, "x");
    const auto yesGraph = yes.share({yes.node("Add", {yesX, yes.constant(element + "[1] 1")})});
    Builder no;
    const ValueId noX = no.capture(x, "x");
    const auto noGraph = no.share({no.node("Div", {no.constant(element + "[1] 1"), noX})});
    const ValueId y = top.node("If", {c}, {{"then_branch", yesGraph}, {"else_branch", noGraph}});
    return top.share({y});
}

} // namespace

class EvalControlTest : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void ifTakesOneBranch() {
        QCOMPARE(outputText(branching(), {"bool[] 1", "f32[1] 4"}), std::string("f32[1] 5"));
        QCOMPARE(outputText(branching(), {"bool[] 0", "f32[1] 4"}), std::string("f32[1] 0.25"));
    }

    void aBranchNotTakenDoesNotFault() {
        const auto graph = branching("i32", E::I32);
        const GraphTree tree = GraphTree::build(graph).value();
        QVERIFY(!evaluate(tree, tensors({"bool[] 1", "i32[1] 0"}))->fault);
        const Result<Evaluation> taken = evaluate(tree, tensors({"bool[] 0", "i32[1] 0"}));
        QVERIFY(taken->fault.has_value());
        QCOMPARE(taken->fault->kind, Fault::Kind::DivisionByZero);
        QCOMPARE(tree.path(taken->fault->node), std::string("If0_0/Div0_0"));
    }

    void undecidedIfTakesTheHull() {
        const auto graph = branching();
        const GraphTree tree = GraphTree::build(graph).value();
        EvaluateOptions options;
        options.arithmetic = Arithmetic::Enclosure;
        options.givenEnclosures[FlatValueId(graph->inputs[0].index)] = IntervalTensor{E::Bool, {}, {{0.0, 1.0, false}}};
        const Result<Evaluation> run = evaluate(tree, {std::nullopt, tensorOf("f32[1] 4")}, options);
        QVERIFY(run.has_value());
        const Interval y = run->enclosures[graph->outputs[0].index]->elements[0];
        QCOMPARE(y.lo, 0.25);
        QCOMPARE(y.hi, 5.0);
    }

    void bodiesRunTheirParts() {
        Builder body;
        const ValueId a = body.input("a", E::F32, {2});
        const ValueId b = body.input("b", E::F32, {2});
        const auto parts = body.share({body.node("Relu", {body.node("Sub", {a, b})})});
        Builder top;
        const ValueId x = top.input("x", E::F32, {2});
        const ValueId y = top.input("y", E::F32, {2});
        const ValueId z = top.node("Anything", {x, y});
        top.graph.nodes[0].body = parts;
        QCOMPARE(outputText(top.share({z}), {"f32[2] 3 1", "f32[2] 1 3"}), std::string("f32[2] 2 0"));
    }

    void loopsCarryAndStack() {
        // s = s + i while s < limit, each s stacked.
        Builder body;
        const ValueId i = body.input("i", E::I64, {});
        body.input("more", E::Bool, {});
        const ValueId s = body.input("s", E::I64, {});
        const ValueId next = body.node("Add", {s, i});
        const ValueId go = body.node("Less", {next, body.constant("i64[] 6")});
        const auto graph = body.share({go, next, next});
        Builder top;
        const ValueId trip = top.input("trip", E::I64, {});
        const ValueId start = top.input("start", E::I64, {});
        const ValueId first = top.node("Loop", {trip, ValueId(), start}, {{"body", graph}}, 2);
        const ValueId second(first.index + 1);
        top.graph.values[second.index].type = TensorType{E::I64, Shape{Dim(0)}};
        const auto whole = top.share({first, second});
        QCOMPARE(outputText(whole, {"i64[] 100", "i64[] 0"}), std::string("i64[] 6 | i64[4] 0 1 3 6"));
        QCOMPARE(outputText(whole, {"i64[] 2", "i64[] 0"}), std::string("i64[] 1 | i64[2] 0 1"));
        QCOMPARE(outputText(whole, {"i64[] 0", "i64[] 7"}), std::string("i64[] 7 | i64[0]"));
    }

    void scansReadRows() {
        Builder body;
        const ValueId s = body.input("s", E::F32, {1});
        const ValueId row = body.input("row", E::F32, {1});
        const ValueId sum = body.node("Add", {s, row});
        const auto graph = body.share({sum, sum});
        Builder top;
        const ValueId start = top.input("start", E::F32, {1});
        const ValueId rows = top.input("rows", E::F32, {3, 1});
        const ValueId last =
            top.node("Scan", {start, rows},
                     {{"body", graph}, {"num_scan_inputs", std::int64_t{1}}, {"scan_input_directions", std::vector<std::int64_t>{1}}}, 2);
        QCOMPARE(outputText(top.share({last, ValueId(last.index + 1)}), {"f32[1] 1", "f32[3,1] 1 2 4"}), std::string("f32[1] 8 | f32[3,1] 5 7 8"));
    }

    void endlessLoopsEndWithTheBudgetOrTheToken() {
        Builder body;
        body.input("i", E::I64, {});
        const ValueId more = body.input("more", E::Bool, {});
        const auto graph = body.share({body.node("Identity", {more})});
        Builder top;
        const ValueId go = top.input("go", E::Bool, {});
        Node loop;
        loop.op = {"", "Loop", 17};
        loop.operands = {ValueId(), go};
        loop.attributes = {{"body", graph}};
        top.graph.addNode(loop);
        const GraphTree tree = GraphTree::build(top.share({go})).value();
        EvaluateOptions options;
        options.maxOperations = 10'000;
        const Result<Evaluation> run = evaluate(tree, tensors({"bool[] 1"}), options);
        QVERIFY(!run.has_value());
        QCOMPARE(run.error().code, ErrorCode::TooLarge);
        std::stop_source source;
        std::jthread stopper([&source] {
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            source.request_stop();
        });
        const Result<Evaluation> cancelled = evaluate(tree, tensors({"bool[] 1"}), {}, source.get_token());
        QVERIFY(!cancelled.has_value());
        QCOMPARE(cancelled.error().code, ErrorCode::Cancelled);
    }

    void longKernelsAreCancelled() {
        Builder top;
        const ValueId x = top.input("x", E::F32, {900, 900});
        const ValueId y = top.node("MatMul", {x, top.node("MatMul", {x, top.node("MatMul", {x, top.node("MatMul", {x, x})})})});
        const GraphTree tree = GraphTree::build(top.share({y})).value();
        std::stop_source source;
        std::chrono::steady_clock::time_point stopped;
        std::jthread stopper([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            stopped = std::chrono::steady_clock::now();
            source.request_stop();
        });
        EvaluateOptions options;
        options.arithmetic = Arithmetic::Enclosure;
        const Result<Evaluation> run = evaluate(tree, {Tensor(E::F32, {900, 900})}, options, source.get_token());
        const auto took = std::chrono::steady_clock::now() - stopped;
        QVERIFY(!run.has_value());
        QCOMPARE(run.error().code, ErrorCode::Cancelled);
        QVERIFY(took < std::chrono::milliseconds(1000)); // 50 on a machine of one's own
    }

    void sizesAreCheckedBeforeAllocating() {
        Builder top;
        const ValueId shape = top.input("shape", E::I64, {3});
        const ValueId y = top.node("ConstantOfShape", {shape});
        const auto graph = top.share({y});
        const GraphTree tree = GraphTree::build(graph).value();
        for (const char* huge : {"i64[3] 100000 100000 100000", "i64[3] 9223372036854775807 9223372036854775807 2"}) {
            const Result<Evaluation> run = evaluate(tree, tensors({huge}));
            QVERIFY(!run.has_value());
        }
        const Result<Evaluation> negative = evaluate(tree, tensors({"i64[3] 1 -1 1"}));
        QVERIFY(!negative.has_value());
        QCOMPARE(outputText(graph, {"i64[3] 0 100000000 100000000"}), std::string("f32[0,100000000,100000000]"));
    }

    void absentValuesSpreadWithoutFailing() {
        Builder top;
        const ValueId x = top.input("x", E::F32, {1});
        const ValueId unknown = top.node("Frobnicate", {x});
        const ValueId y = top.node("Relu", {unknown});
        const ValueId z = top.node("Relu", {x});
        const auto graph = top.share({y, z});
        QCOMPARE(outputText(graph, {"f32[1] 2"}), std::string("absent | f32[1] 2"));
        EvaluateOptions options;
        options.given[FlatValueId(unknown.index)] = tensorOf("f32[1] 5");
        const GraphTree tree = GraphTree::build(graph).value();
        const Result<Evaluation> run = evaluate(tree, tensors({"f32[1] 2"}), options);
        QVERIFY(run->open.empty());
        QCOMPARE(textOf(*run->values[y.index]), std::string("f32[1] 5"));
    }

    void inputsAreChecked() {
        Builder top;
        Value x{.name = "x"};
        x.type = TensorType{E::F32, Shape{Dim::symbol("n"), Dim(2)}};
        Value y{.name = "y"};
        y.type = TensorType{E::F32, Shape{Dim::symbol("n") + Dim(1)}};
        const ValueId xId = top.graph.addValue(x);
        const ValueId yId = top.graph.addValue(y);
        top.graph.inputs = {xId, yId};
        const GraphTree tree = GraphTree::build(top.share({xId})).value();
        QVERIFY(evaluate(tree, tensors({"f32[1,2] 1 2", "f32[2] 1 2"})).has_value());
        QCOMPARE(evaluate(tree, tensors({"f32[1,2] 1 2", "f32[3] 1 2 3"})).error().message, std::string("input 'y' has shape [3], expected [n + 1]"));
        QCOMPARE(evaluate(tree, tensors({"f32[1,3] 1 2 3", "f32[2] 1 2"})).error().code, ErrorCode::ShapeMismatch);
        QCOMPARE(evaluate(tree, tensors({"f16[1,2] 1 2", "f32[2] 1 2"})).error().code, ErrorCode::ShapeMismatch);
        QCOMPARE(evaluate(tree, {tensorOf("f32[1,2] 1 2"), std::nullopt}).error().code, ErrorCode::ShapeMismatch);
        QCOMPARE(evaluate(tree, {}).error().code, ErrorCode::ShapeMismatch);
    }

    void outputsAloneCanBeKept() {
        Builder top;
        const ValueId x = top.input("x", E::F32, {1});
        const ValueId a = top.node("Neg", {x});
        const ValueId b = top.node("Add", {a, x});
        const ValueId c = top.node("Sub", {b, a});
        const auto graph = top.share({c});
        EvaluateOptions options;
        options.keepAll = false;
        const GraphTree tree = GraphTree::build(graph).value();
        const Result<Evaluation> run = evaluate(tree, tensors({"f32[1] 3"}), options);
        QCOMPARE(textOf(*run->values[c.index]), std::string("f32[1] 3"));
        QVERIFY(!run->values[a.index] && !run->values[b.index]);
    }

    void theFirstFaultIsNamed() {
        Builder top;
        const ValueId table = top.input("table", E::F32, {2});
        const ValueId rows = top.input("rows", E::I64, {2});
        const ValueId y = top.node("Gather", {table, rows});
        const ValueId z = top.node("Relu", {y});
        const GraphTree tree = GraphTree::build(top.share({z})).value();
        const Result<Evaluation> run = evaluate(tree, tensors({"f32[2] 1 2", "i64[2] 0 -3"}));
        QVERIFY(run->fault.has_value());
        QCOMPARE(run->fault->buffer, std::string("table"));
        QCOMPARE(run->fault->index, std::vector<std::int64_t>{-3});
        QCOMPARE(run->fault->size, std::vector<std::int64_t>{2});
        QCOMPARE(run->fault->node, FlatNodeId(std::size_t{0}));
        QVERIFY(!run->values[z.index]);
    }

    void singleNodesFold() {
        const OneNode one = nodeOf("Add@14; f32[1] 1; f32[1] 2");
        const Result<std::vector<Tensor>> folded = evaluateNode(one.graph->nodes[0], one.inputs);
        QCOMPARE(textOf(folded->at(0)), std::string("f32[1] 3"));
        const OneNode unknown = nodeOf("Frobnicate@1; f32[1] 1");
        QCOMPARE(evaluateNode(unknown.graph->nodes[0], unknown.inputs).error().code, ErrorCode::Unsupported);
        const OneNode dividing = nodeOf("Div@14; i32[1] 1; i32[1] 0");
        QVERIFY(!evaluateNode(dividing.graph->nodes[0], dividing.inputs).has_value());
        QVERIFY(hasKernel({"", "Softmax", 13}));
        QVERIFY(hasKernel({"ai.onnx", "Softmax", 13}, E::F16));
        QVERIFY(!hasKernel({"", "Softmax", 13}, E::I32));
        QVERIFY(!hasKernel({"", "LayerNormalisation", 17}));
        QVERIFY(!hasKernel({"", "Mish", 17}));
        QVERIFY(hasKernel({"", "If", 17}));
    }
};

QTEST_APPLESS_MAIN(EvalControlTest)
#include "tst_eval_control.moc"
