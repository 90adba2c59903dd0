#include "core/format/onnx/onnx_writer.h"

#include "core/format/onnx/lemmascope_onnx.pb.h"
#include "core/format/onnx/model_writer.h"
#include "core/format/onnx/tensor_data.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>

#include <fstream>
#include <limits>
#include <unistd.h>

namespace lemmascope {

namespace {

constexpr std::size_t ProtobufLimit = static_cast<std::size_t>(std::numeric_limits<int>::max());
constexpr std::size_t OutsideFrom = 1024;
constexpr std::size_t OutsideAlignment = 4096; ///< so that any reader can map each tensor

std::size_t weightBytes(const Graph& graph) {
    std::size_t sum = 0;
    std::vector<const Graph*> todo{&graph};
    while (!todo.empty()) {
        const Graph& at = *todo.back();
        todo.pop_back();
        for (const Value& value : at.values) {
            sum += value.constant ? value.constant->bytes().size() : 0;
        }
        for (const Node& node : at.nodes) {
            for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
                if (nested != node.body) { // functions hold small constants, and many calls share one
                    todo.push_back(nested.get());
                }
            }
        }
    }
    return sum;
}

/// Deterministic: the schema has no maps, so serialising is a function of the message.
bool serialize(const onnx::ModelProto& model, std::ostream& out) {
    google::protobuf::io::OstreamOutputStream stream(&out);
    return model.SerializeToZeroCopyStream(&stream);
}

/// A file under a temporary name, removed unless it is put in place.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::filesystem::path& target)
        : m_target(target), m_path(target.string() + ".part" + std::to_string(::getpid())), m_out(m_path, std::ios::binary | std::ios::trunc) {}
    ~TemporaryFile() {
        std::error_code ignored;
        std::filesystem::remove(m_path, ignored);
    }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    std::ofstream& out() { return m_out; }
    Result<void> finish() {
        m_out.close();
        if (!m_out) {
            return fail(ErrorCode::NotFound, "cannot be written; is the folder there, writable and not full?", m_target.string());
        }
        return {};
    }
    Result<void> put() {
        std::error_code code;
        std::filesystem::rename(m_path, m_target, code);
        return code ? Result<void>(fail(ErrorCode::NotFound, "can't be written: " + code.message(), m_target.string())) : Result<void>();
    }

  private:
    std::filesystem::path m_target;
    std::filesystem::path m_path;
    std::ofstream m_out;
};

/// Writes the tensors one after the other and tells their messages where they are.
bool writeOutside(const onnx::OutsideTensors& tensors, const std::string& location, std::ostream& out) {
    std::uint64_t at = 0;
    const std::string zeros(OutsideAlignment, '\0');
    for (const auto& [proto, tensor] : tensors) {
        const auto padding = static_cast<std::size_t>((OutsideAlignment - at % OutsideAlignment) % OutsideAlignment);
        out.write(zeros.data(), static_cast<std::streamsize>(padding));
        at += padding;
        const bool packed = byteSize(tensor.element()) == 1; // sub-byte types are packed in files
        const std::string bytes = packed ? onnx::rawBytes(tensor) : std::string();
        const std::size_t size = packed ? bytes.size() : tensor.bytes().size();
        out.write(packed ? bytes.data() : reinterpret_cast<const char*>(tensor.bytes().data()), static_cast<std::streamsize>(size));
        const auto put = [entries = proto->mutable_external_data()](const char* key, const std::string& value) {
            auto* entry = entries->Add();
            entry->set_key(key);
            entry->set_value(value);
        };
        put("location", location);
        put("offset", std::to_string(at));
        put("length", std::to_string(size));
        proto->set_data_location(onnx::TensorProto::EXTERNAL);
        at += size;
    }
    return out.good();
}

} // namespace

Result<std::string> writeOnnxBytes(const Graph& graph, std::vector<std::string>& notes) {
    if (weightBytes(graph) > OnnxWriteOptions().insideLimit) {
        return fail(ErrorCode::TooLarge, "the weights pass 1.9 GB, more than one ONNX file holds");
    }
    onnx::ModelProto model;
    if (auto built = onnx::buildModel(graph, model, notes); !built) {
        return tl::unexpected(std::move(built.error()));
    }
    if (model.ByteSizeLong() >= ProtobufLimit) {
        return fail(ErrorCode::TooLarge, "the model would pass 2 GB, the limit of protobuf");
    }
    return model.SerializeAsString();
}

Result<void> writeOnnxFile(const Graph& graph, const std::filesystem::path& path, std::vector<std::string>& notes, const OnnxWriteOptions& options) {
    const std::string where = path.string();
    const auto placed = [&where](Error error) {
        error.where = error.where.empty() ? where : error.where;
        return tl::unexpected(std::move(error));
    };
    const bool apart = weightBytes(graph) > options.insideLimit;
    onnx::ModelProto model;
    onnx::OutsideTensors outside;
    if (auto built = onnx::buildModel(graph, model, notes, apart ? &outside : nullptr, OutsideFrom); !built) {
        return placed(std::move(built.error()));
    }
    TemporaryFile file(path);
    const std::filesystem::path dataPath = path.string() + ".data";
    std::optional<TemporaryFile> data;
    if (apart) {
        data.emplace(dataPath);
        if (!writeOutside(outside, dataPath.filename().string(), data->out())) {
            return fail(ErrorCode::NotFound, "cannot be written; is the folder there, writable and not full?", dataPath.string());
        }
        if (auto finished = data->finish(); !finished) {
            return finished;
        }
        notes.push_back("weights are written to '" + dataPath.filename().string() + "' beside the model");
    }
    if (model.ByteSizeLong() >= ProtobufLimit) {
        return fail(ErrorCode::TooLarge, "the model would pass 2 GB, the limit of protobuf", where);
    }
    if (!serialize(model, file.out())) {
        return fail(ErrorCode::NotFound, "cannot be written; is the folder there, writable and not full?", where);
    }
    if (auto finished = file.finish(); !finished) {
        return finished;
    }
    if (data) {
        if (auto put = data->put(); !put) {
            return put;
        }
    }
    return file.put();
}

} // namespace lemmascope
