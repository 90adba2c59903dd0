#include "app/cli/match_json.h"

#include "core/report/json_writer.h"

namespace lemmascope::cli {

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
