// SVG whose plain attributes are the light colours, so that every reader shows it, with a style sheet that turns it dark on screens
// that ask for that.
#include "core/report/picture.h"

#include "core/report/json_writer.h"

#include <array>
#include <cmath>
#include <set>

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

std::string key(Role role) { return lookOf(role).key; }

/// Width and dashes of a role's border, as the canvas has them.
std::string borderAttributes(BorderStyle border) {
    switch (border) {
    case BorderStyle::Solid:
    case BorderStyle::Double: return " stroke-width=\"1\"";
    case BorderStyle::Thick: return " stroke-width=\"2\"";
    case BorderStyle::Dashed: return " stroke-width=\"1.5\" stroke-dasharray=\"6 3.75\"";
    case BorderStyle::DashDot: return " stroke-width=\"1.5\" stroke-dasharray=\"9 3 2.25 3\"";
    case BorderStyle::Dotted: return " stroke-width=\"1.75\" stroke-dasharray=\"1.75 2.3\"";
    }
    return {};
}

Rgb badgeFill(Role role, Lightness lightness) { return blended(coloursOf(role, lightness).line, pageColours(lightness).background, 0.25); }

std::string rect(double x, double y, double width, double height) {
    return "x=\"" + number(x) + "\" y=\"" + number(y) + "\" width=\"" + number(width) + "\" height=\"" + number(height) + "\"";
}

/// `lp` before each class: an inline SVG shares its page's.
std::string styleSheet(const std::set<Role>& roles) {
    const PageColours page = pageColours(Lightness::Dark);
    std::string dark = ".lp-paper{fill:" + hexColour(page.background) + "}.lp-text{fill:" + hexColour(page.text) +
                       "}.lp-muted{fill:" + hexColour(page.muted) + "}.lp-edge{stroke:" + hexColour(page.edge) +
                       "}.lp-head{fill:" + hexColour(page.edge) + "}.lp-value{fill:" + hexColour(page.background) +
                       ";stroke:" + hexColour(page.edge) + "}";
    for (const Role role : roles) {
        const RoleColours colours = coloursOf(role, Lightness::Dark);
        dark += ".lp-" + key(role) + "{fill:" + hexColour(colours.fill) + ";stroke:" + hexColour(colours.line) + "}";
        dark += ".lp-on-" + key(role) + "{fill:" + hexColour(colours.text) + "}";
        dark += ".lp-badge-" + key(role) + "{fill:" + hexColour(badgeFill(role, Lightness::Dark)) + ";stroke:" + hexColour(colours.line) + "}";
    }
    return "<style>@media screen and (prefers-color-scheme: dark){" + dark + "}</style>\n";
}

std::string hatchPath(const Picture::Box& box, Hatch hatch) {
    std::string path;
    const double top = box.y + 18.0;
    const double bottom = box.y + box.height - 1.0;
    for (double d = 5.0; top + d < bottom + PictureBadge; d += 5.0) {
        // Parallel lines through the badge below its glyph, cut to it.
        const double x0 = std::max(0.0, top + d - bottom);
        const double x1 = std::min(PictureBadge - 2.0, d);
        if (x1 <= x0) {
            continue;
        }
        const double left = box.x + 1.0;
        const auto y = [&](double x) { return hatch == Hatch::Rising ? top + d - x : bottom - (d - x); };
        path += "M" + number(left + x0) + " " + number(y(x0)) + "L" + number(left + x1) + " " + number(y(x1));
    }
    return path;
}

std::string boxSvg(const Picture::Box& box) {
    const std::string tip = box.tip.empty() ? std::string() : "<title>" + escaped(box.tip) + "</title>";
    const auto close = [&tip](const std::string& element) { return tip.empty() ? "/>\n" : ">" + tip + "</" + element + ">\n"; };
    if (!box.role) {
        const PageColours page = pageColours(Lightness::Light);
        return "<rect class=\"lp-value\" " + rect(box.x, box.y, box.width, box.height) + " rx=\"" + number(box.height / 2.0) + "\" fill=\"" +
               hexColour(page.background) + "\" stroke=\"" + hexColour(page.edge) + "\"" + close("rect");
    }
    const Role role = *box.role;
    const RoleLook& look = lookOf(role);
    const RoleColours colours = coloursOf(role, Lightness::Light);
    const std::string paint = " fill=\"" + hexColour(colours.fill) + "\" stroke=\"" + hexColour(colours.line) + "\"";
    std::string out =
        "<rect class=\"lp-" + key(role) + "\" " + rect(box.x, box.y, box.width, box.height) + paint + borderAttributes(look.border) + close("rect");
    if (look.border == BorderStyle::Double) {
        out += "<rect class=\"lp-" + key(role) + "\" " + rect(box.x - 3.0, box.y - 3.0, box.width + 6.0, box.height + 6.0) + paint +
               " stroke-width=\"1\" fill-opacity=\"0\"/>\n";
    } else if (box.badge && role != Role::Plain) {
        out += "<rect class=\"lp-badge-" + key(role) + "\" " + rect(box.x + 1.0, box.y + 1.0, PictureBadge - 2.0, box.height - 2.0) + " fill=\"" +
               hexColour(badgeFill(role, Lightness::Light)) + "\" stroke=\"none\"/>\n";
        if (const std::string path = look.hatch == Hatch::None ? std::string() : hatchPath(box, look.hatch); !path.empty()) {
            out += "<path class=\"lp-badge-" + key(role) + "\" fill=\"none\" stroke=\"" + hexColour(colours.line) + "\" d=\"" + path + "\"/>\n";
        }
    }
    return out;
}

} // namespace

std::string pictureSvg(const Picture& picture) {
    const PageColours page = pageColours(Lightness::Light);
    std::set<Role> roles;
    for (const Picture::Box& box : picture.boxes) {
        if (box.role) {
            roles.insert(*box.role);
        }
    }
    std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + number(picture.width) + "\" height=\"" + number(picture.height) +
                      "\" viewBox=\"0 0 " + number(picture.width) + " " + number(picture.height) + "\" role=\"img\" aria-label=\"" +
                      escaped(picture.title) + "\">\n<title>" + escaped(picture.title) + "</title>\n";
    out += picture.description.empty() ? std::string() : "<desc>" + escaped(picture.description) + "</desc>\n";
    out += styleSheet(roles) + "<rect class=\"lp-paper\" width=\"100%\" height=\"100%\" fill=\"" + hexColour(page.background) + "\"/>\n";
    const std::string edge = hexColour(page.edge);
    for (const Picture::Line& line : picture.lines) {
        if (line.points.size() < 2) {
            continue;
        }
        out += "<polyline class=\"lp-edge\" fill=\"none\" stroke=\"" + edge + "\"" + (line.dashed ? " stroke-dasharray=\"4 3\"" : "") + " points=\"";
        for (std::size_t i = 0; i < line.points.size(); ++i) {
            out += (i == 0 ? "" : " ") + number(line.points[i].first) + "," + number(line.points[i].second);
        }
        out += "\"/>\n";
        if (line.arrow) {
            const auto [x, y] = line.points.back();
            out += "<path class=\"lp-head\" fill=\"" + edge + "\" d=\"M" + number(x) + " " + number(y) + "l-3 -6h6z\"/>\n";
        }
    }
    for (const Picture::Box& box : picture.boxes) {
        out += boxSvg(box);
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
        const bool inverted = text.on && *text.on == Role::Failing;
        const Rgb colour = inverted ? coloursOf(*text.on, Lightness::Light).text : text.ink == Picture::Ink::Muted ? page.muted : page.text;
        const std::string kind = inverted ? "on-" + key(*text.on) : text.ink == Picture::Ink::Muted ? "muted" : "text";
        out += "<text class=\"lp-" + kind + "\" x=\"" + number(text.x) + "\" y=\"" + number(text.y) +
               "\" font-family=\"DejaVu Sans Mono, monospace\" font-size=\"10\" fill=\"" + hexColour(colour) + "\"" +
               (text.centred ? " text-anchor=\"middle\"" : "") + " textLength=\"" + number(static_cast<double>(characters) * PictureCharacterWidth) +
               "\" lengthAdjust=\"spacingAndGlyphs\">" + escaped(text.text) + "</text>\n";
    }
    return out + "</svg>\n";
}

} // namespace lemmascope
