#include "tests/ui/window/window_fixture.h"

#include "ui/panels/find_bar.h"
#include "ui/views/fact_table_view.h"
#include "ui/window/find_part.h"
#include "ui/window/keyboard_page.h"
#include "ui/window/keyboard_part.h"
#include "ui/window/looks_part.h"

#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QKeySequenceEdit>
#include <QPushButton>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

LooksPart* looksOf(const WindowFixture& fixture) { return fixture.window->findChild<LooksPart*>(); }
KeyboardPart* keysOf(const WindowFixture& fixture) { return fixture.window->findChild<KeyboardPart*>(); }

std::size_t entryOf(const KeyboardPart* part, const QString& title) {
    for (std::size_t i = 0; i < part->count(); ++i) {
        if (part->title(i) == title) {
            return i;
        }
    }
    return part->count();
}

QStringList shownDocks(const WindowFixture& fixture) {
    QStringList shown;
    for (const QDockWidget* dock : fixture.window->docks()) {
        if (!dock->isHidden()) {
            shown += dock->objectName();
        }
    }
    return shown;
}

QPushButton* buttonOf(const QWidget* widget, const QString& text) {
    for (QPushButton* button : widget->findChildren<QPushButton*>()) {
        if (button->text() == text) {
            return button;
        }
    }
    return nullptr;
}

} // namespace

class TestWindowLooks : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void cleanup() {
        QApplication::setPalette(QPalette());
        QFont font = QApplication::font();
        font.setPointSizeF(m_points);
        QApplication::setFont(font);
    }
    void initTestCase() { m_points = QApplication::font().pointSizeF(); }

    void themesApplyAtOnceAndAreKept() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        GraphCanvas* canvas = fixture.window->canvas(Side::Reference);
        looksOf(fixture)->setTheme(QStringLiteral("dark"));
        QTRY_VERIFY(canvas->theme().dark);
        looksOf(fixture)->setTheme(QStringLiteral("contrast"));
        QTRY_COMPARE(canvas->theme().background, QColor(Qt::black));
        looksOf(fixture)->setTheme(QStringLiteral("light"));
        QTRY_VERIFY(!canvas->theme().dark);
        looksOf(fixture)->setTheme(QStringLiteral("mono"));
        QTRY_VERIFY(canvas->theme().monochrome);
        fixture.make();
        QCOMPARE(looksOf(fixture)->theme(), QStringLiteral("mono"));
        QVERIFY(fixture.window->canvas(Side::Reference)->theme().monochrome);
        looksOf(fixture)->setTheme(QStringLiteral("desktop"));
        QVERIFY(!fixture.window->canvas(Side::Reference)->theme().monochrome);
    }

    void aThemeIsUndone() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        looksOf(fixture)->setTheme(QStringLiteral("dark"));
        QCoreApplication::processEvents();
        fixture.window->canvas(Side::Reference)->setFocus();
        QTest::keyClick(fixture.window->canvas(Side::Reference), Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(looksOf(fixture)->theme(), QStringLiteral("desktop"));
    }

    void highContrastTellsRolesByGlyphAndBorder() {
        WindowFixture fixture;
        looksOf(fixture)->setTheme(QStringLiteral("contrast"));
        const CanvasTheme& theme = fixture.window->canvas(Side::Reference)->theme();
        QTRY_COMPARE(theme.background, QColor(Qt::black));
        for (std::size_t i = 1; i < RoleCount; ++i) {
            const auto role = static_cast<Role>(i);
            const RoleStyle& style = theme.style(role);
            QVERIFY(contrast(style.colour, theme.background) >= 7.0);
            QVERIFY(contrast(style.text, style.fill) >= 7.0);
            for (std::size_t j = i + 1; j < RoleCount; ++j) {
                QVERIFY2(glyph(role) != glyph(static_cast<Role>(j)), qPrintable(roleText(role)));
            }
        }
        looksOf(fixture)->setTheme(QStringLiteral("desktop"));
    }

    void theFontGrowsAndShrinksByKeys() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const double before = QApplication::font().pointSizeF();
        QTest::keyClick(fixture.window.get(), Qt::Key_Plus, Qt::ControlModifier);
        QTest::keyClick(fixture.window.get(), Qt::Key_Plus, Qt::ControlModifier);
        QCOMPARE(QApplication::font().pointSizeF(), before + 2.0);
        QTest::keyClick(fixture.window.get(), Qt::Key_Minus, Qt::ControlModifier);
        QCOMPARE(QApplication::font().pointSizeF(), before + 1.0);
        QVERIFY(fixture.settle());
        looksOf(fixture)->setFontChange(1'000);
        QVERIFY(QApplication::font().pointSizeF() < 100.0);
        looksOf(fixture)->setFontChange(-1'000);
        QVERIFY(QApplication::font().pointSizeF() >= 5.0);
        looksOf(fixture)->setFontChange(0);
        QCOMPARE(QApplication::font().pointSizeF(), before);
        QVERIFY(fixture.settle());
    }

    void layoutsShowTheirDocks() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        LooksPart* looks = looksOf(fixture);
        looks->applyLayout(QStringLiteral("present"));
        QCOMPARE(shownDocks(fixture), QStringList());
        looks->applyLayout(QStringLiteral("review"));
        const QStringList review = shownDocks(fixture);
        QVERIFY(review.contains(QStringLiteral("lemmasDock")) && review.contains(QStringLiteral("counterexampleDock")));
        QVERIFY(!review.contains(QStringLiteral("messagesDock")));
        // One of the reader's own comes back, also in the next window.
        fixture.window->dock(MainWindow::Dock::Query)->hide();
        looks->keepLayout(QStringLiteral("Mine & yours"));
        const QStringList own = shownDocks(fixture);
        looks->applyLayout(QStringLiteral("debug"));
        QVERIFY(shownDocks(fixture) != own);
        looks->applyLayout(QStringLiteral("Mine & yours"));
        QCOMPARE(shownDocks(fixture), own);
        fixture.make();
        QCOMPARE(looksOf(fixture)->ownLayouts(), QStringList{QStringLiteral("Mine & yours")});
        looksOf(fixture)->forgetLayout(QStringLiteral("Mine & yours"));
        QVERIFY(looksOf(fixture)->ownLayouts().isEmpty());
    }

    void aDoubleClickOnATitleMaximisesAndGoesBack() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const QStringList before = shownDocks(fixture);
        QDockWidget* dock = fixture.window->dock(MainWindow::Dock::Lemmas);
        const QPoint title(dock->width() / 3, dock->widget()->geometry().top() / 2);
        QTest::mouseDClick(dock, Qt::LeftButton, {}, title);
        QCOMPARE(shownDocks(fixture), QStringList{QStringLiteral("lemmasDock")});
        QVERIFY(!fixture.window->centralWidget()->isVisible());
        QVERIFY(!dock->isFloating());
        QTest::mouseDClick(dock, Qt::LeftButton, {}, title);
        QCOMPARE(shownDocks(fixture), before);
        QVERIFY(fixture.window->centralWidget()->isVisible());
    }

    void keysAreGivenTakenAndKept() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QTest::keyClick(fixture.window.get(), Qt::Key_Comma, Qt::ControlModifier);
        KeyboardPage* page = keysOf(fixture)->page();
        QVERIFY(page != nullptr && page->isVisible());
        page->choose(QStringLiteral("View > Focus on Difference"));
        auto* edit = page->findChild<QKeySequenceEdit*>();
        edit->setKeySequence(QKeySequence(QStringLiteral("Ctrl+F")));
        QVERIFY2(page->notice().contains(QStringLiteral("belongs to Edit > Find")), qPrintable(page->notice()));
        QTest::mouseClick(buttonOf(page, QStringLiteral("&Set")), Qt::LeftButton);
        page->close();
        // The key does what it was given to, and no longer what it did.
        QTest::keyClick(fixture.window->canvas(Side::Reference), Qt::Key_F, Qt::ControlModifier);
        QVERIFY(fixture.window->session()->sceneOptions().focusOnDifference);
        QVERIFY(!fixture.window->findChild<FindPart*>()->isOpen());
        QVERIFY(fixture.settle());
        fixture.make();
        const KeyboardPart* keys = keysOf(fixture);
        QCOMPARE(keys->keys(entryOf(keys, QStringLiteral("View > Focus on Difference"))),
                 QList<QKeySequence>{QKeySequence(QStringLiteral("Ctrl+F"))});
        QVERIFY(keys->keys(entryOf(keys, QStringLiteral("Edit > Find"))).isEmpty());
        keysOf(fixture)->resetAll();
        QCOMPARE(keys->keys(entryOf(keys, QStringLiteral("Edit > Find"))), QList<QKeySequence>{QKeySequence(QStringLiteral("Ctrl+F"))});
        QVERIFY(keys->isBuiltIn(entryOf(keys, QStringLiteral("View > Focus on Difference"))));
    }

    void keysOfTheGraphCannotBeGivenAway() {
        WindowFixture fixture;
        KeyboardPart* keys = keysOf(fixture);
        const std::size_t entry = entryOf(keys, QStringLiteral("Edit > Find"));
        QVERIFY(entry < keys->count());
        QVERIFY(!keys->setKeys(entry, {QKeySequence(QStringLiteral("Space"))}));
        QVERIFY(keys->isBuiltIn(entry));
    }

    void noTwoActsHaveOneKey() {
        WindowFixture fixture;
        const KeyboardPart* keys = keysOf(fixture);
        QVERIFY(keys->count() > 40);
        for (std::size_t i = 0; i < keys->count(); ++i) {
            for (const QKeySequence& key : keys->keys(i)) {
                const QString owner = keys->ownerOf(key, i);
                QVERIFY2(owner.isEmpty(), qPrintable(QStringLiteral("%1: %2 and %3").arg(key.toString(), keys->title(i), owner)));
            }
        }
    }

  private:
    double m_points = 9.0;
};

QTEST_MAIN(TestWindowLooks)
#include "tst_window_looks.moc"
