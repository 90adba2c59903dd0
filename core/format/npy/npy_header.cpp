#include "core/format/npy/npy_header.h"

#include <array>
#include <charconv>
#include <optional>

namespace lemmascope {

namespace {

using E = ElementType;

struct Descr {
    std::string_view text; ///< kind and byte count, without the byte order
    ElementType element;
};
constexpr std::array Descrs{Descr{"b1", E::Bool}, Descr{"i1", E::I8},  Descr{"i2", E::I16},       Descr{"i4", E::I32},        Descr{"i8", E::I64},
                            Descr{"u1", E::U8},   Descr{"u2", E::U16}, Descr{"u4", E::U32},       Descr{"u8", E::U64},        Descr{"f2", E::F16},
                            Descr{"f4", E::F32},  Descr{"f8", E::F64}, Descr{"c8", E::Complex64}, Descr{"c16", E::Complex128}};

constexpr std::string_view Magic = "\x93NUMPY";
constexpr std::size_t MaxHeader = 1U << 20U;
constexpr std::size_t MaxRank = 64;

unsigned byteAt(std::string_view text, std::size_t at) { return static_cast<unsigned char>(text[at]); }

/// Reads the few Python literals a header is made of.
class Literals {
  public:
    explicit Literals(std::string_view text) : m_text(text) {}

    [[nodiscard]] bool take(char c) {
        skipSpace();
        if (m_at < m_text.size() && m_text[m_at] == c) {
            ++m_at;
            return true;
        }
        return false;
    }
    [[nodiscard]] std::optional<std::string_view> string() {
        skipSpace();
        if (m_at >= m_text.size() || (m_text[m_at] != '\'' && m_text[m_at] != '"')) {
            return std::nullopt;
        }
        const std::size_t end = m_text.find(m_text[m_at], m_at + 1);
        if (end == std::string_view::npos) {
            return std::nullopt;
        }
        const std::string_view inside = m_text.substr(m_at + 1, end - m_at - 1);
        m_at = end + 1;
        return inside;
    }
    [[nodiscard]] std::optional<bool> boolean() {
        skipSpace();
        for (const bool value : {false, true}) {
            const std::string_view word = value ? "True" : "False";
            if (m_text.substr(m_at, word.size()) == word) {
                m_at += word.size();
                return value;
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] std::optional<std::int64_t> integer() {
        skipSpace();
        std::int64_t value = 0;
        const std::from_chars_result parsed = std::from_chars(m_text.data() + m_at, m_text.data() + m_text.size(), value);
        if (parsed.ec != std::errc()) {
            return std::nullopt;
        }
        m_at = static_cast<std::size_t>(parsed.ptr - m_text.data());
        static_cast<void>(take('L')); // as Python 2 wrote long integers
        return value;
    }
    [[nodiscard]] bool atEnd() {
        skipSpace();
        return m_at >= m_text.size();
    }

  private:
    void skipSpace() {
        while (m_at < m_text.size() && (m_text[m_at] == ' ' || m_text[m_at] == '\n' || m_text[m_at] == '\t' || m_text[m_at] == '\r')) {
            ++m_at;
        }
    }
    std::string_view m_text;
    std::size_t m_at = 0;
};

tl::unexpected<Error> damaged(const std::string& what) { return fail(ErrorCode::BadData, "the .npy header " + what + "; save the array again"); }

Result<void> setDescr(NpyHeader& header, std::string_view descr) {
    std::string_view kind = descr;
    if (!kind.empty() && std::string_view("<>|=").find(kind.front()) != std::string_view::npos) {
        header.bigEndian = kind.front() == '>';
        kind.remove_prefix(1);
    }
    for (const Descr& known : Descrs) {
        if (known.text == kind) {
            header.element = known.element;
            return {};
        }
    }
    if (kind == "?") {
        header.element = E::Bool;
        return {};
    }
    return fail(ErrorCode::Unsupported, "the array has NumPy type '" + std::string(descr.substr(0, 32)) +
                                            "'; bool, integers, f2, f4, f8 and complex are read: convert it with astype");
}

Result<void> setShape(NpyHeader& header, Literals& literals) {
    if (!literals.take('(')) {
        return damaged("has no tuple as 'shape'");
    }
    std::int64_t count = 1;
    bool overflow = false;
    while (!literals.take(')')) {
        const std::optional<std::int64_t> length = literals.integer();
        if (!length) {
            return damaged("has a 'shape' that is no list of integers below 2^63");
        }
        if (*length < 0) {
            return damaged("has a negative length in 'shape'");
        }
        if (header.shape.size() == MaxRank) {
            return fail(ErrorCode::TooLarge, "the array has more than " + std::to_string(MaxRank) + " axes");
        }
        header.shape.push_back(*length);
        // Also where a later length is 0: Tensor multiplies the lengths in this order.
        overflow = __builtin_mul_overflow(count, *length, &count) || overflow;
        if (!literals.take(',')) {
            if (!literals.take(')')) {
                return damaged("has a 'shape' without its closing bracket");
            }
            break;
        }
    }
    if (overflow) {
        return fail(ErrorCode::TooLarge, "the array's shape has more than 2^63 elements");
    }
    header.bytes = static_cast<std::uint64_t>(count);
    return {};
}

} // namespace

Result<NpyPreamble> parseNpyPreamble(std::string_view first) {
    if (first.size() < 10 || !first.starts_with(Magic)) {
        return fail(ErrorCode::BadData, "is not an .npy file: it does not begin with \\x93NUMPY");
    }
    const unsigned major = byteAt(first, 6);
    NpyPreamble preamble;
    if (major == 1) {
        preamble = {10, byteAt(first, 8) | (byteAt(first, 9) << 8U)};
    } else if (major == 2 || major == 3) {
        if (first.size() < 12) {
            return damaged("is cut off");
        }
        preamble = {12, std::size_t{byteAt(first, 8)} | (std::size_t{byteAt(first, 9)} << 8U) | (std::size_t{byteAt(first, 10)} << 16U) |
                            (std::size_t{byteAt(first, 11)} << 24U)};
    } else {
        return fail(ErrorCode::Unsupported, "is an .npy file of version " + std::to_string(major) + "; versions 1 to 3 are read");
    }
    if (preamble.textLength > MaxHeader) {
        return fail(ErrorCode::TooLarge, "the .npy header is longer than " + std::to_string(MaxHeader) + " bytes");
    }
    return preamble;
}

Result<NpyHeader> parseNpyHeader(std::string_view text) {
    NpyHeader header;
    Literals literals(text);
    bool hasDescr = false;
    bool hasOrder = false;
    bool hasShape = false;
    if (!literals.take('{')) {
        return damaged("is no dictionary");
    }
    while (!literals.take('}')) {
        const std::optional<std::string_view> key = literals.string();
        if (!key || !literals.take(':')) {
            return damaged("is no dictionary of strings");
        }
        if (*key == "descr" && !hasDescr) {
            const std::optional<std::string_view> descr = literals.string();
            if (!descr) {
                return fail(ErrorCode::Unsupported, "the array holds records; save each field as an array of its own");
            }
            if (Result<void> set = setDescr(header, *descr); !set) {
                return tl::unexpected<Error>(set.error());
            }
            hasDescr = true;
        } else if (*key == "fortran_order" && !hasOrder) {
            const std::optional<bool> order = literals.boolean();
            if (!order) {
                return damaged("has a 'fortran_order' that is neither True nor False");
            }
            header.fortranOrder = *order;
            hasOrder = true;
        } else if (*key == "shape" && !hasShape) {
            if (Result<void> set = setShape(header, literals); !set) {
                return tl::unexpected<Error>(set.error());
            }
            hasShape = true;
        } else {
            return damaged("has an unknown or repeated key '" + std::string(key->substr(0, 32)) + "'");
        }
        if (!literals.take(',')) {
            if (!literals.take('}')) {
                return damaged("has no closing brace");
            }
            break;
        }
    }
    if (!hasDescr || !hasOrder || !hasShape || !literals.atEnd()) {
        return damaged("must have exactly 'descr', 'fortran_order' and 'shape'");
    }
    if (__builtin_mul_overflow(header.bytes, std::uint64_t{byteSize(header.element)}, &header.bytes)) {
        return fail(ErrorCode::TooLarge, "the array's shape needs more than 2^64 bytes");
    }
    return header;
}

Result<std::string> formatNpyHeader(ElementType element, const std::vector<std::int64_t>& shape) {
    for (const Descr& known : Descrs) {
        if (known.element != element) {
            continue;
        }
        std::string text =
            std::string("{'descr': '") + (byteSize(element) == 1 ? "|" : "<") + std::string(known.text) + "', 'fortran_order': False, 'shape': (";
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            text += (axis == 0 ? "" : " ") + std::to_string(shape[axis]) + (axis + 1 < shape.size() || axis == 0 ? "," : "");
        }
        text += "), }";
        constexpr std::size_t Alignment = 64;
        constexpr std::size_t Preamble = 10;
        text.append(Alignment - 1 - (Preamble + text.size()) % Alignment, ' ');
        text += '\n';
        std::string out(Magic);
        out += '\x01';
        out += '\0';
        out += static_cast<char>(text.size() & 0xFFU);
        out += static_cast<char>(text.size() >> 8U);
        return out + text;
    }
    return fail(ErrorCode::Unsupported, "a tensor of type " + std::string(name(element)) + " has no .npy form");
}

} // namespace lemmascope
