#pragma once

#include "core/report/tensor_pair.h"
#include "core/report/tensor_scan.h"
#include "ui/jobs/latest_job.h"

#include <QStringList>
#include <QWidget>

#include <array>
#include <optional>

class QAction;
class QComboBox;
class QLabel;
class QSpinBox;
class QSplitter;
class QTableView;
class QToolButton;

namespace lemmascope {

class FlowLayout;
class HeatMapView;
class LongText;
class TensorTableModel;

/// Reads a tensor, or two partners: a table of two of its axes, what differs, a heat map, numbers about the whole. What walks over all
/// elements runs in the background. Which tensors there are is told to it.
class ValuesPanel : public QWidget {
    Q_OBJECT

  public:
    enum class CopyAs { Text, Markdown, Numpy, Json };
    enum class Layout { Both, TwoTables, Reference, Rewritten, Difference, Ulp };

    explicit ValuesPanel(QWidget* parent = nullptr);
    ~ValuesPanel() override;

    /// What can be looked at, and which of it is.
    void setChoices(const QStringList& titles, int current);
    /// Where values are taken from, such as `Counterexample`; hidden where there is no choice.
    void setSources(const QStringList& sources, int current);
    /// `emptyText` stands where there is no tensor, or where one side has none.
    void setTensors(TensorPair tensors, const QString& title, const QString& emptyText);

    [[nodiscard]] const TensorPair& tensors() const;
    [[nodiscard]] QString title() const { return m_title; }
    [[nodiscard]] QString sentence() const; ///< what is shown, what differs, numbers about the whole
    [[nodiscard]] bool isIdle() const;
    void goToElement(std::int64_t flat);
    [[nodiscard]] std::optional<std::int64_t> currentElement() const;
    void goToDifference(bool backwards);
    void setLayout(Layout layout);
    void setStyle(NumberStyle style);
    /// The selected cells, or all elements when one or none is selected. Empty, with a message, when it is too much.
    [[nodiscard]] QString copyText(CopyAs as);
    void copy(CopyAs as);
    /// The tensor that is saved: the one that is shown, of two the rewritten where only that is shown.
    [[nodiscard]] const Tensor* savedTensor() const;

    [[nodiscard]] QTableView* table() const { return m_tables[0]; }
    [[nodiscard]] QTableView* secondTable() const { return m_tables[1]; }
    [[nodiscard]] TensorTableModel* model() const { return m_models[0]; }
    [[nodiscard]] HeatMapView* heatMap() const { return m_heat; }

  Q_SIGNALS:
    void choiceMade(int choice);
    void sourceChosen(int source);
    void saveRequested();
    void told(const QString& message); ///< for the status bar

  private:
    void buildControls(FlowLayout* flow);
    void buildTables();
    void rebuildAxes();
    void axesChosen();
    void pagesChanged();
    void applyLayout();
    void applyFormat();
    void startScan();
    void startHeat();
    void showSentence();
    void fitColumns();
    void currentChanged(const QModelIndex& current, int table);
    [[nodiscard]] CellRange selectedRange() const;

    QString m_title;
    QString m_emptyText;
    QString m_difference;
    std::array<QString, 2> m_statistics;
    QString m_trouble;
    QComboBox* m_choices = nullptr;
    QComboBox* m_sources = nullptr;
    QWidget* m_sourceBox = nullptr;
    QComboBox* m_layout = nullptr;
    QComboBox* m_style = nullptr;
    QSpinBox* m_digits = nullptr;
    QWidget* m_digitsBox = nullptr;
    QComboBox* m_rowAxis = nullptr;
    QComboBox* m_columnAxis = nullptr;
    QWidget* m_axesBox = nullptr;
    QSpinBox* m_rowPage = nullptr;
    QWidget* m_rowPageBox = nullptr;
    QSpinBox* m_columnPage = nullptr;
    QWidget* m_columnPageBox = nullptr;
    QWidget* m_heldBox = nullptr;
    std::vector<std::pair<std::size_t, QSpinBox*>> m_held;
    QAction* m_next = nullptr;
    QAction* m_previous = nullptr;
    QToolButton* m_copy = nullptr;
    QToolButton* m_save = nullptr;
    QToolButton* m_heatButton = nullptr;
    LongText* m_sentence = nullptr;
    QSplitter* m_split = nullptr;
    std::array<QTableView*, 2> m_tables{};
    std::array<TensorTableModel*, 2> m_models{};
    HeatMapView* m_heat = nullptr;
    bool m_filling = false;
    int m_columnWidth = 0;
    std::optional<std::int64_t> m_wanted; ///< an element to go to once the tables show it
    // Last: destroyed first, so that running work ends before what it reports to.
    LatestJob m_scan;
    LatestJob m_pool;
    LatestJob m_find;
};

} // namespace lemmascope
