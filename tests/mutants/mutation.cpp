#include "tests/mutants/mutation.h"

#include "core/graph/infer.h"

#include <algorithm>
#include <functional>
#include <set>

namespace lemmascope::mutants {

namespace {

using Ints = std::vector<std::int64_t>;

/// Producers after nodes were added or taken away.
void renumber(Graph& graph) {
    for (Value& value : graph.values) {
        value.producer = NodeId();
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        for (std::size_t r = 0; r < graph.nodes[n].results.size(); ++r) {
            if (const ValueId result = graph.nodes[n].results[r]; result.isValid()) {
                graph.values[result.index].producer = NodeId(n);
                graph.values[result.index].resultIndex = static_cast<std::uint32_t>(r);
            }
        }
    }
}

Ints intsOf(const Tensor& tensor) {
    Ints out;
    for (std::int64_t i = 0; i < tensor.count(); ++i) {
        out.push_back(tensor.toInt64(i));
    }
    return out;
}

std::string text(const Ints& values) {
    std::string out = "[";
    for (std::size_t i = 0; i < values.size() && i < 8; ++i) {
        out += (i == 0 ? "" : ",") + std::to_string(values[i]);
    }
    return out + "]";
}

template <typename T>
Tensor mapped(const Tensor& tensor, const std::function<T(std::int64_t, T)>& change) {
    Tensor out(tensor.element(), tensor.shape());
    const auto to = out.mutableAs<T>();
    const auto from = tensor.as<T>();
    for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = change(static_cast<std::int64_t>(i), from[i]);
    }
    return out;
}

/// The tensor with integers or floats changed; nothing for element types the graphs do not use as constants.
std::optional<Tensor> changed(const Tensor& tensor, const std::function<double(std::int64_t, double)>& change) {
    switch (tensor.element()) {
    case ElementType::F32: return mapped<float>(tensor, [&](std::int64_t i, float v) { return static_cast<float>(change(i, v)); });
    case ElementType::I64:
        return mapped<std::int64_t>(tensor,
                                    [&](std::int64_t i, std::int64_t v) { return static_cast<std::int64_t>(change(i, static_cast<double>(v))); });
    case ElementType::I32:
        return mapped<std::int32_t>(tensor, [&](std::int64_t i, std::int32_t v) { return static_cast<std::int32_t>(change(i, v)); });
    case ElementType::I8: return mapped<std::int8_t>(tensor, [&](std::int64_t i, std::int8_t v) { return static_cast<std::int8_t>(change(i, v)); });
    case ElementType::U8:
        return mapped<std::uint8_t>(
            tensor, [&](std::int64_t i, std::uint8_t v) { return static_cast<std::uint8_t>(static_cast<std::int64_t>(change(i, v)) & 0xFF); });
    default: return std::nullopt;
    }
}

class Planter {
  public:
    explicit Planter(const Graph& graph) : m_graph(graph) {
        const Result<std::shared_ptr<const Graph>> typed = inferTypes(graph);
        if (typed) {
            m_typed = *typed;
        }
    }

    std::vector<Mutation> run() {
        for (std::size_t n = 0; m_typed && n < m_graph.nodes.size(); ++n) {
            m_at = NodeId(n);
            attributes();
            movements();
            operands();
            meanings();
            constants();
            removals();
        }
        return std::move(m_out);
    }

  private:
    const Graph& m_graph;
    std::shared_ptr<const Graph> m_typed;
    NodeId m_at;
    std::vector<Mutation> m_out;

    [[nodiscard]] const Node& node() const { return m_graph.node(m_at); }
    [[nodiscard]] bool is(const std::set<std::string>& names) const { return node().op.domain.empty() && names.contains(node().op.name); }
    [[nodiscard]] const TensorType& typeOf(ValueId value) const { return m_typed->value(value).type; }
    [[nodiscard]] std::int64_t rankOf(std::size_t operand) const {
        const auto rank =
            operand < node().operands.size() && node().operands[operand].isValid() ? typeOf(node().operands[operand]).rank() : std::nullopt;
        return rank ? static_cast<std::int64_t>(*rank) : -1;
    }
    [[nodiscard]] const Tensor* constantOf(std::size_t operand) const {
        if (operand >= node().operands.size() || !node().operands[operand].isValid()) {
            return nullptr;
        }
        const Value& value = m_graph.value(node().operands[operand]);
        return value.constant ? &*value.constant : nullptr;
    }

    /// Keeps a mutant whose outputs have the types they had.
    void keep(const std::string& kind, const std::string& what, Graph graph, std::vector<NodeId> faulty, bool inPlace,
              std::vector<std::string> dropped = {}) {
        renumber(graph);
        const Result<std::shared_ptr<const Graph>> typed = inferTypes(graph);
        if (!typed || (*typed)->outputs.size() != m_typed->outputs.size()) {
            return;
        }
        for (std::size_t o = 0; o < m_typed->outputs.size(); ++o) {
            const TensorType& a = m_typed->value(m_typed->outputs[o]).type;
            if (!(a == (*typed)->value((*typed)->outputs[o]).type)) {
                return;
            }
        }
        Mutation mutation;
        mutation.kind = kind;
        mutation.what = node().op.text() + " '" + m_graph.displayName(m_at) + "': " + what;
        mutation.graph = std::make_shared<const Graph>(std::move(graph));
        mutation.faulty = std::move(faulty);
        mutation.dropped = std::move(dropped);
        mutation.changed = inPlace ? m_at : NodeId();
        m_out.push_back(std::move(mutation));
    }
    void change(const std::string& kind, const std::string& what, const std::function<void(Graph&, Node&)>& edit) {
        Graph graph = m_graph;
        Node copy = graph.nodes[m_at.index];
        edit(graph, copy);
        graph.nodes[m_at.index] = std::move(copy);
        keep(kind, what, std::move(graph), {m_at}, true);
    }
    void setInt(const std::string& kind, const std::string& key, std::int64_t value) {
        change(kind, key + " is " + std::to_string(value), [&](Graph&, Node& node) { node.attributes[key] = value; });
    }
    void setInts(const std::string& kind, const std::string& key, const Ints& value) {
        change(kind, key + " is " + text(value), [&](Graph&, Node& node) { node.attributes[key] = value; });
    }
    void setFloat(const std::string& kind, const std::string& key, float value) {
        change(kind, key + " is " + std::to_string(value), [&](Graph&, Node& node) { node.attributes[key] = value; });
    }
    void setConstant(const std::string& kind, const std::string& what, std::size_t operand, std::optional<Tensor> tensor) {
        if (!tensor || tensor->sameBits(*constantOf(operand))) {
            return;
        }
        change(kind, what, [&](Graph& graph, Node& node) {
            Value value;
            value.name = graph.value(node.operands[operand]).name + "_stale";
            value.type = graph.value(node.operands[operand]).type;
            Shape shape;
            for (const std::int64_t length : tensor->shape()) {
                shape.emplace_back(length);
            }
            value.type.shape = shape;
            value.constant = std::move(*tensor);
            node.operands[operand] = graph.addValue(std::move(value));
        });
    }

    void attributes();
    void movements();
    void operands();
    void meanings();
    void constants();
    void removals();
    void bypass(const std::string& kind, const std::string& what, std::size_t operand, bool sameType = true);
};

void Planter::attributes() {
    const Node& n = node();
    // Axes.
    const auto* axis = n.attribute<std::int64_t>("axis");
    const std::int64_t rank = rankOf(0);
    if (is({"Softmax", "LogSoftmax", "Hardmax", "Concat", "Gather", "ArgMax", "ArgMin", "Split", "Flatten", "LayerNormalization", "ScatterElements",
            "Squeeze"}) &&
        rank > 0) {
        const std::int64_t now = axis                                                                 ? *axis
                                 : n.op.name.ends_with("oftmax") || n.op.name == "LayerNormalization" ? -1
                                 : n.op.name == "Flatten"                                             ? 1
                                                                                                      : 0;
        for (std::int64_t other = 0; other < rank; ++other) {
            if (other != (now + rank) % rank) {
                setInt("wrong axis", "axis", other);
            }
        }
    }
    if (const auto* axes = n.attribute<Ints>("axes"); axes && axes->size() == 1 && rank > 0) {
        for (std::int64_t other = 0; other < rank; ++other) {
            if (other != ((*axes)[0] + rank) % rank) {
                setInts("wrong axis", "axes", {other});
            }
        }
    }
    // Windows.
    if (const auto* pads = n.attribute<Ints>("pads")) {
        Ints swapped = *pads;
        std::rotate(swapped.begin(), swapped.begin() + static_cast<std::ptrdiff_t>(swapped.size() / 2), swapped.end());
        if (swapped != *pads) {
            setInts("wrong pad", "pads", swapped);
        }
        for (std::size_t k = 0; k + 1 < pads->size() / 2 + 1; ++k) {
            Ints moved = *pads; // one more before, one less after: the same output shape
            moved[k] += 1;
            moved[k + pads->size() / 2] -= 1;
            if (moved[k + pads->size() / 2] >= 0) {
                setInts("wrong pad", "pads", moved);
            }
        }
    }
    if (is({"AveragePool"})) {
        setInt("wrong pad", "count_include_pad", n.attribute<std::int64_t>("count_include_pad") ? 0 : 1);
    }
    if (is({"Conv", "MaxPool", "AveragePool"})) {
        for (const char* key : {"strides", "dilations", "kernel_shape"}) {
            if (const auto* list = n.attribute<Ints>(key); list && list->size() == 2 && (*list)[0] != (*list)[1]) {
                setInts("wrong stride or dilation", key, {(*list)[1], (*list)[0]});
            }
        }
        // Wider apart, padded to keep the shape.
        const auto* kernel = n.attribute<Ints>("kernel_shape");
        Ints window = kernel ? *kernel : Ints{};
        if (window.empty() && n.op.name == "Conv" && constantOf(1) && constantOf(1)->shape().size() == 4) {
            window = {constantOf(1)->shape()[2], constantOf(1)->shape()[3]};
        }
        if (window.size() == 2 && !n.attribute<Ints>("dilations") && (window[0] > 1 || window[1] > 1)) {
            const auto* pads = n.attribute<Ints>("pads");
            Ints padded = pads ? *pads : Ints{0, 0, 0, 0};
            for (std::size_t k = 0; k < 2; ++k) {
                const std::int64_t more = window[k] - 1;
                padded[k] += more / 2;
                padded[k + 2] += more - more / 2;
            }
            if (padded[0] < 2 * window[0] && padded[1] < 2 * window[1]) {
                change("wrong stride or dilation", "dilations are [2,2], pads " + text(padded), [&](Graph&, Node& copy) {
                    copy.attributes["dilations"] = Ints{2, 2};
                    copy.attributes["pads"] = padded;
                });
            }
        }
    }
    // Numbers.
    for (const char* key : {"alpha", "beta"}) {
        if (const auto* value = n.attribute<float>(key)) {
            setFloat("lost scale", key, *value == 1.0F ? 0.5F : 1.0F);
        }
    }
    if (const auto* epsilon = n.attribute<float>("epsilon")) {
        setFloat("wrong epsilon", "epsilon", *epsilon * 1000.0F + 0.0625F);
    }
    if (is({"Gemm"})) {
        for (const char* key : {"transA", "transB"}) {
            const auto* value = n.attribute<std::int64_t>(key);
            setInt("transposed weight", key, value && *value != 0 ? 0 : 1);
        }
    }
    for (const auto& [op, key] :
         std::vector<std::pair<const char*, const char*>>{{"CumSum", "exclusive"}, {"CumSum", "reverse"}, {"ArgMax", "select_last_index"}}) {
        if (is({op})) {
            const auto* value = n.attribute<std::int64_t>(key);
            setInt("wrong attribute", key, value && *value != 0 ? 0 : 1);
        }
    }
    if (const auto* activation = n.attribute<std::string>("activation"); activation && n.op.domain == "com.microsoft") {
        change("dropped activation", "activation is gone", [&](Graph&, Node& copy) {
            copy.attributes.erase("activation");
            copy.attributes.erase("activation_params");
        });
        change("dropped activation", "another activation", [&](Graph&, Node& copy) {
            copy.attributes["activation"] = std::string(*activation == "Relu" ? "Tanh" : "Relu");
            copy.attributes.erase("activation_params");
        });
    }
}

void Planter::movements() {
    const Node& n = node();
    if (const auto* perm = n.attribute<Ints>("perm"); perm && is({"Transpose"})) {
        for (std::size_t a = 0; a < perm->size(); ++a) {
            for (std::size_t b = a + 1; b < perm->size(); ++b) {
                Ints other = *perm;
                std::swap(other[a], other[b]);
                setInts("wrong permutation", "perm", other);
            }
        }
        Ints inverse(perm->size());
        for (std::size_t k = 0; k < perm->size(); ++k) {
            inverse[static_cast<std::size_t>((*perm)[k])] = static_cast<std::int64_t>(k);
        }
        if (inverse != *perm) {
            setInts("wrong permutation", "perm", inverse);
        }
    }
    if (is({"Slice"}) && constantOf(1) && constantOf(2)) {
        for (std::int64_t k = 0; k < constantOf(1)->count(); ++k) {
            for (const int by : {-1, 1}) {
                if (constantOf(1)->toInt64(k) + by < 0) {
                    continue;
                }
                change("off-by-one slice", "entry " + std::to_string(k) + " moved by " + std::to_string(by), [&](Graph& graph, Node& copy) {
                    for (const std::size_t operand : {1UL, 2UL}) {
                        Value value;
                        value.name = "moved" + std::to_string(operand);
                        value.type = m_graph.value(n.operands[operand]).type;
                        value.constant = changed(*constantOf(operand), [&](std::int64_t i, double v) { return i == k ? v + by : v; });
                        copy.operands[operand] = graph.addValue(std::move(value));
                    }
                });
            }
        }
    }
    for (const char* key : {"starts", "ends"}) {
        // Stores of our JSON: both ends move.
        const auto* starts = n.attribute<Ints>("starts");
        const auto* ends = n.attribute<Ints>("ends");
        if (starts && ends && n.op.domain == "lemmascope") {
            for (std::size_t k = 0; k < starts->size(); ++k) {
                const std::int64_t by = std::string(key) == "starts" ? -1 : 1;
                Ints from = *starts;
                Ints to = *ends;
                from[k] += by;
                to[k] += by;
                if (from[k] >= 0) {
                    change("off-by-one slice", "entry " + std::to_string(k) + " moved by " + std::to_string(by), [&](Graph&, Node& copy) {
                        copy.attributes["starts"] = from;
                        copy.attributes["ends"] = to;
                    });
                }
            }
        }
    }
    if (is({"Pad"}) && constantOf(1)) {
        const Ints pads = intsOf(*constantOf(1));
        Ints swapped = pads;
        std::rotate(swapped.begin(), swapped.begin() + static_cast<std::ptrdiff_t>(swapped.size() / 2), swapped.end());
        setConstant("wrong pad", "pads are " + text(swapped), 1,
                    changed(*constantOf(1), [&](std::int64_t i, double) { return static_cast<double>(swapped[static_cast<std::size_t>(i)]); }));
        change("wrong pad", "mode is edge", [](Graph&, Node& copy) { copy.attributes["mode"] = std::string("edge"); });
    }
    if (is({"Split"}) && constantOf(1) && constantOf(1)->count() >= 2) {
        setConstant("off-by-one slice", "cut one later", 1, changed(*constantOf(1), [](std::int64_t i, double v) {
                        return i == 0 ? v + 1 : i == 1 ? v - 1 : v;
                    }));
    }
    if (is({"Reshape"}) && constantOf(1)) {
        Ints shape = intsOf(*constantOf(1));
        if (shape.size() >= 2) {
            std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
            setConstant("wrong permutation", "shape is " + text(shape), 1,
                        changed(*constantOf(1), [&](std::int64_t i, double) { return static_cast<double>(shape[static_cast<std::size_t>(i)]); }));
        }
    }
    const std::size_t indices = is({"Gather", "GatherElements", "ScatterND", "ScatterElements", "GatherND"})
                                    ? (n.op.name.starts_with("Scatter") || n.op.name.starts_with("Gather") ? 1 : 0)
                                    : 0;
    if (indices != 0 && constantOf(indices) && isInteger(constantOf(indices)->element())) {
        for (const int by : {-1, 1}) {
            const std::optional<Tensor> tensor = changed(*constantOf(indices), [&](std::int64_t i, double v) { return i == 0 ? v + by : v; });
            if (tensor && tensor->toInt64(0) >= 0) {
                setConstant("wrong gather index", "the first index moved by " + std::to_string(by), indices, tensor);
            }
        }
    }
    if (n.op.domain == "lemmascope" && n.op.name == "StoreRows" && n.operands.size() == 3) {
        change("wrong gather index", "rows in the order of the other operand's", [&](Graph& graph, Node& copy) {
            Value zero;
            zero.name = "rows01";
            zero.type = typeOf(n.operands[2]);
            const auto shape = zero.type.shape ? staticShape(*zero.type.shape) : std::nullopt;
            Tensor tensor(ElementType::I64, shape.value_or(Ints{}));
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                tensor.mutableAs<std::int64_t>()[static_cast<std::size_t>(i)] = i;
            }
            zero.constant = tensor;
            copy.operands[2] = graph.addValue(std::move(zero));
        });
    }
}

void Planter::operands() {
    const Node& n = node();
    if (is({"Sub", "Div", "Mod", "Pow", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "MatMul", "Concat"}) && n.operands.size() >= 2 &&
        n.operands[0] != n.operands[1]) {
        change("swapped operands", "operands exchanged", [](Graph&, Node& copy) { std::swap(copy.operands[0], copy.operands[1]); });
    }
    if (is({"Where"})) {
        change("swapped operands", "branches exchanged", [](Graph&, Node& copy) { std::swap(copy.operands[1], copy.operands[2]); });
    }
    // Another value of the same type: the last one made before, as a wrong fusion would take it.
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
        const ValueId operand = n.operands[k];
        if (!operand.isValid() || m_graph.value(operand).constant || !m_graph.value(operand).producer.isValid()) {
            continue;
        }
        for (std::size_t before = m_at.index; before-- > 0;) {
            const ValueId other = m_graph.nodes[before].results.empty() ? ValueId() : m_graph.nodes[before].results[0];
            if (other.isValid() && other != operand && typeOf(other) == typeOf(operand) &&
                std::find(n.operands.begin(), n.operands.end(), other) == n.operands.end()) {
                change("wrong operand", "operand " + std::to_string(k) + " is " + m_graph.value(other).name,
                       [&](Graph&, Node& copy) { copy.operands[k] = other; });
                break;
            }
        }
    }
    // A vector along the wrong axis of a square.
    for (std::size_t k = 0; k < n.operands.size() && n.operands.size() == 2 && is({"Add", "Mul", "Sub", "Div"}); ++k) {
        const Tensor* vector = constantOf(k);
        if (vector && vector->shape().size() == 1 && vector->count() > 1) {
            setConstant("wrong broadcast", "operand " + std::to_string(k) + " lies along the axis before", k, vector->reshaped({vector->count(), 1}));
        }
    }
    if (n.operands.size() > 2 && is({"Conv", "Gemm", "ConvTranspose", "LayerNormalization"}) && n.operands[2].isValid()) {
        change("dropped bias", "without bias", [](Graph&, Node& copy) { copy.operands.resize(2); });
    }
}

void Planter::meanings() {
    const Node& n = node();
    const auto rename = [&](const std::string& kind, const std::string& to) {
        change(kind, "is " + to, [&](Graph&, Node& copy) { copy.op.name = to; });
    };
    const std::vector<std::array<const char*, 3>> twins{{"Less", "LessOrEqual", "comparison strictness"},
                                                        {"LessOrEqual", "Less", "comparison strictness"},
                                                        {"Greater", "GreaterOrEqual", "comparison strictness"},
                                                        {"GreaterOrEqual", "Greater", "comparison strictness"},
                                                        {"Round", "Floor", "wrong rounding"},
                                                        {"Round", "Ceil", "wrong rounding"},
                                                        {"Floor", "Round", "wrong rounding"},
                                                        {"Ceil", "Floor", "wrong rounding"},
                                                        {"ReduceMean", "ReduceSum", "missing reduce"},
                                                        {"ReduceMean", "ReduceMax", "missing reduce"},
                                                        {"ReduceMax", "ReduceMean", "missing reduce"},
                                                        {"GlobalAveragePool", "GlobalMaxPool", "missing reduce"},
                                                        {"MaxPool", "AveragePool", "missing reduce"},
                                                        {"Max", "Min", "wrong operator"},
                                                        {"Min", "Max", "wrong operator"},
                                                        {"Add", "Sub", "wrong operator"},
                                                        {"Sub", "Add", "wrong operator"},
                                                        {"Mul", "Div", "wrong operator"},
                                                        {"Div", "Mul", "lost scale"},
                                                        {"Softmax", "LogSoftmax", "wrong operator"},
                                                        {"LogSoftmax", "Softmax", "wrong operator"},
                                                        {"Sigmoid", "HardSigmoid", "wrong operator"},
                                                        {"Tanh", "Erf", "wrong operator"},
                                                        {"ArgMax", "ArgMin", "wrong operator"}};
    for (const auto& [from, to, kind] : twins) {
        if (is({from}) && !(std::string(to) == "ReduceSum" && n.op.version >= 13 && n.attribute<Ints>("axes"))) {
            if (std::string(to) == "AveragePool" &&
                (!isFloat(typeOf(n.operands[0]).element) || n.results.size() > 1 || n.attribute<Ints>("dilations"))) {
                continue;
            }
            rename(kind, to);
        }
    }
    if (is({"ReduceMean"}) && n.op.version >= 13 && n.attribute<Ints>("axes")) {
        change("missing reduce", "is ReduceSum", [](Graph& graph, Node& copy) {
            const Ints axes = std::get<Ints>(copy.attributes.at("axes"));
            copy.attributes.erase("axes");
            copy.op.name = "ReduceSum";
            Value value;
            value.name = "axes_of_sum";
            value.type = {ElementType::I64, Shape{Dim(static_cast<std::int64_t>(axes.size()))}};
            value.constant = Tensor::of<std::int64_t>(ElementType::I64, {static_cast<std::int64_t>(axes.size())}, axes);
            copy.operands.push_back(graph.addValue(std::move(value)));
        });
    }
    // A Softmax of opset 13 read as one of opset 12: everything from the axis on is one row.
    if (is({"Softmax", "LogSoftmax"}) && n.op.version >= 13) {
        const auto* axis = n.attribute<std::int64_t>("axis");
        const std::int64_t rank = rankOf(0);
        const std::int64_t now = rank > 0 ? ((axis ? *axis : -1) + rank) % rank : -1;
        if (rank > 0 && now != rank - 1) {
            change("opset meaning", "as of opset 12", [&](Graph&, Node& copy) {
                copy.op.version = 12;
                copy.attributes["axis"] = now;
            });
        }
        if (rank > 1 && !(rank == 2 && now == 1)) {
            change("opset meaning", "as of opset 12 with its default axis", [&](Graph&, Node& copy) {
                copy.op.version = 12;
                copy.attributes["axis"] = std::int64_t{1};
            });
        }
    }
    // Epsilon behind the root instead of before it: sqrt(v + e) as sqrt(v) + e.
    if (is({"Sqrt"}) && m_graph.value(n.operands[0]).producer.isValid()) {
        const NodeId add = m_graph.value(n.operands[0]).producer;
        const Node& sum = m_graph.node(add);
        if (sum.op.name == "Add" && sum.operands.size() == 2 && m_graph.value(sum.operands[1]).constant) {
            Graph graph = m_graph;
            graph.nodes[add.index].op = n.op;
            graph.nodes[add.index].operands = {sum.operands[0]};
            graph.nodes[m_at.index].op = sum.op;
            graph.nodes[m_at.index].operands = {n.operands[0], sum.operands[1]};
            keep("wrong epsilon", "epsilon added behind the root", std::move(graph), {m_at, add}, false);
        }
    }
    // Signedness: through the unsigned type of the same width.
    if (is({"Cast", "Floor", "Div", "Max", "Clip", "ArgMax"})) {
        const ElementType type = typeOf(n.operands[0]).element;
        const std::int64_t other = type == ElementType::U8 ? 3 : type == ElementType::I8 ? 2 : type == ElementType::I32 ? 12 : 0;
        const std::int64_t back = type == ElementType::U8 ? 2 : type == ElementType::I8 ? 3 : 6;
        if (other != 0 && n.op.name == "Cast") {
            Graph graph = m_graph;
            Value through;
            through.name = "other_sign";
            const ValueId value = graph.addValue(std::move(through));
            Node cast;
            cast.op = {"", "Cast", n.op.version};
            cast.name = "other_sign";
            cast.operands = {n.operands[0]};
            cast.results = {value};
            cast.attributes["to"] = other;
            graph.nodes[m_at.index].operands[0] = value;
            graph.nodes.insert(graph.nodes.begin() + m_at.index, cast);
            keep("signedness", "read as the other signedness", std::move(graph), {m_at, NodeId(m_at.index + 1)}, false);
        } else if (other == 12 && n.operands.size() == 2 && n.op.name == "Div") {
            // Divided as unsigned numbers.
            Graph graph = m_graph;
            std::vector<Node> around;
            Node divide = n;
            for (std::size_t k = 0; k < 2; ++k) {
                Value value;
                value.name = "unsigned" + std::to_string(k);
                Node cast;
                cast.op = {"", "Cast", n.op.version};
                cast.name = value.name;
                cast.operands = {n.operands[k]};
                cast.results = {graph.addValue(std::move(value))};
                cast.attributes["to"] = other;
                divide.operands[k] = cast.results[0];
                around.push_back(std::move(cast));
            }
            Value quotient;
            quotient.name = "unsigned_quotient";
            divide.results = {graph.addValue(std::move(quotient))};
            Node cast;
            cast.op = {"", "Cast", n.op.version};
            cast.name = "signed_again";
            cast.operands = {divide.results[0]};
            cast.results = n.results;
            cast.attributes["to"] = back;
            graph.nodes[m_at.index] = cast;
            around.push_back(divide);
            graph.nodes.insert(graph.nodes.begin() + m_at.index, around.begin(), around.end());
            keep("signedness", "divided as unsigned numbers", std::move(graph),
                 {m_at, NodeId(m_at.index + 1), NodeId(m_at.index + 2), NodeId(m_at.index + 3)}, false);
        }
    }
    if (is({"BitShift"})) {
        change("wrong attribute", "shifts the other way", [](Graph&, Node& copy) {
            copy.attributes["direction"] = std::string(std::get<std::string>(copy.attributes["direction"]) == "LEFT" ? "RIGHT" : "LEFT");
        });
    }
}

void Planter::constants() {
    const Node& n = node();
    for (std::size_t k = 0; k < n.operands.size(); ++k) {
        const Tensor* tensor = constantOf(k);
        if (tensor == nullptr) {
            continue;
        }
        const bool quantises = n.op.name.find("Linear") != std::string::npos;
        if (is({"Clip"})) {
            setConstant("wrong clip bound", "bound " + std::to_string(k) + " moved", k,
                        changed(*tensor, [&](std::int64_t, double v) { return v + (k == 1 ? 1 : -1); }));
            continue;
        }
        if (quantises && k == 2 && isInteger(tensor->element())) {
            setConstant("lost zero point", "the zero point is 0", k, changed(*tensor, [](std::int64_t, double) { return 0.0; }));
            continue;
        }
        if (quantises && k == 1 && tensor->element() == ElementType::F32) {
            setConstant("lost scale", "the scale is doubled", k, changed(*tensor, [](std::int64_t, double v) { return 2 * v; }));
            continue;
        }
        if (is({"Add"}) && tensor->count() == 1 && tensor->element() == ElementType::F32 && std::abs(tensor->toDouble(0)) < 0.02 &&
            tensor->toDouble(0) > 0) {
            setConstant("wrong epsilon", "epsilon is 0.0625", k, changed(*tensor, [](std::int64_t, double) { return 0.0625; }));
            continue;
        }
        if (tensor->element() == ElementType::F32 ||
            (is({"Add", "Sub", "Mul", "Div", "Mod", "MatMulInteger", "MatMul", "Max"}) && isInteger(tensor->element()))) {
            const std::int64_t at = tensor->count() / 2;
            setConstant("stale constant", "element " + std::to_string(at) + " of operand " + std::to_string(k) + " is another", k,
                        changed(*tensor, [&](std::int64_t i, double v) { return i == at ? v + 1 : v; }));
            if (tensor->shape().size() == 2 && tensor->shape()[0] == tensor->shape()[1] && tensor->shape()[0] > 1) {
                const std::int64_t side = tensor->shape()[0];
                const Tensor& from = *tensor;
                setConstant("transposed weight", "operand " + std::to_string(k) + " transposed", k,
                            changed(from, [&](std::int64_t i, double) { return from.toDouble(i % side * side + i / side); }));
            }
            // What another node of the kind reads there.
            for (const Node& other : m_graph.nodes) {
                if (&other != &n && other.op.name == n.op.name && k < other.operands.size() && other.operands[k].isValid() &&
                    other.operands[k] != n.operands[k]) {
                    const Value& value = m_graph.value(other.operands[k]);
                    if (value.constant && value.constant->element() == tensor->element() && value.constant->shape() == tensor->shape() &&
                        tensor->count() > 1) {
                        setConstant("stale constant", "operand " + std::to_string(k) + " is that of another " + n.op.name, k, *value.constant);
                        break;
                    }
                }
            }
        }
    }
}

void Planter::bypass(const std::string& kind, const std::string& what, std::size_t operand, bool sameType) {
    const Node& n = node();
    if (n.results.size() != 1 || operand >= n.operands.size() || !n.operands[operand].isValid() ||
        (sameType && !(typeOf(n.operands[operand]) == typeOf(n.results[0])))) {
        return;
    }
    const ValueId from = n.results[0];
    const ValueId to = n.operands[operand];
    Graph graph = m_graph;
    std::vector<NodeId> faulty;
    graph.nodes.erase(graph.nodes.begin() + m_at.index);
    for (std::size_t k = 0; k < graph.nodes.size(); ++k) {
        for (ValueId& value : graph.nodes[k].operands) {
            if (value == from) {
                value = to;
                faulty.emplace_back(k);
            }
        }
        if (std::find(graph.nodes[k].results.begin(), graph.nodes[k].results.end(), to) != graph.nodes[k].results.end()) {
            faulty.emplace_back(k);
        }
    }
    graph.outputNames.resize(graph.outputs.size());
    for (std::size_t o = 0; o < graph.outputs.size(); ++o) {
        if (graph.outputs[o] == from) {
            graph.outputNames[o] = m_graph.outputName(o);
            graph.outputs[o] = to;
        }
    }
    keep(kind, what, std::move(graph), std::move(faulty), false, {m_graph.displayName(m_at)});
}

void Planter::removals() {
    const Node& n = node();
    if (is({"Relu", "LeakyRelu", "Sigmoid", "Tanh", "Erf", "HardSigmoid", "Clip"})) {
        bypass("dropped activation", "is gone", 0);
    }
    if (is({"Mul", "Div"}) && n.operands.size() == 2) {
        for (const std::size_t k : {0UL, 1UL}) {
            if (constantOf(k) && constantOf(k)->count() == 1) {
                bypass("lost scale", "is gone", 1 - k);
            }
        }
    }
    if (is({"Add"}) && n.operands.size() == 2) {
        for (const std::size_t k : {0UL, 1UL}) {
            if (constantOf(k)) {
                bypass("dropped bias", "is gone", 1 - k);
            }
        }
    }
    if (is({"Round", "Floor", "Not", "Neg", "Sqrt", "BatchNormalization"})) {
        bypass("dropped node", "is gone", 0);
    }
    if (is({"ReduceMean", "ReduceSum", "ReduceMax"})) {
        bypass("missing reduce", "is gone", 0, false);
    }
    if (is({"Transpose"})) {
        bypass("wrong permutation", "is gone", 0);
    }
}

} // namespace

std::vector<Mutation> mutationsOf(const Graph& graph) { return Planter(graph).run(); }

} // namespace lemmascope::mutants
