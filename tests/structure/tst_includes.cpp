// Reads every #include of core, ui and app and fails on an arrow against CONTRIBUTING.md.
#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>

#include <map>
#include <set>

namespace {

struct SourceFile {
    QString path; ///< relative to the source tree, with '/'
    QStringList lines;
};

const std::set<QString> AllCore{"base",  "graph",  "program", "worker", "format", "eval",      "term",    "prove",
                                "match", "interp", "layout",  "report", "sample", "workspace", "rewrite", "ruleproof"};

/// Folders of core that each folder of core may include, besides itself.
const std::map<QString, std::set<QString>> Allowed{
    {"base", {}},
    {"graph", {"base"}},
    {"program", {"base"}},
    {"worker", {"base"}},
    {"format", {"base", "graph", "program", "worker"}},
    {"eval", {"base", "graph"}},
    {"layout", {"base", "graph", "worker"}},
    {"term", {"base", "graph", "eval"}},
    {"sample", {"base", "graph", "eval", "term"}},
    {"prove", {"base", "graph", "eval", "term", "sample", "worker"}},
    {"match", {"base", "graph"}},
    {"rewrite", {"base", "graph", "eval", "match"}},
    {"ruleproof", {"base", "graph", "eval", "term", "sample", "worker", "prove", "match", "rewrite"}},
    {"interp", {"base", "graph", "program", "eval", "term", "sample", "worker", "prove"}},
    {"report", AllCore},
    {"workspace", AllCore},
};

/// Third-party headers that one folder owns.
struct Owned {
    const char* pattern;
    const char* folder;
};
const Owned OwnedHeaders[] = {
    {"^z3", "core/worker/"}, {"^(gvc|cgraph|graphviz)", "core/worker/"},    {"^(google/protobuf|.*\\.pb\\.h)", "core/format/onnx/"},
    {"^CLI/", "app/cli/"},   {"^(mlir|llvm)/", "core/format/mlir/parser/"},
};

} // namespace

class TestIncludes : public QObject {
    Q_OBJECT

    QList<SourceFile> m_files;

    /// Headers named by a file, with `<` or `"` in front.
    static QStringList includesOf(const SourceFile& file) {
        static const QRegularExpression pattern(QStringLiteral("^\\s*#\\s*include\\s*([<\"])([^>\"]+)[>\"]"));
        QStringList out;
        for (const QString& line : file.lines) {
            const QRegularExpressionMatch match = pattern.match(line);
            if (match.hasMatch()) {
                out << match.captured(1) + match.captured(2);
            }
        }
        return out;
    }

    static void compare(const QStringList& faults) { QVERIFY2(faults.isEmpty(), qPrintable("\n" + faults.join('\n'))); }

  private Q_SLOTS:
    void initTestCase() {
        const QString root = QStringLiteral(LEMMASCOPE_SOURCE_DIR "/");
        for (const char* top : {"core", "ui", "app"}) {
            QDirIterator at(root + top, {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories | QDirIterator::FollowSymlinks);
            while (at.hasNext()) {
                QFile file(at.next());
                QVERIFY(file.open(QIODevice::ReadOnly));
                m_files.append({at.filePath().mid(root.size()), QString::fromUtf8(file.readAll()).split('\n')});
            }
        }
        QVERIFY2(m_files.size() > 50, "the source tree was not found");
    }

    void arrowsInsideCorePointOneWay() {
        QStringList faults;
        for (const SourceFile& file : m_files) {
            const QStringList parts = file.path.split('/');
            if (parts[0] != "core" || parts.size() < 3) {
                continue;
            }
            const auto rule = Allowed.find(parts[1]);
            if (rule == Allowed.end()) {
                faults << file.path + ": the folder " + parts[1] + " has no rule";
                continue;
            }
            for (const QString& include : includesOf(file)) {
                const QStringList target = include.mid(1).split('/');
                if (target[0] == "core" && target.size() > 2 && target[1] != parts[1] && !rule->second.contains(target[1])) {
                    faults << file.path + " includes " + include.mid(1);
                }
            }
        }
        compare(faults);
    }

    void coreHasNoScreen() {
        static const QRegularExpression qt(QStringLiteral("^<(Q[A-Z]|Qt)"));
        QStringList faults;
        for (const SourceFile& file : m_files) {
            for (const QString& include : includesOf(file)) {
                const bool upward = include.startsWith("\"ui/") || include.startsWith("\"app/");
                if (file.path.startsWith("core/") && (upward || qt.match(include).hasMatch())) {
                    faults << file.path + " includes " + include;
                }
                if (file.path.startsWith("ui/") && include.startsWith("\"app/")) {
                    faults << file.path + " includes " + include;
                }
            }
        }
        compare(faults);
    }

    void theCommandLineHasNoQt() {
        static const QRegularExpression qt(QStringLiteral("^<(Q[A-Z]|Qt)"));
        QStringList faults;
        for (const SourceFile& file : m_files) {
            for (const QString& include : includesOf(file)) {
                if (file.path.startsWith("app/cli/") && (include.startsWith("\"ui/") || qt.match(include).hasMatch())) {
                    faults << file.path + " includes " + include;
                }
            }
        }
        compare(faults);
    }

    void thirdPartyHeadersStayInOneFolder() {
        QStringList faults;
        for (const SourceFile& file : m_files) {
            for (const QString& include : includesOf(file)) {
                for (const Owned& owned : OwnedHeaders) {
                    if (!QRegularExpression(QString::fromLatin1(owned.pattern)).match(include.mid(1)).hasMatch()) {
                        continue;
                    }
                    if (!file.path.startsWith(QString::fromLatin1(owned.folder))) {
                        faults << file.path + " includes " + include.mid(1) + ", which belongs to " + owned.folder;
                    }
                }
                static const QRegularExpression heavy(QStringLiteral("^<(z3|gvc|cgraph|google/|nlohmann/|CLI/|Eigen/|mlir/|openssl/|zlib)"));
                if (file.path.endsWith(".h") && heavy.match(include).hasMatch()) {
                    faults << file.path + " is a header and includes " + include;
                }
            }
        }
        compare(faults);
    }

    void headersAreGuardedAndFilesAreShort() {
        QStringList faults;
        for (const SourceFile& file : m_files) {
            const bool header = file.path.endsWith(".h");
            if (header && !file.lines.contains("#pragma once")) {
                faults << file.path + " has no #pragma once";
            }
            const qsizetype most = header ? 300 : 800;
            if (file.lines.size() > most) {
                faults << file.path + " has " + QString::number(file.lines.size()) + " lines, at most " + QString::number(most) +
                              ": look for the second idea";
            }
        }
        compare(faults);
    }
};

QTEST_GUILESS_MAIN(TestIncludes)
#include "tst_includes.moc"
