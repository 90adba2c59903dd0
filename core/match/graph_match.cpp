// Rules on a graph: matches, what stands against rewriting, nearest misses. Tests: tests/core/match/tst_match_graph.cpp.
#include "core/match/graph_match.h"

#include "core/graph/op_registry.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace lemmascope::match {

namespace {

constexpr std::size_t MostMatchesAtARoot = 10'000;
constexpr std::size_t MostBranches = 1'000;

/// A miss before it is put into words.
struct RawMiss {
    TermId root;
    FailureSummary summary;
    bool undecided = false;
};

class GraphRun {
  public:
    GraphRun(const Programs& programs, const GraphSubject& subject, const GraphMatchOptions& options)
        : m_programs(programs), m_subject(subject), m_options(options), m_owner(subject.graph().nodes.size(), NoOwner) {}

    Result<GraphMatchResult> run() {
        for (std::size_t rule = 0; rule < m_programs.size(); ++rule) {
            if (m_options.progress) {
                m_options.progress(rule, m_programs.size());
            }
            if (!runRule(rule)) {
                return fail(ErrorCode::Cancelled, "interrupted");
            }
        }
        // Within a rule they stand nearest first already.
        std::stable_sort(m_out.misses.begin(), m_out.misses.end(), [](const GraphMiss& a, const GraphMiss& b) { return a.matched > b.matched; });
        std::stable_sort(m_out.counts.begin(), m_out.counts.end(), [](const MissCount& a, const MissCount& b) { return a.roots > b.roots; });
        return std::move(m_out);
    }

  private:
    static constexpr std::size_t NoOwner = static_cast<std::size_t>(-1);

    [[nodiscard]] std::vector<TermId> roots(const MatchProgram& program) const {
        if (m_options.at) {
            return {*m_options.at};
        }
        const bool results = std::any_of(program.instructions.begin(), program.instructions.end(),
                                         [](const Instruction& each) { return each.kind == InstructionKind::Result; });
        std::vector<TermId> out;
        const Graph& graph = m_subject.graph();
        for (std::size_t n = graph.nodes.size(); n > 0; --n) {
            const Node& node = graph.nodes[n - 1];
            out.push_back(m_subject.termOf(NodeId(n - 1)));
            for (std::size_t r = 1; results && r < node.results.size(); ++r) {
                if (node.results[r].isValid()) {
                    out.emplace_back(node.results[r].index);
                }
            }
        }
        return out;
    }

    bool runRule(std::size_t rule) {
        const MatchProgram& program = *m_programs[rule];
        MachineOptions machineOptions = m_options.machine;
        machineOptions.records = 0;
        machineOptions.stop = m_options.stop;
        MatchMachine machine(program, m_subject, machineOptions);
        std::vector<RawMiss> misses;
        const std::size_t firstMatch = m_out.matches.size();
        const std::size_t skippedBefore = m_out.rootsSkipped;
        const std::size_t undecidedBefore = m_out.undecided;
        for (const TermId root : roots(program)) {
            if (m_options.stop.stop_requested()) {
                return false;
            }
            if (!m_options.at && !machine.mayMatchAt(root)) {
                ++m_out.rootsSkipped;
                continue;
            }
            ++m_out.rootsTried;
            machine.start(root);
            Outcome outcome = machine.run();
            std::size_t found = 0;
            for (; outcome == Outcome::Match; outcome = machine.run()) {
                addMatch(rule, root, machine);
                if (++found == MostMatchesAtARoot || !m_options.all) {
                    break;
                }
            }
            m_out.steps += machine.steps();
            m_out.undecided += outcome == Outcome::Undecided ? 1 : 0;
            if (found == 0) {
                misses.push_back({root, machine.nearest(), outcome == Outcome::Undecided});
            }
        }
        // Found from the last root to the first; told from the first to the last.
        std::stable_sort(m_out.matches.begin() + static_cast<std::ptrdiff_t>(firstMatch), m_out.matches.end(),
                         [&](const GraphMatch& a, const GraphMatch& b) { return nodeOrder(a.root) < nodeOrder(b.root); });
        RuleTally tally;
        tally.matches = m_out.matches.size() - firstMatch;
        tally.barred = static_cast<std::size_t>(std::count_if(m_out.matches.begin() + static_cast<std::ptrdiff_t>(firstMatch), m_out.matches.end(),
                                                              [](const GraphMatch& each) { return !each.rewritable(); }));
        tally.misses = misses.size();
        tally.undecided = m_out.undecided - undecidedBefore;
        tally.skipped = m_out.rootsSkipped - skippedBefore;
        m_out.tallies.push_back(tally);
        if (m_options.misses) {
            addMisses(rule, misses);
        }
        return !m_options.stop.stop_requested();
    }

    [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> nodeOrder(TermId root) const {
        return {m_subject.nodeOf(root).index, m_subject.term(root).resultIndex};
    }

    void addMatch(std::size_t rule, TermId root, const MatchMachine& machine) {
        const MatchProgram& program = *m_programs[rule];
        GraphMatch out;
        out.rule = rule;
        out.root = root;
        out.bindings = machine.bindings();
        std::set<NodeId> nodes;
        for (const Event& each : machine.events()) {
            // What may be read elsewhere too is matched, but not taken: it goes once nobody reads it.
            const bool taken = each.kind == Event::Kind::Operator && (!program.at(each.at).shared || each.term == root);
            if (taken && m_subject.nodeOf(each.term).isValid()) {
                nodes.insert(m_subject.nodeOf(each.term));
            }
        }
        out.nodes.assign(nodes.begin(), nodes.end());
        for (Binding& each : out.bindings) {
            if (each.kind == Binding::Kind::Symbol) {
                each.term = functionNode(program, machine.events(), each);
            }
        }
        out.applicableCase = machine.applicableCase();
        if (m_options.explain) {
            out.derivation = derivation(program, m_subject, machine.events());
        }
        if (!program.cases.empty() && !out.applicableCase) {
            out.obstacles.emplace_back("it matched, but no case of the rule applies");
        }
        const bool allResults = out.applicableCase && program.replacesNode[*out.applicableCase] && m_subject.term(root).resultIndex == 0;
        const std::vector<std::string> obstacles = rewriteObstacles(m_subject, root, out.nodes, allResults);
        out.obstacles.insert(out.obstacles.end(), obstacles.begin(), obstacles.end());
        if (out.obstacles.empty()) {
            for (const NodeId node : out.nodes) {
                if (m_owner[node.index] != NoOwner) {
                    const auto& [otherRule, otherRoot] = m_accepted[m_owner[node.index]];
                    out.obstacles.push_back("it overlaps the match of rule " + m_programs[otherRule]->rule + " at " + m_subject.termText(otherRoot) +
                                            ", which takes " + m_subject.graph().displayName(node));
                    break;
                }
            }
        }
        if (out.obstacles.empty()) {
            for (const NodeId node : out.nodes) {
                m_owner[node.index] = m_accepted.size();
            }
            m_accepted.emplace_back(rule, root);
        }
        m_out.matches.push_back(std::move(out));
    }

    /// The first node that a function variable took as this operator: the one of that name, else one that calls handed on.
    [[nodiscard]] TermId functionNode(const MatchProgram& program, const std::vector<Event>& events, const Binding& binding) const {
        TermId other;
        for (const Event& each : events) {
            const Instruction& at = program.at(each.at);
            const bool taken = each.kind == Event::Kind::Operator && at.kind == InstructionKind::FunctionVariable &&
                               m_subject.term(each.term).head == binding.symbol;
            if (taken && at.name.text == binding.name.text) {
                return each.term;
            }
            other = taken && !other.isValid() ? each.term : other;
        }
        return other;
    }

    /// The most operators, then the best fit of what failed, then the fewest that lack, then node order.
    [[nodiscard]] std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::pair<std::uint32_t, std::uint32_t>>
    nearest(const RawMiss& miss) const {
        return {~miss.summary.matched, ~miss.summary.nearness, miss.summary.total, nodeOrder(miss.root)};
    }

    void addMisses(std::size_t rule, std::vector<RawMiss>& misses) {
        std::stable_sort(misses.begin(), misses.end(), [&](const RawMiss& a, const RawMiss& b) {
            return std::tuple(~a.summary.matched, a.summary.total, nodeOrder(a.root)) <
                   std::tuple(~b.summary.matched, b.summary.total, nodeOrder(b.root));
        });
        std::map<std::pair<std::uint32_t, std::uint8_t>, MissCount> counts;
        std::size_t listed = 0;
        for (const RawMiss& each : misses) {
            if (each.summary.at.isValid() && !each.undecided) {
                MissCount& count = counts[{each.summary.at.index, static_cast<std::uint8_t>(each.summary.reason)}];
                if (count.roots++ == 0) {
                    count.rule = rule;
                    count.reason = each.summary.reason;
                    count.spot = m_programs[rule]->at(each.summary.at).spot;
                    count.example = each.root;
                }
            }
            // Roots of which not even the operator fits are no near misses, but for the one that was asked for.
            const bool near = each.summary.matched > 0 || each.summary.nearness > 1 || each.undecided || m_options.at;
            if (near && listed < m_options.listedMisses) {
                m_out.misses.push_back(inWords(rule, each, m_options.explain));
                ++listed;
            }
        }
        for (auto& [key, count] : counts) {
            count.text = inWords(rule, {count.example, {}, false}, false).reason;
            m_out.counts.push_back(std::move(count));
        }
    }

    /// Runs the rule there once more, with a record of what fails.
    GraphMiss inWords(std::size_t rule, const RawMiss& raw, bool branches) {
        const MatchProgram& program = *m_programs[rule];
        MachineOptions machineOptions = m_options.machine;
        machineOptions.records = branches ? MostBranches : 1;
        machineOptions.stop = m_options.stop;
        MatchMachine machine(program, m_subject, machineOptions);
        machine.start(raw.root);
        const Outcome outcome = machine.run();
        GraphMiss out;
        out.rule = rule;
        out.root = raw.root;
        const FailureRecord* furthest = machine.furthest();
        if (furthest != nullptr) {
            out.matched = furthest->matched;
            out.total = furthest->total;
            out.node = failedNode(m_subject, *furthest);
            out.term = furthest->term.isValid() ? furthest->term : furthest->parent;
            out.reason = reasonInWords(program, m_subject, *furthest);
            out.spot = program.at(furthest->at).spot;
            out.held.assign(furthest->bindings.begin(), furthest->bindings.end() - furthest->guardNames);
            out.kind = furthest->reason == FailureReason::GuardFalse       ? MissKind::Guard
                       : furthest->reason == FailureReason::GuardUndefined ? MissKind::Undefined
                                                                           : MissKind::Structure;
        }
        if (raw.undecided && outcome == Outcome::Undecided) {
            const auto [goal, at] = machine.openGoal();
            out.kind = MissKind::Undecided;
            out.reason = "undecided after " + std::to_string(m_options.machine.steps) + " steps" +
                         (goal.isValid() ? ", at " + m_subject.nodeText(at) + " and the pattern's " + program.at(goal).spot.text() : "");
            out.node = goal.isValid() ? m_subject.termText(at) : std::string();
            out.term = goal.isValid() ? at : TermId();
        }
        if (branches) {
            out.branches = branchTree(program, m_subject, machine);
            if (!raw.undecided && outcome == Outcome::Undecided) {
                out.branches.push_back({0, "further branches are not listed: the budget of steps ran out", {}, false, {}});
            }
        }
        return out;
    }

    const Programs& m_programs;
    const GraphSubject& m_subject;
    const GraphMatchOptions& m_options;
    GraphMatchResult m_out;
    std::vector<std::size_t> m_owner; ///< by node: index into m_accepted
    std::vector<std::pair<std::size_t, TermId>> m_accepted;
};

} // namespace

Result<GraphMatchResult> matchGraph(const Programs& programs, const GraphSubject& subject, const GraphMatchOptions& options) {
    return GraphRun(programs, subject, options).run();
}

std::vector<std::string> rewriteObstacles(const GraphSubject& subject, TermId root, const std::vector<NodeId>& nodes, bool allResults) {
    const Graph& graph = subject.graph();
    const auto inside = [&](NodeId node) { return std::binary_search(nodes.begin(), nodes.end(), node); };
    std::vector<std::string> out;
    std::vector<NodeId> leaving; // outside readers of the matched nodes
    for (const NodeId id : nodes) {
        for (const ValueId value : graph.node(id).results) {
            if (!value.isValid()) {
                continue;
            }
            const TermId term(value.index);
            const bool isRoot = term == root || (allResults && id == subject.nodeOf(root));
            if (!isRoot && subject.isOutput(term)) {
                out.push_back("the interior value " + graph.value(value).name + " is a graph output");
            }
            for (const NodeId reader : subject.readers(term)) {
                if (inside(reader)) {
                    continue;
                }
                leaving.push_back(reader);
                if (!isRoot) {
                    out.push_back("the interior value " + graph.value(value).name + " is used outside the match, by " + graph.displayName(reader));
                    break;
                }
            }
        }
        const OpSchema* schema = findOp(graph.node(id).op);
        if (schema != nullptr && schema->opClass == OpClass::Random) {
            out.push_back(graph.displayName(id) + " (" + graph.node(id).op.name + ") draws random numbers: what it gives may not be computed anew");
        }
    }
    if (nodes.empty()) {
        out.emplace_back("it takes no operator: there is nothing to replace");
    }
    if (leaving.empty()) {
        return out;
    }
    // Nodes stand in an order in which each reads what stands before it: a path that comes back ends at the last matched node.
    std::set<NodeId> seen(leaving.begin(), leaving.end());
    std::vector<NodeId> stack(seen.begin(), seen.end());
    while (!stack.empty()) {
        const NodeId at = stack.back();
        stack.pop_back();
        for (const ValueId value : graph.node(at).results) {
            if (!value.isValid()) {
                continue;
            }
            for (const NodeId reader : subject.readers(TermId(value.index))) {
                if (inside(reader)) {
                    out.push_back("the matched nodes are not convex: a path leaves them and comes back by " + graph.displayName(at));
                    return out;
                }
                if (reader < nodes.back() && seen.insert(reader).second) {
                    stack.push_back(reader);
                }
            }
        }
    }
    return out;
}

} // namespace lemmascope::match
