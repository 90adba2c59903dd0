#include "core/format/mlir/module_wire.h"

#include "core/worker/wire.h"

#include <concepts>
#include <type_traits>

// One list of fields for each struct serves both directions: `Put` writes a field, `Get` fills it.

namespace lemmascope::ir {

namespace {

struct Put {
    WireWriter wire;

    void field(std::uint8_t& value) { wire.u8(value); }
    void field(bool& value) { wire.u8(value ? 1 : 0); }
    void field(std::uint32_t& value) { wire.u32(value); }
    void field(std::int64_t& value) { wire.u64(static_cast<std::uint64_t>(value)); }
    void field(double& value) { wire.f64(value); }
    void field(std::string& value) { wire.text(value); }
    template <typename Enum>
    requires std::is_enum_v<Enum>
    void field(Enum& value) { wire.u8(static_cast<std::uint8_t>(value)); }
    template <typename T>
    void list(std::vector<T>& values) {
        wire.u64(values.size());
    }
};

struct Get {
    WireReader wire;

    void field(std::uint8_t& value) { value = wire.u8(); }
    void field(bool& value) { value = wire.u8() != 0; }
    void field(std::uint32_t& value) { value = wire.u32(); }
    void field(std::int64_t& value) { value = static_cast<std::int64_t>(wire.u64()); }
    void field(double& value) { value = wire.f64(); }
    void field(std::string& value) { value = wire.text(); }
    template <typename Enum>
    requires std::is_enum_v<Enum>
    void field(Enum& value) { value = static_cast<Enum>(wire.u8()); }
    /// An item takes at least a byte on the wire: what it takes here is bounded by a constant factor of that.
    template <typename T>
    void list(std::vector<T>& values) {
        values.resize(wire.count(1));
    }
};

template <typename Archive, typename T>
void visit(Archive& archive, T& value);

template <typename Archive, typename... Fields>
void all(Archive& archive, Fields&... fields) {
    (visit(archive, fields), ...);
}

template <typename Archive, typename Tag>
void fields(Archive& a, Id<Tag>& v) {
    all(a, v.index);
}
template <typename Archive>
void fields(Archive& a, Place& v) {
    all(a, v.line, v.column);
}
template <typename Archive>
void fields(Archive& a, Range& v) {
    all(a, v.first, v.count);
}
template <typename Archive>
void fields(Archive& a, Type& v) {
    all(a, v.kind, v.sign, v.strided, v.scalable, v.width, v.element, v.shape, v.strides, v.offset, v.memorySpace, v.text);
}
template <typename Archive>
void fields(Archive& a, Attribute& v) {
    all(a, v.kind, v.splat, v.type, v.map, v.integer, v.real, v.bytes, v.integers, v.items, v.keys);
}
template <typename Archive>
void fields(Archive& a, AffineNode& v) {
    all(a, v.kind, v.value, v.left, v.right);
}
template <typename Archive>
void fields(Archive& a, AffineMap& v) {
    all(a, v.dimensions, v.symbols, v.nodes, v.results, v.equalities);
}
template <typename Archive>
void fields(Archive& a, NamedAttribute& v) {
    all(a, v.name, v.value);
}
template <typename Archive>
void fields(Archive& a, Operation& v) {
    all(a, v.name, v.place, v.block, v.operands, v.results, v.attributes, v.regions, v.successors);
}
template <typename Archive>
void fields(Archive& a, Region& v) {
    all(a, v.operation, v.blocks);
}
template <typename Archive>
void fields(Archive& a, Block& v) {
    all(a, v.region, v.arguments, v.operations);
}
template <typename Archive>
void fields(Archive& a, Value& v) {
    all(a, v.type, v.operation, v.block, v.number, v.name);
}
template <typename Archive>
void fields(Archive& a, Module& v) {
    all(a, v.file, v.names, v.types, v.attributes, v.maps, v.operations, v.topCount, v.regions, v.blocks, v.values, v.operandValues,
        v.namedAttributes, v.successorBlocks);
}
template <typename Archive>
void fields(Archive& a, ParseRequest& v) {
    all(a, v.file, v.firstLine, v.text);
}

template <typename Archive, typename T>
void fields(Archive& archive, std::vector<T>& values) {
    archive.list(values);
    for (T& value : values) {
        visit(archive, value);
    }
}

template <typename Archive, typename T>
void visit(Archive& archive, T& value) {
    if constexpr (requires { archive.field(value); }) {
        archive.field(value);
    } else {
        fields(archive, value);
    }
}

template <typename T>
std::string encode(T value) {
    Put put;
    fields(put, value);
    return put.wire.take();
}

template <typename T>
Result<T> decode(std::string_view bytes) {
    Get get{WireReader(bytes)};
    T value;
    fields(get, value);
    if (!get.wire.atEnd()) {
        return fail(ErrorCode::WorkerFailed, "the MLIR reader process wrote what is no answer: are both programs of one version?");
    }
    return value;
}

} // namespace

std::string encodeRequest(const ParseRequest& request) { return encode(request); }
std::string encodeModule(const Module& module) { return encode(module); }
Result<ParseRequest> decodeRequest(std::string_view bytes) { return decode<ParseRequest>(bytes); }

Result<Module> decodeModule(std::string_view bytes) {
    Result<Module> module = decode<Module>(bytes);
    if (module && !isWellFormed(*module)) {
        return fail(ErrorCode::WorkerFailed, "the MLIR reader process wrote a broken module: are both programs of one version?");
    }
    return module;
}

} // namespace lemmascope::ir
