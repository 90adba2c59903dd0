#pragma once

#include "core/base/result.h"
#include "core/graph/tensor.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace lemmascope::onnx {

class SparseTensorProto;
class TensorProto;

/// ONNX's number of an element type; `elementOf` gives nothing for a number that IR 13 does not name.
[[nodiscard]] std::optional<ElementType> elementOf(std::int32_t dataType);
[[nodiscard]] std::int32_t dataTypeOf(ElementType element);
/// The lowest IR version that names the type.
[[nodiscard]] std::int64_t irVersionOf(ElementType element);

/// The files beside a model that hold its weights, each mapped once. A location must be relative and, after symbolic links
/// and `..` are resolved, name a regular file inside the model's folder.
class ExternalFiles {
  public:
    explicit ExternalFiles(std::filesystem::path folder) : m_folder(std::move(folder)) {}

    struct Bytes {
        std::span<const std::byte> bytes;
        std::shared_ptr<const void> owner;
    };
    /// The whole file. Errors begin with `subject`.
    [[nodiscard]] Result<Bytes> open(const std::string& location, const std::string& subject);

  private:
    std::filesystem::path m_folder;
    std::map<std::string, Bytes> m_open;
};

/// Moves the elements out of a message (it is left empty); large raw data is shared, never copied. `subject` begins each
/// message: `initializer 'w'`. Without `files` external data is refused. Allocates nothing before the data is known to be
/// there. Fails with BadData, Unsupported, TooLarge.
[[nodiscard]] Result<Tensor> takeTensor(TensorProto& proto, const std::string& subject, ExternalFiles* files);

/// A sparse tensor made dense; fails with TooLarge past 256 MB.
[[nodiscard]] Result<Tensor> takeSparseTensor(SparseTensorProto& proto, const std::string& subject, ExternalFiles* files);

/// Fills a message from a tensor: raw data, sub-byte types packed, strings in string_data.
void putTensor(const Tensor& tensor, TensorProto& proto);
/// The tensor's bytes as raw_data has them.
[[nodiscard]] std::string rawBytes(const Tensor& tensor);

} // namespace lemmascope::onnx
