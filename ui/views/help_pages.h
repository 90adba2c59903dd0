#pragma once

#include <QString>

#include <vector>

namespace lemmascope {

/// The pages of the built-in help: the Markdown files of resources/help, which are compiled in. The same files make the manual pages.
struct HelpPage {
    QString id; ///< `verdicts`, the file's name without its ending
    QString title;
    QString text; ///< Markdown
};

/// Where words were found.
struct HelpHit {
    QString page;   ///< id
    QString anchor; ///< of the section; empty above the first
    QString where;  ///< `Verdicts: Condition`
    QString line;   ///< the paragraph, cut to what fits a list
};

class HelpPages {
  public:
    /// Those compiled in, in the order of index.md.
    HelpPages();

    [[nodiscard]] const std::vector<HelpPage>& pages() const { return m_pages; }
    [[nodiscard]] const HelpPage* page(const QString& id) const;
    /// Paragraphs, list entries and table rows that hold every word, in any case, in the order of the pages; at most `most`.
    [[nodiscard]] std::vector<HelpHit> search(const QString& words, std::size_t most = 100) const;

    /// The page as HTML: headings have anchors (anchorOf), links lead to `id.html`, pictures have the width `pictureWidth`. A line
    /// `<!-- legend -->` is replaced by `legend`.
    [[nodiscard]] static QString html(const HelpPage& page, const QString& legend, int pictureWidth);
    /// `How far apart` is `how-far-apart`, as GitHub makes them.
    [[nodiscard]] static QString anchorOf(const QString& heading);

  private:
    std::vector<HelpPage> m_pages;
};

} // namespace lemmascope
