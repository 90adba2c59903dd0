// The colours of the roles hold for everybody: contrast by WCAG, and distance between any two roles by CIEDE2000 as people with normal,
// protanope, deuteranope and tritanope vision see them.

#include "ui/canvas/palette.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QTest>

#include <array>
#include <cmath>
#include <numbers>

using namespace lemmascope;

namespace {

using Vector = std::array<double, 3>;
using Matrix = std::array<Vector, 3>;

Vector times(const Matrix& matrix, const Vector& vector) {
    Vector out{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            out[row] += matrix[row][column] * vector[column];
        }
    }
    return out;
}

/// Machado, Oliveira, Fernandes 2009, severity 1, on linear RGB.
constexpr Matrix Normal{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix Protan{{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix Deutan{{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix Tritan{{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

/// CIE L*a*b* under D65.
Vector lab(const QColor& colour, const Matrix& vision) {
    const auto linear = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    Vector seen = times(vision, {linear(colour.redF()), linear(colour.greenF()), linear(colour.blueF())});
    for (double& c : seen) {
        c = std::clamp(c, 0.0, 1.0);
    }
    constexpr Matrix ToXyz{{{0.4124564, 0.3575761, 0.1804375}, {0.2126729, 0.7151522, 0.0721750}, {0.0193339, 0.1191920, 0.9503041}}};
    const Vector xyz = times(ToXyz, seen);
    constexpr Vector White{0.95047, 1.0, 1.08883};
    const auto f = [](double t) { return t > 216.0 / 24389.0 ? std::cbrt(t) : (24389.0 / 27.0 * t + 16.0) / 116.0; };
    const double x = f(xyz[0] / White[0]), y = f(xyz[1] / White[1]), z = f(xyz[2] / White[2]);
    return {116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)};
}

/// CIEDE2000 with all weights 1 (Sharma, Wu, Dalal 2005).
double ciede2000(const Vector& one, const Vector& two) {
    constexpr double Pi = std::numbers::pi;
    const auto degrees = [](double angle) { return angle * 180.0 / Pi; };
    const auto radians = [](double angle) { return angle * Pi / 180.0; };
    const double c1 = std::hypot(one[1], one[2]), c2 = std::hypot(two[1], two[2]);
    const double mean7 = std::pow((c1 + c2) / 2.0, 7.0);
    const double g = 0.5 * (1.0 - std::sqrt(mean7 / (mean7 + std::pow(25.0, 7.0))));
    const double a1 = (1.0 + g) * one[1], a2 = (1.0 + g) * two[1];
    const double chroma1 = std::hypot(a1, one[2]), chroma2 = std::hypot(a2, two[2]);
    const auto hue = [&](double a, double b) {
        const double angle = a == 0.0 && b == 0.0 ? 0.0 : degrees(std::atan2(b, a));
        return angle < 0.0 ? angle + 360.0 : angle;
    };
    const double hue1 = hue(a1, one[2]), hue2 = hue(a2, two[2]);
    const bool grey = chroma1 * chroma2 == 0.0;
    double turn = grey ? 0.0 : hue2 - hue1;
    if (turn > 180.0) {
        turn -= 360.0;
    } else if (turn < -180.0) {
        turn += 360.0;
    }
    const double lightness = two[0] - one[0], chroma = chroma2 - chroma1;
    const double hueStep = 2.0 * std::sqrt(chroma1 * chroma2) * std::sin(radians(turn) / 2.0);
    const double meanL = (one[0] + two[0]) / 2.0, meanC = (chroma1 + chroma2) / 2.0;
    double meanH = hue1 + hue2;
    if (!grey) {
        meanH = std::abs(hue1 - hue2) <= 180.0 ? meanH / 2.0 : meanH < 360.0 ? (meanH + 360.0) / 2.0 : (meanH - 360.0) / 2.0;
    }
    const double t = 1.0 - 0.17 * std::cos(radians(meanH - 30.0)) + 0.24 * std::cos(radians(2.0 * meanH)) +
                     0.32 * std::cos(radians(3.0 * meanH + 6.0)) - 0.20 * std::cos(radians(4.0 * meanH - 63.0));
    const double away = (meanL - 50.0) * (meanL - 50.0);
    const double sl = 1.0 + 0.015 * away / std::sqrt(20.0 + away), sc = 1.0 + 0.045 * meanC, sh = 1.0 + 0.015 * meanC * t;
    const double chroma7 = std::pow(meanC, 7.0);
    const double rotation = -2.0 * std::sqrt(chroma7 / (chroma7 + std::pow(25.0, 7.0))) *
                            std::sin(radians(60.0 * std::exp(-((meanH - 275.0) / 25.0) * ((meanH - 275.0) / 25.0))));
    const double l = lightness / sl, c = chroma / sc, h = hueStep / sh;
    return std::sqrt(l * l + c * c + h * h + rotation * c * h);
}

constexpr std::array Meanings{Role::OnlyReference, Role::OnlyRewritten, Role::Changed, Role::Shared, Role::Undecided, Role::Failing};

/// Every theme the window has: its own two, and what the words of --colours give.
QList<std::pair<QString, CanvasTheme>> themes() {
    QList<std::pair<QString, CanvasTheme>> all{{QStringLiteral("light"), CanvasTheme::lightTheme()},
                                               {QStringLiteral("dark"), CanvasTheme::darkTheme()}};
    for (const char* word : {"light", "dark", "contrast", "high-contrast", "highcontrast"}) {
        if (applyColours(QString::fromLatin1(word))) {
            all.append({QStringLiteral("--colours ") + QString::fromLatin1(word), CanvasTheme::fromPalette(QApplication::palette())});
        }
    }
    return all;
}

} // namespace

class TestPalette : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    /// Pairs of the paper that gives the formula's test data.
    void distanceIsTheStandards() {
        const auto near = [](double a, double b) { return std::abs(a - b) < 1e-4; };
        QVERIFY(near(ciede2000({50.0, 2.6772, -79.7751}, {50.0, 0.0, -82.7485}), 2.0425));
        QVERIFY(near(ciede2000({50.0, -1.0, 2.0}, {50.0, 0.0, 0.0}), 2.3669));
        QVERIFY(near(ciede2000({50.0, 2.5, 0.0}, {73.0, 25.0, -18.0}), 27.1492));
        QVERIFY(near(ciede2000({60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}), 1.2644));
        QVERIFY(near(ciede2000({2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}), 0.9082));
        // What a well-known pair of tints comes to for those who do not tell red from green.
        const QColor red(0xFF, 0x00, 0x00), green(0x00, 0x80, 0x00);
        QVERIFY(ciede2000(lab(red, Normal), lab(green, Normal)) > 4.0 * ciede2000(lab(red, Protan), lab(green, Protan)));
    }

    void rolesAreToldApart_data() {
        QTest::addColumn<int>("theme");
        const auto all = themes();
        for (int i = 0; i < all.size(); ++i) {
            QTest::newRow(qPrintable(all[i].first)) << i;
        }
    }
    void rolesAreToldApart() {
        QFETCH(int, theme);
        const CanvasTheme colours = themes()[theme].second;
        double least = 1e9;
        for (const auto& [vision, name] : {std::pair{Normal, "normal"}, {Protan, "protan"}, {Deutan, "deutan"}, {Tritan, "tritan"}}) {
            for (std::size_t i = 0; i < Meanings.size(); ++i) {
                for (std::size_t j = i + 1; j < Meanings.size(); ++j) {
                    const double distance = ciede2000(lab(colours.style(Meanings[i]).colour, vision), lab(colours.style(Meanings[j]).colour, vision));
                    least = std::min(least, distance);
                    QVERIFY2(distance >= 18.0, qPrintable(QStringLiteral("%1 and %2 are %3 apart in %4 vision")
                                                              .arg(roleText(Meanings[i]), roleText(Meanings[j]))
                                                              .arg(distance)
                                                              .arg(QLatin1String(name))));
                }
            }
        }
        qInfo("smallest distance %.1f", least);
    }

    void rolesAndTextStandOut_data() { rolesAreToldApart_data(); }
    void rolesAndTextStandOut() {
        QFETCH(int, theme);
        const CanvasTheme colours = themes()[theme].second;
        QVERIFY(contrast(colours.text, colours.background) >= 7.0);
        QVERIFY(contrast(colours.mutedText, colours.background) >= 4.5);
        QVERIFY(contrast(colours.edge, colours.background) >= 3.0);
        QVERIFY(contrast(colours.selection, colours.background) >= 3.0);
        for (std::size_t i = 0; i < RoleCount; ++i) {
            const auto role = static_cast<Role>(i);
            QVERIFY2(contrast(colours.style(role).text, colours.style(role).fill) >= 4.5, qPrintable(roleText(role)));
            if (role != Role::Plain) {
                // 3:1, but for the last digit of colours given in 8 bits.
                QVERIFY2(contrast(colours.style(role).colour, colours.background) >= 2.98, qPrintable(roleText(role)));
            }
        }
    }

    /// Whatever their colours, no two roles have the same glyph, and those that matter differ in border or hatch as well.
    void noMeaningByColourAlone() {
        const CanvasTheme colours = CanvasTheme::printTheme();
        for (std::size_t i = 0; i < RoleCount; ++i) {
            for (std::size_t j = i + 1; j < RoleCount; ++j) {
                QVERIFY(glyph(static_cast<Role>(i)) != glyph(static_cast<Role>(j)));
            }
        }
        for (std::size_t i = 0; i < Meanings.size(); ++i) {
            for (std::size_t j = i + 1; j < Meanings.size(); ++j) {
                const RoleStyle& one = colours.style(Meanings[i]);
                const RoleStyle& two = colours.style(Meanings[j]);
                QVERIFY(one.border != two.border || one.hatch != two.hatch);
            }
        }
    }

    void theWindowsTextsCanBeRead_data() {
        QTest::addColumn<QString>("word");
        for (const char* word : {"light", "dark", "contrast", "high-contrast", "highcontrast"}) {
            if (applyColours(QString::fromLatin1(word))) {
                QTest::newRow(word) << QString::fromLatin1(word);
            }
        }
    }
    void theWindowsTextsCanBeRead() {
        QFETCH(QString, word);
        QVERIFY(applyColours(word));
        const QPalette palette = QApplication::palette();
        using Pair = std::pair<QPalette::ColorRole, QPalette::ColorRole>;
        for (const auto& [text, ground] :
             {Pair{QPalette::WindowText, QPalette::Window}, Pair{QPalette::Text, QPalette::Base}, Pair{QPalette::Text, QPalette::AlternateBase},
              Pair{QPalette::ButtonText, QPalette::Button}, Pair{QPalette::HighlightedText, QPalette::Highlight},
              Pair{QPalette::ToolTipText, QPalette::ToolTipBase}, Pair{QPalette::Link, QPalette::Base}}) {
            for (const QPalette::ColorGroup group : {QPalette::Active, QPalette::Inactive}) {
                const double found = contrast(palette.color(group, text), palette.color(group, ground));
                QVERIFY2(found >= 4.5, qPrintable(QStringLiteral("role %1 on %2: %3").arg(text).arg(ground).arg(found)));
            }
        }
        QVERIFY(contrast(palette.color(QPalette::PlaceholderText), palette.color(QPalette::Base)) >= 2.9);
    }
};

QTEST_MAIN(TestPalette)
#include "tst_palette.moc"
