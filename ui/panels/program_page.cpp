#include "ui/panels/program_page.h"

#include "ui/panels/find_bar.h"
#include "ui/panels/program_settings_bar.h"
#include "ui/views/elided_label.h"
#include "ui/views/text.h"

#include <QApplication>
#include <QFileInfo>
#include <QLineEdit>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>

namespace lemmascope {

ProgramPage::ProgramPage(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("programPage"));
    setAccessibleName(tr("Both programs"));
    m_bar = new FindBar(this);
    m_bar->setObjectName(QStringLiteral("programFindBar"));
    m_bar->setAccessibleName(tr("Find in both programs"));
    m_bar->edit()->setPlaceholderText(tr("text, or :120 for a line"));
    m_bar->edit()->setToolTip(tr(
        "Text is looked for in both programs, upper and lower case alike.\nA colon and a number goes to that line of the side that was used last."));
    m_bar->hide();
    m_settings = new ProgramSettingsBar(this);
    auto* splitter = new QSplitter(Qt::Horizontal, this);
    splitter->setAccessibleName(tr("Both programs"));
    splitter->setChildrenCollapsible(false);
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        const auto at = static_cast<std::size_t>(side);
        const QString role = side == Side::Reference ? tr("Reference") : tr("Rewritten");
        auto* column = new QWidget(splitter);
        column->setAccessibleName(tr("%1 side").arg(role));
        column->setMinimumWidth(160); // large letters give way, as in the graphs
        auto* title = new QLabel(role.toUpper(), column);
        title->setAccessibleName(role);
        QFont bold = title->font();
        bold.setBold(true);
        title->setFont(bold);
        m_files[at] = new ElidedLabel(column);
        m_files[at]->setAccessibleName(tr("File of the %1 program").arg(role.toLower()));
        m_counts[at] = new QLabel(column);
        m_counts[at]->setAccessibleName(tr("Size of the %1 program").arg(role.toLower()));
        m_views[at] = new ProgramTextView(side, column);
        m_views[at]->setAccessibleName(tr("%1 program").arg(role));
        m_views[at]->installEventFilter(this);
        auto* header = new QHBoxLayout;
        header->setContentsMargins(6, 3, 6, 3);
        header->addWidget(title);
        header->addSpacing(6);
        header->addWidget(m_files[at], 1);
        header->addWidget(m_counts[at]);
        auto* rows = new QVBoxLayout(column);
        rows->setContentsMargins(0, 0, 0, 0);
        rows->setSpacing(0);
        rows->addLayout(header);
        rows->addWidget(m_views[at], 1);
        splitter->addWidget(column);
        connect(m_views[at], &ProgramTextView::scrolled, this, [this, side] { follow(side); });
    }
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->setSpacing(0);
    all->addWidget(m_settings);
    all->addWidget(m_bar);
    all->addWidget(splitter, 1);
    connect(m_bar, &FindBar::queryChanged, this, &ProgramPage::search);
    connect(m_bar, &FindBar::stepRequested, this, &ProgramPage::findNext);
    connect(m_bar, &FindBar::closeRequested, this, &ProgramPage::closeFind);
}

void ProgramPage::setPair(const ProgramPair& pair) {
    m_following = true;
    for (const auto& [side, file, text] : {std::tuple{Side::Reference, &pair.referenceFile, &pair.referenceText},
                                           std::tuple{Side::Rewritten, &pair.rewrittenFile, &pair.rewrittenText}}) {
        const auto at = static_cast<std::size_t>(side);
        const QString path = QString::fromLocal8Bit(file->c_str());
        m_files[at]->setText(QFileInfo(path).fileName());
        m_files[at]->setToolTip(path);
        m_files[at]->setAccessibleDescription(path);
        QString shown = toQString(*text);
        if (text->empty() && !file->empty()) {
            shown = tr("This file is MLIR bytecode: it has no lines to show. It is checked all the same.");
        }
        m_views[at]->setProgram(shown);
        m_lines[at] = shown.split(u'\n');
        m_counts[at]->setText(file->empty() ? QString() : tr("lines: %1").arg(m_lines[at].size()));
    }
    m_following = false;
    search(m_bar->text());
}

void ProgramPage::setMarks(const std::shared_ptr<const ProgramDiff>& diff) {
    for (ProgramTextView* view : m_views) {
        view->setMarks(diff);
    }
}

void ProgramPage::find(bool line) {
    m_bar->open();
    if (line) {
        m_bar->setText(QStringLiteral(":"));
        m_bar->edit()->setCursorPosition(1);
    }
    search(m_bar->text());
}

void ProgramPage::closeFind() {
    const bool inside = m_bar->isAncestorOf(QApplication::focusWidget());
    m_bar->hide();
    if (inside) {
        view(m_active)->setFocus(Qt::OtherFocusReason);
    }
}

void ProgramPage::search(const QString& text) {
    m_hits.clear();
    m_hit = 0;
    m_reached = false;
    m_length = static_cast<int>(text.size());
    constexpr std::size_t Most = 100'000;
    if (m_bar->isVisibleTo(this) && !text.isEmpty()) {
        if (text.startsWith(u':')) {
            bool isNumber = false;
            const int line = QStringView(text).mid(1).toInt(&isNumber);
            if (isNumber && line > 0 && line <= m_lines[static_cast<std::size_t>(m_active)].size()) {
                m_hits.push_back({m_active, line, 0});
                m_length = 0;
            }
        } else {
            for (const Side side : {Side::Reference, Side::Rewritten}) {
                const QStringList& lines = m_lines[static_cast<std::size_t>(side)];
                for (qsizetype i = 0; i < lines.size() && m_hits.size() < Most; ++i) {
                    for (qsizetype at = lines[i].indexOf(text, 0, Qt::CaseInsensitive); at >= 0 && m_hits.size() < Most;
                         at = lines[i].indexOf(text, at + text.size(), Qt::CaseInsensitive)) {
                        m_hits.push_back({side, static_cast<int>(i) + 1, static_cast<int>(at)});
                    }
                }
            }
        }
    }
    m_bar->setStepsEnabled(!m_hits.empty());
    if (text.startsWith(u':') && !m_hits.empty()) {
        findNext(false);
    } else {
        tell();
    }
}

void ProgramPage::tell() {
    const QString text = m_bar->text();
    if (text.startsWith(u':')) {
        const auto count = m_lines[static_cast<std::size_t>(m_active)].size();
        m_bar->setAnswer(m_hits.empty() ? tr("lines 1 to %1").arg(count) : tr("line %1 of %2").arg(m_hits.front().line).arg(count),
                         m_hits.empty() && text.size() > 1);
    } else if (text.isEmpty()) {
        m_bar->setAnswer({}, false);
    } else if (m_hits.empty()) {
        m_bar->setAnswer(tr("nothing found"), false);
    } else {
        m_bar->setAnswer(m_reached ? tr("%1 of %2").arg(m_hit + 1).arg(m_hits.size()) : tr("found: %1").arg(m_hits.size()), false);
    }
}

void ProgramPage::findNext(bool backwards) {
    if (m_hits.empty()) {
        return;
    }
    if (m_reached) {
        m_hit = (m_hit + (backwards ? m_hits.size() - 1 : 1)) % m_hits.size();
    } else {
        m_hit = backwards ? m_hits.size() - 1 : 0;
    }
    m_reached = true;
    const Hit& hit = m_hits[m_hit];
    view(hit.side)->select(hit.line, hit.column, m_length);
    tell();
}

void ProgramPage::goToDifference(bool backwards) {
    const int line = view(m_active)->nextDifference(view(m_active)->currentLine(), backwards);
    if (line != 0) {
        goToLine(m_active, line);
    }
}

void ProgramPage::goToLine(Side side, int line) {
    view(side)->goToLine(line);
    const Side there = side == Side::Reference ? Side::Rewritten : Side::Reference;
    if (const int partner = view(side)->partnerOf(line); partner != 0 && m_locked) {
        m_following = true;
        view(there)->goToLine(partner);
        m_following = false;
    }
}

void ProgramPage::follow(Side side) {
    if (m_following || !m_locked) {
        return;
    }
    ProgramTextView* mine = view(side);
    ProgramTextView* other = view(side == Side::Reference ? Side::Rewritten : Side::Reference);
    const int first = mine->firstVisibleLine();
    // The nearest line above that has a partner keeps level with it.
    constexpr int Reach = 2000;
    for (int line = first; line >= std::max(1, first - Reach); --line) {
        if (const int partner = mine->partnerOf(line); partner != 0) {
            m_following = true;
            other->showFromLine(partner + (first - line));
            m_following = false;
            return;
        }
    }
    m_following = true;
    other->showFromLine(first);
    m_following = false;
}

bool ProgramPage::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusIn) {
        for (const Side side : {Side::Reference, Side::Rewritten}) {
            if (watched == view(side)) {
                m_active = side;
            }
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace lemmascope
