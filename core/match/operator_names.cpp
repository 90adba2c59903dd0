#include "core/base/nearest.h"
#include "core/graph/op_registry.h"
#include "core/match/static_check.h"

#include <algorithm>
#include <map>
#include <string_view>

namespace lemmascope::match {

namespace {

std::string folded(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

} // namespace

std::vector<Finding> unknownOperators(const RuleFile& file) {
    std::map<std::string, std::string> known; // in lower case -> as ONNX writes it
    for (const OpSchema& each : allOps()) {
        if (each.domain.empty()) {
            known.emplace(folded(each.name), each.name);
        }
    }
    std::vector<std::string_view> names;
    for (const auto& [lower, name] : known) {
        names.push_back(lower);
    }
    std::vector<Finding> out;
    for (const RuleFile::Item& item : file.items) {
        std::vector<PatternId> stack{item.isRule ? file.rules[item.index].pattern : file.definitions[item.index].body};
        while (!stack.empty()) {
            const PatternNode& node = file.at(stack.back());
            stack.pop_back();
            stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
            const bool asked = node.kind == PatternKind::Operator && !node.op.domain && !(node.children.empty() && node.attributes.empty());
            if (!asked || known.contains(folded(node.op.name))) {
                continue;
            }
            const std::string lower = folded(node.op.name);
            const auto near = nearestWord(lower, names);
            out.push_back(
                {Finding::Code::UnknownOperator, false, item.isRule ? file.rules[item.index].name : file.definitions[item.index].name,
                 "ONNX has no operator '" + node.op.name + "'",
                 near ? "did you mean " + known.at(std::string(*near)) + "?" : "one of another domain is written \"domain\":" + node.op.name,
                 node.spot});
        }
    }
    return out;
}

} // namespace lemmascope::match
