#include "ui/window/help_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/panels/help_window.h"
#include "ui/panels/key_sheet.h"
#include "ui/panels/verdict_banner.h"
#include "ui/panels/welcome_page.h"
#include "ui/views/legend.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"

#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>

namespace lemmascope {

HelpPart::HelpPart(MainWindow& window) : QObject(&window), m_window(window) {
    QMenu* menu = window.menu(MainWindow::Menu::Help);
    const auto add = [&](const QString& text, const QList<QKeySequence>& keys, auto&& act) { window.addMenuAction(menu, text, keys, act); };
    add(tr("&Help on This"), {QKeySequence::HelpContents}, [this] { show(placeOfFocus()); });
    add(tr("&Contents"), {}, [this] { show(QStringLiteral("index")); });
    add(tr("&Tutorial: Why Did My Fusion Break?"), {}, [this] { show(QStringLiteral("tutorial")); });
    add(tr("&Key Sheet"), {QKeySequence(QStringLiteral("?"))}, [this] { showKeys(); });
    add(tr("What the &Marks Mean"), {}, [this] { show(QStringLiteral("legend")); });
    add(tr("&Glossary"), {}, [this] { show(QStringLiteral("glossary")); });
    menu->addSeparator();
    add(tr("&About Lemmascope"), {}, [this] { showAbout(); });
    connect(window.welcome(), &WelcomePage::keysRequested, this, &HelpPart::showKeys);
    connect(window.welcome(), &WelcomePage::tutorialRequested, this, [this] { show(QStringLiteral("tutorial")); });
    connect(&window, &MainWindow::aboutToClose, this, [this] { delete m_help; });
}

QString HelpPart::placeOfFocus() const {
    const QWidget* focus = QApplication::focusWidget();
    if (m_window.isWelcome() || focus == nullptr) {
        return QStringLiteral("index");
    }
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        if (focus == m_window.canvas(side)) {
            return QStringLiteral("window#graphs");
        }
    }
    if (m_window.banner()->isAncestorOf(focus)) {
        return QStringLiteral("verdicts");
    }
    for (const QDockWidget* dock : m_window.docks()) {
        if (dock->isAncestorOf(focus)) {
            return QStringLiteral("window#") + HelpPages::anchorOf(dock->windowTitle());
        }
    }
    return QStringLiteral("window");
}

HelpWindow* HelpPart::show(const QString& place) {
    if (m_help.isNull()) {
        const auto legend = [this] { return legendHtml(m_window.palette()); };
        m_help = new HelpWindow(legend, &m_window);
        m_help->setAttribute(Qt::WA_DeleteOnClose);
    }
    m_help->show(); // first: a section is found once the text has its width
    m_help->showPage(place);
    m_help->raise();
    m_help->activateWindow();
    return m_help;
}

void HelpPart::showKeys() {
    auto* sheet = new KeySheet(m_window.actions() + m_window.canvas(Side::Reference)->actions(), &m_window);
    sheet->show();
}

void HelpPart::showAbout() {
    auto* dialog = new QDialog(&m_window);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("About Lemmascope"));
    dialog->setAccessibleName(dialog->windowTitle());
    auto* text =
        new QLabel(tr("<h3>Lemmascope</h3><p>Did this rewrite keep the meaning? Proofs and counterexamples for rewritten computation graphs.</p>"
                      "<p>%1</p><p>Apache License 2.0. Uses Qt (LGPL 3), Z3 (MIT), Graphviz (EPL 1.0), Protocol Buffers (BSD), JSON for "
                      "Modern C++ (MIT), Eigen (MPL 2.0), GMP (LGPL 3), xxHash (BSD), OpenSSL (Apache 2.0).</p>")
                       .arg(m_window.versions().toHtmlEscaped()),
                   dialog);
    text->setTextFormat(Qt::RichText);
    text->setAccessibleName(dialog->windowTitle());
    text->setWordWrap(true);
    text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    text->setMinimumWidth(m_window.fontMetrics().averageCharWidth() * 60);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    buttons->setAccessibleName(tr("Close"));
    connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::close);
    auto* all = new QVBoxLayout(dialog);
    all->addWidget(text);
    all->addWidget(buttons);
    dialog->show();
}

} // namespace lemmascope
