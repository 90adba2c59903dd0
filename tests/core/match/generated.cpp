#include "tests/core/match/generated.h"

#include "core/match/failure.h"
#include "core/match/parser.h"
#include "core/match/term_subject.h"

#include <algorithm>

namespace lemmascope::match::oracle {

namespace {

constexpr int Unfoldings = 9;

struct Run {
    Outcome outcome = Outcome::NoMatch;
    std::set<Witness> witnesses;
    Witness first;
    bool mayLoop = false;
    bool wellFormed = false;
};

Result<Run> machine(const std::string& pattern, const std::string& term, std::uint32_t rememberAfter, bool remember) {
    const Result<RuleFile> file = parsePattern(pattern, "pattern");
    if (!file) {
        return tl::unexpected(file.error());
    }
    const auto subject = TermSubject::parse(term, {}, "term");
    if (!subject) {
        return tl::unexpected(subject.error());
    }
    const StaticResult checked = checkStatically(*file);
    const auto programs = compileRules(*file, checked);
    if (!programs) {
        return tl::unexpected(programs.error());
    }
    Run out;
    out.wellFormed = checked.passes();
    out.mayLoop =
        std::any_of((*programs)[0]->procedures.begin(), (*programs)[0]->procedures.end(), [](const Procedure& each) { return each.mayLoop; });
    MatchMachine run(*(*programs)[0], **subject, {.steps = 200'000, .remember = remember, .rememberAfter = rememberAfter});
    run.start((*subject)->root());
    out.outcome = run.run();
    for (Outcome now = out.outcome; now != Outcome::NoMatch; now = run.run()) {
        if (now == Outcome::Undecided) {
            out.outcome = Outcome::Undecided;
            break;
        }
        Witness witness;
        for (const Binding& each : run.bindings()) {
            if (each.kind != Binding::Kind::Unbound) {
                witness.emplace(each.name.written(), bindingText(**subject, each));
            }
        }
        out.first = out.witnesses.empty() ? witness : out.first;
        out.witnesses.insert(std::move(witness));
    }
    return out;
}

std::string text(const std::set<Witness>& all) {
    std::string out;
    for (const Witness& each : all) {
        out += "{";
        for (const auto& [name, value] : each) {
            out += name + "=" + value + " ";
        }
        out += "}";
    }
    return out.empty() ? "none" : out;
}

} // namespace

std::string Generator::arguments(const std::string& kinds) {
    std::string out;
    for (const char kind : kinds) {
        out += (out.empty() ? "" : ", ") + (kind == '?' ? value() : function());
    }
    return out;
}

std::string Generator::guard(int depth) {
    const unsigned kind = below(depth > 0 ? 8 : 4);
    if (kind == 6) {
        return "!(" + guard(depth - 1) + ")";
    }
    if (kind == 7) {
        return "(" + guard(depth - 1) + (below(2) == 0 ? " & " : " | ") + guard(depth - 1) + ")";
    }
    if (kind == 5) {
        return "op(" + function() + ")=" + (below(2) == 0 ? "g" : "h");
    }
    if (kind == 4) {
        return "rank(" + value() + ")=2"; // not known
    }
    const auto side = [&] { return below(3) == 0 ? std::to_string(1 + below(4)) : "size(" + value() + ")"; };
    return side() + (below(2) == 0 ? "<" : "=") + side();
}

std::string Generator::part(int depth, bool underOperator) {
    if (depth == 0) {
        const unsigned kind = below(8);
        return kind < 5 ? value() : kind == 5 ? "a" : kind == 6 ? "b" : "_";
    }
    switch (below(21)) {
    case 0:
    case 1: return (below(2) == 0 ? "g(" : "h(") + part(depth - 1, true) + ")";
    case 2:
    case 3: return "f(" + part(depth - 1, true) + ", " + part(depth - 1, true) + ")";
    case 4: return "comm f(" + part(depth - 1, true) + ", " + part(depth - 1, true) + ")";
    case 5:
        return below(3) > 0 ? "f(" + value() + ", " + part(depth - 1, true) + ")"
                            : "ac f(" + part(depth - 1, true) + ", " + value() + ", " + part(depth - 1, true) + ")";
    case 6:
    case 7: return "(" + part(depth - 1, underOperator) + " | " + part(depth - 1, underOperator) + ")";
    case 8:
    case 9: return "(" + part(depth - 1, underOperator) + " where " + guard(1) + ")";
    case 10:
    case 11: {
        const std::string name = below(4) == 0 ? function() : value();
        return "ex " + name + ". (" + part(depth - 1, underOperator) + ")";
    }
    case 12:
    case 13: return "(" + part(depth - 1, underOperator) + " with " + value() + " ~ (" + part(depth - 1, false) + "))";
    case 14: return function() + "(" + part(depth - 1, true) + ")";
    case 15: return function() + "(" + part(depth - 1, true) + ", " + part(depth - 1, true) + ")";
    case 16: return value() + " @ (" + part(depth - 1, underOperator) + ")";
    case 17: return "opt g(" + part(depth - 1, underOperator) + ")";
    case 18:
    case 19: {
        const std::string kinds = below(3) == 0 ? "?%" : below(4) == 0 ? "" : "?";
        const std::string name = "P" + std::to_string(m_mus.size());
        const std::string given = arguments(kinds);
        std::string parameters = kinds.empty() ? "" : "?u";
        if (kinds.size() > 1) {
            parameters += ", %F";
        }
        m_mus.emplace_back(name, kinds);
        m_values.emplace_back("?u");
        const std::string body = part(depth, false);
        m_values.pop_back();
        m_mus.pop_back();
        return "mu " + name + "(" + parameters + ")[" + given + "]. (" + body + ")";
    }
    default: break;
    }
    if (!m_mus.empty() && (underOperator || below(12) == 0)) {
        const auto& [name, kinds] = m_mus[below(static_cast<unsigned>(m_mus.size()))];
        return name + "(" + arguments(kinds) + ")";
    }
    return part(depth - 1, underOperator);
}

std::string Generator::pattern() {
    m_values = {"?x", "?y", "?z"};
    m_functions = {"%F", "%H"};
    return part(1 + static_cast<int>(below(4)), false);
}

int Generator::term(Terms& terms, int depth) {
    if (depth == 0) {
        return terms.make(below(2) == 0 ? "a" : "b", {});
    }
    const unsigned kind = below(8);
    if (kind < 2) {
        return terms.make(kind == 0 ? "a" : "b", {});
    }
    const int first = term(terms, depth - 1);
    if (kind < 5) {
        return terms.make(kind == 2 ? "h" : "g", {first});
    }
    const int second = below(4) == 0 ? first : term(terms, depth - 1);
    return terms.make("f", {first, second});
}

int Generator::term(Terms& terms) { return term(terms, static_cast<int>(below(4))); }

Compared compareGenerated(std::uint64_t seed) {
    Generator generator(seed * 0x9E3779B97F4A7C15ULL + 1);
    Compared out;
    Terms terms;
    out.pattern = generator.pattern();
    const int term = generator.term(terms);
    out.term = terms.text(term);
    const auto differs = [&](const std::string& what, const std::string& wanted, const std::string& found) {
        out.agrees = false;
        out.difference += what + ": declarative " + wanted + ", machine " + found + "; ";
    };
    const Result<RuleFile> file = parsePattern(out.pattern, "pattern");
    // Every other case remembers goals from the first on; small cases would else never come to it.
    const Result<Run> run = machine(out.pattern, out.term, seed % 2 == 0 ? 0 : 8, true);
    if (!file || !run) {
        differs("reading", "", file ? run.error().text() : file.error().text());
        return out;
    }
    out.wellFormed = run->wellFormed;
    out.matched = run->outcome == Outcome::Match;
    out.undecided = run->outcome == Outcome::Undecided;
    const Answer answer = witnesses(*file, terms, term, Unfoldings);
    // Past the limit of unfolding the oracle knows some witnesses only; a pattern that may loop without consuming an operator gets no more of
    // an answer than the machine's rule against loops gives.
    const bool exact = answer.complete && !run->mayLoop;
    if (out.undecided) {
        if (exact && run->wellFormed) {
            differs("outcome", text(answer.witnesses), "undecided");
        }
        return out;
    }
    if (exact ? answer.witnesses != run->witnesses
              : answer.complete && !std::includes(answer.witnesses.begin(), answer.witnesses.end(), run->witnesses.begin(), run->witnesses.end())) {
        differs("witnesses", text(answer.witnesses), text(run->witnesses));
    }
    const Result<Run> plain = machine(out.pattern, out.term, 0, false);
    if (!plain || (plain->outcome != Outcome::Undecided && (plain->outcome != run->outcome || plain->first != run->first))) {
        differs("without memory", text({run->first}), plain ? text({plain->first}) : plain.error().text());
    }
    const Result<Run> beside = machine("w(?unrelated, (" + out.pattern + "))", "w(c," + out.term + ")", 8, true);
    Witness wider = run->first;
    wider.emplace("?unrelated", "c");
    if (!beside || (beside->outcome == Outcome::Match) != out.matched || (out.matched && beside->first != wider)) {
        differs("beside an unrelated name", text({wider}), beside ? text({beside->first}) : beside.error().text());
    }
    Answer tried;
    if (searched(*file, terms, term, Unfoldings, 400, seed % 3 == 0, tried)) {
        out.searchedToo = true;
        if (answer.complete && tried.witnesses != answer.witnesses) {
            differs("every assignment tried", text(tried.witnesses), text(answer.witnesses) + " (the other oracle)");
        }
    }
    return out;
}

} // namespace lemmascope::match::oracle
