#include "core/report/sarif.h"

#include "core/report/json_writer.h"

#include <string_view>

namespace lemmascope {

namespace {

/// A path as a relative or absolute URI reference (RFC 3986): everything but unreserved characters and '/' is percent-encoded.
std::string uri(const std::string& path) {
    static constexpr std::string_view Digits = "0123456789ABCDEF";
    static constexpr std::string_view Plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    std::string out = !path.empty() && path.front() == '/' ? "file://" : "";
    for (const char c : path) {
        if (Plain.find(c) != std::string_view::npos) {
            out += c;
        } else {
            const auto code = static_cast<unsigned char>(c);
            out += '%';
            out += Digits[code >> 4U];
            out += Digits[code & 15U];
        }
    }
    return out;
}

struct Rule {
    const char* id;
    const char* level;
    const char* text;
};
constexpr Rule Rules[] = {
    {"refuted", "error", "A confirmed input makes the two graphs differ."},
    {"unproved", "warning", "A lemma fails, but no difference was confirmed."},
    {"undecided", "warning", "A limit or an unsupported construct left a lemma open."},
    {"proved-weaker", "warning", "Proved, but at a lower strength than wanted."},
    {"unreadable", "error", "A graph could not be read or its types do not fit."},
};

std::size_t ruleOf(const PairReport& pair) {
    if (pair.error) {
        return 4;
    }
    switch (pair.verdict) {
    case Verdict::Refuted: return 0;
    case Verdict::Unproved: return 1;
    case Verdict::Undecided: return 2;
    case Verdict::Proved: return 3;
    }
    return 2;
}

void text(JsonWriter& json, const char* key, const std::string& value) {
    json.key(key);
    json.beginObject(JsonWriter::Layout::InLine);
    json.key("text");
    json.string(value);
    json.endObject();
}

void writeFinding(JsonWriter& json, const PairReport& pair) {
    const std::size_t rule = ruleOf(pair);
    json.beginObject();
    json.key("ruleId");
    json.string(Rules[rule].id);
    json.key("ruleIndex");
    json.unsignedInteger(rule);
    json.key("level");
    json.string(Rules[rule].level);
    text(json, "message", pair.name + ": " + pair.line);
    json.key("locations");
    json.beginArray();
    json.beginObject();
    json.key("physicalLocation");
    json.beginObject();
    json.key("artifactLocation");
    json.beginObject(JsonWriter::Layout::InLine);
    json.key("uri");
    json.string(uri(pair.rewritten));
    json.endObject();
    json.endObject();
    if (!pair.places.empty()) {
        json.key("logicalLocations");
        json.beginArray();
        for (const PairReport::Place& place : pair.places) {
            json.beginObject(JsonWriter::Layout::InLine);
            json.key("name");
            json.string(place.node);
            json.key("fullyQualifiedName");
            json.string(std::string(name(place.side)) + "/" + place.node + (place.attribute.empty() ? "" : "." + place.attribute));
            json.key("kind");
            json.string("object");
            json.endObject();
        }
        json.endArray();
    }
    json.endObject();
    json.endArray();
    json.endObject();
}

} // namespace

std::string sarifJson(const std::vector<PairReport>& pairs) {
    JsonWriter json;
    json.beginObject();
    json.key("$schema");
    json.string("https://json.schemastore.org/sarif-2.1.0.json");
    json.key("version");
    json.string("2.1.0");
    json.key("runs");
    json.beginArray();
    json.beginObject();
    json.key("tool");
    json.beginObject();
    json.key("driver");
    json.beginObject();
    json.key("name");
    json.string("lemmascope");
    json.key("version");
    json.string(toolVersion());
    json.key("rules");
    json.beginArray();
    for (const Rule& rule : Rules) {
        json.beginObject();
        json.key("id");
        json.string(rule.id);
        text(json, "shortDescription", rule.text);
        json.key("defaultConfiguration");
        json.beginObject(JsonWriter::Layout::InLine);
        json.key("level");
        json.string(rule.level);
        json.endObject();
        json.endObject();
    }
    json.endArray();
    json.endObject();
    json.endObject();
    json.key("results");
    json.beginArray();
    for (const PairReport& pair : pairs) {
        if (!pair.asWanted) {
            writeFinding(json, pair);
        }
    }
    json.endArray();
    json.endObject();
    json.endArray();
    json.endObject();
    return json.text() + "\n";
}

} // namespace lemmascope
