#include "core/format/json/json_writer.h"

#include "core/format/json/form_plan.h"
#include "core/format/json/forms.h"
#include "core/format/json/json_print.h"
#include "core/format/json/json_text.h"

#include <algorithm>
#include <cassert>
#include <memory>
#include <unordered_map>
#include <unordered_set>

// Graphs nest: a stack of frames, one for each graph whose text is being made. A node whose graphs are not all printed waits in
// its frame, as in the reader.

namespace lemmascope {

namespace json {

namespace {

using lemmascope::Value;

/// Levels of lists and objects that one graph inside another adds at most (attrs, list, graph, nodes, node).
constexpr std::size_t DeepestGraphs = Document::MaxDepth / 5 - 2;

struct Frame {
    const Graph* graph = nullptr;
    FormPlan plan;
    std::vector<std::string> names; ///< by value; empty for those without a name in the file
    std::string indent;
    std::string text;
    std::size_t node = 0;
    bool anyNode = false;
    std::vector<std::pair<std::string, std::shared_ptr<const Graph>>> nested; ///< of the node that waits
    std::vector<std::string> nestedTexts;
    bool waiting = false;
};

class Writer {
  public:
    Writer(const Graph& graph, std::vector<std::string>& notes) : m_top(graph), m_notes(notes) {}

    Result<std::string> run() {
        open(m_top, nullptr);
        while (true) {
            Frame& frame = *m_frames.back();
            if (frame.text.size() > Document::MaxBytes || m_frames.size() > DeepestGraphs) {
                return fail(ErrorCode::TooLarge, frame.text.size() > Document::MaxBytes
                                                     ? "the graph does not fit into a JSON text of 4 GB"
                                                     : "graphs are nested deeper than " + std::to_string(DeepestGraphs) + " levels");
            }
            if (frame.waiting) {
                if (frame.nestedTexts.size() < frame.nested.size()) {
                    open(*frame.nested[frame.nestedTexts.size()].second, &frame);
                    continue;
                }
                printNode(frame);
                continue;
            }
            if (frame.node < frame.graph->nodes.size()) {
                if (frame.plan.hiddenNodes[frame.node]) {
                    ++frame.node;
                    continue;
                }
                frame.nested = Graph::nestedGraphs(frame.graph->nodes[frame.node]);
                frame.waiting = true;
                continue;
            }
            close(frame);
            std::string text = std::move(frame.text);
            m_frames.pop_back();
            if (m_frames.empty()) {
                return text + "\n";
            }
            m_frames.back()->nestedTexts.push_back(std::move(text));
        }
    }

  private:
    // --- names ------------------------------------------------------------------------------------------------------

    /// Every value that the file names gets a name of its own, its own where that is possible. What is captured keeps the
    /// outer graph's name; a table's versions all have the table's.
    void assignNames(Frame& frame, const Frame* outer) {
        const Graph& graph = *frame.graph;
        frame.names.resize(graph.values.size());
        std::unordered_set<std::string> taken;
        std::vector<bool> captured(graph.values.size(), false);
        for (const Capture& capture : graph.captures) {
            assert(outer != nullptr);
            frame.names[capture.inner.index] = outer->names[capture.outer.index];
            taken.insert(frame.names[capture.inner.index]);
            captured[capture.inner.index] = true;
        }
        std::unordered_map<std::uint32_t, std::string> wanted;
        for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
            wanted.emplace(graph.outputs[k].index, graph.outputName(k));
        }
        std::vector<bool> isInput(graph.values.size(), false);
        for (const ValueId input : graph.inputs) {
            isInput[input.index] = true;
        }
        std::unordered_map<std::string, std::uint32_t> counts;
        for (std::size_t v = 0; v < graph.values.size(); ++v) {
            const ValueId id(v);
            const auto version = frame.plan.versions.find(id);
            if (captured[v] || frame.plan.hiddenValues[v] || (version != frame.plan.versions.end() && version->second != id)) {
                continue;
            }
            const Value& value = graph.values[v];
            const auto output = wanted.find(static_cast<std::uint32_t>(v));
            const bool renamed = output != wanted.end() && value.producer.isValid();
            frame.names[v] = freshName(renamed ? output->second : value.name, v, taken, counts);
        }
        for (const auto& [version, base] : frame.plan.versions) {
            frame.names[version.index] = frame.names[base.index];
        }
        for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
            const std::string& written = frame.names[graph.outputs[k].index];
            if (written != graph.outputName(k) && isUtf8(graph.outputName(k)) && frame.indent.empty()) {
                m_notes.push_back("output '" + graph.outputName(k) + "' is written as '" + written + "'");
            }
        }
    }

    std::string freshName(const std::string& own, std::size_t index, std::unordered_set<std::string>& taken,
                          std::unordered_map<std::string, std::uint32_t>& counts) {
        const std::string base = own.empty() ? "v" + std::to_string(index) : asUtf8(own);
        std::string name = base;
        std::uint32_t& count = counts[base];
        while (!taken.insert(name).second) {
            name = base + "_" + std::to_string(++count + 1);
        }
        if (name != own && m_notes.size() < MostNotes) {
            m_notes.push_back(own.empty() ? "a value without a name is written as '" + name + "'"
                                          : "value '" + asUtf8(own) + "' is written as '" + name + "': names are unique and UTF-8");
        }
        return name;
    }

    // --- graphs -----------------------------------------------------------------------------------------------------

    void open(const Graph& graph, const Frame* outer) {
        auto frame = std::make_unique<Frame>();
        frame->graph = &graph;
        frame->plan = planForms(graph, outer == nullptr);
        frame->indent = outer == nullptr ? std::string() : outer->indent + "    ";
        assignNames(*frame, outer);
        printHead(*frame, outer == nullptr);
        m_frames.push_back(std::move(frame));
    }

    void printHead(Frame& frame, bool top) {
        const Graph& graph = *frame.graph;
        std::string& out = frame.text;
        out = top ? "{\"format\": \"lemmascope-graph\", \"version\": 1" : "{";
        bool first = !top;
        const auto key = [&](const std::string& name, const std::string& value) {
            out += (first ? "\"" : ", \"") + name + "\": " + value;
            first = false;
        };
        if (!graph.name.empty()) {
            key("name", printString(graph.name));
        }
        if (top) {
            printVersions(graph, key);
        }
        std::vector<std::string> inputs;
        std::vector<std::string> constants;
        std::vector<std::string> tables;
        for (const ValueId input : graph.inputs) {
            const Value& value = graph.value(input);
            const std::string name = printString(frame.names[input.index]);
            if (frame.plan.tables.contains(input)) {
                tables.push_back("{\"name\": " + name + ", " + printType(value.type) + ", \"start\": \"input\"}");
            } else if (!top && value.type == TensorType{} && !value.range) {
                inputs.push_back(name);
            } else {
                inputs.push_back("{\"name\": " + name + ", " + printType(value.type) +
                                 (value.range ? ", \"range\": " + printInts({value.range->low, value.range->high}) : "") + "}");
            }
        }
        for (std::size_t v = 0; v < graph.values.size(); ++v) {
            const Value& value = graph.values[v];
            if (!value.constant || value.producer.isValid() || frame.plan.hiddenValues[v]) {
                continue;
            }
            const std::string name = printString(frame.names[v]);
            if (frame.plan.tables.contains(ValueId(v))) {
                tables.push_back("{\"name\": " + name + ", " + printType(value.type) + ", \"start\": \"zero\"}");
            } else {
                constants.push_back("{\"name\": " + name + ", " + printTensor(*value.constant) + "}");
            }
        }
        printLines(frame, "inputs", inputs, first);
        printLines(frame, "constants", constants, first);
        printLines(frame, "tables", tables, first);
        printLines(frame, "values", declaredTypes(frame), first);
        out += std::string(first ? "" : ",") + "\n" + frame.indent + "  \"nodes\": [";
    }

    template <typename Key>
    static void printVersions(const Graph& graph, const Key& key) {
        std::string others;
        for (const auto& [domain, version] : graph.opsets) {
            if (domain.empty()) {
                key("opset", std::to_string(version));
            } else {
                others += (others.empty() ? "" : ", ") + printString(domain) + ": " + std::to_string(version);
            }
        }
        if (!others.empty()) {
            key("opsets", "{" + others + "}");
        }
        std::string symbols;
        for (const auto& [symbol, range] : graph.symbols) {
            symbols += (symbols.empty() ? "" : ", ") + printString(symbol) + ": " + printInts({range.low, range.high});
        }
        if (!symbols.empty()) {
            key("symbols", "{" + symbols + "}");
        }
    }

    /// An entry a line; bare names share one.
    static void printLines(Frame& frame, const std::string& key, const std::vector<std::string>& lines, bool& first) {
        if (lines.empty()) {
            return;
        }
        const bool names = std::all_of(lines.begin(), lines.end(), [](const std::string& line) { return line.front() == '"'; });
        frame.text += std::string(first ? "" : ",") + "\n" + frame.indent + "  \"" + key + "\": [";
        for (std::size_t k = 0; k < lines.size(); ++k) {
            frame.text += (k == 0 ? "" : (names ? ", " : ",")) + (names ? std::string() : "\n" + frame.indent + "    ") + lines[k];
        }
        frame.text += "]";
        first = false;
    }

    /// Types that the file declares for results; a table's versions have the table's.
    static std::vector<std::string> declaredTypes(const Frame& frame) {
        std::vector<std::string> lines;
        for (std::size_t v = 0; v < frame.graph->values.size(); ++v) {
            const Value& value = frame.graph->values[v];
            if (value.producer.isValid() && value.type != TensorType{} && !frame.plan.hiddenValues[v] && !frame.plan.versions.contains(ValueId(v))) {
                lines.push_back("{\"name\": " + printString(frame.names[v]) + ", " + printType(value.type) + "}");
            }
        }
        return lines;
    }

    void close(Frame& frame) {
        frame.text += "],\n" + frame.indent + "  \"outputs\": [";
        for (std::size_t k = 0; k < frame.graph->outputs.size(); ++k) {
            frame.text += (k == 0 ? "" : ", ") + printString(frame.names[frame.graph->outputs[k].index]);
        }
        frame.text += "]}";
    }

    // --- nodes ------------------------------------------------------------------------------------------------------

    static std::string printWords(const Frame& frame, const WrittenPart& part) {
        std::vector<std::string> words;
        if (!part.rows.empty()) {
            words.push_back("\"rows\": " + part.rows);
        }
        if (part.rowIndices.isValid()) {
            words.push_back("\"rows\": " + printString(frame.names[part.rowIndices.index]));
        }
        if (part.rowAt.isValid()) {
            words.push_back("\"rows\": {\"at\": " + printString(frame.names[part.rowAt.index]) + ", \"count\": " + std::to_string(part.count) + "}");
        }
        if (!part.cols.empty()) {
            words.push_back("\"cols\": " + part.cols);
        }
        if (!part.slice.empty()) {
            words.push_back("\"slice\": " + part.slice);
        }
        std::string out;
        for (const std::string& word : words) {
            out += ", " + word;
        }
        return out + "}";
    }

    static std::string printPlaces(const Frame& frame, const std::vector<ValueId>& ids, const std::map<ValueId, WrittenPart>& parts,
                                   const std::string& preposition, std::size_t atLeast) {
        std::string out = "[";
        for (std::size_t k = 0; k < std::max(ids.size(), atLeast); ++k) {
            out += k == 0 ? "" : ", ";
            const ValueId id = k < ids.size() ? ids[k] : ValueId();
            const auto part = id.isValid() ? parts.find(id) : parts.end();
            if (part != parts.end()) {
                out += "{\"" + preposition + "\": " + printString(frame.names[part->second.of.index]) + printWords(frame, part->second);
            } else {
                out += id.isValid() ? printString(frame.names[id.index]) : "null";
            }
        }
        return out + "]";
    }

    void printNode(Frame& frame) {
        const Node& node = frame.graph->nodes[frame.node];
        std::string& out = frame.text;
        out += (frame.anyNode ? ",\n    " : "\n    ") + frame.indent + "{\"op\": ";
        printOp(frame, node);
        const std::size_t bodyInputs = node.body ? node.body->inputs.size() : 0;
        const std::size_t bodyOutputs = node.body ? node.body->outputs.size() : 0;
        if (!node.operands.empty() || bodyInputs > 0) {
            out += ", \"in\": " + printPlaces(frame, node.operands, frame.plan.parts, "of", bodyInputs);
        }
        out += ", \"out\": " + printPlaces(frame, node.results, frame.plan.stores, "into", bodyOutputs);
        std::size_t nested = 0;
        std::string body;
        if (node.body) {
            body = frame.nestedTexts[nested++];
        }
        std::string attributes;
        for (const auto& [key, attribute] : node.attributes) {
            if (key == FormAttribute || key == WordsAttribute) {
                continue; // a form that does not fit any more: the node says what it means by itself
            }
            attributes += (attributes.empty() ? "" : ", ") + printString(key) + ": ";
            const auto* graphs = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute);
            if (std::holds_alternative<std::shared_ptr<const Graph>>(attribute)) {
                attributes += frame.nestedTexts[nested++];
            } else if (graphs != nullptr && !graphs->empty()) {
                for (std::size_t k = 0; k < graphs->size(); ++k) {
                    attributes += (k == 0 ? "[" : ", ") + frame.nestedTexts[nested++];
                }
                attributes += "]";
            } else {
                attributes += printAttribute(attribute);
            }
        }
        if (!attributes.empty()) {
            out += ", \"attrs\": {" + attributes + "}";
        }
        if (node.body) {
            out += ", \"body\": " + body;
        }
        out += "}";
        frame.anyNode = true;
        frame.waiting = false;
        frame.nested.clear();
        frame.nestedTexts.clear();
        ++frame.node;
    }

    void printOp(Frame& frame, const Node& node) {
        std::string& out = frame.text;
        const OpId& op = node.op;
        if (node.body && node.name.empty() && op.domain == FormDomain && op.version == FormVersion) {
            out += "\"fused\"" + (op.name == "fused" ? std::string() : ", \"name\": " + printString(op.name));
            return;
        }
        out += printString(op.name);
        if (!node.name.empty()) {
            out += ", \"name\": " + printString(node.name);
        }
        if (!op.domain.empty() || op.name == "fused") {
            out += ", \"domain\": " + printString(op.domain);
        }
        const auto opset = m_top.opsets.find(op.domain);
        if (op.version != (opset == m_top.opsets.end() ? 0 : opset->second) || (opset == m_top.opsets.end() && op.domain.empty())) {
            out += ", \"version\": " + std::to_string(op.version);
        }
    }

    static constexpr std::size_t MostNotes = 100;
    const Graph& m_top;
    std::vector<std::string>& m_notes;
    std::vector<std::unique_ptr<Frame>> m_frames;
};

} // namespace

} // namespace json

Result<std::string> writeJsonGraph(const Graph& graph, std::vector<std::string>& notes) { return json::Writer(graph, notes).run(); }

} // namespace lemmascope
