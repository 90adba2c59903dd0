#pragma once

#include "core/base/result.h"
#include "ui/canvas/graph_scene.h"
#include "ui/canvas/palette.h"
#include "ui/canvas/scene_overlay.h"
#include "ui/canvas/scene_painter.h"

#include <QByteArray>
#include <QFont>
#include <QImage>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <QStringList>

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

namespace lemmascope {

enum class PictureFormat : std::uint8_t { Png, Svg, Pdf };

/// One drawing of a picture; several stand side by side.
struct PicturePart {
    std::shared_ptr<const GraphScene> scene;
    SceneOverlay overlay;
    std::optional<QRectF> area; ///< in scene coordinates; absent: the whole scene
    QString caption;            ///< above it; empty: none
};

struct PictureOptions {
    CanvasTheme theme = CanvasTheme::lightTheme();
    QFont font;
    EdgeLabels edgeLabels = EdgeLabels::Types;
    double scale = 1.0;  ///< pixels per scene unit wanted; made smaller where the format cannot be so large
    QString title;       ///< written into SVG and PDF; their reader's window shows it
    QStringList heading; ///< lines above the drawings, the first bold: names and the verdict
    bool legend = false; ///< below them: the roles that occur, with glyph, border and word
};

/// Drawings placed next to each other with what stands above and below them: a picture before it has a device. In scene units.
class PictureSheet {
  public:
    /// Fails with BadData when there is nothing to draw, TooLarge past MostItems.
    [[nodiscard]] static Result<PictureSheet> make(std::vector<PicturePart> parts, PictureOptions options);
    static constexpr std::size_t MostItems = 300'000;

    [[nodiscard]] QSizeF size() const { return m_size; }
    /// Roles of the items that are drawn, Plain left out.
    [[nodiscard]] std::vector<Role> roles() const { return m_roles; }
    /// The scale that a format takes of the one wanted: less than asked for is told to the reader.
    [[nodiscard]] double scaleIn(PictureFormat format) const;
    /// Paints `area` of the sheet (empty: all) with its top left at the painter's origin. Only what lies there is looked at.
    void paint(QPainter& painter, double scale, const QRectF& area = {}) const;
    [[nodiscard]] const PictureOptions& options() const { return m_options; }

  private:
    struct Placed {
        std::size_t part = 0;
        QRectF area;
        QRectF target;
        QRectF caption;
    };
    void paintHeading(QPainter& painter) const;
    /// Height of the legend at a width; draws it where there is a painter.
    double layOutLegend(QPainter* painter, double width) const;

    std::vector<PicturePart> m_parts;
    PictureOptions m_options;
    std::vector<Placed> m_placed;
    std::vector<Role> m_roles;
    QRectF m_headingBox;
    QRectF m_legendBox;
    QSizeF m_size;
};

/// By the file's suffix; nothing for an unknown one.
[[nodiscard]] std::optional<PictureFormat> pictureFormatOf(const QString& path);
/// The picture as the bytes of a file, painted by the same routine as the screen. May run in any thread.
/// Fails with BadData when there is nothing to draw.
[[nodiscard]] Result<QByteArray> pictureBytes(PictureFormat format, const std::vector<PicturePart>& parts, const PictureOptions& options);
[[nodiscard]] Result<QByteArray> pictureBytes(PictureFormat format, const PictureSheet& sheet);
/// The sheet as an image, as large as a PNG may be.
[[nodiscard]] Result<QImage> pictureImage(const PictureSheet& sheet);
/// Writes it, replacing a file only when all is written. Fails also with Usage (unknown suffix) and NotFound (cannot be written).
/// Fails with Cancelled when stopped before the last byte: then nothing is left behind.
[[nodiscard]] Result<void> savePicture(const QString& path, const std::vector<PicturePart>& parts, const PictureOptions& options,
                                       std::stop_token stop = {});

} // namespace lemmascope
