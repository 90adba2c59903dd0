// What each elementwise op computes over the reals, in integers at their width, and in truth values. Sources: ONNX operator
// documents; ONNX Runtime ContribOperators.md for QuickGelu, FastGelu, BiasGelu. Numbers that stand in an op's text (1/6,
// sqrt 2, 0.044715) are exact reals; attribute values are float32 as stored (resources/docs/decisions/numbers.md).

#include "core/term/expand.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

mpq_class realOfFloat(float value) { return mpq_class(static_cast<double>(value)); }

bool isHalfPair(ElementType a, ElementType b) {
    return (a == ElementType::F16 && b == ElementType::BF16) || (a == ElementType::BF16 && b == ElementType::F16);
}

class Meanings {
  public:
    Meanings(const TermStore& store, TermId term, const std::vector<Scalar>& operands, Algebra& algebra)
        : m_store(store), m_term(term), m_op(store.op(term)), m_x(operands), m(algebra) {}

    std::optional<Scalar> compute();

  private:
    const TermStore& m_store;
    TermId m_term;
    const Operator& m_op;
    const std::vector<Scalar>& m_x;
    Algebra& m;

    [[nodiscard]] ElementType operandType(std::size_t i) const { return m_store.type(m_store.operands(m_term)[i]).element; }
    [[nodiscard]] Scalar n(long num, long den = 1) { return m.number(mpq_class(num, den)); }
    [[nodiscard]] Scalar sigmoid(Scalar x) { return m.div(n(1), m.add(n(1), m.exp(m.sub(n(0), x)))); }
    [[nodiscard]] Scalar call(const char* name, Scalar x) {
        const std::array<Scalar, 1> arguments{x};
        return m.function(name, arguments, ElementType::F64);
    }
    /// tanh x = 1 - 2 / (exp(2x) + 1)
    [[nodiscard]] Scalar tanh(Scalar x) { return m.sub(n(1), m.div(n(2), m.add(m.exp(m.mul(n(2), x)), n(1)))); }
    [[nodiscard]] Scalar compared(std::size_t i) {
        const TermId operand = m_store.operands(m_term)[i];
        return readsNarrowingCast(m_store, operand) ? m.rounded(m_x[i], m_store.type(operand).element) : m_x[i];
    }
    /// A number of a definition's text: q sqrt(radicand) pi^(halves / 2).
    [[nodiscard]] Scalar exactNumber() {
        const mpq_class q(m_op.attribute<std::string>("q", "0"));
        const mpq_class radicand(m_op.attribute<std::string>("radicand", "1"));
        const std::int64_t halves = m_op.attribute<std::int64_t>("pi_halves", 0);
        const std::array<Scalar, 0> none{};
        const Scalar factor = m.number(q);
        if (halves == -1 && radicand == 2) {
            return m.mul(factor, m.function("sqrt_2_over_pi", none, ElementType::F64));
        }
        Scalar out = radicand == 1 ? factor : m.mul(factor, m.power(m.number(radicand), mpq_class(1, 2)));
        if (halves != 0) {
            out = m.mul(out, m.power(m.function("pi", none, ElementType::F64), mpq_class(static_cast<long>(halves), 2)));
        }
        return out;
    }
    [[nodiscard]] std::optional<Scalar> cast();
    [[nodiscard]] std::optional<Scalar> onIntegers();
    [[nodiscard]] std::optional<Scalar> onReals();
    [[nodiscard]] std::optional<Scalar> quantisation();
    [[nodiscard]] Scalar clipped(Scalar value, const mpq_class& low, const mpq_class& high) {
        return m.min(m.max(value, m.number(low)), m.number(high));
    }
};

mpq_class lowest(ElementType type) {
    if (!isSignedInteger(type)) {
        return 0;
    }
    mpz_class half;
    mpz_ui_pow_ui(half.get_mpz_t(), 2, bitWidth(type) - 1);
    return mpq_class(-half);
}

mpq_class highest(ElementType type) {
    mpz_class whole;
    mpz_ui_pow_ui(whole.get_mpz_t(), 2, bitWidth(type) - (isSignedInteger(type) ? 1 : 0));
    return mpq_class(whole - 1);
}

std::optional<Scalar> Meanings::cast() {
    const ElementType from = operandType(0);
    const ElementType to = m_op.element;
    const Scalar x = m_x[0];
    if (isFloat(from) && isFloat(to)) {
        // Neither of f16 and bf16 holds the other: leaving either rounds.
        const bool wider = significandBits(to) >= significandBits(from) || isHalfPair(from, to);
        return wider ? m.rounded(x, from) : x;
    }
    if (isFloat(from) && isInteger(to)) {
        return m.integerOfReal(m.rounded(x, from), to);
    }
    if (isFloat(from) && to == ElementType::Bool) {
        return m.negation(m.equal(m.rounded(x, from), n(0)));
    }
    if (isInteger(from) && isFloat(to)) {
        return m.realOfInteger(x, from);
    }
    if (isInteger(from) && isInteger(to)) {
        return m.integerOfInteger(x, from, to);
    }
    if (isInteger(from) && to == ElementType::Bool) {
        return m.negation(m.integerEqual(x, m.integer(0, from), from));
    }
    if (from == ElementType::Bool && isFloat(to)) {
        return m.realOfBoolean(x);
    }
    if (from == ElementType::Bool && isInteger(to)) {
        return m.integerOfBoolean(x, to);
    }
    return std::nullopt;
}

std::optional<Scalar> Meanings::quantisation() {
    if (m_op.name == "QuantizeLinear") {
        const ElementType to = m_op.element;
        if (!isInteger(to) || bitWidth(to) > 16 || !isFloat(operandType(0))) {
            return std::nullopt;
        }
        // saturate(round_half_even(x / scale) + zero point)
        Scalar value = m.round(Rounding::HalfEven, m.div(compared(0), m_x[1]));
        if (m_x.size() > 2) {
            value = m.add(value, m.realOfInteger(m_x[2], to));
        }
        return m.integerOfWholeReal(clipped(value, lowest(to), highest(to)), to);
    }
    const ElementType from = operandType(0);
    if (!isInteger(from)) {
        return std::nullopt;
    }
    Scalar value = m.realOfInteger(m_x[0], from);
    if (m_x.size() > 2) {
        value = m.sub(value, m.realOfInteger(m_x[2], from));
    }
    return m.mul(value, m_x[1]);
}

std::optional<Scalar> Meanings::onIntegers() {
    const std::string& op = m_op.name;
    const ElementType type = operandType(op == "Where" ? 1 : 0);
    if (op == "Equal") {
        return m.integerEqual(m_x[0], m_x[1], type);
    }
    if (op == "Less") {
        return m.integerLess(m_x[0], m_x[1], type);
    }
    if (op == "Greater") {
        return m.integerLess(m_x[1], m_x[0], type);
    }
    if (op == "LessOrEqual") {
        return m.negation(m.integerLess(m_x[1], m_x[0], type));
    }
    if (op == "GreaterOrEqual") {
        return m.negation(m.integerLess(m_x[0], m_x[1], type));
    }
    static const std::vector<std::pair<std::string, IntegerOp>> Direct{
        {"Add", IntegerOp::Add},       {"Sub", IntegerOp::Sub},        {"Mul", IntegerOp::Mul},      {"Div", IntegerOp::Div},
        {"Neg", IntegerOp::Neg},       {"Min", IntegerOp::Min},        {"Max", IntegerOp::Max},      {"Abs", IntegerOp::Abs},
        {"Sign", IntegerOp::Sign},     {"BitwiseAnd", IntegerOp::And}, {"BitwiseOr", IntegerOp::Or}, {"BitwiseXor", IntegerOp::Xor},
        {"BitwiseNot", IntegerOp::Not}};
    for (const auto& [name, integerOp] : Direct) {
        if (op == name) {
            return m.integerOp(integerOp, m_x, type);
        }
    }
    if (op == "Relu") {
        const std::array<Scalar, 2> both{m_x[0], m.integer(0, type)};
        return m.integerOp(IntegerOp::Max, both, type);
    }
    if (op == "Mod") {
        return m.integerOp(m_op.attribute<std::int64_t>("fmod") != 0 ? IntegerOp::ModTrunc : IntegerOp::ModFloor, m_x, type);
    }
    if (op == "BitShift") {
        return m.integerOp(m_op.attribute<std::string>("direction") == "LEFT" ? IntegerOp::ShiftLeft : IntegerOp::ShiftRight, m_x, type);
    }
    if (op == "Clip") {
        Scalar out = m_x[0];
        std::size_t next = 1;
        if (m_op.attribute<std::int64_t>("min") != 0) {
            const std::array<Scalar, 2> both{out, m_x[next++]};
            out = m.integerOp(IntegerOp::Max, both, type);
        }
        if (m_op.attribute<std::int64_t>("max") != 0) {
            const std::array<Scalar, 2> both{out, m_x[next]};
            out = m.integerOp(IntegerOp::Min, both, type);
        }
        return out;
    }
    return std::nullopt;
}

std::optional<Scalar> Meanings::onReals() {
    const std::string& op = m_op.name;
    const Scalar x = m_x[0];
    if (op == "Add" || op == "Sub" || op == "Mul" || op == "Div" || op == "Max" || op == "Min") {
        const Scalar y = m_x[1];
        return op == "Add"   ? m.add(x, y)
               : op == "Sub" ? m.sub(x, y)
               : op == "Mul" ? m.mul(x, y)
               : op == "Div" ? m.div(x, y)
               : op == "Max" ? m.max(x, y)
                             : m.min(x, y);
    }
    if (op == "Neg") {
        return m.sub(n(0), x);
    }
    if (op == "Abs") {
        return m.max(x, m.sub(n(0), x));
    }
    if (op == "Relu") {
        return m.max(x, n(0));
    }
    if (op == "Mean") {
        return m.div(m.sum(m_x), n(static_cast<long>(m_x.size())));
    }
    if (op == "Clip") {
        // Max first, then Min: where min > max the upper bound wins, as ONNX says from opset 13 on and ONNX Runtime does.
        Scalar out = x;
        std::size_t next = 1;
        if (m_op.attribute<std::int64_t>("min") != 0) {
            out = m.max(out, m_x[next++]);
        }
        if (m_op.attribute<std::int64_t>("max") != 0) {
            out = m.min(out, m_x[next]);
        }
        return out;
    }
    if (op == "LeakyRelu" || op == "PRelu") {
        // x >= 0 ? x : a x  =  a x + (1 - a) max(x, 0)
        const Scalar slope = op == "PRelu" ? m_x[1] : m.number(realOfFloat(m_op.attribute<float>("alpha", 0.01F)));
        return m.add(m.mul(slope, x), m.mul(m.sub(n(1), slope), m.max(x, n(0))));
    }
    if (op == "Sigmoid") {
        return sigmoid(x);
    }
    if (op == "HardSigmoid") {
        const Scalar line =
            m.add(m.mul(m.number(realOfFloat(m_op.attribute<float>("alpha", 0.2F))), x), m.number(realOfFloat(m_op.attribute<float>("beta", 0.5F))));
        return clipped(line, 0, 1);
    }
    if (op == "Tanh") {
        return tanh(x);
    }
    if (op == "Erf") {
        return call("erf", x);
    }
    if (op == "Exp") {
        return m.exp(x);
    }
    if (op == "Log") {
        return m.log(x);
    }
    if (op == "Sqrt") {
        return m.power(x, mpq_class(1, 2));
    }
    if (op == "Reciprocal") {
        return m.power(x, -1);
    }
    if (op == "Softplus") {
        return m.log(m.add(m.exp(x), n(1)));
    }
    if (op == "Softsign") {
        return m.div(x, m.add(n(1), m.max(x, m.sub(n(0), x))));
    }
    if (op == "Floor") {
        return m.round(Rounding::Down, compared(0));
    }
    if (op == "Ceil") {
        return m.round(Rounding::Up, compared(0));
    }
    if (op == "Round") {
        return m.round(Rounding::HalfEven, compared(0));
    }
    if (op == "Sign") {
        const Scalar value = compared(0);
        return m.sub(m.realOfBoolean(m.less(n(0), value)), m.realOfBoolean(m.less(value, n(0))));
    }
    if (op == "Pow") {
        // A constant exponent that is a small integer or half of one; others stay functions of both operands.
        const std::optional<double> exponent = m_store.uniformValue(m_store.operands(m_term)[1]);
        if (exponent && *exponent * 2 == static_cast<double>(static_cast<int>(*exponent * 2)) && *exponent >= -16 && *exponent <= 16 &&
            *exponent != 0.0) {
            return m.power(x, mpq_class(*exponent));
        }
        return std::nullopt;
    }
    if (op == "Less") {
        return m.less(compared(0), compared(1));
    }
    if (op == "Greater") {
        return m.less(compared(1), compared(0));
    }
    if (op == "LessOrEqual") {
        return m.negation(m.less(compared(1), compared(0)));
    }
    if (op == "GreaterOrEqual") {
        return m.negation(m.less(compared(0), compared(1)));
    }
    if (op == "Equal") {
        return m.equal(compared(0), compared(1));
    }
    return std::nullopt;
}

std::optional<Scalar> Meanings::compute() {
    const std::string& op = m_op.name;
    if (op == "Cast") {
        return cast();
    }
    if (op == "QuantizeLinear" || op == "DequantizeLinear") {
        return quantisation();
    }
    if (op == "Where") {
        const ElementType type = operandType(1);
        return isComputable(type) ? std::optional<Scalar>(m.choose(m_x[0], m_x[1], m_x[2], type)) : std::nullopt;
    }
    if (op == "Number") {
        return exactNumber();
    }
    if (m_x.empty()) {
        return std::nullopt;
    }
    const ElementType type = operandType(0);
    if (type == ElementType::Bool) {
        if (op == "Not") {
            return m.negation(m_x[0]);
        }
        if (op == "And") {
            return m.conjunction(m_x[0], m_x[1]);
        }
        if (op == "Or") {
            return m.negation(m.conjunction(m.negation(m_x[0]), m.negation(m_x[1])));
        }
        if (op == "Xor") {
            return m.exclusive(m_x[0], m_x[1]);
        }
        if (op == "Equal") {
            return m.negation(m.exclusive(m_x[0], m_x[1]));
        }
        return std::nullopt;
    }
    if (isInteger(type) && isComputable(type)) {
        return onIntegers();
    }
    return isFloat(type) && isComputable(type) ? onReals() : std::nullopt;
}

} // namespace

bool readsNarrowingCast(const TermStore& store, TermId root) {
    static const std::vector<std::string> Moves{"Gather",      "GatherElements", "GatherND", "ScatterElements", "ScatterND", "RowsAt", "StoreRows",
                                                "StoreRowsAt", "StoreSlice",     "If",       "Where",           "Trilu"};
    std::vector<TermId> stack{root};
    for (int visited = 0; !stack.empty(); ++visited) {
        if (visited > 256) {
            return true; // too far to look: the rounded value is the safe reading
        }
        const TermId term = stack.back();
        stack.pop_back();
        const TermKind kind = store.kind(term);
        const bool moves = kind == TermKind::View || kind == TermKind::Concat ||
                           (kind == TermKind::Apply && std::find(Moves.begin(), Moves.end(), store.op(term).name) != Moves.end());
        if (moves) {
            for (const TermId operand : store.operands(term)) {
                if (store.type(operand).element == store.type(root).element) {
                    stack.push_back(operand);
                }
            }
            continue;
        }
        if (kind == TermKind::Apply && store.op(term).name == "Cast") {
            const ElementType to = store.type(term).element;
            const ElementType from = store.type(store.operands(term)[0]).element;
            if (isFloat(to) && isFloat(from) && (significandBits(to) < significandBits(from) || isHalfPair(to, from))) {
                return true;
            }
        }
    }
    return false;
}

std::optional<Scalar> scalarMeaning(const TermStore& store, TermId term, const std::vector<Scalar>& operands, Algebra& algebra) {
    return Meanings(store, term, operands, algebra).compute();
}

} // namespace lemmascope
