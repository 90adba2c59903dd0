#include "tests/ui/canvas/canvas_fixture.h"

#include <map>
#include <set>
#include <sstream>

namespace lemmascope::test {

namespace {

TensorType matrix() { return TensorType{ElementType::F32, Shape{Dim(2), Dim::symbol("n")}}; }

} // namespace

std::shared_ptr<const Graph> graphFrom(const std::string& text) {
    auto graph = std::make_shared<Graph>();
    std::map<std::string, ValueId> values;
    std::set<std::string> read;
    const auto valueOf = [&](const std::string& word) {
        read.insert(word);
        const auto at = values.find(word);
        if (at != values.end()) {
            return at->second;
        }
        Value value;
        value.name = word;
        value.type = matrix();
        if (word.front() == '@') {
            value.name = word.substr(1);
            value.constant = Tensor::of<float>(ElementType::F32, {}, {0.125F});
            value.type = TensorType{ElementType::F32, Shape{}};
        }
        const ValueId id = graph->addValue(std::move(value));
        if (word.front() != '@') {
            graph->inputs.push_back(id);
        }
        values.emplace(word, id);
        return id;
    };
    std::istringstream lines(text);
    std::vector<std::string> results;
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string name;
        std::string equals;
        Node made;
        if (!(words >> name >> equals >> made.op.name)) {
            continue;
        }
        made.name = name;
        made.op.version = 17;
        for (std::string word; words >> word;) {
            const std::size_t at = word.find('=');
            if (at == std::string::npos) {
                made.operands.push_back(valueOf(word));
            } else {
                made.attributes[word.substr(0, at)] = std::int64_t{std::stoll(word.substr(at + 1))};
            }
        }
        Value value;
        value.name = name;
        value.type = matrix();
        const ValueId result = graph->addValue(std::move(value));
        values[name] = result;
        made.results.push_back(result);
        graph->addNode(std::move(made));
        results.push_back(name);
    }
    for (const std::string& name : results) {
        if (read.count(name) == 0) {
            graph->outputs.push_back(values.at(name));
        }
    }
    return graph;
}

std::shared_ptr<const GraphTree> treeOf(std::shared_ptr<const Graph> graph) {
    Result<GraphTree> tree = GraphTree::build(std::move(graph));
    if (!tree) {
        throw std::runtime_error(tree.error().text());
    }
    return std::make_shared<const GraphTree>(std::move(*tree));
}

std::shared_ptr<const GraphTree> treeFrom(const std::string& text) { return treeOf(graphFrom(text)); }

std::shared_ptr<const GraphTree> blocks(std::size_t nodes) {
    std::ostringstream text;
    std::string last = "x";
    for (std::size_t i = 0; i < nodes / 10; ++i) {
        const std::string n = std::to_string(i);
        const auto line = [&](const std::string& name, const std::string& op, const std::string& operands) {
            text << "blk" << n << "_" << name << " = " << op << " " << operands << "\n";
        };
        const std::string b = "blk" + n + "_";
        line("q", "MatMul", last + " @wq" + n);
        line("k", "MatMul", last + " @wk" + n);
        line("v", "MatMul", last + " @wv" + n);
        line("kt", "Transpose", b + "k perm=1");
        line("s", "MatMul", b + "q " + b + "kt");
        line("p", "Softmax", b + "s axis=-1");
        line("o", "MatMul", b + "p " + b + "v");
        line("a", "Add", b + "o " + last);
        line("m", "Relu", b + "a");
        line("y", "Add", b + "m " + b + "a");
        last = b + "y";
    }
    return treeFrom(text.str());
}

FlatNodeId node(const GraphTree& tree, const std::string& name) {
    for (std::uint32_t i = 0; i < tree.nodeCount(); ++i) {
        if (tree.node(FlatNodeId(i)).name == name) {
            return FlatNodeId(i);
        }
    }
    throw std::runtime_error("no node " + name);
}

std::shared_ptr<Correspondence> correspondenceByName(const GraphTree& reference, const GraphTree& rewritten) {
    auto made = std::make_shared<Correspondence>();
    made->reference.resize(reference.nodeCount());
    made->rewritten.resize(rewritten.nodeCount());
    std::map<std::string, std::uint32_t> there;
    for (std::uint32_t i = 0; i < rewritten.nodeCount(); ++i) {
        there.emplace(rewritten.node(FlatNodeId(i)).name, i);
        made->rewritten[i].reason = "nothing in the reference computes this";
    }
    for (std::uint32_t i = 0; i < reference.nodeCount(); ++i) {
        const auto at = there.find(reference.node(FlatNodeId(i)).name);
        if (at == there.end()) {
            made->reference[i].reason = "nothing in the rewritten graph computes this";
            continue;
        }
        made->reference[i] = NodeRelation{NodeMark::Shared, FlatNodeId(at->second), {}, {}};
        made->rewritten[at->second] = NodeRelation{NodeMark::Shared, FlatNodeId(i), {}, {}};
    }
    made->partnerOfReferenceValue.resize(reference.valueCount());
    for (std::uint32_t v = 0; v < reference.valueCount(); ++v) {
        const ValueId found = rewritten.top().findValue(reference.value(FlatValueId(v)).name);
        made->partnerOfReferenceValue[v] = found.isValid() ? FlatValueId(found.index) : FlatValueId();
    }
    return made;
}

ScenePair scenes(std::shared_ptr<const GraphTree> reference, std::shared_ptr<const GraphTree> rewritten,
                 std::shared_ptr<const Correspondence> correspondence) {
    SceneRequest request;
    request.reference.tree = std::move(reference);
    request.rewritten.tree = std::move(rewritten);
    request.correspondence = std::move(correspondence);
    request.layouter = layoutJoint;
    Result<ScenePair> made = buildScenes(request);
    if (!made) {
        throw std::runtime_error(made.error().text());
    }
    return *made;
}

std::shared_ptr<const GraphScene> scene(std::shared_ptr<const GraphTree> tree) { return scenes(std::move(tree)).reference; }

} // namespace lemmascope::test
