#pragma once

#include "core/base/result.h"
#include "ui/canvas/picture_export.h"

class QPagedPaintDevice;
class QPainter;

namespace lemmascope {

/// How a picture lies on paper.
struct PagePlan {
    bool tiled = false; ///< at 100 % over as many pages as that takes; else on one page, made smaller where it must be
    int columns = 1;
    int rows = 1;
    double scale = 1.0; ///< device pixels per scene unit
    [[nodiscard]] int pages() const { return columns * rows; }
};

inline constexpr int MostPages = 200;

/// For a page of `page` device pixels at `dotsPerInch`. Fails with TooLarge past MostPages.
[[nodiscard]] Result<PagePlan> planPages(const PictureSheet& sheet, QSizeF page, double dotsPerInch, bool tiled);
/// Paints all pages on a printer, a preview or a PDF. Fails as planPages, and with Internal when the device cannot be painted on.
[[nodiscard]] Result<PagePlan> paintPages(QPagedPaintDevice& device, const PictureSheet& sheet, bool tiled);

} // namespace lemmascope
