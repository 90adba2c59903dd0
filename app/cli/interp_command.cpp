#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "core/report/program_check.h"
#include "core/report/run_report.h"

namespace lemmascope::cli {

int interpCommand(const InterpRequest& request, Console& console, Interrupt& interrupt) {
    const auto read = readProgram(request.program, {.entry = request.entry}, request.sizes, interrupt.token());
    if (!read || read->trouble) {
        return report(console, read ? *read->trouble : read.error());
    }
    const auto& program = read->program;
    for (const std::string& note : program->notes) {
        console.note("note: " + note);
    }
    interp::TermDag dag;
    interp::RunOptions options;
    options.limits.seconds = request.timeSeconds;
    interp::addBuffers(*program, dag, options);
    const auto run = interp::run(program, dag, options, interrupt.token());
    if (!run) {
        return report(console, run.error());
    }
    console.answer(runHeadline(dag, *run) + "\n" + runText(dag, *run));
    if (!request.json.empty()) {
        if (const auto written = writeDocument(console, request.json, runJson(*program, dag, *run)); !written) {
            return report(console, written.error());
        }
    }
    return runStatus(*run);
}

} // namespace lemmascope::cli
