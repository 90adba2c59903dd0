// Pictures out of the window: files, clipboard, pages.

#include "tests/ui/window/window_fixture.h"
#include "ui/canvas/picture_pages.h"
#include "ui/models/message_model.h"
#include "ui/window/picture_part.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QDir>
#include <QDoubleSpinBox>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPaintDevice>
#include <QPaintEngine>
#include <QPainter>
#include <QPdfWriter>
#include <QPrinter>
#include <QPushButton>
#include <QSvgRenderer>
#include <QTimer>
#include <QXmlStreamReader>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

QString textOf(const QByteArray& svg) {
    QXmlStreamReader xml(svg);
    QString all;
    while (!xml.atEnd()) {
        xml.readNext();
        all += xml.isCharacters() ? xml.text().toString() : QString();
    }
    return xml.hasError() ? QString() : all;
}

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// What is written on a device of any resolution, and where, in units of 1/96 inch.
class WrittenText final : public QPaintDevice {
  public:
    struct Word {
        QString text;
        QRectF box;
    };

    explicit WrittenText(int dotsPerInch) : m_dotsPerInch(dotsPerInch), m_engine(*this) {}
    static std::vector<Word> of(const PictureSheet& sheet, int dotsPerInch, bool scaledPainter) {
        WrittenText device(dotsPerInch);
        QPainter painter(&device);
        const double scale = dotsPerInch / 96.0;
        if (scaledPainter) { // as an exported PDF; else as a printed page
            painter.scale(scale, scale);
        }
        sheet.paint(painter, scaledPainter ? 1.0 : scale);
        painter.end();
        return device.m_words;
    }
    [[nodiscard]] QPaintEngine* paintEngine() const override { return &m_engine; }

  protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override {
        switch (metric) {
        case PdmWidth:
        case PdmHeight: return 100'000;
        case PdmDpiX:
        case PdmDpiY:
        case PdmPhysicalDpiX:
        case PdmPhysicalDpiY: return m_dotsPerInch;
        default: return QPaintDevice::metric(metric);
        }
    }

  private:
    class Engine final : public QPaintEngine {
      public:
        explicit Engine(WrittenText& device) : QPaintEngine(AllFeatures), m_device(device) {}
        bool begin(QPaintDevice*) override { return true; }
        bool end() override { return true; }
        [[nodiscard]] Type type() const override { return User; }
        void updateState(const QPaintEngineState& now) override { m_transform = now.transform(); }
        void drawTextItem(const QPointF& at, const QTextItem& item) override {
            const QRectF box = m_transform.mapRect(QRectF(at.x(), at.y() - item.ascent(), item.width(), item.ascent() + item.descent()));
            const double unit = m_device.m_dotsPerInch / 96.0;
            m_device.m_words.push_back({item.text(), QRectF(box.topLeft() / unit, box.size() / unit)});
        }
        void drawPath(const QPainterPath&) override {}
        void drawPolygon(const QPointF*, int, PolygonDrawMode) override {}
        void drawPolygon(const QPoint*, int, PolygonDrawMode) override {}
        void drawPixmap(const QRectF&, const QPixmap&, const QRectF&) override {}

      private:
        WrittenText& m_device;
        QTransform m_transform;
    };
    int m_dotsPerInch;
    std::vector<Word> m_words;
    mutable Engine m_engine;
};

int pagesOf(const QByteArray& pdf) { return static_cast<int>(pdf.count("/Type /Page\n")); }

} // namespace

class TestWindowPictureExport : public QObject {
    Q_OBJECT

    static PicturesPart* partOf(const WindowFixture& fixture) { return fixture.window->findChild<PicturesPart*>(); }
    static bool settle(const WindowFixture& fixture) {
        return QTest::qWaitFor([&] { return !partOf(fixture)->isBusy(); }, 20'000);
    }

  private Q_SLOTS:
    void everyFormatIsWrittenWithNamesVerdictAndLegend() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        for (const char* ending : {"svg", "png", "pdf"}) {
            const QString file = fixture.folder.filePath(QStringLiteral("picture.") + QString::fromLatin1(ending));
            partOf(fixture)->save(file, {});
            QVERIFY(settle(fixture));
            QVERIFY2(QFileInfo(file).size() > 3'000, ending);
        }
        const QString text = textOf(contentOf(fixture.folder.filePath(QStringLiteral("picture.svg"))));
        for (const char* part :
             {"refuted.ref.json", "refuted: value: y[0,1] is 1.75, rewritten 0.5", "failing pair", "only in reference", "Softmax"}) {
            QVERIFY2(text.contains(QString::fromLatin1(part)), part);
        }
        QVERIFY(!text.contains(QStringLiteral("accepted as equal"))); // only what occurs
        QVERIFY(contentOf(fixture.folder.filePath(QStringLiteral("picture.pdf"))).startsWith("%PDF"));
        QCOMPARE(fixture.window->messages()->errorCount(), 0);
    }

    void coloursAreOfTheReadersChoice() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const auto image = [&](PictureColours colours) {
            PictureChoice choice;
            choice.format = PictureFormat::Png;
            choice.colours = colours;
            choice.scale = 1.0;
            return *pictureImage(*partOf(fixture)->sheet(choice));
        };
        QVERIFY(image(PictureColours::Light).pixelColor(0, 0).lightness() > 240);
        QVERIFY(image(PictureColours::Dark).pixelColor(0, 0).lightness() < 60);
        const QImage print = image(PictureColours::Monochrome);
        for (int y = 0; y < print.height(); y += 2) {
            for (int x = 0; x < print.width(); x += 2) {
                const QColor colour = print.pixelColor(x, y);
                QVERIFY(std::max({colour.red(), colour.green(), colour.blue()}) - std::min({colour.red(), colour.green(), colour.blue()}) < 3);
            }
        }
    }

    /// Heading, captions and legend are as large beside the graph on paper as on the screen.
    void textIsOfTheSameSizeOnEveryDevice() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const PictureSheet sheet = *partOf(fixture)->sheet({});
        const auto screen = WrittenText::of(sheet, 96, false);
        QString all;
        for (const auto& word : screen) {
            all += word.text + u'\n';
        }
        for (const char* part : {"REFERENCE", "refuted: value", "failing pair", "Softmax"}) {
            QVERIFY2(all.contains(QString::fromLatin1(part)), qPrintable(all));
        }
        const QRectF paper(QPointF(-1, -1), sheet.size() + QSizeF(2, 2));
        for (const int dotsPerInch : {600, 1200}) {
            for (const bool scaled : {true, false}) {
                const auto written = WrittenText::of(sheet, dotsPerInch, scaled);
                QCOMPARE(written.size(), screen.size());
                for (std::size_t i = 0; i < written.size(); ++i) {
                    const QRectF& here = written[i].box;
                    const QRectF& there = screen[i].box;
                    QCOMPARE(written[i].text, screen[i].text);
                    QVERIFY2(std::abs(here.height() - there.height()) < 2.0 && std::abs(here.width() - there.width()) < 2.0 + there.width() * 0.05,
                             qPrintable(QStringLiteral("%1: %2 × %3, on the screen %4 × %5")
                                            .arg(written[i].text)
                                            .arg(here.width())
                                            .arg(here.height())
                                            .arg(there.width())
                                            .arg(there.height())));
                    QVERIFY2((here.center() - there.center()).manhattanLength() < 6.0 && paper.contains(here), qPrintable(written[i].text));
                }
            }
        }
    }

    /// Chips reach beyond the boxes of a narrow graph: the picture holds them whole.
    void chipsAreNotCut() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        PicturePart part;
        part.scene = fixture.window->canvas(Side::Reference)->scene();
        std::uint32_t value = 0;
        while (value < part.scene->itemOfValue.size() && part.scene->itemOfValue[value] == NoItem) {
            ++value;
        }
        QVERIFY(value < part.scene->itemOfValue.size());
        ValueChip chip;
        chip.value = FlatValueId(value);
        chip.text = QStringLiteral("0123456789").repeated(20);
        chip.firstDifference = true;
        part.overlay.chips = {chip};
        const QRectF item = part.scene->boxes[part.scene->itemOfValue[value]];
        for (const auto& area : {std::optional<QRectF>(), std::optional(item.adjusted(-4, -4, 4, 4))}) {
            part.area = area;
            const PictureSheet sheet = *PictureSheet::make({part}, {});
            bool seen = false;
            for (const auto& word : WrittenText::of(sheet, 96, false)) {
                if (word.text.contains(QStringLiteral("01234"))) {
                    seen = true;
                    QVERIFY2(word.box.width() > item.width(), qPrintable(QString::number(word.box.width())));
                    QVERIFY2(QRectF(QPointF(), sheet.size()).contains(word.box), qPrintable(word.text));
                }
            }
            QVERIFY(seen);
        }
    }

    void aRegionIsSmallerThanTheWhole() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const auto size = [&](PictureArea area, bool both) {
            PictureChoice choice;
            choice.area = area;
            choice.heading = choice.legend = false;
            choice.rewritten = both;
            return partOf(fixture)->sheet(choice)->size();
        };
        QVERIFY(size(PictureArea::Focus, true).height() < size(PictureArea::Whole, true).height());
        QVERIFY(size(PictureArea::Whole, false).width() < size(PictureArea::Whole, true).width() * 0.7);
        fixture.window->canvas(Side::Reference)->zoomBy(4.0);
        QVERIFY(size(PictureArea::View, false).height() < size(PictureArea::Whole, false).height());
    }

    void whatDoesNotFitIsToldBeforeItIsMade() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        PictureChoice choice;
        choice.format = PictureFormat::Png;
        choice.scale = 2.0;
        QVERIFY(!partOf(fixture)->preview(choice)->contains(QStringLiteral("smaller")));
        choice.scale = 100.0;
        QVERIFY2(partOf(fixture)->preview(choice)->contains(QStringLiteral("Made smaller")), qPrintable(*partOf(fixture)->preview(choice)));
        const QImage image = *pictureImage(*partOf(fixture)->sheet(choice));
        QVERIFY(static_cast<double>(image.width()) * image.height() < 33e6);
    }

    void nothingHalfWrittenIsLeft() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const QString file = fixture.folder.filePath(QStringLiteral("kept.svg"));
        QFile old(file);
        QVERIFY(old.open(QIODevice::WriteOnly));
        old.write("old");
        old.close();
        // Stopped before the last byte: the file that was there is still there.
        std::stop_source source;
        source.request_stop();
        PicturePart part;
        part.scene = fixture.window->canvas(Side::Reference)->scene();
        QCOMPARE(savePicture(file, {part}, {}, source.get_token()).error().code, ErrorCode::Cancelled);
        QCOMPARE(contentOf(file), QByteArray("old"));
        // A place that cannot be written is a row in the messages.
        partOf(fixture)->save(fixture.folder.filePath(QStringLiteral("no/such/folder/p.png")), {});
        QVERIFY(settle(fixture));
        QCOMPARE(fixture.window->messages()->errorCount(), 1);
        QCOMPARE(QDir(fixture.folder.path()).entryList({QStringLiteral("kept*")}).size(), 1);
    }

    void theViewGoesToTheClipboard() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QAction* found = nullptr;
        for (QAction* action : fixture.window->menu(MainWindow::Menu::Edit)->actions()) {
            found = QString(action->text()).remove(u'&') == QStringLiteral("Copy Picture of View") ? action : found;
        }
        QVERIFY(found != nullptr && found->isEnabled());
        found->trigger();
        QVERIFY(settle(fixture));
        QVERIFY(QApplication::clipboard()->image().width() > 300);
    }

    /// Ctrl+E, the choices by keys, and a name for the file.
    void theDialogLeadsToAFile() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const QString file = fixture.folder.filePath(QStringLiteral("chosen.png"));
        QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
        QStringList told;
        QTimer poll;
        connect(&poll, &QTimer::timeout, this, [&] {
            if (auto* dialog = qobject_cast<PictureDialog*>(QApplication::activeModalWidget())) {
                for (const QWidget* widget : dialog->findChildren<QWidget*>()) {
                    if (widget->isVisible() && (widget->focusPolicy() & Qt::TabFocus) != 0 && qobject_cast<const QPushButton*>(widget) == nullptr &&
                        qobject_cast<const QLineEdit*>(widget) == nullptr) {
                        QVERIFY2(!widget->accessibleName().isEmpty(), widget->metaObject()->className());
                    }
                }
                auto* format = dialog->findChild<QComboBox*>(QStringLiteral("pictureFormat"));
                format->setFocus();
                QTest::keyClick(format, Qt::Key_Home);
                told << dialog->findChild<QLabel*>(QStringLiteral("pictureTold"))->text();
                QTest::keyClick(dialog, Qt::Key_Return);
            } else if (auto* chooser = qobject_cast<QFileDialog*>(QApplication::activeModalWidget())) {
                poll.stop();
                chooser->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(file);
                QTest::keyClick(chooser->findChild<QLineEdit*>(QStringLiteral("fileNameEdit")), Qt::Key_Return);
            }
        });
        poll.start(20);
        QTest::keyClick(fixture.window.get(), Qt::Key_E, Qt::ControlModifier);
        QTRY_VERIFY(QFileInfo(file).size() > 3'000);
        QVERIFY(settle(fixture));
        QVERIFY2(!told.isEmpty() && told.front().contains(QStringLiteral("pixels")), qPrintable(told.join(u' ')));
    }

    void pagesHoldTheWholePicture() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        PictureChoice choice;
        choice.colours = PictureColours::Monochrome;
        const auto print = [&](bool tiled, QPageSize::PageSizeId paper) {
            const QString file = fixture.folder.filePath(QStringLiteral("print.pdf"));
            QPrinter printer(QPrinter::HighResolution);
            printer.setOutputFormat(QPrinter::PdfFormat);
            printer.setOutputFileName(file);
            printer.setPageSize(QPageSize(paper));
            choice.tiled = tiled;
            return partOf(fixture)->print(printer, choice) ? pagesOf(contentOf(file)) : -1;
        };
        QCOMPARE(print(false, QPageSize::A4), 1);
        const int tiles = print(true, QPageSize::A6);
        QVERIFY2(tiles > 2, qPrintable(QString::number(tiles)));
        // Tiles cover everything: as many as the picture needs in each direction.
        const PictureSheet sheet = *partOf(fixture)->sheet(choice);
        const PagePlan plan = *planPages(sheet, QSizeF(400, 300), 96.0, true);
        QVERIFY(plan.columns * 400 >= sheet.size().width() && (plan.columns - 1) * 400 < sheet.size().width());
        QVERIFY(plan.rows * (300 - 24) >= sheet.size().height());
        QCOMPARE(planPages(sheet, QSizeF(40, 50), 96.0, true).error().code, ErrorCode::TooLarge);
    }
};

QTEST_MAIN(TestWindowPictureExport)
#include "tst_window_picture_export.moc"
