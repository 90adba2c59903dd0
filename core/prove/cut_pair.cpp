// The failing part of a pair as two small graphs, so that it can be tried again under another assumption.
// Tests: tests/core/prove/tst_condition.cpp.

#include "core/prove/cut_pair.h"

#include <algorithm>
#include <map>
#include <set>

namespace lemmascope {

namespace {

constexpr std::size_t MostRounds = 40;

/// One graph while it is cut.
class SideCut {
  public:
    SideCut(const GraphTree& tree, const GraphTerms& terms, std::vector<ValueId> outputs)
        : m_graph(tree.top()), m_terms(terms), m_outputs(std::move(outputs)) {}

    /// Walks up from the outputs and stops at `frontier`; false when too many nodes are met.
    bool walk(const std::set<TermId>& frontier, bool whole, std::size_t mostNodes);

    std::set<TermId> stops;         ///< terms of the frontier that were met
    std::vector<ValueId> inputs;    ///< graph inputs met, in order of ids
    std::vector<ValueId> constants; ///< constants met
    std::vector<bool> nodes;        ///< kept

    [[nodiscard]] const Graph& graph() const { return m_graph; }
    [[nodiscard]] TermId term(ValueId value) const { return m_terms.values[value.index]; }
    [[nodiscard]] const std::vector<ValueId>& outputs() const { return m_outputs; }

  private:
    const Graph& m_graph;
    const GraphTerms& m_terms;
    std::vector<ValueId> m_outputs;
};

std::vector<ValueId> readsOf(const Node& node) {
    std::vector<ValueId> out = node.operands;
    for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
        for (const Capture& capture : nested->captures) {
            out.push_back(capture.outer);
        }
    }
    return out;
}

bool SideCut::walk(const std::set<TermId>& frontier, bool whole, std::size_t mostNodes) {
    stops.clear();
    inputs.clear();
    constants.clear();
    nodes.assign(m_graph.nodes.size(), whole);
    std::vector<bool> seen(m_graph.values.size(), false);
    std::vector<ValueId> stack = m_outputs;
    std::size_t kept = whole ? m_graph.nodes.size() : 0;
    for (const Node& node : whole ? m_graph.nodes : std::vector<Node>{}) {
        const std::vector<ValueId> reads = readsOf(node);
        stack.insert(stack.end(), reads.begin(), reads.end());
    }
    while (!stack.empty() && kept <= mostNodes) {
        const ValueId at = stack.back();
        stack.pop_back();
        if (!at.isValid() || seen[at.index]) {
            continue;
        }
        seen[at.index] = true;
        const Value& value = m_graph.value(at);
        if (value.constant) {
            constants.push_back(at);
            continue;
        }
        if (!value.producer.isValid()) {
            inputs.push_back(at);
            continue;
        }
        if (const TermId here = term(at); here.isValid() && frontier.contains(here)) {
            stops.insert(here);
            continue;
        }
        if (!whole && !nodes[value.producer.index]) {
            nodes[value.producer.index] = true;
            ++kept;
        }
        const std::vector<ValueId> reads = readsOf(m_graph.node(value.producer));
        stack.insert(stack.end(), reads.begin(), reads.end());
    }
    std::sort(inputs.begin(), inputs.end());
    std::sort(constants.begin(), constants.end());
    return kept <= mostNodes;
}

/// A value that may become an input: its type says all that inference needs to know of it.
bool mayBeCut(const Value& value) {
    if (!value.type.shape || value.elements || value.constant || (!isFloat(value.type.element) && value.type.element != ElementType::Bool)) {
        return false;
    }
    return std::all_of(value.type.shape->begin(), value.type.shape->end(), [](const Dim& dim) {
        const std::optional<std::string> symbol = dim.symbolName();
        return dim.isKnown() || (symbol && !symbol->starts_with("?"));
    });
}

/// The types of the values that have each term, where all of them may be cut and have the same type.
std::map<TermId, ValueId> cuttable(const SideCut& side) {
    std::map<TermId, ValueId> out;
    std::set<TermId> barred;
    for (std::size_t v = 0; v < side.graph().values.size(); ++v) {
        const ValueId id(v);
        const TermId term = side.term(id);
        if (!term.isValid()) {
            continue;
        }
        const auto [at, fresh] = out.try_emplace(term, id);
        if (!mayBeCut(side.graph().value(id)) || (!fresh && !(side.graph().value(at->second).type == side.graph().value(id).type))) {
            barred.insert(term);
        }
    }
    for (const TermId term : barred) {
        out.erase(term);
    }
    return out;
}

class Compaction {
  public:
    Compaction(const SideCut& side, Graph& out, std::vector<FlatNodeId>& originals) : m_side(side), m_out(out), m_originals(originals) {
        m_out = Graph();
        m_out.name = side.graph().name;
        m_out.symbols = side.graph().symbols;
        m_out.opsets = side.graph().opsets;
        m_out.definitions = side.graph().definitions;
        m_newId.resize(side.graph().values.size());
    }

    /// Every value of `term` is this new input or constant; `like`: one of them (or one of the other graph).
    ValueId source(TermId term, const Value& like, const std::string& name, bool input) {
        Value value = like;
        value.producer = {};
        value.name = name;
        const ValueId id = m_out.addValue(std::move(value));
        m_names.insert(name);
        if (input) {
            m_out.inputs.push_back(id);
        }
        if (term.isValid()) {
            m_sources[term] = id;
        }
        return id;
    }
    void assign(ValueId old, ValueId fresh) { m_newId[old.index] = fresh; }

    void copy(const std::vector<std::string>& outputNames) {
        const Graph& graph = m_side.graph();
        for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
            if (!m_side.nodes[n]) {
                continue;
            }
            Node node = graph.nodes[n];
            for (ValueId& operand : node.operands) {
                operand = mapped(operand);
            }
            for (ValueId& result : node.results) {
                result = result.isValid() ? fresh(result) : result;
            }
            remapCaptures(node);
            m_out.addNode(std::move(node));
            m_originals.emplace_back(n);
        }
        for (std::size_t o = 0; o < m_side.outputs().size(); ++o) {
            m_out.outputs.push_back(mapped(m_side.outputs()[o]));
            m_out.outputNames.push_back(outputNames[o]);
        }
    }

  private:
    const SideCut& m_side;
    Graph& m_out;
    std::vector<FlatNodeId>& m_originals;
    std::vector<ValueId> m_newId;
    std::map<TermId, ValueId> m_sources;
    std::set<std::string> m_names;

    ValueId fresh(ValueId old) {
        Value value = m_side.graph().value(old);
        value.producer = {};
        while (!value.name.empty() && m_names.contains(value.name)) {
            value.name += "'";
        }
        m_names.insert(value.name);
        return m_newId[old.index] = m_out.addValue(std::move(value));
    }
    ValueId mapped(ValueId old) {
        if (!old.isValid()) {
            return old;
        }
        if (const auto at = m_sources.find(m_side.term(old)); m_side.term(old).isValid() && at != m_sources.end()) {
            return at->second;
        }
        return m_newId[old.index].isValid() ? m_newId[old.index] : fresh(old);
    }
    std::shared_ptr<const Graph> recaptured(const std::shared_ptr<const Graph>& nested) {
        if (nested->captures.empty()) {
            return nested;
        }
        auto out = std::make_shared<Graph>(*nested);
        for (Capture& capture : out->captures) {
            capture.outer = mapped(capture.outer);
        }
        return out;
    }
    void remapCaptures(Node& node) {
        if (node.body) {
            node.body = recaptured(node.body);
        }
        for (auto& [key, attribute] : node.attributes) {
            if (auto* graph = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
                *graph = recaptured(*graph);
            } else if (auto* list = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
                for (auto& one : *list) {
                    one = recaptured(one);
                }
            }
        }
    }
};

} // namespace

std::optional<CutPair> cutAtShared(const CutRequest& request) {
    std::vector<ValueId> mine;
    std::vector<ValueId> theirs;
    for (const auto& [reference, rewritten] : request.outputs) {
        mine.push_back(reference);
        theirs.push_back(rewritten);
    }
    SideCut reference(*request.reference, *request.referenceTerms, mine);
    SideCut rewritten(*request.rewritten, *request.rewrittenTerms, theirs);
    const std::map<TermId, ValueId> referenceValues = cuttable(reference);
    const std::map<TermId, ValueId> rewrittenValues = cuttable(rewritten);
    std::set<TermId> frontier;
    for (const auto& [term, value] : request.whole ? std::map<TermId, ValueId>{} : referenceValues) {
        const auto at = rewrittenValues.find(term);
        if (at != rewrittenValues.end() && reference.graph().value(value).type == rewritten.graph().value(at->second).type) {
            frontier.insert(term);
        }
    }
    for (const ValueId input : reference.graph().inputs) {
        frontier.erase(reference.term(input)); // a copy of an input is the input
    }
    // What only one side stops at hides from the other what it is made of: not there, then.
    bool settled = false;
    for (std::size_t round = 0; round < MostRounds && !settled; ++round) {
        if (round + 1 == MostRounds) {
            frontier.clear();
        }
        (void)reference.walk(frontier, request.whole, Id<void>::Invalid);
        (void)rewritten.walk(frontier, request.whole, Id<void>::Invalid);
        std::vector<TermId> lonely;
        std::set_symmetric_difference(reference.stops.begin(), reference.stops.end(), rewritten.stops.begin(), rewritten.stops.end(),
                                      std::back_inserter(lonely));
        settled = lonely.empty();
        for (const TermId term : lonely) {
            frontier.erase(term);
        }
    }
    if (!reference.walk(frontier, request.whole, request.mostNodes) || !rewritten.walk(frontier, request.whole, request.mostNodes)) {
        return std::nullopt;
    }
    CutPair out;
    Compaction first(reference, out.reference, out.referenceNodes);
    Compaction second(rewritten, out.rewritten, out.rewrittenNodes);
    const auto add = [&](CutSource::Kind kind, ValueId value, ValueId other, TermId term) {
        const Value& like = reference.graph().value(value);
        CutSource source;
        source.kind = kind;
        source.name = like.name;
        source.type = like.type;
        source.original = FlatValueId(value.index);
        const bool input = kind != CutSource::Kind::Constant;
        source.reference = first.source(term, like, like.name, input);
        source.rewritten = second.source(term, like, like.name, input);
        first.assign(value, source.reference);
        if (other.isValid()) {
            second.assign(other, source.rewritten);
        }
        out.sources.push_back(std::move(source));
    };
    for (const ValueId input : reference.graph().inputs) {
        const auto pair = std::find_if(request.inputs.begin(), request.inputs.end(), [&](const auto& one) { return one.first == input; });
        const ValueId other = pair == request.inputs.end() ? ValueId() : pair->second;
        const bool read = std::find(reference.inputs.begin(), reference.inputs.end(), input) != reference.inputs.end() ||
                          (other.isValid() && std::find(rewritten.inputs.begin(), rewritten.inputs.end(), other) != rewritten.inputs.end());
        if (read) {
            add(CutSource::Kind::Input, input, other, TermId());
        }
    }
    for (const ValueId input : rewritten.inputs) {
        if (std::none_of(request.inputs.begin(), request.inputs.end(), [&](const auto& one) { return one.second == input; })) {
            return std::nullopt;
        }
    }
    // In the order of the reference, so that nothing depends on how terms are numbered.
    std::vector<ValueId> inner;
    for (const TermId term : reference.stops) {
        inner.push_back(referenceValues.at(term));
    }
    std::sort(inner.begin(), inner.end());
    for (const ValueId value : inner) {
        add(CutSource::Kind::Inner, value, ValueId(), reference.term(value));
    }
    std::map<TermId, ValueId> theirConstants;
    for (const ValueId value : rewritten.constants) {
        if (rewritten.term(value).isValid()) {
            theirConstants.try_emplace(rewritten.term(value), value);
        }
    }
    std::set<TermId> taken;
    for (const ValueId value : reference.constants) {
        const TermId term = reference.term(value);
        const auto at = term.isValid() ? theirConstants.find(term) : theirConstants.end();
        if (at == theirConstants.end() || taken.contains(term) || !reference.graph().value(value).type.shape ||
            !(reference.graph().value(value).type == rewritten.graph().value(at->second).type)) {
            continue;
        }
        taken.insert(term);
        add(CutSource::Kind::Constant, value, at->second, term);
    }
    first.copy(request.outputNames);
    second.copy(request.outputNames);
    return out;
}

} // namespace lemmascope
