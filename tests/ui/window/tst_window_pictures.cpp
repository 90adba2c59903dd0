// Grabs the window in its typical states, light and dark. With LEMMASCOPE_PICTURES=folder the pictures are kept to be looked at;
// without, only what must hold of them is checked.

#include "tests/ui/window/window_fixture.h"

#include "ui/panels/lemma_panel.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QImage>

using namespace lemmascope;
using namespace lemmascope::test;

class TestWindowPictures : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void grab_data() {
        QTest::addColumn<QString>("pair");
        QTest::addColumn<bool>("dark");
        for (const bool dark : {false, true}) {
            for (const char* pair : {"welcome", "proved", "refuted", "unproved", "undecided", "error", "checking"}) {
                QTest::addRow("%s-%s", pair, dark ? "dark" : "light") << QString::fromLatin1(pair) << dark;
            }
        }
    }
    void grab() {
        QFETCH(QString, pair);
        QFETCH(bool, dark);
        QVERIFY(applyColours(dark ? QStringLiteral("dark") : QStringLiteral("light")));
        WindowFixture fixture;
        if (pair == QStringLiteral("error")) {
            QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
            fixture.window->openPair(fixture.file(QStringLiteral("proved.ref.json")), fixture.file(QStringLiteral("bad.rew.json")));
            QVERIFY(fixture.settle());
        } else if (pair == QStringLiteral("checking")) {
            fixture.behaviour->checkMs = 60'000;
            fixture.open(QStringLiteral("refuted"));
            QTest::qWait(300);
        } else if (pair != QStringLiteral("welcome")) {
            QVERIFY(fixture.openAndSettle(pair));
            if (fixture.window->lemmaPanel()->nextFailing({}, false)) {
                fixture.window->goToNextFailing(false);
            }
        }
        QTest::qWait(50);
        const QImage image = fixture.window->grab().toImage();
        QVERIFY(!image.isNull());
        // The picture follows the palette.
        const QColor corner = image.pixelColor(image.width() / 2, image.height() - 3);
        QVERIFY2(dark ? corner.lightness() < 110 : corner.lightness() > 145, qPrintable(corner.name()));
        const QString keep = qEnvironmentVariable("LEMMASCOPE_PICTURES");
        if (!keep.isEmpty()) {
            QVERIFY(image.save(keep + QLatin1Char('/') + QLatin1String(QTest::currentDataTag()) + QStringLiteral(".png")));
        }
    }
};

QTEST_MAIN(TestWindowPictures)
#include "tst_window_pictures.moc"
