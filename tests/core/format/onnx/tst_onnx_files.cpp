// What is on disk: files that are no models, damaged ones, external data.

#include "core/format/onnx/onnx_reader.h"
#include "tests/core/format/onnx/model_maker.h"

#include <QTemporaryDir>
#include <QtTest>

#include <filesystem>
#include <fstream>
#include <random>

using namespace lemmascope;
using namespace lemmascope::test;
using onnx::TensorProto;

namespace {

std::string errorOf(const Result<std::shared_ptr<const Graph>>& read) { return read ? "read" : read.error().text(); }

void writeFile(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// A model with one f32 initializer [4] in another file.
onnx::ModelProto modelWithWeights(const std::string& location, const std::string& offset = {}, const std::string& length = {}) {
    onnx::ModelProto model = reluModel();
    TensorProto& tensor = addInitializer(*model.mutable_graph(), "w", TensorProto::FLOAT, {4});
    tensor.set_data_location(TensorProto::EXTERNAL);
    const auto put = [&tensor](const std::string& key, const std::string& value) {
        if (!value.empty()) {
            tensor.add_external_data()->set_key(key);
            tensor.mutable_external_data(tensor.external_data_size() - 1)->set_value(value);
        }
    };
    put("location", location);
    put("offset", offset);
    put("length", length);
    return model;
}

std::string floats(const std::vector<float>& values) { return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)}; }

/// Graphs within graphs, the innermost first in memory, so that a deep one is made in linear time.
std::string deepModel(int depth) {
    std::string reversed;
    const auto wrap = [&reversed](int field) {
        std::string head;
        const auto varint = [&head](std::size_t value) {
            while (value >= 0x80) {
                head += static_cast<char>((value & 0x7F) | 0x80);
                value >>= 7U;
            }
            head += static_cast<char>(value);
        };
        varint(static_cast<std::size_t>(field) << 3U | 2U);
        varint(reversed.size());
        reversed.append(head.rbegin(), head.rend());
    };
    for (int k = 0; k < depth; ++k) {
        wrap(6); // AttributeProto.g
        wrap(5); // NodeProto.attribute
        wrap(1); // GraphProto.node
    }
    wrap(7); // ModelProto.graph
    return {reversed.rbegin(), reversed.rend()};
}

} // namespace

class TestOnnxFiles : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void otherFilesAreNamed_data();
    void otherFilesAreNamed();
    void missingFilesAndFolders();
    void cutFilesSayWhere();
    void everyCutIsAnError();
    void deepNestingIsRefused();
    void moderateNestingIsRead();
    void hugeFilesAreRefused();
    void randomBytesAreErrors();
    void damagedModelsNeverCrash();
    void externalDataIsMappedAndShared();
    void externalDataAtOddOffsetsIsCopied();
    void externalDataStaysInTheFolder_data();
    void externalDataStaysInTheFolder();
    void externalDataIsChecked_data();
    void externalDataIsChecked();
};

void TestOnnxFiles::otherFilesAreNamed_data() {
    QTest::addColumn<QByteArray>("bytes");
    QTest::addColumn<QString>("says");
    QTest::newRow("empty") << QByteArray() << "is empty";
    QTest::newRow("html") << QByteArray("<!DOCTYPE html>\n<html><head><title>404</title></head></html>") << "looks like an HTML page";
    QTest::newRow("html, spaces first") << QByteArray("\n\n  <html lang=\"en\">") << "looks like an HTML page";
    QTest::newRow("xml") << QByteArray("<?xml version=\"1.0\"?><net name=\"a\"/>") << "looks like XML";
    QTest::newRow("lfs") << QByteArray("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 3\n") << "git lfs pull";
    QTest::newRow("json") << QByteArray("{\"format\": \"lemmascope-graph\"}") << "is JSON";
    QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08\x00\x00\x00\x00\x00", 8) << "gunzip";
    QTest::newRow("zip") << QByteArray("PK\x03\x04\x14\x00\x00\x00", 8) << "zip archive";
    QTest::newRow("ort") << QByteArray("\x1c\x00\x00\x00ORTM\x00\x00\x00\x00", 12) << ".ort format";
    QTest::newRow("tflite") << QByteArray("\x1c\x00\x00\x00TFL3\x00\x00\x00\x00", 12) << "TensorFlow Lite";
    QTest::newRow("onnx text") << QByteArray(
                                      "<\n  ir_version: 7,\n  opset_import: [ \"\" : 10 ]\n>\nagraph (float[N] x) => (float[N] y) { y = Relu(x) }")
                               << "ONNX's text format";
    QTest::newRow("protobuf text") << QByteArray("ir_version: 8\ngraph {\n}\n") << "protobuf text file";
    QTest::newRow("words") << QByteArray("hello, this is no model") << "is not an ONNX model";
    QTest::newRow("a tensor") << QByteArray("\x08\x02\x10\x01\x22\x08\x00\x00\x00\x00\x00\x00\x00\x00", 14) << "holds no graph";
}

void TestOnnxFiles::otherFilesAreNamed() {
    QFETCH(QByteArray, bytes);
    QFETCH(QString, says);
    const auto read = readText(bytes.toStdString(), "folder/file.onnx");
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().code, ErrorCode::BadData);
    const QString text = QString::fromStdString(read.error().text());
    QVERIFY2(text.startsWith("folder/file.onnx: ") && text.contains(says), qPrintable(text));
}

void TestOnnxFiles::missingFilesAndFolders() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    QCOMPARE(readOnnxFile(path / "none.onnx").error().code, ErrorCode::NotFound);
    QCOMPARE(readOnnxFile(path).error().code, ErrorCode::NotFound);
    QVERIFY(readOnnxFile(path).error().text().find("is a folder") != std::string::npos);
}

void TestOnnxFiles::cutFilesSayWhere() {
    const std::string bytes = reluModel().SerializeAsString();
    const std::string error = errorOf(readText(bytes.substr(0, bytes.size() - 20)));
    QVERIFY2(error.find("cut short or damaged: download or export it again") != std::string::npos, error.c_str());
    QVERIFY2(error.find(" bytes, but ") != std::string::npos, error.c_str());
}

void TestOnnxFiles::everyCutIsAnError() {
    const std::string bytes = reluModel().SerializeAsString();
    // A cut right behind the graph leaves whole fields, but no opsets.
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto read = readText(bytes.substr(0, size));
        QVERIFY2(!read.has_value(), std::to_string(size).c_str());
        QVERIFY(!read.error().message.empty());
    }
}

void TestOnnxFiles::deepNestingIsRefused() {
    const auto read = readText(deepModel(10'000));
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().code, ErrorCode::TooLarge);
    QVERIFY2(read.error().text().find("nested") != std::string::npos, read.error().text().c_str());
}

void TestOnnxFiles::moderateNestingIsRead() {
    onnx::ModelProto model = reluModel();
    addValue(*model.mutable_graph()->add_input(), "c", {}, TensorProto::BOOL);
    onnx::GraphProto* at = model.mutable_graph();
    for (int k = 0; k < 100; ++k) {
        onnx::NodeProto& node = addNode(*at, "If", {"c"}, {"r" + std::to_string(k)});
        auto& attribute = *node.add_attribute();
        attribute.set_name("then_branch");
        attribute.set_type(onnx::AttributeProto::GRAPH);
        at = attribute.mutable_g();
        addNode(*at, "Neg", {"x"}, {"n" + std::to_string(k)});
        at->add_output()->set_name("n" + std::to_string(k));
    }
    const auto read = readModel(model);
    QVERIFY2(read.has_value(), errorOf(read).c_str());
}

void TestOnnxFiles::hugeFilesAreRefused() {
    const QTemporaryDir folder;
    const std::filesystem::path path = std::filesystem::path(folder.path().toStdString()) / "huge.onnx";
    writeFile(path, reluModel().SerializeAsString());
    std::error_code code;
    std::filesystem::resize_file(path, (std::uintmax_t{1} << 31U) + 5, code); // sparse: takes no room
    if (code) {
        QSKIP("this file system has no sparse files of 2 GB");
    }
    const auto read = readOnnxFile(path);
    QVERIFY(!read.has_value());
    QCOMPARE(read.error().code, ErrorCode::TooLarge);
    QVERIFY(read.error().text().find("external data") != std::string::npos);
}

void TestOnnxFiles::randomBytesAreErrors() {
    std::mt19937 random(7);
    for (int run = 0; run < 3000; ++run) {
        std::string bytes(random() % 200, '\0');
        for (char& byte : bytes) {
            byte = static_cast<char>(random());
        }
        QVERIFY(!readText(bytes).has_value());
    }
}

void TestOnnxFiles::damagedModelsNeverCrash() {
    // A model with most constructs, damaged at a few places: read or refused, but nothing else.
    onnx::ModelProto model = modelWithWeights("w.bin", "0", "16");
    addValue(*model.mutable_graph()->add_input(), "c", {"n", ""}, TensorProto::BOOL);
    auto& function = *model.add_functions();
    function.set_name("F");
    function.set_domain("own");
    function.add_input("p");
    function.add_output("q");
    function.add_opset_import()->set_version(17);
    addNode(function, "Neg", {"p"}, {"q"});
    addNode(*model.mutable_graph(), "F", {"x"}, {"z"}).set_domain("own");
    onnx::NodeProto& choice = addNode(*model.mutable_graph(), "If", {"c"}, {"r"});
    auto& attribute = *choice.add_attribute();
    attribute.set_name("then_branch");
    attribute.set_type(onnx::AttributeProto::GRAPH);
    addNode(*attribute.mutable_g(), "F", {"x"}, {"b"}).set_domain("own");
    attribute.mutable_g()->add_output()->set_name("b");
    addInitializer(*model.mutable_graph(), "i4", TensorProto::INT4, {3}).set_raw_data("ab");
    addInitializer(*model.mutable_graph(), "h", TensorProto::FLOAT16, {2}).add_int32_data(15360);
    model.mutable_graph()->mutable_initializer(2)->add_int32_data(0);
    const std::string good = model.SerializeAsString();
    std::mt19937 random(11);
    int readable = 0;
    for (int run = 0; run < 20000; ++run) {
        std::string bytes = good;
        for (auto k = random() % 3 + 1; k > 0; --k) {
            bytes[random() % bytes.size()] = static_cast<char>(random() % 4 == 0 ? random() : random() % 32);
        }
        readable += readText(bytes).has_value() ? 1 : 0;
    }
    QVERIFY(readable < 20000);
}

void TestOnnxFiles::externalDataIsMappedAndShared() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    std::vector<float> values(4096);
    for (std::size_t k = 0; k < values.size(); ++k) {
        values[k] = static_cast<float>(k);
    }
    std::filesystem::create_directory(path / "weights");
    writeFile(path / "weights" / "w.bin", floats(values));
    onnx::ModelProto model = modelWithWeights("weights/w.bin", "0", "8192");
    model.mutable_graph()->mutable_initializer(0)->set_dims(0, 2048);
    auto& second = *model.mutable_graph()->add_initializer();
    second = model.graph().initializer(0);
    second.set_name("v");
    second.mutable_external_data(1)->set_value("8192");
    writeFile(path / "model.onnx", model.SerializeAsString());
    const auto read = readOnnxFile(path / "model.onnx");
    QVERIFY2(read.has_value(), errorOf(read).c_str());
    const Tensor& w = *(*read)->values[0].constant;
    const Tensor& v = *(*read)->values[1].constant;
    QCOMPARE(w.as<float>()[2047], 2047.0F);
    QCOMPARE(v.as<float>()[0], 2048.0F);
    QCOMPARE(reinterpret_cast<const char*>(v.bytes().data()) - reinterpret_cast<const char*>(w.bytes().data()), std::ptrdiff_t{8192}); // one mapping
}

void TestOnnxFiles::externalDataAtOddOffsetsIsCopied() {
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    writeFile(path / "w.bin", "x" + floats({1, 2, 3, 4}));
    writeFile(path / "model.onnx", modelWithWeights("w.bin", "1").SerializeAsString());
    const auto read = readOnnxFile(path / "model.onnx");
    QVERIFY2(read.has_value(), errorOf(read).c_str());
    QCOMPARE((*read)->values[0].constant->as<float>()[3], 4.0F);
}

void TestOnnxFiles::externalDataStaysInTheFolder_data() {
    QTest::addColumn<QString>("location");
    QTest::addColumn<QString>("says");
    QTest::newRow("up") << "../w.bin"
                        << "leaves the model's folder";
    QTest::newRow("up and down") << "../inside/w.bin"
                                 << "read";
    QTest::newRow("up and away") << "sub/../../w.bin"
                                 << "leaves the model's folder";
    QTest::newRow("absolute") << "/etc/hostname"
                              << "is an absolute path";
    QTest::newRow("link out") << "link.bin"
                              << "leaves the model's folder";
    QTest::newRow("link within") << "inner.bin"
                                 << "read";
    QTest::newRow("folder") << "sub"
                            << "is not a regular file";
    QTest::newRow("itself") << "."
                            << "leaves the model's folder";
    QTest::newRow("missing") << "none.bin"
                             << "is missing";
    QTest::newRow("missing outside") << "../none.bin"
                                     << "leaves the model's folder";
    QTest::newRow("none") << ""
                          << "names no file";
}

void TestOnnxFiles::externalDataStaysInTheFolder() {
    QFETCH(QString, location);
    QFETCH(QString, says);
    const QTemporaryDir folder;
    const std::filesystem::path outside = folder.path().toStdString();
    const std::filesystem::path inside = outside / "inside";
    std::filesystem::create_directories(inside / "sub");
    writeFile(outside / "w.bin", floats({1, 2, 3, 4}));
    writeFile(inside / "w.bin", floats({1, 2, 3, 4}));
    std::filesystem::create_symlink(outside / "w.bin", inside / "link.bin");
    std::filesystem::create_symlink("w.bin", inside / "inner.bin");
    writeFile(inside / "model.onnx", modelWithWeights(location.toStdString()).SerializeAsString());
    const QString error = QString::fromStdString(errorOf(readOnnxFile(inside / "model.onnx")));
    QVERIFY2(error.contains(says), qPrintable(error));
}

void TestOnnxFiles::externalDataIsChecked_data() {
    QTest::addColumn<QString>("offset");
    QTest::addColumn<QString>("length");
    QTest::addColumn<QString>("says");
    QTest::newRow("past the end") << "8"
                                  << ""
                                  << "has 16 bytes, but 16 are wanted from offset 8: is the file whole?";
    QTest::newRow("far past the end") << "18446744073709551615"
                                      << ""
                                      << "are wanted from offset 18446744073709551615";
    QTest::newRow("wrong length") << "0"
                                  << "12"
                                  << "'length' is 12, shape [4] of f32 needs 16";
    QTest::newRow("negative") << "-4"
                              << ""
                              << "'offset' is '-4', expected a whole number";
    QTest::newRow("words") << "0"
                           << "all"
                           << "'length' is 'all', expected a whole number";
    QTest::newRow("right") << "0"
                           << "16"
                           << "read";
}

void TestOnnxFiles::externalDataIsChecked() {
    QFETCH(QString, offset);
    QFETCH(QString, length);
    QFETCH(QString, says);
    const QTemporaryDir folder;
    const std::filesystem::path path = folder.path().toStdString();
    writeFile(path / "w.bin", floats({1, 2, 3, 4}));
    writeFile(path / "model.onnx", modelWithWeights("w.bin", offset.toStdString(), length.toStdString()).SerializeAsString());
    const QString error = QString::fromStdString(errorOf(readOnnxFile(path / "model.onnx")));
    QVERIFY2(error.contains(says), qPrintable(error));
}

QTEST_GUILESS_MAIN(TestOnnxFiles)
#include "tst_onnx_files.moc"
