#pragma once

#include "core/format/json/json_fields.h"
#include "core/graph/tensor.h"
#include "core/graph/tensor_type.h"

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace lemmascope::json {

/// `"f32"`; `?` only where `unknownAllowed`.
[[nodiscard]] ElementType elementTypeOf(const Value& value, Problem& problem, bool unknownAllowed = false);
/// A list of lengths and symbols. Reports negative lengths, empty symbols and more elements than 64 bits can count.
[[nodiscard]] Shape shapeOf(const Value& value, Problem& problem);
/// The same without symbols; `what` needs numbers ("a constant").
[[nodiscard]] std::vector<std::int64_t> literalShapeOf(const Value& value, std::string_view what, Problem& problem);

/// Reads tensors written as `data`, `base64` or `file`. Files are looked for in the model's folder only, symbolic links
/// followed, and read once however often they are named.
class TensorReader {
  public:
    /// Constants in `.npy` files are refused when `model` is empty: then no folder is known.
    explicit TensorReader(const std::filesystem::path& model) : m_model(model) {}

    /// `fields` must know the keys type, shape, data, base64 and file. `what`: "the constant", for messages.
    [[nodiscard]] Tensor read(const Fields& fields, std::string_view what, Problem& problem);

  private:
    [[nodiscard]] Tensor fromFile(const Value& file, Problem& problem);

    std::filesystem::path m_model;
    std::map<std::string, Tensor> m_files;
};

} // namespace lemmascope::json
