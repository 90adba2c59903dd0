#pragma once

#include "ui/jobs/latest_job.h"
#include "ui/views/node_index.h"

#include <QObject>

#include <memory>
#include <optional>

namespace lemmascope {

class MainWindow;

/// The index of the open pair's nodes, made in the background where the graphs are large, and the way to a place in it: opens what
/// is folded around a node before it goes there. For the find bar, the palette and the graph table.
class PlacesPart : public QObject {
    Q_OBJECT

  public:
    /// Graphs of no more nodes than this together are indexed at once.
    static constexpr std::size_t LargestAtOnce = 4'000;

    explicit PlacesPart(MainWindow& window);

    /// Null while no pair is open or the index is being made.
    [[nodiscard]] const std::shared_ptr<const NodeIndex>& index() const { return m_index; }
    [[nodiscard]] const Correspondence* marks() const;
    /// Selects the place and moves both sides to it and its partner. False when the region shown leaves it out.
    bool goTo(const PlaceId& place);
    /// What is selected in the window, as a place.
    [[nodiscard]] PlaceId selected() const;

  Q_SIGNALS:
    void indexChanged();

  private:
    void refresh();

    MainWindow& m_window;
    std::shared_ptr<const NodeIndex> m_index;
    std::array<std::shared_ptr<const GraphTree>, 2> m_trees; ///< of the index, or of the one being made
    std::optional<PlaceId> m_pending;                        ///< gone to again once what is around it is open
    LatestJob m_job;
};

} // namespace lemmascope
