#include "core/format/onnx/onnx_reader.h"
#include "core/format/onnx/onnx_writer.h"
#include "tests/core/format/onnx/graph_text.h"
#include "tests/core/format/onnx/model_maker.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

/// A small builder: values and nodes by name.
struct Maker {
    Graph graph;

    Maker() { graph.opsets[""] = 17; }

    ValueId value(const std::string& name, TensorType type = {}) {
        Value made;
        made.name = name;
        made.type = std::move(type);
        return graph.addValue(std::move(made));
    }
    ValueId input(const std::string& name, TensorType type) {
        const ValueId id = value(name, std::move(type));
        graph.inputs.push_back(id);
        return id;
    }
    ValueId constant(const std::string& name, Tensor tensor) {
        const ValueId id = value(name, {tensor.element(), Shape(tensor.shape().begin(), tensor.shape().end())});
        graph.values[id.index].constant = std::move(tensor);
        return id;
    }
    ValueId node(OpId op, std::vector<ValueId> operands, const std::string& result, std::map<std::string, Attribute> attributes = {},
                 TensorType type = {}) {
        Node made;
        made.op = std::move(op);
        made.operands = std::move(operands);
        made.attributes = std::move(attributes);
        made.results = {value(result, std::move(type))};
        const ValueId id = made.results[0];
        graph.addNode(std::move(made));
        return id;
    }
};

TensorType floats(Shape shape) { return {ElementType::F32, std::move(shape)}; }

onnx::ModelProto written(const Graph& graph, std::vector<std::string>& notes) {
    const auto bytes = writeOnnxBytes(graph, notes);
    onnx::ModelProto model;
    if (bytes) {
        model.ParseFromString(*bytes);
    } else {
        notes.push_back("ERROR " + bytes.error().text());
    }
    return model;
}

/// `Op(a,b)->c; ...`
std::string nodesText(const onnx::GraphProto& graph) {
    std::string out;
    for (const auto& node : graph.node()) {
        out += (out.empty() ? "" : "; ") + node.op_type() + "(";
        for (int k = 0; k < node.input_size(); ++k) {
            out += (k == 0 ? "" : ",") + node.input(k);
        }
        out += ")->" + node.output(0);
    }
    return out;
}

std::string opsText(const onnx::GraphProto& graph) {
    std::string out;
    for (const auto& node : graph.node()) {
        out += (out.empty() ? "" : " ") + node.op_type();
    }
    return out;
}

} // namespace

class TestOnnxWriter : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void namesAreMadeUnique();
    void outputsMayHaveNamesOfTheirOwn();
    void anOutputNamedLikeAnInputKeepsItsNameOnReading();
    void rangesAndSymbolsAreMetadata();
    void irVersionIsWhatTheTypesNeed();
    void fusedBodiesBecomeFunctions();
    void equalBodiesAreOneFunction();
    void mixedVersionsAreWrittenWhereTheyMeanTheSame();
    void storesBecomeStandardOps_data();
    void storesBecomeStandardOps();
    void storesWithoutFormAreRefused();
    void formAttributesOfOurJsonAreLeftOut();
    void filesAreWrittenWhole();
    void largeWeightsGoBesideTheModel();
};

void TestOnnxWriter::namesAreMadeUnique() {
    Maker maker;
    const ValueId x = maker.input("x", floats({2}));
    const ValueId a = maker.node({"", "Relu", 17}, {x}, "t");
    const ValueId b = maker.node({"", "Neg", 17}, {a}, "t");
    maker.graph.outputs = {maker.node({"", "Abs", 17}, {b}, ""), b, b};
    std::vector<std::string> notes;
    const auto model = written(maker.graph, notes);
    QCOMPARE(nodesText(model.graph()), std::string("Relu(x)->t_1; Neg(t_1)->t; Abs(t)->value; Identity(t)->t_2"));
    std::vector<std::string> again;
    const auto bytes = writeOnnxBytes(maker.graph, again);
    const auto back = readOnnxBytes(std::as_bytes(std::span(*bytes)), "m.onnx");
    QVERIFY(back.has_value());
    QCOMPARE((*back)->outputs.size(), std::size_t{3});
    QCOMPARE((*back)->outputName(2), std::string("t"));
}

void TestOnnxWriter::outputsMayHaveNamesOfTheirOwn() {
    Maker maker;
    const ValueId x = maker.input("x", floats({2}));
    maker.graph.outputs = {maker.node({"", "Relu", 17}, {x}, "kv#2")};
    maker.graph.outputNames = {"kv"};
    std::vector<std::string> notes;
    const auto model = written(maker.graph, notes);
    QCOMPARE(model.graph().output(0).name(), std::string("kv"));
    QVERIFY(notes.empty());
}

void TestOnnxWriter::anOutputNamedLikeAnInputKeepsItsNameOnReading() {
    Maker maker;
    const ValueId x = maker.input("kv", floats({2}));
    maker.graph.outputs = {maker.node({"", "Relu", 17}, {x}, "kv#1")};
    maker.graph.outputNames = {"kv"};
    std::vector<std::string> notes;
    const auto bytes = writeOnnxBytes(maker.graph, notes);
    QVERIFY(bytes.has_value());
    QVERIFY(!notes.empty());
    const auto back = readOnnxBytes(std::as_bytes(std::span(*bytes)), "m.onnx");
    QVERIFY(back.has_value());
    QCOMPARE((*back)->outputName(0), std::string("kv"));
    QVERIFY((*back)->value((*back)->outputs[0]).name != "kv");
}

void TestOnnxWriter::rangesAndSymbolsAreMetadata() {
    Maker maker;
    const ValueId x = maker.input("x", floats({Dim::symbol("n")}));
    const ValueId p = maker.input("p", {ElementType::I64, Shape{}});
    maker.graph.values[p.index].range = IntegerRange{0, 15};
    maker.graph.symbols["n"] = {2, 64};
    maker.graph.outputs = {maker.node({"", "Gather", 17}, {x, p}, "y")};
    std::vector<std::string> notes;
    const auto bytes = writeOnnxBytes(maker.graph, notes);
    QVERIFY(bytes.has_value());
    const auto back = readOnnxBytes(std::as_bytes(std::span(*bytes)), "m.onnx");
    QVERIFY(back.has_value());
    QCOMPARE(QString::fromStdString(graphText(**back)), QString::fromStdString(graphText(maker.graph)));
}

void TestOnnxWriter::irVersionIsWhatTheTypesNeed() {
    const auto version = [](ElementType element) {
        Maker maker;
        maker.graph.outputs = {maker.node({"", "Identity", 21}, {maker.input("x", {element, Shape{Dim(2)}})}, "y")};
        maker.graph.opsets[""] = 21;
        std::vector<std::string> notes;
        return written(maker.graph, notes).ir_version();
    };
    QCOMPARE(version(ElementType::F32), 8);
    QCOMPARE(version(ElementType::F8E5M2), 9);
    QCOMPARE(version(ElementType::I4), 10);
    QCOMPARE(version(ElementType::F8E8M0), 12);
    QCOMPARE(version(ElementType::U2), 13);
}

/// A call of lemmascope.Scaled whose body multiplies by a constant.
Node scaled(float factor) {
    Maker body;
    const ValueId p = body.input("p", {});
    const ValueId factorId = body.constant("f", Tensor::of<float>(ElementType::F32, {}, {factor}));
    body.graph.outputs = {body.node({"", "Mul", 17}, {p, factorId}, "q")};
    Node node;
    node.op = {"lemmascope", "Scaled", 1};
    node.body = std::make_shared<const Graph>(std::move(body.graph));
    return node;
}

void TestOnnxWriter::fusedBodiesBecomeFunctions() {
    Maker maker;
    const ValueId x = maker.input("x", floats({2}));
    Node call = scaled(2.0F);
    call.operands = {x};
    call.results = {maker.value("y")};
    maker.graph.outputs = call.results;
    maker.graph.addNode(std::move(call));
    std::vector<std::string> notes;
    const auto model = written(maker.graph, notes);
    QCOMPARE(model.functions_size(), 1);
    QCOMPARE(model.functions(0).domain(), std::string("lemmascope.fused"));
    QCOMPARE(model.functions(0).name(), std::string("Scaled"));
    QCOMPARE(model.ir_version(), 8);
    const auto back = readModel(model);
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE((*back)->nodes[0].op, (OpId{"lemmascope", "Scaled", 1}));
    QCOMPARE((*back)->nodes[0].body->nodes[0].op, (OpId{"", "Mul", 17}));
}

void TestOnnxWriter::equalBodiesAreOneFunction() {
    Maker maker;
    ValueId at = maker.input("x", floats({2}));
    for (const float factor : {2.0F, 3.0F, 2.0F}) {
        Node call = scaled(factor);
        call.operands = {at};
        call.results = {maker.value("t")};
        at = call.results[0];
        maker.graph.addNode(std::move(call));
    }
    maker.graph.outputs = {at};
    std::vector<std::string> notes;
    const auto model = written(maker.graph, notes);
    QCOMPARE(model.functions_size(), 2);
    QCOMPARE(model.ir_version(), 10); // two functions of one name: overloads
    QCOMPARE(model.graph().node(0).overload(), model.graph().node(2).overload());
    QVERIFY(model.graph().node(0).overload() != model.graph().node(1).overload());
    const auto back = readModel(model);
    QVERIFY(back.has_value());
    const auto factor = [&](std::size_t node) {
        const Graph& body = *(*back)->nodes[node].body;
        return body.value(body.findValue("f")).constant->as<float>()[0];
    };
    QCOMPARE(factor(0), 2.0F);
    QCOMPARE(factor(1), 3.0F);
    QCOMPARE(factor(2), 2.0F);
}

void TestOnnxWriter::mixedVersionsAreWrittenWhereTheyMeanTheSame() {
    Maker maker;
    maker.graph.opsets[""] = 13;
    const ValueId x = maker.input("x", floats({2}));
    const ValueId t = maker.node({"", "Tanh", 17}, {x}, "t"); // the same since 13
    maker.graph.outputs = {maker.node({"", "Tanh", 13}, {t}, "y")};
    std::vector<std::string> notes;
    const auto model = written(maker.graph, notes);
    QCOMPARE(model.opset_import(0).version(), 13);
    maker.graph.outputs = {maker.node({"", "Softmax", 11}, {maker.graph.outputs[0]}, "z")}; // another op from 13 on
    const auto bytes = writeOnnxBytes(maker.graph, notes);
    QVERIFY(!bytes.has_value());
    QCOMPARE(bytes.error().code, ErrorCode::Unsupported);
}

void TestOnnxWriter::storesBecomeStandardOps_data() {
    QTest::addColumn<QString>("op");
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("declared"); ///< the index is known not to be negative
    QTest::addColumn<QString>("ops");
    QTest::addColumn<int>("notes");
    QTest::newRow("rows, position known") << "RowsAt" << 2 << true << "Reshape Add Gather" << 0;
    QTest::newRow("rows, position may be negative") << "RowsAt" << 2 << false << "Reshape Less Where Add Gather" << 0;
    QTest::newRow("store at") << "StoreRowsAt" << 2 << true << "Reshape Add ScatterND" << 0;
    QTest::newRow("store one row") << "StoreRows" << 1 << false << "Reshape ScatterND" << 0;
    QTest::newRow("store two rows") << "StoreRows" << 2 << false << "Gather Reshape Gather ScatterND Gather Reshape Gather ScatterND" << 0;
    QTest::newRow("store many rows") << "StoreRows" << 40 << false << "Reshape ScatterND" << 1;
}

void TestOnnxWriter::storesBecomeStandardOps() {
    QFETCH(QString, op);
    QFETCH(int, count);
    QFETCH(bool, declared);
    QFETCH(QString, ops);
    QFETCH(int, notes);
    Maker maker;
    const ValueId table = maker.input("kv", floats({64, 3}));
    const ValueId rows = maker.input("rows", floats({count, 3}));
    const ValueId index = maker.input("i", {ElementType::I64, op == "StoreRows" ? Shape{Dim(count)} : Shape{}});
    if (declared) {
        maker.graph.values[index.index].range = IntegerRange{0, 60};
    }
    const std::vector<ValueId> operands = op == "RowsAt" ? std::vector<ValueId>{table, index} : std::vector<ValueId>{table, rows, index};
    maker.graph.outputs = {maker.node({"lemmascope", op.toStdString(), 1}, operands, "y", {{"count", std::int64_t{count}}})};
    std::vector<std::string> found;
    const auto model = written(maker.graph, found);
    QCOMPARE(QString::fromStdString(opsText(model.graph())), ops);
    QCOMPARE(static_cast<int>(found.size()), notes);
    QCOMPARE(model.graph().node(model.graph().node_size() - 1).output(0), std::string("y"));
}

void TestOnnxWriter::storesWithoutFormAreRefused() {
    Maker maker;
    maker.graph.opsets[""] = 10;
    const ValueId table = maker.input("kv", floats({4, 3}));
    const ValueId part = maker.input("part", floats({1, 3}));
    maker.graph.outputs = {maker.node({"lemmascope", "StoreSlice", 1}, {table, part}, "y",
                                      {{"starts", std::vector<std::int64_t>{0, 0}}, {"ends", std::vector<std::int64_t>{1, 3}}})};
    std::vector<std::string> notes;
    QCOMPARE(writeOnnxBytes(maker.graph, notes).error().code, ErrorCode::Unsupported); // no ScatterND yet
    maker.graph.opsets[""] = 17;
    QVERIFY(writeOnnxBytes(maker.graph, notes).has_value());
    maker.graph.values[table.index].type.shape.reset();
    QVERIFY(writeOnnxBytes(maker.graph, notes).error().text().find("shape is not known") != std::string::npos);
}

void TestOnnxWriter::formAttributesOfOurJsonAreLeftOut() {
    Maker maker;
    maker.graph.outputs = {maker.node({"", "Relu", 17}, {maker.input("x", floats({2}))}, "y", {{"lemmascope.form", std::string("part")}})};
    std::vector<std::string> notes;
    QCOMPARE(written(maker.graph, notes).graph().node(0).attribute_size(), 0);
}

void TestOnnxWriter::filesAreWrittenWhole() {
    const QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "m.onnx";
    Maker maker;
    maker.graph.outputs = {maker.node({"", "Relu", 17}, {maker.input("x", floats({2}))}, "y")};
    std::vector<std::string> notes;
    QVERIFY(writeOnnxFile(maker.graph, path, notes).has_value());
    QVERIFY(readOnnxFile(path).has_value());
    QCOMPARE(std::distance(std::filesystem::directory_iterator(path.parent_path()), {}), std::ptrdiff_t{1}); // nothing temporary stays
    const auto refused = writeOnnxFile(maker.graph, path.parent_path() / "none" / "m.onnx", notes);
    QVERIFY(!refused.has_value());
    QCOMPARE(refused.error().code, ErrorCode::NotFound);
}

void TestOnnxWriter::largeWeightsGoBesideTheModel() {
    const QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "m.onnx";
    std::vector<float> weights(1000);
    for (std::size_t k = 0; k < weights.size(); ++k) {
        weights[k] = static_cast<float>(k);
    }
    Maker maker;
    const ValueId w = maker.constant("w", Tensor::of<float>(ElementType::F32, {1000}, weights));
    const ValueId v = maker.constant("v", Tensor::of<float>(ElementType::F32, {1000}, std::vector<float>(1000, 3.0F)));
    const ValueId few = maker.constant("few", Tensor::of<float>(ElementType::F32, {2}, {1, 2}));
    const ValueId sum = maker.node({"", "Add", 17}, {w, v}, "s");
    maker.graph.outputs = {maker.node({"", "Concat", 17}, {sum, few}, "y", {{"axis", std::int64_t{0}}})};
    std::vector<std::string> notes;
    QVERIFY(writeOnnxFile(maker.graph, path, notes, {.insideLimit = 2000}).has_value());
    QCOMPARE(notes.size(), std::size_t{1});
    QVERIFY(std::filesystem::file_size(path) < 2000);
    QCOMPARE(std::filesystem::file_size(path.parent_path() / "m.onnx.data"), std::uintmax_t{4096 + 4000});
    const auto back = readOnnxFile(path);
    QVERIFY2(back.has_value(), back ? "" : back.error().text().c_str());
    QCOMPARE(QString::fromStdString(graphText(**back)), QString::fromStdString(graphText(maker.graph)));
}

QTEST_GUILESS_MAIN(TestOnnxWriter)
#include "tst_onnx_writer.moc"
