#include "ui/window/palette_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/jobs/program_session.h"
#include "ui/panels/palette_popup.h"
#include "ui/panels/program_page.h"
#include "ui/views/ranking.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"
#include "ui/window/main_window.h"
#include "ui/window/places_part.h"
#include "ui/window/program_part.h"

#include <QAction>
#include <QMenu>
#include <QSettings>

#include <algorithm>
#include <tuple>

namespace lemmascope {

namespace {

constexpr int RecentBonus = 120;

QString recentKey() { return QStringLiteral("palette/recent"); }

} // namespace

PalettePart::PalettePart(MainWindow& window, PlacesPart& places)
    : QObject(&window), m_window(window), m_places(places), m_popup(new PalettePopup(&window)) {
    m_recentActions = QSettings(QStringLiteral("lemmascope"), QStringLiteral("lemmascope")).value(recentKey()).toStringList().mid(0, MostRecent);
    QMenu* go = window.menu(MainWindow::Menu::Go);
    go->addSeparator();
    window.addMenuAction(
        go, tr("&Go to Node…"), {QKeySequence(QStringLiteral("Ctrl+G"))},
        [this] {
            if (m_window.programSession()->isOpen()) {
                m_window.programs()->page()->find(true);
            } else {
                openGoToNode();
            }
        },
        MainWindow::Needs::Open);
    window.addMenuAction(go, tr("&Command Palette…"), {QKeySequence(QStringLiteral("Ctrl+K")), QKeySequence(QStringLiteral("Ctrl+Shift+P"))},
                         [this] { openPalette(); });
    connect(m_popup, &PalettePopup::textChanged, this, &PalettePart::refresh);
    connect(m_popup, &PalettePopup::chosen, this, &PalettePart::act);
    connect(window.session(), &PairSession::opened, this, [this] {
        m_recent.clear();
        m_popup->close();
    });
    connect(&places, &PlacesPart::indexChanged, this, [this] {
        // Entries speak of the index that is gone.
        std::erase_if(m_recent, [](const PaletteEntry& entry) { return entry.kind == PaletteEntry::Kind::Place; });
        if (m_popup->isVisible()) {
            refresh(m_popup->text());
        }
    });
}

void PalettePart::openPalette() {
    m_namesOnly = false;
    m_actions = listedActions(m_window);
    m_popup->open(tr("Acts, lemmas, names of nodes …"));
}

void PalettePart::openGoToNode() {
    m_namesOnly = true;
    m_popup->open(tr("Name of a node, input or constant …"));
}

PaletteEntry PalettePart::actionEntry(std::size_t action) const {
    const ListedAction& listed = m_actions[action];
    QString detail = listed.action->shortcut().toString(QKeySequence::NativeText);
    if (listed.action->isCheckable()) {
        const QString state = listed.action->isChecked() ? tr("on") : tr("off");
        detail = detail.isEmpty() ? state : tr("%1 · %2").arg(state, detail);
    }
    return {PaletteEntry::Kind::Action, listed.path + QStringLiteral(" > ") + listed.title, detail, listed.action->isEnabled(),
            static_cast<std::uint32_t>(action)};
}

PaletteEntry PalettePart::placeEntry(std::size_t entry) const {
    const NodeIndex& index = *m_places.index();
    const bool reference = index.place(entry).side == Side::Reference;
    return {PaletteEntry::Kind::Place, QStringLiteral("%1  %2").arg(index.opName(entry), index.name(entry)),
            reference ? tr("reference") : tr("rewritten"), true, static_cast<std::uint32_t>(entry)};
}

PaletteEntry PalettePart::lemmaEntry(std::size_t lemma) const {
    const LemmaResult& entry = m_window.session()->session().result->lemmas[lemma];
    return {PaletteEntry::Kind::Lemma, QStringLiteral("%1  %2").arg(toQString(entry.id), toQString(entry.title)),
            glyph(entry.verdict) + u' ' + word(entry.verdict), true, static_cast<std::uint32_t>(lemma)};
}

void PalettePart::addActions(const Ranking& ranking, std::vector<std::pair<int, PaletteEntry>>& found) const {
    for (std::size_t i = 0; i < m_actions.size(); ++i) {
        const std::string title = foldedText(toStdString(m_actions[i].title));
        auto score = ranking.of(title);
        if (!score) {
            // The menu's name as well: `zoom in` and `view fit`.
            score = ranking.of(foldedText(toStdString(m_actions[i].path)) + '>' + title);
            score = score ? std::optional(*score / 2) : std::nullopt;
        }
        if (score) {
            const bool recent = m_recentActions.contains(m_actions[i].id());
            found.emplace_back(*score + (recent ? RecentBonus : 0) - (m_actions[i].action->isEnabled() ? 0 : RecentBonus), actionEntry(i));
        }
    }
}

void PalettePart::addLemmas(const Ranking& ranking, std::vector<std::pair<int, PaletteEntry>>& found) const {
    const auto& result = m_window.session()->session().result;
    if (!result) {
        return;
    }
    BestOf best(MostShown);
    for (std::size_t i = 0; i < result->lemmas.size(); ++i) {
        const LemmaResult& lemma = result->lemmas[i];
        auto score = ranking.of(foldedText(lemma.id));
        if (!score || *score < Ranking::Whole) {
            score = ranking.of(foldedText(lemma.id + ' ' + lemma.title));
        }
        if (score && best.takes(*score)) {
            best.add(*score, static_cast<std::uint32_t>(lemma.title.size()), static_cast<std::uint32_t>(i));
        }
    }
    for (const BestOf::Entry& entry : best.take()) {
        found.emplace_back(entry.score, lemmaEntry(entry.id));
    }
}

void PalettePart::addPlaces(const Ranking& ranking, std::vector<std::pair<int, PaletteEntry>>& found) const {
    const auto& index = m_places.index();
    if (index == nullptr) {
        return;
    }
    BestOf best(MostShown);
    for (std::size_t entry = 0; entry < index->count(); ++entry) {
        const std::string_view path = index->foldedPath(entry);
        auto score = ranking.of(path);
        if (!score) {
            const std::string_view names = index->foldedNames(entry);
            score = names.size() > path.size() ? ranking.of(names.substr(path.size() + 1)) : std::nullopt;
        }
        if (score && best.takes(*score)) {
            best.add(*score, static_cast<std::uint32_t>(path.size()), static_cast<std::uint32_t>(entry));
        }
    }
    for (const BestOf::Entry& entry : best.take()) {
        found.emplace_back(entry.score, placeEntry(entry.id));
    }
}

std::vector<PaletteEntry> PalettePart::withoutText() const {
    std::vector<PaletteEntry> entries;
    const auto& index = m_places.index();
    const auto& result = m_window.session()->session().result;
    for (const PaletteEntry& entry : m_recent) {
        const bool lemma = entry.kind == PaletteEntry::Kind::Lemma;
        if (lemma ? !m_namesOnly && result && entry.id < result->lemmas.size() : index != nullptr && entry.id < index->count()) {
            entries.push_back(lemma ? lemmaEntry(entry.id) : placeEntry(entry.id));
        }
    }
    if (m_namesOnly) {
        for (std::size_t i = 0; index != nullptr && i < index->count() && entries.size() < MostShown; ++i) {
            const PaletteEntry entry = placeEntry(i);
            if (std::find(entries.begin(), entries.end(), entry) == entries.end()) {
                entries.push_back(entry);
            }
        }
        return entries;
    }
    std::vector<std::size_t> order;
    for (const QString& id : m_recentActions) {
        const auto at = std::find_if(m_actions.begin(), m_actions.end(), [&id](const ListedAction& action) { return action.id() == id; });
        if (at != m_actions.end() && at->action->isEnabled()) {
            order.push_back(static_cast<std::size_t>(at - m_actions.begin()));
        }
    }
    for (std::size_t i = 0; i < m_actions.size(); ++i) {
        if (std::find(order.begin(), order.end(), i) == order.end()) {
            order.push_back(i);
        }
    }
    for (const std::size_t i : order) {
        entries.push_back(actionEntry(i));
    }
    return entries;
}

void PalettePart::refresh(const QString& text) {
    std::erase_if(m_actions, [](const ListedAction& listed) { return listed.action == nullptr; });
    const Ranking ranking(foldedText(toStdString(text)));
    if (ranking.isEmpty()) {
        m_popup->setEntries(withoutText());
        return;
    }
    std::vector<std::pair<int, PaletteEntry>> found;
    if (!m_namesOnly) {
        addActions(ranking, found);
        addLemmas(ranking, found);
    }
    addPlaces(ranking, found);
    for (auto& [score, entry] : found) {
        const auto same = [&entry](const PaletteEntry& recent) { return recent.kind == entry.kind && recent.id == entry.id; };
        score += entry.kind != PaletteEntry::Kind::Action && std::any_of(m_recent.begin(), m_recent.end(), same) ? RecentBonus : 0;
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    if (found.size() > MostShown) {
        found.resize(MostShown);
    }
    std::vector<PaletteEntry> entries;
    entries.reserve(found.size());
    for (auto& [score, entry] : found) {
        entries.push_back(std::move(entry));
    }
    m_popup->setEntries(std::move(entries));
}

void PalettePart::remember(const PaletteEntry& entry) {
    if (entry.kind == PaletteEntry::Kind::Action) {
        if (!m_actions[entry.id].lasting) {
            return;
        }
        const QString id = m_actions[entry.id].id();
        m_recentActions.removeAll(id);
        m_recentActions.prepend(id);
        m_recentActions = m_recentActions.mid(0, MostRecent);
        QSettings(QStringLiteral("lemmascope"), QStringLiteral("lemmascope")).setValue(recentKey(), m_recentActions);
        return;
    }
    std::erase_if(m_recent, [&entry](const PaletteEntry& recent) { return recent.kind == entry.kind && recent.id == entry.id; });
    m_recent.insert(m_recent.begin(), entry);
    if (m_recent.size() > static_cast<std::size_t>(MostRecent)) {
        m_recent.pop_back();
    }
}

void PalettePart::act(const PaletteEntry& entry) {
    switch (entry.kind) {
    case PaletteEntry::Kind::Action:
        if (entry.id < m_actions.size()) {
            const QPointer<QAction> action = m_actions[entry.id].action;
            if (action != nullptr) {
                remember(entry);
                action->trigger();
            }
        }
        break;
    case PaletteEntry::Kind::Lemma:
        remember(entry);
        m_window.goToLemma(entry.id);
        break;
    case PaletteEntry::Kind::Place:
        if (m_places.index() != nullptr && entry.id < m_places.index()->count()) {
            const PlaceId place = m_places.index()->place(entry.id);
            remember(entry);
            m_window.canvas(place.side)->setFocus(Qt::OtherFocusReason);
            m_places.goTo(place);
        }
        break;
    }
}

} // namespace lemmascope
