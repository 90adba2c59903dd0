#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/match_json.h"
#include "core/match/case_file.h"
#include "core/match/failure.h"
#include "core/match/parser.h"
#include "core/match/term_subject.h"
#include "core/report/files.h"

namespace lemmascope::cli {

namespace {

constexpr int Matched = 0;
constexpr int NotMatched = 1;
constexpr int Undecided = 2;
constexpr std::uintmax_t MostBytes = std::uintmax_t{1} << 26U;

Error interrupted() { return {ErrorCode::Cancelled, "interrupted", {}}; }

Result<int> writeJson(const MatchRequest& request, Console& console, const std::string& text, int status) {
    if (!request.json.empty()) {
        if (Result<void> written = writeDocument(console, request.json, text); !written) {
            return tl::unexpected(std::move(written.error()));
        }
    }
    return status;
}

Result<int> matchCases(const MatchRequest& request, Console& console, Interrupt& interrupt) {
    const Result<std::string> text = readFile(request.cases, MostBytes);
    if (!text) {
        return tl::unexpected(text.error());
    }
    const Result<match::MatchCases> cases = match::parseCases(*text, request.cases);
    if (!cases) {
        return tl::unexpected(cases.error());
    }
    std::vector<match::CaseResult> results;
    std::size_t failed = 0;
    for (const match::MatchCase& each : cases->cases) {
        if (interrupt.token().stop_requested()) {
            return tl::unexpected(interrupted());
        }
        Result<match::CaseResult> result = match::runCase(each, cases->signature, request.cases, request.identity, request.steps);
        if (!result) {
            return tl::unexpected(std::move(result.error()));
        }
        // What a file expects of an ill-formed pattern is what running it anyway comes to.
        if (!request.lenient && !each.staticCheck && result->staticCheck != "ok") {
            result->differences.push_back("static check: " + result->staticCheck + " (run it anyway with --lenient)");
        }
        failed += result->differences.empty() ? 0 : 1;
        for (const std::string& difference : result->differences) {
            console.answer(each.id + ": " + difference + "\n");
        }
        results.push_back(std::move(*result));
    }
    console.answer(std::to_string(results.size() - failed) + " passed, " + std::to_string(failed) + " failed\n");
    return writeJson(request, console, matchCasesJson(results), failed == 0 ? Matched : NotMatched);
}

std::string listedBindings(const match::Subject& subject, const std::vector<match::Binding>& bindings) {
    std::string out;
    for (const match::Binding& each : bindings) {
        if (each.kind != match::Binding::Kind::Unbound) {
            out += "  " + each.name.written() + " = " + match::bindingText(subject, each) + "\n";
        }
    }
    return out;
}

Result<int> matchTerm(const MatchRequest& request, Console& console, Interrupt& interrupt) {
    const Result<match::Signature> signature = match::Signature::parse(request.signature);
    if (!signature) {
        return tl::unexpected(signature.error());
    }
    const auto term = match::TermSubject::parse(request.term, *signature, "--term", request.identity);
    if (!term) {
        return tl::unexpected(term.error());
    }
    const Result<match::RuleFile> rules = match::parsePattern(request.pattern, "--pattern");
    if (!rules) {
        return tl::unexpected(rules.error());
    }
    const match::StaticResult checked = match::checkStatically(*rules);
    for (const match::Finding& each : checked.findings) {
        console.note(each.text("--pattern"));
    }
    if (!checked.passes() && !request.lenient) {
        return fail(ErrorCode::BadData, "the pattern fails the static check; --lenient runs it anyway");
    }
    const auto programs = match::compileRules(*rules, checked);
    if (!programs) {
        return tl::unexpected(programs.error());
    }
    const match::MatchProgram& program = *programs->front();
    match::MatchMachine machine(program, **term,
                                {.identity = request.identity, .steps = request.steps, .records = 10'000, .stop = interrupt.token()});
    machine.start((*term)->root());
    match::CaseResult result;
    result.id = "term";
    const match::Finding* first = checked.firstError();
    result.staticCheck = first == nullptr ? "ok" : "error: " + first->fact;
    match::Outcome outcome = machine.run();
    std::size_t matches = 0;
    for (; outcome == match::Outcome::Match && !interrupt.token().stop_requested(); outcome = machine.run()) {
        const std::vector<match::Binding> bindings = machine.bindings();
        console.answer("match\n" + listedBindings(**term, bindings));
        if (matches == 0) {
            for (const match::Binding& each : bindings) {
                if (each.kind != match::Binding::Kind::Unbound) {
                    result.bindings.emplace(each.name.written(), match::bindingText(**term, each));
                }
            }
        }
        ++matches;
        if (!request.all) {
            break;
        }
    }
    if (interrupt.token().stop_requested()) {
        return tl::unexpected(interrupted());
    }
    const bool undecided = outcome == match::Outcome::Undecided;
    result.outcome = matches > 0 ? "match" : undecided ? "undecided" : "no match";
    if (undecided) {
        const auto [goal, at] = machine.openGoal();
        console.answer("undecided: after " + std::to_string(request.steps) + " steps" +
                       (goal.isValid() ? ", at " + program.at(goal).spot.text() + " of the pattern on " + (*term)->termText(at) : "") + "\n");
    } else if (matches == 0) {
        console.answer("no match\n");
    }
    if (matches == 0) {
        for (const match::FailureRecord& record : machine.failures()) {
            result.reasons.push_back(match::shortReason(program, **term, record));
        }
    }
    if (request.trace || matches == 0) {
        for (const match::FailureRecord& record : machine.failures()) {
            const std::string place = request.trace ? program.at(record.at).spot.text() + ", step " + std::to_string(record.step) + ": " : "";
            console.answer("  " + place + match::shortReason(program, **term, record) + "\n");
        }
    }
    return writeJson(request, console, matchCasesJson({result}), matches > 0 ? Matched : undecided ? Undecided : NotMatched);
}

} // namespace

int matchCommand(const MatchRequest& request, Console& console, Interrupt& interrupt) {
    const Result<int> status = !request.cases.empty()  ? matchCases(request, console, interrupt)
                               : !request.term.empty() ? matchTerm(request, console, interrupt)
                                                       : matchGraphCommand(request, console, interrupt);
    return status ? *status : report(console, status.error());
}

} // namespace lemmascope::cli
