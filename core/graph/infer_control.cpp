// Which nested graphs of a node are inferred, with what inputs, and what the node's results are then.

#include "core/graph/definition_library.h"
#include "core/graph/infer_frame.h"
#include "core/graph/op_registry.h"

#include <algorithm>

namespace lemmascope {

namespace {

bool isOnnx(const Node& node, std::string_view name) { return (node.op.domain.empty() || node.op.domain == "ai.onnx") && node.op.name == name; }

bool hasNested(const Node& node) {
    return node.body != nullptr || std::any_of(node.attributes.begin(), node.attributes.end(), [](const auto& entry) {
               return std::holds_alternative<std::shared_ptr<const Graph>>(entry.second) ||
                      std::holds_alternative<std::vector<std::shared_ptr<const Graph>>>(entry.second);
           });
}

void resultsFrom(InferContext& c, const NestedResult& nested) {
    if (nested.outputs.size() < c.resultCount()) {
        c.fail("has " + counted(c.resultCount(), "result") + ", but its " + nested.role + " has " + counted(nested.outputs.size(), "output"));
        return;
    }
    for (std::size_t k = 0; k < c.resultCount(); ++k) {
        c.results()[k] = nested.outputs[k];
    }
}

// A call of a fused op or function: its body with the operands' facts.
std::optional<NestedRequest> nextOfBody(InferFrame& frame, InferContext& c) {
    const Node& node = c.node();
    if (!frame.done.empty()) {
        resultsFrom(c, frame.done.front());
        return std::nullopt;
    }
    if (node.operands.size() > node.body->inputs.size()) {
        c.fail("has " + counted(node.operands.size(), "operand") + ", but its body has " + counted(node.body->inputs.size(), "input"));
        return std::nullopt;
    }
    NestedRequest request{"body", node.body, {}, node.operands, false};
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
        request.inputs.push_back(c.facts(i));
    }
    return request;
}

// An op that is open but for the user's definition: its types are those of what it is written out as.
std::optional<NestedRequest> nextOfDefined(InferFrame& frame, InferContext& c, const Definition& definition) {
    if (!frame.done.empty()) {
        if (!frame.done.front().error && frame.done.front().outputs.size() == frame.writtenOut.size()) {
            for (std::size_t k = 0; k < frame.writtenOut.size(); ++k) {
                c.results()[frame.writtenOut[k]] = frame.done.front().outputs[k];
            }
        }
        return std::nullopt;
    }
    DefinedCall call;
    call.definition = &definition;
    call.attributes = &c.node().attributes;
    for (std::size_t i = 0; i < c.operandCount(); ++i) {
        call.operands.emplace_back();
        if (c.has(i)) {
            call.operands.back() = DefinedCall::Operand{c.type(i), {}};
            if (c.elements(i) != nullptr) {
                call.operands.back()->elements = *c.elements(i);
            }
        }
    }
    for (const ValueId result : c.node().results) {
        call.wanted.push_back(result.isValid());
    }
    Result<DefinedBody> body = writeOut(call);
    if (!body) {
        return std::nullopt; // its results stay unknown
    }
    frame.writtenOut = body->results;
    NestedRequest request{"definition", std::make_shared<const Graph>(std::move(body->graph)), {}, {}, true};
    for (const std::size_t k : body->operands) {
        request.inputs.push_back(c.facts(k));
        request.inputsFrom.push_back(c.node().operands[k]);
    }
    return request;
}

// What holds of a value that is one of two: what both agree on.
ValueFacts joined(const ValueFacts& a, const ValueFacts& b, InferContext& c, std::size_t result) {
    ValueFacts out;
    out.type.element = a.type.element == b.type.element ? a.type.element : ElementType::Undefined;
    if (a.type.shape && b.type.shape && a.type.shape->size() == b.type.shape->size()) {
        out.type.shape = a.type.shape;
        for (std::size_t axis = 0; axis < a.type.shape->size(); ++axis) {
            if ((*a.type.shape)[axis] != (*b.type.shape)[axis]) {
                (*out.type.shape)[axis] = c.unknown(result, axis);
            }
        }
    }
    if (a.elements != nullptr && b.elements != nullptr && a.type == b.type && *a.elements == *b.elements) {
        out.elements = a.elements;
    }
    return out;
}

std::optional<bool> conditionOf(const InferContext& c, std::size_t operand) {
    const std::vector<Dim>* elements = c.elements(operand);
    if (elements == nullptr || elements->size() != 1 || !elements->front().isKnown()) {
        return std::nullopt;
    }
    return elements->front().value() != 0;
}

std::optional<NestedRequest> nextOfIf(InferFrame& frame, InferContext& c) {
    static const std::string Roles[] = {"then_branch", "else_branch"};
    const std::optional<bool> condition = conditionOf(c, 0);
    if (frame.done.size() < 2) {
        const std::string& role = Roles[frame.done.size()];
        const auto* branch = c.node().attribute<std::shared_ptr<const Graph>>(role);
        if (branch == nullptr || *branch == nullptr) {
            c.fail("attribute '" + role + "' is missing");
            return std::nullopt;
        }
        // A branch that cannot run at these sizes is no error as long as it need not be taken.
        const bool mustRun = condition && *condition == frame.done.empty();
        return NestedRequest{role, *branch, {}, {}, !mustRun};
    }
    if (!c.checkElement(0, {ElementType::Bool})) {
        return std::nullopt;
    }
    if (condition) {
        resultsFrom(c, frame.done[*condition ? 0 : 1]);
        return std::nullopt;
    }
    if (frame.done[0].error && frame.done[1].error) {
        c.fail("neither branch can run: " + frame.done[0].error->message);
        return std::nullopt;
    }
    if (frame.done[0].error || frame.done[1].error) {
        const std::size_t good = frame.done[0].error ? 1 : 0;
        frame.graph.requiredBranches[static_cast<std::uint32_t>(frame.next)] = good == 0;
        const NestedResult& bad = frame.done[1 - good];
        frame.graph.notes.push_back("the " + bad.role + " of node '" + frame.graph.displayName(NodeId(frame.next)) +
                                    "' cannot run: " + bad.error->message);
        resultsFrom(c, frame.done[good]);
        // What the other branch would have given is not known, only that it gives nothing.
        for (ValueFacts& result : c.results()) {
            result.elements.reset();
            result.constant = nullptr;
        }
        return std::nullopt;
    }
    for (const NestedResult& branch : frame.done) {
        if (branch.outputs.size() != c.resultCount()) {
            c.fail("has " + counted(c.resultCount(), "result") + ", but its " + branch.role + " has " + counted(branch.outputs.size(), "output"));
            return std::nullopt;
        }
    }
    if (const std::optional<bool> chosen = frame.chosenBranch()) {
        resultsFrom(c, frame.done[*chosen ? 0 : 1]);
        return std::nullopt;
    }
    for (std::size_t k = 0; k < c.resultCount(); ++k) {
        const std::optional<Shape>& a = frame.done[0].outputs[k].type.shape;
        const std::optional<Shape>& b = frame.done[1].outputs[k].type.shape;
        frame.ranksDiffer = frame.ranksDiffer || (a && b && a->size() != b->size());
        c.results()[k] = joined(frame.done[0].outputs[k], frame.done[1].outputs[k], c, k);
    }
    return std::nullopt;
}

// Graphs of an op whose meaning is not known: as declared, with what they capture.
std::optional<NestedRequest> nextOfOther(InferFrame& frame, InferContext& c) {
    const std::vector<std::pair<std::string, std::shared_ptr<const Graph>>> nested = Graph::nestedGraphs(c.node());
    if (frame.done.size() < nested.size() && nested[frame.done.size()].second != nullptr) {
        const auto& [role, graph] = nested[frame.done.size()];
        return NestedRequest{role, graph, {}, {}, false};
    }
    return std::nullopt;
}

} // namespace

std::optional<NestedRequest> nextNested(InferFrame& frame, InferContext& context) {
    const Node& node = context.node();
    if (!hasNested(node)) {
        const InferFrame* top = &frame;
        while (top->outer != nullptr) {
            top = top->outer;
        }
        // Ops with a schema have a rule of their own.
        const Definition* definition = findOp(node.op) == nullptr ? findDefinition(top->graph.definitions.get(), node.op) : nullptr;
        return definition != nullptr ? nextOfDefined(frame, context, *definition) : std::nullopt;
    }
    if (node.body) {
        return nextOfBody(frame, context);
    }
    if (isOnnx(node, "If")) {
        return nextOfIf(frame, context);
    }
    if (isOnnx(node, "Loop")) {
        return nextOfLoop(frame, context);
    }
    if (isOnnx(node, "Scan")) {
        return nextOfScan(frame, context);
    }
    return nextOfOther(frame, context);
}

} // namespace lemmascope
