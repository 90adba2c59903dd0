#pragma once

#include "core/prove/check_result.h"

#include <QObject>

#include <array>

class QLabel;
class QMenu;

namespace lemmascope {

class MainWindow;
class PlacesPart;

/// Where the chosen node has no partner: a link, over the side that has none, to the node there that it was fused into or goes into.
class ReasonPart : public QObject {
    Q_OBJECT

  public:
    ReasonPart(MainWindow& window, PlacesPart& places);

    /// The line over one side; hidden where there is nothing to say.
    [[nodiscard]] QLabel* line(Side side) const { return m_lines[static_cast<std::size_t>(side)]; }

  private:
    void refresh();
    void addTo(QMenu* menu, Side side, FlatNodeId node);
    void go(Side side, FlatNodeId node);
    [[nodiscard]] FlatNodeId takenUp(Side side, FlatNodeId node) const;
    [[nodiscard]] QString nameOf(Side side, FlatNodeId node) const;

    MainWindow& m_window;
    PlacesPart& m_places;
    std::array<QLabel*, 2> m_lines{};
    FlatNodeId m_target;
};

} // namespace lemmascope
