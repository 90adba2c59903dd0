// Writing sessions, and the way between them and a check's result. Reading stands in session_read.cpp.

#include "core/workspace/session_file.h"

#include "core/base/digest.h"
#include "core/graph/definition_library.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fstream>
#include <system_error>
#include <unordered_map>

#include <unistd.h>

namespace lemmascope {

namespace {

using Json = nlohmann::ordered_json;

template <typename Named>
Json nameOrNull(const std::optional<Named>& value) {
    return value ? Json(std::string(name(*value))) : Json(nullptr);
}

Json textOrNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

std::string kindName(LemmaResult::Kind kind) {
    switch (kind) {
    case LemmaResult::Kind::Equal: return "equal";
    case LemmaResult::Kind::InRange: return "in-range";
    case LemmaResult::Kind::Divisor: return "divisor";
    case LemmaResult::Kind::Fact: return "fact";
    }
    return "equal";
}

std::string pathFor(const std::filesystem::path& graph, const std::filesystem::path& file) {
    if (!file.empty()) {
        const std::filesystem::path relative = graph.lexically_normal().lexically_relative(file.parent_path().lexically_normal());
        if (!relative.empty() && *relative.begin() != ".." && *relative.begin() != ".") {
            return relative.generic_string();
        }
    }
    return graph.lexically_normal().generic_string();
}

Json graphJson(const SavedGraph& graph, const std::filesystem::path& file) {
    Json json;
    json["file"] = pathFor(graph.file, file);
    json["size"] = graph.size;
    json["time"] = graph.time;
    json["sha256"] = textOrNull(graph.sha256);
    return json;
}

Json pairsJson(const std::vector<std::pair<std::string, std::string>>& pairs) {
    Json json = Json::array();
    for (const auto& [first, second] : pairs) {
        json.push_back(Json::array({first, second}));
    }
    return json;
}

Json optionsJson(const CheckOptions& options) {
    Json json;
    json["strength"] = std::string(name(options.wanted));
    json["time"] = options.timeSeconds;
    json["lemma_steps"] = options.lemmaSteps;
    json["jobs"] = options.jobs;
    json["seed"] = options.seed;
    json["special_values"] = options.specialValues;
    json["outputs"] = options.outputs;
    json["map"] = pairsJson(options.mapped);
    json["ranges"] = Json::object();
    for (const auto& [input, range] : options.inputRanges) {
        json["ranges"][input] = Json::array({range.low, range.high});
    }
    json["real_ranges"] = Json::object();
    for (const auto& [input, range] : options.realRanges) {
        json["real_ranges"][input] = Json::array({range.low, range.high});
    }
    json["sizes"] = Json::object();
    for (const auto& [symbol, size] : options.sizes) {
        json["sizes"][symbol] = size;
    }
    json["assume_equal"] = pairsJson(options.assumedEqual);
    json["definitions"] = nullptr;
    if (options.definitions != nullptr) {
        json["definitions"] = Json{{"file", options.definitions->fileName()}, {"text", options.definitions->text()}};
    }
    return json;
}

Json identityJson(const LemmaIdentity& lemma) {
    Json json;
    json["kind"] = kindName(lemma.kind);
    json["title"] = lemma.title;
    json["digest"] = textOrNull(lemma.digest);
    json["reference"] = lemma.reference;
    json["rewritten"] = lemma.rewritten;
    return json;
}

Json verdictJson(const SavedVerdict& verdict) {
    Json json;
    json["line"] = verdict.line;
    json["verdict"] = std::string(name(verdict.verdict));
    json["strength"] = nameOrNull(verdict.strength);
    json["kind"] = nameOrNull(verdict.kind);
    json["reason"] = textOrNull(verdict.reason);
    json["outputs"] = Json::array();
    for (const SavedOutput& output : verdict.outputs) {
        Json one;
        one["name"] = output.name;
        one["verdict"] = std::string(name(output.verdict));
        one["strength"] = nameOrNull(output.strength);
        one["kind"] = nameOrNull(output.kind);
        one["reason"] = textOrNull(output.reason);
        json["outputs"].push_back(std::move(one));
    }
    json["lemmas"] = Json::array();
    for (const SavedLemma& lemma : verdict.lemmas) {
        Json one;
        one["id"] = lemma.id;
        one["verdict"] = std::string(name(lemma.verdict));
        one["strength"] = nameOrNull(lemma.strength);
        one["rung"] = static_cast<unsigned>(lemma.rung);
        one["reason"] = textOrNull(lemma.reason);
        one.update(identityJson(lemma.lemma));
        json["lemmas"].push_back(std::move(one));
    }
    return json;
}

Json noteJson(const ReviewNote& note) {
    Json json;
    json["id"] = note.id;
    json["verdict"] = std::string(name(note.verdict));
    json["text"] = note.text;
    json["reviewer"] = note.reviewer;
    json["time"] = note.time;
    json.update(identityJson(note.lemma));
    return json;
}

Json viewJson(const SavedView& view) {
    Json json;
    json["focus"] = view.focus;
    json["context"] = view.contextHops;
    json["locked"] = view.locked;
    json["proved_folded"] = view.provedFolded;
    json["grouped"] = view.grouped;
    json["groups_open"] = view.groupsOpen;
    json["groups"] = view.groups;
    for (const auto& [key, lists] : {std::pair{"expanded", &view.expanded}, std::pair{"collapsed", &view.collapsed}}) {
        json[key] = Json{{"reference", (*lists)[0]}, {"rewritten", (*lists)[1]}};
    }
    json["selected"] = Json{{"lemma", view.lemma ? Json(*view.lemma) : Json(nullptr)},
                            {"side", view.side == Side::Reference ? "reference" : "rewritten"},
                            {"node", textOrNull(view.node)}};
    if (!view.rules.empty()) {
        json["rules"] = Json{{"source", view.rules}, {"break_rules", view.breakRules}, {"break_nodes", view.breakNodes}};
    }
    return json;
}

} // namespace

bool operator==(const SavedView& a, const SavedView& b) {
    return a.focus == b.focus && a.contextHops == b.contextHops && a.locked == b.locked && a.provedFolded == b.provedFolded &&
           a.grouped == b.grouped && a.groupsOpen == b.groupsOpen && a.groups == b.groups &&
           std::equal(std::begin(a.expanded), std::end(a.expanded), std::begin(b.expanded)) &&
           std::equal(std::begin(a.collapsed), std::end(a.collapsed), std::begin(b.collapsed)) && a.lemma == b.lemma && a.side == b.side &&
           a.node == b.node && a.rules == b.rules && a.breakRules == b.breakRules && a.breakNodes == b.breakNodes;
}

SavedVerdict savedVerdict(const CheckResult& result) {
    SavedVerdict saved{result.verdict, result.strength, result.kind, result.reason, verdictLine(result), {}, {}};
    for (const OutputResult& output : result.outputs) {
        saved.outputs.push_back({output.name, output.verdict, output.strength, output.kind, output.reason});
    }
    for (std::size_t k = 0; k < result.lemmas.size(); ++k) {
        const LemmaResult& lemma = result.lemmas[k];
        saved.lemmas.push_back({lemma.id, identityOf(result, k), lemma.verdict, lemma.strength, lemma.rung, lemma.reason});
    }
    return saved;
}

CheckResult restoredResult(const SavedVerdict& verdict, std::shared_ptr<const GraphTree> reference, std::shared_ptr<const GraphTree> rewritten) {
    CheckResult result;
    result.verdict = verdict.verdict;
    result.strength = verdict.strength;
    result.kind = verdict.kind;
    result.reason = verdict.reason;
    for (const SavedOutput& output : verdict.outputs) {
        result.outputs.push_back({output.name, {}, {}, output.verdict, output.strength, output.kind, output.reason});
    }
    const auto index = [](const GraphTree& tree) {
        std::unordered_map<std::string, FlatNodeId> nodes;
        for (std::size_t n = 0; n < tree.nodeCount(); ++n) {
            nodes.try_emplace(tree.path(FlatNodeId(n)), FlatNodeId(n));
        }
        return nodes;
    };
    const auto mine = index(*reference);
    const auto theirs = index(*rewritten);
    const auto nodesOf = [](const std::unordered_map<std::string, FlatNodeId>& nodes, const std::vector<std::string>& paths) {
        std::vector<FlatNodeId> out;
        for (const std::string& path : paths) {
            if (const auto at = nodes.find(path); at != nodes.end()) {
                out.push_back(at->second);
            }
        }
        return out;
    };
    for (const SavedLemma& saved : verdict.lemmas) {
        LemmaResult lemma;
        lemma.id = saved.id;
        lemma.kind = saved.lemma.kind;
        lemma.title = saved.lemma.title;
        lemma.digest = saved.lemma.digest;
        lemma.verdict = saved.verdict;
        lemma.strength = saved.strength;
        lemma.rung = saved.rung;
        lemma.reason = saved.reason;
        lemma.referenceNodes = nodesOf(mine, saved.lemma.reference);
        lemma.rewrittenNodes = nodesOf(theirs, saved.lemma.rewritten);
        result.lemmas.push_back(std::move(lemma));
    }
    result.reference = std::move(reference);
    result.rewritten = std::move(rewritten);
    return result;
}

std::string sessionText(const SavedSession& session, const std::filesystem::path& file) {
    Json json;
    json["format"] = "lemmascope-session";
    json["version"] = SessionVersion;
    json["reference"] = graphJson(session.reference, file);
    json["rewritten"] = graphJson(session.rewritten, file);
    json["options"] = optionsJson(session.options);
    if (!session.program.entry.empty()) {
        json["options"]["entry"] = session.program.entry;
    }
    if (session.program.mayAlias) {
        json["options"]["may_alias"] = true;
    }
    if (session.program.fingerprint) {
        json["options"]["fingerprint"] = true;
    }
    json["result"] = session.verdict ? verdictJson(*session.verdict) : Json(nullptr);
    // A reader of the file sees which notes still speak of something; this program finds out by itself.
    CheckResult lemmas;
    for (std::size_t k = 0; session.verdict && k < session.verdict->lemmas.size(); ++k) {
        const SavedLemma& saved = session.verdict->lemmas[k];
        LemmaResult lemma;
        lemma.digest = saved.lemma.digest;
        lemma.kind = saved.lemma.kind;
        lemma.title = saved.lemma.title;
        lemmas.lemmas.push_back(std::move(lemma));
    }
    std::vector<ReviewNote> bare = session.notes;
    for (ReviewNote& note : bare) {
        note.lemma.reference.clear(); // there are no trees here to name nodes by
        note.lemma.rewritten.clear();
    }
    const auto attached = attachNotes(bare, lemmas);
    json["notes"] = Json::array();
    json["detached"] = Json::array();
    for (std::size_t n = 0; n < session.notes.size(); ++n) {
        json[attached[n] ? "notes" : "detached"].push_back(noteJson(session.notes[n]));
    }
    json["view"] = viewJson(session.view);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<void> writeSession(const SavedSession& session, const std::filesystem::path& file, bool relative) {
    static std::atomic<unsigned> counter{0};
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    std::filesystem::path temporary = file;
    temporary += ".new" + std::to_string(::getpid()) + "-" + std::to_string(counter++);
    {
        std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
        stream << sessionText(session, relative ? file : std::filesystem::path());
        if (!stream.flush()) {
            std::filesystem::remove(temporary, error);
            return fail(ErrorCode::NotFound, "the session cannot be written: check the folder's permissions and space, or save it elsewhere",
                        file.string());
        }
    }
    std::filesystem::rename(temporary, file, error);
    if (error) {
        const std::string why = error.message();
        std::filesystem::remove(temporary, error);
        return fail(ErrorCode::NotFound, "the session file cannot be replaced: " + why + "; save it elsewhere", file.string());
    }
    return {};
}

SavedGraph savedGraph(const std::filesystem::path& file, const std::stop_token& stop) {
    SavedGraph graph;
    graph.file = file;
    std::error_code error;
    if (!std::filesystem::is_regular_file(file, error)) {
        return graph;
    }
    const std::uintmax_t size = std::filesystem::file_size(file, error);
    const auto time = std::filesystem::last_write_time(file, error);
    if (error) {
        return graph;
    }
    const auto digest = sha256OfFile(file, stop);
    if (!digest) {
        return graph;
    }
    graph.size = size;
    graph.time = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::file_clock::to_sys(time).time_since_epoch()).count();
    graph.sha256 = *digest;
    return graph;
}

std::string pairFileName(const std::filesystem::path& reference, const std::filesystem::path& rewritten) {
    return sha256Hex(reference.string() + '\n' + rewritten.string()).substr(0, 32) + std::string(SessionSuffix);
}

} // namespace lemmascope
