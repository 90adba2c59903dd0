// Tests: tests/core/match/tst_match_graph.cpp.
#include "core/match/graph_levels.h"

#include "core/base/nearest.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace lemmascope::match {

namespace {

constexpr std::size_t MostLevels = 10'000; ///< graphs nested in each other or side by side that are looked into

/// The graph with what the one around it knows: of captured values, and what only top graphs declare. The same one where that is nothing.
std::shared_ptr<const Graph> withOuterFacts(const std::shared_ptr<const Graph>& graph, const Graph& around) {
    std::shared_ptr<Graph> out;
    const auto lacks = [](const auto& own, const auto& outer) {
        return std::any_of(outer.begin(), outer.end(), [&](const auto& each) { return !own.contains(each.first); });
    };
    if ((around.definitions && !graph->definitions) || lacks(graph->symbols, around.symbols) || lacks(graph->opsets, around.opsets)) {
        out = std::make_shared<Graph>(*graph);
        out->definitions = graph->definitions ? graph->definitions : around.definitions;
        out->symbols.insert(around.symbols.begin(), around.symbols.end());
        out->opsets.insert(around.opsets.begin(), around.opsets.end());
    }
    for (const Capture& each : graph->captures) {
        if (each.inner.index >= graph->values.size() || each.outer.index >= around.values.size()) {
            continue;
        }
        const Value& outer = around.value(each.outer);
        const Value& inner = graph->value(each.inner);
        if ((!outer.constant || inner.constant) && (!outer.elements || inner.elements)) {
            continue;
        }
        if (!out) {
            out = std::make_shared<Graph>(*graph);
        }
        out->values[each.inner.index].constant = outer.constant;
        out->values[each.inner.index].elements = outer.elements;
    }
    return out ? std::shared_ptr<const Graph>(std::move(out)) : graph;
}

} // namespace

std::vector<GraphLevel> graphLevels(const std::shared_ptr<const Graph>& typed) {
    std::vector<GraphLevel> out{{typed, {}, 0, {}, {}}};
    for (std::size_t at = 0; at < out.size(); ++at) {
        const GraphLevel level = out[at]; // the vector grows
        for (std::size_t n = 0; n < level.graph->nodes.size() && out.size() < MostLevels; ++n) {
            const Node& node = level.graph->nodes[n];
            if (node.body) {
                continue;
            }
            for (const auto& [key, attribute] : node.attributes) {
                if (const auto* nested = std::get_if<std::shared_ptr<const Graph>>(&attribute); nested != nullptr && *nested) {
                    out.push_back(
                        {withOuterFacts(*nested, *level.graph), level.placed(level.graph->displayName(NodeId(n))) + "/" + key, at, NodeId(n), key});
                }
            }
        }
    }
    return out;
}

std::optional<TermId> rootNamed(const GraphSubject& subject, const std::string& scope, const std::string& name) {
    const Graph& graph = subject.graph();
    const auto named = [&](const std::string& wanted) -> std::optional<TermId> {
        if (const ValueId value = graph.findValue(wanted); value.isValid()) {
            return TermId(value.index);
        }
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
            if (graph.displayName(NodeId(n)) == wanted) {
                return subject.termOf(NodeId(n));
            }
        }
        return std::nullopt;
    };
    const std::string prefix = scope + "/";
    const std::optional<TermId> found = named(name);
    return found || scope.empty() || !name.starts_with(prefix) ? found : named(name.substr(prefix.size()));
}

Error unknownRoot(const std::vector<GraphLevel>& levels, const std::string& name) {
    std::vector<std::string> names;
    for (const GraphLevel& level : levels) {
        for (std::size_t n = 0; n < level.graph->nodes.size(); ++n) {
            names.push_back(level.placed(level.graph->displayName(NodeId(n))));
        }
        for (const Value& each : level.graph->values) {
            names.push_back(level.placed(each.name));
        }
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = nearestWord(name, views);
    return Error{
        ErrorCode::Usage, "the graph has no node or value '" + name + "'" + (near ? ": did you mean '" + std::string(*near) + "'?" : ""), {}};
}

Result<MatchedLevels> matchLevels(const Programs& programs, const std::shared_ptr<const Graph>& typed, const std::string& at,
                                  const GraphMatchOptions& options) {
    MatchedLevels out;
    const std::vector<GraphLevel> levels = graphLevels(typed);
    std::map<std::tuple<std::size_t, Spot, FailureReason>, std::size_t> counted; // -> index of out.counts
    for (const GraphLevel& level : levels) {
        const auto subject = std::make_shared<const GraphSubject>(level.graph);
        GraphMatchOptions own = options;
        if (!at.empty()) {
            own.at = rootNamed(*subject, level.scope, at);
            if (!own.at) {
                continue;
            }
        }
        Result<GraphMatchResult> result = matchGraph(programs, *subject, own);
        if (!result) {
            return tl::unexpected(std::move(result.error()));
        }
        const std::size_t index = out.levels.size();
        out.undecided += result->undecided;
        out.rootsTried += result->rootsTried;
        out.rootsSkipped += result->rootsSkipped;
        for (const GraphMiss& each : result->misses) {
            out.misses.push_back({index, each});
        }
        for (const MissCount& each : result->counts) {
            const auto [known, isNew] = counted.try_emplace({each.rule, each.spot, each.reason}, out.counts.size());
            if (isNew) {
                out.counts.push_back({index, each});
            } else {
                out.counts[known->second].told.roots += each.roots;
            }
        }
        out.levels.push_back({level, subject, std::move(*result)});
    }
    if (out.levels.empty()) {
        return tl::unexpected(unknownRoot(levels, at));
    }
    std::stable_sort(out.misses.begin(), out.misses.end(), [](const auto& a, const auto& b) { return a.told.matched > b.told.matched; });
    std::stable_sort(out.counts.begin(), out.counts.end(), [](const auto& a, const auto& b) { return a.told.roots > b.told.roots; });
    std::vector<std::size_t> listed(programs.size());
    std::erase_if(out.misses, [&](const OfLevel<GraphMiss>& each) { return ++listed[each.told.rule] > options.listedMisses; });
    return out;
}

} // namespace lemmascope::match
