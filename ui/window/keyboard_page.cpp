#include "ui/window/keyboard_page.h"

#include "ui/models/fact_table_model.h"
#include "ui/views/fact_table_view.h"
#include "ui/window/keyboard_part.h"

#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

namespace lemmascope {

KeyboardPage::KeyboardPage(KeyboardPart& part, QWidget* parent) : QDialog(parent), m_part(part) {
    setObjectName(QStringLiteral("keyboardPage"));
    setWindowTitle(tr("Settings: Keyboard"));
    setAccessibleName(windowTitle());
    m_filter = new QLineEdit(this);
    m_filter->setPlaceholderText(tr("Filter by words or keys"));
    m_filter->setAccessibleName(tr("Filter the acts"));
    m_filter->setClearButtonEnabled(true);
    m_model = new FactTableModel(this);
    m_shown = new QSortFilterProxyModel(this);
    m_shown->setSourceModel(m_model);
    m_shown->setFilterKeyColumn(-1);
    m_shown->setFilterCaseSensitivity(Qt::CaseInsensitive);
    m_table = new FactTableView(tr("Acts and their keys"), this);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setModel(m_shown);
    m_table->setStretchedColumn(0);
    m_notice = new QLabel(this);
    m_notice->setAccessibleName(tr("What the key means now"));
    m_notice->setWordWrap(true);
    m_notice->setTextFormat(Qt::PlainText);
    m_edit = new QKeySequenceEdit(this);
    m_edit->setAccessibleName(tr("New key"));
    const auto button = [this](const QString& text, const QString& tip) {
        auto* made = new QPushButton(text, this);
        made->setAccessibleName(tip);
        made->setToolTip(tip);
        made->setAutoDefault(false);
        return made;
    };
    m_set = button(tr("&Set"), tr("Give this key to the chosen act"));
    m_remove = button(tr("Remo&ve"), tr("Leave the chosen act without a key"));
    m_reset = button(tr("&Reset"), tr("Give the chosen act its built-in keys"));
    QPushButton* all = button(tr("Reset &All"), tr("Give every act its built-in keys"));
    auto* label = new QLabel(tr("&New key:"), this);
    label->setAccessibleName(tr("New key"));
    label->setBuddy(m_edit);
    auto* row = new QHBoxLayout;
    row->addWidget(label);
    row->addWidget(m_edit, 1);
    row->addWidget(m_set);
    row->addWidget(m_remove);
    row->addWidget(m_reset);
    row->addWidget(all);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->setAccessibleName(tr("Close the settings"));
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::close);
    auto* rows = new QVBoxLayout(this);
    rows->addWidget(m_filter);
    rows->addWidget(m_table, 1);
    rows->addWidget(m_notice);
    rows->addLayout(row);
    rows->addWidget(buttons);
    connect(m_filter, &QLineEdit::textChanged, m_shown, &QSortFilterProxyModel::setFilterFixedString);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, &KeyboardPage::showChosen);
    connect(m_edit, &QKeySequenceEdit::keySequenceChanged, this, &KeyboardPage::tellConflict);
    connect(m_set, &QPushButton::clicked, this, [this] { apply(false); });
    connect(m_remove, &QPushButton::clicked, this, [this] { apply(true); });
    connect(m_reset, &QPushButton::clicked, this, [this] {
        if (const auto entry = chosen()) {
            m_part.reset(*entry);
        }
    });
    connect(all, &QPushButton::clicked, this, [this] { m_part.resetAll(); });
    connect(&part, &KeyboardPart::keysChanged, this, &KeyboardPage::refresh);
    resize(fontMetrics().averageCharWidth() * 100, fontMetrics().height() * 34);
    refresh();
}

void KeyboardPage::refresh() {
    const auto entry = chosen();
    FactTable table;
    table.headers = {tr("Act"), tr("Keys")};
    for (std::size_t i = 0; i < m_part.count(); ++i) {
        QStringList keys;
        for (const QKeySequence& key : m_part.keys(i)) {
            keys += key.toString(QKeySequence::NativeText);
        }
        const bool own = !m_part.isBuiltIn(i);
        table.rows.push_back({{m_part.title(i), keys.join(tr(" or "))}, own, own ? tr("Not the built-in keys.") : QString()});
    }
    m_model->setTable(std::move(table));
    m_table->setStretchedColumn(0);
    if (entry) {
        choose(m_part.title(*entry));
    }
    showChosen();
}

void KeyboardPage::choose(const QString& title) {
    for (int row = 0; row < m_shown->rowCount(); ++row) {
        if (m_shown->index(row, 0).data().toString() == title) {
            m_table->selectRow(row);
            m_table->scrollTo(m_shown->index(row, 0));
            return;
        }
    }
}

std::optional<std::size_t> KeyboardPage::chosen() const {
    const QModelIndexList rows = m_table->selectionModel()->selectedRows();
    return rows.isEmpty() ? std::nullopt : std::optional(static_cast<std::size_t>(m_shown->mapToSource(rows.front()).row()));
}

void KeyboardPage::showChosen() {
    const auto entry = chosen();
    m_edit->setEnabled(entry.has_value());
    m_remove->setEnabled(entry && !m_part.keys(*entry).isEmpty());
    m_reset->setEnabled(entry && !m_part.isBuiltIn(*entry));
    m_edit->clear();
    tellConflict();
}

void KeyboardPage::tellConflict() {
    const auto entry = chosen();
    const QKeySequence key = m_edit->keySequence();
    if (!entry) {
        m_notice->setText(tr("Choose an act to change its keys."));
    } else if (key.isEmpty()) {
        m_notice->setText(tr("Type the new key of %1.").arg(m_part.title(*entry)));
    } else {
        const QString owner = m_part.ownerOf(key, *entry);
        const QString text = key.toString(QKeySequence::NativeText);
        m_notice->setText(owner.isEmpty() ? tr("%1 is free.").arg(text) : tr("⚠ %1 belongs to %2, which will lose it.").arg(text, owner));
    }
    m_set->setEnabled(entry && !key.isEmpty());
}

QString KeyboardPage::notice() const { return m_notice->text(); }

void KeyboardPage::apply(bool remove) {
    const auto entry = chosen();
    if (!entry) {
        return;
    }
    const QKeySequence key = m_edit->keySequence();
    if (!m_part.setKeys(*entry, remove ? QList<QKeySequence>{} : QList<QKeySequence>{key})) {
        m_notice->setText(tr("✗ %1 is a key of the graph itself and cannot be given away.").arg(key.toString(QKeySequence::NativeText)));
    }
}

} // namespace lemmascope
