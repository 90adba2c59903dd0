#include "core/report/picture.h"

#include "core/report/json_writer.h"

#include <cmath>

namespace lemmascope {

namespace {

/// At most two decimals, always with a point for one: the same text on every machine.
std::string number(double value) {
    const auto hundredths = static_cast<long long>(std::llround(value * 100.0));
    std::string out = hundredths < 0 ? "-" : "";
    const long long magnitude = std::llabs(hundredths);
    out += std::to_string(magnitude / 100);
    if (magnitude % 100 != 0) {
        out += "." + std::string(magnitude % 100 < 10 ? "0" : "") + std::to_string(magnitude % 100);
    }
    return out;
}

std::string color(const Picture::Color& value) {
    static constexpr std::string_view Digits = "0123456789abcdef";
    std::string out = "#";
    for (const std::uint8_t part : {value.red, value.green, value.blue}) {
        out += Digits[part >> 4U];
        out += Digits[part & 15U];
    }
    return out;
}

std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += static_cast<unsigned char>(c) < 0x20U || c == 0x7F ? ' ' : c;
        }
    }
    return out;
}

} // namespace

std::string pictureSvg(const Picture& picture) {
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(picture.width) + "\" height=\"" + number(picture.height) +
                      "\" viewBox=\"0 0 " + number(picture.width) + " " + number(picture.height) + "\" role=\"img\">\n<title>" +
                      escaped(picture.title) + "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
    for (const Picture::Line& line : picture.lines) {
        if (line.points.size() < 2) {
            continue;
        }
        out += "<polyline fill=\"none\" stroke=\"" + color(line.color) + "\"" + (line.dashed ? " stroke-dasharray=\"4 3\"" : "") + " points=\"";
        for (std::size_t i = 0; i < line.points.size(); ++i) {
            out += (i == 0 ? "" : " ") + number(line.points[i].first) + "," + number(line.points[i].second);
        }
        out += "\"/>\n";
        if (line.arrow) {
            const auto [x, y] = line.points.back();
            out += "<path fill=\"" + color(line.color) + "\" d=\"M" + number(x) + " " + number(y) + "l-3 -6h6z\"/>\n";
        }
    }
    for (const Picture::Box& box : picture.boxes) {
        out += "<rect x=\"" + number(box.x) + "\" y=\"" + number(box.y) + "\" width=\"" + number(box.width) + "\" height=\"" + number(box.height) +
               "\" rx=\"4\" fill=\"" + color(box.fill) + "\" stroke=\"" + color(box.line) + "\" stroke-width=\"" + number(box.lineWidth) + "\"";
        out += box.tip.empty() ? "/>\n" : "><title>" + escaped(box.tip) + "</title></rect>\n";
    }
    for (const Picture::Text& text : picture.texts) {
        // textLength keeps the text inside its box whatever font the viewer has.
        std::size_t characters = 0;
        for (const char c : text.text) {
            characters += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1U : 0U;
        }
        if (characters == 0) {
            continue;
        }
        out += "<text x=\"" + number(text.x) + "\" y=\"" + number(text.y) +
               "\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"10\" fill=\"" + color(text.color) + "\"" +
               (text.centred ? " text-anchor=\"middle\"" : "") + " textLength=\"" + number(static_cast<double>(characters) * PictureCharacterWidth) +
               "\" lengthAdjust=\"spacingAndGlyphs\">" + escaped(text.text) + "</text>\n";
    }
    return out + "</svg>\n";
}

} // namespace lemmascope
