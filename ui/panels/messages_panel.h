#pragma once

#include <QWidget>

class QPlainTextEdit;

namespace lemmascope {

class FactTableView;
class MessageModel;

/// Failures and notes: a list, and the selected one in full below it.
class MessagesPanel : public QWidget {
    Q_OBJECT

  public:
    explicit MessagesPanel(MessageModel* messages, QWidget* parent = nullptr);

  private:
    MessageModel* m_messages;
    FactTableView* m_table;
    QPlainTextEdit* m_full;
};

} // namespace lemmascope
