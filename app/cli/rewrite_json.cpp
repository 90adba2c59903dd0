#include "app/cli/rewrite_json.h"

#include "core/report/json_writer.h"
#include "core/report/result_json.h"

namespace lemmascope::cli {

namespace {

void putNames(JsonWriter& json, std::string_view key, const std::vector<std::string>& names) {
    json.key(key);
    json.beginArray(JsonWriter::Layout::InLine);
    for (const std::string& each : names) {
        json.string(each);
    }
    json.endArray();
}

void putVerdict(JsonWriter& json, const std::optional<StepVerdict>& verdict) {
    json.key("verdict");
    json.stringOrNull(verdict ? name(verdict->verdict) : std::string_view());
    json.key("strength");
    json.stringOrNull(verdict && verdict->strength ? name(*verdict->strength) : std::string_view());
    json.key("reason");
    json.stringOrNull(verdict ? verdict->reason : std::string());
}

void putApplication(JsonWriter& json, const rewrite::RewriteApplication& each) {
    json.beginObject();
    json.key("round");
    json.unsignedInteger(each.round);
    json.key("rule");
    json.string(each.rule);
    json.key("case");
    json.unsignedInteger(each.caseIndex + 1);
    json.key("scope");
    json.stringOrNull(each.scope);
    json.key("root");
    json.string(each.root);
    json.key("bindings");
    json.beginObject(JsonWriter::Layout::InLine);
    for (const auto& [name, value] : each.bindings) {
        // The name alone, unless an operator's or a list's name and a value's are the same.
        const std::string bare = name.substr(name.find_first_not_of("?%."));
        bool twice = false;
        for (const auto& [other, held] : each.bindings) {
            twice = twice || (name.front() != '?' && other == "?" + bare);
        }
        json.key(twice ? name : bare);
        json.string(value);
    }
    json.endObject();
    putNames(json, "nodes", each.nodes);
    putNames(json, "new", each.newNodes);
    json.key("folded");
    json.unsignedInteger(each.folded);
    json.endObject();
}

void putRefusals(JsonWriter& json, const std::vector<rewrite::RewriteRefusal>& refusals) {
    json.key("refused");
    json.beginArray();
    for (const rewrite::RewriteRefusal& each : refusals) {
        json.beginObject();
        json.key("rule");
        json.string(each.rule);
        json.key("scope");
        json.stringOrNull(each.scope);
        json.key("root");
        json.string(each.root);
        putNames(json, "nodes", each.nodes);
        json.key("reason");
        json.string(each.reason);
        json.endObject();
    }
    json.endArray();
}

void putRegions(JsonWriter& json, const std::vector<rewrite::Region>& regions) {
    json.key("regions");
    json.beginArray();
    for (const rewrite::Region& each : regions) {
        json.beginObject();
        json.key("rule");
        json.string(each.rule);
        json.key("name");
        json.string(each.name);
        json.key("root");
        json.string(each.root);
        putNames(json, "nodes", each.nodes);
        putNames(json, "inputs", each.inputs);
        putNames(json, "outputs", each.outputs);
        json.endObject();
    }
    json.endArray();
}

void putRewriting(JsonWriter& json, const RewriteReport& report) {
    const rewrite::RewriteResult& result = *report.result;
    json.key("rounds");
    json.unsignedInteger(result.rounds);
    json.key("fixpoint");
    json.boolean(result.fixpoint);
    json.key("stopped");
    json.stringOrNull(result.stopped);
    json.key("applications");
    json.beginArray();
    for (const rewrite::RewriteApplication& each : result.applications) {
        putApplication(json, each);
    }
    json.endArray();
    json.key("rules");
    json.beginArray();
    for (const RuleSummary& each : report.rules) {
        json.beginObject();
        json.key("rule");
        json.string(each.rule);
        json.key("applications");
        json.unsignedInteger(each.applications);
        putVerdict(json, each.verdict);
        json.endObject();
    }
    json.endArray();
    json.key("steps");
    json.beginArray();
    for (std::size_t k = 0; k < report.steps.size(); ++k) {
        json.beginObject();
        json.key("round");
        json.unsignedInteger(result.steps[k].round);
        json.key("rule");
        json.string(result.steps[k].rule);
        json.key("applications");
        json.unsignedInteger(result.steps[k].count);
        putVerdict(json, report.steps[k]);
        json.endObject();
    }
    json.endArray();
}

} // namespace

std::string rewriteJson(const RewriteReport& report) {
    const bool regions = report.regions != nullptr;
    JsonWriter json;
    json.beginObject();
    json.key("format");
    json.string("lemmascope-rewrite");
    json.key("version");
    json.integer(1);
    json.key("rewritten");
    json.boolean(regions ? !report.regions->regions.empty() : !report.result->applications.empty());
    if (regions) {
        putRegions(json, report.regions->regions);
    } else {
        putRewriting(json, report);
    }
    putRefusals(json, regions ? report.regions->refusals : report.result->refusals);
    json.key("undecided");
    json.unsignedInteger(regions ? report.regions->undecided : report.result->undecided);
    json.key("check");
    if (report.whole == nullptr) {
        json.null();
    } else {
        json.raw("{\n" + resultFields(*report.whole, 2) + "\n  }");
    }
    json.endObject();
    return json.text() + "\n";
}

} // namespace lemmascope::cli
