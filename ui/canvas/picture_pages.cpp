#include "ui/canvas/picture_pages.h"

#include <QCoreApplication>
#include <QPagedPaintDevice>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr double UnitsPerInch = 96.0;
constexpr double LargestFit = 1.5; ///< a small picture is not blown up to fill its page
constexpr double FooterInches = 0.25;

} // namespace

Result<PagePlan> planPages(const PictureSheet& sheet, QSizeF page, double dotsPerInch, bool tiled) {
    PagePlan plan;
    plan.tiled = tiled;
    const double full = dotsPerInch / UnitsPerInch;
    const QSizeF room(page.width(), page.height() - FooterInches * dotsPerInch);
    if (room.width() < 1.0 || room.height() < 1.0) {
        return fail(ErrorCode::Usage, "the page has no room inside its margins");
    }
    if (!tiled) {
        plan.scale = std::min({room.width() / sheet.size().width(), room.height() / sheet.size().height(), LargestFit * full});
        return plan;
    }
    plan.scale = full;
    const double columns = std::ceil(sheet.size().width() * full / room.width());
    const double rows = std::ceil(sheet.size().height() * full / room.height());
    if (columns * rows > MostPages) {
        return fail(ErrorCode::TooLarge, "at 100 % the picture takes " + std::to_string(static_cast<long long>(columns * rows)) +
                                             " pages, more than " + std::to_string(MostPages) + "; print it on one page, or a region of it");
    }
    plan.columns = std::max(1, static_cast<int>(columns));
    plan.rows = std::max(1, static_cast<int>(rows));
    return plan;
}

Result<PagePlan> paintPages(QPagedPaintDevice& device, const PictureSheet& sheet, bool tiled) {
    const double dotsPerInch = device.logicalDpiX();
    const Result<PagePlan> plan = planPages(sheet, QSizeF(device.width(), device.height()), dotsPerInch, tiled);
    if (!plan) {
        return plan;
    }
    QPainter painter;
    if (!painter.begin(&device)) {
        return fail(ErrorCode::Internal, "the pages cannot be painted");
    }
    const double footer = FooterInches * dotsPerInch;
    const QSizeF tile(device.width() / plan->scale, (device.height() - footer) / plan->scale);
    QFont small = sheet.options().font;
    small.setPointSizeF(8.0);
    for (int row = 0; row < plan->rows; ++row) {
        for (int column = 0; column < plan->columns; ++column) {
            if ((row > 0 || column > 0) && !device.newPage()) {
                return fail(ErrorCode::Internal, "a new page cannot be begun");
            }
            const QRectF area(QPointF(column * tile.width(), row * tile.height()), tile);
            painter.save();
            painter.setClipRect(QRectF(0, 0, device.width(), device.height() - footer));
            sheet.paint(painter, plan->scale, plan->tiled ? area : QRectF());
            painter.restore();
            painter.setFont(small);
            painter.setPen(Qt::black);
            QString text = sheet.options().title;
            if (plan->pages() > 1) {
                text = QCoreApplication::translate("PicturePages", "%1: row %2 of %3, column %4 of %5")
                           .arg(text)
                           .arg(row + 1)
                           .arg(plan->rows)
                           .arg(column + 1)
                           .arg(plan->columns);
            }
            const QRectF line(0, device.height() - footer, device.width(), footer);
            painter.drawText(line, static_cast<int>(Qt::AlignLeft | Qt::AlignBottom),
                             QFontMetricsF(small, &device).elidedText(text, Qt::ElideMiddle, line.width()));
        }
    }
    painter.end();
    return plan;
}

} // namespace lemmascope
