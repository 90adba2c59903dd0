#include "core/format/npy/npy.h"

#include <zlib.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <optional>

// Reads the central directory at the archive's end, as unzip does; local headers only say where data begins.

namespace lemmascope {

namespace {

struct Member {
    std::string name;
    std::uint16_t flags = 0;
    std::uint16_t method = 0;
    std::uint32_t checksum = 0;
    std::uint64_t packed = 0;
    std::uint64_t unpacked = 0;
    std::uint64_t offset = 0;
};

/// Little-endian integer of `size` bytes at `at`; 0 past the end (callers check lengths first).
std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t k = size; k-- > 0;) {
        value = (value << 8U) | (at + k < bytes.size() ? static_cast<unsigned char>(bytes[at + k]) : 0U);
    }
    return value;
}

class Archive {
  public:
    Archive(std::ifstream& stream, std::uint64_t size) : m_stream(stream), m_size(size) {}

    [[nodiscard]] std::optional<std::string> block(std::uint64_t offset, std::uint64_t length) {
        if (offset > m_size || length > m_size - offset) {
            return std::nullopt;
        }
        std::string out(static_cast<std::size_t>(length), '\0');
        m_stream.clear();
        m_stream.seekg(static_cast<std::streamoff>(offset));
        if (length > 0 && !m_stream.read(out.data(), static_cast<std::streamsize>(length))) {
            return std::nullopt;
        }
        return out;
    }

    [[nodiscard]] Result<std::vector<Member>> directory() {
        constexpr std::uint64_t EndSize = 22;
        constexpr std::uint64_t LongestComment = 0xFFFF;
        const std::uint64_t tailSize = std::min(m_size, EndSize + LongestComment);
        const std::optional<std::string> tail = block(m_size - tailSize, tailSize);
        const std::size_t end = tail ? tail->rfind("PK\x05\x06") : std::string::npos;
        if (end == std::string::npos || tail->size() - end < EndSize) {
            return bad("is no complete .npz archive: it has no directory at its end");
        }
        std::uint64_t count = number(*tail, end + 10, 2);
        std::uint64_t length = number(*tail, end + 12, 4);
        std::uint64_t offset = number(*tail, end + 16, 4);
        const std::uint64_t endOffset = m_size - tailSize + end;
        if ((count == 0xFFFF || length == 0xFFFFFFFF || offset == 0xFFFFFFFF) && endOffset >= 20) {
            const std::optional<std::string> locator = block(endOffset - 20, 20);
            if (locator && locator->starts_with("PK\x06\x07")) {
                const std::optional<std::string> record = block(number(*locator, 8, 8), 56);
                if (!record || !record->starts_with("PK\x06\x06")) {
                    return bad("has a damaged ZIP64 directory");
                }
                count = number(*record, 32, 8);
                length = number(*record, 40, 8);
                offset = number(*record, 48, 8);
            }
        }
        const std::optional<std::string> bytes = block(offset, length);
        if (!bytes) {
            return bad("has a directory that points outside the file");
        }
        return members(*bytes, count);
    }

    [[nodiscard]] static tl::unexpected<Error> bad(const std::string& what) { return fail(ErrorCode::BadData, what + "; save it again"); }

    /// The member's bytes, unpacked and checked.
    [[nodiscard]] Result<std::string> content(const Member& member) {
        constexpr std::size_t LocalSize = 30;
        const std::optional<std::string> local = block(member.offset, LocalSize);
        if (!local || !local->starts_with("PK\x03\x04")) {
            return bad("member '" + member.name + "' is not where the directory says");
        }
        const std::uint64_t begin = member.offset + LocalSize + number(*local, 26, 2) + number(*local, 28, 2);
        std::optional<std::string> packed = block(begin, member.packed);
        if (!packed) {
            return bad("member '" + member.name + "' is cut off");
        }
        if (member.method == 0) {
            if (member.packed != member.unpacked) {
                return bad("member '" + member.name + "' has two different sizes");
            }
        } else {
            std::optional<std::string> unpacked = inflated(*packed, member.unpacked);
            if (!unpacked) {
                return bad("member '" + member.name + "' cannot be unpacked");
            }
            packed = std::move(unpacked);
        }
        if (checksumOf(*packed) != member.checksum) {
            return bad("member '" + member.name + "' has a wrong checksum");
        }
        return std::move(*packed);
    }

  private:
    [[nodiscard]] static Result<std::vector<Member>> members(std::string_view bytes, std::uint64_t count) {
        constexpr std::size_t EntrySize = 46;
        std::vector<Member> out;
        std::size_t at = 0;
        for (std::uint64_t k = 0; k < count; ++k) {
            if (bytes.size() - at < EntrySize || bytes.substr(at, 4) != "PK\x01\x02") {
                return bad("has a damaged directory");
            }
            Member member;
            member.flags = static_cast<std::uint16_t>(number(bytes, at + 8, 2));
            member.method = static_cast<std::uint16_t>(number(bytes, at + 10, 2));
            member.checksum = static_cast<std::uint32_t>(number(bytes, at + 16, 4));
            member.packed = number(bytes, at + 20, 4);
            member.unpacked = number(bytes, at + 24, 4);
            member.offset = number(bytes, at + 42, 4);
            const std::size_t nameLength = number(bytes, at + 28, 2);
            const std::size_t extraLength = number(bytes, at + 30, 2);
            const std::size_t commentLength = number(bytes, at + 32, 2);
            if (bytes.size() - at - EntrySize < nameLength + extraLength + commentLength) {
                return bad("has a damaged directory");
            }
            member.name = bytes.substr(at + EntrySize, nameLength);
            applyZip64(member, bytes.substr(at + EntrySize + nameLength, extraLength));
            out.push_back(std::move(member));
            at += EntrySize + nameLength + extraLength + commentLength;
        }
        return out;
    }

    /// Extra field 1 holds, in this order, those sizes that did not fit into 32 bits.
    static void applyZip64(Member& member, std::string_view extra) {
        while (extra.size() >= 4) {
            const std::uint64_t id = number(extra, 0, 2);
            const std::size_t length = number(extra, 2, 2);
            const std::string_view body = extra.substr(4, length);
            if (id == 1) {
                std::size_t at = 0;
                for (std::uint64_t* size : {&member.unpacked, &member.packed, &member.offset}) {
                    if (*size == 0xFFFFFFFF && at + 8 <= body.size()) {
                        *size = number(body, at, 8);
                        at += 8;
                    }
                }
                return;
            }
            extra.remove_prefix(std::min(extra.size(), 4 + length));
        }
    }

    /// Raw deflate data of a known unpacked size. The size is refused where no deflate stream of that length can reach it, so
    /// that a short file cannot ask for much memory.
    [[nodiscard]] static std::optional<std::string> inflated(const std::string& packed, std::uint64_t unpacked) {
        constexpr std::uint64_t BestRatio = 1032;
        if (unpacked > (packed.size() + 1) * BestRatio) {
            return std::nullopt;
        }
        std::string out(static_cast<std::size_t>(unpacked), '\0');
        z_stream stream{};
        if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
            return std::nullopt;
        }
        const std::unique_ptr<z_stream, int (*)(z_stream*)> guard(&stream, inflateEnd);
        constexpr std::size_t Chunk = 1U << 30U; // zlib counts in 32 bits
        std::size_t in = 0;
        std::size_t produced = 0;
        char spare = 0; // room to see the stream's end, or that it holds more than announced
        int status = Z_OK;
        while (status == Z_OK) {
            if (stream.avail_in == 0) {
                const std::size_t take = std::min(Chunk, packed.size() - in);
                stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + in)); // zlib does not write there
                stream.avail_in = static_cast<uInt>(take);
                in += take;
            }
            const bool full = produced == out.size();
            const std::size_t room = full ? 1 : std::min(Chunk, out.size() - produced);
            stream.next_out = reinterpret_cast<Bytef*>(full ? &spare : out.data() + produced);
            stream.avail_out = static_cast<uInt>(room);
            status = inflate(&stream, Z_NO_FLUSH);
            const std::size_t made = room - stream.avail_out;
            if (full && made > 0) {
                return std::nullopt;
            }
            produced += made;
        }
        return status == Z_STREAM_END && produced == out.size() ? std::optional<std::string>(std::move(out)) : std::nullopt;
    }

    [[nodiscard]] static std::uint32_t checksumOf(std::string_view bytes) {
        uLong sum = crc32(0, nullptr, 0);
        constexpr std::size_t Chunk = 1U << 30U;
        for (std::size_t at = 0; at < bytes.size(); at += Chunk) {
            const std::string_view part = bytes.substr(at, Chunk);
            sum = crc32(sum, reinterpret_cast<const Bytef*>(part.data()), static_cast<uInt>(part.size()));
        }
        return static_cast<std::uint32_t>(sum);
    }

    std::ifstream& m_stream;
    std::uint64_t m_size;
};

Result<std::vector<std::pair<std::string, Tensor>>> readMembers(Archive& archive, const std::string& where, std::uint64_t maxBytes) {
    const Result<std::vector<Member>> members = archive.directory();
    if (!members) {
        return tl::unexpected<Error>(members.error());
    }
    std::vector<std::pair<std::string, Tensor>> out;
    std::uint64_t total = 0;
    for (const Member& member : *members) {
        constexpr std::string_view Ending = ".npy";
        if (!member.name.ends_with(Ending)) {
            continue;
        }
        if ((member.flags & 1U) != 0 || (member.method != 0 && member.method != 8)) {
            return fail(ErrorCode::Unsupported,
                        "member '" + member.name + "' is encrypted or packed by another method than deflate; save it with numpy.savez");
        }
        if (member.unpacked > maxBytes - total) {
            return fail(ErrorCode::TooLarge, "the archive holds more than " + std::to_string(maxBytes) + " bytes of arrays");
        }
        total += member.unpacked;
        const Result<std::string> bytes = archive.content(member);
        if (!bytes) {
            return tl::unexpected<Error>(bytes.error());
        }
        Result<Tensor> tensor = readNpyBytes(std::as_bytes(std::span(bytes->data(), bytes->size())), where + "(" + member.name + ")");
        if (!tensor) {
            return tl::unexpected<Error>(tensor.error());
        }
        out.emplace_back(member.name.substr(0, member.name.size() - Ending.size()), std::move(*tensor));
    }
    return out;
}

} // namespace

Result<std::vector<std::pair<std::string, Tensor>>> readNpz(const std::filesystem::path& file, std::uint64_t maxBytes) {
    const std::string where = file.string();
    std::error_code code;
    if (!std::filesystem::is_regular_file(file, code)) {
        return fail(ErrorCode::NotFound, std::filesystem::exists(file, code) ? "is not a regular file" : "there is no such file", where);
    }
    const std::uint64_t size = std::filesystem::file_size(file, code);
    std::ifstream stream(file, std::ios::binary);
    if (code || !stream) {
        return fail(ErrorCode::NotFound, "cannot be opened", where);
    }
    Archive archive(stream, size);
    Result<std::vector<std::pair<std::string, Tensor>>> out = readMembers(archive, where, maxBytes);
    if (!out && out.error().where.empty()) {
        out.error().where = where;
    }
    return out;
}

} // namespace lemmascope
