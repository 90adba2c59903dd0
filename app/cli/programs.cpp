#include "app/cli/programs.h"

#include "core/format/mlir/lower.h"
#include "core/format/mlir/reader.h"
#include "core/format/mlir/to_graph.h"
#include "core/interp/compare.h"
#include "core/report/files.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>

namespace lemmascope::cli {

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

Result<std::shared_ptr<const ir::Module>> openModule(const std::string& file, const std::stop_token& stop) {
    const auto dump = dumpNamed(file);
    if (!dump) {
        return ir::readModuleFile(file, stop);
    }
    const std::vector<ir::Dump> dumps = dumpsOf(dump->file);
    if (dump->number > dumps.size()) {
        return fail(ErrorCode::NotFound, "has " + std::to_string(dumps.size()) + " dumps", dump->file);
    }
    const ir::Dump& one = dumps[dump->number - 1];
    return ir::readModule(one.text, dump->file, one.firstLine, stop);
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

Result<std::shared_ptr<const interp::Program>> openProgram(const std::string& file, const std::string& entry,
                                                           const std::map<std::string, std::int64_t>& sizes, const std::stop_token& stop) {
    const auto module = openModule(file, stop);
    return module ? ir::lower(**module, {entry, sizes}) : tl::unexpected(module.error());
}

namespace {

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

} // namespace

Result<std::shared_ptr<const Graph>> openTensorFunction(const std::string& file, const std::string& entry, const std::stop_token& stop) {
    const auto module = openModule(file, stop);
    for (std::size_t i = 0; module && i < (*module)->operations.size(); ++i) {
        if (mayOverflow(**module, ir::OperationId(i))) {
            return fail(ErrorCode::Unsupported, "a division may overflow, which graphs leave defined", (*module)->where(ir::OperationId(i)));
        }
    }
    auto graph = module ? ir::toGraph(**module, entry) : tl::unexpected(module.error());
    if (graph && (*graph)->outputs.empty()) {
        return fail(ErrorCode::Unsupported, "returns nothing", file);
    }
    return graph;
}

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

namespace {

/// The sizes under the positions of the arguments they name.
std::map<std::string, std::int64_t> byPosition(const std::map<std::string, std::int64_t>& sizes, const interp::Program& program) {
    std::map<std::string, std::int64_t> out;
    for (const auto& [given, size] : sizes) {
        const std::string whole = given.substr(given.starts_with('%') ? 1 : 0);
        const std::size_t point = whole.rfind('.');
        for (std::size_t i = 0; i < program.arguments.size(); ++i) {
            const std::string& name = program.arguments[i].name;
            if (name == whole || (point != std::string::npos && name == whole.substr(0, point))) {
                out["#" + std::to_string(i) + (name == whole ? std::string() : whole.substr(point))] = size;
            }
        }
    }
    return out;
}

} // namespace

Result<std::string> programText(const std::string& file) {
    if (const auto dump = dumpNamed(file)) {
        const std::vector<ir::Dump> dumps = dumpsOf(dump->file);
        return dump->number <= dumps.size() ? Result<std::string>(dumps[dump->number - 1].text)
                                            : fail(ErrorCode::NotFound, "has " + std::to_string(dumps.size()) + " dumps", dump->file);
    }
    if (headOf(file).find('\0') != std::string::npos) {
        return std::string();
    }
    return readFile(file, LargestDump);
}

Result<ProgramCheck> checkPrograms(const std::string& reference, const std::string& rewritten, const CheckRequest& request,
                                   const CheckOptions& options, const CheckServices& services, const std::stop_token& stop) {
    const auto before = openProgram(reference, request.entry, options.sizes, stop);
    const auto after = before ? openProgram(rewritten, request.entry, byPosition(options.sizes, **before), stop) : before;
    if (!after) {
        return after.error().code == ErrorCode::Unsupported ? Result<ProgramCheck>(ProgramCheck{undecided(after.error()), {}, {}, {}})
                                                            : tl::unexpected(after.error());
    }
    if (dumpNamed(reference) && dumpNamed(rewritten)) {
        const std::string& one = (*before)->functions[(*before)->entry].name;
        const std::string& other = (*after)->functions[(*after)->entry].name;
        if (one != other) {
            return fail(ErrorCode::BadData,
                        "shows @" + other + " where the dump before it shows @" + one + ": print whole modules, with --mlir-print-ir-module-scope",
                        rewritten);
        }
    }
    interp::CompareOptions comparing;
    comparing.check = options;
    // The programs have them in them; those of numbers are told for the inputs of a counterexample.
    comparing.check.sizes.clear();
    for (const interp::Argument& argument : (*before)->arguments) {
        const auto given = std::find_if(options.sizes.begin(), options.sizes.end(),
                                        [&](const auto& size) { return size.first.substr(size.first.starts_with('%') ? 1 : 0) == argument.name; });
        if (!argument.isView && given != options.sizes.end()) {
            comparing.check.sizes[argument.name] = given->second;
        }
    }
    comparing.mayAlias = request.mayAlias;
    comparing.fingerprint = request.fingerprint;
    auto compared = interp::comparePrograms(*before, *after, comparing, services, stop);
    if (!compared) {
        return tl::unexpected(compared.error());
    }
    const auto kept = std::make_shared<const interp::ProgramComparison>(std::move(*compared));
    return ProgramCheck{kept->result, *before, *after, kept};
}

} // namespace lemmascope::cli
