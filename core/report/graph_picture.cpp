#include "core/report/graph_picture.h"

#include "core/layout/layered.h"
#include "core/report/json_writer.h"
#include "core/report/outcome.h"
#include "core/report/report_document.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace lemmascope {

namespace {

constexpr double LineHeight = 14.0;
constexpr std::size_t WidestLine = 44; ///< columns
constexpr std::size_t MostAttributeLines = 8;

std::size_t columns(const std::string& text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

/// At most `most` characters; never cuts inside a UTF-8 sequence.
std::string cut(const std::string& text, std::size_t most = 28) {
    std::size_t seen = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((static_cast<unsigned char>(text[i]) & 0xC0U) != 0x80U && ++seen > most) {
            return text.substr(0, i) + "..";
        }
    }
    return text;
}

/// Broken into lines of at most WidestLine columns, behind commas where there are some.
std::vector<std::string> broken(const std::string& text) {
    std::vector<std::string> lines;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = begin;
        std::size_t after = std::string::npos; ///< behind the last comma or blank that fits
        for (std::size_t seen = 0; end < text.size(); ++end) {
            if ((static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U && ++seen > WidestLine) {
                break;
            }
            if (text[end] == ' ' || text[end] == ',') {
                after = end + 1;
            }
        }
        if (end < text.size() && after != std::string::npos && after > begin) {
            end = after;
        }
        std::string line = text.substr(begin, end - begin);
        line.erase(line.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
        begin = end;
    }
    return lines;
}

/// `axis=1, perm=[1, 0]` in lines: all attributes that mean something to a reader, without those of our own spelling. What would take
/// more than MostAttributeLines ends in dots: the report's tables have it.
std::vector<std::string> attributeLines(const Node& node) {
    std::string all;
    for (const auto& [key, value] : node.attributes) {
        if (key.starts_with("lemmascope.") || std::holds_alternative<std::shared_ptr<const Graph>>(value) ||
            std::holds_alternative<std::vector<std::shared_ptr<const Graph>>>(value)) {
            continue;
        }
        all += (all.empty() ? "" : ", ") + key + "=" + attributeText(value);
    }
    std::vector<std::string> lines = broken(all);
    if (lines.size() > MostAttributeLines) {
        lines.resize(MostAttributeLines);
        lines.back() += " ..";
    }
    return lines;
}

/// One side ready for layout: boxes of ops and of the values they read from outside the chosen ones.
struct Drawn {
    struct Label {
        std::vector<std::string> lines; ///< the op; its name; what it is told: axis, perm, ...
        std::size_t muted = 0;          ///< the line that is the name; 0: none
        std::string tip;
        std::optional<Role> role; ///< absent for a value
    };
    LayoutGraph layout;
    std::vector<Label> labels;                    ///< by layout node
    std::map<std::uint32_t, std::uint32_t> boxOf; ///< FlatNodeId index -> layout node

    void add(Label label, bool pulledDown) {
        std::size_t widest = 0;
        for (const std::string& line : label.lines) {
            widest = std::max(widest, columns(line));
        }
        LayoutGraph::Node node;
        const bool badge = label.role && *label.role != Role::Plain;
        node.width = static_cast<double>(widest) * PictureCharacterWidth + 16.0 + (badge ? PictureBadge : 0.0);
        node.height = !label.role ? 20.0 : 10.0 + LineHeight * static_cast<double>(label.lines.size());
        node.pulledDown = pulledDown;
        layout.nodes.push_back(node);
        labels.push_back(std::move(label));
    }
};

/// `chosen`: flat ids of nodes of one instance, in order. `relations`: marks by flat id; may be empty.
Drawn draw(const GraphTree& tree, const std::vector<FlatNodeId>& chosen, const std::vector<NodeRelation>& relations, Side side) {
    Drawn out;
    std::map<std::uint32_t, std::uint32_t> valueBox; ///< value index in the instance's graph -> layout node
    if (chosen.empty()) {
        return out;
    }
    const GraphInstance& instance = tree.instanceOf(chosen.front());
    const Graph& graph = *instance.graph;
    for (const FlatNodeId id : chosen) {
        const Node& node = tree.node(id);
        const NodeId local(id.index - instance.nodeBase);
        Drawn::Label label{.lines = {cut(node.op.text(), WidestLine)}, .muted = 0, .tip = nodeText(tree, id), .role = Role::Plain};
        if (id.index < relations.size()) {
            label.role = roleOf(relations[id.index].mark, side);
        }
        if (const std::string own = cut(graph.displayName(local), WidestLine); !own.empty()) {
            label.muted = label.lines.size();
            label.lines.push_back(own);
        }
        for (std::string& line : attributeLines(node)) {
            label.lines.push_back(std::move(line));
        }
        const auto box = static_cast<std::uint32_t>(out.layout.nodes.size());
        out.boxOf[id.index] = box;
        for (const ValueId result : node.results) {
            if (result.isValid()) {
                valueBox[result.index] = box;
            }
        }
        out.add(std::move(label), false);
    }
    for (const FlatNodeId id : chosen) {
        const std::uint32_t to = out.boxOf.at(id.index);
        std::set<std::uint32_t> seen;
        for (const ValueId operand : tree.node(id).operands) {
            if (!operand.isValid()) {
                continue;
            }
            const auto [at, isNew] = valueBox.emplace(operand.index, static_cast<std::uint32_t>(out.layout.nodes.size()));
            if (isNew) {
                const Value& value = graph.value(operand);
                out.add({.lines = {cut(value.name + " " + value.type.text(), WidestLine)}, .muted = 0, .tip = value.name, .role = std::nullopt},
                        true);
            }
            if (seen.insert(at->second).second) {
                out.layout.edges.push_back({at->second, to});
            }
        }
    }
    // An output of the graph ends in a flat box of its own.
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
        const auto at = valueBox.find(graph.outputs[i].index);
        if (at != valueBox.end()) {
            const auto box = static_cast<std::uint32_t>(out.layout.nodes.size());
            const std::uint32_t from = at->second;
            out.add({.lines = {cut("output " + graph.outputName(i), WidestLine)}, .muted = 0, .tip = {}, .role = std::nullopt}, false);
            out.layout.edges.push_back({from, box});
        }
    }
    return out;
}

void paint(Picture& picture, const Drawn& drawn, const Layout& layout, double left, double top) {
    for (std::size_t i = 0; i < drawn.layout.nodes.size(); ++i) {
        const LayoutGraph::Node& node = drawn.layout.nodes[i];
        const Drawn::Label& label = drawn.labels[i];
        const double x = left + layout.nodes[i].x;
        const double y = top + layout.nodes[i].y;
        picture.boxes.push_back({x - node.width / 2.0, y - node.height / 2.0, node.width, node.height, label.role, label.tip});
        const bool badge = label.role && *label.role != Role::Plain;
        double line = y + 4.0 - LineHeight / 2.0 * static_cast<double>(label.lines.size() - 1);
        if (badge) {
            const double glyphLine = y - node.height / 2.0 + 14.0;
            picture.texts.push_back(
                {x - node.width / 2.0 + PictureBadge / 2.0, glyphLine, lookOf(*label.role).glyph, Picture::Ink::Text, true, label.role});
        }
        for (std::size_t at = 0; at < label.lines.size(); ++at) {
            const bool muted = !label.role || (label.muted > 0 && at == label.muted);
            picture.texts.push_back(
                {x + (badge ? PictureBadge / 2.0 : 0.0), line, label.lines[at], muted ? Picture::Ink::Muted : Picture::Ink::Text, true, label.role});
            line += LineHeight;
        }
    }
    for (std::size_t i = 0; i < layout.edges.size(); ++i) {
        Picture::Line line{.points = {}, .arrow = true, .dashed = i < layout.stub.size() && layout.stub[i]};
        for (const LayoutPoint& point : layout.edges[i]) {
            line.points.emplace_back(left + point.x, top + point.y);
        }
        picture.lines.push_back(std::move(line));
    }
}

/// `Softmax weights, failing pair; MatMul mixed`
std::string describeSide(const Drawn& drawn) {
    std::string out;
    for (const Drawn::Label& label : drawn.labels) {
        if (label.role) {
            out += (out.empty() ? "" : "; ") + label.lines.front() + (label.muted > 0 ? " " + label.lines[label.muted] : "");
            out += *label.role == Role::Plain ? "" : std::string(", ") + lookOf(*label.role).word;
        }
    }
    return out.empty() ? "nothing that is drawn" : out;
}

/// The roles that occur, below the drawings, in lines as wide as the picture.
void addLegend(Picture& picture, double margin) {
    std::set<Role> seen;
    for (const Picture::Box& box : picture.boxes) {
        if (box.role && *box.role != Role::Plain) {
            seen.insert(*box.role);
        }
    }
    if (seen.empty()) {
        return;
    }
    constexpr double Height = 22.0;
    double x = margin;
    double y = picture.height + 4.0;
    for (const Role role : seen) {
        const std::string word = lookOf(role).word;
        const double width = PictureBadge + 12.0 + static_cast<double>(columns(word)) * PictureCharacterWidth;
        if (x > margin && x + width > picture.width - margin) {
            x = margin;
            y += Height + 10.0;
        }
        picture.boxes.push_back({x, y, width, Height, role, {}});
        picture.texts.push_back({x + PictureBadge / 2.0, y + 15.0, lookOf(role).glyph, Picture::Ink::Text, true, role});
        picture.texts.push_back({x + PictureBadge + 4.0, y + 15.0, word, Picture::Ink::Text, false, role});
        x += width + 16.0;
    }
    picture.height = y + Height + margin;
}

constexpr std::size_t MostRegionNodes = 40;

/// The decisive nodes of one side, grown by their neighbours up to the limit; all of one graph instance, in file order.
std::vector<FlatNodeId> region(const CheckResult& result, Side side) {
    const auto& tree = side == Side::Reference ? result.reference : result.rewritten;
    std::vector<FlatNodeId> seeds;
    if (!tree || tree->nodeCount() == 0) {
        return {};
    }
    if (const LemmaResult* lemma = decisiveLemma(result)) {
        seeds = side == Side::Reference ? lemma->referenceNodes : lemma->rewrittenNodes;
    }
    for (const Blame& blame : result.blame) {
        if (blame.side == side) {
            seeds.push_back(blame.node);
        }
    }
    const Graph& top = tree->top();
    for (std::size_t i = 0; i < result.outputs.size() && seeds.empty(); ++i) {
        const OutputResult& output = result.outputs[i];
        const FlatValueId value = side == Side::Reference ? output.reference : output.rewritten;
        if (output.verdict == result.verdict && value.isValid() && value.index < top.values.size() && top.values[value.index].producer.isValid()) {
            seeds.emplace_back(top.values[value.index].producer.index);
        }
    }
    seeds.erase(std::remove_if(seeds.begin(), seeds.end(), [&](FlatNodeId id) { return !id.isValid() || id.index >= tree->nodeCount(); }),
                seeds.end());
    if (seeds.empty()) {
        return {};
    }
    const GraphInstance& instance = tree->instanceOf(seeds.front());
    const Graph& graph = *instance.graph;
    std::vector<std::vector<std::uint32_t>> readers(graph.values.size());
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        for (const ValueId operand : graph.nodes[n].operands) {
            if (operand.isValid()) {
                readers[operand.index].push_back(static_cast<std::uint32_t>(n));
            }
        }
    }
    std::set<std::uint32_t> chosen;
    std::vector<std::uint32_t> front;
    for (const FlatNodeId seed : seeds) {
        if (&tree->instanceOf(seed) == &instance && chosen.size() < MostRegionNodes && chosen.insert(seed.index - instance.nodeBase).second) {
            front.push_back(seed.index - instance.nodeBase);
        }
    }
    for (int hop = 0; hop < 2; ++hop) {
        std::vector<std::uint32_t> next;
        const auto take = [&](std::uint32_t node) {
            if (chosen.size() < MostRegionNodes && chosen.insert(node).second) {
                next.push_back(node);
            }
        };
        for (const std::uint32_t at : front) {
            for (const ValueId operand : graph.nodes[at].operands) {
                if (operand.isValid() && graph.value(operand).producer.isValid()) {
                    take(graph.value(operand).producer.index);
                }
            }
            for (const ValueId value : graph.nodes[at].results) {
                for (const std::uint32_t reader : value.isValid() ? readers[value.index] : std::vector<std::uint32_t>()) {
                    take(reader);
                }
            }
        }
        front = std::move(next);
    }
    std::vector<FlatNodeId> out;
    for (const std::uint32_t node : chosen) {
        out.emplace_back(instance.nodeBase + node);
    }
    return out;
}

} // namespace

Result<Picture> graphPicture(const GraphTree& tree, std::stop_token stop) {
    static constexpr std::size_t MostNodes = 20'000;
    const Graph& graph = tree.top();
    if (graph.nodes.size() > MostNodes) {
        return fail(ErrorCode::TooLarge, "the graph has " + std::to_string(graph.nodes.size()) + " nodes; a picture holds at most 20,000");
    }
    std::vector<FlatNodeId> all;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        all.emplace_back(i);
    }
    const Drawn drawn = draw(tree, all, {}, Side::Reference);
    const Result<Layout> layout = layoutLayered(drawn.layout, std::move(stop));
    if (!layout) {
        return tl::unexpected(layout.error());
    }
    Picture picture;
    picture.title = (graph.name.empty() ? "graph" : graph.name) + ", " + std::to_string(graph.nodes.size()) + " nodes";
    picture.width = layout->width + 40.0;
    picture.height = layout->height + 40.0;
    paint(picture, drawn, *layout, 20.0, 20.0);
    return picture;
}

Result<Picture> regionPicture(const CheckResult& result, std::stop_token stop) {
    Drawn sides[2];
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto& tree = side == Side::Reference ? result.reference : result.rewritten;
        const auto& relations = side == Side::Reference ? result.correspondence.reference : result.correspondence.rewritten;
        const std::vector<FlatNodeId> nodes = region(result, side);
        if (!nodes.empty()) {
            sides[static_cast<std::size_t>(side)] = draw(*tree, nodes, relations, side);
        }
    }
    for (const auto& [node, box] : sides[0].boxOf) {
        if (node < result.correspondence.reference.size()) {
            const auto partner = sides[1].boxOf.find(result.correspondence.reference[node].partner.index);
            if (partner != sides[1].boxOf.end()) {
                sides[0].layout.nodes[box].partner = partner->second;
            }
        }
    }
    const Result<JointLayout> layout = layoutJoint(sides[0].layout, sides[1].layout, std::move(stop));
    if (!layout) {
        return tl::unexpected(layout.error());
    }
    static constexpr double Margin = 20.0;
    static constexpr double Top = 70.0;
    const std::string line = cut(verdictLine(result), 110);
    const double leftWidth = std::max(layout->reference.width, 120.0);
    const double rightWidth = std::max(layout->rewritten.width, 120.0);
    Picture picture;
    picture.title = verdictLine(result);
    picture.width = std::max(leftWidth + rightWidth + 4.0 * Margin, static_cast<double>(columns(line)) * PictureCharacterWidth + 2.0 * Margin);
    picture.height = Top + std::max(layout->reference.height, layout->rewritten.height) + Margin;
    picture.texts.push_back({Margin, 24.0, line, Picture::Ink::Text, false, {}});
    const double right = Margin + leftWidth + 2.0 * Margin;
    picture.texts.push_back({Margin, 52.0, "reference", Picture::Ink::Muted, false, {}});
    picture.texts.push_back({right, 52.0, "rewritten", Picture::Ink::Muted, false, {}});
    paint(picture, sides[0], layout->reference, Margin, Top);
    paint(picture, sides[1], layout->rewritten, right, Top);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        picture.description += side == Side::Reference ? "Reference: " : " Rewritten: ";
        picture.description += describeSide(sides[static_cast<std::size_t>(side)]) + ".";
    }
    addLegend(picture, Margin);
    return picture;
}

std::string graphDot(const Graph& graph) {
    std::string out = "digraph " + jsonString(graph.name.empty() ? "graph" : graph.name) + " {\n  node [shape=box];\n";
    const auto valueNode = [](ValueId id) { return "v" + std::to_string(id.index); };
    const auto nodeNode = [](std::size_t index) { return "n" + std::to_string(index); };
    std::set<std::uint32_t> shown;
    for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
        const Node& node = graph.nodes[i];
        out += "  " + nodeNode(i) + " [label=" + jsonString(node.op.text() + "\n" + graph.displayName(NodeId(i))) + "];\n";
        for (const ValueId operand : node.operands) {
            if (!operand.isValid()) {
                continue;
            }
            const Value& value = graph.value(operand);
            if (!value.producer.isValid() && shown.insert(operand.index).second) {
                out += "  " + valueNode(operand) + " [label=" + jsonString(value.name + "\n" + value.type.text()) + ", shape=plaintext];\n";
            }
            const std::string from = value.producer.isValid() ? nodeNode(value.producer.index) : valueNode(operand);
            out += "  " + from + " -> " + nodeNode(i);
            out += value.producer.isValid() ? " [label=" + jsonString(value.type.text()) + "];\n" : ";\n";
        }
    }
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
        const Value& value = graph.value(graph.outputs[i]);
        out += "  o" + std::to_string(i) + " [label=" + jsonString("output " + graph.outputName(i)) + ", shape=plaintext];\n";
        out += "  " + (value.producer.isValid() ? nodeNode(value.producer.index) : valueNode(graph.outputs[i])) + " -> o" + std::to_string(i) + ";\n";
    }
    return out + "}\n";
}

} // namespace lemmascope
