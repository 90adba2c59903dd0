#pragma once

// One op is one block: its schema rows and its inference rule stand together in a file of this folder. To add one, add an
// entry to the list of the family it belongs to (or a new family, named in op_registry.cpp); see neural.cpp for examples.

#include "core/graph/op_registry.h"
#include "core/graph/ops/infer_context.h"

#include <string_view>
#include <vector>

namespace lemmascope {

using InferRule = void (*)(InferContext&);

/// One op over a run of opsets at which operands and class are the same.
struct OpBlock {
    std::string_view domain;
    std::string_view name;
    std::vector<int> since; ///< opsets at which meaning or signature changed
    int minOperands = 1;
    int maxOperands = 1; ///< -1: variadic
    OpClass opClass = OpClass::Computing;
    /// `axis:i alpha:f mode:s axes:I scales:F value:t body:g to:e p:x`: all attributes and their kinds, checked before the rule
    /// runs (e: an element type by number or name, x: any kind). An ai.onnx op refuses others.
    std::string_view attributes;
    InferRule rule = nullptr;
    bool commutative = false;
    int removed = 0; ///< first opset without the op; 0: never removed
};

using OpBlocks = std::vector<OpBlock>;

struct AttributeKind {
    std::string_view name;
    char kind = 'i';
};

/// What inference needs of an op beside its schema.
struct OpRule {
    const OpSchema* schema = nullptr;
    InferRule rule = nullptr;
    std::vector<AttributeKind> attributes;
};

/// The rule in force for an op, or nullptr for an unknown one.
[[nodiscard]] const OpRule* findRule(const OpId& op);

inline constexpr std::string_view OnnxDomain;
inline constexpr std::string_view MicrosoftDomain = "com.microsoft";
inline constexpr std::string_view OwnDomain = "lemmascope";

/// The element type an attribute names, as a TensorProto.DataType number or in words; fails on an unknown one. Nothing if absent.
[[nodiscard]] std::optional<ElementType> elementAttribute(InferContext& c, const std::string& key);

// The families, one file each.
[[nodiscard]] OpBlocks unaryOps();
[[nodiscard]] OpBlocks binaryOps();
[[nodiscard]] OpBlocks layoutOps();
[[nodiscard]] OpBlocks indexingOps();
[[nodiscard]] OpBlocks matrixOps();
[[nodiscard]] OpBlocks normalizationOps();
[[nodiscard]] OpBlocks reductionOps();
[[nodiscard]] OpBlocks spatialOps();
[[nodiscard]] OpBlocks partitionOps();
[[nodiscard]] OpBlocks gatherScatterOps();
[[nodiscard]] OpBlocks selectionOps();
[[nodiscard]] OpBlocks quantizedOps();
[[nodiscard]] OpBlocks randomOps();
[[nodiscard]] OpBlocks einsumOps();
[[nodiscard]] OpBlocks resizeOps();
[[nodiscard]] OpBlocks recurrentOps();
[[nodiscard]] OpBlocks attentionOps();
[[nodiscard]] OpBlocks controlOps();
[[nodiscard]] OpBlocks numberOps();

} // namespace lemmascope
