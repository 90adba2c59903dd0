#include "core/format/onnx/onnx_reader.h"

#include "core/format/onnx/lemmascope_onnx.pb.h"
#include "core/format/onnx/model_reader.h"
#include "core/format/onnx/sniff.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <vector>

namespace lemmascope {

namespace {

using onnx::ByteSource;

constexpr std::uint64_t ProtobufLimit = static_cast<std::uint64_t>(std::numeric_limits<int>::max());

/// Reads a source from front to end for protobuf, which then fills its strings straight from the file: weights are never held
/// twice.
class SourceStream : public google::protobuf::io::CopyingInputStream {
  public:
    SourceStream(const ByteSource& source, std::stop_token stop) : m_source(source), m_stop(std::move(stop)) {}

    int Read(void* buffer, int size) override {
        if (m_stop.stop_requested()) {
            return -1;
        }
        const std::size_t got = m_source.read(m_at, {static_cast<std::byte*>(buffer), static_cast<std::size_t>(size)});
        m_at += got;
        return static_cast<int>(got);
    }

  private:
    const ByteSource& m_source;
    std::stop_token m_stop;
    std::uint64_t m_at = 0;
};

bool parse(const ByteSource& source, onnx::ModelProto& model, const std::stop_token& stop) {
    constexpr int BlockSize = 1 << 18;
    SourceStream stream(source, stop);
    google::protobuf::io::CopyingInputStreamAdaptor adaptor(&stream, BlockSize);
    google::protobuf::io::CodedInputStream coded(&adaptor);
    coded.SetTotalBytesLimit(std::numeric_limits<int>::max());
    coded.SetRecursionLimit(onnx::MessageDepthLimit);
    return model.ParseFromCodedStream(&coded) && coded.ConsumedEntireMessage();
}

std::optional<std::string> sniff(const ByteSource& source) {
    std::vector<std::byte> head(static_cast<std::size_t>(std::min<std::uint64_t>(source.size, 4096)));
    head.resize(source.read(0, head));
    return onnx::otherThanOnnx(head);
}

Result<std::shared_ptr<const Graph>> readSource(const ByteSource& source, const std::filesystem::path& path, std::stop_token stop) {
    const std::string where = path.string();
    if (source.size >= ProtobufLimit) {
        if (const auto other = sniff(source)) {
            return fail(ErrorCode::BadData, *other, where);
        }
        return fail(ErrorCode::TooLarge, "has 2 GB or more, past what protobuf allows one file: save the model with its weights as external data",
                    where);
    }
    onnx::ModelProto model;
    const bool parsed = parse(source, model, stop);
    if (stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, "cancelled", where);
    }
    if (!parsed || !model.has_graph()) {
        if (const auto other = sniff(source)) {
            return fail(ErrorCode::BadData, *other, where);
        }
        if (!parsed) {
            Error error = onnx::explainRefusal(source);
            error.where = where;
            return tl::unexpected(std::move(error));
        }
    }
    onnx::ExternalFiles files(path.parent_path());
    auto graph = onnx::buildGraph(model, files, std::move(stop));
    if (!graph && graph.error().where.empty()) {
        graph.error().where = where;
    }
    return graph;
}

/// Closes on every way out.
class Descriptor {
  public:
    explicit Descriptor(const std::filesystem::path& path) : m_number(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {}
    ~Descriptor() {
        if (m_number >= 0) {
            ::close(m_number);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int number() const { return m_number; }

  private:
    int m_number;
};

} // namespace

Result<std::shared_ptr<const Graph>> readOnnxFile(const std::filesystem::path& path, std::stop_token stop) {
    const Descriptor file(path);
    struct stat status {};
    if (file.number() < 0 || ::fstat(file.number(), &status) != 0) {
        return fail(ErrorCode::NotFound, std::string("can't be read: ") + std::strerror(errno), path.string());
    }
    if (!S_ISREG(status.st_mode)) {
        return fail(ErrorCode::NotFound, S_ISDIR(status.st_mode) ? "is a folder, not a file" : "is not a regular file", path.string());
    }
    ByteSource source;
    source.size = static_cast<std::uint64_t>(status.st_size);
    source.read = [&file](std::uint64_t offset, std::span<std::byte> out) -> std::size_t {
        std::size_t done = 0;
        while (done < out.size()) {
            const ssize_t got = ::pread(file.number(), out.data() + done, out.size() - done, static_cast<off_t>(offset + done));
            if (got < 0 && errno == EINTR) {
                continue;
            }
            if (got <= 0) {
                break;
            }
            done += static_cast<std::size_t>(got);
        }
        return done;
    };
    return readSource(source, path, std::move(stop));
}

Result<std::shared_ptr<const Graph>> readOnnxBytes(std::span<const std::byte> bytes, const std::filesystem::path& path, std::stop_token stop) {
    ByteSource source;
    source.size = bytes.size();
    source.read = [bytes](std::uint64_t offset, std::span<std::byte> out) -> std::size_t {
        if (offset >= bytes.size()) {
            return 0;
        }
        const std::size_t count = std::min(out.size(), bytes.size() - static_cast<std::size_t>(offset));
        std::memcpy(out.data(), bytes.data() + offset, count);
        return count;
    };
    return readSource(source, path, std::move(stop));
}

} // namespace lemmascope
