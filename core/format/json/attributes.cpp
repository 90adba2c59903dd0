#include "core/format/json/attributes.h"

#include "core/format/json/base64.h"
#include "core/format/json/forms.h"

#include <algorithm>
#include <limits>
#include <span>

namespace lemmascope::json {

namespace {

float anyFloat(const Value& value, std::string_view what, Problem& problem) {
    if (value.kind == Kind::String && value.raw() == "nan") {
        return std::numeric_limits<float>::quiet_NaN();
    }
    if (value.kind == Kind::String && (value.raw() == "inf" || value.raw() == "-inf")) {
        return value.raw() == "inf" ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity();
    }
    return floatOf(value, what, problem);
}

std::vector<float> floatsOf(const Value& value, std::string_view what, Problem& problem) {
    std::vector<float> floats;
    for (const Value& item : itemsOf(value, what, problem)) {
        floats.push_back(anyFloat(item, std::string(what) + "[" + std::to_string(floats.size()) + "]", problem));
    }
    return floats;
}

std::vector<std::string> stringsOf(const Value& value, std::string_view what, Problem& problem) {
    std::vector<std::string> strings;
    for (const Value& item : itemsOf(value, what, problem)) {
        strings.push_back(stringOf(item, std::string(what) + "[" + std::to_string(strings.size()) + "]", problem));
    }
    return strings;
}

void addGraphs(const std::string& key, const Value& list, std::vector<PendingGraph>& graphs, Problem& problem) {
    const std::vector<Value> items = itemsOf(list, "a list of graphs", problem);
    if (items.empty()) {
        graphs.push_back({key, 0, 0, std::nullopt});
    }
    for (std::size_t k = 0; k < items.size(); ++k) {
        graphs.push_back({key, k, items.size(), items[k]});
    }
}

void readList(const std::string& key, const Value& list, Node& node, std::vector<PendingGraph>& graphs, Problem& problem) {
    const std::string what = "attribute " + inQuotes(key);
    bool integers = true;
    bool numbers = true;
    Kind first = Kind::Integer;
    Cursor cursor(list);
    for (std::size_t k = 0; const std::optional<Value> item = cursor.next(); ++k) {
        first = k == 0 ? item->kind : first;
        integers = integers && item->kind == Kind::Integer;
        numbers = numbers && item->isNumber();
    }
    if (integers) {
        node.attributes[key] = integersOf(list, what, problem);
    } else if (numbers) {
        node.attributes[key] = floatsOf(list, what, problem);
    } else if (first == Kind::String) {
        node.attributes[key] = stringsOf(list, what, problem);
    } else if (first == Kind::Object) {
        addGraphs(key, list, graphs, problem);
    } else {
        problem.report(what +
                           " is a list of mixed or unknown items, expected integers, floats, strings or graphs; a tensor is written {\"type\": ..., "
                           "\"shape\": ..., \"data\": ...}",
                       list.offset);
    }
}

void readObject(const std::string& key, const Value& object, Node& node, std::vector<PendingGraph>& graphs, TensorReader& tensors, Problem& problem) {
    const std::string what = "attribute " + inQuotes(key);
    Cursor members(object);
    const std::optional<Value> first = members.next();
    const std::optional<Value> member = first ? members.next() : std::nullopt;
    const std::string word = first ? first->string() : std::string();
    if (object.length == 1 && word == "float") {
        node.attributes[key] = anyFloat(*member, what, problem);
    } else if (object.length == 1 && word == "floats") {
        node.attributes[key] = floatsOf(*member, what, problem);
    } else if (object.length == 1 && word == "ints") {
        node.attributes[key] = integersOf(*member, what, problem);
    } else if (object.length == 1 && word == "strings") {
        node.attributes[key] = stringsOf(*member, what, problem);
    } else if (object.length == 1 && word == "graphs") {
        addGraphs(key, *member, graphs, problem);
    } else if (object.length == 1 && word == "bytes") {
        const std::string encoded = stringOf(*member, what, problem);
        std::string bytes(decodedBase64Size(encoded).value_or(0), '\0');
        if (!problem.failed() &&
            (!decodedBase64Size(encoded) || !decodeBase64(encoded, std::as_writable_bytes(std::span(bytes.data(), bytes.size()))))) {
            problem.report(what + " has 'bytes' that are not base64", member->offset);
        }
        node.attributes[key] = bytes;
    } else if (word == "type" || word == "shape" || word == "data" || word == "base64" || word == "file") {
        const Fields fields(object, "a tensor", {"type", "shape", "data", "base64", "file"}, problem);
        node.attributes[key] = tensors.read(fields, "a tensor", problem);
    } else {
        graphs.push_back({key, PendingGraph::Single, 0, object}); // its reader reports unknown keys
    }
}

} // namespace

void readAttributes(const Value& attrs, Node& node, std::vector<PendingGraph>& graphs, TensorReader& tensors, Problem& problem) {
    if (attrs.kind != Kind::Object) {
        problem.report("'attrs' is " + std::string(attrs.kindName()) + ", expected an object", attrs.offset);
        return;
    }
    Cursor members(attrs);
    while (const std::optional<Value> name = members.next()) {
        const std::optional<Value> value = members.next();
        const std::string key = name->string();
        const bool pending = std::any_of(graphs.begin(), graphs.end(), [&](const PendingGraph& graph) { return graph.attribute == key; });
        if (key.empty()) {
            problem.report("an attribute has an empty name", name->offset);
        } else if (node.attributes.contains(key) || pending) {
            problem.report("attribute " + inQuotes(key) + " is given twice", name->offset);
        } else if (key == FormAttribute || key == WordsAttribute) {
            problem.report("attribute " + inQuotes(key) + " is reserved; write the form itself ({\"of\": ...} or {\"into\": ...})", name->offset);
        }
        if (problem.failed()) {
            return;
        }
        switch (value->kind) {
        case Kind::Integer: node.attributes[key] = integerOf(*value, "attribute " + inQuotes(key), problem); break;
        case Kind::Real: node.attributes[key] = floatOf(*value, "attribute " + inQuotes(key), problem); break;
        case Kind::String: node.attributes[key] = value->string(); break;
        case Kind::Array:
        case Kind::Numbers: readList(key, *value, node, graphs, problem); break;
        case Kind::Object:
            readObject(key, *value, node, graphs, tensors, problem);
            if (problem.failed()) {
                problem.within("attribute " + inQuotes(key));
            }
            break;
        case Kind::Null:
        case Kind::True:
        case Kind::False:
            problem.report("attribute " + inQuotes(key) + " is " + std::string(value->kindName()) +
                               ", expected a number, a string, a list, a tensor or a graph" +
                               (value->kind == Kind::Null ? "; leave it out instead" : "; ONNX writes 1 and 0"),
                           value->offset);
        }
    }
}

} // namespace lemmascope::json
