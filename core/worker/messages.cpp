#include "core/worker/messages.h"

#include "core/base/digest.h"
#include "core/worker/wire.h"

#include <algorithm>

namespace lemmascope {

namespace {

constexpr std::string_view Magic = "LSW1";
constexpr std::size_t HeaderBytes = 4 + 1 + 8 + 8;

std::string kindName(MessageKind kind) { return std::to_string(static_cast<unsigned>(kind)); }

/// The error that stands for a message which is not of the wanted kind: what it carries, or that it should not be here.
tl::unexpected<Error> unwanted(const Message& message) {
    if (message.kind != MessageKind::Failure)
        return fail(ErrorCode::WorkerFailed, "worker protocol: unexpected message of kind " + kindName(message.kind));
    WireReader in(message.payload);
    Error error;
    const std::uint8_t code = in.u8();
    error.message = in.text();
    error.where = in.text();
    if (!in.atEnd() || code > static_cast<std::uint8_t>(ErrorCode::Internal))
        return fail(ErrorCode::WorkerFailed, "worker protocol: unreadable failure message");
    error.code = static_cast<ErrorCode>(code);
    return tl::unexpected(std::move(error));
}

tl::unexpected<Error> unreadable(const Message& message) {
    return fail(ErrorCode::WorkerFailed, "worker protocol: unreadable payload of a message of kind " + kindName(message.kind));
}

} // namespace

std::string encodeFrame(const Message& message) {
    WireWriter out;
    for (const char c : Magic)
        out.u8(static_cast<std::uint8_t>(c));
    out.u8(static_cast<std::uint8_t>(message.kind));
    out.u64(message.payload.size());
    out.u64(contentDigest(message.payload).low);
    return out.take() + message.payload;
}

Result<std::optional<Message>> FrameReader::next() {
    const std::size_t magicSeen = std::min(Magic.size(), m_bytes.size());
    if (std::string_view(m_bytes).substr(0, magicSeen) != Magic.substr(0, magicSeen))
        return fail(ErrorCode::WorkerFailed, "worker protocol: not a frame");
    if (m_bytes.size() < HeaderBytes)
        return std::optional<Message>();
    WireReader in(std::string_view(m_bytes).substr(Magic.size()));
    Message message;
    message.kind = static_cast<MessageKind>(in.u8());
    const std::uint64_t size = in.u64();
    const std::uint64_t digest = in.u64();
    if (message.kind < MessageKind::Hello || message.kind > MessageKind::WasRead)
        return fail(ErrorCode::WorkerFailed, "worker protocol: unknown message kind " + kindName(message.kind));
    if (size > LargestPayload)
        return fail(ErrorCode::WorkerFailed, "worker protocol: payload of " + std::to_string(size) + " bytes");
    if (m_bytes.size() - HeaderBytes < size)
        return std::optional<Message>();
    message.payload = m_bytes.substr(HeaderBytes, size);
    if (contentDigest(message.payload).low != digest)
        return fail(ErrorCode::WorkerFailed, "worker protocol: damaged payload");
    m_bytes.erase(0, HeaderBytes + size);
    return std::optional<Message>(std::move(message));
}

Error decodeFailure(const Message& message) { return unwanted(message).value(); }

Message encodeHello(const WorkerHello& hello) {
    WireWriter out;
    out.u32(hello.protocol);
    out.text(hello.solver);
    return {MessageKind::Hello, out.take()};
}

Result<WorkerHello> decodeHello(const Message& message) {
    if (message.kind != MessageKind::Hello)
        return unwanted(message);
    WireReader in(message.payload);
    WorkerHello hello;
    hello.protocol = in.u32();
    // Another protocol may say more than we know how to read; the caller looks at the number first.
    if (in.ok() && hello.protocol != WorkerProtocol)
        return hello;
    hello.solver = in.text();
    if (!in.atEnd())
        return unreadable(message);
    return hello;
}

Message encodeSolve(const SolverRequest& request) {
    WireWriter out;
    out.text(request.script);
    out.u64(request.steps);
    out.u32(request.timeoutMs);
    out.u32(request.memoryMb);
    out.texts(request.wantedValues);
    return {MessageKind::Solve, out.take()};
}

Result<SolverRequest> decodeSolve(const Message& message) {
    if (message.kind != MessageKind::Solve)
        return unwanted(message);
    WireReader in(message.payload);
    SolverRequest request;
    request.script = in.text();
    request.steps = in.u64();
    request.timeoutMs = in.u32();
    request.memoryMb = in.u32();
    request.wantedValues = in.texts();
    if (!in.atEnd())
        return unreadable(message);
    return request;
}

Message encodeSolved(const SolverAnswer& answer) {
    WireWriter out;
    out.u8(static_cast<std::uint8_t>(answer.status));
    out.text(answer.reason);
    out.texts(answer.values);
    out.f64(answer.seconds);
    out.text(answer.solver);
    return {MessageKind::Solved, out.take()};
}

Result<SolverAnswer> decodeSolved(const Message& message) {
    if (message.kind != MessageKind::Solved)
        return unwanted(message);
    WireReader in(message.payload);
    SolverAnswer answer;
    const std::uint8_t status = in.u8();
    answer.reason = in.text();
    answer.values = in.texts();
    answer.seconds = in.f64();
    answer.solver = in.text();
    if (!in.atEnd() || status > static_cast<std::uint8_t>(SolverAnswer::Status::Unknown))
        return unreadable(message);
    answer.status = static_cast<SolverAnswer::Status>(status);
    return answer;
}

Message encodeDraw(const DotRequest& request) {
    WireWriter out;
    out.u32(request.timeoutMs);
    out.u64(request.boxes.size());
    for (const DotRequest::Box& box : request.boxes) {
        out.f64(box.width);
        out.f64(box.height);
    }
    out.u64(request.edges.size());
    for (const DotRequest::Edge& edge : request.edges) {
        out.u32(edge.from);
        out.u32(edge.to);
    }
    return {MessageKind::Draw, out.take()};
}

Result<DotRequest> decodeDraw(const Message& message) {
    if (message.kind != MessageKind::Draw)
        return unwanted(message);
    WireReader in(message.payload);
    DotRequest request;
    request.timeoutMs = in.u32();
    request.boxes.resize(in.count(16));
    for (DotRequest::Box& box : request.boxes) {
        box.width = in.f64();
        box.height = in.f64();
    }
    request.edges.resize(in.count(8));
    for (DotRequest::Edge& edge : request.edges) {
        edge.from = in.u32();
        edge.to = in.u32();
    }
    if (!in.atEnd())
        return unreadable(message);
    return request;
}

Message encodeDrawn(const DotAnswer& answer) {
    WireWriter out;
    out.u64(answer.boxes.size());
    for (const DotAnswer::Place& place : answer.boxes) {
        out.f64(place.x);
        out.f64(place.y);
        out.u32(place.rank);
    }
    out.f64(answer.width);
    out.f64(answer.height);
    return {MessageKind::Drawn, out.take()};
}

Result<DotAnswer> decodeDrawn(const Message& message) {
    if (message.kind != MessageKind::Drawn)
        return unwanted(message);
    WireReader in(message.payload);
    DotAnswer answer;
    answer.boxes.resize(in.count(20));
    for (DotAnswer::Place& place : answer.boxes) {
        place.x = in.f64();
        place.y = in.f64();
        place.rank = in.u32();
    }
    answer.width = in.f64();
    answer.height = in.f64();
    if (!in.atEnd())
        return unreadable(message);
    return answer;
}

Message encodeFailure(const Error& error) {
    WireWriter out;
    out.u8(static_cast<std::uint8_t>(error.code));
    out.text(error.message);
    out.text(error.where);
    return {MessageKind::Failure, out.take()};
}

} // namespace lemmascope
