// Stepping through one attempt; tests: tests/core/match/tst_match_stepper.cpp.
#include "core/match/stepper.h"

#include <algorithm>

namespace lemmascope::match {

namespace {

constexpr std::size_t Records = 1'000;
constexpr std::uint64_t BetweenPolls = 1'024;

bool sameSummary(const FailureSummary& a, const FailureSummary& b) {
    return a.at == b.at && a.term == b.term && a.reason == b.reason && a.matched == b.matched && a.nearness == b.nearness && a.total == b.total;
}

} // namespace

Stepper::Stepper(Programs programs, std::shared_ptr<const GraphSubject> subject, MachineOptions options)
    : m_programs(std::move(programs)), m_subject(std::move(subject)), m_options(std::move(options)) {
    m_options.records = Records;
    m_options.stop = {}; // a command that is stopped is not undecided
}

Stepper::~Stepper() = default;

void Stepper::start(std::size_t rule, TermId root) {
    if (!m_machine || rule != m_rule) {
        m_machine = std::make_unique<MatchMachine>(*m_programs[rule], *m_subject, m_options);
    }
    m_rule = rule;
    m_root = root;
    m_machine->start(root);
    m_position = 0;
    m_failed = false;
    m_ahead.reset();
    m_phase = Phase::Done;
}

const FailureRecord* Stepper::behind() const { return m_failed && !m_machine->failures().empty() ? &m_machine->failures().back() : nullptr; }

void Stepper::begin(StepCommand command) {
    m_command = command;
    m_phase = Phase::Run;
    m_first = true;
    m_ranOut = false;
    switch (command) {
    case StepCommand::Back: seek(m_position == 0 ? 0 : m_position - 1); break;
    case StepCommand::Start: seek(0); break;
    case StepCommand::Over: m_mark = m_machine->behindNext(); break;
    case StepCommand::Out: m_mark = m_machine->behindParent(); break;
    case StepCommand::FurthestFailure:
        m_nearest = {};
        start(m_rule, m_root);
        m_phase = Phase::Run;
        break;
    case StepCommand::Into:
    case StepCommand::NextFailure:
    case StepCommand::End:
    case StepCommand::Breakpoint: break;
    }
}

void Stepper::beginSeek(std::uint64_t position) {
    m_ranOut = false;
    seek(position);
}

void Stepper::seek(std::uint64_t position) {
    m_target = position;
    if (position < m_position) {
        m_machine->start(m_root);
        m_position = 0;
        m_failed = false;
    }
    m_phase = Phase::Seek;
}

bool Stepper::proceed(std::uint64_t most, const std::stop_token& stop) {
    for (std::uint64_t made = 0; m_phase != Phase::Done; ++made) {
        if (made == most || (made % BetweenPolls == 0 && stop.stop_requested())) {
            return false;
        }
        if (m_phase == Phase::Seek) {
            const Outcome outcome = m_machine->outcome();
            if (m_position >= m_target || outcome == Outcome::NoMatch || outcome == Outcome::Undecided) {
                m_phase = Phase::Done;
            } else {
                transition();
            }
        } else if (!runOnce()) {
            m_phase = Phase::Done;
        }
    }
    return true;
}

void Stepper::transition() {
    const std::uint64_t before = m_machine->failureCount();
    if (m_machine->outcome() == Outcome::Match) {
        m_machine->goOn();
    } else {
        (void)m_machine->step();
    }
    ++m_position;
    m_failed = m_machine->failureCount() != before;
}

/// One transition of a command; false when the command is done. May turn into a seek.
bool Stepper::runOnce() {
    const bool first = std::exchange(m_first, false);
    const Outcome before = m_machine->outcome();
    const bool over = before == Outcome::NoMatch || before == Outcome::Undecided;
    if (m_command == StepCommand::Breakpoint) {
        const NodeId node = m_machine->goalTerm().isValid() ? m_subject->nodeOf(m_machine->goalTerm()) : NodeId();
        if (!first && before == Outcome::Running && node.isValid() && m_breakpoints.nodes.contains(node)) {
            return false;
        }
        if (before != Outcome::Running) {
            if (!nextAttempt()) {
                m_ranOut = true;
                return false;
            }
            return !m_breakpoints.rules.contains(m_rule);
        }
        transition();
        return true;
    }
    if (m_command == StepCommand::FurthestFailure) {
        if (before == Outcome::Running) {
            transition();
            if (m_failed && !sameSummary(m_machine->nearest(), m_nearest.summary)) {
                m_nearest = {m_machine->nearest(), m_position, m_machine->failures().back()};
            }
            return true;
        }
        if (m_nearest.record) {
            m_ahead = m_nearest.record;
            m_aheadAt = m_nearest.position - 1;
            seek(m_aheadAt);
            return true;
        }
        return false;
    }
    if (over) {
        return false;
    }
    const bool wasAhead = ahead() != nullptr;
    transition();
    const bool ended = m_machine->outcome() != Outcome::Running;
    switch (m_command) {
    case StepCommand::Over:
    case StepCommand::Out: return !ended && !m_failed && !m_machine->isAt(m_mark);
    case StepCommand::NextFailure:
        if (m_failed && !(first && wasAhead)) {
            m_ahead = m_machine->failures().back();
            m_aheadAt = m_position - 1;
            seek(m_aheadAt);
            return true;
        }
        return !ended;
    case StepCommand::End: return !ended;
    default: return false; // Into
    }
}

const std::vector<TermId>& Stepper::rootsOf(std::size_t rule) {
    if (m_rootsRule != rule) {
        // As matchGraph goes over them.
        const MatchMachine machine(*m_programs[rule], *m_subject, m_options);
        m_roots.clear();
        for (std::size_t n = m_subject->graph().nodes.size(); n > 0; --n) {
            const TermId root = m_subject->termOf(NodeId(n - 1));
            if (machine.mayMatchAt(root)) {
                m_roots.push_back(root);
            }
        }
        m_rootsRule = rule;
    }
    return m_roots;
}

bool Stepper::nextAttempt() {
    const std::vector<TermId>& roots = rootsOf(m_rule);
    const NodeId here = m_subject->nodeOf(m_root);
    const auto next = std::partition_point(roots.begin(), roots.end(), [&](TermId root) { return !(m_subject->nodeOf(root) < here); });
    std::size_t rule = m_rule;
    TermId root;
    if (next != roots.end()) {
        root = *next;
    }
    while (!root.isValid() && ++rule < m_programs.size()) {
        const std::vector<TermId>& others = rootsOf(rule);
        if (!others.empty()) {
            root = others.front();
        }
    }
    if (!root.isValid()) {
        return false;
    }
    start(rule, root);
    m_phase = Phase::Run;
    return true;
}

} // namespace lemmascope::match
