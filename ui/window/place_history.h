#pragma once

#include "core/prove/check_result.h"
#include "ui/canvas/graph_scene.h"

#include <QPointF>

#include <array>
#include <memory>
#include <optional>
#include <vector>

namespace lemmascope {

/// Where one side looked, in the coordinates of one scene.
struct CanvasView {
    std::weak_ptr<const GraphScene> scene; ///< it means nothing in another
    QPointF centre;
    double scale = 1.0;
};
using PairView = std::array<CanvasView, 2>;

/// What the reader chose: a lemma, a node, or an input, constant or output; and where both sides looked when it was left.
struct HistoryPlace {
    std::optional<std::size_t> lemma;
    Side side = Side::Reference;
    FlatNodeId node;
    FlatValueId value;
    std::optional<PairView> view;

    [[nodiscard]] bool isSameAs(const HistoryPlace& other) const {
        return lemma == other.lemma && side == other.side && node == other.node && value == other.value;
    }
};

/// Back and forward, as in a browser: a new place forgets what was ahead. Keeps the latest 200.
class PlaceHistory {
  public:
    static constexpr std::size_t Kept = 200;

    /// `now`: where the place that is left looks.
    void add(HistoryPlace place, const PairView& now) {
        if (!m_places.empty()) {
            if (m_places[m_at].isSameAs(place)) {
                return;
            }
            m_places[m_at].view = now;
            m_places.resize(m_at + 1);
        }
        if (m_places.size() >= Kept) {
            m_places.erase(m_places.begin());
        }
        m_places.push_back(std::move(place));
        m_at = m_places.size() - 1;
    }
    [[nodiscard]] bool canGo(int by) const {
        const auto to = static_cast<std::ptrdiff_t>(m_at) + by;
        return to >= 0 && to < static_cast<std::ptrdiff_t>(m_places.size());
    }
    /// The place to show next; nothing at either end.
    [[nodiscard]] std::optional<HistoryPlace> travel(int by, const PairView& now) {
        if (!canGo(by)) {
            return {};
        }
        m_places[m_at].view = now;
        m_at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(m_at) + by);
        return m_places[m_at];
    }
    void clear() {
        m_places.clear();
        m_at = 0;
    }

  private:
    std::vector<HistoryPlace> m_places;
    std::size_t m_at = 0;
};

} // namespace lemmascope
