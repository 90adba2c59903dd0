#include "core/format/mlir/lower/open.h"

namespace lemmascope::ir {

namespace {

constexpr std::size_t MostOperands = 4096;

/// The elements of a value; false if it holds none that can be named.
bool elementsOf(Body& body, ValueId value, std::vector<Register>& out) {
    const Slot held = body.slot(value);
    if (held.kind == Slot::Kind::Scalar && body.f.code().registers[held.reg] != interp::Handle) {
        out.push_back(held.reg);
        return true;
    }
    if (held.kind == Slot::Kind::Lanes) {
        out.insert(out.end(), held.lanes.begin(), held.lanes.end());
        return out.size() <= MostOperands;
    }
    const Type& type = body.module().typeOf(value);
    const auto count = elementCount(type.shape);
    if (held.kind != Slot::Kind::View || type.kind != Type::Kind::Tensor || !count || out.size() + static_cast<std::size_t>(*count) > MostOperands) {
        return false;
    }
    for (std::int64_t flat = 0; flat < *count; ++flat) {
        std::vector<Register> index(type.shape.size());
        std::int64_t left = flat;
        for (std::size_t axis = type.shape.size(); axis-- > 0;) {
            index[axis] = body.index(left % type.shape[axis]);
            left /= type.shape[axis];
        }
        out.push_back(body.f.load(held.reg, index));
    }
    return true;
}

} // namespace

std::string attributeText(const Module& module, const Attribute& attribute) {
    std::string text = std::to_string(static_cast<int>(attribute.kind)) + (attribute.splat ? "s" : "") + ":" + attribute.bytes;
    text += attribute.type.isValid() ? " : " + module.type(attribute.type).text : "";
    for (const std::int64_t value : attribute.integers) {
        text += " " + std::to_string(value);
    }
    if (attribute.map.isValid()) {
        const AffineMap& map = module.map(attribute.map);
        text += "(" + std::to_string(map.dimensions) + "," + std::to_string(map.symbols) + ")";
        for (const AffineNode& node : map.nodes) {
            text += " " + std::to_string(static_cast<int>(node.kind)) + "/" + std::to_string(node.value) + "/" + std::to_string(node.left) + "/" +
                    std::to_string(node.right);
        }
        for (const std::uint32_t result : map.results) {
            text += " r" + std::to_string(result);
        }
    }
    for (std::size_t i = 0; i < attribute.items.size(); ++i) {
        text += i < attribute.keys.size() ? " " + attribute.keys[i] + "=" : " ";
        text += "[" + attributeText(module, module.attribute(attribute.items[i])) + "]";
    }
    return text;
}

bool lowerOpenAs(Body& body, OperationId op, std::string name) {
    const Module& m = body.module();
    if (m.resultCount(op) == 0 || m.regionCount(op) > 0 || !m.successors(op).empty()) {
        return false;
    }
    std::vector<Register> operands;
    for (const ValueId operand : m.operands(op)) {
        name += " " + m.typeOf(operand).text;
        if (!elementsOf(body, operand, operands)) {
            return false;
        }
    }
    std::vector<ValueType> types;
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        const Type& type = m.typeOf(m.result(op, i));
        const bool shaped = type.kind == Type::Kind::Tensor || type.kind == Type::Kind::Vector;
        const auto element = shaped ? valueType(m, type.element) : valueType(m, m.value(m.result(op, i)).type);
        const auto count = shaped ? elementCount(type.shape) : std::optional<std::int64_t>(1);
        if (!element || *element == interp::Handle || !count || type.scalable || types.size() + static_cast<std::size_t>(*count) > MostOperands) {
            return false;
        }
        name += " -> " + type.text;
        types.insert(types.end(), static_cast<std::size_t>(*count), *element);
    }
    const std::vector<Register> results = body.f.open(name, types, operands);
    std::size_t at = 0;
    for (std::size_t i = 0; i < m.resultCount(op); ++i) {
        const ValueId result = m.result(op, i);
        const Type& type = m.typeOf(result);
        if (type.kind == Type::Kind::Vector) {
            const auto count = static_cast<std::size_t>(elementCount(type.shape).value_or(0));
            body.setLanes(result, {results.begin() + static_cast<std::ptrdiff_t>(at), results.begin() + static_cast<std::ptrdiff_t>(at + count)});
            at += count;
        } else if (type.kind == Type::Kind::Tensor) {
            const auto held = viewType(m, m.value(result).type);
            if (!held) {
                return false;
            }
            const Register view = body.newView(*held, {});
            std::vector<Register> index(type.shape.size());
            const std::int64_t count = elementCount(type.shape).value_or(0);
            for (std::int64_t flat = 0; flat < count; ++flat) {
                std::int64_t left = flat;
                for (std::size_t axis = type.shape.size(); axis-- > 0;) {
                    index[axis] = body.index(left % type.shape[axis]);
                    left /= type.shape[axis];
                }
                body.f.store(results[at++], view, index);
            }
            body.setView(result, view);
        } else {
            body.setScalar(result, results[at++]);
        }
    }
    return true;
}

bool lowerOpen(Body& body, OperationId op) {
    const Module& m = body.module();
    std::string name(m.name(op));
    const Range range = m.operation(op).attributes;
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
        name += " " + m.names[m.namedAttributes[i].name] + "=" + attributeText(m, m.attribute(m.namedAttributes[i].value));
    }
    return lowerOpenAs(body, op, std::move(name));
}

} // namespace lemmascope::ir
