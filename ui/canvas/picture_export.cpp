#include "ui/canvas/picture_export.h"

#include "ui/canvas/role_paint.h"

#include <QBuffer>
#include <QFileInfo>
#include <QFontInfo>
#include <QFontMetricsF>
#include <QImage>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>

#include <algorithm>
#include <array>
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

constexpr double SheetMargin = 12.0; ///< around heading and legend
constexpr double LeastWidth = 420.0; ///< of a sheet with words, so that they break into few lines

constexpr double ChipMargin = 2.0; ///< its border
constexpr int TextFlags = static_cast<int>(Qt::AlignLeft | Qt::AlignTop) | static_cast<int>(Qt::TextWordWrap) | static_cast<int>(Qt::TextDontClip);

/// Points are a length of the device, which a painter that is scaled up to the device would enlarge once more; pixels are units of
/// the painter. Hinted widths would differ between devices.
QFont inSceneUnits(QFont font) {
    font.setPixelSize(std::max(1, QFontInfo(font).pixelSize()));
    font.setHintingPreference(QFont::PreferNoHinting);
    return font;
}

/// Chips are wider than what they belong to: an area that holds the item whole holds its chips whole.
QRectF withChips(const QRectF& area, const std::vector<ScenePainter::PlacedChip>& chips, const ResolvedOverlay& overlay, const GraphScene& scene) {
    QRectF all = area;
    for (std::size_t i = 0; i < chips.size(); ++i) {
        if (area.contains(scene.boxes[overlay.chips[i].item])) {
            all |= chips[i].box.adjusted(-ChipMargin, -ChipMargin, ChipMargin, ChipMargin);
        }
    }
    return all;
}

QFont boldOf(QFont font) {
    font.setBold(true);
    return font;
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

Result<PictureSheet> PictureSheet::make(std::vector<PicturePart> parts, PictureOptions options) {
    PictureSheet sheet;
    sheet.m_parts = std::move(parts);
    sheet.m_options = std::move(options);
    sheet.m_options.font = inSceneUnits(sheet.m_options.font);
    ScenePainter measure;
    const QFontMetricsF metrics(sheet.m_options.font);
    const bool captions = std::any_of(sheet.m_parts.begin(), sheet.m_parts.end(), [](const PicturePart& part) { return !part.caption.isEmpty(); });
    const double captionHeight = captions ? metrics.height() * 1.6 : 0.0;
    double x = 0.0;
    double height = 0.0;
    std::size_t items = 0;
    std::array<bool, RoleCount> seen{};
    for (std::size_t i = 0; i < sheet.m_parts.size(); ++i) {
        const PicturePart& part = sheet.m_parts[i];
        if (part.scene == nullptr) {
            continue;
        }
        QRectF area = part.area.value_or(part.scene->bounds).intersected(part.scene->bounds);
        if (area.isEmpty()) {
            continue;
        }
        const ResolvedOverlay overlay = resolve(part.overlay, *part.scene);
        area = withChips(area, measure.placedChips(*part.scene, overlay, sheet.m_options.font), overlay, *part.scene);
        sheet.m_placed.push_back(
            {i, area, QRectF(QPointF(x, captionHeight), area.size()), QRectF(x + 8.0, 0.0, std::max(0.0, area.width() - 16.0), captionHeight)});
        x += area.width() + Gap;
        height = std::max(height, area.height());
        for (const std::uint32_t item : part.scene->itemsIn(area)) {
            ++items;
            seen[static_cast<std::size_t>(item < overlay.roles.size() ? overlay.roles[item] : Role::Plain)] = true;
        }
    }
    if (sheet.m_placed.empty()) {
        return fail(ErrorCode::BadData, "there is nothing to draw: no graph, or an area outside it");
    }
    if (items > MostItems) {
        return fail(ErrorCode::TooLarge,
                    "a picture of " + std::to_string(items) + " nodes and values is too large; choose what is in view, or the focus region");
    }
    for (std::size_t role = 1; role < RoleCount; ++role) {
        if (seen[role]) {
            sheet.m_roles.push_back(static_cast<Role>(role));
        }
    }
    double width = x - Gap;
    const bool legend = sheet.m_options.legend && !sheet.m_roles.empty();
    if (!sheet.m_options.heading.isEmpty() || legend) {
        width = std::max(width, LeastWidth);
    }
    double top = 0.0;
    if (!sheet.m_options.heading.isEmpty()) {
        const double room = width - 2.0 * SheetMargin;
        double used = 0.0;
        for (qsizetype i = 0; i < sheet.m_options.heading.size(); ++i) {
            const QFontMetricsF lineMetrics(i == 0 ? boldOf(sheet.m_options.font) : sheet.m_options.font);
            used += lineMetrics.boundingRect(QRectF(0, 0, room, 1e6), TextFlags, sheet.m_options.heading[i]).height() + 2.0;
        }
        sheet.m_headingBox = QRectF(SheetMargin, SheetMargin, room, used);
        top = used + 2.0 * SheetMargin;
    }
    for (Placed& placed : sheet.m_placed) {
        placed.target.translate(0.0, top);
        placed.caption.translate(0.0, top);
    }
    double bottom = top + captionHeight + height;
    if (legend) {
        const double room = width - 2.0 * SheetMargin;
        sheet.m_legendBox = QRectF(SheetMargin, bottom + SheetMargin, room, sheet.layOutLegend(nullptr, room));
        bottom = sheet.m_legendBox.bottom() + SheetMargin;
    }
    sheet.m_size = QSizeF(width, bottom);
    return sheet;
}

double PictureSheet::scaleIn(PictureFormat format) const {
    const double longest = std::max(m_size.width(), m_size.height());
    switch (format) {
    case PictureFormat::Png: return std::min({m_options.scale, LargestSide / longest, std::sqrt(LargestPixels / (m_size.width() * m_size.height()))});
    case PictureFormat::Pdf: return std::min(m_options.scale, LargestPage / (longest * PointsPerInch / ScreenResolution));
    case PictureFormat::Svg: break;
    }
    return m_options.scale;
}

void PictureSheet::paint(QPainter& painter, double scale, const QRectF& area) const {
    const QRectF wanted = area.isEmpty() ? QRectF(QPointF(), m_size) : area.intersected(QRectF(QPointF(), m_size));
    painter.fillRect(QRectF(QPointF(), wanted.size() * scale), m_options.theme.background);
    ScenePainter scenePainter;
    for (const Placed& placed : m_placed) {
        const PicturePart& part = m_parts[placed.part];
        const QRectF target = placed.target.intersected(wanted);
        if (!target.isEmpty()) {
            PaintOptions paintOptions;
            paintOptions.edgeLabels = m_options.edgeLabels;
            paintOptions.font = m_options.font;
            paintOptions.detail = LevelOfDetail::full();
            const QRectF inScene(placed.area.topLeft() + (target.topLeft() - placed.target.topLeft()), target.size());
            paintOptions.detail.smallText = part.scene->itemsIn(inScene).size() <= MostWithSmallText;
            scenePainter.paint(painter, QRectF((target.topLeft() - wanted.topLeft()) * scale, target.size() * scale), inScene, *part.scene,
                               resolve(part.overlay, *part.scene), m_options.theme, paintOptions);
        }
    }
    painter.save();
    painter.scale(scale, scale);
    painter.translate(-wanted.topLeft());
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setRenderHint(QPainter::TextAntialiasing);
    const QFont bold = boldOf(m_options.font);
    painter.setFont(bold);
    painter.setPen(m_options.theme.text);
    for (const Placed& placed : m_placed) {
        const QString& caption = m_parts[placed.part].caption;
        if (!caption.isEmpty() && placed.caption.intersects(wanted)) {
            painter.drawText(placed.caption, static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter) | Qt::TextSingleLine,
                             QFontMetricsF(bold).elidedText(caption, Qt::ElideMiddle, placed.caption.width()));
        }
    }
    if (!m_headingBox.isEmpty() && m_headingBox.intersects(wanted)) {
        paintHeading(painter);
    }
    if (!m_legendBox.isEmpty() && m_legendBox.intersects(wanted)) {
        painter.translate(m_legendBox.topLeft());
        layOutLegend(&painter, m_legendBox.width());
    }
    painter.restore();
}

void PictureSheet::paintHeading(QPainter& painter) const {
    double y = m_headingBox.top();
    for (qsizetype i = 0; i < m_options.heading.size(); ++i) {
        painter.setFont(i == 0 ? boldOf(m_options.font) : m_options.font);
        painter.setPen(m_options.theme.text);
        const QFontMetricsF metrics(i == 0 ? boldOf(m_options.font) : m_options.font);
        const double height = metrics.boundingRect(QRectF(0, 0, m_headingBox.width(), 1e6), TextFlags, m_options.heading[i]).height();
        painter.drawText(QRectF(m_headingBox.left(), y, m_headingBox.width(), height), TextFlags, m_options.heading[i]);
        y += height + 2.0;
    }
}

double PictureSheet::layOutLegend(QPainter* painter, double width) const {
    const QFontMetricsF metrics(m_options.font);
    const double swatchHeight = std::max(18.0, metrics.height() + 4.0);
    const double swatchWidth = swatchHeight * 1.9;
    const double line = swatchHeight + 8.0;
    double x = 0.0;
    double y = 0.0;
    for (const Role role : m_roles) {
        const QString text = roleText(role);
        const double wide = swatchWidth + 6.0 + metrics.horizontalAdvance(text) + 18.0;
        if (x > 0.0 && x + wide > width) {
            x = 0.0;
            y += line;
        }
        if (painter != nullptr) {
            paintRoleSwatch(*painter, QRectF(x, y + 2.0, swatchWidth, swatchHeight), role, m_options.theme, m_options.font);
            painter->setFont(m_options.font);
            painter->setPen(m_options.theme.text);
            painter->drawText(QRectF(x + swatchWidth + 6.0, y, wide, line - 4.0), static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter), text);
        }
        x += wide;
    }
    return y + line;
}

Result<QImage> pictureImage(const PictureSheet& sheet) {
    const double scale = sheet.scaleIn(PictureFormat::Png);
    QImage image((sheet.size() * scale).toSize().expandedTo(QSize(1, 1)), QImage::Format_RGB32);
    if (image.isNull()) {
        return fail(ErrorCode::TooLarge, "the picture does not fit into memory; export a region, or as SVG");
    }
    image.fill(sheet.options().theme.background);
    QPainter painter(&image);
    sheet.paint(painter, scale);
    painter.end();
    return image;
}

namespace {

Result<QByteArray> png(const PictureSheet& sheet) {
    Result<QImage> image = pictureImage(sheet);
    if (!image) {
        return tl::unexpected(image.error());
    }
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    if (!image->save(&buffer, "PNG")) {
        return fail(ErrorCode::Internal, "the picture could not be encoded as PNG");
    }
    return buffer.data();
}

Result<QByteArray> svg(const PictureSheet& sheet) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(static_cast<int>(ScreenResolution));
    const double scale = sheet.scaleIn(PictureFormat::Svg);
    const QSizeF size = sheet.size() * scale;
    generator.setSize(QSize(static_cast<int>(std::ceil(size.width())), static_cast<int>(std::ceil(size.height()))));
    generator.setViewBox(QRectF(QPointF(), size));
    generator.setTitle(sheet.options().title.toHtmlEscaped()); // the generator writes both as they are
    generator.setDescription(sheet.options().heading.join(u'\n').toHtmlEscaped());
    QPainter painter;
    if (!painter.begin(&generator)) {
        return fail(ErrorCode::Internal, "the picture could not be encoded as SVG");
    }
    sheet.paint(painter, scale);
    painter.end();
    return buffer.data();
}

Result<QByteArray> pdf(const PictureSheet& sheet) {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    const double scale = sheet.scaleIn(PictureFormat::Pdf);
    QPdfWriter writer(&buffer);
    writer.setResolution(PdfResolution);
    writer.setTitle(sheet.options().title);
    writer.setCreator(QStringLiteral("Lemmascope"));
    writer.setPageSize(QPageSize(sheet.size() * (scale * PointsPerInch / ScreenResolution), QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    QPainter painter;
    if (!painter.begin(&writer)) {
        return fail(ErrorCode::Internal, "the picture could not be encoded as PDF");
    }
    painter.scale(PdfResolution / ScreenResolution, PdfResolution / ScreenResolution);
    sheet.paint(painter, scale);
    painter.end();
    return buffer.data();
}

} // namespace

Result<QByteArray> pictureBytes(PictureFormat format, const PictureSheet& sheet) {
    switch (format) {
    case PictureFormat::Png: return png(sheet);
    case PictureFormat::Svg: return svg(sheet);
    case PictureFormat::Pdf: return pdf(sheet);
    }
    return fail(ErrorCode::Internal, "unknown picture format");
}

Result<QByteArray> pictureBytes(PictureFormat format, const std::vector<PicturePart>& parts, const PictureOptions& options) {
    const Result<PictureSheet> sheet = PictureSheet::make(parts, options);
    if (!sheet) {
        return tl::unexpected(sheet.error());
    }
    return pictureBytes(format, *sheet);
}

Result<void> savePicture(const QString& path, const std::vector<PicturePart>& parts, const PictureOptions& options, std::stop_token stop) {
    const std::optional<PictureFormat> format = pictureFormatOf(path);
    if (!format) {
        return fail(ErrorCode::Usage, "the name of a picture must end in .png, .svg or .pdf", path.toStdString());
    }
    const Result<QByteArray> bytes = pictureBytes(*format, parts, options);
    if (!bytes) {
        return tl::unexpected(bytes.error());
    }
    if (stop.stop_requested()) {
        return fail(ErrorCode::Cancelled, "cancelled");
    }
    QSaveFile file(path); // takes the name only once all is written
    if (!file.open(QIODevice::WriteOnly) || file.write(*bytes) != bytes->size() || !file.commit()) {
        return fail(ErrorCode::NotFound, "cannot write the picture: " + file.errorString().toStdString(), path.toStdString());
    }
    return {};
}

} // namespace lemmascope
