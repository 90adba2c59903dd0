#include "tests/core/rewrite/rewrite_text.h"

#include "core/match/parser.h"
#include "core/match/static_check.h"
#include "tests/core/graph/graph_text.h"

#include <sstream>

namespace lemmascope::test {

namespace {

std::string number(double value) {
    std::ostringstream out;
    out << value;
    return out.str();
}

template <typename T, typename Text>
std::string list(const std::vector<T>& items, Text text) {
    std::string out;
    for (const T& each : items) {
        out += (out.empty() ? "" : ",") + text(each);
    }
    return "[" + out + "]";
}

std::string attributeText(const Attribute& attribute) {
    struct Writer {
        std::string operator()(std::int64_t v) const { return std::to_string(v); }
        std::string operator()(float v) const { return number(static_cast<double>(v)) + "f"; }
        std::string operator()(const std::string& v) const { return v; }
        std::string operator()(const std::vector<std::int64_t>& v) const {
            return list(v, [](std::int64_t each) { return std::to_string(each); });
        }
        std::string operator()(const std::vector<float>& v) const {
            return list(v, [](float each) { return number(static_cast<double>(each)) + "f"; });
        }
        std::string operator()(const std::vector<std::string>& v) const {
            return list(v, [](const std::string& each) { return each; });
        }
        std::string operator()(const Tensor& v) const { return "tensor of " + std::to_string(v.count()); }
        std::string operator()(const std::shared_ptr<const Graph>& v) const { return "<" + graphText(*v) + ">"; }
        std::string operator()(const std::vector<std::shared_ptr<const Graph>>& v) const { return std::to_string(v.size()) + " graphs"; }
    };
    return std::visit(Writer{}, attribute);
}

} // namespace

std::string graphText(const Graph& graph) {
    std::string out;
    const auto put = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
    for (const ValueId input : graph.inputs) {
        put(graph.value(input).name + ": " + graph.value(input).type.text());
    }
    for (const Value& value : graph.values) {
        if (!value.constant) {
            continue;
        }
        std::string elements;
        for (std::int64_t i = 0; i < std::min<std::int64_t>(value.constant->count(), 8); ++i) {
            elements += (i == 0 ? "" : " ") + number(value.constant->toDouble(i));
        }
        put(value.name + " = " + value.type.text() + "{" + elements + "}");
    }
    for (const Node& node : graph.nodes) {
        std::string text;
        for (const ValueId result : node.results) {
            text += (text.empty() ? "" : ", ") + (result.isValid() ? graph.value(result).name : std::string("_"));
        }
        text += " = " + node.op.text();
        std::string attributes;
        for (const auto& [key, attribute] : node.attributes) {
            attributes += (attributes.empty() ? "" : ", ") + key + "=" + attributeText(attribute);
        }
        text += attributes.empty() ? "(" : "{" + attributes + "}(";
        for (std::size_t k = 0; k < node.operands.size(); ++k) {
            text += (k == 0 ? "" : ", ") + (node.operands[k].isValid() ? graph.value(node.operands[k]).name : std::string("_"));
        }
        put(text + ")");
    }
    for (const ValueId output : graph.outputs) {
        put("out " + graph.value(output).name);
    }
    return out;
}

std::string Rewritten::graph() const { return result ? graphText(*result->plain) : "error: " + result.error().text(); }

std::string Rewritten::applications() const {
    std::string out;
    for (std::size_t k = 0; result && k < result->applications.size(); ++k) {
        const rewrite::RewriteApplication& each = result->applications[k];
        out += (k == 0 ? "" : ", ") + (result->rounds > 1 ? std::to_string(each.round) + ":" : std::string()) + each.rule + "@" +
               (each.scope.empty() ? "" : each.scope + "/") + each.root;
    }
    return out;
}

std::string Rewritten::refusals() const {
    std::string out;
    for (std::size_t k = 0; result && k < result->refusals.size(); ++k) {
        out += (k == 0 ? "" : ", ") + result->refusals[k].rule + "@" + result->refusals[k].root + ": " + result->refusals[k].reason;
    }
    return out;
}

Rewritten rewriteOn(const std::string& rules, const std::shared_ptr<const Graph>& graph, const rewrite::RewriteOptions& options) {
    const Result<match::RuleFile> file = match::parseRules(rules, "r");
    if (!file) {
        return {graph, tl::unexpected(file.error())};
    }
    const match::StaticResult checked = match::checkStatically(*file);
    if (!checked.passes()) {
        return {graph, fail(ErrorCode::BadData, checked.firstError()->text("r"))};
    }
    const Result<match::Programs> programs = match::compileRules(*file, checked);
    if (!programs) {
        return {graph, tl::unexpected(programs.error())};
    }
    return {graph, rewrite::rewriteGraph(graph, *file, *programs, options)};
}

Rewritten rewriteText(const std::string& rules, const std::string& graph, const rewrite::RewriteOptions& options, std::int64_t opset) {
    return rewriteOn(rules, parseGraph(graph, opset), options);
}

} // namespace lemmascope::test
