#pragma once

#include <QScrollArea>
#include <QString>

class QLabel;

namespace lemmascope {

/// Words of any length that wrap and, past a few lines, scroll: they never make the window grow.
class LongText : public QScrollArea {
    Q_OBJECT

  public:
    LongText(const QString& accessibleName, int lines, QWidget* parent = nullptr);

    void setText(const QString& text);
    void clear() { setText({}); }
    [[nodiscard]] QString text() const;
    [[nodiscard]] QLabel* label() const { return m_label; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

  protected:
    void resizeEvent(QResizeEvent* event) override;

  private:
    [[nodiscard]] int wantedHeight() const; ///< of the whole text at the present width
    [[nodiscard]] int linesHeight(int lines) const;
    void follow();

    QLabel* m_label;
    int m_lines;
};

} // namespace lemmascope
