#pragma once

#include "core/base/error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace lemmascope::onnx {

/// Nested messages deeper than this are refused while parsing: about 200 graphs within graphs.
constexpr int MessageDepthLimit = 600;

/// What a file is that plainly is no ONNX model (HTML, a Git-LFS pointer, JSON, an archive, another tool's model), with what
/// to do; nothing when its first bytes could be a model's. `head`: the first kilobytes, or all of a small file.
[[nodiscard]] std::optional<std::string> otherThanOnnx(std::span<const std::byte> head);

/// Bytes by offset; `read` fills the span from there and says how many it could.
struct ByteSource {
    std::uint64_t size = 0;
    std::function<std::size_t(std::uint64_t offset, std::span<std::byte> out)> read;
};

/// Says why protobuf refused a file: cut short, nested too deeply, or not a protobuf message at all.
[[nodiscard]] Error explainRefusal(const ByteSource& source);

} // namespace lemmascope::onnx
