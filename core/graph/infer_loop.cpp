// Loop and Scan. A value carried round a loop has what holds in every round: its initial type where the body keeps it, less
// where the body changes it, found by inferring the body again with less until nothing changes (three rounds at most).

#include "core/graph/infer_frame.h"

#include <algorithm>

namespace lemmascope {

namespace {

// A length that the body may change from round to round.
Dim carriedLength(InferContext& c, std::size_t variable, std::size_t axis, std::string_view where) {
    return InferContext::derived(where, {c.unknown(variable, axis)});
}

std::vector<ValueFacts> initialFacts(const InferContext& c, std::size_t first, std::size_t count) {
    std::vector<ValueFacts> out;
    for (std::size_t k = 0; k < count; ++k) {
        ValueFacts facts;
        facts.type = c.type(first + k); // elements and constants hold in the first round only
        out.push_back(std::move(facts));
    }
    return out;
}

// Takes from the inputs what the body's outputs do not keep. True when something was taken.
bool weaken(InferContext& c, std::vector<ValueFacts>& inputs, const std::vector<ValueFacts>& outputs, std::size_t firstOutput, bool lastRound) {
    bool changed = false;
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        std::optional<Shape>& shape = inputs[k].type.shape;
        if (!shape) {
            continue;
        }
        const std::optional<Shape>& after = outputs[firstOutput + k].type.shape;
        if (!after || after->size() != shape->size() || (lastRound && *after != *shape)) {
            shape.reset();
            changed = true;
            continue;
        }
        for (std::size_t axis = 0; axis < shape->size(); ++axis) {
            if ((*after)[axis] != (*shape)[axis]) {
                const Dim length = carriedLength(c, k, axis, "carried");
                changed = changed || (*shape)[axis] != length;
                (*shape)[axis] = length;
            }
        }
    }
    return changed;
}

bool checkCarriedElements(InferContext& c, const std::vector<ValueFacts>& inputs, const std::vector<ValueFacts>& outputs, std::size_t firstOutput) {
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const ElementType before = inputs[k].type.element;
        const ElementType after = outputs[firstOutput + k].type.element;
        if (before != ElementType::Undefined && after != ElementType::Undefined && before != after) {
            c.fail("carries variable " + std::to_string(k) + " in as " + std::string(name(before)) + " and out as " + std::string(name(after)));
            return false;
        }
    }
    return true;
}

// What a value that leaves the loop is known to be: lengths the body makes up anew in each round are unknown outside.
std::optional<Shape> outside(InferContext& c, std::size_t result, const std::optional<Shape>& inner) {
    if (!inner) {
        return std::nullopt;
    }
    Shape out = *inner;
    for (std::size_t axis = 0; axis < out.size(); ++axis) {
        std::vector<std::string> symbols;
        out[axis].collectSymbols(symbols);
        if (std::any_of(symbols.begin(), symbols.end(), [](const std::string& symbol) { return symbol.front() == '?'; })) {
            out[axis] = carriedLength(c, result, axis, "leaves");
        }
    }
    return out;
}

const Graph* bodyOf(InferContext& c) {
    const auto* body = c.node().attribute<std::shared_ptr<const Graph>>("body");
    if (body == nullptr || *body == nullptr) {
        c.fail("attribute 'body' is missing");
        return nullptr;
    }
    return body->get();
}

bool checkBody(InferContext& c, const Graph& body, std::size_t inputs, std::size_t leastOutputs) {
    if (body.inputs.size() != inputs) {
        c.fail("its body has " + counted(body.inputs.size(), "input") + ", expected " + std::to_string(inputs));
        return false;
    }
    if (body.outputs.size() < leastOutputs) {
        c.fail("its body has " + counted(body.outputs.size(), "output") + ", expected at least " + std::to_string(leastOutputs));
        return false;
    }
    return true;
}

// True when the body's condition is the one it was given, or always true: then only the trip count ends the loop.
bool conditionStays(const Graph& body, const ValueFacts& condition) {
    if (condition.elements != nullptr && condition.elements->size() == 1 && condition.elements->front().is(1)) {
        return true;
    }
    ValueId value = body.outputs.front();
    for (std::size_t steps = 0; steps <= body.nodes.size() && value.isValid(); ++steps) {
        if (value == body.inputs[1]) {
            return true;
        }
        const NodeId producer = body.value(value).producer;
        if (!producer.isValid() || body.node(producer).op.name != "Identity" || body.node(producer).operands.empty()) {
            return false;
        }
        value = body.node(producer).operands.front();
    }
    return false;
}

// How often a Loop runs, where trip count and condition are known.
std::optional<Dim> tripCount(const InferContext& c, const NestedResult& body) {
    const bool starts = !c.has(1) || (c.elements(1) != nullptr && c.elements(1)->size() == 1 && c.elements(1)->front().is(1));
    const std::vector<Dim>* count = c.elements(0);
    if (!starts || count == nullptr || count->size() != 1 || !conditionStays(*body.graph, body.outputs.front())) {
        return std::nullopt;
    }
    return c.order().max(count->front(), Dim(0));
}

} // namespace

// Operands: trip count, condition, initial values. Body: round, condition, values -> condition, values, rows of scan outputs.
std::optional<NestedRequest> nextOfLoop(InferFrame& frame, InferContext& c) {
    const Graph* body = bodyOf(c);
    if (body == nullptr) {
        return std::nullopt;
    }
    const std::size_t variables = c.operandCount() < 2 ? 0 : c.operandCount() - 2;
    if (!checkBody(c, *body, variables + 2, variables + 1)) {
        return std::nullopt;
    }
    if (frame.done.empty()) {
        frame.carried = initialFacts(c, 2, variables);
    } else {
        const NestedResult& result = frame.done.front();
        if (!checkCarriedElements(c, frame.carried, result.outputs, 1)) {
            return std::nullopt;
        }
        if (!weaken(c, frame.carried, result.outputs, 1, ++frame.rounds >= 3)) {
            const std::size_t scans = result.outputs.size() - variables - 1;
            if (c.resultCount() > variables + scans) {
                c.fail("has " + counted(c.resultCount(), "result") + ", expected " + std::to_string(variables + scans));
                return std::nullopt;
            }
            const std::optional<Dim> trips = tripCount(c, result);
            for (std::size_t k = 0; k < c.resultCount(); ++k) {
                if (k < variables) {
                    // Lengths of the initial value that the body keeps may themselves be unknowns of the outer graph.
                    const bool kept = frame.carried[k].type == c.type(k + 2);
                    c.setResult(k, frame.carried[k].type.element, kept ? c.shape(k + 2) : outside(c, k, frame.carried[k].type.shape));
                    continue;
                }
                const TensorType& row = result.outputs[k + 1].type;
                std::optional<Shape> shape = outside(c, k, row.shape);
                if (shape) {
                    shape->insert(shape->begin(), trips ? *trips : InferContext::derived("trips", {c.unknown(0, 0)}));
                }
                c.setResult(k, row.element, std::move(shape));
            }
            return std::nullopt;
        }
        frame.done.clear();
    }
    NestedRequest request{"body", *c.node().attribute<std::shared_ptr<const Graph>>("body"), {}, {}, false};
    request.inputs.push_back(ValueFacts{TensorType{ElementType::I64, Shape{}}, nullptr, nullptr});
    request.inputs.push_back(ValueFacts{TensorType{ElementType::Bool, Shape{}}, nullptr, nullptr});
    request.inputs.insert(request.inputs.end(), frame.carried.begin(), frame.carried.end());
    return request;
}

namespace {

std::int64_t entryOf(const std::vector<std::int64_t>* list, std::size_t k) { return list != nullptr && k < list->size() ? (*list)[k] : 0; }

// Scan up to opset 8 has sequence lengths before its operands and a batch axis before all; both are gone from 9 on.
struct ScanForm {
    bool batched = false;
    std::size_t firstOperand = 0;
    std::size_t states = 0;
    std::size_t scans = 0;
};

std::optional<ScanForm> scanForm(InferContext& c) {
    ScanForm form;
    form.batched = c.since() < 9;
    form.firstOperand = form.batched ? 1 : 0;
    const std::int64_t scans = c.intAttribute("num_scan_inputs", 0);
    if (scans < 1 || static_cast<std::size_t>(scans) + form.firstOperand > c.operandCount()) {
        c.fail(c.hasAttribute("num_scan_inputs")
                   ? "attribute 'num_scan_inputs' is " + std::to_string(scans) + ", but the node has " + counted(c.operandCount(), "operand")
                   : "attribute 'num_scan_inputs' is missing");
        return std::nullopt;
    }
    form.scans = static_cast<std::size_t>(scans);
    form.states = c.operandCount() - form.firstOperand - form.scans;
    return form;
}

// Type of one step of scan input `k`; its length along the scanned axis joins `length`.
ValueFacts scanRow(InferContext& c, const ScanForm& form, std::size_t k, std::optional<Dim>& length) {
    const std::size_t operand = form.firstOperand + form.states + k;
    ValueFacts out;
    out.type.element = c.element(operand);
    if (!c.shape(operand)) {
        return out;
    }
    Shape shape = *c.shape(operand);
    if (form.batched) {
        if (!c.checkRankAtLeast(operand, 2)) {
            return out;
        }
        shape.erase(shape.begin());
    }
    const std::int64_t given = form.batched ? 0 : entryOf(c.intsAttribute("scan_input_axes"), k);
    const std::optional<std::size_t> axis = c.axis(given, shape.size(), "attribute 'scan_input_axes'");
    if (!axis) {
        return out;
    }
    const Dim own = shape[*axis];
    if (length && !c.checkEqual(own, *length, "length of the scanned axis of operand " + std::to_string(operand))) {
        return out;
    }
    if (!length || !length->isKnown()) {
        length = own;
    }
    shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(*axis));
    out.type.shape = std::move(shape);
    return out;
}

} // namespace

std::optional<NestedRequest> nextOfScan(InferFrame& frame, InferContext& c) {
    const Graph* body = bodyOf(c);
    const std::optional<ScanForm> form = body != nullptr ? scanForm(c) : std::nullopt;
    if (!form || !checkBody(c, *body, form->states + form->scans, form->states)) {
        return std::nullopt;
    }
    std::optional<Dim> length;
    std::vector<ValueFacts> rows;
    for (std::size_t k = 0; k < form->scans; ++k) {
        rows.push_back(scanRow(c, *form, k, length));
        if (c.failed()) {
            return std::nullopt;
        }
    }
    const std::optional<Dim> batch = form->batched && c.shape(1) && !c.shape(1)->empty() ? std::optional<Dim>(c.shape(1)->front()) : std::nullopt;
    if (frame.done.empty()) {
        frame.carried = initialFacts(c, form->firstOperand, form->states);
        for (ValueFacts& state : frame.carried) {
            if (form->batched && state.type.shape && !state.type.shape->empty()) {
                state.type.shape->erase(state.type.shape->begin());
            }
        }
    } else {
        const NestedResult& result = frame.done.front();
        if (!checkCarriedElements(c, frame.carried, result.outputs, 0)) {
            return std::nullopt;
        }
        if (!weaken(c, frame.carried, result.outputs, 0, ++frame.rounds >= 3)) {
            if (c.resultCount() > result.outputs.size()) {
                c.fail("has " + counted(c.resultCount(), "result") + ", expected " + std::to_string(result.outputs.size()));
                return std::nullopt;
            }
            for (std::size_t k = 0; k < c.resultCount(); ++k) {
                const bool isState = k < form->states;
                const TensorType& inner = isState ? frame.carried[k].type : result.outputs[k].type;
                const bool kept = isState && !form->batched && inner == c.type(k);
                std::optional<Shape> shape = kept ? inner.shape : outside(c, k, inner.shape);
                if (shape && !isState) {
                    const std::int64_t given = form->batched ? 0 : entryOf(c.intsAttribute("scan_output_axes"), k - form->states);
                    const std::optional<std::size_t> axis = c.axis(given, shape->size() + 1, "attribute 'scan_output_axes'");
                    if (!axis) {
                        return std::nullopt;
                    }
                    shape->insert(shape->begin() + static_cast<std::ptrdiff_t>(*axis), length ? *length : c.unknown(k, *axis));
                }
                if (shape && form->batched) {
                    shape->insert(shape->begin(), batch ? *batch : c.unknown(k, 0));
                }
                c.setResult(k, inner.element, std::move(shape));
            }
            return std::nullopt;
        }
        frame.done.clear();
    }
    NestedRequest request{"body", *c.node().attribute<std::shared_ptr<const Graph>>("body"), frame.carried, {}, false};
    request.inputs.insert(request.inputs.end(), rows.begin(), rows.end());
    return request;
}

} // namespace lemmascope
