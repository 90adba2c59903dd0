#pragma once

#include "core/base/result.h"
#include "core/graph/tensor.h"

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace lemmascope {

/// Reads one NumPy array file (format versions 1 to 3; NumPy, `numpy.lib.format`): bool, integers of 8 to 64 bits, f16, f32,
/// f64 and complex, either byte order, C or Fortran order. The shape is checked against the file's size before anything is
/// allocated. Fails with NotFound, BadData (damaged header, too few or too many bytes), Unsupported (strings, objects, records),
/// TooLarge (a size past 64 bits, more than 64 axes). Error::where is the file.
[[nodiscard]] Result<Tensor> readNpy(const std::filesystem::path& file);
/// The same from memory; `where` is what errors name.
[[nodiscard]] Result<Tensor> readNpyBytes(std::span<const std::byte> bytes, const std::string& where);

/// Writes format version 1, little-endian, C order, through a temporary file that is then renamed. Unsupported for types that
/// NumPy has no name for (bf16, 8-bit floats, types under 8 bits, strings); NotFound when the folder cannot be written.
[[nodiscard]] Result<void> writeNpy(const Tensor& tensor, const std::filesystem::path& file);
/// The bytes `writeNpy` would write.
[[nodiscard]] Result<std::string> npyBytes(const Tensor& tensor);

/// The arrays of an .npz archive in the order of its directory, named without `.npy`; members of other kinds are left out.
/// Stored and deflated members, ZIP64 too; checksums are checked. TooLarge when the members together hold more than `maxBytes`
/// once unpacked. Source: PKWARE APPNOTE 6.3.
[[nodiscard]] Result<std::vector<std::pair<std::string, Tensor>>> readNpz(const std::filesystem::path& file,
                                                                          std::uint64_t maxBytes = std::uint64_t{4} << 30U);

} // namespace lemmascope
