#include "core/report/program_report.h"

#include "core/format/npy/npy.h"
#include "core/report/element_text.h"
#include "core/report/files.h"
#include "core/report/graph_picture.h"
#include "core/report/outcome.h"
#include "core/report/program_anonymous.h"
#include "core/report/program_check.h"
#include "core/report/program_diff.h"
#include "core/report/replay.h"
#include "core/report/report_document.h"
#include "core/report/result_json.h"

#include <algorithm>
#include <system_error>

namespace lemmascope {

namespace {

constexpr std::size_t MostMaps = 8;
constexpr std::size_t MostScheduleEvents = 2000;
constexpr std::size_t ShownEvents = 40;
constexpr std::size_t ShownAccesses = 12;

class Files {
  public:
    Files(std::filesystem::path folder, BugReport& report) : m_folder(std::move(folder)), m_report(report) {}

    void text(const std::string& name, const std::string& content) {
        if (!m_trouble) {
            const Result<void> written = writeFile(m_folder / name, content);
            if (written) {
                m_report.files.push_back(name);
            } else {
                m_trouble = written.error();
            }
        }
    }
    void tensor(const std::string& folder, const std::string& name, const Tensor& tensor) {
        std::error_code problem;
        std::filesystem::create_directories(m_folder / folder, problem);
        const std::string file = folder + "/" + name + ".npy";
        if (const Result<void> written = writeNpy(tensor, m_folder / file)) {
            m_report.files.push_back(file);
        } else {
            m_report.notes.push_back(file + " is not written: " + written.error().message);
        }
    }
    /// SVG and PNG; the SVG's text, for the page.
    std::string picture(const std::string& stem, const Picture& picture) {
        std::string svg = pictureSvg(picture);
        text(stem + ".svg", svg);
        if (const Result<std::string> png = picturePng(picture)) {
            text(stem + ".png", *png);
        } else {
            m_report.notes.push_back(stem + ".png is not written: " + png.error().message);
        }
        return svg;
    }
    [[nodiscard]] const std::optional<Error>& trouble() const { return m_trouble; }

  private:
    std::filesystem::path m_folder;
    BugReport& m_report;
    std::optional<Error> m_trouble;
};

void accessesSection(ReportDocument& words, const CellStory& story) {
    ReportSection section{.title = "Who writes " + story.name, .table = {.columns = {"side", "write"}}};
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto& list = story.accesses[static_cast<std::size_t>(side)];
        for (std::size_t i = list.size() - std::min(list.size(), ShownAccesses); i < list.size(); ++i) {
            section.table.rows.push_back({std::string(name(side)), list[i].text + (list[i].isLast ? " (last)" : "")});
        }
        if (story.writes[static_cast<std::size_t>(side)] > ShownAccesses) {
            section.paragraphs.push_back(std::string(name(side)) + ": " + std::to_string(story.writes[static_cast<std::size_t>(side)]) +
                                         " writes in all; the last ones are listed.");
        }
    }
    if (!section.table.rows.empty()) {
        words.sections.push_back(std::move(section));
    }
}

void expressionsSection(ReportDocument& words, const CellStory& story) {
    ReportSection section{.title = "Expressions of " + story.name};
    section.table.columns = {"side", "expression"};
    section.table.rows = {{"reference", story.expressions.referenceText}, {"rewritten", story.expressions.rewrittenText}};
    for (const std::string& difference : story.expressions.differences) {
        section.paragraphs.push_back((section.paragraphs.empty() ? "First difference: " : "And: ") + difference);
    }
    words.sections.push_back(std::move(section));
}

void scheduleSection(ReportDocument& words, const Schedule& schedule) {
    ReportSection section{.title = "Schedule of the " + std::string(name(schedule.side)) + " program"};
    section.paragraphs.push_back(schedule.trouble);
    if (!schedule.missing.empty()) {
        section.paragraphs.push_back("Missing: " + schedule.missing + ".");
    }
    for (const std::string& step : schedule.cycle) {
        section.paragraphs.push_back((schedule.isCycle ? "In the cycle: " : "Blocked: ") + step);
    }
    section.table.columns = {"step", "task", "what"};
    // Around what decides: both accesses of a race, or the last steps.
    const std::size_t last = std::min(schedule.steps.size(), schedule.decisive() + 1);
    for (std::size_t i = last - std::min(last, ShownEvents); i < last; ++i) {
        const std::string mark = schedule.marks(i) ? " !" : "";
        section.table.rows.push_back({std::to_string(i + 1) + mark, schedule.tasks[schedule.steps[i].task].name, schedule.steps[i].text});
    }
    if (schedule.race && schedule.race->first + ShownEvents < last) {
        const ScheduleStep& first = schedule.steps[schedule.race->first];
        section.table.rows.insert(section.table.rows.begin(),
                                  {std::to_string(schedule.race->first + 1) + " !", schedule.tasks[first.task].name, first.text});
    }
    words.sections.push_back(std::move(section));
}

/// The two orders of a race, and what each gives.
void racesSection(ReportDocument& words, const RaceReport& race) {
    if (race.runs.size() < 2) {
        return;
    }
    ReportSection section{.title = "Both schedules", .table = {.columns = {"schedule", "first", "then", "what it gives"}}};
    const auto numbers = [](const Tensor& tensor) {
        constexpr std::int64_t Shown = 16;
        std::string text;
        for (std::int64_t i = 0; i < std::min(tensor.count(), Shown); ++i) {
            text += (i == 0 ? "" : ", ") + elementText(tensor, i);
        }
        return text + (tensor.count() > Shown ? ", ... (" + std::to_string(tensor.count()) + " in all)" : "");
    };
    for (std::size_t i = 0; i < race.runs.size(); ++i) {
        const ScheduledRun& run = race.runs[i];
        std::string gives = run.end;
        for (const auto& [name, tensor] : run.outputs) {
            gives += (gives.empty() ? "" : "; ") + name + " = " + numbers(tensor);
        }
        section.table.rows.push_back(
            {std::to_string(i + 1), run.order.empty() ? "" : run.order.front(), run.order.size() > 1 ? run.order[1] : "", gives});
    }
    for (std::size_t k = 0; k < std::min(race.runs[0].outputs.size(), race.runs[1].outputs.size()); ++k) {
        const auto& [name, one] = race.runs[0].outputs[k];
        const Tensor& other = race.runs[1].outputs[k].second;
        for (std::int64_t i = 0; one.element() == other.element() && i < std::min(one.count(), other.count()); ++i) {
            if (!sameElement(one, other, i)) {
                section.paragraphs.push_back(name + indexText(indexOf(one.shape(), i)) + " is " + elementText(one, i) + " after the first and " +
                                             elementText(other, i) + " after the second.");
                break;
            }
        }
    }
    words.sections.push_back(std::move(section));
}

std::string replay(const std::string& line, const std::string& options) {
    std::string comment = line;
    std::replace_if(
        comment.begin(), comment.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U; }, ' ');
    return "#!/bin/sh\n# Replays: " + comment +
           "\n# Exit status as lemmascope-cli check: 0 proved, 1 refuted, 2 otherwise.\ncd \"$(dirname \"$0\")\" || exit 66\n"
           "\"${LEMMASCOPE_CLI:-lemmascope-cli}\" check reference.mlir rewritten.mlir" +
           options + " \"$@\"\n";
}

/// Same verdict at the same element, whatever things are called.
bool sameFinding(const CheckResult& one, const CheckResult& other, const AnonymousPrograms& names) {
    const auto& before = one.counterexample;
    const auto& after = other.counterexample;
    return one.verdict == other.verdict && one.kind == other.kind && one.strength == other.strength && before.has_value() == after.has_value() &&
           (!before || (before->index == after->index && names.nameOf(before->output) == after->output));
}

/// The request with the pair as it is written into the folder, without names.
Result<ProgramReportRequest> anonymousRequest(const ProgramReportRequest& request, const std::filesystem::path& folder, BugReport& report,
                                              const std::stop_token& stop) {
    const auto differ = [&](const std::string& why) {
        std::error_code ignored;
        std::filesystem::remove(folder / "reference.mlir", ignored);
        std::filesystem::remove(folder / "rewritten.mlir", ignored);
        return fail(ErrorCode::Usage, "the pair cannot be made anonymous: without its names " + why + "; export it as it is");
    };
    std::string why;
    for (const bool texts : {true, false}) {
        const AnonymousPrograms names = anonymousPrograms(request.pair.referenceText, request.pair.rewrittenText, texts);
        ProgramReportRequest made = request;
        made.anonymous = false;
        made.program.entry = request.program.entry.empty() ? "" : names.nameOf(request.program.entry);
        made.options.sizes.clear();
        for (const auto& [name, size] : request.options.sizes) {
            made.options.sizes[names.nameOf(name)] = size;
        }
        for (std::string& output : made.options.outputs) {
            output = names.nameOf(output);
        }
        for (const auto& [name, text] : {std::pair{"reference.mlir", &names.reference}, std::pair{"rewritten.mlir", &names.rewritten}}) {
            if (const Result<void> written = writeFile(folder / name, *text); !written) {
                return tl::unexpected<Error>(written.error());
            }
        }
        const auto again = request.recheck(folder / "reference.mlir", folder / "rewritten.mlir", made.program, made.options, stop);
        if (!again && again.error().code == ErrorCode::Cancelled) {
            return tl::unexpected<Error>(again.error());
        }
        if (!again || !sameFinding(request.comparison->result, again->check.result, names)) {
            why = !again ? "it cannot be read (" + again.error().text() + ")" : "the verdict is '" + verdictLine(again->check.result) + "'";
            continue;
        }
        if (!texts) {
            report.notes.push_back("texts in attributes are as they were: the verdict hangs on them");
        }
        made.pair = {"reference.mlir", "rewritten.mlir", names.reference, names.rewritten, again->reference.program, again->rewritten.program};
        made.comparison = again->check.comparison;
        if (made.comparison == nullptr) { // decided as graphs
            auto bare = std::make_shared<interp::ProgramComparison>();
            bare->result = again->check.result;
            made.comparison = std::move(bare);
        }
        report.verified = true;
        return made;
    }
    return differ(why);
}

} // namespace

Result<RecheckedPrograms> recheckPrograms(const std::filesystem::path& reference, const std::filesystem::path& rewritten,
                                          const ProgramOptions& program, const CheckOptions& options, const CheckServices& services,
                                          const std::stop_token& stop) {
    auto before = readProgram(reference.string(), program, options.sizes, stop, reference.filename().string());
    if (!before) {
        return tl::unexpected<Error>(before.error());
    }
    auto after = readProgram(rewritten.string(), program, before->program ? sizesByPosition(options.sizes, *before->program) : options.sizes, stop,
                             rewritten.filename().string());
    if (!after) {
        return tl::unexpected<Error>(after.error());
    }
    auto checked = checkPrograms(*before, *after, program, options, services, stop);
    if (!checked) {
        return tl::unexpected<Error>(checked.error());
    }
    return RecheckedPrograms{std::move(*before), std::move(*after), std::move(*checked)};
}

Result<BugReport> exportProgramReport(const ProgramReportRequest& given, const std::filesystem::path& folder, std::stop_token stop) {
    if (!given.comparison) {
        return fail(ErrorCode::Usage, "there is no verdict to report on");
    }
    if (given.anonymous && (given.pair.referenceText.empty() || given.pair.rewrittenText.empty())) {
        return fail(ErrorCode::Usage,
                    "a program read from bytecode keeps its names: make it text first (mlir-opt FILE -o TEXT.mlir), or export it as it is",
                    given.pair.referenceText.empty() ? given.pair.referenceFile : given.pair.rewrittenFile);
    }
    if (given.anonymous && !given.recheck) {
        return fail(ErrorCode::Usage, "an anonymous pair must be checked again, and nothing to check it with is at hand");
    }
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return fail(ErrorCode::NotFound, "cannot make the folder: " + problem.message(), folder.string());
    }
    BugReport report;
    const Result<ProgramReportRequest> made = given.anonymous ? anonymousRequest(given, folder, report, stop) : Result<ProgramReportRequest>(given);
    if (!made) {
        return tl::unexpected<Error>(made.error());
    }
    const ProgramReportRequest& request = *made;
    const CheckResult& result = request.comparison->result;
    removeTensors(folder);
    Files files(folder, report);
    for (const auto& [name, text, path] : {std::tuple{"reference.mlir", &request.pair.referenceText, &request.pair.referenceFile},
                                           std::tuple{"rewritten.mlir", &request.pair.rewrittenText, &request.pair.rewrittenFile}}) {
        if (!text->empty()) {
            files.text(name, *text);
        } else {
            constexpr std::uintmax_t Most = std::uintmax_t{1} << 30;
            const auto bytes = readFile(*path, Most);
            if (!bytes) {
                return tl::unexpected<Error>(bytes.error());
            }
            files.text(name, *bytes);
        }
    }
    if (result.counterexample) {
        FileNames names;
        for (const auto& [name, tensor] : result.counterexample->inputs) {
            files.tensor("inputs", names.take(name), tensor);
        }
        if (result.counterexample->reference) {
            files.tensor("reference", FileNames().take(result.counterexample->output), *result.counterexample->reference);
        }
        if (result.counterexample->rewritten) {
            files.tensor("rewritten", FileNames().take(result.counterexample->output), *result.counterexample->rewritten);
        }
    }
    ReportDocument words = describe(result, {.maxElements = 64, .maxPathValues = 64, .maxRemarks = 500});
    words.headline = verdictLine(result);
    std::vector<ReportFigure> figures;
    std::string pictures; // the same for the Markdown
    const auto show = [&](const std::string& stem, const Picture& picture, const std::string& label, const std::string& caption) {
        figures.push_back({files.picture(stem, picture), label, caption});
        pictures += "\n![" + label + "](" + stem + ".svg)\n\n" + caption + "\n";
    };
    ReportSection maps{.title = "Output maps"};
    FileNames mapNames;
    std::size_t drawn = 0;
    bool told = false;
    for (std::size_t i = 0; i < request.comparison->outputs.size(); ++i) {
        const OutputMap map(request.comparison, i);
        maps.paragraphs.push_back(map.summary());
        if (map.familyState() <= CellState::Proved || map.cellCount() == 0) {
            continue;
        }
        if (drawn < MostMaps) {
            ++drawn;
            const std::uint64_t slice = map.first() / std::max<std::uint64_t>(1, map.rows() * map.columns());
            show("map_" + mapNames.take(map.name()), mapPicture(map, slice), "Map of " + map.name(),
                 "The cells of " + map.sliceText(slice) + ": each is the same term, proved equal, not proved, or differs.");
        }
        if (!told) {
            told = true;
            const auto story = cellStory(request.pair, map, map.first(), stop);
            if (!story) {
                if (story.error().code == ErrorCode::Cancelled) {
                    return tl::unexpected<Error>(story.error());
                }
                report.notes.push_back("expressions are not told: " + story.error().message);
                continue;
            }
            expressionsSection(words, *story);
            accessesSection(words, *story);
            // The region around the first differences, drawn as for graphs.
            CheckResult region = result;
            region.reference = story->expressions.reference;
            region.rewritten = story->expressions.rewritten;
            region.correspondence = story->expressions.correspondence;
            region.lemmas.clear();
            region.outputs.clear();
            region.blame.clear();
            for (const Side side : {Side::Reference, Side::Rewritten}) {
                const auto& marks = side == Side::Reference ? region.correspondence.reference : region.correspondence.rewritten;
                for (std::size_t node = 0; node < marks.size(); ++node) {
                    if (marks[node].mark == NodeMark::Failing || marks.size() == 1) {
                        region.blame.push_back({side, FlatNodeId(node), {}, {}});
                    }
                }
            }
            if (const auto picture = regionPicture(region, stop)) {
                show("expressions", *picture, "Expressions of " + story->name,
                     "What " + story->name + " holds on both sides, around the first differences.");
            } else if (picture.error().code == ErrorCode::Cancelled) {
                return tl::unexpected<Error>(picture.error());
            }
        }
    }
    if (!maps.paragraphs.empty()) {
        words.sections.insert(words.sections.begin(), std::move(maps));
    }
    if (result.race) {
        racesSection(words, *result.race);
    }
    for (const auto& [side, program, run] : {std::tuple{Side::Reference, &request.pair.reference, &request.comparison->reference},
                                             std::tuple{Side::Rewritten, &request.pair.rewritten, &request.comparison->rewritten}}) {
        if (*program == nullptr || (!run->race && !run->fault && !run->deadlock && !run->contention)) {
            continue;
        }
        const auto schedule = scheduleOf(*program, *run, side, MostScheduleEvents, stop);
        if (!schedule) {
            return tl::unexpected<Error>(schedule.error());
        }
        scheduleSection(words, *schedule);
    }
    const std::string options = replayOptions(request.program, request.options);
    if (!report.notes.empty()) {
        words.sections.push_back({.title = "Notes on these files", .paragraphs = report.notes});
    }
    words.sections.push_back({.title = "Replay",
                              .paragraphs = {"In this folder: replay.sh checks the pair again. The one command behind it:"},
                              .code = "lemmascope-cli check reference.mlir rewritten.mlir" + options + "\n"});
    words.sections.push_back({.title = "Versions", .paragraphs = {"Lemmascope " + std::string(toolVersion()) + "."}});
    files.text("result.json", resultJson(result));
    files.text("report.html", html(words, figures));
    files.text("report.md", markdown(words) + (pictures.empty() ? "" : "\n## Pictures\n" + pictures));
    files.text("replay.sh", replay(verdictLine(result), options));
    if (files.trouble()) {
        return tl::unexpected<Error>(*files.trouble());
    }
    std::filesystem::permissions(folder / "replay.sh",
                                 std::filesystem::perms::owner_exec | std::filesystem::perms::group_exec | std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add, problem);
    return report;
}

} // namespace lemmascope
