// Structured ops as loops around their own region; the reader process has written the indexing maps of named ones beside them.
#include "core/format/mlir/lower/body.h"

#include <algorithm>
#include <set>

namespace lemmascope::ir {

namespace {

constexpr std::string_view MapsName = "lemmascope.indexing_maps";

/// The loop that a map's result is alone: `d2`.
std::optional<std::size_t> loopOf(const AffineMap& map, std::uint32_t result) {
    const AffineNode& node = map.nodes[result];
    return node.kind == AffineNode::Kind::Dimension ? std::optional(static_cast<std::size_t>(node.value)) : std::nullopt;
}

/// Sizes of all loops, from the operands that a loop runs along; nothing if some loop runs along none.
std::optional<std::vector<Bound>> loopSizes(Body& body, OperationId op, const std::vector<const AffineMap*>& maps) {
    const Module& m = body.module();
    std::vector<std::optional<Bound>> found(maps.empty() ? 0 : maps.front()->dimensions);
    for (std::size_t i = 0; i < maps.size(); ++i) {
        const Slot held = body.slot(m.operand(op, i));
        for (std::size_t axis = 0; held.kind == Slot::Kind::View && axis < maps[i]->results.size(); ++axis) {
            const auto loop = loopOf(*maps[i], maps[i]->results[axis]);
            if (loop && *loop < found.size() && (!found[*loop] || !found[*loop]->isNumber)) {
                found[*loop] = body.sizeOf(held.reg, axis);
            }
        }
    }
    std::vector<Bound> out;
    for (const std::optional<Bound>& size : found) {
        if (!size) {
            return std::nullopt;
        }
        out.push_back(*size);
    }
    return out;
}

/// Every element is some iteration's: each result is a loop of its own.
bool coversAll(const AffineMap& map) {
    std::set<std::size_t> loops;
    return std::all_of(map.results.begin(), map.results.end(), [&](std::uint32_t result) {
        const auto loop = loopOf(map, result);
        return loop && loops.insert(*loop).second;
    });
}

void lowerStructured(Body& body, OperationId op, const Attribute& mapList) {
    const Module& m = body.module();
    const auto operands = m.operands(op);
    // linalg.reduce has as many results as inputs; map, transpose and broadcast have one.
    const bool listed = m.find(op, "operandSegmentSizes") != nullptr;
    const std::size_t inputs = listed ? body.segment(op, 0).size() : m.name(op) == "linalg.reduce" ? operands.size() / 2 : operands.size() - 1;
    const BlockId block = m.blockOf(m.regionOf(op));
    std::vector<const AffineMap*> maps;
    for (const AttributeId item : mapList.items) {
        if (!m.attribute(item).map.isValid()) {
            body.refuse(op);
            return;
        }
        maps.push_back(&m.map(m.attribute(item).map));
    }
    const auto sizes = maps.size() == operands.size() ? loopSizes(body, op, maps) : std::nullopt;
    if (!sizes) {
        body.refuse(op, "a loop whose size no operand has");
        return;
    }
    // Results: tensors are turned into new ones, memrefs are written where they are.
    std::vector<Slot> held;
    std::size_t result = 0;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        Slot slot = body.slot(operands[i]);
        if (i >= inputs && m.typeOf(operands[i]).kind == Type::Kind::Tensor) {
            const bool read = i < m.block(block).arguments.count && body.program.useCount(m.argument(block, i)) > 0;
            // Elements that no loop comes to keep what they were.
            const bool whole = coversAll(*maps[i]);
            slot.reg = body.consumed(op, operands[i], read || !whole);
            if (result < m.resultCount(op)) {
                body.setView(m.result(op, result++), slot.reg);
            }
        }
        held.push_back(std::move(slot));
    }
    const std::vector<Register> outer = body.loopIndices;
    body.nest(*sizes, [&](const std::vector<Register>& loops) {
        body.loopIndices = loops;
        std::vector<Bound> bounds;
        for (const Register loop : loops) {
            bounds.push_back({false, 0, loop});
        }
        std::vector<std::vector<Register>> index;
        for (std::size_t i = 0; i < held.size(); ++i) {
            index.emplace_back();
            for (const Bound& bound : body.apply(*maps[i], bounds)) {
                index.back().push_back(body.in(bound));
            }
            if (i >= m.block(block).arguments.count || body.program.useCount(m.argument(block, i)) == 0) {
                continue;
            }
            if (held[i].kind == Slot::Kind::View) {
                body.setScalar(m.argument(block, i), body.f.load(held[i].reg, index.back()));
            } else {
                body.set(m.argument(block, i), held[i]);
            }
        }
        const OperationId last = body.operationsOf(block);
        for (std::size_t i = 0; i + inputs < held.size() && i < m.operands(last).size(); ++i) {
            if (held[inputs + i].kind == Slot::Kind::View) {
                body.f.store(body.scalar(m.operand(last, i)), held[inputs + i].reg, index[inputs + i]);
            }
        }
    });
    body.loopIndices = outer;
}

} // namespace

bool lowerLinalg(Body& body, OperationId op, std::string_view name) {
    const Module& m = body.module();
    if (name == "linalg.index") {
        const Attribute* along = m.find(op, "dim");
        if (along == nullptr || along->integer < 0 || static_cast<std::size_t>(along->integer) >= body.loopIndices.size()) {
            return false;
        }
        body.setResult(op, body.loopIndices[static_cast<std::size_t>(along->integer)]);
        return true;
    }
    const Attribute* maps = m.find(op, MapsName);
    if (maps == nullptr || m.regionCount(op) != 1 || m.blockCount(m.regionOf(op)) != 1) {
        return false; // softmax, winograd and the like have no region
    }
    for (const ValueId operand : m.operands(op)) {
        const Slot::Kind kind = body.slot(operand).kind;
        if (kind != Slot::Kind::View && kind != Slot::Kind::Scalar) {
            return false;
        }
    }
    lowerStructured(body, op, *maps);
    return true;
}

} // namespace lemmascope::ir
