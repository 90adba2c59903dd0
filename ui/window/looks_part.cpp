#include "ui/window/looks_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/views/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/view_history_part.h"

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QInputDialog>
#include <QMenu>
#include <QMouseEvent>
#include <QSettings>
#include <QStatusBar>
#include <QUrl>

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

constexpr int StateVersion = 1; ///< of the arrangements kept here
constexpr double SmallestFont = 5.0;
constexpr qsizetype MostLayouts = 20;

QSettings settings() { return QSettings(QStringLiteral("lemmascope"), QStringLiteral("lemmascope")); }
QString layoutKey(const QString& name) { return QStringLiteral("layouts/") + QString::fromLatin1(QUrl::toPercentEncoding(name)); }

/// Docks that a built-in layout shows, by object name, in the order in which they come to the front; those that are not there are left out.
QStringList docksOf(const QString& layout) {
    if (layout == QStringLiteral("debug")) {
        return {QStringLiteral("matcherDock"), QStringLiteral("rulesDock"), QStringLiteral("inspectorDock"), QStringLiteral("messagesDock"),
                QStringLiteral("graphTableDock")};
    }
    if (layout == QStringLiteral("review")) {
        return {QStringLiteral("lemmasDock"), QStringLiteral("inspectorDock"), QStringLiteral("notesDock"), QStringLiteral("queryDock"),
                QStringLiteral("counterexampleDock")};
    }
    return {};
}

} // namespace

LooksPart::LooksPart(MainWindow& window, ViewHistoryPart& history)
    : QObject(&window), m_window(window), m_history(history), m_themes(new QActionGroup(this)), m_fontSize(QApplication::font().pointSizeF()) {
    QMenu* view = window.menu(MainWindow::Menu::View);
    m_arrangement = window.saveState(StateVersion);
    buildLayouts(view);
    buildThemes(view);
    buildFont(view);
    for (QDockWidget* dock : window.docks()) {
        dock->installEventFilter(this);
    }
    const QString given = qApp->property("lemmascopeColours").toString(); // of the command line: for this run only
    const QString kept = settings().value(QStringLiteral("looks/theme"), m_theme).toString();
    if (given.isEmpty() && isColours(kept) && kept != m_theme) {
        applyTheme(kept);
    } else if (isColours(given)) {
        m_theme = given; // the program has applied it
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            window.canvas(side)->setMonochrome(given == QStringLiteral("mono"));
        }
    }
    for (QAction* action : m_themes->actions()) {
        action->setChecked(action->data().toString() == m_theme);
    }
    if (const int change = settings().value(QStringLiteral("looks/font"), 0).toInt(); given.isEmpty() && change != 0) {
        setFontChange(change);
    }
    history.track(
        tr("theme"), [this] { return m_theme; }, [this](const QVariant& name) { setTheme(name.toString()); });
}

void LooksPart::buildThemes(QMenu* view) {
    QMenu* themes = view->addMenu(tr("Th&eme"));
    for (const auto& [text, name] : {std::pair{tr("&Desktop"), "desktop"}, std::pair{tr("&Light"), "light"}, std::pair{tr("D&ark"), "dark"},
                                     std::pair{tr("&High Contrast"), "contrast"}, std::pair{tr("&Monochrome"), "mono"}}) {
        QAction* action = m_window.addMenuAction(themes, text, {}, [this, wanted = QString::fromLatin1(name)] { setTheme(wanted); });
        action->setCheckable(true);
        action->setData(QString::fromLatin1(name));
        m_themes->addAction(action);
    }
}

void LooksPart::applyTheme(const QString& name) {
    m_theme = name;
    applyColours(name);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        m_window.canvas(side)->setMonochrome(name == QStringLiteral("mono"));
    }
}

void LooksPart::setTheme(const QString& name) {
    if (!isColours(name) || name == m_theme) {
        return;
    }
    applyTheme(name);
    settings().setValue(QStringLiteral("looks/theme"), name);
    for (QAction* action : m_themes->actions()) {
        action->setChecked(action->data().toString() == name);
    }
    m_history.changed();
}

void LooksPart::buildFont(QMenu* view) {
    QMenu* font = view->addMenu(tr("Fo&nt Size"));
    m_window.addMenuAction(font, tr("&Larger"), {QKeySequence(QStringLiteral("Ctrl++")), QKeySequence(QStringLiteral("Ctrl+="))},
                           [this] { setFontChange(m_fontChange + 1); });
    m_window.addMenuAction(font, tr("&Smaller"), {QKeySequence(QStringLiteral("Ctrl+-"))}, [this] { setFontChange(m_fontChange - 1); });
    m_window.addMenuAction(font, tr("&As the Desktop"), {}, [this] { setFontChange(0); });
}

void LooksPart::setFontChange(int points) {
    const int least = static_cast<int>(std::min(0.0, SmallestFont - m_fontSize));
    points = std::clamp(points, least, LargestFontChange);
    if (points == m_fontChange || m_fontSize <= 0.0) {
        return;
    }
    m_fontChange = points;
    QFont font = QApplication::font();
    font.setPointSizeF(m_fontSize + points);
    QApplication::setFont(font);
    settings().setValue(QStringLiteral("looks/font"), points);
    m_window.statusBar()->showMessage(tr("Font: %1 points").arg(font.pointSizeF()), 3'000);
}

void LooksPart::buildLayouts(QMenu* view) {
    m_layouts = view->addMenu(tr("La&youts"));
    for (const auto& [text, name] :
         {std::pair{tr("&Debug a Rule"), "debug"}, std::pair{tr("&Review Obligations"), "review"}, std::pair{tr("&Present"), "present"}}) {
        m_window.addMenuAction(
            m_layouts, text, {}, [this, wanted = QString::fromLatin1(name)] { applyLayout(wanted); }, MainWindow::Needs::Pair);
    }
    m_ownPlace = m_layouts->addSeparator();
    m_window.addMenuAction(
        m_layouts, tr("&Keep This Layout…"), {}, [this] { askForName(); }, MainWindow::Needs::Pair);
    m_forget = m_layouts->addMenu(tr("&Forget"));
    m_window.addMenuAction(
        m_layouts, tr("&Maximise This Pane"), {QKeySequence(QStringLiteral("Ctrl+Shift+M"))},
        [this] {
            for (QDockWidget* dock : m_window.docks()) {
                if (dock->isVisible() && dock->isAncestorOf(QApplication::focusWidget())) {
                    toggleMaximised(dock);
                    return;
                }
            }
            if (isMaximised()) {
                toggleMaximised(nullptr);
            }
        },
        MainWindow::Needs::Pair);
    refreshOwnLayouts();
}

QStringList LooksPart::ownLayouts() const {
    QSettings kept = settings();
    kept.beginGroup(QStringLiteral("layouts"));
    QStringList names;
    for (const QString& key : kept.childKeys()) {
        names += QUrl::fromPercentEncoding(key.toLatin1());
    }
    names.sort();
    return names;
}

void LooksPart::refreshOwnLayouts() {
    for (QAction* action : m_layouts->actions()) {
        if (!action->data().toString().isEmpty()) {
            action->deleteLater();
            m_layouts->removeAction(action);
        }
    }
    m_forget->clear();
    const QStringList names = ownLayouts();
    for (const QString& name : names) {
        const QString text = QString(name).replace(u'&', QStringLiteral("&&"));
        auto* action = new QAction(text, m_layouts);
        action->setData(name);
        connect(action, &QAction::triggered, this, [this, name] { applyLayout(name); });
        m_layouts->insertAction(m_ownPlace, action);
        connect(m_forget->addAction(text), &QAction::triggered, this, [this, name] { forgetLayout(name); });
    }
    m_forget->menuAction()->setEnabled(!names.isEmpty());
}

void LooksPart::askForName() {
    auto* dialog = new QInputDialog(&m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAccessibleName(tr("Keep This Layout"));
    dialog->setWindowTitle(tr("Keep This Layout"));
    dialog->setLabelText(tr("Name of the layout:"));
    dialog->setTextValue(tr("My layout"));
    connect(dialog, &QInputDialog::textValueSelected, this, &LooksPart::keepLayout);
    dialog->setModal(false);
    dialog->show();
}

void LooksPart::keepLayout(const QString& name) {
    const QString kept = name.trimmed().left(60);
    if (kept.isEmpty() || (ownLayouts().size() >= MostLayouts && !ownLayouts().contains(kept))) {
        return;
    }
    settings().setValue(layoutKey(kept), m_window.saveState(StateVersion));
    refreshOwnLayouts();
    m_window.statusBar()->showMessage(tr("Layout kept as %1: View > Layouts").arg(kept), 5'000);
}

void LooksPart::forgetLayout(const QString& name) {
    settings().remove(layoutKey(name));
    refreshOwnLayouts();
}

void LooksPart::applyLayout(const QString& name) {
    if (m_window.isWelcome()) {
        return; // it shows no docks
    }
    if (isMaximised()) {
        toggleMaximised(nullptr);
    }
    if (const QByteArray state = settings().value(layoutKey(name)).toByteArray(); !state.isEmpty()) {
        m_window.restoreState(state, StateVersion);
        return;
    }
    m_window.restoreState(m_arrangement, StateVersion);
    const QStringList shown = docksOf(name);
    for (QDockWidget* dock : m_window.docks()) {
        dock->setVisible(shown.contains(dock->objectName()));
    }
    for (const QString& front : shown) {
        if (auto* dock = m_window.findChild<QDockWidget*>(front)) {
            dock->raise();
        }
    }
    m_window.canvas(m_window.activeSide())->setFocus(Qt::OtherFocusReason);
}

void LooksPart::toggleMaximised(QDockWidget* dock) {
    if (isMaximised()) {
        m_window.centralWidget()->show();
        m_window.restoreState(std::exchange(m_beforeMaximised, {}), StateVersion);
        return;
    }
    if (dock == nullptr || dock->isFloating() || m_window.isWelcome()) {
        return;
    }
    m_beforeMaximised = m_window.saveState(StateVersion);
    m_window.centralWidget()->hide();
    for (QDockWidget* other : m_window.docks()) {
        other->setVisible(other == dock);
    }
}

bool LooksPart::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonDblClick) {
        auto* dock = qobject_cast<QDockWidget*>(watched);
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const bool title = dock != nullptr && dock->widget() != nullptr && mouse->position().y() < dock->widget()->geometry().top();
        if (title && mouse->button() == Qt::LeftButton && !dock->isFloating()) {
            toggleMaximised(dock);
            return true; // and does not float
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace lemmascope
