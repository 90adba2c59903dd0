#include "core/report/element_number.h"
#include "core/report/element_text.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace lemmascope;

namespace {

Tensor bytesOf(ElementType type, std::initializer_list<std::uint8_t> bits) {
    return Tensor::of<std::uint8_t>(type, {static_cast<std::int64_t>(bits.size())}, bits);
}
Tensor f32(const std::vector<float>& values) { return Tensor::of<float>(ElementType::F32, {static_cast<std::int64_t>(values.size())}, values); }
Tensor f64(const std::vector<double>& values) { return Tensor::of<double>(ElementType::F64, {static_cast<std::int64_t>(values.size())}, values); }
float fromBits(std::uint32_t bits) {
    float value = 0.0F;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}
QString said(const Tensor& tensor, std::int64_t at = 0, NumberFormat format = {}) {
    return QString::fromStdString(formatElement(tensor, at, format));
}

constexpr float Inf = std::numeric_limits<float>::infinity();
constexpr float NaN = std::numeric_limits<float>::quiet_NaN();

} // namespace

class TestElementNumber : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Known points of the formats: largest, smallest, one, NaN.
    void smallFloatsHaveTheirValues_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<int>("bits");
        QTest::addColumn<double>("value");
        const auto row = [](const char* title, ElementType type, int bits, double value) {
            QTest::newRow(title) << static_cast<int>(type) << bits << value;
        };
        row("f4 one half", ElementType::F4E2M1, 0x1, 0.5);
        row("f4 most", ElementType::F4E2M1, 0x7, 6.0);
        row("f4 negative", ElementType::F4E2M1, 0xA, -1.0);
        row("e4m3 most", ElementType::F8E4M3FN, 0x7E, 448.0);
        row("e4m3 least", ElementType::F8E4M3FN, 0x01, std::ldexp(1.0, -9));
        row("e4m3 one", ElementType::F8E4M3FN, 0x38, 1.0);
        row("e4m3fnuz most", ElementType::F8E4M3FNUZ, 0x7F, 240.0);
        row("e5m2 most", ElementType::F8E5M2, 0x7B, 57344.0);
        row("e5m2 infinite", ElementType::F8E5M2, 0xFC, -std::numeric_limits<double>::infinity());
        row("e5m2 least", ElementType::F8E5M2, 0x01, std::ldexp(1.0, -16));
        row("e5m2fnuz most", ElementType::F8E5M2FNUZ, 0x7F, 57344.0);
        row("e8m0 one", ElementType::F8E8M0, 127, 1.0);
        row("e8m0 least", ElementType::F8E8M0, 0, std::ldexp(1.0, -127));
    }
    void smallFloatsHaveTheirValues() {
        QFETCH(int, type);
        QFETCH(int, bits);
        QFETCH(double, value);
        QCOMPARE(smallFloatValue(static_cast<ElementType>(type), static_cast<std::uint8_t>(bits)), value);
    }

    void eachSmallFloatHasItsNan() {
        QVERIFY(std::isnan(smallFloatValue(ElementType::F8E4M3FN, 0xFF)));
        QVERIFY(std::isnan(smallFloatValue(ElementType::F8E4M3FNUZ, 0x80)));
        QVERIFY(std::isnan(smallFloatValue(ElementType::F8E5M2, 0x7D)));
        QVERIFY(std::isnan(smallFloatValue(ElementType::F8E5M2FNUZ, 0x80)));
        QVERIFY(std::isnan(smallFloatValue(ElementType::F8E8M0, 0xFF)));
    }

    /// Values and distances agree: going up one value is one ulp, over every pair of neighbours of every small type.
    void neighboursOfSmallFloatsAreOneApart() {
        for (const ElementType type : {ElementType::F4E2M1, ElementType::F8E4M3FN, ElementType::F8E4M3FNUZ, ElementType::F8E5M2,
                                       ElementType::F8E5M2FNUZ, ElementType::F8E8M0}) {
            const int patterns = type == ElementType::F4E2M1 ? 16 : 256;
            std::map<double, std::uint8_t> byValue;
            for (int bits = 0; bits < patterns; ++bits) {
                const double value = smallFloatValue(type, static_cast<std::uint8_t>(bits));
                if (!std::isnan(value)) {
                    byValue.emplace(value, static_cast<std::uint8_t>(bits)); // -0 and 0 are one
                }
            }
            for (auto at = byValue.begin(), next = std::next(at); next != byValue.end(); ++at, ++next) {
                QCOMPARE(ulpDistance(bytesOf(type, {at->second}), bytesOf(type, {next->second}), 0), std::optional<std::uint64_t>(1));
            }
        }
    }

    void distanceCountsNextafterSteps() {
        std::mt19937 random(7);
        std::uniform_real_distribution<float> values(-2.0F, 2.0F);
        for (int trial = 0; trial < 200; ++trial) {
            const float from = trial % 4 == 0 ? values(random) * 1e-44F : values(random);
            const auto steps = static_cast<std::uint64_t>(random() % 100);
            const float towards = trial % 2 == 0 ? Inf : -Inf;
            float to = from;
            double wide = static_cast<double>(from);
            for (std::uint64_t i = 0; i < steps; ++i) {
                to = std::nextafter(to, towards);
                wide = std::nextafter(wide, static_cast<double>(towards));
            }
            QCOMPARE(ulpDistance(f32({from}), f32({to}), 0), std::optional(steps));
            QCOMPARE(ulpDistance(f32({to}), f32({from}), 0), std::optional(steps));
            QCOMPARE(ulpDistance(f64({static_cast<double>(from)}), f64({wide}), 0), std::optional(steps));
        }
    }

    void zerosAreOneAndNanHasNoDistance() {
        QCOMPARE(ulpDistance(f32({-0.0F}), f32({0.0F}), 0), std::optional<std::uint64_t>(0));
        QCOMPARE(ulpDistance(f32({-fromBits(1)}), f32({fromBits(1)}), 0), std::optional<std::uint64_t>(2));
        QCOMPARE(ulpDistance(f32({NaN}), f32({1.0F}), 0), std::optional<std::uint64_t>());
        QCOMPARE(ulpDistance(f32({NaN}), f32({fromBits(0x7f800001)}), 0), std::optional<std::uint64_t>(0));
        QCOMPARE(ulpDistance(f32({std::numeric_limits<float>::max()}), f32({Inf}), 0), std::optional<std::uint64_t>(1));
        QCOMPARE(ulpDistance(f32({1.0F}), f64({1.0}), 0), std::optional<std::uint64_t>());
        const Tensor text = Tensor::ofStrings({1}, {"a"});
        QCOMPARE(ulpDistance(text, text, 0), std::optional<std::uint64_t>());
    }

    void integersDifferByTheirDistance() {
        const auto low = Tensor::of<std::int64_t>(ElementType::I64, {1}, {std::numeric_limits<std::int64_t>::min()});
        const auto high = Tensor::of<std::int64_t>(ElementType::I64, {1}, {std::numeric_limits<std::int64_t>::max()});
        QCOMPARE(ulpDistance(low, high, 0), std::optional(std::numeric_limits<std::uint64_t>::max()));
        QCOMPARE(differenceText(high, low, 0), std::string("-18446744073709551615"));
        const auto none = Tensor::of<std::uint64_t>(ElementType::U64, {1}, {0});
        const auto all = Tensor::of<std::uint64_t>(ElementType::U64, {1}, {std::numeric_limits<std::uint64_t>::max()});
        QCOMPARE(differenceText(none, all, 0), std::string("18446744073709551615"));
        QCOMPARE(ulpDistance(bytesOf(ElementType::Bool, {0}), bytesOf(ElementType::Bool, {1}), 0), std::optional<std::uint64_t>(1));
    }

    void differentBitsLookDifferent() {
        QCOMPARE(said(f32({-0.0F})), QStringLiteral("-0"));
        QCOMPARE(said(f32({0.0F})), QStringLiteral("0"));
        QCOMPARE(said(f32({-Inf})), QStringLiteral("-inf"));
        QCOMPARE(said(f32({NaN})), QStringLiteral("nan"));
        QCOMPARE(said(f32({fromBits(0xffc00000)})), QStringLiteral("-nan"));
        QCOMPARE(said(f32({fromBits(0x7f800001)})), QStringLiteral("nan(0x7f800001)"));
        QCOMPARE(said(f32({fromBits(1)})), QStringLiteral("1e-45"));
        QCOMPARE(static_cast<int>(numberClass(f32({fromBits(1)}), 0)), static_cast<int>(NumberClass::Denormal));
        QCOMPARE(static_cast<int>(numberClass(f32({-0.0F}), 0)), static_cast<int>(NumberClass::NegativeZero));
        QCOMPARE(said(bytesOf(ElementType::Bool, {1})), QStringLiteral("true"));
        QCOMPARE(said(bytesOf(ElementType::F8E4M3FN, {0x7E})), QStringLiteral("448"));
        QCOMPARE(said(bytesOf(ElementType::F8E4M3FN, {0x80})), QStringLiteral("-0"));
    }

    void stylesOfNumbers() {
        const Tensor tensor = f32({1.5F});
        QCOMPARE(said(tensor, 0, {NumberStyle::Fixed, 3}), QStringLiteral("1.500"));
        QCOMPARE(said(tensor, 0, {NumberStyle::Scientific, 2}), QStringLiteral("1.50e+00"));
        QCOMPARE(said(tensor, 0, {NumberStyle::HexFloat, 6}), QStringLiteral("0x1.8p+0"));
        QCOMPARE(said(tensor, 0, {NumberStyle::Bits, 6}), QStringLiteral("0x3fc00000"));
        QCOMPARE(said(Tensor::of<std::int8_t>(ElementType::I8, {1}, {-1}), 0, {NumberStyle::HexFloat, 6}), QStringLiteral("-0x1"));
        QCOMPARE(said(f64({-std::numeric_limits<double>::max()}), 0, {NumberStyle::Fixed, 20}).size(), 1 + 309 + 1 + 20);
    }

    /// The shortest decimal of every half and bfloat reads back to its bits.
    void shortestReadsBack() {
        for (int bits = 0; bits < 0x10000; bits += 3) {
            const auto word = static_cast<std::uint16_t>(bits);
            for (const ElementType type : {ElementType::F16, ElementType::BF16}) {
                const Tensor tensor = Tensor::of<std::uint16_t>(type, {1}, {word});
                if (std::isnan(elementValue(tensor, 0))) {
                    continue;
                }
                const double read = said(tensor).toDouble();
                QCOMPARE(type == ElementType::F16 ? doubleToHalf(read) : doubleToBfloat(read), word);
            }
        }
    }

    /// The reports' words for small floats: their values were all nan once, and any two counted as equal.
    void reportsReadSmallFloatsToo() {
        const Tensor one = bytesOf(ElementType::F8E4M3FN, {0x38});
        const Tensor two = bytesOf(ElementType::F8E4M3FN, {0x40});
        QCOMPARE(elementText(one, 0), std::string("1"));
        QVERIFY(!sameElement(one, two, 0));
    }
};

QTEST_GUILESS_MAIN(TestElementNumber)
#include "tst_element_number.moc"
