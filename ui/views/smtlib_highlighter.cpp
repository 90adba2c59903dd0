#include "ui/views/smtlib_highlighter.h"

#include "ui/canvas/palette.h"

#include <QTextCharFormat>

namespace lemmascope {

namespace {

bool isSymbolCharacter(QChar c) { return !c.isSpace() && c != u'(' && c != u')' && c != u';' && c != u'"' && c != u'|'; }

/// A desktop's or a theme's colour, brought nearer to the text's where it has too little contrast.
QColor readable(const QPalette& palette, QPalette::ColorRole role) {
    constexpr double Enough = 4.5;
    const QColor background = palette.color(QPalette::Base);
    const QColor text = palette.color(QPalette::Text);
    QColor colour = palette.color(role);
    colour.setAlpha(255);
    for (int step = 1; step <= 5 && contrast(colour, background) < Enough; ++step) {
        colour = blended(text, colour, 0.2 * step);
    }
    return colour;
}

} // namespace

void SmtlibHighlighter::setPalette(const QPalette& palette) {
    if (palette != m_palette) {
        m_palette = palette;
        rehighlight();
    }
}

void SmtlibHighlighter::highlightBlock(const QString& text) {
    QTextCharFormat command;
    command.setFontWeight(QFont::Bold);
    QTextCharFormat comment;
    comment.setForeground(readable(m_palette, QPalette::PlaceholderText));
    comment.setFontItalic(true);
    QTextCharFormat literal;
    literal.setForeground(readable(m_palette, QPalette::Link));

    // A scanner of one line: |quoted symbols| and "strings" of the texts we print do not span lines.
    bool afterOpen = false;
    for (qsizetype i = 0; i < text.size();) {
        const QChar c = text[i];
        qsizetype end = i + 1;
        if (c == u';') {
            setFormat(static_cast<int>(i), static_cast<int>(text.size() - i), comment);
            return;
        }
        if (c == u'"' || c == u'|') {
            while (end < text.size() && text[end] != c) {
                ++end;
            }
            end = std::min(end + 1, text.size());
            if (c == u'"') {
                setFormat(static_cast<int>(i), static_cast<int>(end - i), literal);
            }
            afterOpen = false;
        } else if (isSymbolCharacter(c)) {
            while (end < text.size() && isSymbolCharacter(text[end])) {
                ++end;
            }
            const bool number = c.isDigit() || (c == u'#' && end - i > 1);
            if (number) {
                setFormat(static_cast<int>(i), static_cast<int>(end - i), literal);
            } else if (afterOpen && i == 1) { // a top-level command: `(` in the first column
                setFormat(static_cast<int>(i), static_cast<int>(end - i), command);
            }
            afterOpen = false;
        } else {
            afterOpen = c == u'(';
        }
        i = end;
    }
}

} // namespace lemmascope
