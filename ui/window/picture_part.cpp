#include "ui/window/picture_part.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/canvas/picture_pages.h"
#include "ui/models/message_model.h"
#include "ui/panels/verdict_banner.h"
#include "ui/views/text.h"
#include "ui/window/main_window.h"

#include <QAction>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QGuiApplication>
#include <QLocale>
#include <QMenu>
#include <QPrintDialog>
#include <QPrintPreviewDialog>
#include <QPrinter>
#include <QStatusBar>

#include <algorithm>

namespace lemmascope {

namespace {

constexpr int ToldMs = 10'000;
constexpr double AreaMargin = 40.0; ///< around what differs, in scene units
constexpr double SceneMargin = 16.0;

CanvasTheme themeOf(PictureColours colours) {
    switch (colours) {
    case PictureColours::Light: return CanvasTheme::lightTheme();
    case PictureColours::Dark: return CanvasTheme::darkTheme();
    case PictureColours::Monochrome: return CanvasTheme::printTheme();
    }
    return CanvasTheme::lightTheme();
}

QString suffixOf(PictureFormat format) {
    return format == PictureFormat::Png ? QStringLiteral("png") : format == PictureFormat::Svg ? QStringLiteral("svg") : QStringLiteral("pdf");
}

} // namespace

PicturesPart::PicturesPart(MainWindow& window)
    : QObject(&window), m_window(window), m_save(tr("Exporting the picture"), window.jobs()), m_copy(tr("Copying the picture"), window.jobs()) {
    m_printChoice.colours = PictureColours::Monochrome;
    QMenu* file = window.menu(MainWindow::Menu::File);
    // Dialogs open on the next turn: whoever triggered the action gets control back first.
    const auto asks = [this](auto&& act) { return [this, act] { QMetaObject::invokeMethod(this, act, Qt::QueuedConnection); }; };
    const auto needs = MainWindow::Needs::Pair;
    QAction* picture =
        window.addMenuAction(file, tr("&Export Picture…"), {QKeySequence(QStringLiteral("Ctrl+E"))}, asks([this] { askForFile(); }), needs);
    QAction* print = window.addMenuAction(file, tr("&Print…"), {QKeySequence::Print}, asks([this] { askForPrint(false); }), needs);
    QAction* preview = window.addMenuAction(file, tr("Print Prev&iew…"), {}, asks([this] { askForPrint(true); }), needs);
    // Behind the report, before what closes.
    const QList<QAction*> entries = file->actions();
    const auto report = std::find_if(entries.begin(), entries.end(),
                                     [](const QAction* action) { return action->shortcut() == QKeySequence(QStringLiteral("Ctrl+Shift+E")); });
    if (report != entries.end() && std::next(report) != entries.end()) {
        QAction* before = *std::next(report);
        for (QAction* action : {picture, print, preview}) {
            file->removeAction(action);
            file->insertAction(before, action);
        }
    }
    window.addMenuAction(
        window.menu(MainWindow::Menu::Edit), tr("Copy Picture of Vie&w"), {},
        [this] {
            PictureChoice choice = m_choice;
            choice.area = PictureArea::View;
            choice.colours = m_window.canvas(Side::Reference)->theme().monochrome ? PictureColours::Monochrome
                             : m_window.canvas(Side::Reference)->theme().dark     ? PictureColours::Dark
                                                                                  : PictureColours::Light;
            copy(choice);
        },
        needs);
}

PicturesPart::~PicturesPart() = default;

QRectF PicturesPart::focusOf(Side side) const {
    const auto& scene = m_window.canvas(side)->scene();
    if (!scene) {
        return {};
    }
    const PairSession& session = *m_window.session();
    std::vector<FlatNodeId> nodes;
    const auto lemma = m_window.currentLemma();
    const auto& result = session.session().result;
    if (lemma && result && *lemma < result->lemmas.size()) {
        nodes = side == Side::Reference ? result->lemmas[*lemma].referenceNodes : result->lemmas[*lemma].rewrittenNodes;
    }
    if (nodes.empty()) {
        nodes = session.differingNodes(side);
    }
    QRectF area;
    for (const FlatNodeId node : nodes) {
        if (const std::uint32_t item = scene->visibleItem(node); item != NoItem) {
            area |= scene->boxes[item];
        }
    }
    return area.isEmpty() ? area : area.adjusted(-AreaMargin, -AreaMargin, AreaMargin, AreaMargin);
}

std::optional<QRectF> PicturesPart::areaOf(Side side, PictureArea area) const {
    const GraphCanvas* canvas = m_window.canvas(side);
    if (!canvas->scene()) {
        return std::nullopt;
    }
    const QRectF bounds = canvas->scene()->bounds;
    switch (area) {
    case PictureArea::Whole: return std::nullopt;
    case PictureArea::View: return canvas->visibleArea();
    case PictureArea::Focus: break;
    }
    const QRectF mine = focusOf(side);
    if (!mine.isEmpty()) {
        return mine;
    }
    // Partners stand level: where this side has nothing that differs, what stands beside the other's.
    const QRectF theirs = focusOf(MainWindow::other(side));
    return theirs.isEmpty() ? std::nullopt : std::optional(QRectF(bounds.left(), theirs.top(), bounds.width(), theirs.height()));
}

std::vector<PicturePart> PicturesPart::pieces(const PictureChoice& choice) const {
    std::vector<PicturePart> parts;
    for (const Side side : {Side::Reference, Side::Rewritten}) {
        if (!(side == Side::Reference ? choice.reference : choice.rewritten)) {
            continue;
        }
        const GraphCanvas* canvas = m_window.canvas(side);
        PicturePart part;
        part.scene = canvas->scene();
        part.overlay = canvas->overlay();
        part.area = areaOf(side, choice.area);
        const Session& session = m_window.session()->session();
        part.caption = side == Side::Reference ? tr("REFERENCE %1").arg(pathText(session.reference.filename()))
                                               : tr("REWRITTEN %1").arg(pathText(session.rewritten.filename()));
        parts.push_back(std::move(part));
    }
    return parts;
}

PictureOptions PicturesPart::optionsOf(const PictureChoice& choice) const {
    PictureOptions options;
    options.theme = themeOf(choice.colours);
    options.font = m_window.font();
    options.edgeLabels = m_window.canvas(Side::Reference)->edgeLabels();
    options.scale = choice.format == PictureFormat::Png ? choice.scale : 1.0;
    options.title = m_window.windowTitle();
    options.legend = choice.legend;
    if (choice.heading) {
        const Session& session = m_window.session()->session();
        options.heading << tr("%1 ⇢ %2").arg(pathText(session.reference.filename()), pathText(session.rewritten.filename()));
        if (session.result) {
            options.heading << toQString(verdictLine(*session.result));
        }
    }
    return options;
}

Result<PictureSheet> PicturesPart::sheet(const PictureChoice& choice) const { return PictureSheet::make(pieces(choice), optionsOf(choice)); }

Result<QString> PicturesPart::preview(const PictureChoice& choice) const {
    const Result<PictureSheet> made = sheet(choice);
    if (!made) {
        return tl::unexpected(made.error());
    }
    const QLocale locale;
    const double scale = made->scaleIn(choice.format);
    const QSize size = (made->size() * scale).toSize();
    QString text =
        choice.format == PictureFormat::Pdf
            ? tr("A page of %1 × %2 mm.").arg(locale.toString(qRound(size.width() * 25.4 / 96)), locale.toString(qRound(size.height() * 25.4 / 96)))
            : tr("%1 × %2 pixels.").arg(locale.toString(size.width()), locale.toString(size.height()));
    if (scale < made->options().scale * 0.99) {
        text += u' ' + tr("Made smaller to %1 %: the format holds no more. A region, or SVG, keeps its size.")
                           .arg(qRound(100.0 * scale / made->options().scale));
    }
    return text;
}

void PicturesPart::complain(const QString& task, const Error& error) {
    m_window.messages()->addError(task, error);
    Q_EMIT failed(toQString(error.message));
}

void PicturesPart::save(const QString& file, PictureChoice choice) {
    const QString task = tr("Exporting the picture");
    if (const auto format = pictureFormatOf(file)) {
        choice.format = *format;
    }
    const Result<QString> told = preview(choice);
    m_window.statusBar()->showMessage(tr("Drawing %1 …").arg(QFileInfo(file).fileName()));
    m_save.start<bool>(
        [file, parts = pieces(choice), options = optionsOf(choice), phase = tr("drawing")](const JobContext& context) -> Result<bool> {
            context.report({phase, 0, 0});
            if (const Result<void> written = savePicture(file, parts, options, context.stop); !written) {
                return tl::unexpected(written.error());
            }
            return true;
        },
        [this, file, task, said = told ? *told : QString()](Result<bool> written) {
            if (written) {
                m_window.statusBar()->showMessage(tr("Picture written to %1: %2").arg(file, said), ToldMs);
                Q_EMIT saved(file);
            } else {
                m_window.statusBar()->clearMessage();
                complain(task, written.error());
            }
        });
}

void PicturesPart::copy(const PictureChoice& choice) {
    m_copy.start<QImage>(
        [parts = pieces(choice), options = optionsOf(choice)](const JobContext&) -> Result<QImage> {
            const Result<PictureSheet> made = PictureSheet::make(parts, options);
            return made ? pictureImage(*made) : Result<QImage>(tl::unexpected(made.error()));
        },
        [this](Result<QImage> image) {
            if (image) {
                QGuiApplication::clipboard()->setImage(*image);
                m_window.statusBar()->showMessage(tr("Picture copied: %1 × %2 pixels").arg(image->width()).arg(image->height()), ToldMs);
                Q_EMIT copied();
            } else {
                complain(tr("Copying the picture"), image.error());
            }
        });
}

bool PicturesPart::print(QPrinter& printer, const PictureChoice& choice) {
    const Result<PictureSheet> made = sheet(choice);
    const Result<PagePlan> printed = made ? paintPages(printer, *made, choice.tiled) : Result<PagePlan>(tl::unexpected(made.error()));
    if (!printed) {
        complain(tr("Printing"), printed.error());
        return false;
    }
    m_window.statusBar()->showMessage(tr("Pages: %1").arg(printed->pages()), ToldMs);
    return true;
}

void PicturesPart::askForFile() {
    PictureDialog dialog(
        PictureDialog::Purpose::Export, m_choice, [this](const PictureChoice& choice) { return preview(choice); }, &m_window);
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    m_choice = dialog.choice();
    const Session& session = m_window.session()->session();
    const QString ending = suffixOf(m_choice.format);
    const QFileInfo rewritten(pathText(session.rewritten));
    const QString proposed = QFileInfo(m_file).path() + u'/' + rewritten.completeBaseName() + u'.' + ending;
    QString file = QFileDialog::getSaveFileName(&m_window, tr("Export Picture"), proposed, tr("Picture (*.%1)").arg(ending));
    if (file.isEmpty()) {
        return;
    }
    if (!pictureFormatOf(file)) {
        file += u'.' + ending;
    }
    m_file = file;
    save(file, m_choice);
}

void PicturesPart::askForPrint(bool previewOnly) {
    if (previewOnly) {
        showPrintPreview();
        return;
    }
    const auto told = [this](const PictureChoice& choice) -> Result<QString> {
        const Result<PictureSheet> made = sheet(choice);
        if (!made) {
            return tl::unexpected(made.error());
        }
        const QPrinter paper(QPrinter::HighResolution);
        const QRectF page = paper.pageLayout().paintRectPixels(paper.resolution());
        const Result<PagePlan> plan = planPages(*made, page.size(), paper.resolution(), choice.tiled);
        if (!plan) {
            return tl::unexpected(plan.error());
        }
        return plan->tiled ? tr("%n page(s) of the printer's paper.", nullptr, plan->pages())
                           : tr("One page, at %1 %.").arg(qRound(100.0 * plan->scale * 96.0 / paper.resolution()));
    };
    PictureDialog dialog(PictureDialog::Purpose::Print, m_printChoice, told, &m_window);
    if (dialog.exec() != QDialog::Accepted) {
        return;
    }
    m_printChoice = dialog.choice();
    if (dialog.wantsPreview()) {
        showPrintPreview();
        return;
    }
    QPrinter printer(QPrinter::HighResolution);
    printer.setDocName(m_window.windowTitle());
    QPrintDialog device(&printer, &m_window);
    if (device.exec() == QDialog::Accepted) {
        print(printer, m_printChoice);
    }
}

void PicturesPart::showPrintPreview() {
    QPrinter printer(QPrinter::HighResolution);
    printer.setDocName(m_window.windowTitle());
    QPrintPreviewDialog dialog(&printer, &m_window);
    dialog.setAccessibleName(tr("Print preview"));
    connect(&dialog, &QPrintPreviewDialog::paintRequested, this, [this](QPrinter* paper) { print(*paper, m_printChoice); });
    dialog.exec();
}

} // namespace lemmascope
