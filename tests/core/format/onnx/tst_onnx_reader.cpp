#include "core/format/onnx/onnx_reader.h"
#include "core/graph/graph_tree.h"
#include "tests/core/format/onnx/graph_text.h"
#include "tests/core/format/onnx/model_maker.h"

#include <QtTest>

using namespace lemmascope;
using namespace lemmascope::test;
using onnx::AttributeProto;
using onnx::TensorProto;

namespace {

/// The error's text, or "read" when there was none.
std::string errorOf(const Result<std::shared_ptr<const Graph>>& read) { return read ? "read" : read.error().text(); }

const Value& valueNamed(const Graph& graph, const std::string& name) { return graph.value(graph.findValue(name)); }

std::string notesOf(const Graph& graph) {
    std::string out;
    for (const std::string& note : graph.notes) {
        out += note + "\n";
    }
    return out;
}

/// If(c) with two branches of one node each; branch results are named after the branch.
onnx::NodeProto& addIf(onnx::GraphProto& graph, const std::string& read) {
    onnx::NodeProto& node = addNode(graph, "If", {"c"}, {"r"}, "choice");
    for (const char* branch : {"then_branch", "else_branch"}) {
        AttributeProto& attribute = *node.add_attribute();
        attribute.set_name(branch);
        attribute.set_type(AttributeProto::GRAPH);
        addNode(*attribute.mutable_g(), "Neg", {read}, {"inside"});
        attribute.mutable_g()->add_output()->set_name("inside");
    }
    return node;
}

onnx::FunctionProto& addFunction(onnx::ModelProto& model, const std::string& name, const std::vector<std::string>& inputs,
                                 const std::vector<std::string>& outputs) {
    onnx::FunctionProto& function = *model.add_functions();
    function.set_domain("own");
    function.set_name(name);
    function.add_opset_import()->set_version(15);
    for (const std::string& input : inputs) {
        function.add_input(input);
    }
    for (const std::string& output : outputs) {
        function.add_output(output);
    }
    return function;
}

} // namespace

class TestOnnxReader : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void opsetOfEachDomainGivesVersions();
    void oldFilesWithoutOpsetsAreOfOpsetOne();
    void initializersThatAreInputsAreConstants();
    void constantNodesBecomeConstants();
    void lengthsBecomeNumbersAndSymbols();
    void nodesAreSortedStably();
    void circlesAreNamed();
    void branchesCaptureAndShadow();
    void whatBranchesReadOrdersNodes();
    void functionsGetBodies();
    void functionsSubstituteAttributes();
    void functionsMayCallEachOtherButNotThemselves();
    void functionsThatGrowExponentiallyShareBodies();
    void overloadsPickFunctions();
    void leftOutOperandsAreLeftOutInsideFunctions();
    void listsOfTensorsAndTypesTellNodesApart();
    void rangesAreRead();
    void sequencesAreCarried();
    void badModelsAreExplained_data();
    void badModelsAreExplained();
    void manyNodesAreReadInTime();
    void cancelStops();
};

void TestOnnxReader::opsetOfEachDomainGivesVersions() {
    onnx::ModelProto model = reluModel();
    auto* import = model.add_opset_import();
    import->set_domain("com.microsoft");
    import->set_version(1);
    addNode(*model.mutable_graph(), "Gelu", {"x"}, {"z"}).set_domain("com.microsoft");
    addNode(*model.mutable_graph(), "Abs", {"x"}, {"a"}).set_domain("ai.onnx");
    addNode(*model.mutable_graph(), "Own", {"x"}, {"b"}).set_domain("unheard");
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE((*graph)->nodes[0].op, (OpId{"", "Relu", 17}));
    QCOMPARE((*graph)->nodes[1].op, (OpId{"com.microsoft", "Gelu", 1}));
    QCOMPARE((*graph)->nodes[2].op, (OpId{"", "Abs", 17}));
    QCOMPARE((*graph)->nodes[3].op, (OpId{"unheard", "Own", 0}));
}

void TestOnnxReader::oldFilesWithoutOpsetsAreOfOpsetOne() {
    onnx::ModelProto model = reluModel();
    model.clear_opset_import();
    QVERIFY(errorOf(readModel(model)).find("imports no opset") != std::string::npos);
    model.set_ir_version(2);
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE((*graph)->nodes[0].op.version, 1);
}

void TestOnnxReader::initializersThatAreInputsAreConstants() {
    onnx::ModelProto model = reluModel();
    addInitializer(*model.mutable_graph(), "w", TensorProto::FLOAT, {2}).set_raw_data(std::string(8, '\0'));
    addValue(*model.mutable_graph()->add_input(), "w", {"2"});
    addNode(*model.mutable_graph(), "Add", {"x", "w"}, {"s"});
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE((*graph)->inputs.size(), std::size_t{1});
    QVERIFY(valueNamed(**graph, "w").constant.has_value());
    QCOMPARE(notesOf(**graph), std::string("initializer 'w' is also an input: taken as a constant\n"));
}

void TestOnnxReader::constantNodesBecomeConstants() {
    onnx::ModelProto model = reluModel();
    const auto add = [&](const std::string& result, const std::string& key, AttributeProto::AttributeType type) -> AttributeProto& {
        AttributeProto& attribute = *addNode(*model.mutable_graph(), "Constant", {}, {result}).add_attribute();
        attribute.set_name(key);
        attribute.set_type(type);
        return attribute;
    };
    auto* tensor = add("tensor", "value", AttributeProto::TENSOR).mutable_t();
    tensor->set_data_type(TensorProto::INT32);
    tensor->add_dims(2);
    tensor->add_int32_data(-7);
    tensor->add_int32_data(9);
    add("float", "value_float", AttributeProto::FLOAT).set_f(1.5F);
    add("int", "value_int", AttributeProto::INT).set_i(-3);
    add("zero", "value_int", AttributeProto::INT); // a proto3 writer leaves a zero out
    add("string", "value_string", AttributeProto::STRING).set_s("s");
    AttributeProto& floats = add("floats", "value_floats", AttributeProto::FLOATS);
    floats.add_floats(0.5F);
    floats.add_floats(2.0F);
    add("ints", "value_ints", AttributeProto::INTS);
    add("strings", "value_strings", AttributeProto::STRINGS).add_strings("t");
    auto* sparse = add("sparse", "sparse_value", AttributeProto::SPARSE_TENSOR).mutable_sparse_tensor();
    sparse->add_dims(2);
    sparse->add_dims(3);
    sparse->mutable_values()->set_data_type(TensorProto::FLOAT);
    sparse->mutable_values()->add_dims(2);
    sparse->mutable_values()->add_float_data(4.0F);
    sparse->mutable_values()->add_float_data(5.0F);
    sparse->mutable_indices()->set_data_type(TensorProto::INT64);
    for (const std::int64_t dim : {2, 2}) {
        sparse->mutable_indices()->add_dims(dim);
    }
    for (const std::int64_t coordinate : {0, 2, 1, 0}) {
        sparse->mutable_indices()->add_int64_data(coordinate);
    }
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE((*graph)->nodes.size(), std::size_t{1});
    const auto constant = [&](const std::string& name) { return *valueNamed(**graph, name).constant; };
    QVERIFY(constant("tensor").sameBits(Tensor::of<std::int32_t>(ElementType::I32, {2}, {-7, 9})));
    QVERIFY(constant("float").sameBits(Tensor::of<float>(ElementType::F32, {}, {1.5F})));
    QVERIFY(constant("int").sameBits(Tensor::of<std::int64_t>(ElementType::I64, {}, {-3})));
    QVERIFY(constant("zero").sameBits(Tensor::of<std::int64_t>(ElementType::I64, {}, {0})));
    QVERIFY(constant("string").sameBits(Tensor::ofStrings({}, {"s"})));
    QVERIFY(constant("floats").sameBits(Tensor::of<float>(ElementType::F32, {2}, {0.5F, 2.0F})));
    QVERIFY(constant("ints").sameBits(Tensor::of<std::int64_t>(ElementType::I64, {0}, {})));
    QVERIFY(constant("strings").sameBits(Tensor::ofStrings({1}, {"t"})));
    QVERIFY(constant("sparse").sameBits(Tensor::of<float>(ElementType::F32, {2, 3}, {0, 0, 4, 5, 0, 0})));
}

void TestOnnxReader::lengthsBecomeNumbersAndSymbols() {
    onnx::ModelProto model = emptyModel();
    auto& graphProto = *model.mutable_graph();
    addValue(*graphProto.add_input(), "a", {"3", "n", "", "-1"});
    addValue(*graphProto.add_input(), "b", {"a.2", "0"}, TensorProto::INT64);
    graphProto.add_input()->set_name("c");
    graphProto.mutable_input(2)->mutable_type()->mutable_tensor_type()->set_elem_type(TensorProto::BOOL);
    addNode(graphProto, "Foo", {"a", "b", "c"}, {"y"});
    addValue(*graphProto.add_output(), "y", {"", "m"});
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE(valueNamed(**graph, "a").type.text(), std::string("f32[3,n,a.2',a.3]")); // the file itself calls a length a.2
    QCOMPARE(valueNamed(**graph, "b").type.text(), std::string("i64[a.2,0]"));
    QVERIFY(!valueNamed(**graph, "c").type.shape.has_value());
    QCOMPARE(valueNamed(**graph, "y").type.text(), std::string("f32[y.0,m]"));
}

void TestOnnxReader::nodesAreSortedStably() {
    onnx::ModelProto model = emptyModel();
    auto& graphProto = *model.mutable_graph();
    addValue(*graphProto.add_input(), "x", {"2"});
    addNode(graphProto, "Add", {"p", "q"}, {"y"}, "last");
    addNode(graphProto, "Abs", {"x"}, {"q"}, "second");
    addNode(graphProto, "Neg", {"x"}, {"p"}, "third");
    addNode(graphProto, "Exp", {"x"}, {"e"}, "fourth");
    addValue(*graphProto.add_output(), "y", {"2"});
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    std::string names;
    for (const Node& node : (*graph)->nodes) {
        names += node.name + " ";
    }
    QCOMPARE(names, std::string("second third last fourth "));
    QVERIFY(!(*graph)->notes.empty());
}

void TestOnnxReader::circlesAreNamed() {
    onnx::ModelProto model = reluModel();
    addNode(*model.mutable_graph(), "Neg", {"a"}, {"b"}, "one");
    addNode(*model.mutable_graph(), "Neg", {"b"}, {"c"}, "two");
    addNode(*model.mutable_graph(), "Add", {"c", "x"}, {"a"}, "three");
    addNode(*model.mutable_graph(), "Add", {"a", "x"}, {"d"}, "behind");
    const std::string error = errorOf(readModel(model));
    QCOMPARE(error, std::string("model.onnx: nodes depend on each other in a circle: 'two' -> 'three' -> 'one' -> 'two'"));
}

void TestOnnxReader::branchesCaptureAndShadow() {
    onnx::ModelProto model = reluModel();
    auto& graphProto = *model.mutable_graph();
    addValue(*graphProto.add_input(), "c", {}, TensorProto::BOOL);
    onnx::NodeProto& choice = addIf(graphProto, "x");
    // A graph in the then branch's graph: reads x through it, and a name of its own that hides the outer y.
    auto& inner = *choice.mutable_attribute(0)->mutable_g();
    onnx::NodeProto& nested = addIf(inner, "x");
    nested.set_output(0, "r2");
    auto& deep = *nested.mutable_attribute(0)->mutable_g();
    addNode(deep, "Abs", {"x"}, {"y"});
    addNode(deep, "Exp", {"y"}, {"deepest"});
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    const Node& node = (*graph)->nodes[1];
    const auto branch = *node.attribute<std::shared_ptr<const Graph>>("then_branch");
    QCOMPARE(branch->captures.size(), std::size_t{2}); // x, and c for the inner If
    const Capture x = branch->captures[0];
    QCOMPARE((*graph)->value(x.outer).name, std::string("x"));
    QCOMPARE(branch->value(x.inner).type.text(), std::string("f32[2]"));
    const auto deepest = *branch->nodes[1].attribute<std::shared_ptr<const Graph>>("then_branch");
    QCOMPARE(deepest->captures.size(), std::size_t{1});
    QCOMPARE(deepest->captures[0].outer, x.inner);
    const Node& exp = deepest->nodes[2];
    QCOMPARE(deepest->value(exp.operands[0]).producer, NodeId(std::size_t{1})); // the inner y, not the outer one
    QVERIFY(GraphTree::build(*graph).has_value());
}

void TestOnnxReader::whatBranchesReadOrdersNodes() {
    onnx::ModelProto model = reluModel();
    auto& graphProto = *model.mutable_graph();
    addValue(*graphProto.add_input(), "c", {}, TensorProto::BOOL);
    addIf(graphProto, "late");
    addNode(graphProto, "Neg", {"x"}, {"late"}, "maker");
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE((*graph)->nodes[1].name, std::string("maker"));
    QCOMPARE((*graph)->nodes[2].name, std::string("choice"));
    graphProto.mutable_node(2)->set_input(0, "r"); // now the branch reads what reads the If
    QCOMPARE(errorOf(readModel(model)), std::string("model.onnx: nodes depend on each other in a circle: 'maker' -> 'choice' -> 'maker'"));
}

void TestOnnxReader::functionsGetBodies() {
    onnx::ModelProto model = reluModel();
    onnx::FunctionProto& function = addFunction(model, "Twice", {"p"}, {"q"});
    addNode(function, "Add", {"p", "p"}, {"q"});
    addNode(*model.mutable_graph(), "Twice", {"y"}, {"z"}).set_domain("own");
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    const Node& call = (*graph)->nodes[1];
    QVERIFY(call.body != nullptr);
    QCOMPARE(call.op.text(), std::string("own.Twice"));
    QCOMPARE(call.body->nodes[0].op, (OpId{"", "Add", 15})); // the function's own import
    QCOMPARE(call.body->inputs.size(), std::size_t{1});
    QCOMPARE(call.body->outputs.size(), std::size_t{1});
}

void TestOnnxReader::functionsSubstituteAttributes() {
    onnx::ModelProto model = reluModel();
    onnx::FunctionProto& function = addFunction(model, "Soft", {"p"}, {"q"});
    function.add_attribute("axis");
    AttributeProto& byDefault = *function.add_attribute_proto();
    byDefault.set_name("alpha");
    byDefault.set_type(AttributeProto::FLOAT);
    byDefault.set_f(0.25F);
    const auto refer = [](onnx::NodeProto& node, const std::string& key, const std::string& to, AttributeProto::AttributeType type) {
        AttributeProto& attribute = *node.add_attribute();
        attribute.set_name(key);
        attribute.set_type(type);
        attribute.set_ref_attr_name(to);
    };
    onnx::NodeProto& softmax = addNode(function, "Softmax", {"p"}, {"s"});
    refer(softmax, "axis", "axis", AttributeProto::INT);
    onnx::NodeProto& leaky = addNode(function, "LeakyRelu", {"s"}, {"q"});
    refer(leaky, "alpha", "alpha", AttributeProto::FLOAT);
    for (const std::int64_t axis : {0, 1}) {
        onnx::NodeProto& call = addNode(*model.mutable_graph(), "Soft", {"y"}, {"z" + std::to_string(axis)});
        call.set_domain("own");
        addInt(call, "axis", axis);
    }
    addNode(*model.mutable_graph(), "Soft", {"y"}, {"bare"}).set_domain("own");
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    for (const std::int64_t axis : {0, 1}) {
        const Graph& body = *(*graph)->nodes[static_cast<std::size_t>(axis) + 1].body;
        QCOMPARE(*body.nodes[0].attribute<std::int64_t>("axis"), axis);
        QCOMPARE(*body.nodes[1].attribute<float>("alpha"), 0.25F);
    }
    QVERIFY((*graph)->nodes[3].body->nodes[0].attributes.empty()); // not given, no default: the inner op's own default
}

void TestOnnxReader::functionsMayCallEachOtherButNotThemselves() {
    onnx::ModelProto model = reluModel();
    addNode(addFunction(model, "Outer", {"p"}, {"q"}), "Inner", {"p"}, {"q"}).set_domain("own");
    auto* import = model.add_opset_import();
    import->set_domain("own");
    import->set_version(1);
    onnx::FunctionProto& inner = addFunction(model, "Inner", {"p"}, {"q"});
    addNode(inner, "Neg", {"p"}, {"q"});
    addNode(*model.mutable_graph(), "Outer", {"y"}, {"z"}, "top").set_domain("own");
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QVERIFY((*graph)->nodes[1].body->nodes[0].body != nullptr);
    inner.mutable_node(0)->set_op_type("Outer");
    inner.mutable_node(0)->set_domain("own");
    QCOMPARE(errorOf(readModel(model)),
             std::string("model.onnx: function 'Inner': node 'q': function 'Outer' calls itself, directly or through others"));
}

void TestOnnxReader::functionsThatGrowExponentiallyShareBodies() {
    onnx::ModelProto model = reluModel();
    constexpr int Depth = 60; // 2^60 nodes if every call were its own
    for (int k = 0; k < Depth; ++k) {
        onnx::FunctionProto& function = addFunction(model, "F" + std::to_string(k), {"p"}, {"q"});
        const std::string next = k + 1 < Depth ? "F" + std::to_string(k + 1) : "Neg";
        const std::string domain = k + 1 < Depth ? "own" : "";
        addNode(function, next, {"p"}, {"m"}).set_domain(domain);
        addNode(function, next, {"m"}, {"q"}).set_domain(domain);
    }
    addNode(*model.mutable_graph(), "F0", {"y"}, {"z"}).set_domain("own");
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    const Graph& body = *(*graph)->nodes[1].body;
    QCOMPARE(body.nodes[0].body, body.nodes[1].body);
    const auto tree = GraphTree::build(*graph);
    QVERIFY(!tree.has_value() && tree.error().code == ErrorCode::TooLarge);
}

void TestOnnxReader::overloadsPickFunctions() {
    onnx::ModelProto model = reluModel();
    model.set_ir_version(10);
    for (const char* op : {"Neg", "Abs"}) {
        onnx::FunctionProto& function = addFunction(model, "F", {"p"}, {"q"});
        function.set_overload(op);
        addNode(function, op, {"p"}, {"q"});
    }
    onnx::NodeProto& call = addNode(*model.mutable_graph(), "F", {"y"}, {"z"});
    call.set_domain("own");
    call.set_overload("Abs");
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE((*graph)->nodes[1].body->nodes[0].op.name, std::string("Abs"));
}

void TestOnnxReader::leftOutOperandsAreLeftOutInsideFunctions() {
    onnx::ModelProto model = reluModel();
    onnx::FunctionProto& function = addFunction(model, "Bounded", {"p", "low", "high"}, {"q", "other"});
    addNode(function, "Clip", {"p", "low", "high"}, {"q"});
    addNode(function, "Neg", {"p"}, {"other"});
    addNode(*model.mutable_graph(), "Bounded", {"y", "", "x"}, {"z"}).set_domain("own");
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    const Node& call = (*graph)->nodes[1];
    QCOMPARE(call.operands.size(), std::size_t{3});
    QCOMPARE(call.results.size(), std::size_t{2}); // one nobody named
    QVERIFY(!call.results[1].isValid());
    QCOMPARE(call.body->inputs.size(), std::size_t{3});
    const Node& clip = call.body->nodes[0];
    QVERIFY(clip.operands[0].isValid());
    QVERIFY(!clip.operands[1].isValid());
    QVERIFY(clip.operands[2].isValid());
}

void TestOnnxReader::listsOfTensorsAndTypesTellNodesApart() {
    onnx::ModelProto model = reluModel();
    onnx::NodeProto& node = addNode(*model.mutable_graph(), "Own", {"x"}, {"z"});
    AttributeProto& list = *node.add_attribute();
    list.set_name("list");
    list.set_type(AttributeProto::TENSORS);
    for (const std::int64_t value : {1, 2}) {
        TensorProto& tensor = *list.add_tensors();
        tensor.set_data_type(TensorProto::INT64);
        tensor.add_int64_data(value);
    }
    AttributeProto& type = *node.add_attribute();
    type.set_name("type");
    type.set_type(AttributeProto::TYPE_PROTO);
    type.mutable_tp()
        ->mutable_optional_type()
        ->mutable_elem_type()
        ->mutable_sequence_type()
        ->mutable_elem_type()
        ->mutable_tensor_type()
        ->set_elem_type(TensorProto::FLOAT);
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE((*graph)->nodes[1].attribute<Tensor>("list[1]")->toInt64(0), 2);
    QCOMPARE(*(*graph)->nodes[1].attribute<std::string>("type"), std::string("optional(seq(f32))"));
}

void TestOnnxReader::rangesAreRead() {
    onnx::ModelProto model = reluModel();
    addValue(*model.mutable_graph()->add_input(), "p", {}, TensorProto::INT64);
    const auto put = [&](const std::string& key, const std::string& value) {
        auto* entry = model.add_metadata_props();
        entry->set_key(key);
        entry->set_value(value);
    };
    put("lemmascope.range.p", "-2:15");
    put("lemmascope.range.gone", "0:1");
    put("lemmascope.symbol.n", "2:64");
    put("author", "someone");
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE(*valueNamed(**graph, "p").range, (IntegerRange{-2, 15}));
    QCOMPARE((*graph)->symbols.at("n"), (IntegerRange{2, 64}));
    QCOMPARE(notesOf(**graph), std::string("metadata 'lemmascope.range.gone' names no input: ignored\n"));
    put("lemmascope.range.x", "15:-2");
    QVERIFY(errorOf(readModel(model)).find("expected lowest:highest") != std::string::npos);
}

void TestOnnxReader::sequencesAreCarried() {
    onnx::ModelProto model = reluModel();
    auto* input = model.mutable_graph()->add_input();
    input->set_name("list");
    input->mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_tensor_type()->set_elem_type(TensorProto::FLOAT);
    const auto graph = readModel(model);
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE(valueNamed(**graph, "list").type, TensorType{});
    QCOMPARE(notesOf(**graph), std::string("input 'list' is of type seq(f32): carried as an open value\n"));
}

void TestOnnxReader::badModelsAreExplained_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("message");
    const auto row = [](const char* name, const onnx::ModelProto& model, const char* message) {
        const std::string bytes = model.SerializeAsString();
        QTest::newRow(name) << QByteArray(bytes.data(), static_cast<qsizetype>(bytes.size())) << QString::fromUtf8(message);
    };
    const auto changed = [](auto&& change) {
        onnx::ModelProto model = reluModel();
        change(model, *model.mutable_graph());
        return model;
    };
    using M = onnx::ModelProto;
    using G = onnx::GraphProto;
    row(
        "no graph",
        [] {
            M m;
            m.set_ir_version(8);
            return m;
        }(),
        "model.onnx: holds no graph: it is no ONNX model (a single tensor, perhaps), or was cut short");
    row("result named twice", changed([](M&, G& g) { addNode(g, "Neg", {"x"}, {"y"}, "n2"); }),
        "model.onnx: node 'n2': result 'y' is already a result of node 'act'");
    row("result named like an input", changed([](M&, G& g) { addNode(g, "Neg", {"x"}, {"x"}, "n2"); }),
        "model.onnx: node 'n2': result 'x' is already an input or initializer");
    row("input twice", changed([](M&, G& g) { addValue(*g.add_input(), "x", {"2"}); }), "model.onnx: input 'x' is defined twice");
    row("input without name", changed([](M&, G& g) { addValue(*g.add_input(), "", {"2"}); }), "model.onnx: input 1 has an empty name");
    row("output without name", changed([](M&, G& g) { g.add_output(); }), "model.onnx: output 1 has an empty name");
    row("output defined nowhere", changed([](M&, G& g) { g.add_output()->set_name("q"); }), "model.onnx: output 'q' is defined nowhere");
    row("initializer without name", changed([](M&, G& g) { addInitializer(g, "", 1, {}).add_float_data(1.0F); }),
        "model.onnx: an initializer has an empty name");
    row("initializer twice", changed([](M&, G& g) {
            addInitializer(g, "w", 1, {}).add_float_data(1.0F);
            addInitializer(g, "w", 1, {}).add_float_data(1.0F);
        }),
        "model.onnx: initializer 'w' is defined twice");
    row("operand unknown", changed([](M&, G& g) {
            addNode(g, "Add", {"x", "q"}, {"z"}, "sum");
        }),
        "model.onnx: node 'sum': operand 1 'q' is defined nowhere: no input, initializer or node result has that name");
    row("operator without name", changed([](M&, G& g) { addNode(g, "", {"x"}, {"z"}); }), "model.onnx: node 'z': has no operator (op_type is empty)");
    row("opset only of another domain", changed([](M& m, G&) { m.mutable_opset_import(0)->set_domain("own"); }),
        "model.onnx: node 'act': operator 'Relu' has no meaning, since no version of ai.onnx is imported (opset_import)");
    row("opset zero", changed([](M& m, G&) { m.mutable_opset_import(0)->set_version(0); }),
        "model.onnx: imports version 0 of domain '', expected 1 or more");
    row("two opsets", changed([](M& m, G&) { m.add_opset_import()->set_version(9); }), "model.onnx: imports versions 17 and 9 of domain ''");
    row("data too short", changed([](M&, G& g) {
            addInitializer(g, "w", 1, {2, 8}).set_raw_data(std::string(12, 'x'));
        }),
        "model.onnx: initializer 'w': holds 12 bytes, shape [2,8] of f32 needs 64");
    row("10^12 elements without data", changed([](M&, G& g) {
            addInitializer(g, "w", 1, {1'000'000, 1'000'000});
        }),
        "model.onnx: initializer 'w': holds no data, shape [1000000,1000000] of f32 needs 4000000000000 bytes");
    row("10^12 elements of 8 bytes", changed([](M&, G& g) {
            addInitializer(g, "w", 1, {1'000'000, 1'000'000}).set_raw_data("12345678");
        }),
        "model.onnx: initializer 'w': holds 8 bytes, shape [1000000,1000000] of f32 needs 4000000000000");
    row("shape past 64 bits", changed([](M&, G& g) {
            addInitializer(g, "w", 1, {0, 1LL << 40, 1LL << 40});
        }),
        "model.onnx: initializer 'w': shape [0,1099511627776,1099511627776] has more bytes than 64 bits can count");
    row("negative length", changed([](M&, G& g) {
            addInitializer(g, "w", 1, {2, -8});
        }),
        "model.onnx: initializer 'w': shape [2,-8] has a negative length");
    row("negative length of an input", changed([](M&, G& g) { addValue(*g.add_input(), "q", {"-7"}); }),
        "model.onnx: input 'q': length -7 of axis 0 is negative");
    row("data in the wrong field", changed([](M&, G& g) { addInitializer(g, "w", 1, {1}).add_int32_data(3); }),
        "model.onnx: initializer 'w': holds int32_data, but elements of type f32 stand in float_data or raw_data");
    row("data in two fields", changed([](M&, G& g) {
            auto& tensor = addInitializer(g, "w", 1, {1});
            tensor.add_float_data(3);
            tensor.set_raw_data("1234");
        }),
        "model.onnx: initializer 'w': holds both raw_data and float_data, expected one of them");
    row("element out of its type", changed([](M&, G& g) { addInitializer(g, "w", TensorProto::INT8, {1}).add_int32_data(300); }),
        "model.onnx: initializer 'w': int32_data: element 0 is 300, which does not fit 8 bits");
    row("element type unknown", changed([](M&, G& g) { addInitializer(g, "w", 99, {}); }),
        "model.onnx: initializer 'w': element type number 99 is not one that ONNX names up to IR version 13");
    row("element type missing", changed([](M&, G& g) { addInitializer(g, "w", 0, {}); }), "model.onnx: initializer 'w': has no element type");
    row("attribute of the wrong kind", changed([](M&, G& g) {
            auto& attribute = addInt(*g.mutable_node(0), "alpha", 3);
            attribute.set_type(AttributeProto::FLOAT);
        }),
        "model.onnx: node 'act': attribute 'alpha': says it is of kind FLOAT, but holds INT");
    row("attribute twice", changed([](M&, G& g) {
            addInt(*g.mutable_node(0), "axis", 3);
            addInt(*g.mutable_node(0), "axis", 3);
        }),
        "model.onnx: node 'act': attribute 'axis' stands there twice");
    row("attribute of an unknown kind", changed([](M&, G& g) { addInt(*g.mutable_node(0), "axis", 3).set_type(77); }),
        "model.onnx: node 'act': attribute 'axis': kind number 77 is not one that ONNX names up to IR version 13");
    row("reference outside functions", changed([](M&, G& g) { addInt(*g.mutable_node(0), "axis", 3).set_ref_attr_name("a"); }),
        "model.onnx: node 'act': attribute 'axis' refers to attribute 'a' of a function, but stands in none");
    row("constant without value", changed([](M&, G& g) { addNode(g, "Constant", {}, {"k"}); }),
        "model.onnx: node 'k': a Constant node needs one value attribute, found 0");
    row("sparse index outside", changed([](M&, G& g) {
            auto& sparse = *g.add_sparse_initializer();
            sparse.add_dims(4);
            sparse.mutable_values()->set_name("s");
            sparse.mutable_values()->set_data_type(1);
            sparse.mutable_values()->add_dims(1);
            sparse.mutable_values()->add_float_data(1);
            sparse.mutable_indices()->set_data_type(TensorProto::INT64);
            sparse.mutable_indices()->add_dims(1);
            sparse.mutable_indices()->add_int64_data(4);
        }),
        "model.onnx: initializer 's': sparse tensor: index of value 0 lies outside shape [4]");
    row("sparse too large", changed([](M&, G& g) {
            auto& sparse = *g.add_sparse_initializer();
            sparse.add_dims(1LL << 40);
            sparse.mutable_values()->set_name("s");
            sparse.mutable_values()->set_data_type(1);
            sparse.mutable_values()->add_dims(0);
            sparse.mutable_indices()->set_data_type(TensorProto::INT64);
            sparse.mutable_indices()->add_dims(0);
        }),
        "model.onnx: initializer 's': sparse tensor of shape [1099511627776] would take more than 256 MB when made dense");
    row("function twice", changed([](M& m, G&) {
            addFunction(m, "F", {}, {});
            addFunction(m, "F", {}, {});
        }),
        "model.onnx: function 'F' of domain 'own' is defined twice");
    row("too many operands of a function", changed([](M& m, G& g) {
            addNode(addFunction(m, "F", {"p"}, {"q"}), "Neg", {"p"}, {"q"});
            addNode(g, "F", {"x", "y"}, {"z"}).set_domain("own");
        }),
        "model.onnx: node 'z': has 2 operands and 1 results, but function 'F' has 1 inputs and 1 outputs");
    row("unknown name in a branch", changed([](M&, G& g) {
            addValue(*g.add_input(), "c", {}, TensorProto::BOOL);
            addIf(g, "q");
        }),
        "model.onnx: node 'choice' then_branch: node 'inside': operand 0 'q' is defined nowhere: no input, initializer or node result has that name");
    row("strings in raw data", changed([](M&, G& g) { addInitializer(g, "w", TensorProto::STRING, {1}).set_raw_data("ab"); }),
        "model.onnx: initializer 'w': strings stand in string_data, not in raw_data");
}

void TestOnnxReader::badModelsAreExplained() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, message);
    const auto graph = readText(bytes.toStdString());
    QVERIFY(!graph.has_value());
    QCOMPARE(QString::fromStdString(graph.error().text()), message);
}

void TestOnnxReader::manyNodesAreReadInTime() {
    onnx::ModelProto model = emptyModel();
    addValue(*model.mutable_graph()->add_input(), "v0", {"4"});
    constexpr int Count = 100'000;
    for (int k = 0; k < Count; ++k) {
        addNode(*model.mutable_graph(), "Add", {"v" + std::to_string(k), "v0"}, {"v" + std::to_string(k + 1)}, "n" + std::to_string(k));
    }
    addValue(*model.mutable_graph()->add_output(), "v" + std::to_string(Count), {"4"});
    const std::string bytes = model.SerializeAsString();
    QElapsedTimer timer;
    timer.start();
    const auto graph = readText(bytes);
    qInfo("100,000 nodes in %lld ms", timer.elapsed());
    QVERIFY2(graph.has_value(), errorOf(graph).c_str());
    QCOMPARE((*graph)->nodes.size(), std::size_t{Count});
}

void TestOnnxReader::cancelStops() {
    std::stop_source source;
    source.request_stop();
    const std::string bytes = reluModel().SerializeAsString();
    const auto graph = readOnnxBytes(std::as_bytes(std::span(bytes)), "model.onnx", source.get_token());
    QVERIFY(!graph.has_value());
    QCOMPARE(graph.error().code, ErrorCode::Cancelled);
}

QTEST_GUILESS_MAIN(TestOnnxReader)
#include "tst_onnx_reader.moc"
