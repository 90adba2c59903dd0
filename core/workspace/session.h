#pragma once

#include "core/prove/check.h"
#include "core/prove/check_result.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace lemmascope {

/// Content of a file as far as "changed since" needs it: size and time first, so that an untouched file is not read again.
struct FileStamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type time;
    friend bool operator==(const FileStamp&, const FileStamp&) = default;
};

/// The stamp of a file; nothing when it cannot be read.
[[nodiscard]] std::optional<FileStamp> fileStamp(const std::filesystem::path& file);

/// What is open: two files, the question asked of them, and where the reader stands. Plain data.
struct Session {
    std::filesystem::path reference;
    std::filesystem::path rewritten;
    std::optional<FileStamp> referenceStamp; ///< when they were read
    std::optional<FileStamp> rewrittenStamp;
    CheckOptions options;
    std::shared_ptr<const Graph> referenceGraph; ///< as read: what is checked, whatever sizes an earlier check fixed
    std::shared_ptr<const Graph> rewrittenGraph;
    std::shared_ptr<const GraphTree> referenceTree; ///< what is shown; the result's trees, with all types inferred, replace them
    std::shared_ptr<const GraphTree> rewrittenTree;
    std::shared_ptr<const CheckResult> result; ///< null while none was reached
    std::string selectedLemma;                 ///< its id; empty: none
    int contextHops = 2;

    [[nodiscard]] bool isOpen() const { return referenceTree != nullptr && rewrittenTree != nullptr; }
    /// True when a file is no longer what was read (or is gone).
    [[nodiscard]] bool isStale() const;
};

} // namespace lemmascope
