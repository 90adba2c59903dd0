// Everybody can use it: names for screen readers, keys for every act, nothing clipped.

#include "tests/ui/window/window_fixture.h"

#include "ui/panels/key_sheet.h"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAction>
#include <QApplication>
#include <QComboBox>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QPlainTextEdit>
#include <QSet>
#include <QTableView>
#include <QTextBrowser>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

/// Widgets of Qt's own making inside others have no name of ours: scroll bars' parts, header corners, clear buttons.
bool isOurs(const QWidget* widget) {
    const QString name = widget->objectName();
    if (name.startsWith(QStringLiteral("qt_")) || name.startsWith(QStringLiteral("_q_"))) {
        return false;
    }
    for (const QWidget* parent = widget->parentWidget(); parent != nullptr; parent = parent->parentWidget()) {
        if (qobject_cast<const QLineEdit*>(parent) != nullptr || qobject_cast<const QComboBox*>(parent) != nullptr ||
            qobject_cast<const QTableView*>(parent) != nullptr || qobject_cast<const QMenuBar*>(parent) != nullptr) {
            return false;
        }
    }
    return true;
}

void collect(const QList<QAction*>& actions, QList<QAction*>& out) {
    for (QAction* action : actions) {
        if (QMenu* menu = action->menu()) {
            collect(menu->actions(), out);
        } else if (!action->isSeparator()) {
            out << action;
        }
    }
}

} // namespace

class TestWindowAccess : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyWidgetHasAName() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QStringList nameless;
        for (QWidget* widget : fixture.window->findChildren<QWidget*>()) {
            const bool speaks = qobject_cast<QAbstractButton*>(widget) || qobject_cast<QLineEdit*>(widget) || qobject_cast<QComboBox*>(widget) ||
                                qobject_cast<QAbstractItemView*>(widget) || qobject_cast<QPlainTextEdit*>(widget) ||
                                qobject_cast<QTextBrowser*>(widget) || qobject_cast<GraphCanvas*>(widget) || qobject_cast<QDockWidget*>(widget) ||
                                qobject_cast<QLabel*>(widget);
            if (speaks && isOurs(widget) && widget->accessibleName().isEmpty()) {
                nameless << QString::fromLatin1(widget->metaObject()->className()) + u' ' + widget->objectName();
            }
        }
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u'\n')));
    }

    void everyActIsReachedByKeys() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const auto* bar = fixture.window->findChild<QMenuBar*>();
        // Menus open by Alt and a letter of their own.
        QSet<QString> letters;
        for (const QAction* menu : bar->actions()) {
            const QKeySequence mnemonic = QKeySequence::mnemonic(menu->text());
            QVERIFY2(!mnemonic.isEmpty(), qPrintable(menu->text()));
            QVERIFY2(!letters.contains(mnemonic.toString()), qPrintable(menu->text()));
            letters.insert(mnemonic.toString());
        }
        QList<QAction*> actions;
        collect(bar->actions(), actions);
        QVERIFY(actions.size() > 40);
        QMap<QString, QString> keys;
        for (const QAction* action : actions) {
            for (const QKeySequence& key : action->shortcuts()) {
                QVERIFY2(!keys.contains(key.toString()), qPrintable(key.toString() + u' ' + action->text() + u' ' + keys.value(key.toString())));
                keys[key.toString()] = action->text();
            }
        }
        for (const char* expected : {"Ctrl+O",   "F5",       "Ctrl+W",   "Ctrl+Q",    "Ctrl+Shift+E", "Ctrl+E", "Ctrl+F",  "F8", "Shift+F8",
                                     "Alt+Down", "Alt+Up",   "Alt+Left", "Alt+Right", "F6",           "H",      "Shift+H", "!",  ".",
                                     ",",        "Shift+F7", "Esc",      "Ctrl+1",    "Ctrl+6",       "Ctrl+0", "F1",      "?"}) {
            QVERIFY2(keys.contains(QString::fromLatin1(expected)), expected);
        }
    }

    void everyPaneIsReachedByF6() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        fixture.window->canvas(Side::Reference)->setFocus();
        QStringList visited;
        for (int i = 0; i < 12; ++i) {
            QTest::keyClick(QApplication::focusWidget(), Qt::Key_F6);
            QWidget* pane = QApplication::focusWidget();
            QVERIFY(pane != nullptr);
            while (pane->parentWidget() != nullptr && qobject_cast<QDockWidget*>(pane) == nullptr && qobject_cast<GraphCanvas*>(pane) == nullptr &&
                   qobject_cast<VerdictBanner*>(pane) == nullptr) {
                pane = pane->parentWidget();
            }
            visited << pane->accessibleName();
        }
        for (const char* expected : {"Reference graph", "Rewritten graph", "Lemmas", "Inspector", "Counterexample", "Verdict"}) {
            QVERIFY2(visited.contains(QString::fromLatin1(expected)), qPrintable(visited.join(u',')));
        }
    }

    void everyDockIsShownAndHiddenByItsKey() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        const auto& docks = fixture.window->docks();
        for (std::size_t i = 0; i < std::min<std::size_t>(docks.size(), 9); ++i) {
            QDockWidget* dock = docks[i];
            if (static_cast<MainWindow::Dock>(i) == MainWindow::Dock::Steps) {
                continue; // there are none: tst_window_steps
            }
            const auto press = [&] {
                QTest::keyClick(fixture.window.get(), static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(i)), Qt::ControlModifier);
            };
            press();
            QVERIFY2(dock->isVisible(), qPrintable(dock->windowTitle()));
            QVERIFY2(dock->isAncestorOf(QApplication::focusWidget()), qPrintable(dock->windowTitle()));
            press();
            QVERIFY2(!dock->isVisible(), qPrintable(dock->windowTitle()));
            press();
            QVERIFY2(dock->isVisible(), qPrintable(dock->windowTitle()));
        }
    }

    void keySheetListsTheKeys() {
        WindowFixture fixture;
        QTest::keyClick(fixture.window.get(), Qt::Key_Question);
        auto* sheet = fixture.window->findChild<KeySheet*>();
        QVERIFY(sheet != nullptr && sheet->isVisible());
        const auto* table = sheet->findChild<QTableView*>();
        QStringList keys;
        for (int row = 0; row < table->model()->rowCount(); ++row) {
            keys << table->model()->index(row, 0).data().toString();
        }
        QVERIFY2(keys.contains(QStringLiteral("F8")) && keys.contains(QStringLiteral("H")), qPrintable(keys.join(u',')));
    }

    void nothingIsClippedAt1366x768() {
        WindowFixture fixture;
        for (const char* pair : {"refuted", "undecided", "proved"}) {
            QVERIFY(fixture.openAndSettle(QString::fromLatin1(pair)));
            fixture.window->goToNextFailing(false);
            QTest::qWait(50);
            QVERIFY(fixture.window->minimumSizeHint().width() <= 1366);
            QVERIFY(fixture.window->minimumSizeHint().height() <= 728);
            for (const QAbstractButton* button : fixture.window->findChildren<QAbstractButton*>()) {
                if (button->isVisible() && !button->text().isEmpty() && isOurs(button)) {
                    QVERIFY2(button->width() >= button->sizeHint().width() && button->height() >= button->sizeHint().height() - 1,
                             qPrintable(button->text() + QStringLiteral(" %1 < %2").arg(button->width()).arg(button->sizeHint().width())));
                }
            }
            for (const QLabel* label : fixture.window->banner()->findChildren<QLabel*>()) {
                if (label->isVisible()) {
                    const int needed = label->wordWrap() ? label->heightForWidth(label->width()) : label->sizeHint().height();
                    QVERIFY2(label->height() >= needed, qPrintable(label->text()));
                    QVERIFY2(label->wordWrap() || label->width() >= label->sizeHint().width(), qPrintable(label->text()));
                }
            }
        }
    }
};

QTEST_MAIN(TestWindowAccess)
#include "tst_window_access.moc"
