// Element types that operators take. Inference lets pass what the evaluator does not compute; an instance that no runtime takes is no case.
#include "core/ruleproof/operand_types.h"

#include "core/graph/op_registry.h"

#include <set>
#include <string>

namespace lemmascope::ruleproof {

bool takesElement(const OpId& op, std::size_t operand, ElementType type) {
    static const std::set<std::string> Any{"Cast",   "CastLike", "Equal",  "Where", "Identity", "Shape",   "Size",           "Scatter",
                                           "OneHot", "NonZero",  "Unique", "IsNaN", "Compress", "EyeLike", "ConstantOfShape"};
    static const std::set<std::string> Numbers{"Add",       "Sub",        "Mul",       "Div",         "Neg",
                                               "Abs",       "Sign",       "Max",       "Min",         "Clip",
                                               "Pow",       "Less",       "Greater",   "LessOrEqual", "GreaterOrEqual",
                                               "Relu",      "MatMul",     "ReduceSum", "ReduceMean",  "ReduceMax",
                                               "ReduceMin", "ReduceProd", "ReduceL1",  "ReduceL2",    "ReduceSumSquare",
                                               "ArgMax",    "ArgMin",     "CumSum",    "TopK",        "Range",
                                               "Einsum",    "Mod",        "MaxPool"};
    static const std::set<std::string> Truths{"And", "Or", "Xor", "Not"};
    static const std::set<std::string> Integers{"BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor", "BitwiseNot"};
    const std::string& name = op.name;
    if (!op.domain.empty()) {
        // ONNX Runtime, ContribOperators.md: T of these is a type of floats.
        const bool onlyFloats = op.domain == "com.microsoft" && (name == "FusedMatMul" || name == "TransposeMatMul");
        return !onlyFloats || isFloat(type);
    }
    const bool small = type == ElementType::U8 || type == ElementType::I8;
    if (Any.contains(name)) {
        return name != "Where" || operand != 0 || type == ElementType::Bool;
    }
    if (Truths.contains(name)) {
        return type == ElementType::Bool;
    }
    if (Integers.contains(name)) {
        return isInteger(type);
    }
    if (name == "QuantizeLinear") {
        return operand == 2 ? small : isFloat(type);
    }
    if (name == "DequantizeLinear") {
        return operand == 1 ? isFloat(type) : small || (type == ElementType::I32 && operand == 0);
    }
    const bool indexed = (name == "Gather" || name == "GatherElements" || name == "GatherND" || name == "ScatterElements" || name == "ScatterND" ||
                          name == "Expand" || name == "Reshape" || name == "Tile" || name == "TopK" || name == "CumSum" || name == "Unsqueeze" ||
                          name == "Squeeze" || name.starts_with("Reduce")) &&
                         operand == 1;
    if (indexed || (name == "Slice" && operand > 0) || (name == "Pad" && (operand == 1 || operand == 3)) || (name == "Split" && operand == 1)) {
        return type == ElementType::I64;
    }
    if (Numbers.contains(name)) {
        const bool floatsAndWideIntegers = name == "MatMul" || name == "Neg" || name == "Relu" || name == "Einsum" || name.starts_with("Reduce");
        return isFloat(type) || (isInteger(type) && !(floatsAndWideIntegers && small));
    }
    const OpSchema* schema = findOp(op);
    if (schema == nullptr || schema->opClass == OpClass::Movement) {
        return true;
    }
    return isFloat(type);
}

} // namespace lemmascope::ruleproof
