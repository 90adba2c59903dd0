#include "core/format/mlir/lower/body.h"

#include <algorithm>

namespace lemmascope::ir {

std::optional<ValueType> valueType(const Module& module, TypeId id) {
    const Type& type = module.type(id);
    switch (type.kind) {
    case Type::Kind::Integer: return type.width >= 1 && type.width <= 64 ? std::optional(ValueType::integer(type.width)) : std::nullopt;
    case Type::Kind::Index: return interp::Index;
    case Type::Kind::Float:
        return type.text == "f32"    ? std::optional(interp::F32)
               : type.text == "f64"  ? std::optional(interp::F64)
               : type.text == "f16"  ? std::optional(interp::F16)
               : type.text == "bf16" ? std::optional(interp::BF16)
                                     : std::nullopt;
    case Type::Kind::Token:
    case Type::Kind::Group: return interp::Handle;
    default: return std::nullopt;
    }
}

std::optional<ViewType> viewType(const Module& module, TypeId id) {
    const Type& type = module.type(id);
    if ((type.kind != Type::Kind::MemRef && type.kind != Type::Kind::Tensor) || type.shape.size() > interp::MaxRank) {
        return std::nullopt;
    }
    const std::optional<ValueType> element = valueType(module, type.element);
    if (!element || *element == interp::Handle) {
        return std::nullopt;
    }
    ViewType out{*element, {}};
    for (const std::int64_t size : type.shape) {
        out.sizes.push_back(size == Dynamic ? interp::Dynamic : size);
    }
    return out;
}

std::optional<ViewType> passedType(const Module& module, TypeId id) {
    const Type& type = module.type(id);
    if (type.kind != Type::Kind::Vector) {
        return viewType(module, id);
    }
    const auto count = elementCount(type.shape);
    const auto element = valueType(module, type.element);
    if (type.scalable || !count || *count > MostLanes || type.shape.size() > interp::MaxRank || !element || *element == interp::Handle) {
        return std::nullopt;
    }
    return ViewType{*element, type.shape};
}

std::optional<std::int64_t> elementCount(const std::vector<std::int64_t>& shape) {
    std::int64_t count = 1;
    for (const std::int64_t size : shape) {
        if (size < 0 || (size > 0 && count > (std::int64_t{1} << 40U) / size)) {
            return std::nullopt;
        }
        count *= size;
    }
    return count;
}

std::uint64_t scalarBits(const Attribute& attribute) {
    if (attribute.kind == Attribute::Kind::Integer) {
        return static_cast<std::uint64_t>(attribute.integer);
    }
    std::uint64_t bits = 0;
    for (std::size_t i = 0; i < std::min<std::size_t>(attribute.bytes.size(), 8); ++i) {
        bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(attribute.bytes[i])) << (8 * i);
    }
    return bits;
}

std::optional<std::vector<std::uint64_t>> elementBits(const Module& module, const Attribute& attribute) {
    if (attribute.kind != Attribute::Kind::Elements) {
        return std::nullopt;
    }
    const Type& type = module.type(attribute.type);
    const std::optional<std::int64_t> count = elementCount(type.shape);
    const std::optional<ValueType> element = type.element.isValid() ? valueType(module, type.element) : std::nullopt;
    if (!count || *count > MostElements || !element || *element == interp::Handle) {
        return std::nullopt;
    }
    const std::size_t width = (element->width() + 7) / 8;
    const std::size_t stored = attribute.splat ? 1 : static_cast<std::size_t>(*count);
    if (attribute.bytes.size() < stored * width) {
        return std::nullopt;
    }
    const std::uint64_t mask = element->width() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << element->width()) - 1;
    std::vector<std::uint64_t> out(stored);
    for (std::size_t i = 0; i < stored; ++i) {
        for (std::size_t byte = 0; byte < width; ++byte) {
            out[i] |= static_cast<std::uint64_t>(static_cast<unsigned char>(attribute.bytes[i * width + byte])) << (8 * byte);
        }
        out[i] &= mask;
    }
    return out;
}

} // namespace lemmascope::ir
