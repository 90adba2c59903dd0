// Tests: tests/core/report/tst_roles.cpp, and tests/ui/canvas/tst_canvas_painting.cpp for the distances.
#include "core/report/roles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace lemmascope {

namespace {

constexpr double SharedTint = 0.12;
constexpr double BodyTint = 0.05;

struct Entry {
    RoleLook look;
    Rgb light;
    Rgb dark;
};

constexpr Rgb LightGrey = 0x767676;
constexpr Rgb DarkGrey = 0x8C8C8C;

// In the order of Role.
constexpr std::array<Entry, RoleCount> Entries{{
    {{"plain", "", "not compared", BorderStyle::Solid, Hatch::None}, LightGrey, DarkGrey},
    {{"shared", "=", "shared term", BorderStyle::Solid, Hatch::None}, 0x208A7F, 0x3AFA9F},
    {{"changed", "~", "changed", BorderStyle::DashDot, Hatch::None}, 0xFA33FF, 0xEE45A7},
    {{"only-reference", "\u2212", "only in reference", BorderStyle::Dashed, Hatch::Rising}, 0x683C09, 0x925D20},
    {{"only-rewritten", "+", "only in rewritten", BorderStyle::Thick, Hatch::Falling}, 0x002EA5, 0x6BA3FF},
    {{"undecided", "?", "undecided", BorderStyle::Dotted, Hatch::None}, 0x958A1F, 0xBB9D0B},
    {{"failing", "\u2717", "failing pair", BorderStyle::Double, Hatch::None}, 0x111111, 0xFFFFFF},
    {{"obsolete", "\u21BB", "obsolete", BorderStyle::Solid, Hatch::None}, LightGrey, DarkGrey},
    {{"dead", "\u2205", "reaches no output", BorderStyle::Dashed, Hatch::None}, LightGrey, DarkGrey},
    // As good as shared to look at, but by the user's word: never the border of a proof.
    {{"accepted", "\u2248", "accepted as equal", BorderStyle::DashDot, Hatch::None}, 0x208A7F, 0x3AFA9F},
}};

const Entry& entryOf(Role role) { return Entries[static_cast<std::size_t>(role)]; }

} // namespace

const RoleLook& lookOf(Role role) { return entryOf(role).look; }

Rgb blended(Rgb colour, Rgb background, double share) {
    const double s = std::clamp(share, 0.0, 1.0);
    const auto mix = [&](unsigned shift) {
        const double a = static_cast<double>((colour >> shift) & 255U);
        const double b = static_cast<double>((background >> shift) & 255U);
        return static_cast<Rgb>(std::lround(a * s + b * (1.0 - s))) << shift;
    };
    return mix(16) | mix(8) | mix(0);
}

std::string hexColour(Rgb colour) {
    static constexpr std::string_view Digits = "0123456789abcdef";
    std::string out = "#";
    for (unsigned shift = 24; shift > 0;) {
        shift -= 4;
        out += Digits[(colour >> shift) & 15U];
    }
    return out;
}

PageColours pageColours(Lightness lightness) {
    const bool dark = lightness == Lightness::Dark;
    PageColours out{};
    out.background = dark ? 0x1E1E1E : 0xFFFFFF;
    out.text = dark ? 0xF0F0F0 : 0x111111;
    out.muted = blended(out.text, out.background, 0.72);
    out.edge = blended(out.text, out.background, 0.55);
    out.container = blended(out.text, out.background, 0.04);
    out.selection = dark ? 0x4C9FFF : 0x1A6FD4;
    return out;
}

RoleColours coloursOf(Role role, Lightness lightness) {
    const PageColours page = pageColours(lightness);
    RoleColours out{lightness == Lightness::Dark ? entryOf(role).dark : entryOf(role).light, blended(page.text, page.background, BodyTint),
                    page.text};
    if (role == Role::Shared) {
        out.fill = blended(out.line, page.background, SharedTint);
    } else if (role == Role::Failing) {
        out.fill = out.line;
        out.text = page.background;
    } else if (role == Role::Obsolete) {
        out.line = blended(out.line, page.background, 0.8); // 3:1 still
    }
    return out;
}

Role roleOf(NodeMark mark, Side side) {
    switch (mark) {
    case NodeMark::Shared:
    case NodeMark::Equal: return Role::Shared;
    case NodeMark::Accepted: return Role::Accepted;
    case NodeMark::Changed: return Role::Changed;
    case NodeMark::Failing: return Role::Failing;
    case NodeMark::Undecided: return Role::Undecided;
    case NodeMark::Only: return side == Side::Reference ? Role::OnlyReference : Role::OnlyRewritten;
    case NodeMark::Dead: return Role::Dead;
    }
    return Role::Plain;
}

} // namespace lemmascope
