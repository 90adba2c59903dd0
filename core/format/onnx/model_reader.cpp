// Builds Graphs out of a parsed model with a stack of frames: one per graph being read (the model's, a branch or loop body,
// the body of one call of a function). A node with graphs inside waits in its frame while they are read. Nothing recurses, so
// nesting is limited by MaxFrames, not by our stack. Tests: tests/core/format/onnx/tst_onnx_reader.cpp.

#include "core/format/onnx/model_reader.h"

#include "core/format/onnx/attribute_proto.h"
#include "core/format/onnx/lemmascope_onnx.pb.h"
#include "core/format/onnx/model_order.h"
#include "core/format/onnx/type_proto.h"

#include <algorithm>
#include <charconv>
#include <deque>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>

namespace lemmascope::onnx {

namespace {

constexpr std::size_t MaxFrames = 500;
/// Nodes that calls of functions may make in all: functions that call functions grow exponentially.
constexpr std::size_t MaxCalledNodes = 1'000'000;

using OpsetMap = std::map<std::string, std::int64_t>;
using FunctionKey = std::tuple<std::string, std::string, std::string>; ///< domain, name, overload

std::string plainDomain(const std::string& domain) { return domain == "ai.onnx" ? std::string() : domain; }

/// One operand list of a function call's attributes, as its body sees them.
struct Call {
    FunctionProto* function = nullptr;
    AttributeMap attributes;
    std::vector<bool> given; ///< per input of the function
};

struct NestedJob {
    std::string key;
    bool list = false;
    GraphProto* graph = nullptr;
};

/// A node whose nested graphs are being read.
struct PendingNode {
    Node node;
    NodeProto* proto = nullptr;
    std::string text; ///< for messages, its frame's place included
    std::vector<NestedJob> jobs;
    std::size_t job = 0;
    bool called = false; ///< the body was looked for
};

struct Frame {
    enum class Role : std::uint8_t { Top, Nested, Body };
    Role role = Role::Top;
    std::shared_ptr<Graph> graph = std::make_shared<Graph>();
    std::vector<NodeProto*> nodes;
    std::vector<std::size_t> order;
    std::size_t next = 0;
    std::unordered_map<std::string_view, ValueId> scope; ///< an invalid id: an omitted input of a function
    std::unordered_map<std::string_view, const ValueInfoProto*> declared;
    std::vector<std::string_view> outputs;
    Frame* outer = nullptr; ///< the graph whose names are visible here, too
    std::shared_ptr<const OpsetMap> opsets;
    std::shared_ptr<const Call> call; ///< inside a function, its nested graphs included
    std::string memoKey;              ///< of a body that other calls may share
    std::string place;                ///< prefix of messages
    std::optional<PendingNode> pending;
};

class ModelReader {
  public:
    ModelReader(ModelProto& model, ExternalFiles& files, std::stop_token stop) : m_model(model), m_tensors(files), m_stop(std::move(stop)) {}

    Result<std::shared_ptr<const Graph>> read() {
        if (auto prepared = prepare(); !prepared) {
            return tl::unexpected(std::move(prepared.error()));
        }
        std::shared_ptr<Graph> finished;
        while (!m_frames.empty()) {
            if ((++m_steps & 0x3FFU) == 0 && m_stop.stop_requested()) {
                return fail(ErrorCode::Cancelled, "cancelled");
            }
            Frame& frame = m_frames.back();
            Result<void> step;
            if (frame.pending) {
                step = advance(frame);
            } else if (frame.next < frame.order.size()) {
                step = beginNode(frame, frame.order[frame.next++]);
            } else {
                auto graph = finishFrame(frame);
                if (!graph) {
                    return tl::unexpected(std::move(graph.error()));
                }
                finished = std::move(*graph);
            }
            if (!step) {
                return tl::unexpected(std::move(step.error()));
            }
        }
        if (auto declared = readMetadata(*finished); !declared) {
            return tl::unexpected(std::move(declared.error()));
        }
        finished->notes = std::move(m_notes);
        return std::shared_ptr<const Graph>(std::move(finished));
    }

  private:
    ModelProto& m_model;
    TensorSource m_tensors;
    std::stop_token m_stop;
    std::deque<Frame> m_frames; ///< a deque: frames point at each other
    std::map<FunctionKey, FunctionProto*> m_functions;
    struct Remembered {
        std::shared_ptr<const Call> call;
        std::shared_ptr<const Graph> body;
    };
    std::map<std::string, Remembered> m_bodies;
    FreshSymbols m_fresh;
    std::vector<std::string> m_notes;
    std::size_t m_steps = 0;
    std::size_t m_calledNodes = 0;

    // ---- the model -------------------------------------------------------------------------------------------------

    Result<void> prepare() {
        if (!m_model.has_graph()) {
            return fail(ErrorCode::BadData, "holds no graph: it is no ONNX model (a single tensor, perhaps), or was cut short");
        }
        if (m_model.ir_version() > 14) {
            m_notes.push_back("written for IR version " + std::to_string(m_model.ir_version()) +
                              ", read as version 13: fields added since are ignored");
        }
        if (m_model.training_info_size() != 0) {
            m_notes.emplace_back("training information is ignored");
        }
        auto opsets = readOpsets(m_model.opset_import(), {});
        if (!opsets) {
            return tl::unexpected(std::move(opsets.error()));
        }
        if (opsets->empty()) {
            if (!m_model.has_ir_version() || m_model.ir_version() >= 3) {
                return fail(ErrorCode::BadData, "imports no opset (field opset_import), so that no operator has a meaning; IR version " +
                                                    std::to_string(m_model.ir_version()) + " requires one");
            }
            (*opsets)[""] = 1;
        }
        for (FunctionProto& function : *m_model.mutable_functions()) {
            const FunctionKey key{plainDomain(function.domain()), function.name(), function.overload()};
            if (function.name().empty()) {
                return fail(ErrorCode::BadData, "a function has an empty name");
            }
            if (!m_functions.emplace(key, &function).second) {
                return fail(ErrorCode::BadData, "function '" + function.name() + "' of domain '" + function.domain() + "' is defined twice");
            }
        }
        reserveSymbols();
        Frame& frame = m_frames.emplace_back();
        frame.opsets = std::make_shared<const OpsetMap>(std::move(*opsets));
        return openGraph(frame, *m_model.mutable_graph());
    }

    template <typename Imports>
    static Result<OpsetMap> readOpsets(const Imports& imports, const std::string& place) {
        OpsetMap out;
        for (const OperatorSetIdProto& import : imports) {
            const auto [at, added] = out.emplace(plainDomain(import.domain()), import.version());
            if (!added && at->second != import.version()) {
                return fail(ErrorCode::BadData, place + "imports versions " + std::to_string(at->second) + " and " +
                                                    std::to_string(import.version()) + " of domain '" + import.domain() + "'");
            }
            if (import.version() < 1) {
                return fail(ErrorCode::BadData, place + "imports version " + std::to_string(import.version()) + " of domain '" + import.domain() +
                                                    "', expected 1 or more");
            }
        }
        return out;
    }

    /// Names that the file itself gives to lengths, so that ours differ from them.
    void reserveSymbols() {
        const auto reserve = [this](const ValueInfoProto& info) {
            for (const auto& dim : info.type().tensor_type().shape().dim()) {
                m_fresh.reserve(dim.dim_param());
            }
        };
        std::vector<const GraphProto*> graphs{&m_model.graph()};
        const auto addNested = [&graphs](const NodeProto& node) {
            for (const AttributeProto& attribute : node.attribute()) {
                if (attribute.has_g()) {
                    graphs.push_back(&attribute.g());
                }
                for (const GraphProto& graph : attribute.graphs()) {
                    graphs.push_back(&graph);
                }
            }
        };
        for (const FunctionProto& function : m_model.functions()) {
            std::for_each(function.value_info().begin(), function.value_info().end(), reserve);
            std::for_each(function.node().begin(), function.node().end(), addNested);
        }
        while (!graphs.empty()) {
            const GraphProto& graph = *graphs.back();
            graphs.pop_back();
            std::for_each(graph.input().begin(), graph.input().end(), reserve);
            std::for_each(graph.output().begin(), graph.output().end(), reserve);
            std::for_each(graph.value_info().begin(), graph.value_info().end(), reserve);
            std::for_each(graph.node().begin(), graph.node().end(), addNested);
        }
    }

    Result<void> readMetadata(Graph& graph) {
        static constexpr std::string_view RangePrefix = "lemmascope.range.";
        static constexpr std::string_view SymbolPrefix = "lemmascope.symbol.";
        static constexpr std::string_view OutputPrefix = "lemmascope.output.";
        for (const StringStringEntryProto& entry : m_model.metadata_props()) {
            if (entry.key().starts_with(OutputPrefix)) {
                nameOutput(graph, entry.key().substr(OutputPrefix.size()), entry.value());
                continue;
            }
            const bool isRange = entry.key().starts_with(RangePrefix);
            if (!isRange && !entry.key().starts_with(SymbolPrefix)) {
                continue;
            }
            const std::string name = entry.key().substr(isRange ? RangePrefix.size() : SymbolPrefix.size());
            const auto range = parseRange(entry.value());
            if (!range) {
                return fail(ErrorCode::BadData,
                            "metadata '" + entry.key() + "' is '" + entry.value() + "', expected lowest:highest, two whole numbers");
            }
            if (!isRange) {
                graph.symbols[name] = *range;
                continue;
            }
            const auto input = std::find_if(graph.inputs.begin(), graph.inputs.end(), [&](ValueId id) { return graph.value(id).name == name; });
            if (input == graph.inputs.end()) {
                m_notes.push_back("metadata '" + entry.key() + "' names no input: ignored");
            } else if (const ElementType element = graph.value(*input).type.element; !isComputable(element) || element == ElementType::Bool) {
                m_notes.push_back("metadata '" + entry.key() + "' names an input that has no numbers: ignored");
            } else {
                graph.values[input->index].range = *range;
            }
        }
        return {};
    }

    /// The name an output goes by where a file of ours had to call it otherwise.
    static void nameOutput(Graph& graph, const std::string& written, const std::string& name) {
        for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
            if (graph.value(graph.outputs[k]).name == written) {
                graph.outputNames.resize(graph.outputs.size());
                graph.outputNames[k] = name;
            }
        }
    }

    static std::optional<IntegerRange> parseRange(std::string_view text) {
        const auto integer = [](std::string_view part) -> std::optional<std::int64_t> {
            std::int64_t value = 0;
            const auto [end, code] = std::from_chars(part.data(), part.data() + part.size(), value);
            return code == std::errc{} && end == part.data() + part.size() ? std::optional(value) : std::nullopt;
        };
        const std::size_t colon = text.find(':');
        if (colon == std::string_view::npos) {
            return std::nullopt;
        }
        const auto low = integer(text.substr(0, colon));
        const auto high = integer(text.substr(colon + 1));
        return low && high && *low <= *high ? std::optional(IntegerRange{*low, *high}) : std::nullopt;
    }

    // ---- graphs ----------------------------------------------------------------------------------------------------

    /// Reads inputs, constants and declarations of a graph and orders its nodes.
    Result<void> openGraph(Frame& frame, GraphProto& proto) {
        frame.graph->name = proto.name();
        frame.graph->opsets = *frame.opsets;
        for (const ValueInfoProto& info : proto.value_info()) {
            frame.declared.emplace(info.name(), &info);
        }
        for (const ValueInfoProto& info : proto.output()) {
            if (info.name().empty()) {
                return fail(ErrorCode::BadData, frame.place + "output " + std::to_string(frame.outputs.size()) + " has an empty name");
            }
            frame.outputs.emplace_back(info.name());
            if (info.has_type()) {
                frame.declared[info.name()] = &info;
            }
        }
        if (auto read = readInitializers(frame, proto); !read) {
            return read;
        }
        if (auto read = readInputs(frame, proto); !read) {
            return read;
        }
        for (NodeProto& node : *proto.mutable_node()) {
            frame.nodes.push_back(&node);
        }
        return order(frame);
    }

    Result<void> addConstant(Frame& frame, const std::string& name, Tensor tensor) {
        Value value;
        value.name = name;
        value.type.element = tensor.element();
        value.type.shape = Shape(tensor.shape().begin(), tensor.shape().end());
        value.constant = std::move(tensor);
        if (!frame.scope.emplace(name, frame.graph->addValue(std::move(value))).second) {
            return fail(ErrorCode::BadData, frame.place + "initializer '" + name + "' is defined twice");
        }
        return {};
    }

    Result<void> readInitializers(Frame& frame, GraphProto& proto) {
        const bool keep = frame.call != nullptr;
        const auto add = [&](const std::string& name, auto& tensorProto) -> Result<void> {
            if (name.empty()) {
                return fail(ErrorCode::BadData, frame.place + "an initializer has an empty name");
            }
            auto tensor = m_tensors.take(tensorProto, frame.place + "initializer '" + name + "'", keep);
            return tensor ? addConstant(frame, name, std::move(*tensor)) : Result<void>(tl::unexpected(std::move(tensor.error())));
        };
        for (TensorProto& initializer : *proto.mutable_initializer()) {
            if (auto added = add(initializer.name(), initializer); !added) {
                return added;
            }
        }
        for (SparseTensorProto& initializer : *proto.mutable_sparse_initializer()) {
            if (auto added = add(initializer.values().name(), initializer); !added) {
                return added;
            }
        }
        return {};
    }

    Result<void> readInputs(Frame& frame, const GraphProto& proto) {
        std::vector<std::string> constantInputs;
        for (const ValueInfoProto& info : proto.input()) {
            const std::string subject = frame.place + "input '" + info.name() + "'";
            if (info.name().empty()) {
                return fail(ErrorCode::BadData, frame.place + "input " + std::to_string(frame.graph->inputs.size()) + " has an empty name");
            }
            if (const auto known = frame.scope.find(info.name()); known != frame.scope.end()) {
                if (!frame.graph->value(known->second).constant) {
                    return fail(ErrorCode::BadData, subject + " is defined twice");
                }
                if (frame.role != Frame::Role::Top) { // its inputs pair with operands by position
                    return fail(ErrorCode::BadData, subject + " of a nested graph is also an initializer");
                }
                constantInputs.push_back(info.name());
                continue;
            }
            auto type = tensorTypeOf(info, subject, m_fresh, m_notes);
            if (!type) {
                return tl::unexpected(std::move(type.error()));
            }
            Value value;
            value.name = info.name();
            value.type = std::move(*type);
            const ValueId id = frame.graph->addValue(std::move(value));
            frame.graph->inputs.push_back(id);
            frame.scope.emplace(info.name(), id);
        }
        noteConstantInputs(constantInputs);
        return {};
    }

    void noteConstantInputs(const std::vector<std::string>& names) {
        constexpr std::size_t Singly = 4;
        if (names.size() <= Singly) {
            for (const std::string& name : names) {
                m_notes.push_back("initializer '" + name + "' is also an input: taken as a constant");
            }
            return;
        }
        m_notes.push_back(std::to_string(names.size()) + " initializers are also inputs ('" + names[0] + "', '" + names[1] +
                          "', ...): taken as constants");
    }

    Result<void> order(Frame& frame) {
        std::unordered_map<std::string_view, std::size_t> producer;
        for (std::size_t i = 0; i < frame.nodes.size(); ++i) {
            const NodeProto& node = *frame.nodes[i];
            for (const std::string& result : node.output()) {
                if (result.empty()) {
                    continue;
                }
                const auto [at, added] = producer.emplace(result, i);
                if (!added || frame.scope.contains(result)) {
                    return fail(ErrorCode::BadData,
                                frame.place + "node " + nodeText(node, i) + ": result '" + result + "' is already " +
                                    (added ? "an input or initializer" : "a result of node " + nodeText(*frame.nodes[at->second], at->second)));
                }
            }
        }
        auto ordered = orderNodes(frame.nodes, producer);
        if (!ordered) {
            return fail(ordered.error().code, frame.place + ordered.error().message);
        }
        frame.order = std::move(*ordered);
        if (!std::is_sorted(frame.order.begin(), frame.order.end())) {
            m_notes.push_back(frame.place + "the nodes are not in an order in which they can run: sorted");
        }
        return {};
    }

    Result<std::shared_ptr<Graph>> finishFrame(Frame& frame) {
        for (const std::string_view name : frame.outputs) {
            const auto id = lookUp(frame, name);
            if (!id || !id->isValid()) {
                return fail(ErrorCode::BadData,
                            frame.place + "output '" + std::string(name) + "' is " + (id ? "an input that the call leaves out" : "defined nowhere"));
            }
            frame.graph->outputs.push_back(*id);
        }
        std::shared_ptr<Graph> graph = std::move(frame.graph);
        const Frame::Role role = frame.role;
        const std::string memoKey = std::move(frame.memoKey);
        const std::shared_ptr<const Call> call = std::move(frame.call);
        m_frames.pop_back();
        if (role == Frame::Role::Top) {
            return graph;
        }
        PendingNode& waiting = *m_frames.back().pending;
        if (role == Frame::Role::Body) {
            waiting.node.body = graph;
            if (!memoKey.empty()) {
                m_bodies.emplace(memoKey, Remembered{call, graph});
            }
            return graph;
        }
        const NestedJob& job = waiting.jobs[waiting.job++];
        if (job.list) {
            std::get<std::vector<std::shared_ptr<const Graph>>>(waiting.node.attributes.at(job.key)).push_back(graph);
        } else {
            waiting.node.attributes[job.key] = std::shared_ptr<const Graph>(graph);
        }
        return graph;
    }

    /// The value a name stands for here: this graph's, else an outer graph's, which is then captured by each graph between.
    std::optional<ValueId> lookUp(Frame& frame, std::string_view name) {
        std::vector<Frame*> inward; // graphs that must capture, innermost first
        for (Frame* at = &frame; at != nullptr; at = at->outer) {
            const auto found = at->scope.find(name);
            if (found == at->scope.end()) {
                inward.push_back(at);
                continue;
            }
            ValueId id = found->second;
            if (!id.isValid()) { // an input the call leaves out stays left out
                return id;
            }
            const Graph* holder = at->graph.get();
            for (auto inner = inward.rbegin(); inner != inward.rend(); ++inner) {
                Value value;
                value.name = std::string(name);
                value.type = holder->value(id).type;
                const ValueId captured = (*inner)->graph->addValue(std::move(value));
                (*inner)->graph->captures.push_back({captured, id});
                (*inner)->scope.emplace(name, captured);
                holder = (*inner)->graph.get();
                id = captured;
            }
            return id;
        }
        return std::nullopt;
    }

    // ---- nodes -----------------------------------------------------------------------------------------------------

    Result<void> beginNode(Frame& frame, std::size_t index) {
        NodeProto& proto = *frame.nodes[index];
        PendingNode pending;
        pending.proto = &proto;
        pending.text = frame.place + "node " + nodeText(proto, index);
        Node& node = pending.node;
        node.name = proto.name();
        node.op.domain = plainDomain(proto.domain());
        node.op.name = proto.op_type();
        if (node.op.name.empty()) {
            return fail(ErrorCode::BadData, pending.text + ": has no operator (op_type is empty)");
        }
        auto version = versionOf(frame, node.op, pending.text);
        if (!version) {
            return tl::unexpected(std::move(version.error()));
        }
        node.op.version = *version;
        for (int k = 0; k < proto.input_size(); ++k) {
            if (proto.input(k).empty()) {
                node.operands.emplace_back();
                continue;
            }
            const auto id = lookUp(frame, proto.input(k));
            if (!id) {
                return fail(ErrorCode::BadData, pending.text + ": operand " + std::to_string(k) + " '" + proto.input(k) +
                                                    "' is defined nowhere: no input, initializer or node result has that name");
            }
            node.operands.push_back(*id);
        }
        while (!node.operands.empty() && !node.operands.back().isValid()) {
            node.operands.pop_back(); // an operand left out at the end says the same as none
        }
        for (AttributeProto& attribute : *proto.mutable_attribute()) {
            if (auto read = readAttribute(frame, attribute, pending); !read) {
                return read;
            }
        }
        frame.pending = std::move(pending);
        return {};
    }

    static Result<std::int64_t> versionOf(const Frame& frame, const OpId& op, const std::string& text) {
        if (const auto import = frame.opsets->find(op.domain); import != frame.opsets->end()) {
            return import->second;
        }
        if (op.domain.empty()) {
            return fail(ErrorCode::BadData,
                        text + ": operator '" + op.name + "' has no meaning, since no version of ai.onnx is imported (opset_import)");
        }
        return 0;
    }

    Result<void> readAttribute(Frame& frame, AttributeProto& attribute, PendingNode& pending) {
        const std::string& key = attribute.name();
        const std::string subject = pending.text + ": attribute '" + key + "'";
        if (key.empty()) {
            return fail(ErrorCode::BadData, pending.text + ": an attribute has an empty name");
        }
        const bool listed = std::any_of(pending.jobs.begin(), pending.jobs.end(), [&](const NestedJob& job) { return job.key == key; });
        if (listed || pending.node.attributes.contains(key)) {
            return fail(ErrorCode::BadData, subject + " stands there twice");
        }
        if (!attribute.ref_attr_name().empty()) {
            return readReference(frame, attribute, subject, pending.node.attributes);
        }
        const auto kind = attributeKind(attribute, subject);
        if (!kind) {
            return tl::unexpected(kind.error());
        }
        if (*kind == AttributeProto::GRAPH) {
            pending.jobs.push_back({key, false, attribute.mutable_g()});
            return {};
        }
        if (*kind == AttributeProto::GRAPHS) {
            pending.node.attributes[key] = std::vector<std::shared_ptr<const Graph>>{};
            for (GraphProto& graph : *attribute.mutable_graphs()) {
                pending.jobs.push_back({key, true, &graph});
            }
            return {};
        }
        return takeAttribute(attribute, *kind, subject, m_tensors, frame.call != nullptr, pending.node.attributes);
    }

    /// In a function: the caller's attribute, or none where the caller gives none and there is no default.
    static Result<void> readReference(const Frame& frame, const AttributeProto& attribute, const std::string& subject, AttributeMap& out) {
        if (!frame.call) {
            return fail(ErrorCode::BadData, subject + " refers to attribute '" + attribute.ref_attr_name() + "' of a function, but stands in none");
        }
        const AttributeMap& given = frame.call->attributes;
        if (const auto found = given.find(attribute.ref_attr_name()); found != given.end()) {
            if (const auto* graph = std::get_if<std::shared_ptr<const Graph>>(&found->second); graph != nullptr && !(*graph)->captures.empty()) {
                return fail(ErrorCode::Unsupported, subject + ": a graph that reads values around it can't be handed to a function");
            }
            out[attribute.name()] = found->second;
            return {};
        }
        const std::string prefix = attribute.ref_attr_name() + "["; // a list of tensors, one attribute each
        for (auto at = given.lower_bound(prefix); at != given.end() && at->first.starts_with(prefix); ++at) {
            out[attribute.name() + at->first.substr(prefix.size() - 1)] = at->second;
        }
        return {};
    }

    /// Opens the next graph that the pending node waits for, or finishes the node.
    Result<void> advance(Frame& frame) {
        PendingNode& pending = *frame.pending;
        if (pending.job < pending.jobs.size()) {
            const NestedJob& job = pending.jobs[pending.job];
            if (auto room = checkDepth(pending.text); !room) {
                return room;
            }
            Frame& inner = m_frames.emplace_back();
            inner.role = Frame::Role::Nested;
            inner.outer = &frame;
            inner.opsets = frame.opsets;
            inner.call = frame.call;
            inner.place = pending.text + " " + job.key + ": ";
            return openGraph(inner, *job.graph);
        }
        if (!pending.called) {
            pending.called = true;
            const FunctionKey key{pending.node.op.domain, pending.node.op.name, pending.proto->overload()};
            if (const auto function = m_functions.find(key); function != m_functions.end()) {
                return openCall(frame, *function->second);
            }
        }
        return finishNode(frame);
    }

    Result<void> checkDepth(const std::string& text) const {
        if (m_frames.size() >= MaxFrames) {
            return fail(ErrorCode::TooLarge, text + ": graphs and function calls are nested more than " + std::to_string(MaxFrames) + " deep");
        }
        return {};
    }

    Result<void> openCall(Frame& frame, FunctionProto& function) {
        PendingNode& pending = *frame.pending;
        const std::string functionText = "function '" + function.name() + "'";
        for (const Frame& caller : m_frames) {
            if (caller.role == Frame::Role::Body && caller.call->function == &function) {
                return fail(ErrorCode::BadData, pending.text + ": " + functionText + " calls itself, directly or through others");
            }
        }
        if (auto room = checkDepth(pending.text); !room) {
            return room;
        }
        auto call = std::make_shared<Call>();
        call->function = &function;
        call->attributes = pending.node.attributes;
        for (AttributeProto& byDefault : *function.mutable_attribute_proto()) {
            const std::string subject = functionText + ": default of attribute '" + byDefault.name() + "'";
            if (call->attributes.contains(byDefault.name())) {
                continue;
            }
            const auto kind = attributeKind(byDefault, subject);
            if (!kind) {
                return tl::unexpected(kind.error());
            }
            if (*kind == AttributeProto::GRAPH || *kind == AttributeProto::GRAPHS) {
                return fail(ErrorCode::Unsupported, subject + ": a graph as a default is not read");
            }
            if (auto read = takeAttribute(byDefault, *kind, subject, m_tensors, true, call->attributes); !read) {
                return read;
            }
        }
        auto& operands = pending.node.operands;
        const auto inputCount = static_cast<std::size_t>(function.input_size());
        const auto outputCount = static_cast<std::size_t>(function.output_size());
        if (operands.size() > inputCount || static_cast<std::size_t>(pending.proto->output_size()) > outputCount) {
            return fail(ErrorCode::BadData, pending.text + ": has " + std::to_string(operands.size()) + " operands and " +
                                                std::to_string(pending.proto->output_size()) + " results, but " + functionText + " has " +
                                                std::to_string(inputCount) + " inputs and " + std::to_string(outputCount) + " outputs");
        }
        operands.resize(inputCount);
        for (const ValueId operand : operands) {
            call->given.push_back(operand.isValid());
        }
        const std::string memoKey = callKey(*call);
        if (const auto known = m_bodies.find(memoKey); known != m_bodies.end() && sameAttributes(known->second.call->attributes, call->attributes)) {
            pending.node.body = known->second.body;
            return {};
        }
        return openBody(frame, function, std::move(call), memoKey);
    }

    std::string callKey(const Call& call) const {
        const auto at = std::find_if(m_functions.begin(), m_functions.end(), [&](const auto& entry) { return entry.second == call.function; });
        std::string key = std::to_string(std::distance(m_functions.begin(), at)) + "/";
        for (const bool given : call.given) {
            key += given ? '1' : '0';
        }
        return key + "/" + attributeKey(call.attributes);
    }

    Result<void> openBody(Frame& caller, FunctionProto& function, std::shared_ptr<const Call> call, std::string memoKey) {
        m_calledNodes += static_cast<std::size_t>(function.node_size());
        if (m_calledNodes > MaxCalledNodes) {
            return fail(ErrorCode::TooLarge,
                        caller.pending->text + ": calls of functions expand to more than " + std::to_string(MaxCalledNodes) + " nodes");
        }
        Frame& frame = m_frames.emplace_back();
        frame.role = Frame::Role::Body;
        frame.place = "function '" + function.name() + "': ";
        frame.call = std::move(call);
        frame.memoKey = std::move(memoKey);
        frame.graph->name = function.name();
        auto opsets = readOpsets(function.opset_import(), frame.place);
        if (!opsets) {
            return tl::unexpected(std::move(opsets.error()));
        }
        opsets->insert(m_frames.front().opsets->begin(), m_frames.front().opsets->end()); // what it does not import itself
        frame.opsets = std::make_shared<const OpsetMap>(std::move(*opsets));
        frame.graph->opsets = *frame.opsets;
        for (const ValueInfoProto& info : function.value_info()) {
            frame.declared.emplace(info.name(), &info);
        }
        for (int k = 0; k < function.input_size(); ++k) {
            const std::string& name = function.input(k);
            const bool given = frame.call->given[static_cast<std::size_t>(k)];
            if (name.empty()) {
                return fail(ErrorCode::BadData, frame.place + "input " + std::to_string(k) + " has an empty name");
            }
            Value value;
            value.name = name;
            if (given) {
                auto type = declaredType(frame, name);
                if (!type) {
                    return tl::unexpected(std::move(type.error()));
                }
                value.type = std::move(*type);
            }
            const ValueId id = frame.graph->addValue(std::move(value));
            frame.graph->inputs.push_back(id);
            if (!frame.scope.emplace(name, given ? id : ValueId()).second) {
                return fail(ErrorCode::BadData, frame.place + "input '" + name + "' is defined twice");
            }
        }
        for (const std::string& output : function.output()) {
            if (output.empty()) {
                return fail(ErrorCode::BadData, frame.place + "output " + std::to_string(frame.outputs.size()) + " has an empty name");
            }
            frame.outputs.emplace_back(output);
        }
        for (NodeProto& node : *function.mutable_node()) {
            frame.nodes.push_back(&node);
        }
        return order(frame);
    }

    Result<TensorType> declaredType(Frame& frame, const std::string& name) {
        const auto declared = frame.declared.find(name);
        if (declared == frame.declared.end()) {
            return TensorType{};
        }
        return tensorTypeOf(*declared->second, frame.place + "value '" + name + "'", m_fresh, m_notes);
    }

    Result<void> finishNode(Frame& frame) {
        PendingNode pending = std::move(*frame.pending);
        frame.pending.reset();
        Node& node = pending.node;
        if (node.op.domain.empty() && node.op.name == "Constant" && !node.body) {
            auto tensor = constantOf(node.attributes, pending.text);
            if (!tensor) {
                return tl::unexpected(std::move(tensor.error()));
            }
            if (pending.proto->output_size() == 0 || pending.proto->output(0).empty()) {
                return {};
            }
            return addConstant(frame, pending.proto->output(0), std::move(*tensor));
        }
        for (const std::string& result : pending.proto->output()) {
            if (result.empty()) {
                node.results.emplace_back();
                continue;
            }
            auto type = declaredType(frame, result);
            if (!type) {
                return tl::unexpected(std::move(type.error()));
            }
            Value value;
            value.name = result;
            value.type = std::move(*type);
            const ValueId id = frame.graph->addValue(std::move(value));
            node.results.push_back(id);
            frame.scope.emplace(result, id);
        }
        if (node.body) {
            node.results.resize(node.body->outputs.size());
            if (node.op.domain == "lemmascope.fused") { // how our writer says: a fused op of our JSON
                node.op.domain = "lemmascope";
            }
        }
        frame.graph->addNode(std::move(node));
        return {};
    }
};

} // namespace

Result<std::shared_ptr<const Graph>> buildGraph(ModelProto& model, ExternalFiles& files, std::stop_token stop) {
    return ModelReader(model, files, std::move(stop)).read();
}

} // namespace lemmascope::onnx
