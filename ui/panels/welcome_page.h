#pragma once

#include "core/workspace/recent.h"

#include <QFrame>
#include <QWidget>

#include <filesystem>
#include <vector>

class QLabel;
class QListWidget;
class QPushButton;
class QVBoxLayout;

namespace lemmascope {

/// A pair that comes with the program, to look at what a verdict is.
struct ExamplePair {
    QString title;
    QString description;
    std::filesystem::path reference;
    std::filesystem::path rewritten;
};

/// One place to drop a file on, or to press for a file dialog.
class DropTarget : public QFrame {
    Q_OBJECT

  public:
    DropTarget(const QString& title, const QString& hint, QWidget* parent = nullptr);
    void setFile(const QString& path);
    [[nodiscard]] QString file() const { return m_file; }

  Q_SIGNALS:
    void filesDropped(const QStringList& files);
    void browseRequested();

  protected:
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dragLeaveEvent(QDragLeaveEvent* event) override;
    void dropEvent(QDropEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    QString m_file;
    QString m_hint;
    bool m_hovered = false;
    QLabel* m_fileLabel;
    QPushButton* m_browse;
};

/// What the window shows while nothing is open: two drop targets, recent pairs with their last verdict, examples, what the
/// marks mean, and the keys.
class WelcomePage : public QWidget {
    Q_OBJECT

  public:
    explicit WelcomePage(QWidget* parent = nullptr);

    void setRecent(const std::vector<RecentPair>& pairs);
    void setExamples(const std::vector<ExamplePair>& examples);
    /// A pair that could not be opened: one sentence under the drop targets. Empty: none.
    void setTrouble(const QString& text);
    /// A session that an earlier run left behind, in one sentence, with a choice. Empty: none.
    void offerSession(const QString& text);
    /// What stands in the drop targets.
    void setFiles(const QString& reference, const QString& rewritten);

  Q_SIGNALS:
    void pairChosen(const QString& reference, const QString& rewritten);
    void keysRequested();
    void tutorialRequested();
    void sessionChosen(const QString& file); ///< one that was dropped
    void restoreChosen(bool restore);        ///< what was offered

  protected:
    void changeEvent(QEvent* event) override;

  private:
    void take(DropTarget* target, const QStringList& files);
    void browse(DropTarget* target, const QString& title);
    void openWhenComplete();
    void fillLegend();

    DropTarget* m_reference;
    DropTarget* m_rewritten;
    QLabel* m_trouble;
    QFrame* m_offer;
    QLabel* m_offerText;
    QListWidget* m_recent;
    QLabel* m_noRecent;
    QVBoxLayout* m_examples;
    QLabel* m_legend;
    std::vector<RecentPair> m_pairs;
};

} // namespace lemmascope
