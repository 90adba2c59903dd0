// The window: wires core to ui and nothing else.

#include "app/window/grab.h"
#include "app/window/services.h"
#include "core/report/outcome.h"
#include "core/workspace/recent.h"
#include "ui/main_window.h"
#include "ui/views/theme.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>

#include <cstdio>
#include <optional>

namespace {

using namespace lemmascope;

constexpr int UsageStatus = 64;

/// The offscreen platform says on every layout what it cannot do; nobody who asked for a picture wants to read it.
void quietMessages(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type != QtDebugMsg && !text.contains(QStringLiteral("propagateSizeHints"))) {
        std::fprintf(stderr, "lemmascope: %s\n", qPrintable(text));
    }
}

int usageError(const QString& what) {
    std::fprintf(stderr, "lemmascope: %s\nTry 'lemmascope --help'.\n", qPrintable(what));
    return UsageStatus;
}

} // namespace

int main(int argc, char** argv) {
    qInstallMessageHandler(&quietMessages);
    QApplication application(argc, argv);
    QApplication::setApplicationName(QStringLiteral("lemmascope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Lemmascope"));
    QApplication::setApplicationVersion(QString::fromUtf8(toolVersion().data(), static_cast<qsizetype>(toolVersion().size())));
    QApplication::setDesktopFileName(QStringLiteral("lemmascope"));
    QApplication::setWindowIcon(QIcon::fromTheme(QStringLiteral("lemmascope")));

    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate(
        "main",
        "Did this rewrite keep the meaning? Opens a reference graph and a rewritten one, proves them equal or shows an input on which they differ."));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    // Not --style: Qt takes that for itself.
    const QCommandLineOption colours({QStringLiteral("colours"), QStringLiteral("colors")},
                                     QCoreApplication::translate("main", "Colours: light, dark, or the desktop's own (default)."),
                                     QStringLiteral("light|dark"));
    QCommandLineOption grab(QStringLiteral("grab"), QStringLiteral("Save a picture of the window once the verdict is there, and end."),
                            QStringLiteral("file.png"));
    QCommandLineOption grabView(QStringLiteral("grab-view"), QStringLiteral("What the picture shows: overview, lemma, focus, query, messages."),
                                QStringLiteral("view"), QStringLiteral("lemma"));
    QCommandLineOption rules(QStringLiteral("rules"), QStringLiteral("Rules to match."), QStringLiteral("file"));
    for (QCommandLineOption* hidden : {&grab, &grabView, &rules}) {
        hidden->setFlags(QCommandLineOption::HiddenFromHelp);
        parser.addOption(*hidden);
    }
    parser.addOption(colours);
    parser.addPositionalArgument(QStringLiteral("REF"), QCoreApplication::translate("main", "The graph as it was (.onnx, .lsg.json)."),
                                 QStringLiteral("[REF"));
    parser.addPositionalArgument(QStringLiteral("REWRITTEN"), QCoreApplication::translate("main", "The graph after the rewrite."),
                                 QStringLiteral("REWRITTEN]"));
    if (!parser.parse(QApplication::arguments())) {
        return usageError(parser.errorText());
    }
    if (parser.isSet(help)) {
        std::fputs(qPrintable(parser.helpText()), stdout);
        return 0;
    }
    if (parser.isSet(version)) {
        std::printf("lemmascope %s\n", qPrintable(QApplication::applicationVersion()));
        return 0;
    }
    if (parser.isSet(rules)) {
        return usageError(QStringLiteral("--rules: rules cannot be opened yet; this comes with the matcher"));
    }
    const QStringList files = parser.positionalArguments();
    if (files.size() > 2) {
        return usageError(QStringLiteral("expected at most two files, a reference and a rewritten graph"));
    }
    if (!Grabber::knows(parser.value(grabView))) {
        return usageError(QStringLiteral("--grab-view: unknown view '%1'").arg(parser.value(grabView)));
    }
    if (parser.isSet(colours) && !applyColours(parser.value(colours))) {
        return usageError(QStringLiteral("--colours: expected light or dark, not '%1'").arg(parser.value(colours)));
    }

    // A picture is made without a trace: no recent pairs, no saved layout.
    MainWindow window(realServices(), installedExamples(), parser.isSet(grab) ? std::filesystem::path() : stateFolder());
    std::optional<Grabber> grabber;
    if (parser.isSet(grab)) {
        window.setKeepsLayout(false);
        window.resize(1366, 768);
        grabber.emplace(&window, parser.value(grab), parser.value(grabView));
    }
    window.show();
    if (files.size() == 2) {
        window.openPair(files[0], files[1]);
    } else if (files.size() == 1) {
        window.openOne(files[0]);
    }
    return QApplication::exec();
}
