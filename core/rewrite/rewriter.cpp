// Rounds of matching and replacing. Tests: tests/core/rewrite/tst_rewrite.cpp.
#include "core/rewrite/rewriter.h"

#include "core/graph/infer.h"
#include "core/match/graph_levels.h"
#include "core/rewrite/apply.h"
#include "core/rewrite/replacement.h"
#include "core/rewrite/selection.h"
#include "core/rewrite/structure_digest.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>

namespace lemmascope::rewrite {

namespace {

constexpr std::size_t MostFailures = 200; ///< of typing in a round; then what cannot be typed together is refused together
/// The top graph, or one nested in an If, Loop or Scan: as declared and as typed.
struct Level {
    std::shared_ptr<const Graph> plain;
    match::GraphLevel typed;
};

/// A match with its replacement, ready to be put in.
struct Ready {
    std::size_t level = 0;
    std::size_t rule = 0; ///< of the programs
    std::shared_ptr<const Fragment> fragment;
    Substitution substitution;
    RewriteApplication told;
};

struct Assembled {
    std::shared_ptr<const Graph> plain;
    std::shared_ptr<const Graph> typed;
    std::vector<std::vector<std::string>> newNodes; ///< by entry of the selection
    std::vector<std::vector<ValueId>> now;          ///< by entry of the selection, of the top graph only: what its values are
    std::optional<Names> names;
};

std::vector<std::size_t> chosen(std::size_t count) {
    std::vector<std::size_t> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        out[i] = i;
    }
    return out;
}

class Rewriter {
  public:
    Rewriter(const match::RuleFile& file, const RewriteOptions& options, std::stop_token stop)
        : m_file(file), m_options(options), m_stop(std::move(stop)) {
        m_options.fragment.stop = m_stop;
        m_options.machine.stop = m_stop;
    }

    Result<RewriteResult> run(const std::shared_ptr<const Graph>& graph, const match::Programs& programs) {
        if (Result<void> selected = select(programs); !selected) {
            return tl::unexpected(selected.error());
        }
        Result<std::shared_ptr<const Graph>> typed = inferTypes(*graph, {}, m_stop);
        if (!typed) {
            return tl::unexpected(typed.error());
        }
        m_given = graph;
        m_plain = graph;
        m_typed = *typed;
        m_names.emplace(*graph);
        m_seen.emplace(structureDigest(*m_plain), 0);
        while (true) {
            const Result<bool> changed = round();
            if (!changed) {
                return tl::unexpected(changed.error());
            }
            if (!*changed) {
                break;
            }
            ++m_out.rounds;
            const auto [before, isNew] = m_seen.emplace(structureDigest(*m_plain), m_out.rounds);
            if (!isNew && m_options.maxRounds > 1) {
                m_out.fixpoint = false;
                m_out.stopped = "stopped after " + rounds() + ": the graph is again what it was " +
                                (before->second == 0 ? std::string("at first") : "after round " + std::to_string(before->second)) +
                                ", so that rules would apply for ever: " + lastApplied(before->second + 1);
                break;
            }
            if (m_out.rounds >= m_options.maxRounds || m_out.applications.size() >= m_options.maxApplications) {
                m_out.fixpoint = false;
                m_out.stopped = "stopped after " + rounds() + ", in the last of which there applied: " + lastApplied(m_out.rounds);
                break;
            }
        }
        m_out.graph = m_typed;
        m_out.plain = withOutputTypes();
        return std::move(m_out);
    }

  private:
    Result<void> select(const match::Programs& programs) {
        const Result<match::Programs> selected = selectPrograms(m_file, programs, m_options.rules);
        if (!selected) {
            return tl::unexpected(selected.error());
        }
        std::map<std::string, const match::Rule*> byName;
        for (const match::Rule& rule : m_file.rules) {
            byName.emplace(rule.name, &rule);
        }
        for (const auto& program : *selected) {
            const auto rule = byName.find(program->rule);
            if (rule != byName.end() && !rule->second->cases.empty()) {
                m_programs.push_back(program);
                m_rules.push_back(rule->second);
            }
        }
        if (m_programs.empty()) {
            const std::string which = m_options.rules.empty()       ? "no rule here has a replacement"
                                      : m_options.rules.size() == 1 ? "rule " + m_options.rules.front() + " has no replacement"
                                                                    : "none of these rules has a replacement";
            return fail(ErrorCode::BadData, which + ": write one as 'rule NAME: PATTERN => REPLACEMENT'", m_file.file);
        }
        return {};
    }

    [[nodiscard]] std::string rounds() const { return std::to_string(m_out.rounds) + (m_out.rounds == 1 ? " round" : " rounds"); }

    /// Rules that applied from this round on, each with a root.
    [[nodiscard]] std::string lastApplied(std::size_t firstRound) const {
        std::map<std::string, std::string> last; // rule -> a root
        for (const RewriteApplication& each : m_out.applications) {
            if (each.round >= firstRound) {
                last.insert_or_assign(each.rule, each.root);
            }
        }
        std::string out;
        for (const auto& [rule, root] : last) {
            out += (out.empty() ? "rule " : ", rule ") + rule + " (at " + root + ")";
        }
        return out;
    }

    // ---- one round

    Result<bool> round() {
        std::vector<Level> levels = collectLevels();
        m_out.refusals.clear();
        m_out.undecided = 0;
        m_built = 0;
        std::vector<Ready> ready;
        bool found = m_options.at.empty();
        for (std::size_t level = 0; level < levels.size(); ++level) {
            if (Result<bool> done = matchLevel(levels[level], level, ready); !done) {
                return done;
            } else {
                found = found || *done;
            }
        }
        if (!found && m_out.rounds == 0) {
            return tl::unexpected(match::unknownRoot(match::graphLevels(m_typed), m_options.at));
        }
        std::stable_sort(ready.begin(), ready.end(), [](const Ready& a, const Ready& b) { return a.rule < b.rule; });
        if (ready.size() > m_options.maxApplications - m_out.applications.size()) {
            ready.resize(m_options.maxApplications - m_out.applications.size());
        }
        return replace(levels, std::move(ready));
    }

    [[nodiscard]] std::vector<Level> collectLevels() const {
        std::vector<Level> out;
        for (match::GraphLevel& typed : match::graphLevels(m_typed)) {
            std::shared_ptr<const Graph> plain = m_plain;
            if (!out.empty()) { // typing keeps nodes and what is nested in them
                plain = std::get<std::shared_ptr<const Graph>>(out[typed.parent].plain->node(typed.node).attributes.at(typed.attribute));
            }
            out.push_back({std::move(plain), std::move(typed)});
        }
        return out;
    }

    /// Whether a root that was asked for is in this graph.
    Result<bool> matchLevel(const Level& level, std::size_t index, std::vector<Ready>& ready) {
        const match::GraphSubject subject(level.typed.graph);
        match::GraphMatchOptions options;
        options.all = m_options.all;
        options.misses = false;
        options.machine = m_options.machine;
        options.stop = m_stop;
        if (!m_options.at.empty()) {
            options.at = match::rootNamed(subject, level.typed.scope, m_options.at);
            if (!options.at) {
                return false;
            }
        }
        Result<match::GraphMatchResult> matches = match::matchGraph(m_programs, subject, options);
        if (!matches) {
            return tl::unexpected(matches.error());
        }
        m_out.undecided += matches->undecided;
        for (const match::GraphMatch& each : matches->matches) {
            if (m_stop.stop_requested()) {
                return fail(ErrorCode::Cancelled, "interrupted");
            }
            const Graph& graph = subject.graph();
            RewriteApplication told;
            told.round = m_out.rounds + 1;
            told.rule = m_programs[each.rule]->rule;
            told.scope = level.typed.scope;
            told.root = subject.termText(each.root);
            for (const NodeId node : each.nodes) {
                told.nodes.push_back(graph.displayName(node));
            }
            if (!each.rewritable()) {
                refuse(told, each.obstacles.front());
                continue;
            }
            if (each.root.index >= graph.values.size()) {
                refuse(told, "nothing reads its result");
                continue;
            }
            told.caseIndex = each.applicableCase.value_or(0);
            for (const match::Binding& binding : each.bindings) {
                if (binding.kind != match::Binding::Kind::Unbound) {
                    told.bindings.emplace_back(binding.name.written(), match::bindingText(subject, binding));
                }
            }
            build(index, subject, each, std::move(told), ready);
            if (m_built > m_options.maxNodes) {
                return tooManyNodes(m_programs[each.rule]->rule, subject.termText(each.root));
            }
        }
        return true;
    }

    [[nodiscard]] tl::unexpected<Error> tooManyNodes(const std::string& rule, const std::string& root) const {
        return fail(ErrorCode::TooLarge, "the graph has more than " + std::to_string(m_options.maxNodes) + " nodes after round " +
                                             std::to_string(m_out.rounds + 1) + ": rule " + rule + " makes it grow, as at " + root);
    }

    void refuse(const RewriteApplication& told, std::string reason) {
        m_out.refusals.push_back({told.rule, told.scope, told.root, told.nodes, std::move(reason)});
    }

    void build(std::size_t level, const match::GraphSubject& subject, const match::GraphMatch& match, RewriteApplication told,
               std::vector<Ready>& ready) {
        const Graph& graph = subject.graph();
        const ValueId root(match.root.index);
        Ready out;
        out.level = level;
        out.rule = match.rule;
        const Node& node = graph.node(graph.value(root).producer);
        std::size_t results = 1;
        if (!node.results.empty() && node.results[0] == root) {
            for (std::size_t k = 1; k < node.results.size(); ++k) {
                results = node.results[k].isValid() && subject.useCount(match::TermId(node.results[k].index)) > 0 ? k + 1 : results;
            }
        }
        for (std::size_t k = 0; k < results; ++k) {
            const ValueId replaced = results == 1 ? root : node.results[k];
            out.substitution.replaced.push_back(replaced);
            out.substitution.types.push_back(replaced.isValid() ? graph.value(replaced).type : TensorType{});
        }
        Result<Fragment> made = buildReplacement(m_file, m_rules[match.rule]->cases[told.caseIndex], subject, bindingsOf(subject, match.bindings),
                                                 {root, results}, m_options.fragment);
        if (!made) {
            m_built += made.error().code == ErrorCode::TooLarge ? m_options.fragment.maxNodes : 0;
            refuse(told, made.error().text());
            return;
        }
        m_built += made->graph.nodes.size();
        told.folded = made->folded;
        out.fragment = std::make_shared<const Fragment>(std::move(*made));
        out.substitution.fragment = out.fragment.get();
        if (std::optional<std::string> reason = refusal(graph, out.substitution)) {
            refuse(told, std::move(*reason));
            return;
        }
        out.told = std::move(told);
        ready.push_back(std::move(out));
    }

    // ---- putting replacements in

    /// The graph with the replacements of `selection` (indices into `ready`), names counted from `names`.
    [[nodiscard]] Assembled assemble(const std::vector<Level>& levels, const std::vector<Ready>& ready,
                                     const std::vector<std::size_t>& selection) const {
        Assembled out;
        out.names = m_names;
        Names& names = *out.names;
        out.newNodes.resize(selection.size());
        out.now.resize(selection.size());
        std::vector<std::vector<std::size_t>> ofLevel(levels.size());
        for (std::size_t k = 0; k < selection.size(); ++k) {
            ofLevel[ready[selection[k]].level].push_back(k);
        }
        // Graphs stand behind those that hold them: the innermost come first here.
        std::vector<std::shared_ptr<const Graph>> made(levels.size());
        std::vector<std::vector<std::size_t>> changedInside(levels.size());
        for (std::size_t at = levels.size(); at > 0; --at) {
            const Level& level = levels[at - 1];
            if (ofLevel[at - 1].empty() && changedInside[at - 1].empty()) {
                continue;
            }
            Graph graph = *level.plain;
            for (const std::size_t inner : changedInside[at - 1]) {
                graph.nodes[levels[inner].typed.node.index].attributes[levels[inner].typed.attribute] = made[inner];
            }
            std::vector<Substitution> substitutions;
            for (const std::size_t k : ofLevel[at - 1]) {
                substitutions.push_back(ready[selection[k]].substitution);
            }
            Applied applied = applySubstitutions(graph, *level.plain, substitutions, names);
            for (std::size_t s = 0; s < substitutions.size(); ++s) {
                if (at - 1 == 0) {
                    out.now[ofLevel[0][s]] = std::move(applied.now[s]);
                }
                for (const NodeId node : applied.newNodes[s]) {
                    out.newNodes[ofLevel[at - 1][s]].push_back(applied.graph.displayName(node));
                }
            }
            made[at - 1] = std::make_shared<const Graph>(std::move(applied.graph));
            if (at - 1 > 0) {
                changedInside[level.typed.parent].push_back(at - 1);
            }
        }
        out.plain = made.front() ? made.front() : m_plain;
        return out;
    }

    /// Makes as many of the replacements as the whole can be typed with, and says of the others why not. True: some were made.
    Result<bool> replace(const std::vector<Level>& levels, std::vector<Ready> ready) {
        if (ready.empty()) {
            return false;
        }
        std::vector<std::size_t> kept;
        Assembled whole;
        if (Result<void> typed = keepTyped(levels, ready, kept, whole); !typed) {
            return tl::unexpected(typed.error());
        }
        if (kept.empty()) {
            return false;
        }
        if (m_options.keepSteps) {
            if (Result<void> steps = addSteps(levels, ready, kept); !steps) {
                return tl::unexpected(steps.error());
            }
        }
        if (whole.plain->nodes.size() > m_options.maxNodes) {
            return tooManyNodes(ready[kept.back()].told.rule, ready[kept.back()].told.root);
        }
        for (std::size_t k = 0; k < kept.size(); ++k) {
            RewriteApplication& told = ready[kept[k]].told;
            told.newNodes = std::move(whole.newNodes[k]);
            m_out.applications.push_back(std::move(told));
        }
        m_plain = whole.plain;
        m_typed = whole.typed;
        m_names = whole.names;
        return true;
    }

    /// Those of all with which the graph can be typed, and the graph with them; where not all can, halves are tried.
    Result<void> keepTyped(const std::vector<Level>& levels, const std::vector<Ready>& ready, std::vector<std::size_t>& kept, Assembled& made) {
        std::vector<std::vector<std::size_t>> stack{chosen(ready.size())};
        std::size_t failures = 0;
        while (!stack.empty()) {
            const std::vector<std::size_t> part = std::move(stack.back());
            stack.pop_back();
            std::vector<std::size_t> tried = kept;
            tried.insert(tried.end(), part.begin(), part.end());
            std::sort(tried.begin(), tried.end());
            Assembled whole = assemble(levels, ready, tried);
            const Result<std::shared_ptr<const Graph>> typed = inferTypes(*whole.plain, {}, m_stop);
            if (typed) {
                const std::vector<std::size_t> doubtful = ofOtherType(levels, ready, tried, whole, **typed);
                if (!doubtful.empty()) {
                    std::vector<std::size_t> others;
                    std::set_difference(part.begin(), part.end(), doubtful.begin(), doubtful.end(), std::back_inserter(others));
                    for (const std::size_t each : doubtful) {
                        refuse(ready[each].told, "it cannot be told that the replacement has the shape of what it replaces, whatever the sizes are");
                    }
                    if (!others.empty()) {
                        stack.push_back(std::move(others));
                    }
                    std::erase_if(kept, [&](std::size_t each) { return std::binary_search(doubtful.begin(), doubtful.end(), each); });
                    continue;
                }
                kept = std::move(tried);
                made = std::move(whole);
                made.typed = *typed;
                continue;
            }
            if (typed.error().code == ErrorCode::Cancelled || m_stop.stop_requested()) {
                return tl::unexpected(typed.error());
            }
            if (part.size() == 1 || ++failures > MostFailures) {
                for (const std::size_t each : part) {
                    refuse(ready[each].told, "with it the graph cannot be typed: " + typed.error().message);
                }
                continue;
            }
            const auto middle = part.begin() + static_cast<std::ptrdiff_t>(part.size() / 2);
            stack.emplace_back(middle, part.end());
            stack.emplace_back(part.begin(), middle);
        }
        return {};
    }

    /// Those of the replacements in doubt that have another type in the whole graph than what they replaced. Inside nested graphs all of them.
    [[nodiscard]] static std::vector<std::size_t> ofOtherType(const std::vector<Level>& levels, const std::vector<Ready>& ready,
                                                              const std::vector<std::size_t>& tried, const Assembled& whole, const Graph& typed) {
        std::vector<std::size_t> out;
        for (std::size_t k = 0; k < tried.size(); ++k) {
            const Ready& each = ready[tried[k]];
            if (!each.fragment->typeInDoubt) {
                continue;
            }
            bool same = each.level == 0;
            for (std::size_t r = 0; same && r < each.substitution.replaced.size(); ++r) {
                const ValueId before = each.substitution.replaced[r];
                const ValueId now = before.isValid() && r < whole.now[k].size() ? whole.now[k][r] : ValueId();
                same = !now.isValid() || typed.value(now).type == levels[0].typed.graph->value(before).type;
            }
            if (!same) {
                out.push_back(tried[k]);
            }
        }
        return out;
    }

    /// The graph after each rule of the round: since matches overlap nowhere, those of the first rules can be made without the others.
    Result<void> addSteps(const std::vector<Level>& levels, const std::vector<Ready>& ready, const std::vector<std::size_t>& kept) {
        for (std::size_t k = 0; k < kept.size(); ++k) {
            const std::size_t rule = ready[kept[k]].rule;
            if (k + 1 < kept.size() && ready[kept[k + 1]].rule == rule) {
                continue;
            }
            const std::vector<std::size_t> first(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(k) + 1);
            std::shared_ptr<const Graph> graph = assemble(levels, ready, first).plain;
            const Result<std::shared_ptr<const Graph>> typed = inferTypes(*graph, {}, m_stop);
            if (!typed && typed.error().code == ErrorCode::Cancelled) {
                return tl::unexpected(typed.error());
            }
            if (!typed) { // only with the next rule's replacements: they are one step
                continue;
            }
            const auto ofRule = std::count_if(kept.begin(), kept.end(), [&](std::size_t each) { return ready[each].rule == rule; });
            m_out.steps.push_back({m_out.rounds + 1, m_programs[rule]->rule, static_cast<std::size_t>(ofRule), std::move(graph)});
        }
        return {};
    }

    /// Formats want types of outputs: replaced ones have those that were declared, which replacements keep, else what inference knows.
    [[nodiscard]] std::shared_ptr<const Graph> withOutputTypes() const {
        Graph out = *m_plain;
        bool changed = false;
        for (std::size_t k = 0; k < out.outputs.size(); ++k) {
            TensorType& type = out.values[out.outputs[k].index].type;
            if (type != TensorType{}) {
                continue;
            }
            type = m_given->value(m_given->outputs[k]).type;
            if (type == TensorType{}) {
                type = m_typed->value(out.outputs[k]).type;
                std::vector<std::string> symbols;
                for (const Dim& dim : type.shape.value_or(Shape())) {
                    dim.collectSymbols(symbols);
                }
                if (std::any_of(symbols.begin(), symbols.end(), [](const std::string& each) { return each.starts_with('?'); })) {
                    type.shape.reset(); // lengths that only data decides have no names outside
                }
            }
            changed = true;
        }
        return changed ? std::make_shared<const Graph>(std::move(out)) : m_plain;
    }

    const match::RuleFile& m_file;
    RewriteOptions m_options;
    std::stop_token m_stop;
    match::Programs m_programs;
    std::vector<const match::Rule*> m_rules; ///< of the programs
    std::shared_ptr<const Graph> m_given;
    std::shared_ptr<const Graph> m_plain;
    std::shared_ptr<const Graph> m_typed;
    std::optional<Names> m_names;
    std::map<Digest128, std::size_t> m_seen; ///< graphs -> the round after which they were
    std::size_t m_built = 0;                 ///< nodes of replacements in this round, those of failed ones too
    RewriteResult m_out;
};

} // namespace

Result<RewriteResult> rewriteGraph(const std::shared_ptr<const Graph>& graph, const match::RuleFile& file, const match::Programs& programs,
                                   const RewriteOptions& options, std::stop_token stop) {
    return Rewriter(file, options, std::move(stop)).run(graph, programs);
}

} // namespace lemmascope::rewrite
