// The normal form of scalars: what it says is equal must be equal at every point and undefined at the same points. The judge
// is a plain evaluator with rational numbers (tests/core/term/expression.h), which knows nothing of normal forms.

#include "tests/core/term/expression.h"

#include <QtTest/QTest>

using namespace lemmascope;
using namespace lemmascope::term_test;

namespace {

const Expr X = variable(0);
const Expr Y = variable(1);
const Expr P = flag(0);
const Expr Q = flag(1);

Expr n(long num, long den = 1) { return number(mpq_class(num, den)); }
Expr operator+(const Expr& a, const Expr& b) { return apply(Op::Add, {a, b}); }
Expr operator-(const Expr& a, const Expr& b) { return apply(Op::Sub, {a, b}); }
Expr operator*(const Expr& a, const Expr& b) { return apply(Op::Mul, {a, b}); }
Expr operator/(const Expr& a, const Expr& b) { return apply(Op::Div, {a, b}); }
Expr max(const Expr& a, const Expr& b) { return apply(Op::Max, {a, b}); }
Expr min(const Expr& a, const Expr& b) { return apply(Op::Min, {a, b}); }
Expr exp(const Expr& a) { return apply(Op::Exp, {a}); }
Expr log(const Expr& a) { return apply(Op::Log, {a}); }
Expr sqrt(const Expr& a) { return apply(Op::Sqrt, {a}); }
Expr floor(const Expr& a) { return apply(Op::Floor, {a}); }
Expr choose(const Expr& c, const Expr& a, const Expr& b) { return apply(Op::Choose, {c, a, b}); }
Expr less(const Expr& a, const Expr& b) { return apply(Op::Less, {a, b}); }
Expr equals(const Expr& a, const Expr& b) { return apply(Op::Equal, {a, b}); }
Expr no(const Expr& a) { return apply(Op::Not, {a}); }
Expr real(const Expr& a) { return apply(Op::OfFlag, {a}); }

struct Pair {
    const char* name;
    Expr a;
    Expr b;
};

/// The first point at which two expressions differ; empty when they agree at all of them.
std::string difference(const Expr& a, const Expr& b, const std::vector<Point>& points) {
    for (const Point& point : points) {
        if (!agree(evaluate(a, point), evaluate(b, point))) {
            std::string out = text(a) + "\n  against " + text(b) + "\n  at";
            for (const mpq_class& value : point.variables) {
                out += " " + value.get_str();
            }
            return out + (point.flags[0] ? " p" : " not p") + (point.flags[1] ? " q" : " not q");
        }
    }
    return {};
}

} // namespace

class TestFormStore : public QObject {
    Q_OBJECT

    std::vector<Point> m_points = samplePoints();

  private Q_SLOTS:
    void equalOnes() {
        const Expr softplus = log(n(1) + exp(X));
        const std::vector<Pair> pairs{
            {"distributive", (X + Y) * (X - Y), X * X - Y * Y},
            {"quotients", X / Y, X * (n(1) / Y)},
            {"common denominators", n(1) / X + n(1) / Y, (X + Y) / (X * Y)},
            {"nested quotients", X / (n(1) + n(1) / Y), X * Y / (Y + n(1)) + n(0) / Y},
            {"content of a denominator", n(1) / (n(2) * X + n(4)), n(1, 2) / (X + n(2))},
            {"sign of a denominator", Y / (X - n(1)), (n(0) - Y) / (n(1) - X)},
            {"exponentials multiply", exp(X + Y), exp(X) * exp(Y)},
            {"exponentials divide", exp(X - Y), exp(X) / exp(Y)},
            {"sigmoid both ways", n(1) / (n(1) + exp(n(0) - X)), exp(X) / (n(1) + exp(X))},
            {"log of exp", log(exp(X)), X},
            {"softplus", log(exp(Y) + exp(X + Y)), Y + softplus},
            {"exp of log keeps its domain", exp(log(X)), X + n(0) * log(X)},
            {"root of a root", sqrt(X) * sqrt(X), X + n(0) * sqrt(X)},
            {"inverse root", sqrt(X) / X, n(1) / sqrt(X)},
            {"root of a square number", sqrt(n(4) * X), n(2) * sqrt(X)},
            {"max is commutative", max(X, max(Y, n(0))), max(max(n(0), X), Y)},
            {"max with a shift", max(X + n(3), Y + n(3)), n(3) + max(X, Y)},
            {"max with a scale", max(n(2) * X, n(2) * Y), n(2) * max(X, Y)},
            {"min through max", min(X, Y), n(0) - max(n(0) - X, n(0) - Y)},
            {"max of what is larger", max(X, X + n(1)), X + n(1)},
            {"clip order", max(min(max(X, n(0)), n(6)), n(0)), max(min(max(X, n(0)), n(6)), n(0))},
            {"choose not", choose(no(P), X, Y), choose(P, Y, X)},
            {"choose the same", choose(P, X, X), X},
            {"choose twice", choose(P, choose(P, X, Y), X + Y), choose(P, X, X + Y)},
            {"choose is linear", choose(P, X, Y) * Y, choose(P, X * Y, Y * Y)},
            {"less with a scale", real(less(n(2) * X, n(2) * Y)), real(less(X, Y))},
            {"less than a positive", real(less(n(0), exp(X))), n(1)},
            {"equal is symmetric", real(equals(X, Y)), real(equals(Y, X))},
            {"floor of a floor", floor(floor(X)), floor(X)},
        };
        for (const Pair& pair : pairs) {
            Forms forms;
            QVERIFY2(difference(pair.a, pair.b, m_points).empty(), pair.name); // the test itself is right
            QVERIFY2(forms.equal(pair.a, pair.b), pair.name);
        }
    }

    void wrongTwins() {
        const std::vector<Pair> pairs{
            {"x/x and 1", X / X, n(1)},
            {"x*(1/x) and 1", X * (n(1) / X), n(1)},
            {"sqrt(x*x) and x", sqrt(X * X), X},
            {"sqrt(x)*sqrt(x) and x", sqrt(X) * sqrt(X), X},
            {"exp(log x) and x", exp(log(X)), X},
            {"log(x*x) and 2 log x", log(X * X), n(2) * log(X)},
            {"log(xy) and log x + log y", log(X * Y), log(X) + log(Y)},
            {"sqrt(xy) and sqrt x sqrt y", sqrt(X * Y), sqrt(X) * sqrt(Y)},
            {"1/(1/x) and x", n(1) / (n(1) / X), X},
            {"0/x and 0", n(0) / X, n(0)},
            {"0*log x and 0", n(0) * log(X), n(0)},
            {"max with another shift", max(X + n(1), Y), n(1) + max(X, Y)},
            {"max with a negative scale", max(n(0) - X, n(0) - Y), n(0) - max(X, Y)},
            {"max(x, x*x) and x*x", max(X, X * X), X * X},
            {"less and less or equal", real(less(X, Y)), n(1) - real(less(Y, X))},
            {"less with a negative scale", real(less(n(-2) * X, n(-2) * Y)), real(less(X, Y))},
            {"guarded quotient and plain one", choose(equals(X, n(0)), n(0), Y / X), Y / X},
            {"floor(x + y) and sums", floor(X + Y), floor(X) + floor(Y)},
            {"floor(-x) and -floor(x)", floor(n(0) - X), n(0) - floor(X)},
            {"x/(xy) and 1/y", X / (X * Y), n(1) / Y},
            {"choose and its other branch", choose(P, X, Y), choose(Q, X, Y)},
            // A quotient that only one branch defines must not be multiplied out as if it were always defined.
            {"zero divisors", choose(P, (n(1) - real(Q)) / (n(1) - real(Q)), n(0)) + (n(1) - real(P)) * real(Q),
             choose(P, n(1), n(0)) + n(0) * choose(P, n(1) / (n(1) - real(Q)), n(0))},
            {"a guarded denominator inside another", n(1) / (choose(P, n(1) / X, n(0)) + Y),
             X / (real(P) + X * Y) + n(0) * choose(P, n(1) / X, n(0))},
        };
        for (const Pair& pair : pairs) {
            Forms forms;
            QVERIFY2(!difference(pair.a, pair.b, m_points).empty(), pair.name);
            QVERIFY2(!forms.equal(pair.a, pair.b), pair.name);
        }
    }

    /// Laws applied to random expressions, right and wrong ones: whatever is called equal must be.
    void rewrittenExpressionsCalledEqualAreEqual() {
        Random random(20261130);
        std::size_t called = 0;
        std::size_t different = 0;
        std::size_t missed = 0;
        for (int round = 0; round < 6'000; ++round) {
            const Expr e = randomReal(random, 4);
            Expr other = e;
            for (std::size_t k = 1 + pick(random, 3); k > 0; --k) {
                other = rewritten(random, other);
            }
            Forms forms;
            const bool equal = forms.equal(e, other);
            const std::string complaint = difference(e, other, m_points);
            QVERIFY2(!equal || complaint.empty(), complaint.c_str());
            called += equal ? 1 : 0;
            different += complaint.empty() ? 0 : 1;
            missed += !equal && complaint.empty() ? 1 : 0;
        }
        qInfo("called equal %zu, different %zu, equal by numbers only %zu", called, different, missed);
        QVERIFY(called > 2'000);
        QVERIFY(different > 1'000);
    }

    /// All pairs within pools of random expressions of two variables.
    void unrelatedExpressionsCalledEqualAreEqual() {
        Random random(42);
        std::size_t called = 0;
        for (int round = 0; round < 30; ++round) {
            Forms forms;
            std::vector<Expr> pool;
            std::vector<Scalar> scalars;
            for (int k = 0; k < 120; ++k) {
                pool.push_back(randomReal(random, 1 + static_cast<int>(pick(random, 4))));
                scalars.push_back(forms.build(pool.back()));
            }
            for (std::size_t i = 0; i < pool.size(); ++i) {
                for (std::size_t k = i + 1; k < pool.size(); ++k) {
                    if (text(pool[i]) != text(pool[k]) && forms.store().equalScalars(scalars[i], scalars[k])) {
                        ++called;
                        const std::string complaint = difference(pool[i], pool[k], m_points);
                        QVERIFY2(complaint.empty(), complaint.c_str());
                    }
                }
            }
            QVERIFY(!forms.store().tooLarge());
        }
        qInfo("called equal: %zu", called);
        QVERIFY(called > 500);
    }

    /// Past the budget nothing is called equal, not even what is.
    void nothingIsEqualPastTheBudget() {
        TermStore terms;
        FormStore forms(terms, {50, 10'000});
        std::vector<Scalar> reads;
        for (std::uint32_t k = 0; k < 10; ++k) {
            reads.push_back(forms.read(terms.input(k, {ElementType::F64, Shape{}}), -1));
        }
        const Scalar sum = forms.sum(reads);
        QVERIFY(forms.equalScalars(sum, sum));
        const Scalar power = forms.power(sum, 5);
        QVERIFY(forms.tooLarge());
        QVERIFY(!forms.equalScalars(power, power));
        QVERIFY(!forms.equalScalars(sum, power));
    }

    /// Integers wrap: sums and products are those modulo 2^width, and nothing else is taken from the reals.
    void integersWrap() {
        TermStore terms;
        FormStore forms(terms, {1'000, 100'000});
        const Scalar a = forms.read(terms.input(0, {ElementType::I8, Shape{}}), -1);
        const Scalar b = forms.read(terms.input(1, {ElementType::I8, Shape{}}), -1);
        const auto op = [&](IntegerOp kind, Scalar x, Scalar y) {
            const std::vector<Scalar> operands{x, y};
            return forms.integerOp(kind, operands, ElementType::I8);
        };
        const auto constant = [&](std::int64_t value) { return forms.integer(value, ElementType::I8); };
        QVERIFY(forms.equalScalars(op(IntegerOp::Add, op(IntegerOp::Add, a, constant(100)), constant(100)), op(IntegerOp::Add, a, constant(-56))));
        QVERIFY(forms.equalScalars(op(IntegerOp::Mul, op(IntegerOp::Mul, a, constant(16)), constant(16)), constant(0)));
        QVERIFY(forms.equalScalars(op(IntegerOp::Mul, op(IntegerOp::Add, a, b), op(IntegerOp::Sub, a, b)),
                                   op(IntegerOp::Sub, op(IntegerOp::Mul, a, a), op(IntegerOp::Mul, b, b))));
        // 2a / 2 is not a: 2a wraps. And an order of wrapped sums is not that of the terms.
        QVERIFY(!forms.equalScalars(op(IntegerOp::Div, op(IntegerOp::Mul, a, constant(2)), constant(2)), a));
        QVERIFY(!forms.equalScalars(forms.integerLess(op(IntegerOp::Add, a, constant(1)), op(IntegerOp::Add, b, constant(1)), ElementType::I8),
                                    forms.integerLess(a, b, ElementType::I8)));
        QVERIFY(!forms.equalScalars(op(IntegerOp::Max, op(IntegerOp::Add, a, constant(1)), op(IntegerOp::Add, b, constant(1))),
                                    op(IntegerOp::Add, op(IntegerOp::Max, a, b), constant(1))));
        // A wider integer made of a wrapped one is not the wider sum.
        const Scalar wide = forms.integerOfInteger(op(IntegerOp::Add, a, b), ElementType::I8, ElementType::I32);
        const std::vector<Scalar> parts{forms.integerOfInteger(a, ElementType::I8, ElementType::I32),
                                        forms.integerOfInteger(b, ElementType::I8, ElementType::I32)};
        QVERIFY(!forms.equalScalars(wide, forms.integerOp(IntegerOp::Add, parts, ElementType::I32)));
    }
};

QTEST_APPLESS_MAIN(TestFormStore)
#include "tst_form_store.moc"
