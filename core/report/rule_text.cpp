#include "core/report/rule_text.h"

#include "core/match/rule_library.h"
#include "core/report/files.h"

namespace lemmascope {

Result<std::string> readRules(const std::string& fileOrName) {
    return match::isLibraryName(fileOrName) ? match::libraryRules(fileOrName) : readFile(fileOrName, MostRuleBytes);
}

} // namespace lemmascope
