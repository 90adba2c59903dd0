#include "core/worker/z3_solver.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <new>

#include <z3++.h>

namespace lemmascope {

namespace {

/// For the first attempt. Steps decide when it ends, so that answers do not depend on the clock; but nonlinear arithmetic
/// can be slow within few steps, hence the time.
constexpr std::uint64_t FirstSteps = 50'000;
constexpr unsigned FirstTimeoutMs = 5'000;

/// Z3 breaks long terms into lines; a value is reported on one.
std::string onOneLine(const std::string& text) {
    std::string line;
    for (const char c : text) {
        const bool space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!space)
            line.push_back(c);
        else if (!line.empty() && line.back() != ' ')
            line.push_back(' ');
    }
    while (!line.empty() && line.back() == ' ')
        line.pop_back();
    return line;
}

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

/// Resource steps of the last check.
std::uint64_t stepsUsed(z3::solver& solver) {
    const z3::stats statistics = solver.statistics();
    for (unsigned i = 0; i < statistics.size(); ++i)
        if (statistics.key(i) == "rlimit count")
            return statistics.is_uint(i) ? statistics.uint_value(i) : static_cast<std::uint64_t>(statistics.double_value(i));
    return 0;
}

/// Which limit ended the check. Z3 says `canceled` both for steps and for time, so we look at what was used.
std::string reasonUnknown(z3::solver& solver, const SolverRequest& request, double seconds) {
    const std::string words = onOneLine(solver.reason_unknown());
    if (contains(words, "memory"))
        return "memory";
    const bool interrupted = contains(words, "cancel") || contains(words, "timeout") || contains(words, "interrupted") || contains(words, "resource");
    if (interrupted && seconds * 1000.0 >= 0.98 * request.timeoutMs && stepsUsed(solver) < request.steps)
        return "time";
    if (interrupted)
        return contains(words, "timeout") ? "time" : "steps";
    if (contains(words, "incomplete"))
        return "incomplete";
    return words.empty() ? "unknown" : words;
}

/// The script, with each wanted term in an assertion of its own: the parser resolves the terms among the script's
/// declarations, and those last assertions are never given to the solver. A line each, so that an unbalanced term in
/// one place cannot swallow another.
std::string withWantedTerms(const SolverRequest& request) {
    std::string text = request.script;
    for (const std::string& term : request.wantedValues)
        text += "\n(assert (= " + term + "\n" + term + "\n))";
    text += "\n";
    return text;
}

SolverAnswer unknown(std::string reason) {
    SolverAnswer answer;
    answer.reason = std::move(reason);
    return answer;
}

Result<SolverAnswer> solve(const SolverRequest& request) {
    z3::context context;
    z3::expr_vector assertions(context);
    try {
        assertions = context.parse_string(withWantedTerms(request).c_str());
    } catch (const z3::exception& exception) {
        if (contains(exception.msg(), "memory"))
            return unknown("memory");
        return fail(ErrorCode::Internal, "z3 cannot read the script: " + onOneLine(exception.msg()));
    }
    const auto wantedCount = static_cast<unsigned>(request.wantedValues.size());
    if (assertions.size() < wantedCount)
        return fail(ErrorCode::Internal, "z3 cannot read the script: it ends before the wanted values");
    const unsigned goalCount = assertions.size() - wantedCount;
    for (unsigned i = goalCount; i < assertions.size(); ++i)
        if (!assertions[static_cast<int>(i)].is_app() || assertions[static_cast<int>(i)].decl().decl_kind() != Z3_OP_EQ)
            return fail(ErrorCode::Internal, "z3 cannot read the script: '" + request.wantedValues[i - goalCount] + "' is not one term");

    const auto begin = std::chrono::steady_clock::now();
    const auto millisecondsLeft = [&] {
        const auto used = std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();
        return static_cast<unsigned>(std::max<long long>(1, static_cast<long long>(request.timeoutMs) - used));
    };
    const auto ask = [&](z3::solver& solver, std::uint64_t steps, unsigned timeoutMs) {
        z3::params limits(context);
        limits.set("rlimit", static_cast<unsigned>(std::min<std::uint64_t>(steps, std::numeric_limits<unsigned>::max())));
        limits.set("timeout", std::max(1U, timeoutMs));
        limits.set("max_memory", std::max(1U, request.memoryMb));
        solver.set(limits);
        for (unsigned i = 0; i < goalCount; ++i)
            solver.add(assertions[static_cast<int>(i)]);
        return solver.check();
    };
    // Z3's plain solver first, for a little: most lemmas are easy, and setting up the default one takes 6 ms.
    z3::solver solver(context, z3::solver::simple());
    z3::check_result checked =
        ask(solver, request.steps == 0 ? FirstSteps : std::min(request.steps, FirstSteps), std::min(FirstTimeoutMs, request.timeoutMs));
    if (checked == z3::unknown) {
        solver = z3::solver(context);
        checked = ask(solver, request.steps, millisecondsLeft());
    }
    SolverAnswer answer;
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    if (checked == z3::unsat) {
        answer.status = SolverAnswer::Status::Unsat;
    } else if (checked == z3::unknown) {
        answer.reason = reasonUnknown(solver, request, answer.seconds);
    } else {
        answer.status = SolverAnswer::Status::Sat;
        z3::model model = solver.get_model();
        for (unsigned i = goalCount; i < assertions.size(); ++i)
            answer.values.push_back(onOneLine(model.eval(assertions[static_cast<int>(i)].arg(0), true).to_string()));
    }
    return answer;
}

} // namespace

Result<SolverAnswer> solveWithZ3(const SolverRequest& request) {
    Result<SolverAnswer> answer = unknown({});
    try {
        Z3_toggle_warning_messages(false);
        answer = solve(request);
    } catch (const z3::exception& exception) {
        answer = unknown(contains(exception.msg(), "memory") ? "memory" : onOneLine(exception.msg()));
    } catch (const std::bad_alloc&) {
        answer = unknown("memory");
    }
    if (answer)
        answer->solver = z3Version();
    return answer;
}

std::string z3Version() {
    unsigned major = 0, minor = 0, build = 0, revision = 0;
    Z3_get_version(&major, &minor, &build, &revision);
    return "z3 " + std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(build);
}

} // namespace lemmascope
