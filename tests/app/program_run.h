#pragma once

#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>

/// What became of a program that was run to its end.
struct Ran {
    int status = -1; ///< -1: it did not end by itself
    QString out;
    QString err;
    [[nodiscard]] QString firstLine() const { return out.section(QLatin1Char('\n'), 0, 0); }
};

/// Runs a program in `folder`, with its proof cache there too, so that the user's own is neither read nor written; without a folder here.
inline Ran runProgram(const QString& program, const QStringList& arguments, const QString& folder = {}, int timeoutMs = 120'000) {
    QProcess process;
    if (!folder.isEmpty()) {
        process.setWorkingDirectory(folder);
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("XDG_CACHE_HOME"), folder + QStringLiteral("/cache"));
        process.setProcessEnvironment(environment);
    }
    process.start(program, arguments);
    if (!process.waitForFinished(timeoutMs) || process.exitStatus() != QProcess::NormalExit) {
        const QString trouble = QStringLiteral("did not end by itself: ") + process.errorString();
        process.kill();
        process.waitForFinished();
        return {-1, {}, trouble};
    }
    return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()), QString::fromUtf8(process.readAllStandardError())};
}
