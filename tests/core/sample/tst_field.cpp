// Arithmetic in the chain of primes against plain 128-bit arithmetic, and the laws of exp and log across levels.
#include "core/sample/field.h"

#include <QtTest/QTest>

using namespace lemmascope::sampling;

class TestField : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void eachPrimeDividesTheOneAboveLessOne() {
        for (std::size_t l = 0; l + 1 < MaxLevels; ++l) {
            QCOMPARE((field(l).prime() - 1) % field(l + 1).prime(), std::uint64_t{0});
        }
        for (std::size_t l = 0; l < MaxLevels; ++l) {
            const std::uint64_t p = field(l).prime();
            QCOMPARE(p % 8, std::uint64_t{7});
            // Fermat to a few bases: a chance of a composite passing them all is beyond these sizes' known pseudoprimes.
            for (const std::int64_t base : {2, 3, 5, 7, 11, 13, 17, 19, 23}) {
                QCOMPARE(field(l).power(field(l).fromInteger(base), p - 1), field(l).one());
            }
        }
    }

    void arithmeticAgreesWithLongDivision() {
        std::uint64_t seed = 7;
        for (std::size_t l = 0; l < MaxLevels; ++l) {
            const PrimeField& f = field(l);
            for (int k = 0; k < 200; ++k) {
                const std::uint64_t a = f.fromHash(seed = mixed(seed, 1));
                const std::uint64_t b = f.fromHash(seed = mixed(seed, 2));
                const std::uint64_t x = f.canonical(a);
                const std::uint64_t y = f.canonical(b);
                QCOMPARE(f.canonical(f.mul(a, b)), static_cast<std::uint64_t>(static_cast<Wide>(x) * y % f.prime()));
                QCOMPARE(f.canonical(f.add(a, b)), static_cast<std::uint64_t>((static_cast<Wide>(x) + y) % f.prime()));
                QCOMPARE(f.add(f.sub(a, b), b), a);
                QCOMPARE(f.fromCanonical(x), a);
                if (b != 0) {
                    QCOMPARE(f.mul(f.mul(a, f.inverse(b)), b), a);
                }
                const Wide large = (static_cast<Wide>(mixed(seed, 3)) << 64U) | mixed(seed, 4);
                // reduceSum(t) stands for t / 2^64, so times 2^64 it is t again.
                QCOMPARE(static_cast<std::uint64_t>(static_cast<Wide>(f.reduceSum(large)) * f.one() % f.prime()),
                         static_cast<std::uint64_t>(large % f.prime()));
            }
        }
    }

    void doublesAndRationalsAreExact() {
        for (std::size_t l = 0; l < MaxLevels; ++l) {
            const PrimeField& f = field(l);
            for (const double value : {1.0, -1.0, 0.5, 0.1, -3.75, 1e-5, 1e30, -1e-30, 0x1p-140, 3.4028234663852886e38, 5e-324, 123456789.0}) {
                QCOMPARE(f.fromDouble(value), f.fromRational(mpq_class(value)));
            }
            QCOMPARE(f.mul(f.fromRational(mpq_class(1, 3)), f.fromInteger(3)), f.one());
            QCOMPARE(f.fromInteger(-5), f.negated(f.fromInteger(5)));
            QCOMPARE(f.fromInteger(INT64_MIN), f.negated(f.fromCanonical(std::uint64_t{1} << 63U)));
        }
    }

    void rootsOfSquaresAndTheirProducts() {
        std::uint64_t seed = 3;
        for (std::size_t l = 0; l < MaxLevels; ++l) {
            const PrimeField& f = field(l);
            for (int k = 0; k < 50; ++k) {
                const std::uint64_t a = f.fromHash(seed = mixed(seed, 1));
                const std::uint64_t b = f.fromHash(seed = mixed(seed, 2));
                const std::uint64_t root = f.root(f.mul(a, a));
                QVERIFY(root == a || root == f.negated(a));
                QCOMPARE(f.root(f.mul(a, b)), f.mul(f.root(a), f.root(b)));
            }
            QCOMPARE(f.mul(f.root(f.fromInteger(2)), f.root(f.fromInteger(2))), f.fromInteger(2));
        }
    }

    void exponentialsTurnSumsIntoProducts() {
        std::uint64_t seed = 5;
        for (std::size_t l = 0; l + 1 < MaxLevels; ++l) {
            const PrimeField& below = field(l + 1);
            for (int k = 0; k < 50; ++k) {
                const std::uint64_t a = below.fromHash(seed = mixed(seed, 1));
                const std::uint64_t b = below.fromHash(seed = mixed(seed, 2));
                QCOMPARE(exponential(l, below.add(a, b)), field(l).mul(exponential(l, a), exponential(l, b)));
            }
            QCOMPARE(exponential(l, 0), field(l).one());
            QVERIFY(exponential(l, below.one()) != field(l).one());
        }
    }

    void logarithmsUndoExponentialsAndTurnProductsIntoSums() {
        std::uint64_t seed = 9;
        for (std::size_t l = LogLevel; l < MaxLevels; ++l) {
            const PrimeField& here = field(l);
            const PrimeField& above = field(l - 1);
            for (int k = 0; k < 50; ++k) {
                const std::uint64_t x = here.fromHash(seed = mixed(seed, 1));
                QCOMPARE(logarithm(l, exponential(l - 1, x)), x);
                const std::uint64_t u = above.fromHash(seed = mixed(seed, 2));
                const std::uint64_t v = above.fromHash(seed = mixed(seed, 3));
                QCOMPARE(logarithm(l, above.mul(u, v)), here.add(logarithm(l, u), logarithm(l, v)));
            }
        }
    }
};

QTEST_GUILESS_MAIN(TestField)
#include "tst_field.moc"
