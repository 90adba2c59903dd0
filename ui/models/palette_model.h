#pragma once

#include <QAbstractListModel>
#include <QString>

#include <cstdint>
#include <vector>

namespace lemmascope {

/// One line of the palette.
struct PaletteEntry {
    enum class Kind : std::uint8_t { Action, Lemma, Place };
    Kind kind = Kind::Action;
    QString title;
    QString detail; ///< the key, the side
    bool enabled = true;
    std::uint32_t id = 0; ///< of the kind; whoever makes the entries knows what it means
    friend bool operator==(const PaletteEntry&, const PaletteEntry&) = default;
};

/// What the palette lists, best first.
class PaletteModel : public QAbstractListModel {
    Q_OBJECT

  public:
    enum Role { DetailRole = Qt::UserRole, EnabledRole };

    using QAbstractListModel::QAbstractListModel;

    void setEntries(std::vector<PaletteEntry> entries);
    [[nodiscard]] const std::vector<PaletteEntry>& entries() const { return m_entries; }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

  private:
    std::vector<PaletteEntry> m_entries;
};

} // namespace lemmascope
