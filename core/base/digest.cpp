#include "core/base/digest.h"

#include <openssl/evp.h>
#include <xxhash.h>

#include <cassert>

namespace lemmascope {

namespace {

void appendHex(std::string& out, std::uint64_t word) {
    static constexpr char Digits[] = "0123456789abcdef";
    for (int shift = 60; shift >= 0; shift -= 4) {
        out.push_back(Digits[(word >> shift) & 0xFU]);
    }
}

} // namespace

std::string Digest128::hex() const {
    std::string text;
    text.reserve(32);
    appendHex(text, high);
    appendHex(text, low);
    return text;
}

Digest128 contentDigest(std::span<const std::byte> bytes) {
    const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
    return Digest128{hash.high64, hash.low64};
}

Digest128 contentDigest(std::string_view text) { return contentDigest(std::as_bytes(std::span(text.data(), text.size()))); }

std::string sha256Hex(std::string_view text) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned int length = 0;
    const int ok = EVP_Digest(text.data(), text.size(), hash.data(), &length, EVP_sha256(), nullptr);
    assert(ok == 1 && length == 32);
    (void)ok;
    static constexpr char Digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(64);
    for (unsigned int i = 0; i < length; ++i) {
        out.push_back(Digits[hash[i] >> 4U]);
        out.push_back(Digits[hash[i] & 0xFU]);
    }
    return out;
}

} // namespace lemmascope
