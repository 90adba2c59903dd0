#include "core/eval/kernel_table.h"

#include <map>

namespace lemmascope {

namespace {

using Key = std::pair<std::string_view, std::string_view>;

std::string_view domainKey(std::string_view domain) { return domain == "ai.onnx" ? OnnxDomain : domain; }

const std::multimap<Key, const Kernel*>& table() {
    static const std::multimap<Key, const Kernel*> Table = [] {
        std::multimap<Key, const Kernel*> all;
        for (const std::span<const Kernel> family : {unaryKernels(),         binaryKernels(),    shapeKernels(),
                                                     movementKernels(),      gatherKernels(),    storeKernels(),
                                                     matmulKernels(),        reduceKernels(),    softmaxKernels(),
                                                     castKernels(),          convKernels(),      poolKernels(),
                                                     normalizationKernels(), einsumKernels(),    quantizeKernels(),
                                                     resizeKernels(),        orderKernels(),     quantizedElementwiseKernels(),
                                                     recurrentKernels(),     attentionKernels(), quantizedProductKernels(),
                                                     numberKernels()}) {
            for (const Kernel& kernel : family) {
                all.emplace(Key{kernel.domain, kernel.name}, &kernel);
            }
        }
        return all;
    }();
    return Table;
}

} // namespace

const Kernel* findKernel(const OpId& op) {
    const auto [first, last] = table().equal_range(Key{domainKey(op.domain), op.name});
    for (auto at = first; at != last; ++at) {
        const Kernel& kernel = *at->second;
        const bool newest = op.version <= 0; // no opset named: the newest meaning
        if (newest ? kernel.until == 0 : op.version >= kernel.since && (kernel.until == 0 || op.version < kernel.until)) {
            return &kernel;
        }
    }
    return nullptr;
}

bool acceptsType(KernelTypes types, ElementType element) {
    switch (types) {
    case KernelTypes::Any: return element != ElementType::String && element != ElementType::Undefined;
    case KernelTypes::Computed: return isComputable(element);
    case KernelTypes::Numbers: return isComputable(element) && element != ElementType::Bool;
    case KernelTypes::Floats: return isComputable(element) && isFloat(element);
    case KernelTypes::Integers: return isComputable(element) && isInteger(element);
    case KernelTypes::Bools: return element == ElementType::Bool;
    case KernelTypes::Nothing: return true;
    }
    return false;
}

} // namespace lemmascope
