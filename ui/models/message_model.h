#pragma once

#include "core/base/error.h"

#include <QAbstractTableModel>
#include <QTime>

#include <vector>

namespace lemmascope {

/// What the window has to tell: failures (what, where, remedy) and notes, newest last.
class MessageModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { KindColumn, WhereColumn, TextColumn, TimeColumn, ColumnCount };
    enum Role { KindRole = Qt::UserRole };
    enum class Kind { Error, Note };
    static constexpr std::size_t Kept = 1000;

    explicit MessageModel(QObject* parent = nullptr);

    /// `doing` says what was tried ("Open pair"); the error's own words name the place and the remedy.
    void addError(const QString& doing, const Error& error);
    void addNote(const QString& where, const QString& text);
    void clear();
    [[nodiscard]] int errorCount() const;
    [[nodiscard]] QString plainText() const;

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

  private:
    struct Message {
        Kind kind = Kind::Note;
        QString where;
        QString text;
        QTime time;
    };
    void add(Message message);

    std::vector<Message> m_messages;
};

/// What a reader can do about an error of this kind, for those whose message does not already say it.
[[nodiscard]] QString remedyFor(ErrorCode code);

} // namespace lemmascope
