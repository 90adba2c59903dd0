#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/picture_export.h"

#include <QBuffer>
#include <QFile>
#include <QImage>
#include <QPainter>
#include <QSvgRenderer>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

PicturePart part(const QString& caption = {}) {
    PicturePart made;
    made.scene = scene(treeFrom("q = MatMul x @wq\np = Softmax q axis=-1\n<evil>&name = Relu p\n"));
    made.overlay.roles = {Role::Shared, Role::Failing, Role::OnlyReference};
    made.caption = caption;
    return made;
}

/// Pixels that are not the background.
int inked(const QImage& image, const QColor& background) {
    int count = 0;
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            count += image.pixelColor(x, y) != background ? 1 : 0;
        }
    }
    return count;
}

} // namespace

class TestPictureExport : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void pngShowsTheWholeSceneAtTheScaleAsked() {
        PictureOptions options;
        options.scale = 2.0;
        const PicturePart one = part();
        const auto bytes = pictureBytes(PictureFormat::Png, {one}, options);
        QVERIFY(bytes);
        const QImage image = QImage::fromData(*bytes, "PNG");
        QCOMPARE(image.size(), (one.scene->bounds.size() * 2.0).toSize());
        QVERIFY(inked(image, Qt::white) > 1000);
    }

    void svgIsWellFormedAndRendersLikeThePng() {
        PictureOptions options;
        options.title = QStringLiteral("a <pair> & more");
        const auto bytes = pictureBytes(PictureFormat::Svg, {part()}, options);
        QVERIFY(bytes);
        QXmlStreamReader xml(*bytes);
        int texts = 0;
        bool title = false;
        while (!xml.atEnd()) {
            xml.readNext();
            texts += xml.isStartElement() && xml.name() == QLatin1String("text") ? 1 : 0;
            title = title || (xml.isCharacters() && xml.text().contains(QStringLiteral("a <pair> & more")));
        }
        QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
        QVERIFY(texts > 5);
        QVERIFY(title);
        QSvgRenderer renderer(*bytes);
        QVERIFY(renderer.isValid());
        const QImage png = QImage::fromData(*pictureBytes(PictureFormat::Png, {part()}, options), "PNG");
        QImage image(png.size(), QImage::Format_RGB32);
        image.fill(Qt::white);
        QPainter painter(&image);
        renderer.render(&painter, QRectF(image.rect()));
        painter.end();
        const double ratio = static_cast<double>(inked(image, Qt::white)) / inked(png, Qt::white);
        QVERIFY2(ratio > 0.8 && ratio < 1.25, qPrintable(QString::number(ratio)));
    }

    void pdfIsOnePageWithADocument() {
        const auto bytes = pictureBytes(PictureFormat::Pdf, {part()}, {});
        QVERIFY(bytes);
        QVERIFY(bytes->startsWith("%PDF-1."));
        QVERIFY(bytes->trimmed().endsWith("%%EOF"));
        QCOMPARE(bytes->count("/Type /Page\n"), 1);
    }

    void aRegionIsPaintedAlone() {
        PicturePart one = part();
        one.area = one.scene->boxes[one.scene->itemOfNode[1]].adjusted(-10, -10, 10, 10);
        const QImage image = QImage::fromData(*pictureBytes(PictureFormat::Png, {one}, {}), "PNG");
        QCOMPARE(image.size(), one.area->size().toSize());
        // The failing node fills most of it.
        QVERIFY(image.pixelColor(image.width() - 14, 14).lightness() < 40);
        one.area = QRectF(1e6, 1e6, 10, 10);
        QCOMPARE(pictureBytes(PictureFormat::Png, {one}, {}).error().code, ErrorCode::BadData);
        QCOMPARE(pictureBytes(PictureFormat::Png, {}, {}).error().code, ErrorCode::BadData);
    }

    void bothSidesStandSideBySideUnderTheirNames() {
        const PicturePart one = part(QStringLiteral("Reference"));
        const PicturePart two = part(QStringLiteral("Rewritten"));
        const QImage both = QImage::fromData(*pictureBytes(PictureFormat::Png, {one, two}, {}), "PNG");
        const QImage single = QImage::fromData(*pictureBytes(PictureFormat::Png, {part()}, {}), "PNG");
        QVERIFY(both.width() > 2 * single.width());
        QVERIFY(both.height() > single.height());
    }

    void hugeScenesMakePicturesThatFit() {
        PicturePart one;
        one.scene = scene(blocks(20'000));
        PictureOptions options;
        options.scale = 8.0;
        const auto bytes = pictureBytes(PictureFormat::Png, {one}, options);
        QVERIFY(bytes);
        QBuffer buffer;
        buffer.setData(*bytes);
        QImage image;
        QVERIFY(image.loadFromData(*bytes, "PNG"));
        QVERIFY(std::max(image.width(), image.height()) <= 16'384);
        QVERIFY(pictureBytes(PictureFormat::Pdf, {one}, options));
    }

    void filesAreWrittenByTheirSuffix() {
        QTemporaryDir dir;
        for (const char* name : {"a.png", "a.SVG", "a.pdf"}) {
            const QString path = dir.filePath(QString::fromLatin1(name));
            QVERIFY(savePicture(path, {part()}, {}));
            QVERIFY(QFile(path).size() > 1000);
        }
        QCOMPARE(savePicture(dir.filePath(QStringLiteral("a.gif")), {part()}, {}).error().code, ErrorCode::Usage);
        QCOMPARE(savePicture(dir.filePath(QStringLiteral("no/such/a.png")), {part()}, {}).error().code, ErrorCode::NotFound);
    }

    void theSamePictureHasTheSameBytes() {
        QCOMPARE(*pictureBytes(PictureFormat::Png, {part()}, {}), *pictureBytes(PictureFormat::Png, {part()}, {}));
        QCOMPARE(*pictureBytes(PictureFormat::Svg, {part()}, {}), *pictureBytes(PictureFormat::Svg, {part()}, {}));
    }
};

QTEST_MAIN(TestPictureExport)
#include "tst_picture_export.moc"
