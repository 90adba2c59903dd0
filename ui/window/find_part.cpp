#include "ui/window/find_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/jobs/program_session.h"
#include "ui/panels/find_bar.h"
#include "ui/panels/program_page.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"
#include "ui/window/places_part.h"
#include "ui/window/program_part.h"

#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QMenu>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

FindPart::FindPart(MainWindow& window, PlacesPart& places) : QObject(&window), m_window(window), m_places(places) {
    // Between the verdict and the canvases: above what is in the middle.
    QWidget* centre = window.takeCentralWidget();
    auto* around = new QWidget(&window);
    around->setAccessibleName(tr("Find bar and graphs"));
    m_bar = new FindBar(around);
    auto* rows = new QVBoxLayout(around);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->setSpacing(0);
    rows->addWidget(m_bar);
    rows->addWidget(centre, 1);
    window.setCentralWidget(around);
    centre->show();
    m_bar->hide();

    QMenu* edit = window.menu(MainWindow::Menu::Edit);
    const auto key = [](const char* text) { return QKeySequence(QString::fromLatin1(text)); };
    edit->addSeparator();
    window.addMenuAction(
        edit, tr("&Find…"), {key("Ctrl+F")},
        [this] {
            if (m_window.programSession()->isOpen()) {
                m_window.programs()->page()->find(false);
            } else {
                open();
            }
        },
        MainWindow::Needs::Open);
    m_nextAction = window.addMenuAction(
        edit, tr("Find &Next"), {key("F3")}, [this] { stepAnywhere(false); }, MainWindow::Needs::Open);
    m_previousAction = window.addMenuAction(
        edit, tr("Find &Previous"), {key("Shift+F3")}, [this] { stepAnywhere(true); }, MainWindow::Needs::Open);

    connect(m_bar, &FindBar::queryChanged, this, &FindPart::search);
    connect(m_bar, &FindBar::stepRequested, this, &FindPart::step);
    connect(m_bar, &FindBar::closeRequested, this, &FindPart::close);
    connect(&places, &PlacesPart::indexChanged, this, &FindPart::refresh);
    connect(window.session(), &PairSession::correspondenceChanged, this, [this] {
        if (m_query.asksForMarks()) {
            refresh();
        }
    });
    connect(window.session(), &PairSession::stateChanged, this, [this] {
        if (m_query.asksForMarks()) {
            refresh();
        }
    });
    connect(window.session(), &PairSession::opened, this, [this] {
        if (!m_window.session()->session().isOpen()) {
            close();
        }
    });
    connect(&window, &MainWindow::selectionChanged, this, [this] {
        if (isOpen()) {
            m_leftOut = false;
            tell();
            mark();
        }
    });
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        window.canvas(side)->installEventFilter(this);
    }
}

void FindPart::stepAnywhere(bool backwards) {
    if (m_window.programSession()->isOpen()) {
        m_window.programs()->page()->findNext(backwards);
    } else {
        step(backwards);
    }
}

bool FindPart::isOpen() const { return !m_bar->isHidden(); }

void FindPart::open() {
    const bool was = isOpen();
    m_bar->open();
    if (!was) {
        refresh();
    }
}

void FindPart::close() {
    const bool inside = m_bar->isAncestorOf(QApplication::focusWidget());
    m_bar->hide();
    mark();
    if (inside) {
        m_window.canvas(m_window.activeSide())->setFocus(Qt::OtherFocusReason);
    }
}

void FindPart::search(const QString& text) {
    m_trouble.clear();
    if (auto query = NodeQuery::parse(text)) {
        m_query = std::move(*query);
    } else {
        m_query = {};
        m_trouble = toQString(query.error().message);
    }
    refresh();
}

void FindPart::refresh() {
    m_hits.clear();
    m_leftOut = false;
    if (isOpen() && m_places.index() != nullptr) {
        m_hits = m_query.matches(*m_places.index(), m_places.marks());
    }
    m_bar->setStepsEnabled(!m_hits.empty());
    tell();
    mark();
}

std::optional<std::size_t> FindPart::currentHit() const {
    const PlaceId selected = m_places.selected();
    if (m_places.index() == nullptr || !selected.isValid()) {
        return {};
    }
    const auto entry = static_cast<std::uint32_t>(m_places.index()->entryOf(selected));
    const auto at = std::lower_bound(m_hits.begin(), m_hits.end(), entry);
    return at != m_hits.end() && *at == entry ? std::optional(static_cast<std::size_t>(at - m_hits.begin())) : std::nullopt;
}

void FindPart::tell() {
    if (!m_trouble.isEmpty()) {
        m_bar->setAnswer(m_trouble, true);
        return;
    }
    if (m_query.isEmpty() || m_places.index() == nullptr) {
        m_bar->setAnswer(m_query.isEmpty() ? QString() : tr("reading the names …"), false);
        return;
    }
    if (m_hits.empty()) {
        m_bar->setAnswer(tr("not found"), false);
        return;
    }
    const auto reference = static_cast<std::size_t>(
        std::lower_bound(m_hits.begin(), m_hits.end(), static_cast<std::uint32_t>(m_places.index()->firstRewritten())) - m_hits.begin());
    const auto current = currentHit();
    const QString sides = tr("(%1 left, %2 right)").arg(reference).arg(m_hits.size() - reference);
    QString text = current ? tr("%1 of %2 %3").arg(*current + 1).arg(m_hits.size()).arg(sides) : tr("%1 found %2").arg(m_hits.size()).arg(sides);
    if (current && m_leftOut) {
        text += QStringLiteral(": ") + tr("outside the region shown");
    }
    m_bar->setAnswer(text, false);
}

void FindPart::mark() {
    std::array<CanvasHits, 2> marks;
    const auto& index = m_places.index();
    if (isOpen() && index != nullptr) {
        for (const std::uint32_t hit : m_hits) {
            const PlaceId& place = index->place(hit);
            CanvasHits& into = marks[static_cast<std::size_t>(place.side)];
            if (place.node.isValid()) {
                into.nodes.push_back(place.node);
            } else {
                into.values.push_back(place.value);
            }
        }
        if (const auto current = currentHit()) {
            const PlaceId& place = index->place(m_hits[*current]);
            marks[static_cast<std::size_t>(place.side)].currentNode = place.node;
            marks[static_cast<std::size_t>(place.side)].currentValue = place.value;
        }
    }
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        m_window.canvas(side)->setHits(std::move(marks[static_cast<std::size_t>(side)]));
    }
}

void FindPart::step(bool backwards) {
    if (!isOpen()) {
        open();
    }
    if (m_hits.empty()) {
        return;
    }
    const std::size_t count = m_hits.size();
    std::size_t next = backwards ? count - 1 : 0;
    if (const auto current = currentHit()) {
        next = (*current + (backwards ? count - 1 : 1)) % count;
    } else if (const PlaceId selected = m_places.selected(); selected.isValid()) {
        // From where the reader is, not from the start.
        const auto entry = static_cast<std::uint32_t>(m_places.index()->entryOf(selected));
        const auto after = static_cast<std::size_t>(std::lower_bound(m_hits.begin(), m_hits.end(), entry) - m_hits.begin());
        next = (after + (backwards ? count - 1 : 0)) % count;
    }
    const bool shown = m_places.goTo(m_places.index()->place(m_hits[next]));
    m_leftOut = !shown;
    tell();
}

bool FindPart::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::KeyPress && isOpen()) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Escape && key->modifiers() == Qt::NoModifier) {
            close(); // where nothing runs that Esc would stop
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace lemmascope
