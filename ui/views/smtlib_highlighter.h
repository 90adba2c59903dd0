#pragma once

#include <QPalette>
#include <QSyntaxHighlighter>

namespace lemmascope {

/// SMT-LIB 2 in the palette's own terms: commands bold, comments muted, numerals and strings in the link colour. Nothing is
/// told by colour alone.
class SmtlibHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

  public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

    /// The colours of the text that is highlighted; mended where they would be hard to read on its background.
    void setPalette(const QPalette& palette);

  protected:
    void highlightBlock(const QString& text) override;

  private:
    QPalette m_palette;
};

} // namespace lemmascope
