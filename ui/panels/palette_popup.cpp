#include "ui/panels/palette_popup.h"

#include <QApplication>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr int MostRows = 14;

/// The title at the left, the detail at the right; the title gives way.
class PaletteDelegate : public QStyledItemDelegate {
  public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        QStyleOptionViewItem item = option;
        initStyleOption(&item, index);
        item.text.clear();
        const QWidget* widget = item.widget;
        (widget != nullptr ? widget->style() : QApplication::style())->drawControl(QStyle::CE_ItemViewItem, &item, painter, widget);
        const bool selected = (item.state & QStyle::State_Selected) != 0;
        const bool enabled = index.data(PaletteModel::EnabledRole).toBool();
        const auto group = enabled ? QPalette::Active : QPalette::Disabled;
        const QColor text = item.palette.color(group, selected ? QPalette::HighlightedText : QPalette::Text);
        const QRect room = item.rect.adjusted(8, 0, -8, 0);
        const QString detail = item.fontMetrics.elidedText(index.data(PaletteModel::DetailRole).toString(), Qt::ElideLeft, room.width() / 2);
        const int detailWidth = detail.isEmpty() ? 0 : item.fontMetrics.horizontalAdvance(detail) + 16;
        painter->save();
        painter->setFont(item.font);
        painter->setPen(text);
        painter->drawText(room.adjusted(0, 0, -detailWidth, 0), static_cast<int>(Qt::AlignVCenter | Qt::AlignLeft),
                          item.fontMetrics.elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideMiddle, room.width() - detailWidth));
        painter->drawText(room, static_cast<int>(Qt::AlignVCenter | Qt::AlignRight), detail);
        painter->restore();
    }
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        return {100, std::max(QStyledItemDelegate::sizeHint(option, index).height(), option.fontMetrics.height() + 8)};
    }
};

} // namespace

PalettePopup::PalettePopup(QWidget* window) : QFrame(window), m_model(new PaletteModel(this)) {
    setObjectName(QStringLiteral("palette"));
    setFrameShape(QFrame::StyledPanel);
    setFrameShadow(QFrame::Raised);
    setLineWidth(2);
    setAutoFillBackground(true);
    m_edit = new QLineEdit(this);
    m_edit->setObjectName(QStringLiteral("paletteText"));
    m_edit->setAccessibleName(tr("What to do or where to go"));
    m_edit->setClearButtonEnabled(true);
    m_edit->setMaxLength(1'000);
    m_list = new QListView(this);
    m_list->setAccessibleName(tr("Answers"));
    m_list->setModel(m_model);
    m_list->setItemDelegate(new PaletteDelegate(m_list));
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setMouseTracking(true);
    m_empty = new QLabel(tr("Nothing answers this."), this);
    m_empty->setAccessibleName(tr("No answer"));
    m_empty->setMargin(8);
    auto* rows = new QVBoxLayout(this);
    rows->setContentsMargins(8, 8, 8, 8);
    rows->addWidget(m_edit);
    rows->addWidget(m_list, 1);
    rows->addWidget(m_empty);
    m_edit->installEventFilter(this);
    window->installEventFilter(this);
    connect(m_edit, &QLineEdit::textChanged, this, &PalettePopup::textChanged);
    connect(m_list, &QListView::clicked, this, [this](const QModelIndex& index) {
        m_list->setCurrentIndex(index);
        choose();
    });
    hide();
}

void PalettePopup::open(const QString& title) {
    if (!isVisible()) {
        m_before = QApplication::focusWidget();
    }
    setAccessibleName(title);
    m_edit->setAccessibleName(title);
    m_edit->setPlaceholderText(title);
    m_edit->clear();
    place();
    show();
    raise();
    m_edit->setFocus(Qt::PopupFocusReason);
    Q_EMIT textChanged({});
}

void PalettePopup::close() {
    if (!isVisible()) {
        return;
    }
    const bool inside = isAncestorOf(QApplication::focusWidget());
    const QPointer<QWidget> before = m_before; // hiding moves the focus, which forgets it
    hide();
    if (inside && before != nullptr) {
        before->setFocus(Qt::OtherFocusReason);
    }
    m_before = nullptr;
}

void PalettePopup::setEntries(std::vector<PaletteEntry> entries) {
    m_model->setEntries(std::move(entries));
    const bool any = m_model->rowCount() > 0;
    m_list->setVisible(any);
    m_empty->setVisible(!any);
    if (any) {
        m_list->setCurrentIndex(m_model->index(0));
        m_list->scrollToTop();
        m_edit->setAccessibleDescription(m_list->currentIndex().data(Qt::AccessibleTextRole).toString());
    }
    place();
}

QString PalettePopup::text() const { return m_edit->text(); }

int PalettePopup::currentRow() const { return m_list->currentIndex().row(); }

void PalettePopup::place() {
    const QWidget* window = parentWidget();
    const int most = window->width() - 40;
    const int wanted = std::min(most, std::max(480, fontMetrics().averageCharWidth() * 90));
    const int rowHeight = std::max(1, m_list->sizeHintForRow(0));
    const int rows = std::clamp(m_model->rowCount(), 1, MostRows);
    const int height = std::min(window->height() - 80, m_edit->sizeHint().height() + rows * rowHeight + 44);
    setGeometry((window->width() - wanted) / 2, std::min(90, window->height() / 8), wanted, height);
}

void PalettePopup::move(int by) {
    const int count = m_model->rowCount();
    if (count > 0) {
        const int row = std::abs(by) == 1 ? (currentRow() + by + count) % count : std::clamp(currentRow() + by, 0, count - 1);
        m_list->setCurrentIndex(m_model->index(row));
        m_edit->setAccessibleDescription(m_list->currentIndex().data(Qt::AccessibleTextRole).toString());
    }
}

void PalettePopup::choose() {
    const int row = currentRow();
    if (row < 0 || row >= m_model->rowCount()) {
        return;
    }
    const PaletteEntry entry = m_model->entries()[static_cast<std::size_t>(row)];
    if (entry.enabled) {
        close();
        Q_EMIT chosen(entry);
    }
}

bool PalettePopup::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize && isVisible()) {
        place();
    }
    if (watched == m_edit && event->type() == QEvent::FocusOut && static_cast<QFocusEvent*>(event)->reason() != Qt::PopupFocusReason &&
        static_cast<QFocusEvent*>(event)->reason() != Qt::ActiveWindowFocusReason) {
        hide(); // the reader went elsewhere: the focus stays there
        m_before = nullptr;
    }
    if (watched == m_edit && (event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride)) {
        auto* key = static_cast<QKeyEvent*>(event);
        static constexpr int Ours[] = {Qt::Key_Escape, Qt::Key_Return, Qt::Key_Enter, Qt::Key_Up, Qt::Key_Down, Qt::Key_PageUp, Qt::Key_PageDown};
        const bool ours = (key->modifiers() & ~Qt::KeypadModifier) == 0 && std::find(std::begin(Ours), std::end(Ours), key->key()) != std::end(Ours);
        if (ours && event->type() == QEvent::ShortcutOverride) {
            key->accept();
            return true;
        }
        if (ours) {
            switch (key->key()) {
            case Qt::Key_Escape: close(); break;
            case Qt::Key_Up: move(-1); break;
            case Qt::Key_Down: move(1); break;
            case Qt::Key_PageUp: move(-MostRows); break;
            case Qt::Key_PageDown: move(MostRows); break;
            default: choose(); break;
            }
            return true;
        }
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace lemmascope
