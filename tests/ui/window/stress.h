#pragma once

#include "ui/window/main_window.h"

#include <QString>

#include <functional>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace lemmascope::test {

/// The real services, but for files named `blocks-N...`: graphs of about N nodes are made for them, residual blocks that share one weight;
/// where the name has `.rew.`, with one op of the middle block changed. Real checks of them take from milliseconds to minutes. With
/// `largeAtOnce`, more than 20,000 nodes get a made-up result with 500 lemmas at once, so that the window has it to show.
[[nodiscard]] Services stressServices(bool largeAtOnce);

/// A reader in a hurry: opens, looks, jumps, checks, stops, in an order that the seed decides. Each act is one event.
class Stress {
  public:
    Stress(MainWindow& window, QString folder, unsigned seed);

    /// Something a reader does; says what.
    QString act();
    void openAny();
    void openLarge(std::size_t nodes);
    /// Any of the ways to make what runs stop; says which. The window stays.
    QString cancel();
    [[nodiscard]] std::size_t below(std::size_t count) { return std::uniform_int_distribution<std::size_t>(0, count - 1)(m_random); }

  private:
    using Act = std::pair<const char*, std::function<void()>>;

    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier);
    void wheel(int delta, Qt::KeyboardModifiers modifiers);
    void anyEntry();
    void writeFile(const QString& path);

    MainWindow& m_window;
    QString m_folder;
    std::mt19937 m_random;
    std::vector<Act> m_acts;
    QString m_detail;
    int m_reports = 0;
};

} // namespace lemmascope::test
