// Tests: tests/core/match/tst_match_static.cpp.
#include "core/match/operator_names.h"

#include "core/base/nearest.h"
#include "core/graph/definition_code.h"
#include "core/graph/definition_library.h"
#include "core/graph/ops/op_block.h"
#include "core/match/graph_subject.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace lemmascope::match {

namespace {

std::string folded(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

/// Empty for ONNX's own.
std::string domainOf(const OperatorName& op) { return op.domain && *op.domain != "ai.onnx" ? *op.domain : std::string(); }

/// Operators with a meaning, by domain and then by name: ONNX's in lower case, since there case does not count.
using Meanings = std::map<std::string, std::map<std::string, std::string>>;

void addMeaning(Meanings& all, std::string_view domain, std::string_view name) {
    all[std::string(domain)].emplace(domain.empty() ? folded(name) : std::string(name), name);
}

const Meanings& builtinMeanings() {
    static const Meanings all = [] {
        Meanings out;
        for (const OpSchema& each : allOps()) {
            addMeaning(out, each.domain, each.name);
        }
        for (const auto& each : DefinitionLibrary::builtin().all()) {
            addMeaning(out, each->domain, each->name);
        }
        return out;
    }();
    return all;
}

/// The name as its domain writes it; nothing where no meaning is known.
std::optional<std::string> writtenName(const Meanings& all, const std::string& domain, const std::string& name) {
    const auto ofDomain = all.find(domain);
    if (ofDomain == all.end()) {
        return std::nullopt;
    }
    const auto at = ofDomain->second.find(domain.empty() ? folded(name) : name);
    return at == ofDomain->second.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::string> nearestName(const Meanings& all, const std::string& domain, const std::string& name) {
    const auto ofDomain = all.find(domain);
    if (ofDomain == all.end()) {
        return std::nullopt;
    }
    std::vector<std::string_view> names;
    for (const auto& [key, written] : ofDomain->second) {
        names.push_back(key);
    }
    const auto near = nearestWord(domain.empty() ? folded(name) : name, names);
    return near ? std::optional(ofDomain->second.at(std::string(*near))) : std::nullopt;
}

/// Operators that the graph has and that mean nothing by themselves: open functions and functions of the model, by domain and name.
std::set<std::pair<std::string, std::string>> calledFunctions(const Graph* graph) {
    std::set<std::pair<std::string, std::string>> out;
    std::vector<const Graph*> stack;
    if (graph != nullptr) {
        stack.push_back(graph);
    }
    while (!stack.empty()) {
        const Graph& at = *stack.back();
        stack.pop_back();
        for (const Node& node : at.nodes) {
            const std::string domain = node.op.domain == "ai.onnx" ? std::string() : node.op.domain;
            if (node.body || findOp(node.op) == nullptr) {
                out.emplace(domain, domain.empty() ? folded(node.op.name) : node.op.name);
            }
            for (const auto& [role, inner] : Graph::nestedGraphs(node)) {
                stack.push_back(inner.get());
            }
        }
    }
    return out;
}

class NameCheck {
  public:
    NameCheck(const RuleFile& file, const Graph* graph)
        : m_file(file), m_user(graph != nullptr ? graph->definitions.get() : nullptr), m_called(calledFunctions(graph)), m_known(builtinMeanings()) {
        if (m_user != nullptr) {
            for (const auto& each : m_user->all()) {
                addMeaning(m_known, each->domain, each->name);
            }
        }
    }

    std::vector<Finding> run() {
        for (const RuleFile::Item& item : m_file.items) {
            m_owner = item.isRule ? m_file.rules[item.index].name : m_file.definitions[item.index].name;
            m_operatorsOf.clear();
            std::vector<ExpressionId> guards;
            std::vector<PatternId> stack{item.isRule ? m_file.rules[item.index].pattern : m_file.definitions[item.index].body};
            while (!stack.empty()) {
                const PatternNode& node = m_file.at(stack.back());
                stack.pop_back();
                stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
                if (node.kind == PatternKind::Operator) {
                    checkOperator(node);
                } else if (node.kind == PatternKind::As || node.kind == PatternKind::Constraint) {
                    m_operatorsOf[node.name.text].push_back(node.children.back());
                } else if (node.kind == PatternKind::Guarded) {
                    guards.push_back(node.guard);
                }
            }
            if (item.isRule) {
                for (const RuleCase& each : m_file.rules[item.index].cases) {
                    guards.push_back(each.guard);
                }
            }
            for (const ExpressionId guard : guards) {
                checkGuard(guard);
            }
        }
        std::stable_sort(m_out.begin(), m_out.end(), [](const Finding& a, const Finding& b) { return a.spot < b.spot; });
        return std::move(m_out);
    }

  private:
    void report(Finding::Code code, Spot spot, std::string fact, std::string detail) {
        m_out.push_back({code, false, m_owner, std::move(fact), std::move(detail), spot});
    }

    [[nodiscard]] bool isCalled(const std::string& domain, const std::string& name) const {
        return m_called.contains({domain, domain.empty() ? folded(name) : name});
    }

    void checkOperator(const PatternNode& node) {
        const std::string domain = domainOf(node.op);
        const bool leaf = !node.op.domain && node.children.empty() && node.attributes.empty() && node.rest.empty(); // an input, a constant
        if (leaf || isCalled(domain, node.op.name)) {
            return;
        }
        const std::optional<std::string> name = writtenName(m_known, domain, node.op.name);
        if (!name) {
            const std::optional<std::string> near = nearestName(m_known, domain, node.op.name);
            if (domain.empty()) {
                report(Finding::Code::UnknownOperator, node.spot, "ONNX has no operator '" + node.op.name + "'",
                       near ? "did you mean " + *near + "?" : "one of another domain is written \"domain\":" + node.op.name);
            } else if (near) {
                report(Finding::Code::UnknownOperator, node.spot, "there is no known operator '" + node.op.name + "' of " + domain,
                       "did you mean " + *near + "?");
            }
            return;
        }
        for (const AttributePattern& each : node.attributes) {
            checkAttribute(node.op, *name, each.name, each.orOperand, each.spot);
        }
    }

    [[nodiscard]] const std::optional<std::vector<std::string_view>>& attributesOf(const OperatorName& op) {
        const std::string domain = domainOf(op);
        const auto [at, isNew] = m_attributes.try_emplace({domain, domain.empty() ? folded(op.name) : op.name, op.version.value_or(0)});
        if (isNew) {
            at->second = knownAttributes(op, m_user);
        }
        return at->second;
    }

    /// Whether the operator is known not to have it.
    [[nodiscard]] bool lacks(const OperatorName& op, const std::string& attribute) {
        const auto& known = attributesOf(op);
        return known && std::find(known->begin(), known->end(), attribute) == known->end();
    }

    void checkAttribute(const OperatorName& op, const std::string& name, const std::string& attribute, bool orOperand, Spot spot) {
        const std::string domain = domainOf(op);
        if (!lacks(op, attribute) || (orOperand && attributePosition({domain, name, 0}, attribute))) {
            return;
        }
        const auto near = nearestWord(attribute, *attributesOf(op));
        // Of what may be an operand the name is free; tables of other domains need not be whole.
        if (near || (domain.empty() && !orOperand)) {
            report(Finding::Code::UnknownAttribute, spot, (domain.empty() ? name : domain + "." + name) + noAttribute(op, attribute),
                   near ? "did you mean " + std::string(*near) + "?" : attributesInWords(*attributesOf(op)));
        }
    }

    [[nodiscard]] static std::string noAttribute(const OperatorName& op, const std::string& attribute) {
        return (op.version ? " of opset " + std::to_string(*op.version) : std::string()) + " has no attribute '" + attribute + "'";
    }

    /// `attr(?n, "transsA")` where ?n is an operator that the pattern writes out.
    void checkGuard(ExpressionId guard) {
        std::vector<ExpressionId> stack;
        if (guard.isValid()) {
            stack.push_back(guard);
        }
        while (!stack.empty()) {
            const ExpressionNode& node = m_file.at(stack.back());
            stack.pop_back();
            stack.insert(stack.end(), node.children.rbegin(), node.children.rend());
            const bool asks =
                node.kind == ExpressionKind::Fact && node.fact == FactKind::Attr && node.name.kind == NameKind::Value && !node.children.empty();
            if (asks && !m_file.at(node.children[0]).text.empty()) {
                checkFact(node, m_file.at(node.children[0]).text);
            }
        }
    }

    void checkFact(const ExpressionNode& node, const std::string& attribute) {
        const auto at = m_operatorsOf.find(node.name.text);
        if (at == m_operatorsOf.end()) {
            return;
        }
        const PatternNode* blamed = nullptr;
        for (const PatternId each : at->second) {
            const PatternNode& pattern = m_file.at(each);
            const bool known = pattern.kind == PatternKind::Operator && !pattern.optional && !isCalled(domainOf(pattern.op), pattern.op.name);
            if (!known || !lacks(pattern.op, attribute) || attributePosition({domainOf(pattern.op), pattern.op.name, 0}, attribute)) {
                return;
            }
            blamed = &pattern;
        }
        if (const std::optional<std::string> name = writtenName(m_known, domainOf(blamed->op), blamed->op.name)) {
            checkAttribute(blamed->op, *name, attribute, false, node.spot);
        }
    }

    const RuleFile& m_file;
    const DefinitionLibrary* m_user;
    std::set<std::pair<std::string, std::string>> m_called;
    Meanings m_known;
    std::string m_owner;
    std::map<std::string, std::vector<PatternId>> m_operatorsOf; ///< names of the item -> what a pattern says of them
    std::map<std::tuple<std::string, std::string, std::int64_t>, std::optional<std::vector<std::string_view>>> m_attributes;
    std::vector<Finding> m_out;
};

void addDefined(const DefinitionLibrary& library, const std::string& domain, const std::string& name, std::vector<std::string_view>& names,
                bool& any) {
    for (const auto& each : library.all()) {
        if (each->domain == domain && (domain.empty() ? folded(each->name) == folded(name) : each->name == name)) {
            any = true;
            for (const DefinitionAttribute& attribute : each->attributes) {
                names.push_back(attribute.name);
            }
        }
    }
}

} // namespace

std::optional<std::vector<std::string_view>> knownAttributes(const OperatorName& op, const DefinitionLibrary* user) {
    const std::string domain = domainOf(op);
    std::vector<std::string_view> names;
    bool any = false;
    const OpSchema* wanted = nullptr;
    for (const OpSchema& each : allOps()) {
        if (each.domain != domain || (domain.empty() ? folded(each.name) != folded(op.name) : each.name != op.name)) {
            continue;
        }
        const std::string name(each.name);
        if (op.version) {
            wanted = findOp({domain, name, *op.version});
        }
        if (wanted != nullptr && wanted != &each) {
            continue;
        }
        const OpRule* rule = findRule({domain, name, each.sinceVersion});
        if (rule != nullptr) {
            any = true;
            for (const AttributeKind& attribute : rule->attributes) {
                names.push_back(attribute.name);
            }
        }
    }
    addDefined(DefinitionLibrary::builtin(), domain, op.name, names, any);
    if (user != nullptr) {
        addDefined(*user, domain, op.name, names, any);
    }
    if (!any) {
        return std::nullopt;
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

std::string attributesInWords(const std::vector<std::string_view>& known) {
    std::string out;
    for (const std::string_view each : known) {
        out += (out.empty() ? "it has " : ", ") + std::string(each);
    }
    return out.empty() ? "it has none" : out;
}

std::vector<Finding> unusedPatterns(const RuleFile& file) {
    if (file.rules.empty()) {
        return {};
    }
    std::map<std::string_view, std::vector<PatternId>> bodies;
    for (const PatternDefinition& each : file.definitions) {
        bodies[each.name].push_back(each.body);
    }
    std::set<std::string_view> used;
    std::vector<PatternId> stack;
    for (const Rule& each : file.rules) {
        stack.push_back(each.pattern);
    }
    while (!stack.empty()) {
        const PatternNode& node = file.at(stack.back());
        stack.pop_back();
        stack.insert(stack.end(), node.children.begin(), node.children.end());
        // A call of a mu of that name counts as well: rather no warning than a wrong one.
        const auto called = node.kind == PatternKind::Call ? bodies.find(node.op.name) : bodies.end();
        if (called != bodies.end() && used.insert(called->first).second) {
            stack.insert(stack.end(), called->second.begin(), called->second.end());
        }
    }
    std::vector<Finding> out;
    for (const PatternDefinition& each : file.definitions) {
        if (used.insert(each.name).second) { // several definitions of a name are told once
            out.push_back({Finding::Code::UnusedPattern, false, each.name, "no rule uses the pattern '" + each.name + "'",
                           "it is not matched: write rule NAME: " + each.name + "(...)", each.spot});
        }
    }
    return out;
}

std::vector<Finding> unknownNames(const RuleFile& file, const Graph* graph) { return NameCheck(file, graph).run(); }

} // namespace lemmascope::match
