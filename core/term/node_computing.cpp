// Ops that compute more than one scalar function per element: each becomes one operator whose attributes are complete and
// whose opset forms are resolved. Their meaning over the reals stands in definitions.cpp and expand.cpp.

#include "core/term/node_terms.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

bool isReduce(const std::string& op) {
    static const std::vector<std::string> Names{"ReduceSum", "ReduceMean", "ReduceMax",       "ReduceMin",    "ReduceProd",
                                                "ReduceL1",  "ReduceL2",   "ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"};
    return std::find(Names.begin(), Names.end(), op) != Names.end();
}

} // namespace

std::optional<TermId> NodeTerms::reduceOp() {
    if (!has(0) || !m_store.hasShape(operand(0))) {
        return std::nullopt;
    }
    const Shape shape = m_store.shape(operand(0));
    std::vector<std::int64_t> given;
    if (m_node.attributes.contains("axes") || has(1)) {
        const auto list = axes(1);
        if (!list) {
            return std::nullopt;
        }
        given = *list;
    }
    if (given.empty()) {
        if (intAttribute("noop_with_empty_axes", 0) != 0) {
            // Reduces over nothing: sums, means, products, maxima of one element are the element; the others still apply.
            const std::string& op = m_node.op.name;
            const bool same = op == "ReduceSum" || op == "ReduceMean" || op == "ReduceMax" || op == "ReduceMin" || op == "ReduceProd";
            return same ? std::optional<TermId>(operand(0)) : std::nullopt;
        }
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            given.push_back(static_cast<std::int64_t>(axis));
        }
    }
    std::vector<std::int64_t> normal;
    Shape kept = shape;
    for (const std::int64_t axis : given) {
        const std::optional<std::size_t> at = normalAxis(axis, shape.size());
        if (!at) {
            return std::nullopt;
        }
        normal.push_back(static_cast<std::int64_t>(*at));
        kept[*at] = Dim(1);
    }
    std::sort(normal.begin(), normal.end());
    normal.erase(std::unique(normal.begin(), normal.end()), normal.end());
    Operator reduce;
    reduce.name = m_node.op.name;
    reduce.attributes["axes"] = normal;
    reduce.element = resultType(0).element;
    const std::array<TermId, 1> arguments{operand(0)};
    const TermId all = m_store.apply(m_store.internOperator(reduce), arguments, {reduce.element, kept});
    return resultType(0).shape ? std::optional<TermId>(m_move.reshape(all, *resultType(0).shape)) : std::nullopt;
}

std::optional<TermId> NodeTerms::softmaxOp() {
    if (!has(0) || !m_store.hasShape(operand(0))) {
        return std::nullopt;
    }
    const Shape shape = m_store.shape(operand(0));
    const bool joint = m_node.op.version < 13; // over all axes from `axis` on taken together
    const std::optional<std::size_t> axis = normalAxis(intAttribute("axis", joint ? 1 : -1), shape.size());
    if (!axis) {
        return std::nullopt;
    }
    Operator softmax;
    softmax.name = m_node.op.name;
    softmax.element = resultType(0).element;
    bool lastOnly = *axis + 1 == shape.size();
    if (!joint || lastOnly) {
        softmax.attributes["axis"] = static_cast<std::int64_t>(*axis);
        const std::array<TermId, 1> arguments{operand(0)};
        return m_store.apply(m_store.internOperator(softmax), arguments, {softmax.element, shape});
    }
    Dim outer(1);
    Dim inner(1);
    for (std::size_t k = 0; k < shape.size(); ++k) {
        (k < *axis ? outer : inner) = (k < *axis ? outer : inner) * shape[k];
    }
    const Shape flat{outer, inner};
    softmax.attributes["axis"] = std::int64_t{1};
    const std::array<TermId, 1> arguments{m_move.reshape(operand(0), flat)};
    return m_move.reshape(m_store.apply(m_store.internOperator(softmax), arguments, {softmax.element, flat}), shape);
}

std::optional<Operator> NodeTerms::windowOperator(std::size_t spatialRank, bool pooling) const {
    const Shape& input = m_store.shape(operand(0));
    const std::vector<std::int64_t> ones(spatialRank, 1);
    const std::vector<std::int64_t> strides = intsAttribute("strides").value_or(ones);
    const std::vector<std::int64_t> dilations = intsAttribute("dilations").value_or(ones);
    std::vector<std::int64_t> kernel = intsAttribute("kernel_shape").value_or(std::vector<std::int64_t>{});
    if (!pooling) {
        if (!has(1) || !m_store.hasShape(operand(1)) || m_store.shape(operand(1)).size() != spatialRank + 2) {
            return std::nullopt;
        }
        kernel.clear();
        for (std::size_t k = 0; k < spatialRank; ++k) {
            const Dim& length = m_store.shape(operand(1))[k + 2];
            if (!length.isKnown()) {
                return std::nullopt;
            }
            kernel.push_back(length.value());
        }
    }
    std::vector<std::int64_t> pads = intsAttribute("pads").value_or(std::vector<std::int64_t>(2 * spatialRank, 0));
    const std::string automatic = stringAttribute("auto_pad", "NOTSET");
    if (kernel.size() != spatialRank || strides.size() != spatialRank || dilations.size() != spatialRank || pads.size() != 2 * spatialRank) {
        return std::nullopt;
    }
    if (automatic == "SAME_UPPER" || automatic == "SAME_LOWER") {
        for (std::size_t k = 0; k < spatialRank; ++k) {
            const std::int64_t reach = (kernel[k] - 1) * dilations[k] + 1;
            std::int64_t total = 0;
            if (strides[k] == 1) {
                total = reach - 1;
            } else if (input[k + 2].isKnown()) {
                const std::int64_t length = input[k + 2].value();
                const std::int64_t out = (length + strides[k] - 1) / strides[k];
                total = std::max<std::int64_t>(0, (out - 1) * strides[k] + reach - length);
            } else {
                return std::nullopt;
            }
            const std::int64_t small = total / 2;
            pads[k] = automatic == "SAME_UPPER" ? small : total - small;
            pads[spatialRank + k] = automatic == "SAME_UPPER" ? total - small : small;
        }
    } else if (automatic == "VALID") {
        std::fill(pads.begin(), pads.end(), 0);
    } else if (automatic != "NOTSET" && !automatic.empty()) {
        return std::nullopt;
    }
    Operator op;
    op.name = m_node.op.name;
    op.attributes["kernel_shape"] = kernel;
    op.attributes["strides"] = strides;
    op.attributes["dilations"] = dilations;
    op.attributes["pads"] = pads;
    return op;
}

std::vector<TermId> NodeTerms::computingOp() {
    const std::string& op = m_node.op.name;
    const std::string& domain = m_node.op.domain;
    const auto one = [](std::optional<TermId> t) { return t ? std::vector<TermId>{*t} : std::vector<TermId>{}; };
    if (!has(0)) {
        return {};
    }
    const TermId x = operand(0);
    const bool shaped = m_store.hasShape(x);
    const bool onlyFirst =
        !m_node.results.empty() && std::none_of(m_node.results.begin() + 1, m_node.results.end(), [](ValueId r) { return r.isValid(); });
    if (domain.empty()) {
        if (isReduce(op)) {
            return one(reduceOp());
        }
        if (op == "Softmax" || op == "LogSoftmax") {
            return one(softmaxOp());
        }
        if (op == "MatMul" && has(1)) {
            Operator product;
            product.name = op;
            return {apply(product, {x, operand(1)})};
        }
        if (op == "Gemm" && has(1) && (m_node.op.version >= 7 || !has(2) || intAttribute("broadcast", 0) != 0)) {
            Operator gemm;
            gemm.name = op;
            gemm.attributes["alpha"] = floatAttribute("alpha", 1.0F);
            gemm.attributes["beta"] = floatAttribute("beta", 1.0F);
            gemm.attributes["transA"] = std::int64_t{intAttribute("transA", 0) != 0};
            gemm.attributes["transB"] = std::int64_t{intAttribute("transB", 0) != 0};
            return {apply(gemm, m_operands)};
        }
        if (op == "Conv" && shaped && m_store.shape(x).size() >= 3) {
            std::optional<Operator> conv = windowOperator(m_store.shape(x).size() - 2, false);
            if (!conv) {
                return {};
            }
            conv->attributes["group"] = intAttribute("group", 1);
            return {apply(*conv, m_operands)};
        }
        if (op == "ConvTranspose" && shaped && m_store.shape(x).size() >= 3 && !intsAttribute("output_shape") &&
            stringAttribute("auto_pad", "NOTSET") == "NOTSET") {
            std::optional<Operator> conv = windowOperator(m_store.shape(x).size() - 2, false);
            if (!conv) {
                return {};
            }
            conv->attributes["group"] = intAttribute("group", 1);
            conv->attributes["output_padding"] = intsAttribute("output_padding").value_or(std::vector<std::int64_t>(m_store.shape(x).size() - 2, 0));
            return {apply(*conv, m_operands)};
        }
        if ((op == "MaxPool" || op == "AveragePool") && shaped && m_store.shape(x).size() >= 3 && onlyFirst) {
            std::optional<Operator> pool = windowOperator(m_store.shape(x).size() - 2, true);
            if (!pool) {
                return {};
            }
            if (op == "AveragePool") {
                pool->attributes["count_include_pad"] = intAttribute("count_include_pad", 0);
            }
            // ceil_mode only decides the number of windows, which the result's shape says; keep it where it matters for the
            // divisor of an average over a window that hangs over the padded end.
            pool->attributes["ceil_mode"] = intAttribute("ceil_mode", 0);
            return {apply(*pool, {x})};
        }
        if (op == "GlobalAveragePool" || op == "GlobalMaxPool") {
            Operator pool;
            pool.name = op;
            return {apply(pool, {x})};
        }
        if (op == "BatchNormalization" && onlyFirst && operandCount() == 5) {
            const bool inference =
                m_node.op.version >= 14 ? intAttribute("training_mode", 0) == 0 : m_node.op.version >= 7 || intAttribute("is_test", 0) != 0;
            if (!inference || (m_node.op.version < 9 && intAttribute("spatial", 1) == 0)) {
                return {};
            }
            Operator norm;
            norm.name = op;
            norm.attributes["epsilon"] = floatAttribute("epsilon", 1e-5F);
            return {apply(norm, m_operands)};
        }
        if (op == "InstanceNormalization" && has(1) && has(2)) {
            Operator norm;
            norm.name = op;
            norm.attributes["epsilon"] = floatAttribute("epsilon", 1e-5F);
            return {apply(norm, m_operands)};
        }
        if ((op == "LayerNormalization" || op == "SimplifiedLayerNormalization" || op == "RMSNormalization") && shaped && has(1)) {
            const std::optional<std::size_t> axis = normalAxis(intAttribute("axis", -1), m_store.shape(x).size());
            if (!axis) {
                return {};
            }
            Operator norm;
            norm.name = op == "RMSNormalization" ? "SimplifiedLayerNormalization" : op;
            norm.attributes["axis"] = static_cast<std::int64_t>(*axis);
            norm.attributes["epsilon"] = floatAttribute("epsilon", 1e-5F);
            std::vector<TermId> results;
            for (std::size_t k = 0; k < m_node.results.size(); ++k) {
                results.push_back(hasResult(k) ? apply(norm, m_operands, k) : TermId());
            }
            return results;
        }
        if ((op == "ArgMax" || op == "ArgMin") && shaped && resultType(0).shape) {
            const Shape shape = m_store.shape(x);
            const std::optional<std::size_t> axis = normalAxis(intAttribute("axis", 0), shape.size());
            if (!axis) {
                return {};
            }
            Operator arg;
            arg.name = op;
            arg.attributes["axis"] = static_cast<std::int64_t>(*axis);
            arg.attributes["select_last_index"] = intAttribute("select_last_index", 0);
            arg.element = ElementType::I64;
            Shape kept = shape;
            kept[*axis] = Dim(1);
            const std::array<TermId, 1> arguments{x};
            return {m_move.reshape(m_store.apply(m_store.internOperator(arg), arguments, {ElementType::I64, kept}), *resultType(0).shape)};
        }
        if (op == "CumSum" && shaped) {
            const auto given = integers(1);
            const std::optional<std::size_t> axis = given && given->size() == 1 ? normalAxis((*given)[0], m_store.shape(x).size()) : std::nullopt;
            if (!axis) {
                return {};
            }
            Operator sum;
            sum.name = op;
            sum.attributes["axis"] = static_cast<std::int64_t>(*axis);
            sum.attributes["exclusive"] = intAttribute("exclusive", 0);
            sum.attributes["reverse"] = intAttribute("reverse", 0);
            return {apply(sum, {x})};
        }
        if (op == "Einsum") {
            std::string equation;
            for (const char c : stringAttribute("equation", "")) {
                if (c != ' ') {
                    equation.push_back(c);
                }
            }
            Operator einsum;
            einsum.name = op;
            einsum.attributes["equation"] = equation;
            return {apply(einsum, m_operands)};
        }
        if (op == "Trilu" && shaped) {
            std::int64_t k = 0;
            if (has(1)) {
                const auto given = integers(1);
                if (!given || given->size() != 1) {
                    return {};
                }
                k = (*given)[0];
            }
            Operator trilu;
            trilu.name = op;
            trilu.attributes["k"] = k;
            trilu.attributes["upper"] = intAttribute("upper", 1);
            return {apply(trilu, {x})};
        }
        if (op == "OneHot" && operandCount() == 3 && resultType(0).shape) {
            std::int64_t axis = intAttribute("axis", -1);
            const std::optional<std::size_t> at = normalAxis(axis, resultType(0).shape->size());
            if (!at) {
                return {};
            }
            Operator hot;
            hot.name = op;
            hot.attributes["axis"] = static_cast<std::int64_t>(*at);
            return {apply(hot, m_operands)};
        }
        if (op == "MatMulInteger") {
            Operator product;
            product.name = op;
            return {apply(product, m_operands)};
        }
        return {};
    }
    return {};
}

} // namespace lemmascope
