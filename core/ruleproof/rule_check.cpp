// Rules proved or refuted; the idea is told in resources/docs/decisions/ruleproof.md. Tests: tests/core/ruleproof/tst_rule_check.cpp.
#include "core/ruleproof/rule_check.h"

#include "core/base/nearest.h"
#include "core/graph/op_registry.h"
#include "core/prove/lemma_memory.h"
#include "core/ruleproof/case_check.h"
#include "core/ruleproof/instance_graph.h"

#include <algorithm>
#include <utility>

namespace lemmascope::ruleproof {

namespace {

constexpr std::size_t MostOpenCases = 12; ///< a rule of which so many cases are not proved is given up
constexpr std::int64_t LeastOpset = 17;
constexpr std::int64_t NewestOpset = 25;

std::string counted(std::size_t count, const std::string& word) { return std::to_string(count) + " " + word + (count == 1 ? "" : "s"); }

std::string joined(const std::set<std::string>& texts) {
    std::string out;
    for (const std::string& each : texts) {
        out += (out.empty() ? "" : ", ") + each;
    }
    return out;
}

/// All that a rule is made of: its patterns, those that it calls, its replacements.
struct RuleParts {
    std::vector<match::PatternId> patterns;
    std::vector<match::ReplacementId> replacements;
    std::vector<match::ExpressionId> guards; ///< and what they are made of
};

RuleParts partsOf(const match::RuleFile& file, const match::Rule& rule) {
    RuleParts out;
    std::set<std::string> called;
    std::vector<match::PatternId> stack{rule.pattern};
    while (!stack.empty()) {
        const match::PatternId id = stack.back();
        stack.pop_back();
        const match::PatternNode& node = file.at(id);
        out.patterns.push_back(id);
        stack.insert(stack.end(), node.children.begin(), node.children.end());
        if (node.kind == match::PatternKind::Call && called.insert(node.op.name).second) {
            for (const match::PatternDefinition& each : file.definitions) {
                if (each.name == node.op.name) {
                    stack.push_back(each.body);
                }
            }
        }
    }
    for (const match::RuleCase& each : rule.cases) {
        std::vector<match::ReplacementId> made{each.replacement.result};
        for (const auto& [name, id] : each.replacement.lets) {
            made.push_back(id);
        }
        while (!made.empty()) {
            const match::ReplacementId id = made.back();
            made.pop_back();
            out.replacements.push_back(id);
            const match::ReplacementNode& node = file.at(id);
            made.insert(made.end(), node.children.begin(), node.children.end());
        }
    }
    for (const match::PatternId id : out.patterns) {
        out.guards.push_back(file.at(id).guard);
    }
    for (const match::RuleCase& each : rule.cases) {
        out.guards.push_back(each.guard);
    }
    std::erase_if(out.guards, [](match::ExpressionId id) { return !id.isValid(); });
    for (std::size_t i = 0; i < out.guards.size(); ++i) {
        const std::vector<match::ExpressionId> children = file.at(out.guards[i]).children;
        out.guards.insert(out.guards.end(), children.begin(), children.end());
    }
    return out;
}

/// The least opset from 17 on that has the operator; 17 when none has.
std::int64_t firstOpset(const match::OperatorName& written) {
    const OpId op = namedOp(written, {{"", NewestOpset}});
    if (!op.domain.empty() || written.version) {
        return LeastOpset;
    }
    for (std::int64_t version = LeastOpset; version <= NewestOpset; ++version) {
        if (findOp({"", op.name, version}) != nullptr) {
            return version;
        }
    }
    return LeastOpset;
}

/// The least opset from 17 on that has the operators of the pattern, that which has those of the replacements too, and those from there on that
/// guards of the file tell apart.
std::set<std::int64_t> opsetsOf(const match::RuleFile& file, const match::Rule& rule) {
    const RuleParts parts = partsOf(file, rule);
    std::int64_t first = LeastOpset;
    for (const match::PatternId id : parts.patterns) {
        const match::PatternNode& node = file.at(id);
        first = node.kind == match::PatternKind::Operator ? std::max(first, firstOpset(node.op)) : first;
    }
    std::set<std::int64_t> out{first};
    std::int64_t all = first;
    for (const match::ReplacementId id : parts.replacements) {
        const match::ReplacementNode& node = file.at(id);
        all = node.kind == match::ReplacementKind::Operator ? std::max(all, firstOpset(node.op)) : all;
    }
    out.insert(all);
    for (const match::ExpressionId id : parts.guards) {
        const match::ExpressionNode& each = file.at(id);
        if (each.kind != match::ExpressionKind::Compare) {
            continue;
        }
        const auto isVersion = [&](const match::ExpressionNode& node) {
            return node.kind == match::ExpressionKind::Fact && node.fact == match::FactKind::Version;
        };
        for (const auto& [fact, number] : {std::pair(each.children[0], each.children[1]), std::pair(each.children[1], each.children[0])}) {
            const match::NumberLiteral& literal = file.at(number).number;
            if (isVersion(file.at(fact)) && literal.integer && *literal.integer > first && *literal.integer <= NewestOpset) {
                out.insert(*literal.integer);
            }
        }
    }
    return out;
}

/// Element types that the guards name.
std::set<ElementType> namedElements(const match::RuleFile& file, const match::Rule& rule) {
    std::set<ElementType> out;
    for (const match::ExpressionId id : partsOf(file, rule).guards) {
        const match::ExpressionNode& each = file.at(id);
        if (each.kind == match::ExpressionKind::Word) {
            if (const auto element = elementTypeByName(each.text); element && isComputable(*element)) {
                out.insert(*element);
            }
        }
    }
    return out;
}

bool readsAttributes(const match::RuleFile& file) {
    return std::any_of(file.expressions.begin(), file.expressions.end(), [](const match::ExpressionNode& each) {
        return each.kind == match::ExpressionKind::Fact && each.fact == match::FactKind::Attr;
    });
}

class RuleChecker {
  public:
    explicit RuleChecker(const RuleContext& context) : m_context(context) {}

    Result<RuleResult> run() {
        m_out.rule = m_context.rule.name;
        m_out.spot = m_context.rule.spot;
        if (m_context.rule.cases.empty()) {
            m_out.replaces = false;
            m_out.reason = "it only matches: nothing to prove";
            m_out.verdict = Verdict::Proved;
            return std::move(m_out);
        }
        const auto asked = m_context.options.opsets.find("");
        const std::set<std::int64_t> versions =
            asked != m_context.options.opsets.end() ? std::set<std::int64_t>{asked->second} : opsetsOf(m_context.file, m_context.rule);
        for (const std::int64_t version : versions) {
            if (!m_error && m_stopped.empty() && m_out.verdict != Verdict::Refuted) {
                inOpset(version);
            }
        }
        if (m_error) {
            return tl::unexpected(*m_error);
        }
        conclude();
        return std::move(m_out);
    }

  private:
    void inOpset(std::int64_t version) {
        ExpandOptions expandOptions;
        expandOptions.opsets = m_context.options.opsets;
        expandOptions.opsets[""] = version;
        expandOptions.opsets.try_emplace("com.microsoft", 1);
        expandOptions.recursion = static_cast<std::uint32_t>(m_context.options.chain);
        expandOptions.rest = static_cast<std::uint32_t>(m_context.options.chain);
        const Expansion expansion = expand(m_context.file, m_context.rule, expandOptions);
        m_out.forms = std::max(m_out.forms, expansion.skeletons.size());
        m_out.scope.insert(expansion.scope.begin(), expansion.scope.end());
        m_gaps.insert(expansion.gaps.begin(), expansion.gaps.end());
        InstanceOptions options;
        options.maxRank = m_context.options.maxRank;
        options.opsets = expandOptions.opsets;
        options.readsAttributes = readsAttributes(m_context.file);
        options.stop = m_context.stop;
        options.deadline = m_context.deadline;
        options.most = m_context.options.mostCases;
        options.elements = {ElementType::F32, ElementType::I64, ElementType::U8, ElementType::Bool};
        for (const ElementType element : namedElements(m_context.file, m_context.rule)) {
            if (std::find(options.elements.begin(), options.elements.end(), element) == options.elements.end()) {
                options.elements.push_back(element);
            }
        }
        const std::size_t before = m_out.proved;
        for (const Skeleton& skeleton : expansion.skeletons) {
            if (!cases(skeleton, options)) {
                break;
            }
        }
        if (m_out.proved > before) {
            m_out.opsets.insert(version);
        }
    }

    bool cases(const Skeleton& skeleton, const InstanceOptions& options) {
        Instances instances(m_context.file, skeleton, options);
        bool goOn = true;
        instances.forEach([&](const Instance& instance, const InstanceGraph& built) {
            Next next = oneCase(skeleton, instances, instance, built);
            goOn = goOn && !next.stop;
            return next;
        });
        if (m_context.stop.stop_requested() && !m_error) {
            m_error = Error{ErrorCode::Cancelled, "interrupted", {}};
        }
        m_out.scope.insert(instances.notes().scope.begin(), instances.notes().scope.end());
        m_gaps.insert(instances.notes().gaps.begin(), instances.notes().gaps.end());
        if (instances.notes().outOfTime) {
            m_stopped = "time";
            return false;
        }
        return goOn && !m_error;
    }

    Next oneCase(const Skeleton& skeleton, const Instances& instances, const Instance& instance, const InstanceGraph& built) {
        const std::size_t seen = m_out.proved + m_out.open + m_out.refused;
        if (std::chrono::steady_clock::now() >= m_context.deadline) {
            m_stopped = "time";
            return {true, std::nullopt};
        }
        if (seen >= m_context.options.mostCases) {
            m_stopped = "more cases than " + std::to_string(m_context.options.mostCases);
            return {true, std::nullopt};
        }
        if (m_context.options.progress) {
            m_context.options.progress(m_out.rule + ": " + counted(seen, "case") + ", " + instanceText(skeleton, instance));
        }
        Result<CaseResult> result = checkCase(m_context, skeleton, instances, instance, built);
        if (!result) {
            m_error = result.error();
            return {true, std::nullopt};
        }
        switch (result->kind) {
        case CaseResult::Kind::NoCase: break;
        case CaseResult::Kind::Equation: return {false, result->equation};
        case CaseResult::Kind::Refused:
            ++m_out.refused;
            m_refusal = m_refusal.empty() ? result->reason : m_refusal;
            break;
        case CaseResult::Kind::Proved: noteProved(skeleton, instance, *result); break;
        case CaseResult::Kind::Refuted:
            m_out.verdict = Verdict::Refuted;
            m_out.reason = result->reason;
            m_out.counterexample = std::move(result->counterexample);
            return {true, std::nullopt};
        case CaseResult::Kind::Unproved:
        case CaseResult::Kind::Undecided:
            ++m_out.open;
            if (m_firstOpen.empty() || (m_firstUndecided && result->kind == CaseResult::Kind::Unproved)) {
                m_firstOpen = result->reason + " at " + instanceText(skeleton, instance);
                m_firstUndecided = result->kind == CaseResult::Kind::Undecided;
            }
            if (m_out.open >= MostOpenCases) {
                m_stopped = counted(m_out.open, "case") + " not proved";
                return {true, std::nullopt};
            }
            break;
        }
        return {};
    }

    void noteProved(const Skeleton& skeleton, const Instance& instance, const CaseResult& result) {
        m_out.strength = m_out.strength ? weaker(*m_out.strength, *result.strength) : *result.strength;
        m_out.assumptions.insert(result.assumptions.begin(), result.assumptions.end());
        for (const auto& [value, leaf] : instance.leaves) {
            if (skeleton.values[value].kind == SkeletonValue::Kind::Number || skeleton.oneNumber.contains(value) || !leaf.entries.empty()) {
                continue;
            }
            const std::size_t rank = leaf.shape->size();
            m_out.ranks[0] = m_out.proved == 0 && !m_anyRank ? rank : std::min(m_out.ranks[0], rank);
            m_out.ranks[1] = std::max(m_out.ranks[1], rank);
            m_anyRank = true;
            m_out.elements.insert(std::string(name(leaf.element)));
        }
        ++m_out.proved;
    }

    void conclude() {
        if (m_out.verdict == Verdict::Refuted && m_out.counterexample) {
            m_out.strength.reset();
            return;
        }
        if (m_out.open > 0) {
            m_out.verdict = m_firstUndecided ? Verdict::Undecided : Verdict::Unproved;
            m_out.reason = m_firstOpen;
        } else if (!m_stopped.empty()) {
            m_out.verdict = Verdict::Undecided;
            m_out.reason = m_stopped + ": " + counted(m_out.proved, "case") + " proved, more are left";
        } else if (m_out.proved == 0) {
            m_out.verdict = Verdict::Unproved;
            m_out.reason = !m_refusal.empty() ? "the rewriter refuses it everywhere: " + m_refusal
                                              : "no graph was found that the rule matches" + (m_gaps.empty() ? std::string() : ": " + joined(m_gaps));
        } else if (!m_gaps.empty()) {
            m_out.verdict = Verdict::Unproved;
            m_out.reason = "proved only for " + joined(m_gaps);
        } else {
            m_out.verdict = Verdict::Proved;
            return;
        }
        m_out.strength.reset();
    }

    const RuleContext& m_context;
    RuleResult m_out;
    std::set<std::string> m_gaps;
    std::string m_refusal;
    std::string m_firstOpen;
    bool m_firstUndecided = false;
    bool m_anyRank = false;
    std::string m_stopped;
    std::optional<Error> m_error;
};

} // namespace

std::string RuleResult::text() const {
    if (!replaces) {
        return rule + ": " + reason;
    }
    if (verdict != Verdict::Proved) {
        return rule + ": " + reason + (counterexample ? " at " + counterexample->at : "");
    }
    std::string out = std::string(name(*strength)) + ": " + rule + ": " + counted(proved, "case");
    if (!elements.empty()) {
        out +=
            ranks[0] == ranks[1] ? ", rank " + std::to_string(ranks[0]) : ", ranks " + std::to_string(ranks[0]) + " to " + std::to_string(ranks[1]);
        out += ", " + joined(elements);
    }
    std::string versions;
    for (const std::int64_t each : opsets) {
        versions += (versions.empty() ? "" : ", ") + std::to_string(each);
    }
    out += opsets.empty() ? "" : opsets.size() == 1 ? ", opset " + versions : ", opsets " + versions;
    return out;
}

Result<RulesResult> checkRules(const match::RuleFile& file, const RuleCheckOptions& options, const CheckServices& services, std::stop_token stop) {
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& wanted : options.rules) {
        if (std::none_of(file.rules.begin(), file.rules.end(), [&](const match::Rule& each) { return each.name == wanted; })) {
            std::vector<std::string_view> names;
            for (const match::Rule& each : file.rules) {
                names.emplace_back(each.name);
            }
            const auto near = nearestWord(wanted, names);
            return fail(ErrorCode::Usage,
                        "there is no rule '" + wanted + "' in " + file.file + (near ? ": did you mean '" + std::string(*near) + "'?" : ""));
        }
    }
    RulesResult out;
    LemmaMemory memory;
    CheckServices used = services;
    used.memory = services.memory != nullptr ? services.memory : &memory;
    used.progress = {};
    used.correspondence = {};
    std::vector<const match::Rule*> rules;
    for (const match::Rule& rule : file.rules) {
        if (options.rules.empty() || std::find(options.rules.begin(), options.rules.end(), rule.name) != options.rules.end()) {
            rules.push_back(&rule);
        }
    }
    // A rule with many cases leaves time to those behind it; what all of them leave goes to the rules that ran out of theirs.
    using Clock = std::chrono::steady_clock;
    const Clock::time_point end = start + std::chrono::milliseconds(static_cast<std::int64_t>(std::min(options.timeSeconds, 1e9) * 1000.0));
    std::vector<std::pair<std::size_t, Clock::duration>> late; // index of the rule, what time it had
    const auto run = [&](std::size_t index, Clock::duration share) -> Result<RuleResult> {
        const RuleContext context{file, *rules[index], options, used, stop, std::min(end, Clock::now() + share)};
        Result<RuleResult> result = RuleChecker(context).run();
        if (result && result->verdict != Verdict::Proved && result->verdict != Verdict::Refuted && Clock::now() >= context.deadline) {
            late.emplace_back(index, share);
        }
        return result;
    };
    for (std::size_t index = 0; index < rules.size(); ++index) {
        const auto left = static_cast<Clock::rep>(rules.size() - index);
        Result<RuleResult> result = run(index, std::max(Clock::duration::zero(), end - Clock::now()) / left);
        if (!result) {
            return tl::unexpected(result.error());
        }
        out.rules.push_back(std::move(*result));
    }
    const auto again = std::exchange(late, {});
    for (std::size_t k = 0; k < again.size() && Clock::now() < end; ++k) {
        const auto [index, had] = again[k];
        const Clock::duration share = (end - Clock::now()) / static_cast<Clock::rep>(again.size() - k);
        Result<RuleResult> result = run(index, std::max(share, 2 * had));
        if (!result) {
            return tl::unexpected(result.error());
        }
        const bool decided = result->verdict == Verdict::Proved || result->verdict == Verdict::Refuted;
        if (decided || result->proved >= out.rules[index].proved) {
            out.rules[index] = std::move(*result);
        }
    }
    const auto weight = [](Verdict verdict) {
        return verdict == Verdict::Refuted ? 3 : verdict == Verdict::Unproved ? 2 : verdict == Verdict::Undecided ? 1 : 0;
    };
    for (const RuleResult& each : out.rules) {
        if (weight(each.verdict) > weight(out.verdict)) {
            out.verdict = each.verdict;
        }
        if (each.strength) {
            out.strength = out.strength ? weaker(*out.strength, *each.strength) : *each.strength;
        }
    }
    if (out.verdict != Verdict::Proved) {
        out.strength.reset();
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
}

std::string rulesVerdictLine(const RulesResult& result) {
    const std::string verdict(name(result.verdict));
    std::size_t replacing = 0;
    for (const RuleResult& each : result.rules) {
        replacing += each.replaces ? 1 : 0;
        if (result.verdict != Verdict::Proved && each.verdict == result.verdict) {
            return verdict + ": " + each.text();
        }
    }
    if (replacing == 0) {
        return "static check: passes: " + counted(result.rules.size(), "rule") + ", none with a replacement";
    }
    return verdict + ": " + std::string(name(*result.strength)) + ": " + counted(replacing, "rule");
}

} // namespace lemmascope::ruleproof
