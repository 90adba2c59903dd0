// match RULES GRAPH: what matched and whether it may be rewritten, and what came near.
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "app/cli/match_json.h"
#include "app/cli/rule_files.h"
#include "core/graph/infer.h"
#include "core/match/graph_levels.h"
#include "core/rewrite/selection.h"

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

/// Names with commas between; of many the first, and how many more there are.
std::string listed(const std::vector<std::string>& names) {
    constexpr std::size_t MostNames = 8;
    std::string out;
    for (std::size_t i = 0; i < std::min(names.size(), MostNames); ++i) {
        out += (out.empty() ? "" : ", ") + names[i];
    }
    return out + (names.size() > MostNames ? " and " + std::to_string(names.size() - MostNames) + " more" : "");
}

void tellLines(Console& console, const std::vector<match::BranchLine>& lines) {
    for (const match::BranchLine& each : lines) {
        const std::string place = each.spot.line == 0 ? "" : " [" + each.spot.text() + "]";
        console.answer(std::string(4 + std::size_t{2} * std::min(each.depth, 30U), ' ') + (each.failed ? "✗ " : "") + each.text + place + "\n");
    }
}

/// Answers about the roots of one graph, top or nested.
class Teller {
  public:
    Teller(Console& console, const match::Programs& programs, const match::GraphLevel& level, const match::GraphSubject& subject)
        : m_console(console), m_programs(programs), m_level(level), m_subject(subject) {}

    void match(const match::GraphMatch& found) {
        m_console.answer("match: " + at(found.rule, found.root) + ": " + counted(found.nodes.size(), "node") +
                         (found.rewritable() ? "" : "; may not be rewritten") + "\n");
        for (const std::string& each : found.obstacles) {
            m_console.answer("  may not be rewritten: " + each + "\n");
        }
        for (const match::Binding& each : found.bindings) {
            if (each.kind != match::Binding::Kind::Unbound) {
                m_console.answer("  " + each.name.written() + " = " + match::bindingText(m_subject, each) + "\n");
            }
        }
        if (!found.derivation.empty()) {
            m_console.answer("  why it matched:\n");
            tellLines(m_console, found.derivation);
        }
    }

    void miss(const match::GraphMiss& miss) {
        static constexpr const char* Kinds[] = {"no match", "no match, a guard is false", "no match, a guard cannot be decided", "undecided"};
        m_console.answer(std::string(Kinds[static_cast<std::size_t>(miss.kind)]) + ": " + at(miss.rule, miss.root) + ": " +
                         std::to_string(miss.matched) + " of " + counted(miss.total, "operator") + " matched\n  " + miss.reason +
                         (miss.spot.line == 0 ? "" : " [" + miss.spot.text() + "]") + "\n");
        std::string held;
        for (const match::Binding& each : miss.held) {
            if (each.kind != match::Binding::Kind::Unbound) {
                held += (held.empty() ? "  held: " : ", ") + each.name.written() + " = " + match::bindingText(m_subject, each);
            }
        }
        if (!held.empty()) {
            m_console.answer(held + "\n");
        }
        if (!miss.branches.empty()) {
            m_console.answer("  every branch:\n");
            tellLines(m_console, miss.branches);
        }
    }

    /// Every failed branch of a rule at every root that its first operator fits, in the order met.
    void trace(std::size_t rule, const std::optional<match::TermId>& only, const match::MachineOptions& options) {
        const match::MatchProgram& program = *m_programs[rule];
        match::MatchMachine machine(program, m_subject, options);
        for (std::size_t n = 0; n < m_subject.graph().nodes.size() && !options.stop.stop_requested(); ++n) {
            const match::TermId root = only ? *only : m_subject.termOf(NodeId(n));
            if (!only && !machine.mayMatchAt(root)) {
                continue;
            }
            machine.start(root);
            (void)machine.run();
            m_console.answer("trace: " + at(rule, root) + ": " + counted(machine.steps(), "step") + "\n");
            for (const match::FailureRecord& each : machine.failures()) {
                m_console.answer("  " + program.at(each.at).spot.text() + ", step " + std::to_string(each.step) + ": " +
                                 match::reasonInWords(program, m_subject, each) + "\n");
            }
            if (only) {
                break;
            }
        }
    }

  private:
    [[nodiscard]] std::string at(std::size_t rule, match::TermId root) const {
        return m_programs[rule]->rule + " at " + m_level.placed(m_subject.nodeText(root));
    }

    Console& m_console;
    const match::Programs& m_programs;
    const match::GraphLevel& m_level;
    const match::GraphSubject& m_subject;
};

/// Rules that matched nowhere and of which nothing was told yet. `told`: what came near was.
void tellUnmatched(Console& console, const match::Programs& programs, const match::MatchedLevels& result, bool told) {
    std::vector<std::string> silent;
    for (std::size_t rule = 0; rule < programs.size(); ++rule) {
        bool matched = false;
        bool tried = false;
        for (const match::LevelMatches& each : result.levels) {
            matched = matched || each.result.tallies[rule].matches > 0;
            tried = tried || each.result.tallies[rule].misses > 0;
        }
        if (!matched && !(told && tried)) {
            silent.push_back(programs[rule]->rule);
        }
    }
    if (!silent.empty()) {
        console.answer(told ? "no match, no node has the first operator: " + listed(silent) + "\n"
                            : "no match: " + listed(silent) + " (--explain tells what came near)\n");
    }
}

} // namespace

Result<int> matchGraphCommand(const MatchRequest& request, Console& console, Interrupt& interrupt) {
    const Result<OpenedRules> opened = openRules(request.rules, request.lenient, console);
    if (!opened) {
        return tl::unexpected(opened.error());
    }
    const Result<match::Programs> programs = rewrite::selectPrograms(opened->file, opened->programs, request.only);
    if (!programs) {
        return tl::unexpected(programs.error());
    }
    if (programs->empty()) {
        console.note("note: " + request.rules + ": there is no rule or pattern in it");
    }
    const auto loaded = openGraph(request.graph, request.definitions, interrupt);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    std::shared_ptr<const Graph> graph = *loaded;
    tellUnknownNames(opened->file, graph.get(), console);
    if (auto typed = inferTypes(*graph, {}, interrupt.token())) {
        graph = *typed;
    } else if (typed.error().code == ErrorCode::Cancelled) {
        return tl::unexpected(typed.error());
    } else {
        // Patterns may still match where types are not known; guards that read them are undefined.
        console.note("note: " + request.graph + ": " + typed.error().text());
    }
    match::GraphMatchOptions options;
    options.all = request.all;
    options.explain = request.explain;
    options.machine.identity = request.identity;
    options.machine.steps = request.steps;
    options.stop = interrupt.token();
    const Result<match::MatchedLevels> result = match::matchLevels(*programs, graph, request.at, options);
    if (!result) {
        Error error = result.error();
        error.message = (error.code == ErrorCode::Usage ? "--at: " : "") + error.message;
        return tl::unexpected(std::move(error));
    }
    std::vector<Teller> tellers;
    for (const match::LevelMatches& each : result->levels) {
        tellers.emplace_back(console, *programs, each.level, *each.subject);
    }
    if (request.trace) {
        match::MachineOptions machine = options.machine;
        machine.records = MostFailures;
        machine.stop = interrupt.token();
        for (std::size_t rule = 0; rule < programs->size(); ++rule) {
            for (std::size_t level = 0; level < tellers.size(); ++level) {
                const match::LevelMatches& at = result->levels[level];
                tellers[level].trace(rule, request.at.empty() ? std::nullopt : match::rootNamed(*at.subject, at.level.scope, request.at), machine);
            }
        }
    }
    std::size_t matches = 0;
    std::size_t rewritable = 0;
    for (std::size_t level = 0; level < tellers.size(); ++level) {
        for (const match::GraphMatch& each : result->levels[level].result.matches) {
            ++matches;
            rewritable += each.rewritable() ? 1 : 0;
            tellers[level].match(each);
        }
    }
    // What came near is told where something is asked about: one node, an explanation, or nothing matched at all.
    const bool asked = !request.at.empty() || request.explain || matches == 0;
    if (asked) {
        for (const auto& each : result->misses) {
            tellers[each.level].miss(each.told);
        }
        for (const auto& each : result->counts) {
            if (each.told.roots > 1) {
                console.answer(counted(each.told.roots, "root") + " fail at " + (*programs)[each.told.rule]->rule + " [" + each.told.spot.text() +
                               "], as here: " + each.told.text + "\n");
            }
        }
    }
    tellUnmatched(console, *programs, *result, asked);
    console.answer(counted(matches, "match") + ", " + std::to_string(rewritable) + " may be rewritten; " + counted(result->rootsTried, "root") +
                   " tried, " + std::to_string(result->rootsSkipped) + " have another operator" +
                   (result->undecided == 0 ? "" : "; " + std::to_string(result->undecided) + " undecided") + "\n");
    if (!request.json.empty()) {
        if (Result<void> written = writeDocument(console, request.json, matchGraphJson(*programs, *result)); !written) {
            return tl::unexpected(std::move(written.error()));
        }
    }
    return rewritable > 0 ? Matched : result->undecided > 0 ? Undecided : NotMatched;
}

} // namespace lemmascope::cli
