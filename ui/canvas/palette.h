#pragma once

#include "core/report/roles.h"

#include <QColor>
#include <QPalette>
#include <QString>

#include <array>
#include <cstdint>

namespace lemmascope {

struct RoleStyle {
    QColor colour; ///< border, badge and map tick; never text
    QColor fill;   ///< opaque body colour
    QColor text;   ///< text on `fill`
    BorderStyle border = BorderStyle::Solid;
    Hatch hatch = Hatch::None;
};

/// Colours of one canvas. The role colours were searched for the largest smallest CIEDE2000 distance between two roles in
/// normal, protan, deutan and tritan vision, at 3:1 or more against the canvas.
struct CanvasTheme {
    QColor background;
    QColor text;
    QColor mutedText; ///< second lines, 4.5:1 or more on the background
    QColor edge;
    QColor selection;
    QColor match;     ///< outlines and tags of what a pattern took, 3:1 or more; their form tells it too
    QColor container; ///< body of an expanded box
    bool dark = false;
    bool monochrome = false;
    std::array<RoleStyle, RoleCount> roles;

    [[nodiscard]] const RoleStyle& style(Role role) const { return roles[static_cast<std::size_t>(role)]; }

    /// Light or dark by the lightness of the palette's window colour.
    [[nodiscard]] static CanvasTheme fromPalette(const QPalette& palette);
    [[nodiscard]] static CanvasTheme lightTheme();
    [[nodiscard]] static CanvasTheme darkTheme();
    /// Black on white: glyphs and borders carry everything. For print and for tests of that claim.
    [[nodiscard]] static CanvasTheme printTheme();
};

/// `−` `+` `~` `=` `?` `✗` `↻` `∅` `≈`; empty for Plain.
[[nodiscard]] QString glyph(Role role);
/// The role in words: `shared term`, `failing pair`, `only in reference`.
[[nodiscard]] QString roleText(Role role);
/// `colour` mixed into `background`, `share` of it from 0 to 1.
[[nodiscard]] QColor blended(const QColor& colour, const QColor& background, double share);
/// WCAG contrast ratio, from 1 to 21.
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

} // namespace lemmascope
