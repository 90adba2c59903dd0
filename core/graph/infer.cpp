#include "core/graph/infer.h"

#include "core/graph/infer_frame.h"
#include "core/graph/ops/element_arithmetic.h"
#include "core/graph/ops/float_folding.h"
#include "core/graph/ops/op_block.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace lemmascope {

namespace {

constexpr std::size_t MaxDepth = 1000;
constexpr std::size_t MaxNodes = 4'000'000;
constexpr std::size_t MaxTrials = 64;
constexpr std::string_view OwnPrefix = "lemmascope."; // attributes that only say how a node is written in our JSON

bool isOpaque(const Dim& dim) {
    const std::optional<std::string> symbol = dim.symbolName();
    return symbol && symbol->front() == '?';
}

bool attributeHasKind(const Attribute& attribute, char kind) {
    switch (kind) {
    case 'i': return std::holds_alternative<std::int64_t>(attribute);
    case 'f': return std::holds_alternative<float>(attribute);
    case 's': return std::holds_alternative<std::string>(attribute);
    case 'e': return std::holds_alternative<std::int64_t>(attribute) || std::holds_alternative<std::string>(attribute);
    case 'I': return std::holds_alternative<std::vector<std::int64_t>>(attribute);
    case 'F': return std::holds_alternative<std::vector<float>>(attribute);
    case 'S': return std::holds_alternative<std::vector<std::string>>(attribute);
    case 't': return std::holds_alternative<Tensor>(attribute);
    case 'g': return std::holds_alternative<std::shared_ptr<const Graph>>(attribute);
    default: return true;
    }
}

std::string_view kindName(char kind) {
    switch (kind) {
    case 'i': return "an integer";
    case 'f': return "a float";
    case 's': return "a string";
    case 'e': return "an element type";
    case 'I': return "a list of integers";
    case 'F': return "a list of floats";
    case 'S': return "a list of strings";
    case 't': return "a tensor";
    default: return "a graph";
    }
}

std::string_view kindOf(const Attribute& attribute) {
    for (const char kind : {'i', 'f', 's', 'I', 'F', 'S', 't', 'g'}) {
        if (attributeHasKind(attribute, kind)) {
            return kindName(kind);
        }
    }
    return "a list of graphs";
}

bool isEmptyList(const Attribute& attribute) {
    const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute);
    const auto* floats = std::get_if<std::vector<float>>(&attribute);
    const auto* strings = std::get_if<std::vector<std::string>>(&attribute);
    return (integers != nullptr && integers->empty()) || (floats != nullptr && floats->empty()) || (strings != nullptr && strings->empty());
}

void checkAttributes(InferContext& c, const OpRule& rule) {
    for (const auto& entry : c.node().attributes) {
        const std::string& key = entry.first; // clang 14 captures no structured bindings
        const Attribute& attribute = entry.second;
        const auto at = std::find_if(rule.attributes.begin(), rule.attributes.end(), [&key](const AttributeKind& each) { return each.name == key; });
        if (at == rule.attributes.end()) {
            // ONNX Runtime refuses such a node too: most often it is written for another opset (axes, Clip's min), and a reader
            // that ignored the attribute would give it another meaning.
            if (rule.schema->domain.empty() && key != "consumed_inputs" && key.compare(0, OwnPrefix.size(), OwnPrefix) != 0) {
                c.fail(std::string(rule.schema->name) + " of opset " + std::to_string(c.node().op.version) + " has no attribute '" + key + "'");
                return;
            }
            continue;
        }
        if (attributeHasKind(attribute, at->kind) || (at->kind < 'a' && isEmptyList(attribute))) {
            continue;
        }
        c.fail("attribute '" + key + "' is " + std::string(kindOf(attribute)) + ", expected " + std::string(kindName(at->kind)));
        return;
    }
}

void checkOperandCount(InferContext& c, const OpSchema& schema) {
    std::size_t count = c.operandCount();
    while (count > 0 && !c.has(count - 1)) {
        --count;
    }
    const auto least = static_cast<std::size_t>(schema.minOperands);
    const bool tooMany = schema.maxOperands >= 0 && count > static_cast<std::size_t>(schema.maxOperands);
    if (count < least || tooMany) {
        std::string expected = std::to_string(schema.minOperands);
        if (schema.maxOperands < 0) {
            expected = "at least " + expected;
        } else if (schema.maxOperands != schema.minOperands) {
            expected += " to " + std::to_string(schema.maxOperands);
        }
        c.fail(c.node().op.text() + " has " + counted(count, "operand") + ", expected " + expected);
        return;
    }
    for (std::size_t i = 0; i < least; ++i) {
        if (!c.has(i)) {
            c.fail("operand " + std::to_string(i) + " is missing");
            return;
        }
    }
}

// Lengths are 0 or more, and their product stays in 64 bits.
void checkResults(InferContext& c) {
    for (std::size_t k = 0; k < c.resultCount() && !c.failed(); ++k) {
        const std::optional<Shape>& shape = c.results()[k].type.shape;
        if (!shape) {
            continue;
        }
        std::int64_t count = 1;
        for (std::size_t axis = 0; axis < shape->size(); ++axis) {
            const Dim& length = (*shape)[axis];
            if (length.isKnown() && length.value() < 0) {
                c.fail("result " + std::to_string(k) + " has the length " + length.text() + " on axis " + std::to_string(axis) +
                       ", expected 0 or more");
                return;
            }
            const std::int64_t factor = length.isKnown() ? std::max<std::int64_t>(length.value(), 1) : 1;
            if (length.overflowed() || __builtin_mul_overflow(count, factor, &count)) {
                c.fail("result " + std::to_string(k) + " of shape " + text(*shape) + " has more than 2^63 - 1 elements", ErrorCode::TooLarge);
                return;
            }
        }
    }
}

// Nodes of a graph and of all graphs nested in it, each as often as it stands there: a function that is called twice counts
// twice, so a small file may be very large written out. Each graph is counted once. Stops at MaxNodes + 1.
std::size_t writtenOutNodes(const Graph& top) {
    std::unordered_map<const Graph*, std::size_t> counts;
    std::vector<const Graph*> stack{&top};
    while (!stack.empty()) {
        const Graph* graph = stack.back();
        if (counts.count(graph) != 0) {
            stack.pop_back();
            continue;
        }
        std::size_t count = graph->nodes.size();
        bool ready = true;
        for (const Node& node : graph->nodes) {
            if (!node.body && node.attributes.empty()) {
                continue;
            }
            for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
                if (nested == nullptr) {
                    continue;
                }
                const auto known = counts.find(nested.get());
                if (known == counts.end()) {
                    stack.push_back(nested.get());
                    ready = false;
                } else {
                    count = std::min(count + known->second, MaxNodes + 1);
                }
            }
        }
        if (ready) {
            counts.emplace(graph, count);
            stack.pop_back();
        }
    }
    return counts.at(&top);
}

class Naming final : public NodeNaming {
  public:
    Naming(InferFrame& frame, NodeId node) : m_frame(frame), m_node(node) {}
    [[nodiscard]] Digest128 nodeDigest() override { return lemmascope::nodeDigest(m_frame, m_node); }
    [[nodiscard]] std::string displayName() const override { return m_frame.graph.displayName(m_node); }

  private:
    InferFrame& m_frame;
    NodeId m_node;
};

class Inference {
  public:
    Inference(const InferOptions& options, std::stop_token stop) : m_stop(std::move(stop)), m_questions(options.questions) {
        for (const auto& [symbol, length] : options.renamed) {
            m_substitution.insert_or_assign(symbol, length);
        }
        for (const auto& [symbol, length] : options.sizes) {
            m_substitution.insert_or_assign(symbol, Dim(length));
        }
    }

    Result<std::shared_ptr<const Graph>> run(const Graph& graph) {
        if (writtenOutNodes(graph) > MaxNodes) {
            return tooManyNodes();
        }
        m_order = DimOrder(substitutedLowest(graph));
        m_order.askInto(m_questions);
        m_top = &graph;
        Graph top = graph;
        substituteRanges(top);
        if (auto pushed = push(std::move(top), nullptr, {}, {}); !pushed) {
            return tl::unexpected<Error>(pushed.error());
        }
        while (true) {
            InferFrame& frame = *m_frames.back();
            if (frame.next < frame.graph.nodes.size()) {
                if (auto done = step(frame); !done) {
                    Result<bool> recovered = recover(done.error());
                    if (!recovered) {
                        return tl::unexpected<Error>(recovered.error());
                    }
                    if (!*recovered) {
                        return tl::unexpected<Error>(done.error());
                    }
                }
                continue;
            }
            if (nextTrial(frame.trials, nullptr)) {
                if (auto again = inferAnew(); !again) {
                    return tl::unexpected<Error>(again.error());
                }
                continue;
            }
            std::shared_ptr<const Graph> finished = finish(frame);
            if (m_frames.size() == 1) {
                return finished;
            }
            NestedResult result{frame.request.role, finished, {}, {}};
            for (const ValueId output : finished->outputs) {
                result.outputs.push_back(output.isValid() ? frame.facts.at(output.index) : ValueFacts{});
            }
            // Constants of the nested graph live on in the shared graph; those of its Constant nodes move to the outer frame.
            adoptConstants(frame, result);
            frame.outer->done.push_back(std::move(result));
            m_frames.pop_back();
        }
    }

  private:
    static tl::unexpected<Error> tooManyNodes() {
        return fail(ErrorCode::TooLarge, "the graph has more than " + std::to_string(MaxNodes) + " nodes, counting nested graphs");
    }

    std::map<std::string, std::int64_t> substitutedLowest(const Graph& graph) const {
        std::map<std::string, std::int64_t> lowest;
        for (const auto& [symbol, range] : graph.symbols) {
            const auto at = m_substitution.find(symbol);
            const std::optional<std::string> renamed = at == m_substitution.end() ? symbol : at->second.symbolName();
            if (renamed) {
                const auto known = lowest.find(*renamed);
                lowest[*renamed] = known == lowest.end() ? range.low : std::min(known->second, range.low);
            }
        }
        return lowest;
    }

    void substituteRanges(Graph& graph) const {
        std::map<std::string, IntegerRange> ranges;
        for (const auto& [symbol, range] : graph.symbols) {
            const auto at = m_substitution.find(symbol);
            const std::optional<std::string> renamed = at == m_substitution.end() ? symbol : at->second.symbolName();
            if (renamed) {
                ranges.emplace(*renamed, range);
            }
        }
        graph.symbols = std::move(ranges);
    }

    [[nodiscard]] TensorType substituted(TensorType type) const {
        if (type.shape && !m_substitution.empty()) {
            for (Dim& dim : *type.shape) {
                dim = dim.substituted(m_substitution);
            }
        }
        return type;
    }

    /// The innermost graph from its start, with what its trials have found.
    Result<void> inferAnew() {
        InferFrame& frame = *m_frames.back();
        BranchTrials trials = std::move(frame.trials);
        InferFrame* outer = frame.outer;
        const NodeId outerNode = frame.outerNode;
        NestedRequest request = std::move(frame.request);
        Graph graph = m_frames.size() == 1 ? *m_top : *request.graph;
        if (m_frames.size() == 1) {
            substituteRanges(graph);
        }
        m_frames.pop_back();
        if (auto pushed = push(std::move(graph), outer, outerNode, std::move(request)); !pushed) {
            return pushed;
        }
        m_frames.back()->trials = std::move(trials);
        return {};
    }

    /// The branches of the node gave different ranks: the graph is inferred with each in turn, unless one trial is under way in it already.
    bool startsTrial(InferFrame& frame) {
        const auto index = static_cast<std::uint32_t>(frame.next);
        const bool differ = std::exchange(frame.ranksDiffer, false);
        if (!differ || frame.trials.node || frame.trials.open.contains(index) || m_trials >= MaxTrials) {
            return false;
        }
        // Four more times at most; graphs are counted as they are inferred.
        const std::size_t size = writtenOutNodes(m_frames.size() == 1 ? *m_top : *frame.request.graph);
        if (size > MaxNodes / 8 || m_nodeCount > MaxNodes / 2 - 4 * size) {
            return false;
        }
        ++m_trials;
        frame.trials.node = index;
        frame.trials.taken = true;
        return true;
    }

    Result<void> push(Graph graph, InferFrame* outer, NodeId outerNode, NestedRequest request) {
        graph.requiredBranches.clear();
        m_nodeCount += graph.nodes.size();
        if (m_frames.size() >= MaxDepth) {
            return fail(ErrorCode::TooLarge, "graphs are nested more than " + std::to_string(MaxDepth) + " deep");
        }
        if (m_nodeCount > MaxNodes) {
            return tooManyNodes(); // loop bodies are inferred more than once
        }
        auto frame = std::make_unique<InferFrame>();
        frame->graph = std::move(graph);
        frame->outer = outer;
        frame->outerNode = outerNode;
        frame->request = std::move(request);
        const std::size_t count = frame->graph.values.size();
        frame->facts.resize(count);
        frame->from.resize(count);
        for (std::size_t v = 0; v < count; ++v) {
            Value& value = frame->graph.values[v];
            value.type = substituted(std::move(value.type));
            value.elements.reset();
            ValueFacts& facts = frame->facts[v];
            if (value.constant) {
                facts = constantFacts(*value.constant);
            } else if (!value.producer.isValid()) {
                facts.type = value.type;
            }
        }
        for (const Capture& capture : frame->graph.captures) {
            if (outer != nullptr && capture.inner.index < count && capture.outer.index < outer->facts.size()) {
                bind(*frame, capture.inner, outer->facts[capture.outer.index], capture.outer);
            }
        }
        const std::vector<ValueFacts>& given = frame->request.inputs;
        for (std::size_t k = 0; k < std::min(given.size(), frame->graph.inputs.size()); ++k) {
            const ValueId inner = frame->graph.inputs[k];
            bind(*frame, inner, given[k], k < frame->request.inputsFrom.size() ? frame->request.inputsFrom[k] : ValueId());
        }
        m_frames.push_back(std::move(frame));
        return {};
    }

    static ValueFacts constantFacts(const Tensor& tensor) {
        ValueFacts facts;
        facts.type = TensorType{tensor.element(), Shape(tensor.shape().begin(), tensor.shape().end())};
        facts.constant = &tensor;
        const bool integral = isInteger(tensor.element()) || tensor.element() == ElementType::Bool;
        if (integral && tensor.count() <= MaxTrackedElements && byteSize(tensor.element()) > 0) {
            std::vector<Dim> elements;
            elements.reserve(static_cast<std::size_t>(tensor.count()));
            for (std::int64_t k = 0; k < tensor.count(); ++k) {
                const std::int64_t element = tensor.toInt64(k);
                if (tensor.element() == ElementType::U64 && element < 0) {
                    return facts;
                }
                elements.emplace_back(element);
            }
            facts.elements = std::make_shared<const std::vector<Dim>>(std::move(elements));
        }
        return facts;
    }

    void bind(InferFrame& frame, ValueId inner, const ValueFacts& facts, ValueId from) {
        frame.facts[inner.index] = facts;
        frame.from[inner.index] = from;
        fillFromDeclared(frame, inner);
    }

    void fillFromDeclared(InferFrame& frame, ValueId id) {
        Value& value = frame.graph.values[id.index];
        bool conflict = false;
        TensorType& type = frame.facts[id.index].type;
        type = filledType(type, value.type, conflict);
        if (conflict) {
            frame.graph.notes.push_back("value '" + value.name + "' is declared " + value.type.text() + " but is " + type.text() +
                                        ": the inferred type is used");
        }
        value.type = type;
    }

    Result<void> step(InferFrame& frame) {
        if ((++m_steps & 0x3FFU) == 0 && m_stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "cancelled");
        }
        const NodeId id(frame.next);
        const Node& node = frame.graph.nodes[frame.next];
        m_operands.assign(node.operands.size(), nullptr);
        for (std::size_t i = 0; i < node.operands.size(); ++i) {
            if (node.operands[i].isValid()) {
                m_operands[i] = &frame.facts.at(node.operands[i].index);
            }
        }
        const OpRule* rule = node.body ? nullptr : findRule(node.op);
        Naming naming(frame, id);
        InferContext context(node, rule == nullptr ? 0 : rule->schema->sinceVersion, m_operands, naming, m_order);
        if (rule != nullptr && frame.done.empty()) {
            checkOperandCount(context, *rule->schema);
            checkAttributes(context, *rule);
        }
        if (!context.failed()) {
            if (std::optional<NestedRequest> request = nextNested(frame, context)) {
                Graph nested = *request->graph;
                return push(std::move(nested), &frame, id, std::move(*request));
            }
        }
        if (!context.failed() && rule != nullptr && rule->rule != nullptr) {
            rule->rule(context);
            foldSmallFloats(context);
        }
        if (!context.failed()) {
            checkResults(context);
        }
        if (context.failed()) {
            return tl::unexpected<Error>(context.error());
        }
        if (startsTrial(frame)) {
            return inferAnew();
        }
        if (const auto settled = frame.trials.settled.find(static_cast<std::uint32_t>(frame.next)); settled != frame.trials.settled.end()) {
            frame.graph.requiredBranches[settled->first] = settled->second;
            frame.graph.notes.push_back("node '" + frame.graph.displayName(id) + "' must take its " +
                                        (settled->second ? "then_branch" : "else_branch") + ": with the other, " +
                                        frame.trials.why.at(settled->first));
        }
        store(frame, node, context);
        keepNested(frame.graph.nodes[frame.next], frame.done);
        frame.done.clear();
        frame.rounds = 0;
        ++frame.next;
        return {};
    }

    void store(InferFrame& frame, const Node& node, InferContext& context) {
        for (std::size_t k = 0; k < node.results.size(); ++k) {
            const ValueId id = node.results[k];
            if (!id.isValid()) {
                continue;
            }
            ValueFacts& facts = frame.facts[id.index];
            if (context.madeConstants()[k]) {
                frame.madeConstants.push_back(std::move(*context.madeConstants()[k]));
                facts = constantFacts(frame.madeConstants.back());
            } else {
                facts = std::move(context.results()[k]);
            }
            fillFromDeclared(frame, id);
        }
    }

    // The node's nested graphs become the inferred ones.
    static void keepNested(Node& node, std::vector<NestedResult>& done) {
        if (done.empty()) {
            return;
        }
        std::map<std::string, std::shared_ptr<const Graph>> byRole;
        for (NestedResult& each : done) {
            byRole[each.role] = std::move(each.graph);
        }
        if (const auto body = byRole.find("body"); node.body && body != byRole.end()) {
            node.body = body->second;
        }
        for (auto& [key, attribute] : node.attributes) {
            if (std::holds_alternative<std::shared_ptr<const Graph>>(attribute)) {
                // The role of a fused body is "body" too; no op has both.
                if (const auto at = byRole.find(key); at != byRole.end() && !node.body) {
                    attribute = at->second;
                }
            } else if (auto* list = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
                for (std::size_t k = 0; k < list->size(); ++k) {
                    if (const auto at = byRole.find(key + "[" + std::to_string(k) + "]"); at != byRole.end()) {
                        (*list)[k] = at->second;
                    }
                }
            }
        }
    }

    // An error inside a graph that need not be right ends that graph, as declared; in a graph in which a branch is being tried, it answers
    // that trial. False when no such graph is open.
    Result<bool> recover(const Error& error) {
        if (error.code != ErrorCode::ShapeMismatch) {
            return false;
        }
        for (std::size_t k = m_frames.size(); k > 0; --k) {
            InferFrame& frame = *m_frames[k - 1];
            if (nextTrial(frame.trials, &error)) {
                m_frames.resize(k);
                if (auto again = inferAnew(); !again) {
                    return tl::unexpected<Error>(again.error());
                }
                return true;
            }
            if (!frame.request.lenient || k == 1) {
                continue;
            }
            NestedResult result{frame.request.role, finish(frame), {}, error}; // with the types found so far
            frame.outer->done.push_back(std::move(result));
            m_frames.resize(k - 1);
            return true;
        }
        return false;
    }

    static std::shared_ptr<const Graph> finish(InferFrame& frame) {
        for (std::size_t v = 0; v < frame.facts.size(); ++v) {
            frame.graph.values[v].type = frame.facts[v].type;
            frame.graph.values[v].elements = frame.facts[v].elements;
        }
        return std::make_shared<const Graph>(std::move(frame.graph));
    }

    static void adoptConstants(InferFrame& frame, NestedResult& result) {
        for (ValueFacts& output : result.outputs) {
            for (Tensor& made : frame.madeConstants) {
                if (output.constant == &made) {
                    frame.outer->madeConstants.push_back(made);
                    output.constant = &frame.outer->madeConstants.back();
                    break;
                }
            }
        }
    }

    std::stop_token m_stop;
    std::map<std::string, Dim> m_substitution;
    std::vector<DimQuestion>* m_questions;
    DimOrder m_order;
    std::vector<std::unique_ptr<InferFrame>> m_frames;
    std::vector<const ValueFacts*> m_operands;
    const Graph* m_top = nullptr;
    std::size_t m_nodeCount = 0;
    std::size_t m_trials = 0;
    std::uint64_t m_steps = 0;
};

} // namespace

TensorType filledType(const TensorType& inferred, const TensorType& declared, bool& conflict) {
    TensorType out = inferred;
    if (out.element == ElementType::Undefined) {
        out.element = declared.element;
    } else {
        conflict = conflict || (declared.element != ElementType::Undefined && declared.element != out.element);
    }
    if (!declared.shape) {
        return out;
    }
    if (!out.shape) {
        out.shape = declared.shape;
        return out;
    }
    if (out.shape->size() != declared.shape->size()) {
        conflict = true;
        return out;
    }
    for (std::size_t axis = 0; axis < out.shape->size(); ++axis) {
        Dim& length = (*out.shape)[axis];
        const Dim& other = (*declared.shape)[axis];
        if (length.isKnown() && other.isKnown()) {
            conflict = conflict || length.value() != other.value();
        } else if (isOpaque(length) && other.isKnown() && other.value() >= 0) {
            // A declared symbol would claim that two unknowns of one name are equal; a number claims only itself.
            length = other;
        }
    }
    return out;
}

Result<std::shared_ptr<const Graph>> inferTypes(const Graph& graph, const InferOptions& options, std::stop_token stop) {
    return Inference(options, std::move(stop)).run(graph);
}

} // namespace lemmascope
