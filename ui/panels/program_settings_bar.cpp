#include "ui/panels/program_settings_bar.h"

#include "ui/views/flow_layout.h"
#include "ui/views/text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalBlocker>

namespace lemmascope {

SizesText readSizes(const QString& text) {
    SizesText read;
    static const QRegularExpression between(QStringLiteral("[,;\\s]+"));
    static const QRegularExpression blanks(QStringLiteral("\\s*=\\s*"));
    for (const QString& one : QString(text).replace(blanks, QStringLiteral("=")).split(between, Qt::SkipEmptyParts)) {
        const qsizetype at = one.indexOf(u'=');
        bool isNumber = false;
        const qlonglong size = at > 0 ? QStringView(one).mid(at + 1).toLongLong(&isNumber) : 0;
        if (!isNumber || size < 0) {
            read.wrong = read.wrong.isEmpty() ? one : read.wrong;
        } else {
            read.sizes[toStdString(one.left(at))] = size;
        }
    }
    return read;
}

QString sizesText(const ProgramSizes& sizes) {
    QStringList known;
    for (const auto& [name, size] : sizes) {
        known << QStringLiteral("%1=%2").arg(toQString(name)).arg(size);
    }
    return known.join(QStringLiteral(", "));
}

ProgramSettingsBar::ProgramSettingsBar(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("programSettings"));
    setAccessibleName(tr("How the programs are checked"));
    auto* row = new FlowLayout(this);
    row->setContentsMargins(6, 2, 6, 2);
    row->setSpacing(12);
    const auto labelled = [this, row](const QString& text, QWidget* field) {
        auto* pair = new QWidget(this); // a label stays beside its field where the line is broken
        pair->setAccessibleName(field->accessibleName());
        auto* label = new QLabel(text, pair);
        label->setAccessibleName(field->accessibleName());
        label->setBuddy(field);
        auto* both = new QHBoxLayout(pair);
        both->setContentsMargins(0, 0, 0, 0);
        both->addWidget(label);
        both->addWidget(field);
        row->addWidget(pair);
    };
    m_entry = new QComboBox(this);
    m_entry->setObjectName(QStringLiteral("programEntry"));
    m_entry->setAccessibleName(tr("Entry function"));
    m_entry->setToolTip(tr("The function that both programs start in"));
    m_entry->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_entry->setMinimumContentsLength(20);
    labelled(tr("Entry:"), m_entry);
    m_sizes = new QLineEdit(this);
    m_sizes->setObjectName(QStringLiteral("programSizes"));
    m_sizes->setAccessibleName(tr("Sizes"));
    m_sizes->setMinimumWidth(fontMetrics().averageCharWidth() * 24);
    labelled(tr("Sizes:"), m_sizes);
    m_needed = new QPushButton(this);
    m_needed->setObjectName(QStringLiteral("programNeeds"));
    m_needed->setAccessibleName(tr("Needs a size")); // named after the size that is missing, once one is
    m_needed->hide();
    row->addWidget(m_needed);
    m_mayAlias = new QCheckBox(tr("Arguments may alias"), this);
    m_mayAlias->setObjectName(QStringLiteral("programMayAlias"));
    m_mayAlias->setAccessibleName(tr("Arguments may alias"));
    m_mayAlias->setToolTip(tr("Two arguments of one type may name the same memory: each two are also tried as one"));
    row->addWidget(m_mayAlias);
    m_fingerprint = new QCheckBox(tr("Fingerprint"), this);
    m_fingerprint->setObjectName(QStringLiteral("programFingerprint"));
    m_fingerprint->setAccessibleName(tr("Fingerprint"));
    m_fingerprint->setToolTip(tr("For programs too large for their terms: 128-bit digests in their place. What agrees is proved as probable"));
    row->addWidget(m_fingerprint);
    connect(m_entry, &QComboBox::activated, this, &ProgramSettingsBar::choose);
    connect(m_mayAlias, &QCheckBox::toggled, this, &ProgramSettingsBar::choose);
    connect(m_fingerprint, &QCheckBox::toggled, this, &ProgramSettingsBar::choose);
    connect(m_sizes, &QLineEdit::returnPressed, this, [this] {
        if (const SizesText read = readSizes(m_sizes->text()); !read.wrong.isEmpty()) {
            Q_EMIT sizesRefused(read.wrong);
        } else {
            choose();
        }
    });
    connect(m_sizes, &QLineEdit::editingFinished, this, [this] { // left without Return: what is whole counts
        if (!m_sizes->hasFocus() && m_sizes->text() != m_said) {
            choose();
        }
    });
    connect(m_needed, &QPushButton::clicked, this, &ProgramSettingsBar::editSizes);
    setChoices({}, {});
}

void ProgramSettingsBar::setChoices(const QStringList& functions, const QStringList& askable) {
    m_functions = functions;
    setSettings(options(), readSizes(m_said).sizes);
    m_sizes->setPlaceholderText(askable.isEmpty() ? tr("none needed") : tr("%1=8").arg(askable.join(QStringLiteral("=8, "))));
    m_sizes->setToolTip(askable.isEmpty()
                            ? tr("No argument takes a size")
                            : tr("Integer arguments and dynamic axes that get a fixed size: %1").arg(askable.join(QStringLiteral(", "))));
}

void ProgramSettingsBar::setSettings(const ProgramOptions& options, const ProgramSizes& sizes) {
    const QSignalBlocker quietEntry(m_entry);
    const QSignalBlocker quietAlias(m_mayAlias);
    const QSignalBlocker quietFingerprint(m_fingerprint);
    m_entry->clear();
    m_entry->addItem(tr("the only public one"), QString());
    const QString given = toQString(options.entry);
    const auto add = [this](const QString& name) { // one long name does not push the rest out of the line
        constexpr int Longest = 40;
        m_entry->addItem(u'@' + (name.size() <= Longest ? name : name.left(Longest / 2) + u'…' + name.right(Longest / 2)), name);
        m_entry->setItemData(m_entry->count() - 1, name, Qt::ToolTipRole);
    };
    for (const QString& name : m_functions) {
        add(name);
    }
    if (!given.isEmpty() && m_entry->findData(given) < 0) {
        add(given); // from a session: the verdict says that it is not there
    }
    m_entry->setCurrentIndex(std::max(0, m_entry->findData(given)));
    m_mayAlias->setChecked(options.mayAlias);
    m_fingerprint->setChecked(options.fingerprint);
    m_said = sizesText(sizes);
    m_sizes->setText(m_said);
}

void ProgramSettingsBar::setNeeded(const QString& name) {
    m_neededName = name;
    m_needed->setText(tr("? Needs a size: %1").arg(name));
    m_needed->setAccessibleName(m_needed->text());
    m_needed->setToolTip(tr("The verdict depends on %1: give it a size and press Return").arg(name));
    m_needed->setVisible(!name.isEmpty());
}

void ProgramSettingsBar::editSizes() {
    if (!m_neededName.isEmpty() && m_sizes->text() == m_said) {
        m_sizes->setText((m_said.isEmpty() ? QString() : m_said + QStringLiteral(", ")) + m_neededName + u'=');
    }
    m_sizes->setFocus(Qt::ShortcutFocusReason);
    m_sizes->deselect();
    m_sizes->setCursorPosition(static_cast<int>(m_sizes->text().size()));
}

void ProgramSettingsBar::chooseEntry() { m_entry->setFocus(Qt::ShortcutFocusReason); }

ProgramOptions ProgramSettingsBar::options() const {
    ProgramOptions options;
    options.entry = toStdString(m_entry->currentData().toString());
    options.mayAlias = m_mayAlias->isChecked();
    options.fingerprint = m_fingerprint->isChecked();
    return options;
}

void ProgramSettingsBar::choose() {
    SizesText read = readSizes(m_sizes->text());
    if (read.wrong.isEmpty()) {
        m_said = m_sizes->text();
    } else {
        read = readSizes(m_said); // still being typed
    }
    Q_EMIT chosen(options(), read.sizes);
}

} // namespace lemmascope
