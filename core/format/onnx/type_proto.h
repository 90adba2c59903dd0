#pragma once

#include "core/base/result.h"
#include "core/graph/tensor_type.h"

#include <set>
#include <string>
#include <vector>

namespace lemmascope::onnx {

class TypeProto;
class ValueInfoProto;

/// Makes symbols for lengths that a file leaves open, each once: `x.0`, with `'` appended where the file uses that name itself.
class FreshSymbols {
  public:
    /// Names the file uses; they are never made.
    void reserve(const std::string& name) { m_taken.insert(name); }
    [[nodiscard]] Dim make(const std::string& value, std::size_t axis);

  private:
    std::set<std::string> m_taken;
};

/// The declared type of a value. A sequence, map, optional or opaque type has no TensorType: it gives an undefined element
/// and a note. Fails with BadData for a length below -1 (-1 is an old way to leave it open).
[[nodiscard]] Result<TensorType> tensorTypeOf(const ValueInfoProto& info, const std::string& subject, FreshSymbols& fresh,
                                              std::vector<std::string>& notes);

/// One line that tells types apart: `seq(f32[2,n])`, `optional(map(i64, string))`.
[[nodiscard]] std::string typeText(const TypeProto& type);

/// Fills the declared type; a length that is neither a number nor one symbol is left open.
void putType(const TensorType& type, TypeProto& proto);

} // namespace lemmascope::onnx
