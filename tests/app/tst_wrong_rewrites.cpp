// resources/docs/wrong-rewrites.md quotes what `check` prints: every quoted command is run and every quoted line must be printed, in
// order, the verdict first. UPDATE_GOLDEN=1 writes the quotations anew.
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTest>

namespace {

const QString Page = QStringLiteral(LEMMASCOPE_SOURCE_DIR "/resources/docs/wrong-rewrites.md");
const QString Cases = QStringLiteral(LEMMASCOPE_TEST_DATA "/cases/ort-bugs");

QString contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

struct Block {
    QString text;
    QString command; ///< of lemmascope-cli, without its name; empty for others
    qsizetype from = 0;
    qsizetype length = 0;
};

/// What stands between fences.
QList<Block> blocksOf(const QString& page) {
    static const QRegularExpression fence(QStringLiteral("^```\\n(.*?)^```$"),
                                          QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    QList<Block> blocks;
    for (auto at = fence.globalMatch(page); at.hasNext();) {
        const QRegularExpressionMatch match = at.next();
        Block block{match.captured(1), {}, match.capturedStart(1), match.capturedLength(1)};
        const QString first = block.text.section('\n', 0, 0);
        if (first.startsWith("$ lemmascope-cli ")) {
            block.command = first.mid(17);
        }
        blocks << block;
    }
    return blocks;
}

QString printedBy(const QString& command, int* status) {
    QProcess process;
    process.setWorkingDirectory(Cases);
    process.start(QStringLiteral(LEMMASCOPE_BIN_DIR "/lemmascope-cli"), command.split(' ') + QStringList{"--no-cache"});
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit) {
        process.kill();
        process.waitForFinished();
        return {};
    }
    *status = process.exitCode();
    return QString::fromUtf8(process.readAllStandardOutput());
}

/// The lines worth quoting: the verdict, and the sections that say what is wrong and how it shows.
QString quotationOf(const QString& printed) {
    static const QSet<QString> wanted{"Blame", "Condition", "Counterexample", "Fault"};
    const QStringList sections = printed.trimmed().split("\n\n");
    QString out = sections.front() + '\n';
    bool gap = false;
    for (const QString& section : sections.mid(1)) {
        const bool quoted = wanted.contains(section.section('\n', 0, 0));
        if (quoted) {
            out += (gap ? "...\n" : "\n") + section + '\n';
        }
        gap = !quoted;
    }
    return out + (gap ? "...\n" : "");
}

} // namespace

class TestWrongRewrites : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void quotationsAreWhatIsPrinted() {
        QString page = contentOf(Page);
        QVERIFY(!page.isEmpty());
        QList<Block> blocks = blocksOf(page);
        int quoted = 0;
        const bool update = qEnvironmentVariableIntValue("UPDATE_GOLDEN") != 0;
        for (auto block = blocks.crbegin(); block != blocks.crend(); ++block) { // from the end, so that places stay right
            if (block->command.isEmpty()) {
                continue;
            }
            ++quoted;
            int status = -1;
            const QString printed = printedBy(block->command, &status);
            QVERIFY2(status == 1, qPrintable(block->command + ": " + printed)); // every one of them is refuted
            if (update) {
                page.replace(block->from, block->length, "$ lemmascope-cli " + block->command + '\n' + quotationOf(printed));
                continue;
            }
            const QStringList lines = printed.split('\n');
            const QStringList wanted = block->text.trimmed().split('\n').mid(1);
            QVERIFY2(!wanted.isEmpty(), qPrintable(block->command));
            QCOMPARE(wanted.front(), lines.front());
            qsizetype at = 0;
            for (const QString& line : wanted) {
                if (line == "...") {
                    continue;
                }
                at = lines.indexOf(line, at);
                QVERIFY2(at >= 0,
                         qPrintable(block->command + " does not print: " + line + "\nUPDATE_GOLDEN=1 writes the page anew; it prints\n" + printed));
                ++at;
            }
        }
        QVERIFY(quoted >= 5);
        if (update) {
            QFile file(Page);
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(page.toUtf8());
        }
    }

    void everyCaseIsOnThePage() {
        const QString page = contentOf(Page);
        const QStringList lines = contentOf(Cases + "/index.tsv").trimmed().split('\n');
        QVERIFY(lines.size() > 1);
        for (const QString& line : lines.mid(1)) {
            const QString name = line.section('\t', 0, 0);
            const QString optimiser = line.section('\t', 2, 2);
            const qsizetype heading = page.indexOf("(`" + name + "`)\n");
            QVERIFY2(heading >= 0, qPrintable(name));
            QVERIFY2(page.mid(heading, 200).contains('`' + optimiser + '`'), qPrintable(name + ' ' + optimiser));
            if (QFile::exists(Cases + '/' + name + ".differs.onnx")) {
                QVERIFY2(page.contains("$ lemmascope-cli check " + name + ".ref.onnx " + name + ".differs.onnx\nrefuted: "), qPrintable(name));
            }
        }
        QVERIFY(contentOf(QStringLiteral(LEMMASCOPE_SOURCE_DIR "/README.md")).contains("(resources/docs/wrong-rewrites.md)"));
    }
};

QTEST_GUILESS_MAIN(TestWrongRewrites)
#include "tst_wrong_rewrites.moc"
