#include "ui/panels/picture_dialog.h"

#include "ui/views/text.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QLabel>
#include <QPushButton>

#include <algorithm>

namespace lemmascope {

PictureDialog::PictureDialog(Purpose purpose, const PictureChoice& choice, Preview preview, QWidget* parent)
    : QDialog(parent), m_purpose(purpose), m_preview(std::move(preview)) {
    const bool print = purpose == Purpose::Print;
    setWindowTitle(print ? tr("Print") : tr("Export Picture"));
    setAccessibleName(windowTitle());
    auto* form = new QFormLayout(this);
    form->setRowWrapPolicy(QFormLayout::WrapLongRows);
    const auto add = [&](const QString& title, QWidget* control, const char* name) {
        control->setObjectName(QString::fromLatin1(name));
        auto* label = new QLabel(title, this);
        label->setBuddy(control);
        QString plain = title;
        control->setAccessibleName(plain.remove(u'&').remove(u':'));
        label->setAccessibleName(plain);
        form->addRow(label, control);
    };
    const auto combo = [this](const QStringList& items, int current) {
        auto* box = new QComboBox(this);
        box->addItems(items);
        box->setCurrentIndex(current);
        connect(box, &QComboBox::currentIndexChanged, this, &PictureDialog::update);
        return box;
    };
    m_format = combo({tr("PNG, pixels"), tr("SVG, drawing for web pages"), tr("PDF, one page of its size")}, static_cast<int>(choice.format));
    m_area = combo({tr("whole graphs"), tr("what differs, or the selected lemma"), tr("what is in view")}, static_cast<int>(choice.area));
    m_sides = combo({tr("both sides"), tr("reference"), tr("rewritten")}, choice.reference && choice.rewritten ? 0 : choice.reference ? 1 : 2);
    m_colours = combo({tr("light"), tr("dark"), tr("black on white")}, static_cast<int>(choice.colours));
    m_pages = combo({tr("one page"), tr("as many pages as 100 % takes")}, choice.tiled ? 1 : 0);
    m_scale = new QDoubleSpinBox(this);
    m_scale->setRange(0.25, 8.0);
    m_scale->setSingleStep(0.5);
    m_scale->setValue(choice.scale);
    m_scale->setSuffix(tr(" pixels a unit"));
    connect(m_scale, &QDoubleSpinBox::valueChanged, this, &PictureDialog::update);
    m_heading = new QCheckBox(tr("Names and &verdict above"), this);
    m_legend = new QCheckBox(tr("&Legend below"), this);
    m_heading->setChecked(choice.heading);
    m_legend->setChecked(choice.legend);
    for (QCheckBox* box : {m_heading, m_legend}) {
        QString plain = box->text();
        box->setAccessibleName(plain.remove(u'&'));
        connect(box, &QCheckBox::toggled, this, &PictureDialog::update);
    }
    if (!print) {
        add(tr("&Format:"), m_format, "pictureFormat");
    }
    add(tr("&Region:"), m_area, "pictureArea");
    add(tr("Si&des:"), m_sides, "pictureSides");
    add(tr("&Colours:"), m_colours, "pictureColours");
    if (print) {
        add(tr("&Pages:"), m_pages, "picturePages");
    } else {
        add(tr("Si&ze:"), m_scale, "pictureScale");
    }
    m_format->setVisible(!print);
    m_scale->setVisible(!print);
    m_pages->setVisible(print);
    form->addRow(m_heading);
    form->addRow(m_legend);
    m_told = new QLabel(this);
    m_told->setObjectName(QStringLiteral("pictureTold"));
    m_told->setAccessibleName(tr("What it gives"));
    m_told->setWordWrap(true);
    m_told->setMinimumWidth(fontMetrics().averageCharWidth() * 44);
    form->addRow(m_told);
    m_buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
    m_buttons->setAccessibleName(tr("Go on or cancel"));
    m_accept = m_buttons->addButton(print ? tr("&Print…") : tr("&Save…"), QDialogButtonBox::AcceptRole);
    m_accept->setObjectName(QStringLiteral("pictureAccept"));
    m_accept->setDefault(true);
    if (print) {
        m_previewButton = m_buttons->addButton(tr("Pre&view…"), QDialogButtonBox::ActionRole);
        connect(m_previewButton, &QPushButton::clicked, this, [this] {
            m_wantsPreview = true;
            accept();
        });
    }
    form->addRow(m_buttons);
    connect(m_buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
    connect(m_buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    update();
}

PictureChoice PictureDialog::choice() const {
    PictureChoice out;
    out.format = static_cast<PictureFormat>(m_format->currentIndex());
    out.area = static_cast<PictureArea>(m_area->currentIndex());
    out.colours = static_cast<PictureColours>(m_colours->currentIndex());
    out.reference = m_sides->currentIndex() != 2;
    out.rewritten = m_sides->currentIndex() != 1;
    out.scale = m_scale->value();
    out.heading = m_heading->isChecked();
    out.legend = m_legend->isChecked();
    out.tiled = m_pages->currentIndex() == 1;
    return out;
}

void PictureDialog::update() {
    if (m_accept == nullptr) {
        return;
    }
    const PictureChoice wanted = choice();
    m_scale->setEnabled(wanted.format == PictureFormat::Png);
    const Result<QString> told = m_preview(wanted);
    m_told->setText(told ? *told : tr("✗ %1").arg(toQString(told.error().message)));
    // Words that wrap onto more lines make the dialog grow, not its buttons shrink.
    const QSize now = isVisible() ? size() : QSize(0, 0);
    const int wide = std::max(now.width(), layout()->totalSizeHint().width());
    resize(wide, std::max(now.height(), layout()->totalHeightForWidth(wide)));
    m_accept->setEnabled(told.has_value());
    if (m_previewButton != nullptr) {
        m_previewButton->setEnabled(told.has_value());
    }
}

} // namespace lemmascope
