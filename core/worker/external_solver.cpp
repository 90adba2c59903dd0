#include "core/worker/external_solver.h"

#include "core/worker/process.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <unistd.h>

namespace lemmascope {

namespace {

using Clock = ChildProcess::Clock;
using Transfer = ChildProcess::Transfer;

constexpr std::size_t LargestOutput = 64U * 1024U * 1024U;
constexpr unsigned GraceMs = 1000; ///< between the limit the program is told and the one we enforce

bool isSpace(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

Result<std::string> findInPath(const std::string& program) {
    if (program.find('/') != std::string::npos) {
        if (::access(program.c_str(), X_OK) == 0)
            return program;
        return fail(ErrorCode::NotFound, "cannot run '" + program + "'");
    }
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        std::string candidate = std::string(folder) + "/" + program;
        if (!folder.empty() && ::access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return fail(ErrorCode::NotFound, "'" + program + "' is not installed (looked in PATH)");
}

/// All the program writes until it ends.
Transfer readToEnd(ChildProcess& process, std::string& output, Clock::time_point deadline, const std::stop_token& stop) {
    for (;;) {
        const Transfer got = process.read(output, deadline, stop);
        if (got != Transfer::Done || output.size() > LargestOutput)
            return got;
    }
}

std::string firstLine(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

} // namespace

Result<std::vector<std::string>> listItems(std::string_view text) {
    std::vector<std::string> items;
    std::size_t at = 0, depth = 0, itemBegin = std::string_view::npos;
    bool closed = false;
    const auto endItem = [&](std::size_t end) {
        if (itemBegin != std::string_view::npos)
            items.emplace_back(text.substr(itemBegin, end - itemBegin));
        itemBegin = std::string_view::npos;
    };
    const auto beginItem = [&] {
        if (depth == 1 && itemBegin == std::string_view::npos)
            itemBegin = at;
    };
    for (; at < text.size(); ++at) {
        const char c = text[at];
        if (isSpace(c)) {
            if (depth == 1)
                endItem(at);
        } else if (closed || (depth == 0 && c != '(')) {
            return fail(ErrorCode::BadData, "expected one list, found '" + firstLine(text.substr(0, 80)) + "'");
        } else if (c == '(') {
            if (depth == 1)
                endItem(at);
            beginItem();
            ++depth;
        } else if (c == ')') {
            if (depth == 1) {
                endItem(at);
                closed = true;
            }
            --depth;
            if (depth == 1)
                endItem(at + 1);
        } else if (c == '"' || c == '|') {
            beginItem();
            // A doubled quote inside a string reads as two strings side by side, which is the same item.
            const std::size_t end = text.find(c, at + 1);
            if (end == std::string_view::npos)
                return fail(ErrorCode::BadData, "unclosed " + std::string(1, c) + " in a list");
            at = end;
        } else {
            beginItem();
        }
    }
    if (!closed)
        return fail(ErrorCode::BadData, "unclosed list '" + firstLine(text.substr(0, 80)) + "'");
    return items;
}

Result<std::unique_ptr<ExternalSolver>> ExternalSolver::find(const std::string& program) {
    Result<std::string> path = findInPath(program);
    if (!path)
        return tl::unexpected(path.error());
    Result<ChildProcess> process = ChildProcess::start(*path, {"--version"});
    if (!process)
        return tl::unexpected(process.error());
    process->closeInput();
    std::string output;
    (void)readToEnd(*process, output, Clock::now() + std::chrono::seconds(10), {});
    constexpr std::string_view Word = "version ";
    const std::size_t at = output.find(Word);
    std::string number;
    for (std::size_t i = at == std::string::npos ? output.size() : at + Word.size(); i < output.size() && !isSpace(output[i]); ++i)
        number.push_back(output[i]);
    while (!number.empty() && !std::isalnum(static_cast<unsigned char>(number.back())))
        number.pop_back();
    if (number.empty())
        return fail(ErrorCode::WorkerFailed, "'" + *path + " --version' names no version: '" + firstLine(output) + "'");
    const std::string name = path->substr(path->rfind('/') + 1) + " " + number;
    return std::unique_ptr<ExternalSolver>(new ExternalSolver(*path, name));
}

unsigned ExternalSolver::parallelism() const { return std::max(1U, std::thread::hardware_concurrency()); }

Result<std::string> ExternalSolver::solverName(std::stop_token) { return m_name; }

Result<SolverAnswer> ExternalSolver::ask(const SolverRequest& request, std::stop_token stop) {
    SolverAnswer answer;
    answer.solver = m_name;
    answer.reason = "cancelled";
    if (stop.stop_requested())
        return answer;
    std::string script = request.script + "\n(check-sat)\n";
    if (!request.wantedValues.empty()) {
        script += "(get-value (";
        for (const std::string& term : request.wantedValues)
            script += "\n" + term;
        script += "))\n";
    }
    const ProcessLimits limits{(static_cast<std::uint64_t>(request.memoryMb) + 256) * 1024 * 1024, request.timeoutMs / 1000 + 2};
    const Clock::time_point begin = Clock::now();
    const Clock::time_point deadline = begin + std::chrono::milliseconds(request.timeoutMs) + std::chrono::milliseconds(GraceMs);
    Result<ChildProcess> process =
        ChildProcess::start(m_path, {"--lang=smt2", "--produce-models", "--tlimit=" + std::to_string(std::max(1U, request.timeoutMs))}, limits);
    if (!process)
        return tl::unexpected(process.error());
    std::string output;
    Transfer transfer = process->write(script, deadline, stop);
    if (transfer == Transfer::Done)
        process->closeInput();
    if (transfer == Transfer::Done || transfer == Transfer::Closed)
        transfer = readToEnd(*process, output, deadline, stop);
    answer.seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    if (transfer == Transfer::Stopped)
        return answer;
    answer.reason = "time";
    if (transfer == Transfer::Deadline)
        return answer;

    const std::string status = firstLine(output);
    if (status == "unsat") {
        answer.status = SolverAnswer::Status::Unsat;
        answer.reason.clear();
        return answer;
    }
    if (status == "unknown") {
        answer.reason = "incomplete";
        return answer;
    }
    if (status != "sat") {
        const bool exited = process->waitForExit(Clock::now() + std::chrono::milliseconds(200));
        const std::string ending = exited ? process->ending() : "did not end";
        if (ending.find("timeout") != std::string::npos || output.find("timeout") != std::string::npos ||
            answer.seconds * 1000.0 >= request.timeoutMs)
            return answer;
        if (ending.find("bad_alloc") != std::string::npos) {
            answer.reason = "memory";
            return answer;
        }
        return fail(ErrorCode::WorkerFailed, m_name + ": " + (output.empty() ? ending : firstLine(output)));
    }
    answer.status = SolverAnswer::Status::Sat;
    answer.reason.clear();
    if (request.wantedValues.empty())
        return answer;
    const Result<std::vector<std::string>> pairs = listItems(std::string_view(output).substr(status.size()));
    if (!pairs || pairs->size() != request.wantedValues.size())
        return fail(ErrorCode::WorkerFailed,
                    m_name + " gave no values: " + firstLine(std::string_view(output).substr(std::min(output.size(), status.size() + 1))));
    for (const std::string& pair : *pairs) {
        Result<std::vector<std::string>> items = listItems(pair);
        if (!items || items->size() != 2)
            return fail(ErrorCode::WorkerFailed, m_name + " gave no value: " + firstLine(pair));
        answer.values.push_back(std::move((*items)[1]));
    }
    return answer;
}

} // namespace lemmascope
