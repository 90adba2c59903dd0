#include "tests/mutants/neutral.h"

#include "core/graph/infer.h"
#include "core/graph/op_registry.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

namespace lemmascope::mutants {

namespace {

std::set<std::uint32_t> liveNodes(const Graph& graph) {
    std::set<std::uint32_t> live;
    std::set<std::uint32_t> wanted;
    for (const ValueId output : graph.outputs) {
        wanted.insert(output.index);
    }
    for (std::size_t n = graph.nodes.size(); n-- > 0;) {
        const Node& node = graph.nodes[n];
        if (std::any_of(node.results.begin(), node.results.end(), [&](ValueId v) { return v.isValid() && wanted.contains(v.index); })) {
            live.insert(static_cast<std::uint32_t>(n));
            for (const ValueId operand : node.operands) {
                if (operand.isValid()) {
                    wanted.insert(operand.index);
                }
            }
        }
    }
    return live;
}

/// The node's operands: its constants, and for the first operand `made`.
std::optional<std::vector<std::optional<Tensor>>> operandsWith(const Graph& graph, const Node& node, const Tensor& made) {
    std::vector<std::optional<Tensor>> out;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
        if (k == 0) {
            out.emplace_back(made);
        } else if (!node.operands[k].isValid()) {
            out.emplace_back(std::nullopt);
        } else if (graph.value(node.operands[k]).constant) {
            out.emplace_back(graph.value(node.operands[k]).constant);
        } else {
            return std::nullopt;
        }
    }
    return out;
}

bool sameResults(const Graph& before, const Node& a, const Graph& after, const Node& b, const Tensor& operand) {
    const auto first = operandsWith(before, a, operand);
    const auto second = operandsWith(after, b, operand);
    if (!first || !second) {
        return false;
    }
    const Result<std::vector<Tensor>> x = evaluateNode(a, *first);
    const Result<std::vector<Tensor>> y = evaluateNode(b, *second);
    return x && y && x->size() == y->size() &&
           std::equal(x->begin(), x->end(), y->begin(), [](const Tensor& p, const Tensor& q) { return p.sameBits(q); });
}

/// What a value of `original` may be when its inputs are any numbers of their types; nothing when it cannot be told.
std::optional<Interval> boundsOf(const Graph& original, ValueId value) {
    const Result<std::shared_ptr<const Graph>> typed = inferTypes(original);
    if (!typed) {
        return std::nullopt;
    }
    const Result<GraphTree> tree = GraphTree::build(*typed);
    if (!tree) {
        return std::nullopt;
    }
    std::vector<std::optional<Tensor>> inputs;
    EvaluateOptions options;
    options.arithmetic = Arithmetic::Enclosure;
    std::map<std::string, std::int64_t> sizes;
    for (const ValueId input : (*typed)->inputs) {
        const TensorType& type = (*typed)->value(input).type;
        std::vector<std::int64_t> shape;
        std::int64_t count = 1;
        for (const Dim& dim : *type.shape) {
            std::vector<std::string> symbols;
            dim.collectSymbols(symbols);
            for (const std::string& symbol : symbols) {
                sizes.try_emplace(symbol, 2);
            }
            shape.push_back(dim.evaluate(sizes).value_or(1));
            count *= shape.back();
        }
        inputs.emplace_back(Tensor(type.element, shape));
        const bool isSigned = isSignedInteger(type.element);
        const double top = std::ldexp(1.0, static_cast<int>(bitWidth(type.element)) - (isSigned ? 1 : 0));
        const Interval any = isFloat(type.element) ? Interval{-HUGE_VAL, HUGE_VAL, false} : Interval{isSigned ? -top : 0.0, top - 1.0, false};
        IntervalTensor all{type.element, shape, std::vector<Interval>(static_cast<std::size_t>(count), any)};
        options.givenEnclosures.emplace(FlatValueId(input.index), std::move(all));
    }
    const Result<Evaluation> run = evaluate(*tree, inputs, options);
    if (!run || !run->enclosures[value.index]) {
        return std::nullopt;
    }
    Interval bounds{HUGE_VAL, -HUGE_VAL, false};
    for (const Interval& one : run->enclosures[value.index]->elements) {
        bounds.lo = std::min(bounds.lo, one.lo);
        bounds.hi = std::max(bounds.hi, one.hi);
    }
    return bounds;
}

bool sameConstants(const Graph& a, ValueId x, const Graph& b, ValueId y) {
    return x == y || (a.value(x).constant && b.value(y).constant && a.value(x).constant->sameBits(*b.value(y).constant));
}

/// All nodes that read a value, and whether it is an output too.
std::vector<std::size_t> readersOf(const Graph& graph, ValueId value) {
    std::vector<std::size_t> out;
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        if (std::find(graph.nodes[n].operands.begin(), graph.nodes[n].operands.end(), value) != graph.nodes[n].operands.end()) {
            out.push_back(n);
        }
    }
    return out;
}
bool isOutput(const Graph& graph, ValueId value) { return std::find(graph.outputs.begin(), graph.outputs.end(), value) != graph.outputs.end(); }

/// Where(x < y, y, x), perhaps with Not between: at a tie both branches are the same value.
bool tiesDoNotMatter(const Graph& graph, const Node& comparison) {
    std::vector<ValueId> conditions{comparison.results[0]};
    while (!conditions.empty()) {
        const ValueId condition = conditions.back();
        conditions.pop_back();
        if (isOutput(graph, condition)) {
            return false;
        }
        for (const std::size_t reader : readersOf(graph, condition)) {
            const Node& node = graph.nodes[reader];
            if (node.op.name == "Not") {
                conditions.push_back(node.results[0]);
                continue;
            }
            const bool straight = node.op.name == "Where" && sameConstants(graph, node.operands[1], graph, comparison.operands[0]) &&
                                  sameConstants(graph, node.operands[2], graph, comparison.operands[1]);
            const bool crossed = node.op.name == "Where" && sameConstants(graph, node.operands[1], graph, comparison.operands[1]) &&
                                 sameConstants(graph, node.operands[2], graph, comparison.operands[0]);
            if (!straight && !crossed) {
                return false;
            }
        }
    }
    return true;
}

/// MaxPool of quantised values against MaxPool of the values themselves, quantised on the same grid behind it.
bool quantisedTwice(const Graph& graph, const Node& before, const Node& after) {
    if (before.op.name != "MaxPool" || graph.value(before.operands[0]).producer == NodeId()) {
        return false;
    }
    const Node& dequantise = graph.node(graph.value(before.operands[0]).producer);
    if (dequantise.op.name != "DequantizeLinear" || !graph.value(dequantise.operands[0]).producer.isValid()) {
        return false;
    }
    const Node& quantise = graph.node(graph.value(dequantise.operands[0]).producer);
    if (quantise.op.name != "QuantizeLinear" || quantise.operands[0] != after.operands[0] || isOutput(graph, before.results[0])) {
        return false;
    }
    const std::vector<std::size_t> readers = readersOf(graph, before.results[0]);
    return std::all_of(readers.begin(), readers.end(), [&](std::size_t n) {
        const Node& again = graph.nodes[n];
        return again.op.name == "QuantizeLinear" && sameConstants(graph, again.operands[1], graph, quantise.operands[1]) &&
               sameConstants(graph, again.operands[2], graph, quantise.operands[2]);
    });
}

/// The differing elements of a changed constant hold NaN: no output sees it, and nothing on the way could hide it.
bool overwritten(const Graph& original, const Node& before, const Graph& after, const Node& now) {
    static const std::set<std::string> Hides{"Where", "Less", "Greater",        "LessOrEqual", "GreaterOrEqual",
                                             "Equal", "Cast", "QuantizeLinear", "ArgMax"};
    if (std::any_of(original.nodes.begin(), original.nodes.end(), [](const Node& n) { return Hides.contains(n.op.name); })) {
        return false;
    }
    Graph poisoned = original;
    bool any = false;
    for (std::size_t k = 0; k < before.operands.size() && k < now.operands.size(); ++k) {
        if (before.operands[k] == now.operands[k]) {
            continue;
        }
        const auto& a = original.value(before.operands[k]).constant;
        const auto& b = after.value(now.operands[k]).constant;
        if (!a || !b || a->element() != ElementType::F32 || a->shape() != b->shape()) {
            return false;
        }
        Tensor tensor(ElementType::F32, a->shape());
        for (std::int64_t i = 0; i < a->count(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            tensor.mutableAs<float>()[at] = a->as<float>()[at] == b->as<float>()[at] ? a->as<float>()[at] : std::nanf("");
        }
        poisoned.values[before.operands[k].index].constant = tensor;
        any = true;
    }
    if (!any) {
        return false;
    }
    const Result<std::shared_ptr<const Graph>> typed = inferTypes(poisoned);
    const Result<GraphTree> tree = typed ? GraphTree::build(*typed) : Result<GraphTree>(tl::unexpected(typed.error()));
    if (!tree) {
        return false;
    }
    std::vector<std::optional<Tensor>> inputs;
    for (const ValueId input : (*typed)->inputs) {
        const auto shape = staticShape(*(*typed)->value(input).type.shape);
        if (!shape) {
            return false;
        }
        inputs.emplace_back(Tensor((*typed)->value(input).type.element, *shape));
    }
    const Result<Evaluation> run = evaluate(*tree, inputs);
    return run && !run->fault && std::all_of((*typed)->outputs.begin(), (*typed)->outputs.end(), [&](ValueId output) {
               const auto& value = run->values[output.index];
               for (std::int64_t i = 0; value && i < value->count(); ++i) {
                   if (std::isnan(value->toDouble(i))) {
                       return false;
                   }
               }
               return value.has_value();
           });
}

/// Every reader of the value quantises it to unsigned numbers with zero point 0: what is negative becomes 0 there.
bool quantisedFromZero(const Graph& graph, ValueId value) {
    const std::vector<std::size_t> readers = readersOf(graph, value);
    return !isOutput(graph, value) && std::all_of(readers.begin(), readers.end(), [&](std::size_t n) {
        const Node& node = graph.nodes[n];
        const auto zero = node.op.name == "QuantizeLinear" && node.operands.size() == 3 && node.operands[0] == value
                              ? graph.value(node.operands[2]).constant
                              : std::optional<Tensor>();
        return zero && zero->element() == ElementType::U8 && zero->count() == 1 && zero->toInt64(0) == 0;
    });
}

/// scores = MatMul(q, Transpose of k + bias), scaled, masked, Softmax over the keys: the bias adds the same to each entry of a row.
bool shiftsWholeRows(const Graph& graph, const Node& add) {
    static const std::set<std::string> Rows{"Reshape", "Transpose", "MatMul", "Mul", "Div", "Add"};
    ValueId at = add.results[0];
    std::size_t products = 0;
    bool turned = false;
    for (int step = 0; step < 12; ++step) {
        const std::vector<std::size_t> readers = readersOf(graph, at);
        if (readers.size() != 1 || isOutput(graph, at)) {
            return false;
        }
        const Node& node = graph.nodes[readers[0]];
        if (node.op.name == "Softmax") {
            return products == 1 && turned;
        }
        if (node.op.name == "Transpose" && node.attribute<std::vector<std::int64_t>>("perm")) {
            const auto& perm = *node.attribute<std::vector<std::int64_t>>("perm");
            turned = turned || (!perm.empty() && perm == std::vector<std::int64_t>{0, 2, 3, 1});
        }
        if (!Rows.contains(node.op.name) || (node.op.name == "MatMul" && node.operands[1] != at)) {
            return false;
        }
        products += node.op.name == "MatMul" ? 1 : 0;
        at = node.results[0];
    }
    return false;
}

std::string dropped(const Graph& original, const Mutation& mutation) {
    for (std::size_t n = 0; n < original.nodes.size(); ++n) {
        const Node& node = original.nodes[n];
        if (original.displayName(NodeId(n)) != mutation.dropped.front()) {
            continue;
        }
        if (node.op.name == "Relu") {
            const std::optional<Interval> bounds = boundsOf(original, node.operands[0]);
            if (bounds && bounds->lo >= 0.0) {
                return "its operand is never negative";
            }
            if (quantisedFromZero(original, node.results[0])) {
                return "quantising maps what is negative to 0 as well";
            }
        }
        if (node.op.name == "Add" && shiftsWholeRows(original, node)) {
            return "a Softmax does not see what is added to a whole row";
        }
    }
    return {};
}

} // namespace

std::string neutralBecause(const Graph& original, const Mutation& mutation) {
    if (!mutation.dropped.empty()) {
        return dropped(original, mutation);
    }
    if (mutation.kind == "signedness" && !mutation.faulty.empty()) {
        const std::optional<Interval> bounds = boundsOf(original, original.node(mutation.faulty.front()).operands[0]);
        const std::optional<Interval> divisor = original.node(mutation.faulty.front()).operands.size() > 1
                                                    ? boundsOf(original, original.node(mutation.faulty.front()).operands[1])
                                                    : Interval{0, 0, false};
        if (bounds && divisor && bounds->lo >= 0.0 && divisor->lo >= 0.0 && bounds->hi <= 127.0) {
            return "its operands are the same numbers with and without sign";
        }
    }
    if (!mutation.changed.isValid()) {
        return {};
    }
    const Graph& after = *mutation.graph;
    const Node& a = original.node(mutation.changed);
    const Node& b = after.node(mutation.changed);
    if (!liveNodes(original).contains(mutation.changed.index) && !liveNodes(after).contains(mutation.changed.index)) {
        return "no output reads the node";
    }
    static const std::set<std::string> Comparisons{"Less", "LessOrEqual", "Greater", "GreaterOrEqual"};
    if (Comparisons.contains(a.op.name) && mutation.kind == "comparison strictness" && tiesDoNotMatter(original, a)) {
        return "a tie selects between equal values";
    }
    if (quantisedTwice(original, a, b)) {
        return "quantised once or twice on one grid";
    }
    if (overwritten(original, a, after, b)) {
        return "the changed elements are overwritten";
    }
    if (a.op.name == "Reshape" && b.op.name == "Reshape" && a.operands[0] == b.operands[0] && !isOutput(original, a.results[0])) {
        const std::vector<std::size_t> readers = readersOf(original, a.results[0]);
        if (std::all_of(readers.begin(), readers.end(), [&](std::size_t n) {
                const Node& next = original.nodes[n];
                const auto shape = next.op.name == "Reshape" ? original.value(next.operands[1]).constant : std::optional<Tensor>();
                for (std::int64_t i = 0; shape && i < shape->count(); ++i) {
                    if (shape->toInt64(i) == 0) {
                        return false;
                    }
                }
                return shape.has_value();
            })) {
            return "every reader gives it another shape";
        }
    }
    const Result<std::shared_ptr<const Graph>> typed = inferTypes(original);
    if (!typed || a.operands.empty() || !a.operands[0].isValid() || a.operands[0] != b.operands[0]) {
        return {};
    }
    if (a.op.name == "Clip" && b.op.name == "Clip" && a.operands.size() == 3) {
        const std::optional<Interval> bounds = boundsOf(original, a.operands[0]);
        bool reached = false;
        for (const std::size_t k : {1UL, 2UL}) {
            if (a.operands[k] != b.operands[k]) {
                const double x = original.value(a.operands[k]).constant->toDouble(0);
                const double y = after.value(b.operands[k]).constant->toDouble(0);
                reached = reached || !bounds || (k == 1 ? bounds->lo < std::max(x, y) : bounds->hi > std::min(x, y));
            }
        }
        if (!reached) {
            return "no value reaches the bound";
        }
    }
    const TensorType& type = (*typed)->value(a.operands[0]).type;
    const auto moves = [](const Node& node) {
        const OpSchema* schema = findOp(node.op);
        return schema != nullptr && schema->opClass == OpClass::Movement;
    };
    const auto shape = type.shape ? staticShape(*type.shape) : std::nullopt;
    if (moves(a) && moves(b) && shape) {
        Tensor distinct(ElementType::F64, *shape);
        for (std::int64_t i = 0; i < distinct.count(); ++i) {
            distinct.mutableAs<double>()[static_cast<std::size_t>(i)] = static_cast<double>(i + 1);
        }
        if (sameResults(original, a, after, b, distinct)) {
            return "it moves distinct values the same way";
        }
    }
    const auto scalarwise = [](const Node& node) {
        const OpSchema* schema = findOp(node.op);
        return schema != nullptr && schema->opClass == OpClass::Elementwise;
    };
    if (scalarwise(a) && scalarwise(b) && (type.element == ElementType::U8 || type.element == ElementType::I8)) {
        Tensor every(type.element, {256});
        for (std::size_t i = 0; i < 256; ++i) {
            every.mutableAs<std::uint8_t>()[i] = static_cast<std::uint8_t>(i);
        }
        if (sameResults(original, a, after, b, every)) {
            return "it gives the same for every value of its type";
        }
    }
    return {};
}

bool differsOnSamples(const CheckResult& result) {
    std::mt19937_64 random(7);
    const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
    for (int round = 0; round < 300; ++round) {
        std::map<std::string, std::int64_t> sizes;
        std::vector<std::optional<Tensor>> inputs;
        std::map<std::string, Tensor> byName;
        for (const ValueId input : result.reference->top().inputs) {
            const Value& value = result.reference->top().value(input);
            std::vector<std::int64_t> shape;
            for (const Dim& dim : *value.type.shape) {
                std::vector<std::string> symbols;
                dim.collectSymbols(symbols);
                for (const std::string& symbol : symbols) {
                    sizes.try_emplace(symbol, 1 + static_cast<std::int64_t>(random() % 4U));
                }
                shape.push_back(dim.evaluate(sizes).value_or(1));
            }
            Tensor tensor(value.type.element, shape);
            const int style = static_cast<int>(random() % 6U);
            const double scale = std::pow(10.0, static_cast<double>(random() % 5U) - 1.5);
            for (std::int64_t i = 0; i < tensor.count(); ++i) {
                const auto at = static_cast<std::size_t>(i);
                const double number = style < 3    ? (unit() - 0.5) * scale
                                      : style == 3 ? std::floor(unit() * 7.0) - 3.0
                                      : style == 4 ? 1.5
                                                   : std::floor(unit() * 9.0) * 0.5;
                auto integer = static_cast<std::int64_t>(style < 3 ? random() % (style == 0 ? 4U : 100U) : random() % 3U);
                if (value.range) {
                    integer =
                        value.range->low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(value.range->high - value.range->low + 1));
                }
                switch (value.type.element) {
                case ElementType::F32: tensor.mutableAs<float>()[at] = static_cast<float>(number); break;
                case ElementType::I64: tensor.mutableAs<std::int64_t>()[at] = integer; break;
                case ElementType::I32: tensor.mutableAs<std::int32_t>()[at] = static_cast<std::int32_t>(number); break;
                case ElementType::U8: tensor.mutableAs<std::uint8_t>()[at] = static_cast<std::uint8_t>(random()); break;
                default: return false;
                }
            }
            byName.emplace(value.name, tensor);
            inputs.emplace_back(tensor);
        }
        std::vector<std::optional<Tensor>> others;
        for (const ValueId input : result.rewritten->top().inputs) {
            const auto at = byName.find(result.rewritten->top().value(input).name);
            others.push_back(at == byName.end() ? std::nullopt : std::optional(at->second));
        }
        EvaluateOptions options;
        options.arithmetic = Arithmetic::Double;
        const Result<Evaluation> x = evaluate(*result.reference, inputs, options);
        const Result<Evaluation> y = evaluate(*result.rewritten, others, options);
        if (!x || !y || x->fault) {
            continue;
        }
        if (y->fault) {
            return true;
        }
        for (const OutputResult& output : result.outputs) {
            const auto& a = x->values[output.reference.index];
            const auto& b = y->values[output.rewritten.index];
            for (std::int64_t i = 0; a && b && i < std::min(a->count(), b->count()); ++i) {
                const double p = a->toDouble(i);
                const double q = b->toDouble(i);
                if (std::isnan(p) != std::isnan(q) || std::fabs(p - q) > 1e-6 * std::max(std::fabs(p), 1e-3)) {
                    return true;
                }
            }
        }
    }
    return false;
}

} // namespace lemmascope::mutants
