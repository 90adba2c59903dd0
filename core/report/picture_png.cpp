// A small painter: boxes, lines, arrow heads and a bitmap font, then PNG (W3C PNG, second edition) through zlib.
#include "core/report/picture.h"

#include "core/report/glyphs.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace lemmascope {

namespace {

class Painter {
  public:
    Painter(int width, int height)
        : m_width(width), m_height(height), m_pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3U, 255) {}

    void dot(int x, int y, Rgb color) {
        if (x < 0 || y < 0 || x >= m_width || y >= m_height) {
            return;
        }
        std::uint8_t* pixel = &m_pixels[(static_cast<std::size_t>(y) * static_cast<std::size_t>(m_width) + static_cast<std::size_t>(x)) * 3U];
        pixel[0] = static_cast<std::uint8_t>((color >> 16U) & 255U);
        pixel[1] = static_cast<std::uint8_t>((color >> 8U) & 255U);
        pixel[2] = static_cast<std::uint8_t>(color & 255U);
    }

    void fill(int left, int top, int right, int bottom, Rgb color) {
        for (int y = std::max(0, top); y < std::min(m_height, bottom); ++y) {
            for (int x = std::max(0, left); x < std::min(m_width, right); ++x) {
                dot(x, y, color);
            }
        }
    }

    /// One pixel wide (Bresenham); `gap`: length of dashes, 0 for none.
    void line(int x0, int y0, int x1, int y1, Rgb color, int gap, int thick) {
        const int dx = std::abs(x1 - x0);
        const int dy = -std::abs(y1 - y0);
        const int stepX = x0 < x1 ? 1 : -1;
        const int stepY = y0 < y1 ? 1 : -1;
        int error = dx + dy;
        // A line that leaves the picture by far is cut by `dot`; its length is bounded by the picture's own size.
        for (long long steps = 0; steps <= 4LL * (m_width + m_height); ++steps) {
            if (gap == 0 || (steps / gap) % 2 == 0) {
                fill(x0, y0, x0 + thick, y0 + thick, color);
            }
            if (x0 == x1 && y0 == y1) {
                return;
            }
            const int doubled = 2 * error;
            if (doubled >= dy) {
                error += dy;
                x0 += stepX;
            }
            if (doubled <= dx) {
                error += dx;
                y0 += stepY;
            }
        }
    }

    [[nodiscard]] Result<std::string> png() const;

  private:
    int m_width;
    int m_height;
    std::vector<std::uint8_t> m_pixels;
};

void appendBigEndian(std::string& out, std::uint32_t value) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        out += static_cast<char>((value >> shift) & 255U);
    }
}

void appendChunk(std::string& out, const std::string& kind, const std::string& data) {
    appendBigEndian(out, static_cast<std::uint32_t>(data.size()));
    const std::string body = kind + data;
    out += body;
    const uLong sum = ::crc32_z(::crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(body.data()), body.size());
    appendBigEndian(out, static_cast<std::uint32_t>(sum));
}

Result<std::string> Painter::png() const {
    std::string rows;
    const std::size_t stride = static_cast<std::size_t>(m_width) * 3U;
    rows.reserve((stride + 1) * static_cast<std::size_t>(m_height));
    for (std::size_t y = 0; y < static_cast<std::size_t>(m_height); ++y) {
        rows += '\0'; // no filter
        rows.append(reinterpret_cast<const char*>(&m_pixels[y * stride]), stride);
    }
    uLongf size = ::compressBound(static_cast<uLong>(rows.size()));
    std::string packed(size, '\0');
    const int status =
        ::compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()), 6);
    if (status != Z_OK) {
        return fail(ErrorCode::Internal, "PNG: zlib could not pack the picture");
    }
    packed.resize(size);
    std::string out = "\x89PNG\r\n\x1a\n";
    std::string header;
    appendBigEndian(header, static_cast<std::uint32_t>(m_width));
    appendBigEndian(header, static_cast<std::uint32_t>(m_height));
    header += std::string("\x08\x02\x00\x00\x00", 5); // 8 bits, RGB, no interlace
    appendChunk(out, "IHDR", header);
    appendChunk(out, "IDAT", packed);
    appendChunk(out, "IEND", {});
    return out;
}

/// Code points of UTF-8 text; 0 for what is not UTF-8.
std::vector<int> codePoints(const std::string& text) {
    std::vector<int> out;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const std::size_t length = lead < 0x80U ? 1 : lead >= 0xF0U ? 4 : lead >= 0xE0U ? 3 : lead >= 0xC0U ? 2 : 0;
        if (length == 0) {
            ++i; // a byte inside a sequence that was counted with its lead
            continue;
        }
        int code = length == 1 ? lead : lead & (0xFF >> (length + 1));
        for (std::size_t k = 1; k < length && i + k < text.size(); ++k) {
            code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3F);
        }
        out.push_back(code);
        i += length;
    }
    return out;
}

void drawText(Painter& painter, const Picture::Text& text, int scale) {
    const PageColours page = pageColours(Lightness::Light);
    const Rgb color = text.on && *text.on == Role::Failing ? coloursOf(*text.on, Lightness::Light).text
                      : text.ink == Picture::Ink::Muted    ? page.muted
                                                           : page.text;
    const std::vector<int> characters = codePoints(text.text);
    const double left = text.centred ? text.x - static_cast<double>(characters.size()) * PictureCharacterWidth / 2.0 : text.x;
    const int top = static_cast<int>(std::lround(text.y * scale)) - GlyphBaseline * scale / 2;
    for (std::size_t i = 0; i < characters.size(); ++i) {
        const int x = static_cast<int>(std::lround((left + static_cast<double>(i) * PictureCharacterWidth) * scale));
        for (int row = 0; row < GlyphHeight; ++row) {
            const unsigned bits = glyphRow(characters[i], row);
            for (int column = 0; column < GlyphWidth; ++column) {
                if ((bits >> static_cast<unsigned>(GlyphWidth - 1 - column) & 1U) != 0) {
                    painter.dot(x + column * scale / 2, top + row * scale / 2, color);
                }
            }
        }
    }
}

/// Lengths of strokes and gaps in units; empty: a whole line.
std::vector<double> dashesOf(BorderStyle border) {
    switch (border) {
    case BorderStyle::Dashed: return {6.0, 4.0};
    case BorderStyle::DashDot: return {9.0, 3.0, 2.0, 3.0};
    case BorderStyle::Dotted: return {2.0, 2.0};
    default: return {};
    }
}

/// The outline of a rectangle, `thick` pixels inwards, its dashes running on around the corners.
void outline(Painter& painter, int left, int top, int right, int bottom, int thick, Rgb color, const std::vector<double>& dashes, int scale) {
    const double period = [&dashes] {
        double sum = 0.0;
        for (const double length : dashes) {
            sum += length;
        }
        return sum;
    }();
    int walked = 0;
    const auto inked = [&] {
        if (dashes.empty()) {
            return true;
        }
        double at = std::fmod(static_cast<double>(walked) / scale, period);
        for (std::size_t i = 0; i < dashes.size(); ++i) {
            if (at < dashes[i]) {
                return i % 2 == 0;
            }
            at -= dashes[i];
        }
        return true;
    };
    for (int x = left; x < right; ++x, ++walked) {
        if (inked()) {
            painter.fill(x, top, x + 1, top + thick, color);
        }
    }
    for (int y = top; y < bottom; ++y, ++walked) {
        if (inked()) {
            painter.fill(right - thick, y, right, y + 1, color);
        }
    }
    for (int x = right; x-- > left; ++walked) {
        if (inked()) {
            painter.fill(x, bottom - thick, x + 1, bottom, color);
        }
    }
    for (int y = bottom; y-- > top; ++walked) {
        if (inked()) {
            painter.fill(left, y, left + thick, y + 1, color);
        }
    }
}

void drawBox(Painter& painter, const Picture::Box& box, int scale) {
    const auto pixel = [scale](double value) { return static_cast<int>(std::lround(std::clamp(value, -1e6, 1e6) * scale)); };
    const int left = pixel(box.x);
    const int top = pixel(box.y);
    const int right = pixel(box.x + box.width);
    const int bottom = pixel(box.y + box.height);
    const PageColours page = pageColours(Lightness::Light);
    if (!box.role) {
        painter.fill(left, top, right, bottom, page.edge);
        painter.fill(left + scale, top + scale, right - scale, bottom - scale, page.background);
        return;
    }
    const RoleLook& look = lookOf(*box.role);
    const RoleColours colours = coloursOf(*box.role, Lightness::Light);
    painter.fill(left, top, right, bottom, colours.fill);
    if (look.border != BorderStyle::Double && box.badge && *box.role != Role::Plain) {
        const int end = std::min(right, left + pixel(PictureBadge));
        painter.fill(left, top, end, bottom, blended(colours.line, page.background, 0.25));
        if (look.hatch != Hatch::None) {
            const int begin = top + pixel(18.0);
            for (int y = begin; y < bottom; ++y) {
                for (int x = left; x < end; ++x) {
                    const int along = look.hatch == Hatch::Rising ? (x - left) + (y - begin) : (x - left) - (y - begin) + 10'000 * 5 * scale;
                    if (along % (5 * scale) < scale / 2 + 1) {
                        painter.dot(x, y, colours.line);
                    }
                }
            }
        }
    }
    const int thick = look.border == BorderStyle::Thick ? 2 * scale : look.border == BorderStyle::Solid ? scale : scale + scale / 2;
    outline(painter, left, top, right, bottom, thick, colours.line, dashesOf(look.border), scale);
    if (look.border == BorderStyle::Double) {
        const int gap = 3 * scale;
        outline(painter, left - gap, top - gap, right + gap, bottom + gap, scale, colours.line, {}, scale);
    }
}

} // namespace

Result<std::string> picturePng(const Picture& picture) {
    static constexpr double MostPixels = 1e8;
    if (!(picture.width >= 1.0 && picture.height >= 1.0) || picture.width * picture.height > MostPixels || picture.width > 1e6 ||
        picture.height > 1e6) {
        return fail(ErrorCode::TooLarge, "a picture of " + std::to_string(std::llround(std::min(picture.width, 1e15))) + " by " +
                                             std::to_string(std::llround(std::min(picture.height, 1e15))) +
                                             " pixels is too large for PNG (100 million): write .svg");
    }
    const int scale = picture.width * picture.height * 4.0 > 6e7 ? 1 : 2;
    const auto pixel = [&](double value) { return static_cast<int>(std::lround(std::clamp(value, -1e6, 1e6) * scale)); };
    Painter painter(std::max(1, pixel(picture.width)), std::max(1, pixel(picture.height)));
    const Rgb edge = pageColours(Lightness::Light).edge;
    for (const Picture::Line& line : picture.lines) {
        for (std::size_t i = 1; i < line.points.size(); ++i) {
            painter.line(pixel(line.points[i - 1].first), pixel(line.points[i - 1].second), pixel(line.points[i].first), pixel(line.points[i].second),
                         edge, line.dashed ? 4 * scale : 0, scale);
        }
        if (line.arrow && line.points.size() > 1) {
            const int x = pixel(line.points.back().first);
            const int y = pixel(line.points.back().second);
            for (int row = 0; row < 6 * scale; ++row) {
                painter.fill(x - row / 2, y - row, x + row / 2 + 1, y - row + 1, edge);
            }
        }
    }
    for (const Picture::Box& box : picture.boxes) {
        drawBox(painter, box, scale);
    }
    for (const Picture::Text& text : picture.texts) {
        drawText(painter, text, scale);
    }
    return painter.png();
}

} // namespace lemmascope
