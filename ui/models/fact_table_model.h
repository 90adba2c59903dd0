#pragma once

#include "core/graph/graph_tree.h"

#include <QAbstractTableModel>
#include <QStringList>

#include <vector>

namespace lemmascope {

struct FactRow {
    QStringList cells;
    bool emphasised = false; ///< drawn bold on the failing role's tint; said in `note`, never by colour alone
    QString note;            ///< tool tip and accessible description
    /// The values that the row speaks of, where it speaks of some: what activating it leads to.
    FlatValueId reference = {};
    FlatValueId rewritten = {};
};

/// A table of facts as text: what the inspector and the counterexample show, copy and test.
struct FactTable {
    QStringList headers;
    std::vector<FactRow> rows;
};

/// Columns aligned with spaces, one line per row.
[[nodiscard]] QString toPlainText(const FactTable& table);
/// A GitHub-flavoured Markdown table; bars and line breaks in cells are escaped.
[[nodiscard]] QString toMarkdown(const FactTable& table);

/// Shows a FactTable snapshot.
class FactTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Role { EmphasisRole = Qt::UserRole };

    explicit FactTableModel(QObject* parent = nullptr);

    void setTable(FactTable table);
    [[nodiscard]] const FactTable& table() const { return m_table; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    FactTable m_table;
};

} // namespace lemmascope
