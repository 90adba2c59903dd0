// Which names are bound on every path, and whether recursion consumes an operator; tests: tests/core/match/tst_match_static.cpp.
#include "core/match/static_check.h"

#include "core/match/print.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace lemmascope::match {

namespace {

using Names = std::set<std::string>; ///< as written: ?x, %F, ..xs

Names intersection(const Names& left, const Names& right) {
    Names out;
    std::set_intersection(left.begin(), left.end(), right.begin(), right.end(), std::inserter(out, out.end()));
    return out;
}

std::string bare(const std::string& written) { return written.substr(written.starts_with("..") ? 2 : 1); }

std::string listed(const Names& names) {
    std::string out;
    for (const std::string& name : names) {
        out += (out.empty() ? "" : ", ") + bare(name);
    }
    return out;
}

/// Definitions of one name are alternates of one pattern.
struct Group {
    std::string name;
    std::vector<std::uint32_t> definitions;
    std::vector<bool> bound; ///< parameters bound on every path
};

/// A mu around, seen from inside.
struct OpenMu {
    const PatternNode* node;
    std::vector<bool> bound;
};

class Checker {
  public:
    explicit Checker(const RuleFile& file) : m_file(file) {
        m_result.contractiveMus.assign(file.patterns.size(), true);
        m_result.contractiveDefinitions.assign(file.definitions.size(), true);
        for (std::uint32_t i = 0; i < file.definitions.size(); ++i) {
            const PatternDefinition& each = file.definitions[i];
            const auto [at, isNew] = m_byName.emplace(each.name, static_cast<std::uint32_t>(m_groups.size()));
            if (isNew) {
                m_groups.push_back({each.name, {}, std::vector<bool>(each.parameters.size(), true)});
            }
            m_groups[at->second].definitions.push_back(i);
        }
    }

    StaticResult run() {
        solveParameters();
        m_quiet = false;
        checkCycles();
        for (const RuleFile::Item& item : m_file.items) {
            m_bindings.clear();
            m_missing.clear();
            if (!item.isRule) {
                const PatternDefinition& each = m_file.definitions[item.index];
                m_owner = each.name;
                begin(each.body);
                (void)bind(each.body, {});
                warnAboutDuplicates(each.body);
            } else {
                checkRule(m_file.rules[item.index]);
            }
        }
        return std::move(m_result);
    }

  private:
    // ---- names

    Names bind(PatternId id, Names bound) {
        const PatternNode& node = m_file.at(id);
        switch (node.kind) {
        case PatternKind::Variable: bound.insert(node.name.written()); return bound;
        case PatternKind::Any:
        case PatternKind::Omitted:
        case PatternKind::Number: return bound;
        case PatternKind::FunctionVariable: bound.insert(node.name.written()); return operands(node, std::move(bound));
        case PatternKind::Operator: return bindOperator(node, std::move(bound));
        case PatternKind::Alternate: return bindAlternates(node, bound);
        case PatternKind::Guarded: {
            bound = bind(node.children[0], std::move(bound));
            checkGuard(node.guard, node.spot, bound);
            return bound;
        }
        case PatternKind::Exists: return bindExists(node, bound);
        case PatternKind::As: bound.insert(node.name.written()); return bind(node.children[0], std::move(bound));
        case PatternKind::Result: return bind(node.children[0], std::move(bound));
        case PatternKind::Constraint:
            bound = bind(node.children[0], std::move(bound));
            if (!bound.contains(node.name.written())) {
                report(Finding::Code::TargetUnbound, "match constraint target " + node.name.text + " not bound on every path", node.name.spot,
                       why(node.name.written(), node.spot, "constraint"));
                bound.insert(node.name.written());
            }
            return bind(node.children[1], std::move(bound));
        case PatternKind::Mu: return bindMu(id, node, std::move(bound));
        case PatternKind::Call: return bindCall(node, std::move(bound));
        }
        return bound;
    }

    Names operands(const PatternNode& node, Names bound) {
        for (const PatternId child : node.children) {
            bound = bind(child, std::move(bound));
        }
        if (!node.rest.empty()) {
            bound.insert(".." + node.rest);
        }
        return bound;
    }

    Names bindOperator(const PatternNode& node, Names bound) {
        Names without = bound;
        for (const AttributePattern& attribute : node.attributes) {
            if (attribute.value.kind == AttributeValue::Kind::Variable) {
                bound.insert("?" + attribute.value.text);
            }
        }
        bound = operands(node, std::move(bound));
        if (!node.optional) {
            return bound;
        }
        const bool quiet = std::exchange(m_quiet, true); // the same pattern again: what it lacks was said
        without = bind(node.children[0], std::move(without));
        m_quiet = quiet;
        noteMissing(bound, without, node.spot, "not bound where 'opt " + node.op.name + "' at " + node.spot.text() + " is left out");
        return intersection(bound, without);
    }

    Names bindAlternates(const PatternNode& node, const Names& bound) {
        std::vector<Names> each;
        for (const PatternId child : node.children) {
            each.push_back(bind(child, bound));
        }
        Names common = each.front();
        for (std::size_t i = 1; i < each.size(); ++i) {
            common = intersection(common, each[i]);
        }
        Names all;
        for (const Names& names : each) {
            all.insert(names.begin(), names.end());
        }
        for (std::size_t i = 0; i < each.size() && common.size() < all.size(); ++i) {
            if (each[i].size() < all.size()) {
                noteMissing(all, each[i], node.spot,
                            "not bound in alternate " + std::to_string(i + 1) + " of " + std::to_string(each.size()) + ", at " +
                                m_file.at(node.children[i]).spot.text());
            }
        }
        return common;
    }

    void noteMissing(const Names& has, const Names& lacks, Spot spot, const std::string& text) {
        for (const std::string& name : has) {
            if (!lacks.contains(name)) {
                m_missing.try_emplace(name, spot, text);
            }
        }
    }

    Names bindExists(const PatternNode& node, const Names& bound) {
        const std::string name = node.name.written();
        Names inside = bound;
        if (inside.erase(name) > 0) {
            warn(Finding::Code::Shadowed, "ex " + name + " hides the " + name + " around it", node.name.spot,
                 "rename one of them if that is not meant");
        }
        m_missing.erase(name);
        Names after = bind(node.children[0], std::move(inside));
        if (!after.contains(name)) {
            report(Finding::Code::ExistentialUnbound, "existential " + node.name.text + " not bound on every path", node.name.spot,
                   why(name, node.spot, {}));
        }
        after.erase(name);
        if (bound.contains(name)) {
            after.insert(name);
        }
        return after;
    }

    Names bindMu(PatternId id, const PatternNode& node, Names bound) {
        contractiveMu(id, node);
        std::vector<bool> held(node.parameters.size(), true);
        Names outer = bound;
        for (const Name& parameter : node.parameters) {
            outer.erase(parameter.written());
        }
        for (bool stable = false; !stable;) {
            const std::size_t found = errorCount();
            m_mus.push_back({&node, held});
            const Names after = bind(node.children[0], outer);
            m_mus.pop_back();
            stable = true;
            for (std::size_t i = 0; i < held.size(); ++i) {
                if (held[i] && !after.contains(node.parameters[i].written())) {
                    held[i] = false;
                    stable = false;
                }
            }
            if (errorCount() > found) {
                break; // errors of one round are enough: the next would say them again
            }
        }
        return withArguments(node, held, std::move(bound));
    }

    static Names withArguments(const PatternNode& node, const std::vector<bool>& held, Names bound) {
        for (std::size_t i = 0; i < held.size() && i < node.arguments.size(); ++i) {
            if (held[i]) {
                bound.insert(node.arguments[i].written());
            }
        }
        return bound;
    }

    Names bindCall(const PatternNode& node, Names bound) {
        for (std::size_t i = m_mus.size(); i > 0; --i) {
            if (m_mus[i - 1].node->op.name == node.op.name) {
                return withArguments(node, m_mus[i - 1].bound, std::move(bound));
            }
        }
        const auto group = m_byName.find(node.op.name);
        return group == m_byName.end() ? bound : withArguments(node, m_groups[group->second].bound, std::move(bound));
    }

    void namesOf(ExpressionId id, Names& out) const {
        const ExpressionNode& node = m_file.at(id);
        if (node.kind == ExpressionKind::Fact || node.kind == ExpressionKind::Variable) {
            out.insert(node.name.written());
        }
        for (const ExpressionId child : node.children) {
            namesOf(child, out);
        }
    }

    void checkGuard(ExpressionId guard, Spot spot, const Names& bound) {
        Names names;
        namesOf(guard, names);
        Names missing;
        std::set_difference(names.begin(), names.end(), bound.begin(), bound.end(), std::inserter(missing, missing.end()));
        if (!missing.empty()) {
            report(Finding::Code::GuardUnbound, "guard reads " + listed(missing) + ", not bound on every path", spot,
                   "guard " + guardText(m_file, guard, true) + "; " + why(*missing.begin(), spot, "guard"));
        }
    }

    /// Why a name has no value on some path, and what may be meant. `move`: what could stand later.
    [[nodiscard]] std::string why(const std::string& name, Spot spot, const std::string& move) const {
        const auto missing = m_missing.find(name);
        if (missing != m_missing.end()) {
            return missing->second.second;
        }
        const auto places = m_bindings.find(name);
        if (places == m_bindings.end()) {
            return name + " is bound nowhere";
        }
        if (!move.empty()) {
            for (const Spot place : places->second) {
                if (place > spot) {
                    return name + " is bound later, at " + place.text() + ": move the " + move + " after it";
                }
            }
        }
        return name + " at " + places->second.front().text() + " is another name: it has a binder of its own, or belongs to another branch";
    }

    /// Remembers where a pattern binds which names, for hints.
    void begin(PatternId root) {
        std::vector<PatternId> stack{root};
        while (!stack.empty()) {
            const PatternNode& node = m_file.at(stack.back());
            stack.pop_back();
            if (node.kind == PatternKind::Variable || node.kind == PatternKind::FunctionVariable || node.kind == PatternKind::As) {
                m_bindings[node.name.written()].push_back(node.spot);
            }
            for (const AttributePattern& each : node.attributes) {
                if (each.value.kind == AttributeValue::Kind::Variable) {
                    m_bindings["?" + each.value.text].push_back(each.spot);
                }
            }
            for (const Name& each : node.arguments) {
                m_bindings[each.written()].push_back(each.spot);
            }
            stack.insert(stack.end(), node.children.begin(), node.children.end());
        }
        for (auto& [name, spots] : m_bindings) {
            std::sort(spots.begin(), spots.end());
        }
    }

    void checkRule(const Rule& rule) {
        m_owner = rule.name;
        begin(rule.pattern);
        const Names bound = bind(rule.pattern, {});
        warnAboutDuplicates(rule.pattern);
        for (const RuleCase& each : rule.cases) {
            if (each.guard.isValid()) {
                checkGuard(each.guard, each.spot, bound);
            }
            Names known = bound;
            for (const auto& [name, value] : each.replacement.lets) {
                checkReplacement(value, known);
                known.insert(name.written());
            }
            checkReplacement(each.replacement.result, known);
        }
    }

    void checkReplacement(ReplacementId root, const Names& bound) {
        std::vector<ReplacementId> stack{root};
        while (!stack.empty()) {
            const ReplacementNode& node = m_file.at(stack.back());
            stack.pop_back();
            Names names;
            if (node.kind == ReplacementKind::Variable || node.kind == ReplacementKind::Rest || node.kind == ReplacementKind::FunctionVariable) {
                names.insert(node.name.written());
            }
            for (const AttributePattern& each : node.attributes) {
                namesOf(each.value.expression, names);
            }
            if (node.expression.isValid()) {
                namesOf(node.expression, names);
            }
            for (const std::string& name : names) {
                if (!bound.contains(name)) {
                    report(Finding::Code::ReplacementUnbound, "replacement uses " + bare(name) + ", not bound on every path", node.spot,
                           why(name, {}, {}));
                }
            }
            stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
        }
    }

    void warnAboutDuplicates(PatternId root) {
        std::vector<PatternId> stack{root};
        while (!stack.empty()) {
            const PatternNode& node = m_file.at(stack.back());
            stack.pop_back();
            stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
            if (node.kind != PatternKind::Alternate || node.children.size() > 64 || node.depth > 50) {
                continue;
            }
            std::map<std::string, std::size_t> seen;
            for (std::size_t i = 0; i < node.children.size(); ++i) {
                const auto [at, isNew] = seen.emplace(patternText(m_file, node.children[i]), i);
                if (!isNew) {
                    warn(Finding::Code::DuplicateAlternate,
                         "alternate " + std::to_string(i + 1) + " is the same as alternate " + std::to_string(at->second + 1),
                         m_file.at(node.children[i]).spot, "it finds nothing new");
                }
            }
        }
    }

    /// Which parameters each definition binds on every path: all to begin with, fewer until nothing changes; when one changes, those that call
    /// it are looked at again.
    void solveParameters() {
        std::vector<std::set<std::uint32_t>> callers(m_groups.size());
        std::vector<std::uint32_t> work;
        for (std::uint32_t g = 0; g < m_groups.size(); ++g) {
            work.push_back(g);
            for (const std::uint32_t index : m_groups[g].definitions) {
                std::vector<PatternId> stack{m_file.definitions[index].body};
                while (!stack.empty()) {
                    const PatternNode& node = m_file.at(stack.back());
                    stack.pop_back();
                    const auto callee = node.kind == PatternKind::Call ? m_byName.find(node.op.name) : m_byName.end();
                    if (callee != m_byName.end()) {
                        callers[callee->second].insert(g);
                    }
                    stack.insert(stack.end(), node.children.begin(), node.children.end());
                }
            }
        }
        std::vector<bool> waits(m_groups.size(), true);
        while (!work.empty()) {
            const std::uint32_t g = work.back();
            work.pop_back();
            waits[g] = false;
            Group& group = m_groups[g];
            bool changed = false;
            for (const std::uint32_t index : group.definitions) {
                const PatternDefinition& each = m_file.definitions[index];
                const Names after = bind(each.body, {});
                for (std::size_t i = 0; i < group.bound.size(); ++i) {
                    if (group.bound[i] && !after.contains(each.parameters[i].written())) {
                        group.bound[i] = false;
                        changed = true;
                    }
                }
            }
            for (const std::uint32_t caller : changed ? callers[g] : std::set<std::uint32_t>()) {
                if (!waits[caller]) {
                    waits[caller] = true;
                    work.push_back(caller);
                }
            }
        }
    }

    // ---- recursion

    struct Call {
        const PatternNode* node;
        bool underOperator;
        const PatternNode* constraint; ///< the one on a name bound elsewhere that it stands in
    };

    /// Calls of `body` that leave it. `bound`: names that certainly hold a subterm of the term that this unfolding is matched against.
    /// `owner`: a mu's own name, which an inner mu may hide.
    struct CallWalk {
        const RuleFile& file;
        const std::string* owner;
        std::vector<Call> calls;
        std::vector<std::string> mus; ///< around the place

        Names walk(PatternId id, bool under, const PatternNode* constraint, Names bound) {
            const PatternNode& node = file.at(id);
            switch (node.kind) {
            case PatternKind::Variable: bound.insert(node.name.written()); return bound;
            case PatternKind::Any:
            case PatternKind::Omitted:
            case PatternKind::Number: return bound;
            case PatternKind::Call:
                if (owner != nullptr || std::find(mus.begin(), mus.end(), node.op.name) == mus.end()) {
                    calls.push_back({&node, under, constraint});
                }
                return bound;
            case PatternKind::FunctionVariable:
            case PatternKind::Operator: {
                Names without = node.optional ? walk(node.children[0], under, constraint, bound) : Names();
                for (const PatternId child : node.children) {
                    bound = walk(child, true, constraint, std::move(bound));
                }
                return node.optional ? intersection(bound, without) : bound;
            }
            case PatternKind::Alternate: {
                std::optional<Names> common;
                for (const PatternId child : node.children) {
                    Names each = walk(child, under, constraint, bound);
                    common = common ? intersection(*common, each) : std::move(each);
                }
                return *common;
            }
            case PatternKind::Guarded:
            case PatternKind::Result: return walk(node.children[0], under, constraint, std::move(bound));
            case PatternKind::As: bound.insert(node.name.written()); return walk(node.children[0], under, constraint, std::move(bound));
            case PatternKind::Exists: {
                Names inside = bound;
                inside.erase(node.name.written());
                Names after = walk(node.children[0], under, constraint, std::move(inside));
                after.erase(node.name.written());
                if (bound.contains(node.name.written())) {
                    after.insert(node.name.written());
                }
                return after;
            }
            case PatternKind::Constraint: {
                Names first = walk(node.children[0], under, constraint, std::move(bound));
                if (first.contains(node.name.written())) {
                    return walk(node.children[1], false, constraint, std::move(first));
                }
                (void)walk(node.children[1], false, &node, first);
                return first;
            }
            case PatternKind::Mu: {
                if (owner == nullptr || node.op.name != *owner) {
                    Names inside = bound;
                    for (const Name& each : node.parameters) {
                        inside.erase(each.written());
                    }
                    mus.push_back(node.op.name);
                    (void)walk(node.children[0], under, constraint, std::move(inside));
                    mus.pop_back();
                }
                return bound;
            }
            }
            return bound;
        }
    };

    void contractiveMu(PatternId id, const PatternNode& node) {
        CallWalk walk{m_file, &node.op.name, {}, {}};
        (void)walk.walk(node.children[0], false, nullptr, {});
        for (const Call& call : walk.calls) {
            if (call.node->op.name == node.op.name && (call.constraint != nullptr || !call.underOperator)) {
                m_result.contractiveMus[id.index] = false;
                reportCall(call);
            }
        }
    }

    void reportCall(const Call& call) {
        const std::string& name = call.node->op.name;
        if (call.constraint != nullptr) {
            report(Finding::Code::CallInConstraint,
                   "recursive call " + name + " inside a match constraint on " + call.constraint->name.text + ", which is not bound by this body",
                   call.node->spot, "what it holds may be larger than the term being matched, so the recursion need not end");
        } else {
            report(Finding::Code::CallNotUnderOperator, "recursive call " + name + " not under an operator", call.node->spot,
                   "each unfolding must match at least one operator, so that the recursion ends");
        }
    }

    /// Definitions may call each other: a cycle of calls none of which is under an operator need not end.
    void checkCycles() {
        const std::size_t count = m_groups.size();
        std::vector<std::vector<Call>> calls(count);
        std::vector<std::vector<std::uint32_t>> all(count);
        std::vector<std::vector<std::uint32_t>> bare(count);
        std::vector<std::vector<std::uint32_t>> callOwners(count);
        for (std::size_t g = 0; g < count; ++g) {
            for (const std::uint32_t index : m_groups[g].definitions) {
                CallWalk walk{m_file, nullptr, {}, {}};
                (void)walk.walk(m_file.definitions[index].body, false, nullptr, {});
                for (const Call& call : walk.calls) {
                    const auto callee = m_byName.find(call.node->op.name);
                    if (callee == m_byName.end()) {
                        continue;
                    }
                    calls[g].push_back(call);
                    callOwners[g].push_back(index);
                    all[g].push_back(callee->second);
                    if (!call.underOperator) {
                        bare[g].push_back(callee->second);
                    }
                }
            }
        }
        const std::vector<std::uint32_t> circleOf = circles(all);
        const std::vector<std::uint32_t> bareCircleOf = circles(bare);
        for (std::size_t g = 0; g < count; ++g) {
            for (std::size_t c = 0; c < calls[g].size(); ++c) {
                const Call& call = calls[g][c];
                const std::uint32_t callee = m_byName.at(call.node->op.name);
                const bool loops =
                    call.constraint != nullptr ? circleOf[callee] == circleOf[g] : !call.underOperator && bareCircleOf[callee] == bareCircleOf[g];
                if (loops) {
                    m_owner = m_groups[g].name;
                    m_result.contractiveDefinitions[callOwners[g][c]] = false;
                    for (const std::uint32_t index : m_groups[g].definitions) {
                        m_result.contractiveDefinitions[index] = false;
                    }
                    reportCall(call);
                }
            }
        }
    }

    /// Strongly connected components, by number: two groups are in one when each reaches the other, and each is in one with itself. (Kosaraju:
    /// the order in which a search leaves the groups, then a search against the edges in the reverse of it.)
    static std::vector<std::uint32_t> circles(const std::vector<std::vector<std::uint32_t>>& edges) {
        const auto count = static_cast<std::uint32_t>(edges.size());
        std::vector<std::vector<std::uint32_t>> reversed(count);
        for (std::uint32_t from = 0; from < count; ++from) {
            for (const std::uint32_t to : edges[from]) {
                reversed[to].push_back(from);
            }
        }
        std::vector<std::uint32_t> left;
        std::vector<bool> seen(count);
        for (std::uint32_t start = 0; start < count; ++start) {
            std::vector<std::pair<std::uint32_t, std::size_t>> stack;
            if (!seen[start]) {
                seen[start] = true;
                stack.emplace_back(start, 0);
            }
            while (!stack.empty()) {
                auto& [at, next] = stack.back();
                if (next == edges[at].size()) {
                    left.push_back(at);
                    stack.pop_back();
                } else if (const std::uint32_t to = edges[at][next++]; !seen[to]) {
                    seen[to] = true;
                    stack.emplace_back(to, 0);
                }
            }
        }
        std::vector<std::uint32_t> out(count, count);
        for (std::size_t i = left.size(); i > 0; --i) {
            std::vector<std::uint32_t> stack{left[i - 1]};
            while (!stack.empty()) {
                const std::uint32_t at = stack.back();
                stack.pop_back();
                if (out[at] == count) {
                    out[at] = left[i - 1];
                    stack.insert(stack.end(), reversed[at].begin(), reversed[at].end());
                }
            }
        }
        return out;
    }

    // ---- findings

    [[nodiscard]] std::size_t errorCount() const {
        return static_cast<std::size_t>(
            std::count_if(m_result.findings.begin(), m_result.findings.end(), [](const Finding& each) { return each.isError; }));
    }

    void report(Finding::Code code, std::string fact, Spot spot, std::string detail) {
        if (!m_quiet) {
            m_result.findings.push_back({code, true, m_owner, std::move(fact), std::move(detail), spot});
        }
    }

    void warn(Finding::Code code, std::string fact, Spot spot, std::string detail) {
        if (!m_quiet && m_warned.emplace(code, spot).second) {
            m_result.findings.push_back({code, false, m_owner, std::move(fact), std::move(detail), spot});
        }
    }

    const RuleFile& m_file;
    StaticResult m_result;
    std::vector<Group> m_groups;
    std::map<std::string, std::uint32_t> m_byName;
    std::vector<OpenMu> m_mus;
    std::string m_owner;
    bool m_quiet = true;
    std::set<std::pair<Finding::Code, Spot>> m_warned;
    std::map<std::string, std::vector<Spot>> m_bindings;           ///< where names are bound in the item at hand
    std::map<std::string, std::pair<Spot, std::string>> m_missing; ///< names that some branch leaves unbound
};

} // namespace

std::string Finding::text(const std::string& file) const {
    return file + ":" + spot.text() + ": " + (isError ? "error: " : "warning: ") + fact + (detail.empty() ? "" : " (" + detail + ")");
}

const Finding* StaticResult::firstError() const {
    const auto at = std::find_if(findings.begin(), findings.end(), [](const Finding& each) { return each.isError; });
    return at == findings.end() ? nullptr : &*at;
}

StaticResult checkStatically(const RuleFile& file) { return Checker(file).run(); }

} // namespace lemmascope::match
