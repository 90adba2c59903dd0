#pragma once

#include "core/graph/groups.h"
#include "core/prove/check_result.h"

#include <QObject>

#include <cstdint>
#include <optional>
#include <string>

class QAction;
class QActionGroup;
class QMenu;

namespace lemmascope {

class MainWindow;

/// Groups of nodes: View > Groups chooses how nodes are put together and opens or closes all of them; a group opens and closes on
/// the canvas. Whoever goes to a node or lemma in a closed group finds it open. After a reload the node that was selected is
/// selected again.
class GroupsPart : public QObject {
    Q_OBJECT

  public:
    explicit GroupsPart(MainWindow& window);

    [[nodiscard]] QMenu* menu() const { return m_menu; }
    /// Opens (or closes) what is selected: a group, or the group around a node.
    void toggleSelected(bool open);

  private:
    void choose(std::optional<Grouping> grouping);
    void groupSelected(Side side, std::uint32_t group);
    void reveal();
    void scenesChanged();
    void rememberSelection();
    void refresh();

    MainWindow& m_window;
    QMenu* m_menu;
    QActionGroup* m_choices;
    QAction* m_open;
    QAction* m_close;
    bool m_goAgain = false; ///< once the scenes with the open group are there
    Side m_keptSide = Side::Reference;
    std::string m_kept; ///< name of the node that was selected before the reload; empty: none
};

} // namespace lemmascope
