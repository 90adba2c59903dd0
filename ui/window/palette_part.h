#pragma once

#include "ui/models/palette_model.h"
#include "ui/views/node_index.h"
#include "ui/window/action_list.h"

#include <QObject>
#include <QStringList>

#include <vector>

namespace lemmascope {

class BestOf;
class MainWindow;
class PalettePopup;
class PlacesPart;
class Ranking;

/// Go to Node (names of both graphs) and the command palette (acts, lemmas, names): what is typed is ranked, what was chosen
/// lately stands first. The acts chosen last are kept in the settings.
class PalettePart : public QObject {
    Q_OBJECT

  public:
    static constexpr std::size_t MostShown = 100;
    static constexpr qsizetype MostRecent = 12;

    PalettePart(MainWindow& window, PlacesPart& places);

    void openPalette();
    void openGoToNode();
    [[nodiscard]] PalettePopup* popup() const { return m_popup; }

  private:
    void refresh(const QString& text);
    void act(const PaletteEntry& entry);
    void addPlaces(const Ranking& ranking, std::vector<std::pair<int, PaletteEntry>>& found) const;
    void addActions(const Ranking& ranking, std::vector<std::pair<int, PaletteEntry>>& found) const;
    void addLemmas(const Ranking& ranking, std::vector<std::pair<int, PaletteEntry>>& found) const;
    [[nodiscard]] PaletteEntry actionEntry(std::size_t action) const;
    [[nodiscard]] PaletteEntry placeEntry(std::size_t entry) const;
    [[nodiscard]] PaletteEntry lemmaEntry(std::size_t lemma) const;
    [[nodiscard]] std::vector<PaletteEntry> withoutText() const;
    void remember(const PaletteEntry& entry);

    MainWindow& m_window;
    PlacesPart& m_places;
    PalettePopup* m_popup;
    bool m_namesOnly = false;
    std::vector<ListedAction> m_actions; ///< as they were when it opened
    QStringList m_recentActions;         ///< ids, latest first
    std::vector<PaletteEntry> m_recent;  ///< lemmas and places of the open pair, latest first
};

} // namespace lemmascope
