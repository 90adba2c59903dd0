#pragma once

#include "core/graph/definition_library.h"

#include <functional>
#include <string>

namespace lemmascope {

/// New names for what a user's definitions name.
struct DefinitionNames {
    std::function<std::string(const OpId&)> op;               ///< with its domain, `domain1.Open1`; begins with a capital
    std::function<std::string(const std::string&)> attribute; ///< of the ops that are defined
};

/// A user's definitions with these names; operands and other names become v1, v2 ... in each. Comments go; texts stay, since they are
/// values that the definition computes with.
[[nodiscard]] std::string renamedDefinitions(const DefinitionLibrary& library, const DefinitionNames& names);

/// The attribute goes on, under its name, to an op that the definition applies (`...`): the heading does not name it.
[[nodiscard]] bool handsOn(const Definition& definition, const std::string& attribute);

} // namespace lemmascope
