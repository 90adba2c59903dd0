#include "ui/canvas/palette.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace lemmascope {

namespace {

double luminance(const QColor& colour) {
    const auto channel = [](double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
    return 0.2126 * channel(colour.redF()) + 0.7152 * channel(colour.greenF()) + 0.0722 * channel(colour.blueF());
}

QColor colourOf(Rgb rgb) { return QColor::fromRgb(QRgb(0xFF000000U | rgb)); }

CanvasTheme makeTheme(Lightness lightness) {
    const PageColours page = pageColours(lightness);
    CanvasTheme theme;
    theme.background = colourOf(page.background);
    theme.text = colourOf(page.text);
    theme.mutedText = colourOf(page.muted);
    theme.edge = colourOf(page.edge);
    theme.selection = colourOf(page.selection);
    theme.container = colourOf(page.container);
    theme.dark = lightness == Lightness::Dark;
    theme.match = theme.dark ? QColor(0xFF, 0xA0, 0x57) : QColor(0xB3, 0x41, 0x0E);
    for (std::size_t i = 0; i < RoleCount; ++i) {
        const auto role = static_cast<Role>(i);
        const RoleColours colours = coloursOf(role, lightness);
        theme.roles[i] = RoleStyle{colourOf(colours.line), colourOf(colours.fill), colourOf(colours.text), lookOf(role).border, lookOf(role).hatch};
    }
    return theme;
}

/// White on black: few colours, all 7:1 and more, so that glyphs and borders carry the meaning.
CanvasTheme contrastTheme(const QColor& selection) {
    CanvasTheme theme = makeTheme(Lightness::Dark);
    theme.background = Qt::black;
    theme.text = Qt::white;
    theme.mutedText = Qt::white;
    theme.edge = QColor(0xD0, 0xD0, 0xD0);
    theme.selection = selection;
    theme.match = QColor(0xFF, 0xB0, 0x60);
    theme.container = Qt::black;
    const auto colour = [](Role role) -> QColor {
        switch (role) {
        case Role::Shared:
        case Role::Accepted: return {0x8D, 0xFF, 0xA9};
        case Role::Changed: return {0xFF, 0x32, 0xFF};
        case Role::OnlyReference: return {0x9A, 0x9A, 0x7B};
        case Role::OnlyRewritten: return {0x90, 0xB2, 0xB7};
        case Role::Undecided: return {0xCD, 0xA9, 0x05};
        case Role::Failing: return Qt::white;
        case Role::Plain:
        case Role::Obsolete:
        case Role::Dead: break;
        }
        return {0xC8, 0xC8, 0xC8};
    };
    for (std::size_t i = 0; i < RoleCount; ++i) {
        RoleStyle& style = theme.roles[i];
        const bool filled = style.border == BorderStyle::Double;
        style.colour = colour(static_cast<Role>(i));
        style.fill = filled ? style.colour : QColor(Qt::black);
        style.text = filled ? QColor(Qt::black) : QColor(Qt::white);
    }
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

CanvasTheme CanvasTheme::lightTheme() { return makeTheme(Lightness::Light); }

CanvasTheme CanvasTheme::darkTheme() { return makeTheme(Lightness::Dark); }

CanvasTheme CanvasTheme::printTheme() {
    CanvasTheme theme = makeTheme(Lightness::Light);
    theme.monochrome = true;
    theme.text = Qt::black;
    theme.selection = Qt::black;
    theme.match = Qt::black;
    theme.mutedText = blended(theme.text, theme.background, 0.72);
    theme.edge = blended(theme.text, theme.background, 0.55);
    theme.container = blended(theme.text, theme.background, 0.04);
    for (std::size_t i = 0; i < RoleCount; ++i) {
        const auto role = static_cast<Role>(i);
        const bool grey = role == Role::Plain || role == Role::Obsolete || role == Role::Dead;
        RoleStyle& style = theme.roles[i];
        style.colour = grey ? style.colour : QColor(Qt::black);
        style.fill = role == Role::Failing  ? QColor(Qt::black)
                     : role == Role::Shared ? QColor(Qt::white)
                                            : blended(theme.text, theme.background, 0.05);
        style.text = role == Role::Failing ? QColor(Qt::white) : QColor(Qt::black);
    }
    return theme;
}

CanvasTheme CanvasTheme::fromPalette(const QPalette& palette) {
    // Desktops for those who need contrast are black and white.
    if (palette.color(QPalette::Window) == QColor(Qt::black) && palette.color(QPalette::WindowText) == QColor(Qt::white)) {
        return contrastTheme(palette.color(QPalette::Highlight));
    }
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

QString glyph(Role role) { return QString::fromUtf8(lookOf(role).glyph); }

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
