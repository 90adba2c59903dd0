#include "core/rewrite/selection.h"

#include "core/base/nearest.h"

#include <algorithm>

namespace lemmascope::rewrite {

Result<match::Programs> selectPrograms(const match::RuleFile& file, const match::Programs& programs, const std::vector<std::string>& rules) {
    std::vector<std::string_view> names;
    for (const auto& program : programs) {
        names.emplace_back(program->rule);
    }
    for (const std::string& wanted : rules) {
        if (std::find(names.begin(), names.end(), wanted) == names.end()) {
            const auto near = nearestWord(wanted, names);
            return fail(ErrorCode::Usage,
                        "there is no rule '" + wanted + "' in " + file.file + (near ? ": did you mean '" + std::string(*near) + "'?" : ""));
        }
    }
    match::Programs out;
    for (const auto& program : programs) {
        if (rules.empty() || std::find(rules.begin(), rules.end(), program->rule) != rules.end()) {
            out.push_back(program);
        }
    }
    return out;
}

std::optional<match::TermId> rootNamed(const match::GraphSubject& subject, const std::string& name) {
    const Graph& graph = subject.graph();
    if (const ValueId value = graph.findValue(name); value.isValid()) {
        return match::TermId(value.index);
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        if (graph.displayName(NodeId(n)) == name) {
            return subject.termOf(NodeId(n));
        }
    }
    return std::nullopt;
}

tl::unexpected<Error> unknownRoot(const Graph& graph, const std::string& name) {
    std::vector<std::string> names;
    for (const Value& each : graph.values) {
        names.push_back(each.name);
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        names.push_back(graph.displayName(NodeId(n)));
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = nearestWord(name, views);
    return fail(ErrorCode::Usage, "the graph has no node or value '" + name + "'" + (near ? ": did you mean '" + std::string(*near) + "'?" : ""));
}

} // namespace lemmascope::rewrite
