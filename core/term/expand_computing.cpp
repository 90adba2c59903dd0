// Contractions, windows, extrema and the like, unrolled at one element of the result.

#include "core/term/expand.h"

#include "core/term/expand_index.h"

#include <algorithm>
#include <array>
#include <map>

namespace lemmascope {

using namespace expandindex;

Scalar Expander::zero(ElementType type) {
    if (type == ElementType::Bool) {
        return m_algebra.boolean(false);
    }
    return isInteger(type) ? m_algebra.integer(0, type) : m_algebra.number(0);
}

Scalar Expander::product(Scalar a, Scalar b, ElementType type) {
    if (isInteger(type)) {
        const std::array<Scalar, 2> both{a, b};
        return m_algebra.integerOp(IntegerOp::Mul, both, type);
    }
    return m_algebra.mul(a, b);
}

Scalar Expander::total(const std::vector<Scalar>& values, ElementType type) {
    if (values.empty()) {
        return zero(type);
    }
    if (!isInteger(type)) {
        return m_algebra.sum(values);
    }
    Scalar out = values.front();
    for (std::size_t i = 1; i < values.size(); ++i) {
        const std::array<Scalar, 2> both{out, values[i]};
        out = m_algebra.integerOp(IntegerOp::Add, both, type);
    }
    return out;
}

Scalar Expander::largest(std::vector<Scalar> values) {
    // As a balanced tree: the depth stays small for text and for the solver.
    while (values.size() > 1) {
        std::vector<Scalar> next;
        for (std::size_t i = 0; i + 1 < values.size(); i += 2) {
            next.push_back(m_algebra.max(values[i], values[i + 1]));
        }
        if (values.size() % 2 == 1) {
            next.push_back(values.back());
        }
        values = std::move(next);
    }
    return values.front();
}

std::optional<Scalar> Expander::windows(TermId term, std::int64_t index) {
    const Operator& op = m_store.op(term);
    const std::vector<TermId> operands(m_store.operands(term).begin(), m_store.operands(term).end());
    const std::vector<std::int64_t>& input = shape(operands[0]);
    const std::size_t spatial = input.size() - 2;
    const std::vector<std::int64_t> kernel = op.attribute<std::vector<std::int64_t>>("kernel_shape");
    const std::vector<std::int64_t> strides = op.attribute<std::vector<std::int64_t>>("strides");
    const std::vector<std::int64_t> dilations = op.attribute<std::vector<std::int64_t>>("dilations");
    const std::vector<std::int64_t> pads = op.attribute<std::vector<std::int64_t>>("pads");
    const std::vector<std::int64_t> position = unravel(index, shape(term));
    const bool conv = op.name == "Conv";
    std::int64_t channels = 1;
    std::int64_t firstChannel = position[1];
    if (conv) {
        channels = shape(operands[1])[1];
        const std::int64_t group = op.attribute<std::int64_t>("group", 1);
        const std::int64_t perGroup = shape(operands[1])[0] / std::max<std::int64_t>(group, 1);
        if (perGroup == 0) {
            return std::nullopt;
        }
        firstChannel = position[1] / perGroup * channels;
    }
    std::vector<Scalar> values;
    std::int64_t counted = 0;
    std::vector<std::int64_t> offset(spatial, 0);
    do {
        bool inside = true;
        bool inPadded = true; // within the declared padding: counts for count_include_pad, cells beyond it (ceil_mode) do not
        std::vector<std::int64_t> from{position[0], 0};
        for (std::size_t k = 0; k < spatial; ++k) {
            const std::int64_t at = position[k + 2] * strides[k] + offset[k] * dilations[k] - pads[k];
            inside = inside && at >= 0 && at < input[k + 2];
            inPadded = inPadded && at >= -pads[k] && at < input[k + 2] + pads[spatial + k];
            from.push_back(at);
        }
        counted += inPadded ? 1 : 0;
        if (inside) {
            for (std::int64_t c = 0; c < channels; ++c) {
                from[1] = firstChannel + c;
                const Scalar x = at(operands[0], ravel(from, input));
                if (conv) {
                    std::vector<std::int64_t> weight{position[1], c};
                    weight.insert(weight.end(), offset.begin(), offset.end());
                    values.push_back(m_algebra.mul(x, at(operands[1], ravel(weight, shape(operands[1])))));
                } else {
                    values.push_back(x);
                }
                if (exhausted()) {
                    return zero(op.element);
                }
            }
        }
    } while (advance(offset, kernel));
    if (conv) {
        return values.empty() ? m_algebra.number(0) : m_algebra.sum(values);
    }
    if (values.empty()) {
        return std::nullopt;
    }
    if (op.name == "MaxPool") {
        return largest(std::move(values));
    }
    const std::int64_t divisor = op.attribute<std::int64_t>("count_include_pad") != 0 ? counted : static_cast<std::int64_t>(values.size());
    return m_algebra.mul(m_algebra.sum(values), m_algebra.number(mpq_class(1, static_cast<long>(divisor))));
}

std::optional<Scalar> Expander::einsum(TermId term, std::int64_t index) {
    const Operator& op = m_store.op(term);
    const std::vector<TermId> operands(m_store.operands(term).begin(), m_store.operands(term).end());
    const std::string equation = op.attribute<std::string>("equation");
    if (equation.find('.') != std::string::npos) {
        return std::nullopt;
    }
    const std::size_t arrow = equation.find("->");
    std::string left = equation.substr(0, arrow);
    std::vector<std::string> inputs;
    std::string current;
    for (const char c : left + ",") {
        if (c == ',') {
            inputs.push_back(current);
            current.clear();
        } else {
            current.push_back(c);
        }
    }
    if (inputs.size() != operands.size()) {
        return std::nullopt;
    }
    std::string output;
    if (arrow != std::string::npos) {
        output = equation.substr(arrow + 2);
    } else {
        std::string letters = left;
        letters.erase(std::remove(letters.begin(), letters.end(), ','), letters.end());
        std::sort(letters.begin(), letters.end());
        for (std::size_t i = 0; i < letters.size(); ++i) {
            if (std::count(letters.begin(), letters.end(), letters[i]) == 1) {
                output.push_back(letters[i]);
            }
        }
    }
    std::map<char, std::int64_t> extents;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i].size() != shape(operands[i]).size()) {
            return std::nullopt;
        }
        for (std::size_t k = 0; k < inputs[i].size(); ++k) {
            extents[inputs[i][k]] = std::max(extents[inputs[i][k]], shape(operands[i])[k]);
        }
    }
    std::map<char, std::int64_t> where;
    const std::vector<std::int64_t> position = unravel(index, shape(term));
    if (output.size() != position.size()) {
        return std::nullopt;
    }
    for (std::size_t k = 0; k < output.size(); ++k) {
        where[output[k]] = position[k];
    }
    std::string summed;
    std::vector<std::int64_t> box;
    for (const auto& [letter, extent] : extents) {
        if (output.find(letter) == std::string::npos) {
            summed.push_back(letter);
            box.push_back(extent);
        }
    }
    if (std::find(box.begin(), box.end(), 0) != box.end()) {
        return zero(op.element);
    }
    std::vector<Scalar> values;
    std::vector<std::int64_t> at0(box.size(), 0);
    do {
        for (std::size_t k = 0; k < summed.size(); ++k) {
            where[summed[k]] = at0[k];
        }
        std::optional<Scalar> value;
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            std::vector<std::int64_t> from;
            for (std::size_t k = 0; k < inputs[i].size(); ++k) {
                from.push_back(shape(operands[i])[k] == 1 ? 0 : where[inputs[i][k]]);
            }
            const Scalar factor = at(operands[i], ravel(from, shape(operands[i])));
            value = value ? product(*value, factor, op.element) : factor;
        }
        values.push_back(*value);
        if (exhausted()) {
            return zero(op.element);
        }
    } while (advance(at0, box));
    return total(values, op.element);
}

std::optional<Scalar> Expander::computing(TermId term, std::int64_t index) {
    const Operator& op = m_store.op(term);
    const std::vector<TermId> operands(m_store.operands(term).begin(), m_store.operands(term).end());
    const std::string& name = op.name;
    for (const TermId operand : operands) {
        const bool absent = m_store.type(operand).element == ElementType::Undefined;
        if (!absent && (!isStatic(operand) || !isComputable(m_store.type(operand).element))) {
            return std::nullopt;
        }
    }
    const std::vector<std::int64_t> position = unravel(index, shape(term));
    if (operands.empty()) {
        return std::nullopt;
    }
    const std::vector<std::int64_t>& input = shape(operands[0]);
    const ElementType element = op.element;
    const bool realOperands = isFloat(m_store.type(operands[0]).element);
    if (name == "If" && operands.size() == 3 && m_store.shape(operands[1]) == m_store.shape(term) &&
        m_store.shape(operands[2]) == m_store.shape(term) && shape(operands[0]).size() <= 1) {
        return m_algebra.choose(at(operands[0], 0), at(operands[1], index), at(operands[2], index), element);
    }
    if (name == "MatMul" && operands.size() == 2) {
        const std::vector<std::int64_t>& a = input;
        const std::vector<std::int64_t>& b = shape(operands[1]);
        if (a.empty() || b.empty()) {
            return std::nullopt;
        }
        // Vectors count as a row before and a column behind; their axis is missing in the result.
        std::vector<std::int64_t> full = position;
        if (a.size() == 1) {
            full.insert(full.end() - (b.size() == 1 ? 0 : 1), 0);
        }
        if (b.size() == 1) {
            full.push_back(0);
        }
        const std::size_t rank = full.size();
        const auto source = [&](const std::vector<std::int64_t>& s, bool left, std::int64_t k) {
            std::vector<std::int64_t> from;
            if (s.size() == 1) {
                return k;
            }
            for (std::size_t axis = 0; axis + 2 < s.size(); ++axis) {
                const std::int64_t at = full[rank - s.size() + axis];
                from.push_back(s[axis] == 1 ? 0 : at);
            }
            from.push_back(left ? full[rank - 2] : k);
            from.push_back(left ? k : full[rank - 1]);
            return ravel(from, s);
        };
        std::vector<Scalar> values;
        for (std::int64_t k = 0; k < a.back(); ++k) {
            values.push_back(product(at(operands[0], source(a, true, k)), at(operands[1], source(b, false, k)), element));
            if (exhausted()) {
                return zero(element);
            }
        }
        return total(values, element);
    }
    if (name == "Conv" && operands.size() == 2 && input.size() >= 3) {
        return windows(term, index);
    }
    if ((name == "MaxPool" || name == "AveragePool") && input.size() >= 3 && realOperands) {
        return windows(term, index);
    }
    if (name == "ReduceSum" || name == "ReduceMax" || name == "ReduceProd" || name == "ReduceMin") {
        const std::vector<std::int64_t> axes = op.attribute<std::vector<std::int64_t>>("axes");
        std::vector<std::int64_t> box;
        for (const std::int64_t axis : axes) {
            box.push_back(input[static_cast<std::size_t>(axis)]);
        }
        if (std::find(box.begin(), box.end(), 0) != box.end() || (!realOperands && name != "ReduceSum")) {
            return std::nullopt;
        }
        std::vector<Scalar> values;
        std::vector<std::int64_t> at0(box.size(), 0);
        std::vector<std::int64_t> from = position;
        do {
            for (std::size_t k = 0; k < axes.size(); ++k) {
                from[static_cast<std::size_t>(axes[k])] = at0[k];
            }
            values.push_back(at(operands[0], ravel(from, input)));
            if (exhausted()) {
                return zero(element);
            }
        } while (advance(at0, box));
        if (name == "ReduceMax") {
            return largest(std::move(values));
        }
        if (name == "ReduceMin") {
            return std::nullopt; // defined through ReduceMax
        }
        if (name == "ReduceProd") {
            Scalar out = values.front();
            for (std::size_t k = 1; k < values.size(); ++k) {
                out = m_algebra.mul(out, values[k]);
            }
            return out;
        }
        return total(values, element);
    }
    if (name == "CumSum") {
        const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
        const bool exclusive = op.attribute<std::int64_t>("exclusive") != 0;
        const bool reverse = op.attribute<std::int64_t>("reverse") != 0;
        std::vector<Scalar> values;
        std::vector<std::int64_t> from = position;
        for (std::int64_t k = 0; k < input[axis]; ++k) {
            const std::int64_t here = position[axis];
            const bool in = reverse ? (exclusive ? k > here : k >= here) : (exclusive ? k < here : k <= here);
            if (in) {
                from[axis] = k;
                values.push_back(at(operands[0], ravel(from, input)));
            }
        }
        return total(values, element);
    }
    if (name == "Einsum") {
        return einsum(term, index);
    }
    if (name == "ArgMax" && realOperands) {
        // The index as a function of all elements compared, in order; ties are part of its name.
        const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
        std::vector<Scalar> values;
        std::vector<std::int64_t> from = position;
        for (std::int64_t k = 0; k < input[axis]; ++k) {
            from[axis] = k;
            const Scalar value = at(operands[0], ravel(from, input));
            values.push_back(readsNarrowingCast(m_store, operands[0]) ? m_algebra.rounded(value, m_store.type(operands[0]).element) : value);
        }
        return m_algebra.function(op.attribute<std::int64_t>("select_last_index") != 0 ? "argmax_last" : "argmax", values, ElementType::I64);
    }
    if (name == "OneHot" && operands.size() == 3 && isFloat(element) && isInteger(m_store.type(operands[0]).element)) {
        const std::optional<Tensor> depth = constant(operands[1]);
        if (!depth || depth->count() != 1) {
            return std::nullopt;
        }
        const auto axis = static_cast<std::size_t>(op.attribute<std::int64_t>("axis"));
        std::vector<std::int64_t> from = position;
        const std::int64_t k = position[axis];
        from.erase(from.begin() + static_cast<std::ptrdiff_t>(axis));
        const ElementType indexType = m_store.type(operands[0]).element;
        const Scalar selected = at(operands[0], ravel(from, input));
        const auto length = static_cast<std::int64_t>(depth->toDouble(0));
        const Scalar here = m_algebra.integerEqual(selected, m_algebra.integer(k, indexType), indexType);
        const Scalar fromEnd = m_algebra.integerEqual(selected, m_algebra.integer(k - length, indexType), indexType);
        const Scalar either = m_algebra.negation(m_algebra.conjunction(m_algebra.negation(here), m_algebra.negation(fromEnd)));
        return m_algebra.choose(either, at(operands[2], 1), at(operands[2], 0), element);
    }
    if (name == "MatMulInteger" && operands.size() >= 2 && input.size() == 2 && shape(operands[1]).size() == 2) {
        // Only scalar zero points; sums in i32.
        const auto zeroPoint = [&](std::size_t at0) -> std::optional<Scalar> {
            if (operands.size() <= at0 || m_store.type(operands[at0]).element == ElementType::Undefined) {
                return m_algebra.integer(0, ElementType::I32);
            }
            const std::vector<std::int64_t>& s = shape(operands[at0]);
            if (!s.empty() && !(s.size() == 1 && s[0] == 1)) {
                return std::nullopt;
            }
            return m_algebra.integerOfInteger(at(operands[at0], 0), m_store.type(operands[at0]).element, ElementType::I32);
        };
        const std::optional<Scalar> za = zeroPoint(2);
        const std::optional<Scalar> zb = zeroPoint(3);
        if (!za || !zb) {
            return std::nullopt;
        }
        const auto shifted = [&](std::size_t which, std::int64_t flat, Scalar zp) {
            const Scalar wide = m_algebra.integerOfInteger(at(operands[which], flat), m_store.type(operands[which]).element, ElementType::I32);
            const std::array<Scalar, 2> both{wide, zp};
            return m_algebra.integerOp(IntegerOp::Sub, both, ElementType::I32);
        };
        std::vector<Scalar> values;
        for (std::int64_t k = 0; k < input[1]; ++k) {
            values.push_back(
                product(shifted(0, position[0] * input[1] + k, *za), shifted(1, k * shape(operands[1])[1] + position[1], *zb), ElementType::I32));
        }
        return total(values, ElementType::I32);
    }
    return std::nullopt;
}

} // namespace lemmascope
