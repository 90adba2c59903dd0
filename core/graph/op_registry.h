#pragma once

#include "core/base/result.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lemmascope {

/// What kind of function an op is; decides how terms treat it.
enum class OpClass : std::uint8_t {
    Elementwise, ///< one scalar function at each index of the broadcast operands; commutes with movements
    Movement,    ///< only moves values
    Computing,   ///< everything else that is a function of its operands (contractions, reductions, normalisations, ...)
    Control,     ///< If, Loop, Scan
    Random       ///< each node is its own unknown tensor
};

/// One op of one domain from one opset on: the table row behind (domain, name, opset in force).
struct OpSchema {
    std::string_view domain;
    std::string_view name;
    int sinceVersion = 1;
    int minOperands = 0;
    int maxOperands = 0; ///< -1: variadic
    OpClass opClass = OpClass::Computing;
    bool commutative = false; ///< exchanging its two operands gives the same bits (NaN payloads aside)
};

/// The schema in force for an op, or nullptr for an unknown one (an open function, never an error).
[[nodiscard]] const OpSchema* findOp(const OpId& op);
/// All rows, sorted by domain, name, version.
[[nodiscard]] std::span<const OpSchema> allOps();

} // namespace lemmascope
