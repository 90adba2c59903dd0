#pragma once

#include "core/base/id.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// An MLIR file as plain data: what libMLIR read and verified, without a header of it. Everything lies in arrays and is named by
/// its index, so that a module can be sent between processes and kept without a context.
namespace lemmascope::ir {

using TypeId = Id<struct TypeTag>;
using AttributeId = Id<struct AttributeTag>;
using MapId = Id<struct MapTag>;
using OperationId = Id<struct OperationTag>;
using RegionId = Id<struct RegionTag>;
using BlockId = Id<struct BlockTag>;
using ValueId = Id<struct ValueTag>;

/// In place of a dimension, stride or offset that is `?`.
inline constexpr std::int64_t Dynamic = std::numeric_limits<std::int64_t>::min();

/// Line and column of the file, from 1; 0 where it is not known.
struct Place {
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    friend bool operator==(const Place&, const Place&) = default;
};

/// A part of one of the module's arrays.
struct Range {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
    friend bool operator==(const Range&, const Range&) = default;
};

struct Type {
    enum class Kind : std::uint8_t {
        None,
        Integer,
        Float,
        Index,
        MemRef,
        Tensor,
        Vector,
        UnrankedMemRef,
        UnrankedTensor,
        Token,
        AsyncValue,
        Group,
        Function,
        Complex,
        Other
    };
    enum class Sign : std::uint8_t { Signless, Signed, Unsigned };
    Kind kind = Kind::Other;
    Sign sign = Sign::Signless;
    bool strided = true;     ///< of a memref: `strides` and `offset` say where elements lie; else its layout is a map nobody reads
    bool scalable = false;   ///< of a vector: some axis is
    std::uint32_t width = 0; ///< bits, of integers and floats
    TypeId element;          ///< of shaped types, complex numbers and async values
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides; ///< in elements
    std::int64_t offset = 0;
    std::string memorySpace; ///< as written; empty: none
    std::string text;        ///< as MLIR writes it
    friend bool operator==(const Type&, const Type&) = default;
};

struct Attribute {
    enum class Kind : std::uint8_t {
        Unit,
        Integer,    ///< `integer`; `bytes` too, for those over 64 bits
        Float,      ///< `real`, and `bytes`
        String,     ///< `bytes`
        Symbol,     ///< `bytes`: `a::b` for @a::@b
        Array,      ///< `items`
        Dictionary, ///< `items` under `keys`
        Type,       ///< `type`
        Map,        ///< `map`
        Set,        ///< `map`, with `equalities`
        Elements,   ///< `bytes`: little-endian, row-major, one element if `splat`; bools take a byte
        Integers,   ///< `integers`: a dense array
        Other       ///< `bytes`: as MLIR writes it
    };
    Kind kind = Kind::Other;
    bool splat = false;
    TypeId type;
    MapId map;
    std::int64_t integer = 0;
    double real = 0.0;
    std::string bytes;
    std::vector<std::int64_t> integers;
    std::vector<AttributeId> items;
    std::vector<std::string> keys;
    friend bool operator==(const Attribute&, const Attribute&) = default;
};

/// Operands stand before what reads them. `value` is a dimension's or symbol's number, or a constant.
struct AffineNode {
    enum class Kind : std::uint8_t { Dimension, Symbol, Constant, Add, Multiply, Modulo, FloorDivide, CeilDivide } kind = Kind::Constant;
    std::int64_t value = 0;
    std::uint32_t left = 0;
    std::uint32_t right = 0;
    friend bool operator==(const AffineNode&, const AffineNode&) = default;
};

struct AffineMap {
    std::uint32_t dimensions = 0;
    std::uint32_t symbols = 0;
    std::vector<AffineNode> nodes;
    std::vector<std::uint32_t> results;
    std::vector<std::uint8_t> equalities; ///< of a set: 1 where the result must be 0, 0 where it must be at least 0
    friend bool operator==(const AffineMap&, const AffineMap&) = default;
};

struct NamedAttribute {
    std::uint32_t name = 0; ///< into `names`
    AttributeId value;
    friend bool operator==(const NamedAttribute&, const NamedAttribute&) = default;
};

struct Operation {
    std::uint32_t name = 0; ///< into `names`
    Place place;
    BlockId block;    ///< invalid at the top
    Range operands;   ///< of `operandValues`
    Range results;    ///< of `values`
    Range attributes; ///< of `namedAttributes`
    Range regions;    ///< of `regions`
    Range successors; ///< of `successorBlocks`
    friend bool operator==(const Operation&, const Operation&) = default;
};

struct Region {
    OperationId operation;
    Range blocks; ///< of `blocks`
    friend bool operator==(const Region&, const Region&) = default;
};

struct Block {
    RegionId region;
    Range arguments;  ///< of `values`
    Range operations; ///< of `operations`
    friend bool operator==(const Block&, const Block&) = default;
};

struct Value {
    TypeId type;
    OperationId operation; ///< whose result it is; invalid: an argument of `block`
    BlockId block;
    std::uint32_t number = 0; ///< among the results or arguments
    std::string name;         ///< without %, as written in the file; empty where nobody named it
    friend bool operator==(const Value&, const Value&) = default;
};

struct Module {
    std::string file;
    std::vector<std::string> names;
    std::vector<Type> types;
    std::vector<Attribute> attributes;
    std::vector<AffineMap> maps;
    std::vector<Operation> operations; ///< those of a block one after the other; the first `topCount` are the file's own
    std::uint32_t topCount = 0;
    std::vector<Region> regions;
    std::vector<Block> blocks;
    std::vector<Value> values;
    std::vector<ValueId> operandValues;
    std::vector<NamedAttribute> namedAttributes;
    std::vector<BlockId> successorBlocks;
    friend bool operator==(const Module&, const Module&) = default;

    [[nodiscard]] const Operation& operation(OperationId id) const { return operations[id.index]; }
    [[nodiscard]] const Value& value(ValueId id) const { return values[id.index]; }
    [[nodiscard]] const Type& type(TypeId id) const { return types[id.index]; }
    [[nodiscard]] const Type& typeOf(ValueId id) const { return types[values[id.index].type.index]; }
    [[nodiscard]] const Block& block(BlockId id) const { return blocks[id.index]; }
    [[nodiscard]] const Region& region(RegionId id) const { return regions[id.index]; }
    [[nodiscard]] const Attribute& attribute(AttributeId id) const { return attributes[id.index]; }
    [[nodiscard]] const AffineMap& map(MapId id) const { return maps[id.index]; }

    [[nodiscard]] std::string_view name(OperationId id) const { return names[operation(id).name]; }
    [[nodiscard]] std::span<const ValueId> operands(OperationId id) const {
        return std::span(operandValues).subspan(operation(id).operands.first, operation(id).operands.count);
    }
    [[nodiscard]] ValueId operand(OperationId id, std::size_t at) const { return operands(id)[at]; }
    [[nodiscard]] std::size_t resultCount(OperationId id) const { return operation(id).results.count; }
    [[nodiscard]] ValueId result(OperationId id, std::size_t at = 0) const { return ValueId(operation(id).results.first + at); }
    [[nodiscard]] std::span<const BlockId> successors(OperationId id) const {
        return std::span(successorBlocks).subspan(operation(id).successors.first, operation(id).successors.count);
    }
    [[nodiscard]] std::size_t regionCount(OperationId id) const { return operation(id).regions.count; }
    [[nodiscard]] RegionId regionOf(OperationId id, std::size_t at = 0) const { return RegionId(operation(id).regions.first + at); }
    [[nodiscard]] std::size_t blockCount(RegionId id) const { return region(id).blocks.count; }
    [[nodiscard]] BlockId blockOf(RegionId id, std::size_t at = 0) const { return BlockId(region(id).blocks.first + at); }
    [[nodiscard]] ValueId argument(BlockId id, std::size_t at) const { return ValueId(block(id).arguments.first + at); }
    [[nodiscard]] OperationId operationOf(BlockId id, std::size_t at) const { return OperationId(block(id).operations.first + at); }
    /// The attribute of that name, or null.
    [[nodiscard]] const Attribute* find(OperationId id, std::string_view attributeName) const;
    /// `file.mlir:3:5`
    [[nodiscard]] std::string where(Place place) const;
    [[nodiscard]] std::string where(OperationId id) const { return where(operation(id).place); }
    /// `%x`, `%2` where it has no name of its own: the number is its index.
    [[nodiscard]] std::string nameOf(ValueId id) const;
};

/// True if every index of the module lies in its array and operands of affine expressions stand before their readers.
[[nodiscard]] bool isWellFormed(const Module& module);

} // namespace lemmascope::ir
