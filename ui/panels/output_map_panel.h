#pragma once

#include "ui/jobs/program_session.h"

#include <QWidget>

#include <array>
#include <memory>

class QComboBox;
class QLabel;
class QListWidget;
class QSpinBox;
class QSplitter;
class QToolButton;

namespace lemmascope {

class CellMapView;
class GraphCanvas;

/// Each compared output as a map of its cells, and of the chosen cell both expressions and the ops that wrote it.
class OutputMapPanel : public QWidget {
    Q_OBJECT

  public:
    explicit OutputMapPanel(ProgramSession* session, QWidget* parent = nullptr);

    [[nodiscard]] CellMapView* map() const { return m_map; }
    [[nodiscard]] QListWidget* families() const { return m_families; }
    [[nodiscard]] QListWidget* writers() const { return m_writers; }
    [[nodiscard]] GraphCanvas* canvas(Side side) const { return m_canvases[static_cast<std::size_t>(side)]; }
    [[nodiscard]] QString expression(Side side) const;
    [[nodiscard]] QString summary() const;
    /// To the next cell that is not shown to be equal; the next output's, past the last.
    void goToNext(bool backwards);

  Q_SIGNALS:
    void lineChosen(lemmascope::Side side, int line);

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void refresh(); ///< another comparison
    void showOutput(int output);
    void showSlice(std::uint64_t slice);
    void showStory();
    void choose(std::uint64_t cell);
    [[nodiscard]] std::shared_ptr<const OutputMap> current() const;
    [[nodiscard]] QString emptyText() const;

    ProgramSession* m_session;
    QComboBox* m_outputs;
    QLabel* m_sliceLabel;
    QSpinBox* m_slice;
    QToolButton* m_previous;
    QToolButton* m_next;
    QLabel* m_summary;
    CellMapView* m_map;
    QListWidget* m_families;
    QListWidget* m_writers;
    QLabel* m_cell;
    std::array<QLabel*, 2> m_texts{};
    std::array<GraphCanvas*, 2> m_canvases{};
    std::shared_ptr<const ComparedPrograms> m_shown;
};

} // namespace lemmascope
