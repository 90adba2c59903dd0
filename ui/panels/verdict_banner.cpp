#include "ui/panels/verdict_banner.h"

#include "ui/panels/long_text.h"
#include "ui/views/elided_label.h"
#include "ui/views/tensor_text.h"
#include "ui/views/text.h"
#include "ui/views/verdict_text.h"

#include <QActionGroup>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPainter>
#include <QProgressBar>
#include <QPushButton>
#include <QTextBrowser>
#include <QToolButton>
#include <QVBoxLayout>

#include <array>

namespace lemmascope {

namespace {

constexpr std::array Strengths{Strength::Identical, Strength::Open, Strength::Exact, Strength::Rounded, Strength::Probable};

} // namespace

VerdictBadge::VerdictBadge(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed); }

void VerdictBadge::setMark(const QString& glyph, Role role) {
    m_glyph = glyph;
    m_role = role;
    QWidget::update();
}

QSize VerdictBadge::sizeHint() const {
    const int side = fontMetrics().height() * 2 + 8;
    return {side, side};
}

void VerdictBadge::paintEvent(QPaintEvent*) {
    const CanvasTheme theme = CanvasTheme::fromPalette(palette());
    const QColor colour = m_role == Role::Plain || m_role == Role::Obsolete ? palette().color(QPalette::PlaceholderText) : theme.style(m_role).colour;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colour);
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
    QFont large = font();
    large.setPixelSize(height() * 6 / 10);
    large.setBold(true);
    painter.setFont(large);
    painter.setPen(contrast(colour, Qt::white) >= contrast(colour, Qt::black) ? Qt::white : Qt::black);
    painter.drawText(rect(), Qt::AlignCenter, m_glyph);
}

VerdictBanner::VerdictBanner(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("verdictBanner"));
    setAccessibleName(tr("Verdict"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);

    m_badge = new VerdictBadge(this);
    m_badge->setAccessibleName(tr("Verdict mark"));
    const auto label = [this](const QString& name) {
        auto* made = new ElidedLabel(this);
        made->setAccessibleName(name);
        made->setTextFormat(Qt::PlainText);
        made->setTextInteractionFlags(Qt::TextSelectableByMouse);
        return made;
    };
    m_titleLabel = label(tr("Verdict words"));
    m_titleLabel->setObjectName(QStringLiteral("verdictTitle"));
    QFont titleFont = font();
    titleFont.setBold(true);
    titleFont.setPointSizeF(titleFont.pointSizeF() * 1.25);
    m_titleLabel->setFont(titleFont);
    m_reasonLabel = new LongText(tr("Reason of the verdict"), 2, this);
    m_countsLabel = label(tr("Lemma counts"));
    m_failingLabel = new LongText(tr("First failing lemma"), 2, this);

    m_progress = new QProgressBar(this);
    m_progress->setAccessibleName(tr("Lemmas decided"));
    m_progress->setMaximumHeight(fontMetrics().height());
    m_progress->setMaximumWidth(160);
    m_progress->setTextVisible(false); // the title has the count

    m_wantedButton = new QToolButton(this);
    m_wantedButton->setAccessibleName(tr("Strength wanted"));
    m_wantedButton->setToolTip(tr("What counts as proved: the weakest strength you accept"));
    m_wantedButton->setPopupMode(QToolButton::InstantPopup);
    m_wantedButton->setFocusPolicy(Qt::TabFocus);
    auto* menu = new QMenu(m_wantedButton);
    menu->setToolTipsVisible(true);
    auto* group = new QActionGroup(menu);
    for (const Strength strength : Strengths) {
        QAction* action = menu->addAction(word(strength));
        action->setCheckable(true);
        action->setData(static_cast<int>(strength));
        action->setToolTip(explanation(strength));
        group->addAction(action);
        connect(action, &QAction::triggered, this, [this, strength] { Q_EMIT wantedChosen(strength); });
    }
    m_wantedButton->setMenu(menu);

    m_detailsButton = new QToolButton(this);
    m_detailsButton->setCheckable(true);
    m_detailsButton->setFocusPolicy(Qt::TabFocus);
    m_detailsButton->setText(tr("Assumptions"));
    m_detailsButton->setAccessibleName(tr("Show what the verdict rests on"));
    m_detailsButton->setToolTip(tr("Outputs, assumptions, caveats and conditions of this verdict"));

    const auto button = [this](const QString& text, const QString& tip) {
        auto* made = new QPushButton(text, this);
        made->setAccessibleName(tip);
        made->setToolTip(tip);
        return made;
    };
    m_goButton = button(tr("&Go"), tr("Go to the first failing lemma (F8)"));
    m_goButton->setObjectName(QStringLiteral("goButton"));
    m_reportButton = button(tr("Re&port…"), tr("Export a bug report (Ctrl+Shift+E)"));
    m_reportButton->setObjectName(QStringLiteral("reportButton"));
    m_stopButton = button(tr("&Stop"), tr("Stop the check (Esc)"));
    m_stopButton->setObjectName(QStringLiteral("stopButton"));
    m_reloadButton = button(tr("&Check again"), tr("Read both files again and check (F5)"));

    m_details = new QTextBrowser(this);
    m_details->setAccessibleName(tr("What the verdict rests on"));
    m_details->setMaximumHeight(fontMetrics().height() * 9);
    m_details->setOpenLinks(false);
    m_details->hide();

    auto* first = new QHBoxLayout;
    first->setSpacing(12);
    first->addWidget(m_titleLabel);
    first->addWidget(m_progress);
    first->addWidget(m_reasonLabel, 1);
    auto* second = new QHBoxLayout;
    second->addWidget(m_countsLabel);
    second->addSpacing(12);
    second->addWidget(m_failingLabel, 1);
    auto* words = new QVBoxLayout;
    words->setSpacing(2);
    words->addLayout(first);
    words->addLayout(second);
    auto* row = new QHBoxLayout;
    row->addWidget(m_badge, 0, Qt::AlignTop);
    row->addLayout(words, 1);
    row->addWidget(m_wantedButton);
    row->addWidget(m_detailsButton);
    row->addWidget(m_goButton);
    row->addWidget(m_reportButton);
    row->addWidget(m_stopButton);
    row->addWidget(m_reloadButton);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(8, 4, 8, 4);
    all->addLayout(row);
    all->addWidget(m_details);

    connect(m_goButton, &QPushButton::clicked, this, &VerdictBanner::goRequested);
    connect(m_reportButton, &QPushButton::clicked, this, &VerdictBanner::reportRequested);
    connect(m_stopButton, &QPushButton::clicked, this, &VerdictBanner::stopRequested);
    connect(m_reloadButton, &QPushButton::clicked, this, &VerdictBanner::reloadRequested);
    connect(m_detailsButton, &QToolButton::toggled, m_details, &QWidget::setVisible);
    setWanted(m_wanted);
    update(Form::NoVerdict);
}

void VerdictBanner::showLoading(const QString& files) {
    m_result.reset();
    m_stale = false;
    m_title = tr("OPENING");
    m_reasonLabel->setText(files);
    m_badge->setMark(QStringLiteral("…"), Role::Plain);
    update(Form::Working);
    m_progress->hide();
}

void VerdictBanner::showChecking(const QString& phase, std::size_t done, std::size_t total, const QString& earlier) {
    m_result.reset();
    m_stale = false;
    m_badge->setMark(QStringLiteral("…"), Role::Plain);
    m_title = total > 0 ? tr("CHECKING %1 of %2").arg(done).arg(total) : tr("CHECKING");
    if (!earlier.isEmpty()) {
        m_title = tr("%1: %2").arg(m_title, earlier);
    }
    m_reasonLabel->setText(phase);
    // A bar only where the count is real.
    m_progress->setRange(0, static_cast<int>(total));
    m_progress->setValue(static_cast<int>(done));
    update(Form::Working);
    m_progress->setVisible(total > 0);
}

void VerdictBanner::showResult(const std::shared_ptr<const CheckResult>& result) {
    m_result = result;
    m_title = bannerTitle(*result);
    m_badge->setMark(glyph(result->verdict), roleOf(result->verdict));
    QString reason = bannerReason(*result);
    if (result->verdict == Verdict::Proved && result->strength && *result->strength > m_wanted) {
        reason = tr("Weaker than the strength wanted (%1). %2").arg(word(m_wanted), reason);
    }
    m_reasonLabel->setText(reason);
    m_countsLabel->setText(countsText(*result));
    const std::size_t failing = firstFailing(*result);
    if (failing < result->lemmas.size()) {
        const LemmaResult& lemma = result->lemmas[failing];
        m_failingLabel->setText(lemma.verdict == LemmaVerdict::Fails
                                    ? tr("first failing: %1 “%2”").arg(toQString(lemma.id), toQString(lemma.title))
                                    : tr("first not proved: %1 “%2”").arg(toQString(lemma.id), toQString(lemma.title)));
    } else {
        m_failingLabel->clear();
    }
    fillDetails();
    update(Form::Result);
}

void VerdictBanner::showNoVerdict(const QString& title, const QString& why) {
    m_result.reset();
    m_stale = false;
    m_title = title;
    m_reasonLabel->setText(why);
    m_badge->setMark(QStringLiteral("!"), Role::Plain);
    update(Form::NoVerdict);
}

void VerdictBanner::setStale(bool stale) {
    if (m_form == Form::Result && m_stale != stale) {
        m_stale = stale;
        if (m_result) {
            m_badge->setMark(stale ? glyph(Role::Obsolete) : glyph(m_result->verdict), stale ? Role::Obsolete : roleOf(m_result->verdict));
        }
        update(m_form);
    }
}

void VerdictBanner::setWanted(Strength wanted) {
    m_wanted = wanted;
    m_wantedButton->setText(tr("wanted: %1").arg(word(wanted)));
    for (QAction* action : m_wantedButton->menu()->actions()) {
        action->setChecked(action->data().toInt() == static_cast<int>(wanted));
    }
    if (m_form == Form::Result && m_result) {
        const bool stale = m_stale;
        showResult(m_result);
        setStale(stale);
    }
}

QString VerdictBanner::title() const { return m_titleLabel->text(); }

QString VerdictBanner::text() const {
    QStringList parts;
    const auto add = [&parts](const auto* part) {
        if (!part->isHidden() && !part->text().isEmpty()) {
            parts << part->text();
        }
    };
    add(m_titleLabel);
    add(m_reasonLabel);
    add(m_countsLabel);
    add(m_failingLabel);
    return parts.join(u'\n');
}

void VerdictBanner::update(Form form) {
    m_form = form;
    m_titleLabel->setText(m_stale ? tr("STALE: was %1. The files have changed since.").arg(m_title) : m_title);
    const bool result = form == Form::Result;
    m_progress->setVisible(false);
    m_countsLabel->setVisible(result && !m_countsLabel->text().isEmpty());
    m_failingLabel->setVisible(result && !m_failingLabel->text().isEmpty());
    m_goButton->setVisible(result && !m_failingLabel->text().isEmpty());
    m_reportButton->setVisible(result);
    m_stopButton->setVisible(form == Form::Working);
    m_reloadButton->setVisible(form == Form::NoVerdict || m_stale);
    m_detailsButton->setVisible(result);
    m_details->setVisible(result && m_detailsButton->isChecked());
    setAccessibleDescription(text());
}

void VerdictBanner::fillDetails() {
    const CheckResult& result = *m_result;
    const std::size_t count = result.assumptions.size();
    m_detailsButton->setText(count == 0 ? tr("Details") : tr("Assumptions (%1)").arg(count));
    m_details->setHtml(verdictDetailsHtml(result));
}

void VerdictBanner::changeEvent(QEvent* event) {
    QFrame::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) {
        m_badge->QWidget::update();
    }
}

QString verdictDetailsHtml(const CheckResult& result) {
    QString html;
    const auto list = [&html](const QString& title, const QStringList& items) {
        if (!items.isEmpty()) {
            html += QStringLiteral("<p><b>%1</b></p><ul><li>%2</li></ul>").arg(title.toHtmlEscaped(), items.join(QStringLiteral("</li><li>")));
        }
    };
    QStringList items;
    for (const OutputResult& output : result.outputs) {
        QString line = QStringLiteral("%1 %2: %3").arg(glyph(output.verdict), toQString(output.name), toQString(name(output.verdict)));
        if (output.strength) {
            line += QStringLiteral(" (%1)").arg(word(*output.strength));
        }
        if (output.kind) {
            line += QStringLiteral(" (%1)").arg(word(*output.kind));
        }
        if (!output.reason.empty()) {
            line += QStringLiteral(": ") + toQString(output.reason);
        }
        items << line.toHtmlEscaped();
    }
    list(VerdictBanner::tr("Outputs"), items);

    const auto remarks = [](const std::vector<Remark>& from) {
        QStringList texts;
        for (const Remark& remark : from) {
            texts << QStringLiteral("%1: %2").arg(toQString(remark.kind), toQString(remark.text)).toHtmlEscaped();
        }
        return texts;
    };
    if (result.condition) {
        list(VerdictBanner::tr("Condition"), {toQString(*result.condition).toHtmlEscaped()});
    }
    list(VerdictBanner::tr("Assumptions"), remarks(result.assumptions));
    list(VerdictBanner::tr("Caveats"), remarks(result.caveats));

    // Of graphs there is a pane for them.
    items.clear();
    if (result.counterexample && result.reference == nullptr) {
        for (const auto& [name, tensor] : result.counterexample->inputs) {
            constexpr std::int64_t Whole = 16;
            items << QStringLiteral("%1 (%2): %3").arg(toQString(name), typeText(tensor), summaryText(tensor, Whole)).toHtmlEscaped();
        }
    }
    list(VerdictBanner::tr("Inputs of the counterexample"), items);
    items.clear();
    for (const ScheduledRun& run : result.race ? result.race->runs : std::vector<ScheduledRun>()) {
        QStringList gives;
        for (const auto& [name, tensor] : run.outputs) {
            gives << QStringLiteral("%1 = %2").arg(toQString(name), summaryText(tensor));
        }
        items << VerdictBanner::tr("first %1: %2")
                     .arg(run.order.empty() ? QString() : toQString(run.order.front()),
                          run.end.empty() ? gives.join(QStringLiteral(", ")) : toQString(run.end))
                     .toHtmlEscaped();
    }
    list(VerdictBanner::tr("Both schedules"), items);

    items.clear();
    for (const Blame& blame : result.blame) {
        QString line =
            (blame.side == Side::Reference ? VerdictBanner::tr("reference: %1") : VerdictBanner::tr("rewritten: %1")).arg(toQString(blame.nodeName));
        if (!blame.attribute.empty()) {
            line += VerdictBanner::tr(", attribute %1").arg(toQString(blame.attribute));
        }
        items << line.toHtmlEscaped();
    }
    list(VerdictBanner::tr("Where they differ"), items);

    items.clear();
    for (const ConstantError& constant : result.constants) {
        items << VerdictBanner::tr("%1: %2 ulp, relative %3, allowed %4")
                     .arg(toQString(constant.name))
                     .arg(constant.ulp)
                     .arg(constant.relative)
                     .arg(constant.allowed)
                     .toHtmlEscaped();
    }
    list(VerdictBanner::tr("Rounded constants"), items);
    if (result.largestRelativeDifference) {
        list(VerdictBanner::tr("Largest difference on sampled inputs"),
             {VerdictBanner::tr("relative %1").arg(*result.largestRelativeDifference) +
              (result.largestUlpDifference ? VerdictBanner::tr(", %1 ulp").arg(*result.largestUlpDifference) : QString())});
    }
    if (result.differenceBound) {
        list(VerdictBanner::tr("A-priori bound of the difference"),
             {VerdictBanner::tr("no element differs by more than %1 for inputs in their ranges").arg(*result.differenceBound)});
    } else if (!result.noBoundReason.empty()) {
        list(VerdictBanner::tr("No a-priori bound of the difference"), {toQString(result.noBoundReason).toHtmlEscaped()});
    }
    if (html.isEmpty()) {
        html = QStringLiteral("<p>%1</p>").arg(VerdictBanner::tr("No assumptions were needed.").toHtmlEscaped());
    }
    return html;
}

} // namespace lemmascope
