#include "core/term/definitions.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace lemmascope {

namespace {

std::vector<std::int64_t> axesFrom(std::size_t first, std::size_t rank) {
    std::vector<std::int64_t> axes;
    for (std::size_t k = first; k < rank; ++k) {
        axes.push_back(static_cast<std::int64_t>(k));
    }
    return axes;
}

} // namespace

bool Definitions::isNone(TermId term) const { return m_store.type(term).element == ElementType::Undefined && m_store.kind(term) == TermKind::Bound; }

TermId Definitions::define(TermId term) {
    std::vector<TermId> stack{term};
    while (!stack.empty()) {
        const TermId top = stack.back();
        if (m_memo.size() < m_store.size()) {
            m_memo.resize(m_store.size());
        }
        if (m_memo[top.index].isValid()) {
            stack.pop_back();
            continue;
        }
        std::vector<TermId> operands;
        bool ready = true;
        for (const TermId operand : m_store.operands(top)) {
            if (!m_memo[operand.index].isValid()) {
                stack.push_back(operand);
                ready = false;
            } else {
                operands.push_back(m_memo[operand.index]);
            }
        }
        if (!ready) {
            continue;
        }
        stack.pop_back();
        TermId out = rebuild(top, operands);
        if (m_store.kind(out) == TermKind::Apply && !m_store.isElementwise(out)) {
            const std::vector<TermId> arguments(m_store.operands(out).begin(), m_store.operands(out).end());
            const Operator op = m_store.op(out);
            const TensorType type = m_store.type(out);
            if (const std::optional<TermId> meaning = definition(op, arguments, type); meaning && *meaning != out) {
                // A definition may use ops that have one themselves (a mean inside a normalisation).
                m_memo.resize(m_store.size());
                m_memo[top.index] = TermId();
                const TermId inner = define(*meaning);
                out = inner;
            }
        }
        m_memo.resize(m_store.size());
        m_memo[top.index] = out;
        if (!m_memo[out.index].isValid()) {
            m_memo[out.index] = out;
        }
    }
    return m_memo[term.index];
}

TermId Definitions::rebuild(TermId term, const std::vector<TermId>& operands) {
    if (std::equal(operands.begin(), operands.end(), m_store.operands(term).begin())) {
        return term;
    }
    const Term data = m_store.term(term);
    const TensorType type = m_store.type(term);
    switch (data.kind) {
    case TermKind::Apply:
        if (m_store.op(data.op).elementwise) {
            return m_move.elementwise(data.op, operands, type);
        }
        return m_store.apply(data.op, operands, type);
    case TermKind::View: {
        const View view = m_store.view(term);
        const TermId source = operands[0];
        return type.shape ? m_move.sink(source, view, *type.shape) : m_store.rawView(source, view, type);
    }
    case TermKind::Concat: return m_move.concat(data.payload, operands);
    default: return term;
    }
}

TermId Definitions::elementwise(const char* name, const std::vector<TermId>& operands, const TensorType& type,
                                std::map<std::string, Attribute> attributes) {
    Operator op;
    op.name = name;
    op.attributes = std::move(attributes);
    op.elementwise = true;
    op.commutative = operands.size() == 2 && (op.name == "Add" || op.name == "Mul");
    op.element = type.element;
    return m_move.elementwise(m_store.internOperator(std::move(op)), operands, type);
}

TermId Definitions::binary(const char* name, TermId a, TermId b, ElementType element) {
    const Shape& sa = m_store.shape(a);
    const Shape& sb = m_store.shape(b);
    return elementwise(name, {a, b}, {element, broadcastsTo(sb, sa) ? sa : sb});
}

TermId Definitions::unary(const char* name, TermId x, ElementType element) { return elementwise(name, {x}, {element, m_store.shape(x)}); }

TermId Definitions::number(double value) { return m_store.constant(Tensor::of<double>(ElementType::F64, {}, {value})); }

TermId Definitions::length(const Dim& dim) {
    if (dim.isKnown()) {
        return number(static_cast<double>(dim.value()));
    }
    Operator op;
    op.name = "Length";
    op.attributes["of"] = dim.text();
    op.attributes["positive"] = std::int64_t{dim.lowerBound().value_or(0) >= 1};
    op.element = ElementType::F64;
    return m_store.apply(m_store.internOperator(std::move(op)), {}, {ElementType::F64, Shape{}});
}

TermId Definitions::reduce(const char* name, TermId x, const std::vector<std::int64_t>& axes, ElementType element) {
    Operator op;
    op.name = name;
    op.attributes["axes"] = axes;
    op.element = element;
    Shape shape = m_store.shape(x);
    for (const std::int64_t axis : axes) {
        shape[static_cast<std::size_t>(axis)] = Dim(1);
    }
    const std::array<TermId, 1> arguments{x};
    return m_store.apply(m_store.internOperator(std::move(op)), arguments, {element, shape});
}

TermId Definitions::mean(TermId x, const std::vector<std::int64_t>& axes, ElementType element) {
    Dim count(1);
    for (const std::int64_t axis : axes) {
        count = count * m_store.shape(x)[static_cast<std::size_t>(axis)];
    }
    return binary("Div", reduce("ReduceSum", x, axes, element), length(count), element);
}

TermId Definitions::swapLast(TermId x) {
    std::vector<std::size_t> permutation(m_store.shape(x).size());
    std::iota(permutation.begin(), permutation.end(), std::size_t{0});
    if (permutation.size() >= 2) {
        std::swap(permutation[permutation.size() - 1], permutation[permutation.size() - 2]);
    }
    return m_move.transpose(x, permutation);
}

std::optional<TermId> Definitions::activation(TermId x, const std::string& name, const std::vector<float>& parameters, ElementType element) {
    const TensorType type{element, m_store.shape(x)};
    const auto parameter = [&](std::size_t k, float fallback) { return k < parameters.size() ? parameters[k] : fallback; };
    if (name.empty()) {
        return x;
    }
    if (name == "Relu" || name == "Sigmoid" || name == "Tanh" || name == "Softplus" || name == "Softsign") {
        return unary(name.c_str(), x, element);
    }
    if (name == "LeakyRelu") {
        return elementwise("LeakyRelu", {x}, type, {{"alpha", parameter(0, 0.01F)}});
    }
    if (name == "HardSigmoid") {
        return elementwise("HardSigmoid", {x}, type, {{"alpha", parameter(0, 0.2F)}, {"beta", parameter(1, 0.5F)}});
    }
    if (name == "Clip" && parameters.size() == 2) {
        return elementwise("Clip", {x, number(static_cast<double>(parameters[0])), number(static_cast<double>(parameters[1]))}, type,
                           {{"min", std::int64_t{1}}, {"max", std::int64_t{1}}});
    }
    return std::nullopt;
}

std::optional<TermId> Definitions::matmul(TermId a, TermId b, ElementType element) {
    const Shape& sa = m_store.shape(a);
    const Shape& sb = m_store.shape(b);
    if (sa.size() < 2 || sb.size() < 2) {
        return std::nullopt;
    }
    Shape out;
    const std::size_t rank = std::max(sa.size(), sb.size());
    for (std::size_t k = 0; k + 2 < rank; ++k) {
        const std::size_t la = rank - sa.size();
        const std::size_t lb = rank - sb.size();
        const Dim da = k < la ? Dim(1) : sa[k - la];
        const Dim db = k < lb ? Dim(1) : sb[k - lb];
        if (!da.is(1) && !db.is(1) && !(da == db)) {
            return std::nullopt;
        }
        out.push_back(da.is(1) ? db : da);
    }
    out.push_back(sa[sa.size() - 2]);
    out.push_back(sb.back());
    Operator op;
    op.name = "MatMul";
    op.element = element;
    const std::array<TermId, 2> arguments{a, b};
    return m_store.apply(m_store.internOperator(std::move(op)), arguments, {element, out});
}

std::optional<TermId> Definitions::definition(const Operator& op, const std::vector<TermId>& operands, const TensorType& type) {
    if (operands.empty() || isNone(operands[0]) || !m_store.hasShape(operands[0])) {
        return std::nullopt;
    }
    for (const TermId operand : operands) {
        if (!isNone(operand) && !m_store.hasShape(operand)) {
            return std::nullopt;
        }
    }
    const TermId x = operands[0];
    const Shape shape = m_store.shape(x);
    const ElementType element = type.element;
    const auto has = [&](std::size_t k) { return k < operands.size() && !isNone(operands[k]); };
    const std::string& name = op.name;

    if (name == "Gemm" || name == "FusedGemm") {
        // match: Gemm(A, B, C)   result: alpha * op(A) op(B) + beta * C
        const TermId a = op.attribute<std::int64_t>("transA") != 0 ? swapLast(x) : x;
        const TermId b = op.attribute<std::int64_t>("transB") != 0 ? swapLast(operands[1]) : operands[1];
        std::optional<TermId> out = matmul(a, b, element);
        if (!out) {
            return std::nullopt;
        }
        if (const float alpha = op.attribute<float>("alpha", 1.0F); alpha != 1.0F) {
            out = binary("Mul", *out, number(static_cast<double>(alpha)), element);
        }
        if (has(2)) {
            const float beta = op.attribute<float>("beta", 1.0F);
            const TermId c = beta == 1.0F ? operands[2] : binary("Mul", operands[2], number(static_cast<double>(beta)), element);
            if (beta != 0.0F) {
                out = binary("Add", *out, c, element);
            }
        }
        return name == "Gemm" ? out
                              : activation(*out, op.attribute<std::string>("activation"), {op.attribute<float>("activation_alpha", 0.01F)}, element);
    }
    if (name == "FusedMatMul" && shape.size() >= 2 && m_store.shape(operands[1]).size() >= 2) {
        const auto prepared = [&](TermId t, bool batch, bool swap) {
            const std::size_t rank = m_store.shape(t).size();
            if (batch && rank >= 3) {
                // [first, batch..., last] -> [batch..., first, last]
                std::vector<std::size_t> permutation;
                for (std::size_t k = 1; k + 1 < rank; ++k) {
                    permutation.push_back(k);
                }
                permutation.push_back(0);
                permutation.push_back(rank - 1);
                t = m_move.transpose(t, permutation);
            }
            return swap ? swapLast(t) : t;
        };
        const std::optional<TermId> product =
            matmul(prepared(x, op.attribute<std::int64_t>("transBatchA") != 0, op.attribute<std::int64_t>("transA") != 0),
                   prepared(operands[1], op.attribute<std::int64_t>("transBatchB") != 0, op.attribute<std::int64_t>("transB") != 0), element);
        const float alpha = op.attribute<float>("alpha", 1.0F);
        if (!product) {
            return std::nullopt;
        }
        return alpha == 1.0F ? product : binary("Mul", *product, number(static_cast<double>(alpha)), element);
    }
    if ((name == "Conv" && has(2)) || name == "FusedConv") {
        Operator bare = op;
        bare.name = "Conv";
        bare.attributes.erase("activation");
        bare.attributes.erase("activation_params");
        const std::array<TermId, 2> arguments{x, operands[1]};
        TermId out = m_store.apply(m_store.internOperator(bare), arguments, type);
        if (has(2)) {
            Shape wide(shape.size(), Dim(1));
            wide[1] = m_store.shape(operands[2])[0];
            out = binary("Add", out, m_move.reshape(operands[2], wide), element);
        }
        if (name == "Conv") {
            return out;
        }
        if (has(3)) {
            out = binary("Add", out, operands[3], element);
        }
        const auto at = op.attributes.find("activation_params");
        const auto* parameters = at == op.attributes.end() ? nullptr : std::get_if<std::vector<float>>(&at->second);
        return activation(out, op.attribute<std::string>("activation"), parameters != nullptr ? *parameters : std::vector<float>{}, element);
    }
    if (name == "BatchNormalization" && operands.size() == 5 && shape.size() >= 2) {
        // result: (x - mean) / sqrt(var + epsilon) * scale + B, per channel
        std::array<TermId, 4> channel;
        for (std::size_t k = 0; k < 4; ++k) {
            Shape wide(shape.size(), Dim(1));
            wide[1] = shape[1];
            if (!(elementCount(m_store.shape(operands[k + 1])) == shape[1])) {
                return std::nullopt;
            }
            channel[k] = m_move.reshape(operands[k + 1], wide);
        }
        const TermId root =
            unary("Sqrt", binary("Add", channel[3], number(static_cast<double>(op.attribute<float>("epsilon", 1e-5F))), element), element);
        const TermId centred = binary("Sub", x, channel[2], element);
        return binary("Add", binary("Mul", binary("Div", centred, root, element), channel[0], element), channel[1], element);
    }
    if (name == "InstanceNormalization" && shape.size() >= 3) {
        const std::vector<std::int64_t> spatial = axesFrom(2, shape.size());
        Shape wide(shape.size(), Dim(1));
        wide[1] = shape[1];
        const TermId centred = binary("Sub", x, mean(x, spatial, element), element);
        const TermId variance = mean(binary("Mul", centred, centred, element), spatial, element);
        const TermId root =
            unary("Sqrt", binary("Add", variance, number(static_cast<double>(op.attribute<float>("epsilon", 1e-5F))), element), element);
        const TermId normal = binary("Div", centred, root, element);
        return binary("Add", binary("Mul", normal, m_move.reshape(operands[1], wide), element), m_move.reshape(operands[2], wide), element);
    }
    if (name == "LayerNormalization" || name == "SkipLayerNormalization" || name == "SimplifiedLayerNormalization") {
        TermId in = x;
        std::size_t scaleAt = 1;
        std::size_t biasAt = 2;
        std::size_t axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis", 0));
        if (name == "SkipLayerNormalization") {
            in = binary("Add", x, operands[1], element);
            if (has(4)) {
                in = binary("Add", in, operands[4], element);
            }
            if (op.result == 3) {
                return in;
            }
            scaleAt = 2;
            biasAt = 3;
            axis = shape.size() - 1;
        }
        const std::vector<std::int64_t> over = axesFrom(axis, shape.size());
        const bool centre = name != "SimplifiedLayerNormalization";
        const TermId average = centre ? mean(in, over, element) : TermId();
        const TermId centred = centre ? binary("Sub", in, average, element) : in;
        const TermId variance = mean(binary("Mul", centred, centred, element), over, element);
        const TermId root =
            unary("Sqrt", binary("Add", variance, number(static_cast<double>(op.attribute<float>("epsilon", 1e-5F))), element), element);
        if (op.result == 1 && centre) {
            return average;
        }
        if (op.result == 2 || (op.result == 1 && !centre)) {
            return unary("Reciprocal", root, element);
        }
        if (op.result != 0) {
            return std::nullopt;
        }
        TermId out = binary("Div", centred, root, element);
        if (has(scaleAt)) {
            out = binary("Mul", out, operands[scaleAt], element);
        }
        if (has(biasAt) && centre) {
            out = binary("Add", out, operands[biasAt], element);
        }
        return out;
    }
    if (name == "Softmax" || name == "LogSoftmax") {
        const std::vector<std::int64_t> axis{op.attribute<std::int64_t>("axis")};
        const TermId power = unary("Exp", x, element);
        const TermId sum = reduce("ReduceSum", power, axis, element);
        return name == "Softmax" ? binary("Div", power, sum, element) : binary("Sub", x, unary("Log", sum, element), element);
    }
    if (name == "GlobalAveragePool") {
        return mean(x, axesFrom(2, shape.size()), element);
    }
    if (name == "GlobalMaxPool") {
        return reduce("ReduceMax", x, axesFrom(2, shape.size()), element);
    }
    const std::vector<std::int64_t> axes = op.attribute<std::vector<std::int64_t>>("axes");
    const bool real = isFloat(element);
    if (real && name == "ReduceMean") {
        return mean(x, axes, element);
    }
    if (real && name == "ReduceMin") {
        return unary("Neg", reduce("ReduceMax", unary("Neg", x, element), axes, element), element);
    }
    if (real && name == "ReduceL1") {
        return reduce("ReduceSum", unary("Abs", x, element), axes, element);
    }
    if (name == "ReduceSumSquare") {
        return reduce("ReduceSum", binary("Mul", x, x, element), axes, element);
    }
    if (real && name == "ReduceL2") {
        return unary("Sqrt", reduce("ReduceSum", binary("Mul", x, x, element), axes, element), element);
    }
    if (real && name == "ReduceLogSum") {
        return unary("Log", reduce("ReduceSum", x, axes, element), element);
    }
    if (real && name == "ReduceLogSumExp") {
        return unary("Log", reduce("ReduceSum", unary("Exp", x, element), axes, element), element);
    }
    if (name == "ArgMin" && isFloat(m_store.type(x).element)) {
        Operator arg = op;
        arg.name = "ArgMax";
        const std::array<TermId, 1> arguments{unary("Neg", x, m_store.type(x).element)};
        return m_store.apply(m_store.internOperator(arg), arguments, type);
    }
    return std::nullopt;
}

} // namespace lemmascope
