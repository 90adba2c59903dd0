// Puts fragments into a graph. Values keep their ids while this is done; what is dead goes at the end, in one pass. Tests:
// tests/core/rewrite/tst_rewrite.cpp.
#include "core/rewrite/apply.h"

#include <algorithm>
#include <map>
#include <optional>

namespace lemmascope::rewrite {

namespace {

/// Values of the graph around that nested graphs of a node read.
template <typename Visit>
void visitCaptures(const Node& node, Visit visit) {
    if (!node.body && node.attributes.empty()) {
        return;
    }
    for (const auto& [role, inner] : Graph::nestedGraphs(node)) {
        for (const Capture& capture : inner->captures) {
            visit(capture.outer);
        }
    }
}

class Application {
  public:
    Application(const Graph& graph, const Graph& before, std::span<const Substitution> substitutions, Names& names)
        : m_graph(graph), m_substitutions(substitutions), m_names(names), m_values(graph.values), m_nodes(graph.nodes), m_before(graph.nodes.size()),
          m_after(graph.nodes.size()), m_usedBefore(countUses(before)), m_alias(graph.values.size()) {
        for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
            m_isOutput.insert(graph.outputs[k]);
        }
    }

    Applied run() {
        for (std::size_t s = 0; s < m_substitutions.size(); ++s) {
            substitute(s);
        }
        for (std::size_t s = 0; s < m_substitutions.size(); ++s) {
            giveOutputs(s);
        }
        emit();
        return build();
    }

  private:
    struct Placed {
        Node node;
        std::size_t substitution = static_cast<std::size_t>(-1);
        std::optional<std::size_t> old; ///< its index before
    };

    static std::vector<std::uint32_t> countUses(const Graph& graph) {
        std::vector<std::uint32_t> uses(graph.values.size());
        const auto use = [&](ValueId value) { ++uses[value.index]; };
        for (const Node& node : graph.nodes) {
            for (const ValueId operand : node.operands) {
                if (operand.isValid()) {
                    use(operand);
                }
            }
            visitCaptures(node, use);
        }
        for (const ValueId output : graph.outputs) {
            use(output);
        }
        return uses;
    }

    ValueId add(Value value) {
        m_values.push_back(std::move(value));
        m_usedBefore.push_back(1); // what is made here and is not read goes
        m_alias.emplace_back();
        return ValueId(m_values.size() - 1);
    }

    void substitute(std::size_t index) {
        const Substitution& each = m_substitutions[index];
        const Graph& made = each.fragment->graph;
        const auto first = std::find_if(each.replaced.begin(), each.replaced.end(), [](ValueId value) { return value.isValid(); });
        const Value root = m_values[first->index];
        const NodeId at = root.producer;
        std::vector<ValueId> mapped(made.values.size());
        for (std::size_t v = 0; v < made.values.size(); ++v) {
            mapped[v] = each.fragment->outer[v];
        }
        const bool behind =
            std::any_of(mapped.begin(), mapped.end(), [&](ValueId value) { return value.isValid() && m_values[value.index].producer == at; });
        keepWhatIsReadOfTheRoot(each, at, mapped);
        for (std::size_t k = 0; k < each.replaced.size(); ++k) {
            const ValueId replaced = each.replaced[k];
            const ValueId output = made.outputs[k];
            if (!replaced.isValid()) {
                continue;
            }
            detach(at, replaced);
            m_replaced.insert(replaced);
            if (!mapped[output.index].isValid() && made.value(output).producer.isValid()) {
                mapped[output.index] = replaced; // the new node makes it
                const bool open = made.value(output).type.element == ElementType::Undefined;
                m_values[replaced.index].type = open && k < each.types.size() ? each.types[k] : TensorType{};
                continue;
            }
            if (!mapped[output.index].isValid()) { // a constant made here
                mapped[output.index] = addMade(made.value(output), root.name, "value");
            }
            m_alias[replaced.index] = mapped[output.index];
        }
        for (std::size_t v = 0; v < made.values.size(); ++v) {
            if (!mapped[v].isValid()) {
                const Value& value = made.values[v];
                const std::string what = value.producer.isValid() ? made.node(value.producer).op.name : "constant";
                mapped[v] = addMade(value, root.name, what);
            }
        }
        const std::string& rootNode = m_graph.node(at).name;
        for (const Node& node : made.nodes) {
            Node copy = node;
            bool makesRoot = false;
            for (ValueId& operand : copy.operands) {
                operand = operand.isValid() ? mapped[operand.index] : operand;
            }
            for (ValueId& result : copy.results) {
                result = mapped[result.index];
                makesRoot = makesRoot || result == *first;
            }
            if (!rootNode.empty()) { // where nodes have names, new ones get some
                const std::string& value = m_values[copy.results.front().index].name;
                copy.name = !makesRoot ? value : behind ? m_names.fresh(root.name, node.op.name) : rootNode;
            }
            (behind ? m_after : m_before)[at.index].push_back({std::move(copy), index, {}});
        }
    }

    ValueId addMade(const Value& value, const std::string& root, const std::string& what) {
        Value copy;
        copy.name = m_names.fresh(root, what);
        copy.constant = value.constant;
        if (value.constant) {
            copy.type = value.type;
        }
        return add(std::move(copy));
    }

    /// The fragment may read what it replaces: then the old node's result goes on under another name.
    void keepWhatIsReadOfTheRoot(const Substitution& each, NodeId at, std::vector<ValueId>& mapped) {
        for (ValueId& value : mapped) {
            const bool read = value.isValid() && std::find(each.replaced.begin(), each.replaced.end(), value) != each.replaced.end();
            if (!read) {
                continue;
            }
            Value old = m_values[value.index];
            old.name = m_names.fresh(old.name, "before");
            const ValueId kept = add(std::move(old));
            for (ValueId& result : m_nodes[at.index].results) {
                result = result == value ? kept : result;
            }
            value = kept;
        }
    }

    void detach(NodeId at, ValueId replaced) {
        for (ValueId& result : m_nodes[at.index].results) {
            result = result == replaced ? ValueId() : result;
        }
        m_values[replaced.index].producer = {};
    }

    [[nodiscard]] ValueId resolved(ValueId value) const {
        while (value.isValid() && m_alias[value.index].isValid()) {
            value = m_alias[value.index];
        }
        return value;
    }

    /// Outputs that are replaced by values that were there already: these take over the name, or are copied where they have one to keep.
    void giveOutputs(std::size_t index) {
        for (const ValueId replaced : m_substitutions[index].replaced) {
            if (!replaced.isValid() || !m_alias[replaced.index].isValid() || !m_isOutput.contains(replaced)) {
                continue;
            }
            const ValueId target = resolved(replaced);
            const bool produced = m_values[target.index].producer.isValid() || m_replaced.contains(target);
            if (produced && !m_isOutput.contains(target) && m_taken.insert(target).second) {
                m_values[target.index].name = m_values[replaced.index].name;
                continue;
            }
            const NodeId at = m_graph.value(replaced).producer;
            Node copy;
            copy.op = {"", "Identity", identityVersion()};
            copy.name = m_graph.node(at).name;
            copy.operands = {m_alias[replaced.index]};
            copy.results = {replaced};
            m_alias[replaced.index] = {};
            m_values[replaced.index].type = {};
            m_before[at.index].push_back({std::move(copy), index, {}});
        }
    }

    [[nodiscard]] std::int64_t identityVersion() const {
        const auto opset = m_graph.opsets.find("");
        return opset == m_graph.opsets.end() ? 13 : opset->second;
    }

    void emit() {
        for (std::size_t n = 0; n < m_nodes.size(); ++n) {
            for (Placed& each : m_before[n]) {
                m_placed.push_back(std::move(each));
            }
            m_placed.push_back({std::move(m_nodes[n]), static_cast<std::size_t>(-1), n});
            for (Placed& each : m_after[n]) {
                m_placed.push_back(std::move(each));
            }
        }
        m_uses.assign(m_values.size(), 0);
        const auto use = [&](ValueId value) { m_uses[resolved(value).index] += 1; };
        for (Placed& each : m_placed) {
            for (ValueId& operand : each.node.operands) {
                if (operand.isValid()) {
                    operand = resolved(operand);
                    use(operand);
                }
            }
            visitCaptures(each.node, use);
        }
        for (const ValueId output : m_graph.outputs) {
            use(output);
        }
        // Readers stand behind what they read: one pass from the end finds all that is read no more.
        m_alive.assign(m_placed.size(), true);
        for (std::size_t p = m_placed.size(); p > 0; --p) {
            const Placed& each = m_placed[p - 1];
            if (!dies(each)) {
                continue;
            }
            m_alive[p - 1] = false;
            for (const ValueId operand : each.node.operands) {
                if (operand.isValid()) {
                    --m_uses[operand.index];
                }
            }
            visitCaptures(each.node, [&](ValueId value) { --m_uses[resolved(value).index]; });
        }
    }

    [[nodiscard]] bool dies(const Placed& placed) const {
        bool wasRead = !placed.old.has_value();
        for (const ValueId result : placed.node.results) {
            if (result.isValid() && m_uses[result.index] > 0) {
                return false;
            }
        }
        if (placed.old) {
            const std::vector<ValueId>& before = m_graph.nodes[*placed.old].results;
            wasRead = std::any_of(before.begin(), before.end(), [&](ValueId each) { return each.isValid() && m_usedBefore[each.index] > 0; });
        }
        return wasRead;
    }

    /// Captures of what was renamed, aliased or moved; null: as it was.
    [[nodiscard]] std::shared_ptr<const Graph> recaptured(const std::shared_ptr<const Graph>& nested, const std::vector<ValueId>& moved) const {
        const bool same = std::all_of(nested->captures.begin(), nested->captures.end(),
                                      [&](const Capture& each) { return moved[resolved(each.outer).index] == each.outer; });
        if (same) {
            return nested;
        }
        Graph copy = *nested;
        for (Capture& each : copy.captures) {
            each.outer = moved[resolved(each.outer).index];
        }
        return std::make_shared<const Graph>(std::move(copy));
    }

    void recapture(Node& node, const std::vector<ValueId>& moved) const {
        if (node.body) {
            node.body = recaptured(node.body, moved);
        }
        for (auto& [key, attribute] : node.attributes) {
            if (auto* nested = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
                *nested = recaptured(*nested, moved);
            } else if (auto* list = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
                for (std::shared_ptr<const Graph>& each : *list) {
                    each = recaptured(each, moved);
                }
            }
        }
    }

    Applied build() {
        Applied out;
        Graph& graph = out.graph;
        graph.name = m_graph.name;
        graph.outputNames = m_graph.outputNames;
        graph.symbols = m_graph.symbols;
        graph.opsets = m_graph.opsets;
        graph.definitions = m_graph.definitions;
        graph.notes = m_graph.notes;
        std::vector<bool> keeps(m_values.size());
        for (std::size_t v = 0; v < m_values.size(); ++v) {
            const bool leaf = v < m_graph.values.size() && !m_graph.values[v].producer.isValid();
            keeps[v] = leaf ? m_uses[v] > 0 || m_usedBefore[v] == 0 : m_uses[v] > 0 && !m_alias[v].isValid();
        }
        for (const ValueId input : m_graph.inputs) {
            keeps[input.index] = true;
        }
        for (std::size_t p = 0; p < m_placed.size(); ++p) {
            for (const ValueId result : m_placed[p].node.results) {
                if (result.isValid()) {
                    keeps[result.index] = keeps[result.index] || m_alive[p];
                }
            }
        }
        std::vector<ValueId> moved(m_values.size());
        for (std::size_t v = 0; v < m_values.size(); ++v) {
            if (keeps[v]) {
                m_values[v].producer = {};
                moved[v] = graph.addValue(std::move(m_values[v]));
            }
        }
        for (const ValueId input : m_graph.inputs) {
            graph.inputs.push_back(moved[input.index]);
        }
        for (const ValueId output : m_graph.outputs) {
            graph.outputs.push_back(moved[resolved(output).index]);
        }
        for (const Capture& each : m_graph.captures) {
            if (keeps[each.inner.index]) {
                graph.captures.push_back({moved[each.inner.index], each.outer});
            }
        }
        for (const Substitution& each : m_substitutions) {
            std::vector<ValueId>& now = out.now.emplace_back();
            for (const ValueId replaced : each.replaced) {
                now.push_back(replaced.isValid() ? moved[resolved(replaced).index] : ValueId());
            }
        }
        out.newNodes.resize(m_substitutions.size());
        for (std::size_t p = 0; p < m_placed.size(); ++p) {
            if (!m_alive[p]) {
                continue;
            }
            Node& node = m_placed[p].node;
            for (ValueId& operand : node.operands) {
                operand = operand.isValid() ? moved[operand.index] : operand;
            }
            for (ValueId& result : node.results) {
                result = result.isValid() ? moved[result.index] : result;
            }
            recapture(node, moved);
            const NodeId id = graph.addNode(std::move(node));
            if (m_placed[p].substitution < m_substitutions.size()) {
                out.newNodes[m_placed[p].substitution].push_back(id);
                const OpId& op = graph.node(id).op;
                graph.opsets.emplace(op.domain, op.version);
            }
        }
        return out;
    }

    const Graph& m_graph;
    std::span<const Substitution> m_substitutions;
    Names& m_names;
    std::vector<Value> m_values;
    std::vector<Node> m_nodes;
    std::vector<std::vector<Placed>> m_before; ///< by old node: what stands before it
    std::vector<std::vector<Placed>> m_after;  ///< and behind it, where it is read still
    std::vector<std::uint32_t> m_usedBefore;
    std::vector<ValueId> m_alias; ///< by value: what is read instead
    std::set<ValueId> m_isOutput;
    std::set<ValueId> m_replaced;
    std::set<ValueId> m_taken; ///< values that took an output's name
    std::vector<Placed> m_placed;
    std::vector<bool> m_alive;
    std::vector<std::uint32_t> m_uses;
};

} // namespace

Names::Names(const Graph& graph) {
    std::vector<const Graph*> stack{&graph};
    std::set<const Graph*> seen{&graph};
    while (!stack.empty()) {
        const Graph* at = stack.back();
        stack.pop_back();
        for (const Value& value : at->values) {
            m_used.insert(value.name);
        }
        for (const Node& node : at->nodes) {
            m_used.insert(node.name);
            if (!node.body && node.attributes.empty()) {
                continue;
            }
            for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
                if (nested && seen.insert(nested.get()).second) {
                    stack.push_back(nested.get());
                }
            }
        }
    }
}

std::string Names::fresh(const std::string& root, const std::string& what) {
    const auto known = m_root.find(root);
    const std::string first = known == m_root.end() ? root : known->second;
    const std::string wanted = first + "_" + what;
    std::string name = wanted;
    std::size_t& next = m_next.try_emplace(wanted, 2).first->second;
    while (!m_used.insert(name).second) {
        name = wanted + "_" + std::to_string(next++);
    }
    m_root.emplace(name, first);
    return name;
}

std::optional<std::string> refusal(const Graph& graph, const Substitution& substitution) {
    for (std::size_t k = 0; k < substitution.replaced.size(); ++k) {
        const ValueId replaced = substitution.replaced[k];
        const ValueId output = substitution.fragment->graph.outputs[k];
        if (!replaced.isValid()) {
            continue;
        }
        const ValueId same = substitution.fragment->outer[output.index];
        if (same == replaced) {
            return "the replacement is what it replaces";
        }
        const bool isOutput = std::find(graph.outputs.begin(), graph.outputs.end(), replaced) != graph.outputs.end();
        if (!isOutput) {
            continue;
        }
        const bool ofItsOwn = same.isValid() && graph.value(same).producer.isValid() &&
                              std::find(graph.outputs.begin(), graph.outputs.end(), same) == graph.outputs.end();
        const bool aliased = same.isValid() ? !ofItsOwn : substitution.fragment->graph.value(output).constant.has_value();
        const Node& node = graph.node(graph.value(replaced).producer);
        if (aliased && node.op.domain.empty() && node.op.name == "Identity") {
            return "a graph output needs a node of its own: what would replace it is an input, a constant or another output";
        }
    }
    return std::nullopt;
}

Applied applySubstitutions(const Graph& graph, const Graph& before, std::span<const Substitution> substitutions, Names& names) {
    return Application(graph, before, substitutions, names).run();
}

} // namespace lemmascope::rewrite
