#include "core/report/pipeline.h"

#include <algorithm>
#include <array>
#include <system_error>

namespace lemmascope {

namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

/// Where the run of digits that begins at `at` ends.
std::size_t endOfDigits(std::string_view text, std::size_t at) {
    while (at < text.size() && isDigit(text[at])) {
        ++at;
    }
    return at;
}

bool isGraphFile(const std::string& name) {
    static constexpr std::array<std::string_view, 4> Endings{".onnx", ".lsg.json", ".mlir", ".mlirbc"};
    return !name.starts_with('.') && std::any_of(Endings.begin(), Endings.end(), [&](std::string_view ending) { return name.ends_with(ending); });
}

} // namespace

bool naturalLess(std::string_view a, std::string_view b) {
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < a.size() && j < b.size()) {
        if (isDigit(a[i]) && isDigit(b[j])) {
            const std::size_t endA = endOfDigits(a, i);
            const std::size_t endB = endOfDigits(b, j);
            const auto value = [](std::string_view digits) { return digits.substr(std::min(digits.find_first_not_of('0'), digits.size())); };
            const std::string_view x = value(a.substr(i, endA - i));
            const std::string_view y = value(b.substr(j, endB - j));
            if (x.size() != y.size()) {
                return x.size() < y.size();
            }
            if (x != y) {
                return x < y;
            }
            i = endA;
            j = endB;
        } else if (a[i] != b[j]) {
            return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
        } else {
            ++i;
            ++j;
        }
    }
    if (i < a.size() || j < b.size()) {
        return i == a.size();
    }
    return a.size() != b.size() ? a.size() < b.size() : a < b;
}

Result<std::vector<std::filesystem::path>> graphFilesOf(const std::filesystem::path& folder) {
    std::vector<std::filesystem::path> files;
    std::error_code problem;
    for (std::filesystem::directory_iterator at(folder, problem), end; !problem && at != end; at.increment(problem)) {
        std::error_code unreadable; // of one entry: then it is no graph
        if (isGraphFile(at->path().filename().string()) && !at->is_directory(unreadable)) {
            files.push_back(at->path());
        }
    }
    if (problem) {
        return fail(ErrorCode::NotFound, "cannot read the folder: " + problem.message(), folder.string());
    }
    std::sort(files.begin(), files.end(), [](const std::filesystem::path& a, const std::filesystem::path& b) {
        return naturalLess(a.filename().string(), b.filename().string());
    });
    return files;
}

std::vector<PipelineStep> stepsOf(const std::vector<std::filesystem::path>& graphs) {
    std::vector<PipelineStep> steps;
    for (std::size_t i = 0; i + 1 < graphs.size(); ++i) {
        steps.push_back({"step " + std::to_string(i + 1), graphs[i], graphs[i + 1]});
    }
    return steps;
}

} // namespace lemmascope
