#pragma once

#include "core/ruleproof/instance.h"

namespace lemmascope::ruleproof {

/// How a leaf is called in graphs and messages.
[[nodiscard]] std::string leafName(const Skeleton& skeleton, std::uint32_t value);

/// The graph of what is decided of an instance, typed. `order`: of the skeleton's nodes. Fails where inference refuses it.
[[nodiscard]] Result<InstanceGraph> buildInstance(const Skeleton& skeleton, const std::vector<std::uint32_t>& order, const Instance& instance,
                                                  const std::map<std::string, std::int64_t>& opsets, std::stop_token stop);

} // namespace lemmascope::ruleproof
