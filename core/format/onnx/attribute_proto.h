#pragma once

#include "core/base/result.h"
#include "core/format/onnx/tensor_data.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>

namespace lemmascope::onnx {

class AttributeProto;

using AttributeMap = std::map<std::string, Attribute>;

/// Takes tensors out of messages. Those inside functions are kept, since a function is read once per call.
class TensorSource {
  public:
    explicit TensorSource(ExternalFiles& files) : m_files(files) {}
    [[nodiscard]] Result<Tensor> take(TensorProto& proto, const std::string& subject, bool keep);
    [[nodiscard]] Result<Tensor> take(SparseTensorProto& proto, const std::string& subject, bool keep);

  private:
    ExternalFiles& m_files;
    std::unordered_map<const void*, Tensor> m_kept;
};

/// The AttributeType of a value, from the field that is filled where an old file names none. Fails with BadData when the
/// named kind and the filled field differ, Unsupported for a kind that IR 13 does not name.
[[nodiscard]] Result<std::int32_t> attributeKind(const AttributeProto& attribute, const std::string& subject);

/// Adds the attribute, any kind but graphs, to `out`. A list of tensors becomes `name[0]`, `name[1]`, ... (`name[]` when
/// empty); a type becomes its text under `name`: nothing that tells two nodes apart is dropped.
[[nodiscard]] Result<void> takeAttribute(AttributeProto& attribute, std::int32_t kind, const std::string& subject, TensorSource& tensors, bool keep,
                                         AttributeMap& out);

/// The value of a Constant node from its attributes. Fails with BadData when there is none or more than one.
[[nodiscard]] Result<Tensor> constantOf(const AttributeMap& attributes, const std::string& subject);

/// Text that is equal for equal attributes; graphs by identity.
[[nodiscard]] std::string attributeKey(const AttributeMap& attributes);
/// Equal to the bit; graphs by identity.
[[nodiscard]] bool sameAttributes(const AttributeMap& a, const AttributeMap& b);

} // namespace lemmascope::onnx
