// Plain text, Markdown and HTML of a report document.
#include "core/report/report_document.h"

#include "core/report/roles.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace lemmascope {

namespace {

/// One line without control characters, so that a name with a line break or a terminal escape cannot forge output.
std::string cleaned(std::string_view text) {
    std::string out;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        out += code < 0x20U || code == 0x7FU ? ' ' : c;
    }
    return out;
}

/// Columns a text takes on a terminal: UTF-8 sequences count once.
std::size_t width(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

void appendTable(std::string& out, const ReportTable& table) {
    // Past this a column no longer widens the others.
    static constexpr std::size_t WidestPadded = 48;
    std::vector<std::size_t> widths(table.columns.size(), 0);
    std::vector<bool> used(table.columns.size(), false);
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], std::min(width(row[i]), WidestPadded));
            used[i] = used[i] || !row[i].empty();
        }
    }
    const auto line = [&](const std::vector<std::string>& cells) {
        std::string text = "  ";
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (!used[i]) {
                continue;
            }
            const std::string cell = cleaned(cells[i]);
            text += cell;
            text.append(2 + (widths[i] > width(cell) ? widths[i] - width(cell) : 0), ' ');
        }
        text.erase(text.find_last_not_of(' ') + 1);
        out += text + "\n";
    };
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        widths[i] = std::max(widths[i], width(table.columns[i]));
    }
    line(table.columns);
    for (const auto& row : table.rows) {
        line(row);
    }
}

/// Escapes what Markdown would take for markup where it stands, and no more, so that the source can be read as well.
std::string markdownCell(std::string_view text) {
    const std::string line = cleaned(text);
    const auto isWord = [&](std::size_t i) {
        const auto c = i < line.size() ? static_cast<unsigned char>(line[i]) : 0U;
        return c >= 0x80U || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    std::string out;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        const char before = i == 0 ? ' ' : line[i - 1];
        bool markup = std::string_view("\\`*<|~").find(c) != std::string_view::npos;
        markup = markup || (c == '_' && !(i > 0 && isWord(i - 1) && isWord(i + 1)));
        markup = markup || (c == '>' && before != '-');
        // Brackets alone are text; a target behind them makes a link or its definition.
        markup = markup || ((c == '(' || c == ':') && before == ']');
        // At the start of a line: headings, lists, quotes.
        markup = markup || (i == 0 && std::string_view("#+-").find(c) != std::string_view::npos && line.size() > 1);
        if (markup) {
            out += '\\';
        }
        out += c;
    }
    return out;
}

/// A fence longer than any run of backticks inside.
std::string fenceFor(std::string_view code) {
    std::size_t longest = 2;
    std::size_t run = 0;
    for (const char c : code) {
        run = c == '`' ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return std::string(longest + 1, '`');
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    }
    return out;
}

/// What stands in a cell or begins the headline, as the window shows it: glyph and role.
struct VerdictLook {
    std::string_view word;
    std::string_view glyph;
    Role role;
};
constexpr std::array<VerdictLook, 8> VerdictLooks{{
    {"proved", "\u2713", Role::Shared},
    {"holds", "\u2713", Role::Shared},
    {"refuted", "\u2717", Role::Failing},
    {"fails", "\u2717", Role::Failing},
    {"unproved", "\u2241", Role::Changed},
    {"undecided", "?", Role::Undecided},
    {"vacuous", "\u2205", Role::Obsolete},
    {"obsolete", "\u21BB", Role::Obsolete},
}};

const VerdictLook* lookOfWord(std::string_view word) {
    const auto at = std::find_if(VerdictLooks.begin(), VerdictLooks.end(), [word](const VerdictLook& look) { return look.word == word; });
    return at == VerdictLooks.end() ? nullptr : &*at;
}

/// A glyph in the role's colours; words beside it say the same, so that a screen reader leaves it out.
std::string badge(const VerdictLook& look) {
    return "<span class=\"badge " + std::string(lookOf(look.role).key) + "\" aria-hidden=\"true\">" + std::string(look.glyph) + "</span> ";
}

std::string variables(Lightness lightness) {
    const PageColours page = pageColours(lightness);
    std::string out = "--ink:" + hexColour(page.text) + ";--paper:" + hexColour(page.background) + ";--muted:" + hexColour(page.muted) +
                      ";--line:" + hexColour(blended(page.text, page.background, 0.2)) +
                      ";--soft:" + hexColour(blended(page.text, page.background, 0.05)) + ";--ring:" + hexColour(page.selection);
    for (const Role role : {Role::Shared, Role::Failing, Role::Changed, Role::Undecided, Role::Obsolete}) {
        out += ";--" + std::string(lookOf(role).key) + ":" + hexColour(coloursOf(role, lightness).line);
    }
    return out;
}

/// Borders are the roles' own: a printed page without colours keeps them.
constexpr std::string_view Style = R"css(
* { box-sizing: border-box; }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 70rem; margin: 1.5rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; line-height: 1.3; overflow-wrap: anywhere; } h2 { font-size: 1.1rem; margin-top: 1.8rem; }
p { overflow-wrap: anywhere; }
figure { margin: 1rem 0; } figcaption { color: var(--muted); font-size: .9rem; }
.scroll { overflow-x: auto; } .scroll:focus { outline: 3px solid var(--ring); outline-offset: 2px; }
svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0; }
thead th { border-bottom-width: 2px; }
td, pre { font-family: ui-monospace, monospace; font-size: 13px; }
td { overflow-wrap: break-word; }
pre { background: var(--soft); padding: .8rem; overflow-x: auto; }
.badge { display: inline-block; min-width: 1.7em; text-align: center; font-weight: bold; border: 1px solid; border-radius: 2px; }
.badge.shared { border-color: var(--shared); }
.badge.failing { border: 3px double var(--paper); outline: 1px solid var(--failing); background: var(--failing); color: var(--paper); }
.badge.changed { border: 2px dashed var(--changed); }
.badge.undecided { border: 2px dotted var(--undecided); }
.badge.obsolete { border-color: var(--obsolete); }
@media (max-width: 40rem) {
  table, tbody, tr, td { display: block; } thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tr { border-bottom: 2px solid var(--line); padding: .4rem 0; } td { border: 0; padding: .1rem 0; overflow-wrap: anywhere; }
  td[data-label]::before { content: attr(data-label) ": "; font-family: system-ui, sans-serif; color: var(--muted); }
}
@media print {
  body { max-width: none; margin: 0; font-size: 10pt; } pre { white-space: pre-wrap; overflow-wrap: anywhere; } .scroll { overflow: visible; }
  h2 { break-after: avoid; } tr, figure { break-inside: avoid; } thead { display: table-header-group; }
}
)css";

} // namespace

std::string plainText(const ReportDocument& document) {
    std::string out;
    for (const ReportSection& section : document.sections) {
        out += "\n" + cleaned(section.title) + "\n";
        for (const std::string& paragraph : section.paragraphs) {
            out += "  " + cleaned(paragraph) + "\n";
        }
        if (!section.table.rows.empty()) {
            appendTable(out, section.table);
        }
        if (!section.code.empty()) {
            out += section.code + (section.code.back() == '\n' ? "" : "\n");
        }
    }
    return out;
}

std::string markdown(const ReportDocument& document) {
    std::string out = "# " + markdownCell(document.headline) + "\n";
    for (const ReportSection& section : document.sections) {
        out += std::string(out.ends_with("\n\n") ? "" : "\n") + "## " + markdownCell(section.title) + "\n\n";
        for (const std::string& paragraph : section.paragraphs) {
            out += markdownCell(paragraph) + "\n\n";
        }
        if (!section.table.rows.empty()) {
            const auto row = [&](const std::vector<std::string>& cells) {
                out += "|";
                for (const std::string& cell : cells) {
                    out += " " + markdownCell(cell) + " |";
                }
                out += "\n";
            };
            row(section.table.columns);
            out += "|";
            for (std::size_t i = 0; i < section.table.columns.size(); ++i) {
                out += " --- |";
            }
            out += "\n";
            for (const auto& cells : section.table.rows) {
                row(cells);
            }
        }
        if (!section.code.empty()) {
            const std::string fence = fenceFor(section.code);
            out += std::string(out.ends_with("\n\n") ? "" : "\n") + fence + "\n" + section.code + (section.code.back() == '\n' ? "" : "\n") + fence +
                   "\n";
        }
    }
    return out;
}

std::string html(const ReportDocument& document, const std::string& picture) {
    return html(document,
                std::vector<ReportFigure>{{picture, "Picture of the region",
                                           "Both graphs around what decides the verdict, partners level. The sections below say the same in "
                                           "words."}});
}

std::string html(const ReportDocument& document, const std::vector<ReportFigure>& figures) {
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
    // Dark on screens only: paper is white.
    out += escaped(document.headline) + "</title>\n<style>\n:root { color-scheme: light dark; " + variables(Lightness::Light) +
           " }\n@media screen and (prefers-color-scheme: dark) { :root { " + variables(Lightness::Dark) + " } }" + std::string(Style);
    out += "</style>\n</head>\n<body>\n<main>\n<h1>";
    const VerdictLook* verdict = document.verdict ? lookOfWord(name(*document.verdict)) : nullptr;
    out += (verdict != nullptr ? badge(*verdict) : std::string()) + escaped(document.headline) + "</h1>\n";
    for (const ReportFigure& figure : figures) {
        if (!figure.svg.empty()) {
            out += "<figure>\n<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"" + escaped(figure.label) + "\">\n" + figure.svg +
                   "</div>\n<figcaption>" + escaped(figure.caption) + "</figcaption>\n</figure>\n";
        }
    }
    std::size_t number = 0;
    for (const ReportSection& section : document.sections) {
        const std::string id = "s" + std::to_string(++number);
        out += "<section aria-labelledby=\"" + id + "\">\n<h2 id=\"" + id + "\">" + escaped(section.title) + "</h2>\n";
        for (const std::string& paragraph : section.paragraphs) {
            out += "<p>" + escaped(paragraph) + "</p>\n";
        }
        if (!section.table.rows.empty()) {
            out += "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-labelledby=\"" + id + "\">\n<table>\n<thead><tr>";
            for (const std::string& column : section.table.columns) {
                out += "<th scope=\"col\">" + escaped(column) + "</th>";
            }
            out += "</tr></thead>\n<tbody>\n";
            for (const auto& cells : section.table.rows) {
                out += "<tr>";
                for (std::size_t i = 0; i < cells.size(); ++i) {
                    const std::string label = i < section.table.columns.size() ? section.table.columns[i] : std::string();
                    // `refuted: value`: what stands before the colon is the verdict.
                    const VerdictLook* look = label == "verdict" ? lookOfWord(std::string_view(cells[i]).substr(0, cells[i].find(':'))) : nullptr;
                    out += (label.empty() ? std::string("<td>") : "<td data-label=\"" + escaped(label) + "\">") +
                           (look != nullptr ? badge(*look) : std::string()) + escaped(cells[i]) + "</td>";
                }
                out += "</tr>\n";
            }
            out += "</tbody>\n</table>\n</div>\n";
        }
        if (!section.code.empty()) {
            out += "<pre tabindex=\"0\">" + escaped(section.code) + "</pre>\n";
        }
        out += "</section>\n";
    }
    return out + "</main>\n</body>\n</html>\n";
}

} // namespace lemmascope
