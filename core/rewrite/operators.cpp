// Operators that replacements name. Tests: tests/core/rewrite/tst_rewrite.cpp.
#include "core/rewrite/operators.h"

#include "core/base/nearest.h"
#include "core/graph/definition_library.h"
#include "core/graph/op_registry.h"
#include "core/graph/ops/op_block.h"
#include "core/match/operator_names.h"
#include "core/match/print.h"
#include "core/match/subject.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace lemmascope::rewrite {

using match::FactValue;

namespace {

std::string folded(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

bool isOnnx(const std::string& domain) { return domain.empty() || domain == "ai.onnx"; }

/// ONNX's operators by their names in lower case.
const std::map<std::string, std::string, std::less<>>& onnxNames() {
    static const auto names = [] {
        std::map<std::string, std::string, std::less<>> out;
        for (const OpSchema& each : allOps()) {
            if (each.domain.empty()) {
                out.emplace(folded(each.name), each.name);
            }
        }
        // Function operators that have a definition and no row.
        for (const std::string& each : DefinitionLibrary::builtin().names()) {
            if (each.find('.') == std::string::npos) {
                out.emplace(folded(each), each);
            }
        }
        return out;
    }();
    return names;
}

std::string notAnOperator(const std::string& name) {
    std::vector<std::string_view> known;
    for (const auto& [lower, written] : onnxNames()) {
        known.push_back(lower);
    }
    const std::string lower = folded(name);
    const auto near = nearestWord(lower, known);
    return "ONNX has no operator '" + name + "'" +
           (near ? ": did you mean " + onnxNames().find(*near)->second + "?" : "; one of another domain is written \"domain\":" + name);
}

/// Opsets that have an operator of this name: the first, and the last since which it changed.
std::pair<int, int> versionsOf(std::string_view domain, std::string_view name) {
    std::pair<int, int> out{0, 0};
    for (const OpSchema& each : allOps()) {
        if (each.domain == domain && each.name == name) {
            out.first = out.first == 0 ? each.sinceVersion : std::min(out.first, each.sinceVersion);
            out.second = std::max(out.second, each.sinceVersion);
        }
    }
    return out;
}

std::int64_t newestOf(const std::string& domain) {
    std::int64_t newest = 1;
    for (const OpSchema& each : allOps()) {
        newest = each.domain == domain ? std::max<std::int64_t>(newest, each.sinceVersion) : newest;
    }
    return newest;
}

bool isKnown(const OpId& op, const DefinitionLibrary* user) { return findOp(op) != nullptr || findDefinition(user, op) != nullptr; }

std::string kindInWords(char kind) {
    switch (kind) {
    case 'i': return "an integer";
    case 'f': return "a number";
    case 's': return "a text";
    case 'e': return "an element type such as f32";
    case 'I': return "a list of integers";
    case 'F': return "a list of numbers";
    case 'S': return "a list of texts";
    case 't': return "a number or a list of numbers";
    default: return "a graph, which rules cannot write";
    }
}

std::optional<std::int64_t> integerOf(const FactValue& value) {
    if (const auto* dim = std::get_if<Dim>(&value.value); dim != nullptr && dim->isKnown()) {
        return dim->value();
    }
    if (const auto* number = std::get_if<double>(&value.value); number != nullptr && *number == std::floor(*number) && std::fabs(*number) < 9e15) {
        return static_cast<std::int64_t>(*number);
    }
    const auto* integer = std::get_if<std::int64_t>(&value.value);
    return integer != nullptr ? std::optional(*integer) : std::nullopt;
}

std::optional<float> floatOf(const FactValue& value) {
    if (const auto* number = std::get_if<double>(&value.value)) {
        return static_cast<float>(*number);
    }
    const auto* integer = std::get_if<std::int64_t>(&value.value);
    return integer != nullptr ? std::optional(static_cast<float>(*integer)) : std::nullopt;
}

std::optional<std::string> textOf(const FactValue& value) {
    const auto* text = std::get_if<std::string>(&value.value);
    return text != nullptr ? std::optional(*text) : std::nullopt;
}

template <typename T>
std::optional<Attribute> listOf(const FactValue& value, std::optional<T> (*read)(const FactValue&)) {
    const auto* list = std::get_if<FactValue::List>(&value.value);
    if (list == nullptr) {
        return std::nullopt;
    }
    std::vector<T> out;
    for (const FactValue& each : *list) {
        const std::optional<T> item = read(each);
        if (!item) {
            return std::nullopt;
        }
        out.push_back(*item);
    }
    return Attribute(std::move(out));
}

/// A number or a list of them as a tensor: i64 where all are integers, else f32.
std::optional<Attribute> tensorOf(const FactValue& value) {
    const auto* list = std::get_if<FactValue::List>(&value.value);
    const FactValue::List one{value};
    const FactValue::List& items = list != nullptr ? *list : one;
    std::vector<std::int64_t> shape;
    if (list != nullptr) {
        shape.push_back(static_cast<std::int64_t>(items.size()));
    }
    if (std::all_of(items.begin(), items.end(), [](const FactValue& each) { return std::holds_alternative<std::int64_t>(each.value); })) {
        std::vector<std::int64_t> integers;
        for (const FactValue& each : items) {
            integers.push_back(std::get<std::int64_t>(each.value));
        }
        return Attribute(Tensor::of(ElementType::I64, std::move(shape), integers));
    }
    std::vector<float> numbers;
    for (const FactValue& each : items) {
        const std::optional<float> number = floatOf(each);
        if (!number) {
            return std::nullopt;
        }
        numbers.push_back(*number);
    }
    return Attribute(Tensor::of(ElementType::F32, std::move(shape), numbers));
}

template <typename T>
std::optional<Attribute> one(std::optional<T> value) {
    return value ? std::optional<Attribute>(Attribute(*value)) : std::nullopt;
}

/// The value in the form that it has by itself.
std::optional<Attribute> plain(const FactValue& value) {
    if (const auto* list = std::get_if<FactValue::List>(&value.value)) {
        const auto isInteger = [](const FactValue& each) { return integerOf(each) && !std::holds_alternative<double>(each.value); };
        if (std::all_of(list->begin(), list->end(), isInteger)) {
            return listOf<std::int64_t>(value, integerOf);
        }
        std::optional<Attribute> texts = listOf<std::string>(value, textOf);
        return texts ? texts : listOf<float>(value, floatOf);
    }
    if (const auto* truth = std::get_if<bool>(&value.value)) {
        return Attribute(std::int64_t{*truth ? 1 : 0});
    }
    if (std::optional<std::string> text = textOf(value)) {
        return Attribute(std::move(*text));
    }
    if (const auto* number = std::get_if<double>(&value.value)) {
        return Attribute(static_cast<float>(*number));
    }
    return one(integerOf(value));
}

std::optional<Attribute> ofKind(char kind, const FactValue& value) {
    switch (kind) {
    case 'i': return std::holds_alternative<bool>(value.value) ? plain(value) : one(integerOf(value));
    case 'f': return one(floatOf(value));
    case 's': return one(textOf(value));
    case 'e': {
        const std::optional<std::string> text = textOf(value);
        const std::optional<ElementType> type = text ? elementTypeByName(*text) : std::nullopt;
        return text ? one(type ? match::onnxNumber(*type) : std::nullopt) : one(integerOf(value));
    }
    case 'I': return listOf<std::int64_t>(value, integerOf);
    case 'F': return listOf<float>(value, floatOf);
    case 'S': return listOf<std::string>(value, textOf);
    case 't': return tensorOf(value);
    case 'g': return std::nullopt;
    default: return plain(value);
    }
}

} // namespace

Result<OpId> operatorOf(const match::OperatorName& written, const Graph& graph) {
    OpId out;
    out.domain = written.domain && !isOnnx(*written.domain) ? *written.domain : std::string();
    out.name = written.name;
    if (out.domain.empty()) {
        if (const auto at = onnxNames().find(folded(written.name)); at != onnxNames().end()) {
            out.name = at->second;
        } else if (findDefinition(graph.definitions.get(), {
                                                               "",
                                                               written.name,
                                                               written.version.value_or(newestOf("")),
                                                           }) == nullptr) {
            return fail(ErrorCode::BadData, notAnOperator(written.name));
        }
    }
    const auto opset = graph.opsets.find(out.domain);
    out.version = opset != graph.opsets.end() ? opset->second : written.version.value_or(newestOf(out.domain));
    if (written.version) {
        const OpSchema* here = findOp(out);
        const OpSchema* there = findOp({out.domain, out.name, *written.version});
        if (here != there || (here == nullptr && out.version != *written.version)) {
            return fail(ErrorCode::NotFound, "the graph's opset" + (out.domain.empty() ? std::string() : " of " + out.domain) + " is " +
                                                 std::to_string(out.version) + ", in which " + out.name + " is not the operator of version " +
                                                 std::to_string(*written.version));
        }
    }
    if (out.domain.empty() && !isKnown(out, graph.definitions.get())) {
        const auto [first, last] = versionsOf(out.domain, out.name);
        return fail(ErrorCode::NotFound, out.name + " does not exist in opset " + std::to_string(out.version) + ", which the graph uses" +
                                             (out.version < first ? "; it came with opset " + std::to_string(first) : std::string()));
    }
    return out;
}

Result<Attribute> attributeOf(const OpId& op, const std::string& name, const FactValue& value) {
    const OpRule* rule = findRule(op);
    std::optional<char> kind;
    if (rule != nullptr) {
        const auto at = std::find_if(rule->attributes.begin(), rule->attributes.end(), [&](const AttributeKind& each) { return each.name == name; });
        if (at != rule->attributes.end()) {
            kind = at->kind;
        } else if (op.domain.empty()) {
            std::vector<std::string_view> names;
            for (const AttributeKind& each : rule->attributes) {
                names.push_back(each.name);
            }
            const auto near = nearestWord(name, names);
            return fail(ErrorCode::BadData, op.name + " of opset " + std::to_string(op.version) + " has no attribute '" + name + "'" +
                                                (near ? ": did you mean '" + std::string(*near) + "'?" : ""));
        }
    }
    std::optional<Attribute> out = kind ? ofKind(*kind, value) : plain(value);
    if (!out) {
        return fail(ErrorCode::BadData, "attribute '" + name + "' of " + op.name + " is " + value.text() + ", expected " +
                                            (kind ? kindInWords(*kind) : "a value that is known"));
    }
    return std::move(*out);
}

std::vector<match::Finding> checkReplacements(const match::RuleFile& file, const DefinitionLibrary* user) {
    std::vector<match::Finding> out;
    std::set<std::string_view> domains;
    for (const OpSchema& each : allOps()) {
        domains.insert(each.domain);
    }
    const auto report = [&](const match::Rule& rule, const match::ReplacementNode& node, bool isError, std::string fact, std::string detail) {
        out.push_back({match::Finding::Code::UnknownOperator, isError, rule.name, std::move(fact), std::move(detail), node.spot});
    };
    // Of other domains an attribute is handed on whatever it is called.
    const auto checkAttributes = [&](const match::Rule& rule, const match::ReplacementNode& node, const std::string& domain,
                                     const std::string& name) {
        const auto all = match::knownAttributes(node.op, user);
        for (const match::AttributePattern& each : node.attributes) {
            if (!all || each.copies || std::find(all->begin(), all->end(), each.name) != all->end()) {
                continue;
            }
            const auto near = nearestWord(each.name, *all);
            if (domain.empty() || near) {
                out.push_back({match::Finding::Code::UnknownAttribute, domain.empty(), rule.name, name + " has no attribute '" + each.name + "'",
                               near ? "did you mean " + std::string(*near) + "?" : match::attributesInWords(*all), each.spot});
            }
        }
    };
    const auto check = [&](const match::Rule& rule, const match::ReplacementNode& node) {
        const std::string domain = node.op.domain && !isOnnx(*node.op.domain) ? *node.op.domain : std::string();
        const bool leaf = node.children.empty() && node.attributes.empty() && !node.op.domain;
        const auto known = domain.empty() ? onnxNames().find(folded(node.op.name)) : onnxNames().end();
        if (domain.empty() && known == onnxNames().end()) {
            if (!leaf && findDefinition(user, {"", node.op.name, node.op.version.value_or(newestOf(""))}) == nullptr) {
                report(rule, node, true, notAnOperator(node.op.name), "");
            }
            return;
        }
        const std::string name = domain.empty() ? known->second : node.op.name;
        checkAttributes(rule, node, domain, name);
        int least = 1'000'000;
        int most = 0;
        bool any = false;
        std::vector<std::string_view> names;
        for (const OpSchema& each : allOps()) {
            if (each.domain == domain) {
                names.push_back(each.name);
            }
            if (each.domain == domain && each.name == name) {
                any = true;
                least = std::min(least, each.minOperands);
                most = each.maxOperands < 0 ? 1'000'000 : std::max(most, each.maxOperands);
            }
        }
        if (!any) {
            const auto near = domains.contains(domain) ? nearestWord(name, names) : std::nullopt;
            if (near) {
                report(rule, node, false, "there is no known operator '" + name + "' of " + domain, "did you mean " + std::string(*near) + "?");
            }
            return;
        }
        const bool rest = std::any_of(node.children.begin(), node.children.end(),
                                      [&](match::ReplacementId each) { return file.at(each).kind == match::ReplacementKind::Rest; });
        const auto count = static_cast<int>(node.children.size());
        if (!leaf && (count > most + (rest ? 1 : 0) || (!rest && count < least))) {
            report(rule, node, true,
                   name + " has " + std::to_string(count) + (count == 1 ? " operand" : " operands") + ", expected " + std::to_string(least) +
                       (most == least       ? ""
                        : most >= 1'000'000 ? " or more"
                                            : " to " + std::to_string(most)),
                   "");
        }
    };
    for (const match::Rule& rule : file.rules) {
        for (const match::RuleCase& each : rule.cases) {
            std::vector<match::ReplacementId> stack{each.replacement.result};
            for (auto at = each.replacement.lets.rbegin(); at != each.replacement.lets.rend(); ++at) {
                stack.push_back(at->second);
            }
            while (!stack.empty()) {
                const match::ReplacementNode& node = file.at(stack.back());
                stack.pop_back();
                stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
                if (node.kind == match::ReplacementKind::Operator) {
                    check(rule, node);
                }
            }
        }
    }
    return out;
}

} // namespace lemmascope::rewrite
