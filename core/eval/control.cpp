// Nested graphs: fused bodies, If, Loop and Scan, run as frames of the interpreter.

#include "core/eval/interpreter.h"
#include "core/eval/movement.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>

namespace lemmascope {

namespace {

using Arrays = std::vector<std::optional<Array>>;

Array scalarOf(ElementType type, std::int64_t value) {
    Array out(type, Tensor(type, {}));
    const std::array<std::int64_t, 1> one{value};
    writeElements<std::int64_t>(out, 0, one);
    return out;
}

std::optional<Array> hullOf(const std::optional<Array>& a, const std::optional<Array>& b) {
    if (!a || !b || a->shape() != b->shape() || a->element() != b->element() || !isComputable(a->element())) {
        return std::nullopt;
    }
    const Array left = asIntervals(*a);
    const Array right = asIntervals(*b);
    auto out = std::make_shared<std::vector<Interval>>(left.intervals().begin(), left.intervals().end());
    for (std::size_t i = 0; i < out->size(); ++i) {
        (*out)[i] = interval::hull((*out)[i], right.intervals()[i]);
    }
    return withoutPointIntervals(Array(a->element(), a->shape(), std::move(out)));
}

} // namespace

std::optional<bool> Interpreter::truthOf(const Array& condition) {
    if (condition.isInterval()) {
        const Interval& truth = condition.intervals()[0];
        return truth.isPoint() ? std::optional(truth.lo != 0.0) : std::nullopt;
    }
    return condition.data()[0] != std::byte{0};
}

std::optional<std::uint32_t> Interpreter::childOf(FlatNodeId id, const char* role) const {
    const GraphInstance& instance = m_tree.instanceOf(id);
    const auto index = static_cast<std::uint32_t>(&instance - m_tree.instances().data());
    for (const std::uint32_t child : m_tree.childrenOf(index, NodeId(id.index - instance.nodeBase))) {
        if (m_tree.instances()[child].role == role) {
            return child;
        }
    }
    return std::nullopt;
}

Result<void> Interpreter::enter(Frame frame, const Arrays& inputs) {
    const GraphInstance& instance = m_tree.instances()[frame.instance];
    clearInstance(frame.instance);
    for (const Capture& capture : instance.graph->captures) {
        const std::uint32_t outer = m_tree.instances()[instance.parent].valueBase + capture.outer.index;
        Result<const std::optional<Array>*> value = read(FlatValueId(outer));
        if (!value) {
            return tl::unexpected<Error>(value.error());
        }
        if (Result<void> done = set(FlatValueId(instance.valueBase + capture.inner.index), **value); !done) {
            return done;
        }
    }
    for (std::size_t k = 0; k < instance.graph->inputs.size(); ++k) {
        const FlatValueId id(instance.valueBase + instance.graph->inputs[k].index);
        if (Result<void> done = set(id, k < inputs.size() ? inputs[k] : std::nullopt); !done) {
            return done;
        }
    }
    frame.next = 0;
    m_frames.push_back(std::move(frame));
    return {};
}

Result<bool> Interpreter::startControl(const Node& node, FlatNodeId id, const Arrays& operands) {
    if (!node.op.domain.empty() && node.op.domain != "ai.onnx") {
        return false;
    }
    Result<void> done{};
    if (node.op.name == "If") {
        done = startIf(id, operands);
    } else if (node.op.name == "Loop") {
        done = startLoop(node, id, operands);
    } else if (node.op.name == "Scan") {
        done = startScan(node, id, operands);
    } else {
        return false;
    }
    if (!done) {
        return failAt(id, done.error());
    }
    return true;
}

Result<void> Interpreter::startIf(FlatNodeId id, const Arrays& operands) {
    const std::optional<std::uint32_t> yes = childOf(id, "then_branch");
    const std::optional<std::uint32_t> no = childOf(id, "else_branch");
    if (!yes || !no || operands.empty() || !operands[0] || operands[0]->element() != ElementType::Bool || operands[0]->count() != 1) {
        return fail(ErrorCode::ShapeMismatch, "If needs one bool as its condition and two branches");
    }
    const bool uncertain = m_frames.back().uncertain;
    const std::optional<bool> truth = truthOf(*operands[0]);
    clearInstance(*yes);
    clearInstance(*no);
    if (truth) {
        return enter(Frame{.kind = Frame::Kind::Branch, .instance = *truth ? *yes : *no, .owner = id, .uncertain = uncertain}, {});
    }
    return enter(Frame{.kind = Frame::Kind::FirstOfBoth, .instance = *yes, .owner = id, .uncertain = true, .otherInstance = *no}, {});
}

Result<void> Interpreter::startLoop(const Node& node, FlatNodeId id, const Arrays& operands) {
    const std::optional<std::uint32_t> body = childOf(id, "body");
    if (!body || operands.size() < 2) {
        return fail(ErrorCode::ShapeMismatch, "Loop needs a body, a trip count and a condition");
    }
    const Graph& graph = *m_tree.instances()[*body].graph;
    const std::size_t carried = operands.size() - 2;
    if (graph.inputs.size() != carried + 2 || graph.outputs.size() < carried + 1 || node.results.size() > graph.outputs.size() - 1) {
        return fail(ErrorCode::ShapeMismatch, "the body's inputs and outputs do not fit the loop's");
    }
    Frame frame{.kind = Frame::Kind::Loop, .instance = *body, .owner = id, .uncertain = m_frames.back().uncertain};
    frame.iterations = std::numeric_limits<std::int64_t>::max();
    if (operands[0]) {
        if (operands[0]->element() != ElementType::I64 || operands[0]->count() != 1) {
            return fail(ErrorCode::ShapeMismatch, "the trip count must be one i64");
        }
        if (operands[0]->isInterval()) {
            return giveResults(id, {});
        }
        std::array<std::int64_t, 1> count{};
        readElements<std::int64_t>(*operands[0], 0, 1, count);
        frame.iterations = count[0];
    }
    if (operands[1]) {
        if (operands[1]->element() != ElementType::Bool || operands[1]->count() != 1) {
            return fail(ErrorCode::ShapeMismatch, "the condition must be one bool");
        }
        const std::optional<bool> truth = truthOf(*operands[1]);
        if (!truth) {
            return giveResults(id, {});
        }
        frame.iterations = *truth ? frame.iterations : 0;
    }
    frame.carried.assign(operands.begin() + 2, operands.end());
    frame.stacked.resize(graph.outputs.size() - 1 - carried);
    return frame.iterations > 0 ? iterate(std::move(frame)) : endIterations(std::move(frame));
}

Result<void> Interpreter::startScan(const Node& node, FlatNodeId id, const Arrays& operands) {
    const std::optional<std::uint32_t> body = childOf(id, "body");
    if (node.op.version > 0 && node.op.version < 9) {
        markOpen(id); // opset 8 scans batches of sequences
        return giveResults(id, {});
    }
    const auto* count = node.attribute<std::int64_t>("num_scan_inputs");
    if (!body || count == nullptr || *count < 1 || *count > static_cast<std::int64_t>(operands.size())) {
        return fail(ErrorCode::ShapeMismatch, "Scan needs a body and attribute 'num_scan_inputs' of at least 1");
    }
    const Graph& graph = *m_tree.instances()[*body].graph;
    const std::size_t states = operands.size() - static_cast<std::size_t>(*count);
    if (graph.inputs.size() != operands.size() || graph.outputs.size() < states || node.results.size() > graph.outputs.size()) {
        return fail(ErrorCode::ShapeMismatch, "the body's inputs and outputs do not fit the scan's");
    }
    Frame frame{.kind = Frame::Kind::Scan, .instance = *body, .owner = id, .uncertain = m_frames.back().uncertain};
    frame.carried.assign(operands.begin(), operands.begin() + static_cast<std::ptrdiff_t>(states));
    frame.stacked.resize(graph.outputs.size() - states);
    const auto* axes = node.attribute<std::vector<std::int64_t>>("scan_input_axes");
    NodeRun run(node, m_options.arithmetic, m_limits);
    for (std::size_t k = states; k < operands.size(); ++k) {
        // The scanned axis first: then an iteration reads one row.
        const Array& whole = *operands[k];
        const std::size_t at = k - states;
        const auto axis = normalAxis(run, axes != nullptr && at < axes->size() ? (*axes)[at] : 0, whole.rank());
        if (!axis) {
            return tl::unexpected<Error>(*run.error());
        }
        if (k > states && whole.dim(*axis) != frame.iterations) {
            return fail(ErrorCode::ShapeMismatch, "the scanned axes differ in length");
        }
        frame.iterations = whole.dim(*axis);
        std::vector<std::int64_t> shape = whole.shape();
        BoxSide from{0, rowMajorStrides(shape)};
        std::rotate(shape.begin(), shape.begin() + static_cast<std::ptrdiff_t>(*axis), shape.begin() + static_cast<std::ptrdiff_t>(*axis) + 1);
        std::rotate(from.strides.begin(), from.strides.begin() + static_cast<std::ptrdiff_t>(*axis),
                    from.strides.begin() + static_cast<std::ptrdiff_t>(*axis) + 1);
        std::optional<Array> moved = run.makeLike(whole, shape);
        if (!moved || !copyBox(run, *moved, {0, rowMajorStrides(shape)}, whole, from, shape)) {
            return tl::unexpected<Error>(*run.error());
        }
        frame.scanned.push_back(std::move(*moved));
    }
    return frame.iterations > 0 ? iterate(std::move(frame)) : endIterations(std::move(frame));
}

/// Starts iteration `frame.iteration`.
Result<void> Interpreter::iterate(Frame frame) {
    const Node& node = m_tree.node(frame.owner);
    NodeRun run(node, m_options.arithmetic, m_limits);
    const Graph& graph = *m_tree.instances()[frame.instance].graph;
    if (!run.charge(graph.nodes.size() + 1)) {
        return tl::unexpected<Error>(*run.error());
    }
    // Nested graphs forget the last iteration, so that a branch not taken now shows nothing.
    std::vector<std::uint32_t> stale{frame.instance};
    while (!stale.empty()) {
        const std::uint32_t instance = stale.back();
        stale.pop_back();
        clearInstance(instance);
        const Graph& one = *m_tree.instances()[instance].graph;
        for (std::size_t n = 0; n < one.nodes.size(); ++n) {
            const std::vector<std::uint32_t> children = m_tree.childrenOf(instance, NodeId(n));
            stale.insert(stale.end(), children.begin(), children.end());
        }
    }
    Arrays inputs;
    if (frame.kind == Frame::Kind::Loop) {
        inputs = {scalarOf(ElementType::I64, frame.iteration), scalarOf(ElementType::Bool, 1)};
    }
    inputs.insert(inputs.end(), frame.carried.begin(), frame.carried.end());
    const auto* directions = node.attribute<std::vector<std::int64_t>>("scan_input_directions");
    for (std::size_t k = 0; k < frame.scanned.size(); ++k) {
        const Array& whole = frame.scanned[k];
        const bool backward = directions != nullptr && k < directions->size() && (*directions)[k] != 0;
        const std::int64_t row = backward ? frame.iterations - 1 - frame.iteration : frame.iteration;
        const std::vector<std::int64_t> shape(whole.shape().begin() + 1, whole.shape().end());
        const std::int64_t size = whole.count() / whole.dim(0);
        const std::array<std::int64_t, 1> extent{size};
        std::optional<Array> part = run.makeLike(whole, shape);
        if (!part || !copyBox(run, *part, {0, {1}}, whole, {row * size, {1}}, extent)) {
            return tl::unexpected<Error>(*run.error());
        }
        inputs.emplace_back(std::move(*part));
    }
    return enter(std::move(frame), inputs);
}

Result<std::vector<std::optional<Array>>> Interpreter::outputsOf(const Frame& frame) {
    const GraphInstance& instance = m_tree.instances()[frame.instance];
    Arrays out;
    for (const ValueId output : instance.graph->outputs) {
        Result<const std::optional<Array>*> value = read(FlatValueId(instance.valueBase + output.index));
        if (!value) {
            return tl::unexpected<Error>(value.error());
        }
        out.push_back(**value);
    }
    return out;
}

Result<void> Interpreter::finishFrame() {
    Frame frame = std::move(m_frames.back());
    m_frames.pop_back();
    if (frame.kind == Frame::Kind::Top) {
        return {};
    }
    Result<Arrays> outputs = outputsOf(frame);
    if (!outputs) {
        return tl::unexpected<Error>(outputs.error());
    }
    if (!m_options.keepAll) {
        clearInstance(frame.instance);
    }
    const auto done = [this, &frame](Arrays results) -> Result<void> {
        Result<void> given = giveResults(frame.owner, std::move(results));
        const GraphInstance& parent = m_tree.instanceOf(frame.owner);
        if (given) {
            dropAfter(static_cast<std::uint32_t>(&parent - m_tree.instances().data()), frame.owner.index - parent.nodeBase);
        }
        return given;
    };
    switch (frame.kind) {
    case Frame::Kind::Top: return {};
    case Frame::Kind::Body:
    case Frame::Kind::Branch: return done(std::move(*outputs));
    case Frame::Kind::FirstOfBoth:
        return enter(Frame{.kind = Frame::Kind::SecondOfBoth,
                           .instance = frame.otherInstance,
                           .owner = frame.owner,
                           .uncertain = true,
                           .firstResults = std::move(*outputs)},
                     {});
    case Frame::Kind::SecondOfBoth: {
        Arrays both;
        for (std::size_t k = 0; k < outputs->size() && k < frame.firstResults.size(); ++k) {
            both.push_back(hullOf(frame.firstResults[k], (*outputs)[k]));
        }
        return done(std::move(both));
    }
    case Frame::Kind::Loop:
    case Frame::Kind::Scan: break;
    }
    // One iteration is done.
    std::size_t at = 0;
    bool again = true;
    bool unknown = false;
    if (frame.kind == Frame::Kind::Loop) {
        const std::optional<Array>& condition = (*outputs)[at++];
        const std::optional<bool> truth = condition && condition->count() == 1 ? truthOf(*condition) : std::nullopt;
        unknown = !truth;
        again = truth.value_or(false);
    }
    for (std::optional<Array>& carried : frame.carried) {
        carried = std::move((*outputs)[at++]);
    }
    for (std::vector<Array>& stacked : frame.stacked) {
        std::optional<Array>& element = (*outputs)[at++];
        if (element) {
            stacked.push_back(std::move(*element));
        }
    }
    if (unknown) {
        return done({});
    }
    ++frame.iteration;
    Result<void> next = again && frame.iteration < frame.iterations ? iterate(std::move(frame)) : endIterations(std::move(frame));
    return next;
}

/// Gives the results of a Loop or Scan: carried values, then what each iteration added, stacked.
Result<void> Interpreter::endIterations(Frame frame) {
    const Node& node = m_tree.node(frame.owner);
    const GraphInstance& parent = m_tree.instanceOf(frame.owner);
    NodeRun run(node, m_options.arithmetic, m_limits);
    Arrays results = std::move(frame.carried);
    const std::size_t carried = results.size();
    const auto* axes = node.attribute<std::vector<std::int64_t>>("scan_output_axes");
    const auto* directions = node.attribute<std::vector<std::int64_t>>("scan_output_directions");
    for (std::size_t k = 0; k < frame.stacked.size(); ++k) {
        std::vector<Array>& parts = frame.stacked[k];
        results.emplace_back();
        if (frame.iteration == 0) {
            // No iteration: an empty tensor, if the other lengths are known.
            const std::size_t result = carried + k;
            if (result < node.results.size() && node.results[result].isValid()) {
                const TensorType& type = m_tree.value(FlatValueId(parent.valueBase + node.results[result].index)).type;
                const std::optional<std::vector<std::int64_t>> shape = type.shape ? staticShape(*type.shape) : std::nullopt;
                std::vector<std::int64_t> empty{0};
                if (shape && !shape->empty()) {
                    empty = *shape;
                    empty[0] = 0;
                }
                if (isComputable(type.element)) {
                    results.back() = run.make(type.element, empty);
                }
            }
            continue;
        }
        if (static_cast<std::int64_t>(parts.size()) != frame.iteration) {
            continue; // absent in some iteration
        }
        const bool intervals = std::any_of(parts.begin(), parts.end(), [](const Array& part) { return part.isInterval(); });
        bool fits = true;
        for (Array& part : parts) {
            part = intervals ? asIntervals(part) : part;
            fits = fits && part.shape() == parts.front().shape() && part.element() == parts.front().element();
        }
        if (!fits) {
            return fail(ErrorCode::ShapeMismatch, "what iterations add to a result differs in shape");
        }
        const auto axis = normalAxis(run, axes != nullptr && k < axes->size() ? (*axes)[k] : 0, parts.front().rank() + 1);
        if (!axis) {
            return tl::unexpected<Error>(*run.error());
        }
        std::vector<std::int64_t> shape = parts.front().shape();
        shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(*axis), frame.iteration);
        std::optional<Array> out = run.makeLike(parts.front(), shape);
        if (!out) {
            return tl::unexpected<Error>(*run.error());
        }
        std::vector<std::int64_t> strides = rowMajorStrides(shape);
        const std::int64_t step = strides[*axis];
        strides.erase(strides.begin() + static_cast<std::ptrdiff_t>(*axis));
        const bool backward = directions != nullptr && k < directions->size() && (*directions)[k] != 0;
        for (std::size_t i = 0; i < parts.size(); ++i) {
            const auto position = static_cast<std::int64_t>(backward ? parts.size() - 1 - i : i);
            if (!copyBox(run, *out, {position * step, strides}, parts[i], {0, rowMajorStrides(parts[i].shape())}, parts[i].shape())) {
                return tl::unexpected<Error>(*run.error());
            }
        }
        results.back() = std::move(*out);
    }
    Result<void> given = giveResults(frame.owner, std::move(results));
    if (given) {
        dropAfter(static_cast<std::uint32_t>(&parent - m_tree.instances().data()), frame.owner.index - parent.nodeBase);
    }
    return given;
}

} // namespace lemmascope
