#include "ui/panels/welcome_page.h"

#include "core/workspace/session_file.h"
#include "ui/panels/open_pair_dialog.h"
#include "ui/views/legend.h"
#include "ui/views/text.h"

#include <QDragEnterEvent>
#include <QEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMimeData>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

namespace lemmascope {

namespace {

QStringList localFiles(const QMimeData* data) {
    QStringList files;
    for (const QUrl& url : data->urls()) {
        if (url.isLocalFile()) {
            files << url.toLocalFile();
        }
    }
    return files;
}

QLabel* heading(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    QFont bold = label->font();
    bold.setBold(true);
    label->setFont(bold);
    label->setAccessibleName(text);
    return label;
}

} // namespace

DropTarget::DropTarget(const QString& title, const QString& hint, QWidget* parent) : QFrame(parent), m_hint(hint) {
    setAcceptDrops(true);
    setAccessibleName(title);
    setMinimumHeight(fontMetrics().height() * 6);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    auto* name = heading(title, this);
    name->setAlignment(Qt::AlignCenter);
    m_fileLabel = new QLabel(hint, this);
    m_fileLabel->setAccessibleName(tr("Chosen file"));
    m_fileLabel->setTextFormat(Qt::PlainText);
    m_fileLabel->setAlignment(Qt::AlignCenter);
    m_fileLabel->setWordWrap(true);
    m_browse = new QPushButton(tr("Choose a file…"), this);
    m_browse->setAccessibleName(tr("Choose the file: %1").arg(title));
    layout->addWidget(name);
    layout->addWidget(m_fileLabel, 1);
    layout->addWidget(m_browse, 0, Qt::AlignHCenter);
    connect(m_browse, &QPushButton::clicked, this, &DropTarget::browseRequested);
}

void DropTarget::setFile(const QString& path) {
    m_file = path;
    m_fileLabel->setText(path.isEmpty() ? m_hint : QFileInfo(path).fileName());
    m_fileLabel->setToolTip(path);
}

void DropTarget::dragEnterEvent(QDragEnterEvent* event) {
    if (!localFiles(event->mimeData()).isEmpty()) {
        m_hovered = true;
        update();
        event->acceptProposedAction();
    }
}

void DropTarget::dragLeaveEvent(QDragLeaveEvent*) {
    m_hovered = false;
    update();
}

void DropTarget::dropEvent(QDropEvent* event) {
    m_hovered = false;
    update();
    event->acceptProposedAction();
    Q_EMIT filesDropped(localFiles(event->mimeData()));
}

void DropTarget::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor colour = palette().color(m_hovered ? QPalette::Highlight : QPalette::PlaceholderText);
    painter.setPen(QPen(colour, m_hovered ? 3 : 1.5, m_file.isEmpty() ? Qt::DashLine : Qt::SolidLine));
    painter.setBrush(palette().color(QPalette::Base));
    painter.drawRoundedRect(QRectF(rect()).adjusted(2, 2, -2, -2), 8, 8);
}

WelcomePage::WelcomePage(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("welcomePage"));
    setAccessibleName(tr("Welcome"));
    auto* content = new QWidget(this);
    content->setAccessibleName(tr("Welcome"));

    auto* title = new QLabel(tr("Did this rewrite keep the meaning?"), content);
    title->setAccessibleName(title->text());
    QFont large = title->font();
    large.setPointSizeF(large.pointSizeF() * 1.6);
    large.setBold(true);
    title->setFont(large);
    auto* intro =
        new QLabel(tr("Open a reference graph and a rewritten one: Lemmascope proves that they are equal for every input, or shows an input on "
                      "which they differ."),
                   content);
    intro->setAccessibleName(tr("What this does"));
    intro->setWordWrap(true);

    m_reference = new DropTarget(tr("Reference graph"), tr("Drop the graph as it was (.onnx, .lsg.json)"), content);
    m_reference->setObjectName(QStringLiteral("dropReference"));
    m_rewritten = new DropTarget(tr("Rewritten graph"), tr("Drop the graph after the rewrite"), content);
    m_rewritten->setObjectName(QStringLiteral("dropRewritten"));
    m_trouble = new QLabel(content);
    m_trouble->setObjectName(QStringLiteral("welcomeTrouble"));
    m_trouble->setAccessibleName(tr("What went wrong"));
    m_trouble->setTextFormat(Qt::PlainText);
    m_trouble->setWordWrap(true);
    m_trouble->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_trouble->hide();

    m_offer = new QFrame(content);
    m_offer->setObjectName(QStringLiteral("welcomeOffer"));
    m_offer->setAccessibleName(tr("A session to restore"));
    m_offer->setFrameShape(QFrame::StyledPanel);
    m_offerText = new QLabel(m_offer);
    m_offerText->setAccessibleName(tr("What can be restored"));
    m_offerText->setTextFormat(Qt::PlainText);
    m_offerText->setWordWrap(true);
    auto* restore = new QPushButton(tr("&Restore"), m_offer);
    restore->setObjectName(QStringLiteral("restoreSession"));
    restore->setAccessibleName(tr("Restore the session"));
    auto* decline = new QPushButton(tr("&Not now"), m_offer);
    decline->setObjectName(QStringLiteral("declineSession"));
    decline->setAccessibleName(tr("Do not restore the session"));
    decline->setToolTip(tr("Its notes stay with the pair: opening the pair shows them"));
    auto* offerRow = new QHBoxLayout(m_offer);
    offerRow->addWidget(m_offerText, 1);
    offerRow->addWidget(restore);
    offerRow->addWidget(decline);
    m_offer->hide();
    connect(restore, &QPushButton::clicked, this, [this] { Q_EMIT restoreChosen(true); });
    connect(decline, &QPushButton::clicked, this, [this] { Q_EMIT restoreChosen(false); });

    m_recent = new QListWidget(content);
    m_recent->setObjectName(QStringLiteral("recentPairs"));
    m_recent->setAccessibleName(tr("Recent pairs"));
    m_recent->setMinimumHeight(fontMetrics().height() * 7);
    m_recent->setTextElideMode(Qt::ElideMiddle);
    m_noRecent = new QLabel(tr("Pairs you open are listed here with their verdict."), content);
    m_noRecent->setAccessibleName(tr("No recent pairs"));
    m_noRecent->setWordWrap(true);

    auto* examples = new QWidget(content);
    examples->setAccessibleName(tr("Examples"));
    m_examples = new QVBoxLayout(examples);
    m_examples->setContentsMargins(0, 0, 0, 0);

    m_legend = new QLabel(content);
    m_legend->setAccessibleName(tr("What the marks mean"));
    m_legend->setTextFormat(Qt::RichText);
    m_legend->setWordWrap(true);
    auto* keys = new QPushButton(tr("&All keys (?)"), content);
    keys->setAccessibleName(tr("Show all keys"));
    auto* tutorial = new QPushButton(tr("&Tutorial: why did my fusion break?"), content);
    tutorial->setAccessibleName(tr("Open the tutorial"));
    auto* keyText = new QLabel(
        tr("Ctrl+O open a pair · F8 next failing lemma · Space partner node · F6 next pane · Ctrl+Shift+E export a report · F1 help"), content);
    keyText->setAccessibleName(tr("Most used keys"));
    keyText->setWordWrap(true);

    auto* grid = new QGridLayout(content);
    grid->setContentsMargins(32, 20, 32, 20);
    grid->setHorizontalSpacing(24);
    grid->setVerticalSpacing(8);
    int row = 0;
    grid->addWidget(title, row++, 0, 1, 2);
    grid->addWidget(intro, row++, 0, 1, 2);
    grid->addWidget(m_offer, row++, 0, 1, 2);
    grid->addWidget(m_reference, row, 0);
    grid->addWidget(m_rewritten, row++, 1);
    grid->addWidget(m_trouble, row++, 0, 1, 2);
    grid->addWidget(heading(tr("Recent pairs"), content), row, 0);
    grid->addWidget(heading(tr("Examples"), content), row++, 1);
    grid->addWidget(m_recent, row, 0);
    grid->addWidget(m_noRecent, row, 0, Qt::AlignTop);
    grid->addWidget(examples, row++, 1, Qt::AlignTop);
    grid->addWidget(heading(tr("What the marks mean"), content), row, 0);
    grid->addWidget(heading(tr("Keys and help"), content), row++, 1);
    grid->addWidget(m_legend, row, 0, Qt::AlignTop);
    auto* keyColumn = new QVBoxLayout;
    keyColumn->addWidget(keyText);
    keyColumn->addWidget(keys, 0, Qt::AlignLeft);
    keyColumn->addWidget(tutorial, 0, Qt::AlignLeft);
    keyColumn->addStretch();
    grid->addLayout(keyColumn, row++, 1);
    grid->setRowStretch(row, 1);
    grid->setColumnStretch(0, 1);
    grid->setColumnStretch(1, 1);
    content->setMaximumWidth(1100);

    auto* scroll = new QScrollArea(this);
    scroll->setAccessibleName(tr("Welcome page"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    scroll->setWidget(content);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(scroll);

    connect(m_reference, &DropTarget::filesDropped, this, [this](const QStringList& files) { take(m_reference, files); });
    connect(m_rewritten, &DropTarget::filesDropped, this, [this](const QStringList& files) { take(m_rewritten, files); });
    connect(m_reference, &DropTarget::browseRequested, this, [this] { browse(m_reference, tr("Reference graph")); });
    connect(m_rewritten, &DropTarget::browseRequested, this, [this] { browse(m_rewritten, tr("Rewritten graph")); });
    connect(m_recent, &QListWidget::itemActivated, this, [this](QListWidgetItem* item) {
        const RecentPair pair = m_pairs[static_cast<std::size_t>(m_recent->row(item))];
        Q_EMIT pairChosen(pathText(pair.reference), pathText(pair.rewritten));
    });
    connect(m_recent, &QListWidget::itemClicked, m_recent, &QListWidget::itemActivated);
    connect(keys, &QPushButton::clicked, this, &WelcomePage::keysRequested);
    connect(tutorial, &QPushButton::clicked, this, &WelcomePage::tutorialRequested);
    fillLegend();
    setRecent({});
}

void WelcomePage::setRecent(const std::vector<RecentPair>& pairs) {
    m_pairs = pairs;
    m_recent->clear();
    for (const RecentPair& pair : pairs) {
        const QString names = tr("%1 → %2").arg(toQString(pair.reference.filename().string()), toQString(pair.rewritten.filename().string()));
        auto* item = new QListWidgetItem(pair.verdict.empty() ? names : tr("%1\n    %2").arg(names, toQString(pair.verdict)), m_recent);
        item->setToolTip(pathText(pair.reference) + u'\n' + pathText(pair.rewritten));
    }
    m_recent->setVisible(!pairs.empty());
    m_noRecent->setVisible(pairs.empty());
}

void WelcomePage::setExamples(const std::vector<ExamplePair>& examples) {
    while (QLayoutItem* item = m_examples->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const ExamplePair& example : examples) {
        auto* button = new QPushButton(example.title);
        button->setAccessibleName(tr("Open example: %1").arg(example.title));
        button->setStyleSheet(QStringLiteral("text-align: left; padding: 4px 8px;"));
        auto* text = new QLabel(example.description);
        text->setAccessibleName(example.title);
        text->setWordWrap(true);
        text->setIndent(8);
        m_examples->addWidget(button);
        m_examples->addWidget(text);
        connect(button, &QPushButton::clicked, this,
                [this, example] { Q_EMIT pairChosen(pathText(example.reference), pathText(example.rewritten)); });
    }
    if (examples.empty()) {
        auto* none = new QLabel(tr("The examples are not installed."));
        none->setAccessibleName(none->text());
        m_examples->addWidget(none);
    }
}

void WelcomePage::offerSession(const QString& text) {
    m_offerText->setText(text);
    m_offer->setVisible(!text.isEmpty());
}

void WelcomePage::setTrouble(const QString& text) {
    m_trouble->setText(text);
    m_trouble->setVisible(!text.isEmpty());
}

void WelcomePage::setFiles(const QString& reference, const QString& rewritten) {
    m_reference->setFile(reference);
    m_rewritten->setFile(rewritten);
}

void WelcomePage::take(DropTarget* target, const QStringList& files) {
    if (files.size() == 1 && files.front().endsWith(toQString(SessionSuffix), Qt::CaseInsensitive)) {
        Q_EMIT sessionChosen(files.front());
        return;
    }
    if (files.size() >= 2) {
        m_reference->setFile(files[0]);
        m_rewritten->setFile(files[1]);
    } else if (files.size() == 1) {
        target->setFile(files[0]);
    }
    openWhenComplete();
}

void WelcomePage::browse(DropTarget* target, const QString& title) {
    take(target, QFileDialog::getOpenFileNames(this, title, QFileInfo(target == m_reference ? m_rewritten->file() : m_reference->file()).path(),
                                               graphFileFilter()));
}

void WelcomePage::openWhenComplete() {
    if (!m_reference->file().isEmpty() && !m_rewritten->file().isEmpty()) {
        Q_EMIT pairChosen(m_reference->file(), m_rewritten->file());
    }
}

void WelcomePage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        fillLegend();
    }
}

void WelcomePage::fillLegend() { m_legend->setText(legendHtml(palette())); }

} // namespace lemmascope
