#include "core/format/json/base64.h"

#include <array>
#include <cstdint>

namespace lemmascope::json {

namespace {

constexpr std::string_view Alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::uint8_t NotInAlphabet = 0xFF;

constexpr std::array<std::uint8_t, 256> makeDigits() {
    std::array<std::uint8_t, 256> digits{};
    for (auto& digit : digits) {
        digit = NotInAlphabet;
    }
    for (std::size_t k = 0; k < Alphabet.size(); ++k) {
        digits[static_cast<unsigned char>(Alphabet[k])] = static_cast<std::uint8_t>(k);
    }
    return digits;
}
constexpr std::array<std::uint8_t, 256> Digits = makeDigits();

} // namespace

std::string encodeBase64(std::span<const std::byte> bytes) {
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            word = (word << 8U) | (at + k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[at + k]) : 0U);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            out += at + k > bytes.size() ? '=' : Alphabet[(word >> (18U - 6U * k)) & 63U];
        }
    }
    return out;
}

std::optional<std::size_t> decodedBase64Size(std::string_view text) {
    if (text.size() % 4 != 0) {
        return std::nullopt;
    }
    const std::size_t padding = text.ends_with("==") ? 2 : (text.ends_with('=') ? 1 : 0);
    return text.size() / 4 * 3 - padding;
}

bool decodeBase64(std::string_view text, std::span<std::byte> out) {
    for (std::size_t group = 0; group * 4 < text.size(); ++group) {
        const std::size_t wanted = out.size() - group * 3 < 3 ? out.size() - group * 3 : 3;
        std::uint32_t word = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const char c = text[group * 4 + k];
            const std::uint8_t digit = k > wanted && c == '=' ? std::uint8_t{0} : Digits[static_cast<unsigned char>(c)];
            if (digit == NotInAlphabet) {
                return false;
            }
            word = (word << 6U) | digit;
        }
        for (std::size_t k = 0; k < wanted; ++k) {
            out[group * 3 + k] = static_cast<std::byte>((word >> (16U - 8U * k)) & 0xFFU);
        }
        if (wanted < 3 && (word & ((1U << (8U * (3U - static_cast<unsigned>(wanted)))) - 1U)) != 0) {
            return false; // bits that stand for nothing
        }
    }
    return true;
}

} // namespace lemmascope::json
