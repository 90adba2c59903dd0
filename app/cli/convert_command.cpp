#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "core/format/load.h"
#include "core/graph/graph_tree.h"
#include "core/graph/infer.h"
#include "core/report/files.h"
#include "core/report/graph_picture.h"

namespace lemmascope::cli {

namespace {

Result<std::string> picture(const std::shared_ptr<const Graph>& graph, bool png, Interrupt& interrupt) {
    const Result<GraphTree> tree = GraphTree::build(graph);
    if (!tree) {
        return tl::unexpected(tree.error());
    }
    const Result<Picture> drawn = graphPicture(*tree, interrupt.token());
    if (!drawn) {
        return tl::unexpected(drawn.error());
    }
    return png ? picturePng(*drawn) : Result<std::string>(pictureSvg(*drawn));
}

Result<void> convert(const ConvertRequest& request, Console& console, Interrupt& interrupt) {
    for (const char* ending : {".dot", ".gv", ".svg", ".png"}) {
        if (request.from.ends_with(ending)) {
            return fail(ErrorCode::Usage, "convert: " + request.from + ": pictures cannot be read, only written; give a graph (.lsg.json or .onnx)");
        }
    }
    const auto loaded = openGraph(request.from, interrupt);
    if (!loaded) {
        return tl::unexpected(loaded.error());
    }
    std::shared_ptr<const Graph> graph = *loaded;
    for (const std::string& note : graph->notes) {
        console.note("note: " + request.from + ": " + note);
    }
    const std::string& to = request.to;
    if (to.ends_with(".dot") || to.ends_with(".gv") || to.ends_with(".svg") || to.ends_with(".png")) {
        // Pictures show inferred types where there are any; a graph whose types do not fit is drawn as it is.
        if (const auto typed = inferTypes(*graph, {}, interrupt.token())) {
            graph = *typed;
        } else if (typed.error().code == ErrorCode::Cancelled) {
            return tl::unexpected(typed.error());
        }
        if (to.ends_with(".dot") || to.ends_with(".gv")) {
            return writeFile(to, graphDot(*graph));
        }
        const Result<std::string> bytes = picture(graph, to.ends_with(".png"), interrupt);
        return bytes ? writeFile(to, *bytes) : tl::unexpected(bytes.error());
    }
    if (!to.ends_with(".json") && !to.ends_with(".onnx")) {
        return fail(ErrorCode::Usage, "convert: the ending of '" + to + "' names no format; known are .lsg.json .onnx .dot .svg .png");
    }
    std::vector<std::string> notes;
    const Result<void> saved = saveGraph(*graph, to, notes);
    for (const std::string& note : notes) {
        console.note("note: " + to + ": " + note);
    }
    return saved;
}

} // namespace

int convertCommand(const ConvertRequest& request, Console& console, Interrupt& interrupt) {
    const Result<void> done = convert(request, console, interrupt);
    return done ? 0 : report(console, done.error());
}

} // namespace lemmascope::cli
