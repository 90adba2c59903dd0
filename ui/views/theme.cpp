#include "ui/views/theme.h"

#include <QApplication>
#include <QStyle>
#include <QStyleFactory>

namespace lemmascope {

QPalette fusionPalette(bool dark) {
    const auto rgb = [](int value) { return QColor(value, value, value); };
    QPalette palette;
    for (const auto group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled}) {
        const bool off = group == QPalette::Disabled;
        const auto set = [&](QPalette::ColorRole role, const QColor& light, const QColor& darkColour) {
            palette.setColor(group, role, dark ? darkColour : light);
        };
        const QColor text = dark ? (off ? rgb(0x88) : rgb(0xee)) : (off ? rgb(0x80) : rgb(0x10));
        set(QPalette::Window, rgb(0xef), rgb(0x2b));
        set(QPalette::Base, rgb(0xff), rgb(0x1e));
        set(QPalette::AlternateBase, rgb(0xf6), rgb(0x26));
        set(QPalette::Button, rgb(0xef), rgb(0x3a));
        set(QPalette::Light, rgb(0xff), rgb(0x50));
        set(QPalette::Midlight, rgb(0xf5), rgb(0x44));
        set(QPalette::Mid, rgb(0xb0), rgb(0x22));
        set(QPalette::Dark, rgb(0x9f), rgb(0x1a));
        set(QPalette::Shadow, rgb(0x70), rgb(0x0a));
        set(QPalette::ToolTipBase, rgb(0xff), rgb(0x1e));
        set(QPalette::PlaceholderText, rgb(0x66), rgb(0xa0));
        set(QPalette::Link, QColor(0x00, 0x4f, 0xb4), QColor(0x6b, 0xa3, 0xff));
        set(QPalette::LinkVisited, QColor(0x5a, 0x2d, 0x91), QColor(0xb9, 0x9b, 0xff));
        set(QPalette::Highlight, QColor(0x2a, 0x62, 0xb8), QColor(0x3d, 0x6f, 0xc4));
        palette.setColor(group, QPalette::HighlightedText, Qt::white);
        palette.setColor(group, QPalette::BrightText, Qt::white);
        for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText}) {
            palette.setColor(group, role, text);
        }
    }
    return palette;
}

QPalette contrastPalette() {
    QPalette palette = fusionPalette(true);
    const QColor yellow(0xff, 0xe1, 0x00);
    for (const auto group : {QPalette::Active, QPalette::Inactive, QPalette::Disabled}) {
        const bool off = group == QPalette::Disabled;
        for (const auto role : {QPalette::Window, QPalette::Base, QPalette::AlternateBase, QPalette::Button, QPalette::ToolTipBase}) {
            palette.setColor(group, role, Qt::black);
        }
        for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::ToolTipText, QPalette::PlaceholderText}) {
            palette.setColor(group, role, off ? QColor(0xb8, 0xb8, 0xb8) : QColor(Qt::white));
        }
        for (const auto role : {QPalette::Light, QPalette::Midlight, QPalette::Mid, QPalette::Dark, QPalette::Shadow}) {
            palette.setColor(group, role, Qt::white); // frames of buttons and tabs
        }
        palette.setColor(group, QPalette::Highlight, yellow);
        palette.setColor(group, QPalette::HighlightedText, Qt::black);
        palette.setColor(group, QPalette::Link, yellow);
        palette.setColor(group, QPalette::LinkVisited, yellow);
    }
    return palette;
}

bool isColours(const QString& name) {
    static const QStringList known{QStringLiteral("desktop"), QStringLiteral("light"), QStringLiteral("dark"), QStringLiteral("contrast"),
                                   QStringLiteral("mono")};
    return known.contains(name);
}

bool applyColours(const QString& name) {
    static const QString desktopStyle = QApplication::style()->objectName(); // before anything was applied
    if (!isColours(name)) {
        return false;
    }
    if (name == QStringLiteral("desktop")) {
        QApplication::setStyle(QStyleFactory::create(desktopStyle));
        QApplication::setPalette(QPalette());
        return true;
    }
    // Fusion's frames are shades of the window's colour, and black has none; this one draws them in colours of their own.
    const bool high = name == QStringLiteral("contrast");
    QApplication::setStyle(QStyleFactory::create(high ? QStringLiteral("Windows") : QStringLiteral("Fusion")));
    QApplication::setPalette(high ? contrastPalette() : fusionPalette(name == QStringLiteral("dark")));
    return true;
}

} // namespace lemmascope
