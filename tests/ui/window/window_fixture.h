#pragma once

#include "tests/ui/window/fakes.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/panels/verdict_banner.h"
#include "ui/window/main_window.h"

#include <QTemporaryDir>
#include <QTest>

#include <memory>

namespace lemmascope::test {

/// A window over fake services, with state and settings in a folder of its own.
class WindowFixture {
  public:
    WindowFixture() {
        qputenv("XDG_CONFIG_HOME", QFile::encodeName(folder.path() + QStringLiteral("/config")));
        make();
    }
    /// Closes the window and starts the program anew, as it were.
    void make() {
        if (window) {
            window->close();
        }
        window.reset();
        std::vector<ExamplePair> examples;
        for (const char* name : {"proved", "refuted", "undecided"}) {
            const QString title = QString::fromLatin1(name);
            examples.push_back({QStringLiteral("Example: %1").arg(title), QStringLiteral("A rewrite that is %1.").arg(title),
                                path(title + QStringLiteral(".ref.json")), path(title + QStringLiteral(".rew.json"))});
        }
        window = std::make_unique<MainWindow>(fakeServices(behaviour), examples, (folder.path() + QStringLiteral("/state")).toStdString());
        window->canvas(Side::Reference)->setAnimated(false);
        window->canvas(Side::Rewritten)->setAnimated(false);
        window->resize(1366, 728);
        window->show();
        window->activateWindow();
        if (!QTest::qWaitForWindowActive(window.get())) {
            qWarning("the window did not become active");
        }
    }
    std::string path(const QString& name) { return makeFile(folder.path(), name).toStdString(); }
    QString file(const QString& name) { return makeFile(folder.path(), name); }
    void open(const QString& name) { window->openPair(file(name + QStringLiteral(".ref.json")), file(name + QStringLiteral(".rew.json"))); }
    [[nodiscard]] bool settle(int timeoutMs = 10'000) {
        return QTest::qWaitFor([this] { return window->session()->isIdle(); }, timeoutMs);
    }
    [[nodiscard]] bool openAndSettle(const QString& name) {
        open(name);
        return settle() && window->canvas(Side::Reference)->scene() != nullptr;
    }

    QTemporaryDir folder;
    std::shared_ptr<FakeBehaviour> behaviour = std::make_shared<FakeBehaviour>();
    std::unique_ptr<MainWindow> window;
};

} // namespace lemmascope::test
