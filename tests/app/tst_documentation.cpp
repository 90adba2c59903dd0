// The man page and the shell completion name every option that `--help` names, and no other.
#include <QFile>
#include <QProcess>
#include <QProcessEnvironment>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

class TestDocumentation : public QObject {
    Q_OBJECT

    static QString helpOf(const QStringList& command) {
        QProcess process;
        process.start(QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope-cli"), command + QStringList{"--help"});
        return process.waitForFinished(20'000) && process.exitCode() == 0 ? QString::fromUtf8(process.readAllStandardOutput()) : QString();
    }

    static QString contentOf(const char* file) {
        QFile opened(QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/") + file);
        return opened.open(QIODevice::ReadOnly) ? QString::fromUtf8(opened.readAll()) : QString();
    }

    /// A manual page as it is built, hyphens as they are typed and no fonts.
    static QString manual(const char* name) {
        QFile opened(QStringLiteral(LEMMASCOPE_BIN_DIR "/../man/") + name);
        static const QRegularExpression font(QStringLiteral("\\\\f[BIR]"));
        return opened.open(QIODevice::ReadOnly) ? QString::fromUtf8(opened.readAll()).replace("\\-", "-").remove(font) : QString();
    }

    static QSet<QString> optionsIn(const QString& text) {
        static const QRegularExpression pattern(QStringLiteral("(?<![\\w-])--[a-z][a-z-]*"));
        QSet<QString> out;
        for (auto at = pattern.globalMatch(text); at.hasNext();) {
            out.insert(at.next().captured());
        }
        return out;
    }

    static const QStringList& commands() {
        static const QStringList all{"check", "obligation", "eval", "show", "convert", "match", "rewrite", "rules", "interp"};
        return all;
    }

    static QSet<QString> known() {
        QSet<QString> out = optionsIn(helpOf({}));
        for (const QString& command : commands()) {
            out += optionsIn(helpOf({command}));
        }
        return out + optionsIn(helpOf({"rules", "check"}));
    }

    static QString listed(QSet<QString> options) {
        QStringList list = options.values();
        list.sort();
        return list.join(' ');
    }

    struct WindowRun {
        int status = -1;
        QString output;
        QString errors;
    };

    /// The window's program where there is no display.
    static WindowRun runWindow(const QStringList& arguments) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
            environment.remove(QString::fromLatin1(name));
        }
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope"), arguments);
        if (!process.waitForFinished(20'000) || process.exitStatus() != QProcess::NormalExit) {
            return {};
        }
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
    }

    static bool hasWindow() { return QFile::exists(QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope")); }

  private Q_SLOTS:
    void windowSpeaksWithoutADisplay() {
        if (!hasWindow()) {
            QSKIP("the window is not built");
        }
        QCOMPARE(runWindow({"--help"}).status, 0);
        const WindowRun version = runWindow({"--version"});
        QCOMPARE(version.status, 0);
        QVERIFY(version.output.startsWith("lemmascope "));
        for (const QStringList& wrong : {QStringList{"--nonsense"}, QStringList{"--grab-view", "nothing"}, QStringList{"--colours", "pink"}}) {
            const WindowRun run = runWindow(wrong);
            QCOMPARE(run.status, 64);
            QVERIFY2(run.errors.startsWith("lemmascope: "), qPrintable(run.errors));
        }
        const WindowRun open = runWindow({});
        QCOMPARE(open.status, 70);
        QCOMPARE(open.errors.count('\n'), 1);
    }

    void windowManPageNamesEveryOption() {
        if (!hasWindow()) {
            QSKIP("the window is not built");
        }
        QSet<QString> wanted = optionsIn(runWindow({"--help"}).output);
        QVERIFY(wanted.contains("--colours") && wanted.contains("--grab-view"));
        wanted.remove("--help-all"); // Qt's own
        const QSet<QString> written = optionsIn(manual("lemmascope.1"));
        QCOMPARE(listed(wanted - written), QString());
        QCOMPARE(listed(written - wanted), QString());
    }

    void manPageNamesEveryOption() {
        const QString page = manual("lemmascope-cli.1");
        QVERIFY(!page.isEmpty());
        QSet<QString> wanted = known();
        QVERIFY2(wanted.contains("--strength"), "no help was read");
        wanted.remove("--help"); // written with the other forms of the synopsis
        const QSet<QString> written = optionsIn(page);
        QCOMPARE(listed(wanted - written), QString());
        QCOMPARE(listed(written - known()), QString());
    }

    void completionNamesEveryOption() {
        const QString script = contentOf("completion/lemmascope-cli.bash");
        QCOMPARE(listed(known() - optionsIn(script)), QString());
        QCOMPARE(listed(optionsIn(script) - known()), QString());
        for (const QString& command : commands()) {
            QVERIFY2(script.contains(command), qPrintable(command));
        }
    }

    void synopsesListTheOptionsOfTheirCommand() {
        const QString page = manual("lemmascope-cli.1");
        const QString synopsis = page.section(".SH DESCRIPTION", 0, 0);
        for (const char* name : {"obligation", "eval", "interp", "show", "rewrite"}) {
            const QString command(name);
            QSet<QString> wanted = optionsIn(helpOf({command}));
            wanted.remove("--help");
            QVERIFY(!wanted.isEmpty());
            const QString part = synopsis.section("lemmascope-cli " + command, 1).section("lemmascope-cli ", 0, 0);
            const QSet<QString> missing = wanted - optionsIn(part);
            QVERIFY2(missing.isEmpty(), qPrintable(command + " lacks " + QStringList(missing.values()).join(' ')));
        }
    }

    void manPageNamesEveryCommandAndStatus() {
        const QString page = manual("lemmascope-cli.1");
        for (const QString& command : commands()) {
            QVERIFY2(page.contains(command), qPrintable(command));
        }
        for (const char* status : {"64 usage", "65 bad data", "66 no such file", "70 internal", "130 interrupted"}) {
            QVERIFY2(page.contains(status), status);
            QVERIFY2(helpOf({}).contains(status), status);
        }
    }
};

QTEST_GUILESS_MAIN(TestDocumentation)
#include "tst_documentation.moc"
