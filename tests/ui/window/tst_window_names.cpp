// What a screen reader and a keyboard meet in every view of the window: names, roles, keys, focus. Views are found by themselves.

#include "tests/ui/window/every_view.h"
#include "tests/ui/window/text_room.h"

#include "ui/window/access_part.h"

#include <QAccessible>
#include <QAction>
#include <QApplication>
#include <QDockWidget>
#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTest>

using namespace lemmascope;
using namespace lemmascope::test;

namespace {

/// Roles that nobody can use without a name.
bool needsName(QAccessible::Role role) {
    switch (role) {
    case QAccessible::PushButton:
    case QAccessible::ButtonMenu:
    case QAccessible::CheckBox:
    case QAccessible::RadioButton:
    case QAccessible::ComboBox:
    case QAccessible::EditableText:
    case QAccessible::SpinBox:
    case QAccessible::Slider:
    case QAccessible::Table:
    case QAccessible::Tree:
    case QAccessible::List:
    case QAccessible::ListItem:
    case QAccessible::MenuItem:
    case QAccessible::PageTab:
    case QAccessible::StaticText:
    case QAccessible::ColumnHeader:
    case QAccessible::ProgressBar:
    case QAccessible::ToolBar:
    case QAccessible::Dialog: return true;
    default: return false;
    }
}

QString told(const QAccessibleInterface* one, const QString& view) {
    const QObject* object = one->object();
    QString text = view + QStringLiteral(": role %1 “%2”").arg(one->role()).arg(one->text(QAccessible::Name).left(60));
    for (int i = 0; object != nullptr && i < 3; ++i, object = object->parent()) {
        text += QStringLiteral(" < ") + QString::fromLatin1(object->metaObject()->className()) + u'#' + object->objectName();
    }
    return text;
}

QStringList found;
/// Said once, in the view where it was seen first.
void note(const QString& text) {
    const QString what = text.section(QStringLiteral(": role"), 1);
    if (!found.contains(what.isEmpty() ? text : what)) {
        found << (what.isEmpty() ? text : what);
        qWarning("%s", qPrintable(text));
    }
}

} // namespace

class TestWindowNames : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { found.clear(); }

    void everythingHasANameAndARole() {
        WindowFixture fixture;
        everyView(fixture, [](QWidget* shown, const QString& view) {
            QList<QAccessibleInterface*> waiting{QAccessible::queryAccessibleInterface(shown)};
            int seen = 0;
            while (!waiting.isEmpty() && ++seen < 20'000) {
                QAccessibleInterface* one = waiting.takeLast();
                if (one == nullptr || !one->isValid()) {
                    continue;
                }
                const auto* widget = qobject_cast<const QWidget*>(one->object());
                if (widget != nullptr && widget != shown && isQtsOwn(widget)) {
                    continue;
                }
                const QAccessible::State state = one->state();
                const bool shy = state.invisible || (widget != nullptr && !widget->isVisible());
                const bool empty = one->text(QAccessible::Name).trimmed().isEmpty();
                const auto* label = qobject_cast<const QLabel*>(widget);
                if (!shy && empty && needsName(one->role()) && !(label != nullptr && label->text().isEmpty())) {
                    note(QStringLiteral("no name: ") + told(one, view));
                }
                if (!shy && state.focusable && (one->role() == QAccessible::NoRole || one->role() == QAccessible::Client)) {
                    note(QStringLiteral("takes the focus, but has no role: ") + told(one, view));
                }
                QHash<QString, int> siblings;
                for (int i = 0; i < one->childCount() && i < 500; ++i) {
                    QAccessibleInterface* child = one->child(i);
                    if (child == nullptr) {
                        continue;
                    }
                    const auto* childWidget = qobject_cast<const QWidget*>(child->object());
                    const bool matters = child->role() == QAccessible::PushButton || child->role() == QAccessible::CheckBox ||
                                         child->role() == QAccessible::ComboBox || child->role() == QAccessible::EditableText ||
                                         child->role() == QAccessible::Table || child->role() == QAccessible::MenuItem;
                    if (matters && !child->state().invisible && (childWidget == nullptr || !isQtsOwn(childWidget)) &&
                        ++siblings[QString::number(child->role()) + child->text(QAccessible::Name)] == 2) {
                        note(QStringLiteral("twice in one place: ") + told(child, view));
                    }
                    waiting << child;
                }
            }
        });
        QCOMPARE(found.size(), 0);
    }

    void everyActIsInAMenuWithAKey() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        MainWindow* window = fixture.window.get();
        QList<QAction*> listed;
        QList<const QMenu*> menus;
        for (std::size_t i = 0; i < MainWindow::MenuCount; ++i) {
            menus << window->menu(static_cast<MainWindow::Menu>(i));
            listed << entriesOf(menus.back());
        }
        while (!menus.isEmpty()) {
            const QMenu* menu = menus.takeFirst();
            QHash<QString, QString> letters;
            for (const QAction* action : menu->actions()) {
                if (action->menu() != nullptr) {
                    menus << action->menu();
                }
                if (action->isSeparator() || action->text().isEmpty()) {
                    continue;
                }
                const QString letter = QKeySequence::mnemonic(action->text()).toString();
                // Names of files, verdicts, docks and the like are reached by arrows and by their first letters.
                const bool variable = menu == window->findChild<QMenu*>(QStringLiteral("recentMenu")) || !action->shortcut().isEmpty() ||
                                      menu->title().contains(QStringLiteral("Recent")) || menu->title().contains(QStringLiteral("Wanted")) ||
                                      menu->title().contains(QStringLiteral("Doc")) || menu->title().contains(QStringLiteral("Layout"));
                if (letter.isEmpty() && !variable) {
                    note(QStringLiteral("no letter: %1 > %2").arg(menu->title(), action->text()));
                } else if (!letter.isEmpty() && letters.contains(letter)) {
                    note(QStringLiteral("%1 twice in %2: %3, %4").arg(letter, menu->title(), action->text(), letters.value(letter)));
                }
                letters.insert(letter, action->text());
            }
        }
        for (const QAction* action : window->actions() + window->canvas(Side::Reference)->actions()) {
            if (!listed.contains(action) && !action->isSeparator() && action->menu() == nullptr) {
                note(QStringLiteral("in no menu: ") + action->text());
            }
        }
        QCOMPARE(found.size(), 0);
    }

    void theFocusIsNeverCaughtAndAlwaysSeen() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        MainWindow* window = fixture.window.get();
        window->goToNextFailing(false);
        int seen = 0;
        for (QDockWidget* dock : window->docks()) {
            window->showDock(dock, false);
            QTest::qWait(5);
            for (QWidget* widget : window->findChildren<QWidget*>()) {
                const bool takes =
                    (widget->focusPolicy() & Qt::TabFocus) == Qt::TabFocus && widget->isVisible() && widget->isEnabled() &&
                    !widget->visibleRegion().isEmpty() && !isQtsOwn(widget) &&
                    (dock->isAncestorOf(widget) || (dock == window->docks().front() && !qobject_cast<QDockWidget*>(widget->parentWidget())));
                if (!takes) {
                    continue;
                }
                // Pictures of the widget and of what is right around it.
                const QRect around = QRect(widget->mapTo(window, QPoint()), widget->size()).adjusted(-4, -4, 4, 4);
                window->setFocus();
                if (QWidget* at = QApplication::focusWidget()) {
                    at->clearFocus();
                }
                const QImage without = window->grab(around).toImage();
                widget->setFocus(Qt::TabFocusReason);
                if (QApplication::focusWidget() != widget && widget->focusProxy() == nullptr) {
                    continue;
                }
                ++seen;
                if (window->grab(around).toImage() == without) {
                    note(QStringLiteral("the focus is not seen on %1 %2")
                             .arg(QString::fromLatin1(widget->metaObject()->className()), widget->accessibleName()));
                }
                QWidget* before = QApplication::focusWidget();
                QTest::keyClick(before, Qt::Key_Tab);
                if (QApplication::focusWidget() == before) {
                    note(QStringLiteral("Tab does not leave %1 %2")
                             .arg(QString::fromLatin1(widget->metaObject()->className()), widget->accessibleName()));
                }
            }
        }
        QVERIFY(seen > 20);
        QCOMPARE(found.size(), 0);
    }

    /// That it is heard over AT-SPI: tests/ui/access. The offscreen platform has no listeners.
    void aNewVerdictIsAnnounced() {
        WindowFixture fixture;
        const auto* part = fixture.window->findChild<AccessPart*>();
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        QTRY_COMPARE(part->announced(), QStringLiteral("REFUTED (value)"));
        QVERIFY(fixture.openAndSettle(QStringLiteral("proved")));
        QTRY_COMPARE(part->announced(), QStringLiteral("PROVED (exact)"));
    }

    void labelsSpeakTheirText() {
        WindowFixture fixture;
        QVERIFY(fixture.openAndSettle(QStringLiteral("refuted")));
        for (QLabel* label : fixture.window->banner()->findChildren<QLabel*>()) {
            if (label->isVisible() && !label->text().isEmpty()) {
                const QString spoken = QAccessible::queryAccessibleInterface(label)->text(QAccessible::Name);
                QVERIFY2(spoken.contains(label->text()) || Qt::mightBeRichText(label->text()), qPrintable(spoken));
                QVERIFY2(spoken.startsWith(label->accessibleName()), qPrintable(spoken));
            }
        }
    }
};

QTEST_MAIN(TestWindowNames)
#include "tst_window_names.moc"
