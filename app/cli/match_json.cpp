#include "app/cli/match_json.h"

#include "core/report/json_writer.h"

namespace lemmascope::cli {

namespace {

void putBindings(JsonWriter& json, const match::Subject& subject, const std::vector<match::Binding>& bindings) {
    json.beginObject(JsonWriter::Layout::InLine);
    for (const match::Binding& each : bindings) {
        if (each.kind == match::Binding::Kind::Unbound) {
            continue;
        }
        bool twice = false;
        for (const match::Binding& other : bindings) {
            twice =
                twice || (other.name.text == each.name.text && other.name.kind == match::NameKind::Value && each.name.kind != match::NameKind::Value);
        }
        json.key(twice ? each.name.written() : each.name.text);
        json.string(match::bindingText(subject, each));
    }
    json.endObject();
}

void putLines(JsonWriter& json, const std::vector<match::BranchLine>& lines) {
    json.beginArray();
    for (const match::BranchLine& each : lines) {
        json.beginObject(JsonWriter::Layout::InLine);
        json.key("depth");
        json.unsignedInteger(each.depth);
        json.key("text");
        json.string(each.text);
        json.key("line");
        json.unsignedInteger(each.spot.line);
        json.key("column");
        json.unsignedInteger(each.spot.column);
        json.key("failed");
        json.boolean(each.failed);
        json.endObject();
    }
    json.endArray();
}

void putSpot(JsonWriter& json, match::Spot spot) {
    json.key("line");
    json.unsignedInteger(spot.line);
    json.key("column");
    json.unsignedInteger(spot.column);
}

void putMatch(JsonWriter& json, const match::Programs& programs, const match::LevelMatches& level, const match::GraphMatch& each) {
    const match::GraphSubject& subject = *level.subject;
    json.beginObject();
    json.key("rule");
    json.string(programs[each.rule]->rule);
    json.key("scope");
    json.stringOrNull(level.level.scope);
    json.key("root");
    json.string(subject.termText(each.root));
    json.key("bindings");
    putBindings(json, subject, each.bindings);
    json.key("nodes");
    json.beginArray(JsonWriter::Layout::InLine);
    for (const NodeId node : each.nodes) {
        json.string(subject.graph().displayName(node));
    }
    json.endArray();
    json.key("rewritable");
    json.boolean(each.rewritable());
    json.key("reason");
    std::string reason;
    for (const std::string& obstacle : each.obstacles) {
        reason += (reason.empty() ? "" : "; ") + obstacle;
    }
    json.stringOrNull(reason);
    if (!each.derivation.empty()) {
        json.key("derivation");
        putLines(json, each.derivation);
    }
    json.endObject();
}

void putMiss(JsonWriter& json, const match::Programs& programs, const match::LevelMatches& level, const match::GraphMiss& each) {
    const match::GraphSubject& subject = *level.subject;
    static constexpr const char* Kinds[] = {"structure", "guard", "undefined", "undecided"};
    json.beginObject();
    json.key("rule");
    json.string(programs[each.rule]->rule);
    json.key("scope");
    json.stringOrNull(level.level.scope);
    json.key("root");
    json.string(subject.termText(each.root));
    json.key("kind");
    json.string(Kinds[static_cast<std::size_t>(each.kind)]);
    json.key("matched");
    json.unsignedInteger(each.matched);
    json.key("total");
    json.unsignedInteger(each.total);
    json.key("node");
    json.stringOrNull(each.node);
    json.key("reason");
    json.stringOrNull(each.reason);
    putSpot(json, each.spot);
    json.key("bindings");
    putBindings(json, subject, each.held);
    if (!each.branches.empty()) {
        json.key("branches");
        putLines(json, each.branches);
    }
    json.endObject();
}

} // namespace

std::string matchGraphJson(const match::Programs& programs, const match::MatchedLevels& result) {
    JsonWriter json;
    json.beginObject();
    json.key("format");
    json.string("lemmascope-match");
    json.key("version");
    json.integer(1);
    json.key("matches");
    json.beginArray();
    for (const match::LevelMatches& level : result.levels) {
        for (const match::GraphMatch& each : level.result.matches) {
            putMatch(json, programs, level, each);
        }
    }
    json.endArray();
    json.key("misses");
    json.beginArray();
    for (const auto& each : result.misses) {
        putMiss(json, programs, result.levels[each.level], each.told);
    }
    json.endArray();
    json.key("counts");
    json.beginArray();
    for (const auto& [index, each] : result.counts) {
        const match::LevelMatches& level = result.levels[index];
        json.beginObject();
        json.key("rule");
        json.string(programs[each.rule]->rule);
        json.key("roots");
        json.unsignedInteger(each.roots);
        json.key("example");
        json.string(level.level.placed(level.subject->termText(each.example)));
        json.key("reason");
        json.string(each.text);
        putSpot(json, each.spot);
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text() + "\n";
}

std::string matchCasesJson(const std::vector<match::CaseResult>& results) {
    JsonWriter json;
    json.beginObject();
    json.key("cases");
    json.beginArray();
    for (const match::CaseResult& each : results) {
        json.beginObject();
        json.key("id");
        json.string(each.id);
        json.key("outcome");
        json.string(each.outcome);
        json.key("bindings");
        json.beginObject(JsonWriter::Layout::InLine);
        for (const auto& [name, value] : each.bindings) {
            // The name alone, unless an operator's name and a value's are the same.
            const bool twice = each.bindings.contains("?" + name.substr(1)) && name.front() != '?';
            json.key(twice ? name : name.substr(name.find_first_not_of("?%.")));
            json.string(value);
        }
        json.endObject();
        json.key("static_check");
        json.string(each.staticCheck);
        json.key("reasons");
        json.beginArray();
        for (const std::string& reason : each.reasons) {
            json.string(reason);
        }
        json.endArray();
        json.endObject();
    }
    json.endArray();
    json.endObject();
    return json.text() + "\n";
}

} // namespace lemmascope::cli
