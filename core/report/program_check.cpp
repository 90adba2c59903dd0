#include "core/report/program_check.h"

#include "core/format/mlir/entry.h"
#include "core/format/mlir/lower.h"
#include "core/format/mlir/reader.h"
#include "core/format/mlir/to_graph.h"
#include "core/report/files.h"
#include "core/report/replay.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>

namespace lemmascope {

namespace {

constexpr std::uintmax_t LargestDump = std::uintmax_t{256} << 20U;

/// A dump in a file: its number from 1.
struct DumpName {
    std::string file;
    std::size_t number = 0;
};

std::optional<DumpName> dumpNamed(const std::string& name) {
    const std::size_t mark = name.rfind('#');
    std::error_code unreadable;
    if (mark == std::string::npos || std::filesystem::exists(name, unreadable)) {
        return std::nullopt;
    }
    DumpName out{name.substr(0, mark), 0};
    const char* end = name.data() + name.size();
    const auto [read, problem] = std::from_chars(name.data() + mark + 1, end, out.number);
    return problem == std::errc() && read == end && out.number > 0 ? std::optional(std::move(out)) : std::nullopt;
}

std::string headOf(const std::string& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string head(4096, '\0');
    stream.read(head.data(), static_cast<std::streamsize>(head.size()));
    head.resize(static_cast<std::size_t>(stream.gcount()));
    return head;
}

/// The dumps of a file; none for bytecode, for other files, and for what cannot be read.
std::vector<ir::Dump> dumpsOf(const std::string& file) {
    const std::string head = headOf(file);
    if (head.empty() || head.find('\0') != std::string::npos) {
        return {};
    }
    const Result<std::string> text = readFile(file, LargestDump);
    return text ? ir::splitDumps(*text) : std::vector<ir::Dump>();
}

/// A signed division whose divisor is not seen to be other than 0 and -1. Programs leave MIN / -1 undefined, where graphs wrap.
bool mayOverflow(const ir::Module& m, ir::OperationId op) {
    if (m.name(op) != "arith.divsi" && m.name(op) != "arith.remsi") {
        return false;
    }
    const ir::OperationId from = m.value(m.operand(op, 1)).operation;
    const ir::Attribute* value = from.isValid() && m.name(from) == "arith.constant" ? m.find(from, "value") : nullptr;
    if (value == nullptr) {
        return true;
    }
    if (value->kind == ir::Attribute::Kind::Integer) {
        return value->integer == 0 || value->integer == -1;
    }
    const ir::Type& type = m.typeOf(m.operand(op, 1));
    const std::size_t width = type.element.isValid() ? (m.type(type.element).width + 7) / 8 : 0;
    for (std::size_t at = 0; width > 0 && at + width <= value->bytes.size(); at += width) {
        const std::string_view element = std::string_view(value->bytes).substr(at, width);
        if (element.find_first_not_of('\0') == std::string_view::npos || element.find_first_not_of('\xff') == std::string_view::npos) {
            return true;
        }
    }
    return width == 0;
}

/// The function on tensors as a graph. Fails as ir::toGraph does, and with Unsupported where a graph would mean something else.
Result<std::shared_ptr<const Graph>> tensorFunction(const ir::Module& module, const std::string& entry) {
    for (std::size_t i = 0; i < module.operations.size(); ++i) {
        if (mayOverflow(module, ir::OperationId(i))) {
            return fail(ErrorCode::Unsupported, "a division may overflow, which graphs leave defined", module.where(ir::OperationId(i)));
        }
    }
    auto graph = ir::toGraph(module, entry);
    if (graph && (*graph)->outputs.empty()) {
        return fail(ErrorCode::Unsupported, "returns nothing", module.file);
    }
    return graph;
}

CheckResult undecided(const Error& error) {
    CheckResult result;
    result.verdict = Verdict::Undecided;
    result.reason = error.text();
    return result;
}

} // namespace

bool isProgram(const std::string& file) {
    const auto dump = dumpNamed(file);
    const std::string head = headOf(dump ? dump->file : file);
    return dump || ir::looksLikeMlir(head, file) || (!head.empty() && head.find("// -----// IR Dump ") != std::string::npos);
}

std::vector<std::string> withDumps(const std::vector<std::string>& files) {
    std::vector<std::string> out;
    for (const std::string& file : files) {
        std::error_code problem;
        const bool regular = std::filesystem::is_regular_file(file, problem);
        const std::size_t count = regular && isProgram(file) ? dumpsOf(file).size() : 0;
        for (std::size_t i = 1; i <= count; ++i) {
            out.push_back(file + "#" + std::to_string(i));
        }
        if (count == 0) {
            out.push_back(file);
        }
    }
    return out;
}

std::string dumpTitle(const std::string& file) {
    const auto dump = dumpNamed(file);
    if (!dump) {
        return {};
    }
    const std::vector<ir::Dump> dumps = dumpsOf(dump->file);
    return dump->number <= dumps.size() ? dumps[dump->number - 1].title : std::string();
}

Result<ProgramFile> readProgram(const std::string& file, const ProgramOptions& options, const ProgramSizes& sizes, const std::stop_token& stop,
                                const std::string& placeName) {
    ProgramFile read;
    read.file = file;
    std::uint32_t firstLine = 1;
    std::string place = placeName.empty() ? file : placeName;
    if (const auto dump = dumpNamed(file)) {
        std::vector<ir::Dump> dumps = dumpsOf(dump->file);
        if (dump->number > dumps.size()) {
            return fail(ErrorCode::NotFound, "has " + std::to_string(dumps.size()) + " dumps", dump->file);
        }
        ir::Dump& one = dumps[dump->number - 1];
        read.isDump = true;
        read.text = std::move(one.text);
        firstLine = one.firstLine;
        place = placeName.empty() ? dump->file : placeName;
    } else {
        Result<std::string> text = ir::readText(file);
        if (!text) {
            return tl::unexpected(text.error());
        }
        read.text = std::move(*text);
    }
    const auto whole = [&](Error error) { // lists have room for the name, a message for all of it
        if (!placeName.empty() && error.where.starts_with(placeName)) {
            error.where = file + error.where.substr(placeName.size());
        }
        return error;
    };
    const auto module = ir::readModule(read.text, place, firstLine, stop);
    if (!module) {
        return tl::unexpected(whole(module.error()));
    }
    if (read.text.starts_with("ML\xEFR")) {
        read.text.clear();
    }
    read.functions = ir::entryNames(**module);
    if (auto program = ir::lower(**module, {options.entry, sizes})) {
        read.program = std::move(*program);
    } else {
        read.trouble = whole(program.error());
    }
    if (sizes.empty() && !options.mayAlias && !options.fingerprint) {
        if (const auto graph = tensorFunction(**module, options.entry)) {
            read.graph = *graph;
        } else {
            read.noGraph = whole(graph.error()).text();
        }
    }
    return read;
}

ProgramSizes sizesByPosition(const ProgramSizes& sizes, const interp::Program& reference) {
    ProgramSizes out;
    for (const auto& [given, size] : sizes) {
        const std::string whole = given.substr(given.starts_with('%') ? 1 : 0);
        const std::size_t point = whole.rfind('.');
        for (std::size_t i = 0; i < reference.arguments.size(); ++i) {
            const std::string& name = reference.arguments[i].name;
            if (name == whole || (point != std::string::npos && name == whole.substr(0, point))) {
                out["#" + std::to_string(i) + (name == whole ? std::string() : whole.substr(point))] = size;
            }
        }
    }
    return out;
}

std::vector<std::string> sizedArguments(const interp::Program& program) {
    std::vector<std::string> names;
    const interp::FunctionCode& entry = program.functions[program.entry];
    for (const interp::Argument& argument : program.arguments) {
        if (!argument.isView) {
            if (entry.registers[argument.position].isInteger()) {
                names.push_back(argument.name);
            }
            continue;
        }
        const std::vector<std::int64_t>& sizes = entry.views[argument.position].sizes;
        for (std::size_t axis = 0; axis < sizes.size(); ++axis) {
            if (sizes[axis] == interp::Dynamic) {
                names.push_back(argument.name + "." + std::to_string(axis));
            }
        }
    }
    return names;
}

namespace {

/// True for a graph with a size that is not known, or with more elements than are run one by one first.
bool isLarge(const Graph& graph) {
    constexpr std::int64_t RunFirst = 20'000;
    std::int64_t elements = 0;
    for (const Value& value : graph.values) {
        const auto shape = value.type.shape ? staticShape(*value.type.shape) : std::nullopt;
        if (value.type.shape && !shape) {
            return true;
        }
        for (std::int64_t count = 1; const std::int64_t size : shape.value_or(std::vector<std::int64_t>())) {
            count = size > RunFirst ? RunFirst + 1 : std::min(RunFirst + 1, count * size);
            elements = std::max(elements, count);
        }
    }
    return elements > RunFirst;
}

bool isDecided(const CheckResult& result) { return result.verdict == Verdict::Proved || result.verdict == Verdict::Refuted; }

/// Both have a program.
Result<ProgramCheck> runBoth(const ProgramFile& reference, const ProgramFile& rewritten, const ProgramOptions& program, const CheckOptions& options,
                             const CheckServices& services, const std::stop_token& stop) {
    if (reference.isDump && rewritten.isDump) {
        const std::string& one = reference.program->functions[reference.program->entry].name;
        const std::string& other = rewritten.program->functions[rewritten.program->entry].name;
        if (one != other) {
            return fail(ErrorCode::BadData,
                        "shows @" + other + " where the dump before it shows @" + one + ": print whole modules, with --mlir-print-ir-module-scope",
                        rewritten.file);
        }
    }
    interp::CompareOptions comparing;
    comparing.check = options;
    // The programs have them in them; those of numbers are told for the inputs of a counterexample.
    comparing.check.sizes.clear();
    for (const interp::Argument& argument : reference.program->arguments) {
        const auto given = std::find_if(options.sizes.begin(), options.sizes.end(),
                                        [&](const auto& size) { return size.first.substr(size.first.starts_with('%') ? 1 : 0) == argument.name; });
        if (!argument.isView && given != options.sizes.end()) {
            comparing.check.sizes[argument.name] = given->second;
        }
    }
    comparing.mayAlias = program.mayAlias;
    comparing.fingerprint = program.fingerprint;
    auto compared = interp::comparePrograms(reference.program, rewritten.program, comparing, services, stop);
    if (!compared) {
        return tl::unexpected(compared.error());
    }
    const auto kept = std::make_shared<const interp::ProgramComparison>(std::move(*compared));
    return ProgramCheck{kept->result, kept};
}

} // namespace

Result<ProgramCheck> checkPrograms(const ProgramFile& reference, const ProgramFile& rewritten, const ProgramOptions& program, CheckOptions options,
                                   const CheckServices& services, const std::stop_token& stop) {
    // Tensor functions are graphs as well. Those hold at all sizes and for large tensors, where running every element says nothing or takes
    // too long; small ones are run first, which needs no form for every op.
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const double seconds = options.timeSeconds;
    const auto timed = [&] {
        options.timeSeconds = std::max(0.0, seconds - std::chrono::duration<double>(Clock::now() - start).count());
        return options;
    };
    const bool graphs = reference.graph != nullptr && rewritten.graph != nullptr && !program.mayAlias && !program.fingerprint;
    const bool large = graphs && (isLarge(*reference.graph) || isLarge(*rewritten.graph));
    std::optional<CheckResult> ofGraphs;
    const auto decidedAsGraphs = [&] {
        if (Result<CheckResult> checked = check(reference.graph, rewritten.graph, timed(), services, stop)) {
            ofGraphs = std::move(*checked);
        }
        return ofGraphs && isDecided(*ofGraphs);
    };
    if (large && decidedAsGraphs()) {
        return ProgramCheck{std::move(*ofGraphs), nullptr};
    }
    Result<ProgramCheck> ran = ProgramCheck();
    if (const auto& trouble = reference.trouble ? reference.trouble : rewritten.trouble) {
        ran = trouble->code == ErrorCode::Unsupported ? Result<ProgramCheck>(ProgramCheck{undecided(*trouble), nullptr}) : tl::unexpected(*trouble);
    } else {
        ran = runBoth(reference, rewritten, program, timed(), services, stop);
    }
    if (ran && !isDecided(ran->result) && graphs && !large && decidedAsGraphs()) {
        return ProgramCheck{std::move(*ofGraphs), nullptr};
    }
    if (ran && ran->result.verdict == Verdict::Undecided) {
        if (ofGraphs && ofGraphs->verdict == Verdict::Unproved) {
            return ProgramCheck{std::move(*ofGraphs), nullptr}; // says more: what was decided, and what not
        }
        const auto& arguments = reference.program ? reference.program->arguments : std::vector<interp::Argument>();
        const std::string& noGraph = reference.graph == nullptr ? reference.noGraph : rewritten.noGraph;
        if (ofGraphs && !ofGraphs->reason.empty()) {
            ran->result.reason += "; as graphs: " + ofGraphs->reason;
        } else if (!noGraph.empty() && std::any_of(arguments.begin(), arguments.end(), [](const auto& argument) { return argument.isTensor; })) {
            ran->result.reason += "; for all sizes: " + noGraph;
        }
    }
    return ran;
}

std::string sizeAskedFor(const CheckResult& result) {
    static constexpr std::string_view Remedy = "give --size ";
    const std::size_t at = result.verdict == Verdict::Undecided ? result.reason.find(Remedy) : std::string::npos;
    if (at == std::string::npos) {
        return {};
    }
    const std::string_view rest = std::string_view(result.reason).substr(at + Remedy.size());
    return std::string(rest.substr(0, rest.find('='))); // names have no =
}

std::string replayOptions(const ProgramOptions& program, const CheckOptions& options) {
    const Strength byDefault = program.fingerprint ? Strength::Probable : Strength::Rounded;
    std::string out = options.wanted == byDefault ? "" : " --strength " + std::string(name(options.wanted));
    const auto add = [&](const std::string& option, const std::string& value) { out += " " + option + " " + shellWord(value); };
    if (!program.entry.empty()) {
        add("--entry", program.entry);
    }
    for (const auto& [name, size] : options.sizes) {
        add("--size", name + "=" + std::to_string(size));
    }
    std::string outputs;
    for (const std::string& output : options.outputs) {
        outputs += (outputs.empty() ? "" : ",") + output;
    }
    if (!outputs.empty()) {
        add("--outputs", outputs);
    }
    return out + (program.mayAlias ? " --may-alias" : "") + (program.fingerprint ? " --fingerprint" : "");
}

} // namespace lemmascope
