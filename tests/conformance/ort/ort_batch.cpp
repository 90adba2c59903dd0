#include "tests/conformance/ort/ort_batch.h"

#include "core/format/onnx/onnx_writer.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <array>
#include <cstring>

namespace lemmascope::test {

namespace {

constexpr int InstallTimeoutMs = 240'000;
constexpr int RunTimeoutMs = 900'000;

QString modulesFolder() { return QStringLiteral(ORT_FOLDER); }
QString sourceFolder() { return QStringLiteral(LEMMASCOPE_SOURCE_DIR "/tests/conformance/ort"); }

struct TypeName {
    ElementType element;
    const char* name;
};
constexpr std::array TypeNames{TypeName{ElementType::F32, "float32"}, TypeName{ElementType::F64, "float64"}, TypeName{ElementType::F16, "float16"},
                               TypeName{ElementType::I8, "int8"},     TypeName{ElementType::U8, "uint8"},    TypeName{ElementType::I16, "int16"},
                               TypeName{ElementType::U16, "uint16"},  TypeName{ElementType::I32, "int32"},   TypeName{ElementType::U32, "uint32"},
                               TypeName{ElementType::I64, "int64"},   TypeName{ElementType::U64, "uint64"},  TypeName{ElementType::Bool, "bool"}};

QString typeName(ElementType element) {
    const auto* row = std::find_if(TypeNames.begin(), TypeNames.end(), [element](const TypeName& t) { return t.element == element; });
    return row == TypeNames.end() ? QString() : QString::fromLatin1(row->name);
}

ElementType elementOf(const QString& name) {
    const auto* row = std::find_if(TypeNames.begin(), TypeNames.end(), [&](const TypeName& t) { return name == QLatin1String(t.name); });
    return row == TypeNames.end() ? ElementType::Undefined : row->element;
}

QJsonArray addBytes(QByteArray& data, const char* bytes, std::size_t size) {
    const QJsonArray span{data.size(), static_cast<qint64>(size)};
    data.append(bytes, static_cast<qsizetype>(size));
    return span;
}

bool writeFile(const QString& path, const QByteArray& bytes) {
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size();
}

QByteArray readFile(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

Result<void> writeBatch(const std::vector<OrtCase>& cases, const QString& folder) {
    QByteArray data;
    QJsonArray manifest;
    for (const OrtCase& entry : cases) {
        std::vector<std::string> notes;
        const auto model = writeOnnxBytes(entry.graph, notes);
        if (!model) {
            return fail(ErrorCode::Internal, entry.name + ": " + model.error().text());
        }
        QJsonArray inputs;
        for (std::size_t k = 0; k < entry.inputs.size(); ++k) {
            const Tensor& tensor = entry.inputs[k];
            QJsonArray dims;
            for (const std::int64_t length : tensor.shape()) {
                dims.append(static_cast<qint64>(length));
            }
            const auto bytes = tensor.bytes();
            inputs.append(QJsonObject{{"name", QString::fromStdString(entry.graph.value(entry.graph.inputs.at(k)).name)},
                                      {"type", typeName(tensor.element())},
                                      {"dims", dims},
                                      {"data", addBytes(data, reinterpret_cast<const char*>(bytes.data()), bytes.size())}});
        }
        manifest.append(QJsonObject{{"model", addBytes(data, model->data(), model->size())}, {"inputs", inputs}});
    }
    if (!writeFile(folder + "/data.bin", data) || !writeFile(folder + "/manifest.json", QJsonDocument(manifest).toJson(QJsonDocument::Compact))) {
        return fail(ErrorCode::Internal, "the batch can't be written");
    }
    return {};
}

Tensor tensorOf(const QJsonObject& entry, const QByteArray& data) {
    std::vector<std::int64_t> shape;
    for (const auto& length : entry["dims"].toArray()) {
        shape.push_back(static_cast<std::int64_t>(length.toDouble()));
    }
    const QJsonArray span = entry["data"].toArray();
    const auto owner = std::make_shared<QByteArray>(data.mid(static_cast<qsizetype>(span[0].toDouble()), static_cast<qsizetype>(span[1].toDouble())));
    return {elementOf(entry["type"].toString()), std::move(shape),
            std::as_bytes(std::span(owner->constData(), static_cast<std::size_t>(owner->size()))), owner};
}

} // namespace

std::string ortModules() { return modulesFolder().toStdString(); }

Result<void> prepareOrt() {
    const QString folder = modulesFolder();
    QDir().mkpath(folder);
    const QByteArray lock = readFile(sourceFolder() + "/package-lock.json");
    const bool ready = QFile::exists(folder + "/node_modules/onnxruntime-node/package.json") && readFile(folder + "/installed") == lock;
    if (ready) {
        return {};
    }
    if (!writeFile(folder + "/package.json", readFile(sourceFolder() + "/package.json")) || !writeFile(folder + "/package-lock.json", lock)) {
        return fail(ErrorCode::NotFound, "the build folder can't be written");
    }
    QProcess npm;
    npm.setWorkingDirectory(folder);
    auto environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("ONNXRUNTIME_NODE_INSTALL"), QStringLiteral("skip")); // its own install step fetches GPU libraries
    npm.setProcessEnvironment(environment);
    npm.start(QStringLiteral("npm"), {"ci", "--ignore-scripts", "--no-audit", "--no-fund"});
    if (!npm.waitForStarted()) {
        return fail(ErrorCode::NotFound, "npm is not installed");
    }
    if (!npm.waitForFinished(InstallTimeoutMs) || npm.exitCode() != 0) {
        npm.kill();
        npm.waitForFinished();
        return fail(ErrorCode::NotFound, "npm could not install onnxruntime-node: " + npm.readAllStandardError().right(300).toStdString());
    }
    return writeFile(folder + "/installed", lock) ? Result<void>() : Result<void>(fail(ErrorCode::NotFound, "the build folder can't be written"));
}

Result<std::vector<OrtAnswer>> runOrt(const std::vector<OrtCase>& cases) {
    const QTemporaryDir folder;
    if (auto written = writeBatch(cases, folder.path()); !written) {
        return tl::unexpected(std::move(written.error()));
    }
    QProcess node;
    node.setProcessChannelMode(QProcess::MergedChannels);
    node.start(QStringLiteral("node"), {QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/scripts/ort_batch.mjs"), modulesFolder(), folder.path()});
    if (!node.waitForFinished(RunTimeoutMs) || node.exitCode() != 0 || node.exitStatus() != QProcess::NormalExit) {
        node.kill();
        node.waitForFinished();
        return fail(ErrorCode::WorkerFailed, "node failed: " + node.readAll().right(2000).toStdString());
    }
    const QByteArray data = readFile(folder.filePath("results.bin"));
    const QJsonArray results = QJsonDocument::fromJson(readFile(folder.filePath("results.json"))).array();
    std::vector<OrtAnswer> out;
    for (const auto& result : results) {
        OrtAnswer answer;
        answer.error = result.toObject()["error"].toString().toStdString();
        for (const auto& output : result.toObject()["outputs"].toArray()) {
            answer.outputs.push_back(tensorOf(output.toObject(), data));
        }
        out.push_back(std::move(answer));
    }
    if (out.size() != cases.size()) {
        return fail(ErrorCode::WorkerFailed,
                    "ONNX Runtime answered " + std::to_string(out.size()) + " of " + std::to_string(cases.size()) + " cases");
    }
    return out;
}

} // namespace lemmascope::test
