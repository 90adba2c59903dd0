#include "core/base/digest.h"

#include <openssl/evp.h>
#include <xxhash.h>

#include <cassert>
#include <fstream>
#include <memory>
#include <vector>

namespace lemmascope {

namespace {

void appendHex(std::string& out, std::uint64_t word) {
    static constexpr char Digits[] = "0123456789abcdef";
    for (int shift = 60; shift >= 0; shift -= 4) {
        out.push_back(Digits[(word >> shift) & 0xFU]);
    }
}

std::string hexOf(std::span<const unsigned char> bytes) {
    static constexpr char Digits[] = "0123456789abcdef";
    std::string out;
    out.reserve(bytes.size() * 2);
    for (const unsigned char byte : bytes) {
        out.push_back(Digits[byte >> 4U]);
        out.push_back(Digits[byte & 0xFU]);
    }
    return out;
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
    return hexOf(std::span(hash.data(), length));
}

Result<std::string> sha256OfFile(const std::filesystem::path& file, const std::stop_token& stop) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        return fail(ErrorCode::NotFound, "the file cannot be read", file.string());
    }
    const std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
    bool good = context != nullptr && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1;
    std::vector<char> piece(std::size_t{1} << 20U);
    while (good && stream) {
        if (stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "cancelled");
        }
        stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
        good = EVP_DigestUpdate(context.get(), piece.data(), static_cast<std::size_t>(stream.gcount())) == 1;
    }
    if (stream.bad()) {
        return fail(ErrorCode::NotFound, "the file cannot be read to its end", file.string());
    }
    std::array<unsigned char, EVP_MAX_MD_SIZE> hash{};
    unsigned int length = 0;
    good = good && EVP_DigestFinal_ex(context.get(), hash.data(), &length) == 1;
    if (!good) {
        return fail(ErrorCode::Internal, "SHA-256 is not available");
    }
    return hexOf(std::span(hash.data(), length));
}

} // namespace lemmascope
