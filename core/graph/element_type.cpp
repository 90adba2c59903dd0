#include "core/graph/element_type.h"

#include <array>

namespace lemmascope {

namespace {

enum class Family : std::uint8_t { None, Bool, Signed, Unsigned, Float, Other };

struct Entry {
    ElementType type;
    std::string_view name;
    std::string_view onnxName;
    std::size_t bytes;
    unsigned bits;
    unsigned significand;
    Family family;
};

using E = ElementType;
constexpr std::array Table{
    Entry{E::Undefined, "?", "undefined", 0, 0, 0, Family::None},
    Entry{E::Bool, "bool", "bool", 1, 1, 0, Family::Bool},
    Entry{E::I2, "i2", "int2", 1, 2, 0, Family::Signed},
    Entry{E::U2, "u2", "uint2", 1, 2, 0, Family::Unsigned},
    Entry{E::I4, "i4", "int4", 1, 4, 0, Family::Signed},
    Entry{E::U4, "u4", "uint4", 1, 4, 0, Family::Unsigned},
    Entry{E::I8, "i8", "int8", 1, 8, 0, Family::Signed},
    Entry{E::U8, "u8", "uint8", 1, 8, 0, Family::Unsigned},
    Entry{E::I16, "i16", "int16", 2, 16, 0, Family::Signed},
    Entry{E::U16, "u16", "uint16", 2, 16, 0, Family::Unsigned},
    Entry{E::I32, "i32", "int32", 4, 32, 0, Family::Signed},
    Entry{E::U32, "u32", "uint32", 4, 32, 0, Family::Unsigned},
    Entry{E::I64, "i64", "int64", 8, 64, 0, Family::Signed},
    Entry{E::U64, "u64", "uint64", 8, 64, 0, Family::Unsigned},
    Entry{E::F4E2M1, "f4e2m1", "float4e2m1", 1, 0, 2, Family::Float},
    Entry{E::F8E4M3FN, "f8e4m3fn", "float8e4m3fn", 1, 0, 4, Family::Float},
    Entry{E::F8E4M3FNUZ, "f8e4m3fnuz", "float8e4m3fnuz", 1, 0, 4, Family::Float},
    Entry{E::F8E5M2, "f8e5m2", "float8e5m2", 1, 0, 3, Family::Float},
    Entry{E::F8E5M2FNUZ, "f8e5m2fnuz", "float8e5m2fnuz", 1, 0, 3, Family::Float},
    Entry{E::F8E8M0, "f8e8m0", "float8e8m0", 1, 0, 1, Family::Float},
    Entry{E::F16, "f16", "float16", 2, 0, 11, Family::Float},
    Entry{E::BF16, "bf16", "bfloat16", 2, 0, 8, Family::Float},
    Entry{E::F32, "f32", "float", 4, 0, 24, Family::Float},
    Entry{E::F64, "f64", "double", 8, 0, 53, Family::Float},
    Entry{E::Complex64, "c64", "complex64", 8, 0, 0, Family::Other},
    Entry{E::Complex128, "c128", "complex128", 16, 0, 0, Family::Other},
    Entry{E::String, "string", "string", 0, 0, 0, Family::Other},
};

const Entry& entry(ElementType type) { return Table.at(static_cast<std::size_t>(type)); }

} // namespace

std::string_view name(ElementType type) { return entry(type).name; }

std::optional<ElementType> elementTypeByName(std::string_view text) {
    for (const Entry& candidate : Table) {
        if (candidate.type != E::Undefined && (candidate.name == text || candidate.onnxName == text)) {
            return candidate.type;
        }
    }
    if (text == "float32") {
        return E::F32;
    }
    if (text == "float64") {
        return E::F64;
    }
    return std::nullopt;
}

std::size_t byteSize(ElementType type) { return entry(type).bytes; }
unsigned bitWidth(ElementType type) { return entry(type).bits; }
bool isFloat(ElementType type) { return entry(type).family == Family::Float; }
bool isInteger(ElementType type) { return entry(type).family == Family::Signed || entry(type).family == Family::Unsigned; }
bool isSignedInteger(ElementType type) { return entry(type).family == Family::Signed; }
unsigned significandBits(ElementType type) { return entry(type).significand; }

bool isComputable(ElementType type) {
    if (type == E::Bool) {
        return true;
    }
    if (isInteger(type)) {
        return entry(type).bits >= 8;
    }
    return type == E::F16 || type == E::BF16 || type == E::F32 || type == E::F64;
}

} // namespace lemmascope
