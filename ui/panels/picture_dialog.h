#pragma once

#include "ui/canvas/picture_export.h"

#include <QDialog>

#include <functional>

class QCheckBox;
class QComboBox;
class QDialogButtonBox;
class QDoubleSpinBox;
class QLabel;
class QPushButton;

namespace lemmascope {

enum class PictureArea { Whole, Focus, View };
enum class PictureColours { Light, Dark, Monochrome };

/// What a reader wants of a picture.
struct PictureChoice {
    PictureFormat format = PictureFormat::Svg;
    PictureArea area = PictureArea::Whole;
    PictureColours colours = PictureColours::Light;
    bool reference = true;
    bool rewritten = true;
    double scale = 2.0; ///< of a PNG
    bool heading = true;
    bool legend = true;
    bool tiled = false; ///< in print: at 100 % over several pages
};

/// Asks for a picture's format, region and looks. Tells what will come of it before it is made.
class PictureDialog : public QDialog {
    Q_OBJECT

  public:
    enum class Purpose { Export, Print };
    /// In words, what a choice gives: `2,400 × 1,300 pixels`; or why it gives nothing, in which case nothing can be accepted.
    using Preview = std::function<Result<QString>(const PictureChoice&)>;

    PictureDialog(Purpose purpose, const PictureChoice& choice, Preview preview, QWidget* parent = nullptr);
    [[nodiscard]] PictureChoice choice() const;
    /// Print: the preview was asked for.
    [[nodiscard]] bool wantsPreview() const { return m_wantsPreview; }

  private:
    void update();

    Purpose m_purpose;
    Preview m_preview;
    QComboBox* m_format;
    QComboBox* m_area;
    QComboBox* m_sides;
    QComboBox* m_colours;
    QComboBox* m_pages;
    QDoubleSpinBox* m_scale;
    QCheckBox* m_heading;
    QCheckBox* m_legend;
    QLabel* m_told;
    QDialogButtonBox* m_buttons;
    QPushButton* m_accept = nullptr;
    QPushButton* m_previewButton = nullptr;
    bool m_wantsPreview = false;
};

} // namespace lemmascope
