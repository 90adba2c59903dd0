// Plain text, Markdown and HTML of a report document.
#include "core/report/report_document.h"

#include <algorithm>
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

constexpr std::string_view Style = R"css(
:root { color-scheme: light dark; --ink: #1d2430; --paper: #ffffff; --line: #d4d9e1; --soft: #f3f5f8; }
@media (prefers-color-scheme: dark) { :root { --ink: #e4e8ef; --paper: #171b22; --line: #39414d; --soft: #222832; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 64rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.05rem; margin-top: 1.8rem; }
table { border-collapse: collapse; display: block; overflow-x: auto; }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0; }
td, pre { font-family: ui-monospace, monospace; font-size: 13px; }
pre { background: var(--soft); padding: .8rem; overflow-x: auto; }
svg { max-width: 100%; height: auto; background: #ffffff; }
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
    std::string out = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>";
    out += escaped(document.headline) + "</title>\n<style>";
    out += Style;
    out += "</style>\n</head>\n<body>\n<h1>" + escaped(document.headline) + "</h1>\n";
    if (!picture.empty()) {
        out += "<figure>\n" + picture + "</figure>\n";
    }
    for (const ReportSection& section : document.sections) {
        out += "<h2>" + escaped(section.title) + "</h2>\n";
        for (const std::string& paragraph : section.paragraphs) {
            out += "<p>" + escaped(paragraph) + "</p>\n";
        }
        if (!section.table.rows.empty()) {
            const auto row = [&](const std::vector<std::string>& cells, const char* tag) {
                out += "<tr>";
                for (const std::string& cell : cells) {
                    out += std::string("<") + tag + ">" + escaped(cell) + "</" + tag + ">";
                }
                out += "</tr>\n";
            };
            out += "<table>\n";
            row(section.table.columns, "th");
            for (const auto& cells : section.table.rows) {
                row(cells, "td");
            }
            out += "</table>\n";
        }
        if (!section.code.empty()) {
            out += "<pre>" + escaped(section.code) + "</pre>\n";
        }
    }
    return out + "</body>\n</html>\n";
}

} // namespace lemmascope
