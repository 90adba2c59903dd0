// Regions as functions. Tests: tests/core/rewrite/tst_rewrite_graphs.cpp.
#include "core/rewrite/regions.h"

#include "core/graph/infer.h"
#include "core/match/graph_levels.h"
#include "core/rewrite/selection.h"

#include <algorithm>
#include <map>
#include <optional>
#include <queue>
#include <set>

namespace lemmascope::rewrite {

namespace {

constexpr const char* FunctionDomain = "lemmascope";
constexpr std::size_t None = static_cast<std::size_t>(-1);

template <typename Visit>
void visitReads(const Node& node, Visit visit) {
    for (const ValueId operand : node.operands) {
        if (operand.isValid()) {
            visit(operand);
        }
    }
    if (!node.body && node.attributes.empty()) {
        return;
    }
    for (const auto& [role, inner] : Graph::nestedGraphs(node)) {
        for (const Capture& capture : inner->captures) {
            visit(capture.outer);
        }
    }
}

std::shared_ptr<const Graph> recaptured(const std::shared_ptr<const Graph>& nested, const std::map<ValueId, ValueId>& moved) {
    if (nested->captures.empty()) {
        return nested;
    }
    Graph copy = *nested;
    for (Capture& each : copy.captures) {
        each.outer = moved.at(each.outer);
    }
    return std::make_shared<const Graph>(std::move(copy));
}

/// The node for a graph in which its values have other ids.
Node movedNode(const Node& node, const std::map<ValueId, ValueId>& moved) {
    Node out = node;
    for (ValueId& operand : out.operands) {
        operand = operand.isValid() ? moved.at(operand) : operand;
    }
    for (ValueId& result : out.results) {
        result = result.isValid() ? moved.at(result) : result;
    }
    if (out.body) {
        out.body = recaptured(out.body, moved);
    }
    for (auto& [key, attribute] : out.attributes) {
        if (auto* nested = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
            *nested = recaptured(*nested, moved);
        } else if (auto* list = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
            for (std::shared_ptr<const Graph>& each : *list) {
                each = recaptured(each, moved);
            }
        }
    }
    return out;
}

/// A region before it is told: its nodes, in order.
struct Part {
    std::size_t rule = 0;
    match::TermId root;
    std::vector<NodeId> nodes;
    std::vector<ValueId> inputs;
    std::vector<ValueId> outputs;
};

class Outliner {
  public:
    Outliner(const Graph& plain, const match::GraphSubject& subject) : m_plain(plain), m_subject(subject), m_owner(plain.nodes.size(), None) {}

    /// Nothing: taken. Else why not.
    std::optional<std::string> take(const match::Programs& programs, const match::GraphMatch& match) {
        if (match.nodes.empty()) {
            return "it takes no operator";
        }
        for (const NodeId node : match.nodes) {
            if (m_owner[node.index] != None) {
                const Part& other = m_parts[m_owner[node.index]];
                return "it overlaps the region of rule " + programs[other.rule]->rule + " at " + m_subject.termText(other.root) + ", which takes " +
                       m_plain.displayName(node);
            }
        }
        if (const std::optional<NodeId> by = comesBack(match.nodes)) {
            return "a path leaves the nodes and comes back by " + m_plain.displayName(*by);
        }
        for (const NodeId node : match.nodes) {
            m_owner[node.index] = m_parts.size();
        }
        m_parts.push_back({match.rule, match.root, match.nodes, {}, {}});
        return std::nullopt;
    }

    Graph build(const match::Programs& programs, std::vector<Region>& regions) {
        std::sort(m_parts.begin(), m_parts.end(), [](const Part& a, const Part& b) { return a.nodes.back() < b.nodes.back(); });
        for (std::size_t p = 0; p < m_parts.size(); ++p) {
            for (const NodeId node : m_parts[p].nodes) {
                m_owner[node.index] = p;
            }
        }
        for (Part& part : m_parts) {
            addEnds(part);
        }
        std::map<std::string, std::size_t> counts;
        for (const Part& part : m_parts) {
            Region region;
            region.rule = programs[part.rule]->rule;
            region.name = region.rule + "_" + std::to_string(++counts[region.rule]);
            region.root = m_subject.termText(part.root);
            for (const NodeId node : part.nodes) {
                region.nodes.push_back(m_plain.displayName(node));
            }
            for (const ValueId input : part.inputs) {
                region.inputs.push_back(m_plain.value(input).name);
            }
            for (const ValueId output : part.outputs) {
                region.outputs.push_back(m_plain.value(output).name);
            }
            regions.push_back(std::move(region));
        }
        return assembled(regions);
    }

  private:
    /// A node outside through which what leaves the nodes reaches them again, with each region taken so far as one node.
    [[nodiscard]] std::optional<NodeId> comesBack(const std::vector<NodeId>& nodes) const {
        const auto inside = [&](NodeId node) { return std::binary_search(nodes.begin(), nodes.end(), node); };
        std::vector<NodeId> stack;
        std::set<NodeId> seen;
        const auto leave = [&](NodeId from, auto&& found) {
            for (const ValueId result : m_plain.node(from).results) {
                if (!result.isValid()) {
                    continue;
                }
                for (const NodeId reader : m_subject.readers(match::TermId(result.index))) {
                    found(reader);
                }
            }
        };
        const auto enter = [&](NodeId node) {
            const std::size_t part = m_owner[node.index];
            if (part == None) {
                if (seen.insert(node).second) {
                    stack.push_back(node);
                }
                return;
            }
            for (const NodeId member : m_parts[part].nodes) {
                if (seen.insert(member).second) {
                    stack.push_back(member);
                }
            }
        };
        for (const NodeId node : nodes) {
            leave(node, [&](NodeId reader) {
                if (!inside(reader)) {
                    enter(reader);
                }
            });
        }
        while (!stack.empty()) {
            const NodeId at = stack.back();
            stack.pop_back();
            std::optional<NodeId> back;
            leave(at, [&](NodeId reader) {
                if (inside(reader)) {
                    back = at;
                } else {
                    enter(reader);
                }
            });
            if (back) {
                return back;
            }
        }
        return std::nullopt;
    }

    void addEnds(Part& part) const {
        const auto inside = [&](NodeId node) { return std::binary_search(part.nodes.begin(), part.nodes.end(), node); };
        std::set<ValueId> seen;
        for (const NodeId id : part.nodes) {
            visitReads(m_plain.node(id), [&](ValueId value) {
                const NodeId producer = m_plain.value(value).producer;
                if (!(producer.isValid() && inside(producer)) && seen.insert(value).second) {
                    part.inputs.push_back(value);
                }
            });
        }
        for (const NodeId id : part.nodes) {
            for (const ValueId result : m_plain.node(id).results) {
                if (!result.isValid()) {
                    continue;
                }
                const std::vector<NodeId>& readers = m_subject.readers(match::TermId(result.index));
                const bool leaves = m_subject.isOutput(match::TermId(result.index)) ||
                                    std::any_of(readers.begin(), readers.end(), [&](NodeId reader) { return !inside(reader); });
                if (leaves) {
                    part.outputs.push_back(result);
                }
            }
        }
    }

    [[nodiscard]] std::shared_ptr<const Graph> bodyOf(const Part& part) const {
        Graph body;
        body.opsets = m_plain.opsets;
        std::map<ValueId, ValueId> moved;
        const auto add = [&](ValueId value) {
            Value copy = m_plain.value(value);
            copy.producer = {};
            copy.resultIndex = 0;
            copy.constant.reset();
            copy.range.reset();
            moved.emplace(value, body.addValue(std::move(copy)));
        };
        for (const ValueId input : part.inputs) {
            add(input);
            body.inputs.push_back(moved.at(input));
        }
        for (const NodeId id : part.nodes) {
            for (const ValueId result : m_plain.node(id).results) {
                if (result.isValid()) {
                    add(result);
                }
            }
            body.addNode(movedNode(m_plain.node(id), moved));
        }
        for (const ValueId output : part.outputs) {
            body.outputs.push_back(moved.at(output));
        }
        return std::make_shared<const Graph>(std::move(body));
    }

    /// Units (nodes outside, and parts) so that each reads what stands before it, near to where they stood.
    [[nodiscard]] std::vector<std::size_t> order() const {
        const std::size_t nodes = m_plain.nodes.size();
        const auto unitOf = [&](NodeId node) { return m_owner[node.index] == None ? std::size_t{node.index} : nodes + m_owner[node.index]; };
        const auto place = [&](std::size_t unit) { return unit < nodes ? unit : std::size_t{m_parts[unit - nodes].nodes.back().index}; };
        std::vector<std::set<std::size_t>> after(nodes + m_parts.size());
        std::vector<std::size_t> waits(nodes + m_parts.size());
        for (std::size_t n = 0; n < nodes; ++n) {
            visitReads(m_plain.nodes[n], [&](ValueId value) {
                const NodeId producer = m_plain.value(value).producer;
                const std::size_t to = unitOf(NodeId(n));
                if (producer.isValid() && unitOf(producer) != to && after[unitOf(producer)].insert(to).second) {
                    ++waits[to];
                }
            });
        }
        std::priority_queue<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::size_t, std::size_t>>, std::greater<>> ready;
        for (std::size_t unit = 0; unit < waits.size(); ++unit) {
            const bool stands = unit >= nodes || m_owner[unit] == None;
            if (stands && waits[unit] == 0) {
                ready.emplace(place(unit), unit);
            }
        }
        std::vector<std::size_t> out;
        while (!ready.empty()) {
            const std::size_t unit = ready.top().second;
            ready.pop();
            out.push_back(unit);
            for (const std::size_t next : after[unit]) {
                if (--waits[next] == 0) {
                    ready.emplace(place(next), next);
                }
            }
        }
        return out;
    }

    Graph assembled(const std::vector<Region>& regions) const {
        Graph out;
        out.name = m_plain.name;
        out.outputNames = m_plain.outputNames;
        out.symbols = m_plain.symbols;
        out.opsets = m_plain.opsets;
        out.definitions = m_plain.definitions;
        out.notes = m_plain.notes;
        std::vector<bool> isInner(m_plain.values.size());
        for (const Part& part : m_parts) {
            for (const NodeId node : part.nodes) {
                for (const ValueId result : m_plain.node(node).results) {
                    if (result.isValid()) {
                        isInner[result.index] = std::find(part.outputs.begin(), part.outputs.end(), result) == part.outputs.end();
                    }
                }
            }
        }
        std::map<ValueId, ValueId> moved;
        for (std::size_t v = 0; v < m_plain.values.size(); ++v) {
            if (!isInner[v]) {
                Value copy = m_plain.values[v];
                copy.producer = {};
                copy.resultIndex = 0;
                moved.emplace(ValueId(v), out.addValue(std::move(copy)));
            }
        }
        for (const ValueId input : m_plain.inputs) {
            out.inputs.push_back(moved.at(input));
        }
        for (const std::size_t unit : order()) {
            if (unit < m_plain.nodes.size()) {
                out.addNode(movedNode(m_plain.nodes[unit], moved));
                continue;
            }
            const std::size_t p = unit - m_plain.nodes.size();
            Node call;
            call.op = {FunctionDomain, regions[p].name, 1};
            call.body = bodyOf(m_parts[p]);
            for (const ValueId input : m_parts[p].inputs) {
                call.operands.push_back(moved.at(input));
            }
            for (const ValueId output : m_parts[p].outputs) {
                call.results.push_back(moved.at(output));
            }
            out.addNode(std::move(call));
        }
        for (const ValueId output : m_plain.outputs) {
            out.outputs.push_back(moved.at(output));
        }
        return out;
    }

    const Graph& m_plain;
    const match::GraphSubject& m_subject;
    std::vector<std::size_t> m_owner; ///< by node: its part
    std::vector<Part> m_parts;
};

} // namespace

Result<RegionsResult> outlineRegions(const std::shared_ptr<const Graph>& graph, const match::RuleFile& file, const match::Programs& programs,
                                     const RewriteOptions& options, std::stop_token stop) {
    Result<match::Programs> selected = selectPrograms(file, programs, options.rules);
    if (!selected) {
        return tl::unexpected(selected.error());
    }
    const Result<std::shared_ptr<const Graph>> typed = inferTypes(*graph, {}, stop);
    if (!typed) {
        return tl::unexpected(typed.error());
    }
    const match::GraphSubject subject(*typed);
    match::GraphMatchOptions matching;
    matching.all = options.all;
    matching.misses = false;
    matching.machine = options.machine;
    matching.stop = stop;
    if (!options.at.empty()) {
        matching.at = match::rootNamed(subject, {}, options.at);
        if (!matching.at) {
            return tl::unexpected(match::unknownRoot({{*typed, {}, 0, {}, {}}}, options.at));
        }
    }
    Result<match::GraphMatchResult> matches = match::matchGraph(*selected, subject, matching);
    if (!matches) {
        return tl::unexpected(matches.error());
    }
    // Within a rule the last roots come first.
    std::stable_sort(matches->matches.begin(), matches->matches.end(), [&](const match::GraphMatch& a, const match::GraphMatch& b) {
        return a.rule != b.rule ? a.rule < b.rule : subject.nodeOf(a.root).index > subject.nodeOf(b.root).index;
    });
    RegionsResult out;
    out.undecided = matches->undecided;
    Outliner outliner(*graph, subject);
    for (const match::GraphMatch& each : matches->matches) {
        if (stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "interrupted");
        }
        if (std::optional<std::string> reason = outliner.take(*selected, each)) {
            RewriteRefusal refusal{(*selected)[each.rule]->rule, {}, subject.termText(each.root), {}, std::move(*reason)};
            for (const NodeId node : each.nodes) {
                refusal.nodes.push_back(graph->displayName(node));
            }
            out.refusals.push_back(std::move(refusal));
        }
    }
    Graph outlined = outliner.build(*selected, out.regions);
    out.graph = out.regions.empty() ? graph : std::make_shared<const Graph>(std::move(outlined));
    return out;
}

} // namespace lemmascope::rewrite
