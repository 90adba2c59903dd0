#include "core/format/onnx/name_scope.h"

namespace lemmascope::onnx {

bool NameScope::taken(const std::string& name) const {
    for (const NameScope* at = this; at != nullptr; at = at->m_around) {
        if (at->m_taken.contains(name)) {
            return true;
        }
    }
    return false;
}

std::string NameScope::unique(const std::string& wanted) {
    const std::string base = wanted.empty() ? "value" : wanted;
    std::string name = base;
    for (std::size_t k = 1; taken(name); ++k) {
        name = base + "_" + std::to_string(k);
    }
    m_taken.insert(name);
    return name;
}

} // namespace lemmascope::onnx
