#include "core/graph/dim.h"
#include "core/graph/tensor.h"

#include <QtTest>

using namespace lemmascope;

class DimTest : public QObject {
    Q_OBJECT
  private Q_SLOTS:
    void equalPolynomialsAreEqual();
    void exactQuotientsStayPolynomials();
    void floorDivisionTakesWholeMultiplesOut();
    void floorDivisionsInARowAreOne();
    void overflowPoisons();
    void lowerBoundsHoldForAllSizes();
    void halfRoundsOnceFromDouble();
};

void DimTest::equalPolynomialsAreEqual() {
    const Dim n = Dim::symbol("n");
    const Dim m = Dim::symbol("m");
    QVERIFY((n + m) * (n - m) == n * n - m * m);
    QVERIFY(!(n == m));
    QCOMPARE(QString::fromStdString((Dim(2) * n + Dim(1)).text()), QStringLiteral("2*n + 1"));
    QVERIFY((n - n).is(0));
}

void DimTest::exactQuotientsStayPolynomials() {
    const Dim n = Dim::symbol("n");
    QVERIFY(*Dim::exactQuotient(Dim(6) * n * n + Dim(3) * n, Dim(3) * n) == Dim(2) * n + Dim(1));
    QVERIFY(!Dim::exactQuotient(n + Dim(1), Dim(2)));
    QVERIFY(!Dim::exactQuotient(Dim(6), n));
}

void DimTest::floorDivisionTakesWholeMultiplesOut() {
    const Dim n = Dim::symbol("n");
    QVERIFY(Dim::floorDiv(Dim(4) * n + Dim(5), Dim(4)) == n + Dim(1));
    QVERIFY(Dim::floorDiv(n + Dim(3), Dim(2)) == Dim::floorDiv(n + Dim(1), Dim(2)) + Dim(1));
    QCOMPARE(Dim::floorDiv(n - Dim(1), Dim(2)).evaluate({{"n", 6}}).value(), std::int64_t(2));
    QVERIFY(Dim::floorDiv(Dim(-1), Dim(2)).is(-1));
}

void DimTest::floorDivisionsInARowAreOne() {
    const Dim n = Dim::symbol("n");
    QCOMPARE(QString::fromStdString(Dim::floorDiv(Dim::floorDiv(n + Dim(1), Dim(2)) + Dim(1), Dim(2)).text()), QStringLiteral("floor(n + 3, 4)"));
    for (std::int64_t c = -5; c <= 5; ++c) {
        const Dim nested = Dim::floorDiv(Dim::floorDiv(n - Dim(4), Dim(3)) + Dim(c), Dim(5));
        for (std::int64_t size = 1; size < 40; ++size) {
            const std::int64_t inner = Dim::floorDiv(Dim(size - 4), Dim(3)).value() + c;
            QCOMPARE(nested.evaluate({{"n", size}}).value(), Dim::floorDiv(Dim(inner), Dim(5)).value());
        }
    }
}

void DimTest::overflowPoisons() {
    const Dim big(std::int64_t(1) << 62);
    QVERIFY((big * Dim(4)).overflowed());
    QVERIFY((big * Dim(4) + Dim::symbol("n")).overflowed());
    QVERIFY(!((big * Dim(4)) == Dim(0)));
}

void DimTest::lowerBoundsHoldForAllSizes() {
    const Dim n = Dim::symbol("n");
    const Dim m = Dim::symbol("m");
    QCOMPARE((n * m - n).lowerBound().value(), std::int64_t(0));
    QVERIFY(!(n - m).lowerBound());
    QVERIFY(Dim::provablyAtLeast(Dim(2) * n, n + Dim(1)));
    QCOMPARE(n.lowerBound({{"n", 0}}).value(), std::int64_t(0));
}

void DimTest::halfRoundsOnceFromDouble() {
    // 1 + 2^-11 + 2^-30 is just above a tie for half; rounding to float first would lose the last bit and round to even.
    QCOMPARE(doubleToHalf(1.0 + 0x1p-11 + 0x1p-30), std::uint16_t(0x3C01));
    QCOMPARE(doubleToHalf(65519.0), std::uint16_t(0x7BFF));
    QCOMPARE(doubleToHalf(65520.0), std::uint16_t(0x7C00));
    for (unsigned bits = 0; bits < 0x7C00U; ++bits) {
        QCOMPARE(floatToHalf(halfToFloat(static_cast<std::uint16_t>(bits))), static_cast<std::uint16_t>(bits));
    }
    QCOMPARE(floatToBfloat(bfloatToFloat(0x3F81)), std::uint16_t(0x3F81));
}

QTEST_APPLESS_MAIN(DimTest)
#include "tst_dim.moc"
