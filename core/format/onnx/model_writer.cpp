// A graph becomes a message with a list of jobs, one per graph, so that nesting needs no stack of ours. Bodies become model
// functions first, innermost before those that call them, so that equal functions are found by their bytes and written once.
// Tests: tests/core/format/onnx/tst_onnx_writer.cpp.

#include "core/format/onnx/model_writer.h"

#include "core/format/onnx/lemmascope_onnx.pb.h"
#include "core/format/onnx/name_scope.h"
#include "core/format/onnx/store_lowering.h"
#include "core/format/onnx/tensor_data.h"
#include "core/format/onnx/type_proto.h"
#include "core/graph/op_registry.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

namespace lemmascope::onnx {

namespace {

constexpr std::int64_t BaseIrVersion = 8; ///< the first with model functions
constexpr std::int64_t OverloadIrVersion = 10;
constexpr std::int64_t NewestOpset = 17; ///< for a graph that names none
constexpr std::size_t MaxDepth = 500;
const std::string FusedDomain = "lemmascope.fused"; ///< functions of our JSON's fused ops
const std::string OwnDomain = "lemmascope";

using OpsetMap = std::map<std::string, std::int64_t>;

/// How nodes call a function.
struct FunctionRef {
    std::string domain;
    std::string name;
    std::string overload;
};
using CallKey = std::tuple<const Graph*, std::string, std::string>; ///< body, domain, name

FunctionRef wantedFunction(const Node& node) {
    if (node.op.domain == OwnDomain || (node.op.domain.empty() && findOp(node.op) == nullptr)) {
        return {FusedDomain, node.op.name, {}};
    }
    return {node.op.domain, node.op.name, {}};
}

CallKey keyOf(const Node& node) {
    const FunctionRef wanted = wantedFunction(node);
    return {node.body.get(), wanted.domain, wanted.name};
}

/// A graph that still has to be filled in; exactly one of the two messages is set.
struct Job {
    const Graph* graph = nullptr;
    GraphProto* proto = nullptr;
    FunctionProto* function = nullptr;
    const NameScope* around = nullptr;
    const OpsetMap* opsets = nullptr;
    std::size_t depth = 0;
};

class ModelWriter {
  public:
    ModelWriter(ModelProto& model, std::vector<std::string>& notes, OutsideTensors* outside, std::size_t outsideFrom)
        : m_model(model), m_notes(notes), m_outside(outside), m_outsideFrom(outsideFrom) {}

    Result<void> write(const Graph& graph) {
        m_model.set_producer_name("lemmascope");
        if (auto written = writeFunctions(graph); !written) {
            return written;
        }
        const auto opsets = scopeOpsets(graph);
        if (!opsets) {
            return tl::unexpected(opsets.error());
        }
        if (auto written = writeAll({&graph, m_model.mutable_graph(), nullptr, nullptr, &*opsets, 0}); !written) {
            return written;
        }
        putOpsets(*opsets, *m_model.mutable_opset_import());
        for (const auto& [name, range] : graph.symbols) {
            putMetadata("lemmascope.symbol." + name, std::to_string(range.low) + ":" + std::to_string(range.high));
        }
        m_model.set_ir_version(m_irVersion);
        return {};
    }

  private:
    ModelProto& m_model;
    std::vector<std::string>& m_notes;
    OutsideTensors* m_outside;
    std::size_t m_outsideFrom;
    std::int64_t m_irVersion = BaseIrVersion;
    std::map<CallKey, FunctionRef> m_functions;
    std::map<std::tuple<std::string, std::string, std::string>, FunctionRef> m_byBytes; ///< domain, name, bytes
    std::map<std::pair<std::string, std::string>, std::size_t> m_overloads;
    std::deque<NameScope> m_scopes;
    std::deque<Graph> m_lowered; ///< graphs with stores written in ONNX's ops
    std::vector<Job> m_jobs;

    void needIr(std::int64_t version) { m_irVersion = std::max(m_irVersion, version); }

    void putMetadata(const std::string& key, const std::string& value) {
        auto* entry = m_model.add_metadata_props();
        entry->set_key(key);
        entry->set_value(value);
    }

    // ---- opsets ----------------------------------------------------------------------------------------------------

    /// One version per domain for all nodes of a graph and of the graphs nested in it, bodies left out: the graph's own, or the
    /// highest one used, if each node means the same under it.
    Result<OpsetMap> scopeOpsets(const Graph& graph) {
        std::vector<std::pair<const Node*, std::string>> nodes;
        std::vector<const Graph*> todo{&graph};
        OpsetMap highest;
        OpsetMap called; ///< domains of functions: any version will do
        while (!todo.empty()) {
            const Graph& at = *todo.back();
            todo.pop_back();
            for (std::size_t i = 0; i < at.nodes.size(); ++i) {
                const Node& node = at.nodes[i];
                for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
                    if (nested != node.body) {
                        todo.push_back(nested.get());
                    }
                }
                if (node.body) {
                    if (const std::string domain = wantedFunction(node).domain; !domain.empty()) {
                        std::int64_t& version = called[domain];
                        version = std::max(version, node.op.version);
                    }
                    continue;
                }
                if (node.op.domain == OwnDomain) {
                    continue;
                }
                nodes.emplace_back(&node, at.displayName(NodeId(i)));
                std::int64_t& version = highest[node.op.domain];
                version = std::max(version, node.op.version);
            }
        }
        OpsetMap out;
        for (const auto& [domain, version] : graph.opsets) {
            if (domain != OwnDomain && domain != FusedDomain) {
                out[domain] = version;
            }
        }
        for (const auto& [domain, version] : highest) {
            const auto fits = [&, wanted = domain](std::int64_t candidate) { return misfit(nodes, wanted, candidate) == nullptr; };
            if (out.contains(domain) && fits(out.at(domain))) {
                continue;
            }
            if (const auto* other = misfit(nodes, domain, version); other != nullptr) {
                return fail(ErrorCode::Unsupported, "node '" + other->second + "': " + other->first->op.text() + " of opset " +
                                                        std::to_string(other->first->op.version) + " stands beside nodes of opset " +
                                                        std::to_string(version) + "; an ONNX model has one version of each domain");
            }
            out[domain] = version;
        }
        out.insert(called.begin(), called.end());
        out.try_emplace("", NewestOpset);
        return out;
    }

    static const std::pair<const Node*, std::string>* misfit(const std::vector<std::pair<const Node*, std::string>>& nodes, const std::string& domain,
                                                             std::int64_t version) {
        for (const auto& entry : nodes) {
            OpId op = entry.first->op;
            if (op.domain != domain || op.version == version || op.version == 0) {
                continue;
            }
            const OpSchema* own = findOp(op);
            op.version = version;
            if (own == nullptr || findOp(op) != own) {
                return &entry;
            }
        }
        return nullptr;
    }

    template <typename Imports>
    static void putOpsets(const OpsetMap& opsets, Imports& imports) {
        for (const auto& [domain, version] : opsets) {
            auto* import = imports.Add();
            import->set_domain(domain);
            import->set_version(std::max<std::int64_t>(version, 1));
        }
    }

    // ---- functions -------------------------------------------------------------------------------------------------

    /// All bodies, each after those its own nodes call.
    static Result<std::vector<const Node*>> callsInnermostFirst(const Graph& graph) {
        struct Level {
            std::vector<const Node*> calls; ///< still to visit
            const Node* call = nullptr;     ///< whose body this is
        };
        std::vector<const Node*> out;
        std::set<CallKey> seen;
        std::vector<Level> levels{{callsOf(graph), nullptr}};
        while (!levels.empty()) {
            Level& level = levels.back();
            if (level.calls.empty()) {
                if (level.call != nullptr) {
                    out.push_back(level.call);
                }
                levels.pop_back();
                continue;
            }
            const Node* call = level.calls.back();
            level.calls.pop_back();
            if (seen.insert(keyOf(*call)).second) {
                if (levels.size() > MaxDepth) {
                    return fail(ErrorCode::TooLarge, "function bodies are nested more than " + std::to_string(MaxDepth) + " deep");
                }
                levels.push_back({callsOf(*call->body), call});
            }
        }
        return out;
    }

    /// Nodes with a body in the graph and its nested graphs, the first last.
    static std::vector<const Node*> callsOf(const Graph& graph) {
        std::vector<const Node*> out;
        std::vector<const Graph*> todo{&graph};
        while (!todo.empty()) {
            const Graph& at = *todo.back();
            todo.pop_back();
            for (const Node& node : at.nodes) {
                if (node.body) {
                    out.push_back(&node);
                }
                for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
                    if (nested != node.body) {
                        todo.push_back(nested.get());
                    }
                }
            }
        }
        std::reverse(out.begin(), out.end());
        return out;
    }

    Result<void> writeFunctions(const Graph& graph) {
        const auto calls = callsInnermostFirst(graph);
        if (!calls) {
            return tl::unexpected(calls.error());
        }
        for (const Node* call : *calls) {
            const auto opsets = scopeOpsets(*call->body);
            if (!opsets) {
                return tl::unexpected(opsets.error());
            }
            FunctionProto function;
            if (auto written = writeAll({call->body.get(), nullptr, &function, nullptr, &*opsets, 0}); !written) {
                return written;
            }
            putOpsets(*opsets, *function.mutable_opset_import());
            FunctionRef ref = wantedFunction(*call);
            const auto [known, added] = m_byBytes.emplace(std::tuple(ref.domain, ref.name, function.SerializeAsString()), ref);
            if (added) {
                const std::size_t sameName = m_overloads[{ref.domain, ref.name}]++;
                if (sameName != 0) {
                    known->second.overload = std::to_string(sameName);
                    needIr(OverloadIrVersion);
                    function.set_overload(known->second.overload);
                }
                function.set_domain(ref.domain);
                function.set_name(ref.name);
                *m_model.add_functions() = std::move(function);
            }
            m_functions[keyOf(*call)] = known->second;
        }
        return {};
    }

    // ---- graphs ----------------------------------------------------------------------------------------------------

    Result<void> writeAll(const Job& first) {
        m_jobs = {first};
        while (!m_jobs.empty()) {
            const Job job = m_jobs.back();
            m_jobs.pop_back();
            if (job.depth > MaxDepth) {
                return fail(ErrorCode::TooLarge, "graphs are nested more than " + std::to_string(MaxDepth) + " deep");
            }
            if (auto written = writeGraph(job); !written) {
                return written;
            }
        }
        return {};
    }

    Result<void> writeGraph(const Job& job) {
        const Graph* graph = job.graph;
        if (hasStores(*graph)) {
            auto lowered = lowerStores(*graph, m_notes);
            if (!lowered) {
                return tl::unexpected(std::move(lowered.error()));
            }
            m_lowered.push_back(std::move(*lowered));
            graph = &m_lowered.back();
        }
        NameScope& scope = m_scopes.emplace_back(job.around);
        nameValues(*graph, job, scope);
        if (job.proto != nullptr) {
            job.proto->set_name(graph->name.empty() ? "graph" : graph->name); // ONNX wants a name
            for (const ValueId input : graph->inputs) {
                putValue(graph->value(input), scope.name(input), *job.proto->add_input());
            }
        } else {
            for (const ValueId input : graph->inputs) {
                job.function->add_input(scope.name(input));
            }
        }
        putConstants(*graph, job, scope);
        for (std::size_t i = 0; i < graph->nodes.size(); ++i) {
            NodeProto* out = job.proto != nullptr ? job.proto->add_node() : job.function->add_node();
            if (auto written = writeNode(*graph, NodeId(i), job, scope, *out); !written) {
                return written;
            }
        }
        putOutputs(*graph, job, scope);
        putDeclaredTypes(*graph, job, scope);
        if (job.depth == 0 && job.proto != nullptr) {
            for (const ValueId input : graph->inputs) {
                if (const auto& range = graph->value(input).range) {
                    putMetadata("lemmascope.range." + scope.name(input), std::to_string(range->low) + ":" + std::to_string(range->high));
                }
            }
        }
        return {};
    }

    /// Inputs keep their names, then outputs take the names they go by, then the rest.
    void nameValues(const Graph& graph, const Job& job, NameScope& scope) {
        scope.resize(graph.values.size());
        for (const Capture& capture : graph.captures) {
            scope.setName(capture.inner, job.around->name(capture.outer));
        }
        const auto give = [&](ValueId id, const std::string& wanted) {
            const std::string name = scope.unique(wanted);
            if (name != wanted && !wanted.empty() && job.depth == 0 && job.proto != nullptr) {
                m_notes.push_back("value '" + wanted + "' is written as '" + name + "', since names in ONNX are given once");
            }
            scope.setName(id, name);
        };
        for (const ValueId input : graph.inputs) {
            give(input, graph.value(input).name);
        }
        for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
            if (!scope.isNamed(graph.outputs[k])) {
                give(graph.outputs[k], graph.outputName(k));
            }
        }
        for (std::size_t i = 0; i < graph.values.size(); ++i) {
            if (!scope.isNamed(ValueId(i)) && (graph.values[i].constant || graph.values[i].producer.isValid())) {
                give(ValueId(i), graph.values[i].name);
            }
        }
    }

    void putValue(const Value& value, const std::string& name, ValueInfoProto& out) {
        out.set_name(name);
        if (value.type.element != ElementType::Undefined || value.type.shape) {
            needIr(irVersionOf(value.type.element));
            putType(value.type, *out.mutable_type());
        }
    }

    void putConstants(const Graph& graph, const Job& job, const NameScope& scope) {
        for (std::size_t i = 0; i < graph.values.size(); ++i) {
            const Value& value = graph.values[i];
            if (!value.constant) {
                continue;
            }
            needIr(irVersionOf(value.constant->element()));
            if (job.proto == nullptr) { // functions have no initializers
                NodeProto* node = job.function->add_node();
                node->set_op_type("Constant");
                node->add_output(scope.name(ValueId(i)));
                AttributeProto* attribute = node->add_attribute();
                attribute->set_name("value");
                attribute->set_type(AttributeProto::TENSOR);
                putTensor(*value.constant, *attribute->mutable_t());
                continue;
            }
            TensorProto* out = job.proto->add_initializer();
            if (m_outside != nullptr && value.constant->bytes().size() >= m_outsideFrom && value.constant->element() != ElementType::String) {
                out->set_data_type(dataTypeOf(value.constant->element()));
                for (const std::int64_t length : value.constant->shape()) {
                    out->add_dims(length);
                }
                m_outside->emplace_back(out, *value.constant);
            } else {
                putTensor(*value.constant, *out);
            }
            out->set_name(scope.name(ValueId(i)));
        }
    }

    /// Outputs are values made in this graph, each once; where one is not, an Identity makes it so.
    void putOutputs(const Graph& graph, const Job& job, NameScope& scope) {
        std::set<std::string> used;
        std::set<std::uint32_t> captured;
        for (const Capture& capture : graph.captures) {
            captured.insert(capture.inner.index);
        }
        const bool isTop = job.depth == 0 && job.proto != nullptr;
        for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
            const ValueId id = graph.outputs[k];
            std::string name = scope.name(id);
            const bool isInput = std::find(graph.inputs.begin(), graph.inputs.end(), id) != graph.inputs.end();
            const bool renamed = isTop && name != graph.outputName(k) && !graph.value(id).producer.isValid();
            if (used.contains(name) || captured.contains(id.index) || (isInput && !isTop) || renamed) {
                NodeProto* node = job.proto != nullptr ? job.proto->add_node() : job.function->add_node();
                node->set_op_type("Identity");
                node->add_input(name);
                name = scope.unique(isTop ? graph.outputName(k) : name);
                node->add_output(name);
            }
            used.insert(name);
            if (job.proto == nullptr) {
                job.function->add_output(name);
                continue;
            }
            putValue(graph.value(id), name, *job.proto->add_output());
            if (isTop && name != graph.outputName(k)) {
                putMetadata("lemmascope.output." + name, graph.outputName(k));
                m_notes.push_back("output '" + graph.outputName(k) + "' is written as '" + name + "': an input or value has its name");
            }
        }
    }

    /// Types of the values that nodes make. In a function only those that inference could not find again: a function is one
    /// for all calls, whatever their shapes.
    void putDeclaredTypes(const Graph& graph, const Job& job, const NameScope& scope) {
        std::set<std::uint32_t> outputs;
        for (const ValueId output : graph.outputs) {
            outputs.insert(output.index);
        }
        for (std::size_t i = 0; i < graph.values.size(); ++i) {
            const Value& value = graph.values[i];
            const bool typed = value.type.element != ElementType::Undefined || value.type.shape;
            if (!typed || !value.producer.isValid() || (job.proto != nullptr && outputs.contains(static_cast<std::uint32_t>(i)))) {
                continue;
            }
            if (job.proto != nullptr) {
                putValue(value, scope.name(ValueId(i)), *job.proto->add_value_info());
            } else if (const Node& node = graph.node(value.producer); findOp(node.op) == nullptr && !node.body) {
                putValue(value, scope.name(ValueId(i)), *job.function->add_value_info());
            }
        }
    }

    // ---- nodes -----------------------------------------------------------------------------------------------------

    Result<void> writeNode(const Graph& graph, NodeId id, const Job& job, const NameScope& scope, NodeProto& out) {
        const Node& node = graph.node(id);
        const std::string text = "node '" + graph.displayName(id) + "'";
        if (!node.name.empty()) {
            out.set_name(node.name);
        }
        out.set_op_type(node.op.name);
        if (!node.op.domain.empty()) {
            out.set_domain(node.op.domain);
        }
        if (node.body) {
            const FunctionRef& ref = m_functions.at(keyOf(node));
            out.set_op_type(ref.name);
            if (!ref.domain.empty()) {
                out.set_domain(ref.domain);
            }
            if (!ref.overload.empty()) {
                out.set_overload(ref.overload);
            }
        } else if (node.op.domain == OwnDomain) {
            return fail(ErrorCode::Unsupported, text + ": " + node.op.text() + " has no form in ONNX; write the graph as JSON");
        }
        std::size_t operandCount = node.operands.size();
        while (operandCount > 0 && !node.operands[operandCount - 1].isValid()) {
            --operandCount;
        }
        for (std::size_t k = 0; k < operandCount; ++k) {
            const ValueId operand = node.operands[k];
            if (operand.isValid() && !scope.isNamed(operand)) {
                return fail(ErrorCode::Internal, text + ": operand " + std::to_string(k) + " is neither an input, a constant nor a result");
            }
            out.add_input(operand.isValid() ? scope.name(operand) : std::string());
        }
        for (const ValueId result : node.results) {
            out.add_output(result.isValid() ? scope.name(result) : std::string());
        }
        return writeAttributes(node, text, job, scope, out);
    }

    /// `name[0]`, `name[1]`, ... are one list of tensors in the file; `name[]` is an empty one.
    static std::optional<std::string> listName(const std::string& key, const Attribute& value) {
        const std::size_t bracket = key.find('[');
        if (bracket == std::string::npos || key.back() != ']') {
            return std::nullopt;
        }
        const bool isEmptyList = key.ends_with("[]") && std::holds_alternative<std::vector<std::int64_t>>(value);
        return isEmptyList || std::holds_alternative<Tensor>(value) ? std::optional(key.substr(0, bracket)) : std::nullopt;
    }

    Result<void> writeAttributes(const Node& node, const std::string& text, const Job& job, const NameScope& scope, NodeProto& out) {
        for (const auto& [key, value] : node.attributes) {
            if (key.starts_with("lemmascope.")) { // how our JSON wrote it: no meaning
                continue;
            }
            if (const auto list = listName(key, value)) {
                const bool empty = !std::holds_alternative<Tensor>(value);
                const bool first = empty || key == *list + "[0]";
                AttributeProto* attribute = first ? out.add_attribute() : out.mutable_attribute(out.attribute_size() - 1);
                attribute->set_name(*list);
                attribute->set_type(AttributeProto::TENSORS);
                // Keys are in text order ([10] before [2]); count gives the number of elements.
                if (first && !empty) {
                    for (std::size_t k = 0;; ++k) {
                        const auto* element = node.attribute<Tensor>(*list + "[" + std::to_string(k) + "]");
                        if (element == nullptr) {
                            break;
                        }
                        needIr(irVersionOf(element->element()));
                        putTensor(*element, *attribute->add_tensors());
                    }
                }
                continue;
            }
            AttributeProto& attribute = *out.add_attribute();
            attribute.set_name(key);
            if (auto written = writeAttribute(value, attribute, job, scope); !written) {
                return fail(written.error().code, text + ": attribute '" + key + "': " + written.error().message);
            }
        }
        if (node.op.domain.empty() && node.op.name == "Optional" && node.attributes.contains("type")) {
            m_notes.push_back(text + ": attribute 'type' is written as text");
        }
        return {};
    }

    Result<void> writeAttribute(const Attribute& value, AttributeProto& out, const Job& job, const NameScope& scope) {
        const auto nest = [&](const std::shared_ptr<const Graph>& graph, GraphProto* proto) {
            m_jobs.push_back({graph.get(), proto, nullptr, &scope, job.opsets, job.depth + 1});
        };
        if (const auto* integer = std::get_if<std::int64_t>(&value)) {
            out.set_type(AttributeProto::INT);
            out.set_i(*integer);
        } else if (const auto* number = std::get_if<float>(&value)) {
            out.set_type(AttributeProto::FLOAT);
            out.set_f(*number);
        } else if (const auto* text = std::get_if<std::string>(&value)) {
            out.set_type(AttributeProto::STRING);
            out.set_s(*text);
        } else if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&value)) {
            out.set_type(AttributeProto::INTS);
            out.mutable_ints()->Add(integers->begin(), integers->end());
        } else if (const auto* numbers = std::get_if<std::vector<float>>(&value)) {
            out.set_type(AttributeProto::FLOATS);
            out.mutable_floats()->Add(numbers->begin(), numbers->end());
        } else if (const auto* texts = std::get_if<std::vector<std::string>>(&value)) {
            out.set_type(AttributeProto::STRINGS);
            for (const std::string& entry : *texts) {
                out.add_strings(entry);
            }
        } else if (const auto* tensor = std::get_if<Tensor>(&value)) {
            if (tensor->element() == ElementType::Undefined) {
                return fail(ErrorCode::BadData, "is a tensor without a type");
            }
            needIr(irVersionOf(tensor->element()));
            out.set_type(AttributeProto::TENSOR);
            putTensor(*tensor, *out.mutable_t());
        } else if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&value)) {
            out.set_type(AttributeProto::GRAPH);
            nest(*graph, out.mutable_g());
        } else {
            out.set_type(AttributeProto::GRAPHS);
            for (const auto& entry : std::get<std::vector<std::shared_ptr<const Graph>>>(value)) {
                nest(entry, out.add_graphs());
            }
        }
        return {};
    }
};

} // namespace

Result<void> buildModel(const Graph& graph, ModelProto& model, std::vector<std::string>& notes, OutsideTensors* outside, std::size_t outsideFrom) {
    return ModelWriter(model, notes, outside, outsideFrom).write(graph);
}

} // namespace lemmascope::onnx
