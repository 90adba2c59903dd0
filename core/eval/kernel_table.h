#pragma once

#include "core/eval/node_run.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace lemmascope {

/// Element types of operand 0 that a kernel takes.
enum class KernelTypes : std::uint8_t {
    Any,      ///< all but strings: elements are only moved
    Computed, ///< the computable types, bool included
    Numbers,  ///< computable integers and floats
    Floats,
    Integers,
    Bools,
    Nothing ///< the op has no operands, or the kernel looks for itself
};

/// One kernel: the meaning of an op from opset `since` to before `until` (0: no end).
struct Kernel {
    std::string_view domain;
    std::string_view name;
    std::int64_t since = 1;
    std::int64_t until = 0;
    KernelTypes types = KernelTypes::Computed;
    void (*run)(NodeRun&) = nullptr;
};

/// The kernel in force; nullptr when there is none. `ai.onnx` is the same domain as "".
[[nodiscard]] const Kernel* findKernel(const OpId& op);
[[nodiscard]] bool acceptsType(KernelTypes types, ElementType element);

inline constexpr std::string_view OnnxDomain = "";
inline constexpr std::string_view MicrosoftDomain = "com.microsoft";
inline constexpr std::string_view LemmascopeDomain = "lemmascope";

// One list per family; each family is a file in kernels/.
[[nodiscard]] std::span<const Kernel> unaryKernels();
[[nodiscard]] std::span<const Kernel> binaryKernels();
[[nodiscard]] std::span<const Kernel> shapeKernels();
[[nodiscard]] std::span<const Kernel> movementKernels();
[[nodiscard]] std::span<const Kernel> gatherKernels();
[[nodiscard]] std::span<const Kernel> storeKernels();
[[nodiscard]] std::span<const Kernel> matmulKernels();
[[nodiscard]] std::span<const Kernel> reduceKernels();
[[nodiscard]] std::span<const Kernel> softmaxKernels();
[[nodiscard]] std::span<const Kernel> castKernels();
[[nodiscard]] std::span<const Kernel> convKernels();
[[nodiscard]] std::span<const Kernel> poolKernels();
[[nodiscard]] std::span<const Kernel> normalizationKernels();
[[nodiscard]] std::span<const Kernel> einsumKernels();
[[nodiscard]] std::span<const Kernel> quantizeKernels();
[[nodiscard]] std::span<const Kernel> resizeKernels();
[[nodiscard]] std::span<const Kernel> orderKernels();
[[nodiscard]] std::span<const Kernel> quantizedElementwiseKernels();
[[nodiscard]] std::span<const Kernel> recurrentKernels();
[[nodiscard]] std::span<const Kernel> attentionKernels();
[[nodiscard]] std::span<const Kernel> quantizedProductKernels();
[[nodiscard]] std::span<const Kernel> numberKernels();

} // namespace lemmascope
