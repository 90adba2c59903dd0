#include "ui/window/hidden_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/panels/lemma_panel.h"
#include "ui/views/verdict_text.h"
#include "ui/window/main_window.h"

#include <QMenu>
#include <QStatusBar>
#include <QToolButton>

#include <algorithm>

namespace lemmascope {

HiddenPart::HiddenPart(MainWindow& window) : QObject(&window), m_window(window), m_badge(new QToolButton(&window)) {
    m_badge->setObjectName(QStringLiteral("hiddenBadge"));
    m_badge->setAccessibleName(tr("Show what is hidden"));
    m_badge->setFocusPolicy(Qt::TabFocus);
    m_badge->hide();
    window.statusBar()->insertPermanentWidget(0, m_badge);
    connect(m_badge, &QToolButton::clicked, this, &HiddenPart::showAll);
    window.addMenuAction(
        window.menu(MainWindow::Menu::View), tr("Show &All That Is Hidden"), {}, [this] { showAll(); }, MainWindow::Needs::Pair);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        connect(window.canvas(side), &GraphCanvas::sceneChanged, this, &HiddenPart::refresh);
    }
    connect(window.lemmaPanel(), &LemmaPanel::provedFoldedChanged, this, &HiddenPart::refresh);
    connect(window.session(), &PairSession::stateChanged, this, &HiddenPart::refresh);
    connect(window.session(), &PairSession::opened, this, &HiddenPart::refresh);
}

HiddenPart::Hidden HiddenPart::count() const {
    Hidden hidden;
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto& scene = m_window.canvas(side)->scene();
        if (!scene) {
            continue;
        }
        std::size_t closed = 0;
        for (std::size_t item = 0; item < scene->itemCount(); ++item) {
            closed += scene->isClosed(static_cast<std::uint32_t>(item)) ? scene->nestedCounts[item] : 0;
        }
        closed = std::min(closed, scene->hiddenNodes);
        hidden.inside += closed;
        hidden.outside += scene->hiddenNodes - closed;
    }
    const auto& result = m_window.session()->session().result;
    hidden.lemmas = result && m_window.lemmaPanel()->isProvedFolded() ? countLemmas(*result).holds : 0;
    return hidden;
}

QStringList HiddenPart::reasons() const {
    const Hidden hidden = count();
    QStringList parts;
    if (hidden.outside > 0) {
        parts += tr("nodes outside the focus (context %1): %2").arg(m_window.session()->sceneOptions().contextHops).arg(hidden.outside);
    }
    if (hidden.inside > 0) {
        parts += tr("nodes inside closed nodes and groups: %1").arg(hidden.inside);
    }
    if (hidden.lemmas > 0) {
        parts += tr("proved lemmas folded: %1").arg(hidden.lemmas);
    }
    return parts;
}

void HiddenPart::refresh() {
    const Hidden hidden = count();
    const QStringList parts = m_window.isWelcome() ? QStringList() : reasons();
    m_badge->setVisible(!parts.isEmpty());
    m_badge->setText(tr("⋯ hidden: %1").arg(hidden.outside + hidden.inside + hidden.lemmas));
    const QString text = parts.join(u'\n');
    m_badge->setToolTip(tr("%1\nClick to show all.").arg(text));
    m_badge->setAccessibleDescription(text);
}

void HiddenPart::showAll() {
    const QStringList told = reasons();
    if (told.isEmpty()) {
        return;
    }
    m_window.statusBar()->showMessage(tr("Shown again: %1").arg(told.join(QStringLiteral("; "))), 8'000);
    const std::size_t inside = count().inside;
    m_window.lemmaPanel()->setProvedFolded(false);
    PairSession* session = m_window.session();
    SceneOptions options = session->sceneOptions();
    options.focusOnDifference = false;
    options.groupsStartOpen = true;
    options.toggledGroups.clear();
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        options.collapsed[static_cast<std::size_t>(side)].clear();
        const auto& scene = m_window.canvas(side)->scene();
        for (std::size_t item = 0; scene && inside <= MostOpened && item < scene->itemCount(); ++item) {
            if (scene->kinds[item] == ItemKind::Collapsed && scene->nodes[item].isValid()) {
                auto& expanded = options.expanded[static_cast<std::size_t>(side)];
                if (std::find(expanded.begin(), expanded.end(), scene->nodes[item]) == expanded.end()) {
                    expanded.push_back(scene->nodes[item]);
                }
            }
        }
    }
    session->restoreSceneOptions(std::move(options));
}

} // namespace lemmascope
