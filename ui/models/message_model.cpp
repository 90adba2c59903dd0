#include "ui/models/message_model.h"

#include "ui/views/text.h"

#include <algorithm>

namespace lemmascope {

MessageModel::MessageModel(QObject* parent) : QAbstractTableModel(parent) {}

QString remedyFor(ErrorCode code) {
    switch (code) {
    case ErrorCode::NotFound: return MessageModel::tr("Check that the file exists and may be read.");
    case ErrorCode::BadData: return MessageModel::tr("Correct the file at the place named, or write it again.");
    case ErrorCode::Unsupported: return MessageModel::tr("Take the construct named out of the model, or convert it first.");
    case ErrorCode::TooLarge: return MessageModel::tr("Cut the model down below the limit named.");
    case ErrorCode::ShapeMismatch: return MessageModel::tr("Correct the operands or attributes of the node named.");
    case ErrorCode::WorkerFailed: return MessageModel::tr("Check again with F5; if it happens again, export a report.");
    case ErrorCode::Internal: return MessageModel::tr("This is a fault of Lemmascope: please report it with both files.");
    case ErrorCode::Usage:
    case ErrorCode::Cancelled: return {};
    }
    return {};
}

void MessageModel::addError(const QString& doing, const Error& error) {
    QString text = tr("%1 failed: %2").arg(doing, toQString(error.message));
    const QString remedy = remedyFor(error.code);
    if (!remedy.isEmpty()) {
        text += (text.endsWith(u'.') ? QStringLiteral(" ") : QStringLiteral(". ")) + remedy;
    }
    add(Message{Kind::Error, toQString(error.where), text, QTime::currentTime()});
}

void MessageModel::addNote(const QString& where, const QString& text) { add(Message{Kind::Note, where, text, QTime::currentTime()}); }

void MessageModel::clear() {
    beginResetModel();
    m_messages.clear();
    endResetModel();
}

void MessageModel::add(Message message) {
    if (m_messages.size() >= Kept) {
        beginRemoveRows({}, 0, 0);
        m_messages.erase(m_messages.begin());
        endRemoveRows();
    }
    const int row = static_cast<int>(m_messages.size());
    beginInsertRows({}, row, row);
    m_messages.push_back(std::move(message));
    endInsertRows();
}

int MessageModel::errorCount() const {
    return static_cast<int>(std::count_if(m_messages.begin(), m_messages.end(), [](const Message& message) { return message.kind == Kind::Error; }));
}

QString MessageModel::plainText() const {
    QString text;
    for (const Message& message : m_messages) {
        text += message.time.toString(QStringLiteral("HH:mm:ss ")) + (message.where.isEmpty() ? QString() : message.where + QStringLiteral(": ")) +
                message.text + u'\n';
    }
    return text;
}

int MessageModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_messages.size()); }

int MessageModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : ColumnCount; }

QVariant MessageModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) {
        return {};
    }
    const Message& message = m_messages[static_cast<std::size_t>(index.row())];
    if (role == KindRole) {
        return static_cast<int>(message.kind);
    }
    if (role == Qt::ToolTipRole) {
        return message.where.isEmpty() ? message.text : QString(message.where + u'\n' + message.text);
    }
    if (role != Qt::DisplayRole) {
        return {};
    }
    switch (index.column()) {
    case KindColumn: return message.kind == Kind::Error ? tr("✗ error") : tr("note");
    case WhereColumn: return message.where;
    case TextColumn: return message.text;
    case TimeColumn: return message.time.toString(QStringLiteral("HH:mm:ss"));
    default: return {};
    }
}

QVariant MessageModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole) {
        return {};
    }
    switch (section) {
    case KindColumn: return tr("Kind");
    case WhereColumn: return tr("Where");
    case TextColumn: return tr("What happened and what to do");
    case TimeColumn: return tr("Time");
    default: return {};
    }
}

} // namespace lemmascope
