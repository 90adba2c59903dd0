#include "core/report/rule_text.h"

#include "core/match/rule_library.h"
#include "core/report/files.h"

#include <algorithm>
#include <filesystem>

namespace lemmascope {

namespace {

/// What was meant where the file is none of rules; empty: nothing speaks against it.
std::string mistaken(const std::string& file) {
    std::error_code ignored;
    const std::filesystem::path path(file);
    if (std::filesystem::is_directory(path, ignored)) {
        return "is a folder: name a rule file in it";
    }
    if (!std::filesystem::exists(path, ignored) && match::libraryRules(file)) {
        return "there is no such file; the rules of the library are @" + file;
    }
    const std::string ending = path.extension().string();
    const bool graph = ending == ".onnx" || ending == ".json" || ending == ".mlir" || ending == ".mlirbc";
    return graph && std::filesystem::exists(path, ignored) ? "this is a graph: name the rule file first" : std::string();
}

} // namespace

Result<std::string> readRules(const std::string& fileOrName) {
    if (match::isLibraryName(fileOrName)) {
        return match::libraryRules(fileOrName);
    }
    if (std::string problem = mistaken(fileOrName); !problem.empty()) {
        const ErrorCode code = problem.starts_with("there") ? ErrorCode::NotFound : ErrorCode::BadData;
        return fail(code, std::move(problem), fileOrName);
    }
    return readFile(fileOrName, MostRuleBytes);
}

} // namespace lemmascope
