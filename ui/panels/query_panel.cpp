#include "ui/panels/query_panel.h"

#include "ui/panels/long_text.h"
#include "ui/views/smtlib_highlighter.h"

#include <QClipboard>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace lemmascope {

QueryPanel::QueryPanel(QWidget* parent) : QWidget(parent) {
    m_title = new LongText(tr("Whose query this is"), 4, this);
    m_copy = new QPushButton(tr("&Copy"), this);
    m_copy->setAccessibleName(tr("Copy the query"));
    m_copy->setToolTip(tr("Copy the whole SMT-LIB text"));
    m_text = new QPlainTextEdit(this);
    m_text->setObjectName(QStringLiteral("queryText"));
    m_text->setAccessibleName(tr("SMT-LIB text"));
    m_text->setReadOnly(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setTabChangesFocus(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    new SmtlibHighlighter(m_text->document());

    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_copy);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->addLayout(top);
    all->addWidget(m_text, 1);
    all->addStretch();
    connect(m_copy, &QPushButton::clicked, this, &QueryPanel::copy);
    clear(tr("Select a lemma to read what the solver is asked."));
}

void QueryPanel::setQuery(const QString& title, const QString& digest, const QString& text) {
    m_title->setText(digest.isEmpty() ? title : tr("%1\nSHA-256 %2").arg(title, digest));
    m_text->setPlainText(text);
    m_text->show();
    m_copy->show();
}

void QueryPanel::clear(const QString& why) {
    m_title->setText(why);
    m_text->clear();
    m_text->hide();
    m_copy->hide();
}

QString QueryPanel::text() const { return m_text->toPlainText(); }

void QueryPanel::copy() const { QGuiApplication::clipboard()->setText(text()); }

} // namespace lemmascope
