#pragma once

#include "core/base/result.h"

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

namespace lemmascope {

/// A 128-bit content hash (XXH3). Equal content gives equal digests on every machine; used as a key that is checked
/// by content on a hit, never as a proof of equality.
struct Digest128 {
    std::uint64_t high = 0;
    std::uint64_t low = 0;

    friend constexpr auto operator<=>(const Digest128&, const Digest128&) = default;
    /// 32 lower-case hexadecimal digits.
    [[nodiscard]] std::string hex() const;
};

[[nodiscard]] Digest128 contentDigest(std::span<const std::byte> bytes);
[[nodiscard]] Digest128 contentDigest(std::string_view text);

/// SHA-256 as 64 lower-case hexadecimal digits (FIPS 180-4). Pins obligation texts and proof cache entries.
[[nodiscard]] std::string sha256Hex(std::string_view text);
/// The same of a file's bytes, read piece by piece. Fails with NotFound, or Cancelled by `stop`.
[[nodiscard]] Result<std::string> sha256OfFile(const std::filesystem::path& file, const std::stop_token& stop = {});

} // namespace lemmascope

template <>
struct std::hash<lemmascope::Digest128> {
    std::size_t operator()(const lemmascope::Digest128& digest) const noexcept { return digest.low; }
};
