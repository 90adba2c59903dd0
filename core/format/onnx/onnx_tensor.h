#pragma once

#include "core/base/result.h"
#include "core/graph/tensor.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

namespace lemmascope {

/// A tensor and the name its file gives it (may be empty).
struct NamedTensor {
    std::string name;
    Tensor tensor;
};

/// Reads a serialised TensorProto (`.pb`, as in ONNX test data and for `--input`). External data is not followed.
/// Fails with NotFound, BadData, Unsupported; `where` is the path.
[[nodiscard]] Result<NamedTensor> readTensorProtoFile(const std::filesystem::path& path);
[[nodiscard]] Result<NamedTensor> readTensorProtoBytes(std::span<const std::byte> bytes, const std::string& where = {});

/// The inverse: little-endian raw data, sub-byte types packed. Fails with TooLarge past protobuf's 2 GB.
[[nodiscard]] Result<std::string> tensorProtoBytes(const Tensor& tensor, const std::string& name = {});

} // namespace lemmascope
