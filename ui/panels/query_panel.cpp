#include "ui/panels/query_panel.h"

#include "ui/panels/long_text.h"
#include "ui/views/smtlib_highlighter.h"

#include <QClipboard>
#include <QFileDialog>
#include <QFontDatabase>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTextBlock>
#include <QVBoxLayout>

namespace lemmascope {

QueryPanel::QueryPanel(QWidget* parent) : QWidget(parent) {
    m_title = new LongText(tr("Whose query this is"), 4, this);
    m_copy = new QPushButton(tr("&Copy"), this);
    m_copy->setAccessibleName(tr("Copy the query"));
    m_copy->setToolTip(tr("Copy the whole SMT-LIB text"));
    m_save = new QPushButton(tr("&Save…"), this);
    m_save->setObjectName(QStringLiteral("querySave"));
    m_save->setAccessibleName(tr("Save the query as a file"));
    m_save->setToolTip(tr("Write the text to a .smt2 file, for any solver"));
    m_text = new QPlainTextEdit(this);
    m_text->setObjectName(QStringLiteral("queryText"));
    m_text->setAccessibleName(tr("SMT-LIB text"));
    m_text->setReadOnly(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_text->setTabChangesFocus(true);
    m_text->setLineWrapMode(QPlainTextEdit::NoWrap);
    m_text->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_text->installEventFilter(this);
    m_highlighter = new SmtlibHighlighter(m_text->document());
    m_highlighter->setPalette(palette());

    m_findLine = new QWidget(this);
    m_findLine->setAccessibleName(tr("Find in the query"));
    m_find = new QLineEdit(m_findLine);
    m_find->setObjectName(QStringLiteral("queryFind"));
    m_find->setAccessibleName(tr("Find in the query"));
    m_find->setPlaceholderText(tr("Find in the query"));
    m_find->setClearButtonEnabled(true);
    m_find->installEventFilter(this);
    m_found = new QLabel(m_findLine);
    m_found->setObjectName(QStringLiteral("queryFound"));
    m_found->setAccessibleName(tr("Hits"));
    auto* line = new QHBoxLayout(m_findLine);
    line->setContentsMargins(0, 0, 0, 0);
    line->addWidget(m_find, 1);
    line->addWidget(m_found);
    m_findLine->hide();

    auto* top = new QHBoxLayout;
    top->addWidget(m_title, 1);
    top->addWidget(m_copy);
    top->addWidget(m_save);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(4, 4, 4, 4);
    all->addLayout(top);
    all->addWidget(m_findLine);
    all->addWidget(m_text, 1);
    all->addStretch();
    connect(m_copy, &QPushButton::clicked, this, &QueryPanel::copy);
    connect(m_save, &QPushButton::clicked, this, &QueryPanel::askForFile);
    connect(m_find, &QLineEdit::textChanged, this, [this] { search(false, true); });
    clear(tr("Select a lemma to read what the solver is asked."));
}

void QueryPanel::setQuery(const QString& title, const QString& digest, const QString& text) {
    m_name = title.section(u' ', 0, 0);
    m_title->setText(digest.isEmpty() ? title : tr("%1\nSHA-256 %2").arg(title, digest));
    m_text->setPlainText(text);
    m_text->show();
    m_copy->show();
    m_save->show();
    if (!m_findLine->isHidden()) {
        search(false, true);
    }
}

void QueryPanel::clear(const QString& why) {
    m_title->setText(why);
    m_text->clear();
    m_text->hide();
    m_copy->hide();
    m_save->hide();
    m_findLine->hide();
}

QString QueryPanel::text() const { return m_text->toPlainText(); }

void QueryPanel::copy() const { QGuiApplication::clipboard()->setText(text()); }

void QueryPanel::askForFile() {
    const QString file =
        QFileDialog::getSaveFileName(this, tr("Save Query"), m_name + QStringLiteral(".smt2"), tr("SMT-LIB 2 (*.smt2);;All files (*)"));
    if (!file.isEmpty()) {
        Q_EMIT saveRequested(file, text());
    }
}

void QueryPanel::find() {
    if (m_text->isHidden()) {
        return;
    }
    m_findLine->show();
    m_find->setFocus(Qt::ShortcutFocusReason);
    m_find->selectAll();
}

void QueryPanel::closeFind() {
    m_findLine->hide();
    m_text->setFocus(Qt::OtherFocusReason);
}

void QueryPanel::search(bool backwards, bool fromStart) {
    const QString wanted = m_find->text();
    if (wanted.isEmpty()) {
        m_found->clear();
        m_text->moveCursor(QTextCursor::Start);
        return;
    }
    const QString all = m_text->toPlainText();
    const auto count = all.count(wanted, Qt::CaseInsensitive);
    if (count == 0) {
        m_found->setText(tr("not found"));
        return;
    }
    if (fromStart) {
        m_text->moveCursor(QTextCursor::Start);
    }
    const QTextDocument::FindFlags way = backwards ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    if (!m_text->find(wanted, way)) { // round the end
        m_text->moveCursor(backwards ? QTextCursor::End : QTextCursor::Start);
        m_text->find(wanted, way);
    }
    const auto before = QStringView(all).left(m_text->textCursor().selectionStart()).count(wanted, Qt::CaseInsensitive);
    m_found->setText(tr("%1 of %2").arg(before + 1).arg(count));
}

bool QueryPanel::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool press = event->type() == QEvent::KeyPress;
        const bool open = !m_findLine->isHidden();
        const bool enter = watched == m_find && (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter);
        // The keys that find nodes elsewhere find here while the text has the focus.
        if (key->matches(QKeySequence::Find) && !m_text->isHidden()) {
            key->accept();
            if (press) {
                find();
            }
            return true;
        }
        if (open && (enter || key->key() == Qt::Key_F3)) {
            key->accept();
            if (press) {
                search((key->modifiers() & Qt::ShiftModifier) != 0, false);
            }
            return true;
        }
        if (open && key->key() == Qt::Key_Escape) {
            key->accept();
            if (press) {
                closeFind();
            }
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

void QueryPanel::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        m_highlighter->setPalette(palette());
    }
}

} // namespace lemmascope
