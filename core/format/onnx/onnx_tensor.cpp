#include "core/format/onnx/onnx_tensor.h"

#include "core/format/onnx/lemmascope_onnx.pb.h"
#include "core/format/onnx/tensor_data.h"

#include <fstream>
#include <limits>

namespace lemmascope {

namespace {

constexpr std::size_t ProtobufLimit = static_cast<std::size_t>(std::numeric_limits<int>::max());

} // namespace

Result<NamedTensor> readTensorProtoBytes(std::span<const std::byte> bytes, const std::string& where) {
    if (bytes.size() >= ProtobufLimit) {
        return fail(ErrorCode::TooLarge, "has 2 GB or more, the limit of a protobuf message", where);
    }
    onnx::TensorProto proto;
    if (!proto.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
        return fail(ErrorCode::BadData, "is not a serialised tensor (TensorProto), or was cut short", where);
    }
    auto tensor = onnx::takeTensor(proto, proto.name().empty() ? "the tensor" : "tensor '" + proto.name() + "'", nullptr);
    if (!tensor) {
        return fail(tensor.error().code, tensor.error().message, where);
    }
    return NamedTensor{proto.name(), std::move(*tensor)};
}

Result<NamedTensor> readTensorProtoFile(const std::filesystem::path& path) {
    std::error_code code;
    if (!std::filesystem::is_regular_file(path, code)) {
        return fail(ErrorCode::NotFound, code ? "can't be read: " + code.message() : "is missing or not a regular file", path.string());
    }
    const auto size = std::filesystem::file_size(path, code);
    if (!code && size >= ProtobufLimit) {
        return fail(ErrorCode::TooLarge, "has 2 GB or more, the limit of a protobuf message", path.string());
    }
    std::ifstream in(path, std::ios::binary);
    std::string bytes;
    if (in && !code) {
        bytes.resize(static_cast<std::size_t>(size));
        in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    }
    if (!in) {
        return fail(ErrorCode::NotFound, "can't be read", path.string());
    }
    return readTensorProtoBytes(std::as_bytes(std::span(bytes)), path.string());
}

Result<std::string> tensorProtoBytes(const Tensor& tensor, const std::string& name) {
    if (tensor.bytes().size() >= ProtobufLimit) {
        return fail(ErrorCode::TooLarge, "a tensor of 2 GB or more does not fit a protobuf message");
    }
    onnx::TensorProto proto;
    onnx::putTensor(tensor, proto);
    if (!name.empty()) {
        proto.set_name(name);
    }
    if (proto.ByteSizeLong() >= ProtobufLimit) {
        return fail(ErrorCode::TooLarge, "a tensor of 2 GB or more does not fit a protobuf message");
    }
    return proto.SerializeAsString();
}

} // namespace lemmascope
