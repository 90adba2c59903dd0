#pragma once

#include "core/report/program_check.h"

#include <QStringList>
#include <QWidget>

class QCheckBox;
class QComboBox;
class QLineEdit;
class QPushButton;

namespace lemmascope {

/// What a line of sizes says.
struct SizesText {
    ProgramSizes sizes;
    QString wrong; ///< the first entry that is no size; empty: all are
};
/// `n=8, A.1=16`, with commas, semicolons or blanks between.
[[nodiscard]] SizesText readSizes(const QString& text);
[[nodiscard]] QString sizesText(const ProgramSizes& sizes);

/// How a pair of programs is checked: the function to start in, sizes of arguments, whether arguments may alias, and whether
/// digests stand in place of terms. One line above the
/// texts; what is chosen in it counts at once.
class ProgramSettingsBar : public QWidget {
    Q_OBJECT

  public:
    explicit ProgramSettingsBar(QWidget* parent = nullptr);

    /// `functions`: that can be started in. `askable`: arguments that take a size.
    void setChoices(const QStringList& functions, const QStringList& askable);
    void setSettings(const ProgramOptions& options, const ProgramSizes& sizes);
    /// A size that the verdict needs; empty: none.
    void setNeeded(const QString& name);
    /// Puts the cursor where the size that is needed, or any, is typed.
    void editSizes();
    void chooseEntry();

    [[nodiscard]] ProgramOptions options() const;
    [[nodiscard]] QComboBox* entry() const { return m_entry; }
    [[nodiscard]] QLineEdit* sizes() const { return m_sizes; }
    [[nodiscard]] QCheckBox* mayAlias() const { return m_mayAlias; }
    [[nodiscard]] QCheckBox* fingerprint() const { return m_fingerprint; }
    [[nodiscard]] QPushButton* needed() const { return m_needed; }

  Q_SIGNALS:
    void chosen(const lemmascope::ProgramOptions& options, const lemmascope::ProgramSizes& sizes);
    void sizesRefused(const QString& wrong);

  private:
    void choose();

    QComboBox* m_entry;
    QLineEdit* m_sizes;
    QCheckBox* m_mayAlias;
    QCheckBox* m_fingerprint;
    QPushButton* m_needed;
    QString m_neededName;
    QStringList m_functions;
    QString m_said; ///< the sizes that count
};

} // namespace lemmascope
