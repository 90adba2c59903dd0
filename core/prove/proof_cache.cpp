#include "core/prove/proof_cache.h"

#include "core/base/digest.h"
#include "core/prove/checked_file.h"
#include "core/prove/stored_decision.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace lemmascope {

namespace {

namespace fs = std::filesystem;

constexpr int Format = 1; ///< raised when an entry's meaning changes; others are misses

bool isHex(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool isKey(std::string_view key) { return key.size() == 64 && isHex(key); }

fs::path pathOf(const fs::path& folder, std::string_view key) {
    return folder / std::string(key.substr(0, 2)) / (std::string(key.substr(2)) + ".json");
}

/// The decision an object's fields tell; absent if they do not.
std::optional<StoredDecision> decisionIn(const nlohmann::json& json) {
    const auto verdict = json.find("verdict"), rung = json.find("rung"), strength = json.find("strength");
    if (verdict == json.end() || !verdict->is_string() || rung == json.end() || !rung->is_number_unsigned() ||
        (strength != json.end() && !strength->is_string()))
        return std::nullopt;
    return storedDecision(verdict->get_ref<const std::string&>(), rung->get<std::uint64_t>(),
                          strength == json.end() ? std::string_view() : std::string_view(strength->get_ref<const std::string&>()));
}

/// An entry's file in a folder of entries: what eviction may delete.
struct StoredFile {
    fs::path path;
    std::uint64_t size = 0;
    fs::file_time_type written;
};

} // namespace

Result<fs::path> ProofCache::defaultFolder() {
    for (const auto& [variable, below] : {std::pair("XDG_CACHE_HOME", ""), std::pair("HOME", ".cache")})
        if (const char* value = std::getenv(variable); value != nullptr && value[0] == '/')
            return fs::path(value) / below / "lemmascope";
    return fail(ErrorCode::NotFound, "no place for the proof cache: neither XDG_CACHE_HOME nor HOME is an absolute path; give one with --cache");
}

std::string ProofCache::key(std::string_view lemmaText, std::string_view solver, std::span<const std::string> wantedValues) {
    // Each part after its length, so that no two lists of parts read the same.
    std::string all;
    const auto add = [&all](std::string_view part) {
        all += std::to_string(part.size()) + ":";
        all += part;
    };
    add(lemmaText);
    add(solver);
    for (const std::string& term : wantedValues)
        add(term);
    return sha256Hex(all);
}

std::optional<ProofCache::Entry> ProofCache::lookup(std::string_view key) const {
    if (!isKey(key))
        return std::nullopt;
    const std::optional<std::string> text = readCheckedFile(pathOf(m_folder, key));
    if (!text)
        return std::nullopt;
    const nlohmann::json json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object() || json.value("lemmascope-proof", nlohmann::json()) != Format || json.value("key", nlohmann::json()) != key)
        return std::nullopt;
    const std::optional<StoredDecision> decision = decisionIn(json);
    if (!decision || (decision->verdict != LemmaVerdict::Holds && decision->verdict != LemmaVerdict::Fails))
        return std::nullopt;
    Entry entry{decision->verdict, decision->rung, decision->strength, {}};
    const auto values = json.find("values");
    if (values == json.end() || !values->is_array())
        return std::nullopt;
    for (const nlohmann::json& value : *values) {
        if (!value.is_string())
            return std::nullopt;
        entry.values.push_back(value.get<std::string>());
    }
    return entry;
}

Result<void> ProofCache::store(std::string_view key, const Entry& entry) const {
    if (!isKey(key))
        return fail(ErrorCode::Internal, "proof cache: '" + std::string(key) + "' is no key");
    if (entry.verdict != LemmaVerdict::Holds && entry.verdict != LemmaVerdict::Fails)
        return fail(ErrorCode::Internal, "proof cache: a lemma that is " + std::string(name(entry.verdict)) + " is not stored");
    nlohmann::ordered_json json;
    json["lemmascope-proof"] = Format;
    json["key"] = key;
    json["verdict"] = name(entry.verdict);
    json["rung"] = static_cast<unsigned>(entry.rung);
    if (entry.strength)
        json["strength"] = name(*entry.strength);
    json["values"] = entry.values;
    return writeCheckedFile(pathOf(m_folder, key), json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

std::size_t ProofCache::evictOldest(std::uint64_t mostBytes, const std::stop_token& stop) const {
    constexpr auto Abandoned = std::chrono::hours(1);
    std::vector<StoredFile> files;
    std::uint64_t total = 0;
    std::error_code ignored;
    const auto now = fs::file_time_type::clock::now();
    for (fs::directory_iterator folder(m_folder, ignored); !ignored && folder != fs::directory_iterator(); folder.increment(ignored)) {
        const std::string prefix = folder->path().filename().string();
        std::error_code problem;
        if (stop.stop_requested() || prefix.size() != 2 || !isHex(prefix) || !folder->is_directory(problem))
            continue;
        for (fs::directory_iterator file(folder->path(), problem); !problem && file != fs::directory_iterator(); file.increment(problem)) {
            const std::string fileName = file->path().filename().string();
            std::error_code unreadable;
            StoredFile stored{file->path(), file->file_size(unreadable), file->last_write_time(unreadable)};
            if (unreadable || fileName.size() < 62 || !isHex(std::string_view(fileName).substr(0, 62)))
                continue;
            if (fileName.ends_with(UnfinishedSuffix)) {
                if (now - stored.written > Abandoned)
                    fs::remove(stored.path, unreadable);
            } else if (fileName.size() == 62 + 5 && fileName.ends_with(".json")) {
                total += stored.size;
                files.push_back(std::move(stored));
            }
        }
    }
    std::ranges::sort(files, [](const StoredFile& a, const StoredFile& b) { return std::pair(a.written, a.path) < std::pair(b.written, b.path); });
    std::size_t removed = 0;
    for (const StoredFile& file : files) {
        if (total <= mostBytes || stop.stop_requested())
            break;
        if (fs::remove(file.path, ignored)) // false: another process did
            ++removed;
        total -= file.size;
    }
    return removed;
}

} // namespace lemmascope
