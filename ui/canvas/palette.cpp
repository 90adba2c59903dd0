#include "ui/canvas/palette.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

constexpr QRgb LightBackground = 0xFFFFFFFF;
constexpr QRgb DarkBackground = 0xFF1E1E1E;
constexpr double SharedTint = 0.12;

struct RoleColours {
    QRgb reference, rewritten, changed, shared, undecided, failing, grey;
};
constexpr RoleColours LightColours{0xFF683C09, 0xFF002EA5, 0xFFFA33FF, 0xFF208A7F, 0xFF958A1F, 0xFF111111, 0xFF767676};
constexpr RoleColours DarkColours{0xFF925D20, 0xFF6BA3FF, 0xFFEE45A7, 0xFF3AFA9F, 0xFFBB9D0B, 0xFFFFFFFF, 0xFF8C8C8C};
constexpr RoleColours PrintColours{0xFF000000, 0xFF000000, 0xFF000000, 0xFF000000, 0xFF000000, 0xFF000000, 0xFF767676};

double luminance(const QColor& colour) {
    const auto channel = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * channel(colour.redF()) + 0.7152 * channel(colour.greenF()) + 0.0722 * channel(colour.blueF());
}

CanvasTheme makeTheme(const QColor& background, const QColor& text, const QColor& selection, const RoleColours& colours, bool dark) {
    CanvasTheme theme;
    theme.background = background;
    theme.text = text;
    theme.mutedText = blended(text, background, 0.72);
    theme.edge = blended(text, background, 0.55);
    theme.selection = selection;
    theme.container = blended(text, background, 0.04);
    theme.dark = dark;
    const QColor body = blended(text, background, 0.05);
    const auto set = [&](Role role, QRgb colour, BorderStyle border, Hatch hatch = Hatch::None) {
        theme.roles[static_cast<std::size_t>(role)] = RoleStyle{QColor::fromRgb(colour), body, text, border, hatch};
    };
    set(Role::Plain, colours.grey, BorderStyle::Solid);
    set(Role::Shared, colours.shared, BorderStyle::Solid);
    set(Role::Changed, colours.changed, BorderStyle::DashDot);
    set(Role::OnlyReference, colours.reference, BorderStyle::Dashed, Hatch::Rising);
    set(Role::OnlyRewritten, colours.rewritten, BorderStyle::Thick, Hatch::Falling);
    set(Role::Undecided, colours.undecided, BorderStyle::Dotted);
    set(Role::Failing, colours.failing, BorderStyle::Double);
    set(Role::Obsolete, colours.grey, BorderStyle::Solid);
    set(Role::Dead, colours.grey, BorderStyle::Dashed);
    // As good as shared to look at, but by the user's word: never the border of a proof.
    set(Role::Accepted, colours.shared, BorderStyle::DashDot);
    RoleStyle& shared = theme.roles[static_cast<std::size_t>(Role::Shared)];
    shared.fill = blended(shared.colour, background, SharedTint);
    RoleStyle& failing = theme.roles[static_cast<std::size_t>(Role::Failing)];
    failing.fill = failing.colour;
    failing.text = background;
    RoleStyle& obsolete = theme.roles[static_cast<std::size_t>(Role::Obsolete)];
    obsolete.colour = blended(obsolete.colour, background, 0.5);
    return theme;
}

} // namespace

QColor blended(const QColor& colour, const QColor& background, double share) {
    const double s = std::clamp(share, 0.0, 1.0);
    const auto mix = [s](int a, int b) { return static_cast<int>(std::lround(a * s + b * (1.0 - s))); };
    return {mix(colour.red(), background.red()), mix(colour.green(), background.green()), mix(colour.blue(), background.blue())};
}

double contrast(const QColor& a, const QColor& b) {
    const double la = luminance(a);
    const double lb = luminance(b);
    return (std::max(la, lb) + 0.05) / (std::min(la, lb) + 0.05);
}

CanvasTheme CanvasTheme::lightTheme() {
    return makeTheme(QColor::fromRgb(LightBackground), QColor(0x11, 0x11, 0x11), QColor(0x1A, 0x6F, 0xD4), LightColours, false);
}

CanvasTheme CanvasTheme::darkTheme() {
    return makeTheme(QColor::fromRgb(DarkBackground), QColor(0xF0, 0xF0, 0xF0), QColor(0x4C, 0x9F, 0xFF), DarkColours, true);
}

CanvasTheme CanvasTheme::printTheme() {
    CanvasTheme theme = makeTheme(Qt::white, Qt::black, Qt::black, PrintColours, false);
    theme.monochrome = true;
    theme.roles[static_cast<std::size_t>(Role::Shared)].fill = Qt::white;
    return theme;
}

CanvasTheme CanvasTheme::fromPalette(const QPalette& palette) {
    CanvasTheme theme = palette.color(QPalette::Window).lightnessF() < 0.5F ? darkTheme() : lightTheme();
    // The desktop's own colours where they can be read on our background; role colours stay as they were searched for.
    const QColor highlight = palette.color(QPalette::Highlight);
    if (contrast(highlight, theme.background) >= 3.0) {
        theme.selection = highlight;
    }
    const QColor text = palette.color(QPalette::Text);
    if (contrast(text, theme.background) >= 7.0) {
        theme.text = text;
        for (RoleStyle& style : theme.roles) {
            if (style.border != BorderStyle::Double) {
                style.text = text;
            }
        }
    }
    return theme;
}

QString glyph(Role role) {
    switch (role) {
    case Role::Plain: return {};
    case Role::Shared: return QStringLiteral("=");
    case Role::Changed: return QStringLiteral("~");
    case Role::OnlyReference: return QStringLiteral("\u2212");
    case Role::OnlyRewritten: return QStringLiteral("+");
    case Role::Undecided: return QStringLiteral("?");
    case Role::Failing: return QStringLiteral("\u2717");
    case Role::Obsolete: return QStringLiteral("\u21BB");
    case Role::Dead: return QStringLiteral("\u2205");
    case Role::Accepted: return QStringLiteral("\u2248");
    }
    return {};
}

QString roleText(Role role) {
    const auto tr = [](const char* text) { return QCoreApplication::translate("lemmascope::Role", text); };
    switch (role) {
    case Role::Plain: return tr("not compared");
    case Role::Shared: return tr("shared term");
    case Role::Changed: return tr("changed");
    case Role::OnlyReference: return tr("only in reference");
    case Role::OnlyRewritten: return tr("only in rewritten");
    case Role::Undecided: return tr("undecided");
    case Role::Failing: return tr("failing pair");
    case Role::Obsolete: return tr("obsolete");
    case Role::Dead: return tr("reaches no output");
    case Role::Accepted: return tr("accepted as equal");
    }
    return {};
}

} // namespace lemmascope
