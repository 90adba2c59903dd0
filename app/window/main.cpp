// The window: wires core to ui and nothing else.

#include "app/window/end_signals.h"
#include "app/window/engines.h"
#include "app/window/grab.h"
#include "app/window/program_services.h"
#include "app/window/services.h"
#include "core/report/outcome.h"
#include "core/workspace/recent.h"
#include "ui/jobs/program_session.h"
#include "ui/panels/program_settings_bar.h"
#include "ui/views/text.h"
#include "ui/views/theme.h"
#include "ui/window/main_window.h"
#include "ui/window/rules_part.h"
#include "ui/window/session_part.h"

#include <QApplication>
#include <QCommandLineParser>
#include <QIcon>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace {

using namespace lemmascope;

constexpr int UsageStatus = 64;
constexpr int DisplayStatus = 70;

/// The offscreen platform says on every layout what it cannot do; nobody who asked for a picture wants to read it.
void quietMessages(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type != QtDebugMsg && !text.contains(QStringLiteral("propagateSizeHints"))) {
        std::fprintf(stderr, "lemmascope: %s\n", qPrintable(text));
    }
}

/// The arguments without those that Qt takes for itself.
QStringList givenArguments(int argc, char** argv) {
    constexpr std::array WithValue{"-platform", "-platformpluginpath", "-platformtheme", "-plugin",       "-style", "-stylesheet", "-display",
                                   "-geometry", "-qwindowgeometry",    "-qwindowicon",   "-qwindowtitle", "-title", "-session"};
    QStringList given;
    for (int i = 0; i < argc; ++i) {
        const QString argument = QString::fromLocal8Bit(argv[i]);
        const QString dashed = argument.startsWith(QStringLiteral("--")) ? argument.mid(1) : argument;
        if (i > 0 && std::any_of(WithValue.begin(), WithValue.end(), [&dashed](const char* known) { return dashed == QLatin1String(known); })) {
            ++i;
        } else {
            given << argument;
        }
    }
    return given;
}

/// What can be told without trying: a platform that is asked for by name is left to Qt.
bool lacksDisplay(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const QByteArray argument(argv[i]);
        if (argument == "-platform" || argument == "--platform" || argument == "-display" || argument == "--display") {
            return false;
        }
    }
    return qEnvironmentVariableIsEmpty("DISPLAY") && qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY") && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM");
}

int usageError(const QString& what) {
    std::fprintf(stderr, "lemmascope: %s\nTry 'lemmascope --help'.\n", qPrintable(what));
    return UsageStatus;
}

} // namespace

int main(int argc, char** argv) {
    qInstallMessageHandler(&quietMessages);
    QApplication::setApplicationName(QStringLiteral("lemmascope"));
    QApplication::setApplicationDisplayName(QStringLiteral("Lemmascope"));
    QApplication::setApplicationVersion(QString::fromUtf8(toolVersion().data(), static_cast<qsizetype>(toolVersion().size())));
    QApplication::setDesktopFileName(QStringLiteral("lemmascope"));

    QCommandLineParser parser;
    parser.setApplicationDescription(QCoreApplication::translate(
        "main",
        "Did this rewrite keep the meaning? Opens a reference graph and a rewritten one, proves them equal or shows an input on which they differ."));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    // Not --style: Qt takes that for itself.
    const QCommandLineOption colours({QStringLiteral("colours"), QStringLiteral("colors")},
                                     QCoreApplication::translate("main", "Colours: light, dark, contrast, mono, or the desktop's own (default)."),
                                     QStringLiteral("light|dark|contrast|mono"));
    QCommandLineOption grab(QStringLiteral("grab"), QStringLiteral("Save a picture of the window once the verdict is there, and end."),
                            QStringLiteral("file.png"));
    QCommandLineOption grabView(QStringLiteral("grab-view"), QStringLiteral("What the picture shows: %1.").arg(Grabber::views()),
                                QStringLiteral("view"), QStringLiteral("lemma"));
    const QCommandLineOption rules(QStringLiteral("rules"), QCoreApplication::translate("main", "Rules to match on the graphs (.rules)."),
                                   QStringLiteral("file"));
    const QCommandLineOption entry(QStringLiteral("entry"),
                                   QCoreApplication::translate("main", "Function of MLIR programs to start in; their only public one else."),
                                   QStringLiteral("name"));
    const QCommandLineOption size(
        QStringLiteral("size"),
        QCoreApplication::translate("main", "An integer argument, or the dynamic size of a memref, of MLIR programs; may be repeated."),
        QStringLiteral("n=8"));
    const QCommandLineOption mayAlias(QStringLiteral("may-alias"),
                                      QCoreApplication::translate("main", "Arguments of MLIR programs may name one memory."));
    const QCommandLineOption fingerprint(
        QStringLiteral("fingerprint"),
        QCoreApplication::translate("main", "MLIR programs too large for terms: keep digests in their place; what agrees is probable."));
    parser.addOptions({colours, grab, grabView, rules, entry, size, mayAlias, fingerprint});
    parser.addPositionalArgument(
        QStringLiteral("REF"),
        QCoreApplication::translate("main", "The graph or program as it was (.onnx, .lsg.json, .mlir), or a saved session alone (.lsession)."),
        QStringLiteral("[REF"));
    parser.addPositionalArgument(
        QStringLiteral("REWRITTEN"),
        QCoreApplication::translate("main", "The graph after the rewrite; more graphs, or one folder alone, are the steps of a pipeline."),
        QStringLiteral("REWRITTEN ...]"));
    // Before there is a QApplication, which takes its own options out and ends the program where there is no display.
    const bool parsed = parser.parse(givenArguments(argc, argv));
    if (parser.isSet(help) || parser.isSet(QStringLiteral("help-all"))) {
        // Qt asks the running program for its name and its words, so there has to be one; this kind needs no display.
        const QCoreApplication words(argc, argv);
        std::fputs(qPrintable(parser.helpText()), stdout);
        return 0;
    }
    if (parser.isSet(version)) {
        std::printf("lemmascope %s\n", qPrintable(QApplication::applicationVersion()));
        return 0;
    }
    if (!parsed) {
        return usageError(parser.errorText());
    }
    const QStringList files = parser.positionalArguments();
    if (!Grabber::knows(parser.value(grabView))) {
        return usageError(QStringLiteral("--grab-view: unknown view '%1'").arg(parser.value(grabView)));
    }
    if (parser.isSet(colours) && !isColours(parser.value(colours))) {
        return usageError(QStringLiteral("--colours: expected light, dark, contrast, mono or desktop, not '%1'").arg(parser.value(colours)));
    }
    const SizesText sizes = readSizes(parser.values(size).join(u','));
    if (!sizes.wrong.isEmpty()) {
        return usageError(QStringLiteral("--size: expected NAME=NUMBER, such as n=8, not '%1'").arg(sizes.wrong));
    }
    const bool asked = parser.isSet(entry) || parser.isSet(size) || parser.isSet(mayAlias) || parser.isSet(fingerprint);
    const auto isProgram = [](const QString& file) { return ProgramSession::isProgram(toPath(file)); };
    if (asked && !(files.size() == 2 && isProgram(files[0]) && isProgram(files[1]))) {
        return usageError(QStringLiteral("--entry, --size, --may-alias and --fingerprint are about two MLIR programs (.mlir, .mlirbc)"));
    }
    if (lacksDisplay(argc, argv)) {
        std::fputs("lemmascope: no display: neither DISPLAY nor WAYLAND_DISPLAY is set (lemmascope-cli needs none)\n", stderr);
        return DisplayStatus;
    }
    const QApplication application(argc, argv);
    QApplication::setWindowIcon(QIcon::fromTheme(QStringLiteral("lemmascope")));
    if (parser.isSet(colours) && !applyColours(parser.value(colours))) {
        return usageError(QStringLiteral("--colours: '%1' cannot be applied").arg(parser.value(colours)));
    }

    // For this run only, before what the settings say; a picture without the option looks as the desktop does.
    QApplication::instance()->setProperty("lemmascopeColours", parser.isSet(colours) ? parser.value(colours)
                                                               : parser.isSet(grab)  ? QStringLiteral("desktop")
                                                                                     : QString());
    // A picture is made without a trace: no recent pairs, no saved layout.
    const auto engines = std::make_shared<Engines>();
    MainWindow window(realServices(engines), installedExamples(), parser.isSet(grab) ? std::filesystem::path() : stateFolder());
    window.programSession()->setServices(realProgramServices(engines));
    std::optional<Grabber> grabber;
    if (parser.isSet(grab)) {
        window.setKeepsLayout(false);
        window.resize(1366, 768);
        grabber.emplace(&window, parser.value(grab), parser.value(grabView));
    }
    // Closing saves what is to be saved; an event loop that a dialog runs ends too.
    const EndSignals signals([&window](int signal) {
        // What is open is kept, asks nothing, and the next start offers it.
        if (auto* sessions = window.findChild<SessionPart*>()) {
            sessions->keepForNextStart();
        }
        window.close();
        constexpr int BySignal = 128;
        QApplication::exit(BySignal + signal);
    });
    window.show();
    if (asked) {
        window.programSession()->askNext({toStdString(parser.value(entry)), parser.isSet(mayAlias), parser.isSet(fingerprint)}, sizes.sizes);
    }
    window.openFiles(files);
    if (parser.isSet(rules)) {
        window.findChild<RulesPart*>()->open(parser.value(rules));
    }
    return QApplication::exec();
}
