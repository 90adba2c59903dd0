#include "core/format/onnx/tensor_data.h"

#include "core/format/onnx/lemmascope_onnx.pb.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <limits>

namespace lemmascope::onnx {

namespace {

constexpr std::size_t DenseLimit = std::size_t{1} << 28U;
/// Raw data below this is copied, so that it does not keep a string (and its slack) alive.
constexpr std::size_t ShareFrom = 256;

struct TypeRow {
    std::int32_t number;
    ElementType element;
    std::int64_t irVersion;
};

constexpr std::array TypeRows{
    TypeRow{TensorProto::FLOAT, ElementType::F32, 1},
    TypeRow{TensorProto::UINT8, ElementType::U8, 1},
    TypeRow{TensorProto::INT8, ElementType::I8, 1},
    TypeRow{TensorProto::UINT16, ElementType::U16, 1},
    TypeRow{TensorProto::INT16, ElementType::I16, 1},
    TypeRow{TensorProto::INT32, ElementType::I32, 1},
    TypeRow{TensorProto::INT64, ElementType::I64, 1},
    TypeRow{TensorProto::STRING, ElementType::String, 1},
    TypeRow{TensorProto::BOOL, ElementType::Bool, 1},
    TypeRow{TensorProto::FLOAT16, ElementType::F16, 1},
    TypeRow{TensorProto::DOUBLE, ElementType::F64, 1},
    TypeRow{TensorProto::UINT32, ElementType::U32, 1},
    TypeRow{TensorProto::UINT64, ElementType::U64, 1},
    TypeRow{TensorProto::COMPLEX64, ElementType::Complex64, 1},
    TypeRow{TensorProto::COMPLEX128, ElementType::Complex128, 1},
    TypeRow{TensorProto::BFLOAT16, ElementType::BF16, 1},
    TypeRow{TensorProto::FLOAT8E4M3FN, ElementType::F8E4M3FN, 9},
    TypeRow{TensorProto::FLOAT8E4M3FNUZ, ElementType::F8E4M3FNUZ, 9},
    TypeRow{TensorProto::FLOAT8E5M2, ElementType::F8E5M2, 9},
    TypeRow{TensorProto::FLOAT8E5M2FNUZ, ElementType::F8E5M2FNUZ, 9},
    TypeRow{TensorProto::UINT4, ElementType::U4, 10},
    TypeRow{TensorProto::INT4, ElementType::I4, 10},
    TypeRow{TensorProto::FLOAT4E2M1, ElementType::F4E2M1, 11},
    TypeRow{TensorProto::FLOAT8E8M0, ElementType::F8E8M0, 12},
    TypeRow{TensorProto::UINT2, ElementType::U2, 13},
    TypeRow{TensorProto::INT2, ElementType::I2, 13},
};

/// Elements that share one byte in a file; 1 for types of whole bytes.
std::int64_t elementsPerByte(ElementType element) {
    switch (element) {
    case ElementType::I4:
    case ElementType::U4:
    case ElementType::F4E2M1: return 2;
    case ElementType::I2:
    case ElementType::U2: return 4;
    default: return 1;
    }
}

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string out = "[";
    for (std::size_t i = 0; i < shape.size(); ++i) {
        out += (i == 0 ? "" : ",") + std::to_string(shape[i]);
    }
    return out + "]";
}

/// A tensor's element type and shape, checked, and how many elements and stored bytes they ask for.
struct Layout {
    ElementType element = ElementType::Undefined;
    std::vector<std::int64_t> shape;
    std::int64_t count = 0;
    std::size_t storedBytes = 0;

    [[nodiscard]] std::string text() const { return "shape " + shapeText(shape) + " of " + std::string(name(element)); }
};

template <typename Dims>
Result<std::vector<std::int64_t>> checkedShape(const Dims& dims, std::size_t bytesPerElement, const std::string& subject) {
    std::vector<std::int64_t> shape(dims.begin(), dims.end());
    // Zero lengths are left out of the product: [0, 2^62, 2^62] would overflow later, in whoever multiplies left to right.
    std::int64_t bytes = static_cast<std::int64_t>(std::max<std::size_t>(bytesPerElement, 1));
    for (const std::int64_t length : shape) {
        if (length < 0) {
            return fail(ErrorCode::BadData, subject + ": shape " + shapeText(shape) + " has a negative length");
        }
        if (length > 0 && __builtin_mul_overflow(bytes, length, &bytes)) {
            return fail(ErrorCode::TooLarge, subject + ": shape " + shapeText(shape) + " has more bytes than 64 bits can count");
        }
    }
    return shape;
}

Result<Layout> layoutOf(const TensorProto& proto, const std::string& subject) {
    Layout layout;
    if (proto.data_type() == TensorProto::UNDEFINED) {
        return fail(ErrorCode::BadData, subject + ": has no element type");
    }
    const std::optional<ElementType> element = elementOf(proto.data_type());
    if (!element) {
        return fail(ErrorCode::Unsupported,
                    subject + ": element type number " + std::to_string(proto.data_type()) + " is not one that ONNX names up to IR version 13");
    }
    layout.element = *element;
    auto shape = checkedShape(proto.dims(), byteSize(*element), subject);
    if (!shape) {
        return tl::unexpected(std::move(shape.error()));
    }
    layout.shape = std::move(*shape);
    layout.count = 1;
    for (const std::int64_t length : layout.shape) {
        layout.count *= length;
    }
    const std::int64_t perByte = elementsPerByte(*element);
    layout.storedBytes = perByte == 1 ? static_cast<std::size_t>(layout.count) * byteSize(*element)
                                      : static_cast<std::size_t>(layout.count / perByte + (layout.count % perByte != 0 ? 1 : 0));
    return layout;
}

/// Spreads packed elements to one byte each; the first element stands in the low bits. Signed ones are sign-extended.
void unpack(std::span<const std::byte> packed, ElementType element, std::span<std::uint8_t> out) {
    const auto perByte = static_cast<std::size_t>(elementsPerByte(element));
    const auto bits = static_cast<unsigned>(8 / perByte);
    const unsigned mask = (1U << bits) - 1U;
    const unsigned sign = element == ElementType::I4 || element == ElementType::I2 ? 1U << (bits - 1U) : 0U;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const unsigned field = (std::to_integer<unsigned>(packed[i / perByte]) >> (bits * static_cast<unsigned>(i % perByte))) & mask;
        out[i] = static_cast<std::uint8_t>((field ^ sign) - sign);
    }
}

/// A tensor over stored bytes of the right number: shared when they may be used as they are, else copied.
Tensor fromStored(const Layout& layout, std::span<const std::byte> stored, const std::shared_ptr<const void>& owner) {
    if (elementsPerByte(layout.element) != 1) {
        Tensor tensor(layout.element, layout.shape);
        unpack(stored, layout.element, tensor.mutableAs<std::uint8_t>());
        return tensor;
    }
    const bool aligned = reinterpret_cast<std::uintptr_t>(stored.data()) % byteSize(layout.element) == 0;
    const bool canonical = layout.element != ElementType::Bool ||
                           std::none_of(stored.begin(), stored.end(), [](std::byte b) { return std::to_integer<unsigned>(b) > 1; });
    if (owner && aligned && canonical && stored.size() >= ShareFrom) {
        return {layout.element, layout.shape, stored, owner};
    }
    Tensor tensor(layout.element, layout.shape);
    if (stored.empty()) {
        return tensor;
    }
    // mutableAs wants the element's own type, so the bytes are reached through the one write path that fits every size.
    switch (byteSize(layout.element)) {
    case 1: {
        const auto out = tensor.mutableAs<std::uint8_t>();
        std::memcpy(out.data(), stored.data(), stored.size());
        if (!canonical) {
            std::transform(out.begin(), out.end(), out.begin(), [](std::uint8_t b) { return static_cast<std::uint8_t>(b != 0 ? 1 : 0); });
        }
        break;
    }
    case 2: std::memcpy(tensor.mutableAs<std::uint16_t>().data(), stored.data(), stored.size()); break;
    case 4: std::memcpy(tensor.mutableAs<std::uint32_t>().data(), stored.data(), stored.size()); break;
    case 8: std::memcpy(tensor.mutableAs<std::uint64_t>().data(), stored.data(), stored.size()); break;
    default: std::memcpy(tensor.mutableAs<std::array<std::uint64_t, 2>>().data(), stored.data(), stored.size()); break;
    }
    return tensor;
}

tl::unexpected<Error> wrongSize(const Layout& layout, std::size_t found, const std::string& subject) {
    return fail(ErrorCode::BadData,
                subject + ": holds " + std::to_string(found) + " bytes, " + layout.text() + " needs " + std::to_string(layout.storedBytes));
}

/// The name of a filled typed field, for messages about one in the wrong place.
std::string filledField(const TensorProto& proto) {
    const std::array<std::pair<int, const char*>, 6> fields{{{proto.float_data_size(), "float_data"},
                                                             {proto.int32_data_size(), "int32_data"},
                                                             {proto.int64_data_size(), "int64_data"},
                                                             {proto.double_data_size(), "double_data"},
                                                             {proto.uint64_data_size(), "uint64_data"},
                                                             {proto.string_data_size(), "string_data"}}};
    for (const auto& [size, fieldName] : fields) {
        if (size != 0) {
            return fieldName;
        }
    }
    return {};
}

tl::unexpected<Error> wrongCount(const TensorProto& proto, const Layout& layout, int found, std::int64_t needed, const char* field,
                                 const std::string& subject) {
    if (found == 0) {
        const std::string other = filledField(proto);
        if (!other.empty()) {
            return fail(ErrorCode::BadData, subject + ": holds " + other + ", but elements of type " + std::string(name(layout.element)) +
                                                " stand in " + field + " or raw_data");
        }
        return fail(ErrorCode::BadData, subject + ": holds no data, " + layout.text() + " needs " + std::to_string(layout.storedBytes) + " bytes");
    }
    return fail(ErrorCode::BadData,
                subject + ": holds " + std::to_string(found) + " elements in " + field + ", " + layout.text() + " needs " + std::to_string(needed));
}

/// A field whose elements are the tensor's own: taken over whole, without a copy.
template <typename Field>
Result<Tensor> takeField(TensorProto& proto, const Layout& layout, Field* field, std::int64_t perElement, const char* fieldName,
                         const std::string& subject) {
    if (field->size() != layout.count * perElement) {
        return wrongCount(proto, layout, field->size(), layout.count * perElement, fieldName, subject);
    }
    auto owner = std::make_shared<Field>();
    owner->Swap(field);
    const auto bytes = std::as_bytes(std::span(owner->data(), static_cast<std::size_t>(owner->size())));
    return fromStored(layout, bytes, owner);
}

template <typename Narrow, typename Field>
Tensor narrowed(const Layout& layout, const Field& field) {
    Tensor tensor(layout.element, layout.shape);
    const auto out = tensor.mutableAs<Narrow>();
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = static_cast<Narrow>(field.Get(static_cast<int>(i)));
    }
    return tensor;
}

/// int32_data and uint64_data hold narrower types one element (or one packed byte) per entry; a value outside what its bits
/// can mean, signed or not, is damage.
template <typename Field>
std::optional<std::string> outsideBits(const Field& field, unsigned bits) {
    const auto limit = std::int64_t{1} << bits;
    for (int i = 0; i < field.size(); ++i) {
        const auto value = static_cast<std::int64_t>(field.Get(i));
        if (value >= limit || value < -limit / 2) {
            return "element " + std::to_string(i) + " is " + std::to_string(value) + ", which does not fit " + std::to_string(bits) + " bits";
        }
    }
    return std::nullopt;
}

Result<Tensor> takeInt32Field(TensorProto& proto, const Layout& layout, const std::string& subject) {
    const std::int64_t perByte = elementsPerByte(layout.element);
    const std::int64_t needed = perByte == 1 ? layout.count : static_cast<std::int64_t>(layout.storedBytes);
    auto* field = proto.mutable_int32_data();
    if (field->size() != needed) {
        return wrongCount(proto, layout, field->size(), needed, "int32_data", subject);
    }
    if (layout.element != ElementType::Bool) {
        if (const auto damage = outsideBits(*field, static_cast<unsigned>(byteSize(layout.element)) * 8U)) {
            return fail(ErrorCode::BadData, subject + ": int32_data: " + *damage);
        }
    }
    Result<Tensor> out;
    if (perByte != 1) {
        std::vector<std::byte> packed(layout.storedBytes);
        for (std::size_t i = 0; i < packed.size(); ++i) {
            packed[i] = static_cast<std::byte>(field->Get(static_cast<int>(i)));
        }
        out = fromStored(layout, packed, nullptr);
    } else if (layout.element == ElementType::Bool) {
        Tensor tensor(layout.element, layout.shape);
        const auto flags = tensor.mutableAs<std::uint8_t>();
        for (std::size_t i = 0; i < flags.size(); ++i) {
            flags[i] = field->Get(static_cast<int>(i)) != 0 ? 1 : 0;
        }
        out = std::move(tensor);
    } else {
        out = byteSize(layout.element) == 1 ? narrowed<std::uint8_t>(layout, *field) : narrowed<std::uint16_t>(layout, *field);
    }
    google::protobuf::RepeatedField<std::int32_t>().Swap(field);
    return out;
}

Result<Tensor> takeTyped(TensorProto& proto, const Layout& layout, const std::string& subject) {
    switch (layout.element) {
    case ElementType::F32: return takeField(proto, layout, proto.mutable_float_data(), 1, "float_data", subject);
    case ElementType::Complex64: return takeField(proto, layout, proto.mutable_float_data(), 2, "float_data", subject);
    case ElementType::F64: return takeField(proto, layout, proto.mutable_double_data(), 1, "double_data", subject);
    case ElementType::Complex128: return takeField(proto, layout, proto.mutable_double_data(), 2, "double_data", subject);
    case ElementType::I64: return takeField(proto, layout, proto.mutable_int64_data(), 1, "int64_data", subject);
    case ElementType::U64: return takeField(proto, layout, proto.mutable_uint64_data(), 1, "uint64_data", subject);
    case ElementType::I32: return takeField(proto, layout, proto.mutable_int32_data(), 1, "int32_data", subject);
    case ElementType::U32: {
        if (proto.uint64_data_size() != layout.count) {
            return wrongCount(proto, layout, proto.uint64_data_size(), layout.count, "uint64_data", subject);
        }
        if (const auto damage = outsideBits(proto.uint64_data(), 32)) {
            return fail(ErrorCode::BadData, subject + ": uint64_data: " + *damage);
        }
        Tensor tensor = narrowed<std::uint32_t>(layout, proto.uint64_data());
        google::protobuf::RepeatedField<std::uint64_t>().Swap(proto.mutable_uint64_data());
        return tensor;
    }
    default: return takeInt32Field(proto, layout, subject);
    }
}

Result<Tensor> takeStrings(TensorProto& proto, const Layout& layout, const std::string& subject) {
    if (!proto.raw_data().empty()) {
        return fail(ErrorCode::BadData, subject + ": strings stand in string_data, not in raw_data");
    }
    if (proto.string_data_size() != layout.count) {
        return wrongCount(proto, layout, proto.string_data_size(), layout.count, "string_data", subject);
    }
    std::vector<std::string> strings;
    strings.reserve(static_cast<std::size_t>(layout.count));
    for (std::string& text : *proto.mutable_string_data()) {
        strings.push_back(std::move(text));
    }
    return Tensor::ofStrings(layout.shape, std::move(strings));
}

Result<std::uint64_t> parseOffset(const std::string& text, const char* key, const std::string& subject) {
    std::uint64_t value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size()) {
        return fail(ErrorCode::BadData, subject + ": external data: '" + key + "' is '" + text + "', expected a whole number");
    }
    return value;
}

Result<Tensor> takeExternal(const TensorProto& proto, const Layout& layout, const std::string& subject, ExternalFiles* files) {
    if (files == nullptr) {
        return fail(ErrorCode::Unsupported, subject + ": stores its data in another file, which is read for a model's weights only");
    }
    if (layout.element == ElementType::String) {
        return fail(ErrorCode::BadData, subject + ": strings can't stand in external data");
    }
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
    for (const StringStringEntryProto& entry : proto.external_data()) {
        if (entry.key() == "location") {
            location = entry.value();
        } else if (entry.key() == "offset" || entry.key() == "length") {
            const auto value = parseOffset(entry.value(), entry.key().c_str(), subject);
            if (!value) {
                return tl::unexpected(value.error());
            }
            if (entry.key() == "offset") {
                offset = *value;
            } else {
                length = *value;
            }
        }
    }
    const auto file = files->open(location, subject);
    if (!file) {
        return tl::unexpected(file.error());
    }
    if (length && *length != layout.storedBytes) {
        return fail(ErrorCode::BadData, subject + ": external data: 'length' is " + std::to_string(*length) + ", " + layout.text() + " needs " +
                                            std::to_string(layout.storedBytes));
    }
    const std::size_t size = file->bytes.size();
    if (offset > size || layout.storedBytes > size - offset) {
        return fail(ErrorCode::BadData, subject + ": external data file '" + location + "' has " + std::to_string(size) + " bytes, but " +
                                            std::to_string(layout.storedBytes) + " are wanted from offset " + std::to_string(offset) +
                                            ": is the file whole?");
    }
    return fromStored(layout, file->bytes.subspan(static_cast<std::size_t>(offset), layout.storedBytes), file->owner);
}

/// Unmaps when the last tensor over it goes.
class Mapping {
  public:
    Mapping(void* address, std::size_t size) : m_address(address), m_size(size) {}
    ~Mapping() { ::munmap(m_address, m_size); }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    [[nodiscard]] std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(m_address), m_size}; }

  private:
    void* m_address;
    std::size_t m_size;
};

Result<ExternalFiles::Bytes> mapFile(const std::filesystem::path& path, const std::string& subject, const std::string& location) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW); // a pipe must not make us wait
    if (descriptor < 0) {
        return fail(ErrorCode::NotFound, subject + ": external data file '" + location + "' can't be read: " + std::strerror(errno));
    }
    struct stat status {};
    const bool regular = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    ExternalFiles::Bytes out;
    if (regular && status.st_size > 0) {
        const auto size = static_cast<std::size_t>(status.st_size);
        void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        if (address == MAP_FAILED) {
            ::close(descriptor);
            return fail(ErrorCode::TooLarge, subject + ": external data file '" + location + "' can't be mapped: " + std::strerror(errno));
        }
        auto mapping = std::make_shared<const Mapping>(address, size);
        out.bytes = mapping->bytes();
        out.owner = std::move(mapping);
    }
    ::close(descriptor);
    if (!regular) {
        return fail(ErrorCode::BadData, subject + ": external data '" + location + "' is not a regular file");
    }
    return out;
}

bool isInside(const std::filesystem::path& file, const std::filesystem::path& folder) {
    const auto [rest, at] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
    return rest == folder.end() && at != file.end();
}

} // namespace

std::optional<ElementType> elementOf(std::int32_t dataType) {
    const auto* row = std::find_if(TypeRows.begin(), TypeRows.end(), [dataType](const TypeRow& r) { return r.number == dataType; });
    return row == TypeRows.end() ? std::nullopt : std::optional(row->element);
}

std::int32_t dataTypeOf(ElementType element) {
    const auto* row = std::find_if(TypeRows.begin(), TypeRows.end(), [element](const TypeRow& r) { return r.element == element; });
    return row == TypeRows.end() ? static_cast<std::int32_t>(TensorProto::UNDEFINED) : row->number;
}

std::int64_t irVersionOf(ElementType element) {
    const auto* row = std::find_if(TypeRows.begin(), TypeRows.end(), [element](const TypeRow& r) { return r.element == element; });
    return row == TypeRows.end() ? 1 : row->irVersion;
}

Result<ExternalFiles::Bytes> ExternalFiles::open(const std::string& location, const std::string& subject) {
    if (location.empty() || location.find('\0') != std::string::npos) {
        return fail(ErrorCode::BadData, subject + ": external data names no file");
    }
    if (const auto known = m_open.find(location); known != m_open.end()) {
        return known->second;
    }
    const std::filesystem::path relative(location);
    if (relative.is_absolute()) {
        return fail(ErrorCode::BadData, subject + ": external data '" + location + "' is an absolute path; it must lie in the model's folder");
    }
    std::error_code code;
    const std::filesystem::path folder = std::filesystem::canonical(m_folder.empty() ? std::filesystem::path(".") : m_folder, code);
    if (code) {
        return fail(ErrorCode::NotFound, subject + ": the model's folder can't be read: " + code.message());
    }
    const std::filesystem::path file = std::filesystem::canonical(folder / relative, code);
    // What lies outside is refused by its name alone, so that a message does not tell which files exist there.
    if (!isInside((folder / relative).lexically_normal(), folder) || (!code && !isInside(file, folder))) {
        return fail(ErrorCode::BadData, subject + ": external data '" + location + "' leaves the model's folder; copy the file beside the model");
    }
    if (code) {
        return fail(ErrorCode::NotFound, subject + ": external data file '" + location + "' is missing; it belongs beside the model");
    }
    auto opened = mapFile(file, subject, location);
    if (opened) {
        m_open.emplace(location, *opened);
    }
    return opened;
}

Result<Tensor> takeTensor(TensorProto& proto, const std::string& subject, ExternalFiles* files) {
    const auto layout = layoutOf(proto, subject);
    if (!layout) {
        return tl::unexpected(layout.error());
    }
    if (proto.has_segment()) {
        return fail(ErrorCode::Unsupported, subject + ": is stored in segments, which no tool writes; store it whole");
    }
    if (proto.data_location() == TensorProto::EXTERNAL) {
        return takeExternal(proto, *layout, subject, files);
    }
    if (layout->element == ElementType::String) {
        return takeStrings(proto, *layout, subject);
    }
    const std::string typed = filledField(proto);
    if (proto.raw_data().empty() && (!typed.empty() || !proto.has_raw_data())) {
        return takeTyped(proto, *layout, subject);
    }
    if (!typed.empty()) {
        return fail(ErrorCode::BadData, subject + ": holds both raw_data and " + typed + ", expected one of them");
    }
    if (proto.raw_data().size() != layout->storedBytes) {
        return wrongSize(*layout, proto.raw_data().size(), subject);
    }
    const auto owner = std::make_shared<const std::string>(std::move(*proto.mutable_raw_data()));
    return fromStored(*layout, std::as_bytes(std::span(*owner)), owner);
}

Result<Tensor> takeSparseTensor(SparseTensorProto& proto, const std::string& subject, ExternalFiles* files) {
    const auto values = takeTensor(*proto.mutable_values(), subject + ": values", files);
    if (!values) {
        return tl::unexpected(values.error());
    }
    const auto indices = takeTensor(*proto.mutable_indices(), subject + ": indices", files);
    if (!indices) {
        return tl::unexpected(indices.error());
    }
    const std::size_t elementBytes = byteSize(values->element());
    const auto shape = checkedShape(proto.dims(), elementBytes, subject);
    if (!shape) {
        return tl::unexpected(shape.error());
    }
    std::int64_t count = 1;
    for (const std::int64_t length : *shape) {
        count *= length;
    }
    if (elementBytes == 0) {
        return fail(ErrorCode::Unsupported, subject + ": sparse tensors of strings are not read");
    }
    if (static_cast<std::size_t>(count) > DenseLimit / elementBytes) {
        return fail(ErrorCode::TooLarge, subject + ": sparse tensor of shape " + shapeText(*shape) + " would take more than 256 MB when made dense");
    }
    const auto rank = static_cast<std::int64_t>(shape->size());
    const bool flat = indices->shape().size() == 1;
    const std::vector<std::int64_t> coordinateShape{values->count(), rank};
    if (indices->element() != ElementType::I64 || values->shape().size() != 1 ||
        (flat ? indices->count() != values->count() : indices->shape() != coordinateShape)) {
        return fail(ErrorCode::BadData, subject + ": sparse tensor: " + std::to_string(values->count()) + " values with indices " +
                                            shapeText(indices->shape()) + " of " + std::string(name(indices->element())) +
                                            ", expected i64 of shape [" + std::to_string(values->count()) + "] or " + shapeText(coordinateShape));
    }
    std::vector<std::byte> dense(static_cast<std::size_t>(count) * elementBytes);
    std::vector<bool> seen(static_cast<std::size_t>(count), false);
    const auto places = indices->as<std::int64_t>();
    for (std::size_t k = 0; k < static_cast<std::size_t>(values->count()); ++k) {
        std::int64_t at = flat ? places[k] : 0;
        bool inside = flat ? at >= 0 && at < count : true;
        for (std::size_t axis = 0; !flat && axis < shape->size(); ++axis) {
            const std::int64_t coordinate = places[k * shape->size() + axis];
            inside = inside && coordinate >= 0 && coordinate < (*shape)[axis];
            at = inside ? at * (*shape)[axis] + coordinate : 0;
        }
        if (!inside || seen[static_cast<std::size_t>(at)]) {
            return fail(ErrorCode::BadData, subject + ": sparse tensor: index of value " + std::to_string(k) +
                                                (inside ? " stands there twice" : " lies outside shape " + shapeText(*shape)));
        }
        seen[static_cast<std::size_t>(at)] = true;
        std::memcpy(&dense[static_cast<std::size_t>(at) * elementBytes], values->bytes().subspan(k * elementBytes).data(), elementBytes);
    }
    Layout layout;
    layout.element = values->element();
    layout.shape = *shape;
    layout.count = count;
    layout.storedBytes = dense.size();
    if (elementsPerByte(layout.element) != 1) { // already one byte each
        Tensor tensor(layout.element, layout.shape);
        const auto out = tensor.mutableAs<std::uint8_t>();
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = std::to_integer<std::uint8_t>(dense[i]);
        }
        return tensor;
    }
    const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(dense));
    return fromStored(layout, *owner, owner);
}

std::string rawBytes(const Tensor& tensor) {
    const auto bytes = tensor.bytes();
    const auto perByte = static_cast<std::size_t>(elementsPerByte(tensor.element()));
    if (perByte == 1) {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    const auto bits = static_cast<unsigned>(8 / perByte);
    std::string packed((bytes.size() + perByte - 1) / perByte, '\0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        const unsigned field = std::to_integer<unsigned>(bytes[i]) & ((1U << bits) - 1U);
        char& at = packed[i / perByte];
        at = static_cast<char>(static_cast<unsigned char>(at) | (field << (bits * static_cast<unsigned>(i % perByte))));
    }
    return packed;
}

void putTensor(const Tensor& tensor, TensorProto& proto) {
    proto.set_data_type(dataTypeOf(tensor.element()));
    for (const std::int64_t length : tensor.shape()) {
        proto.add_dims(length);
    }
    if (tensor.element() == ElementType::String) {
        for (const std::string& text : tensor.strings()) {
            proto.add_string_data(text);
        }
    } else {
        proto.set_raw_data(rawBytes(tensor));
    }
}

} // namespace lemmascope::onnx
