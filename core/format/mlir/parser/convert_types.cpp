#include "core/format/mlir/parser/convert_types.h"

#include <mlir/IR/AffineExpr.h>
#include <mlir/IR/BuiltinAttributes.h>
#include <mlir/IR/BuiltinTypes.h>
#include <mlir/IR/DialectResourceBlobManager.h>
#include <mlir/IR/IntegerSet.h>

#include <bit>
#include <cstring>

// Recursion goes as deep as types and attributes are nested: what parsed on the large stack is walked on it.

namespace lemmascope::ir {

namespace {

template <typename T>
std::string printed(T value) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    stream << value;
    return text;
}

std::string bytesOf(const llvm::APInt& value) {
    std::string bytes;
    for (unsigned bit = 0; bit < value.getBitWidth(); bit += 8) {
        bytes.push_back(static_cast<char>(value.extractBitsAsZExtValue(std::min(8U, value.getBitWidth() - bit), bit)));
    }
    return bytes;
}

std::int64_t dimension(std::int64_t size) { return mlir::ShapedType::isDynamic(size) ? Dynamic : size; }

std::vector<std::int64_t> dimensions(llvm::ArrayRef<std::int64_t> sizes) {
    std::vector<std::int64_t> out;
    for (const std::int64_t size : sizes) {
        out.push_back(dimension(size));
    }
    return out;
}

} // namespace

std::uint32_t TypeConverter::name(std::string_view text) {
    const auto [at, isNew] = m_names.try_emplace(std::string(text), static_cast<std::uint32_t>(m_module.names.size()));
    if (isNew) {
        m_module.names.emplace_back(text);
    }
    return at->second;
}

TypeId TypeConverter::type(mlir::Type from) {
    const auto known = m_types.find(from.getAsOpaquePointer());
    if (known != m_types.end()) {
        return TypeId(std::size_t{known->second});
    }
    Type described = describe(from);
    const auto index = static_cast<std::uint32_t>(m_module.types.size());
    m_types[from.getAsOpaquePointer()] = index;
    m_module.types.push_back(std::move(described));
    return TypeId(std::size_t{index});
}

Type TypeConverter::describe(mlir::Type from) {
    Type into;
    into.text = printed(from);
    if (const auto integer = mlir::dyn_cast<mlir::IntegerType>(from)) {
        into.kind = Type::Kind::Integer;
        into.width = integer.getWidth();
        into.sign = integer.isSigned() ? Type::Sign::Signed : integer.isUnsigned() ? Type::Sign::Unsigned : Type::Sign::Signless;
    } else if (auto real = mlir::dyn_cast<mlir::FloatType>(from)) {
        into.kind = Type::Kind::Float;
        into.width = real.getWidth();
    } else if (mlir::isa<mlir::IndexType>(from)) {
        into.kind = Type::Kind::Index;
        into.width = 64;
    } else if (mlir::isa<mlir::NoneType>(from)) {
        into.kind = Type::Kind::None;
    } else if (mlir::isa<mlir::FunctionType>(from)) {
        into.kind = Type::Kind::Function;
    } else if (const auto pair = mlir::dyn_cast<mlir::ComplexType>(from)) {
        into.kind = Type::Kind::Complex;
        into.element = type(pair.getElementType());
    } else if (into.text == "!async.token") {
        into.kind = Type::Kind::Token;
    } else if (into.text == "!async.group") {
        into.kind = Type::Kind::Group;
    } else if (llvm::StringRef(into.text).starts_with("!async.value<")) {
        into.kind = Type::Kind::AsyncValue;
        from.walkImmediateSubElements([](mlir::Attribute) {}, [&](mlir::Type inner) { into.element = type(inner); });
    } else {
        describeShaped(from, into);
    }
    return into;
}

void TypeConverter::describeShaped(mlir::Type from, Type& into) {
    if (const auto memref = mlir::dyn_cast<mlir::MemRefType>(from)) {
        into.kind = Type::Kind::MemRef;
        into.element = type(memref.getElementType());
        into.shape = dimensions(memref.getShape());
        llvm::SmallVector<std::int64_t> strides;
        std::int64_t offset = 0;
        into.strided = mlir::succeeded(mlir::getStridesAndOffset(memref, strides, offset));
        if (into.strided) {
            into.strides = dimensions(strides);
            into.offset = dimension(offset);
        }
        if (memref.getMemorySpace()) {
            into.memorySpace = printed(memref.getMemorySpace());
        }
    } else if (const auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(from)) {
        // An encoding (sparse, for example) changes what is stored where: left to be refused as another type.
        into.kind = tensor.getEncoding() ? Type::Kind::Other : Type::Kind::Tensor;
        into.element = type(tensor.getElementType());
        into.shape = dimensions(tensor.getShape());
    } else if (const auto vector = mlir::dyn_cast<mlir::VectorType>(from)) {
        into.kind = Type::Kind::Vector;
        into.scalable = vector.isScalable();
        into.element = type(vector.getElementType());
        into.shape = dimensions(vector.getShape());
    } else if (const auto unranked = mlir::dyn_cast<mlir::UnrankedMemRefType>(from)) {
        into.kind = Type::Kind::UnrankedMemRef;
        into.element = type(unranked.getElementType());
    } else if (const auto free = mlir::dyn_cast<mlir::UnrankedTensorType>(from)) {
        into.kind = Type::Kind::UnrankedTensor;
        into.element = type(free.getElementType());
    }
}

AttributeId TypeConverter::attribute(mlir::Attribute from) {
    const auto known = m_attributes.find(from.getAsOpaquePointer());
    if (known != m_attributes.end()) {
        return AttributeId(std::size_t{known->second});
    }
    Attribute described = describe(from);
    const auto index = static_cast<std::uint32_t>(m_module.attributes.size());
    m_attributes[from.getAsOpaquePointer()] = index;
    m_module.attributes.push_back(std::move(described));
    return AttributeId(std::size_t{index});
}

Attribute TypeConverter::describe(mlir::Attribute from) {
    Attribute into;
    using Kind = Attribute::Kind;
    if (mlir::isa<mlir::UnitAttr>(from)) {
        into.kind = Kind::Unit;
    } else if (const auto integer = mlir::dyn_cast<mlir::IntegerAttr>(from)) { // BoolAttr is one
        into.kind = Kind::Integer;
        into.type = type(integer.getType());
        const llvm::APInt value = integer.getValue();
        into.bytes = bytesOf(value);
        const bool isUnsigned = integer.getType().isUnsignedInteger() || value.getBitWidth() == 1;
        into.integer = value.getBitWidth() > 64 ? 0 : isUnsigned ? static_cast<std::int64_t>(value.getZExtValue()) : value.getSExtValue();
    } else if (const auto real = mlir::dyn_cast<mlir::FloatAttr>(from)) {
        into.kind = Kind::Float;
        into.type = type(real.getType());
        into.real = real.getValueAsDouble();
        into.bytes = bytesOf(real.getValue().bitcastToAPInt());
    } else if (const auto text = mlir::dyn_cast<mlir::StringAttr>(from)) {
        into.kind = Kind::String;
        into.bytes = text.str();
    } else if (const auto symbol = mlir::dyn_cast<mlir::SymbolRefAttr>(from)) {
        into.kind = Kind::Symbol;
        into.bytes = symbol.getRootReference().str();
        for (const mlir::FlatSymbolRefAttr nested : symbol.getNestedReferences()) {
            into.bytes += "::" + nested.getValue().str();
        }
    } else if (const auto array = mlir::dyn_cast<mlir::ArrayAttr>(from)) {
        into.kind = Kind::Array;
        for (const mlir::Attribute item : array) {
            into.items.push_back(attribute(item));
        }
    } else if (const auto dictionary = mlir::dyn_cast<mlir::DictionaryAttr>(from)) {
        into.kind = Kind::Dictionary;
        for (const mlir::NamedAttribute item : dictionary) {
            into.keys.push_back(item.getName().str());
            into.items.push_back(attribute(item.getValue()));
        }
    } else if (const auto typed = mlir::dyn_cast<mlir::TypeAttr>(from)) {
        into.kind = Kind::Type;
        into.type = type(typed.getValue());
    } else if (const auto affine = mlir::dyn_cast<mlir::AffineMapAttr>(from)) {
        into.kind = Kind::Map;
        into.map = map(affine.getValue());
    } else if (const auto condition = mlir::dyn_cast<mlir::IntegerSetAttr>(from)) {
        into.kind = Kind::Set;
        into.map = set(condition.getValue());
    } else {
        describeElements(from, into);
    }
    return into;
}

namespace {

/// Integers of a dense array, whatever their width; false if these are no integers.
bool denseIntegers(mlir::Attribute from, std::vector<std::int64_t>& out) {
    const auto take = [&](auto array) {
        if (array) {
            for (const auto value : array.asArrayRef()) {
                out.push_back(static_cast<std::int64_t>(value));
            }
        }
        return static_cast<bool>(array);
    };
    return take(mlir::dyn_cast<mlir::DenseI64ArrayAttr>(from)) || take(mlir::dyn_cast<mlir::DenseI32ArrayAttr>(from)) ||
           take(mlir::dyn_cast<mlir::DenseI8ArrayAttr>(from)) || take(mlir::dyn_cast<mlir::DenseI16ArrayAttr>(from)) ||
           take(mlir::dyn_cast<mlir::DenseBoolArrayAttr>(from));
}

} // namespace

void TypeConverter::describeElements(mlir::Attribute from, Attribute& into) {
    if (denseIntegers(from, into.integers)) {
        into.kind = Attribute::Kind::Integers;
        return;
    }
    const auto shaped = mlir::dyn_cast<mlir::ElementsAttr>(from);
    const auto dense = mlir::dyn_cast<mlir::DenseElementsAttr>(from);
    const auto resource = mlir::dyn_cast<mlir::DenseResourceElementsAttr>(from);
    if (dense && dense.getElementType().isIntOrIndexOrFloat()) {
        into.kind = Attribute::Kind::Elements;
        into.type = type(dense.getType());
        into.splat = dense.isSplat();
        if (dense.getElementType().isInteger(1)) {
            const auto values = dense.getValues<bool>();
            const std::int64_t count = into.splat ? 1 : dense.getNumElements();
            for (std::int64_t i = 0; i < count; ++i) {
                into.bytes.push_back(values[static_cast<std::size_t>(i)] ? 1 : 0);
            }
        } else {
            const llvm::ArrayRef<char> raw = dense.getRawData();
            into.bytes.assign(raw.begin(), raw.end());
        }
        return;
    }
    if (resource && shaped && shaped.getElementType().isIntOrIndexOrFloat() && !shaped.getElementType().isInteger(1)) {
        if (const mlir::AsmResourceBlob* blob = resource.getRawHandle().getBlob()) {
            const llvm::ArrayRef<char> raw = blob->getData();
            const std::uint64_t width = (shaped.getElementType().isIndex() ? 64U : shaped.getElementType().getIntOrFloatBitWidth() + 7U) / 8U;
            if (raw.size() == static_cast<std::uint64_t>(shaped.getNumElements()) * width) {
                into.kind = Attribute::Kind::Elements;
                into.type = type(resource.getType());
                into.bytes.assign(raw.begin(), raw.end());
                return;
            }
        }
    }
    into.kind = Attribute::Kind::Other;
    into.bytes = printed(from);
}

std::uint32_t TypeConverter::add(mlir::AffineExpr from, AffineMap& into, Known& known) {
    std::vector<std::pair<mlir::AffineExpr, bool>> stack{{from, false}}; // with whether its operands have been added
    while (!stack.empty()) {
        const auto [expression, ready] = stack.back();
        stack.pop_back();
        if (known.count(expression.getAsOpaquePointer()) != 0) {
            continue;
        }
        AffineNode node;
        if (const auto constant = mlir::dyn_cast<mlir::AffineConstantExpr>(expression)) {
            node = {AffineNode::Kind::Constant, constant.getValue(), 0, 0};
        } else if (const auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expression)) {
            node = {AffineNode::Kind::Dimension, static_cast<std::int64_t>(dim.getPosition()), 0, 0};
        } else if (const auto symbol = mlir::dyn_cast<mlir::AffineSymbolExpr>(expression)) {
            node = {AffineNode::Kind::Symbol, static_cast<std::int64_t>(symbol.getPosition()), 0, 0};
        } else {
            const auto binary = mlir::cast<mlir::AffineBinaryOpExpr>(expression);
            if (!ready) {
                stack.emplace_back(expression, true);
                stack.emplace_back(binary.getRHS(), false);
                stack.emplace_back(binary.getLHS(), false);
                continue;
            }
            switch (expression.getKind()) {
            case mlir::AffineExprKind::Add: node.kind = AffineNode::Kind::Add; break;
            case mlir::AffineExprKind::Mul: node.kind = AffineNode::Kind::Multiply; break;
            case mlir::AffineExprKind::Mod: node.kind = AffineNode::Kind::Modulo; break;
            case mlir::AffineExprKind::FloorDiv: node.kind = AffineNode::Kind::FloorDivide; break;
            default: node.kind = AffineNode::Kind::CeilDivide; break;
            }
            node.left = known.at(binary.getLHS().getAsOpaquePointer());
            node.right = known.at(binary.getRHS().getAsOpaquePointer());
        }
        known[expression.getAsOpaquePointer()] = static_cast<std::uint32_t>(into.nodes.size());
        into.nodes.push_back(node);
    }
    return known.at(from.getAsOpaquePointer());
}

MapId TypeConverter::map(mlir::AffineMap from) {
    AffineMap into{from.getNumDims(), from.getNumSymbols(), {}, {}, {}};
    Known known;
    for (const mlir::AffineExpr result : from.getResults()) {
        into.results.push_back(add(result, into, known));
    }
    m_module.maps.push_back(std::move(into));
    return MapId(m_module.maps.size() - 1);
}

MapId TypeConverter::set(mlir::IntegerSet from) {
    AffineMap into{from.getNumDims(), from.getNumSymbols(), {}, {}, {}};
    Known known;
    for (unsigned i = 0; i < from.getNumConstraints(); ++i) {
        into.results.push_back(add(from.getConstraint(i), into, known));
        into.equalities.push_back(from.isEq(i) ? 1 : 0);
    }
    m_module.maps.push_back(std::move(into));
    return MapId(m_module.maps.size() - 1);
}

} // namespace lemmascope::ir
