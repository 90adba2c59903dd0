#include "core/report/program_diff.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>
#include <utility>

namespace lemmascope {

namespace {

constexpr std::size_t MostEdits = 1500; ///< of the exact comparison: its memory grows with the square

bool isNamePart(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '$' || c == '-' || c == '#'; }

/// A line without what may differ between equal ops.
std::string canonical(std::string_view line) {
    std::string out;
    bool inText = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (inText) {
            out += c;
            inText = c != '"' || line[i - 1] == '\\';
            continue;
        }
        if (c == '/' && i + 1 < line.size() && line[i + 1] == '/') {
            break;
        }
        if (c == '"') {
            inText = true;
            out += c;
        } else if (c == '%' || c == '^') {
            out += c;
            while (i + 1 < line.size() &&
                   (isNamePart(line[i + 1]) || (line[i + 1] == ':' && i + 2 < line.size() && std::isdigit(line[i + 2]) != 0))) {
                ++i;
            }
        } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
            out += c;
        } else if (!out.empty() && out.back() != ' ') {
            out += ' ';
        }
    }
    while (!out.empty() && out.back() == ' ') {
        out.pop_back();
    }
    return out;
}

bool hasOp(const std::string& line) {
    return std::any_of(line.begin(), line.end(), [](unsigned char c) { return std::isalpha(c) != 0; });
}

/// `arith.addf` of a canonical line; what two lines must share to be one op that changed.
std::string_view opOf(std::string_view line) {
    std::size_t at = 0;
    if (const std::size_t equal = line.find("= "); line.starts_with('%') && equal != std::string_view::npos) {
        at = equal + 2;
    }
    std::size_t end = at;
    while (end < line.size() && (isNamePart(line[end]) || line[end] == '"')) {
        ++end;
    }
    return line.substr(at, end - at);
}

using Numbers = std::vector<std::uint32_t>;
using Matches = std::vector<std::pair<std::size_t, std::size_t>>;

/// Longest common subsequence by edit distance; false past the bound.
bool exactMatches(const Numbers& a, const Numbers& b, Matches& out) {
    const auto n = static_cast<std::ptrdiff_t>(a.size());
    const auto m = static_cast<std::ptrdiff_t>(b.size());
    const auto most = static_cast<std::ptrdiff_t>(std::min(a.size() + b.size(), MostEdits));
    std::vector<std::ptrdiff_t> furthest(static_cast<std::size_t>(2 * most + 3), 0);
    std::vector<std::vector<std::int32_t>> history;
    const auto at = [&](std::ptrdiff_t k) -> std::ptrdiff_t& { return furthest[static_cast<std::size_t>(k + most + 1)]; };
    for (std::ptrdiff_t d = 0; d <= most; ++d) {
        std::vector<std::int32_t>& kept = history.emplace_back();
        for (std::ptrdiff_t k = -d; k <= d; ++k) {
            kept.push_back(static_cast<std::int32_t>(at(k)));
        }
        for (std::ptrdiff_t k = -d; k <= d; k += 2) {
            std::ptrdiff_t x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
            std::ptrdiff_t y = x - k;
            while (x < n && y < m && a[static_cast<std::size_t>(x)] == b[static_cast<std::size_t>(y)]) {
                ++x;
                ++y;
            }
            at(k) = x;
            if (x < n || y < m) {
                continue;
            }
            // Back along the furthest points.
            for (std::ptrdiff_t step = d; step >= 0; --step) {
                const std::vector<std::int32_t>& before = history[static_cast<std::size_t>(step)];
                const auto was = [&](std::ptrdiff_t diagonal) -> std::ptrdiff_t {
                    const std::ptrdiff_t index = diagonal + step;
                    return index < 0 || index >= static_cast<std::ptrdiff_t>(before.size()) ? 0 : before[static_cast<std::size_t>(index)];
                };
                const std::ptrdiff_t diagonal = x - y;
                const bool down = diagonal == -step || (diagonal != step && was(diagonal - 1) < was(diagonal + 1));
                const std::ptrdiff_t previous = down ? diagonal + 1 : diagonal - 1;
                const std::ptrdiff_t startX = step == 0 ? 0 : was(previous);
                const std::ptrdiff_t startY = step == 0 ? 0 : startX - previous;
                while (x > startX && y > startY) {
                    --x;
                    --y;
                    out.emplace_back(static_cast<std::size_t>(x), static_cast<std::size_t>(y));
                }
                x = startX;
                y = startY;
            }
            std::reverse(out.begin(), out.end());
            return true;
        }
    }
    out.clear();
    return false;
}

/// Lines that stand once in each text and in the same order, and what is equal next to them.
Matches anchoredMatches(const Numbers& a, const Numbers& b) {
    struct Seen {
        std::size_t inA = 0, inB = 0, atA = 0, atB = 0;
    };
    std::map<std::uint32_t, Seen> seen;
    for (std::size_t i = 0; i < a.size(); ++i) {
        Seen& s = seen[a[i]];
        ++s.inA;
        s.atA = i;
    }
    for (std::size_t i = 0; i < b.size(); ++i) {
        Seen& s = seen[b[i]];
        ++s.inB;
        s.atB = i;
    }
    // Longest run of anchors that rises in both.
    Matches anchors;
    for (const std::uint32_t number : a) {
        const Seen& s = seen[number];
        if (s.inA == 1 && s.inB == 1) {
            anchors.emplace_back(s.atA, s.atB);
        }
    }
    std::vector<std::size_t> tails, before(anchors.size(), SIZE_MAX);
    for (std::size_t i = 0; i < anchors.size(); ++i) {
        const auto place = std::lower_bound(tails.begin(), tails.end(), anchors[i].second,
                                            [&](std::size_t tail, std::size_t value) { return anchors[tail].second < value; });
        before[i] = place == tails.begin() ? SIZE_MAX : *(place - 1);
        if (place == tails.end()) {
            tails.push_back(i);
        } else {
            *place = i;
        }
    }
    Matches rising;
    for (std::size_t i = tails.empty() ? SIZE_MAX : tails.back(); i != SIZE_MAX; i = before[i]) {
        rising.push_back(anchors[i]);
    }
    std::reverse(rising.begin(), rising.end());
    Matches out;
    std::size_t x = 0, y = 0;
    const auto run = [&](std::size_t endX, std::size_t endY) {
        while (x < endX && y < endY && a[x] == b[y]) {
            out.emplace_back(x++, y++);
        }
        std::size_t length = 0;
        while (endX - length > x && endY - length > y && a[endX - length - 1] == b[endY - length - 1]) {
            ++length;
        }
        for (std::size_t i = length; i > 0; --i) {
            out.emplace_back(endX - i, endY - i);
        }
        x = endX;
        y = endY;
    };
    for (const auto& [atA, atB] : rising) {
        run(atA, atB);
    }
    run(a.size(), b.size());
    return out;
}

} // namespace

std::vector<std::string_view> linesOf(std::string_view text) {
    std::vector<std::string_view> lines;
    std::size_t begin = 0;
    while (true) {
        const std::size_t end = text.find('\n', begin);
        std::string_view line = text.substr(begin, end == std::string_view::npos ? end : end - begin);
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        lines.push_back(line);
        if (end == std::string_view::npos) {
            break;
        }
        begin = end + 1;
    }
    return lines;
}

std::uint32_t lineOfPlace(std::string_view place) {
    const std::size_t column = place.rfind(':');
    const std::size_t line = column == std::string_view::npos || column == 0 ? std::string_view::npos : place.rfind(':', column - 1);
    if (line == std::string_view::npos) {
        return 0;
    }
    std::uint32_t number = 0;
    const auto read = std::from_chars(place.data() + line + 1, place.data() + column, number);
    return read.ec == std::errc() && read.ptr == place.data() + column ? number : 0;
}

void markFailing(ProgramDiff& diff, const interp::ProgramComparison& comparison) {
    const auto mark = [&diff](Side side, std::string_view place, const std::string& note) {
        std::vector<LineMark>& lines = side == Side::Reference ? diff.reference : diff.rewritten;
        const std::uint32_t line = lineOfPlace(place);
        if (line == 0 || line > lines.size()) {
            return;
        }
        lines[line - 1].role = Role::Failing;
        std::string& known = diff.notes[static_cast<std::size_t>(side)][line];
        if (known.find(note) == std::string::npos) {
            known += (known.empty() ? "" : "\n") + note;
        }
    };
    for (const interp::OutputComparison& output : comparison.outputs) {
        if (output.refuted.empty()) {
            continue;
        }
        for (const auto& [side, writes] :
             {std::pair{Side::Reference, &output.referenceWrites}, std::pair{Side::Rewritten, &output.rewrittenWrites}}) {
            for (const interp::WatchedAccess& access : *writes) {
                mark(side, access.step.place, "writes a cell that differs: " + output.families);
            }
        }
    }
    for (const auto& [side, run] : {std::pair{Side::Reference, &comparison.reference}, std::pair{Side::Rewritten, &comparison.rewritten}}) {
        if (run->fault) {
            mark(side, run->fault->step.place, run->fault->text());
        }
        if (const auto& told = comparison.result.race; told && told->side == side) {
            // `memref.store at f.mlir:13:9 (...) and memref.load at f.mlir:19:14 (...)`: a run keeps the task of the first access, not its op.
            const std::string_view text = told->text;
            for (std::size_t end = text.find(" ("); end != std::string_view::npos; end = text.find(" (", end + 1)) {
                const std::size_t begin = text.rfind(" at ", end);
                if (begin != std::string_view::npos) {
                    mark(side, text.substr(begin + 4, end - begin - 4), told->text);
                }
            }
        } else if (run->race) {
            mark(side, run->race->first.place, run->race->text());
            mark(side, run->race->second.place, run->race->text());
        }
        if (run->contention) {
            mark(side, run->contention->first.place, run->contention->text());
            mark(side, run->contention->second.place, run->contention->text());
        }
        if (run->deadlock) {
            for (const std::string& step : run->deadlock->cycle) { // `main/async#1 at async.await at f.mlir:3:5 waits for ...`
                const std::size_t end = step.find(" waits for ");
                const std::size_t begin = step.rfind(' ', end == std::string::npos || end == 0 ? 0 : end - 1);
                if (end != std::string::npos && begin != std::string::npos) {
                    mark(side, std::string_view(step).substr(begin + 1, end - begin - 1), step);
                }
            }
        }
    }
}

ProgramDiff diffPrograms(std::string_view reference, std::string_view rewritten) {
    struct Text {
        std::vector<std::string> lines;
        std::vector<std::size_t> ops; ///< lines that hold one
        Numbers numbers;              ///< by op
    };
    std::map<std::string, std::uint32_t> known;
    const auto read = [&known](std::string_view text) {
        Text made;
        for (const std::string_view line : linesOf(text)) {
            made.lines.push_back(canonical(line));
            if (hasOp(made.lines.back())) {
                made.ops.push_back(made.lines.size() - 1);
                made.numbers.push_back(known.emplace(made.lines.back(), static_cast<std::uint32_t>(known.size())).first->second);
            }
        }
        return made;
    };
    const Text a = read(reference);
    const Text b = read(rewritten);
    Matches matches;
    if (!exactMatches(a.numbers, b.numbers, matches)) {
        matches = anchoredMatches(a.numbers, b.numbers);
    }
    ProgramDiff diff;
    diff.reference.resize(a.lines.size());
    diff.rewritten.resize(b.lines.size());
    const auto pair = [&](std::size_t x, std::size_t y, Role role) {
        diff.reference[a.ops[x]] = {role, static_cast<std::uint32_t>(b.ops[y] + 1)};
        diff.rewritten[b.ops[y]] = {role, static_cast<std::uint32_t>(a.ops[x] + 1)};
    };
    std::size_t x = 0, y = 0;
    const auto gap = [&](std::size_t endX, std::size_t endY) {
        // What stands opposite each other and has the same name is one op that changed.
        while (x < endX || y < endY) {
            if (x < endX && y < endY && opOf(a.lines[a.ops[x]]) == opOf(b.lines[b.ops[y]])) {
                pair(x++, y++, Role::Changed);
                diff.differing += 2;
                continue;
            }
            // The nearer of the two that finds its name further down waits for it.
            const auto later = [](const Text& text, std::size_t from, std::size_t to, std::string_view op) {
                constexpr std::size_t Reach = 50;
                for (std::size_t i = from; i < std::min(to, from + Reach); ++i) {
                    if (opOf(text.lines[text.ops[i]]) == op) {
                        return i - from;
                    }
                }
                return Reach;
            };
            const std::size_t inB = x < endX ? later(b, y, endY, opOf(a.lines[a.ops[x]])) : 0;
            const std::size_t inA = y < endY ? later(a, x, endX, opOf(b.lines[b.ops[y]])) : 0;
            if (x < endX && (y >= endY || inB >= inA)) {
                diff.reference[a.ops[x++]] = {Role::OnlyReference, 0};
            } else {
                diff.rewritten[b.ops[y++]] = {Role::OnlyRewritten, 0};
            }
            ++diff.differing;
        }
    };
    for (const auto& [atA, atB] : matches) {
        gap(atA, atB);
        pair(atA, atB, Role::Shared);
        x = atA + 1;
        y = atB + 1;
    }
    gap(a.ops.size(), b.ops.size());
    return diff;
}

} // namespace lemmascope
