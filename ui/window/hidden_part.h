#pragma once

#include <QObject>
#include <QStringList>

class QToolButton;

namespace lemmascope {

class MainWindow;

/// A badge in the status bar whenever something is not shown: how many nodes the focus and closed nodes hide, how many lemmas are folded.
/// One click says what and shows all; Ctrl+Z hides it again.
class HiddenPart : public QObject {
    Q_OBJECT

  public:
    /// Closed nodes that hold more than this together stay closed: opened, they would not be found again.
    static constexpr std::size_t MostOpened = 2'000;

    explicit HiddenPart(MainWindow& window);

    [[nodiscard]] QToolButton* badge() const { return m_badge; }
    /// What is hidden, one sentence each.
    [[nodiscard]] QStringList reasons() const;
    void showAll();

  private:
    struct Hidden {
        std::size_t outside = 0; ///< nodes outside the region shown
        std::size_t inside = 0;  ///< nodes in closed nodes
        std::size_t lemmas = 0;
    };
    [[nodiscard]] Hidden count() const;
    void refresh();

    MainWindow& m_window;
    QToolButton* m_badge;
};

} // namespace lemmascope
