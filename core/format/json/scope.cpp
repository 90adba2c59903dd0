#include "core/format/json/scope.h"

#include "core/base/nearest.h"

#include <algorithm>

namespace lemmascope::json {

namespace {

std::string_view listName(Origin origin) {
    switch (origin) {
    case Origin::Input: return "inputs";
    case Origin::Constant: return "constants";
    case Origin::Table: return "tables";
    case Origin::Node:
    case Origin::Outer: break;
    }
    return "nodes";
}

/// Calls `use` for each name that a node, as it stands in the file, reads (`in`) or defines (`out`). Tolerates any value.
template <typename Use>
void forEachName(const Value& node, std::string_view list, const Use& use) {
    if (node.kind != Kind::Object) {
        return;
    }
    Cursor members(node);
    while (const std::optional<Value> key = members.next()) {
        const std::optional<Value> member = members.next();
        if (key->raw() != list || !member->isArray()) {
            continue;
        }
        Cursor items(*member);
        while (const std::optional<Value> item = items.next()) {
            if (item->kind == Kind::String) {
                use(item->string());
            } else if (item->kind == Kind::Object && list == "in") {
                Cursor words(*item);
                while (const std::optional<Value> word = words.next()) {
                    const std::optional<Value> value = words.next();
                    if (value->kind == Kind::String) {
                        use(value->string());
                    }
                }
            }
        }
    }
}

} // namespace

void Scope::define(const std::string& name, ValueId value, Origin origin, std::size_t index, std::size_t offset, Problem& problem) {
    const auto [at, added] = m_names.try_emplace(name, Binding{value, origin, static_cast<std::uint32_t>(index)});
    if (added || problem.failed()) {
        return;
    }
    const Binding& first = at->second;
    if (first.origin == Origin::Outer) {
        problem.report("the name " + inQuotes(name) + " is that of an outer value which this subgraph has read already; choose another name", offset);
    } else if (first.origin == Origin::Table && origin == Origin::Node) {
        problem.report(inQuotes(name) + " is a table; a result that lands in it is written {\"into\": \"" + name + "\", \"rows\": ...}", offset);
    } else {
        problem.report("the name " + inQuotes(name) + " is defined twice, first by " + std::string(listName(first.origin)) + "[" +
                           std::to_string(first.index) + "]; each name has one definition",
                       offset);
    }
}

Table* Scope::findTable(const std::string& name) {
    const auto at = m_tables.find(name);
    return at == m_tables.end() ? nullptr : &at->second;
}

void Scope::setVersion(const std::string& name, ValueId value) {
    Table& table = m_tables.at(name);
    table.current = value;
    ++table.versions;
    m_names.at(name).value = value;
}

ValueId Scope::resolve(const std::string& name, std::string_view what, std::size_t offset, Problem& problem) {
    std::vector<Scope*> inner; // those that must capture the name, innermost first
    Scope* scope = this;
    ValueId value;
    while (scope != nullptr) {
        const auto at = scope->m_names.find(name);
        if (at != scope->m_names.end()) {
            value = at->second.value;
            break;
        }
        inner.push_back(scope);
        scope = scope->m_outer;
    }
    if (scope == nullptr) {
        if (!problem.failed()) {
            problem.report(std::string(what) + " " + inQuotes(name) + ": " + unknownText(name), offset);
        }
        return {};
    }
    for (auto capturing = inner.rbegin(); capturing != inner.rend(); ++capturing) {
        const lemmascope::Value& outer = scope->m_graph->value(value);
        lemmascope::Value captured;
        captured.name = name;
        captured.type = outer.type;
        const ValueId id = (*capturing)->m_graph->addValue(std::move(captured));
        (*capturing)->m_graph->captures.push_back({id, value});
        (*capturing)->m_names.emplace(name, Binding{id, Origin::Outer, 0});
        scope = *capturing;
        value = id;
    }
    return value;
}

std::optional<ValueId> Scope::nodeResult(const std::string& name) const {
    const auto at = m_names.find(name);
    return at != m_names.end() && at->second.origin == Origin::Node ? std::optional<ValueId>(at->second.value) : std::nullopt;
}

std::string Scope::unknownText(const std::string& name) {
    if (name.empty()) {
        return "the name is empty; an operand that is left out is written null";
    }
    for (Scope* scope = this; scope != nullptr; scope = scope->m_outer) {
        const std::optional<std::size_t> later = scope->definingNode(name);
        if (!later) {
            continue;
        }
        const std::string node = "nodes[" + std::to_string(*later) + "]";
        if (scope->reaches(*later, scope->m_position)) {
            return *later == scope->m_position ? "the node reads its own result: a cycle"
                                               : "it is defined later, by " + node + ", which needs this node's result: a cycle";
        }
        return "it is defined later, by " + node + "; nodes run in file order: move that node before this one";
    }
    constexpr std::size_t MostNames = 20'000; // a suggestion is not worth more time
    std::vector<std::string_view> names;
    for (Scope* scope = this; scope != nullptr && names.size() < MostNames; scope = scope->m_outer) {
        for (const auto& [known, binding] : scope->m_names) {
            names.push_back(known);
        }
    }
    std::sort(names.begin(), names.end());
    const std::optional<std::string_view> near = names.size() < MostNames ? nearestWord(name, names) : std::nullopt;
    return "unknown name; define it before this node" + (near ? " (did you mean " + inQuotes(*near) + "?)" : std::string());
}

void Scope::collectDefinitions() {
    if (m_definitions) {
        return;
    }
    m_definitions.emplace();
    for (std::size_t k = 0; k < m_nodes.size(); ++k) {
        forEachName(m_nodes[k], "out", [&](std::string name) { m_definitions->try_emplace(std::move(name), k); });
    }
}

std::optional<std::size_t> Scope::definingNode(const std::string& name) {
    collectDefinitions();
    const auto at = m_definitions->find(name);
    return at == m_definitions->end() ? std::nullopt : std::optional<std::size_t>(at->second);
}

bool Scope::reaches(std::size_t from, std::size_t to) {
    std::vector<bool> seen(m_nodes.size(), false);
    std::vector<std::size_t> open{from};
    while (!open.empty()) {
        const std::size_t node = open.back();
        open.pop_back();
        if (node == to) {
            return true;
        }
        if (seen[node]) {
            continue;
        }
        seen[node] = true;
        forEachName(m_nodes[node], "in", [&](const std::string& name) {
            const std::optional<std::size_t> definition = definingNode(name);
            if (definition) {
                open.push_back(*definition);
            }
        });
    }
    return false;
}

std::string Scope::freshName(const std::string& base) {
    collectDefinitions();
    std::uint32_t& count = m_freshCounts[base];
    while (true) {
        std::string name = ++count == 1 ? base : base + "'" + std::to_string(count);
        if (!m_definitions->contains(name) && !m_names.contains(name) && m_freshNames.insert(name).second) {
            return name;
        }
    }
}

ValueId Scope::indexConstant(const std::vector<std::int64_t>& values) {
    const auto known = m_indexConstants.find(values);
    if (known != m_indexConstants.end()) {
        return known->second;
    }
    std::string text = "i64[";
    for (std::size_t k = 0; k < values.size(); ++k) {
        text += (k == 0 ? "" : ", ") + std::to_string(values[k]);
    }
    const auto length = static_cast<std::int64_t>(values.size());
    lemmascope::Value constant;
    constant.name = freshName(text + "]");
    constant.type = {ElementType::I64, Shape{Dim(length)}};
    constant.constant = Tensor::of<std::int64_t>(ElementType::I64, {length}, values);
    const ValueId id = m_graph->addValue(std::move(constant));
    m_indexConstants.emplace(values, id);
    return id;
}

} // namespace lemmascope::json
