#include "tests/ui/window/every_view.h"

#include "tests/ui/window/program_fakes.h"
#include "tests/ui/window/text_room.h"
#include "ui/jobs/program_session.h"
#include "ui/panels/program_page.h"
#include "ui/window/program_part.h"

#include <QAction>
#include <QApplication>
#include <QDialog>
#include <QDockWidget>
#include <QMenu>
#include <QPointer>
#include <QTimer>

namespace lemmascope::test {

void everyView(WindowFixture& fixture, const std::function<void(QWidget*, const QString&)>& look) {
    MainWindow* window = fixture.window.get();
    QTest::qWait(20);
    look(window, QStringLiteral("start page"));
    // Programs first: graphs take their place again.
    window->programSession()->setServices(fakeProgramServices(fixture.behaviour));
    for (const QString& pair : {QStringLiteral("equal"), QStringLiteral("race"), QStringLiteral("differs")}) {
        window->openPair(fixture.file(pair + QStringLiteral(".ref.mlir")), fixture.file(pair + QStringLiteral(".rew.mlir")));
        if (!QTest::qWaitFor([window] { return window->isIdle(); }, 10'000) || !window->programSession()->isOpen()) {
            qWarning("%s did not open", qPrintable(pair));
        }
        for (QDockWidget* dock : {window->programs()->mapDock(), window->programs()->scheduleDock()}) {
            window->showDock(dock, false);
            QTest::qWait(20);
            look(window, QStringLiteral("programs %1, dock %2").arg(pair, dock->objectName()));
        }
        window->programs()->page()->find(true);
        QTest::qWait(5);
        look(window, QStringLiteral("finding in programs"));
        window->programs()->page()->closeFind();
    }
    for (const char* pair : {"undecided", "proved", "unproved", "refuted"}) {
        if (!fixture.openAndSettle(QString::fromLatin1(pair))) {
            qWarning("%s did not open", pair);
        }
        window->goToNextFailing(false);
        QTest::qWait(20);
        look(window, QString::fromLatin1(pair));
    }
    for (QDockWidget* dock : window->docks()) {
        window->showDock(dock, false);
        QTest::qWait(5);
        look(window, QStringLiteral("dock ") + dock->objectName());
    }
    for (std::size_t i = 0; i < MainWindow::MenuCount; ++i) {
        QList<QPointer<QAction>> entries; // a menu may be filled anew meanwhile
        for (QAction* entry : entriesOf(window->menu(static_cast<MainWindow::Menu>(i)))) {
            entries << entry;
        }
        for (const QPointer<QAction>& entry : entries) {
            if (entry == nullptr) {
                continue;
            }
            const QString text = entry->text().remove(u'&');
            const bool leaves = entry->shortcuts().contains(QKeySequence(Qt::CTRL | Qt::Key_Q)) ||
                                entry->shortcuts().contains(QKeySequence(Qt::CTRL | Qt::Key_W)) ||
                                entry->shortcuts().contains(QKeySequence::FullScreen);
            if (leaves || !entry->isEnabled() || entry->isCheckable()) {
                continue;
            }
            // A modal dialog runs its loop within trigger(), or opens on the next turn.
            const bool asks = entry->text().contains(u'…');
            const auto lookAtDialogs = [&] {
                for (QWidget* top : QApplication::topLevelWidgets()) {
                    if (top != window && top->isVisible() && qobject_cast<QDialog*>(top) != nullptr) {
                        look(top, QStringLiteral("dialog of ") + text);
                        top->close();
                    }
                }
            };
            QTimer timer;
            QObject::connect(&timer, &QTimer::timeout, window, lookAtDialogs);
            timer.start(30);
            entry->trigger();
            if (asks) {
                QTest::qWait(70);
            }
            QCoreApplication::processEvents();
            lookAtDialogs();
        }
    }
}

} // namespace lemmascope::test
