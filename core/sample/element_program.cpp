// Recording: scalarMeaning (core/term) walks an op's meaning once with the algebra below, which writes down the steps. What
// has no meaning there gets one here (exponential ops, powers) or becomes a hash of its arguments.

#include "core/sample/element_program.h"

#include "core/term/expand.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace lemmascope::sampling {

Degree sumOf(const Degree& a, const Degree& b) {
    // p/q + r/s = (ps + rq) / qs
    return {std::max(a.numerator + b.denominator, b.numerator + a.denominator), a.denominator + b.denominator, a.proved && b.proved,
            a.everywhere && b.everywhere};
}

Degree productOf(const Degree& a, const Degree& b) {
    return {a.numerator + b.numerator, a.denominator + b.denominator, a.proved && b.proved, a.everywhere && b.everywhere};
}

Degree quotientOf(const Degree& a, const Degree& b) {
    const bool byConstant = b.numerator == 0.0 && b.denominator == 0.0;
    return {a.numerator + b.denominator, a.denominator + b.numerator, a.proved && b.proved, a.everywhere && b.everywhere && byConstant};
}

Degree eitherOf(const Degree& a, const Degree& b) {
    return {std::max(a.numerator, b.numerator), std::max(a.denominator, b.denominator), a.proved && b.proved, a.everywhere && b.everywhere};
}

Degree chosenOf(const Degree& a, const Degree& b) {
    Degree out = eitherOf(a, b);
    out.everywhere = false;
    return out;
}

Degree sumOf(const Degree& a, std::size_t count) {
    const auto n = static_cast<double>(std::max<std::size_t>(count, 1));
    return {a.numerator + (n - 1) * a.denominator, n * a.denominator, a.proved, a.everywhere};
}

double constantError(double value, ElementType type) {
    if (std::remainder(value, 0x1p-10) == 0.0 || !std::isfinite(value)) {
        return 0.0;
    }
    switch (type) {
    case ElementType::F16: return std::abs(value) * 0x1p-11;
    case ElementType::BF16: return std::abs(value) * 0x1p-8;
    case ElementType::F32: return std::abs(value) * 0x1p-24;
    default:
        // Attribute values are float32 as stored; other reals are exact.
        return static_cast<double>(static_cast<float>(value)) == value ? std::abs(value) * 0x1p-24 : 0.0;
    }
}

namespace {

bool holds(ElementType type, ElementType held) {
    if (held == ElementType::Undefined) {
        return false;
    }
    const bool halves = (type == ElementType::F16 && held == ElementType::BF16) || (type == ElementType::BF16 && held == ElementType::F16);
    return type == held || (!halves && significandBits(held) <= significandBits(type));
}

constexpr std::array<const char*, 11> Functions{"erf", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh", "sqrt_2_over_pi"};

} // namespace

std::optional<std::int64_t> realFunctionNumber(const std::string& name) {
    for (std::size_t i = 0; i < Functions.size(); ++i) {
        if (name == Functions[i]) {
            return static_cast<std::int64_t>(i);
        }
    }
    return std::nullopt;
}

double realFunction(std::int64_t number, double x) {
    switch (number) {
    case 0: return std::erf(x);
    case 1: return std::sin(x);
    case 2: return std::cos(x);
    case 3: return std::tan(x);
    case 4: return std::asin(x);
    case 5: return std::acos(x);
    case 6: return std::atan(x);
    case 7: return std::asinh(x);
    case 8: return std::acosh(x);
    case 9: return std::atanh(x);
    case 10: return 0.79788456080286535587989211986876; // sqrt(2/pi)
    default: return std::nan("");
    }
}

class Recorder : public Algebra {
  public:
    using Code = ElementProgram::Code;
    using Step = ElementProgram::Step;
    Recorder(ElementProgram& program, std::size_t levels) : m_program(program), m_levels(levels) { program.m_levels = levels; }

    Scalar number(const mpq_class& value) override {
        const double real = value.get_d();
        return constant(value, value == mpq_class(real) ? constantError(real, ElementType::F64) : 0.0);
    }
    Scalar integer(std::int64_t value, ElementType type) override {
        ElementProgram::Constant c;
        c.integer = wrapped(value, type);
        m_program.m_constants.push_back(c);
        return push(Code::Constant, Kind::Integer, {}, {}, type, static_cast<std::int64_t>(m_program.m_constants.size() - 1));
    }
    Scalar boolean(bool value) override {
        ElementProgram::Constant c;
        c.integer = value ? 1 : 0;
        m_program.m_constants.push_back(c);
        return push(Code::Constant, Kind::Boolean, {}, {}, ElementType::Bool, static_cast<std::int64_t>(m_program.m_constants.size() - 1));
    }
    Scalar read(TermId, std::int64_t) override { return number(0); } // scalarMeaning reads nothing but its operands

    Scalar operand(std::size_t i, ElementType type, const Traits& traits) {
        return push(Code::Read, kindOf(type), {}, traits, type, static_cast<std::int64_t>(i));
    }

    Scalar add(Scalar a, Scalar b) override {
        if (isZero(a) || isZero(b)) {
            return isZero(a) ? b : a;
        }
        return push(Code::Add, Kind::Real, {a, b}, both(a, b, sumOf(degree(a), degree(b))));
    }
    Scalar sub(Scalar a, Scalar b) override {
        Traits traits = both(a, b, sumOf(degree(a), degree(b)));
        traits.held = isZero(a) ? step(b).traits.held : ElementType::Undefined;
        return push(Code::Sub, Kind::Real, {a, b}, traits);
    }
    Scalar mul(Scalar a, Scalar b) override { return push(Code::Mul, Kind::Real, {a, b}, both(a, b, productOf(degree(a), degree(b)))); }
    Scalar div(Scalar a, Scalar b) override { return push(Code::Div, Kind::Real, {a, b}, both(a, b, quotientOf(degree(a), degree(b)))); }
    Scalar max(Scalar a, Scalar b) override { return chosen(Code::Max, a, b); }
    Scalar min(Scalar a, Scalar b) override { return chosen(Code::Min, a, b); }
    Scalar sum(std::span<const Scalar> terms) override {
        Scalar out = terms.empty() ? number(0) : terms.front();
        for (std::size_t i = 1; i < terms.size(); ++i) {
            out = add(out, terms[i]);
        }
        return out;
    }
    Scalar exp(Scalar a) override {
        const std::size_t top = step(a).traits.top;
        return push(Code::Exp, Kind::Real, {a}, {top == 0 ? 0 : top - 1, ElementType::Undefined, unproved()});
    }
    Scalar log(Scalar a) override {
        const std::size_t top = std::min(std::max(LogLevel, step(a).traits.top + 1), m_levels - 1);
        return push(Code::Log, Kind::Real, {a}, {top, ElementType::Undefined, unproved()});
    }
    Scalar power(Scalar a, const mpq_class& exponent) override {
        if (exponent < 0) {
            return div(number(1), power(a, -exponent));
        }
        if (exponent.get_den() == 2) {
            const Traits traits{step(a).traits.top, ElementType::Undefined, unproved()};
            return power(push(Code::Sqrt, Kind::Real, {a}, traits), mpq_class(exponent.get_num()));
        }
        if (exponent.get_den() != 1 || exponent > 64) {
            return exp(mul(number(exponent), log(a)));
        }
        unsigned long n = exponent.get_num().get_ui();
        std::optional<Scalar> out;
        for (Scalar square = a; n != 0; n >>= 1U) {
            if ((n & 1U) != 0) {
                out = out ? mul(*out, square) : square;
            }
            if (n > 1) {
                square = mul(square, square);
            }
        }
        return out ? *out : number(1);
    }
    Scalar round(Rounding how, Scalar a) override {
        return push(Code::Round, Kind::Real, {a}, {0, ElementType::Undefined, chosenOf(degree(a), {})}, ElementType::F64,
                    static_cast<std::int64_t>(how));
    }

    Scalar less(Scalar a, Scalar b) override { return push(Code::Less, Kind::Boolean, {a, b}, {}, ElementType::Bool); }
    Scalar equal(Scalar a, Scalar b) override { return push(Code::Equal, Kind::Boolean, {a, b}, {}, ElementType::Bool); }
    Scalar negation(Scalar a) override { return push(Code::Not, Kind::Boolean, {a}, {}, ElementType::Bool); }
    Scalar conjunction(Scalar a, Scalar b) override { return push(Code::And, Kind::Boolean, {a, b}, {}, ElementType::Bool); }
    Scalar exclusive(Scalar a, Scalar b) override { return push(Code::Xor, Kind::Boolean, {a, b}, {}, ElementType::Bool); }
    Scalar choose(Scalar c, Scalar a, Scalar b, ElementType type) override {
        Traits traits = both(a, b, chosenOf(degree(a), degree(b)));
        traits.held = step(a).traits.held == step(b).traits.held ? step(a).traits.held : ElementType::Undefined;
        return push(Code::Choose, kindOf(type), {c, a, b}, traits, type);
    }

    Scalar integerOp(IntegerOp op, std::span<const Scalar> operands, ElementType type) override {
        return push(Code::IntegerOp, Kind::Integer, {operands.begin(), operands.end()}, {}, type, static_cast<std::int64_t>(op));
    }
    Scalar integerLess(Scalar a, Scalar b, ElementType type) override { return push(Code::IntegerLess, Kind::Boolean, {a, b}, {}, type); }
    Scalar integerEqual(Scalar a, Scalar b, ElementType type) override { return push(Code::IntegerEqual, Kind::Boolean, {a, b}, {}, type); }

    Scalar realOfInteger(Scalar a, ElementType from) override { return concrete(Code::RealOfInteger, a, from); }
    Scalar integerOfWholeReal(Scalar a, ElementType to) override { return push(Code::IntegerOfReal, Kind::Integer, {a}, {}, to, 1); }
    Scalar integerOfReal(Scalar a, ElementType to) override { return push(Code::IntegerOfReal, Kind::Integer, {a}, {}, to, 0); }
    Scalar integerOfInteger(Scalar a, ElementType from, ElementType to) override {
        const Scalar out = push(Code::IntegerOfInteger, Kind::Integer, {a}, {}, to);
        m_program.m_steps[out].from = from;
        return out;
    }
    Scalar realOfBoolean(Scalar a) override { return concrete(Code::RealOfBoolean, a, ElementType::Bool); }
    Scalar integerOfBoolean(Scalar a, ElementType to) override { return push(Code::IntegerOfBoolean, Kind::Integer, {a}, {}, to); }

    Scalar function(const std::string& name, std::span<const Scalar> arguments, ElementType result) override {
        std::uint64_t key = 0x6C656D6D61ULL;
        for (const char c : name) {
            key = mixed(key, static_cast<unsigned char>(c));
        }
        return hashed(name == "erf" ? Code::Odd : Code::Hash, key, realFunctionNumber(name).value_or(-1), arguments, result);
    }
    Scalar hashed(Code code, std::uint64_t key, std::int64_t real, std::span<const Scalar> arguments, ElementType result) {
        Traits traits;
        traits.degree.proved = arguments.empty();
        traits.degree.everywhere = arguments.empty();
        for (const Scalar a : arguments) {
            traits.top = std::max(traits.top, step(a).traits.top);
        }
        const Scalar out = push(code, kindOf(result), {arguments.begin(), arguments.end()}, traits, result, real);
        m_program.m_steps[out].key = key;
        return out;
    }
    Scalar rounded(Scalar a, ElementType type) override {
        if (type == ElementType::F64 || holds(type, step(a).traits.held)) {
            return a;
        }
        return push(Code::Rounded, Kind::Real, {a}, {0, type, chosenOf(degree(a), {})}, type);
    }

    /// Makes `a` the last step, which is the result.
    void finish(Scalar a) { m_program.m_steps.resize(std::max<std::size_t>(a + 1, 1)); }
    [[nodiscard]] const Step& step(Scalar a) const { return m_program.m_steps[a]; }

  private:
    ElementProgram& m_program;
    std::size_t m_levels;
    std::map<std::tuple<Code, std::vector<std::uint32_t>, ElementType, std::int64_t>, Scalar> m_known;

    [[nodiscard]] static Degree unproved() { return {0.0, 0.0, false, false}; }
    [[nodiscard]] const Degree& degree(Scalar a) const { return step(a).traits.degree; }
    [[nodiscard]] Traits both(Scalar a, Scalar b, const Degree& degree) const {
        return {std::max(step(a).traits.top, step(b).traits.top), ElementType::Undefined, degree};
    }
    [[nodiscard]] bool isZero(Scalar a) const {
        return step(a).code == Code::Constant && step(a).kind == Kind::Real &&
               m_program.m_constants[static_cast<std::size_t>(step(a).data)].value == 0.0;
    }
    Scalar chosen(Code code, Scalar a, Scalar b) {
        Traits traits = both(a, b, chosenOf(degree(a), degree(b)));
        traits.held = step(a).traits.held == step(b).traits.held ? step(a).traits.held : ElementType::Undefined;
        return push(code, Kind::Real, {a, b}, traits);
    }
    Scalar concrete(Code code, Scalar a, ElementType from) {
        Traits traits;
        traits.degree = step(a).traits.degree;
        const Scalar out = push(code, Kind::Real, {a}, traits);
        m_program.m_steps[out].from = from;
        return out;
    }
    Scalar constant(const mpq_class& value, double error) {
        for (std::size_t i = 0; i < m_exact.size(); ++i) {
            if (m_exact[i].first == value) {
                return m_exact[i].second;
            }
        }
        ElementProgram::Constant c;
        for (std::size_t l = 0; l < m_levels; ++l) {
            c.fields[l] = field(l).fromRational(value);
        }
        c.value = value.get_d();
        c.error = error;
        m_program.m_constants.push_back(c);
        const Scalar out = push(Code::Constant, Kind::Real, {}, {}, ElementType::F64, static_cast<std::int64_t>(m_program.m_constants.size() - 1));
        m_exact.emplace_back(value, out);
        return out;
    }
    std::vector<std::pair<mpq_class, Scalar>> m_exact;

    Scalar push(Code code, Kind kind, std::vector<std::uint32_t> arguments, const Traits& traits, ElementType type = ElementType::F64,
                std::int64_t data = 0) {
        const bool fresh = code == Code::Hash || code == Code::Odd || code == Code::IntegerOfInteger || code == Code::RealOfInteger;
        auto known = std::make_tuple(code, arguments, type, data);
        if (!fresh) {
            if (const auto at = m_known.find(known); at != m_known.end()) {
                return at->second;
            }
        }
        Step made;
        made.code = code;
        made.kind = kind;
        made.type = type;
        made.arguments = std::move(arguments);
        made.data = data;
        made.traits = traits;
        made.branches = code == Code::Max || code == Code::Min || code == Code::Less || code == Code::Round || code == Code::IntegerOfReal ||
                        code == Code::Choose || code == Code::Rounded;
        m_program.m_steps.push_back(std::move(made));
        const auto out = static_cast<Scalar>(m_program.m_steps.size() - 1);
        if (!fresh) {
            m_known.emplace(std::move(known), out);
        }
        return out;
    }
};

namespace {

/// Meanings that core/term leaves open, or has for constant operands only.
std::optional<Scalar> furtherMeaning(const Operator& op, const std::vector<Scalar>& x, Recorder& m) {
    const std::string& name = op.name;
    const auto alpha = [&](float fallback) { return m.number(mpq_class(static_cast<double>(op.attribute<float>("alpha", fallback)))); };
    const Scalar one = m.number(1);
    const Scalar zero = m.number(0);
    if (x.empty() || m.step(x[0]).kind != Kind::Real || !isFloat(op.element)) {
        return std::nullopt;
    }
    const auto positive = [&] { return m.less(zero, x[0]); };
    if (name == "Elu" || name == "Selu" || name == "Celu") {
        const Scalar a = alpha(name == "Selu" ? 1.67326319217681884765625F : 1.0F);
        const Scalar inner = name == "Celu" ? m.div(x[0], a) : x[0];
        const Scalar low = m.mul(a, m.sub(m.exp(inner), one));
        const Scalar out = m.choose(positive(), x[0], low, ElementType::F64);
        if (name != "Selu") {
            return out;
        }
        return m.mul(m.number(mpq_class(static_cast<double>(op.attribute<float>("gamma", 1.05070102214813232421875F)))), out);
    }
    if (name == "ThresholdedRelu") {
        return m.choose(m.less(alpha(1.0F), x[0]), x[0], zero, ElementType::F64);
    }
    if (name == "Mish") {
        // x tanh(log(1 + e^x)) = x ((1 + e^x)^2 - 1) / ((1 + e^x)^2 + 1)
        const Scalar base = m.add(one, m.exp(x[0]));
        const Scalar square = m.mul(base, base);
        return m.div(m.mul(x[0], m.sub(square, one)), m.add(square, one));
    }
    if (name == "Sinh" || name == "Cosh") {
        const Scalar up = m.exp(x[0]);
        const Scalar down = m.exp(m.sub(zero, x[0]));
        return m.div(name == "Sinh" ? m.sub(up, down) : m.add(up, down), m.number(2));
    }
    if (name == "Pow" && x.size() == 2 && m.step(x[1]).kind == Kind::Real) {
        return m.exp(m.mul(x[1], m.log(x[0])));
    }
    return std::nullopt;
}

} // namespace

std::optional<ElementProgram> ElementProgram::record(TermStore& store, TermId term, const std::vector<Traits>& operands, std::size_t levels) {
    ElementProgram program;
    Recorder recorder(program, levels);
    std::vector<Scalar> scalars;
    const std::vector<TermId> read(store.operands(term).begin(), store.operands(term).end());
    for (std::size_t i = 0; i < read.size(); ++i) {
        const ElementType type = store.type(read[i]).element;
        if (!isComputable(type)) {
            return std::nullopt;
        }
        scalars.push_back(recorder.operand(i, type, operands[i]));
    }
    const ElementType element = store.type(term).element;
    if (!isComputable(element)) {
        return std::nullopt;
    }
    Operator op = store.op(term);
    TermId meant = term;
    if (const std::size_t suffix = op.name.find("/broadcast"); suffix != std::string::npos) {
        op.name.resize(suffix);
        op.elementwise = true;
        meant = store.apply(store.internOperator(op), read, store.type(term));
    }
    std::optional<Scalar> out;
    if (op.name == "Pow" && read.size() == 2 && store.uniformValue(read[1]) == std::optional<double>(0.0) && isFloat(element)) {
        out = recorder.number(1);
    }
    if (!out) {
        out = scalarMeaning(store, meant, scalars, recorder);
    }
    if (!out) {
        out = furtherMeaning(op, scalars, recorder);
    }
    if (!out) {
        const bool unary = scalars.size() == 1 && recorder.step(scalars[0]).kind == Kind::Real && isFloat(element);
        const std::int64_t function = unary ? realFunctionNumber(op.name).value_or(-1) : -1;
        const bool odd = op.name == "Sin" || op.name == "Tan" || op.name == "Asin" || op.name == "Atan" || op.name == "Asinh" || op.name == "Atanh";
        out = recorder.hashed(unary && odd ? Code::Odd : Code::Hash, mixed(0x6F70ULL, store.term(term).op.index), function, scalars, element);
    }
    if ((recorder.step(*out).kind == Kind::Real) != (kindOf(element) == Kind::Real) || !program.sound()) {
        return std::nullopt;
    }
    if (*out + 1 != program.m_steps.size()) {
        recorder.finish(*out);
    }
    return program;
}

bool ElementProgram::sound() const {
    return std::all_of(m_steps.begin(), m_steps.end(), [this](const Step& step) {
        for (std::size_t k = 0; k < step.arguments.size(); ++k) {
            const bool real = m_steps[step.arguments[k]].kind == Kind::Real;
            bool wanted = false;
            switch (step.code) {
            case Code::Add:
            case Code::Sub:
            case Code::Mul:
            case Code::Div:
            case Code::Max:
            case Code::Min:
            case Code::Exp:
            case Code::Log:
            case Code::Sqrt:
            case Code::Round:
            case Code::Rounded:
            case Code::Odd:
            case Code::Less:
            case Code::Equal:
            case Code::IntegerOfReal: wanted = true; break;
            case Code::Choose: wanted = k > 0 && step.kind == Kind::Real; break;
            case Code::Hash: wanted = real; break;
            default: break;
            }
            if (real != wanted) {
                return false;
            }
        }
        return true;
    });
}

bool ElementProgram::opaque() const {
    return std::any_of(m_steps.begin(), m_steps.end(), [](const Step& step) { return step.code == Code::Hash && step.data < 0; });
}

std::int64_t wrapped(std::int64_t value, ElementType type) {
    const unsigned width = bitWidth(type);
    if (width == 0 || width >= 64) {
        return value;
    }
    const std::uint64_t mask = (std::uint64_t{1} << width) - 1;
    std::uint64_t bits = static_cast<std::uint64_t>(value) & mask;
    if (isSignedInteger(type) && (bits >> (width - 1U)) != 0) {
        bits |= ~mask;
    }
    return static_cast<std::int64_t>(bits);
}

bool integerIsLess(std::int64_t a, std::int64_t b, ElementType type) {
    return type == ElementType::U64 ? static_cast<std::uint64_t>(a) < static_cast<std::uint64_t>(b) : a < b;
}

double realOf(std::int64_t value, ElementType type) {
    return type == ElementType::U64 ? static_cast<double>(static_cast<std::uint64_t>(value)) : static_cast<double>(value);
}

std::uint64_t fieldOf(std::int64_t value, ElementType type, std::size_t level) {
    return type == ElementType::U64 ? field(level).fromCanonical(static_cast<std::uint64_t>(value)) : field(level).fromInteger(value);
}

std::optional<std::int64_t> integerResult(IntegerOp op, std::int64_t a, std::int64_t b, ElementType type) {
    const auto ua = static_cast<std::uint64_t>(a);
    const auto ub = static_cast<std::uint64_t>(b);
    const auto made = [type](std::uint64_t bits) { return wrapped(static_cast<std::int64_t>(bits), type); };
    const bool isSigned = isSignedInteger(type);
    const unsigned width = bitWidth(type);
    switch (op) {
    case IntegerOp::Add: return made(ua + ub);
    case IntegerOp::Sub: return made(ua - ub);
    case IntegerOp::Mul: return made(ua * ub);
    case IntegerOp::Neg: return made(~ua + 1);
    case IntegerOp::Min: return integerIsLess(b, a, type) ? b : a;
    case IntegerOp::Max: return integerIsLess(a, b, type) ? b : a;
    case IntegerOp::Abs: return isSigned && a < 0 ? made(~ua + 1) : a;
    case IntegerOp::Sign: return a == 0 ? 0 : isSigned && a < 0 ? -1 : 1;
    case IntegerOp::And: return made(ua & ub);
    case IntegerOp::Or: return made(ua | ub);
    case IntegerOp::Xor: return made(ua ^ ub);
    case IntegerOp::Not: return made(~ua);
    case IntegerOp::ShiftLeft: return ub >= width ? 0 : made(ua << ub);
    case IntegerOp::ShiftRight:
        if (isSigned) {
            return a >> std::min<std::uint64_t>(ub, 63);
        }
        return ub >= width ? 0 : made(ua >> ub);
    case IntegerOp::Div:
    case IntegerOp::ModTrunc:
    case IntegerOp::ModFloor: {
        if (b == 0) {
            return std::nullopt;
        }
        if (!isSigned) {
            return op == IntegerOp::Div ? made(ua / ub) : made(ua % ub);
        }
        if (b == -1) {
            return op == IntegerOp::Div ? made(~ua + 1) : 0;
        }
        if (op == IntegerOp::Div) {
            return a / b;
        }
        const std::int64_t rest = a % b;
        return op == IntegerOp::ModFloor && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    }
    }
    return std::nullopt;
}

} // namespace lemmascope::sampling
