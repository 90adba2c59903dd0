#include "core/format/json/json_reader.h"
#include "core/format/json/json_text.h"
#include "core/format/json/json_writer.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

// Three promises: no input crashes the reader; our parser takes exactly the texts that nlohmann's takes; and a graph that was read
// is written as a text that reads as a graph with that same text.

namespace {

/// Only whether the text is JSON. A number past the range of double is JSON for us: what it means depends on where it stands.
struct Acceptor : nlohmann::json_sax<nlohmann::json> {
    bool outOfRange = false;
    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
        outOfRange = error.id == 406;
        return false;
    }
};

[[noreturn]] void broken(const char* promise, const std::string& detail) {
    std::fprintf(stderr, "%s\n%s\n", promise, detail.c_str());
    std::abort();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lemmascope;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto document = json::Document::parse(text, {});
    Acceptor acceptor;
    const bool accepted = nlohmann::json::sax_parse(text.begin(), text.end(), &acceptor);
    // A zero byte ends nlohmann's input, and is an error in ours.
    const bool zero = text.find('\0') != std::string_view::npos;
    const bool comparable = !zero && !acceptor.outOfRange && (document || document.error().code == ErrorCode::BadData);
    if (comparable && accepted != document.has_value()) {
        broken("the two parsers differ", document ? "ours takes it" : document.error().text());
    }
    const auto graph = readJsonGraph(text, {});
    if (!graph) {
        return 0;
    }
    std::vector<std::string> notes;
    const auto written = writeJsonGraph(**graph, notes);
    if (!written) {
        if (written.error().code != ErrorCode::TooLarge) {
            broken("a graph cannot be written", written.error().text());
        }
        return 0;
    }
    const auto again = readJsonGraph(*written, {});
    if (!again) {
        if (again.error().code != ErrorCode::TooLarge) {
            broken("what was written cannot be read", again.error().text() + "\n" + *written);
        }
        return 0;
    }
    const auto twice = writeJsonGraph(**again, notes);
    if (!twice || *twice != *written) {
        broken("a second writing differs", *written + "\n" + (twice ? *twice : twice.error().text()));
    }
    return 0;
}
