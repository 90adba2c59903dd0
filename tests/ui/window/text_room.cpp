#include "tests/ui/window/text_room.h"

#include "ui/views/cut_text_tips.h"

#include <QAbstractButton>
#include <QAbstractItemModel>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QDockWidget>
#include <QFileDialog>
#include <QGroupBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QRegularExpression>
#include <QStyleOption>
#include <QTabBar>
#include <QTableView>
#include <QTextDocumentFragment>

#include <algorithm>

namespace lemmascope::test {

namespace {

/// A line of text may lose a little of the room above and below it before any of it is gone.
constexpr double Squeezed = 0.85;

QString plain(const QString& text) { return Qt::mightBeRichText(text) ? QTextDocumentFragment::fromHtml(text).toPlainText() : text; }

QString place(const QWidget* widget) {
    QStringList parts;
    for (const QWidget* at = widget; at != nullptr && parts.size() < 4; at = at->parentWidget()) {
        parts.prepend(QString::fromLatin1(at->metaObject()->className()).section(QStringLiteral("::"), -1) +
                      (at->objectName().isEmpty() ? QString() : u'#' + at->objectName()));
    }
    return parts.join(u'/');
}

/// All of the text can be read elsewhere.
bool isToldInFull(const QString& text, const QString& toolTip) {
    const QString tip = plain(toolTip);
    const QString start = text.section(u'…', 0, 0).trimmed();
    return !tip.isEmpty() && (tip.contains(text) || (!start.isEmpty() && tip.contains(start)));
}

void note(QStringList& found, const QWidget* widget, const QString& text, int has, int needs, const char* what) {
    found << QStringLiteral("%1: %2 %3 of %4: “%5”").arg(place(widget), QString::fromLatin1(what)).arg(has).arg(needs).arg(text.left(70));
}

} // namespace

QString PseudoTranslator::translate(const char* context, const char* source, const char*, int) const {
    const QString whose = QString::fromUtf8(context);
    if (whose.size() > 1 && whose[0] == u'Q' && whose[1].isUpper()) {
        return {}; // Qt's own, names of keys among them
    }
    static const QString from = QStringLiteral("aeiouyAEIOUYcnszl");
    static const QString to = QStringLiteral("àéîöûýÀÉÎÖÛÝçñšžł");
    const QString text = QString::fromUtf8(source);
    QString out;
    bool tag = false;
    qsizetype letters = 0;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        tag = tag || (c == u'<' && i + 1 < text.size() && (text[i + 1].isLetter() || text[i + 1] == u'/'));
        const bool placeholder = i > 0 && text[i - 1] == u'%';
        const auto entity = [&] { // &amp; in rich text; the letter after a mnemonic's & stays as it is too
            const qsizetype amp = text.lastIndexOf(u'&', i);
            return amp >= 0 && (i - amp == 1 || (i - amp < 7 && text.indexOf(u';', amp) >= i && !text.mid(amp, i - amp).contains(u' ')));
        };
        const qsizetype at = from.indexOf(c);
        out += !tag && !placeholder && at >= 0 && !entity() ? to[at] : c;
        letters += tag || c.isSpace() ? 0 : 1;
        tag = tag && c != u'>';
    }
    // As words, so that what wraps still can.
    QString more(Mark);
    for (qsizetype i = 1; i < letters * 2 / 5; ++i) {
        more += i % 6 == 5 ? u' ' : Mark;
    }
    qsizetype end = out.size();
    while (end > 0 && (out[end - 1] == u'…' || out[end - 1] == u':' || out[end - 1] == u'.' || out[end - 1] == u'\n')) {
        --end;
    }
    if (out.endsWith(u'>')) {
        end = out.lastIndexOf(u'<');
        while (end > 0 && out[end - 1] == u'>') {
            end = out.lastIndexOf(u'<', end - 1);
        }
    }
    return out.insert(end, more);
}

QList<QAction*> entriesOf(const QMenu* menu) {
    QList<QAction*> entries;
    QList<const QMenu*> waiting{menu};
    while (!waiting.isEmpty()) {
        for (QAction* action : waiting.takeFirst()->actions()) {
            if (action->menu() != nullptr) {
                waiting << action->menu();
            } else if (!action->isSeparator()) {
                entries << action;
            }
        }
    }
    return entries;
}

bool isQtsOwn(const QWidget* widget) {
    for (const QWidget* at = widget; at != nullptr; at = at->parentWidget()) {
        if (at->objectName().startsWith(QStringLiteral("qt_")) || at->objectName().startsWith(QStringLiteral("_q_")) ||
            qobject_cast<const QFileDialog*>(at) != nullptr || at->inherits("QMessageBox") || at->inherits("QPrintDialog") ||
            at->inherits("QPrintPreviewDialog") || at->inherits("QComboBoxPrivateContainer") || at->inherits("QToolBarExtension") ||
            at->objectName() == QStringLiteral("ScrollLeftButton") || at->objectName() == QStringLiteral("ScrollRightButton")) {
            return true;
        }
        if (at != widget && (qobject_cast<const QLineEdit*>(at) != nullptr || qobject_cast<const QComboBox*>(at) != nullptr ||
                             qobject_cast<const QTableView*>(at) != nullptr || qobject_cast<const QMenuBar*>(at) != nullptr)) {
            return true;
        }
    }
    return false;
}

QStringList clippedTexts(const QWidget* root) {
    QStringList found;
    QList<const QWidget*> all{root};
    for (const QWidget* child : root->findChildren<QWidget*>()) {
        all << child;
    }
    for (const QWidget* widget : all) {
        if (const auto* header = qobject_cast<const QHeaderView*>(widget); header != nullptr && header->isVisible()) {
            if (header->orientation() == Qt::Horizontal && header->model() != nullptr) {
                for (int i = 0; i < header->count(); ++i) {
                    const QString text = header->model()->headerData(i, Qt::Horizontal).toString();
                    const int needs = header->fontMetrics().horizontalAdvance(text) + 4;
                    const QPoint middle(header->sectionViewportPosition(i) + header->sectionSize(i) / 2, header->height() / 2);
                    const QString tip =
                        header->model()->headerData(i, Qt::Horizontal, Qt::ToolTipRole).toString() + cutTextAt(header->viewport(), middle);
                    if (!header->isSectionHidden(i) && header->sectionSize(i) < needs && !isToldInFull(text, tip)) {
                        note(found, header, text, header->sectionSize(i), needs, "header width");
                    }
                }
            }
            continue;
        }
        if (!widget->isVisible() || isQtsOwn(widget) || widget->visibleRegion().isEmpty()) {
            continue;
        }
        if (const auto* label = qobject_cast<const QLabel*>(widget)) {
            if (label->text().isEmpty() || (label->inherits("lemmascope::ElidedLabel") &&
                                            (label->width() >= label->sizeHint().width() || isToldInFull(label->text(), cutTextAt(label, {}))))) {
                continue;
            }
            const int needs = label->wordWrap() ? label->heightForWidth(label->width()) : label->sizeHint().height();
            if (label->height() < (label->wordWrap() ? 1.0 : Squeezed) * needs &&
                !isToldInFull(plain(label->text()), label->toolTip() + cutTextAt(label, {}))) {
                note(found, label, label->text(), label->height(), needs, "label height");
            }
            const int wide = label->wordWrap() ? label->minimumSizeHint().width() : label->sizeHint().width();
            if (label->width() < wide && !isToldInFull(plain(label->text()), label->toolTip())) {
                note(found, label, label->text(), label->width(), wide, "label width");
            }
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
            const QSize needs = button->sizeHint();
            if (!button->text().isEmpty() && (button->width() < needs.width() || button->height() < Squeezed * needs.height()) &&
                !isToldInFull(button->text().remove(u'&'), button->toolTip())) {
                note(found, button, button->text(), button->width(), needs.width(), "button width");
            }
        } else if (const auto* combo = qobject_cast<const QComboBox*>(widget)) {
            QStyleOptionComboBox option;
            option.initFrom(combo);
            const int room = combo->style()->subControlRect(QStyle::CC_ComboBox, &option, QStyle::SC_ComboBoxEditField, combo).width();
            const int needs = combo->fontMetrics().horizontalAdvance(combo->currentText());
            if (room < needs && !isToldInFull(combo->currentText(), combo->toolTip() + cutTextAt(combo, {}))) {
                note(found, combo, combo->currentText(), room, needs, "combo box width");
            }
        } else if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
            for (int i = 0; i < tabs->count(); ++i) {
                const int needs = tabs->fontMetrics().horizontalAdvance(tabs->tabText(i).remove(u'&'));
                if (tabs->tabRect(i).width() < needs && !isToldInFull(tabs->tabText(i), tabs->tabToolTip(i))) {
                    note(found, tabs, tabs->tabText(i), tabs->tabRect(i).width(), needs, "tab width");
                }
            }
        } else if (const auto* line = qobject_cast<const QLineEdit*>(widget)) {
            const int needs = line->fontMetrics().horizontalAdvance(line->placeholderText()) + 4;
            if (line->text().isEmpty() && line->width() < needs && !isToldInFull(line->placeholderText(), line->toolTip() + cutTextAt(line, {}))) {
                note(found, line, line->placeholderText(), line->width(), needs, "placeholder width");
            }
        } else if (const auto* group = qobject_cast<const QGroupBox*>(widget)) {
            const int needs = group->fontMetrics().horizontalAdvance(group->title());
            if (group->width() < needs) {
                note(found, group, group->title(), group->width(), needs, "group box width");
            }
        } else if (const auto* dock = qobject_cast<const QDockWidget*>(widget)) {
            constexpr int Buttons = 40; // float and close
            const int needs = dock->fontMetrics().horizontalAdvance(dock->windowTitle()) + Buttons;
            if (dock->titleBarWidget() == nullptr && dock->width() < needs &&
                !isToldInFull(dock->windowTitle(), dock->toolTip() + cutTextAt(dock, {}))) {
                note(found, dock, dock->windowTitle(), dock->width(), needs, "dock title width");
            }
        }
    }
    return found;
}

bool isTranslated(const QString& text, const QSet<QString>& data) {
    QString left = plain(text);
    if (left.contains(PseudoTranslator::Mark, Qt::CaseInsensitive)) {
        return true;
    }
    QStringList words(data.begin(), data.end());
    std::sort(words.begin(), words.end(), [](const QString& a, const QString& b) { return a.size() > b.size(); }); // whole names first
    for (const QString& word : words) {
        left.remove(word);
    }
    static const QRegularExpression word(QStringLiteral("[A-Za-z]{2,}"));
    return !left.contains(word);
}

QStringList untranslatedTexts(const QWidget* root, const QSet<QString>& data) {
    QStringList found;
    QList<const QWidget*> all{root};
    for (const QWidget* child : root->findChildren<QWidget*>()) {
        all << child;
    }
    for (const QWidget* widget : all) {
        if (isQtsOwn(widget)) {
            continue;
        }
        QStringList texts{widget->toolTip(), widget->accessibleName(), widget->accessibleDescription(), widget->whatsThis()};
        if (const auto* label = qobject_cast<const QLabel*>(widget)) {
            texts << label->text();
        } else if (const auto* button = qobject_cast<const QAbstractButton*>(widget)) {
            if (!button->parentWidget()->inherits("QDialogButtonBox") && !button->parentWidget()->inherits("QDockWidget")) {
                texts << button->text();
            } else {
                texts.clear(); // Close, Cancel, Float: Qt's own words
            }
        } else if (const auto* combo = qobject_cast<const QComboBox*>(widget)) {
            for (int i = 0; i < combo->count(); ++i) {
                texts << combo->itemText(i);
            }
        } else if (const auto* tabs = qobject_cast<const QTabBar*>(widget)) {
            for (int i = 0; i < tabs->count(); ++i) {
                texts << tabs->tabText(i);
            }
        } else if (const auto* line = qobject_cast<const QLineEdit*>(widget)) {
            texts << line->placeholderText();
        } else if (const auto* group = qobject_cast<const QGroupBox*>(widget)) {
            texts << group->title();
        } else if (qobject_cast<const QDockWidget*>(widget) != nullptr || widget->isWindow()) {
            texts << widget->windowTitle();
        } else if (const auto* table = qobject_cast<const QTableView*>(widget); table != nullptr && table->model() != nullptr) {
            for (int i = 0; i < table->model()->columnCount(); ++i) {
                texts << table->model()->headerData(i, Qt::Horizontal).toString();
            }
        }
        for (const QString& text : texts) {
            if (!isTranslated(text, data)) {
                found << place(widget) + QStringLiteral(": “%1”").arg(plain(text).left(100));
            }
        }
    }
    return found;
}

} // namespace lemmascope::test
