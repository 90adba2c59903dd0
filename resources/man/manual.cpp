// Writes a manual page in man(7) from a page of the help, so that both are one text: manual PAGE.md OUT.1 VERSION
//
// Of Markdown it knows what the help uses: a title `# name: what it does`, headings, paragraphs, lists (an entry `- `code`: text` is
// an option), tables, indented and fenced code, emphasis, links; a line `<!-- include FILE -->` puts another page's text there, its title
// as a section. What it does not know is an error, so that no page loses a part unseen.
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Failure {
    std::string text;
};

std::string contentOf(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    if (!in) {
        throw Failure{file + ": there is no such file"};
    }
    std::ostringstream all;
    all << in.rdbuf();
    return all.str();
}

std::string folderOf(const std::string& file) {
    const std::size_t slash = file.rfind('/');
    return slash == std::string::npos ? std::string() : file.substr(0, slash + 1);
}

bool startsWith(std::string_view text, std::string_view with) { return text.substr(0, with.size()) == with; }

std::string trimmed(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" \t");
    if (from == std::string_view::npos) {
        return {};
    }
    return std::string(text.substr(from, text.find_last_not_of(" \t") - from + 1));
}

std::vector<std::string> linesOf(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        lines.push_back(line);
    }
    return lines;
}

/// The page with what it includes; an included page's headings are one level deeper than its title, which becomes a section.
std::vector<std::string> assembled(const std::string& file, int depth = 0) {
    constexpr int Deepest = 3;
    if (depth > Deepest) {
        throw Failure{file + ": pages include each other"};
    }
    std::vector<std::string> out;
    bool code = false;
    for (const std::string& line : linesOf(contentOf(file))) {
        constexpr std::string_view Include = "<!-- include ";
        code = code != startsWith(line, "```");
        if (startsWith(line, Include)) {
            const std::string name = trimmed(line.substr(Include.size(), line.find("-->") - Include.size()));
            for (std::string& included : assembled(folderOf(file) + name, depth + 1)) {
                out.push_back(std::move(included));
            }
        } else if (depth > 0 && !code && startsWith(line, "#")) {
            out.push_back("#" + line);
        } else {
            out.push_back(line);
        }
    }
    out.emplace_back();
    return out;
}

std::string escaped(std::string_view text, bool code) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else if (c == '-' && code) {
            out += "\\-";
        } else {
            out += c;
        }
    }
    return out;
}

/// Emphasis, code and links of one paragraph.
std::string inlined(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size();) {
        const auto closing = [&](std::string_view mark, std::size_t from) {
            const std::size_t end = text.find(mark, from);
            if (end == std::string_view::npos) {
                throw Failure{"'" + std::string(mark) + "' is not closed: " + std::string(text)};
            }
            return end;
        };
        if (text[i] == '`') {
            const std::size_t end = closing("`", i + 1);
            out += "\\fB" + escaped(text.substr(i + 1, end - i - 1), true) + "\\fR";
            i = end + 1;
        } else if (startsWith(text.substr(i), "**")) {
            const std::size_t end = closing("**", i + 2);
            out += "\\fB" + escaped(text.substr(i + 2, end - i - 2), false) + "\\fR";
            i = end + 2;
        } else if (text[i] == '*' && i + 1 < text.size() && text[i + 1] != ' ') {
            const std::size_t end = closing("*", i + 1);
            out += "\\fI" + escaped(text.substr(i + 1, end - i - 1), true) + "\\fR";
            i = end + 1;
        } else if (text[i] == '[' && text.find("](", i) != std::string_view::npos && text.find(']', i) == text.find("](", i)) {
            const std::size_t end = text.find("](", i);
            out += escaped(text.substr(i + 1, end - i - 1), false);
            i = closing(")", end) + 1;
        } else {
            out += escaped(text.substr(i, 1), false);
            ++i;
        }
    }
    if (!out.empty() && (out[0] == '.' || out[0] == '\'')) {
        out.insert(0, "\\&");
    }
    return out;
}

std::vector<std::string> cellsOf(std::string_view row) {
    std::vector<std::string> cells;
    row.remove_prefix(1);
    bool code = false;
    std::string cell;
    for (const char c : row) {
        code = code != (c == '`');
        if (c == '|' && !code) {
            cells.push_back(trimmed(cell));
            cell.clear();
        } else {
            cell += c;
        }
    }
    return cells;
}

class Page {
  public:
    explicit Page(std::ostream& out) : m_out(out) {}

    void title(const std::string& line, const std::string& section, const std::string& version) {
        const std::size_t colon = line.find(": ");
        if (!startsWith(line, "# ") || colon == std::string::npos) {
            throw Failure{"a manual page begins with '# name: what it does'"};
        }
        const std::string name = line.substr(2, colon - 2);
        std::string upper = name;
        for (char& c : upper) {
            c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
        }
        m_out << ".TH " << upper << ' ' << section << " \"\" \"lemmascope " << version << "\" \"User Commands\"\n.SH NAME\n"
              << escaped(name, true) << " \\- " << escaped(line.substr(colon + 2), false) << '\n';
    }
    void heading(std::string_view text, int level) {
        std::string shown(text);
        if (level == 2) {
            for (char& c : shown) {
                c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
            }
        }
        m_out << (level == 2 ? ".SH " : ".SS ") << inlined(shown) << '\n';
        m_fresh = true;
    }
    void paragraph(const std::string& text) {
        m_out << (m_fresh ? "" : ".PP\n") << inlined(text) << '\n';
        m_fresh = false;
    }
    /// `head`: what stands before the first colon when that is all code.
    void entry(const std::string& text) {
        std::size_t colon = std::string::npos;
        bool code = false;
        for (std::size_t i = 0; i + 1 < text.size() && colon == std::string::npos; ++i) {
            code = code != (text[i] == '`');
            if (!code && text[i] == ':' && text[i + 1] == ' ') {
                colon = i;
            }
        }
        if (colon != std::string::npos && (text[0] == '`' || startsWith(text, "**"))) {
            m_out << ".TP\n" << inlined(text.substr(0, colon)) << '\n' << inlined(text.substr(colon + 2)) << '\n';
        } else {
            m_out << ".IP \\(bu 2\n" << inlined(text) << '\n';
        }
        m_fresh = false;
    }
    void row(const std::vector<std::string>& cells) {
        m_out << ".TP\n" << inlined(cells.front()) << '\n';
        std::string rest;
        for (std::size_t i = 1; i < cells.size(); ++i) {
            rest += (i == 1 ? "" : "; ") + cells[i];
        }
        m_out << inlined(rest) << '\n';
        m_fresh = false;
    }
    void code(const std::vector<std::string>& lines) {
        m_out << (m_fresh ? "" : ".PP\n") << ".nf\n.RS\n";
        for (const std::string& line : lines) {
            const std::string text = escaped(line, true);
            m_out << (startsWith(text, ".") || startsWith(text, "'") ? "\\&" : "") << text << '\n';
        }
        m_out << ".RE\n.fi\n";
        m_fresh = false;
    }

  private:
    std::ostream& m_out;
    bool m_fresh = true; ///< right after a heading: no .PP
};

void write(const std::vector<std::string>& lines, Page& page) {
    std::size_t i = 1;
    const auto blank = [&](std::size_t at) { return at >= lines.size() || lines[at].find_first_not_of(' ') == std::string::npos; };
    const auto starts = [&](std::size_t at, std::string_view with) { return startsWith(lines[at], with); };
    while (i < lines.size()) {
        if (blank(i)) {
            ++i;
        } else if (starts(i, "#")) {
            const std::size_t level = lines[i].find_first_not_of('#');
            page.heading(trimmed(lines[i].substr(level)), static_cast<int>(level));
            ++i;
        } else if (starts(i, "```")) {
            std::vector<std::string> code;
            for (++i; i < lines.size() && !starts(i, "```"); ++i) {
                code.push_back(lines[i]);
            }
            ++i;
            page.code(code);
        } else if (starts(i, "    ")) {
            std::vector<std::string> code;
            for (; !blank(i) && starts(i, "    "); ++i) {
                code.push_back(lines[i].substr(4));
            }
            page.code(code);
        } else if (starts(i, "|")) {
            for (std::size_t rule = i + 1; i < lines.size() && starts(i, "|"); ++i) {
                if (i > rule) {
                    page.row(cellsOf(lines[i]));
                }
            }
        } else if (starts(i, "<!--")) {
            ++i; // where the window puts something of its own
        } else if (starts(i, "![")) {
            ++i; // a picture
        } else {
            const bool entry = starts(i, "- ");
            std::string text = entry ? lines[i].substr(2) : lines[i];
            for (++i; !blank(i) && !starts(i, "- ") && !starts(i, "#") && !starts(i, "|") && !starts(i, "```"); ++i) {
                text += ' ' + trimmed(lines[i]);
            }
            entry ? page.entry(text) : page.paragraph(text);
        }
    }
}

} // namespace

int main(int argc, char** argv) {
    constexpr int Arguments = 4;
    if (argc != Arguments) {
        std::cerr << "usage: manual PAGE.md OUT.1 VERSION\n";
        return 64;
    }
    try {
        const std::vector<std::string> lines = assembled(argv[1]);
        std::ostringstream text;
        text << ".\\\" Made from " << std::string(argv[1]).substr(folderOf(argv[1]).size()) << ", a page of the help.\n";
        Page page(text);
        page.title(lines.at(0), "1", argv[3]);
        write(lines, page);
        std::ofstream out(argv[2], std::ios::binary);
        out << text.str();
        if (!out.flush()) {
            throw Failure{std::string(argv[2]) + ": cannot be written"};
        }
    } catch (const Failure& failure) {
        std::cerr << argv[1] << ": " << failure.text << '\n';
        return 1;
    }
    return 0;
}
