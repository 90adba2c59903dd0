// Every option of every command, as in resources/help/formats.md. The man page and the shell completion are tested against what this
// file declares (tests/app/tst_documentation.cpp).
#include "app/cli/command_line.h"

#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "core/graph/definition_library.h"
#include "core/report/outcome.h"
#include "core/worker/worker_main.h"

#include <CLI/CLI.hpp>

#include <charconv>
#include <csignal>
#include <exception>
#include <functional>
#include <string_view>

namespace lemmascope::cli {

namespace {

constexpr int UsageStatus = 64;
constexpr int InternalStatus = 70;

/// Options of a check as text, before they are read; the ones a line of `--pairs` may have too.
struct PairText {
    std::string strength;
    double time = 600.0;
    std::uint64_t lemmaSteps = CheckOptions{}.lemmaSteps;
    std::vector<std::string> outputs;
    std::vector<std::string> maps;
    std::vector<std::string> ranges;
    std::vector<std::string> sizes;
    std::vector<std::string> assumed;
    std::vector<std::string> inputs;
    std::string definitions;
    bool specialValues = false;
    std::string entry;
    bool mayAlias = false;
    bool fingerprint = false;
};

/// Options whose engine comes with a later version: taken, so that the message can say so.
struct LaterText {
    bool crossCheck = false;
};

constexpr const char* StrengthOfVerdict = "What counts as proved: identical, open, exact, rounded or probable";
constexpr const char* StrengthOfLemmas =
    "What the lemmas' texts assume: open (identical too) leaves every computing op a function of its operands, exact takes floats as real numbers";

/// Empty for a number of seconds that can be waited for.
std::string secondsProblem(std::string& text) {
    double seconds = 0.0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    const bool good = problem == std::errc() && end == text.data() + text.size() && seconds >= 0.001 && seconds <= 1e7;
    return good ? std::string() : "'" + text + "' is no number of seconds from 0.001 to 10000000";
}

void addPairOptions(CLI::App& app, PairText& text, const char* strengthDefault, const char* strengthHelp = StrengthOfVerdict) {
    app.add_option("--strength", text.strength, strengthHelp)
        ->check(CLI::IsMember({"identical", "open", "exact", "rounded", "probable"}))
        ->type_name("STRENGTH")
        ->default_str(strengthDefault);
    app.add_option("--time", text.time, "Wall clock for the whole command; past it the verdict is what is known then")
        ->check(CLI::Validator(secondsProblem, {}))
        ->type_name("SECONDS")
        ->capture_default_str();
    app.add_option("--lemma-steps", text.lemmaSteps, "Solver steps for one lemma (deterministic)")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 32U))
        ->type_name("N")
        ->capture_default_str();
    app.add_option("--outputs", text.outputs, "Compare only these outputs of the reference")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->type_name("a,b");
    app.add_option("--map", text.maps, "Pair an input or output of the reference with one of the rewritten graph; may be repeated")
        ->type_name("a=b")
        ->allow_extra_args(false);
    app.add_option("--inputs-range", text.ranges, "Range of an integer or float input (x=-1.5:2e3), both ends included; may be repeated")
        ->type_name("name=lo:hi")
        ->allow_extra_args(false);
    app.add_option("--size", text.sizes, "Fix a symbolic size, or an integer argument of a program; may be repeated")
        ->type_name("n=8")
        ->allow_extra_args(false);
    app.add_option("--definitions", text.definitions, "Meanings of ops that are open otherwise: each written out in simpler ops")->type_name("FILE");
    app.add_option("--assume-equal", text.assumed,
                   "Accept a difference: the rewritten graph's value B is taken to be the reference's A; may be repeated")
        ->type_name("A=B")
        ->allow_extra_args(false);
}

Result<CheckOptions> readPairOptions(const PairText& text, CheckOptions options) {
    if (!text.strength.empty()) {
        options.wanted = *strengthByName(text.strength);
    } else if (text.fingerprint) {
        options.wanted = Strength::Probable;
    }
    options.timeSeconds = text.time;
    options.lemmaSteps = text.lemmaSteps;
    options.specialValues = options.specialValues || text.specialValues;
    if (!text.outputs.empty()) {
        options.outputs = text.outputs;
    }
    for (const std::string& map : text.maps) {
        const auto parts = splitAssignment("--map", map);
        if (!parts) {
            return tl::unexpected(parts.error());
        }
        options.mapped.push_back(*parts);
    }
    for (const std::string& range : text.ranges) {
        const auto parts = splitAssignment("--inputs-range", range);
        if (!parts) {
            return tl::unexpected(parts.error());
        }
        const auto ends = parseRange("--inputs-range", parts->second);
        if (!ends) {
            return tl::unexpected(ends.error());
        }
        // The last one given counts.
        options.inputRanges.erase(parts->first);
        options.realRanges.erase(parts->first);
        if (const auto* integers = std::get_if<IntegerRange>(&*ends)) {
            options.inputRanges[parts->first] = *integers;
        } else {
            options.realRanges[parts->first] = std::get<RealRange>(*ends);
        }
    }
    for (const std::string& size : text.sizes) {
        const auto parts = splitAssignment("--size", size);
        if (!parts) {
            return tl::unexpected(parts.error());
        }
        const Result<std::int64_t> length = parseInteger("--size", parts->second);
        if (!length) {
            return tl::unexpected(length.error());
        }
        if (*length < 0) {
            return fail(ErrorCode::Usage, "--size: " + size + ": a size is not negative");
        }
        options.sizes[parts->first] = *length;
    }
    for (const std::string& pair : text.assumed) {
        const auto parts = splitAssignment("--assume-equal", pair);
        if (!parts) {
            return tl::unexpected(parts.error());
        }
        options.assumedEqual.push_back(*parts);
    }
    if (!text.definitions.empty()) {
        const auto library = openDefinitions(text.definitions);
        if (!library) {
            return tl::unexpected(library.error());
        }
        options.definitions = *library;
    }
    return options;
}

std::string laterOption(const LaterText& later) {
    return later.crossCheck ? "--cross-check: a second solver is not part of this version" : std::string();
}

struct Commands {
    CLI::App app{"Decides whether a rewritten computation graph means the same as its reference.", "lemmascope-cli"};
    CheckRequest check;
    PairText checkText;
    LaterText later;
    ObligationRequest obligation;
    PairText obligationText;
    EvalRequest eval;
    std::vector<std::string> evalSizes;
    std::uint64_t seed = 0;
    CLI::Option* seedOption = nullptr;
    InterpRequest interp;
    PairText interpText;
    ShowRequest show;
    ConvertRequest convert;
    MatchRequest match;
    RewriteRequest rewrite;
    PairText rewriteText;
    RulesRequest rules;
    CLI::App* matchApp = nullptr;
    CLI::App* rewriteApp = nullptr;
    CLI::App* rulesApp = nullptr;
    CLI::App* rulesCheckApp = nullptr;
    CLI::App* rulesFormatApp = nullptr;
    CLI::App* rulesListApp = nullptr;
    CLI::App* checkApp = nullptr;
    CLI::App* obligationApp = nullptr;
    CLI::App* evalApp = nullptr;
    CLI::App* interpApp = nullptr;
    CLI::App* showApp = nullptr;
    CLI::App* convertApp = nullptr;
    Commands();
    void addCheck();
    void addOthers();
    void addMatcher();
    void addRewriter();
};

Commands::Commands() {
    app.set_version_flag("--version", "lemmascope " + std::string(toolVersion()), "Print the version");
    app.set_help_flag("--help", "Print this help");
    app.require_subcommand(1);
    app.add_flag_function(
        "--worker", [](std::int64_t) {}, "Answer solver and layout requests on standard input (started by the program itself)");
    app.footer("Exit status: check 0 proved as wanted, 1 refuted, 2 otherwise; eval 1 when the graph faults;\n"
               "interp 0 the run ends, 1 it faults, races or hangs, 2 undecided;\n"
               "match 0 a match that may be rewritten, 1 none, 2 undecided;\n"
               "rewrite 0 rewritten, 1 no match, checked as check;\n"
               "64 usage, 65 bad data, 66 no such file, 70 internal, 130 interrupted.");
    addCheck();
    addOthers();
    addMatcher();
    addRewriter();
}

void Commands::addCheck() {
    checkApp = app.add_subcommand("check", "Check one pair, each step of a pipeline, or a list of pairs");
    checkApp->add_option("GRAPHS", check.graphs, "REF REWRITTEN, or G0 G1 ... Gn, or one folder whose graphs are steps in name order (2 before 10)");
    checkApp->add_option("--pairs", check.pairs, "Many pairs: tab-separated, header 'name reference rewritten options'")->type_name("FILE.tsv");
    checkApp->add_option("--json", check.json, "Write the result as JSON; - is standard output, text then goes to standard error")
        ->type_name("FILE|-");
    checkApp->add_option("--export", check.exportFolder, "Write a bug report that a stranger can replay")->type_name("DIR");
    checkApp->add_flag("--anonymous", check.anonymous, "Strip names and unneeded constants from the report");
    checkApp->add_option("--junit", check.junit, "Write a JUnit report")->type_name("FILE");
    checkApp->add_option("--sarif", check.sarif, "Write a SARIF 2.1.0 report")->type_name("FILE");
    addPairOptions(*checkApp, checkText, "rounded");
    checkApp->add_option("--jobs", check.options.jobs, "Solver processes; 0: one per core")->check(CLI::Range(0U, 1024U))->type_name("N");
    checkApp->add_option("--cache", check.cache, "Folder of proofs to read and add to")->type_name("DIR");
    checkApp->add_flag("--no-cache", check.noCache, "Neither read nor write stored proofs");
    checkApp->add_option("--pin", check.pin, "Keep the obligation and its proofs here; needs no solver until a graph changes")->type_name("DIR");
    checkApp->add_flag("--special-values", checkText.specialValues, "Also try NaN, infinities, signed zeros and overflow");
    checkApp->add_option("--input", checkText.inputs, "Also evaluate both graphs on these tensors; may be repeated")
        ->type_name("name=file.npy")
        ->allow_extra_args(false);
    checkApp->add_flag("--cross-check", later.crossCheck, "Not in this version");
    checkApp->add_option("--entry", checkText.entry, "Function of MLIR programs to start in; their only public one else")->type_name("NAME");
    checkApp->add_flag("--may-alias", checkText.mayAlias, "Arguments of MLIR programs may name one memory");
    checkApp->add_flag("--fingerprint", checkText.fingerprint,
                       "MLIR programs too large for terms: keep 128-bit digests in their place; --strength is then probable unless given");
}

void Commands::addOthers() {
    obligationApp = app.add_subcommand("obligation", "Print the lemmas of a pair as SMT-LIB 2 text");
    obligationApp->add_option("REF", obligation.reference, "Reference graph")->required();
    obligationApp->add_option("REWRITTEN", obligation.rewritten, "Rewritten graph")->required();
    obligationApp->add_option("-o", obligation.folder, "Write manifest.json and one file per lemma here")->type_name("DIR");
    addPairOptions(*obligationApp, obligationText, "exact", StrengthOfLemmas);

    evalApp = app.add_subcommand("eval", "Run a graph on numbers");
    evalApp->add_option("GRAPH", eval.graph, "Graph")->required();
    evalApp->add_option("--input", eval.inputs, "Tensor for an input; may be repeated")->type_name("name=file.npy")->allow_extra_args(false);
    seedOption = evalApp->add_option("--random", seed, "Fill the other inputs with random numbers from this seed")->type_name("SEED");
    evalApp->add_option("--size", evalSizes, "Fix a symbolic size; may be repeated")->type_name("n=8")->allow_extra_args(false);
    evalApp->add_option("--definitions", eval.definitions, "Meanings of ops that are open otherwise")->type_name("FILE");
    evalApp->add_option("-o", eval.folder, "Write the outputs as .npy files here")->type_name("DIR");

    interpApp = app.add_subcommand("interp", "Run an MLIR program on unknown data: its results as terms, its faults, races and deadlocks");
    interpApp->add_option("PROGRAM", interp.program, "MLIR program, text or bytecode")->required();
    interpApp->add_option("--entry", interp.entry, "Function to start in; the only public one else")->type_name("NAME");
    interpApp->add_option("--size", interpText.sizes, "An integer argument, or the dynamic size of a memref; may be repeated")
        ->type_name("n=8")
        ->allow_extra_args(false);
    interpApp->add_option("--time", interp.timeSeconds, "Wall clock for the run; past it the run is undecided")
        ->check(CLI::Validator(secondsProblem, {}))
        ->type_name("SECONDS")
        ->capture_default_str();
    interpApp->add_option("--json", interp.json, "Write the run as JSON; - is standard output, text then goes to standard error")
        ->type_name("FILE|-");

    showApp = app.add_subcommand("show", "Counts, shapes, ops, which are open");
    showApp->add_option("GRAPH", show.graph, "Graph")->required();
    showApp->add_option("--definitions", show.definitions, "Meanings of ops that are open otherwise")->type_name("FILE");
    showApp->add_option("--json", show.json, "Write the summary as JSON; - is standard output")->type_name("FILE|-");

    convertApp = app.add_subcommand("convert", "Convert between JSON, ONNX, DOT, SVG and PNG");
    convertApp->add_option("IN", convert.from, "Graph to read")->required();
    convertApp->add_option("OUT", convert.to, "File to write; its ending says the format: .lsg.json .onnx .dot .svg .png")->required();
}

void Commands::addMatcher() {
    matchApp = app.add_subcommand("match", "Where the rules of a file match a graph, and why not elsewhere");
    matchApp->add_option("RULES", match.rules, "Rule file, or @NAME of the library: see rules list");
    matchApp->add_option("GRAPH", match.graph, "Graph");
    matchApp->add_option("--pattern", match.pattern, "A pattern instead of a rule file; with --term")->type_name("P");
    matchApp->add_option("--term", match.term, "A small term instead of a graph; with --pattern")->type_name("T");
    matchApp->add_option("--sig", match.signature, "What guards read of small terms: 'v rank=1; relu cls=ew1; default rank=2'")->type_name("FACTS");
    matchApp->add_option("--cases", match.cases, "Many patterns on small terms: tab-separated id, pattern, term, and what is expected")
        ->type_name("FILE.tsv");
    matchApp->add_option("--rule", match.only, "Only this rule; may be repeated")->type_name("NAME")->allow_extra_args(false);
    matchApp->add_option("--at", match.at, "Only at this node or value")->type_name("NODE");
    matchApp->add_option("--definitions", match.definitions, "Meanings of ops that are open otherwise: shapes follow from them")->type_name("FILE");
    matchApp->add_flag("--all", match.all, "All matches of a rule at a node, not the first; overlapping ones too");
    matchApp->add_flag("--identity", match.identity, "Names that repeat must hold the same node, not just the same computation");
    matchApp->add_flag("--lenient", match.lenient, "Run patterns that fail the static check");
    matchApp->add_flag("--explain", match.explain, "Why a match matched, and all branches of what came nearest elsewhere");
    matchApp->add_flag("--trace", match.trace, "Print every failed branch in the order met");
    matchApp->add_option("--steps", match.steps, "Steps of one rule at one node; past them it is undecided")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U))
        ->type_name("N")
        ->capture_default_str();
    matchApp->add_option("--json", match.json, "Write the result as JSON; - is standard output, text then goes to standard error")
        ->type_name("FILE|-");
    rulesApp = app.add_subcommand("rules", "Check or format a rule file, list the library of rules");
    rulesApp->require_subcommand(1);
    rulesCheckApp = rulesApp->add_subcommand("check", "Static check, then each replacement proved for all shapes, or a graph on which it is wrong");
    rulesCheckApp->add_option("RULES", rules.file, "Rule file, or @NAME of the library")->required();
    rulesCheckApp->add_option("--rule", rules.rules, "Only this rule; may be repeated")->type_name("NAME")->allow_extra_args(false);
    rulesCheckApp->add_option("--max-rank", rules.maxRank, "Greatest rank of values that a rule leaves open")
        ->check(CLI::Range(std::size_t{0}, std::size_t{6}))
        ->type_name("N")
        ->capture_default_str();
    rulesCheckApp->add_option("--opset", rules.opset, "Opset of the graphs; without it the least from 17 on that has the operators")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{99}))
        ->type_name("N");
    rulesCheckApp->add_option("--strength", rules.strength, "What counts as proved: identical, open, exact, rounded, probable")
        ->type_name("S")
        ->capture_default_str();
    rulesCheckApp->add_option("--time", rules.timeSeconds, "Wall clock for the whole command")->type_name("SECONDS")->capture_default_str();
    rulesCheckApp->add_option("--json", rules.json, "Write the result as JSON; - is standard output, text then goes to standard error")
        ->type_name("FILE|-");
    rulesCheckApp->add_option("--export", rules.exportFolder, "Write a bug report for each wrong rule, into a folder of its name")->type_name("DIR");
    rulesFormatApp = rulesApp->add_subcommand("format", "Print the rules in their one layout");
    rulesFormatApp->add_option("RULES", rules.file, "Rule file, or @NAME of the library")->required();
    rulesFormatApp->add_option("-o", rules.out, "Write it here; may be the file itself")->type_name("FILE");
    rulesListApp = rulesApp->add_subcommand("list", "The rules that come with the program, file by file, or those of one file");
    rulesListApp->add_option("RULES", rules.file, "@NAME of the library, or a rule file");
}

void Commands::addRewriter() {
    rewriteApp = app.add_subcommand("rewrite", "Rewrite a graph by the rules of a file, until none applies");
    rewriteApp->add_option("RULES", rewrite.rules, "Rule file, or @NAME of the library: see rules list")->required();
    rewriteApp->add_option("GRAPH", rewrite.graph, "Graph")->required();
    rewriteApp->add_option("-o", rewrite.out, "File to write; its ending says the format: .lsg.json .onnx")->type_name("OUT");
    rewriteApp->add_flag("--check", rewrite.check, "Prove the result against the graph, the whole and what each rule did");
    rewriteApp->add_flag("--regions", rewrite.regions, "Replace nothing: make each match a function of the model, called where it stood");
    rewriteApp->add_option("--rule", rewrite.only, "Only this rule; may be repeated")->type_name("NAME")->allow_extra_args(false);
    rewriteApp->add_option("--at", rewrite.at, "Only at this node or value")->type_name("NODE");
    rewriteApp->add_flag("--all", rewrite.all, "Where the first match at a node may not be replaced, try the others there");
    rewriteApp->add_flag("--once", rewrite.once, "One round: what the rules match in the graph as it is");
    rewriteApp->add_option("--max-rounds", rewrite.maxRounds, "Stop after so many rounds")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
        ->type_name("N")
        ->capture_default_str();
    rewriteApp->add_flag("--no-fold", rewrite.noFold, "Leave operators of replacements whose operands are all constants");
    rewriteApp->add_flag("--identity", rewrite.identity, "Names that repeat must hold the same node, not just the same computation");
    rewriteApp->add_flag("--lenient", rewrite.lenient, "Run patterns that fail the static check");
    rewriteApp->add_option("--steps", rewrite.steps, "Steps of one rule at one node; past them it is undecided")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40U))
        ->type_name("N")
        ->capture_default_str();
    rewriteApp->add_option("--definitions", rewrite.definitions, "Meanings of ops that are open otherwise: shapes and proofs follow from them")
        ->type_name("FILE");
    rewriteApp->add_option("--json", rewrite.json, "Write the result as JSON; - is standard output, text then goes to standard error")
        ->type_name("FILE|-");
    rewriteApp->add_option("--strength", rewriteText.strength, StrengthOfVerdict)
        ->check(CLI::IsMember({"identical", "open", "exact", "rounded", "probable"}))
        ->type_name("STRENGTH")
        ->default_str("rounded");
    rewriteApp->add_option("--time", rewriteText.time, "Wall clock for --check; past it verdicts are what is known then")
        ->check(CLI::Validator(secondsProblem, {}))
        ->type_name("SECONDS")
        ->capture_default_str();
    rewriteApp->add_option("--jobs", rewrite.checking.options.jobs, "Solver processes; 0: one per core")
        ->check(CLI::Range(0U, 1024U))
        ->type_name("N");
    rewriteApp->add_option("--cache", rewrite.checking.cache, "Folder of proofs to read and add to")->type_name("DIR");
    rewriteApp->add_flag("--no-cache", rewrite.checking.noCache, "Neither read nor write stored proofs");
}

/// Words of one `options` cell: split at blanks, quotes as in a shell.
Result<std::vector<std::string>> splitWords(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    bool inWord = false;
    char quote = 0;
    for (const char c : text) {
        if (quote != 0) {
            if (c == quote) {
                quote = 0;
            } else {
                word += c;
            }
        } else if (c == '"' || c == '\'') {
            quote = c;
            inWord = true;
        } else if (c == ' ' || c == '\t') {
            if (inWord) {
                words.push_back(word);
            }
            word.clear();
            inWord = false;
        } else {
            word += c;
            inWord = true;
        }
    }
    if (quote != 0) {
        return fail(ErrorCode::BadData, "options: a quote is not closed");
    }
    if (inWord) {
        words.push_back(word);
    }
    return words;
}

int usage(Console& console, const std::string& text) {
    console.error(text);
    return UsageStatus;
}

int runCheck(Commands& commands, Interrupt& interrupt) {
    Console console(commands.check.json == "-");
    if (const std::string later = laterOption(commands.later); !later.empty()) {
        return usage(console, later);
    }
    CheckRequest request = commands.check;
    const Result<CheckOptions> options = readPairOptions(commands.checkText, request.options);
    if (!options) {
        return report(console, options.error());
    }
    request.options = *options;
    request.inputs = commands.checkText.inputs;
    request.entry = commands.checkText.entry;
    request.mayAlias = commands.checkText.mayAlias;
    request.fingerprint = commands.checkText.fingerprint;
    if (request.pairs.empty() == request.graphs.empty()) {
        return usage(console, "check: give REF REWRITTEN, a pipeline G0 G1 ... Gn, a folder, or --pairs FILE.tsv");
    }
    if (request.noCache && !request.cache.empty()) {
        return usage(console, "check: --cache and --no-cache exclude each other");
    }
    if (request.anonymous && request.exportFolder.empty()) {
        return usage(console, "check: --anonymous is about the report of --export DIR");
    }
    return console.finish(checkCommand(request, console, interrupt));
}

int runMatch(const MatchRequest& request, Interrupt& interrupt) {
    Console console(request.json == "-");
    const bool onTerm = !request.pattern.empty() || !request.term.empty();
    const bool onGraph = !request.rules.empty() || !request.graph.empty();
    if (static_cast<int>(onTerm) + static_cast<int>(onGraph) + static_cast<int>(!request.cases.empty()) != 1 ||
        (onTerm && (request.pattern.empty() || request.term.empty())) || (onGraph && (request.rules.empty() || request.graph.empty()))) {
        return usage(console, "match: give RULES GRAPH, or --pattern P --term T, or --cases FILE.tsv");
    }
    if (!onGraph && (!request.only.empty() || !request.at.empty() || !request.definitions.empty() || request.explain)) {
        return usage(console, "match: --rule, --at, --definitions and --explain are about a graph");
    }
    if (!onTerm && !request.signature.empty()) {
        return usage(console, "match: --sig is about a small term; a file of --cases has a line '# sig:'");
    }
    return console.finish(matchCommand(request, console, interrupt));
}

int runRewrite(Commands& commands, Interrupt& interrupt) {
    Console console(commands.rewrite.json == "-");
    RewriteRequest request = commands.rewrite;
    const CLI::App& app = *commands.rewriteApp;
    if (request.out.empty()) {
        return usage(console, "rewrite: give the file to write: -o OUT");
    }
    if (request.once && app.count("--max-rounds") > 0) {
        return usage(console, "rewrite: --once and --max-rounds exclude each other");
    }
    if (request.regions && (request.once || app.count("--max-rounds") > 0 || request.noFold)) {
        return usage(console, "rewrite: --regions replaces nothing: --once, --max-rounds and --no-fold have no meaning with it");
    }
    if (!request.check) {
        for (const char* option : {"--strength", "--time", "--jobs", "--cache", "--no-cache"}) {
            if (app.count(option) > 0) {
                return usage(console, std::string("rewrite: ") + option + " is about --check");
            }
        }
    }
    if (request.checking.noCache && !request.checking.cache.empty()) {
        return usage(console, "rewrite: --cache and --no-cache exclude each other");
    }
    PairText text = commands.rewriteText;
    text.definitions = request.definitions;
    const Result<CheckOptions> options = readPairOptions(text, request.checking.options);
    if (!options) {
        return report(console, options.error());
    }
    request.checking.options = *options;
    return console.finish(rewriteCommand(request, console, interrupt));
}

int runRules(Commands& commands, Interrupt& interrupt) {
    Console console(commands.rules.json == "-");
    if (commands.rulesListApp->parsed()) {
        return console.finish(rulesListCommand(commands.rules, console));
    }
    return console.finish(commands.rulesCheckApp->parsed() ? rulesCheckCommand(commands.rules, console, interrupt)
                                                           : rulesFormatCommand(commands.rules, console));
}

int dispatch(Commands& commands, Interrupt& interrupt) {
    if (commands.checkApp->parsed()) {
        return runCheck(commands, interrupt);
    }
    if (commands.matchApp->parsed()) {
        return runMatch(commands.match, interrupt);
    }
    if (commands.rewriteApp->parsed()) {
        return runRewrite(commands, interrupt);
    }
    if (commands.rulesApp->parsed()) {
        return runRules(commands, interrupt);
    }
    if (commands.obligationApp->parsed()) {
        Console console;
        CheckOptions defaults;
        defaults.wanted = Strength::Exact;
        const Result<CheckOptions> options = readPairOptions(commands.obligationText, defaults);
        if (!options) {
            return report(console, options.error());
        }
        commands.obligation.options = *options;
        return console.finish(obligationCommand(commands.obligation, console, interrupt));
    }
    if (commands.evalApp->parsed()) {
        Console console;
        PairText text;
        text.sizes = commands.evalSizes;
        const Result<CheckOptions> options = readPairOptions(text, {});
        if (!options) {
            return report(console, options.error());
        }
        commands.eval.sizes = options->sizes;
        if (commands.seedOption->count() > 0) {
            commands.eval.seed = commands.seed;
        }
        return console.finish(evalCommand(commands.eval, console, interrupt));
    }
    if (commands.interpApp->parsed()) {
        Console console(commands.interp.json == "-");
        const Result<CheckOptions> options = readPairOptions(commands.interpText, {});
        if (!options) {
            return report(console, options.error());
        }
        commands.interp.sizes = options->sizes;
        return console.finish(interpCommand(commands.interp, console, interrupt));
    }
    if (commands.showApp->parsed()) {
        Console console(commands.show.json == "-");
        return console.finish(showCommand(commands.show, console, interrupt));
    }
    Console console;
    return console.finish(convertCommand(commands.convert, console, interrupt));
}

int runCommands(int argc, char** argv) {
    Commands commands;
    const auto isCommand = [&](const CLI::App* sub) { return argc > 1 && sub->get_name() == argv[1]; };
    const std::vector<CLI::App*> known = commands.app.get_subcommands(std::function<bool(CLI::App*)>(isCommand));
    if (argc > 1 && argv[1][0] != '-' && known.empty()) {
        Console console;
        return usage(console, std::string("there is no command '") + argv[1] + "'; see lemmascope-cli --help");
    }
    try {
        commands.app.parse(argc, argv);
    } catch (const CLI::Success& wanted) {
        return commands.app.exit(wanted) == 0 ? 0 : InternalStatus;
    } catch (const CLI::ParseError& error) {
        Console console;
        const CLI::App* at = &commands.app;
        for (const CLI::App* sub : commands.app.get_subcommands()) {
            at = sub;
        }
        console.error(std::string(error.what()) + "; see lemmascope-cli " + (at == &commands.app ? "" : at->get_name() + " ") + "--help");
        return UsageStatus;
    }
    Interrupt interrupt;
    return dispatch(commands, interrupt);
}

} // namespace

Result<CheckRequest> withPairOptions(const CheckRequest& request, const std::string& cell) {
    const Result<std::vector<std::string>> words = splitWords(cell);
    if (!words) {
        return tl::unexpected(words.error());
    }
    CheckRequest changed = request;
    PairText text;
    text.time = request.options.timeSeconds;
    text.lemmaSteps = request.options.lemmaSteps;
    CLI::App app;
    app.set_help_flag();
    addPairOptions(app, text, "rounded");
    app.add_flag("--special-values", text.specialValues);
    app.add_option("--input", text.inputs)->allow_extra_args(false);
    app.add_option("--entry", text.entry);
    app.add_flag("--may-alias", text.mayAlias);
    app.add_flag("--fingerprint", text.fingerprint);
    try {
        // CLI11 takes the words of a vector from its end.
        app.parse(std::vector<std::string>(words->rbegin(), words->rend()));
    } catch (const CLI::ParseError& error) {
        return fail(ErrorCode::BadData, std::string("options: ") + error.what());
    }
    const Result<CheckOptions> options = readPairOptions(text, request.options);
    if (!options) {
        return fail(ErrorCode::BadData, options.error().message);
    }
    changed.options = *options;
    changed.entry = text.entry.empty() ? changed.entry : text.entry;
    changed.mayAlias = changed.mayAlias || text.mayAlias;
    changed.fingerprint = changed.fingerprint || text.fingerprint;
    changed.inputs.insert(changed.inputs.end(), text.inputs.begin(), text.inputs.end());
    return changed;
}

int run(int argc, char** argv) {
    // A reader that closes our standard output ends nothing: the exit status still tells the verdict.
    std::signal(SIGPIPE, SIG_IGN);
    if (argc == 2 && std::string_view(argv[1]) == "--worker") {
        return runWorker(0, 1);
    }
    try {
        return runCommands(argc, argv);
    } catch (const std::bad_alloc&) {
        Console().error("out of memory");
    } catch (const std::exception& error) {
        Console().error(std::string("internal error: ") + error.what());
    }
    return InternalStatus;
}

} // namespace lemmascope::cli
