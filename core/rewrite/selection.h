#pragma once

#include "core/match/graph_match.h"

#include <optional>
#include <string>
#include <vector>

namespace lemmascope::rewrite {

/// The programs of these rules, all for an empty list. Fails with Usage for a name that the file does not have, with the nearest one.
[[nodiscard]] Result<match::Programs> selectPrograms(const match::RuleFile& file, const match::Programs& programs,
                                                     const std::vector<std::string>& rules);
/// The value of that name, or result 0 of the node that is called so.
[[nodiscard]] std::optional<match::TermId> rootNamed(const match::GraphSubject& subject, const std::string& name);
/// That there is none, with the nearest name.
[[nodiscard]] tl::unexpected<Error> unknownRoot(const Graph& graph, const std::string& name);

} // namespace lemmascope::rewrite
