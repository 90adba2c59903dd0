// match RULES GRAPH: what matched and whether it may be rewritten, and what came near.
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/match_json.h"
#include "app/cli/rule_files.h"
#include "core/base/nearest.h"
#include "core/graph/infer.h"
#include "core/match/graph_match.h"

#include <algorithm>

namespace lemmascope::cli {

namespace {

constexpr int Matched = 0;
constexpr int NotMatched = 1;
constexpr int Undecided = 2;
constexpr std::size_t MostFailures = 10'000; ///< printed by --trace

std::string counted(std::size_t count, const std::string& word) {
    const bool es = word.ends_with("h") || word.ends_with("s");
    return std::to_string(count) + " " + word + (count == 1 ? "" : es ? "es" : "s");
}

/// The value or node of that name.
Result<match::TermId> findRoot(const match::GraphSubject& subject, const std::string& wanted) {
    const Graph& graph = subject.graph();
    const ValueId value = graph.findValue(wanted);
    if (value.isValid()) {
        return match::TermId(value.index);
    }
    std::vector<std::string> names;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        if (graph.displayName(NodeId(n)) == wanted) {
            return subject.termOf(NodeId(n));
        }
        names.push_back(graph.displayName(NodeId(n)));
    }
    for (const Value& each : graph.values) {
        names.push_back(each.name);
    }
    const std::vector<std::string_view> views(names.begin(), names.end());
    const auto near = nearestWord(wanted, views);
    return fail(ErrorCode::Usage,
                "--at: the graph has no node or value '" + wanted + "'" + (near ? ": did you mean '" + std::string(*near) + "'?" : ""));
}

Result<match::Programs> openPrograms(const MatchRequest& request, Console& console) {
    const Result<OpenedRules> opened = openRules(request.rules, request.lenient, console);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    const match::Programs* programs = &opened->programs;
    if (request.rule.empty()) {
        return *programs;
    }
    std::vector<std::string_view> names;
    for (const auto& each : *programs) {
        names.push_back(each->rule);
        if (each->rule == request.rule) {
            return match::Programs{each};
        }
    }
    const auto near = nearestWord(request.rule, names);
    return fail(ErrorCode::Usage,
                "--rule: there is no rule '" + request.rule + "' in " + request.rules + (near ? ": did you mean '" + std::string(*near) + "'?" : ""));
}

void tellLines(Console& console, const std::vector<match::BranchLine>& lines) {
    for (const match::BranchLine& each : lines) {
        const std::string place = each.spot.line == 0 ? "" : " [" + each.spot.text() + "]";
        console.answer(std::string(4 + std::size_t{2} * std::min(each.depth, 30U), ' ') + (each.failed ? "✗ " : "") + each.text + place + "\n");
    }
}

void tellMatch(Console& console, const match::Programs& programs, const match::GraphSubject& subject, const match::GraphMatch& found) {
    console.answer("match: " + programs[found.rule]->rule + " at " + subject.nodeText(found.root) + ": " + counted(found.nodes.size(), "node") +
                   (found.rewritable() ? "" : "; may not be rewritten") + "\n");
    for (const std::string& each : found.obstacles) {
        console.answer("  may not be rewritten: " + each + "\n");
    }
    for (const match::Binding& each : found.bindings) {
        if (each.kind != match::Binding::Kind::Unbound) {
            console.answer("  " + each.name.written() + " = " + match::bindingText(subject, each) + "\n");
        }
    }
    if (!found.derivation.empty()) {
        console.answer("  why it matched:\n");
        tellLines(console, found.derivation);
    }
}

void tellMiss(Console& console, const match::Programs& programs, const match::GraphSubject& subject, const match::GraphMiss& miss) {
    static constexpr const char* Kinds[] = {"no match", "no match, a guard is false", "no match, a guard cannot be decided", "undecided"};
    console.answer(std::string(Kinds[static_cast<std::size_t>(miss.kind)]) + ": " + programs[miss.rule]->rule + " at " + subject.nodeText(miss.root) +
                   ": " + std::to_string(miss.matched) + " of " + counted(miss.total, "operator") + " matched\n  " + miss.reason +
                   (miss.spot.line == 0 ? "" : " [" + miss.spot.text() + "]") + "\n");
    std::string held;
    for (const match::Binding& each : miss.held) {
        if (each.kind != match::Binding::Kind::Unbound) {
            held += (held.empty() ? "  held: " : ", ") + each.name.written() + " = " + match::bindingText(subject, each);
        }
    }
    if (!held.empty()) {
        console.answer(held + "\n");
    }
    if (!miss.branches.empty()) {
        console.answer("  every branch:\n");
        tellLines(console, miss.branches);
    }
}

/// Every failed branch of every rule at every root that its first operator fits, in the order met.
void trace(const MatchRequest& request, Console& console, Interrupt& interrupt, const match::Programs& programs, const match::GraphSubject& subject,
           const std::optional<match::TermId>& at) {
    for (const auto& program : programs) {
        match::MatchMachine machine(*program, subject,
                                    {.identity = request.identity, .steps = request.steps, .records = MostFailures, .stop = interrupt.token()});
        for (std::size_t n = 0; n < subject.graph().nodes.size() && !interrupt.token().stop_requested(); ++n) {
            const match::TermId root = at ? *at : subject.termOf(NodeId(n));
            if (!at && !machine.mayMatchAt(root)) {
                continue;
            }
            machine.start(root);
            (void)machine.run();
            console.answer("trace: " + program->rule + " at " + subject.nodeText(root) + ": " + counted(machine.steps(), "step") + "\n");
            for (const match::FailureRecord& each : machine.failures()) {
                console.answer("  " + program->at(each.at).spot.text() + ", step " + std::to_string(each.step) + ": " +
                               match::reasonInWords(*program, subject, each) + "\n");
            }
            if (at) {
                break;
            }
        }
    }
}

} // namespace

Result<int> matchGraphCommand(const MatchRequest& request, Console& console, Interrupt& interrupt) {
    const Result<match::Programs> programs = openPrograms(request, console);
    if (!programs) {
        return tl::unexpected(programs.error());
    }
    const auto loaded = openGraph(request.graph, request.definitions, interrupt);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    std::shared_ptr<const Graph> graph = *loaded;
    if (auto typed = inferTypes(*graph, {}, interrupt.token())) {
        graph = *typed;
    } else if (typed.error().code == ErrorCode::Cancelled) {
        return tl::unexpected(typed.error());
    } else {
        // Patterns may still match where types are not known; guards that read them are undefined.
        console.note("note: " + request.graph + ": " + typed.error().text());
    }
    const match::GraphSubject subject(graph);
    match::GraphMatchOptions options;
    options.all = request.all;
    options.explain = request.explain;
    options.machine.identity = request.identity;
    options.machine.steps = request.steps;
    options.stop = interrupt.token();
    if (!request.at.empty()) {
        const Result<match::TermId> root = findRoot(subject, request.at);
        if (!root) {
            return tl::unexpected(root.error());
        }
        options.at = *root;
    }
    if (request.trace) {
        trace(request, console, interrupt, *programs, subject, options.at);
    }
    const Result<match::GraphMatchResult> result = match::matchGraph(*programs, subject, options);
    if (!result) {
        return tl::unexpected(result.error());
    }
    std::size_t rewritable = 0;
    for (const match::GraphMatch& each : result->matches) {
        rewritable += each.rewritable() ? 1 : 0;
        tellMatch(console, *programs, subject, each);
    }
    // What came near is told where something is asked about: one node, an explanation, or nothing matched at all.
    if (options.at || request.explain || result->matches.empty()) {
        for (const match::GraphMiss& each : result->misses) {
            tellMiss(console, *programs, subject, each);
        }
        for (const match::MissCount& each : result->counts) {
            if (each.roots > 1) {
                console.answer(counted(each.roots, "root") + " fail at " + (*programs)[each.rule]->rule + " [" + each.spot.text() +
                               "], as here: " + each.text + "\n");
            }
        }
    }
    console.answer(counted(result->matches.size(), "match") + ", " + std::to_string(rewritable) + " may be rewritten; " +
                   counted(result->rootsTried, "root") + " tried, " + std::to_string(result->rootsSkipped) + " have another operator" +
                   (result->undecided == 0 ? "" : "; " + std::to_string(result->undecided) + " undecided") + "\n");
    if (!request.json.empty()) {
        if (Result<void> written = writeDocument(console, request.json, matchGraphJson(*programs, subject, *result)); !written) {
            return tl::unexpected(std::move(written.error()));
        }
    }
    return rewritable > 0 ? Matched : result->undecided > 0 ? Undecided : NotMatched;
}

} // namespace lemmascope::cli
