#pragma once

#include <QObject>
#include <QString>
#include <QTimer>

class QWidget;

namespace lemmascope {

class MainWindow;

/// For pictures without a display: waits until nothing runs, shows a view, saves the window as PNG and ends the program (0; 1
/// when the time is over or the picture cannot be written; 65 or 66 when the pair cannot be read).
class Grabber : public QObject {
    Q_OBJECT

  public:
    static constexpr int SettleMs = 400;
    static constexpr int TimeoutMs = 120'000;

    /// `view`: `overview`, `lemma` (the first failing one), `focus`, `query`, `messages`, `find`, `palette`, `table`,
    /// `values` and `heatmap` (the tensors of the first failing lemma), `rules`, `matcher`, `whynot` (a rule file's first match or miss).
    Grabber(MainWindow* window, QString file, QString view, QObject* parent = nullptr);
    [[nodiscard]] static bool knows(const QString& view);
    [[nodiscard]] static QString views(); ///< their names, for --help

  private:
    void poll();
    void arrange();
    void arrangeRules();
    [[nodiscard]] int missingVerdict() const; ///< 1 and a word when what is open has none
    void save(int status);

    MainWindow* m_window;
    QWidget* m_picture = nullptr; ///< what is saved; null: the main window
    QString m_file;
    QString m_view;
    QTimer m_timer;
    int m_waitedMs = 0;
    int m_idleMs = 0;
    bool m_arranged = false;
    int m_refused = 0; ///< status of a pair, list or session that could not be read
};

} // namespace lemmascope
