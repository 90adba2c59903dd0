#pragma once

#include "core/format/mlir/module.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <mlir/IR/AffineMap.h>
#include <mlir/IR/Attributes.h>
#include <mlir/IR/Types.h>

namespace mlir {
class IntegerSet;
}

namespace lemmascope::ir {

/// Writes types, attributes and names into a module, each once.
class TypeConverter {
  public:
    explicit TypeConverter(Module& module) : m_module(module) {}

    TypeId type(mlir::Type from);
    AttributeId attribute(mlir::Attribute from);
    std::uint32_t name(llvm::StringRef text);

  private:
    Module& m_module;
    llvm::DenseMap<mlir::Type, std::uint32_t> m_types;
    llvm::DenseMap<mlir::Attribute, std::uint32_t> m_attributes;
    llvm::StringMap<std::uint32_t> m_names;

    Type describe(mlir::Type from);
    void describeShaped(mlir::Type from, Type& into);
    Attribute describe(mlir::Attribute from);
    void describeElements(mlir::Attribute from, Attribute& into);
    MapId map(mlir::AffineMap from);
    MapId set(mlir::IntegerSet from);
    static std::uint32_t add(mlir::AffineExpr from, AffineMap& into, llvm::DenseMap<mlir::AffineExpr, std::uint32_t>& known);
};

} // namespace lemmascope::ir
