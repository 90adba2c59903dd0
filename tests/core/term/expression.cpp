#include "tests/core/term/expression.h"

#include <array>
#include <cmath>

namespace lemmascope::term_test {

Expr number(const mpq_class& value) { return std::make_shared<Expression>(Expression{Op::Number, value, 0, {}}); }
Expr variable(std::size_t k) { return std::make_shared<Expression>(Expression{Op::Variable, 0, k, {}}); }
Expr flag(std::size_t k) { return std::make_shared<Expression>(Expression{Op::Flag, 0, k, {}}); }
Expr apply(Op op, std::vector<Expr> operands) { return std::make_shared<Expression>(Expression{op, 0, 0, std::move(operands)}); }

std::string text(const Expr& e) {
    static constexpr const char* Names[] = {"",     "",           "",      "add",    "sub",  "mul",   "div", "max", "min", "exp", "log",
                                            "sqrt", "reciprocal", "floor", "choose", "less", "equal", "not", "and", "xor", "real"};
    if (e->op == Op::Number) {
        return e->number.get_str();
    }
    if (e->op == Op::Variable) {
        return std::string(1, static_cast<char>('x' + e->variable));
    }
    if (e->op == Op::Flag) {
        return std::string(1, static_cast<char>('p' + e->variable));
    }
    std::string out = std::string(Names[static_cast<std::size_t>(e->op)]) + "(";
    for (std::size_t k = 0; k < e->operands.size(); ++k) {
        out += (k == 0 ? "" : ", ") + text(e->operands[k]);
    }
    return out + ")";
}

namespace {

constexpr long double Near = 1e-9L;

Real exactly(const mpq_class& value) { return {Real::Kind::Exact, value, static_cast<long double>(value.get_d())}; }

Real closeTo(long double value) {
    if (!std::isfinite(value) || std::fabs(value) > 1e12L) {
        return {Real::Kind::Unsure, 0, 0.0L}; // the real is fine, but we no longer see its small parts
    }
    return {Real::Kind::Close, 0, value};
}

/// The sign of a real: -1, 0, 1, or nothing when it is too close to call.
std::optional<int> signOf(const Real& a) {
    if (a.kind == Real::Kind::Exact) {
        return sgn(a.exact);
    }
    if (std::fabs(a.close) < Near) {
        return std::nullopt;
    }
    return a.close < 0 ? -1 : 1;
}

std::optional<mpq_class> exactRoot(const mpq_class& q) {
    mpz_class num;
    mpz_class den;
    if (mpz_root(num.get_mpz_t(), q.get_num().get_mpz_t(), 2) == 0 || mpz_root(den.get_mpz_t(), q.get_den().get_mpz_t(), 2) == 0) {
        return std::nullopt;
    }
    return mpq_class(num, den);
}

Real minus(const Real& a, const Real& b) {
    return a.kind == Real::Kind::Exact && b.kind == Real::Kind::Exact ? exactly(a.exact - b.exact) : closeTo(a.close - b.close);
}

Real truthOf(std::optional<bool> value) { return value ? exactly(*value ? 1 : 0) : Real{Real::Kind::Unsure, 0, 0.0L}; }

} // namespace

Real evaluate(const Expr& e, const Point& point) {
    switch (e->op) {
    case Op::Number: return exactly(e->number);
    case Op::Variable: return exactly(point.variables[e->variable]);
    case Op::Flag: return exactly(point.flags[e->variable] ? 1 : 0);
    case Op::Choose: {
        const Real condition = evaluate(e->operands[0], point);
        return condition.kind != Real::Kind::Exact ? condition : evaluate(e->operands[condition.exact != 0 ? 1 : 2], point);
    }
    default: break;
    }
    std::vector<Real> x;
    bool unsure = false;
    for (const Expr& operand : e->operands) {
        x.push_back(evaluate(operand, point));
        if (x.back().kind == Real::Kind::Undefined) {
            return x.back();
        }
        unsure = unsure || x.back().kind == Real::Kind::Unsure;
    }
    if (unsure) {
        // Another operand may still be undefined, which we saw above; otherwise nothing is known.
        return {Real::Kind::Unsure, 0, 0.0L};
    }
    const bool exact = x[0].kind == Real::Kind::Exact && (x.size() == 1 || x[1].kind == Real::Kind::Exact);
    const Real undefined{Real::Kind::Undefined, 0, 0.0L};
    const Real unknown{Real::Kind::Unsure, 0, 0.0L};
    switch (e->op) {
    case Op::Add: return exact ? exactly(x[0].exact + x[1].exact) : closeTo(x[0].close + x[1].close);
    case Op::Sub: return minus(x[0], x[1]);
    case Op::Mul: return exact ? exactly(x[0].exact * x[1].exact) : closeTo(x[0].close * x[1].close);
    case Op::Div:
    case Op::Reciprocal: {
        const Real& divisor = x.back();
        const std::optional<int> sign = signOf(divisor);
        if (!sign || *sign == 0) {
            return sign ? undefined : unknown;
        }
        const Real top = e->op == Op::Div ? x[0] : exactly(1);
        return exact ? exactly(top.exact / divisor.exact) : closeTo(top.close / divisor.close);
    }
    case Op::Max:
    case Op::Min:
        return exact ? exactly((x[0].exact < x[1].exact) == (e->op == Op::Max) ? x[1].exact : x[0].exact)
                     : closeTo(e->op == Op::Max ? std::max(x[0].close, x[1].close) : std::min(x[0].close, x[1].close));
    case Op::Exp: return exact && x[0].exact == 0 ? exactly(1) : closeTo(std::exp(x[0].close));
    case Op::Log: {
        const std::optional<int> sign = signOf(x[0]);
        if (!sign || *sign <= 0) {
            return sign ? undefined : unknown;
        }
        return exact && x[0].exact == 1 ? exactly(0) : closeTo(std::log(x[0].close));
    }
    case Op::Sqrt: {
        const std::optional<int> sign = signOf(x[0]);
        if (!sign || *sign < 0) {
            return sign ? undefined : unknown;
        }
        const std::optional<mpq_class> root = exact ? exactRoot(x[0].exact) : std::nullopt;
        return root ? exactly(*root) : closeTo(std::sqrt(x[0].close));
    }
    case Op::Floor: {
        if (exact) {
            mpz_class down;
            mpz_fdiv_q(down.get_mpz_t(), x[0].exact.get_num().get_mpz_t(), x[0].exact.get_den().get_mpz_t());
            return exactly(mpq_class(down));
        }
        return std::fabs(x[0].close - std::round(x[0].close)) < Near ? unknown : closeTo(std::floor(x[0].close));
    }
    case Op::Less: {
        const std::optional<int> sign = signOf(minus(x[0], x[1]));
        return truthOf(sign ? std::optional(*sign < 0) : std::nullopt);
    }
    case Op::Equal: {
        const std::optional<int> sign = signOf(minus(x[0], x[1]));
        return truthOf(sign ? std::optional(*sign == 0) : std::nullopt);
    }
    case Op::Not: return exactly(1 - x[0].exact);
    case Op::And: return exactly(x[0].exact * x[1].exact);
    case Op::Xor: return exactly(x[0].exact == x[1].exact ? 0 : 1);
    default: return x[0]; // OfFlag
    }
}

bool agree(const Real& a, const Real& b) {
    using Kind = Real::Kind;
    if (a.kind == Kind::Unsure || b.kind == Kind::Unsure) {
        return true;
    }
    if (a.kind == Kind::Undefined || b.kind == Kind::Undefined) {
        return a.kind == b.kind;
    }
    if (a.kind == Kind::Exact && b.kind == Kind::Exact) {
        return a.exact == b.exact;
    }
    return std::fabs(a.close - b.close) <= 1e-6L * (1.0L + std::fabs(a.close) + std::fabs(b.close));
}

std::vector<Point> samplePoints() {
    const std::array<mpq_class, 7> values{mpq_class(0), mpq_class(1), mpq_class(-1), mpq_class(1, 2), mpq_class(-1, 2), mpq_class(2), mpq_class(-3)};
    std::vector<Point> out;
    Random random(7);
    for (const mpq_class& x : values) {
        for (const mpq_class& y : values) {
            for (unsigned flags = 0; flags < 4; ++flags) {
                out.push_back({{x, y, values[pick(random, values.size())]}, {(flags & 1U) != 0, (flags & 2U) != 0}});
            }
        }
    }
    return out;
}

Forms::Forms() : m_forms(m_terms, {2'000, 200'000}) {
    for (std::uint32_t k = 0; k < 3; ++k) {
        m_reals.push_back(m_terms.input(k, {ElementType::F64, Shape{Dim(4)}}));
    }
    for (std::uint32_t k = 3; k < 5; ++k) {
        m_flags.push_back(m_terms.input(k, {ElementType::Bool, Shape{Dim(4)}}));
    }
}

Scalar Forms::build(const Expr& e) {
    std::vector<Scalar> x;
    for (const Expr& operand : e->operands) {
        x.push_back(build(operand));
    }
    switch (e->op) {
    case Op::Number: return m_forms.number(e->number);
    case Op::Variable: return m_forms.read(m_reals[e->variable], -1);
    case Op::Flag: return m_forms.read(m_flags[e->variable], -1);
    case Op::Add: return m_forms.add(x[0], x[1]);
    case Op::Sub: return m_forms.sub(x[0], x[1]);
    case Op::Mul: return m_forms.mul(x[0], x[1]);
    case Op::Div: return m_forms.div(x[0], x[1]);
    case Op::Max: return m_forms.max(x[0], x[1]);
    case Op::Min: return m_forms.min(x[0], x[1]);
    case Op::Exp: return m_forms.exp(x[0]);
    case Op::Log: return m_forms.log(x[0]);
    case Op::Sqrt: return m_forms.power(x[0], mpq_class(1, 2));
    case Op::Reciprocal: return m_forms.power(x[0], -1);
    case Op::Floor: return m_forms.round(Rounding::Down, x[0]);
    case Op::Choose: return m_forms.choose(x[0], x[1], x[2], ElementType::F64);
    case Op::Less: return m_forms.less(x[0], x[1]);
    case Op::Equal: return m_forms.equal(x[0], x[1]);
    case Op::Not: return m_forms.negation(x[0]);
    case Op::And: return m_forms.conjunction(x[0], x[1]);
    case Op::Xor: return m_forms.exclusive(x[0], x[1]);
    case Op::OfFlag: return m_forms.realOfBoolean(x[0]);
    }
    return 0;
}

std::size_t pick(Random& random, std::size_t count) { return static_cast<std::size_t>(random() % count); }

Expr randomFlag(Random& random, int depth) {
    const std::size_t kind = depth <= 0 ? 0 : pick(random, 7);
    switch (kind) {
    case 1:
    case 2: return apply(Op::Less, {randomReal(random, depth - 1), randomReal(random, depth - 1)});
    case 3: return apply(Op::Equal, {randomReal(random, depth - 1), randomReal(random, depth - 1)});
    case 4: return apply(Op::Not, {randomFlag(random, depth - 1)});
    case 5: return apply(Op::And, {randomFlag(random, depth - 1), randomFlag(random, depth - 1)});
    case 6: return apply(Op::Xor, {randomFlag(random, depth - 1), randomFlag(random, depth - 1)});
    default: return flag(pick(random, 2));
    }
}

Expr randomReal(Random& random, int depth) {
    if (depth <= 0) {
        static const std::array<mpq_class, 5> Numbers{mpq_class(0), mpq_class(1), mpq_class(-1), mpq_class(2), mpq_class(1, 2)};
        const std::size_t kind = pick(random, 8);
        return kind < 5   ? variable(pick(random, 2))
               : kind < 7 ? number(Numbers[pick(random, Numbers.size())])
                          : apply(Op::OfFlag, {flag(pick(random, 2))});
    }
    const auto real = [&] { return randomReal(random, static_cast<int>(pick(random, static_cast<std::size_t>(depth)))); };
    switch (pick(random, 16)) {
    case 0:
    case 1: return apply(Op::Add, {real(), real()});
    case 2: return apply(Op::Sub, {real(), real()});
    case 3:
    case 4: return apply(Op::Mul, {real(), real()});
    case 5:
    case 6: return apply(Op::Div, {real(), real()});
    case 7: return apply(Op::Max, {real(), real()});
    case 8: return apply(Op::Min, {real(), real()});
    case 9: return apply(Op::Exp, {real()});
    case 10: return apply(Op::Log, {real()});
    case 11: return apply(Op::Sqrt, {real()});
    case 12: return apply(Op::Reciprocal, {real()});
    case 13: return pick(random, 3) == 0 ? apply(Op::Floor, {real()}) : apply(Op::OfFlag, {randomFlag(random, depth - 1)});
    default: return apply(Op::Choose, {randomFlag(random, depth - 1), real(), real()});
    }
}

namespace {

bool isFlag(const Expr& e) {
    return e->op == Op::Flag || e->op == Op::Less || e->op == Op::Equal || e->op == Op::Not || e->op == Op::And || e->op == Op::Xor;
}

Expr lawOf(Random& random, const Expr& e) {
    const auto& x = e->operands;
    const Expr zero = number(0);
    const Expr one = number(1);
    // Laws of any real, some of them wrong where t is 0, negative or undefined.
    if (pick(random, 3) == 0) {
        const Expr t = randomReal(random, 1);
        switch (pick(random, 9)) {
        case 0: return apply(Op::Div, {apply(Op::Mul, {e, t}), t});
        case 1: return apply(Op::Add, {e, apply(Op::Mul, {zero, t})});
        case 2: return apply(Op::Sub, {apply(Op::Add, {e, t}), t});
        case 3: return apply(Op::Reciprocal, {apply(Op::Reciprocal, {e})});
        case 4: return apply(Op::Exp, {apply(Op::Log, {e})});
        case 5: return apply(Op::Log, {apply(Op::Exp, {e})});
        case 6: return apply(Op::Sqrt, {apply(Op::Mul, {e, e})});
        case 7: return apply(Op::Choose, {randomFlag(random, 1), e, e});
        default: return apply(Op::Max, {e, apply(Op::Sub, {e, apply(Op::Exp, {t})})});
        }
    }
    switch (e->op) {
    case Op::Add:
        if (x[0]->op == Op::Div) { // a/b + c = (a + c b)/b
            return apply(Op::Div, {apply(Op::Add, {x[0]->operands[0], apply(Op::Mul, {x[1], x[0]->operands[1]})}), x[0]->operands[1]});
        }
        return apply(Op::Add, {x[1], x[0]});
    case Op::Sub: return apply(Op::Add, {x[0], apply(Op::Mul, {number(-1), x[1]})});
    case Op::Mul:
        if (x[1]->op == Op::Add || x[1]->op == Op::Sub) {
            return apply(x[1]->op, {apply(Op::Mul, {x[0], x[1]->operands[0]}), apply(Op::Mul, {x[0], x[1]->operands[1]})});
        }
        if (x[0]->op == Op::Choose) {
            return apply(Op::Choose, {x[0]->operands[0], apply(Op::Mul, {x[0]->operands[1], x[1]}), apply(Op::Mul, {x[0]->operands[2], x[1]})});
        }
        if (x[0]->op == Op::Sqrt && x[1]->op == Op::Sqrt) {
            return apply(Op::Sqrt, {apply(Op::Mul, {x[0]->operands[0], x[1]->operands[0]})});
        }
        return apply(Op::Mul, {x[1], x[0]});
    case Op::Div:
        return pick(random, 2) == 0 ? apply(Op::Mul, {x[0], apply(Op::Reciprocal, {x[1]})}) : apply(Op::Reciprocal, {apply(Op::Div, {x[1], x[0]})});
    case Op::Max: return apply(Op::Sub, {zero, apply(Op::Min, {apply(Op::Sub, {zero, x[0]}), apply(Op::Sub, {zero, x[1]})})});
    case Op::Min: return pick(random, 2) == 0 ? apply(Op::Choose, {apply(Op::Less, {x[0], x[1]}), x[0], x[1]}) : apply(Op::Min, {x[1], x[0]});
    case Op::Exp:
        if (x[0]->op == Op::Add) {
            return apply(Op::Mul, {apply(Op::Exp, {x[0]->operands[0]}), apply(Op::Exp, {x[0]->operands[1]})});
        }
        if (x[0]->op == Op::Choose) {
            return apply(Op::Choose, {x[0]->operands[0], apply(Op::Exp, {x[0]->operands[1]}), apply(Op::Exp, {x[0]->operands[2]})});
        }
        return apply(Op::Reciprocal, {apply(Op::Exp, {apply(Op::Sub, {zero, x[0]})})});
    case Op::Log: return apply(Op::Mul, {number(2), apply(Op::Log, {apply(Op::Sqrt, {x[0]})})});
    case Op::Sqrt: return apply(Op::Div, {x[0], apply(Op::Sqrt, {x[0]})});
    case Op::Reciprocal:
        if (x[0]->op == Op::Mul) {
            return apply(Op::Mul, {apply(Op::Reciprocal, {x[0]->operands[0]}), apply(Op::Reciprocal, {x[0]->operands[1]})});
        }
        if (x[0]->op == Op::Choose) {
            return apply(Op::Choose, {x[0]->operands[0], apply(Op::Reciprocal, {x[0]->operands[1]}), apply(Op::Reciprocal, {x[0]->operands[2]})});
        }
        return apply(Op::Exp, {apply(Op::Sub, {zero, apply(Op::Log, {x[0]})})});
    case Op::Choose:
        return pick(random, 2) == 0 ? apply(Op::Choose, {apply(Op::Not, {x[0]}), x[2], x[1]})
                                    : apply(Op::Add, {apply(Op::Mul, {apply(Op::OfFlag, {x[0]}), x[1]}),
                                                      apply(Op::Mul, {apply(Op::Sub, {one, apply(Op::OfFlag, {x[0]})}), x[2]})});
    default: return apply(Op::Mul, {e, one});
    }
}

} // namespace

Expr rewritten(Random& random, const Expr& e) {
    std::vector<std::size_t> reals;
    for (std::size_t k = 0; k < e->operands.size(); ++k) {
        if (!isFlag(e->operands[k])) {
            reals.push_back(k);
        }
    }
    if (isFlag(e) || (!reals.empty() && pick(random, 2) == 0)) {
        if (reals.empty()) {
            return e;
        }
        Expression out = *e;
        const std::size_t k = reals[pick(random, reals.size())];
        out.operands[k] = rewritten(random, e->operands[k]);
        return std::make_shared<Expression>(out);
    }
    return lawOf(random, e);
}

} // namespace lemmascope::term_test
