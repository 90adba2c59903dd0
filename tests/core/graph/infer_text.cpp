#include "tests/core/graph/infer_text.h"

#include "tests/core/graph/graph_text.h"

namespace lemmascope::test {

std::string inferredText(const std::string& graph, const InferOptions& options) { return inferredText(*parseGraph(graph), options); }

std::string inferredText(const Graph& graph, const InferOptions& options) {
    const auto inferred = inferTypes(graph, options);
    if (!inferred) {
        return "error: " + inferred.error().message;
    }
    std::string out;
    for (const ValueId id : (*inferred)->outputs) {
        const Value& value = (*inferred)->value(id);
        out += (out.empty() ? "" : " ") + value.type.text();
        if (value.elements) {
            std::string elements;
            for (const Dim& element : *value.elements) {
                elements += (elements.empty() ? "" : " ") + element.text();
            }
            out += "{" + elements + "}";
        }
    }
    return out;
}

} // namespace lemmascope::test
