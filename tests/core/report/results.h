#pragma once

#include "core/prove/check_result.h"

#include <memory>
#include <string>
#include <utility>

/// Results made by hand: what a check would give for `Softmax(x, axis)` with one axis against another, and small changes of it.
namespace lemmascope::testing {

inline std::shared_ptr<const Graph> softmaxGraph(std::int64_t axis) {
    auto graph = std::make_shared<Graph>();
    graph->name = "softmax";
    graph->opsets[""] = 17;
    const TensorType type{ElementType::F32, Shape{Dim(2), Dim(2)}};
    const ValueId x = graph->addValue({.name = "x", .type = type});
    graph->inputs.push_back(x);
    const ValueId y = graph->addValue({.name = "y", .type = type});
    Node node;
    node.op = {"", "Softmax", 17};
    node.name = "soft";
    node.operands = {x};
    node.results = {y};
    node.attributes["axis"] = axis;
    graph->addNode(std::move(node));
    graph->outputs.push_back(y);
    return graph;
}

inline CheckResult refutedResult() {
    CheckResult result;
    result.reference = std::make_shared<const GraphTree>(GraphTree::build(softmaxGraph(1)).value());
    result.rewritten = std::make_shared<const GraphTree>(GraphTree::build(softmaxGraph(0)).value());
    result.verdict = Verdict::Refuted;
    result.kind = RefutationKind::Value;
    result.outputs.push_back({.name = "y",
                              .reference = FlatValueId(1U),
                              .rewritten = FlatValueId(1U),
                              .verdict = Verdict::Refuted,
                              .strength = {},
                              .kind = RefutationKind::Value,
                              .reason = {}});
    LemmaResult lemma;
    lemma.id = "L1";
    lemma.title = "Softmax soft = Softmax soft";
    lemma.verdict = LemmaVerdict::Fails;
    lemma.rung = Rung::Solver;
    lemma.text = "(declare-const x Real)\n(assert (< x x))\n";
    lemma.digest = sha256Hex(lemma.text);
    lemma.reference = FlatValueId(1U);
    lemma.rewritten = FlatValueId(1U);
    lemma.referenceNodes = {FlatNodeId(0U)};
    lemma.rewrittenNodes = {FlatNodeId(0U)};
    lemma.outputs = {0};
    result.lemmas.push_back(lemma);
    result.correspondence.reference = {{.mark = NodeMark::Failing, .partner = FlatNodeId(0U), .reason = "axis differs", .lemmas = {0}}};
    result.correspondence.rewritten = result.correspondence.reference;
    result.correspondence.partnerOfReferenceValue = {FlatValueId(0U), FlatValueId(1U)};
    result.correspondence.sharedTerms = 1;
    Counterexample found;
    found.confirmed = true;
    found.inputs.emplace_back("x", Tensor::of<float>(ElementType::F32, {2, 2}, {0.1F, -0.0F, 1.0F, 1e-7F}));
    found.output = "y";
    found.index = {0, 1};
    found.reference = Tensor::of<float>(ElementType::F32, {2, 2}, {0.5F, 0.5F, 0.5F, 0.5F});
    found.rewritten = Tensor::of<float>(ElementType::F32, {2, 2}, {0.5F, 0.25F, 0.5F, 0.75F});
    found.referenceRun.values = {found.inputs[0].second, found.reference};
    found.rewrittenRun.values = {found.inputs[0].second, found.rewritten};
    found.path = {{FlatValueId(0U), FlatValueId(0U)}, {FlatValueId(1U), FlatValueId(1U)}};
    found.firstDifference = 1;
    result.counterexample = std::move(found);
    result.blame.push_back({Side::Rewritten, FlatNodeId(0U), "soft", "axis"});
    result.assumptions.push_back({"law", "exp is never 0"});
    return result;
}

inline CheckResult provedResult(Strength strength) {
    CheckResult result = refutedResult();
    result.verdict = Verdict::Proved;
    result.strength = strength;
    result.kind.reset();
    result.counterexample.reset();
    result.blame.clear();
    result.outputs[0].verdict = Verdict::Proved;
    result.outputs[0].strength = strength;
    result.outputs[0].kind.reset();
    result.lemmas[0].verdict = LemmaVerdict::Holds;
    result.lemmas[0].strength = strength;
    return result;
}

} // namespace lemmascope::testing
