#pragma once

#include "core/format/mlir/module.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace mlir {
class AffineExpr;
class AffineMap;
class Attribute;
class IntegerSet;
class Type;
} // namespace mlir

namespace lemmascope::ir {

/// Writes types, attributes and names into a module, each once.
class TypeConverter {
  public:
    explicit TypeConverter(Module& module) : m_module(module) {}

    TypeId type(mlir::Type from);
    AttributeId attribute(mlir::Attribute from);
    std::uint32_t name(std::string_view text);

  private:
    Module& m_module;
    using Known = std::unordered_map<const void*, std::uint32_t>; ///< by the address that libMLIR gives equal ones
    Known m_types;
    Known m_attributes;
    std::unordered_map<std::string, std::uint32_t> m_names;

    Type describe(mlir::Type from);
    void describeShaped(mlir::Type from, Type& into);
    Attribute describe(mlir::Attribute from);
    void describeElements(mlir::Attribute from, Attribute& into);
    MapId map(mlir::AffineMap from);
    MapId set(mlir::IntegerSet from);
    static std::uint32_t add(mlir::AffineExpr from, AffineMap& into, Known& known);
};

} // namespace lemmascope::ir
