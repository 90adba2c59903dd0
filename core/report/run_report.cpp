#include "core/report/run_report.h"

#include "core/program/number.h"
#include "core/report/element_text.h"
#include "core/report/json_writer.h"

#include <algorithm>
#include <sstream>

namespace lemmascope {

using interp::Cell;
using interp::LiveOut;
using interp::RunResult;

namespace {

constexpr std::size_t ShownCells = 8;
constexpr std::size_t WrittenCells = 65'536;
constexpr std::size_t TextLimit = 400;
constexpr auto InLine = JsonWriter::Layout::InLine;

std::string typeText(interp::ValueType type) {
    if (type == interp::Index) {
        return "index";
    }
    if (type.isInteger()) {
        return "i" + std::to_string(type.width());
    }
    return type == interp::F64 ? "f64" : type == interp::F32 ? "f32" : type == interp::F16 ? "f16" : type == interp::BF16 ? "bf16" : "handle";
}

std::string cellText(const interp::TermDag& dag, interp::ValueType type, const Cell& cell) {
    if (cell.term == interp::Unwritten) {
        return "never written";
    }
    if (cell.term != interp::NoTerm) {
        return dag.text(cell.term, TextLimit);
    }
    if (type.isFloat()) {
        return type == interp::F32 ? shortestDecimal(static_cast<float>(interp::doubleOf(type, cell.bits)))
                                   : shortestDecimal(interp::doubleOf(type, cell.bits));
    }
    return type == interp::Bit ? std::to_string(cell.bits) : std::to_string(interp::signedOf(type, cell.bits));
}

/// What a run leaves: results, then what it wrote.
std::vector<const LiveOut*> left(const RunResult& run) {
    std::vector<const LiveOut*> out;
    for (const LiveOut& result : run.results) {
        out.push_back(&result);
    }
    for (const auto* list : {&run.arguments, &run.globals}) {
        for (const LiveOut& one : *list) {
            if (one.written) {
                out.push_back(&one);
            }
        }
    }
    return out;
}

std::string_view endName(const RunResult& run) {
    switch (run.end) {
    case RunResult::End::Finished: return run.contention ? "nondeterministic" : "finished";
    case RunResult::End::Faulted: return "fault";
    case RunResult::End::Raced: return "race";
    case RunResult::End::Deadlocked: return "deadlock";
    case RunResult::End::Undecided: return "undecided";
    }
    return "undecided";
}

std::string reasonOf(const RunResult& run) {
    switch (run.end) {
    case RunResult::End::Finished: return run.contention ? run.contention->text() : std::string();
    case RunResult::End::Faulted: return run.fault ? run.fault->text() : std::string();
    case RunResult::End::Raced: return run.race ? run.race->text() : std::string();
    case RunResult::End::Deadlocked: return run.deadlock ? run.deadlock->text() : std::string();
    case RunResult::End::Undecided: return run.undecided;
    }
    return {};
}

std::string counted(std::uint64_t count, const char* what) { return std::to_string(count) + " " + what + (count == 1 ? "" : "s"); }

void writeStep(JsonWriter& json, const interp::Step& step) {
    json.beginObject(InLine);
    json.key("op");
    json.string(step.op);
    json.key("place");
    json.string(step.place);
    json.key("event");
    json.stringOrNull(step.event);
    json.key("task");
    json.string(step.task);
    json.key("iterations");
    json.beginArray();
    for (const interp::Iteration& iteration : step.iterations) {
        json.beginObject();
        json.key("name");
        json.string(iteration.name);
        json.key("value");
        json.integer(iteration.value);
        json.endObject();
    }
    json.endArray();
    json.endObject();
}

void writeFault(JsonWriter& json, const interp::TermDag& dag, const interp::Fault& fault) {
    json.beginObject();
    json.key("kind");
    json.string(interp::name(fault.kind));
    json.key("access");
    json.string(fault.access);
    json.key("buffer");
    json.stringOrNull(fault.buffer);
    json.key("index");
    json.integers(fault.index);
    json.key("size");
    json.integers(fault.size);
    json.key("step");
    writeStep(json, fault.step);
    json.key("condition");
    json.stringOrNull(fault.guard == interp::NoTerm ? std::string() : dag.text(fault.guard, TextLimit));
    json.key("text");
    json.string(fault.text());
    json.endObject();
}

void writeRace(JsonWriter& json, const RunResult& run) {
    if (!run.race) {
        json.null();
        return;
    }
    json.beginObject();
    json.key("buffer");
    json.string(run.race->buffer);
    json.key("index");
    json.integers(run.race->index);
    json.key("first");
    writeStep(json, run.race->first);
    json.key("second");
    writeStep(json, run.race->second);
    json.key("missing");
    json.string(run.race->missing);
    json.endObject();
}

void writeOutput(JsonWriter& json, const interp::TermDag& dag, const LiveOut& out) {
    json.beginObject();
    json.key("name");
    json.string(out.name);
    json.key("type");
    json.string(typeText(out.type));
    json.key("shape");
    json.integers(out.sizes);
    json.key("elements");
    json.beginArray();
    const std::size_t count = std::min(out.cells.size(), WrittenCells);
    for (std::size_t i = 0; i < count; ++i) {
        json.string(cellText(dag, out.type, out.cells[i]));
    }
    json.endArray();
    json.key("left_out");
    json.unsignedInteger(out.cells.size() - count);
    json.endObject();
}

} // namespace

int runStatus(const RunResult& run) {
    switch (run.end) {
    case RunResult::End::Finished: return run.contention || !run.conditional.empty() ? 1 : 0;
    case RunResult::End::Undecided: return 2;
    default: return 1;
    }
}

std::string runHeadline(const interp::TermDag& dag, const RunResult& run) {
    const std::string reason = reasonOf(run);
    std::string out(endName(run));
    out += reason.empty() ? "" : ": " + reason;
    return out + (reason.empty() ? ": " : "\n") + counted(run.steps, "step") + ", " + counted(run.tasks, "task") + ", " + counted(dag.size(), "term");
}

std::string runText(const interp::TermDag& dag, const RunResult& run) {
    std::string out;
    for (const interp::Fault& fault : run.conditional) {
        out += "fault if " + dag.text(fault.guard, TextLimit) + ": " + fault.text() + "\n";
    }
    for (const LiveOut* one : left(run)) {
        out += one->name + ": " + typeText(one->type);
        if (!one->sizes.empty()) {
            out += indexText(one->sizes);
        }
        out += "\n";
        for (std::size_t i = 0; i < std::min(one->cells.size(), ShownCells); ++i) {
            out += "  " + one->name + indexText(indexOf(one->sizes, static_cast<std::int64_t>(i))) + " = " + cellText(dag, one->type, one->cells[i]) +
                   "\n";
        }
        if (one->cells.size() > ShownCells) {
            out += "  and " + std::to_string(one->cells.size() - ShownCells) + " more\n";
        }
    }
    return out;
}

std::string runJson(const interp::Program& program, const interp::TermDag& dag, const RunResult& run) {
    JsonWriter json;
    json.beginObject();
    json.key("format");
    json.string("lemmascope-run");
    json.key("version");
    json.integer(1);
    json.key("entry");
    json.string(program.functions[program.entry].name);
    json.key("end");
    json.string(endName(run));
    json.key("reason");
    json.stringOrNull(reasonOf(run));
    json.key("fault");
    if (run.fault && run.end == RunResult::End::Faulted) {
        writeFault(json, dag, *run.fault);
    } else {
        json.null();
    }
    json.key("conditional");
    json.beginArray();
    for (const interp::Fault& fault : run.conditional) {
        writeFault(json, dag, fault);
    }
    json.endArray();
    json.key("race");
    writeRace(json, run);
    json.key("cycle");
    if (run.deadlock) {
        json.beginArray();
        for (const std::string& task : run.deadlock->cycle) {
            json.string(task);
        }
        json.endArray();
    } else {
        json.null();
    }
    json.key("outputs");
    json.beginArray();
    for (const LiveOut* one : left(run)) {
        writeOutput(json, dag, *one);
    }
    json.endArray();
    json.key("counts");
    json.beginObject(InLine);
    json.key("steps");
    json.unsignedInteger(run.steps);
    json.key("tasks");
    json.unsignedInteger(run.tasks);
    json.key("terms");
    json.unsignedInteger(dag.size());
    json.key("term_bytes");
    json.unsignedInteger(dag.bytes());
    json.endObject();
    json.key("times");
    json.beginObject(InLine);
    json.key("run");
    json.number(run.seconds);
    json.endObject();
    json.endObject();
    return json.text() + "\n";
}

} // namespace lemmascope
