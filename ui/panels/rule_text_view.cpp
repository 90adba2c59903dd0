#include "ui/panels/rule_text_view.h"

#include <QEvent>
#include <QFontDatabase>
#include <QTextBlock>

#include <algorithm>

namespace lemmascope {

RuleTextView::RuleTextView(QWidget* parent) : QPlainTextEdit(parent) {
    setAccessibleName(tr("Text of the rules"));
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
    setLineWrapMode(WidgetWidth); // a long rule is read without scrolling sideways
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setPlaceholderText(tr("The rules are read here once a file is open (File > Open Rules)."));
}

void RuleTextView::setRules(const QString& text) {
    if (text != toPlainText()) {
        setPlainText(text);
    }
    m_findings.clear();
    m_marked = 0;
    refresh();
}

void RuleTextView::setFindings(const std::vector<match::Spot>& spots) {
    m_findings = spots;
    refresh();
}

void RuleTextView::goTo(match::Spot spot) {
    m_marked = spot.line == 0 || static_cast<int>(spot.line) > blockCount() ? 0 : static_cast<int>(spot.line);
    if (m_marked != 0) {
        const QTextBlock block = document()->findBlockByNumber(m_marked - 1);
        // Columns count bytes.
        const QByteArray before = block.text().toUtf8().left(static_cast<qsizetype>(spot.column) - 1);
        m_column = std::clamp<int>(static_cast<int>(QString::fromUtf8(before).size()), 0, std::max(0, block.length() - 1));
        QTextCursor cursor(block);
        cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, m_column);
        setTextCursor(cursor);
        centerCursor();
    }
    refresh();
}

void RuleTextView::refresh() {
    QList<QTextEdit::ExtraSelection> all;
    for (const match::Spot& spot : m_findings) {
        QTextEdit::ExtraSelection each;
        each.cursor = QTextCursor(document()->findBlockByNumber(std::max(0, static_cast<int>(spot.line) - 1)));
        each.cursor.select(QTextCursor::LineUnderCursor);
        each.format.setUnderlineStyle(QTextCharFormat::WaveUnderline);
        each.format.setUnderlineColor(palette().color(QPalette::Text));
        all << each;
    }
    if (m_marked != 0) {
        const QTextBlock block = document()->findBlockByNumber(m_marked - 1);
        QTextEdit::ExtraSelection line;
        line.cursor = QTextCursor(block);
        line.format.setBackground(palette().color(QPalette::AlternateBase));
        line.format.setProperty(QTextFormat::FullWidthSelection, true);
        all << line;
        // From the place on to the line's end: bold and underlined, whatever the colours are.
        QTextEdit::ExtraSelection from;
        from.cursor = QTextCursor(block);
        from.cursor.movePosition(QTextCursor::Right, QTextCursor::MoveAnchor, m_column);
        from.cursor.movePosition(QTextCursor::EndOfBlock, QTextCursor::KeepAnchor);
        from.format.setBackground(palette().color(QPalette::Highlight));
        from.format.setForeground(palette().color(QPalette::HighlightedText));
        from.format.setFontUnderline(true);
        all << from;
    }
    setExtraSelections(all);
}

void RuleTextView::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        refresh();
    }
}

} // namespace lemmascope
