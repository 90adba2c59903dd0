#pragma once

#include "core/graph/graph.h"

#include <string>
#include <unordered_set>
#include <vector>

namespace lemmascope::onnx {

/// The names that the values of one graph get in a file: their own where that is free, else with `_1`, `_2`, ... appended. No
/// name of an inner graph hides one of the graphs around it, as ONNX wants.
class NameScope {
  public:
    explicit NameScope(const NameScope* around = nullptr) : m_around(around) {}

    [[nodiscard]] std::string unique(const std::string& wanted);
    [[nodiscard]] const std::string& name(ValueId id) const { return m_names.at(id.index); }
    [[nodiscard]] bool isNamed(ValueId id) const { return !m_names.at(id.index).empty(); }
    void setName(ValueId id, std::string name) { m_names.at(id.index) = std::move(name); }
    void resize(std::size_t count) { m_names.resize(count); }

  private:
    [[nodiscard]] bool taken(const std::string& name) const;

    const NameScope* m_around;
    std::unordered_set<std::string> m_taken;
    std::vector<std::string> m_names; ///< by ValueId; empty until named
};

} // namespace lemmascope::onnx
