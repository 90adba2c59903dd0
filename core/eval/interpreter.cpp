#include "core/eval/interpreter.h"

#include <algorithm>
#include <cassert>
#include <map>

namespace lemmascope {

std::string nodePrefix(const std::string& path, const OpId& op) { return "node '" + path + "' (" + op.text() + "): "; }

Interpreter::Interpreter(const GraphTree& tree, const EvaluateOptions& options, std::stop_token stop)
    : m_tree(tree), m_options(options), m_limits{options.maxTensorBytes, options.maxOperations, 0, std::move(stop)}, m_values(tree.valueCount()),
      m_drops(tree.instances().size()), m_isOpen(tree.nodeCount(), false) {}

tl::unexpected<Error> Interpreter::failAt(FlatNodeId id, const Error& error) const {
    if (error.code == ErrorCode::Cancelled) {
        return tl::unexpected<Error>(error);
    }
    return fail(error.code, nodePrefix(m_tree.path(id), m_tree.node(id).op) + error.message, error.where);
}

Result<Array> Interpreter::adopt(const Tensor& tensor, ElementType declared, const std::string& name) {
    const ElementType element = declared == ElementType::Undefined ? tensor.element() : declared;
    const bool computed = isFloat(element) && isComputable(element);
    if (!elementCountOf(tensor.shape())) {
        return fail(ErrorCode::TooLarge, "'" + name + "' of shape " + shapeText(tensor.shape()) + " is too large");
    }
    if (tensor.element() != element && !(computed && tensor.element() == ElementType::F64)) {
        return fail(ErrorCode::ShapeMismatch, "'" + name + "' has element type " + std::string(lemmascope::name(tensor.element())) + ", expected " +
                                                  std::string(lemmascope::name(element)));
    }
    const Array raw(element, tensor);
    const ElementType stored = m_options.arithmetic == Arithmetic::Double ? ElementType::F64 : element;
    if (!computed || (m_options.arithmetic != Arithmetic::Enclosure && tensor.element() == stored)) {
        return raw;
    }
    const std::size_t bytes = m_options.arithmetic == Arithmetic::Enclosure ? sizeof(Interval) : byteSize(stored);
    if (static_cast<std::uint64_t>(raw.count()) > m_limits.maxTensorBytes / bytes) {
        return fail(ErrorCode::TooLarge,
                    "'" + name + "' of shape " + shapeText(raw.shape()) + " needs more than " + std::to_string(m_limits.maxTensorBytes) + " bytes");
    }
    const bool enclosing = m_options.arithmetic == Arithmetic::Enclosure;
    const auto count = static_cast<std::size_t>(raw.count());
    auto intervals = std::make_shared<std::vector<Interval>>(enclosing ? count : 0);
    Array out = enclosing ? Array(element, raw.shape(), std::move(intervals)) : Array(element, Tensor(stored, raw.shape()));
    // In parts, so that a large weight can be cancelled.
    constexpr std::size_t Chunk = std::size_t{1} << 16U;
    std::vector<double> part(enclosing ? 0 : std::min(Chunk, count));
    for (std::size_t begin = 0; begin < count; begin += Chunk) {
        const std::size_t length = std::min(Chunk, count - begin);
        const auto at = static_cast<std::int64_t>(begin);
        if (m_limits.stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "cancelled");
        }
        if (enclosing) {
            readElements<Interval>(raw, at, 1, out.mutableIntervals().subspan(begin, length));
        } else {
            readElements<double>(raw, at, 1, std::span<double>(part).first(length));
            writeElements<double>(out, at, std::span<const double>(part).first(length));
        }
    }
    return out;
}

Result<std::optional<Array>> Interpreter::givenFor(FlatValueId id) {
    if (m_options.arithmetic == Arithmetic::Enclosure) {
        if (const auto at = m_options.givenEnclosures.find(id); at != m_options.givenEnclosures.end()) {
            const IntervalTensor& given = at->second;
            const std::optional<std::int64_t> count = elementCountOf(given.shape);
            if (!count || static_cast<std::size_t>(*count) != given.elements.size()) {
                return fail(ErrorCode::ShapeMismatch, "the enclosure given for '" + m_tree.value(id).name + "' does not fill its shape");
            }
            const ElementType declared = m_tree.value(id).type.element;
            return withoutPointIntervals(Array(given.element != ElementType::Undefined ? given.element : declared, given.shape,
                                               std::make_shared<std::vector<Interval>>(given.elements)));
        }
    }
    if (const auto at = m_options.given.find(id); at != m_options.given.end()) {
        Result<Array> array = adopt(at->second, m_tree.value(id).type.element, m_tree.value(id).name);
        if (!array) {
            return tl::unexpected<Error>(array.error());
        }
        return std::optional<Array>(std::move(*array));
    }
    return std::optional<Array>();
}

Result<void> Interpreter::set(FlatValueId id, std::optional<Array> value) {
    Result<std::optional<Array>> given = givenFor(id);
    if (!given) {
        return tl::unexpected<Error>(given.error());
    }
    m_values[id.index] = given->has_value() ? std::move(*given) : std::move(value);
    return {};
}

Result<const std::optional<Array>*> Interpreter::read(FlatValueId id) {
    std::optional<Array>& slot = m_values[id.index];
    if (!slot) {
        const Value& value = m_tree.value(id);
        if (value.constant) {
            Result<Array> array = adopt(*value.constant, value.constant->element(), value.name);
            if (!array) {
                return tl::unexpected<Error>(array.error());
            }
            if (id.index < m_options.widening.constants.size() && m_options.widening.constants[id.index] && array->isInterval()) {
                const double relative = IntervalRounding::of(array->element()).relative;
                const ScopedRounding rounding{IntervalRounding{relative, 0.0, interval::Infinity}};
                for (Interval& element : array->mutableIntervals()) {
                    element = interval::charged(element);
                }
            }
            if (Result<void> done = set(id, std::move(*array)); !done) {
                return tl::unexpected<Error>(done.error());
            }
        }
    }
    return &slot;
}

Result<void> Interpreter::bindInputs(const std::vector<std::optional<Tensor>>& inputs) {
    const Graph& graph = m_tree.top();
    if (inputs.size() != graph.inputs.size()) {
        return fail(ErrorCode::ShapeMismatch,
                    "the graph has " + std::to_string(graph.inputs.size()) + " inputs, " + std::to_string(inputs.size()) + " were given");
    }
    // Symbols first, then every other dim must evaluate to the length found.
    std::map<std::string, std::int64_t> sizes;
    for (const bool symbolsOnly : {true, false}) {
        for (std::size_t k = 0; k < inputs.size(); ++k) {
            const Value& value = graph.value(graph.inputs[k]);
            if (!inputs[k] || !value.type.shape) {
                continue;
            }
            const std::vector<std::int64_t>& found = inputs[k]->shape();
            const Shape& declared = *value.type.shape;
            bool fits = found.size() == declared.size();
            for (std::size_t axis = 0; fits && axis < found.size(); ++axis) {
                const std::optional<std::string> symbol = declared[axis].symbolName();
                if (symbolsOnly && symbol) {
                    fits = sizes.emplace(*symbol, found[axis]).first->second == found[axis];
                } else if (!symbolsOnly) {
                    const std::optional<std::int64_t> expected = declared[axis].evaluate(sizes);
                    fits = !expected || *expected == found[axis];
                }
            }
            if (!fits) {
                return fail(ErrorCode::ShapeMismatch,
                            "input '" + value.name + "' has shape " + shapeText(found) + ", expected " + lemmascope::text(declared));
            }
        }
    }
    for (std::size_t k = 0; k < inputs.size(); ++k) {
        const FlatValueId id(graph.inputs[k].index);
        const Value& value = graph.value(graph.inputs[k]);
        std::optional<Array> array;
        if (inputs[k]) {
            Result<Array> adopted = adopt(*inputs[k], value.type.element, value.name);
            if (!adopted) {
                return tl::unexpected<Error>(adopted.error());
            }
            array = std::move(*adopted);
        }
        if (Result<void> done = set(id, std::move(array)); !done) {
            return done;
        }
        if (!m_values[id.index] && !value.constant) {
            return fail(ErrorCode::ShapeMismatch, "input '" + value.name + "' has no value");
        }
    }
    return {};
}

Result<Evaluation> Interpreter::run(const std::vector<std::optional<Tensor>>& inputs) {
    if (Result<void> bound = bindInputs(inputs); !bound) {
        return tl::unexpected<Error>(bound.error());
    }
    m_frames.push_back(Frame{});
    while (!m_frames.empty()) {
        if (m_limits.stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "cancelled");
        }
        if (Result<void> stepped = step(); !stepped) {
            return tl::unexpected<Error>(stepped.error());
        }
    }
    return collect();
}

Result<void> Interpreter::step() {
    Frame& frame = m_frames.back();
    const GraphInstance& instance = m_tree.instances()[frame.instance];
    if (frame.next == instance.graph->nodes.size()) {
        return finishFrame();
    }
    const std::size_t index = frame.next++;
    const std::uint32_t instanceIndex = frame.instance;
    const std::size_t depth = m_frames.size();
    const Node& node = instance.graph->nodes[index];
    const FlatNodeId id(instance.nodeBase + index);

    const bool replaced = !node.results.empty() && std::all_of(node.results.begin(), node.results.end(), [&](ValueId result) {
        const FlatValueId flat(instance.valueBase + result.index);
        return !result.isValid() || m_options.given.contains(flat) ||
               (m_options.arithmetic == Arithmetic::Enclosure && m_options.givenEnclosures.contains(flat));
    });
    const bool skipped = id.index < m_options.skipped.size() && m_options.skipped[id.index];
    std::vector<std::optional<Array>> operands;
    bool complete = true;
    for (const ValueId operand : node.operands) {
        operands.emplace_back();
        if (operand.isValid() && !replaced && !skipped) {
            Result<const std::optional<Array>*> value = read(FlatValueId(instance.valueBase + operand.index));
            if (!value) {
                return failAt(id, value.error());
            }
            operands.back() = **value;
            complete = complete && (*value)->has_value();
        }
    }
    Result<void> done{};
    if (replaced || !complete || skipped) {
        done = giveResults(id, {});
    } else if (node.body) {
        const std::optional<std::uint32_t> body = childOf(id, "body");
        assert(body);
        done = enter(Frame{.kind = Frame::Kind::Body, .instance = *body, .owner = id, .uncertain = frame.uncertain}, operands);
    } else {
        Result<bool> control = startControl(node, id, operands);
        if (!control) {
            return tl::unexpected<Error>(control.error());
        }
        done = *control ? Result<void>{} : runKernel(node, id, std::move(operands));
    }
    // A node with nested graphs that now run is done when they are.
    if (done && m_frames.size() == depth) {
        dropAfter(instanceIndex, index);
    }
    return done;
}

IntervalRounding Interpreter::roundingOf(FlatNodeId id, const Node& node, const std::vector<std::optional<Array>>& operands) const {
    IntervalRounding rounding;
    if (m_options.arithmetic != Arithmetic::Enclosure || id.index >= m_options.widening.nodes.size() || !m_options.widening.nodes[id.index]) {
        return rounding;
    }
    // The coarsest float type the node touches.
    const auto meet = [&rounding](ElementType type) {
        const IntervalRounding one = IntervalRounding::of(type);
        if (one.relative > rounding.relative) {
            rounding = one;
        }
    };
    for (const std::optional<Array>& operand : operands) {
        meet(operand ? operand->element() : ElementType::Undefined);
    }
    const std::uint32_t base = m_tree.instanceOf(id).valueBase;
    for (const ValueId result : node.results) {
        meet(result.isValid() ? m_tree.value(FlatValueId(base + result.index)).type.element : ElementType::Undefined);
    }
    return rounding;
}

void Interpreter::markOpen(FlatNodeId id) {
    if (!m_isOpen[id.index]) {
        m_isOpen[id.index] = true;
        m_open.push_back(id);
    }
}

Result<void> Interpreter::runKernel(const Node& node, FlatNodeId id, std::vector<std::optional<Array>> operands) {
    const Kernel* kernel = findKernel(node.op);
    const bool typed = kernel != nullptr && (kernel->types == KernelTypes::Nothing || operands.empty() || !operands[0] ||
                                             acceptsType(kernel->types, operands[0]->element()));
    if (!typed) {
        const Result<bool> defined = runDefinition(node, id, operands);
        if (!defined) {
            return tl::unexpected<Error>(defined.error());
        }
        if (*defined) {
            return {};
        }
        markOpen(id);
        return giveResults(id, {});
    }
    const ScopedRounding rounding(roundingOf(id, node, operands));
    NodeRun run(node, m_options.arithmetic, m_limits);
    run.operands = std::move(operands);
    if (run.charge(1)) {
        kernel->run(run);
    }
    if (run.error()) {
        return failAt(id, *run.error());
    }
    if (run.isOpen()) {
        const Result<bool> defined = runDefinition(node, id, run.operands);
        if (!defined) {
            return tl::unexpected<Error>(defined.error());
        }
        if (*defined) {
            return {};
        }
        markOpen(id);
    }
    if (run.faulted() && !m_fault && !m_frames.back().uncertain) {
        m_fault = run.faulted();
        m_fault->node = id;
        const std::size_t operand = run.faultedOperand().value_or(0);
        if (operand < node.operands.size() && node.operands[operand].isValid()) {
            m_fault->buffer = m_tree.value(FlatValueId(m_tree.instanceOf(id).valueBase + node.operands[operand].index)).name;
        }
    }
    std::vector<std::optional<Array>> results = run.stopped() ? std::vector<std::optional<Array>>{} : std::move(run.results);
    if (node.op.name == "Constant" && !results.empty() && results[0] && results[0]->isInterval() && node.results[0].isValid()) {
        const std::size_t flat = m_tree.instanceOf(id).valueBase + node.results[0].index;
        if (flat < m_options.widening.constants.size() && m_options.widening.constants[flat]) {
            const ScopedRounding stored{IntervalRounding{IntervalRounding::of(results[0]->element()).relative, 0.0, interval::Infinity}};
            for (Interval& element : results[0]->mutableIntervals()) {
                element = interval::charged(element);
            }
        }
    }
    return giveResults(id, std::move(results));
}

Result<void> Interpreter::giveResults(FlatNodeId id, std::vector<std::optional<Array>> results) {
    const Node& node = m_tree.node(id);
    const std::uint32_t base = m_tree.instanceOf(id).valueBase;
    results.resize(std::max(results.size(), node.results.size()));
    for (std::size_t k = 0; k < node.results.size(); ++k) {
        if (node.results[k].isValid()) {
            if (Result<void> done = set(FlatValueId(base + node.results[k].index), std::move(results[k])); !done) {
                return failAt(id, done.error());
            }
        }
    }
    return {};
}

void Interpreter::clearInstance(std::uint32_t instance) {
    const GraphInstance& one = m_tree.instances()[instance];
    for (std::size_t k = 0; k < one.graph->values.size(); ++k) {
        if (!one.graph->values[k].constant) {
            m_values[one.valueBase + k].reset();
        }
    }
}

void Interpreter::dropAfter(std::uint32_t instance, std::size_t node) {
    // What is kept anyway is the graph's own, but for large constants as doubles or intervals: many times their size.
    if (m_options.keepAll && m_options.arithmetic == Arithmetic::Declared) {
        return;
    }
    const GraphInstance& one = m_tree.instances()[instance];
    std::vector<std::vector<std::uint32_t>>& drops = m_drops[instance];
    if (drops.empty()) {
        drops.resize(one.graph->nodes.size());
        constexpr std::size_t Never = ~std::size_t{0};
        std::vector<std::size_t> last(one.graph->values.size(), Never);
        for (std::size_t n = 0; n < one.graph->nodes.size(); ++n) {
            const Node& each = one.graph->nodes[n];
            for (const std::vector<ValueId>* list : {&each.operands, &each.results}) {
                for (const ValueId id : *list) {
                    if (id.isValid()) {
                        last[id.index] = n;
                    }
                }
            }
            for (const auto& [role, nested] : Graph::nestedGraphs(each)) {
                for (const Capture& capture : nested->captures) {
                    last[capture.outer.index] = n;
                }
            }
        }
        for (const ValueId output : one.graph->outputs) {
            last[output.index] = Never;
        }
        for (std::size_t value = 0; value < last.size(); ++value) {
            if (last[value] != Never) {
                drops[last[value]].push_back(static_cast<std::uint32_t>(value));
            }
        }
    }
    constexpr std::int64_t Large = 1 << 16;
    for (const std::uint32_t value : drops[node]) {
        const std::optional<Tensor>& constant = one.graph->values[value].constant;
        if (!m_options.keepAll || (constant && constant->count() > Large)) {
            m_values[one.valueBase + value].reset();
        }
    }
}

Result<Evaluation> Interpreter::collect() {
    Evaluation out;
    const bool enclosing = m_options.arithmetic == Arithmetic::Enclosure;
    out.values.resize(m_values.size());
    if (enclosing) {
        out.enclosures.resize(m_values.size());
    }
    if (!m_options.keepAll) {
        std::vector<bool> keep(m_values.size(), false);
        for (const ValueId output : m_tree.top().outputs) {
            keep[output.index] = true;
        }
        for (std::size_t k = 0; k < m_values.size(); ++k) {
            if (!keep[k]) {
                m_values[k].reset();
            }
        }
    }
    // An output may be a constant or an input nobody read.
    for (const ValueId output : m_tree.top().outputs) {
        if (Result<const std::optional<Array>*> value = read(FlatValueId(output.index)); !value) {
            return tl::unexpected<Error>(value.error());
        }
    }
    for (std::size_t k = 0; k < m_values.size(); ++k) {
        if (!m_values[k]) {
            continue;
        }
        const Array array = std::move(*m_values[k]);
        m_values[k].reset();
        if (!array.isInterval()) {
            out.values[k] = array.tensor();
        }
        if (enclosing && isComputable(array.element())) {
            const Array intervals = asIntervals(array);
            out.enclosures[k] = IntervalTensor{array.element(), array.shape(), {intervals.intervals().begin(), intervals.intervals().end()}};
        }
    }
    out.fault = std::move(m_fault);
    out.open = std::move(m_open);
    out.operations = m_limits.operations;
    return out;
}

} // namespace lemmascope
