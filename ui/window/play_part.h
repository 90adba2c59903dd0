#pragma once

#include <QObject>
#include <QTimer>

class QAction;

namespace lemmascope {

class MainWindow;

/// Plays the counterexample: goes along its values in the order of evaluation, both canvases following, until the end, Space, Esc or
/// a choice of the reader's.
class PlayPart : public QObject {
    Q_OBJECT

  public:
    static constexpr int StepMs = 700;

    explicit PlayPart(MainWindow& window);

    void play();
    void stop();
    [[nodiscard]] bool isPlaying() const { return m_timer.isActive(); }
    /// Milliseconds from value to value.
    void setInterval(int ms) { m_timer.setInterval(ms); }

  protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

  private:
    void step();
    [[nodiscard]] int position() const; ///< -1: none chosen
    [[nodiscard]] int length() const;

    MainWindow& m_window;
    QAction* m_action;
    QTimer m_timer;
};

} // namespace lemmascope
