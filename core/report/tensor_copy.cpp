// Tensors as text that other programs read. Tests: tests/core/report/tst_tensor_copy.cpp.
#include "core/report/tensor_copy.h"

#include "core/format/json/json_print.h"
#include "core/report/element_text.h"
#include "core/report/json_writer.h"
#include "core/report/tensor_scan.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

namespace lemmascope {

namespace {

std::optional<Error> tooLarge(std::int64_t count) {
    if (count <= MostCopiedElements) {
        return std::nullopt;
    }
    return Error{ErrorCode::TooLarge,
                 groupedNumber(static_cast<std::uint64_t>(count)) + " elements are too many to copy; at most " +
                     groupedNumber(static_cast<std::uint64_t>(MostCopiedElements)) + ": select fewer, or save them as .npy",
                 {}};
}

/// `text` as a Python string, or as bytes where it is not UTF-8.
std::string pythonString(const std::string& text, bool asBytes) {
    static constexpr std::string_view Digits = "0123456789abcdef";
    std::string out = asBytes ? "b'" : "'";
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '\'' || c == '\\') {
            out += '\\';
            out += c;
        } else if (c == '\n') {
            out += "\\n";
        } else if (code < 0x20U || code == 0x7FU || (asBytes && code >= 0x80U)) {
            out += "\\x";
            out += Digits[code >> 4U];
            out += Digits[code & 15U];
        } else {
            out += c;
        }
    }
    return out + "'";
}

double readDouble(const std::string& text) {
    double value = 0.0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// A Python expression for a float that NumPy rounds back to the same bits.
std::string pythonFloat(double value, ElementType type) {
    if (std::isnan(value)) {
        return "np.nan";
    }
    if (std::isinf(value)) {
        return value > 0 ? "np.inf" : "-np.inf";
    }
    if (value == 0.0) {
        return std::signbit(value) ? "-0.0" : "0.0";
    }
    std::string text = type == ElementType::F64 ? shortestDecimal(value) : shortestDecimal(static_cast<float>(value));
    const double read = readDouble(text);
    // Python reads a double first and NumPy rounds that: twice rounded is not always once rounded.
    const bool exact = type == ElementType::F16   ? doubleToHalf(read) == doubleToHalf(value)
                       : type == ElementType::F32 ? static_cast<float>(read) == static_cast<float>(value)
                                                  : read == value;
    if (!exact) {
        char buffer[64];
        const auto end = std::to_chars(buffer, buffer + sizeof buffer, std::fabs(value), std::chars_format::hex).ptr;
        return std::string("float.fromhex('") + (std::signbit(value) ? "-0x" : "0x") + std::string(buffer, end) + "')";
    }
    return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

struct NumpyForm {
    std::string dtype;
    std::string comment; ///< behind the array; empty: none
    std::string view;    ///< `.view(np.float32)`; empty: none
    bool asBits = false;
};

bool hasOddNan(const Tensor& tensor) {
    if (tensor.element() != ElementType::F16 && tensor.element() != ElementType::F32 && tensor.element() != ElementType::F64) {
        return false;
    }
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        // np.nan is the positive one.
        if (numberClass(tensor, i) == NumberClass::NotANumber && formatElement(tensor, i) != "nan") {
            return true;
        }
    }
    return false;
}

NumpyForm formOf(const Tensor& tensor) {
    const ElementType type = tensor.element();
    const std::string bits = "np.uint" + std::to_string(std::max<std::size_t>(1, byteSize(type)) * 8);
    const std::string ours(name(type));
    switch (type) {
    case ElementType::Bool: return {"np.bool_", {}, {}};
    case ElementType::String: return {"object", {}, {}};
    case ElementType::Complex64: return {"np.complex64", {}, {}};
    case ElementType::Complex128: return {"np.complex128", {}, {}};
    case ElementType::F16:
    case ElementType::F32:
    case ElementType::F64: {
        const std::string dtype = "np.float" + std::to_string(byteSize(type) * 8);
        return hasOddNan(tensor) ? NumpyForm{bits, {}, ".view(" + dtype + ")", true} : NumpyForm{dtype, {}, {}};
    }
    default: break;
    }
    if (isFloat(type)) {
        return {bits, "  # the bits of " + ours + ", which NumPy has no type for", {}, true};
    }
    const bool narrow = bitWidth(type) < 8;
    return {std::string(isSignedInteger(type) ? "np.int" : "np.uint") + std::to_string(byteSize(type) * 8),
            narrow ? "  # " + ours + ", which NumPy has no type for" : std::string(),
            {}};
}

std::string pythonElement(const Tensor& tensor, std::int64_t flat, const NumpyForm& form, bool stringsAsBytes) {
    const auto at = static_cast<std::size_t>(flat);
    if (form.asBits) {
        return elementBits(tensor, flat);
    }
    switch (tensor.element()) {
    case ElementType::Bool: return tensor.toInt64(flat) != 0 ? "True" : "False";
    case ElementType::String: return pythonString(tensor.strings()[at], stringsAsBytes);
    case ElementType::Complex64:
    case ElementType::Complex128: {
        double parts[2] = {};
        if (tensor.element() == ElementType::Complex64) {
            float narrow[2] = {};
            std::memcpy(narrow, tensor.bytes().data() + at * sizeof narrow, sizeof narrow);
            parts[0] = static_cast<double>(narrow[0]);
            parts[1] = static_cast<double>(narrow[1]);
        } else {
            std::memcpy(parts, tensor.bytes().data() + at * sizeof parts, sizeof parts);
        }
        const ElementType part = tensor.element() == ElementType::Complex64 ? ElementType::F32 : ElementType::F64;
        return "complex(" + pythonFloat(parts[0], part) + ", " + pythonFloat(parts[1], part) + ")";
    }
    default: break;
    }
    return isFloat(tensor.element()) ? pythonFloat(elementValue(tensor, flat), tensor.element()) : elementText(tensor, flat);
}

std::string pythonShape(const std::vector<std::int64_t>& shape) {
    std::string out = "(";
    for (const std::int64_t length : shape) {
        out += std::to_string(length) + ", ";
    }
    if (shape.size() > 1) {
        out.resize(out.size() - 2);
    } else if (shape.size() == 1) {
        out.pop_back();
    }
    return out + ")";
}

std::string withoutMarkup(const std::string& cell) {
    std::string out;
    for (const char c : cell) {
        if (c == '|' || c == '\\' || c == '`' || c == '*' || c == '<' || c == '_') {
            out += '\\';
        }
        out += static_cast<unsigned char>(c) < 0x20U ? ' ' : c;
    }
    return out;
}

std::size_t columnsOf(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

Result<Tensor> elementsOf(const Tensor& tensor, const TensorSlice& slice, const CellRange& range) {
    if (range.rows > MostCopiedElements || range.columns > MostCopiedElements) {
        return tl::unexpected(*tooLarge(std::max(range.rows, range.columns)));
    }
    if (const auto error = tooLarge(range.rows * range.columns)) {
        return tl::unexpected(*error);
    }
    std::vector<std::int64_t> flats;
    for (std::int64_t row = range.firstRow; row < range.firstRow + range.rows; ++row) {
        for (std::int64_t column = range.firstColumn; column < range.firstColumn + range.columns; ++column) {
            if (const auto flat = slice.flat(row, column)) {
                flats.push_back(*flat);
            }
        }
    }
    if (flats.empty()) {
        return fail(ErrorCode::Usage, "no elements are selected");
    }
    std::vector<std::int64_t> shape;
    if (slice.rank() == 1 || (slice.rank() > 1 && static_cast<std::int64_t>(flats.size()) != range.rows * range.columns)) {
        shape = {static_cast<std::int64_t>(flats.size())};
    } else if (slice.rank() > 1) {
        shape = {range.rows, range.columns};
    }
    if (tensor.element() == ElementType::String) {
        std::vector<std::string> strings;
        for (const std::int64_t flat : flats) {
            strings.push_back(tensor.strings()[static_cast<std::size_t>(flat)]);
        }
        return Tensor::ofStrings(std::move(shape), std::move(strings));
    }
    const std::size_t width = byteSize(tensor.element());
    // A block of words: aligned for every element type.
    auto block = std::make_shared<std::vector<std::max_align_t>>((flats.size() * width + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t));
    auto* out = reinterpret_cast<std::byte*>(block->data());
    for (std::size_t i = 0; i < flats.size(); ++i) {
        std::memcpy(out + i * width, tensor.bytes().data() + static_cast<std::size_t>(flats[i]) * width, width);
    }
    return Tensor(tensor.element(), std::move(shape), std::span<const std::byte>(out, flats.size() * width), block);
}

Result<std::string> numpyLiteral(const Tensor& tensor) {
    if (const auto error = tooLarge(tensor.count())) {
        return tl::unexpected(*error);
    }
    const NumpyForm form = formOf(tensor);
    const std::vector<std::int64_t>& shape = tensor.shape();
    if (tensor.count() == 0) {
        return "np.zeros(" + pythonShape(shape) + ", dtype=" + form.dtype + ")" + form.view + form.comment;
    }
    const bool stringsAsBytes = tensor.element() == ElementType::String && !std::all_of(tensor.strings().begin(), tensor.strings().end(),
                                                                                        [](const std::string& text) { return json::isUtf8(text); });
    // Brackets open before an element that begins rows and close behind one that ends them; lines break between rows.
    std::string out = "np.array(" + std::string(shape.size(), '[');
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        out += pythonElement(tensor, i, form, stringsAsBytes);
        std::size_t closing = 0;
        std::int64_t stride = 1;
        for (std::size_t axis = shape.size(); axis-- > 0;) {
            stride *= shape[axis];
            if ((i + 1) % stride != 0) {
                break;
            }
            ++closing;
        }
        out.append(closing, ']');
        if (i + 1 < tensor.count()) {
            out += closing > 0 ? ",\n" + std::string(9 + shape.size() - closing, ' ') + std::string(closing, '[') : std::string(", ");
        }
    }
    return out + ", dtype=" + form.dtype + ")" + form.view + form.comment;
}

Result<std::string> tensorJson(const Tensor& tensor) {
    if (const auto error = tooLarge(tensor.count())) {
        return tl::unexpected(*error);
    }
    return "{" + json::printTensor(tensor, MostCopiedElements) + "}";
}

std::string plainCells(const TensorSlice& slice, const CellRange& range, const CellText& text) {
    std::vector<std::vector<std::string>> lines;
    std::vector<std::string> head{""};
    for (std::int64_t column = 0; column < range.columns; ++column) {
        head.push_back(slice.columnName(range.firstColumn + column));
    }
    lines.push_back(std::move(head));
    for (std::int64_t row = 0; row < range.rows; ++row) {
        std::vector<std::string> line{slice.rowName(range.firstRow + row)};
        for (std::int64_t column = 0; column < range.columns; ++column) {
            line.push_back(text(range.firstRow + row, range.firstColumn + column));
        }
        lines.push_back(std::move(line));
    }
    std::vector<std::size_t> widths(lines.front().size(), 0);
    for (const auto& line : lines) {
        for (std::size_t i = 0; i < line.size(); ++i) {
            widths[i] = std::max(widths[i], columnsOf(line[i]));
        }
    }
    std::string out;
    for (const auto& line : lines) {
        std::string made;
        for (std::size_t i = 0; i < line.size(); ++i) {
            made += (i == 0 ? "" : "  ") + std::string(widths[i] - columnsOf(line[i]), ' ') + line[i];
        }
        made.erase(made.find_last_not_of(' ') + 1);
        out += made + "\n";
    }
    return out;
}

std::string markdownCells(const TensorSlice& slice, const CellRange& range, const CellText& text) {
    std::string out = "| |";
    std::string rule = "| ---: |";
    for (std::int64_t column = 0; column < range.columns; ++column) {
        out += " " + slice.columnName(range.firstColumn + column) + " |";
        rule += " ---: |";
    }
    out += "\n" + rule + "\n";
    for (std::int64_t row = 0; row < range.rows; ++row) {
        out += "| " + slice.rowName(range.firstRow + row) + " |";
        for (std::int64_t column = 0; column < range.columns; ++column) {
            out += " " + withoutMarkup(text(range.firstRow + row, range.firstColumn + column)) + " |";
        }
        out += "\n";
    }
    return out;
}

} // namespace lemmascope
