#include "ui/panels/limits_dialog.h"

#include <QCheckBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QScrollArea>
#include <QSpinBox>
#include <QVBoxLayout>

namespace lemmascope {

LimitsDialog::LimitsDialog(const CheckOptions& options, QWidget* parent) : QDialog(parent) {
    setObjectName(QStringLiteral("limitsDialog"));
    setWindowTitle(tr("Limits"));
    setAccessibleName(tr("Limits"));
    setAttribute(Qt::WA_DeleteOnClose);
    const auto named = [](QWidget* widget, const QString& objectName, const QString& name, const QString& tip) {
        widget->setObjectName(objectName);
        widget->setAccessibleName(name);
        widget->setToolTip(tip);
    };
    m_time = new QDoubleSpinBox(this);
    m_time->setRange(1, 1e6);
    m_time->setDecimals(0);
    m_time->setSuffix(tr(" s"));
    m_time->setGroupSeparatorShown(true);
    named(m_time, QStringLiteral("limitTime"), tr("Time for the whole check"), tr("Past it the verdict is what is known then"));
    m_steps = new QDoubleSpinBox(this);
    m_steps->setRange(1000, 1e15);
    m_steps->setDecimals(0);
    m_steps->setSingleStep(10'000'000);
    m_steps->setGroupSeparatorShown(true);
    named(m_steps, QStringLiteral("limitSteps"), tr("Solver steps for each lemma"), tr("The same number gives the same answer on every machine"));
    m_jobs = new QSpinBox(this);
    m_jobs->setRange(0, 256);
    m_jobs->setSpecialValueText(tr("one for each core"));
    named(m_jobs, QStringLiteral("limitJobs"), tr("Solvers side by side"), tr("How many lemmas are asked at the same time"));
    m_seed = new QLineEdit(this);
    m_seed->setValidator(new QRegularExpressionValidator(QRegularExpression(QStringLiteral("\\d{1,19}")), m_seed));
    named(m_seed, QStringLiteral("limitSeed"), tr("Seed of sampled inputs"), tr("Another number tries other inputs"));
    m_special = new QCheckBox(tr("Special &values"), this);
    named(m_special, QStringLiteral("limitSpecial"), tr("Special values"), tr("Inputs that are not numbers, infinite, or zero of either sign"));

    auto* form = new QFormLayout;
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    form->addRow(tr("T&ime for a check:"), m_time);
    form->addRow(tr("&Steps for each lemma:"), m_steps);
    form->addRow(tr("Solvers side by si&de:"), m_jobs);
    form->addRow(tr("S&eed:"), m_seed);
    auto* about =
        new QLabel(tr("Kept for this pair. A lemma that is checked again by itself (F7) gets five times the steps of the last time."), this);
    about->setAccessibleName(tr("What the limits mean"));
    about->setWordWrap(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel | QDialogButtonBox::RestoreDefaults, this);
    buttons->setAccessibleName(tr("Use or drop the limits"));
    QPushButton* check = buttons->addButton(tr("Use and &Check"), QDialogButtonBox::ApplyRole);
    check->setObjectName(QStringLiteral("limitsCheck"));
    // Large letters on a small screen: what has no room is scrolled to.
    auto* content = new QWidget(this);
    content->setAccessibleName(tr("Limits"));
    auto* rows = new QVBoxLayout(content);
    rows->setContentsMargins(0, 0, 0, 0);
    rows->addLayout(form);
    rows->addWidget(m_special);
    rows->addWidget(about);
    rows->addStretch();
    auto* scroll = new QScrollArea(this);
    scroll->setAccessibleName(tr("Limits"));
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setSizeAdjustPolicy(QAbstractScrollArea::AdjustToContents);
    scroll->setWidget(content);
    auto* all = new QVBoxLayout(this);
    all->addWidget(scroll, 1);
    all->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::accepted, this, [this] {
        Q_EMIT chosen(false);
        accept();
    });
    connect(check, &QPushButton::clicked, this, [this] {
        Q_EMIT chosen(true);
        accept();
    });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(buttons->button(QDialogButtonBox::RestoreDefaults), &QPushButton::clicked, this, [this] { fill(CheckOptions{}); });
    fill(options);
}

void LimitsDialog::fill(const CheckOptions& options) {
    m_time->setValue(options.timeSeconds);
    m_steps->setValue(static_cast<double>(options.lemmaSteps));
    m_jobs->setValue(static_cast<int>(options.jobs));
    m_seed->setText(QString::number(options.seed));
    m_special->setChecked(options.specialValues);
}

CheckOptions LimitsDialog::options(CheckOptions base) const {
    base.timeSeconds = m_time->value();
    base.lemmaSteps = static_cast<std::uint64_t>(m_steps->value());
    base.jobs = static_cast<unsigned>(m_jobs->value());
    base.seed = m_seed->text().toULongLong();
    base.specialValues = m_special->isChecked();
    return base;
}

} // namespace lemmascope
