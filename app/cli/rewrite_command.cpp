// rewrite RULES GRAPH -o OUT: replacements by rules, or regions as functions; with --check the proofs.
#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/engines.h"
#include "app/cli/interrupt.h"
#include "app/cli/rewrite_json.h"
#include "app/cli/rule_files.h"
#include "core/format/load.h"
#include "core/report/outcome.h"
#include "core/report/text_report.h"
#include "core/rewrite/operators.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace lemmascope::cli {

namespace {

constexpr int NoMatch = 1;
constexpr int Undecided = 2;
constexpr double GraceSeconds = 2.0;  ///< past its time a check may still round off what it knows
constexpr std::size_t MostListed = 3; ///< refusals of a rule in the text; the JSON has all

std::string counted(std::size_t count, const std::string& word) { return std::to_string(count) + " " + word + (count == 1 ? "" : "s"); }

std::string at(const std::string& scope, const std::string& root) { return scope.empty() ? root : scope + "/" + root; }

StepVerdict told(const CheckResult& result, Strength wanted) { return {result.verdict, result.strength, result.reason, headline(result, wanted)}; }

/// The worse of two: refuted, then undecided, then unproved, then the weaker proof.
bool worse(const StepVerdict& a, const StepVerdict& b) {
    const auto rank = [](const StepVerdict& each) {
        switch (each.verdict) {
        case Verdict::Refuted: return 0;
        case Verdict::Undecided: return 1;
        case Verdict::Unproved: return 2;
        case Verdict::Proved: break;
        }
        return 10 - static_cast<int>(each.strength.value_or(Strength::Probable));
    };
    return rank(a) < rank(b);
}

/// Checks pairs of one command within its time.
class Proofs {
  public:
    Proofs(const RewriteRequest& request, Console& console, Interrupt& interrupt)
        : m_request(request), m_console(console), m_interrupt(interrupt), m_engines(request.checking),
          m_end(std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                       std::chrono::duration<double>(request.checking.options.timeSeconds))) {
        interrupt.stopAfter(request.checking.options.timeSeconds + GraceSeconds);
    }

    /// `share`: how much of the time that is left it may take.
    Result<CheckResult> pair(const std::shared_ptr<const Graph>& reference, const std::shared_ptr<const Graph>& rewritten, const std::string& what,
                             double share) {
        const std::chrono::duration<double> left = m_end - std::chrono::steady_clock::now();
        CheckOptions options = m_request.checking.options;
        options.timeSeconds = std::max(0.0, std::min(options.timeSeconds, left.count() * share));
        if (left.count() <= 0.0) {
            return outOfTime();
        }
        CheckServices services = m_engines.services();
        services.progress = [this, &what](const CheckProgress& progress) {
            m_console.progress(what + (progress.total > 0 ? ": " + std::to_string(progress.decided) + "/" + std::to_string(progress.total) : ""));
        };
        Result<CheckResult> result = check(reference, rewritten, options, services, m_interrupt.token());
        if (!result && result.error().code == ErrorCode::Cancelled && m_interrupt.cause() == Interrupt::Cause::Time) {
            return outOfTime();
        }
        return result;
    }

  private:
    static CheckResult outOfTime() {
        CheckResult result;
        result.verdict = Verdict::Undecided;
        result.reason = "time: the limit passed before there was a verdict";
        return result;
    }

    const RewriteRequest& m_request;
    Console& m_console;
    Interrupt& m_interrupt;
    Engines m_engines;
    std::chrono::steady_clock::time_point m_end;
};

Result<void> save(const RewriteRequest& request, const Graph& graph, Console& console) {
    std::vector<std::string> notes;
    Result<void> saved = saveGraph(graph, request.out, notes);
    for (const std::string& note : notes) {
        console.note("note: " + request.out + ": " + note);
    }
    if (saved) {
        console.note("written: " + request.out);
    }
    return saved;
}

/// `refused: rule at root: reason`; one line for the roots of a rule that are refused for one reason, few lines for a rule.
std::string refusedText(const std::vector<rewrite::RewriteRefusal>& refusals, std::size_t undecided) {
    struct Line {
        std::string rule;
        std::string text;
        std::size_t roots = 0;
    };
    std::vector<Line> lines;
    std::map<std::pair<std::string, std::string>, std::size_t> known;
    for (const rewrite::RewriteRefusal& each : refusals) {
        const auto [found, isNew] = known.try_emplace({each.rule, each.reason}, lines.size());
        if (isNew) {
            lines.push_back({each.rule, "refused: " + each.rule + " at " + at(each.scope, each.root) + ": " + each.reason, 0});
        }
        ++lines[found->second].roots;
    }
    std::string out;
    std::map<std::string, std::size_t> listed;
    std::vector<std::pair<std::string, std::size_t>> left; // rule, roots
    for (const Line& each : lines) {
        if (++listed[each.rule] <= MostListed) {
            out += each.text + (each.roots == 1 ? "" : " (and at " + counted(each.roots - 1, "more root") + ")") + "\n";
        } else if (left.empty() || left.back().first != each.rule) {
            left.emplace_back(each.rule, each.roots);
        } else {
            left.back().second += each.roots;
        }
    }
    for (const auto& [rule, roots] : left) {
        out += "refused: " + rule + " at " + counted(roots, "more root") + ", as --json lists them\n";
    }
    return out + (undecided == 0 ? "" : "undecided: " + counted(undecided, "rule and root pair") + " at which the steps ran out (--steps)\n");
}

std::string joined(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& each : names) {
        out += (out.empty() ? "" : ", ") + each;
    }
    return out;
}

class Command {
  public:
    Command(const RewriteRequest& request, Console& console, Interrupt& interrupt) : m_request(request), m_console(console), m_interrupt(interrupt) {}

    Result<int> run() {
        if (!m_request.out.ends_with(".json") && !m_request.out.ends_with(".onnx")) {
            return fail(ErrorCode::Usage, "rewrite: the ending of '" + m_request.out + "' names no format to write; known are .lsg.json .onnx");
        }
        const Result<OpenedRules> rules = openRules(m_request.rules, m_request.lenient, m_console);
        if (!rules) {
            return tl::unexpected(rules.error());
        }
        const auto graph = openGraph(m_request.graph, m_request.definitions, m_interrupt);
        if (!graph) {
            return tl::unexpected(graph.error());
        }
        m_graph = *graph;
        tellUnknownNames(rules->file, m_graph.get(), m_console);
        return m_request.regions ? regions(*rules) : rewriting(*rules);
    }

  private:
    [[nodiscard]] rewrite::RewriteOptions options() const {
        rewrite::RewriteOptions out;
        out.rules = m_request.only;
        out.at = m_request.at;
        out.all = m_request.all;
        out.maxRounds = m_request.once ? 1 : m_request.maxRounds;
        out.keepSteps = m_request.check;
        out.machine.identity = m_request.identity;
        out.machine.steps = m_request.steps;
        out.fragment.fold = !m_request.noFold;
        return out;
    }

    /// What went wrong with the graph, rather than with the rules, is at the graph's file.
    [[nodiscard]] Error placed(Error error) const {
        if (error.where.empty() && error.code != ErrorCode::Usage && error.code != ErrorCode::Cancelled) {
            error.where = m_request.graph;
        }
        return error;
    }

    Result<int> rewriting(const OpenedRules& rules) {
        bool broken = false;
        for (const match::Finding& each : rewrite::checkReplacements(rules.file, m_graph->definitions.get())) {
            m_console.note(each.text(m_request.rules));
            broken = broken || each.isError;
        }
        if (broken) {
            return fail(ErrorCode::BadData,
                        "replacements name operators that do not exist, or give them operands or attributes that they do not have", m_request.rules);
        }
        const Result<rewrite::RewriteResult> result = rewrite::rewriteGraph(m_graph, rules.file, rules.programs, options(), m_interrupt.token());
        if (!result) {
            return tl::unexpected(placed(result.error()));
        }
        RewriteReport report;
        report.result = &*result;
        for (const auto& program : rules.programs) {
            const auto count = std::count_if(result->applications.begin(), result->applications.end(),
                                             [&](const rewrite::RewriteApplication& each) { return each.rule == program->rule; });
            if (count > 0) {
                report.rules.push_back({program->rule, static_cast<std::size_t>(count), std::nullopt});
            }
        }
        const bool any = !result->applications.empty();
        const std::string refused = refusedText(result->refusals, result->undecided);
        if (!any) {
            return nothing(report, result->undecided, result->refusals.size(), refused);
        }
        if (Result<void> saved = save(m_request, *result->plain, m_console); !saved) {
            return tl::unexpected(saved.error());
        }
        if (!result->fixpoint && !m_request.once) {
            m_console.note("note: " + result->stopped);
        }
        const std::string summary = "rewritten: " + counted(result->applications.size(), "replacement") + " in " + counted(result->rounds, "round") +
                                    ", " + counted(m_graph->nodes.size(), "node") + " before, " + std::to_string(result->plain->nodes.size()) +
                                    " after\n";
        if (!m_request.check) {
            std::string text = summary;
            for (const RuleSummary& each : report.rules) {
                text += "rule " + each.rule + ": " + counted(each.applications, "replacement") + "\n";
            }
            m_console.answer(text + refused);
            return finish(report, 0);
        }
        return checked(report, summary, refused);
    }

    Result<int> checked(RewriteReport& report, const std::string& summary, const std::string& refused) {
        const rewrite::RewriteResult& result = *report.result;
        const Strength wanted = m_request.checking.options.wanted;
        Proofs proofs(m_request, m_console, m_interrupt);
        const Result<CheckResult> whole = proofs.pair(m_graph, result.plain, "the whole", result.steps.size() > 1 ? 0.5 : 1.0);
        if (!whole) {
            return tl::unexpected(placed(whole.error()));
        }
        report.whole = &*whole;
        std::shared_ptr<const Graph> before = m_graph;
        for (std::size_t k = 0; k < result.steps.size(); ++k) {
            const rewrite::RewriteStep& step = result.steps[k];
            const std::string what = "round " + std::to_string(step.round) + ", rule " + step.rule;
            const Result<CheckResult> found =
                result.steps.size() == 1 ? whole : proofs.pair(before, step.graph, what, 1.0 / static_cast<double>(result.steps.size() - k));
            if (!found) {
                return tl::unexpected(placed(found.error()));
            }
            report.steps.push_back(told(*found, wanted));
            before = step.graph;
            const auto rule = std::find_if(report.rules.begin(), report.rules.end(), [&](const RuleSummary& each) { return each.rule == step.rule; });
            if (rule != report.rules.end() && (!rule->verdict || worse(report.steps.back(), *rule->verdict))) {
                rule->verdict = report.steps.back();
            }
        }
        std::string text = headline(*whole, wanted) + "\n" + summary;
        for (const RuleSummary& each : report.rules) {
            text += "rule " + each.rule + ": " + counted(each.applications, "replacement") + ", " +
                    (each.verdict ? each.verdict->line : std::string("proved with the rule after it")) + "\n";
        }
        m_console.answer(text + refused + textReport(*whole));
        return finish(report, checkStatus(*whole, wanted));
    }

    Result<int> regions(const OpenedRules& rules) {
        const Result<rewrite::RegionsResult> result = rewrite::outlineRegions(m_graph, rules.file, rules.programs, options(), m_interrupt.token());
        if (!result) {
            return tl::unexpected(placed(result.error()));
        }
        RewriteReport report;
        report.regions = &*result;
        const std::string refused = refusedText(result->refusals, result->undecided);
        if (result->regions.empty()) {
            return nothing(report, result->undecided, result->refusals.size(), refused);
        }
        if (Result<void> saved = save(m_request, *result->graph, m_console); !saved) {
            return tl::unexpected(saved.error());
        }
        std::size_t inside = 0;
        std::string listed;
        for (const rewrite::Region& each : result->regions) {
            inside += each.nodes.size();
            listed += "region " + each.name + " at " + each.root + ": " + counted(each.nodes.size(), "node") + ": " + joined(each.nodes) +
                      "\n  inputs: " + joined(each.inputs) + "\n  outputs: " + joined(each.outputs) + "\n";
        }
        const std::string summary = counted(result->regions.size(), "region") + " of " + counted(inside, "node") + ", of " +
                                    std::to_string(m_graph->nodes.size()) + " in the graph\n";
        if (!m_request.check) {
            m_console.answer(summary + listed + refused);
            return finish(report, 0);
        }
        Proofs proofs(m_request, m_console, m_interrupt);
        const Result<CheckResult> whole = proofs.pair(m_graph, result->graph, "the whole", 1.0);
        if (!whole) {
            return tl::unexpected(placed(whole.error()));
        }
        report.whole = &*whole;
        const Strength wanted = m_request.checking.options.wanted;
        m_console.answer(headline(*whole, wanted) + "\n" + summary + listed + refused + textReport(*whole));
        return finish(report, checkStatus(*whole, wanted));
    }

    /// A budget that ran out is no "no match".
    Result<int> nothing(const RewriteReport& report, std::size_t undecided, std::size_t refusals, const std::string& refused) {
        const std::string headline = undecided > 0  ? "undecided: "
                                     : refusals > 0 ? "nothing rewritten, " + counted(refusals, "match") + " refused: "
                                                    : "no match: ";
        m_console.answer(headline + m_request.out + " is not written\n" + refused);
        if (undecided == 0 && refusals == 0) {
            m_console.note("note: match with the same rules and graph tells what came near");
        }
        return finish(report, undecided == 0 ? NoMatch : Undecided);
    }

    Result<int> finish(const RewriteReport& report, int status) {
        if (!m_request.json.empty()) {
            if (Result<void> written = writeDocument(m_console, m_request.json, rewriteJson(report)); !written) {
                return tl::unexpected(written.error());
            }
        }
        return status;
    }

    const RewriteRequest& m_request;
    Console& m_console;
    Interrupt& m_interrupt;
    std::shared_ptr<const Graph> m_graph;
};

} // namespace

int rewriteCommand(const RewriteRequest& request, Console& console, Interrupt& interrupt) {
    const Result<int> status = Command(request, console, interrupt).run();
    return status ? *status : report(console, status.error());
}

} // namespace lemmascope::cli
