#include "core/term/term_builder.h"

#include "core/eval/evaluator.h"
#include "core/graph/op_registry.h"
#include "core/term/definitions.h"
#include "core/term/node_terms.h"

#include <algorithm>
#include <array>

namespace lemmascope {

namespace {

constexpr std::int64_t FoldLimit = 65536; ///< elements of an integer constant folded while building

bool isExactlyFoldable(ElementType type) { return type == ElementType::Bool || isInteger(type); }

} // namespace

Result<GraphTerms> TermBuilder::build(const GraphTree& tree, const std::vector<TermId>& inputs, std::stop_token stop) {
    GraphTerms out;
    out.values.resize(tree.valueCount());
    out.live.assign(tree.nodeCount(), false);
    m_tree = &tree;
    if (tree.top().definitions != nullptr) {
        m_store.definitions = tree.top().definitions;
    }
    m_out = &out;
    m_stop = std::move(stop);
    m_path.clear();
    m_loopDepth = 0;
    if (Result<void> built = buildInstance(0, inputs); !built) {
        return tl::unexpected(built.error());
    }
    // Liveness: backwards from the outputs at the top; a nested node is live when the node it stands in is.
    std::vector<bool> needed(tree.valueCount(), false);
    for (std::size_t i = 0; i < tree.instances().size(); ++i) {
        const GraphInstance& instance = tree.instances()[i];
        const bool alive = instance.parent == Id<void>::Invalid || out.live[tree.instances()[instance.parent].nodeBase + instance.parentNode.index];
        if (!alive) {
            continue;
        }
        const Graph& graph = *instance.graph;
        for (const ValueId output : graph.outputs) {
            if (output.isValid()) {
                needed[instance.valueBase + output.index] = true;
            }
        }
        for (std::size_t n = graph.nodes.size(); n-- > 0;) {
            const Node& node = graph.nodes[n];
            const bool used =
                std::any_of(node.results.begin(), node.results.end(), [&](ValueId r) { return r.isValid() && needed[instance.valueBase + r.index]; });
            if (!used) {
                continue;
            }
            out.live[instance.nodeBase + n] = true;
            for (const ValueId operand : node.operands) {
                if (operand.isValid()) {
                    needed[instance.valueBase + operand.index] = true;
                }
            }
            for (const auto& [role, nested] : Graph::nestedGraphs(node)) {
                for (const Capture& capture : nested->captures) {
                    needed[instance.valueBase + capture.outer.index] = true;
                }
            }
        }
    }
    return out;
}

Result<void> TermBuilder::buildInstance(std::uint32_t instance, const std::vector<TermId>& inputs) {
    const GraphInstance& place = m_tree->instances()[instance];
    const Graph& graph = *place.graph;
    for (std::size_t v = 0; v < graph.values.size(); ++v) {
        const Value& value = graph.values[v];
        if (value.constant) {
            set(FlatValueId(place.valueBase + v), m_store.constant(*value.constant));
        }
    }
    for (std::size_t i = 0; i < graph.inputs.size() && i < inputs.size(); ++i) {
        if (graph.inputs[i].isValid()) {
            set(FlatValueId(place.valueBase + graph.inputs[i].index), inputs[i]);
        }
    }
    for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
        if ((n & 255U) == 0 && m_stop.stop_requested()) {
            return fail(ErrorCode::Cancelled, "cancelled");
        }
        if (Result<void> built = buildNode(instance, NodeId(n)); !built) {
            return built;
        }
    }
    return {};
}

Result<std::vector<TermId>> TermBuilder::buildNested(std::uint32_t parent, std::uint32_t child, const std::vector<TermId>& inputs) {
    const GraphInstance& outer = m_tree->instances()[parent];
    const GraphInstance& inner = m_tree->instances()[child];
    for (const Capture& capture : inner.graph->captures) {
        m_out->values[inner.valueBase + capture.inner.index] = m_out->values[outer.valueBase + capture.outer.index];
    }
    if (Result<void> built = buildInstance(child, inputs); !built) {
        return tl::unexpected(built.error());
    }
    std::vector<TermId> outputs;
    for (const ValueId output : inner.graph->outputs) {
        outputs.push_back(output.isValid() ? m_out->values[inner.valueBase + output.index] : TermId());
    }
    return outputs;
}

Result<void> TermBuilder::buildNode(std::uint32_t instance, NodeId id) {
    const GraphInstance& place = m_tree->instances()[instance];
    const Graph& graph = *place.graph;
    const Node& node = graph.node(id);
    const FlatNodeId flat(place.nodeBase + id.index);

    std::vector<TermId> operands;
    for (const ValueId operand : node.operands) {
        operands.push_back(operand.isValid() ? m_out->values[place.valueBase + operand.index] : TermId());
    }
    NodeTerms terms(*this, graph, id, flat, operands);
    std::vector<TermId> results;
    const std::vector<std::uint32_t> children = m_tree->childrenOf(instance, id);

    if (node.body) {
        // A fused op or a model's function runs its parts: the same bits.
        Result<std::vector<TermId>> body = buildNested(instance, children.front(), operands);
        if (!body) {
            return tl::unexpected(body.error());
        }
        results = *body;
    } else if (node.op.domain.empty() && node.op.name == "If" && children.size() == 2 && !operands.empty() && operands[0].isValid()) {
        const auto nested = Graph::nestedGraphs(node);
        const std::size_t thenAt = nested[0].first == "then_branch" ? 0 : 1;
        std::optional<double> fixed = m_store.uniformValue(operands[0]);
        if (const auto required = graph.requiredBranches.find(id.index); !fixed && required != graph.requiredBranches.end()) {
            // The graph runs with this branch only: that it is taken is an access like any other, and the If is its result.
            fixed = required->second ? 1.0 : 0.0;
            Access access;
            access.kind = Access::Kind::Branch;
            access.node = flat;
            access.index = operands[0];
            access.low = access.high = Dim(required->second ? 1 : 0);
            access.buffer = graph.value(node.operands[0]).name;
            access.path = m_path;
            access.inLoop = m_loopDepth > 0;
            m_out->accesses.push_back(std::move(access));
        }
        std::array<std::vector<TermId>, 2> branches; // then, else
        for (const bool taken : {true, false}) {
            if (fixed && (*fixed != 0.0) != taken) {
                continue;
            }
            const std::size_t child = taken ? thenAt : 1 - thenAt;
            if (!fixed) {
                m_path.push_back(PathCondition{operands[0], taken});
            }
            Result<std::vector<TermId>> branch = buildNested(instance, children[child], {});
            if (!fixed) {
                m_path.pop_back();
            }
            if (!branch) {
                return tl::unexpected(branch.error());
            }
            branches[taken ? 0 : 1] = *branch;
        }
        if (fixed) {
            results = branches[*fixed != 0.0 ? 0 : 1];
        } else {
            for (std::size_t k = 0; k < node.results.size(); ++k) {
                const TermId a = branches[0].at(k);
                const TermId b = branches[1].at(k);
                if (a == b && a.isValid()) {
                    results.push_back(a); // both branches give one term
                    continue;
                }
                Operator op;
                op.name = "If";
                const std::array<TermId, 3> arguments{operands[0], a, b};
                const TensorType type = node.results[k].isValid() ? graph.value(node.results[k]).type : TensorType{};
                op.element = type.element;
                results.push_back(m_store.apply(m_store.internOperator(op), arguments, type));
            }
        }
    } else if (!children.empty()) {
        // Loop, Scan and unknown ops with bodies: the body's outputs as functions of bound parameters are operands too.
        std::vector<TermId> bodies;
        ++m_loopDepth;
        for (const std::uint32_t child : children) {
            const Graph& body = *m_tree->instances()[child].graph;
            std::vector<TermId> parameters;
            for (std::size_t p = 0; p < body.inputs.size(); ++p) {
                parameters.push_back(m_store.bound(m_loopDepth * 4096U + static_cast<std::uint32_t>(p), body.value(body.inputs[p]).type));
            }
            Result<std::vector<TermId>> built = buildNested(instance, child, parameters);
            if (!built) {
                return tl::unexpected(built.error());
            }
            bodies.insert(bodies.end(), built->begin(), built->end());
        }
        --m_loopDepth;
        results = terms.opaque(bodies);
    } else {
        const OpSchema* schema = findOp(node.op);
        if (schema != nullptr && schema->opClass == OpClass::Random) {
            std::string key = node.op.text();
            for (const auto& [attributeName, attribute] : node.attributes) {
                if (const auto* number = std::get_if<std::int64_t>(&attribute)) {
                    key += "," + attributeName + "=" + std::to_string(*number);
                }
            }
            for (std::size_t k = 0; k < node.results.size(); ++k) {
                const TensorType type = node.results[k].isValid() ? graph.value(node.results[k]).type : TensorType{};
                Operator op;
                op.name = node.op.text();
                op.attributes = node.attributes;
                op.attributes.erase("seed");
                op.attributes["lemmascope.ordinal"] = static_cast<std::int64_t>(m_out->randomNodes[key + type.text()]);
                op.open = true;
                op.result = static_cast<std::uint32_t>(k);
                op.element = type.element;
                results.push_back(m_store.apply(m_store.internOperator(op), operands, type));
            }
            ++m_out
                  ->randomNodes[key + (node.results.empty() || !node.results[0].isValid() ? TensorType{} : graph.value(node.results[0]).type).text()];
        } else {
            results = terms.known();
            if (results.empty()) {
                results = terms.opaque();
            }
            // Integer and bool results of constants are exact: fold them, so that shapes and conditions become plain.
            const bool constantOperands = std::all_of(
                operands.begin(), operands.end(), [this](TermId t) { return !t.isValid() || m_store.constantElements(t, FoldLimit).has_value(); });
            const bool exact = std::all_of(node.results.begin(), node.results.end(), [&](ValueId r) {
                return !r.isValid() || (isExactlyFoldable(graph.value(r).type.element) && graph.value(r).type.isStatic());
            });
            const bool known = std::all_of(results.begin(), results.end(),
                                           [this](TermId t) { return !t.isValid() || m_store.constantElements(t, FoldLimit).has_value(); });
            if (constantOperands && exact && !known && !operands.empty() && hasKernel(node.op)) {
                std::vector<std::optional<Tensor>> arguments;
                for (const TermId t : operands) {
                    arguments.push_back(t.isValid() ? m_store.constantElements(t, FoldLimit) : std::nullopt);
                }
                if (const Result<std::vector<Tensor>> folded = evaluateNode(node, arguments)) {
                    for (std::size_t k = 0; k < folded->size() && k < results.size(); ++k) {
                        if (node.results[k].isValid()) {
                            results[k] = m_store.constant((*folded)[k]);
                        }
                    }
                }
            }
            std::vector<Access> accesses;
            terms.collectAccesses(accesses);
            const Definition* definition = findDefinition(m_store.definitions.get(), node.op);
            const auto first = std::find_if(results.begin(), results.end(), [](TermId t) { return t.isValid(); });
            if (definition != nullptr && first != results.end() && definitionIndexes(m_store.definitions.get(), *definition)) {
                // What the op reads by index when it is written out, whichever of its results is wanted.
                for (Access& access : Definitions(m_store).accesses(*first, node.op.text())) {
                    accesses.push_back(std::move(access));
                }
            }
            for (Access& access : accesses) {
                access.node = flat;
                access.path = m_path;
                access.inLoop = m_loopDepth > 0;
                m_out->accesses.push_back(std::move(access));
            }
        }
    }
    for (std::size_t k = 0; k < node.results.size() && k < results.size(); ++k) {
        if (node.results[k].isValid()) {
            const Value& value = graph.value(node.results[k]);
            TermId term = results[k];
            // Shape arithmetic: the elements themselves are the meaning, however they were computed.
            if (value.elements && value.type.isStatic() && (value.type.element == ElementType::I64 || value.type.element == ElementType::I32) &&
                term.isValid()) {
                const std::vector<std::int64_t> lengths = *staticShape(*value.type.shape);
                const bool allKnown = std::all_of(value.elements->begin(), value.elements->end(), [](const Dim& d) { return d.isKnown(); });
                if (allKnown) {
                    if (value.type.element == ElementType::I64) {
                        std::vector<std::int64_t> data;
                        for (const Dim& d : *value.elements) {
                            data.push_back(d.value());
                        }
                        term = m_store.constant(Tensor::of<std::int64_t>(ElementType::I64, lengths, data));
                    }
                } else {
                    Operator op;
                    op.name = "Sizes";
                    std::vector<std::string> texts;
                    for (const Dim& d : *value.elements) {
                        texts.push_back(d.text());
                    }
                    op.attributes["of"] = texts;
                    op.element = value.type.element;
                    term = m_store.apply(m_store.internOperator(op), {}, value.type);
                }
            }
            set(FlatValueId(place.valueBase + node.results[k].index), term);
        }
    }
    return {};
}

} // namespace lemmascope
