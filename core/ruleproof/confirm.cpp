// A difference at open sizes becomes a graph on which matcher and rewriter show it; tests: tests/core/ruleproof/tst_rule_check.cpp.
#include "core/rewrite/rewriter.h"
#include "core/ruleproof/attribute_values.h"
#include "core/ruleproof/case_check.h"
#include "core/ruleproof/instance_graph.h"

#include <algorithm>

namespace lemmascope::ruleproof {

namespace {

using Sizes = std::map<std::string, std::int64_t>;

/// What a confirmation is made of.
struct Witness {
    Sizes sizes;
    std::map<std::string, Tensor> inputs; ///< of the instance's graph
};

} // namespace

void fixLengths(Instance& instance, const std::map<std::string, std::int64_t>& sizes) {
    std::map<std::string, Dim> map;
    std::int64_t next = 2;
    const auto fix = [&](Dim& dim) {
        std::vector<std::string> symbols;
        dim.collectSymbols(symbols);
        for (const std::string& symbol : symbols) {
            if (!map.contains(symbol)) {
                const auto at = sizes.find(symbol);
                map.emplace(symbol, at != sizes.end() ? at->second : next++);
            }
        }
        dim = dim.substituted(map);
    };
    for (auto& [value, leaf] : instance.leaves) {
        std::for_each(leaf.shape->begin(), leaf.shape->end(), fix);
        std::for_each(leaf.entries.begin(), leaf.entries.end(), fix);
    }
}

namespace {

std::optional<Tensor> filled(ElementType element, const std::vector<std::int64_t>& shape, const Tensor& one) {
    Tensor out(element, shape);
    if (one.element() != element || one.count() != 1 || element == ElementType::String) {
        return std::nullopt;
    }
    const std::size_t size = byteSize(element);
    std::vector<std::byte> bytes(static_cast<std::size_t>(out.count()) * size);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = one.bytes()[i % size];
    }
    auto owner = std::make_shared<std::vector<std::byte>>(std::move(bytes));
    return Tensor(element, shape, std::span<const std::byte>(*owner), owner);
}

class Concrete {
  public:
    Concrete(const match::RuleFile& file, const Skeleton& skeleton, const Instances& instances)
        : m_file(file), m_skeleton(skeleton), m_instances(instances) {}

    std::shared_ptr<const Graph> run(Instance instance, const std::map<std::string, Tensor>& inputs) const {
        putNumbers(instance, inputs);
        const Result<InstanceGraph> built = m_instances.build(instance);
        if (!built || !built->complete) {
            return nullptr;
        }
        std::optional<Graph> graph = withConstants(instance, *built, inputs);
        return graph ? std::make_shared<const Graph>(std::move(*graph)) : nullptr;
    }

  private:
    /// Attributes that were open have the number of the witness.
    void putNumbers(Instance& instance, const std::map<std::string, Tensor>& inputs) const {
        for (const OpenNumber& open : instance.open) {
            const auto at = inputs.find(open.input);
            const float number = at == inputs.end() || at->second.count() != 1 ? 0.5F : static_cast<float>(at->second.toDouble(0));
            for (auto& attributes : instance.attributes) {
                for (auto& [name, attribute] : attributes) {
                    if (const auto* real = std::get_if<float>(&attribute); real != nullptr && *real == static_cast<float>(open.standIn)) {
                        attribute.emplace<float>(number);
                    }
                }
            }
        }
        instance.open.clear();
    }

    /// What must be constant for the rule to fire is; nothing when that needs a tensor that the witness has not.
    [[nodiscard]] std::optional<Graph> withConstants(const Instance& instance, const InstanceGraph& built,
                                                     const std::map<std::string, Tensor>& inputs) const {
        Graph graph = *built.graph;
        const std::set<std::uint32_t> demanded = demandedConstants(m_file, m_skeleton);
        for (const auto& [value, leaf] : instance.leaves) {
            const ValueId id = built.values[value];
            const bool number = m_skeleton.values[value].kind == SkeletonValue::Kind::Number || m_skeleton.oneNumber.contains(value);
            if (!demanded.contains(value) && !number && leaf.entries.empty()) {
                continue;
            }
            Value& at = graph.values[id.index];
            if (at.constant) {
                continue;
            }
            const std::optional<std::vector<std::int64_t>> shape = staticShape(*leaf.shape);
            if (!shape) {
                return std::nullopt;
            }
            if (!leaf.entries.empty()) {
                const auto entries = staticShape(Shape(leaf.entries));
                if (!entries) {
                    return std::nullopt;
                }
                at.constant = Tensor::of<std::int64_t>(ElementType::I64, *shape, *entries);
            } else if (number) {
                const std::string name = leafName(m_skeleton, value);
                const ValueId scalar = graph.findValue(name + ".number");
                const Tensor* one = scalar.isValid() && graph.value(scalar).constant ? &*graph.value(scalar).constant : nullptr;
                const auto given = inputs.find(scalar.isValid() ? name + ".number" : name);
                one = one == nullptr && given != inputs.end() ? &given->second : one;
                Tensor fallback(leaf.element, {});
                at.constant = filled(leaf.element, *shape, one != nullptr ? *one : fallback);
                if (!at.constant) {
                    return std::nullopt;
                }
            } else {
                const auto given = inputs.find(at.name);
                at.constant = given != inputs.end() && given->second.shape() == *shape ? given->second : Tensor(leaf.element, *shape);
            }
        }
        return needed(graph);
    }

    /// What the output needs, constants before all.
    static Graph needed(const Graph& graph) {
        std::vector<bool> wanted(graph.values.size(), false);
        for (const ValueId output : graph.outputs) {
            wanted[output.index] = true;
        }
        for (std::size_t n = graph.nodes.size(); n > 0; --n) {
            const Node& node = graph.nodes[n - 1];
            const bool read = std::any_of(node.results.begin(), node.results.end(),
                                          [&](ValueId each) { return each.isValid() && wanted[each.index] && !graph.value(each).constant; });
            for (const ValueId operand : node.operands) {
                if (read && operand.isValid()) {
                    wanted[operand.index] = true;
                }
            }
        }
        Graph out;
        out.name = graph.name;
        out.opsets = graph.opsets;
        std::vector<ValueId> mapped(graph.values.size());
        const auto take = [&](ValueId id) {
            Value value;
            value.name = graph.value(id).name;
            value.type = graph.value(id).type;
            value.constant = graph.value(id).constant;
            mapped[id.index] = out.addValue(std::move(value));
        };
        for (std::size_t i = 0; i < graph.values.size(); ++i) {
            if (wanted[i] && (graph.values[i].constant || !graph.values[i].producer.isValid())) {
                take(ValueId(i));
                if (!graph.values[i].constant) {
                    out.inputs.push_back(mapped[i]);
                }
            }
        }
        for (const Node& node : graph.nodes) {
            const bool read = std::any_of(node.results.begin(), node.results.end(),
                                          [&](ValueId each) { return each.isValid() && wanted[each.index] && !graph.value(each).constant; });
            if (!read) {
                continue;
            }
            Node copy = node;
            for (ValueId& operand : copy.operands) {
                operand = operand.isValid() ? mapped[operand.index] : operand;
            }
            for (ValueId& result : copy.results) {
                if (result.isValid()) {
                    take(result);
                    out.values[mapped[result.index].index].type = {};
                    result = mapped[result.index];
                }
            }
            out.addNode(std::move(copy));
        }
        for (const ValueId output : graph.outputs) {
            out.outputs.push_back(mapped[output.index]);
        }
        return out;
    }

    const match::RuleFile& m_file;
    const Skeleton& m_skeleton;
    const Instances& m_instances;
};

} // namespace

std::shared_ptr<const Graph> concreteGraph(const match::RuleFile& file, const Skeleton& skeleton, const Instances& instances,
                                           const Instance& instance, const std::map<std::string, Tensor>& inputs) {
    return Concrete(file, skeleton, instances).run(instance, inputs);
}

namespace {

class Confirmation {
  public:
    Confirmation(const RuleContext& context, const Skeleton& skeleton, const Instances& instances)
        : m_context(context), m_skeleton(skeleton), m_instances(instances) {}

    Result<std::optional<RuleCounterexample>> run(Instance instance, const Witness& witness) {
        const std::shared_ptr<const Graph> matched = concreteGraph(m_context.file, m_skeleton, m_instances, instance, witness.inputs);
        if (matched == nullptr) {
            return std::nullopt;
        }
        match::StaticResult checked = match::checkStatically(m_context.file);
        const auto programs = match::compileRules(m_context.file, checked);
        if (!programs) {
            return std::nullopt;
        }
        rewrite::RewriteOptions options;
        options.rules = {m_context.rule.name};
        options.maxRounds = 1;
        options.at = matched->value(matched->outputs.front()).name;
        Result<rewrite::RewriteResult> rewritten = rewrite::rewriteGraph(matched, m_context.file, *programs, options, m_context.stop);
        if (!rewritten) {
            return rewritten.error().code == ErrorCode::Cancelled ? Result<std::optional<RuleCounterexample>>(tl::unexpected(rewritten.error()))
                                                                  : std::nullopt;
        }
        if (rewritten->applications.empty()) {
            return std::nullopt;
        }
        return compared(matched, rewritten->graph, instanceText(m_skeleton, instance), witness);
    }

  private:
    Result<std::optional<RuleCounterexample>> compared(const std::shared_ptr<const Graph>& matched, const std::shared_ptr<const Graph>& rewritten,
                                                       std::string at, const Witness& witness) const {
        CheckOptions options;
        options.wanted = m_context.options.wanted;
        const std::chrono::duration<double> left = m_context.deadline - std::chrono::steady_clock::now();
        options.timeSeconds = std::max(1.0, std::min(left.count(), m_context.options.casePartSeconds));
        options.findCondition = false;
        options.keepText = false;
        for (const ValueId input : matched->inputs) {
            const auto given = witness.inputs.find(matched->value(input).name);
            if (given == witness.inputs.end()) {
                options.userInputs.clear();
                break;
            }
            options.userInputs.emplace_back(given->first, given->second);
        }
        if (!options.userInputs.empty()) {
            options.sizes = witness.sizes;
            std::erase_if(options.sizes, [&](const auto& size) {
                return std::none_of(matched->inputs.begin(), matched->inputs.end(), [&](ValueId input) {
                    const std::optional<Shape>& shape = matched->value(input).type.shape;
                    return shape && std::any_of(shape->begin(), shape->end(), [&](const Dim& dim) { return dim.symbolName() == size.first; });
                });
            });
        }
        Result<CheckResult> result = check(matched, rewritten, options, m_context.services, m_context.stop);
        if (!result) {
            return result.error().code == ErrorCode::Cancelled ? Result<std::optional<RuleCounterexample>>(tl::unexpected(result.error()))
                                                               : std::nullopt;
        }
        if (result->verdict != Verdict::Refuted) {
            return std::nullopt;
        }
        result->onInputs.reset(); // the witness is the counterexample
        return std::optional(RuleCounterexample{std::move(at), matched, rewritten, std::move(*result)});
    }

    const RuleContext& m_context;
    const Skeleton& m_skeleton;
    const Instances& m_instances;
};

} // namespace

Result<std::optional<RuleCounterexample>> confirmed(const RuleContext& context, const Skeleton& skeleton, const Instances& instances,
                                                    const Instance& instance, const std::optional<Counterexample>& found) {
    Witness witness;
    if (found) {
        witness.sizes = found->sizes;
        for (const auto& [name, tensor] : found->inputs) {
            witness.inputs.emplace(name, tensor);
        }
    }
    Confirmation confirmation(context, skeleton, instances);
    // With all sizes known; then with only those of constants, as in a model of open sizes.
    Instance fixed = instance;
    fixLengths(fixed, witness.sizes);
    Result<std::optional<RuleCounterexample>> shown = confirmation.run(fixed, witness);
    return shown && !*shown ? confirmation.run(instance, witness) : shown;
}

} // namespace lemmascope::ruleproof
