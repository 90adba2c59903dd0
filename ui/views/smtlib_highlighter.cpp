#include "ui/views/smtlib_highlighter.h"

#include <QGuiApplication>
#include <QPalette>
#include <QTextCharFormat>

namespace lemmascope {

namespace {

bool isSymbolCharacter(QChar c) { return !c.isSpace() && c != u'(' && c != u')' && c != u';' && c != u'"' && c != u'|'; }

} // namespace

void SmtlibHighlighter::highlightBlock(const QString& text) {
    const QPalette palette = QGuiApplication::palette();
    QTextCharFormat command;
    command.setFontWeight(QFont::Bold);
    QTextCharFormat comment;
    comment.setForeground(palette.color(QPalette::PlaceholderText));
    comment.setFontItalic(true);
    QTextCharFormat literal;
    literal.setForeground(palette.color(QPalette::Link));

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
