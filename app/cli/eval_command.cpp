#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/input_files.h"
#include "app/cli/interrupt.h"
#include "core/eval/evaluator.h"
#include "core/format/npy/npy.h"
#include "core/graph/infer.h"
#include "core/report/element_text.h"
#include "core/report/files.h"

#include <filesystem>
#include <system_error>

namespace lemmascope::cli {

namespace {

std::string elements(const Tensor& tensor) {
    static constexpr std::int64_t Shown = 64;
    std::string out;
    for (std::int64_t i = 0; i < tensor.count() && i < Shown; ++i) {
        out += (i == 0 ? "" : ", ") + elementText(tensor, i);
    }
    return out + (tensor.count() > Shown ? ", ... (" + std::to_string(tensor.count()) + " in all)" : "");
}

std::string faultText(const GraphTree& tree, const Fault& fault) {
    static constexpr const char* Words[] = {"read out of range", "write out of range", "integer division by zero"};
    std::string out = Words[static_cast<std::size_t>(fault.kind)];
    out += ": " + fault.buffer + indexText(fault.index);
    out += fault.size.empty() ? "" : " of size " + indexText(fault.size);
    return out + (fault.node.isValid() ? " in node " + tree.path(fault.node) : "");
}

Result<int> evaluateGraph(const EvalRequest& request, Console& console, Interrupt& interrupt) {
    const auto loaded = openGraph(request.graph, request.definitions, interrupt);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    auto typed = inferTypes(**loaded, {.sizes = request.sizes}, interrupt.token());
    if (!typed) {
        typed.error().where = request.graph;
        return tl::unexpected(typed.error());
    }
    const Result<GraphTree> tree = GraphTree::build(*typed);
    if (!tree) {
        return tl::unexpected(tree.error());
    }
    const auto given = readInputFiles(request.inputs);
    if (!given) {
        return tl::unexpected(given.error());
    }
    const auto inputs = completeInputs(**typed, *given, request.seed);
    if (!inputs) {
        return tl::unexpected(inputs.error());
    }
    const Result<Evaluation> run = evaluate(*tree, *inputs, {.keepAll = false}, interrupt.token());
    if (!run) {
        return tl::unexpected(run.error());
    }
    if (!request.folder.empty()) {
        std::error_code problem;
        std::filesystem::create_directories(request.folder, problem);
        if (problem) {
            return fail(ErrorCode::NotFound, "cannot make the folder: " + problem.message(), request.folder);
        }
    }
    FileNames names;
    const Graph& graph = **typed;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
        const std::optional<Tensor>& value = run->values.at(graph.outputs[i].index);
        const std::string& name = graph.outputName(i);
        if (!value) {
            console.answer(name + ": no value\n");
            continue;
        }
        console.answer(name + " " + tensorTypeText(*value) + ": " + elements(*value) + "\n");
        if (!request.folder.empty()) {
            const auto written = writeNpy(*value, std::filesystem::path(request.folder) / (names.take(name) + ".npy"));
            if (!written) {
                return tl::unexpected(written.error());
            }
        }
    }
    for (const FlatNodeId open : run->open) {
        console.note("note: no kernel for " + tree->node(open).op.text() + " (node " + tree->path(open) + "): what reads it has no value");
    }
    if (run->fault) {
        console.answer("fault: " + faultText(*tree, *run->fault) + "\n");
        return 1;
    }
    return 0;
}

} // namespace

int evalCommand(const EvalRequest& request, Console& console, Interrupt& interrupt) {
    const Result<int> status = evaluateGraph(request, console, interrupt);
    return status ? *status : report(console, status.error());
}

} // namespace lemmascope::cli
