#pragma once

#include "core/prove/check_result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace lemmascope {

/// What a node is to the other graph, as the eye sees it. Meaning is carried by glyph, border style and colour, in that
/// order: each role has all three, so that none depends on colour alone. This is the one table of them: the window's canvas, exported
/// pictures and the HTML report draw from it.
enum class Role : std::uint8_t { Plain, Shared, Changed, OnlyReference, OnlyRewritten, Undecided, Failing, Obsolete, Dead, Accepted };
inline constexpr std::size_t RoleCount = 10;

enum class BorderStyle : std::uint8_t { Solid, Thick, Dashed, DashDot, Dotted, Double };
enum class Hatch : std::uint8_t { None, Rising, Falling };

struct RoleLook {
    const char* key;   ///< `only-reference`: for style sheets
    const char* glyph; ///< UTF-8; empty for Plain
    const char* word;  ///< English: `only in reference`
    BorderStyle border;
    Hatch hatch;
};
[[nodiscard]] const RoleLook& lookOf(Role role);

/// A colour as 0xRRGGBB.
using Rgb = std::uint32_t;
enum class Lightness : std::uint8_t { Light, Dark };

struct RoleColours {
    Rgb line; ///< border, badge and map tick; never text
    Rgb fill; ///< body, opaque
    Rgb text; ///< on `fill`
};
/// Searched for the largest smallest CIEDE2000 distance between two roles in normal, protan, deutan and tritan vision, at 3:1 or more
/// against the background.
[[nodiscard]] RoleColours coloursOf(Role role, Lightness lightness);

struct PageColours {
    Rgb background;
    Rgb text;
    Rgb muted; ///< second lines, 4.5:1 or more on the background
    Rgb edge;
    Rgb container; ///< body of a box that holds others
    Rgb selection;
};
[[nodiscard]] PageColours pageColours(Lightness lightness);

/// `colour` mixed into `background`, `share` of it from 0 to 1.
[[nodiscard]] Rgb blended(Rgb colour, Rgb background, double share);

/// `#1a6fd4`
[[nodiscard]] std::string hexColour(Rgb colour);

[[nodiscard]] Role roleOf(NodeMark mark, Side side);

} // namespace lemmascope
