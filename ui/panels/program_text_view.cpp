#include "ui/panels/program_text_view.h"

#include "ui/views/text.h"

#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QScrollBar>
#include <QTextBlock>
#include <QToolTip>

#include <algorithm>

namespace lemmascope {

namespace {

class Margin : public QWidget {
  public:
    explicit Margin(ProgramTextView* view) : QWidget(view), m_view(view) {}

  protected:
    void paintEvent(QPaintEvent* event) override { m_view->paintMargin(event); }

  private:
    ProgramTextView* m_view;
};

constexpr int Gap = 4; ///< pixels between what stands in the margin

} // namespace

ProgramTextView::ProgramTextView(Side side, QWidget* parent)
    : QPlainTextEdit(parent), m_side(side), m_margin(new Margin(this)), m_theme(CanvasTheme::fromPalette(palette())) {
    setReadOnly(true);
    setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    setTabChangesFocus(true);
    setLineWrapMode(NoWrap);
    setFrameShape(NoFrame);
    setUndoRedoEnabled(false);
    QFont fixed = QFontDatabase::systemFont(QFontDatabase::FixedFont);
    fixed.setPointSizeF(font().pointSizeF());
    setFont(fixed);
    connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
        if (dy != 0) {
            m_margin->scroll(0, dy);
        } else {
            m_margin->update(0, rect.y(), m_margin->width(), rect.height());
        }
    });
    connect(this, &QPlainTextEdit::blockCountChanged, this, &ProgramTextView::placeMargin);
    connect(this, &QPlainTextEdit::cursorPositionChanged, this, [this] {
        setAccessibleDescription(describe(currentLine()));
        m_margin->update();
        viewport()->update();
    });
    connect(verticalScrollBar(), &QScrollBar::valueChanged, this, &ProgramTextView::scrolled);
    placeMargin();
}

const std::vector<LineMark>* ProgramTextView::marks() const {
    return m_diff == nullptr ? nullptr : m_side == Side::Reference ? &m_diff->reference : &m_diff->rewritten;
}

void ProgramTextView::setProgram(const QString& text) {
    m_diff.reset();
    m_step = 0;
    setPlainText(text);
    placeMargin();
}

void ProgramTextView::setMarks(std::shared_ptr<const ProgramDiff> diff) {
    m_diff = std::move(diff);
    m_margin->update();
    viewport()->update();
}

void ProgramTextView::setStep(int line) {
    m_step = line;
    if (line > 0) {
        goToLine(line);
    }
    m_margin->update();
    viewport()->update();
}

int ProgramTextView::currentLine() const { return textCursor().blockNumber() + 1; }

void ProgramTextView::goToLine(int line) {
    const QTextBlock block = document()->findBlockByNumber(std::clamp(line, 1, blockCount()) - 1);
    setTextCursor(QTextCursor(block));
    // In the middle only where it was not in sight: what is read does not jump.
    const int first = firstVisibleLine();
    const int shown = std::max(1, viewport()->height() / std::max(1, fontMetrics().lineSpacing()));
    if (line < first + 2 || line > first + shown - 3) {
        centerCursor();
    }
    horizontalScrollBar()->setValue(0);
}

void ProgramTextView::select(int line, int column, int length) {
    goToLine(line);
    QTextCursor cursor = textCursor();
    cursor.setPosition(cursor.position() + column);
    cursor.setPosition(cursor.position() + length, QTextCursor::KeepAnchor);
    setTextCursor(cursor);
}

int ProgramTextView::firstVisibleLine() const { return firstVisibleBlock().blockNumber() + 1; }

void ProgramTextView::showFromLine(int line) { verticalScrollBar()->setValue(std::max(0, line - 1)); }

Role ProgramTextView::roleOf(int line) const {
    const auto* all = marks();
    return all == nullptr || line < 1 || static_cast<std::size_t>(line) > all->size() ? Role::Plain : (*all)[static_cast<std::size_t>(line) - 1].role;
}

int ProgramTextView::partnerOf(int line) const {
    const auto* all = marks();
    return all == nullptr || line < 1 || static_cast<std::size_t>(line) > all->size()
               ? 0
               : static_cast<int>((*all)[static_cast<std::size_t>(line) - 1].partner);
}

int ProgramTextView::nextDifference(int from, bool backwards) const {
    const int count = blockCount();
    for (int step = 1; step <= count; ++step) {
        const int line = (from - 1 + (backwards ? count - step : step)) % count + 1;
        const Role role = roleOf(line);
        if (role != Role::Plain && role != Role::Shared) {
            return line;
        }
    }
    return 0;
}

QString ProgramTextView::describe(int line) const {
    QString text = tr("line %1").arg(line);
    const Role role = roleOf(line);
    if (role != Role::Plain) {
        text += role == Role::Shared ? tr(": the same op on both sides") : QStringLiteral(": %1 %2").arg(glyph(role), roleText(role));
    }
    if (const int partner = partnerOf(line); partner != 0) {
        text += tr(", line %1 there").arg(partner);
    }
    if (m_diff != nullptr) {
        const auto& notes = m_diff->notes[static_cast<std::size_t>(m_side)];
        if (const auto at = notes.find(static_cast<std::uint32_t>(line)); at != notes.end()) {
            text += u'\n' + toQString(at->second);
        }
    }
    return text;
}

int ProgramTextView::marginWidth() const {
    const int digits = std::max<int>(3, static_cast<int>(QString::number(blockCount()).size()));
    const QFontMetrics metrics = fontMetrics();
    return Gap + metrics.horizontalAdvance(u'9') * digits + Gap + metrics.height() + Gap;
}

void ProgramTextView::placeMargin() {
    const int width = marginWidth();
    setViewportMargins(width, 0, 0, 0);
    const QRect inside = contentsRect();
    m_margin->setGeometry(inside.left(), inside.top(), width, inside.height());
}

QRectF ProgramTextView::lineRect(const QTextBlock& block) const { return blockBoundingGeometry(block).translated(contentOffset()); }

void ProgramTextView::paintMargin(QPaintEvent* event) {
    QPainter painter(m_margin);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.fillRect(event->rect(), m_theme.container);
    painter.setFont(font());
    const QFontMetrics metrics = fontMetrics();
    const int badge = metrics.height();
    for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
        const QRectF rect = lineRect(block);
        if (rect.top() > event->rect().bottom()) {
            break;
        }
        const int line = block.blockNumber() + 1;
        const Role role = roleOf(line);
        const RoleStyle& style = m_theme.style(role);
        const bool here = line == m_step;
        const bool current = line == currentLine();
        painter.setPen(current || here ? palette().color(QPalette::Text) : m_theme.mutedText);
        const int right = m_margin->width() - badge - 2 * Gap;
        painter.drawText(QRectF(0, rect.top(), right, rect.height()), Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
        if (role != Role::Plain && role != Role::Shared) {
            const QRectF box(right + Gap, rect.top() + 1, badge, rect.height() - 2);
            painter.fillRect(box, style.fill);
            painter.setPen(QPen(style.colour, role == Role::Failing ? 2.0 : 1.0));
            painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
            painter.setPen(style.text);
            painter.drawText(box, Qt::AlignCenter, glyph(role));
        }
        if (here) {
            painter.setPen(palette().color(QPalette::Text));
            painter.drawText(QRectF(0, rect.top(), metrics.height(), rect.height()), Qt::AlignLeft | Qt::AlignVCenter, QStringLiteral("\u25B8"));
        }
    }
    painter.setPen(m_theme.edge);
    painter.drawLine(m_margin->width() - 1, event->rect().top(), m_margin->width() - 1, event->rect().bottom());
}

void ProgramTextView::paintEvent(QPaintEvent* event) {
    {
        QPainter painter(viewport());
        const QColor base = palette().color(QPalette::Base);
        for (QTextBlock block = firstVisibleBlock(); block.isValid(); block = block.next()) {
            const QRectF rect = lineRect(block);
            if (rect.top() > viewport()->height()) {
                break;
            }
            const int line = block.blockNumber() + 1;
            const QRectF whole(0, rect.top(), viewport()->width(), rect.height());
            const Role role = roleOf(line);
            if (role != Role::Plain && role != Role::Shared && !m_theme.monochrome) {
                // Faint: the text on it keeps its contrast. The glyph in the margin says the same.
                painter.fillRect(whole, blended(m_theme.style(role).colour, base, 0.14));
            }
            if (line == currentLine() && hasFocus()) {
                painter.setPen(QPen(m_theme.edge, 1.0));
                painter.drawRect(whole.adjusted(0, 0, -1, -1));
            }
            if (line == m_step) {
                painter.setPen(QPen(m_theme.selection, 2.0));
                painter.drawRect(whole.adjusted(1, 1, -1, -1));
            }
        }
    }
    QPlainTextEdit::paintEvent(event);
}

void ProgramTextView::resizeEvent(QResizeEvent* event) {
    QPlainTextEdit::resizeEvent(event);
    placeMargin();
    if (m_step > 0 && currentLine() == m_step) {
        ensureCursorVisible(); // a pane that opens below must not hide the step
    }
}

void ProgramTextView::changeEvent(QEvent* event) {
    QPlainTextEdit::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) {
        m_theme = CanvasTheme::fromPalette(palette());
        viewport()->update();
    }
    if (event->type() == QEvent::FontChange && m_margin != nullptr) {
        placeMargin();
    }
}

bool ProgramTextView::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const int line = cursorForPosition(help->pos()).blockNumber() + 1;
        const Role role = roleOf(line);
        if (role != Role::Plain && role != Role::Shared) {
            QToolTip::showText(help->globalPos(), describe(line), viewport());
        } else {
            QToolTip::hideText();
        }
        return true;
    }
    return QPlainTextEdit::viewportEvent(event);
}

} // namespace lemmascope
