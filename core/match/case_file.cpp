// Lists of small cases; tests: tests/core/match/tst_match_cases.cpp.
#include "core/match/case_file.h"

#include "core/match/failure.h"
#include "core/match/parser.h"
#include "core/match/term_subject.h"

#include <algorithm>

namespace lemmascope::match {

namespace {

constexpr std::size_t MostReasons = 10'000;

std::vector<std::string> split(std::string_view text, std::string_view between) {
    std::vector<std::string> out;
    for (;;) {
        const std::size_t at = text.find(between);
        out.emplace_back(text.substr(0, at));
        if (at == std::string_view::npos) {
            return out;
        }
        text.remove_prefix(at + between.size());
    }
}

std::string trimmed(std::string text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    const std::size_t last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? std::string() : text.substr(first, last - first + 1);
}

/// `?x=f(a,b), %F=relu`: a comma outside of parentheses ends a binding.
std::map<std::string, std::string> readBindings(const std::string& text) {
    std::map<std::string, std::string> out;
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const char c = i < text.size() ? text[i] : ',';
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        if (c != ',' || (depth != 0 && i < text.size())) {
            continue;
        }
        const std::string entry = trimmed(text.substr(start, i - start));
        start = i + 1;
        const std::size_t equals = entry.find('=');
        if (equals != std::string::npos) {
            out.emplace(trimmed(entry.substr(0, equals)), trimmed(entry.substr(equals + 1)));
        }
    }
    return out;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
    std::string out;
    for (const std::string& part : parts) {
        out += (out.empty() ? "" : between) + part;
    }
    return out;
}

std::string joined(const std::map<std::string, std::string>& bindings) {
    std::string out;
    for (const auto& [name, value] : bindings) {
        out += (out.empty() ? "" : ", ") + name + "=" + value;
    }
    return out;
}

} // namespace

Result<MatchCases> parseCases(std::string_view text, const std::string& file) {
    MatchCases out;
    std::vector<std::string> columns;
    int number = 0;
    for (std::string& line : split(text, "\n")) {
        ++number;
        if (!line.empty() && line.back() == '\r') {
            line.pop_back();
        }
        if (line.empty() || line[0] == '#') {
            const std::string mark = "# sig:";
            if (line.starts_with(mark)) {
                out.signature = line.substr(mark.size());
            }
            continue;
        }
        const std::vector<std::string> cells = split(line, "\t");
        const std::string where = file + ":" + std::to_string(number);
        if (columns.empty()) {
            columns = cells;
            for (const char* needed : {"id", "pattern", "term"}) {
                if (std::find(columns.begin(), columns.end(), needed) == columns.end()) {
                    return fail(ErrorCode::BadData,
                                std::string("the header has no column '") + needed + "': expected tab-separated id, pattern, term, ...", where);
                }
            }
            continue;
        }
        if (cells.size() > columns.size()) {
            return fail(ErrorCode::BadData, "found " + std::to_string(cells.size()) + " cells, the header has " + std::to_string(columns.size()),
                        where);
        }
        MatchCase each;
        each.line = number;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const std::string cell = i < cells.size() ? trimmed(cells[i]) : std::string();
            const std::string& column = columns[i];
            if (column == "id") {
                each.id = cell;
            } else if (column == "pattern") {
                each.pattern = cell;
            } else if (column == "term") {
                each.term = cell;
            } else if (column == "expected") {
                each.outcome = cell;
            } else if (column == "bindings") {
                each.bindings = readBindings(cell);
            } else if (column == "static_check") {
                each.staticCheck = cell;
            } else if (column == "reasons") {
                each.reasons = cell.empty() ? std::vector<std::string>() : split(cell, " ; ");
            }
        }
        out.cases.push_back(std::move(each));
    }
    if (columns.empty()) {
        return fail(ErrorCode::BadData, "there is no header: expected tab-separated id, pattern, term, ...", file);
    }
    return out;
}

Result<CaseResult> runCase(const MatchCase& each, const std::string& signature, const std::string& file, bool identity, std::uint64_t steps) {
    const std::string where = file + ":" + std::to_string(each.line);
    const Result<Signature> facts = Signature::parse(signature);
    if (!facts) {
        return tl::unexpected(facts.error());
    }
    const auto term = TermSubject::parse(each.term, *facts, where + ": term", identity);
    if (!term) {
        return tl::unexpected(term.error());
    }
    const Result<RuleFile> rules = parsePattern(each.pattern, where + ": pattern");
    if (!rules) {
        return tl::unexpected(rules.error());
    }
    const StaticResult checked = checkStatically(*rules);
    const auto programs = compileRules(*rules, checked);
    if (!programs) {
        return tl::unexpected(programs.error());
    }
    CaseResult out;
    out.id = each.id;
    const Finding* first = checked.firstError();
    out.staticCheck = first == nullptr ? "ok" : "error: " + first->fact;
    MatchMachine machine(*programs->front(), **term, {.identity = identity, .steps = steps, .records = MostReasons});
    machine.start((*term)->root());
    const Outcome outcome = machine.run();
    out.outcome = outcome == Outcome::Match ? "match" : outcome == Outcome::NoMatch ? "no match" : "undecided";
    if (outcome == Outcome::Match) {
        for (const Binding& binding : machine.bindings()) {
            if (binding.kind != Binding::Kind::Unbound) {
                out.bindings.emplace(binding.name.written(), bindingText(**term, binding));
            }
        }
    } else {
        for (const FailureRecord& record : machine.failures()) {
            out.reasons.push_back(shortReason(*programs->front(), **term, record));
        }
    }
    const auto differs = [&](const std::string& what, const std::string& wanted, const std::string& found) {
        if (wanted != found) {
            out.differences.push_back(what + ": expected " + (wanted.empty() ? "nothing" : wanted) + ", found " +
                                      (found.empty() ? "nothing" : found));
        }
    };
    if (each.outcome) {
        differs("outcome", *each.outcome, out.outcome);
    }
    if (each.bindings) {
        differs("bindings", joined(*each.bindings), joined(out.bindings));
    }
    if (each.staticCheck) {
        differs("static check", *each.staticCheck, out.staticCheck);
    }
    if (each.reasons) {
        differs("reasons", joined(*each.reasons, " ; "), joined(out.reasons, " ; "));
    }
    return out;
}

} // namespace lemmascope::match
