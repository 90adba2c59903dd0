// What is on the picture: colours, borders and levels of detail, by looking at pixels.

#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/palette.h"
#include "ui/canvas/scene_painter.h"

#include <QImage>
#include <QPainter>
#include <QTest>

#include <cmath>
#include <set>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

constexpr double Scale = 3.0;

/// One scene painted at a scale of 3 with full detail, or at the level of `scale`.
QImage painted(const GraphScene& scene, const ResolvedOverlay& overlay, const CanvasTheme& theme, double scale = Scale, bool full = true) {
    QImage image((scene.bounds.size() * scale).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
    image.fill(Qt::red); // anything not painted would show
    QPainter painter(&image);
    ScenePainter scenePainter;
    PaintOptions options;
    options.detail = full ? LevelOfDetail::full() : LevelOfDetail::at(scale);
    scenePainter.paint(painter, QRectF(QPointF(), scene.bounds.size() * scale), scene.bounds, scene, overlay, theme, options);
    return image;
}

QPoint pixel(const GraphScene& scene, const QPointF& point, double scale = Scale) { return ((point - scene.bounds.topLeft()) * scale).toPoint(); }

/// The colours along a vertical line through the left border of a box, a little in from its corners.
std::set<QRgb> borderColours(const QImage& image, const GraphScene& scene, std::uint32_t item, double scale = Scale) {
    std::set<QRgb> found;
    const QRectF box = scene.boxes[item];
    const QPoint from = pixel(scene, box.topLeft() + QPointF(0.0, 6.0), scale);
    const QPoint to = pixel(scene, box.bottomLeft() - QPointF(0.0, 6.0), scale);
    for (int y = from.y(); y < to.y(); ++y) {
        for (int x = from.x() - 2; x <= from.x() + 2; ++x) {
            found.insert(image.pixel(x, y));
        }
    }
    return found;
}

bool holds(const std::set<QRgb>& colours, const QColor& wanted, int tolerance = 12) {
    for (const QRgb colour : colours) {
        if (std::abs(qRed(colour) - wanted.red()) <= tolerance && std::abs(qGreen(colour) - wanted.green()) <= tolerance &&
            std::abs(qBlue(colour) - wanted.blue()) <= tolerance) {
            return true;
        }
    }
    return false;
}

std::size_t coloursIn(const QImage& image, const QRect& area) {
    std::set<QRgb> found;
    for (int y = area.top(); y <= area.bottom(); ++y) {
        for (int x = area.left(); x <= area.right(); ++x) {
            if (image.valid(x, y)) {
                found.insert(image.pixel(x, y));
            }
        }
    }
    return found.size();
}

} // namespace

class TestCanvasPainting : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void eachRoleHasItsColourOnItsBorder_data() {
        QTest::addColumn<int>("role");
        QTest::addColumn<QString>("light");
        QTest::addColumn<QString>("dark");
        const auto row = [](const char* name, Role role, const char* light, const char* dark) {
            QTest::newRow(name) << static_cast<int>(role) << QString::fromLatin1(light) << QString::fromLatin1(dark);
        };
        row("removed", Role::OnlyReference, "#683C09", "#925D20");
        row("added", Role::OnlyRewritten, "#002EA5", "#6BA3FF");
        row("changed", Role::Changed, "#FA33FF", "#EE45A7");
        row("shared", Role::Shared, "#208A7F", "#3AFA9F");
        row("undecided", Role::Undecided, "#958A1F", "#BB9D0B");
        row("failing", Role::Failing, "#111111", "#FFFFFF");
    }
    void eachRoleHasItsColourOnItsBorder() {
        QFETCH(int, role);
        QFETCH(QString, light);
        QFETCH(QString, dark);
        const auto made = scene(treeFrom("a = Relu x\nb = Exp a\n"));
        for (const bool isDark : {false, true}) {
            const CanvasTheme theme = isDark ? CanvasTheme::darkTheme() : CanvasTheme::lightTheme();
            SceneOverlay overlay;
            overlay.roles = {static_cast<Role>(role), Role::Plain};
            const QImage image = painted(*made, resolve(overlay, *made), theme);
            QVERIFY(holds(borderColours(image, *made, made->itemOfNode[0]), QColor(isDark ? dark : light)));
            if (static_cast<Role>(role) != Role::Failing || !isDark) { // the dark theme's white is also text
                QVERIFY(!holds(borderColours(image, *made, made->itemOfNode[1]), QColor(isDark ? dark : light)));
            }
        }
    }

    void aFailingPairIsFilledWithInvertedText() {
        const auto made = scene(treeFrom("a = Relu x\n"));
        SceneOverlay overlay;
        overlay.roles = {Role::Failing};
        for (const CanvasTheme& theme : {CanvasTheme::lightTheme(), CanvasTheme::darkTheme(), CanvasTheme::printTheme()}) {
            const QImage image = painted(*made, resolve(overlay, *made), theme);
            const QRectF box = made->boxes[made->itemOfNode[0]];
            QCOMPARE(image.pixelColor(pixel(*made, box.topRight() + QPointF(-4.0, 4.0))), theme.style(Role::Failing).fill);
            bool inverted = false;
            for (double x = box.left() + made->metrics.badgeWidth(); x < box.right(); x += 0.25) {
                const QColor colour =
                    image.pixelColor(pixel(*made, QPointF(x, box.top() + made->metrics.padding() + made->metrics.lineHeight() * 0.55)));
                inverted = inverted || contrast(colour, theme.style(Role::Failing).fill) > 7.0;
            }
            QVERIFY(inverted);
        }
    }

    void aSharedTermIsTintedTwelvePercent() {
        const auto made = scene(treeFrom("a = Relu x\n"));
        SceneOverlay overlay;
        overlay.roles = {Role::Shared};
        const CanvasTheme theme = CanvasTheme::lightTheme();
        const QImage image = painted(*made, resolve(overlay, *made), theme);
        const QColor inside = image.pixelColor(pixel(*made, made->boxes[made->itemOfNode[0]].topRight() + QPointF(-4.0, 4.0)));
        QCOMPARE(inside, blended(QColor(0x20, 0x8A, 0x7F), Qt::white, 0.12));
    }

    void rolesDifferWithoutColourToo() {
        // In the monochrome theme every pair of roles still draws another picture: glyphs and borders carry the meaning.
        const auto made = scene(treeFrom("a = Relu x\n"));
        std::vector<QImage> pictures;
        for (const Role role : {Role::Plain, Role::Shared, Role::Changed, Role::OnlyReference, Role::OnlyRewritten, Role::Undecided, Role::Failing}) {
            SceneOverlay overlay;
            overlay.roles = {role};
            pictures.push_back(painted(*made, resolve(overlay, *made), CanvasTheme::printTheme()).convertToFormat(QImage::Format_Grayscale8));
        }
        for (std::size_t a = 0; a < pictures.size(); ++a) {
            for (std::size_t b = 0; b < a; ++b) {
                QVERIFY(pictures[a] != pictures[b]);
            }
        }
    }

    void textCanBeReadInBothThemes() {
        QPalette gloomy;
        gloomy.setColor(QPalette::Window, QColor(0x20, 0x20, 0x20));
        gloomy.setColor(QPalette::Text, QColor(0x70, 0x70, 0x70));
        for (const CanvasTheme& theme :
             {CanvasTheme::lightTheme(), CanvasTheme::darkTheme(), CanvasTheme::printTheme(), CanvasTheme::fromPalette(gloomy)}) {
            QVERIFY(contrast(theme.text, theme.background) >= 7.0);
            QVERIFY(contrast(theme.mutedText, theme.background) >= 4.5);
            QVERIFY(contrast(theme.selection, theme.background) >= 3.0);
            QVERIFY(contrast(blended(theme.text, theme.background, 0.6), theme.background) >= 3.0); // dimmed context
            for (const RoleStyle& style : theme.roles) {
                QVERIFY(contrast(style.text, style.fill) >= 4.5);
            }
            for (const Role role : {Role::Shared, Role::Changed, Role::OnlyReference, Role::OnlyRewritten, Role::Undecided, Role::Failing}) {
                QVERIFY(contrast(theme.style(role).colour, theme.background) >= 2.98);
            }
        }
    }

    void theThemeFollowsThePalette() {
        GraphCanvas canvas;
        canvas.resize(400, 300);
        QPalette palette;
        palette.setColor(QPalette::Window, QColor(0xEE, 0xEE, 0xEE));
        canvas.setPalette(palette);
        QVERIFY(!canvas.theme().dark);
        palette.setColor(QPalette::Window, QColor(0x22, 0x22, 0x22));
        canvas.setPalette(palette);
        QVERIFY(canvas.theme().dark);
        QCOMPARE(canvas.viewport()->grab().toImage().pixelColor(5, 5), QColor(0x1E, 0x1E, 0x1E));
        canvas.setMonochrome(true);
        QVERIFY(canvas.theme().monochrome);
    }

    void levelsOfDetailStartWhereTheyShould() {
        const auto level = [](double scale) { return LevelOfDetail::at(scale); };
        QVERIFY(!level(0.34).text && level(0.35).text);
        QVERIFY(!level(0.149).outlines && level(0.15).outlines);
        QVERIFY(!level(0.059).edges && level(0.06).edges);
        QVERIFY(!level(0.4).antialiasing && level(0.41).antialiasing);
    }

    void farPicturesHaveNoTextOutlinesOrEdges() {
        const auto made = scene(treeFrom("a = Relu x\nb = Softmax a axis=1\nc = Exp b\n"));
        SceneOverlay overlay;
        overlay.roles.assign(3, Role::Shared);
        const ResolvedOverlay resolved = resolve(overlay, *made);
        const CanvasTheme theme = CanvasTheme::lightTheme();
        const QRectF box = made->boxes[made->itemOfNode[1]];
        const auto inside = [&](double scale) {
            const QImage image = painted(*made, resolved, theme, scale, false);
            const QPoint from = pixel(*made, box.topLeft(), scale) + QPoint(2, 2);
            const QPoint to = pixel(*made, box.bottomRight(), scale) - QPoint(2, 2);
            return coloursIn(image, QRect(from, to));
        };
        QVERIFY(inside(0.36) > 4);              // letters
        QCOMPARE(inside(0.34), std::size_t{1}); // a plain box
        // An edge's colour is somewhere just above 0.06 and nowhere below: there only the background and the boxes' colour are left.
        const auto everything = [&](double scale) {
            const QImage image = painted(*made, resolved, theme, scale, false);
            return coloursIn(image, image.rect());
        };
        QVERIFY(everything(0.062) > everything(0.058));
    }

    void dimmedNodesAreFaintAndStillThere() {
        const auto tree = treeFrom("a = Relu x\nb = Softmax a axis=1\n");
        const auto made = scene(tree);
        SceneOverlay overlay;
        overlay.roles = {Role::Changed, Role::Changed};
        overlay.lit = {FlatNodeId(1U)};
        const CanvasTheme theme = CanvasTheme::lightTheme();
        const QImage image = painted(*made, resolve(overlay, *made), theme);
        QVERIFY(holds(borderColours(image, *made, made->itemOfNode[1]), theme.style(Role::Changed).colour));
        QVERIFY(!holds(borderColours(image, *made, made->itemOfNode[0]), theme.style(Role::Changed).colour));
        QVERIFY(holds(borderColours(image, *made, made->itemOfNode[0]), blended(theme.style(Role::Changed).colour, Qt::white, 0.35)));
    }

    void theSelectionRingStandsOutsideTheBox() {
        const auto made = scene(treeFrom("a = Relu x\n"));
        const std::uint32_t item = made->itemOfNode[0];
        QImage image((made->bounds.size() * Scale).toSize(), QImage::Format_RGB32);
        QPainter painter(&image);
        PaintOptions options;
        options.selected = item;
        options.hasFocus = true;
        const CanvasTheme theme = CanvasTheme::lightTheme();
        ScenePainter().paint(painter, QRectF(QPointF(), made->bounds.size() * Scale), made->bounds, *made, resolve({}, *made), theme, options);
        const QPoint left = pixel(*made, QPointF(made->boxes[item].left(), made->boxes[item].center().y()));
        QCOMPARE(image.pixelColor(left - QPoint(4, 0)), theme.selection); // 2 px off, 3 px wide
        QCOMPARE(image.pixelColor(left - QPoint(8, 0)), theme.background);
    }

    void everyPixelOfTheTargetIsPaintedAndNoneOutside() {
        const auto made = scene(treeFrom("a = Relu x\n"));
        QImage image(300, 300, QImage::Format_RGB32);
        image.fill(Qt::red);
        QPainter painter(&image);
        const QRectF target(50, 60, 100, 120);
        ScenePainter().paint(painter, target, QRectF(made->bounds.topLeft(), target.size() * 0.7), *made, resolve({}, *made),
                             CanvasTheme::lightTheme(), {});
        for (int y = 0; y < 300; ++y) {
            for (int x = 0; x < 300; ++x) {
                const bool within = QRect(50, 60, 100, 120).contains(x, y);
                QCOMPARE(image.pixelColor(x, y) != QColor(Qt::red), within);
            }
        }
    }

    void textKeepsInsideItsBox() {
        // Approximate widths made the boxes; whatever the real font, no letter may cross the right border.
        const auto made = scene(treeFrom("WWWWWWWWWWWWMMMMMMMMMMMM = WWWWWWWWMMMMMM x attribute=123456789\n"
                                         "iiiiiiiiiiiiiiiiiii = lllllllllllll WWWWWWWWWWWWMMMMMMMMMMMM\n"));
        const QImage image = painted(*made, resolve({}, *made), CanvasTheme::lightTheme());
        for (const std::uint32_t item : made->itemOfNode) {
            const QRectF box = made->boxes[item];
            for (double y = box.top() + 2.0; y < box.bottom() - 2.0; y += 0.3) {
                const QColor colour = image.pixelColor(pixel(*made, QPointF(box.right() - 2.0, y)));
                QVERIFY(contrast(colour, Qt::white) < 1.5); // only the body's faint grey
            }
        }
    }
};

QTEST_MAIN(TestCanvasPainting)
#include "tst_canvas_painting.moc"
