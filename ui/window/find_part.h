#pragma once

#include "ui/views/node_query.h"

#include <QObject>

#include <cstdint>
#include <optional>
#include <vector>

class QAction;

namespace lemmascope {

class FindBar;
class MainWindow;
class PlacesPart;

/// Find: a bar over the canvases, hits of both graphs marked there and on the overviews, and the way from one to the next.
class FindPart : public QObject {
    Q_OBJECT

  public:
    FindPart(MainWindow& window, PlacesPart& places);

    void open();
    void close();
    /// Goes to the hit after (or before) what is selected, round the end.
    void step(bool backwards);
    void stepAnywhere(bool backwards); ///< in programs where they are open
    void search(const QString& text);
    [[nodiscard]] bool isOpen() const;
    [[nodiscard]] FindBar* bar() const { return m_bar; }
    /// Entries of the index.
    [[nodiscard]] const std::vector<std::uint32_t>& hits() const { return m_hits; }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void refresh();
    void tell();
    void mark();
    [[nodiscard]] std::optional<std::size_t> currentHit() const;

    MainWindow& m_window;
    PlacesPart& m_places;
    FindBar* m_bar;
    QAction* m_nextAction;
    QAction* m_previousAction;
    NodeQuery m_query;
    std::vector<std::uint32_t> m_hits;
    QString m_trouble;
    bool m_leftOut = false; ///< the hit gone to is not in the region shown
};

} // namespace lemmascope
