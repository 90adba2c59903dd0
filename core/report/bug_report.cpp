#include "core/report/bug_report.h"

#include "core/format/load.h"
#include "core/format/npy/npy.h"
#include "core/graph/definition_library.h"
#include "core/report/element_text.h"
#include "core/report/files.h"
#include "core/report/graph_picture.h"
#include "core/report/json_writer.h"
#include "core/report/minimal_pair.h"
#include "core/report/obligation.h"
#include "core/report/outcome.h"
#include "core/report/replay.h"
#include "core/report/report_document.h"
#include "core/report/result_json.h"

#include <algorithm>
#include <optional>
#include <system_error>

namespace lemmascope {

namespace {

/// The options a receiver needs: the rest is written into the graphs.
CheckOptions bareOptions(const CheckOptions& options, const GraphPair& pair) {
    CheckOptions bare = options;
    bare.outputs.clear();
    bare.mapped.clear();
    bare.inputRanges.clear();
    bare.sizes.clear();
    bare.userInputs.clear();
    bare.assumedEqual = pair.assumed;
    bare.definitions = pair.definitions;
    return bare;
}

enum class Likeness : std::uint8_t { Other, SameVerdict, SameElement };

Likeness compare(const CheckResult& first, const CheckResult& again, const GraphPair& pair) {
    if (first.verdict != again.verdict || first.kind != again.kind || first.strength != again.strength) {
        return Likeness::Other;
    }
    if (first.counterexample.has_value() != again.counterexample.has_value()) {
        return Likeness::SameVerdict;
    }
    if (first.counterexample) {
        const auto renamed = pair.outputNames.find(first.counterexample->output);
        const std::string& wanted = renamed == pair.outputNames.end() ? first.counterexample->output : renamed->second;
        if (wanted != again.counterexample->output || first.counterexample->index != again.counterexample->index) {
            return Likeness::SameVerdict;
        }
    }
    if (first.fault && again.fault && (first.fault->access != again.fault->access || first.fault->index != again.fault->index)) {
        return Likeness::SameVerdict;
    }
    return Likeness::SameElement;
}

struct Chosen {
    GraphPair pair;
    std::optional<CheckResult> result; ///< of the pair as exported
    Likeness likeness = Likeness::Other;
};

/// The first of cone and whole graphs whose check comes out the same; else the one that comes closest.
Result<Chosen> choose(const CheckResult& result, const BugReportOptions& options, std::stop_token stop) {
    GraphPair whole = wholePair(result, options.check.inputRanges);
    whole.definitions = options.check.definitions;
    if (!options.recheck) {
        if (options.anonymous) {
            return fail(ErrorCode::Usage, "an anonymous report speaks of the renamed pair, which must be checked again; no check was given");
        }
        return Chosen{whole, std::nullopt, Likeness::Other};
    }
    std::optional<Chosen> best;
    for (const bool cone : {true, false}) {
        GraphPair pair = cone ? cutToCone(whole, result) : whole;
        if (options.anonymous) {
            Result<GraphPair> renamed = anonymised(pair);
            if (!renamed) {
                return tl::unexpected(renamed.error());
            }
            pair = std::move(*renamed);
        }
        const CheckOptions bare = bareOptions(options.check, pair);
        Result<CheckResult> again = options.recheck(pair.reference, pair.rewritten, bare, stop);
        if (!again && again.error().code == ErrorCode::Cancelled) {
            return tl::unexpected(again.error());
        }
        if (!again) {
            continue;
        }
        const Likeness likeness = compare(result, *again, pair);
        if (!best || likeness > best->likeness) {
            best = Chosen{std::move(pair), std::move(*again), likeness};
        }
        if (best->likeness == Likeness::SameElement) {
            break;
        }
    }
    if (!best && options.anonymous) {
        return fail(ErrorCode::Internal, "the renamed pair could not be checked");
    }
    return best ? Result<Chosen>(std::move(*best)) : Chosen{whole, std::nullopt, Likeness::Other};
}

class Writer {
  public:
    Writer(std::filesystem::path folder, BugReport& report) : m_folder(std::move(folder)), m_report(report) {}

    Result<void> text(const std::string& name, const std::string& content) {
        Result<void> written = writeFile(m_folder / name, content);
        if (written) {
            m_report.files.push_back(name);
        }
        return written;
    }

    /// A graph in one format; what the format cannot hold is a note, not a failure.
    bool graph(const Graph& graph, const std::string& name) {
        std::vector<std::string> notes;
        const Result<void> saved = saveGraph(graph, m_folder / name, notes);
        for (const std::string& note : notes) {
            m_report.notes.push_back(name + ": " + note);
        }
        if (!saved) {
            m_report.notes.push_back(name + " is not written: " + saved.error().message);
            return false;
        }
        m_report.files.push_back(name);
        return true;
    }

    Result<void> tensor(const std::string& folder, const std::string& file, const Tensor& tensor) {
        std::error_code problem;
        std::filesystem::create_directories(m_folder / folder, problem);
        const std::string name = folder + "/" + file;
        const Result<void> written = writeNpy(tensor, m_folder / name);
        if (!written && written.error().code == ErrorCode::Unsupported) {
            m_report.notes.push_back(name + " is not written: " + written.error().message);
            return {};
        }
        if (written) {
            m_report.files.push_back(name);
        }
        return written;
    }

    [[nodiscard]] const std::filesystem::path& folder() const { return m_folder; }

  private:
    std::filesystem::path m_folder;
    BugReport& m_report;
};

Result<void> writeTensors(Writer& writer, const CheckResult& result, ReplayPlan& plan) {
    if (!result.counterexample) {
        return {};
    }
    const Counterexample& found = *result.counterexample;
    FileNames inputFiles;
    for (const auto& [name, tensor] : found.inputs) {
        const std::string file = inputFiles.take(name) + ".npy";
        if (const Result<void> written = writer.tensor("inputs", file, tensor); !written) {
            return written;
        }
        plan.inputs.emplace_back(name, file);
    }
    plan.output = found.output;
    plan.index = found.index;
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto& tree = side == Side::Reference ? result.reference : result.rewritten;
        const Evaluation& run = side == Side::Reference ? found.referenceRun : found.rewrittenRun;
        const std::optional<Tensor>& failing = side == Side::Reference ? found.reference : found.rewritten;
        FileNames files;
        const Graph& graph = tree->top();
        for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
            const std::string& name = graph.outputName(i);
            const std::size_t id = graph.outputs[i].index;
            const Tensor* value = id < run.values.size() && run.values[id] ? &*run.values[id] : nullptr;
            if (name == found.output && failing) {
                value = &*failing;
            }
            if (value != nullptr) {
                if (const Result<void> written = writer.tensor(std::string(lemmascope::name(side)), files.take(name) + ".npy", *value); !written) {
                    return written;
                }
            }
        }
    }
    return {};
}

/// Where the counterexample's inputs and output stand in a graph, which is where they stand in its .onnx file.
ReplayPlan::OnnxPlaces onnxPlaces(const Graph& graph, const ReplayPlan& plan) {
    ReplayPlan::OnnxPlaces places;
    for (const auto& [name, file] : plan.inputs) {
        std::int64_t place = -1;
        for (std::size_t i = 0; i < graph.inputs.size() && place < 0; ++i) {
            place = graph.value(graph.inputs[i]).name == name ? static_cast<std::int64_t>(i) : -1;
        }
        places.inputs.push_back(place);
    }
    for (std::size_t i = 0; i < graph.outputs.size() && places.output < 0; ++i) {
        places.output = graph.outputName(i) == plan.output ? static_cast<std::int64_t>(i) : -1;
    }
    return places;
}

std::string modelJson(const CheckResult& result) {
    JsonWriter json;
    const LemmaResult* lemma = decisiveLemma(result);
    json.beginObject();
    json.key("format");
    json.string("lemmascope-model");
    json.key("version");
    json.integer(1);
    json.key("lemma");
    json.stringOrNull(lemma == nullptr ? "" : lemma->id);
    json.key("title");
    json.stringOrNull(lemma == nullptr ? "" : lemma->title);
    json.key("verdict");
    json.stringOrNull(lemma == nullptr ? "" : name(lemma->verdict));
    json.key("digest");
    json.stringOrNull(lemma == nullptr ? "" : lemma->digest);
    json.key("digest_of");
    json.stringOrNull(lemma == nullptr || lemma->digest.empty() ? "" : "SHA-256 of lemma.smt2 without its last two lines, which ask the solver");
    json.key("model");
    json.stringOrNull(lemma == nullptr ? "" : lemma->model);
    json.key("reason");
    json.stringOrNull(lemma == nullptr ? "" : lemma->reason);
    json.endObject();
    return json.text() + "\n";
}

/// A counterexample found by trying inputs leaves its lemma without a text: it is stated again, for the same output.
std::string statedText(const CheckResult& told, const Chosen& chosen, const BugReportOptions& options, std::stop_token stop) {
    const LemmaResult* lemma = decisiveLemma(told);
    if (lemma == nullptr || !lemma->text.empty() || !options.recheck) {
        return {};
    }
    CheckOptions asked = bareOptions(options.check, chosen.pair);
    asked.lookForCounterexample = false;
    const Result<CheckResult> stated = options.recheck(chosen.pair.reference, chosen.pair.rewritten, asked, std::move(stop));
    if (!stated) {
        return {};
    }
    const auto concerns = [&](const LemmaResult& other) {
        return !other.text.empty() && other.verdict != LemmaVerdict::Holds && (other.outputs == lemma->outputs || lemma->outputs.empty());
    };
    const auto at = std::find_if(stated->lemmas.begin(), stated->lemmas.end(), concerns);
    return at == stated->lemmas.end() ? std::string() : at->text;
}

std::string lemmaText(const CheckResult& result) {
    const LemmaResult* lemma = decisiveLemma(result);
    if (lemma == nullptr) {
        const bool holding = result.verdict == Verdict::Proved;
        const std::string stated = result.lemmas.empty() ? "no lemma was stated"
                                   : holding             ? "every lemma holds"
                                                         : "every lemma that was stated holds";
        return "; " + stated + (holding ? "" : "; the verdict rests on something else") + "\n; " + verdictLine(result) + "\n";
    }
    return lemma->text.empty() ? "; lemma " + lemma->id + " has no text: it cannot be written out within the limits\n" : askingText(lemma->text);
}

ReportSection scopeSection(const CheckResult& result, const BugReport& report) {
    // Facts about inputs and sizes narrow the question; how things were paired and which laws were used do not.
    const bool narrowed = std::any_of(result.assumptions.begin(), result.assumptions.end(), [](const Remark& remark) {
        return remark.kind == "fact" || remark.kind == "size" || remark.kind == "branch" || remark.kind == "assumed-equal";
    });
    ReportSection scope{.title = "Scope"};
    scope.paragraphs.push_back("Do both graphs give the same for every input" + std::string(narrowed ? " that the facts below allow" : "") +
                               "? Lemmascope answers proved, refuted (by a confirmed input), unproved (a lemma fails, no difference was "
                               "confirmed) or undecided.");
    const bool refuted = result.verdict == Verdict::Refuted;
    scope.paragraphs.push_back(report.verified ? std::string("The pair in this folder was checked again: same verdict") +
                                                     (refuted && (result.counterexample || result.fault) ? " at the same element." : ".")
                                               : "The pair in this folder was not confirmed to have the first check's verdict" +
                                                     std::string(refuted ? " at the same element." : "."));
    return scope;
}

std::string platformText() {
#if defined(__linux__)
    std::string out = "Linux";
#elif defined(__APPLE__)
    std::string out = "macOS";
#else
    std::string out = "another system";
#endif
#if defined(__x86_64__)
    out += ", x86-64";
#elif defined(__aarch64__)
    out += ", AArch64";
#endif
    return out;
}

ReportDocument document(const CheckResult& result, const ReplayPlan& plan, const BugReport& report, const std::string& solver) {
    ReportDocument out = describe(result, {.maxElements = 64, .maxPathValues = 64, .maxRemarks = 500, .lemmaText = true});
    out.sections.insert(out.sections.begin(), scopeSection(result, report));
    std::vector<ReportSection> last;
    if (!report.notes.empty()) {
        last.push_back({.title = "Notes on these files", .paragraphs = report.notes});
    }
    ReportSection replay{.title = "Replay"};
    replay.paragraphs.emplace_back(
        plan.inputs.empty() ? "In this folder: replay.sh checks the pair again. The one command behind it:"
                            : "In this folder: replay.sh runs both graphs on the inputs and checks the pair again; replay_ort.mjs (Node.js) "
                              "runs both ONNX files on ONNX Runtime. The one command behind the check:");
    replay.code = "lemmascope-cli check reference.lsg.json rewritten.lsg.json" + plan.options + "\n";
    last.push_back(std::move(replay));
    last.push_back(
        {.title = "Versions",
         .paragraphs = {"Lemmascope " + std::string(toolVersion()) + (solver.empty() ? "" : ", " + solver) + ", on " + platformText() + "."}});
    const auto textAt =
        std::find_if(out.sections.begin(), out.sections.end(), [](const ReportSection& s) { return s.title.ends_with(" in SMT-LIB"); });
    out.sections.insert(textAt, last.begin(), last.end());
    return out;
}

/// The same with the lemma's text cut: report.md is read in an editor or a tracker, where pages of SMT-LIB drown the rest.
ReportDocument shortened(ReportDocument document) {
    static constexpr std::size_t MostLines = 60;
    std::string& code = document.sections.back().code;
    const auto lines = static_cast<std::size_t>(std::count(code.begin(), code.end(), '\n'));
    std::size_t end = 0;
    for (std::size_t i = 0; i < MostLines && end != std::string::npos; ++i) {
        const std::size_t next = code.find('\n', end);
        end = next == std::string::npos ? next : next + 1;
    }
    if (end != std::string::npos && end < code.size()) {
        code = code.substr(0, end) + "; ... " + std::to_string(lines - MostLines) + " more lines: the whole text is in lemma.smt2\n";
    }
    return document;
}

} // namespace

Result<BugReport> exportBugReport(const CheckResult& result, const std::filesystem::path& folder, const BugReportOptions& options,
                                  std::stop_token stop) {
    if (!result.reference || !result.rewritten) {
        return fail(ErrorCode::Usage, "the result has no graphs to report on");
    }
    std::error_code problem;
    std::filesystem::create_directories(folder, problem);
    if (problem) {
        return fail(ErrorCode::NotFound, "cannot make the folder: " + problem.message(), folder.string());
    }
    const Result<Chosen> chosen = choose(result, options, stop);
    if (!chosen) {
        return tl::unexpected(chosen.error());
    }
    removeTensors(folder);
    CheckResult told = chosen->result ? *chosen->result : result;
    if (const LemmaResult* lemma = decisiveLemma(told); lemma != nullptr && lemma->text.empty()) {
        told.lemmas[static_cast<std::size_t>(lemma - told.lemmas.data())].text = statedText(told, *chosen, options, stop);
    }
    BugReport report;
    report.verified = chosen->likeness == Likeness::SameElement;
    if (chosen->result && chosen->likeness == Likeness::SameVerdict) {
        report.notes.emplace_back("the exported pair has the same verdict, shown at another element");
    } else if (chosen->result && chosen->likeness == Likeness::Other) {
        report.notes.push_back("the exported pair comes out otherwise: " + verdictLine(*chosen->result));
    }
    Writer writer(folder, report);
    ReplayPlan plan;
    plan.verdictLine = verdictLine(told);
    plan.options = options.check.wanted == Strength::Rounded ? "" : " --strength " + std::string(name(options.check.wanted));
    for (const auto& [mine, theirs] : chosen->pair.assumed) {
        plan.options += " --assume-equal " + shellWord(mine + "=" + theirs);
    }
    if (chosen->pair.definitions != nullptr) {
        if (writer.text("definitions.defs", chosen->pair.definitions->text())) {
            plan.options += " --definitions definitions.defs";
        }
    }
    for (const auto& [graph, stem] : {std::pair{&chosen->pair.reference, "reference"}, std::pair{&chosen->pair.rewritten, "rewritten"}}) {
        const bool json = writer.graph(**graph, std::string(stem) + ".lsg.json");
        const bool onnx = writer.graph(**graph, std::string(stem) + ".onnx");
        plan.onnx = plan.onnx && onnx;
        if (!json && !onnx) {
            return fail(ErrorCode::NotFound, std::string("cannot write the graph ") + stem, folder.string());
        }
    }
    std::string svg;
    std::string png;
    if (const Result<Picture> picture = regionPicture(told, stop)) {
        svg = pictureSvg(*picture);
        if (Result<std::string> bytes = picturePng(*picture)) {
            png = std::move(*bytes);
        } else {
            report.notes.push_back("region.png is not written: " + bytes.error().message);
        }
    } else if (picture.error().code == ErrorCode::Cancelled) {
        return tl::unexpected(picture.error());
    } else {
        report.notes.push_back("region.svg is not written: " + picture.error().message);
    }
    Result<void> written = writeTensors(writer, told, plan);
    plan.reference = onnxPlaces(*chosen->pair.reference, plan);
    plan.rewritten = onnxPlaces(*chosen->pair.rewritten, plan);
    const ReportDocument words = document(told, plan, report, options.solver);
    const std::pair<const char*, std::string> files[] = {{"lemma.smt2", lemmaText(told)},
                                                         {"model.json", modelJson(told)},
                                                         {"result.json", resultJson(told)},
                                                         {"report.html", html(words, svg)},
                                                         {"report.md", markdown(shortened(words))},
                                                         {"region.svg", svg},
                                                         {"region.png", png},
                                                         {"replay.sh", replayShell(plan)},
                                                         {"replay_ort.mjs", replayOnnxRuntime(plan)}};
    for (const auto& [file, content] : files) {
        if (written && !content.empty()) {
            written = writer.text(file, content);
        }
    }
    if (!written) {
        return tl::unexpected(written.error());
    }
    std::filesystem::permissions(folder / "replay.sh",
                                 std::filesystem::perms::owner_exec | std::filesystem::perms::group_exec | std::filesystem::perms::others_exec,
                                 std::filesystem::perm_options::add, problem);
    return report;
}

} // namespace lemmascope
