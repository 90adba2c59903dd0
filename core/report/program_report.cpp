#include "core/report/program_report.h"

#include "core/format/npy/npy.h"
#include "core/report/files.h"
#include "core/report/graph_picture.h"
#include "core/report/outcome.h"
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

/// Comments may speak of what a text comes from. Lines stay where they are.
std::string withoutComments(std::string_view text) {
    std::string out;
    for (const std::string_view line : linesOf(text)) {
        bool inText = false;
        std::size_t end = line.size();
        for (std::size_t i = 0; i + 1 < line.size(); ++i) {
            if (line[i] == '"' && (i == 0 || line[i - 1] != '\\')) {
                inText = !inText;
            }
            if (!inText && line[i] == '/' && line[i + 1] == '/') {
                end = i;
                break;
            }
        }
        out += (out.empty() ? "" : "\n") + std::string(line.substr(0, end));
    }
    return out;
}

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

std::string replay(const std::string& line, const std::string& options) {
    std::string comment = line;
    std::replace_if(
        comment.begin(), comment.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20U; }, ' ');
    return "#!/bin/sh\n# Replays: " + comment +
           "\n# Exit status as lemmascope-cli check: 0 proved, 1 refuted, 2 otherwise.\ncd \"$(dirname \"$0\")\" || exit 66\n"
           "\"${LEMMASCOPE_CLI:-lemmascope-cli}\" check reference.mlir rewritten.mlir" +
           options + " \"$@\"\n";
}

} // namespace

Result<BugReport> exportProgramReport(const ProgramReportRequest& request, const std::filesystem::path& folder, std::stop_token stop) {
    if (!request.comparison) {
        return fail(ErrorCode::Usage, "there is no verdict to report on");
    }
    const CheckResult& result = request.comparison->result;
    if (request.anonymous && (request.pair.referenceText.empty() || request.pair.rewrittenText.empty())) {
        return fail(ErrorCode::Usage, "a program read from bytecode keeps its names; export it as it is, or as text");
    }
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return fail(ErrorCode::NotFound, "cannot make the folder: " + problem.message(), folder.string());
    }
    removeTensors(folder);
    BugReport report;
    Files files(folder, report);
    for (const auto& [name, text, path] : {std::tuple{"reference.mlir", &request.pair.referenceText, &request.pair.referenceFile},
                                           std::tuple{"rewritten.mlir", &request.pair.rewrittenText, &request.pair.rewrittenFile}}) {
        if (!text->empty()) {
            files.text(name, request.anonymous ? withoutComments(*text) : *text);
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
            figures.push_back({files.picture("map_" + mapNames.take(map.name()), mapPicture(map, slice)), "Map of " + map.name(),
                               "The cells of " + map.sliceText(slice) + ": each is the same term, proved equal, not proved, or differs."});
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
                figures.push_back({files.picture("expressions", *picture), "Expressions of " + story->name,
                                   "What " + story->name + " holds on both sides, around the first differences."});
            } else if (picture.error().code == ErrorCode::Cancelled) {
                return tl::unexpected<Error>(picture.error());
            }
        }
    }
    if (!maps.paragraphs.empty()) {
        words.sections.insert(words.sections.begin(), std::move(maps));
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
    std::string options = request.options.wanted == Strength::Rounded ? "" : " --strength " + std::string(name(request.options.wanted));
    options += request.replayOptions;
    if (!report.notes.empty()) {
        words.sections.push_back({.title = "Notes on these files", .paragraphs = report.notes});
    }
    words.sections.push_back({.title = "Replay",
                              .paragraphs = {"In this folder: replay.sh checks the pair again. The one command behind it:"},
                              .code = "lemmascope-cli check reference.mlir rewritten.mlir" + options + "\n"});
    words.sections.push_back({.title = "Versions", .paragraphs = {"Lemmascope " + std::string(toolVersion()) + "."}});
    files.text("result.json", resultJson(result));
    files.text("report.html", html(words, figures));
    files.text("report.md", markdown(words));
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
