// What the rules and matcher docks say; tests: tests/ui/views/tst_match_rows.cpp.
#include "ui/views/match_rows.h"

#include "ui/views/text.h"

#include <QCoreApplication>

#include <algorithm>

namespace lemmascope {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(lemmascope::MatchRows)
};

QString tr(const char* text) { return Words::tr(text); }

OutlineRow row(std::uint32_t depth, QStringList cells) {
    OutlineRow out;
    out.depth = depth;
    out.cells = std::move(cells);
    return out;
}

QString nodeText(const match::GraphSubject& subject, match::TermId term) { return toQString(subject.nodeText(term)); }

QString placeText(match::Spot spot) { return spot.line == 0 ? QString() : QStringLiteral(" [%1]").arg(toQString(spot.text())); }

QString score(const match::GraphMiss& miss) { return tr("%1 of %2").arg(miss.matched).arg(miss.total); }

void addBindings(OutlineRows& out, std::uint32_t depth, const std::vector<match::Binding>& bindings, const match::GraphSubject& subject) {
    for (const match::Binding& each : bindings) {
        if (each.kind == match::Binding::Kind::Unbound) {
            continue;
        }
        out.push_back(row(depth, {toQString(each.name.written() + " = " + match::bindingText(subject, each))}));
        out.back().term = each.kind == match::Binding::Kind::Term ? each.term : each.madeAt;
        out.back().spot = each.name.spot;
    }
}

void addLines(OutlineRows& out, std::uint32_t depth, const std::vector<match::BranchLine>& lines) {
    constexpr std::uint32_t Deepest = 60;
    for (const match::BranchLine& each : lines) {
        const QString glyph = each.failed ? QStringLiteral("✗ ") : QString();
        out.push_back(row(depth + std::min(each.depth, Deepest), {glyph + toQString(each.text) + placeText(each.spot)}));
        out.back().term = each.term;
        out.back().spot = each.spot;
    }
}

OutlineRow matchRow(const match::GraphMatch& found, const match::GraphSubject& subject, const std::string& rule) {
    OutlineRow out = row(1, {});
    out.kind = OutlineRow::Kind::Match;
    const QString what = found.rewritable() ? tr("may be rewritten") : tr("may not be rewritten: %1").arg(toQString(found.obstacles.front()));
    out.cells = {(found.rewritable() ? QStringLiteral("✓ ") : QStringLiteral("⊘ ")) + nodeText(subject, found.root),
                 {},
                 {},
                 {},
                 tr("%1; %2").arg(tr("nodes: %1").arg(found.nodes.size()), what)};
    QStringList obstacles;
    for (const std::string& each : found.obstacles) {
        obstacles << tr("may not be rewritten: %1").arg(toQString(each));
    }
    out.tip = QStringList({out.cells.front(), tr("nodes: %1").arg(found.nodes.size()), obstacles.join(u'\n')}).join(u'\n').trimmed();
    out.term = found.root;
    out.key = QStringLiteral("match %1 %2").arg(toQString(rule), nodeText(subject, found.root));
    out.open = false;
    return out;
}

QString kindGlyph(match::MissKind kind) {
    return kind == match::MissKind::Undecided || kind == match::MissKind::Undefined ? QStringLiteral("? ") : QStringLiteral("✗ ");
}

QString missText(const match::GraphMiss& miss) { return tr("%1: %2").arg(score(miss), toQString(miss.reason)); }

OutlineRow missRow(const match::GraphMiss& miss, const match::GraphSubject& subject, const std::string& rule) {
    OutlineRow out = row(1, {kindGlyph(miss.kind) + nodeText(subject, miss.root), {}, {}, {}, missText(miss)});
    out.kind = OutlineRow::Kind::Miss;
    out.tip = tr("%1\n%2 operators matched\n%3").arg(out.cells.front(), score(miss), toQString(miss.reason) + placeText(miss.spot));
    out.term = miss.root;
    out.spot = miss.spot;
    out.key = QStringLiteral("miss %1 %2").arg(toQString(rule), nodeText(subject, miss.root));
    out.open = false;
    return out;
}

/// Which of a list are of each rule, in the order of the list: with thousands of rules nobody looks through all for each.
template <typename T>
std::vector<std::vector<std::size_t>> byRule(const std::vector<T>& all, std::size_t rules) {
    std::vector<std::vector<std::size_t>> out(rules);
    for (std::size_t i = 0; i < all.size(); ++i) {
        if (all[i].rule < rules) {
            out[all[i].rule].push_back(i);
        }
    }
    return out;
}

QString ruleCell(const std::string& rule, bool breaks) { return (breaks ? QStringLiteral("● ") : QString()) + toQString(rule); }

} // namespace

QStringList ruleHeaders() { return {tr("Rule, root"), tr("Matches"), tr("Barred"), tr("Open"), tr("What came of it")}; }

QStringList ruleHeaderTips() {
    const QStringList meanings{tr("the rules of the file; below each the nodes where it matched or nearly did"), tr("how many"),
                               tr("matches that may not be rewritten"), tr("roots where the steps ran out, so that nothing is known"),
                               tr("the nearest miss, or what stands against rewriting")};
    QStringList tips = ruleHeaders();
    for (qsizetype i = 0; i < tips.size(); ++i) {
        tips[i] += QStringLiteral(": ") + meanings[i];
    }
    return tips;
}

OutlineRows ruleRows(const match::RuleSet& rules, const match::GraphMatchResult* result, const match::GraphSubject* subject,
                     const std::set<std::string>& breaks) {
    OutlineRows out;
    for (std::size_t i = 0; i < std::min(rules.findings.size(), MostRules); ++i) {
        const match::Finding& each = rules.findings[i];
        const QString glyph = each.isError ? QStringLiteral("✗ ") : QStringLiteral("! ");
        OutlineRow finding = row(0, {glyph + toQString(each.spot.text()), {}, {}, {}, toQString(each.fact)});
        finding.kind = OutlineRow::Kind::Finding;
        finding.index = i;
        finding.tip = toQString(each.text(rules.file->file));
        finding.spot = each.spot;
        finding.strong = each.isError;
        out.push_back(std::move(finding));
    }
    const bool known = result != nullptr && subject != nullptr && result->tallies.size() == rules.programs.size();
    // So many rows are made and searched in an instant.
    constexpr std::size_t MostMatches = 4'000;
    const std::size_t mostOfOne = std::max<std::size_t>(20, MostMatches / std::max<std::size_t>(1, rules.programs.size()));
    std::size_t nextMatch = 0;
    std::vector<std::vector<std::size_t>> misses;
    std::vector<std::vector<std::size_t>> counts;
    if (known) {
        misses = byRule(result->misses, rules.programs.size());
        counts = byRule(result->counts, rules.programs.size());
    }
    for (std::size_t rule = 0; rule < rules.programs.size(); ++rule) {
        if (rule == MostRules) {
            out.push_back(row(0, {tr("further rules that are not listed: %1").arg(rules.programs.size() - MostRules)}));
            break;
        }
        const match::MatchProgram& program = *rules.programs[rule];
        const bool broken = breaks.contains(program.rule);
        OutlineRow head = row(0, {ruleCell(program.rule, broken)});
        head.kind = OutlineRow::Kind::Rule;
        head.index = rule;
        head.spot = program.spot;
        head.key = QStringLiteral("rule ") + toQString(program.rule);
        head.checked = broken;
        head.strong = true;
        head.open = false;
        if (!known) {
            out.push_back(std::move(head));
            continue;
        }
        const match::RuleTally& tally = result->tallies[rule];
        const match::GraphMiss* nearest = misses[rule].empty() ? nullptr : &result->misses[misses[rule].front()];
        QString what;
        if (nearest != nullptr && (tally.matches == 0 || tally.undecided > 0)) {
            what = tr("nearest: %1, %2").arg(nodeText(*subject, nearest->root), missText(*nearest));
        } else if (tally.matches == 0) {
            what = tally.misses == 0 ? tr("no node has its first operator") : tr("no near miss; roots tried: %1").arg(tally.misses);
        } else {
            what = tally.matches == tally.barred ? tr("none may be rewritten") : tr("%1 may be rewritten").arg(tally.matches - tally.barred);
        }
        head.cells << QString::number(tally.matches) << QString::number(tally.barred) << QString::number(tally.undecided) << what;
        out.push_back(std::move(head));
        std::size_t listed = 0; // matches stand by rule
        for (; nextMatch < result->matches.size() && result->matches[nextMatch].rule == rule; ++nextMatch) {
            if (++listed > mostOfOne) {
                continue;
            }
            out.push_back(matchRow(result->matches[nextMatch], *subject, program.rule));
            out.back().index = nextMatch;
            addBindings(out, 2, result->matches[nextMatch].bindings, *subject);
        }
        if (listed > mostOfOne) {
            out.push_back(row(1, {tr("further matches that are not listed: %1").arg(listed - mostOfOne)}));
        }
        for (const std::size_t i : misses[rule]) {
            out.push_back(missRow(result->misses[i], *subject, program.rule));
            out.back().index = i;
            addBindings(out, 2, result->misses[i].held, *subject);
        }
        for (const std::size_t i : counts[rule]) {
            const match::MissCount& each = result->counts[i];
            if (each.roots > 1) {
                OutlineRow count = row(1, {tr("%1 roots fail here").arg(each.roots), {}, {}, {}, tr("as %1").arg(toQString(each.text))});
                count.kind = OutlineRow::Kind::Count;
                count.index = i;
                count.term = each.example;
                count.spot = each.spot;
                out.push_back(std::move(count));
            }
        }
    }
    return out;
}

void markBreaks(OutlineRows& rows, const match::RuleSet& rules, const std::set<std::string>& breaks) {
    for (OutlineRow& each : rows) {
        if (each.kind == OutlineRow::Kind::Rule && each.index < rules.programs.size()) {
            const std::string& rule = rules.programs[each.index]->rule;
            const bool broken = breaks.contains(rule);
            if (each.checked != broken) {
                each.cells.front() = ruleCell(rule, broken);
                each.checked = broken;
            }
        }
    }
}

OutlineRows troubleRows(const Error& error) {
    const auto spot = match::spotOf(error);
    OutlineRow out = row(0, {QStringLiteral("✗ ") + (spot ? toQString(spot->text()) : tr("cannot be read")), {}, {}, {}, toQString(error.message)});
    out.kind = OutlineRow::Kind::Finding;
    out.tip = toQString(error.text());
    out.spot = spot.value_or(match::Spot());
    out.strong = true;
    return {out};
}

QString resultText(const match::GraphMatchResult& result) {
    const auto rewritable = static_cast<std::size_t>(
        std::count_if(result.matches.begin(), result.matches.end(), [](const match::GraphMatch& each) { return each.rewritable(); }));
    QString text = tr("matches: %1, may be rewritten: %2").arg(result.matches.size()).arg(rewritable);
    if (result.undecided > 0) {
        text += tr(", undecided: %1").arg(result.undecided);
    }
    return text;
}

QStringList whyNotHeaders() { return {tr("Rule, branches"), tr("Operators"), tr("Why")}; }

OutlineRows whyNotRows(const match::RuleSet& rules, const match::GraphMatchResult& result, const match::GraphSubject& subject, match::TermId root) {
    OutlineRows out;
    const auto head = [&](std::uint32_t depth, std::size_t rule, const QString& glyph, const QString& count, const QString& why) {
        OutlineRow made = row(depth, {glyph + toQString(rules.programs[rule]->rule), count, why});
        made.index = rule;
        made.spot = rules.programs[rule]->spot;
        made.term = root;
        made.key = QStringLiteral("why ") + toQString(rules.programs[rule]->rule);
        return made;
    };
    for (std::size_t i = 0; i < result.matches.size(); ++i) {
        const match::GraphMatch& found = result.matches[i];
        QString why = tr("it matches here");
        for (const std::string& each : found.obstacles) {
            why += tr("; may not be rewritten: %1").arg(toQString(each));
        }
        const QString nodes = QString::number(found.nodes.size());
        out.push_back(head(0, found.rule, found.rewritable() ? QStringLiteral("✓ ") : QStringLiteral("⊘ "), tr("%1 of %2").arg(nodes, nodes), why));
        out.back().kind = OutlineRow::Kind::Match;
        out.back().strong = true;
        out.back().open = false;
        addBindings(out, 1, found.bindings, subject);
        addLines(out, 1, found.derivation);
    }
    std::vector<const match::GraphMiss*> others; // not even the first operator fits
    bool first = result.matches.empty();
    for (const match::GraphMiss& miss : result.misses) {
        const bool begins = miss.matched > 0 || miss.term != root || miss.kind != match::MissKind::Structure;
        if (!begins && result.misses.size() > 1) {
            others.push_back(&miss);
            continue;
        }
        out.push_back(head(0, miss.rule, kindGlyph(miss.kind), score(miss), toQString(miss.reason) + placeText(miss.spot)));
        OutlineRow& made = out.back();
        made.kind = OutlineRow::Kind::Miss;
        made.spot = miss.spot;
        made.term = miss.term.isValid() ? miss.term : root;
        made.strong = true;
        made.open = first;
        first = false;
        addBindings(out, 1, miss.held, subject);
        addLines(out, 1, miss.branches);
    }
    if (!others.empty()) {
        out.push_back(row(0, {tr("begin with another operator: %1").arg(others.size())}));
        out.back().open = out.size() == 1;
        for (const match::GraphMiss* miss : others) {
            out.push_back(head(1, miss->rule, kindGlyph(miss->kind), score(*miss), toQString(miss->reason) + placeText(miss->spot)));
            out.back().kind = OutlineRow::Kind::Miss;
            out.back().spot = miss->spot;
        }
    }
    return out;
}

QStringList stateHeaders() { return {tr("State"), tr("In words")}; }

OutlineRows stateRows(const match::StepState& state, const match::GraphSubject& subject) {
    OutlineRows out;
    const auto add = [&out](std::uint32_t depth, const QString& what, const std::string& text, match::TermId term, match::Spot spot) -> OutlineRow& {
        out.push_back(row(depth, {what, toQString(text) + placeText(spot)}));
        out.back().term = term;
        out.back().spot = spot;
        out.back().key = QString::number(depth) + what;
        return out.back();
    };
    const bool running = state.outcome == match::Outcome::Running;
    add(0, running ? tr("Next") : tr("Outcome"), state.next, state.term, state.spot).strong = true;
    if (!state.failure.empty()) {
        add(0, state.failureAhead ? tr("✗ Will fail") : tr("✗ Failed"), state.failure, state.failureAt.term, state.failureAt.spot).strong = true;
    }
    add(0, tr("Bindings"), toStdString(state.names.empty() ? tr("the rule has no names") : QString::number(state.names.size())), {}, {});
    for (const match::StepName& each : state.names) {
        QString text = each.held.empty() ? tr("not bound yet") : toQString(each.held);
        if (each.madeAt.isValid() && each.madeAt != each.term) {
            text += tr(", bound at %1").arg(nodeText(subject, each.madeAt));
        }
        if (each.existential || each.owner != state.names.front().owner) {
            text += tr(" (local, of %1)").arg(toQString(each.owner));
        }
        add(1, toQString(each.name), toStdString(text), each.term.isValid() ? each.term : each.madeAt, {});
    }
    add(0, tr("Work left"), toStdString(state.work.empty() ? tr("nothing behind that") : QString::number(state.work.size())), {}, {});
    for (std::size_t i = 0; i < state.work.size(); ++i) {
        add(1, QString::number(i + 1), state.work[i].text, state.work[i].term, state.work[i].spot);
    }
    add(0, tr("Choice points"), toStdString(state.choiceCount == 0 ? tr("none is open") : QString::number(state.choiceCount)), {}, {});
    for (std::size_t i = 0; i < state.choices.size(); ++i) {
        add(1, QString::number(i + 1), state.choices[i].text, state.choices[i].term, state.choices[i].spot);
    }
    if (!state.furthest.empty()) {
        add(0, tr("Furthest failure"), state.furthest, state.furthestAt.term, state.furthestAt.spot);
    }
    if (!state.derivation.empty()) {
        add(0, state.outcome == match::Outcome::Match ? tr("Why it matched") : tr("Taken so far"), std::to_string(state.derivation.size()), {}, {})
            .open = state.outcome == match::Outcome::Match;
        for (std::size_t i = 0; i < state.derivation.size(); ++i) {
            const match::BranchLine& each = state.derivation[i];
            add(1, QString::number(i + 1), each.text, each.term, each.spot);
        }
    }
    return out;
}

QString stateTitle(const match::StepState& state, const match::RuleSet& rules, const match::GraphSubject& subject) {
    const QString ended = state.outcome == match::Outcome::Match       ? tr(": ✓ a match")
                          : state.outcome == match::Outcome::NoMatch   ? tr(": ✗ no match")
                          : state.outcome == match::Outcome::Undecided ? tr(": ? undecided")
                                                                       : QString();
    return tr("%1 at %2: step %3, %4")
               .arg(toQString(rules.programs[state.rule]->rule), nodeText(subject, state.root))
               .arg(state.position)
               .arg(tr("operators matched: %1").arg(state.matched)) +
           ended;
}

} // namespace lemmascope
