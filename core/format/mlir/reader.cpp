#include "core/format/mlir/reader.h"

#include "core/format/mlir/module_wire.h"
#include "core/format/mlir/text_limits.h"
#include "core/worker/messages.h"
#include "core/worker/process.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <mutex>
#include <optional>

namespace lemmascope::ir {

using namespace std::string_view_literals;

namespace {

/// The process that reads; started when first needed, kept for the next file, and started anew after it died.
class ReaderProcess {
  public:
    Result<Module> read(const ParseRequest& request, const std::stop_token& stop);

  private:
    std::timed_mutex m_mutex;
    std::optional<ChildProcess> m_process;
    FrameReader m_frames;

    [[nodiscard]] Result<void> start(const std::stop_token& stop);
    [[nodiscard]] Result<Message> receive(ChildProcess::Clock::time_point deadline, const std::stop_token& stop);
    [[nodiscard]] Error broken(ChildProcess::Transfer transfer);
};

constexpr auto StartTime = std::chrono::seconds(60);
constexpr auto AnswerTime = std::chrono::seconds(300); ///< far behind the limit of processor time that the process sets itself

Result<void> ReaderProcess::start(const std::stop_token& stop) {
    m_process.reset();
    m_frames = FrameReader();
    const Result<std::string> program = siblingProgram("lemmascope-mlir");
    if (!program) {
        return fail(ErrorCode::NotFound, "is an MLIR program, and the reader of those is not there (" + program.error().text() +
                                             "): install it, or build with -DLEMMASCOPE_MLIR=ON");
    }
    Result<ChildProcess> process = ChildProcess::start(*program, {});
    if (!process) {
        return tl::unexpected(process.error());
    }
    m_process.emplace(std::move(*process));
    const Result<Message> message = receive(ChildProcess::Clock::now() + StartTime, stop);
    const Result<WorkerHello> hello = message ? decodeHello(*message) : tl::unexpected(message.error());
    if (!hello) {
        m_process.reset();
        return tl::unexpected(hello.error());
    }
    if (hello->protocol != WorkerProtocol) {
        m_process.reset();
        return fail(ErrorCode::WorkerFailed, "'" + *program + "' is of another version than this program");
    }
    return {};
}

Error ReaderProcess::broken(ChildProcess::Transfer transfer) {
    using Transfer = ChildProcess::Transfer;
    Error error{ErrorCode::WorkerFailed, {}, {}};
    if (transfer == Transfer::Stopped) {
        error = {ErrorCode::Cancelled, "reading was cancelled", {}};
    } else if (transfer == Transfer::Deadline) {
        error.message = "cannot be read as MLIR: libMLIR takes too long";
    } else {
        const bool ended = m_process->waitForExit(ChildProcess::Clock::now() + std::chrono::milliseconds(500));
        error.message = "cannot be read as MLIR: the process that reads it " + (ended ? m_process->ending() : std::string("closed its output")) +
                        "; does mlir-opt-19 read the file?";
    }
    m_process.reset();
    return error;
}

Result<Message> ReaderProcess::receive(ChildProcess::Clock::time_point deadline, const std::stop_token& stop) {
    for (;;) {
        Result<std::optional<Message>> message = m_frames.next();
        if (!message) {
            m_process.reset();
            return tl::unexpected(message.error());
        }
        if (*message) {
            return std::move(**message);
        }
        std::string bytes;
        if (const auto got = m_process->read(bytes, deadline, stop); got != ChildProcess::Transfer::Done) {
            return tl::unexpected(broken(got));
        }
        m_frames.append(bytes);
    }
}

Result<Module> ReaderProcess::read(const ParseRequest& request, const std::stop_token& stop) {
    std::unique_lock lock(m_mutex, std::defer_lock);
    while (!lock.try_lock_for(std::chrono::milliseconds(10))) { // another file is being read
        if (stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "reading was cancelled");
        }
    }
    if (!m_process || m_process->hasExited()) {
        if (const Result<void> started = start(stop); !started) {
            return tl::unexpected(started.error());
        }
    }
    const auto deadline = ChildProcess::Clock::now() + AnswerTime;
    const std::string frame = encodeFrame({MessageKind::Read, encodeRequest(request)});
    if (const auto sent = m_process->write(frame, deadline, stop); sent != ChildProcess::Transfer::Done) {
        return tl::unexpected(broken(sent));
    }
    const Result<Message> answer = receive(deadline, stop);
    if (!answer) {
        return tl::unexpected(answer.error());
    }
    return answer->kind == MessageKind::WasRead ? decodeModule(answer->payload) : tl::unexpected(decodeFailure(*answer));
}

ReaderProcess& readerProcess() {
    static ReaderProcess process;
    return process;
}

bool hasEnding(const std::filesystem::path& path, std::string_view ending) { return path.extension() == ending; }

} // namespace

bool looksLikeMlir(std::string_view head, const std::filesystem::path& path) {
    if (head.starts_with("ML\xEFR"sv)) {
        return true;
    }
    std::string_view text = head;
    if (text.starts_with("\xEF\xBB\xBF"sv)) {
        text.remove_prefix(3);
    }
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    text = start == std::string_view::npos ? std::string_view() : text.substr(start);
    static constexpr std::array Starts{"module {"sv,       "module @"sv,           "module attributes"sv, "func.func"sv,
                                       "builtin.module"sv, "\"builtin.module\""sv, "// RUN:"sv,           "// -----//"sv};
    return std::any_of(Starts.begin(), Starts.end(), [&](std::string_view one) { return text.starts_with(one); }) ||
           (hasEnding(path, ".mlir") && text.find('\0') == std::string_view::npos) || hasEnding(path, ".mlirbc");
}

Result<std::shared_ptr<const Module>> readModule(const std::string& text, const std::string& file, std::uint32_t firstLine, std::stop_token stop) {
    const bool bytecode = text.starts_with("ML\xEFR"sv);
    if (text.size() > LargestText || !bytecode) {
        if (const Result<void> limits = checkTextLimits(text, file, firstLine); !limits) {
            return tl::unexpected(limits.error());
        }
    }
    Result<Module> module = readerProcess().read({file, firstLine, text}, stop);
    if (!module) {
        if (module.error().where.empty()) {
            module.error().where = file;
        }
        return tl::unexpected(module.error());
    }
    return std::make_shared<const Module>(std::move(*module));
}

Result<std::string> readText(const std::filesystem::path& path) {
    const std::string where = path.string();
    std::error_code code;
    if (!std::filesystem::exists(path, code)) {
        return fail(ErrorCode::NotFound, "there is no such file", where);
    }
    if (!std::filesystem::is_regular_file(path, code)) {
        return fail(ErrorCode::BadData, "is not a regular file", where);
    }
    const std::uint64_t size = std::filesystem::file_size(path, code);
    if (!code && size > LargestText) {
        return fail(ErrorCode::TooLarge, "is larger than " + std::to_string(LargestText >> 20U) + " MB", where);
    }
    std::ifstream stream(path, std::ios::binary);
    std::string text(code ? 0 : static_cast<std::size_t>(size), '\0');
    if (code || !stream || (!text.empty() && !stream.read(text.data(), static_cast<std::streamsize>(text.size())))) {
        return fail(ErrorCode::NotFound, "cannot be read to its end", where);
    }
    return text;
}

Result<std::shared_ptr<const Module>> readModuleFile(const std::filesystem::path& path, std::stop_token stop) {
    const Result<std::string> text = readText(path);
    return text ? readModule(*text, path.string(), 1, std::move(stop)) : tl::unexpected(text.error());
}

std::vector<Dump> splitDumps(std::string_view text) {
    static constexpr std::string_view Start = "// -----// IR Dump ";
    static constexpr std::string_view End = " //----- //";
    std::vector<Dump> dumps;
    std::uint32_t line = 1;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view current = text.substr(0, end);
        if (current.starts_with(Start)) {
            std::string_view title = current.substr(Start.size());
            title = title.substr(0, title.find(End));
            title = title.substr(0, title.find('\n'));
            dumps.push_back({std::string(title), line + 1, {}});
        } else if (!dumps.empty()) {
            dumps.back().text += current;
        }
        text.remove_prefix(end);
        ++line;
    }
    return dumps;
}

} // namespace lemmascope::ir
