#pragma once

#include "core/base/result.h"
#include "core/graph/element_type.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// What the header of an .npy file says. `bytes` is the size of the data that must follow.
struct NpyHeader {
    ElementType element = ElementType::Undefined;
    bool bigEndian = false;
    bool fortranOrder = false;
    std::vector<std::int64_t> shape;
    std::uint64_t bytes = 0;
};

/// Bytes of the fixed part in front of the header's text, and the text's length, from the first 12 bytes of a file.
struct NpyPreamble {
    std::size_t size = 0;
    std::size_t textLength = 0;
};

/// Fails with BadData if `first` (at least 12 bytes, or the whole file) does not begin an .npy file of version 1 to 3.
[[nodiscard]] Result<NpyPreamble> parseNpyPreamble(std::string_view first);
/// Parses the header's text, a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
[[nodiscard]] Result<NpyHeader> parseNpyHeader(std::string_view text);
/// The preamble and header text that stand before little-endian data in C order, padded so that the data is aligned to 64.
[[nodiscard]] Result<std::string> formatNpyHeader(ElementType element, const std::vector<std::int64_t>& shape);

} // namespace lemmascope
