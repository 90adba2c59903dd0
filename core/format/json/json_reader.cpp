#include "core/format/json/json_reader.h"

#include "core/format/json/attributes.h"
#include "core/format/json/forms.h"
#include "core/format/json/scope.h"
#include "core/format/json/tensor_literal.h"

#include <algorithm>
#include <variant>

// Graphs nest (fused bodies, branches); the reader keeps a stack of frames, one for each graph that is being read, and a node
// whose graphs are not all read yet waits in its frame. Tests: tests/core/format/json.

namespace lemmascope {

namespace json {

namespace {

using lemmascope::Value; // of the graph; json::Value is spelled out here

/// Zeros are memory that no byte of the file pays for.
constexpr std::int64_t MaxZeroBytes = std::int64_t{256} << 20U;
constexpr std::int64_t MaxVersion = 1'000'000;

/// A result as the file gives it: a name, a place in a table, or nothing.
using PendingResult = std::variant<std::monostate, std::string, StoreTarget>;

struct PendingNode {
    Node node;
    std::vector<PendingResult> results;
    std::vector<PendingGraph> graphs;
    std::size_t nextGraph = 0; ///< graphs before it are read
    std::size_t offset = 0;
    std::size_t outOffset = 0;
};

enum class GraphKind : std::uint8_t { Top, Body, Subgraph };

struct Frame {
    Frame(GraphKind graphKind, std::shared_ptr<Graph> graph, Scope* outer) : kind(graphKind), scope(std::move(graph), outer) {}
    GraphKind kind;
    Scope scope;
    std::optional<json::Value> outputs;
    std::optional<json::Value> values;
    std::size_t offset = 0;
    std::optional<PendingNode> pending;
};

std::string indexed(std::string_view list, std::size_t index) { return std::string(list) + "[" + std::to_string(index) + "]"; }

class Reader {
  public:
    Reader(const Document& document, const std::filesystem::path& file, std::stop_token stop)
        : m_document(document), m_tensors(file), m_stop(std::move(stop)) {}

    Result<std::shared_ptr<const Graph>> run() {
        openTop();
        while (!m_problem.failed() && !m_done) {
            if ((++m_steps & 0xFFU) == 0 && m_stop.stop_requested()) {
                return fail(ErrorCode::Cancelled, "reading was cancelled");
            }
            step();
        }
        if (m_problem.failed()) {
            // The frames below the top are at the nodes whose graphs were being read.
            for (std::size_t k = m_frames.size(); k-- > 1;) {
                const Frame& outer = *m_frames[k - 1];
                const PendingGraph& graph = outer.pending->graphs[outer.pending->nextGraph];
                m_problem.within(place(outer) + ": " + (graph.attribute.empty() ? std::string("body") : "attribute " + inQuotes(graph.attribute)));
            }
            return tl::unexpected<Error>(m_problem.error(m_document));
        }
        return std::move(m_done);
    }

  private:
    /// Reads the next node of the innermost graph, one of the waiting node's graphs, or the graph's end.
    void step() {
        Frame& frame = *m_frames.back();
        if (frame.pending) {
            PendingNode& pending = *frame.pending;
            if (pending.nextGraph < pending.graphs.size()) {
                openNested(frame);
                return;
            }
            finishNode(frame, std::move(pending));
            frame.pending.reset();
            frame.scope.advance();
            return;
        }
        if (frame.scope.position() < frame.scope.nodes().size()) {
            PendingNode pending;
            readNode(frame, frame.scope.nodes()[frame.scope.position()], pending);
            if (m_problem.failed()) {
                m_problem.within(place(frame, &pending));
                return;
            }
            if (pending.graphs.empty()) {
                finishNode(frame, std::move(pending));
                frame.scope.advance();
            } else {
                frame.pending = std::move(pending);
            }
            return;
        }
        closeGraph();
    }

    static std::string place(const Frame& frame, const PendingNode* reading = nullptr) {
        const PendingNode* pending = reading != nullptr ? reading : (frame.pending ? &*frame.pending : nullptr);
        const std::string list = indexed("nodes", frame.scope.position());
        if (pending == nullptr || (pending->node.name.empty() && pending->node.op.name.empty())) {
            return list;
        }
        return "node " + inQuotes(pending->node.name.empty() ? pending->node.op.name : pending->node.name) + " (" + list + ")";
    }

    // --- graphs -----------------------------------------------------------------------------------------------------

    void openTop() {
        const json::Value root = m_document.root();
        if (root.kind != Kind::Object) {
            m_problem.report("the file holds " + std::string(root.kindName()) + ", expected a graph: {\"format\": \"lemmascope-graph\", ...}",
                             root.offset);
            return;
        }
        const Fields fields(
            root, "the graph",
            {"$schema", "format", "version", "name", "opset", "opsets", "symbols", "inputs", "constants", "tables", "values", "nodes", "outputs"},
            m_problem);
        checkFormat(root);
        if (m_problem.failed()) {
            return;
        }
        m_frames.push_back(std::make_unique<Frame>(GraphKind::Top, std::make_shared<Graph>(), nullptr));
        Frame& frame = *m_frames.back();
        readOpsets(fields, frame.scope.graph());
        readSymbols(fields, frame.scope.graph());
        openGraph(frame, fields);
    }

    /// The format is checked before unknown keys are complained of: a result or another tool's file is named as such.
    void checkFormat(const json::Value& root) {
        Problem first;
        std::optional<json::Value> format;
        std::optional<json::Value> version;
        Cursor members(root);
        while (const std::optional<json::Value> key = members.next()) {
            const std::optional<json::Value> member = members.next();
            (key->raw() == "format" ? format : version) = key->raw() == "format" || key->raw() == "version" ? member : version;
        }
        if (!format) {
            first.report("'format' is missing: a graph file begins with {\"format\": \"lemmascope-graph\", \"version\": 1, ...}", root.offset);
        } else if (format->kind != Kind::String || format->raw() != "lemmascope-graph") {
            const bool result = format->kind == Kind::String && format->raw() == "lemmascope-result";
            first.report("'format' is " + (format->kind == Kind::String ? inQuotes(format->raw()) : std::string(format->kindName())) +
                             ", expected \"lemmascope-graph\"" + (result ? ": this is the result of a check, not a graph" : ""),
                         format->offset);
        } else if (!version) {
            first.report("'version' is missing: expected 1", root.offset);
        } else if (version->kind != Kind::Integer || version->raw() != "1") {
            first.report("'version' is " + (version->isNumber() ? std::string(version->raw()) : std::string(version->kindName())) +
                             ", expected 1: a newer file needs a newer program",
                         version->offset);
        }
        if (first.failed()) {
            m_problem = first;
        }
    }

    void openNested(Frame& outer) {
        PendingNode& pending = *outer.pending;
        const PendingGraph& graph = pending.graphs[pending.nextGraph];
        if (!graph.source) {
            pending.node.attributes[graph.attribute] = std::vector<std::shared_ptr<const Graph>>();
            ++pending.nextGraph;
            return;
        }
        const bool body = graph.attribute.empty();
        auto nested = std::make_shared<Graph>();
        nested->opsets = m_frames.front()->scope.graph().opsets;
        m_frames.push_back(std::make_unique<Frame>(body ? GraphKind::Body : GraphKind::Subgraph, std::move(nested), body ? nullptr : &outer.scope));
        const Fields fields(*graph.source, body ? "a body" : "a subgraph", {"name", "inputs", "constants", "tables", "values", "nodes", "outputs"},
                            m_problem);
        if (!m_problem.failed()) {
            openGraph(*m_frames.back(), fields);
        }
    }

    void openGraph(Frame& frame, const Fields& fields) {
        frame.offset = fields.offset();
        if (const std::optional<json::Value>& name = fields.get("name")) {
            frame.scope.graph().name = stringOf(*name, "'name'", m_problem);
        }
        forEach(fields, "inputs", [&](const json::Value& item, std::size_t k) { readInput(frame, item, k); });
        forEach(fields, "constants", [&](const json::Value& item, std::size_t k) { readConstant(frame, item, k); });
        forEach(fields, "tables", [&](const json::Value& item, std::size_t k) { readTable(frame, item, k); });
        frame.values = fields.get("values");
        if (const std::optional<json::Value>& nodes = fields.get("nodes")) {
            frame.scope.setNodes(itemsOf(*nodes, "'nodes'", m_problem));
        }
        frame.outputs = m_problem.failed() ? std::nullopt : fields.required("outputs", "a list of names");
    }

    template <typename Read>
    void forEach(const Fields& fields, std::string_view list, const Read& read) {
        const std::optional<json::Value>& items = fields.get(list);
        if (!items || m_problem.failed()) {
            return;
        }
        if (!items->isArray()) {
            m_problem.report("'" + std::string(list) + "' is " + std::string(items->kindName()) + ", expected a list", items->offset);
            return;
        }
        Cursor cursor(*items);
        for (std::size_t k = 0; const std::optional<json::Value> item = cursor.next(); ++k) {
            read(*item, k);
            if (m_problem.failed()) {
                m_problem.within(m_entryName.empty() ? indexed(list, k) : indexed(list, k) + " " + inQuotes(m_entryName));
                return;
            }
        }
    }

    void closeGraph() {
        Frame& frame = *m_frames.back();
        Graph& graph = frame.scope.graph();
        readDeclaredTypes(frame);
        std::map<std::string, std::size_t> seen;
        const std::vector<json::Value> outputs = itemsOf(*frame.outputs, "'outputs'", m_problem);
        for (std::size_t k = 0; k < outputs.size() && !m_problem.failed(); ++k) {
            const std::string what = indexed("outputs", k);
            const std::string name = nameOf(outputs[k], what, m_problem);
            if (m_problem.failed()) {
                break;
            }
            const ValueId value = frame.scope.resolve(name, what, outputs[k].offset, m_problem);
            if (frame.kind == GraphKind::Top && !seen.emplace(name, k).second) {
                m_problem.report(what + " " + inQuotes(name) + " is listed twice", outputs[k].offset);
            }
            if (m_problem.failed()) {
                break;
            }
            graph.outputs.push_back(value);
            if (graph.value(value).name != name) {
                graph.outputNames.resize(graph.outputs.size());
                graph.outputNames.back() = name;
            }
        }
        if (m_problem.failed()) {
            return;
        }
        if (m_frames.size() == 1) {
            m_done = frame.scope.graphShared();
            return;
        }
        attach(*m_frames[m_frames.size() - 2], frame);
        if (!m_problem.failed()) {
            m_frames.pop_back();
        }
    }

    /// Gives a finished graph to the node that waits for it.
    void attach(Frame& outer, Frame& finished) {
        PendingNode& pending = *outer.pending;
        const PendingGraph& place = pending.graphs[pending.nextGraph];
        const std::shared_ptr<const Graph> graph = finished.scope.graphShared();
        if (place.attribute.empty()) {
            const auto count = [](std::size_t number, const char* thing) { return std::to_string(number) + " " + thing + (number == 1 ? "" : "s"); };
            if (graph->inputs.size() != pending.node.operands.size()) {
                m_problem.report("the body has " + count(graph->inputs.size(), "input") + ", the node has " +
                                     count(pending.node.operands.size(), "operand") + ": they pair by position",
                                 finished.offset);
            } else if (graph->outputs.size() != pending.results.size()) {
                m_problem.report("the body has " + count(graph->outputs.size(), "output") + ", the node has " +
                                     count(pending.results.size(), "result") + ": they pair by position",
                                 finished.offset);
            }
            pending.node.body = graph;
        } else if (place.item == PendingGraph::Single) {
            pending.node.attributes[place.attribute] = graph;
        } else {
            Attribute& attribute = pending.node.attributes[place.attribute];
            if (place.item == 0) {
                attribute = std::vector<std::shared_ptr<const Graph>>();
            }
            std::get<std::vector<std::shared_ptr<const Graph>>>(attribute).push_back(graph);
        }
        if (!m_problem.failed()) {
            ++pending.nextGraph;
        }
    }

    // --- the lists before the nodes ---------------------------------------------------------------------------------

    void readOpsets(const Fields& fields, Graph& graph) {
        if (const std::optional<json::Value>& opset = fields.get("opset")) {
            addOpset(graph, "", *opset, "'opset'");
        }
        const std::optional<json::Value>& opsets = fields.get("opsets");
        if (!opsets || m_problem.failed()) {
            return;
        }
        if (opsets->kind != Kind::Object) {
            m_problem.report("'opsets' is " + std::string(opsets->kindName()) + ", expected an object such as {\"com.microsoft\": 1}",
                             opsets->offset);
            return;
        }
        Cursor members(*opsets);
        while (const std::optional<json::Value> domain = members.next()) {
            const std::optional<json::Value> version = members.next();
            if (domain->raw().empty() || graph.opsets.contains(domain->string())) {
                m_problem.report("'opsets' names the domain " + inQuotes(domain->raw()) +
                                     (domain->raw().empty() ? ": write 'opset' for that" : " twice"),
                                 domain->offset);
            }
            addOpset(graph, domain->string(), *version, "the version of domain " + inQuotes(domain->raw()));
        }
    }

    void addOpset(Graph& graph, const std::string& domain, const json::Value& value, const std::string& what) {
        const std::int64_t version = integerOf(value, what, m_problem);
        if (version < 1 || version > MaxVersion) {
            m_problem.report(what + " is " + std::to_string(version) + ", expected a version such as 17", value.offset);
        }
        graph.opsets[domain] = version;
    }

    IntegerRange rangeOf(const json::Value& value, const std::string& what, std::int64_t lowest) {
        const std::vector<std::int64_t> ends = integersOf(value, what, m_problem);
        if (!m_problem.failed() && (ends.size() != 2 || ends[0] > ends[1] || ends[0] < lowest)) {
            m_problem.report(what + " is no range: expected [lowest, highest]" + (lowest == 0 ? ", both 0 or more" : "") + ", both ends included",
                             value.offset);
        }
        return m_problem.failed() ? IntegerRange{} : IntegerRange{ends[0], ends[1]};
    }

    void readSymbols(const Fields& fields, Graph& graph) {
        const std::optional<json::Value>& symbols = fields.get("symbols");
        if (!symbols || m_problem.failed()) {
            return;
        }
        if (symbols->kind != Kind::Object) {
            m_problem.report("'symbols' is " + std::string(symbols->kindName()) + ", expected an object such as {\"n\": [2, 64]}", symbols->offset);
            return;
        }
        Cursor members(*symbols);
        while (const std::optional<json::Value> symbol = members.next()) {
            const std::optional<json::Value> range = members.next();
            const std::string name = symbol->string();
            if (name.empty()) {
                m_problem.report("'symbols' has an empty name", symbol->offset);
            } else if (!graph.symbols.emplace(name, rangeOf(*range, "symbol " + inQuotes(name), 0)).second) {
                m_problem.report("symbol " + inQuotes(name) + " is given twice", symbol->offset);
            }
            if (m_problem.failed()) {
                return;
            }
        }
    }

    /// The entry's name, kept for the place in messages.
    std::string entryName(const Fields& fields) {
        m_entryName.clear();
        const std::optional<json::Value> name = m_problem.failed() ? std::nullopt : fields.required("name", "the value's name");
        if (!name) {
            return {};
        }
        std::string text = nameOf(*name, "'name'", m_problem);
        m_entryName = text;
        return text;
    }

    void readInput(Frame& frame, const json::Value& item, std::size_t index) {
        m_entryName.clear();
        Value input;
        if (item.kind == Kind::String && frame.kind != GraphKind::Top) {
            input.name = nameOf(item, "an input", m_problem);
        } else {
            const Fields fields(item, "an input", {"name", "type", "shape", "range"}, m_problem);
            input.name = entryName(fields);
            if (m_problem.failed()) {
                return;
            }
            if (const std::optional<json::Value> type = fields.required("type", "an element type such as \"f32\"")) {
                input.type.element = elementTypeOf(*type, m_problem, true);
            }
            if (const std::optional<json::Value>& shape = fields.get("shape")) {
                input.type.shape = shapeOf(*shape, m_problem);
            }
            if (const std::optional<json::Value>& range = fields.get("range")) {
                input.range = rangeOf(*range, "'range'", INT64_MIN);
                if (!m_problem.failed() && !isInteger(input.type.element) && !(isFloat(input.type.element) && isComputable(input.type.element))) {
                    m_problem.report("'range' is for integer and float inputs, this one is " + std::string(lemmascope::name(input.type.element)),
                                     range->offset);
                }
            }
        }
        if (m_problem.failed()) {
            return;
        }
        const std::string name = input.name;
        const ValueId id = frame.scope.graph().addValue(std::move(input));
        frame.scope.graph().inputs.push_back(id);
        frame.scope.define(name, id, Origin::Input, index, item.offset, m_problem);
    }

    void readConstant(Frame& frame, const json::Value& item, std::size_t index) {
        m_entryName.clear();
        const Fields fields(item, "a constant", {"name", "type", "shape", "data", "base64", "file"}, m_problem);
        const std::string name = entryName(fields);
        Tensor tensor = m_tensors.read(fields, "a constant", m_problem);
        if (!m_problem.failed()) {
            frame.scope.define(name, addConstant(frame, name, std::move(tensor)), Origin::Constant, index, item.offset, m_problem);
        }
    }

    static ValueId addConstant(Frame& frame, const std::string& name, Tensor tensor) {
        Value constant;
        constant.name = name;
        constant.type = {tensor.element(), Shape(tensor.shape().begin(), tensor.shape().end())};
        constant.constant = std::move(tensor);
        return frame.scope.graph().addValue(std::move(constant));
    }

    void readTable(Frame& frame, const json::Value& item, std::size_t index) {
        m_entryName.clear();
        const Fields fields(item, "a table", {"name", "type", "shape", "start"}, m_problem);
        const std::string name = entryName(fields);
        const std::optional<json::Value> type = m_problem.failed() ? std::nullopt : fields.required("type", "an element type such as \"f32\"");
        const std::optional<json::Value> shape = m_problem.failed() ? std::nullopt : fields.required("shape", "a list of lengths");
        const std::optional<json::Value> start = m_problem.failed() ? std::nullopt : fields.required("start", "\"input\" or \"zero\"");
        if (m_problem.failed()) {
            return;
        }
        Table table;
        table.type.element = elementTypeOf(*type, m_problem);
        table.type.shape = shapeOf(*shape, m_problem);
        const std::string word = stringOf(*start, "'start'", m_problem);
        if (word == "input") {
            startAsInput(frame, name, *start, table);
        } else if (word == "zero") {
            startAsZeros(frame, name, *start, table);
        } else {
            m_problem.report("'start' is " + inQuotes(word) + ", expected \"input\" or \"zero\"", start->offset);
        }
        if (!m_problem.failed()) {
            frame.scope.define(name, table.current, Origin::Table, index, item.offset, m_problem);
            frame.scope.addTable(name, table);
        }
    }

    void startAsInput(Frame& frame, const std::string& name, const json::Value& start, Table& table) {
        if (frame.kind != GraphKind::Top) {
            m_problem.report("a table inside a body or subgraph starts as \"zero\"; what comes from outside is one of its inputs", start.offset);
            return;
        }
        Value input;
        input.name = name;
        input.type = table.type;
        table.current = frame.scope.graph().addValue(std::move(input));
        frame.scope.graph().inputs.push_back(table.current);
    }

    void startAsZeros(Frame& frame, const std::string& name, const json::Value& start, Table& table) {
        const std::optional<std::vector<std::int64_t>> lengths = staticShape(*table.type.shape);
        if (!lengths) {
            m_problem.report("a table that starts as zeros has a shape of numbers", start.offset);
        } else if (byteSize(table.type.element) == 0) {
            m_problem.report("a table of type " + std::string(lemmascope::name(table.type.element)) + " has no zero to start with", start.offset);
        }
        if (m_problem.failed()) {
            return;
        }
        // shapeOf has checked that the count, even at 16 bytes each, stays below 2^63.
        std::int64_t bytes = static_cast<std::int64_t>(byteSize(table.type.element));
        for (const std::int64_t length : *lengths) {
            bytes *= length;
        }
        if (bytes > MaxZeroBytes - m_zeroBytes) {
            m_problem.report("tables of zeros take more than " + std::to_string(MaxZeroBytes >> 20U) + " MiB together", start.offset,
                             ErrorCode::TooLarge);
            return;
        }
        m_zeroBytes += bytes;
        table.current = addConstant(frame, name, Tensor(table.type.element, *lengths));
    }

    void readDeclaredTypes(Frame& frame) {
        if (!frame.values || m_problem.failed()) {
            return;
        }
        const std::vector<json::Value> values = itemsOf(*frame.values, "'values'", m_problem);
        for (std::size_t k = 0; k < values.size() && !m_problem.failed(); ++k) {
            m_entryName.clear();
            const Fields fields(values[k], "a declared value", {"name", "type", "shape"}, m_problem);
            const std::string name = entryName(fields);
            const std::optional<ValueId> value = m_problem.failed() ? std::nullopt : frame.scope.nodeResult(name);
            const std::optional<json::Value> type = m_problem.failed() ? std::nullopt : fields.required("type", "an element type such as \"f32\"");
            if (!m_problem.failed() && !value) {
                m_problem.report("no node defines " + inQuotes(name) + "; inputs, constants and tables declare their own types", values[k].offset);
            }
            if (!m_problem.failed()) {
                Value& declared = frame.scope.graph().values[value->index];
                if (declared.type != TensorType{}) {
                    m_problem.report(inQuotes(name) + " is declared twice", values[k].offset);
                }
                declared.type.element = elementTypeOf(*type, m_problem, true);
                if (const std::optional<json::Value>& shape = fields.get("shape")) {
                    declared.type.shape = shapeOf(*shape, m_problem);
                }
            }
            m_problem.within(indexed("values", k) + (m_entryName.empty() ? "" : " " + inQuotes(m_entryName)));
        }
    }

    // --- nodes ------------------------------------------------------------------------------------------------------

    void readNode(Frame& frame, const json::Value& item, PendingNode& pending) {
        const Fields fields(item, "a node", {"op", "in", "out", "attrs", "name", "domain", "version", "body"}, m_problem);
        pending.offset = item.offset;
        pending.node.line = m_document.line(item.offset);
        if (m_problem.failed()) {
            return;
        }
        readOp(frame, fields, pending.node);
        if (const std::optional<json::Value>& in = fields.get("in")) {
            readOperands(frame, *in, pending.node);
        }
        const std::optional<json::Value> out = m_problem.failed() ? std::nullopt : fields.required("out", "a list of results");
        if (out) {
            pending.outOffset = out->offset;
            readResults(frame, *out, pending);
        }
        if (m_problem.failed()) {
            return;
        }
        if (const std::optional<json::Value>& body = fields.get("body")) {
            pending.graphs.push_back({"", PendingGraph::Single, 0, *body});
        }
        if (const std::optional<json::Value>& attrs = fields.get("attrs")) {
            readAttributes(*attrs, pending.node, pending.graphs, m_tensors, m_problem);
        }
    }

    void readOp(Frame& frame, const Fields& fields, Node& node) {
        const std::optional<json::Value> op = fields.required("op", "the operator's name");
        if (m_problem.failed()) {
            return;
        }
        node.op.name = nameOf(*op, "'op'", m_problem);
        if (const std::optional<json::Value>& name = fields.get("name")) {
            node.name = stringOf(*name, "'name'", m_problem);
        }
        if (const std::optional<json::Value>& domain = fields.get("domain")) {
            node.op.domain = stringOf(*domain, "'domain'", m_problem);
            node.op.domain = node.op.domain == "ai.onnx" ? std::string() : node.op.domain;
        } else if (node.op.name == "fused") {
            // The parts of a fused op are its meaning; its name is what the compiler calls it.
            if (!m_problem.failed() && !fields.has("body")) {
                m_problem.report("a fused op needs its parts: \"body\": {\"inputs\": ..., \"nodes\": ..., \"outputs\": ...}", op->offset);
            }
            node.op.domain = FormDomain;
            node.op.version = FormVersion;
            if (!node.name.empty()) {
                node.op.name = std::move(node.name);
                node.name.clear();
            }
        }
        if (const std::optional<json::Value>& version = fields.get("version")) {
            node.op.version = integerOf(*version, "'version'", m_problem);
            if (node.op.version < 0 || node.op.version > MaxVersion) {
                m_problem.report("'version' is " + std::to_string(node.op.version) + ", expected an opset version such as 17", version->offset);
            }
            return;
        }
        if (node.op.version != 0) {
            return;
        }
        const std::map<std::string, std::int64_t>& opsets = frame.scope.graph().opsets;
        const auto opset = opsets.find(node.op.domain);
        if (opset != opsets.end()) {
            node.op.version = opset->second;
        } else if (node.op.domain.empty()) {
            m_problem.report("the graph has no 'opset': write the ONNX opset whose ops are meant, such as \"opset\": 17", op->offset);
        }
    }

    void readOperands(Frame& frame, const json::Value& in, Node& node) {
        if (!in.isArray()) {
            m_problem.report("'in' is " + std::string(in.kindName()) + ", expected a list of operands", in.offset);
            return;
        }
        node.operands.reserve(in.length);
        Cursor cursor(in);
        while (const std::optional<json::Value> item = m_problem.failed() ? std::nullopt : cursor.next()) {
            if (item->kind == Kind::String) {
                node.operands.push_back(frame.scope.resolve(item->string(), "operand", item->offset, m_problem));
            } else if (item->kind == Kind::Object) {
                node.operands.push_back(lowerPart(*item, frame.scope, m_problem));
                m_problem.within(indexed("in", node.operands.size() - 1));
            } else if (item->kind == Kind::Null) {
                node.operands.emplace_back();
            } else {
                m_problem.report(indexed("in", node.operands.size()) + " is " + std::string(item->kindName()) +
                                     ", expected a name, a part {\"of\": ...}, or null for an operand left out",
                                 item->offset);
            }
        }
    }

    void readResults(Frame& frame, const json::Value& out, PendingNode& pending) {
        if (!out.isArray()) {
            m_problem.report("'out' is " + std::string(out.kindName()) + ", expected a list of results", out.offset);
            return;
        }
        pending.results.reserve(out.length);
        Cursor cursor(out);
        while (const std::optional<json::Value> item = m_problem.failed() ? std::nullopt : cursor.next()) {
            const std::string what = indexed("out", pending.results.size());
            if (item->kind == Kind::String) {
                pending.results.emplace_back(nameOf(*item, what, m_problem));
            } else if (item->kind == Kind::Object) {
                pending.results.emplace_back(readStore(*item, frame.scope, m_problem));
                m_problem.within(what);
            } else if (item->kind == Kind::Null) {
                pending.results.emplace_back();
            } else {
                m_problem.report(what + " is " + std::string(item->kindName()) +
                                     ", expected a name, a place in a table {\"into\": ...}, or null for a result that is not kept",
                                 item->offset);
            }
        }
    }

    /// All operands are read; now the results get their values, and those that land in tables are written in order.
    void finishNode(Frame& frame, PendingNode pending) {
        Graph& graph = frame.scope.graph();
        Node& node = pending.node;
        std::vector<std::pair<const StoreTarget*, ValueId>> stores;
        for (const PendingResult& result : pending.results) {
            if (const auto* name = std::get_if<std::string>(&result)) {
                Value value;
                value.name = *name;
                node.results.push_back(graph.addValue(std::move(value)));
                frame.scope.define(*name, node.results.back(), Origin::Node, frame.scope.position(), pending.outOffset, m_problem);
            } else if (const auto* store = std::get_if<StoreTarget>(&result)) {
                Value value;
                const std::size_t before = static_cast<std::size_t>(
                    std::count_if(stores.begin(), stores.end(), [&](const auto& other) { return other.first->table == store->table; }));
                value.name =
                    frame.scope.freshName(store->table + "#" + std::to_string(frame.scope.findTable(store->table)->versions + before + 1) + ".value");
                node.results.push_back(graph.addValue(std::move(value)));
                stores.emplace_back(store, node.results.back());
            } else {
                node.results.emplace_back();
            }
        }
        if (m_problem.failed()) {
            m_problem.within(place(frame, &pending));
            return;
        }
        graph.addNode(std::move(node));
        for (const auto& [store, value] : stores) {
            lowerStore(*store, value, frame.scope);
        }
    }

    const Document& m_document;
    TensorReader m_tensors;
    std::stop_token m_stop;
    Problem m_problem;
    std::vector<std::unique_ptr<Frame>> m_frames;
    std::shared_ptr<const Graph> m_done;
    std::string m_entryName;
    std::int64_t m_zeroBytes = 0;
    std::size_t m_steps = 0;
};

} // namespace

} // namespace json

Result<std::shared_ptr<const Graph>> readJsonGraph(std::string_view text, const std::filesystem::path& file, std::stop_token stop) {
    const Result<json::Document> document = json::Document::parse(text, file, stop);
    if (!document) {
        return tl::unexpected<Error>(document.error());
    }
    return json::Reader(*document, file, std::move(stop)).run();
}

} // namespace lemmascope
