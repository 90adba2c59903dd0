#include "ui/window/reason_part.h"

#include "core/prove/correspondence.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/panels/side_view.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"
#include "ui/window/places_part.h"

#include <QLabel>
#include <QMenu>

#include <algorithm>

namespace lemmascope {

namespace {

void place(QLabel* line, const SideView* view) {
    const QRect canvas = view->canvas()->geometry();
    const int height = std::min(canvas.height(), line->heightForWidth(canvas.width()));
    line->setGeometry(canvas.left() + 1, canvas.bottom() - height, canvas.width() - 2, height);
    line->raise();
}

} // namespace

ReasonPart::ReasonPart(MainWindow& window, PlacesPart& places) : QObject(&window), m_window(window), m_places(places) {
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        SideView* view = window.sideView(side);
        auto* line = new QLabel(view);
        line->setObjectName(side == Side::Reference ? QStringLiteral("referenceReason") : QStringLiteral("rewrittenReason"));
        line->setAccessibleName(tr("Where the chosen node went"));
        line->setTextFormat(Qt::RichText);
        line->setTextInteractionFlags(Qt::LinksAccessibleByKeyboard | Qt::LinksAccessibleByMouse);
        line->setFocusPolicy(Qt::TabFocus);
        line->setWordWrap(true);
        line->setMargin(3);
        line->hide();
        line->setAutoFillBackground(true);
        // Over the drawing's lower edge, not between it and the header: a canvas that changes its height moves under the reader's eyes.
        connect(window.canvas(side), &GraphCanvas::viewMoved, line, [line, view] {
            if (!line->isHidden()) {
                place(line, view);
            }
        });
        connect(line, &QLabel::linkActivated, this, [this, side] { go(side, m_target); });
        m_lines[static_cast<std::size_t>(side)] = line;
    }
    connect(&window, &MainWindow::selectionChanged, this, &ReasonPart::refresh);
    connect(window.session(), &PairSession::opened, this, &ReasonPart::refresh);
    connect(window.session(), &PairSession::stateChanged, this, &ReasonPart::refresh);
    connect(&window, &MainWindow::nodeMenuOpening, this, &ReasonPart::addTo);
}

FlatNodeId ReasonPart::takenUp(Side side, FlatNodeId node) const {
    const PairSession* session = m_window.session();
    const GraphTree* tree = session->tree(side);
    const bool known = tree != nullptr && session->correspondence() != nullptr && node.isValid();
    const FlatNodeId found = known ? takenUpBy(*tree, *session->correspondence(), side, node) : FlatNodeId();
    const GraphTree* other = session->tree(MainWindow::other(side));
    return other != nullptr && found.isValid() && found.index < other->nodeCount() ? found : FlatNodeId();
}

QString ReasonPart::nameOf(Side side, FlatNodeId node) const {
    const GraphTree& tree = *m_window.session()->tree(side);
    return QStringLiteral("%1 %2").arg(toQString(tree.node(node).op.name), toQString(tree.path(node)));
}

void ReasonPart::go(Side side, FlatNodeId node) {
    const GraphTree* tree = m_window.session()->tree(side);
    if (tree != nullptr && node.isValid() && node.index < tree->nodeCount()) {
        m_window.canvas(side)->setFocus(Qt::OtherFocusReason);
        m_places.goTo({side, node, {}});
    }
}

void ReasonPart::refresh() {
    const MainWindow::Selection selected = m_window.selection();
    m_target = takenUp(selected.side, selected.node);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        QLabel* line = m_lines[static_cast<std::size_t>(side)];
        const bool here = m_target.isValid() && side != selected.side;
        if (here) {
            const QString target = nameOf(side, m_target).toHtmlEscaped();
            line->setText(tr("%1 goes into <a href=\"target\">%2</a>").arg(nameOf(selected.side, selected.node).toHtmlEscaped(), target));
        }
        line->setVisible(here);
        if (here) {
            place(line, m_window.sideView(side));
        }
    }
}

void ReasonPart::addTo(QMenu* menu, Side side, FlatNodeId node) {
    const FlatNodeId target = takenUp(side, node);
    if (target.isValid()) {
        const Side there = MainWindow::other(side);
        menu->addAction(tr("Go to %1, Which It &Goes Into").arg(nameOf(there, target).replace(u'&', QStringLiteral("&&"))), this,
                        [this, there, target] { go(there, target); });
    }
}

} // namespace lemmascope
