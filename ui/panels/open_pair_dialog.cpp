#include "ui/panels/open_pair_dialog.h"

#include <QDialogButtonBox>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>

namespace lemmascope {

QString graphFileFilter() { return OpenPairDialog::tr("Graphs and programs (*.onnx *.json *.mlir *.mlirbc);;All files (*)"); }

OpenPairDialog::OpenPairDialog(const QString& reference, const QString& rewritten, QWidget* parent) : QDialog(parent) {
    setWindowTitle(tr("Open Pair"));
    setAccessibleName(tr("Open a pair of graphs"));
    setAcceptDrops(true);
    auto* grid = new QGridLayout(this);
    const auto row = [&](int at, const QString& title, const QString& path, const QString& name) {
        auto* edit = new QLineEdit(path, this);
        edit->setObjectName(name);
        edit->setAccessibleName(title);
        edit->setMinimumWidth(fontMetrics().averageCharWidth() * 60);
        auto* label = new QLabel(tr("%1:").arg(title), this);
        label->setBuddy(edit);
        auto* button = new QPushButton(tr("Browse…"), this);
        button->setAccessibleName(tr("Browse for the %1").arg(title.toLower()));
        button->setAutoDefault(false);
        grid->addWidget(label, at, 0);
        grid->addWidget(edit, at, 1);
        grid->addWidget(button, at, 2);
        connect(edit, &QLineEdit::textChanged, this, &OpenPairDialog::updateButtons);
        connect(button, &QPushButton::clicked, this, [this, edit, title] { browse(edit, title); });
        return edit;
    };
    m_reference = row(0, tr("Reference graph"), reference, QStringLiteral("referencePath"));
    m_rewritten = row(1, tr("Rewritten graph"), rewritten, QStringLiteral("rewrittenPath"));
    auto* swap = new QPushButton(tr("&Swap"), this);
    swap->setObjectName(QStringLiteral("swapButton"));
    swap->setAccessibleName(tr("Swap the two files"));
    swap->setToolTip(tr("Exchange reference and rewritten graph"));
    swap->setAutoDefault(false);
    auto* hint = new QLabel(tr("ONNX models (.onnx) and Lemmascope graphs (.lsg.json). You can drop two files here."), this);
    hint->setAccessibleName(tr("Formats"));
    hint->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    buttons->setAccessibleName(tr("Open or cancel"));
    m_open = buttons->addButton(tr("&Open"), QDialogButtonBox::AcceptRole);
    m_open->setObjectName(QStringLiteral("openButton"));
    m_open->setDefault(true);
    grid->addWidget(hint, 2, 1);
    grid->addWidget(swap, 2, 2);
    grid->addWidget(buttons, 3, 0, 1, 3);
    connect(swap, &QPushButton::clicked, this, [this] {
        const QString first = m_reference->text();
        m_reference->setText(m_rewritten->text());
        m_rewritten->setText(first);
    });
    connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    updateButtons();
}

QString OpenPairDialog::reference() const { return m_reference->text().trimmed(); }

QString OpenPairDialog::rewritten() const { return m_rewritten->text().trimmed(); }

void OpenPairDialog::browse(QLineEdit* row, const QString& title) {
    const QString other = row == m_reference ? m_rewritten->text() : m_reference->text();
    const QString start = !row->text().isEmpty() ? row->text() : QFileInfo(other).path();
    const QStringList chosen = QFileDialog::getOpenFileNames(this, title, start, graphFileFilter());
    if (chosen.size() >= 2) { // two files chosen at once fill both rows
        m_reference->setText(chosen[0]);
        m_rewritten->setText(chosen[1]);
    } else if (chosen.size() == 1) {
        row->setText(chosen[0]);
    }
}

void OpenPairDialog::updateButtons() { m_open->setEnabled(!reference().isEmpty() && !rewritten().isEmpty()); }

void OpenPairDialog::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls()) {
        event->acceptProposedAction();
    }
}

void OpenPairDialog::dropEvent(QDropEvent* event) {
    QStringList files;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            files << url.toLocalFile();
        }
    }
    if (files.size() >= 2) {
        m_reference->setText(files[0]);
        m_rewritten->setText(files[1]);
    } else if (files.size() == 1) {
        (reference().isEmpty() ? m_reference : m_rewritten)->setText(files[0]);
    }
    event->acceptProposedAction();
}

} // namespace lemmascope
