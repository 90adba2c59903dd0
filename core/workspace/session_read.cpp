// Reading sessions. A session file may come from anywhere: its size, nesting and counts are bounded before it is believed, and
// each finding names file, place and what was expected. The first one ends the reading.

#include "core/graph/definition_library.h"
#include "core/workspace/session_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <system_error>

namespace lemmascope {

namespace {

using Json = nlohmann::json;

constexpr std::uintmax_t LargestFile = 64U << 20U;
constexpr int DeepestNesting = 16;
constexpr std::size_t MostValues = 4'000'000;
constexpr std::size_t MostEntries = 100'000; ///< lemmas, notes, nodes of a view
constexpr std::size_t LongestText = 1U << 20U;
constexpr std::size_t LongestDefinitions = 4U << 20U;
constexpr std::size_t LongestPath = 4096;
constexpr std::string_view Remedy = "; save the session again, or mend the file";

struct Reading {
    std::filesystem::path file;
    std::optional<Error> error;

    void refuse(ErrorCode code, const std::string& what) {
        if (!error) {
            error = Error{code, what + std::string(Remedy), file.string()};
        }
    }
};

std::string shown(const Json& value) {
    std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
    constexpr std::size_t Longest = 60;
    return text.size() <= Longest ? text : text.substr(0, Longest) + "...";
}

/// One object of the file with its place; wrong or missing fields end the reading and come as defaults.
class Fields {
  public:
    Fields(Reading& reading, const Json& json, std::string place) : m_reading(reading), m_place(std::move(place)) {
        if (json.is_object()) {
            m_json = &json;
        } else {
            reading.refuse(ErrorCode::BadData, (m_place.empty() ? std::string("the file") : m_place) + " is " + shown(json) + ": expected an object");
        }
    }

    [[nodiscard]] bool failed() const { return m_reading.error.has_value(); }
    [[nodiscard]] std::string placeOf(const char* key) const { return m_place.empty() ? key : m_place + "." + key; }
    /// Null when it is missing; a null in the file counts as missing.
    [[nodiscard]] const Json* find(const char* key) const {
        if (m_json == nullptr || failed()) {
            return nullptr;
        }
        const auto at = m_json->find(key);
        return at == m_json->end() || at->is_null() ? nullptr : &*at;
    }
    void expected(const char* key, const Json* found, const std::string& what) {
        m_reading.refuse(ErrorCode::BadData, placeOf(key) + (found == nullptr ? " is missing" : " is " + shown(*found)) + ": expected " + what);
    }

    std::string text(const char* key, bool needed, std::size_t longest = LongestText) {
        const Json* value = find(key);
        if (failed() || (value == nullptr && !needed)) {
            return {};
        }
        if (value == nullptr || !value->is_string()) {
            expected(key, value, "a text");
            return {};
        }
        const auto& found = value->get_ref<const std::string&>();
        if (found.size() > longest) {
            m_reading.refuse(ErrorCode::TooLarge,
                             placeOf(key) + " has " + std::to_string(found.size()) + " bytes: expected at most " + std::to_string(longest));
            return {};
        }
        return found;
    }
    bool boolean(const char* key, bool otherwise) {
        const Json* value = find(key);
        if (value != nullptr && !value->is_boolean()) {
            expected(key, value, "true or false");
        }
        return value != nullptr && value->is_boolean() ? value->get<bool>() : otherwise;
    }
    std::uint64_t count(const char* key, std::uint64_t otherwise, std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) {
        const Json* value = find(key);
        if (value == nullptr) {
            return otherwise;
        }
        if (!value->is_number_unsigned() || value->get<std::uint64_t>() > most) {
            expected(key, value, "a whole number from 0 to " + std::to_string(most));
            return otherwise;
        }
        return value->get<std::uint64_t>();
    }
    std::int64_t integer(const char* key, std::int64_t otherwise) {
        const Json* value = find(key);
        if (value == nullptr) {
            return otherwise;
        }
        if (!isInteger(*value)) {
            expected(key, value, "a whole number of 64 bits");
            return otherwise;
        }
        return value->get<std::int64_t>();
    }
    double number(const char* key, double otherwise, double low, double high) {
        const Json* value = find(key);
        if (value == nullptr) {
            return otherwise;
        }
        if (!value->is_number() || !(value->get<double>() >= low && value->get<double>() <= high)) {
            expected(key, value, "a number from " + Json(low).dump() + " to " + Json(high).dump());
            return otherwise;
        }
        return value->get<double>();
    }
    /// One of an enum's names, given as its values in order.
    template <typename Named, std::size_t Count>
    std::optional<Named> oneOf(const char* key, const std::array<Named, Count>& all, bool needed) {
        const Json* value = find(key);
        if (failed() || (value == nullptr && !needed)) {
            return std::nullopt;
        }
        std::string list;
        for (const Named one : all) {
            const std::string_view word = name(one);
            if (value != nullptr && value->is_string() && value->get_ref<const std::string&>() == word) {
                return one;
            }
            list += (list.empty() ? "" : ", ") + std::string(word);
        }
        expected(key, value, "one of " + list);
        return std::nullopt;
    }
    /// An array of at most MostEntries; null when missing or wrong.
    const Json* array(const char* key) {
        const Json* value = find(key);
        if (value == nullptr) {
            return nullptr;
        }
        if (!value->is_array()) {
            expected(key, value, "a list");
            return nullptr;
        }
        if (value->size() > MostEntries) {
            m_reading.refuse(ErrorCode::TooLarge,
                             placeOf(key) + " has " + std::to_string(value->size()) + " entries: expected at most " + std::to_string(MostEntries));
            return nullptr;
        }
        return value;
    }
    std::vector<std::string> texts(const char* key) {
        std::vector<std::string> out;
        if (const Json* value = array(key)) {
            for (std::size_t i = 0; i < value->size() && !failed(); ++i) {
                const Json& one = (*value)[i];
                if (!one.is_string() || one.get_ref<const std::string&>().size() > LongestText) {
                    expected((std::string(key) + "[" + std::to_string(i) + "]").c_str(), &one, "a text");
                    break;
                }
                out.push_back(one.get<std::string>());
            }
        }
        return out;
    }
    std::vector<std::pair<std::string, std::string>> pairs(const char* key) {
        std::vector<std::pair<std::string, std::string>> out;
        if (const Json* value = array(key)) {
            for (std::size_t i = 0; i < value->size() && !failed(); ++i) {
                const Json& one = (*value)[i];
                if (!one.is_array() || one.size() != 2 || !one[0].is_string() || !one[1].is_string()) {
                    expected((std::string(key) + "[" + std::to_string(i) + "]").c_str(), &one, "two names");
                    break;
                }
                out.emplace_back(one[0].get<std::string>(), one[1].get<std::string>());
            }
        }
        return out;
    }
    /// `act` for each entry of an object.
    template <typename Act>
    void entries(const char* key, const std::string& what, Act&& act) {
        const Json* value = find(key);
        if (value == nullptr) {
            return;
        }
        if (!value->is_object() || value->size() > MostEntries) {
            expected(key, value, "an object of at most " + std::to_string(MostEntries) + " entries");
            return;
        }
        for (const auto& [entry, found] : value->items()) {
            if (failed()) {
                return;
            }
            if (!act(entry, found)) {
                expected((std::string(key) + "." + entry.substr(0, 200)).c_str(), &found, what);
            }
        }
    }

    [[nodiscard]] static bool isInteger(const Json& value) {
        return value.is_number_integer() &&
               (!value.is_number_unsigned() || value.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
    }

  private:
    Reading& m_reading;
    const Json* m_json = nullptr;
    std::string m_place;
};

constexpr std::array Verdicts{Verdict::Proved, Verdict::Refuted, Verdict::Unproved, Verdict::Undecided};
constexpr std::array Strengths{Strength::Identical, Strength::Open, Strength::Exact, Strength::Rounded, Strength::Probable};
constexpr std::array Kinds{RefutationKind::Value, RefutationKind::OutOfRange, RefutationKind::Uninitialised,   RefutationKind::Type,
                           RefutationKind::Race,  RefutationKind::Deadlock,   RefutationKind::Nondeterministic};
constexpr std::array LemmaVerdicts{LemmaVerdict::Holds, LemmaVerdict::Fails, LemmaVerdict::Undecided, LemmaVerdict::Vacuous};

/// Depth and number of values, before anything is built: a small file can stand for a lot of memory.
void bound(Reading& reading, std::string_view text) {
    int depth = 0;
    std::size_t values = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size() && !reading.error; ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') {
                ++i;
            } else if (c == '"') {
                quoted = false;
            }
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{' || c == '[') {
            ++values;
            if (++depth > DeepestNesting) {
                reading.refuse(ErrorCode::TooLarge, "byte " + std::to_string(i) + " is nested deeper than " + std::to_string(DeepestNesting) +
                                                        " levels, which no session is");
            }
        } else if (c == '}' || c == ']') {
            --depth;
        } else if (c == ',') {
            ++values;
        }
        if (values > MostValues) {
            reading.refuse(ErrorCode::TooLarge, "the file holds more than " + std::to_string(MostValues) + " values");
        }
    }
}

std::string lineAndColumn(std::string_view text, std::size_t byte) {
    const std::string_view before = text.substr(0, std::min(byte, text.size()));
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t start = before.rfind('\n');
    return "line " + std::to_string(line) + ", column " + std::to_string(start == std::string_view::npos ? before.size() : before.size() - start - 1);
}

std::filesystem::path readPath(Fields& fields, Reading& reading, const char* key) {
    const std::string text = fields.text(key, true, LongestPath);
    if (fields.failed()) {
        return {};
    }
    const std::filesystem::path path(text);
    if (text.empty() || text.find('\0') != std::string::npos) {
        reading.refuse(ErrorCode::BadData, fields.placeOf(key) + " is no file name");
        return {};
    }
    if (std::any_of(path.begin(), path.end(), [](const std::filesystem::path& part) { return part == ".."; })) {
        reading.refuse(ErrorCode::BadData, fields.placeOf(key) + " is " + shown(Json(text)) +
                                               ": '..' leads out of the session's folder: expected a path below it or an absolute one");
        return {};
    }
    return path.is_absolute() ? path.lexically_normal() : (reading.file.parent_path() / path).lexically_normal();
}

SavedGraph readGraph(Reading& reading, Fields& root, const char* key) {
    SavedGraph graph;
    const Json* json = root.find(key);
    if (json == nullptr) {
        root.expected(key, nullptr, "an object with the graph's file");
        return graph;
    }
    Fields fields(reading, *json, key);
    graph.file = readPath(fields, reading, "file");
    graph.size = fields.count("size", 0);
    graph.time = fields.integer("time", 0);
    graph.sha256 = fields.text("sha256", false, 64);
    const auto isHex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (!graph.sha256.empty() && (graph.sha256.size() != 64 || !std::all_of(graph.sha256.begin(), graph.sha256.end(), isHex))) {
        fields.expected("sha256", fields.find("sha256"), "64 hexadecimal digits");
    }
    return graph;
}

void readOptions(Reading& reading, const Json& json, CheckOptions& options, ProgramOptions& program) {
    Fields fields(reading, json, "options");
    program.entry = fields.text("entry", false, LongestPath);
    program.mayAlias = fields.boolean("may_alias", false);
    program.fingerprint = fields.boolean("fingerprint", false);
    options.wanted = fields.oneOf("strength", Strengths, false).value_or(options.wanted);
    options.timeSeconds = fields.number("time", options.timeSeconds, 0.0, 1e9);
    options.lemmaSteps = fields.count("lemma_steps", options.lemmaSteps);
    options.jobs = static_cast<unsigned>(fields.count("jobs", options.jobs, 1024));
    options.seed = fields.count("seed", options.seed);
    options.specialValues = fields.boolean("special_values", options.specialValues);
    options.outputs = fields.texts("outputs");
    options.mapped = fields.pairs("map");
    options.assumedEqual = fields.pairs("assume_equal");
    fields.entries("ranges", "two whole numbers, the lower first", [&](const std::string& input, const Json& value) {
        if (!value.is_array() || value.size() != 2 || !Fields::isInteger(value[0]) || !Fields::isInteger(value[1]) ||
            value[0].get<std::int64_t>() > value[1].get<std::int64_t>()) {
            return false;
        }
        options.inputRanges[input] = {value[0].get<std::int64_t>(), value[1].get<std::int64_t>()};
        return true;
    });
    fields.entries("real_ranges", "two finite numbers, the lower first", [&](const std::string& input, const Json& value) {
        if (!value.is_array() || value.size() != 2 || !value[0].is_number() || !value[1].is_number() ||
            !(value[0].get<double>() <= value[1].get<double>()) || !std::isfinite(value[0].get<double>()) || !std::isfinite(value[1].get<double>())) {
            return false;
        }
        options.realRanges[input] = {value[0].get<double>(), value[1].get<double>()};
        return true;
    });
    fields.entries("sizes", "a whole number from 0", [&](const std::string& symbol, const Json& value) {
        if (!Fields::isInteger(value) || value.get<std::int64_t>() < 0) {
            return false;
        }
        options.sizes[symbol] = value.get<std::int64_t>();
        return true;
    });
    if (const Json* definitions = fields.find("definitions")) {
        Fields given(reading, *definitions, "options.definitions");
        const std::string file = given.text("file", true, LongestPath);
        const std::string text = given.text("text", true, LongestDefinitions);
        if (!given.failed()) {
            auto library = DefinitionLibrary::parse(text, file);
            if (library) {
                options.definitions = std::move(*library);
            } else {
                reading.refuse(library.error().code, "options.definitions: " + library.error().text());
            }
        }
    }
}

LemmaIdentity readIdentity(Fields& fields) {
    constexpr std::array Names{std::pair{"equal", LemmaResult::Kind::Equal}, std::pair{"in-range", LemmaResult::Kind::InRange},
                               std::pair{"divisor", LemmaResult::Kind::Divisor}, std::pair{"fact", LemmaResult::Kind::Fact}};
    LemmaIdentity lemma;
    const std::string kind = fields.text("kind", true);
    const auto at = std::find_if(Names.begin(), Names.end(), [&kind](const auto& known) { return kind == known.first; });
    if (at != Names.end()) {
        lemma.kind = at->second;
    } else {
        fields.expected("kind", fields.find("kind"), "one of equal, in-range, divisor, fact");
    }
    lemma.title = fields.text("title", true);
    lemma.digest = fields.text("digest", false, 64);
    lemma.reference = fields.texts("reference");
    lemma.rewritten = fields.texts("rewritten");
    return lemma;
}

std::string entryPlace(const char* list, std::size_t index) { return std::string(list) + "[" + std::to_string(index) + "]"; }

SavedVerdict readVerdict(Reading& reading, const Json& json) {
    SavedVerdict verdict;
    Fields fields(reading, json, "result");
    verdict.line = fields.text("line", true);
    verdict.verdict = fields.oneOf("verdict", Verdicts, true).value_or(Verdict::Undecided);
    verdict.strength = fields.oneOf("strength", Strengths, false);
    verdict.kind = fields.oneOf("kind", Kinds, false);
    verdict.reason = fields.text("reason", false);
    if (const Json* outputs = fields.array("outputs")) {
        for (std::size_t i = 0; i < outputs->size() && !reading.error; ++i) {
            Fields one(reading, (*outputs)[i], entryPlace("result.outputs", i));
            SavedOutput output;
            output.name = one.text("name", true);
            output.verdict = one.oneOf("verdict", Verdicts, true).value_or(Verdict::Undecided);
            output.strength = one.oneOf("strength", Strengths, false);
            output.kind = one.oneOf("kind", Kinds, false);
            output.reason = one.text("reason", false);
            verdict.outputs.push_back(std::move(output));
        }
    }
    if (const Json* lemmas = fields.array("lemmas")) {
        for (std::size_t i = 0; i < lemmas->size() && !reading.error; ++i) {
            Fields one(reading, (*lemmas)[i], entryPlace("result.lemmas", i));
            SavedLemma lemma;
            lemma.id = one.text("id", true);
            lemma.verdict = one.oneOf("verdict", LemmaVerdicts, true).value_or(LemmaVerdict::Undecided);
            lemma.strength = one.oneOf("strength", Strengths, false);
            lemma.rung = static_cast<Rung>(one.count("rung", 0, static_cast<std::uint64_t>(Rung::SecondSolver)));
            lemma.reason = one.text("reason", false);
            lemma.lemma = readIdentity(one);
            verdict.lemmas.push_back(std::move(lemma));
        }
    }
    return verdict;
}

void readNotes(Reading& reading, Fields& root, const char* key, std::vector<ReviewNote>& notes) {
    const Json* list = root.array(key);
    for (std::size_t i = 0; list != nullptr && i < list->size() && !reading.error; ++i) {
        Fields one(reading, (*list)[i], entryPlace(key, i));
        ReviewNote note;
        note.id = one.text("id", true);
        note.verdict = one.oneOf("verdict", LemmaVerdicts, true).value_or(LemmaVerdict::Undecided);
        note.text = one.text("text", false);
        note.reviewer = one.text("reviewer", false);
        note.time = one.integer("time", 0);
        note.lemma = readIdentity(one);
        notes.push_back(std::move(note));
    }
}

void readView(Reading& reading, const Json& json, std::size_t lemmas, SavedView& view) {
    Fields fields(reading, json, "view");
    view.focus = fields.boolean("focus", view.focus);
    view.contextHops = static_cast<int>(fields.count("context", static_cast<std::uint64_t>(view.contextHops), 20));
    view.locked = fields.boolean("locked", view.locked);
    view.provedFolded = fields.boolean("proved_folded", view.provedFolded);
    view.grouped = fields.boolean("grouped", view.grouped);
    view.groupsOpen = fields.boolean("groups_open", view.groupsOpen);
    view.groups = fields.texts("groups");
    for (const auto& [key, lists] : {std::pair{"expanded", &view.expanded}, std::pair{"collapsed", &view.collapsed}}) {
        if (const Json* sides = fields.find(key)) {
            Fields one(reading, *sides, fields.placeOf(key));
            (*lists)[0] = one.texts("reference");
            (*lists)[1] = one.texts("rewritten");
        }
    }
    if (const Json* selected = fields.find("selected")) {
        Fields one(reading, *selected, "view.selected");
        if (one.find("lemma") != nullptr) {
            const std::uint64_t lemma = one.count("lemma", 0);
            if (!one.failed() && lemma >= lemmas) {
                one.expected("lemma", one.find("lemma"), "one of the " + std::to_string(lemmas) + " lemmas of the result");
            }
            view.lemma = lemma;
        }
        const std::string side = one.text("side", false);
        if (!side.empty() && side != "reference" && side != "rewritten") {
            one.expected("side", one.find("side"), "reference or rewritten");
        }
        view.side = side == "rewritten" ? Side::Rewritten : Side::Reference;
        view.node = one.text("node", false);
    }
    if (const Json* rules = fields.find("rules")) {
        Fields one(reading, *rules, "view.rules");
        view.rules = one.text("source", true, LongestPath);
        view.breakRules = one.texts("break_rules");
        view.breakNodes = one.texts("break_nodes");
    }
}

} // namespace

Result<SavedSession> parseSession(std::string_view text, const std::filesystem::path& file) {
    Reading reading{file, std::nullopt};
    if (text.size() > LargestFile) {
        reading.refuse(ErrorCode::TooLarge,
                       "the file has " + std::to_string(text.size()) + " bytes: expected at most " + std::to_string(LargestFile));
    } else {
        bound(reading, text);
    }
    if (reading.error) {
        return tl::unexpected<Error>(std::move(*reading.error));
    }
    SavedSession session;
    try {
        const Json json = Json::parse(text);
        Fields root(reading, json, "");
        if (const std::string format = root.text("format", false); !reading.error && format != "lemmascope-session") {
            root.expected("format", root.find("format"), "\"lemmascope-session\"");
        }
        const std::uint64_t version = root.count("version", 0);
        if (!reading.error && version != SessionVersion) {
            reading.refuse(ErrorCode::Unsupported, "version is " + std::to_string(version) + ": this program reads version " +
                                                       std::to_string(SessionVersion) + "; open it with the program that wrote it");
        }
        session.reference = readGraph(reading, root, "reference");
        session.rewritten = readGraph(reading, root, "rewritten");
        if (const Json* options = root.find("options")) {
            readOptions(reading, *options, session.options, session.program);
        }
        if (const Json* result = root.find("result")) {
            session.verdict = readVerdict(reading, *result);
        }
        readNotes(reading, root, "notes", session.notes);
        readNotes(reading, root, "detached", session.notes);
        if (const Json* view = root.find("view")) {
            readView(reading, *view, session.verdict ? session.verdict->lemmas.size() : 0, session.view);
        }
    } catch (const Json::parse_error& error) {
        reading.refuse(ErrorCode::BadData, lineAndColumn(text, error.byte) + ": not JSON");
    } catch (const std::exception& error) {
        reading.refuse(ErrorCode::BadData, std::string("the file cannot be read: ") + error.what());
    }
    if (reading.error) {
        return tl::unexpected<Error>(std::move(*reading.error));
    }
    return session;
}

Result<SavedSession> readSession(const std::filesystem::path& file) {
    std::error_code error;
    const auto status = std::filesystem::status(file, error);
    if (error || !std::filesystem::exists(status)) {
        return fail(ErrorCode::NotFound, "no such session: check the name, or open the two graphs instead", file.string());
    }
    if (!std::filesystem::is_regular_file(status)) {
        return fail(ErrorCode::BadData, "not a file: choose a session (" + std::string(SessionSuffix) + ")", file.string());
    }
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    if (error || size > LargestFile) {
        return fail(ErrorCode::TooLarge, "the file has " + std::to_string(size) + " bytes: a session has at most " + std::to_string(LargestFile),
                    file.string());
    }
    std::ifstream stream(file, std::ios::binary);
    std::string text(static_cast<std::size_t>(size), '\0');
    if (!stream || !stream.read(text.data(), static_cast<std::streamsize>(size))) {
        return fail(ErrorCode::NotFound, "the session cannot be read: check its permissions", file.string());
    }
    return parseSession(text, file);
}

} // namespace lemmascope
