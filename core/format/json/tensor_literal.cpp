#include "core/format/json/tensor_literal.h"

#include "core/format/json/base64.h"
#include "core/format/npy/npy.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

namespace lemmascope::json {

namespace {

static_assert(std::endian::native == std::endian::little, "base64 data is little-endian");

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

std::string text(const std::vector<std::int64_t>& shape) {
    std::string out = "[";
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        out += (axis == 0 ? "" : ", ") + std::to_string(shape[axis]);
    }
    return out + "]";
}

/// Product of the lengths, taken in order as Tensor does; nothing past 2^63 - 1 bytes of 16 each.
std::optional<std::int64_t> countOf(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t length : shape) {
        if (__builtin_mul_overflow(count, length, &count)) {
            return std::nullopt;
        }
    }
    return count <= std::numeric_limits<std::int64_t>::max() / 16 ? std::optional<std::int64_t>(count) : std::nullopt;
}

/// "nan", "inf", "-inf" as a double.
std::optional<double> specialFloat(const Value& item) {
    if (item.kind == Kind::String) {
        if (item.raw() == "nan") {
            return std::numeric_limits<double>::quiet_NaN();
        }
        if (item.raw() == "inf") {
            return std::numeric_limits<double>::infinity();
        }
        if (item.raw() == "-inf") {
            return -std::numeric_limits<double>::infinity();
        }
    }
    return std::nullopt;
}

/// Writes the elements of a `data` literal one after the other.
class Elements {
  public:
    /// Strings are collected in `strings`; other elements are written into `tensor`.
    Elements(ElementType element, Tensor& tensor, std::vector<std::string>& strings, Problem& problem)
        : m_element(element), m_unit(byteSize(element)), m_strings(strings), m_problem(problem) {
        if (m_element != ElementType::String) {
            m_bytes = writableBytes(tensor);
        }
    }

    void add(const Value& item) {
        switch (m_element) {
        case ElementType::String: m_strings.push_back(stringOf(item, "an element", m_problem)); break;
        case ElementType::Bool: addBool(item); break;
        case ElementType::F32: addF32(item); break;
        case ElementType::F64: put(doubleOf(item, std::numeric_limits<double>::max())); break;
        case ElementType::F16: put(doubleToHalf(doubleOf(item, 65504.0))); break;
        case ElementType::BF16: put(doubleToBfloat(doubleOf(item, 3.3895313892515355e38))); break;
        case ElementType::U64: addU64(item); break;
        default:
            if (isInteger(m_element)) {
                addInteger(item);
            } else {
                m_problem.report("a tensor of type " + std::string(name(m_element)) + " has no numbers in JSON; write its bytes as \"base64\"",
                                 item.offset);
            }
        }
        ++m_next;
    }

  private:
    template <typename T>
    void put(T value) {
        std::copy_n(reinterpret_cast<const std::byte*>(&value), sizeof value, m_bytes.data() + m_next * m_unit);
    }

    void mismatch(const Value& item, const std::string& expected) {
        const bool shown = item.isNumber() || item.kind == Kind::String;
        m_problem.report("element " + std::to_string(m_next) + " is " + (shown ? inQuotes(item.raw()) : std::string(item.kindName())) +
                             ", expected " + expected,
                         item.offset);
    }

    void addBool(const Value& item) {
        const bool isTrue = item.kind == Kind::True || (item.kind == Kind::Integer && item.raw() == "1");
        const bool isFalse = item.kind == Kind::False || (item.kind == Kind::Integer && item.raw() == "0");
        if (!isTrue && !isFalse) {
            mismatch(item, "true or false");
        }
        put(static_cast<std::uint8_t>(isTrue ? 1 : 0));
    }

    void addF32(const Value& item) {
        if (const std::optional<double> special = specialFloat(item)) {
            put(static_cast<float>(*special));
            return;
        }
        const std::optional<float> number = item.isNumber() ? parseFloat(item.raw()) : std::nullopt;
        if (!number) {
            mismatch(item, item.isNumber() ? R"(a number that f32 can hold; write "inf" for infinity)" : R"(a number, "nan", "inf" or "-inf")");
        }
        put(number.value_or(0.0F));
    }

    /// Rounding to the narrower type is the caller's; what rounds past `largest` becomes an infinity nobody wrote, and is reported.
    double doubleOf(const Value& item, double largest) {
        if (const std::optional<double> special = specialFloat(item)) {
            return *special;
        }
        const std::optional<double> number = item.isNumber() ? parseDouble(item.raw()) : std::nullopt;
        const bool fits = number && (m_element == ElementType::F64 || std::fabs(*number) <= largest);
        if (!fits) {
            mismatch(item, item.isNumber() ? "a number that " + std::string(name(m_element)) + " can hold; write \"inf\" for infinity"
                                           : std::string(R"(a number, "nan", "inf" or "-inf")"));
            return 0.0;
        }
        return *number;
    }

    void addU64(const Value& item) {
        std::uint64_t number = 0;
        const std::string_view text = item.raw();
        if (item.kind != Kind::Integer || std::from_chars(text.data(), text.data() + text.size(), number).ec != std::errc()) {
            mismatch(item, "an integer from 0 to 18446744073709551615");
        }
        put(number);
    }

    void addInteger(const Value& item) {
        const unsigned bits = bitWidth(m_element);
        const bool isSigned = isSignedInteger(m_element);
        const std::int64_t low = isSigned ? (bits == 64 ? std::numeric_limits<std::int64_t>::min() : -(std::int64_t{1} << (bits - 1))) : 0;
        const std::int64_t high =
            isSigned ? (bits == 64 ? std::numeric_limits<std::int64_t>::max() : (std::int64_t{1} << (bits - 1)) - 1) : (std::int64_t{1} << bits) - 1;
        std::int64_t number = 0;
        const std::string_view text = item.raw();
        const bool parsed = item.kind == Kind::Integer && std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
        if (!parsed || number < low || number > high) {
            mismatch(item, "an integer from " + std::to_string(low) + " to " + std::to_string(high));
            return;
        }
        switch (m_unit) {
        case 1: put(static_cast<std::uint8_t>(number)); break;
        case 2: put(static_cast<std::uint16_t>(number)); break;
        case 4: put(static_cast<std::uint32_t>(number)); break;
        default: put(static_cast<std::uint64_t>(number));
        }
    }

    ElementType m_element;
    std::size_t m_unit;
    std::span<std::byte> m_bytes;
    std::vector<std::string>& m_strings;
    Problem& m_problem;
    std::size_t m_next = 0;
};

bool isNested(const Value& data) {
    Cursor cursor(data);
    const std::optional<Value> first = data.kind == Kind::Array ? cursor.next() : std::nullopt;
    return first && first->isArray();
}

/// Nested lists: each level has the shape's length, walked with one cursor per level.
void addNested(const Value& data, const std::vector<std::int64_t>& shape, Elements& elements, Problem& problem) {
    std::vector<Cursor> levels;
    const auto enter = [&](const Value& list) {
        const std::size_t axis = levels.size();
        if (!list.isArray() || static_cast<std::int64_t>(list.length) != shape[axis]) {
            problem.report("'data' does not have the shape " + text(shape) + ": at depth " + std::to_string(axis) + " it has " +
                               (list.isArray() ? std::to_string(list.length) + " items" : std::string(list.kindName())) + ", expected " +
                               std::to_string(shape[axis]),
                           list.offset);
        }
        levels.emplace_back(list);
    };
    enter(data);
    while (!levels.empty() && !problem.failed()) {
        const std::optional<Value> item = levels.back().next();
        if (!item) {
            levels.pop_back();
        } else if (levels.size() < shape.size()) {
            enter(*item);
        } else {
            elements.add(*item);
        }
    }
}

Tensor fromData(const Value& data, ElementType element, const std::vector<std::int64_t>& shape, std::int64_t count, Problem& problem) {
    const bool nested = isNested(data);
    const bool single = !data.isArray() && shape.empty();
    if (!data.isArray() && !single) {
        problem.report("'data' is " + std::string(data.kindName()) + ", expected a list of " + std::to_string(count) + " elements", data.offset);
        return {};
    }
    if (!nested && !single && static_cast<std::int64_t>(data.length) != count) {
        problem.report("'data' has " + std::to_string(data.length) + " elements, the shape " + text(shape) + " needs " + std::to_string(count),
                       data.offset);
        return {};
    }
    // Each element takes two characters at least: what the text cannot hold is not allocated.
    if (nested && (shape.empty() || count > static_cast<std::int64_t>(data.document->text().size()))) {
        problem.report("'data' is nested, and does not have the " + std::to_string(count) + " elements of the shape " + text(shape), data.offset);
        return {};
    }
    Tensor tensor = element == ElementType::String ? Tensor() : Tensor(element, shape);
    std::vector<std::string> strings;
    if (element == ElementType::Undefined) {
        return tensor;
    }
    Elements elements(element, tensor, strings, problem);
    if (single) {
        elements.add(data);
    } else if (nested) {
        addNested(data, shape, elements, problem);
    } else {
        Cursor cursor(data);
        while (const std::optional<Value> item = cursor.next()) {
            elements.add(*item);
            if (problem.failed()) {
                break;
            }
        }
    }
    return element == ElementType::String && !problem.failed() ? Tensor::ofStrings(shape, std::move(strings)) : tensor;
}

/// Bool and types under 8 bits use part of their byte: other bits are damage.
bool bytesFit(const Tensor& tensor) {
    const ElementType element = tensor.element();
    const unsigned bits = element == ElementType::Bool ? 1 : (element == ElementType::F4E2M1 ? 4 : bitWidth(element));
    if (bits == 0 || bits >= 8) {
        return true;
    }
    return std::all_of(tensor.bytes().begin(), tensor.bytes().end(), [&](std::byte b) {
        const auto value = std::to_integer<int>(b);
        const int low = isSignedInteger(element) ? -(1 << (bits - 1)) : 0;
        const int high = isSignedInteger(element) ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
        const int number = isSignedInteger(element) ? static_cast<std::int8_t>(value) : value;
        return number >= low && number <= high;
    });
}

Tensor fromBase64(const Value& base64, ElementType element, const std::vector<std::int64_t>& shape, std::int64_t count, Problem& problem) {
    const std::string encoded = stringOf(base64, "'base64'", problem);
    if (element == ElementType::String) {
        problem.report("strings are written as \"data\", not as \"base64\"", base64.offset);
    }
    const std::optional<std::size_t> size = decodedBase64Size(encoded);
    if (problem.failed()) {
        return {};
    }
    if (!size || *size != static_cast<std::size_t>(count) * byteSize(element)) {
        problem.report("'base64' holds " + (size ? std::to_string(*size) + " bytes" : std::string("no whole number of bytes (is its end cut off?)")) +
                           ", the shape " + text(shape) + " of " + std::string(name(element)) + " needs " +
                           std::to_string(static_cast<std::size_t>(count) * byteSize(element)),
                       base64.offset);
        return {};
    }
    Tensor tensor(element, shape);
    if (!decodeBase64(encoded, writableBytes(tensor))) {
        problem.report("'base64' has characters that are not base64 (A-Z a-z 0-9 + / and = at the end)", base64.offset);
    } else if (!bytesFit(tensor)) {
        problem.report("'base64' has bytes that are no " + std::string(name(element)) + "; types under 8 bits take a byte for each element",
                       base64.offset);
    }
    return tensor;
}

/// `target` is `folder` or lies under it; both canonical.
bool liesIn(const std::filesystem::path& folder, const std::filesystem::path& target) {
    return std::mismatch(folder.begin(), folder.end(), target.begin(), target.end()).first == folder.end();
}

} // namespace

ElementType elementTypeOf(const Value& value, Problem& problem, bool unknownAllowed) {
    const std::string word = stringOf(value, "'type'", problem);
    if (unknownAllowed && word == "?") {
        return ElementType::Undefined;
    }
    const std::optional<ElementType> element = elementTypeByName(word);
    if (!element) {
        problem.report("unknown element type " + inQuotes(word) +
                           "; known are bool, i8 to i64, u8 to u64, f16, bf16, f32, f64, string and the smaller kinds",
                       value.offset);
    }
    return element.value_or(ElementType::Undefined);
}

Shape shapeOf(const Value& value, Problem& problem) {
    Shape shape;
    std::int64_t count = 1;
    for (const Value& item : itemsOf(value, "'shape'", problem)) {
        const std::string what = "'shape'[" + std::to_string(shape.size()) + "]";
        if (item.kind == Kind::String) {
            const std::string symbol = stringOf(item, what, problem);
            if (symbol.empty() || symbol.find_first_not_of("-0123456789") == std::string::npos) {
                problem.report(what + " is " + inQuotes(symbol) + ": a length is written without quotes, a symbol needs a name", item.offset);
            }
            shape.push_back(Dim::symbol(symbol));
            continue;
        }
        const std::int64_t length = integerOf(item, what, problem);
        if (length < 0) {
            problem.report(what + " is " + std::to_string(length) + ": a length is 0 or more; an unknown length is a symbol such as \"n\"",
                           item.offset);
        }
        if (!problem.failed() && (__builtin_mul_overflow(count, length, &count) || count > std::numeric_limits<std::int64_t>::max() / 16)) {
            problem.report("'shape' has more elements than fit into memory", value.offset, ErrorCode::TooLarge);
        }
        if (problem.failed()) {
            break;
        }
        shape.emplace_back(length);
    }
    return shape;
}

std::vector<std::int64_t> literalShapeOf(const Value& value, std::string_view what, Problem& problem) {
    const Shape shape = shapeOf(value, problem);
    const std::optional<std::vector<std::int64_t>> lengths = staticShape(shape);
    if (!lengths) {
        problem.report("'shape' has a symbol: the shape of " + std::string(what) + " is made of numbers", value.offset);
    }
    return lengths.value_or(std::vector<std::int64_t>());
}

Tensor TensorReader::fromFile(const Value& file, Problem& problem) {
    const std::string text = nameOf(file, "'file'", problem);
    if (problem.failed()) {
        return {};
    }
    if (m_model.empty()) {
        problem.report("'file' " + inQuotes(text) + " cannot be read: the text has no folder", file.offset);
        return {};
    }
    const auto known = m_files.find(text);
    if (known != m_files.end()) {
        return known->second;
    }
    std::error_code code;
    const std::filesystem::path relative(text);
    const std::filesystem::path parent = m_model.has_parent_path() ? m_model.parent_path() : std::filesystem::path(".");
    const std::filesystem::path folder = std::filesystem::canonical(parent, code);
    const bool strays = relative.is_absolute() || text.find('\0') != std::string::npos ||
                        std::find(relative.begin(), relative.end(), std::filesystem::path("..")) != relative.end();
    const std::filesystem::path target = strays || code ? std::filesystem::path() : std::filesystem::weakly_canonical(folder / relative, code);
    if (strays || code || !liesIn(folder, target)) {
        problem.report("'file' " + inQuotes(text) + " is not in the model's folder; put the .npy file beside the model", file.offset);
        return {};
    }
    Result<Tensor> tensor = readNpy(target);
    if (!tensor) {
        problem.report("'file' " + inQuotes(text) + ": " + tensor.error().message, file.offset, tensor.error().code);
        return {};
    }
    m_files.emplace(text, *tensor);
    return *tensor;
}

Tensor TensorReader::read(const Fields& fields, std::string_view what, Problem& problem) {
    const std::optional<Value>& data = fields.get("data");
    const std::optional<Value>& base64 = fields.get("base64");
    const std::optional<Value>& file = fields.get("file");
    if (problem.failed()) {
        return {};
    }
    if ((data ? 1 : 0) + (base64 ? 1 : 0) + (file ? 1 : 0) != 1) {
        problem.report(std::string(what) + " needs exactly one of 'data', 'base64' and 'file'", fields.offset());
        return {};
    }
    const bool optional = file.has_value();
    std::optional<ElementType> element;
    std::optional<std::vector<std::int64_t>> shape;
    if (fields.has("type") || !optional) {
        if (const std::optional<Value> type = fields.required("type", R"(an element type such as "f32")")) {
            element = elementTypeOf(*type, problem);
        }
    }
    if (fields.has("shape") || !optional) {
        if (const std::optional<Value> lengths = fields.required("shape", "a list of lengths")) {
            shape = literalShapeOf(*lengths, what, problem);
        }
    }
    if (problem.failed()) {
        return {};
    }
    if (file) {
        Tensor tensor = fromFile(*file, problem);
        if (!problem.failed() && ((element && tensor.element() != *element) || (shape && tensor.shape() != *shape))) {
            problem.report("'file' holds " + std::string(name(tensor.element())) + text(tensor.shape()) + ", declared is " +
                               std::string(name(element.value_or(tensor.element()))) + text(shape.value_or(tensor.shape())),
                           file->offset);
        }
        return tensor;
    }
    const std::optional<std::int64_t> count = countOf(*shape);
    if (!count) {
        problem.report("'shape' has more elements than fit into memory", fields.offset(), ErrorCode::TooLarge);
        return {};
    }
    return data ? fromData(*data, *element, *shape, *count, problem) : fromBase64(*base64, *element, *shape, *count, problem);
}

} // namespace lemmascope::json
