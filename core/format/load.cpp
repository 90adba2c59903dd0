#include "core/format/load.h"

#include "core/format/json/json_reader.h"
#include "core/format/json/json_text.h"
#include "core/format/json/json_writer.h"
#include "core/format/mlir/reader.h"
#include "core/format/mlir/to_graph.h"
#include "core/format/onnx/onnx_reader.h"
#include "core/format/onnx/onnx_writer.h"
#include "core/format/onnx/sniff.h"

#include <algorithm>
#include <fstream>
#include <span>
#include <string>
#include <string_view>

// The content decides, since files are renamed and downloads are not what they say. What other tools' files look like is
// known in onnx/sniff.cpp; here stand the formats that are ours or will be.

namespace lemmascope {

namespace {

using namespace std::string_view_literals;

/// `.onnx`, `.json`, in lower case.
std::string ending(const std::filesystem::path& path) {
    std::string text = path.extension().string();
    std::transform(text.begin(), text.end(), text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

std::string_view withoutSpace(std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF")) {
        text.remove_prefix(3);
    }
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    return start == std::string_view::npos ? std::string_view() : text.substr(start);
}

/// What the file is when it is no graph that can be read now, with what to do.
std::optional<Error> refusal(std::string_view head, const std::filesystem::path& path) {
    const std::string where = path.string();
    const auto bad = [&](const char* message) { return Error{ErrorCode::BadData, message, where}; };
    if (head.empty()) {
        return bad("is empty: download or export it again");
    }
    if (head.starts_with("\xFF\xFE"sv) || head.starts_with("\xFE\xFF"sv)) {
        return bad("is UTF-16 text: save it as UTF-8");
    }
    if (head.starts_with("\x93NUMPY"sv)) {
        return bad("is a tensor (.npy), not a graph: give it with --input name=file.npy");
    }
    if (ending(path) == ".rules") {
        return bad("is a file of rewrite rules, not a graph");
    }
    return std::nullopt;
}

/// A JSON text: an object, or whatever stands in a file that is named .json.
bool looksLikeJson(std::string_view head, const std::filesystem::path& path) {
    const std::string_view text = withoutSpace(head);
    if (text.starts_with('{')) {
        const std::string_view inside = withoutSpace(text.substr(1));
        return inside.empty() || inside.starts_with('"') || inside.starts_with('}') || ending(path) == ".json";
    }
    return ending(path) == ".json" && !text.starts_with('<') && !text.starts_with("version https://git-lfs") &&
           text.find('\0') == std::string_view::npos;
}

Result<std::string> readAll(std::ifstream& stream, std::uint64_t size, const std::filesystem::path& path, const std::stop_token& stop) {
    std::string text(static_cast<std::size_t>(size), '\0');
    stream.clear();
    stream.seekg(0);
    constexpr std::size_t Chunk = std::size_t{16} << 20U;
    for (std::size_t at = 0; at < text.size(); at += Chunk) {
        if (stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "reading was cancelled", path.string());
        }
        const std::size_t length = std::min(Chunk, text.size() - at);
        if (!stream.read(text.data() + at, static_cast<std::streamsize>(length))) {
            return fail(ErrorCode::NotFound, "cannot be read to its end", path.string());
        }
    }
    return text;
}

Result<void> writeText(const std::string& text, const std::filesystem::path& path) {
    std::filesystem::path temporary = path;
    temporary += ".part";
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream.write(text.data(), static_cast<std::streamsize>(text.size()));
    stream.close();
    std::error_code code;
    if (stream) {
        std::filesystem::rename(temporary, path, code);
    }
    if (!stream || code) {
        std::error_code ignored;
        std::filesystem::remove(temporary, ignored);
        return fail(ErrorCode::NotFound,
                    "cannot be written" + (code ? ": " + code.message() : std::string()) + "; is the folder there, writable and not full?",
                    path.string());
    }
    return {};
}

} // namespace

Result<std::shared_ptr<const Graph>> loadGraph(const std::filesystem::path& path, std::stop_token stop) {
    const std::string where = path.string();
    std::error_code code;
    const std::filesystem::file_status status = std::filesystem::status(path, code);
    if (!std::filesystem::exists(status)) {
        return fail(ErrorCode::NotFound, "there is no such file", where);
    }
    if (std::filesystem::is_directory(status)) {
        return fail(ErrorCode::BadData, "is a folder: name a graph file in it", where);
    }
    if (!std::filesystem::is_regular_file(status)) {
        return fail(ErrorCode::BadData, "is not a regular file (a pipe or a device): save the graph to a file first", where);
    }
    const std::uint64_t size = std::filesystem::file_size(path, code);
    std::ifstream stream(path, std::ios::binary);
    if (code || !stream) {
        return fail(ErrorCode::NotFound, "cannot be opened: is it readable?", where);
    }
    constexpr std::uint64_t HeadSize = 4096;
    std::string head(static_cast<std::size_t>(std::min(size, HeadSize)), '\0');
    if (!head.empty() && !stream.read(head.data(), static_cast<std::streamsize>(head.size()))) {
        return fail(ErrorCode::NotFound, "cannot be read", where);
    }
    if (!head.empty() && ir::looksLikeMlir(head, path)) {
        const auto module = ir::readModuleFile(path, std::move(stop));
        return module ? ir::toGraph(**module) : tl::unexpected(module.error());
    }
    if (std::optional<Error> other = refusal(head, path)) {
        return tl::unexpected<Error>(std::move(*other));
    }
    if (looksLikeJson(head, path)) {
        if (size > json::Document::MaxBytes) {
            return fail(ErrorCode::TooLarge, "is a JSON text larger than 4 GB: write large constants as .npy files beside it (\"file\")", where);
        }
        const Result<std::string> text = readAll(stream, size, path, stop);
        return text ? readJsonGraph(*text, path, std::move(stop)) : tl::unexpected<Error>(text.error());
    }
    const std::optional<std::string> other = onnx::otherThanOnnx(std::as_bytes(std::span(head.data(), head.size())));
    if (other) {
        return fail(ErrorCode::BadData, *other, where);
    }
    return readOnnxFile(path, std::move(stop));
}

Result<void> saveGraph(const Graph& graph, const std::filesystem::path& path, std::vector<std::string>& notes) {
    if (ending(path) == ".onnx") {
        return writeOnnxFile(graph, path, notes);
    }
    if (ending(path) != ".json") {
        return fail(ErrorCode::Unsupported, "has an ending that names no graph format: .lsg.json and .onnx are written", path.string());
    }
    const Result<std::string> text = writeJsonGraph(graph, notes);
    if (!text) {
        return fail(text.error().code, text.error().message, path.string());
    }
    return writeText(*text, path);
}

} // namespace lemmascope
