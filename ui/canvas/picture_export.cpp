#include "ui/canvas/picture_export.h"

#include <QBuffer>
#include <QFileInfo>
#include <QFontMetricsF>
#include <QImage>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr double Gap = 24.0;
constexpr double LargestPixels = 32e6;   ///< of a PNG: 128 MB, as much as Qt itself reads back
constexpr double LargestSide = 16'384.0; ///< of a PNG
constexpr double LargestPage = 14'000.0; ///< of a PDF, in points: readers stop at 200 inches
constexpr int PdfResolution = 600;
constexpr double ScreenResolution = 96.0;
constexpr double PointsPerInch = 72.0;
constexpr std::size_t MostWithSmallText = 20'000; ///< items; past it a vector file would only grow

struct PlacedPart {
    const PicturePart* part = nullptr;
    QRectF area;
    QRectF target;
    QRectF caption;
};

struct Composition {
    std::vector<PlacedPart> parts;
    QSizeF size;
    double captionHeight = 0.0;
};

/// Parts side by side, in scene units, tops level.
Result<Composition> compose(const std::vector<PicturePart>& parts, const PictureOptions& options) {
    Composition picture;
    const double line = QFontMetricsF(options.font).height();
    const bool captions = std::any_of(parts.begin(), parts.end(), [](const PicturePart& part) { return !part.caption.isEmpty(); });
    picture.captionHeight = captions ? line * 1.6 : 0.0;
    double x = 0.0;
    double height = 0.0;
    for (const PicturePart& part : parts) {
        if (part.scene == nullptr) {
            continue;
        }
        const QRectF area = part.area.value_or(part.scene->bounds).intersected(part.scene->bounds);
        if (area.isEmpty()) {
            continue;
        }
        PlacedPart placed;
        placed.part = &part;
        placed.area = area;
        placed.target = QRectF(QPointF(x, picture.captionHeight), area.size());
        placed.caption = QRectF(x + 8.0, 0.0, std::max(0.0, area.width() - 16.0), picture.captionHeight);
        picture.parts.push_back(placed);
        x += area.width() + Gap;
        height = std::max(height, area.height());
    }
    if (picture.parts.empty()) {
        return fail(ErrorCode::BadData, "there is nothing to draw: no graph, or an area outside it");
    }
    picture.size = QSizeF(x - Gap, height + picture.captionHeight);
    return picture;
}

void paintAll(QPainter& painter, const Composition& picture, const PictureOptions& options, double scale) {
    painter.fillRect(QRectF(QPointF(), picture.size * scale), options.theme.background);
    ScenePainter scenePainter;
    for (const PlacedPart& placed : picture.parts) {
        const GraphScene& scene = *placed.part->scene;
        PaintOptions paint;
        paint.edgeLabels = options.edgeLabels;
        paint.font = options.font;
        paint.detail = LevelOfDetail::full();
        paint.detail.smallText = scene.itemsIn(placed.area).size() <= MostWithSmallText;
        const QRectF target(placed.target.topLeft() * scale, placed.target.size() * scale);
        scenePainter.paint(painter, target, placed.area, scene, resolve(placed.part->overlay, scene), options.theme, paint);
        if (!placed.part->caption.isEmpty()) {
            painter.save();
            painter.scale(scale, scale);
            QFont font = options.font;
            font.setBold(true);
            painter.setFont(font);
            painter.setPen(options.theme.text);
            const QString caption = QFontMetricsF(font).elidedText(placed.part->caption, Qt::ElideMiddle, placed.caption.width());
            painter.drawText(placed.caption, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine, caption);
            painter.restore();
        }
    }
}

Result<QByteArray> png(const Composition& picture, const PictureOptions& options) {
    double scale = std::min(options.scale, LargestSide / std::max(picture.size.width(), picture.size.height()));
    scale = std::min(scale, std::sqrt(LargestPixels / (picture.size.width() * picture.size.height())));
    const QSize size((picture.size * scale).toSize().expandedTo(QSize(1, 1)));
    QImage image(size, QImage::Format_RGB32);
    if (image.isNull()) {
        return fail(ErrorCode::TooLarge, "the picture does not fit into memory; export a region, or as SVG");
    }
    image.fill(options.theme.background);
    {
        QPainter painter(&image);
        paintAll(painter, picture, options, scale);
    }
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!image.save(&buffer, "PNG")) {
        return fail(ErrorCode::Internal, "the picture could not be encoded as PNG");
    }
    return buffer.data();
}

Result<QByteArray> svg(const Composition& picture, const PictureOptions& options) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(static_cast<int>(ScreenResolution));
    const QSizeF size = picture.size * options.scale;
    generator.setSize(QSize(static_cast<int>(std::ceil(size.width())), static_cast<int>(std::ceil(size.height()))));
    generator.setViewBox(QRectF(QPointF(), size));
    generator.setTitle(options.title.toHtmlEscaped()); // the generator writes it as it is
    QPainter painter;
    if (!painter.begin(&generator)) {
        return fail(ErrorCode::Internal, "the picture could not be encoded as SVG");
    }
    paintAll(painter, picture, options, options.scale);
    painter.end();
    return buffer.data();
}

Result<QByteArray> pdf(const Composition& picture, const PictureOptions& options) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    const double toPoints = PointsPerInch / ScreenResolution;
    const double scale = std::min(options.scale, LargestPage / (std::max(picture.size.width(), picture.size.height()) * toPoints));
    QPdfWriter writer(&buffer);
    writer.setResolution(PdfResolution);
    writer.setTitle(options.title);
    writer.setCreator(QStringLiteral("Lemmascope"));
    writer.setPageSize(QPageSize(picture.size * (scale * toPoints), QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    QPainter painter;
    if (!painter.begin(&writer)) {
        return fail(ErrorCode::Internal, "the picture could not be encoded as PDF");
    }
    painter.scale(PdfResolution / ScreenResolution, PdfResolution / ScreenResolution);
    paintAll(painter, picture, options, scale);
    painter.end();
    return buffer.data();
}

} // namespace

std::optional<PictureFormat> pictureFormatOf(const QString& path) {
    const QString suffix = QFileInfo(path).suffix().toLower();
    if (suffix == QLatin1String("png")) {
        return PictureFormat::Png;
    }
    if (suffix == QLatin1String("svg")) {
        return PictureFormat::Svg;
    }
    if (suffix == QLatin1String("pdf")) {
        return PictureFormat::Pdf;
    }
    return {};
}

Result<QByteArray> pictureBytes(PictureFormat format, const std::vector<PicturePart>& parts, const PictureOptions& options) {
    const Result<Composition> picture = compose(parts, options);
    if (!picture) {
        return tl::unexpected(picture.error());
    }
    switch (format) {
    case PictureFormat::Png: return png(*picture, options);
    case PictureFormat::Svg: return svg(*picture, options);
    case PictureFormat::Pdf: return pdf(*picture, options);
    }
    return fail(ErrorCode::Internal, "unknown picture format");
}

Result<void> savePicture(const QString& path, const std::vector<PicturePart>& parts, const PictureOptions& options) {
    const std::optional<PictureFormat> format = pictureFormatOf(path);
    if (!format) {
        return fail(ErrorCode::Usage, "the name of a picture must end in .png, .svg or .pdf", path.toStdString());
    }
    const Result<QByteArray> bytes = pictureBytes(*format, parts, options);
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    QSaveFile file(path);
    if (!file.open(QIODevice::WriteOnly) || file.write(*bytes) != bytes->size() || !file.commit()) {
        return fail(ErrorCode::NotFound, "cannot write the picture: " + file.errorString().toStdString(), path.toStdString());
    }
    return {};
}

} // namespace lemmascope
