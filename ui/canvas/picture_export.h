#pragma once

#include "core/base/result.h"
#include "ui/canvas/graph_scene.h"
#include "ui/canvas/palette.h"
#include "ui/canvas/scene_overlay.h"
#include "ui/canvas/scene_painter.h"

#include <QByteArray>
#include <QFont>
#include <QString>

#include <memory>
#include <optional>
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
    double scale = 1.0; ///< pixels per scene unit wanted; made smaller where the format cannot be so large
    QString title;      ///< written into SVG and PDF
};

/// By the file's suffix; nothing for an unknown one.
[[nodiscard]] std::optional<PictureFormat> pictureFormatOf(const QString& path);
/// The picture as the bytes of a file, painted by the same routine as the screen. May run in any thread.
/// Fails with BadData when there is nothing to draw.
[[nodiscard]] Result<QByteArray> pictureBytes(PictureFormat format, const std::vector<PicturePart>& parts, const PictureOptions& options);
/// Writes it, replacing a file only when all is written. Fails also with Usage (unknown suffix) and NotFound (cannot be written).
[[nodiscard]] Result<void> savePicture(const QString& path, const std::vector<PicturePart>& parts, const PictureOptions& options);

} // namespace lemmascope
