#include "ui/views/label_accessible.h"

#include <QAccessible>
#include <QAccessibleWidget>
#include <QCoreApplication>
#include <QLabel>
#include <QTextDocumentFragment>

namespace lemmascope {

namespace {

class LabelAccessible : public QAccessibleWidget {
  public:
    explicit LabelAccessible(QLabel* label) : QAccessibleWidget(label, QAccessible::StaticText) {}

    [[nodiscard]] QString text(QAccessible::Text kind) const override {
        if (kind != QAccessible::Name) {
            return QAccessibleWidget::text(kind);
        }
        const auto* label = static_cast<const QLabel*>(widget());
        QString shown = label->text();
        if (label->textFormat() == Qt::RichText || (label->textFormat() == Qt::AutoText && Qt::mightBeRichText(shown))) {
            shown = QTextDocumentFragment::fromHtml(shown).toPlainText();
        } else if (label->buddy() != nullptr) {
            shown.remove(u'&');
        }
        const QString name = label->accessibleName();
        if (name.isEmpty() || shown.startsWith(name)) {
            return shown;
        }
        return shown.isEmpty() ? name : QCoreApplication::translate("lemmascope::LabelAccessible", "%1: %2").arg(name, shown);
    }

    [[nodiscard]] QAccessible::State state() const override {
        QAccessible::State state = QAccessibleWidget::state();
        state.readOnly = true;
        return state;
    }

    [[nodiscard]] QList<QPair<QAccessibleInterface*, QAccessible::Relation>> relations(QAccessible::Relation match) const override {
        auto found = QAccessibleWidget::relations(match);
        auto* label = static_cast<QLabel*>(widget());
        if (match.testFlag(QAccessible::Labelled) && label->buddy() != nullptr) {
            found.append({QAccessible::queryAccessibleInterface(label->buddy()), QAccessible::Labelled});
        }
        return found;
    }
};

QAccessibleInterface* makeLabelAccessible(const QString& kind, QObject* object) {
    // Scrolled words and pictures of ours take the focus, so that keys can scroll them; Qt gives them no role.
    if (kind == QStringLiteral("lemmascope::HeatMapView") || kind == QStringLiteral("lemmascope::CellMapView") ||
        kind == QStringLiteral("lemmascope::TimelineView")) {
        return new QAccessibleWidget(qobject_cast<QWidget*>(object), QAccessible::Graphic);
    }
    if (kind == QStringLiteral("QKeySequenceEdit")) {
        return new QAccessibleWidget(qobject_cast<QWidget*>(object), QAccessible::EditableText);
    }
    if (kind == QStringLiteral("QScrollArea")) {
        return new QAccessibleWidget(qobject_cast<QWidget*>(object), QAccessible::Pane);
    }
    if (kind != QStringLiteral("QLabel")) {
        return nullptr;
    }
    auto* label = qobject_cast<QLabel*>(object);
    return label == nullptr ? nullptr : new LabelAccessible(label);
}

} // namespace

void installLabelAccessibility() {
    static const bool installed = [] {
        QAccessible::installFactory(makeLabelAccessible);
        return true;
    }();
    Q_UNUSED(installed)
}

} // namespace lemmascope
