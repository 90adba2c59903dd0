#pragma once

#include "core/base/result.h"
#include "core/worker/dot_request.h"
#include "core/worker/solver.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace lemmascope {

/// What a worker and its owner say to each other. The worker speaks first (`Hello`); then each request has one answer,
/// of its own kind or `Failure`. A frame is: 4 bytes `LSW1`, kind (1), length of the payload (8), low half of the payload's
/// content digest (8), payload; integers little-endian.
enum class MessageKind : std::uint8_t { Hello = 1, Solve = 2, Solved = 3, Draw = 4, Drawn = 5, Failure = 6, Read = 7, WasRead = 8 };

struct Message {
    MessageKind kind = MessageKind::Failure;
    std::string payload;
};

inline constexpr std::uint32_t WorkerProtocol = 1;
inline constexpr std::uint64_t LargestPayload = 512U * 1024U * 1024U;

[[nodiscard]] std::string encodeFrame(const Message& message);

/// Cuts a byte stream into messages.
class FrameReader {
  public:
    /// Bytes as they come, in pieces of any size.
    void append(std::string_view bytes) { m_bytes.append(bytes); }
    /// The next complete message; absent when more bytes are needed. Fails with WorkerFailed when the bytes are no frame;
    /// the stream is then lost.
    [[nodiscard]] Result<std::optional<Message>> next();
    /// True in the middle of a frame.
    [[nodiscard]] bool isPartial() const { return !m_bytes.empty(); }

  private:
    std::string m_bytes;
};

struct WorkerHello {
    std::uint32_t protocol = 0;
    std::string solver; ///< `z3 4.8.12`
};

[[nodiscard]] Message encodeHello(const WorkerHello& hello);
[[nodiscard]] Message encodeSolve(const SolverRequest& request);
[[nodiscard]] Message encodeSolved(const SolverAnswer& answer);
[[nodiscard]] Message encodeDraw(const DotRequest& request);
[[nodiscard]] Message encodeDrawn(const DotAnswer& answer);
[[nodiscard]] Message encodeFailure(const Error& error);
/// The error a `Failure` message carries; that of another kind says so.
[[nodiscard]] Error decodeFailure(const Message& message);

/// Each fails with WorkerFailed when the message is of another kind or its payload is not what that kind holds;
/// for a `Failure` message the error is the one it carries.
[[nodiscard]] Result<WorkerHello> decodeHello(const Message& message);
[[nodiscard]] Result<SolverRequest> decodeSolve(const Message& message);
[[nodiscard]] Result<SolverAnswer> decodeSolved(const Message& message);
[[nodiscard]] Result<DotRequest> decodeDraw(const Message& message);
[[nodiscard]] Result<DotAnswer> decodeDrawn(const Message& message);

} // namespace lemmascope
