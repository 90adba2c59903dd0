// The built-in help: what F1 opens, links, search, and that its pages are whole.
#include "tests/ui/window/window_fixture.h"
#include "ui/panels/help_window.h"
#include "ui/panels/lemma_panel.h"
#include "ui/views/help_pages.h"
#include "ui/window/help_part.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>

namespace lemmascope {

using test::WindowFixture;

namespace {

HelpWindow* helpOf(const WindowFixture& fixture) {
    auto* help = fixture.window->findChild<HelpWindow*>();
    return help != nullptr && help->isVisible() ? help : nullptr;
}

HelpWindow* opened(const WindowFixture& fixture, const QString& place) {
    HelpWindow* help = fixture.window->findChild<HelpPart*>()->show(place);
    if (!QTest::qWaitForWindowActive(help)) {
        qWarning("the help did not become active");
    }
    return help;
}

/// A heading that is in sight.
bool seesHeading(QTextBrowser* browser, const QString& heading) {
    QTextBlock block = browser->cursorForPosition({4, 4}).block();
    const QTextBlock end = browser->cursorForPosition({4, browser->viewport()->height() - 4}).block();
    for (; block.isValid() && block.blockNumber() <= end.blockNumber(); block = block.next()) {
        if (block.blockFormat().headingLevel() > 0 && block.text() == heading) {
            return true;
        }
    }
    return false;
}

} // namespace

class TestWindowHelp : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void f1OpensThePageOfThePaneInFocus() {
        WindowFixture fixture;
        QTest::keyClick(fixture.window.get(), Qt::Key_F1);
        QVERIFY(helpOf(fixture) != nullptr);
        QCOMPARE(helpOf(fixture)->currentPage(), QStringLiteral("index"));
        QVERIFY(QTest::qWaitForWindowActive(helpOf(fixture)));
        QTest::keyClick(helpOf(fixture), Qt::Key_Escape);
        QTRY_VERIFY(helpOf(fixture) == nullptr);

        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(fixture.window.get()));
        fixture.window->canvas(Side::Rewritten)->setFocus();
        QTest::keyClick(fixture.window->canvas(Side::Rewritten), Qt::Key_F1);
        QVERIFY(helpOf(fixture) != nullptr);
        QCOMPARE(helpOf(fixture)->currentPage(), QStringLiteral("window"));
        QTRY_VERIFY(seesHeading(helpOf(fixture)->browser(), QStringLiteral("Graphs")));
        helpOf(fixture)->close();
        QTRY_VERIFY(helpOf(fixture) == nullptr);
    }

    void everyDockHasASectionOfItsOwn() {
        WindowFixture fixture;
        const HelpPages pages;
        const HelpPage* page = pages.page(QStringLiteral("window"));
        QVERIFY(page != nullptr);
        for (const QDockWidget* dock : fixture.window->docks()) {
            QVERIFY2(page->text.contains(QStringLiteral("\n## %1\n").arg(dock->windowTitle())), qPrintable(dock->windowTitle()));
        }
    }

    void linksLeadToPagesAndSectionsThatExist() {
        const HelpPages pages;
        static const QRegularExpression link(QStringLiteral("\\]\\(([^)#:]+)\\.md(#([^)]*))?\\)"));
        int seen = 0;
        for (const HelpPage& page : pages.pages()) {
            for (auto at = link.globalMatch(page.text); at.hasNext();) {
                const auto match = at.next();
                const HelpPage* target = pages.page(match.captured(1));
                QVERIFY2(target != nullptr, qPrintable(page.id + QStringLiteral(" -> ") + match.captured(1)));
                if (!match.captured(3).isEmpty()) {
                    const QStringList lines = target->text.split(u'\n');
                    QVERIFY2(std::any_of(lines.begin(), lines.end(),
                                         [&](const QString& line) {
                                             return line.startsWith(u'#') && HelpPages::anchorOf(line.section(u' ', 1)) == match.captured(3);
                                         }),
                             qPrintable(match.captured(0)));
                }
                ++seen;
            }
        }
        QVERIFY(seen > 10);
        QVERIFY(pages.pages().size() >= 10);
    }

    void noParagraphTurnsIntoAQuotation() {
        // A line that happens to begin with > is a quotation in Markdown.
        const HelpPages pages;
        for (const HelpPage& page : pages.pages()) {
            for (const QString& line : page.text.split(u'\n')) {
                QVERIFY2(!line.startsWith(u'>'), qPrintable(page.id + QStringLiteral(": ") + line));
            }
        }
    }

    void everyPageIsListedOnceAndShown() {
        WindowFixture fixture;
        HelpWindow* help = opened(fixture, QStringLiteral("index"));
        const HelpPages pages;
        QCOMPARE(help->list()->count(), static_cast<int>(pages.pages().size()));
        for (int row = 0; row < help->list()->count(); ++row) {
            help->list()->setCurrentRow(row);
            QCOMPARE(help->currentPage(), pages.pages()[static_cast<std::size_t>(row)].id);
            QVERIFY2(help->browser()->toPlainText().size() > 200, qPrintable(help->currentPage()));
            QVERIFY2(!help->browser()->toPlainText().contains(QStringLiteral("<!--")), qPrintable(help->currentPage()));
        }
    }

    void searchFindsSectionsAndGoesThere() {
        WindowFixture fixture;
        HelpWindow* help = opened(fixture, QStringLiteral("index"));
        auto* search = help->findChild<QLineEdit*>(QStringLiteral("helpSearch"));
        search->setFocus();
        QTest::keyClicks(search, QStringLiteral("rounded cons"));
        QVERIFY(help->list()->count() > 0);
        QVERIFY(help->list()->item(0)->text().contains(QStringLiteral("Verdicts")));
        QTest::keyClick(search, Qt::Key_Return);
        QCOMPARE(help->currentPage(), QStringLiteral("verdicts"));
        QCOMPARE(help->browser()->textCursor().selectedText().toLower(), QStringLiteral("rounded"));
        search->clear();
        QTest::keyClicks(search, QStringLiteral("no such word at all"));
        QCOMPARE(help->list()->count(), 1);
        QVERIFY(help->list()->item(0)->flags() == Qt::NoItemFlags);
        QTest::keyClick(search, Qt::Key_Escape);
        QVERIFY(help->list()->count() > 5); // the contents again
    }

    void aLinkIsFollowedAndBackReturns() {
        WindowFixture fixture;
        HelpWindow* help = opened(fixture, QStringLiteral("tutorial"));
        help->showPage(QStringLiteral("verdicts#condition"));
        QTRY_VERIFY(seesHeading(help->browser(), QStringLiteral("Condition")));
        QVERIFY(!seesHeading(help->browser(), QStringLiteral("Verdicts")));
        QCOMPARE(help->list()->currentItem()->text(), QStringLiteral("Verdicts"));
        QTest::keyClick(help, Qt::Key_Left, Qt::AltModifier);
        QTRY_COMPARE(help->currentPage(), QStringLiteral("tutorial"));
        QTest::keyClick(help, Qt::Key_Right, Qt::AltModifier);
        QTRY_COMPARE(help->currentPage(), QStringLiteral("verdicts"));
    }

    void theLegendShowsEveryMark() {
        WindowFixture fixture;
        HelpWindow* help = opened(fixture, QStringLiteral("legend"));
        for (const Role role : {Role::Shared, Role::Changed, Role::OnlyReference, Role::OnlyRewritten, Role::Undecided, Role::Failing}) {
            QVERIFY(help->browser()->toPlainText().contains(glyph(role)));
        }
    }

    void picturesAreThere() {
        WindowFixture fixture;
        HelpWindow* help = opened(fixture, QStringLiteral("tutorial"));
        const HelpPages pages;
        static const QRegularExpression picture(QStringLiteral("!\\[[^\\]]+\\]\\(([^)]+)\\)"));
        int seen = 0;
        for (const HelpPage& page : pages.pages()) {
            for (auto at = picture.globalMatch(page.text); at.hasNext(); ++seen) {
                const QString file = at.next().captured(1);
                const QVariant loaded = help->browser()->loadResource(QTextDocument::ImageResource, QUrl(QStringLiteral("help:/") + file));
                QVERIFY2(loaded.value<QImage>().width() > 300, qPrintable(page.id + QStringLiteral(": ") + file));
            }
        }
        QVERIFY(seen >= 4);
    }

    void keysAndTutorialOpenFromTheWelcomePage() {
        WindowFixture fixture;
        for (QPushButton* button : fixture.window->welcome()->findChildren<QPushButton*>()) {
            if (button->accessibleName() == QStringLiteral("Open the tutorial")) {
                QTest::mouseClick(button, Qt::LeftButton);
            }
        }
        QVERIFY(helpOf(fixture) != nullptr);
        QCOMPARE(helpOf(fixture)->currentPage(), QStringLiteral("tutorial"));
    }
};

} // namespace lemmascope

QTEST_MAIN(lemmascope::TestWindowHelp)
#include "tst_window_help.moc"
