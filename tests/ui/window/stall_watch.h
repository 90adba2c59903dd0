#pragma once

#include <QAbstractEventDispatcher>
#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QMetaEnum>

#include <algorithm>
#include <ctime>
#include <vector>

namespace lemmascope::test {

/// CPU time in ms: of this thread, or of the whole process.
inline double cpuMs(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// An application that watches its event loop: how long, in CPU time of the UI thread, input has to wait for a turn of the loop, and
/// which event took longest. CPU time, since on a loaded machine the wall clock measures the others.
class WatchedApplication : public QApplication {
  public:
    struct Stall {
        double cpuMs = 0.0;
        double wallMs = 0.0;
        QString what; ///< receiver and event, and what the script was doing
    };
    static constexpr double Noted = 20.0; ///< ms: events that took longer are listed

    WatchedApplication(int& argc, char** argv) : QApplication(argc, argv) {
        const auto turn = [this] {
            const double now = test::cpuMs();
            if (m_watching && m_turnBegan > 0.0) {
                m_longestTurn = std::max(m_longestTurn, now - m_turnBegan);
                ++m_turns;
            }
            m_turnBegan = now;
        };
        connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::awake, this, turn);
        connect(QAbstractEventDispatcher::instance(), &QAbstractEventDispatcher::aboutToBlock, this, turn);
    }

    bool notify(QObject* receiver, QEvent* event) override {
        if (m_depth > 0 || !m_watching) {
            return QApplication::notify(receiver, event);
        }
        // Both may be gone afterwards.
        const QString who = QString::fromLatin1(receiver->metaObject()->className()) + u' ' + receiver->objectName();
        const QEvent::Type type = event->type();
        m_frames += type == QEvent::UpdateRequest ? 1 : 0;
        ++m_depth;
        QElapsedTimer wall;
        wall.start();
        const double began = test::cpuMs();
        const bool taken = QApplication::notify(receiver, event);
        const double took = test::cpuMs() - began;
        --m_depth;
        m_longestEvent = std::max(m_longestEvent, took);
        if (took > Noted) {
            const char* name = QMetaEnum::fromType<QEvent::Type>().valueToKey(type);
            m_stalls.push_back({took, static_cast<double>(wall.nsecsElapsed()) / 1e6,
                                QStringLiteral("%1: %2 of %3").arg(m_doing, QString::fromLatin1(name == nullptr ? "?" : name), who)});
        }
        return taken;
    }

    void watch(bool on) {
        m_watching = on;
        m_turnBegan = 0.0;
    }
    /// What the script does now, for the list.
    void setDoing(const QString& what) { m_doing = what; }
    [[nodiscard]] double longestTurnMs() const { return m_longestTurn; }
    [[nodiscard]] double longestEventMs() const { return m_longestEvent; }
    [[nodiscard]] long long turns() const { return m_turns; }
    /// Windows painted.
    [[nodiscard]] long long frames() const { return m_frames; }
    void forget() {
        m_longestTurn = m_longestEvent = 0.0;
        m_turns = m_frames = 0;
        m_stalls.clear();
    }
    /// Longest first, at most 20.
    [[nodiscard]] std::vector<Stall> stalls() const {
        std::vector<Stall> sorted = m_stalls;
        std::sort(sorted.begin(), sorted.end(), [](const Stall& a, const Stall& b) { return a.cpuMs > b.cpuMs; });
        sorted.resize(std::min<std::size_t>(sorted.size(), 20));
        return sorted;
    }

  private:
    bool m_watching = false;
    int m_depth = 0;
    double m_turnBegan = 0.0;
    double m_longestTurn = 0.0;
    double m_longestEvent = 0.0;
    long long m_turns = 0;
    long long m_frames = 0;
    QString m_doing;
    std::vector<Stall> m_stalls;
};

} // namespace lemmascope::test
