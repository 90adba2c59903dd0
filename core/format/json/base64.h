#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace lemmascope::json {

/// RFC 4648 section 4, padded, one line.
[[nodiscard]] std::string encodeBase64(std::span<const std::byte> bytes);
/// Bytes that a padded text decodes to, from its length and ending alone; nothing if the length is no multiple of 4.
[[nodiscard]] std::optional<std::size_t> decodedBase64Size(std::string_view text);
/// Decodes into `out`, whose size is `decodedBase64Size(text)`. False on characters outside the alphabet or stray bits at the end.
[[nodiscard]] bool decodeBase64(std::string_view text, std::span<std::byte> out);

} // namespace lemmascope::json
