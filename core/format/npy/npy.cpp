#include "core/format/npy/npy.h"

#include "core/format/npy/npy_header.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fstream>
#include <functional>

namespace lemmascope {

namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

struct Wide {
    std::byte bytes[16];
};

std::span<std::byte> writableBytes(Tensor& tensor) {
    switch (byteSize(tensor.element())) {
    case 1: return std::as_writable_bytes(tensor.mutableAs<std::uint8_t>());
    case 2: return std::as_writable_bytes(tensor.mutableAs<std::uint16_t>());
    case 4: return std::as_writable_bytes(tensor.mutableAs<std::uint32_t>());
    case 8: return std::as_writable_bytes(tensor.mutableAs<std::uint64_t>());
    default: return std::as_writable_bytes(tensor.mutableAs<Wide>());
    }
}

void swapBytes(std::span<std::byte> bytes, std::size_t unit) {
    for (std::size_t at = 0; at + unit <= bytes.size(); at += unit) {
        std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin() + static_cast<std::ptrdiff_t>(at + unit));
    }
}

/// Column-major to row-major: walks the result in order with an odometer, its source offset kept alongside.
Tensor fromFortranOrder(const Tensor& source) {
    const std::vector<std::int64_t>& shape = source.shape();
    Tensor out(source.element(), shape);
    const std::size_t unit = byteSize(source.element());
    std::vector<std::int64_t> strides(shape.size(), 1);
    for (std::size_t axis = 1; axis < shape.size(); ++axis) {
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    }
    std::vector<std::int64_t> index(shape.size(), 0);
    std::int64_t from = 0;
    const std::span<std::byte> target = writableBytes(out);
    for (std::int64_t flat = 0; flat < out.count(); ++flat) {
        std::memcpy(target.data() + static_cast<std::size_t>(flat) * unit, source.bytes().data() + static_cast<std::size_t>(from) * unit, unit);
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            from += strides[axis];
            if (++index[axis] < shape[axis]) {
                break;
            }
            from -= strides[axis] * shape[axis];
            index[axis] = 0;
        }
    }
    return out;
}

/// `available`: bytes after the header; `read` fills a block with the next of them.
Result<Tensor> readData(const NpyHeader& header, std::uint64_t available, const std::function<bool(std::span<std::byte>)>& read) {
    if (header.bytes != available) {
        return fail(ErrorCode::BadData, "the array's shape and type need " + std::to_string(header.bytes) + " bytes, " + std::to_string(available) +
                                            " follow the header; save it again");
    }
    Tensor tensor(header.element, header.shape);
    const std::span<std::byte> bytes = writableBytes(tensor);
    if (!read(bytes)) {
        return fail(ErrorCode::NotFound, "cannot be read to its end");
    }
    if (header.element == ElementType::Bool) {
        std::transform(bytes.begin(), bytes.end(), bytes.begin(), [](std::byte b) { return b == std::byte{0} ? b : std::byte{1}; });
    }
    if (header.bigEndian) {
        const bool complex = header.element == ElementType::Complex64 || header.element == ElementType::Complex128;
        swapBytes(bytes, byteSize(header.element) / (complex ? 2 : 1));
    }
    return header.fortranOrder && header.shape.size() > 1 ? fromFortranOrder(tensor) : tensor;
}

tl::unexpected<Error> at(Error error, const std::string& where) {
    error.where = where;
    return tl::unexpected<Error>(std::move(error));
}

} // namespace

Result<Tensor> readNpyBytes(std::span<const std::byte> bytes, const std::string& where) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const Result<NpyPreamble> preamble = parseNpyPreamble(text);
    if (!preamble) {
        return at(preamble.error(), where);
    }
    const std::size_t dataBegin = preamble->size + preamble->textLength;
    if (dataBegin > bytes.size()) {
        return fail(ErrorCode::BadData, "the .npy header is cut off; save the array again", where);
    }
    const Result<NpyHeader> header = parseNpyHeader(text.substr(preamble->size, preamble->textLength));
    if (!header) {
        return at(header.error(), where);
    }
    Result<Tensor> tensor = readData(*header, bytes.size() - dataBegin, [&](std::span<std::byte> out) {
        if (!out.empty()) {
            std::memcpy(out.data(), bytes.data() + dataBegin, out.size());
        }
        return true;
    });
    return tensor ? std::move(tensor) : at(tensor.error(), where);
}

Result<Tensor> readNpy(const std::filesystem::path& file) {
    const std::string where = file.string();
    std::error_code code;
    // A pipe or a device could block for ever: only regular files are opened.
    if (!std::filesystem::is_regular_file(file, code)) {
        return fail(ErrorCode::NotFound, std::filesystem::exists(file, code) ? "is not a regular file" : "there is no such file", where);
    }
    const std::uint64_t size = std::filesystem::file_size(file, code);
    std::ifstream stream(file, std::ios::binary);
    if (code || !stream) {
        return fail(ErrorCode::NotFound, "cannot be opened", where);
    }
    std::string first(static_cast<std::size_t>(std::min<std::uint64_t>(size, 12)), '\0');
    stream.read(first.data(), static_cast<std::streamsize>(first.size()));
    const Result<NpyPreamble> preamble = parseNpyPreamble(first);
    if (!preamble) {
        return at(preamble.error(), where);
    }
    const std::uint64_t dataBegin = preamble->size + preamble->textLength;
    if (dataBegin > size) {
        return fail(ErrorCode::BadData, "the .npy header is cut off; save the array again", where);
    }
    std::string text(preamble->textLength, '\0');
    stream.seekg(static_cast<std::streamoff>(preamble->size));
    if (!stream.read(text.data(), static_cast<std::streamsize>(text.size()))) {
        return fail(ErrorCode::NotFound, "cannot be read to its end", where);
    }
    const Result<NpyHeader> header = parseNpyHeader(text);
    if (!header) {
        return at(header.error(), where);
    }
    Result<Tensor> tensor = readData(*header, size - dataBegin, [&](std::span<std::byte> out) {
        return out.empty() || static_cast<bool>(stream.read(reinterpret_cast<char*>(out.data()), static_cast<std::streamsize>(out.size())));
    });
    return tensor ? std::move(tensor) : at(tensor.error(), where);
}

Result<std::string> npyBytes(const Tensor& tensor) {
    Result<std::string> out = formatNpyHeader(tensor.element(), tensor.shape());
    if (out) {
        out->append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
    }
    return out;
}

Result<void> writeNpy(const Tensor& tensor, const std::filesystem::path& file) {
    const Result<std::string> header = formatNpyHeader(tensor.element(), tensor.shape());
    if (!header) {
        return at(header.error(), file.string());
    }
    std::filesystem::path temporary = file;
    temporary += ".part";
    {
        std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
        stream.write(header->data(), static_cast<std::streamsize>(header->size()));
        stream.write(reinterpret_cast<const char*>(tensor.bytes().data()), static_cast<std::streamsize>(tensor.bytes().size()));
        stream.close();
        if (!stream) {
            std::error_code ignored;
            std::filesystem::remove(temporary, ignored);
            return fail(ErrorCode::NotFound, "cannot be written; is the folder there, writable and not full?", file.string());
        }
    }
    std::error_code code;
    std::filesystem::rename(temporary, file, code);
    if (code) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        return fail(ErrorCode::NotFound, "cannot be written: " + code.message(), file.string());
    }
    return {};
}

} // namespace lemmascope
