#include "app/cli/pair_list.h"

#include "core/report/files.h"
#include "core/report/pipeline.h"
#include "core/report/program_check.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace lemmascope::cli {

namespace {

PairList pipelineOf(const std::vector<std::filesystem::path>& graphs) {
    PairList list;
    list.single = graphs.size() == 2;
    list.pipeline = true;
    for (const PipelineStep& step : stepsOf(graphs)) {
        const std::string pass = dumpTitle(step.rewritten.string());
        list.pairs.push_back({pass.empty() ? step.name : step.name + ": " + pass, step.reference.string(), step.rewritten.string(), {}});
    }
    return list;
}

std::vector<std::string> splitCells(const std::string& line) {
    std::vector<std::string> cells;
    std::size_t begin = 0;
    while (true) {
        const std::size_t tab = line.find('\t', begin);
        cells.push_back(line.substr(begin, tab == std::string::npos ? tab : tab - begin));
        if (tab == std::string::npos) {
            return cells;
        }
        begin = tab + 1;
    }
}

Result<PairList> pairsOf(const std::string& file) {
    static constexpr std::uintmax_t MostBytes = std::uintmax_t{64} << 20U;
    const Result<std::string> text = readFile(file, MostBytes);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const std::filesystem::path folder = std::filesystem::path(file).parent_path();
    PairList list;
    std::size_t lineNumber = 0;
    std::size_t begin = 0;
    while (begin < text->size()) {
        std::size_t end = text->find('\n', begin);
        end = end == std::string::npos ? text->size() : end;
        std::string line = text->substr(begin, end - begin);
        begin = end + 1;
        ++lineNumber;
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        const std::string where = file + ":" + std::to_string(lineNumber);
        const std::vector<std::string> cells = splitCells(line);
        if (lineNumber == 1) {
            if (cells.size() < 3 || cells[0] != "name" || cells[1] != "reference" || cells[2] != "rewritten" ||
                (cells.size() > 3 && cells[3] != "options") || cells.size() > 4) {
                return fail(ErrorCode::BadData, "the first line must be the tab-separated header: name reference rewritten options", where);
            }
            continue;
        }
        if (line.empty() || line.front() == '#') {
            continue;
        }
        if (cells.size() < 3 || cells.size() > 4) {
            return fail(ErrorCode::BadData, "has " + std::to_string(cells.size()) + " tab-separated cells, expected 3 or 4", where);
        }
        if (cells[1].empty() || cells[2].empty()) {
            return fail(ErrorCode::BadData, "a file name is empty", where);
        }
        list.pairs.push_back({cells[0], (folder / cells[1]).string(), (folder / cells[2]).string(), cells.size() == 4 ? cells[3] : ""});
    }
    if (lineNumber == 0) {
        return fail(ErrorCode::BadData, "is empty; expected the header: name reference rewritten options", file);
    }
    if (list.pairs.empty()) {
        // Nothing checked is not everything proved.
        return fail(ErrorCode::BadData, "lists no pairs", file);
    }
    return list;
}

} // namespace

Result<PairList> listPairs(const CheckRequest& request) {
    if (!request.pairs.empty()) {
        return pairsOf(request.pairs);
    }
    const std::vector<std::string> files = withDumps(request.graphs);
    if (files.size() >= 2) {
        return pipelineOf({files.begin(), files.end()});
    }
    const std::filesystem::path only = request.graphs.front();
    std::error_code problem;
    const auto kind = std::filesystem::status(only, problem).type();
    if (kind == std::filesystem::file_type::not_found) {
        return fail(ErrorCode::NotFound, "no such file or folder", only.string());
    }
    if (kind != std::filesystem::file_type::directory) {
        return fail(ErrorCode::Usage, "check: one file alone is no pair: give the rewritten graph too, or a folder", only.string());
    }
    const Result<std::vector<std::filesystem::path>> graphs = graphFilesOf(only);
    if (!graphs) {
        return tl::unexpected(graphs.error());
    }
    if (graphs->size() < 2) {
        return fail(ErrorCode::Usage,
                    "check: the folder holds " + std::to_string(graphs->size()) + (graphs->size() == 1 ? " graph" : " graphs") +
                        ", a pipeline needs two or more",
                    only.string());
    }
    PairList list = pipelineOf(*graphs);
    list.single = false;
    return list;
}

} // namespace lemmascope::cli
