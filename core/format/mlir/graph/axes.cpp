#include "core/format/mlir/graph/axes.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace lemmascope::ir {

std::optional<Axis> axisMeasured(const Module& m, ValueId index) {
    const OperationId op = m.value(index).operation;
    if (!op.isValid() || m.name(op) != "tensor.dim") {
        return std::nullopt;
    }
    const ValueId tensor = m.operand(op, 0);
    const OperationId from = m.value(m.operand(op, 1)).operation;
    const Attribute* number = from.isValid() && m.name(from) == "arith.constant" ? m.find(from, "value") : nullptr;
    if (number == nullptr || number->kind != Attribute::Kind::Integer || m.typeOf(tensor).kind != Type::Kind::Tensor || number->integer < 0 ||
        static_cast<std::size_t>(number->integer) >= m.typeOf(tensor).shape.size()) {
        return std::nullopt;
    }
    return Axis{tensor, static_cast<std::size_t>(number->integer)};
}

EqualAxes::EqualAxes(const Module& module, BlockId block) : m(module), m_first(module.values.size()) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < m.values.size(); ++i) {
        m_first[i] = count;
        count += m.typeOf(ValueId(i)).shape.size();
    }
    m_parent.resize(count);
    std::iota(m_parent.begin(), m_parent.end(), std::size_t{0});
    for (std::size_t i = 0; i < m.block(block).operations.count; ++i) {
        const OperationId op = m.operationOf(block, i);
        const std::string_view name = m.name(op);
        if (name.starts_with("arith.") || name.starts_with("math.")) {
            for (const ValueId operand : m.operands(op)) {
                unite(operand, m.result(op));
            }
        }
        if (const Attribute* maps = m.find(op, "lemmascope.indexing_maps"); maps != nullptr) {
            uniteLoops(op, *maps);
        }
        if (name == "tensor.empty") {
            uniteMade(m.result(op), m.typeOf(m.result(op)).shape, m.operands(op));
        }
        if (name == "tensor.cast") {
            unite(m.result(op), m.operand(op, 0));
        }
        const bool collapses = name == "tensor.collapse_shape";
        const Attribute* groups = collapses || name == "tensor.expand_shape" ? m.find(op, "reassociation") : nullptr;
        for (std::size_t group = 0; groups != nullptr && group < groups->items.size(); ++group) {
            const std::vector<AttributeId>& finer = m.attribute(groups->items[group]).items;
            if (finer.size() == 1) { // an axis that stays as it is
                const auto axis = static_cast<std::size_t>(m.attribute(finer.front()).integer);
                unite({m.result(op), collapses ? group : axis}, {m.operand(op, 0), collapses ? axis : group});
            }
        }
        const Attribute* low = name == "tensor.pad" ? m.find(op, "static_low") : nullptr;
        const Attribute* high = low == nullptr ? nullptr : m.find(op, "static_high");
        for (std::size_t axis = 0; high != nullptr && axis < std::min(low->integers.size(), high->integers.size()); ++axis) {
            if (low->integers[axis] == 0 && high->integers[axis] == 0) {
                unite({m.result(op), axis}, {m.operand(op, 0), axis});
            }
        }
        const Attribute* sizes = name == "tensor.extract_slice" ? m.find(op, "static_sizes") : nullptr;
        const Attribute* offsets = sizes == nullptr ? nullptr : m.find(op, "static_offsets");
        if (offsets != nullptr && sizes->integers.size() == m.typeOf(m.result(op)).shape.size()) {
            const auto before = 1 + std::count(offsets->integers.begin(), offsets->integers.end(), Dynamic);
            uniteMade(m.result(op), sizes->integers, m.operands(op).subspan(std::min(static_cast<std::size_t>(before), m.operands(op).size())));
        }
    }
}

std::size_t EqualAxes::root(std::size_t at) const {
    while (m_parent[at] != at) {
        at = m_parent[at];
    }
    return at;
}

/// The smaller number stays the root, so that chains stay short where values are made one from the other.
void EqualAxes::unite(Axis a, Axis b) {
    const std::size_t x = root(m_first[a.tensor.index] + a.number);
    const std::size_t y = root(m_first[b.tensor.index] + b.number);
    m_parent[std::max(x, y)] = std::min(x, y);
    m_parent[m_first[a.tensor.index] + a.number] = std::min(x, y);
    m_parent[m_first[b.tensor.index] + b.number] = std::min(x, y);
}

void EqualAxes::unite(ValueId a, ValueId b) {
    const std::size_t rank = std::min(m.typeOf(a).shape.size(), m.typeOf(b).shape.size());
    for (std::size_t axis = 0; axis < rank; ++axis) {
        unite({a, axis}, {b, axis});
    }
}

/// Of a structured op: what runs along one loop.
void EqualAxes::uniteLoops(OperationId op, const Attribute& maps) {
    std::map<std::int64_t, Axis> seen;
    for (std::size_t i = 0; i < maps.items.size() && i < m.operands(op).size(); ++i) {
        const AffineMap& map = m.map(m.attribute(maps.items[i]).map);
        const ValueId operand = m.operand(op, i);
        for (std::size_t axis = 0; axis < map.results.size() && axis < m.typeOf(operand).shape.size(); ++axis) {
            const AffineNode& node = map.nodes[map.results[axis]];
            if (node.kind == AffineNode::Kind::Dimension) {
                const auto [at, isNew] = seen.try_emplace(node.value, Axis{operand, axis});
                if (!isNew) {
                    unite({operand, axis}, at->second);
                }
            }
        }
    }
    if (m.resultCount(op) == 1) {
        unite(m.result(op), m.operands(op).back());
    }
}

void EqualAxes::uniteMade(ValueId tensor, const std::vector<std::int64_t>& sizes, std::span<const ValueId> dynamic) {
    std::size_t next = 0;
    for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
        if (sizes[axis] == Dynamic && next < dynamic.size()) {
            if (const auto source = axisMeasured(m, dynamic[next++])) {
                unite({tensor, axis}, *source);
            }
        }
    }
}

} // namespace lemmascope::ir
