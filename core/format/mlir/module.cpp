#include "core/format/mlir/module.h"

#include <algorithm>

namespace lemmascope::ir {

const Attribute* Module::find(OperationId id, std::string_view attributeName) const {
    const Range range = operation(id).attributes;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
        if (names[namedAttributes[i].name] == attributeName) {
            return &attribute(namedAttributes[i].value);
        }
    }
    return nullptr;
}

std::string Module::where(Place place) const {
    return place.line == 0 ? file : file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
}

std::string Module::nameOf(ValueId id) const {
    const Value& one = value(id);
    return "%" + (one.name.empty() ? std::to_string(id.index) : one.name);
}

namespace {

/// Checks indices; one bad one makes the module bad.
struct Checker {
    const Module& module;
    bool good = true;

    void range(Range range, std::size_t size) { good = good && range.first <= size && range.count <= size - range.first; }
    template <typename Tag>
    void id(Id<Tag> id, std::size_t size, bool mayBeNone) {
        good = good && (id.isValid() ? id.index < size : mayBeNone);
    }
    void name(std::uint32_t name) { good = good && name < module.names.size(); }

    void types() {
        for (const Type& type : module.types) {
            id(type.element, module.types.size(), true);
            const bool needsElement = type.kind == Type::Kind::MemRef || type.kind == Type::Kind::Tensor || type.kind == Type::Kind::Vector;
            good = good && (!needsElement || type.element.isValid());
            good = good && (type.kind != Type::Kind::MemRef || !type.strided || type.strides.size() == type.shape.size());
        }
    }
    void attributes() {
        for (const Attribute& attribute : module.attributes) {
            id(attribute.type, module.types.size(), attribute.kind != Attribute::Kind::Elements && attribute.kind != Attribute::Kind::Type);
            id(attribute.map, module.maps.size(), attribute.kind != Attribute::Kind::Map && attribute.kind != Attribute::Kind::Set);
            for (const AttributeId item : attribute.items) {
                id(item, module.attributes.size(), false);
            }
            good = good && (attribute.kind != Attribute::Kind::Dictionary || attribute.keys.size() == attribute.items.size());
        }
    }
    void maps() {
        for (const AffineMap& map : module.maps) {
            for (std::size_t i = 0; i < map.nodes.size(); ++i) {
                const AffineNode& node = map.nodes[i];
                switch (node.kind) {
                case AffineNode::Kind::Dimension: good = good && node.value >= 0 && node.value < map.dimensions; break;
                case AffineNode::Kind::Symbol: good = good && node.value >= 0 && node.value < map.symbols; break;
                case AffineNode::Kind::Constant: break;
                default: good = good && node.left < i && node.right < i;
                }
            }
            good = good && std::all_of(map.results.begin(), map.results.end(), [&](std::uint32_t result) { return result < map.nodes.size(); });
            good = good && (map.equalities.empty() || map.equalities.size() == map.results.size());
        }
    }
    void operations() {
        for (const Operation& operation : module.operations) {
            name(operation.name);
            id(operation.block, module.blocks.size(), true);
            range(operation.operands, module.operandValues.size());
            range(operation.results, module.values.size());
            range(operation.attributes, module.namedAttributes.size());
            range(operation.regions, module.regions.size());
            range(operation.successors, module.successorBlocks.size());
        }
    }
    void rest() {
        good = good && module.topCount <= module.operations.size();
        for (const Region& region : module.regions) {
            id(region.operation, module.operations.size(), false);
            range(region.blocks, module.blocks.size());
        }
        for (const Block& block : module.blocks) {
            id(block.region, module.regions.size(), false);
            range(block.arguments, module.values.size());
            range(block.operations, module.operations.size());
        }
        for (const Value& value : module.values) {
            id(value.type, module.types.size(), false);
            id(value.operation, module.operations.size(), true);
            id(value.block, module.blocks.size(), true);
        }
        for (const ValueId value : module.operandValues) {
            id(value, module.values.size(), false);
        }
        for (const NamedAttribute& named : module.namedAttributes) {
            name(named.name);
            id(named.value, module.attributes.size(), false);
        }
        for (const BlockId block : module.successorBlocks) {
            id(block, module.blocks.size(), false);
        }
    }
};

} // namespace

bool isWellFormed(const Module& module) {
    Checker checker{module};
    checker.types();
    checker.attributes();
    checker.maps();
    checker.operations();
    checker.rest();
    return checker.good;
}

} // namespace lemmascope::ir
