#pragma once

#include <QSyntaxHighlighter>

namespace lemmascope {

/// SMT-LIB 2 in the palette's own terms: commands bold, comments muted, numerals and strings in the link colour. Nothing is
/// told by colour alone.
class SmtlibHighlighter : public QSyntaxHighlighter {
    Q_OBJECT

  public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

  protected:
    void highlightBlock(const QString& text) override;
};

} // namespace lemmascope
