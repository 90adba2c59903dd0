#include "core/workspace/recent.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <system_error>

namespace lemmascope {

void RecentPairs::add(const RecentPair& pair) {
    RecentPair entry = pair;
    const auto known = std::find_if(m_pairs.begin(), m_pairs.end(),
                                    [&](const RecentPair& other) { return other.reference == pair.reference && other.rewritten == pair.rewritten; });
    if (known != m_pairs.end()) {
        if (entry.verdict.empty()) {
            entry.verdict = known->verdict;
        }
        m_pairs.erase(known);
    }
    m_pairs.insert(m_pairs.begin(), std::move(entry));
    if (m_pairs.size() > Kept) {
        m_pairs.resize(Kept);
    }
}

Result<RecentPairs> RecentPairs::load(const std::filesystem::path& file) {
    RecentPairs recent;
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        return recent;
    }
    std::ostringstream text;
    text << stream.rdbuf();
    const nlohmann::json root = nlohmann::json::parse(text.str(), nullptr, false);
    if (!root.is_object() || root.value("format", nlohmann::json()) != "lemmascope-recent" || !root.contains("pairs") || !root["pairs"].is_array()) {
        return fail(ErrorCode::BadData, "not a list of recent pairs: remove the file to start a new one", file.string());
    }
    for (const nlohmann::json& item : root["pairs"]) {
        const auto textOf = [&item](const char* key) {
            return item.is_object() && item.contains(key) && item[key].is_string() ? item[key].get<std::string>() : std::string();
        };
        RecentPair pair{textOf("reference"), textOf("rewritten"), textOf("verdict")};
        if (!pair.reference.empty() && !pair.rewritten.empty() && recent.m_pairs.size() < Kept) {
            recent.m_pairs.push_back(std::move(pair));
        }
    }
    return recent;
}

Result<void> RecentPairs::save(const std::filesystem::path& file) const {
    nlohmann::json root = {{"format", "lemmascope-recent"}, {"version", 1}, {"pairs", nlohmann::json::array()}};
    for (const RecentPair& pair : m_pairs) {
        root["pairs"].push_back({{"reference", pair.reference.string()}, {"rewritten", pair.rewritten.string()}, {"verdict", pair.verdict}});
    }
    std::error_code error;
    std::filesystem::create_directories(file.parent_path(), error);
    std::filesystem::path temporary = file;
    temporary += ".new";
    {
        std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
        // Paths are bytes on Linux; those that are not UTF-8 are written with replacement characters rather than refused.
        stream << root.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
        if (!stream.flush()) {
            return fail(ErrorCode::NotFound, "cannot write the list of recent pairs: check the folder's permissions and space", temporary.string());
        }
    }
    std::filesystem::rename(temporary, file, error);
    if (error) {
        return fail(ErrorCode::NotFound, "cannot replace the list of recent pairs: " + error.message(), file.string());
    }
    return {};
}

std::filesystem::path stateFolder() {
    // The specification tells to ignore a relative path.
    if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && state[0] == '/') {
        return std::filesystem::path(state) / "lemmascope";
    }
    if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/') {
        return std::filesystem::path(home) / ".local" / "state" / "lemmascope";
    }
    return {};
}

} // namespace lemmascope
