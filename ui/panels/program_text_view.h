#pragma once

#include "core/report/program_diff.h"
#include "ui/canvas/palette.h"

#include <QPlainTextEdit>

#include <memory>

namespace lemmascope {

/// A program's text, read only: line numbers, and in the margin the glyph of each line that is not the same on both sides. Only what is
/// in sight is painted. Lines count from 1.
class ProgramTextView : public QPlainTextEdit {
    Q_OBJECT

  public:
    explicit ProgramTextView(Side side, QWidget* parent = nullptr);

    void setProgram(const QString& text);
    void setMarks(std::shared_ptr<const ProgramDiff> diff);
    /// The line that a step stands on: framed, with a sign in the margin. 0: none.
    void setStep(int line);
    [[nodiscard]] int step() const { return m_step; }
    [[nodiscard]] int currentLine() const;
    /// Puts the cursor there and scrolls it to the middle.
    void goToLine(int line);
    void select(int line, int column, int length);
    [[nodiscard]] int firstVisibleLine() const;
    void showFromLine(int line);
    [[nodiscard]] Role roleOf(int line) const;
    [[nodiscard]] int partnerOf(int line) const; ///< 0: none
    /// The next line whose op is not the same on both sides, around the end; 0: none.
    [[nodiscard]] int nextDifference(int from, bool backwards) const;
    [[nodiscard]] QString describe(int line) const; ///< what its tool tip says

    [[nodiscard]] int marginWidth() const;
    void paintMargin(QPaintEvent* event);

  Q_SIGNALS:
    void scrolled();

  protected:
    void resizeEvent(QResizeEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool viewportEvent(QEvent* event) override;

  private:
    [[nodiscard]] const std::vector<LineMark>* marks() const;
    [[nodiscard]] QRectF lineRect(const QTextBlock& block) const;
    void placeMargin();

    Side m_side;
    QWidget* m_margin;
    CanvasTheme m_theme;
    std::shared_ptr<const ProgramDiff> m_diff;
    int m_step = 0;
};

} // namespace lemmascope
