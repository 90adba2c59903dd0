#include "core/interp/compare.h"

#include "core/interp/comparison.h"
#include "core/interp/term_graph.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace lemmascope::interp {

namespace {

RefutationKind kindOf(FaultKind kind) { return kind == FaultKind::Uninitialised ? RefutationKind::Uninitialised : RefutationKind::OutOfRange; }

bool fits(const std::vector<std::int64_t>& a, const std::vector<std::int64_t>& b) {
    return a.size() == b.size() &&
           std::equal(a.begin(), a.end(), b.begin(), [](std::int64_t x, std::int64_t y) { return x == y || x == Dynamic || y == Dynamic; });
}

std::string typeText(const Program& program, const Argument& argument) {
    const FunctionCode& entry = program.functions[program.entry];
    const auto scalarText = [](ValueType type) {
        return type == Index ? std::string("index") : type.isFloat() ? std::string(name(elementOf(type))) : "i" + std::to_string(type.width());
    };
    if (!argument.isView) {
        return scalarText(entry.registers[argument.position]);
    }
    const ViewType& view = entry.views[argument.position];
    std::string text;
    for (const std::int64_t size : view.sizes) {
        text += (size == Dynamic ? std::string("?") : std::to_string(size)) + "x";
    }
    return text + scalarText(view.element);
}

} // namespace

Comparison::Comparison(std::shared_ptr<const Program> reference, std::shared_ptr<const Program> rewritten, const CompareOptions& options,
                       const CheckServices& services, std::stop_token stop)
    : m_reference(std::move(reference)), m_rewritten(std::move(rewritten)), m_options(options), m_services(services), m_stop(std::move(stop)),
      m_begin(std::chrono::steady_clock::now()) {
    m_made.dag = std::make_shared<TermDag>(options.fingerprint ? TermDag::Keep::Digests : TermDag::Keep::Terms, options.limits.termsKept);
    m_dag = m_made.dag.get();
}

double Comparison::secondsLeft() const {
    return m_options.check.timeSeconds - std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
}

void Comparison::undecided(const std::string& reason) {
    m_made.result.verdict = Verdict::Undecided;
    m_made.result.reason = reason;
    m_decided = true;
}

void Comparison::unproved(const std::string& reason) {
    m_made.result.verdict = Verdict::Unproved;
    m_made.result.reason = reason;
    m_decided = true;
}

void Comparison::refute(RefutationKind kind, const std::string& reason) {
    m_made.result.verdict = Verdict::Refuted;
    m_made.result.kind = kind;
    m_made.result.reason = reason;
    m_decided = true;
}

bool Comparison::interfacesAgree() {
    const auto list = [](const Program& program) {
        std::string text;
        for (const Argument& argument : program.arguments) {
            text += (text.empty() ? "" : ", ") + argument.name + ": " + typeText(program, argument);
        }
        return "(" + text + ")";
    };
    const Program& a = *m_reference;
    const Program& b = *m_rewritten;
    bool same = a.arguments.size() == b.arguments.size();
    for (std::size_t i = 0; same && i < a.arguments.size(); ++i) {
        const Argument& x = a.arguments[i];
        const Argument& y = b.arguments[i];
        same = x.isView == y.isView;
        if (same && x.isView) {
            const ViewType& left = a.functions[a.entry].views[x.position];
            const ViewType& right = b.functions[b.entry].views[y.position];
            same = left.element == right.element && fits(left.sizes, right.sizes);
        } else if (same) {
            same = a.functions[a.entry].registers[x.position] == b.functions[b.entry].registers[y.position];
        }
    }
    if (!same) {
        refute(RefutationKind::Type, "arguments " + list(a) + ", rewritten " + list(b));
        return false;
    }
    bool results = a.results.size() == b.results.size();
    for (std::size_t i = 0; results && i < a.results.size(); ++i) {
        results = a.results[i].isView == b.results[i].isView;
        if (results && a.results[i].isView) {
            const ViewType& left = a.functions[a.entry].viewResults[a.results[i].position];
            const ViewType& right = b.functions[b.entry].viewResults[b.results[i].position];
            results = left.element == right.element && left.sizes.size() == right.sizes.size();
        } else if (results) {
            results = a.functions[a.entry].scalarResults[a.results[i].position] == b.functions[b.entry].scalarResults[b.results[i].position];
        }
    }
    if (!results) {
        refute(RefutationKind::Type, "the results have other types: " + std::to_string(a.results.size()) + " in the reference, " +
                                         std::to_string(b.results.size()) + " rewritten");
        return false;
    }
    return true;
}

Result<void> Comparison::runBoth() {
    m_symbolic.limits = m_options.limits;
    if (m_options.fingerprint && m_symbolic.limits.steps <= UINT64_MAX / 100) {
        m_symbolic.limits.steps *= 100;
    }
    m_symbolic.limits.seconds = std::min(m_symbolic.limits.seconds, m_options.check.timeSeconds);
    m_symbolic.sizes = m_options.check.sizes;
    m_symbolic.sharedWith = m_options.sharedWith;
    addBuffers(*m_reference, *m_dag, m_symbolic);
    Result<RunResult> first = lemmascope::interp::run(m_reference, *m_dag, m_symbolic, m_stop);
    if (!first) {
        return tl::unexpected(first.error());
    }
    m_made.reference = std::move(*first);
    m_extents = m_made.reference.extents;
    RunOptions second = m_symbolic;
    second.extents = m_extents;
    second.alsoHeld = &m_made.reference;
    for (const Global& global : m_rewritten->globals) {
        if (!global.isConstant && global.isInitialised && !second.globalBuffers.contains(global.name)) {
            second.globalBuffers[global.name] = m_dag->addBuffer({global.name, global.type.element, global.type.sizes});
        }
    }
    m_symbolic.globalBuffers = second.globalBuffers;
    if (m_made.reference.end != RunResult::End::Undecided) {
        Result<RunResult> after = lemmascope::interp::run(m_rewritten, *m_dag, second, m_stop);
        if (!after) {
            return tl::unexpected(after.error());
        }
        m_made.rewritten = std::move(*after);
    }
    std::size_t viewCount = 0;
    for (std::size_t i = 0; i < m_reference->arguments.size(); ++i) {
        viewCount += m_reference->arguments[i].isView ? 1 : 0;
        if (i < m_extents.size() && m_extents[i]) {
            m_made.result.assumptions.push_back({"size", "axis 0 of '" + m_reference->arguments[i].name + "' is " + std::to_string(*m_extents[i]) +
                                                             " long, as the reference uses it"});
        }
    }
    if (viewCount > 1 && !m_options.mayAlias) {
        m_made.result.assumptions.push_back({"fact", "distinct arguments do not overlap"});
    }
    m_made.result.times.terms = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
    m_made.result.times.termCount = m_dag->made();
    if (m_options.fingerprint) {
        m_strength = Strength::Probable;
        // Of n random digests of 128 bits, n (n - 1) / 2 pairs, each the same with 2^-128.
        const auto count = static_cast<double>(m_dag->made());
        m_made.result.errorProbability = std::ldexp(count * count, -129);
        m_made.result.assumptions.push_back({"law", "terms of equal 128-bit digests are equal (" + std::to_string(m_dag->made()) + " terms)"});
    }
    return {};
}

/// The rewritten program ends in a fault whatever the input: one input on which the reference does not is enough.
Result<void> Comparison::certainFault() {
    for (std::uint32_t sample = 0; sample < SampleCount && secondsLeft() > 0; ++sample) {
        const Inputs inputs = sampleInputs(sample);
        Result<std::pair<RunResult, RunResult>> both = runConcretely(inputs);
        if (!both) {
            return tl::unexpected(both.error());
        }
        const auto& [reference, rewritten] = *both;
        if (reference.end == RunResult::End::Finished && !reference.poison && rewritten.end == RunResult::End::Faulted) {
            describeInputs(inputs);
            m_made.result.fault = faultReport(*rewritten.fault, Side::Rewritten);
            refute(kindOf(rewritten.fault->kind), rewritten.fault->text());
            return {};
        }
    }
    unproved("the rewritten program ends in a fault, but no input was found on which the reference does not: " + m_made.rewritten.fault->text());
    return {};
}

bool Comparison::pairOutputs() {
    const auto wanted = [&](const std::string& name) {
        const std::vector<std::string>& only = m_options.check.outputs;
        return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
    };
    const RunResult& a = m_made.reference;
    const RunResult& b = m_made.rewritten;
    const auto add = [&](const std::string& name, OutputComparison::List list, std::size_t i, std::size_t j) {
        const LiveOut& x = liveOut(a, list, i);
        const LiveOut& y = liveOut(b, list, j);
        if (x.sizes != y.sizes) {
            const auto text = [](const std::vector<std::int64_t>& sizes) {
                std::string out;
                for (const std::int64_t size : sizes) {
                    out += (out.empty() ? "" : ",") + std::to_string(size);
                }
                return "[" + out + "]";
            };
            refute(RefutationKind::Type, "'" + name + "' has shape " + text(x.sizes) + ", rewritten " + text(y.sizes));
            return false;
        }
        m_pairs.push_back({name, &x, &y, list, i, j});
        return true;
    };
    for (std::size_t i = 0; i < a.results.size(); ++i) {
        if (wanted(a.results[i].name) && !add(a.results[i].name, OutputComparison::List::Results, i, i)) {
            return false;
        }
    }
    for (std::size_t i = 0; i < m_reference->arguments.size(); ++i) {
        const Argument& x = m_reference->arguments[i];
        const Argument& y = m_rewritten->arguments[i];
        if (!x.isView || !wanted(x.name) || x.role == Role::Scratch || y.role == Role::Scratch || x.isTensor) {
            continue;
        }
        const bool compared = x.role == Role::InOut || y.role == Role::InOut || a.arguments[i].written || b.arguments[i].written;
        if (compared && !add(x.name, OutputComparison::List::Arguments, i, i)) {
            return false;
        }
    }
    for (const LiveOut& global : a.globals) {
        const auto other = std::find_if(b.globals.begin(), b.globals.end(), [&](const LiveOut& g) { return g.name == global.name; });
        if (wanted(global.name) && other != b.globals.end() && (global.written || other->written) &&
            !add(global.name, OutputComparison::List::Globals, static_cast<std::size_t>(&global - a.globals.data()),
                 static_cast<std::size_t>(other - b.globals.begin()))) {
            return false;
        }
        if (wanted(global.name) && other == b.globals.end() && global.written) {
            unproved("the global '" + global.name + "' is written by the reference only");
            return false;
        }
    }
    // A global that both may write begins with any content, but with the same.
    for (const Global& global : m_rewritten->globals) {
        const auto other =
            std::find_if(m_reference->globals.begin(), m_reference->globals.end(), [&](const Global& g) { return g.name == global.name; });
        if (other == m_reference->globals.end() || global.isConstant || other->isConstant || !global.isInitialised || !other->isInitialised ||
            global.values.empty() || other->values.empty()) {
            continue;
        }
        bool same = global.type.element == other->type.element;
        for (std::size_t i = 0; same && i < std::max(global.values.size(), other->values.size()); ++i) {
            same = global.values[global.values.size() == 1 ? 0 : std::min(i, global.values.size() - 1)] ==
                   other->values[other->values.size() == 1 ? 0 : std::min(i, other->values.size() - 1)];
        }
        if (!same && wanted(global.name)) {
            unproved("the global '" + global.name + "' begins with other values");
            return false;
        }
    }
    for (const LiveOut& global : b.globals) {
        const bool inReference = std::any_of(a.globals.begin(), a.globals.end(), [&](const LiveOut& g) { return g.name == global.name; });
        const bool known =
            std::any_of(m_reference->globals.begin(), m_reference->globals.end(), [&](const Global& g) { return g.name == global.name; });
        if (wanted(global.name) && !inReference && known && global.written) {
            unproved("the global '" + global.name + "' is written by the rewritten program only");
            return false;
        }
    }
    for (const std::string& name : m_options.check.outputs) {
        if (std::none_of(m_pairs.begin(), m_pairs.end(), [&](const Paired& pair) { return pair.name == name; })) {
            undecided("no output '" + name + "'");
            return false;
        }
    }
    return true;
}

/// Shared terms: did sharing need an exchange of operands? Then what else is taken for granted: reductions, flags, functions without a body.
void Comparison::checkStrengthOfSharing() {
    std::vector<Term> roots;
    for (const Paired& pair : m_pairs) {
        for (std::size_t i = 0; i < pair.reference->cells.size(); ++i) {
            const Cell& cell = pair.reference->cells[i];
            if (cell.term > Mixed && cell.term == pair.rewritten->cells[i].term) {
                roots.push_back(cell.term);
            }
        }
    }
    Strength strength = Strength::Identical;
    for (const Term term : reached(*m_dag, roots, SIZE_MAX)) {
        const TermNode& node = m_dag->node(term);
        if (node.kind == TermKind::Apply && node.op != Op::Select && m_dag->metInBothOrders(term)) {
            strength = weaker(strength, node.op == Op::MinNumF || node.op == Op::MaxNumF ? Strength::Exact : Strength::Open);
        }
    }
    if (m_made.reference.foldedFloats || m_made.rewritten.foldedFloats) {
        strength = weaker(strength, Strength::Exact);
        m_made.result.assumptions.push_back({"law", "the order of a float reduction over parallel iterations is open: folded in iteration order"});
    }
    const std::vector<std::string>& before = m_reference->notes;
    const auto has = [&](const std::string& flag) { return std::find(before.begin(), before.end(), flag) != before.end(); };
    for (const std::string& flag : m_rewritten->notes) {
        if (!has(flag) && !has("fast")) {
            strength = weaker(strength, Strength::Exact);
            m_made.result.assumptions.push_back({"law", "the rewritten program has the fast-math flag '" + flag + "': compared as written"});
        }
    }
    std::set<std::string> callees;
    for (const Program* program : {m_reference.get(), m_rewritten.get()}) {
        for (const std::string& name : program->openNames) {
            if (name.starts_with("call @")) {
                callees.insert(name.substr(5, name.find(' ', 6) - 5));
            }
        }
    }
    for (const std::string& callee : callees) {
        m_made.result.assumptions.push_back({"fact", callee + ", which has no body, is a function of its arguments and has no effect"});
    }
    m_strength = m_strength ? weaker(*m_strength, strength) : strength;
}

void Comparison::conclude() {
    CheckResult& result = m_made.result;
    bool anyUnproved = false;
    bool anyUndecided = false;
    std::string reason;
    for (const OutputResult& output : result.outputs) {
        anyUnproved = anyUnproved || output.verdict == Verdict::Unproved;
        anyUndecided = anyUndecided || output.verdict == Verdict::Undecided;
        if (output.verdict == Verdict::Unproved && reason.empty()) {
            reason = output.reason;
        }
    }
    if (m_decided) {
        return;
    }
    if (anyUnproved) {
        unproved(reason);
        return;
    }
    if (!m_openFaults.empty()) {
        unproved("a fault of the rewritten program is not excluded: " + m_openFaults.front()->text());
        return;
    }
    if (anyUndecided) {
        for (const OutputResult& output : result.outputs) {
            if (output.verdict == Verdict::Undecided) {
                undecided(output.reason);
                return;
            }
        }
    }
    result.verdict = Verdict::Proved;
    result.strength = m_strength.value_or(Strength::Identical);
    m_decided = true;
}

Result<ProgramComparison> Comparison::run() {
    CheckResult& result = m_made.result;
    if (!interfacesAgree()) {
        return std::move(m_made);
    }
    if (Result<void> ran = runBoth(); !ran) {
        return tl::unexpected(ran.error());
    }
    const RunResult& a = m_made.reference;
    const RunResult& b = m_made.rewritten;
    if (a.end == RunResult::End::Undecided) {
        undecided(a.undecided + ", in the reference");
    } else if (a.end == RunResult::End::Faulted) {
        undecided("reference undefined: " + a.fault->text());
    } else if (a.end == RunResult::End::Deadlocked) {
        undecided("reference undefined: deadlock: " + a.deadlock->text());
    } else if (b.end == RunResult::End::Undecided) {
        undecided(b.undecided + ", in the rewritten program");
    }
    if (!m_decided && (a.end == RunResult::End::Raced || a.contention)) {
        if (Result<void> asked = schedules(m_reference, a, Side::Reference); !asked) {
            return tl::unexpected(asked.error());
        }
    }
    if (!m_decided && !a.orderedFold.empty()) {
        if (Result<void> asked = ordersOfFold(m_reference, a, Side::Reference); !asked) {
            return tl::unexpected(asked.error());
        }
    }
    for (const Fault& fault : a.conditional) {
        m_referenceGuards.push_back(fault.guard);
    }
    std::sort(m_referenceGuards.begin(), m_referenceGuards.end());
    m_referenceGuards.erase(std::unique(m_referenceGuards.begin(), m_referenceGuards.end()), m_referenceGuards.end());
    if (!a.conditional.empty() && !m_decided) {
        m_made.result.assumptions.push_back(
            {"fact", "the reference does not fault: no " + a.conditional.front().text() +
                         (m_referenceGuards.size() > 1 ? ", and " + std::to_string(m_referenceGuards.size() - 1) + " more" : "")});
    }
    if (!m_decided && b.end == RunResult::End::Faulted) {
        if (Result<void> asked = certainFault(); !asked) {
            return tl::unexpected(asked.error());
        }
    }
    if (!m_decided && b.end == RunResult::End::Deadlocked) {
        result.cycle = b.deadlock->cycle;
        refute(RefutationKind::Deadlock, b.deadlock->text());
    }
    if (!m_decided && (b.end == RunResult::End::Raced || b.contention)) {
        if (Result<void> asked = schedules(m_rewritten, b, Side::Rewritten); !asked) {
            return tl::unexpected(asked.error());
        }
    }
    if (!m_decided && !b.orderedFold.empty()) {
        if (Result<void> asked = ordersOfFold(m_rewritten, b, Side::Rewritten); !asked) {
            return tl::unexpected(asked.error());
        }
    }
    if (!m_decided && pairOutputs()) {
        if (Result<void> asked = compareCells(); !asked) {
            return tl::unexpected(asked.error());
        }
        conclude();
    }
    result.times.total = std::chrono::duration<double>(std::chrono::steady_clock::now() - m_begin).count();
    if (m_unspecified > 0) {
        result.caveats.push_back({"note", std::to_string(m_unspecified) + " cells are left unwritten by the reference and not compared"});
    }
    return std::move(m_made);
}

Result<ProgramComparison> comparePrograms(const std::shared_ptr<const Program>& reference, const std::shared_ptr<const Program>& rewritten,
                                          const CompareOptions& options, const CheckServices& services, std::stop_token stop) {
    Result<ProgramComparison> made = Comparison(reference, rewritten, options, services, stop).run();
    if (!made || !options.mayAlias || made->result.verdict != Verdict::Proved) {
        return made;
    }
    // Two arguments that are one memory can be run; parts that overlap cannot.
    const FunctionCode& entry = reference->functions[reference->entry];
    for (std::size_t j = 0; j < reference->arguments.size(); ++j) {
        for (std::size_t i = 0; i < j; ++i) {
            const Argument& a = reference->arguments[i];
            const Argument& b = reference->arguments[j];
            if (!a.isView || !b.isView || a.isTensor || b.isTensor || !(entry.views[a.position] == entry.views[b.position])) {
                continue;
            }
            CompareOptions shared = options;
            shared.sharedWith.assign(reference->arguments.size(), None);
            shared.sharedWith[j] = static_cast<std::uint32_t>(i);
            Result<ProgramComparison> one = Comparison(reference, rewritten, shared, services, stop).run();
            if (!one || one->result.verdict != Verdict::Proved) {
                if (one) {
                    one->result.assumptions.push_back({"fact", "'" + a.name + "' and '" + b.name + "' are one memory"});
                    one->result.reason = "where '" + a.name + "' and '" + b.name + "' are one memory: " + one->result.reason;
                }
                return one;
            }
        }
    }
    made->result.verdict = Verdict::Undecided;
    made->result.strength.reset();
    made->result.reason = "equal where arguments are distinct or two of them are one memory; arguments that overlap in part are not decided";
    return made;
}

} // namespace lemmascope::interp
