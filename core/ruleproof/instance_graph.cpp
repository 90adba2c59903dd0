// The graph of an instance.
#include "core/ruleproof/instance_graph.h"

#include "core/match/graph_subject.h"
#include "core/ruleproof/attribute_values.h"
#include "core/ruleproof/graph_parts.h"

#include <algorithm>
#include <cmath>

namespace lemmascope::ruleproof {

using Kind = SkeletonValue::Kind;

namespace {

/// All elements of it the number; nothing where the type has no such number.
std::optional<Tensor> numberTensor(ElementType element, std::vector<std::int64_t> shape, const match::NumberLiteral& number) {
    Tensor out(element, std::move(shape));
    const double value = number.value;
    const bool whole = std::floor(value) == value && std::fabs(value) < 9.0e15;
    const auto fill = [&](auto typed) {
        for (auto& each : out.mutableAs<decltype(typed)>()) {
            each = typed;
        }
        return std::optional<Tensor>(out);
    };
    switch (element) {
    case ElementType::F32: return fill(static_cast<float>(value));
    case ElementType::F64: return fill(value);
    case ElementType::F16: return fill(doubleToHalf(value));
    case ElementType::BF16: return fill(doubleToBfloat(value));
    case ElementType::I64: return number.integer ? fill(*number.integer) : whole ? fill(static_cast<std::int64_t>(value)) : std::nullopt;
    case ElementType::I32: return whole && std::fabs(value) < 2.0e9 ? fill(static_cast<std::int32_t>(value)) : std::nullopt;
    case ElementType::U8: return whole && value >= 0 && value < 256 ? fill(static_cast<std::uint8_t>(value)) : std::nullopt;
    case ElementType::I8: return whole && value >= -128 && value < 128 ? fill(static_cast<std::int8_t>(value)) : std::nullopt;
    case ElementType::Bool: return value == 0 || value == 1 ? fill(static_cast<std::uint8_t>(value)) : std::nullopt;
    default: return std::nullopt;
    }
}

class Maker {
  public:
    Maker(const Skeleton& skeleton, const Instance& instance, const std::map<std::string, std::int64_t>& opsets)
        : m_skeleton(skeleton), m_instance(instance) {
        m_graph.name = "instance";
        m_graph.opsets = opsets;
        m_out.values.resize(skeleton.values.size());
        m_out.nodes.resize(skeleton.nodes.size());
    }

    Result<InstanceGraph> run(const std::vector<std::uint32_t>& order, std::stop_token stop) {
        for (const auto& [value, leaf] : m_instance.leaves) {
            if (!addLeaf(value, leaf)) {
                return fail(ErrorCode::ShapeMismatch, "a number that the element type does not have");
            }
        }
        bool all = true;
        for (const std::uint32_t node : order) {
            all = addNode(node) && all;
        }
        const std::uint32_t root = m_skeleton.resolved(m_skeleton.root);
        const ValueId output = m_out.values[root];
        m_out.complete = all && output.isValid();
        if (output.isValid()) {
            const NodeId producer = m_graph.value(output).producer;
            m_graph.outputs.push_back(output);
            m_graph.outputNames.emplace_back("y");
            for (std::uint32_t r = 1; r < m_skeleton.results; ++r) {
                m_graph.outputs.push_back(m_graph.node(producer).results[r]);
                m_graph.outputNames.push_back("y" + std::to_string(r));
            }
        }
        InferOptions options;
        options.questions = &m_out.questions;
        Result<std::shared_ptr<const Graph>> typed = inferTypes(m_graph, options, std::move(stop));
        if (!typed) {
            return tl::unexpected(typed.error());
        }
        m_out.graph = std::move(*typed);
        return std::move(m_out);
    }

  private:
    ValueId input(const std::string& name, ElementType element, Shape shape) {
        Value value;
        value.name = name;
        value.type = {element, std::move(shape)};
        const ValueId id = m_graph.addValue(std::move(value));
        m_graph.inputs.push_back(id);
        return id;
    }

    ValueId constant(const std::string& name, Tensor tensor) {
        Value value;
        value.name = name;
        Shape shape;
        for (const std::int64_t each : tensor.shape()) {
            shape.emplace_back(each);
        }
        value.type = {tensor.element(), std::move(shape)};
        value.constant = std::move(tensor);
        return m_graph.addValue(std::move(value));
    }

    bool addLeaf(std::uint32_t value, const Leaf& leaf) {
        const std::string name = leafName(m_skeleton, value);
        const SkeletonValue& at = m_skeleton.values[value];
        const Shape& shape = *leaf.shape;
        ValueId& out = m_out.values[value];
        if (!leaf.entries.empty()) {
            out = shapeList(name, leaf);
            return true;
        }
        const bool oneNumber = at.kind == Kind::Number || m_skeleton.oneNumber.contains(value);
        if (!oneNumber) {
            out = input(name, leaf.element, shape);
            return true;
        }
        const std::optional<std::vector<std::int64_t>> known = staticShape(shape);
        const bool small = known && std::all_of(known->begin(), known->end(), [](std::int64_t d) { return d == 1; });
        ValueId scalar;
        if (at.kind == Kind::Number) {
            std::optional<Tensor> tensor = numberTensor(leaf.element, small ? *known : std::vector<std::int64_t>(), at.number);
            if (!tensor) {
                return false;
            }
            scalar = constant(small ? name : name + ".number", std::move(*tensor));
        } else {
            scalar = input(small ? name : name + ".number", leaf.element, small ? shape : Shape());
        }
        if (small) {
            out = scalar;
            return true;
        }
        const ValueId like = input(name + ".like", ElementType::F32, shape);
        const ValueId lengths = appendNode(m_graph, onnxOp(m_graph, "Shape"), {like}, name + ".shape");
        out = appendNode(m_graph, onnxOp(m_graph, "Expand"), {scalar, lengths}, name);
        return true;
    }

    /// A list of lengths: of an input of that shape, with -1 and 0 between.
    ValueId shapeList(const std::string& name, const Leaf& leaf) {
        if (const auto known = staticShape(Shape(leaf.entries))) {
            return constant(name, Tensor::of<std::int64_t>(ElementType::I64, {static_cast<std::int64_t>(known->size())}, *known));
        }
        Shape symbolic;
        for (const Dim& each : leaf.entries) {
            if (!each.is(-1) && !each.is(0)) {
                symbolic.push_back(each);
            }
        }
        ValueId like;
        if (!symbolic.empty()) {
            like = input(name + ".like", ElementType::F32, symbolic);
        }
        if (symbolic.size() == leaf.entries.size()) {
            return appendNode(m_graph, onnxOp(m_graph, "Shape"), {like}, name);
        }
        std::vector<ValueId> parts;
        std::int64_t axis = 0;
        for (std::size_t i = 0; i < leaf.entries.size(); ++i) {
            const std::string part = name + "." + std::to_string(i);
            if (leaf.entries[i].is(-1) || leaf.entries[i].is(0)) {
                parts.push_back(constant(part, Tensor::of<std::int64_t>(ElementType::I64, {1}, {leaf.entries[i].value()})));
            } else {
                parts.push_back(
                    appendNode(m_graph, onnxOp(m_graph, "Shape"), {like}, part, {{"start", Attribute(axis)}, {"end", Attribute(axis + 1)}}));
                ++axis;
            }
        }
        return parts.size() == 1 ? parts.front()
                                 : appendNode(m_graph, onnxOp(m_graph, "Concat"), std::move(parts), name, {{"axis", Attribute(std::int64_t{0})}});
    }

    bool addNode(std::uint32_t index) {
        const SkeletonNode& at = m_skeleton.nodes[index];
        if (!m_instance.decided[index]) {
            return false;
        }
        Node made;
        made.op = at.op;
        made.attributes = m_instance.attributes[index];
        for (const std::uint32_t operand : at.operands) {
            const std::uint32_t value = m_skeleton.resolved(operand);
            const bool omitted = m_skeleton.values[value].kind == Kind::Omitted;
            if (!omitted && !m_out.values[value].isValid()) {
                return false;
            }
            made.operands.push_back(omitted ? ValueId() : m_out.values[value]);
        }
        if (const auto extra = m_instance.operandAttributes.find(index); extra != m_instance.operandAttributes.end()) {
            // By position, so that each finds those before it in place.
            std::vector<std::pair<std::size_t, std::string>> placed;
            for (const auto& [name, attribute] : extra->second) {
                placed.emplace_back(match::attributePosition(at.op, name).value_or(at.operands.size()), name);
            }
            std::sort(placed.begin(), placed.end());
            for (const auto& [position, name] : placed) {
                const Attribute& attribute = extra->second.at(name);
                const std::optional<Tensor> tensor = operandOf(attribute);
                if (!tensor) {
                    return false;
                }
                const bool number = name == "min" || name == "max" || name == "value" || name == "ratio";
                ValueId list = constant(at.op.name + std::to_string(index) + "." + name, number ? tensor->reshaped({}) : *tensor);
                if (number && !made.operands.empty()) {
                    list = appendNode(m_graph, onnxOp(m_graph, "CastLike"), {list, made.operands.front()},
                                      at.op.name + std::to_string(index) + "." + name + ".like");
                }
                if (position >= made.operands.size()) {
                    made.operands.resize(position);
                    made.operands.push_back(list);
                } else {
                    made.operands.insert(made.operands.begin() + static_cast<std::ptrdiff_t>(position), list);
                }
            }
        }
        while (!made.operands.empty() && !made.operands.back().isValid()) {
            made.operands.pop_back();
        }
        const SkeletonValue& root = m_skeleton.values[m_skeleton.resolved(m_skeleton.root)];
        std::uint32_t results = root.kind == Kind::Result && root.node == index ? m_skeleton.results : 1;
        for (const SkeletonValue& each : m_skeleton.values) {
            if (each.kind == Kind::Result && each.node == index) {
                results = std::max(results, each.result + 1);
            }
        }
        for (std::uint32_t r = 0; r < results; ++r) {
            Value value;
            value.name = at.op.name + std::to_string(index) + (r == 0 ? "" : "." + std::to_string(r));
            made.results.push_back(m_graph.addValue(std::move(value)));
        }
        const std::vector<ValueId> made_results = made.results;
        m_out.nodes[index] = m_graph.addNode(std::move(made));
        for (std::uint32_t v = 0; v < m_skeleton.values.size(); ++v) {
            const SkeletonValue& each = m_skeleton.values[v];
            if (each.kind == Kind::Result && each.node == index) {
                m_out.values[v] = made_results[each.result];
            }
        }
        return true;
    }

    const Skeleton& m_skeleton;
    const Instance& m_instance;
    Graph m_graph;
    InstanceGraph m_out;
};

} // namespace

std::string leafName(const Skeleton& skeleton, std::uint32_t value) {
    const std::string& name = skeleton.values[value].name;
    if (name.empty()) {
        return "v" + std::to_string(value);
    }
    // Names of different scopes may be the same.
    for (std::uint32_t other = 0; other < value; ++other) {
        if (skeleton.resolved(other) != value && skeleton.values[other].kind != Kind::Same && skeleton.values[other].name == name) {
            return name + "." + std::to_string(value);
        }
    }
    return name;
}

Result<InstanceGraph> buildInstance(const Skeleton& skeleton, const std::vector<std::uint32_t>& order, const Instance& instance,
                                    const std::map<std::string, std::int64_t>& opsets, std::stop_token stop) {
    return Maker(skeleton, instance, opsets).run(order, std::move(stop));
}

} // namespace lemmascope::ruleproof
