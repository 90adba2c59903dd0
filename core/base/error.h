#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lemmascope {

/// What went wrong, as a reader of the program (not of the message) sees it. Each code has a sysexits status (`exitStatus`).
enum class ErrorCode : std::uint8_t {
    Usage,         ///< the command line or a request is malformed: 64
    BadData,       ///< a file's content breaks its format: 65
    NotFound,      ///< a file is missing or unreadable: 66
    Unsupported,   ///< a construct we do not handle; the message names it: 65
    TooLarge,      ///< a size or nesting limit of ours was passed; the message names the limit: 65
    ShapeMismatch, ///< types or shapes of operands do not fit the op: 65
    Cancelled,     ///< the caller asked to stop: 130
    WorkerFailed,  ///< a worker process crashed, was killed, or broke its protocol: 70
    Internal       ///< a promise of our own was broken: 70
};

/// One finding that ends an operation. `where` is `file` or `file:line:col`; `message` names the place inside the file
/// (node, field), what was found, and what was expected or how to mend it.
struct Error {
    ErrorCode code = ErrorCode::Internal;
    std::string message;
    std::string where;

    /// `where: message`, or the message alone when no place is known.
    [[nodiscard]] std::string text() const { return where.empty() ? message : where + ": " + message; }
    friend bool operator==(const Error&, const Error&) = default;
};

/// The sysexits(3) status for a code: 64, 65, 66, 70 or 130.
[[nodiscard]] constexpr int exitStatus(ErrorCode code) {
    switch (code) {
    case ErrorCode::Usage: return 64;
    case ErrorCode::BadData:
    case ErrorCode::Unsupported:
    case ErrorCode::TooLarge:
    case ErrorCode::ShapeMismatch: return 65;
    case ErrorCode::NotFound: return 66;
    case ErrorCode::Cancelled: return 130;
    case ErrorCode::WorkerFailed:
    case ErrorCode::Internal: return 70;
    }
    return 70;
}

} // namespace lemmascope
