#include "core/workspace/session_store.h"

#include "core/base/digest.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>
#include <sstream>
#include <system_error>

#include <unistd.h>

namespace lemmascope {

namespace {

constexpr std::string_view MarkerPrefix = "open-";

std::filesystem::path markerOf(const std::filesystem::path& stateFolder, long process) {
    return stateFolder / (std::string(MarkerPrefix) + std::to_string(process) + ".json");
}

/// The process that wrote a marker, from its name; 0: none.
long processOf(const std::string& name) {
    if (!name.starts_with(MarkerPrefix) || !name.ends_with(".json")) {
        return 0;
    }
    const std::string digits = name.substr(MarkerPrefix.size(), name.size() - MarkerPrefix.size() - 5);
    if (digits.empty() || digits.size() > 10 || !std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        return 0;
    }
    return std::stol(digits);
}

bool isRunning(long process) { return ::kill(static_cast<pid_t>(process), 0) == 0 || errno == EPERM; }

} // namespace

SessionStore::SessionStore(Report report) : m_report(std::move(report)), m_thread([this] { run(); }) {}

SessionStore::~SessionStore() {
    {
        const std::lock_guard lock(m_mutex);
        m_ends = true;
        m_hurry.request_stop();
        m_end.request_stop();
    }
    m_changed.notify_all();
    m_thread.join();
}

void SessionStore::write(const std::filesystem::path& file, Make make, bool relative) {
    {
        const std::lock_guard lock(m_mutex);
        if (!m_tasks.contains(file)) {
            m_order.push_back(file);
        }
        m_tasks[file] = {std::move(make), relative};
    }
    m_changed.notify_all();
}

std::shared_ptr<const SavedSession> SessionStore::read(const std::filesystem::path& file) const {
    Make queued;
    {
        const std::lock_guard lock(m_mutex);
        if (const auto at = m_tasks.find(file); at != m_tasks.end()) {
            queued = at->second.make;
        } else if (m_writing && m_writing->first == file) {
            queued = m_writing->second.make;
        }
    }
    if (queued) {
        return std::make_shared<const SavedSession>(queued());
    }
    auto session = readOrMoveAside(file);
    const std::lock_guard lock(m_mutex);
    if (const auto at = m_unkept.find(file); at != m_unkept.end()) {
        SavedSession ours = at->second;
        if (session) {
            ours.notes = mergeNotes(ours.notes, session->notes);
        }
        return std::make_shared<const SavedSession>(std::move(ours));
    }
    return session ? std::make_shared<const SavedSession>(std::move(*session)) : nullptr;
}

Result<SavedSession> SessionStore::readOrMoveAside(const std::filesystem::path& file) {
    auto session = readSession(file);
    if (!session && session.error().code != ErrorCode::NotFound) {
        std::filesystem::path aside = file;
        aside += ".broken";
        std::error_code ignored;
        std::filesystem::rename(file, aside, ignored);
    }
    return session;
}

void SessionStore::setKnown(const std::filesystem::path& file, std::vector<ReviewNote> notes) {
    const std::lock_guard lock(m_mutex);
    m_known[file] = std::move(notes);
}

Result<void> SessionStore::keep(SavedSession session, const std::filesystem::path& file) {
    const std::string digest = sha256Hex(sessionText(session, {}));
    std::error_code ignored;
    if (const auto at = m_written.find(file); at != m_written.end() && at->second == digest && std::filesystem::exists(file, ignored)) {
        return {}; // what another program has written since is newer
    }
    std::vector<ReviewNote> before;
    {
        const std::lock_guard lock(m_mutex);
        before = m_known[file];
    }
    const std::vector<ReviewNote> ours = session.notes;
    if (const auto inFile = readOrMoveAside(file)) {
        session.notes = joinNotes(ours, before, inFile->notes);
        if (sessionText(session, {}) == sessionText(*inFile, {})) {
            m_written[file] = digest;
            return {};
        }
    }
    const Result<void> written = writeSession(session, file, false);
    const std::lock_guard lock(m_mutex);
    if (written) {
        m_written[file] = digest;
        m_known[file] = ours;
        m_unkept.erase(file);
    } else {
        m_unkept.insert_or_assign(file, std::move(session));
    }
    return written;
}

bool SessionStore::flush(std::chrono::milliseconds most) {
    std::unique_lock lock(m_mutex);
    m_hurry.request_stop();
    const bool done = m_changed.wait_for(lock, most, [this] { return m_tasks.empty() && !m_writing; });
    m_hurry = std::stop_source();
    return done;
}

void SessionStore::fillDigest(SavedGraph& graph, const std::stop_token& stop) {
    if (!graph.sha256.empty() || graph.time == 0) {
        return;
    }
    const auto same = [&graph](const SavedGraph& known) { return known.size == graph.size && known.time == graph.time; };
    auto at = m_digests.find(graph.file);
    if ((at == m_digests.end() || !same(at->second)) && !stop.stop_requested()) {
        SavedGraph now = savedGraph(graph.file, stop);
        if (!now.sha256.empty()) {
            at = m_digests.insert_or_assign(graph.file, std::move(now)).first;
        }
    }
    if (at != m_digests.end() && same(at->second)) {
        graph.sha256 = at->second.sha256;
    }
}

void SessionStore::run() {
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [this] { return m_ends || !m_order.empty(); });
        if (m_order.empty()) {
            return; // only once it ends
        }
        const std::filesystem::path file = m_order.front();
        m_order.pop_front();
        m_writing.emplace(file, m_tasks.extract(file).mapped());
        const Make make = m_writing->second.make;
        const bool relative = m_writing->second.relative;
        const std::stop_token hurry = relative ? m_end.get_token() : m_hurry.get_token();
        lock.unlock();
        SavedSession session = make();
        fillDigest(session.reference, hurry);
        fillDigest(session.rewritten, hurry);
        const Result<void> written = relative ? writeSession(session, file, true) : keep(std::move(session), file);
        if (m_report) {
            m_report(file, written);
        }
        lock.lock();
        m_writing.reset();
        m_changed.notify_all();
    }
}

std::optional<LeftSession> leftSession(const std::filesystem::path& stateFolder) {
    std::optional<LeftSession> left;
    std::filesystem::file_time_type newest = std::filesystem::file_time_type::min();
    std::error_code error;
    for (std::filesystem::directory_iterator at(stateFolder, error); !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
        const long process = processOf(at->path().filename().string());
        if (process == 0 || isRunning(process)) {
            continue;
        }
        std::error_code ignored;
        const auto time = at->last_write_time(ignored);
        std::ifstream stream(at->path(), std::ios::binary);
        std::string text(65'536, '\0');
        stream.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
        const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
        const auto textOf = [&json](const char* key) {
            return json.is_object() && json.contains(key) && json[key].is_string() ? json[key].get<std::string>() : std::string();
        };
        const std::filesystem::path name(textOf("session"));
        // Only what lies in our own folder.
        if (textOf("format") != "lemmascope-open" || name.empty() || name != name.filename() ||
            !std::filesystem::is_regular_file(stateFolder / "sessions" / name, ignored)) {
            std::filesystem::remove(at->path(), ignored);
            continue;
        }
        if (!left || time > newest) {
            newest = time;
            left = LeftSession{at->path(), stateFolder / "sessions" / name, textOf("file"), textOf("names"), 0};
            if (json.contains("notes") && json["notes"].is_number_unsigned()) {
                left->notes = json["notes"].get<std::size_t>();
            }
        }
    }
    return left;
}

Result<void> markOpen(const std::filesystem::path& stateFolder, const LeftSession& open) {
    std::error_code error;
    std::filesystem::create_directories(stateFolder, error);
    const nlohmann::ordered_json json{{"format", "lemmascope-open"},
                                      {"session", open.session.filename().string()},
                                      {"file", open.file.string()},
                                      {"names", open.names},
                                      {"notes", open.notes}};
    const std::filesystem::path marker = markerOf(stateFolder, ::getpid());
    std::filesystem::path temporary = marker;
    temporary += ".new";
    {
        std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
        stream << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << '\n';
        if (!stream.flush()) {
            return fail(ErrorCode::NotFound, "cannot be written: check the folder's permissions and space", marker.string());
        }
    }
    std::filesystem::rename(temporary, marker, error);
    return error ? Result<void>(fail(ErrorCode::NotFound, "cannot be replaced: " + error.message(), marker.string())) : Result<void>{};
}

void unmarkOpen(const std::filesystem::path& stateFolder) {
    std::error_code ignored;
    std::filesystem::remove(markerOf(stateFolder, ::getpid()), ignored);
}

void pruneSessions(const std::filesystem::path& folder, std::size_t most) {
    std::vector<std::pair<std::filesystem::file_time_type, std::filesystem::path>> files;
    std::error_code error;
    for (std::filesystem::directory_iterator at(folder, error); !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
        std::error_code ignored;
        if (at->path().extension() == SessionSuffix && at->is_regular_file(ignored)) {
            files.emplace_back(at->last_write_time(ignored), at->path());
        }
    }
    std::sort(files.begin(), files.end());
    std::size_t left = files.size();
    for (const auto& [time, file] : files) {
        if (left <= most) {
            return;
        }
        const auto session = readSession(file);
        if (session && session->notes.empty()) {
            std::filesystem::remove(file, error);
            --left;
        }
    }
}

} // namespace lemmascope
