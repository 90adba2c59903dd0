#include "ui/panels/messages_panel.h"

#include "ui/models/message_model.h"
#include "ui/views/fact_table_view.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lemmascope {

MessagesPanel::MessagesPanel(MessageModel* messages, QWidget* parent) : QWidget(parent), m_messages(messages) {
    m_table = new FactTableView(tr("Messages"), this);
    m_table->setModel(messages);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setStretchedColumn(MessageModel::TextColumn);
    m_table->setColumnWidth(MessageModel::WhereColumn, fontMetrics().averageCharWidth() * 40);
    m_table->setColumnWidth(MessageModel::KindColumn, fontMetrics().averageCharWidth() * 10);
    m_table->setColumnWidth(MessageModel::TimeColumn, fontMetrics().horizontalAdvance(QStringLiteral("00:00:00")) + 16);
    m_full = new QPlainTextEdit(this);
    m_full->setAccessibleName(tr("Message in full"));
    m_full->setReadOnly(true);
    m_full->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_full->setTabChangesFocus(true);
    m_full->setMaximumHeight(fontMetrics().height() * 4);
    m_full->setMinimumHeight(fontMetrics().height() * 2);
    m_full->setPlaceholderText(tr("Errors and notes appear here."));
    auto* copy = new QPushButton(tr("&Copy all"), this);
    copy->setAccessibleName(tr("Copy all messages"));
    auto* clear = new QPushButton(tr("C&lear"), this);
    clear->setAccessibleName(tr("Clear the messages"));

    auto* buttons = new QVBoxLayout;
    buttons->addWidget(copy);
    buttons->addWidget(clear);
    buttons->addStretch();
    auto* texts = new QVBoxLayout;
    texts->addWidget(m_table, 1);
    texts->addWidget(m_full);
    auto* all = new QHBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->addLayout(texts, 1);
    all->addLayout(buttons);

    connect(copy, &QPushButton::clicked, this, [this] { QGuiApplication::clipboard()->setText(m_messages->plainText()); });
    connect(clear, &QPushButton::clicked, this, [this] {
        m_messages->clear();
        m_full->clear();
    });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            [this](const QModelIndex& current) { m_full->setPlainText(current.isValid() ? current.data(Qt::ToolTipRole).toString() : QString()); });
    // The newest message is the one that matters.
    connect(m_messages, &QAbstractItemModel::rowsInserted, this, [this](const QModelIndex&, int, int last) {
        m_table->selectRow(last);
        m_table->scrollToBottom();
    });
}

} // namespace lemmascope
