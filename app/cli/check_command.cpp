#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/engines.h"
#include "app/cli/input_files.h"
#include "app/cli/interrupt.h"
#include "app/cli/pair_list.h"
#include "core/report/bug_report.h"
#include "core/report/junit.h"
#include "core/report/pairs_text.h"
#include "core/report/program_check.h"
#include "core/report/program_report.h"
#include "core/report/result_json.h"
#include "core/report/sarif.h"
#include "core/report/text_report.h"
#include "core/worker/solver.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

namespace lemmascope::cli {

namespace {

/// Past its time a check may still round off what it knows; then it is stopped.
constexpr double GraceSeconds = 2.0;

class Checker {
  public:
    Checker(const CheckRequest& request, Console& console, Interrupt& interrupt)
        : m_request(request), m_console(console), m_interrupt(interrupt), m_engines(request),
          m_end(std::chrono::steady_clock::now() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(request.options.timeSeconds))) {
        interrupt.stopAfter(request.options.timeSeconds + GraceSeconds);
    }

    [[nodiscard]] int one(const PairFiles& pair);
    [[nodiscard]] int several(const PairList& list);

  private:
    const CheckRequest& m_request;
    Console& m_console;
    Interrupt& m_interrupt;
    Engines m_engines;
    std::chrono::steady_clock::time_point m_end;
    struct Opened {
        std::string file;
        std::shared_ptr<const Graph> graph;
    };
    std::set<std::pair<std::string, std::string>> m_assumed; ///< pairs of --assume-equal that some step of a pipeline has
    struct Programs {
        ProgramFile reference, rewritten;
        std::shared_ptr<const interp::ProgramComparison> comparison;
    };
    std::optional<Programs> m_programs; ///< of the pair checked last, where running them gave the verdict; for --export
    std::vector<Opened> m_opened;       ///< the two read last: a graph that two steps or two lines share is read once

    [[nodiscard]] Result<std::shared_ptr<const Graph>> open(const std::string& file);
    /// `step`: one of a pipeline, which is asked what concerns it only.
    [[nodiscard]] Result<CheckResult> checkPair(const PairFiles& pair, const CheckRequest& request, const NamedTensors& inputs, bool step);
    [[nodiscard]] Result<CheckResult> checkProgramPair(const PairFiles& pair, const CheckRequest& request, const NamedTensors& inputs);
    [[nodiscard]] CheckServices servicesFor(const PairFiles& pair);
    [[nodiscard]] double timeLeft(const CheckOptions& options) const;
    void keepAssumptionsOf(const Graph& reference, const Graph& rewritten, CheckOptions& options);
    [[nodiscard]] Result<void> writeLists(const std::vector<PairReport>& reports);
    [[nodiscard]] Result<void> exportPair(const CheckResult& result, const PairFiles& pair, const CheckRequest& request,
                                          const std::filesystem::path& folder);
    [[nodiscard]] Result<BugReport> exportPrograms(const PairFiles& pair, const CheckRequest& request, const std::filesystem::path& folder);
    [[nodiscard]] bool outOfTime() const { return std::chrono::steady_clock::now() >= m_end; }
};

CheckResult outOfTimeResult() {
    CheckResult result;
    result.verdict = Verdict::Undecided;
    result.reason = "time: the limit passed before there was a verdict";
    return result;
}

Result<std::shared_ptr<const Graph>> Checker::open(const std::string& file) {
    const auto at = std::find_if(m_opened.begin(), m_opened.end(), [&](const Opened& one) { return one.file == file; });
    if (at != m_opened.end()) {
        std::rotate(m_opened.begin(), at, at + 1); // the other one is the next to go
        return m_opened.front().graph;
    }
    if (m_opened.size() > 1) {
        m_opened.pop_back(); // before reading: a third large model may not fit
    }
    auto graph = openGraph(file, m_interrupt);
    if (graph) {
        m_opened.insert(m_opened.begin(), {file, *graph});
    }
    return graph;
}

void Checker::keepAssumptionsOf(const Graph& reference, const Graph& rewritten, CheckOptions& options) {
    std::erase_if(options.assumedEqual,
                  [&](const auto& pair) { return !reference.findValue(pair.first).isValid() || !rewritten.findValue(pair.second).isValid(); });
    m_assumed.insert(options.assumedEqual.begin(), options.assumedEqual.end());
}

Result<CheckResult> Checker::checkPair(const PairFiles& pair, const CheckRequest& request, const NamedTensors& inputs, bool step) {
    const auto timeIsUp = [&](const Error& error) { return error.code == ErrorCode::Cancelled && m_interrupt.cause() == Interrupt::Cause::Time; };
    m_programs.reset();
    if (outOfTime()) {
        return outOfTimeResult();
    }
    if (const bool first = isProgram(pair.reference), second = isProgram(pair.rewritten); first || second) {
        if (first != second) {
            return fail(ErrorCode::Usage, "one of the two is an MLIR program and the other a graph: give two of one kind",
                        pair.reference + ", " + pair.rewritten);
        }
        return checkProgramPair(pair, request, inputs);
    }
    if (!request.entry.empty() || request.mayAlias || request.fingerprint) {
        const char* const option = request.mayAlias ? "--may-alias" : request.fingerprint ? "--fingerprint" : "--entry";
        return fail(ErrorCode::Usage, std::string(option) + " is about MLIR programs", pair.reference);
    }
    const auto reference = open(pair.reference);
    const auto rewritten = reference ? open(pair.rewritten) : reference;
    if (!rewritten) {
        return timeIsUp(rewritten.error()) ? Result<CheckResult>(outOfTimeResult()) : tl::unexpected(rewritten.error());
    }
    CheckOptions options = request.options;
    options.userInputs = inputs;
    if (step) {
        keepAssumptionsOf(**reference, **rewritten, options);
    }
    options.timeSeconds = timeLeft(options);
    const CheckServices services = servicesFor(pair);
    Result<CheckResult> result = check(*reference, *rewritten, options, services, m_interrupt.token());
    if (!result && timeIsUp(result.error())) {
        return outOfTimeResult();
    }
    if (!result && result.error().where.empty()) {
        result.error().where = pair.reference + ", " + pair.rewritten;
    }
    return result;
}

double Checker::timeLeft(const CheckOptions& options) const {
    const std::chrono::duration<double> left = m_end - std::chrono::steady_clock::now();
    return std::max(0.0, std::min(options.timeSeconds, left.count()));
}

Result<CheckResult> Checker::checkProgramPair(const PairFiles& pair, const CheckRequest& request, const NamedTensors& inputs) {
    CheckOptions options = request.options;
    const std::pair<bool, const char*> aboutGraphs[] = {{!options.mapped.empty(), "--map"},
                                                        {!options.inputRanges.empty() || !options.realRanges.empty(), "--inputs-range"},
                                                        {!options.assumedEqual.empty(), "--assume-equal"},
                                                        {options.definitions != nullptr, "--definitions"},
                                                        {options.specialValues, "--special-values"},
                                                        {!inputs.empty(), "--input"}};
    for (const auto& [given, name] : aboutGraphs) {
        if (given) {
            return fail(ErrorCode::Usage, std::string(name) + " is about graphs, not MLIR programs", pair.reference);
        }
    }
    const ProgramOptions programs{request.entry, request.mayAlias, request.fingerprint};
    const std::stop_token stop = m_interrupt.token();
    auto reference = readProgram(pair.reference, programs, options.sizes, stop);
    auto rewritten = !reference ? tl::unexpected(reference.error())
                                : readProgram(pair.rewritten, programs,
                                              reference->program ? sizesByPosition(options.sizes, *reference->program) : options.sizes, stop);
    options.timeSeconds = timeLeft(options);
    const Result<ProgramCheck> checked =
        rewritten ? checkPrograms(*reference, *rewritten, programs, options, servicesFor(pair), stop) : tl::unexpected(rewritten.error());
    if (checked && checked->comparison && !m_request.exportFolder.empty()) {
        m_programs = Programs{std::move(*reference), std::move(*rewritten), checked->comparison};
    }
    const bool late = !checked && checked.error().code == ErrorCode::Cancelled && m_interrupt.cause() == Interrupt::Cause::Time;
    return late ? Result<CheckResult>(outOfTimeResult()) : checked ? Result<CheckResult>(checked->result) : tl::unexpected(checked.error());
}

CheckServices Checker::servicesFor(const PairFiles& pair) {
    CheckServices services = m_engines.services();
    services.progress = [this, &pair](const CheckProgress& progress) {
        static constexpr const char* Stages[] = {"building terms", "pairing", "deciding", "looking for an input", "done"};
        std::string line = pair.name + ": " + Stages[static_cast<std::size_t>(progress.stage)];
        if (progress.total > 0) {
            line += " " + std::to_string(progress.decided) + "/" + std::to_string(progress.total);
        }
        m_console.progress(line + (progress.current.empty() ? "" : "  " + progress.current));
    };
    return services;
}

Result<void> Checker::writeLists(const std::vector<PairReport>& reports) {
    if (!m_request.junit.empty()) {
        if (const auto written = writeDocument(m_console, m_request.junit, junitXml(reports)); !written) {
            return written;
        }
    }
    return m_request.sarif.empty() ? Result<void>() : writeDocument(m_console, m_request.sarif, sarifJson(reports));
}

Result<BugReport> Checker::exportPrograms(const PairFiles& pair, const CheckRequest& request, const std::filesystem::path& folder) {
    ProgramReportRequest report;
    const auto& [reference, rewritten, comparison] = *m_programs;
    report.pair = {pair.reference, pair.rewritten, reference.text, rewritten.text, reference.program, rewritten.program};
    report.comparison = comparison;
    report.options = request.options;
    report.program = {request.entry, request.mayAlias, request.fingerprint};
    report.anonymous = m_request.anonymous;
    report.recheck = [this](const auto& before, const auto& after, const ProgramOptions& program, const CheckOptions& again, std::stop_token stop) {
        return recheckPrograms(before, after, program, again, m_engines.services(), stop);
    };
    return exportProgramReport(report, folder, m_interrupt.token());
}

Result<void> Checker::exportPair(const CheckResult& result, const PairFiles& pair, const CheckRequest& request, const std::filesystem::path& folder) {
    if (m_programs) {
        const Result<BugReport> written = exportPrograms(pair, request, folder);
        for (const std::string& note : written ? written->notes : std::vector<std::string>()) {
            m_console.note("note: " + note);
        }
        return written ? Result<void>() : tl::unexpected(written.error());
    }
    if (!result.reference || !result.rewritten) {
        m_console.note("note: " + pair.name + ": nothing to report, the check did not get as far as the graphs");
        return {};
    }
    BugReportOptions report;
    report.anonymous = m_request.anonymous;
    report.check = request.options;
    report.recheck = [this](std::shared_ptr<const Graph> reference, std::shared_ptr<const Graph> rewritten, const CheckOptions& again,
                            std::stop_token stop) { return check(std::move(reference), std::move(rewritten), again, m_engines.services(), stop); };
    if (LemmaSolver* solver = m_engines.services().solver; solver != nullptr) {
        report.solver = solver->solverName(m_interrupt.token()).value_or("");
    }
    const Result<BugReport> written = exportBugReport(result, folder, report, m_interrupt.token());
    if (!written) {
        return tl::unexpected(written.error());
    }
    for (const std::string& note : written->notes) {
        m_console.note("note: " + note);
    }
    return {};
}

int Checker::one(const PairFiles& pair) {
    const auto inputs = readInputFiles(m_request.inputs);
    if (!inputs) {
        return report(m_console, inputs.error());
    }
    Result<CheckResult> result = checkPair(pair, m_request, *inputs, false);
    if (!result) {
        return report(m_console, result.error());
    }
    const Strength wanted = m_request.options.wanted;
    m_console.answer(headline(*result, wanted) + "\n" + textReport(*result));
    Result<void> written;
    if (!m_request.json.empty()) {
        written = writeDocument(m_console, m_request.json, resultJson(*result));
    }
    if (written && !(m_request.junit.empty() && m_request.sarif.empty())) {
        written = writeLists({reportPair(pair.rewritten, pair.reference, pair.rewritten, result, wanted)});
    }
    if (written && !m_request.exportFolder.empty()) {
        written = exportPair(*result, pair, m_request, m_request.exportFolder);
    }
    if (written && !m_request.pin.empty()) {
        const Result<std::string> pin = m_engines.writePin(*result, m_request.pin);
        if (pin) {
            m_console.note(*pin);
        }
        written = pin ? Result<void>() : tl::unexpected(pin.error());
    }
    return written ? checkStatus(*result, wanted) : report(m_console, written.error());
}

int Checker::several(const PairList& list) {
    std::vector<PairReport> reports;
    for (const PairFiles& pair : list.pairs) {
        const Result<CheckRequest> request = withPairOptions(m_request, pair.options);
        const auto inputs = request ? readInputFiles(request->inputs) : Result<NamedTensors>(tl::unexpected(request.error()));
        const Result<CheckResult> result =
            inputs ? checkPair(pair, *request, *inputs, list.pipeline) : Result<CheckResult>(tl::unexpected(inputs.error()));
        if (m_interrupt.cause() == Interrupt::Cause::Signal) {
            return report(m_console, Error{ErrorCode::Cancelled, "interrupted", {}});
        }
        const Strength wanted = request ? request->options.wanted : m_request.options.wanted;
        reports.push_back(reportPair(pair.name, pair.reference, pair.rewritten, result, wanted));
        if (result && !m_request.exportFolder.empty() && !reports.back().asWanted) {
            std::string name = pair.name;
            std::replace(name.begin(), name.end(), '/', '_');
            std::replace(name.begin(), name.end(), ' ', '-'); // a path to paste
            const auto written = exportPair(*result, pair, *request, std::filesystem::path(m_request.exportFolder) / name);
            if (!written) {
                return report(m_console, written.error());
            }
        }
    }
    for (const auto& [mine, theirs] : m_request.options.assumedEqual) {
        if (list.pipeline && !m_assumed.contains({mine, theirs})) {
            return report(m_console,
                          Error{ErrorCode::BadData,
                                "--assume-equal " + mine + "=" + theirs + ": no step has '" + mine + "' before and '" + theirs + "' after it",
                                {}});
        }
    }
    m_console.answer(pairsText(reports, list.pipeline));
    if (!m_request.json.empty()) {
        if (const auto written = writeDocument(m_console, m_request.json, pairsJson(reports)); !written) {
            return report(m_console, written.error());
        }
    }
    if (const auto written = writeLists(reports); !written) {
        return report(m_console, written.error());
    }
    return outcomeOf(reports).status;
}

} // namespace

int checkCommand(const CheckRequest& request, Console& console, Interrupt& interrupt) {
    const Result<PairList> list = listPairs(request);
    if (!list) {
        return report(console, list.error());
    }
    Checker checker(request, console, interrupt);
    return list->single ? checker.one(list->pairs.front()) : checker.several(*list);
}

} // namespace lemmascope::cli
