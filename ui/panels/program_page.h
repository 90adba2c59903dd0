#pragma once

#include "core/report/cell_story.h"
#include "ui/panels/program_text_view.h"

#include <QWidget>

#include <array>
#include <memory>
#include <vector>

class QLabel;

namespace lemmascope {

class FindBar;
class ProgramSettingsBar;

/// Both programs as text side by side, under a line of how they are checked, and one to search them or to go to a line.
class ProgramPage : public QWidget {
    Q_OBJECT

  public:
    explicit ProgramPage(QWidget* parent = nullptr);

    void setPair(const ProgramPair& pair);
    void setMarks(const std::shared_ptr<const ProgramDiff>& diff);
    [[nodiscard]] ProgramTextView* view(Side side) const { return m_views[static_cast<std::size_t>(side)]; }
    /// The side that has the focus, or had it last.
    [[nodiscard]] Side activeSide() const { return m_active; }
    void setLocked(bool on) { m_locked = on; } ///< scrolling one side takes the other along

    /// Text in both programs, upper and lower case alike; `:120` goes to that line of the active side.
    void find(bool line);
    void findNext(bool backwards);
    void closeFind();
    [[nodiscard]] FindBar* bar() const { return m_bar; }
    [[nodiscard]] ProgramSettingsBar* settings() const { return m_settings; }
    void goToDifference(bool backwards);
    void goToLine(Side side, int line);

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    struct Hit {
        Side side = Side::Reference;
        int line = 0;
        int column = 0;
    };
    void search(const QString& text);
    void tell();
    void follow(Side side);

    FindBar* m_bar;
    ProgramSettingsBar* m_settings;
    std::array<ProgramTextView*, 2> m_views{};
    std::array<QLabel*, 2> m_files{};
    std::array<QLabel*, 2> m_counts{};
    std::array<QStringList, 2> m_lines;
    std::vector<Hit> m_hits;
    std::size_t m_hit = 0;
    bool m_reached = false; ///< a hit was gone to
    int m_length = 0;
    Side m_active = Side::Reference;
    bool m_locked = true;
    bool m_following = false;
};

} // namespace lemmascope
