// Renames what a pair's names could tell. Equal names in both graphs must stay equal where the check reads them: inputs,
// outputs, sizes, open ops with their attributes, and fused ops. See minimal_pair.h.
#include "core/report/minimal_pair.h"

#include "core/graph/definition_rename.h"
#include "core/graph/op_registry.h"

#include <algorithm>
#include <deque>

namespace lemmascope {

namespace {

/// The same new name for the same old name, numbered by first use.
class Names {
  public:
    explicit Names(std::string prefix) : m_prefix(std::move(prefix)) {}
    std::string of(const std::string& old) {
        const auto [at, isNew] = m_known.emplace(old, std::string());
        if (isNew) {
            at->second = m_prefix + std::to_string(m_known.size());
        }
        return at->second;
    }

  private:
    std::string m_prefix;
    std::map<std::string, std::string> m_known;
};

class Anonymiser {
  public:
    std::map<std::string, std::string> inputNames;
    std::map<std::string, std::string> outputNames;

    explicit Anonymiser(const DefinitionLibrary* definitions) : m_definitions(definitions) {}

    /// The user's definitions under the names that the graphs have now.
    Result<std::shared_ptr<const DefinitionLibrary>> definitions() {
        DefinitionNames names;
        names.op = [this](const OpId& op) { return OpId{domain(op.domain), m_opens.of(op.text()), 0}.text(); };
        names.attribute = [this](const std::string& old) { return m_openAttributes.of(old); };
        auto renamed = DefinitionLibrary::parse(renamedDefinitions(*m_definitions, names), "definitions.defs");
        if (!renamed) {
            return fail(ErrorCode::Internal, "the renamed definitions cannot be read: " + renamed.error().message, renamed.error().where);
        }
        return renamed;
    }

    std::shared_ptr<Graph> top(const Graph& graph) {
        auto out = std::make_shared<Graph>(graph);
        rename(*out, true);
        return out;
    }

  private:
    const DefinitionLibrary* m_definitions; ///< null: none
    Names m_inputs{"x"};
    Names m_outputs{"y"};
    Names m_sizes{"d"};
    Names m_opens{"Open"};
    Names m_openAttributes{"a"};
    Names m_texts{"s"};
    Names m_fused{"Fused"};
    Names m_domains{"domain"};
    std::size_t m_nodeCount = 0;
    std::size_t m_valueCount = 0;

    void renameSizes(TensorType& type) {
        if (!type.shape) {
            return;
        }
        for (Dim& dim : *type.shape) {
            dim = renamed(dim);
        }
    }

    Dim renamed(const Dim& dim) {
        std::vector<std::string> symbols;
        dim.collectSymbols(symbols);
        std::map<std::string, Dim> to;
        for (const std::string& symbol : symbols) {
            to.emplace(symbol, Dim::symbol(m_sizes.of(symbol)));
        }
        return symbols.empty() ? dim : dim.substituted(to);
    }

    /// Domains of the registry say nothing; others are renamed with the ops that use them.
    std::string domain(const std::string& old) {
        const auto ops = allOps();
        const bool known =
            old.empty() || old == "lemmascope" || std::any_of(ops.begin(), ops.end(), [&](const OpSchema& op) { return op.domain == old; });
        return known ? old : m_domains.of(old);
    }

    void renameNode(Node& node) {
        node.name = "n" + std::to_string(++m_nodeCount);
        node.line = 0;
        const bool open = findOp(node.op) == nullptr;
        if (open && node.body) {
            node.op.name = m_fused.of(node.op.text());
            node.op.domain = domain(node.op.domain);
        } else if (open && DefinitionLibrary::builtin().find(node.op) == nullptr) {
            // What a definition computes with is no name: texts, and attributes that it hands on.
            const Definition* defined = m_definitions == nullptr ? nullptr : m_definitions->find(node.op);
            node.op.name = m_opens.of(node.op.text());
            node.op.domain = domain(node.op.domain);
            std::map<std::string, Attribute> attributes;
            for (auto& [key, value] : node.attributes) {
                if (defined != nullptr) {
                    attributes.emplace(handsOn(*defined, key) ? key : m_openAttributes.of(key), std::move(value));
                    continue;
                }
                if (auto* text = std::get_if<std::string>(&value)) {
                    *text = m_texts.of(*text);
                } else if (auto* texts = std::get_if<std::vector<std::string>>(&value)) {
                    std::transform(texts->begin(), texts->end(), texts->begin(), [this](const std::string& old) { return m_texts.of(old); });
                }
                attributes.emplace(m_openAttributes.of(key), std::move(value));
            }
            node.attributes = std::move(attributes);
        }
    }

    /// One graph and, through a list of what is still to do, all nested in it.
    void rename(Graph& graph, bool isTop) {
        struct Pending {
            Graph* graph;
            bool isTop;
        };
        std::deque<Pending> pending{{&graph, isTop}};
        while (!pending.empty()) {
            const Pending at = pending.front();
            pending.pop_front();
            renameOne(*at.graph, at.isTop);
            for (Node& node : at.graph->nodes) {
                const auto replace = [&](std::shared_ptr<const Graph>& slot) {
                    auto nested = std::make_shared<Graph>(*slot);
                    pending.push_back({nested.get(), false});
                    slot = std::move(nested);
                };
                if (node.body) {
                    replace(node.body);
                }
                for (auto& [key, attribute] : node.attributes) {
                    if (auto* nested = std::get_if<std::shared_ptr<const Graph>>(&attribute)) {
                        replace(*nested);
                    } else if (auto* list = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&attribute)) {
                        std::for_each(list->begin(), list->end(), replace);
                    }
                }
            }
        }
    }

    void renameOne(Graph& graph, bool isTop) {
        graph.name = isTop ? "graph" : "part";
        graph.notes.clear();
        std::map<std::string, IntegerRange> symbols;
        for (const auto& [symbol, range] : graph.symbols) {
            symbols.emplace(m_sizes.of(symbol), range);
        }
        graph.symbols = std::move(symbols);
        std::vector<std::string> outputs;
        for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
            outputs.push_back(graph.outputName(i));
        }
        std::vector<bool> named(graph.values.size(), false);
        for (const ValueId id : graph.inputs) {
            Value& value = graph.values.at(id.index);
            if (isTop) {
                const std::string old = value.name;
                value.name = m_inputs.of(old);
                inputNames.emplace(old, value.name);
                named[id.index] = true;
            }
        }
        graph.outputNames.assign(graph.outputs.size(), std::string());
        for (std::size_t i = 0; i < graph.outputs.size() && isTop; ++i) {
            const std::string wanted = m_outputs.of(outputs[i]);
            outputNames.emplace(outputs[i], wanted);
            Value& value = graph.values.at(graph.outputs[i].index);
            if (named[graph.outputs[i].index]) {
                graph.outputNames[i] = wanted;
            } else {
                value.name = wanted;
                named[graph.outputs[i].index] = true;
            }
        }
        for (std::size_t i = 0; i < graph.values.size(); ++i) {
            if (!named[i]) {
                graph.values[i].name = "v" + std::to_string(++m_valueCount);
            }
            renameSizes(graph.values[i].type);
            if (graph.values[i].elements) {
                auto elements = std::make_shared<std::vector<Dim>>(*graph.values[i].elements);
                std::transform(elements->begin(), elements->end(), elements->begin(), [this](const Dim& dim) { return renamed(dim); });
                graph.values[i].elements = std::move(elements);
            }
        }
        for (Node& node : graph.nodes) {
            renameNode(node);
        }
        std::map<std::string, std::int64_t> opsets;
        for (const auto& [old, version] : graph.opsets) {
            opsets.emplace(domain(old), version);
        }
        graph.opsets = std::move(opsets);
    }
};

} // namespace

Result<GraphPair> anonymised(const GraphPair& pair) {
    Anonymiser names(pair.definitions.get());
    GraphPair out;
    auto reference = names.top(*pair.reference);
    auto rewritten = names.top(*pair.rewritten);
    if (pair.definitions) {
        auto definitions = names.definitions();
        if (!definitions) {
            return tl::unexpected(definitions.error());
        }
        out.definitions = *definitions;
        reference->definitions = out.definitions;
        rewritten->definitions = out.definitions;
    }
    out.reference = std::move(reference);
    out.rewritten = std::move(rewritten);
    for (const auto& [mine, theirs] : pair.assumed) {
        // Renaming keeps every value's number. A value that was cut off leaves a name that the check will refuse.
        const auto renamed = [](const Graph& before, const Graph& after, const std::string& old) {
            const ValueId id = before.findValue(old);
            return id.isValid() ? after.value(id).name : "gone:" + old;
        };
        out.assumed.emplace_back(renamed(*pair.reference, *out.reference, mine), renamed(*pair.rewritten, *out.rewritten, theirs));
    }
    for (const auto& [old, current] : pair.inputNames) {
        if (const auto at = names.inputNames.find(current); at != names.inputNames.end()) {
            out.inputNames[old] = at->second;
        }
    }
    for (const auto& [old, current] : pair.outputNames) {
        if (const auto at = names.outputNames.find(current); at != names.outputNames.end()) {
            out.outputNames[old] = at->second;
        }
    }
    return out;
}

} // namespace lemmascope
