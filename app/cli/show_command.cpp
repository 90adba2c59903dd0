#include "app/cli/commands.h"
#include "app/cli/console.h"
#include "app/cli/interrupt.h"
#include "core/graph/infer.h"
#include "core/report/graph_summary.h"

namespace lemmascope::cli {

int showCommand(const ShowRequest& request, Console& console, Interrupt& interrupt) {
    const auto loaded = openGraph(request.graph, request.definitions, interrupt);
    if (!loaded) {
        return report(console, loaded.error());
    }
    std::shared_ptr<const Graph> graph = *loaded;
    if (const auto typed = inferTypes(*graph, {}, interrupt.token())) {
        graph = *typed;
    } else if (typed.error().code == ErrorCode::Cancelled) {
        return report(console, typed.error());
    } else {
        // A graph with a fault in its types can still be looked at.
        console.note("note: " + request.graph + ": " + typed.error().text());
    }
    const Result<GraphSummary> summary = summarise(graph);
    if (!summary) {
        return report(console, summary.error());
    }
    console.answer(summaryText(*summary));
    if (!request.json.empty()) {
        if (const auto written = writeDocument(console, request.json, summaryJson(*summary)); !written) {
            return report(console, written.error());
        }
    }
    return 0;
}

} // namespace lemmascope::cli
