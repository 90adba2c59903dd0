#include "ui/views/cut_text_tips.h"

#include <QAbstractItemModel>
#include <QComboBox>
#include <QDockWidget>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTextDocumentFragment>
#include <QToolTip>

namespace lemmascope {

namespace {

constexpr int Margins = 8; ///< what styles keep free at both ends of a text, about

QString ifWider(const QWidget* widget, const QString& text, int room) {
    return widget->fontMetrics().horizontalAdvance(text) > room ? text : QString();
}

} // namespace

QString cutTextAt(const QWidget* widget, const QPoint& position) {
    if (const auto* header = qobject_cast<const QHeaderView*>(widget->parentWidget()); header != nullptr && header->viewport() == widget) {
        const int section = header->logicalIndexAt(position);
        if (section < 0 || header->orientation() != Qt::Horizontal ||
            header->model()->headerData(section, Qt::Horizontal, Qt::ToolTipRole).isValid()) {
            return {};
        }
        return ifWider(header, header->model()->headerData(section, Qt::Horizontal).toString(), header->sectionSize(section) - Margins);
    }
    if (!widget->toolTip().isEmpty()) {
        return {};
    }
    if (const auto* label = qobject_cast<const QLabel*>(widget)) {
        const bool cut = label->wordWrap() ? label->height() < label->heightForWidth(label->width()) : label->width() < label->sizeHint().width();
        return cut ? (Qt::mightBeRichText(label->text()) ? QTextDocumentFragment::fromHtml(label->text()).toPlainText() : label->text()) : QString();
    }
    if (const auto* line = qobject_cast<const QLineEdit*>(widget)) {
        return ifWider(line, line->text().isEmpty() ? line->placeholderText() : QString(), line->width() - Margins);
    }
    if (const auto* combo = qobject_cast<const QComboBox*>(widget)) {
        constexpr int Arrow = 24;
        return ifWider(combo, combo->currentText(), combo->width() - Arrow - Margins);
    }
    if (const auto* dock = qobject_cast<const QDockWidget*>(widget)) {
        constexpr int Buttons = 40;
        return ifWider(dock, dock->windowTitle(), dock->width() - Buttons);
    }
    return {};
}

bool CutTextTips::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ToolTip && watched->isWidgetType()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        auto* widget = static_cast<QWidget*>(watched);
        if (const QString text = cutTextAt(widget, help->pos()); !text.isEmpty()) {
            QToolTip::showText(help->globalPos(), text, widget);
            return true;
        }
    }
    return QObject::eventFilter(watched, event);
}

} // namespace lemmascope
