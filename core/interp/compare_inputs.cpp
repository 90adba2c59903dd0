// Inputs to try, and both programs run on them.

#include "core/interp/comparison.h"
#include "core/interp/term_graph.h"
#include "core/interp/term_values.h"
#include "core/program/number.h"

#include <algorithm>

namespace lemmascope::interp {

namespace {

/// Buffers beyond this many cells are not shown among the inputs of a counterexample.
constexpr std::uint64_t MostShown = 1'000'000;

} // namespace

Inputs Comparison::sampleInputs(std::uint32_t sample) const {
    Inputs inputs(m_dag->buffers().size());
    for (std::size_t b = 0; b < inputs.size(); ++b) {
        const LeafBuffer& buffer = m_dag->buffers()[b];
        std::uint64_t count = 1;
        for (std::size_t axis = 0; axis < buffer.sizes.size(); ++axis) {
            std::int64_t size = buffer.sizes[axis];
            if (size == Dynamic) {
                const auto position = std::find(m_symbolic.argumentBuffers.begin(), m_symbolic.argumentBuffers.end(), static_cast<std::uint32_t>(b)) -
                                      m_symbolic.argumentBuffers.begin();
                const auto at = static_cast<std::size_t>(position);
                size = at < m_extents.size() && m_extents[at] ? *m_extents[at] : 0;
            }
            count *= static_cast<std::uint64_t>(std::max<std::int64_t>(size, 0));
        }
        inputs[b].resize(count);
        for (std::uint64_t cell = 0; cell < count; ++cell) {
            inputs[b][cell] = sampleBits(static_cast<std::uint32_t>(b), cell, buffer.type, sample);
        }
    }
    for (std::size_t i = 0; i < m_symbolic.sharedWith.size(); ++i) {
        if (m_symbolic.sharedWith[i] != None) {
            inputs[m_symbolic.argumentBuffers[i]] = inputs[m_symbolic.argumentBuffers[m_symbolic.sharedWith[i]]];
        }
    }
    return inputs;
}

RunOptions Comparison::concreteOptions(const Inputs& inputs) const {
    RunOptions options;
    options.limits = m_symbolic.limits;
    options.sizes = m_symbolic.sizes;
    options.extents = m_extents;
    options.sharedWith = m_symbolic.sharedWith;
    options.arguments.emplace();
    for (const std::uint32_t buffer : m_symbolic.argumentBuffers) {
        options.arguments->push_back(inputs[buffer]);
    }
    for (const auto& [name, buffer] : m_symbolic.globalBuffers) {
        options.globals[name] = inputs[buffer];
    }
    return options;
}

Result<std::pair<RunResult, RunResult>> Comparison::runConcretely(const Inputs& inputs, bool notesRounding) {
    RunOptions options = concreteOptions(inputs);
    TermDag scratch; // a concrete run makes no terms
    options.notesRounding = notesRounding;
    Result<RunResult> reference = lemmascope::interp::run(m_reference, scratch, options, m_stop);
    if (!reference) {
        return tl::unexpected(reference.error());
    }
    Result<RunResult> rewritten = lemmascope::interp::run(m_rewritten, scratch, options, m_stop);
    if (!rewritten) {
        return tl::unexpected(rewritten.error());
    }
    return std::pair(std::move(*reference), std::move(*rewritten));
}

Inputs Comparison::simplified(const Inputs& inputs, const PairClass& pair) const {
    constexpr std::size_t LargestCone = 20'000;
    constexpr std::uint64_t Work = 40'000'000; // terms evaluated, and places of them
    constexpr std::uint64_t MostTrials = 400;
    std::vector<Term> roots{pair.reference, pair.rewritten};
    std::vector<Term> leaves;
    for (const Term term : reached(*m_dag, roots, LargestCone)) {
        if (m_dag->node(term).kind == TermKind::Leaf) {
            leaves.push_back(term);
        }
    }
    roots.insert(roots.end(), m_referenceGuards.begin(), m_referenceGuards.end());
    const std::vector<Term> cone = reached(*m_dag, roots, LargestCone);
    std::uint64_t trials = std::min(MostTrials, Work / (m_dag->size() + 1));
    if (cone.empty()) {
        return inputs;
    }
    const auto differs = [&](const Inputs& tried) {
        const TermValues values = evaluateTerms(*m_dag, cone, [&](Term leaf) {
            const TermNode& n = m_dag->node(leaf);
            return n.b < tried[n.a].size() ? tried[n.a][n.b] : std::uint64_t{0};
        });
        for (const Term guard : m_referenceGuards) {
            if (values.bits[guard] != 0 || values.doubtful[guard]) {
                return false;
            }
        }
        if (values.doubtful[pair.reference] || values.doubtful[pair.rewritten] || values.bits[pair.reference] == values.bits[pair.rewritten]) {
            return false;
        }
        const std::optional<Enclosures> bounds = enclose(*m_dag, pair.reference, pair.rewritten, values);
        return bounds && bounds->apart;
    };
    // What the pair does not read, then halves, quarters ... of what it reads.
    Inputs best = inputs;
    Inputs tried(inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        tried[i].resize(inputs[i].size());
    }
    std::vector<Term> left;
    for (const Term leaf : leaves) {
        const TermNode& n = m_dag->node(leaf);
        if (n.b < inputs[n.a].size() && inputs[n.a][n.b] != 0) {
            tried[n.a][n.b] = inputs[n.a][n.b];
            left.push_back(leaf);
        }
    }
    if (trials > 0 && differs(tried)) {
        best = tried;
    }
    for (std::size_t size = (left.size() + 1) / 2; size > 0 && trials > 0; size = size == 1 ? 0 : (size + 1) / 2) {
        std::vector<Term> kept;
        for (std::size_t begin = 0; begin < left.size(); begin += size) {
            const std::span<const Term> part = std::span<const Term>(left).subspan(begin, std::min(size, left.size() - begin));
            tried = best;
            for (const Term leaf : part) {
                tried[m_dag->node(leaf).a][m_dag->node(leaf).b] = 0;
            }
            if (trials > 0 && (--trials, differs(tried))) {
                best = tried;
            } else {
                kept.insert(kept.end(), part.begin(), part.end());
            }
        }
        left = std::move(kept);
    }
    return best;
}

void Comparison::describeInputs(const Inputs& inputs) {
    Counterexample found;
    found.confirmed = true;
    const FunctionCode& entry = m_reference->functions[m_reference->entry];
    for (std::size_t i = 0; i < m_reference->arguments.size(); ++i) {
        const Argument& argument = m_reference->arguments[i];
        const CellValues& values = inputs[m_symbolic.argumentBuffers[i]];
        if (values.size() > MostShown) {
            continue;
        }
        const ValueType type = argument.isView ? entry.views[argument.position].element : entry.registers[argument.position];
        std::vector<std::int64_t> shape;
        if (argument.isView) {
            shape = entry.views[argument.position].sizes;
            for (std::size_t axis = 0; axis < shape.size(); ++axis) {
                if (shape[axis] == Dynamic) {
                    const std::string key = argument.name + "." + std::to_string(axis);
                    const auto given = m_symbolic.sizes.find(key);
                    shape[axis] = given != m_symbolic.sizes.end() ? given->second : i < m_extents.size() && m_extents[i] ? *m_extents[i] : 0;
                }
            }
        }
        CellValues shown = values;
        if (const auto given = m_symbolic.sizes.find(argument.name); !argument.isView && given != m_symbolic.sizes.end()) {
            shown = {static_cast<std::uint64_t>(given->second) & maskOf(type)};
        }
        found.inputs.emplace_back(argument.name, tensorOf(displayElementOf(type, argument.isUnsigned), type, shape, shown));
    }
    found.sizes = m_symbolic.sizes;
    m_made.result.counterexample = std::move(found);
}

Tensor Comparison::tensorOfOutput(const LiveOut& out) const {
    std::vector<std::uint64_t> bits;
    for (const Cell& cell : out.cells) {
        bits.push_back(cell.bits);
    }
    return tensorOf(displayElementOf(out.type), out.type, out.sizes, bits);
}

FaultReport Comparison::faultReport(const Fault& fault, Side side) const {
    FaultReport report;
    report.side = side;
    report.access = fault.access;
    report.buffer = fault.buffer;
    report.index = fault.index;
    report.size = fault.size;
    report.node = fault.step.text();
    return report;
}

} // namespace lemmascope::interp
