#include "ui/panels/long_text.h"

#include <QLabel>
#include <QResizeEvent>

#include <algorithm>

namespace lemmascope {

LongText::LongText(const QString& accessibleName, int lines, QWidget* parent) : QScrollArea(parent), m_lines(lines) {
    setAccessibleName(accessibleName);
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    setFocusPolicy(Qt::NoFocus);
    m_label = new QLabel;
    m_label->setAccessibleName(accessibleName);
    m_label->setTextFormat(Qt::PlainText);
    m_label->setWordWrap(true);
    m_label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_label->setMinimumWidth(1); // a word longer than the pane is cut, not the pane stretched
    setWidget(m_label);
}

void LongText::setText(const QString& text) {
    m_label->setText(text);
    follow();
}

QString LongText::text() const { return m_label->text(); }

int LongText::linesHeight(int lines) const { return m_label->fontMetrics().lineSpacing() * lines + 2 * m_label->margin(); }

int LongText::wantedHeight() const { return m_label->heightForWidth(std::max(1, width())); }

QSize LongText::sizeHint() const {
    return {m_label->fontMetrics().averageCharWidth() * 30, std::clamp(wantedHeight(), linesHeight(1), linesHeight(m_lines))};
}

QSize LongText::minimumSizeHint() const { return {m_label->fontMetrics().averageCharWidth() * 8, linesHeight(1)}; }

void LongText::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    follow();
}

void LongText::follow() {
    // Worth a stop of the Tab key only where there is something to scroll to.
    setFocusPolicy(wantedHeight() > std::max(height(), linesHeight(m_lines)) ? Qt::StrongFocus : Qt::NoFocus);
    updateGeometry();
}

} // namespace lemmascope
