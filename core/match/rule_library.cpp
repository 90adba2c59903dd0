// The rules that come with the program; tests: tests/core/rewrite/tst_rule_library.cpp.
#include "core/match/rule_library.h"

#include "core/base/nearest.h"
#include "core/match/rule_library_code.h"

namespace lemmascope::match {

namespace {

/// Patterns for `rewrite --regions`: they replace nothing, so that `@all` is without them.
constexpr std::string_view Regions = "regions";

} // namespace

std::string LibraryRules::summary() const {
    std::string out;
    std::size_t at = 0;
    while (at < text.size() && text[at] == '#') {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += std::string(out.empty() ? "" : " ") + std::string(text.substr(at + 1, end - at - 1));
        at = end + 1;
    }
    const std::size_t first = out.find_first_not_of(' ');
    const std::size_t stop = out.find(". ");
    out = first == std::string::npos ? std::string() : out.substr(first, stop == std::string::npos ? stop : stop - first);
    return out.ends_with('.') ? out.substr(0, out.size() - 1) : out;
}

const std::vector<LibraryRules>& ruleLibrary() {
    static const std::vector<LibraryRules> library = [] {
        std::vector<LibraryRules> out;
        for (const auto& [name, text] : embeddedRules()) {
            out.push_back({name, text});
        }
        return out;
    }();
    return library;
}

bool isLibraryName(std::string_view word) { return word.starts_with('@'); }

Result<std::string> libraryRules(std::string_view word) {
    const std::string_view name = isLibraryName(word) ? word.substr(1) : word;
    std::string all;
    std::vector<std::string_view> names{"all"};
    for (const LibraryRules& each : ruleLibrary()) {
        if (each.name == name) {
            return std::string(each.text);
        }
        if (each.name != Regions) {
            all += std::string(all.empty() ? "" : "\n") + std::string(each.text);
        }
        names.push_back(each.name);
    }
    if (name == names.front()) {
        return all;
    }
    std::string listed;
    for (const std::string_view each : names) {
        listed += std::string(listed.empty() ? "@" : ", @") + std::string(each);
    }
    const auto near = nearestWord(name, names);
    return fail(ErrorCode::NotFound, "the library has no rules '" + std::string(word) + "'" +
                                         (near ? ": did you mean @" + std::string(*near) + "?" : ": it has " + listed));
}

} // namespace lemmascope::match
