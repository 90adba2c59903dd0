#include "core/rewrite/selection.h"

#include "core/base/nearest.h"

#include <algorithm>

namespace lemmascope::rewrite {

Result<match::Programs> selectPrograms(const match::RuleFile& file, const match::Programs& programs, const std::vector<std::string>& rules) {
    std::vector<std::string_view> names;
    for (const auto& program : programs) {
        names.emplace_back(program->rule);
    }
    for (const std::string& wanted : rules) {
        if (std::find(names.begin(), names.end(), wanted) == names.end()) {
            const auto near = nearestWord(wanted, names);
            return fail(ErrorCode::Usage,
                        "there is no rule '" + wanted + "' in " + file.file + (near ? ": did you mean '" + std::string(*near) + "'?" : ""));
        }
    }
    match::Programs out;
    for (const auto& program : programs) {
        if (rules.empty() || std::find(rules.begin(), rules.end(), program->rule) != rules.end()) {
            out.push_back(program);
        }
    }
    return out;
}

} // namespace lemmascope::rewrite
