#include "app/cli/rules_json.h"

#include "core/report/json_writer.h"
#include "core/report/result_json.h"

namespace lemmascope::cli {

namespace {

void putTexts(JsonWriter& json, const char* key, const std::set<std::string>& texts) {
    json.key(key);
    json.beginArray(JsonWriter::Layout::InLine);
    for (const std::string& each : texts) {
        json.string(each);
    }
    json.endArray();
}

void putRule(JsonWriter& json, const ruleproof::RuleResult& rule) {
    json.beginObject();
    json.key("rule");
    json.string(rule.rule);
    json.key("line");
    json.unsignedInteger(rule.spot.line);
    json.key("replaces");
    json.boolean(rule.replaces);
    json.key("verdict");
    if (rule.replaces) {
        json.string(name(rule.verdict));
    } else {
        json.null();
    }
    json.key("strength");
    json.stringOrNull(rule.strength ? name(*rule.strength) : std::string_view());
    json.key("reason");
    json.stringOrNull(rule.reason);
    json.key("forms");
    json.unsignedInteger(rule.forms);
    json.key("proved");
    json.unsignedInteger(rule.proved);
    json.key("open");
    json.unsignedInteger(rule.open);
    json.key("refused");
    json.unsignedInteger(rule.refused);
    json.key("ranks");
    if (rule.elements.empty()) {
        json.null();
    } else {
        json.beginArray(JsonWriter::Layout::InLine);
        json.unsignedInteger(rule.ranks[0]);
        json.unsignedInteger(rule.ranks[1]);
        json.endArray();
    }
    json.key("opsets");
    json.beginArray(JsonWriter::Layout::InLine);
    for (const std::int64_t each : rule.opsets) {
        json.integer(each);
    }
    json.endArray();
    putTexts(json, "types", rule.elements);
    putTexts(json, "scope", rule.scope);
    putTexts(json, "assumptions", rule.assumptions);
    json.key("counterexample");
    if (rule.counterexample) {
        json.beginObject();
        json.key("at");
        json.string(rule.counterexample->at);
        json.key("result");
        json.raw("{\n" + resultFields(rule.counterexample->check, 5) + "\n        }");
        json.endObject();
    } else {
        json.null();
    }
    json.endObject();
}

} // namespace

std::string rulesJson(const ruleproof::RulesResult& result) {
    JsonWriter json;
    json.beginObject();
    json.key("format");
    json.string("lemmascope-rules");
    json.key("version");
    json.integer(1);
    json.key("verdict");
    json.string(name(result.verdict));
    json.key("strength");
    json.stringOrNull(result.strength ? name(*result.strength) : std::string_view());
    json.key("rules");
    json.beginArray();
    for (const ruleproof::RuleResult& each : result.rules) {
        putRule(json, each);
    }
    json.endArray();
    json.key("times");
    json.beginObject(JsonWriter::Layout::InLine);
    json.key("total");
    json.number(result.seconds);
    json.endObject();
    json.endObject();
    return json.text() + "\n";
}

} // namespace lemmascope::cli
