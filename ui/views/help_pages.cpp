#include "ui/views/help_pages.h"

#include <QFile>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>

#include <algorithm>

namespace lemmascope {

namespace {

QString contentOf(const QString& id) {
    QFile file(QStringLiteral(":/help/%1.md").arg(id));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

QString titleOf(const QString& text) {
    // A manual page's title says what the program does as well.
    return text.section(u'\n', 0, 0).mid(2).section(QStringLiteral(": "), 0, 0);
}

/// Markdown without its marks, as far as a list needs it.
QString plain(QString text) {
    static const QRegularExpression link(QStringLiteral("\\[([^\\]]*)\\]\\([^)]*\\)"));
    static const QRegularExpression marks(QStringLiteral("[`*|]+"));
    return text.replace(link, QStringLiteral("\\1")).replace(marks, QStringLiteral(" ")).simplified();
}

QString htmlOf(const QString& markdown, int pictureWidth) {
    QTextDocument document;
    document.setMarkdown(markdown);
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        if (block.blockFormat().headingLevel() > 0) {
            QTextCursor cursor(block);
            cursor.movePosition(QTextCursor::NextCharacter, QTextCursor::KeepAnchor);
            QTextCharFormat format = cursor.charFormat();
            format.setAnchor(true);
            format.setAnchorNames({HelpPages::anchorOf(block.text())});
            cursor.setCharFormat(format);
        }
    }
    QString html = document.toHtml();
    static const QRegularExpression pageLink(QStringLiteral("href=\"([A-Za-z0-9_-]+)\\.md"));
    html.replace(pageLink, QStringLiteral("href=\"\\1.html"));
    html.replace(QStringLiteral("<img src="), QStringLiteral("<img width=\"%1\" src=").arg(pictureWidth));
    // Colours are the palette's, not those of the moment it was made.
    static const QRegularExpression colour(QStringLiteral("(?<![a-z-])color:#[0-9a-f]{6};"));
    html.remove(colour);
    html.replace(QStringLiteral("<table border=\"0\""), QStringLiteral("<table border=\"1\" cellpadding=\"4\" cellspacing=\"0\""));
    const qsizetype from = html.indexOf(u'>', html.indexOf(QStringLiteral("<body"))) + 1;
    return html.mid(from, html.lastIndexOf(QStringLiteral("</body>")) - from);
}

} // namespace

HelpPages::HelpPages() {
    const QString index = contentOf(QStringLiteral("index"));
    m_pages.push_back({QStringLiteral("index"), titleOf(index), index});
    static const QRegularExpression link(QStringLiteral("\\]\\(([A-Za-z0-9_-]+)\\.md\\)"));
    for (auto at = link.globalMatch(index); at.hasNext();) {
        const QString id = at.next().captured(1);
        const QString text = contentOf(id);
        if (!text.isEmpty() && page(id) == nullptr) {
            m_pages.push_back({id, titleOf(text), text});
        }
    }
}

const HelpPage* HelpPages::page(const QString& id) const {
    const auto at = std::find_if(m_pages.begin(), m_pages.end(), [&id](const HelpPage& page) { return page.id == id; });
    return at == m_pages.end() ? nullptr : &*at;
}

QString HelpPages::anchorOf(const QString& heading) {
    QString anchor;
    for (const QChar c : heading.toLower()) {
        if (c.isLetterOrNumber() || c == u'-' || c == u'_') {
            anchor += c;
        } else if (c == u' ') {
            anchor += u'-';
        }
    }
    return anchor;
}

std::vector<HelpHit> HelpPages::search(const QString& words, std::size_t most) const {
    const QStringList wanted = words.simplified().split(u' ', Qt::SkipEmptyParts);
    std::vector<HelpHit> hits;
    if (wanted.isEmpty()) {
        return hits;
    }
    for (const HelpPage& page : m_pages) {
        QString section;
        QString paragraph;
        const auto finish = [&] {
            const QString text = plain(paragraph);
            paragraph.clear();
            const bool all =
                std::all_of(wanted.begin(), wanted.end(), [&text](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
            if (text.isEmpty() || !all || hits.size() >= most) {
                return;
            }
            constexpr qsizetype Longest = 120;
            const qsizetype at = std::max<qsizetype>(0, text.indexOf(wanted.front(), 0, Qt::CaseInsensitive) - Longest / 3);
            QString line = text.mid(at, Longest);
            line = (at > 0 ? QStringLiteral("… ") : QString()) + line + (at + Longest < text.size() ? QStringLiteral(" …") : QString());
            hits.push_back({page.id, anchorOf(section), section.isEmpty() ? page.title : page.title + QStringLiteral(": ") + section, line});
        };
        bool code = false;
        for (const QString& line : page.text.split(u'\n')) {
            if (line.startsWith(QStringLiteral("```"))) {
                code = !code;
                finish();
            } else if (!code && line.startsWith(u'#')) {
                finish();
                const QString heading = line.section(u' ', 1);
                section = line.startsWith(QStringLiteral("# ")) ? QString() : heading;
                paragraph = heading;
                finish();
            } else if (line.trimmed().isEmpty() || line.startsWith(QStringLiteral("<!--"))) {
                finish();
            } else {
                if (line.startsWith(QStringLiteral("- ")) || line.startsWith(u'|')) {
                    finish();
                }
                paragraph += line + u' ';
            }
        }
        finish();
    }
    return hits;
}

QString HelpPages::html(const HelpPage& page, const QString& legend, int pictureWidth) {
    QString out;
    QString part;
    const auto finish = [&] {
        out += htmlOf(part, pictureWidth);
        part.clear();
    };
    for (const QString& line : page.text.split(u'\n')) {
        if (line.startsWith(QStringLiteral("<!-- legend"))) {
            finish();
            out += legend;
        } else if (line.startsWith(QStringLiteral("<!-- include "))) {
            const QString id = line.section(u' ', 2, 2).section(u'.', 0, 0);
            part += QStringLiteral("See [%1](%1.md).\n").arg(id);
        } else {
            part += line + u'\n';
        }
    }
    finish();
    return out;
}

} // namespace lemmascope
