#include "tests/core/format/mlir/program_run.h"

#include "core/format/mlir/reader.h"
#include "core/interp/machine.h"
#include "core/program/number.h"

#include <sstream>

using namespace lemmascope;

namespace {

std::string numberText(interp::ValueType type, std::uint64_t bits) {
    std::ostringstream out;
    if (type.isFloat()) {
        out << interp::doubleOf(type, bits);
    } else if (type == interp::Bit) {
        out << bits;
    } else {
        const unsigned unused = 64 - type.width();
        out << (static_cast<std::int64_t>(bits << unused) >> unused);
    }
    return out.str();
}

std::string cellsText(const interp::LiveOut& out) {
    std::string text = out.name + ":";
    for (const interp::Cell& cell : out.cells) {
        text += " " + numberText(out.type, cell.bits);
    }
    return text;
}

} // namespace

std::vector<std::vector<double>> numbersOf(const std::string& text) {
    std::vector<std::vector<double>> out(1);
    std::istringstream in(text);
    for (std::string word; in >> word;) {
        if (word == "|") {
            out.emplace_back();
        } else {
            out.back().push_back(std::stod(word));
        }
    }
    return out;
}

std::string runText(const std::string& source, const std::string& inputs, const ir::LowerOptions& lowering) {
    const auto module = ir::readModule(source, "p.mlir");
    if (!module) {
        return "not read: " + module.error().text();
    }
    const auto program = ir::lower(**module, lowering);
    if (!program) {
        return "not lowered: " + program.error().text();
    }
    interp::TermDag dag;
    interp::RunOptions options;
    interp::addBuffers(**program, dag, options);
    options.arguments.emplace();
    const auto given = numbersOf(inputs);
    for (std::size_t i = 0; i < (*program)->arguments.size(); ++i) {
        const interp::Argument& argument = (*program)->arguments[i];
        const interp::FunctionCode& entry = (*program)->functions[(*program)->entry];
        const interp::ValueType type = argument.isView ? entry.views[argument.position].element : entry.registers[argument.position];
        interp::CellValues values;
        for (const double number : i < given.size() ? given[i] : std::vector<double>()) {
            values.push_back(type.isFloat() ? interp::bitsOf(type, number)
                                            : static_cast<std::uint64_t>(static_cast<std::int64_t>(number)) & interp::maskOf(type));
        }
        options.arguments->push_back(std::move(values));
    }
    const auto result = interp::run(*program, dag, options);
    if (!result) {
        return "not run: " + result.error().text();
    }
    switch (result->end) {
    case interp::RunResult::End::Finished: break;
    case interp::RunResult::End::Faulted: return "fault: " + result->fault->text();
    case interp::RunResult::End::Raced: return "race: " + result->race->text();
    case interp::RunResult::End::Deadlocked: return "deadlock: " + result->deadlock->text();
    case interp::RunResult::End::Undecided: return "undecided: " + result->undecided;
    }
    std::string text;
    for (const interp::LiveOut& out : result->results) {
        text += (text.empty() ? "" : " | ") + cellsText(out);
    }
    for (const interp::LiveOut& out : result->arguments) {
        if (out.written) {
            text += (text.empty() ? "" : " | ") + cellsText(out);
        }
    }
    return text;
}
