#pragma once

#include "core/workspace/session_file.h"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace lemmascope {

/// Writes sessions in the background, one after the other, so that the newest one of a file is what stays; who reads a file that
/// has yet to be written gets what will be written. Thread-safe. The destructor writes what is queued.
class SessionStore {
  public:
    /// Told of each file that was written, or why not; on the store's own thread.
    using Report = std::function<void(const std::filesystem::path&, const Result<void>&)>;

    explicit SessionStore(Report report);
    ~SessionStore();
    SessionStore(const SessionStore&) = delete;
    SessionStore& operator=(const SessionStore&) = delete;

    /// Digests of graphs that are still as the session says are filled in before it is written. `relative`: writeSession.
    /// `make` runs on the store's thread, or on that of a reader; it may run more than once: what is dear to collect is collected there.
    using Make = std::function<SavedSession()>;
    /// What is not `relative`, which the program keeps by itself, is written only when it is other than what was written last; notes
    /// that another program has put there meanwhile stay (`joinNotes`).
    void write(const std::filesystem::path& file, Make make, bool relative);
    /// The notes that are at hand for what is kept in `file`: one that is gone later was taken back.
    void setKnown(const std::filesystem::path& file, std::vector<ReviewNote> notes);
    /// Null when there is none; what could not be written is given all the same. A file that is no session is moved aside (`.broken`), so that
    /// nothing writes over it.
    [[nodiscard]] std::shared_ptr<const SavedSession> read(const std::filesystem::path& file) const;
    /// Waits until all is written; false when that took longer than `most`. Digests that are not known yet are left
    /// out meanwhile of what is not `relative`: what the program writes by itself.
    bool flush(std::chrono::milliseconds most);

  private:
    struct Task {
        Make make;
        bool relative = false;
    };
    void run();
    Result<void> keep(SavedSession session, const std::filesystem::path& file);
    static Result<SavedSession> readOrMoveAside(const std::filesystem::path& file);
    void fillDigest(SavedGraph& graph, const std::stop_token& stop);

    Report m_report;
    mutable std::mutex m_mutex;
    std::condition_variable m_changed;
    std::map<std::filesystem::path, Task> m_tasks; ///< by file
    std::deque<std::filesystem::path> m_order;
    std::optional<std::pair<std::filesystem::path, Task>> m_writing;
    std::map<std::filesystem::path, std::vector<ReviewNote>> m_known; ///< by file: what this program had last
    std::map<std::filesystem::path, SavedSession> m_unkept;           ///< what could not be written: at hand until the program ends
    std::map<std::filesystem::path, std::string> m_written;           ///< digest of what this program wrote last; of the store's thread
    std::map<std::filesystem::path, SavedGraph> m_digests;            ///< of the store's thread
    std::stop_source m_hurry;                                         ///< no more digests but for sessions that were asked for: somebody waits
    std::stop_source m_end;                                           ///< no more digests at all
    bool m_ends = false;
    std::thread m_thread;
};

/// The newest session in a state folder whose program is gone without having closed it: after a crash or an end from outside.
struct LeftSession {
    std::filesystem::path marker;  ///< remove it once it is restored or declined
    std::filesystem::path session; ///< the file to read
    std::filesystem::path file;    ///< the session file that the reader had saved it to; empty: none
    std::string names;             ///< `a.onnx and b.onnx`
    std::size_t notes = 0;
};
[[nodiscard]] std::optional<LeftSession> leftSession(const std::filesystem::path& stateFolder);
/// Says that this program has that session open; removed by `unmark` when it ends in order.
[[nodiscard]] Result<void> markOpen(const std::filesystem::path& stateFolder, const LeftSession& open);
void unmarkOpen(const std::filesystem::path& stateFolder);
/// Deletes sessions of pairs without notes, the oldest first, until `most` files are left.
void pruneSessions(const std::filesystem::path& folder, std::size_t most);

} // namespace lemmascope
