#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "core/format/load.h"
#include "core/graph/definition_library.h"
#include "core/report/files.h"

#include <filesystem>

namespace lemmascope::cli {

int report(Console& console, const Error& error) {
    console.error(error.code == ErrorCode::Cancelled ? "interrupted" : error.text());
    return exitStatus(error.code);
}

Result<std::shared_ptr<const Graph>> openGraph(const std::string& file, Interrupt& interrupt) {
    const std::filesystem::path path(file);
    Result<std::shared_ptr<const Graph>> graph = loadGraph(path, interrupt.token());
    if (!graph && graph.error().where.empty()) {
        graph.error().where = file;
    }
    return graph;
}

Result<std::shared_ptr<const DefinitionLibrary>> openDefinitions(const std::string& file) {
    if (file.empty()) {
        return std::shared_ptr<const DefinitionLibrary>();
    }
    const Result<std::string> text = readFile(file, std::uintmax_t{1} << 22U);
    if (!text) {
        return tl::unexpected(text.error());
    }
    return DefinitionLibrary::parse(*text, file);
}

Result<std::shared_ptr<const Graph>> openGraph(const std::string& file, const std::string& definitions, Interrupt& interrupt) {
    const auto library = openDefinitions(definitions);
    if (!library) {
        return tl::unexpected(library.error());
    }
    auto graph = openGraph(file, interrupt);
    if (!graph || *library == nullptr) {
        return graph;
    }
    Graph defined = **graph;
    defined.definitions = *library;
    return std::make_shared<const Graph>(std::move(defined));
}

Result<void> writeDocument(Console& console, const std::string& target, const std::string& text) {
    if (target == "-") {
        console.machineAnswer(text);
        return {};
    }
    return writeFile(target, text);
}

} // namespace lemmascope::cli
