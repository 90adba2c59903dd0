#pragma once

#include "core/program/program.h"

#include <cstdint>
#include <map>
#include <vector>

namespace lemmascope::interp {

/// Where the ways of a branch meet again: immediate postdominators by instruction, computed once for each function that needs them.
class FlowGraphs {
  public:
    /// The first instruction that every way from instruction `at` to the function's return passes; None if no way returns.
    [[nodiscard]] std::uint32_t meeting(const FunctionCode& function, std::uint32_t at);

  private:
    std::map<const FunctionCode*, std::vector<std::uint32_t>> m_known;
};

} // namespace lemmascope::interp
