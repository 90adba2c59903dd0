// Another language and larger letters: every text is translated, and none is cut, at 1366x768 and up to twice the size of the font.
// Run with QT_SCALE_FACTOR too (CMakeLists.txt). Menus, docks and dialogs are found by themselves: also those of later parts.

#include "tests/ui/window/every_view.h"
#include "tests/ui/window/text_room.h"
#include "tests/ui/window/window_fixture.h"

#include <QAction>
#include <QApplication>
#include <QMenu>
#include <QTest>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

/// Names and the core's own words, which are the same in every language; names of keys are Qt's.
QSet<QString> dataOf(const WindowFixture& fixture) {
    QSet<QString> words{QStringLiteral("Lemmascope test, no solver"),
                        QStringLiteral("Lemmascope"),
                        QStringLiteral("lemmascope"),
                        QStringLiteral("Ctrl"),
                        QStringLiteral("Shift"),
                        QStringLiteral("Alt"),
                        QStringLiteral("Esc"),
                        QStringLiteral("PgUp"),
                        QStringLiteral("PgDown"),
                        QStringLiteral("Left"),
                        QStringLiteral("Right"),
                        QStringLiteral("Up"),
                        QStringLiteral("Down"),
                        QStringLiteral("Space"),
                        QStringLiteral("Return"),
                        QStringLiteral("Home"),
                        QStringLiteral("End"),
                        QStringLiteral("Fake"),
                        QStringLiteral("SMT-LIB"),
                        QStringLiteral("DOT"),
                        QStringLiteral("JSON")};
    words.insert(fixture.folder.path());
    for (const char* strength : {"identical", "open", "exact", "rounded", "probable"}) {
        words.insert(QString::fromLatin1(strength)); // as the command line spells them
    }
    for (const char* pair : {"refuted", "proved", "undecided", "unproved"}) {
        words.insert(QString::fromLatin1(pair) + QStringLiteral(".ref.json"));
        words.insert(QString::fromLatin1(pair) + QStringLiteral(".rew.json"));
        words.insert(QStringLiteral("Example: ") + QString::fromLatin1(pair));
        words.insert(QStringLiteral("A rewrite that is %1.").arg(QString::fromLatin1(pair)));
    }
    words.insert(QStringLiteral("@kernel")); // a function of the programs
    for (const char* pair : {"equal", "race", "differs"}) {
        words.insert(QString::fromLatin1(pair) + QStringLiteral(".ref.mlir"));
        words.insert(QString::fromLatin1(pair) + QStringLiteral(".rew.mlir"));
    }
    for (const FakePair& pair : {refutedPair(), provedPair(), undecidedPair(), unprovedPair()}) {
        for (const LemmaResult& lemma : pair.result.lemmas) {
            words << QString::fromStdString(lemma.title) << QString::fromStdString(lemma.reason) << QString::fromStdString(lemma.model);
        }
        words << QString::fromStdString(pair.result.reason);
        for (const auto* remarks : {&pair.result.assumptions, &pair.result.caveats}) {
            for (const Remark& remark : *remarks) {
                words << QString::fromStdString(remark.text);
            }
        }
        for (const auto& graph : {pair.reference, pair.rewritten}) {
            for (const Node& node : graph->nodes) {
                words << QString::fromStdString(node.name) << QString::fromStdString(node.op.name);
            }
            for (const Value& value : graph->values) {
                words << QString::fromStdString(value.name);
            }
        }
    }
    QSet<QString> useful;
    for (const QString& word : words) {
        if (word.size() > 1) {
            useful << word;
        }
    }
    return useful;
}

QStringList unique(QStringList list) {
    list.removeDuplicates();
    return list;
}

} // namespace

class TestWindowLocale : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        m_font = QApplication::font();
        QVERIFY(QCoreApplication::installTranslator(&m_pseudo));
    }

    void thePseudoLanguageKeepsWhatTextsAreMadeOf() {
        const auto said = [this](const char* text) { return m_pseudo.translate("lemmascope::X", text, nullptr, -1); };
        QVERIFY(said("&Open Pair…").startsWith(QStringLiteral("&Opéñ")) && said("&Open Pair…").endsWith(u'…'));
        QVERIFY(said("%1 of %2").contains(QStringLiteral("%1")) && said("%1 of %2").contains(QStringLiteral("%2")));
        QVERIFY(said("<p>It is</p>").startsWith(QStringLiteral("<p>Ît îš")) && said("<p>It is</p>").endsWith(QStringLiteral("</p>")));
        QVERIFY(said("Counterexample").size() >= 19);
        QVERIFY(!isTranslated(QStringLiteral("Open"), {}) && isTranslated(said("Open"), {}) && isTranslated(QStringLiteral("12 %"), {}));
    }

    void everyTextIsTranslated() {
        WindowFixture fixture;
        const QSet<QString> data = dataOf(fixture);
        QStringList found;
        everyView(fixture, [&](QWidget* shown, const QString&) { found << untranslatedTexts(shown, data); });
        for (std::size_t i = 0; i < MainWindow::MenuCount; ++i) {
            for (const QAction* entry : entriesOf(fixture.window->menu(static_cast<MainWindow::Menu>(i)))) {
                for (const QString& text : {entry->text(), entry->toolTip(), entry->iconText()}) {
                    if (!isTranslated(text, data)) {
                        found << QStringLiteral("menu: “%1”").arg(text);
                    }
                }
            }
        }
        found = unique(found);
        for (const QString& text : found) {
            qWarning("not translated: %s", qPrintable(text));
        }
        QCOMPARE(found.size(), 0);
    }

    void noTextIsCut_data() {
        QTest::addColumn<int>("percent");
        QTest::newRow("100 %") << 100;
        QTest::newRow("150 %") << 150;
        QTest::newRow("200 %") << 200;
    }
    void noTextIsCut() {
        QFETCH(int, percent);
        QFont font = m_font;
        font.setPointSizeF(m_font.pointSizeF() * percent / 100.0);
        QApplication::setFont(font);
        QStringList found;
        {
            WindowFixture fixture;
            constexpr QSize Screen(1366, 768);
            everyView(fixture, [&](QWidget* shown, const QString& view) {
                for (const QString& text : clippedTexts(shown)) {
                    found << view + QStringLiteral(": ") + text;
                }
                const QSize least = shown->minimumSizeHint().expandedTo(shown->minimumSize());
                if (!isQtsOwn(shown) && (least.width() > Screen.width() || least.height() > Screen.height())) {
                    found << QStringLiteral("%1: needs %2x%3").arg(view).arg(least.width()).arg(least.height());
                }
            });
            for (QMenu* menu : fixture.window->findChildren<QMenu*>()) {
                const QSize needs = menu->sizeHint();
                // Scaled up, the offscreen screen is too low for menus, and they go into columns.
                const bool judged = menu->devicePixelRatio() <= 1.0;
                if ((judged && needs.width() > Screen.width()) || needs.height() > Screen.height()) {
                    found << QStringLiteral("menu %1 needs %2x%3").arg(menu->title()).arg(needs.width()).arg(needs.height());
                }
            }
        }
        QApplication::setFont(m_font);
        // Said once, where it was seen first.
        QStringList once;
        QSet<QString> seen;
        for (const QString& text : unique(found)) {
            const QString what = text.section(QStringLiteral(": "), 1);
            if (!seen.contains(what)) {
                seen << what;
                once << text;
            }
        }
        for (const QString& text : once) {
            qWarning("cut: %s", qPrintable(text));
        }
        QCOMPARE(once.size(), 0);
    }

    void cleanupTestCase() { QCoreApplication::removeTranslator(&m_pseudo); }

  private:
    PseudoTranslator m_pseudo;
    QFont m_font;
};

QTEST_MAIN(TestWindowLocale)
#include "tst_window_locale.moc"
