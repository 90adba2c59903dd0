#include "core/format/onnx/sniff.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <vector>

namespace lemmascope::onnx {

namespace {

struct Magic {
    std::size_t offset;
    std::string_view bytes;
    std::string_view says;
};

using namespace std::string_view_literals;

constexpr std::string_view Convert = "export it to ONNX first";
constexpr std::array Magics{
    Magic{0, "\x1f\x8b"sv, "is gzip-compressed: unpack it first (gunzip)"},
    Magic{0, "PK\x03\x04"sv, "is a zip archive (PyTorch saves these, too), not an ONNX model: unpack it, or export the model to ONNX"},
    Magic{0, "BZh"sv, "is bzip2-compressed: unpack it first"},
    Magic{0, "\xfd\x37zXZ"sv, "is xz-compressed: unpack it first"},
    Magic{0, "\x28\xb5\x2f\xfd"sv, "is zstd-compressed: unpack it first"},
    Magic{257, "ustar"sv, "is a tar archive: unpack it first"},
    Magic{4, "ORTM"sv, "is in ONNX Runtime's .ort format, which cannot be turned back: use the .onnx file it was made from"},
    Magic{4, "TFL3"sv, "is a TensorFlow Lite model, not ONNX: export it to ONNX first"},
    Magic{0, "\x89HDF"sv, "is an HDF5 file (Keras saves these), not an ONNX model: export it to ONNX first"},
    Magic{0, "\x93NUMPY"sv, "is a NumPy array, not a model"},
    Magic{0, "\x80\x02"sv, "is a Python pickle, not an ONNX model: export it to ONNX first"},
    Magic{0, "\x80\x04"sv, "is a Python pickle, not an ONNX model: export it to ONNX first"},
    Magic{0, "GGUF"sv, "is a GGUF model, not ONNX: export it to ONNX first"},
    Magic{0,
          "\x7f"
          "ELF"sv,
          "is a program, not an ONNX model"},
    Magic{0, "\x89PNG"sv, "is a picture, not an ONNX model"},
    Magic{0, "%PDF"sv, "is a PDF document, not an ONNX model"},
    Magic{0, "ML\xefR"sv, "is MLIR bytecode, not an ONNX model"},
};

bool containsText(std::string_view text, std::string_view wanted) {
    return std::search(text.begin(), text.end(), wanted.begin(), wanted.end(), [](char a, char b) {
               const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
               return lower(a) == lower(b);
           }) != text.end();
}

/// The messages that can nest, and where.
enum class Kind : std::uint8_t { Leaf, Model, Graph, Node, Attribute, Function, ValueInfo, Type, Sequence, Map };

Kind childKind(Kind kind, std::uint64_t field) {
    struct Row {
        Kind kind;
        std::uint64_t field;
        Kind child;
    };
    static constexpr std::array Rows{
        Row{Kind::Model, 7, Kind::Graph},
        Row{Kind::Model, 25, Kind::Function},
        Row{Kind::Graph, 1, Kind::Node},
        Row{Kind::Graph, 11, Kind::ValueInfo},
        Row{Kind::Graph, 12, Kind::ValueInfo},
        Row{Kind::Graph, 13, Kind::ValueInfo},
        Row{Kind::Node, 5, Kind::Attribute},
        Row{Kind::Attribute, 6, Kind::Graph},
        Row{Kind::Attribute, 11, Kind::Graph},
        Row{Kind::Attribute, 14, Kind::Type},
        Row{Kind::Attribute, 15, Kind::Type},
        Row{Kind::Function, 7, Kind::Node},
        Row{Kind::Function, 11, Kind::Attribute},
        Row{Kind::Function, 12, Kind::ValueInfo},
        Row{Kind::ValueInfo, 2, Kind::Type},
        Row{Kind::Type, 4, Kind::Sequence},
        Row{Kind::Type, 5, Kind::Map},
        Row{Kind::Type, 9, Kind::Sequence},
        Row{Kind::Sequence, 1, Kind::Type},
        Row{Kind::Map, 2, Kind::Type},
    };
    const auto* row = std::find_if(Rows.begin(), Rows.end(), [&](const Row& r) { return r.kind == kind && r.field == field; });
    return row == Rows.end() ? Kind::Leaf : row->child;
}

/// A window over a source, so that walking a large file does not hold it.
class Cursor {
  public:
    explicit Cursor(const ByteSource& source) : m_source(source), m_window(std::size_t{1} << 16U) {}
    std::uint64_t at = 0;

    /// The next byte, or nothing at `end` or where the source ends.
    std::optional<unsigned> next(std::uint64_t end) {
        if (at >= end || at >= m_source.size) {
            return std::nullopt;
        }
        if (at < m_begin || at >= m_begin + m_filled) {
            m_begin = at;
            m_filled = m_source.read(at, m_window);
            if (m_filled == 0) {
                return std::nullopt;
            }
        }
        return std::to_integer<unsigned>(m_window[static_cast<std::size_t>(at++ - m_begin)]);
    }

    std::optional<std::uint64_t> varint(std::uint64_t end) {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 70; shift += 7) {
            const auto byte = next(end);
            if (!byte) {
                return std::nullopt;
            }
            value |= shift < 64 ? static_cast<std::uint64_t>(*byte & 0x7FU) << shift : 0;
            if ((*byte & 0x80U) == 0) {
                return value;
            }
        }
        return std::nullopt;
    }

  private:
    const ByteSource& m_source;
    std::vector<std::byte> m_window;
    std::uint64_t m_begin = 0;
    std::size_t m_filled = 0;
};

Error damage(std::string what) { return {ErrorCode::BadData, std::move(what), {}}; }

} // namespace

std::optional<std::string> otherThanOnnx(std::span<const std::byte> head) {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    if (text.empty()) {
        return "is empty: download or export it again";
    }
    for (const Magic& magic : Magics) {
        if (text.size() >= magic.offset && text.substr(magic.offset).starts_with(magic.bytes)) {
            return std::string(magic.says);
        }
    }
    if (text.starts_with("version https://git-lfs")) {
        return "is a Git-LFS pointer, not the model itself: run `git lfs pull` in its repository";
    }
    const std::size_t start = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (start == std::string_view::npos) {
        return "holds only white space: download or export it again";
    }
    const std::string_view body = text.substr(start);
    const std::string_view first = body.substr(0, 512);
    if (body.front() == '<' && (containsText(first, "ir_version") || containsText(first, "opset_import"))) {
        return "is in ONNX's text format, which is not read: convert it to a binary .onnx file (onnx.parser.parse_model, then onnx.save)";
    }
    if (body.front() == '<' && (containsText(first, "<!doctype html") || containsText(first, "<html") || containsText(first, "<head"))) {
        return "looks like an HTML page, not a model: download it again (a link to the raw file is needed)";
    }
    if (body.starts_with("<?xml") || body.starts_with("<!--") || body.starts_with("<!DOCTYPE")) {
        return "looks like XML, not an ONNX model: " + std::string(Convert);
    }
    if (body.front() == '{' || body.front() == '[') {
        const std::size_t second = body.find_first_not_of(" \t\r\n", 1);
        if (second != std::string_view::npos && (body[second] == '"' || body[second] == '{' || body[second] == '}' || body[second] == ']')) {
            return "is JSON, not an ONNX model: our own graphs end in .lsg.json";
        }
    }
    if (body.starts_with("ir_version:") || body.starts_with("ir_version ") || body.starts_with("graph {") || body.starts_with("producer_name:")) {
        return "is a protobuf text file, not a binary .onnx file: convert it first (google.protobuf.text_format, then onnx.save)";
    }
    if (text.size() > 9 && text[7] == '\0' && text.substr(8).starts_with("{\"")) {
        return "is a safetensors file: weights without a graph";
    }
    return std::nullopt;
}

Error explainRefusal(const ByteSource& source) {
    struct Level {
        std::uint64_t end;
        Kind kind;
    };
    Cursor cursor(source);
    std::vector<Level> levels{{source.size, Kind::Model}};
    const auto place = [&cursor] { return " at byte " + std::to_string(cursor.at); };
    const std::string cut = ": the file is cut short or damaged: download or export it again";
    while (!levels.empty()) {
        const Level level = levels.back();
        if (cursor.at >= level.end) {
            levels.pop_back();
            continue;
        }
        const std::uint64_t start = cursor.at;
        const auto tag = cursor.varint(level.end);
        if (!tag) {
            return damage("a field's number is cut off" + place() + cut);
        }
        const std::uint64_t field = *tag >> 3U;
        const auto left = [&] { return std::min(level.end, source.size) - cursor.at; };
        std::uint64_t length = 0;
        switch (*tag & 7U) {
        case 0:
            if (!cursor.varint(level.end)) {
                return damage("a number is cut off" + place() + cut);
            }
            break;
        case 1: length = 8; break;
        case 5: length = 4; break;
        case 2: {
            const auto said = cursor.varint(level.end);
            if (!said) {
                return damage("a length is cut off" + place() + cut);
            }
            length = *said;
            break;
        }
        default:
            return damage(start < 16 ? "is not an ONNX model (its first bytes are no protobuf message)"
                                     : "no field of an ONNX model can begin at byte " + std::to_string(start) + cut);
        }
        if (field == 0) {
            return damage(start < 16 ? "is not an ONNX model (its first bytes are no protobuf message)"
                                     : "field number 0 at byte " + std::to_string(start) + cut);
        }
        if (length > left()) {
            return damage("the field at byte " + std::to_string(start) + " should hold " + std::to_string(length) + " bytes, but " +
                          std::to_string(left()) + " are left" + cut);
        }
        const Kind child = (*tag & 7U) == 2 ? childKind(level.kind, field) : Kind::Leaf;
        if (child == Kind::Leaf) {
            cursor.at += length;
        } else {
            levels.push_back({cursor.at + length, child});
            if (levels.size() > static_cast<std::size_t>(MessageDepthLimit)) {
                return {ErrorCode::TooLarge,
                        "messages are nested more than " + std::to_string(MessageDepthLimit) +
                            " deep (graphs within graphs): no tool writes such a model",
                        {}};
            }
        }
    }
    return damage("a field holds what its kind does not allow (numbers or text damaged): download or export it again");
}

} // namespace lemmascope::onnx
