// Races and contention are shown by running the program in both orders.

#include "core/interp/comparison.h"

#include <algorithm>
#include <cmath>

namespace lemmascope::interp {

namespace {

constexpr std::uint32_t TriedSamples = 6;

std::string eventName(const Step& step) { return step.event.empty() ? step.text() : step.event; }

bool sameOutputs(const ScheduledRun& a, const ScheduledRun& b) {
    if (a.end != b.end || a.outputs.size() != b.outputs.size()) {
        return false;
    }
    for (std::size_t i = 0; i < a.outputs.size(); ++i) {
        if (!a.outputs[i].second.sameBits(b.outputs[i].second)) {
            return false;
        }
    }
    return true;
}

/// By their numbers: zeros of either sign are one.
bool apart(const ScheduledRun& a, const ScheduledRun& b) {
    for (std::size_t i = 0; i < a.outputs.size() && i < b.outputs.size(); ++i) {
        const Tensor& x = a.outputs[i].second;
        const Tensor& y = b.outputs[i].second;
        if (!isFloat(x.element()) && !x.sameBits(y)) {
            return true;
        }
        for (std::int64_t k = 0; isFloat(x.element()) && k < x.count() && k < y.count(); ++k) {
            if (x.toDouble(k) != y.toDouble(k) && !(std::isnan(x.toDouble(k)) && std::isnan(y.toDouble(k)))) {
                return true;
            }
        }
    }
    return false;
}

std::string outputsText(const ScheduledRun& run) {
    if (!run.end.empty()) {
        return run.end;
    }
    constexpr std::int64_t Shown = 4;
    std::string text;
    for (const auto& [name, tensor] : run.outputs) {
        text += (text.empty() ? "" : ", ") + name + " = [";
        for (std::int64_t i = 0; i < tensor.count() && i < Shown; ++i) {
            std::string number = std::to_string(tensor.toDouble(i));
            number.erase(number.find_last_not_of('0') + 1);
            if (number.back() == '.') {
                number.pop_back();
            }
            text += (i > 0 ? "," : "") + number;
        }
        text += tensor.count() > Shown ? ",...]" : "]";
    }
    return text;
}

} // namespace

ScheduledRun Comparison::scheduled(const std::shared_ptr<const Program>& program, const RunResult& run, std::vector<std::string> order) const {
    ScheduledRun made;
    made.order = std::move(order);
    switch (run.end) {
    case RunResult::End::Finished: break;
    case RunResult::End::Faulted: made.end = run.fault->text(); break;
    case RunResult::End::Deadlocked: made.end = "deadlock: " + run.deadlock->text(); break;
    default: made.end = run.undecided.empty() ? "does not end" : run.undecided; break;
    }
    if (!made.end.empty()) {
        return made;
    }
    for (const LiveOut& result : run.results) {
        made.outputs.emplace_back(result.name, tensorOfOutput(result));
    }
    for (std::size_t i = 0; i < run.arguments.size(); ++i) {
        const Argument& argument = program->arguments[i];
        if (argument.isView && argument.role != Role::Scratch && (argument.role == Role::InOut || run.arguments[i].written)) {
            made.outputs.emplace_back(argument.name, tensorOfOutput(run.arguments[i]));
        }
    }
    for (const LiveOut& global : run.globals) {
        made.outputs.emplace_back(global.name, tensorOfOutput(global));
    }
    return made;
}

Result<std::optional<RaceReport>> Comparison::replayRace(const std::shared_ptr<const Program>& program, Side side) {
    std::optional<RaceReport> best;
    for (std::uint32_t sample = 0; sample < TriedSamples; ++sample) {
        const Inputs inputs = sampleInputs(sample == 0 ? 3 : sample == 3 ? 0 : sample); // different numbers in every cell come first
        RunOptions options = concreteOptions(inputs);
        TermDag scratch;
        Result<RunResult> seen = lemmascope::interp::run(program, scratch, options, m_stop);
        if (!seen) {
            return tl::unexpected(seen.error());
        }
        if (seen->end != RunResult::End::Raced) {
            continue; // the race stands under a condition that these inputs do not meet
        }
        const Race& race = *seen->race;
        // Who did what to that cell, in the schedule that was run.
        options.detectRaces = false;
        options.watched = {race.allocation, race.cell};
        Result<RunResult> watched = lemmascope::interp::run(program, scratch, options, m_stop);
        if (!watched) {
            return tl::unexpected(watched.error());
        }
        options.watched.reset();
        const bool atReturn = race.second.op == "return";
        std::optional<std::size_t> first, second;
        const std::vector<WatchedAccess>& list = watched->watched;
        for (std::size_t j = 0; j < list.size() && !second; ++j) {
            if (atReturn || list[j].step.taskKey != race.second.taskKey || list[j].writes != race.secondWrites) {
                continue;
            }
            for (std::size_t i = j; i-- > 0;) {
                if (list[i].step.taskKey == race.first.taskKey && list[i].writes == race.firstWrites) {
                    first = i;
                    second = j;
                    break;
                }
            }
        }
        for (std::size_t i = 0; i < list.size() && atReturn; ++i) {
            if (list[i].step.taskKey == race.first.taskKey && list[i].writes) {
                first = i;
            }
        }
        if (!first || (!second && !atReturn)) {
            continue;
        }
        const Step a = list[*first].step;
        const Step b = atReturn ? race.second : list[*second].step;
        RaceReport report;
        report.side = side;
        report.events = {eventName(a), eventName(b)};
        report.buffer = race.buffer;
        report.index = race.index;
        Race told = race;
        told.first = a;
        told.second = b;
        report.text = told.text();
        report.runs.push_back(scheduled(program, *watched, report.events));
        options.reorder = Reorder{a.taskKey, a.number, atReturn ? std::uint64_t{1} : b.taskKey, atReturn ? UINT64_MAX : b.number};
        Result<RunResult> other = lemmascope::interp::run(program, scratch, options, m_stop);
        if (!other) {
            return tl::unexpected(other.error());
        }
        if (!other->reordered) {
            continue; // not an order that this program has
        }
        report.runs.push_back(scheduled(program, *other, {report.events[1], report.events[0]}));
        const bool differs = !sameOutputs(report.runs[0], report.runs[1]);
        if (differs || !best) {
            best = std::move(report);
            describeInputs(inputs);
        }
        if (differs) {
            break;
        }
    }
    return best;
}

Result<std::optional<RaceReport>> Comparison::replayContention(const std::shared_ptr<const Program>& program, Side side, bool& differs) {
    std::optional<RaceReport> best;
    differs = false;
    for (std::uint32_t sample = 0; sample < TriedSamples && !differs; ++sample) {
        const Inputs inputs = sampleInputs(sample == 0 ? 3 : sample == 3 ? 0 : sample);
        RunOptions options = concreteOptions(inputs);
        options.detectRaces = false;
        TermDag scratch;
        // Clocks are kept for semaphores all the same.
        Result<RunResult> one = lemmascope::interp::run(program, scratch, options, m_stop);
        if (!one) {
            return tl::unexpected(one.error());
        }
        if (!one->contention) {
            continue;
        }
        const Contention& found = *one->contention;
        options.reorder = Reorder{found.first.taskKey, found.first.number, found.second.taskKey, found.second.number};
        Result<RunResult> two = lemmascope::interp::run(program, scratch, options, m_stop);
        if (!two) {
            return tl::unexpected(two.error());
        }
        RaceReport report;
        report.side = side;
        report.events = {eventName(found.first), eventName(found.second)};
        report.buffer = found.object;
        report.text = found.text();
        report.runs.push_back(scheduled(program, *one, report.events));
        if (two->reordered) {
            report.runs.push_back(scheduled(program, *two, {report.events[1], report.events[0]}));
            differs = !sameOutputs(report.runs[0], report.runs[1]);
        }
        if (differs || !best) {
            best = std::move(report);
            describeInputs(inputs);
        }
    }
    return best;
}

Result<void> Comparison::schedules(const std::shared_ptr<const Program>& program, const RunResult& result, Side side) {
    const bool isReference = side == Side::Reference;
    const auto withRuns = [](const RaceReport& report) {
        std::string text = report.text;
        for (const ScheduledRun& run : report.runs) {
            text += "; " + run.order.front() + " first: " + outputsText(run);
        }
        return text;
    };
    if (result.contention) {
        bool differs = false;
        Result<std::optional<RaceReport>> report = replayContention(program, side, differs);
        if (!report) {
            return tl::unexpected(report.error());
        }
        const std::string text = *report ? withRuns(**report) : result.contention->text();
        if (isReference) {
            m_made.result.counterexample.reset();
            undecided("reference undefined: nondeterministic: " + text);
        } else if (differs) {
            m_made.result.race = std::move(*report);
            refute(RefutationKind::Nondeterministic, text);
        } else {
            m_made.result.counterexample.reset();
            undecided("nondeterministic: " + text + ": the orders that were tried agree");
        }
        return {};
    }
    Result<std::optional<RaceReport>> report = replayRace(program, side);
    if (!report) {
        return tl::unexpected(report.error());
    }
    const std::string text = *report ? withRuns(**report) : result.race->text();
    const bool areUpdates = result.race->areUpdates;
    if (isReference) {
        m_made.result.counterexample.reset();
        undecided("reference undefined: " + std::string(areUpdates ? "nondeterministic: " : "race: ") + text);
    } else if (areUpdates) {
        // Each is whole: only results that differ tell against the program.
        if (*report && (**report).runs.size() == 2 && !sameOutputs((**report).runs[0], (**report).runs[1])) {
            m_made.result.race = std::move(*report);
            refute(RefutationKind::Nondeterministic, text);
        } else {
            m_made.result.counterexample.reset();
            undecided("nondeterministic: " + text + ": the orders that were tried agree");
        }
    } else if (*report) {
        m_made.result.race = std::move(*report);
        refute(RefutationKind::Race, text);
    } else if (result.race->guarded) {
        unproved("race: " + text + ": no inputs were found that meet its conditions");
    } else {
        undecided("race: " + text + ": the other order could not be run");
    }
    return {};
}

Result<void> Comparison::ordersOfFold(const std::shared_ptr<const Program>& program, const RunResult& result, Side side) {
    if (side == Side::Reference) {
        undecided("reference undefined: nondeterministic: " + result.orderedFold);
        return {};
    }
    for (std::uint32_t sample = 0; sample < TriedSamples; ++sample) {
        const Inputs inputs = sampleInputs(sample == 0 ? 3 : sample == 3 ? 0 : sample);
        RunOptions options = concreteOptions(inputs);
        RaceReport report;
        report.side = side;
        report.events = {"the first iteration", "the last iteration"};
        report.text = result.orderedFold;
        std::string text = result.orderedFold;
        bool ends = true;
        options.notesRounding = true; // what only rounds otherwise is no other result
        for (const bool fromEnd : {false, true}) {
            options.foldsFromEnd = fromEnd;
            TermDag scratch;
            Result<RunResult> seen = lemmascope::interp::run(program, scratch, options, m_stop);
            if (!seen) {
                return tl::unexpected(seen.error());
            }
            ends = ends && seen->end == RunResult::End::Finished && !seen->poison && !seen->usedOpenFunction && !seen->rounded;
            report.runs.push_back(scheduled(program, *seen, {report.events[fromEnd ? 1 : 0], report.events[fromEnd ? 0 : 1]}));
            text += "; from " + report.events[fromEnd ? 1 : 0] + ": " + outputsText(report.runs.back());
        }
        if (ends && apart(report.runs[0], report.runs[1])) {
            describeInputs(inputs);
            m_made.result.race = std::move(report);
            refute(RefutationKind::Nondeterministic, text);
            return {};
        }
    }
    undecided("nondeterministic: " + result.orderedFold + ": the orders that were tried agree");
    return {};
}

} // namespace lemmascope::interp
