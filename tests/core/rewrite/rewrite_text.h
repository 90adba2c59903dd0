#pragma once

#include "core/rewrite/rewriter.h"

#include <string>

namespace lemmascope::test {

/// A graph on one line: `x: f32[2]; k = 2; y = Mul(x, k); out y`. Attributes in braces, small constants with their elements.
[[nodiscard]] std::string graphText(const Graph& graph);

/// A rule text on a graph text (graph_text.h).
struct Rewritten {
    std::shared_ptr<const Graph> before;
    Result<rewrite::RewriteResult> result;

    /// The graph afterwards, or `error: ` and the message.
    [[nodiscard]] std::string graph() const;
    /// `rule@root`, in order, with the round where there are several.
    [[nodiscard]] std::string applications() const;
    /// `rule@root: reason`
    [[nodiscard]] std::string refusals() const;
};
[[nodiscard]] Rewritten rewriteText(const std::string& rules, const std::string& graph, const rewrite::RewriteOptions& options = {},
                                    std::int64_t opset = 17);
[[nodiscard]] Rewritten rewriteOn(const std::string& rules, const std::shared_ptr<const Graph>& graph, const rewrite::RewriteOptions& options = {});

} // namespace lemmascope::test
