// Conditions on a node's attribute: the value with which the rewrite would be right. Values that stand in the two graphs come first, then
// the few others that an attribute of this kind may have.

#include "core/prove/condition_candidates.h"

#include "core/prove/candidates.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>
#include <set>

namespace lemmascope {

namespace {

using Ints = std::vector<std::int64_t>;

constexpr std::int64_t MostListed = 16; ///< elements of a constant operand that counts as an attribute
constexpr std::size_t MostOfOne = 40;   ///< values tried for one attribute

/// What an attribute is where a node does not say: those whose meaning a rewrite often loses.
const std::map<std::string, std::map<std::string, Attribute>>& defaults() {
    static const std::map<std::string, std::map<std::string, Attribute>> Table{
        {"Gemm", {{"alpha", 1.0F}, {"beta", 1.0F}, {"transA", std::int64_t{0}}, {"transB", std::int64_t{0}}}},
        {"Softmax", {{"axis", std::int64_t{-1}}}},
        {"LogSoftmax", {{"axis", std::int64_t{-1}}}},
        {"LayerNormalization", {{"axis", std::int64_t{-1}}, {"epsilon", 1e-5F}}},
        {"BatchNormalization", {{"epsilon", 1e-5F}}},
        {"InstanceNormalization", {{"epsilon", 1e-5F}}},
        {"Gather", {{"axis", std::int64_t{0}}}},
        {"Split", {{"axis", std::int64_t{0}}}},
        {"Flatten", {{"axis", std::int64_t{1}}}},
        {"OneHot", {{"axis", std::int64_t{-1}}}},
        {"ArgMax", {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{1}}, {"select_last_index", std::int64_t{0}}}},
        {"ArgMin", {{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{1}}, {"select_last_index", std::int64_t{0}}}},
        {"CumSum", {{"exclusive", std::int64_t{0}}, {"reverse", std::int64_t{0}}}},
        {"AveragePool", {{"count_include_pad", std::int64_t{0}}, {"ceil_mode", std::int64_t{0}}}},
        {"MaxPool", {{"ceil_mode", std::int64_t{0}}}},
        {"LeakyRelu", {{"alpha", 0.01F}}},
        {"Elu", {{"alpha", 1.0F}}},
        {"HardSigmoid", {{"alpha", 0.2F}, {"beta", 0.5F}}},
        {"Mod", {{"fmod", std::int64_t{0}}}},
        {"Trilu", {{"upper", std::int64_t{1}}}},
        {"Gelu", {{"approximate", std::string("none")}}},
    };
    return Table;
}

/// Constant operands that say how an op works: attributes in its older versions.
std::string operandName(const std::string& op, std::size_t position) {
    static const std::map<std::string, std::vector<std::string>> Table{
        {"Slice", {"", "starts", "ends", "axes", "steps"}},
        {"Pad", {"", "pads"}},
        {"Squeeze", {"", "axes"}},
        {"Unsqueeze", {"", "axes"}},
        {"Split", {"", "split"}},
        {"CumSum", {"", "axis"}},
        {"Gather", {"", "indices"}},
        {"Reshape", {"", "shape"}},
        {"Expand", {"", "shape"}},
        {"Tile", {"", "repeats"}},
        {"TopK", {"", "k"}},
        {"Trilu", {"", "k"}},
    };
    if (op.starts_with("Reduce")) {
        return position == 1 ? "axes" : "";
    }
    const auto at = Table.find(op);
    return at != Table.end() && position < at->second.size() ? at->second[position] : std::string();
}

std::string numberText(float value) {
    std::array<char, 32> text{};
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

std::string textOf(const Attribute& value) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) {
        return std::to_string(*number);
    }
    if (const auto* real = std::get_if<float>(&value)) {
        return numberText(*real);
    }
    if (const auto* word = std::get_if<std::string>(&value)) {
        return *word;
    }
    std::string out = "[";
    if (const auto* reals = std::get_if<std::vector<float>>(&value)) {
        for (const float number : *reals) {
            out += (out.size() == 1 ? "" : ",") + numberText(number);
        }
    }
    if (const auto* list = std::get_if<Ints>(&value)) {
        for (const std::int64_t number : *list) {
            out += (out.size() == 1 ? "" : ",") + std::to_string(number);
        }
    }
    return out + "]";
}

std::optional<Ints> integersOf(const Graph& graph, ValueId id) {
    if (!id.isValid()) {
        return std::nullopt;
    }
    const std::optional<Tensor>& tensor = graph.value(id).constant;
    if (!tensor || !isInteger(tensor->element()) || tensor->count() > MostListed || tensor->shape().size() > 1) {
        return std::nullopt;
    }
    Ints out;
    for (std::int64_t i = 0; i < tensor->count(); ++i) {
        out.push_back(tensor->toInt64(i));
    }
    return out;
}

/// Values in the order in which they were added, each once and never the one that is there.
class Choices {
  public:
    explicit Choices(const Attribute& now) : m_seen{textOf(now)} {}
    void add(Attribute value) {
        if (m_list.size() < MostOfOne && m_seen.insert(textOf(value)).second) {
            m_list.push_back(std::move(value));
        }
    }
    [[nodiscard]] const std::vector<Attribute>& list() const { return m_list; }

  private:
    std::set<std::string> m_seen; ///< as text: all are of one type
    std::vector<Attribute> m_list;
};

class AttributeMaker {
  public:
    AttributeMaker(const CutPair& pair, bool rewritten, const std::vector<double>& factors, std::size_t most, std::vector<ConditionCandidate>& out)
        : m_own(rewritten ? pair.rewritten : pair.reference), m_other(rewritten ? pair.reference : pair.rewritten), m_rewritten(rewritten),
          m_factors(factors), m_left(most), m_out(out) {}
    void run();

  private:
    const Graph& m_own;
    const Graph& m_other;
    bool m_rewritten;
    const std::vector<double>& m_factors;
    std::size_t m_left;
    std::vector<ConditionCandidate>& m_out;

    [[nodiscard]] std::vector<Attribute> elsewhere(const std::string& key) const;
    void values(const std::string& key, const Attribute& now, std::int64_t rank, Choices& choices) const;
    void lists(const std::string& key, const Ints& now, std::int64_t rank, Choices& choices) const;
    /// `operand`: the constant operand that has the value; nothing for an attribute.
    void push(const std::vector<NodeId>& nodes, const std::string& key, std::optional<std::size_t> operand, const Attribute& value);
    struct Place {
        std::string op;
        std::string key;
        std::optional<std::size_t> operand;
        Attribute now;
        std::int64_t rank = 0;
        std::vector<NodeId> nodes;
    };
    [[nodiscard]] std::vector<Place> places() const;
    void constantNumbers();
};

/// What this attribute is on nodes of either graph, the other graph's first.
std::vector<Attribute> AttributeMaker::elsewhere(const std::string& key) const {
    std::vector<Attribute> out;
    for (const Graph* graph : {&m_other, &m_own}) {
        for (const Node& node : graph->nodes) {
            if (const auto at = node.attributes.find(key); at != node.attributes.end()) {
                out.push_back(at->second);
            }
            for (std::size_t k = 0; k < node.operands.size(); ++k) {
                if (operandName(node.op.name, k) == key) {
                    if (std::optional<Ints> list = integersOf(*graph, node.operands[k])) {
                        out.emplace_back(std::move(*list));
                    }
                }
            }
        }
    }
    return out;
}

void AttributeMaker::lists(const std::string& key, const Ints& now, std::int64_t rank, Choices& choices) const {
    if (key == "perm") {
        Ints perm(now.size());
        std::iota(perm.begin(), perm.end(), std::int64_t{0});
        Ints inverse(now.size());
        for (std::size_t k = 0; k < now.size(); ++k) {
            if (now[k] >= 0 && now[k] < static_cast<std::int64_t>(now.size())) {
                inverse[static_cast<std::size_t>(now[k])] = static_cast<std::int64_t>(k);
            }
        }
        choices.add(perm);
        choices.add(inverse);
        if (now.size() <= 4) {
            while (std::next_permutation(perm.begin(), perm.end())) {
                choices.add(perm);
            }
        }
        return;
    }
    if (key == "axes" && now.size() == 1) {
        for (std::int64_t axis = 0; axis < rank; ++axis) {
            choices.add(Ints{axis});
        }
        return;
    }
    if (now.empty() || key == "kernel_shape") {
        return;
    }
    Ints swapped = now;
    std::rotate(swapped.begin(), swapped.begin() + static_cast<std::ptrdiff_t>(now.size() / 2), swapped.end());
    choices.add(swapped);
    choices.add(Ints(now.rbegin(), now.rend()));
    choices.add(Ints(now.size(), key == "strides" || key == "steps" || key == "dilations" ? 1 : 0));
    for (std::size_t k = 0; k < now.size() && key != "axes"; ++k) {
        for (const std::int64_t step : {1, -1}) {
            Ints other = now;
            if (!__builtin_add_overflow(now[k], step, &other[k])) { // an end beyond every length is the largest integer
                choices.add(std::move(other));
            }
        }
    }
}

void AttributeMaker::values(const std::string& key, const Attribute& now, std::int64_t rank, Choices& choices) const {
    for (Attribute& value : elsewhere(key)) {
        const auto* list = std::get_if<Ints>(&value);
        if (value.index() == now.index() && (list == nullptr || list->size() == std::get<Ints>(now).size())) {
            choices.add(std::move(value));
        }
    }
    if (const auto* number = std::get_if<std::int64_t>(&now)) {
        if (key == "axis") {
            for (std::int64_t axis = 0; axis < rank; ++axis) {
                if (axis != *number && axis != *number + rank) {
                    choices.add(axis);
                }
            }
        } else if (key != "to" && key != "group" && (*number == 0 || *number == 1)) {
            choices.add(std::int64_t{1} - *number);
        }
    } else if (const auto* real = std::get_if<float>(&now)) {
        for (const double factor : m_factors) {
            choices.add(static_cast<float>(static_cast<double>(*real) * factor));
        }
        // Numbers of the other graph, and what one would multiply by where it divides.
        for (const Graph* graph : {&m_other, &m_own}) {
            for (const Value& value : graph->values) {
                if (value.constant && isFloat(value.constant->element()) && isComputable(value.constant->element()) && value.constant->count() == 1) {
                    const double stored = value.constant->toDouble(0);
                    choices.add(static_cast<float>(stored));
                    if (stored != 0.0) {
                        choices.add(static_cast<float>(1.0 / stored));
                    }
                }
            }
            for (const Node& node : graph->nodes) {
                for (const auto& [other, value] : node.attributes) {
                    if (std::holds_alternative<float>(value)) {
                        choices.add(value);
                    }
                }
            }
        }
        choices.add(1.0F);
        choices.add(0.0F);
    } else if (const auto* list = std::get_if<Ints>(&now)) {
        lists(key, *list, rank, choices);
    } else if (key == "approximate") {
        choices.add(std::string("none"));
        choices.add(std::string("tanh"));
    }
}

/// A constant of the same type and shape as `before` with these elements; nothing where the type has no such numbers.
std::optional<Tensor> constantLike(const Tensor& before, const Attribute& value) {
    Tensor tensor(before.element(), before.shape());
    if (const auto* number = std::get_if<float>(&value)) {
        setElement(tensor, 0, static_cast<double>(*number));
        return tensor;
    }
    const auto* list = std::get_if<Ints>(&value);
    if (list == nullptr || (before.element() != ElementType::I64 && before.element() != ElementType::I32)) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
        setElement(tensor, static_cast<std::int64_t>(i), static_cast<double>((*list)[i]));
    }
    return tensor;
}

void AttributeMaker::push(const std::vector<NodeId>& nodes, const std::string& key, std::optional<std::size_t> operand, const Attribute& value) {
    if (m_left == 0) {
        return;
    }
    --m_left;
    ConditionCandidate candidate;
    const std::string& op = m_own.node(nodes.front()).op.name;
    const std::string where = nodes.size() > 1 ? "each " + op : op + " '" + m_own.displayName(nodes.front()) + "'";
    candidate.text = key + " = " + textOf(value) + " at " + where + " of the " + (m_rewritten ? "rewritten graph" : "reference");
    candidate.apply = [nodes, key, operand, value, rewritten = m_rewritten](Graph& reference, Graph& other) {
        Graph& graph = rewritten ? other : reference;
        for (const NodeId node : nodes) {
            if (!operand) {
                graph.nodes.at(node.index).attributes[key] = value;
                continue;
            }
            const ValueId before = graph.node(node).operands.at(*operand);
            std::optional<Tensor> tensor = constantLike(*graph.value(before).constant, value);
            if (!tensor) {
                return false;
            }
            Value constant;
            constant.name = "#" + key + std::to_string(graph.values.size());
            constant.type = graph.value(before).type;
            constant.constant = std::move(*tensor);
            const ValueId fresh = graph.addValue(std::move(constant));
            graph.nodes.at(node.index).operands[*operand] = fresh;
        }
        return true;
    };
    m_out.push_back(std::move(candidate));
}

std::vector<AttributeMaker::Place> AttributeMaker::places() const {
    std::vector<Place> out;
    for (std::size_t n = 0; n < m_own.nodes.size(); ++n) {
        const Node& node = m_own.nodes[n];
        if (!Graph::nestedGraphs(node).empty() || node.operands.empty() || !node.operands[0].isValid()) {
            continue;
        }
        const TensorType& type = m_own.value(node.operands[0]).type;
        const std::int64_t rank = type.shape ? static_cast<std::int64_t>(type.shape->size()) : 0;
        std::map<std::string, Attribute> all = node.attributes;
        if (const auto at = defaults().find(node.op.name); at != defaults().end() && node.op.domain.empty()) {
            all.insert(at->second.begin(), at->second.end());
        }
        if (node.op.name == "Transpose" && rank > 0) {
            Ints reversed(static_cast<std::size_t>(rank));
            std::iota(reversed.rbegin(), reversed.rend(), std::int64_t{0});
            all.try_emplace("perm", reversed);
        }
        if (node.op.name.starts_with("Reduce")) {
            all.try_emplace("keepdims", std::int64_t{1});
        }
        for (const auto& [key, now] : all) {
            out.push_back({node.op.name, key, std::nullopt, now, rank, {NodeId(n)}});
        }
        for (std::size_t k = 1; k < node.operands.size(); ++k) {
            const std::string key = operandName(node.op.name, k);
            if (const std::optional<Ints> list = key.empty() ? std::nullopt : integersOf(m_own, node.operands[k])) {
                out.push_back({node.op.name, key, k, *list, rank, {NodeId(n)}});
            }
        }
    }
    // A pattern of several nodes is often wrong in all of them.
    const std::size_t single = out.size();
    for (std::size_t one = 0; one < single; ++one) {
        Place group = out[one];
        bool first = true;
        for (std::size_t other = 0; other < single; ++other) {
            const Place& place = out[other];
            const bool same =
                place.op == group.op && place.key == group.key && place.operand == group.operand && textOf(place.now) == textOf(group.now);
            first = first && !(same && other < one);
            if (same && other > one) {
                group.nodes.push_back(place.nodes.front());
            }
        }
        if (first && group.nodes.size() > 1) {
            out.push_back(std::move(group));
        }
    }
    return out;
}

/// Single numbers that the node multiplies by, adds or divides by.
void AttributeMaker::constantNumbers() {
    for (std::size_t n = 0; n < m_own.nodes.size(); ++n) {
        const Node& node = m_own.nodes[n];
        for (std::size_t k = 0; k < node.operands.size() && node.operands.size() == 2; ++k) {
            const std::optional<Tensor>& tensor = node.operands[k].isValid() ? m_own.value(node.operands[k]).constant : std::optional<Tensor>();
            if (!tensor || tensor->count() != 1 || !isFloat(tensor->element()) || !isComputable(tensor->element())) {
                continue;
            }
            const Attribute now = static_cast<float>(tensor->toDouble(0));
            Choices choices(now);
            values("", now, 0, choices);
            for (const Attribute& value : choices.list()) {
                push({NodeId(n)}, m_own.value(node.operands[k]).name, k, value);
            }
        }
    }
}

void AttributeMaker::run() {
    for (const Place& place : places()) {
        Choices choices(place.now);
        values(place.key, place.now, place.rank, choices);
        for (const Attribute& value : choices.list()) {
            push(place.nodes, place.key, place.operand, value);
        }
    }
    constantNumbers();
}

} // namespace

void addAttributeCandidates(const CutPair& pair, bool rewritten, const std::vector<double>& factors, std::size_t most,
                            std::vector<ConditionCandidate>& out) {
    AttributeMaker(pair, rewritten, factors, most, out).run();
}

} // namespace lemmascope
