// Digests of computations, on an explicit stack over values of the frames; nested graphs are written out as text in which
// values are numbered by first occurrence, so that names and unrelated values do not matter.

#include "core/graph/attribute_defaults.h"
#include "core/graph/infer_frame.h"
#include "core/graph/ops/op_block.h"

#include <cstring>
#include <map>

namespace lemmascope {

namespace {

struct Place {
    InferFrame* frame = nullptr;
    ValueId value;
};

// The place where a captured or handed-in value comes from.
Place resolved(Place place) {
    while (place.frame->outer != nullptr && place.frame->from.at(place.value.index).isValid()) {
        place = {place.frame->outer, place.frame->from[place.value.index]};
    }
    return place;
}

void appendNumber(std::string& text, std::uint64_t number) { text += std::to_string(number) + ","; }

void appendString(std::string& text, std::string_view string) {
    appendNumber(text, string.size());
    text += string;
}

template <typename T>
void appendBits(std::string& text, const T& value) {
    std::uint32_t bits = 0;
    static_assert(sizeof(T) == sizeof(bits));
    std::memcpy(&bits, &value, sizeof(bits));
    appendNumber(text, bits);
}

// Everything but graphs.
void appendAttribute(std::string& text, const Attribute& attribute) {
    appendNumber(text, attribute.index());
    if (const auto* integer = std::get_if<std::int64_t>(&attribute)) {
        text += std::to_string(*integer);
    } else if (const auto* real = std::get_if<float>(&attribute)) {
        appendBits(text, *real);
    } else if (const auto* string = std::get_if<std::string>(&attribute)) {
        appendString(text, *string);
    } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute)) {
        for (const std::int64_t each : *integers) {
            text += std::to_string(each) + ",";
        }
    } else if (const auto* reals = std::get_if<std::vector<float>>(&attribute)) {
        for (const float each : *reals) {
            appendBits(text, each);
        }
    } else if (const auto* strings = std::get_if<std::vector<std::string>>(&attribute)) {
        for (const std::string& each : *strings) {
            appendString(text, each);
        }
    } else if (const auto* tensor = std::get_if<Tensor>(&attribute)) {
        text += tensor->digest().hex();
    }
    text += ";";
}

// Attributes of our own only say how a node is written.
bool hasMeaning(const std::string& key) { return key.compare(0, 11, "lemmascope.") != 0; }

void appendAttributes(std::string& text, const Node& node) {
    for (const auto& [key, attribute] : withOnnxDefaults(node.op, node.attributes)) {
        if (hasMeaning(key)) {
            appendString(text, key);
            appendAttribute(text, attribute);
        }
    }
}

// The version whose meaning is in force: equal for two opsets between which the op did not change.
std::int64_t meaningOf(const OpId& op) {
    const OpSchema* schema = findOp(op);
    return schema != nullptr ? schema->sinceVersion : op.version;
}

void appendOp(std::string& text, const OpId& op) {
    appendString(text, op.domain);
    appendString(text, op.name);
    text += std::to_string(meaningOf(op)) + ";";
}

// Graphs nested in a node, theirs included, each written once, in the order in which they are met.
class NestedText {
  public:
    /// Values of the frame that the graphs capture.
    [[nodiscard]] static std::vector<ValueId> captured(const Node& node) {
        std::vector<ValueId> out;
        for (const auto& [role, graph] : Graph::nestedGraphs(node)) {
            for (const Capture& capture : graph->captures) {
                out.push_back(capture.outer);
            }
        }
        return out;
    }

    template <typename DigestOf>
    void append(std::string& text, const Node& node, const DigestOf& digestOf) {
        for (auto& [role, graph] : Graph::nestedGraphs(node)) {
            appendString(text, role);
            std::map<std::uint32_t, std::string> names;
            for (const Capture& capture : graph->captures) {
                names[capture.inner.index] = digestOf(capture.outer).hex();
            }
            m_work.push_back({graph, std::move(names)});
        }
        for (std::size_t next = 0; next < m_work.size(); ++next) {
            writeGraph(text, next);
        }
    }

  private:
    struct Work {
        std::shared_ptr<const Graph> graph;
        std::map<std::uint32_t, std::string> names; // of values, by index
    };

    std::string nameOf(std::size_t work, ValueId value) {
        if (!value.isValid()) {
            return "-";
        }
        Work& own = m_work[work];
        const auto at = own.names.find(value.index);
        if (at != own.names.end()) {
            return at->second;
        }
        const Value& found = own.graph->value(value);
        std::string name = found.constant ? found.constant->digest().hex() : std::to_string(work) + "." + std::to_string(own.names.size());
        own.names.emplace(value.index, name);
        return name;
    }

    void writeGraph(std::string& text, std::size_t work) {
        const std::shared_ptr<const Graph> graph = m_work[work].graph;
        text += "graph(";
        for (const ValueId input : graph->inputs) {
            text += nameOf(work, input) + ",";
        }
        for (const Node& node : graph->nodes) {
            appendOp(text, node.op);
            for (const ValueId operand : node.operands) {
                text += nameOf(work, operand) + ",";
            }
            for (const ValueId result : node.results) {
                text += nameOf(work, result) + ",";
            }
            appendAttributes(text, node);
            for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
                std::map<std::uint32_t, std::string> names;
                for (const Capture& capture : nested->captures) {
                    names[capture.inner.index] = nameOf(work, capture.outer);
                }
                text += role + "=" + std::to_string(m_work.size()) + ";";
                m_work.push_back({nested, std::move(names)});
            }
        }
        for (const ValueId output : graph->outputs) {
            text += nameOf(work, output) + ",";
        }
        text += ")";
    }

    std::vector<Work> m_work;
};

// Position of each random node among the nodes of its op; Dropout may train, so it counts as random.
std::uint32_t randomOrdinal(InferFrame& frame, NodeId node) {
    if (frame.randomOrdinals.empty()) {
        frame.randomOrdinals.resize(frame.graph.nodes.size());
        std::map<std::string, std::uint32_t> counts;
        for (std::size_t k = 0; k < frame.graph.nodes.size(); ++k) {
            const OpId& op = frame.graph.nodes[k].op;
            const OpSchema* schema = findOp(op);
            if ((schema != nullptr && schema->opClass == OpClass::Random) || op.name == "Dropout") {
                frame.randomOrdinals[k] = ++counts[op.text()];
            }
        }
    }
    return frame.randomOrdinals[node.index];
}

std::optional<Digest128>& slot(const Place& place) {
    if (place.frame->digests.empty()) {
        place.frame->digests.resize(place.frame->graph.values.size());
    }
    return place.frame->digests.at(place.value.index);
}

Digest128 digestOfNode(InferFrame& frame, NodeId id) {
    const Node& node = frame.graph.node(id);
    const auto digestOf = [&frame](ValueId value) { return *slot(resolved({&frame, value})); };
    std::string text = "node ";
    appendOp(text, node.op);
    for (const ValueId operand : node.operands) {
        text += operand.isValid() ? digestOf(operand).hex() : std::string("-");
    }
    appendAttributes(text, node);
    NestedText().append(text, node, digestOf);
    if (const std::uint32_t ordinal = randomOrdinal(frame, id); ordinal != 0) {
        // Frames are told apart by the node that holds them.
        text += "random " + std::to_string(ordinal);
        for (const InferFrame* each = &frame; each->outer != nullptr; each = each->outer) {
            text += " in " + each->request.role + " of " + std::to_string(each->outerNode.index);
        }
    }
    return contentDigest(text);
}

// Values that must have digests before the node can.
std::vector<Place> needsOf(InferFrame& frame, NodeId id) {
    std::vector<Place> out;
    const Node& node = frame.graph.node(id);
    for (const ValueId operand : node.operands) {
        if (operand.isValid()) {
            out.push_back(resolved({&frame, operand}));
        }
    }
    for (const ValueId captured : NestedText::captured(node)) {
        out.push_back(resolved({&frame, captured}));
    }
    return out;
}

void ensure(std::vector<Place> stack) {
    while (!stack.empty()) {
        const Place place = stack.back();
        std::optional<Digest128>& digest = slot(place);
        if (digest) {
            stack.pop_back();
            continue;
        }
        InferFrame& frame = *place.frame;
        const Value& value = frame.graph.value(place.value);
        if (!value.producer.isValid()) {
            if (value.constant) {
                digest = contentDigest("constant " + value.constant->digest().hex());
            } else if (frame.outer == nullptr) {
                digest = contentDigest("input " + value.name);
            } else {
                // An input of a loop body: a value of its own for each loop.
                std::string text = "nested " + frame.request.role + " ";
                for (std::size_t k = 0; k < frame.graph.inputs.size(); ++k) {
                    text += frame.graph.inputs[k] == place.value ? std::to_string(k) : std::string();
                }
                digest = contentDigest(text + nodeDigest(*frame.outer, frame.outerNode).hex());
            }
            continue;
        }
        bool ready = true;
        for (const Place& need : needsOf(frame, value.producer)) {
            if (!slot(need)) {
                stack.push_back(need);
                ready = false;
            }
        }
        if (ready) {
            const std::string node = digestOfNode(frame, value.producer).hex();
            slot(place) = contentDigest("result " + std::to_string(value.resultIndex) + " of " + node);
        }
    }
}

} // namespace

Digest128 valueDigest(InferFrame& frame, ValueId value) {
    const Place place = resolved({&frame, value});
    ensure({place});
    return *slot(place);
}

Digest128 nodeDigest(InferFrame& frame, NodeId node) {
    ensure(needsOf(frame, node));
    return digestOfNode(frame, node);
}

} // namespace lemmascope
